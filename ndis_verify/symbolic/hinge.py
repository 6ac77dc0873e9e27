"""The expectation of a hinge max(0, 1 - e^{c + b^T Z}) with a linear exponent."""

from __future__ import annotations

from functools import cache

import sympy as sp

from ndis_verify.symbolic.derivation import Conclusion, Derivation, Fault, Hypothesis, Step
from ndis_verify.symbolic.fact_steps import by_fact, inferred, named
from ndis_verify.symbolic.integration import integral_steps
from ndis_verify.symbolic.meanings import meaning
from ndis_verify.symbolic.normal_coordinates import entry, total_of
from ndis_verify.symbolic.notation import below, beyond, normal_mean, scalar
from ndis_verify.symbolic.notation import z as vector
from ndis_verify.symbolic.special_functions import Phi, phi
from ndis_verify.symbolic.statement_terms import quantity

slope = sp.Symbol("beta", positive=True)
c, z = sp.symbols("c z", real=True)
zero = sp.Integer(0)


def hinge(constant: sp.Expr, exponent: sp.Expr) -> sp.Expr:
    """max(0, 1 - e^{constant + exponent})."""
    return sp.Max(0, 1 - sp.exp(constant + exponent))


def hinge_steps(constant: sp.Expr, beta: sp.Expr) -> tuple[Step, ...]:
    """int max(0, 1 - e^{constant + beta u}) phi(u) du for beta > 0, in terms of two masses below the edge."""
    edge = sp.expand(-constant / beta)
    exponent = constant + beta * z
    mass = integral_steps("mass below the edge", phi(z), (z, -sp.oo, edge), Phi(z), Phi(edge), "Phi' = phi.")
    factor = sp.exp(sp.expand(constant + beta**2 / 2))
    tilted = integral_steps(
        "tilted mass below the edge",
        sp.exp(exponent) * phi(z),
        (z, -sp.oo, edge),
        factor * Phi(z - beta),
        factor * Phi(sp.expand(edge - beta)),
        "Completing the square: beta z - z^2/2 = beta^2/2 - (z - beta)^2/2.",
    )
    zero = sp.Integer(0)
    return (
        Step(
            "below the edge",
            "The exponent is beta (u - edge): negative at u = edge - v, v > 0,",
            lhs=exponent.subs(z, edge - below),
            rhs=zero,
            relation="<",
            witness=-beta * below,
        ),
        Step(
            "above the edge",
            "and not negative at u = edge + w, w >= 0.",
            lhs=exponent.subs(z, edge + beyond),
            rhs=zero,
            relation=">=",
            witness=beta * beyond,
        ),
        *mass,
        *tilted,
        Step(
            "cut at the edge",
            "The hinge is 0 above the edge; below it, the mass less the tilted mass.",
            lhs=sp.Integral(hinge(constant, beta * z) * phi(z), (z, -sp.oo, sp.oo)),
            rhs=mass[-1].lhs - tilted[-1].lhs,
            kind="fact",
            fact="hinge cut at its edge",
            letters={"h": exponent, "w": phi(z), "argument": z, "edge": edge},
            conditions={
                "below": "below the edge",
                "above": "above the edge",
                "first": mass[-1].name,
                "second": tilted[-1].name,
            },
        ),
    )


MASSES = ("cut at the edge", "mass below the edge", "tilted mass below the edge")


def rotated(constant: sp.Expr, bt: sp.Expr, b: sp.Expr, length: sp.Expr, squared: str) -> Step:
    """E max(0, 1 - e^{constant + b^T Z}) as an integral; a step says that b^T b = length^2."""
    payoff = hinge(constant, z)
    return Step(
        "one direction",
        "b^T Z has the law of ||b|| times a standard normal variable.",
        lhs=normal_mean(hinge(constant, scalar(bt * vector))),
        rhs=sp.Integral(hinge(constant, length * z) * phi(z), (z, -sp.oo, sp.oo)),
        kind="fact",
        fact="linear form of a standard normal vector",
        letters={"f": payoff, "argument": z, "b^T": bt, "b": b, "length": length},
        conditions={
            "length": squared,
            "sign": Step("nonnegative", "A hinge.", lhs=payoff, rhs=sp.Integer(0), relation=">=", witness=payoff),
        },
    )


@cache
def linear_exponent() -> Derivation:
    """`E[max(0, 1 - e^{c + b^T Z})] = Phi(-c/|b|) - e^{c + |b|^2/2} Phi(-c/|b| - |b|)`, b != 0 (N24-P5).

    `number`: at `c` and `slope` = |b| > 0.
    """
    b, payoff = sp.Symbol("b", real=True), hinge(c, z)
    squares = total_of(entry(b) ** 2)
    mean = quantity("quadratic_hinge", zero, b, c)
    steps = (
        named(slope, "s = |b|.", sp.sqrt(squares), "s > 0"),
        inferred("its square", "s^2.", squares, "=", slope**2, str(slope)),
        meaning("expectation of the hinge", "quadratic_hinge", zero, b, c),
        by_fact(
            "one direction",
            "b^T Z has the law of |b| times a standard normal variable.",
            "mean of a function of a normal sum",
            {"f": payoff, "argument": z, "b": entry(b), "length": slope},
            {"length": "its square", "sign": Step("nonnegative", "A hinge.", payoff, zero, ">=", payoff)},
        ),
        *hinge_steps(c, slope),
        inferred(
            "expectation",
            "The mass less the tilted mass.",
            mean,
            "=",
            Phi(-c / slope) - sp.exp(c + slope**2 / 2) * Phi(-c / slope - slope),
            *("expectation of the hinge", "one direction", *MASSES),
        ),
        inferred(
            "in b",
            "In terms of b.",
            mean,
            "=",
            Phi(-c / sp.sqrt(squares)) - sp.exp(c + squares / 2) * Phi(-c / sp.sqrt(squares) - sp.sqrt(squares)),
            *("expectation", str(slope)),
        ),
    )
    return Derivation(
        id="hinge.linear_exponent",
        title="The hinge expectation of a linear exponent",
        sources=("N24-P5",),
        hypotheses=(Hypothesis("s > 0", sp.sqrt(squares) > 0),),
        steps=steps,
        result_step="expectation",
        symbols={"c": c, "slope": slope},
        faults=(
            Fault(
                "factor e^{|b|^2/2} dropped", "expectation", lambda rhs: rhs.subs(sp.exp(c + slope**2 / 2), sp.exp(c))
            ),
            Fault("edge on the wrong side", "mass below the edge", lambda rhs: Phi(c / slope)),
            Fault(
                "tilt in the wrong direction",
                "tilted mass below the edge",
                lambda rhs: sp.exp(c + slope**2 / 2) * Phi(slope - c / slope),
            ),
        ),
        concludes=(Conclusion("N24-P5", "in b", {"b": b, "c": c}),),
    )
