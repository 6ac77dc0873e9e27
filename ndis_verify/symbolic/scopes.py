"""What binds a symbol in an expression, and what may not be put under it; what a symbol is assumed to be.

An integral, a slope, a limit or a supremum goes over all values of its symbol: what is put into it has to hold, and to
mean the same, at every one of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import sympy as sp
from sympy.core.function import AppliedUndef

from ndis_verify.symbolic.block_algebra import inverse
from ndis_verify.symbolic.normal_coordinates import z as normal_z
from ndis_verify.symbolic.notation import (
    between_0_and_1,
    bin_of_sum,
    definite,
    each,
    logarithms,
    pull,
    transpose,
    x,
    xi,
    z,
)
from ndis_verify.symbolic.statement_terms import SIZES, quantity

ASSUMPTIONS = ("positive", "nonnegative", "negative", "nonpositive", "real", "integer")
_BINDERS = (sp.Integral, sp.Sum, sp.Product, sp.Derivative, sp.Limit, sp.Subs, sp.Lambda)
_LOCAL = (sp.Derivative, sp.Limit)  # these look at the numbers around one, on both of its sides
STEPPED = (sp.Piecewise, sp.floor, sp.ceiling, sp.frac, sp.Mod, sp.sign, sp.Heaviside, sp.arg, sp.atan2, sp.acot)
# Means and probabilities over what facts say to be drawn.
DRAWS = ("average", "chance", "given", "exceeds", "matrix_mean")
_OVER = {  # functionals of our own notation, and the symbols that each goes over, their coordinates among them
    **dict.fromkeys(("total", "largest", "where", "over"), (x, quantity("coordinate", x))),
    **dict.fromkeys(("summed", "largest_union", "over_set"), (bin_of_sum,)),
    **dict.fromkeys(("normal_mean", "normal_chance"), (z, normal_z, quantity("coordinate", normal_z))),
    "over_envelope": (logarithms,),
    "over_definite": (definite,),
    "sphere_mean": (xi,),
    "sign_changes": (between_0_and_1,),
}
OVER_A_SET = "supremum"  # of a set that is spoken of: over whatever its members depend on
OVER_COORDINATES = ("sum", "product")  # these go over the place that is spoken of
OF_A_VECTOR = "coordinate"  # coordinate(u) and coordinate(v) are two functions: of the place that is spoken of


def bound(node: Any) -> frozenset[Any]:
    """The symbols that a node goes over."""
    if isinstance(node, sp.Limit):
        return frozenset((node.args[1],))
    if isinstance(node, _BINDERS):
        return frozenset(node.variables)
    return frozenset(_OVER.get(str(node.func), ()) if isinstance(node, AppliedUndef) else ())


def binders(side: Any) -> Iterator[Any]:
    """The nodes of an expression that go over a symbol."""
    if isinstance(side, (sp.Basic, sp.MatrixBase)):
        yield from (node for node in side.atoms(*_BINDERS, AppliedUndef) if bound(node))


def unbound(side: Any) -> frozenset[Any]:
    """The symbols and calls of functions in an expression, less the symbols that functionals of ours alone go over."""
    over = {node: bound(node) for node in binders(side) if isinstance(node, AppliedUndef)}
    left = side.xreplace({node: sp.Dummy() for node in over}).free_symbols
    return frozenset(side.atoms(sp.Symbol, AppliedUndef)) - (frozenset().union(*over.values()) - left)


def speaks(side: Any, name: Any) -> bool:
    """Whether an expression speaks of a name; of a function at any argument."""
    if not isinstance(side, (sp.Basic, sp.MatrixBase)):
        return False
    if isinstance(name, sp.Symbol):
        return name in side.free_symbols
    return any(call.func == name.func for call in side.atoms(AppliedUndef))


def captured(side: Any, old: Any, new: Any, fixed: Iterable[Any] = ()) -> bool:
    """Whether an equation old = new may not be put into `side`, because its symbols are bound around `old` there.

    `fixed`: symbols that the equation does not hold for every value of. Where `old` is written as a function of the
    bound symbol, and holds for each value of it, it may.
    """
    return any(
        not _everywhere(node, old, names, set(fixed))
        for node in binders(side)
        if node != old
        and _is_changed(node, old, new)
        and (names := bound(node) & (old.free_symbols | new.free_symbols))
    )


def _is_changed(node: Any, old: Any, new: Any) -> bool:
    """Whether a node is another one with one thing put for another: SymPy puts 16 for x^4 where x^2 is 4."""
    return bool(node.has(old) or (not isinstance(old, (sp.Symbol, AppliedUndef)) and node.subs(old, new) != node))


def _everywhere(node: Any, old: Any, names: frozenset[Any], fixed: set[Any]) -> bool:
    if not names <= old.free_symbols or names & fixed or not goes_over_values(node):
        return False
    return not isinstance(node, _LOCAL) or all(_is_inside(name) for name in names)


def goes_over_values(node: Any) -> bool:
    """Whether what is put in for a symbol, what it goes over, or where it goes to, is of values of the symbol: of an
    integral and a limit but for the ends.
    """
    if isinstance(node, sp.Subs):
        return all(map(_is_value, node.variables, node.point))
    if isinstance(node, sp.Limit):
        symbol, place, side = node.args[1], node.args[2], str(node.args[3])
        wrong = {"-": symbol.is_nonnegative, "+": symbol.is_nonpositive}
        beyond = place == 0 and any(wrong[one] for one in wrong if one in side)
        return not beyond and _is_value(symbol, place, at_end=True)
    if isinstance(node, (sp.Integral, sp.Sum, sp.Product)):
        inside = isinstance(node, sp.Integral)
        return all(
            len(one) == 3 and all(_is_value(one[0], end, at_end=inside) for end in one[1:]) for one in node.limits
        )
    return True


def _is_value(symbol: Any, value: Any, *, at_end: bool = False) -> bool:
    """Whether a symbol may have a value, by what both are known to be; at an end of its range also 0 or infinity."""
    known = [one for one in ASSUMPTIONS if getattr(symbol, f"is_{one}")]
    if at_end:
        if "integer" in known and value.is_finite:
            return False
        weaker = {"positive": "extended_nonnegative", "negative": "extended_nonpositive", "real": "extended_real"}
        known = [weaker.get(one, f"extended_{one}") for one in known if one != "integer"]
    elif value.is_infinite:
        known = [f"extended_{one}" for one in known if one != "integer"]
    return all(getattr(value, f"is_{one}") is True for one in known)


def _is_inside(symbol: Any) -> bool:
    """Whether all numbers around a value of the symbol are values of it."""
    return symbol.is_integer is None and (symbol.is_zero is False or symbol.is_nonnegative is symbol.is_nonpositive)


def taken_over(side: Any, values: Mapping[Any, Any]) -> Any:
    """What keeps `values` from being put in the place of symbols and calls: one that would be bound in `side`, or a
    function of which other values are spoken of too. None where nothing does.
    """
    for key, value in values.items():
        own = key.free_symbols if isinstance(key, AppliedUndef) else frozenset()
        for node in binders(side):
            if isinstance(node, sp.Limit) and key in bound(node):
                return key
            if node.has(key) and (names := bound(node) & (value.free_symbols - own)):
                return min(names, key=str)
        if isinstance(key, AppliedUndef) and str(key.func) != OF_A_VECTOR:
            calls = [one for one in side.atoms(AppliedUndef) if one.func == key.func and one not in values]
            if calls:
                return min(calls, key=str)
    return None


def number_of_array(side: Any, values: Mapping[Any, Any]) -> Any:
    """A call in `side` that is of arrays, and would be of numbers alone with `values` put in: the size of the arrays
    would be lost, while I is 1 whatever its size. None where there is none.
    """
    for call in side.atoms(AppliedUndef):
        arrays = [arg for arg in call.args if _is_array(arg)]
        if arrays and not isinstance(call, (transpose, inverse, each, type(pull(x)))):
            found = [sp.expand(arg.subs(values, simultaneous=True)) for arg in arrays]
            if not any(map(_is_array, found)) and (any(found) or str(call.func) in SIZES):
                return call
    return None


def _is_array(value: Any) -> bool:
    """Whether it is made of letters; a matrix that is written out has its size."""
    made = not value.is_commutative and any(not one.is_commutative for one in value.free_symbols)
    return made and not isinstance(value, sp.MatrixBase)


def unheard(letter: Any) -> dict[str, bool]:
    """What a symbol, or a call of a function, is assumed to be beyond a sign, being real and being whole: nothing asks
    where that comes from.
    """
    if not isinstance(letter, (sp.Symbol, AppliedUndef)):
        return {}
    said = {one: True for one in ASSUMPTIONS if getattr(letter, f"is_{one}") is True}
    said["commutative"] = letter.is_commutative
    if isinstance(letter, AppliedUndef):
        plain, known = sp.Function(letter.func.__name__, **said)._kwargs, getattr(letter.func, "_kwargs", {})
    else:
        plain, known = sp.Symbol(letter.name, **said).assumptions0, letter.assumptions0
    return {name: value for name, value in known.items() if plain.get(name) != value}
