"""How the divergence of a mean shift orders: increasing in the shift, decreasing in epsilon; the worst pair."""

from __future__ import annotations

from functools import cache

import sympy as sp

from ndis_verify.symbolic.derivation import Conclusion, Derivation, Fault, Hypothesis, Step, Use
from ndis_verify.symbolic.fact_steps import a_density, by_fact
from ndis_verify.symbolic.mean_shift import DEFINITE, SETTING, closed_form, epsilon, hockey_stick, no_shift, shift, std
from ndis_verify.symbolic.meanings import meaning, p, q
from ndis_verify.symbolic.notation import largest, share, x
from ndis_verify.symbolic.special_functions import Phi, phi
from ndis_verify.symbolic.statement_terms import quantity


@cache
def derivative_in_shift() -> Derivation:
    """`d delta/d Delta = phi(Delta/2 - eps/Delta) > 0`: a larger shift costs more (BW-L7, N24-P6).

    `number`: the derivative at `shift` = Delta > 0 and `epsilon`.
    """
    slope_of = phi(shift / 2 - epsilon / shift)
    divergence = quantity("mean_shift", shift, epsilon)
    farther = sp.Symbol("E", real=True)
    steps = (
        Step(
            "two normal densities",
            "(Delta/2 + eps/Delta)^2 - (Delta/2 - eps/Delta)^2 = 2 eps.",
            lhs=sp.exp(epsilon) * phi(-shift / 2 - epsilon / shift),
            rhs=slope_of,
        ),
        Step(
            "slope of the closed form",
            "The terms in eps/Delta^2 cancel, as the two densities are one.",
            lhs=sp.Derivative(closed_form, shift),
            rhs=slope_of,
            kind="inference",
            premises=("two normal densities",),
        ),
        Step(
            "derivative",
            "The divergence is the closed form.",
            lhs=sp.Derivative(divergence, shift),
            rhs=slope_of,
            kind="inference",
            premises=(Use("closed form", of=hockey_stick),),
        ),
        Step(
            "density",
            "A normal density is positive.",
            lhs=slope_of,
            rhs=sp.Integer(0),
            relation=">",
            witness=slope_of,
        ),
        Step(
            "increasing",
            "So the divergence grows with the shift.",
            lhs=sp.Derivative(divergence, shift),
            rhs=sp.Integer(0),
            relation=">",
            kind="inference",
            premises=("derivative", "density"),
        ),
        by_fact(
            "larger shift",
            "So the larger of two shifts has the larger divergence.",
            "a rising function at two points",
            {"f": divergence, "argument": shift, "low": shift, "high": farther},
            {"rises": "increasing", "order": "E > Delta"},
        ),
    )
    return Derivation(
        id="mean_shift_order.derivative_in_shift",
        title="The Gaussian privacy profile increases with the shift",
        sources=("BW-L7", "N24-P6", "N24-P7", "BW-T8"),
        hypotheses=(
            DEFINITE,
            Hypothesis("Delta > 0", shift > 0),
            Hypothesis("E > Delta", farther > shift),
        ),
        steps=steps,
        result_step="derivative",
        symbols={"shift": shift, "epsilon": epsilon},
        faults=(
            Fault("cancelled term kept", "slope of the closed form", lambda rhs: rhs * (1 + 2 * epsilon / shift**2)),
            Fault("sign flipped", "derivative", lambda rhs: -rhs),
            Fault("increasing claimed of -delta", "increasing", lambda rhs: -2 * slope_of),
        ),
        concludes=tuple(
            Conclusion(claim, step, {"D": shift, "eps": epsilon, "E": farther})
            for claim in ("BW-L7", "N24-P6")
            for step in ("slope of the closed form", "larger shift")
        ),
    )


@cache
def worst_pair() -> Derivation:
    """Of all pairs s D apart, 0 <= s <= 1, D = Delta/sigma, the divergence is greatest at s = 1 (N24-P7, BW-T8).

    `number`: that greatest divergence at `sensitivity` = Delta > 0, `std` > 0 and `epsilon` >= 0.
    """
    sensitivity = sp.Symbol("Delta", positive=True)
    eps = sp.Symbol("epsilon", nonnegative=True)
    part = sp.Symbol("s", real=True)
    whole = sensitivity / std
    granted = {DEFINITE.text: "covariance"}
    at = lambda value: {shift: value, epsilon: eps}  # noqa: E731
    divergence = lambda value: quantity("mean_shift", value, eps)  # noqa: E731
    closed = closed_form.subs(at(whole), simultaneous=True)
    gap = p(x) - sp.exp(eps) * q(x, whole)
    slope_of = whole * phi(share * whole / 2 - eps / (share * whole))
    steps = (
        Step(
            "covariance",
            "S = sigma^2 I: S positive definite, as sigma > 0; the whitened shift is at most D = Delta/sigma.",
            kind="definition",
            premises=("sigma > 0",),
        ),
        Step(
            "density", "A normal density is positive.", lhs=slope_of, rhs=sp.Integer(0), relation=">", witness=slope_of
        ),
        Step(
            "two normal densities",
            "At the shift s D.",
            lhs=sp.exp(eps) * phi(-share * whole / 2 - eps / (share * whole)),
            rhs=phi(share * whole / 2 - eps / (share * whole)),
        ),
        Step(
            "derivative",
            "d/ds delta(s D) = D phi(s D/2 - eps/(s D)) for s > 0,",
            lhs=sp.Derivative(divergence(share * whole), share),
            rhs=slope_of,
            kind="inference",
            premises=(
                Use("closed form", of=hockey_stick, at=at(share * whole), granted=granted),
                "two normal densities",
            ),
        ),
        Step(
            "increasing",
            "which is positive.",
            lhs=sp.Derivative(divergence(share * whole), share),
            rhs=sp.Integer(0),
            relation=">",
            kind="inference",
            premises=("derivative", "density"),
        ),
        meaning("divergence", "mean_shift", whole, eps),
        a_density("density of P", "p is the density of the one law,", p(x), "covariance"),
        a_density("density of Q", "q of the other.", q(x, whole), "covariance"),
        Step(
            "no event",
            "The empty event.",
            lhs=largest(gap),
            rhs=sp.Integer(0),
            relation=">=",
            kind="fact",
            fact="the empty set",
            letters={"f": gap},
            conditions={"integrable": "density of P"},
            premises=("density of Q",),
        ),
        Step(
            "not negative",
            "delta(0) = 0 <= delta(D).",
            lhs=divergence(sp.Integer(0)),
            rhs=divergence(whole),
            relation="<=",
            kind="inference",
            premises=("divergence", Use("no event", weight=-1), Use("zero", of=no_shift, granted=granted)),
        ),
        Step(
            "greatest at s = 1",
            "It increases from there.",
            lhs=quantity("sup", 0, 1, sp.Lambda(part, divergence(part * whole))),
            rhs=divergence(whole),
            kind="fact",
            fact="supremum of an increasing function",
            letters={"f": divergence(part * whole), "argument": part},
            conditions={"increasing": "increasing", "start": "not negative"},
        ),
        Step(
            "at s = 1",
            "The closed form at D = Delta/sigma.",
            lhs=divergence(whole),
            rhs=closed,
            kind="inference",
            premises=(Use("closed form", of=hockey_stick, at=at(whole), granted=granted),),
        ),
        Step(
            "condition",
            "The closed form at D = Delta/sigma: the largest divergence is at most delta exactly where it is.",
            lhs=quantity("sup", 0, 1, sp.Lambda(part, divergence(part * whole))),
            rhs=closed,
            kind="inference",
            premises=("greatest at s = 1", "at s = 1"),
        ),
    )
    return Derivation(
        id="mean_shift_order.worst_pair",
        title="The worst pair of the Gaussian mechanism is the one furthest apart",
        sources=("N24-P7", "BW-T8"),
        hypotheses=(
            Hypothesis("Delta > 0", sensitivity > 0),
            Hypothesis("sigma > 0", std > 0),
            Hypothesis("eps >= 0", eps >= 0),
        ),
        steps=steps,
        result_step="condition",
        symbols={"sensitivity": sensitivity, "std": std, "epsilon": eps},
        faults=(
            Fault("at half the shift", "condition", lambda rhs: rhs.subs(sensitivity, sensitivity / 2)),
            Fault("chain rule left out", "derivative", lambda rhs: rhs / whole),
        ),
        concludes=(
            Conclusion("BW-T8", "condition", {"Delta": sensitivity, "sigma": std, "eps": eps}),
            Conclusion("N24-P7", "at s = 1", {"Delta": sensitivity, "sigma": std, "eps": eps}),
            Conclusion("N24-C4", "at s = 1", {"Delta": sensitivity, "sigma": std, "eps": eps}),
        ),
    )


@cache
def every_pair() -> Derivation:
    """A pair s D apart, 0 <= s <= 1, D = Delta/sigma, costs at most the closed form at D (N24-P7, N24-C4).

    `number`: that bound at `sensitivity` = Delta > 0, `std` > 0 and `epsilon` >= 0.
    """
    lemma = worst_pair()
    sensitivity, eps = lemma.symbols["sensitivity"], lemma.symbols["epsilon"]
    apart, at = sp.Symbol("s", nonnegative=True), sp.Symbol("s", real=True)
    divergence = quantity("mean_shift", at * sensitivity / std, eps)
    steps = (
        by_fact(
            "one pair",
            "0 <= s <= 1.",
            "a value of a supremum over an interval",
            {"f": divergence, "argument": at, "low": sp.Integer(0), "high": sp.Integer(1), "at": apart},
            {
                "low": Step("s >= 0", "As given.", lhs=apart, rhs=sp.Integer(0), relation=">=", witness=apart),
                "high": "s <= 1",
            },
        ),
        Step(
            "bound",
            "The supremum is the closed form at D.",
            lhs=divergence.subs(at, apart),
            rhs=lemma.result,
            relation="<=",
            kind="inference",
            premises=("one pair", Use("condition", of=worst_pair)),
        ),
    )
    symbols = {"Delta": sensitivity, "sigma": std, "eps": eps, "s": apart}
    return Derivation(
        id="mean_shift_order.every_pair",
        title="Every pair of the Gaussian mechanism costs at most the one furthest apart",
        sources=("N24-P7", "N24-C4"),
        hypotheses=(
            Hypothesis("Delta > 0", sensitivity > 0),
            Hypothesis("sigma > 0", std > 0),
            Hypothesis("eps >= 0", eps >= 0),
            Hypothesis("s <= 1", apart <= 1),
        ),
        steps=steps,
        result_step="bound",
        symbols=lemma.symbols,
        faults=(
            Fault("at half the shift", "bound", lambda rhs: rhs.subs(sensitivity, sensitivity / 2)),
            Fault("e^eps dropped", "bound", lambda rhs: rhs.subs(sp.exp(eps), 1)),
        ),
        concludes=tuple(Conclusion(claim, "bound", symbols) for claim in ("N24-P7", "N24-C4")),
    )


@cache
def derivative_in_epsilon() -> Derivation:
    """`d delta/d eps = -e^eps Phi(-Delta/2 - eps/Delta) < 0`: the profile decreases in eps (from N26-P1).

    `number`: the derivative at `shift` = Delta > 0 and `epsilon`.
    """
    slope_of = -sp.exp(epsilon) * Phi(-shift / 2 - epsilon / shift)
    steps = (
        Step(
            "two normal densities",
            "(Delta/2 + eps/Delta)^2 - (Delta/2 - eps/Delta)^2 = 2 eps.",
            lhs=sp.exp(epsilon) * phi(-shift / 2 - epsilon / shift),
            rhs=phi(shift / 2 - epsilon / shift),
        ),
        Step(
            "derivative",
            "The two density terms cancel.",
            lhs=sp.Derivative(quantity("mean_shift", shift, epsilon), epsilon),
            rhs=slope_of,
            kind="inference",
            premises=(Use("closed form", of=hockey_stick), "two normal densities"),
        ),
    )
    return Derivation(
        id="mean_shift_order.derivative_in_epsilon",
        title="The Gaussian privacy profile decreases in epsilon",
        sources=("N26-P1",),
        steps=steps,
        result_step="derivative",
        **SETTING,
        faults=(
            Fault("density term kept", "derivative", lambda rhs: rhs - phi(shift / 2 - epsilon / shift) / shift),
            Fault("factor e^eps dropped", "derivative", lambda rhs: rhs * sp.exp(-epsilon)),
        ),
        concludes=(Conclusion("N26-P1", "derivative", part="slope in eps"),),
    )
