"""Definite integrals by an antiderivative that is checked, not trusted: differentiate it, then take its ends."""

from __future__ import annotations

from typing import Any

import sympy as sp

from ndis_verify.symbolic.derivation import Step
from ndis_verify.symbolic.zero import as_expression


def integral_steps(
    name: str, integrand: Any, limits: tuple[Any, Any, Any], antiderivative: Any, value: Any, why: str
) -> tuple[Step, Step]:
    """Two identities that together are `Integral(integrand, limits) = value`.

    The first differentiates `antiderivative` back to `integrand`; the second takes its difference between the
    limits (`x`, lower, upper), where infinite ends go through the known limits of `Phi`, `Qg` and `Pg`.
    """
    x, lower, upper = limits
    antiderivative = as_expression(antiderivative)

    def between_ends(_: Any, right: Any) -> sp.Expr:
        return antiderivative.subs(x, upper) - antiderivative.subs(x, lower) - right

    derivative = Step(
        f"{name}: antiderivative",
        f"Differentiating gives the integrand back. {why}",
        lhs=sp.diff(antiderivative, x),
        rhs=as_expression(integrand),
    )
    ends = Step(
        name,
        "The antiderivative's difference between the two ends.",
        lhs=sp.Integral(integrand, limits),
        rhs=as_expression(value),
        reduce=between_ends,
    )
    return derivative, ends
