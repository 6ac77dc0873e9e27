"""Steps from the Rayleigh quotients of two covariances with added noise to their eigenvalues, and to rho and nu."""

from __future__ import annotations

import sympy as sp

from ndis_verify.symbolic.derivation import Step
from ndis_verify.symbolic.fact_steps import by_fact
from ndis_verify.symbolic.normal_coordinates import total_of
from ndis_verify.symbolic.notation import relative, with_noise

zero, one = sp.Integer(0), sp.Integer(1)


def eigenvalue_steps(a: sp.Expr, b: sp.Expr, gap: sp.Expr, v: sp.Expr) -> tuple[Step, ...]:
    """Every ordered eigenvalue is at least 1 and falls with the added variance, and so do rho and nu."""
    more = sp.Symbol("w", nonnegative=True)
    first, second = sp.symbols("S_1 S_2", real=True)
    before, after = ((with_noise(first, at), with_noise(second, at)) for at in (v, v + more))
    quotient, later = (a + v) / (b + v), (a + v + more) / (b + v + more)
    eigenvalue = "an eigenvalue at more noise"
    noise = Step("noise", "v > 0.", lhs=v, rhs=zero, relation=">", witness=v)
    more_noise = Step("more noise", "v + w > 0.", lhs=v + more, rhs=zero, relation=">", witness=v + more)
    return (
        Step(
            "Rayleigh ratio at more noise",
            "is no larger,",
            lhs=later,
            rhs=quotient,
            relation="<=",
            witness=-gap * more / ((b + v) * (b + v + more)),
            premises=("Rayleigh ratio",),
        ),
        Step(
            "Rayleigh ratio, at least 1",
            "and at least 1;",
            lhs=later,
            rhs=one,
            relation=">=",
            witness=gap / (b + v + more),
            premises=("Rayleigh ratio",),
        ),
        by_fact(
            eigenvalue,
            "so every ordered eigenvalue is no larger,",
            "eigenvalues follow Rayleigh quotients",
            {
                "S": before[0],
                "T": before[1],
                "S'": after[0],
                "T'": after[1],
                "quotient": quotient,
                "other quotient": later,
            },
            {"order": "Rayleigh ratio at more noise", "definite": noise, "other definite": more_noise},
        ),
        by_fact(
            "eigenvalues, at least 1",
            "and at least 1.",
            "eigenvalues lie above a bound of Rayleigh quotients",
            {"S": after[0], "T": after[1], "quotient": later, "bound": one},
            {"least": "Rayleigh ratio, at least 1", "definite": more_noise},
        ),
        Step(
            "Rayleigh ratio, at least 1 before",
            "The ratio was at least 1 before,",
            lhs=quotient,
            rhs=one,
            relation=">=",
            witness=gap / (b + v),
            premises=("Rayleigh ratio",),
        ),
        by_fact(
            "eigenvalues, at least 1 before",
            "and so were they.",
            "eigenvalues lie above a bound of Rayleigh quotients",
            {"S": before[0], "T": before[1], "quotient": quotient, "bound": one},
            {"least": "Rayleigh ratio, at least 1 before", "definite": noise},
        ),
        by_fact(
            "logarithms of eigenvalues",
            "So the logarithms, which are not negative, are no larger:",
            "logarithms keep the order",
            {"a": relative(*after), "b": relative(*before), "c": one},
            {
                "order": eigenvalue,
                "least": "eigenvalues, at least 1",
                "positive": Step("one", "1 > 0.", lhs=one, rhs=zero, relation=">", witness=one),
            },
            premises=("eigenvalues, at least 1 before",),
        ),
        by_fact(
            "rho",
            "rho is the largest of them, over all pairs,",
            "suprema keep the order",
            {"f": sp.log(relative(*after)), "g": sp.log(relative(*before))},
            {"pointwise": "logarithms of eigenvalues"},
        ),
        Step("coordinates", "Finitely many; every sum over them is finite.", kind="definition"),
        by_fact(
            "nu of a pair",
            "nu of a pair is their sum,",
            "means keep the order",
            {"mean": total_of, "f": sp.log(relative(*after)), "g": sp.log(relative(*before))},
            {"pointwise": "logarithms of eigenvalues", "integrable": "coordinates"},
        ),
        by_fact(
            "nu",
            "and nu the largest over all pairs.",
            "suprema keep the order",
            {"f": total_of(sp.log(relative(*after))), "g": total_of(sp.log(relative(*before)))},
            {"pointwise": "nu of a pair"},
        ),
    )
