"""Products of powers, polynomials and exponentials of one variable whose integral is finite, seen from their form."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import sympy as sp


def falls_fast_enough(factors: Iterable[Any], variable: Any, low: Any, high: Any) -> bool:
    """Whether the integral of a product from low to high is finite: at the ends of the range, and at 0, where powers of
    the variable have no bound.
    """
    if variable.is_nonnegative and not low.is_nonnegative:
        return False  # the letter is no number of the whole range
    exponent, powers = sp.Integer(0), []
    for one in (part for factor in factors for part in sp.Mul.make_args(factor) if part.has(variable)):
        if isinstance(one, sp.exp):
            exponent += one.args[0]
        else:
            powers.append(one)
    sizes = [_size(one, variable) for one in powers]
    if any(size is None for size in sizes):
        return False
    at_zero = sp.Add(*(size[0] for size in sizes if size is not None))
    far_out = sp.Add(*(size[1] for size in sizes if size is not None))
    from_zero = low.is_nonnegative and (at_zero + 1).is_positive
    if not (at_zero.is_nonnegative or from_zero or low.is_positive):
        return False
    if low.is_finite and high.is_finite:
        return exponent == 0 or sp.expand(exponent).is_polynomial(variable)
    decay = _decays(sp.expand(exponent), variable, low, high)
    return decay is True or (decay is None and (far_out + 1).is_negative is True)


def is_explicit(factor: Any, variable: Any) -> bool:
    """Whether a factor is one of which the form says how large it is."""
    if isinstance(factor, sp.exp):
        return bool(sp.expand(factor.args[0]).is_polynomial(variable))
    return _size(factor, variable) is not None


def is_bounded_ratio(factors: Iterable[Any], variable: Any) -> bool:
    """Whether a product of polynomials and of inverses of those that are at least a positive number stays bounded."""
    sizes = [_size(one, variable) for one in factors]
    if any(size is None for size in sizes):
        return False
    at_zero, far_out = (sp.Add(*(size[end] for size in sizes if size is not None)) for end in (0, 1))
    return bool(at_zero.is_nonnegative and far_out.is_nonpositive)


def _decays(exponent: Any, variable: Any, low: Any, high: Any) -> bool | None:
    """Whether the exponential of a polynomial falls faster than any power at the ends of the range that are no numbers;
    None where it is a number, False where it is not seen to fall.
    """
    if not exponent.has(variable):
        return None
    if not exponent.is_polynomial(variable):
        return False
    polynomial = sp.Poly(exponent, variable)
    degree, leading = polynomial.degree(), polynomial.LC()
    up = high.is_finite or leading.is_negative
    down = low.is_finite or (leading if degree % 2 == 0 else -leading).is_negative
    return bool(up and down)


def _size(factor: Any, variable: Any) -> tuple[Any, Any] | None:
    """(power of the variable that the factor is like at 0, one that it does not exceed far out), up to numbers."""
    base, power = factor.as_base_exp()
    if power.has(variable):
        return None
    if base.is_polynomial(variable) and power.is_Integer and power > 0:
        return sp.Integer(0), sp.degree(base, variable) * power
    multiple, rest = base.as_independent(variable, as_Add=False)
    if rest == variable and variable.is_nonnegative and multiple.is_positive:
        return power, power
    if power.is_negative and base.is_polynomial(variable):
        return _of_inverse(sp.Poly(sp.expand(base), variable), variable, power)
    return None


def _of_inverse(base: sp.Poly, variable: Any, power: Any) -> tuple[Any, Any] | None:
    """Of a negative power of a polynomial without a negative term, which is at least its positive constant."""
    for (degree,), coefficient in base.terms():
        even = degree % 2 == 0 or variable.is_nonnegative
        if not (even and coefficient.is_nonnegative):
            return None
    if not base.TC().is_positive:
        return None
    degree = max(degree for (degree,), coefficient in base.terms() if coefficient.is_positive)
    return sp.Integer(0), degree * power
