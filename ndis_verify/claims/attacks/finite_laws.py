"""Statements about any two or three laws, attacked on laws with four points, whose divergences are sums."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from typing import Any

import numpy as np

from ndis_verify.claims.attack import relative_margin
from ndis_verify.claims.attacks.builders import agree, box, search
from ndis_verify.claims.attacks.engines import engine
from ndis_verify.claims.domain import continuous, integer, stacked, vector

_P, _Q, _R = (vector(name, 4, "1e-6", 1, "log") for name in ("p", "q", "w"))
_REAL = continuous("epsilon", -3, 6)
_EVENTS = np.array(list(product((0.0, 1.0), repeat=4)))
_NOISE = 1e-12
_QUICK = 1500


def law(name: str, columns: Mapping[str, Any]) -> np.ndarray:
    """Probabilities of four points, row by row."""
    weights = stacked(name, columns)
    return weights / weights.sum(axis=-1, keepdims=True)


def divergence(first: np.ndarray, second: np.ndarray, epsilon: Any) -> np.ndarray:
    """sum (p - e^eps q)_+."""
    return np.maximum(first - np.exp(np.asarray(epsilon))[..., None] * second, 0).sum(axis=-1)


def _divergence_of(columns):
    return divergence(law("p", columns), law("q", columns), columns["epsilon"])


def _event_margin(factor=1.0):
    """The divergence less P(S) - e^eps Q(S) for one event S, given by its bits."""

    def margin(event, **columns):
        gain = law("p", columns) - np.exp(columns["epsilon"])[..., None] * law("q", columns)
        return factor * _divergence_of(columns) - (gain * _EVENTS[np.asarray(event, dtype=int)]).sum(axis=-1)

    return margin


EVENTS = search(
    "the divergence over P(S) - e^eps Q(S) of every event",
    _event_margin(),
    box(_P, _Q, _REAL, integer("event", 0, len(_EVENTS) - 1)),
    {"half the divergence": _event_margin(0.5)},
    tolerance=_NOISE,
    quick=_QUICK,
)


def _loss_tails(columns, strict=False):
    """Pr[L >= eps] - e^eps Pr[L' <= -eps], L the loss under P, L' that of Q against P."""
    p, q = law("p", columns), law("q", columns)
    loss, epsilon = np.log(p / q), columns["epsilon"][..., None]
    return (p * (loss >= epsilon)).sum(axis=-1) - np.exp(epsilon[..., 0]) * (
        q * ((loss >= epsilon) if not strict else (loss >= 0))
    ).sum(axis=-1)


LOSS_TAILS = search(
    "the two tails of the loss against the divergence",
    agree(lambda **c: _loss_tails(c), lambda **c: _divergence_of(c), lambda **c: np.exp(np.maximum(c["epsilon"], 0))),
    box(_P, _Q, _REAL),
    {
        "second tail at 0": agree(
            lambda **c: _loss_tails(c, True),
            lambda **c: _divergence_of(c),
            lambda **c: np.exp(np.maximum(c["epsilon"], 0)),
        )
    },
    tolerance=_NOISE,
    quick=_QUICK,
)


def _triangle(weight=True):
    def margin(e1, e2, **columns):
        p, q, r = (law(name, columns) for name in ("p", "q", "w"))
        factor = np.exp(e1) if weight else 1.0
        return relative_margin(divergence(p, q, e1) + factor * divergence(q, r, e2), divergence(p, r, e1 + e2))

    return margin


TRIANGLE = search(
    "the two steps over the direct divergence, laws with four points",
    _triangle(),
    box(_P, _Q, _R, continuous("e1", 0, 4), continuous("e2", 0, 4)),
    {"without the factor e^{e1}": _triangle(False)},
    tolerance=1e-11,
    quick=_QUICK,
)


def _gaussian_triangle(weight=True):
    def margin(lam, middle, shift, half, e1, e2):
        """N(shift, lam), N(half, middle), N(0, 1)."""
        first = engine(lam / middle - 1, (shift - half) ** 2 / middle, 1, e1)
        second = engine(middle - 1, half**2, 1, e2)
        return relative_margin(first + (np.exp(e1) if weight else 1.0) * second, engine(lam - 1, shift**2, 1, e1 + e2))

    return margin


GAUSSIAN_TRIANGLE = search(
    "the two steps over the direct divergence, three normal laws",
    _gaussian_triangle(),
    box(
        continuous("lam", "0.05", 20, "log"),
        continuous("middle", "0.05", 20, "log"),
        continuous("shift", -4, 4),
        continuous("half", -4, 4),
        continuous("e1", 0, 4),
        continuous("e2", 0, 4),
    ),
    {"without the factor e^{e1}": _gaussian_triangle(False)},
    tolerance=1e-10,
)


def _binned(columns):
    pairs = [law(name, columns).reshape(-1, 2, 2).sum(axis=-1) for name in ("p", "q")]
    return divergence(*pairs, columns["epsilon"])


BINNED = search(
    "the divergence of two laws over that of their two bins",
    lambda **c: relative_margin(_divergence_of(c), _binned(c)),
    box(_P, _Q, _REAL),
    {"the reverse": lambda **c: relative_margin(_binned(c), _divergence_of(c))},
    tolerance=_NOISE,
    quick=_QUICK,
)


def _tau_margin(scale=1.0):
    def margin(epsilon, **columns):
        p, q = law("p", columns), law("q", columns)
        near_p, near_q = law("u", columns), law("w", columns)
        tau = np.maximum(np.abs(p - near_p).sum(axis=-1), np.abs(q - near_q).sum(axis=-1)) / 2
        moved = np.abs(divergence(p, q, epsilon) - divergence(near_p, near_q, epsilon))
        return scale * tau * (1 + np.exp(epsilon)) - moved

    return margin


_AWAY = {f"{name}_{i}": "1e-6" for name in "pquw" for i in (3, 4)}
_OPPOSITE = _AWAY | {
    "p_1": "0.9",
    "p_2": "0.1",
    "u_1": "0.7",
    "u_2": "0.3",
    "q_1": "0.1",
    "q_2": "0.9",
    "w_1": "0.3",
    "w_2": "0.7",
    "epsilon": 0,
}
NEARBY = search(
    "(1 + e^eps) tau over the distance of two divergences",
    _tau_margin(),
    box(_P, _Q, vector("u", 4, "1e-6", 1, "log"), _R, _REAL),
    {"half of it": _tau_margin(0.5)},
    tolerance=1e-11,
    quick=_QUICK,
    starts=(_OPPOSITE,),
)


# Trade-off curves


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
    box(_P, _Q, _LEVEL),
    {"one order of the pair": _curve_margin(both=False)},
    tolerance=1e-8,
    quick=_QUICK,
)
FROM_GRID = search(
    "the trade-off curves of both orders over the curve from a grid",
    _curve_margin(grid=np.geomspace(0.01, 100, 21)),
    box(_P, _Q, _LEVEL),
    {"one order of the pair": _curve_margin(both=False, grid=np.geomspace(0.01, 100, 21))},
    tolerance=1e-10,
    quick=_QUICK,
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
    box(_P, _Q, continuous("share", 0, 1), continuous("x", 0, 1), continuous("y", 0, 1)),
    {"turned upside down": _is_trade_off(lambda p, q, x: 1 - trade_off(p, q, x))},
    tolerance=1e-10,
    quick=_QUICK,
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
    p, q = law("p", columns), law("q", columns)
    pairs = [(x[..., :, None] * x[..., None, :]).reshape(*x.shape[:-1], -1) for x in (p, q)]
    return np.maximum(divergence(*pairs, columns["epsilon"]), divergence(*pairs[::-1], columns["epsilon"]))


COMPOSED = search(
    "sums of two losses against the products of the laws",
    agree(lambda **c: _composed(c), lambda **c: _product(c), lambda **c: 1.0),
    box(_P, _Q, continuous("epsilon", 0, 8)),
    {"losses subtracted": agree(lambda **c: _composed(c, True), lambda **c: _product(c), lambda **c: 1.0)},
    tolerance=_NOISE,
    quick=_QUICK,
)


def _oracle_margin(allowed=1.0):
    """Calls with errors up to alpha/(1 + e^eps), of either sign."""

    def margin(alpha, first, second, epsilon, **columns):
        p, q = law("p", columns), law("q", columns)
        set_p, set_q = ((x * (p > np.exp(epsilon)[..., None] * q)).sum(axis=-1) for x in (p, q))
        call = alpha / (1 + np.exp(epsilon))
        answer = (set_p + first * call) - np.exp(epsilon) * (set_q + second * call)
        return allowed * alpha - np.abs(answer - divergence(p, q, epsilon))

    return margin


CALLS = search(
    "alpha over the error of two answers with errors alpha/(1 + e^eps)",
    _oracle_margin(),
    box(
        _P,
        _Q,
        continuous("alpha", "1e-9", 1, "log"),
        continuous("first", -1, 1),
        continuous("second", -1, 1),
        continuous("epsilon", 0, 6),
    ),
    {"half of alpha": _oracle_margin(0.5)},
    tolerance=1e-10,
    quick=_QUICK,
)
ATTACKS = {
    "N26-P3": (TRIANGLE, GAUSSIAN_TRIANGLE),
    "N26-T7.1": CALLS,
    "BW-T5": LOSS_TAILS,
    "KM-2.2": EVENTS,
    "KM-2.5": SHAPE,
    "KM-2.7": FROM_PROFILE,
    "KM-Alg1": FROM_GRID,
    "KM-4.1": BINNED,
    "KM-4.3": NEARBY,
    "KM-eq9.1": COMPOSED,
}
