"""Which direction of a covariance shift is the worse one: the more spread law first, and where that is proved."""

from __future__ import annotations

from functools import cache

import sympy as sp

from ndis_verify.symbolic.chi_square_hinges import c, scale, upper_expectation
from ndis_verify.symbolic.chi_square_hinges import r as columns
from ndis_verify.symbolic.covariance_shift import one, zero
from ndis_verify.symbolic.derivation import Conclusion, Derivation, Fault, Hypothesis, Step, Use
from ndis_verify.symbolic.fact_steps import by_fact
from ndis_verify.symbolic.meanings import chi2_value, meaning
from ndis_verify.symbolic.nearby_laws import at_most, in_order, larger
from ndis_verify.symbolic.random_projection import odds
from ndis_verify.symbolic.random_projection_curve import epsilon as at_least_0
from ndis_verify.symbolic.random_projection_curve import (
    falling_hinge_steps,
    product_order_steps,
    rising_hinge_steps,
    variance_steps,
)
from ndis_verify.symbolic.special_functions import Qg, chi2_density
from ndis_verify.symbolic.statement_terms import quantity

_room = sp.Symbol("w", nonnegative=True)  # what g is below the largest g


def _hinges_in_order(name: str, start: sp.Expr, slope: sp.Expr, known: str) -> tuple[Step, ...]:
    """E max(0, 1 - e^{start + w + slope T/2}) <= E max(0, 1 - e^{start + slope T/2}), w >= 0; `known` says what
    one of them is.
    """
    low, high = start + slope * chi2_value / 2, start + _room + slope * chi2_value / 2
    upper, lower = sp.Max(0, 1 - sp.exp(low)), sp.Max(0, 1 - sp.exp(high))
    met = start if known == "hinge" else start + _room
    weight = chi2_density(columns, chi2_value)
    return (
        meaning(f"{name}: expectation", "chi2_hinge", met, slope, columns),
        by_fact(
            f"{name}: exponentials",
            "So of their exponentials,",
            "exponentials keep the order",
            {"a": low, "b": high},
            {"order": Step("below", "w >= 0.", lhs=low, rhs=high, relation="<=", witness=-_room)},
        ),
        Step(
            f"{name}: part above",
            "and a positive part is not below its number,",
            lhs=upper,
            rhs=1 - sp.exp(low),
            relation=">=",
            witness=sp.Max(0, sp.exp(low) - 1),
        ),
        at_most(
            f"{name}: number",
            "so neither below the smaller number,",
            1 - sp.exp(high),
            upper,
            Use(f"{name}: part above", weight=-1),
            f"{name}: exponentials",
        ),
        larger(
            f"{name}: hinges",
            "nor below its positive part.",
            zero,
            1 - sp.exp(high),
            upper,
            (Step("0", "Not negative.", lhs=zero, rhs=upper, relation="<=", witness=-upper), f"{name}: number"),
        ),
        at_most(
            f"{name}: at a point",
            "The same times the density.",
            weight * lower,
            weight * upper,
            Use(f"{name}: hinges", weight=weight),
        ),
        in_order(
            f"{name}: means",
            "So of the means.",
            lambda payoff: sp.Integral(payoff, (chi2_value, 0, sp.oo)),
            (weight * lower, weight * upper),
            (
                f"{name}: at a point",
                Step(
                    "at most 1",
                    "A hinge is at most 1, and the density is that of a law.",
                    lhs=upper,
                    rhs=one,
                    relation="<=",
                    witness=-sp.Min(1, sp.exp(low)),
                ),
            ),
        ),
        at_most(
            name,
            "In terms of the expectation.",
            quantity("chi2_hinge", start + _room, slope, columns),
            quantity("chi2_hinge", start, slope, columns),
            *(known, f"{name}: expectation", f"{name}: means"),
        ),
    )


@cache
def radial_domain() -> Derivation:
    """`E[(1 - e^{eps+g-(kappa-1)T/2})_+] >= E[(1 - e^{eps-g+(1-1/kappa)T/2})_+]` for T ~ chi^2_r, eps >= 0, g <= (r/2)
    log kappa (N26-P2).

    At the largest g the two are the divergences of N(0, 1)^r and N(0, 1/kappa)^r. `number`: the first there, at `k` =
    kappa - 1, `r` and `epsilon`.
    """
    g, kappa = sp.Symbol("g", real=True), sp.Symbol("kappa", positive=True)
    level = columns * sp.log(1 + odds) / 2
    share = odds / (1 + odds)
    edge = (at_least_0 + level) / odds
    top, bottom = "falls from g on", "rises up to the largest g"
    reach = Hypothesis("g <= (r/2) log(kappa)", g <= columns * sp.log(kappa) / 2)
    above = Hypothesis("kappa > 1", kappa > 1)
    first, second = "as a hinge", "as a hinge, exchanged"
    largest = quantity("chi2_hinge", at_least_0 + level, -odds, columns)
    steps = (
        Step("odds", "What kappa exceeds 1 by.", lhs=odds, rhs=kappa - 1, kind="definition", premises=(above.text,)),
        Step(
            "room",
            "What g stays below its largest value by.",
            lhs=_room,
            rhs=columns * sp.log(kappa) / 2 - g,
            kind="definition",
            premises=(reach.text,),
        ),
        *variance_steps(),
        *falling_hinge_steps(),
        *rising_hinge_steps(", exchanged"),
        *product_order_steps(),
        *_hinges_in_order(top, at_least_0 + level - _room, -odds, "hinge"),
        *_hinges_in_order(bottom, at_least_0 - level, share, "hinge, exchanged"),
        Step(
            "exponent at 0",
            "Not negative.",
            lhs=at_least_0 + level,
            rhs=zero,
            relation=">=",
            witness=at_least_0 + level,
        ),
        Step(
            "closed form",
            "The first expectation at the largest g.",
            lhs=largest,
            rhs=Qg(columns / 2, edge) - sp.exp(at_least_0) * Qg(columns / 2, (1 + odds) * edge),
            kind="inference",
            premises=(
                Use(
                    "expectation",
                    of=upper_expectation,
                    at={c: at_least_0 + level, scale: odds},
                    granted={"c >= 0": "exponent at 0"},
                ),
            ),
        ),
        Step(
            "at the largest g",
            "The order of the two divergences.",
            lhs=largest,
            rhs=quantity("chi2_hinge", at_least_0 - level, share, columns),
            relation=">=",
            kind="inference",
            premises=("products in order", first, second),
        ),
        Step(
            "order, with room",
            "As g falls from there, the first expectation rises and the second falls.",
            lhs=quantity("chi2_hinge", at_least_0 + level - _room, -odds, columns),
            rhs=quantity("chi2_hinge", at_least_0 - level + _room, share, columns),
            relation=">=",
            kind="inference",
            premises=(Use(top, weight=-1), "at the largest g", Use(bottom, weight=-1)),
        ),
        Step(
            "order",
            "In terms of g and kappa.",
            lhs=quantity("chi2_hinge", at_least_0 + g, 1 - kappa, columns),
            rhs=quantity("chi2_hinge", at_least_0 - g, 1 - 1 / kappa, columns),
            relation=">=",
            kind="inference",
            premises=("order, with room", "room", "odds"),
        ),
    )
    return Derivation(
        id="covariance_direction.radial_domain",
        title="The radial inequality and its domain",
        sources=("N26-P2",),
        hypotheses=(above, reach),
        steps=steps,
        result_step="closed form",
        symbols={"k": odds, "r": columns, "epsilon": at_least_0},
        faults=(
            Fault("e^eps left out", "closed form", lambda rhs: rhs.subs(sp.exp(at_least_0), 1)),
            Fault("the two exchanged", "order", lambda rhs: 2 * rhs),
            Fault("exponent of the wrong sign", "as a hinge", lambda rhs: quantity("chi2_hinge", level, odds, columns)),
            Fault("loss of the other direction", "loss of one coordinate, exchanged", lambda rhs: -rhs),
        ),
        concludes=(
            Conclusion("N26-P2", "order", {"eps": at_least_0, "g": g, "kappa": kappa, "r": columns}),
            Conclusion("N26-P2", "closed form", part="the first expectation at the largest g"),
        ),
    )
