"""The attacks on the claims about covariance shifts."""

from __future__ import annotations

import numpy as np

from ndis_verify.claims.covariance_shift.claims import deltas
from ndis_verify.court.attack import relative_margin
from ndis_verify.court.domain import continuous, stacked, vector
from ndis_verify.court.margins import box, search


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

ATTACKS = {
    "N26-L3-three-eigenvalues": THREE_EIGENVALUES,
}
