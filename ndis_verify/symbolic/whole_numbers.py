"""What SymPy concludes of whole numbers and is not so, taken back before any expression of a proof is made.

A fifth of the larger of 2 n and 2 m is no whole number for it, though n may be 5, so that its distance from 2 is above
0; and 1/(p q) - 1/8 is, as it is at p = q = 1. Nothing is known of either then.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import sympy as sp
from sympy.core import exprtools

_sign_at_ends = exprtools._monotonic_sign
_is_whole = sp.Mul._eval_is_integer


@cache
def _sign(expression: Any) -> Any:
    """The value of least size, by the ends of the ranges of symbols; None where a whole number is divided by."""
    if any(one.is_integer for one in expression.free_symbols):
        if any(one.is_integer for one in expression.as_numer_denom()[1].free_symbols):
            return None
    return _sign_at_ends(expression)


def _whole(product: Any) -> bool | None:
    """Whether a product is a whole number; None where it is none for some values of its symbols."""
    found: bool | None = _is_whole(product)
    return None if found is False and product.free_symbols else found


def be_cautious() -> None:
    """Put both in the places of SymPy's own."""
    exprtools._monotonic_sign = _sign
    sp.Mul._eval_is_integer = _whole
    sp.Mul._prop_handler["integer"] = _whole
