"""What the features and the labels of a new record allow: the share z, the size x, the shift and the factor.

The features of the new record are a w, w no zero vector; T = (F^T F + s^2 I)^{-1}. tau = s^2 |T w|^2/(w^T T w), z = 1 -
tau, x = a^2 w^T T w.
"""

from __future__ import annotations

from typing import Any

import sympy as sp

from ndis_verify.symbolic.block_algebra import letter, without_rules
from ndis_verify.symbolic.derivation import Hypothesis, Step, Use
from ndis_verify.symbolic.fact_steps import by_fact, inferred, squared
from ndis_verify.symbolic.notation import scalar, trace, transpose
from ndis_verify.symbolic.prediction_family import added, shift_of, tau, witnessed, x, z
from ndis_verify.symbolic.prediction_features import (
    F,
    Ft,
    T,
    form_inequality,
    form_steps,
    label,
    labels,
    length,
    noise,
    one,
    others,
    q,
    qt,
    y,
    yt,
    zero,
)

w = letter("w")
wt = transpose(w)
size = sp.Symbol("a", real=True)
_LENGTH, _LABEL = "a^2 w^T w <= l^2", "|b| <= B"
HYPOTHESES = (
    Hypothesis("w^T w > 0", sp.Gt(scalar(wt * w), 0)),
    Hypothesis(_LENGTH, sp.Le(size**2 * scalar(wt * w), length**2)),
    Hypothesis("q^T q <= l^2", sp.Le(scalar(qt * q), length**2)),
    Hypothesis("tr(F^T F) <= m l^2", sp.Le(trace(Ft * F), others * length**2)),
    Hypothesis("y^T y <= m B^2", sp.Le(scalar(yt * y), others * labels**2)),
    Hypothesis(_LABEL, sp.Le(sp.Abs(label), labels)),
)
X, o = sp.symbols("X o", positive=True)
N = sp.Symbol("N", nonnegative=True)
c, k, t, kappa = sp.symbols("c k t kappa", real=True)
_NAMES: dict[sp.Symbol, sp.Expr] = {
    X: scalar(wt * T * w),
    o: scalar(wt * T * T * w),
    N: scalar(qt * T * q),
    c: scalar(qt * T * w),
    k: scalar(wt * T * Ft * y),
}
_IN_W = without_rules((F, Ft, T, w, wt), (noise,))


def _named(symbol: sp.Symbol, why: str, *premises: str) -> Step:
    return Step(str(symbol), why, lhs=symbol, rhs=_NAMES[symbol], kind="definition", premises=premises)


def at_least(name: str, why: str, lhs: sp.Expr, rhs: sp.Expr, *premises: str | Use) -> Step:
    return inferred(name, why, lhs, ">=", rhs, *premises)


def _inner_product(name: str, why: str, u: Any, v: Any) -> Step:
    letters = {"u": u, "u^T": transpose(u), "v": v, "v^T": transpose(v)}
    return by_fact(name, why, "Cauchy-Schwarz inequality of vectors", letters, {})


def range_steps() -> tuple[Step, ...]:
    """The shares tau and z, the size x, and the ranges of both."""
    room = noise**2 + others * length**2
    return (
        by_fact(
            "T w",
            "The features of the new record are a w, its label is b. T w is not 0, as w is not;",
            "no vector but 0 goes to 0 alone",
            {"X": T, "Y": Ft * F + noise**2, "v": w, "image^T": wt * T},
            {"product": "T from the right", "vector": "w^T w > 0", "transpose": "(T w)^T"},
        ),
        *form_steps(w, "w^T T w = s^2 |T w|^2 + |F T w|^2", _IN_W),
        inferred(
            "w^T T w > 0",
            "is positive, too.",
            scalar(wt * T * w),
            ">",
            zero,
            *("w^T T w", Use("T w", weight=noise**2), "|F T w|^2", "T^T"),
        ),
        _named(X, "X = w^T T w", "w^T T w > 0"),
        _named(o, "and o = |T w|^2.", "T w"),
        by_fact(
            "squares of F",
            "The squares of the entries of F add up to at most m l^2,",
            "image under a matrix of bounded squares",
            {"M": F, "v": T * w},
            {},
        ),
        inferred(
            "o above",
            "so o is at least a share of X,",
            X,
            "<=",
            room * o,
            *("squares of F", Use("tr(F^T F) <= m l^2", weight=o), "X", "w^T T w", "o", "T^T"),
        ),
        inferred(
            "o below",
            "and s^2 o at most X.",
            noise**2 * o,
            "<=",
            X,
            *(Use("|F T w|^2", weight=-1), "X", "w^T T w", "o", "T^T"),
        ),
        Step("tau", "tau = s^2 o/X", lhs=tau, rhs=noise**2 * o / X, kind="definition"),
        inferred("tau <= 1", "is at most 1,", tau, "<=", one, "tau", Use("o below", weight=1 / X)),
        Step("z", "z = 1 - tau not negative", lhs=z, rhs=1 - tau, kind="definition", premises=("tau <= 1",)),
        inferred(
            "z at most",
            "and at most this, the range of z;",
            z,
            "<=",
            others * length**2 / room,
            *("z", "tau", Use("o above", weight=noise**2 / (room * X))),
        ),
        Step("z at least", "its least value.", lhs=z, rhs=zero, relation=">=", witness=z),
        Step("x", "x = a^2 X.", lhs=x, rhs=size**2 * X, kind="definition"),
        Step("x at least", "Its least value.", lhs=x, rhs=zero, relation=">=", witness=x),
        _inner_product("w and T w", "X is the inner product of w and T w,", w, T * w),
        inferred(
            "x at most",
            "and a w at most l long: the range of x.",
            x,
            "<=",
            (1 - z) * length**2 / noise**2,
            Use("w and T w", weight=size**2 / X),
            Use(_LENGTH, weight=o / X),
            *("x", "z", "tau", "T^T", "X", "o"),
        ),
    )


def shift_steps(pulled: sp.Expr) -> tuple[Step, ...]:
    """What labels up to B can do: the shift is at most the family's."""
    pull = sp.sqrt(others) * sp.sqrt(z) * sp.sqrt(x)
    return (
        _named(k, "The mean at w, from the other labels,"),
        _inner_product("y and F T w", "is an inner product of y,", F * T * w, y),
        inferred(
            "k^2",
            "whose squares add up to at most m B^2:",
            k**2,
            "<=",
            others * labels**2 * z * X,
            Use("y and F T w"),
            Use("y^T y <= m B^2", weight=z * X),
            *("z", "tau", "X", "w^T T w", "k", "o", "T^T"),
        ),
        inferred(
            "b^2",
            "the new label is at most B in size, too.",
            label**2,
            "<=",
            labels**2,
            Use(_LABEL, weight=labels + sp.Abs(label)),
        ),
        inferred(
            "cross term squared",
            "The square of both together:",
            (-label * size * k) ** 2,
            "<=",
            (labels**2 * pull) ** 2,
            Use("k^2", weight=size**2 * label**2),
            Use("b^2", weight=labels**2 * others * z * x),
            "x",
        ),
        witnessed("cross bound", "Not negative,", labels**2 * pull),
        by_fact(
            "cross term",
            "so the product is bounded,",
            "a number and a larger square",
            {"a": -label * size * k, "b": labels**2 * pull},
            {"squares": "cross term squared", "sign": "cross bound"},
        ),
        Step("t", "t is the new label less the mean at a w:", lhs=t, rhs=label - size * k, kind="definition"),
        inferred(
            "t^2",
            "and |t| <= B (1 + sqrt(m z x)).",
            t**2,
            "<=",
            labels**2 * (1 + pull) ** 2,
            *("t", "b^2", Use("k^2", weight=size**2), Use("cross term", weight=2), "x"),
        ),
        inferred(
            "shift squared",
            "So the shift stays below the family's.",
            pulled**2,
            "<=",
            shift_of(tau) ** 2,
            Use("t^2", weight=length**2 * tau * size**2 * X / (noise**2 * (1 + size**2 * X) ** 2)),
            "x",
        ),
    )


def factor_steps(root: sp.Expr) -> tuple[Step, ...]:
    """c = kappa sqrt(tau X)/s, kappa^2 at most l^2 and s^2 N/tau."""
    whole = 1 + x
    return (
        squared("|T q|^2", "A squared length,", T * q),
        *form_steps(q, "of both of which q^T T q is made,"),
        at_least(
            "q^T T q >= 0",
            "so it is not negative.",
            scalar(qt * T * q),
            zero,
            *(Use("|T q|^2", weight=noise**2), "|F T q|^2", "q^T T q", "T^T"),
        ),
        _named(N, "N = q^T T q", "q^T T q >= 0"),
        _named(c, "and c = q^T T w."),
        _inner_product("q and T w", "c is the inner product of q and T w,", q, T * w),
        inferred(
            "c and l",
            "q at most l long:",
            c**2,
            "<=",
            length**2 * o,
            *("q and T w", Use("q^T q <= l^2", weight=o), "c", "o", "T^T"),
        ),
        *form_inequality("c, N and X", "so of the form T", q, w),
        inferred("c and N", "c^2 <= N X, too.", c**2, "<=", N * X, "c, N and X", "c", "N", "X"),
        Step("kappa", "The factor.", lhs=kappa, rhs=noise * c / root, kind="definition"),
        inferred("c from kappa", "c = kappa sqrt(tau X)/s,", c, "=", kappa * root / noise, "kappa"),
        at_least(
            "kappa and l",
            "kappa^2 <= l^2",
            length**2,
            kappa**2,
            *(Use("c and l", weight=-(noise**2) / (tau * X)), "kappa", "tau"),
        ),
        at_least(
            "kappa and N",
            "and tau kappa^2 <= s^2 N.",
            noise**2 * N,
            tau * kappa**2,
            *(Use("c and N", weight=-(noise**2) / X), "kappa"),
        ),
        witnessed("left over", "Not negative,", added + kappa**2 * tau / whole),
        witnessed("v + V", "nor is this variance,", added + noise**2 * N),
        at_least(
            "v + V'",
            "nor the one with the record.",
            added + noise**2 * (N - size**2 * c**2 / (1 + size**2 * X)),
            zero,
            *("kappa and N", "left over", "c from kappa", "x"),
        ),
    )
