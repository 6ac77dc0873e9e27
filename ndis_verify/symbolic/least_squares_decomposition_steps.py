"""Least squares with a record and without it, in letters: solutions, residuals, and the leverages by them.

E = [B; v^T] and y = [b; c] have the record (v, c) as their last row. T = (B^T B)^{-1}, S = (E^T E)^{-1}; W and W' are
the squared residuals without the record and with it.
"""

from __future__ import annotations

from typing import Any

import sympy as sp

from ndis_verify.symbolic.block_algebra import inverse, letter, without_rules
from ndis_verify.symbolic.derivation import Hypothesis, Step, Use
from ndis_verify.symbolic.fact_steps import by_fact, from_side, inferred, named
from ndis_verify.symbolic.leverage_with_answers import (
    E,
    Et,
    Y,
    Yt,
    c,
    gram,
    record,
    record_t,
    share_of_the_residual,
    whole,
)
from ndis_verify.symbolic.notation import anything, det, positive_definite, scalar, transpose
from ndis_verify.symbolic.rows import T, h, of_a_new_row
from ndis_verify.symbolic.sketch_records import (
    B,
    Bt,
    S,
    b,
    bt,
    v,
    vt,
    yt,
)

zero, one = sp.Integer(0), sp.Integer(1)
t = sp.Symbol("t", nonpositive=True)
r = sp.Symbol("r", positive=True)
o = sp.Symbol("o", real=True)  # what the solution without the record leaves of it
W = sp.Symbol("W", positive=True)
W1 = sp.Symbol("W'", positive=True)
e = letter("e")  # how far the record moves the solution
et = transpose(e)
others = Bt * B
moved = o / (1 + h)
ratio = W1 / W
_FORMS = without_rules(
    (*(B, Bt, b, bt, v, vt, T, transpose(T), S, e, et, E, Et, Y, Yt, anything, yt), inverse(others), inverse(gram)),
    (c, h, o, r, t, W, W1),
)
GIVEN = "B^T B > 0"
DEFINITE = Hypothesis(GIVEN, positive_definite(Bt * B))


def _residual(rows: Any, answers: Any, weight: Any) -> Any:
    """The squared residual of least squares, `weight` the inverse of the rows' products."""
    left, right = transpose(answers) * rows, transpose(rows) * answers
    fit = scalar(left * weight * transpose(rows) * rows * weight * right)
    return scalar(transpose(answers) * answers) - 2 * scalar(left * weight * right) + fit


before, after = _residual(B, b, inverse(others)), _residual(E, Y, inverse(gram))
RESIDUAL = Hypothesis("(b - B z)^T (b - B z) > 0", sp.Gt(before, 0))
leverage = scalar(vt * inverse(gram) * v)
share = scalar(record_t * inverse(whole) * record)


def row(step: str, **more: Any) -> Use:
    return Use(step, of=of_a_new_row, **more)


def in_letters(name: str, why: str, lhs: Any, rhs: Any, *premises: Any) -> Step:
    return inferred(name, why, lhs, "=", rhs, *premises, algebra=_FORMS)


def _block(name: str, why: str, *letters: Any) -> Step:
    names = dict(zip("ABCD", letters, strict=True))
    return by_fact(name, why, "a product of blocks, one above the other", names, {})


def without_steps() -> tuple[Step, ...]:
    """The solution and the residual without the record."""
    least = scalar(bt * b) - scalar(bt * B * T * Bt * b)
    return (
        in_letters("T N", "T = (B^T B)^{-1},", T * others, one, row("T from the left", between=(one, one))),
        in_letters("N T", "from both sides.", others * T, one, row("T from the right", between=(one, one))),
        by_fact(
            "T in full", "No other matrix is.", "an inverse from one side", {"X": T, "Y": others}, {"product": "T N"}
        ),
        in_letters(
            "projection",
            "What it makes of b is a projection,",
            scalar(bt * B * T * others * T * Bt * b),
            scalar(bt * B * T * Bt * b),
            Use("N T", between=(bt * B * T, Bt * b)),
        ),
        inferred(
            "W > 0",
            "so that the residual is positive:",
            *(least, ">", zero),
            *(Use(RESIDUAL.text), "T in full", "projection"),
        ),
        named(W, "it is W.", least, "W > 0"),
        inferred("b^T b", "With it,", scalar(bt * b), "=", W + scalar(bt * B * T * Bt * b), str(W)),
        named(o, "o = c - v^T z is what the solution z leaves of the record.", c - scalar(vt * T * Bt * b)),
        in_letters("v^T z", "As a number,", vt * T * Bt * b, c - o, str(o)),
        by_fact(
            "z^T v",
            "and from the other side,",
            "transposes of equal arrays",
            {"X": vt * T * Bt * b, "Y": c - o},
            {"equal": "v^T z"},
        ),
        in_letters(
            "z^T v by T",
            "T being symmetric.",
            *(bt * B * T * v, c - o),
            *(Use("z^T v", between=(one, one)), row("T^T", between=(-bt * B, v))),
        ),
        in_letters("h", "h = v^T T v, a number.", vt * T * v, h, row("h in letters", between=(one, one))),
    )


def with_steps() -> tuple[Step, ...]:
    """The solution and the residual with the record."""
    solution = T * Bt * b + T * v * moved
    return (
        in_letters("E^T E", "E^T E = B^T B + v v^T,", gram, others + v * vt, row("E^T E", between=(one, one))),
        by_fact("(v^T y)^2", "A square", "squared length", {"w": vt * anything, "w^T": yt * v}, {}),
        inferred(
            "form",
            "makes the forms of E^T E larger than those of B^T B: E^T E > 0.",
            *(scalar(yt * gram * anything), ">=", scalar(yt * others * anything)),
            *(Use("E^T E", between=(yt, anything)), "(v^T y)^2"),
            algebra=_FORMS,
        ),
        named(S, "S is its inverse,", inverse(gram), "form"),
        from_side(S, gram, "right", "from the right."),
        from_side(S, gram, "left", "and from the left."),
        by_fact(
            "S in full",
            "No other matrix is.",
            "an inverse from one side",
            {"X": S, "Y": gram},
            {"product": "S from the left"},
        ),
        inferred(
            "S by T", "By Sherman and Morrison", S, "=", T - T * v * vt * T / (1 + h), str(S), row("(E^T E)^{-1}")
        ),
        _block("E^T y", "E^T y,", B, vt, b, c),
        _block("y^T E", "y^T E", b, c, B, vt),
        _block("y^T y", "and y^T y are those of the others and a part of the record.", b, c, b, c),
        in_letters(
            "solution",
            "The solution moves by T v o/(1 + h):",
            S * Et * Y,
            solution,
            "S by T",
            Use("E^T y", between=(T - T * v * vt * T / (1 + h), one)),
            Use("v^T z", between=(-T * v / (1 + h), one)),
            Use("h", between=(-c * T * v / (1 + h), one)),
        ),
        named(W1, "W' = W + o^2/(1 + h)", W + o**2 / (1 + h)),
        in_letters(
            "projection with the record",
            "is the residual with the record:",
            scalar(Yt * E * S * gram * S * Et * Y),
            scalar(Yt * E * S * Et * Y),
            Use("S from the right", between=(Yt * E * S, Et * Y)),
        ),
        in_letters(
            "y^T E x",
            "of what the solution makes,",
            scalar(Yt * E * S * Et * Y),
            scalar(bt * B * T * Bt * b) + (c - o) * (c + moved) + c * h * moved,
            Use("solution", between=(Yt * E, one)),
            Use("y^T E", between=(one, solution)),
            Use("z^T v by T", between=(moved, one)),
            Use("v^T z", between=(c, one)),
            Use("h", between=(c * moved, one)),
        ),
        in_letters(
            "y^T y, a number", "and of y^T y,", scalar(Yt * Y), scalar(bt * b) + c**2, Use("y^T y", between=(one, one))
        ),
        inferred(
            "y^T y with the record",
            "it is left.",
            *(scalar(Yt * Y), "=", W1 + scalar(Yt * E * S * Et * Y)),
            *("y^T E x", "y^T y, a number", "b^T b", str(W1)),
        ),
    )


def number_steps() -> tuple[Step, ...]:
    """p, q and the residuals by h, o, W and W'."""
    fitted = scalar(vt * inverse(gram) * Et * Y)
    total = h / (1 + h) + moved**2 / W1
    return (
        inferred(
            "w^T w", "w^T w is W',", after, "=", W1, "S in full", "projection with the record", "y^T y with the record"
        ),
        Step("W' > 0", "It is positive,", lhs=W1, rhs=zero, relation=">", witness=W1),
        inferred("w^T w > 0", "so w is not 0.", after, ">", zero, "W' > 0", "w^T w"),
        inferred("p", "p = h/(1 + h),", leverage, "=", h / (1 + h), row("in the rows"), row("form")),
        in_letters(
            "v^T x by S",
            "and the record leaves o/(1 + h).",
            scalar(vt * S * Et * Y),
            c - moved,
            Use("solution", between=(vt, one)),
            Use("v^T z", between=(one, one)),
            Use("h", between=(moved, one)),
        ),
        inferred(
            "sum",
            "p and the share of the squared residual",
            *(total, "=", leverage + (c - fitted) ** 2 / after),
            *("w^T w", "p", "S in full", "v^T x by S"),
        ),
        by_fact(
            "one column more",
            "As W' is not 0,",
            "determinant with one more column",
            {"A": E, "b": Y, "X": S},
            {"inverse": "S from the left"},
        ),
        inferred(
            "not singular",
            "[E, y]^T [E, y] has a determinant other than 0,",
            det(S) * det(whole),
            "=",
            W1,
            *("one column more", "y^T y with the record"),
        ),
        inferred(
            "q",
            "and the two parts are q,",
            *(share, "=", total),
            *("sum", "not singular"),
            Use("q in full", of=share_of_the_residual, granted={"E^T E > 0": "E^T E", "w^T w > 0": "w^T w > 0"}),
        ),
        inferred("1 - p", "With 1 - p = 1/(1 + h)", 1 - leverage, "=", 1 / (1 + h), "p"),
        inferred("1 - q", "and 1 - q = W/((1 + h) W') > 0,", 1 - share, "=", W / ((1 + h) * W1), *("q", str(W1))),
    )
