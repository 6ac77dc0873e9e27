"""The attacks on the claims about trade-off curves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy
from scipy.special import betaincinv

from ndis_verify.claims.finite_laws import QUICK, P, Q, divergence, law
from ndis_verify.court.domain import continuous, integer
from ndis_verify.court.margins import box, identity, search
from ndis_verify.fast.trade_off import laplace_trade_off


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


def trade_off(first: np.ndarray, second: np.ndarray, level: np.ndarray) -> np.ndarray:
    """The least type II error of tests of `first` against `second` with type I error `level`, by the greedy test."""
    order = np.argsort(first / second, axis=-1)
    spent, gained = (np.take_along_axis(x, order, axis=-1) for x in (first, second))
    before = np.cumsum(spent, axis=-1) - spent
    share = np.clip((level[..., None] - before) / spent, 0, 1)
    return np.clip(1 - (share * gained).sum(axis=-1), 0, 1)


_LEVEL = continuous("x", "1e-6", "0.999999", "logit")


def _profile_curve(columns, both=True, grid=None):
    """sup_a max(0, 1 - h(a) - a x, (1 - h(a) - x)/a) over every breakpoint of the profile, or over a grid of h."""
    p, q = law("p", columns), law("q", columns)
    logs = np.concatenate([np.log(p / q), np.log(q / p), np.zeros((*p.shape[:-1], 1))], axis=-1)
    if grid is not None:
        logs = np.broadcast_to(np.log(np.asarray(grid)), (*p.shape[:-1], len(grid)))
    best = np.zeros(p.shape[:-1])
    for k in range(logs.shape[-1]):
        a = np.exp(logs[..., k])
        h = divergence(p, q, logs[..., k])
        if both:
            h = np.maximum(h, divergence(q, p, logs[..., k]))
        best = np.maximum(best, np.maximum(1 - h - a * columns["x"], (1 - h - columns["x"]) / a))
    return best


def _curve_margin(**options):
    def margin(**columns):
        p, q = law("p", columns), law("q", columns)
        curve = _profile_curve(columns, **options)
        return np.minimum(trade_off(p, q, columns["x"]), trade_off(q, p, columns["x"])) - curve

    return margin


FROM_PROFILE = search(
    "the trade-off curves of both orders over the curve from the profile",
    _curve_margin(),
    box(P, Q, _LEVEL),
    {"one order of the pair": _curve_margin(both=False)},
    tolerance=1e-8,
    quick=QUICK,
)


FROM_GRID = search(
    "the trade-off curves of both orders over the curve from a grid",
    _curve_margin(grid=np.geomspace(0.01, 100, 21)),
    box(P, Q, _LEVEL),
    {"one order of the pair": _curve_margin(both=False, grid=np.geomspace(0.01, 100, 21))},
    tolerance=1e-10,
    quick=QUICK,
)


def _is_trade_off(curve):
    """Convex, nonincreasing, at most 1 - x."""

    def margin(share, x, y, **columns):
        p, q = law("p", columns), law("q", columns)
        low, high = np.minimum(x, y), np.maximum(x, y)
        middle = share * low + (1 - share) * high
        at = [curve(p, q, level) for level in (low, middle, high)]
        convex = share * at[0] + (1 - share) * at[2] - at[1]
        return np.minimum(np.minimum(convex, at[0] - at[2]), np.minimum(1 - low - at[0], 1 - high - at[2]))

    return margin


SHAPE = search(
    "the trade-off curve of two laws is convex, nonincreasing, at most 1 - x",
    _is_trade_off(trade_off),
    box(P, Q, continuous("share", 0, 1), continuous("x", 0, 1), continuous("y", 0, 1)),
    {"turned upside down": _is_trade_off(lambda p, q, x: 1 - trade_off(p, q, x))},
    tolerance=1e-10,
    quick=QUICK,
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

ATTACKS = {
    "KM-eq2.4": LIMITS,
    "KM-2.5": SHAPE,
    "KM-2.7": FROM_PROFILE,
    "KM-Alg1": FROM_GRID,
    "KM-AppC-corrected": LAPLACE,
}
