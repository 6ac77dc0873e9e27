"""That what a fact takes a mean or an integral of has a finite one, and what a proof may say to be a density."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sympy.core.function import AppliedUndef

from ndis_verify.court.proof_draws import random_names
from ndis_verify.court.proof_names import NORMAL, TAKEN, names_of
from ndis_verify.symbolic.derivation import DECIDED, Derivation, Step, Use, steps_in
from ndis_verify.symbolic.fact import Fact
from ndis_verify.symbolic.facts import FACTS
from ndis_verify.symbolic.finite_means import Known, is_extended, is_finite
from ndis_verify.symbolic.normal_coordinates import is_normal_density
from ndis_verify.symbolic.normal_images import DENSITIES
from ndis_verify.symbolic.notation import bin_of_sum, summed, total, x
from ndis_verify.symbolic.scopes import binders, bound, speaks
from ndis_verify.symbolic.sides import at_values, opened
from ndis_verify.symbolic.zero import as_expression

_POINTS = {total: x, summed: bin_of_sum}  # what is 1 of a density or of the masses of a law, and what they are of
_OF_DENSITIES = {"a normal value beyond an edge"}  # facts that say of what law a density is


def mean_problems(derivation: Derivation, step: Step, fact: Fact) -> Iterator[str]:
    """The conditions of a fact that a mean is finite of which nothing shows it."""
    for name in fact.finite:
        known = known_of(derivation, step)
        means = [as_expression(mean) for mean in fact.finite[name](step.letters)]
        if name in fact.or_infinite and all(map(is_extended, means)):
            continue
        for mean in means:
            if not is_finite(mean, known):
                yield f"condition {name!r}: nothing shows that {mean} is a finite number"


def known_of(derivation: Derivation, step: Step) -> Known:
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
        derivation, one = premise.lemma, premise.lemma.step(premise.step)
    return one.kind == "fact" or (one.kind in DECIDED and derivation.holds(one) is True)


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
