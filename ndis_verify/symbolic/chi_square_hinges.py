"""Hinge expectations of a chi-square variable, E (1 - e^{c + aT/2})_+ with T ~ chi^2_r, for either sign of a."""

from __future__ import annotations

from functools import cache

import sympy as sp

from ndis_verify.symbolic.derivation import Conclusion, Derivation, Fault, Hypothesis, Step, Use
from ndis_verify.symbolic.fact_steps import by_fact, inferred
from ndis_verify.symbolic.integration import integral_steps
from ndis_verify.symbolic.meanings import chi2_value, meaning
from ndis_verify.symbolic.notation import below, beyond
from ndis_verify.symbolic.special_functions import Pg, Qg, chi2_density
from ndis_verify.symbolic.statement_terms import quantity

r = sp.Symbol("r", positive=True, integer=True)
scale = sp.Symbol("g", positive=True)  # |a| where a < 0
fraction = sp.Symbol("a", positive=True)  # a in (0, 1) itself
c = sp.Symbol("c", real=True)
dof_half = r / 2


@cache
def upper_expectation() -> Derivation:
    """`E[(1 - e^{c - gT/2})_+] = Qg(r/2, c/g) - e^c (1+g)^{-r/2} Qg(r/2, (1+g)c/g)`, T ~ chi^2_r, g > 0, c >= 0
    (N24-P1).

    For c < 0 both Qg are 1. `number`: at `c` >= 0, `scale` = g = |a| > 0, `r`.
    """
    threshold = 2 * c / scale
    tilt = sp.exp(c) * (1 + scale) ** (-dof_half)
    exponent = c - scale * chi2_value / 2
    value = Qg(dof_half, c / scale) - tilt * Qg(dof_half, (1 + scale) * c / scale)
    mass = integral_steps(
        "mass above",
        chi2_density(r, chi2_value),
        (chi2_value, threshold, sp.oo),
        -Qg(dof_half, chi2_value / 2),
        Qg(dof_half, c / scale),
        "The chi-square density is -d/dt Qg(r/2, t/2).",
        ("threshold is not negative",),
    )
    tilted = integral_steps(
        "tilted mass above",
        sp.exp(exponent) * chi2_density(r, chi2_value),
        (chi2_value, threshold, sp.oo),
        -tilt * Qg(dof_half, (1 + scale) * chi2_value / 2),
        tilt * Qg(dof_half, (1 + scale) * c / scale),
        "The tilt rescales t by 1 + g.",
        ("threshold is not negative",),
    )
    steps = (
        meaning("hinge", "chi2_hinge", c, -scale, r),
        Step(
            "threshold",
            "c - gT/2 < 0 exactly for T > 2c/g:",
            lhs=exponent,
            rhs=-scale / 2 * (chi2_value - threshold),
        ),
        Step(
            "beyond",
            "negative beyond,",
            lhs=sp.Subs(exponent, chi2_value, threshold + below),
            rhs=sp.Integer(0),
            relation="<=",
            witness=-scale * below / 2,
            premises=("threshold",),
        ),
        Step(
            "before",
            "not negative before,",
            lhs=sp.Subs(exponent, chi2_value, threshold - beyond),
            rhs=sp.Integer(0),
            relation=">=",
            witness=scale * beyond / 2,
            premises=("threshold",),
        ),
        Step(
            "threshold is not negative",
            "as c >= 0.",
            lhs=threshold,
            rhs=sp.Integer(0),
            relation=">=",
            kind="inference",
            premises=(Use("c >= 0", weight=2 / scale),),
        ),
        *mass,
        *tilted,
        by_fact(
            "cut",
            "So the hinge is the difference of two integrals from there on.",
            "hinge of a falling exponent",
            {"f": chi2_density(r, chi2_value), "h": exponent, "argument": chi2_value, "edge": threshold},
            {
                "beyond": "beyond",
                "before": "before",
                "inside": "threshold is not negative",
                "first": "mass above",
                "second": "tilted mass above",
            },
        ),
        Step(
            "expectation",
            "The difference of the two masses.",
            lhs=quantity("chi2_hinge", c, -scale, r),
            rhs=value,
            kind="inference",
            premises=("hinge", "cut", "mass above", "tilted mass above"),
        ),
        Step(
            "c < 0",
            "Then the exponent is negative for every T > 0: the hinge has mean 1 - e^c (1+g)^{-r/2}, the same"
            " antiderivative between 0 and infinity.",
            lhs=sp.Limit(-tilt * Qg(dof_half, (1 + scale) * chi2_value / 2), chi2_value, sp.oo)
            + tilt * sp.Subs(Qg(dof_half, chi2_value), chi2_value, 0),
            rhs=tilt,
        ),
    )
    return Derivation(
        id="chi_square_hinges.upper_expectation",
        title="Hinge expectation of a decreasing exponent of a chi-square variable",
        sources=("N24-P1", "N24-P8"),
        hypotheses=(Hypothesis("c >= 0", sp.Ge(c, 0)),),
        steps=steps,
        result_step="expectation",
        symbols={"c": c, "scale": scale, "r": r},
        domain=(c >= 0,),
        faults=(
            Fault("factor (1+g)^{-r/2} dropped", "expectation", lambda rhs: rhs.subs((1 + scale) ** (-dof_half), 1)),
            Fault("threshold not rescaled", "tilted mass above", lambda rhs: tilt * Qg(dof_half, c / scale)),
            Fault("sign of g flipped", "threshold", lambda rhs: -rhs),
        ),
        concludes=(
            Conclusion("N24-P1", "expectation", {"c": c, "a": scale, "r": r}),
            Conclusion("N24-P1", "c < 0", part="the second term where c < 0"),
            Conclusion("N24-P8", "expectation", part="every r"),
        ),
    )


@cache
def lower_expectation() -> Derivation:
    """`E[(1 - e^{c + aT/2})_+] = Pg(r/2, u) - e^c (1-a)^{-r/2} Pg(r/2, (1-a)u)`, u = max(0, -c/a), T ~ chi^2_r, 0 < a
    < 1 (N24-P2).

    `number`: at `c`, `fraction` = a in (0, 1), `r`.
    """
    left = sp.Symbol("y", positive=True)  # 1 - a
    end, exponent = sp.Max(0, -c) / fraction, c + fraction * chi2_value / 2
    edge, tilt = 2 * end, sp.exp(c) * left ** (-dof_half)
    in_left = {fraction: 1 - left}
    place = sp.Symbol("u", nonnegative=True)
    limits = (chi2_value, 0, 2 * place)
    mass = integral_steps(
        "mass below",
        chi2_density(r, chi2_value),
        limits,
        Pg(dof_half, chi2_value / 2),
        Pg(dof_half, place),
        "The chi-square density is d/dt Pg(r/2, t/2).",
    )
    tilted = integral_steps(
        "tilted mass below",
        sp.exp(exponent.subs(in_left)) * chi2_density(r, chi2_value),
        limits,
        tilt * Pg(dof_half, left * chi2_value / 2),
        tilt * Pg(dof_half, left * place),
        "The tilt rescales t by y = 1 - a.",
    )

    def by_size(side: sp.Expr, other: sp.Expr) -> sp.Expr:
        return sp.expand(sp.cancel(side - other).rewrite(sp.Abs))

    steps = (
        Step("left", "What a leaves of 1.", lhs=left, rhs=1 - fraction, kind="definition", premises=("a < 1",)),
        inferred("a", "So a = 1 - y.", fraction, "=", 1 - left, "left"),
        Step("u", "Half of the point where the exponent is 0.", lhs=place, rhs=end, kind="definition"),
        inferred("end", "The name for it.", end, "=", place, "u"),
        meaning("hinge", "chi2_hinge", c, fraction, r),
        Step(
            "beyond",
            "c + a T/2 is not negative beyond T = 2 u = 2 max(0, -c/a),",
            lhs=exponent.subs(chi2_value, edge + beyond),
            rhs=sp.Integer(0),
            relation=">=",
            witness=sp.Max(0, c) + fraction * beyond / 2,
            reduce=by_size,
        ),
        Step(
            "before",
            "not positive before, and nothing is before where u = 0.",
            lhs=(1 + below) * edge * exponent.subs(chi2_value, edge / (1 + below)),
            rhs=sp.Integer(0),
            relation="<=",
            witness=-2 * fraction * end**2 * below,
            reduce=by_size,
        ),
        Step("u >= 0", "That point is not negative.", lhs=edge, rhs=sp.Integer(0), relation=">=", witness=edge),
        *mass,
        *tilted,
        by_fact(
            "cut",
            "So the hinge is the difference of two integrals up to there.",
            "hinge of a rising exponent",
            {"f": chi2_density(r, chi2_value), "h": exponent, "argument": chi2_value, "edge": edge},
            {
                "beyond": "beyond",
                "before": "before",
                "inside": "u >= 0",
                **{
                    name: inferred(
                        f"{name} integral",
                        "In terms of a.",
                        sp.Integral(integrand, (chi2_value, 0, edge)),
                        "=",
                        shown[-1].rhs.subs(place, end),
                        *("end", "a", shown[-1].name),
                    )
                    for name, integrand, shown in (
                        ("first", chi2_density(r, chi2_value), mass),
                        ("second", sp.exp(exponent) * chi2_density(r, chi2_value), tilted),
                    )
                },
            },
        ),
        Step(
            "u in a",
            "A positive factor.",
            lhs=sp.Max(0, -c / fraction),
            rhs=sp.Max(0, -c) / fraction,
            reduce=by_size,
        ),
        Step(
            "expectation",
            "The difference of the two masses.",
            lhs=quantity("chi2_hinge", c, fraction, r),
            rhs=Pg(dof_half, sp.Max(0, -c / fraction))
            - sp.exp(c) * (1 - fraction) ** (-dof_half) * Pg(dof_half, (1 - fraction) * sp.Max(0, -c / fraction)),
            kind="inference",
            premises=("u in a", "hinge", "cut", "end", "a", "mass below", "tilted mass below"),
        ),
    )
    return Derivation(
        id="chi_square_hinges.lower_expectation",
        title="Hinge expectation of an increasing exponent of a chi-square variable",
        sources=("N24-P2",),
        hypotheses=(Hypothesis("a < 1", fraction < 1),),
        steps=steps,
        result_step="expectation",
        symbols={"c": c, "fraction": fraction, "r": r},
        domain=(fraction < 1,),
        faults=(
            Fault("factor (1-a)^{-r/2} dropped", "expectation", lambda rhs: rhs.subs((1 - fraction) ** (-dof_half), 1)),
            Fault("threshold not rescaled", "tilted mass below", lambda rhs: tilt * Pg(dof_half, place)),
            Fault("sign of a flipped", "beyond", lambda rhs: rhs + 2 * sp.Max(0, c) + 1),
        ),
        concludes=(Conclusion("N24-P2", "expectation", {"c": c, "a": fraction, "r": r}),),
    )
