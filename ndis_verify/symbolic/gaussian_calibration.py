"""Noise calibrated by a tail bound, how little of it is private, and counting queries."""

from __future__ import annotations

from functools import cache

import sympy as sp

from ndis_verify.symbolic import mean_shift
from ndis_verify.symbolic.derivation import Conclusion, Derivation, Fault, Hypothesis, Step, Use
from ndis_verify.symbolic.fact_steps import a_density, by_fact, inferred, named
from ndis_verify.symbolic.gaussian_mechanism import edge as tail_edge
from ndis_verify.symbolic.gaussian_mechanism import tail_bound
from ndis_verify.symbolic.meanings import meaning, p, q
from ndis_verify.symbolic.notation import x
from ndis_verify.symbolic.special_functions import Phi, phi
from ndis_verify.symbolic.statement_terms import quantity

epsilon = sp.Symbol("epsilon", positive=True)
rho, level, room = sp.symbols("rho l v", positive=True)
distance, step, sensitivity = sp.symbols("t s D", positive=True)
half, zero = sp.Rational(1, 2), sp.Integer(0)


@cache
def tail_calibration() -> Derivation:
    """Noise N(0, (Delta_2^2/rho) I): `eps = (sqrt(rho)/2)(sqrt(rho) + 2 sqrt(2 ln(1/delta)))` gives (eps, delta/2)-DP
    (SL-2).

    `number`: eps at `rho` > 0 and `level` = ln(1/delta) > 0.
    """
    delta = sp.Symbol("delta", positive=True)
    value, printed = rho / 2 + sp.sqrt(2 * rho * level), sp.sqrt(rho) / 2 * (sp.sqrt(rho) + 2 * sp.sqrt(2 * level))
    second = sp.exp(value) * Phi(-sp.sqrt(rho) / 2 - value / sp.sqrt(rho))
    root = sp.sqrt(rho)
    steps = (
        by_fact(
            "log delta",
            "log delta <= delta - 1,",
            "logarithm below its tangent",
            {"y": delta},
            {"positive": Step("positive", "A probability.", delta, zero, ">", delta)},
        ),
        inferred(
            "log(1/delta) > 0",
            "so that log(1/delta) is positive.",
            sp.log(1 / delta),
            ">",
            zero,
            *(Use("log delta", weight=-1), Use("delta < 1", weight=-1)),
        ),
        named(level, "l = log(1/delta).", sp.log(1 / delta), "log(1/delta) > 0"),
        Step("eps", "The two forms of eps.", lhs=value, rhs=printed),
        Step(
            "threshold",
            "Where the closed form has its first argument.",
            lhs=root / 2 - value / root,
            rhs=-sp.sqrt(2 * level),
        ),
        inferred(
            "closed form",
            "The divergence at the shift sqrt(rho) (N26-P1),",
            quantity("mean_shift", root, value),
            "=",
            Phi(-sp.sqrt(2 * level)) - second,
            Use("closed form", of=mean_shift.hockey_stick, at={mean_shift.shift: root, mean_shift.epsilon: value}),
            "threshold",
        ),
        Step("second term", "whose second term is not negative,", lhs=second, rhs=zero, relation=">=", witness=second),
        inferred(
            "tail",
            "is at most a normal tail, e^{-l}/2.",
            quantity("mean_shift", root, value),
            "<=",
            sp.exp(-level) / 2,
            *(
                "closed form",
                Use("second term", weight=-1),
                Use("bound", of=tail_bound, at={tail_edge: sp.sqrt(2 * level)}),
            ),
        ),
        inferred(
            "half of delta",
            "That is delta/2.",
            quantity("mean_shift", root, rho / 2 + sp.sqrt(2 * rho * sp.log(1 / delta))),
            "<=",
            delta / 2,
            *("tail", "l"),
        ),
        Step(
            "eps as printed",
            "In delta.",
            lhs=rho / 2 + sp.sqrt(2 * rho * sp.log(1 / delta)),
            rhs=root / 2 * (root + 2 * sp.sqrt(2 * sp.log(1 / delta))),
        ),
    )
    names = {"rho": rho, "delta": delta}
    return Derivation(
        id="gaussian_calibration.tail_calibration",
        title="The Gaussian mechanism by a tail bound",
        sources=("SL-2",),
        hypotheses=(mean_shift.DEFINITE, Hypothesis("delta < 1", delta < 1)),
        steps=steps,
        result_step="eps",
        symbols={"rho": rho, "level": level},
        faults=(
            Fault(
                "the 2 inside the root dropped",
                "eps",
                lambda rhs: sp.sqrt(rho) / 2 * (sp.sqrt(rho) + 2 * sp.sqrt(level)),
            ),
            Fault("sqrt(ln) for sqrt(2 ln)", "threshold", lambda rhs: -sp.sqrt(level)),
            Fault("tail e^{-l}/4", "tail", lambda rhs: rhs / 2),
            Fault("a quarter of delta", "half of delta", lambda rhs: rhs / 2),
        ),
        concludes=(
            *(Conclusion("SL-2", end, names) for end in ("half of delta", "eps as printed")),
            Conclusion("SL-2", "eps", part="eps in l = log(1/delta)"),
        ),
    )


@cache
def no_pure_privacy() -> Derivation:
    """`delta(eps) >= (1/2) Phi(Delta/2 - (eps + log 2)/Delta) > 0` for every eps >= 0: Gaussian noise is not eps-DP
    (SL-2-pure).

    `number`: that lower bound at `shift` = Delta > 0 (sensitivity over standard deviation) and `epsilon`.
    """
    shift, eps = mean_shift.shift, sp.Symbol("eps", nonnegative=True)
    w = sp.Symbol("w", positive=True)  # by how much a threshold of the loss is above eps
    more = eps + sp.log(2)
    first, second = (Phi(sign * shift / 2 - (eps + w) / shift) for sign in (1, -1))
    closed = mean_shift.closed_form.subs(mean_shift.epsilon, eps)
    event = first - sp.exp(eps) * second
    density = phi(shift / 2 - (eps + w) / shift) / shift
    bound = half * Phi(shift / 2 - more / shift)
    rest = density * w * sp.exp(-w)
    gap = p(x) - sp.exp(more) * q(x, shift)

    def divergence(at: sp.Expr) -> sp.Expr:
        return quantity("mean_shift", shift, at)

    steps = (
        Step(
            "slope",
            "P(S) - e^eps Q(S), S where the loss is above eps + w, falls short of the divergence by what has this"
            " slope in w,",
            lhs=sp.Derivative(closed - event, w),
            rhs=density * (1 - sp.exp(-w)),
        ),
        by_fact(
            "e^w",
            "where e^w is more than 1",
            "logarithm below its tangent",
            {"y": sp.exp(w)},
            {"positive": Step("positive", "An exponential.", sp.exp(w), zero, ">", sp.exp(w))},
        ),
        Step("more than 0", "by more than w.", rest, zero, ">", rest),
        inferred(
            "rises",
            "The slope is positive",
            sp.Derivative(closed - event, w),
            ">",
            zero,
            *("slope", Use("e^w", weight=-density * sp.exp(-w)), "more than 0"),
        ),
        Step("at w = 0", "from 0 on.", lhs=sp.Limit(closed - event, w, 0, "+"), rhs=zero),
        by_fact(
            "one event",
            "So the divergence is above that of S.",
            "rises from 0",
            {"f": closed - event, "argument": w},
            {"rises": "rises", "start": "at w = 0"},
        ),
        meaning("divergence", "mean_shift", shift, more),
        a_density("density of P", "p is the density of the one law,", p(x), mean_shift.DEFINITE.text),
        a_density("density of Q", "q of the other.", q(x, shift), mean_shift.DEFINITE.text),
        by_fact(
            "no event",
            "The empty event,",
            "the empty set",
            {"f": gap},
            {"integrable": "density of P"},
            premises=("density of Q",),
        ),
        inferred(
            "at eps + log 2",
            "so that at eps + log 2 the divergence is not negative,",
            divergence(more),
            ">=",
            zero,
            *("divergence", "no event"),
        ),
        inferred(
            "twice e^eps Q(S)",
            "and P(S) is at least 2 e^eps Q(S), w = log 2:",
            2 * bound,
            ">=",
            2 * sp.exp(eps) * second.subs(w, sp.log(2)),
            *("at eps + log 2", Use("closed form", of=mean_shift.hockey_stick, at={mean_shift.epsilon: more})),
        ),
        inferred(
            "bound",
            "half of P(S) is left.",
            divergence(eps),
            ">=",
            bound,
            Use("one event", at={w: sp.log(2)}),
            Use("twice e^eps Q(S)", weight=half),
            Use("closed form", of=mean_shift.hockey_stick, at={mean_shift.epsilon: eps}),
        ),
        Step("half of P(S)", "That is positive,", lhs=bound, rhs=zero, relation=">", witness=bound),
        inferred("positive", "and no delta is 0.", divergence(eps), ">", zero, *("bound", "half of P(S)")),
    )
    names = {"Delta": shift, "eps": eps}
    return Derivation(
        id="gaussian_calibration.no_pure_privacy",
        title="The Gaussian mechanism is not purely private",
        sources=("SL-2",),
        hypotheses=(mean_shift.DEFINITE,),
        steps=steps,
        result_step="bound",
        symbols={"shift": shift, "epsilon": eps},
        faults=(
            Fault("edge on the other side", "bound", lambda rhs: half * Phi(more / shift - shift / 2)),
            Fault("three quarters", "bound", lambda rhs: rhs * 3 / 2),
            Fault("slope without e^{-w}", "slope", lambda rhs: density),
        ),
        concludes=tuple(Conclusion("SL-2-pure", end, names) for end in ("bound", "positive")),
    )
