"""Auditing statements with a finite form, attacked against exact binomial sums or the closed form of another
quantity.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy
from scipy.special import betaincinv, gammaln, log_ndtr, ndtr, ndtri_exp, xlog1py, xlogy

from ndis_verify.claims.attack import relative_margin
from ndis_verify.claims.attacks.builders import box, identity, inequality, search
from ndis_verify.claims.attacks.engines import real_engine
from ndis_verify.claims.domain import continuous, integer, vector
from ndis_verify.fast.hockey_stick import log_entries, to_delta
from ndis_verify.fast.spectrum import Spectrum

_STD = continuous("std", "0.1", 20, "log")
_LOG_ORDER = continuous("log_order", -4, 6)


def _shifted(std: Any, log_order: Any) -> np.ndarray:
    """H_a(N(0, s^2) || N(1, s^2)) by the contour integral."""
    return real_engine(0.0, 1 / np.square(std), 1, log_order)


def _closed(std, log_order):
    """The same in closed form, for slopes: no engine noise."""
    return ndtr(0.5 / std - std * log_order) - np.exp(log_order) * ndtr(-0.5 / std - std * log_order)


# Total variation and the std behind a divergence


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
TOTAL_VARIATION = identity(
    "2 Phi(1/(2s)) - 1 against the contour integral at eps = 0",
    lambda std: 2 * ndtr(0.5 / std) - 1,
    lambda std: _shifted(std, 0.0),
    box(continuous("std", "0.05", 1000, "log")),
    {"2 (1 - Phi(1/(2s)))": lambda std: 2 - 2 * ndtr(0.5 / std)},
)


def _threshold_mu(rate, std, cut):
    """Phi^-1(1 - FPR) - Phi^-1(FNR) of x > cut s, in logarithms of tails."""
    power = np.logaddexp(np.log(rate) + log_ndtr(1 / std - cut), np.log1p(-rate) + log_ndtr(-cut))
    return cut + ndtri_exp(power)


SUBSAMPLED = inequality(
    "1/s over the mu of every threshold test of the subsampled pair",
    lambda rate, std, cut: 1 / std,
    _threshold_mu,
    box(continuous("rate", "1e-3", "0.999", "logit"), continuous("std", "0.1", 10, "log"), continuous("cut", -5, 40)),
    {"9/10 of 1/s": lambda rate, std, cut: 0.9 / std},
    tolerance=1e-6,
)


def _gram_loss(columns, share=0.25):
    """(|A|_F^2 + |m|^2)/4 over the square of the total variation of N(m, I + A) and N(0, I), |A|_F <= 1/2."""
    names = [f"a_{i}" for i in (1, 2, 3)], [f"m_{i}" for i in (1, 2, 3)]
    alpha, shift = (np.stack([np.asarray(columns[n]) for n in part], axis=-1) for part in names)
    alpha = alpha * np.minimum(1, 0.5 / np.maximum(np.linalg.norm(alpha, axis=-1, keepdims=True), 1e-300))
    alpha = np.where(np.abs(alpha) < 1e-9, 1e-9, alpha)
    variation = to_delta(log_entries(Spectrum(alpha, shift**2), np.arange(len(alpha)), np.zeros(len(alpha))))
    return relative_margin(share * ((alpha**2).sum(axis=-1) + (shift**2).sum(axis=-1)), variation**2)


CANARIES = search(
    "the bound on the total variation of the scores given the canaries, three scores",
    lambda **c: _gram_loss(c),
    box(vector("a", 3, "-0.5", "0.5"), vector("m", 3, "0.001", 2, "log")),
    {"a tenth of it": lambda **c: _gram_loss(c, 0.025)},
)


# Histograms


def _slopes(std):
    """int p'^2 for the normal density, by the trapezium rule."""
    x = np.linspace(-12, 12, 2001)
    slope = -x * np.exp(-(x**2) / 2) / np.sqrt(2 * np.pi)
    return (slope**2).sum() * (x[1] - x[0]) / np.asarray(std) ** 3


WIDTH = identity(
    "the printed width against the integrals of the squared slopes",
    lambda std, n: 2 * 3 ** (1 / 3) * np.pi ** (1 / 6) * std * n ** (-1 / 3),
    lambda std, n: (12 / (2 * _slopes(std))) ** (1 / 3) * n ** (-1 / 3),
    box(continuous("std", "0.01", 100, "log"), continuous("n", 1, "1e9", "log")),
    {"pi^{1/3}": lambda std, n: 2 * 3 ** (1 / 3) * np.pi ** (1 / 3) * std * n ** (-1 / 3)},
)


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


def _limit_misses(n: int, error: float, gamma: float, level: Callable[..., Any] = betaincinv) -> float:
    """The exact chance that Clopper and Pearson's upper limit lies below the error."""
    k = np.arange(n)
    upper = level(k + 1, n - k, 1 - gamma)
    return float(scipy.stats.binom.pmf(k, n, error)[upper < error].sum())


def _limits_margin(factor=1.0):
    """gamma1 + gamma2 over the chance that one of two limits fails: only then is the bound for mu too large."""

    def margin(n, m, alpha, beta, gamma1, gamma2):
        one, two = _limit_misses(int(n), alpha, gamma1), _limit_misses(int(m), beta, gamma2)
        return factor * (gamma1 + gamma2) - (one + two - one * two)

    return margin


LIMITS = search(
    "gamma1 + gamma2 over the exact chance that an upper limit fails",
    _limits_margin(),
    box(
        integer("n", 1, 200, "log"),
        integer("m", 1, 200, "log"),
        continuous("alpha", "0.001", "0.999", "logit"),
        continuous("beta", "0.001", "0.999", "logit"),
        continuous("gamma1", "1e-4", "0.2", "log"),
        continuous("gamma2", "1e-4", "0.2", "log"),
    ),
    {"three tenths of it": _limits_margin(0.3)},
    vectorised=False,
    tolerance=1e-13,
    quick=200,
    full=4000,
)


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
    lambda rate, std: rate * _shifted(std, 0.0),
    box(continuous("rate", "1e-3", "0.999", "logit"), continuous("std", "0.05", 100, "log")),
    {"cut at 1/4": lambda rate, std: _half_line(rate, std, 0.25)},
)
ATTACKS = {
    "KM-Alg2-corrected": SETS,
    "KM-S7-interval-corrected": HALF_LINE,
    "KM-7.1": DETERMINES,
    "KM-7.2": BEST_ORDER,
    "KM-J.1-corrected": MIXED,
    "KM-C8.2-corrected": TOTAL_VARIATION,
    "KM-S3-corrected": SUBSAMPLED,
    "KM-8.1": CANARIES,
    "KM-C4.5": WIDTH,
    "KM-T4.4-corrected": HISTOGRAM,
    "KM-4.2": LEARNED,
    "KM-CI-corrected": COVERED,
    "KM-eq2.4": LIMITS,
}
