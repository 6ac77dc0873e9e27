"""Vectors and matrices of statements over numbers of any kind: Fractions, balls, or float64 columns.

A vector is a list, a matrix a `Matrix`, and one number a number: x^T y is none of 1 x 1. The numbers come with their
arithmetic, a function of the name of a head and its arguments, so that what is decided exactly and what is searched in
float64 run through the same lines. Inverses are by cofactors: no pivot has to be chosen, and columns that carry their
rounding errors keep them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial, reduce
from itertools import combinations
from typing import Any

from ndis_verify.statements.statement import Sign, Variable

Arithmetic = Callable[..., Any]  # of the name of a head and numbers; "number" makes one of a Fraction
Rows = Sequence[Sequence[Any]]
ARRAYS = ("transpose", "det", "trace", "diagonal", "rows", "columns", "vector", "beside", "above")


@dataclass(frozen=True)
class Matrix:
    """Rows of numbers, of which there is more than one, in more than one column or in a single row."""

    rows: Rows


@dataclass(frozen=True)
class Multiple:
    """A number times the identity of the size that stands beside it."""

    factor: Any


def is_array(value: Any) -> bool:
    return isinstance(value, (list, Matrix, Multiple))


def rows_of(value: Any) -> Rows:
    """The rows of what is a number, a vector (one column) or a matrix."""
    if isinstance(value, Matrix):
        return value.rows
    return [[x] for x in value] if isinstance(value, list) else [[value]]


def flat(value: Any) -> list[Any]:
    """All numbers in it."""
    return [value.factor] if isinstance(value, Multiple) else [x for row in rows_of(value) for x in row]


def array(rows: Rows) -> Any:
    """A matrix; one column is a vector, and one number is a number."""
    if len(rows[0]) == 1:
        return rows[0][0] if len(rows) == 1 else [row[0] for row in rows]
    return Matrix(rows)


def assembled(v: Variable, parts: list[Any], number: Arithmetic) -> Any:
    """The value of a variable from the numbers that it is searched by."""
    if not v.shape:
        return parts[0]
    if v.is_vector:
        return parts
    at = {tuple(map(int, name.split("_")[-2:])): part for name, part in zip(v.entries, parts, strict=True)}
    size = range(1, v.size + 1)
    if v.kind == "orthogonal":
        zero = number("number", Fraction(0))
        skew = [[at[i, j] if i < j else number("neg", at[j, i]) if j < i else zero for j in size] for i in size]
        one, turn = Multiple(number("number", Fraction(1))), array(skew)
        over = applied("pow", [applied("add", [one, turn], number), Fraction(-1)], number)
        rotation = rows_of(applied("mul", [applied("sub", [one, turn], number), over], number))
        signs = [at[j, j] for j in size]
        return array([[number("mul", x, sign) for x, sign in zip(row, signs, strict=True)] for row in rotation])
    columns = range(1, v.shape[1] + 1)
    return array([[at[i, j] if (i, j) in at else at[j, i] for j in columns] for i in size])


def applied(head: str, args: Sequence[Any], number: Arithmetic) -> Any:
    """A head of the language at numbers and arrays whose shapes fit (`statements.shapes`)."""
    match head:
        case "neg" | "div":
            return _each(args[0], lambda x: number(head, x, *args[1:]))
        case "add" | "sub":
            return _sum(head, args[0], args[1], number)
        case "mul":
            return _product(args[0], args[1], number)
        case "pow":
            return _power(args[0], args[1], number)
        case "abs":
            return number("sqrt", _total(number, [number("mul", x, x) for x in flat(args[0])]))
        case "vector":
            return list(args)
        case "transpose":
            return array(list(zip(*rows_of(args[0]), strict=True)))
        case "det":
            return _det(rows_of(args[0]), number)
        case "trace":
            return _total(number, [row[i] for i, row in enumerate(rows_of(args[0]))])
        case "diagonal":
            zero = number("number", Fraction(0))
            return array([[x if i == j else zero for j in range(len(args[0]))] for i, x in enumerate(args[0])])
        case "rows":
            return number("number", Fraction(len(rows_of(args[0]))))
        case "columns":
            return number("number", Fraction(len(rows_of(args[0])[0])))
        case "above":
            return array([row for arg in args for row in rows_of(arg)])
        case "beside":
            return array([[x for row in rows for x in row] for rows in zip(*map(rows_of, args), strict=True)])
    raise ValueError(f"{head} takes no vectors or matrices")


def scalar_sides(left: Any, sign: Sign, right: Any, number: Arithmetic) -> list[tuple[Any, Any]]:
    """The pairs of numbers that have to be in the relation `sign` for both sides to be: entries where they are equal;
    where matrices are ordered, minors of the symmetric part of the difference, all of them or the leading ones.
    """
    if not (is_array(left) or is_array(right)):
        return [(left, right)]
    zero = number("number", Fraction(0))
    if sign == "=":
        of_zero = len(flat(left)) != len(flat(right)) and not any(isinstance(x, Multiple) for x in (left, right))
        if of_zero:
            return [(x, zero) for x in flat(left if is_array(left) else right)]
        size = max(len(rows_of(x)) for x in (left, right) if not isinstance(x, Multiple))
        one, other = (flat(_sized(x, size, number)) for x in (left, right))
        return list(zip(one, other, strict=True))
    larger, smaller = (right, left) if sign in ("<", "<=") else (left, right)
    pairs = _ordered(larger, smaller, sign in (">", "<"), number)
    return [pair[::-1] for pair in pairs] if sign in ("<", "<=") else pairs


def _ordered(larger: Any, smaller: Any, strict: bool, number: Arithmetic) -> list[tuple[Any, Any]]:
    """Pairs of numbers, the first above the second: diagonal entries, and minors beside the size they could have."""
    zero, half = number("number", Fraction(0)), number("number", Fraction(1, 2))
    gap = rows_of(_difference(larger, smaller, number))
    size = range(len(gap))
    even = [
        [gap[i][i] if i == j else number("mul", half, number("add", gap[i][j], gap[j][i])) for j in size] for i in size
    ]
    one, other = (
        [rows_of(_sized(x, len(gap), number))[i][i] for i in size] if is_array(x) else [zero] * len(gap)
        for x in (larger, smaller)
    )
    reach = [number("add", number("abs", x), number("abs", y)) for x, y in zip(one, other, strict=True)]
    chosen = [some for k in size[1:] for some in combinations(size, k + 1)]
    found = list(zip(one, other, strict=True))
    for some in [tuple(range(k + 1)) for k in size[1:]] if strict else chosen:
        least = reduce(lambda x, y: number("mul", x, y), [reach[i] for i in some])
        minor = _det([[even[i][j] for j in some] for i in some], number)
        found.append((number("add", minor, least), least))
    return found


def _difference(larger: Any, smaller: Any, number: Arithmetic) -> Any:
    """What of a number is 0 leaves the other as it is."""
    if not is_array(smaller):
        return larger
    return _sum("sub", larger, smaller, number) if is_array(larger) else applied("neg", [smaller], number)


def _each(value: Any, function: Callable[[Any], Any]) -> Any:
    if isinstance(value, Multiple):
        return Multiple(function(value.factor))
    return array([[function(x) for x in row] for row in rows_of(value)])


def _sized(value: Any, size: int, number: Arithmetic) -> Any:
    if not isinstance(value, Multiple):
        return value
    zero = number("number", Fraction(0))
    return array([[value.factor if i == j else zero for j in range(size)] for i in range(size)])


def _sum(head: str, one: Any, other: Any, number: Arithmetic) -> Any:
    if isinstance(one, Multiple) and isinstance(other, Multiple):
        return Multiple(number(head, one.factor, other.factor))
    size = max(len(rows_of(x)) for x in (one, other) if not isinstance(x, Multiple))
    left, right = (rows_of(_sized(x, size, number)) for x in (one, other))
    return array([[number(head, x, y) for x, y in zip(a, b, strict=True)] for a, b in zip(left, right, strict=True)])


def _product(one: Any, other: Any, number: Arithmetic) -> Any:
    for factor, whole in ((one, other), (other, one)):
        scalar = factor.factor if isinstance(factor, Multiple) else factor
        if not is_array(scalar):
            if isinstance(factor, Multiple) and not is_array(whole):
                return Multiple(number("mul", scalar, whole))
            return _each(whole, partial(number, "mul", scalar))
    across = list(zip(*rows_of(other), strict=True))
    return array(
        [
            [_total(number, [number("mul", x, y) for x, y in zip(row, column, strict=True)]) for column in across]
            for row in rows_of(one)
        ]
    )


def _power(base: Any, exponent: Fraction, number: Arithmetic) -> Any:
    if isinstance(base, Multiple):
        raise ValueError("a power of I has no size")
    factor = base if exponent > 0 else _inverse(rows_of(base), number)
    return reduce(lambda one, other: _product(one, other, number), [factor] * abs(int(exponent)))


def _total(number: Arithmetic, parts: Sequence[Any]) -> Any:
    return reduce(lambda one, other: number("add", one, other), parts)


def _minor(rows: Rows, i: int, j: int) -> Rows:
    return [[x for k, x in enumerate(row) if k != j] for n, row in enumerate(rows) if n != i]


def _det(rows: Rows, number: Arithmetic) -> Any:
    if len(rows) == 1:
        return rows[0][0]
    found = None
    for j, x in enumerate(rows[0]):
        part = number("mul", x, _det(_minor(rows, 0, j), number))
        found = part if found is None else number("sub" if j % 2 else "add", found, part)
    return found


def _inverse(rows: Rows, number: Arithmetic) -> Any:
    size, whole = range(len(rows)), _det(rows, number)
    if len(rows) == 1:
        return number("div", number("number", Fraction(1)), whole)
    found = [[number("div", _det(_minor(rows, j, i), number), whole) for j in size] for i in size]
    return array([[number("neg", x) if (i + j) % 2 else x for j, x in enumerate(row)] for i, row in enumerate(found)])
