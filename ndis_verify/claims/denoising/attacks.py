"""The attacks on the claims about denoising."""

from __future__ import annotations

import numpy as np
from scipy.special import gammaln, hyp1f1

from ndis_verify.court.attack import relative_margin
from ndis_verify.court.domain import continuous, integer
from ndis_verify.court.margins import agree, box, search


def _stein_risk(d, norm):
    """d - (d-2) 1F1(1; d/2; -|theta|^2/2), sigma = 1."""
    return d - (d - 2) * hyp1f1(1.0, d / 2, -(norm**2) / 2)


def _stein_by_mixture(d, norm, power=2):
    """d - (d-2)^2 E[1/|y|^2], |y|^2 a Poisson mixture of chi-squares."""
    rate = np.asarray(norm)[:, None] ** 2 / 2
    k = np.arange(400)
    log_weight = k * np.log(np.maximum(rate, 1e-300)) - rate - gammaln(k + 1)
    return d - (d - 2.0) ** power * (np.exp(log_weight) / (np.asarray(d)[:, None] - 2 + 2 * k)).sum(axis=1)


def _stein(power=2):
    def margin(d, norm):
        same = agree(lambda: _stein_risk(d, norm), lambda: _stein_by_mixture(d, norm, power))()
        return np.minimum(same, relative_margin(d, _stein_risk(d, norm)))

    return margin


STEIN = search(
    "risk by 1F1 against a Poisson mixture, and below that of y",
    _stein(),
    box(integer("d", 3, 200, "log"), continuous("norm", "0.01", 15, "log")),
    {"d - 2 not squared": _stein(1)},
    tolerance=1e-9,
)

ATTACKS = {
    "BW-T11": STEIN,
}

NO_MARGIN = {
    "BW-Fig2": (
        "it is an experiment on one graph and two signals; soft thresholds over every mean are attacked in BW-T12"
    ),
}
