"""The attacks on the claims about generalized chi-square laws."""

from __future__ import annotations

import numpy as np

from ndis_verify.claims.finite_laws import QUICK, P, Q, divergence, law
from ndis_verify.court.domain import continuous
from ndis_verify.court.margins import box, search


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
        P,
        Q,
        continuous("alpha", "1e-9", 1, "log"),
        continuous("first", -1, 1),
        continuous("second", -1, 1),
        continuous("epsilon", 0, 6),
    ),
    {"half of alpha": _oracle_margin(0.5)},
    tolerance=1e-10,
    quick=QUICK,
)

ATTACKS = {
    "N26-T7.1": CALLS,
}
