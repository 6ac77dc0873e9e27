"""Distribution functions of generalized chi-square laws (N26-D1) to any number of digits, by two routes (mpmath)."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import mpmath

from ndis_verify.enclosure import Enclosure
from ndis_verify.exact_number import exact, to_mpf
from ndis_verify.oracle.engine.agreement import agree
from ndis_verify.oracle.engine.chi2_law import ExactLaw, exact_law
from ndis_verify.oracle.engine.chi2_series import lower_probability
from ndis_verify.oracle.engine.contour import contour_upper_tail
from ndis_verify.oracle.engine.precision import checked_digits
from ndis_verify.oracle.engine.rays import Law


def generalized_chi2_cdf(
    weights: Any, dofs: Any, noncentralities: Any, std: Any, shift: Any, x: Any, digits: int = 30
) -> Enclosure:
    """Pr[X <= x] for X = sum_i w_i chi'^2(k_i, nc_i) + std N(0, 1) + shift (N26-D1), by two routes that agree.

    weights of either sign, dofs positive ints, noncentralities >= 0 (lists of one length), std >= 0.
    Route 1: contour integral; route 2: Gaussian tail, Ruben's series or a ray integral. Relative radius at most
    10^-digits, in the lower tail too. Raises `InputError`, `PrecisionError`.

    Examples
    --------
    >>> from ndis_verify.oracle import generalized_chi2_cdf
    >>> print(generalized_chi2_cdf([1, "-0.5"], [2, 3], ["0.25", 0], "0.5", 1, 2, digits=12).decimal(12)[0])
    0.620568486725
    """
    law, x, digits = exact_law(weights, dofs, noncentralities, std, shift), exact(x, "x"), checked_digits(digits)
    if not law.parts and law.std == 0:
        return _certain(law.shift <= x)
    return _upper_tail(law.negated(), -x, digits)


def generalized_chi2_sf(
    weights: Any, dofs: Any, noncentralities: Any, std: Any, shift: Any, x: Any, digits: int = 30
) -> Enclosure:
    """Pr[X > x], arguments and accuracy as `generalized_chi2_cdf`; relative in the upper tail too.

    weights, dofs, noncentralities, std, shift, x, digits: as there. Raises `InputError`, `PrecisionError`.

    Examples
    --------
    >>> from ndis_verify.oracle import generalized_chi2_sf
    >>> print(generalized_chi2_sf([1, "-0.5"], [2, 3], ["0.25", 0], "0.5", 1, 2, digits=12).decimal(12)[0])
    0.379431513275
    """
    law, x, digits = exact_law(weights, dofs, noncentralities, std, shift), exact(x, "x"), checked_digits(digits)
    if not law.parts and law.std == 0:
        return _certain(law.shift > x)
    return _upper_tail(law, x, digits)


def _certain(holds: bool) -> Enclosure:
    return Enclosure(mpmath.mpf(int(holds)), mpmath.mpf(0), "bound")


def _upper_tail(law: ExactLaw, x: Fraction, digits: int) -> Enclosure:
    if law.lower_end() and x <= law.shift:
        return _certain(True)
    if law.negated().lower_end() and x >= law.shift:
        return _certain(False)

    def first(aim: int) -> mpmath.mpf:
        with mpmath.workdps(2 * aim + 20):
            parts = [(to_mpf(w), k, to_mpf(nc)) for w, k, nc in law.parts]
            return contour_upper_tail(parts, to_mpf(law.std**2), to_mpf(x - law.shift), aim)

    def second(aim: int) -> mpmath.mpf:
        with mpmath.workdps(2 * aim + 20):
            w, k, nc = zip(*law.parts, strict=True) if law.parts else ((), (), ())
            mirrored = Law(
                tuple(-to_mpf(v) for v in w), k, tuple(to_mpf(v) for v in nc), to_mpf(law.std**2), to_mpf(x - law.shift)
            )
            return lower_probability(mirrored, mpmath.mpf(0), aim)

    return agree(first, second, digits, "generalized_chi2")
