"""The attacks on the claims about leverage."""

from __future__ import annotations

import numpy as np

from ndis_verify.claims.small_databases import (
    DATABASE,
    ROUNDING,
    by_qr,
    data,
    gram,
    leverage,
)
from ndis_verify.court.margins import agree, search


def _range_margin(top=1.0):
    def margin(**columns):
        p, rows = leverage(data(columns)), data(columns)
        kept = np.linalg.det(gram(rows[:, 1:])) / np.linalg.det(gram(rows))  # 1 - p, and 0 where the rank drops
        return np.minimum(np.minimum(p, top - p), 1e-7 - np.abs(1 - p - kept))

    return margin


RANGE = search(
    "a leverage lies in [0, 1] and 1 less it is the ratio of the determinants",
    _range_margin(),
    DATABASE,
    {"at most 9/10": _range_margin(0.9)},
    tolerance=1e-12,
)


def _by_angles(columns, power=2):
    rows = data(columns)
    values, vectors = np.linalg.eigh(gram(rows))
    length = np.linalg.norm(rows[:, 0], axis=1)
    cosine = np.einsum("ni,nij->nj", rows[:, 0], vectors) / length[:, None]
    return (np.abs(cosine) ** power * length[:, None] ** 2 / values).sum(axis=1)


ANGLES = search(
    "leverage by angles with eigenvectors against an orthogonal basis",
    agree(lambda **c: _by_angles(c), lambda **c: by_qr(c)),
    DATABASE,
    {"cosine not squared": agree(lambda **c: _by_angles(c, 1), lambda **c: by_qr(c))},
    tolerance=ROUNDING,
)

ATTACKS = {
    "N26-F1": RANGE,
    "N24-F1": RANGE,
    "N24-F2": ANGLES,
}
