"""The largest privacy loss in extended arithmetic, for epsilons that lie so close below it that float64 sums have no digits left."""

from __future__ import annotations

from fractions import Fraction

import mpmath
import numpy as np

from ndis_verify.exact_number import exact, to_mpf
from ndis_verify.fast.spectrum import Spectrum

_DIGITS = 60
CLOSE = 1e-3  # nearer than this, relative to the largest loss, the distance is computed anew


def corrections(laws: Spectrum, rows: np.ndarray, epsilon: np.ndarray, edge: np.ndarray) -> np.ndarray:
    """What to add to `edge` = epsilon less the largest loss, where the loss is bounded and `edge` close to 0; else 0.

    The largest loss is `-(1/2) sum k log lambda - (1/2) sum m^2/alpha`, all alpha < 0; from the inputs of diagonal
    covariances, p < q, it is `-(1/2) sum log(p/q) - (1/2) sum (mean_p - mean_q)^2/(p - q)`. Shapes (E,); extended precision.
    """
    flat = (-1, laws.alpha.shape[-1])
    idle = (laws.multiplicity == 0) | ((laws.alpha == 0) & (laws.shift_squared == 0))  # coordinates that say nothing
    bounded = ((laws.alpha < 0) | idle).reshape(flat).all(axis=1)
    close = np.flatnonzero(bounded[rows] & (np.abs(edge) < CLOSE * np.abs(epsilon)))
    result = np.zeros(edge.shape, dtype=np.longdouble)
    if not close.size:
        return result
    with mpmath.workdps(_DIGITS):
        largest = {row: _largest_loss(laws, row) for row in set(rows[close].tolist())}
        for entry in close:
            distance = mpmath.mpf(float(epsilon[entry])) - largest[int(rows[entry])]
            result[entry] = float(distance - _mpf(edge[entry]))
    return result


def _largest_loss(laws: Spectrum, row: int) -> mpmath.mpf:
    if laws.inputs is None:
        parts = (laws.alpha, laws.shift_squared, laws.multiplicity, laws.log_ratio)
        rows = zip(*(np.reshape(part, (-1, part.shape[-1]))[row] for part in parts))
        logs = ((k, a, m, _mpf(log) if laws.logs_given else mpmath.log1p(float(a))) for a, m, k, log in rows)
        return -mpmath.fsum(int(k) * log + mpmath.mpf(float(m)) / float(a) for k, a, m, log in logs if k and a) / 2
    size = laws.inputs[2].shape[-1]
    columns = zip(*(_exact(part, size) for part in laws.inputs))
    return -mpmath.fsum(mpmath.log(p / q) + (a - b) ** 2 / (p - q) for p, q, a, b in columns if p != q) / 2


def _exact(part: np.ndarray, size: int) -> list[mpmath.mpf]:
    """An input of one pair, spread over its coordinates."""
    return [to_mpf(v if isinstance(v, Fraction) else exact(float(v))) for v in np.broadcast_to(part, size)]


def _mpf(value: np.longdouble) -> mpmath.mpf:
    high = float(value)
    return mpmath.mpf(high) + mpmath.mpf(float(value - np.longdouble(high)))
