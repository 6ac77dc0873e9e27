"""Certified distribution functions of generalized chi-square laws (N26-D1)."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from flint import arb

from ndis_verify.enclosure import Enclosure
from ndis_verify.exact_number import exact
from ndis_verify.oracle.certified.engine.balls import (
    ball,
    enclosure,
    exact_one,
    exact_zero,
    relative_digits,
    working_bits,
)
from ndis_verify.oracle.certified.engine.laplace import upward_integral
from ndis_verify.oracle.certified.engine.tail import Term, Transform
from ndis_verify.oracle.engine.chi2_law import ExactLaw, exact_law
from ndis_verify.oracle.engine.precision import PrecisionError, bits_ladder, checked_digits


def generalized_chi2_cdf(
    weights: Any, dofs: Any, noncentralities: Any, std: Any, shift: Any, x: Any, digits: int = 30
) -> Enclosure:
    """Pr[X <= x] for X = sum_i w_i chi'^2(k_i, nc_i) + std N(0, 1) + shift (N26-D1), enclosed with proof.

    weights of either sign, dofs positive ints, noncentralities >= 0 (lists of one length), std >= 0.
    Relative radius at most 10^-digits, in the lower tail too. Raises `InputError`, `PrecisionError`.

    Examples
    --------
    >>> from ndis_verify.oracle import certified_generalized_chi2_cdf
    >>> print(certified_generalized_chi2_cdf([1, "-0.5"], [2, 3], ["0.25", 0], "0.5", 1, 2, digits=12).decimal(12)[0])
    0.620568486725
    """
    law, x, digits = exact_law(weights, dofs, noncentralities, std, shift), exact(x, "x"), checked_digits(digits)
    if not law.parts and law.std == 0:
        return exact_one() if law.shift <= x else exact_zero()
    return _upper_tail(law.negated(), -x, digits)


def generalized_chi2_sf(
    weights: Any, dofs: Any, noncentralities: Any, std: Any, shift: Any, x: Any, digits: int = 30
) -> Enclosure:
    """Pr[X > x], arguments and accuracy as `generalized_chi2_cdf`; relative in the upper tail too.

    weights, dofs, noncentralities, std, shift, x, digits: as there. Raises `InputError`, `PrecisionError`.

    Examples
    --------
    >>> from ndis_verify.oracle import certified_generalized_chi2_sf
    >>> print(certified_generalized_chi2_sf([1, "-0.5"], [2, 3], ["0.25", 0], "0.5", 1, 2, digits=12).decimal(12)[0])
    0.379431513275
    """
    law, x, digits = exact_law(weights, dofs, noncentralities, std, shift), exact(x, "x"), checked_digits(digits)
    if not law.parts and law.std == 0:
        return exact_one() if law.shift > x else exact_zero()
    return _upper_tail(law, x, digits)


def _upper_tail(law: ExactLaw, x: Fraction, digits: int) -> Enclosure:
    """Pr[X > x] = (1/(2 pi i)) int E e^{sX} e^{-s x}/s ds for a law with a density; alpha = 2 w, q = nc
    alpha, p = 0.
    """
    if law.lower_end() and x <= law.shift:
        return exact_one()
    if law.negated().lower_end() and x >= law.shift:
        return exact_zero()
    for bits in bits_ladder(digits):
        with working_bits(bits):
            terms = tuple(Term(ball(2 * w), k, arb(0), ball(2 * w * nc)) for w, k, nc in law.parts)
            if law.std:
                terms += (Term(arb(0), 0, ball(law.std**2), arb(0)),)
            y = ball(x - law.shift)
            value = upward_integral(Transform(y, terms, y, second_pole=False), digits + 1).plain()
            if relative_digits(value) >= digits:
                return enclosure(value)
    raise PrecisionError(f"generalized_chi2: {digits} digits not reached at {bits} bits")
