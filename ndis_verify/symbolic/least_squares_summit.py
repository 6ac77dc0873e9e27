"""Sketched least squares at every r: the worst record below a cap, in closed form."""

from __future__ import annotations

from functools import cache
from typing import Any

import sympy as sp

from ndis_verify.symbolic.derivation import Conclusion, Derivation, Fault, Hypothesis, Step, Use
from ndis_verify.symbolic.fact_steps import by_fact
from ndis_verify.symbolic.facts_of_angles import cot
from ndis_verify.symbolic.least_squares_order import finite_order
from ndis_verify.symbolic.least_squares_order_steps import RECORD, d, epsilon, r
from ndis_verify.symbolic.least_squares_summit_steps import (
    c,
    constant,
    density,
    factor,
    flow_steps,
    g,
    gamma,
    inflow,
    k,
    law_steps,
    leverage,
    loss,
    lowest,
    one,
    order_steps,
    p,
    place,
    q,
    room_steps,
    rows,
    share,
    x,
    z,
    zero,
)
from ndis_verify.symbolic.meanings import meaning
from ndis_verify.symbolic.notation import before, beyond
from ndis_verify.symbolic.statement_terms import quantity

v = sp.Symbol("v", real=True)
total = d + 2 * k + 1  # 2 r - d + 1
WAYS = {"deleted": ("sketch", 1), "inserted": ("sketch_insert", -1)}


def summit(name: str) -> sp.Expr:
    """t or u of the statement."""
    return (((k + 1) if name == "deleted" else rows) * lowest - 2 * epsilon) / total


def _gain(name: str) -> sp.Expr:
    """What the slope in x of the gain of the threshold's event is, over what comes in."""
    weight = sp.exp(epsilon)
    return factor(one) - weight * factor(g) if name == "deleted" else weight * factor(one) - factor(g)


def _slope_steps(name: str) -> tuple[Step, ...]:
    """The sign of the slope where the loss is at its threshold: that of z - x."""
    weight, sign = sp.exp(epsilon), WAYS[name][1]
    first, second = (sp.Derivative(before(which, z, x), x) for which in (one, g))
    threshold = sign * loss(z)
    scale = constant * (1 + z**2) ** (-(rows + 1) / 2) * (1 + x**2) ** (-k / 2 - 1) / (1 + g * x**2)
    scale *= 1 if name == "deleted" else sp.exp(-loss(z))
    up, down = (c * scale * beyond * (2 * x + beyond)).subs(z, x + beyond), -c * scale * beyond * (2 * z + beyond)
    met = {"up": ({z: x + beyond}, ">=", up), "down": ({x: z + beyond}, "<=", down.subs(x, z + beyond))}
    told = f"Where the loss is {'eps' if sign == 1 else '-eps'}, this is (1-c)(z^2 - x^2) times what is positive:"
    where = {"up": f"{told} it is >= 0 where z = x + w,", "down": "<= 0 where x = z + w,"}
    v_of, m_of = place(name), summit(name).subs(epsilon, threshold)
    return (
        Step(
            f"{name}: slope",
            "What the event below z gains has the slope" if sign == 1 else "What the event above z gains has the slope",
            lhs=first - weight * second if sign == 1 else weight * first - second,
            rhs=_gain(name) * inflow(z),
            kind="inference",
            premises=(Use("flow", at={gamma: one}), Use("flow", at={gamma: g})),
        ),
        *(
            Step(
                f"{name}: slope, {which}",
                where[which],
                lhs=(_gain(name).subs(epsilon, threshold) * inflow(z)).subs(at),
                rhs=zero,
                relation=relation,
                kind="inference",
                premises=(Use("inflow", at=at, weight=positive), "c"),
            )
            for which, (at, relation, positive) in met.items()
        ),
        *(
            Step(
                f"{name}: summit, {which}",
                "and the summit is on that side of v." if which == "up" else "and on the other one there.",
                lhs=m_of.subs(at),
                rhs=v_of.subs(at),
                relation=relation if sign == 1 else {">=": "<=", "<=": ">="}[relation],
                kind="inference",
                premises=(
                    Use(
                        "logarithms",
                        at={} if which == "up" else {x: z},
                        weight=(-1 if which == "up" else 1) * sign * (rows + 1) / total,
                    ),
                ),
            )
            for which, (at, relation, _) in met.items()
        ),
    )


def _summit_steps(name: str) -> tuple[Step, ...]:
    """The worst record on the edge, and below it."""
    head, sign = WAYS[name]
    bound = "least" if sign == 1 else "most"
    v_of, record = place(name), 1 - share * (1 - g)
    at = -sp.log(record) if sign == 1 else sp.log(record) - sp.log(g)
    best = leverage(name, sp.Max(0, summit(name)))
    ends = (zero, lowest)[::sign]

    def released(p_: Any, q_: Any = 1 - g, rows_: Any = rows) -> Any:
        return quantity(head, p_, q_, d, rows_, epsilon)

    stated = best.subs(lowest, sp.log(1 / (1 - c))).subs({g: 1 - c, k: r - d})
    return (
        Step(
            f"{name}: v moves",
            "v is a function of x that rises" if sign == 1 else "v is a function of x that falls",
            lhs=sp.Derivative(v_of, x),
            rhs=zero,
            relation=">" if sign == 1 else "<",
            kind="inference",
            premises=(Use("g < 1", weight=sign * 2 * x / ((1 + x**2) * (1 + g * x**2))),),
        ),
        Step(f"{name}: start", "from here", lhs=sp.Subs(v_of, x, 0), rhs=ends[0]),
        Step(f"{name}: end", "to here.", lhs=sp.Limit(v_of, x, sp.oo), rhs=ends[1]),
        Step(
            f"{name}: least",
            "The record is at a v >= 0,",
            lhs=at,
            rhs=zero,
            relation=">=",
            kind="inference",
            premises=(Use("log at most" if sign == 1 else "log at least", weight=-1),),
        ),
        Step(
            f"{name}: most",
            "at most log 1/(1-c),",
            lhs=at,
            rhs=lowest,
            relation="<=",
            kind="inference",
            premises=("log at least" if sign == 1 else "log at most",),
        ),
        Step(
            f"{name}: room",
            "and so is the summit.",
            lhs=summit(name),
            rhs=lowest,
            relation="<=",
            kind="inference",
            premises=(
                Use("log 1/(1-c)", weight=-(rows if sign == 1 else k + 1) / total),
                Use("eps >= 0", weight=-2 / total),
            ),
        ),
        Step(
            f"{name}: no loss above",
            "No loss exceeds eps by more than (2 r - d + 1) t/2." if sign == 1 else "(u in the place of t.)",
            lhs=sign * loss(z) - epsilon,
            rhs=total / 2 * summit(name),
            relation="<=",
            kind="inference",
            premises=(
                Use(f"logarithm, {bound}", at={x: z}, weight=(rows + 1) / 2),
                Use(f"logarithm, {bound}", weight=k / 2),
            ),
        ),
        by_fact(
            f"{name}: one summit",
            "So the divergence has one summit on the edge.",
            "one summit of a divergence" if sign == 1 else "one summit of a divergence, exchanged",
            {
                "leverage": sp.Lambda(v, leverage(name, v)),
                "q": 1 - g,
                "r": rows,
                "epsilon": epsilon,
                "x": x,
                "place": v_of,
                "high": lowest,
                "edge": z,
                "P below": before(one, z, x),
                "Q below": before(g, z, x),
                "d": d,
                "f": density(one),
                "g": density(g),
                "loss": loss(z),
                "slope": _gain(name) * inflow(z),
                "summit": summit(name),
                "at": at,
            },
            {
                "of P": "probability at 1",
                "of Q": "probability at g",
                "density of P": "density at 1",
                "density of Q": "density at g",
                "loss": "the loss",
                "falls": "the loss falls",
                "slope": f"{name}: slope",
                "up": f"{name}: slope, up",
                "down": f"{name}: slope, down",
                "before": f"{name}: summit, up",
                "after": f"{name}: summit, down",
                "moves": f"{name}: v moves",
                "start": f"{name}: start",
                "end": f"{name}: end",
                **{one_: f"{name}: {one_}" for one_ in ("least", "most", "room")},
            },
        ),
        meaning(f"{name}: at the record", head, share * (1 - g), 1 - g, d, rows, epsilon),
        meaning(f"{name}: at the summit", head, best, 1 - g, d, rows, epsilon),
        Step(
            f"{name}: on the edge",
            "That is the record on the edge with the same p/q, and the one at the summit.",
            lhs=released(share * (1 - g)),
            rhs=released(best),
            relation="<=",
            kind="inference",
            premises=(f"{name}: one summit", f"{name}: at the record", f"{name}: at the summit"),
        ),
        *_leverage_steps(name),
        Step(
            f"{name}: worst record",
            "A record below the edge costs at most what that on it does.",
            lhs=released(p, q, r),
            rhs=released(stated, c, r),
            relation="<=",
            kind="inference",
            premises=(
                Use(
                    f"{name}: order",
                    of=finite_order,
                    at={share: p / q, sp.Symbol("u", real=True): c},
                    granted={"q <= u": "q <= c", "u < 1": "c < 1", "s <= 1": "s <= 1"},
                ),
                f"{name}: on the edge",
                *("c", "s", "k"),
                *(Use(f"{name}: {end}", weight=0) for end in ("leverage at least 0", "leverage at most c")),
            ),
        ),
    )


def _leverage_steps(name: str) -> tuple[Step, ...]:
    """The leverage at the summit is one of a record on the edge."""
    best, sign = sp.Max(0, summit(name)), WAYS[name][1]
    at, factor_ = leverage(name, best), one if sign == 1 else g
    at_least, at_most = "exponential at least", "exponential at most"
    return (
        by_fact(
            f"{name}: larger of both",
            "max(0, t) is at most log 1/(1-c)," if sign == 1 else "max(0, u) is at most log 1/(1-c),",
            "larger of two numbers",
            {"one": zero, "other": summit(name), "bound": lowest},
            {
                "one": Step(
                    "above 0", "", zero, lowest, "<=", kind="inference", premises=(Use("log 1/(1-c)", weight=-1),)
                ),
                "other": f"{name}: room",
            },
        ),
        by_fact(
            f"{name}: exponential at most",
            "and so is its exponential",
            "exponentials keep the order",
            {"a": -lowest, "b": -best} if sign == 1 else {"a": best, "b": lowest},
            {
                "order": Step("", "", -lowest, -best, "<=", kind="inference", premises=(f"{name}: larger of both",))
                if sign == 1
                else f"{name}: larger of both"
            },
        ),
        by_fact(
            f"{name}: exponential at least",
            "between these two:",
            "exponentials keep the order",
            {"a": -best, "b": zero} if sign == 1 else {"a": zero, "b": best},
            {"order": Step("", "", *((-best, zero) if sign == 1 else (zero, best)), "<=", witness=-best)},
        ),
        *(
            Step(
                f"{name}: leverage {words}",
                why,
                lhs=at.subs(lowest, sp.log(1 / (1 - c))).subs({g: 1 - c, k: r - d}),
                rhs=bound,
                relation=relation,
                kind="inference",
                premises=(Use(f"{name}: {shown}", weight=weight), *("c", "k")),
            )
            for words, why, bound, relation, shown, weight in (
                (
                    "at least 0",
                    "the leverage is not negative,",
                    zero,
                    ">=",
                    at_most if sign < 0 else at_least,
                    -factor_,
                ),
                ("at most c", "and at most c.", c, "<=", at_least if sign < 0 else at_most, factor_),
            )
        ),
    )


_SYMBOLS = {"p": p, "q": q, "c": c, "d": d, "r": r, "eps": epsilon}


@cache
def worst_record() -> Derivation:
    """Finite-r law, q <= c: the worst record has q = c and p = 1 - e^{-max(0, t)} "delete", 1 - p = (1-c) e^{max(0, u)}
    "insert".

    `number`: p of "delete" where t >= 0, at `beside` = 1 - c, `d`, `extra_rows` = r - d, `epsilon`.
    """
    steps = (
        *room_steps(),
        *law_steps(),
        *flow_steps(),
        *order_steps(),
        *(step for name in WAYS for step in (*_slope_steps(name), *_summit_steps(name))),
        Step(
            "leverage of the worst record",
            "Where t >= 0, 1 - e^{-t} is:",
            lhs=leverage("deleted", summit("deleted")),
            rhs=1 - g ** ((k + 1) / total) * sp.exp(2 * epsilon / total),
            premises=("deleted: room",),
        ),
    )
    return Derivation(
        id="least_squares_summit.worst_record",
        title="Sketched least squares at every r: the worst record below a cap in closed form",
        sources=("N24-T5",),
        hypotheses=(
            Hypothesis(RECORD, of="sketch"),
            Hypothesis("d >= 1", d >= 1),
            Hypothesis("r >= d", r >= d),
            Hypothesis("p <= q", p <= q),
            Hypothesis("q <= c", q <= c),
            Hypothesis("c < 1", c < 1),
            Hypothesis("eps >= 0", epsilon >= 0),
        ),
        steps=steps,
        result_step="leverage of the worst record",
        symbols={"beside": g, "d": d, "extra_rows": k, "epsilon": epsilon},
        domain=(g < 1,),
        faults=(
            Fault("turned the other way", "carried", lambda rhs: -rhs),
            Fault("leverage of the smaller database", "direction", lambda rhs: 1 / (1 + g * x**2)),
            Fault("law without its constant", "proportion", lambda rhs: rhs * sp.sqrt(g)),
            Fault("loss of the other order", "the loss", lambda rhs: rhs * sp.exp(-2 * loss(cot))),
            Fault("sign of the other order", "inserted: slope", lambda rhs: -rhs),
            Fault("slopes exchanged", "deleted: slope", lambda rhs: -rhs),
            Fault("summit of the normal law", "deleted: summit, up", lambda rhs: rhs * total / (2 * rows)),
            Fault("loss of insertion at p = 0", "inserted: worst record", lambda rhs: rhs.subs(r, r - k)),
            Fault("loss of every row", "leverage of the worst record", lambda rhs: 1 - (1 - rhs) ** rows),
        ),
        concludes=(
            *(Conclusion("N24-6.3-worst-record", f"{name}: worst record", _SYMBOLS) for name in WAYS),
            *(
                Conclusion(
                    "N24-6.3-worst-record", f"{name}: no loss above", part=f"no record costs anything where {at} <= 0"
                )
                for name, at in zip(WAYS, "tu", strict=True)
            ),
            Conclusion("N24-6.3-worst-record", "leverage of the worst record", part="its leverage as a power of 1 - c"),
        ),
    )
