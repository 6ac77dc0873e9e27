"""Certified trade-off curves of Gaussian, subsampled Gaussian and Laplace pairs (Arb)."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from flint import arb

from ndis_verify.arguments import exactly, positive
from ndis_verify.enclosure import Enclosure
from ndis_verify.exact_number import InputError, exact
from ndis_verify.oracle.certified.engine.balls import ball, enclosure, settled_value


def gaussian_trade_off(alpha: Any, mu: Any, digits: int = 30) -> Enclosure:
    """`Phi(Phi^-1(1 - alpha) - mu)`, the trade-off curve of N(0,1) and N(mu,1) (KM-2.8), enclosed with proof.

    alpha in (0, 1), real mu. Relative radius at most 10^-digits. Raises `InputError`, `PrecisionError`.
    """
    level, shift = exactly(alpha, "alpha", "(0, 1)"), exact(mu, "mu")
    return settled_value(lambda: cdf(-quantile(ball(level)) - ball(shift)), digits)


def gdp_parameter(fpr: Any, fnr: Any, digits: int = 30) -> Enclosure:
    """`Phi^-1(1 - fpr) - Phi^-1(fnr)`, the mu on whose curve the two errors lie (KM-eq2.4), enclosed with proof.

    fpr and fnr in (0, 1), fpr + fnr != 1. Relative radius at most 10^-digits. Raises `InputError`, `PrecisionError`.
    """
    first, second = exactly(fpr, "fpr", "(0, 1)"), exactly(fnr, "fnr", "(0, 1)")
    if first + second == 1:
        return enclosure(arb(0))
    return settled_value(lambda: -quantile(ball(first)) - quantile(ball(second)), digits)


def subsampled_gdp_parameter(rate: Any, std: Any, threshold: Any, digits: int = 30) -> Enclosure:
    """`gdp_parameter` of the test x > threshold, Q = N(0, std^2) against P = rate N(1, std^2) + (1 - rate) Q (KM-S3).

    rate in (0, 1], std > 0, one unit for std and threshold. Relative radius at most 10^-digits.
    Raises `InputError`, `PrecisionError`.
    """
    share, spread, cut = exactly(rate, "rate", "(0, 1]"), positive(std, "std"), exact(threshold, "threshold")

    def value() -> arb:
        below, beyond = ball(cut / spread), ball((cut - 1) / spread)
        power = ball(share) * cdf(-beyond) + ball(1 - share) * cdf(-below)
        return below + quantile(power)

    return settled_value(value, digits)


def laplace_trade_off(alpha: Any, mu: Any, digits: int = 30) -> Enclosure:
    """`F(F^-1(1 - alpha) - mu)`, F the CDF of Lap(0, 1): shift over scale is mu (KM-AppC), enclosed with proof.

    alpha in (0, 1), mu > 0. Written with F and its inverse, not with the branches. Relative radius at most
    10^-digits. Raises `InputError`, `PrecisionError`.
    """
    level, shift = exactly(alpha, "alpha", "(0, 1)"), exact(mu, "mu")
    if shift <= 0:
        raise InputError("mu", mu, "must be positive")

    def value() -> arb:
        upper = level <= Fraction(1, 2)
        place = -ball(2 * level).log() if upper else ball(2 * (1 - level)).log()
        place -= ball(shift)
        if place > 0:
            return 1 - (-place).exp() / 2
        if place < 0:
            return place.exp() / 2
        return (1 + arb(0, 1)) / 2  # not decided at this precision

    return settled_value(value, digits)


def cdf(x: arb) -> arb:
    """Standard normal CDF of a ball."""
    return (-x / arb(2).sqrt()).erfc() / 2


def quantile(p: arb) -> arb:
    """Standard normal quantile of a ball inside (0, 1)."""
    return -arb(2).sqrt() * (2 * p).erfcinv()
