"""Whether a derivation that says what it concludes is a proof of that: its premises and its facts (`proof_ends`: its
end).

The steps decide themselves (`Derivation.verify`); here is asked how they hang together. Of a derivation that concludes
nothing, which no proof rests on, only its facts and inferences are asked.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from itertools import chain, islice
from typing import Any
from weakref import WeakKeyDictionary

import sympy as sp
from sympy.core.function import AppliedUndef

from ndis_verify.court.proof_assumptions import assumption_problems
from ndis_verify.court.proof_draws import drawn_in_all, moving, random_names
from ndis_verify.court.proof_hypotheses import in_words, is_meant, misread, says
from ndis_verify.court.proof_infinite import infinite_problems, untaken
from ndis_verify.court.proof_letters import letter_problems
from ndis_verify.court.proof_means import density_problems, is_density, mean_problems, no_density
from ndis_verify.court.proof_names import GOES_OVER, TAKEN, hidden, is_of_symbols, said_to_exist, variables
from ndis_verify.court.proof_paths import reached, uses
from ndis_verify.court.proof_places import of_one_place
from ndis_verify.court.proof_points import point_problems
from ndis_verify.court.proof_reals import unreal
from ndis_verify.court.proof_reductions import reduction_problems
from ndis_verify.court.proof_replacements import known_call, parted
from ndis_verify.court.proof_rules import rule_problems
from ndis_verify.court.proof_slopes import slope_problems
from ndis_verify.court.proof_values import shows_definite, value_problems
from ndis_verify.exact_number import InputError
from ndis_verify.statements.quantities import QUANTITIES
from ndis_verify.symbolic.derivation import DECIDED, Derivation, Hypothesis, Step, Use, named, steps_in
from ndis_verify.symbolic.fact import NOTHING, Fact, Instance, of_one_point
from ndis_verify.symbolic.facts import FACTS
from ndis_verify.symbolic.finite_means import Known, is_value
from ndis_verify.symbolic.meanings import is_meaning
from ndis_verify.symbolic.notation import anything, law, positive_definite
from ndis_verify.symbolic.scopes import ASSUMPTIONS, speaks, unheard
from ndis_verify.symbolic.sides import at_values, has_sign, is_known_to_be, opened
from ndis_verify.symbolic.suppositions import SUPPOSITIONS
from ndis_verify.symbolic.transposes import base_letter, is_marked, written_transposed
from ndis_verify.symbolic.unknowns import equal
from ndis_verify.symbolic.zero import as_expression

TURNED = {"=": "=", "<=": ">=", ">=": "<=", "<": ">", ">": "<"}
_SUPPOSED = {text for texts in SUPPOSITIONS.values() for text in texts}
WEAKER = {"=": ("=", "<=", ">="), "<": ("<", "<="), ">": (">", ">="), "<=": ("<=",), ">=": (">=",)}
BOUNDS = {"positive": (">", 0), "nonnegative": (">=", 0), "negative": ("<", 0), "nonpositive": ("<=", 0)}


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
        if problem := _of_use(derivation, use):
            yield f"{where}: {problem}"
            return
    if step.kind in (*DECIDED, "fact") and step.lhs is not None and step.lhs == step.rhs:
        yield f"{where}: both sides are {step.rhs}"
    if step.kind == "definition" and step.lhs is not None:
        yield from (f"{where}: {text}" for text in _of_definition(derivation, k))
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


def _of_use(derivation: Derivation, use: Use) -> str:
    try:
        found = derivation.used(use)
    except InputError as error:
        return str(error)
    if use.of is None and use.step in derivation.given:
        return "" if found is not None else f"the hypothesis {use.step!r} is no relation"
    lemma = derivation if use.of is None else use.lemma
    if found is not None and found.lhs is not None and (name := hidden(derivation, use)):
        return f"{use.step!r} speaks of {name}, which was defined for other values"
    if found is not None and (name := moving(lemma, lemma.step(use.step), use, random_names(derivation))):
        return f"{use.step!r} has a mean over {name}, which has no value there"
    if problem := known_call(derivation, use) or parted(use, lemma):
        return problem
    if (one := _beyond(derivation, use)) is not None:
        return f"{use.step!r} is shown where {one}, which may be false at the values that are put in"
    if held := set(use.at) & set(said_to_exist(lemma)):
        return f"{min(held, key=str)} is said to exist: nothing is put in its place"
    if use.of is None:
        return ""
    if (f := no_density(derivation, lemma, use)) is not None:
        return f"nothing says that {f} is a density, as {lemma.id} has it"
    if not lemma.concludes:
        return f"lemma {lemma.id} does not say what it concludes"
    if found is None or found.lhs is None:
        return f"{use.step!r} of {lemma.id} is no relation"
    if named := _named_in_words(lemma, use):
        return f"words that {lemma.id} supposes speak of {named}, for which something is put"
    for relation in lemma.domain if all(end.part for end in lemma.concludes) else ():
        here, asked = ([h.relation for h in d.hypotheses if isinstance(h, Hypothesis)] for d in (derivation, lemma))
        one = at_values(relation, use.at)
        if one != sp.true and one not in (*here, *derivation.domain) and relation not in asked:
            return f"nothing says {one}, in which {lemma.id} holds"
    for h in lemma.hypotheses:
        if not _of_symbols(h) and not (isinstance(h, Hypothesis) and is_meant(h)):
            text = h if isinstance(h, str) else h.text
            shown = use.granted.get(text, text)
            named_here = {step.name for step in derivation.steps} if text in use.granted else ()
            if shown not in derivation.given and shown not in named_here:
                return f"nothing grants the hypothesis {text!r} of {lemma.id}"
            if one := of_one_place(derivation, h, use):
                return f"{one} is put into the hypothesis {text!r} of {lemma.id}, which is of every place"
            if not _grants(derivation, shown, h, use):
                return f"{shown!r} does not say the hypothesis {text!r} of {lemma.id}"
    return ""


def _named_in_words(lemma: Derivation, use: Use) -> str:
    """A function for which `use` puts something in and which hypotheses in words name."""
    heads = {str(key.func) for key in use.at if isinstance(key, AppliedUndef) and str(key.func) not in QUANTITIES}
    words = {word for text in in_words(lemma) for word in re.findall(r"\w+", text)}
    return min(heads & words, default="")


def _beyond(derivation: Derivation, use: Use) -> Any:
    """A hypothesis about what `use` replaces in an own step, where it may be false at the values that are put in:
    divisions and reductions of the step rest on it, named or not; of what a fact goes over it says nothing.
    """
    if use.of is not None or not use.at or use.step in derivation.given:
        return None
    step = derivation.step(use.step)
    over = {step.letters[name] for name in GOES_OVER if name in step.letters}
    given = [h.relation for h in derivation.hypotheses if isinstance(h, Hypothesis)]
    given = [one for one in given if isinstance(one, sp.core.relational.Relational)]
    for one in given:
        replaced = one.subs(dict(use.at)) if one.free_symbols & (set(use.at) - over) else sp.true
        if replaced != sp.true and replaced not in given:
            return one
    return None


def _grants(derivation: Derivation, shown: str, wanted: str | Hypothesis, use: Use) -> bool:
    """Whether a step or hypothesis says what the hypothesis of a lemma does: a relation at the values of `use`; words
    stand in a hypothesis, or in the definition in words of what is spoken of. What a fact supposes is no notation: its
    definition rests on a hypothesis.
    """
    relation = wanted.relation if isinstance(wanted, Hypothesis) else None
    if relation is None:
        text = wanted.text if isinstance(wanted, Hypothesis) else wanted
        notation = [one for one in derivation.steps if one.kind == "definition" and one.lhs is None]
        if text in _SUPPOSED and not (isinstance(wanted, Hypothesis) and is_meant(wanted)):
            notation = [one for one in notation if reached(derivation, [one.name]) & set(derivation.given)]
        said = {one.name: one.why for one in notation}
        said |= {one: one for one in in_words(derivation)}
        return shown in said and (shown == text or says(said[shown], text))
    if isinstance(relation, (law, positive_definite)):
        here = [h.relation for h in derivation.hypotheses if isinstance(h, Hypothesis) and h.text == shown]
        if isinstance(relation, law) or shown in derivation.given:
            return at_values(relation, use.at) in here
    one = derivation.used(Use(shown))
    if one is None or one.lhs is None or one.kind == "argument":
        return False
    if isinstance(relation, positive_definite):
        return shows_definite(derivation, one, at_values(relation, use.at).args[0])
    return _says(
        one, (at_values(relation.lhs, use.at), relation.rel_op.replace("==", "="), at_values(relation.rhs, use.at))
    )


def _of_definition(derivation: Derivation, k: int) -> Iterator[str]:
    """A definition gives a new name, or is what a quantity of the statement language means."""
    step, earlier = derivation.steps[k], derivation.steps[:k]
    if step.relation != "=":
        yield "is no equation"
    if step.lhs == anything:
        yield f"{step.lhs} stands for any vector"
    if anything in as_expression(step.rhs).free_symbols and not as_expression(step.lhs).is_commutative:
        yield f"{step.lhs} is another one for each {anything}, which stands for any vector"
    if step.lhs in variables(derivation):
        yield f"{step.lhs} is a variable of the claim"
    if isinstance(step.lhs, sp.Symbol) and not step.lhs.is_commutative and is_marked(step.lhs):
        base = base_letter(step.lhs)
        meant = next((one.rhs for one in earlier if one.kind == "definition" and one.lhs == base), base)
        if not (written_transposed(base, step.rhs) or written_transposed(meant, step.rhs)):
            yield f"{step.lhs} is written as a transpose, and is another array"
    if any(one.kind == "definition" and one.lhs == step.lhs for one in earlier):
        yield f"{step.lhs} is defined twice"
    if is_meaning(step, earlier):
        return
    if is_density(step):
        yield from density_problems(derivation, step)
        return
    if not isinstance(step.lhs, (sp.Symbol, AppliedUndef)):
        yield "defines what is no name"
        return
    if isinstance(step.lhs, AppliedUndef) and str(step.lhs.func) in QUANTITIES:
        yield f"is not what {step.lhs.func} means"
        return
    if isinstance(step.lhs, AppliedUndef) and str(step.lhs.func) not in TAKEN:
        if not is_of_symbols(step.lhs) or len({*step.lhs.args}) < len(step.lhs.args):
            yield f"{step.lhs} is defined at what is no symbol, or twice the same"
    if odd := unheard(step.lhs):
        yield f"nothing says why {step.lhs} is {', '.join(odd)}"
    rhs = as_expression(step.rhs)
    assumed = [one for one in ASSUMPTIONS if getattr(step.lhs, f"is_{one}") is True]
    unseen = [one for one in assumed if not is_known_to_be(rhs, one)]
    if unseen and not _has_reason(derivation, step, unseen):
        yield f"nothing says why {step.lhs} is {', '.join(unseen)}"
    if isinstance(step.lhs, AppliedUndef) and str(step.lhs.func) in TAKEN:
        yield f"{step.lhs.func} means something already"
    name = step.lhs.func if isinstance(step.lhs, AppliedUndef) else step.lhs
    if any(speaks(side, step.lhs) for one in earlier for side in (one.lhs, one.rhs)):
        yield f"{name} was spoken of before"
    if speaks(step.rhs, step.lhs):
        yield f"{name} is defined by itself"


def _has_reason(derivation: Derivation, step: Step, assumed: list[str]) -> bool:
    """Whether the premises of a definition make its right side what it is assumed to be."""
    found = [derivation.used(Use(p) if isinstance(p, str) else p) for p in step.premises]
    order = [one for one in found if one is not None and one.lhs is not None and one.relation != "="]
    gaps = [sp.cancel(sp.together(one.lhs - one.rhs)) for one in order]
    signs = {_times(one.relation, sp.cancel(step.rhs / gap)) for one, gap in zip(order, gaps, strict=True)}
    wanted = {BOUNDS[name][0] for name in assumed if name in BOUNDS}
    if not all(any(sign in WEAKER[one] for one in signs if one) for sign in wanted):
        return False
    return "integer" not in assumed and ("real" not in assumed or _is_real(step.rhs, order))


def _is_real(side: Any, order: list[Step]) -> bool:
    """Whether a side is real where what `order` says has a sign has it: no root and no logarithm of another number."""
    for one in order:
        sign = {">": {"positive": True}, ">=": {"nonnegative": True}}
        for gap, relation in ((one.lhs - one.rhs, one.relation), (one.rhs - one.lhs, TURNED[one.relation])):
            if relation in sign:
                side = side.subs(gap, sp.Dummy(**sign[relation]))
    real = lambda node: isinstance(node, sp.Integral) and node.function.is_real is True  # noqa: E731
    return bool(as_expression(side).replace(real, lambda _: sp.Dummy(real=True)).is_real)


def _times(relation: str, factor: Any) -> str:
    """The relation to 0 of what has `relation` to 0, times a factor; empty where that has no sign."""
    if has_sign(factor, ">"):
        return relation
    return TURNED[relation] if has_sign(factor, "<") else ""


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
        elif name in fact.required and (one is None or not _says(one, fact.required[name](step.letters))):
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


def _says(step: Step, wanted: Instance) -> bool:
    left, sign, right = wanted
    if wanted == NOTHING or step.lhs is None or sign not in WEAKER[step.relation]:
        return False
    try:  # a limit that is a fact need not be taken
        same = step.lhs == left or equal(opened(step.lhs), opened(left))
    except NotImplementedError:  # SymPy cannot take one of them
        same = False
    if not same:
        return False
    if right is None:
        return is_value(step.rhs, Known()) if isinstance(left, sp.Integral) else step.rhs.is_finite is not False
    return equal(opened(step.rhs), opened(right))


def _idle(derivation: Derivation) -> list[str]:
    used = reached(derivation, (one.step for one in derivation.concludes))
    return [step.name for step in derivation.steps if step.name not in used]


def _idle_hypotheses(derivation: Derivation) -> list[str]:
    """Those that no step names; what SymPy's assumptions say need not be named."""
    used = reached(derivation, (one.step for one in derivation.concludes))
    texts = [h if isinstance(h, str) else h.text for h in derivation.hypotheses if not _of_symbols(h)]
    return [text for text in texts if text not in used]


def _of_symbols(hypothesis: str | Hypothesis) -> bool:
    if not isinstance(hypothesis, Hypothesis) or hypothesis.relation is None:
        return False
    return hypothesis.relation == sp.true  # no symbol assumes that it is a law, or how it compares to another
