"""Whether what a proof says of numbers is true at points, in digits, where all that it rests on holds.

The steps decide themselves by symbols; here each relation between numbers is looked at once more, by other means. It
refuses and grants nothing. It says nothing of what facts say to exist or tell of a function, of integrals and limits,
and of what rests on a hypothesis whose truth at a point cannot be told; a function of which nothing is known is any
number.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

import sympy as sp
from sympy.core.function import AppliedUndef

from ndis_verify.court.proof_digits import AtPoint, may_be, wide
from ndis_verify.court.proof_names import said_to_exist
from ndis_verify.court.proof_numbers import Bound, Names, at_place, is_flat, numbers_of, of_any, of_one_dimension
from ndis_verify.court.proof_paths import reached
from ndis_verify.court.proof_reductions import rational_roots
from ndis_verify.court.proof_values import where_alone
from ndis_verify.symbolic.derivation import DECIDED, Derivation, Hypothesis, Step, Use, steps_in
from ndis_verify.symbolic.notation import positive_definite
from ndis_verify.symbolic.zero import nonzero_somewhere

_POINTS = 20  # at which a relation is looked at
_DRAWN, _AT_MOST = 60, 240  # of which the hypotheses hold at some; more while they hold at few
_FEW = 5
_CORNERS = tuple(map(sp.Integer, (0, 0, 1, -1, 2, -2)))


def point_problems(derivation: Derivation) -> Iterator[str]:
    """The steps whose relations are false at points."""
    looked_at = Points(derivation)
    for step in derivation.steps:
        rests_on = reached(derivation, [step.name])
        for one in steps_in(step):
            yield from (f"step {step.name!r}: {text}" for text in looked_at.problems(one, rests_on))


class Points:
    """The steps of a derivation in numbers; what several of them rest on is written out once."""

    def __init__(self, derivation: Derivation) -> None:
        self._derivation = derivation
        self._meant = numbers_of(derivation)
        self._existing = set(map(of_one_dimension, said_to_exist(derivation)))
        self._alone = where_alone(derivation)
        self._granting = _granting(derivation)
        self._said = _calls_in(getattr(one, "relation", None) for one in derivation.hypotheses)
        self._spoken = {step.name: _constrained_by(step) for step in derivation.steps}
        self._given: dict[frozenset[str], tuple[Names, list[Bound]] | None] = {}

    def problems(self, step: Step, rests_on: Iterable[str]) -> Iterator[str]:
        """Whether the relation of a step is false at a point; `rests_on`: the steps and hypotheses on its paths."""
        if step.kind not in (*DECIDED, "fact") or step.lhs is None:
            return
        found = self._in_numbers(step, frozenset(rests_on))
        if found is None:
            return
        gap, within = found
        strict = step.relation in ("<", ">") and is_flat(step)  # zero vectors are looked at by other rules
        if strict and not nonzero_somewhere(gap) and 0 in (sp.expand(gap), sp.cancel(gap)):
            yield "both sides are one"
            return
        for at in _points(gap, within):
            if at.is_false(gap, step.relation) or (strict and at.value(gap) == 0 and gap.subs(at.point) == 0):
                shown = ", ".join(f"{one} = {value}" for one, value in at.point.items())
                yield f"is false at {shown}" if shown else "is false"
                return

    def _in_numbers(self, step: Step, rests_on: frozenset[str]) -> tuple[Any, list[Bound]] | None:
        """The difference of the sides with what its names mean, and the relations to 0 under which it holds:
        hypotheses, and what is assumed of names. None where one of them is of more than numbers.
        """
        used = [one for one in self._derivation.steps if one.name in rests_on]
        if any(one.algebra is not None for one in used) and not is_flat(step):
            return None  # its rules may say what arrays are
        if any(one.lhs is None and one.name in self._granting for one in used):
            return None  # words of a lemma about what is spoken of
        given = rests_on.intersection(self._derivation.given)
        if given not in self._given:
            self._given[given] = self._under(given)
        if (under := self._given[given]) is None:
            return None
        names, within = under
        written = names.gap(step, self._said.union(*(self._spoken[one.name] for one in used)))
        beside = self._bounds(names, self._alone.get(step.name, ()), written.assumed)
        if beside is None or not self._is_of_numbers(written.value):
            return None
        return at_place(written.value, 1), list(dict.fromkeys((*within, *beside)))

    def _under(self, given: frozenset[str]) -> tuple[Names, list[Bound]] | None:
        """The names, and the relations to 0 that hypotheses are, and the domain of what is a part."""
        names, relations = Names(self._meant), []
        for one in self._derivation.hypotheses:
            text, relation = (one.text, one.relation) if isinstance(one, Hypothesis) else (one, None)
            if text not in given or relation == sp.true:
                continue
            if isinstance(relation, positive_definite):
                relation = Step("", "", relation.args[0], 0, ">", kind="definition")
            else:
                relation = self._derivation.supposed(text)
            if relation is None:
                return None
            if not (relation.relation == "=" and names.say(relation.lhs, relation.rhs)):
                relations.append(relation)
        if all(end.part for end in self._derivation.concludes):
            domain = self._derivation.domain
            relations += [Step("", "", one.lhs, one.rhs, one.rel_op, kind="definition") for one in domain]
        bounds = self._bounds(names, relations)
        return None if bounds is None else (names, bounds)

    def _bounds(self, names: Names, relations: Iterable[Step], assumed: Iterable[Bound] = ()) -> list[Bound] | None:
        """The relations to 0, and what is assumed of the names in them, at both places of vectors."""
        written = [(names.gap(one), one.relation) for one in relations]
        assumed = [*assumed, *(bound for one, _ in written for bound in one.assumed)]
        found = [(value, relation) for one, relation in written for value in of_any(one.value)]
        found += names.all_assumed(assumed)
        if not all(self._is_of_numbers(value) for value, _ in found):
            return None
        return [(at_place(value, place), relation) for value, relation in found for place in (1, 2)]

    def _is_of_numbers(self, value: Any) -> bool:
        """Whether it could be written out, and does not speak of what is said to exist."""
        return value is not None and not value.free_symbols & self._existing


def _constrained_by(step: Step) -> set[Any]:
    """The functions about which a step says something, or what it uses of lemmas: facts, definitions, arguments."""
    said: list[Any] = []
    for one in steps_in(step):
        if one.kind in ("fact", "definition", "argument"):
            said += [one.lhs, one.rhs]
        for use in one.premises:
            if isinstance(use, Use) and use.of is not None:
                said += [side for step in use.lemma.steps for side in (step.lhs, step.rhs)]
                said += use.at.values()
    return _calls_in(said)


def _calls_in(said: Iterable[Any]) -> set[Any]:
    spoken = (one for one in said if isinstance(one, (sp.Basic, sp.MatrixBase)))
    return {call.func for one in spoken for call in one.atoms(AppliedUndef)}


def _granting(derivation: Derivation) -> set[str]:
    """What shows the hypotheses of lemmas that are named otherwise here."""
    used = (use for step in derivation.steps for use in step.premises if isinstance(use, Use))
    return {name for use in used for name in use.granted.values()}


def _points(gap: Any, within: list[Bound]) -> Iterator[AtPoint]:
    """Points near and far and at small whole numbers, the same on every run, at which the hypotheses hold."""
    drawn = random.Random(str(gap))
    symbols = sorted(gap.free_symbols.union(*(one.free_symbols for one, _ in within)), key=str)
    equations = [(one, x) for one, sign in within if sign == "=" for x in one.free_symbols if one.is_polynomial(x)]
    found = 0
    for turn in range(_AT_MOST if symbols else 1):
        if turn >= _DRAWN and found >= _FEW:
            return
        point = {one: wide(one, drawn) for one in symbols}
        corner = {one: drawn.choice(_CORNERS) for one in symbols if drawn.getrandbits(1)}
        point |= {one: value for one, value in corner.items() if may_be(one, value)}
        for at in _meeting(equations, point, within):
            yield at
            found += 1
            if found == _POINTS:
                return


@cache
def _exponents(equation: Any) -> tuple[Any, ...]:
    return tuple(one.exp for one in equation.atoms(sp.exp))


def _meeting(
    equations: list[tuple[Any, sp.Symbol]], point: dict[sp.Symbol, sp.Rational], within: list[Bound]
) -> Iterator[AtPoint]:
    """The point, and those that meet one of the equations, where it has rational roots, in one symbol; those of them
    at which the hypotheses hold.
    """
    at = AtPoint(point)
    if not equations:
        if all(at.holds(*bound) for bound in within):
            yield at
        return
    broken = [one for one, relation in within if not at.holds(one, relation)]
    if not broken:
        yield at
    for equation, symbol in equations:
        # what it is not in stays broken, and an exponential of a number is none that a root could be made of
        if all(symbol in one.free_symbols for one in broken) and not any(map(at.value, _exponents(equation))):
            rest = equation.xreplace({one: value for one, value in point.items() if one != symbol})
            for root in rational_roots(rest, symbol):
                if may_be(symbol, root):
                    met = AtPoint({**point, symbol: root})
                    if all(met.holds(*bound) for bound in within):
                        yield met
