"""The attacks on the claims about sensitivity."""

from __future__ import annotations

import numpy as np
from scipy.special import expit

from ndis_verify.claims.small_databases import (
    ENTRIES,
    FEATURES,
    ROWS,
)
from ndis_verify.court.domain import choice, continuous, vector
from ndis_verify.court.margins import box, search
from ndis_verify.fast.sensitivity import gaussian_process, logistic_surrogate


def _gradient(columns, factor=1.0):
    x = np.array([columns[f"x_{i}"] for i in range(1, 9)]).reshape(ROWS, FEATURES)
    y = np.array([columns[f"label_{i}"] for i in range(1, ROWS + 1)], dtype=float)
    penalty = columns["penalty"]
    mean, cov = logistic_surrogate(x, y, penalty)
    chance = expit(-y * (x @ mean))
    slope = factor * penalty * mean - (x * y[:, None]).T @ chance
    size = penalty * np.abs(mean).sum() + np.abs(x).sum() + np.finfo(float).tiny
    spread = np.linalg.eigvalsh(cov)
    return min(float(spread[0]) - 1 / (penalty + (x**2).sum() / 4) * (1 - 1e-9), -float(np.abs(slope).max() / size))


MINIMISER = search(
    "gradient at the minimiser, and the least eigenvalue of the covariance over 1/(lambda + tr X^T X/4)",
    lambda **c: _gradient(c),
    box(ENTRIES, *(choice(f"label_{i + 1}", (1, -1)) for i in range(ROWS)), continuous("penalty", "0.01", 10, "log")),
    {"penalty doubled": lambda **c: _gradient(c, 2.0)},
    vectorised=False,
    tolerance=1e-10,
    quick=200,
    full=5000,
)


def _posterior(columns, noise=1.0):
    """The conditional law of the latent value, from the joint precision matrix, against the printed one."""
    points = np.array([columns[f"x_{i}"] for i in range(1, 9)]).reshape(ROWS, FEATURES)
    kernel = points @ points.T + 1e-3 * np.eye(ROWS)
    y = np.array([columns[f"b_{i}"] for i in range(1, ROWS)])
    variance = columns["noise"]
    mean, spread = gaussian_process(kernel[1:, 1:], kernel[0, 1:], kernel[0, 0], y, noise * variance)
    joint = kernel + variance * np.diag([0.0, 1.0, 1.0, 1.0])
    precision = np.linalg.inv(joint)
    wanted = -(precision[0, 1:] @ y) / precision[0, 0], 1 / precision[0, 0]
    gaps = abs(mean - wanted[0]) / (1 + abs(wanted[0])), abs(spread - wanted[1]) / (1 + kernel[0, 0])
    return min(spread / kernel[0, 0], -max(gaps))


CONDITIONAL = search(
    "printed mean and variance against the inverse of the joint covariance; the variance positive",
    lambda **c: _posterior(c),
    box(ENTRIES, vector("b", ROWS - 1, -3, 3), continuous("noise", "0.05", 10, "log")),
    {"noise twice as large": lambda **c: _posterior(c, 2.0)},
    vectorised=False,
    quick=200,
    full=5000,
)

ATTACKS = {
    "N26-D7": MINIMISER,
    "N26-D8": CONDITIONAL,
}
