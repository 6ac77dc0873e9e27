"""Certified values behind one parameter read off a total variation distance (Arb)."""

from __future__ import annotations

from typing import Any

from flint import arb

from ndis_verify.arguments import exactly
from ndis_verify.enclosure import Enclosure
from ndis_verify.exact_number import InputError, exact
from ndis_verify.oracle.certified.engine.balls import ball, settled_value


def subsampled_tv(rate: Any, std: Any, digits: int = 30) -> Enclosure:
    """`rate (2 Phi(1/(2 std)) - 1)`: TV of rate N(1,std^2) + (1-rate) N(0,std^2) and N(0,std^2) (KM-S7-example).

    rate in (0, 1], std > 0. Relative radius at most 10^-digits. Raises `InputError`, `PrecisionError`.
    """
    share, spread = exactly(rate, "rate", "(0, 1]"), exact(std, "std")
    if spread <= 0:
        raise InputError("std", std, "must be positive")
    return settled_value(lambda: ball(share) * (1 / (2 * arb(2).sqrt() * ball(spread))).erf(), digits)


def subsampled_std(rate: Any, tv: Any, digits: int = 30) -> Enclosure:
    """The std at which `subsampled_tv(rate, std)` is tv, for 0 < tv < rate.

    Relative radius at most 10^-digits. Raises `InputError`, `PrecisionError`.
    """
    share, distance = exactly(rate, "rate", "(0, 1]"), exact(tv, "tv")
    if not 0 < distance < share:
        raise InputError("tv", tv, "must lie strictly between 0 and rate")
    return settled_value(lambda: 1 / (2 * arb(2).sqrt() * ball(distance / share).erfinv()), digits)


def std_sensitivity(order: Any, std: Any, digits: int = 30) -> Enclosure:
    """`phi(1/(2 std) - std log order)/std^2`, minus the derivative in std of H_order(N(0,std^2)||N(1,std^2)) (KM-7.2).

    order > 0, std > 0. Relative radius at most 10^-digits. Raises `InputError`, `PrecisionError`.
    """
    a, spread = exact(order, "order"), exact(std, "std")
    if a <= 0:
        raise InputError("order", order, "must be positive")
    if spread <= 0:
        raise InputError("std", std, "must be positive")

    def value() -> arb:
        size = ball(spread)
        place = 1 / (2 * size) - size * ball(a).log()
        return (-place * place / 2).exp() / (2 * arb.pi()).sqrt() / size**2

    return settled_value(value, digits)
