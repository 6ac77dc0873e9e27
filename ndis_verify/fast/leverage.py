"""Leverage scores of the rows of a database, in float64."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg

from ndis_verify.exact_number import InputError


def leverage_scores(data: Any) -> np.ndarray:
    """The leverage of every row: `p_i = d_i^T (D^T D)^{-1} d_i` (N26 eq. 1, N26-D2), the diagonal of the hat matrix.

    `data`: n x d, finite, of full column rank (so n >= d). Returns n values in [0, 1].
    Leverages do not change when columns are rescaled, so columns are first brought to unit norm; a pivoted QR
    then gives absolute errors of the order of the condition number after that scaling times 1e-16.
    Raises `InputError` where `data` is not a finite matrix or its rank is not d.
    """
    data = _full_rank_matrix(data)
    basis, triangle, _ = scipy.linalg.qr(data / np.linalg.norm(data, axis=0), mode="economic", pivoting=True)
    diagonal = np.abs(np.diagonal(triangle))
    if diagonal[-1] <= diagonal[0] * max(data.shape) * np.finfo(float).eps:
        raise InputError("data", f"a matrix of shape {data.shape}", "must have full column rank")
    return np.minimum(np.einsum("ij,ij->i", basis, basis), 1.0)


def _full_rank_matrix(data: Any) -> np.ndarray:
    try:
        matrix = np.asarray(data, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError("data", type(data).__name__, f"must be a matrix of numbers ({error})") from None
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
