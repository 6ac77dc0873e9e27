"""The attacks on the claims about denoising."""

from __future__ import annotations

import numpy as np
from scipy.special import gammaln, hyp1f1

from ndis_verify.court.attack import relative_margin
from ndis_verify.court.domain import continuous, integer
from ndis_verify.court.margins import agree, box, search


def _linear_risk(factor=1.0):
    """Risk of c y over the printed Bayes risk w^2 s^2/(w^2 + s^2), and their equality at the posterior mean."""

    def margin(prior, noise, c):
        best = prior**2 / (prior**2 + factor * noise**2)
        risk = lambda a: (a * noise) ** 2 + ((1 - a) * prior) ** 2  # noqa: E731
        bayes = prior**2 * noise**2 / (prior**2 + noise**2)
        return np.minimum(relative_margin(risk(c), bayes), agree(lambda: risk(best), lambda: bayes)())

    return margin


BAYES = search(
    "risk of linear estimators over the Bayes risk, met by the posterior mean",
    _linear_risk(),
    box(continuous("prior", "0.01", 100, "log"), continuous("noise", "0.01", 100, "log"), continuous("c", -1, 2)),
    {"noise doubled in the estimator": _linear_risk(2.0)},
)


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
    "BW-T10": BAYES,
    "BW-T11": STEIN,
}

NO_MARGIN = {
    "BW-Fig2": (
        "it is an experiment on one graph and two signals; soft thresholds over every mean are attacked in BW-T12"
    ),
}
