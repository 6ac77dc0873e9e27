"""The trade-off curve of two normal laws is the envelope of the lines that their privacy profile gives."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import sympy as sp

from ndis_verify.symbolic import mean_shift
from ndis_verify.symbolic.derivation import Conclusion, Derivation, Fault, Hypothesis, Step, Use
from ndis_verify.symbolic.fact_steps import by_fact, inferred, named
from ndis_verify.symbolic.notation import below, beyond
from ndis_verify.symbolic.special_functions import Phi, as_erfc, phi
from ndis_verify.symbolic.statement_terms import quantity

mu = mean_shift.shift
alpha = sp.Symbol("alpha", positive=True)
eps, edge, y = sp.symbols("epsilon z y", real=True)  # z is the quantile of 1 - alpha
w = sp.Symbol("w", nonnegative=True)  # how far the threshold of the loss is from eps
zero, one = sp.Integer(0), sp.Integer(1)
_closed = mean_shift.closed_form.subs(mean_shift.epsilon, eps)
_touched = mu * edge - mu**2 / 2  # the eps whose line touches the curve
_event = Phi(mu - edge) - sp.exp(eps) * Phi(-edge)  # P(S) - e^eps Q(S), S = {x > z}
_SIDES = {"above": 1, "below": -1}


def _gap(sign: int) -> sp.Expr:
    """What P(S) - e^eps Q(S), S where the loss is above eps + sign w, falls short of the divergence."""
    first, second = (Phi(half * mu / 2 - (eps + sign * w) / mu) for half in (1, -1))
    return _closed - first + sp.exp(eps) * second


def _side_steps(side: str) -> Iterator[Step]:
    sign = _SIDES[side]
    gap, density = _gap(sign), phi(mu / 2 - (eps + sign * w) / mu) / mu
    size = 1 - sp.exp(-w) if sign > 0 else sp.exp(w) - 1
    rest = density * w * (sp.exp(-w) if sign > 0 else one)
    factor = density * (sp.exp(-w) if sign > 0 else one)
    yield Step(
        f"slope {side}",
        f"With a threshold {side} eps by w the event falls short by what has this slope,",
        lhs=sp.Derivative(gap, w),
        rhs=density * size,
    )
    yield Step(f"part {side}", "at least this,", rest, zero, ">=", rest)
    yield inferred(
        f"rises {side}",
        "which is not negative:",
        sp.Derivative(gap, w),
        ">=",
        zero,
        *(f"slope {side}", Use("e^w", weight=-factor), f"part {side}"),
    )
    yield Step(f"start {side}", "nothing at w = 0,", lhs=sp.Subs(gap, w, 0), rhs=zero)
    yield by_fact(
        f"threshold {side}",
        "and nowhere less.",
        "does not fall from 0",
        {"f": gap, "argument": w},
        {"rises": f"rises {side}", "start": f"start {side}"},
    )


@cache
def lines_of_the_profile() -> Derivation:
    """`f >= 1 - delta_shift(mu; eps) - e^eps alpha` for every eps, with equality at eps = mu z - mu^2/2, for f =
    Phi(z - mu), z = Phi^-1(1 - alpha) (KM-2.8).

    `number`: f, at `z` and `mu`.
    """
    power = Phi(quantity("Phi_inverse", 1 - alpha) - mu)
    touched = mu * quantity("Phi_inverse", 1 - alpha) - mu**2 / 2

    def line(at: sp.Expr) -> sp.Expr:
        return 1 - quantity("mean_shift", mu, at) - sp.exp(at) * alpha

    sides = {
        "above": (_touched + below, {w: below}, "below"),
        "below": (_touched - beyond, {w: beyond}, "above"),
    }
    steps = (
        Step("positive", "alpha > 0.", alpha, zero, ">", alpha),
        inferred("below 1", "So 1 - alpha is less than 1", 1 - alpha, "<", one, Use("positive", weight=-1)),
        inferred("above 0", "and more than 0,", 1 - alpha, ">", zero, Use("alpha < 1", weight=-1)),
        by_fact(
            "quantile",
            "a probability of a quantile,",
            "probability of a normal quantile",
            {"y": 1 - alpha},
            {"above 0": "above 0", "below 1": "below 1"},
        ),
        named(edge, "z.", quantity("Phi_inverse", 1 - alpha)),
        inferred("by name", "By its name,", quantity("Phi_inverse", 1 - alpha), "=", edge, "z"),
        inferred("size", "a test that rejects beyond z has the size", alpha, "=", 1 - Phi(edge), *("z", "quantile")),
        Step("first argument", "Of the closed form there,", mu / 2 - _touched / mu, mu - edge),
        Step("second argument", "and the other one.", -mu / 2 - _touched / mu, -edge),
        Step("reflection", "Phi(-y) = 1 - Phi(y).", lhs=Phi(-y), rhs=1 - Phi(y), reduce=as_erfc),
        Step("f", "and misses", lhs=Phi(edge - mu), rhs=1 - Phi(mu - edge), reduce=as_erfc),
        by_fact(
            "e^w",
            "e^w is at least 1 + w.",
            "logarithm below its tangent",
            {"y": sp.exp(w)},
            {"positive": Step("power", "An exponential.", sp.exp(w), zero, ">", sp.exp(w))},
        ),
        *(step for side in _SIDES for step in _side_steps(side)),
        *(
            inferred(
                f"eps {side} the touching one",
                "So at this eps no event of a threshold z is above the divergence.",
                _event.subs(eps, at),
                "<=",
                _closed.subs(eps, at),
                Use(f"threshold {other}", at={**shift, eps: at}, weight=-1),
            )
            for side, (at, shift, other) in sides.items()
        ),
        by_fact(
            "event",
            "Nor is it at any.",
            "both sides of an edge",
            {"f": _event, "g": _closed, "argument": eps, "edge": _touched},
            {side: f"eps {side} the touching one" for side in sides},
        ),
        inferred(
            "every line",
            "Every line of the profile is below the curve,",
            power,
            ">=",
            line(eps),
            *("by name", Use("event", weight=-1)),
            Use("closed form", of=mean_shift.hockey_stick, at={mean_shift.epsilon: eps}),
            *("f", "size", Use("reflection", at={y: edge})),
        ),
        inferred(
            "touched",
            "and one of them touches it.",
            power,
            "=",
            line(touched),
            "by name",
            Use("closed form", of=mean_shift.hockey_stick, at={mean_shift.epsilon: _touched}),
            *("first argument", "second argument", "f", "size", Use("reflection", at={y: edge})),
        ),
    )
    return Derivation(
        id="gaussian_trade_off.lines_of_the_profile",
        title="The trade-off curve of two normal laws and the lines of their profile",
        sources=("KM-2.8",),
        hypotheses=(mean_shift.DEFINITE, Hypothesis("alpha < 1", alpha < 1)),
        steps=steps,
        result_step="f",
        symbols={"z": edge, "mu": mu},
        faults=(
            Fault("slope of the other sign", "slope above", lambda rhs: -rhs),
            Fault("one-sided", "every line", lambda rhs: rhs + alpha),
            Fault("shift in the wrong direction", "f", lambda rhs: 1 - Phi(mu + edge)),
        ),
        concludes=tuple(
            Conclusion("KM-2.8", end, {"mu": mu, "alpha": alpha, "eps": eps}) for end in ("every line", "touched")
        ),
    )
