"""Two Gaussians to be told apart: P = N(mean_p, cov_p) and Q = N(mean_q, cov_q) on R^d, held exactly."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

import numpy as np

from ndis_verify.exact_number import InputError, as_exact, as_float, exact_array, nearest_float

CovarianceKind = Literal["scaled_identity", "diagonal", "dense"]
MAX_EXACT_DIMENSION = 128


@dataclass(frozen=True, eq=False)
class Covariance:
    """A positive definite d x d matrix, stored as what it is: a scalar, a diagonal or a dense matrix.

    `entries` is read-only with 0, 1 or 2 dimensions and dtype float64 (binary64 numbers, exactly)
    or object (Fractions).
    """

    kind: CovarianceKind
    dimension: int
    entries: np.ndarray

    def exact_entries(self) -> np.ndarray:
        """The stored entries as Fractions (0-, 1- or 2-dimensional, as stored)."""
        return as_exact(self.entries)

    def float_entries(self) -> np.ndarray:
        """The stored entries rounded to float64 (0-, 1- or 2-dimensional, as stored)."""
        return as_float(self.entries)

    def dense(self) -> np.ndarray:
        """The d x d matrix as Fractions, formed on request only."""
        if self.kind == "dense":
            return self.exact_entries()
        matrix = np.full((self.dimension, self.dimension), Fraction(0), dtype=object)
        matrix[np.diag_indices(self.dimension)] = self.exact_entries()
        return matrix


@dataclass(frozen=True, eq=False)
class GaussianPair:
    """P = N(mean_p, cov_p) and Q = N(mean_q, cov_q) on R^d.

    Means: sequences of d numbers. Covariances: a number (that multiple of the identity), a sequence of d
    numbers (a diagonal) or d rows of d numbers (a dense, exactly symmetric matrix); all positive definite.
    Numbers: decimal strings, ints, Fractions, mpf or floats, each meant exactly (see `exact_number.exact`).

    Raises `InputError` (a ValueError) that names the argument and the rule: non-finite, wrong shape,
    asymmetric, not positive definite (with its smallest eigenvalue).
    """

    mean_p: np.ndarray
    cov_p: Covariance
    mean_q: np.ndarray
    cov_q: Covariance

    def __init__(self, mean_p: Any, cov_p: Any, mean_q: Any, cov_q: Any):
        mean_p = exact_array(mean_p, "mean_p", 1)
        mean_q = exact_array(mean_q, "mean_q", 1)
        if mean_p.shape != mean_q.shape:
            raise InputError(
                "mean_q", f"{mean_q.shape[0]} entries", f"must have the length of mean_p, {mean_p.shape[0]}"
            )
        dimension = mean_p.shape[0]
        object.__setattr__(self, "mean_p", mean_p)
        object.__setattr__(self, "cov_p", _covariance(cov_p, "cov_p", dimension))
        object.__setattr__(self, "mean_q", mean_q)
        object.__setattr__(self, "cov_q", _covariance(cov_q, "cov_q", dimension))

    @property
    def dimension(self) -> int:
        """d, the length of the means."""
        return self.mean_p.shape[0]

    def swapped(self) -> GaussianPair:
        """The pair (Q, P)."""
        other = object.__new__(GaussianPair)
        for name, value in (
            ("mean_p", self.mean_q),
            ("cov_p", self.cov_q),
            ("mean_q", self.mean_p),
            ("cov_q", self.cov_p),
        ):
            object.__setattr__(other, name, value)
        return other

    def exact_mean_difference(self) -> np.ndarray:
        """mean_p - mean_q as Fractions, exactly."""
        return as_exact(self.mean_p) - as_exact(self.mean_q)


def _covariance(value: Any, argument: str, dimension: int) -> Covariance:
    if isinstance(value, Covariance):
        if value.dimension != dimension:
            raise InputError(
                argument, f"dimension {value.dimension}", f"must have the dimension of the means, {dimension}"
            )
        return value
    ndim = _nesting(value)
    if ndim > 2:
        raise InputError(argument, value, "must be a number, a list (diagonal) or a square matrix")
    entries = exact_array(value, argument, ndim)
    if any(size != dimension for size in entries.shape):
        raise InputError(
            argument, f"an array of shape {entries.shape}", f"every side must have the length of the means, {dimension}"
        )
    if ndim == 2:
        _require_symmetric(entries, argument)
        _require_positive_definite(entries, argument)
        return Covariance("dense", dimension, entries)
    smallest = entries.min() if ndim else entries[()]
    if smallest <= 0:
        raise InputError(
            argument, nearest_float(smallest), "must be positive definite; this is its smallest eigenvalue"
        )
    return Covariance("diagonal" if ndim else "scaled_identity", dimension, entries)


def _nesting(value: Any) -> int:
    if isinstance(value, np.ndarray):
        return value.ndim
    depth = 0
    while hasattr(value, "__len__") and not isinstance(value, (str, bytes)):
        depth += 1
        if depth > 2 or len(value) == 0:
            break
        value = value[0]
    return depth


def _require_symmetric(matrix: np.ndarray, argument: str) -> None:
    difference = matrix != matrix.T
    if difference.any():
        i, j = (int(k) for k in np.argwhere(difference)[0])
        raise InputError(
            argument,
            f"entries ({i}, {j}) = {nearest_float(matrix[i, j])!r} and ({j}, {i}) = {nearest_float(matrix[j, i])!r}",
            "must be symmetric exactly; (S + S.T) / 2 repairs rounding",
        )


def _require_positive_definite(matrix: np.ndarray, argument: str) -> None:
    """Float64 decides where it can with a margin; otherwise exact integer elimination decides."""
    dimension = matrix.shape[0]
    floats = as_float(matrix)
    diagonal = np.diagonal(floats)
    if not (np.diagonal(matrix) > 0).all():
        raise _not_positive_definite(floats, argument)
    with np.errstate(all="ignore"):
        scale = np.sqrt(diagonal)
        scaled = floats / scale[:, None] / scale
    # A Fraction rounded to a subnormal number has lost digits.
    kept = matrix.dtype == np.float64 or diagonal.min() > 1e-290
    if kept and np.isfinite(scaled).all():
        if _smallest_eigenvalue(scaled) > 1e-14 * (10 + dimension) * dimension:
            return
    if dimension > MAX_EXACT_DIMENSION or not _leading_minors_positive(as_exact(matrix)):
        raise _not_positive_definite(floats, argument)


def _not_positive_definite(matrix: np.ndarray, argument: str) -> InputError:
    smallest = _smallest_eigenvalue(matrix)
    if math.isfinite(smallest):
        return InputError(argument, smallest, "must be positive definite; this is its smallest eigenvalue, about")
    return InputError(argument, f"a {matrix.shape[0]} x {matrix.shape[0]} matrix", "must be positive definite")


def _smallest_eigenvalue(matrix: np.ndarray) -> float:
    with np.errstate(all="ignore"):
        try:
            return float(np.linalg.eigvalsh(matrix)[0])
        except np.linalg.LinAlgError:
            return math.nan


def _leading_minors_positive(matrix: np.ndarray) -> bool:
    """Sylvester's criterion by Bareiss elimination: its pivots are the leading principal minors."""
    common = math.lcm(*(entry.denominator for entry in matrix.ravel()))
    rows = [[int(entry * common) for entry in row] for row in matrix]
    previous = 1
    for k in range(len(rows)):
        pivot = rows[k][k]
        if pivot <= 0:
            return False
        for i in range(k + 1, len(rows)):
            factor = rows[i][k]
            rows[i] = [0] * (k + 1) + [
                (pivot * rows[i][j] - factor * rows[k][j]) // previous for j in range(k + 1, len(rows))
            ]
        previous = pivot
    return True
