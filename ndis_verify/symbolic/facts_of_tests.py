"""Standard facts about tests of one law against another: their errors, trade-off curves and events."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sympy as sp

from ndis_verify.exact_number import InputError
from ndis_verify.symbolic.fact import Fact, constant
from ndis_verify.symbolic.notation import (
    below,
    best_test,
    beyond,
    curve_of,
    divergence,
    fitted,
    mass,
    projected,
    refitted,
    rejected,
    reprojected,
    resketched,
    sketched,
    total,
    trade_off,
    variation,
    where,
    x,
)
from ndis_verify.symbolic.special_functions import Phi

_OF_A_RECORD = {fitted, refitted, sketched, resketched, projected, reprojected}


def _on_one_space(a: Mapping[str, Any]) -> tuple[Any, Any]:
    """P and Q, of which T is one function: where it is the statistic of a record, that of one record."""
    both = {a["P"].func, a["Q"].func}
    if both & _OF_A_RECORD and (not both <= _OF_A_RECORD or a["P"].args != a["Q"].args):
        raise InputError("Q", str(a["Q"]), f"must be a law of the record of {a['P']}")
    return a["P"], a["Q"]


def _event(*, exchanged: bool) -> Fact:
    """What a test rejects under two laws, the first of them above the second or, exchanged, below it."""
    one, other = ("second", "first") if exchanged else ("first", "second")
    shown = r"Q(S) \le P(S)" if exchanged else r"P(S) \le Q(S)"
    return Fact(
        text=f"A test rejects with a probability that is at most the total variation larger under the {one} law.",
        tex=shown + r" + \mathrm{TV}(P, Q)",
        letters=("first", "second", "test"),
        conditions={},
        reference="the definition of the total variation; of a randomised test by the layers of its probability",
        instance=lambda a: (
            rejected(a[one], a["test"]),
            "<=",
            rejected(a[other], a["test"]) + variation(a["first"], a["second"]),
        ),
    )


def _beside_a_threshold(*, above: bool) -> Fact:
    """The statistic is below a threshold, or it is not."""
    sign, tex = (">=", r"\ge") if above else ("<", "<")

    def chance(law: Any, threshold: Any) -> Any:
        return 1 - mass(law, threshold) if above else mass(law, threshold)

    return Fact(
        text=f"The divergence of P from Q is at least P[T {sign} t] - e^eps Q[T {sign} t], T the statistic that"
        " is spoken of, one function on the space of both laws.",
        tex=rf"\delta_{{P,Q}}(\varepsilon) \ge P[T {tex} t] - e^{{\varepsilon}} Q[T {tex} t]",
        letters=("P", "Q", "epsilon", "t"),
        conditions={},
        reference="the divergence is the supremum over events",
        instance=lambda a: (
            divergence(*_on_one_space(a), a["epsilon"]),
            ">=",
            chance(a["P"], a["t"]) - sp.exp(a["epsilon"]) * chance(a["Q"], a["t"]),
        ),
    )


OF_TESTS: Mapping[str, Fact] = {
    "a set and the trade-off curve": Fact(
        text="The test that rejects Q on a set S of Q-probability at most x misses with probability 1 - P(S): it puts"
        " the trade-off curve at x at or below that.",
        tex=r"Q(S) \le x \implies T(x) \le 1 - P(S)",
        letters=("p", "q", "set", "level"),
        conditions={"first": "p is a density", "second": "q is one", "size": "Q(S) <= x"},
        reference="the definition of the trade-off curve: Dong, Roth and Su (2022), Definition 2.1",
        instance=lambda a: (trade_off(a["level"]), "<=", 1 - where(a["p"], a["set"])),
        required={
            "first": lambda a: (total(a["p"]), "=", sp.Integer(1)),
            "second": lambda a: (total(a["q"]), "=", sp.Integer(1)),
            "size": lambda a: (a["level"], ">=", where(a["q"], a["set"])),
        },
    ),
    "a test and the trade-off curve": Fact(
        text="A test of size at most x puts the trade-off curve at x at or below the probability that it misses.",
        tex=r"\alpha_\phi \le x \implies T(x) \le \beta_\phi",
        letters=("first", "second", "test", "level"),
        conditions={"size": "the test's size is at most the level"},
        reference="the definition of the trade-off curve: Dong, Roth and Su (2022), Definition 2.1",
        instance=lambda a: (
            curve_of(a["first"], a["second"], a["level"]),
            "<=",
            1 - rejected(a["first"], a["test"]),
        ),
        required={"size": lambda a: (a["level"], ">=", rejected(a["second"], a["test"]))},
    ),
    "the most powerful test, its size": Fact(
        text="For every level x >= 0 there is a most powerful test of size at most x, which has such a size.",
        tex=r"\alpha_{\phi^*} \le x",
        letters=("first", "second", "level"),
        conditions={"level": "x >= 0"},
        reference="Lehmann and Romano, Testing Statistical Hypotheses, Theorem 3.2.1",
        instance=lambda a: (
            rejected(a["second"], best_test(a["first"], a["second"], a["level"])),
            "<=",
            a["level"],
        ),
        required={"level": lambda a: (a["level"], ">=", sp.Integer(0))},
    ),
    "the most powerful test, what it misses": Fact(
        text="What the most powerful test of size at most x >= 0 misses is the trade-off curve at x.",
        tex=r"T(x) = \beta_{\phi^*}",
        letters=("first", "second", "level"),
        conditions={"level": "x >= 0"},
        reference="Lehmann and Romano, Testing Statistical Hypotheses, Theorem 3.2.1; Dong, Roth and Su (2022),"
        " Definition 2.1",
        instance=lambda a: (
            curve_of(a["first"], a["second"], a["level"]),
            "=",
            1 - rejected(a["first"], best_test(a["first"], a["second"], a["level"])),
        ),
        required={"level": lambda a: (a["level"], ">=", sp.Integer(0))},
    ),
    "a test under two laws": _event(exchanged=False),
    "a test under two laws, exchanged": _event(exchanged=True),
    "trade-off curves are convex": Fact(
        text="Of two tests one is chosen by a coin: the trade-off curve is at or below its chords.",
        tex=r"T(c x + (1 - c) y) \le c\,T(x) + (1 - c)\,T(y)",
        letters=("x", "y", "c"),
        conditions={"share": "c >= 0", "other share": "c <= 1"},
        reference="Dong, Roth and Su (2022), Proposition 2.2",
        instance=lambda a: (
            trade_off(a["c"] * a["x"] + (1 - a["c"]) * a["y"]),
            "<=",
            a["c"] * trade_off(a["x"]) + (1 - a["c"]) * trade_off(a["y"]),
        ),
        required={
            "share": lambda a: (a["c"], ">=", sp.Integer(0)),
            "other share": lambda a: (a["c"], "<=", sp.Integer(1)),
        },
    ),
    "an event below a threshold": _beside_a_threshold(above=False),
    "probabilities are not negative": Fact(
        text="P[T < t] >= 0.",
        tex=r"P[T < t] \ge 0",
        letters=("P", "t"),
        conditions={},
        reference="the definition of a probability measure: Billingsley, Probability and Measure, section 2",
        instance=lambda a: (mass(a["P"], a["t"]), ">=", sp.Integer(0)),
    ),
    "probabilities are at most 1": Fact(
        text="P[T < t] <= 1.",
        tex=r"P[T < t] \le 1",
        letters=("P", "t"),
        conditions={},
        reference="the definition of a probability measure: Billingsley, Probability and Measure, section 2",
        instance=lambda a: (mass(a["P"], a["t"]), "<=", sp.Integer(1)),
    ),
    "a normal value beyond an edge": Fact(
        text="Where p is the density of N(m, s^2), and g is 1 up to an edge e and 0 beyond it, the integral of"
        " p (1 - g) is Phi((m - e)/s).",
        tex=r"X \sim \mathcal{N}(m, s^2) \implies \Pr[X > e] = \Phi((m - e)/s)",
        letters=("p", "g", "mean", "std", "edge"),
        conditions={
            "density": "p is that density",
            "std": "s > 0",
            "up to": "g is 1 up to the edge",
            "beyond": "and 0 beyond it",
        },
        reference="Feller, vol. 1, section VII.1: -X has the law N(-m, s^2)",
        brings=("p",),
        not_negative=("p",),
        instance=lambda a: (
            total(a["p"] * (1 - a["g"])),
            "=",
            Phi((constant(a, "mean") - a["edge"]) / constant(a, "std")),
        ),
        required={
            "density": lambda a: (total(a["p"]), "=", sp.Integer(1)),
            "std": lambda a: (a["std"], ">", sp.Integer(0)),
            "up to": lambda a: (a["g"].subs(x, a["edge"] - beyond), "=", sp.Integer(1)),
            "beyond": lambda a: (a["g"].subs(x, a["edge"] + below), "=", sp.Integer(0)),
        },
    ),
    "an event above a threshold": _beside_a_threshold(above=True),
    "trade-off curves fall": Fact(
        text="A larger size allows more tests.",
        tex=r"x \le y \implies T(y) \le T(x)",
        letters=("x", "y"),
        conditions={"order": "x <= y"},
        reference="an infimum over more tests: Dong, Roth and Su (2022), Proposition 2.2",
        instance=lambda a: (trade_off(a["y"]), "<=", trade_off(a["x"])),
        required={"order": lambda a: (a["y"], ">=", a["x"])},
    ),
    "a supporting line of a trade-off curve": Fact(
        text="At every x there is an a >= 0 at which the likelihood ratio test has type I error x and is best for a:"
        " the curve is 1 - h(a) - a x there, h(a) the largest Q(S) - a P(S).",
        tex=r"T(x) = 1 - H_a(Q \| P) - a x",
        letters=("x", "slope", "profile"),
        conditions={},
        reference="Lehmann and Romano, Testing Statistical Hypotheses, Theorem 3.2.1 (i)",
        brings=("slope", "profile"),
        not_negative=("slope",),
        instance=lambda a: (trade_off(a["x"]), "=", 1 - a["profile"] - a["slope"] * a["x"]),
    ),
    "a test of a mu-GDP pair": Fact(
        text="There are mu >= 0, u and v of a mu-GDP pair and a test of it with type I error 1 - Phi(u) and type II"
        " error Phi(v), neither 0 nor 1: Phi(v) >= Phi(u - mu).",
        tex=r"\beta \ge \Phi(\Phi^{-1}(1 - \alpha) - \mu)",
        letters=("u", "v", "mu"),
        conditions={"GDP": "the pair is mu-GDP"},
        reference="Dong, Roth and Su (2022), Definition 2.6",
        brings=("u", "v", "mu"),
        not_negative=("mu",),
        instance=lambda a: (Phi(a["v"]), ">=", Phi(a["u"] - a["mu"])),
    ),
}
