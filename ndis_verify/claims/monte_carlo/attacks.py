"""The attacks on the claims about monte carlo."""

from __future__ import annotations

import numpy as np
import scipy

from ndis_verify.court.domain import continuous
from ndis_verify.court.margins import box, search


def _hoeffding_margin(rate=2.0):
    """gamma over the chance that the mean of m draws of a hinge that is 0 or 1 is off by more than alpha, exactly."""

    def margin(alpha, gamma, mean):
        m = np.ceil(np.log(2 / gamma) / (rate * alpha**2))
        above = scipy.stats.binom.sf(np.floor(m * (mean + alpha) * (1 + 1e-12)), m, mean)
        below = scipy.stats.binom.cdf(np.ceil(m * (mean - alpha) * (1 - 1e-12)) - 1, m, mean)
        return gamma - above - below

    return margin


ESTIMATE = search(
    "gamma over the exact chance of an error above alpha, hinge 0 or 1",
    _hoeffding_margin(),
    box(
        continuous("alpha", "1e-3", "0.5", "log"),
        continuous("gamma", "1e-9", "0.5", "log"),
        continuous("mean", "1e-4", "0.9999", "logit"),
    ),
    {"a quarter of the draws": _hoeffding_margin(8.0)},
    tolerance=1e-11,
)

ATTACKS = {
    "N24-C1": ESTIMATE,
    "N24-Fig2": ESTIMATE,
}
