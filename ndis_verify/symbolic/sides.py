"""How the sides of steps are computed with: what is held is opened, values are put in, and signs are added up."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any

import mpmath
import sympy as sp
from sympy.core.function import AppliedUndef

from ndis_verify.exact_number import InputError
from ndis_verify.symbolic.scopes import (
    ASSUMPTIONS,
    OF_A_VECTOR,
    STEPPED,
    captured,
    number_of_array,
    taken_over,
    unheard,
)
from ndis_verify.symbolic.special_functions import Phi
from ndis_verify.symbolic.zero import SAMPLE_DIGITS, any_value, as_expression, is_zero, value_at

_NOTHING = (sp.AccumBounds, sp.zoo, sp.nan)  # SymPy gives these where there is no limit
_CORNERS, _FURTHER = (-1, 0, 1, 2), (-5, -3, 3, 4, 5)  # at which the signs that SymPy knows are looked at
_TINY = 1e-40  # what is smaller at those digits is taken for 0


def opened(side: Any) -> Any:
    """A side as it is computed with: what stands unevaluated for the reader (derivatives, limits, held expressions)
    evaluated. Integrals stay: they are equal to what a step says they are.
    """
    if not isinstance(side, sp.Basic) or not side.has(sp.Derivative, sp.Limit, sp.Subs, sp.UnevaluatedExpr):
        return side
    return _evaluated(side)


@lru_cache(maxsize=4096)
def _evaluated(side: sp.Basic) -> sp.Basic:
    """A limit takes seconds, and stands in a step, in the facts that it meets and in each of its planted faults."""
    side = side.replace(sp.UnevaluatedExpr, lambda inner: inner)
    return side.replace(lambda node: isinstance(node, (sp.Derivative, sp.Limit, sp.Subs)), _taken)


def _taken(node: Any) -> Any:
    """What a node is; a limit that there is not stays as it is written, and what is taken of it."""
    if not isinstance(node, sp.Limit):
        return node if node.has(sp.Limit) else node.doit()
    if node.args[0].has(*STEPPED):  # SymPy takes the value at the place
        return node
    by_parts = _of_parts(node.args[0], node)
    found = _in_every_case(node) if by_parts is None else by_parts
    return node if found.has(*_NOTHING) else found


def _in_every_case(limit: sp.Limit) -> Any:
    """A limit that SymPy takes for almost all values of what else stands in it: nan, unless it is the same wherever a
    coefficient is 0.
    """
    expression, variable, place, direction = limit.args
    found = limit.doit()
    if found.has(sp.Limit):
        return found
    for symbol, root in _exceptions(expression, variable, place):
        if symbol is None:
            return sp.nan
        at = expression.subs(symbol, root)
        if at.has(sp.zoo, sp.nan):  # nothing is said of what has no value there
            continue
        try:
            there = _in_every_case(sp.Limit(at, variable, place.subs(symbol, root), direction))
        except (NotImplementedError, ValueError):
            return sp.nan
        here = found.subs(symbol, root)
        if there != here and is_zero(there - here) is not True:
            return sp.nan
    return found


def _exceptions(expression: Any, variable: sp.Symbol, place: Any) -> set[tuple[Any, Any]]:
    """Symbols, and the values of them at which a coefficient of what depends on the variable is 0, or the base or the
    exponent of a power of it is 0 or 1; None where these are not found.
    """
    if place.is_finite:
        expression = expression.subs(variable, variable + place)
    found: set[tuple[Any, Any]] = set()
    for node in sp.preorder_traversal(expression):
        if isinstance(node, (sp.Add, sp.Mul)) and variable in node.free_symbols:
            coefficients: dict[Any, Any] = {}
            for term in sp.Add.make_args(sp.expand(node)):
                coefficient, rest = term.as_independent(variable, as_Add=False)
                coefficients[rest] = coefficients.get(rest, 0) + coefficient
            found |= _where_zero(coefficients.values(), expression.free_symbols)
        if isinstance(node, sp.Pow) and variable in node.free_symbols:
            fixed = [part for part in node.args if variable not in part.free_symbols]
            found |= _where_zero([part - k for part in fixed for k in (0, 1)], expression.free_symbols)
    return found


def _where_zero(coefficients: Iterable[Any], symbols: set[Any]) -> set[tuple[Any, Any]]:
    asked = [one for one in coefficients if one.is_zero is None and one.free_symbols]
    return {pair for one in asked for pair in _roots(one, symbols)}


def _roots(coefficient: Any, symbols: set[Any]) -> Iterator[tuple[Any, Any]]:
    """Of each factor that may be 0, by one of the symbols, in which it is linear."""
    for factor, _ in sp.factor_list(sp.numer(sp.together(coefficient)))[1]:
        if factor.is_zero is False:
            continue
        for symbol in sorted(factor.free_symbols & symbols, key=str):
            if (
                factor.is_polynomial(symbol)
                and sp.degree(factor, symbol) == 1
                and factor.coeff(symbol).is_zero is False
            ):
                root = sp.expand(-factor.subs(symbol, 0) / factor.coeff(symbol))
                known = [one for one in ASSUMPTIONS if getattr(symbol, f"is_{one}")]
                if all(getattr(root, f"is_{one}") is not False for one in known):
                    yield symbol, root
                break
        else:
            yield None, None


def _of_parts(expression: Any, limit: sp.Limit) -> Any:
    """A limit by those of the parts of its expression, in which SymPy is much faster than in the whole: of sums and
    products where all are finite, and of functions that are continuous up to infinity. None where one has none.
    """
    _, variable, place, direction = limit.args
    if variable not in expression.free_symbols:
        return expression
    if expression.is_Add or expression.is_Mul:
        found = [_of_parts(part, limit) for part in expression.args]
        return None if None in found else expression.func(*found)
    inside = expression.args[0] if isinstance(expression, (sp.exp, Phi)) else expression
    try:
        found = _in_every_case(sp.Limit(inside, variable, place, direction))
    except (NotImplementedError, ValueError):  # of the whole SymPy may say something else
        return None
    if inside is not expression and (found in (sp.oo, -sp.oo) or _is_finite(found)):
        found = expression.func(found)
    return found if _is_finite(found) else None


def _is_finite(value: Any) -> bool:
    """Whether it is known to be; of a distribution function SymPy knows it even at what is no number."""
    return value.is_finite is True and not value.has(sp.Limit, sp.oo, -sp.oo, *_NOTHING)


def at_values(side: Any, values: Mapping[Any, Any]) -> Any:
    """`side` with expressions in the place of symbols whose assumptions they share."""
    for symbol, value in values.items():
        _require_number(symbol, as_expression(value))
    return _replaced(side.as_immutable() if isinstance(side, sp.MatrixBase) else side, tuple(values.items()))


@lru_cache(maxsize=8192)
def _replaced(side: Any, values: tuple[tuple[Any, Any], ...]) -> Any:
    """A step of a lemma is used by several steps, in the check of each and in that of each planted fault."""
    if odd := [symbol for symbol, _ in values if unheard(symbol)]:
        raise InputError(str(odd[0]), str(unheard(odd[0])), "is more than is asked of what takes its place")
    for symbol, value in values:
        for name in ASSUMPTIONS:
            if getattr(symbol, f"is_{name}") and not is_known_to_be(as_expression(value), name):
                raise InputError(str(symbol), str(value), f"must be {name}, as the symbol is")
    if side is None:
        return side
    found = {symbol: as_expression(value) for symbol, value in values}
    if (name := taken_over(as_expression(side), found)) is not None:
        raise InputError("at", str(name), "stands for other values in what is taken at these")
    if odd := _unlike(found):
        raise InputError("at", str(odd), "is a call of a function that something else is put for as well")
    if (call := number_of_array(as_expression(side), found)) is not None:
        raise InputError("at", str(call), "is of an array, whose size a number does not have")
    return as_expression(side).subs(found, simultaneous=True)


def _unlike(values: Mapping[Any, Any]) -> Any:
    """A call in whose place a value is put, and in its arguments or its value something else, or which another call of
    its function contradicts. None where there is none.
    """
    calls = [one for one in values if isinstance(one, AppliedUndef) and str(one.func) != OF_A_VECTOR]
    for call in calls:
        others = [one for one in values if one != call]
        if any(call.has(one) or values[call].has(one) for one in others):
            return call
        for other in (one for one in calls if one != call and one.func == call.func):
            there = dict(zip(call.args, other.args, strict=False))
            if len(call.args) != len(other.args) or values[call].subs(there, simultaneous=True) != values[other]:
                return call
    return None


def _require_number(symbol: Any, value: Any) -> None:
    """That something may be put in the place of a symbol, or of a call: a finite real number, or an array of letters in
    the place of one. A number is what it is.
    """
    if not isinstance(symbol, (sp.Symbol, AppliedUndef)):
        raise InputError("at", str(symbol), "must be a symbol, or a call of an unknown function")
    if isinstance(value, sp.MatrixBase) or value.has(sp.I, sp.oo, -sp.oo, sp.zoo, sp.nan):
        raise InputError(str(symbol), str(value), "must be a finite real number, or an array of letters")
    if value != 0 and value.is_commutative is not symbol.is_commutative:
        raise InputError(str(symbol), str(value), "must be a number where the symbol is, and an array where it is one")


def put_in(side: Any, old: Any, new: Any, fixed: Iterable[Any] = ()) -> Any:
    """`new` in the place of `old`; left as it is where a symbol of them would be bound, and they do not hold for each
    of its values, or where an array would lose its size. SymPy refuses where one name is bound in both `side` and
    `new`, which is no harm where it is free in neither.
    """
    side, old, new = map(as_expression, (side, old, new))
    if not old.free_symbols <= side.atoms(sp.Symbol):  # most equations are of other parts
        return side
    if captured(side, old, new, fixed) or number_of_array(side, {old: new}) is not None:
        return side
    try:
        return side.subs(old, new)
    except ValueError:
        bound = {name for integral in side.atoms(sp.Integral) for name in integral.variables}
        if bound & (new.free_symbols | old.free_symbols):
            raise
        return side.xreplace({old: new})


_SIGNS = {"positive": ">", "nonnegative": ">=", "negative": "<", "nonpositive": "<="}


def is_known_to_be(value: Any, name: str) -> bool:
    """Whether a value has what a symbol is assumed to be: a sign, or to be real or whole."""
    known = getattr(value, f"is_{name}", None) is True
    return known and (name not in _SIGNS or value.is_commutative is False or has_sign(value, _SIGNS[name]) is True)


def has_sign(expression: Any, relation: str) -> bool | None:
    """Whether SymPy's assumptions say `expression relation 0`, and no value at a corner of what they leave differs; of
    an arctangent, of which they say too much, it has the sign of what it is of.
    """
    whole, angles = expression, expression.atoms(sp.atan)
    if angles:
        expression = expression.xreplace({one: _of_one_sign(one.args[0]) for one in angles})
    sign: bool | None = {
        ">": expression.is_positive,
        ">=": expression.is_nonnegative,
        "<": expression.is_negative,
        "<=": expression.is_nonpositive,
    }[relation]
    return sign if sign is not True or keeps_sign(whole, relation) else None


def _of_one_sign(value: Any) -> sp.Dummy:
    """Any number of which no more is known than the sign of `value`."""
    signs = ("positive", "negative", "nonnegative", "nonpositive")
    known = next((one for one in signs if getattr(value, f"is_{one}")), "real")
    return sp.Dummy(**{known: True})


@lru_cache(maxsize=4096)
def keeps_sign(expression: Any, relation: str) -> bool:
    """Whether the values of an expression have a sign, where it has any, at small and at larger whole numbers for its
    symbols together and at 0 for each of them alone: SymPy has atan(n) > 0 for whole n >= 0.
    """
    if expression.is_Atom or expression.has(sp.Integral, sp.Sum):
        return True
    expression = expression.xreplace(
        {call: any_value(call, k) for k, call in enumerate(expression.atoms(AppliedUndef))}
    )
    symbols = sorted(expression.free_symbols, key=str)
    if not all(one.is_commutative for one in symbols):
        return True
    corners = [{one: _nearest(one, number) for one in symbols} for number in _CORNERS]
    corners += [{**corners[2], one: _nearest(one, 0)} for one in symbols] if len(symbols) > 1 else []
    further = [{one: _nearest(one, number) for one in symbols} for number in _FURTHER]
    return all(_has(value_at(expression, point, SAMPLE_DIGITS), relation, _TINY) for point in corners) and all(
        _has(value_at(expression, point, SAMPLE_DIGITS), relation, 0)
        for point in further  # far out tails are small
    )


def _has(value: Any, relation: str, least: float) -> bool:
    """Whether a value, if there is one that is real, has a sign; it is 0 up to a size."""
    if value is None or mpmath.im(value) != 0:
        return True
    return len(relation) == 2 if abs(value) <= least else (value > 0) is (relation[0] == ">")


def _nearest(symbol: Any, number: int) -> Any:
    """The whole number nearest to one that the assumptions of a symbol allow."""
    if symbol.is_nonnegative:
        number = max(number, 0)
    elif symbol.is_nonpositive:
        number = min(number, 0)
    if number == 0 and symbol.is_zero is False:
        number = -1 if symbol.is_negative else 1
    return sp.Integer(number)


def sign_of(weight: Any, relation: str) -> str | None:
    """The relation to 0 of weight times a difference that has `relation` to 0; None where the weight has no sign."""
    weight = as_expression(weight)
    turned = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}
    if has_sign(weight, ">") or has_sign(weight, "<"):
        return relation if weight.is_positive else turned[relation]
    weak = {"<": "<=", ">": ">="}.get(relation, relation)
    return weak if has_sign(weight, ">=") else turned[weak] if has_sign(weight, "<=") else None


def signs_give(wanted: str, signs: list[str | None]) -> bool | None:
    """Whether a sum of terms with these relations to 0 has the relation `wanted` to 0."""
    if wanted == "=" or not signs:
        return True if not signs and wanted in ("=", ">=", "<=") else None
    direction = wanted[0]
    same = all(sign is not None and sign[0] == direction for sign in signs)
    return True if same and (len(wanted) == 2 or any(sign == direction for sign in signs)) else None
