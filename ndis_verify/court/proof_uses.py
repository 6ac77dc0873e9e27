"""Whether a step may be used as a premise has it: what is put into it, and what of a lemma is granted."""

from __future__ import annotations

import re
from typing import Any

import sympy as sp
from sympy.core.function import AppliedUndef

from ndis_verify.court.proof_draws import moving, random_names
from ndis_verify.court.proof_hypotheses import in_words, is_meant, says
from ndis_verify.court.proof_means import no_density
from ndis_verify.court.proof_names import GOES_OVER, hidden, said_to_exist
from ndis_verify.court.proof_paths import reached
from ndis_verify.court.proof_places import of_one_place
from ndis_verify.court.proof_relations import states
from ndis_verify.court.proof_replacements import known_call, parted
from ndis_verify.court.proof_values import shows_definite
from ndis_verify.exact_number import InputError
from ndis_verify.statements.quantities import QUANTITIES
from ndis_verify.symbolic.derivation import Derivation, Hypothesis, Use
from ndis_verify.symbolic.notation import law, positive_definite
from ndis_verify.symbolic.sides import at_values
from ndis_verify.symbolic.suppositions import SUPPOSITIONS

_SUPPOSED = {text for texts in SUPPOSITIONS.values() for text in texts}


def use_problem(derivation: Derivation, use: Use) -> str:
    """What is wrong with the way a premise uses a step or a lemma; empty where nothing is."""
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
        if not of_symbols(h) and not (isinstance(h, Hypothesis) and is_meant(h)):
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
    return states(
        one, (at_values(relation.lhs, use.at), relation.rel_op.replace("==", "="), at_values(relation.rhs, use.at))
    )


def of_symbols(hypothesis: str | Hypothesis) -> bool:
    if not isinstance(hypothesis, Hypothesis) or hypothesis.relation is None:
        return False
    return hypothesis.relation == sp.true  # no symbol assumes that it is a law, or how it compares to another
