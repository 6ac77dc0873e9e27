"""That a letter of a proof is one thing wherever it stands: under what binds a symbol, and where a fact goes over an
argument.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import sympy as sp
from sympy.core.function import AppliedUndef

from ndis_verify.court.proof_continuity import not_continuous
from ndis_verify.court.proof_draws import NUMBERS, of_draws, two_laws
from ndis_verify.court.proof_names import (
    GOES_OVER,
    atoms_of,
    names_of,
    of_existence,
    of_lemmas,
    of_letters,
    symbols_of,
    what_is_behind,
)
from ndis_verify.court.proof_places import of_places
from ndis_verify.symbolic.derivation import Derivation, Step, steps_in
from ndis_verify.symbolic.fact import JUMPING, Fact
from ndis_verify.symbolic.facts import FACTS
from ndis_verify.symbolic.facts_of_signs import w as within
from ndis_verify.symbolic.notation import anything, below, between_0_and_1, beyond, share, x
from ndis_verify.symbolic.scopes import binders, bound, goes_over_values, speaks
from ndis_verify.symbolic.zero import as_expression

_BETWEEN_ENDS = (sp.Integral, sp.Sum, sp.Product)
_POINT_BY_POINT = ("both sides of an edge", "equal on both sides of an edge")  # nothing is said of what is near a point
_PUTS_NOTHING_IN = ("means keep the order",)  # but what it takes the mean of
_OF_EVERY_VECTOR = ("eigenvalues follow Rayleigh quotients", "eigenvalues lie above a bound of Rayleigh quotients")
_DISTANCES = frozenset((below, beyond, share, within))  # by which facts reach every point of a side, or of an interval


def letter_problems(derivation: Derivation, k: int) -> Iterator[str]:
    """What is wrong with the letters of step k."""
    step, behind = derivation.steps[k], what_is_behind(derivation)
    for one in steps_in(step):
        yield from _under_binders(one, behind)
        if one.kind == "fact" and one.fact in FACTS and set(one.letters) == set(FACTS[one.fact].letters):
            yield from _of_arguments(derivation, one, FACTS[one.fact], behind)
            yield from _of_jumps(derivation, one)
            yield from not_continuous(derivation, one, names_of(derivation))
            yield from of_existence(derivation, one, FACTS[one.fact])
            yield from of_letters(derivation, one, FACTS[one.fact])
            yield from of_draws(derivation, one, FACTS[one.fact])
        yield from two_laws(derivation, one)
        yield from of_places(derivation, one)
    yield from of_lemmas(derivation, k)


def _under_binders(step: Step, behind: Mapping[Any, set[Any]]) -> Iterator[str]:
    """Of a name under what goes over a symbol that its definition speaks of nobody can say what it is there."""
    for side in (step.lhs, step.rhs, step.witness):
        for node in binders(side):
            places = bound(node)
            if isinstance(node, (sp.Sum, sp.Product)) and not goes_over_values(node):
                yield f"{node.func.__name__} goes over what is no value of {min(places, key=str)}"
            for name, symbols in behind.items():
                if name != node and (held := symbols & places) and speaks(node, name):
                    over = min(held, key=str)
                    yield f"{name} stands for what depends on {over}, over which {node.func.__name__} goes"


def _of_arguments(derivation: Derivation, step: Step, fact: Fact, behind: Mapping[Any, set[Any]]) -> Iterator[str]:
    """What is shown for every value of an argument must not rest on what is known of one of its values."""
    yield from _put_under(step)
    over = {name: step.letters[name] for name in GOES_OVER if name in step.letters}
    if odd := [name for name, symbol in over.items() if not isinstance(symbol, sp.Symbol)]:
        yield f"{odd[0]!r} is {over[odd[0]]}, and no symbol, over which a fact could go"
        return
    for distance, held_by in _distances_in(step.letters, fact, behind):
        yield f"{held_by} speaks of {distance}, over which the fact goes"
    for argument in over.values():
        for node in (node for value in step.letters.values() for node in binders(value)):
            if isinstance(node, AppliedUndef) and argument in bound(node):  # what is put in would be put under it
                yield f"{node.func} goes over {argument}, which the fact goes over"
        for name, symbols in behind.items():
            if argument in symbols and any(speaks(value, name) for value in step.letters.values()):
                yield f"{name} stands for what depends on {argument}, which the fact goes over"
    sides = (step.lhs, step.rhs) if derivation.concludes else ()
    places = set().union(*(bound(node) for side in sides for node in binders(side)))
    inside = {symbol for side in sides for node in as_expression(side).atoms(*_BETWEEN_ENDS) for symbol in bound(node)}
    if both := (inside & set().union(*(_free(as_expression(side)) for side in sides))) - set(over.values()):
        yield f"{min(both, key=str)} is one number in a side, and gone over there"
    for name in NUMBERS:
        if held := symbols_of(step.letters.get(name)) & places:
            yield f"{name!r} depends on {min(held, key=str)}, over which the fact goes"
        for other, symbols in behind.items():
            if x in symbols and name in step.letters and speaks(step.letters[name], other):
                yield f"{name!r} is {other}, which depends on the point x"
    for condition, shown in step.conditions.items():
        known = derivation.fixed_in(shown) if isinstance(shown, Step) else derivation.fixed(shown)
        vectors = _vectors(step) if step.fact in _OF_EVERY_VECTOR else set()
        for argument in (_everywhere(fact, condition, step.letters, over) | places | vectors) - {anything}:
            if argument in known:
                yield f"condition {condition!r} is shown at one {argument} alone"


def _vectors(step: Step) -> set[Any]:
    """The letters in quotients that the matrices do not speak of: any vector."""
    named = ("quotient", "other quotient")
    quotients, others = (
        set().union(*(symbols_of(value) for name, value in step.letters.items() if (name in named) is part))
        for part in (True, False)
    )
    return {one for one in quotients - others if not one.is_commutative}


def _put_under(step: Step) -> Iterator[str]:
    """Letters with an integral, a slope or a limit over a symbol that another letter speaks of, or by which the fact
    reaches a point: where it puts one into the other, the symbol would be another one.
    """
    over = {
        name: {symbol for node in _going_inside(value) for symbol in bound(node)}
        for name, value in step.letters.items()
    }
    for name, symbols in over.items() if step.fact not in _PUTS_NOTHING_IN else ():
        others = set().union(*(symbols_of(value) for other, value in step.letters.items() if other != name))
        if held := symbols & (others | _DISTANCES | {between_0_and_1}):
            yield f"{name!r} goes over {min(held, key=str)}, of which another letter speaks"


def _free(node: Any) -> set[Any]:
    """The symbols of an expression over which nothing goes in it, no functional of ours either."""
    if isinstance(node, sp.Symbol):
        return {node}
    if isinstance(node, _BETWEEN_ENDS):
        ends = set().union(*(_free(end) for limit in node.limits for end in limit[1:]))
        return (_free(node.function) - set(node.variables)) | ends
    own = bound(node) if isinstance(node, (AppliedUndef, sp.Lambda)) else frozenset()
    return set().union(*map(_free, node.args)) - own


def _going_inside(letter: Any) -> Iterator[Any]:
    """The integrals, slopes and limits in a letter; what a function is called with is put under nothing by itself."""
    inside = letter.expr if isinstance(letter, sp.Lambda) else letter
    yield from (node for node in binders(inside) if not isinstance(node, AppliedUndef))


def _distances_in(letters: Mapping[str, Any], fact: Fact, behind: Mapping[Any, set[Any]]) -> Iterator[tuple[Any, Any]]:
    """Distances, or an angle, by which the fact reaches every point, and the letter or the name in it that speaks of
    them: what is shown with such a letter is shown of one point.
    """
    by = _DISTANCES | symbols_of(letters.get("angle"))
    others = {name: value for name, value in letters.items() if name != "angle"}
    found = [(one, repr(name)) for name, value in others.items() for one in symbols_of(value) & by]
    for name, symbols in behind.items():
        if symbols & by and any(speaks(value, name) for value in others.values()):
            found += [(one, str(name)) for one in symbols & by]
    if not found:
        return
    fresh = {one: sp.Dummy(one.name, **one.assumptions0) for one in by}
    plain = {**letters, **{name: _renamed(value, fresh) for name, value in others.items()}}
    said = [fact.instance(plain), *(condition(plain) for condition in fact.required.values())]
    sides = [as_expression(side) for left, _, right in said for side in (left, right) if side is not None]
    own = by & set().union(*(side.free_symbols for side in sides))
    yield from ((one, held_by) for one, held_by in found if one in own)


def _renamed(value: Any, names: Mapping[Any, Any]) -> Any:
    """A letter, which may be several expressions, with other symbols in it."""
    if isinstance(value, (tuple, list)):
        return type(value)(_renamed(one, names) for one in value)
    return value.xreplace(names) if isinstance(value, (sp.Basic, sp.MatrixBase)) else value


def _of_jumps(derivation: Derivation, step: Step) -> Iterator[str]:
    """What in a letter is not continuous in what the fact goes over: a slope says nothing of what it does there."""
    if step.fact in _POINT_BY_POINT:
        return
    over = {step.letters[name] for name in GOES_OVER if isinstance(step.letters.get(name), sp.Symbol)}
    for name, value in step.letters.items():
        for jump in sorted(jumps(value, over | {between_0_and_1}, names_of(derivation)), key=str):
            yield f"{name!r} has {jump}, which may jump"


def jumps(value: Any, over: set[Any], names: Mapping[Any, Any], heads: Sequence[type[sp.Basic]] = JUMPING) -> set[Any]:
    """The parts of an expression, and of what its names stand for, that jump as one of the symbols `over` moves; of
    other `heads` those that are made of these.
    """
    if not isinstance(value, sp.Basic):
        return set()
    put_in = [node.variables for node in value.atoms(sp.Subs) if any(one.free_symbols & over for one in node.point)]
    up_to = [(name, *ends) for node in value.atoms(*_BETWEEN_ENDS) for name, *ends in node.limits]
    over = over.union(*put_in, *([name] for name, *ends in up_to if any(end.free_symbols & over for end in ends)))
    found = {one for one in value.atoms(*heads) if one.free_symbols & over}
    left = {name: meant for name, meant in names.items() if not speaks(value, name)}
    for name in names.keys() - left.keys():
        moved = {one for call in _calls_of(value, name) if atoms_of(call) & over for one in atoms_of(name)}
        found |= jumps(names[name], over | moved, left, heads)
    return found


def _calls_of(value: Any, name: Any) -> Iterator[Any]:
    """The calls of a function that is a name; none where it is a symbol."""
    if isinstance(name, AppliedUndef):
        yield from (call for call in value.atoms(AppliedUndef) if call.func == name.func)


def _everywhere(fact: Fact, condition: str, letters: Mapping[str, Any], over: Mapping[str, Any]) -> set[Any]:
    """The symbols for all values of which a condition has to hold: arguments that it looks at, and own ones."""
    if condition not in fact.required:
        return set(over.values())
    seen = _Watched(letters)
    left, _, right = fact.required[condition](seen)
    spoken = set().union(*(as_expression(side).free_symbols for side in (left, right) if side is not None))
    given = set().union(*(symbols_of(value) for value in letters.values()))
    return {one for name, one in over.items() if name in seen.names and one in spoken} | (spoken - given)


class _Watched(dict[str, Any]):
    """Letters, and which of them were asked for."""

    def __init__(self, letters: Mapping[str, Any]) -> None:
        super().__init__(letters)
        self.names: set[str] = set()

    def __getitem__(self, name: str) -> Any:
        self.names.add(name)
        return super().__getitem__(name)
