"""How far one record moves a Gaussian-process prediction where there are few (N26-Pr8-improved).

Letters as in `prediction_bounds`; x = l sqrt(n)/s, n the size of the larger database, t = min(1, x).
"""

from __future__ import annotations

from functools import cache
from typing import Any

import sympy as sp

from ndis_verify.symbolic import prediction_bounds as bounds
from ndis_verify.symbolic.derivation import Conclusion, Derivation, Fault, Hypothesis, Step, Use
from ndis_verify.symbolic.fact_steps import by_fact, inferred, named
from ndis_verify.symbolic.notation import scalar, trace, transpose
from ndis_verify.symbolic.prediction_bounds import D, f, in_product, length, not_negative, o, others, ratio, records
from ndis_verify.symbolic.prediction_features import F, Ft, T, in_letters, labels, noise, one, p, pt, zero

Q, H, t, room = sp.symbols("Q H t r", nonnegative=True)  # |p|^2, |F^T F T p|^2, min(1, x), x^2 - z
a, place = sp.symbols("a w", real=True)  # p^T F^T F T p
z = noise**2 * o / (1 + f)
shrunk = t**2 / (1 + t**2) ** 2
size = labels * t * ratio / (1 + t**2)
FEATURES = Hypothesis("tr(F F^T) <= m l^2", sp.Le(trace(F * Ft), others * length**2))
_MOST = others * length**2


def _lent(step: str, **how: Any) -> Use:
    return Use(step, of=bounds.of_any_size, **how)


def _squared(name: str, why: str, vector: Any) -> Step:
    letters = {"w": vector, "w^T": transpose(vector)}
    return by_fact(name, why, "squared length", letters, {})


def _range_steps() -> tuple[Step, ...]:
    """s^4 o <= n l^2 (1 + f), as s^2 T p = p - F^T F T p."""
    image = Ft * F * T * p
    return (
        _squared("|F^T F T p|^2", "A squared length,", image),
        inferred("H >= 0", "not negative.", scalar(pt * T * Ft * F * image), ">=", zero, "|F^T F T p|^2", _lent("T^T")),
        named(H, "H is that of F^T F T p,", scalar(pt * T * Ft * F * image), "H >= 0"),
        by_fact(
            "image",
            "at most f times the squares of F.",
            "image under a matrix of bounded squares",
            {"M": Ft, "v": F * T * p},
            {},
        ),
        inferred(
            "H at most",
            "So it is at most m l^2 f.",
            H,
            "<=",
            _MOST * f,
            *("image", Use(FEATURES.text, weight=f), "H", _lent("f"), _lent("T^T")),
        ),
        _squared("|p|^2", "The record's features", p),
        named(Q, "have the square Q,", scalar(pt * p), "|p|^2"),
        named(a, "and with F^T F T p the product a,", scalar(pt * image)),
        in_product("p and F^T F T p", "a^2 <= Q H.", p, image),
        by_fact(
            "cross term",
            "So -2 a is at most f Q + m l^2,",
            "means of two numbers",
            {"a": -a, "b": f * Q, "c": _MOST},
            {
                "first": not_negative("f Q", f * Q),
                "second": not_negative("m l^2", _MOST),
                "square": inferred(
                    "a^2",
                    "As a^2 <= Q H.",
                    a**2,
                    "<=",
                    f * Q * _MOST,
                    *("p and F^T F T p", Use("H at most", weight=Q), "a", "Q", "H", _lent("T^T")),
                ),
            },
        ),
        in_letters(
            "T p in parts",
            "s^2 T p is p less F^T F T p:",
            scalar(pt * T * T * p),
            (scalar(pt * p) - 2 * scalar(pt * image) + scalar(pt * T * Ft * F * image)) / noise**4,
            _lent("T from the right", between=(2 * pt / noise**4, p)),
            _lent("T from the right", between=(-pt * T * Ft * F / noise**4, p)),
            _lent("T from the left", between=(-pt / noise**4, p)),
            _lent("T from the left", between=(pt / noise**2, T * p)),
        ),
        inferred(
            "z at most",
            "and s^4 o at most n l^2 (1 + f).",
            z,
            "<=",
            ratio**2,
            Use("cross term", weight=1 / (noise**2 * (1 + f))),
            Use("H at most", weight=1 / (noise**2 * (1 + f))),
            Use(bounds.RECORD.text, weight=1 / noise**2),
            *(_lent("o"), "T p in parts", "Q", "a", "H"),
        ),
        named(room, "What z = s^2 o/(1 + f) leaves of x^2.", ratio**2 - z, "z at most"),
    )


def _edge(name: str, why: str, f_: Any, g: Any) -> Step:
    """f <= g at every number, as it is above 1 and below."""
    letters = {"f": f_, "g": g, "argument": place, "edge": one}
    v, w = sp.Symbol("v", positive=True), sp.Symbol("w", nonnegative=True)
    shown = {
        side: Step(side, "It is.", f_.subs(place, at), g, "<=", f_.subs(place, at) - g)
        for side, at in (("above", 1 + v), ("below", 1 - w))
    }
    return by_fact(name, why, "both sides of an edge", letters, shown)


def _share_steps() -> tuple[Step, ...]:
    """z/(1 + z)^2 <= t^2/(1 + t^2)^2."""
    least = sp.Min(1, place)
    below = (1 + z) ** 2 * (1 + t**2) ** 2
    return (
        _edge("least of two", "min(1, x) is at most 1,", least, one),
        _edge("one of two", "and one of 1 and x.", (1 - least) * (place - least), zero),
        named(t, "t = min(1, x).", sp.Min(1, ratio)),
        inferred("t <= 1", "So t is at most 1,", t, "<=", one, Use("least of two", at={place: ratio}), "t"),
        inferred("1 or x", "and 1 or x.", (1 - t) * (ratio - t), "<=", zero, Use("one of two", at={place: ratio}), "t"),
        not_negative("square", t**2 * (t**2 - z) ** 2),
        inferred(
            "share",
            "z/(1 + z)^2 is at most t^2/(1 + t^2)^2: the one at 1, and growing before.",
            z / (1 + z) ** 2,
            "<=",
            shrunk,
            Use("t <= 1", weight=room * (1 + t) * (1 + t**2) / below),
            Use("1 or x", weight=(1 + t**2) * (1 + t) * (ratio + t) / below),
            Use("square", weight=-1 / below),
            "r",
        ),
        inferred(
            "below", "So is the shift.", D**2, "<=", size**2, _lent("D^2"), Use("share", weight=labels**2 * ratio**2)
        ),
        *bounds.shift_end(
            *("shift", "In the statement's letters.", size, "below", size.subs(t, sp.Min(1, ratio)), "t"),
            of=bounds.of_any_size,
        ),
    )


@cache
def shift() -> Derivation:
    """|mu' - mu|/sqrt(v + V') <= B t x/((1 + t^2) sqrt(v)) (N26-Pr8-improved).

    `number`: 0, the least share.
    """
    return Derivation(
        id="prediction_few_records.shift",
        title="How far one record moves a prediction, among few records",
        sources=("N26-Pr8",),
        hypotheses=(bounds.RECORD, bounds.QUERY, bounds.LABELS, bounds.LABEL, FEATURES),
        steps=(*_range_steps(), *_share_steps()),
        result_step="one of two",
        symbols={},
        faults=(
            Fault("m for n", "z at most", lambda rhs: rhs * others / records),
            Fault("cross term forgotten", "T p in parts", lambda rhs: rhs + scalar(pt * Ft * F * T * p)),
            Fault("half of the share", "share", lambda rhs: rhs / 2),
            Fault("l forgotten", "H at most", lambda rhs: rhs / length),
            Fault("x forgotten", "below", lambda rhs: rhs / ratio),
        ),
        concludes=(Conclusion("N26-Pr8-improved", "shift", bounds.IN_LETTERS),),
    )
