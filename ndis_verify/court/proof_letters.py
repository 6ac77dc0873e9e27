"""That a letter of a proof is one thing wherever it stands: a name under what binds a symbol, an argument over which a
fact goes, a name that a lemma has too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any
from weakref import WeakKeyDictionary

import sympy as sp
from sympy.core.function import AppliedUndef

from ndis_verify.court.proof_continuity import not_continuous
from ndis_verify.exact_number import InputError
from ndis_verify.statements.quantities import QUANTITIES
from ndis_verify.symbolic.derivation import Derivation, Hypothesis, Step, Use, steps_in
from ndis_verify.symbolic.fact import JUMPING, Fact
from ndis_verify.symbolic.facts import FACTS
from ndis_verify.symbolic.facts_of_signs import v as between_0_and_1
from ndis_verify.symbolic.facts_of_signs import w as within
from ndis_verify.symbolic.notation import anything, below, beyond, share, sign_changes, x
from ndis_verify.symbolic.scopes import ASSUMPTIONS, DRAWS, OVER_COORDINATES, binders, bound, speaks
from ndis_verify.symbolic.sides import at_values
from ndis_verify.symbolic.transposes import base_letter
from ndis_verify.symbolic.zero import as_expression

_NUMBERS = (  # letters of facts that are the same at every point
    *("mean", "other mean", "variance", "other variance", "std", "other std", "noise", "noisy", "other noisy"),
    *("epsilon", "length", "level", "share", "weight", "k", "m"),
)
_HELD = ("c", "n", "t", "u", "s", "r", "d", "mass", "value", "bound")  # and those that no draw changes
_POINT_BY_POINT = ("both sides of an edge", "equal on both sides of an edge")  # nothing is said of what is near a point
_POSITIVE = ("root", "p")  # a root where the argument is positive, a normal density
_GOES_OVER = ("argument", "angle")  # letters of facts that stand for every value of a symbol
_DISTANCES = frozenset((below, beyond, share, within))  # by which facts reach every point of a side, or of an interval


_NAMES: WeakKeyDictionary[Derivation, dict[Any, Any]] = WeakKeyDictionary()
_EXISTING: WeakKeyDictionary[Derivation, dict[Any, Derivation]] = WeakKeyDictionary()
_PLACED: WeakKeyDictionary[Derivation, frozenset[Any]] = WeakKeyDictionary()


def letter_problems(derivation: Derivation, k: int) -> Iterator[str]:
    """What is wrong with the letters of step k."""
    step, behind = derivation.steps[k], _behind(names_of(derivation))
    for one in steps_in(step):
        yield from _under_binders(one, behind)
        if one.kind == "fact" and one.fact in FACTS and set(one.letters) == set(FACTS[one.fact].letters):
            yield from _of_arguments(derivation, one, FACTS[one.fact], behind)
            yield from _of_jumps(derivation, one)
            yield from not_continuous(derivation, one, names_of(derivation))
            yield from _of_existence(derivation, one, FACTS[one.fact])
            yield from _of_draws(derivation, one, FACTS[one.fact])
        yield from _of_places(derivation, one)
    yield from _of_lemmas(derivation, k)


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
                    yield from _lent(use, use.of())


def _is_name(lhs: Any) -> bool:
    return isinstance(lhs, sp.Symbol) or (isinstance(lhs, AppliedUndef) and str(lhs.func) not in QUANTITIES)


def _lent(use: Use, lemma: Derivation) -> Iterator[tuple[Any, Any]]:
    """The names of a lemma of which its used step speaks, but for those in whose place something is put."""
    step = lemma.step(use.step)
    for name, meant in names_of(lemma).items():
        if name not in use.at and any(speaks(side, name) for side in (step.lhs, step.rhs)):
            yield name, at_values(meant, use.at)


def _behind(names: Mapping[Any, Any]) -> dict[Any, set[Any]]:
    """Name -> the symbols that it depends on and is not written with."""
    behind: dict[Any, set[Any]] = {}
    for name, meant in names.items():
        symbols = set(as_expression(meant).free_symbols)
        for other, own in behind.items():
            if speaks(as_expression(meant), other):
                symbols |= own
        behind[name] = symbols - (as_expression(name).free_symbols if isinstance(name, AppliedUndef) else set())
    return behind


def hidden(derivation: Derivation, step: Step, use: Use) -> str:
    """A name in the step whose definition, or the fact that brings it in, speaks of what `use` replaces, while the name
    itself does not.
    """
    spoken = _atoms(step.lhs) | _atoms(step.rhs)
    behind: dict[Any, set[Any]] = {}
    for one in derivation.steps:
        if one.kind == "definition" and one.lhs is not None:
            own = _atoms(one.rhs)
            behind[one.lhs] = own.union(*(behind[name] for name in own & set(behind)))
            if one.lhs in spoken and (behind[one.lhs] & set(use.at)) - _atoms(one.lhs):
                return str(one.lhs)
    for brought, letters in _brought_by_facts(derivation):
        own = set().union(*map(_symbols, letters.values())) - brought
        rests_on = own.union(*(behind[name] for name in own & set(behind)))
        if (brought & spoken) and (rests_on & set(use.at)):
            return str(min(brought & spoken, key=str))
    return ""


def drawn(derivation: Derivation) -> set[Any]:
    """What facts of the derivation say to be drawn at random."""
    return set().union(*(_atoms(one) for one in _drawn_letters(derivation)))


def drawn_in_all(derivation: Derivation) -> set[Any]:
    """The same, and what is drawn in its lemmas, but for that in whose place something is put."""
    found = drawn(derivation)
    for use in (p for step in derivation.steps for one in steps_in(step) for p in one.premises):
        if isinstance(use, Use) and use.of is not None:
            found |= {one for one in _drawn_in_lemma(use.of()) if one not in use.at}
    return found


@cache
def _drawn_in_lemma(lemma: Derivation) -> frozenset[Any]:
    return frozenset(drawn_in_all(lemma))


def _drawn_letters(derivation: Derivation) -> list[Any]:
    facts = [(step, FACTS[step.fact]) for step in derivation.steps if step.kind == "fact" and step.fact in FACTS]
    return [step.letters[name] for step, fact in facts for name in fact.draws if name in step.letters]


def moving(derivation: Derivation, step: Step, use: Use, here: set[Any]) -> str:
    """What `use` replaces inside of a mean, or of a probability, although it is drawn there, or is the place there, or
    a number in whose place something is put that is drawn, as `here` says.
    """
    random = drawn(derivation) & set(use.at)
    random |= {key for key, value in use.at.items() if _atoms(value) & here}
    for call in (call for side in (step.lhs, step.rhs) for call in as_expression(side).atoms(AppliedUndef)):
        place = bound(call)
        inside = set().union(*(_atoms(arg) for arg in call.args))
        for key in use.at:
            if key in inside and (key in place or (key in random and str(call.func) in DRAWS)):
                return str(key)
    return ""


def _atoms(side: Any) -> set[Any]:
    return set(as_expression(side).atoms(sp.Symbol, AppliedUndef))


def _under_binders(step: Step, behind: Mapping[Any, set[Any]]) -> Iterator[str]:
    """Of a name under what goes over a symbol that its definition speaks of nobody can say what it is there."""
    for side in (step.lhs, step.rhs, step.witness):
        for node, places in _going_over(side):
            for name, symbols in behind.items():
                if name != node and (held := symbols & places) and speaks(node, name):
                    over = min(held, key=str)
                    yield f"{name} stands for what depends on {over}, over which {node.func.__name__} goes"


def _going_over(side: Any) -> Iterator[tuple[Any, frozenset[Any]]]:
    """The parts of a side that go over symbols, counts of sign changes among them."""
    yield from ((node, bound(node)) for node in binders(side))
    calls = side.atoms(AppliedUndef) if isinstance(side, sp.Basic) else ()
    yield from ((call, frozenset({between_0_and_1})) for call in calls if call.func == sign_changes)


def _of_places(derivation: Derivation, step: Step) -> Iterator[str]:
    """What stands for one coordinate is another number at every place that a sum goes over."""
    sides = [as_expression(side) for side in (step.lhs, step.rhs) if side is not None]
    sums = [call for side in sides for call in _sums(side)]
    if step.kind == "fact" and sums:
        for name in placed(derivation):
            if any(speaks(call, name) for call in sums) and any(speaks(_beside_sums(side), name) for side in sides):
                yield f"{name} stands for one coordinate, and is taken out of a sum over all"
    for use in (use for use in step.premises if isinstance(use, Use) and use.at):
        lemma = derivation if use.of is None else use.of()
        spoken = [as_expression(side) for side in _sides(lemma, use.step) if side is not None]
        for key, value in use.at.items():
            if key in placed(lemma) or not _is_placed(value, placed(derivation)) or not key.is_Symbol:
                continue
            if any(speaks(_without_coordinates(call), key) for side in spoken for call in _sums(side)):
                yield f"{key} is one number in the sums of {use.step!r}, and {value} speaks of one coordinate"


def _sides(derivation: Derivation, name: str) -> tuple[Any, ...]:
    found = derivation.used(Use(name))
    return () if found is None else (found.lhs, found.rhs)


def placed(derivation: Derivation) -> frozenset[Any]:
    """The names that stand for something of one coordinate, by definitions or because a fact brings them in there."""
    if derivation not in _PLACED:
        found: set[Any] = set()
        for use in (use for step in derivation.steps for one in steps_in(step) for use in one.premises):
            if isinstance(use, Use) and use.of is not None:
                found |= placed(use.of()) - set(use.at)
        brought = _brought_by_facts(derivation)
        known = [({name}, {"": meant}) for name, meant in names_of(derivation).items() if isinstance(name, sp.Symbol)]
        while True:
            more = {
                name
                for names, letters in (*known, *brought)
                if any(_is_placed(value, found) for value in letters.values())
                for name in names
                if isinstance(name, sp.Symbol)
            }
            if more <= found:
                break
            found |= more
        _PLACED[derivation] = frozenset(found)
    return _PLACED[derivation]


def _brought_by_facts(derivation: Derivation) -> list[tuple[set[Any], Mapping[str, Any]]]:
    """What each fact says to exist, and its letters."""
    return [
        ({one.letters[name] for name in FACTS[one.fact].brings}, one.letters)
        for step in derivation.steps
        for one in steps_in(step)
        if one.fact in FACTS and set(one.letters) == set(FACTS[one.fact].letters)
    ]


def _is_placed(value: Any, names: Iterable[Any]) -> bool:
    """Whether an expression, or one of several, speaks of one coordinate, or of a name of such a one."""
    if isinstance(value, (tuple, list)):
        return any(_is_placed(one, names) for one in value)
    if not isinstance(value, sp.Basic):
        return False
    rest = _beside_sums(value)
    return bool(rest.free_symbols & set(names)) or any(str(call.func) == "coordinate" for call in _calls(rest))


def _calls(side: Any) -> set[Any]:
    return set(side.atoms(AppliedUndef)) if isinstance(side, (sp.Basic, sp.MatrixBase)) else set()


def _sums(side: Any) -> list[Any]:
    return [call for call in _calls(side) if str(call.func) in OVER_COORDINATES]


def _beside_sums(side: Any) -> Any:
    """An expression without its sums over all coordinates, and without vectors as a quantity has them."""
    vectors = [
        (call, call.args[QUANTITIES[str(call.func)].vectors :])
        for call in _calls(side)
        if str(call.func) in QUANTITIES and QUANTITIES[str(call.func)].vectors
    ]
    gone = {call: sp.Dummy(real=True) for call in _sums(side)}
    return side.xreplace({**{call: sp.Function("of_vectors", real=True)(*rest) for call, rest in vectors}, **gone})


def _without_coordinates(side: Any) -> Any:
    return side.xreplace({call: sp.Dummy(real=True) for call in _calls(side) if str(call.func) == "coordinate"})


def _base(letter: Any) -> Any:
    return letter if letter.is_commutative else base_letter(letter)


def variables(derivation: Derivation) -> set[Any]:
    """The symbols of variables of the claims that it concludes."""
    return {symbol for end in derivation.concludes for symbol in end.symbols.values()}


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
    return found.union(*(_brought_in(use.of()) for use in uses if use.of is not None)) - variables(derivation)


def _of_arguments(derivation: Derivation, step: Step, fact: Fact, behind: Mapping[Any, set[Any]]) -> Iterator[str]:
    """What is shown for every value of an argument must not rest on what is known of one of its values."""
    over = {name: step.letters[name] for name in _GOES_OVER if name in step.letters}
    if odd := [name for name, symbol in over.items() if not isinstance(symbol, sp.Symbol)]:
        yield f"{odd[0]!r} is {over[odd[0]]}, and no symbol, over which a fact could go"
        return
    for distance, held_by in _distances_in(step.letters, fact, behind):
        yield f"{held_by} speaks of {distance}, over which the fact goes"
    for argument in over.values():
        for node in (node for value in step.letters.values() for node in binders(value)):
            if isinstance(node, AppliedUndef) and argument in bound(node):  # what is put in would be put under it
                yield f"{node.func} goes over {argument}, which the fact goes over"
        for name, symbols in behind.items():
            if argument in symbols and any(speaks(value, name) for value in step.letters.values()):
                yield f"{name} stands for what depends on {argument}, which the fact goes over"
    sides = (step.lhs, step.rhs) if derivation.concludes else ()
    places = set().union(*(bound(node) for side in sides for node in binders(side)))
    for name in _NUMBERS:
        if held := _symbols(step.letters.get(name)) & places:
            yield f"{name!r} depends on {min(held, key=str)}, over which the fact goes"
        for other, symbols in behind.items():
            if x in symbols and name in step.letters and speaks(step.letters[name], other):
                yield f"{name!r} is {other}, which depends on the point x"
    for condition, shown in step.conditions.items():
        known = derivation.fixed_in(shown) if isinstance(shown, Step) else derivation.fixed(shown)
        for argument in (_everywhere(fact, condition, step.letters, over) | places) - {anything}:
            if argument in known:
                yield f"condition {condition!r} is shown at one {argument} alone"


def _distances_in(letters: Mapping[str, Any], fact: Fact, behind: Mapping[Any, set[Any]]) -> Iterator[tuple[Any, Any]]:
    """Distances, or an angle, by which the fact reaches every point, and the letter or the name in it that speaks of
    them: what is shown with such a letter is shown of one point.
    """
    by = _DISTANCES | _symbols(letters.get("angle"))
    others = {name: value for name, value in letters.items() if name != "angle"}
    found = [(one, repr(name)) for name, value in others.items() for one in _symbols(value) & by]
    for name, symbols in behind.items():
        if symbols & by and any(speaks(value, name) for value in others.values()):
            found += [(one, str(name)) for one in symbols & by]
    if not found:
        return
    fresh = {one: sp.Dummy(one.name, **one.assumptions0) for one in by}
    plain = {**letters, **{name: _renamed(value, fresh) for name, value in others.items()}}
    said = [fact.instance(plain), *(condition(plain) for condition in fact.required.values())]
    sides = [as_expression(side) for left, _, right in said for side in (left, right) if side is not None]
    own = by & set().union(*(side.free_symbols for side in sides))
    yield from ((one, held_by) for one, held_by in found if one in own)


def _renamed(value: Any, names: Mapping[Any, Any]) -> Any:
    """A letter, which may be several expressions, with other symbols in it."""
    if isinstance(value, (tuple, list)):
        return type(value)(_renamed(one, names) for one in value)
    return value.xreplace(names) if isinstance(value, (sp.Basic, sp.MatrixBase)) else value


def _of_jumps(derivation: Derivation, step: Step) -> Iterator[str]:
    """What in a letter is not continuous in what the fact goes over: a slope says nothing of what it does there."""
    if step.fact in _POINT_BY_POINT:
        return
    over = {step.letters[name] for name in _GOES_OVER if isinstance(step.letters.get(name), sp.Symbol)}
    for name, value in step.letters.items():
        for jump in sorted(jumps(value, over | {between_0_and_1}, names_of(derivation)), key=str):
            yield f"{name!r} has {jump}, which may jump"


def jumps(value: Any, over: set[Any], names: Mapping[Any, Any]) -> set[Any]:
    """The parts of an expression, and of what its names stand for, that jump as one of the symbols `over` moves."""
    if not isinstance(value, sp.Basic):
        return set()
    found = {one for one in value.atoms(*JUMPING) if one.free_symbols & over}
    left = {name: meant for name, meant in names.items() if not speaks(value, name)}
    for name in names.keys() - left.keys():
        moved = {one for call in _calls_of(value, name) if _atoms(call) & over for one in _atoms(name)}
        found |= jumps(names[name], over | moved, left)
    return found


def _calls_of(value: Any, name: Any) -> Iterator[Any]:
    """The calls of a function that is a name; none where it is a symbol."""
    if isinstance(name, AppliedUndef):
        yield from (call for call in value.atoms(AppliedUndef) if call.func == name.func)


def _known(derivation: Derivation) -> set[Any]:
    """What is something already: variables, names, and what hypotheses speak of."""
    assumed = {one for h in derivation.hypotheses if isinstance(h, Hypothesis) for one in _symbols(h.relation)}
    return variables(derivation) | set(derivation.names) | assumed


def _of_existence(derivation: Derivation, step: Step, fact: Fact) -> Iterator[str]:
    """What a fact brings in is nothing that was known, and one thing."""
    known = _known(derivation)
    for letter in (step.letters[name] for name in fact.brings):
        if not isinstance(letter, sp.Symbol | AppliedUndef) or _base(letter) in known:
            yield f"{letter} is said to exist, and is known to be something else"
    for name in fact.brings:
        letter = step.letters[name]
        odd = [one for one in ASSUMPTIONS if one != "real" and getattr(letter, f"is_{one}", None) is True]
        if odd and not (name in fact.not_negative and (odd == ["nonnegative"] or name in _POSITIVE)):
            yield f"{letter} is said to exist, and nothing says that it is {odd[0]}"
    for one in derivation.steps:
        if one.kind == "fact" and one.fact in FACTS and one.letters != step.letters:
            same = {one.letters[name] for name in FACTS[one.fact].brings} & {step.letters[name] for name in fact.brings}
            if same:
                yield f"{min(same, key=str)} is said to exist twice"


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
                spoken = use.of().step(use.step)
                for letter, source in said_to_exist(use.of()).items():
                    if any(speaks(side, letter) for side in (spoken.lhs, spoken.rhs)):
                        yield letter, source


def _of_draws(derivation: Derivation, step: Step, fact: Fact) -> Iterator[str]:
    """What a fact says to be drawn is nothing that is known, and no number of a fact is drawn."""
    for name in fact.draws:
        if not _atoms(step.letters[name]) - variables(derivation):
            yield f"{step.letters[name]} is said to be drawn, and is known to be something else"
    random = _drawn_letters(derivation)
    for name in sorted({*_NUMBERS, *_HELD} - set(fact.draws)):
        value = step.letters.get(name)
        if held := [one for one in random if isinstance(value, sp.Basic) and value.has(one)]:
            yield f"{held[0]} is drawn, and {name!r} is a number"
    if step.fact == "bounded differences":
        formula, share = as_expression(step.letters["formula"]), step.letters["share"]
        if held := [one for one in random if one != share and formula.has(one)]:
            yield f"{held[0]} is drawn, and 'formula' is of the draws of {share} alone"


def _everywhere(fact: Fact, condition: str, letters: Mapping[str, Any], over: Mapping[str, Any]) -> set[Any]:
    """The symbols for all values of which a condition has to hold: arguments that it looks at, and own ones."""
    if condition not in fact.required:
        return set(over.values())
    seen = _Watched(letters)
    left, _, right = fact.required[condition](seen)
    spoken = set().union(*(as_expression(side).free_symbols for side in (left, right) if side is not None))
    given = set().union(*(_symbols(value) for value in letters.values()))
    return {one for name, one in over.items() if name in seen.names and one in spoken} | (spoken - given)


class _Watched(dict[str, Any]):
    """Letters, and which of them were asked for."""

    def __init__(self, letters: Mapping[str, Any]) -> None:
        super().__init__(letters)
        self.names: set[str] = set()

    def __getitem__(self, name: str) -> Any:
        self.names.add(name)
        return super().__getitem__(name)


def _symbols(value: Any) -> set[Any]:
    """The symbols of a letter, which may be several expressions, or a functional."""
    if isinstance(value, (tuple, list)):
        return set().union(*map(_symbols, value))
    return set(value.free_symbols) if isinstance(value, (sp.Basic, sp.MatrixBase)) else set()


def _of_lemmas(derivation: Derivation, k: int) -> Iterator[str]:
    """A name of a lemma is the same name here, and no variable."""
    names = names_of(derivation)
    here = {step.lhs for step in derivation.steps if step.kind == "definition"}
    own, known = variables(derivation), _known(derivation)
    for one in steps_in(derivation.steps[k]):
        for use in one.premises:
            if not isinstance(use, Use) or use.of is None:
                continue
            try:
                lent = list(_lent(use, use.of()))
            except InputError as error:  # said of the use itself
                yield str(error)
                continue
            spoken = use.of().step(use.step)
            for letter in (_brought_in(use.of()) & own) - set(use.at):
                if any(speaks(side, letter) for side in (spoken.lhs, spoken.rhs)):
                    yield f"{letter}, a variable here, is brought in by lemma {use.of().id}"
            for letter, source in said_to_exist(use.of()).items():
                if any(speaks(side, letter) for side in (spoken.lhs, spoken.rhs)):
                    if letter in known:
                        yield f"{letter} is said to exist by lemma {use.of().id}, and is known to be something else"
                    elif said_to_exist(derivation)[letter] is not source:
                        yield f"{letter} is said to exist twice"
            for name, meant in lent:
                if names[name] != meant:
                    yield f"{name} is not what it is in lemma {use.of().id}"
                elif name in own and name not in here:
                    yield f"{name}, a variable here, is a name in lemma {use.of().id}"
