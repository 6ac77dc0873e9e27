"""What the claims about calibrated Gaussian noise say at their points and on their boxes, for a second reader."""

from __future__ import annotations

from typing import Any

import sympy as sp

from ndis_verify.claims.reading import (
    Margin,
    Reading,
    Value,
    mills,
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


def _slide_std(epsilon: Any, delta: Any) -> Any:
    level = -sp.log(delta)
    return 1 / (sp.sqrt(2 * level + 2 * epsilon) - sp.sqrt(2 * level))


def _tail_std(epsilon: Any, delta: Any) -> Any:
    z = -quantile(delta)
    return 1 / (sp.sqrt(z**2 + 2 * epsilon) - z)


READINGS: dict[tuple[str, str], Reading] = {
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
    ("SL-2-slack", "slides' std over the smallest"): Value(lambda e, d: _slide_std(e, d) / smallest_std(e, d)),
    ("SL-2-slack", "tail's std over the smallest"): Value(lambda e, d: _tail_std(e, d) / smallest_std(e, d)),
}
