"""Moments of a normal variable in ball arithmetic, by integration of a power against the density.

Raises `NotExact` outside its domain.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from math import isqrt

from flint import acb, arb

from ndis_verify.court.quantities.exact import NotExact, Number, OutsideDomain, as_ball
from ndis_verify.oracle.certified.engine.integral import integral

MOST = 64  # the highest power


def _normal_moment(n: Number, mean: Number, variance: Number, digits: int) -> Number:
    """E (m + s z)^n, z standard normal, over [-L, L] and a bound of the rest.

    Where z^2 >= 2n, (|m| + s z)^n e^{-z^2/4} falls, so that both tails together are at most 2 (|m| + s L)^n e^{-L^2/4}
    times the integral of e^{-z^2/4} beyond L over sqrt(2 pi), which is at most (2/L) e^{-L^2/4} / sqrt(2 pi).
    """
    power = _power(n)
    if variance <= 0:
        raise OutsideDomain("a normal law has a positive variance")
    if not variance > 0:
        raise NotExact("a variance that is not known to be positive")
    m, s = as_ball(mean), as_ball(variance).sqrt()
    edge = isqrt(16 * power + 6 * digits) + 2
    scale = 1 / (2 * arb.pi()).sqrt()
    within = integral(lambda z, _: (m + s * z) ** power * (-z * z / 2).exp(), acb(-edge), acb(edge)).real
    beyond = 4 * (abs(m) + s * edge) ** power * (-(arb(edge) ** 2) / 2).exp() / edge
    return scale * (within + arb(0, beyond.abs_upper()))


def _power(n: Number) -> int:
    if not isinstance(n, Fraction):
        raise NotExact("a power that is not known to be whole")
    if n.denominator != 1 or n < 0:
        raise OutsideDomain("a moment has a whole power >= 0")
    if n > MOST:
        raise NotExact(f"powers are at most {MOST} here")
    return int(n)


QUANTITIES: Mapping[str, Callable[..., Number]] = {"normal_moment": _normal_moment}
