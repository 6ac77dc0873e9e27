"""Databases as a mechanism takes them: finite matrices of records, each within the public norm bound."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from ndis_verify.exact_number import InputError
from ndis_verify.mechanisms.calibration import exactly, number, positive, real

ROUNDING = 4 * 2.0**-52  # relative, on a squared norm: what scaling a record to the bound may leave above it
_BLOCK = 2**16  # entries whose squares are summed exactly at a time: they then stay in the cache
_SPLIT = 2.0**27 + 1


def database(data: Any, norm_bound: float, argument: str = "data") -> np.ndarray:
    """`data` as an n x d float64 matrix whose every row has Euclidean norm at most `norm_bound`, to a relative 2^-90.

    n may be 0, d at least 1. A record above the bound is an error, never clipped (see `clip_norms`), unless rounding
    explains it: one whose squared norm is above by at most a relative `ROUNDING`, whatever d, has its entries moved
    towards 0 by a few units in the last place until it is within, so that this costs no guarantee anything. Raises
    `InputError`.
    """
    matrix, bound = _matrix(data, argument), positive(norm_bound, "norm_bound")
    above = _excess(matrix, bound)
    over = np.flatnonzero(~(above <= ROUNDING))
    if over.size:
        row = int(over[0])
        shown = math.hypot(*matrix[row].tolist())
        raise InputError(
            argument, f"row {row} of norm {shown:.17g}", f"must have a norm of at most {bound:.17g}; clip_norms clips"
        )
    _move_within(matrix, above > 0, bound)
    return matrix


def clip_norms(data: Any, norm_bound: float) -> np.ndarray:
    """Every row scaled down to Euclidean norm `norm_bound` where it exceeds it, less a rounding, the others untouched.

    No row that comes out has a norm above the bound, to a relative 2^-90, however large or small its entries. Raises
    `InputError`. data: n x d.

    Examples
    --------
    >>> from ndis_verify.mechanisms import clip_norms
    >>> clip_norms([[3.0, 4.0], [0.5, 0.0]], 1.0).round(9).tolist()
    [[0.6, 0.8], [0.5, 0.0]]
    """
    matrix, bound = (
        _matrix(data, "data"),
        positive(number(norm_bound, "norm_bound", 0.0, math.inf, -math.inf), "norm_bound"),
    )
    long = _excess(matrix, bound) > 0
    if long.any():
        rows = matrix[long]
        rows /= np.abs(rows).max(axis=1, keepdims=True)  # squares of the entries themselves may leave float64's range
        matrix[long] = rows * (bound * (1 - 2.0**-52) / np.linalg.norm(rows, axis=1))[:, None]
        _move_within(matrix, long, bound)
    return matrix


def number_array(value: Any, argument: str) -> np.ndarray:
    """`value` as a new float64 array of finite numbers, in any number of dimensions.

    Anything that numpy makes an array of real numbers of, data frames too. Truth values, text, dates, durations,
    complex numbers and masked arrays are refused, inside lists too: a conversion would drop or invent something. Raises
    `InputError`.
    """
    try:
        if not _numeric(value):
            raise InputError(argument, type(value).__name__, "must hold real numbers and nothing else")
        with np.errstate(over="ignore"):
            # one layout, so that a sum is one number wherever it is taken
            array = np.asarray(value).astype(np.float64, order="C")
    except InputError:
        raise
    except (TypeError, ValueError, OverflowError) as error:
        raise InputError(argument, type(value).__name__, f"must be an array of numbers ({error})") from None
    if not np.isfinite(array).all():
        where = tuple(int(k) for k in np.argwhere(~np.isfinite(array))[0])
        raise InputError(argument, float(array[where]), f"entry {where} must be finite" if where else "must be finite")
    return array


class Values(NamedTuple):
    """Numbers in float64, and exactly, by their places in one row, those among them that float64 rounds."""

    rounded: np.ndarray
    exact: dict[int, Fraction]

    def array(self) -> np.ndarray:
        """float64 where that holds all of them, else Fractions as objects."""
        if not self.exact:
            return self.rounded
        entries = [self.exact.get(k) or Fraction(x) for k, x in enumerate(self.rounded.ravel().tolist())]
        return np.array([*entries, None], dtype=object)[:-1].reshape(self.rounded.shape)


def number_values(value: Any, argument: str) -> Values:
    """`value` as `number_array` has it, with what float64 cannot hold beside it: long integers, Fractions, Decimals.

    A query that moves by at most its sensitivity may move by more where it is rounded. Raises `InputError`.
    """
    rounded = number_array(value, argument)
    entries = np.asarray(value, dtype=None if isinstance(value, (np.ndarray, np.generic)) else object)
    if entries.shape != rounded.shape:
        raise InputError(argument, type(value).__name__, "must be an array of numbers")
    kind, size = entries.dtype.kind, entries.dtype.itemsize
    if (kind == "f" and size <= 8) or (kind in "iu" and size <= 4):
        return Values(rounded, {})
    places = np.flatnonzero(np.abs(rounded) >= 2.0**53) if kind in "iu" else np.arange(rounded.size)
    flat, found = entries.ravel(), {}
    for k in places.tolist():
        if type(flat[k]) is float or (type(flat[k]) is int and -(2**53) <= flat[k] <= 2**53):
            continue
        entry = exactly(flat[k][()] if isinstance(flat[k], np.ndarray) else flat[k], argument)
        if entry != Fraction(float(rounded.flat[k])):
            found[k] = entry
    return Values(rounded, found)


def _numeric(value: Any) -> bool:
    """Whether `value` holds real numbers throughout, entry by entry in lists, whose arrays would hide truth values and
    masks.
    """
    if isinstance(value, (list, tuple)):
        return set(map(type, value)) <= {float, int} or all(map(_numeric, value))
    if real(value):
        return True
    if isinstance(value, np.ma.MaskedArray):
        return False
    held = np.asarray(value)
    return held.dtype.kind in "iuf" or (held.dtype.kind == "O" and all(map(real, held.flat)))


def _matrix(data: Any, argument: str) -> np.ndarray:
    matrix = number_array(data, argument)
    if matrix.ndim != 2 or matrix.shape[1] == 0:
        raise InputError(argument, f"shape {matrix.shape}", "must have 2 dimensions, records by features, and a column")
    return matrix


def _excess(matrix: np.ndarray, bound: float) -> np.ndarray:
    """|row|^2/bound^2 - 1, to 2^-90 wherever it is next to 0, roughly elsewhere; inf where float64 ends."""
    mantissa, exponent = math.frexp(bound)
    with np.errstate(over="ignore", under="ignore"):
        rough = np.empty(len(matrix))
        step = max(1, _BLOCK // matrix.shape[1])
        for start in range(0, len(matrix), step):
            scaled = np.ldexp(matrix[start : start + step], -exponent)
            part = (scaled**2).sum(axis=1) / mantissa**2 - 1
            near = np.abs(part) < (matrix.shape[1] + 8) * 2.0**-50
            part[near] = _settled_excess(scaled[near], mantissa)
            rough[start : start + step] = part
    return rough


def _settled_excess(rows: np.ndarray, mantissa: float) -> np.ndarray:
    """The same for rows of entries of at most about 1: squares as sums of two floats, added up in pairs with what is
    lost.
    """
    high, low = _square(rows)
    while high.shape[1] > 1:
        if high.shape[1] % 2:
            high, low = (np.pad(part, ((0, 0), (0, 1))) for part in (high, low))
        first, second = high[:, ::2], high[:, 1::2]
        total = first + second
        moved = total - first
        low = low[:, ::2] + low[:, 1::2] + ((first - (total - moved)) + (second - moved))
        high = total
    goal, rest = _square(np.array([mantissa]))
    return ((high[:, 0] - goal) + (low[:, 0] - rest)) / goal


def _square(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """x^2 = high + low without error (Dekker)."""
    big = _SPLIT * x
    head = big - (big - x)
    tail = x - head
    high = x * x
    return high, ((head * head - high) + 2 * head * tail) + tail * tail


def _move_within(matrix: np.ndarray, rows: np.ndarray, bound: float) -> None:
    """The chosen rows, a rounding above the bound at most, moved towards 0 in place until none is above."""
    places = np.flatnonzero(rows)
    places = places[_excess(matrix[places], bound) > 0]
    while places.size:
        matrix[places] = np.nextafter(matrix[places], 0.0)
        places = places[_excess(matrix[places], bound) > 0]
