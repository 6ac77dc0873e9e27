"""The two errors of a threshold on a Laplace variable: where they are, and what their normal quantiles add up to."""

from __future__ import annotations

from functools import cache
from typing import Any

import sympy as sp

from ndis_verify.symbolic.derivation import Step, Use
from ndis_verify.symbolic.fact_steps import by_fact, inferred, named
from ndis_verify.symbolic.normal_log_concavity import (
    MIDPOINT,
    SUM,
    apart,
    far,
    log_concavity_steps,
    log_phi,
    middle,
    near,
)
from ndis_verify.symbolic.notation import below, beyond
from ndis_verify.symbolic.special_functions import Phi, as_erfc, phi
from ndis_verify.symbolic.statement_terms import quantity

mu = sp.Symbol("mu", positive=True)
k, r, W, E = sp.symbols("k r W E", nonnegative=True)
x, t = sp.symbols("x t", real=True)
other = sp.Symbol("s", nonnegative=True)
zero, one = sp.Integer(0), sp.Integer(1)
FURTHER, BETWEEN, EVERY = "beyond the shift", "between both", "every threshold"


def half_power(of: Any) -> sp.Expr:
    """The probability that a Laplace variable is beyond a number that is not negative."""
    return sp.exp(-of) / 2


def quantile(of: Any) -> sp.Expr:
    """The normal quantile as statements have it."""
    return quantity("Phi_inverse", of)


def missed(at: Any) -> sp.Expr:
    """The type II error at a distance from the shift: the distribution function of Lap(0, 1)."""
    return sp.exp(sp.Min(0, at)) / 2 + (1 - sp.exp(-sp.Max(0, at))) / 2


def rejected(at: Any) -> sp.Expr:
    """The type I error at a threshold."""
    return sp.exp(-sp.Max(0, at)) / 2 + (1 - sp.exp(sp.Min(0, at))) / 2


def both(size: Any, miss: Any) -> sp.Expr:
    """The GDP parameter that a test of these errors asks for."""
    return -quantile(size) - quantile(miss)


LEAST = both(half_power(mu / 2), half_power(mu / 2))


def _quantile_steps() -> tuple[Step, ...]:
    """Of the probability e^{-k}/2, k >= 0, and of what it leaves."""
    at, p = quantile(half_power(k)), half_power(k)
    nearer = quantile(half_power(k + r))
    return (
        Step("one", "As 1 > 0", one, zero, ">", one),
        by_fact(
            "e^-k",
            "and e^{-k} <= 1 for k >= 0,",
            "exponentials keep the order",
            {"a": -k, "b": zero},
            {"order": Step("order", "", -k, zero, "<=", -k)},
        ),
        Step("above 0", "e^{-k}/2 is a probability,", p, zero, ">", p),
        inferred("below 1", "neither 0 nor 1:", p, "<", one, Use("e^-k", weight=sp.Rational(1, 2)), *_half("one")),
        by_fact(
            "at its quantile",
            "Phi is e^{-k}/2 at its quantile x(k),",
            "probability of a normal quantile",
            {"y": p},
            {"above 0": "above 0", "below 1": "below 1"},
        ),
        inferred("logarithm", "and its logarithm -k - log 2.", log_phi(at), "=", -k - sp.log(2), "at its quantile"),
        Step("half", "Phi(0) = 1/2.", Phi(zero), sp.Rational(1, 2), reduce=as_erfc),
        Step(
            "rises",
            "log Phi increases:",
            sp.Derivative(log_phi(x), x),
            zero,
            ">",
            phi(x) / Phi(x),
        ),
        Step("k", "a larger k has", k, zero, ">=", k),
        Step("r", "a smaller quantile,", r, zero, ">=", r),
        *_in_order("below 0", "x(k) <= 0", (zero, at), (log_phi(zero), log_phi(at)), ("k", "logarithm", "half")),
        *_in_order(
            "falls",
            "and x(k + r) <= x(k).",
            (at, nearer),
            (log_phi(at), log_phi(nearer)),
            ("r", "logarithm", Use("logarithm", at={k: k + r})),
        ),
        Step("reflection", "Phi(-x) = 1 - Phi(x):", Phi(-x), 1 - Phi(x), reduce=as_erfc),
        inferred(
            "what it leaves",
            "1 - e^{-k}/2 is Phi at -x(k),",
            1 - p,
            "=",
            Phi(-at),
            *(Use("reflection", at={x: at}), "at its quantile"),
        ),
        by_fact(
            "quantile",
            "a quantile of a normal probability,",
            "quantile of a normal probability",
            {"x": x},
            {},
        ),
        inferred(
            "its quantile",
            "so that -x(k) is its quantile.",
            quantile(1 - p),
            "=",
            -at,
            *("what it leaves", Use("quantile", at={x: -at})),
        ),
    )


def _half(name: str) -> tuple[Use, ...]:
    return (Use(name, weight=-sp.Rational(1, 2)),)


def _in_order(
    name: str, why: str, numbers: tuple[sp.Expr, sp.Expr], values: tuple[sp.Expr, sp.Expr], premises: tuple[Any, ...]
) -> tuple[Step, Step]:
    """The first of two numbers is at least the second, because log Phi is."""
    high, low = numbers
    return (
        inferred(f"{name}, values", "As their values are in order,", values[0], ">=", values[1], *premises),
        by_fact(
            name,
            why,
            "a rising function, two values",
            {"f": log_phi(x), "argument": x, "low": low, "high": high},
            {"rises": "rises", "values": f"{name}, values"},
        ),
    )


def _case_steps() -> tuple[Step, ...]:
    """Where one error is e^{-k - mu}/2 and the other one 1 - e^{-k}/2, and where they are e^{-k}/2 and e^{-r}/2."""
    near_, far_, centre = (quantile(half_power(at)) for at in (k, mu + k, mu / 2))
    equal = quantile(half_power((k + r) / 2))
    pair = (quantile(half_power(k)) + quantile(half_power(r))) / 2
    apart_ = (quantile(half_power(r)) - quantile(half_power(k))) / 2
    return (
        named(W, "W = -x(k) is not negative,", -near_, "below 0"),
        inferred("distance", "nor is", near_ - far_, ">=", zero, Use("falls", at={r: mu})),
        named(E, "E = x(k) - x(mu + k).", near_ - far_, "distance"),
        *_in_order(
            "half of E",
            "-E/2 is at least x(mu/2), because log Phi is concave,",
            (-E / 2, centre),
            (log_phi(-E / 2), log_phi(centre)),
            (
                Use(SUM, at={near: W, far: E}, weight=sp.Rational(1, 2)),
                Use(MIDPOINT, at={middle: -E / 2, apart: -E / 2}, weight=-sp.Rational(1, 2)),
                *("E", "W", "logarithm", Use("logarithm", at={k: mu + k}), Use("logarithm", at={k: mu / 2}), "half"),
            ),
        ),
        inferred(
            FURTHER,
            "which is -x(mu + k) + x(k) <= -2 x(mu/2).",
            both(half_power(mu + k), 1 - half_power(k)),
            "<=",
            LEAST,
            *(Use("half of E", weight=-2), "its quantile", "E"),
        ),
        *_in_order(
            "middle of both",
            "The middle of x(k) and x(r) is at least x((k + r)/2),",
            (pair, equal),
            (log_phi(pair), log_phi(equal)),
            (
                Use(MIDPOINT, at={middle: pair, apart: apart_}, weight=-sp.Rational(1, 2)),
                *("logarithm", Use("logarithm", at={k: r}), Use("logarithm", at={k: (k + r) / 2})),
            ),
        ),
        inferred(
            BETWEEN,
            "and the sum of both at least twice that.",
            both(half_power(k), half_power(r)),
            "<=",
            both(half_power((k + r) / 2), half_power((k + r) / 2)),
            Use("middle of both", weight=-2),
        ),
    )


def _threshold_steps() -> tuple[Step, ...]:
    """The parameter that the test x > t asks for is at most `LEAST`, wherever t is."""
    asked = both(rejected(t), missed(t - mu))
    inside = sp.Max(0, t)
    nearest = sp.Max(0, mu - beyond)  # the threshold mu - w, or 0
    return (
        inferred(
            "beyond",
            "A threshold beyond the shift:",
            asked.subs(t, inside).subs(t, mu + below),
            "<=",
            LEAST,
            Use(FURTHER, at={k: below}),
        ),
        Step("nearest", "One before it, but not below 0,", nearest, mu, "<=", -sp.Min(mu, beyond)),
        named(other, "is at a distance s from it.", mu - nearest, "nearest"),
        inferred("distance s", "By its name,", nearest - mu, "=", -other, "s"),
        inferred(
            "before",
            "the errors are e^{-t}/2 and e^{-s}/2:",
            asked.subs(t, inside).subs(t, mu - beyond),
            "<=",
            LEAST,
            *(Use(BETWEEN, at={k: nearest, r: other}), "distance s", "s"),
        ),
        by_fact(
            "from 0 on",
            "These are all thresholds from 0 on.",
            "both sides of an edge",
            {"f": asked.subs(t, inside), "g": LEAST, "argument": t, "edge": mu},
            {"above": "beyond", "below": "before"},
        ),
        inferred("above 0, t", "Above 0", asked.subs(t, below), "<=", LEAST, Use("from 0 on", at={t: below})),
        inferred(
            "below 0, t",
            "and below it, where the errors are those of a threshold beyond the shift, exchanged,",
            asked.subs(t, -beyond),
            "<=",
            LEAST,
            Use(FURTHER, at={k: beyond}),
        ),
        by_fact(
            EVERY,
            "no test asks for more.",
            "both sides of an edge",
            {"f": asked, "g": LEAST, "argument": t, "edge": zero},
            {"above": "above 0, t", "below": "below 0, t"},
        ),
    )


@cache
def laplace_threshold_steps() -> tuple[Step, ...]:
    """A test x > t asks for no larger parameter than equal errors do (`EVERY`)."""
    return (*log_concavity_steps(), *_quantile_steps(), *_case_steps(), *_threshold_steps())
