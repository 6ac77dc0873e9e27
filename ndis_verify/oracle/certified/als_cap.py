"""The largest cap on q at which private least squares meets a target, certified on both sides."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import mpmath

from ndis_verify.enclosure import Enclosure
from ndis_verify.exact_number import InputError, exact, to_mpf
from ndis_verify.oracle.certified.als_edge import DIRECTIONS, Edge, Peak, between, checked_relative, cover, digits_for, highest
from ndis_verify.oracle.certified.als_worst_case import gaussian_edge, student_edge
from ndis_verify.oracle.precision import PrecisionError

_STEPS = 60
MakeEdge = Callable[[Fraction], Edge]


@dataclass(frozen=True)
class CapBracket:
    """`value` contains the largest cap that meets the target: `safe` is certified to meet it, `unsafe` not to.

    At `unsafe` the record with this `leverage` and q = unsafe exceeds the target in `direction`. boxes, depth: of the branch
    and bound at `safe`.
    """

    value: Enclosure
    safe: Fraction
    unsafe: Fraction
    leverage: Fraction
    direction: str
    boxes: int
    depth: int
    seconds: float


def als_cap(d: Any, r: Any, epsilon: Any, delta: Any, relative: Any = Fraction(1, 1000)) -> CapBracket:
    """The largest cap with `als_hockey_stick <= delta` in both directions for all 0 <= p <= q <= cap (corrected N24-T5).

    It is the largest l^2/(ridge + l^2): records of norm l are private beside a ridge of at least l^2 (1/cap - 1). delta in (0, 1),
    relative: width of the bracket over the cap. Raises `InputError`, `PrecisionError`.
    """
    relative = checked_relative(relative)
    digits = digits_for(relative)
    return _bracket(lambda cap: gaussian_edge(cap, d, r, epsilon, digits), _checked_delta(delta), relative)


def als_exact_cap(d: Any, r: Any, epsilon: Any, delta: Any, relative: Any = Fraction(1, 1000)) -> CapBracket:
    """As `als_cap` for the finite-r law (`als_exact_hockey_stick`), r >= d."""
    relative = checked_relative(relative)
    digits = digits_for(relative)
    return _bracket(lambda cap: student_edge(cap, d, r, epsilon, digits), _checked_delta(delta), relative)


def _bracket(edge_at: MakeEdge, delta: Fraction, relative: Fraction) -> CapBracket:
    started = time.monotonic()
    edge_at(Fraction(1, 2))  # bad arguments are rejected before the search
    root, peak = _search(edge_at, delta, relative)
    half = relative / 3
    share = peak.leverage / root
    for _ in range(8):
        safe, unsafe = root * (1 - half), min(root * (1 + half), (1 + root) / 2)
        above = highest(edge_at(unsafe), (peak.direction,), start=min(share, Fraction(1)))
        if above.lower > delta:
            edge = edge_at(safe)
            start = Peak(Fraction(0), Fraction(0), peak.direction)
            below = cover(edge, DIRECTIONS, start, lambda _: delta, ceiling=delta)
            if below.upper <= delta:
                seconds = round(time.monotonic() - started, 2)
                where = above.leverage, above.direction
                return CapBracket(between(safe, unsafe), safe, unsafe, *where, below.boxes, below.depth, seconds)
        half *= 2
    raise PrecisionError("als_cap: the two sides of the target were not told apart")


def _search(edge_at: MakeEdge, delta: Fraction, relative: Fraction) -> tuple[Fraction, Peak]:
    """A cap near which the highest point found crosses delta, and that point; nothing here is certified."""
    found: dict[Fraction, Peak] = {}

    def excess(log_odds: mpmath.mpf) -> mpmath.mpf:
        cap = exact(1 / (1 + mpmath.exp(-log_odds)))
        near = min(found, key=lambda other: abs(other - cap), default=None)
        close = near is not None and abs(near - cap) < cap / 8
        directions = (found[near].direction,) if close else DIRECTIONS
        found[cap] = highest(edge_at(cap), directions, found[near].leverage / near if close else None)
        if found[cap].lower <= 0:
            return -mpmath.inf
        return mpmath.log(to_mpf(found[cap].lower)) - mpmath.log(to_mpf(delta))

    with mpmath.workdps(20):
        root = _crossing(excess, mpmath.mpf(to_mpf(relative)) / 20)
        nearest = min(found, key=lambda cap: abs(mpmath.log(to_mpf(cap / (1 - cap))) - root))
    return nearest, found[nearest]


def _crossing(excess: Callable[[mpmath.mpf], mpmath.mpf], width: mpmath.mpf) -> mpmath.mpf:
    """The zero of an increasing function, to `width`: steps that double, then false position with bisections between."""
    low, step = mpmath.mpf(-3), mpmath.mpf(1)
    value = excess(low)
    sign = 1 if value <= 0 else -1
    other, other_value = low, value
    while (other_value <= 0) == (value <= 0):
        low, value = other, other_value
        other, step = other + sign * step, 2 * step
        other_value = excess(other)
    ends = sorted([(low, value), (other, other_value)], key=lambda end: end[0])
    for k in range(_STEPS):
        (a, below), (b, above) = ends
        if b - a <= width:
            break
        usable = mpmath.isfinite(below) and k % 3 < 2
        middle = a + (b - a) * below / (below - above) if usable else (a + b) / 2
        middle = min(max(middle, a + width / 3), b - width / 3)
        value = excess(middle)
        ends = [(middle, value), ends[1]] if value <= 0 else [ends[0], (middle, value)]
    return (ends[0][0] + ends[1][0]) / 2


def _checked_delta(delta: Any) -> Fraction:
    value = exact(delta, "delta")
    if not 0 < value < 1:
        raise InputError("delta", delta, "must lie in (0, 1)")
    return value
