"""Matrix products to a multiple of the working precision, and the whitening that needs them.

A matrix is an unevaluated sum (high, low, ...) of float64 arrays. Each is cut into slices short enough that
products of slices are exact in float64, so the plain matrix product (BLAS) does the work.
"""

from __future__ import annotations

from fractions import Fraction
from functools import reduce

import numpy as np
from scipy.linalg.lapack import dtrtri

Expansion = tuple[np.ndarray, ...]
_FEW = 4096
_LARGE = 48  # matrices from which on a routine for triangles is worth its call
_SLIGHT = 3e-9  # rows of F: its square is less than rounding


def expansion(a: np.ndarray, b: np.ndarray | None = None, terms: int = 2) -> Expansion:
    """a, or a - b, as a sum of `terms` floats: exact for floats, rounded to that many for arrays of Fractions."""
    if a.dtype != np.float64:
        pairs = zip(a.ravel().tolist(), [0] * a.size if b is None else b.ravel().tolist(), strict=True)
        zeros = (0.0,) * terms
        told = [_told(x, y, terms) if x != y else zeros for x, y in pairs]
        return tuple(np.ascontiguousarray(np.array(told).T).reshape((terms, *a.shape)))
    pair = (a, np.zeros(a.shape)) if b is None else two_sum(a, -b)
    return (*pair, *(np.zeros(pair[0].shape) for _ in range(terms - 2)))


def _told(x: Fraction, y: Fraction | int, terms: int) -> tuple[float, ...]:
    """x - y as a sum of `terms` floats, each the nearest to what is left: integers, never reduced to lowest terms."""
    (above, below), (subtracted, common) = x.as_integer_ratio(), y.as_integer_ratio()
    above, below = above * common - subtracted * below, below * common
    parts = []
    for _ in range(terms):
        parts.append(above / below)
        taken, unit = parts[-1].as_integer_ratio()
        above, below = above * unit - taken * below, below * unit
    return tuple(parts)


def two_sum(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """a + b rounded, and its rounding error, (a - (high - part)) + (b - part); in place, as new arrays cost more."""
    high = a + b
    part = high - a
    low = high - part
    np.subtract(a, low, out=low)
    np.subtract(b, part, out=part)
    low += part
    return high, low


def added(total: Expansion, value: np.ndarray) -> Expansion:
    """total + value; what falls below the last term is rounded."""
    parts = []
    for part in total[:-1]:
        high, value = two_sum(part, value)
        parts.append(high)
    return (*parts, total[-1] + value)


def _slices(matrix: Expansion, bits: int, count: int) -> list[np.ndarray]:
    """Rows cut into `count` slices of `bits` bits each, aligned along the row."""
    high, *rest = matrix
    slices = []
    for _ in range(count):
        piece = _lead(high, bits)
        slices.append(piece)
        high = high - piece
        for k in range(len(rest)):
            high, rest[k] = two_sum(high, rest[k])
    return slices


def _lead(high: np.ndarray, bits: int) -> np.ndarray:
    """The first `bits` bits, aligned along the row: what is left of the sum with a number that has no further ones."""
    exponent = np.frexp(_row_maxima(np.abs(high)))[1]
    large = np.ldexp(1.5 * 2.0 ** (52 - bits), exponent)
    lead = high + large
    lead -= large
    return lead


def _row_maxima(values: np.ndarray) -> np.ndarray:
    """max over the last axis, which stays; column by column where there are few, which is faster for many matrices."""
    if values.shape[-1] > 8:
        return values.max(axis=-1, keepdims=True)
    return reduce(np.maximum, (values[..., k : k + 1] for k in range(values.shape[-1])))


def _cut(matrix: Expansion, inner: int, bits: int) -> list[np.ndarray]:
    """Slices, `bits` in all, for products over an inner dimension: no product of two slices has more than 53 bits."""
    each = _width(inner)
    return _slices(matrix, each, -(-bits // each))


def _width(inner: int) -> int:
    """Bits of a slice."""
    return (53 - max(inner - 1, 1).bit_length()) // 2


def turned(matrix: Expansion) -> Expansion:
    """The transpose."""
    return tuple(np.swapaxes(part, -1, -2) for part in matrix)


def _product(left: list[np.ndarray], right: list[np.ndarray], terms: int) -> Expansion:
    """left @ right.T of cut matrices, with an error about as large as the last slices' product, row by row."""
    right = [np.swapaxes(piece, -1, -2) for piece in right]
    high = matmul(left[0], right[0])
    total: Expansion = (high, *(np.zeros(high.shape) for _ in range(terms - 1)))
    for order in range(1, len(left)):
        for i in range(order + 1):
            total = added(total, matmul(left[i], right[order - i]))
    for _ in range(terms - 1):  # so that no term overlaps the next
        parts = list(total)
        for k in range(terms - 1, 0, -1):
            parts[k - 1], parts[k] = two_sum(parts[k - 1], parts[k])
        total = tuple(parts)
    return total


def matmul(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """a @ b; for many small matrices as a sum of outer products, which spares a call for each."""
    inner = a.shape[-1]
    if a.ndim < 3 or inner > 8:
        return a @ b
    total = a[..., :, :1] * b[..., :1, :]
    for k in range(1, inner):
        total += a[..., :, k : k + 1] * b[..., k : k + 1, :]
    return total


class Congruence:
    """W M W^T and W v for a float matrix W (.., d, d), in `terms` floats, of products cut to `bits` bits."""

    def __init__(self, white: np.ndarray, terms: int, bits: int):
        self.inner, self.terms, self.bits = white.shape[-1], terms, bits
        self.white = _cut((white, np.zeros(white.shape)), self.inner, bits)

    def _product(self, left: list[np.ndarray], right: Expansion) -> Expansion:
        return _product(left, _cut(right, self.inner, self.bits), self.terms)

    def matrix(self, matrix: Expansion) -> Expansion:
        """W M W^T."""
        half = self._product(self.white, turned(matrix))
        return _product(_cut(half, self.inner, self.bits), self.white, self.terms)

    def vector(self, vector: Expansion) -> Expansion:
        """W v; v has shape (.., d), the result (.., d, 1)."""
        return self._product(self.white, tuple(part[..., None, :] for part in vector))


class Halved:
    """A matrix in two floats as its first slice and the rest, rounded: of products, what is rounded is as small as a
    rest, about 2^-24 of the whole.
    """

    def __init__(self, matrix: Expansion):
        self.lead = _lead(matrix[0], _width(matrix[0].shape[-1]))
        self.rest = matrix[0] - self.lead
        if len(matrix) > 1:
            self.rest += matrix[1]

    def times(self, other: Halved) -> Expansion:
        """The product with the transpose of another, as a sum of two matrices."""
        lead, rest = (np.swapaxes(part, -1, -2) for part in (other.lead, other.rest))
        small = matmul(self.lead, rest)
        small += matmul(self.rest, lead + rest)
        return matmul(self.lead, lead), small


def congruent(white: Halved, matrix: Expansion) -> np.ndarray:
    """W M W^T for a float matrix W and a symmetric M in two floats, rounded once from about 77 bits of each row."""
    half = two_sum(*white.times(Halved(matrix)))
    return symmetric(np.add(*Halved(half).times(white)))


def balanced(matrix: np.ndarray) -> np.ndarray:
    """Powers of two (.., d) that bring the diagonal of a positive matrix, scaled from both sides, close to 1."""
    return 2.0 ** -np.rint(np.log2(np.diagonal(matrix, axis1=-2, axis2=-1)) / 2)


def scaled(matrix: Expansion, scale: np.ndarray) -> Expansion:
    """Rows and columns multiplied by powers of two."""
    factor = scale[..., :, None] * scale[..., None, :]
    return tuple(part * factor for part in matrix)


def whitened_pencil(gap: Expansion, base: Expansion, mean: Expansion) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Eigenvalues (ascending) of the pencil (gap, base), |coordinates| of mean in its eigenbasis, and the
    condition of `base` with its diagonal scaled to about 1: the trace of the inverse.

    A float Cholesky factor whitens `base` up to its condition number; that congruence is then applied to twice the
    precision, and what is left of `base` is so close to the identity, I + F, that (I + F)^{-1/2} = I - F/2 to rounding,
    or that a second, plain whitening loses nothing.
    """
    scale = balanced(base[0])
    gap, base, mean = scaled(gap, scale), scaled(base, scale), tuple(part * scale for part in mean)
    inverse = _inverse_factor(base[0])
    condition = (inverse * inverse).sum(axis=(-2, -1))
    by = Halved((inverse,))
    if gap[0].size < _FEW and gap[0].shape == base[0].shape:  # calls then cost more than numbers: both at once
        white, moved = congruent(by, tuple(map(np.stack, zip(base, gap))))
    else:
        white, moved = (congruent(by, part) for part in (base, gap))
    shift = np.add(*by.times(Halved(tuple(part[..., None, :] for part in mean))))
    each = np.arange(white.shape[-1])
    defect = white.copy()
    defect[..., each, each] -= 1
    if np.abs(defect).sum(axis=-1).max() < _SLIGHT:
        half = 0.5 * matmul(defect, moved)
        pencil, shift = moved - (half + np.swapaxes(half, -1, -2)), shift - 0.5 * (defect @ shift)
    else:
        second = _inverse_factor(white)
        pencil, shift = symmetric(matmul(matmul(second, moved), np.swapaxes(second, -1, -2))), second @ shift
    values, vectors = np.linalg.eigh(pencil)
    coordinates = np.swapaxes(vectors, -1, -2) @ shift
    return values, np.abs(coordinates[..., 0]), condition


def _inverse_factor(matrix: np.ndarray) -> np.ndarray:
    """The inverse of the lower Cholesky factor."""
    factor = np.linalg.cholesky(matrix)
    if matrix.shape[-1] < _LARGE or matrix.size > matrix.shape[-1] ** 2:
        return np.linalg.inv(factor)
    (upper, _) = dtrtri(factor.reshape(matrix.shape[-2:]).T)  # by its columns, which spares a copy
    return upper.T.reshape(matrix.shape)


def symmetric(matrix: np.ndarray) -> np.ndarray:
    """The mean of a matrix and its transpose."""
    return (matrix + np.swapaxes(matrix, -1, -2)) / 2
