"""The attacks on the claims about random projection."""

from __future__ import annotations

import numpy as np
from scipy.special import gammainc, gammaincc, ndtr

from ndis_verify.claims.general_engine import engine
from ndis_verify.claims.small_databases import (
    ENTRIES,
    FULL_RANK,
    LEVERAGE_BELOW_ONE,
    data,
    gram,
    leverage,
    relative_spectrum,
)
from ndis_verify.court.attack import relative_margin
from ndis_verify.court.domain import continuous, integer, stacked, vector
from ndis_verify.court.margins import agree_logs, box, identity, search
from ndis_verify.fast.engine.spectrum import Spectrum
from ndis_verify.fast.hockey_stick import log_entries, to_log_delta
from ndis_verify.fast.random_projection import log_rp_hockey_stick as fast_log_rp_hockey_stick
from ndis_verify.fast.random_projection import rp_hockey_stick as fast_rp_hockey_stick
from ndis_verify.fast.random_projection import rp_leverage as fast_rp_leverage

_EPSILON = continuous("epsilon", 0, 6)


def _projected(r, epsilon, **columns):
    rows = data(columns)
    # What the row adds to the covariance, as it is: taken as a difference of Gram matrices, a small one cancels.
    alpha = relative_spectrum(gram(rows[:, :1]), gram(rows[:, 1:]))
    alpha[:, 0] = 0  # one row changes one eigenvalue; what is left here is rounding
    return to_log_delta(log_entries(Spectrum(alpha, 0.0, r[:, None]), np.arange(len(alpha)), epsilon))


def _by_leverage(power=1.0):
    return lambda r, epsilon, **c: fast_log_rp_hockey_stick(leverage(data(c)) ** power, r, epsilon)


DATABASES = search(
    "the leverage alone against the covariances of the two projections",
    agree_logs(_by_leverage(), _projected),
    box(
        ENTRIES,
        continuous("size", "0.1", 10, "log"),
        integer("r", 1, 100, "log"),
        _EPSILON,
        constraints=(FULL_RANK, LEVERAGE_BELOW_ONE),
    ),
    {"square of the leverage": agree_logs(_by_leverage(2.0), _projected)},
    tolerance=1e-9,
)


_EPSILON_mechanism = continuous("epsilon", "0.01", 5, "log")


_DELTA = continuous("delta", "1e-9", "0.3", "log")


_RECORDS, _FEATURES = 3, 2


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
            _EPSILON_mechanism,
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
    box(
        _EPSILON_mechanism, continuous("share", "1e-6", "0.5", "log"), continuous("rate", "0.001", "0.999999", "logit")
    ),
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


_LEVERAGE = continuous("p", "1e-6", "0.999999", "logit")


_COLUMNS = integer("r", 1, 1000, "log")


def _projection_engine(p, r, epsilon):
    return engine(p / (1 - p), 0.0, r, epsilon, log=True)


PROJECTION = identity(
    "deletion closed form against the contour integral",
    lambda p, r, epsilon: fast_log_rp_hockey_stick(p, r, epsilon),
    _projection_engine,
    box(_LEVERAGE, _COLUMNS, continuous("epsilon", 0, 30)),
    {"insertion": lambda p, r, epsilon: np.maximum(fast_log_rp_hockey_stick(p, r, epsilon, "insert"), -1e4)},
    logs=True,
)


ATTACKS = {
    "N24-C2": DATABASES,
    "N26-Fig1": FIGURE_RIDGE,
    "N26-T5.1": FIGURE_RIDGE,
    "N26-Fig1-smallest-ridge": SMALLEST_RIDGE,
    "N24-T3": VALID_RIDGE,
    "N24-Fig8": ONE_COLUMN_RIDGE,
    "N24-C7": ONE_COLUMN_RIDGE,
    "N26-Fig3": SAMPLED,
    "N26-T5.3": SAMPLED,
    "N26-T5.2": GRAM,
    "N24-Fig3": VALID_RIDGE,
}

NO_MARGIN = {
    "N24-TabI": "it is a table of one experiment's averages",
    "N24-TabIII": "it is a table of one experiment's averages over a relative set",
    "N24-Fig6": "it is a plot of the curves of two data sets; the curve at every leverage is attacked in N26-L4",
    "N24-Fig9": "it is a plot of an estimated curve; the estimate over all means is attacked in N24-C1",
    "N24-Fig10": "it is a plot of the curves of two data sets; one column at every leverage is attacked in N24-T7",
}
