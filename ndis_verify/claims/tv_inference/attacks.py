"""The attacks on the claims about inference from total variation."""

from __future__ import annotations

import numpy as np
from scipy.special import ndtr

from ndis_verify.court.domain import continuous
from ndis_verify.court.margins import box, identity, search

_STD = continuous("std", "0.1", 20, "log")


_LOG_ORDER = continuous("log_order", -4, 6)


def _closed(std, log_order):
    """The same in closed form, for slopes: no engine noise."""
    return ndtr(0.5 / std - std * log_order) - np.exp(log_order) * ndtr(-0.5 / std - std * log_order)


def _falling(sign=1):
    def margin(std, step, log_order):
        return sign * (_closed(std, log_order) - _closed(std * (1 + step), log_order))

    return margin


DETERMINES = search(
    "the divergence falls with the std, at every order",
    _falling(),
    box(_STD, continuous("step", "1e-3", 10, "log"), _LOG_ORDER),
    {"rises": _falling(-1)},
    tolerance=1e-12,
)


def _sensitivity(std, log_order, step=1e-4):
    """|d/ds H_a| by central differences."""
    return (_closed(std * (1 - step), log_order) - _closed(std * (1 + step), log_order)) / (2 * step * std)


def _best_order(factor=1.0):
    """1/(sqrt(2 pi) s^2) over the size of the slope, met at log a = 1/(2 s^2), which is in [0, 1/(2 s)] for s > 1."""

    def margin(std, log_order):
        top = factor / (np.sqrt(2 * np.pi) * std**2)
        there = _sensitivity(std, 1 / (2 * std**2))
        return np.minimum(1 - _sensitivity(std, log_order) / top, 1e-6 - np.abs(there / top - 1))

    return margin


BEST_ORDER = search(
    "the largest sensitivity over every order over that at any order",
    _best_order(),
    box(continuous("std", "1.001", 20, "log"), _LOG_ORDER),
    {"1 % less": _best_order(0.99)},
    tolerance=1e-6,
)


def _mixed(std, log_order, step=1e-3):
    """d/da of d/ds H_a by differences: -(sensitivity at a(1+h) less at a(1-h))/(2 h a)."""
    high, low = (_sensitivity(std, log_order + s * step, step) for s in (1, -1))
    return -(high - low) / (2 * step * np.exp(log_order))


def _mixed_formula(std, log_order, sign=-1.0):
    x = 0.5 / std - std * log_order
    return sign * x * np.exp(-(x**2) / 2) / np.sqrt(2 * np.pi) / (std * np.exp(log_order))


MIXED = identity(
    "the corrected mixed derivative against differences",
    lambda std, log_order: _mixed_formula(std, log_order),
    _mixed,
    box(continuous("std", "0.4", 4, "log"), continuous("log_order", -1, 1)),
    {"sign turned": lambda std, log_order: _mixed_formula(std, log_order, 1.0)},
    scale=lambda std, log_order: (1 + std) ** 3 / std**3 * np.exp(-log_order),
    tolerance=1e-4,
)


ATTACKS = {
    "KM-7.1": DETERMINES,
    "KM-7.2": BEST_ORDER,
    "KM-J.1-corrected": MIXED,
}

NO_MARGIN = {
    "KM-Fig7": "it is one curve at s = 5; the largest sensitivity at every s is attacked in KM-7.2",
}
