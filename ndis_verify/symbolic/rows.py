"""The leverage of a row, in letters: one of the rows of a matrix, and one that comes to them.

B has the other rows, v is the row, E = [B; v^T] has all of them. S = (E^T E)^{-1}, T = (B^T B)^{-1}.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import sympy as sp

from ndis_verify.symbolic.block_algebra import inverse as inverse_of
from ndis_verify.symbolic.block_algebra import letter, without_rules
from ndis_verify.symbolic.derivation import Conclusion, Derivation, Fault, Hypothesis, Step, Use
from ndis_verify.symbolic.fact_steps import by_fact, from_side, inferred, named, squared
from ndis_verify.symbolic.notation import anything, det, positive_definite, scalar, transpose
from ndis_verify.symbolic.sketch_records import (
    B,
    Bt,
    S,
    v,
    vt,
)
from ndis_verify.symbolic.statement_terms import quantity

zero, one = sp.Integer(0), sp.Integer(1)
T, yt = letter("T"), transpose(anything)
_value = sp.Symbol("y_0", real=True)  # v^T S v, of which nothing is known yet
h, m, bound = sp.symbols("h m b", nonnegative=True)
length, least = sp.Symbol("l", real=True), sp.Symbol("s", positive=True)
_others, _rows = Bt * B, quantity("above", B, vt)
_all, _gram = _others + v * vt, transpose(_rows) * _rows
_FORMS = without_rules((B, Bt, v, vt, S, transpose(S), T, transpose(T), anything, yt, _rows, transpose(_rows)))
_updated = T - T * v * vt * T / (1 + h)  # the inverse with the row


def _inverse_steps(inverse: Any, gram: Any, *given: str) -> tuple[Step, ...]:
    name = str(inverse)
    return (
        named(inverse, "An inverse:", inverse_of(gram), *given),
        from_side(inverse, gram, "left", "from the left,"),
        from_side(inverse, gram, "right", "from the right,"),
        by_fact(
            f"{name}^T",
            "symmetric.",
            "a symmetric inverse",
            {"X": inverse, "Y": gram},
            {"product": f"{name} from the left"},
        ),
    )


def _by_blocks() -> Step:
    letters = {"A": B, "B": vt, "C": B, "D": vt}
    return by_fact("E^T E", "E^T E = B^T B + v v^T.", "a product of blocks, one above the other", letters, {})


def _block_steps(inverse: Any, gram: Any) -> tuple[Step, ...]:
    """The inverse of E^T E, which is `inverse` of `gram`; E^T E by blocks is there, and the inverse from the left."""
    product = ("S from the left",) if inverse is S else ("update",)
    return (
        inferred(
            "inverse times E^T E", "So the same matrix", inverse * _gram, "=", one, *("E^T E", *product), algebra=_FORMS
        ),
        by_fact(
            "(E^T E)^{-1}",
            "is its inverse.",
            "an inverse from one side",
            {"X": inverse, "Y": _gram},
            {"product": "inverse times E^T E"},
        ),
        inferred(
            "in the rows",
            "So the form at v is the leverage.",
            scalar(vt * inverse_of(_gram) * v),
            "=",
            scalar(vt * inverse * v),
            Use("(E^T E)^{-1}", between=(vt, v)),
            algebra=_FORMS,
        ),
    )


@cache
def of_a_row() -> Derivation:
    """A row's leverage `p = v^T (E^T E)^{-1} v` is from 0 to 1, and `1 - p = det(B^T B)/det(E^T E)` (N26-F1, N24-F1).

    `number`: the largest leverage, 1.
    """
    given = "E^T E > 0"
    leverage = scalar(vt * inverse_of(_gram) * v)
    steps = (
        _by_blocks(),
        *_inverse_steps(S, _all, given, "E^T E"),
        *_block_steps(S, _all),
        named(_value, "v^T S v.", scalar(vt * S * v)),
        inferred("in letters", "A number.", vt * S * v, "=", _value, str(_value), algebra=_FORMS),
        squared("|B S v|^2", "What the others make of S v has a square,", B * S * v),
        inferred(
            "two squares",
            "and v^T S v = |B S v|^2 + (v^T S v)^2.",
            scalar(vt * S * v),
            "=",
            scalar(vt * S * Bt * B * S * v) + _value**2,
            Use("S from the right", between=(-vt * S, v)),
            Use("in letters", between=(vt * S * v, one)),
            Use("in letters", between=(_value, one)),
            algebra=_FORMS,
        ),
        Step("square", "A square.", lhs=_value**2, rhs=zero, relation=">=", witness=_value**2),
        inferred(
            "not negative",
            "So it is not negative,",
            scalar(vt * S * v),
            ">=",
            zero,
            *("two squares", "|B S v|^2", "square", "S^T"),
        ),
        inferred(
            "own square",
            "and at least its square,",
            _value**2,
            "<=",
            scalar(vt * S * v),
            *("two squares", Use("|B S v|^2", weight=-1), "S^T"),
        ),
        inferred("by name", "by its name,", scalar(vt * S * v), "=", _value, str(_value)),
        inferred("y_0^2", "as a number,", _value**2, "<=", _value, *("own square", "by name")),
        by_fact(
            "at most 1",
            "which makes it at most 1.",
            "a square and a multiple",
            {"a": _value, "b": one},
            {"sign": Step("one", "Positive.", one, zero, ">=", one), "square": "y_0^2"},
        ),
        by_fact(
            "determinant",
            "Without the row the determinant is det(E^T E) (1 - v^T S v).",
            "determinant of a matrix less a square",
            {"A": _all, "X": S, "w": v},
            {"inverse": "S from the right"},
        ),
        inferred("p >= 0", "In the rows themselves.", leverage, ">=", zero, *("not negative", "in the rows")),
        inferred("p <= 1", "As well.", leverage, "<=", one, *("at most 1", "in the rows", "by name")),
        by_fact(
            "det S",
            "E^T E has a determinant other than 0, and",
            "determinants of a matrix and its inverse",
            {"X": S, "N": _gram},
            {"inverse": "inverse times E^T E"},
        ),
        inferred(
            "1 - p",
            "what is left is a quotient of determinants.",
            1 - leverage,
            "=",
            det(_others) / det(_gram),
            *("in the rows", "E^T E", "determinant", "det S"),
        ),
    )
    return Derivation(
        id="rows.of_a_row",
        title="The leverage of a row is from 0 to 1, and what is left is a quotient of determinants",
        sources=("N26-F1", "N24-F1"),
        hypotheses=(Hypothesis(given, positive_definite(_gram)),),
        steps=steps,
        result_step="at most 1",
        symbols={},
        faults=(
            Fault("half", "p <= 1", lambda rhs: rhs / 2),
            Fault("1 + p in place of 1 - p", "1 - p", lambda rhs: 1 / rhs),
            Fault("square left out", "two squares", lambda rhs: rhs - _value**2),
        ),
        concludes=tuple(
            Conclusion(claim, end, {"D": B, "v": v})
            for claim in ("N26-F1", "N24-F1")
            for end in ("p >= 0", "p <= 1", "1 - p")
        ),
    )


def _update_steps(given: str) -> tuple[Step, ...]:
    """A row that comes: v^T (B^T B + v v^T)^{-1} v = h/(1 + h), h = v^T T v."""
    return (
        *_inverse_steps(T, _others, given),
        squared("|B T v|^2", "A squared length,", B * T * v),
        inferred(
            "v^T T v",
            "which is v^T T v,",
            scalar(vt * T * v),
            "=",
            scalar(vt * T * Bt * B * T * v),
            Use("T from the right", between=(-vt * T, v)),
            algebra=_FORMS,
        ),
        inferred(
            "not negative", "so this is not negative.", scalar(vt * T * v), ">=", zero, *("v^T T v", "|B T v|^2", "T^T")
        ),
        named(h, "h = v^T T v.", scalar(vt * T * v), "not negative"),
        inferred("h in letters", "A number.", vt * T * v, "=", h, "h", algebra=_FORMS),
        inferred(
            "update",
            "The inverse with the row, from one side,",
            _updated * _all,
            "=",
            one,
            Use("T from the left", between=(one, one)),
            Use("T from the left", between=(-T * v * vt / (1 + h), one)),
            Use("h in letters", between=(-T * v / (1 + h), vt)),
            algebra=_FORMS,
        ),
        inferred(
            "form",
            "Its form at v.",
            scalar(vt * _updated * v),
            "=",
            h / (1 + h),
            Use("h in letters", between=(one - vt * T * v / (1 + h), one)),
            Use("h in letters", between=(-h / (1 + h), one)),
            algebra=_FORMS,
        ),
    )


@cache
def of_a_new_row() -> Derivation:
    """A row that comes to rows of full rank has leverage below 1, and `det(B^T B) = (1 - p) det(E^T E)` (N24-P14).

    `number`: its leverage h/(1 + h), at `h` = v^T (B^T B)^{-1} v.
    """
    given = "B^T B > 0"
    leverage = scalar(vt * inverse_of(_gram) * v)
    steps = (
        *_update_steps(given),
        _by_blocks(),
        *_block_steps(_updated, _all),
        Step("below 1", "That is below 1.", lhs=h / (1 + h), rhs=one, relation="<", witness=-1 / (1 + h)),
        by_fact(
            "determinant",
            "The determinant grows by 1 + h.",
            "determinant of a matrix and a square",
            {"A": _others, "X": T, "w": v},
            {"inverse": "T from the right"},
        ),
        inferred("p < 1", "In the rows themselves.", leverage, "<", one, *("below 1", "in the rows", "form")),
        inferred(
            "determinants",
            "1 - p = 1/(1 + h).",
            det(_others),
            "=",
            (1 - leverage) * det(_gram),
            *("in the rows", "E^T E", "form", "determinant", "h"),
        ),
    )
    return Derivation(
        id="rows.of_a_new_row",
        title="A row that comes to rows of full rank",
        sources=("N24-P14",),
        hypotheses=(Hypothesis(given, positive_definite(_others)),),
        steps=steps,
        result_step="form",
        symbols={"h": h},
        faults=(
            Fault("h in place of h/(1 + h)", "form", lambda rhs: h),
            Fault("half", "p < 1", lambda rhs: rhs / 2),
            Fault("1 + p in place of 1 - p", "determinants", lambda rhs: (1 + leverage) * det(_gram)),
        ),
        concludes=tuple(Conclusion("N24-P14", end, {"B": B, "v": v}) for end in ("p < 1", "determinants")),
    )


@cache
def in_a_ball() -> Derivation:
    """Beside rows with B^T B >= s I a row of norm l at most has leverage h/(1 + h), at most `l^2/(s + l^2)`
    (N24-D6-neighbourhood).

    `number`: that leverage at `h`.
    """
    given = "D^T D >= s I"
    form = scalar(vt * inverse_of(_others) * v)
    w = T * v
    steps = (
        *_update_steps(given),
        by_fact(
            "inverse",
            "The inverse from both sides.",
            "an inverse from one side",
            {"X": _updated, "Y": _all},
            {"product": "update"},
        ),
        squared("|v|^2", "A squared length,", v),
        inferred(
            "leverage", "So the leverage is", scalar(vt * inverse_of(_all) * v), "=", h / (1 + h), *("inverse", "form")
        ),
        named(m, "m = |v|^2.", scalar(vt * v), "|v|^2"),
        squared("|T v|^2", "Another one,", w),
        named(bound, "of this name.", scalar(transpose(w) * w), "|T v|^2"),
        inferred(
            "least eigenvalue",
            "h is the form of B^T B at T v, and so at least s |T v|^2,",
            h,
            ">=",
            least * bound,
            Use(given, at={anything: w}),
            *("h", "v^T T v", str(bound), "T^T"),
        ),
        by_fact(
            "Cauchy-Schwarz",
            "and its square at most |v|^2 |T v|^2.",
            "Cauchy-Schwarz inequality of vectors",
            {"u": v, "u^T": vt, "v": w, "v^T": transpose(w)},
            {},
        ),
        inferred("h^2", "So h^2 <= |v|^2 |T v|^2", h**2, "<=", m * bound, *("Cauchy-Schwarz", "h", str(m), str(bound))),
        inferred(
            "h^2 by h",
            "is at most l^2 h/s,",
            h**2,
            "<=",
            length**2 / least * h,
            *("h^2", Use("least eigenvalue", weight=-m / least), Use("m <= l^2", weight=h / least), str(m)),
        ),
        by_fact(
            "largest h",
            "and h at most l^2/s.",
            "a square and a multiple",
            {"a": h, "b": length**2 / least},
            {
                "sign": Step("l^2/s", "Not negative.", length**2 / least, zero, ">=", length**2 / least),
                "square": "h^2 by h",
            },
        ),
        inferred(
            "largest leverage",
            "The leverage rises with h.",
            h / (1 + h),
            "<=",
            length**2 / (least + length**2),
            Use("largest h", weight=least / ((1 + h) * (least + length**2))),
        ),
        inferred(
            "leverage of u",
            "In terms of the rows.",
            scalar(vt * inverse_of(_all) * v),
            "=",
            form / (1 + form),
            *("leverage", "h", "T"),
        ),
        inferred(
            "bound",
            "As well.",
            form / (1 + form),
            "<=",
            length**2 / (least + length**2),
            *("largest leverage", "h", "T"),
        ),
    )
    return Derivation(
        id="rows.in_a_ball",
        title="The leverage of a row of bounded norm beside rows of full rank",
        sources=("N24-D6",),
        hypotheses=(
            Hypothesis(given, sp.Ge(scalar(yt * (_others - least) * anything), 0)),
            Hypothesis("m <= l^2", sp.Le(scalar(vt * v), length**2)),
        ),
        steps=steps,
        result_step="leverage",
        symbols={"h": h},
        faults=(
            Fault("h in place of h/(1 + h)", "leverage", lambda rhs: h),
            Fault("half of l^2", "bound", lambda rhs: rhs / 2),
            Fault("sign in Sherman-Morrison", "form", lambda rhs: h / (1 - h)),
        ),
        concludes=tuple(
            Conclusion("N24-D6-neighbourhood", end, {"D": B, "u": v, "s": least, "l": length})
            for end in ("leverage of u", "bound")
        ),
    )
