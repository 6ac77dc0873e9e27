"""Estimators that denoise a Gaussian release: post-processing of y ~ N(theta, std^2 I) with the std that was announced.

Their risks are `fast.denoising` (float64) and `oracle.certified.denoising` (certified), under the same names.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ndis_verify.exact_number import InputError
from ndis_verify.fast.denoising import james_stein_risk, positive_part_risk, soft_threshold_risk
from ndis_verify.mechanisms.calibration import choice, number, positive
from ndis_verify.mechanisms.gaussian import finite_array

DENOISERS = ("plain", "james_stein", "positive_part", "soft_threshold")


def james_stein(y: Any, std: float) -> np.ndarray:
    """`(1 - (d-2) std^2/||y||^2) y`, d the number of entries of y (BW-T11); y itself for d <= 2.

    Any shape; std > 0 in the unit of y. Below norm `std sqrt((d-2)/2)` it turns y round and lengthens it; see
    `positive_part`. The zero vector stays. Raises `InputError`.

    Examples
    --------
    >>> from ndis_verify.mechanisms import james_stein
    >>> james_stein([3.0, 4.0, 0.0], 1.0).round(9).tolist()  # 1 - 1/25 times y
    [2.88, 3.84, 0.0]
    """
    values, length, taken = _lengths(y, std)
    return values if taken == 0 else values - taken * (values / length)


def positive_part(y: Any, std: float) -> np.ndarray:
    """`max(0, 1 - (d-2) std^2/||y||^2) y`; y itself for d <= 2. Arguments as `james_stein`. Raises `InputError`.

    Examples
    --------
    >>> from ndis_verify.mechanisms import positive_part
    >>> positive_part([0.3, 0.4, 0.0], 1.0).tolist()
    [0.0, 0.0, 0.0]
    """
    values, length, taken = _lengths(y, std)
    return (
        np.zeros_like(values) if taken >= length > 0 else values if taken == 0 else values - taken * (values / length)
    )


def soft_threshold(y: Any, std: float, threshold: float | None = None) -> np.ndarray:
    """`sign(y_i) max(|y_i| - std threshold, 0)`, threshold in units of std, `sqrt(2 ln d)` unless given (BW-T12).

    Any shape; std > 0 in the unit of y, threshold >= 0. Raises `InputError`.

    Examples
    --------
    >>> from ndis_verify.mechanisms import soft_threshold
    >>> soft_threshold([3.0, 0.5, -2.0], 1.0, threshold=1.0).tolist()
    [2.0, 0.0, -1.0]
    """
    values, spread = finite_array(y, "y"), positive(std, "std")
    level = universal_threshold(values.size) if threshold is None else number(threshold, "threshold", 0.0, math.inf)
    return np.sign(values) * np.maximum(np.abs(values) - spread * level, 0.0)


def universal_threshold(d: int) -> float:
    """`sqrt(2 ln d)`."""
    return math.sqrt(2 * math.log(d))


def denoise(y: Any, std: float, method: str) -> np.ndarray:
    """One of `DENOISERS` by name.

    y, std: as in `james_stein`; method: "plain", "james_stein", "positive_part" or "soft_threshold". Raises
    `InputError`.

    Examples
    --------
    >>> from ndis_verify.mechanisms import denoise
    >>> denoise([3.0, 4.0, 0.0], 1.0, "james_stein").round(9).tolist()
    [2.88, 3.84, 0.0]
    """
    choice(method, "method", DENOISERS)
    if method == "plain":
        positive(std, "std")
        return finite_array(y, "y")
    return {"james_stein": james_stein, "positive_part": positive_part, "soft_threshold": soft_threshold}[method](
        y, std
    )


def risk(theta: Any, std: float, method: str) -> float:
    """`E||denoise(y, std, method) - theta||^2`, y ~ N(theta, std^2 I), exact up to float64. Raises `InputError`."""
    choice(method, "method", DENOISERS)
    values, spread = finite_array(theta, "theta"), positive(std, "std")
    d = values.size
    if method == "soft_threshold":
        # equal coordinates have equal risks: histograms have few different counts
        levels, counts = np.unique(np.abs(values), return_counts=True)
        return float(spread**2 * (counts * soft_threshold_risk(levels / spread, universal_threshold(d))).sum())
    if method == "plain" or d < 3:
        return d * spread**2
    function = james_stein_risk if method == "james_stein" else positive_part_risk
    return float(function(d, np.linalg.norm(values), spread))


def _lengths(y: Any, std: float) -> tuple[np.ndarray, float, float]:
    """y, its length, and what to take off it, `(d-2) std^2/||y||`; 0 where nothing is."""
    values, spread = finite_array(y, "y"), positive(std, "std")
    largest = float(np.abs(values).max())
    # squares may leave float64's range
    length = largest * float(np.linalg.norm(values / largest)) if largest > 0 else 0.0
    if values.size <= 2 or length == 0:
        return values, length, 0.0
    taken = (values.size - 2) * spread * (spread / length)
    if not max(length, taken) < math.inf:
        raise InputError("y", f"norm {length:g}", f"must be of a size that float64 can relate to std {spread:g}")
    return values, length, taken
