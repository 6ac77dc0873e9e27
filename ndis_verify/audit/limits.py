"""Confidence limits of probabilities from counts: exact binomial, Jeffreys, Dvoretzky-Kiefer-Wolfowitz, total
variation.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import betainc, betaincc, betainccinv, betaincinv

from ndis_verify.arguments import real, within
from ndis_verify.exact_number import InputError, broadcast, float_array
from ndis_verify.fast.accuracy import promise

_UP = 1 + 2.0**-50  # more than what a few operations of float64 lose


MOST_TRIALS, LEAST_FAILURE = 1e15, 1e-100  # beyond these the incomplete beta function loses its digits
_MISSED = 1e-11  # relative, of a tail


def _counted(count: Any, n: Any, failure: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The three as floats of one shape, 0 <= count <= n <= 1e15 and 1e-100 <= failure < 1. Raises `InputError`."""
    given = (("count", count), ("n", n), ("failure", failure))
    k, size, share = broadcast(**{name: float_array(value, name) for name, value in given})
    within(size, "n", f"[0, {MOST_TRIALS:g}]")
    if not ((k >= 0) & (k <= size)).all():
        raise InputError("count", count, "must lie between 0 and n")
    within(share, "failure", f"[{LEAST_FAILURE:g}, 1)")
    return k, size, share


def _quantile(a: np.ndarray, b: np.ndarray, share: np.ndarray, *, above: bool = False) -> np.ndarray:
    """The x with `share` of the law Beta(a, b) below it, or above it. The arguments have one shape.

    scipy's inverse, where its answer has that share; it is wrong in the first digit for a = 1000 and b = 10^9, say.
    There bisection, whose answer is one of two neighbouring floats, the one with less than `share`.
    """
    inverse, tail = (betainccinv, betaincc) if above else (betaincinv, betainc)
    found = np.array(inverse(a, b, share))
    missed = ~(np.abs(tail(a, b, found) - share) <= _MISSED * share)  # where it is nan, too
    if missed.any():
        a, b, share = a[missed], b[missed], share[missed]
        # whole numbers whose bits are floats of the same order
        low, high = np.zeros(a.shape, np.int64), np.ones(a.shape).view(np.int64)
        while (high - low > 1).any():
            middle = (low + high) // 2
            left = (tail(a, b, middle.view(np.float64)) <= share) != above
            low, high = np.where(left, middle, low), np.where(left, high, middle)
        found[missed] = (high if above else low).view(np.float64)
    return found


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
    limit = _quantile(np.where(k > 0, k, 1.0), size - k + 1, share)
    return np.where(k > 0, limit * (1 - promise("betaincinv")), 0.0)


def clopper_pearson_upper(count: Any, n: Any, failure: Any) -> np.ndarray:
    """An upper limit of p for count ~ Bin(n, p), wrong with probability at most `failure`: 1 less the lower limit of n
    - count.

    `I^{-1}_{1-failure}(count + 1, n - count)`, written so that small limits and small failures keep their digits; 1 at
    count = n.
    Rounded up by 1e-9 of its value. Raises `InputError`.

    Examples
    --------
    >>> from ndis_verify.audit import clopper_pearson_upper
    >>> print(f"{clopper_pearson_upper(0, 100, 0.05):.7f}")
    0.0295130
    """
    k, size, share = _counted(count, n, failure)
    limit = _quantile(k + 1, np.where(k < size, size - k, 1.0), share, above=True)
    return np.where(k < size, np.minimum(limit * (1 + promise("betaincinv")), 1.0), 1.0)


def jeffreys_lower(count: Any, n: Any, failure: Any) -> np.ndarray:
    """The `failure` quantile of Beta(1/2 + count, 1/2 + n - count); 0 at count = 0. No coverage is guaranteed.

    Raises `InputError`.
    """
    k, size, share = _counted(count, n, failure)
    return np.where(k > 0, _quantile(k + 0.5, size - k + 0.5, share), 0.0)


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
    return np.where(k < size, _quantile(k + 0.5, size - k + 0.5, share, above=True), 1.0)


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
    return real(confidence, "confidence", "[0.5, 1)")
