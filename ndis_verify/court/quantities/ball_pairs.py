"""The divergences of pairs of normal laws in ball arithmetic, at Fractions or at balls.

Each raises `NotExact` outside its domain.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction

from flint import arb

from ndis_verify.court.quantities.exact import (
    NotExact,
    Number,
    OutsideDomain,
    as_ball,
    both_ends,
    monotone,
    rational,
    regression_record,
    whole,
)
from ndis_verify.oracle.certified.engine.balls import ball, to_exact_ball
from ndis_verify.oracle.certified.engine.spectrum import from_groups
from ndis_verify.oracle.certified.hockey_stick import spectrum_hockey_stick

_DEEPEST = 20_000  # what is asked of the contour integral is of the order of e^-10000 and above: it takes a second
_OVERSHOOT = Fraction(1, 2**26)  # the radius of a ball has 30 bits


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
    return monotone(lambda eps: _pair_at(groups, eps, digits), (epsilon, -1))


def _mean_shift(shift: Number, epsilon: Number, digits: int) -> Number:
    """Monotone in both: in eps by the definition, in D because scaling and adding noise bring D down."""
    low, high = both_ends(shift)
    if -high * _OVERSHOOT <= low < 0 and not isinstance(shift, Fraction):  # a ball of [0, high], rounded outward
        low, shift = Fraction(0), ball(Fraction(0)).union(ball(high))
    if low < 0:
        raise (OutsideDomain if high < 0 else NotExact)(f"no distance of means is {float(low)}")
    at = lambda d, eps: _pair_at([(Fraction(1), 1, max(d, Fraction(0)) ** 2)], eps, digits)  # noqa: E731
    return monotone(at, (shift, 1), (epsilon, -1))


def _centred(lams: list[Number], counts: list[Number], epsilon: Number, digits: int, reverse: bool = False) -> Number:
    rational(*lams)
    whole(*counts)
    if not all(lam > 0 for lam in lams):
        raise OutsideDomain("eigenvalues are positive")
    groups = [(1 / lam if reverse else lam, int(k), Fraction(0)) for lam, k in zip(lams, counts, strict=True)]
    return _pair(groups, epsilon, digits)


def _projection(leverage: Number, r: Number, epsilon: Number, digits: int, insert: bool = False) -> Number:
    """Monotone in the leverage in both directions (N26-P4, and more noise on the smaller database)."""
    whole(r)
    low, high = both_ends(leverage)
    if not 0 <= low <= high < 1:
        raise (OutsideDomain if high < 0 or low >= 1 else NotExact)("a leverage lies in [0, 1)")
    lam = lambda p: 1 - p if insert else 1 / (1 - p)  # noqa: E731
    at = lambda p, eps: _pair_at([(lam(p), int(r), Fraction(0))], eps, digits)  # noqa: E731
    return monotone(at, (leverage, 1), (epsilon, -1))


def _chi2_hinge(c: Number, a: Number, r: Number, digits: int) -> Number:
    """The divergence of N(0, (1-a) I) from N(0, I) at eps = c - (r/2) log(1-a)."""
    rational(a)
    if a >= 1:
        raise OutsideDomain("the exponent's rate is below 1")
    if a == 0:
        return arb(0).max(-as_ball(c).expm1())
    return _centred([1 - a], [r], as_ball(c) - as_ball(r) / 2 * ball(1 - a).log(), digits)


def _independent(means: list[Number], stds: list[Number], epsilon: Number, digits: int) -> Number:
    rational(*means, *stds)
    if not all(s > 0 for s in stds):
        raise OutsideDomain("standard deviations are positive")
    return _pair([(s**2, 1, m**2) for m, s in zip(means, stds, strict=True)], epsilon, digits)


def _least_squares(
    p: Number, q: Number, d: Number, r: Number, epsilon: Number, digits: int, insert: bool = False
) -> Number:
    """The pair of N24-T4."""
    rational(p)
    regression_record(p, q, d, r)
    first, rest, square = (1 - p) ** 2 / (1 - q), (1 - p) / (1 - q), r * p * (q - p) / (1 - q)
    groups = [(first, 1, square), (rest, int(d) - 1, Fraction(0))]
    if insert:
        groups = [(1 / lam, count, shift / lam) for lam, count, shift in groups]
    return _pair([group for group in groups if group[1]], epsilon, digits)


QUANTITIES: Mapping[str, Callable[..., Number]] = {
    "mean_shift": _mean_shift,
    "projection": _projection,
    "projection_insert": lambda p, r, eps, digits: _projection(p, r, eps, digits, True),
    "centred": _centred,
    "centred_reverse": lambda lams, counts, eps, digits: _centred(lams, counts, eps, digits, True),
    "chi2_hinge": _chi2_hinge,
    "independent": _independent,
    "least_squares": _least_squares,
    "least_squares_insert": lambda p, q, d, r, eps, digits: _least_squares(p, q, d, r, eps, digits, True),
}
