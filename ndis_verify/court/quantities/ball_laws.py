"""Quadratic polynomials of normal variables in ball arithmetic, at Fractions or at balls.

Each raises `NotExact` outside its domain.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from math import isqrt

from ndis_verify.court.quantities.exact import NotExact, Number, OutsideDomain, as_ball, monotone, rational
from ndis_verify.court.quantities.polynomials import quadratic_law
from ndis_verify.oracle.certified.engine.balls import ball, to_exact_ball
from ndis_verify.oracle.certified.generalized_chi2 import generalized_chi2_cdf


def _quadratic_cdf(a: list[Number], b: list[Number], t: Number, digits: int) -> Number:
    rational(*a, *b)
    weights, ncs, variance, shift = quadratic_law(a, b)
    if not weights and variance:  # a normal law
        return monotone(lambda x: ((ball(shift) - ball(x)) / ball(2 * variance).sqrt()).erfc() / 2, (t, 1))
    std = Fraction(isqrt(variance.numerator), isqrt(variance.denominator))
    if std**2 != variance:
        raise NotExact("the normal part's standard deviation is rational")
    law = (weights, [1] * len(weights), ncs, std, shift)
    return monotone(lambda x: to_exact_ball(generalized_chi2_cdf(*law, x, digits)), (t, 1))


def _quadratic_hinge(a: list[Number], b: list[Number], c: Number, digits: int) -> Number:
    """Pr[q < 0] - E[e^q; q < 0], the second one by the law of q under the tilted normal variables."""
    rational(*a, *b)
    if not all(x < 1 for x in a):
        raise OutsideDomain("the quadratic part is below 1")
    rests = [1 - x for x in a]
    means = [y / rest for y, rest in zip(b, rests, strict=True)]
    roots = [Fraction(isqrt(x.numerator), isqrt(x.denominator)) for x in rests]
    if any(root**2 != rest for root, rest in zip(roots, rests, strict=True)):
        raise NotExact("1 - a is the square of a rational number here")
    other, growth = -as_ball(c), as_ball(c)
    tilted = [x / rest for x, rest in zip(a, rests, strict=True)], [m / s for m, s in zip(means, roots, strict=True)]
    for y, mean, rest in zip(b, means, rests, strict=True):
        growth = growth + ball(y * mean) / 2 - ball(rest).log() / 2
    moved = sum((m * (x * m / 2 + y) for x, y, m in zip(a, b, means, strict=True)), Fraction(0))
    first, second = _quadratic_cdf(a, b, other, digits), _quadratic_cdf(*tilted, other - ball(moved), digits)
    return as_ball(first) - growth.exp() * as_ball(second)


QUANTITIES: Mapping[str, Callable[..., Number]] = {
    "quadratic_cdf": _quadratic_cdf,
    "quadratic_hinge": _quadratic_hinge,
}
