"""Random projection with one column: the chi-square closed forms become error functions."""

from __future__ import annotations

from functools import cache
from typing import Any

import sympy as sp

from ndis_verify.symbolic import chi_square_hinges
from ndis_verify.symbolic.chi_square_hinges import c, fraction, r, scale
from ndis_verify.symbolic.derivation import Conclusion, Derivation, Fault, Hypothesis, Step, Use
from ndis_verify.symbolic.fact_steps import by_fact, inferred, named
from ndis_verify.symbolic.random_projection import leverage, odds
from ndis_verify.symbolic.random_projection_curve import deletion_curve, epsilon, insertion_curve, rises_strictly
from ndis_verify.symbolic.random_projection_pairs import DIRECTIONS, FULL_RANK, larger, slope_in_rho
from ndis_verify.symbolic.random_projection_pairs import leverage as pair_leverage
from ndis_verify.symbolic.special_functions import Pg, Qg, chi2_density
from ndis_verify.symbolic.statement_terms import quantity

half, zero = sp.Rational(1, 2), sp.Integer(0)
left = sp.Symbol("z", positive=True)  # 1 - p
at = sp.Symbol("y", nonnegative=True)


def _error_function(name: str, incomplete: Any, error: Any, start: int) -> tuple[Step, Step, Step]:
    """The incomplete gamma function of 1/2 at y is an error function of sqrt y: equal slopes, equal values at 0."""
    gamma, root = incomplete(half, at), error(sp.sqrt(at))
    return (
        Step(
            f"{name}: slope",
            f"{name}(sqrt y) and the incomplete gamma function of 1/2 at y have one derivative,",
            lhs=sp.Derivative(root, at),
            rhs=sp.Derivative(gamma, at),
        ),
        Step(f"{name}: start", f"and both are {start} at 0.", lhs=sp.Subs(root, at, 0), rhs=sp.Subs(gamma, at, 0)),
        by_fact(
            name,
            "So they are one function.",
            "one derivative and one value",
            {"f": gamma, "g": root, "argument": at},
            {"derivative": f"{name}: slope", "value": f"{name}: start"},
        ),
    )


@cache
def upper_expectation() -> Derivation:
    """`E[(1 - e^{c - g Z^2/2})_+] = erfc(sqrt(c/g)) - e^c (1+g)^{-1/2} erfc(sqrt((1+g)c/g))`, g > 0, c >= 0 (N24-P8).

    `number`: at `c` >= 0 and `scale` = g = |a|.
    """
    c = sp.Symbol("c", nonnegative=True)
    closed = sp.erfc(sp.sqrt(c / scale)) - sp.exp(c) / sp.sqrt(1 + scale) * sp.erfc(sp.sqrt((1 + scale) * c / scale))
    steps = (
        *_error_function("erfc", Qg, sp.erfc, 1),
        Step("c is not negative", "c >= 0.", lhs=c, rhs=sp.Integer(0), relation=">=", witness=c),
        Step(
            "closed form",
            "chi_square_hinges.upper_expectation at r = 1.",
            lhs=quantity("chi2_hinge", c, -scale, 1),
            rhs=closed,
            kind="inference",
            premises=(
                Use(
                    "expectation",
                    of=chi_square_hinges.upper_expectation,
                    at={chi_square_hinges.c: c, r: sp.Integer(1)},
                    granted={"c >= 0": "c is not negative"},
                ),
                Use("erfc", at={at: c / scale}),
                Use("erfc", at={at: (1 + scale) * c / scale}),
            ),
        ),
    )
    return Derivation(
        id="random_linear_combination.upper_expectation",
        title="Hinge expectation of a decreasing exponent of a squared normal variable",
        sources=("N24-P8",),
        hypotheses=(),
        steps=steps,
        result_step="closed form",
        symbols={"c": c, "scale": scale},
        faults=(
            Fault("factor (1+g)^{-1/2} dropped", "closed form", lambda rhs: rhs.subs(1 / sp.sqrt(1 + scale), 1)),
            Fault("square root dropped", "closed form", lambda rhs: rhs.replace(sp.erfc, lambda t: sp.erfc(t**2))),
        ),
        concludes=(Conclusion("N24-P8", "closed form", {"c": c, "a": scale}),),
    )


@cache
def lower_expectation() -> Derivation:
    """`E[(1 - e^{c + a Z^2/2})_+] = erf(sqrt(u)) - e^c (1-a)^{-1/2} erf(sqrt((1-a) u))`, u = max(0, -c/a), 0 < a < 1
    (N24-P9).

    `number`: at `c` and `fraction` = a.
    """
    left, u = sp.Symbol("y", positive=True), sp.Max(0, -c / fraction)
    in_left = u.subs(fraction, 1 - left)
    size = sp.Symbol("u", nonnegative=True)
    steps = (
        *_error_function("erf", Pg, sp.erf, 0),
        Step("left", "What a leaves of 1.", lhs=left, rhs=1 - fraction, kind="definition", premises=("a < 1",)),
        Step("u >= 0", "Not negative.", lhs=u, rhs=sp.Integer(0), relation=">=", witness=u),
        named(size, "By this name.", u, "u >= 0"),
        inferred("a", "So a = 1 - y,", fraction, "=", 1 - left, "left"),
        inferred("max(0, -c/a)", "and u is", in_left, "=", size, *("u", "a")),
        inferred(
            "closed form",
            "chi_square_hinges.lower_expectation at r = 1.",
            quantity("chi2_hinge", c, fraction, 1),
            "=",
            sp.erf(sp.sqrt(u)) - sp.exp(c) / sp.sqrt(1 - fraction) * sp.erf(sp.sqrt((1 - fraction) * u)),
            Use(
                "expectation",
                of=chi_square_hinges.lower_expectation,
                at={chi_square_hinges.c: c, r: sp.Integer(1)},
            ),
            *("a", "max(0, -c/a)", Use("erf", at={at: size}), Use("erf", at={at: left * size})),
        ),
    )
    return Derivation(
        id="random_linear_combination.lower_expectation",
        title="Hinge expectation of an increasing exponent of a squared normal variable",
        sources=("N24-P9",),
        hypotheses=(Hypothesis("a < 1", fraction < 1),),
        steps=steps,
        result_step="closed form",
        symbols={"c": c, "fraction": fraction},
        domain=(fraction < 1,),
        faults=(
            Fault("factor (1-a)^{-1/2} dropped", "closed form", lambda rhs: rhs.subs(1 / sp.sqrt(1 - fraction), 1)),
            Fault("erfc in place of erf", "closed form", lambda rhs: rhs.replace(sp.erf, sp.erfc)),
            Fault("another start", "erf: start", lambda rhs: rhs + 1),
        ),
        concludes=(Conclusion("N24-P9", "closed form", {"c": c, "a": fraction}),),
    )


def _names(epsilon: sp.Symbol) -> dict[str, sp.Symbol]:
    return {"p": leverage, "eps": epsilon}


def _cost(direction: str) -> Any:
    return quantity(DIRECTIONS[direction], leverage, 1, epsilon)


def _in_odds(size: sp.Symbol, in_odds: Any, stated: Any, name: str) -> tuple[Step, ...]:
    """`size`, not negative, is an edge: in the odds k of the leverage, and as the statement has it."""
    return (
        Step("left", "What is left of 1.", lhs=left, rhs=1 - leverage, kind="definition", premises=("p < 1",)),
        Step("odds", "The odds of the leverage.", lhs=odds, rhs=leverage / left, kind="definition"),
        inferred("leverage", "So p = k/(1 + k).", leverage, "=", odds / (1 + odds), *("odds", "left")),
        Step(f"{name} >= 0", "Not negative.", lhs=in_odds, rhs=zero, relation=">=", witness=in_odds),
        named(size, "By this name.", in_odds, f"{name} >= 0"),
        inferred(name, "In terms of p.", stated, "=", size, *("leverage", str(size))),
        inferred("1 - p", "What is left, in odds.", 1 - leverage, "=", 1 / (1 + odds), "leverage"),
    )


@cache
def hockey_stick_deletion() -> Derivation:
    """`delta = erfc(sqrt(t/2)) - e^eps erfc(sqrt(rho t/2))`, rho = 1/(1-p), t = (2 eps + log rho)/(rho - 1)
    (N24-T7).

    `number`: at `leverage` = p in (0, 1) and `epsilon` >= 0.
    """
    rho, size = 1 / (1 - leverage), sp.Symbol("w", nonnegative=True)
    edge = (epsilon + sp.log(rho) / 2) / (rho - 1)
    steps = (
        *_error_function("erfc", Qg, sp.erfc, 1),
        *_in_odds(size, (epsilon + sp.log(1 + odds) / 2) / odds, edge, "t/2"),
        inferred(
            "closed form",
            "The closed form (N26-L4) of one column.",
            _cost("deletion"),
            "=",
            sp.erfc(sp.sqrt(edge)) - sp.exp(epsilon) * sp.erfc(sp.sqrt(rho * edge)),
            Use("closed form", of=deletion_curve, at={r: sp.Integer(1)}),
            *("t/2", "1 - p", Use("erfc", at={at: size}), Use("erfc", at={at: (1 + odds) * size})),
        ),
        inferred(
            "deletion dominates",
            "An insertion costs no more.",
            _cost("deletion"),
            ">=",
            _cost("insertion"),
            Use("deletion dominates", of=deletion_curve, at={r: sp.Integer(1)}),
        ),
    )
    return Derivation(
        id="random_linear_combination.hockey_stick_deletion",
        title="Divergence of a random linear combination when a record is deleted",
        sources=("N24-T7",),
        hypotheses=(FULL_RANK, Hypothesis("p < 1", leverage < 1)),
        steps=steps,
        result_step="closed form",
        symbols={"leverage": leverage, "epsilon": epsilon},
        domain=(leverage < 1,),
        faults=(
            Fault("factor e^eps dropped", "closed form", lambda rhs: rhs.subs(sp.exp(epsilon), 1)),
            Fault("erf in place of erfc", "closed form", lambda rhs: rhs.replace(sp.erfc, sp.erf)),
            Fault("twice an insertion", "deletion dominates", lambda rhs: 2 * rhs),
        ),
        concludes=tuple(Conclusion("N24-T7", end, _names(epsilon)) for end in ("closed form", "deletion dominates")),
    )


@cache
def hockey_stick_insertion() -> Derivation:
    """`delta = erf(sqrt(u/2)) - e^eps erf(sqrt((1-p) u/2))`, u = max(0, (log(1/(1-p)) - 2 eps)/p) (N24-T7).

    `number`: at `leverage` = p in (0, 1) and `epsilon` >= 0.
    """
    size = sp.Symbol("w", nonnegative=True)
    most = sp.Max(0, (sp.log(1 / (1 - leverage)) - 2 * epsilon) / leverage)
    in_odds = sp.Max(0, (sp.log(1 + odds) - 2 * epsilon) * (1 + odds) / odds)
    steps = (
        *_error_function("erf", Pg, sp.erf, 0),
        *_in_odds(size, in_odds, most, "u"),
        inferred(
            "closed form",
            "The closed form of one column (N24-T2).",
            _cost("insertion"),
            "=",
            sp.erf(sp.sqrt(most / 2)) - sp.exp(epsilon) * sp.erf(sp.sqrt((1 - leverage) * most / 2)),
            Use("closed form", of=insertion_curve, at={r: sp.Integer(1)}),
            *("u", "1 - p", Use("erf", at={at: size / 2}), Use("erf", at={at: size / 2 / (1 + odds)})),
        ),
    )
    return Derivation(
        id="random_linear_combination.hockey_stick_insertion",
        title="Divergence of a random linear combination when a record is inserted",
        sources=("N24-T7",),
        hypotheses=(FULL_RANK, Hypothesis("p < 1", leverage < 1)),
        steps=steps,
        result_step="closed form",
        symbols={"leverage": leverage, "epsilon": epsilon},
        domain=(leverage < 1,),
        faults=(
            Fault("factor e^eps dropped", "closed form", lambda rhs: rhs.subs(sp.exp(epsilon), 1)),
            Fault("deletion and insertion swapped", "closed form", lambda rhs: rhs.replace(sp.erf, sp.erfc)),
            Fault("whole of u", "closed form", lambda rhs: rhs.subs(most, 2 * most)),
        ),
        concludes=(Conclusion("N24-T7", "closed form", _names(epsilon)),),
    )


@cache
def rises_with_leverage() -> Derivation:
    """The curve of one column has the slope `(t/rho) f_chi2(1; t)` in rho, and rises with the leverage (N24-P10).

    `number`: that slope, at `rho` and `epsilon`.
    """
    lemma = slope_in_rho()
    rho, eps = lemma.symbols["rho"], lemma.symbols["epsilon"]
    edge = (eps + sp.log(rho) / 2) / (rho - 1)
    order = {"p": pair_leverage, "q": larger}
    steps = (
        inferred(
            "slope",
            "Of one column (N24-P3).",
            sp.Derivative(Qg(half, edge) - sp.exp(eps) * Qg(half, rho * edge), rho),
            "=",
            2 * edge / rho * chi2_density(1, 2 * edge),
            Use("slope", of=slope_in_rho, at={r: sp.Integer(1)}),
        ),
        inferred(
            "larger leverage",
            "A larger leverage costs more.",
            quantity("projection", larger, 1, epsilon),
            ">",
            quantity("projection", pair_leverage, 1, epsilon),
            Use("larger leverage", of=rises_strictly, at={r: sp.Integer(1)}),
        ),
    )
    return Derivation(
        id="random_linear_combination.rises_with_leverage",
        title="The curve of a random linear combination rises with the leverage",
        sources=("N24-P10",),
        hypotheses=(
            FULL_RANK,
            Hypothesis("rho > 1", rho > 1),
            Hypothesis("q > p", larger > pair_leverage),
            Hypothesis("q < 1", larger < 1),
        ),
        steps=steps,
        result_step="slope",
        symbols={"rho": rho, "epsilon": eps},
        domain=(rho > 1,),
        faults=(
            Fault("slope twice as large", "slope", lambda rhs: 2 * rhs),
            Fault("half the cost", "larger leverage", lambda rhs: rhs / 2),
        ),
        concludes=(
            Conclusion("N24-P10", "slope", {**order, "rho": rho, "eps": eps}),
            Conclusion("N24-P10", "larger leverage", {**order, "rho": rho, "eps": epsilon}),
        ),
    )
