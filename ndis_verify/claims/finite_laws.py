"""Laws with three or four points, on which statements about any laws are attacked in exact sums."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ndis_verify.court.domain import continuous, stacked, vector

P, Q, R = (vector(name, 4, "1e-6", 1, "log") for name in ("p", "q", "w"))


REAL = continuous("epsilon", -3, 6)


NOISE = 1e-12


QUICK = 1500


def law(name: str, columns: Mapping[str, Any]) -> np.ndarray:
    """Probabilities of four points, row by row."""
    weights = stacked(name, columns)
    return weights / weights.sum(axis=-1, keepdims=True)


def divergence(first: np.ndarray, second: np.ndarray, epsilon: Any) -> np.ndarray:
    """sum (p - e^eps q)_+."""
    return np.maximum(first - np.exp(np.asarray(epsilon))[..., None] * second, 0).sum(axis=-1)


def divergence_of(columns):
    return divergence(law("p", columns), law("q", columns), columns["epsilon"])
