"""The law of one coordinate of the sketched solution, as a share of the limit's deviations: Student's."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import mpmath

from ndis_verify.court.checks import agreement
from ndis_verify.enclosure import Enclosure
from ndis_verify.exact_number import to_mpf
from ndis_verify.oracle.certified.generalized_chi2 import generalized_chi2_cdf

_QUICK = ((1, 1, Fraction(1)), (3, 2, Fraction(1, 2)), (10, 3, Fraction(2)), (200, 5, Fraction(3, 2)))
_FULL = (*_QUICK, (5, 5, Fraction(10)), (40, 1, Fraction(1, 100)), (1_000, 20, Fraction(4)), (100_000, 3, Fraction(1)))


def _by_balls(freed: int = 1) -> Callable[[int, int, Fraction], Enclosure]:
    """Pr[|N| sqrt(r/X) <= z], N normal and X chi-square with r - d + 1 degrees of freedom: that N^2 - z^2 X/r <= 0.

    A coordinate of (Pi B)^+ Pi b, less that of x_opt, over ||w|| sqrt((B^T B)^{-1}_jj / r), is N sqrt(r/X).
    """

    def chance(r: int, d: int, z: Fraction) -> Enclosure:
        return generalized_chi2_cdf([1, -(z**2) / r], [1, r - d + freed], [0, 0], 0, 0, 0, digits=26)

    return chance


def _by_beta(r: int, d: int, z: Fraction) -> Any:
    """The same from Student's distribution function: an incomplete beta function of mpmath at z^2/(r + z^2)."""
    with mpmath.workdps(45):
        return mpmath.betainc(
            mpmath.mpf(1) / 2, mpmath.mpf(r - d + 1) / 2, 0, to_mpf(z**2 / (r + z**2)), regularized=True
        )


def _in_the_limit(r: int, d: int, z: Fraction) -> Any:
    with mpmath.workdps(45):
        return mpmath.erf(to_mpf(z) / mpmath.sqrt(2))


WITHIN = agreement(
    "the chance of one coordinate within z of the limit's deviations, at finite r",
    "certified as a difference of two chi-square laws, Student's incomplete beta function",
    _by_balls(),
    _by_beta,
    lambda effort: list(_QUICK if effort == "quick" else _FULL),
    digits=20,
    mutants={"the limit at every r": _in_the_limit, "a degree of freedom more": _by_balls(freed=2)},
)
