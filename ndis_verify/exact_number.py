"""Exact input numbers: what a caller wrote, kept as a rational until an engine decides how to round it.

A float means that binary64 number exactly, a decimal string means that decimal exactly. Exact arithmetic needs no
numpy: it is loaded where an array of it is asked for, and asked about only where it is loaded.
"""

from __future__ import annotations

import math
import numbers
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

import mpmath

if TYPE_CHECKING:
    import numpy as np

MAX_DIGITS = 20_000
MAX_EXPONENT = 20_000
_PLAIN = {float, int, str, Fraction}
_DECIMAL = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?\Z", re.ASCII)


class InputError(ValueError):
    """A bad input: names the argument, the value as given and the rule that it breaks."""

    def __init__(self, argument: str, value: Any, rule: str):
        try:
            shown = str(value) if isinstance(value, (str, Fraction, mpmath.mpf)) else repr(value)
        except ValueError:  # Python writes no integer of more than 4,300 digits
            shown = "a number too long to be shown"
        if len(shown) > 80:
            shown = shown[:77] + "..."
        super().__init__(f"{argument} = {shown}: {rule}")
        self.argument = argument
        self.value = shown
        self.rule = rule


def of_numpy(value: Any, *names: str) -> bool:
    """Whether it is an instance of one of these classes of numpy, which is not loaded for the question."""
    numpy = sys.modules.get("numpy")
    return numpy is not None and isinstance(value, tuple(getattr(numpy, name) for name in names))


def exact(value: Any, argument: str = "value") -> Fraction:
    """The rational that `value` denotes exactly.

    Accepts decimal strings ("0.1", "-3e-7"), ints, Fractions, mpmath mpf, floats and numpy real scalars.
    Raises `InputError` for booleans, non-finite values, other types, and strings with more than
    `MAX_DIGITS` digits or a decimal exponent beyond `MAX_EXPONENT`.
    """
    if isinstance(value, Fraction):
        return value
    if isinstance(value, bool) or of_numpy(value, "bool_"):
        raise InputError(argument, value, "must be a real number, not a boolean")
    if isinstance(value, numbers.Integral) and not of_numpy(value, "timedelta64"):
        return Fraction(int(value))
    if isinstance(value, float) or of_numpy(value, "floating"):
        if not math.isfinite(value):
            raise InputError(argument, value, "must be finite")
        numerator, denominator = value.as_integer_ratio()
        return Fraction(int(numerator), int(denominator))
    if isinstance(value, mpmath.mpf):
        return _from_mpf(value, argument)
    if isinstance(value, str):
        return _from_decimal(value, argument)
    raise InputError(argument, value, "must be a decimal string, an int, a Fraction, an mpf or a float")


def _from_mpf(value: mpmath.mpf, argument: str) -> Fraction:
    if not mpmath.isfinite(value):
        raise InputError(argument, str(value), "must be finite")
    sign, mantissa, exponent, _ = value._mpf_
    magnitude = Fraction(int(mantissa)) * Fraction(2) ** int(exponent)
    return -magnitude if sign else magnitude


def _from_decimal(text: str, argument: str) -> Fraction:
    stripped = text.strip()
    if len(stripped) > MAX_DIGITS:
        raise InputError(argument, text, f"must have at most {MAX_DIGITS} characters")
    if not _DECIMAL.match(stripped):
        raise InputError(argument, text, "must be a finite decimal number such as 0.25 or -3e-7")
    _, _, exponent = stripped.lower().partition("e")
    if exponent and (len(exponent) > 8 or abs(int(exponent)) > MAX_EXPONENT):
        raise InputError(argument, text, f"must have a decimal exponent of at most {MAX_EXPONENT} in magnitude")
    # Fraction(stripped) would stop at Python's limit on the digits of an int.
    return Fraction(*Decimal(stripped).as_integer_ratio())


def to_mpf(value: Fraction | float | int) -> mpmath.mpf:
    """`value` rounded to the current mpmath precision (exact where it fits)."""
    if isinstance(value, Fraction):
        return mpmath.mpf(value.numerator) / value.denominator
    return mpmath.mpf(value)


def float_array(values: Any, argument: str, rule: str = "must be a number or an array of numbers") -> np.ndarray:
    """`values` as a float64 array; raises `InputError` where it holds anything but real numbers, or is masked.

    Text, dates, durations and complex numbers are refused, whatever numpy would make of them.
    """
    import numpy as np

    if type(values) is np.ndarray and values.dtype == np.float64:
        return values
    require_unmasked(values, argument)
    try:
        held = np.asarray(values)
        if held.dtype.kind == "c":
            rule = "must be real"
        odd = (str, bytes, np.datetime64, np.timedelta64)
        if held.dtype.kind not in "biufO" or (held.dtype.kind == "O" and any(isinstance(v, odd) for v in held.flat)):
            raise TypeError
        return held.astype(np.float64, copy=False)
    except (TypeError, ValueError, OverflowError, RuntimeError):  # the last of tensors with gradients
        raise InputError(argument, values, rule) from None


def require_unmasked(values: Any, argument: str) -> None:
    """Raises `InputError` for a masked array, and for a list that holds one: converted, it would lose its mask in
    silence.
    """
    numpy = sys.modules.get("numpy")
    if numpy is None:  # then there is no masked array
        return
    if isinstance(values, numpy.ma.MaskedArray):
        raise InputError(argument, "a masked array", "must not be masked; pass the entries that are meant")
    if isinstance(values, (list, tuple)) and not {*map(type, values)} <= {*_PLAIN, numpy.float64}:
        for entry in values:
            require_unmasked(entry, argument)


def broadcast(**arrays: np.ndarray) -> list[np.ndarray]:
    """The arrays in one shape; raises `InputError` that names the first that does not fit those before it."""
    import numpy as np

    shape: tuple[int, ...] = ()
    for name, array in arrays.items():
        try:
            shape = np.broadcast_shapes(shape, array.shape)
        except ValueError:
            raise InputError(
                name, f"an array of shape {array.shape}", f"must broadcast with the other arguments, {shape}"
            ) from None
    return [np.broadcast_to(array, shape) for array in arrays.values()]


@dataclass(frozen=True, eq=False)
class ExactArray:
    """Numbers in no, one or two dimensions, held exactly and without numpy. Indices and loops go over Fractions, or
    over rows of them.

    `held` is what was given: a float64 array of that shape, or all numbers in one row, floats alone or Fractions.
    """

    shape: tuple[int, ...]
    held: Any

    @property
    def flat(self) -> tuple[Any, ...]:
        """All numbers in one row, floats alone or Fractions."""
        return self.held if isinstance(self.held, tuple) else tuple(self.held.ravel().tolist())

    @cached_property
    def fractions(self) -> tuple[Fraction, ...]:
        """All numbers in one row, as Fractions."""
        return tuple(v if isinstance(v, Fraction) else Fraction(*v.as_integer_ratio()) for v in self.flat)

    @cached_property
    def _entries(self) -> tuple[Any, ...]:
        if len(self.shape) < 2:
            return self.fractions
        count, width = self.shape
        return tuple(self.fractions[k * width : (k + 1) * width] for k in range(count))

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("one number has no length")
        return self.shape[0]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._entries)

    def __getitem__(self, index: Any) -> Any:
        return self._entries[index]

    @cached_property
    def array(self) -> np.ndarray:
        """The same as numpy's array, read-only: float64 where floats are held, else Fractions as objects."""
        import numpy as np

        if not isinstance(self.held, tuple):
            return self.held
        if isinstance(self.flat[0], float):
            array = np.array(self.flat, dtype=np.float64).reshape(self.shape)
        else:
            array = _object_array(self.flat, self.shape)
        array.setflags(write=False)
        return array


def exact_numbers(values: Any, argument: str, ndim: int) -> ExactArray:
    """`values`, of `ndim` dimensions, as they are: numpy's arrays too, where there are any. Raises `InputError`."""
    require_unmasked(values, argument)
    if isinstance(values, ExactArray):
        found = values
    elif of_numpy(values, "ndarray") and values.dtype.kind in "fiu" and values.dtype.itemsize <= 8:
        found = _from_numpy(values, argument)
    else:
        found = _from_nested(values, argument, ndim)
    if len(found.shape) != ndim:
        raise InputError(argument, f"an array of shape {found.shape}", f"must have {ndim} dimension(s)")
    if 0 in found.shape:
        raise InputError(argument, values, "must not be empty")
    return found


def exact_array(values: Any, argument: str, ndim: int) -> np.ndarray:
    """`values` as a read-only array of `ndim` dimensions that denotes the same numbers.

    float64 when every entry is a binary64 number already, else an object array of Fractions. Raises `InputError`.
    """
    return exact_numbers(values, argument, ndim).array


def as_float(array: np.ndarray) -> np.ndarray:
    """The array in float64, each entry rounded to nearest; infinite beyond the range of floats."""
    import numpy as np

    if array.dtype == np.float64:
        return array
    return np.array([nearest_float(value) for value in array.ravel()]).reshape(array.shape)


def nearest_float(value: Any) -> float:
    """A real number rounded to nearest; infinite beyond the range of floats."""
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def as_exact(array: np.ndarray) -> np.ndarray:
    """The array as an object array of Fractions, exactly."""
    if array.dtype != float:
        return array
    return _object_array([Fraction(*v.as_integer_ratio()) for v in array.ravel().tolist()], array.shape)


def _from_numpy(values: np.ndarray, argument: str) -> ExactArray:
    """From an array of numbers of at most 64 bits."""
    import numpy as np

    array = values.astype(np.float64)
    if values.dtype.kind != "f" and (np.abs(array) > 2**53).any():  # not every such integer is a float64
        return ExactArray(values.shape, tuple(exact(v, argument) for v in values.flat))
    if not np.isfinite(array).all():
        where = tuple(int(k) for k in np.argwhere(~np.isfinite(array))[0])
        raise _not_finite(argument, float(array[where]), where)
    array.setflags(write=False)
    return ExactArray(array.shape, array)


def _from_nested(values: Any, argument: str, ndim: int) -> ExactArray:
    shape: tuple[int, ...] = ()
    if of_numpy(values, "ndarray"):
        values = values.tolist()
    if ndim == 0:
        flat = [values]
    elif isinstance(values, (str, bytes)) or not hasattr(values, "__iter__"):
        raise InputError(argument, values, f"must be a list with {ndim} dimension(s)")
    elif ndim == 1:
        flat = list(values)
        shape = (len(flat),)
    else:
        given = list(values)
        rows = [list(row) for row in given if hasattr(row, "__iter__") and not isinstance(row, str)]
        if len(rows) != len(given) or any(len(row) != len(rows[0]) for row in rows):
            raise InputError(argument, values, "must be a rectangular list of rows")
        flat = [entry for row in rows for entry in row]
        shape = (len(rows), len(rows[0]) if rows else 0)
    if all(type(entry) is float for entry in flat):
        for place, entry in enumerate(flat):
            if not math.isfinite(entry):
                raise _not_finite(argument, entry, divmod(place, shape[1]) if ndim == 2 else (place,)[:ndim])
        return ExactArray(shape, tuple(flat))
    if any(hasattr(entry, "__len__") and not isinstance(entry, str) for entry in flat):
        raise InputError(argument, values, f"must have {ndim} dimension(s)")
    return ExactArray(shape, tuple(exact(entry, argument) for entry in flat))


def _not_finite(argument: str, value: float, where: tuple[int, ...]) -> InputError:
    return InputError(argument, value, f"entry {where} must be finite")


def _object_array(flat: Any, shape: tuple[int, ...]) -> np.ndarray:
    import numpy as np

    array = np.empty(len(flat), dtype=object)
    array[:] = flat
    return array.reshape(shape)
