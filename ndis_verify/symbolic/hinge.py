"""The expectation of a hinge max(0, 1 - e^{c + b^T Z}) with a linear exponent."""

from __future__ import annotations

from functools import cache

import sympy as sp

from ndis_verify.symbolic.block_algebra import letter
from ndis_verify.symbolic.derivation import Conclusion, Derivation, Fault, Hypothesis, Step
from ndis_verify.symbolic.integration import integral_steps
from ndis_verify.symbolic.notation import below, beyond, normal_mean, scalar
from ndis_verify.symbolic.notation import z as vector
from ndis_verify.symbolic.special_functions import Phi, phi

slope = sp.Symbol("beta", positive=True)
c, z = sp.symbols("c z", real=True)


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


def rotated(constant: sp.Expr, bt: sp.Expr, b: sp.Expr, length: sp.Expr, shown: str) -> Step:
    """E max(0, 1 - e^{constant + b^T Z}) as an integral; the step `shown` says b^T b = length^2."""
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
            "length": shown,
            "measurable": Step("nonnegative", "A hinge.", lhs=payoff, rhs=sp.Integer(0), relation=">=", witness=payoff),
        },
    )


@cache
def linear_exponent() -> Derivation:
    """`E[max(0, 1 - e^{c + b^T Z})] = Phi(-c/|b|) - e^{c + |b|^2/2} Phi(-c/|b| - |b|)`, b != 0 (N24-P5).

    `number`: at `c` and `slope` = |b| > 0.
    """
    b, bt = letter("b"), letter("bt")
    steps = (
        Step(
            "length of b",
            "beta = |b| = (b^T b)^{1/2}.",
            lhs=slope,
            rhs=sp.sqrt(scalar(bt * b)),
            kind="definition",
            premises=("b nonzero",),
        ),
        Step(
            "its square",
            "b^T b >= 0.",
            lhs=scalar(bt * b),
            rhs=slope**2,
            kind="inference",
            premises=("length of b",),
        ),
        rotated(c, bt, b, slope, "its square"),
        *hinge_steps(c, slope),
        Step(
            "expectation",
            "The mass less the tilted mass.",
            lhs=normal_mean(hinge(c, scalar(bt * vector))),
            rhs=Phi(-c / slope) - sp.exp(c + slope**2 / 2) * Phi(-c / slope - slope),
            kind="inference",
            premises=("one direction", *MASSES),
        ),
    )
    return Derivation(
        id="hinge.linear_exponent",
        title="The hinge expectation of a linear exponent",
        sources=("N24-P5",),
        hypotheses=(Hypothesis("b nonzero", slope > 0), Hypothesis("real c", sp.true)),
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
        concludes=(Conclusion("N24-P5", "expectation", part="as an integral over the coordinate along b"),),
    )
