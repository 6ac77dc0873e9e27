"""How the classical std's waste changes: against the delta it reaches in eps and in delta, against the smallest std in
eps.

The deviations are c = sqrt(2 log(1.25/delta)), the shift is eps/c, or eps/(s c) at a share s of the classical std.
"""

from __future__ import annotations

from functools import cache

import sympy as sp

from ndis_verify.symbolic import mean_shift
from ndis_verify.symbolic.derivation import Conclusion, Derivation, Fault, Hypothesis, Step, Use
from ndis_verify.symbolic.fact_steps import by_fact, inferred, named
from ndis_verify.symbolic.mills_ratio import mills_steps, x
from ndis_verify.symbolic.special_functions import Phi, phi
from ndis_verify.symbolic.statement_terms import quantity

epsilon, larger, c, h = sp.symbols("epsilon x c h", positive=True)
delta, level = sp.symbols("delta y", positive=True)
m, n, k, j = sp.symbols("m n k j", positive=True)
zero, one = sp.Integer(0), sp.Integer(1)
LEAST = sp.Rational(2, 3)  # less than c at delta = 1


def closed(at: sp.Expr, eps: sp.Expr) -> sp.Expr:
    """The delta that `at` deviations reach."""
    return Phi(eps / (2 * at) - at) - sp.exp(eps) * Phi(-eps / (2 * at) - at)


def reached(at: sp.Expr, eps: sp.Expr) -> sp.Expr:
    """The same, as a divergence."""
    return quantity("mean_shift", eps / at, eps)


def bracket(at: sp.Expr, eps: sp.Expr) -> sp.Expr:
    """Where it is positive, the delta reached falls faster than delta in the deviations."""
    return eps / at**3 * phi(eps / (2 * at) - at) - closed(at, eps)


def closed_form(at: sp.Expr, eps: sp.Expr) -> Use:
    """That `reached` is `closed`."""
    return Use("closed form", of=mean_shift.hockey_stick, at={mean_shift.shift: eps / at, mean_shift.epsilon: eps})


def deviations(target: sp.Expr) -> sp.Expr:
    return sp.sqrt(2 * sp.log(sp.Rational(5, 4) / target))


@cache
def reached_in_epsilon() -> Derivation:
    """The delta that c deviations reach rises in eps, for every c > 0 (N24-Fig7-monotone, BW-Fig1-monotone).

    `number`: its slope, at `epsilon` and `c`.
    """
    half_width = epsilon / (2 * c)
    far = c + half_width
    slope = sp.exp(epsilon) * (phi(far) / c - Phi(-far))
    more = sp.exp(epsilon) * phi(far) * half_width / (c * far)
    steps = (
        *mills_steps()[:3],  # the upper bound
        Step(
            "slope",
            "As e^eps phi(c + eps/(2c)) = phi(c - eps/(2c)), the slope of the closed form is",
            lhs=sp.Derivative(closed(c, epsilon), epsilon),
            rhs=slope,
        ),
        Step("more", "a positive term", lhs=more, rhs=zero, relation=">", witness=more),
        inferred(
            "rises",
            "more than a multiple of the upper Mills bound's gap: it is positive,",
            sp.Derivative(reached(c, epsilon), epsilon),
            ">",
            zero,
            Use("upper Mills bound", at={x: far}, weight=sp.exp(epsilon)),
            *("more", closed_form(c, epsilon), "slope"),
        ),
        by_fact(
            "larger eps",
            "and a larger eps reaches more.",
            "a rising function at two points",
            {"f": reached(c, epsilon), "argument": epsilon, "low": epsilon, "high": larger},
            {"rises": "rises", "order": "eps < x"},
        ),
    )
    return Derivation(
        id="classical_gaussian_order.reached_in_epsilon",
        title="The delta that so many deviations reach rises in eps",
        sources=("N24-Fig7-monotone", "BW-Fig1-monotone"),
        hypotheses=(mean_shift.DEFINITE, Hypothesis("eps < x", larger > epsilon)),
        steps=steps,
        result_step="slope",
        symbols={"epsilon": epsilon, "c": c},
        faults=(
            Fault("factor e^eps dropped", "slope", lambda rhs: rhs * sp.exp(-epsilon)),
            Fault("tail of the other side", "slope", lambda rhs: sp.exp(epsilon) * (phi(far) / c - Phi(far))),
            Fault("half of the term", "rises", lambda rhs: more),
        ),
        concludes=tuple(
            Conclusion(claim, "larger eps", part="in eps, at any deviations")
            for claim in ("N24-Fig7-monotone", "BW-Fig1-monotone")
        ),
    )


def target_steps() -> tuple[Step, ...]:
    """delta < y < 1 through positive numbers: c is 2/3 + k at y, 2/3 + k + j at delta."""
    at_level = sp.sqrt(2 * (sp.log(sp.Rational(5, 4)) + sp.log(1 + m)))
    at_delta = sp.sqrt(2 * (sp.log(sp.Rational(5, 4)) + sp.log(1 + m) + sp.log(1 + n)))
    known = 2 * sp.log(sp.Rational(5, 4)) - LEAST**2
    return (
        named(m, "m = 1/y - 1.", 1 / level - 1, "y < 1"),
        named(n, "n = y/delta - 1.", level / delta - 1, "delta < y"),
        Step(
            "above the least",
            "The deviations at y are more than 2/3,",
            at_level,
            LEAST,
            ">",
            known * (1 + 2 * sp.log(1 + m) / known) / (at_level + LEAST),
        ),
        Step(
            "above those",
            "those at delta are more again.",
            at_delta,
            at_level,
            ">",
            2 * sp.log(1 + n) / (at_delta + at_level),
        ),
        named(k, "k is the one surplus,", at_level - LEAST, "above the least"),
        named(j, "j the other.", at_delta - at_level, "above those"),
    )


@cache
def reached_share() -> Derivation:
    """(delta reached at the classical std)/delta increases in eps <= 1 and in delta (N24-Fig7-monotone).

    `number`: the slope in h of what makes it fall in c = (2/3) e^h, at `epsilon` and `h`.
    """
    at = LEAST * sp.exp(h)
    half_width = epsilon / (2 * at)
    weight = epsilon * phi(half_width - at) / at**3
    low, high = (sp.log(1 + surplus / LEAST) for surplus in (k, k + j))
    growth = sp.Rational(4, 5) * sp.exp(at**2 / 2)  # 1/delta
    rest = (12 * LEAST**2 - 1) / (4 * at**2)
    logs_at_level = sp.log(sp.Rational(5, 4)) + sp.log(1 + m)
    logs = logs_at_level + sp.log(1 + n)
    steps = (
        *target_steps(),
        inferred("1/y", "y = 1/(1 + m),", level, "=", 1 / (1 + m), "m"),
        inferred("1/delta", "delta = y/(1 + n).", delta, "=", 1 / ((1 + m) * (1 + n)), *("n", "1/y")),
        Step("logarithms", "Positive are", logs, zero, ">", logs),
        inferred(
            "log(1.25/delta)",
            "and with them",
            sp.log(sp.Rational(5, 4) / delta),
            ">",
            zero,
            *("logarithms", "1/delta"),
        ),
        Step("logarithms at y", "and", logs_at_level, zero, ">", logs_at_level),
        inferred(
            "log(1.25/y)",
            "at y, too:",
            sp.log(sp.Rational(5, 4) / level),
            ">",
            zero,
            *("logarithms at y", "1/y"),
        ),
        inferred(
            "in eps",
            "A larger eps reaches more, delta held.",
            reached(deviations(delta), epsilon) / delta,
            "<",
            reached(deviations(delta), larger) / delta,
            Use("larger eps", of=reached_in_epsilon, at={c: LEAST + k + j}, weight=1 / delta),
            *("1/delta", "j", "k", Use("log(1.25/delta)", weight=0)),
        ),
        inferred("eps < 1", "eps is less than 1,", epsilon, "<", one, Use("eps < x", weight=-1), Use("x <= 1")),
        by_fact(
            "e^{2 h}",
            "e^{2 h} is no less than 1,",
            "exponentials keep the order",
            {"a": zero, "b": 2 * h},
            {"order": Step("h > 0", "h is positive.", zero, 2 * h, "<=", -2 * h)},
        ),
        Step("rest", "and 12 c^2 = (16/3) e^{2 h} more than 1,", rest, zero, ">", rest),
        inferred(
            "room",
            "so that (eps/(2c))^2 is less than 3.",
            half_width**2,
            "<",
            sp.Integer(3),
            Use("eps < 1", weight=(1 + epsilon) / (4 * at**2)),
            Use("e^{2 h}", weight=3 * LEAST**2 / at**2),
            Use("rest", weight=-1),
        ),
        Step(
            "slope",
            "With c = (2/3) e^h, (eps/c^3) phi(eps/(2c) - c) less the closed form has, as the densities at both edges"
            " are one, in h the slope",
            lhs=sp.Derivative(bracket(at, epsilon), h),
            rhs=weight * (half_width**2 - 3),
        ),
        inferred(
            "bracket falls",
            "which is negative,",
            sp.Derivative(bracket(at, epsilon), h),
            "<",
            zero,
            *("slope", Use("room", weight=weight)),
        ),
        Step("bracket ends", "and tends to 0:", lhs=sp.Limit(bracket(at, epsilon), h, sp.oo), rhs=zero),
        by_fact(
            "bracket",
            "it is positive.",
            "falls to 0",
            {"f": bracket(at, epsilon), "argument": h},
            {"falls": "bracket falls", "end": "bracket ends"},
        ),
        Step(
            "slope in c",
            "By a multiple of it the share of delta = 1.25 e^{-c^2/2}",
            lhs=sp.Derivative(growth * closed(at, epsilon), h),
            rhs=-growth * at**2 * bracket(at, epsilon),
        ),
        inferred(
            "falls in c",
            "falls in c:",
            sp.Derivative(growth * reached(at, epsilon), h),
            "<",
            zero,
            *(closed_form(at, epsilon), "slope in c", Use("bracket", weight=-growth * at**2)),
        ),
        Step("two values", "of two of its values", high, low, ">", sp.log(1 + j / (LEAST + k))),
        by_fact(
            "at both",
            "it is less at the larger one,",
            "a falling function at two points",
            {"f": growth * reached(at, epsilon), "argument": h, "low": low, "high": high},
            {"falls": "falls in c", "order": "two values"},
        ),
        inferred(
            "in delta",
            "which is that of the smaller delta.",
            reached(deviations(delta), epsilon) / delta,
            "<",
            reached(deviations(level), epsilon) / level,
            *("at both", "1/delta", "1/y", "j", "k", Use("log(1.25/y)", weight=0)),
        ),
    )
    names = {"eps": epsilon, "x": larger, "delta": delta, "y": level}
    return Derivation(
        id="classical_gaussian_order.reached_share",
        title="The share of the claimed delta that the classical std reaches rises in eps and in delta",
        sources=("N24-Fig7-monotone",),
        hypotheses=(
            mean_shift.DEFINITE,
            Hypothesis("eps < x", larger > epsilon),
            Hypothesis("x <= 1", larger <= 1),
            Hypothesis("delta < y", level > delta),
            Hypothesis("y < 1", level < 1),
        ),
        steps=steps,
        result_step="slope",
        symbols={"epsilon": epsilon, "h": h},
        faults=(
            Fault("2 in place of 3", "slope", lambda rhs: weight * (half_width**2 - 2)),
            Fault("bracket that tends to 1", "bracket ends", lambda rhs: one),
            Fault("1.25 e^{-c^2}", "slope in c", lambda rhs: 2 * rhs),
            Fault("room up to 1", "room", lambda rhs: one / 4),
            Fault("share of the other delta", "in delta", lambda rhs: rhs * level / delta),
        ),
        concludes=tuple(Conclusion("N24-Fig7-monotone", end, names) for end in ("in eps", "in delta")),
    )


@cache
def least_share_in_epsilon() -> Derivation:
    """A share s of the classical std that is enough at eps is more than enough at a smaller x (BW-Fig1-monotone).

    `number`: delta, at `m` = 1/delta - 1.
    """
    share, smaller = sp.symbols("s x", positive=True)
    most = sp.Rational(999999, 10**6)
    at = share * deviations(delta)
    root = sp.sqrt(2 * (sp.log(sp.Rational(5, 4)) + sp.log(1 + m)))
    logs = sp.log(sp.Rational(5, 4)) + sp.log(1 + m)
    known = 2 * sp.log(sp.Rational(5, 4)) - LEAST**2
    enough = Hypothesis("delta_shift(eps/(s a); eps) <= delta", sp.Le(reached(at, epsilon), delta))
    steps = (
        Step("digits", "0.999999 is less than 1,", one, most, ">", 1 - most),
        inferred("y < 1", "so is y,", level, "<", one, Use("digits", weight=-1), Use("y <= 0.999999")),
        inferred("delta < 1", "and so is delta.", delta, "<", one, "y < 1", Use("delta < y", weight=-1)),
        named(m, "m = 1/delta - 1.", 1 / delta - 1, "delta < 1"),
        Step(
            "above 2/3",
            "The deviations at delta are more than 2/3,",
            root,
            LEAST,
            ">",
            known * (1 + 2 * sp.log(1 + m) / known) / (root + LEAST),
        ),
        named(k, "k is the surplus.", root - LEAST, "above 2/3"),
        inferred("delta", "delta = 1/(1 + m).", delta, "=", 1 / (1 + m), "m"),
        Step("logarithms", "Positive are", logs, zero, ">", logs),
        inferred(
            "log(1.25/delta)",
            "and with them",
            sp.log(sp.Rational(5, 4) / delta),
            ">",
            zero,
            *("logarithms", "delta"),
        ),
        inferred(
            "more than enough",
            "At s of them a smaller eps reaches less: less than delta.",
            reached(at, smaller),
            "<",
            delta,
            Use(
                "larger eps",
                of=reached_in_epsilon,
                at={c: share * (LEAST + k), epsilon: smaller, larger: epsilon},
                granted={"eps < x": "x < eps"},
            ),
            *(Use(enough.text), "delta", "k", Use("log(1.25/delta)", weight=0)),
        ),
    )
    names = {"eps": epsilon, "x": smaller, "delta": delta, "y": level, "s": share}
    return Derivation(
        id="classical_gaussian_order.least_share_in_epsilon",
        title="The smallest std as a share of the classical one rises in eps",
        sources=("BW-Fig1-monotone",),
        hypotheses=(
            mean_shift.DEFINITE,
            Hypothesis("x < eps", epsilon > smaller),
            Hypothesis("delta < y", level > delta),
            Hypothesis("y <= 0.999999", level <= most),
            enough,
        ),
        steps=steps,
        result_step="delta",
        symbols={"m": m},
        faults=(
            Fault("half of delta", "more than enough", lambda rhs: rhs / 2),
            Fault("delta up to 2", "digits", lambda rhs: sp.Integer(2)),
            Fault("the other sign of m", "delta", lambda rhs: 1 / (1 - m)),
            Fault("above 1", "above 2/3", lambda rhs: one),
        ),
        concludes=(Conclusion("BW-Fig1-monotone", "more than enough", names),),
    )
