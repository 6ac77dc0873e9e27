"""How far one record moves a Gaussian-process prediction at most, and how much of its variance is left (N26-Pr8).

Letters as in `prediction_features`; X = p^T T p, c = q^T T p, N = q^T T q, k = p^T T F^T y, o = |T p|^2, f = |F T p|^2.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import sympy as sp

from ndis_verify.symbolic.derivation import Conclusion, Derivation, Fault, Hypothesis, Step, Use
from ndis_verify.symbolic.fact_steps import by_fact, inferred, named, squared
from ndis_verify.symbolic.notation import scalar, transpose
from ndis_verify.symbolic.prediction_features import (
    F,
    Ft,
    T,
    form_inequality,
    form_steps,
    label,
    labels,
    mean_with,
    mean_without,
    noise,
    one,
    p,
    pt,
    q,
    qt,
    update,
    variance_with,
    variance_without,
    weight_steps,
    y,
    yt,
    zero,
)
from ndis_verify.symbolic.statement_terms import quantity

length = sp.Symbol("l", nonnegative=True)
added, S, V = sp.symbols("v S V", positive=True)  # S and V: the variances without the record and with it
X, N, o, f, g, Y, Q = sp.symbols("X N o f g Y Q", nonnegative=True)
c, k, D = sp.symbols("c k D", real=True)  # D: how far the mean moves
others = quantity("rows", F)
records = others + 1
ratio = length * sp.sqrt(records) / noise  # x
half = length * labels * sp.sqrt(records) / (2 * noise)
best = (added + length**2) / (added + length**2 * noise**2 / (length**2 + noise**2))
printed = (added + length**2) / added
_MEANS = (mean_with, mean_without)
IN_LETTERS = {"g": q, "u": p, "X": F, "y": y, "c": label, "l": length, "B": labels, "s": noise, "v": added}
RECORD = Hypothesis("p^T p <= l^2", sp.Le(scalar(pt * p), length**2))
QUERY = Hypothesis("q^T q <= l^2", sp.Le(scalar(qt * q), length**2))
LABELS = Hypothesis("y^T y <= m B^2", sp.Le(scalar(yt * y), others * labels**2))
LABEL = Hypothesis("|b| <= B", sp.Le(sp.Abs(label), labels))


def in_product(name: str, why: str, u: Any, v: Any) -> Step:
    letters = {"u": u, "u^T": transpose(u), "v": v, "v^T": transpose(v)}
    return by_fact(name, why, "Cauchy-Schwarz inequality of vectors", letters, {})


def _at_least(name: str, why: str, lhs: Any, rhs: Any, *premises: str | Use) -> Step:
    return inferred(name, why, lhs, ">=", rhs, *premises)


def not_negative(name: str, value: Any) -> Step:
    return Step(name, "It is not negative.", value, zero, ">=", value)


def _square(symbol: sp.Symbol, known: str, value: Any, why: str) -> tuple[Step, Step]:
    """A squared length, by name."""
    return (
        _at_least(f"{symbol} >= 0", why, value, zero, known, "T^T"),
        named(symbol, "and so called.", value, f"{symbol} >= 0"),
    )


def _form(symbol: sp.Symbol, vector: Any, image: sp.Symbol, bound: Hypothesis) -> tuple[Step, ...]:
    """`symbol` = v^T T v = s^2 `image` + |F T v|^2 is at most l^2/s^2."""
    v, vt = vector, transpose(vector)
    called = f"{v}^T T {v}"
    limit = length**2 / noise**2
    return (
        squared(f"|T {v}|^2", "A squared length", T * v),
        *form_steps(v, "and another one are of what is left."),
        *_square(image, f"|T {v}|^2", scalar(vt * T * T * v), "The first"),
        _at_least(
            f"{symbol} above",
            "so it is not below the first,",
            scalar(vt * T * v),
            noise**2 * image,
            *(f"|F T {v}|^2", called, str(image), "T^T"),
        ),
        _at_least(
            f"{symbol} >= 0",
            "not negative,",
            scalar(vt * T * v),
            zero,
            *(f"{symbol} above", Use(f"{image} >= 0", weight=noise**2), str(image)),
        ),
        named(symbol, "by its name,", scalar(vt * T * v), f"{symbol} >= 0"),
        in_product(f"{v} and T {v}", "and an inner product:", v, T * v),
        by_fact(
            f"{symbol} at most",
            "at most l^2/s^2.",
            "a square and a multiple",
            {"a": symbol, "b": limit},
            {
                "sign": not_negative("limit", limit),
                "square": inferred(
                    "square",
                    "Its square is at most l^2 times the first.",
                    symbol**2,
                    "<=",
                    limit * symbol,
                    *(f"{v} and T {v}", Use(bound.text, weight=image), Use(f"{symbol} above", weight=-limit)),
                    *(str(symbol), str(image), "T^T"),
                ),
            },
        ),
    )


def _shift_steps() -> tuple[Step, ...]:
    """D^2 <= l^2 o (1 + f) n B^2/(1 + X)^2, X = s^2 o + f."""
    image = scalar(pt * T * Ft * F * T * p)
    bound = length**2 * o * (1 + f) * records * labels**2
    return (
        *_square(f, "|F T p|^2", image, "What F makes of T p"),
        inferred("X in parts", "So X = s^2 o + f.", X, "=", noise**2 * o + f, "X", "p^T T p", "o", "f"),
        squared("|y|^2", "The labels' squares", y),
        named(Y, "are Y together,", scalar(yt * y), "|y|^2"),
        named(k, "k is the mean at the new point,", scalar(pt * T * Ft * y)),
        in_product("y and F T p", "an inner product:", F * T * p, y),
        inferred("k^2", "k^2 <= f Y.", k**2, "<=", f * Y, "y and F T p", "k", "f", "Y", "T^T"),
        by_fact(
            "cross term",
            "So -2 b k is at most Y + f b^2,",
            "means of two numbers",
            {"a": -label * k, "b": Y, "c": f * label**2},
            {
                "first": not_negative("Y", Y),
                "second": not_negative("f b^2", f * label**2),
                "square": inferred(
                    "its square",
                    "As f Y is k^2 at least.",
                    (label * k) ** 2,
                    "<=",
                    Y * f * label**2,
                    Use("k^2", weight=label**2),
                ),
            },
        ),
        inferred(
            "b^2",
            "and b^2 at most B^2:",
            label**2,
            "<=",
            labels**2,
            Use(LABEL.text, weight=labels + sp.Abs(label)),
        ),
        inferred(
            "t^2",
            "t = b - k has a square of at most (1 + f) n B^2.",
            (label - k) ** 2,
            "<=",
            (1 + f) * records * labels**2,
            *(Use("b^2", weight=1 + f), Use(LABELS.text, weight=1 + f), Use("cross term"), Use("k^2"), "Y"),
        ),
        named(c, "c = q^T T p", scalar(qt * T * p)),
        in_product("q and T p", "is an inner product, too:", q, T * p),
        inferred(
            "c^2", "c^2 <= l^2 o.", c**2, "<=", length**2 * o, "q and T p", Use(QUERY.text, weight=o), "c", "o", "T^T"
        ),
        named(D, "D is how far the mean moves:", mean_with - mean_without),
        inferred(
            "D moves",
            "c t/(1 + X).",
            D,
            "=",
            c * (label - k) / (1 + X),
            *("D", Use("mean moves", of=update), "c", "k", "X", "T"),
        ),
        inferred(
            "D^2",
            "So D^2 is at most l^2 o (1 + f) n B^2/(1 + X)^2.",
            D**2,
            "<=",
            bound / (1 + noise**2 * o + f) ** 2,
            Use("c^2", weight=(label - k) ** 2 / (1 + noise**2 * o + f) ** 2),
            Use("t^2", weight=length**2 * o / (1 + noise**2 * o + f) ** 2),
            *("D moves", "X in parts"),
        ),
    )


def _variance_steps() -> tuple[Step, ...]:
    """S = v + s^2 N and V = v + s^2 (N - c^2/(1 + X)) >= v + s^2 N/(1 + X)."""
    left = N - c**2 / (1 + X)
    return (
        *form_inequality("q, p and T", "so that c^2 <= N X:", q, p),
        _at_least(
            "what is left",
            "of N a share of 1/(1 + X) is left.",
            left,
            N / (1 + X),
            *(Use("q, p and T", weight=-1 / (1 + X)), "c", "N", "X"),
        ),
        not_negative("share", N / (1 + X)),
        not_negative("s^2 N", noise**2 * N),
        inferred(
            "variance", "Without the record,", variance_without, "=", noise**2 * N, Use("variance", of=update), "N", "T"
        ),
        _at_least("S >= v", "it is not negative,", added + variance_without, added, "variance", "s^2 N"),
        inferred(
            "variance falls",
            "and with it,",
            variance_with,
            "=",
            noise**2 * left,
            *(Use("variance falls", of=update), "c", "N", "X", "T"),
        ),
        _at_least(
            "V >= v",
            "neither.",
            added + variance_with,
            added,
            *("variance falls", Use("what is left", weight=noise**2), Use("share", weight=noise**2)),
        ),
        Step("v", "v is positive,", added, zero, ">", added),
        inferred("S > 0", "so both are.", added + variance_without, ">", zero, "S >= v", "v"),
        inferred("V > 0", "Both.", added + variance_with, ">", zero, "V >= v", "v"),
        named(S, "S is the variance without the record,", added + variance_without, "S > 0"),
        named(V, "V that with it.", added + variance_with, "V > 0"),
    )


def shift_end(name: str, why: str, size: Any, known: str, in_full: Any, *more: str, **lent: Any) -> tuple[Step, Step]:
    """|D|/sqrt(V) <= size/sqrt(v), where `known` is that D^2 <= size^2; `lent`: the lemma with D and V."""
    low = Use("V at least v", weight=-(size**2) / (added * V), **lent)
    return (
        by_fact(
            f"{name}, by name",
            "Measured in deviations with the record, which are at least those of the added variance.",
            "a number and a larger square",
            {"a": sp.Abs(D) / sp.sqrt(V), "b": size / sp.sqrt(added)},
            {
                "squares": inferred(
                    "squares", "V >= v.", D**2 / V, "<=", size**2 / added, Use(known, weight=1 / V), low
                ),
                "sign": not_negative("bound", size / sp.sqrt(added)),
            },
        ),
        inferred(
            name,
            why,
            sp.Abs(mean_with - mean_without) / sp.sqrt(added + variance_with),
            "<=",
            in_full / sp.sqrt(added),
            *(f"{name}, by name", Use("D", **lent), Use("V", **lent), *more),
        ),
    )


def _printed_steps() -> tuple[Step, ...]:
    """The ends: half of the printed shift, the order of the variances and two bounds of their ratio."""
    total = 1 + f + noise**2 * o
    share = noise**2 / (noise**2 + length**2)
    middle = length**2 * o * (1 + f) * records * labels**2 / total**2
    return (
        Step(
            "two means",
            "4 s^2 o (1 + f) is at most (1 + X)^2,",
            half**2,
            middle,
            ">=",
            half**2 * (1 + f - noise**2 * o) ** 2 / total**2,
        ),
        inferred("half", "so D^2 is below.", D**2, "<=", half**2, "D^2", Use("two means", weight=-1)),
        inferred("V at least v", "By name,", V, ">=", added, "V >= v", "V"),
        Step("twice", "and the printed bound is twice as large.", (2 * half) ** 2, half**2, ">=", 3 * half**2),
        inferred("printed", "So D^2 is below that.", D**2, "<=", (2 * half) ** 2, "half", Use("twice", weight=-1)),
        *shift_end("shift", "In the statement's letters.", 2 * half, "printed", 2 * half),
        not_negative("fall", noise**2 * c**2 / (1 + X)),
        _at_least(
            "T <= S",
            "The variance falls.",
            added + variance_without,
            added + variance_with,
            *("variance", "variance falls", "fall"),
        ),
        inferred(
            "S/V",
            "S is at most (v + l^2)/(v + l^2 s^2/(l^2 + s^2)) times V.",
            S,
            "<=",
            best * V,
            Use("what is left", weight=-best * noise**2),
            Use("X at most", weight=best * noise**2 * N * share * noise**2 / (noise**2 * (1 + X))),
            Use("N at most", weight=sp.factor(sp.cancel(noise**2 * (1 - best * share)))),
            *("S", "V", "variance", "variance falls"),
        ),
        inferred("1 <= S/V", "It is at least 1,", S / V, ">=", one, Use("T <= S", weight=1 / V), "S", "V"),
        *_logarithm("ratio", "so its logarithm is at most this one,", best),
        Step("less room", "and the printed one drops what is left.", printed, best, ">=", sp.factor(printed - best)),
        *_logarithm("printed ratio", "And so at most this.", printed, Use("less room", weight=-1)),
    )


def _logarithm(name: str, why: str, bound: Any, *more: Use) -> tuple[Step, Step]:
    """log(S/V) <= log(bound)."""
    return (
        by_fact(
            f"{name}, by name",
            "Logarithms keep the order,",
            "logarithms keep the order",
            {"a": S / V, "b": bound, "c": one},
            {
                "order": inferred("order", "As shown.", S / V, "<=", bound, Use("S/V", weight=1 / V), *more),
                "least": "1 <= S/V",
                "positive": Step("1", "1 is positive.", one, zero, ">", one),
            },
        ),
        inferred(
            name,
            why,
            sp.log((added + variance_without) / (added + variance_with)),
            "<=",
            sp.log(bound),
            *(f"{name}, by name", "S", "V"),
        ),
    )


@cache
def of_any_size() -> Derivation:
    """|mu' - mu|/sqrt(v + V') <= l B sqrt(n)/(2 s sqrt(v)), V' <= V and (v + V)/(v + V') <= (v + l^2)/(v + l^2 s^2/(l^2
    + s^2)), n the size of the larger database (N26-Pr8).

    `number`: that last ratio at `length`, `noise`, `added`.
    """
    return Derivation(
        id="prediction_bounds.of_any_size",
        title="How far one record moves a prediction, and how much of its variance it leaves",
        sources=("N26-Pr8",),
        hypotheses=(RECORD, QUERY, LABELS, LABEL),
        steps=(
            *weight_steps(),
            *_form(X, p, o, RECORD),
            *_form(N, q, g, QUERY),
            *_shift_steps(),
            *_variance_steps(),
            *_printed_steps(),
        ),
        result_step="less room",
        symbols={"length": length, "noise": noise, "added": added},
        faults=(
            Fault("label alone", "t^2", lambda rhs: rhs / records),
            Fault("a quarter of the shift", "two means", lambda rhs: 8 * rhs),
            Fault("noise forgotten", "S/V", lambda rhs: V),
            Fault("half of the fall", "what is left", lambda rhs: 2 * rhs),
            Fault("l for l^2", "c^2", lambda rhs: rhs / length),
            Fault("one part of two", "X in parts", lambda rhs: f),
        ),
        concludes=(
            Conclusion("N26-Pr8", "shift", IN_LETTERS),
            *(Conclusion(claim, "T <= S", IN_LETTERS) for claim in ("N26-Pr8", "N26-Pr8-improved")),
            Conclusion("N26-Pr8", "printed ratio", IN_LETTERS),
            Conclusion("N26-Pr8-improved", "ratio", IN_LETTERS),
        ),
    )
