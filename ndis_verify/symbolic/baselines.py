"""The calibration of random projection by a bound on mutual information."""

from __future__ import annotations

from functools import cache

import sympy as sp

from ndis_verify.symbolic.derivation import Conclusion, Derivation, Fault, Step
from ndis_verify.symbolic.fact_steps import by_fact
from ndis_verify.symbolic.notation import held

r = sp.Symbol("r", positive=True)
_LAWS = "laws of the release for each record of norm at most l, and for none"


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

    x, y, t = sp.symbols("x y t", positive=True)  # the odds of p, q and w
    high, low, weight = ((odds / (1 + odds), 1 / (1 + odds)) for odds in (x, y, t))
    middle = tuple(sp.factor(weight[0] * one + weight[1] * other) for one, other in zip(high, low, strict=True))

    def divergence(chance: tuple[sp.Expr, sp.Expr]) -> sp.Expr:
        return sp.Add(*(one * sp.log(one / of_mean) for one, of_mean in zip(chance, middle, strict=True)))

    told = weight[0] * divergence(high) + weight[1] * divergence(low)
    slope = weight[0] / (1 + x) ** 2 * sp.log(high[0] * middle[1] / (middle[0] * high[1]))
    gap, share = sp.symbols("g h", positive=True)
    record, release = sp.symbols("X Y", real=True)
    steps = (
        by_fact(
            "information",
            "A row of the release is N(0, D^T D + ridge I). Given the other records, I(record; release) is at most"
            " the prior's"
            " average of D(P_x || P_0), x against no record, for every prior.",
            "mutual information and any reference law",
            {"input": record, "output": release, "divergence": sp.Symbol("D_x", nonnegative=True)},
            {"laws": _LAWS},
        ),
        Step(
            "lone record",
            "D grows with x^T (rest)^{-1} x, at most s = l^2/ridge, the lone record's. Per column, under P, log(p/q)"
            " has mean",
            lhs=(1 + s) * (1 - 1 / (1 + s)) / 2 - sp.log(1 + s) / 2,
            rhs=(s - sp.log(1 + s)) / 2,
            premises=(_LAWS, "information"),
        ),
        Step(
            "r columns",
            "and r independent columns give r times that.",
            lhs=r * ((1 + s) * (1 - 1 / (1 + s)) - sp.log(1 + s)) / 2,
            rhs=r * (s - sp.log(1 + s)) / 2,
            premises=("lone record",),
        ),
        by_fact(
            "violation",
            "If an event has P > delta + e^eps Q for two values of a record, a prior on the two and the event make a"
            " binary"
            " channel; its information is at most that of the release, for the best prior too.",
            "data processing of information",
            {"input": record, "output": release, "image": sp.Function("event", real=True)(release)},
            {},
        ),
        Step(
            "grows with p",
            "It grows with p > q, here with the odds x of p, y and t those of q and of the prior w: a violation tells"
            " at least the capacity at p = delta + e^eps q:",
            lhs=sp.diff(told, x),
            rhs=slope,
            reduce=_derivative,
            premises=("violation",),
        ),
        Step(
            "odds",
            "the odds of p exceed those of the mixture, p - m = (1-w)(p-q);",
            lhs=p - mixed,
            rhs=(1 - w) * (p - q),
            premises=("grows with p",),
        ),
        Step(
            "least capacity",
            "Below the least capacity over q no event violates. The capacity is convex in the channel, hence in q: one"
            " minimum.",
            kind="argument",
            premises=("odds", "r columns"),
        ),
        Step(
            "Pinsker",
            "Or: with equal priors the information is (D(P||M) + D(Q||M))/2, M the mean, each at least 2 (T/2)^2, T ="
            " TV(P, Q):",
            lhs=held(2 * held(total / 2) ** 2 + 2 * held(total / 2) ** 2) / 2,
            rhs=total**2 / 2,
            premises=("violation",),
        ),
        Step(
            "total variation",
            "so I <= delta^2/2 gives T <= delta,",
            lhs=sp.sqrt(2 * held(gap**2 / 2)),
            rhs=gap,
            premises=("Pinsker", "r columns"),
        ),
        Step(
            "every eps",
            "and the divergence at eps >= 0 is at most that at 0: p - e^eps q <= p - q.",
            lhs=p - q,
            rhs=p - (1 + share) * q,
            relation=">=",
            witness=share * q,
            premises=("total variation",),
        ),
    )
    return Derivation(
        id="baselines.information",
        title="A bound on the information about one record is a privacy guarantee",
        sources=("N24-Fig14",),
        hypotheses=(_LAWS,),
        steps=steps,
        result_step="r columns",
        symbols={"r": r, "signal": s},
        faults=(
            Fault("the logarithm's half dropped", "lone record", lambda rhs: (s - 2 * sp.log(1 + s)) / 2),
            Fault("twice the information", "r columns", lambda rhs: 2 * rhs),
            Fault("p's own odds against 1 - p", "grows with p", lambda rhs: weight[0] / (1 + x) ** 2 * sp.log(x)),
            Fault("T^2 for T^2/2", "Pinsker", lambda rhs: 2 * rhs),
            Fault("mixture the other way", "odds", lambda rhs: w * (p - q)),
        ),
        concludes=(
            Conclusion("N24-Fig14", "least capacity", part="noise by a bound on information: a binary channel"),
            Conclusion("N24-Fig14", "every eps", part="noise by a bound on information: Pinsker's inequality"),
        ),
    )


def _derivative(lhs: sp.Expr, rhs: sp.Expr) -> sp.Expr:
    """lhs - rhs with every logarithm of a product of positive numbers split."""
    return sp.simplify(sp.expand_log(lhs - rhs, force=True))
