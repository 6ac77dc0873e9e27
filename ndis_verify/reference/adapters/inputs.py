"""The protocol's inputs as float64 arrays, the way a library takes them."""

from __future__ import annotations

from typing import Any

import numpy as np

from ndis_verify.bench.problems import DensePair
from ndis_verify.bench.two_cdf import ChiSquareSum


def dense_pair(inputs: dict[str, Any]) -> DensePair:
    """Means as vectors, covariances as d x d matrices whatever form they were sent in."""
    mean_p, mean_q = (np.array(inputs[name], dtype=float) for name in ("mean_p", "mean_q"))
    return DensePair(mean_p, _matrix(inputs["cov_p"], len(mean_p)), mean_q, _matrix(inputs["cov_q"], len(mean_q)))


def law(inputs: dict[str, Any]) -> ChiSquareSum:
    """A generalized chi-square law."""
    arrays = (np.array(inputs[name], dtype=float) for name in ("weights", "dofs", "noncentralities"))
    return ChiSquareSum(*arrays, float(inputs["std"]), float(inputs["shift"]))


def _matrix(value: Any, d: int) -> np.ndarray:
    array = np.array(value, dtype=float)
    if array.ndim == 0:
        return array * np.eye(d)
    return np.diag(array) if array.ndim == 1 else array
