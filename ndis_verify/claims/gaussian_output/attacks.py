"""The attacks on the claims about Gaussian outputs."""

from __future__ import annotations

import numpy as np

from ndis_verify.claims.general_bound.claims import greater_direction
from ndis_verify.claims.small_databases import (
    ENTRIES,
    FEATURES,
    SCALE,
    data,
    gram,
)
from ndis_verify.court.attack import relative_margin
from ndis_verify.court.domain import continuous, stacked, vector
from ndis_verify.court.margins import box, search
from ndis_verify.fast.covariance_shift import loewner_bound


def _constant(rate=1.0):
    """c of the lemma from the matrices, and from the eigenvalues of A and the coordinates of b."""

    def margin(**columns):
        rows = data(columns)
        first, second = gram(rows) + np.eye(FEATURES), gram(rows[:, 2:]) + np.eye(FEATURES)
        gap = stacked("b", columns)[:, :FEATURES]
        values, vectors = np.linalg.eigh(first)
        root = (vectors * np.sqrt(values)[:, None, :]) @ np.swapaxes(vectors, 1, 2)
        lam, basis = np.linalg.eigh(root @ np.linalg.solve(second, root))
        b = -np.einsum("nji,nj->ni", basis, (root @ np.linalg.solve(second, gap[..., None]))[..., 0])
        from_invariants = 0.5 * (np.log(lam) - rate * b**2 / lam).sum(axis=1)
        dets = np.linalg.slogdet(first)[1] - np.linalg.slogdet(second)[1]
        direct = 0.5 * (dets - (gap * np.linalg.solve(second, gap[..., None])[..., 0]).sum(axis=1))
        return -np.abs(from_invariants - direct) / (1 + np.abs(direct))

    return margin


INVARIANTS = search(
    "c from (A, b) against c from the matrices",
    _constant(),
    box(ENTRIES, vector("b", FEATURES, -3, 3), SCALE),
    {"b not divided": _constant(2.0)},
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

ATTACKS = {
    "N26-Pr6": INVARIANTS,
    "N26-T6.1-corrected": NOISE,
}

NO_MARGIN = {
    "N26-D3": "it defines Gaussian-output algorithms; what holds for all of them is attacked in N26-D6-corrected",
    "N26-D4": (
        "it names the law of a sum of independent normal variables; the bounds for that law are attacked in"
        " N26-T6.1-corrected"
    ),
    "N26-D5": (
        "it defines the three sensitivities; the bounds built on them are attacked in N26-D6-corrected and N26-D6-exact"
    ),
}
