"""On which steps, hypotheses and lemmas a step of a proof rests."""

from __future__ import annotations

from collections.abc import Iterable

from ndis_verify.symbolic.derivation import Derivation, Step, Use, named


def lemmas(derivation: Derivation) -> dict[str, Derivation]:
    """The derivations that this one rests on, and those rest on, by id."""
    found: dict[str, Derivation] = {}
    for use in (use for step in derivation.steps for use in uses(step)):
        if use.of is not None and use.lemma.id not in found:
            found |= {use.lemma.id: use.lemma, **lemmas(use.lemma)}
    return found


def uses(step: Step) -> list[Use]:
    inner = [use for shown in step.conditions.values() if isinstance(shown, Step) for use in uses(shown)]
    return [premise for premise in step.premises if isinstance(premise, Use)] + inner


def reached(derivation: Derivation, ends: Iterable[str]) -> set[str]:
    """The steps and hypotheses on a path to one of the steps `ends`."""
    waiting, seen = [*ends], set[str]()
    names = {step.name: step for step in derivation.steps}
    while waiting:
        name = waiting.pop()
        if name not in seen:
            seen.add(name)
            if name in names:
                lent = [h for use in uses(names[name]) if use.of is not None for h in use.lemma.given]
                waiting += named(names[name]) + [h for h in lent if h in derivation.given]
    return seen
