"""What a proof says to be drawn at random: it is nothing that is known, and no number."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

import sympy as sp
from sympy.core.function import AppliedUndef

from ndis_verify.court.proof_names import all_behind, atoms_of, drawn_in, is_defined, variables
from ndis_verify.symbolic.derivation import Derivation, Step, Use, steps_in
from ndis_verify.symbolic.fact import Fact
from ndis_verify.symbolic.scopes import DRAWS, OVER_A_SET, bound
from ndis_verify.symbolic.sides import at_values
from ndis_verify.symbolic.zero import as_expression

NUMBERS = (  # letters of facts that are the same at every point
    *("mean", "other mean", "variance", "other variance", "std", "other std", "noise", "noisy", "other noisy"),
    *("epsilon", "length", "level", "share", "weight", "k", "m", "d", "first", "second"),
)
_OF_ANY = (  # of anything that is made of draws
    *(("Hoeffding's inequality", "X"), ("Jensen's inequality of an absolute value", "X")),
    *(("bounded differences", "f"), ("bounded differences", "moved")),
    *(("divergence as the mean of a hinge", "L"), ("moment of an affine loss", "L")),  # a condition says which loss
)
_HELD = ("c", "n", "t", "u", "s", "r", "d", "mass", "value", "bound")  # and those that no draw changes


def drawn(derivation: Derivation) -> set[Any]:
    """What facts of the derivation say to be drawn at random."""
    return set().union(*(atoms_of(one) for one in drawn_letters(derivation)))


def drawn_in_all(derivation: Derivation) -> set[Any]:
    """The same, and what is drawn in its lemmas, but for that in whose place something is put."""
    found = drawn(derivation)
    for use in (p for step in derivation.steps for one in steps_in(step) for p in one.premises):
        if isinstance(use, Use) and use.of is not None:
            found |= {one for one in _drawn_in_lemma(use.lemma) if one not in use.at}
    return found


def random_names(derivation: Derivation) -> set[Any]:
    """What is drawn, and the names of what is made of it."""
    return drawn_in_all(derivation) | set(made_of_draws(derivation))


def made_of_draws(derivation: Derivation) -> list[Any]:
    """The names of what is made of draws, by definitions and by facts that bring it in."""
    letters = _all_letters(derivation)
    found = [name for name, rests_on in all_behind(derivation).items() if rests_on & letters and name not in letters]
    return sorted(found, key=str)


def _all_letters(derivation: Derivation) -> set[Any]:
    """What is drawn here, and in lemmas whose used steps speak of it."""
    return {letter for step in derivation.steps for one in steps_in(step) for letter, _ in _draws_in_all(one)}


@cache
def _drawn_in_lemma(lemma: Derivation) -> frozenset[Any]:
    return frozenset(drawn_in_all(lemma))


def drawn_letters(derivation: Derivation) -> list[Any]:
    return [letter for step in derivation.steps for one in steps_in(step) for letter, _ in drawn_in(one)]


def _draws_in_all(step: Step) -> Iterator[tuple[Any, Mapping[str, Any]]]:
    """What is drawn in a step, and in lemmas whose used steps speak of it, and from which laws."""
    yield from drawn_in(step)
    for use in step.premises:
        if isinstance(use, Use) and use.of is not None:
            spoken = use.lemma.step(use.step)
            for letter, law in _laws(use.lemma):
                if any(as_expression(side).has(letter) for side in (spoken.lhs, spoken.rhs) if side is not None):
                    yield letter, {name: at_values(value, use.at) for name, value in law.items()}


@cache
def _laws(derivation: Derivation) -> tuple[tuple[Any, Mapping[str, Any]], ...]:
    return tuple(drawn for step in derivation.steps for one in steps_in(step) for drawn in _draws_in_all(one))


def two_laws(derivation: Derivation, step: Step) -> Iterator[str]:
    """What is drawn in a step, or in a lemma that it uses, and is drawn from another law elsewhere."""
    for letter, law in _draws_in_all(step):
        if not all(_is_one_law(law, other) for one, other in _laws(derivation) if one == letter):
            yield f"{letter} is drawn from two laws"


def _is_one_law(law: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether two facts do not say of two laws that something is drawn from them."""
    both = law.keys() & other.keys()
    return all(law[name] == other[name] for name in both) and bool(both or not law or not other)


def moving(derivation: Derivation, step: Step, use: Use, here: set[Any]) -> str:
    """What `use` replaces inside of a mean, a probability or a supremum, although it is drawn there, or is the place
    there, or a number in whose place something is put that is drawn, as `here` says.
    """
    random = drawn(derivation) & set(use.at)
    random |= {key for key, value in use.at.items() if atoms_of(value) & here}
    for call in (call for side in (step.lhs, step.rhs) for call in as_expression(side).atoms(AppliedUndef)):
        place = call.free_symbols if str(call.func) == OVER_A_SET else bound(call)
        inside = set().union(*(atoms_of(arg) for arg in call.args))
        for key in use.at:
            if key in inside and (key in place or (key in random and str(call.func) in DRAWS)):
                return str(key)
    return ""


def of_draws(derivation: Derivation, step: Step, fact: Fact) -> Iterator[str]:
    """What a fact says to be drawn is nothing that is known, and no number of a fact is drawn."""
    for name in fact.draws:
        if not atoms_of(step.letters[name]) - variables(derivation):
            yield f"{step.letters[name]} is said to be drawn, and is known to be something else"
        if (step.fact, name) not in _OF_ANY:
            if not isinstance(step.letters[name], (sp.Symbol, AppliedUndef)):
                yield f"{step.letters[name]} is said to be drawn, and is no symbol"
            if is_defined(derivation, step.letters[name]):
                yield f"{step.letters[name]} is said to be drawn, and something defines it"
    random = [*sorted(_all_letters(derivation), key=str), *made_of_draws(derivation)]
    own = ("theta",) if step.fact == "Stein's identity" else ()
    for name in sorted({*NUMBERS, *_HELD, *own} - set(fact.draws)):
        value = step.letters.get(name)
        if held := [one for one in random if isinstance(value, sp.Basic) and value.has(one)]:
            yield f"{held[0]} is drawn, and {name!r} is a number"
    if step.fact == "bounded differences":
        formula, share = as_expression(step.letters["formula"]), step.letters["share"]
        if held := [one for one in random if one != share and formula.has(one)]:
            yield f"{held[0]} is drawn, and 'formula' is of the draws of {share} alone"
