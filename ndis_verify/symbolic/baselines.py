"""The calibration of random projection by a bound on mutual information."""

from __future__ import annotations

from functools import cache

import sympy as sp

from ndis_verify.symbolic.derivation import Derivation, Fault, Step
from ndis_verify.symbolic.fact_steps import by_fact
from ndis_verify.symbolic.notation import held

r = sp.Symbol("r", positive=True)


@cache
def information() -> Derivation:
    """Why noise set by the information of a lone record is (eps, delta)-DP, by a binary channel or by Pinsker's
    inequality: in words, for notebook 14 (what N24-Fig14 states is proved in `older_ridges`).

    `number`: that information `(r/2)(s - log(1 + s))`, at `r` and `signal` s = l^2/ridge.
    """
    s, w = sp.symbols("s w", positive=True)
    p, q = sp.symbols("p q", positive=True)
    total = sp.Symbol("T", positive=True)  # total variation
    mixed = w * p + (1 - w) * q

    def divergence(x: sp.Expr) -> sp.Expr:
        return x * sp.log(x / mixed) + (1 - x) * sp.log((1 - x) / (1 - mixed))

    told = w * divergence(p) + (1 - w) * divergence(q)
    gap, share = sp.symbols("g h", positive=True)
    told_by_release, told_by_event = sp.symbols("I_release I_event", nonnegative=True)
    steps = (
        by_fact(
            "information",
            "A row of the release is N(0, D^T D + ridge I). Given the other records, I(record; release) is at most"
            " the prior's"
            " average of D(P_x || P_0), x against no record, for every prior.",
            "mutual information and any reference law",
            {"information": told_by_release, "divergence": sp.Symbol("D_x", nonnegative=True)},
            {"laws": "records of norm at most l"},
        ),
        Step(
            "lone record",
            "D grows with x^T (rest)^{-1} x, at most s = l^2/ridge, the lone record's. Per column, under P, log(p/q)"
            " has mean",
            lhs=(1 + s) * (1 - 1 / (1 + s)) / 2 - sp.log(1 + s) / 2,
            rhs=(s - sp.log(1 + s)) / 2,
        ),
        Step(
            "r columns",
            "and r independent columns give r times that.",
            lhs=r * ((1 + s) * (1 - 1 / (1 + s)) - sp.log(1 + s)) / 2,
            rhs=r * (s - sp.log(1 + s)) / 2,
        ),
        by_fact(
            "violation",
            "If an event has P > delta + e^eps Q for two values of a record, a prior on the two and the event make a"
            " binary"
            " channel; its information is at most that of the release, for the best prior too.",
            "data processing of information",
            {"information": told_by_release, "of image": told_by_event},
            {"map": "records of norm at most l"},
        ),
        Step(
            "grows with p",
            "It grows with p > q, so a violation tells at least the capacity at p = delta + e^eps q:",
            lhs=sp.diff(told, p),
            rhs=w * sp.log(p * (1 - mixed) / (mixed * (1 - p))),
            reduce=_derivative,
        ),
        Step(
            "odds",
            "the odds of p exceed those of the mixture, p - m = (1-w)(p-q);",
            lhs=p - mixed,
            rhs=(1 - w) * (p - q),
        ),
        Step(
            "least capacity",
            "Below the least capacity over q no event violates. The capacity is convex in the channel, hence in q: one"
            " minimum.",
            kind="argument",
        ),
        Step(
            "Pinsker",
            "Or: with equal priors the information is (D(P||M) + D(Q||M))/2, M the mean, each at least 2 (T/2)^2, T ="
            " TV(P, Q):",
            lhs=held(2 * held(total / 2) ** 2 + 2 * held(total / 2) ** 2) / 2,
            rhs=total**2 / 2,
        ),
        Step("total variation", "so I <= delta^2/2 gives T <= delta,", lhs=sp.sqrt(2 * held(gap**2 / 2)), rhs=gap),
        Step(
            "every eps",
            "and the divergence at eps >= 0 is at most that at 0: p - e^eps q <= p - q.",
            lhs=p - q,
            rhs=p - (1 + share) * q,
            relation=">=",
            witness=share * q,
        ),
    )
    return Derivation(
        id="baselines.information",
        title="A bound on the information about one record is a privacy guarantee",
        sources=("N24-Fig14",),
        hypotheses=("eps >= 0", "0 < delta < 1", "records of norm at most l"),
        steps=steps,
        result_step="r columns",
        symbols={"r": r, "signal": s},
        faults=(
            Fault("the logarithm's half dropped", "lone record", lambda rhs: (s - 2 * sp.log(1 + s)) / 2),
            Fault("twice the information", "r columns", lambda rhs: 2 * rhs),
            Fault("p's own odds against 1 - p", "grows with p", lambda rhs: w * sp.log(p / (1 - p))),
            Fault("T^2 for T^2/2", "Pinsker", lambda rhs: 2 * rhs),
            Fault("mixture the other way", "odds", lambda rhs: w * (p - q)),
        ),
    )


def _derivative(lhs: sp.Expr, rhs: sp.Expr) -> sp.Expr:
    """lhs - rhs with every logarithm of a product split, on 0 < q < p < 1."""
    p, q, w = (symbol for name in ("p", "q", "w") for symbol in lhs.free_symbols if symbol.name == name)
    x, y, t = sp.symbols("x y t", positive=True)
    odds = {p: x / (1 + x), q: y / (1 + y), w: t / (1 + t)}
    return sp.expand(
        sp.expand_log(sp.simplify(sp.expand_log(sp.together((lhs - rhs).subs(odds)), force=True)), force=True)
    )
