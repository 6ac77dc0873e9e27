"""Gaussian outputs of two learning algorithms, and how far a pair of them is apart in the terms of N26-D5."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy
from scipy.special import expit

from ndis_verify.arguments import within
from ndis_verify.exact_number import InputError

_STEPS = 200
_SETTLED = 1e-13
_LARGEST_FEATURE = 1e150  # sums of squares of such features are numbers
_EPS = 2.0**-52
_EIGENVALUES = 32  # ulps of an eigenvalue a dimension
_TOLERATED = 1e-9
_ASYMMETRY = 1e-6  # relative to the largest entry, as of a covariance that is released
_LARGEST = 1e300


def logistic_surrogate(features: Any, labels: Any, penalty: float) -> tuple[np.ndarray, np.ndarray]:
    """Mean and covariance of the logistic-regression surrogate (N26-D7).

    `argmin_theta sum log(1 + exp(-y x^T theta)) + penalty |theta|^2/2` by Newton's method, and
    `(penalty I + X^T X/4)^{-1}`. features n x d (n = 0 allowed), labels n entries of -1 or 1, penalty > 0.
    The gradient at the mean is at most 1e-13 of the sizes of its terms; the covariance is exact to a few ulps times the
    root of its condition. Raises `InputError`; entries above 1e150, whose squares leave the range, among others.
    """
    x, y = _data(features, labels)
    if np.abs(x).max(initial=0) > _LARGEST_FEATURE:
        raise InputError("features", float(np.abs(x).max()), "must have entries of at most 1e150 in magnitude")
    if not (np.abs(y) == 1).all():
        raise InputError("labels", labels, "must be -1 or 1")
    within(penalty, "penalty", "(0, inf)")
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
    return mean, _inverse_information(x, penalty)


def _inverse_information(x: np.ndarray, penalty: float) -> np.ndarray:
    """`(penalty I + X^T X/4)^{-1}` by the singular values of X.

    In standard deviations its error grows with the root of the condition (an inverse of the sum has all of it), so that
    rounding leaves the covariances of neighbours comparable.
    """
    _, values, axes = np.linalg.svd(x, full_matrices=len(x) < x.shape[1])  # all d axes, and nothing n x n for many rows
    spread = np.full(x.shape[1], 1 / penalty)
    spread[: values.size] = 1 / (penalty + values**2 / 4)
    return (axes.T * spread) @ axes


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
    within(noise_variance, "noise_variance", "(0, inf)")
    x, y = _data(gram, labels)
    k = np.asarray(cross, dtype=np.float64)
    if x.shape != (len(y), len(y)) or k.shape != y.shape:
        raise InputError("gram", x.shape, f"must be {len(y)} x {len(y)}, with as many cross entries")
    weights = np.linalg.solve(x + noise_variance * np.eye(len(y)), np.stack([y, k], axis=1))
    return float(k @ weights[:, 0]), float(prior - k @ weights[:, 1])


def loewner_sensitivity(
    first: tuple[Any, Any], second: tuple[Any, Any], added_variance: float
) -> tuple[float, float, float]:
    """(Delta, rho_inf, nu) of an ordered pair of Gaussian outputs after adding `added_variance` I to both (N26-D5).

    With l_i the logs of the eigenvalues of S + v I relative to S' + v I: Delta = |(S' + v I)^{-1/2}(mu - mu')|, rho_inf
    = max |l_i|, nu = sum |l_i|, so that rho_inf <= nu <= d rho_inf. What is declared for an algorithm is the greatest
    of each over every ordered neighbouring pair: both orders, as Delta is greater in the smaller of the two
    covariances.

    Parameters
    ----------
    first, second : (mean, covariance), d entries and d x d, symmetric and positive semidefinite.
    added_variance : v >= 0, with which both covariances are positive definite.

    Raises
    ------
    InputError
        For bad input, and where neither S - S' nor S' - S is positive semidefinite: no bound of N26-D6 speaks of such a
        pair. The added variance drops out of the difference, so a pair is comparable at every v or at none.

    Accuracy: float64. A wrong-way part of the difference counts as rounding up to 32 d 2^-52 times the condition of
    S + S', at most 1e-9, all in units of the standard deviations; it is then added to nu, not taken off.
    """
    within(added_variance, "added_variance", "[0, inf)")
    (mean, cov), (other_mean, other_cov) = _output(first, "first"), _output(second, "second")
    if mean.shape != other_mean.shape:
        raise InputError("second", other_mean.shape, f"must have {mean.size} means, as first has")
    gap, noise = cov - other_cov, added_variance * np.eye(mean.size)
    smaller = other_cov if _first_is_greater(gap, cov + other_cov) else cov
    try:
        growth = scipy.linalg.eigh(gap, smaller + noise, eigvals_only=True)
        whitened = scipy.linalg.solve_triangular(
            scipy.linalg.cholesky(other_cov + noise, lower=True), mean - other_mean, lower=True
        )
    except np.linalg.LinAlgError:
        raise InputError("added_variance", added_variance, "must make both covariances positive definite") from None
    logs = np.log1p(np.abs(growth))  # all of one sign but for rounding
    found = float(np.linalg.norm(whitened)), float(logs.max()), float(logs.sum())
    if not np.isfinite(found).all():
        raise InputError("added_variance", added_variance, "must give sensitivities within the range of float64")
    return found


def _first_is_greater(gap: np.ndarray, total: np.ndarray) -> bool:
    """Whether S - S' (not S' - S) is positive semidefinite, from it and S + S'; raises `InputError` where
    neither is.
    """
    scale = np.sqrt(np.where(np.diag(total) > 0, np.diag(total), 1))
    least, greatest = scipy.linalg.eigvalsh(gap / np.outer(scale, scale))[[0, -1]]
    spread = scipy.linalg.eigvalsh(total / np.outer(scale, scale))
    rounding = min(_EIGENVALUES * len(gap) * _EPS * spread[-1] / max(spread[0], _EPS), _TOLERATED)
    if not min(-least, greatest) <= rounding:
        shown = f"a covariance that differs from first's by {least:.3g} to {greatest:.3g} standardised"
        raise InputError("second", shown, "must be comparable with first in the Loewner order: one at least the other")
    return greatest >= -least


def _output(pair: Any, argument: str) -> tuple[np.ndarray, np.ndarray]:
    """Mean and covariance as arrays."""
    try:
        mean, cov = (np.asarray(part, dtype=np.float64) for part in pair)
    except (TypeError, ValueError, OverflowError):
        raise InputError(argument, type(pair).__name__, "must be a mean and a covariance") from None
    mean, cov = np.atleast_1d(mean), np.atleast_2d(cov)
    if mean.ndim != 1 or not mean.size or cov.shape != (mean.size, mean.size):
        raise InputError(argument, f"shapes {mean.shape} and {cov.shape}", "must be d means and a d x d covariance")
    if not (np.abs(mean) <= _LARGEST).all() or not (np.abs(cov) <= _LARGEST).all():
        raise InputError(argument, type(pair).__name__, f"must be finite, at most {_LARGEST:g} in magnitude")
    if np.abs(cov - cov.T).max() > _ASYMMETRY * np.abs(cov).max():
        raise InputError(argument, f"covariances {np.abs(cov - cov.T).max():g} apart", "must be symmetric")
    cov = cov / 2 + cov.T / 2
    values = scipy.linalg.eigvalsh(cov)
    if values[0] < -_TOLERATED * max(values[-1], 0.0):
        raise InputError(argument, f"least eigenvalue {values[0]:g}", "must have a positive semidefinite covariance")
    return mean, cov


def _data(rows: Any, labels: Any) -> tuple[np.ndarray, np.ndarray]:
    y = np.asarray(labels, dtype=np.float64)
    x = np.asarray(rows, dtype=np.float64)
    if x.ndim != 2 or y.shape != (len(x),):
        raise InputError("labels", y.shape, f"must have one entry for each of {len(x)} rows")
    if not (np.isfinite(x).all() and np.isfinite(y).all()):
        raise InputError("rows", x.shape, "must be finite")
    return x, y
