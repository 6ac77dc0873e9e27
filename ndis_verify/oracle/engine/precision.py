"""How many digits a caller may ask for, and what happens when they cannot be had."""

from __future__ import annotations

import numbers
from collections.abc import Iterator
from typing import Any

from ndis_verify.exact_number import InputError

MAX_DIGITS = 1000
MAX_BITS = 60_000
MAX_ROUTE_DIGITS = 2_500  # mpmath routes: beyond this their run time is no longer reasonable


class PrecisionError(ArithmeticError):
    """Cannot decide: the declared ceiling of precision or work was reached before the digits asked for."""


def checked_digits(digits: Any) -> int:
    """`digits` as an int from 1 to `MAX_DIGITS`; raises `InputError` otherwise."""
    if isinstance(digits, bool) or not isinstance(digits, numbers.Integral):
        raise InputError("digits", digits, "must be an int")
    if not 1 <= int(digits) <= MAX_DIGITS:
        raise InputError("digits", digits, f"must lie in [1, {MAX_DIGITS}]")
    return int(digits)


def bits_ladder(digits: int, guard: int = 48) -> Iterator[int]:
    """Working precisions in bits, each about 1.6 times the one before, up to `MAX_BITS`."""
    bits = int(digits * 3.3219281) + guard
    while bits <= MAX_BITS:
        yield bits
        bits = bits + max(64, bits * 6 // 10)
