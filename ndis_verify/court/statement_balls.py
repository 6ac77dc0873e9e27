"""Statements in ball arithmetic: decided at an exact point, and enclosed over a box for the branch and bound.

Rational parts of a term stay Fractions, so that the arguments of the package's quantities, which take exact numbers,
are what the statement says and not a rounding of it. Where one of them is not rational the point is not decided.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from itertools import pairwise
from typing import Any, Literal

from flint import arb

from ndis_verify.court.certify import monotone
from ndis_verify.court.exact_points import Point, exact_text
from ndis_verify.court.quantities.exact import NotExact, Number, OutsideDomain, as_ball
from ndis_verify.court.quantities.rooms import ROOMS, quantity, rooms_of
from ndis_verify.court.statement_arrays import (
    ARRAYS,
    Matrix,
    Multiple,
    applied,
    assembled,
    flat,
    is_array,
    scalar_sides,
)
from ndis_verify.enclosure import Enclosure
from ndis_verify.exact_number import InputError
from ndis_verify.oracle.certified.engine.balls import ball, enclosure, working_bits
from ndis_verify.statements.calculus import differentiated
from ndis_verify.statements.statement import Claimed, Relation, Statement, Variable, plain_relations
from ndis_verify.statements.terms import Term, arguments_of, coordinate_names, length

_DIGITS = (20, 45, 100)
_PIECES = 8
_MOST = 60  # digits: more is not said of an agreement


@dataclass(frozen=True)
class Decision:
    """held, violated or undecided at a point, with the enclosed margin (>= 0 where the statement holds).

    outside: it is undecided as one of its quantities is certainly asked for outside its domain.
    """

    outcome: Literal["held", "violated", "undecided"]
    margin: Enclosure | None
    detail: str
    outside: bool = False


@dataclass(frozen=True)
class ExactMargin:
    """`margin_at` of one statement, as a function of the point."""

    statement: Statement

    def __call__(self, point: Point) -> Enclosure:
        return margin_at(self.statement, point)

    def rests_on(self) -> frozenset[str]:
        """The modules of its quantities, which no import names."""
        return rooms_of(self.statement, "ball")


def decide(statement: Statement, point: Point) -> Decision:
    """The statement at an exact point of its domain. Raises `InputError` where a hypothesis does not hold there."""
    try:
        for hypothesis in statement.hypotheses:
            if not admits(statement, hypothesis, point):
                raise InputError("point", _where(point), f"must satisfy {hypothesis.plain()}")
    except ArithmeticError as error:
        return _undecided(error)
    return decide_claimed(statement, point)


def decide_claimed(statement: Statement, point: Point) -> Decision:
    """What is claimed at an exact point at which the hypotheses are known to hold."""
    try:
        margin, holds = _looked_at(statement, point)
    except ArithmeticError as error:
        return _undecided(error)
    value, radius = margin.decimal(6)
    detail = f"margin {value} +/- {radius}"
    if margin.sign() == 0 and holds is False:
        detail = "both sides are equal, and the relation is strict"
    return Decision("undecided" if holds is None else "held" if holds else "violated", margin, detail)


def _undecided(error: ArithmeticError) -> Decision:
    return Decision("undecided", None, str(error), isinstance(error, OutsideDomain))


def margin_at(statement: Statement, point: Point) -> Enclosure:
    """The enclosed margin of the relation at an exact point, at a precision that shows its sign where one does."""
    return _looked_at(statement, point)[0]


def _looked_at(statement: Statement, point: Point) -> tuple[Enclosure, bool | None]:
    """The enclosed margin at an exact point, and whether the relation holds there, at a precision that shows this."""
    for digits in _DIGITS:
        with working_bits(int(digits * 3.33) + 32):
            values = values_of(statement, point, digits)
            margin, holds = _judged(statement.claimed, values, digits)
            if isinstance(margin, Fraction):
                return enclosure(ball(margin)) if margin else enclosure(arb(0)), holds
            if not margin.is_finite():
                raise NotExact("the margin is not finite there")
            if holds is not None:
                break
    return enclosure(margin), holds


def agreement_at(statement: Statement, point: Point, digits: int) -> float:
    """To how many digits all equalities of a statement agree at a point, at a precision that shows `digits` of them
    where one does: infinite where there is no equality, -1 where a relation certainly fails.
    """
    for precision in (digits + 5, digits + 40, digits + 100):
        with working_bits(int(precision * 3.33) + 64):
            values = values_of(statement, point, precision)
            if as_ball(_claimed_margin(statement.claimed, values, precision)) < 0:
                return -1.0
            equalities = [relation for relation in plain_relations(statement.claimed) if relation.sign == "="]
            found = min((_digits(relation, values, precision) for relation in equalities), default=math.inf)
            if found >= digits:
                return found
    raise NotExact(f"both sides agree, to fewer than {digits} digits")


def _digits(relation: Relation, values: Mapping[str, Any], digits: int) -> float:
    """To how many digits both sides agree, radii included."""
    sides = [(as_ball(left), as_ball(right)) for left, right in scalar_sides_of(relation, values, digits)]
    sizes = [abs(left).max(abs(right)).upper() for left, right in sides]
    found = math.inf
    for (left, right), size in zip(sides, sizes, strict=True):
        gap = abs(left - right).upper()
        if not gap.is_finite():
            raise NotExact("a side is not finite there")
        if gap != 0:
            ratio = enclosure((gap / max(size, *sizes)).log() / arb(10).log())
            found = min(found, -float(ratio.upper))
    return min(_MOST, found)


def scalar_sides_of(
    relation: Relation, values: Mapping[str, Any], digits: int, index: int | None = None
) -> list[tuple[Number, Number]]:
    """Both sides, of matrices those of the relations of numbers that are meant."""
    left, right = (value_at(term, values, digits, index) for term in relation.terms)
    return scalar_sides(left, relation.sign, right, _entries)


def sides_at(statement: Statement, point: Point) -> list[tuple[Relation, str]]:
    """The plain relations that certainly fail at a point, each with both of its values: `2/3 <= 0`; none where one of
    its quantities has no value there.
    """
    found = []
    try:
        with working_bits(200):
            values = values_of(statement, point, 40)
            for relation in plain_relations(statement.claimed):
                margin = as_ball(_claimed_margin(relation, values, 40))
                if margin < 0:
                    left, right = (_shown(value_at(term, values, 40)) for term in relation.terms)
                    found.append((relation, f"{left} {relation.sign} {right}"))
    except ArithmeticError:
        return []
    return found


def _shown(value: Any) -> str:
    if isinstance(value, Multiple):
        return f"{_shown(value.factor)} I"
    if is_array(value):
        rows = value.rows if isinstance(value, Matrix) else [[x] for x in value]
        texts = [", ".join(_shown(x) for x in row) for row in rows]
        return f"({', '.join(f'({text})' if isinstance(value, Matrix) else text for text in texts)})"
    return exact_text(value) if isinstance(value, Fraction) else enclosure(value).decimal(6)[0]


def admits(statement: Statement, hypothesis: Relation, point: Point) -> bool:
    """Whether a hypothesis is certain to hold at an exact point."""
    with working_bits(200):
        values = values_of(statement, point, 40, hypothesis.terms)
        sizes = [length(t, values) for t in hypothesis.terms if coordinate_names(t)]
        for index in range(sizes[0]) if sizes else [None]:
            for left, right in scalar_sides_of(hypothesis, values, 40, index):
                exact = isinstance(left, Fraction) and isinstance(right, Fraction)
                a, b = (left, right) if exact else (as_ball(left), as_ball(right))
                held = {"=": a == b, "<=": a <= b, ">=": a >= b, "<": a < b, ">": a > b}[hypothesis.sign]
                if not held:
                    return False
    return True


def margin_on_boxes(statement: Statement) -> Callable[..., arb]:
    """The margin as a function of one ball for each scalar variable, in their order: for `certify_nonnegative`.

    Strict and weak inequalities alike, and 1 where a hypothesis certainly fails; raises `InputError` for equalities,
    equivalences and vectors.
    """
    if any(v.shape for v in statement.variables) or not _is_inequality(statement.claimed):
        raise InputError("statement", statement.formula, "must be inequalities of scalar variables")

    def margin(*balls: arb) -> arb:
        values: dict[str, Any] = {v.name: x for v, x in zip(statement.variables, balls, strict=True)}
        try:
            for name, term in statement.where:
                values[name] = value_at(term, values, 20)
            if any(_breaks(h, values) for h in statement.hypotheses):
                return arb(1)  # nothing is said there
            return as_ball(_claimed_margin(statement.claimed, values, 20))
        except NotExact:
            return arb("nan")

    return margin


def _breaks(hypothesis: Relation, values: Mapping[str, Any]) -> bool:
    """Whether a hypothesis holds nowhere on a box, or has no value there."""
    try:
        return bool(as_ball(_claimed_margin(hypothesis, values, 20)) < 0)
    except OutsideDomain:
        return True


def _is_inequality(claimed: Claimed) -> bool:
    if isinstance(claimed, Relation):
        return claimed.sign != "="
    return claimed.how == "and" and all(_is_inequality(part) for part in claimed.parts)


def values_of(
    statement: Statement, point: Point, digits: int, spoken_in: Sequence[Term] | None = None
) -> dict[str, Any]:
    """The variables and the named terms; those alone that some terms speak of, where these are given."""
    values: dict[str, Any] = {v.name: variable_at(v, point) for v in statement.variables}
    for name, term in statement.named_in(spoken_in):
        values[name] = value_at(term, values, digits)
    return values


def numbers_at(statement: Statement, point: Point) -> Point:
    """What a point says of the variables, number by number: the probabilities of a law and the entries of an orthogonal
    matrix, which are searched by other numbers than these.
    """
    searched = {name: v for v in statement.variables if v.kind in ("law", "orthogonal") for name in v.entries}
    found: Point = {}
    for name, number in point.items():
        v = searched.get(name)
        if v is None:
            found[name] = number
            continue
        places = [(i + 1, j + 1) for i in range(v.size) for j in range(v.size)]
        names = v.entries if v.is_vector else [f"{v.name}_{i}_{j}" for i, j in places]
        found |= dict(zip(names, flat(variable_at(v, point)), strict=True))
    return found


def variable_at(v: Variable, point: Point) -> Any:
    """The value of a variable at a point; laws are normalised."""
    parts = [Fraction(point[name]) for name in v.entries]
    total = sum(parts) if v.kind == "law" else 1
    return assembled(v, [part / total for part in parts], _entries)


def value_at(term: Term, values: Mapping[str, Any], digits: int, index: int | None = None) -> Any:
    """The value of a term: a Fraction where it is rational, else a ball (or a list, for a vector)."""
    match term.head:
        case "number":
            return term.number
        case "variable":
            return values[term.name]
        case "coordinate":
            if index is None:
                raise InputError("coordinate", term.name, "must stand inside a sum, a product or a relation")
            return values[term.name][index]
        case "sum" | "product":
            parts = [value_at(term.args[0], values, digits, i) for i in range(length(term, values))]
            found = parts[0]
            for part in parts[1:]:
                found = _arithmetic("add" if term.head == "sum" else "mul", found, part)
            return found
        case "sup" | "inf":
            return _extremum(term, values, digits, index)
        case "identity":
            return Multiple(Fraction(1))
        case "pi":
            return arb.pi()
        case "derivative":
            if not as_ball(value_at(term.args[0], values, digits, index)).is_finite():
                raise NotExact("what is differentiated has no value there")
            return value_at(differentiated(term.args[0], term.name), values, digits, index)
    args = arguments_of(term, values, lambda arg, i: value_at(arg, values, digits, i), index)
    if term.head in ARRAYS or (term.head not in ROOMS and any(map(is_array, args))):
        return applied(term.head, args, _entries)
    if term.head in _ARITHMETIC:
        return _arithmetic(term.head, *args)
    if term.head in ELEMENTARY:
        if term.head in ("exp", "log", "sqrt") and args[0] == {"exp": 0, "log": 1, "sqrt": 0}[term.head]:
            return Fraction(1 if term.head == "exp" else 0)
        if term.head in _OUTSIDE and _OUTSIDE[term.head](*args):
            raise OutsideDomain(f"{term.head} is asked for outside its domain")
        return ELEMENTARY[term.head](*map(as_ball, args))
    return quantity("ball", term.head)(*args, digits=digits)


def _entries(head: str, *args: Any) -> Number:
    """The arithmetic of the entries of matrices."""
    if head == "number":
        return args[0]
    return _root(args[0]) if head == "sqrt" else _arithmetic(head, *args)


def _root(value: Number) -> Number:
    """The square root, rational where it is."""
    if isinstance(value, Fraction) and value >= 0:
        found = Fraction(math.isqrt(value.numerator), math.isqrt(value.denominator))
        if found**2 == value:
            return found
    return as_ball(value).sqrt()


_ARITHMETIC = ("neg", "add", "sub", "mul", "div", "pow", "abs", "max", "min")


def _arithmetic(head: str, *args: Number) -> Number:
    if head == "pow":
        return _power(*args)
    if not all(isinstance(arg, Fraction) for arg in args):
        args = tuple(map(as_ball, args))
    match head:
        case "neg":
            return -args[0]
        case "abs":
            return abs(args[0])
        case "add":
            return args[0] + args[1]
        case "sub":
            return args[0] - args[1]
        case "mul":
            return args[0] * args[1]
        case "div":
            if args[1] == 0:
                raise OutsideDomain("a division by 0")
            return args[0] / args[1]
    exact = isinstance(args[0], Fraction)
    if head == "max":
        return max(args) if exact else args[0].max(args[1])
    return min(args) if exact else args[0].min(args[1])


def _power(base: Number, exponent: Number) -> Number:
    if isinstance(exponent, Fraction) and exponent.denominator == 1 and abs(exponent) <= 64:
        if isinstance(base, Fraction):
            if base == 0 and exponent < 0:
                raise OutsideDomain("a division by 0")
            return base ** int(exponent)
        return base ** int(exponent)
    if base < 0 and isinstance(exponent, Fraction) and exponent.denominator != 1:
        raise OutsideDomain("a power of a negative number")
    return as_ball(base) ** as_ball(exponent)


ELEMENTARY: Mapping[str, Callable[..., arb]] = {
    "exp": lambda x: x.exp(),
    "log": lambda x: x.log(),
    "sqrt": lambda x: x.sqrt(),
    "Phi": lambda x: monotone(lambda y: (-y / arb(2).sqrt()).erfc() / 2, x),
    "erf": lambda x: monotone(lambda y: y.erf(), x),
    "erfc": lambda x: monotone(lambda y: y.erfc(), x),
    "gamma": lambda x: x.gamma(),
    "gamma_q": lambda a, x: _gamma_tail(lambda y: y.gamma_upper(a, 1), a, x),
    "gamma_p": lambda a, x: _gamma_tail(lambda y: y.gamma_lower(a, 1), a, x),
    "phi": lambda x: (-x * x / 2).exp() / (2 * arb.pi()).sqrt(),
    "Phi_inverse": lambda p: monotone(lambda y: -((2 * y).erfcinv() * arb(2).sqrt()), p),
    "chi2_density": lambda r, x: ((r / 2 - 1) * x.log() - x / 2 - r / 2 * arb(2).log() - (r / 2).lgamma()).exp(),
}

_OUTSIDE: Mapping[str, Callable[..., bool]] = {
    "log": lambda x: x <= 0,
    "sqrt": lambda x: x < 0,
    "Phi_inverse": lambda x: x <= 0 or x >= 1,
    "gamma_q": lambda a, x: a <= 0 or x < 0,
    "gamma_p": lambda a, x: a <= 0 or x < 0,
    "chi2_density": lambda r, x: r <= 0 or x < 0,
}


def _gamma_tail(function: Callable[[arb], arb], shape: arb, x: arb) -> arb:
    """A tail of a gamma law, which is monotone from 0 on alone."""
    if not (shape > 0 and x >= 0):
        raise NotExact("a tail of a gamma law is that of a positive shape, at 0 or above")
    return monotone(function, x)


def _extremum(term: Term, values: Mapping[str, Any], digits: int, index: int | None) -> arb:
    """Between the best of the values at a few points and the best bound over the pieces between them."""
    low, high = (value_at(arg, values, digits, index) for arg in term.args[:2])
    if not (isinstance(low, Fraction) and isinstance(high, Fraction) and low <= high):
        raise NotExact("the ends of an extremum must be rational, the lower one first")
    marks = [low + (high - low) * Fraction(k, _PIECES) for k in range(_PIECES + 1)]
    at = lambda x: as_ball(value_at(term.args[2], {**values, term.name: x}, digits, index))  # noqa: E731
    pieces = [at(as_ball(a).union(as_ball(b))) for a, b in pairwise(marks)]
    points = [at(mark) for mark in marks]
    best = arb.max if term.head == "sup" else arb.min
    inner, outer = points[0], pieces[0]
    for value in points[1:]:
        inner = best(inner, value)
    for value in pieces[1:]:
        outer = best(outer, value)
    return inner.lower().union(outer.upper()) if term.head == "sup" else inner.upper().union(outer.lower())


def _claimed_margin(claimed: Claimed, values: Mapping[str, Any], digits: int) -> Number:
    return _judged(claimed, values, digits)[0]


def _judged(claimed: Claimed, values: Mapping[str, Any], digits: int) -> tuple[Number, bool | None]:
    """The margin, and whether the relation holds, None where that is not certain: a margin of 0 breaks a strict one."""
    if isinstance(claimed, Relation):
        gaps = [_gap(claimed.sign, left, right) for left, right in scalar_sides_of(claimed, values, digits)]
        margin = _least(gaps)
        fails = margin <= 0 if claimed.sign in ("<", ">") else margin < 0
        holds = margin > 0 if claimed.sign in ("<", ">") else margin >= 0
        return margin, bool(holds) if holds or fails else None
    found = [_judged(part, values, digits) for part in claimed.parts]
    margins, held = [margin for margin, _ in found], [holds for _, holds in found]
    if claimed.how == "and":
        return _least(margins), False if False in held else None if None in held else True
    first, second = (abs(as_ball(margin)) for margin in margins)
    if None in held:
        farther = first.max(second).upper()
        return farther.union(-farther), None
    # How far the parts are from being alike: where one is at its edge, the other may not be.
    return (first.min(second), True) if held[0] == held[1] else (-first.max(second), False)


def _least(margins: Sequence[Number]) -> Number:
    return reduce(lambda one, other: _arithmetic("min", one, other), margins)


def _gap(sign: str, left: Number, right: Number) -> Number:
    if sign in ("<", "<="):
        left, right = right, left
    gap = _arithmetic("sub", left, right)
    return _arithmetic("neg", _arithmetic("abs", gap)) if sign == "=" else gap


def _where(point: Point) -> str:
    return ", ".join(f"{name} = {value}" for name, value in point.items())
