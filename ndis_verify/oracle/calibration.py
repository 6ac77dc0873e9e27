"""Roots of a decreasing function: a search that may be sloppy, then two decided signs around the root."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import mpmath

from ndis_verify.enclosure import Basis, Enclosure
from ndis_verify.exact_number import exact, to_mpf
from ndis_verify.oracle.precision import MAX_DIGITS, PrecisionError

Evaluate = Callable[[Fraction, int], Enclosure]
Approximate = Callable[[Fraction, int], mpmath.mpf]
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

    The function exceeds the target near 0. `guess` sets the scale of the search, which uses `approximate` (by
    default the midpoints of `evaluate`); `evaluate` decides the sign on each side, and `basis` says what it rests on.
    """
    if approximate is None:
        def approximate(x: Fraction, n: int) -> mpmath.mpf:
            return evaluate(x, n).mid

    root = _search(approximate, target, guess, digits)
    with mpmath.workdps(digits + 25):
        middle, half = to_mpf(root), to_mpf(root) / mpmath.mpf(10) ** (digits + 1)
        for _ in range(3):
            centre, reach = exact(middle), exact(half)
            if exceeds(evaluate, centre - reach, target) and not exceeds(evaluate, centre + reach, target):
                return Enclosure(middle, half, basis)
            half *= 2
    with mpmath.workdps(15):
        raise PrecisionError(f"no bracket of {digits} digits around {+middle}")


def _search(approximate: Approximate, target: Fraction, guess: Fraction, digits: int) -> Fraction:
    """Secant steps on log value against log x, kept inside a shrinking bracket; full precision for the last ones."""
    with mpmath.workdps(digits + 15):
        log_target = mpmath.log(to_mpf(target))

        def gap(u: mpmath.mpf, aim: int = 10) -> mpmath.mpf:
            value = approximate(exact(mpmath.exp(u)), aim)
            return mpmath.log(value) - log_target if value > 0 else -mpmath.inf

        low = high = mpmath.log(to_mpf(guess))
        gap_low = gap_high = gap(low)
        step = mpmath.mpf(1)
        while gap_low <= 0:
            high, gap_high = low, gap_low
            low, step = low - step, step * 2
            gap_low = gap(low)
        step = mpmath.mpf(1)
        while gap_high > 0:
            low, gap_low = high, gap_high
            high, step = high + step, step * 2
            gap_high = gap(high)
        return exact(mpmath.exp(_secant(gap, (low, gap_low), (high, gap_high), digits)))


def _secant(gap: Callable, left: tuple, right: tuple, digits: int) -> mpmath.mpf:
    goal, accurate = mpmath.mpf(10) ** (-digits - 3), mpmath.mpf("1e-6")
    (low, gap_low), (high, gap_high) = left, right
    previous, current = left, right
    aim = 10
    for _ in range(MAX_STEPS):
        middle = (low + high) / 2
        proposal = middle
        if mpmath.isfinite(current[1]) and mpmath.isfinite(previous[1]) and current[1] != previous[1]:
            secant = current[0] - current[1] * (current[0] - previous[0]) / (current[1] - previous[1])
            proposal = secant if low <= secant <= high else middle
        moved = abs(proposal - current[0])
        if aim > 10 and (moved < goal or high - low < goal):
            return proposal
        if aim == 10 and moved < accurate:
            # Low-precision signs may have cut the root off: reopen the bracket.
            aim, low, high = digits + 10, proposal - 1000 * accurate, proposal + 1000 * accurate
        value = gap(proposal, aim)
        previous, current = current, (proposal, value)
        low, high = (proposal, high) if value > 0 else (low, proposal)
    raise PrecisionError(f"the root search did not end in {MAX_STEPS} steps")
