"""Matrix products to twice the working precision, and the whitening that needs them.

A matrix is an unevaluated sum (high, low) of two float64 arrays. Each is cut into slices short enough that
products of slices are exact in float64, so the plain matrix product (BLAS) does the work.
"""

from __future__ import annotations

from fractions import Fraction
from functools import reduce

import numpy as np

DoubleDouble = tuple[np.ndarray, np.ndarray]
_BITS = 72


def double_double(a: np.ndarray, b: np.ndarray | None = None) -> DoubleDouble:
    """a, or a - b, as (high, low): exact for floats, to twice the precision for arrays of Fractions."""
    if a.dtype != np.float64:
        high = a.astype(np.float64)
        low = np.array([float(x - Fraction(h)) for x, h in zip(a.ravel(), high.ravel().tolist())]).reshape(a.shape)
        return high, low
    if b is None:
        return a, np.zeros(a.shape)
    return _two_sum(a, -b)


def _two_sum(a: np.ndarray, b: np.ndarray) -> DoubleDouble:
    high = a + b
    part = high - a
    return high, (a - (high - part)) + (b - part)


def _slices(matrix: DoubleDouble, bits: int, count: int) -> list[np.ndarray]:
    """Rows cut into `count` slices of `bits` bits each, aligned along the row."""
    high, low = matrix
    slices = []
    for _ in range(count):
        largest = _row_maxima(np.abs(high))
        exponent = np.frexp(np.where(largest > 0, largest, 1.0))[1]
        grid = np.ldexp(1.0, exponent - bits)
        piece = np.rint(high / grid) * grid
        slices.append(piece)
        high, low = _two_sum(high - piece, low)
    return slices


def _row_maxima(values: np.ndarray) -> np.ndarray:
    """max over the last axis, which stays; column by column where there are few, which is faster for many matrices."""
    if values.shape[-1] > 8:
        return values.max(axis=-1, keepdims=True)
    return reduce(np.maximum, (values[..., k : k + 1] for k in range(values.shape[-1])))


def _cut(matrix: DoubleDouble, inner: int) -> list[np.ndarray]:
    """Slices for products over an inner dimension: no product of two slices has more than 53 bits."""
    bits = (53 - max(inner - 1, 1).bit_length()) // 2
    return _slices(matrix, bits, -(-_BITS // bits))


def _turned(matrix: DoubleDouble) -> DoubleDouble:
    return np.swapaxes(matrix[0], -1, -2), np.swapaxes(matrix[1], -1, -2)


def _product(left: list[np.ndarray], right: list[np.ndarray]) -> DoubleDouble:
    """left @ right.T of cut matrices, error about 2^-_BITS of |left| |right| row by row."""
    right = [np.swapaxes(piece, -1, -2) for piece in right]
    high = matmul(left[0], right[0])
    low = np.zeros(high.shape)
    for order in range(1, len(left)):
        for i in range(order + 1):
            high, error = _two_sum(high, matmul(left[i], right[order - i]))
            low = low + error
    return _two_sum(high, low)


def matmul(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """a @ b; for many small matrices as a sum of outer products, which spares a call for each."""
    inner = a.shape[-1]
    if a.ndim < 3 or inner > 8:
        return a @ b
    total = a[..., :, :1] * b[..., :1, :]
    for k in range(1, inner):
        total += a[..., :, k : k + 1] * b[..., k : k + 1, :]
    return total


def whitened_pencil(gap: DoubleDouble, base: DoubleDouble, mean: DoubleDouble) -> tuple[np.ndarray, np.ndarray]:
    """Eigenvalues (ascending) of the pencil (gap, base) and squared coordinates of mean in its eigenbasis.

    A float Cholesky factor whitens `base` up to its condition number; that congruence is then applied exactly,
    and what is left of `base` is so close to the identity that a second, plain whitening loses nothing.
    """
    scale = 2.0 ** -np.rint(np.log2(np.diagonal(base[0], axis1=-2, axis2=-1)) / 2)
    scaled = base[0] * scale[..., :, None] * scale[..., None, :]
    inverse = np.linalg.inv(np.linalg.cholesky(scaled)) * scale[..., None, :]
    inner = inverse.shape[-1]
    white = _cut((inverse, np.zeros(inverse.shape)), inner)

    def congruent(matrix: DoubleDouble) -> np.ndarray:
        half = _product(white, _cut(_turned(matrix), inner))
        return _symmetric(_product(_cut(half, inner), white)[0])

    second = np.linalg.inv(np.linalg.cholesky(congruent(base)))
    pencil = matmul(matmul(second, congruent(gap)), np.swapaxes(second, -1, -2))
    moved = _product(white, _cut((mean[0][..., None, :], mean[1][..., None, :]), inner))[0]
    values, vectors = np.linalg.eigh(_symmetric(pencil))
    coordinates = np.swapaxes(vectors, -1, -2) @ (second @ moved)
    return values, coordinates[..., 0] ** 2


def _symmetric(matrix: np.ndarray) -> np.ndarray:
    return (matrix + np.swapaxes(matrix, -1, -2)) / 2
