"""An enclosure as the decimals that are printed: a number that nobody can read back is no answer."""

from __future__ import annotations

import mpmath

from ndis_verify.enclosure import Enclosure
from ndis_verify.exact_number import MAX_EXPONENT

_MAX_BITS = 3.33 * MAX_EXPONENT  # writing what is beyond takes seconds


def decimals(enclosure: Enclosure, digits: int) -> tuple[str, str]:
    """(value, radius) as `Enclosure.decimal` has them. Raises `ArithmeticError` beyond 10^±`MAX_EXPONENT`."""
    if enclosure.mid and abs(mpmath.mag(enclosure.mid)) > _MAX_BITS:
        power = mpmath.nstr(mpmath.mpf(mpmath.mag(enclosure.mid)), 6)  # itself of thousands of digits at times
        raise ArithmeticError(
            f"the value is about 2^({power}), beyond 10^{MAX_EXPONENT} either way; ask for its logarithm"
        )
    return enclosure.decimal(digits)
