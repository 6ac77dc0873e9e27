"""That what may be infinite is no number of a proof: a mean, an integral or a supremum of which nothing shows that it
is finite has no name, is put in no place of a number, and stands in a side by itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any
from weakref import WeakKeyDictionary

import sympy as sp
from sympy.core.function import AppliedUndef

from ndis_verify.court.proof_continuity import may_jump
from ndis_verify.court.proof_means import is_density, known_of
from ndis_verify.court.proof_names import names_of
from ndis_verify.court.proof_reals import parts, put
from ndis_verify.statements.quantities import QUANTITIES
from ndis_verify.symbolic.derivation import Derivation, Step, Use, steps_in
from ndis_verify.symbolic.facts import FACTS
from ndis_verify.symbolic.finite_means import is_finite, is_over_its_range, outermost
from ndis_verify.symbolic.notation import sphere_mean, total, xi
from ndis_verify.symbolic.unknowns import equal
from ndis_verify.symbolic.zero import as_expression

_OF_SETS = ("largest",)  # of a function on sets: finite where its integral over the space is
_OF_INFINITE_ONES = {  # facts that are true of what is infinite, too
    *("means keep the order", "means of what is not negative", "larger events", "suprema keep the order"),
    *("least value of a supersolution", "least value of a supersolution, strictly"),
    *("infima over an interval keep the order", "the smaller of two keeps the order"),
    *(name for name in FACTS if name.endswith("without jumps")),
}
_ADMITTED: WeakKeyDictionary[Derivation, frozenset[Any]] = WeakKeyDictionary()


def infinite_problems(derivation: Derivation, k: int) -> Iterator[str]:
    """What may be infinite and is given a name, is put into what step k uses, is a letter of it, or computed with."""
    step = derivation.steps[k]
    if step.kind == "definition" and isinstance(step.lhs, (sp.Symbol, AppliedUndef)) and not is_density(step):
        if str(getattr(step.lhs, "func", "")) not in QUANTITIES:
            unbounded = _infinite(derivation, step, step.rhs)
            yield from (f"{node} is given a name, and may be infinite" for node in unbounded)
    for one in steps_in(step):
        for use in (use for use in one.premises if isinstance(use, Use)):
            for name, value in put(use):
                yield from (f"{name} has {node}, which may be infinite" for node in _infinite(derivation, one, value))
        for value in one.letters.values() if one.fact not in _OF_INFINITE_ONES else ():
            unbounded = _infinite(derivation, one, value)
            yield from (f"{node} is in a letter, and may be infinite" for node in unbounded)
        for side in (as_expression(side) for side in (one.lhs, one.rhs) if side is not None):
            computed = (node for node in outermost(side) if not _is_a_term(node, side))
            for node in computed if _admitted(derivation) else ():
                if any(equal(node, mean) for mean in _admitted(derivation)):
                    yield f"{node} is computed with, and may be infinite"


def untaken(derivation: Derivation, step: Step) -> Iterator[str]:
    """The integrals in the sides of a step that a reduction decides of which nothing shows that they are finite: SymPy
    takes them past poles, and as if they ended.
    """
    if step.reduce is None or step.relation != "=" or step.lhs is None:
        return
    known = known_of(derivation, step)
    said = [part for side in (step.lhs, step.rhs) for part in parts(as_expression(side))]
    for node in (node for part in said for node in outermost(part)):
        if isinstance(node, sp.Integral) and not is_finite(node, known):
            yield f"{node} may be infinite, and its reduction takes it"


def _infinite(derivation: Derivation, step: Step, value: Any) -> Iterator[Any]:
    """The means, integrals and suprema in a value of which nothing shows that they are finite."""
    nodes = [node for part in parts(value) for node in outermost(part)]
    if not nodes:
        return
    densities = tuple((one.lhs, "=", one.rhs) for one in derivation.steps if is_density(one))
    known = known_of(derivation, step)
    known = replace(known, relations=known.relations + densities)
    for node in nodes:
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
    ratios = [one.base for one in f.atoms(sp.Pow) if not one.exp.is_nonnegative]
    endless = [one for one in (*ratios, *(log.args[0] for log in f.atoms(sp.log))) if one.has(place, xi)]
    kept = all(one.is_positive for one in endless)
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
                known = known_of(derivation, step)
                means = [as_expression(mean) for name in fact.or_infinite for mean in fact.finite[name](step.letters)]
                found |= {mean for mean in means if not is_finite(mean, known)}
        said = Step("all", "", kind="argument", premises=tuple(one.name for one in derivation.steps) if found else ())
        _ADMITTED[derivation] = frozenset(mean for mean in found if not is_finite(mean, known_of(derivation, said)))
    return _ADMITTED[derivation]
