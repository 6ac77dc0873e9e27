"""Random projection with one column: the chi-square closed forms become error functions."""

from __future__ import annotations

from functools import cache

import sympy as sp

from ndis_verify.symbolic import random_projection
from ndis_verify.symbolic.derivation import Conclusion, Derivation, Fault, Step, Use
from ndis_verify.symbolic.fact_steps import by_fact
from ndis_verify.symbolic.random_projection import in_odds, leverage
from ndis_verify.symbolic.special_functions import Pg, Qg, gamma_density
from ndis_verify.symbolic.statement_terms import quantity

half = sp.Rational(1, 2)
x = sp.Symbol("x", positive=True)
c, epsilon = sp.symbols("c epsilon", real=True)
scale, fraction = random_projection.scale, random_projection.fraction


def _in_error_functions(expression: sp.Expr) -> sp.Expr:
    return expression.replace(Qg, lambda s, t: sp.erfc(sp.sqrt(t))).replace(Pg, lambda s, t: sp.erf(sp.sqrt(t)))


def _one_column(expression: sp.Expr) -> sp.Expr:
    return expression.subs(random_projection.r, 1)


def _half_steps() -> tuple[Step, ...]:
    """Qg(1/2, x) = erfc(sqrt x) and Pg(1/2, x) = erf(sqrt x): equal slopes, equal values at one end."""
    return (
        Step(
            "erfc: slope",
            "erfc(sqrt x) and Qg(1/2, x) have one derivative,",
            lhs=sp.Derivative(sp.erfc(sp.sqrt(x)), x),
            rhs=-gamma_density(half, x),
        ),
        Step(
            "erfc: end",
            "and both vanish at infinity.",
            lhs=sp.Limit(sp.erfc(x), x, sp.oo),
            rhs=sp.Limit(Qg(half, x), x, sp.oo),
        ),
        Step(
            "erf: slope",
            "erf(sqrt x) and Pg(1/2, x) have one derivative,",
            lhs=sp.Derivative(sp.erf(sp.sqrt(x)), x),
            rhs=gamma_density(half, x),
        ),
        Step("erf: start", "and both vanish at 0.", lhs=sp.Subs(sp.erf(x), x, 0), rhs=sp.Subs(Pg(half, x), x, 0)),
    )


def _restated(left: sp.Expr, right: sp.Expr) -> sp.Expr:
    return in_odds(_in_error_functions(left) - right)


@cache
def upper_expectation() -> Derivation:
    """`E[(1 - e^{c - g Z^2/2})_+] = erfc(sqrt(c/g)) - e^c (1+g)^{-1/2} erfc(sqrt((1+g)c/g))`, g > 0, c >= 0 (N24-P8).

    `number`: at `c` >= 0 and `scale` = g = |a|.
    """
    c, at = sp.symbols("c y", nonnegative=True)
    closed = sp.erfc(sp.sqrt(c / scale)) - sp.exp(c) / sp.sqrt(1 + scale) * sp.erfc(sp.sqrt((1 + scale) * c / scale))
    tail, error = Qg(half, at), sp.erfc(sp.sqrt(at))
    steps = (
        Step(
            "erfc: slope",
            "erfc(sqrt y) and Qg(1/2, y) have one derivative,",
            lhs=sp.Derivative(error, at),
            rhs=sp.Derivative(tail, at),
        ),
        Step("erfc: start", "and both are 1 at 0.", lhs=sp.Subs(error, at, 0), rhs=sp.Subs(tail, at, 0)),
        by_fact(
            "erfc",
            "So they are one function.",
            "one derivative and one value",
            {"f": tail, "g": error, "argument": at},
            {"derivative": "erfc: slope", "value": "erfc: start"},
        ),
        Step("c is not negative", "c >= 0.", lhs=c, rhs=sp.Integer(0), relation=">=", witness=c),
        Step(
            "closed form",
            "random_projection.upper_expectation at r = 1.",
            lhs=quantity("chi2_hinge", c, -scale, 1),
            rhs=closed,
            kind="inference",
            premises=(
                Use(
                    "expectation",
                    of=random_projection.upper_expectation,
                    at={random_projection.c: c, random_projection.r: sp.Integer(1)},
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
    """`E[(1 - e^{c + a Z^2/2})_+] = erf(sqrt(-c/a)) - e^c (1-a)^{-1/2} erf(sqrt(-(1-a)c/a))`, 0 < a < 1, c < 0
    (N24-P9).

    It is 0 for c >= 0. `number`: at `c` < 0 and `fraction` = a.
    """
    closed = sp.erf(sp.sqrt(-c / fraction)) - sp.exp(c) / sp.sqrt(1 - fraction) * sp.erf(
        sp.sqrt(-(1 - fraction) * c / fraction)
    )
    steps = (
        *_half_steps(),
        Step(
            "closed form",
            "random_projection.lower_expectation at r = 1.",
            lhs=_one_column(random_projection.lower_expectation().result),
            rhs=closed,
            reduce=_restated,
        ),
    )
    return Derivation(
        id="random_linear_combination.lower_expectation",
        title="Hinge expectation of an increasing exponent of a squared normal variable",
        sources=("N24-P9",),
        hypotheses=("0 < a < 1", "c < 0 (0 otherwise, random_projection.lower_expectation)"),
        steps=steps,
        result_step="closed form",
        symbols={"c": c, "fraction": fraction},
        domain=(fraction < 1, c < 0),
        faults=(
            Fault("factor (1-a)^{-1/2} dropped", "closed form", lambda rhs: rhs.subs(1 / sp.sqrt(1 - fraction), 1)),
            Fault("erfc in place of erf", "closed form", lambda rhs: rhs.replace(sp.erf, sp.erfc)),
        ),
        covers={"N24-P9": "whole"},
    )


@cache
def hockey_stick_deletion() -> Derivation:
    """`delta = erfc(sqrt(t0/2)) - e^eps erfc(sqrt(rho t0/2))`, rho = 1/(1-p), t0 = (2 eps + log rho)/(rho - 1)
    (N24-T7).

    `number`: at `leverage` = p in (0, 1) and `epsilon` >= 0.
    """
    half_t0 = (epsilon - sp.log(1 - leverage) / 2) * (1 - leverage) / leverage
    closed = sp.erfc(sp.sqrt(half_t0)) - sp.exp(epsilon) * sp.erfc(sp.sqrt(half_t0 / (1 - leverage)))
    steps = (
        *_half_steps(),
        Step(
            "closed form",
            "random_projection.hockey_stick_deletion at r = 1.",
            lhs=_one_column(random_projection.hockey_stick_deletion().result),
            rhs=closed,
            reduce=_restated,
        ),
    )
    return Derivation(
        id="random_linear_combination.hockey_stick_deletion",
        title="Divergence of a random linear combination when a record is deleted",
        sources=("N24-T7",),
        hypotheses=("0 < p < 1", "eps >= 0"),
        steps=steps,
        result_step="closed form",
        symbols={"leverage": leverage, "epsilon": epsilon},
        domain=(leverage < 1, epsilon >= 0),
        faults=(
            Fault("factor e^eps dropped", "closed form", lambda rhs: rhs.subs(sp.exp(epsilon), 1)),
            Fault("erf in place of erfc", "closed form", lambda rhs: rhs.replace(sp.erfc, sp.erf)),
        ),
        covers={"N24-T7": "deletion, closed form"},
    )


@cache
def hockey_stick_insertion() -> Derivation:
    """`delta = erf(sqrt(t1/2)) - e^eps erf(sqrt((1-p) t1/2))`, t1 = (log(1/(1-p)) - 2 eps)_+/p (N24-T7).

    `number`: at `leverage` = p in (0, 1) and `epsilon` >= 0.
    """
    t1 = sp.Max((-sp.log(1 - leverage) - 2 * epsilon) / leverage, 0)
    closed = sp.erf(sp.sqrt(t1 / 2)) - sp.exp(epsilon) * sp.erf(sp.sqrt((1 - leverage) * t1 / 2))
    steps = (
        *_half_steps(),
        Step(
            "closed form",
            "random_projection.hockey_stick_insertion at r = 1.",
            lhs=_one_column(random_projection.hockey_stick_insertion().result),
            rhs=closed,
            reduce=_restated,
        ),
    )
    return Derivation(
        id="random_linear_combination.hockey_stick_insertion",
        title="Divergence of a random linear combination when a record is inserted",
        sources=("N24-T7",),
        hypotheses=("0 < p < 1", "eps >= 0"),
        steps=steps,
        result_step="closed form",
        symbols={"leverage": leverage, "epsilon": epsilon},
        domain=(leverage < 1, epsilon >= 0),
        faults=(
            Fault("factor e^eps dropped", "closed form", lambda rhs: rhs.subs(sp.exp(epsilon), 1)),
            Fault("deletion and insertion swapped", "closed form", lambda rhs: rhs.replace(sp.erf, sp.erfc)),
        ),
        covers={"N24-T7": "insertion, closed form"},
    )
