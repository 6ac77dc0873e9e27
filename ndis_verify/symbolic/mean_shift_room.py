"""That the elasticity of the divergence of a mean shift is less than 2 log(1.25/delta) at every shift, for eps <= 1.

`room` is 2 log(1.25/F) less the elasticity. It falls up to the shift T, and beyond T F times it rises; at T it is at
least `LEAST`.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import sympy as sp

from ndis_verify.symbolic.derivation import Conclusion, Derivation, Fault, Hypothesis, Step, Use
from ndis_verify.symbolic.fact_steps import by_fact, inferred, named
from ndis_verify.symbolic.mean_shift_elasticity import (
    AT_0,
    LEAST,
    SOURCE,
    T,
    at_one_shift,
    below_cap,
    beyond_cap,
    cap,
    density,
    divergence,
    elasticity,
    epsilon,
    held_up,
    m,
    one,
    room,
    t,
    zero,
)
from ndis_verify.symbolic.notation import below, beyond
from ndis_verify.symbolic.special_functions import Phi

g, k, n = sp.symbols("g k n", nonnegative=True)
R, D, b, least = sp.symbols("R D b l", positive=True)
y, z = sp.symbols("y z", real=True)
AT_MOST_1 = Hypothesis("eps <= 1", sp.Le(epsilon, 1))
FLOOR = divergence(T) * LEAST


def _at_T(name: str, why: str, step: str, lhs: Any, relation: str, rhs: Any) -> Step:
    """A step of `at_one_shift`, in eps."""
    return inferred(name, why, lhs, relation, rhs, Use(step, of=at_one_shift), "eps")


def _setting() -> tuple[Step, ...]:
    """What is known at T and of F, for eps <= 1: R is F at T, l what `room` is there at least."""
    tails = Phi(epsilon / t - t / 2) + sp.exp(epsilon) * Phi(-t / 2 - epsilon / t)
    return (
        named(m, "m = 1/eps - 1.", 1 / epsilon - 1, AT_MOST_1.text),
        inferred("eps", "So eps = 1/(1 + m).", epsilon, "=", 1 / (1 + m), "m"),
        _at_T("below the cap at T", "At T the elasticity is at most b:", "below the cap", below_cap(T), ">=", zero),
        inferred("F at T", "F is positive there,", divergence(T), ">", zero, _positive_at(T, 1)),
        inferred("F at T, eps = 0", "and where eps is 0;", AT_0, ">", zero, Use("F at T, eps = 0", of=at_one_shift)),
        inferred(
            "above the cap at T",
            "and the logarithm more.",
            beyond_cap(T),
            ">=",
            LEAST,
            Use("above the cap", of=at_one_shift),
            *("eps", Use("F at T, eps = 0", weight=0)),
        ),
        inferred("least > 0", "Positive.", LEAST, ">", zero, Use("least", of=at_one_shift)),
        named(R, "R is F at T,", divergence(T), "F at T"),
        named(least, "l the least.", LEAST, "least > 0"),
        inferred(
            "room at T",
            "There is as much room at T.",
            room(T),
            ">=",
            LEAST,
            *("above the cap at T", Use("below the cap at T", weight=cap(T) / R), "R"),
        ),
        Step("reflection", "Phi(-y) = 1 - Phi(y),", 1 - Phi(y), Phi(-y), reduce=lambda p, q: (p - q).rewrite(sp.erfc)),
        Step("two tails", "positive,", tails, zero, ">", tails),
        inferred(
            "F < 1",
            "and F less than 1.",
            divergence(t),
            "<",
            one,
            *(Use("reflection", at={y: t / 2 - epsilon / t}), Use("two tails", weight=-1)),
        ),
    )


def _powers(*exponents: int) -> tuple[Step, ...]:
    """e^{n g} beside 1."""
    return tuple(
        by_fact(
            f"e^{{{n} g}}",
            f"e^{{{n} g}} is at {'least' if n > 0 else 'most'} 1,",
            "exponentials keep the order",
            {"a": zero if n > 0 else n * g, "b": n * g if n > 0 else zero},
            {"order": Step(f"{n} g", "g is not negative.", min(n, 0) * g, max(n, 0) * g, "<=", -abs(n) * g)},
        )
        for n in exponents
    )


def _derivation(name: str, title: str, end: str, part: str, steps: tuple[Step, ...], *faults: Fault) -> Derivation:
    return Derivation(
        id=f"mean_shift_room.{name}",
        title=title,
        sources=(SOURCE,),
        hypotheses=(AT_MOST_1,),
        steps=steps,
        result_step=end,
        symbols={"epsilon": epsilon},
        faults=faults,
        concludes=(Conclusion("BW-Fig1-monotone", end, part=part),),
    )


@cache
def small_shifts() -> Derivation:
    """At the shifts T e^{-g}, g >= 0, there is at least as much room as at T.

    `number`: how much there is at T at least, times F there, at `epsilon`.
    """
    at, six = T * sp.exp(-g), sp.sqrt(6)
    rest = 3 - T**2 / 4 + epsilon**2 * sp.exp(2 * g) / T**2
    inside = T / (1 + k)
    near = 3 - T**2 / 4 + T**2 * (2 * k + k**2) / (4 * (1 + k) ** 2) + epsilon**2 / inside**2  # b, term by term > 0
    lack = inside * density(inside) / near
    nearer = divergence(inside) - lack
    steps = (
        *_setting(),
        by_fact(
            "up, then down",
            "F - t f/b is not negative up to T:",
            "up, then down, above what tends to 0",
            {"f": nearer, "argument": k, "turn": T / six - 1, "under": -lack},
            {
                "start": inferred("at T", "it is not at T,", nearer.subs(k, 0), ">=", zero, "below the cap at T"),
                "turns": Step(
                    "turns",
                    "falls from there up to t^2 = 6 and rises beyond, t from T to 0,",
                    (T / six - 1 - k) * sp.Derivative(nearer, k),
                    zero,
                    ">=",
                    inside * density(inside) * six * (T / six - 1 - k) ** 2 * (inside + six) / (near * (1 + k)) ** 2,
                ),
                "above": inferred("above", "above what", nearer, ">=", -lack, _positive_at(inside, 1)),
                "end": Step("end", "tends to 0.", sp.Limit(-lack, k, sp.oo), zero),
            },
        ),
        *_powers(1),
        named(n, "n = e^g - 1.", sp.exp(g) - 1, "e^{1 g}"),
        *_powers(-2),
        Step("rest of b", "Positive.", rest, zero, ">", rest),
        inferred("b > 0", "So b is.", cap(at), ">", zero, Use("e^{-2 g}", weight=-(T**2) / 4), "rest of b"),
        inferred(
            "below the cap",
            "At T e^{-g},",
            below_cap(at),
            ">=",
            zero,
            *(Use("up, then down", at={k: n}), "n"),
        ),
        named(b, "b at the shift,", cap(at), "b > 0"),
        inferred("F > 0", "F there.", divergence(at), ">", zero, _positive_at(at, 1)),
        named(D, "D is F there.", divergence(at), "F > 0"),
        Step(
            "slope of the room",
            "The room has in g the slope e (b - e), e the elasticity,",
            sp.Derivative(room(at), g),
            elasticity(at) * (cap(at) - elasticity(at)),
        ),
        *held_up(
            "room",
            "no less room than there.",
            room(at),
            inferred(
                "room rises",
                "which is not negative:",
                sp.Derivative(room(at) - room(T), g),
                ">=",
                zero,
                *("slope of the room", Use("below the cap", weight=at * density(at) * b / D**2), "b", "D"),
            ),
            "from the shift T on there is",
        ),
        inferred(
            "floor",
            "At least l R, as R < 1.",
            room(at),
            ">=",
            FLOOR,
            *("room", "room at T", Use("F < 1", at={t: T}, weight=-least), "l"),
        ),
    )
    return _derivation(
        "small_shifts",
        "Room below one shift",
        "floor",
        "room up to the shift 3.05",
        steps,
        Fault("slope of the room doubled", "slope of the room", lambda rhs: 2 * rhs),
        Fault("b less 4", "b > 0", lambda rhs: rhs + 4),
    )


@cache
def large_shifts() -> Derivation:
    """At the shifts T e^g, g >= 0, there is at least F times the room of T.

    `number`: how much there is at T at least, times F there, at `epsilon`.
    """
    at = T * sp.exp(g)
    share = at * density(at) / D
    flat = cap(T, zero)
    spread = T**2 / 2 - 2 * flat - 2 / T**2 + 2 * epsilon**2 * sp.exp(-2 * g) / T**2
    steps = (
        *_setting(),
        *_powers(2, -2),
        inferred("eps^2", "eps^2 is at most 1.", epsilon**2, "<=", one, Use(AT_MOST_1.text, weight=1 + epsilon)),
        inferred("F > 0", "F is positive.", divergence(at), ">", zero, _positive_at(at, 1)),
        named(D, "D is F at the shift.", divergence(at), "F > 0"),
        Step(
            "slope of e",
            "The elasticity e has in g the slope e (b - 2 - e),",
            sp.Derivative(elasticity(at), g),
            elasticity(at) * (cap(at) - 2 - elasticity(at)),
        ),
        Step(
            "rest",
            "where",
            share**2 + share * (T**2 / 4 - 1 - 1 / T**2),
            zero,
            ">",
            share**2 + share * (T**2 / 4 - 1 - 1 / T**2),
        ),
        *held_up(
            "elasticity",
            "it is no more than there,",
            -elasticity(at),
            inferred(
                "elasticity falls",
                "which is not positive:",
                sp.Derivative(elasticity(T) - elasticity(at), g),
                ">=",
                zero,
                *("slope of e", "rest", "D"),
                Use("e^{2 g}", weight=-share * T**2 / 4),
                Use("e^{-2 g}", weight=-share * epsilon**2 / T**2),
                Use("eps^2", weight=-share / T**2),
            ),
            "from the shift T on",
        ),
        inferred(
            "e below b",
            "at most b of T.",
            elasticity(at),
            "<=",
            cap(T),
            *(Use("elasticity", weight=-1), Use("below the cap at T", weight=-cap(T) / R), "R"),
        ),
        Step(
            "slope of the excess",
            "The logarithm less b has in g the slope",
            sp.Derivative(beyond_cap(at), g),
            -2 * elasticity(at) + at**2 / 2 + 2 * epsilon**2 / at**2,
        ),
        Step("spread", "Positive.", spread, zero, ">", spread),
        *held_up(
            "excess",
            "is no less than there.",
            beyond_cap(at),
            inferred(
                "excess rises",
                "which is not negative:",
                sp.Derivative(beyond_cap(at) - beyond_cap(T), g),
                ">=",
                zero,
                *("slope of the excess", "spread"),
                Use("e below b", weight=-2),
                Use("e^{2 g}", weight=-(T**2) / 2),
                Use("eps^2", weight=-2 / T**2),
            ),
            "from the shift T on it",
        ),
        Step(
            "slope of both",
            "F times the room has in g the slope",
            sp.Derivative(divergence(at) * room(at), g),
            at * density(at) * beyond_cap(at),
        ),
        *held_up(
            "both",
            "it is no less than there.",
            divergence(at) * room(at),
            inferred(
                "both rise",
                "which is positive:",
                sp.Derivative(divergence(at) * room(at) - divergence(T) * room(T), g),
                ">=",
                zero,
                "slope of both",
                *(Use(name, weight=at * density(at)) for name in ("excess", "above the cap at T", "least > 0")),
            ),
            "from the shift T on",
        ),
        inferred(
            "floor",
            "At least l R, as F < 1.",
            room(at),
            ">=",
            FLOOR,
            *(Use("both", weight=1 / D), Use("room at T", weight=R / D)),
            *(Use("F < 1", at={t: at}, weight=-R * least / D), "D", "l", "R"),
        ),
    )
    return _derivation(
        "large_shifts",
        "Room beyond one shift",
        "floor",
        "room from the shift 3.05 on",
        steps,
        Fault("slope of e doubled", "slope of e", lambda rhs: 2 * rhs),
        Fault("slope of both doubled", "slope of both", lambda rhs: 2 * rhs),
        Fault("e below b - 1", "e below b", lambda rhs: rhs - 1),
    )


def _positive_at(shift: Any, weight: int = 0) -> Use:
    return Use("F > 0", of=at_one_shift, at={t: shift}, weight=weight)


_POSITIVE_AT_0 = Use("F at T, eps = 0", of=at_one_shift, weight=0)


@cache
def every_shift() -> Derivation:
    """At every shift T e^z the elasticity is less than 2 log(1.25/F).

    `number`: a number that the room is not less than, at `epsilon`.
    """
    steps = (
        *(
            inferred(
                name,
                why,
                FLOOR,
                "<=",
                room(T * sp.exp(power)),
                Use("floor", of=lemma, at={g: distance}, weight=-1),
                *(_positive_at(T * sp.exp(power)), *divided),
            )
            for name, why, power, distance, lemma, divided in (
                ("above", "Beyond T there is that much room,", below, below, large_shifts, [_POSITIVE_AT_0]),
                ("below", "and up to T.", -beyond, beyond, small_shifts, []),
            )
        ),
        inferred("F > 0", "F is positive.", divergence(T * sp.exp(z)), ">", zero, _positive_at(T * sp.exp(z), 1)),
        by_fact(
            "floor",
            "So there is at every shift,",
            "both sides of an edge",
            {"f": FLOOR, "g": room(T * sp.exp(z)), "argument": z, "edge": zero},
            {"above": "above", "below": "below"},
            premises=("F > 0",),
        ),
        inferred("F at T", "F is positive,", divergence(T), ">", zero, _positive_at(T, 1)),
        named(R, "R is F at T.", divergence(T), "F at T"),
        inferred(
            "positive",
            "and the room is.",
            room(T * sp.exp(z)),
            ">",
            zero,
            *(Use("floor", weight=-1), Use("least", of=at_one_shift, weight=R), "R"),
        ),
    )
    return _derivation(
        "every_shift",
        "The elasticity of the divergence of a mean shift is less than 2 log(1.25/delta)",
        "positive",
        "the elasticity of delta is less than 2 log(1.25/delta)",
        steps,
        Fault("room of 1", "positive", lambda rhs: one),
        Fault("twice the floor", "above", lambda rhs: 2 * rhs),
    )
