"""The least eigenvalue of a Gram matrix in balls, and its reading with noise, rounded down to a public grid."""

from __future__ import annotations

import flint
import numpy as np

from ndis_verify.mechanisms.exact import grid
from ndis_verify.mechanisms.exact.gram import cholesky, gram
from ndis_verify.mechanisms.exact.grid import multiple, require_arithmetic
from ndis_verify.mechanisms.exact.noise import normal_ball
from ndis_verify.mechanisms.exact.normals import standard_normals
from ndis_verify.mechanisms.exact.stream import Stream

_MOST_BITS = 2**14


def noised_eigenvalue(records: np.ndarray, std: float, stream: Stream, exponent: int) -> float:
    """`lambda_min(D^T D) + std z`, rounded *down* to a multiple of 2^exponent: a lower bound read off it is no higher than the law's."""
    require_arithmetic()
    normals, bits = standard_normals(stream, "reading", 0, 1), grid.FIRST_BITS
    while bits <= _MOST_BITS:
        with flint.ctx.workprec(bits):
            reading = least_eigenvalue(records, bits) + flint.arb(std) * normal_ball(normals, 0, bits)
            whole = (reading * flint.arb((1, -exponent))).floor().unique_fmpz()
        if whole is not None:
            return multiple(int(whole), exponent)
        bits *= 2
    raise ArithmeticError("the reading lies on a point of its grid")


def least_eigenvalue(records: np.ndarray, bits: int) -> flint.arb:
    """lambda_min(D^T D), 0 for fewer records than columns: relative to the largest eigenvalue to some 2^-(bits/4).

    t is below it where the Cholesky factor of D^T D - t I exists, and not below it where a pivot is shown to be negative or 0: bisection
    around the float64 value.
    """
    n, d = records.shape
    if n < d or not records.any():
        return flint.arb(0)
    estimate = float(np.linalg.svd(records, compute_uv=False)[-1]) ** 2
    size, matrix = float(np.square(records).sum()), gram(records, 0.0, bits)
    spread, width = size * 2.0**-44, flint.arb(size) * flint.arb((1, -bits // 4))
    while not (_side(matrix, flint.arb(estimate) - spread) is True and _side(matrix, flint.arb(estimate) + spread) is False):
        spread *= 64
        if spread > 4 * size:
            return flint.arb(size / 2, size)
    low, high = flint.arb(estimate) - spread, flint.arb(estimate) + spread
    while high - low > width:
        middle = ((low + high) / 2).mid()
        side = _side(matrix, middle)
        if side is None:
            break
        low, high = (middle, high) if side else (low, middle)
    return low.union(high)


def _side(matrix: list[list[flint.arb]], level: flint.arb) -> bool | None:
    """Whether all eigenvalues are above `level`; None where the balls do not tell."""
    shifted = [[value - level if i == j else value for j, value in enumerate(row)] for i, row in enumerate(matrix)]
    if cholesky(shifted) is not None:
        return True
    return False if _negative_pivot(shifted) else None


def _negative_pivot(matrix: list[list[flint.arb]]) -> bool:
    """Whether elimination meets a pivot that is negative for sure, the ones before it being positive."""
    rows = [list(row) for row in matrix]
    for k, pivot_row in enumerate(rows):
        if pivot_row[k] <= 0:
            return True
        if not pivot_row[k] > 0:
            return False
        for i in range(k + 1, len(rows)):
            share = rows[i][k] / pivot_row[k]
            for j in range(k + 1, len(rows)):
                rows[i][j] -= share * pivot_row[j]
    return False
