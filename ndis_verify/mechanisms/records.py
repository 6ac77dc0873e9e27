"""Databases as a mechanism takes them: finite matrices of records, each within the public norm bound."""

from __future__ import annotations

from typing import Any

import numpy as np

from ndis_verify.exact_number import InputError
from ndis_verify.mechanisms.calibration import positive


def database(data: Any, norm_bound: float, argument: str = "data") -> np.ndarray:
    """`data` as an n x d float64 matrix whose every row has Euclidean norm at most `norm_bound`.

    n may be 0, d at least 1. A record above the bound is an error, never clipped (see `clip_norms`); what the rounding of
    a norm may hide, (d + 2) 2^-52 of it, is let pass, and is far below the margins of every calibration.
    Raises `InputError`.
    """
    matrix = _matrix(data, argument)
    bound = positive(norm_bound, "norm_bound")
    norms = np.linalg.norm(matrix, axis=1)
    over = np.flatnonzero(norms > bound * (1 + 2.0**-52 * (matrix.shape[1] + 2)))
    if over.size:
        row = int(over[0])
        raise InputError(argument, f"row {row} of norm {norms[row]:.17g}", f"must have a norm of at most {bound:.17g}; clip_norms clips")
    return matrix


def clip_norms(data: Any, norm_bound: float) -> np.ndarray:
    """Every row scaled down to Euclidean norm `norm_bound` where it exceeds it, the others untouched. Raises `InputError`."""
    matrix = _matrix(data, "data")
    bound = positive(norm_bound, "norm_bound")
    norms = np.linalg.norm(matrix, axis=1)
    clipped = matrix * np.minimum(1.0, bound / np.maximum(norms, np.finfo(float).tiny))[:, None]
    while (over := np.linalg.norm(clipped, axis=1) > bound).any():  # rounding may leave the norm an ulp above
        clipped[over] *= 1 - 2.0**-52
    return clipped


def _matrix(data: Any, argument: str) -> np.ndarray:
    try:
        matrix = np.array(data, dtype=np.float64, order="C")  # one layout, so that a norm is one number wherever it is taken
    except (TypeError, ValueError) as error:
        raise InputError(argument, type(data).__name__, f"must be a matrix of numbers ({error})") from None
    if matrix.ndim != 2 or matrix.shape[1] == 0:
        raise InputError(argument, f"shape {matrix.shape}", "must have 2 dimensions, records by features, and a column")
    if not np.isfinite(matrix).all():
        row, column = (int(k) for k in np.argwhere(~np.isfinite(matrix))[0])
        raise InputError(argument, float(matrix[row, column]), f"entry ({row}, {column}) must be finite")
    return matrix
