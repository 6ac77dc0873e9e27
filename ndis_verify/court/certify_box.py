"""Boxes for branch and bound: axes with exact ends, their balls, and where they are cut."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

from flint import arb

from ndis_verify.court.exact_points import exact_text, shown
from ndis_verify.exact_number import InputError, exact
from ndis_verify.oracle.certified.engine.balls import ball

Sides = tuple[tuple[Fraction, Fraction], ...]


@dataclass(frozen=True)
class Axis:
    """One parameter of a box, low <= x <= high, cut in the middle or (log) at the geometric mean; made by `axis`."""

    name: str
    low: Fraction
    high: Fraction
    scale: Literal["linear", "log"] = "linear"

    def __str__(self) -> str:
        return f"{self.name} in [{exact_text(self.low)}, {exact_text(self.high)}]"

    def width(self, low: Fraction, high: Fraction) -> float:
        """The length of [low, high] on this axis's scale, as a share of the whole."""
        if self.low == self.high:
            return 0.0
        if self.scale == "log":
            return math.log(high / low) / math.log(self.high / self.low)
        return float((high - low) / (self.high - self.low))


Box = tuple[Axis, ...]


def axis(name: str, low: Any, high: Any, scale: Literal["linear", "log"] = "linear") -> Axis:
    """An axis from exact numbers; "log" needs low > 0. Raises `InputError`."""
    low, high = exact(low, f"low of {name}"), exact(high, f"high of {name}")
    if low > high or scale not in ("linear", "log") or (scale == "log" and low <= 0):
        raise InputError(
            name, f"[{shown(low)}, {shown(high)}] {scale}", "must have low <= high, and 0 < low on a log scale"
        )
    return Axis(name, low, high, scale)


def as_balls(sides: Sides) -> list[arb]:
    """Balls that contain the sides, at the current precision; a side of no length gives its tightest ball."""
    return [ball(low) if low == high else ball(low).union(ball(high)) for low, high in sides]


def centre(sides: Sides, box: Box) -> list[Fraction]:
    """The point at which each side would be cut."""
    return [_middle(low, high, a.scale) for (low, high), a in zip(sides, box, strict=True)]


def bisect(sides: Sides, box: Box, min_width: float) -> tuple[Sides, Sides] | None:
    """The two halves along the widest side, widths as shares of the whole box; None where all are below `min_width`."""
    widths = [a.width(low, high) for (low, high), a in zip(sides, box, strict=True)]
    widest = max(range(len(widths)), key=widths.__getitem__)
    if widths[widest] < min_width:
        return None
    low, high = sides[widest]
    cut = _middle(low, high, box[widest].scale)
    before, after = sides[:widest], sides[widest + 1 :]
    return (*before, (low, cut), *after), (*before, (cut, high), *after)


def sides_text(sides: Sides) -> list[list[str]]:
    """Sides as text, exactly."""
    return [[str(low), str(high)] for low, high in sides]


def text_sides(text: Sequence[Sequence[str]]) -> Sides:
    """The inverse of `sides_text`."""
    return tuple((Fraction(low), Fraction(high)) for low, high in text)


def _middle(low: Fraction, high: Fraction, scale: str) -> Fraction:
    if scale == "log" and high > low:
        cut = (
            Fraction(math.exp((math.log(low) + math.log(high)) / 2))
            if high < 2**1000 and low > Fraction(1, 2**1000)
            else low
        )
        if low < cut < high:
            return cut
    return (low + high) / 2
