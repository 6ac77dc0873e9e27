"""The attacks on the claims about relative least squares."""

from __future__ import annotations

from functools import cache

import numpy as np

from ndis_verify.claims.small_databases import data
from ndis_verify.court.attack import relative_margin
from ndis_verify.court.domain import continuous, integer, vector
from ndis_verify.court.margins import box, search
from ndis_verify.fast.least_squares.asymptotic_law import als_hockey_stick as fast_als_hockey_stick
from ndis_verify.fast.least_squares.worst_case import als_cap as fast_als_cap

_TARGETS = ((1, 1.0, 1e-2), (30, 1.0, 1e-5), (3, 0.3, 1e-4))  # r, eps, delta


@cache
def _cap(r, epsilon, delta):
    return float(fast_als_cap(2, r, epsilon=epsilon, delta=delta))


def _unrestricted(part=1.0):
    """Target over the worst pair of least squares beside the ridge l^2 (1/cap - 1) of the mechanism without a set, one
    point.
    """

    def margin(target, **columns):
        r, epsilon, delta = _TARGETS[int(target)]
        table = data({name: np.array([value]) for name, value in columns.items()})[0]
        records = np.column_stack([table, [columns[f"b_{i}"] for i in range(1, 5)]])
        longest = max((records**2).sum(axis=1).max(), 1e-6)
        level = part * longest * (1 / _cap(r, epsilon, delta) - 1)
        p, q = (
            np.einsum("ij,jk,ik->i", x, np.linalg.inv(x.T @ x + level * np.eye(x.shape[1])), x)
            for x in (table, records)
        )
        worst = max(
            float(fast_als_hockey_stick(p, np.maximum(q, p), 2, r, epsilon, way).max()) for way in ("delete", "insert")
        )
        return float(relative_margin(delta, worst))

    return margin


UNRESTRICTED = search(
    "target over the divergence of every pair of least squares beside the ridge of the unrestricted mechanism",
    _unrestricted(),
    box(
        vector("x", 8, -1, 1),
        vector("b", 4, -1, 1),
        continuous("size", "0.1", 1),
        integer("target", 0, 2),
    ),
    {"a twentieth of the ridge": _unrestricted(0.05)},
    vectorised=False,
    quick=300,
    full=3000,
)

ATTACKS = {
    "N24-Fig13-corrected": UNRESTRICTED,
}

NO_MARGIN = {
    "N24-D7": "it defines the residual of a set of databases; the law that it enters is attacked in N24-C3",
}
