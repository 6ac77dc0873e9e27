"""Faults of inferences by rule: what a derivation becomes when one link of it is cut, and whether that is noticed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ndis_verify.court.proof_hypotheses import is_meant
from ndis_verify.court.proof_structure import loose_ends, problems, step_problems
from ndis_verify.symbolic.derivation import DECIDED, Derivation, Hypothesis, Step, Use, steps_in


def faults_by_rule(derivation: Derivation) -> Iterator[tuple[str, str, Derivation]]:
    """(rule, what was done, the derivation with it) for every link of a derivation that says what it concludes."""
    ends = {end.step for end in derivation.concludes}
    for step in derivation.steps:
        if step.name not in ends | {fault.step for fault in derivation.faults} | {derivation.result_step}:
            left = tuple(one for one in derivation.steps if one is not step)
            yield "step left out", step.name, replace(derivation, steps=left)
        for k, premise in enumerate(step.premises if _infers(step) else ()):
            rest = (*step.premises[:k], *step.premises[k + 1 :])
            shown = premise.step if isinstance(premise, Use) else premise
            yield "premise left out", f"{step.name}: {shown}", _with(derivation, step, replace(step, premises=rest))
        for name in step.conditions:
            kept = {key: one for key, one in step.conditions.items() if key != name}
            yield "condition left out", f"{step.name}: {name}", _with(derivation, step, replace(step, conditions=kept))
    for one, other in zip(derivation.steps, derivation.steps[1:], strict=False):
        if one.premises != other.premises and "inference" in (one.kind, other.kind):
            yield "premises exchanged", f"{one.name}, {other.name}", _exchanged(derivation, one, other)
    named = {premise for step in derivation.steps for one in steps_in(step) for premise in one.premises}
    for h, text in zip(derivation.hypotheses, derivation.given, strict=True):
        if isinstance(h, Hypothesis) and is_meant(h) and text not in named:
            continue  # what a quantity means is so wherever it is spoken of: a lemma may be used without saying it
        if not isinstance(h, Hypothesis) or h.relation is None:  # those of symbols are the statement's to make
            rest_of = tuple(one for one in derivation.hypotheses if one is not h)
            yield "hypothesis left out", text, replace(derivation, hypotheses=rest_of)


def noticed(derivation: Derivation, whole: Derivation) -> bool:
    """Whether the structure, or a step, keeps the derivation from being a proof; `whole` is it without the fault.

    What names show is looked at first, then the steps that were changed, and the others only if these show nothing.
    """
    if derivation.concludes and loose_ends(derivation):
        return True
    kept = {id(step) for step in whole.steps}
    changed = [k for k, step in enumerate(derivation.steps) if id(step) not in kept]
    return _fails(derivation, changed) or bool(problems(derivation)) or not derivation.proved


def _fails(derivation: Derivation, places: list[int]) -> bool:
    """Whether one of these steps is wrong by itself or as it uses its premises."""
    return any(
        (derivation.steps[k].kind in DECIDED and derivation.holds(derivation.steps[k]) is not True)
        or any(step_problems(derivation, k))
        for k in places
    )


def _infers(step: Step) -> bool:
    """Whether its premises decide a step: of others they say where the reader finds what is spoken of."""
    return step.kind in ("inference", "fact") or step.algebra is not None


def _with(derivation: Derivation, old: Step, new: Step) -> Derivation:
    return replace(derivation, steps=tuple(new if step is old else step for step in derivation.steps))


def _exchanged(derivation: Derivation, one: Step, other: Step) -> Derivation:
    """The premises of both exchanged."""
    turned = {id(one): replace(one, premises=other.premises), id(other): replace(other, premises=one.premises)}
    return replace(derivation, steps=tuple(turned.get(id(step), step) for step in derivation.steps))
