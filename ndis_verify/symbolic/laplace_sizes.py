"""The threshold at which a test of a Laplace variable has a given size, and the GDP parameter that it asks for."""

from __future__ import annotations

from functools import cache

import sympy as sp

from ndis_verify.symbolic.derivation import Hypothesis, Step, Use
from ndis_verify.symbolic.fact_steps import by_fact, inferred, named
from ndis_verify.symbolic.laplace_errors import EVERY, LEAST, both, laplace_threshold_steps, missed, mu, rejected, t
from ndis_verify.symbolic.notation import below, beyond

alpha, beta = sp.symbols("alpha b", positive=True)
zero, one = sp.Integer(0), sp.Integer(1)
SIZE = Hypothesis("alpha < 1", alpha < 1)
STATED = "every size"
_p, _n = sp.Max(0, -sp.log(2 * alpha)), sp.Min(0, sp.log(2 * beta))  # the threshold is their sum
_of_p, _of_n = sp.Min(1, 2 * alpha), sp.Min(1, 2 * beta)  # e^{-p} and e^n


def _power_steps() -> tuple[Step, ...]:
    """e^{min(0, t)} = min(1, e^t)."""
    least, power = sp.Min(0, t), sp.exp(sp.Min(0, t))
    return (
        *(
            by_fact(
                f"e^min(0, t) at most {shown}",
                why,
                "exponentials keep the order",
                {"a": least, "b": bound},
                {"order": Step("order", "", least, bound, "<=", -rest)},
            )
            for bound, shown, rest, why in (
                (zero, "1", -least, "min(0, t) is at most 0"),
                (t, "e^t", sp.Max(0, t), "and t,"),
            )
        ),
        *(
            inferred(f"- {shown}", "with signs changed,", -value, "<=", -power, Use(f"e^min(0, t) at most {shown}"))
            for value, shown in ((one, "1"), (sp.exp(t), "e^t"))
        ),
        by_fact(
            "larger of both",
            "so the same is true of the larger one.",
            "larger of two numbers",
            {"one": -one, "other": -sp.exp(t), "bound": -power},
            {"one": "- 1", "other": "- e^t"},
        ),
        inferred(
            "not above", "It is at most the smaller of 1 and e^t,", power, "<=", sp.Min(1, sp.exp(t)), "larger of both"
        ),
        by_fact(
            "not below",
            "which is one of the two on each side of 0.",
            "both sides of an edge",
            {"f": sp.Min(1, sp.exp(t)), "g": power, "argument": t, "edge": zero},
            {
                "above": Step("above", "", sp.Min(1, sp.exp(below)), one, "<=", -sp.Max(0, 1 - sp.exp(below))),
                "below": Step(
                    "below", "", sp.Min(1, sp.exp(-beyond)), sp.exp(-beyond), "<=", -sp.Max(0, sp.exp(-beyond) - 1)
                ),
            },
        ),
        by_fact(
            "e^min(0, t)",
            "Neither is greater.",
            "neither is greater",
            {"one": power, "other": sp.Min(1, sp.exp(t))},
            {"one": "not above", "other": "not below"},
        ),
    )


def _part_steps() -> tuple[Step, ...]:
    """Of p and n one is 0."""
    p, n = _p, _n
    left = sp.Max(0, 1 - 2 * beta)  # what e^n leaves of 1
    return (
        named(beta, "b is 1 - alpha.", 1 - alpha, "alpha < 1"),
        Step("signs", "-max(0, -t) is min(0, t):", sp.exp(-sp.Max(0, -t)), sp.exp(sp.Min(0, t))),
        inferred(
            "e^-p",
            "With p = max(0, -log(2 alpha))",
            sp.exp(-p),
            "=",
            _of_p,
            *(Use(name, at={t: sp.log(2 * alpha)}) for name in ("signs", "e^min(0, t)")),
        ),
        inferred(
            "e^n",
            "and n = min(0, log(2 (1 - alpha))):",
            sp.exp(n),
            "=",
            _of_n,
            Use("e^min(0, t)", at={t: sp.log(2 * beta)}),
        ),
        *(
            by_fact(
                f"tangent at {name}",
                why,
                "logarithm below its tangent",
                {"y": sp.exp(size)},
                {"positive": Step("power", "", sp.exp(size), zero, ">", sp.exp(size))},
            )
            for name, size, why in (("p", p, "p is at most e^p - 1,"), ("n", -n, "and -n at most e^-n - 1,"))
        ),
        inferred(
            "product",
            "of which one is 0: so is p or n.",
            -p * n * _of_p * _of_n,
            "<=",
            zero,
            Use("tangent at n", weight=p * _of_p * _of_n),
            Use("tangent at p", weight=_of_p * left),
            *("e^-p", "e^n", "b"),
        ),
    )


def _level_steps() -> tuple[Step, ...]:
    """The threshold whose type I error is alpha is p + n."""
    p, n, at = _p, _n, _p + _n
    part = sp.Max(0, at)
    return (
        Step("p", "It is p where p > 0,", p, zero, ">=", p),
        Step("part", "as neither is negative,", part, zero, ">=", part),
        Step("p + n", "and p + n at most its positive part,", at, part, "<=", -sp.Max(0, -at)),
        inferred(
            "p (p + n)",
            "p (p + n) is p^2,",
            p**2,
            "<=",
            p * part,
            *(Use("p + n", weight=p), Use("product", weight=1 / (_of_p * _of_n))),
        ),
        by_fact(
            "at least p",
            "max(0, p + n) is at least p,",
            "a common factor",
            {"p": p, "k": one, "n": part},
            {"order": "p (p + n)", "factor": "p", "other": "part"},
        ),
        by_fact(
            "at most p",
            "at most p, as n <= 0,",
            "larger of two numbers",
            {"one": zero, "other": at, "bound": p},
            {"one": Step("p", "", zero, p, "<=", -p), "other": Step("n", "", at, p, "<=", n)},
        ),
        by_fact(
            "it, or 0",
            "and so it is p.",
            "neither is greater",
            {"one": part, "other": p},
            {"one": "at most p", "other": "at least p"},
        ),
        Step("two parts", "What is left is n.", sp.Min(0, t), t - sp.Max(0, t)),
        inferred(
            "it, or 0, from below",
            "So it is of this threshold,",
            sp.Min(0, at),
            "=",
            n,
            *(Use("two parts", at={t: at}), "it, or 0"),
        ),
        inferred(
            "size",
            "The type I error of this threshold is alpha.",
            rejected(at),
            "=",
            alpha,
            *("it, or 0", "it, or 0, from below", "e^-p", "e^n", "b"),
        ),
        inferred(
            STATED,
            "So alpha and f ask for no more.",
            both(alpha, missed(at - mu)).subs(beta, 1 - alpha),
            "<=",
            LEAST,
            *(Use(EVERY, at={t: at}), "size", "b"),
        ),
    )


@cache
def laplace_gdp_steps() -> tuple[Step, ...]:
    """-Phi^-1(alpha) - Phi^-1(f) <= -2 Phi^-1(e^{-mu/2}/2) (`STATED`), f the other error of the test of size alpha."""
    return (*laplace_threshold_steps(), *_power_steps(), *_part_steps(), *_level_steps())
