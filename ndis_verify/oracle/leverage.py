"""Leverage scores of chosen rows of a database, by exact rational arithmetic."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

import flint
import mpmath

from ndis_verify.arguments import nonnegative
from ndis_verify.enclosure import Enclosure
from ndis_verify.exact_number import ExactArray, InputError, exact_numbers


def leverage_scores(data: Any, rows: Sequence[int], digits: int = 30, ridge: Any = 0) -> list[Enclosure]:
    """Certified `p_i = d_i^T (D^T D + ridge I)^{-1} d_i` (N26 eq. 1, N26-D2) for i in `rows`.

    `data`: n x d exact numbers, of full column rank where ridge = 0; ridge >= 0, exact. The value is an exact rational;
    the radius covers its one rounding to `digits` significant digits. Raises `InputError` where the rank is below d or
    a row does not exist.
    """
    matrix = exact_numbers(data, "data", 2)
    for row in rows:
        if not 0 <= row < matrix.shape[0]:
            raise InputError("rows", row, f"must be between 0 and {matrix.shape[0] - 1}")
    level = nonnegative(ridge, "ridge")
    common = _common(matrix)
    integers = _cleared(matrix, common)
    gram = flint.fmpq_mat(integers.transpose() * integers)  # the common denominator cancels in p_i
    for j in range(matrix.shape[1]):
        gram[j, j] += flint.fmpq(level.numerator, level.denominator) * common**2
    if gram.rank() < matrix.shape[1]:
        raise InputError("data", f"a matrix of shape {matrix.shape}", "must have full column rank")
    records = _cleared([matrix[row] for row in rows], common).transpose()
    if len(rows) < matrix.shape[1]:
        solved, unit = gram.solve(flint.fmpq_mat(records)).numer_denom()
    else:  # whole numbers to the end: an inverse is as many columns as there are, and one product
        inverse, unit = gram.inv().numer_denom()
        solved = inverse * records
    return [_score(records, solved, k, unit, digits) for k in range(len(rows))]


def leverage_of_set(databases: Sequence[Any], digits: int = 30) -> Enclosure:
    """Certified N24-D6 by its words: the largest leverage of row i of D over all D, D' of the set with D' = D less row
    i.

    `databases`: matrices of exact numbers with one number of columns, each of full column rank; rows are compared as
    multisets. 0 where no two of them are neighbours. Raises `InputError`.
    """
    exactly = [exact_numbers(data, "databases", 2) for data in databases]
    members = {_multiset(data) for data in exactly}
    worst = Enclosure(mpmath.mpf(0), mpmath.mpf(0), "bound")
    for data in exactly:
        rows = [i for i in range(len(data)) if _multiset(data[:i] + data[i + 1 :]) in members]
        worst = max([worst, *(leverage_scores(data, rows, digits) if rows else [])], key=lambda score: score.mid)
    return worst


def _multiset(data: Iterable[tuple[Fraction, ...]]) -> tuple[tuple[Fraction, ...], ...]:
    return tuple(sorted(data))


def _cleared(rows: Iterable[Iterable[Fraction]], common: int) -> flint.fmpz_mat:
    """The rows over a common denominator of all of their entries."""
    return flint.fmpz_mat([[entry.numerator * (common // entry.denominator) for entry in row] for row in rows])


def _common(matrix: ExactArray) -> int:
    return math.lcm(*(entry.denominator for entry in matrix.fractions))


def _score(records: flint.fmpz_mat, solved: flint.fmpz_mat, k: int, unit: flint.fmpz, digits: int) -> Enclosure:
    score = flint.fmpq(sum((records[j, k] * solved[j, k] for j in range(records.nrows())), flint.fmpz(0)), unit)
    with mpmath.workdps(digits + 5):
        mid = mpmath.mpf(int(score.p)) / int(score.q)
        return Enclosure(mid, mid * mpmath.eps, "bound")
