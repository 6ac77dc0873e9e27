"""The least bound over splits and paths: it grows with the sensitivities, and is continuous where these are (N26
section 6).
"""

from __future__ import annotations

from functools import cache

import sympy as sp

from ndis_verify.symbolic.derivation import Conclusion, Derivation, Fault, Step, Use
from ndis_verify.symbolic.fact_steps import by_fact, inferred
from ndis_verify.symbolic.notation import over_envelope
from ndis_verify.symbolic.special_functions import Phi, phi
from ndis_verify.symbolic.statement_terms import quantity

zero, one = sp.Integer(0), sp.Integer(1)
_CONTINUOUS = "Delta, rho and nu are positive and continuous in v > 0"
_COV_CONTINUOUS = "cov is continuous in l, eps and s, up to oo"
_shift, _cap, _sum, _budget, _v, _at = sp.symbols("D rho nu eps v v_0", positive=True)
_farther = sp.Symbol("g", positive=True)
_wider, _more = sp.symbols("a b", nonnegative=True)
_split, _rate = sp.symbols("x s", nonnegative=True)
_cov = sp.Function("cov", nonnegative=True)
_PATHS = ("first path", "second path")
_ENDS = (_shift, _cap, _sum)
_LARGER = (_shift + _farther, _cap + _wider, _sum + _more)
_IN_V = tuple(sp.Function(name, positive=True)(_v) for name in ("Delta", "rho", "nu"))
_ENDS_ABOVE_0 = tuple(Step(f"{end.func} > 0", "as said.", end, zero, ">", end) for end in _IN_V[1:])


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
    density = phi(_shift / 2 - of_mean / _shift)
    return (
        Step(
            f"slope, {path}",
            "At any split, the slope of the mean step in the shift is a normal density,",
            lhs=sp.Derivative(_mean_step(_shift, of_mean), _shift),
            rhs=density,
        ),
        Step(f"density, {path}", "which is positive,", density, zero, ">", density),
        inferred(
            f"rises, {path}",
            "so the mean step rises with the shift.",
            sp.Derivative(_mean_step(_shift, of_mean), _shift),
            ">",
            zero,
            *(f"slope, {path}", f"density, {path}"),
        ),
        by_fact(
            f"larger shift, {path}",
            "So a larger shift costs more;",
            "a rising function at two points",
            {"f": _mean_step(_shift, of_mean), "argument": _shift, "low": _shift, "high": _LARGER[0]},
            {"rises": f"rises, {path}", "order": Step("order", "g > 0.", _LARGER[0], _shift, ">", _LARGER[0] - _shift)},
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
            "cov is a covariance term at l: the divergence at eps, at every s, or the bound of N26-L2-corrected at eps"
            " and s, oo where s (e^{l_i} - 1) >= 1 for some i. It is continuous,",
            "greatest value over an envelope, without jumps",
            {"f": _cov(of_cov, _rate), "cap": _IN_V[1], "sum": _IN_V[2], **in_v},
            {"continuous": _COV_CONTINUOUS, **dict(zip(("cap", "sum"), _ENDS_ABOVE_0, strict=True))},
            (_CONTINUOUS,),
        ),
        by_fact(
            f"covariance term without jumps, {path}",
            "and C = oo for s >= 1/(e^rho - 1), where it is no constant.",
            "least value from 0 on, without jumps",
            {"f": over_envelope(*_IN_V[1:], _cov(of_cov, _rate)), "argument": _rate, **in_v},
            {"continuous": f"supremum without jumps, {path}", "up to oo": _COV_CONTINUOUS},
        ),
        by_fact(
            f"infimum without jumps, {path}",
            "The sum is continuous in the split and in v.",
            "least value over an interval, without jumps",
            {"f": _split_sum(path, *_IN_V), "argument": _split, "high": _budget, **in_v},
            {
                "continuous": f"covariance term without jumps, {path}",
                "end": Step("eps >= 0", "eps > 0.", _budget, zero, ">=", _budget),
            },
            (_CONTINUOUS,),
        ),
    )


def _least_split_steps() -> tuple[Step, ...]:
    """delta_LC, the smaller of the two infima, grows with Delta, rho and nu, and is continuous where these are."""
    least, larger, moving = ([_least(_split_sum(path, *ends)) for path in _PATHS] for ends in (_ENDS, _LARGER, _IN_V))
    return (
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
def least_split() -> Derivation:
    """delta_LC, the least of both paths over all splits, grows with Delta, rho and nu, and is continuous where these
    are (N26-T6.1-corrected).

    `number`: the slope of the mean step in the shift, at `shift` and its part `x` of eps.
    """
    return Derivation(
        id="least_split.least_split",
        title="The least bound over splits and paths grows with the sensitivities, without jumps",
        sources=("N26-D6", "N26-T6.1"),
        hypotheses=(_CONTINUOUS, _COV_CONTINUOUS),
        steps=_least_split_steps(),
        result_step="slope, first path",
        symbols={"shift": _shift, "x": _split},
        faults=(
            Fault("slope of the wrong sign", "slope, first path", lambda rhs: -rhs),
            Fault("larger sum twice as large", "larger sum, first path", lambda rhs: rhs / 2),
            Fault("rise of the other path", "rises, second path", lambda rhs: 2 * _mean_step(_shift, _split)),
        ),
        concludes=(
            Conclusion(
                "N26-T6.1-corrected",
                "delta_LC grows",
                part=f"delta_LC grows with Delta, rho and nu, where {_CONTINUOUS}",
            ),
            Conclusion(
                "N26-T6.1-corrected",
                "delta_LC without jumps",
                part=f"delta_LC is continuous in v, where {_COV_CONTINUOUS}, and {_CONTINUOUS}",
            ),
        ),
    )
