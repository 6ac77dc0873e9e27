"""Faults by rule: at every node of a statement a sign, a factor, an exponent, a number, a direction; P and Q exchanged;
an entry of a vector or a block of a matrix; a hypothesis left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from ndis_verify.exact_number import InputError
from ndis_verify.statements.printing import plain
from ndis_verify.statements.quantities import QUANTITIES
from ndis_verify.statements.shapes import Shape, shape_of
from ndis_verify.statements.statement import Claimed, Joined, Relation, Sign, Statement, Variable
from ndis_verify.statements.terms import Term, apply, free_names, rewritten, term

_DIRECTIONS: dict[Sign, Sign] = {"<=": ">=", ">=": "<=", "<": ">", ">": "<"}


@dataclass(frozen=True)
class Mutant:
    """A statement with one fault: what was changed (`fault`), by which `rule`, and what came out."""

    rule: str
    fault: str
    statement: Statement


def planted(statement: Statement, moved: bool = False) -> dict[str, Statement]:
    """One plain fault of each relation, which every search has to find: an equality off by 1/1000 of its right side, an
    inequality turned round. `moved`: of equalities alone, off by 1/1000, which any point shows.
    """
    return {
        f"{new.plain()} for {old.plain()}": replace(statement, claimed=claimed)
        for old, new, claimed in _spoilt(statement.claimed, moved, statement.shapes)
        if not moved or old.sign == "="
    }


def _spoilt(claimed: Claimed, moved: bool, shapes: Mapping[str, Shape]) -> Iterator[tuple[Relation, Relation, Claimed]]:
    if isinstance(claimed, Relation):
        new = replace(claimed, sign=_DIRECTIONS.get(claimed.sign, "="))
        if claimed.sign == "=":
            factor = Fraction(1001, 1000) * claimed.right
            added = (moved or claimed.right == term(0)) and shape_of(claimed.left, shapes) == ()
            new = replace(new, right=claimed.right + Fraction(1, 1000) if added else factor)
        yield claimed, new, new
        return
    for k, part in enumerate(claimed.parts):
        for old, new, spoilt in _spoilt(part, moved, shapes):
            if claimed.how == "and" or k == 1:
                yield old, new, replace(claimed, parts=(*claimed.parts[:k], spoilt, *claimed.parts[k + 1 :]))


def denied(relation: Relation) -> Claimed:
    """What holds wherever a relation certainly fails: the other direction, or that the sides of an equality differ."""
    if relation.sign == "=":
        return Joined("iff", (replace(relation, sign="<"), replace(relation, sign="<")))
    return replace(relation, sign=_DIRECTIONS[relation.sign])


def mutants(statement: Statement) -> list[Mutant]:
    """Every statement that one rule at one node gives, each once."""
    found: dict[Statement, Mutant] = {}
    for mutant in (*_in_relation(statement), *_in_definitions(statement), *_in_hypotheses(statement)):
        if mutant.statement != statement:
            found.setdefault(mutant.statement, mutant)
    return list(found.values())


def changed_terms(node: Term) -> Iterator[tuple[str, Term]]:
    """(rule, what stands in the place of `node`) for the rules that fit it."""
    args = node.args
    match node.head:
        case "number":
            yield "number", term(node.number + 1)
            if node.number:
                yield "number", term(node.number * Fraction(1001, 1000))
                yield "sign", term(-node.number)
        case "add" | "sub":
            yield "sign", replace(node, head={"add": "sub", "sub": "add"}[node.head])
            yield "term left out", args[0]
            yield "term left out", args[1]
        case "neg":
            yield "sign", args[0]
        case "mul":
            yield "factor left out", args[0]
            yield "factor left out", args[1]
        case "div":
            yield "factor left out", args[0]
            yield "turned over", replace(node, args=args[::-1])
        case "pow":
            yield "exponent", args[0]
            yield "exponent", replace(node, args=(args[0], -args[1]))
        case "exp":
            yield "sign of an argument", apply("exp", -args[0])
            yield "exponent", apply("exp", 2 * args[0])
        case "sqrt":
            yield "exponent", args[0]
        case "Phi" | "Phi_inverse" | "erf" | "erfc":
            yield "sign of an argument", apply(node.head, -args[0])
        case "max" | "min":
            yield "max for min", replace(node, head={"max": "min", "min": "max"}[node.head])
            yield "case left out", args[0]
            yield "case left out", args[1]
        case "abs":
            yield "sign", args[0]
        case "sup" | "inf":
            yield "sup for inf", replace(node, head={"sup": "inf", "inf": "sup"}[node.head])
        case "gamma_q" | "gamma_p":
            yield "other tail", replace(node, head={"gamma_q": "gamma_p", "gamma_p": "gamma_q"}[node.head])
        case "derivative":
            yield "not differentiated", args[0]
        case "transpose":
            yield "not transposed", args[0]
        case "det" | "trace":
            yield "trace for determinant", replace(node, head={"det": "trace", "trace": "det"}[node.head])
        case "vector" | "beside" | "above":
            yield from _changed_entries(node)
    quantity = QUANTITIES.get(node.head)
    if quantity is not None and quantity.reverse not in ("", node.head):
        yield "P and Q exchanged", replace(node, head=quantity.reverse)
    if quantity is not None and quantity.vectors and all(arg.head == "vector" for arg in args[: quantity.vectors]):
        yield from _without_coordinates(node, quantity.vectors)


def _without_coordinates(node: Term, count: int) -> Iterator[tuple[str, Term]]:
    """One coordinate left out of all vectors of a quantity: of one of them alone, they would not fit."""
    for k in range(min(len(vector.args) for vector in node.args[:count])):
        rests = [(*v.args[:k], *v.args[k + 1 :]) for v in node.args[:count]]
        vectors = tuple(Term("vector", rest) if len(rest) > 1 else rest[0] for rest in rests if rest)
        yield "coordinate left out", replace(node, args=(*vectors, *node.args[count:]))


def _changed_entries(node: Term) -> Iterator[tuple[str, Term]]:
    """An entry left out (two would be a number), two neighbours exchanged, a sign."""
    args = node.args
    for k, entry in enumerate(args):
        rest = (*args[:k], *args[k + 1 :])
        yield "entry left out", replace(node, args=rest) if len(rest) > 1 else rest[0]
        yield "sign", replace(node, args=(*args[:k], -entry, *args[k + 1 :]))
        if k:
            yield "entries exchanged", replace(node, args=(*args[: k - 1], entry, args[k - 1], *args[k + 1 :]))


def _in_term(root: Term) -> Iterator[tuple[str, str, Term]]:
    for node, rebuild in rewritten(root):
        for rule, new in changed_terms(node):
            yield rule, f"{plain(new)} for {plain(node)} in {plain(root)}", rebuild(new)


def _in_claimed(claimed: Claimed) -> Iterator[tuple[str, str, Claimed]]:
    if isinstance(claimed, Joined):
        for k, part in enumerate(claimed.parts):
            for rule, fault, new in _in_claimed(part):
                yield rule, fault, replace(claimed, parts=(*claimed.parts[:k], new, *claimed.parts[k + 1 :]))
        return
    if claimed.sign in _DIRECTIONS:
        turned = replace(claimed, sign=_DIRECTIONS[claimed.sign])
        yield "direction", f"{turned.plain()} for {claimed.plain()}", turned
    for side in ("left", "right"):
        for rule, fault, changed in _in_term(getattr(claimed, side)):
            left, right = (changed, claimed.right) if side == "left" else (claimed.left, changed)
            yield rule, fault, Relation(left, claimed.sign, right)


def _in_relation(statement: Statement) -> Iterator[Mutant]:
    for rule, fault, new in _in_claimed(statement.claimed):
        if (mutant := built(statement, claimed=new)) is not None:
            yield Mutant(rule, fault, mutant)


def _in_definitions(statement: Statement) -> Iterator[Mutant]:
    for k, (name, value) in enumerate(statement.where):
        for rule, fault, new in _in_term(value):
            where = (*statement.where[:k], (name, new), *statement.where[k + 1 :])
            if (mutant := built(statement, where=where)) is not None:
                yield Mutant(rule, f"{name}: {fault}", mutant)


def _in_hypotheses(statement: Statement) -> Iterator[Mutant]:
    for k, left_out in enumerate(statement.hypotheses):
        rest = (*statement.hypotheses[:k], *statement.hypotheses[k + 1 :])
        variables = tuple(_widened(v, left_out) for v in statement.variables)
        if (mutant := built(statement, hypotheses=rest, variables=variables)) is not None:
            yield Mutant("hypothesis left out", f"without {left_out.plain()}", mutant)


def _widened(v: Variable, left_out: Relation) -> Variable:
    """The variable, searched beyond a bound that no longer holds it and at which its range ends."""
    sides = (
        (left_out.left, left_out.right, left_out.sign),
        (left_out.right, left_out.left, _DIRECTIONS.get(left_out.sign)),
    )
    for side, other, sign in sides:
        if (
            v.kind == "law"
            or other.head != "number"
            or side.head not in ("variable", "coordinate")
            or side.name != v.name
        ):
            continue
        room = max(Fraction(2), (v.high - v.low) / 10).__ceil__()
        if sign in (">", ">=") and v.low >= other.number:
            return replace(v, low=min(other.number, v.low).__floor__() - room, scale="linear")
        if sign in ("<", "<=") and v.high <= other.number:
            return replace(v, high=v.high.__ceil__() + room, scale="log" if v.scale == "log" else "linear")
    return v


def built(statement: Statement, **changes: Any) -> Statement | None:
    """The changed statement without what nothing speaks of any more; None where no statement is left."""
    parts = {name: getattr(statement, name) for name in ("variables", "hypotheses", "claimed", "where")} | changes
    terms = [*parts["claimed"].terms, *(t for h in parts["hypotheses"] for t in h.terms)]
    used = set().union(*(free_names(t) for t in terms))
    where: list[tuple[str, Term]] = []
    for name, value in reversed(parts["where"]):
        if name in used:
            where.insert(0, (name, value))
            used |= free_names(value)
    variables = tuple(v for v in parts["variables"] if v.name in used)
    try:
        return Statement(variables, parts["hypotheses"], parts["claimed"], tuple(where))
    except InputError:  # a sum that has lost its coordinates is no statement
        return None
