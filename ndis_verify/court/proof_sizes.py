"""That vectors and matrices of a proof fit together: the sizes of the statement's variables give those of all others.

The letters of block algebras have no shapes. `scalar(B^T B)` would make a number of any matrix, and `B^T B` a multiple
of the identity.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import pairwise
from typing import Any

import sympy as sp
from sympy.core.function import AppliedUndef

from ndis_verify.statements.shapes import Shape
from ndis_verify.symbolic.block_algebra import inverse
from ndis_verify.symbolic.derivation import Derivation, Step, Use, steps_in
from ndis_verify.symbolic.notation import det, each, pull, scalar, trace, transpose
from ndis_verify.symbolic.scopes import OF_A_VECTOR, OVER_COORDINATES
from ndis_verify.symbolic.statement_terms import SIZES
from ndis_verify.symbolic.transposes import base_letter, is_marked

_Size = tuple[Any, Any]  # rows and columns: numbers, or what stands for one that is not known
_OF_ONE = (scalar, type(pull(sp.Symbol("s"))))
_OF_SQUARES = (det, trace)
_PLACES = "coordinates"  # over which every sum goes: all vectors by their coordinates have as many


class Misfit(Exception):
    """Arrays that do not fit together."""


def misfit(derivation: Derivation, symbols: Mapping[str, Any], shapes: Mapping[str, Shape]) -> str:
    """What does not fit together in a proof whose variables have these shapes."""
    arrays = {name: symbol for name, symbol in symbols.items() if shapes.get(name, ()) or not symbol.is_commutative}
    return _misfit(derivation, tuple((symbol, shapes[name]) for name, symbol in arrays.items() if name in shapes))


@lru_cache(maxsize=512)  # a statement and its faults have the same variables
def _misfit(derivation: Derivation, arrays: tuple[tuple[Any, Shape], ...]) -> str:
    sizes = _Sizes()
    try:
        for symbol, shape in arrays:
            rows, columns = (*(sp.Symbol(f"size {size}") for size in shape), 1)[:2]  # whatever it is searched at
            if symbol.is_commutative:
                sizes.same((_PLACES, 1), (rows, columns))
            else:
                sizes.same(sizes.of_letter(symbol), (rows, columns))
        for name, sides in _spoken(derivation, {}, set()):
            sizes.at = name
            for side in sides:
                sizes.alike(side)
        sizes.settle()
    except Misfit as error:
        return str(error)
    return ""


def _spoken(
    derivation: Derivation, at: Mapping[Any, Any], seen: set[tuple[Derivation, frozenset[tuple[Any, Any]]]]
) -> Iterator[tuple[str, list[tuple[Any, ...]]]]:
    """The name of each step, and what has one size in it, lemmas at what is put into them: once at the same arrays."""
    if (derivation, frozenset(at.items())) in seen:
        return
    seen.add((derivation, frozenset(at.items())))
    for h in derivation.hypotheses:
        relation = getattr(h, "relation", None)
        if isinstance(relation, sp.core.relational.Relational):
            yield "hypotheses", [(_at(relation.lhs, at), _at(relation.rhs, at))]
    for step in (one for stated in derivation.steps for one in steps_in(stated)):
        yield step.name, [tuple(_at(side, at) for side in group) for group in _groups(derivation, step)]
        for use in (use for use in step.premises if isinstance(use, Use)):
            values = {key: _at(value, at) for key, value in use.at.items()}
            in_vectors = [value for key, value in values.items() if _is_vector(key)]
            yield step.name, [(value, sp.Dummy("v", commutative=False)) for value in in_vectors]
            if use.of is not None:
                yield step.name, [(value,) for value in values.values()]
                arrays = {key: value for key, value in values.items() if not key.is_commutative}
                yield from _spoken(use.lemma, {**at, **arrays}, seen)


def _groups(derivation: Derivation, step: Step) -> Iterator[tuple[Any, ...]]:
    yield from ((value,) for value in step.letters.values() if isinstance(value, sp.Basic))
    if step.fact == "density of a normal law by its precision":
        yield step.letters["N"], step.letters["M"]
    if step.lhs is None:
        return
    products = []
    for use in step.premises:
        if isinstance(use, Use) and use.between is not None:
            found = derivation.used(use)
            if found is not None and found.lhs is not None:
                products += [use.between[0] * side * use.between[1] for side in (found.lhs, found.rhs)]
    yield (step.lhs, step.rhs, *products)


def _is_vector(key: Any) -> bool:
    return bool(key.is_Symbol and not key.is_commutative and key.name[0].islower() and not is_marked(key))


def _at(side: Any, values: Mapping[Any, Any]) -> Any:
    if not isinstance(side, sp.Basic) or _letters(side).isdisjoint(values):
        return side
    return side.xreplace(dict(values))


@lru_cache(maxsize=50_000)
def _letters(side: Any) -> frozenset[Any]:
    """The arrays that an expression speaks of: most have none."""
    return frozenset(one for one in side.free_symbols if not one.is_commutative)


class _Sizes:
    """Sizes of what was met, as far as they are known."""

    def __init__(self) -> None:
        self.at = ""
        self._same: dict[Any, Any] = {}
        self._of: dict[Any, _Size] = {}
        self._of_constants = False
        self._written: set[Any] = set()
        self._sums: list[tuple[Any, list[Any]]] = []

    def same(self, one: _Size, other: _Size) -> None:
        for a, b in zip(one, other, strict=True):
            self._unite(a, b)

    def alike(self, sides: tuple[Any, ...]) -> None:
        """That expressions have one size; numbers are multiples of the identity beside arrays."""
        self._places(sides)
        arrays = [size for side in sides if (size := self.of(side)) is not None]
        for one in arrays[1:]:
            self.same(arrays[0], one)
        if arrays and any(self.of(side) is None and side != 0 for side in sides):
            self._unite(*arrays[0])

    def settle(self) -> None:
        """That there is one number of coordinates where a sum of constants, which has as many terms, is spoken of; that
        the blocks beside or above one another are together as large as the whole, where all are known.
        """
        for number in self._written if self._of_constants else ():
            self._unite(_PLACES, number)
        for whole, parts in self._sums:
            known = [self._find(part) for part in parts]
            if all(isinstance(part, sp.Expr) for part in known):
                self._unite(whole, sum(known))

    def of(self, array: Any) -> _Size | None:
        """The size of an array made of letters; None of a number. Looks into whatever it is made of."""
        if not isinstance(array, sp.Basic):
            return None
        if array not in self._of:
            self._of[array] = self._looked_at(array)
        return self._of[array]

    def _looked_at(self, array: Any) -> Any:
        if array.is_Symbol:
            return None if array.is_commutative else self.of_letter(array)
        if array.is_Add and not array.is_commutative:
            self.alike(array.args)
            return next((size for arg in array.args if (size := self.of(arg)) is not None), None)
        if array.is_Mul and not array.is_commutative:
            return self._of_product([size for arg in array.args if (size := self.of(arg)) is not None])
        inner = [self.of(arg) for arg in array.args]
        if array.is_Pow and inner[0] is not None:
            if array.exp != 1:
                self._unite(*inner[0])
            return inner[0]
        if isinstance(array, (inverse, *_OF_SQUARES)) and inner[0] is not None:
            self._unite(*inner[0])
        head = str(array.func) if isinstance(array, AppliedUndef) else ""
        if head in ("det", "trace", *SIZES) and inner[0] is None:
            raise Misfit(f"step {self.at!r}: {array} is of a number, which has no size")
        if isinstance(array, _OF_ONE) and inner[0] is not None:
            self.same(inner[0], (1, 1))
        if head == OF_A_VECTOR and inner[0] is not None:
            self._unite(_PLACES, inner[0][0])
        return self._of_call(array, inner) if isinstance(array, AppliedUndef) and not array.is_commutative else None

    def _places(self, sides: Iterable[Any]) -> None:
        """That vectors whose coordinates stand beside one another, or in one sum, have as many of them; a vector that
        is written by its coordinates has its own number of them beside no other.
        """
        vectors, waiting = set(), [*sides]
        while waiting:
            one = waiting.pop()
            if isinstance(one, AppliedUndef) and str(one.func) in OVER_COORDINATES:
                self._places(one.args)
                self._of_constants |= not any(str(call.func) == OF_A_VECTOR for call in one.atoms(AppliedUndef))
            elif isinstance(one, AppliedUndef) and str(one.func) == OF_A_VECTOR:
                vectors.add(one.args[0])
            elif isinstance(one, sp.Basic):
                waiting += one.args
        written = {len(one.args) if str(one.func) == "vector" else _PLACES for one in vectors}
        self._written |= written - {_PLACES}
        for number in written:
            self._unite(next(iter(written)), number)

    def of_letter(self, letter: Any) -> _Size:
        """The size of a letter that is no number."""
        if is_marked(letter):
            rows, columns = self.of_letter(base_letter(letter))
            return columns, rows
        return (letter, "rows"), 1 if letter.name[0].islower() else (letter, "columns")

    def _of_product(self, sizes: list[_Size]) -> _Size | None:  # SymPy calls no limit commutative, and it is a number
        for one, other in pairwise(sizes):
            self._unite(one[1], other[0])
        return (sizes[0][0], sizes[-1][1]) if sizes else None

    def _of_call(self, call: Any, inner: list[Any]) -> Any:
        if isinstance(call, inverse):
            return inner[0]
        if isinstance(call, transpose):
            return inner[0][::-1]
        if isinstance(call, each):
            return inner[-1]
        head = str(call.func)
        if head in ("above", "beside"):
            blocks = [(1, 1) if size is None else size for size in inner]
            if head == "above":
                return self._stacked(call, [size[::-1] for size in blocks])[::-1]
            return self._stacked(call, blocks)
        if head == "logistic_fit":
            return inner[0][1], 1
        return (call, "rows"), (call, "columns")

    def _stacked(self, call: Any, blocks: list[_Size]) -> _Size:
        """Of blocks side by side, which have one number of rows."""
        for one in blocks[1:]:
            self._unite(blocks[0][0], one[0])
        self._sums.append(((call, "all"), [columns for _, columns in blocks]))
        return blocks[0][0], (call, "all")

    def _find(self, size: Any) -> Any:
        size = sp.Integer(size) if isinstance(size, int) else size
        while size in self._same:
            size = self._same[size]
        return size

    def _unite(self, one: Any, other: Any) -> None:
        one, other = self._find(one), self._find(other)
        if one == other:
            return
        if isinstance(one, sp.Expr) and isinstance(other, sp.Expr):
            raise Misfit(f"step {self.at!r}: a size is {one} and {other}")
        if isinstance(one, sp.Expr):
            one, other = other, one
        self._same[one] = other
