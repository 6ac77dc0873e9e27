"""The chance of a large error of the debiased Gram matrix with one feature, where the matrix is a chi-square number."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import mpmath
from flint import arb

from ndis_verify.court.checks import agreement
from ndis_verify.enclosure import Enclosure
from ndis_verify.exact_number import to_mpf
from ndis_verify.oracle.certified.engine.balls import enclosure, to_exact_ball, working_bits
from ndis_verify.oracle.certified.generalized_chi2 import generalized_chi2_cdf, generalized_chi2_sf

_QUICK = ((1, 1), (3, 1), (40, 1), (90, 3), (2_500, 20))
_FULL = (*_QUICK, (2, 4), (13, 2), (400, 8), (10_000, 30), (200_000, 1))


def _bound(r: int, t: int) -> Fraction:
    """C (sqrt(q) + q), q = (1 + t)/r, C = 2 sqrt 3: a float, and then that number exactly."""
    share = (1 + t) / r
    return Fraction(2 * math.sqrt(3) * (math.sqrt(share) + share))


def _by_balls(more: int = 0, below: bool = True) -> Callable[[int, int], Enclosure]:
    """Pr[|X/r - 1| > bound] for X chi-square with r degrees of freedom, both tails certified."""

    def chance(r: int, t: int) -> Enclosure:
        off, law = _bound(r, t), ([1], [r + more], [0], 0, 0)
        tails = [generalized_chi2_sf(*law, r * (1 + off), digits=28)]
        if below and off < 1:
            tails.append(generalized_chi2_cdf(*law, r * (1 - off), digits=28))
        with working_bits(160):
            return enclosure(sum((to_exact_ball(tail) for tail in tails), start=arb(0)))

    return chance


def _by_gamma(r: int, t: int) -> Any:
    """The same by incomplete gamma functions of mpmath."""
    off = _bound(r, t)
    with mpmath.workdps(45):
        half = mpmath.mpf(r) / 2
        above = mpmath.gammainc(half, half * to_mpf(1 + off), mpmath.inf, regularized=True)
        return above + (mpmath.gammainc(half, 0, half * to_mpf(1 - off), regularized=True) if off < 1 else 0)


CHANCE = agreement(
    "the chance of an error above the bound, one feature",
    "certified chi-square tails, incomplete gamma functions",
    _by_balls(),
    _by_gamma,
    lambda effort: list(_QUICK if effort == "quick" else _FULL),
    digits=20,
    mutants={"one column more": _by_balls(more=1), "errors above alone": _by_balls(below=False)},
)
