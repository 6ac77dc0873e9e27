"""The vertex of a covariance envelope: the exponents of the Chernoff bounds rise with the spread, ever faster."""

from __future__ import annotations

from collections.abc import Iterator

import sympy as sp

from ndis_verify.symbolic.covariance_shift import ell, s, zero
from ndis_verify.symbolic.derivation import Hypothesis, Step, Use
from ndis_verify.symbolic.fact_steps import by_fact, inferred
from ndis_verify.symbolic.normal_coordinates import entry, total_of
from ndis_verify.symbolic.notation import beyond

logs = sp.Symbol("l", real=True)  # the vector of the l_i
rate = sp.Symbol("u", positive=True)  # the rate of the exact moment
cap, left = sp.Symbol("rho", positive=True), sp.Symbol("t", nonnegative=True)
times = sp.Symbol("n", integer=True, nonnegative=True)
inside = cap / (1 + beyond)
room, spread = sp.symbols("p q", positive=True)  # names of what is divided by in the slopes, at l = rho/(1 + w)
SPREADS = {spread: sp.exp(ell) + 2 * s * (sp.exp(ell) - 1), room: 1 - rate * (sp.exp(ell) - 1)}
OF_VERTEX = (
    Hypothesis("l_i >= 0", entry(logs) >= 0),
    Hypothesis("l_i <= rho", entry(logs) <= cap),
    Hypothesis("sum_i l_i <= n rho + t", total_of(entry(logs)) <= times * cap + left),
    Hypothesis("t <= rho", left <= cap),
    Hypothesis("u (e^rho - 1) < 1", rate * (sp.exp(cap) - 1) < 1),
)


def between_steps() -> Iterator[Step]:
    """Every number from 0 to rho is in the range of both exponents."""
    values = {"l_i": entry(logs), "t": left, "rho/(1+w)": inside, "rho": cap}
    yield Step("1 > 0", "Positive.", sp.Integer(1), zero, ">", witness=sp.Integer(1))
    yield inferred("range of rho", "At rho", 1 - rate * (sp.exp(cap) - 1), ">", zero, Use(OF_VERTEX[4].text, weight=-1))
    yield Step("rho/(1+w)", "A share of rho is at most rho,", inside, cap, "<=", -cap * beyond / (1 + beyond))
    yield inferred("l_i", "as l_i is.", zero, "<=", entry(logs), Use("l_i >= 0", weight=-1))
    for name, value in values.items():
        above = "l_i" if name == "l_i" else Step("sign", "It is not negative.", zero, value, "<=", -value)
        yield by_fact(
            f"e^{name} >= 1",
            "e^l is at least 1,",
            "exponentials keep the order",
            {"a": zero, "b": value},
            {"order": above},
        )
        yield inferred(
            f"printed range, {name}",
            "so that the printed exponent has a value,",
            sp.exp(value) + 2 * s * (sp.exp(value) - 1),
            ">",
            zero,
            *(Use(f"e^{name} >= 1", weight=-(1 + 2 * s)), Use("1 > 0")),
        )
        if name != "rho":
            yield by_fact(
                f"e^{name}",
                "at most e^rho,",
                "exponentials keep the order",
                {"a": value, "b": cap},
                {"order": {"l_i": "l_i <= rho", "t": "t <= rho"}.get(name, name)},
            )
            yield inferred(
                f"range, {name}",
                "and so has log M.",
                1 - rate * (sp.exp(value) - 1),
                ">",
                zero,
                *("range of rho", Use(f"e^{name}", weight=-rate)),
            )


def shape_steps(name: str, f: sp.Expr, one_: sp.Symbol, factor: sp.Expr) -> Iterator[Step]:
    """f(0) = 0, and both slopes of f at rho/(1 + w): `factor` times (e^l - 1)/spread and e^l/spread^2."""
    power, value = sp.exp(inside), SPREADS[one_].subs(ell, inside)
    yield Step(f"{name} at 0", "No spread, no loss:", sp.Subs(f, ell, 0), zero)
    for order, words, at, sign in (
        (1, "it rises with the spread,", (power - 1) / value, Use("e^rho/(1+w) >= 1", weight=-factor / one_)),
        (2, "ever faster.", power / value**2, f"{name} bends"),
    ):
        slope = sp.Subs(sp.Derivative(f, (ell, order)), ell, inside)
        if order == 2:
            bend = factor * power / one_**2
            yield Step(f"{name} bends", "Positive:", bend, zero, ">", bend)
        yield Step(f"{name}, slope {order}", "Its slope", slope, factor * at)
        yield inferred(
            f"{name} {'rises' if order == 1 else 'is convex'}",
            words,
            slope,
            ">=",
            zero,
            f"{name}, slope {order}",
            str(one_),
            sign,
        )
