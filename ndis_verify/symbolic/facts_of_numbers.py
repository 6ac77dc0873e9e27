"""Standard facts about numbers: roots, functions of shorter arguments, and what is the same on both sides of one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sympy as sp

from ndis_verify.symbolic.fact import Fact, any_real
from ndis_verify.symbolic.notation import below, beyond

_zero = sp.Integer(0)


OF_NUMBERS: Mapping[str, Fact] = {
    "a number and a larger square": Fact(
        text="Where a^2 <= b^2 and b >= 0, a <= b.",
        tex=r"a^2 \le b^2,\ b \ge 0 \implies a \le b",
        letters=("a", "b"),
        conditions={"squares": "a^2 <= b^2", "sign": "b >= 0"},
        reference="were a > b >= 0, a^2 would be above b^2",
        instance=lambda a: (a["a"], "<=", a["b"]),
        required={
            "squares": lambda a: (a["a"] ** 2, "<=", a["b"] ** 2),
            "sign": lambda a: (a["b"], ">=", _zero),
        },
    ),
    "Bernoulli's inequality": Fact(
        text="(1 + y)^k >= 1 + k y for y >= -1 and k >= 1.",
        tex=r"y \ge -1,\ k \ge 1 \implies (1 + y)^k \ge 1 + k y",
        letters=("y", "k"),
        conditions={"size": "y >= -1", "count": "k >= 1"},
        reference="Hardy, Littlewood and Polya, Inequalities, Theorem 42",
        instance=lambda a: ((1 + a["y"]) ** a["k"], ">=", 1 + a["k"] * a["y"]),
        required={"size": lambda a: (a["y"], ">=", sp.Integer(-1)), "count": lambda a: (a["k"], ">=", sp.Integer(1))},
    ),
    "whole parts of a sum": Fact(
        text="As many whole parts as a sum has, and no more than d, are not more than the sum, nor than d parts.",
        tex=r"\rho > 0 \implies \rho \min(d, \lfloor \nu/\rho \rfloor) \le \min(\nu, d \rho)",
        letters=("part", "sum", "d"),
        conditions={"part": "the part is positive"},
        reference="floor(t) <= t",
        instance=lambda a: (
            a["part"] * sp.Min(a["d"], sp.floor(a["sum"] / a["part"])),
            "<=",
            sp.Min(a["sum"], a["d"] * a["part"]),
        ),
        required={"part": lambda a: (a["part"], ">", _zero)},
    ),
    "equal on both sides of an edge": Fact(
        text="What is equal at every number above the edge and at every other one is equal at all.",
        tex=r"f(e + v) = g(e + v)\ \forall v > 0,\quad f(e - w) = g(e - w)\ \forall w \ge 0 \implies f = g",
        letters=("f", "g", "argument", "edge"),
        conditions={"above": "f = g above the edge", "below": "f = g at and below the edge"},
        reference="the order of the real numbers is total",
        instance=lambda a: (a["f"], "=", a["g"]),
        required={
            "above": lambda a: (_at(a, "f", a["edge"] + below), "=", _at(a, "g", a["edge"] + below)),
            "below": lambda a: (_at(a, "f", a["edge"] - beyond), "=", _at(a, "g", a["edge"] - beyond)),
        },
    ),
    "every number of smaller size is a share": Fact(
        text="A function that is at c y and at -c y at most what it is at y, for every c from 0 to 1, is at every x"
        " with x^2 <= y^2 at most what it is at y. Every such c is the square of a sine.",
        tex=r"f(\pm c y) \le f(y)\ (0 \le c \le 1),\ x^2 \le y^2 \implies f(x) \le f(y)",
        letters=("f", "argument", "low", "high", "angle"),
        conditions={
            "shares": "f(c y) <= f(y) for c = sin^2",
            "turned": "f(-c y) <= f(y) for c = sin^2",
            "order": "x^2 <= y^2",
        },
        reference="x = c y or x = -c y with c = |x|/|y| where y is not 0; where y = 0 both are 0",
        instance=lambda a: (a["f"].subs(a["argument"], a["low"]), "<=", a["f"].subs(a["argument"], a["high"])),
        required={
            "shares": lambda a: (_share(a, 1), "<=", a["f"].subs(a["argument"], a["high"])),
            "turned": lambda a: (_share(a, -1), "<=", a["f"].subs(a["argument"], a["high"])),
            "order": lambda a: (a["low"] ** 2, "<=", a["high"] ** 2),
        },
    ),
}


def _at(letters: Mapping[str, Any], name: str, place: Any) -> Any:
    return letters[name].subs(letters["argument"], place)


def _share(letters: Mapping[str, Any], sign: int) -> Any:
    return letters["f"].subs(letters["argument"], sign * sp.sin(any_real(letters["angle"])) ** 2 * letters["high"])
