"""How far the scaled law of a sketched solution is from its normal limit, on float64 columns, its error bounded.

|z|^2 of the one is r times a ratio of chi-square variables, of the other chi-square. The ratio of their densities falls
up to |z|^2 = 1 and rises from there on; it is below 1 at 0.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from scipy.special import betainc, gammainc, gammaln

from ndis_verify.court.scaled_floats import Scaled, known_where, scaled

_STEPS = 200
_ERROR = 1e-10  # of a difference of four probabilities, r up to 1e6
_MOST = 1e6


def _sketch_distance(d: Scaled, r: Scaled) -> Scaled:
    features, rows = d.value(), r.value()
    good = (features >= 1) & (features == np.floor(features)) & (rows == np.floor(rows))
    good &= (rows >= features) & (rows <= _MOST)
    n, k = np.where(good, rows, 1.0), np.where(good, features, 1.0)
    shape = (n - k + 1) / 2
    constant = gammaln((n + 1) / 2) - gammaln(shape) - k / 2 * np.log(n / 2)
    low, high = np.ones_like(n), 10 * (n + k)
    for _ in range(_STEPS):
        middle = (low + high) / 2
        beyond = constant + middle / 2 - (n + 1) / 2 * np.log1p(middle / n) > 0
        low, high = np.where(beyond, low, middle), np.where(beyond, middle, high)
    found = gammainc(k / 2, high / 2) - betainc(k / 2, shape, high / (n + high))
    return known_where(scaled(found, np.full_like(found, _ERROR)), good)


QUANTITIES: Mapping[str, Callable[..., Scaled]] = {"sketch_distance": _sketch_distance}
