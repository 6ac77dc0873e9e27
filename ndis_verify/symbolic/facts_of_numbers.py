"""Standard facts about numbers: quotients that may be 0/0, roots, and functions of shorter arguments."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import sympy as sp

from ndis_verify.symbolic.fact import Fact, Instance
from ndis_verify.symbolic.notation import quotient

_zero = sp.Integer(0)
_ARITHMETIC = "divide by y where y is not 0; where y = 0 so is x, and the quotient is what it was said to be"


def _of_bounds(says: str, tex: str, instance: Callable[[Mapping[str, Any], Any], Instance]) -> Fact:
    return Fact(
        text=f"Where y >= 0, a <= b and a y <= x <= b y, x is y times a number from a to b: x/y, or a where y = 0."
        f" {says}",
        tex=r"y \ge 0,\ a \le b,\ a y \le x \le b y,\ q = x/y\ (y \ne 0),\ q = a\ (y = 0) \implies " + tex,
        letters=("x", "y", "a", "b"),
        conditions={"sign": "y >= 0", "order": "a <= b", "low": "a y <= x", "high": "x <= b y"},
        reference=_ARITHMETIC,
        instance=lambda a: instance(a, quotient(a["x"], a["y"], a["a"])),
        required={
            "sign": lambda a: (a["y"], ">=", _zero),
            "order": lambda a: (a["a"], "<=", a["b"]),
            "low": lambda a: (a["a"] * a["y"], "<=", a["x"]),
            "high": lambda a: (a["x"], "<=", a["b"] * a["y"]),
        },
    )


def _of_squares(says: str, tex: str, instance: Callable[[Mapping[str, Any], Any], Instance]) -> Fact:
    return Fact(
        text=f"Where x^2 <= b y^2 and b >= 0, x is y times a number whose square is at most b: x/y, or 0 where y = 0."
        f" {says}",
        tex=r"b \ge 0,\ x^2 \le b y^2,\ q = x/y\ (y \ne 0),\ q = 0\ (y = 0) \implies " + tex,
        letters=("x", "y", "b"),
        conditions={"sign": "b >= 0", "bound": "x^2 <= b y^2"},
        reference=_ARITHMETIC,
        instance=lambda a: instance(a, quotient(a["x"], a["y"], _zero)),
        required={
            "sign": lambda a: (a["b"], ">=", _zero),
            "bound": lambda a: (a["x"] ** 2, "<=", a["b"] * a["y"] ** 2),
        },
    )


OF_NUMBERS: Mapping[str, Fact] = {
    "a quotient between two bounds": _of_bounds("The product.", "x = q y", lambda a, q: (a["x"], "=", q * a["y"])),
    "a quotient between two bounds, below": _of_bounds("The lower bound.", r"q \ge a", lambda a, q: (q, ">=", a["a"])),
    "a quotient between two bounds, above": _of_bounds("The upper bound.", r"q \le b", lambda a, q: (q, "<=", a["b"])),
    "a quotient of bounded square": _of_squares("The product.", "x = q y", lambda a, q: (a["x"], "=", q * a["y"])),
    "a quotient of bounded square, its square": _of_squares(
        "Its square.", r"q^2 \le b", lambda a, q: (q**2, "<=", a["b"])
    ),
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


def _share(letters: Mapping[str, Any], sign: int) -> Any:
    return letters["f"].subs(letters["argument"], sign * sp.sin(letters["angle"]) ** 2 * letters["high"])
