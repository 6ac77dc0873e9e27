"""The classical std of the Gaussian mechanism beyond eps = 1: up to eps = 3 it is enough for every delta.

At eps = 16/5 the share of delta that is reached falls in c = sqrt(2 log(1.25/delta)) from less than 1 on, and a smaller
eps reaches less.
"""

from __future__ import annotations

from functools import cache

import sympy as sp

from ndis_verify.symbolic import mean_shift
from ndis_verify.symbolic.classical_gaussian_order import (
    bracket,
    c,
    closed,
    closed_form,
    delta,
    deviations,
    epsilon,
    j,
    larger,
    m,
    reached,
    reached_in_epsilon,
)
from ndis_verify.symbolic.derivation import Conclusion, Derivation, Fault, Hypothesis, Step, Use
from ndis_verify.symbolic.fact_steps import by_fact, inferred, named
from ndis_verify.symbolic.notation import below, beyond
from ndis_verify.symbolic.special_functions import as_erfc, phi
from ndis_verify.symbolic.statement_terms import quantity

h = sp.Symbol("h", nonnegative=True)
sensitivity = sp.Symbol("Delta", positive=True)
zero, one = sp.Integer(0), sp.Integer(1)
_FIRST = sp.sqrt(2 * sp.log(sp.Rational(5, 4)))  # c at delta = 1
_EPSILON = sp.Rational(16, 5)
_TURN = _EPSILON / (2 * sp.sqrt(3))  # c where eps/(2c) is sqrt 3
_AT = _FIRST * sp.exp(h)  # every c from there on
_GROWTH = sp.Rational(4, 5) * sp.exp(_AT**2 / 2)  # 1/delta
_BRACKET = bracket(_AT, _EPSILON)
_UP_TO = Hypothesis("eps <= 3", epsilon <= 3)
_BELOW_ONE = Hypothesis("delta < 1", delta < 1)


def _slope_steps() -> tuple[Step, ...]:
    """The bracket rises to c = 16/(10 sqrt 3), and falls from there on."""
    turn = sp.log(_TURN / _FIRST)
    found = []
    for name, at, power in (("before", turn - below, 2 * below), ("after", turn + beyond, -2 * beyond)):
        there = _FIRST * sp.exp(at)
        weight = 3 * _EPSILON * phi(_EPSILON / (2 * there) - there) / there**3
        slope = sp.Subs(sp.Derivative(_BRACKET, h), h, at)
        rises = name == "before"
        small, large = (zero, power) if rises else (power, zero)
        distance = Step(f"distance {name}", "It is positive.", small, large, "<=", small - large)
        found += [
            Step(
                f"slope {name}",
                f"{name.capitalize()} c = 16/(10 sqrt 3) its slope is",
                lhs=slope,
                rhs=weight * (sp.exp(power) - 1),
            ),
            by_fact(
                f"power {name}",
                "and as the exponent has one sign,",
                "exponentials keep the order",
                {"a": small, "b": large},
                {"order": distance},
            ),
            inferred(
                "rises" if rises else "falls",
                "it rises," if rises else "it falls,",
                slope,
                ">=" if rises else "<=",
                zero,
                *(f"slope {name}", Use(f"power {name}", weight=-weight if rises else weight)),
            ),
        ]
    return tuple(found)


def _share_steps() -> tuple[Step, ...]:
    """At eps = 16/5 the share of delta that is reached is at most what it is at delta = 1: less than 1."""
    start, least = _BRACKET.subs(h, 0), closed(_FIRST, _EPSILON)
    fall = least - _GROWTH * closed(_AT, _EPSILON)
    return (
        Step(
            "start",
            "At eps = 16/5, with c = sqrt(2 log 1.25) e^h, (eps/c^3) phi(eps/(2c) - c) less the closed form is positive"
            " at h = 0.",
            start,
            zero,
            ">=",
            start.rewrite(sp.erfc),
            reduce=as_erfc,
        ),
        *_slope_steps(),
        Step("end", "to 0,", lhs=sp.Limit(_BRACKET, h, sp.oo), rhs=zero),
        by_fact(
            "bracket",
            "so that it is nowhere negative.",
            "first up, then down",
            {"f": _BRACKET, "argument": h, "turn": sp.log(_TURN / _FIRST)},
            {"start": "start", "rises": "rises", "falls": "falls", "end": "end"},
        ),
        Step(
            "slope in h",
            "By a multiple of it the share of delta = 1.25 e^{-c^2/2} that is reached",
            lhs=sp.Derivative(fall, h),
            rhs=_GROWTH * _AT**2 * _BRACKET,
        ),
        inferred(
            "share falls",
            "falls in h,",
            sp.Derivative(fall, h),
            ">=",
            zero,
            *("slope in h", Use("bracket", weight=_GROWTH * _AT**2)),
        ),
        Step("share at 0", "from what it is at delta = 1:", lhs=sp.Subs(fall, h, 0), rhs=zero),
        by_fact(
            "share",
            "it is no more than that,",
            "does not fall from 0",
            {"f": fall, "argument": h},
            {"rises": "share falls", "start": "share at 0"},
        ),
        Step("below 1", "and that less than 1.", one, least, ">", 1 - least.rewrite(sp.erfc), reduce=as_erfc),
    )


@cache
def up_to_three() -> Derivation:
    """std = Delta sqrt(2 log(1.25/delta))/eps is (eps, delta)-DP for 0 < eps <= 3, 0 < delta < 1 (BW-T1-every-epsilon).

    `number`: the delta that it reaches at eps = 16/5 where delta tends to 1.
    """
    logs = sp.log(sp.Rational(5, 4)) + sp.log(1 + m)
    at = _FIRST * sp.exp(j)
    steps = (
        *_share_steps(),
        named(m, "m = 1/delta - 1.", 1 / delta - 1, "delta < 1"),
        named(j, "c = sqrt(2 log 1.25) e^j at delta.", sp.log(1 + sp.log(1 + m) / _FIRST**2 * 2) / 2, "m"),
        inferred("delta", "delta = 1/(1 + m),", delta, "=", 1 / (1 + m), "m"),
        Step("logarithms", "with log(1 + m) positive,", logs, zero, ">", logs),
        inferred(
            "log(1.25/delta)",
            "as is log(1.25/delta).",
            sp.log(sp.Rational(5, 4) / delta),
            ">",
            zero,
            *("logarithms", "delta"),
        ),
        inferred(
            "1/delta",
            "e^{c^2/2} is 1.25/delta.",
            sp.exp(at**2 / 2),
            "=",
            sp.Rational(5, 4) / delta,
            *("delta", "j"),
        ),
        inferred(
            "share of 1",
            "So the share of delta that is reached at eps = 16/5 is less than 1,",
            sp.Rational(4, 5) * sp.exp(at**2 / 2) * closed(at, _EPSILON),
            "<",
            one,
            *(Use("share", at={h: j}, weight=-1), Use("below 1", weight=-1)),
        ),
        inferred(
            "at 16/5",
            "and less than delta is reached there.",
            reached(at, _EPSILON),
            "<",
            delta,
            Use("share of 1", weight=delta),
            *(closed_form(at, _EPSILON), "1/delta"),
        ),
        Step("16/5", "3 is less,", _EPSILON, sp.Integer(3), ">", _EPSILON - 3),
        inferred("eps < 16/5", "and so is eps:", _EPSILON, ">", epsilon, "16/5", Use(_UP_TO.text, weight=-1)),
        inferred(
            "classical std",
            "it reaches less again.",
            quantity("mean_shift", epsilon / deviations(delta), epsilon),
            "<",
            delta,
            Use(
                "larger eps",
                of=reached_in_epsilon,
                at={c: at, larger: _EPSILON},
                granted={"eps < x": "eps < 16/5"},
            ),
            *("at 16/5", "delta", "j", Use("log(1.25/delta)", weight=0)),
        ),
    )
    return Derivation(
        id="classical_gaussian_range.up_to_three",
        title="The classical Gaussian mechanism is (eps, delta)-DP for eps <= 3",
        sources=("BW-T1",),
        hypotheses=(mean_shift.DEFINITE, _BELOW_ONE, _UP_TO),
        steps=steps,
        result_step="below 1",
        symbols={},
        faults=(
            Fault("half of delta", "classical std", lambda rhs: rhs / 2),
            Fault("twice what is reached", "below 1", lambda rhs: 2 * rhs),
            Fault("bracket that tends to 1", "end", lambda rhs: one),
            Fault("slope without c^2", "slope in h", lambda rhs: rhs / _AT**2),
            Fault("eps up to 4", "16/5", lambda rhs: sp.Integer(4)),
        ),
        concludes=(
            Conclusion("BW-T1-every-epsilon", "classical std", {"eps": epsilon, "delta": delta, "Delta": sensitivity}),
        ),
    )
