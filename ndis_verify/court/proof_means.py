"""That what a fact takes a mean or an integral of has a finite one, and what a proof may say to be a density."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any
from weakref import WeakKeyDictionary

import sympy as sp
from sympy.core.function import AppliedUndef

from ndis_verify.court.proof_continuity import may_jump
from ndis_verify.court.proof_draws import random_names
from ndis_verify.court.proof_names import NORMAL, TAKEN, names_of
from ndis_verify.court.proof_reals import parts, put
from ndis_verify.statements.quantities import QUANTITIES
from ndis_verify.symbolic.derivation import DECIDED, Derivation, Step, Use, steps_in
from ndis_verify.symbolic.fact import Fact
from ndis_verify.symbolic.facts import FACTS
from ndis_verify.symbolic.facts_of_angles import xi
from ndis_verify.symbolic.finite_means import Known, is_extended, is_finite, is_over_its_range, outermost
from ndis_verify.symbolic.normal_coordinates import is_normal_density
from ndis_verify.symbolic.normal_images import DENSITIES
from ndis_verify.symbolic.notation import bin_of_sum, sphere_mean, summed, total, x
from ndis_verify.symbolic.scopes import binders, bound, speaks
from ndis_verify.symbolic.sides import at_values, opened
from ndis_verify.symbolic.zero import as_expression

_POINTS = {total: x, summed: bin_of_sum}  # what is 1 of a density or of the masses of a law, and what they are of
_OF_SETS = ("largest",)  # of a function on sets: finite where its integral over the space is
_OVER_A_SET = ("sup", "supremum")
_ADMITTED: WeakKeyDictionary[Derivation, frozenset[Any]] = WeakKeyDictionary()
_OF_DENSITIES = {"a normal value beyond an edge"}  # facts that say of what law a density is


def mean_problems(derivation: Derivation, step: Step, fact: Fact) -> Iterator[str]:
    """The conditions of a fact that a mean is finite of which nothing shows it."""
    for name in fact.finite:
        known = _known(derivation, step)
        means = [as_expression(mean) for mean in fact.finite[name](step.letters)]
        if name in fact.or_infinite and all(map(is_extended, means)):
            continue
        for mean in means:
            if not is_finite(mean, known):
                yield f"condition {name!r}: nothing shows that {mean} is a finite number"


def _known(derivation: Derivation, step: Step) -> Known:
    """What the conditions and the premises of a step say."""
    named = [one if isinstance(one, Step) else _used(derivation, one) for one in _rests_on(step)]
    random = random_names(derivation)
    sides = (node for side in (step.lhs, step.rhs) for node in binders(side))
    places = random.union(*map(bound, sides)) - set(names_of(derivation))  # what is of one value by a hypothesis
    said = [
        one
        for premise, one in zip(_rests_on(step), named)
        if one is not None and one.lhs is not None and _is_shown(derivation, premise, one)
        if not places & (derivation.fixed_in(premise) if isinstance(premise, Step) else derivation.fixed(premise))
    ]
    relations = tuple((opened(one.lhs), one.relation, opened(one.rhs)) for one in said)
    return Known(relations, frozenset(random), names_of(derivation))


def _rests_on(step: Step) -> list[Any]:
    return [*step.conditions.values(), *step.premises]


def _used(derivation: Derivation, premise: Any) -> Step | None:
    return derivation.used(premise) or (derivation.supposed(premise) if isinstance(premise, str) else None)


def _is_shown(derivation: Derivation, premise: Any, one: Step) -> bool:
    if one.kind == "definition":
        return is_density(one) or derivation.supposed(one.name) is not None
    if isinstance(premise, Use) and premise.of is not None:
        derivation, one = premise.of(), premise.of().step(premise.step)
    return one.kind == "fact" or (one.kind in DECIDED and derivation.holds(one) is True)


def infinite_problems(derivation: Derivation, k: int) -> Iterator[str]:
    """What may be infinite and is put into what step k uses, is given a name, or is a letter of it: a number is put in
    the place of a number.
    """
    step = derivation.steps[k]
    if step.kind == "definition" and isinstance(step.lhs, (sp.Symbol, AppliedUndef)) and not is_density(step):
        if str(getattr(step.lhs, "func", "")) not in QUANTITIES:
            yield from (
                f"{node} is given a name, and may be infinite" for node in _infinite(derivation, step, step.rhs)
            )
    for one in steps_in(step):
        for use in (use for use in one.premises if isinstance(use, Use)):
            for name, value in put(use):
                yield from (f"{name} has {node}, which may be infinite" for node in _infinite(derivation, one, value))
        over_sets = {call for value in one.letters.values() for call in _calls(value) if str(call.func) in _OVER_A_SET}
        yield from (f"{call} is a letter, and may be infinite" for call in sorted(over_sets, key=str))
        admitted = {node for node in _admitted(derivation) for value in one.letters.values() if _has(value, node)}
        held = [node for node in admitted if not is_finite(node, _known(derivation, one))]
        yield from (f"{node} is in a letter, and may be infinite" for node in sorted(held, key=str))
        for side in (as_expression(side) for side in (one.lhs, one.rhs) if side is not None):
            unknown = [node for node in _admitted(derivation) if side.has(node) and not _is_a_term(node, side)]
            yield from (f"{node} is computed with, and may be infinite" for node in sorted(unknown, key=str))


def untaken(derivation: Derivation, step: Step) -> Iterator[str]:
    """The integrals in the sides of a step that a reduction decides of which nothing shows that they are finite: SymPy
    takes them past poles, and as if they ended.
    """
    if step.reduce is None or step.relation != "=" or step.lhs is None:
        return
    known = _known(derivation, step)
    said = [part for side in (step.lhs, step.rhs) for part in parts(as_expression(side))]
    for node in (node for part in said for node in outermost(part)):
        if isinstance(node, sp.Integral) and not is_finite(node, known):
            yield f"{node} may be infinite, and its reduction takes it"


def _infinite(derivation: Derivation, step: Step, value: Any) -> Iterator[Any]:
    """The means, integrals and suprema in a value of which nothing shows that they are finite."""
    densities = tuple((one.lhs, "=", one.rhs) for one in derivation.steps if is_density(one))
    known = _known(derivation, step)
    known = replace(known, relations=known.relations + densities)
    for node in (node for part in parts(value) for node in outermost(part)):
        whole = total(node.args[0]) if str(node.func) in _OF_SETS else node
        if not (is_finite(whole, known) or _is_over_a_compact(node, names_of(derivation))):
            yield node


def _is_over_a_compact(node: Any, names: Mapping[Any, Any]) -> bool:
    """Whether it is an integral between two numbers of what is continuous there, means over a direction among it."""
    if not isinstance(node, sp.Integral) or not is_over_its_range(node) or len(node.limits) != 1:
        return False
    variable, *ends = node.limits[0]
    place = sp.Dummy(nonnegative=True) if ends[0].is_nonnegative else sp.Dummy(real=True)
    f = node.function.xreplace({variable: place}).replace(sphere_mean, lambda _, g: g)
    kept = all(one.base.is_positive for one in f.atoms(sp.Pow) if one.has(place, xi) and not one.exp.is_nonnegative)
    return kept and all(end.is_finite for end in ends) and not may_jump(f, {place, xi}, names)


def _is_a_term(node: Any, side: Any) -> bool:
    """Whether a side is a positive multiple of a mean, and what else there is: infinite where that is."""
    mean = sp.Dummy(real=True)
    slope = sp.diff(side.xreplace({node: mean}), mean)
    return bool(slope.is_positive) and not slope.has(mean)


def _admitted(derivation: Derivation) -> frozenset[Any]:
    """The means that facts take although nothing shows that they are finite, and no step says that they are."""
    if derivation not in _ADMITTED:
        found: set[Any] = set()
        for step in (one for stated in derivation.steps for one in steps_in(stated)):
            fact = FACTS.get(step.fact)
            if fact is not None and fact.or_infinite and set(step.letters) == set(fact.letters):
                known = _known(derivation, step)
                means = [as_expression(mean) for name in fact.or_infinite for mean in fact.finite[name](step.letters)]
                found |= {mean for mean in means if not is_finite(mean, known)}
        said = Step("all", "", kind="argument", premises=tuple(one.name for one in derivation.steps) if found else ())
        _ADMITTED[derivation] = frozenset(mean for mean in found if not is_finite(mean, _known(derivation, said)))
    return _ADMITTED[derivation]


def _calls(value: Any) -> set[Any]:
    return set().union(*(part.atoms(AppliedUndef) for part in parts(value)))


def _has(value: Any, node: Any) -> bool:
    return any(part.has(node) for part in parts(value))


def is_density(step: Step) -> bool:
    """Whether a definition brings in a density: an unknown function of the point that is nowhere negative, and whose
    integral is 1, or the masses of a law on finitely many points, whose sum is.
    """
    if step.kind != "definition" or getattr(step.lhs, "func", None) not in _POINTS or step.rhs != 1:
        return False
    (f,), point = step.lhs.args, _POINTS[step.lhs.func]
    if not isinstance(f, AppliedUndef) or len(f.args) == 0 or f.args[0] != point:
        return False
    return f.is_nonnegative is True and f.is_nonpositive is not True and f.is_integer is not True


def density_problems(derivation: Derivation, step: Step) -> Iterator[str]:
    """What keeps a density from being one that nothing else is known of."""
    (f,) = step.lhs.args
    if str(f.func) in TAKEN - NORMAL:
        yield f"{f.func} is no unknown function"
    if any(f.args[0] in as_expression(parameter).free_symbols for parameter in f.args[1:]):
        yield f"{f} has the point among its parameters"
    for name in names_of(derivation):
        if isinstance(name, AppliedUndef) and name.func == f.func and name not in DENSITIES:
            yield f"{f} is a density, and was defined to be something else"
    for one in (one for stated in derivation.steps for one in steps_in(stated)):
        if (
            one.kind == "fact"
            and one.fact in set(FACTS) - _OF_DENSITIES
            and set(one.letters) == set(FACTS[one.fact].letters)
        ):
            if any(speaks(as_expression(one.letters[letter]), f) for letter in FACTS[one.fact].brings):
                yield f"{f} is a density, and is said to exist as something else"


def no_density(derivation: Derivation, lemma: Derivation, use: Use) -> Any:
    """What `use` puts in the place of a density of a lemma, where nothing here says that it is one; None if there is no
    such thing.
    """
    here = {step.lhs for step in derivation.steps if is_density(step)}
    fixed = lemma.fixed(use.step)
    for law in (whole(f) for f in use.at if isinstance(f, AppliedUndef) for whole in _POINTS if whole(f) in fixed):
        if (said := at_values(law, use.at)) not in here and not is_normal_density(said.args[0]):
            return said.args[0]
    return None
