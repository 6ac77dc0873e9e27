"""Where the largest value of a family of smooth curves crosses a target: a search, then two decided sides, to any
number of digits.

The family has one parameter x > 0 (odds of a cap, an added variance) and the largest value over its curves is monotone
in x. Only the last step proves anything: at one end of the bracket a value of one curve is above the target, at the
other every curve is proved to stay at or below it (`summit.at_most`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import mpmath

from ndis_verify.enclosure import Enclosure
from ndis_verify.exact_number import exact, to_mpf
from ndis_verify.oracle.certified.engine.summit import Smooth, at_most, refined
from ndis_verify.oracle.engine.precision import PrecisionError

Curves = Callable[[Fraction], Sequence[Smooth]]
Trial = tuple[mpmath.mpf, mpmath.mpf]  # log x and the gap there
_ENDS = [Fraction(1, 4**k) for k in range(11, 2, -1)]
_SHARES = [
    Fraction(0),
    *_ENDS[4:],
    *(Fraction(i, 16) for i in range(1, 16)),
    *(1 - s for s in reversed(_ENDS)),
    Fraction(1),
]
_HALVINGS, _STEPS, _SCOUT = 9, 60, 6
_ROUGH, _NEAR = mpmath.mpf("5e-5"), mpmath.mpf("0.2")  # of log x and of log f, where the search hands over
_LEADS, _MATTERS = (
    Fraction(995, 1000),
    Fraction(9, 10),
)  # of the highest point: summits polished, summits given a cell of their own


class NoCrossing(PrecisionError):
    """The target was met nowhere, or everywhere, as far as the search goes."""


@dataclass(frozen=True)
class Peak:
    """A high point: which curve, p as a share of the curve's range, and the value there."""

    curve: int
    share: Fraction
    value: mpmath.mpf


def crossing(
    curves_at: Curves, target: Fraction, guess: mpmath.mpf, digits: int, grows: bool, farthest: float = math.inf
) -> Enclosure:
    """The x at which the largest value of `curves_at(x)` crosses `target`, growing or falling with x, to `digits`
    relative digits.

    guess: log x to start from; farthest: where to give up from there, for a family that may not cross. Raises
    `NoCrossing`, `PrecisionError`.
    """
    rough = _search(curves_at, target, guess, grows, farthest)
    found = summits(curves_at(rough))
    leaders = [peak for peak in found if exact(peak.value) >= _LEADS * exact(found[0].value)]
    roots = [_polished(curves_at, target, rough, peak, digits) for peak in leaders]
    root, leader = (min if grows else max)(roots, key=lambda pair: pair[0])
    half = Fraction(1, 10 ** (digits + 1))
    for _ in range(4):
        less, more = root * (1 - half), root * (1 + half)
        safe, unsafe = (less, more) if grows else (more, less)
        curve = curves_at(unsafe)[leader.curve]
        if curve.value(leader.share * curve.end, digits + 6).lower > target and _meets(
            curves_at(safe), target, leader, found, digits
        ):
            return between(less, more, digits)
        half *= 2
    raise PrecisionError(f"{digits} digits not reached around {float(root):.6g}")


def largest(curves: Sequence[Smooth], digits: int) -> Enclosure:
    """The largest value over the curves, to `digits` relative digits: a value of one, and a proof for all. Raises
    `PrecisionError`.
    """
    found = summits(curves)
    places = [
        [_climbed(curve, peak.share * curve.end, digits) for peak in found if peak.curve == k]
        for k, curve in enumerate(curves)
    ]
    low = max(curve.value(p, digits + 6).lower for curve, points in zip(curves, places) for p in points)
    high = low * (1 + Fraction(1, 10 ** (digits + 1)))
    if all(at_most(curve, sorted(set(points)), high, digits + 2) for curve, points in zip(curves, places)):
        return between(low, high, digits)
    raise PrecisionError(f"{digits} digits of the largest value were not reached around {float(low):.6g}")


def between(low: Fraction, high: Fraction, digits: int) -> Enclosure:
    """An enclosure of [low, high], wider by a part in 10^(digits + 20) at most."""
    with mpmath.workdps(digits + 25):
        middle = to_mpf((low + high) / 2)
        reach = max(high - exact(middle), exact(middle) - low)
        return Enclosure(middle, to_mpf(reach) * (1 + mpmath.mpf(10) ** -(digits + 20)), "bound")


def _meets(curves: Sequence[Smooth], target: Fraction, leader: Peak, near: Sequence[Peak], digits: int) -> bool:
    for k, curve in enumerate(curves):
        places = []
        for peak in near:
            if peak.curve == k:
                same = k == leader.curve and abs(peak.share - leader.share) < Fraction(1, 64)
                places.append(leader.share * curve.end if same else _climbed(curve, peak.share * curve.end, digits))
        if not at_most(curve, sorted(set(places)), target, digits + 2):
            return False
    return True


def summits(curves: Sequence[Smooth]) -> list[Peak]:
    """The local maxima on a grid of every curve, those of nearly the largest value, each climbed a little; the highest
    first.
    """
    found = []
    for k, curve in enumerate(curves):
        shares = _SHARES if curve.end else _SHARES[:1]
        values = [curve.near(share * curve.end, _SCOUT) for share in shares]
        for i, value in enumerate(values):
            if value > 0 and value >= max(values[max(i - 1, 0) : i + 2]) and value > max(values) / 2:
                found.append(climbed_share(curve, Peak(k, shares[i], value)))
    found.sort(key=lambda peak: -peak.value)
    return [peak for peak in found if exact(peak.value) >= _MATTERS * exact(found[0].value)]


def climbed_share(curve: Smooth, peak: Peak) -> Peak:
    """A higher point by steps that halve, from the spacing of the grid on."""
    if not curve.end:
        return peak
    step = max(abs(s - peak.share) for s in (_below(peak.share), _above(peak.share)))
    for _ in range(_HALVINGS):
        step /= 2
        for share in (peak.share - step, peak.share + step):
            if 0 <= share <= 1 and (value := curve.near(share * curve.end, _SCOUT)) > peak.value:
                peak = Peak(peak.curve, share, value)
    return peak


def _below(share: Fraction) -> Fraction:
    return max((s for s in _SHARES if s < share), default=share)


def _above(share: Fraction) -> Fraction:
    return min((s for s in _SHARES if s > share), default=share)


def _climbed(curve: Smooth, p: Fraction, digits: int) -> Fraction:
    for reach in _reaches(digits):
        p = refined(curve, p, reach * _room(p, curve.end), digits + 12) if 0 < p < curve.end else p
    return p


def _polished(curves_at: Curves, target: Fraction, root: Fraction, peak: Peak, digits: int) -> tuple[Fraction, Peak]:
    """(x, its highest point): in turn the x at which that point meets the target, and the highest point at that x."""
    share = peak.share

    def value(aim: int) -> Callable[[Fraction], mpmath.mpf]:
        def at(x: Fraction) -> mpmath.mpf:
            curve = curves_at(x)[peak.curve]
            return curve.near(share * curve.end, aim)

        return at

    for reach in _reaches(digits) if 0 < share < 1 else ():
        aim = min(digits, 4 - int(2 * mpmath.log10(to_mpf(reach)))) + 6
        root = meeting(value(aim + 6), target, root, aim)
        curve = curves_at(root)[peak.curve]
        share = refined(curve, share * curve.end, reach * _room(share * curve.end, curve.end), digits + 12) / curve.end
    root = meeting(value(digits + 12), target, root, digits + 6)
    return root, Peak(peak.curve, share, peak.value)


def _room(p: Fraction, end: Fraction) -> Fraction:
    """The scale of the function around p: summits next to an end of the range are narrow."""
    return min(end, 4 * min(p, end - p))


def _reaches(digits: int) -> list[Fraction]:
    """Distances of the nodes of the parabola, over the range: its vertex is off by about their square, and needs half
    of the digits.
    """
    exponents = [2]
    while exponents[-1] < digits / 4 + 4:
        exponents.append(exponents[-1] * 5 // 3)
    return [Fraction(1, 10**exponent) for exponent in exponents]


def meeting(value: Callable[[Fraction], mpmath.mpf], target: Fraction, start: Fraction, digits: int) -> Fraction:
    """The x near `start` where a monotone function is the target: secants in the logarithms, kept inside a bracket."""
    with mpmath.workdps(digits + 15):
        width = mpmath.mpf(10) ** (-digits - 2)

        def gap(log_x: mpmath.mpf) -> mpmath.mpf:
            height = value(exact(mpmath.exp(log_x)))
            return mpmath.log(height) - mpmath.log(to_mpf(target)) if height > 0 else -mpmath.inf

        def tried(log_x: mpmath.mpf) -> Trial:
            trial = log_x, gap(log_x)
            ends[trial[1] <= 0] = trial
            return trial

        ends: dict[bool, Trial] = {}
        reach, middle = mpmath.mpf(10) ** -6, mpmath.log(to_mpf(start))
        before, last = tried(middle), tried(middle + reach)
        for _ in range(4 * _STEPS):
            following = (
                last[0] - last[1] * (last[0] - before[0]) / (last[1] - before[1])
                if last[1] != before[1]
                else mpmath.nan
            )
            if len(ends) == 2:
                low, high = sorted(end[0] for end in ends.values())
                if not low < following < high:
                    following = (low + high) / 2
            elif not abs(following - middle) < 4 * reach:
                reach *= 4
                following = middle + (reach if following > middle else -reach)
            if abs(following - last[0]) < width * max(1, abs(following)) or last[1] == 0:
                return exact(mpmath.exp(following if last[1] else last[0]))
            before, last = last, tried(following)
    raise PrecisionError(f"the target is not met near {float(start):.6g}")


def _search(curves_at: Curves, target: Fraction, guess: mpmath.mpf, grows: bool, farthest: float) -> Fraction:
    """An x near which the highest point found crosses the target; nothing here is certified."""
    found: dict[mpmath.mpf, Peak] = {}

    def excess(log_x: mpmath.mpf) -> mpmath.mpf:
        curves = curves_at(exact(mpmath.exp(log_x)))
        best: Peak | None
        near = min(found, key=lambda other: abs(other - log_x), default=None)
        if near is not None and abs(near - log_x) < mpmath.mpf(1) / 8:
            curve, share = curves[found[near].curve], found[near].share
            best = climbed_share(curve, Peak(found[near].curve, share, curve.near(share * curve.end, _SCOUT)))
        else:
            best = max(summits(curves), key=lambda peak: peak.value, default=None)
        if best is None or best.value <= 0:
            return -mpmath.inf
        found[log_x] = best
        return mpmath.log(best.value) - mpmath.log(to_mpf(target))

    with mpmath.workdps(20):
        return exact(mpmath.exp(zero_near(excess, guess, grows, farthest)))


def zero_near(
    excess: Callable[[mpmath.mpf], mpmath.mpf], low: mpmath.mpf, grows: bool, farthest: float = math.inf
) -> mpmath.mpf:
    """The zero of a monotone function: steps from `low` that double, then false position with bisections between.

    Raises `NoCrossing` where there is none within twice `farthest`.
    """
    value, step = excess(low), mpmath.mpf(1) / 2
    sign = 1 if (value <= 0) == grows else -1
    other, other_value = low, value
    while (other_value <= 0) == (value <= 0):
        if step > farthest:
            raise NoCrossing(
                f"the target is {'met' if value <= 0 else 'not met'} wherever it was tried, up to"
                f" exp({float(other):.4g})"
            )
        low, value = other, other_value
        other, step = other + sign * step, 2 * step
        other_value = excess(other)
    ends = {value <= 0: (low, value), other_value <= 0: (other, other_value)}
    for k in range(_STEPS):
        (a, below), (b, above) = ends[True], ends[False]
        if abs(b - a) <= _ROUGH and (below > -_NEAR or abs(b - a) < _ROUGH**3):
            break
        usable = mpmath.isfinite(below) and k % 3 < 2
        middle = a + (b - a) * below / (below - above) if usable else (a + b) / 2
        margin = min(abs(b - a) / 3, max(_ROUGH / 3, abs(b - a) / 32))
        middle = min(max(middle, min(a, b) + margin), max(a, b) - margin)
        value = excess(middle)
        ends[value <= 0] = (middle, value)
    return ends[True][0]
