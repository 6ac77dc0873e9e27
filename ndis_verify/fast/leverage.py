"""Leverage scores of the rows of a database, in float64."""

from __future__ import annotations

import numbers
import sys
from typing import Any

import numpy as np
import scipy

from ndis_verify.exact_number import InputError, require_unmasked


def leverage_scores(data: Any) -> np.ndarray:
    """The leverage of every row: `p_i = d_i^T (D^T D)^{-1} d_i` (N26 eq. 1, N26-D2), the diagonal of the hat matrix.

    `data`: n x d, finite, of full column rank (so n >= d). Returns n values in [0, 1].
    Leverages do not change when columns are rescaled, so columns are first brought to unit norm; a pivoted QR
    then gives absolute errors of the order of the condition number after that scaling times 1e-16.
    Raises `InputError` where `data` is not a finite matrix, or that condition number leaves its rank open:
    `max(n, d) 2^-52` times it is 1 or more.
    """
    data = _full_rank_matrix(data)
    scaled = np.ldexp(data, -_exponents(data))
    basis, triangle, _ = scipy.linalg.qr(scaled / np.linalg.norm(scaled, axis=0), mode="economic", pivoting=True)
    if not max(data.shape) * np.finfo(float).eps * np.linalg.cond(triangle) < 1:
        raise InputError("data", f"a matrix of shape {data.shape}", "must have full column rank")
    return np.minimum(np.einsum("ij,ij->i", basis, basis), 1.0)


def neighbourhood_leverage(data: Any, additions: Any = None, ridge: float = 0.0) -> float:
    """The leverage of the set {D, D less a record, D plus a record}: its largest over all neighbours in the set
    (N24-D6).

    `max(max_i p_i, max_u h_u/(1 + h_u))`, `p_i = d_i^T S^{-1} d_i`, `h_u = u^T S^{-1} u`, S = D^T D + ridge I: one
    factorisation, then d^2 for each record. `data`: n x d, finite; `additions`: the records u that may come in, m x d,
    by default the records of D (which then never attain the maximum); ridge >= 0 in the data's unit squared. Rounded up
    by `8 max(n, d) 2^-52` times the condition number of the scaled columns; 1 where that is all that can be said, and
    for ridge 0 where D lacks full column rank. Raises `InputError`.
    """
    data = _finite_matrix(data, "data")
    others = np.zeros((0, data.shape[1])) if additions is None else _finite_matrix(additions, "additions")
    if others.shape[1] != data.shape[1]:
        raise InputError("additions", f"shape {others.shape}", f"must have the {data.shape[1]} columns of data")
    if not isinstance(ridge, numbers.Real) or not 0 <= ridge <= sys.float_info.max:
        raise InputError("ridge", ridge, "must be nonnegative and finite")
    n, d = data.shape
    whole = np.vstack([data, np.sqrt(ridge) * np.eye(d)]) if ridge > 0 else data
    exponent = _exponents(whole)
    whole = np.ldexp(whole, -exponent)
    norms = np.linalg.norm(whole, axis=0)
    if len(whole) < d or not (norms > 0).all():
        return 1.0
    basis, triangle, order = scipy.linalg.qr(whole / norms, mode="economic", pivoting=True)
    allowance = 8 * max(n, d) * np.finfo(float).eps * np.linalg.cond(triangle)  # a pivoted diagonal may hide it: Kahan
    if not allowance < 1:
        return 1.0
    out = (basis[:n] ** 2).sum(axis=1)
    with np.errstate(all="ignore"):
        wanted = (np.ldexp(others, -exponent) / norms)[:, order]
        solved = scipy.linalg.solve_triangular(triangle, wanted.T, trans="T", check_finite=False)
        come = (solved**2).sum(axis=0)
        shares = np.concatenate([out, come / (1 + come)])
    # what leaves float64's range is a record with next to all of a direction to itself
    return float(min(shares.max(initial=0.0) + allowance, 1.0)) if np.isfinite(shares).all() else 1.0


def _exponents(matrix: np.ndarray) -> np.ndarray:
    """e of every column whose largest entry is 2^e times a number from 1/2 to 1: so scaled, no square overflows."""
    return np.frexp(np.abs(matrix).max(axis=0, initial=0.0))[1]


def _floats(data: Any, argument: str) -> np.ndarray:
    require_unmasked(data, argument)
    try:
        return np.asarray(data, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise InputError(argument, type(data).__name__, f"must be a matrix of numbers ({error})") from None


def _finite_matrix(data: Any, argument: str) -> np.ndarray:
    matrix = _floats(data, argument)
    if matrix.ndim != 2 or matrix.shape[1] == 0 or not np.isfinite(matrix).all():
        raise InputError(argument, f"shape {matrix.shape}", "must be a matrix of finite numbers with a column")
    return matrix


def _full_rank_matrix(data: Any) -> np.ndarray:
    matrix = _floats(data, "data")
    if matrix.ndim != 2:
        raise InputError("data", f"{matrix.ndim} dimension(s)", "must have 2 dimensions: records by features")
    if not np.isfinite(matrix).all():
        row, column = (int(k) for k in np.argwhere(~np.isfinite(matrix))[0])
        raise InputError("data", float(matrix[row, column]), f"entry ({row}, {column}) must be finite")
    if matrix.shape[0] < matrix.shape[1] or 0 in matrix.shape:
        raise InputError("data", f"shape {matrix.shape}", "must have at least as many rows as columns, and a column")
    if not np.abs(matrix).max(axis=0).all():
        raise InputError("data", "a column of zeros", "must have full column rank")
    return matrix
