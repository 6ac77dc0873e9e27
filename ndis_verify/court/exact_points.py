"""A point of a statement: exact numbers by name, and how they are written."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

_MOST = 2**1000  # above, floats end
Point = dict[str, Any]  # parameter name -> Fraction, int or one of the choices


def shown(value: Any) -> str:
    """A value as short exact text where there is one (a decimal), else 17 digits."""
    if not isinstance(value, Fraction):
        return str(value)
    if (value.denominator == 1 and abs(value.numerator) < 10**6) or abs(value) > _MOST:
        return str(value)
    text = f"{value.numerator / value.denominator:.17g}" if value else "0"
    for digits in range(1, 17):
        short = f"{float(value):.{digits}g}"
        if Fraction(short) == value:
            return short
    return text if 1 - value >= Fraction(1, 1000) or value >= 1 else f"1 - {shown(1 - value)}"


def exact_text(value: Any) -> str:
    """A value exactly: as a short decimal, or 1 less one, where it is that, else as a fraction."""
    text = shown(value)
    whole, _, less = text.partition(" - ")
    return text if not isinstance(value, Fraction) or Fraction(whole) - Fraction(less or 0) == value else str(value)


def shown_point(point: Mapping[str, Any]) -> str:
    """`name = value, ...` on one line."""
    return ", ".join(f"{name} = {shown(value)}" for name, value in point.items())
