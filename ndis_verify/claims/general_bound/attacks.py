"""The attacks on the claims about the general bound."""

from __future__ import annotations

from typing import Any

import numpy as np

from ndis_verify.claims.general_bound.claims import greater_direction
from ndis_verify.court.attack import relative_margin
from ndis_verify.court.domain import continuous, stacked, vector
from ndis_verify.court.margins import box, search
from ndis_verify.fast.covariance_shift import less_spread_bound, loewner_bound, more_spread_bound
from ndis_verify.fast.engine.spectrum import Spectrum
from ndis_verify.fast.hockey_stick import log_entries, to_delta
from ndis_verify.fast.mean_shift import gaussian_hockey_stick as fast_gaussian_hockey_stick


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

ATTACKS = {
    "N26-D6-corrected": ENVELOPE,
    "N26-T4.2": LESS_SPREAD_FIRST,
}
