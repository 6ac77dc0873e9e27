"""How accurate k counting queries are under the least valid Gaussian noise (SL-3)."""

from __future__ import annotations

from functools import cache

import sympy as sp

from ndis_verify.symbolic import mean_shift
from ndis_verify.symbolic.derivation import Conclusion, Derivation, Fault, Hypothesis, Step, Use
from ndis_verify.symbolic.fact_steps import by_fact, inferred, named, positive
from ndis_verify.symbolic.gaussian_mechanism import edge, profile, tail_bound
from ndis_verify.symbolic.special_functions import Phi, phi
from ndis_verify.symbolic.statement_terms import quantity

C, D, epsilon, beta, s, L = sp.symbols("C D epsilon beta s L", positive=True)
R, y = sp.symbols("R y", nonnegative=True)
k = sp.Symbol("k", integer=True, positive=True)
zero, one, half = sp.Integer(0), sp.Integer(1), sp.Rational(1, 2)
constant = 1 + sp.sqrt(2)
delta = quantity("mean_shift", D, epsilon)  # the target, as D is the largest valid shift
least = sp.sqrt(2) * epsilon / (constant * sp.sqrt(L))  # which D is not below
deviations = C * D * sp.sqrt(sp.log(1 / delta)) / epsilon
z = C * D * sp.sqrt(L) / epsilon
_ORDER = Hypothesis("C >= (1 + sqrt(2)) sqrt(log(k/beta))", sp.Ge(C, constant * sp.sqrt(sp.log(k / beta))))
_LEVEL = Hypothesis("eps <= log(1/delta)", sp.Le(epsilon, sp.log(1 / delta)))
_BELOW = Hypothesis("beta < 1", beta < 1)
_SLOPE = phi(s / 2 - epsilon / s)
_AT_D = {mean_shift.shift: D, mean_shift.epsilon: epsilon}


def _rise_steps() -> tuple[Step, ...]:
    """The closed form rises from 0, so that delta is positive."""
    return (
        Step(
            "two densities",
            "Its slope in the shift",
            lhs=sp.exp(epsilon) * phi(-s / 2 - epsilon / s),
            rhs=_SLOPE,
        ),
        positive("density", _SLOPE),
        inferred(
            "rises",
            "is a normal density,",
            sp.Derivative(profile(s, epsilon), s),
            ">",
            zero,
            *("density", "two densities"),
        ),
        Step("start", "and it starts at 0,", lhs=sp.Limit(profile(s, epsilon), s, 0, "+"), rhs=zero),
        by_fact(
            "above 0",
            "so that it is positive,",
            "rises from 0",
            {"f": profile(s, epsilon), "argument": s},
            {"rises": "rises", "start": "start"},
        ),
        inferred(
            "delta > 0",
            "as delta is.",
            delta,
            ">",
            zero,
            *(Use("above 0", at={s: D}), Use("closed form", of=mean_shift.hockey_stick, at=_AT_D)),
        ),
    )


def _level_steps() -> tuple[Step, ...]:
    """L = log(1/delta) > 0 and R = log(k/beta) >= 0."""
    return (
        positive("eps", epsilon),
        inferred(
            "L > 0",
            "As eps is positive, so is",
            sp.log(1 / delta),
            ">",
            zero,
            *(Use(_LEVEL.text, weight=-1), "eps", Use("delta > 0", weight=0)),
        ),
        named(L, "L = log(1/delta).", sp.log(1 / delta), "L > 0"),
        inferred("eps <= L", "As supposed.", epsilon, "<=", L, Use(_LEVEL.text), "L"),
        Step("k >= 1", "There is a query,", k, one, ">=", k - 1),
        by_fact(
            "log k",
            "log k is not negative,",
            "logarithms keep the order",
            {"a": one, "b": k, "c": one},
            {
                "order": Step("1 <= k", "As k >= 1.", one, k, "<=", 1 - k),
                "least": Step("1 >= 1", "1 is.", one, one, ">=", zero),
                "positive": Step("1 > 0", "1 is.", one, zero, ">", one),
            },
        ),
        by_fact(
            "log beta",
            "log beta <= beta - 1,",
            "logarithm below its tangent",
            {"y": beta},
            {"positive": positive("beta", beta)},
        ),
        inferred(
            "R >= 0",
            "so that log(k/beta) is not negative.",
            sp.log(k / beta),
            ">=",
            zero,
            *(Use("log k", weight=-1), Use("log beta", weight=-1), Use(_BELOW.text, weight=-1)),
        ),
        named(R, "R = log(k/beta).", sp.log(k / beta), "R >= 0"),
        inferred("C", "C is at least (1 + sqrt 2) sqrt R.", C, ">=", constant * sp.sqrt(R), Use(_ORDER.text), "R"),
    )


def _shift_steps() -> tuple[Step, ...]:
    """D is at least sqrt(2) eps/((1 + sqrt 2) sqrt L): at that shift less than delta is reached."""
    threshold = epsilon / least - least / 2
    second = sp.exp(epsilon) * Phi(-least / 2 - epsilon / least)
    return (
        inferred(
            "threshold",
            "At this shift the threshold is beyond sqrt(2 L),",
            threshold,
            ">=",
            sp.sqrt(2 * L),
            Use("eps <= L", weight=-1 / (sp.sqrt(2) * constant * sp.sqrt(L))),
        ),
        positive("root", sp.sqrt(2 * L)),
        inferred("threshold > 0", "not negative,", threshold, ">=", zero, "threshold", "root"),
        named(y, "by its name,", threshold, "threshold > 0"),
        inferred("y >= sqrt(2 L)", "as said,", y, ">=", sp.sqrt(2 * L), "threshold", "y"),
        positive("second term", second),
        inferred(
            "first tail",
            "and the closed form below a normal tail,",
            profile(least, epsilon),
            "<=",
            sp.exp(-(y**2) / 2) / 2,
            *(Use("second term", weight=-1), Use("bound", of=tail_bound, at={edge: y}), "y"),
        ),
        by_fact(
            "tail in L",
            "e^{-y^2/2} <= e^{-L}.",
            "exponentials keep the order",
            {"a": -(y**2) / 2, "b": -L},
            {
                "order": inferred(
                    "y^2",
                    "y >= sqrt(2 L).",
                    -(y**2) / 2,
                    "<=",
                    -L,
                    *(Use("y >= sqrt(2 L)", weight=-(y + sp.sqrt(2 * L)) / 2),),
                )
            },
        ),
        positive("half of it", sp.exp(-L) / 2),
        inferred("delta", "e^{-L} is delta,", sp.exp(-L), "=", delta, "L"),
        inferred(
            "at D",
            "which the closed form is at D.",
            profile(D, epsilon),
            "=",
            sp.exp(-L),
            *("delta", Use("closed form", of=mean_shift.hockey_stick, at=_AT_D)),
        ),
        inferred(
            "values",
            "So it is larger at D, and rises with the shift:",
            profile(D, epsilon),
            ">=",
            profile(least, epsilon),
            *(Use("first tail", weight=-1), Use("tail in L", weight=-half), "half of it", "at D"),
        ),
        by_fact(
            "D",
            "D is not below that shift.",
            "a rising function, two values",
            {"f": profile(s, epsilon), "argument": s, "low": least, "high": D},
            {"rises": "rises", "values": "values"},
        ),
    )


def _failure_steps() -> tuple[Step, ...]:
    """1 - (1 - 2 Phi(-z))^k <= k e^{-z^2/2} <= beta."""
    scale = sp.sqrt(L) / epsilon
    return (
        inferred(
            "z",
            "So alpha is at least sqrt(2 R) deviations.",
            z,
            ">=",
            sp.sqrt(2) * sp.sqrt(R),
            *(Use("D", weight=C * scale), Use("C", weight=scale * least)),
        ),
        by_fact(
            "tail in R",
            "e^{-z^2/2} <= e^{-R},",
            "exponentials keep the order",
            {"a": -(z**2) / 2, "b": -R},
            {
                "order": inferred(
                    "z^2",
                    "z >= sqrt(2 R).",
                    -(z**2) / 2,
                    "<=",
                    -R,
                    Use("z", weight=-(z + sp.sqrt(2) * sp.sqrt(R)) / 2),
                )
            },
        ),
        inferred("e^{-R}", "which is beta/k.", sp.exp(-R), "=", beta / k, "R"),
        inferred(
            "one query",
            "One query fails with at most that probability,",
            Phi(-z),
            "<=",
            beta / k / 2,
            *(Use("bound", of=tail_bound, at={edge: z}), Use("tail in R", weight=half), "e^{-R}"),
        ),
        inferred(
            "half",
            "which is no more than 1.",
            -2 * Phi(-z),
            ">=",
            -one,
            *(Use("one query", weight=-2), Use(_BELOW.text, weight=-1 / k), Use("k >= 1", weight=1 / k)),
        ),
        by_fact(
            "all of them",
            "The k noises are independent: all are small with the k-th power of the probability of one.",
            "Bernoulli's inequality",
            {"y": -2 * Phi(-z), "k": k},
            {"size": "half", "count": "k >= 1"},
        ),
        inferred(
            "failure",
            "So some is large with a probability of at most beta.",
            1 - (1 - 2 * Phi(-z)) ** k,
            "<=",
            beta,
            *(Use("all of them", weight=-1), Use("one query", weight=2 * k)),
        ),
        inferred(
            "statement",
            "In the statement's letters.",
            1 - (1 - 2 * Phi(-deviations)) ** k,
            "<=",
            beta,
            *("failure", "L"),
        ),
    )


@cache
def with_the_logarithm() -> Derivation:
    """1 - (1 - 2 Phi(-z))^k <= beta, z = C D sqrt(log(1/delta))/eps, for C >= (1 + sqrt 2) sqrt(log(k/beta)) and eps <=
    log(1/delta) (SL-3).

    `number`: the share of a failed query, beta/(2 k), at `k` and `beta`.
    """
    return Derivation(
        id="counting_accuracy.with_the_logarithm",
        title="Accuracy of k counting queries, with the logarithm of k that it takes",
        sources=("SL-3",),
        hypotheses=(mean_shift.DEFINITE, _ORDER, _LEVEL, _BELOW),
        steps=(*_rise_steps(), *_level_steps(), *_shift_steps(), *_failure_steps()),
        result_step="one query",
        symbols={"k": k, "beta": beta},
        faults=(
            Fault("constant sqrt 2", "z", lambda rhs: 2 * rhs),
            Fault("threshold at sqrt L", "threshold", lambda rhs: 2 * rhs),
            Fault("a tenth of beta", "failure", lambda rhs: rhs / 10),
            Fault("tail of a quarter", "first tail", lambda rhs: rhs / 2),
            Fault("slope of the other sign", "two densities", lambda rhs: -rhs),
        ),
        concludes=(Conclusion("SL-3", "statement", {"C": C, "D": D, "eps": epsilon, "beta": beta, "k": k}),),
    )
