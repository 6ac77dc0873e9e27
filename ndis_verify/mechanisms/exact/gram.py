"""Gram matrices of float64 records without rounding, and their Cholesky factors in balls.

Columns are cut into slices of 21 binary digits, whose products over 1,024 rows are whole numbers below 2^53: BLAS adds
them exactly, in whatever order. As many slices as hold every digit give the exact matrix; fewer leave a bounded rest.
"""

from __future__ import annotations

import flint
import numpy as np

_SLICE, _ROWS = 21, 1024
_FLUSH = 64  # pieces after which sums of whole numbers leave int64
_FIRST = 4  # slices of the first attempt: 84 digits hold most columns whole


def gram(records: np.ndarray, ridge: float, bits: int) -> list[list[flint.arb]]:
    """`D^T D + ridge I` in balls, radius 0 where `bits` digits below the largest entry of each column are all there
    are.
    """
    n, d = records.shape
    exponents = np.frexp(np.abs(records).max(axis=0, initial=0.0))[1]
    every = -(-(int(exponents.max()) + 1074) // _SLICE)  # slices hold the last digit that a float64 can have
    count = min(max(_FIRST, -(-bits // _SLICE)), every)
    totals, rest = _sums(records, exponents, count)
    # |x_i| < 1 in units of 2^exponent, and at most rest_i of it is in no slice.
    result = [[flint.arb(0)] * d for _ in range(d)]
    for i in range(d):
        for j in range(i + 1):
            left = n * (rest[i] + rest[j] + rest[i] * rest[j]) * (1 + 1e-9)
            unit = int(exponents[i] + exponents[j])
            ball = flint.arb((int(totals[i][j]), unit - 2 * _SLICE * count))
            if left:
                ball += flint.arb(0, left) * flint.arb((1, unit))
            result[i][j] = result[j][i] = ball + flint.arb(ridge) if i == j else ball
    return result


def _sums(records: np.ndarray, exponents: np.ndarray, count: int) -> tuple[np.ndarray, list[float]]:
    """Sums over rows of products of the sliced columns, as whole numbers, and what no slice holds of each column."""
    n, d = records.shape
    rest = np.zeros(d)
    total = np.zeros((d, d), dtype=object)
    for start in range(0, n, _FLUSH * _ROWS):
        part = np.zeros((2 * count + 1, d, d), dtype=np.int64)
        for first in range(start, min(start + _FLUSH * _ROWS, n), _ROWS):
            slices, left = _slices(records[first : first + _ROWS], exponents, count)
            rest = np.maximum(rest, left)
            for a, one in enumerate(slices, 1):
                for b, other in enumerate(slices[:a], 1):
                    product = (one.T @ other).astype(np.int64)
                    part[a + b] += product if a == b else product + product.T
        for weight in range(2, 2 * count + 1):
            if part[weight].any():
                total += part[weight].astype(object) * (1 << _SLICE * (2 * count - weight))
    return total, rest.tolist()


def _slices(rows: np.ndarray, exponents: np.ndarray, count: int) -> tuple[list[np.ndarray], np.ndarray]:
    """Whole numbers s_1, s_2 ... with x = 2^exponent (sum_k s_k 2^(-21 k) + rest), until nothing is left; and a bound
    on the rests of a column.

    What is left stays in the unit of x, where every step is exact: scaled to the largest entry, the smallest ones would
    be lost.
    """
    left, found = rows, []
    for k in range(1, count + 1):
        found.append(np.rint(_scaled(left, _SLICE * k - exponents)))
        left = left - _scaled(found[-1], exponents - _SLICE * k)
        if not left.any():
            break
    rest = np.ldexp(np.abs(left).max(axis=0, initial=0.0), -exponents)
    return found, np.where(left.any(axis=0), rest + 2.0**-1074, 0.0)


def _scaled(values: np.ndarray, exponents: np.ndarray) -> np.ndarray:
    return values * np.ldexp(1.0, exponents) if np.abs(exponents).max() < 1000 else np.ldexp(values, exponents)


def cholesky(matrix: list[list[flint.arb]]) -> list[list[flint.arb]] | None:
    """L, lower triangular, with L L^T = matrix; None where the balls do not show the matrix positive definite."""
    factor = [row[: i + 1] for i, row in enumerate(matrix)]
    for i, row in enumerate(factor):
        for j in range(i):
            above = factor[j]
            value = row[j]
            for k in range(j):
                value -= row[k] * above[k]
            row[j] = value / above[j]
        value = row[i]
        for k in range(i):
            value -= row[k] * row[k]
        if not value > 0:
            return None
        row[i] = value.sqrt()
    return factor


def back_substituted(factor: list[list[flint.arb]], right: list[flint.arb]) -> list[flint.arb]:
    """x with L^T x = right."""
    solution = list(right)
    for i in reversed(range(len(right))):
        for k in range(i + 1, len(right)):
            solution[i] -= factor[k][i] * solution[k]
        solution[i] /= factor[i][i]
    return solution
