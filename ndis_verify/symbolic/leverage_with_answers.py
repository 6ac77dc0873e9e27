"""The leverage of a record in [E, y]: its leverage in E and the share of its squared residual (N24-P4).

E = [B; v^T] and y = [b; c] have the record (v, c) as their last row; S = (E^T E)^{-1}, x = S E^T y, w = y - E x.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import sympy as sp

from ndis_verify.symbolic.block_algebra import BlockAlgebra, inverse, letter, without_rules
from ndis_verify.symbolic.derivation import Conclusion, Derivation, Fault, Hypothesis, Step, Use
from ndis_verify.symbolic.fact_steps import by_fact, from_side, inferred, named
from ndis_verify.symbolic.notation import positive_definite, scalar, transpose
from ndis_verify.symbolic.sketch_records import (
    B,
    Bt,
    S,
    b,
    bt,
    v,
    vt,
)
from ndis_verify.symbolic.statement_terms import quantity

zero, one = sp.Integer(0), sp.Integer(1)
G, a = letter("G"), letter("a")
at = transpose(a)
c, g, q, t = sp.symbols("c g q t", real=True)
m = sp.Symbol("m", nonnegative=True)
W = sp.Symbol("W", positive=True)
E, Y = quantity("above", B, vt), quantity("above", b, c)
Et, Yt = transpose(E), transpose(Y)
gram = Et * E
both, record, u = quantity("beside", E, Y), quantity("above", v, c), quantity("above", a, t)
both_t, record_t = transpose(both), transpose(record)
whole = both_t * both
fit = E * a + t * Y
_LETTERS = (
    *(B, Bt, b, bt, v, vt, S, transpose(S), G, a, at, E, Et, Y, Yt),
    *(both, both_t, record, record_t, inverse(gram)),
)
FORMS = without_rules(_LETTERS, (c, g, m, q, t, W))
_AT_THE_RECORD = without_rules((*_LETTERS, u), (c, g, m, q, t, W))
_GIVEN = "E^T E > 0"
left = q - c * t  # v^T a


def _residual(weight: Any) -> Any:
    """w^T w, `weight` in the place of (E^T E)^{-1}."""
    return scalar(Yt * Y) - 2 * scalar(Yt * E * weight * Et * Y) + scalar(Yt * E * weight * gram * weight * Et * Y)


RESIDUAL = Hypothesis("w^T w > 0", sp.Gt(_residual(inverse(gram)), 0))


def in_letters(name: str, why: str, lhs: Any, rhs: Any, *premises: Any, algebra: BlockAlgebra = FORMS) -> Step:
    return inferred(name, why, lhs, "=", rhs, *premises, algebra=algebra)


def _fit_steps() -> tuple[Step, ...]:
    """S, the residual W, g = v^T x and t = (c - g)/W."""
    least = scalar(Yt * Y) - scalar(Yt * E * S * Et * Y)
    return (
        named(S, "S is the inverse of E^T E,", inverse(gram), _GIVEN),
        from_side(S, gram, "left", "from the left"),
        from_side(S, gram, "right", "and from the right,"),
        by_fact("S^T", "symmetric.", "a symmetric inverse", {"X": S, "Y": gram}, {"product": "S from the left"}),
        inferred("w^T w", "The residual in terms of S", _residual(S), ">", zero, Use(RESIDUAL.text), "S"),
        in_letters(
            "projection",
            "is y^T y less y^T E S E^T y,",
            scalar(Yt * E * S * gram * S * Et * Y),
            scalar(Yt * E * S * Et * Y),
            Use("S from the right", between=(Yt * E * S, Et * Y)),
        ),
        inferred("W > 0", "so this is positive.", least, ">", zero, "w^T w", "projection"),
        named(W, "It is W;", least, "W > 0"),
        in_letters("W in letters", "a number.", Yt * Y - Yt * E * S * Et * Y, W, "W"),
        named(g, "g is v^T x,", scalar(vt * S * Et * Y)),
        in_letters("g in letters", "a number, too,", vt * S * Et * Y, g, "g"),
        by_fact(
            "g transposed",
            "and so from its other side.",
            "transposes of equal arrays",
            {"X": vt * S * Et * Y, "Y": g},
            {"equal": "g in letters"},
        ),
        in_letters(
            "g from the right",
            "S is symmetric.",
            Yt * E * S * v,
            g,
            *(Use("g transposed", between=(one, one)), Use("S^T", between=(-Yt * E, v))),
        ),
        named(t, "t is the share of the residual that the record has,", (c - g) / W),
        named(a, "and a = S v - t x.", S * v - t * S * Et * Y),
    )


def _image_steps() -> tuple[Step, ...]:
    """[E, y]^T [E, y] [a; t] = [v; c]."""
    return (
        in_letters(
            "first block",
            "E^T (E a + t y) = v,",
            Et * fit,
            v,
            "a",
            Use("S from the right", between=(one, v)),
            Use("S from the right", between=(-t, Et * Y)),
        ),
        in_letters(
            "last entry",
            "and y^T (E a + t y) = c.",
            Yt * fit,
            c,
            *("a", "t"),
            Use("g from the right", between=(one, one)),
            Use("W in letters", between=((c - g) / W, one)),
        ),
        by_fact(
            "image",
            "[E, y] [a; t] = E a + t y,",
            "a product of blocks, side by side",
            {"A": E, "B": Y, "C": a, "D": t},
            {},
        ),
        by_fact(
            "blocks",
            "whose image is made of these blocks,",
            "a transpose of blocks, side by side",
            {"A": E, "B": Y, "C": fit},
            {},
        ),
        inferred("record", "which are the record.", both_t * fit, "=", record, "blocks", "first block", "last entry"),
        by_fact(
            "one column more",
            "As the residual is not 0, [E, y]^T [E, y] has a determinant other than 0.",
            "determinant with one more column",
            {"A": E, "b": Y, "X": S},
            {"inverse": "S from the left"},
        ),
        named(G, "G is the inverse of [E, y]^T [E, y],", inverse(whole), "one column more"),
        from_side(G, whole, "left", "from the left,"),
        in_letters(
            "G at the record",
            "so that q is [v; c]^T [a; t],",
            scalar(record_t * G * record),
            scalar(record_t * u),
            Use("G from the left", between=(record_t, u)),
            Use("image", between=(-record_t * G * both_t, one)),
            Use("record", between=(-record_t * G, one)),
            algebra=_AT_THE_RECORD,
        ),
        by_fact(
            "record's product",
            "v^T a + c t.",
            "a product of blocks, one above the other",
            {"A": v, "B": c, "C": a, "D": t},
            {},
        ),
        in_letters(
            "in parts",
            "As a number.",
            scalar(record_t * u),
            scalar(vt * a) + c * t,
            Use("record's product", between=(one, one)),
            algebra=_AT_THE_RECORD,
        ),
        named(q, "q is the leverage in [E, y].", scalar(record_t * G * record)),
    )


def _sum_steps() -> tuple[Step, ...]:
    """q = p + (c - g)^2/W."""
    p, x = scalar(vt * S * v), scalar(vt * S * Et * Y)
    return (
        in_letters("v^T a", "In terms of S,", scalar(vt * a), scalar(vt * S * v) - t * scalar(vt * S * Et * Y), "a"),
        inferred(
            "sum",
            "the leverage and the share of the squared residual.",
            scalar(record_t * G * record),
            "=",
            p + (c - x) ** 2 / (scalar(Yt * Y) - scalar(Yt * E * S * Et * Y)),
            *("G at the record", "in parts", "v^T a", "t", "g", "W"),
        ),
        *(
            by_fact(
                f"{name} in full",
                "No matrix has another inverse.",
                "an inverse from one side",
                {"X": symbol, "Y": matrix},
                {"product": f"{name} from the left"},
            )
            for name, symbol, matrix in (("S", S, gram), ("G", G, whole))
        ),
        inferred(
            "q in full",
            "In the statement's letters.",
            scalar(vt * inverse(gram) * v) + (c - scalar(vt * inverse(gram) * Et * Y)) ** 2 / _residual(inverse(gram)),
            "=",
            scalar(record_t * inverse(whole) * record),
            *("S in full", "G in full", "projection", "sum"),
        ),
    )


def _square_steps() -> tuple[Step, ...]:
    """q = |B a + t b|^2 + q^2."""
    others = B * a + t * b
    blocks = "a product of blocks, one above the other"
    return (
        in_letters("v^T a by q", "v^T a is q - c t,", vt * a, left, *("q", "G at the record", "in parts")),
        by_fact(
            "a^T v",
            "from its other side, too.",
            "transposes of equal arrays",
            {"X": vt * a, "Y": left},
            {"equal": "v^T a by q"},
        ),
        by_fact("E^T E", "E^T E,", blocks, {"A": B, "B": vt, "C": B, "D": vt}, {}),
        by_fact("E^T y", "E^T y,", blocks, {"A": B, "B": vt, "C": b, "D": c}, {}),
        by_fact("y^T E", "y^T E", blocks, {"A": b, "B": c, "C": B, "D": vt}, {}),
        by_fact(
            "y^T y",
            "and y^T y are those of the others and a part of the record.",
            blocks,
            {"A": b, "B": c, "C": b, "D": c},
            {},
        ),
        by_fact(
            "|B a + t b|^2",
            "A squared length,",
            "squared length",
            {"w": others, "w^T": transpose(others)},
            {},
        ),
        named(m, "by its name,", scalar(transpose(others) * others), "|B a + t b|^2"),
        in_letters(
            "q - q^2",
            "which is what the others have of q.",
            m,
            q - q**2,
            "m",
            Use("first block", between=(at, one)),
            Use("last entry", between=(t, one)),
            Use("E^T E", between=(-at, a)),
            Use("E^T y", between=(-t * at, one)),
            Use("y^T E", between=(-t, a)),
            Use("y^T y", between=(-(t**2), one)),
            Use("v^T a by q", between=(-at * v - c * t, one)),
            Use("a^T v", between=(1 - left - c * t, one)),
        ),
        Step("m >= 0", "It is not negative,", m, zero, ">=", m),
        by_fact(
            "at most 1",
            "So q is at most 1.",
            "a square and a multiple",
            {"a": q, "b": one},
            {
                "sign": Step("one", "Positive.", one, zero, ">=", one),
                "square": inferred("its square", "As shown.", q**2, "<=", q, "q - q^2", Use("m >= 0", weight=-1)),
            },
        ),
        inferred(
            "q <= 1",
            "In the statement's letters.",
            scalar(record_t * inverse(whole) * record),
            "<=",
            one,
            *("G in full", "at most 1", "q"),
        ),
    )


@cache
def share_of_the_residual() -> Derivation:
    """p + (c - v^T x)^2/|w|^2 = q and q <= 1 (N24-P4).

    `number`: t, the share of the residual that the record has, at `answer` = c, `fitted` = v^T x, `residual` = w^T w.
    """
    names = {"B": B, "b": b, "v": v, "c": c}
    return Derivation(
        id="leverage_with_answers.share_of_the_residual",
        title="The leverage of a record in [E, y]",
        sources=("N24-P4",),
        hypotheses=(Hypothesis(_GIVEN, positive_definite(gram)), RESIDUAL),
        steps=(*_fit_steps(), *_image_steps(), *_sum_steps(), *_square_steps()),
        result_step="t",
        symbols={"answer": c, "fitted": g, "residual": W},
        faults=(
            Fault("move of the wrong sign", "first block", lambda rhs: -rhs),
            Fault("residual forgotten", "sum", lambda rhs: scalar(vt * S * v)),
            Fault("residual not squared", "q - q^2", lambda rhs: 2 * rhs),
            Fault("half", "q <= 1", lambda rhs: rhs / 2),
            Fault("projection left out", "projection", lambda rhs: 2 * rhs),
        ),
        concludes=(Conclusion("N24-P4", "q in full", names), Conclusion("N24-P4", "q <= 1", names)),
    )
