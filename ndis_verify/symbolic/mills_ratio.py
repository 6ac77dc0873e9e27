"""Gordon's two bounds of the Mills ratio, each as a function that falls to 0."""

from __future__ import annotations

from functools import cache

import sympy as sp

from ndis_verify.symbolic.derivation import Step
from ndis_verify.symbolic.fact_steps import by_fact
from ndis_verify.symbolic.special_functions import Phi, phi

x = sp.Symbol("x", positive=True)
zero = sp.Integer(0)


@cache
def mills_steps() -> tuple[Step, ...]:
    """Gordon's two inequalities, x/(1+x^2) < Phi(-x)/phi(x) < 1/x for x > 0, each by the sign of one derivative."""
    upper, lower = phi(x) / x - Phi(-x), Phi(-x) - x * phi(x) / (1 + x**2)
    return (
        *positive_tail_steps("upper Mills bound", "phi(x)/x - Phi(-x)", upper, -phi(x) / x**2),
        *positive_tail_steps("lower Mills bound", "Phi(-x) - x phi(x)/(1+x^2)", lower, -2 * phi(x) / (1 + x**2) ** 2),
    )


def positive_tail_steps(name: str, shown: str, gap: sp.Expr, slope: sp.Expr) -> tuple[Step, ...]:
    """A function of x > 0 that falls to 0 is positive."""
    return (
        Step(
            f"{name}: slope",
            f"{shown} decreases,",
            lhs=sp.Derivative(gap, x),
            rhs=zero,
            relation="<",
            witness=slope,
        ),
        Step(f"{name}: end", "to 0,", lhs=sp.Limit(gap, x, sp.oo), rhs=zero),
        by_fact(
            name,
            "so it is positive.",
            "falls to 0",
            {"f": gap, "argument": x},
            {"falls": f"{name}: slope", "end": f"{name}: end"},
        ),
    )
