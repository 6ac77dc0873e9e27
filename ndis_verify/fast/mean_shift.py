"""The Gaussian mechanism: two Gaussians with one covariance and different means, in closed form."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import erfcx, log_ndtr

from ndis_verify.calibrator import keyword_only, say_where_needless
from ndis_verify.exact_number import InputError
from ndis_verify.fast.calibration import SAFETY, probabilities
from ndis_verify.fast.curve import checked_epsilons, log_below_zero
from ndis_verify.fast.safe_root import safe_root

_STEP = 0.11
_NODES = np.arange(-42, 58) * _STEP
_POINTS = np.exp(_NODES - np.exp(-_NODES))
_WEIGHTS = _STEP * _POINTS * (1 + np.exp(-_NODES))
_HALF_LOG_2PI = 0.9189385332046727417803297


def gaussian_hockey_stick(sensitivity: Any, std: Any, epsilon: Any) -> np.ndarray:
    """delta of N(sensitivity, std^2) against N(0, std^2): Phi(D/2 - e/D) - e^epsilon Phi(-D/2 - e/D), D = sensitivity/std.

    N26-P1, BW-T8. The arguments broadcast; sensitivity >= 0 and std > 0 in one unit, epsilon of either sign.
    Relative error about 1e-13 down to underflow. Raises `InputError`.
    """
    with np.errstate(under="ignore"):
        return np.clip(np.exp(log_gaussian_hockey_stick(sensitivity, std, epsilon)), 0.0, 1.0)


def log_gaussian_hockey_stick(sensitivity: Any, std: Any, epsilon: Any) -> np.ndarray:
    """log of `gaussian_hockey_stick`; -inf where sensitivity = 0."""
    sensitivity, std = _checked(sensitivity, "sensitivity", zero=True), _checked(std, "std", zero=False)
    epsilon = checked_epsilons(epsilon, negative=True)
    with np.errstate(all="ignore"):
        shift, epsilon = np.broadcast_arrays(sensitivity / std, epsilon)
        value = _log_delta(shift, np.abs(epsilon))
        return np.where(epsilon < 0, log_below_zero(epsilon, (value, np.full(value.shape, np.nan))), value)[()]


@keyword_only
def gaussian_std(sensitivity: Any, *, epsilon: Any, delta: Any) -> np.ndarray:
    """The smallest std with `gaussian_hockey_stick(sensitivity, std, epsilon) <= delta` (BW-Alg1, BW-T9), safe side.

    The arguments broadcast; sensitivity >= 0, epsilon >= 0, 0 < delta <= 1; std in the unit of sensitivity.
    The returned std was evaluated: its delta is at most the target, and a relative 1e-12 of delta below it is kept as
    a margin for rounding. 0, with a `NoNoiseNeeded` warning, where sensitivity = 0 or delta = 1. Raises `InputError`.
    """
    sensitivity, epsilon = _checked(sensitivity, "sensitivity", zero=True), _checked(epsilon, "epsilon", zero=True)
    target = probabilities(delta, "delta")
    if (target == 0).any():
        raise InputError("delta", 0.0, "must be positive: no finite std reaches 0")
    sensitivity, epsilon, target = np.broadcast_arrays(sensitivity, epsilon, target)
    shape = target.shape
    sensitivity, epsilon, goal = sensitivity.ravel(), epsilon.ravel(), np.log(target).ravel()
    result = np.zeros(goal.shape)
    search = np.flatnonzero((sensitivity > 0) & (goal < 0))

    def excess(log_std: np.ndarray, index: np.ndarray) -> np.ndarray:
        k = search[index]
        return _log_delta(np.exp(-log_std), epsilon[k]) - goal[k] + SAFETY

    if search.size:
        with np.errstate(all="ignore"):
            unsafe, safe = _bracket(excess, search.size)
            result[search] = sensitivity[search] * np.exp(safe_root(excess, safe, unsafe))
    say_where_needless("gaussian_std", result.reshape(shape) == 0, "the sensitivity is 0 or delta is 1")
    _widen(sensitivity, result, epsilon, goal, search)
    return result.reshape(shape)[()]


def _widen(sensitivity, std, epsilon, goal, search) -> None:
    """The last check, on the returned numbers themselves."""
    with np.errstate(all="ignore"):
        while search.size:
            search = search[_log_delta(sensitivity[search] / std[search], epsilon[search]) > goal[search]]
            std[search] *= 1 + 4e-16


def _bracket(excess: Any, size: int) -> tuple[np.ndarray, np.ndarray]:
    """Logarithms of an unsafe and a safe std for sensitivity 1."""
    index = np.arange(size)
    unsafe, safe = np.full(size, -1.0), np.full(size, 1.0)
    for ends, sign, wrong in ((unsafe, -1.0, -1.0), (safe, 1.0, 1.0)):
        step, live = 1.0, index
        while live.size and step < 1e3:
            bad = wrong * excess(ends[live], live) > 0
            live = live[bad]
            ends[live] += sign * step
            step *= 2
    return unsafe, safe


def _checked(value: Any, argument: str, zero: bool) -> np.ndarray:
    try:
        array = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise InputError(argument, value, "must be a number or an array of numbers") from None
    bad = ~(np.isfinite(array) & ((array >= 0) if zero else (array > 0)))
    if bad.any():
        raise InputError(argument, float(array[bad].flat[0]), "must be finite and " + ("at least 0" if zero else "positive"))
    return array


def _log_delta(shift: np.ndarray, epsilon: np.ndarray) -> np.ndarray:
    """log delta at D = shift. With a = e/D - D/2, b = a + D: delta = phi(a) (m(a) - m(b)), m = (1 - Phi)/phi."""
    a = epsilon / shift - shift / 2
    b = epsilon / shift + shift / 2
    upper, lower = (np.sqrt(np.pi / 2) * erfcx(x / np.sqrt(2)) for x in (a, b))
    near = (a > -1) & (lower > 0.5 * upper)
    with np.errstate(all="ignore"):
        # log Phi(-a) + log(1 - e^epsilon Phi(-b)/Phi(-a)); erfcx overflows for a << 0, where the ratio is tiny
        ratio = np.where(a > -30, lower / upper, np.exp(epsilon + log_ndtr(-b) - log_ndtr(-a)))
        value = log_ndtr(-a) + np.log1p(-ratio)
    if near.any():
        value = np.where(near, 0.0, value)
        value[near] = -0.5 * a[near] ** 2 - _HALF_LOG_2PI + np.log(_mills_gap(a[near], shift[near]))
    return np.where(shift > 0, value, -np.inf)


def _mills_gap(a: np.ndarray, shift: np.ndarray) -> np.ndarray:
    """m(a) - m(a + D) = int_0^inf e^{-u^2/2 - a u} (1 - e^{-D u}) du, a positive integrand, for a > -1 and D small."""
    scale = (1 / (1 + np.abs(a)))[:, None]
    u = scale * _POINTS
    body = np.exp(-u * (u / 2 + a[:, None])) * -np.expm1(-shift[:, None] * u)
    return (scale * _WEIGHTS * body).sum(axis=1)
