"""The attacks on the claims about histogram."""

from __future__ import annotations

import numpy as np
import scipy
from scipy.special import gammaln, ndtr, xlog1py, xlogy

from ndis_verify.claims.finite_laws import NOISE, QUICK, P, Q, divergence, law
from ndis_verify.court.attack import relative_margin
from ndis_verify.court.domain import continuous, integer
from ndis_verify.court.margins import agree, box, search


def _mean_error(n, chance):
    """E|X/n - p| of a binomial count, de Moivre's closed form."""
    k = np.floor(n * chance) + 1
    log_pick = gammaln(n + 1) - gammaln(k + 1) - gammaln(np.maximum(n - k, 0) + 1)
    logs = log_pick + xlogy(k, chance) + xlog1py(n - k + 1, -chance)
    return np.where(k <= n, 2 * k * np.exp(logs) / n, 0.0)


def _histogram_margin(scale=1.0):
    """sqrt((1 + 2 E X^2 + 2 h^2)(1 + pi/h)/n) over the sum of the mean errors of the bins, X normal."""

    def margin(mean, std, width, n):
        edges = (np.floor(mean / width)[:, None] + np.arange(-400, 401)) * width[:, None]
        z = (edges - mean[:, None]) / std[:, None]
        below = z[:, 1:] <= 0
        chance = np.where(below, ndtr(z[:, 1:]) - ndtr(z[:, :-1]), ndtr(-z[:, :-1]) - ndtr(-z[:, 1:]))
        error = _mean_error(n[:, None], np.clip(chance, 0, 1 - 1e-16)).sum(axis=1)
        bound = np.sqrt((1 + 2 * (mean**2 + std**2) + 2 * width**2) * (1 + np.pi / width) / n)
        return relative_margin(scale * bound, error)

    return margin


HISTOGRAM = search(
    "the bound of the stochastic part over the exact mean error of the bins' shares, normal laws",
    _histogram_margin(),
    box(
        continuous("mean", 0, 5),
        continuous("std", "0.05", 5, "log"),
        continuous("width", "0.05", 5, "log"),
        integer("n", 1, 10**6, "log"),
    ),
    {"a fifth of it": _histogram_margin(0.2)},
    quick=300,
    full=5000,
)


def _needed(tau: float, delta: float) -> int:
    """The least n of KM-4.2 for two bins."""
    return int(np.ceil(max(2 / tau**2, 2 / tau**2 * np.log(2 / delta))))


def _miss_margin(rate=0.5):
    """e^{-n tau^2/2} over the exact chance that the share of one of two bins is off by more than tau."""

    def margin(tau, delta, chance):
        n = np.ceil(np.maximum(2 / tau**2, 2 / tau**2 * np.log(2 / delta)))
        above = scipy.stats.binom.sf(np.floor(n * (chance + tau) * (1 + 1e-12)), n, chance)
        below = scipy.stats.binom.cdf(np.ceil(n * (chance - tau) * (1 - 1e-12)) - 1, n, chance)
        return relative_margin(np.exp(-rate * n * tau**2), above + below)

    return margin


LEARNED = search(
    "e^{-n tau^2/2} over the exact chance of a miss, two bins",
    _miss_margin(),
    box(
        continuous("tau", "0.01", 1, "log"),
        continuous("delta", "1e-9", "0.9", "log"),
        continuous("chance", "0.001", "0.999", "logit"),
    ),
    {"e^{-3 n tau^2}": _miss_margin(3.0)},
)


def _cover_margin(width=2**0.5):
    """The stated bound over the exact chance that the interval of two histograms misses, two bins."""

    def margin(tau, delta, p, q):
        n = _needed(float(tau), float(delta))
        counts = np.arange(n + 1)
        estimate = np.abs(counts[:, None] - counts[None, :]) / n
        missed = np.abs(estimate - abs(p - q)) > width * tau * (1 + 1e-12)
        chance = float(scipy.stats.binom.pmf(counts, n, p) @ missed @ scipy.stats.binom.pmf(counts, n, q))
        bound = np.exp(-n * tau**2 / 2) + np.exp(-2 * n * tau**2)
        return float(min(bound, delta) - chance)

    return margin


COVERED = search(
    "the bound, and delta, over the exact chance that the interval misses, two bins",
    _cover_margin(),
    box(
        continuous("tau", "0.2", 1, "log"),
        continuous("delta", "1e-3", "0.9", "log"),
        continuous("p", 0, 1),
        continuous("q", 0, 1),
    ),
    {"half the width tau": _cover_margin(0.5)},
    vectorised=False,
    tolerance=1e-13,
    quick=150,
    full=4000,
)


def _composed(columns, subtract=False):
    """The larger order of E[max(0, 1 - e^{eps - s})], s the sum of two independent losses."""
    p, q = law("p", columns), law("q", columns)
    values = []
    for one, other in ((p, q), (q, p)):
        loss = np.log(one / other)
        total = loss[..., :, None] + (-1 if subtract else 1) * loss[..., None, :]
        weight = one[..., :, None] * one[..., None, :]
        gain = np.maximum(-np.expm1(columns["epsilon"][..., None, None] - total), 0)
        values.append((weight * gain).sum(axis=(-1, -2)))
    return np.maximum(*values)


def _product(columns):
    laws = law("p", columns), law("q", columns)
    p, q = ((x[..., :, None] * x[..., None, :]).reshape(*x.shape[:-1], -1) for x in laws)
    return np.maximum(divergence(p, q, columns["epsilon"]), divergence(q, p, columns["epsilon"]))


COMPOSED = search(
    "sums of two losses against the products of the laws",
    agree(lambda **c: _composed(c), lambda **c: _product(c), lambda **c: 1.0),
    box(P, Q, continuous("epsilon", 0, 8)),
    {"losses subtracted": agree(lambda **c: _composed(c, True), lambda **c: _product(c), lambda **c: 1.0)},
    tolerance=NOISE,
    quick=QUICK,
)

ATTACKS = {
    "KM-T4.4-corrected": HISTOGRAM,
    "KM-4.2": LEARNED,
    "KM-CI-corrected": COVERED,
    "KM-eq9.1": COMPOSED,
}
