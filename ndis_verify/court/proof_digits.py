"""Points at which what a proof says of numbers is looked at, and what is true there, in digits."""

from __future__ import annotations

import operator
import random
from collections.abc import Mapping
from functools import cache
from typing import Any

import mpmath
import sympy as sp

from ndis_verify.symbolic.scopes import ASSUMPTIONS
from ndis_verify.symbolic.special_functions import Pg, Qg
from ndis_verify.symbolic.zero import SAMPLE_DIGITS, STABLE, Values

VISIBLE = 1e-20  # what is smaller may be what is left of terms of which one was lost in another
_HOLDS = {">": operator.gt, ">=": operator.ge, "<": operator.lt, "<=": operator.le, "=": operator.eq}


@cache
def _of_gamma(gap: Any) -> frozenset[Any]:
    """What incomplete gamma functions are asked for."""
    return frozenset(argument for call in gap.atoms(Pg, Qg) for argument in call.args)


def may_be(symbol: sp.Symbol, value: Any) -> bool:
    return all(getattr(value, f"is_{one}") for one in (*ASSUMPTIONS, "nonzero") if getattr(symbol, f"is_{one}"))


def wide(symbol: sp.Symbol, drawn: random.Random) -> sp.Rational:
    """Between a hundredth and a hundred, of either sign where the symbol may have both."""
    size = (
        sp.Integer(drawn.randint(1, 99)) if symbol.is_integer else sp.Rational(round(100 ** (2 * drawn.random())), 100)
    )
    return -size if symbol.is_nonpositive or not (symbol.is_nonnegative or drawn.getrandbits(1)) else size


class AtPoint:
    """What differences of sides are at a point; what stands in several of them is computed once."""

    def __init__(self, point: Mapping[sp.Symbol, sp.Rational]) -> None:
        self.point = point
        self._values = Values(point, SAMPLE_DIGITS)

    def value(self, gap: Any) -> Any:
        """None where it has none, or an incomplete gamma function is asked for at no positive numbers."""
        return self._in(self._values, gap)

    def holds(self, gap: Any, relation: str) -> bool:
        value = self.value(gap)
        return value is not None and mpmath.im(value) == 0 and _HOLDS[relation](mpmath.re(value), 0)

    def is_false(self, gap: Any, relation: str) -> bool:
        """Whether a difference has another sign, in digits that stay at twice as many."""
        value = self.value(gap)
        if value is None or mpmath.im(value) != 0 or abs(value) <= VISIBLE or _HOLDS[relation](mpmath.re(value), 0):
            return False
        finer = self._in(Values(self.point, 2 * SAMPLE_DIGITS), gap)
        return finer is not None and bool(abs(value - finer) < STABLE * abs(finer))

    def _in(self, values: Values, gap: Any) -> Any:
        if not all(self.holds(argument, ">") for argument in _of_gamma(gap)):
            return None
        try:
            return values.of(gap)
        except RecursionError:  # of mpmath, in functions of complex places
            return None
