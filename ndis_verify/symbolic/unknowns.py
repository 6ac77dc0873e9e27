"""Equations between expressions in which unknown functions, integrals and scalars of matrices occur."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import sympy as sp
from sympy.core.function import AppliedUndef

from ndis_verify.symbolic.block_algebra import BlockAlgebra, without_powers
from ndis_verify.symbolic.notation import scalar
from ndis_verify.symbolic.scopes import goes_over_values
from ndis_verify.symbolic.zero import as_expression, is_zero, nonzero_somewhere


def follows(difference: Any) -> bool | None:
    """Whether `difference` is zero whatever the unknown functions, integrals and scalars of matrices in it are.

    Calls of one function whose arguments are equal are one unknown number, all others are different ones. False says
    that it is not zero for some numbers in their places, so that nothing follows from the form alone.
    """
    if isinstance(difference, sp.MatrixBase):
        return is_zero(difference)
    return _follows(as_expression(difference))


_GOES_BETWEEN = (sp.Integral, sp.Sum, sp.Product)
_UNKNOWN = (AppliedUndef, scalar, *_GOES_BETWEEN)
_BINDS = (sp.Derivative, sp.Limit, sp.Subs)  # of an unknown function each is an unknown number of its own


@lru_cache(maxsize=4096)
def _follows(difference: sp.Expr) -> bool | None:
    """A condition of a fact stands in the step and in every planted fault of its derivation."""
    known: list[tuple[Any, sp.Symbol]] = []

    def number(node: Any) -> sp.Symbol:
        for one, symbol in known:
            if _equal(one, node):
                return symbol
        spoken = node.args[0] if isinstance(node, _BINDS) else node  # SymPy calls no limit commutative
        if not spoken.is_commutative:
            known.append((node, sp.Symbol(f"unknown_{len(known)}", commutative=False)))
            return known[-1][1]
        assumed = {name: True for name in ("real", "positive", "nonnegative") if getattr(node, f"is_{name}")}
        known.append((node, sp.Symbol(f"unknown_{len(known)}", **assumed)))
        return known[-1][1]

    gap = _replaced(difference, number)
    if nonzero_somewhere(gap):  # before it is written out
        return False
    gap = sp.expand(without_powers(gap))
    if not gap.is_commutative:  # the letters may stand for what makes it 0
        return True if BlockAlgebra({}, {}).reduce(gap) == 0 else None
    return is_zero(gap)


def equal(left: Any, right: Any) -> bool:
    """Whether both sides are the same whatever the unknown functions in them are."""
    return bool(left == right) or follows(left - right) is True


def _replaced(expression: Any, number: Any) -> Any:
    """The outermost calls, integrals and scalars replaced, so that what is inside of them is compared as a whole, and
    so a slope, a limit or a value of one of them: no number in the place of f(x) is what f does nearby.
    """
    if isinstance(expression, _UNKNOWN):
        return number(expression)
    if not expression.has(*_UNKNOWN):
        return expression
    if isinstance(expression, _BINDS):
        return number(expression)
    return expression.func(*(_replaced(arg, number) for arg in expression.args))


def _equal(one: Any, other: Any) -> bool:
    if one == other:
        return True
    if one.func != other.func or len(one.args) != len(other.args):
        return False
    if isinstance(one, (sp.Limit, sp.Subs, *_GOES_BETWEEN)) and not goes_over_values(one):
        return False
    if isinstance(one, _GOES_BETWEEN):
        return one.limits == other.limits and equal(one.function, other.function)
    return all(_same_argument(a, b) for a, b in zip(one.args, other.args))


def _same_argument(a: Any, b: Any) -> bool:
    if a == b or isinstance(a, sp.Tuple | sp.Lambda) or isinstance(b, sp.Tuple | sp.Lambda):
        return bool(a == b)
    return equal(a, b)
