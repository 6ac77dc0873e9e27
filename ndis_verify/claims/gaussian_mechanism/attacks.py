"""The attacks on the claims about the Gaussian mechanism."""

from __future__ import annotations

import numpy as np
from scipy.special import log_ndtr, ndtr

from ndis_verify.claims.general_engine import engine
from ndis_verify.claims.mean_shift.attacks import WORST_PAIR
from ndis_verify.court.domain import continuous
from ndis_verify.court.margins import box, identity, inequality, search
from ndis_verify.fast.mean_shift import gaussian_std as fast_gaussian_std
from ndis_verify.fast.mean_shift import log_gaussian_hockey_stick as fast_log_gaussian_hockey_stick


def _classical_shift(epsilon, delta, constant=1.25):
    return epsilon / np.sqrt(2 * np.log(constant / delta))


def _classical_logs(constant: float = 1.25):
    return lambda epsilon, delta: fast_log_gaussian_hockey_stick(
        _classical_shift(epsilon, delta, constant), 1.0, epsilon
    )


CLASSICAL = identity(
    "delta reached at the classical std: closed form against the contour integral",
    _classical_logs(),
    lambda epsilon, delta: engine(0.0, _classical_shift(epsilon, delta) ** 2, 1, epsilon, log=True),
    box(continuous("epsilon", "1e-3", 20, "log"), continuous("delta", "1e-30", "0.99", "log")),
    {"1.26 in place of 1.25": _classical_logs(1.26)},
    logs=True,
    tolerance=1e-10,
)


def _noise_floor(epsilon):
    return 0.5 - np.exp(epsilon + log_ndtr(-np.sqrt(2 * epsilon)))


def _floor_margin(threshold=_noise_floor):
    def margin(epsilon, delta):
        need = fast_gaussian_std(1.0, epsilon=epsilon, delta=delta) * np.sqrt(2 * epsilon) - 1
        level = threshold(epsilon)
        ordered = np.sign(level - delta) * need
        return np.minimum(ordered, np.minimum(0.5 - level, level - 0.5 + 1 / np.sqrt(4 * np.pi * epsilon)))

    return margin


NOISE_FLOOR = search(
    "std below the floor exactly for delta above the threshold, threshold between its bounds",
    _floor_margin(),
    box(continuous("epsilon", "1e-3", 50, "log"), continuous("delta", "1e-9", "0.9", "log")),
    {"the threshold in circulation": _floor_margin(lambda e: 0.5 - np.exp(-3 * e) / np.sqrt(4 * np.pi * e))},
)


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


PURE_DELTA = inequality(
    "total variation at std Delta/(2 delta) over delta",
    lambda delta: delta,
    lambda delta: engine(0.0, (2 * delta) ** 2, 1, 0.0),
    box(continuous("delta", "1e-12", "0.999999", "logit")),
    {"half the std": lambda delta: delta / 2},
)


def _circulated(sign=3.0):
    def margin(epsilon):
        exact = 0.5 - np.exp(epsilon + log_ndtr(-np.sqrt(2 * epsilon)))
        return exact - (0.5 - np.exp(-sign * epsilon) / np.sqrt(4 * np.pi * epsilon))

    return margin


CIRCULATED = search(
    "the exact threshold over the one in circulation, eps up to 1/5",
    _circulated(),
    box(continuous("epsilon", "1e-9", "0.2", "log")),
    {"e^{-9 eps}": _circulated(9.0)},
    tolerance=1e-12,
)


def _classical(share=1.0):
    def margin(epsilon, delta):
        std = share * np.sqrt(2 * np.log(1.25 / delta)) / epsilon
        return np.log(delta) - fast_log_gaussian_hockey_stick(1.0, std, epsilon)

    return margin


CLASSICAL_within = search(
    "delta reached at most the target, eps up to 2.5",
    _classical(),
    box(continuous("epsilon", "1e-3", "2.5", "log"), continuous("delta", "1e-30", "0.99", "logit")),
    {"half the noise": _classical(0.5)},
)


THIRD = search(
    "two thirds of the classical variance is enough, delta at least 1.3e-7",
    _classical(np.sqrt(2 / 3)),
    box(continuous("epsilon", "1e-6", 1, "log"), continuous("delta", "1.3e-7", "0.999", "logit")),
    {"half of it": _classical(np.sqrt(1 / 2))},
)


TAIL = inequality(
    "e^{-t^2/2}/2 over the normal tail, t >= 0",
    lambda t: np.exp(-(t**2) / 2) / 2,
    lambda t: ndtr(-t),
    box(continuous("t", 0, 35)),
    {"a third of it": lambda t: np.exp(-(t**2) / 2) / 6},
    tolerance=1e-12,
)

ATTACKS = {
    "N24-C4": WORST_PAIR,
    "N24-C5": CLASSICAL,
    "BW-T2": PURE_DELTA,
    "BW-T4-corrected": NOISE_FLOOR,
    "BW-T9": CALIBRATED,
    "BW-Alg1": SMALLEST,
    "BW-T4": CIRCULATED,
    "BW-T1-every-epsilon": CLASSICAL_within,
    "BW-Fig1-variance": THIRD,
    "SL-2-tail": TAIL,
}

NO_MARGIN = {
    "BW-T4-range": "it is one number, enclosed; the threshold over all eps is attacked in BW-T4-corrected",
    "SL-2-slack": "it is a table of enclosed numbers; the mechanism over its whole domain is attacked in SL-2",
}
