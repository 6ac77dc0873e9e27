"""The float64 whitening of dense pairs in compiled loops (extra `speed`), a pair at a time: the slices, products and
second step of `exact_products`, which is the reference.
"""

from __future__ import annotations

import math

import numpy as np

from ndis_verify.fast.engine import exact_products
from ndis_verify.fast.engine.compiling import compiled
from ndis_verify.fast.engine.exact_moment import Inputs
from ndis_verify.fast.engine.spectrum import NEAR_ZERO

LARGEST = 128  # dimension; beyond, routines of LAPACK are faster than loops
_SLIGHT = exact_products._SLIGHT
_MATRICES, _ROWS = 12, 6  # of work space


@compiled
def _usual(p, q, mean_p, mean_q):
    """Whether products of these numbers stay well inside the range of floats, as in `whitening`."""
    for i in range(mean_p.size):
        shift = abs(mean_p[i] - mean_q[i])
        if not (shift == 0 or NEAR_ZERO < shift < 1 / NEAR_ZERO):
            return False
        if not (NEAR_ZERO < p[i, i] < 1 / NEAR_ZERO and NEAR_ZERO < q[i, i] < 1 / NEAR_ZERO):
            return False
    return True


@compiled
def _sum(a, b):
    """a + b rounded, and its rounding error."""
    high = a + b
    part = high - a
    return high, (a - (high - part)) + (b - part)


@compiled
def _inverse_factor(matrix, factor, inverse):
    """Fill `inverse` with that of the lower Cholesky factor; whether there is one."""
    inverse[:] = 0.0
    for i in range(matrix.shape[0]):
        for j in range(i + 1):
            value = matrix[i, j]
            for k in range(j):
                value -= factor[i, k] * factor[j, k]
            if j < i:
                factor[i, j] = value / factor[j, j]
            elif value > 0:
                factor[i, i] = math.sqrt(value)
            else:
                return False
        inverse[i, i] = 1.0
        for k in range(i):
            for j in range(k + 1):
                inverse[i, j] -= factor[i, k] * inverse[k, j]
        for j in range(i + 1):
            inverse[i, j] /= factor[i, i]
    return True


@compiled
def _halve(high, low, bits, lead, rest):
    """Fill `lead` with the first `bits` bits of each row of high + low, aligned, `rest` with what is left."""
    for i in range(high.shape[0]):
        largest = 0.0
        for j in range(high.shape[1]):
            largest = max(largest, abs(high[i, j]))
        large = math.ldexp(1.5, math.frexp(largest)[1] + 52 - bits)
        for j in range(high.shape[1]):
            lead[i, j] = (high[i, j] + large) - large
            rest[i, j] = (high[i, j] - lead[i, j]) + low[i, j]


@compiled
def _onto(left, right, result):
    """Fill `result` with left @ right.T."""
    np.dot(left, right.T, result)


@compiled
def _times(lead, rest, other, small, whole, high, low, spare):
    """Fill high + low with (lead + rest) @ whole.T, whole = other + small."""
    _onto(lead, other, high)
    _onto(lead, small, low)
    _onto(rest, whole, spare)
    for i in range(high.shape[0]):
        for j in range(high.shape[1]):
            high[i, j], low[i, j] = _sum(high[i, j], low[i, j] + spare[i, j])


@compiled
def _congruence(inverse, lead, rest, high, low, bits, work):
    """Put W M W^T in the place of M = high + low, for W = inverse = lead + rest."""
    first, second, half, lost, spare = work[0], work[1], work[2], work[3], work[4]
    _halve(high, low, bits, first, second)
    _times(lead, rest, first, second, high, half, lost, spare)
    _halve(half, lost, bits, first, second)
    _times(first, second, lead, rest, inverse, high, low, spare)
    _symmetrise(high)


@compiled
def _symmetrise(matrix):
    for i in range(matrix.shape[0]):
        for j in range(i):
            matrix[i, j] = matrix[j, i] = (matrix[i, j] + matrix[j, i]) / 2


@compiled
def _whitened_again(white, moved, column, turned, work):
    """`moved` and `column` (a row) in coordinates where what is left of the second covariance, `white`, is the
    identity: a step of I - F/2 where F is small; whether it can be done."""
    spare, again, off = work[0], work[1], 0.0
    for i in range(white.shape[0]):
        white[i, i] -= 1.0
        total = 0.0
        for j in range(white.shape[0]):
            total += abs(white[i, j])
        off = max(off, total)
    if off < _SLIGHT:
        _onto(white, moved, spare)
        _onto(column, white, turned)
        for i in range(white.shape[0]):
            column[0, i] -= 0.5 * turned[0, i]
            for j in range(white.shape[0]):
                moved[i, j] -= 0.5 * (spare[i, j] + spare[j, i])
        return True
    for i in range(white.shape[0]):
        white[i, i] += 1.0
    if not _inverse_factor(white, spare, again):
        return False
    _onto(again, moved, spare)
    _onto(spare, again, moved)
    _symmetrise(moved)
    _onto(column, again, turned)
    for i in range(column.size):
        column[0, i] = turned[0, i]
    return True


@compiled
def _pencil(p, q, mean_p, mean_q, bits, work, rows):
    """Eigenvalues, coordinates (a row) of the mean difference, and the condition of q; that is inf, and the others mean
    nothing, where floats do not tell that q is positive definite."""
    high, low, base, zero, inverse, lead, rest = work[0], work[1], work[2], work[3], work[4], work[5], work[6]
    scale, shift, lost, first, second, column = rows[0], rows[1], rows[2], rows[3], rows[4], rows[5]
    for i in range(scale.size):
        scale[0, i] = 2.0 ** -np.rint(math.log2(q[i, i]) / 2)
    for i in range(scale.size):
        shift[0, i], lost[0, i] = _sum(scale[0, i] * mean_p[i], -scale[0, i] * mean_q[i])
        for j in range(scale.size):
            factor = scale[0, i] * scale[0, j]
            base[i, j], zero[i, j] = factor * q[i, j], 0.0
            high[i, j], low[i, j] = _sum(factor * p[i, j], -factor * q[i, j])
    values, condition = scale[0], math.inf
    if _inverse_factor(base, work[7], inverse):
        _halve(inverse, zero, bits, lead, rest)
        _congruence(inverse, lead, rest, high, low, bits, work[7:])
        _congruence(inverse, lead, rest, base, zero, bits, work[7:])
        _halve(shift, lost, bits, first, second)
        _times(first, second, lead, rest, inverse, column, shift, lost)
        if _whitened_again(base, high, column, shift, work[7:]):
            values, vectors = np.linalg.eigh(high)
            _onto(column, vectors.T, shift)
            condition = 0.0
            for i in range(scale.size):
                for j in range(i + 1):
                    condition += inverse[i, j] * inverse[i, j]
    return values, shift, condition


@compiled
def _pencils(p, q, mean_p, mean_q, bits, alpha, shift, condition):
    """Fill `alpha` and `shift` (n, d), `condition` (n,); whether all pairs are of numbers that are not far from 1."""
    d = alpha.shape[1]
    work, rows = np.empty((_MATRICES, d, d)), np.empty((_ROWS, 1, d))
    for n in range(condition.size):
        # What is shared has one row.
        a, b = p[min(n, p.shape[0] - 1)], q[min(n, q.shape[0] - 1)]
        left, right = mean_p[min(n, mean_p.shape[0] - 1)], mean_q[min(n, mean_q.shape[0] - 1)]
        if not _usual(a, b, left, right):
            return False
        values, column, condition[n] = _pencil(a, b, left, right, bits, work, rows)
        for i in range(d):
            alpha[n, i], shift[n, i] = values[i], abs(column[0, i])
    return True


def pencils(inputs: Inputs) -> tuple[np.ndarray, np.ndarray, np.ndarray] | None:
    """`whitened_pencil` of pairs of floats, with a condition of inf where that would fail; None where numbers are so
    far from 1 that products of them might leave the range of floats."""
    shape = inputs.size, inputs.mean_p.shape[-1]
    alpha, shift, condition = np.empty(shape), np.empty(shape), np.empty(shape[0])
    parts = (np.array(part, order="C") for part in (inputs.p, inputs.q, inputs.mean_p, inputs.mean_q))
    usual = _pencils(*parts, exact_products._width(shape[1]), alpha, shift, condition)
    return (alpha, shift, condition) if usual else None
