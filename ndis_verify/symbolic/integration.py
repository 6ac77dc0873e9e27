"""Definite integrals by an antiderivative that is checked, not trusted: differentiate it, then take its ends."""

from __future__ import annotations

from typing import Any

import sympy as sp

from ndis_verify.symbolic.derivation import Step
from ndis_verify.symbolic.zero import as_expression


def integral_steps(
    name: str,
    integrand: Any,
    limits: tuple[Any, Any, Any],
    antiderivative: Any,
    value: Any,
    why: str,
    premises: tuple[str, ...] = (),
) -> tuple[Step, Step]:
    """Two identities that together are `Integral(integrand, limits) = value`.

    The first differentiates `antiderivative` back to `integrand`; the second takes its difference between the
    limits (`x`, lower, upper), where infinite ends go through the known limits of `Phi`, `Qg` and `Pg`.
    `premises`: what the second rests on besides, as that the lower end is not negative.
    """
    x, lower, upper = limits
    antiderivative = as_expression(antiderivative)
    integral = sp.Integral(integrand, limits)

    def between_ends(left: Any, right: Any) -> sp.Expr:
        # This integral alone is known; another one in its place stays, and is not decided.
        return left.xreplace({integral: antiderivative.subs(x, upper) - antiderivative.subs(x, lower)}) - right

    derivative = Step(
        f"{name}: antiderivative",
        f"Differentiating gives the integrand back. {why}",
        lhs=sp.Derivative(antiderivative, x),
        rhs=as_expression(integrand),
    )
    ends = Step(
        name,
        "The antiderivative's difference between the two ends.",
        lhs=integral,
        rhs=as_expression(value),
        reduce=between_ends,
        premises=(derivative.name, *premises),
    )
    return derivative, ends
