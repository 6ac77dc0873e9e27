"""The largest value of a privacy curve along q = cap, by branch and bound over the leverage p in [0, cap].

What is maximised is an `Edge`: certified values at points and certified upper bounds over intervals of p. The box of
the largest bound is halved until no bound is above the target. Nothing here rests on where the maximum is expected: the
search for a high point only sets the target.
"""

from __future__ import annotations

import heapq
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from typing import Protocol

from ndis_verify.enclosure import Enclosure
from ndis_verify.exact_number import InputError, exact
from ndis_verify.oracle.certified.engine.balls import ball, enclosure, working_bits
from ndis_verify.oracle.engine.precision import PrecisionError

DIRECTIONS = ("delete", "insert")
MAX_BOXES = 200_000
_ENDS = [Fraction(1, 4**k) for k in range(7, 2, -1)]
_SHARES = [
    Fraction(0),
    *_ENDS,
    *(Fraction(i, 16) for i in range(1, 16)),
    *(1 - s for s in reversed(_ENDS)),
    Fraction(1),
]
_HALVINGS = 9


class Edge(Protocol):
    """One curve on q = cap: `value` encloses it at a point, `bound` is at least its supremum over low <= p <= high."""

    @property
    def cap(self) -> Fraction: ...

    @property
    def digits(self) -> int: ...

    def value(self, p: Fraction, direction: str) -> Enclosure: ...

    def bound(self, low: Fraction, high: Fraction, direction: str) -> Fraction: ...


@dataclass(frozen=True)
class Peak:
    """The highest point found: `lower` is certified to be at most the value at (leverage, cap) in that direction."""

    lower: Fraction
    leverage: Fraction
    direction: str


@dataclass(frozen=True)
class WorstCase:
    """A certified supremum: `value` contains it, its lower end is attained at `leverage` in `direction`.

    boxes, depth: of the branch and bound; digits: of each certified value in it; seconds: of the whole.
    """

    value: Enclosure
    cap: Fraction
    leverage: Fraction
    direction: str
    boxes: int
    depth: int
    digits: int
    seconds: float

    def line(self) -> str:
        """One line for a report."""
        return (
            f"sup in {interval(self.value)}, attained near p = {float(self.leverage):.6g} ({self.direction}), cap"
            f" {float(self.cap):.6g}: {self.boxes} boxes, depth {self.depth}, {self.digits} digits each,"
            f" {self.seconds:.1f} s"
        )


@dataclass
class Cover:
    """State of one branch and bound: the largest bound of a box, the number of boxes and their depth, the highest
    point.
    """

    upper: Fraction
    boxes: int
    depth: int
    peak: Peak


def checked_directions(direction: str) -> tuple[str, ...]:
    """The directions that `direction` stands for; raises `InputError`."""
    if direction == "both":
        return DIRECTIONS
    if direction not in DIRECTIONS:
        raise InputError("direction", direction, "must be 'delete', 'insert' or 'both'")
    return (direction,)


def checked_relative(relative: object) -> Fraction:
    """`relative` as a rational in [1e-9, 1/2]; raises `InputError`."""
    value = exact(relative, "relative")
    if not Fraction(1, 10**9) <= value <= Fraction(1, 2):
        raise InputError("relative", relative, "must lie between 1e-9 and 0.5")
    return value


def digits_for(relative: Fraction) -> int:
    """Digits of a value that are lost in a bracket of this relative width."""
    return 2 + len(str(int(1 / relative)))


def highest(edge: Edge, directions: Sequence[str], start: Fraction | None = None) -> Peak:
    """A high point: the best of a grid of shares p/cap, finer at both ends, then steps that halve; with `start`, from
    that share on.
    """

    def peak(share: Fraction, direction: str) -> Peak:
        return Peak(edge.value(share * edge.cap, direction).lower, share * edge.cap, direction)

    shares = _SHARES if start is None else [start]
    best = max((peak(s, direction) for direction in directions for s in shares), key=lambda found: found.lower)
    if not edge.cap:
        return best
    share = best.leverage / edge.cap
    below, above = [s for s in _SHARES if s < share], [s for s in _SHARES if s > share]
    step = max(share - max(below, default=share), min(above, default=share) - share)
    for _ in range(_HALVINGS):
        step, at = step / 2, best.leverage / edge.cap
        around = [peak(s, best.direction) for s in (at - step, at + step) if 0 <= s <= 1]
        best = max([best, *around], key=lambda found: found.lower)
    return best


def cover(
    edge: Edge,
    directions: Sequence[str],
    peak: Peak,
    target: Callable[[Peak], Fraction],
    ceiling: Fraction | None = None,
) -> Cover:
    """Halve [0, cap], the box of largest bound first, until every bound is at most `target(peak)`, or a value exceeds
    `ceiling`.

    Whenever a box of a new depth is halved its middle is evaluated, so a higher point elsewhere raises the peak.
    """
    state = Cover(Fraction(0), 0, 0, peak)
    heap: list[tuple[Fraction, int, str, Fraction, Fraction, int]] = []

    def push(direction: str, low: Fraction, high: Fraction, depth: int) -> None:
        state.boxes, state.depth = state.boxes + 1, max(state.depth, depth)
        if state.boxes > MAX_BOXES:
            raise PrecisionError(f"worst case: not settled by {MAX_BOXES} boxes")
        bound = edge.bound(low * edge.cap, high * edge.cap, direction)
        heapq.heappush(heap, (-bound, state.boxes, direction, low, high, depth))

    for direction in directions:
        for i in range(8):
            push(direction, Fraction(i, 8), Fraction(i + 1, 8), 3)
    evaluated = 3
    while -heap[0][0] > target(state.peak) and (ceiling is None or state.peak.lower <= ceiling):
        _, _, direction, low, high, depth = heapq.heappop(heap)
        middle = (low + high) / 2
        if depth > evaluated:
            evaluated, here = depth, edge.value(middle * edge.cap, direction).lower
            if here > state.peak.lower:
                state.peak = Peak(here, middle * edge.cap, direction)
        push(direction, low, middle, depth + 1)
        push(direction, middle, high, depth + 1)
    state.upper = max(-heap[0][0], state.peak.lower)
    return state


def worst_case(edge: Edge, directions: Sequence[str], relative: Fraction) -> WorstCase:
    """The supremum of the edge, certified to a bracket of relative width at most `relative`."""
    started = time.monotonic()
    peak = highest(edge, directions)
    # The values themselves take a little of the width allowed.
    found = cover(edge, directions, peak, lambda best: best.lower * (1 + relative * Fraction(19, 20)))
    seconds = round(time.monotonic() - started, 2)
    best = found.peak
    return WorstCase(
        between(best.lower, found.upper),
        edge.cap,
        best.leverage,
        best.direction,
        found.boxes,
        found.depth,
        edge.digits,
        seconds,
    )


def interval(value: Enclosure) -> str:
    """`[lower, upper]` in 7 decimal digits, rounded outward."""
    ends = []
    for end, rounding in ((value.lower, ROUND_FLOOR), (value.upper, ROUND_CEILING)):
        context = Context(prec=7, rounding=rounding)
        ends.append(format(context.divide(Decimal(end.numerator), Decimal(end.denominator)).normalize(context), "g"))
    return f"[{ends[0]}, {ends[1]}]"


def between(lower: Fraction, upper: Fraction) -> Enclosure:
    """The interval [lower, upper], rounded outward."""
    with working_bits(64):
        return enclosure(ball(lower).union(ball(upper)))
