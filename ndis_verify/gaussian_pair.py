"""Two Gaussians to be told apart: P = N(mean_p, cov_p) and Q = N(mean_q, cov_q) on R^d, held exactly."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal

from ndis_verify.exact_number import (
    ExactArray,
    InputError,
    as_exact,
    as_float,
    exact_numbers,
    nearest_float,
    of_numpy,
)
from ndis_verify.rich import folded, wrapping

if TYPE_CHECKING:
    import numpy as np

CovarianceKind = Literal["scaled_identity", "diagonal", "dense"]
MAX_EXACT_DIMENSION = 128


@dataclass(frozen=True, eq=False)
class Covariance:
    """A positive definite d x d matrix, stored as what it is: a scalar, a diagonal or a dense matrix.

    `stored` has 0, 1 or 2 dimensions; `variances` and `rows` are what exact arithmetic asks for. What else is handed
    out are numpy's arrays.
    """

    kind: CovarianceKind
    dimension: int
    stored: ExactArray

    def variances(self) -> tuple[Fraction, ...]:
        """The d entries of the diagonal, where the matrix is one."""
        if self.kind == "dense":
            raise ValueError("kind = 'dense': must be a diagonal or a multiple of the identity")
        return self.stored.fractions * (self.dimension if self.kind == "scaled_identity" else 1)

    def rows(self) -> tuple[tuple[Fraction, ...], ...]:
        """The d rows of d entries, formed on request only."""
        if self.kind == "dense":
            return tuple(self.stored)
        zeros = (Fraction(0),) * self.dimension
        return tuple((*zeros[:k], value, *zeros[k + 1 :]) for k, value in enumerate(self.variances()))

    @property
    def entries(self) -> np.ndarray:
        """The stored entries, read-only with 0, 1 or 2 dimensions: float64 (binary64 numbers, exactly) or Fractions."""
        return self.stored.array

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
        import numpy as np

        return np.array(self.rows(), dtype=object)


@dataclass(frozen=True, eq=False)
class GaussianPair:
    """P = N(mean_p, cov_p) and Q = N(mean_q, cov_q) on R^d.

    Means: sequences of d numbers. Covariances: a number (that multiple of the identity), a sequence of d
    numbers (a diagonal) or d rows of d numbers (a dense, exactly symmetric matrix); all positive definite.
    Numbers: decimal strings, ints, Fractions, mpf or floats, each meant exactly (see `exact_number.exact`).

    Raises `InputError` (a ValueError) that names the argument and the rule: non-finite, wrong shape,
    asymmetric, not positive definite (with its smallest eigenvalue).
    """

    means: tuple[ExactArray, ExactArray]
    cov_p: Covariance
    cov_q: Covariance

    def __init__(self, mean_p: Any, cov_p: Any, mean_q: Any, cov_q: Any):
        first, second = exact_numbers(mean_p, "mean_p", 1), exact_numbers(mean_q, "mean_q", 1)
        dimension = len(first)
        if len(second) != dimension:
            raise InputError("mean_q", f"{len(second)} entries", f"must have the length of mean_p, {dimension}")
        object.__setattr__(self, "means", (first, second))
        object.__setattr__(self, "cov_p", _covariance(cov_p, "cov_p", dimension))
        object.__setattr__(self, "cov_q", _covariance(cov_q, "cov_q", dimension))

    @property
    def mean_p(self) -> np.ndarray:
        """The mean of P, read-only: float64 (binary64 numbers, exactly) or Fractions."""
        return self.means[0].array

    @property
    def mean_q(self) -> np.ndarray:
        """The mean of Q, as that of P."""
        return self.means[1].array

    @property
    def dimension(self) -> int:
        """d, the length of the means."""
        return self.cov_p.dimension

    def swapped(self) -> GaussianPair:
        """The pair (Q, P)."""
        return GaussianPair(self.means[1], self.cov_q, self.means[0], self.cov_p)

    def shift(self) -> tuple[Fraction, ...]:
        """mean_p - mean_q, exactly."""
        return tuple(p - q for p, q in zip(*(mean.fractions for mean in self.means), strict=True))

    def exact_mean_difference(self) -> np.ndarray:
        """mean_p - mean_q as Fractions, exactly."""
        return as_exact(self.mean_p) - as_exact(self.mean_q)

    def _repr_latex_(self) -> str:
        return f"$\\displaystyle {self._tex()}$"

    def _repr_html_(self) -> str:
        return folded(wrapping(self._tex()), self.dimension * 100)

    def _tex(self) -> str:
        laws = zip("PQ", self.means, (self.cov_p, self.cov_q), strict=True)
        parts = (
            f"{name} = \\mathcal{{N}}\\left({_matrix((x,) for x in m.fractions)}, {_cov(c)}\\right)"
            for name, m, c in laws
        )
        return ",\\quad ".join(parts)


def _cov(covariance: Covariance) -> str:
    if covariance.kind == "scaled_identity":
        return f"{_number(covariance.stored.fractions[0])}\\, I_{{{covariance.dimension}}}"
    if covariance.kind == "diagonal":
        return f"\\operatorname{{diag}}\\left({', '.join(map(_number, covariance.variances()))}\\right)"
    return _matrix(covariance.rows())


def _matrix(rows: Iterable[Iterable[Fraction]]) -> str:
    body = r" \\ ".join(" & ".join(map(_number, row)) for row in rows)
    return rf"\begin{{pmatrix}}{body}\end{{pmatrix}}"


def _number(value: Fraction) -> str:
    """A whole number, a short fraction, the float that it is, or the long fraction."""
    if value.denominator == 1:
        return str(value)
    if value.denominator > 1000 and abs(value) < 1e300 and Fraction(float(value)) == value:
        return repr(float(value)).replace("e", r"\cdot 10^{") + "}" * ("e" in repr(float(value)))
    return ("-" if value < 0 else "") + f"\\frac{{{abs(value.numerator)}}}{{{value.denominator}}}"


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
    entries = exact_numbers(value, argument, ndim)
    if any(size != dimension for size in entries.shape):
        raise InputError(
            argument, f"an array of shape {entries.shape}", f"every side must have the length of the means, {dimension}"
        )
    if ndim == 2:
        _require_symmetric(entries, argument)
        _require_positive_definite(entries, argument)
        return Covariance("dense", dimension, entries)
    smallest = min(entries.flat)
    if smallest <= 0:
        raise InputError(
            argument, nearest_float(smallest), "must be positive definite; this is its smallest eigenvalue"
        )
    return Covariance("diagonal" if ndim else "scaled_identity", dimension, entries)


def _nesting(value: Any) -> int:
    if of_numpy(value, "ndarray"):
        return value.ndim
    depth = 0
    while hasattr(value, "__len__") and not isinstance(value, (str, bytes)):
        depth += 1
        if depth > 2 or len(value) == 0:
            break
        value = value[0]
    return depth


def _require_symmetric(matrix: ExactArray, argument: str) -> None:
    flat, size = matrix.flat, matrix.shape[0]
    for i in range(size):
        row, column = flat[i * size : (i + 1) * size], flat[i::size]
        if row != column:
            j = next(k for k in range(size) if row[k] != column[k])
            raise InputError(
                argument,
                f"entries ({i}, {j}) = {nearest_float(row[j])!r} and ({j}, {i}) = {nearest_float(column[j])!r}",
                "must be symmetric exactly; (S + S.T) / 2 repairs rounding",
            )


def _require_positive_definite(matrix: ExactArray, argument: str) -> None:
    """Float64 decides where numpy is loaded and there is a margin; otherwise exact integer elimination decides."""
    dimension = matrix.shape[0]
    if min(matrix.flat[:: dimension + 1]) <= 0:
        raise _not_positive_definite(matrix, argument)
    if (sys.modules.get("numpy") or dimension > MAX_EXACT_DIMENSION) and _clearly_positive_definite(matrix, argument):
        return
    if dimension > MAX_EXACT_DIMENSION or not _leading_minors_positive(matrix):
        raise _not_positive_definite(matrix, argument)


def _clearly_positive_definite(matrix: ExactArray, argument: str) -> bool:
    try:
        import numpy as np
    except ImportError:
        size, rule = len(matrix), f"must have at most {MAX_EXACT_DIMENSION} rows where there is no numpy"
        raise InputError(argument, f"a {size} x {size} matrix", rule) from None

    dimension, floats = matrix.shape[0], as_float(matrix.array)
    diagonal = np.diagonal(floats)
    with np.errstate(all="ignore"):
        scale = np.sqrt(diagonal)
        scaled = floats / scale[:, None] / scale
    # A Fraction rounded to a subnormal number has lost digits.
    kept = matrix.array.dtype == np.float64 or diagonal.min() > 1e-290
    return bool(
        kept and np.isfinite(scaled).all() and _smallest_eigenvalue(scaled) > 1e-14 * (10 + dimension) * dimension
    )


def _not_positive_definite(matrix: ExactArray, argument: str) -> InputError:
    try:
        smallest = _smallest_eigenvalue(as_float(matrix.array))
    except ImportError:  # it is told without the eigenvalue
        smallest = math.nan
    if math.isfinite(smallest):
        return InputError(argument, smallest, "must be positive definite; this is its smallest eigenvalue, about")
    return InputError(argument, f"a {matrix.shape[0]} x {matrix.shape[0]} matrix", "must be positive definite")


def _smallest_eigenvalue(matrix: np.ndarray) -> float:
    import numpy as np

    with np.errstate(all="ignore"):
        try:
            return float(np.linalg.eigvalsh(matrix)[0])
        except np.linalg.LinAlgError:
            return math.nan


def _leading_minors_positive(matrix: ExactArray) -> bool:
    """Sylvester's criterion by Bareiss elimination: its pivots are the leading principal minors."""
    common = math.lcm(*(entry.denominator for entry in matrix.fractions))
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
