"""Whether what a proof says of numbers is true at points, in digits, where all that it rests on holds.

The steps decide themselves by symbols; here each relation between numbers is looked at once more, by other means. It
refuses and grants nothing. It says nothing of what facts say to exist or tell of a function, of integrals and limits,
and of what rests on a hypothesis whose truth at a point cannot be told; a function of which nothing is known is any
number.
"""

from __future__ import annotations

import operator
import random
from collections.abc import Iterable, Iterator, Mapping
from typing import Any
from weakref import WeakKeyDictionary

import mpmath
import sympy as sp
from sympy.core.function import AppliedUndef

from ndis_verify.court.proof_names import names_of, said_to_exist
from ndis_verify.court.proof_reductions import VISIBLE, may_be, rational_roots, wide
from ndis_verify.court.proof_values import where_alone
from ndis_verify.symbolic.derivation import DECIDED, Derivation, Hypothesis, Step, Use, steps_in
from ndis_verify.symbolic.notation import anything, det, diagonal, inverse, positive_definite, scalar, trace, transpose
from ndis_verify.symbolic.scopes import OF_A_VECTOR, OVER_COORDINATES, binders, bound
from ndis_verify.symbolic.special_functions import Pg, Qg
from ndis_verify.symbolic.transposes import base_letter
from ndis_verify.symbolic.zero import SAMPLE_DIGITS, STABLE, any_value, as_expression, value_at

_POINTS = 20  # at which a relation is looked at
_DRAWN = 60  # of which the hypotheses hold at some
_HOLDS = {">": operator.gt, ">=": operator.ge, "<": operator.lt, "<=": operator.le, "=": operator.eq}
_CORNERS = tuple(map(sp.Integer, (0, 0, 1, -1, 2, -2)))
_DEEP = 20  # names that are made of names
_ASSUMED = {"positive": ">", "nonnegative": ">=", "negative": "<", "nonpositive": "<="}
_SAME = lambda number: number  # noqa: E731
_OF_AN_ARRAY = {
    **dict.fromkeys((transpose, scalar, det, trace, diagonal), _SAME),
    inverse: lambda number: 1 / number,
}
_OF_COORDINATES = {OF_A_VECTOR, *OVER_COORDINATES}
_NUMBERS: WeakKeyDictionary[Derivation, dict[Any, Any]] = WeakKeyDictionary()
_UNREAD = (sp.Integral, sp.Sum, sp.Product, sp.Limit, sp.Derivative, sp.Subs, sp.zoo, sp.nan)


def point_problems(derivation: Derivation, step: Step, rests_on: Iterable[str]) -> Iterator[str]:
    """Whether the relation of a step is false at a point; `rests_on`: the steps and hypotheses on its paths."""
    if step.kind not in (*DECIDED, "fact") or step.lhs is None:
        return
    found = _in_numbers(derivation, step, set(rests_on))
    if found is None:
        return
    gap, within = found
    strict = step.relation in ("<", ">") and _is_flat(step)  # zero vectors are looked at by other rules
    if strict and 0 in (sp.expand(gap), sp.cancel(gap)):
        yield "both sides are one"
        return
    for point in _points(gap, within):
        if _is_false(gap, step.relation, point) or (strict and _value(gap, point) == 0 and gap.subs(point) == 0):
            at = ", ".join(f"{one} = {value}" for one, value in point.items())
            yield f"is false at {at}" if at else "is false"
            return


def _in_numbers(derivation: Derivation, step: Step, rests_on: set[str]) -> tuple[Any, list[tuple[Any, str]]] | None:
    """The difference of the sides with what its names mean, and the relations to 0 under which it holds: hypotheses,
    and what is assumed of names. None where one of them is of more than numbers.
    """
    reached = [one for one in derivation.steps if one.name in rests_on]
    if any(one.algebra is not None for one in reached) and not _is_flat(step):
        return None  # its rules may say what arrays are
    if any(one.lhs is None and one.name in _granting(derivation) for one in reached):
        return None  # words of a lemma about what is spoken of
    written = _Written(_numbers_of(derivation))
    relations: list[Any] = []
    for one in derivation.hypotheses:
        text, relation = (one.text, one.relation) if isinstance(one, Hypothesis) else (one, None)
        if text not in rests_on or relation == sp.true:
            continue
        if isinstance(relation, positive_definite):
            relation = Step("", "", relation.args[0], 0, ">", kind="definition")
        else:
            relation = derivation.supposed(text)
        if relation is None:
            return None
        if not (relation.relation == "=" and written.say(relation.lhs, relation.rhs)):
            relations.append(relation)
    relations += where_alone(derivation).get(step.name, [])
    if all(end.part for end in derivation.concludes):
        relations += [Step("", "", one.lhs, one.rhs, one.rel_op, kind="definition") for one in derivation.domain]
    gap = written.gap(step, _constrained(derivation, reached))
    within = [(bound, one.relation) for one in relations for bound in _of_any(written.gap(one))]
    within += [(written.out(bound), relation) for bound, relation in written.all_assumed()]
    existing = set(map(_of_one_dimension, said_to_exist(derivation)))
    if any(one is None or one.free_symbols & existing for one in (gap, *(bound for bound, _ in within))):
        return None
    everywhere = [(_at_place(bound, place), relation) for bound, relation in within for place in (1, 2)]
    return _at_place(gap, 1), list(dict.fromkeys(everywhere))


def _constrained(derivation: Derivation, reached: Iterable[Step]) -> set[Any]:
    """The functions that a step rests on something about: facts, definitions and hypotheses, those of lemmas too."""
    said: list[Any] = [getattr(one, "relation", None) for one in derivation.hypotheses]
    for one in (one for step in reached for one in steps_in(step)):
        if one.kind in ("fact", "definition", "argument"):
            said += [one.lhs, one.rhs]
        for use in one.premises:
            if isinstance(use, Use) and use.of is not None:
                said += [side for step in use.lemma.steps for side in (step.lhs, step.rhs)]
                said += use.at.values()
    spoken = [one for one in said if isinstance(one, (sp.Basic, sp.MatrixBase))]
    return {call.func for one in spoken for call in one.atoms(AppliedUndef)}


def _of_any(relation: Any) -> list[Any]:
    """What holds for any vector, at some that are numbers."""
    any_number = _of_one_dimension(anything)
    if relation is None or not relation.has(any_number):
        return [relation]
    return [relation.subs(any_number, value) for value in (1, -1, 3)]


def _is_flat(step: Step) -> bool:
    """Whether the sides are of numbers alone."""
    return all(_of_one_dimension(side) == as_expression(side) for side in (step.lhs, step.rhs))


def _granting(derivation: Derivation) -> set[str]:
    """What shows the hypotheses of lemmas that are named otherwise here."""
    used = (use for step in derivation.steps for use in step.premises if isinstance(use, Use))
    return {name for use in used for name in use.granted.values()}


def _of_one_dimension(value: Any) -> Any:
    """With numbers in the place of arrays, which they are where all sizes are 1."""
    value = as_expression(value)
    if isinstance(value, sp.Symbol):
        return value if value.is_commutative else sp.Symbol(base_letter(value).name, real=True)
    if not isinstance(value, sp.Expr) or not value.args or (not value.has(*_OF_AN_ARRAY) and value.is_commutative):
        return value
    parts = [_of_one_dimension(part) for part in value.args]
    number = _OF_AN_ARRAY.get(value.func)
    return value.func(*parts) if number is None else number(*parts)


def _numbers_of(derivation: Derivation) -> dict[Any, Any]:
    """What names stand for where all sizes are 1."""
    if derivation not in _NUMBERS:
        numbers = {_of_one_dimension(name): _of_one_dimension(value) for name, value in names_of(derivation).items()}
        _NUMBERS[derivation] = {name: value for name, value in numbers.items() if name != value}
    return _NUMBERS[derivation]


class _Written:
    """What is written with names, written out; and the relations to 0 that are assumed of the names in it."""

    def __init__(self, meant: Mapping[Any, Any]) -> None:
        self.meant = dict(meant)
        self.assumed: dict[tuple[Any, str], None] = {}

    def say(self, symbol: Any, value: Any) -> bool:
        """Take an equation for what a symbol means; whether it can be taken so."""
        symbol = _of_one_dimension(symbol)
        if not isinstance(symbol, sp.Symbol) or symbol in self.meant:
            return False
        written = self.out(value)
        if written is None or written.has(symbol):
            return False
        self.meant[symbol] = written
        return True

    def gap(self, step: Step, constrained: Iterable[Any] | None = None) -> Any:
        """The difference of the sides of a step, written out; a call of a function that is not `constrained` is any
        number that it may be, if the function is called once.
        """
        sides = as_expression(step.lhs), as_expression(step.rhs)
        if not all(isinstance(side, sp.Expr) for side in sides):
            return None
        gap = sides[0] - sides[1]
        if constrained is not None:
            calls = sorted(gap.atoms(AppliedUndef), key=str)
            heads = [call.func for call in calls]
            known = {*_OF_AN_ARRAY, *(head for head in heads if str(head) in _OF_COORDINATES), *constrained}
            free = [one for one in calls if one.func not in known and heads.count(one.func) == 1 and not bound(one)]
            gap = gap.xreplace({call: any_value(call, number) for number, call in enumerate(free)})
        return self.out(gap)

    def out(self, value: Any) -> Any:
        """`value` written out; None where more than symbols and known functions of them is left."""
        value = _of_one_dimension(value)
        if not isinstance(value, sp.Expr):
            return None
        if not self._is_known(value):
            value = sp.expand(value)  # what is unknown may cancel
        for _ in range(_DEEP):
            if not self._is_known(value):
                return None
            names = self._names(value)
            if not names:
                return value
            for name in names:
                value = self._without(name, value)
        return None

    def all_assumed(self) -> Iterator[tuple[Any, str]]:
        """What is assumed of names so far, and of those that these are made of."""
        seen: set[tuple[Any, str]] = set()
        while more := [one for one in self.assumed if one not in seen]:
            seen.update(more)
            yield from more

    def _is_known(self, value: Any) -> bool:
        if not isinstance(value, sp.Expr) or value.has(*_UNREAD) or any(binders(value)):
            return False
        functions = {call.func for call in value.atoms(AppliedUndef) if str(call.func) not in _OF_COORDINATES}
        if functions - {name.func for name in self.meant if isinstance(name, AppliedUndef)}:
            return False
        return all(one.is_commutative for one in value.free_symbols)

    def _names(self, value: Any) -> list[Any]:
        return [name for name in self.meant if value.has(name if isinstance(name, sp.Symbol) else name.func)]

    def _without(self, name: Any, value: Any) -> Any:
        """`value` with what a name means in its place, and what is assumed of it noted."""
        for call in [name] if isinstance(name, sp.Symbol) else value.atoms(name.func):
            meant = self.meant[name]
            if call != name:
                meant = meant.subs(dict(zip(name.args, call.args, strict=True)), simultaneous=True)
            value = value.xreplace({call: meant})
            for assumed, relation in _ASSUMED.items():
                if getattr(call, f"is_{assumed}"):
                    self.assumed[(meant, relation)] = None
        return value


def _at_place(value: Any, place: int) -> Any:
    """With numbers for the coordinates of vectors, of which there are two: of what is said of each those at a place."""
    head = str(value.func) if isinstance(value, AppliedUndef) else ""
    if head == OF_A_VECTOR:
        return sp.Symbol(f"{value.args[0]}[{place}]", real=True)
    if head in OVER_COORDINATES:
        both = (_at_place(value.args[0], one) for one in (1, 2))
        return sp.Add(*both) if head == "sum" else sp.Mul(*both)
    return value.func(*(_at_place(part, place) for part in value.args)) if value.has(AppliedUndef) else value


def _points(gap: Any, within: Iterable[tuple[Any, str]]) -> Iterator[dict[sp.Symbol, sp.Rational]]:
    """Points near and far and at small whole numbers, the same on every run, at which the hypotheses hold."""
    drawn = random.Random(str(gap))
    symbols = sorted(gap.free_symbols.union(*(one.free_symbols for one, _ in within)), key=str)
    equations = [one for one, relation in within if relation == "="]
    found = 0
    for _ in range(_DRAWN if symbols else 1):
        point = {one: wide(one, drawn) for one in symbols}
        corner = {one: drawn.choice(_CORNERS) for one in symbols if drawn.getrandbits(1)}
        point |= {one: value for one, value in corner.items() if may_be(one, value)}
        for met in _meeting(equations, point):
            if all(_holds(one, relation, met) for one, relation in within):
                yield met
                found += 1
                if found == _POINTS:
                    return


def _meeting(equations: Iterable[Any], point: dict[sp.Symbol, sp.Rational]) -> Iterator[dict[sp.Symbol, sp.Rational]]:
    """The point, and those that meet one of the equations, where it has rational roots, in one symbol."""
    yield point
    for equation in equations:
        for symbol in (one for one in equation.free_symbols if equation.is_polynomial(one)):
            rest = equation.subs({one: value for one, value in point.items() if one != symbol})
            yield from ({**point, symbol: root} for root in rational_roots(rest, symbol) if may_be(symbol, root))


def _holds(gap: Any, relation: str, point: Mapping[sp.Symbol, sp.Rational]) -> bool:
    value = _value(gap, point)
    return value is not None and mpmath.im(value) == 0 and _HOLDS[relation](mpmath.re(value), 0)


def _is_false(gap: Any, relation: str, point: Mapping[sp.Symbol, sp.Rational]) -> bool:
    """Whether the difference of the sides has another sign, in digits that stay at twice as many."""
    value = _value(gap, point)
    if value is None or mpmath.im(value) != 0 or abs(value) <= VISIBLE or _HOLDS[relation](mpmath.re(value), 0):
        return False
    finer = _value(gap, point, 2 * SAMPLE_DIGITS)
    return finer is not None and bool(abs(value - finer) < STABLE * abs(finer))


def _value(gap: Any, point: Mapping[sp.Symbol, sp.Rational], digits: int = SAMPLE_DIGITS) -> Any:
    """None where it has none, or an incomplete gamma function is asked for at no positive numbers."""
    of_gamma = {argument for call in gap.atoms(Pg, Qg) for argument in call.args}
    if not all(_holds(argument, ">", point) for argument in of_gamma):
        return None
    try:
        return value_at(gap, point, digits)
    except RecursionError:  # of mpmath, in functions of complex places
        return None
