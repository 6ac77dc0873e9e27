"""Numbers as short decimal text that says no more than is so: limits rounded to their safe side, claims as they are."""

from __future__ import annotations

import math
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from typing import Any

from ndis_verify.exact_number import exact

_ALL_DIGITS = 40  # of a claim that somebody writes; what has more is an expansion of a float


def at_least(value: Any, digits: int = 6) -> str:
    """A lower limit, rounded down to so many digits."""
    return _rounded(value, digits, ROUND_FLOOR)


def at_most(value: Any, digits: int = 6) -> str:
    """An upper limit, rounded up to so many digits."""
    return _rounded(value, digits, ROUND_CEILING)


def as_given(value: Any) -> str:
    """A number that was given, with all its digits: a decimal, or the shortest text of a float; a fraction that has no
    such text is written as one.
    """
    if isinstance(value, float):
        return repr(value).removesuffix(".0")
    number = exact(value)
    found = _decimal(number, _ALL_DIGITS)
    if Fraction(*found.as_integer_ratio()) == number:
        return str(found).lower()
    return as_given(float(number)) if Fraction(float(number)) == number else str(number)


def _rounded(value: Any, digits: int, rounding: str) -> str:
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return str(_decimal(exact(value), digits, rounding)).lower()


def _decimal(number: Fraction, digits: int, rounding: str | None = None) -> Decimal:
    context = Context(prec=digits, rounding=rounding, Emin=-(10**9), Emax=10**9)
    found = context.divide(Decimal(number.numerator), Decimal(number.denominator)).normalize(context)
    whole = 0 < found.adjusted() < digits and found == int(found)
    return found.quantize(Decimal(1)) if whole else found  # 10, not 1e+1
