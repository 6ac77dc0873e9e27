"""Claims about Gaussian random projection when one record is deleted or inserted."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np

from ndis_verify.claim import Claim, Verdict
from ndis_verify.court.checks import agreement, formula_check, kept
from ndis_verify.court.points import count, insertions, log_uniform, logit_uniform, projections, short
from ndis_verify.court.proof_checks import proof
from ndis_verify.court.statement_checks import stated_claim
from ndis_verify.exact_number import exact, to_mpf
from ndis_verify.fast.random_projection import rp_hockey_stick as fast_rp_hockey_stick
from ndis_verify.gaussian_pair import GaussianPair
from ndis_verify.oracle.certified.hockey_stick import hockey_stick as certified_hockey_stick
from ndis_verify.oracle.certified.random_projection import rp_hockey_stick as certified_rp_hockey_stick
from ndis_verify.oracle.leverage import leverage_scores
from ndis_verify.statements.reading import statement
from ndis_verify.statements.statement import Statement, integer, real
from ndis_verify.symbolic import chi_square_hinges, ndis_lemma
from ndis_verify.symbolic import random_linear_combination as combination
from ndis_verify.symbolic import random_projection as derived
from ndis_verify.symbolic import random_projection_curve as curve
from ndis_verify.symbolic import random_projection_order as order
from ndis_verify.symbolic import random_projection_pairs as pairs

_TAILS = "Qg(r/2, t/2) - e^eps Qg(r/2, rho t/2)"
_EDGE = {"rho": "1/(1 - p)", "t": "2 (eps + (r/2) log(rho))/(rho - 1)"}
_RECORD = ("0 < p < 1", "r >= 1", "eps >= 0")
_RATE = real("a", "0.01", "0.99", "logit"), real("c", -20, 5)


def _growing(order: str, larger: str, rows: str = "r") -> Statement:
    """The slope of the deletion curve in rho = 1/(1 - p), and what it makes of two leverages."""
    edge = f"(eps + ({rows}/2) log(rho))/(rho - 1)"
    return statement(
        f"d/drho (Qg({rows}/2, {edge}) - e^eps Qg({rows}/2, rho {edge})) = (t/rho) f_chi2({rows}; t), and {order}",
        *("rho > 1", "p >= 0", larger, "q < 1", "eps >= 0"),
        *(("r >= 1",) if rows == "r" else ()),
        where={"t": f"2 {edge}"},
        over=(real("rho", "1.001", 1000, "log"),),
    )


def _pair(leverage: float, r: int, direction: str) -> GaussianPair:
    """The r coordinates in which the two projections differ: variances 1/(1-p) (larger database) and 1, exactly."""
    larger, zero = 1 / (1 - exact(leverage)), [0] * r
    pair = GaussianPair(zero, larger, zero, 1)
    return pair if direction == "delete" else pair.swapped()


def _certified(direction: str) -> Callable[[float, int, float], Any]:
    return lambda leverage, r, epsilon: certified_hockey_stick(_pair(leverage, r, direction), epsilon, digits=25)


def _fast_check(direction: str, points):
    other = "insert" if direction == "delete" else "delete"
    return agreement(
        f"float64 closed form ({direction}) against the certified value",
        "fast, certified",
        lambda leverage, r, epsilon: fast_rp_hockey_stick(leverage, r, epsilon, direction),
        _certified(direction),
        points,
        digits=11,
        mutants={
            "direction swapped": lambda leverage, r, epsilon: fast_rp_hockey_stick(leverage, r, epsilon, other),
            "one column too many": lambda leverage, r, epsilon: fast_rp_hockey_stick(
                leverage, r + 1, epsilon, direction
            ),
        },
    )


def _databases(effort: str) -> list[tuple[np.ndarray, int, int, float]]:
    """(D, row, r, epsilon) with dense covariances D^T D of full column rank with and without the row."""
    rng = np.random.default_rng(15)
    return [
        (
            rng.integers(-9, 10, (d + 4, d)) / 4 + np.eye(d + 4, d) * 5,
            int(rng.integers(d + 4)),
            r,
            short(rng.uniform(0, 2)),
        )
        for d, r in [(1, 1), (2, 1), (2, 3), (3, 2)] * count(effort, 1, 4)
    ]


def _from_database(direction: str, sign: int = 1):
    """The divergence of the two projections as Gaussians on R^{d r}, from the database itself (N24-C2)."""

    def value(data: np.ndarray, row: int, r: int, epsilon: float):
        rest = np.delete(data, row, axis=0)
        large, small = (np.kron(np.eye(r), m.T @ m) for m in (data, rest))
        zero = np.zeros(large.shape[0])
        pair = GaussianPair(zero, large, zero, small)
        return certified_hockey_stick(pair if direction == "delete" else pair.swapped(), epsilon, digits=20)

    return value


def _from_leverage(direction: str, change: Callable[[Any], Any] = lambda p: p):
    """The same divergence from the row's exact leverage alone."""

    def value(data: np.ndarray, row: int, r: int, epsilon: float):
        # 60 digits of the leverage leave nothing to see at the 18 that are compared.
        leverage = exact(leverage_scores(data, [row], digits=60)[0].mid)
        return certified_rp_hockey_stick(change(leverage), r, epsilon, direction, digits=20)

    return value


def _database_check(direction: str):
    return agreement(
        f"the leverage alone gives the divergence of the two projected databases ({direction})",
        "certified on d x r covariances, certified closed form",
        _from_leverage(direction),
        _from_database(direction),
        _databases,
        digits=18,
        mutants={
            "leverage of the row's complement": _from_leverage(direction, lambda p: 1 - p),
            "leverage 1 % too large": _from_leverage(direction, lambda p: p + (1 - p) / 100),
        },
    )


_FORMULA_DELETE = kept(
    formula_check(
        "deletion closed form against the certified contour integral",
        derived.hockey_stick_deletion,
        _certified("delete"),
        projections,
        24,
    )
)
_FORMULA_INSERT = formula_check(
    "insertion closed form against the certified contour integral",
    derived.hockey_stick_insertion,
    _certified("insert"),
    insertions,
    24,
)
_LEMMA_PROOFS = (
    proof("privacy loss as a quadratic form", ndis_lemma.log_density_ratio),
    proof("divergence as a hinge expectation", ndis_lemma.hockey_stick),
)
_HYPOTHESES = ("D has full column rank with and without the row", "0 < p < 1", "r >= 1", "eps >= 0")
_DATABASE_DELETE, _DATABASE_INSERT = _database_check("delete"), _database_check("insert")
_FAST_DELETE, _FAST_INSERT = _fast_check("delete", projections), _fast_check("insert", insertions)
_SLOPE = formula_check(
    "derived slope against a certified difference quotient",
    order.derivative_in_leverage,
    lambda leverage, r, epsilon: _difference_quotient(leverage, r, epsilon),
    lambda effort: [point for point in projections(effort) if point[0] > 1e-3],
    digits=12,
)


def _difference_quotient(leverage: float, r: int, epsilon: float) -> mpmath.mpf:
    """Central differences in p of certified values, extrapolated once: error O(h^4)."""
    p, value = exact(leverage), certified_rp_hockey_stick

    def quotient(step: Fraction) -> mpmath.mpf:
        high, low = (value(p + s * step, r, epsilon, "delete", digits=60).mid for s in (1, -1))
        return (high - low) / (2 * to_mpf(step))

    with mpmath.workdps(60):
        step = p * (1 - p) / (10**6 * (1 + exact(r) + exact(epsilon)))
        return (4 * quotient(step) - quotient(2 * step)) / 3


def _hinge_points(effort: str, direction: str) -> list[tuple[float, float, int]]:
    """(c, |a|, r) of the projection's form: free c and a would only rename leverage and epsilon."""
    rng = np.random.default_rng(17)
    points: list[tuple[float, float, int]] = []
    while len(points) < count(effort, 12, 60):
        r = int(log_uniform(rng, 1, 60))
        if direction == "delete":
            points.append((log_uniform(rng, 1e-3, 30), log_uniform(rng, 0.01, 50), r))
        else:
            points.append((-log_uniform(rng, 1e-3, 30), logit_uniform(rng, 1e-3), r))
    return points


def _hinge_by_quadrature(c: float, scale: float, r: int, sign: int) -> mpmath.mpf:
    """E[(1 - e^{c + sign scale T/2})_+], T chi-square with r degrees of freedom, by quadrature of its density."""
    with mpmath.workdps(40):
        c, scale, half = mpmath.mpf(c), mpmath.mpf(scale), mpmath.mpf(r) / 2
        edge, factor = abs(2 * c / scale), 2 / (2**half * mpmath.gamma(half))
        # t = x^2 takes away the density's singularity at 0 for one degree of freedom.
        density = lambda x: factor * x ** (r - 1) * mpmath.exp(-x * x / 2)  # noqa: E731
        term = lambda x: -mpmath.expm1(c + sign * scale * x * x / 2) * density(x)  # noqa: E731
        start, width = mpmath.sqrt(edge), 1 / mpmath.sqrt(1 + r + edge)
        if sign < 0:
            cuts = [start, start + width, start + 4 * width, mpmath.sqrt(r + edge) + 3, start + mpmath.sqrt(r) + 20]
        else:
            cuts = mpmath.linspace(0, start, 9)
        size = density(start)  # quad's tolerance is absolute: bring the integrand to the order of 1
        return size * mpmath.quad(lambda x: term(x) / size, sorted(set(cuts)))


def _one_column(points):
    """Leverages and epsilons of `points` for one column, epsilon kept below the largest loss of an insertion."""
    return lambda effort: [(p, short(min(epsilon, float(-np.log1p(-p)) * 0.45))) for p, _, epsilon in points(effort)]


def _one_column_certified(direction: str):
    return lambda leverage, epsilon: _certified(direction)(leverage, 1, epsilon)


CLAIMS = (
    stated_claim(
        id="N26-L4",
        source="N26",
        title="closed form of random projection when a record of leverage p is deleted",
        stated=statement(
            f"delta_delete(p, r; eps) = {_TAILS}, and delta_delete(p, r; eps) >= delta_insert(p, r; eps)",
            *_RECORD,
            where=_EDGE,
        ),
        declared=Verdict.PROVED,
        checks=(
            proof("two pairs of laws", pairs.as_products),
            proof("the curve, and the order of the directions", curve.deletion_curve),
            _FORMULA_DELETE,
            _FAST_DELETE,
            _DATABASE_DELETE,
        ),
        note="In the lemma's terms A has the eigenvalue 1 - rho r times and 0 elsewhere (N24-T2).",
    ),
    stated_claim(
        id="N26-P4",
        source="N26",
        title="the deletion curve is nondecreasing in the leverage",
        stated=_growing("delta_delete(q, r; eps) >= delta_delete(p, r; eps)", "q >= p"),
        about="On [0, 1) the deletion divergence is nondecreasing in p = 1 - 1/rho; d rho/dp = rho^2.",
        declared=Verdict.PROVED,
        checks=(
            proof("two pairs of laws", pairs.as_products),
            proof("the slope", pairs.slope_in_rho),
            proof("larger leverage", pairs.grows_with_leverage),
            _SLOPE,
            _FORMULA_DELETE,
        ),
        note="At p = 0 the two laws are one and delta = 0, the limit of the formula.",
    ),
    Claim(
        id="N24-C2",
        source="N24",
        title="the projection is a Gaussian on R^{d r} with a block-diagonal covariance",
        statement=(
            "Stacking the r columns of D^T G gives N(0, blockdiag(D^T D)); the lemma applies to the two block"
            " covariances."
        ),
        formula="vec(D^T G) ~ N(0, I_r (x) D^T D)",
        hypotheses=_HYPOTHESES[:1],
        declared=Verdict.PROVED,
        checks=(proof("law of the projection", derived.projected_covariance), *_LEMMA_PROOFS, _DATABASE_DELETE),
    ),
    stated_claim(
        id="N24-T2",
        source="N24",
        title="random projection in both directions; deletion dominates",
        stated=statement(
            f"delta_delete(p, r; eps) = {_TAILS},"
            " and delta_insert(p, r; eps) = Pg(r/2, u/2) - e^eps Pg(r/2, (1 - p) u/2),"
            " and delta_delete(p, r; eps) >= delta_insert(p, r; eps)",
            *_RECORD,
            where={**_EDGE, "u": "max(0, (r log(1/(1 - p)) - 2 eps)/p)"},
        ),
        declared=Verdict.PROVED,
        checks=(
            proof("what a deletion costs", curve.deletion_curve),
            proof("what an insertion costs", curve.insertion_curve),
            _FORMULA_DELETE,
            _FORMULA_INSERT,
            _FAST_DELETE,
            _FAST_INSERT,
            _DATABASE_INSERT,
        ),
    ),
    stated_claim(
        id="N24-P1",
        source="N24",
        title="hinge expectation of a negative chi-square exponent",
        stated=statement(
            "hinge(c, -a; r) = Qg(r/2, c/a) - e^c (1 + a)^{-r/2} Qg(r/2, (1 + a) c/a)",
            *("a > 0", "c >= 0", "r >= 1"),
            over=(real("a", "0.01", 50, "log"), real("c", -5, 20), integer("r", 1, 60)),
        ),
        declared=Verdict.PROVED,
        checks=(
            proof("truncated exponential moment", chi_square_hinges.upper_expectation),
            kept(
                formula_check(
                    "closed form against quadrature of the density",
                    chi_square_hinges.upper_expectation,
                    lambda c, scale, r: _hinge_by_quadrature(c, scale, r, -1),
                    lambda effort: _hinge_points(effort, "delete"),
                    digits=15,
                ),
            ),
        ),
    ),
    stated_claim(
        id="N24-P2",
        source="N24",
        title="hinge expectation of a positive chi-square exponent",
        stated=statement(
            "hinge(c, a; r) = Pg(r/2, u) - e^c (1 - a)^{-r/2} Pg(r/2, (1 - a) u)",
            *("0 < a < 1", "r >= 1"),
            where={"u": "max(0, -c/a)"},
            over=(*_RATE, integer("r", 1, 60)),
        ),
        declared=Verdict.PROVED,
        checks=(
            proof("truncated exponential moment", chi_square_hinges.lower_expectation),
            formula_check(
                "closed form against quadrature of the density",
                chi_square_hinges.lower_expectation,
                lambda c, fraction, r: _hinge_by_quadrature(c, fraction, r, 1),
                lambda effort: _hinge_points(effort, "insert"),
                digits=15,
            ),
        ),
    ),
    stated_claim(
        id="N24-P3",
        source="N24",
        title="the deletion curve increases with the leverage",
        stated=_growing("delta_delete(q, r; eps) > delta_delete(p, r; eps)", "q > p"),
        declared=Verdict.PROVED,
        checks=(
            proof("two pairs of laws", pairs.as_products),
            proof("the slope", pairs.slope_in_rho),
            proof("strictly larger", curve.rises_strictly),
            _SLOPE,
            _FORMULA_DELETE,
        ),
    ),
    stated_claim(
        id="N24-T7",
        source="N24",
        title="random linear combination (r = 1) in both directions; deletion dominates",
        stated=statement(
            "delta_delete(p, 1; eps) = erfc(sqrt(t/2)) - e^eps erfc(sqrt(rho t/2)),"
            " and delta_insert(p, 1; eps) = erf(sqrt(u/2)) - e^eps erf(sqrt((1 - p) u/2)),"
            " and delta_delete(p, 1; eps) >= delta_insert(p, 1; eps)",
            *("0 < p < 1", "eps >= 0"),
            where={
                "rho": "1/(1 - p)",
                "t": "2 (eps + log(rho)/2)/(rho - 1)",
                "u": "max(0, (log(1/(1 - p)) - 2 eps)/p)",
            },
        ),
        declared=Verdict.PROVED,
        checks=(
            proof("deletion through erfc", combination.hockey_stick_deletion),
            proof("insertion through erf", combination.hockey_stick_insertion),
            formula_check(
                "deletion against the certified contour integral",
                combination.hockey_stick_deletion,
                _one_column_certified("delete"),
                _one_column(projections),
                digits=24,
            ),
            formula_check(
                "insertion against the certified contour integral",
                combination.hockey_stick_insertion,
                _one_column_certified("insert"),
                _one_column(insertions),
                digits=24,
            ),
        ),
    ),
    stated_claim(
        id="N24-P8",
        source="N24",
        title="hinge expectation of a negative squared normal",
        stated=statement(
            "hinge(c, -a; 1) = erfc(sqrt(c/a)) - e^c (1 + a)^{-1/2} erfc(sqrt((1 + a) c/a))",
            *("a > 0", "c >= 0"),
            over=(real("a", "0.01", 50, "log"), real("c", -5, 20)),
        ),
        declared=Verdict.PROVED,
        checks=(
            proof("one degree of freedom", combination.upper_expectation),
            proof("truncated exponential moment", chi_square_hinges.upper_expectation),
            formula_check(
                "closed form against quadrature of the density",
                combination.upper_expectation,
                lambda c, scale: _hinge_by_quadrature(c, scale, 1, -1),
                lambda effort: [(c, scale) for c, scale, _ in _hinge_points(effort, "delete")],
                digits=15,
            ),
        ),
    ),
    stated_claim(
        id="N24-P9",
        source="N24",
        title="hinge expectation of a positive squared normal",
        stated=statement(
            "hinge(c, a; 1) = erf(sqrt(u)) - e^c (1 - a)^{-1/2} erf(sqrt((1 - a) u))",
            "0 < a < 1",
            where={"u": "max(0, -c/a)"},
            over=_RATE,
        ),
        declared=Verdict.PROVED,
        checks=(
            proof("one degree of freedom", combination.lower_expectation),
            proof("truncated exponential moment", chi_square_hinges.lower_expectation),
            formula_check(
                "closed form against quadrature of the density",
                combination.lower_expectation,
                lambda c, fraction: _hinge_by_quadrature(c, fraction, 1, 1),
                lambda effort: [(c, fraction) for c, fraction, _ in _hinge_points(effort, "insert")],
                digits=15,
            ),
        ),
    ),
    stated_claim(
        id="N24-P10",
        source="N24",
        title="the random linear combination's curve increases with the leverage",
        stated=_growing("delta_delete(q, 1; eps) > delta_delete(p, 1; eps)", "q > p", "1"),
        declared=Verdict.PROVED,
        checks=(proof("the slope, and larger leverages", combination.rises_with_leverage), _SLOPE),
    ),
)
