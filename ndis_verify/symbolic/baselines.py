"""Calibrations of other authors for random projection: the ridge of Blocki et al., a bound on mutual information."""

from __future__ import annotations

from functools import cache

import sympy as sp

from ndis_verify.symbolic.derivation import Derivation, Fault, Step
from ndis_verify.symbolic.fact_steps import by_fact
from ndis_verify.symbolic.notation import held
from ndis_verify.symbolic.random_projection import odds as odds_of_cost
from ndis_verify.symbolic.random_projection_order import cost_of_deletion, rises_with_leverage

zero, half = sp.Integer(0), sp.Rational(1, 2)
r, epsilon, delta = sp.symbols("r epsilon delta", positive=True)


@cache
def blocki() -> Derivation:
    """The ridge `256 l^2 r log(2/delta) log(16 r/delta)^2/eps^2` is at least the least-singular-value one for eps <= 3
    log(4/delta) (N24-Fig14).

    `number`: the leverage l^2/(w^2 + l^2) that it leaves, at `r`, `epsilon`, `delta`.
    """
    u, g, w, room = (sp.Symbol(name, nonnegative=True) for name in ("u", "g", "w", "v"))
    big = 2 * sp.log(2) + u  # L = log(4/delta), delta < 1
    ridge = 256 * r * sp.log(2 / delta) * sp.log(16 * r / delta) ** 2 / epsilon**2
    a, c = 1 + w, 1 + u  # sqrt r and sqrt L, both at least 1
    smaller, larger = sp.Rational(9, 2) * a * c + 3 * c**2, 32 * a**2 * c**4
    kept, product = sp.Symbol("k", positive=True), sp.Symbol("S", positive=True)
    steps = (
        Step(
            "leverage left",
            "The ridge w^2 l^2 leaves a lone record the leverage 1/(1 + w^2).",
            lhs=1 / (1 + ridge),
            rhs=epsilon**2 / (epsilon**2 + 256 * r * sp.log(2 / delta) * sp.log(16 * r / delta) ** 2),
        ),
        Step(
            "log(2/delta)",
            "With L = log(4/delta) >= 2 log 2: log(2/delta) = L - log 2 is at least L/2,",
            lhs=big - sp.log(2),
            rhs=big / 2,
            relation=">=",
            witness=u / 2,
        ),
        Step(
            "log(16 r/delta)",
            "and log(16 r/delta) = L + log 4 + log r is at least L, r = e^{2g} >= 1,",
            lhs=big + 2 * sp.log(2) + 2 * g,
            rhs=big,
            relation=">=",
            witness=2 * sp.log(2) + 2 * g,
        ),
        Step(
            "ridge from below",
            "so w^2 >= 128 r L^3/eps^2.",
            lhs=256 * kept * held(product / 2) * product**2,
            rhs=128 * kept * product**3,
        ),
        Step(
            "both ridges",
            "The older ridge is 4 (sqrt(2 r L) + L)/eps; for eps = 3L - v it is the smaller one if 32 r L^2 >= 3"
            " (sqrt(2 r L) + L):",
            lhs=128 * kept * product**3 - 4 * (3 * product - room) * (sp.sqrt(2 * kept * product) + product),
            rhs=4 * product * (32 * kept * product**2 - 3 * (sp.sqrt(2 * kept * product) + product)),
            relation=">=",
            witness=4 * room * (sp.sqrt(2 * kept * product) + product),
        ),
        Step(
            "root of 2",
            "sqrt 2 < 3/2, and",
            lhs=sp.Rational(3, 2),
            rhs=sp.sqrt(2),
            relation=">",
            witness=sp.Rational(3, 2) - sp.sqrt(2),
        ),
        Step(
            "r and L at least 1",
            "at sqrt r = 1 + w, sqrt L = 1 + u (L >= log 4 > 1) the difference is a polynomial with positive"
            " coefficients.",
            lhs=larger,
            rhs=smaller,
            relation=">=",
            witness=sp.expand(larger - smaller),
        ),
        by_fact(
            "private",
            "A larger ridge leaves less leverage, and less is given away; the older ridge is private"
            " (eigenvalue_threshold.below_the_target).",
            "a rising function at two points",
            {"f": cost_of_deletion(), "argument": odds_of_cost, "low": odds_of_cost / (1 + kept), "high": odds_of_cost},
            {
                "rises": rises_with_leverage(),
                "order": Step(
                    "smaller odds",
                    "k > 0.",
                    lhs=odds_of_cost,
                    rhs=odds_of_cost / (1 + kept),
                    relation=">",
                    witness=odds_of_cost * kept / (1 + kept),
                ),
            },
        ),
    )
    return Derivation(
        id="baselines.blocki",
        title="The ridge of Blocki et al. is above the least-singular-value ridge",
        sources=("N24-Fig14",),
        hypotheses=("0 < delta < 1", "r >= 1", "0 < eps <= 3 log(4/delta)"),
        steps=steps,
        result_step="leverage left",
        symbols={"r": r, "epsilon": epsilon, "delta": delta},
        domain=(delta < 1,),
        faults=(
            Fault(
                "w for w^2",
                "leverage left",
                lambda rhs: epsilon / (epsilon + 16 * sp.sqrt(r * sp.log(2 / delta)) * sp.log(16 * r / delta)),
            ),
            Fault("log(2/delta) at least L", "log(2/delta)", lambda rhs: 2 * rhs),
            Fault(
                "eps up to 30 L",
                "both ridges",
                lambda rhs: rhs + 36 * product * (sp.sqrt(2 * kept * product) + product),
            ),
            Fault("a ridge 20 times smaller", "r and L at least 1", lambda rhs: 20 * rhs),
        ),
        covers={"N24-Fig14": "the ridge of Blocki et al."},
    )


@cache
def information() -> Derivation:
    """Noise set by the information of a lone record is (eps, delta)-DP, by a binary channel or by Pinsker's inequality
    (N24-Fig14).

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
        covers={"N24-Fig14": "the mutual-information ridge"},
    )


def _derivative(lhs: sp.Expr, rhs: sp.Expr) -> sp.Expr:
    """lhs - rhs with every logarithm of a product split, on 0 < q < p < 1."""
    p, q, w = (symbol for name in ("p", "q", "w") for symbol in lhs.free_symbols if symbol.name == name)
    x, y, t = sp.symbols("x y t", positive=True)
    odds = {p: x / (1 + x), q: y / (1 + y), w: t / (1 + t)}
    return sp.expand(
        sp.expand_log(sp.simplify(sp.expand_log(sp.together((lhs - rhs).subs(odds)), force=True)), force=True)
    )
