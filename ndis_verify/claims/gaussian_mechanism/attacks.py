"""The attacks on the claims about the Gaussian mechanism."""

from __future__ import annotations

import numpy as np

from ndis_verify.claims.general_engine import engine
from ndis_verify.court.domain import continuous
from ndis_verify.court.margins import box, search
from ndis_verify.fast.mean_shift import gaussian_std as fast_gaussian_std

_CALIBRATED = box(continuous("epsilon", "1e-6", 100, "log"), continuous("delta", "1e-100", "0.99", "log"))


def _calibrated_margin(shrink=1.0):
    def margin(epsilon, delta):
        std = shrink * fast_gaussian_std(1.0, epsilon=epsilon, delta=delta)
        return np.log(delta) - engine(0.0, 1 / std**2, 1, epsilon, log=True)

    return margin


CALIBRATED = search(
    "divergence at the calibrated std, by the contour integral, over the target",
    _calibrated_margin(),
    _CALIBRATED,
    {"std 0.1 % smaller": _calibrated_margin(0.999)},
    tolerance=1e-9,
)


def _smallest_margin(stretch=1.0):
    def margin(epsilon, delta):
        std = stretch * fast_gaussian_std(1.0, epsilon=epsilon, delta=delta)
        return np.minimum(
            np.log(delta) - engine(0.0, 1 / std**2, 1, epsilon, log=True),
            engine(0.0, 1 / (0.9999 * std) ** 2, 1, epsilon, log=True) - np.log(delta),
        )

    return margin


SMALLEST = search(
    "the calibrated std meets the target and 0.01 % less does not",
    _smallest_margin(),
    _CALIBRATED,
    {"std 1 % larger": _smallest_margin(1.01)},
    tolerance=1e-9,
)


ATTACKS = {
    "BW-T9": CALIBRATED,
}
