"""Risks of denoising estimators in float64: James-Stein, its positive part, soft threshold."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import gammainc, gammaln, ndtr, xlogy

from ndis_verify.exact_number import InputError, float_array

_STEP = 0.09
_NODES = np.arange(-56, 76) * _STEP
_POINTS = np.exp(_NODES - np.exp(-_NODES))
_WEIGHTS = _STEP * _POINTS * (1 + np.exp(-_NODES))


def james_stein_risk(d: Any, norm: Any, std: Any) -> np.ndarray:
    """`E||(1 - (d-2) std^2/||y||^2) y - theta||^2`, y ~ N(theta, std^2 I_d), ||theta|| = norm (BW-T11).

    `std^2 (2 + 2 a m I)`, a = (d-2)/2, m = norm^2/(2 std^2), I = int_0^inf e^{-(a+1) w - m (1 - e^{-w})} dw: no
    cancellation. Whole d >= 3, norm >= 0 and std > 0 in one unit, the risk in its square; they broadcast. Relative
    error about 1e-13. Raises `InputError`.
    """
    d, norm, std = np.broadcast_arrays(_dimension(d), _checked(norm, "norm", True), _checked(std, "std", False))
    half, mean = (d - 2) / 2, _ratio(norm, std) ** 2 / 2
    with np.errstate(under="ignore"):
        return (std**2 * (2 + 2 * half * mean * _decay(half, mean)))[()]


def positive_part_risk(d: Any, norm: Any, std: Any) -> np.ndarray:
    """`E||max(0, 1 - (d-2) std^2/||y||^2) y - theta||^2`, y ~ N(theta, std^2 I_d), ||theta|| = norm.

    The James-Stein risk less `std^2 E[((S-c)^2/S + 2 (c/S - 1) theta.y/std^2) 1{S < c}]`, S = ||y||^2/std^2, c = d - 2:
    a Poisson mixture of lower incomplete gamma functions with nonnegative terms. Arguments as `james_stein_risk`,
    scalars or arrays. Error about 1e-14 d std^2. Raises `InputError`.
    """
    d, norm, std = np.broadcast_arrays(_dimension(d), _checked(norm, "norm", True), _checked(std, "std", False))
    gain = [_truncation_gain(float(n), float(m)) for n, m in zip(d.flat, _ratio(norm, std).flat, strict=True)]
    return (james_stein_risk(d, norm, std) - std**2 * np.reshape(gain, d.shape))[()]


def soft_threshold_risk(mean: Any, threshold: Any) -> np.ndarray:
    """`E(soft(y) - mean)^2`, y ~ N(mean, 1), soft(y) = sign(y) max(|y| - threshold, 0) (BW-T12).

    `m^2 (Phi(t-m) - Phi(-t-m)) + h(t, m) + h(t, -m)`, `h(t, m) = (1 + t^2) Phi(m-t) - (t+m) phi(t-m)`. Finite mean,
    threshold >= 0, in units of the std; they broadcast. Error about 1e-15 (1 + threshold^2), relative 1e-11 up to a
    threshold of 8. Raises `InputError`.
    """
    mean, threshold = np.broadcast_arrays(np.abs(_checked(mean, "mean", None)), _checked(threshold, "threshold", True))
    # Beyond 40 deviations above the threshold the risk is 1 + threshold^2 to the last digit.
    near = np.minimum(mean, threshold + 40)
    with np.errstate(under="ignore"):
        inside = ndtr(threshold - near) - ndtr(-threshold - near)
        return np.maximum(near**2 * inside + _beyond(threshold, near) + _beyond(threshold, -near), 0.0)[()]


def _beyond(threshold: np.ndarray, mean: np.ndarray) -> np.ndarray:
    """E[(y - threshold - mean)^2; y > threshold], y ~ N(mean, 1)."""
    density = np.exp(-((threshold - mean) ** 2) / 2) / np.sqrt(2 * np.pi)
    return (1 + threshold**2) * ndtr(mean - threshold) - (threshold + mean) * density


def _decay(half: np.ndarray, mean: np.ndarray) -> np.ndarray:
    """int_0^inf e^{-(half+1) w - mean (1 - e^{-w})} dw by a double-exponential rule, w in units of the first decay."""
    scale = (1 / (half + 1 + mean))[..., None]
    w = scale * _POINTS
    body = np.exp(-(half + 1)[..., None] * w + mean[..., None] * np.expm1(-w))
    return (scale * _WEIGHTS * body).sum(axis=-1)


def _truncation_gain(d: float, size: float) -> float:
    """What the positive part saves, at std 1 and ||theta|| = size."""
    cut, mean = d - 2, size**2 / 2
    reach = 60 + 12 * np.sqrt(d)  # beyond, S < c has a probability below 1e-30
    k = np.arange(int(reach) + 1)
    with np.errstate(under="ignore"):
        weights = np.exp(xlogy(k, mean) - mean - gammaln(k + 1))
        m = d + 2 * k
        squares = (
            cut**2 * gammainc(m / 2 - 1, cut / 2) / (m - 2)
            - 2 * cut * gammainc(m / 2, cut / 2)
            + m * gammainc(m / 2 + 1, cut / 2)
        )
        along = cut * gammainc(m / 2, cut / 2) / m - gammainc(m / 2 + 1, cut / 2)
    return float((weights * (np.maximum(squares, 0.0) + 4 * mean * np.maximum(along, 0.0))).sum())


def _ratio(norm: np.ndarray, std: np.ndarray) -> np.ndarray:
    """norm/std; from 1e140 on, where the risk is d std^2 to the last digit, 1e140."""
    with np.errstate(over="ignore"):
        return np.minimum(norm / std, 1e140)


def _dimension(d: Any) -> np.ndarray:
    array = _checked(d, "d", True)
    bad = (array < 3) | (array != np.floor(array))
    if bad.any():
        raise InputError("d", float(array[bad].flat[0]), "must be a whole number of at least 3")
    return array


def _checked(value: Any, argument: str, zero: bool | None) -> np.ndarray:
    """Finite float64; >= 0 where `zero`, > 0 where not, any sign where None."""
    array = float_array(value, argument)
    good = np.isfinite(array) if zero is None else np.isfinite(array) & ((array >= 0) if zero else (array > 0))
    if not good.all():
        rule = {None: "finite", True: "finite and at least 0", False: "finite and positive"}[zero]
        raise InputError(argument, float(array[~good].flat[0]), f"must be {rule}")
    return array
