"""Statements that hold under a stated restriction, attacked where they are said to hold."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import gammaln, hyp1f1, log_ndtr, ndtr

from ndis_verify.claims.attack import relative_margin
from ndis_verify.claims.attacks.builders import agree, box, identity, inequality, search
from ndis_verify.claims.attacks.closed_forms import scalar_hinge
from ndis_verify.claims.attacks.engines import real_engine
from ndis_verify.claims.attacks.matrices import FOUR_NUMBERS
from ndis_verify.claims.attacks.mechanisms import VALID_RIDGE
from ndis_verify.claims.domain import Condition, choice, continuous, integer, stacked, vector
from ndis_verify.fast.covariance_shift import less_spread_bound, more_spread_bound
from ndis_verify.fast.generalized_chi2 import GeneralizedChi2
from ndis_verify.fast.hockey_stick import log_entries, to_delta
from ndis_verify.fast.least_squares import als_hockey_stick as fast_als_hockey_stick
from ndis_verify.fast.mean_shift import gaussian_hockey_stick as fast_gaussian_hockey_stick
from ndis_verify.fast.mean_shift import log_gaussian_hockey_stick as fast_log_gaussian_hockey_stick
from ndis_verify.fast.spectrum import Spectrum
from ndis_verify.fast.trade_off import laplace_trade_off

_CLOSE = 1e-8


def _split(bound: Any = less_spread_bound, spread_first: bool = False):
    """Both paths of N26-T4.2 over the exact divergence, the less spread law first, shifts in the smaller covariance."""

    def margin(epsilon, share, **columns):
        logs, shift = stacked("l", columns), stacked("m", columns)
        e1, e2 = epsilon * share, epsilon * (1 - share)
        size = np.sqrt((shift**2).sum(axis=-1))
        sums = [
            fast_gaussian_hockey_stick(size, 1.0, e1) + np.exp(e1) * bound(np.exp(logs), e2),
            bound(np.exp(logs), e1) + np.exp(e1) * fast_gaussian_hockey_stick(size, 1.0, e2),
        ]
        laws = Spectrum(np.expm1(logs), shift**2, 1, logs)
        exact = to_delta(log_entries(laws if spread_first else laws.swapped(), np.arange(len(epsilon)), epsilon))
        return relative_margin(np.minimum(np.minimum(*sums), 1), exact)

    return margin


LESS_SPREAD_FIRST = search(
    "every split and both paths over the exact divergence, the less spread law first",
    _split(),
    box(
        vector("l", 2, "1e-4", 4, "log"),
        vector("m", 2, "1e-4", 4, "log"),
        continuous("epsilon", "0.01", 10, "log"),
        continuous("share", "1e-3", "0.999", "logit"),
    ),
    {
        "the more spread law first": _split(spread_first=True),
        "a tenth of the bound": _split(lambda v, e: more_spread_bound(v, e) / 10),
    },
    starts=({"l_1": "1.95", "l_2": "0.01", "m_1": "0.01", "m_2": "0.001", "epsilon": 1, "share": "0.001"},),
    quick=400,
    full=5000,
)


def _general_hinge(factor=1.0):
    """N24-P16 for one coordinate: the hinge with any constant c is the divergence at another, real, epsilon."""
    return lambda side, log, shift, epsilon: scalar_hinge(np.exp(side * log), factor * shift, epsilon)


GENERAL_HINGE = identity(
    "two probabilities against the contour integral, any constant, a != 0",
    _general_hinge(),
    lambda side, log, shift, epsilon: real_engine(np.expm1(side * log), shift**2, 1, epsilon),
    box(
        choice("side", (1, -1)),
        continuous("log", "0.01", 5, "log"),
        continuous("shift", "1e-3", 5, "log"),
        continuous("epsilon", -5, 5),
    ),
    {"shift 1 % too large": _general_hinge(1.01)},
    scale=lambda side, log, shift, epsilon: 1 + np.exp(epsilon),
    tolerance=_CLOSE,
)


def _off_the_curve(q: Any, along: Any, **_: Any) -> Any:
    p = q * along
    return np.abs(p * (1 - p) - (q - p)) >= 0.02 * q


def _table(dofs=0):
    """Table VI's deletion, two generalized chi-square laws, against the contour integral, one record."""

    def margin(q, along, d, r, epsilon):
        p = q * along
        g = p * (1 - p) - (q - p)
        first = [g / (1 - q), -(q - p) / (1 - q)], r * p * (q - p) * (1 - p) ** 2 / g**2
        second = [g / (1 - p) ** 2, -(q - p) / (1 - p)], r * p * (q - p) * (1 - q) / g**2
        c = 0.5 * (2 * np.log1p(-p) - d * np.log1p(-q) + (d - 1) * np.log1p(-p) - r * p * (q - p) / (1 - q))
        values = []
        for weights, centre in (first, second):
            keep = 2 if d > 1 else 1
            law = GeneralizedChi2(weights[:keep], [1, d - 1 + dofs][:keep], [centre, 0.0][:keep])
            values.append(float(law.cdf(g / (1 - q) * first[1] - 2 * (epsilon + c))))
        exact = float(fast_als_hockey_stick(p, q, d, r, epsilon))
        return -abs(values[0] - np.exp(epsilon) * values[1] - exact) / (1 + np.exp(epsilon))

    return margin


TABLE = search(
    "the table's two laws of a deletion against the contour integral, away from q = 2p - p^2",
    _table(),
    box(
        continuous("q", "0.05", "0.9"),
        continuous("along", "0.05", "0.95"),
        integer("d", 1, 5),
        integer("r", 1, 50, "log"),
        continuous("epsilon", 0, 3),
        constraints=(Condition("|p(1-p) - (q-p)| >= 0.02 q", _off_the_curve),),
    ),
    {"one degree of freedom more": _table(1)},
    vectorised=False,
    tolerance=_CLOSE,
    quick=100,
    full=1500,
)


def _laplace_by_quantile(alpha, mu, turn=1.0):
    """F(F^-1(1 - alpha) - mu) from the quantile of Lap(0, 1)."""
    with np.errstate(divide="ignore"):
        x = np.where(alpha < 0.5, -np.log(2 * alpha), np.log(2 * (1 - alpha))) - turn * mu
    return np.where(x < 0, np.exp(np.minimum(x, 0)) / 2, 1 - np.exp(-np.maximum(x, 0)) / 2)


LAPLACE = identity(
    "three branches against the quantile and distribution functions",
    laplace_trade_off,
    _laplace_by_quantile,
    box(continuous("alpha", "1e-9", "0.999999999", "logit"), continuous("mu", "1e-3", 20, "log")),
    {"mu doubled": lambda alpha, mu: laplace_trade_off(alpha, 2 * mu)},
)


def _circulated(sign=3.0):
    def margin(epsilon):
        exact = 0.5 - np.exp(epsilon + log_ndtr(-np.sqrt(2 * epsilon)))
        return exact - (0.5 - np.exp(-sign * epsilon) / np.sqrt(4 * np.pi * epsilon))

    return margin


CIRCULATED = search(
    "the exact threshold over the one in circulation, eps up to 1/5",
    _circulated(),
    box(continuous("epsilon", "1e-9", "0.2", "log")),
    {"e^{-9 eps}": _circulated(9.0)},
    tolerance=1e-12,
)


def _classical(share=1.0):
    def margin(epsilon, delta):
        std = share * np.sqrt(2 * np.log(1.25 / delta)) / epsilon
        return np.log(delta) - fast_log_gaussian_hockey_stick(1.0, std, epsilon)

    return margin


CLASSICAL = search(
    "delta reached at most the target, eps up to 2.5",
    _classical(),
    box(continuous("epsilon", "1e-3", "2.5", "log"), continuous("delta", "1e-30", "0.99", "logit")),
    {"half the noise": _classical(0.5)},
)
THIRD = search(
    "two thirds of the classical variance is enough, delta at least 1.3e-7",
    _classical(np.sqrt(2 / 3)),
    box(continuous("epsilon", "1e-6", 1, "log"), continuous("delta", "1.3e-7", "0.999", "logit")),
    {"half of it": _classical(np.sqrt(1 / 2))},
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
TAIL = inequality(
    "e^{-t^2/2}/2 over the normal tail, t >= 0",
    lambda t: np.exp(-(t**2) / 2) / 2,
    lambda t: ndtr(-t),
    box(continuous("t", 0, 35)),
    {"a third of it": lambda t: np.exp(-(t**2) / 2) / 6},
    tolerance=1e-12,
)


def _bins(tpr, fpr, epsilon):
    """Both divergences of two bins, either order."""
    pairs = ((tpr, fpr), (fpr, tpr))
    bins = [
        np.maximum(a - np.exp(epsilon) * b, 0) + np.maximum((1 - a) - np.exp(epsilon) * (1 - b), 0) for a, b in pairs
    ]
    return np.maximum(*bins)


def _attack_epsilon(both=True):
    """delta over the two-bin divergences at the larger logarithm, TPR >= FPR and eps >= 0."""

    def margin(tpr, part, delta):
        fpr = tpr * part
        logs = [(tpr - delta) / fpr, (1 - fpr - delta) / (1 - tpr)][: 2 if both else 1]
        with np.errstate(divide="ignore", invalid="ignore"):
            epsilon = np.log(np.maximum(np.maximum.reduce(logs), 1e-300))
        return np.where(epsilon >= 0, delta - _bins(tpr, fpr, np.clip(epsilon, 0, 700)), 1.0)

    return margin


THRESHOLD = search(
    "delta over both two-bin divergences at the epsilon of a threshold attack",
    _attack_epsilon(),
    box(
        continuous("tpr", "0.001", "0.999", "logit"),
        continuous("part", "0.001", "0.999", "logit"),
        continuous("delta", 0, "0.5"),
    ),
    {"the first logarithm alone": _attack_epsilon(False)},
    tolerance=1e-10,
)
ATTACKS = {
    "N26-T4.2": LESS_SPREAD_FIRST,
    "N24-Fig3": VALID_RIDGE,
    "N24-T4": FOUR_NUMBERS,
    "N24-TabVI": TABLE,
    "N24-P16": GENERAL_HINGE,
    "BW-T4": CIRCULATED,
    "BW-T1-every-epsilon": CLASSICAL,
    "BW-Fig1-variance": THIRD,
    "BW-T11": STEIN,
    "SL-2-tail": TAIL,
    "KM-AppC": LAPLACE,
    "KM-6.1": THRESHOLD,
}
