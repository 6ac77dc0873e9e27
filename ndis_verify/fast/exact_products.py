"""Matrix products to twice the working precision, and the whitening that needs them.

A matrix is an unevaluated sum (high, low) of two float64 arrays. Each is cut into slices short enough that
products of slices are exact in float64, so the plain matrix product (BLAS) does the work.
"""

from __future__ import annotations

import numpy as np

DoubleDouble = tuple[np.ndarray, np.ndarray]


def double_double(a: np.ndarray, b: np.ndarray | None = None) -> DoubleDouble:
    """a, or a - b, as (high, low): exact for floats, to twice the precision for arrays of Fractions."""
    if a.dtype != np.float64:
        high = a.astype(np.float64)
        from fractions import Fraction

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
        largest = np.abs(high).max(axis=-1, keepdims=True)
        exponent = np.frexp(np.where(largest > 0, largest, 1.0))[1]
        grid = np.ldexp(1.0, exponent - bits)
        piece = np.rint(high / grid) * grid
        slices.append(piece)
        high, low = _two_sum(high - piece, low)
    return slices


def product(a: DoubleDouble, b: DoubleDouble) -> DoubleDouble:
    """a @ b with error about 2^-80 of |a| |b| rowwise and columnwise."""
    inner = a[0].shape[-1]
    bits = min(21, (52 - int(np.ceil(np.log2(inner + 1)))) // 2)
    count = 4
    left = _slices(a, bits, count)
    right = [np.swapaxes(s, -1, -2) for s in _slices((np.swapaxes(b[0], -1, -2), np.swapaxes(b[1], -1, -2)), bits, count)]
    high = matmul(left[0], right[0])
    low = np.zeros(high.shape)
    for order in range(1, count):
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
    white = (inverse, np.zeros(inverse.shape))
    turned = (np.swapaxes(inverse, -1, -2), np.swapaxes(white[1], -1, -2))
    rest = product(product(white, base), turned)[0]
    second = np.linalg.inv(np.linalg.cholesky((rest + np.swapaxes(rest, -1, -2)) / 2))
    inner = product(product(white, gap), turned)[0]
    inner = matmul(matmul(second, inner), np.swapaxes(second, -1, -2))
    moved = product(white, (mean[0][..., None], mean[1][..., None]))[0]
    values, vectors = np.linalg.eigh((inner + np.swapaxes(inner, -1, -2)) / 2)
    coordinates = np.swapaxes(vectors, -1, -2) @ (second @ moved)
    return values, coordinates[..., 0] ** 2
