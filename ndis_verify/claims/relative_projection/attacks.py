"""The attacks on the claims about relative projection."""

from __future__ import annotations

import numpy as np

from ndis_verify.claims.general_engine import engine
from ndis_verify.claims.small_databases import FULL_RANK, data, gram, leverage, relative_spectrum
from ndis_verify.court.attack import relative_margin
from ndis_verify.court.domain import continuous, integer, vector
from ndis_verify.court.margins import agree, box, search
from ndis_verify.fast.random_projection import rp_hockey_stick as fast_rp_hockey_stick
from ndis_verify.fast.random_projection import rp_leverage as fast_rp_leverage

_ENTRIES, _SIZE = vector("x", 8, -3, 3), continuous("size", "0.05", 5, "log")


_TARGET = (
    integer("r", 1, 100, "log"),
    continuous("epsilon", "0.01", 5, "log"),
    continuous("delta", "1e-9", "0.3", "log"),
)


_TOP = 1 - 1e-14


def _leverages(columns, level=0.0):
    """Of all records beside `level` I."""
    rows = data(columns)
    inverse = np.linalg.inv(gram(rows) + np.asarray(level)[..., None, None] * np.eye(2))
    return np.minimum(np.einsum("nij,njk,nik->ni", rows, inverse, rows), _TOP)


def _longest(columns):
    return (data(columns) ** 2).sum(axis=2).max(axis=1)


def _cost(p, r, epsilon):
    return np.maximum(*(fast_rp_hockey_stick(p, r, epsilon, way) for way in ("delete", "insert")))


def _figure_margin(part=1.0):
    """Target over the worst pair of the set, ridge 0 if p_S <= p*, else l^2/p*."""

    def margin(r, epsilon, delta, **columns):
        largest = fast_rp_leverage(r, epsilon=epsilon, delta=delta)
        level = np.where(_leverages(columns).max(axis=1) <= largest, 0.0, part * _longest(columns) / largest)
        return relative_margin(delta, _cost(_leverages(columns, level).max(axis=1), r, epsilon))

    return margin


FIGURE = search(
    "target over the divergence of every pair of the set",
    _figure_margin(),
    box(_ENTRIES, _SIZE, *_TARGET, constraints=(FULL_RANK,)),
    {"a hundredth of the ridge": _figure_margin(0.01)},
    quick=300,
    full=5000,
)


def _added(columns, power=1):
    """h/(1 + h), h = u^T (D^T D)^{-1} u for the record u that is added."""
    rows = data(columns)
    h = (rows[:, 0] * np.linalg.solve(gram(rows[:, 1:]), rows[:, 0, :, None])[..., 0]).sum(axis=1)
    return h / (1 + h) ** power


NEIGHBOURHOOD = search(
    "h/(1 + h) against the leverage of the added record in the larger database",
    agree(lambda **c: _added(c), lambda **c: leverage(data(c))),
    box(_ENTRIES, _SIZE, constraints=(FULL_RANK,)),
    {"h/(1 + h)^2": agree(lambda **c: _added(c, 2), lambda **c: leverage(data(c)))},
)


def _decides(power=1.0):
    """The curve at the largest leverage of the set, over the divergence of deleting the first record, from the
    covariances.
    """

    def margin(r, epsilon, **columns):
        rows = data(columns)
        alpha = np.maximum(relative_spectrum(gram(rows), gram(rows[:, 1:]))[:, -1] - 1, 0)
        pair = engine(np.maximum(alpha, 1e-12), 0.0, r, epsilon)
        return relative_margin(fast_rp_hockey_stick(_leverages(columns).max(axis=1) ** power, r, epsilon), pair)

    return margin


DECIDES = search(
    "the curve at the leverage of the set over the divergence of a pair of it",
    _decides(),
    box(_ENTRIES, _SIZE, integer("r", 1, 100, "log"), continuous("epsilon", "0.01", "0.5"), constraints=(FULL_RANK,)),
    {"its square": _decides(2.0)},
    tolerance=1e-6,
    quick=300,
    full=5000,
)

ATTACKS = {
    "N24-D6": DECIDES,
    "N24-D6-neighbourhood": NEIGHBOURHOOD,
    "N24-Fig12": FIGURE,
    "N24-T6": FIGURE,
}
