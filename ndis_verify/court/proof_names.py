"""What names of a proof stand for: definitions here and in lemmas, what facts say to exist, variables of the claim.

What a fact says to exist is one thing of which nothing else is known: no name and no variable, no quantity and no
notation, and nothing that an integral, a slope or a fact goes over.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any
from weakref import WeakKeyDictionary

import sympy as sp
from sympy.core.function import AppliedUndef

from ndis_verify.exact_number import InputError
from ndis_verify.statements.quantities import QUANTITIES
from ndis_verify.symbolic import notation
from ndis_verify.symbolic.derivation import Derivation, Hypothesis, Step, Use, steps_in
from ndis_verify.symbolic.fact import Fact
from ndis_verify.symbolic.facts import FACTS
from ndis_verify.symbolic.facts_of_signs import w as within
from ndis_verify.symbolic.heads import HEADS
from ndis_verify.symbolic.normal_coordinates import z as normal_z
from ndis_verify.symbolic.normal_images import DENSITIES
from ndis_verify.symbolic.notation import between_0_and_1
from ndis_verify.symbolic.scopes import ASSUMPTIONS, binders, bound, speaks
from ndis_verify.symbolic.sides import at_values
from ndis_verify.symbolic.transposes import base_letter
from ndis_verify.symbolic.zero import as_expression

_POSITIVE = ("root", "p")  # a root where the argument is positive, a normal density
_FUNCTIONS = (sp.core.function.UndefinedFunction, sp.core.function.FunctionClass)
_OF_A_LAW = {"before"}  # what it is of a law of two parameters a proof says
NORMAL = {str(density.func) for density in DENSITIES}
TAKEN = {  # functions that mean something already, so that no proof says what they are
    *(name for name, value in vars(notation).items() if isinstance(value, _FUNCTIONS) and name not in _OF_A_LAW),
    *QUANTITIES,
    *(set(HEADS) - _OF_A_LAW),
    *("coordinate", "sum", "product", "sup", "inf", "vector"),
    *NORMAL,
}
_FIRST = "p"  # of the two densities of a meaning: it may be that of any normal law, the other one is then known
_UNKNOWN = {"binned", "rounded", _FIRST}  # of what has a name in print already, what facts alone bring in
_LAWS = (  # letters of facts that say from which law something is drawn
    *("P", "Q", "mass", "n", "r", "theta", "std", "variance", "statistic", "share", "level"),
)
_LAWS_OF = {  # and those that say so in one of them
    "points under a curve": ("f",),
    "Hoeffding's inequality": ("X", "m"),
    "singular values of a normal matrix": ("d", "s"),
    "inverse of a noncentral chi-square variable": ("d",),
    "exact lower limit of a proportion": ("probability",),
    "exact upper limit of a proportion": ("probability",),
}
_EVERY = {  # symbols that stand for every point, place, distance or vector
    *(notation.x, notation.bin_of_sum, notation.z, normal_z, notation.anything, notation.definite, notation.logarithms),
    *(notation.below, notation.beyond, notation.share, within, between_0_and_1),
}
GOES_OVER = ("argument", "angle")  # letters of facts that stand for every value of a symbol
_BEHIND: WeakKeyDictionary[Derivation, dict[bool, dict[Any, set[Any]]]] = WeakKeyDictionary()
_NAMES: WeakKeyDictionary[Derivation, dict[Any, Any]] = WeakKeyDictionary()
_OVER: WeakKeyDictionary[Derivation, set[Any]] = WeakKeyDictionary()
_EXISTING: WeakKeyDictionary[Derivation, dict[Any, Derivation]] = WeakKeyDictionary()


def names_of(derivation: Derivation) -> dict[Any, Any]:
    """What each name stands for, of definitions here and of those of lemmas that a used step speaks of; where two say
    different things the first.
    """
    if derivation not in _NAMES:
        _NAMES[derivation] = dict(reversed(list(_named(derivation))))
    return _NAMES[derivation]


def _named(derivation: Derivation) -> Iterator[tuple[Any, Any]]:
    for step in derivation.steps:
        if step.kind == "definition" and _is_name(step.lhs):
            yield step.lhs, step.rhs
    for step in derivation.steps:
        for one in steps_in(step):
            for use in one.premises:
                if isinstance(use, Use) and use.of is not None:
                    yield from _lent(use, use.lemma)


def _is_name(lhs: Any) -> bool:
    return isinstance(lhs, sp.Symbol) or (isinstance(lhs, AppliedUndef) and str(lhs.func) not in QUANTITIES)


def _lent(use: Use, lemma: Derivation) -> Iterator[tuple[Any, Any]]:
    """The names of a lemma of which its used step speaks, but for those in whose place something is put."""
    sides = _said_in(lemma, lemma.step(use.step))
    for name, meant in names_of(lemma).items():
        if name not in use.at and any(speaks(side, name) for side in sides):
            yield name, at_values(meant, use.at)


def _said_in(lemma: Derivation, step: Step) -> list[Any]:
    """What a used step says, and what has to be granted for it."""
    asked = [h.relation for h in lemma.hypotheses if isinstance(h, Hypothesis)]
    return [step.lhs, step.rhs, *(one for one in asked if isinstance(one, sp.Basic))]


def what_is_behind(derivation: Derivation) -> dict[Any, set[Any]]:
    """Name -> the symbols that it depends on and is not written with, whatever facts that bring it in go over."""
    return {
        name: {one for one in rests_on if isinstance(one, sp.Symbol)} - as_expression(name).free_symbols
        for name, rests_on in all_behind(derivation, whole=False).items()
    }


def _lent_behind(use: Use, lemma: Derivation, whole: bool) -> Iterator[tuple[Any, set[Any]]]:
    """What the names of a lemma rest on of which its used step speaks, at the values of `use`."""
    step = lemma.step(use.step)
    for name, rests_on in all_behind(lemma, whole).items():
        if name not in use.at and any(speaks(side, name) for side in (step.lhs, step.rhs)):
            yield name, set().union(*(atoms_of(use.at.get(one, one)) for one in rests_on))


def all_behind(derivation: Derivation, whole: bool = True) -> dict[Any, set[Any]]:
    """Name -> the symbols and calls that say what it is, in definitions, in facts that bring it in or say that it is
    drawn, and in lemmas, by way of other names too; not `whole`: but for what such a fact goes over.
    """
    kept = _BEHIND.setdefault(derivation, {})
    if whole not in kept:
        kept[whole] = _closed(_one_step_behind(derivation, whole))
    return kept[whole]


def _one_step_behind(derivation: Derivation, whole: bool) -> dict[Any, set[Any]]:
    found: dict[Any, set[Any]] = {name: _spoken_of(meant) for name, meant in names_of(derivation).items()}
    for step in (one for stated in derivation.steps for one in steps_in(stated)):
        for made, said in _made_by_fact(step):
            gone = set() if whole else symbols_of([step.letters.get(name) for name in GOES_OVER])
            for name in made:
                found[name] = found.get(name, set()) | (said - made - gone)
        for use in step.premises:
            if isinstance(use, Use) and use.of is not None:
                for name, rests_on in _lent_behind(use, use.lemma, whole):
                    found[name] = found.get(name, set()) | rests_on
    return found


def _closed(found: dict[Any, set[Any]]) -> dict[Any, set[Any]]:
    """With what the names that stand in it rest on."""
    calls = {name.func: name for name in found if isinstance(name, AppliedUndef) and is_of_symbols(name)}
    closed = {}
    for name in found:
        seen, waiting = set[Any](), [*found[name]]
        while waiting:
            one = waiting.pop()
            if one not in seen:
                seen.add(one)
                other = one if one in found else calls.get(getattr(one, "func", None))
                waiting += () if other is None else found[other] - (set() if other == one else {*other.args})
        closed[name] = seen
    return closed


def is_of_symbols(call: Any) -> bool:
    return all(isinstance(one, sp.Symbol) for one in call.args)


def _made_by_fact(step: Step) -> Iterator[tuple[set[Any], set[Any]]]:
    """What a fact brings in or says to be drawn, and the symbols and calls of the letters that say what it is."""
    fact = FACTS.get(step.fact)
    if fact is not None and set(step.letters) == set(fact.letters):
        own = {step.letters[name] for name in fact.brings}
        yield own, set().union(*(_spoken_of(value) for value in step.letters.values()))
        for letter, law in drawn_in(step):
            yield atoms_of(letter), set().union(*map(_spoken_of, law.values()))


def _spoken_of(value: Any) -> set[Any]:
    """The symbols and calls of a letter, which may be several expressions; none of a functional."""
    if isinstance(value, Mapping):
        return _spoken_of([*value, *value.values()])
    if isinstance(value, (tuple, list)):
        return set().union(*map(_spoken_of, value))
    return atoms_of(value) if isinstance(value, (sp.Basic, sp.MatrixBase)) else set()


def hidden(derivation: Derivation, use: Use) -> str:
    """A name in the step of which `use` speaks, whose definition, or the fact that brings it in or says that it is
    drawn, speaks of what `use` replaces, while the name itself does not; "" where that of a lemma is replaced by one
    thing wherever the derivation speaks of the name.
    """
    lemma = derivation if use.of is None else use.lemma
    step = lemma.step(use.step)
    spoken = _spoken_of(_said_in(lemma, step)) if use.of is not None else _spoken_of([step.lhs, step.rhs])
    defined = {one.lhs for one in lemma.steps if one.kind == "definition"}
    for name, rests_on in all_behind(lemma).items():
        replaced = (rests_on - (atoms_of(name) if name in defined else set())) & set(use.at)
        if name in spoken and replaced and (use.of is None or name in defined or not _is_one(derivation, use, name)):
            return str(name)
    return ""


def _is_one(derivation: Derivation, use: Use, name: Any) -> bool:
    """Whether a name of a lemma is at the same values wherever a derivation speaks of it."""
    values = []
    for other in _uses(derivation):
        lemma = derivation if other.of is None else other.lemma
        behind = all_behind(lemma)
        if other.of is not None and name in behind and name not in other.at:
            step = lemma.step(other.step)
            if any(speaks(side, name) for side in (step.lhs, step.rhs)):
                values.append({key: value for key, value in other.at.items() if key in behind[name]})
    own = {letter for made, _ in brought_by_facts(derivation) for letter in made}
    return name not in own and all(one == values[0] for one in values)


def variables(derivation: Derivation) -> set[Any]:
    """The symbols of variables of the claims that it concludes."""
    return {symbol for end in derivation.concludes for symbol in end.symbols.values()}


def _known(derivation: Derivation) -> set[Any]:
    """What is something already: variables, names, and what hypotheses speak of."""
    assumed = {one for h in derivation.hypotheses if isinstance(h, Hypothesis) for one in symbols_of(h.relation)}
    return variables(derivation) | set(derivation.names) | assumed


def _base(letter: Any) -> Any:
    return letter if letter.is_commutative else base_letter(letter)


def _brought_in(derivation: Derivation) -> set[Any]:
    """The letters of rules, here and in lemmas, that are no variables."""
    found = {
        base_letter(letter)
        for step in derivation.steps
        for one in steps_in(step)
        if one.algebra is not None
        for word in one.algebra.rules
        for letter in word
    }
    uses = [use for step in derivation.steps for one in steps_in(step) for use in one.premises if isinstance(use, Use)]
    return found.union(*(_brought_in(use.lemma) for use in uses if use.of is not None)) - variables(derivation)


def of_existence(derivation: Derivation, step: Step, fact: Fact) -> Iterator[str]:
    """What a fact brings in is nothing that was known, and one thing."""
    known = _known(derivation)
    brought = {name: step.letters[name] for name in fact.brings}
    for letter in brought.values():
        if not isinstance(letter, sp.Symbol | AppliedUndef) or _base(letter) in known:
            yield f"{letter} is said to exist, and is known to be something else"
        elif _means_something(derivation, letter):
            yield f"{letter} is said to exist, and means something already"
    if len({*brought.values()}) < len(brought):
        yield f"{min(brought.values(), key=str)} is said to exist twice"
    for name in (name for name in step.letters if name not in (*fact.brings, *fact.of_brought)):
        if own := _with_behind(derivation, step.letters[name]) & {*brought.values()}:
            yield f"{name!r} speaks of {min(own, key=str)}, which is said to exist"
    for letter in {*brought.values()} - {step.letters[name] for name in fact.draws}:
        if letter in _EVERY | gone_over(derivation):
            yield f"{letter} is said to exist, and something goes over it"
    for name, letter in brought.items():
        odd = [one for one in ASSUMPTIONS if one != "real" and getattr(letter, f"is_{one}", None) is True]
        if odd and not (name in fact.not_negative and (odd == ["nonnegative"] or name in _POSITIVE)):
            yield f"{letter} is said to exist, and nothing says that it is {odd[0]}"
    for one in (one for stated in derivation.steps for one in steps_in(stated)):
        if one.kind == "fact" and one.fact in FACTS and (one.letters, _family(one)) != (step.letters, _family(step)):
            other = {
                _head(one.letters[name]): one.letters[name] for name in FACTS[one.fact].brings if name in one.letters
            }
            if same := other.keys() & {*map(_head, brought.values())}:
                yield f"{min((other[head] for head in same), key=str)} is said to exist twice"


def of_letters(derivation: Derivation, step: Step, fact: Fact) -> Iterator[str]:
    """What letters speak of, themselves or by a name, from which the fact wants them apart, any vector for which a
    condition is shown among it; and unknown ones that are defined.
    """
    for name in fact.unknown:
        if is_defined(derivation, step.letters[name]):
            yield f"{name!r} is {step.letters[name]}, of which nothing is to be known, and something defines it"
    every = dict.fromkeys(step.letters, (notation.anything,)) if _is_of_any_vector(fact, step.letters) else {}
    for name, others in (*fact.apart.items(), *every.items()):
        spoken = _with_behind(derivation, step.letters[name])
        for other in others:
            value = step.letters[other] if isinstance(other, str) else other
            own = {value} if isinstance(value, (sp.Symbol, AppliedUndef)) else _spoken_of(value)
            if held := own & spoken:
                yield f"{name!r} speaks of {min(held, key=str)}, from which it has to be apart"


def is_defined(derivation: Derivation, letter: Any) -> bool:
    """Whether a definition, here or in a lemma, says what the symbol or the function of a letter is."""
    return _head(letter) in {_head(name) for name in names_of(derivation)}


def _is_of_any_vector(fact: Fact, letters: Mapping[str, Any]) -> bool:
    sides = [side for wanted in fact.required.values() for side in wanted(letters)[::2] if side is not None]
    return any(notation.anything in as_expression(side).free_symbols for side in sides)


def _head(value: Any) -> Any:
    """The symbol that a letter is, or the function of which it is a call, what noise is added to it left out."""
    value = value.args[0] if getattr(value, "func", None) == notation.with_noise else value
    return value.func if isinstance(value, AppliedUndef) else value


def _with_behind(derivation: Derivation, value: Any) -> set[Any]:
    """The symbols and calls of a letter, and those that say what these are."""
    spoken = _spoken_of(value)
    return spoken.union(*(all_behind(derivation).get(one, set()) for one in spoken))


def _family(step: Step) -> str:
    """The fact, of those that say several things of what one theorem brings in the theorem."""
    return step.fact.partition(",")[0]


def _means_something(derivation: Derivation, letter: Any) -> bool:
    """Whether a letter is a function of the notation, or stands in what a meaning supposes."""
    if isinstance(letter, sp.Symbol):
        return _base(letter) in _supposed_by_meanings(derivation)
    if str(letter.func) in TAKEN - _UNKNOWN:
        return True
    return any(isinstance(name, AppliedUndef) and name.func == letter.func for name in names_of(derivation))


def _supposed_by_meanings(derivation: Derivation) -> set[Any]:
    """The letters in what definitions here and in lemmas say of arguments of quantities."""
    found: set[Any] = set()
    for step in derivation.steps:
        if step.kind == "definition" and step.lhs is not None and not isinstance(step.lhs, sp.Symbol | AppliedUndef):
            found |= {_base(symbol) for symbol in step.lhs.free_symbols}
    lemmas = {use.of: use.lemma for use in _uses(derivation) if use.of is not None}
    return found.union(*map(_supposed_by_meanings, lemmas.values()))


def _uses(derivation: Derivation) -> Iterator[Use]:
    for step in (one for stated in derivation.steps for one in steps_in(stated)):
        yield from (use for use in step.premises if isinstance(use, Use))


def gone_over(derivation: Derivation) -> set[Any]:
    """The symbols that something goes over in the derivation, or in what it uses: an integral, a slope, a fact."""
    if derivation not in _OVER:
        found = set()
        for step in (one for stated in derivation.steps for one in steps_in(stated)):
            found |= {step.letters[name] for name in GOES_OVER if name in step.letters}
            used = [derivation.used(use) for use in step.premises if isinstance(use, Use)]
            said = [side for one in (step, *used) if one is not None for side in (one.lhs, one.rhs, one.witness)]
            found = found.union(*(bound(node) for side in said for node in binders(side)))
        _OVER[derivation] = found
    return _OVER[derivation]


def said_to_exist(derivation: Derivation) -> dict[Any, Derivation]:
    """What facts say to exist, here and in lemmas whose used steps speak of it -> the derivation that brings it in."""
    if derivation not in _EXISTING:
        _EXISTING[derivation] = dict(reversed(list(_existing(derivation))))
    return _EXISTING[derivation]


def _existing(derivation: Derivation) -> Iterator[tuple[Any, Derivation]]:
    for one in (one for step in derivation.steps for one in steps_in(step)):
        if one.kind == "fact" and one.fact in FACTS:
            yield from (
                (_base(one.letters[name]), derivation) for name in FACTS[one.fact].brings if name in one.letters
            )
        for use in one.premises:
            if isinstance(use, Use) and use.of is not None:
                spoken = use.lemma.step(use.step)
                for letter, source in said_to_exist(use.lemma).items():
                    if any(speaks(side, letter) for side in (spoken.lhs, spoken.rhs)):
                        yield letter, source


def brought_by_facts(derivation: Derivation) -> list[tuple[set[Any], Mapping[str, Any]]]:
    """What each fact says to exist, and its letters."""
    return [
        ({one.letters[name] for name in FACTS[one.fact].brings}, one.letters)
        for step in derivation.steps
        for one in steps_in(step)
        if one.fact in FACTS and set(one.letters) == set(FACTS[one.fact].letters)
    ]


def drawn_in(step: Step) -> Iterator[tuple[Any, Mapping[str, Any]]]:
    """What a fact says to be drawn, and the letters that say from which law."""
    for name in FACTS[step.fact].draws if step.fact in FACTS else ():
        if name in step.letters:
            of_law = (*_LAWS, *_LAWS_OF.get(step.fact, ()))
            law = {one: step.letters[one] for one in of_law if one in step.letters}
            yield step.letters[name], {one: said for one, said in law.items() if one not in FACTS[step.fact].draws}


def of_lemmas(derivation: Derivation, k: int) -> Iterator[str]:
    """A name of a lemma is the same name here, and no variable."""
    names = names_of(derivation)
    here = {step.lhs for step in derivation.steps if step.kind == "definition"}
    own, known = variables(derivation), _known(derivation)
    for one in steps_in(derivation.steps[k]):
        for use in one.premises:
            if not isinstance(use, Use) or use.of is None:
                continue
            try:
                lent = list(_lent(use, use.lemma))
            except InputError as error:  # said of the use itself
                yield str(error)
                continue
            spoken = use.lemma.step(use.step)
            for letter in (_brought_in(use.lemma) & own) - set(use.at):
                if any(speaks(side, letter) for side in (spoken.lhs, spoken.rhs)):
                    yield f"{letter}, a variable here, is brought in by lemma {use.lemma.id}"
            for letter, source in said_to_exist(use.lemma).items():
                if any(speaks(side, letter) for side in (spoken.lhs, spoken.rhs)):
                    if letter in known:
                        yield f"{letter} is said to exist by lemma {use.lemma.id}, and is known to be something else"
                    elif letter in gone_over(derivation):
                        yield f"{letter} is said to exist by lemma {use.lemma.id}, and something goes over it"
                    elif any(
                        _head(one) == _head(letter) and (one != letter or here is not source)
                        for one, here in said_to_exist(derivation).items()
                    ):
                        yield f"{letter} is said to exist twice"
            if round_about := [name for name in names if name in all_behind(derivation)[name]]:
                yield f"{round_about[0]} is defined by itself, by way of lemma {use.lemma.id}"
            for name, meant in lent:
                if not all(_are_one(name, meant, one, other) for one, other in names.items()):
                    yield f"{name} is not what it is in lemma {use.lemma.id}"
                elif name in own and name not in here:
                    yield f"{name}, a variable here, is a name in lemma {use.lemma.id}"


def _are_one(name: Any, meant: Any, other: Any, other_meant: Any) -> bool:
    """Whether two names are not of one function with two meanings."""
    if name == other or _head(name) != _head(other):
        return bool(name != other or meant == other_meant)
    at = dict(zip(name.args, other.args, strict=False))
    renamed = meant.subs(at, simultaneous=True) if isinstance(meant, sp.Basic) else meant
    return len(name.args) == len(other.args) and bool(renamed == other_meant)


def atoms_of(side: Any) -> set[Any]:
    return set(as_expression(side).atoms(sp.Symbol, AppliedUndef))


def symbols_of(value: Any) -> set[Any]:
    """The symbols of a letter, which may be several expressions, or a functional."""
    if isinstance(value, (tuple, list)):
        return set().union(*map(symbols_of, value))
    return set(value.free_symbols) if isinstance(value, (sp.Basic, sp.MatrixBase)) else set()
