"""The attacks on the claims about mean shifts."""

from __future__ import annotations

import numpy as np
from scipy.special import ndtr

from ndis_verify.claims.general_engine import engine, real_engine
from ndis_verify.court.domain import continuous
from ndis_verify.court.margins import box, identity, inequality
from ndis_verify.fast.mean_shift import gaussian_hockey_stick as fast_gaussian_hockey_stick


def contour_of_shift(shift, epsilon, **rest):
    return real_engine(0.0, np.square(shift), 1, epsilon)


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
    "N24-P5": LINEAR_HINGE,
    "BW-L3": TAILS,
    "BW-L6": TAILS,
}
