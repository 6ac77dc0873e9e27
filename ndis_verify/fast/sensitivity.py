"""Gaussian outputs of two learning algorithms, and how far a pair of them is apart in the terms of N26-D5."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.linalg import eigh
from scipy.special import expit

from ndis_verify.exact_number import InputError

_STEPS = 200
_SETTLED = 1e-13


def logistic_surrogate(features: Any, labels: Any, penalty: float) -> tuple[np.ndarray, np.ndarray]:
    """Mean and covariance of the logistic-regression surrogate (N26-D7).

    `argmin_theta sum log(1 + exp(-y x^T theta)) + penalty |theta|^2/2` by Newton's method, and
    `(penalty I + X^T X/4)^{-1}`. features n x d (n = 0 allowed), labels n entries of -1 or 1, penalty > 0.
    The gradient at the mean is at most 1e-13 of the sizes of its terms. Raises `InputError`.
    """
    x, y = _data(features, labels)
    if not (np.abs(y) == 1).all():
        raise InputError("labels", labels, "must be -1 or 1")
    penalty = _positive(penalty, "penalty")
    signed = x * y[:, None]
    mean = np.zeros(x.shape[1])
    identity = np.eye(x.shape[1])
    sizes = np.linalg.norm(x, axis=1)
    for _ in range(_STEPS):
        chance = expit(-(signed @ mean))
        gradient = penalty * mean - signed.T @ chance
        if np.linalg.norm(gradient) <= _SETTLED * (penalty * np.linalg.norm(mean) + sizes @ chance):
            break
        curvature = penalty * identity + x.T @ (x * (chance * (1 - chance))[:, None])
        mean = _descend(signed, penalty, mean, np.linalg.solve(curvature, gradient))
    return mean, np.linalg.inv(penalty * identity + x.T @ x / 4)


def _descend(signed: np.ndarray, penalty: float, mean: np.ndarray, step: np.ndarray) -> np.ndarray:
    """A Newton step, halved until the objective stops rising: far out the curvature is too small."""

    def objective(theta: np.ndarray) -> float:
        return float(np.logaddexp(0, -(signed @ theta)).sum() + penalty * theta @ theta / 2)

    start, size = objective(mean), 1.0
    while objective(mean - size * step) > start * (1 + 1e-15) and size > 1e-12:
        size /= 2
    return mean - size * step


def gaussian_process(gram: Any, cross: Any, prior: float, labels: Any, noise_variance: float) -> tuple[float, float]:
    """Mean and variance of a Gaussian-process prediction at one point (N26-D8).

    `k^T (K + s^2 I)^{-1} y` and `k** - k^T (K + s^2 I)^{-1} k`: gram K n x n, cross k n entries, prior k**, labels y,
    noise_variance s^2 > 0. n = 0 gives (0, k**). Raises `InputError`.
    """
    x, y = _data(gram, labels)
    k = np.asarray(cross, dtype=np.float64)
    if x.shape != (len(y), len(y)) or k.shape != y.shape:
        raise InputError("gram", x.shape, f"must be {len(y)} x {len(y)}, with as many cross entries")
    weights = np.linalg.solve(x + _positive(noise_variance, "noise_variance") * np.eye(len(y)), np.stack([y, k], axis=1))
    return float(k @ weights[:, 0]), float(prior - k @ weights[:, 1])


def loewner_sensitivity(first: tuple[Any, Any], second: tuple[Any, Any], added_variance: float) -> tuple[float, float, float]:
    """(Delta, rho_inf, nu) of an ordered pair of Gaussian outputs (mean, covariance) after adding `added_variance` I (N26-D5).

    Delta: mean difference whitened by the inflated second covariance; rho_inf: largest |log eigenvalue| of the relative
    inflated covariance; nu: |sum of the logs|. added_variance >= 0. Raises `InputError`.
    """
    if not added_variance >= 0:
        raise InputError("added_variance", added_variance, "must not be negative")
    means = [np.atleast_1d(np.asarray(mean, dtype=np.float64)) for mean, _ in (first, second)]
    inflated = [np.atleast_2d(np.asarray(cov, dtype=np.float64)) + added_variance * np.eye(len(means[0])) for _, cov in (first, second)]
    shift = means[0] - means[1]
    logs = np.log(eigh(inflated[0], inflated[1], eigvals_only=True))
    delta = float(np.sqrt(max(shift @ np.linalg.solve(inflated[1], shift), 0.0)))
    return delta, float(np.abs(logs).max()), float(abs(logs.sum()))


def _data(rows: Any, labels: Any) -> tuple[np.ndarray, np.ndarray]:
    y = np.asarray(labels, dtype=np.float64)
    x = np.asarray(rows, dtype=np.float64)
    if x.ndim != 2 or y.shape != (len(x),):
        raise InputError("labels", y.shape, f"must have one entry for each of {len(x)} rows")
    if not (np.isfinite(x).all() and np.isfinite(y).all()):
        raise InputError("rows", x.shape, "must be finite")
    return x, y


def _positive(value: float, argument: str) -> float:
    if not 0 < value < np.inf:
        raise InputError(argument, value, "must be positive and finite")
    return float(value)
