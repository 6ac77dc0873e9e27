"""Where the two-step bound is least, and the variance at which it meets a target: a search that proves nothing.

A split is p = low(v) + offset, p what the mean step spends; low is 0, or with "printed" where the covariance term
starts to vanish: below that only the mean's part is left, which falls with p. So an offset stays a good one as v
changes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import mpmath
from flint import arb

from ndis_verify.exact_number import InputError, exact, to_mpf
from ndis_verify.oracle.certified.engine.balls import enclosure
from ndis_verify.oracle.certified.general_bound.two_steps import Place, TwoSteps
from ndis_verify.oracle.engine.precision import PrecisionError

_ENDS = [Fraction(1, 4**k) for k in range(11, 1, -1)]
_SHARES = [Fraction(0), *_ENDS, *(Fraction(i, 8) for i in range(1, 8)), *(1 - s for s in reversed(_ENDS)), Fraction(1)]
_FARTHEST = 1000  # |log2 v|
_SCOUT = 24  # digits of values that guide the search, enough to see a split a share of e^-_LIMIT from an end
_LIMIT = 48
_STEPS, _ROUNDS = 200, 8
_RIVAL = 1000  # a local minimum this many times the least one is not followed
_LEADS = Fraction(101, 100)  # of the least v, or value: splits followed to all digits

At = Callable[[Fraction], TwoSteps]
Point = tuple[float, mpmath.mpf]


@dataclass(frozen=True)
class Candidate:
    """A split that may be the best one, its order, and the distance over which the bound changes by about itself;
    low(v) to `digits` digits.
    """

    mean_first: bool
    offset: Fraction
    scale: Fraction
    digits: int

    def split(self, steps: TwoSteps) -> Fraction:
        return min(steps.low(self.digits) + self.offset, steps.epsilon)

    def place(self, steps: TwoSteps) -> Place:
        return Place(self.mean_first, self.split(steps), self.scale)

    def value(self, steps: TwoSteps, digits: int) -> arb:
        return steps.value(self.mean_first, self.split(steps), digits)

    def mid(self, steps: TwoSteps, offset: Fraction, digits: int) -> mpmath.mpf:
        """The bound's value at another offset, which may lie outside the range."""
        return enclosure(steps.value(self.mean_first, steps.low(self.digits) + offset, digits)).mid


def best_splits(steps: TwoSteps, digits: int) -> list[Candidate]:
    """The local minima at given sensitivities: those with nearly the least value to `digits` digits of it, the others
    roughly.
    """
    rough = [_descended(steps, candidate) for candidate in candidates(_cheap(steps), digits)]
    values = [enclosure(candidate.value(steps, _SCOUT)).mid for candidate in rough]
    found = []
    for candidate, value in zip(rough, values, strict=True):
        for reach in _reaches(digits) if _moves(steps) and value < to_mpf(_LEADS) * min(values) else ():
            candidate = _lowered(steps, candidate, reach)
        found.append(candidate)
    return found


def roots(at: At, target: Fraction, start: Fraction, digits: int) -> list[tuple[Fraction, Candidate]]:
    """(v, a best split at that v) for every candidate at `start`: those with nearly the least v to all digits, the
    others roughly.
    """
    rough = []
    for candidate in candidates(_cheap(at(start)), digits + 20):
        try:
            rough.append(_followed(at, target, start, candidate))
        except PrecisionError:  # a split at which no v is enough
            continue
    if not rough:
        raise PrecisionError(f"added_variance: no split found around {float(start):.6g}")
    least = min(v for v, _ in rough)
    return [_polished(at, target, v, x, digits) if v < _LEADS * least else (v, x) for v, x in rough]


def start_of(at: At, target: Fraction) -> Fraction:
    """A v at which the bound is at most the target and not far below it in log v; by "bound" where "exact" is below
    that.
    """
    term = at(Fraction(1)).term
    for cheap in ("bound", "exact") if term == "exact" else (term,):

        def excess(power: mpmath.mpf, cheap: str = cheap) -> bool:
            return least(replace(at(exact(mpmath.mpf(2) ** power)), term=cheap, held={})) > to_mpf(target)

        with mpmath.workdps(20):
            low = high = mpmath.mpf(0)
            step = mpmath.mpf(1)
            if excess(low):
                while high < _FARTHEST and excess(high := high + step):
                    low, step = high, 2 * step
            else:
                while low > -_FARTHEST and not excess(low := low - step):
                    high, step = low, 2 * step
            if high >= _FARTHEST:
                continue
            if low <= -_FARTHEST:
                raise PrecisionError("added_variance: every v down to 2^-1000 is enough")
            while high - low > mpmath.mpf(1) / 2:
                middle = (low + high) / 2
                low, high = (middle, high) if excess(middle) else (low, middle)
            return exact(mpmath.mpf(2) ** high)
    raise InputError("sensitivities", "too large at any v", "must give a bound below delta for some v")


def least(steps: TwoSteps) -> mpmath.mpf:
    """The least value over a grid of splits; where one is too small to be computed, 0."""
    try:
        return min(value for _, _, value in _grid(steps, _SCOUT))
    except PrecisionError:
        return mpmath.mpf(0)


def candidates(steps: TwoSteps, digits: int) -> list[Candidate]:
    """The local minima of either order over the grid that are not far above the least one."""
    table, room = _grid(steps, digits), steps.epsilon - steps.low(digits)
    found = []
    for mean_first in (True, False):
        line = [(share, value) for order, share, value in table if order == mean_first]
        for i, (share, value) in enumerate(line):
            if value <= min(other for _, other in line[max(i - 1, 0) : i + 2]):
                found.append((value, Candidate(mean_first, share * room, room / 16, digits)))
    bottom = min(value for value, _ in found)
    return [candidate for value, candidate in found if value <= _RIVAL * bottom]


def _grid(steps: TwoSteps, digits: int) -> list[tuple[bool, Fraction, mpmath.mpf]]:
    """(order, share of the range, value)."""
    low = steps.low(digits)
    shares: Sequence[Fraction] = _SHARES if _moves(steps) else _SHARES[-1:] if steps.square else _SHARES[:1]
    found = []
    for mean_first in (True, False):
        for share in shares:
            value = steps.value(mean_first, low + share * (steps.epsilon - low), _SCOUT)
            found.append((mean_first, share, enclosure(value).mid))
    return found


def _cheap(steps: TwoSteps) -> TwoSteps:
    """With "bound" instead of "exact": its best splits are near."""
    return replace(steps, term="bound", held={}) if steps.term == "exact" else steps


def _moves(steps: TwoSteps) -> bool:
    """Whether there is more than one split to choose from."""
    return bool(steps.epsilon) and not steps.lone


def _followed(at: At, target: Fraction, v: Fraction, candidate: Candidate) -> tuple[Fraction, Candidate]:
    """(v, the best split near the candidate there), roughly: in turn the v at which that split meets the target, and
    the best split at that v.
    """
    for _ in range(_ROUNDS):
        candidate = _descended(at(v), candidate)
        before, v = v, _meeting(at, candidate, target, v, 6)
        if abs(v / before - 1) < Fraction(1, 1000):
            break
    return v, candidate


def _polished(at: At, target: Fraction, v: Fraction, candidate: Candidate, digits: int) -> tuple[Fraction, Candidate]:
    """The same to all digits."""
    for reach in _reaches(digits) if _moves(at(v)) else ():
        candidate = _lowered(at(v), candidate, reach)
        # as the next vertex needs it
        v = _meeting(at, candidate, target, v, min(digits, 4 - int(4 * math.log10(reach))) + 6)
    return _meeting(at, candidate, target, v, digits + 6), candidate


def _reaches(digits: int) -> list[float]:
    """Distances of the nodes of the parabola, over the scale: its vertex is off by about their square, and half of the
    digits are needed.
    """
    exponents = [2.0]
    while exponents[-1] < digits / 4 + 4:
        exponents.append(exponents[-1] * 5 / 3)
    return [10**-exponent for exponent in exponents]


def _lowered(steps: TwoSteps, candidate: Candidate, reach: float) -> Candidate:
    """Vertices of parabolas through three splits, until one lies among its splits."""
    for _ in range(_ROUNDS):
        before, candidate = candidate, _vertex(steps, candidate, reach)
        if abs(candidate.offset - before.offset) <= exact(reach) * candidate.scale:
            break
    return candidate


def _vertex(steps: TwoSteps, candidate: Candidate, reach: float) -> Candidate:
    """The vertex of the parabola through three splits, kept in the range."""
    centre, end = candidate.offset, steps.epsilon - steps.low(candidate.digits)
    room = min(candidate.scale, min(centre, end - centre) or candidate.scale)
    step, aim = room * exact(reach), 18 - int(3 * math.log10(reach))
    with mpmath.workdps(2 * aim):
        left, middle, right = (candidate.mid(steps, centre + k * step, aim) for k in (-1, 0, 1))
        bend = left - 2 * middle + right
        if bend <= 0:
            return candidate
        move = exact((left - right) / (2 * bend)) * step
        scale = min(exact(mpmath.sqrt(middle / bend)) * step, steps.epsilon)
    offset = min(max(centre + min(max(move, -room), room), Fraction(0)), end)
    if offset == centre:
        return candidate
    return replace(candidate, offset=_short(offset, end, candidate.digits), scale=scale)


def _short(offset: Fraction, end: Fraction, digits: int) -> Fraction:
    """The offset to some digits; 0 and the end stay."""
    with mpmath.workdps(digits + 20):
        return offset if offset in (0, end) else min(exact(to_mpf(offset)), end)


def _descended(steps: TwoSteps, candidate: Candidate) -> Candidate:
    """A lower split nearby, in log odds of its share of the range: steps that double, then golden sections."""
    if not _moves(steps):
        return candidate
    end = steps.epsilon - steps.low(candidate.digits)
    share = min(candidate.offset / end, Fraction(1)) if end else Fraction(0)

    def point(x: float) -> Point:
        return x, candidate.mid(steps, _share(x) * end, _SCOUT)

    x = 0.5 * _LIMIT * (-1 if share < Fraction(1, 2) else 1) if share in (0, 1) else _log_odds(share)
    low, middle, high = point(x - 0.5), point(x), point(x + 0.5)
    while abs(middle[0]) < _LIMIT and middle[1] > min(low[1], high[1]):
        width = high[0] - low[0]
        if low[1] < high[1]:
            low, middle, high = point(low[0] - width), low, middle
        else:
            low, middle, high = middle, high, point(high[0] + width)
    if abs(middle[0]) >= _LIMIT:
        return replace(candidate, offset=Fraction(0) if middle[0] < 0 else end, scale=end * _share(-_LIMIT))
    while high[0] - low[0] > 0.02:
        upward = high[0] - middle[0] > middle[0] - low[0]
        new = point(middle[0] + 0.382 * ((high if upward else low)[0] - middle[0]))
        first, second = (middle, new) if upward else (new, middle)
        low, middle, high = (first, second, high) if second[1] < first[1] else (low, first, second)
    share = _share(middle[0])
    return replace(candidate, offset=share * end, scale=min(share, 1 - share) * end / 4)


def _share(x: float) -> Fraction:
    """1/(1 + e^-x), equal to neither end."""
    small = Fraction(math.exp(-abs(x)))
    small = small / (1 + small)
    return small if x < 0 else 1 - small


def _log_odds(share: Fraction) -> float:
    return float(mpmath.log(to_mpf(share / (1 - share))))


def _meeting(at: At, candidate: Candidate, target: Fraction, start: Fraction, digits: int) -> Fraction:
    """The v near `start` where the bound at the candidate's split meets the target: secants in the logarithms inside a
    bracket.
    """
    with mpmath.workdps(digits + 15):
        width, goal = mpmath.mpf(10) ** -digits, mpmath.log(to_mpf(target))

        def gap(u: mpmath.mpf) -> mpmath.mpf:
            value = enclosure(candidate.value(at(exact(mpmath.exp(u))), digits + 4)).mid
            return mpmath.log(value) - goal if value > 0 else -mpmath.inf

        low = high = mpmath.log(to_mpf(start))
        over = under = gap(low)
        step = mpmath.mpf("1e-3")
        while over <= 0 or under > 0:
            if step > _FARTHEST:
                raise PrecisionError(f"added_variance: the bound does not cross its target around {float(start):.6g}")
            if over <= 0:
                high, under, low = low, over, low - step
                over = gap(low)
            else:
                low, over, high = high, under, high + step
                under = gap(high)
            step *= 4
        before, last = (low, over), (high, under)
        for k in range(_STEPS):
            if high - low <= width:
                break
            slope = last[1] - before[1]
            u = last[0] - last[1] * (last[0] - before[0]) / slope if slope and mpmath.isfinite(slope) else low
            u = u + (width if last[1] > 0 else -width) / 4 if abs(u - last[0]) < width else u
            if not low < u < high or k % 6 == 5:
                u = (low + high) / 2
            before, last = last, (u, gap(u))
            if last[1] > 0:
                low = u
            else:
                high = u
        return exact(mpmath.exp((low + high) / 2))
