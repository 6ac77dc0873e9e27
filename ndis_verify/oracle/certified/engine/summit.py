"""The largest value of a smooth function on an interval, proved to any number of digits.

What is known of f: enclosures of its values, some upper bound over any interval, and f = F + R with |F^(n)|/n! <= A_n,
|R| <= rest over short intervals (`smooth_curve.Bend`). Away from the summit p0 an interval [a, b] is settled by the
first bound or by the chord, `f <= max(f(a), f(b)) + A_2 (b - a)^2/4 + 2 rest`. Around p0:
- inside the range, F is concave on a cell of width 2w if `(F(a) - 2 F(m) + F(b))/w^2 + 12 A_3 w < 0`, m its middle: the
  first term is F'' at a point of the cell. With F(p0 - k), F(p0 + k) <= F(p0), concavity leaves `F <= 2 F(p0) -
  min(F(p0 - k), F(p0 + k))` on all of it;
- at an end a of the range, F falls on [a, b] if `(F(b) - F(a))/(b - a) + 2 A_2 (b - a) < 0` (likewise at the other
  end): F <= F(a). Where F is level at a, F'' <= -c on the cell gives `F <= F(a) + F'(a)^2/(2 c)` if F'(a) > 0, with
  `F'(a) <= (F(a + k) - F(a))/k + A_2 k`.
The width of the cell has nothing to do with the digits asked for; only the three values and k, about 10^(-digits/2),
have.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

import mpmath

from ndis_verify.enclosure import Enclosure
from ndis_verify.exact_number import exact, to_mpf
from ndis_verify.oracle.certified.engine.smooth_curve import Bend
from ndis_verify.oracle.engine.precision import PrecisionError

_SPARE = 8  # digits beyond those asked for
_AWAY = 10  # digits of what is needed away from the summit
_HALVINGS, _CELLS = 40, 4000
_BY_HALVING = 6  # so few digits can be had without a cell
_COARSE = 32  # up to this part of the range the first bound is tried first


class Smooth(Protocol):
    """A function f on [0, end]."""

    @property
    def end(self) -> Fraction: ...

    def value(self, p: Fraction, digits: int) -> Enclosure: ...

    def near(self, p: Fraction, digits: int) -> mpmath.mpf:
        """The value to about so many digits, not proved: for searches."""

    def bound(self, low: Fraction, high: Fraction) -> Fraction: ...

    def bend(self, low: Fraction, high: Fraction, order: int, digits: int) -> Bend: ...


@dataclass(frozen=True)
class Cell:
    """[low, high], on which f is at most `upper`."""

    low: Fraction
    high: Fraction
    upper: Fraction


def at_most(curve: Smooth, summits: Sequence[Fraction], target: Fraction, digits: int) -> bool:
    """Whether f <= target on [0, end] is proved; `summits`: where f comes close to the target, in order.

    False where a value does not allow it. Raises `PrecisionError` where something is not settled.
    """
    if curve.end == 0:
        return curve.value(Fraction(0), digits + _SPARE).upper <= target
    left = Fraction(0)
    for summit in summits:
        try:
            cell = summit_cell(curve, summit, digits)
        except PrecisionError:
            if digits > _BY_HALVING:
                raise
            continue
        if cell.upper > target or not settled(curve, left, cell.low, target):
            return False
        left = cell.high
    return settled(curve, left, curve.end, target)


def summit_cell(curve: Smooth, summit: Fraction, digits: int) -> Cell:
    """A cell around the summit and the largest value there, above f(summit) by a relative 10^-digits at most."""
    at_end = summit in (0, curve.end)
    width = curve.end / 16
    for _ in range(_HALVINGS):
        low, high = max(summit - width, Fraction(0)), min(summit + width, curve.end)
        try:
            cell = _falling(curve, low, high, summit, digits) if at_end else _concave(curve, low, high, summit, digits)
        except PrecisionError:
            cell = None
        if cell is not None:
            return cell
        width /= 2
    raise PrecisionError(f"summit: no cell around {float(summit):.6g} was settled")


def settled(curve: Smooth, low: Fraction, high: Fraction, target: Fraction) -> bool:
    """Whether f <= target on [low, high] is proved by halving; raises `PrecisionError` after too many cells."""
    cells, seen = [(low, high)] if low < high else [], 0
    values: dict[Fraction, Fraction] = {}

    def at(p: Fraction) -> Fraction:
        if p not in values:
            values[p] = curve.value(p, _AWAY).upper
        return values[p]

    while cells:
        a, b = cells.pop()
        seen += 1
        if seen > _CELLS:
            raise PrecisionError(f"summit: not settled by {_CELLS} cells")
        if max(at(a), at(b)) > target:
            return False
        coarse = b - a >= curve.end / _COARSE
        if (coarse and curve.bound(a, b) <= target) or _below_chord(curve, a, b, max(at(a), at(b)), target):
            continue
        if not coarse and curve.bound(a, b) <= target:
            continue
        cells += [((a + b) / 2, b), (a, (a + b) / 2)]
    return True


def refined(curve: Smooth, summit: Fraction, reach: Fraction, digits: int) -> Fraction:
    """A point where f is larger still: the vertex of the parabola through three points `reach` apart, or the end of the
    range it leads to.
    """
    low, high = max(summit - reach, Fraction(0)), min(summit + reach, curve.end)
    nodes = low, (low + high) / 2, high
    left, centre, right = (curve.near(p, digits) for p in nodes)
    with mpmath.workdps(2 * digits + 20):
        bend = left - 2 * centre + right
        if bend >= 0:
            return high if right > left else low
        move = exact((left - right) / (2 * bend)) * (high - low) / 2
    return min(max(nodes[1] + move, Fraction(0)), curve.end)


def _below_chord(curve: Smooth, low: Fraction, high: Fraction, ends: Fraction, target: Fraction) -> bool:
    try:
        found = curve.bend(low, high, 2, _AWAY)
    except PrecisionError:
        return False
    return ends + found.coefficient * (high - low) ** 2 / 4 + 2 * found.rest <= target


def _second_derivative(curve: Smooth, low: Fraction, high: Fraction, digits: int) -> tuple[Fraction, Fraction, Bend]:
    """An upper bound of F'' on the cell, one of F'' at some point of it, and how far F can bend."""
    found, width = curve.bend(low, high, 3, digits), (high - low) / 2
    ends = sum(curve.value(p, 2 * _AWAY).upper for p in (low, high))
    at_a_point = (ends - 2 * curve.value((low + high) / 2, 2 * _AWAY).lower + 4 * found.rest) / width**2
    return at_a_point + 12 * found.coefficient * width, at_a_point, found


def _concave(curve: Smooth, low: Fraction, high: Fraction, summit: Fraction, digits: int) -> Cell | None:
    aim = digits + _SPARE
    second, at_a_point, found = _second_derivative(curve, low, high, aim)
    if second >= 0:
        return None
    top = curve.value(summit, aim)
    step = _square_root(top.upper / -at_a_point / 10**digits)  # at which f has fallen by about 10^-digits of itself
    if not low <= summit - step < summit + step <= high:
        return None
    left, right = (curve.value(p, aim) for p in (summit - step, summit + step))
    if max(left.upper, right.upper) + 2 * found.rest > top.lower:
        return None
    return Cell(low, high, 2 * top.upper - min(left.lower, right.lower) + 4 * found.rest)


def _falling(curve: Smooth, low: Fraction, high: Fraction, summit: Fraction, digits: int) -> Cell | None:
    aim = digits + _SPARE
    found, other = curve.bend(low, high, 2, aim), low + high - summit
    slope = (curve.value(other, _AWAY).upper - curve.value(summit, _AWAY).lower + 2 * found.rest) / (high - low)
    if slope + 2 * found.coefficient * (high - low) < 0:
        return Cell(low, high, curve.value(summit, aim).upper + 2 * found.rest)
    return _level(curve, low, high, summit, digits)


def _level(curve: Smooth, low: Fraction, high: Fraction, summit: Fraction, digits: int) -> Cell | None:
    aim, inward = digits + _SPARE, 1 if summit == low else -1
    second, at_a_point, found = _second_derivative(curve, low, high, aim)
    if second >= 0:
        return None
    here = curve.value(summit, aim)
    step = min(_square_root(here.upper / -at_a_point / 10**digits), high - low)
    there = curve.value(summit + inward * step, aim)
    left, right = sorted((summit, summit + inward * step))
    bent = curve.bend(left, right, 2, aim)
    slope = (there.upper - here.lower + 2 * bent.rest) / step + bent.coefficient * step
    gain = slope**2 / (-2 * second) if slope > 0 else Fraction(0)
    return Cell(low, high, here.upper + gain + 2 * found.rest)


def _square_root(number: Fraction) -> Fraction:
    """The square root, to some digits."""
    with mpmath.workdps(15):
        return exact(mpmath.sqrt(to_mpf(number)))
