"""Moments of a normal variable on float64 columns, by the trapezoid rule, with a bound of the error."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import isqrt

import numpy as np

from ndis_verify.court.scaled_floats import Scaled, added, known_where, multiplied, ones, power, scaled

_MOST = 64  # the highest power
_NODES = 4  # to one standard deviation


def _normal_moment(n: Scaled, mean: Scaled, variance: Scaled) -> Scaled:
    """The sum over z = k/4 of phi(z) (m + s z)^n / 4.

    The Fourier transform of the summand at 8 pi is below 30^64 e^{-315} of its size: the rule is as good as exact.
    """
    exponent = n.value()
    good = (exponent >= 0) & (exponent == np.floor(exponent)) & (exponent <= _MOST) & (n.slack() < 0.5)
    good &= variance.value() > 0
    highest = int(exponent[good].max()) if good.any() else 0
    last = _NODES * (isqrt(16 * highest + 200) + 2)
    places = np.arange(-last, last + 1)[:, None] / _NODES
    shape = (len(places), *np.shape(exponent))
    wide = lambda x: Scaled(*(np.broadcast_to(part, shape) for part in (x.mantissa, x.exponent, x.error)))  # noqa: E731
    at = added(wide(mean), multiplied(scaled(np.broadcast_to(places, shape)), wide(power(variance, 0.5))))
    raised = kept = ones(at)
    for k in range(highest):
        raised = multiplied(raised, at)
        kept = _where(exponent == k + 1, raised, kept)
    weights = np.broadcast_to(np.exp(-(places**2) / 2) / np.sqrt(2 * np.pi) / _NODES, shape)
    parts = multiplied(kept, scaled(weights, weights * 2.0**-50))
    found = _row(parts, 0)
    for k in range(1, len(places)):
        found = added(found, _row(parts, k))
    return known_where(found, good)


def _row(parts: Scaled, k: int) -> Scaled:
    return Scaled(parts.mantissa[k], parts.exponent[k], parts.error[k])


def _where(chosen: np.ndarray, one: Scaled, other: Scaled) -> Scaled:
    pairs = ((getattr(one, name), getattr(other, name)) for name in ("mantissa", "exponent", "error"))
    return Scaled(*(np.where(chosen, first, second) for first, second in pairs))


QUANTITIES: Mapping[str, Callable[..., Scaled]] = {"normal_moment": _normal_moment}
