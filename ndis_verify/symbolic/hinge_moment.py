"""The hinge below an exponential: what Markov's inequality becomes where a divergence is the mean of a hinge."""

from __future__ import annotations

import sympy as sp

from ndis_verify.symbolic.derivation import Step, Use
from ndis_verify.symbolic.fact_steps import by_fact
from ndis_verify.symbolic.notation import average, below, beyond

s = sp.Symbol("s", positive=True)
loss, excess = sp.Symbol("L", real=True), sp.Symbol("x", real=True)
CONSTANT = sp.exp(s * sp.log(s) - (1 + s) * sp.log(1 + s))  # s^s (1 + s)^{-1 - s}
_hinge, _bound = sp.Max(0, 1 - sp.exp(-excess)), CONSTANT * sp.exp(s * excess)
_zero, _one = sp.Integer(0), sp.Integer(1)


def markov_steps(epsilon: sp.Expr, finite: str) -> tuple[Step, ...]:
    """E max(0, 1 - e^{-(L - eps)}) <= s^s (1+s)^{-1-s} e^{-s eps} E e^{sL} for s > 0; the last step says so.

    finite: the step that says that E e^{sL} is finite.
    """
    hinge, below_mean = _hinge.subs(excess, loss - epsilon), CONSTANT * sp.exp(-s * epsilon)
    bound = below_mean * sp.exp(s * loss)
    return (
        *_above_steps(),
        *_below_steps(),
        by_fact(
            "hinge below the exponential",
            "max(0, 1 - e^{-x}) <= s^s (1+s)^{-1-s} e^{sx} for every real x.",
            "both sides of an edge",
            {"f": _hinge, "g": _bound, "argument": excess, "edge": _zero},
            {"above": "hinge at x > 0", "below": "hinge at x <= 0"},
        ),
        by_fact(
            "means of both",
            "At x = L - eps, in the mean under P: delta = E_P max(0, 1 - e^{-(L - eps)}).",
            "means keep the order",
            {"mean": average, "f": hinge, "g": bound},
            {
                "pointwise": Step(
                    "at L - eps",
                    "The inequality at x = L - eps.",
                    lhs=hinge,
                    rhs=bound,
                    relation="<=",
                    kind="inference",
                    premises=(Use("hinge below the exponential", at={excess: loss - epsilon}),),
                ),
                "integrable": finite,
            },
        ),
        by_fact(
            "constants out",
            "What does not depend on the draw comes out.",
            "means are linear",
            {"mean": average, "terms": ((below_mean, sp.exp(s * loss)),)},
            {"integrable": finite},
        ),
        Step(
            "Markov on the hinge",
            "delta <= s^s (1+s)^{-1-s} e^{-s eps} E_P e^{sL}.",
            lhs=average(hinge),
            rhs=below_mean * average(sp.exp(s * loss)),
            relation="<=",
            kind="inference",
            premises=("means of both", "constants out"),
        ),
    )


def _above_steps() -> tuple[Step, ...]:
    """The hinge at x = v > 0, from log y <= y - 1 at three points."""
    y, left = sp.exp(-below), 1 - sp.exp(-below)
    tangents = ((sp.exp(below), "e^v"), (y * (1 + s) / s, "e^{-v} (1+s)/s"))
    return (
        *(
            by_fact(
                f"tangent at {shown}",
                f"log y <= y - 1 at y = {shown}.",
                "logarithm below its tangent",
                {"y": value},
                {"positive": Step("positive", "It is.", lhs=value, rhs=_zero, relation=">", witness=value)},
            )
            for value, shown in tangents
        ),
        Step("v > 0", "The distance from the edge.", lhs=below, rhs=_zero, relation=">", witness=below),
        Step(
            "1 - e^{-v} > 0",
            "1 - e^{-v} = e^{-v} (e^v - 1) >= e^{-v} v.",
            lhs=(1 + s) * left,
            rhs=_zero,
            relation=">",
            kind="inference",
            premises=(Use("tangent at e^v", weight=-(1 + s) * y), Use("v > 0", weight=(1 + s) * y)),
        ),
        by_fact(
            "tangent at (1+s) (1 - e^{-v})",
            "log y <= y - 1 at y = (1+s) (1 - e^{-v}).",
            "logarithm below its tangent",
            {"y": (1 + s) * left},
            {"positive": "1 - e^{-v} > 0"},
        ),
        Step(
            "logarithm of the product",
            "s times the one tangent and the other: v drops out on the right.",
            lhs=s * sp.log(y * (1 + s) / s) + sp.log((1 + s) * left),
            rhs=_zero,
            relation="<=",
            kind="inference",
            premises=(Use("tangent at e^{-v} (1+s)/s", weight=s), "tangent at (1+s) (1 - e^{-v})"),
        ),
        by_fact(
            "product",
            "(e^{-v} (1+s)/s)^s (1+s) (1 - e^{-v}) <= 1.",
            "exponentials keep the order",
            {"a": s * sp.log(y * (1 + s) / s) + sp.log((1 + s) * left), "b": _zero},
            {"order": "logarithm of the product"},
        ),
        Step(
            "1 - e^{-v} at v > 0",
            "times s^s (1+s)^{-1-s} e^{sv}.",
            lhs=left,
            rhs=_bound.subs(excess, below),
            relation="<=",
            kind="inference",
            premises=(Use("product", weight=_bound.subs(excess, below)),),
        ),
        _larger("hinge at x > 0", below, "1 - e^{-v} at v > 0"),
    )


def _below_steps() -> tuple[Step, ...]:
    """The hinge at x = -w, w >= 0, where it is 0."""
    high = sp.exp(beyond)
    positive = Step("positive", "It is.", lhs=high, rhs=_zero, relation=">", witness=high)
    bound = _bound.subs(excess, -beyond)
    return (
        by_fact(
            "tangent at e^w",
            "log y <= y - 1 at y = e^w.",
            "logarithm below its tangent",
            {"y": high},
            {"positive": positive},
        ),
        Step(
            "-w",
            "The bound is positive.",
            lhs=-beyond,
            rhs=bound,
            relation="<=",
            witness=-beyond - bound,
        ),
        Step(
            "1 - e^w at w >= 0",
            "1 - e^w <= -w.",
            lhs=1 - high,
            rhs=bound,
            relation="<=",
            kind="inference",
            premises=("tangent at e^w", "-w"),
        ),
        _larger("hinge at x <= 0", -beyond, "1 - e^w at w >= 0"),
    )


def _larger(name: str, at: sp.Expr, other: str) -> Step:
    bound = _bound.subs(excess, at)
    return by_fact(
        name,
        "The bound is above 0 too.",
        "larger of two numbers",
        {"one": _zero, "other": 1 - sp.exp(-at), "bound": bound},
        {"one": Step("0", "It is positive.", lhs=_zero, rhs=bound, relation="<=", witness=-bound), "other": other},
    )
