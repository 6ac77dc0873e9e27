"""Differences of two normal quantiles: of one threshold, of limits of two errors, of a subsampled pair."""

from __future__ import annotations

from functools import cache
from typing import Any

import sympy as sp

from ndis_verify.symbolic.derivation import Conclusion, Derivation, Fault, Hypothesis, Step, Use
from ndis_verify.symbolic.fact_steps import by_fact
from ndis_verify.symbolic.special_functions import Phi, phi
from ndis_verify.symbolic.statement_terms import quantity

std = sp.Symbol("s", positive=True)
z, x = sp.symbols("z x", real=True)
zero, one = sp.Integer(0), sp.Integer(1)


def quantile(probability: Any) -> Any:
    """Phi^-1."""
    return quantity("Phi_inverse", probability)


def _quantile_of(name: str, at: sp.Expr, why: str) -> Step:
    return by_fact(name, why, "quantile of a normal probability", {"x": at}, {})


def _less(name: str, why: str, left: Any, right: Any, *premises: str | Use, relation: str = "<=") -> Step:
    return Step(name, why, lhs=left, rhs=right, relation=relation, kind="inference", premises=premises)


@cache
def one_threshold() -> Derivation:
    """Phi^-1(1 - alpha) - Phi^-1(beta) = 1/s at alpha = 1 - Phi(z/s), beta = Phi((z - 1)/s), for every z (KM-eq3.1).

    `number`: that difference, at `std`.
    """
    steps = (
        _quantile_of("first", z / std, "alpha = 1 - Phi(z/s),"),
        _quantile_of("second", (z - 1) / std, "beta = Phi((z - 1)/s),"),
        Step(
            "any threshold",
            "and z cancels.",
            lhs=quantile(Phi(z / std)) - quantile(Phi((z - 1) / std)),
            rhs=1 / std,
            kind="inference",
            premises=("first", "second"),
        ),
    )
    return Derivation(
        id="normal_quantiles.one_threshold",
        title="One threshold tells how far two normal laws are apart",
        sources=("KM-eq3.1",),
        hypotheses=(Hypothesis("s > 0", std > 0),),
        steps=steps,
        result_step="any threshold",
        symbols={"std": std},
        faults=(
            Fault("variance for standard deviation", "any threshold", lambda rhs: rhs**2),
            Fault("half of it", "any threshold", lambda rhs: rhs / 2),
        ),
        concludes=(Conclusion("KM-eq3.1", "any threshold", {"s": std, "z": z}),),
    )


@cache
def limits_of_errors() -> Derivation:
    """Phi^-1(1 - A) - Phi^-1(B) <= mu where A and B are upper limits of the errors of a test of a mu-GDP pair
    (KM-eq2.4).

    `number`: mu, which the difference does not exceed.
    """
    alpha, beta = sp.symbols("alpha beta", positive=True)
    first, second, mu = sp.symbols("A B mu", real=True)
    known = quantile(1 - alpha) - mu
    steps = (
        _less("1 - A", "A >= alpha lowers 1 - A,", 1 - first, 1 - alpha, Use("alpha <= A")),
        _less("1 - A positive", "which is positive", 1 - first, zero, Use("A < 1", weight=-1), relation=">"),
        _less("1 - alpha below 1", "and below 1.", 1 - alpha, one, Use("alpha positive", weight=-1), relation="<"),
        by_fact(
            "first quantile",
            "So its quantile is at most that of 1 - alpha.",
            "normal quantiles keep the order",
            {"a": 1 - first, "b": 1 - alpha},
            {"order": "1 - A", "above 0": "1 - A positive", "below 1": "1 - alpha below 1"},
        ),
        by_fact("test", "Phi^-1(beta) is at least", "a quantile and its probability", {"x": known, "y": beta}, _TEST),
        by_fact(
            "second quantile",
            "and B >= beta raises it.",
            "normal quantiles keep the order",
            {"a": beta, "b": second},
            {"order": "beta <= B", "above 0": "beta positive", "below 1": "B < 1"},
        ),
        _less(
            "lower limit",
            "Added up.",
            quantile(1 - first) - quantile(second),
            mu,
            "first quantile",
            "second quantile",
            Use("test", weight=-1),
        ),
    )
    below = _less("beta below 1", "beta <= B < 1.", beta, one, Use("beta <= B"), Use("B < 1"), relation="<")
    positive = [
        Step(f"{symbol} positive", "An error.", lhs=symbol, rhs=zero, relation=">", witness=symbol)
        for symbol in (alpha, beta)
    ]
    return Derivation(
        id="normal_quantiles.limits_of_errors",
        title="A lower limit for mu from upper limits of two errors",
        sources=("KM-eq2.4",),
        hypotheses=(
            Hypothesis("alpha <= A", alpha <= first),
            Hypothesis("A < 1", first < 1),
            Hypothesis("beta <= B", beta <= second),
            Hypothesis("B < 1", second < 1),
            Hypothesis(_ON_CURVE, sp.Ge(beta, Phi(known))),
        ),
        steps=(*positive, below, *steps),
        result_step="lower limit",
        symbols={"mu": mu},
        faults=(
            Fault("half of mu", "lower limit", lambda rhs: rhs / 2),
            Fault("alpha raised", "1 - A", lambda rhs: rhs - alpha),
        ),
        concludes=(
            Conclusion("KM-eq2.4", "lower limit", {"A": first, "B": second, "mu": mu, "alpha": alpha, "beta": beta}),
        ),
    )


_ON_CURVE = "beta >= Phi(Phi^-1(1 - alpha) - mu)"
_TEST = {"order": _ON_CURVE, "below 1": "beta below 1"}


@cache
def subsampled() -> Derivation:
    """q N(1, s^2) + (1-q) N(0, s^2) against N(0, s^2): at every threshold the quantiles differ by less than 1/s
    (KM-S3).

    `number`: 1/s, at `std`.
    """
    rate = sp.Symbol("q", positive=True)
    far, near = Phi(-z / std), Phi((1 - z) / std)  # FPR, and TPR of the pair that is not subsampled
    mixed = rate * near + (1 - rate) * far
    rest = sp.Symbol("r", positive=True)
    steps = (
        Step("rest", "r = 1 - q.", lhs=rest, rhs=1 - rate, kind="definition", premises=("q < 1",)),
        Step(
            "Phi increases",
            "Its slope is a density,",
            lhs=sp.Derivative(Phi(x), x),
            rhs=zero,
            relation=">",
            witness=phi(x),
        ),
        Step(
            "order of the thresholds",
            "and (1 - z)/s exceeds -z/s by 1/s.",
            lhs=(1 - z) / std,
            rhs=-z / std,
            relation=">",
            witness=1 / std,
        ),
        by_fact(
            "order of the rates",
            "So FPR is below the TPR of the pair that is not subsampled,",
            "a rising function at two points",
            {"f": Phi(x), "argument": x, "low": -z / std, "high": (1 - z) / std},
            {"rises": "Phi increases", "order": "order of the thresholds"},
        ),
        _less(
            "TPR",
            "a mixture of both is below the larger one,",
            mixed,
            near,
            Use("order of the rates", weight=rest),
            "rest",
            relation="<",
        ),
        Step(
            "both shares",
            "positive",
            lhs=rate * near + rest * far,
            rhs=zero,
            relation=">",
            witness=rate * near + rest * far,
        ),
        _less("TPR positive", "as both are,", mixed, zero, "both shares", "rest", relation=">"),
        Step(
            "other tail",
            "and below 1.",
            lhs=Phi(x),
            rhs=one,
            relation="<",
            witness=-Phi(-x),
            reduce=lambda left, right: (left - right - -Phi(-x)).rewrite(sp.erf) - Phi(-x),
        ),
        _less("below 1", "At (1 - z)/s.", near, one, Use("other tail", at={x: (1 - z) / std}), relation="<"),
        by_fact(
            "quantile of TPR",
            "So its quantile is below that of the larger one.",
            "normal quantiles keep the strict order",
            {"a": mixed, "b": near},
            {"order": "TPR", "above 0": "TPR positive", "below 1": "below 1"},
        ),
        _quantile_of("quantile of the larger one", (1 - z) / std, "That is (1 - z)/s,"),
        _quantile_of("quantile of FPR", -z / std, "and that of FPR -z/s."),
        _less(
            "below 1/s",
            "z cancels.",
            quantile(mixed) - quantile(far),
            1 / std,
            "quantile of TPR",
            "quantile of the larger one",
            "quantile of FPR",
            relation="<",
        ),
    )
    return Derivation(
        id="normal_quantiles.subsampled",
        title="Subsampling a normal pair: no threshold shows the full difference of its means",
        sources=("KM-S3",),
        hypotheses=(Hypothesis("s > 0", std > 0), Hypothesis("q < 1", rate < 1)),
        steps=steps,
        result_step="below 1/s",
        symbols={"std": std},
        faults=(
            Fault("half of it", "below 1/s", lambda rhs: rhs / 2),
            Fault("the smaller rate", "TPR", lambda rhs: far),
        ),
        concludes=(Conclusion("KM-S3-corrected", "below 1/s", {"s": std, "z": z, "q": rate}),),
    )
