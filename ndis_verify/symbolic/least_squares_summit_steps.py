"""Steps of the worst record of sketched least squares: the laws of the loss of a record on the edge, and how they move.

A record on the edge has q = c, and its leverage is c x^2/(1 + x^2), x > 0. The statistic T of the loss is
z^2/(1 + z^2), z the cotangent of the angle between a point of a sphere and a pole that turns with x; both laws of z are
one family, at the parameters 1 and g = 1 - c.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sympy as sp

from ndis_verify.symbolic.derivation import Step, Use
from ndis_verify.symbolic.fact_steps import by_fact
from ndis_verify.symbolic.facts_of_angles import below, cot, size, statistic, xi
from ndis_verify.symbolic.facts_of_statistics import direction
from ndis_verify.symbolic.least_squares_order_steps import RECORD, d, half_sphere_steps, r
from ndis_verify.symbolic.notation import before, beyond, mass, resketched, sketched, sphere_constant, sphere_mean

p, k, share = sp.symbols("p k s", nonnegative=True)
q, c, g, x, z, gamma = sp.symbols("q c g x z gamma", positive=True)
rows = d + k
constant = sphere_constant(d, k)
lowest = -sp.log(g)  # log 1/(1-c)
one, zero = sp.Integer(1), sp.Integer(0)


def loss(at: sp.Expr) -> sp.Expr:
    """log p/q where the cotangent is `at`."""
    turned = sp.log(1 + g * x**2) - sp.log(1 + x**2)
    return ((rows + 1) * (sp.log(1 + g * at**2) - sp.log(1 + at**2)) + k * turned - (k + 1) * sp.log(g)) / 2


def smooth(of: sp.Expr) -> sp.Expr:
    """The density of the cotangent and xi at the parameter `of`, but for |c_T + x xi|^k."""
    power = constant * of ** ((k + 1) / 2) * (1 + of * x**2) ** (-k / 2)
    return power * (1 + of * cot**2) ** (-(rows + 1) / 2)


def density(of: sp.Expr) -> sp.Expr:
    """That of both, relative to the law of xi."""
    return smooth(of) * sp.Abs(cot + x * xi) ** k


def inflow(at: sp.Expr) -> sp.Expr:
    """The expectation of what comes in where the cotangent is `at`, but for a factor."""
    return sphere_mean(d, xi * sp.Abs(at + x * xi) ** k)


def factor(of: sp.Expr) -> sp.Expr:
    """That factor."""
    power = constant * of ** ((k + 1) / 2) * (1 + of * x**2) ** (-k / 2 - 1)
    return power * (1 + of * z**2) ** (-(rows - 1) / 2)


def place(name: str) -> sp.Expr:
    """v, a function of x: log 1/(1-p) of a record that is deleted, log (1-p)/(1-c) of one that is inserted."""
    ratio = (1 + x**2) / (1 + g * x**2)
    return sp.log(ratio) if name == "deleted" else sp.log(1 / (g * ratio))


def leverage(name: str, at: Any) -> Any:
    """The leverage of the record on the edge that is at v."""
    return 1 - sp.exp(-at) if name == "deleted" else 1 - g * sp.exp(at)


def laws(at: Any) -> tuple[Any, Any]:
    """Both laws of a record of this leverage on the edge."""
    return sketched(at, 1 - g, d, rows), resketched(at, 1 - g, d, rows)


def room_steps() -> tuple[Step, ...]:
    """Names, and what the hypotheses say of them."""
    at = 1 - share * (1 - g)
    return (
        Step("k", "k = r - d >= 0,", lhs=k, rhs=r - d, kind="definition", premises=("r >= d",)),
        Step("g", "g = 1 - c > 0,", lhs=g, rhs=1 - c, kind="definition", premises=("c < 1",)),
        Step("s", "s = p/q.", lhs=share, rhs=p / q, kind="definition"),
        Step("c is positive", "c > 0:", lhs=c, rhs=zero, relation=">", witness=c),
        Step("c", "c is 1 - g,", lhs=c, rhs=1 - g, kind="inference", premises=("g",)),
        Step(
            "g < 1",
            "and g below 1.",
            lhs=1 - g,
            rhs=zero,
            relation=">",
            kind="inference",
            premises=("c is positive", "g"),
        ),
        Step(
            "s <= 1",
            "p <= q.",
            lhs=p / q,
            rhs=one,
            relation="<=",
            kind="inference",
            premises=(Use("p <= q", weight=1 / q),),
        ),
        Step(
            "at least g",
            "1 - s c is at least 1 - c",
            lhs=g,
            rhs=at,
            relation="<=",
            kind="inference",
            premises=(Use("s <= 1", weight=c), "s", "g"),
        ),
        Step(
            "at least g, turned",
            "that is, it is",
            lhs=at,
            rhs=g,
            relation=">=",
            kind="inference",
            premises=(Use("at least g", weight=-1),),
        ),
        Step(
            "at most 1",
            "and at most 1,",
            lhs=at,
            rhs=one,
            relation="<=",
            kind="inference",
            premises=(Use("g < 1", weight=-share),),
        ),
        by_fact(
            "log at least",
            "and so are the logarithms.",
            "logarithms keep the order",
            {"a": g, "b": at, "c": g / 2},
            {
                "order": "at least g",
                "least": at_least(g, g / 2, g / 2),
                "positive": at_least(g / 2, zero, g / 2, ">"),
            },
        ),
        by_fact(
            "log at most",
            "(log 1 = 0.)",
            "logarithms keep the order",
            {"a": at, "b": one, "c": g},
            {"order": "at most 1", "least": "at least g, turned", "positive": at_least(g, zero, g, ">")},
        ),
        Step(
            "log 1/(1-c)",
            "log 1/(1-c) is not negative.",
            lhs=lowest,
            rhs=zero,
            relation=">=",
            kind="inference",
            premises=(Use("log at least", weight=-1), Use("log at most", weight=-1)),
        ),
    )


def at_least(left: Any, right: Any, witness: Any, relation: str = ">=") -> Step:
    return Step("order", "", lhs=left, rhs=right, relation=relation, witness=witness)


def _stretched(letters: Mapping[str, Any]) -> sp.Expr:
    return letters["factor"] * letters["f"].subs(cot, letters["factor"] * cot)


def law_steps() -> tuple[Step, ...]:
    """The laws of the cotangent in both databases."""
    on_edge = leverage("deleted", place("deleted"))
    record = {"p": on_edge, "q": 1 - g, "d": d, "r": rows}
    letters = {**record, "x": x}
    shown = {"size": "d >= 1", "density": "half sphere", "statistic": "T on it", "direction": "direction"}
    stretch = {"d": d, "f": density(one).subs(x, sp.sqrt(g) * x), "factor": sp.sqrt(g), "image": density(g)}
    w = ((1 + g * cot**2) / (1 + cot**2)) ** (-(rows + 1) / 2)
    ratio = g ** (-(k + 1) / 2) * ((1 + x**2) / (1 + g * x**2)) ** (-k / 2)
    names = {**record, "f": density(one), "g": density(g), "w": w, "ratio": ratio, "edge": z}
    return (
        *half_sphere_steps(rows),
        Step(
            "direction",
            "The leverage on the edge is c x^2/(1 + x^2): e_0^2 = (c-p)/c = 1/(1 + x^2).",
            lhs=direction(on_edge, 1 - g),
            rhs=1 / (1 + x**2),
        ),
        by_fact(
            "law of T",
            "In the larger database T < z^2/(1 + z^2) where the cotangent c of the angle is below z.",
            "cotangent of an angle on a half sphere",
            {**letters, "edge": z},
            {**shown, "edge": at_least(z, zero, z)},
        ),
        by_fact("mass", "Its density", "cotangent of an angle on a half sphere, any", letters, shown),
        by_fact(
            "stretched",
            "and that of c/sqrt(g)",
            "a stretched density",
            stretch,
            {
                "positive": at_least(sp.sqrt(g), zero, sp.sqrt(g), ">"),
                "image": Step("image", "", lhs=_stretched(stretch), rhs=density(g)),
            },
        ),
        Step(
            "density in the smaller database",
            "at the parameter sqrt(g) x have the integral 1.",
            lhs=below(d, density(g), sp.oo),
            rhs=one,
            kind="inference",
            premises=("stretched", Use("mass", at={x: sp.sqrt(g) * x})),
        ),
        Step(
            "smaller database",
            "L = L0 + ((r+1)/2) log(1 - q T) (finite_loss): the smaller database has, relative to the larger one, a"
            " density proportional to (1 - c T)^{-(r+1)/2}.",
            kind="definition",
            premises=(RECORD, "r >= d"),
        ),
        Step(
            "over P",
            "1 - c T is (1 + g c^2)/(1 + c^2) at the cotangent c.",
            lhs=(1 - (1 - g) * statistic(cot)) ** (-(rows + 1) / 2),
            rhs=w,
            premises=("smaller database",),
        ),
        Step(
            "proportion",
            "So it is, up to a constant, the quotient of these two.",
            lhs=w * density(one),
            rhs=ratio * density(g),
        ),
        by_fact(
            "other law of T",
            "That is the law of the cotangent in the smaller database.",
            "a law in proportion to another",
            names,
            {
                "law": "law of T",
                "over P": "over P",
                "proportion": "proportion",
                "mass": "density in the smaller database",
            },
        ),
    )


def flow_steps() -> tuple[Step, ...]:
    """How the law of the cotangent moves with x."""
    speed, across = (1 + gamma * cot**2) / (1 + gamma * x**2), gamma * cot / (1 + gamma * x**2)
    line = cot + x * xi
    f = smooth(gamma) * line**k
    sideways = (1 - xi**2) * sp.Derivative(f * across, xi) - (d - 1) * xi * f * across
    start = (xi * speed * density(gamma)).subs(cot, 0)
    edge = z + x * xi
    return (
        Step(
            "family",
            "F_{g, x}(z), g = 1 or 1 - c: the probability of a cotangent below z.",
            lhs=before(gamma, z, x),
            rhs=below(d, density(gamma), z),
            kind="definition",
        ),
        Step(
            "carried",
            "A change of x turns the sphere: the density is carried along.",
            lhs=sp.Derivative(f, x),
            rhs=sp.Derivative(xi * speed * f, cot) - sideways,
            reduce=lambda left, right: sp.cancel(
                sp.together(sp.powsimp(sp.expand(((left - right) * line / f).xreplace({constant: one}))))
            ),
        ),
        Step(
            "start",
            "What comes in at c = 0 is odd in xi.",
            lhs=sp.Subs(start, xi, -xi),
            rhs=-start,
        ),
        by_fact(
            "flow",
            "So the probability moves with what comes in at z,",
            "flow of an angle",
            {
                "below": before(gamma, z, x),
                "d": d,
                "f": smooth(gamma),
                "g": line,
                "k": k,
                "t": x,
                "speed": speed,
                "across": across,
                "edge": z,
            },
            {"density": "family", "carried": "carried", "start": "start"},
        ),
        Step(
            "order of the sides",
            "(z + x s)^2 - (z - x s)^2 = 4 x z s.",
            lhs=edge.subs(xi, size) ** 2,
            rhs=edge.subs(xi, -size) ** 2,
            relation=">=",
            witness=4 * x * z * size,
        ),
        by_fact(
            "inflow",
            "which is not negative.",
            "more on the one side",
            {"h": edge, "k": k, "d": d},
            {"order": "order of the sides"},
        ),
    )


def order_steps() -> tuple[Step, ...]:
    """v is a monotone function of x, and so is the same function of z."""
    at = lambda point: (1 + point**2) / (1 + g * point**2)  # noqa: E731
    more = x + beyond
    return (
        Step(
            "quotients",
            "(1 + x^2)/(1 + g x^2) grows with x,",
            lhs=at(x),
            rhs=at(more),
            relation="<=",
            kind="inference",
            premises=(Use("g < 1", weight=-sp.expand(more**2 - x**2) / ((1 + g * x**2) * (1 + g * more**2))),),
        ),
        Step(
            "least quotient",
            "from 1 on,",
            lhs=at(x),
            rhs=one,
            relation=">=",
            kind="inference",
            premises=(Use("g < 1", weight=x**2 / (1 + g * x**2)),),
        ),
        by_fact(
            "logarithms",
            "and its logarithm does.",
            "logarithms keep the order",
            {"a": at(x), "b": at(more), "c": one},
            {"order": "quotients", "least": "least quotient", "positive": at_least(one, zero, one, ">")},
        ),
        by_fact(
            "logarithm, least",
            "It is not negative,",
            "logarithms keep the order",
            {"a": one, "b": at(x), "c": one / 2},
            {
                "order": Step(
                    "least", "", one, at(x), "<=", kind="inference", premises=(Use("least quotient", weight=-1),)
                ),
                "least": at_least(one, one / 2, one / 2),
                "positive": at_least(one / 2, zero, one / 2, ">"),
            },
        ),
        Step(
            "greatest quotient",
            "(1 + x^2)/(1 + g x^2) is at most 1/(1-c),",
            lhs=at(x),
            rhs=1 / g,
            relation="<=",
            kind="inference",
            premises=(Use("g < 1", weight=-1 / (g * (1 + g * x**2))),),
        ),
        by_fact(
            "logarithm, most",
            "and at most log 1/(1-c).",
            "logarithms keep the order",
            {"a": at(x), "b": 1 / g, "c": one},
            {"order": "greatest quotient", "least": "least quotient", "positive": at_least(one, zero, one, ">")},
        ),
        Step(
            "the loss falls",
            "The loss falls in z.",
            lhs=sp.Derivative(loss(z), z),
            rhs=zero,
            relation="<",
            kind="inference",
            premises=(Use("g < 1", weight=-(rows + 1) * z / ((1 + z**2) * (1 + g * z**2))),),
        ),
        Step(
            "the loss",
            "It is that of the two densities.",
            lhs=density(one),
            rhs=sp.exp(loss(cot)) * density(g),
        ),
        *(
            Step(
                f"probability at {which}",
                "In these names.",
                lhs=mass(law, statistic(z)),
                rhs=before(which, z, x),
                kind="inference",
                premises=(known, Use("family", at={gamma: which})),
            )
            for law, known, which in zip(
                laws(leverage("deleted", place("deleted"))), ("law of T", "other law of T"), (one, g), strict=True
            )
        ),
        *(
            Step(
                f"density at {which}",
                "And their densities.",
                lhs=before(which, z, x),
                rhs=below(d, density(which), z),
                kind="inference",
                premises=(Use("family", at={gamma: which}),),
            )
            for which in (one, g)
        ),
    )
