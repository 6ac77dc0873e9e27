"""One parameter read off one divergence: the Gaussian std, and which order depends on it most."""

from __future__ import annotations

from functools import cache

import sympy as sp

from ndis_verify.symbolic import mean_shift, mean_shift_order
from ndis_verify.symbolic.derivation import Conclusion, Derivation, Fault, Hypothesis, Step, Use
from ndis_verify.symbolic.fact_steps import by_fact, inferred
from ndis_verify.symbolic.notation import held
from ndis_verify.symbolic.special_functions import Phi, phi
from ndis_verify.symbolic.statement_terms import quantity

std, order, rate = sp.symbols("s a q", positive=True)
loss = sp.Symbol("l", real=True)  # log of the order
zero = sp.Integer(0)
_argument = 1 / (2 * std) - std * loss
_RATE = "q = 1/4 known"


@cache
def invertible() -> Derivation:
    """`d/ds H_a(N(0,s^2)||N(1,s^2)) = -phi(1/(2s) - s log a)/s^2`, and H_a falls strictly in s, for every a > 0
    (KM-7.1).

    `number`: that derivative at `std` and `log_order` = log a.
    """
    value = Phi(_argument) - sp.exp(loss) * Phi(-std * loss - 1 / (2 * std))
    slope = -phi(_argument) / std**2
    level, wider = sp.log(order), sp.Symbol("t", positive=True)
    at = {loss: level}
    farther = mean_shift_order.derivative_in_shift().concludes[0].symbols["E"]

    def divergence(of: sp.Expr) -> sp.Expr:
        return quantity("mean_shift", 1 / of, level)

    steps = (
        Step("derivative", "The two terms have one exponential part.", lhs=sp.Derivative(value, std), rhs=slope),
        inferred(
            "derivative at a",
            "In the order a of the divergence.",
            sp.Derivative(value.subs(at), std),
            "=",
            slope.subs(at),
            Use("derivative", at=at),
        ),
        inferred(
            "profile",
            "The closed form (N26-P1) at the shift 1/s, eps = log a.",
            divergence(std),
            "=",
            value.subs(at),
            Use(
                "closed form",
                of=mean_shift.hockey_stick,
                at={mean_shift.shift: 1 / std, mean_shift.epsilon: level},
            ),
        ),
        inferred(
            "closer", "A larger std, a smaller shift,", 1 / std, ">", 1 / wider, Use("t > s", weight=1 / (std * wider))
        ),
        inferred(
            "strictly decreasing",
            "and a smaller divergence (BW-L7): one std for each value that is taken.",
            divergence(wider),
            "<",
            divergence(std),
            Use(
                "larger shift",
                of=mean_shift_order.derivative_in_shift,
                at={mean_shift.shift: 1 / wider, farther: 1 / std, mean_shift.epsilon: level},
                granted={"E > Delta": "closer"},
            ),
        ),
    )
    names = {"a": order, "s": std, "t": wider}
    return Derivation(
        id="tv_inference.invertible",
        title="A divergence of the Gaussian pair determines its standard deviation",
        sources=("KM-7.1",),
        hypotheses=(mean_shift.DEFINITE, Hypothesis("t > s", wider > std)),
        steps=steps,
        result_step="derivative",
        symbols={"std": std, "log_order": loss},
        faults=(
            Fault("sign", "derivative", lambda rhs: -rhs),
            Fault("s for s^2", "derivative", lambda rhs: rhs * std),
            Fault("order inverted", "profile", lambda rhs: rhs.subs(order, 1 / order)),
            Fault("half the divergence", "strictly decreasing", lambda rhs: rhs / 2),
        ),
        concludes=tuple(
            Conclusion("KM-7.1", end, names) for end in ("derivative at a", "profile", "strictly decreasing")
        ),
    )


@cache
def sensitivity_peak() -> Derivation:
    """|d/ds H_a| is largest at a = e^{1/(2 s^2)}, where it is 1/(sqrt(2 pi) s^2); at a = 1 it is e^{-1/(8 s^2)} of that
    (KM-7.2).

    `number`: the order at which it is largest, at `std`.
    """
    excess = sp.Symbol("k", positive=True)
    size = phi(_argument) / std**2
    best = 1 / (2 * std**2)
    steps = (
        Step("k", "k = s - 1.", lhs=excess, rhs=std - 1, kind="definition", premises=("s > 1",)),
        Step(
            "one square",
            "phi falls with the square of its argument, which is 0 at log a = 1/(2 s^2).",
            lhs=_argument,
            rhs=-std * (loss - best),
        ),
        Step(
            "nowhere larger",
            "Minus half of it is at most 0,",
            lhs=-(_argument**2) / 2,
            rhs=zero,
            relation="<=",
            witness=-(std**2) * (loss - best) ** 2 / 2,
            premises=("one square",),
        ),
        by_fact(
            "exponential",
            "and phi at most phi(0):",
            "exponentials keep the order",
            {"a": -(_argument**2) / 2, "b": zero},
            {"order": "nowhere larger"},
        ),
        Step(
            "largest",
            "the derivative in s is largest at b = e^{1/(2 s^2)}.",
            lhs=size.subs(loss, sp.log(order)),
            rhs=phi(0) / std**2,
            relation="<=",
            kind="inference",
            premises=(Use("exponential", at={loss: sp.log(order)}, weight=phi(0) / std**2),),
        ),
        Step(
            "derivative in log a",
            "Negative beyond the peak and positive before it: the only stationary point.",
            lhs=sp.Derivative(size, loss),
            rhs=phi(_argument) / std * (1 / (2 * std) - std * loss),
        ),
        Step("beyond 0", "1/(2 s^2) > 0,", lhs=zero, rhs=best, relation="<=", witness=-best),
        by_fact(
            "peak",
            "so the peak is beyond a = 1,",
            "exponentials keep the order",
            {"a": zero, "b": best},
            {"order": "beyond 0"},
        ),
        Step(
            "inside the printed interval",
            "At s = 1 + k:",
            lhs=1 / (2 * (1 + excess)) - 1 / (2 * (1 + excess) ** 2),
            rhs=zero,
            relation=">",
            witness=excess / (2 * (1 + excess) ** 2),
        ),
        Step(
            "below the end",
            "1/(2 s^2) < 1/(2s),",
            lhs=best,
            rhs=1 / (2 * std),
            relation="<=",
            kind="inference",
            premises=(Use("inside the printed interval", weight=-1), "k"),
        ),
        by_fact(
            "printed end",
            "so it is inside of the printed interval.",
            "exponentials keep the order",
            {"a": best, "b": 1 / (2 * std)},
            {"order": "below the end"},
        ),
        Step(
            "total variation",
            "At a = 1.",
            lhs=sp.Subs(phi(_argument) / phi(0), loss, 0),
            rhs=sp.exp(-1 / (8 * std**2)),
        ),
    )
    at = {"s": std, "a": order}
    return Derivation(
        id="tv_inference.sensitivity_peak",
        title="The order whose divergence depends most on the standard deviation",
        sources=("KM-7.2",),
        hypotheses=(Hypothesis("s > 1", std > 1),),
        steps=steps,
        result_step="peak",
        symbols={"std": std},
        faults=(
            Fault("end of the printed interval", "largest", lambda rhs: size.subs(loss, 1 / (2 * std))),
            Fault("total variation best", "total variation", lambda rhs: sp.Integer(1)),
            Fault("std left out of the derivative", "derivative in log a", lambda rhs: rhs * std),
        ),
        concludes=(
            *(Conclusion("KM-7.2", end, at) for end in ("largest", "peak", "printed end")),
            Conclusion("KM-7.2", "derivative in log a", part="the only stationary point"),
            Conclusion("KM-7.2", "total variation", part="the share of the total variation, a = 1"),
            Conclusion("KM-Fig7", "derivative in log a", part="one peak, for s > 1"),
            Conclusion("KM-Fig7", "largest", part="its height, for s > 1"),
        ),
    )


@cache
def mixed_order_derivative() -> Derivation:
    """`d/da d/ds H_a = -x phi(x)/(s a)`, x = 1/(2s) - s log a (KM-J.1).

    `number`: at `std` and `log_order` = log a.
    """
    slope = -phi(1 / (2 * std) - std * sp.log(order)) / std**2
    right = -(1 / (2 * std) - std * sp.log(order)) * phi(1 / (2 * std) - std * sp.log(order)) / (std * order)
    by_log = -_argument * phi(_argument) / (std * sp.exp(loss))
    steps = (
        Step("derivative in a", "Of tv_inference.invertible's result.", lhs=sp.Derivative(slope, order), rhs=right),
        Step(
            "at a = 1",
            "Negative, as the source says.",
            lhs=sp.Subs(right, order, 1),
            rhs=-sp.exp(-1 / (8 * std**2)) / (2 * sp.sqrt(2 * sp.pi) * std**2),
        ),
        Step("in log a", "a = e^l.", lhs=sp.Subs(right, order, sp.exp(loss)), rhs=by_log),
    )
    return Derivation(
        id="tv_inference.mixed_order_derivative",
        title="Derivative of the sensitivity with respect to the order",
        sources=("KM-7.2",),
        hypotheses=(),
        steps=steps,
        result_step="in log a",
        symbols={"std": std, "log_order": loss},
        faults=(
            Fault(
                "std missing from the argument",
                "derivative in a",
                lambda rhs: -(1 / (2 * std) - sp.log(order)) * phi(1 / (2 * std) - sp.log(order)) / (std * order),
            ),
            Fault("sign", "in log a", lambda rhs: -rhs),
        ),
        concludes=(
            Conclusion("KM-J.1-corrected", "derivative in a", {"s": std, "a": order}),
            Conclusion("KM-J.1-corrected", "at a = 1", part="its sign at a = 1"),
            Conclusion("KM-J.1-corrected", "in log a", part="through log a"),
        ),
    )


@cache
def subsampled_tv() -> Derivation:
    """`TV(q N(1,s^2) + (1-q) N(0,s^2), N(0,s^2)) = q (2 Phi(1/(2s)) - 1)`, decreasing in s (KM-S7-example, KM-eq5.1).

    `number`: at `rate` = q and `std` = s.
    """
    p, base = sp.symbols("p b", positive=True)
    value = rate * (2 * Phi(1 / (2 * std)) - 1)
    slope = -rate * phi(1 / (2 * std)) / std**2
    plain = mean_shift.hockey_stick().result.subs({mean_shift.shift: 1 / std, mean_shift.epsilon: zero})
    steps = (
        Step(
            "mixture",
            "The difference to the second component is q times that of the two Gaussians.",
            lhs=(rate * p + (1 - rate) * base) - base,
            rhs=rate * (p - base),
            premises=(_RATE,),
        ),
        Step(
            "two Gaussians",
            "mean_shift.hockey_stick at eps = 0.",
            lhs=plain,
            rhs=2 * Phi(1 / (2 * std)) - 1,
            reduce=_by_reflection,
        ),
        Step(
            "value",
            "Both together.",
            lhs=rate * held(Phi(1 / held(2 * std)) - held(1 - Phi(1 / held(2 * std)))),
            rhs=value,
            premises=("mixture", "two Gaussians"),
        ),
        Step("slope in s", "The slope,", lhs=sp.Derivative(value, std), rhs=slope),
        Step(
            "sign",
            "a density over a square with its sign turned, is negative: the function of s can be inverted.",
            lhs=slope,
            rhs=zero,
            relation="<",
            witness=slope,
            premises=("slope in s", "value"),
        ),
    )
    return Derivation(
        id="tv_inference.subsampled_tv",
        title="Total variation of the subsampled Gaussian pair",
        sources=("KM-S7-example",),
        hypotheses=(_RATE,),
        steps=steps,
        result_step="value",
        symbols={"rate": rate, "std": std},
        faults=(
            Fault("overlap for distance", "two Gaussians", lambda rhs: 1 - rhs),
            Fault("rate forgotten", "value", lambda rhs: rhs / rate),
            Fault("full distance in the argument", "value", lambda rhs: rate * (2 * Phi(1 / std) - 1)),
        ),
        concludes=(Conclusion("KM-S7-example", "sign", part="the function from TV to s"),),
    )


def _by_reflection(left: sp.Expr, right: sp.Expr) -> sp.Expr:
    """The difference with every Phi written through the odd function erf."""
    return (left - right).rewrite(sp.erf)
