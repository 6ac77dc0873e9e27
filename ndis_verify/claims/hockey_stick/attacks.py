"""The attacks on the claims about the hockey-stick divergence."""

from __future__ import annotations

import numpy as np
import scipy
from scipy.special import ndtr

from ndis_verify.claims.general_engine import engine
from ndis_verify.claims.small_databases import (
    DATABASE,
    ROUNDING,
    by_qr,
    data,
    leverage,
)
from ndis_verify.court.domain import choice, continuous, integer
from ndis_verify.court.margins import agree, box, identity, search
from ndis_verify.fast.generalized_chi2 import GeneralizedChi2

_SMALL = continuous("epsilon", 0, 6)


_CLOSE = 1e-8


def scalar_hinge(lam, shift, epsilon, half: float = 0.5):
    """E max(0, 1 - exp q_eps(Z)) for N(shift, lam) against N(0, 1): where q_eps < 0, by the roots of q_eps."""
    a, b, c = 1 - lam, -np.sqrt(lam) * shift, half * np.log(lam) - shift**2 / 2 + epsilon
    disc = b**2 - 2 * a * c
    root = np.sqrt(np.maximum(disc, 0))
    steep = np.where(b >= 0, b + root, b - root)  # -b -+ root without cancellation
    with np.errstate(all="ignore"):
        first, second = -steep / a, -2 * c / steep
    low, high = np.minimum(first, second), np.maximum(first, second)
    inside = lambda m, s: ndtr((high - m) / s) - ndtr((low - m) / s)  # noqa: E731
    masses = []
    for centre, spread in ((0.0, 1.0), (b / lam, 1 / np.sqrt(lam))):
        between = np.where(disc > 0, inside(centre, spread), 0.0)
        masses.append(np.where(a > 0, between, 1 - between))
    return masses[0] - np.exp(epsilon) * masses[1]


def _of_log(margin):
    """The same with lam = e^{side log}: at lam = 1 the two roots become one."""
    return lambda side, log, shift, epsilon: margin(np.exp(side * log), shift, epsilon)


LEMMA = identity(
    "hinge expectation between the roots of q_eps against the contour integral, d = 1",
    _of_log(scalar_hinge),
    _of_log(lambda lam, shift, epsilon: engine(lam - 1, shift**2, 1, epsilon)),
    box(choice("side", (1, -1)), continuous("log", "0.01", 7, "log"), continuous("shift", "1e-3", 10, "log"), _SMALL),
    {
        "half of the log determinant dropped": _of_log(
            lambda lam, shift, epsilon: scalar_hinge(lam, shift, epsilon, 1.0)
        )
    },
    scale=lambda side, log, shift, epsilon: np.exp(epsilon),
    tolerance=_CLOSE,
)


def _added(weight, k1, k2, nc1, nc2, x):
    """Two terms of one weight, as the package's law has them."""
    law = GeneralizedChi2([weight, weight], [int(k1), int(k2)], [nc1, nc2])
    return float(law.cdf(weight * x)) if x < k1 + k2 + nc1 + nc2 else float(law.sf(weight * x))


def _noncentral(weight, k1, k2, nc1, nc2, x, more=0):
    dof, nc = k1 + k2 + more, nc1 + nc2
    return float((scipy.stats.ncx2.cdf if x < k1 + k2 + nc else scipy.stats.ncx2.sf)(x, dof, nc))


CHI_SQUARE = search(
    "two terms of one weight against scipy's noncentral chi-square law",
    lambda **at: -abs(_added(**at) - _noncentral(**at)),
    box(
        continuous("weight", "0.01", 100, "log"),
        integer("k1", 1, 20),
        integer("k2", 1, 20),
        continuous("nc1", 0, 20),
        continuous("nc2", 0, 20),
        continuous("x", "0.1", 120),
    ),
    {"one degree of freedom more": lambda **at: -abs(_added(**at) - _noncentral(**at, more=1))},
    vectorised=False,
    tolerance=1e-8,
    quick=100,
    full=1500,
)


LEVERAGE = search(
    "leverage by the normal equations against an orthogonal basis",
    agree(lambda **c: leverage(data(c)), lambda **c: by_qr(c)),
    DATABASE,
    {"length not squared": agree(lambda **c: leverage(data(c)), lambda **c: by_qr(c, 1))},
    tolerance=ROUNDING,
)

ATTACKS = {
    "N24-T1": LEMMA,
    "N26-D1": CHI_SQUARE,
    "N26-D2": LEVERAGE,
}
