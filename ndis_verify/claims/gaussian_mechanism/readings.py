"""What the claims about calibrated Gaussian noise say at their points and on their boxes, for a second reader."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import sympy as sp

from ndis_verify.claims.reading import (
    Counter,
    Margin,
    Phi,
    Reading,
    Value,
    mills,
    never_above,
    profile,
    quantile,
    smallest_std,
)

_CONSTANT = sp.Rational(5, 4)


def _deviations(delta: Any) -> Any:
    return sp.sqrt(2 * sp.log(_CONSTANT / delta))


def _reached(epsilon: Any, delta: Any, share: Any = 1) -> Any:
    """delta at `share` of the classical std."""
    return profile(epsilon / (share * _deviations(delta)), epsilon)


def _over_target(epsilon: Any, delta: Any, squared: Any) -> Any:
    """The same over delta, `squared` the share of the variance: two Mills ratios, whose ends balls keep."""
    deviations = _deviations(delta)
    x = deviations * sp.sqrt(squared)
    half = epsilon / (2 * x)
    exponent = deviations**2 * (1 - squared) / 2 + (epsilon - half**2) / 2
    return sp.exp(exponent) * (mills(x - half) - mills(x + half)) / (_CONSTANT * sp.sqrt(2 * sp.pi))


def _share(squared: str) -> Any:
    return lambda epsilon, delta: _over_target(epsilon, delta, sp.Rational(squared))


def _circulated(epsilon: Any) -> Any:
    return sp.exp(4 * epsilon) * sp.sqrt(4 * sp.pi * epsilon) * Phi(-sp.sqrt(2 * epsilon)) - 1


def _too_many(constant: Any) -> Counter:
    """The chance that one of k answers is off by more than `constant` sqrt(ln(1/delta))/(eps std) stds."""

    def asserted(k: Any, epsilon: Any, delta: Any, beta: Any) -> tuple[Any, str, Any]:
        deviations = constant * sp.sqrt(-sp.log(delta)) / (epsilon * smallest_std(epsilon, delta))
        return 1 - (1 - 2 * Phi(-deviations)) ** k, "<=", beta

    return Counter(asserted)


def _slide_std(epsilon: Any, delta: Any) -> Any:
    level = -sp.log(delta)
    return 1 / (sp.sqrt(2 * level + 2 * epsilon) - sp.sqrt(2 * level))


def _tail_std(epsilon: Any, delta: Any) -> Any:
    z = -quantile(delta)
    return 1 / (sp.sqrt(z**2 + 2 * epsilon) - z)


READINGS: dict[tuple[str, str], Reading] = {
    ("N24-Fig7", "more than three orders at a small eps"): never_above(
        lambda epsilon, delta: delta - 1000 * _reached(epsilon, delta)
    ),
    ("N24-Fig7", "more than 40 % less noise at a small eps"): never_above(
        lambda epsilon, delta: delta - _reached(epsilon, delta, sp.Rational(3, 5))
    ),
    ("N24-Fig7", "claimed over true delta at stated points"): Value(lambda e, d: d / _reached(e, d)),
    ("N24-Fig7", "share of the classical noise that is needed"): Value(
        lambda e, d: smallest_std(e, d) * e / _deviations(d)
    ),
    ("N24-Fig7", "delta reached below delta/100"): Margin(
        lambda epsilon, delta: sp.Rational(1, 100) - _over_target(epsilon, delta, sp.Integer(1))
    ),
    ("N24-Fig7", "delta reached above delta/1000"): Margin(
        lambda epsilon, delta: _over_target(epsilon, delta, sp.Integer(1)) - sp.Rational(1, 1000)
    ),
    ("N24-Fig7", "85 % of the noise is enough"): Margin(
        lambda epsilon, delta: 1 - _share("7225/10000")(epsilon, delta)
    ),
    ("N24-Fig7", "75 % of the noise is not enough"): Margin(
        lambda epsilon, delta: _share("5625/10000")(epsilon, delta) - 1
    ),
    ("BW-Fig1-variance", "two thirds of the variance is enough"): Margin(
        lambda epsilon, delta: 1 - _share("2/3")(epsilon, delta)
    ),
    ("BW-Fig1-variance", "classical over analytic variance at stated points"): Value(
        lambda e, d: (_deviations(d) / e / smallest_std(e, d)) ** 2
    ),
    ("BW-T1-every-epsilon", "delta reached at most the target, eps from 1 to 2.5"): Margin(
        lambda epsilon, delta: 1 - _share("1")(epsilon, delta)
    ),
    ("BW-T4-range", "signs around the crossing"): Value(lambda epsilon: _circulated(epsilon)),
    ("SL-3", "no logarithm of k: 100 queries, the least noise"): _too_many(sp.Rational(Fraction(2.414213562373095))),
    ("SL-3", "ten times sqrt(k ln(1/delta))/(eps alpha): more queries"): _too_many(sp.Integer(10)),
    ("SL-2-slack", "slides' std over the smallest"): Value(lambda e, d: _slide_std(e, d) / smallest_std(e, d)),
    ("SL-2-slack", "tail's std over the smallest"): Value(lambda e, d: _tail_std(e, d) / smallest_std(e, d)),
}
