"""Least squares on databases of whole numbers: limit laws, leverages and residual shares, all in rationals."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from flint import fmpq, fmpq_mat

from ndis_verify.court.points import count
from ndis_verify.gaussian_pair import GaussianPair
from ndis_verify.oracle.certified.engine.balls import of_fmpq

DIRECTIONS = ("delete", "insert")
Database = tuple[tuple[int | Fraction, ...], ...]  # rows of [B b]


def _solved(database: Database) -> tuple[fmpq_mat, fmpq_mat, fmpq]:
    """(B^T B, x_opt, ||w||^2), exactly."""
    whole = fmpq_mat(len(database), len(database[0]), [_rational(v) for row in database for v in row])
    d = len(database[0]) - 1
    gram = whole.transpose() * whole
    normal = fmpq_mat(d, d, [gram[i, j] for i in range(d) for j in range(d)])
    right = fmpq_mat(d, 1, [gram[i, d] for i in range(d)])
    x = normal.inv() * right
    return normal, x, gram[d, d] - (right.transpose() * x)[0, 0]


def _rational(value: int | Fraction) -> fmpq:
    fraction = Fraction(value)
    return fmpq(fraction.numerator, fraction.denominator)


def _gaussian(database: Database, r: int) -> tuple[list[Fraction], list[list[Fraction]]]:
    """Mean and covariance of the limit law N(x_opt, (||w||^2/r)(B^T B)^{-1}), exactly."""
    normal, x, square = _solved(database)
    d = normal.nrows()
    inverse = normal.inv()
    covariance = [[of_fmpq(inverse[i, j] * square / r) for j in range(d)] for i in range(d)]
    return [of_fmpq(x[i, 0]) for i in range(d)], covariance


def limit_pair(database: Database, row: int, r: int, direction: str) -> GaussianPair:
    """The two limit laws with and without one row of [B b], in rationals; P is the larger database's for "delete"."""
    larger, smaller = _gaussian(database, r), _gaussian(database[:row] + database[row + 1 :], r)
    as_array = lambda law: (np.array(law[0], dtype=object), np.array(law[1], dtype=object))  # noqa: E731
    pair = GaussianPair(*as_array(larger), *as_array(smaller))
    return pair if direction == "delete" else pair.swapped()


def shares(database: Database, row: int) -> tuple[Fraction, Fraction]:
    """(p, q): leverage of the row in B, and p plus its share of the squared residual, exactly."""
    normal, x, square = _solved(database)
    d = normal.nrows()
    v = fmpq_mat(1, d, [_rational(entry) for entry in database[row][:d]])
    p = (v * normal.inv() * v.transpose())[0, 0]
    residual = _rational(database[row][d]) - (v * x)[0, 0]
    return of_fmpq(p), of_fmpq(p + residual * residual / square)


def databases(effort: str) -> list[tuple[Database, int]]:
    """Databases of small whole entries, full rank and nonzero residual before and after the deletion of the row."""
    rng = np.random.default_rng(41)
    found: list[tuple[Database, int]] = [(((1, 0), (1, 1), (2, 1)), 0), (((2, 1), (1, 3), (0, 1), (1, 1)), 1)]
    while len(found) < count(effort, 7, 40):
        d = int(rng.integers(1, 5))
        n = d + int(rng.integers(2, 6))
        database = tuple(tuple(int(v) for v in row) for row in rng.integers(-4, 5, (n, d + 1)))
        row = int(rng.integers(n))
        rest = np.array(database[:row] + database[row + 1 :], dtype=float)
        if np.linalg.matrix_rank(rest) == d + 1 and any(database[row]):
            found.append((database, row))
    return found
