"""Bayesian logistic regression released privately: a draw from its Gaussian surrogate posterior plus calibrated noise
(N26-Pr7).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ndis_verify.calibrator import keyword_only
from ndis_verify.exact_number import InputError
from ndis_verify.fast.covariance_shift import Sensitivities
from ndis_verify.fast.joint_shift import RankOne
from ndis_verify.fast.sensitivity import logistic_surrogate
from ndis_verify.mechanisms.calibration import choice, ordinary, whole
from ndis_verify.mechanisms.exact.outputs import Draw, logistic_law
from ndis_verify.mechanisms.gaussian_output import (
    SENSITIVITIES,
    Bound,
    CalibratedGaussian,
    Envelope,
    Sensitivity,
    calibrated_posterior,
)
from ndis_verify.mechanisms.records import database, number_array


@keyword_only
def logistic_regression(
    dimension: Any,
    *,
    penalty: Any,
    norm_bound: Any,
    epsilon: Any,
    delta: Any,
    sensitivity: Sensitivity = "joint",
    bound: Bound = "joint",
    records: Any = None,
) -> CalibratedGaussian:
    """A draw from N(mu, S + v I), mu = argmin sum log(1 + e^{-y x^T theta}) + penalty |theta|^2/2, S = (penalty I + X^T
    X/4)^{-1}.

    Data: n x (d + 1), features of norm at most `norm_bound` and in the last column labels -1 or 1. sensitivity "joint":
    mean and covariance moved by one record together, free of n and d (N26-Pr7-joint); "improved": N26-Pr7-improved;
    "printed": N26-Pr7. `records`, the public cap on n: needed by "printed", used by "improved", enforced at release
    where given. bound: see `calibrated_gaussian`; "joint" does not take the printed sensitivities. dimension: d
    features; penalty > 0; epsilon >= 0, 0 < delta < 1. Raises `InputError`.

    Examples
    --------
    >>> from ndis_verify.mechanisms import logistic_regression
    >>> mechanism = logistic_regression(2, penalty=3.0, norm_bound=1.0, epsilon=1.0, delta=1e-5)
    >>> print(f"{mechanism.added_variance:.4f}")
    1.5670
    """
    width, strength, length = (
        whole(dimension, "dimension"),
        ordinary(penalty, "penalty"),
        ordinary(norm_bound, "norm_bound"),
    )
    cap = None if records is None else whole(records, "records")
    choice(sensitivity, "sensitivity", SENSITIVITIES)
    if sensitivity == "printed" and cap is None:
        raise InputError("records", records, "must be given: the printed sensitivities need a public cap on n")

    def output(data: Any) -> tuple[np.ndarray, np.ndarray]:
        return logistic_surrogate(*labelled(data, width, length, cap), strength)

    def law(data: Any, variance: float) -> tuple[Draw, int]:
        features, labels = labelled(data, width, length, cap)
        return logistic_law(features, labels, strength, _start(features, labels, strength), variance)

    envelopes: dict[Sensitivity, Callable[[], Envelope]] = {
        "joint": lambda: logistic_envelope(strength, length),
        "improved": lambda: improved_sensitivity(strength, length, cap),
        "printed": lambda: printed_sensitivity(strength, length, cap or 0, width),  # refused without a cap
    }
    public = {"dimension": width, "penalty": strength, "norm_bound": length, "records": cap}
    # The least spread of a coefficient of so many records, on public grounds: what fixes the grid.
    least = 1 / (strength + (2.0**20 if cap is None else cap) * length**2 / 4)
    chosen = {"epsilon": epsilon, "delta": delta, "sensitivity": sensitivity, "bound": bound}
    return calibrated_posterior("logistic regression", output, law, envelopes, public, least, **chosen)


def _start(features: np.ndarray, labels: np.ndarray, penalty: float) -> np.ndarray:
    """A float64 solution, 0 where float64 finds none: every database has a release."""
    try:
        with np.errstate(all="ignore"):
            mean = logistic_surrogate(features, labels, penalty)[0]
    except (np.linalg.LinAlgError, InputError):
        return np.zeros(features.shape[1])
    return np.where(np.isfinite(mean), mean, 0.0)


def logistic_envelope(penalty: float, norm_bound: float) -> RankOne:
    """Mean and covariance together (N26-Pr7-joint): variances 1/(lambda + l^2/4) and 1/lambda, shift l/lambda."""
    kept = 1 / (penalty + norm_bound**2 / 4)
    return RankOne(kept, norm_bound**2 / 4 * kept / penalty, norm_bound / penalty)


def improved_sensitivity(penalty: float, norm_bound: float, records: int | None) -> Sensitivities:
    """v -> (Delta, rho, nu, 1): rho = nu free of n and d (N26-Pr7-improved); Delta in the least covariance of n
    records, v alone without a cap.
    """
    kept = 1 / (penalty + norm_bound**2 / 4)
    least = 0.0 if records is None else 1 / (penalty + records * norm_bound**2 / 4)

    def at(v: float) -> tuple[float, float, float, int]:
        rho = math.log1p(norm_bound**2 / 4 * kept / penalty / (v + kept))
        return norm_bound / penalty / math.sqrt(v + least), rho, rho, 1

    return at


def printed_sensitivity(penalty: float, norm_bound: float, records: int, dimension: int) -> Sensitivities:
    """v -> (Delta, rho, nu, d) as N26-Pr7 prints them, n the public cap."""
    extra = records * norm_bound**2 / 4
    least = 1 / (penalty + extra)

    def at(v: float) -> tuple[float, float, float, int]:
        rho = math.log1p(extra * least / penalty / (v + least))
        return norm_bound / penalty / math.sqrt(v + least), rho, dimension * rho, dimension

    return at


def labelled(data: Any, width: int, norm_bound: float, cap: int | None) -> tuple[np.ndarray, np.ndarray]:
    """Features (n x width, every norm within the bound) and labels (the last column). Raises `InputError`."""
    matrix = number_array(data, "data")
    if matrix.ndim != 2 or matrix.shape[1] != width + 1:
        raise InputError("data", f"shape {matrix.shape}", f"must be n x {width + 1}: {width} features and a label")
    if cap is not None and len(matrix) > cap:
        raise InputError("data", f"{len(matrix)} records", f"must have at most the public cap of {cap}")
    labels = matrix[:, -1]
    if not (np.abs(labels) == 1).all():
        raise InputError("data", float(labels[np.abs(labels) != 1][0]), "labels, the last column, must be -1 or 1")
    return database(matrix[:, :-1], norm_bound), labels
