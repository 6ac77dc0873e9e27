"""The trade-off curve of two Laplace laws, at the type I error of every threshold."""

from __future__ import annotations

from functools import cache
from typing import Any

import sympy as sp

from ndis_verify.symbolic.derivation import Step, Use
from ndis_verify.symbolic.fact_steps import by_fact, inferred, named
from ndis_verify.symbolic.laplace_errors import k, missed, mu, other, r, rejected, t
from ndis_verify.symbolic.notation import below, beyond

a, b = sp.symbols("a b", positive=True)
y = sp.Symbol("y", real=True)
zero, one, half = sp.Integer(0), sp.Integer(1), sp.Rational(1, 2)
EVERY = "every threshold"


def curve(shift: Any, size: Any) -> sp.Expr:
    """1 - e^mu a, e^{-mu}/(4 a) and e^{-mu} (1 - a) in one: the middle branch, with its tangents beyond its ends."""
    inside = sp.Min(half, sp.Max(sp.exp(-shift) / 2, size))
    return sp.exp(-shift) / (4 * inside) - sp.exp(-shift) * (size - inside) / (4 * inside**2)


def _is_0(name: str, why: str, value: sp.Expr, shown: str) -> tuple[Step, Step, Step]:
    """The positive part of what is not positive."""
    part = sp.Max(0, value)
    return (
        by_fact(
            f"{name} at most 0",
            why,
            "larger of two numbers",
            {"one": zero, "other": value, "bound": zero},
            {"one": Step("0", "", zero, zero, "<=", zero), "other": shown},
        ),
        Step(f"{name} at least 0", "a positive part is not negative,", zero, part, "<=", -part),
        by_fact(
            name,
            "and so it is 0.",
            "neither is greater",
            {"one": part, "other": zero},
            {"one": f"{name} at most 0", "other": f"{name} at least 0"},
        ),
    )


def _branch(name: str, why: str, at: Any, *premises: str | Use, shift: Any = mu) -> Step:
    """The curve is the other error at a threshold."""
    return inferred(name, why, missed(at - shift), "=", curve(shift, rejected(at)), *premises)


def _larger(near: Any, more: Any) -> tuple[Use, Use]:
    """e^{-near} is larger than e^{-near - more}."""
    values = {a: sp.exp(-near), b: sp.exp(-near - more)}
    return Use("larger", at=values), Use("no excess", at={r: near, k: more})


def _smaller(of: Any) -> tuple[Use, Use]:
    """e^{-of} is smaller than 1."""
    return Use("smaller", at={b: sp.exp(-of)}), Use("no excess", at={r: zero, k: of})


@cache
def laplace_curve_steps() -> tuple[Step, ...]:
    """What the test x > t misses of Lap(mu, 1) is the curve at its size under Lap(0, 1) (`EVERY`)."""
    nearest = sp.Max(0, mu - beyond)
    both = {"f": missed(t - mu), "g": curve(mu, rejected(t)), "argument": t, "edge": zero}
    inside = {name: both[name].subs(t, sp.Max(0, t)) for name in ("f", "g")}
    return (
        by_fact(
            "e^-k",
            "e^{-k} <= 1 for k >= 0:",
            "exponentials keep the order",
            {"a": -k, "b": zero},
            {"order": Step("order", "", -k, zero, "<=", -k)},
        ),
        inferred(
            "excess",
            "e^{-r - k} is not beyond e^{-r},",
            sp.exp(-r - k) - sp.exp(-r),
            "<=",
            zero,
            Use("e^-k", weight=sp.exp(-r)),
        ),
        *_is_0("no excess", "and has no positive part there:", sp.exp(-r - k) - sp.exp(-r), "excess"),
        Step("larger", "The larger of a/2 and b/2:", sp.Max(a / 2, b / 2), a / 2 + sp.Max(0, b - a) / 2),
        Step("smaller", "The smaller of 1/2 and b/2:", sp.Min(half, b / 2), b / 2 - sp.Max(0, b - 1) / 2),
        _branch(
            "first branch",
            "Beyond the shift the size is below e^{-mu}/2, where the curve is 1 - e^mu a:",
            mu + below,
            *_larger(mu, below),
            *_smaller(mu),
        ),
        _branch(
            "middle branch, in both distances",
            "Between 0 and the shift, at the distances k and r from them, it is e^{-mu}/(4 a):",
            k,
            *_larger(k, r),
            *_smaller(k),
            shift=k + r,
        ),
        Step("nearest", "A threshold before the shift, but not below 0,", nearest, mu, "<=", -sp.Min(mu, beyond)),
        named(other, "is at a distance s from it.", mu - nearest, "nearest"),
        inferred("distance s", "By its name,", nearest - mu, "=", -other, "s"),
        inferred(
            "middle branch, at t",
            "So it is there,",
            inside["f"].subs(t, mu - beyond),
            "=",
            inside["g"].subs(t, mu - beyond),
            *("distance s", Use("middle branch, in both distances", at={k: nearest, r: other}), "s"),
        ),
        by_fact(
            "from 0 on",
            "at every threshold from 0 on.",
            "equal on both sides of an edge",
            {**both, **inside, "edge": mu},
            {"above": "first branch", "below": "middle branch, at t"},
        ),
        inferred(
            "above 0",
            "Above 0,",
            both["f"].subs(t, below),
            "=",
            both["g"].subs(t, below),
            Use("from 0 on", at={t: below}),
        ),
        *_last_branch(),
        by_fact(
            EVERY,
            "it is the other error.",
            "equal on both sides of an edge",
            both,
            {"above": "above 0", "below": "last branch"},
        ),
    )


def _last_branch() -> tuple[Step, ...]:
    """At a threshold below 0, where the size is 1 - e^{-w}/2."""
    larger = sp.Max(sp.exp(-mu) / 2, rejected(-beyond))
    rest = sp.exp(-mu) / 2 - rejected(-beyond)
    return (
        Step("not below", "Below 0 the size", rejected(-beyond), larger, "<=", -sp.Max(0, rest)),
        inferred(
            "size",
            "is at least 1/2,",
            half - larger,
            "<=",
            zero,
            *("not below", Use("e^-k", at={k: beyond}, weight=half)),
        ),
        *_is_0("no rest", "so that 1/2 is the smaller one,", half - larger, "size"),
        Step("smaller, any", "as the smaller of 1/2 and y is this,", sp.Min(half, y), half - sp.Max(0, half - y)),
        _branch(
            "last branch", "and the curve e^{-mu} (1 - a):", -beyond, Use("smaller, any", at={y: larger}), "no rest"
        ),
    )
