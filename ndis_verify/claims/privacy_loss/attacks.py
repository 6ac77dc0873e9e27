"""The attacks on the claims about privacy loss."""

from __future__ import annotations

from itertools import product

import numpy as np

from ndis_verify.claims.finite_laws import NOISE, QUICK, REAL, P, Q, divergence_of, law
from ndis_verify.claims.mean_shift.attacks import WORST_PAIR
from ndis_verify.court.attack import relative_margin
from ndis_verify.court.domain import integer, stacked, vector
from ndis_verify.court.margins import agree, box, search

_EVENTS = np.array(list(product((0.0, 1.0), repeat=4)))


def _event_margin(factor=1.0):
    """The divergence less P(S) - e^eps Q(S) for one event S, given by its bits."""

    def margin(event, **columns):
        gain = law("p", columns) - np.exp(columns["epsilon"])[..., None] * law("q", columns)
        return factor * divergence_of(columns) - (gain * _EVENTS[np.asarray(event, dtype=int)]).sum(axis=-1)

    return margin


EVENTS = search(
    "the divergence over P(S) - e^eps Q(S) of every event",
    _event_margin(),
    box(P, Q, REAL, integer("event", 0, len(_EVENTS) - 1)),
    {"half the divergence": _event_margin(0.5)},
    tolerance=NOISE,
    quick=QUICK,
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
    agree(lambda **c: _loss_tails(c), lambda **c: divergence_of(c), lambda **c: np.exp(np.maximum(c["epsilon"], 0))),
    box(P, Q, REAL),
    {
        "second tail at 0": agree(
            lambda **c: _loss_tails(c, True),
            lambda **c: divergence_of(c),
            lambda **c: np.exp(np.maximum(c["epsilon"], 0)),
        )
    },
    tolerance=NOISE,
    quick=QUICK,
)


def _queries(top=1.0):
    def margin(n, **columns):
        change = stacked("y", columns) / np.asarray(n)[:, None]
        l1, l2 = np.abs(change).sum(axis=1), np.linalg.norm(change, axis=1)
        return np.minimum(relative_margin(top * np.sqrt(change.shape[1]) / n, l2), relative_margin(l1, l2))

    return margin


QUERIES = search(
    "sqrt(k)/n, and the l1 change, over the l2 change of k counting queries",
    _queries(),
    box(vector("y", 5, -1, 1), integer("n", 1, 10_000, "log")),
    {"half of it": _queries(0.5)},
    tolerance=1e-12,
)

ATTACKS = {
    "BW-T8": WORST_PAIR,
    "BW-T5": LOSS_TAILS,
    "KM-2.2": EVENTS,
    "SL-1": QUERIES,
}
