"""Where the threshold in circulation of the noise floor stops being valid, to seven digits (BW-T4-range)."""

from __future__ import annotations

from functools import cache

import sympy as sp

from ndis_verify.symbolic.derivation import Conclusion, Derivation, Fault, Hypothesis, Step, Use
from ndis_verify.symbolic.fact_steps import by_fact, inferred
from ndis_verify.symbolic.mills_ratio import mills_steps, x
from ndis_verify.symbolic.special_functions import Phi, as_erfc

epsilon, a, b = sp.symbols("epsilon a b", positive=True)
zero, one = sp.Integer(0), sp.Integer(1)
_LAST, _FIRST = sp.Rational(216282, 10**6), sp.Rational(216283, 10**6)
_BELOW, _ABOVE = sp.Rational(2162821, 10**7), sp.Rational(2162822, 10**7)  # around the crossing
UP_TO, FROM = Hypothesis("a <= 0.216282", a <= _LAST), Hypothesis("b >= 0.216283", b >= _FIRST)


def ratio(at: sp.Expr) -> sp.Expr:
    """At most 1 exactly where the threshold is valid."""
    return sp.exp(4 * at) * sp.sqrt(4 * sp.pi * at) * Phi(-sp.sqrt(2 * at))


def _decimal(name: str, why: str, larger: sp.Expr, smaller: sp.Expr) -> Step:
    gap = (larger - smaller).rewrite(sp.erfc)
    return Step(name, why, larger, smaller, ">", gap, reduce=as_erfc)


def _order(name: str, high: sp.Expr, low: sp.Expr, *premises: str | Use) -> Step:
    return inferred(name, "In this order.", high, ">", low, *premises)


@cache
def crossing() -> Derivation:
    """e^{4 eps} sqrt(4 pi eps) Phi(-sqrt(2 eps)) is below 1 up to 0.216282 and above it from 0.216283 on.

    `number`: that product at `epsilon`.
    """
    root = sp.sqrt(2 * epsilon)
    weight = sp.sqrt(2 * sp.pi) * sp.exp(4 * epsilon) / root
    rest = weight * 6 * epsilon * Phi(-root)
    rises = {"f": ratio(epsilon), "argument": epsilon}
    steps = (
        *mills_steps()[3:],  # the lower bound
        Step("rest", "At x = sqrt(2 eps) the slope has a positive term", rest, zero, ">", rest),
        inferred(
            "rises",
            "and one that is positive by the lower Mills bound.",
            sp.Derivative(ratio(epsilon), epsilon),
            ">",
            zero,
            *(Use("lower Mills bound", at={x: root}, weight=weight * (1 + 2 * epsilon)), "rest"),
        ),
        _decimal("digits below", "A number in between,", _BELOW, _LAST),
        _order("a below", _BELOW, a, "digits below", Use(UP_TO.text, weight=-1)),
        by_fact(
            "up to it",
            "at which the product is larger",
            "a rising function at two points",
            {**rises, "low": a, "high": _BELOW},
            {"rises": "rises", "order": "a below"},
        ),
        _decimal("value below", "and below 1.", one, ratio(_BELOW)),
        inferred(
            "below", "So it is below 1 up to there.", ratio(a), "<", one, "up to it", Use("value below", weight=-1)
        ),
        _decimal("digits above", "Another one,", _FIRST, _ABOVE),
        _order("b above", b, _ABOVE, "digits above", Use(FROM.text)),
        by_fact(
            "from it on",
            "at which the product is smaller",
            "a rising function at two points",
            {**rises, "low": _ABOVE, "high": b},
            {"rises": "rises", "order": "b above"},
        ),
        _decimal("value above", "and above 1.", ratio(_ABOVE), one),
        inferred(
            "above", "So it is above 1 from there on.", ratio(b), ">", one, Use("from it on", weight=-1), "value above"
        ),
    )
    names = {"a": a, "b": b}
    return Derivation(
        id="circulated_threshold.crossing",
        title="Where the threshold in circulation stops being valid",
        sources=("BW-T4",),
        hypotheses=(UP_TO, FROM),
        steps=steps,
        result_step="value below",
        symbols={},
        faults=(
            Fault("crossing at a tenth more", "value below", lambda rhs: ratio(_BELOW * sp.Rational(11, 10))),
            Fault("at the other digits", "value below", lambda rhs: ratio(_ABOVE)),
            Fault("above 2", "value above", lambda rhs: 2 * rhs),
            Fault("up to the other end", "digits below", lambda rhs: _FIRST),
            Fault("a steeper rise", "rises", lambda rhs: rhs + 1),
        ),
        concludes=(Conclusion("BW-T4-range", "below", names), Conclusion("BW-T4-range", "above", names)),
    )
