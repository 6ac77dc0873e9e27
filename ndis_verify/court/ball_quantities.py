"""The package's quantities in ball arithmetic, at Fractions or at balls; each raises `NotExact` outside its domain.

An argument that is a ball is met at its two rational ends where the quantity is monotone in it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from math import isqrt
from typing import Any

from flint import arb

from ndis_verify.court.float_quantities import quadratic_law
from ndis_verify.oracle.certified.engine.balls import ball, enclosure, to_exact_ball
from ndis_verify.oracle.certified.engine.spectrum import from_groups
from ndis_verify.oracle.certified.generalized_chi2 import generalized_chi2_cdf
from ndis_verify.oracle.certified.hockey_stick import spectrum_hockey_stick
from ndis_verify.oracle.certified.least_squares.finite_law import als_exact_hockey_stick

Number = Any  # a Fraction where the value is rational, else an arb
_DEEPEST = 20_000  # what is asked of the contour integral is of the order of e^-10000 and above: it takes a second
_OVERSHOOT = Fraction(1, 2**20)
_MOST_ROWS = 10**5


class NotExact(ArithmeticError):
    """A quantity of the package is asked for at a number that is not rational, or outside its domain."""


def as_ball(value: Number) -> arb:
    return ball(value) if isinstance(value, (Fraction, int)) else value


def _ends(value: Number) -> tuple[Fraction, Fraction]:
    if isinstance(value, Fraction):
        return value, value
    if not value.is_finite():
        raise NotExact("an argument is not finite")
    found = enclosure(value)
    return found.lower, found.upper


def _monotone(function: Callable[..., Number], *directed: tuple[Number, int]) -> Number:
    """A function that is monotone in each of its arguments (direction 1 or -1), on balls, from two corners."""
    ends = [_ends(value)[::way] for value, way in directed]
    least = function(*(low for low, _ in ends))
    if all(low == high for low, high in ends):
        return least
    return as_ball(least).union(as_ball(function(*(high for _, high in ends))))


def _pair_at(groups: Sequence[tuple[Fraction, int, Fraction]], epsilon: Fraction, digits: int) -> Number:
    """The divergence of the pair with relative eigenvalues, multiplicities and squared mean shifts."""
    merged: dict[Fraction, tuple[int, Fraction]] = {}
    for lam, count, square in groups:
        before = merged.get(lam, (0, Fraction(0)))
        merged[lam] = before[0] + count, before[1] + square
    kept = [(lam - 1, count, square) for lam, (count, square) in sorted(merged.items()) if lam != 1 or square]
    if not kept:
        return Fraction(0) if epsilon >= 0 else -as_ball(epsilon).expm1()
    reach = max(abs(alpha) for alpha, _, _ in kept)
    shift = sum(square for _, _, square in kept)
    if epsilon**2 > _DEEPEST * shift and abs(epsilon) > _DEEPEST * reach:
        raise NotExact("a tail that lies deeper than is enclosed here")
    return to_exact_ball(spectrum_hockey_stick(from_groups(kept), epsilon, digits))


def _pair(groups: Sequence[tuple[Fraction, int, Fraction]], epsilon: Number, digits: int) -> Number:
    """The same at a ball of epsilon, in which it falls."""
    return _monotone(lambda eps: _pair_at(groups, eps, digits), (epsilon, -1))


def _rational(*values: Number) -> None:
    if not all(isinstance(value, Fraction) for value in values):
        raise NotExact("the divergence of a pair takes rational numbers")


def _whole(*values: Number) -> None:
    if not all(isinstance(v, Fraction) and v.denominator == 1 and v >= 1 for v in values):
        raise NotExact("multiplicities and sizes are whole and positive")


def _mean_shift(shift: Number, epsilon: Number, digits: int) -> Number:
    """Monotone in both: in eps by the definition, in D because scaling and adding noise bring D down."""
    low, high = _ends(shift)
    if -high * _OVERSHOOT <= low < 0 and not isinstance(shift, Fraction):  # a ball of [0, high], rounded outward
        low, shift = Fraction(0), ball(Fraction(0)).union(ball(high))
    if low < 0:
        raise NotExact(f"no distance of means is {float(low)}")
    at = lambda d, eps: _pair_at([(Fraction(1), 1, max(d, Fraction(0)) ** 2)], eps, digits)  # noqa: E731
    return _monotone(at, (shift, 1), (epsilon, -1))


def _centred(lams: list[Number], counts: list[Number], epsilon: Number, digits: int, reverse: bool = False) -> Number:
    _rational(*lams)
    _whole(*counts)
    if not all(lam > 0 for lam in lams):
        raise NotExact("eigenvalues are positive")
    groups = [(1 / lam if reverse else lam, int(k), Fraction(0)) for lam, k in zip(lams, counts, strict=True)]
    return _pair(groups, epsilon, digits)


def _projection(leverage: Number, r: Number, epsilon: Number, digits: int, insert: bool = False) -> Number:
    """Monotone in the leverage in both directions (N26-P4, and more noise on the smaller database)."""
    _whole(r)
    low, high = _ends(leverage)
    if not 0 <= low <= high < 1:
        raise NotExact("a leverage lies in [0, 1)")
    lam = lambda p: 1 - p if insert else 1 / (1 - p)  # noqa: E731
    at = lambda p, eps: _pair_at([(lam(p), int(r), Fraction(0))], eps, digits)  # noqa: E731
    return _monotone(at, (leverage, 1), (epsilon, -1))


def _chi2_hinge(c: Number, a: Number, r: Number, digits: int) -> Number:
    """The divergence of N(0, (1-a) I) from N(0, I) at eps = c - (r/2) log(1-a)."""
    _rational(a)
    if a >= 1:
        raise NotExact("the exponent's rate is below 1")
    if a == 0:
        return arb(0).max(-as_ball(c).expm1())
    return _centred([1 - a], [r], as_ball(c) - as_ball(r) / 2 * ball(1 - a).log(), digits)


def _independent(means: list[Number], stds: list[Number], epsilon: Number, digits: int) -> Number:
    _rational(*means, *stds)
    if not all(s > 0 for s in stds):
        raise NotExact("standard deviations are positive")
    return _pair([(s**2, 1, m**2) for m, s in zip(means, stds, strict=True)], epsilon, digits)


def _record(p: Number, q: Number, d: Number, r: Number) -> None:
    _rational(p, q)
    _whole(d, r)
    if not (0 <= p <= q < 1 and r <= _MOST_ROWS):
        raise NotExact(f"a record has 0 <= p <= q < 1, and r is at most {_MOST_ROWS} here")


def _least_squares(
    p: Number, q: Number, d: Number, r: Number, epsilon: Number, digits: int, insert: bool = False
) -> Number:
    """The pair of N24-T4."""
    _record(p, q, d, r)
    first, rest, square = (1 - p) ** 2 / (1 - q), (1 - p) / (1 - q), r * p * (q - p) / (1 - q)
    groups = [(first, 1, square), (rest, int(d) - 1, Fraction(0))]
    if insert:
        groups = [(1 / lam, count, shift / lam) for lam, count, shift in groups]
    return _pair([group for group in groups if group[1]], epsilon, digits)


def _sketch(p: Number, q: Number, d: Number, r: Number, epsilon: Number, digits: int, insert: bool = False) -> Number:
    _record(p, q, d, r)
    if r < d:
        raise NotExact("a sketch has at least as many rows as features")
    way = "insert" if insert else "delete"
    at = lambda eps: to_exact_ball(als_exact_hockey_stick(p, q, int(d), int(r), eps, way, digits))  # noqa: E731
    return _monotone(at, (epsilon, -1))


def _quadratic_cdf(a: list[Number], b: list[Number], t: Number, digits: int) -> Number:
    _rational(*a, *b)
    weights, ncs, variance, shift = quadratic_law(a, b)
    std = Fraction(isqrt(variance.numerator), isqrt(variance.denominator))
    if std**2 != variance:
        raise NotExact("the normal part's standard deviation is rational")
    law = (weights, [1] * len(weights), ncs, std, shift)
    return _monotone(lambda x: to_exact_ball(generalized_chi2_cdf(*law, x, digits)), (t, 1))


def _quadratic_hinge(a: list[Number], b: list[Number], c: Number, digits: int) -> Number:
    """Pr[q < 0] - E[e^q; q < 0], the second one by the law of q under the tilted normal variables."""
    _rational(*a, *b)
    if not all(x < 1 for x in a):
        raise NotExact("the quadratic part is below 1")
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
    "mean_shift": _mean_shift,
    "projection": _projection,
    "projection_insert": lambda p, r, eps, digits: _projection(p, r, eps, digits, True),
    "centred": _centred,
    "centred_reverse": lambda lams, counts, eps, digits: _centred(lams, counts, eps, digits, True),
    "chi2_hinge": _chi2_hinge,
    "independent": _independent,
    "quadratic_cdf": _quadratic_cdf,
    "quadratic_hinge": _quadratic_hinge,
    "least_squares": _least_squares,
    "least_squares_insert": lambda p, q, d, r, eps, digits: _least_squares(p, q, d, r, eps, digits, True),
    "sketch": _sketch,
    "sketch_insert": lambda p, q, d, r, eps, digits: _sketch(p, q, d, r, eps, digits, True),
}
