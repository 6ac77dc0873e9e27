"""Arguments that many functions check alike. Each raises `InputError` with the argument, the value and the rule."""

from __future__ import annotations

import numbers
from collections.abc import Collection
from fractions import Fraction
from typing import Any

from ndis_verify.exact_number import InputError, exact, float_array, of_numpy

_WORDS = {
    "(0, 1)": "must lie strictly between 0 and 1",
    "(0, inf)": "must be positive and finite",
    "[0, inf)": "must be finite and at least 0",
}


def within(value: Any, argument: str, interval: str) -> None:
    """A number, or every number of an array, must lie in an interval such as "(0, 1]", written with its ends."""
    low, high = map(float, interval[1:-1].split(", "))
    try:
        inside = (low < value if interval[0] == "(" else low <= value) & (
            value < high if interval[-1] == ")" else value <= high
        )
    except (TypeError, ArithmeticError):  # the second of Decimal("NaN")
        raise InputError(argument, value, "must be a number") from None
    if getattr(value, "ndim", 0):
        if inside.all():
            return
        value = float(value[~inside].flat[0])
    elif inside:
        return
    raise InputError(argument, value, _WORDS.get(interval, f"must lie in {interval}"))


def real(value: Any, argument: str, interval: str) -> float:
    """One real number as a float, which must lie in the interval, see `within`."""
    number = float_array(value, argument, "must be a number")
    if number.ndim or isinstance(value, bool) or of_numpy(value, "bool_"):
        raise InputError(argument, value, "must be one number")
    within(float(number), argument, interval)
    return float(number)


def whole(value: Any, argument: str, least: int = 0, most: int | None = None) -> int:
    """An int, Python's or numpy's, from `least` to `most`."""
    good = isinstance(value, numbers.Integral) and not (isinstance(value, bool) or of_numpy(value, "timedelta64"))
    good = good and least <= int(value)
    if not good or (most is not None and value > most):
        limits = f", at least {least}" if most is None else f" from {least} to {most}"
        raise InputError(argument, value, f"must be a whole number{limits}")
    return int(value)


def one_of(value: Any, argument: str, allowed: Collection[str]) -> None:
    """One of the words that are allowed."""
    if not isinstance(value, str) or value not in allowed:
        raise InputError(argument, value, f"must be one of {', '.join(allowed)}")


def direction(value: Any) -> None:
    """From which of two neighbours a record is gone: "delete" or "insert"."""
    if not isinstance(value, str) or value not in ("delete", "insert"):
        raise InputError("direction", value, "must be 'delete' or 'insert'")


def positive(value: Any, argument: str) -> Fraction:
    """`value` exactly; it must be positive."""
    number = exact(value, argument)
    if number <= 0:
        raise InputError(argument, value, "must be positive")
    return number


def nonnegative(value: Any, argument: str) -> Fraction:
    """`value` exactly; it must not be negative."""
    number = exact(value, argument)
    if number < 0:
        raise InputError(argument, value, "must be nonnegative")
    return number


def exactly(value: Any, argument: str, interval: str) -> Fraction:
    """`value` exactly; it must lie in the interval, see `within`."""
    number = exact(value, argument)
    try:
        within(number, argument, interval)
    except InputError as error:
        raise InputError(argument, value, error.rule) from None
    return number
