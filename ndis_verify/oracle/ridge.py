"""Ridges of random projection from the least odds (1 - p)/p of a leverage, one pair of functions for both kinds of
odds.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import mpmath

from ndis_verify.arguments import exactly, positive
from ndis_verify.enclosure import Enclosure
from ndis_verify.oracle.certified.engine.balls import ball, enclosure, working_bits
from ndis_verify.oracle.engine.decreasing_root import hull, scaled
from ndis_verify.oracle.engine.inputs import checked_calibration

LeastOdds = Callable[[int, Fraction, Fraction, int], Enclosure]


def ridge_of(least_odds: LeastOdds, norm_bound: Any, r: Any, epsilon: Any, delta: Any, digits: int) -> Enclosure:
    """l^2 times `least_odds(r, epsilon, delta, digits)`; arguments checked. Raises `InputError`, `PrecisionError`."""
    length = positive(norm_bound, "norm_bound")
    r, epsilon, delta, digits = checked_calibration("r", r, epsilon, delta, digits)
    return scaled(least_odds(int(r), epsilon, delta, digits + 1), length**2, digits)


def sampled_ridge_of(
    least_odds: LeastOdds, norm_bound: Any, rate: Any, r: Any, epsilon: Any, delta: Any, digits: int
) -> Enclosure:
    """`ridge_of` at eps' = log(1 + (e^epsilon - 1)/rate), delta' = delta/rate; exactly 0 where delta >= rate."""
    length, share = positive(norm_bound, "norm_bound"), exactly(rate, "rate", "(0, 1]")
    r, epsilon, delta, digits = checked_calibration("r", r, epsilon, delta, digits)
    if delta >= share:
        return Enclosure(mpmath.mpf(0), mpmath.mpf(0), "bound")
    with working_bits(int(digits * 3.33) + 100):
        inner = enclosure((ball(epsilon).expm1() / ball(share)).log1p())
    return ridge_between(least_odds, length, int(r), inner, delta / share, digits)


def ridge_between(
    least_odds: LeastOdds, length: Fraction, r: int, epsilon: Enclosure, delta: Fraction, digits: int
) -> Enclosure:
    """`ridge_of` where epsilon is only known to lie in an enclosure: the ridge falls as epsilon grows."""
    ends = [least_odds(r, max(eps, Fraction(0)), delta, digits + 2) for eps in (epsilon.lower, epsilon.upper)]
    return scaled(hull(ends[0], ends[1], digits), length**2, digits)
