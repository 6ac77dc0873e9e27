"""What a deletion costs beside the ridges of other authors, and beside one set by mutual information (N24-Fig14)."""

from __future__ import annotations

from functools import cache
from typing import Any

import sympy as sp

from ndis_verify.symbolic import random_projection_pairs as pairs
from ndis_verify.symbolic.chi_square_hinges import r
from ndis_verify.symbolic.derivation import Conclusion, Derivation, Fault, Hypothesis, Step, Use
from ndis_verify.symbolic.eigenvalue_threshold import (
    LIMIT,
    above,
    below_the_target,
    big,
    bracket,
    delta,
    epsilon,
    product,
)
from ndis_verify.symbolic.fact_steps import by_fact, inferred, named, positive
from ndis_verify.symbolic.random_projection import leverage, odds
from ndis_verify.symbolic.random_projection_curve import deletion_curve
from ndis_verify.symbolic.random_projection_curve import epsilon as any_epsilon
from ndis_verify.symbolic.special_functions import Qg
from ndis_verify.symbolic.statement_terms import quantity

zero, one, half = sp.Integer(0), sp.Integer(1), r / 2
A, C = sp.symbols("A C", positive=True)  # log(2/delta), log(16 r/delta)
beyond, gap = sp.symbols("v m", nonnegative=True)
place = sp.Symbol("x", positive=True)
anywhere = sp.Symbol("h", nonnegative=True)
_two, _sixteen, _four = sp.log(2 / delta), sp.log(16 * r / delta), sp.log(4 / delta)
_square = 256 * r * A * C**2 / epsilon**2  # w^2


def _cost(of: Any) -> Any:
    return quantity("projection", of, r, epsilon)


def _lemma(step: str, **more: Any) -> Use:
    return Use(step, of=below_the_target, **more)


def _logarithm_steps() -> tuple[Step, ...]:
    """A = log(2/delta) > L/2 and C = log(16 r/delta) > L, L = log(4/delta)."""
    return (
        by_fact(
            "log(delta)",
            "log(delta) <= delta - 1 < 0,",
            "logarithm below its tangent",
            {"y": delta},
            {"positive": positive("delta", delta, "As supposed.")},
        ),
        Step("log(2/delta)", "2 log(2/delta) = L - log(delta),", lhs=_two, rhs=(_four - sp.log(delta)) / 2),
        inferred(
            "more than half",
            "so that log(2/delta) > L/2.",
            *(_two, ">", big / 2),
            *("log(2/delta)", Use("log(delta)", weight=-sp.Rational(1, 2)), _lemma("L")),
            Use("delta < 1", weight=-sp.Rational(1, 2)),
        ),
        positive("L/2", big / 2, "L is positive,"),
        inferred("positive", "and so is this.", _two, ">", zero, "more than half", "L/2"),
        named(A, "A = log(2/delta),", _two, "positive"),
        inferred("A > L/2", "more than L/2.", A, ">", big / 2, "more than half", str(A)),
        Step("log r", "r is at least 1,", lhs=sp.log(r), rhs=zero, relation=">=", witness=sp.log(r)),
        Step(
            "log(16 r/delta)", "so log(16 r/delta) = L + log 4 + log r", lhs=_sixteen, rhs=_four + sp.log(4) + sp.log(r)
        ),
        positive("log 4", sp.log(4), "is more than L."),
        inferred("more than L", "In letters,", _sixteen, ">", big, "log(16 r/delta)", "log r", "log 4", _lemma("L")),
        positive("L", big, "positive,"),
        inferred("also positive", "too.", _sixteen, ">", zero, "more than L", "L"),
        named(C, "C = log(16 r/delta),", _sixteen, "also positive"),
        inferred("C > L", "more than L.", C, ">", big, "more than L", str(C)),
    )


def _ridge_steps() -> tuple[Step, ...]:
    """w^2 = 256 r A C^2/eps^2 is above the older ridge, 1/p."""
    cube = 128 * r * big**3 / epsilon**2
    return (
        inferred(
            "w^2 from below",
            "So w^2 > 128 r L^3/eps^2.",
            *(_square, ">", cube),
            Use("A > L/2", weight=256 * r * C**2 / epsilon**2),
            Use("C > L", weight=128 * r * big * (C + big) / epsilon**2),
        ),
        Step(
            "root",
            "sqrt(2 r L) <= (2 r L + 1)/2,",
            lhs=(2 * r * big + 1) / 2,
            rhs=sp.sqrt(2) * product,
            relation=">=",
            witness=(sp.sqrt(2) * product - 1) ** 2 / 2,
        ),
        inferred(
            "L > 3/4",
            "L is above 3/4,",
            *(big, ">", sp.Rational(3, 4)),
            *(_lemma("L"), _lemma("log(delta/4)", weight=-1)),
            Use("delta < 1", weight=-sp.Rational(1, 4)),
        ),
        Step("r", "r at least 1,", lhs=r, rhs=one, relation=">=", witness=r - 1),
        positive("12 r", 12 * r, "and 12 r > 0."),
        inferred(
            "enough",
            "So 32 r L^2 exceeds 3 (sqrt(2 r L) + L),",
            *(32 * r * big**2, ">", 3 * bracket),
            *(Use("root", weight=3), Use("L > 3/4", weight=r * (32 * big + 18)), "12 r"),
            Use("r", weight=3 * big + sp.Rational(3, 2)),
        ),
        inferred(
            "ridges in order",
            "and that of Blocki et al. the older ridge, eps <= 3 L.",
            *(cube, ">", 4 * bracket / epsilon),
            Use("enough", weight=4 * big / epsilon**2),
            _lemma("eps <= 3 L", weight=-4 * bracket / epsilon**2),
        ),
        positive("p > 0", leverage, "The older threshold p is positive,"),
        inferred(
            "p (1 + w^2)",
            "and p (1 + w^2) > 1.",
            *(leverage * (1 + _square), ">", one),
            *(Use("w^2 from below", weight=leverage), Use("ridges in order", weight=leverage), "p > 0", _lemma("p")),
        ),
        named(beyond, "v is what it is more.", leverage * (1 + _square) - 1, "p (1 + w^2)"),
    )


_GIVEN = (
    pairs.FULL_RANK,
    Hypothesis("delta < 1", delta < 1),
    Hypothesis(LIMIT, epsilon <= 3 * _four),
)
_NAMES = {"r": r, "eps": epsilon, "delta": delta}
_REST = positive("3/4 of delta", 3 * delta / 4, "delta/4 is below delta.")


@cache
def least_singular_value() -> Derivation:
    """`delta_delete(w, r; eps) < delta` at w = 1/(1 + 4 (sqrt(2 r L) + L)/eps), L = log(4/delta), for eps <= 3 L
    (N24-Fig14).

    `number`: the target, at `delta`.
    """
    stated = 1 / (1 + 4 * (sp.sqrt(2 * r * _four) + _four) / epsilon)
    steps = (
        _REST,
        inferred(
            "older ridge",
            "It leaves the leverage p/(1 + p), which is below p, where the cost is below delta/4.",
            *(_cost(stated), "<", delta),
            *(_lemma("every smaller leverage", at={above: leverage}), Use(_REST.name, weight=-1)),
            *(_lemma("p"), _lemma("L")),
        ),
    )
    return Derivation(
        id="older_ridges.least_singular_value",
        title="Above the ridge of the least-singular-value analysis a deletion costs less than the target",
        sources=("N24-Fig14",),
        hypotheses=_GIVEN,
        steps=steps,
        result_step="older ridge",
        symbols={"delta": delta},
        faults=(
            Fault("an eighth", "older ridge", lambda rhs: rhs / 8),
            Fault("less than nothing", "3/4 of delta", lambda rhs: delta),
        ),
        concludes=(Conclusion("N24-Fig14", "older ridge", _NAMES),),
    )


@cache
def blocki() -> Derivation:
    """`delta_delete(w, r; eps) < delta` at w = 1/(1 + 256 r log(2/delta) log(16 r/delta)^2/eps^2), for eps <= 3
    log(4/delta) (N24-Fig14).

    `number`: 128 r L^3/eps^2, which the ridge exceeds in units of l^2, at `r`, `epsilon` and `level` = L.
    """
    stated = 1 / (1 + (16 * sp.sqrt(r * _two) * _sixteen / epsilon) ** 2)
    steps = (
        *_logarithm_steps(),
        *_ridge_steps(),
        _REST,
        inferred(
            "ridge of Blocki et al.",
            "1/(1 + w^2) = p/(1 + v) is below p, where the cost is below delta/4.",
            *(_cost(stated), "<", delta),
            *(_lemma("every smaller leverage", at={above: beyond}), Use(_REST.name, weight=-1)),
            *(str(beyond), str(A), str(C)),
        ),
    )
    return Derivation(
        id="older_ridges.blocki",
        title="Above the ridge of Blocki et al. a deletion costs less than the target",
        sources=("N24-Fig14",),
        hypotheses=_GIVEN,
        steps=steps,
        result_step="w^2 from below",
        symbols={"r": r, "epsilon": epsilon, "level": big},
        faults=(
            Fault("log(2/delta) at least L", "A > L/2", lambda rhs: 2 * rhs),
            Fault("a ridge 100 times smaller", "enough", lambda rhs: 100 * rhs),
            Fault("eps up to 30 L", "ridges in order", lambda rhs: 100 * rhs),
            Fault("twice p", "p (1 + w^2)", lambda rhs: 2 * rhs),
            Fault("an eighth", "ridge of Blocki et al.", lambda rhs: rhs / 8),
        ),
        concludes=(Conclusion("N24-Fig14", "ridge of Blocki et al.", _NAMES),),
    )


def _density_steps() -> tuple[Step, ...]:
    """x^{r/2} e^{-x}/Gamma(r/2) < sqrt(r/(4 pi)) for every x > 0."""
    gamma = sp.gamma(half)
    most = sp.sqrt(r) / (2 * sp.sqrt(sp.pi))
    return (
        by_fact(
            "log x",
            "log(2 x/r) <= 2 x/r - 1,",
            "logarithm below its tangent",
            {"y": place / half},
            {"positive": positive("2 x/r", place / half)},
        ),
        inferred(
            "exponents",
            "so x^{r/2} e^{-x} is greatest at x = r/2:",
            *(half * sp.log(place) - place, "<=", half * sp.log(half) - half),
            Use("log x", weight=half),
        ),
        by_fact(
            "powers",
            "as exponentials keep the order.",
            "exponentials keep the order",
            {"a": half * sp.log(place) - place, "b": half * sp.log(half) - half},
            {"order": "exponents"},
        ),
        by_fact(
            "Stirling",
            "By Stirling's lower bound",
            "Stirling's lower bound",
            {"a": half},
            {"positive": positive("r/2", half, "r is positive.")},
        ),
        inferred(
            "density",
            "x times the density of a gamma law is below sqrt(r/(4 pi)).",
            *(place**half * sp.exp(-place) / gamma, "<", most),
            *(Use("powers", weight=1 / gamma), Use("Stirling", weight=-most / gamma)),
        ),
    )


def _cost_steps() -> tuple[Step, ...]:
    """A deletion costs less than sqrt(r/(4 pi)) log(1 + s) at the leverage s/(1 + s)."""
    edge = (epsilon + half * sp.log(1 + odds)) / odds
    curve = Qg(half, edge) - sp.exp(epsilon) * Qg(half, (1 + odds) * edge)
    most = sp.sqrt(r) / (2 * sp.sqrt(sp.pi))
    room = most * sp.log(1 + odds) - curve
    return (
        Step("p < 1", "s/(1 + s) < 1.", lhs=odds / (1 + odds), rhs=one, relation="<", witness=-1 / (1 + odds)),
        inferred(
            "curve",
            "By its odds s the cost of the leverage is (N26-L4):",
            *(_cost(odds / (1 + odds)), "=", curve),
            Use(
                "closed form",
                of=deletion_curve,
                at={leverage: odds / (1 + odds), any_epsilon: epsilon},
                granted={"p < 1": "p < 1"},
            ),
        ),
        inferred(
            "slope",
            "The slope in s is a density's, over 1 + s:",
            *(sp.Derivative(room, odds), ">", zero),
            Use("density", at={place: edge}, weight=-1 / (1 + odds)),
        ),
        Step("start", "both are 0 at 0,", lhs=sp.Limit(room, odds, 0, "+"), rhs=zero),
        by_fact(
            "cost",
            "so that the cost is below sqrt(r/(4 pi)) log(1 + s).",
            "rises from 0",
            {"f": room, "argument": odds},
            {"rises": "slope", "start": "start"},
        ),
    )


def _information_steps() -> tuple[Step, ...]:
    """log(1 + s)^2 <= 2 (s - log(1 + s)), and the root."""
    short = 2 * (anywhere - sp.log(1 + anywhere)) - sp.log(1 + anywhere) ** 2
    most = sp.sqrt(r) / (2 * sp.sqrt(sp.pi)) * sp.log(1 + odds)
    return (
        by_fact(
            "log(1 + h)",
            "log(1 + h) <= h,",
            "logarithm below its tangent",
            {"y": 1 + anywhere},
            {"positive": positive("1 + h", 1 + anywhere, "h is not negative.")},
        ),
        inferred(
            "slope of the gap",
            "so 2 (h - log(1 + h)) - log(1 + h)^2 does not fall",
            *(sp.Derivative(short, anywhere), ">=", zero),
            Use("log(1 + h)", weight=-2 / (1 + anywhere)),
        ),
        Step("gap at 0", "from 0,", lhs=sp.Subs(short, anywhere, 0), rhs=zero),
        by_fact(
            "square of the logarithm",
            "and is not negative.",
            "does not fall from 0",
            {"f": short, "argument": anywhere},
            {"rises": "slope of the gap", "start": "gap at 0"},
        ),
        inferred(
            "m >= 0",
            "s - log(1 + s) is not negative:",
            odds - sp.log(1 + odds),
            ">=",
            zero,
            Use("log(1 + h)", at={anywhere: odds}, weight=-1),
        ),
        named(gap, "it is m.", odds - sp.log(1 + odds), "m >= 0"),
        Step("not negative", "Not negative.", lhs=gap, rhs=zero, relation=">=", witness=gap),
        inferred(
            "squares",
            "So the square of the bound is at most r m,",
            *(most**2, "<=", sp.sqrt(r * gap) ** 2),
            Use("square of the logarithm", at={anywhere: odds}, weight=-r / (4 * sp.pi)),
            *(Use("not negative", weight=-r * (1 - 1 / (2 * sp.pi))), str(gap)),
        ),
        by_fact(
            "root of r m",
            "and the bound at most the root.",
            "a number and a larger square",
            {"a": most, "b": sp.sqrt(r * gap)},
            {
                "squares": "squares",
                "sign": Step("a root", "It is.", sp.sqrt(r * gap), zero, ">=", sp.sqrt(r * gap)),
            },
        ),
        inferred(
            "by information",
            "In the statement's letters.",
            *(_cost(odds / (1 + odds)), "<", sp.sqrt(r * (odds - sp.log(1 + odds)))),
            *("curve", Use("cost", weight=-1), "root of r m", str(gap)),
        ),
    )


@cache
def by_information() -> Derivation:
    """`delta_delete(s/(1 + s), r; eps) < sqrt(r (s - log(1 + s)))`, the root of twice the information of a lone record
    about r columns with noise l^2/s (N24-Fig14).

    `number`: x^{r/2} e^{-x}/Gamma(r/2) at its largest, as Stirling bounds it, at `r`.
    """
    names = {"r": r, "eps": epsilon, "s": odds}
    return Derivation(
        id="older_ridges.by_information",
        title="A deletion costs less than the root of twice the information of a lone record",
        sources=("N24-Fig14",),
        hypotheses=(pairs.FULL_RANK,),
        steps=(*_density_steps(), *_cost_steps(), *_information_steps()),
        result_step="density",
        symbols={"r": r},
        faults=(
            Fault("a smaller density", "density", lambda rhs: rhs / 3),
            Fault("falls", "slope", lambda rhs: one),
            Fault("another start", "start", lambda rhs: one),
            Fault("a quarter of r m", "squares", lambda rhs: rhs / 10),
            Fault("half of the root", "by information", lambda rhs: rhs / 2),
        ),
        concludes=(Conclusion("N24-Fig14", "by information", names),),
    )
