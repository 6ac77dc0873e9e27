"""Which functions stay below or above a number, by their form and by what steps say of their parts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import sympy as sp
from sympy.core.function import AppliedUndef

from ndis_verify.symbolic.integrable_forms import is_bounded_ratio
from ndis_verify.symbolic.special_functions import Pg, Phi, Qg
from ndis_verify.symbolic.unknowns import equal

Relation = tuple[Any, str, Any]  # left side, sign, right side
Ends = tuple[bool, bool]  # whether there is a number below, and one above

_PROBABILITIES = ("mass", "chance", "given", "exceeds", "normal_chance")
_BOUNDED = (sp.erf, sp.erfc, sp.cos, sp.sin, sp.tanh, sp.atan, sp.sign, sp.Heaviside, Phi)
_NEITHER, _BOTH = (False, False), (True, True)


@dataclass(frozen=True)
class Bounds:
    """`changes`: whether an expression is not the same everywhere. `relations`: what steps say."""

    changes: Callable[[Any], bool]
    relations: tuple[Relation, ...] = ()

    def said(self, f: Any) -> Iterator[tuple[str, Any]]:
        for left, sign, right in self.relations:
            if equal(left, f):
                yield sign, right
            if equal(right, f):
                yield {"<=": ">=", "<": ">", ">=": "<=", ">": "<"}.get(sign, sign), left


def bounds(f: Any, known: Bounds) -> Ends:
    """Whether f is nowhere below some number, and nowhere above one."""
    if not known.changes(f):
        return _BOTH
    low, high = _by_form(f, known)
    low, high = low or f.is_nonnegative is True, high or f.is_nonpositive is True
    if not (low and high):
        for sign, other in known.said(f):
            if not known.changes(other):
                low, high = low or sign[0] in ">=", high or sign[0] in "<="
    return low, high


def _by_form(f: Any, known: Bounds) -> Ends:
    inner = [bounds(arg, known) for arg in f.args] if isinstance(f, (sp.Add, sp.Max, sp.Min, sp.Abs, sp.exp)) else []
    if isinstance(f, sp.Add):
        return all(low for low, _ in inner), all(high for _, high in inner)
    if isinstance(f, sp.Max):
        return any(low for low, _ in inner), all(high for _, high in inner)
    if isinstance(f, sp.Min):
        return all(low for low, _ in inner), any(high for _, high in inner)
    if isinstance(f, sp.Abs):
        return True, all(inner[0])
    if isinstance(f, sp.exp):
        return True, inner[0][1]
    if isinstance(f, sp.Piecewise):
        pieces = [bounds(arg, known) for arg, _ in f.args]
        return all(low for low, _ in pieces), all(high for _, high in pieces)
    if isinstance(f, sp.Mul):
        return _of_product(f, known)
    if isinstance(f, sp.Pow):
        return _of_power(f, known)
    probability = isinstance(f, AppliedUndef) and str(f.func) in _PROBABILITIES
    real = isinstance(f, _BOUNDED) and all(arg.is_real for arg in f.args)
    tail = isinstance(f, (Pg, Qg)) and f.args[0].is_positive and f.args[1].is_nonnegative
    return _BOTH if probability or real or tail else _NEITHER


def _of_product(f: Any, known: Bounds) -> Ends:
    numbers = [arg for arg in f.args if not known.changes(arg)]
    rest = [arg for arg in f.args if known.changes(arg)]
    inner = [bounds(arg, known) for arg in rest]
    variables = [one for one in f.free_symbols if known.changes(one)]
    if all(map(all, inner)) or (len(variables) == 1 and is_bounded_ratio(rest, variables[0])):
        return _BOTH
    if len(rest) > 1 and not all(arg.is_nonnegative for arg in rest):
        return _NEITHER
    low, high = inner[0] if len(rest) == 1 else (True, all(end for _, end in inner))
    number = sp.Mul(*numbers)
    if number.is_nonnegative:
        return low, high
    return (high, low) if number.is_nonpositive else _NEITHER


def _of_power(f: Any, known: Bounds) -> Ends:
    base, power = f.args
    if known.changes(power):
        return _NEITHER
    low, high = bounds(base, known)
    if power.is_negative:
        return _BOTH if _away_from_zero(base, known) else _NEITHER
    whole = bool(power.is_Integer)
    if power.is_positive and (whole or base.is_nonnegative):
        if low and high:
            return _BOTH
        if base.is_nonnegative:
            return True, high
    return bool(whole and power.is_even), False


def _away_from_zero(base: Any, known: Bounds) -> bool:
    """Whether it is a positive number and what is not negative."""
    parts = sp.Add.make_args(sp.expand(base))
    held = [arg for arg in parts if not known.changes(arg)]
    return all(arg.is_nonnegative for arg in parts) and any(arg.is_positive for arg in held)
