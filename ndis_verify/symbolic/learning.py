"""How far the shares of independent draws are from the law that they are drawn from."""

from __future__ import annotations

from functools import cache
from typing import Any

import sympy as sp

from ndis_verify.symbolic.derivation import Conclusion, Derivation, Fault, Hypothesis, Step, Use
from ndis_verify.symbolic.fact_steps import by_fact, inferred
from ndis_verify.symbolic.nearby_laws import at_most, in_order, larger, linear
from ndis_verify.symbolic.notation import average, bin_of_sum, chance, summed

draws, bins, failure, accuracy, t = sp.symbols("n k delta tau t", positive=True)
y, b = sp.symbols("y b", real=True)
distance, moved = sp.symbols("TV moved", real=True)
zero, one = sp.Integer(0), sp.Integer(1)
_INDEPENDENT = "independent draws"
_NAMES = {"n": draws, "k": bins, "delta": failure, "tau": accuracy}
_MEAN = Hypothesis("n >= k/tau^2", draws >= bins / accuracy**2)
_FAILURE = Hypothesis("n >= (2/tau^2) log(2/delta)", draws >= 2 / accuracy**2 * sp.log(2 / failure))

_share, _step = (sp.Function(name, real=True)(bin_of_sum) for name in ("p_hat", "v"))
_mass, _drawn, _put = (sp.Function(name, nonnegative=True)(bin_of_sum) for name in ("p", "e_old", "e_new"))
_error = sp.Abs(_share - _mass)


def whole(name: str, mass: Any, why: str) -> Step:
    """The masses of a law on the points, whatever they are, add up to 1."""
    return Step(name, why, lhs=summed(mass), rhs=one, kind="definition")


def not_negative(mass: Any) -> Step:
    return Step("mass >= 0", "", lhs=mass, rhs=zero, relation=">=", witness=mass)


def _notation() -> tuple[Step, ...]:
    return (
        Step(
            "draws",
            "n independent draws from a law p on finitely many points; p^ has the shares of the draws.",
            kind="definition",
            premises=(_INDEPENDENT,),
        ),
        Step(
            "distance",
            "TV = (1/2) sum |p^ - p|.",
            lhs=distance,
            rhs=summed(_error) / 2,
            kind="definition",
            premises=("draws",),
        ),
    )


@cache
def mean_distance() -> Derivation:
    """E TV(p^, p) <= t/(4n) + k/(4t) for every t > 0: sqrt(k/n)/2 at t = sqrt(n k) (KM-4.2, KM-Alg2).

    `number`: the bound at `n`, `k` and `t`.
    """
    p = sp.Symbol("p", nonnegative=True)
    parabola = t * (_share - _mass) ** 2 / 2 + 1 / (2 * t)
    bound_of_bin = t / (2 * draws) * _mass + 1 / (2 * t)
    steps = (
        *_notation(),
        whole("mass", _mass, "p is a law."),
        by_fact(
            "a mass is at most 1",
            "No mass is more than all.",
            "a part of a sum",
            {"a": _mass},
            {"sign": not_negative(_mass)},
        ),
        inferred("at most 1", "So each is at most 1.", _mass, "<=", one, "a mass is at most 1", "mass"),
        by_fact("points there are", "So there is a point.", "a law has a point", {"mass": _mass}, {"mass": "mass"}),
        Step(
            "points", "k is their number.", lhs=bins, rhs=summed(one), kind="definition", premises=("points there are",)
        ),
        Step(
            "parabola",
            "|y| is below a parabola that touches it.",
            lhs=sp.Abs(y),
            rhs=t * y**2 / 2 + 1 / (2 * t),
            relation="<=",
            witness=-((t * sp.Abs(y) - 1) ** 2) / (2 * t),
        ),
        at_most("each point", "The error of each share,", _error, parabola, Use("parabola", at={y: _share - _mass})),
        in_order("expected", "its expectation,", average, (_error, parabola), ("each point", "draws")),
        Step(
            "variance",
            "The number of draws at a point is binomial.",
            lhs=average((_share - _mass) ** 2),
            rhs=_mass * (1 - _mass) / draws,
            kind="fact",
            fact="variance of a share",
            letters={"share": _share, "mass": _mass, "n": draws},
            conditions={
                "independent": _INDEPENDENT,
                "least": not_negative(_mass),
                "most": "at most 1",
                "draws": Step("n > 0", "", lhs=draws, rhs=zero, relation=">", witness=draws),
            },
        ),
        linear(
            "expected parabola",
            "term by term.",
            average,
            ((t / 2, (_share - _mass) ** 2), (1 / (2 * t), one)),
            "variance",
        ),
        Step(
            "constant",
            "Of a constant.",
            lhs=average(one),
            rhs=one,
            kind="fact",
            fact="expectation of a constant",
            letters={"c": one},
            conditions={},
        ),
        Step("less than p", "p (1 - p) <= p.", lhs=p * (1 - p), rhs=p, relation="<=", witness=-(p**2)),
        at_most(
            "expected error of a share",
            "At most t p/(2n) + 1/(2t).",
            average(_error),
            bound_of_bin,
            "expected",
            Use("less than p", at={p: _mass}, weight=t / (2 * draws)),
            "expected parabola",
            "constant",
            "variance",
        ),
        in_order(
            "over the points",
            "Added up over the points.",
            summed,
            (average(_error), bound_of_bin),
            ("expected error of a share", "draws"),
        ),
        linear("sum of the bounds", "Term by term.", summed, ((t / (2 * draws), _mass), (1 / (2 * t), one)), "draws"),
        Step(
            "sum and expectation",
            "Of finitely many terms.",
            lhs=average(summed(_error)),
            rhs=summed(average(_error)),
            kind="fact",
            fact="expectation of a sum",
            letters={"f": _error},
            conditions={"finite": "expected error of a share"},
        ),
        linear(
            "half",
            "TV is half of the sum.",
            average,
            ((sp.Rational(1, 2), summed(_error)),),
            "expected error of a share",
        ),
        at_most(
            "mean distance",
            "So for every t > 0.",
            average(distance),
            t / (4 * draws) + bins / (4 * t),
            Use("over the points", weight=sp.Rational(1, 2)),
            "distance",
            "half",
            "sum and expectation",
            "sum of the bounds",
            "mass",
            "points",
        ),
        at_most(
            "least",
            "It is least at t = sqrt(n k).",
            average(distance),
            sp.sqrt(bins / draws) / 2,
            Use("mean distance", at={t: sp.sqrt(draws * bins)}),
        ),
    )
    return Derivation(
        id="learning.mean_distance",
        title="The mean total variation between the shares of draws and their law",
        sources=("KM-4.2", "KM-Alg2"),
        hypotheses=(_INDEPENDENT,),
        steps=steps,
        result_step="mean distance",
        symbols={"n": draws, "k": bins, "t": t},
        faults=(
            Fault("half of it", "mean distance", lambda rhs: rhs / 2),
            Fault("parabola too low", "parabola", lambda rhs: rhs - 1 / (2 * t)),
        ),
        concludes=(
            Conclusion("KM-4.2", "mean distance", part="the mean"),
            Conclusion("KM-4.2", "least", part="the mean at its least bound"),
            Conclusion("KM-Alg2", "least", part="the mean error of the shares tends to 0 as n grows"),
        ),
    )


@cache
def deviation() -> Derivation:
    """Pr[TV(p^, p) >= E TV + t] <= exp(-2 n t^2) (KM-4.2, KM-Alg2).

    `number`: the bound at `n` and `t`.
    """
    changed = sp.Abs(_share + _step - _mass)
    one_draw = _put / draws + _drawn / draws
    steps = (
        *_notation(),
        Step(
            "another draw",
            "One draw is put at another point: the unit masses at the point drawn and at the one put in its place.",
            kind="definition",
            premises=("draws",),
        ),
        Step(
            "change",
            "What it adds to the shares.",
            lhs=_step,
            rhs=(_put - _drawn) / draws,
            kind="definition",
            premises=("another draw",),
        ),
        Step(
            "moved",
            "What it adds to TV.",
            lhs=moved,
            rhs=summed(changed) / 2 - summed(_error) / 2,
            kind="definition",
            premises=("another draw",),
        ),
        Step(
            "from above",
            "y + b and -(y + b) are at most |y| + |b|.",
            lhs=y + b,
            rhs=sp.Abs(y) + sp.Abs(b),
            relation="<=",
            witness=-2 * sp.Max(0, -y) - 2 * sp.Max(0, -b),
        ),
        Step(
            "from below",
            "Each is at most its absolute value.",
            lhs=-y - b,
            rhs=sp.Abs(y) + sp.Abs(b),
            relation="<=",
            witness=-2 * sp.Max(0, y) - 2 * sp.Max(0, b),
        ),
        larger("triangle", "Hence |y + b| is.", y + b, -y - b, sp.Abs(y) + sp.Abs(b), ("from above", "from below")),
        at_most(
            "change of a share",
            "At most (e_new + e_old)/n.",
            sp.Abs(_step),
            one_draw,
            Use("triangle", at={y: _put / draws, b: -_drawn / draws}),
            "change",
        ),
        at_most(
            "change of an error",
            "So each error grows by no more.",
            changed,
            _error + one_draw,
            Use("triangle", at={y: _share - _mass, b: _step}),
            "change of a share",
        ),
        in_order("in order", "Added up.", summed, (changed, _error + one_draw), ("change of an error", "draws")),
        linear(
            "linear",
            "Term by term.",
            summed,
            ((one, _error), (1 / draws, _put), (1 / draws, _drawn)),
            "draws",
        ),
        whole("unit mass put", _put, "A unit mass at one point, as any law."),
        whole("unit mass drawn", _drawn, "And another one."),
        at_most(
            "one draw",
            "Changing one draw moves TV by at most 1/n.",
            moved,
            1 / draws,
            Use("in order", weight=sp.Rational(1, 2)),
            "moved",
            "linear",
            "unit mass put",
            "unit mass drawn",
        ),
        Step(
            "bounded differences",
            "c = 1/n.",
            lhs=chance(distance - average(distance) - t),
            rhs=sp.exp(-2 * t**2 / (draws * (1 / draws) ** 2)),
            relation="<=",
            kind="fact",
            fact="bounded differences",
            letters={
                "f": distance,
                "formula": summed(_error) / 2,
                "share": _share,
                "change": _step,
                "put": _put,
                "taken": _drawn,
                "moved": moved,
                "n": draws,
                "c": 1 / draws,
                "t": t,
            },
            conditions={
                "independent": _INDEPENDENT,
                "formula": "distance",
                "put": "unit mass put",
                "taken": "unit mass drawn",
                "change": "change",
                "moved": "moved",
                "bounded": "one draw",
                "distance": Step("t >= 0", "as said.", t, sp.Integer(0), ">=", t),
                "draws": Step("n > 0", "as said.", draws, sp.Integer(0), ">", draws),
            },
        ),
        at_most(
            "deviation",
            "n c^2 = 1/n.",
            chance(distance - average(distance) - t),
            sp.exp(-2 * draws * t**2),
            "bounded differences",
        ),
    )
    return Derivation(
        id="learning.deviation",
        title="The total variation between the shares of draws and their law is near its mean",
        sources=("KM-4.2", "KM-Alg2"),
        hypotheses=(_INDEPENDENT,),
        steps=steps,
        result_step="deviation",
        symbols={"n": draws, "t": t},
        faults=(
            Fault("one draw moves TV by 1/(2n)", "one draw", lambda rhs: rhs / 2),
            Fault("exponent doubled", "deviation", lambda rhs: rhs**2),
        ),
        concludes=(
            Conclusion("KM-4.2", "deviation", part="the deviation from the mean"),
            Conclusion("KM-Alg2", "deviation", part="the deviation of the error of the shares from its mean"),
        ),
    )


@cache
def learning_bound() -> Derivation:
    """n >= k/tau^2 draws put the empirical law within tau except with probability exp(-n tau^2/2) (KM-4.2).

    `number`: the bound exp(-n tau^2/2) on the failure probability at `n` and `tau`, where n >= k/tau^2.
    """
    more = sp.Symbol("r", nonnegative=True)
    half = accuracy / 2
    steps = (
        Step(
            "more",
            "r = n - k/tau^2.",
            lhs=more,
            rhs=draws - bins / accuracy**2,
            kind="definition",
            premises=(_MEAN.text,),
        ),
        Step("r not negative", "As n >= k/tau^2.", lhs=more, rhs=zero, relation=">=", witness=more, premises=("more",)),
        at_most(
            "mean",
            "t = n tau: half of tau is spent by the mean,",
            average(distance),
            half,
            Use("mean distance", of=mean_distance, at={t: draws * accuracy}),
            Use("r not negative", weight=-accuracy / (4 * draws)),
            "more",
        ),
        at_most(
            "event", "and half by the deviation.", distance - accuracy, distance - average(distance) - half, "mean"
        ),
        Step(
            "more often",
            "TV >= tau only where TV >= E TV + tau/2.",
            lhs=chance(distance - accuracy),
            rhs=chance(distance - average(distance) - half),
            relation="<=",
            kind="fact",
            fact="larger events",
            letters={"f": distance - accuracy, "g": distance - average(distance) - half},
            conditions={"contained": "event"},
        ),
        at_most(
            "failure",
            "t = tau/2.",
            chance(distance - accuracy),
            sp.exp(-draws * accuracy**2 / 2),
            "more often",
            Use("deviation", of=deviation, at={t: half}),
        ),
    )
    return Derivation(
        id="learning.learning_bound",
        title="Draws that learn a law on k points in total variation",
        sources=("KM-4.2",),
        hypotheses=(
            _INDEPENDENT,
            _MEAN,
            Hypothesis("0 < tau <= 1", accuracy > 0),
        ),
        steps=steps,
        result_step="failure",
        symbols={"n": draws, "tau": accuracy},
        faults=(
            Fault("whole of tau for the deviation", "failure", lambda rhs: rhs**4),
            Fault("mean twice as small", "mean", lambda rhs: rhs / 2),
        ),
        concludes=(Conclusion("KM-4.2", "failure", part="the chance of a larger error"),),
    )


@cache
def enough_draws() -> Derivation:
    """n >= max(k/tau^2, (2/tau^2) log(2/delta)): exp(-n tau^2/2) <= delta/2 and sqrt(k/(4 n)) <= tau/2 (KM-4.2).

    `number`: the half of tau that the mean error may take.
    """
    root = sp.sqrt(bins / (4 * draws))
    steps = (
        at_most(
            "beyond the logarithm",
            "As n >= (2/tau^2) log(2/delta).",
            -draws * accuracy**2 / 2,
            -sp.log(2 / failure),
            Use(_FAILURE.text, weight=-(accuracy**2) / 2),
        ),
        by_fact(
            "at twice the logarithm",
            "exp(-log(2/delta)) is delta/2.",
            "exponentials keep the order",
            {"a": -draws * accuracy**2 / 2, "b": -sp.log(2 / failure)},
            {"order": "beyond the logarithm"},
        ),
        Step(
            "mean of both",
            "The root of tau/2 times k/(2 n tau) is at most the mean of the two.",
            lhs=root,
            rhs=bins / (4 * draws * accuracy) + accuracy / 4,
            relation="<=",
            witness=-((sp.sqrt(bins / (draws * accuracy)) - sp.sqrt(accuracy)) ** 2) / 4,
        ),
        at_most(
            "half of tau",
            "n >= k/tau^2: the second is at most tau/2.",
            root,
            accuracy / 2,
            "mean of both",
            Use(_MEAN.text, weight=-accuracy / (4 * draws)),
        ),
    )
    return Derivation(
        id="learning.enough_draws",
        title="How many draws leave both halves of the error and of the chance",
        sources=("KM-4.2",),
        hypotheses=(
            _MEAN,
            _FAILURE,
            Hypothesis("0 < tau <= 1", accuracy > 0),
            Hypothesis("0 < delta < 1", failure > 0),
        ),
        steps=steps,
        result_step="half of tau",
        symbols={"tau": accuracy},
        faults=(
            Fault("a quarter of delta", "beyond the logarithm", lambda rhs: rhs - sp.log(2)),
            Fault("a quarter of tau", "half of tau", lambda rhs: rhs / 2),
        ),
        concludes=(
            Conclusion("KM-4.2", "at twice the logarithm", _NAMES),
            Conclusion("KM-4.2", "half of tau", _NAMES),
        ),
    )
