"""The attacks on the claims about mean shifts."""

from __future__ import annotations

import numpy as np
from scipy.special import erf, ndtr

from ndis_verify.claims.general_engine import engine, real_engine
from ndis_verify.court.domain import continuous
from ndis_verify.court.margins import box, identity, inequality
from ndis_verify.fast.mean_shift import gaussian_hockey_stick as fast_gaussian_hockey_stick
from ndis_verify.fast.mean_shift import log_gaussian_hockey_stick as fast_log_gaussian_hockey_stick

_SHIFT = continuous("shift", "1e-4", 40, "log")


_EPSILON = continuous("epsilon", 0, 40)


REAL_EPSILON = continuous("epsilon", -6, 6)


def _profile(shift, epsilon):
    return ndtr(shift / 2 - epsilon / shift) - np.exp(epsilon) * ndtr(-shift / 2 - epsilon / shift)


def contour_of_shift(shift, epsilon, **rest):
    return real_engine(0.0, np.square(shift), 1, epsilon)


def _shift_logs(factor: float = 1.0):
    return lambda shift, epsilon: fast_log_gaussian_hockey_stick(factor * shift, 1.0, epsilon)


MEAN_SHIFT = identity(
    "closed form of a mean shift against the contour integral",
    _shift_logs(),
    lambda shift, epsilon: engine(0.0, shift**2, 1, epsilon, log=True),
    box(_SHIFT, _EPSILON),
    {"shift 0.1 % too large": _shift_logs(1.001)},
    logs=True,
    tolerance=1e-10,
)


def _erf_form(shift, epsilon, sign=1.0):
    low, high = shift / 2 - epsilon / shift, shift / 2 + epsilon / shift
    return (1 - np.exp(epsilon) + erf(low / np.sqrt(2)) + sign * np.exp(epsilon) * erf(high / np.sqrt(2))) / 2


ERF_FORM = identity(
    "erf form against the contour integral, real eps",
    _erf_form,
    contour_of_shift,
    box(_SHIFT, REAL_EPSILON),
    {"sign of the second erf": lambda shift, epsilon: _erf_form(shift, epsilon, -1.0)},
    scale=lambda shift, epsilon: 1 + np.exp(epsilon),
)


def _scaled_profile(sensitivity, std, epsilon):
    return _profile(sensitivity / std, epsilon)


REAL_PROFILE = identity(
    "closed form against the contour integral, real eps",
    _scaled_profile,
    lambda sensitivity, std, epsilon: contour_of_shift(sensitivity / std, epsilon),
    box(continuous("sensitivity", "0.1", 10, "log"), continuous("std", "0.1", 10, "log"), REAL_EPSILON),
    {"variance in place of std": lambda sensitivity, std, epsilon: _profile(sensitivity / std**2, epsilon)},
    scale=lambda sensitivity, std, epsilon: 1 + np.exp(epsilon),
)


def _tail_slope(shift, epsilon, other=-1.0):
    """e^eps Pr[L' <= -eps]."""
    return np.exp(epsilon) * ndtr(other * shift / 2 - epsilon / shift)


def _slope(shift, epsilon):
    step = 1e-3 * shift
    epsilon = epsilon + step
    return (contour_of_shift(shift, epsilon - step) - contour_of_shift(shift, epsilon + step)) / (2 * step)


TAILS = identity(
    "e^eps Pr[L' <= -eps] against the slope of the contour integral, Pr[L >= eps] against their sum",
    lambda shift, epsilon: _tail_slope(shift, epsilon + 1e-3 * shift),
    _slope,
    box(continuous("shift", "0.05", 10, "log"), continuous("epsilon", 0, 5)),
    {"tail of the other direction": lambda shift, epsilon: _tail_slope(shift, epsilon + 1e-3 * shift, 1.0)},
    scale=lambda shift, epsilon: 1 + np.exp(epsilon) * ndtr(-shift / 2 - epsilon / shift),
    tolerance=1e-5,
)


WORST_PAIR = inequality(
    "closed form at the global sensitivity over the divergence of any pair of databases",
    lambda shift, share, epsilon: fast_gaussian_hockey_stick(shift, 1.0, epsilon),
    lambda shift, share, epsilon: engine(0.0, (shift * share) ** 2, 1, epsilon),
    box(
        continuous("shift", "0.01", 20, "log"),
        continuous("share", "1e-3", "0.999999", "logit"),
        continuous("epsilon", 0, 20),
    ),
    {"half the sensitivity": lambda shift, share, epsilon: fast_gaussian_hockey_stick(shift / 2, 1.0, epsilon)},
)


_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(200)


def _linear_hinge(b, c, half=0.5):
    return ndtr(-c / b) - np.exp(c + half * b**2) * ndtr(-c / b - b)


def _linear_hinge_by_quadrature(b, c):
    b, c = np.asarray(b)[:, None], np.asarray(c)[:, None]
    low, high = -12.0, np.clip(-c / b, -12.0, 12.0)
    z = (high + low) / 2 + (high - low) / 2 * _NODES
    density = np.exp(-(z**2) / 2) / np.sqrt(2 * np.pi)
    return ((high - low) / 2 * _WEIGHTS * -np.expm1(np.minimum(c + b * z, 0)) * density).sum(axis=1)


LINEAR_HINGE = identity(
    "closed form of the linear hinge against a quadrature",
    _linear_hinge,
    _linear_hinge_by_quadrature,
    box(continuous("b", "0.01", 6, "log"), continuous("c", -6, 6)),
    {"|b|^2 not halved": lambda b, c: _linear_hinge(b, c, 1.0)},
    scale=lambda b, c: 1 + np.exp(np.minimum(c + b**2 / 2, 30.0)),
)

ATTACKS = {
    "N26-P1": MEAN_SHIFT,
    "N24-L2": ERF_FORM,
    "N24-P5": LINEAR_HINGE,
    "N24-P7": WORST_PAIR,
    "KM-2.3": REAL_PROFILE,
    "BW-L3": TAILS,
    "BW-L6": TAILS,
}
