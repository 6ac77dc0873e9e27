"""Ridges at which several curves of `curve` meet a target, none of them assumed to fall: the first such ridge and
the last crossing.

`first_safe`: some curve is proved above the target on all of (0, low], and every curve at most the target at `high`.
`last_unsafe`: some curve is proved above the target at `low`, and every curve at most the target on all of [high,
infinity). An interval, or all ridges from one on, is settled by the order of pairs of `curve` where that says
that the curve falls: one end is enough, and a crossing is a root between two signs. Else by the bounds of
`curve`, by the chord, `f <= max(f(a), f(b)) + A (b-a)^2/4 + 2 rest` (and likewise from below), with A and rest of
`smooth_curve.Bend`, as falling, where `(f(b) - f(a) + 2 rest)/(b-a) + 2 A (b-a) < 0`, or by halving it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import mpmath

from ndis_verify.enclosure import Enclosure
from ndis_verify.exact_number import to_mpf
from ndis_verify.oracle.certified.engine.smooth_curve import Bend
from ndis_verify.oracle.certified.relative_least_squares.curve import Curve, NormalCurve
from ndis_verify.oracle.engine.decreasing_root import decreasing_root, exceeds
from ndis_verify.oracle.engine.precision import PrecisionError

MAX_CELLS = 3_000
_ROUGH, _SPARE, _BEND_FROM = (
    8,
    10,
    Fraction(1, 4),
)  # digits of a value; more of them; the part of its end an interval may take for a chord


@dataclass(frozen=True)
class Bracket:
    """One crossing: f(low) > target >= f(high); rest: f falls in between up to this, or None where the ends are as
    close as they need be.
    """

    low: Fraction
    high: Fraction
    rest: Fraction | None


class Crossings:
    """The curves, the target and the digits asked for."""

    def __init__(self, curves: Sequence[Curve], target: Fraction, scale: Fraction, digits: int):
        self.curves, self.target, self.scale, self.digits = list(curves), target, scale, digits
        self.value = lru_cache(maxsize=4096)(lambda curve, ridge, aim: curve.value(ridge, aim))
        self._declines = lru_cache(maxsize=512)(_declines)
        self._bend = lru_cache(maxsize=512)(lambda curve, low, high: curve.bend(low, high, digits + _SPARE))

    def above(self, curve: Curve, ridge: Fraction) -> bool:
        """Whether the curve is above the target at a ridge; at 0, its limit."""
        if ridge == 0 and (curve.change.x.infinite or curve.change.y.infinite):
            return True  # the divergence tends to 1
        if isinstance(curve, NormalCurve) and curve.at_most(ridge) <= self.target:
            return False
        return exceeds(lambda x, aim: self.value(curve, x, max(aim, _ROUGH)), ridge, self.target)

    def first_safe(self) -> tuple[Fraction, Fraction]:
        """(low, high) of the module's head. Some curve must be above the target at 0."""
        low, current = Fraction(0), self._worst(self.curves, Fraction(0))
        for _ in range(MAX_CELLS):
            bracket = self._refined(current, self._first_fall(current, low), unsafe_side=True)
            over = [curve for curve in self.curves if self.above(curve, bracket.high)]
            if not over:
                return bracket.low, bracket.high
            current, low = self._worst(over, bracket.high), bracket.low
            if not self.above(current, low):
                raise PrecisionError(
                    f"relative ridge: one change meets the target where another stops to, near {float(low):.6g}"
                )
        raise PrecisionError("relative ridge: too many crossings")

    def last_unsafe(self) -> tuple[Fraction, Fraction] | None:
        """(low, high) of the module's head; None where every curve is at most the target at every ridge > 0 and in the
        limit 0.
        """
        floor, found = Fraction(0), []
        for curve in self._ordered():
            bracket = self._last_fall(curve, floor)
            if bracket is not None:
                found.append(self._refined(curve, bracket, unsafe_side=False))
                floor = max(floor, found[-1].low)
        if not found:
            return None
        return floor, max(bracket.high for bracket in found)

    def _ordered(self) -> list[Curve]:
        """The curves, the highest first at the last crossing of one of them: this only saves work."""
        likely = max(self.curves, key=lambda curve: curve.change.q.at(self.scale))
        bracket = self._last_fall(likely, Fraction(0))
        ridge = self.scale if bracket is None else self._refined(likely, bracket, unsafe_side=False).low or self.scale

        def height(curve: Curve) -> Fraction:
            return curve.at_most(ridge) if isinstance(curve, NormalCurve) else self.value(curve, ridge, _ROUGH).upper

        return sorted(self.curves, key=height, reverse=True)

    def _worst(self, curves: Sequence[Curve], ridge: Fraction) -> Curve:
        def height(curve: Curve) -> Fraction:
            if ridge == 0 and (curve.change.x.infinite or curve.change.y.infinite):
                # all tend to 1, some at ridges beyond any use
                return 1 + _or(0, curve.lower, ridge, self.scale / 2**20, _ROUGH)
            return self.value(curve, ridge, _ROUGH).lower

        return max(curves, key=height)

    def _last_fall(self, curve: Curve, floor: Fraction) -> Bracket | None:
        """The last crossing above `floor`; None where the curve is at most the target from there on."""
        if self._declines(curve, floor, None):
            return self._only_fall(curve, floor) if self.above(curve, floor) else None
        top = max(floor, self.scale)
        while curve.beyond(top, _ROUGH) > self.target:
            top *= 2
        cells, seen = [(floor, top)], 0
        while cells:
            a, b = cells.pop()
            seen += 1
            if a == b:
                continue
            if seen > MAX_CELLS:
                raise PrecisionError(f"relative ridge: not settled by {MAX_CELLS} intervals near {float(b):.6g}")
            if self._below(curve, a, b):
                continue
            bracket = self._crossing(curve, a, b)
            if bracket is not None:
                return bracket
            self._check_width(a, b)
            middle = b / 2 if a < b / 2 else (a + b) / 2  # one interval for each power of 2; the last reaches 0
            cells += [(a, middle), (middle, b)]
        return None

    def _first_fall(self, curve: Curve, start: Fraction) -> Bracket:
        """The first crossing from `start` on, where the curve is above the target (in the limit, if 0)."""
        if self._declines(curve, start, None):
            return self._only_fall(curve, start)
        a, step, seen = start, start / 4, 0
        if start == 0:
            step = self.scale
            while not _or(0, curve.lower, a, step, _ROUGH) > self.target:
                step, seen = step / 4, seen + 1
                if seen > 40 * self.digits:
                    raise PrecisionError("relative ridge: not settled next to a ridge of 0")
        while seen < MAX_CELLS:
            seen, b = seen + 1, a + step
            if self._over(curve, a, b):
                a, step = b, 2 * step
                continue
            if self.value(curve, b, self._aim(a, b)).upper <= self.target:
                bracket = self._crossing(curve, a, b)
                if bracket is not None:
                    return bracket
            self._check_width(a, b)
            step /= 2
        raise PrecisionError(f"relative ridge: not settled by {MAX_CELLS} intervals near {float(a):.6g}")

    def _only_fall(self, curve: Curve, start: Fraction) -> Bracket:
        """The crossing of a curve that is above the target at `start` and falls from there on."""
        low, high = start, max(self.scale, 2 * start)
        while self.value(curve, high, _ROUGH).upper > self.target:
            low, high = high, 2 * high
        return Bracket(low if self.above(curve, low) else start, high, Fraction(0))

    def _below(self, curve: Curve, a: Fraction, b: Fraction) -> bool:
        """Whether f <= target on [a, b] is proved, given that it is at b."""
        aim = self._aim(a, b)
        if self._declines(curve, a, b):
            return not self.above(curve, a)
        if not 0 < b - a <= b * _BEND_FROM:
            return _or(1, curve.rough if a > 0 else curve.upper, a, b, aim) <= self.target
        if _or(1, curve.rough, a, b, aim) <= self.target:
            return True
        ends = [self.value(curve, x, aim).upper for x in (a, b)]
        if ends[0] > self.target:
            return False
        found = self._bent(curve, a, b)
        if found is not None and max(ends) + found.coefficient * (b - a) ** 2 / 4 + 2 * found.rest <= self.target:
            return True
        if found is not None and self._falls(curve, a, b) is not None and ends[0] + 2 * found.rest <= self.target:
            return True
        return _or(1, curve.upper, a, b, aim) <= self.target

    def _over(self, curve: Curve, a: Fraction, b: Fraction) -> bool:
        """Whether f > target on [a, b] is proved, given that it is at a."""
        aim = self._aim(a, b)
        if self._declines(curve, a, b):
            return self.value(curve, b, aim).lower > self.target
        if _or(0, curve.lower, a, b, aim) > self.target:
            return True
        if a == 0 or b - a > b * _BEND_FROM:
            return False
        ends = [self.value(curve, x, aim).lower for x in (a, b)]
        found = self._bent(curve, a, b) if ends[1] > self.target else None
        if found is None:
            return False
        if min(ends) - found.coefficient * (b - a) ** 2 / 4 - 2 * found.rest > self.target:
            return True
        return self._falls(curve, a, b) is not None and ends[1] - 2 * found.rest > self.target

    def _crossing(self, curve: Curve, a: Fraction, b: Fraction) -> Bracket | None:
        """The bracket [a, b] where it is narrow enough, or the curve falls on it by more than is left over."""
        if b - a <= b / 10 ** (self.digits + 1):
            if self.above(curve, a) and not self.above(curve, b):
                return Bracket(a, b, None)
            return None
        if self._declines(curve, a, b):
            return Bracket(a, b, Fraction(0)) if self.above(curve, a) and not self.above(curve, b) else None
        if a == 0 or b - a > b * _BEND_FROM or not self.value(curve, a, self._aim(a, b)).lower > self.target:
            return None
        rest = self._falls(curve, a, b)
        if (
            rest is None
            or rest * 10 ** (self.digits + 3) > self.target
            or not self.above(curve, a)
            or self.above(curve, b)
        ):
            return None
        return Bracket(a, b, rest)

    def _falls(self, curve: Curve, a: Fraction, b: Fraction) -> Fraction | None:
        """What is left over where the rest of the curve is proved to fall on [a, b], else None."""
        found, aim = self._bent(curve, a, b), self._aim(a, b)
        if found is None:
            return None
        rise = self.value(curve, b, aim).upper - self.value(curve, a, aim).lower + 2 * found.rest
        return found.rest if rise / (b - a) + 2 * found.coefficient * (b - a) < 0 else None

    def _bent(self, curve: Curve, a: Fraction, b: Fraction) -> Bend | None:
        try:
            return self._bend(curve, a, b)
        except PrecisionError:
            return None

    def _refined(self, curve: Curve, bracket: Bracket, unsafe_side: bool) -> Bracket:
        """The bracket, narrowed to the digits asked for by two signs; what is left over is checked on the side that is
        to be covered.
        """
        if bracket.rest is None:
            return bracket

        def inside(x: Fraction, aim: int) -> Enclosure:
            return self.value(curve, min(max(x, bracket.low), bracket.high), max(aim, _ROUGH))

        def near(x: Fraction, aim: int) -> mpmath.mpf:
            return curve.near(min(max(x, bracket.low), bracket.high), max(aim, _ROUGH))

        root = decreasing_root(inside, self.target, (bracket.low + bracket.high) / 2, self.digits + 1, near)
        low, high = max(root.lower, bracket.low), min(root.upper, bracket.high)
        spare = 2 * bracket.rest
        aim = self.digits + 2 * _SPARE
        if (unsafe_side and self.value(curve, low, aim).lower - spare <= self.target) or (
            not unsafe_side and self.value(curve, high, aim).upper + spare > self.target
        ):
            raise PrecisionError(f"relative ridge: {self.digits} digits not reached near {float(low):.6g}")
        return Bracket(low, high, bracket.rest)

    def _aim(self, a: Fraction, b: Fraction) -> int:
        """Digits of a value on [a, b]: more where it is narrow."""
        with mpmath.workdps(15):
            return _ROUGH + max(0, int(-mpmath.log10(to_mpf((b - a) / b)))) if a > 0 else _ROUGH

    def _check_width(self, a: Fraction, b: Fraction) -> None:
        if b - a <= b / 10 ** (self.digits + _SPARE):
            raise PrecisionError(f"relative ridge: a change comes too close to the target near {float(b):.6g}")


def _declines(curve: Curve, low: Fraction, high: Fraction | None) -> bool:
    """Whether the curve is known to fall on (low, high) without a value of it."""
    return isinstance(curve, NormalCurve) and curve.falls(low, high)


def _or(
    otherwise: int, bound: Callable[[Fraction, Fraction, int], Fraction], a: Fraction, b: Fraction, aim: int
) -> Fraction:
    try:
        return bound(a, b, aim)
    except PrecisionError:
        return Fraction(otherwise)
