"""Gaussian-process prediction at a public point, released privately: a draw from its posterior plus calibrated noise (N26-Pr8)."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from ndis_verify.exact_number import InputError
from ndis_verify.fast.joint_shift import Prediction
from ndis_verify.fast.sensitivity import gaussian_process as prediction
from ndis_verify.mechanisms.calibration import positive, whole
from ndis_verify.mechanisms.gaussian_output import Bound, CalibratedGaussian, calibrated_gaussian

Sensitivity = Literal["joint", "improved", "printed"]
SENSITIVITIES = ("joint", "improved", "printed")
Kernel = Callable[[np.ndarray, np.ndarray], np.ndarray]
_ROUNDING = 1e-12


def squared_exponential(length_scale: float, amplitude: float = 1.0) -> Kernel:
    """k(x, x') = amplitude^2 e^{-|x - x'|^2/(2 length_scale^2)}: k(x, x) = amplitude^2 for every x. Raises `InputError`."""
    scale, size = positive(length_scale, "length_scale"), positive(amplitude, "amplitude")

    def kernel(first: np.ndarray, second: np.ndarray) -> np.ndarray:
        gaps = ((first[:, None, :] - second[None, :, :]) ** 2).sum(axis=-1)
        return size**2 * np.exp(-gaps / (2 * scale**2))

    return kernel


def linear_kernel(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """k(x, x') = x^T x': k(x, x) <= l^2 for records of norm at most l."""
    return first @ second.T


def gaussian_process(
    kernel: Kernel,
    query: Any,
    noise_variance: Any,
    label_bound: Any,
    norm_bound: Any,
    records: Any,
    epsilon: Any,
    delta: Any,
    sensitivity: Sensitivity = "joint",
    bound: Bound = "joint",
) -> CalibratedGaussian:
    """A draw from N(mu, S + v), the prediction of a Gaussian process at the public point `query` (N26-D8).

    Data: n x (p + 1), inputs and in the last column labels |y| <= `label_bound` = B; query: p entries. kernel: positive
    semidefinite with k(x, x) <= `norm_bound`^2 = l^2 at every input and at the query; the diagonal is checked at release.
    `records`: the public cap on n. sensitivity "joint": mean and variance moved by one record together, exact
    (N26-Pr8-joint); v = 0 where the posterior's own spread hides a record. "improved": N26-Pr8-improved; "printed":
    N26-Pr8. bound: see `calibrated_gaussian`. Raises `InputError`.
    """
    noise, label, length = positive(noise_variance, "noise_variance"), positive(label_bound, "label_bound"), positive(norm_bound, "norm_bound")
    cap, point = whole(records, "records"), np.atleast_1d(np.array(query, dtype=np.float64))
    if point.ndim != 1 or not np.isfinite(point).all():
        raise InputError("query", point.shape, "must be one finite point")
    if sensitivity not in SENSITIVITIES:
        raise InputError("sensitivity", sensitivity, f"must be one of {', '.join(SENSITIVITIES)}")

    def output(data: Any) -> tuple[np.ndarray, np.ndarray]:
        inputs, labels = _records(data, len(point), label, cap)
        gram, cross = kernel(inputs, inputs), kernel(inputs, point[None])[:, 0]
        prior = float(kernel(point[None], point[None])[0, 0])
        largest = max(prior, float(np.diagonal(gram).max(initial=0.0)))
        if largest > length**2 * (1 + _ROUNDING):
            raise InputError("kernel", largest, f"k(x, x) must be at most norm_bound^2 = {length**2:g}")
        mean, variance = prediction(gram, cross, prior, labels, noise)
        return np.array([mean]), np.array([[max(variance, 0.0)]])

    envelope = {
        "joint": lambda: Prediction(length, label, noise, cap),
        "improved": lambda: improved_sensitivity(length, label, noise, cap),
        "printed": lambda: printed_sensitivity(length, label, noise, cap),
    }[sensitivity]()
    public = {"query": point.tolist(), "noise_variance": noise, "label_bound": label, "norm_bound": length, "records": cap,
              "sensitivity": sensitivity}  # fmt: skip
    return calibrated_gaussian(output, envelope, epsilon, delta, bound, public, "Gaussian process")


def printed_sensitivity(length: float, label: float, noise: float, records: int):
    """v -> (Delta, rho, nu, 1) as N26-Pr8 prints them, n the public cap."""

    def at(v: float) -> tuple[float, float, float, int]:
        rho = math.log1p(length**2 / v)
        return length * label * math.sqrt(records / noise / v), rho, rho, 1

    return at


def improved_sensitivity(length: float, label: float, noise: float, records: int):
    """v -> (Delta, rho, nu, 1): the mean's step halved, the variance's bounded (N26-Pr8-improved)."""
    square, few = length**2, records * length**2 <= noise
    shift = square * label * records / (noise + records * square) if few else length * label * math.sqrt(records / noise) / 2
    lost = square * square / (square + noise)

    def at(v: float) -> tuple[float, float, float, int]:
        rho = math.log1p(lost / (v + square * noise / (square + noise)))
        return shift / math.sqrt(v), rho, rho, 1

    return at


def _records(data: Any, width: int, label: float, cap: int) -> tuple[np.ndarray, np.ndarray]:
    matrix = np.array(data, dtype=np.float64)
    if matrix.ndim != 2 or matrix.shape[1] != width + 1:
        raise InputError("data", matrix.shape, f"must be n x {width + 1}: {width} inputs and a label")
    if not np.isfinite(matrix).all():
        raise InputError("data", "a non-finite entry", "must be finite")
    if len(matrix) > cap:
        raise InputError("data", f"{len(matrix)} records", f"must have at most the public cap of {cap}")
    over = np.abs(matrix[:, -1]) > label
    if over.any():
        raise InputError("data", float(matrix[over, -1][0]), f"labels, the last column, must lie in [-{label:g}, {label:g}]")
    return matrix[:, :-1], matrix[:, -1]
