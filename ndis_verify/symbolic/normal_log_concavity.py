"""The normal distribution function is log-concave: what it is at three points in a row, and at sums."""

from __future__ import annotations

from functools import cache

import sympy as sp

from ndis_verify.symbolic.derivation import Step, Use
from ndis_verify.symbolic.fact_steps import by_fact, inferred
from ndis_verify.symbolic.notation import below, beyond
from ndis_verify.symbolic.special_functions import Phi, as_erfc, phi

x, y, middle, apart = sp.symbols("x y m u", real=True)
near, far = sp.symbols("j d", nonnegative=True)
zero = sp.Integer(0)
HAZARD = "minus the slope of phi/Phi"
MIDPOINT, SUM = "midpoint", "sum"


def log_phi(at: sp.Expr) -> sp.Expr:
    """The logarithm of the normal distribution function."""
    return sp.log(Phi(at))


def _hazard(at: sp.Expr) -> sp.Expr:
    return phi(at) / Phi(at)


def _falls(at: sp.Expr) -> sp.Expr:
    """Minus the slope of `_hazard`."""
    return phi(at) * (phi(at) + at * Phi(at)) / Phi(at) ** 2


def _hazard_steps() -> tuple[Step, ...]:
    tail = sp.erfc(x / sp.sqrt(2)) / 2
    gap = phi(x) - x * tail
    return (
        Step("in erfc", "Phi(-x) = erfc(x/sqrt 2)/2.", lhs=Phi(-x), rhs=tail, reduce=as_erfc),
        Step(
            "its slope",
            "phi(x) - x Phi(-x) falls, as Phi(-x) is positive,",
            lhs=sp.Derivative(gap, x),
            rhs=zero,
            relation="<",
            witness=-Phi(-x),
            reduce=lambda left, right: sp.expand(as_erfc(left, right - Phi(-x))) - Phi(-x),
        ),
        Step("end", "to 0,", lhs=sp.Limit(gap, x, sp.oo), rhs=zero),
        by_fact(
            "it is positive",
            "so that it is positive.",
            "falls to 0",
            {"f": gap, "argument": x},
            {"falls": "its slope", "end": "end"},
        ),
        inferred("Mills", "In Phi:", phi(x) - x * Phi(-x), ">", zero, "it is positive", "in erfc"),
        inferred(
            HAZARD,
            "At x = -y it is minus the slope of phi(y)/Phi(y), but for a positive factor: that ratio falls.",
            _falls(y),
            ">",
            zero,
            Use("Mills", at={x: -y}, weight=phi(y) / Phi(y) ** 2),
        ),
    )


def _from_zero(name: str, why: str, f: sp.Expr, argument: sp.Symbol, *premises: Use) -> tuple[Step, ...]:
    """A function of a number that is not negative is 0 at 0, and does not fall."""
    return (
        Step(f"{name} at 0", why, lhs=sp.Subs(f, argument, 0), rhs=zero),
        inferred(f"{name} rises", "and does not fall", sp.Derivative(f, argument), ">=", zero, *premises),
        by_fact(
            name,
            "so that it is not negative.",
            "does not fall from 0",
            {"f": f, "argument": argument},
            {"rises": f"{name} rises", "start": f"{name} at 0"},
        ),
    )


def _midpoint_steps() -> tuple[Step, ...]:
    ratios = _hazard(middle - far) - _hazard(middle + far)
    logs = 2 * log_phi(middle) - log_phi(middle - far) - log_phi(middle + far)
    both = log_phi(middle - apart) + log_phi(middle + apart)
    return (
        *_from_zero(
            "ratios on both sides",
            "The difference of that ratio at m - d and at m + d is 0 at d = 0",
            ratios,
            far,
            *(Use(HAZARD, at={y: middle + sign * far}) for sign in (-1, 1)),
        ),
        *_from_zero(
            "logarithms on both sides",
            "It is the slope of 2 log Phi(m) - log Phi(m - d) - log Phi(m + d), which is 0 there, too,",
            logs,
            far,
            Use("ratios on both sides"),
        ),
        *(
            inferred(
                f"{side} the middle",
                "This is said of each d >= 0:",
                both.subs(apart, at),
                "<=",
                2 * log_phi(middle),
                Use("logarithms on both sides", at={far: size}, weight=-1),
            )
            for side, at, size in (("above", below, below), ("below", -beyond, beyond))
        ),
        by_fact(
            MIDPOINT,
            "of two numbers, whichever is the larger, log Phi is on average at most what it is in their middle.",
            "both sides of an edge",
            {"f": both, "g": 2 * log_phi(middle), "argument": apart, "edge": zero},
            {"above": "above the middle", "below": "below the middle"},
        ),
    )


def _sum_steps() -> tuple[Step, ...]:
    ratios = _hazard(-near - far) - _hazard(-near)
    logs = log_phi(-near) + log_phi(-far) - log_phi(-near - far) - log_phi(zero)
    return (
        *_from_zero(
            "ratios further down",
            "The difference of the ratio at -j - d and at -j is 0 at d = 0",
            ratios,
            far,
            Use(HAZARD, at={y: -near - far}),
        ),
        *_from_zero(
            SUM,
            "It is the slope in j of log Phi(-j) + log Phi(-d) - log Phi(-j - d) - log Phi(0), which is 0 at j = 0",
            logs,
            near,
            Use("ratios further down"),
        ),
    )


@cache
def log_concavity_steps() -> tuple[Step, ...]:
    """log Phi(m - u) + log Phi(m + u) <= 2 log Phi(m) (`MIDPOINT`), and log Phi(-j) + log Phi(-d) >= log Phi(-j - d) +
    log Phi(0) for j, d >= 0 (`SUM`).
    """
    return (*_hazard_steps(), *_midpoint_steps(), *_sum_steps())
