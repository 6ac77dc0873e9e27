"""The protocol's inputs as float64 arrays, the way a library takes them."""

from __future__ import annotations

from typing import Any

import numpy as np

from ndis_verify.bench.problems import DensePair
from ndis_verify.bench.two_cdf import ChiSquareSum


def dense(inputs: dict[str, Any], name: str) -> Any:
    """One input: a vector as an array, a covariance as d x d, a count as an integer, a direction as it is, else a
    float.
    """
    value = inputs[name]
    if name.startswith("cov_"):
        return _matrix(value, len(inputs["mean_p"]))
    if isinstance(value, list):
        return np.array(value, dtype=float)
    if name == "direction":
        return value
    return int(value) if name in ("d", "r") else float(value)


def dense_pair(inputs: dict[str, Any]) -> DensePair:
    """Means as vectors, covariances as d x d matrices whatever form they were sent in."""
    return DensePair(*(dense(inputs, name) for name in ("mean_p", "cov_p", "mean_q", "cov_q")))


def law(inputs: dict[str, Any]) -> ChiSquareSum:
    """A generalized chi-square law."""
    weights, dofs, noncentralities = (dense(inputs, name) for name in ("weights", "dofs", "noncentralities"))
    return ChiSquareSum(weights, dofs, noncentralities, float(inputs["std"]), float(inputs["shift"]))


def _matrix(value: Any, d: int) -> np.ndarray:
    array = np.array(value, dtype=float)
    if array.ndim == 0:
        return array * np.eye(d)
    return np.diag(array) if array.ndim == 1 else array
