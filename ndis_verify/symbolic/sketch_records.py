"""Least squares with a record and without it, in letters: solutions, residuals, forms and determinants.

B and b are the records without the new one, (v, beta) is the new one, s the deviation whose square stands beside the
records' products: N = B^T B + s^2 I, S = N^{-1}.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import sympy as sp

from ndis_verify.symbolic.block_algebra import BlockAlgebra, inverse, letter
from ndis_verify.symbolic.derivation import Hypothesis, Step, Use
from ndis_verify.symbolic.fact_steps import by_fact, from_side, inferred, named, squared
from ndis_verify.symbolic.notation import anything, definite, det, scalar, transpose
from ndis_verify.symbolic.statement_terms import quantity

zero, one = sp.Integer(0), sp.Integer(1)
s = sp.Symbol("s", positive=True)
beta, length = sp.symbols("beta l", real=True)
r = sp.Symbol("r", integer=True)
B, b, v, x, S = (letter(name) for name in "BbvxS")
M = definite
S1 = letter("S1")  # with the record
Bt, bt, vt, xt, yt = (transpose(one_) for one_ in (B, b, v, x, anything))
d = quantity("columns", B)
N, c = Bt * B + s**2, Bt * b
a = scalar(bt * b) + s**2
h, h1 = letter("h"), letter("h1")  # x less the solution, without the record and with it
P, Q, T, U, V, spare = sp.symbols("P Q T U V k", nonnegative=True)
part, size, others = sp.symbols("L n i", nonnegative=True)
W, R, D, E = sp.symbols("W R D E", positive=True)
o, g, k, e = sp.symbols("o g j e", real=True)
along = sp.Symbol("t", real=True)
without = sp.Symbol("f", nonnegative=True)
BOUND = length**2 / s**2
LAST = (1 + BOUND) ** (r / 2)
solution = S * c
solution_with = S * c + S * v * o / (1 + P)
ROWS = Hypothesis("r >= d", sp.Ge(r, d))
LENGTH = Hypothesis("m <= l^2", sp.Le(scalar(vt * v) + beta**2, length**2))
_LETTERS = (B, Bt, b, bt, v, vt, x, xt, S, transpose(S), anything, yt, S1)
FORMS = BlockAlgebra({}, {one_: sp.Matrix([[j + 2, 1], [1, 2 * j + 3]]) for j, one_ in enumerate(_LETTERS)})


@dataclass(frozen=True)
class Database:
    """The law of the solution of one database: N, c and a, the solution m, the residual W, h = x - m, U = h^T N h."""

    tag: str
    gram: Any
    inverse: Any
    cross: Any
    square: Any
    solution: Any
    residual: Any
    offset: Any
    form: Any
    determinant: Any


WITHOUT = Database("without the record", N, S, c, a, solution, W, h, U, D)
WITH = Database(
    *("with the record", N + v * vt, S1, c + beta * v, a + beta**2),
    *(solution_with, R, h1, V, E),
)


def stated_density(database: Database) -> Any:
    """The density as the statement writes it."""
    return quantity("sketch_density", database.gram, database.cross, database.square, r, x)


def student(columns: Any, determinant: Any, residual: Any, form: Any) -> Any:
    constant = sp.gamma((r + 1) / 2) / (sp.pi ** (columns / 2) * sp.gamma((r - columns + 1) / 2))
    return constant * sp.sqrt(determinant) * residual ** (-columns / 2) * (1 + form / residual) ** (-(r + 1) / 2)


def inverse_steps() -> tuple[Step, ...]:
    return (
        named(S, "S is the inverse of N.", inverse(N)),
        from_side(S, N, "left", "So it is from the left"),
        from_side(S, N, "right", "and from the right,"),
        by_fact("S^T", "symmetric,", "a symmetric inverse", {"X": S, "Y": N}, {"product": "S from the left"}),
        inferred(
            "two squares",
            "a sum of two squares.",
            S,
            "=",
            s**2 * S * S + S * Bt * B * S,
            Use("S from the right", between=(-S, one)),
            algebra=FORMS,
        ),
        Step("s^2", "s^2 is positive,", lhs=s**2, rhs=zero, relation=">", witness=s**2),
        Step("d", "d is at least 1,", lhs=d, rhs=one, relation=">=", witness=d - 1),
        Step("two", "and as 2 > 0,", lhs=sp.Integer(2), rhs=zero, relation=">", witness=sp.Integer(2)),
        inferred("rows", "r is at least d,", r, ">=", d, Use("r >= d")),
        inferred("more rows", "and r + 1 above d - 1.", r + 1, ">", d - 1, Use("r >= d"), "two"),
        by_fact(
            "ratio of gammas",
            "The constants of r and of r + 1:",
            "a ratio of multivariate gamma functions",
            {"a": r / 2, "d": d},
            {"range": "rows", "size": "d"},
        ),
    )


def number_steps() -> tuple[Step, ...]:
    """The numbers that the laws depend on."""
    return (
        squared("|S v|^2", "Squares:", S * v),
        squared("|B S v|^2", "of S v and B S v,", B * S * v),
        inferred(
            "v^T S v",
            "of which v^T S v is made,",
            scalar(vt * S * v),
            "=",
            s**2 * scalar(vt * S * S * v) + scalar(vt * S * Bt * B * S * v),
            Use("two squares", between=(vt, v)),
            algebra=FORMS,
        ),
        inferred(
            "P >= 0",
            "so that it is not negative;",
            scalar(vt * S * v),
            ">=",
            zero,
            *(Use("|S v|^2", weight=s**2), "|B S v|^2", "v^T S v", "S^T"),
        ),
        named(P, "P = v^T S v;", scalar(vt * S * v), "P >= 0"),
        squared("|y|^2", "of the solution y = S c", solution),
        squared("|b - B y|^2", "and of what it leaves:", b - B * solution),
        inferred(
            "residual",
            "of these is made the residual, which is positive:",
            a - scalar(bt * B * S * Bt * b),
            ">",
            zero,
            *("s^2", Use("|y|^2", weight=s**2), "|b - B y|^2", "S^T"),
            Use("two squares", between=(bt * B, Bt * b)),
            algebra=FORMS,
        ),
        named(W, "W = a - c^T y.", a - scalar(bt * B * S * Bt * b), "residual"),
        Step("W > 0", "It is positive.", lhs=W, rhs=zero, relation=">", witness=W),
        named(o, "o = beta - v^T y is what y leaves of the new record,", beta - scalar(vt * S * Bt * b)),
        named(g, "g = beta - v^T x what x leaves of it.", beta - scalar(vt * x)),
        named(h, "h = x - y,", x - solution),
        squared("|B h|^2", "with the squares of B h", B * h),
        squared("|h|^2", "and h:", h),
        inferred(
            "U >= 0",
            "h^T N h is made of them.",
            scalar(transpose(h) * N * h),
            ">=",
            zero,
            *("|B h|^2", Use("|h|^2", weight=s**2)),
        ),
        named(U, "U = h^T N h.", scalar(transpose(h) * N * h), "U >= 0"),
        named(Q, "Q = P + o^2/W,", P + o**2 / W),
        named(T, "T = g^2/(W + U).", g**2 / (W + U)),
    )


def form_steps(at: Database) -> Iterator[Step]:
    """N is positive definite, and so is its determinant."""
    if at is WITH:
        yield named(S1, "With the record the inverse is another one,", inverse(at.gram))
        yield from_side(S1, at.gram, "left", "from the left.")
        yield squared("(v^T y)^2", "The new record's square,", vt * anything)
    else:
        yield squared("|B y|^2", "Of any vector y, B y has a square,", B * anything)
    squares = ("|B y|^2",) if at is WITHOUT else ("|B y|^2", "(v^T y)^2")
    yield inferred(
        f"form, {at.tag}",
        "so y^T N y >= s^2 |y|^2,",
        scalar(yt * at.gram * anything),
        ">=",
        s**2 * scalar(yt * anything),
        *squares,
    )
    yield by_fact(
        f"columns, {at.tag}",
        "N has the columns of B,",
        "columns of a matrix of products",
        {"B": B, "R": at.gram - Bt * B},
        {},
    )
    yield by_fact(
        f"det, {at.tag}",
        "and det N > 0.",
        "determinant of a positive definite matrix",
        {"N": at.gram, "least": s**2},
        {"definite": f"form, {at.tag}", "least": "s^2"},
    )
    yield named(at.determinant, "Its name.", det(at.gram), f"det, {at.tag}")


def solution_steps() -> tuple[Step, ...]:
    """The solution without the record and with it: what they solve, and what they leave."""
    moved = o / (1 + P)
    return (
        inferred(
            "solution, without the record",
            "N y = c.",
            N * solution,
            "=",
            c,
            Use("S from the right", between=(one, c)),
            algebra=FORMS,
        ),
        inferred("residual, without the record", "W = a - c^T y.", W, "=", a - scalar(bt * B * S * Bt * b), "W"),
        inferred("P in letters", "v^T S v is P,", vt * S * v, "=", P, "P", algebra=FORMS),
        inferred("o in letters", "v^T y is beta - o,", vt * S * Bt * b, "=", beta - o, "o", algebra=FORMS),
        by_fact("y^T v", "and so is y^T v:", "a number is its transpose", {"v": solution, "w": v}, {}),
        inferred(
            "o transposed",
            "beta - o,",
            o,
            "=",
            beta - scalar(bt * B * transpose(S) * v),
            *("y^T v", "o"),
        ),
        inferred(
            "o, with S",
            "S being symmetric,",
            o,
            "=",
            beta - scalar(bt * B * S * v),
            "o transposed",
            Use("S^T", between=(-bt * B, v)),
            algebra=FORMS,
        ),
        inferred("c^T S v", "as a number", scalar(bt * B * S * v), "=", beta - o, "o, with S"),
        inferred("c^T S v in letters", "and in letters.", bt * B * S * v, "=", beta - o, "o, with S", algebra=FORMS),
        inferred(
            "solution, with the record",
            "(N + v v^T) y' = c + beta v, y' = y + S v o/(1 + P),",
            WITH.gram * solution_with,
            "=",
            WITH.cross,
            Use("S from the right", between=(one, c)),
            Use("S from the right", between=(one, v * moved)),
            Use("P in letters", between=(v * moved, one)),
            Use("o in letters", between=(v, one)),
            algebra=FORMS,
        ),
        inferred(
            "solution transposed",
            "transposed,",
            (bt * B * S + vt * S * moved) * WITH.gram,
            "=",
            transpose(WITH.cross),
            Use("S from the left", between=(bt * B, one)),
            Use("S from the left", between=(vt * moved, one)),
            Use("P in letters", between=(moved, vt)),
            Use("c^T S v in letters", between=(one, vt)),
            algebra=FORMS,
        ),
        named(R, "R = W + o^2/(1 + P) is", W + o**2 / (1 + P)),
        Step("R > 0", "positive, and", lhs=R, rhs=zero, relation=">", witness=R),
        inferred(
            "residual, with the record",
            "what is left of a + beta^2.",
            R,
            "=",
            WITH.square - scalar(transpose(WITH.cross) * solution_with),
            *("R", "W", "c^T S v", "o", "P"),
        ),
    )


def _sum_of_squares(at: Database) -> Any:
    """The squared length of what x leaves of all records: what the laws have in their power."""
    return at.square + scalar(xt * at.gram * x) - scalar(xt * at.cross) - scalar(transpose(at.cross) * x)


def offset_steps() -> tuple[Step, ...]:
    """The form of the law with the record."""
    return (
        named(h1, "h' = x - y',", x - solution_with),
        squared("|B h'|^2", "with the squares of B h',", B * h1),
        squared("|h'|^2", "h'", h1),
        squared("(v^T h')^2", "and v^T h',", vt * h1),
        inferred(
            "V >= 0",
            "of which h'^T (N + v v^T) h' is made.",
            scalar(transpose(h1) * WITH.gram * h1),
            ">=",
            zero,
            *("|B h'|^2", Use("|h'|^2", weight=s**2), "(v^T h')^2"),
        ),
        named(V, "V is that form.", scalar(transpose(h1) * WITH.gram * h1), "V >= 0"),
    )


def change_steps() -> tuple[Step, ...]:
    """What the record changes: forms, determinants, densities."""
    return (
        inferred(
            "all squares, without the record",
            "W + U is the squared length of what x leaves,",
            U,
            "=",
            _sum_of_squares(WITHOUT) - W,
            *("U", "h", "W", "S^T"),
            Use("S from the right", between=(-xt, c)),
            Use("S from the left", between=(-bt * B, x)),
            Use("S from the right", between=(bt * B * S, c)),
            algebra=FORMS,
        ),
        inferred(
            "all squares, with the record",
            "and so is R + V with the record.",
            V,
            "=",
            _sum_of_squares(WITH) - R,
            *("V", "h1", "residual, with the record", "S^T"),
            Use("solution, with the record", between=(-xt, one)),
            Use("solution transposed", between=(-one, x)),
            Use("solution transposed", between=(one, solution_with)),
            algebra=FORMS,
        ),
        by_fact("x^T v", "x^T v is v^T x,", "a number is its transpose", {"v": x, "w": v}, {}),
        inferred("v^T x in letters", "and beta - g;", vt * x, "=", beta - g, "g", algebra=FORMS),
        inferred(
            "x^T v v^T x",
            "with x^T v before it,",
            scalar(xt * v * vt * x),
            "=",
            scalar(xt * v) * (beta - g),
            Use("v^T x in letters", between=(xt * v, one)),
            algebra=FORMS,
        ),
        inferred(
            "one square more",
            "they differ by g^2.",
            V,
            "=",
            U + W + g**2 - R,
            *("all squares, with the record", "all squares, without the record", "x^T v v^T x", "x^T v", "g"),
        ),
        by_fact(
            "det (N + v v^T)",
            "The determinant grows",
            "determinant of a matrix and a square",
            {"A": N, "X": S, "w": v},
            {"inverse": "S from the right"},
        ),
        inferred("E = D (1 + P)", "by 1 + P.", E, "=", D * (1 + P), *("E", "det (N + v v^T)", "D", "P")),
        inferred(
            "ratio",
            "So the record changes the density by a factor.",
            stated_density(WITH),
            "=",
            factor(P, Q, T) * stated_density(WITHOUT),
            *("law, with the record", "law, without the record", "one square more", "E = D (1 + P)", "R", "Q", "T"),
        ),
    )


def factor(p: Any, q: Any, t: Any) -> Any:
    return (1 + p) ** ((d - r) / 2) * (1 + q) ** ((r - d + 1) / 2) * (1 + t) ** (-(r + 1) / 2)
