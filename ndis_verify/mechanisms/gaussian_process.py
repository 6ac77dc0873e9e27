"""Gaussian-process prediction at a public point, released privately: a draw from its posterior plus calibrated noise
(N26-Pr8).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import flint
import numpy as np
from numpy.typing import ArrayLike

from ndis_verify.calibrator import keyword_only
from ndis_verify.exact_number import InputError
from ndis_verify.fast.covariance_shift import Sensitivities
from ndis_verify.fast.joint_shift import Prediction
from ndis_verify.fast.sensitivity import gaussian_process as prediction
from ndis_verify.mechanisms.calibration import choice, ordinary, whole
from ndis_verify.mechanisms.exact.outputs import Draw, prediction_law
from ndis_verify.mechanisms.gaussian_output import (
    SENSITIVITIES,
    Bound,
    CalibratedGaussian,
    Envelope,
    Sensitivity,
    calibrated_posterior,
)
from ndis_verify.mechanisms.records import number_array

Kernel = Callable[[np.ndarray, np.ndarray], np.ndarray]
_ROUNDING = 1e-12  # relative to l^2, for each record: what rounding may do to a kernel matrix
_ABOVE = 1e-12  # relative to l: what rounding may leave a point above the bound; the calibration has it in


def squared_exponential(length_scale: float, amplitude: float = 1.0) -> Kernel:
    """k(x, x') = amplitude^2 e^{-|x - x'|^2/(2 length_scale^2)}: k(x, x) = amplitude^2 for every x. Raises
    `InputError`.

    Examples
    --------
    >>> from ndis_verify.mechanisms import squared_exponential
    >>> print(f"{squared_exponential(1.0)([[0.0]], [[1.0]])[0, 0]:.10f}")  # e^(-1/2)
    0.6065306597
    """
    scale, size = ordinary(length_scale, "length_scale"), ordinary(amplitude, "amplitude")

    def kernel(first: np.ndarray, second: np.ndarray) -> np.ndarray:
        first, second = _points(first, second)
        gaps = ((first[:, None, :] - second[None, :, :]) ** 2).sum(axis=-1)
        return size**2 * np.exp(-gaps / (2 * scale**2))

    def balls(points: np.ndarray) -> flint.arb_mat:
        products, top = _products(points), flint.arb(size) ** 2
        half = -1 / (2 * flint.arb(scale) ** 2)
        result = flint.arb_mat(len(points), len(points))
        for i in range(len(points)):
            result[i, i] = top
            for j in range(i):
                gap = (products[i, i] + products[j, j] - 2 * products[i, j]).nonnegative_part()
                result[i, j] = result[j, i] = top * (gap * half).exp()
        return result

    vars(kernel)["balls"] = balls
    return kernel


def linear_kernel(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """k(x, x') = x^T x': k(x, x) <= l^2 for records of norm at most l.

    first, second: points, one a row. Raises `InputError`.

    Examples
    --------
    >>> from ndis_verify.mechanisms import linear_kernel
    >>> linear_kernel([[1.0, 2.0]], [[3.0, 4.0]]).tolist()
    [[11.0]]
    """
    first, second = _points(first, second)
    return first @ second.T


def _products(points: np.ndarray) -> flint.arb_mat:
    rows = flint.arb_mat(points.tolist()) if points.size else flint.arb_mat(*points.shape)
    return rows * rows.transpose()


vars(linear_kernel)["balls"] = _products


def _points(first: Any, second: Any) -> tuple[np.ndarray, np.ndarray]:
    """Two matrices with a point in each row, of one length."""
    pair = number_array(first, "first"), number_array(second, "second")
    for name, points in zip(("first", "second"), pair):
        if points.ndim != 2 or points.shape[1] != pair[0].shape[-1]:
            raise InputError(
                name, f"shape {points.shape}", "must be a matrix with a point in each row, as long as the other's"
            )
    return pair


@keyword_only
def gaussian_process(
    kernel: Kernel,
    query: Any,
    *,
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
    semidefinite with k(x, x) <= `norm_bound`^2 = l^2 at every input and at the query. That it is semidefinite is
    declared, and a matrix of it that is not, by more than 1e-12 l^2 for each point, is refused; k(x, x) is held to (1 +
    1e-12)^2 l^2, which is what the calibration is for. A release takes a kernel with a function `balls(points)` on it,
    an `flint.arb_mat` that encloses k over all pairs of points at the precision that is set (`flint.ctx.prec`), as the
    two of this module have: what a float64 function is exactly, nobody knows. `records`: the public cap on n.
    sensitivity "joint": mean and variance moved by one record together, exact (N26-Pr8-joint); v = 0 where the
    posterior's own spread hides a record. "improved": N26-Pr8-improved; "printed": N26-Pr8. bound: see
    `calibrated_gaussian`. noise_variance > 0 of the labels; epsilon >= 0, 0 < delta < 1. Raises `InputError`.

    Examples
    --------
    >>> from ndis_verify.mechanisms import gaussian_process
    >>> from ndis_verify.mechanisms import squared_exponential
    >>> mechanism = gaussian_process(
    ...     squared_exponential(1.0), [0.5],
    ...     noise_variance=2.0, label_bound=0.5, norm_bound=1.0, records=16, epsilon=1.0, delta=1e-5,
    ... )
    >>> print(f"{mechanism.added_variance:.4f}")
    3.3565
    """
    if not callable(kernel):
        raise InputError("kernel", type(kernel).__name__, "must be a function of two matrices of points")
    noise, label, length = (
        ordinary(noise_variance, "noise_variance"),
        ordinary(label_bound, "label_bound"),
        ordinary(norm_bound, "norm_bound"),
    )
    cap, point = whole(records, "records"), np.atleast_1d(number_array(query, "query"))
    if cap > 2**53:
        raise InputError("records", records, "must be at most 2^53")
    if point.ndim != 1:
        raise InputError("query", f"shape {point.shape}", "must be one point")
    choice(sensitivity, "sensitivity", SENSITIVITIES)
    posterior = _Posterior(kernel, point, noise, label, length, cap)
    public = {
        "query": point.tolist(),
        "noise_variance": noise,
        "label_bound": label,
        "norm_bound": length,
        "records": cap,
    }
    chosen = {"epsilon": epsilon, "delta": delta, "sensitivity": sensitivity, "bound": bound}
    return calibrated_posterior(
        "Gaussian process",
        posterior.output,
        posterior.law,
        _envelopes(length * (1 + _ABOVE), label, noise, cap),
        public,
        posterior.least,
        **chosen,
    )


@dataclass(frozen=True, eq=False)
class _Posterior:
    """The law of the latent value at the public `query`, given at most `cap` records within the public bounds."""

    kernel: Kernel
    query: np.ndarray
    noise: float
    label: float
    length: float
    cap: int

    def output(self, data: Any) -> tuple[ArrayLike, ArrayLike]:
        """Mean and variance in float64."""
        inputs, labels = _records(data, len(self.query), self.label, self.cap)
        gram = _kernel_matrix(self.kernel, np.vstack([inputs, self.query]), self.length**2, self.noise)
        prior = max(float(gram[-1, -1]), 0.0)
        mean, variance = prediction(gram[:-1, :-1], gram[:-1, -1], prior, labels, self.noise)
        # that of a kernel: the posterior never falls below it
        least = prior * self.noise / (self.noise + len(labels) * self.length**2)
        if variance < least - _ROUNDING * (len(labels) + 1) * self.length**2:
            raise InputError(
                "kernel", f"posterior variance {variance:g}", f"must be positive semidefinite: at least {least:g}"
            )
        return mean, max(variance, least)

    def law(self, data: Any, variance: float) -> tuple[Draw, int]:
        """The law to draw from, exactly, with this variance more."""
        balls = getattr(self.kernel, "balls", None)
        if not callable(balls):
            raise InputError(
                "kernel", type(self.kernel).__name__, "must have a function `balls`, its exact values, to release from"
            )
        inputs, labels = _records(data, len(self.query), self.label, self.cap)
        points = np.vstack([inputs, self.query])
        # balls need no room for rounding in the noise: no database is refused for it
        _kernel_matrix(self.kernel, points, self.length**2, math.inf)
        most = self.length * (1 + _ABOVE)
        return prediction_law(lambda bits: balls(points), labels, self.noise, variance, most**2)

    @property
    def least(self) -> float | None:
        """What the variance never falls below, where the kernel's exact values are known; the query and the cap on the
        records are public.
        """
        if not callable(balls := getattr(self.kernel, "balls", None)):
            return None
        prior = float(balls(self.query[None, :])[0, 0].mid())
        return prior * self.noise / (self.noise + self.cap * self.length**2)


def _envelopes(length: float, label: float, noise: float, cap: int) -> dict[Sensitivity, Callable[[], Envelope]]:
    return {
        "joint": lambda: Prediction(length, label, noise, cap),
        "improved": lambda: improved_sensitivity(length, label, noise, cap),
        "printed": lambda: printed_sensitivity(length, label, noise, cap),
    }


def printed_sensitivity(length: float, label: float, noise: float, records: int) -> Sensitivities:
    """v -> (Delta, rho, nu, 1) as N26-Pr8 prints them, n the public cap."""

    def at(v: float) -> tuple[float, float, float, int]:
        rho = math.log1p(length**2 / v)
        return length * label * math.sqrt(records / noise / v), rho, rho, 1

    return at


def improved_sensitivity(length: float, label: float, noise: float, records: int) -> Sensitivities:
    """v -> (Delta, rho, nu, 1): the mean's step halved, the variance's bounded (N26-Pr8-improved)."""
    square, few = length**2, records * length**2 <= noise
    shift = (
        square * label * records / (noise + records * square)
        if few
        else length * label * math.sqrt(records / noise) / 2
    )
    lost = square * square / (square + noise)

    def at(v: float) -> tuple[float, float, float, int]:
        rho = math.log1p(lost / (v + square * noise / (square + noise)))
        return shift / math.sqrt(v), rho, rho, 1

    return at


def _kernel_matrix(kernel: Kernel, points: np.ndarray, most: float, noise: float) -> np.ndarray:
    """k(x, x') of all points, the query last. Raises `InputError` where it is not a covariance with a diagonal of at
    most `most`.

    Positive semidefinite, and with that k(x, x')^2 <= k(x, x) k(x', x'): up to `_ROUNDING` of `most` for each point,
    but not beyond half the noise variance.
    """
    n = len(points)
    matrix, slack = number_array(kernel(points, points), "kernel"), n * _ROUNDING * most
    if matrix.shape != (n, n):
        raise InputError("kernel", f"shape {matrix.shape}", f"must give a {n} x {n} matrix for {n} points")
    largest = float(np.diagonal(matrix).max())
    if largest > most * (1 + _ABOVE):
        raise InputError("kernel", largest, f"k(x, x) must be at most norm_bound^2 = {most:g}")
    if np.abs(matrix - matrix.T).max() > slack:
        raise InputError("kernel", "k(x, x') other than k(x', x)", "must be symmetric")
    matrix = (matrix + matrix.T) / 2
    try:
        np.linalg.cholesky(matrix + min(slack, noise / 2) * np.eye(n))
    except np.linalg.LinAlgError:
        raise InputError("kernel", f"a matrix of {n} points", "must be positive semidefinite") from None
    return matrix


def _records(data: Any, width: int, label: float, cap: int) -> tuple[np.ndarray, np.ndarray]:
    matrix = number_array(data, "data")
    if matrix.ndim != 2 or matrix.shape[1] != width + 1:
        raise InputError("data", f"shape {matrix.shape}", f"must be n x {width + 1}: {width} inputs and a label")
    if len(matrix) > cap:
        raise InputError("data", f"{len(matrix)} records", f"must have at most the public cap of {cap}")
    over = np.abs(matrix[:, -1]) > label
    if over.any():
        raise InputError(
            "data", float(matrix[over, -1][0]), f"labels, the last column, must lie in [-{label:g}, {label:g}]"
        )
    return matrix[:, :-1], matrix[:, -1]
