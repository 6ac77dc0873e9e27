"""Trade-off curves in float64: Gaussian, subsampled Gaussian and Laplace pairs, and any privacy profile."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import log_ndtr, ndtr, ndtri, ndtri_exp

from ndis_verify.exact_number import InputError, float_array


def gaussian_trade_off(alpha: Any, mu: Any) -> np.ndarray:
    """`Phi(Phi^-1(1 - alpha) - mu)` (KM-2.8); the arguments broadcast, alpha in [0, 1], mu >= 0.

    Relative error about 1e-12. Raises `InputError`.
    """
    level, shift = _within("alpha", alpha, 0, 1), _within("mu", mu, 0, np.inf)
    return ndtr(-ndtri(level) - shift)


def gdp_parameter(fpr: Any, fnr: Any) -> np.ndarray:
    """`Phi^-1(1 - fpr) - Phi^-1(fnr)` (KM-eq2.4); the arguments broadcast, both in (0, 1). Raises `InputError`."""
    first, second = _within("fpr", fpr, 0, 1, strict=True), _within("fnr", fnr, 0, 1, strict=True)
    return -ndtri(first) - ndtri(second)


def subsampled_gdp_parameter(rate: Any, std: Any, threshold: Any) -> np.ndarray:
    """`gdp_parameter` of x > threshold for rate N(1,std^2) + (1-rate) N(0,std^2) against N(0,std^2) (KM-S3).

    The arguments broadcast; rate in (0, 1], 0 < std < infinity. Computed from log tails. Raises `InputError`.
    """
    share, spread = _within("rate", rate, 0, 1), _within("std", std, 0, np.inf)
    cut = _within("threshold", threshold, -np.inf, np.inf)
    if (np.asarray(share) == 0).any() or (np.asarray(spread) == 0).any():
        raise InputError("rate, std", 0, "must be positive")
    with np.errstate(divide="ignore"):
        power = np.logaddexp(np.log(share) + log_ndtr((1 - cut) / spread), np.log1p(-share) + log_ndtr(-cut / spread))
    return cut / spread + ndtri_exp(power)


def laplace_trade_off(alpha: Any, mu: Any) -> np.ndarray:
    """`F(F^-1(1 - alpha) - mu)`, F the CDF of Lap(0, 1), mu = shift/scale (KM-AppC), by its three branches.

    The arguments broadcast; alpha in [0, 1], mu >= 0. Relative error about 1e-15. Raises `InputError`.
    """
    level, shift = np.broadcast_arrays(_within("alpha", alpha, 0, 1), _within("mu", mu, 0, np.inf))
    small = np.exp(-shift)
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        middle = np.where(level < 0.5, small / (4 * level), small * (1 - level))
        return np.where(level < small / 2, 1 - np.exp(shift) * level, middle)[()]


def profile_trade_off(alpha: Any, epsilons: Any, deltas: Any) -> np.ndarray:
    """`max_k max(0, 1 - delta_k - e^eps_k alpha, e^-eps_k (1 - delta_k - alpha))` (KM-2.7, KM-Alg1).

    alpha: any shape, in [0, 1]; epsilons >= 0 and deltas in [0, 1]: one axis of the same length, points of a profile
    that is the larger of the two orders of every pair. Never above the exact curve. Raises `InputError`.
    """
    level = np.asarray(_within("alpha", alpha, 0, 1))[..., None]
    eps, delta = np.asarray(_within("epsilons", epsilons, 0, np.inf)), np.asarray(_within("deltas", deltas, 0, 1))
    if eps.ndim != 1 or eps.shape != delta.shape or not eps.size:
        raise InputError("epsilons", f"shape {eps.shape}", "must be one axis of the length of deltas, not empty")
    with np.errstate(over="ignore"):
        lines = np.maximum(1 - delta - np.exp(eps) * level, np.exp(-eps) * (1 - delta - level))
    return np.maximum(lines, 0).max(axis=-1)[()]


def _within(name: str, value: Any, low: float, high: float, strict: bool = False) -> np.ndarray:
    number = float_array(value, name)
    inside = (number > low) & (number < high) if strict else (number >= low) & (number <= high) & np.isfinite(number)
    if not inside.all():
        raise InputError(
            name,
            float(number[~inside].flat[0]) if number.ndim else float(number),
            f"must lie in {'(' if strict else '['}{low}, {high}{')' if strict else ']'}",
        )
    return number
