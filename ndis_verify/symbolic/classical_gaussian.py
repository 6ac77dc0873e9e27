"""The classical std of the Gaussian mechanism, Delta sqrt(2 log(1.25/delta))/eps: what it gives, and that it suffices.

One bound of the normal tail that still holds a little beyond 0 does it without a case distinction.
"""

from __future__ import annotations

from functools import cache

import sympy as sp

from ndis_verify.symbolic import mean_shift
from ndis_verify.symbolic.derivation import Conclusion, Derivation, Fault, Hypothesis, Step, Use
from ndis_verify.symbolic.fact_steps import by_fact
from ndis_verify.symbolic.notation import below, beyond
from ndis_verify.symbolic.special_functions import Phi, phi
from ndis_verify.symbolic.statement_terms import quantity

c, delta, sensitivity, epsilon = sp.symbols("c delta Delta epsilon", positive=True)
m, v, k, y = sp.symbols("m v k y", positive=True)
tail_at = sp.Symbol("x", nonnegative=True)
zero = sp.Integer(0)

_LEAST, _LEVEL = sp.log(sp.Rational(5, 4)), sp.log(sp.Rational(5, 3))
_ROOT = sp.sqrt(2 * (_LEAST + sp.log(1 + m)))  # c, with delta = 1/(1 + m)
_BELOW_ONE = Hypothesis("delta < 1", delta < 1)
_BOUND = sp.Rational(5, 4) * sp.exp(-(c**2) / 2)
_SLACK = Step("room under 1", "m = 1/delta - 1.", lhs=m, rhs=1 / delta - 1, kind="definition", premises=("delta < 1",))


@cache
def reached() -> Derivation:
    """`delta_shift(eps/c; eps) = Phi(eps/(2c) - c) - e^eps Phi(-eps/(2c) - c)`, c = sqrt(2 log(1.25/delta)) (N24-C5).

    `number`: the delta reached, at the target `delta` and `epsilon`.
    """
    at = {mean_shift.shift: epsilon / c, mean_shift.epsilon: epsilon}
    steps = (
        Step(
            "through c",
            "The closed form at the shift Delta/std = eps/c.",
            lhs=quantity("mean_shift", epsilon / c, epsilon),
            rhs=_closed(c),
            kind="inference",
            premises=(Use("closed form", of=mean_shift.hockey_stick, at=at),),
        ),
        _SLACK,
        Step(
            "delta",
            "delta = 1/(1 + m).",
            lhs=delta,
            rhs=1 / (1 + m),
            kind="inference",
            premises=("room under 1",),
        ),
        *log_steps("delta"),
        Step(
            "delta reached",
            "At c = sqrt(2 log(1.25/delta)) = sqrt(2 log(1.25 (1 + m))).",
            lhs=quantity("mean_shift", epsilon / _root(), epsilon),
            rhs=_closed(_root()),
            kind="inference",
            premises=(
                "delta",
                Use("through c", at={c: _root().subs(delta, 1 / (1 + m))}),
                Use("log(1.25/delta)", weight=0),
            ),
        ),
    )
    return Derivation(
        id="classical_gaussian.reached",
        title="The delta that the classical std of the Gaussian mechanism gives",
        sources=("N24-C5",),
        hypotheses=(mean_shift.DEFINITE, _BELOW_ONE),
        steps=steps,
        result_step="delta reached",
        symbols={"delta": delta, "epsilon": epsilon},
        domain=(delta < 1,),
        faults=(
            Fault("e^eps dropped in the reached delta", "delta reached", lambda rhs: rhs.subs(sp.exp(epsilon), 1)),
            Fault("sign of eps", "through c", lambda rhs: rhs.subs(epsilon, -epsilon)),
        ),
        concludes=(Conclusion("N24-C5", "delta reached", {"eps": epsilon, "delta": delta, "Delta": sensitivity}),),
    )


def log_steps(*premises: str) -> tuple[Step, ...]:
    """log(1.25/delta) is positive; `premises`: that delta = 1/(1 + m)."""
    logs = _LEAST + sp.log(1 + m)
    return (
        Step("logarithms", "Positive are", lhs=logs, rhs=zero, relation=">", witness=logs),
        Step(
            "log(1.25/delta)",
            "and with them",
            lhs=sp.log(sp.Rational(5, 4) / delta),
            rhs=zero,
            relation=">",
            kind="inference",
            premises=("logarithms", *premises),
        ),
    )


def _root() -> sp.Expr:
    return sp.sqrt(2 * sp.log(sp.Rational(5, 4) / delta))


def _closed(root: sp.Expr) -> sp.Expr:
    return Phi(epsilon / (2 * root) - root) - sp.exp(epsilon) * Phi(-epsilon / (2 * root) - root)


def _tail_steps() -> tuple[Step, ...]:
    """Pr[Z > y - 2/5] <= (3/4) e^{-(y - 2/5)^2/2} for y >= 0."""
    shift, part = sp.Rational(2, 5), sp.Rational(3, 4)
    gap = part * sp.exp(-((tail_at - shift) ** 2) / 2) - Phi(shift - tail_at)
    turn = shift + 1 / (part * sp.sqrt(2 * sp.pi))
    slope = sp.Derivative(gap, tail_at)
    steepness = part * sp.sqrt(2 * sp.pi)
    start = part * sp.exp(-(shift**2) / 2)
    return (
        Step(
            "tail: start",
            "At y = 0 the bound is 0.692, the tail 0.655.",
            lhs=gap.subs(tail_at, 0),
            rhs=zero,
            relation=">=",
            witness=start - Phi(shift).rewrite(sp.erfc),
            reduce=lambda left, right: (left - right).rewrite(sp.erfc),
        ),
        Step(
            "tail: rises",
            "The gap rises before the turn,",
            lhs=sp.Subs(slope, tail_at, turn - below),
            rhs=zero,
            relation=">=",
            witness=phi(turn - below - shift) * below * steepness,
        ),
        Step(
            "tail: falls",
            "falls after it,",
            lhs=sp.Subs(slope, tail_at, turn + beyond),
            rhs=zero,
            relation="<=",
            witness=-phi(turn + beyond - shift) * beyond * steepness,
        ),
        Step("tail: end", "to 0.", lhs=sp.Limit(gap, tail_at, sp.oo), rhs=zero),
        by_fact(
            "tail",
            "So the bound holds from y = 0 on, the normal tail from -2/5 on.",
            "first up, then down",
            {"f": gap, "argument": tail_at, "turn": turn},
            {"start": "tail: start", "rises": "tail: rises", "falls": "tail: falls", "end": "tail: end"},
        ),
    )


def _notation() -> tuple[Step, ...]:
    """delta, eps and c = sqrt(2 log(1.25/delta)) through positive numbers m, v and k."""
    known = 2 * _LEAST - sp.Rational(4, 9)
    return (
        _SLACK,
        Step("eps", "v = 1/eps - 1.", lhs=v, rhs=1 / epsilon - 1, kind="definition", premises=("eps < 1",)),
        Step("c", "sqrt(2 log(1.25/delta)).", lhs=c, rhs=_ROOT, kind="definition", premises=("room under 1",)),
        Step(
            "above 2/3",
            "2 log 1.25 > 4/9.",
            lhs=_ROOT,
            rhs=sp.Rational(2, 3),
            relation=">",
            witness=known * (1 + 2 * sp.log(1 + m) / known) / (_ROOT + sp.Rational(2, 3)),
        ),
        Step(
            "c above 2/3",
            "So c > 2/3.",
            lhs=c,
            rhs=sp.Rational(2, 3),
            relation=">",
            kind="inference",
            premises=("above 2/3", "c"),
        ),
        Step(
            "room of c", "k = c - 2/3.", lhs=k, rhs=c - sp.Rational(2, 3), kind="definition", premises=("c above 2/3",)
        ),
    )


@cache
def private() -> Derivation:
    """std = Delta sqrt(2 log(1.25/delta))/eps is (eps, delta)-DP for 0 < eps < 1, 0 < delta < 1 (BW-T1).

    `number`: the bound of delta, at `c` = sqrt(2 log(1.25/delta)).
    """
    divergence = quantity("mean_shift", epsilon / c, epsilon)
    edge = c - epsilon / (2 * c)
    through, small = sp.Rational(2, 3) + k, 1 / (1 + v)  # c and eps
    inside = sp.expand(2 * through * (through + sp.Rational(2, 5)) * (1 + v) - 1) / (2 * through * (1 + v))
    room = _LEVEL - sp.Rational(1, 2)
    exponent = epsilon / 2 - epsilon**2 / (8 * c**2)
    spare = v / (2 * (1 + v)) + small**2 / (8 * c**2)
    steps = (
        *_notation(),
        Step(
            "second term dropped",
            "It is positive.",
            lhs=Phi(-edge),
            rhs=_closed(c),
            relation=">",
            witness=sp.exp(epsilon) * Phi(-epsilon / (2 * c) - c),
        ),
        *_tail_steps(),
        Step(
            "below the tail",
            "The divergence is below the tail at c - eps/(2c), which is above -2/5.",
            lhs=divergence,
            rhs=sp.Rational(3, 4) * sp.exp(-(edge**2) / 2),
            relation="<",
            kind="inference",
            premises=(
                Use("second term dropped", weight=-1),
                Use("tail", at={tail_at: inside}, weight=-1),
                Use("through c", of=reached),
                "room of c",
                "eps",
            ),
        ),
        Step(
            "exponent below log(5/3)",
            "eps/2 - eps^2/(8 c^2) < 1/2 < log(5/3), at eps = 1/(1 + v).",
            lhs=exponent.subs(epsilon, small),
            rhs=_LEVEL,
            relation="<=",
            witness=-room * (1 + spare / room),
        ),
        by_fact(
            "cross term",
            "So e^{c eps/(2c)} costs at most 5/3:",
            "exponentials keep the order",
            {"a": exponent.subs(epsilon, small), "b": _LEVEL},
            {"order": "exponent below log(5/3)"},
        ),
        Step(
            "bound",
            "(3/4) (5/3) = 5/4.",
            lhs=divergence,
            rhs=_BOUND,
            relation="<",
            kind="inference",
            premises=("below the tail", Use("cross term", weight=sp.Rational(3, 4) * sp.exp(-(c**2) / 2)), "eps"),
        ),
        Step("delta", "delta = 1/(1 + m).", delta, 1 / (1 + m), kind="inference", premises=("room under 1",)),
        *log_steps("delta"),
        Step(
            "classical std",
            "1.25 e^{-c^2/2} is delta.",
            lhs=quantity("mean_shift", epsilon / _root(), epsilon),
            rhs=delta,
            relation="<",
            kind="inference",
            premises=("bound", "c", "room under 1", Use("log(1.25/delta)", weight=0)),
        ),
    )
    return Derivation(
        id="classical_gaussian.private",
        title="The classical Gaussian mechanism is (eps, delta)-DP for eps < 1",
        sources=("BW-T1",),
        hypotheses=(mean_shift.DEFINITE, _BELOW_ONE, Hypothesis("eps < 1", epsilon < 1)),
        steps=steps,
        result_step="bound",
        symbols={"c": c},
        faults=(
            Fault("1.2 in place of 1.25", "bound", lambda rhs: rhs * sp.Rational(24, 25)),
            Fault("cross term lost", "below the tail", lambda rhs: sp.Rational(3, 4) * sp.exp(-(c**2) / 2)),
            Fault("log(5/3) < 1/2 claimed", "exponent below log(5/3)", lambda rhs: sp.Rational(1, 2) - _LEVEL),
            Fault("half of delta", "classical std", lambda rhs: rhs / 2),
            Fault("c above 1", "above 2/3", lambda rhs: sp.Integer(1)),
        ),
        concludes=(Conclusion("BW-T1", "classical std", {"eps": epsilon, "delta": delta, "Delta": sensitivity}),),
    )
