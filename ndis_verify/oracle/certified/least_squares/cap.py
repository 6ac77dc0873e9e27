"""The largest cap on q at which private least squares meets a target, certified on both sides.

The normal law: by a search of p along q = cap (`summit_root`). The finite-r law: its worst record is known
(`worst_record`), so one root of a curve that rises with the cap. What is searched there is the odds of the cap beyond
those of pure privacy, cap/(1-cap) = e^{2 epsilon/r} - 1: the divergence is a power of that number next to 0, so nothing
is flat, however small delta is.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import mpmath

from ndis_verify.arguments import exactly, positive
from ndis_verify.calibrator import keyword_only
from ndis_verify.enclosure import Enclosure
from ndis_verify.exact_number import InputError, exact, to_mpf
from ndis_verify.oracle.certified.engine.balls import ball, enclosure, to_exact_ball, working_bits
from ndis_verify.oracle.certified.engine.smooth_curve import Bend
from ndis_verify.oracle.certified.engine.summit_root import between, crossing
from ndis_verify.oracle.certified.gaussian_mechanism import settled
from ndis_verify.oracle.certified.least_squares.edge import DIRECTIONS
from ndis_verify.oracle.certified.least_squares.worst_case import GaussianEdge, StudentEdge, gaussian_edge, student_edge
from ndis_verify.oracle.certified.least_squares.worst_record import worst_divergence
from ndis_verify.oracle.engine.decreasing_root import decreasing_root
from ndis_verify.oracle.engine.precision import checked_digits


@keyword_only
def als_cap(d: Any, r: Any, *, epsilon: Any, delta: Any, digits: int = 15) -> Enclosure:
    """The largest cap with `als_hockey_stick <= delta` in both directions for all 0 <= p <= q <= cap (corrected
    N24-T5), certified.

    It is the largest l^2/(ridge + l^2): records of norm l are private beside a ridge of at least l^2 (1/cap - 1). The
    lower end of the enclosure was proved to meet the target, a record at the upper end to exceed it. epsilon >= 0,
    delta in (0, 1); relative radius at most 10^-digits. d features, a sketch of r rows. Raises `InputError`,
    `PrecisionError`.

    Examples
    --------
    >>> from ndis_verify.oracle import certified_als_cap
    >>> print(certified_als_cap(3, 50, epsilon=1, delta="0.001", digits=4).decimal(4)[0])
    0.09616
    """
    target, digits = exactly(delta, "delta", "(0, 1)"), checked_digits(digits)
    return _share(_normal_odds(d, r, epsilon, target, digits), digits)


@keyword_only
def als_exact_cap(d: Any, r: Any, *, epsilon: Any, delta: Any, digits: int = 15) -> Enclosure:
    """As `als_cap` for the finite-r law (`als_exact_hockey_stick`), r >= d; delta = 0 is allowed and gives 1 - exp(-2
    epsilon/r).

    Any digits, either parity of r - d; milliseconds a value up to r = 1000, tenths of a second at r = 10^6. Raises
    `InputError`, `PrecisionError`.

    Examples
    --------
    >>> from ndis_verify.oracle import certified_als_exact_cap
    >>> print(certified_als_exact_cap(3, 50, epsilon=1, delta="0.001", digits=8).decimal(8)[0])
    0.10842955
    """
    if exact(delta, "delta") == 0:
        edge = _pure(d, r, epsilon, checked_digits(digits))
        return settled(lambda eps: -(-2 * eps / edge.r).expm1(), {"eps": edge.epsilon}, digits)
    target, digits = exactly(delta, "delta", "(0, 1)"), checked_digits(digits)
    return _share(_finite_odds(d, r, epsilon, target, digits), digits)


@keyword_only
def als_ridge(norm_bound: Any, d: Any, r: Any, *, epsilon: Any, delta: Any, digits: int = 15) -> Enclosure:
    """The least ridge l^2 (1/cap - 1) of private least squares by its limiting normal law, cap as in `als_cap`
    (N24-Fig4 corrected).

    norm_bound = l > 0, the ridge in its unit squared; the rest as `als_cap`.
    """
    length, target, digits = (
        positive(norm_bound, "norm_bound"),
        exactly(delta, "delta", "(0, 1)"),
        checked_digits(digits),
    )
    return _ridge(length, _normal_odds(d, r, epsilon, target, digits + 1), digits)


@keyword_only
def als_exact_ridge(norm_bound: Any, d: Any, r: Any, *, epsilon: Any, delta: Any, digits: int = 15) -> Enclosure:
    """As `als_ridge` for the finite-r law, cap as in `als_exact_cap` (N24-Fig11); delta = 0: `l^2/(e^{2 epsilon/r} -
    1)`.
    """
    length, digits = positive(norm_bound, "norm_bound"), checked_digits(digits)
    if exact(delta, "delta") == 0:
        edge = _pure(d, r, epsilon, digits)
        return settled(lambda eps: ball(length**2) / (2 * eps / edge.r).expm1(), {"eps": edge.epsilon}, digits)
    return _ridge(length, _finite_odds(d, r, epsilon, exactly(delta, "delta", "(0, 1)"), digits + 1), digits)


@dataclass(frozen=True)
class _Side:
    """One direction of an edge as a function of p on [0, cap] (`summit.Smooth`)."""

    edge: GaussianEdge
    direction: str

    @property
    def end(self) -> Fraction:
        return self.edge.cap

    def value(self, x: Fraction, digits: int) -> Enclosure:
        return replace(self.edge, digits=digits).value(x, self.direction)

    def near(self, x: Fraction, digits: int) -> mpmath.mpf:
        return replace(self.edge, digits=digits).near(x, self.direction)

    def bound(self, low: Fraction, high: Fraction) -> Fraction:
        return replace(self.edge, digits=6).bound(low, high, self.direction)

    def bend(self, low: Fraction, high: Fraction, order: int, digits: int) -> Bend:
        return self.edge.bend(low, high, self.direction, order, digits)


def _share(odds: Enclosure, digits: int) -> Enclosure:
    return between(odds.lower / (1 + odds.lower), odds.upper / (1 + odds.upper), digits)


def _normal_odds(d: Any, r: Any, epsilon: Any, target: Fraction, digits: int) -> Enclosure:
    """cap/(1 - cap) = l^2/ridge of the normal law."""
    half = gaussian_edge(Fraction(1, 2), d, r, epsilon, digits)  # bad arguments are rejected before the search
    # With one feature the record (x, y) deleted is the record (y, x) inserted (x, y of `als_worst_case`).
    sides = DIRECTIONS[:1] if half.d == 1 else DIRECTIONS

    def curves(odds: Fraction) -> list[_Side]:
        edge = gaussian_edge(odds / (1 + odds), d, r, epsilon, digits)
        return [_Side(edge, side) for side in sides]

    return crossing(curves, target, _guess(half, Fraction(0), target), digits, grows=True)


def _finite_odds(d: Any, r: Any, epsilon: Any, target: Fraction, digits: int) -> Enclosure:
    """cap/(1 - cap) = l^2/ridge of the finite-r law: what pure privacy allows and something more, which is searched."""
    half = student_edge(Fraction(1, 2), d, r, epsilon, digits)
    least, at = half.pure_odds(60 - 2 * int(mpmath.log10(to_mpf(target)))), (half.d, half.r, half.epsilon)

    def worst(inverse: Fraction, aim: int) -> Enclosure:
        odds = least + 1 / inverse
        return worst_divergence(odds / (1 + odds), at, aim)

    more = decreasing_root(worst, target, exact(mpmath.exp(-_guess(half, least, target))), digits)
    return between(least + 1 / more.upper, least + 1 / more.lower, digits)


def _ridge(length: Fraction, odds: Enclosure, digits: int) -> Enclosure:
    with working_bits(int(3.33 * digits) + 64):
        return enclosure(ball(length**2) / to_exact_ball(odds))


def _pure(d: Any, r: Any, epsilon: Any, digits: int) -> StudentEdge:
    """Pure privacy: (r/2) log(1/(1-cap)), the largest loss of all records (p = q = cap inserted), is epsilon."""
    edge = student_edge(0, d, r, epsilon, digits)
    if edge.epsilon == 0:
        raise InputError("epsilon", epsilon, "must be positive for delta = 0")
    return edge


def _guess(edge: GaussianEdge | StudentEdge, least: Fraction, delta: Fraction) -> mpmath.mpf:
    """The logarithm of a size to start from: of the cap that what the mean shift sqrt(r) q/2 and what the scale 1/(1-q)
    allow by themselves.
    """
    level, epsilon = -mpmath.log(to_mpf(delta)), to_mpf(edge.epsilon)
    shift = 2 * epsilon / (mpmath.sqrt(2 * level + 2 * epsilon) + mpmath.sqrt(2 * level)) + to_mpf(delta)
    cap = min(2 * shift / mpmath.sqrt(edge.r), epsilon / level + to_mpf(delta))
    base = to_mpf(least)
    return mpmath.log(cap - base if cap > 2 * base else base / 2)
