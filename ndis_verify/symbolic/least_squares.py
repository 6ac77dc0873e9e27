"""Approximate least squares with one record deleted: from the matrices to (p, q, d, r), asymptotic and
finite-r laws.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

import sympy as sp

from ndis_verify.symbolic.block_algebra import letter
from ndis_verify.symbolic.derivation import Conclusion, Derivation, Fault, Step, parts
from ndis_verify.symbolic.least_squares_algebra import a, beta, rank_one, residual, w
from ndis_verify.symbolic.least_squares_mixture import ENTRIES, RANK, given_the_sketch, mixture
from ndis_verify.symbolic.notation import held
from ndis_verify.symbolic.special_functions import chi2_density

# p = a^2 and q = a^2 + w^2: the leverage in B and the share of the squared residual; both roots are then polynomial.
r, d = sp.symbols("r d", positive=True, integer=True)
total = sp.Symbol("W", positive=True)
p, q = a**2, a**2 + w**2
_SYMBOLS = {"root_leverage": a, "root_share": w}
_DOMAIN = (a**2 < 1, a**2 + w**2 < 1)
_REGULAR = "B^T B invertible and residual not 0, with and without the record"
_GRANTED = {"N24-C3": _REGULAR, "N24-T4": _REGULAR, "N24-T5": "sigma > 0"}
_MEMBERS = dict.fromkeys(
    ("N24-D7", "N24-Fig13", "N24-Fig13-corrected"), "members of full column rank, their residual not 0"
)


def _parts(granted: Mapping[str, str], ends: Mapping[str, str]) -> tuple[Conclusion, ...]:
    return tuple(one for claim, text in granted.items() for one in parts((claim,), ends, {_REGULAR: text}))


@cache
def deleted_solution() -> Derivation:
    """Deleting record (v, beta): x' = x - N^{-1} v omega/(1-p), ||w'||^2 = ||w||^2 (1-q)/(1-p), q = p + omega^2/||w||^2
    (N24-P14, N24-P15).

    `number`: ||w'||^2/||w||^2 at `root_leverage` = sqrt(p), `root_share` = sqrt(q-p).
    """
    rules = ("notation", _REGULAR)
    algebra, n = rank_one(*rules)
    N, Ni, v, vt, x, xt, c, ct = (n[name] for name in ["N", "Ni", "v", "vt", "x", "xt", "c", "ct"])
    algebra = algebra.of(N, Ni, v, vt, x, xt, c, ct)
    s = total
    moved = x - Ni * v * residual / (1 - p)
    share = residual**2 / s
    room, kept = sp.symbols("u t", positive=True)
    steps = (
        Step(
            "notation",
            "N = B^T B, Ni = N^{-1}, c = B^T b, x = Ni c, W = ||b - B x||^2; the record is the row v of B with answer"
            " beta, omega = beta - v^T x, p = v^T Ni v.",
            kind="definition",
        ),
        Step(
            "deleted normal equations, any d",
            "(N - v v^T) x' = c - v beta.",
            lhs=(N - v * vt) * moved,
            rhs=c - v * beta,
            algebra=algebra,
            premises=rules,
        ),
        Step(
            "residual of the deleted record",
            "beta - v^T x' = omega/(1-p).",
            lhs=residual + p * residual / (1 - p),
            rhs=residual / (1 - p),
            premises=("deleted normal equations, any d",),
        ),
        Step(
            "length of the move, any d",
            "(x' - x)^T N (x' - x) = p omega^2/(1-p)^2.",
            lhs=vt * Ni * v * (residual / (1 - p)) ** 2,
            rhs=p * residual**2 / (1 - p) ** 2,
            algebra=algebra,
            premises=rules,
        ),
        Step(
            "residual sum of squares",
            "W' = W + (x'-x)^T N (x'-x) - (beta - v^T x')^2.",
            lhs=s + p * residual**2 / (1 - p) ** 2 - (residual / (1 - p)) ** 2,
            rhs=s - residual**2 / (1 - p),
            premises=("residual of the deleted record", "length of the move, any d"),
        ),
        Step(
            "leverage in [B b]: first block, any d",
            "The Gram matrix of [B b] is [N, c; c^T, b^T b] with b^T b = W + c^T x; it maps (N^{-1} v - x omega/W,"
            " omega/W) to v in the first block,",
            lhs=N * (Ni * v - x * residual / s) + c * residual / s,
            rhs=v,
            algebra=algebra,
            premises=rules,
        ),
        Step(
            "leverage in [B b]: last entry, any d",
            "and to beta in the last,",
            lhs=ct * Ni * v - ct * x * residual / s + (s + ct * x) * residual / s,
            rhs=beta,
            algebra=algebra,
            premises=rules,
        ),
        Step(
            "leverage in [B b], any d",
            "so q = (v, beta) . (N^{-1} v - x omega/W, omega/W) = p + omega^2/W.",
            lhs=vt * Ni * v - vt * x * residual / s + beta * residual / s,
            rhs=p + share,
            algebra=algebra,
            premises=("leverage in [B b]: first block, any d", "leverage in [B b]: last entry, any d", *rules),
        ),
        Step(
            "share",
            "With w^2 = omega^2/W, W' = W (1-q)/(1-p).",
            lhs=1 - w**2 / (1 - p),
            rhs=(1 - q) / (1 - p),
            premises=("residual sum of squares", "leverage in [B b], any d"),
        ),
        Step(
            "q <= 1",
            "1 - q = (1-p) W'/W is positive where W' > 0 and p < 1 (the smaller database has full rank): with u = 1 -"
            " p and t ="
            " W'/W, q is",
            lhs=1 - room * kept,
            rhs=sp.Integer(1),
            relation="<",
            witness=-room * kept,
            premises=("share", _REGULAR),
        ),
    )
    return Derivation(
        id="least_squares.deleted_solution",
        title="Least squares after deleting one record: solution, residual, and the leverage in [B b]",
        sources=("N24-P14", "N24-P15"),
        hypotheses=(_REGULAR,),
        steps=steps,
        result_step="share",
        symbols=_SYMBOLS,
        domain=_DOMAIN,
        faults=(
            Fault(
                "move of the wrong sign",
                "deleted normal equations, any d",
                lambda rhs: rhs + 2 * letter("v") * residual,
            ),
            Fault("1/(1-p) dropped", "residual sum of squares", lambda rhs: total - residual**2),
            Fault("residual not squared", "leverage in [B b], any d", lambda rhs: p + residual / total),
            Fault("(1-p) instead of 1/(1-p)", "share", lambda rhs: (1 - q) * (1 - p)),
        ),
        concludes=_parts(
            _GRANTED, {"share": "solution, residual and leverages after a deletion", "q <= 1": "q < 1 after a deletion"}
        ),
    )


@cache
def quadratic_form_deletion() -> Derivation:
    """The asymptotic laws, record deleted: A has 1 - (1-p)^2/(1-q) once, 1 - (1-p)/(1-q) d-1 times; |b| = sqrt(r p
    (q-p)) (1-p)/(1-q) (N24-T4).

    `number`: |b| at `root_leverage`, `root_share` and `r`.
    """
    rules = ("pair", _REGULAR)
    algebra, n = rank_one(*rules)
    N, Ri, u, ut, v, vt, y, yt = (n[name] for name in ["N", "Ri", "u", "ut", "v", "vt", "y", "yt"])
    algebra = algebra.of(N, Ri, u, ut, v, vt, y, yt)
    ratio = (1 - p) / (1 - q)
    white = ratio * Ri * (N - v * vt) * Ri
    b_of = sp.sqrt(r) * a * w * ratio
    steps = (
        Step(
            "pair",
            "P = N(x, (W/r) N^{-1}), Q = N(x', (W'/r) (N - v v^T)^{-1}), W'/W = (1-q)/(1-p) (deleted_solution); Ri ="
            " N^{-1/2}, u = Ri v, u^T u = p, and y is orthogonal to u.",
            kind="definition",
        ),
        Step(
            "relative covariance, any d",
            "S1^{1/2} S2^{-1} S1^{1/2} = (W/W') N^{-1/2} (N - v v^T) N^{-1/2}, u = N^{-1/2} v.",
            lhs=white,
            rhs=ratio * (1 - u * ut),
            algebra=algebra,
            premises=rules,
        ),
        Step(
            "eigenvector u",
            "u^T u = p.",
            lhs=ratio * (1 - u * ut) * u,
            rhs=(1 - p) ** 2 / (1 - q) * u,
            algebra=algebra,
            premises=("relative covariance, any d", *rules),
        ),
        Step(
            "orthogonal vectors",
            "the other d-1 directions.",
            lhs=ratio * (1 - u * ut) * y,
            rhs=ratio * y,
            algebra=algebra,
            premises=rules,
        ),
        Step(
            "a along u",
            "a_i is 1 less an eigenvalue, so that both are below 1.",
            lhs=1 - held(1 - held(1 - p) ** 2 / held(1 - q)),
            rhs=(1 - p) ** 2 / (1 - q),
            premises=("eigenvector u", "orthogonal vectors"),
        ),
        Step(
            "linear part, any d",
            "b = -S1^{1/2} S2^{-1} (x - x') = -(r/W)^{1/2} ratio (omega/(1-p)) N^{-1/2} (N - v v^T) N^{-1} v, a"
            " multiple of u.",
            lhs=Ri * (N - v * vt) * Ri * u / (1 - p),
            rhs=u,
            algebra=algebra,
            premises=rules,
        ),
        Step(
            "linear part squared",
            "|b|^2 = (r/W) ratio^2 omega^2 u^T u, with omega^2 = W w^2.",
            lhs=held(r) / held(total) * held(ratio) ** 2 * held(held(total) * held(w) ** 2) * held(p),
            rhs=b_of**2,
            premises=("linear part, any d",),
        ),
        Step(
            "mean shift",
            "m^2 = b^2/lambda = r p (q-p)/(1-q).",
            lhs=b_of**2 / held(held(1 - p) ** 2 / held(1 - q)),
            rhs=r * p * (q - p) / (1 - q),
            premises=("linear part squared", "eigenvector u"),
        ),
        Step(
            "linear part",
            "sqrt(r p (q-p)) (1-p)/(1-q).",
            lhs=sp.sqrt(r * p * held(q - p)) * ratio,
            rhs=b_of,
            premises=("linear part squared",),
        ),
    )
    return Derivation(
        id="least_squares.quadratic_form_deletion",
        title="The lemma's quadratic form for the asymptotic least-squares laws, record deleted",
        sources=("N24-C3", "N24-T4", "N24-P15"),
        hypotheses=(_REGULAR,),
        steps=steps,
        result_step="linear part",
        symbols={**_SYMBOLS, "r": r},
        domain=_DOMAIN,
        faults=(
            Fault("square of 1-p dropped", "eigenvector u", lambda rhs: (1 - p) / (1 - q) * u),
            Fault("ratio of residuals inverted", "orthogonal vectors", lambda rhs: y / ratio),
            Fault("factor (1-p)/(1-q) dropped", "linear part", lambda rhs: rhs / ratio),
        ),
        concludes=_parts(
            {**_GRANTED, **_MEMBERS},
            {
                "a along u": "deletion: the eigenvalues, with N26-L1",
                "mean shift": "deletion: the mean shift",
                "linear part": "deletion: the linear part, with N26-L1",
            },
        ),
    )


@cache
def quadratic_form_insertion() -> Derivation:
    """The asymptotic laws, record inserted: the eigenvalues inverted, |b| = sqrt(r p (q-p) (1-q))/(1-p)^2 (N24-T4).

    `number`: |b| at `root_leverage`, `root_share` and `r`.
    """
    first, others = (1 - q) / (1 - p) ** 2, (1 - q) / (1 - p)
    shift = r * p * (q - p) / (1 - p) ** 2
    b_of = sp.sqrt(r) * a * w * sp.sqrt(1 - q) / (1 - p) ** 2
    rules = ("pair", _REGULAR)
    algebra, n = rank_one(*rules)
    u, ut, y, yt = (n[name] for name in ["u", "ut", "y", "yt"])
    algebra = algebra.of(u, ut, y, yt)
    inverted = others * (1 + u * ut / (1 - p))
    steps = (
        Step(
            "pair",
            "P and Q of quadratic_form_deletion exchanged: where M = S1^{1/2} S2^{-1} S1^{1/2} is that of the deletion,"
            " S2^{1/2} S1^{-1} S2^{1/2} has the eigenvalues of M^{-1}. u = N^{-1/2} v, u^T u = p, and y is orthogonal"
            " to u.",
            kind="definition",
        ),
        Step(
            "inverse of M, any d",
            "M = (1-p)/(1-q) (I - u u^T).",
            lhs=inverted * (1 - u * ut) / others,
            rhs=sp.Integer(1),
            algebra=algebra,
            premises=rules,
        ),
        Step(
            "along u, any d",
            "M^{-1} has the eigenvector u,",
            lhs=inverted * u,
            rhs=first * u,
            algebra=algebra,
            premises=("inverse of M, any d", *rules),
        ),
        Step(
            "orthogonal vectors, any d",
            "and the d-1 other directions.",
            lhs=inverted * y,
            rhs=others * y,
            algebra=algebra,
            premises=rules,
        ),
        Step(
            "first eigenvalue",
            "along u, now 1 - a_1.",
            lhs=1 / held(held(1 - p) ** 2 / held(1 - q)),
            rhs=first,
            premises=("along u, any d",),
        ),
        Step(
            "other eigenvalues",
            "d-1 times.",
            lhs=1 / held(held(1 - p) / held(1 - q)),
            rhs=others,
            premises=("orthogonal vectors, any d",),
        ),
        Step(
            "mean shift",
            "In units of the new Q, which is N(x, (W/r) N^{-1}): (r/W) (omega/(1-p))^2 p.",
            lhs=r / total * held(total * w**2) / held(1 - p) ** 2 * p,
            rhs=shift,
            premises=("pair",),
        ),
        Step(
            "linear part squared",
            "b^2 = lambda m^2.",
            lhs=held(first) * held(shift),
            rhs=b_of**2,
            premises=("first eigenvalue", "mean shift"),
        ),
        Step(
            "linear part",
            "its root.",
            lhs=sp.sqrt(held(first)) * sp.sqrt(held(shift)),
            rhs=b_of,
            reduce=lambda left, right: left**2 - right**2,
            premises=("linear part squared",),
        ),
    )
    return Derivation(
        id="least_squares.quadratic_form_insertion",
        title="The lemma's quadratic form for the asymptotic least-squares laws, record inserted",
        sources=("N24-C3", "N24-T4", "N24-P15"),
        hypotheses=(_REGULAR,),
        steps=steps,
        result_step="linear part",
        symbols={**_SYMBOLS, "r": r},
        domain=_DOMAIN,
        faults=(
            Fault("eigenvalue of the other direction", "first eigenvalue", lambda rhs: 1 / rhs),
            Fault("shift in units of the old Q", "mean shift", lambda rhs: r * p * (q - p) / (1 - q)),
            Fault("root of 1-q dropped", "linear part", lambda rhs: rhs / sp.sqrt(1 - q)),
        ),
        concludes=_parts(
            {**_GRANTED, **_MEMBERS},
            {
                "first eigenvalue": "insertion: the eigenvalue along the record",
                "other eigenvalues": "insertion: the other eigenvalues",
                "linear part": "insertion: the linear part",
            },
        ),
    )


@cache
def student_law() -> Derivation:
    """The sketched solution is multivariate Student t: density proportional to (1 + |z|^2)^{-(r+1)/2}, z = N^{1/2}(x -
    x_opt)/||w||.

    r-d+1 degrees of freedom (N24 section 6.3 leaves the finite-r law open). `number`: the density for d = 1 at `z`,
    `r`.
    """
    z, t = sp.Symbol("z", real=True), sp.Symbol("t", positive=True)
    tilt = 1 + z**2
    constant = sp.gamma((r + 1) / 2) / (sp.sqrt(sp.pi) * sp.gamma(r / 2))
    nu = r - d + 1
    steps = (
        *given_the_sketch(d),
        *mixture(r, d),
        Step(
            "mixture, d = 1 in full",
            "The integrand is the density of a scaled chi-square variable with r+1 degrees of freedom, times its mass.",
            lhs=sp.sqrt(t / (2 * sp.pi)) * sp.exp(-t * z**2 / 2) * chi2_density(r, t),
            rhs=constant * tilt ** (-(r + 1) / 2) * tilt * chi2_density(r + 1, tilt * t),
            reduce=_log_ratio,
            premises=("mixture, any d",),
        ),
        Step(
            "degrees of freedom",
            "Student t in R^d with nu degrees of freedom has exponent (nu + d)/2.",
            lhs=held(nu + d) / 2,
            rhs=(r + 1) / 2,
            premises=("mixture, any d",),
        ),
        Step(
            "density, d = 1",
            "Integrating over t.",
            lhs=constant * tilt ** held(-(r + 1) / 2),
            rhs=sp.gamma((r + 1) / 2) / (sp.sqrt(sp.pi) * sp.gamma(r / 2)) * (1 + z**2) ** (-(r + 1) / 2),
            premises=("mixture, d = 1 in full",),
        ),
    )
    return Derivation(
        id="least_squares.student_law",
        title="The sketched least-squares solution follows a multivariate Student t law",
        sources=("N24-L1",),
        hypotheses=(RANK, ENTRIES),
        steps=steps,
        result_step="density, d = 1",
        symbols={"z": z, "r": r},
        faults=(
            Fault(
                "r degrees of freedom instead of r+1",
                "mixture, d = 1 in full",
                lambda rhs: constant * tilt ** (-(r + 1) / 2) * tilt * chi2_density(r, tilt * t),
            ),
            Fault("exponent r/2", "density, d = 1", lambda rhs: rhs * sp.sqrt(1 + z**2)),
            Fault("r - d degrees of freedom", "degrees of freedom", lambda rhs: rhs - sp.Rational(1, 2)),
        ),
        concludes=tuple(
            Conclusion(claim, end, part=part, granted=granted)
            for claim, granted in (
                ("N24-L1", {}),
                ("N24-6.3-gap", {RANK: "[B b] and its neighbour of full column rank"}),
                ("N24-Fig11", {RANK: "B^T B invertible, B with the rows of the noise"}),
            )
            for end, part in (
                ("mixture, any d", "the finite-r law at r >= d, of which the asymptotic law is the limit"),
                ("degrees of freedom", "the degrees of freedom of the finite-r law"),
                ("density, d = 1", "the density of the finite-r law at d = 1"),
            )
        ),
    )


def _log_ratio(left: sp.Expr, right: sp.Expr) -> sp.Expr:
    """log(left/right) for two positive products."""
    return sp.expand(sp.expand_log(sp.log(left), force=True) - sp.expand_log(sp.log(right), force=True))


@cache
def finite_loss() -> Derivation:
    """The finite-r privacy loss depends on one number: L = L0 + ((r+1)/2) log(1 - q T), 0 <= T <= 1, and is bounded.

    `number`: L0, the largest loss of the "delete" direction, at `root_leverage`, `root_share`, `d`, `r`; that of
    "insert" is -L0 - ((r+1)/2) log(1-q).
    """
    z, rest = sp.Symbol("z", real=True), sp.Symbol("R", nonnegative=True)
    excess = sp.Symbol("T", nonnegative=True)
    scale, centre = (1 - q) / (1 - p), -a * w / (1 - p)
    larger = 1 + z**2 + rest
    hit = (a * z - w) ** 2
    nu = r - d + 1
    largest = ((r - d) * sp.log(1 - p) - nu * sp.log(1 - q)) / 2
    steps = (
        Step(
            "coordinates",
            "z along u = N^{-1/2} v over its length, R the squared norm of the other d-1 coordinates, in units of"
            " ||w||; x' lies at z = -sqrt(p) omega/(||w|| (1-p)), and the smaller law has the form (1-p) (z - z')^2 + R"
            " in units of W'. r >= d.",
            kind="definition",
            premises=(_REGULAR,),
        ),
        Step(
            "residual sum of squares",
            "Deleting the record takes its squared residual out of the sum: W' + ... = 1 + z^2 + R - (sqrt(p) z -"
            " w)^2.",
            lhs=scale + (1 - p) * (z - centre) ** 2 + rest,
            rhs=larger - hit,
            premises=("coordinates",),
        ),
        Step(
            "T <= 1",
            "(sqrt(p) z - w)^2 <= q (1 + z^2 + R), by Cauchy and Schwarz: T = (sqrt(p) z - w)^2/(q (1 + z^2 + R)).",
            lhs=q * larger - hit,
            rhs=sp.Integer(0),
            relation=">=",
            witness=(a + w * z) ** 2 + q * rest,
            premises=("residual sum of squares",),
        ),
        Step(
            "T = 1 is attained",
            "at z = -sqrt(p)/w, R = 0;",
            lhs=(q * larger - hit).subs({z: -a / w, rest: 0}),
            rhs=sp.Integer(0),
            premises=("T <= 1",),
        ),
        Step(
            "T = 0 is attained",
            "at z = w/sqrt(p).",
            lhs=sp.Subs(hit, z, w / a),
            rhs=sp.Integer(0),
            premises=("residual sum of squares",),
        ),
        Step(
            "normalising constants",
            "Density of the smaller law: |N'|^{1/2} W'^{-d/2} (1 + ./W')^{-(r+1)/2}; |N'|/|N| = 1-p and W'/W ="
            " (1-q)/(1-p).",
            lhs=-sp.log(1 - p) / 2 + d * sp.log(scale) / 2 - (r + 1) * sp.log(scale) / 2,
            rhs=largest,
            reduce=lambda left, right: sp.expand(_split_logs(left) - _split_logs(right)),
            premises=("coordinates",),
        ),
        Step(
            "insert",
            "The negative loss is largest at T = 1.",
            lhs=-largest - (r + 1) * sp.log(1 - q) / 2,
            rhs=-((r - d) * sp.log(1 - p) + d * sp.log(1 - q)) / 2,
            premises=("normalising constants", "T = 1 is attained"),
        ),
        Step(
            "delete",
            "The loss is largest at T = 0.",
            lhs=sp.Subs(largest + (r + 1) * sp.log(1 - q * excess) / 2, excess, 0),
            rhs=((r - d) * sp.log(1 - p) - (r - d + 1) * sp.log(1 - q)) / 2,
            premises=("normalising constants", "T = 0 is attained"),
        ),
    )
    return Derivation(
        id="least_squares.finite_loss",
        title="The privacy loss of two finite-r least-squares laws, and its maximum",
        sources=("N24-T4",),
        hypotheses=(_REGULAR,),
        steps=steps,
        result_step="delete",
        symbols={**_SYMBOLS, "d": d, "r": r},
        domain=_DOMAIN,
        faults=(
            Fault("residual added, not removed", "residual sum of squares", lambda rhs: larger + hit),
            Fault("determinant ratio dropped", "normalising constants", lambda rhs: rhs + sp.log(1 - p) / 2),
            Fault("d dropped from the insertion maximum", "insert", lambda rhs: rhs + d * sp.log(1 - q) / 2),
            Fault("bound without p", "T <= 1", lambda rhs: rhs + p * larger),
        ),
        concludes=_parts(
            {"N24-T4": _REGULAR},
            dict.fromkeys(("insert", "delete"), "the law depends on (p, q, d, r) alone, finite r >= d"),
        ),
    )


def _split_logs(expression: sp.Expr) -> sp.Expr:
    return expression.replace(sp.log((1 - q) / (1 - p)), sp.log(1 - q) - sp.log(1 - p))
