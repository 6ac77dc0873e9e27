"""Roots of a decreasing certified function: a search that may be sloppy, then two certified signs around the root."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import mpmath

from ndis_verify.enclosure import Enclosure
from ndis_verify.exact_number import exact, to_mpf
from ndis_verify.oracle.precision import MAX_DIGITS, PrecisionError

Evaluate = Callable[[Fraction, int], Enclosure]
MAX_STEPS = 400


def exceeds(evaluate: Evaluate, x: Fraction, target: Fraction) -> bool:
    """Whether evaluate(x) > target, decided by enclosures; raises `PrecisionError` where they cannot decide."""
    digits = 15
    while digits <= MAX_DIGITS:
        value = evaluate(x, digits)
        if value.lower > target:
            return True
        if value.upper <= target:
            return False
        digits *= 2
    raise PrecisionError(f"cannot decide the sign at {mpmath.nstr(to_mpf(x), 15)} with {MAX_DIGITS} digits")


def decreasing_root(evaluate: Evaluate, target: Fraction, guess: Fraction, digits: int) -> Enclosure:
    """The x > 0 where a decreasing positive function crosses `target`, to `digits` relative digits.

    The function exceeds the target near 0. `guess` sets the scale of the search.
    """
    root = _search(evaluate, target, guess, digits)
    radius = root / 10 ** (digits + 1)
    for _ in range(8):
        with mpmath.workdps(digits + 25):
            middle, half = to_mpf(root), to_mpf(radius)
        centre, reach = exact(middle), exact(half)
        if exceeds(evaluate, centre - reach, target) and not exceeds(evaluate, centre + reach, target):
            return Enclosure(middle, half, "bound")
        radius *= 2
    raise PrecisionError(f"no certified bracket of {digits} digits around {mpmath.nstr(middle, 15)}")


def _search(evaluate: Evaluate, target: Fraction, guess: Fraction, digits: int) -> Fraction:
    """Secant steps on log value against log x, kept inside a shrinking bracket, at rising precision."""
    with mpmath.workdps(digits + 15):
        log_target = mpmath.log(to_mpf(target))
        working = 10

        def gap(u: mpmath.mpf) -> mpmath.mpf:
            value = evaluate(exact(mpmath.exp(u)), working).mid
            return mpmath.log(value) - log_target if value > 0 else mpmath.mpf("-inf")

        low = high = mpmath.log(to_mpf(guess))
        gap_low = gap_high = gap(low)
        step = mpmath.mpf(1)
        while gap_low <= 0:
            high, gap_high = low, gap_low
            low -= step
            gap_low, step = gap(low), step * 2
        step = mpmath.mpf(1)
        while gap_high > 0:
            low, gap_low = high, gap_high
            high += step
            gap_high, step = gap(high), step * 2
        return _polish(gap, low, gap_low, high, gap_high, digits, evaluate, log_target)


def _polish(gap, low, gap_low, high, gap_high, digits, evaluate, log_target) -> Fraction:
    goal = mpmath.mpf(10) ** (-digits - 2)
    accurate = mpmath.mpf("1e-7")
    previous, gap_previous = low, gap_low
    current, gap_current = high, gap_high
    working = 10
    for _ in range(MAX_STEPS):
        proposal = (low + high) / 2
        if mpmath.isfinite(gap_current) and gap_current != gap_previous:
            secant = current - gap_current * (current - previous) / (gap_current - gap_previous)
            if low < secant < high:
                proposal = secant
        moved = abs(proposal - current)
        if moved < goal or high - low < goal:
            return exact(mpmath.exp(proposal))
        if moved < accurate:
            working = digits + 8
        previous, gap_previous = current, gap_current
        value = evaluate(exact(mpmath.exp(proposal)), working).mid
        current = proposal
        gap_current = mpmath.log(value) - log_target if value > 0 else mpmath.mpf("-inf")
        if gap_current > 0:
            low = current
        else:
            high = current
    raise PrecisionError(f"the root search did not end in {MAX_STEPS} steps")
