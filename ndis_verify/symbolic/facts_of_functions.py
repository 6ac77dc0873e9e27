"""Standard facts about functions: suprema, convexity, signs that follow from slopes, values in between."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sympy as sp
from sympy.core.function import AppliedUndef

from ndis_verify.exact_number import InputError
from ndis_verify.symbolic.fact import (
    Fact,
    Instance,
    any_real,
    averaged,
    between,
    constant,
    ends_inside,
    from_zero_on,
    of_the_point,
    on_an_interval,
    smooth,
    whole,
    without_end,
    without_jumps,
)
from ndis_verify.symbolic.notation import (
    below,
    beyond,
    largest,
    largest_union,
    over_set,
    summed,
    supremum,
    total,
    where,
    x,
)
from ndis_verify.symbolic.special_functions import Phi
from ndis_verify.symbolic.statement_terms import quantity
from ndis_verify.symbolic.zero import as_expression


def _slope(letters: Mapping[str, Any], at: Any) -> sp.Expr:
    return sp.Subs(sp.Derivative(letters["f"], letters["argument"]), letters["argument"], at)


def _at(letters: Mapping[str, Any], name: str) -> Any:
    return letters["f"].subs(letters["argument"], between(letters)[name])


def _root(a: Mapping[str, Any]) -> Any:
    """What is somewhere between two ends, of which no more is known than of both."""
    for one in ("positive", "nonnegative", "negative", "nonpositive", "integer"):
        ends = [getattr(as_expression(a[name]), f"is_{one}") is True for name in ("low", "high")]
        if getattr(a["root"], f"is_{one}") is True and (one == "integer" or not all(ends)):
            raise InputError("root", str(a["root"]), f"is known to be {one}, which what is in between need not be")
    return on_an_interval(a)["root"]


def _between_ends(a: Mapping[str, Any]) -> Mapping[str, Any]:
    return ends_inside(on_an_interval(a), "low", "high")


def _below_a_corner(a: Mapping[str, Any]) -> Instance:
    """The sum over the coordinates of a vector, of which nothing else speaks, and the function at the corner."""
    for name in ("f", "cap", "rest", "n"):
        if a["l"] in as_expression(a[name]).free_symbols:
            raise InputError(name, str(a[name]), f"must not speak of {a['l']}, over whose coordinates the sum goes")
        if name != "f" and a["argument"] in as_expression(a[name]).free_symbols:
            raise InputError(name, str(a[name]), "must be a number, the same for every argument")
    at = [a["f"].subs(a["argument"], value) for value in (quantity("coordinate", a["l"]), a["cap"], a["rest"])]
    return quantity("sum", at[0]), "<=", a["n"] * at[1] + at[2]


def _overlap(a: Mapping[str, Any]) -> Instance:
    """Of two functions of the point, and of a shift that is a number."""
    moved, g, h = constant(a, "m"), of_the_point(a, "g"), of_the_point(a, "h")
    near, far = (total(sp.Min(g(x - shift), h(x))) for shift in (constant(a, "k") * moved, moved))
    return far, "<=", near


def _log_concave(a: Mapping[str, Any], name: str) -> Instance:
    """The second slope of a logarithm that has one everywhere: the first one has no jump, and is no name's."""
    logarithm = sp.log(of_the_point(a, name)(x))
    if calls := [call for call in logarithm.atoms(AppliedUndef) if x in call.free_symbols]:
        raise InputError(name, str(min(calls, key=str)), "must be written out")
    without_jumps(sp.Derivative(logarithm, x).doit(), name)
    return sp.Derivative(logarithm, (x, 2)), "<=", sp.Integer(0)


def _even(a: Mapping[str, Any], name: str) -> Instance:
    f = of_the_point(a, name)
    return f(-x), "=", f(x)


def _quantile(probability: Any) -> Any:
    return quantity("Phi_inverse", probability)


def _real(value: Any) -> Any:
    """A number that is known to be real, and so finite."""
    if as_expression(value).is_real is not True:
        raise InputError("x", str(value), "must be known to be real")
    return value


def _quantiles_in_order(sign: str, tex: str) -> Fact:
    return Fact(
        text=f"Where 0 < a {sign} b < 1, Phi^-1(a) {sign} Phi^-1(b).",
        tex=rf"0 < a {tex} b < 1 \implies \Phi^{{-1}}(a) {tex} \Phi^{{-1}}(b)",
        letters=("a", "b"),
        conditions={"order": f"a {sign} b", "above 0": "0 < a", "below 1": "b < 1"},
        reference="Phi increases from 0 to 1: Rudin, Principles of Mathematical Analysis, Theorem 4.17",
        instance=lambda a: (_quantile(a["a"]), sign, _quantile(a["b"])),
        required={
            "order": lambda a: (a["a"], sign, a["b"]),
            "above 0": lambda a: (a["a"], ">", sp.Integer(0)),
            "below 1": lambda a: (a["b"], "<", sp.Integer(1)),
        },
    )


OF_FUNCTIONS: Mapping[str, Fact] = {
    "normal quantiles keep the order": _quantiles_in_order("<=", r"\le"),
    "normal quantiles keep the strict order": _quantiles_in_order("<", "<"),
    "quantile of a normal probability": Fact(
        text="Phi^-1(Phi(x)) = x for every real x.",
        tex=r"\Phi^{-1}(\Phi(x)) = x",
        letters=("x",),
        conditions={},
        reference="Phi increases from 0 to 1: Rudin, Principles of Mathematical Analysis, Theorem 4.17",
        instance=lambda a: (_quantile(Phi(_real(a["x"]))), "=", a["x"]),
    ),
    "probability of a normal quantile": Fact(
        text="Phi(Phi^-1(y)) = y for 0 < y < 1.",
        tex=r"\Phi(\Phi^{-1}(y)) = y,\quad 0 < y < 1",
        letters=("y",),
        conditions={"above 0": "0 < y", "below 1": "y < 1"},
        reference="Phi increases from 0 to 1: Rudin, Principles of Mathematical Analysis, Theorem 4.17",
        instance=lambda a: (Phi(_quantile(a["y"])), "=", a["y"]),
        required={
            "above 0": lambda a: (a["y"], ">", sp.Integer(0)),
            "below 1": lambda a: (a["y"], "<", sp.Integer(1)),
        },
    ),
    "normal probabilities keep the order": Fact(
        text="Where a <= b, Phi(a) <= Phi(b).",
        tex=r"a \le b \implies \Phi(a) \le \Phi(b)",
        letters=("a", "b"),
        conditions={"order": "a <= b"},
        reference="a distribution function: Billingsley, Probability and Measure, section 14",
        instance=lambda a: (Phi(a["a"]), "<=", Phi(a["b"])),
        required={"order": lambda a: (a["a"], "<=", a["b"])},
    ),
    "a quantile and its probability": Fact(
        text="Where Phi(x) <= y < 1, Phi^-1(y) >= x.",
        tex=r"\Phi(x) \le y < 1 \implies \Phi^{-1}(y) \ge x",
        letters=("x", "y"),
        conditions={"order": "Phi(x) <= y", "below 1": "y < 1"},
        reference="Phi increases from 0 to 1: Rudin, Principles of Mathematical Analysis, Theorem 4.17",
        instance=lambda a: (_quantile(a["y"]), ">=", a["x"]),
        required={
            "order": lambda a: (a["y"], ">=", Phi(a["x"])),
            "below 1": lambda a: (a["y"], "<", sp.Integer(1)),
        },
    ),
    "a value of a supremum over sets": Fact(
        text="The supremum over measurable sets S of the integral of f over S is at least the integral over one set.",
        tex=r"\sup_S \int_S f\,dx \ge \int_A f\,dx",
        letters=("f", "set"),
        conditions={"integrable": "f is integrable"},
        reference="the definition of a supremum",
        instance=lambda a: (largest(a["f"]), ">=", where(a["f"], a["set"])),
        finite={"integrable": lambda a: (total(a["f"]),)},
    ),
    "a value of a supremum over unions": Fact(
        text="The sum over the bins of one set is at most the supremum over sets of bins.",
        tex=r"\sum_{j \in A} a_j \le \sup_J \sum_{j \in J} a_j",
        letters=("a",),
        conditions={"integrable": "the a_j have a sum that converges absolutely"},
        reference="the definition of a supremum",
        instance=lambda a: (over_set(a["a"]), "<=", largest_union(a["a"])),
        finite={"integrable": lambda a: (summed(sp.Abs(a["a"])),)},
    ),
    "first up, then down": Fact(
        text="A function on [0, oo) that is >= 0 at 0 and tends to 0, and has a slope >= 0 up to one point, <= 0"
        " beyond, is nowhere negative.",
        tex=r"f(0) \ge 0,\ \lim_{x \to \infty} f = 0,\ f' \ge 0 \text{ on } (0, t),\ f' \le 0 \text{ on } (t, \infty)"
        r" \implies f \ge 0",
        letters=("f", "argument", "turn"),
        conditions={
            "start": "f(0) >= 0",
            "rises": "the slope before the turn is not negative",
            "falls": "that after it is not positive",
            "end": "f tends to 0",
        },
        reference="mean value theorem: Rudin, Principles of Mathematical Analysis, Theorem 5.11",
        continuous=smooth("f", 0, "turn"),
        instance=lambda a: (from_zero_on(a)["f"], ">=", sp.Integer(0)),
        required={
            "start": lambda a: (a["f"].subs(a["argument"], 0), ">=", sp.Integer(0)),
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
            "low": "f is not negative at the one end",
            "high": "and not positive at the other",
        },
        reference="Rudin, Principles of Mathematical Analysis, Theorem 4.23",
        brings=("root",),
        not_negative=("root",),
        continuous=smooth("f", "low", "high"),
        instance=lambda a: (ends_inside(a, "low", "high")["f"].subs(a["argument"], _root(a)), "=", sp.Integer(0)),
        required={
            "low": lambda a: (a["f"].subs(a["argument"], a["low"]), ">=", sp.Integer(0)),
            "high": lambda a: (a["f"].subs(a["argument"], a["high"]), "<=", sp.Integer(0)),
        },
    ),
    "a value in between, before the end": Fact(
        text="Where a continuous function is >= 0 at the lower end of an interval and below 0 at the upper one, it is 0"
        " somewhere before that.",
        tex=r"f(a) \ge 0 > f(b),\ a < b \implies \exists t \in [a, b): f(t) = 0",
        letters=("f", "argument", "low", "high", "root"),
        conditions={
            "low": "f is not negative at the lower end",
            "high": "and negative at the upper",
            "order": "which is above it",
        },
        reference="Rudin, Principles of Mathematical Analysis, Theorem 4.23",
        brings=("root",),
        not_negative=("root",),
        continuous=smooth("f", "low", "high"),
        instance=lambda a: (_root(ends_inside(a, "low", "high")), "<", a["high"]),
        required={
            "low": lambda a: (a["f"].subs(a["argument"], a["low"]), ">=", sp.Integer(0)),
            "high": lambda a: (a["f"].subs(a["argument"], a["high"]), "<", sp.Integer(0)),
            "order": lambda a: (a["high"], ">", a["low"]),
        },
    ),
    "falls to 0": Fact(
        text="A function whose slope is negative from some point on and that tends to 0 is positive there.",
        tex=r"f' < 0,\ \lim_{x \to \infty} f = 0 \implies f > 0",
        letters=("f", "argument"),
        conditions={"falls": "the slope is negative", "end": "f tends to 0"},
        reference="mean value theorem: Rudin, Principles of Mathematical Analysis, Theorem 5.11",
        continuous=smooth(),
        instance=lambda a: (without_end(a)["f"], ">", sp.Integer(0)),
        required={
            "falls": lambda a: (sp.Derivative(a["f"], a["argument"]), "<", sp.Integer(0)),
            "end": lambda a: (sp.Limit(a["f"], a["argument"], sp.oo), "=", sp.Integer(0)),
        },
    ),
    "a falling function at two points": Fact(
        text="A function with a negative slope is smaller at the larger of two points.",
        tex=r"f' < 0,\ x < y \implies f(y) < f(x)",
        letters=("f", "argument", "low", "high"),
        conditions={"falls": "the slope is negative", "order": "the points are in order"},
        reference="mean value theorem: Rudin, Principles of Mathematical Analysis, Theorem 5.11",
        continuous=smooth("f", "low", "high"),
        instance=lambda a: (_at(a, "high"), "<", _at(a, "low")),
        required={
            "falls": lambda a: (sp.Derivative(a["f"], a["argument"]), "<", sp.Integer(0)),
            "order": lambda a: (a["high"], ">", a["low"]),
        },
    ),
    "a value of a supremum over an interval": Fact(
        text="The supremum of f over an interval, on which f is continuous up to its ends, is finite, and at least its"
        " value at each point of the interval.",
        tex=r"a \le t \le b \implies f(t) \le \sup_{a \le x \le b} f(x)",
        letters=("f", "argument", "low", "high", "at"),
        conditions={"low": "the point is not below the interval", "high": "nor above"},
        reference="the definition of a supremum; a continuous function on a closed interval is bounded",
        instance=lambda a: (
            a["f"].subs(a["argument"], a["at"]),
            "<=",
            quantity("sup", a["low"], a["high"], sp.Lambda(_between_ends(a)["argument"], a["f"])),
        ),
        continuous=smooth("f", "low", "high"),
        required={"low": lambda a: (a["at"], ">=", a["low"]), "high": lambda a: (a["at"], "<=", a["high"])},
    ),
    "logarithm below its tangent": Fact(
        text="log y <= y - 1 for y > 0.",
        tex=r"\log y \le y - 1,\quad y > 0",
        letters=("y",),
        conditions={"positive": "y > 0"},
        reference="Hardy, Littlewood and Polya, Inequalities, Theorem 142 and section 4.2",
        instance=lambda a: (sp.log(a["y"]), "<=", a["y"] - 1),
        required={"positive": lambda a: (a["y"], ">", sp.Integer(0))},
    ),
    "exponentials keep the order": Fact(
        text="Where a <= b, e^a <= e^b.",
        tex=r"a \le b \implies e^a \le e^b",
        letters=("a", "b"),
        conditions={"order": "a <= b"},
        reference="Rudin, Principles of Mathematical Analysis, Theorem 8.6",
        instance=lambda a: (sp.exp(a["a"]), "<=", sp.exp(a["b"])),
        required={"order": lambda a: (a["a"], "<=", a["b"])},
    ),
    "logarithms keep the order": Fact(
        text="Where 0 < c <= a <= b, log a <= log b.",
        tex=r"0 < c \le a \le b \implies \log a \le \log b",
        letters=("a", "b", "c"),
        conditions={"order": "a <= b", "least": "a >= c", "positive": "c > 0"},
        reference="Rudin, Principles of Mathematical Analysis, section 8.6",
        instance=lambda a: (sp.log(a["a"]), "<=", sp.log(a["b"])),
        required={
            "order": lambda a: (a["a"], "<=", a["b"]),
            "least": lambda a: (a["a"], ">=", a["c"]),
            "positive": lambda a: (a["c"], ">", sp.Integer(0)),
        },
    ),
    "a common factor": Fact(
        text="Where p^2 k <= p n, p >= 0 and n >= 0, p k <= n.",
        tex=r"p^2 k \le p\,n,\ p \ge 0,\ n \ge 0 \implies p\,k \le n",
        letters=("p", "k", "n"),
        conditions={"order": "p^2 k <= p n", "factor": "p >= 0", "other": "n >= 0"},
        reference="divide by p where p > 0; where p = 0 it is n >= 0",
        instance=lambda a: (a["p"] * a["k"], "<=", a["n"]),
        required={
            "order": lambda a: (a["p"] ** 2 * a["k"], "<=", a["p"] * a["n"]),
            "factor": lambda a: (a["p"], ">=", sp.Integer(0)),
            "other": lambda a: (a["n"], ">=", sp.Integer(0)),
        },
    ),
    "a rising function, two values": Fact(
        text="Where a function with a positive slope is at least as large at y as at x, y is at least x.",
        tex=r"f' > 0,\ f(y) \ge f(x) \implies y \ge x",
        letters=("f", "argument", "low", "high"),
        conditions={"rises": "the slope is positive", "values": "the values are in order"},
        reference="mean value theorem: Rudin, Principles of Mathematical Analysis, Theorem 5.11",
        continuous=smooth("f", "low", "high"),
        instance=lambda a: (between(a, ordered=False)["high"], ">=", a["low"]),
        required={
            "rises": lambda a: (sp.Derivative(a["f"], a["argument"]), ">", sp.Integer(0)),
            "values": lambda a: (
                a["f"].subs(a["argument"], a["high"]),
                ">=",
                a["f"].subs(a["argument"], a["low"]),
            ),
        },
    ),
    "hinge of a falling exponent": Fact(
        text="Where h <= 0 beyond a point and h >= 0 before it, the integral of f max(0, 1 - e^h) is that of"
        " f (1 - e^h) from that point on.",
        tex=r"h(e + v) \le 0 \le h(e - w) \implies"
        r" \int_0^\infty f \max(0, 1 - e^h)\,dt = \int_e^\infty f\,dt - \int_e^\infty e^h f\,dt",
        letters=("f", "h", "argument", "edge"),
        conditions={
            "beyond": "h <= 0 beyond the point",
            "before": "h >= 0 before it",
            "inside": "the point is not negative",
            "first": "the integral of f from there on is finite",
            "second": "and that of e^h f",
        },
        reference="Rudin, Real and Complex Analysis, Theorem 1.32; the integrand is 0 before the point",
        instance=lambda a: (
            sp.Integral(a["f"] * sp.Max(0, 1 - sp.exp(a["h"])), (without_end(a)["argument"], 0, sp.oo)),
            "=",
            sp.Integral(a["f"], (a["argument"], a["edge"], sp.oo))
            - sp.Integral(sp.exp(a["h"]) * a["f"], (a["argument"], a["edge"], sp.oo)),
        ),
        required={
            "beyond": lambda a: (a["h"].subs(a["argument"], a["edge"] + below), "<=", sp.Integer(0)),
            "before": lambda a: (a["h"].subs(a["argument"], a["edge"] - beyond), ">=", sp.Integer(0)),
            "inside": lambda a: (a["edge"], ">=", sp.Integer(0)),
            "first": lambda a: (sp.Integral(a["f"], (a["argument"], a["edge"], sp.oo)), "=", None),
            "second": lambda a: (sp.Integral(sp.exp(a["h"]) * a["f"], (a["argument"], a["edge"], sp.oo)), "=", None),
        },
    ),
    "hinge of a rising exponent": Fact(
        text="Where h >= 0 beyond a point e >= 0 and, if e > 0, h <= 0 between 0 and e, the integral of f max(0, 1 -"
        " e^h) over the positive numbers is that of f (1 - e^h) up to e.",
        tex=r"h(e + w) \ge 0,\ e\,h(e \theta) \le 0\ (0 < \theta < 1) \implies"
        r" \int_0^\infty f \max(0, 1 - e^h)\,dt = \int_0^e f\,dt - \int_0^e e^h f\,dt",
        letters=("f", "h", "argument", "edge"),
        conditions={
            "beyond": "h >= 0 beyond the point",
            "before": "e h <= 0 before it, so that nothing is asked where e = 0",
            "inside": "the point is not negative",
            "first": "the integral of f up to there is finite",
            "second": "and that of e^h f",
        },
        reference="Rudin, Real and Complex Analysis, Theorem 1.32; the integrand is 0 beyond the point",
        instance=lambda a: (
            sp.Integral(a["f"] * sp.Max(0, 1 - sp.exp(a["h"])), (without_end(a)["argument"], 0, sp.oo)),
            "=",
            sp.Integral(a["f"], (a["argument"], 0, a["edge"]))
            - sp.Integral(sp.exp(a["h"]) * a["f"], (a["argument"], 0, a["edge"])),
        ),
        required={
            "beyond": lambda a: (a["h"].subs(a["argument"], a["edge"] + beyond), ">=", sp.Integer(0)),
            "before": lambda a: (
                (1 + below) * a["edge"] * a["h"].subs(a["argument"], a["edge"] / (1 + below)),
                "<=",
                sp.Integer(0),
            ),
            "inside": lambda a: (a["edge"], ">=", sp.Integer(0)),
            "first": lambda a: (sp.Integral(a["f"], (a["argument"], 0, a["edge"])), "=", None),
            "second": lambda a: (sp.Integral(sp.exp(a["h"]) * a["f"], (a["argument"], 0, a["edge"])), "=", None),
        },
    ),
    "suprema keep the order": Fact(
        text="Where f <= g at every member of a set, the supremum of f over it is at most that of g.",
        tex=r"f \le g \implies \sup f \le \sup g",
        letters=("f", "g"),
        conditions={"pointwise": "f <= g at every member"},
        reference="the definition of a supremum",
        instance=lambda a: (supremum(a["f"]), "<=", supremum(a["g"])),
        required={"pointwise": lambda a: (a["f"], "<=", a["g"])},
    ),
    "arithmetic and geometric mean": Fact(
        text="Of n equal positive numbers a and one positive number b, the mean to the power n + 1 is at least a^n b.",
        tex=r"\left(\frac{n a + b}{n + 1}\right)^{n + 1} \ge a^n b",
        letters=("a", "b", "n"),
        conditions={"first": "a > 0", "other": "b > 0", "count": "n >= 0"},
        reference="Hardy, Littlewood and Polya, Inequalities, Theorem 9",
        instance=lambda a: (
            ((a["n"] * a["a"] + a["b"]) / (a["n"] + 1)) ** (a["n"] + 1),
            ">=",
            a["a"] ** a["n"] * a["b"],
        ),
        required={
            "first": lambda a: (a["a"], ">", sp.Integer(0)),
            "other": lambda a: (a["b"], ">", sp.Integer(0)),
            "count": lambda a: (a["n"], ">=", sp.Integer(0)),
        },
    ),
    "a rising function at two points": Fact(
        text="A function with a positive slope is larger at the larger of two points.",
        tex=r"f' > 0,\ x < y \implies f(x) < f(y)",
        letters=("f", "argument", "low", "high"),
        conditions={"rises": "the slope is positive", "order": "the points are in order"},
        reference="mean value theorem: Rudin, Principles of Mathematical Analysis, Theorem 5.11",
        continuous=smooth("f", "low", "high"),
        instance=lambda a: (_at(a, "low"), "<", _at(a, "high")),
        required={
            "rises": lambda a: (sp.Derivative(a["f"], a["argument"]), ">", sp.Integer(0)),
            "order": lambda a: (a["high"], ">", a["low"]),
        },
    ),
    "every smaller number is a share": Fact(
        text="A function that is at c y at most what it is at y, for every c from 0 to 1, is at every x from 0 to y at"
        " most what it is at y. Every such c is the square of a sine.",
        tex=r"f(c y) \le f(y)\ (0 \le c \le 1),\ 0 \le x \le y \implies f(x) \le f(y)",
        letters=("f", "argument", "low", "high", "angle"),
        conditions={"shares": "f(c y) <= f(y) for c = sin^2", "low": "0 <= x", "order": "x <= y"},
        reference="x = c y with c = x/y where y > 0; where y = 0 both are 0",
        instance=lambda a: (a["f"].subs(a["argument"], a["low"]), "<=", a["f"].subs(a["argument"], a["high"])),
        required={
            "shares": lambda a: (
                a["f"].subs(a["argument"], sp.sin(any_real(a["angle"])) ** 2 * a["high"]),
                "<=",
                a["f"].subs(a["argument"], a["high"]),
            ),
            "low": lambda a: (a["low"], ">=", sp.Integer(0)),
            "order": lambda a: (a["high"], ">=", a["low"]),
        },
    ),
    "overlap of two even log-concave functions": Fact(
        text="What two even, log-concave, integrable functions have in common falls as the one is moved away from 0.",
        tex=r"0 \le k \le 1 \implies \int \min(g(x - m), h(x))\,dx \le \int \min(g(x - k m), h(x))\,dx",
        letters=("g", "h", "m", "k"),
        conditions={
            "even": "g is even",
            "other even": "h is even",
            "concave": "g is log-concave",
            "other concave": "h is log-concave",
            "low": "k >= 0",
            "high": "k <= 1",
        },
        reference="Anderson (1955), Theorem 1, for the sets where g and where h is above a level, over all levels",
        instance=_overlap,
        continuous=lambda a: [
            (sp.Derivative(sp.log(of_the_point(a, name)(x)), (x, order)).doit(), x, ())
            for name in ("g", "h")
            for order in (1, 2)
        ],
        required={
            "even": lambda a: _even(a, "g"),
            "other even": lambda a: _even(a, "h"),
            "concave": lambda a: _log_concave(a, "g"),
            "other concave": lambda a: _log_concave(a, "h"),
            "low": lambda a: (a["k"], ">=", sp.Integer(0)),
            "high": lambda a: (a["k"], "<=", sp.Integer(1)),
        },
    ),
    "a sum of a convex function below a corner": Fact(
        text="Let f be continuous on [0, rho], f(0) = 0, and its first and second slope not negative on (0, rho]; let"
        " 0 <= l_i <= rho and the sum of the l_i be at most n rho + t, 0 <= t <= rho, n >= 0 whole. Any j of the l_i"
        " sum to at most j rho and to at most n rho + t: n times rho, t and zeros weakly majorise them. So the sum of"
        " the f(l_i) is at most n f(rho) + f(t).",
        tex=r"f(0) = 0,\ f' \ge 0,\ f'' \ge 0,\ 0 \le l_i \le \rho,\ \sum_i l_i \le n \rho + t \implies"
        r" \sum_i f(l_i) \le n f(\rho) + f(t)",
        letters=("f", "argument", "l", "cap", "rest", "n"),
        conditions={
            "at 0": "f(0) = 0",
            "rises": "f' >= 0 at rho/(1 + w), w >= 0",
            "convex": "f'' >= 0 there",
            "low": "l_i >= 0",
            "high": "l_i <= rho",
            "sum": "the sum of the l_i is at most n rho + t",
            "rest": "t >= 0",
            "rest at most": "t <= rho",
            "whole": "n is whole and not negative",
        },
        reference="weak majorisation: Marshall, Olkin and Arnold, Inequalities: Theory of Majorization and Its"
        " Applications, Propositions 4.B.2 and 5.A.9",
        instance=_below_a_corner,
        continuous=smooth("f", 0, "cap"),
        required={
            "at 0": lambda a: (sp.Subs(a["f"], a["argument"], 0), "=", sp.Integer(0)),
            "rises": lambda a: (_slope(a, a["cap"] / (1 + beyond)), ">=", sp.Integer(0)),
            "convex": lambda a: (
                sp.Subs(sp.Derivative(a["f"], (a["argument"], 2)), a["argument"], a["cap"] / (1 + beyond)),
                ">=",
                sp.Integer(0),
            ),
            "low": lambda a: (quantity("coordinate", a["l"]), ">=", sp.Integer(0)),
            "high": lambda a: (quantity("coordinate", a["l"]), "<=", a["cap"]),
            "sum": lambda a: (
                quantity("sum", quantity("coordinate", a["l"])),
                "<=",
                a["n"] * a["cap"] + a["rest"],
            ),
            "rest": lambda a: (a["rest"], ">=", sp.Integer(0)),
            "rest at most": lambda a: (a["rest"], "<=", a["cap"]),
            "whole": lambda a: (whole(a["n"]), ">=", sp.Integer(0)),
        },
    ),
    "translations keep integrals": Fact(
        text="An integral over the whole space does not see where a function was moved to.",
        tex=r"\int f(x - a)\,dx = \int f(x)\,dx",
        letters=("f", "shift"),
        conditions={"integrable": "f is integrable"},
        reference="Rudin, Real and Complex Analysis, Theorem 2.20",
        instance=lambda a: (
            total(of_the_point(a, "f")(x - constant(a, "shift"))),
            "=",
            averaged(total, a["f"](x)),
        ),
        finite={"integrable": lambda a: (total(a["f"](x)),)},
    ),
}
