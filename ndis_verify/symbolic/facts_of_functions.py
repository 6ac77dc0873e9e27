"""Standard facts about functions: suprema, convexity, signs that follow from slopes, values in between."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sympy as sp

from ndis_verify.symbolic.fact import Fact
from ndis_verify.symbolic.notation import below, beyond, largest, largest_union, over_set, where


def _slope(letters: Mapping[str, Any], at: Any) -> sp.Expr:
    return sp.Subs(sp.Derivative(letters["f"], letters["argument"]), letters["argument"], at)


OF_FUNCTIONS: Mapping[str, Fact] = {
    "a value of a supremum over sets": Fact(
        text="The supremum over measurable sets S of the integral of f over S is at least the integral over one set.",
        tex=r"\sup_S \int_S f\,dx \ge \int_A f\,dx",
        letters=("f", "set"),
        conditions={"integrable": "f is measurable and integrable"},
        reference="the definition of a supremum",
        instance=lambda a: (largest(a["f"]), ">=", where(a["f"], a["set"])),
    ),
    "a value of a supremum over unions": Fact(
        text="The sum over the bins of one set is at most the supremum over sets of bins.",
        tex=r"\sum_{j \in A} a_j \le \sup_J \sum_{j \in J} a_j",
        letters=("a",),
        conditions={"integrable": "the a_j have a sum that converges absolutely"},
        reference="the definition of a supremum",
        instance=lambda a: (over_set(a["a"]), "<=", largest_union(a["a"])),
    ),
    "first up, then down": Fact(
        text="A function on [0, oo) that is 0 at 0 and tends to 0, and has a slope >= 0 up to one point, <= 0 beyond,"
        " is nowhere negative.",
        tex=r"f(0) = \lim_{x \to \infty} f = 0,\ f' \ge 0 \text{ on } (0, t),\ f' \le 0 \text{ on } (t, \infty)"
        r" \implies f \ge 0",
        letters=("f", "argument", "turn"),
        conditions={
            "start": "f(0) = 0",
            "rises": "the slope before the turn is not negative",
            "falls": "that after it is not positive",
            "end": "f tends to 0",
        },
        reference="mean value theorem: Rudin, Principles of Mathematical Analysis, Theorem 5.11",
        instance=lambda a: (a["f"], ">=", sp.Integer(0)),
        required={
            "start": lambda a: (a["f"].subs(a["argument"], 0), "=", sp.Integer(0)),
            "rises": lambda a: (_slope(a, a["turn"] - below), ">=", sp.Integer(0)),
            "falls": lambda a: (_slope(a, a["turn"] + beyond), "<=", sp.Integer(0)),
            "end": lambda a: (sp.Limit(a["f"], a["argument"], sp.oo), "=", sp.Integer(0)),
        },
    ),
    "a value in between": Fact(
        text="A continuous function that is >= 0 at one end of an interval and <= 0 at the other is 0 somewhere in it.",
        tex=r"f(a) \ge 0 \ge f(b) \implies \exists t \in [a, b]: f(t) = 0",
        letters=("f", "argument", "low", "high", "root"),
        conditions={
            "continuous": "f is continuous from the one end to the other",
            "low": "f is not negative at the one end",
            "high": "and not positive at the other",
        },
        reference="Rudin, Principles of Mathematical Analysis, Theorem 4.23",
        instance=lambda a: (a["f"].subs(a["argument"], a["root"]), "=", sp.Integer(0)),
        required={
            "low": lambda a: (a["f"].subs(a["argument"], a["low"]), ">=", sp.Integer(0)),
            "high": lambda a: (a["f"].subs(a["argument"], a["high"]), "<=", sp.Integer(0)),
        },
    ),
}
