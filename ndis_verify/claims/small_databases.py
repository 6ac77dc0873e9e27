"""Databases of a few records, on which statements about data matrices are attacked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ndis_verify.court.domain import Condition, continuous, stacked, vector
from ndis_verify.court.margins import box

ROWS, FEATURES = 4, 2


ENTRIES = vector("x", ROWS * FEATURES, -3, 3)


SCALE = continuous("size", "0.01", 10, "log")  # of the row that is deleted


ROUNDING = 1e-7  # of matrices conditioned up to about 1e4


def data(columns: Mapping[str, Any]) -> np.ndarray:
    """(points, 4, 2): the first row scaled by `size`; of one exact point as floats."""
    rows = stacked("x", columns).astype(float).reshape(-1, ROWS, FEATURES)
    size = np.reshape(np.asarray(columns["size"], float), (-1, 1, 1))
    return np.concatenate([rows[:, :1] * size, rows[:, 1:]], axis=1)


def gram(rows: np.ndarray) -> np.ndarray:
    return np.swapaxes(rows, 1, 2) @ rows


def leverage(rows: np.ndarray) -> np.ndarray:
    """Of the first row, d^T (D^T D)^{-1} d."""
    return (rows[:, 0] * np.linalg.solve(gram(rows), rows[:, 0, :, None])[..., 0]).sum(axis=-1)


def well_conditioned(**columns: Any) -> np.ndarray:
    values = np.linalg.eigvalsh(gram(data(columns)[:, 1:]))
    return values[:, 0] > 1e-2 * values[:, -1]


def below_one(rows_of: Callable[[Mapping[str, Any]], np.ndarray]) -> Callable[..., np.ndarray]:
    """Whether 1 less the leverage of the first row, which float64 holds to 2^-53 only, has 9 digits left."""

    def holds(**columns: Any) -> np.ndarray:
        rows = rows_of(columns)
        return np.linalg.det(gram(rows[:, 1:])) > 1e-6 * np.linalg.det(gram(rows))

    return holds


FULL_RANK = Condition("B^T B well conditioned without the row", well_conditioned)


LEVERAGE_BELOW_ONE = Condition("leverage at most 1 - 1e-6", below_one(data))


DATABASE = box(ENTRIES, SCALE, constraints=(FULL_RANK,))


def by_qr(columns, power=2):
    # The row of Q = B R^{-1} is solved for: as reflections make it, a small one has lost its digits.
    rows = data(columns)
    root = np.swapaxes(np.linalg.qr(rows, mode="r"), 1, 2)
    return (np.abs(np.linalg.solve(root, rows[:, 0, :, None])) ** power).sum(axis=(1, 2))


def relative_spectrum(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Eigenvalues of second^{-1/2} first second^{-1/2}, ascending."""
    root = np.linalg.cholesky(second)
    half = np.linalg.solve(root, first)
    return np.linalg.eigvalsh(np.linalg.solve(root, np.swapaxes(half, 1, 2)))
