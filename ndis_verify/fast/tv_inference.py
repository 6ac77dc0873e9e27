"""One parameter read off one divergence, in float64: threshold attacks, and the std behind a total variation
distance.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import erf, erfinv

from ndis_verify.arguments import within
from ndis_verify.calibrator import keyword_only
from ndis_verify.exact_number import InputError, float_array


@keyword_only
def threshold_epsilon(*, tpr: float, fpr: float, delta: float) -> float:
    """The least eps >= 0 at which both two-bin divergences are at most delta (KM-6.1, corrected).

    `max(0, log of (TPR-d)/FPR, (TNR-d)/FNR, (FPR-d)/TPR, (FNR-d)/TNR)` over those with a positive numerator; infinite
    where its denominator is 0. tpr, fpr in [0, 1], delta in [0, 1]. Raises `InputError`.
    """
    for name, value in (("tpr", tpr), ("fpr", fpr), ("delta", delta)):
        within(value, name, "[0, 1]")
    pairs = ((tpr, fpr), (1 - fpr, 1 - tpr), (fpr, tpr), (1 - tpr, 1 - fpr))
    best = 0.0
    for first, second in pairs:
        if first > delta:
            best = max(best, float(np.log((first - delta) / second)) if second > 0 else np.inf)
    return best


def subsampled_tv(rate: Any, std: Any) -> np.ndarray:
    """`rate (2 Phi(1/(2 std)) - 1)` (KM-S7-example); the arguments broadcast, rate in (0, 1], std > 0. Raises
    `InputError`.
    """
    share, spread = _checked(rate), float_array(std, "std")
    within(spread, "std", "(0, inf)")
    return share * erf(1 / (np.sqrt(8) * spread))


def subsampled_std(rate: Any, tv: Any) -> np.ndarray:
    """The std at which `subsampled_tv(rate, std)` is tv; the arguments broadcast, 0 < tv < rate. Raises
    `InputError`.
    """
    share, distance = _checked(rate), float_array(tv, "tv")
    if not ((distance > 0) & (distance < share)).all():
        raise InputError("tv", str(tv), "must lie strictly between 0 and rate")
    return 1 / (np.sqrt(8) * erfinv(distance / share))


def _checked(rate: Any) -> np.ndarray:
    share = float_array(rate, "rate")
    within(share, "rate", "(0, 1]")
    return share
