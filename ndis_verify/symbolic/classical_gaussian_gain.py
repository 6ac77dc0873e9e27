"""How the smallest std as a share of the classical one changes in delta."""

from __future__ import annotations

from functools import cache
from typing import Any

import sympy as sp

from ndis_verify.symbolic import mean_shift
from ndis_verify.symbolic.classical_gaussian_order import (
    LEAST,
    closed_form,
    delta,
    deviations,
    epsilon,
    j,
    k,
    level,
    m,
    n,
    one,
    reached,
    target_steps,
    zero,
)
from ndis_verify.symbolic.derivation import Conclusion, Derivation, Fault, Hypothesis, Step, Use
from ndis_verify.symbolic.fact_steps import by_fact, inferred, named
from ndis_verify.symbolic.mean_shift_elasticity import MOST, T, at_one_shift, divergence, room, t
from ndis_verify.symbolic.mean_shift_room import AT_MOST_1, every_shift, z

share = sp.Symbol("s", positive=True)
F, G = sp.symbols("F G", positive=True)
ENOUGH = Hypothesis("delta_shift(eps/(s a); eps) <= delta", sp.Le(reached(share * deviations(delta), epsilon), delta))


def _squares(at: Any) -> Any:
    """Of the shift at a share of the classical std, eps/(share c), the square times log(1.25/F)."""
    return at**2 * sp.log(MOST / divergence(at))


def _reached_at(name: str, symbol: sp.Symbol, at: Any) -> tuple[Step, ...]:
    """F, a positive number, is what `at` deviations reach."""
    return (
        inferred(
            f"{name} > 0",
            "Positive,",
            divergence(epsilon / at),
            ">",
            zero,
            Use("F > 0", of=at_one_shift, at={t: epsilon / at}),
        ),
        named(symbol, f"{symbol} is what these deviations reach.", divergence(epsilon / at), f"{name} > 0"),
    )


@cache
def least_share_in_delta() -> Derivation:
    """A share s of the classical std that is enough at delta is more than enough at a larger y, for eps <= 1
    (BW-Fig1-monotone).

    `number`: the slope of t^2 log(1.25/F) in log t, F what the shift t = T e^z reaches, at `epsilon` and `z`.
    """
    most = sp.Rational(999999, 10**6)
    at = T * sp.exp(z)
    many, few = share * (LEAST + k + j), share * (LEAST + k)
    low, high = (sp.log(epsilon / (T * one_)) for one_ in (many, few))
    steps = (
        Step("digits", "0.999999 is less than 1,", one, most, ">", 1 - most),
        inferred("y < 1", "so is y.", level, "<", one, Use("digits", weight=-1), Use("y <= 0.999999")),
        *target_steps(),
        inferred("1/y", "y = 1/(1 + m),", level, "=", 1 / (1 + m), "m"),
        inferred("1/delta", "delta = y/(1 + n).", delta, "=", 1 / ((1 + m) * (1 + n)), *("n", "1/y")),
        *(
            step
            for name, number, logs, known in (
                ("y", level, sp.log(MOST) + sp.log(1 + m), "1/y"),
                ("delta", delta, sp.log(MOST) + sp.log(1 + m) + sp.log(1 + n), "1/delta"),
            )
            for step in (
                Step(f"logarithms, {name}", "Positive are", logs, zero, ">", logs),
                inferred(
                    f"log(1.25/{name})",
                    "and with them",
                    sp.log(MOST / number),
                    ">",
                    zero,
                    *(f"logarithms, {name}", known),
                ),
            )
        ),
        inferred("F > 0", "F is positive.", divergence(at), ">", zero, Use("F > 0", of=at_one_shift, at={t: at})),
        Step("slope", "t^2 log(1.25/F) has in log t the slope", sp.Derivative(_squares(at), z), at**2 * room(at)),
        inferred(
            "rises",
            "which is positive:",
            sp.Derivative(_squares(at), z),
            ">",
            zero,
            *("slope", Use("positive", of=every_shift, weight=at**2), Use("F > 0", weight=0)),
        ),
        Step("order", "less at more deviations", high, low, ">", sp.log(1 + j / (LEAST + k))),
        *_reached_at("at delta", F, many),
        *_reached_at("at y", G, few),
        by_fact(
            "two values",
            "it is less.",
            "a rising function at two points",
            {"f": _squares(at), "argument": z, "low": low, "high": high},
            {"rises": "rises", "order": "order"},
        ),
        inferred(
            "at both",
            "In F and G,",
            (epsilon / many) ** 2 * sp.log(MOST / F),
            "<",
            (epsilon / few) ** 2 * sp.log(MOST / G),
            *("two values", "F", "G"),
        ),
        Step("F/delta", "Positive.", F / delta, zero, ">", F / delta),
        inferred(
            "enough",
            "F is at most delta,",
            reached(many, epsilon),
            "<=",
            delta,
            *(Use(ENOUGH.text), "j", "k", "1/delta", Use("log(1.25/delta)", weight=0)),
        ),
        inferred("F at most delta", "that is,", F, "<=", delta, *("enough", closed_form(many, epsilon), "F")),
        by_fact(
            "log F",
            "and so is its logarithm.",
            "logarithm below its tangent",
            {"y": F / delta},
            {"positive": "F/delta"},
        ),
        inferred(
            "square at delta",
            "c^2 = 2 log(1.25/delta) are the deviations at delta:",
            (epsilon / many) ** 2 * sp.log(MOST / F),
            ">=",
            epsilon**2 / (2 * share**2),
            Use("log F", weight=-((epsilon / many) ** 2)),
            Use("F at most delta", weight=-((epsilon / many) ** 2) / delta),
            *("1/delta", "j", "k"),
        ),
        inferred(
            "log y/G",
            "as those at y are, G is less than y,",
            sp.log(level / G),
            ">",
            zero,
            Use("at both", weight=-((few / epsilon) ** 2)),
            Use("square at delta", weight=(few / epsilon) ** 2),
            *("1/y", "k"),
        ),
        Step("y/G", "Positive.", level / G, zero, ">", level / G),
        by_fact(
            "tangent at y/G",
            "as a logarithm is below its tangent:",
            "logarithm below its tangent",
            {"y": level / G},
            {"positive": "y/G"},
        ),
        inferred(
            "G < y",
            "that is,",
            G,
            "<",
            level,
            *(Use(name, weight=w) for name, w in (("log y/G", -G), ("tangent at y/G", G))),
        ),
        inferred(
            "less",
            "what the deviations at y reach,",
            reached(few, epsilon),
            "<",
            level,
            *("G < y", closed_form(few, epsilon), "G"),
        ),
        inferred(
            "more than enough",
            "at s of them.",
            reached(share * deviations(level), epsilon),
            "<",
            level,
            *("less", "k", "1/y", Use("log(1.25/y)", weight=0)),
        ),
    )
    names = {"eps": epsilon, "delta": delta, "y": level, "s": share}
    return Derivation(
        id="classical_gaussian_gain.least_share_in_delta",
        title="The smallest std as a share of the classical one falls in delta",
        sources=("BW-Fig1-monotone",),
        hypotheses=(
            mean_shift.DEFINITE,
            AT_MOST_1,
            Hypothesis("delta < y", level > delta),
            Hypothesis("y <= 0.999999", level <= most),
            ENOUGH,
        ),
        steps=steps,
        result_step="slope",
        symbols={"epsilon": epsilon, "z": z},
        faults=(
            Fault("slope doubled", "slope", lambda rhs: 2 * rhs),
            Fault("half of y", "more than enough", lambda rhs: rhs / 2),
            Fault("twice the square", "square at delta", lambda rhs: 2 * rhs),
            Fault("delta up to 2", "digits", lambda rhs: sp.Integer(2)),
        ),
        concludes=(Conclusion("BW-Fig1-monotone", "more than enough", names),),
    )
