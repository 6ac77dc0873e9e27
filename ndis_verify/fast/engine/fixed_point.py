"""Elimination of symmetric positive definite matrices in integers, `BITS` bits after the point.

For the few pairs whose covariances or thresholds float64 cannot tell apart. Matrices are object arrays of Python
integers; rows and columns are first divided by powers of two that bring the diagonal close to 1.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np

from ndis_verify.exact_number import exact

BITS = 448


def exponents(matrix: np.ndarray) -> list[int]:
    """Half the binary exponents of the diagonal."""
    return [math.frexp(float(value))[1] // 2 for value in np.diagonal(matrix)]


def integer(value: Any, shift: int) -> int:
    """value 2^(shift + BITS), rounded down; value a float or a Fraction."""
    if isinstance(value, float):
        mantissa, exponent = math.frexp(value)
        whole, shift = int(math.ldexp(mantissa, 53)), shift + exponent - 53
        return whole << (shift + BITS) if shift + BITS >= 0 else whole >> -(shift + BITS)
    value = Fraction(value)
    return (value.numerator << max(BITS + shift, 0)) // (value.denominator << max(-BITS - shift, 0))


def fixed(matrix: np.ndarray, scale: list[int]) -> np.ndarray:
    """The symmetric matrix with rows and columns divided by 2^scale."""
    size = len(scale)
    result = np.empty((size, size), dtype=object)
    for i, row in enumerate(matrix.tolist()):
        for j in range(i + 1):
            result[i, j] = result[j, i] = integer(row[j], -scale[i] - scale[j])
    return result


def difference(a: np.ndarray, b: np.ndarray, scale: list[int]) -> np.ndarray:
    """The vector a - b with entries divided by 2^scale."""
    entries = [integer(exact(x) - exact(y), -e) for x, y, e in zip(a.tolist(), b.tolist(), scale)]
    return np.array([*entries, None], dtype=object)[:-1]


def factors(matrix: np.ndarray) -> tuple[np.ndarray, list[int]] | None:
    """Unit lower triangle L and pivots D of `matrix` = L D L^T; None if it is not positive definite."""
    size = matrix.shape[0]
    # L, and L times the pivots: sums of products are rounded once.
    lower, weighted, pivots = np.zeros((size, size), dtype=object), np.zeros((size, size), dtype=object), []
    for k in range(size):
        column = matrix[k:, k]
        if k:
            column = column - ((lower[k:, :k] @ weighted[k, :k]) >> BITS)
        if column[0] <= 0:
            return None
        pivots.append(column[0])
        weighted[k:, k], lower[k:, k] = column, (column << BITS) // column[0]
    return lower, pivots


def solved(lower: np.ndarray, right: np.ndarray) -> np.ndarray:
    """L^{-1} times a vector or matrix."""
    result = right.copy()
    for k in range(1, lower.shape[0]):
        result[k] = result[k] - ((lower[k, :k] @ result[:k]) >> BITS)
    return result


def floats(values: np.ndarray, shift: np.ndarray, terms: int) -> tuple[np.ndarray, ...]:
    """values 2^(shift - BITS) as a sum of `terms` float arrays."""
    flat, parts = values.ravel().tolist(), []
    for _ in range(terms):
        high = [float(value) for value in flat]
        flat = [value - int(part) for value, part in zip(flat, high)]
        parts.append(np.ldexp(np.array(high).reshape(values.shape), shift - BITS))
    return tuple(parts)
