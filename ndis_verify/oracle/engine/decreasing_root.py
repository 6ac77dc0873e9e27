"""Roots of a decreasing function: a search that may be sloppy, then two decided signs around the root."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import mpmath

from ndis_verify.enclosure import Basis, Enclosure
from ndis_verify.exact_number import exact, to_mpf
from ndis_verify.oracle.engine.precision import MAX_DIGITS, PrecisionError

Evaluate = Callable[[Fraction, int], Enclosure]
Approximate = Callable[[Fraction, int], mpmath.mpf]
MAX_STEPS = 400


def exceeds(evaluate: Evaluate, x: Fraction, target: Fraction, digits: int = 15) -> bool:
    """Whether evaluate(x) > target, decided by enclosures of `digits` digits, or twice, four times as many; raises
    `PrecisionError` where they cannot decide.
    """
    while digits <= MAX_DIGITS:
        value = evaluate(x, digits)
        if value.lower > target:
            return True
        if value.upper <= target:
            return False
        digits *= 2
    with mpmath.workdps(15):
        raise PrecisionError(f"cannot decide the sign at {to_mpf(x)} with {MAX_DIGITS} digits")


def decreasing_root(
    evaluate: Evaluate,
    target: Fraction,
    guess: Fraction,
    digits: int,
    approximate: Approximate | None = None,
    basis: Basis = "bound",
) -> Enclosure:
    """The x > 0 where a decreasing positive function crosses `target`, to `digits` relative digits.

    The function exceeds the target near 0. `guess` sets the scale of the search, which uses `approximate` or the
    midpoints of `evaluate`, and these step by step where that leads nowhere; `evaluate` decides the sign on each side,
    and `basis` says what it rests on.
    """

    def middle(x: Fraction, n: int) -> mpmath.mpf:
        return evaluate(x, n).mid

    try:
        return _decided(evaluate, target, _search(approximate or middle, target, guess, digits), digits, basis)
    except PrecisionError:
        return _decided(evaluate, target, _search(middle, target, guess, digits, smooth=False), digits, basis)


def _decided(evaluate: Evaluate, target: Fraction, root: Fraction, digits: int, basis: Basis) -> Enclosure:
    """`root` with two decided signs around it; raises `PrecisionError` where they are not as they should be."""
    with mpmath.workdps(digits + 25):
        middle, half = to_mpf(root), to_mpf(root) / mpmath.mpf(10) ** (digits + 1)
        for _ in range(3):
            centre, reach = exact(middle), exact(half)
            above, below = (exceeds(evaluate, end, target, digits + 3) for end in (centre - reach, centre + reach))
            if above and not below:
                return Enclosure(middle, half, basis)
            half *= 2
    with mpmath.workdps(15):
        raise PrecisionError(f"no bracket of {digits} digits around {+middle}")


def above_floor(value: Enclosure, target: Fraction) -> Enclosure:
    """The enclosure, or one of 0 to 2^-400 of the target for what is below that: as a fraction it might fill the
    memory.
    """
    floor = mpmath.mag(to_mpf(target)) - 400
    if value.mid == 0 or max(mpmath.mag(value.mid), mpmath.mag(value.rad)) >= floor:
        return value
    tiny = mpmath.ldexp(1, floor)
    return Enclosure(tiny, tiny, value.basis)


def hull(first: Enclosure, second: Enclosure, digits: int) -> Enclosure:
    """An enclosure of both, rounded outward; `digits` sets the precision."""
    low, high = min(first.lower, second.lower), max(first.upper, second.upper)
    with mpmath.workdps(digits + 25):
        mid = to_mpf((low + high) / 2)
        reach = max(high - exact(mid), exact(mid) - low)
        return Enclosure(mid, to_mpf(reach) * (1 + mpmath.mpf(10) ** -(digits + 20)), first.basis)


def scaled(root: Enclosure, factor: Fraction, digits: int) -> Enclosure:
    """`factor` > 0 times an enclosure, rounded outward; the relative radius grows by at most 10^-(digits + 15)."""
    with mpmath.workdps(digits + 25):
        mid = to_mpf(exact(root.mid) * factor)
        slack = abs(exact(root.mid) * factor - exact(mid)) + exact(root.rad) * factor
        return Enclosure(mid, to_mpf(slack) * (1 + mpmath.mpf(10) ** -(digits + 20)), root.basis)


def _search(approximate: Approximate, target: Fraction, guess: Fraction, digits: int, smooth: bool = True) -> Fraction:
    """The root in u = log x of the log odds of the value less those of the target: first roughly, then to all
    digits, of a function that is taken to be smooth by secants.
    """
    spare = to_mpf(1 - target) if target < 1 else mpmath.mpf(1)
    coarse = 10 + max(0, int(-mpmath.log10(spare)))  # close to 1 the value itself says little
    with mpmath.workdps(digits + coarse + 15):

        def log_odds(value: mpmath.mpf) -> mpmath.mpf:
            return mpmath.log(value) - (mpmath.log(1 - value) if target < 1 else 0)

        def gap(u: mpmath.mpf, aim: int = coarse) -> mpmath.mpf:
            try:
                value = approximate(exact(mpmath.exp(u)), aim)
            except PrecisionError:  # far too small to be computed, so far below the target
                return -mpmath.inf
            if value <= 0:
                return -mpmath.inf
            return mpmath.inf if value >= 1 > target else log_odds(value) - log_odds(to_mpf(target))

        def fine(u: mpmath.mpf) -> mpmath.mpf:
            return gap(u, digits + coarse)

        low, high = _bracket(gap, mpmath.log(to_mpf(guess)), mpmath.mpf(1))
        width, end = mpmath.mpf("1e-5"), mpmath.mpf(10) ** (-digits - 3)
        low, high = _narrowed(gap, low, high, width)
        root = _secant(gap, low, high, coarse, end) if smooth else None
        if root is None:
            low, high = _bracket(fine, (low[0] + high[0]) / 2, width)  # coarse signs may have cut the root off
            low, high = _narrowed(fine, low, high, end)
            root = (low[0] + high[0]) / 2
        return exact(mpmath.exp(root))


Point = tuple[mpmath.mpf, mpmath.mpf]  # u and the gap there
Gap = Callable[..., mpmath.mpf]  # at u, to so many digits


def _secant(gap: Gap, low: Point, high: Point, coarse: int, end: mpmath.mpf) -> mpmath.mpf | None:
    """The root between two points that are close to it, to `end`, by steps of which each has the digits that it may
    gain. None where the steps do not become as small as those of a smooth function do.

    coarse: the digits of the gaps at both points.
    """
    points = [(point, mpmath.mpf(10) ** -coarse) for point in (low, high)]  # and how far the gaps may be off
    known = high[0] - low[0]
    for _ in range(10):
        (at, value), noise = min(points, key=lambda found: abs(found[0][1]))
        # a slope errs by the distance of its points and by what their gaps err
        others = [(u - at, other - value, off) for (u, other), off in points if other != value and u != at]
        if not others or not all(mpmath.isfinite(change) for _, change, _ in others):
            return None
        share, slope = min((abs(far) + (noise + off) / abs(change), change / far) for far, change, off in others)
        step = -value / slope
        if abs(step) > 100 * known:
            return None
        root, known = at + step, max(abs(step), end) * share + noise / abs(slope)
        if known <= end / 10:
            return root
        # as many digits as the next step can use: it leaves what is known times the error of its slope
        digits = coarse - int(mpmath.log10(max(known * max(abs(step), known), end) / 10))
        points.append(((root, gap(root, digits)), mpmath.mpf(10) ** -digits))
    return None


def _bracket(gap: Gap, start: mpmath.mpf, first: mpmath.mpf) -> tuple[Point, Point]:
    """Two points around the root, found by steps that double."""
    low = high = (start, gap(start))
    step = first
    while low[1] <= 0:
        low, high, step = (low[0] - step, gap(low[0] - step)), low, 2 * step
    step = first
    while high[1] > 0:
        low, high, step = high, (high[0] + step, gap(high[0] + step)), 2 * step
    return low, high


def _narrowed(gap: Gap, low: Point, high: Point, width: mpmath.mpf) -> tuple[Point, Point]:
    """False position (Illinois), with a bisection whenever two steps did not halve the bracket."""
    ends, weights = {True: low, False: high}, {True: 1, False: 1}
    last_side, before = None, high[0] - low[0]
    for k in range(MAX_STEPS):
        (a, gap_a), (b, gap_b) = ends[True], ends[False]
        if b - a <= width:
            return ends[True], ends[False]
        usable = mpmath.isfinite(gap_a) and mpmath.isfinite(gap_b) and not (k % 3 == 2 and b - a > before / 2)
        one, other = gap_a / weights[True], gap_b / weights[False]
        u = a + (b - a) * one / (one - other) if usable else (a + b) / 2
        if k % 3 == 2:
            before = b - a
        u = min(max(u, a + width / 4), b - width / 4)
        value = gap(u)
        side = value > 0
        weights[not side] = 2 * weights[not side] if side == last_side else 1
        ends[side], weights[side], last_side = (u, value), 1, side
    raise PrecisionError(f"the root search did not end in {MAX_STEPS} steps")
