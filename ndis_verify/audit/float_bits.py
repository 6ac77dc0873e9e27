"""What a float64 looks like bit by bit: its kind, its exponent, its lowest set bit; vectorised, exact."""

from __future__ import annotations

import numpy as np

KINDS = ("nan", "-inf", "negative", "negative subnormal", "-0", "0", "positive subnormal", "positive", "inf")
NO_BIT = 5000  # the exponent that a zero, an infinity or a nan is given: above that of every float
_FRACTION = (1 << 52) - 1


def kind(x: np.ndarray) -> np.ndarray:
    """The place of each number's kind in `KINDS`."""
    field, fraction, negative = _fields(x)
    rank = np.where(field == 0x7FF, 4, np.where(field > 0, 3, np.where(fraction > 0, 2, 1)))
    signed = np.where(negative, 5 - rank, 4 + rank)
    return np.where((field == 0x7FF) & (fraction > 0), 0, signed)


def exponent(x: np.ndarray) -> np.ndarray:
    """floor(log2 |x|) of each finite number other than 0, the subnormal ones too; `NO_BIT` for the rest."""
    field, fraction, _ = _fields(x)
    subnormal = np.frexp(fraction.astype(np.float64))[1] - 1 - 1074
    found = np.where(field > 0, field - 1023, subnormal)
    return np.where(_has_bits(field, fraction), found, NO_BIT)


def lowest_bit(x: np.ndarray) -> np.ndarray:
    """The k for which x is an odd multiple of 2^k: how far x is divisible by powers of two; `NO_BIT` where there is
    none.
    """
    field, fraction, _ = _fields(x)
    mantissa = np.where(field > 0, fraction | (_FRACTION + 1), fraction)
    trailing = np.frexp((mantissa & -mantissa).astype(np.float64))[1] - 1  # of a power of two, so exact
    found = np.maximum(field, 1) - 1075 + trailing
    return np.where(_has_bits(field, fraction), found, NO_BIT)


def ulp_exponent(x: np.ndarray) -> np.ndarray:
    """The k for which float64s next to x are 2^k apart; `NO_BIT` for infinities and nan, -1074 at 0."""
    field, fraction, _ = _fields(x)
    return np.where(field < 0x7FF, np.maximum(field, 1) - 1075, NO_BIT)


def mantissa(x: np.ndarray) -> np.ndarray:
    """The integer m >= 0 with |x| = m 2^ulp_exponent(x), below 2^53; 0 where x is not finite."""
    field, fraction, _ = _fields(x)
    return np.where(field == 0x7FF, 0, np.where(field > 0, fraction | (_FRACTION + 1), fraction))


def _fields(x: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The exponent field, the fraction and the sign of each number, as integers and a truth value."""
    bits = np.ascontiguousarray(x, dtype=np.float64).view(np.int64)
    return (bits >> 52) & 0x7FF, bits & _FRACTION, bits < 0


def _has_bits(field: np.ndarray, fraction: np.ndarray) -> np.ndarray:
    """Whether the number is finite and not 0."""
    return (field < 0x7FF) & ((field > 0) | (fraction > 0))
