"""The attacks on the claims about auditing by scores."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy
from scipy.special import betaincinv, ndtr

from ndis_verify.claims.general_engine import real_engine
from ndis_verify.court.domain import continuous, integer
from ndis_verify.court.margins import box, identity, search


def shifted(std: Any, log_order: Any) -> np.ndarray:
    """H_a(N(0, s^2) || N(1, s^2)) by the contour integral."""
    return real_engine(0.0, 1 / np.square(std), 1, log_order)


def _set_margin(factor=1.0):
    """gamma1 + gamma2 over the chance that a - e^eps b exceeds P(S) - e^eps Q(S), a and b Clopper and
    Pearson's limits.
    """

    def margin(n, m, p, q, epsilon, gamma1, gamma2):
        k, j = np.arange(int(n) + 1), np.arange(int(m) + 1)
        low = np.where(k > 0, betaincinv(np.maximum(k, 1), n - k + 1, gamma1), 0.0)
        high = np.where(j < m, betaincinv(j + 1, np.maximum(m - j, 1), 1 - gamma2), 1.0)
        weight = np.exp(epsilon)
        missed = low[:, None] - weight * high[None, :] > (p - weight * q) + 1e-12 * weight
        return factor * (gamma1 + gamma2) - float(
            scipy.stats.binom.pmf(k, n, p) @ missed @ scipy.stats.binom.pmf(j, m, q)
        )

    return margin


SETS = search(
    "gamma1 + gamma2 over the exact chance that the limit for one set is too large",
    _set_margin(),
    box(
        integer("n", 1, 80, "log"),
        integer("m", 1, 80, "log"),
        continuous("p", "0.001", "0.999", "logit"),
        continuous("q", "0.001", "0.999", "logit"),
        continuous("epsilon", -2, 4),
        continuous("gamma1", "1e-4", "0.4", "log"),
        continuous("gamma2", "1e-4", "0.4", "log"),
    ),
    {"three tenths of it": _set_margin(0.3)},
    vectorised=False,
    tolerance=1e-12,
    quick=300,
    full=4000,
)


def _half_line(rate, std, cut=0.5):
    """P(x >= cut) - Q(x >= cut) of the subsampled pair."""
    return rate * (ndtr((1 - cut) / std) - ndtr(-cut / std))


HALF_LINE = identity(
    "the mass beyond 1/2 that the two laws differ by against their total variation, by the contour integral",
    _half_line,
    lambda rate, std: rate * shifted(std, 0.0),
    box(continuous("rate", "1e-3", "0.999", "logit"), continuous("std", "0.05", 100, "log")),
    {"cut at 1/4": lambda rate, std: _half_line(rate, std, 0.25)},
)

ATTACKS = {
    "KM-Alg2-corrected": SETS,
    "KM-S7-interval-corrected": HALF_LINE,
}

NO_MARGIN = {
    "KM-Fig4": "it is a plot of one estimate over s; total variation at every s is attacked in KM-7.1",
    "KM-Fig5": (
        "it is a plot of one estimated curve; the pair at every rate, s and threshold is attacked in KM-S3-corrected"
    ),
    "KM-Fig6": "it is a plot of one estimated curve of the Laplace mechanism",
}
