"""Statements that a mechanism is private, or a bound valid, attacked from the databases or from the exact
divergence.
"""

from __future__ import annotations

import numpy as np
import scipy
from scipy.special import gammainc, gammaincc, ndtr

from ndis_verify.claims.attack import relative_margin
from ndis_verify.claims.attacks.builders import agree, box, search
from ndis_verify.claims.covariance_shift import deltas
from ndis_verify.claims.domain import choice, continuous, integer, stacked, vector
from ndis_verify.claims.general_bound import greater_direction
from ndis_verify.fast.als_exact import als_exact_hockey_stick as fast_als_exact_hockey_stick
from ndis_verify.fast.covariance_shift import loewner_bound
from ndis_verify.fast.least_squares import als_max_privacy_loss as fast_als_max_privacy_loss
from ndis_verify.fast.random_projection import rp_hockey_stick as fast_rp_hockey_stick
from ndis_verify.fast.random_projection import rp_leverage as fast_rp_leverage

_EPSILON = continuous("epsilon", "0.01", 5, "log")
_DELTA = continuous("delta", "1e-9", "0.3", "log")
_RECORDS, _FEATURES = 3, 2


# Random projection above a ridge


def _ridged_leverage(level, columns):
    """Leverage of the first of three records of norm at most 1, the first of norm `size`, beside the ridge."""
    rows = stacked("x", columns).reshape(-1, _RECORDS, _FEATURES)
    rows = rows / np.maximum(np.linalg.norm(rows, axis=2, keepdims=True), 1)
    first = (
        rows[:, :1]
        / np.maximum(np.linalg.norm(rows[:, :1], axis=2, keepdims=True), 1e-9)
        * columns["size"][:, None, None]
    )
    rows = np.concatenate([first, rows[:, 1:] * columns["others"][:, None, None]], axis=1)
    gram = np.swapaxes(rows, 1, 2) @ rows + level[:, None, None] * np.eye(_FEATURES)
    return (rows[:, 0] * np.linalg.solve(gram, rows[:, 0, :, None])[..., 0]).sum(axis=1)


def _ridge_margin(ridge, attained=False):
    """Target over the divergence of both directions; with `attained`, a lone record beside 1 % less ridge
    exceeds it.
    """

    def margin(r, epsilon, delta, **columns):
        level = ridge(fast_rp_leverage(r, epsilon=epsilon, delta=delta))
        p = np.minimum(_ridged_leverage(level, columns), 1 - 1e-15)
        worst = np.maximum(fast_rp_hockey_stick(p, r, epsilon), fast_rp_hockey_stick(p, r, epsilon, "insert"))
        private = relative_margin(delta, worst)
        if not attained:
            return private
        alone = fast_rp_hockey_stick(np.minimum(1 / (1 + 0.99 * level), 1 - 1e-15), r, epsilon)
        return np.minimum(private, relative_margin(alone, delta))

    return margin


def _ridge_search(name, ridge, columns_of_projection, faults, attained=False):
    return search(
        name,
        _ridge_margin(ridge, attained),
        box(
            vector("x", _RECORDS * _FEATURES, -1, 1),
            continuous("size", "0.01", 1),
            continuous("others", 0, 1),
            columns_of_projection,
            _EPSILON,
            _DELTA,
        ),
        {fault: _ridge_margin(other, attained) for fault, other in faults.items()},
        starts=(
            {f"x_{i + 1}": 1 - i % 2 for i in range(_RECORDS * _FEATURES)}
            | {"size": 1, "others": 0, "r": 1, "epsilon": 1, "delta": "0.01"},
        ),
        quick=400,
        full=6000,
        tolerance=1e-9,
    )


_ANY, _ONE = integer("r", 1, 200, "log"), integer("r", 1, 1)
_HALF = {"half the smallest ridge": lambda p: (1 / p - 1) / 2}
FIGURE_RIDGE = _ridge_search("target over the divergence from databases, ridge l^2/p*", lambda p: 1 / p, _ANY, _HALF)
SMALLEST_RIDGE = _ridge_search(
    "target over the divergence from databases, ridge l^2 (1/p* - 1), met by a lone record",
    lambda p: 1 / p - 1,
    _ANY,
    {**_HALF, "l^2/p* taken for the smallest": lambda p: 1.02 / p},
    True,
)
VALID_RIDGE = _ridge_search(
    "target over the divergence from databases, ridge l^2 (1/p* - 1)", lambda p: 1 / p - 1, _ANY, _HALF
)
ONE_COLUMN_RIDGE = _ridge_search(
    "target over the divergence from databases, one column", lambda p: 1 / p - 1, _ONE, _HALF
)


def _mass(cut, variance):
    """Pr[|N(0, variance)| <= cut], and above."""
    z = cut / np.sqrt(variance)
    return ndtr(z) - ndtr(-z), 2 * ndtr(-z)


def _sampled_margin(amplified=True):
    """One record of the largest leverage against none, one column, the record kept with probability `rate`."""

    def margin(epsilon, share, rate):
        inner = np.log1p(np.expm1(epsilon) / rate) if amplified else epsilon / rate
        delta = rate * share
        p = fast_rp_leverage(1, epsilon=inner, delta=share)
        variance = 1 / (1 - p)

        def cut(ratio):
            """|z| at which the density of variance `variance` is `ratio` times the one of variance 1."""
            return np.sqrt(np.maximum(2 * np.log(np.maximum(ratio, 1e-300) * np.sqrt(variance)) / p, 0))

        high, low = 1 + np.expm1(epsilon) / rate, (np.exp(-epsilon) - 1 + rate) / rate
        (_, wide), (_, narrow) = (_mass(cut(high), v) for v in (variance, 1.0))
        deletion = rate * wide + (1 - rate) * narrow - np.exp(epsilon) * narrow
        (wide, _), (narrow, _) = (_mass(cut(low), v) for v in (variance, 1.0))
        insertion = np.where(low > 0, narrow - np.exp(epsilon) * (rate * wide + (1 - rate) * narrow), 0.0)
        return relative_margin(delta, np.maximum(deletion, insertion))

    return margin


SAMPLED = search(
    "target over both divergences of the sampled mixture, one record against none",
    _sampled_margin(),
    box(_EPSILON, continuous("share", "1e-6", "0.5", "log"), continuous("rate", "0.001", "0.999999", "logit")),
    {"eps/q in place of log(1 + (e^eps - 1)/q)": _sampled_margin(False)},
    tolerance=1e-7,
    quick=150,
    full=5000,
)


def _gram_margin(constant=2 * 3**0.5):
    """2 e^{-t} over the chance that r scaled chi-square draws are off by more than the bound, d = 1."""

    def margin(r, t):
        share = (1 + t) / r
        limit = constant * (np.sqrt(share) + share)
        chance = gammaincc(r / 2, r / 2 * (1 + limit)) + np.where(
            limit < 1, gammainc(r / 2, r / 2 * np.maximum(1 - limit, 0)), 0
        )
        return 2 * np.exp(-t) - chance

    return margin


GRAM = search(
    "2 e^{-t} over the chance of an error above the bound, one feature",
    _gram_margin(),
    box(integer("r", 1, 10_000, "log"), continuous("t", "0.01", 30, "log")),
    {"constant 1/10": _gram_margin(0.1)},
    tolerance=1e-14,
)


# Sensitivity envelopes


def _envelope_margin(term="bound", shrink=1.0):
    """delta_LC over the greater exact direction of a pair in the envelope, one pair."""

    def margin(rho, fill, shift, epsilon, **columns):
        total = 3 * rho * fill
        logs = rho * np.array([columns[f"part_{i}"] for i in (1, 2, 3)])
        logs = np.maximum(logs * min(1.0, total / max(logs.sum(), 1e-300)), 1e-9)
        squares = np.array([columns[f"m_{i}"] for i in (1, 2, 3)]) + 1e-9
        squares = squares / squares.sum() * shift**2
        bound = loewner_bound(shrink * shift, shrink * rho, shrink * max(total, logs.sum()), 3, epsilon, term)
        return float(relative_margin(bound, greater_direction(logs[None], squares[None], np.array([epsilon]))[0]))

    return margin


_ENVELOPE = box(
    vector("part", 3, 0, 1),
    vector("m", 3, 0, 1),
    continuous("rho", "0.01", 3, "log"),
    continuous("fill", "0.334", 1),
    continuous("shift", "0.01", 3, "log"),
    continuous("epsilon", "0.01", 6, "log"),
)
_VERTEX = {f"part_{i}": 1 for i in (1, 2, 3)} | {
    "m_1": 1,
    "m_2": 0,
    "m_3": 0,
    "rho": "1.95",
    "fill": 1,
    "shift": "0.01",
    "epsilon": 3,
}
ENVELOPE = search(
    "the corrected delta_LC over the greater exact direction anywhere in the envelope",
    _envelope_margin(),
    _ENVELOPE,
    {"the printed covariance term": _envelope_margin("printed")},
    vectorised=False,
    starts=(_VERTEX,),
    quick=40,
    full=1500,
)


def _noise_margin(term="bound", growing=False):
    """delta_LC at v over that at a larger v, and over the exact divergence at v; outputs N(shift, first),
    N(0, second).
    """

    def at(first, second, shift, epsilon, v):
        log = max(abs(np.log((first + v) / (second + v))), 1e-9)
        size = shift / np.sqrt(min(first, second) + v)
        bound = loewner_bound(size, log, log, 1, epsilon, term)
        exact = greater_direction(np.array([[log]]), np.array([[size**2]]), np.array([epsilon]))[0]
        return bound, exact

    def margin(first, second, shift, epsilon, added, step):
        (now, exact), (later, _) = (at(first, second, shift, epsilon, v) for v in (added, added * (1 + step)))
        falls = relative_margin(later, now) if growing else relative_margin(now, later)
        return float(min(falls, relative_margin(now, exact)))

    return margin


NOISE = search(
    "delta_LC falls with the added variance and stays over the exact divergence",
    _noise_margin(),
    box(
        continuous("first", "0.1", 10, "log"),
        continuous("second", "0.1", 10, "log"),
        continuous("shift", "0.01", 3, "log"),
        continuous("epsilon", "0.01", 4, "log"),
        continuous("added", "0.01", 100, "log"),
        continuous("step", "0.01", 3, "log"),
    ),
    {"the printed covariance term": _noise_margin("printed"), "growing": _noise_margin(growing=True)},
    vectorised=False,
    starts=({"first": 9, "second": 1, "shift": "0.01", "epsilon": 1, "added": "0.26", "step": 1},),
    tolerance=1e-6,  # the splits of the bound are searched
    quick=40,
    full=1500,
)


def _order(sign=1):
    def margin(epsilon, **columns):
        logs = np.log(stacked("lam", columns))
        return sign * relative_margin(*(deltas(s * logs, np.ones(logs.shape), epsilon) for s in (1, -1)))

    return margin


THREE_EIGENVALUES = search(
    "the more spread law first over the other direction, on the box",
    _order(),
    box(vector("lam", 3, "1.125", 16, "log"), continuous("epsilon", "0.25", 4, "log")),
    {"directions exchanged": _order(-1)},
)


# Estimates and denoising


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


# The finite law of sketched least squares


def _finite_margin(scale=1.0):
    """(r/2) log(1/(1-q)) over the largest loss of both directions, beyond which the exact divergence is 0."""

    def margin(q, along, d, extra):
        p, r = q * along, d + extra
        limit = scale * -0.5 * r * np.log1p(-q)
        losses = [
            np.array(
                [fast_als_max_privacy_loss(a, b, int(k), int(n), way) for a, b, k, n in zip(p, q, d, r, strict=True)]
            )
            for way in ("delete", "insert")
        ]
        return relative_margin(limit, np.maximum(*losses))

    return margin


PURE = search(
    "(r/2) log(1/(1-q)) over the largest loss of either direction",
    _finite_margin(),
    box(
        continuous("q", "1e-6", "0.999999", "logit"),
        continuous("along", 0, 1),
        integer("d", 1, 20),
        integer("extra", 0, 500),
    ),
    {"half of it": _finite_margin(0.5)},
    tolerance=1e-12,
    quick=400,
)


def _pure_margin(inside=1.0):
    """The exact divergence is 0 from the largest loss on, and positive just below it."""

    def margin(q, along, d, extra, direction):
        p, r = q * along, d + extra
        largest = float(fast_als_max_privacy_loss(p, q, d, r, direction))
        beyond, before = (
            float(fast_als_exact_hockey_stick(p, q, d, r, share * largest, direction))
            for share in (1.0001 * inside, 0.5)
        )
        return -beyond if beyond > 0 else before

    return margin


BOUNDED = search(
    "the exact divergence is 0 beyond the largest loss and positive at half of it",
    _pure_margin(),
    box(
        continuous("q", "0.001", "0.95", "logit"),
        continuous("along", "0.01", 1),
        integer("d", 1, 4),
        integer("extra", 0, 12),
        choice("direction", ("delete", "insert")),
    ),
    {"90 % of the largest loss": _pure_margin(0.9)},
    vectorised=False,
    tolerance=0.0,
    quick=80,
    full=1500,
)


ATTACKS = {
    "N26-Fig1": FIGURE_RIDGE,
    "N26-T5.1": FIGURE_RIDGE,
    "N26-Fig1-smallest-ridge": SMALLEST_RIDGE,
    "N24-T3": VALID_RIDGE,
    "N24-Fig8": ONE_COLUMN_RIDGE,
    "N24-C7": ONE_COLUMN_RIDGE,
    "N26-Fig3": SAMPLED,
    "N26-T5.3": SAMPLED,
    "N26-T5.2": GRAM,
    "N26-D6-corrected": ENVELOPE,
    "N26-T6.1-corrected": NOISE,
    "N26-L3-three-eigenvalues": THREE_EIGENVALUES,
    "N24-C1": ESTIMATE,
    "N24-Fig2": ESTIMATE,
    "BW-T10": BAYES,
    "N24-6.3-exact-law": (PURE, BOUNDED),
}
