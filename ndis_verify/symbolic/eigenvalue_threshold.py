"""The leverage that the least-eigenvalue analysis enforces, and what a deletion costs there (N26-Fig2)."""

from __future__ import annotations

from functools import cache

import sympy as sp

from ndis_verify.symbolic import random_projection_pairs as pairs
from ndis_verify.symbolic.chi_square_hinges import r
from ndis_verify.symbolic.derivation import Conclusion, Derivation, Fault, Hypothesis, Step, Use
from ndis_verify.symbolic.fact_steps import by_fact, inferred, named
from ndis_verify.symbolic.notation import held
from ndis_verify.symbolic.random_projection import leverage, odds
from ndis_verify.symbolic.random_projection_curve import deletion_curve
from ndis_verify.symbolic.random_projection_curve import epsilon as any_epsilon
from ndis_verify.symbolic.special_functions import Pg, Qg
from ndis_verify.symbolic.statement_terms import quantity

epsilon, delta = sp.symbols("epsilon delta", positive=True)
big, left = sp.symbols("L b", positive=True)  # log(4/delta), 1 - p
place, ratio = sp.symbols("x w", positive=True)
above = sp.Symbol("y", nonnegative=True)  # how far the threshold is above a leverage, in units of it
zero, one, half = sp.Integer(0), sp.Integer(1), r / 2
product = sp.sqrt(r) * sp.sqrt(big)
bracket = sp.sqrt(2) * product + big  # of the older ridge
edge = (epsilon + half * sp.log(1 + odds)) / odds  # half of t0
least = half + product + big  # what it is at least
second_tail = sp.exp(epsilon) * Qg(half, (1 + odds) * edge)
LIMIT = "eps <= 3 log(4/delta)"


def threshold(level: sp.Expr) -> sp.Expr:
    """eps/(4 (sqrt(2 r L) + L)) at L = `level`."""
    return epsilon / (4 * (sp.sqrt(2 * r * level) + level))


def _cost(of: sp.Expr) -> sp.Expr:
    return quantity("projection", of, r, epsilon)


def _level_steps() -> tuple[Step, ...]:
    """L = log(4/delta), which is positive, and eps <= 3 L."""
    return (
        by_fact(
            "log(delta/4)",
            "log(delta/4) <= delta/4 - 1",
            "logarithm below its tangent",
            {"y": delta / 4},
            {"positive": Step("delta/4", "It is positive.", delta / 4, zero, ">", delta / 4)},
        ),
        Step("log(4/delta)", "is -log(4/delta),", lhs=sp.log(4 / delta), rhs=-held(sp.log(delta / 4))),
        Step("3/4", "and as 3/4 > 0", lhs=sp.Rational(3, 4), rhs=zero, relation=">", witness=sp.Rational(3, 4)),
        inferred(
            "L > 0",
            "log(4/delta) > 0.",
            sp.log(4 / delta),
            ">",
            zero,
            *("log(4/delta)", Use("log(delta/4)", weight=-1), Use("delta < 1", weight=-sp.Rational(1, 4)), "3/4"),
        ),
        named(big, "L = log(4/delta).", sp.log(4 / delta), "L > 0"),
        inferred("eps <= 3 L", "As supposed.", epsilon, "<=", 3 * big, *(Use(LIMIT), "L")),
    )


def _curve_steps() -> tuple[Step, ...]:
    """What a deletion costs at the threshold p, in its odds k = p/(1 - p)."""
    return (
        named(leverage, "The threshold.", threshold(big)),
        Step("3 L", "3 L is below 4 (sqrt(2 r L) + L),", 4 * bracket, 3 * big, ">", 4 * bracket - 3 * big),
        inferred(
            "p < 1",
            "so p < 1.",
            leverage,
            "<",
            one,
            *(Use("eps <= 3 L", weight=1 / (4 * bracket)), Use("3 L", weight=-1 / (4 * bracket)), "p"),
        ),
        named(left, "b = 1 - p.", 1 - leverage, "p < 1"),
        named(odds, "k = p/(1 - p).", leverage / left),
        inferred("p by its odds", "So p = k/(1 + k).", leverage, "=", odds / (1 + odds), *("k", "b")),
        Step("second tail", "The curve is one tail of a gamma law less another,", second_tail, zero, ">", second_tail),
        inferred(
            "first tail",
            "so that it is below the first one (N26-L4).",
            _cost(leverage),
            "<",
            Qg(half, edge),
            Use("closed form", of=deletion_curve, at={any_epsilon: epsilon}, granted={"p < 1": "p < 1"}),
            *(Use("second tail", weight=-1), "p by its odds"),
        ),
    )


def _tail_steps() -> tuple[Step, ...]:
    """Qg(r/2, x) < e^{-x w/(1 + w)} (1 + w)^{r/2} for all x, w > 0: Pr[T > 2 x] by Chernoff's bound."""
    tilt = sp.exp(-place * ratio / (1 + ratio)) * (1 + ratio) ** half
    far = place / (1 + ratio)
    gap = tilt * Qg(half, far) - Qg(half, place)
    slope = -ratio / (1 + ratio) * tilt * Qg(half, far)
    return (
        Step("slope", "The densities cancel,", lhs=sp.Derivative(gap, place), rhs=zero, relation="<", witness=slope),
        Step("end", "and both tails tend to 0.", lhs=sp.Limit(gap, place, sp.oo), rhs=zero),
        by_fact(
            "tilted tail",
            "So a tail is below that of the tilted law.",
            "falls to 0",
            {"f": gap, "argument": place},
            {"falls": "slope", "end": "end"},
        ),
        Step("rest of a tail", "What a tail leaves is positive:", Pg(half, place), zero, ">", Pg(half, place)),
        Step(
            "tails",
            "the two tails of a gamma law are 1 together.",
            lhs=Pg(half, place),
            rhs=1 - Qg(half, place),
            reduce=lambda one_, other: one_ - other.replace(Qg, lambda s, x: 1 - Pg(s, x)),
        ),
        inferred(
            "tail",
            "So a tail is below e^{-x w/(1 + w)} (1 + w)^{r/2}.",
            Qg(half, place),
            "<",
            tilt,
            *(Use("tilted tail", weight=-1), Use("rest of a tail", at={place: far}, weight=-tilt)),
            Use("tails", at={place: far}),
        ),
    )


def _exponent_steps() -> tuple[Step, ...]:
    """At w = 2 sqrt(L/r) the exponent is at most -L."""
    excess = ratio * (2 + ratio) / (2 * (1 + ratio)) - sp.log(1 + ratio)
    at = 2 * sp.sqrt(big) / sp.sqrt(r)
    exponent = -edge * at / (1 + at) + half * sp.log(1 + at)
    return (
        by_fact(
            "log(1 + k)",
            "log(1 + k) >= k/(1 + k),",
            "logarithm below its tangent",
            {"y": 1 / (1 + odds)},
            {"positive": Step("1/(1 + k)", "It is positive.", 1 / (1 + odds), zero, ">", 1 / (1 + odds))},
        ),
        Step("inverse", "as log(1/(1 + k)) = -log(1 + k),", lhs=sp.log(1 / (1 + odds)), rhs=-held(sp.log(1 + odds))),
        Step(
            "enough",
            "and",
            lhs=4 * bracket - 3 * big - 3 * r * big / (8 * bracket),
            rhs=product + big,
            relation=">=",
            witness=(4 * sp.sqrt(2) - 1 - 3 * sp.sqrt(2) / 16) * product
            + 3 * sp.sqrt(2) * product * big / (16 * bracket),
        ),
        inferred(
            "t0 from below",
            "so t0/2 >= r/2 + sqrt(r L) + L.",
            edge,
            ">=",
            least,
            Use("log(1 + k)", weight=-half / odds),
            Use("eps <= 3 L", weight=-(1 + r / (8 * bracket))),
            *("enough", "inverse", "k", "b", "p"),
        ),
        Step(
            "log bound: slope",
            "w (2 + w)/(2 (1 + w)) - log(1 + w) rises from 0,",
            lhs=sp.Derivative(excess, ratio),
            rhs=zero,
            relation=">",
            witness=ratio**2 / (2 * (1 + ratio) ** 2),
        ),
        Step("w > 0", "w being positive,", ratio, zero, ">", ratio),
        by_fact(
            "log bound",
            "so log(1 + w) is less.",
            "a rising function at two points",
            {"f": excess, "argument": ratio, "low": zero, "high": ratio},
            {"rises": "log bound: slope", "order": "w > 0"},
        ),
        inferred(
            "exponent",
            "At w = 2 sqrt(L/r) the exponent of the tail's bound is at most -L,",
            exponent,
            "<=",
            -big,
            Use("t0 from below", weight=-at / (1 + at)),
            Use("log bound", at={ratio: at}, weight=half),
        ),
        by_fact(
            "exponential",
            "and the bound at most e^{-L}.",
            "exponentials keep the order",
            {"a": exponent, "b": -big},
            {"order": "exponent"},
        ),
        inferred(
            "tail at p",
            "So is the first tail,",
            Qg(half, edge),
            "<",
            sp.exp(-big),
            *(Use("tail", at={place: edge, ratio: at}), "exponential"),
        ),
    )


@cache
def below_the_target() -> Derivation:
    """`delta_delete(w, r; eps) <= delta/4` at `w = eps/(4 (sqrt(2 r L) + L))`, L = log(4/delta), for eps <= 3 L, and at
    every smaller leverage (N26-Fig2).

    `number`: w at `r`, `epsilon`, `level` = L.
    """
    smaller = leverage / (1 + above)
    steps = (
        *_level_steps(),
        *_curve_steps(),
        *_tail_steps(),
        *_exponent_steps(),
        inferred("cost at p", "which is delta/4.", _cost(leverage), "<", delta / 4, *("first tail", "tail at p", "L")),
        inferred(
            "statement",
            "In the terms of the statement.",
            _cost(threshold(sp.log(4 / delta))),
            "<",
            delta / 4,
            *("cost at p", "p", "L"),
        ),
        Step("smaller", "A smaller leverage", leverage, smaller, ">=", leverage * above / (1 + above)),
        inferred(
            "every smaller leverage",
            "costs no more (N26-P4), so that the leverage p*, which costs delta, is above the threshold.",
            _cost(smaller),
            "<",
            delta / 4,
            Use(
                "larger leverage, deletion",
                of=pairs.grows_with_leverage,
                at={pairs.leverage: smaller, pairs.larger: leverage, pairs.epsilon: epsilon},
                weight=-1,
                granted={"q >= p": "smaller", "q < 1": "p < 1"},
            ),
            "cost at p",
        ),
    )
    names = {"r": r, "eps": epsilon, "delta": delta}
    claims = ("N26-Fig2", "N26-Fig2-every-epsilon")
    return Derivation(
        id="eigenvalue_threshold.below_the_target",
        title="At the least-eigenvalue threshold a deletion costs less than a quarter of the target",
        sources=("N26-Fig2",),
        hypotheses=(
            pairs.FULL_RANK,
            Hypothesis("delta < 1", delta < 1),
            Hypothesis(LIMIT, epsilon <= 3 * sp.log(4 / delta)),
        ),
        steps=steps,
        result_step="p",
        symbols={"r": r, "epsilon": epsilon, "level": big},
        faults=(
            Fault("eps up to 12 L", "enough", lambda rhs: rhs + 9 * big),
            Fault("tail at 2 L", "exponent", lambda rhs: 2 * rhs),
            Fault("log inequality reversed", "log bound: slope", lambda rhs: 2 * ratio / (1 + ratio) ** 2),
            Fault("p below 1/2", "p < 1", lambda rhs: rhs / 2),
            Fault("an eighth of delta", "cost at p", lambda rhs: rhs / 2),
            Fault("a larger tail", "tail", lambda rhs: rhs / (1 + ratio)),
        ),
        concludes=(
            *(Conclusion(claim, "statement", names) for claim in claims),
            *(Conclusion(claim, "every smaller leverage", part="the order of the leverages") for claim in claims),
        ),
    )
