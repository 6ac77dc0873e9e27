"""How often the tested ridge of random projection is below the one without a test (N26-P5-corrected)."""

from __future__ import annotations

from functools import cache
from typing import Any

import sympy as sp

from ndis_verify.symbolic.derivation import Conclusion, Derivation, Fault, Hypothesis, Step, Use
from ndis_verify.symbolic.fact_steps import by_fact, inferred, named
from ndis_verify.symbolic.special_functions import Phi, as_erfc, phi
from ndis_verify.symbolic.statement_terms import quantity

zero, one, half = sp.Integer(0), sp.Integer(1), sp.Rational(1, 2)
length, larger, tested, std, beyond, delta = sp.symbols("l P Q tau y delta", positive=True)
untested = sp.Symbol("s", positive=True)
short, gap, lowered, argument = sp.symbols("w g u x", nonnegative=True)
eigenvalue, distance = sp.symbols("m c", real=True)
of_delta = quantity("Phi_inverse", 1 - delta)
difference = length**2 / tested - length**2 / larger
stated_distance = (eigenvalue - difference) / std - of_delta


def _bound(noise: Any) -> Any:
    """What the test says of the least eigenvalue, as the statement writes it."""
    return eigenvalue + std * (noise - stated_distance - of_delta)


def _ridge(noise: Any) -> Any:
    return sp.Max(0, length**2 / tested - sp.Max(0, _bound(noise)))


def _ridge_steps() -> tuple[Step, ...]:
    """The tested ridge on both sides of one value of the noise, -c."""
    raised = untested + gap - lowered
    by_name = ("tested ridge", str(untested))
    return (
        named(untested, "s is the untested ridge,", length**2 / larger),
        named(gap, "g how much larger l^2/Q is.", difference, "Q <= P"),
        inferred("tested ridge", "So that is s + g.", length**2 / tested, "=", untested + gap, str(gap), str(untested)),
        inferred(
            "noise y - c", "With noise y - c the bound is g + tau y,", _bound(beyond), "=", gap + std * beyond, str(gap)
        ),
        inferred(
            "noise -w - c", "with noise -w - c it is g - tau w.", _bound(-short), "=", gap - std * short, str(gap)
        ),
        Step(
            "smaller",
            "In the one case the ridge is s - tau y, or 0,",
            lhs=sp.Max(0, untested - std * beyond),
            rhs=untested,
            relation="<",
            witness=-sp.Min(untested, std * beyond),
        ),
        named(lowered, "in the other s + g is lowered by u,", sp.Max(0, gap - std * short)),
        Step(
            "at most g",
            "which is at most g,",
            lhs=sp.Max(0, gap - std * short),
            rhs=gap,
            relation="<=",
            witness=-sp.Min(gap, std * short),
        ),
        Step(
            "at least itself",
            "and not below 0.",
            lhs=sp.Max(0, raised),
            rhs=raised,
            relation=">=",
            witness=sp.Max(0, -raised),
        ),
        inferred(
            "not smaller",
            "So it is s at least.",
            *(sp.Max(0, raised), ">=", untested),
            *("at least itself", Use("at most g", weight=-1), str(lowered)),
        ),
        inferred(
            "noise beyond -c",
            "In the statement's letters.",
            *(_ridge(beyond), "<", length**2 / larger),
            *("smaller", "noise y - c", *by_name),
        ),
        inferred(
            "noise up to -c",
            "As well.",
            *(_ridge(-short), ">=", length**2 / larger),
            *("not smaller", "noise -w - c", str(lowered), *by_name),
        ),
    )


def _chance_steps() -> tuple[Step, ...]:
    """The probability of noise beyond -c."""
    density = Step(
        "density",
        "Its slope is the normal density.",
        lhs=sp.Derivative(Phi(argument), argument),
        rhs=zero,
        relation=">",
        witness=phi(argument),
    )
    at_c = {distance: stated_distance}
    return (
        Step(
            "symmetry",
            "The noise is below -c as often as above c.",
            lhs=Phi(-distance),
            rhs=1 - Phi(distance),
            reduce=as_erfc,
        ),
        inferred(
            "probability",
            "So it is beyond -c with probability Phi(c).",
            *(1 - Phi(-stated_distance), "=", Phi(stated_distance)),
            Use("symmetry", at=at_c),
        ),
        Step("positive", "Phi is positive,", lhs=Phi(-distance), rhs=zero, relation=">", witness=Phi(-distance)),
        inferred("below 1", "so that Phi(c) < 1:", Phi(distance), "<", one, Use("positive", weight=-1), "symmetry"),
        inferred(
            "never certain", "in the statement's letters.", Phi(stated_distance), "<", one, Use("below 1", at=at_c)
        ),
        Step("Phi(0)", "Phi is 1/2 at 0,", lhs=Phi(zero), rhs=half, reduce=as_erfc),
        by_fact(
            "rises",
            "and rises.",
            "a rising function at two points",
            {"f": Phi(argument), "argument": argument, "low": zero, "high": beyond},
            {
                "rises": density,
                "order": Step("y > 0", "As supposed.", lhs=beyond, rhs=zero, relation=">", witness=beyond),
            },
        ),
        inferred("above one half", "So past the threshold it is above 1/2.", half, "<", Phi(beyond), "rises", "Phi(0)"),
    )


@cache
def how_often() -> Derivation:
    """The tested ridge `max(0, l^2/Q - max(0, m + tau (z - Phi^-1(1 - delta))))` is below l^2/P exactly where z > -c,
    with probability `1 - Phi(-c) = Phi(c)`, c = (m - g)/tau - Phi^-1(1 - delta), g = l^2/Q - l^2/P (N26-P5-corrected).

    `number`: how often it is not smaller, at `distance` = c.
    """
    names = ("l", "P", "Q", "tau", "delta", "m", "y", "w")
    letters = dict(zip(names, (length, larger, tested, std, delta, eigenvalue, beyond, short), strict=True))
    ends = ("noise beyond -c", "noise up to -c", "probability", "never certain", "above one half")
    return Derivation(
        id="ridge_comparison.how_often",
        title="When the tested ridge is the smaller one, and how often",
        sources=("N26-P5-corrected", "N26-P5"),
        hypotheses=(Hypothesis("Q <= P", tested <= larger),),
        steps=(*_ridge_steps(), *_chance_steps()),
        result_step="symmetry",
        symbols={"distance": distance},
        faults=(
            Fault("gap of the other sign", "noise y - c", lambda rhs: rhs - 2 * gap),
            Fault("quantile added", "noise -w - c", lambda rhs: rhs + 2 * std * of_delta),
            Fault("half as large", "smaller", lambda rhs: rhs / 2),
            Fault("twice as large", "not smaller", lambda rhs: 2 * rhs),
            Fault("certain", "probability", lambda rhs: one),
        ),
        concludes=tuple(Conclusion("N26-P5-corrected", end, letters) for end in ends),
    )
