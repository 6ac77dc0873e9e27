"""One row of a reference table before its value is known: exact inputs, and why the row is there."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from typing import Any

from ndis_verify.reference.flags import FLAGS
from ndis_verify.reference.quantities import QUANTITIES

POSITIONS = ("below", "at", "above")


@dataclass(frozen=True)
class RowSpec:
    """A request and its reason.

    name: unique in its table, family and number. flags: names of `flags.FLAGS`. claim: the claim of the ledger that the
    row instances. group: rows that belong together (a boundary triple, an invariance, two directions). position: below,
    at or above the group's boundary. refusal: the argument that must be refused, for an invalid input.
    """

    quantity: str
    name: str
    inputs: dict[str, Any]
    flags: tuple[str, ...]
    claim: str
    group: str | None = None
    position: str | None = None
    refusal: str | None = None
    core: bool = field(default=False)

    def __post_init__(self) -> None:
        unknown = [flag for flag in self.flags if flag not in FLAGS]
        if unknown or not self.flags or self.quantity not in QUANTITIES or self.position not in (None, *POSITIONS):
            raise ValueError(f"{self.quantity}/{self.name}: flags {self.flags}, position {self.position}")


class Draw:
    """Numbers that a key determines, the same in every version of every language: SHA-256 of the key and a counter."""

    def __init__(self, key: str):
        self._key, self._count = key, 0

    def below(self, n: int) -> int:
        """A number from 0 to n - 1."""
        self._count += 1
        return int.from_bytes(hashlib.sha256(f"{self._key}/{self._count}".encode()).digest()) % n

    def among(self, options: Sequence[Any]) -> Any:
        return options[self.below(len(options))]

    def dyadic(self, low: Any, high: Any, parts: int = 64) -> Fraction:
        """One of `parts` + 1 evenly spaced numbers from low to high; dyadic where the ends are and parts is a power of
        2.
        """
        low, high = Fraction(low), Fraction(high)
        return low + (high - low) * Fraction(self.below(parts + 1), parts)

    def log_dyadic(self, low: int, high: int) -> Fraction:
        """(8 to 15)/8 times a power of 2 between 2^low and 2^high."""
        return Fraction(8 + self.below(8), 8) * Fraction(2) ** (low + self.below(high - low))


def text(value: Any) -> Any:
    """A binary64 number as the decimal that it is exactly; lists entry by entry. ValueError where it is no binary64."""
    if isinstance(value, (list, tuple)):
        return [text(entry) for entry in value]
    if isinstance(value, (int, Fraction)):
        number = float(value)
        if Fraction(number) != value:
            raise ValueError(f"{value} is not representable in binary64")
        value = number
    if not math.isfinite(value):
        raise ValueError(f"{value} is not finite")
    exact = Decimal(value)
    plain = format(exact, "f")
    return "0" if value == 0 else plain if len(plain) <= 30 else str(exact)


def around(value: float, relative: float = 0.0) -> tuple[float, float, float]:
    """Just below, at and just above `value`: a relative step, or the neighbouring binary64 numbers."""
    if relative:
        return value * (1 - relative), value, value * (1 + relative)
    return math.nextafter(value, -math.inf), value, math.nextafter(value, math.inf)
