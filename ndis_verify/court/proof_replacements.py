"""That what a premise puts in the place of a call may stand there: that the call is one of an unknown function.

What a fact writes, or a definition defines, is known: 7 is no value of a probability. A coordinate of a vector is
replaced together with the vector, of which facts and hypotheses speak.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import sympy as sp
from sympy.core.function import AppliedUndef

from ndis_verify.court.proof_paths import reached
from ndis_verify.statements.quantities import QUANTITIES
from ndis_verify.symbolic.derivation import Derivation, Step, Use, steps_in
from ndis_verify.symbolic.facts import FACTS
from ndis_verify.symbolic.meanings import Ri, g, gt, q, x
from ndis_verify.symbolic.notation import scalar
from ndis_verify.symbolic.scopes import OF_A_VECTOR
from ndis_verify.symbolic.sides import at_values
from ndis_verify.symbolic.transposes import base_letter, is_marked, written_transposed
from ndis_verify.symbolic.zero import as_expression

_OF_ARRAYS = ("transpose", "inverse", "det", "trace", "diagonal", "each", "above", "beside")


def known_call(derivation: Derivation, use: Use) -> str:
    """What keeps the calls that `use` replaces from being replaced; empty where nothing does."""
    calls = [key for key in use.at if isinstance(key, AppliedUndef)]
    if not calls:
        return ""
    whole = derivation if use.of is None else use.lemma
    known = _known(whole, use.step)
    for key in calls:
        if _is_moved_density(derivation, use, key):
            continue
        if str(key.func) == OF_A_VECTOR:
            if text := _of_vector(whole, use, key):
                return text
        elif str(key.func) in (*QUANTITIES, *_OF_ARRAYS) or key.func in known:
            return f"{key} is known, and not what anything may take the place of"
    return ""


def parted(use: Use, lemma: Derivation) -> str:
    """What keeps a letter and its transpose, written as another letter, from being replaced by another thing each;
    empty where nothing does.
    """
    letters = [key for key in use.at if isinstance(key, sp.Symbol) and not key.is_commutative]
    spoken = set().union(*(side.free_symbols for side in _expressions(_before(use, lemma))))
    spoken = {one for one in spoken if not one.is_commutative}
    for key in letters:
        pair = {one for one in {*spoken, *letters} - {key} if base_letter(one) == base_letter(key)}
        for other in pair:
            if other not in use.at:
                return f"{other} stays, while {key} is replaced"
            if not written_transposed(use.at[key], use.at[other]):
                return f"{use.at[other]} is not the transpose of {use.at[key]}"
        if is_marked(key) and not pair:
            return f"{key} is replaced, and not the letter of which it is the transpose"
    return ""


def _before(use: Use, lemma: Derivation) -> list[Any]:
    """The sides of a step as they are before anything is put in."""
    step = lemma.supposed(use.step) if use.step in lemma.given else lemma.step(use.step)
    return [] if step is None or step.lhs is None else [step.lhs, step.rhs]


def _of_vector(whole: Derivation, use: Use, key: Any) -> str:
    (vector,) = key.args
    if use.of is None and whole.fixed(use.step) & ({key} | key.free_symbols):
        return f"{key} is not free in {use.step!r}"
    step = whole.step(use.step) if use.step not in whole.given else whole.supposed(use.step)
    sides = () if step is None or step.lhs is None else (step.lhs, step.rhs)
    rest = [side.xreplace({key: sp.Integer(0)}) for side in _expressions(sides)]
    if vector not in use.at and any(vector in side.free_symbols for side in rest):
        return f"{vector} stays, while its coordinates are replaced"
    if vector not in use.at and _speaks_of(whole, use.step, key):
        return f"{use.step!r} rests on what is known of {vector}, whose coordinates are replaced"
    return ""


def _speaks_of(whole: Derivation, name: str, key: Any) -> bool:
    """Whether a fact that a step rests on speaks of a vector otherwise than by its coordinates."""
    facts = [one for step in _steps_behind(whole, name) for one in steps_in(step) if one.kind == "fact"]
    spoken = [value for one in facts for value in (one.lhs, one.rhs, *one.letters.values())]
    return any(key.args[0] in side.xreplace({key: sp.Integer(0)}).free_symbols for side in _expressions(spoken))


def _expressions(value: Any) -> Iterator[Any]:
    """The expressions in letters; of functionals the sides have what they write."""
    if isinstance(value, (tuple, list)):
        for one in value:
            yield from _expressions(one)
    elif isinstance(value, (sp.Basic, sp.MatrixBase)):
        yield as_expression(value)


def _is_moved_density(derivation: Derivation, use: Use, key: Any) -> bool:
    """Whether q(x), the density of a normal law, becomes that at a distance from p which a definition says it to have
    there, or where both means are one, at 0.
    """
    value = use.at[key]
    if key != q(x) or not isinstance(value, AppliedUndef) or value.func != q or value.args[0] != x:
        return False
    length = at_values(scalar(gt * Ri * Ri * g), {one: to for one, to in use.at.items() if one in (g, gt, Ri)})
    said = [(one.lhs, one.rhs) for one in derivation.steps if one.kind == "definition"]
    distance = value.args[1] ** 2
    return (length, distance) in said or length == distance == 0


def _known(whole: Derivation, name: str) -> set[Any]:
    """The functions that facts write, and definitions define, among what a step rests on."""
    found = set()
    for one in (one for step in _steps_behind(whole, name) for one in steps_in(step)):
        if one.kind == "definition" and isinstance(one.lhs, AppliedUndef):
            found.add(one.lhs.func)
        if one.kind == "fact" and one.fact in FACTS:
            written = set().union(*(_functions(side) for side in (one.lhs, one.rhs)))
            found |= written - set().union(*map(_functions, one.letters.values()))
        for use in one.premises:
            if isinstance(use, Use) and use.of is not None:
                found |= _known(use.lemma, use.step)
    return found


def _steps_behind(whole: Derivation, name: str) -> list[Step]:
    """The steps that a step rests on, and itself."""
    behind = reached(whole, [name])
    return [step for step in whole.steps if step.name in behind]


def _functions(value: Any) -> set[Any]:
    return {call.func for side in _expressions([value]) for call in side.atoms(AppliedUndef)}
