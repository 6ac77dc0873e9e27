"""Independent normal coordinates: their density, quadratic forms in them, and a function of them at normal numbers.

A vector stands for all of its coordinates: `coordinate` of it is the one numbered i, and `sum` goes over i.
"""

from __future__ import annotations

from typing import Any

import sympy as sp

from ndis_verify.symbolic.notation import x
from ndis_verify.symbolic.statement_terms import quantity
from ndis_verify.symbolic.zero import as_expression, is_zero

z = sp.Symbol("z", real=True)  # the standard normal vector


def total_of(term: Any) -> Any:
    """The sum over the coordinates."""
    return quantity("sum", term)


def entry(vector: Any) -> Any:
    """The coordinate numbered i of a vector that is named; of one that is a term in coordinates, the term."""
    return quantity("coordinate", vector) if getattr(vector, "is_Symbol", False) else as_expression(vector)


def log_density(mean: Any, std: Any) -> Any:
    """The logarithm of the density of one coordinate, at x_i."""
    return -((entry(x) - mean) ** 2) / (2 * std**2) - sp.log(std) - sp.log(2 * sp.pi) / 2


def density(mean: Any, std: Any) -> Any:
    """The density of independent normal coordinates at x: the exponential of the sum of their logarithms."""
    return sp.exp(total_of(log_density(mean, std)))


def quadratic(a: Any, b: Any) -> Any:
    """sum_i (b_i z_i + a_i z_i^2/2)."""
    return total_of(b * entry(z) + a * entry(z) ** 2 / 2)


def at_normal(f: Any, mean: Any, std: Any) -> Any:
    """f at x_i = m_i + s_i z_i."""
    return f.subs(entry(x), mean + std * entry(z))


def is_normal_density(f: Any) -> bool:
    """Whether f is the density of independent normal coordinates at x, of means and positive standard deviations."""
    exponent = as_expression(f.args[0] if isinstance(f, sp.exp) else 0)
    if str(exponent.func) != "sum":
        return False
    place = sp.Dummy(real=True)
    logarithm = sp.expand(exponent.args[0]).subs(entry(x), place)
    if logarithm.has(x) or not logarithm.is_polynomial(place) or sp.degree(logarithm, place) != 2:
        return False
    square, linear, rest = sp.Poly(logarithm, place).all_coeffs()
    mean, std = -linear / (2 * square), 1 / sp.sqrt(-2 * square)
    return bool(square.is_negative and mean.is_real and is_zero(rest - log_density(mean, std).subs(entry(x), 0)))
