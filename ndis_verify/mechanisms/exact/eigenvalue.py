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
    """`lambda_min(D^T D) + std z`, rounded *down* to a multiple of 2^exponent: a lower bound read off it is no higher
    than the law's.
    """
    require_arithmetic()
    normals, bits = standard_normals(stream, "reading", 0, 1), grid.FIRST_BITS
    while bits <= _MOST_BITS:
        with flint.ctx.workprec(bits):
            reading = least_eigenvalue(records, bits) + flint.arb(std) * normal_ball(normals, 0, bits)
            whole = (reading * flint.arb((1, -exponent))).floor().unique_fmpz()
        if whole is not None:
            lost = max(int(whole).bit_length() - 53, 0)  # digits that float64 has no room for, rounded down as well
            return multiple(int(whole) >> lost << lost, exponent)
        bits *= 2
    raise ArithmeticError("the reading lies on a point of its grid")


def least_eigenvalue(records: np.ndarray, bits: int) -> flint.arb:
    """lambda_min(D^T D), 0 for fewer records than columns: relative to the largest eigenvalue to some 2^-(bits/4).

    t is below it where the Cholesky factor of D^T D - t I exists, and not below it where a pivot is shown to be
    negative or 0: bisection around the float64 value.
    """
    n, d = records.shape
    if n < d or not records.any():
        return flint.arb(0)
    exponent = int(np.frexp(np.abs(records).max())[1])  # at which no square leaves float64's range
    estimate = flint.arb(float(np.linalg.svd(np.ldexp(records, -exponent), compute_uv=False)[-1]) ** 2) * flint.arb(
        (1, 2 * exponent)
    )
    matrix = gram(records, 0.0, bits)
    size = sum((matrix[i][i] for i in range(d)), flint.arb(0)).upper()
    spread, width = size * flint.arb((1, -44)), size * flint.arb((1, -bits // 4))
    while not (_side(matrix, estimate - spread) is True and _side(matrix, estimate + spread) is False):
        spread *= 64
        if spread > 4 * size:
            return flint.arb(0).union(size)
    low, high = estimate - spread, estimate + spread
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
