"""What stands for one coordinate of a vector: under a sum over all it is another number at every place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any
from weakref import WeakKeyDictionary

import sympy as sp
from sympy.core.function import AppliedUndef

from ndis_verify.court.proof_names import brought_by_facts, names_of
from ndis_verify.statements.quantities import QUANTITIES
from ndis_verify.symbolic.derivation import Derivation, Step, Use, steps_in
from ndis_verify.symbolic.notation import anything
from ndis_verify.symbolic.scopes import OF_A_VECTOR, OVER_COORDINATES, speaks
from ndis_verify.symbolic.zero import as_expression

_PLACED: WeakKeyDictionary[Derivation, frozenset[Any]] = WeakKeyDictionary()


def of_places(derivation: Derivation, step: Step) -> Iterator[str]:
    """What stands for one coordinate is another number at every place that a sum goes over."""
    sides = [as_expression(side) for side in (step.lhs, step.rhs) if side is not None]
    sums = [call for side in sides for call in _sums(side)]
    if step.kind == "fact" and sums:
        for name in (*placed(derivation), *_coordinates(sides)):
            if any(call.has(name) for call in sums) and any(_beside_sums(side).has(name) for side in sides):
                yield f"{name} stands for one coordinate, and is taken out of a sum over all"
    for use in (use for use in step.premises if isinstance(use, Use) and use.at):
        lemma = derivation if use.of is None else use.lemma
        spoken = [as_expression(side) for side in _sides(lemma, use.step) if side is not None]
        for key, value in use.at.items():
            if key in placed(lemma) or not _is_placed(value, placed(derivation)) or str(key.func) == OF_A_VECTOR:
                continue
            if any(speaks(_without_coordinates(call), key) for side in spoken for call in _sums(side)):
                yield f"{key} is one number in the sums of {use.step!r}, and {value} speaks of one coordinate"


def of_one_place(derivation: Derivation, hypothesis: Any, use: Use) -> Any:
    """What `use` puts in the place of a number into a hypothesis of every place, or of any vector, and is of one."""
    relation = getattr(hypothesis, "relation", None)
    if not isinstance(relation, sp.Basic):
        return None
    for key, value in use.at.items():
        if not speaks(_without_coordinates(relation), key) or str(key.func) == OF_A_VECTOR:
            continue
        if relation.has(anything) and key != anything and value.has(anything):
            return value
        if any(str(call.func) == OF_A_VECTOR for call in _calls(relation)) and _is_placed(value, placed(derivation)):
            return value
    return None


def _sides(derivation: Derivation, name: str) -> tuple[Any, ...]:
    found = derivation.used(Use(name))
    return () if found is None else (found.lhs, found.rhs)


def placed(derivation: Derivation) -> frozenset[Any]:
    """The names that stand for something of one coordinate, by definitions or because a fact brings them in there."""
    if derivation not in _PLACED:
        found: set[Any] = set()
        for use in (use for step in derivation.steps for one in steps_in(step) for use in one.premises):
            if isinstance(use, Use) and use.of is not None:
                found |= placed(use.lemma) - set(use.at)
        brought = brought_by_facts(derivation)
        known = [({name}, {"": meant}) for name, meant in names_of(derivation).items()]
        while True:
            more = {
                name
                for names, letters in (*known, *brought)
                if any(_is_placed(value, found) for value in letters.values())
                for name in names
                if isinstance(name, (sp.Symbol, AppliedUndef))
            }
            if more <= found:
                break
            found |= more
        _PLACED[derivation] = frozenset(found)
    return _PLACED[derivation]


def _is_placed(value: Any, names: Iterable[Any]) -> bool:
    """Whether an expression, or one of several, speaks of one coordinate, or of a name of such a one."""
    if isinstance(value, (tuple, list)):
        return any(_is_placed(one, names) for one in value)
    if not isinstance(value, sp.Basic):
        return False
    rest = _beside_sums(value)
    return any(speaks(rest, name) for name in names) or any(str(call.func) == OF_A_VECTOR for call in _calls(rest))


def _calls(side: Any) -> set[Any]:
    return set(side.atoms(AppliedUndef)) if isinstance(side, (sp.Basic, sp.MatrixBase)) else set()


def _sums(side: Any) -> list[Any]:
    return [call for call in _calls(side) if str(call.func) in OVER_COORDINATES]


def _beside_sums(side: Any) -> Any:
    """An expression without its sums over all coordinates, and without vectors as a quantity has them."""
    vectors = [
        (call, call.args[QUANTITIES[str(call.func)].vectors :])
        for call in _calls(side)
        if str(call.func) in QUANTITIES and QUANTITIES[str(call.func)].vectors
    ]
    gone = {call: sp.Dummy(real=True) for call in _sums(side)}
    return side.xreplace({**{call: sp.Function("of_vectors", real=True)(*rest) for call, rest in vectors}, **gone})


def _coordinates(sides: Iterable[Any]) -> set[Any]:
    return {call for side in sides for call in _calls(side) if str(call.func) == OF_A_VECTOR}


def _without_coordinates(side: Any) -> Any:
    return side.xreplace({call: sp.Dummy(real=True) for call in _coordinates([side])})
