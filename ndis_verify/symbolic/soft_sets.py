"""What a test of two laws on finitely many points gains: never more than their divergence."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import sympy as sp

from ndis_verify.symbolic.derivation import Conclusion, Derivation, Fault, Hypothesis, Step, Use
from ndis_verify.symbolic.fact_steps import by_fact
from ndis_verify.symbolic.nearby_laws import at_most, in_order, linear
from ndis_verify.symbolic.notation import law
from ndis_verify.symbolic.statement_terms import quantity

P, Q, test = sp.symbols("p q t", real=True)  # two laws, and how likely a test rejects at each point
epsilon, y, z = sp.symbols("epsilon y z", real=True)
growth = sp.Symbol("c", positive=True)  # e^eps
power, level, size, bound = sp.symbols("a b x delta", real=True)

_NAMES = {"p": P, "q": Q, "t": test, "a": growth, "x": size}


def _sum(f: Any) -> Any:
    return quantity("sum", f)


_p, _q, _t = (quantity("coordinate", vector) for vector in (P, Q, test))
_ON_P, _ON_Q = _sum(_t * _p), _sum(_t * _q)  # how likely the test rejects under either law
_TEST = (Hypothesis("t_i >= 0", sp.Ge(_t, 0)), Hypothesis("t_i <= 1", sp.Le(_t, 1)))
_INSIDE = Hypothesis("t_i (p_i - e^eps q_i) >= 0", sp.Ge(_t * (_p - sp.exp(epsilon) * _q), 0))
_OUTSIDE = Hypothesis("(1 - t_i) (p_i - e^eps q_i) <= 0", sp.Le((1 - _t) * (_p - sp.exp(epsilon) * _q), 0))
_LAWS = tuple(Hypothesis(f"{vector} is a law", law(vector)) for vector in (P, Q))
_POWER = Hypothesis("a <= sum_i t_i p_i", sp.Le(power, _ON_P))
_LEVEL = Hypothesis("sum_i t_i q_i <= b", sp.Le(_ON_Q, level))
_SIZE = Hypothesis("sum_i t_i p_i <= x", sp.Le(_ON_P, size))


def _divergence(first: Any, second: Any, c: Any) -> Any:
    """The sum of the positive parts of first_i - c second_i."""
    return _sum(sp.Max(0, first - c * second))


@cache
def gain_of_a_test() -> Derivation:
    """sum t_i p_i - e^eps sum t_i q_i <= sum max(0, p_i - e^eps q_i) for 0 <= t_i <= 1 (KM-2.2)."""
    gap = _p - growth * _q
    share = _t * _p - growth * _t * _q
    steps = (
        Step("points", "Finitely many; every sum over them is finite.", kind="definition"),
        at_most(
            "each point",
            "t y <= max(0, y): at most all of what is gained, and nothing of what is lost.",
            share,
            sp.Max(0, gap),
            Use("t_i <= 1", weight=sp.Max(0, gap)),
            Use("t_i >= 0", weight=-sp.Max(0, -gap)),
        ),
        in_order("added up", "Over all points.", _sum, (share, sp.Max(0, gap)), ("each point", "points")),
        linear("linear", "The sum is P(t) - c Q(t).", _sum, ((sp.Integer(1), _t * _p), (-growth, _t * _q)), "points"),
        at_most(
            "gain", "What the test gains.", _ON_P - growth * _ON_Q, _divergence(_p, _q, growth), "added up", "linear"
        ),
        at_most(
            "gain at eps",
            "At c = e^eps.",
            _ON_P - sp.exp(epsilon) * _ON_Q,
            _divergence(_p, _q, sp.exp(epsilon)),
            Use("gain", at={growth: sp.exp(epsilon)}),
        ),
    )
    return Derivation(
        id="soft_sets.gain_of_a_test",
        title="No test gains more than the divergence",
        sources=("KM-2.2",),
        hypotheses=_TEST,
        steps=steps,
        result_step="gain at eps",
        symbols={"p": P, "q": Q, "epsilon": epsilon},
        faults=(
            Fault("half the divergence", "gain", lambda rhs: rhs / 2),
            Fault("Q not weighted", "each point", lambda rhs: rhs.subs(growth, 1)),
        ),
        concludes=(Conclusion("KM-2.2", "gain at eps", {"p": P, "q": Q, "t": test, "eps": epsilon}),),
    )


@cache
def event_of_the_loss() -> Derivation:
    """sum max(0, p_i - e^eps q_i) = sum t_i p_i - e^eps sum t_i q_i where t_i is 1 at p_i > e^eps q_i, 0 at
    p_i < e^eps q_i and anything between where they are equal (BW-T5).
    """
    c = sp.exp(epsilon)
    gap, share = _p - c * _q, _t * _p - c * _t * _q
    hinge = sp.Max(0, gap)
    steps = (
        Step("points", "Finitely many; every sum over them is finite.", kind="definition"),
        at_most("inside", "Where a point is not in the event whole, p_i <= e^eps q_i,", gap, share, Use(_OUTSIDE.text)),
        at_most(
            "outside",
            "and where it is in it at all, p_i >= e^eps q_i:",
            sp.Integer(0),
            share,
            Use(_INSIDE.text, weight=-1),
        ),
        by_fact(
            "each point",
            "the event has all that is gained.",
            "larger of two numbers",
            {"one": sp.Integer(0), "other": gap, "bound": share},
            {"one": "outside", "other": "inside"},
        ),
        in_order("added up", "Over all points.", _sum, (hinge, share), ("each point", "points")),
        linear("linear", "The sum is the difference.", _sum, ((sp.Integer(1), _t * _p), (-c, _t * _q)), "points"),
        at_most("attained", "The event attains it,", _sum(hinge), _ON_P - c * _ON_Q, "added up", "linear"),
        at_most(
            "not exceeded",
            "and no event gains more:",
            _ON_P - c * _ON_Q,
            _sum(hinge),
            Use("gain at eps", of=gain_of_a_test),
        ),
        by_fact(
            "two tails",
            "that is the divergence.",
            "neither is greater",
            {"one": _ON_P - c * _ON_Q, "other": _sum(hinge)},
            {"one": "not exceeded", "other": "attained"},
        ),
    )
    return Derivation(
        id="soft_sets.event_of_the_loss",
        title="The divergence is what the event of a loss above epsilon gains",
        sources=("BW-T5",),
        hypotheses=(*_TEST, _INSIDE, _OUTSIDE),
        steps=steps,
        result_step="two tails",
        symbols={"p": P, "q": Q, "t": test, "epsilon": epsilon},
        faults=(
            Fault("half the event", "attained", lambda rhs: rhs / 2),
            Fault("Q not weighted", "attained", lambda rhs: rhs.subs(epsilon, 0)),
        ),
        concludes=(Conclusion("BW-T5", "two tails", {"p": P, "q": Q, "t": test, "eps": epsilon}),),
    )


@cache
def limits_of_a_test() -> Derivation:
    """P(t) >= a and Q(t) <= b show a divergence of at least a - e^eps b (KM-Alg2-corrected).

    `number`: that limit at `a`, `b` and `epsilon`.
    """
    c = sp.exp(epsilon)
    steps = (
        Step(
            "limit",
            "a - e^eps b <= P(t) - e^eps Q(t), which is at most the divergence.",
            lhs=_divergence(_p, _q, c),
            rhs=power - c * level,
            relation=">=",
            kind="inference",
            premises=(
                Use("gain at eps", of=gain_of_a_test, weight=-1),
                Use(_POWER.text, weight=-1),
                Use(_LEVEL.text, weight=-c),
            ),
        ),
    )
    return Derivation(
        id="soft_sets.limits_of_a_test",
        title="Limits of the two masses of a set bound the divergence below",
        sources=("KM-Alg2-corrected",),
        hypotheses=(*_TEST, _POWER, _LEVEL),
        steps=steps,
        result_step="limit",
        symbols={"a": power, "b": level, "epsilon": epsilon},
        faults=(
            Fault("masses added", "limit", lambda rhs: power + c * level),
            Fault("Q not weighted", "limit", lambda rhs: power - level),
        ),
        concludes=(
            Conclusion(
                "KM-Alg2-corrected",
                "limit",
                {"p": P, "q": Q, "t": test, "eps": epsilon, "a": power, "b": level},
            ),
        ),
    )


def _mass(vector: sp.Symbol) -> Step:
    return by_fact(f"mass of {vector}", "A law.", "a law has mass one", {"law": vector}, {"law": f"{vector} is a law"})


def _not_rejected(vector: sp.Symbol) -> Step:
    """sum (1 - t_i) p_i = sum p_i - sum t_i p_i."""
    one = quantity("coordinate", vector)
    terms = ((sp.Integer(1), one), (sp.Integer(-1), _t * one))
    why = "What the other test, 1 - t, rejects."
    return replace(linear(f"not rejected under {vector}", why, _sum, terms, "points"), lhs=_sum((1 - _t) * one))


@cache
def lines_below_tests() -> Derivation:
    """1 - h - c x <= b and (1 - h - x)/c <= b: both lines of h, the larger divergence of the two orders at c, lie below
    the error b of the second kind of a test of size x (KM-2.7).
    """
    of_p, of_q = _divergence(_p, _q, growth), _divergence(_q, _p, growth)
    profile = sp.Max(of_p, of_q)
    steps = (
        Step("points", "Finitely many; every sum over them is finite.", kind="definition"),
        Step(
            "either",
            "Of two numbers, neither exceeds the larger one.",
            lhs=y,
            rhs=sp.Max(y, z),
            relation="<=",
            witness=-sp.Max(0, z - y),
            reduce=lambda left, right: (left - right).rewrite(sp.Abs),
        ),
        at_most(
            "first line",
            "Q(t) <= c P(t) + D(Q, P; c), P(t) <= x and D(Q, P; c) <= h.",
            1 - profile - growth * size,
            1 - _ON_Q,
            Use("gain", of=gain_of_a_test, at={P: Q, Q: P}),
            Use("either", at={y: of_q, z: of_p}),
            Use(_SIZE.text, weight=growth),
        ),
        *(_mass(vector) for vector in (P, Q)),
        *(_not_rejected(vector) for vector in (P, Q)),
        at_most("1 - t_i <= 1", "The other test, 1 - t, is one:", 1 - _t, sp.Integer(1), Use("t_i >= 0", weight=-1)),
        Step(
            "1 - t_i >= 0",
            "its shares are between 0 and 1.",
            lhs=1 - _t,
            rhs=sp.Integer(0),
            relation=">=",
            kind="inference",
            premises=(Use("t_i <= 1", weight=-1),),
        ),
        at_most(
            "second line",
            "1 - P(t) <= c (1 - Q(t)) + D(P, Q; c), P(t) <= x and D(P, Q; c) <= h.",
            (1 - profile - size) / growth,
            1 - _ON_Q,
            Use(
                "gain",
                of=gain_of_a_test,
                at={_t: 1 - _t},
                weight=1 / growth,
                granted={"t_i >= 0": "1 - t_i >= 0", "t_i <= 1": "1 - t_i <= 1"},
            ),
            Use("either", at={y: of_p, z: of_q}, weight=1 / growth),
            Use(_SIZE.text, weight=1 / growth),
            *(f"not rejected under {vector}" for vector in (P, Q)),
            *(f"mass of {vector}" for vector in (P, Q)),
        ),
    )
    return Derivation(
        id="soft_sets.lines_below_tests",
        title="Two lines of the profile lie below every test",
        sources=("KM-2.7",),
        hypotheses=(*_TEST, *_LAWS, _SIZE),
        steps=steps,
        result_step="either",
        symbols={"y": y, "z": z},
        faults=(
            Fault("divergence not weighted", "second line", lambda rhs: rhs - profile),
            Fault("size twice", "first line", lambda rhs: rhs - growth * size),
            Fault("the smaller one", "either", lambda rhs: sp.Min(y, z)),
        ),
        concludes=tuple(Conclusion("KM-2.7", line, _NAMES) for line in ("first line", "second line")),
    )


@cache
def lines_of_a_grid() -> Derivation:
    """1 - delta - c x <= b and (1 - delta - x)/c <= b where h <= delta: limits of the profile draw lines below every
    test (KM-Alg1).
    """
    above = Hypothesis("h <= delta", sp.Le(sp.Max(_divergence(_p, _q, growth), _divergence(_q, _p, growth)), bound))
    steps = (
        at_most(
            "first line",
            "It lies below that of h,",
            1 - bound - growth * size,
            1 - _ON_Q,
            Use("first line", of=lines_below_tests),
            Use(above.text),
        ),
        at_most(
            "second line",
            "and so does the other.",
            (1 - bound - size) / growth,
            1 - _ON_Q,
            Use("second line", of=lines_below_tests),
            Use(above.text, weight=1 / growth),
        ),
    )
    return Derivation(
        id="soft_sets.lines_of_a_grid",
        title="Lines of upper limits of the profile lie below every test",
        sources=("KM-Alg1",),
        hypotheses=(*_TEST, *_LAWS, _SIZE, above),
        steps=steps,
        result_step="second line",
        symbols={"t": test, "q": Q},
        faults=(
            Fault("limit twice", "first line", lambda rhs: rhs - bound),
            Fault("accepted for rejected", "second line", lambda rhs: 1 - rhs),
        ),
        concludes=tuple(
            Conclusion("KM-Alg1", line, {**_NAMES, "delta": bound}) for line in ("first line", "second line")
        ),
    )
