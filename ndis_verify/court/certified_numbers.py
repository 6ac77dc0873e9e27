"""Checks made from single certified numbers: a sign at stated points, a printed decimal, a violation in ball
arithmetic.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from flint import arb

from ndis_verify.claim import Check, Evidence, Kind, Outcome
from ndis_verify.court.domain import Point
from ndis_verify.enclosure import Enclosure
from ndis_verify.exact_number import exact
from ndis_verify.oracle.certified.gaussian_mechanism import settled

_DIGITS = 12
Row = tuple[tuple[Any, ...], str]


def at(**values: Any) -> Point:
    """A point from exact numbers."""
    return {name: exact(value, name) for name, value in values.items()}


def in_balls(function: Callable[..., arb]) -> Callable[[Point], Enclosure]:
    """`function` of balls, by keyword, as a certified function of an exact point."""
    return lambda point: settled(function, point, _DIGITS)


def smallest(*values: arb) -> arb:
    """The least of several margins: positive exactly where all are."""
    least = values[0]
    for value in values[1:]:
        least = least.min(value)
    return least


def sign_check(
    name: str,
    function: Callable[..., arb],
    signs: Sequence[tuple[Point, int]],
    mutants: Mapping[str, Callable[..., arb]],
    part: str = "statement",
) -> Check:
    """Held if `function` has the stated sign at every point, by enclosures (kind enclosure)."""

    faults = {fault: SignRun(other, signs) for fault, other in mutants.items()}
    return Check(name, Kind.ENCLOSURE, SignRun(function, signs), faults, part)


@dataclass(frozen=True)
class SignRun:
    """`run(effort)` of signs at points."""

    function: Callable[..., arb]
    signs: Sequence[tuple[Point, int]]

    def __call__(self, effort: str) -> Evidence:
        for point, sign in self.signs:
            value = in_balls(self.function)(point)
            if value.sign() != sign:
                where = ", ".join(f"{n} = {float(v):.8g}" for n, v in point.items())
                return Evidence(
                    Outcome.FAILED, "ball arithmetic", f"value {value.decimal(6)[0]} at {where}", count=len(self.signs)
                )
        return Evidence(Outcome.HELD, "ball arithmetic", "every sign as stated", float(_DIGITS), len(self.signs))


def decimals_check(
    name: str,
    value: Callable[..., Enclosure],
    table: Sequence[Row],
    mutants: Mapping[str, Callable[..., Enclosure]],
    part: str = "statement",
) -> Check:
    """Held if every stated decimal is the certified value rounded to the digits shown (kind enclosure)."""

    faults = {fault: DecimalsRun(other, table) for fault, other in mutants.items()}
    return Check(name, Kind.ENCLOSURE, DecimalsRun(value, table), faults, part)


@dataclass(frozen=True)
class DecimalsRun:
    """`run(effort)` of stated decimals."""

    value: Callable[..., Enclosure]
    table: Sequence[Row]

    def __call__(self, effort: str) -> Evidence:
        count = len(self.table)
        for arguments, text in self.table:
            found = self.value(*arguments)
            if found.basis != "bound" or not _rounds_to(found, text):
                detail = f"{found.decimal(8)[0]} at {arguments}, not {text}"
                return Evidence(Outcome.FAILED, "certified", detail, count=count)
        return Evidence(Outcome.HELD, "certified", "every decimal as stated", count=count, counted="numbers")


def _rounds_to(found: Enclosure, text: str) -> bool:
    mantissa, _, exponent = text.lower().partition("e")
    places = len(mantissa.partition(".")[2])
    half = Fraction(1, 2 * 10**places) * Fraction(10) ** int(exponent or 0)
    return exact(text) - half <= found.lower and found.upper <= exact(text) + half
