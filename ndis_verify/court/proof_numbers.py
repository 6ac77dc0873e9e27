"""What a proof says where all arrays are of size 1: relations of numbers, in which names are written out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import sympy as sp
from sympy.core.function import AppliedUndef

from ndis_verify.court.proof_names import names_of
from ndis_verify.symbolic.derivation import Derivation, Step
from ndis_verify.symbolic.notation import anything, det, diagonal, inverse, scalar, trace, transpose
from ndis_verify.symbolic.scopes import OF_A_VECTOR, OVER_COORDINATES, binders, bound
from ndis_verify.symbolic.transposes import base_letter
from ndis_verify.symbolic.zero import any_value, as_expression

Bound = tuple[Any, str]  # something, and its relation to 0

_DEEP = 20  # names that are made of names
_ASSUMED = {"positive": ">", "nonnegative": ">=", "negative": "<", "nonpositive": "<="}
_SAME = lambda number: number  # noqa: E731
_OF_AN_ARRAY = {
    **dict.fromkeys((transpose, scalar, det, trace, diagonal), _SAME),
    inverse: lambda number: 1 / number,
}
_OF_COORDINATES = {OF_A_VECTOR, *OVER_COORDINATES}
_UNREAD_KINDS = (sp.Integral, sp.Sum, sp.Product, sp.Limit, sp.Derivative, sp.Subs)
_UNREAD = (*_UNREAD_KINDS, sp.zoo, sp.nan)


class Written(NamedTuple):
    """What is left of something without names, None where that is more than symbols and known functions of them; and
    what is assumed of the names.
    """

    value: Any
    assumed: tuple[Bound, ...] = ()


class Names:
    """What names stand for. What is written with them is written out once."""

    def __init__(self, meant: Mapping[Any, Any]) -> None:
        self._meant = dict(meant)
        self._written: dict[Any, Written] = {}

    def say(self, symbol: Any, value: Any) -> bool:
        """Take an equation for what a symbol means; whether it can be taken so."""
        symbol = of_one_dimension(symbol)
        if not isinstance(symbol, sp.Symbol) or symbol in self._meant:
            return False
        written = self.out(value).value
        if written is None or written.has(symbol):
            return False
        self._meant[symbol] = written
        self._written.clear()
        return True

    def gap(self, step: Step, constrained: Iterable[Any] | None = None) -> Written:
        """The difference of the sides of a step, written out; a call of a function that is not `constrained` is any
        number that it may be, if the function is called once.
        """
        sides = as_expression(step.lhs), as_expression(step.rhs)
        if not all(isinstance(side, sp.Expr) for side in sides):
            return Written(None)
        gap = sides[0] - sides[1]
        if constrained is not None:
            calls = sorted(gap.atoms(AppliedUndef), key=str)
            heads = [call.func for call in calls]
            known = {*_OF_AN_ARRAY, *(head for head in heads if str(head) in _OF_COORDINATES), *constrained}
            free = [one for one in calls if one.func not in known and heads.count(one.func) == 1 and not bound(one)]
            gap = gap.xreplace({call: any_value(call, number) for number, call in enumerate(free)})
        return self.out(gap)

    def out(self, value: Any) -> Written:
        if value not in self._written:
            self._written[value] = self._out(of_one_dimension(value))
        return self._written[value]

    def all_assumed(self, assumed: Iterable[Bound]) -> list[Bound]:
        """What is assumed of names, written out."""
        return [(self.out(value).value, relation) for value, relation in dict.fromkeys(assumed)]

    def _out(self, value: Any) -> Written:
        if not isinstance(value, sp.Expr):
            return Written(None)
        if not self._is_known(value) and _has_twice(value):
            value = sp.expand(value)  # what is unknown may cancel
        assumed: list[Bound] = []
        for _ in range(_DEEP):
            if not self._is_known(value):
                break
            calls = [(name, call) for name in self._meant for call in self._calls(name, value)]
            if not calls:
                return Written(value, tuple(assumed))
            meant = {call: self._meaning(name, call) for name, call in calls}
            assumed += [
                (meant[call], relation)
                for call in meant
                for one, relation in _ASSUMED.items()
                if getattr(call, f"is_{one}")
            ]
            value = value.xreplace(meant)
        return Written(None)

    def _is_known(self, value: Any) -> bool:
        if not isinstance(value, sp.Expr) or value.has(*_UNREAD) or any(binders(value)):
            return False
        functions = {call.func for call in value.atoms(AppliedUndef) if str(call.func) not in _OF_COORDINATES}
        if functions - {name.func for name in self._meant if isinstance(name, AppliedUndef)}:
            return False
        return all(one.is_commutative for one in value.free_symbols)

    def _calls(self, name: Any, value: Any) -> Iterable[Any]:
        """Where a name stands in `value`."""
        if isinstance(name, sp.Symbol):
            return [name] if name in value.free_symbols else []
        return value.atoms(name.func)

    def _meaning(self, name: Any, call: Any) -> Any:
        meant = self._meant[name]
        return meant if call == name else meant.subs(dict(zip(name.args, call.args, strict=True)), simultaneous=True)


def _has_twice(value: Any) -> bool:
    """Whether one kind of what is unknown stands in it more than once."""
    unknown = (node.func for node in sp.preorder_traversal(value) if isinstance(node, (AppliedUndef, *_UNREAD_KINDS)))
    return any(times > 1 for times in Counter(unknown).values())


def numbers_of(derivation: Derivation) -> dict[Any, Any]:
    """What names stand for where all sizes are 1."""
    numbers = {of_one_dimension(name): of_one_dimension(value) for name, value in names_of(derivation).items()}
    return {name: value for name, value in numbers.items() if name != value}


def of_any(value: Any) -> list[Any]:
    """What holds for any vector, at some that are numbers."""
    if value is None or _ANY not in value.free_symbols:
        return [value]
    return [value.subs(_ANY, one) for one in (1, -1, 3)]


def is_flat(step: Step) -> bool:
    """Whether the sides are of numbers alone."""
    return all(of_one_dimension(side) == as_expression(side) for side in (step.lhs, step.rhs))


def of_one_dimension(value: Any) -> Any:
    """With numbers in the place of arrays, which they are where all sizes are 1."""
    value = as_expression(value)
    if isinstance(value, sp.Symbol):
        return value if value.is_commutative else _number_of(value)
    if not isinstance(value, sp.Expr) or not value.args or (not value.has(*_OF_AN_ARRAY) and value.is_commutative):
        return value
    parts = [of_one_dimension(part) for part in value.args]
    number = _OF_AN_ARRAY.get(value.func)
    return value.func(*parts) if number is None else number(*parts)


def _number_of(letter: sp.Symbol) -> sp.Symbol:
    """That of a letter and of its transpose; no other number bears its name."""
    return sp.Symbol(f"[{base_letter(letter).name}]", real=True)


_ANY = _number_of(anything)


def at_place(value: Any, place: int) -> Any:
    """With numbers for the coordinates of vectors, of which there are two: of what is said of each those at a place."""
    head = str(value.func) if isinstance(value, AppliedUndef) else ""
    if head == OF_A_VECTOR:
        return sp.Symbol(f"{value.args[0]}[{place}]", real=True)
    if head in OVER_COORDINATES:
        both = (at_place(value.args[0], one) for one in (1, 2))
        return sp.Add(*both) if head == "sum" else sp.Mul(*both)
    return value.func(*(at_place(part, place) for part in value.args)) if value.has(AppliedUndef) else value
