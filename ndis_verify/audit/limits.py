"""Confidence limits of probabilities from counts: exact binomial, Jeffreys, Dvoretzky-Kiefer-Wolfowitz, total
variation.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import betainccinv, betaincinv

from ndis_verify.exact_number import InputError
from ndis_verify.fast.accuracy import promise

_UP = 1 + 2.0**-50  # more than what a few operations of float64 lose


def _counted(count: Any, n: Any, failure: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The three as floats of one shape, 0 <= count <= n and 0 < failure < 1. Raises `InputError`."""
    k, size, share = np.broadcast_arrays(*(np.asarray(v, dtype=np.float64) for v in (count, n, failure)))
    if not (np.isfinite(size) & (size >= 0)).all():
        raise InputError("n", n, "must be finite and at least 0")
    if not ((k >= 0) & (k <= size)).all():
        raise InputError("count", count, "must lie between 0 and n")
    if not ((share > 0) & (share < 1)).all():
        raise InputError("failure", failure, "must lie strictly between 0 and 1")
    return k, size, share


def clopper_pearson_lower(count: Any, n: Any, failure: Any) -> np.ndarray:
    """A lower limit of p for count ~ Bin(n, p), wrong with probability at most `failure` (Clopper and Pearson 1934).

    `I^{-1}_failure(count, n - count + 1)`, 0 at count = 0. The arguments broadcast; count may be fractional (a
    forecast). Rounded down by 1e-9 of its value. Raises `InputError`.

    Examples
    --------
    >>> from ndis_verify.audit import clopper_pearson_lower
    >>> print(f"{clopper_pearson_lower(100, 100, 0.05):.6f}")
    0.970487
    """
    k, size, share = _counted(count, n, failure)
    limit = betaincinv(np.maximum(k, 1e-12), size - k + 1, share)
    return np.where(k > 0, limit * (1 - promise("betaincinv")), 0.0)


def clopper_pearson_upper(count: Any, n: Any, failure: Any) -> np.ndarray:
    """An upper limit of p for count ~ Bin(n, p), wrong with probability at most `failure`: 1 less the lower limit of n
    - count.

    Written as `I^{-1}_{1-failure}(count + 1, n - count)`, so that small limits keep their digits; 1 at count = n.
    Rounded up by 1e-9 of its value. Raises `InputError`.

    Examples
    --------
    >>> from ndis_verify.audit import clopper_pearson_upper
    >>> print(f"{clopper_pearson_upper(0, 100, 0.05):.7f}")
    0.0295130
    """
    k, size, share = _counted(count, n, failure)
    limit = betainccinv(k + 1, np.maximum(size - k, 1e-12), share)  # 1 - share would lose the digits of a small failure
    return np.where(k < size, np.minimum(limit * (1 + promise("betaincinv")), 1.0), 1.0)


def jeffreys_lower(count: Any, n: Any, failure: Any) -> np.ndarray:
    """The `failure` quantile of Beta(1/2 + count, 1/2 + n - count); 0 at count = 0. No coverage is guaranteed.

    Raises `InputError`.
    """
    k, size, share = _counted(count, n, failure)
    return np.where(k > 0, betaincinv(k + 0.5, size - k + 0.5, share), 0.0)


def jeffreys_upper(count: Any, n: Any, failure: Any) -> np.ndarray:
    """The `1 - failure` quantile of Beta(1/2 + count, 1/2 + n - count); 1 at count = n. No coverage is guaranteed.

    Raises `InputError`.

    Examples
    --------
    >>> from ndis_verify.audit import jeffreys_upper
    >>> print(f"{jeffreys_upper(0, 1, 0.5):.9f}")
    0.163193985
    """
    k, size, share = _counted(count, n, failure)
    return np.where(k < size, betainccinv(k + 0.5, size - k + 0.5, share), 1.0)


def dkw_radius(n: int, failure: float) -> float:
    """`sqrt(log(2/failure)/(2 n))`: sup |F_n - F| exceeds it with probability at most `failure` (Massart 1990); rounded
    up.
    """
    return float(np.sqrt(np.log(2 / failure) / (2 * n))) * _UP


def tv_radius(n: int, bins: int, failure: float) -> float:
    """`sqrt(k/n)/2 + sqrt(log(1/failure)/(2 n))`: TV of n draws on k bins from their law exceeds it with probability <=
    failure.

    Mean plus deviation in the proof of KM-4.2 (Jensen; McDiarmid 1989). At failure = d/2 it is the mean of the two
    radii sqrt(k/n) and sqrt(2 log(2/d)/n) whose larger one KM-4.2 prints, so never more than printed.
    """
    return float(np.sqrt(bins / n) / 2 + np.sqrt(np.log(1 / failure) / (2 * n))) * _UP


def checked_confidence(confidence: Any) -> float:
    """`confidence` as a float in [1/2, 1). Raises `InputError`."""
    if (
        isinstance(confidence, bool)
        or not isinstance(confidence, (int, float, np.floating, np.integer))
        or not 0.5 <= confidence < 1
    ):
        raise InputError("confidence", confidence, "must lie in [0.5, 1)")
    return float(confidence)
