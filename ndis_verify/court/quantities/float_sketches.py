"""The finite least squares law on float64 columns, with a bound of its error."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from ndis_verify.court.scaled_floats import Scaled, from_log, known_where
from ndis_verify.fast.least_squares.finite_law import log_als_exact_hockey_stick

_FINITE = 2e-9  # and to the one of the finite least squares law


def _finite_least_squares(p: Scaled, q: Scaled, d: Scaled, r: Scaled, epsilon: Scaled, insert: bool = False) -> Scaled:
    a, b, features, rows, eps = (x.value() for x in (p, q, d, r, epsilon))
    whole = (features == np.floor(features)) & (rows == np.floor(rows))
    good = (a >= 0) & (a <= b) & (b < 1) & whole & (features >= 1) & (rows >= features) & (eps >= 0)
    log = np.zeros(len(a))
    for size in np.unique(features[good]):
        at = good & (features == size)
        way = "insert" if insert else "delete"
        log[at] = log_als_exact_hockey_stick(a[at], b[at], int(size), rows[at], eps[at], way)
    return known_where(from_log(log, _FINITE * np.maximum(1.0, np.where(np.isfinite(log), np.abs(log), 0.0))), good)


QUANTITIES: Mapping[str, Callable[..., Scaled]] = {
    "sketch": _finite_least_squares,
    "sketch_insert": lambda p, q, d, r, eps: _finite_least_squares(p, q, d, r, eps, True),
}
