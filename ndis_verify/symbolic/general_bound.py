"""Gaussian-output algorithms with added noise: invariants of a pair, sensitivities, the two-step bound (N26
section 6).
"""

from __future__ import annotations

from functools import cache

import sympy as sp

from ndis_verify.symbolic.covariance_shift import more_spread_bound
from ndis_verify.symbolic.derivation import Derivation, Fault, Hypothesis, Step, Use
from ndis_verify.symbolic.eigenvalue_steps import eigenvalue_steps
from ndis_verify.symbolic.fact_steps import by_fact
from ndis_verify.symbolic.notation import held, over_envelope
from ndis_verify.symbolic.privacy_loss import triangle
from ndis_verify.symbolic.special_functions import Phi, phi
from ndis_verify.symbolic.statement_terms import quantity

epsilon, e1 = sp.symbols("epsilon e1", nonnegative=True)
zero, one = sp.Integer(0), sp.Integer(1)
_BOTH_ORDERS = (
    "||S1^{-1/2} (m1 - m2)||^2 <= Delta^2",
    "||S2^{-1/2} (m1 - m2)||^2 <= Delta^2",
)  # Delta is a supremum over ordered pairs


@cache
def additive_noise() -> Derivation:
    """mu + S^{1/2} z ~ N(mu, S), and adding an independent N(0, N) gives N(mu, S + N) (N26-D3, N26-D4).

    `number`: the variance `variance` + `added` of one coordinate.
    """
    variance, added = sp.symbols("S N", positive=True)
    t, mu, w = sp.symbols("t mu w", real=True)
    a, b, c, na, nb, nc, u1, u2 = sp.symbols("a b c n_a n_b n_c u1 u2", real=True)
    u = sp.Matrix([u1, u2])
    cov, noise = sp.Matrix([[a, b], [b, c]]), sp.Matrix([[na, nb], [nb, nc]])
    root = sp.sqrt(variance)
    form = lambda m: (u.T * m * u)[0, 0] / 2  # noqa: E731
    tilted = sp.exp(t * (mu + root * w)) * phi(w)
    closed = sp.exp(t * mu + t**2 * variance / 2)
    definite, semidefinite = sp.Symbol("p", positive=True), sp.Symbol("q", nonnegative=True)  # two forms at u
    steps = (
        Step(
            "law",
            "E exp(t (mu + sqrt(S) w)), w standard normal: completing the square,",
            lhs=tilted,
            rhs=closed * phi(w - t * root),
        ),
        Step(
            "mass",
            "and phi shifted has mass 1: the moment generating function of N(mu, S), which determines the law"
            " (Cramer-Wold for vectors).",
            lhs=sp.Limit(Phi(w), w, sp.oo) - sp.Limit(Phi(w), w, -sp.oo),
            rhs=one,
        ),
        Step(
            "independent noise",
            "The moment generating functions multiply:",
            lhs=sp.log(closed) + t**2 * added / 2,
            rhs=t * mu + t**2 * (variance + added) / 2,
            reduce=lambda left, right: sp.expand(sp.expand_log(left, force=True) - right),
        ),
        Step(
            "in two coordinates",
            "covariance matrices add in every direction u.",
            lhs=form(cov) + form(noise),
            rhs=form(cov + noise),
        ),
        Step(
            "positive definite",
            "A and b need S + N > 0 in both databases, which N > 0 or S > 0 gives: where the one form is positive at u"
            " and the other is not negative, so is their sum.",
            lhs=definite + semidefinite,
            rhs=zero,
            relation=">",
            witness=definite + semidefinite,
        ),
        Step(
            "variance",
            "of one coordinate.",
            lhs=sp.Derivative(t * mu + t**2 * variance / 2 + t**2 * added / 2, (t, 2)),
            rhs=variance + added,
        ),
    )
    return Derivation(
        id="general_bound.additive_noise",
        title="Gaussian outputs with added Gaussian noise",
        sources=("N26-D3", "N26-D4"),
        hypotheses=("S_D >= 0", "N >= 0", "noise independent of the output"),
        steps=steps,
        result_step="variance",
        symbols={"variance": variance, "added": added},
        faults=(
            Fault("standard deviations added", "variance", lambda rhs: (root + sp.sqrt(added)) ** 2),
            Fault("square not completed", "law", lambda rhs: rhs * sp.exp(t)),
            Fault("covariance of the noise lost", "in two coordinates", lambda rhs: form(cov)),
        ),
        covers={"N26-D3": "whole", "N26-D4": "whole"},
    )


@cache
def invariants() -> Derivation:
    """c of N26-L1 is `(1/2) sum [log(1 - a_i) - b_i^2/(1 - a_i)]`: the divergence depends on the pair through (A, b)
    (N26-Pr6).

    `number`: one coordinate's c at eigenvalue `lam` = 1 - a and `b`.
    """
    lam, first, second = sp.symbols("lambda s1 s2", positive=True)
    b, gap, v1, v2 = sp.symbols("b h v1 v2", real=True)
    ratio = first / second
    c_printed = sp.log(first / second) / 2 - gap**2 / second / 2
    b_printed = -sp.sqrt(first) * gap / second
    steps = (
        Step(
            "one coordinate", "S1 = s1, S2 = s2, mu1 - mu2 = h: 1 - a = s1/s2, b = -sqrt(s1) h/s2.", kind="definition"
        ),
        Step(
            "c from a and b",
            "the definition of c against the invariants.",
            lhs=c_printed,
            rhs=sp.log(ratio) / 2 - held(b_printed) ** 2 / held(ratio) / 2,
        ),
        Step(
            "in the eigenbasis",
            "det S1/det S2 = det(I - A) = prod (1 - a_i) and (mu1-mu2)^T S2^{-1} (mu1-mu2) = b^T (I - A)^{-1} b, so c"
            " is a sum over coordinates.",
            kind="argument",
        ),
        Step(
            "two coordinates",
            "b^T (I - A)^{-1} b with b = -S1^{1/2} S2^{-1} h, I - A = S1^{1/2} S2^{-1} S1^{1/2}: the roots cancel, here"
            " with S1 = diag(s1, s2)^2 and S2^{-1} = W.",
            lhs=_quadratic(first, second, v1, v2)[0],
            rhs=_quadratic(first, second, v1, v2)[1],
        ),
        Step(
            "rotation",
            "Any other eigenbasis rotates b inside eigenspaces, and Z ~ N(0, I) is rotation invariant: delta is a"
            " function of A and b, N26-L1 with this c.",
            kind="argument",
        ),
        Step(
            "c",
            "one coordinate.",
            lhs=sp.Subs(c_printed, (first, gap), (lam * second, -b * second / sp.sqrt(lam * second))),
            rhs=sp.log(lam) / 2 - b**2 / (2 * lam),
        ),
    )
    return Derivation(
        id="general_bound.invariants",
        title="The invariants of a Gaussian pair",
        sources=("N26-Pr6",),
        hypotheses=("S1 + N and S2 + N positive definite",),
        steps=steps,
        result_step="c",
        symbols={"lam": lam, "b": b},
        faults=(
            Fault("b^2 not divided by 1 - a", "c", lambda rhs: sp.log(lam) / 2 - b**2 / 2),
            Fault("determinant ratio upside down", "c from a and b", lambda rhs: rhs - sp.log(ratio)),
            Fault("second form doubled", "two coordinates", lambda rhs: 2 * rhs + 1),
        ),
        covers={"N26-Pr6": "whole"},
    )


def _quadratic(first: sp.Expr, second: sp.Expr, v1: sp.Expr, v2: sp.Expr) -> tuple[sp.Expr, sp.Expr]:
    """b^T (I - A)^{-1} b and h^T S2^{-1} h for S1^{1/2} = diag(s1, s2), S2^{-1} = [[2, 1], [1, 3]], h = (v1, v2)."""
    root, inverse, h = sp.diag(first, second), sp.Matrix([[2, 1], [1, 3]]), sp.Matrix([v1, v2])
    b = -root * inverse * h
    return (b.T * (root * inverse * root).inv() * b)[0, 0], (h.T * inverse * h)[0, 0]


@cache
def sensitivities_in_variance() -> Derivation:
    """Delta, rho and nu of S + v I are nonincreasing and continuous in v > 0; both orders of a pair share them (N26-D5,
    N26-T6.1).

    `number`: (a+v)/(b+v) at `a` >= `b` and `v`, a Rayleigh ratio of the two covariances.
    """
    b, gap, v = sp.symbols("b g v", positive=True)
    a = b + gap
    ratio = (a + v) / (b + v)
    h, lam = sp.Symbol("h", positive=True), sp.Symbol("lambda", positive=True)
    n, x = sp.symbols("n x", positive=True)
    Delta = sp.Symbol("Delta", nonnegative=True)
    in_first, in_second = sp.symbols("h_1 h_2", nonnegative=True)  # (m1 - m2)^T S^{-1} (m1 - m2), S = S1 and S2
    steps = (
        Step(
            "swapping the pair",
            "The eigenvalues of the swapped pair are 1/lambda: |log| is the same.",
            lhs=sp.log(1 / lam) ** 2,
            rhs=sp.log(lam) ** 2,
        ),
        by_fact(
            "mean shift",
            "Delta bounds the shift of both orders of a pair, in the covariance of either law, and so in the smaller"
            " covariance, where it is the larger of the two.",
            "larger of two numbers",
            {"one": in_first, "other": in_second, "bound": Delta**2},
            {"one": _BOTH_ORDERS[0], "other": _BOTH_ORDERS[1]},
        ),
        Step(
            "Delta",
            "In an eigenvector of S with eigenvalue b: h^2/(b+v) falls in v,",
            lhs=sp.diff(h**2 / (b + v), v),
            rhs=zero,
            relation="<",
            witness=-(h**2) / (b + v) ** 2,
        ),
        Step(
            "Delta, no jumps",
            "and its logarithm by at most 1/v per unit: one rate for all pairs, so a supremum over pairs keeps it on v"
            " > 0.",
            lhs=-sp.diff(sp.log(h**2 / (b + v)), v),
            rhs=1 / v,
            relation="<",
            witness=-b / (v * (b + v)),
        ),
        Step(
            "Rayleigh ratio",
            "x^T(S1 + vI)x / x^T(S2 + vI)x = (a+v)/(b+v), a >= b, for |x| = 1: falls in v,",
            lhs=sp.diff(ratio, v),
            rhs=zero,
            relation="<",
            witness=-gap / (b + v) ** 2,
        ),
        *eigenvalue_steps(a, b, gap, v),
        Step("order kept", "S1 + vI >= S2 + vI exactly when S1 >= S2.", lhs=held(a + v) - held(b + v), rhs=gap),
        Step(
            "rho, no jumps",
            "log of the ratio falls by at most 1/v per unit: again one rate for all pairs (d/v for nu).",
            lhs=-sp.diff(sp.log(ratio), v),
            rhs=1 / v,
            relation="<",
            witness=-(b / (v * (b + v)) + 1 / (a + v)),
        ),
        Step(
            "limits of one pair",
            "all three tend to 0 as v grows;",
            lhs=sp.Limit(sp.log(ratio), v, sp.oo) + sp.Limit(h**2 / (b + v), v, sp.oo),
            rhs=zero,
        ),
        Step(
            "limits of the supremum",
            "over all pairs where a - b and h are bounded: log ratio <= (a - b)/v, h^2/(b+v) <= h^2/v.",
            lhs=gap / v - (ratio - 1),
            rhs=zero,
            relation=">",
            witness=gap * b / (v * (b + v)),
        ),
        Step(
            "unbounded covariances",
            "Without that bound the supremum need not fall: at b = gap = n v, for every v, the ratio",
            lhs=ratio.subs({b: n * v, gap: n * v}),
            rhs=1 + n / (1 + n),
        ),
        Step(
            "logarithm",
            "log(1 + x) <= x.",
            lhs=sp.diff(x - sp.log(1 + x), x),
            rhs=zero,
            relation=">",
            witness=x / (1 + x),
        ),
        Step("ratio", "as used.", lhs=1 + gap / (b + v), rhs=ratio),
    )
    return Derivation(
        id="general_bound.sensitivities_in_variance",
        title="Sensitivities fall with the added variance",
        sources=("N26-D5", "N26-T6.1"),
        hypotheses=(
            "v > 0",
            "sensitivities finite for every v > 0",
            *(Hypothesis(text, at <= Delta**2) for text, at in zip(_BOTH_ORDERS, (in_first, in_second), strict=True)),
            "covariances of each pair comparable",
            "for the limits: |S1 - S2| and |mu1 - mu2| bounded over all pairs",
        ),
        steps=steps,
        result_step="ratio",
        symbols={"b": b, "gap": gap, "v": v},
        faults=(
            Fault("ratio upside down", "ratio", lambda rhs: 1 / rhs),
            Fault("order reversed", "order kept", lambda rhs: -rhs),
            Fault("one logarithm", "swapping the pair", lambda rhs: sp.log(lam) * sp.Abs(sp.log(lam)) + 1),
            Fault("limit of the shift", "limits of one pair", lambda rhs: one),
        ),
        covers={"N26-D5": "whole", "N26-T6.1": "monotone, continuous and vanishing sensitivities"},
    )


_CONTINUOUS = "Delta, rho and nu are positive and continuous in v > 0"
_shift, _cap, _sum, _budget, _v, _at = sp.symbols("D rho nu eps v v_0", positive=True)
_farther = sp.Symbol("g", positive=True)
_wider, _more = sp.symbols("a b", nonnegative=True)
_split, _rate = sp.symbols("x s", nonnegative=True)
_cov = sp.Function("cov", nonnegative=True)
_PATHS = ("first path", "second path")
_ENDS = (_shift, _cap, _sum)
_LARGER = (_shift + _farther, _cap + _wider, _sum + _more)
_IN_V = tuple(sp.Function(name, positive=True)(_v) for name in ("Delta", "rho", "nu"))


def _mean_step(shift: sp.Expr, e: sp.Expr) -> sp.Expr:
    return Phi(shift / 2 - e / shift) - sp.exp(e) * Phi(-shift / 2 - e / shift)


def _covariance_step(cap: sp.Expr, total: sp.Expr, e: sp.Expr) -> sp.Expr:
    """C: the infimum over s of the supremum over the envelope."""
    return quantity("inf", zero, sp.oo, sp.Lambda(_rate, over_envelope(cap, total, _cov(e, _rate))))


def _parts(path: str) -> tuple[sp.Expr, sp.Expr, sp.Expr, sp.Expr]:
    """Of a path: what the mean step and the covariance step have of eps, and their factors."""
    rest = _budget - _split
    return (_split, rest, one, sp.exp(_split)) if path == "first path" else (rest, _split, sp.exp(_split), one)


def _split_sum(path: str, shift: sp.Expr, cap: sp.Expr, total: sp.Expr) -> sp.Expr:
    of_mean, of_cov, mean_factor, cov_factor = _parts(path)
    return mean_factor * _mean_step(shift, of_mean) + cov_factor * _covariance_step(cap, total, of_cov)


def _least(f: sp.Expr) -> sp.Expr:
    return quantity("inf", zero, _budget, sp.Lambda(_split, f))


def _order_steps(path: str) -> tuple[Step, ...]:
    """At every split, and so for their infimum: a larger shift and a larger envelope have the larger sum."""
    of_mean, of_cov, mean_factor, cov_factor = _parts(path)
    covariances = [over_envelope(*ends, _cov(of_cov, _rate)) for ends in (_ENDS[1:], _LARGER[1:])]
    sums = [_split_sum(path, *ends) for ends in (_ENDS, _LARGER)]
    return (
        Step(
            f"slope, {path}",
            "At any split, the mean step rises with the shift.",
            lhs=sp.Derivative(_mean_step(_shift, of_mean), _shift),
            rhs=zero,
            relation=">",
            witness=phi(_shift / 2 - of_mean / _shift),
        ),
        by_fact(
            f"larger shift, {path}",
            "So a larger shift costs more;",
            "a rising function at two points",
            {"f": _mean_step(_shift, of_mean), "argument": _shift, "low": _shift, "high": _LARGER[0]},
            {"rises": f"slope, {path}", "order": Step("order", "g > 0.", _LARGER[0], _shift, ">", _LARGER[0] - _shift)},
        ),
        by_fact(
            f"larger envelope, {path}",
            "a larger envelope has the larger supremum, at every s,",
            "a supremum over a larger envelope",
            {
                "f": _cov(of_cov, _rate),
                "cap": _cap,
                "larger cap": _LARGER[1],
                "sum": _sum,
                "larger sum": _LARGER[2],
            },
            {
                "cap": Step("cap", "a >= 0.", _cap, _LARGER[1], "<=", _cap - _LARGER[1]),
                "sum": Step("sum", "b >= 0.", _sum, _LARGER[2], "<=", _sum - _LARGER[2]),
            },
        ),
        by_fact(
            f"larger covariance term, {path}",
            "and so the larger covariance term.",
            "infima over an interval keep the order",
            {"f": covariances[0], "g": covariances[1], "argument": _rate, "high": sp.oo},
            {"pointwise": f"larger envelope, {path}"},
        ),
        Step(
            f"larger sum, {path}",
            "The sum is the larger one,",
            lhs=sums[0],
            rhs=sums[1],
            relation="<=",
            kind="inference",
            premises=(
                Use(f"larger shift, {path}", weight=mean_factor),
                Use(f"larger covariance term, {path}", weight=cov_factor),
            ),
        ),
        by_fact(
            f"larger infimum, {path}",
            "and its infimum over the splits.",
            "infima over an interval keep the order",
            {"f": sums[0], "g": sums[1], "argument": _split, "high": _budget},
            {"pointwise": f"larger sum, {path}"},
        ),
    )


def _continuity_steps(path: str) -> tuple[Step, ...]:
    """The infimum over splits is continuous in v, as C is."""
    of_cov = _parts(path)[1]
    in_v = {"parameter": _v, "at": _at}
    return (
        by_fact(
            f"supremum without jumps, {path}",
            "cov is continuous,",
            "greatest value over an envelope, without jumps",
            {"f": _cov(of_cov, _rate), "cap": _IN_V[1], "sum": _IN_V[2], **in_v},
            {"continuous": "cov", "ends": _CONTINUOUS},
        ),
        by_fact(
            f"covariance term without jumps, {path}",
            "and C = oo for s >= 1/(e^rho - 1), where it is no constant.",
            "least value over an interval, without jumps",
            {
                "f": over_envelope(*_IN_V[1:], _cov(of_cov, _rate)),
                "argument": _rate,
                "high": sp.oo,
                **in_v,
            },
            {"continuous": f"supremum without jumps, {path}"},
        ),
        by_fact(
            f"infimum without jumps, {path}",
            "The sum is continuous in the split and in v.",
            "least value over an interval, without jumps",
            {"f": _split_sum(path, *_IN_V), "argument": _split, "high": _budget, **in_v},
            {"continuous": f"covariance term without jumps, {path}"},
        ),
    )


def _least_split_steps() -> tuple[Step, ...]:
    """delta_LC, the smaller of the two infima, grows with Delta, rho and nu, and is continuous where these are."""
    least, larger, moving = ([_least(_split_sum(path, *ends)) for path in _PATHS] for ends in (_ENDS, _LARGER, _IN_V))
    return (
        Step(
            "cov",
            "cov(e, s) is a covariance term at l: the divergence at e, at every s, or the bound of N26-L2-corrected at"
            " e and s, oo where s (e^{l_i} - 1) >= 1 for some i. Either is continuous in l, e and s.",
            kind="definition",
        ),
        *(step for path in _PATHS for step in _order_steps(path)),
        by_fact(
            "delta_LC grows",
            "So does the smaller of the two grow with Delta, rho and nu.",
            "the smaller of two keeps the order",
            dict(zip(("one", "other", "larger one", "larger other"), (*least, *larger), strict=True)),
            dict(zip(("one", "other"), (f"larger infimum, {path}" for path in _PATHS), strict=True)),
        ),
        *(step for path in _PATHS for step in _continuity_steps(path)),
        by_fact(
            "delta_LC without jumps",
            "Where these are continuous, so is it.",
            "the smaller of two, without jumps",
            {"one": moving[0], "other": moving[1], "parameter": _v, "at": _at},
            dict(zip(("one", "other"), (f"infimum without jumps, {path}" for path in _PATHS), strict=True)),
        ),
    )


@cache
def split_bound() -> Derivation:
    """`delta <= min(delta_m(e1) + e^{e1} C(e2), C(e1) + e^{e1} delta_m(e2))`, e1 + e2 = eps (N26-T4.2-corrected).

    delta_m: N26-P1 at the mean shift in the smaller covariance; C: any bound on both directions of the covariance step.
    `number`: the first sum at `shift`, `cov_term`, `epsilon` (whole) and `e1` > 0.
    """
    shift, cov_term, whole = sp.symbols("D C eps", positive=True)
    e = sp.Symbol("e1", positive=True)
    small, extra, h = sp.symbols("s g h", positive=True)
    x, y, slack = sp.symbols("x y k", nonnegative=True)
    three, bounded = triangle().step("bound"), more_spread_bound()
    mean = Phi(shift / 2 - e / shift) - sp.exp(e) * Phi(-shift / 2 - e / shift)
    steps = (
        Step(
            "first path",
            "P = N(m1, S1), R = N(m2, S1), Q = N(m2, S2): mean step in S1, then covariance step S1 to S2.",
            kind="definition",
        ),
        Step("second path", "R = N(m1, S2): covariance step first, then mean step in S2.", kind="definition"),
        *(
            Step(
                f"triangle on the {path}",
                "delta_{P,Q}(e1+e2) <= delta_{P,R}(e1) + e^{e1} delta_{R,Q}(e2).",
                lhs=three.lhs,
                rhs=three.rhs,
                relation=three.relation,
                kind="inference",
                premises=(Use(three.name, of=triangle, granted={triangle().given[0]: path}),),
            )
            for path in ("first path", "second path")
        ),
        Step(
            "smaller covariance",
            "The shift h^2/s in the smaller covariance is at least the shift in either,",
            lhs=h**2 / small,
            rhs=h**2 / (small + extra),
            relation=">",
            witness=h**2 * extra / (small * (small + extra)),
        ),
        Step(
            "mean step grows with the shift",
            "and N26-P1 increases in it: its slope is phi(D/2 - e/D) > 0.",
            lhs=sp.diff(mean, shift),
            rhs=phi(shift / 2 - e / shift),
        ),
        *(
            Step(
                f"covariance step, {name}",
                "C is a bound in both directions, as this one, or the greater of the exact two.",
                lhs=bounded.step(name).lhs,
                rhs=bounded.step(name).rhs,
                relation="<=",
                kind="inference",
                premises=(Use(name, of=more_spread_bound),),
            )
            for name in ("the more spread law first", "the other direction")
        ),
        Step(
            "monotone in the parts",
            "Replacing the two terms by bounds x + k >= x, y can only raise the sum.",
            lhs=(x + slack) + sp.exp(e) * y,
            rhs=x + sp.exp(e) * y,
            relation=">=",
            witness=slack,
        ),
        *_least_split_steps(),
        Step("sum", "First path.", lhs=mean - sp.exp(e) * held(-cov_term), rhs=mean + sp.exp(e) * cov_term),
    )
    return Derivation(
        id="general_bound.split_bound",
        title="Mean step and covariance step by the triangle inequality",
        sources=("N26-T4.2", "N26-D6"),
        hypotheses=("S1 >= S2 or S1 <= S2", "e1 + e2 = eps, e1, e2 >= 0", _CONTINUOUS, *bounded.hypotheses),
        steps=steps,
        result_step="sum",
        symbols={"shift": shift, "cov_term": cov_term, "e1": e},
        faults=(
            Fault("factor e^{e1} dropped", "sum", lambda rhs: mean + cov_term),
            Fault("shift in the larger covariance", "smaller covariance", lambda rhs: 2 * h**2 / small),
            Fault("slope of the wrong sign", "mean step grows with the shift", lambda rhs: -rhs),
            Fault("larger sum twice as large", "larger sum, first path", lambda rhs: rhs / 2),
        ),
        covers={"N26-T4.2": "corrected, and as printed for S1 <= S2", "N26-D6": "corrected"},
    )
