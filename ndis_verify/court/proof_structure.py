"""Whether a derivation that says what it concludes is a proof of that: its premises and its facts (`proof_ends`: its
end).

The steps decide themselves (`Derivation.verify`); here is asked how they hang together. Of a derivation that concludes
nothing, which no proof rests on, only its facts and inferences are asked.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from itertools import chain, islice
from typing import Any
from weakref import WeakKeyDictionary

import sympy as sp
from sympy.core.function import AppliedUndef

from ndis_verify.court.proof_assumptions import assumption_problems
from ndis_verify.court.proof_definitions import definition_problems
from ndis_verify.court.proof_draws import drawn_in_all, random_names
from ndis_verify.court.proof_hypotheses import misread
from ndis_verify.court.proof_infinite import infinite_problems, untaken
from ndis_verify.court.proof_letters import letter_problems
from ndis_verify.court.proof_means import mean_problems
from ndis_verify.court.proof_paths import reached, uses
from ndis_verify.court.proof_points import point_problems
from ndis_verify.court.proof_reals import unreal
from ndis_verify.court.proof_reductions import reduction_problems
from ndis_verify.court.proof_relations import states
from ndis_verify.court.proof_rules import rule_problems
from ndis_verify.court.proof_slopes import slope_problems
from ndis_verify.court.proof_uses import of_symbols, use_problem
from ndis_verify.court.proof_values import value_problems
from ndis_verify.symbolic.derivation import DECIDED, Derivation, Hypothesis, Step, named, steps_in
from ndis_verify.symbolic.fact import NOTHING, Fact, of_one_point
from ndis_verify.symbolic.facts import FACTS
from ndis_verify.symbolic.suppositions import SUPPOSITIONS
from ndis_verify.symbolic.unknowns import equal
from ndis_verify.symbolic.zero import as_expression

_PROBLEMS: WeakKeyDictionary[Derivation, tuple[str, ...]] = WeakKeyDictionary()


def problems(derivation: Derivation) -> list[str]:
    """What is wrong with the graph of a derivation; of one that says nothing of its conclusions, with its facts and
    inferences. Asked once: it is a premise of many others, and the proof of several claims.
    """
    if derivation not in _PROBLEMS:
        _PROBLEMS[derivation] = tuple(_problems(derivation))
    return [*_PROBLEMS[derivation]]


def _problems(derivation: Derivation) -> list[str]:
    if not derivation.concludes:
        linked = [k for k, step in enumerate(derivation.steps) if step.kind in ("fact", "inference")]
        return loose_ends(derivation) or [text for k in linked for text in step_problems(derivation, k)]
    if unknown := _unknown_premises(derivation) or _namesakes(derivation) or [*_named_alike(derivation)]:
        return unknown
    wrong = list(chain.from_iterable(step_problems(derivation, k) for k in range(len(derivation.steps))))
    wrong += [*misread(derivation), *_idle_parts(derivation)]
    if wrong:
        return wrong
    whole, parts = ([one.step for one in derivation.concludes if bool(one.part) is part] for part in (False, True))
    found = [*_without_values(derivation, whole), *_without_values(derivation, parts, derivation.domain)]
    return list(dict.fromkeys(found)) or list(point_problems(derivation))  # asked last: the others say why


def _without_values(derivation: Derivation, ends: Iterable[str], domain: tuple[Any, ...] = ()) -> Iterator[str]:
    """What the steps that `ends` rest on divide by that may be 0, those of lemmas among them; `domain`: relations that
    hold besides, of parts, which are said of the derivation's own symbols.
    """
    names = reached(derivation, ends)
    yield from value_problems(derivation, names, domain)
    for use in (use for step in derivation.steps if step.name in names for use in uses(step)):
        if use.of is not None:
            yield from (f"lemma {use.lemma.id}, {text}" for text in _without_values_in_lemma(use.lemma, use.step))


@cache
def _without_values_in_lemma(lemma: Derivation, end: str) -> tuple[str, ...]:
    return tuple(_without_values(lemma, [end]))


def loose_ends(derivation: Derivation) -> list[str]:
    """The problems that names alone show: premises that are none, and what nothing rests on."""
    unknown = _unknown_premises(derivation) or _namesakes(derivation)
    return unknown or (list(_idle_parts(derivation)) if derivation.concludes else [])


def _unknown_premises(derivation: Derivation) -> list[str]:
    """Of a derivation that says nothing of its conclusions, those of its facts and inferences."""
    asked = [k for k, step in enumerate(derivation.steps) if derivation.concludes or step.kind in ("fact", "inference")]
    return [text for k in asked for text in _unknown(derivation, k)]


def _named_alike(derivation: Derivation) -> Iterator[str]:
    """Steps that have the text of a hypothesis: of one of two nobody could say which is meant."""
    for step in derivation.steps:
        if step.name in derivation.given:
            yield f"step {step.name!r} has the name of a hypothesis"


def _idle_parts(derivation: Derivation) -> Iterator[str]:
    yield from (f"step {name!r} is idle" for name in _idle(derivation))
    yield from (f"hypothesis {text!r} is idle" for text in _idle_hypotheses(derivation))


def _namesakes(derivation: Derivation) -> list[str]:
    """Lemmas of which only one would be looked at, as they go by one id, and what rests on itself."""
    found: dict[str, Derivation] = {}

    def wrong(one: Derivation, above: tuple[str, ...]) -> Iterator[str]:
        if found.setdefault(one.id, one) is not one:
            yield f"{one.id} is the id of two derivations"
        elif one.id in above:
            yield f"{one.id} rests on itself"
        else:
            lent = {id(use.lemma): use.lemma for step in one.steps for use in uses(step) if use.of is not None}
            for lemma in lent.values():
                yield from wrong(lemma, (*above, one.id))

    return list(islice(wrong(derivation, ()), 1))


def _unknown(derivation: Derivation, k: int) -> Iterator[str]:
    """Premises of step k that do not exist, or not yet: so there is no circle."""
    step, earlier = derivation.steps[k], {one.name for one in derivation.steps[:k]}
    for name in named(step):
        if name not in earlier and name not in derivation.given:
            yield f"step {step.name!r}: premise {name!r} is no earlier step and no hypothesis"


def step_problems(derivation: Derivation, k: int) -> Iterator[str]:
    """What is wrong with step k and the way it uses its premises."""
    step = derivation.steps[k]
    where = f"step {step.name!r}"
    for use in uses(step):
        if problem := use_problem(derivation, use):
            yield f"{where}: {problem}"
            return
    if step.kind in (*DECIDED, "fact") and step.lhs is not None and step.lhs == step.rhs:
        yield f"{where}: both sides are {step.rhs}"
    if step.kind == "definition" and step.lhs is not None:
        yield from (f"{where}: {text}" for text in definition_problems(derivation, k))
    for one in steps_in(step):
        if one is not step and one.kind not in (*DECIDED, "fact"):
            yield f"{where}: a condition is shown by {one.name!r}, which is neither decided nor a fact"
        yield from (f"{where}: {text}" for text in _of_one(derivation, one))
    yield from (f"{where}: {text}" for text in letter_problems(derivation, k))
    yield from (f"{where}: {text}" for text in rule_problems(derivation, k))
    yield from (f"{where}: {text}" for text in unreal(derivation, k))
    yield from (f"{where}: {text}" for text in slope_problems(derivation, k))
    yield from (f"{where}: {text}" for text in assumption_problems(derivation, k))
    yield from (f"{where}: {text}" for text in infinite_problems(derivation, k))


def _of_one(derivation: Derivation, step: Step) -> Iterator[str]:
    """What is wrong with a step, which may stand in the conditions of another one, by itself."""
    if step.algebra is not None and (missing := [h for h in step.algebra.given if h not in step.premises]):
        yield f"its rules need the hypothesis {missing[0]!r}"
    if step.kind == "inference" and not step.premises:
        yield "an inference without premises"
    yield from reduction_problems(derivation, step)
    yield from untaken(derivation, step)
    if step.kind == "fact":
        yield from _of_fact(derivation, step)


def _of_fact(derivation: Derivation, step: Step) -> Iterator[str]:
    """The fact is in the catalogue, the step is its instance, and every condition is shown."""
    fact = FACTS.get(step.fact)
    if fact is None:
        yield f"{step.fact!r} is not in the catalogue of facts"
        return
    if set(step.letters) != set(fact.letters):
        yield f"must say what {', '.join(fact.letters)} are"
        return
    left, sign, right = fact.instance(step.letters)
    if (left, sign, right) == NOTHING:
        yield f"is no instance of {step.fact!r}, which says nothing of these letters"
    elif sign != step.relation or not (equal(left, step.lhs) and equal(right, step.rhs)):
        yield f"is no instance of {step.fact!r}: {left} {sign} {right}"
    for c, _ in step.letters["terms"] if step.fact == "means are linear" else ():
        of_points = {one.lhs for one in derivation.steps if one.kind == "definition" and of_one_point(one.rhs)}
        if named := as_expression(c).free_symbols & of_points:
            yield f"{named.pop()} was defined at one point, and is no number"
    for c, _ in step.letters["terms"] if step.fact == "means are linear" else ():
        if named := set(as_expression(c).atoms(sp.Symbol, AppliedUndef)) & random_names(derivation):
            yield f"{named.pop()} is drawn, and is no number"
    random = drawn_in_all(derivation)
    for earlier in derivation.steps if random else ():
        if earlier.kind == "definition" and earlier.lhs in random:
            if not as_expression(earlier.rhs).atoms(AppliedUndef):
                yield f"{earlier.lhs} is drawn, and was defined as a number"
    if set(step.conditions) != set(fact.conditions):
        yield f"must show exactly these conditions: {', '.join(fact.conditions)}"
    for name, shown in step.conditions.items():
        one = shown if isinstance(shown, Step) else derivation.used(shown) or derivation.supposed(shown)
        if one is not None and (one.kind == "argument" or (one.kind in DECIDED and derivation.holds(one) is not True)):
            yield f"condition {name!r} is not shown"
        elif name in fact.assumed and not _assumes(derivation, shown, fact.assumed[name](step.letters)):
            yield f"condition {name!r} is no hypothesis {fact.assumed[name](step.letters)}"
        elif name in fact.required and (one is None or not states(one, fact.required[name](step.letters))):
            left, sign, right = fact.required[name](step.letters)
            wanted = f"{left} {sign} {'a finite number' if right is None else right}"
            yield f"condition {name!r} is {wanted}, which is not what shows it"
        elif derivation.concludes and is_in_words(fact, step.letters, name) and not _supposes(derivation, step, name):
            yield f"condition {name!r} is in words, which no hypothesis in words says"
    yield from mean_problems(derivation, step, fact)


def _assumes(derivation: Derivation, shown: Any, relation: Any) -> bool:
    """Whether what shows a condition is a hypothesis that says `relation`."""
    found = [h for h in derivation.hypotheses if isinstance(h, Hypothesis) and h.text == shown]
    return any(h.relation == relation for h in found)


def is_in_words(fact: Fact, letters: Mapping[str, Any], name: str) -> bool:
    """Whether nothing decides a condition: it is no relation, no mean that is finite, no letter that is continuous."""
    letters_without_jumps = () if fact.continuous is None else (letter for letter, _, _ in fact.continuous(letters))
    return not any(name in decided for decided in (fact.required, fact.assumed, fact.finite)) and not (
        name == "continuous" and any(letters_without_jumps)
    )


def _supposes(derivation: Derivation, step: Step, name: str) -> bool:
    """Whether what shows a condition in words is a hypothesis in words that says it."""
    relations = [h.text for h in derivation.hypotheses if isinstance(h, Hypothesis) and h.relation is not None]
    shown = step.conditions[name]
    said = SUPPOSITIONS.get((step.fact, name), ())
    return shown in derivation.given and shown not in relations and shown in said


def _idle(derivation: Derivation) -> list[str]:
    used = reached(derivation, (one.step for one in derivation.concludes))
    return [step.name for step in derivation.steps if step.name not in used]


def _idle_hypotheses(derivation: Derivation) -> list[str]:
    """Those that no step names; what SymPy's assumptions say need not be named."""
    used = reached(derivation, (one.step for one in derivation.concludes))
    texts = [h if isinstance(h, str) else h.text for h in derivation.hypotheses if not of_symbols(h)]
    return [text for text in texts if text not in used]
