"""By what share of itself the divergence of a mean shift grows with the shift: less than 2 log(1.25/delta), eps <= 1.

F is the divergence at the shift t, its slope f a density, e = t f/F its elasticity. With b = 3 - t^2/4 + eps^2/t^2 the
elasticity is at most b up to the shift T = 3.05, so that 2 log(1.25/F) - e falls up to there; beyond it F times that
rises. At T it is positive.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import sympy as sp

from ndis_verify.symbolic.derivation import Conclusion, Derivation, Fault, Step, Use
from ndis_verify.symbolic.fact_steps import by_fact, inferred, named
from ndis_verify.symbolic.mills_ratio import mills_steps, x
from ndis_verify.symbolic.special_functions import Phi, phi

t, epsilon = sp.symbols("t epsilon", positive=True)
m = sp.Symbol("m", nonnegative=True)
R, near = sp.symbols("R Q", positive=True)
zero, one = sp.Integer(0), sp.Integer(1)
MOST = sp.Rational(5, 4)
T = sp.Rational(61, 20)
SOURCE = "BW-Fig1-monotone"


def divergence(at: Any, eps: Any = epsilon) -> Any:
    """F at a shift."""
    return Phi(at / 2 - eps / at) - sp.exp(eps) * Phi(-at / 2 - eps / at)


def density(at: Any, eps: Any = epsilon) -> Any:
    """The slope of F."""
    return phi(at / 2 - eps / at)


def cap(at: Any, eps: Any = epsilon) -> Any:
    return 3 - at**2 / 4 + eps**2 / at**2


def elasticity(at: Any, eps: Any = epsilon) -> Any:
    return at * density(at, eps) / divergence(at, eps)


def logarithm(at: Any, eps: Any = epsilon) -> Any:
    return 2 * sp.log(MOST / divergence(at, eps))


def room(at: Any) -> Any:
    """What has to be positive."""
    return logarithm(at) - elasticity(at)


def beyond_cap(at: Any, eps: Any = epsilon) -> Any:
    return logarithm(at, eps) - cap(at, eps)


def below_cap(at: Any, eps: Any = epsilon) -> Any:
    """F less what it is where the elasticity is at its cap."""
    return divergence(at, eps) - at * density(at, eps) / cap(at, eps)


_SMALL = Phi(-T / 2)
AT_0 = Phi(T / 2) - _SMALL  # F at T where eps is 0
LEAST = 2 * sp.log(MOST / AT_0) - cap(T, zero)


def _positive(name: str, why: str, number: Any, *premises: str) -> Step:
    """A number, whose sign SymPy finds by its digits where it is written by erfc."""
    written = number.rewrite(sp.erfc)
    return Step(name, why, number, zero, ">", written, lambda p, q: (p - q).rewrite(sp.erfc), premises=premises)


def _first_steps() -> tuple[Step, ...]:
    """The divergence is positive at every shift."""
    return (
        Step("slope", "The slope of F is a density,", sp.Derivative(divergence(t), t), zero, ">", density(t)),
        Step("start", "and F starts at 0:", sp.Limit(divergence(t), t, 0, "+"), zero),
        by_fact(
            "F > 0",
            "it is positive.",
            "rises from 0",
            {"f": divergence(t), "argument": t},
            {"rises": "slope", "start": "start"},
        ),
    )


def held_up(name: str, why: str, function: Any, slope: Step, start: str) -> tuple[Step, ...]:
    """What does not fall from `start` on in the last argument is no less than there; `slope` shows it."""
    argument = next(iter(slope.lhs.variables))
    gap = function - function.subs(argument, 0)
    return (
        slope,
        Step(f"{name}: start", f"{start},", sp.Subs(gap, argument, 0), zero),
        by_fact(
            name,
            why,
            "does not fall from 0",
            {"f": gap, "argument": argument},
            {"rises": slope.name, "start": f"{name}: start"},
        ),
    )


@cache
def at_one_shift() -> Derivation:
    """At the shift T the elasticity is at most b, and 2 log(1.25/F) - b at least a positive number, for every eps <= 1.

    eps is 1/(1 + m). `number`: F at T, at `m`.
    """
    eps = 1 / (1 + m)
    edge = T / 2 + eps / T
    at_T, flat = divergence(T, eps), cap(T, zero)
    quotient = at_T / density(T, eps) * cap(T, eps) - T
    weight = (
        ((T**2 / 2 - 1) * flat - 2 + m * T**2 * flat / 2) / (1 + m)
        + (T**2 / 2 - 1 + m * T**2 / 2) / ((1 + m) ** 3 * T**2)
    ) / (T**2 * density(T, eps) * (1 + m) ** 2)
    far = Phi(-edge) / phi(edge) * cap(T, eps) * eps**2
    tail = sp.exp(eps) * Phi(-edge)
    squares = T**2 / 4 - 1 - 1 / T**2 + (2 * m + m**2) / ((1 + m) ** 2 * T**2)
    left = AT_0 - at_T - eps * _SMALL
    steps = (
        *_first_steps(),
        *mills_steps()[3:],
        inferred("F at T", "So it is at T.", at_T, ">", zero, Use("F > 0", at={t: T, epsilon: eps})),
        Step("far tail", "Positive.", far, zero, ">", far),
        Step("slope in m", "F b/f - T has in m = 1/eps - 1 the slope", sp.Derivative(quotient, m), far + weight * at_T),
        *held_up(
            "quotient",
            "to more:",
            quotient,
            inferred(
                "quotient rises",
                "which is positive.",
                sp.Derivative(quotient - quotient.subs(m, 0), m),
                ">=",
                zero,
                *("slope in m", "far tail", Use("F at T", weight=weight)),
            ),
            "It rises from its value at eps = 1",
        ),
        _positive("at eps = 1", "that is positive,", quotient.subs(m, 0)),
        inferred(
            "below the cap",
            "and T f/b is at most F.",
            below_cap(T, eps),
            ">=",
            zero,
            *(Use(name, weight=density(T, eps) / cap(T, eps)) for name in ("quotient", "at eps = 1")),
        ),
        Step(
            "inside",
            "With y = T/2 + eps/T, y/(1 + y^2) is more than 1/T:",
            phi(edge) * (edge / (1 + edge**2) - 1 / T),
            zero,
            ">",
            phi(edge) * squares / (T * (1 + edge**2)),
        ),
        Step(
            "slope of the tail",
            "in m, e^eps Phi(-y) has the slope",
            sp.Derivative(tail - _SMALL, m),
            -(eps**2) * sp.exp(eps) * (Phi(-edge) - phi(edge) / T),
        ),
        inferred(
            "tail falls",
            "and falls,",
            sp.Derivative(tail - _SMALL, m),
            "<",
            zero,
            "slope of the tail",
            *(
                Use(name, at=at, weight=-(eps**2) * sp.exp(eps))
                for name, at in (("lower Mills bound", {x: edge}), ("inside", {}))
            ),
        ),
        Step("tail: end", "to Phi(-T/2):", sp.Limit(tail - _SMALL, m, sp.oo), zero),
        by_fact(
            "tail",
            "it is more.",
            "falls to 0",
            {"f": tail - _SMALL, "argument": m},
            {"falls": "tail falls", "end": "tail: end"},
        ),
        Step(
            "slope of what is left",
            "So what F lacks, at T, of its value at eps = 0 less eps Phi(-T/2)",
            sp.Derivative(left, m),
            -(eps**2) * (tail - _SMALL),
        ),
        inferred(
            "it falls",
            "falls in m,",
            sp.Derivative(left, m),
            "<",
            zero,
            *("slope of what is left", Use("tail", weight=-(eps**2))),
        ),
        Step("left: end", "to 0:", sp.Limit(left, m, sp.oo), zero),
        by_fact(
            "left",
            "it is positive.",
            "falls to 0",
            {"f": left, "argument": m},
            {"falls": "it falls", "end": "left: end"},
        ),
        _positive("F at T, eps = 0", "Positive.", AT_0),
        named(near, "Q is F at T where eps is 0,", AT_0, "F at T, eps = 0"),
        named(R, "R is F at T.", at_T, "F at T"),
        Step("quotient of both", "Positive.", R / near, zero, ">", R / near),
        by_fact(
            "tangent",
            "The logarithm is below its tangent:",
            "logarithm below its tangent",
            {"y": R / near},
            {"positive": "quotient of both"},
        ),
        _positive("a share", "2 Phi(-T/2) is more than 1/T^2 of F there,", 2 * _SMALL / AT_0 - 1 / T**2),
        inferred("left, in names", "What is left,", near - R, ">", eps * _SMALL, *("left", "Q", "R")),
        inferred("share, in names", "and the share.", 2 * _SMALL / near - 1 / T**2, ">", zero, *("a share", "Q")),
        Step("rest", "eps is at most 1:", m * eps**2 / T**2, zero, ">=", m * eps**2 / T**2),
        inferred(
            "in names",
            "2 log(1.25/F) - b is at T at least what it is at eps = 0,",
            2 * sp.log(MOST / R) - cap(T, eps),
            ">=",
            2 * sp.log(MOST / near) - flat,
            Use("tangent", weight=-2),
            Use("left, in names", weight=2 / near),
            Use("share, in names", weight=eps),
            "rest",
        ),
        inferred(
            "above the cap",
            "in the terms of both.",
            beyond_cap(T, eps),
            ">=",
            LEAST,
            *("in names", "R", "Q"),
        ),
        _positive("least", "That is positive.", LEAST, "F at T, eps = 0"),
    )
    return Derivation(
        id="mean_shift_elasticity.at_one_shift",
        title="The elasticity of the divergence at one shift",
        sources=(SOURCE,),
        hypotheses=(),
        steps=steps,
        result_step="slope of the tail",
        symbols={"m": m},
        faults=(
            Fault("slope in m doubled", "slope in m", lambda rhs: 2 * rhs),
            Fault("tail that tends to 1", "tail: end", lambda rhs: one),
            Fault("twice as much at T", "above the cap", lambda rhs: 2 * rhs + 1),
        ),
        concludes=tuple(
            Conclusion(SOURCE, end, part=f"at the shift 3.05, {words}")
            for end, words in (
                ("below the cap", "the elasticity is at most b"),
                ("above the cap", "2 log(1.25/F) is more than b"),
                ("least", "by a positive number"),
            )
        ),
    )
