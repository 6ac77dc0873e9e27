"""Standard facts about sign changes, by which the shape of a function follows from the shape of its slope.

The functions are of `v`, which goes from 0 to 1; `inside` puts every number between the two there.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sympy as sp

from ndis_verify.exact_number import InputError
from ndis_verify.symbolic.fact import Fact, Instance, from_zero_on, smooth
from ndis_verify.symbolic.notation import between_0_and_1 as v
from ndis_verify.symbolic.notation import sign_changes
from ndis_verify.symbolic.special_functions import Pg, Qg
from ndis_verify.symbolic.zero import as_expression

w = sp.Symbol("w", positive=True)
_zero = sp.Integer(0)
_ROLLE = "Rolle's theorem: Karlin, Total Positivity, vol. 1, section 6.5; Rudin, Principles, Theorem 5.10"


def inside(f: Any) -> Any:
    """f at v = w/(1+w), w > 0."""
    return f.subs(v, 1 - 1 / (1 + w))


def slope_inside(f: Any) -> sp.Expr:
    """The derivative of f there, not taken yet."""
    return sp.Subs(sp.Derivative(f, v), v, 1 - 1 / (1 + w))


def _has_slope(a: Mapping[str, Any]) -> Instance:
    return slope_inside(a["f"]), "=", inside(a["slope"])


def _number(a: Mapping[str, Any], name: str) -> Any:
    """A letter that is the same at every v."""
    if v in a[name].free_symbols:
        raise InputError(name, str(a[name]), f"must be a number, the same at every {v}")
    return a[name]


def _of_positive(letters: Mapping[str, Any]) -> Mapping[str, Any]:
    if not letters["argument"].is_positive:
        raise InputError("argument", str(letters["argument"]), "must be known to be positive")
    return from_zero_on(letters)


def _of_one_turn(letters: Mapping[str, Any]) -> Mapping[str, Any]:
    """The letters, where the turn is one point for every argument."""
    if letters["argument"] in letters["turn"].free_symbols:
        raise InputError("turn", str(letters["turn"]), "must be one point, the same for every argument")
    return from_zero_on(letters)


def _tail(tail: Any, a: Mapping[str, Any], edge: str) -> Any:
    """A tail of a gamma law, one law for every argument, at an edge where it has a tail."""
    for name in ("s", edge):
        if as_expression(a[name]).is_positive is not True:
            raise InputError(name, str(a[name]), "must be known to be positive")
    return tail(_held(a, "s"), a[edge])


def _held(a: Mapping[str, Any], name: str) -> Any:
    """A letter that is one number for every argument."""
    if a["argument"] in as_expression(a[name]).free_symbols:
        raise InputError(name, str(a[name]), f"must not depend on {a['argument']}")
    return a[name]


OF_SIGNS: Mapping[str, Fact] = {
    "sign changes and a positive factor": Fact(
        text="A positive factor changes no sign.",
        tex=r"u > 0 \implies S(u f) = S(f)",
        letters=("f", "factor"),
        conditions={"positive": "the factor is positive"},
        reference="Karlin, Total Positivity, vol. 1, section 5.1",
        instance=lambda a: (sign_changes(a["factor"] * a["f"]), "=", sign_changes(a["f"])),
        required={"positive": lambda a: (inside(a["factor"]), ">", _zero)},
    ),
    "signs of an exponential less 1": Fact(
        text="A positive function times e^f - 1 has the sign of f.",
        tex=r"u > 0 \implies S(u\,(e^{f} - 1)) = S(f)",
        letters=("f", "factor"),
        conditions={"positive": "the factor is positive"},
        reference="Rudin, Principles of Mathematical Analysis, Theorem 8.6",
        instance=lambda a: (sign_changes(a["factor"] * (sp.exp(a["f"]) - 1)), "=", sign_changes(a["f"])),
        required={"positive": lambda a: (inside(a["factor"]), ">", _zero)},
    ),
    "one sign throughout": Fact(
        text="A number times a positive function does not change its sign.",
        tex=r"u > 0 \implies S(c\,u) = 0",
        letters=("c", "u"),
        conditions={"positive": "the function is positive"},
        reference="Karlin, Total Positivity, vol. 1, section 5.1",
        instance=lambda a: (sign_changes(_number(a, "c") * a["u"]), "=", _zero),
        required={"positive": lambda a: (inside(a["u"]), ">", _zero)},
    ),
    "sign changes of a function and of its slope": Fact(
        text="A function changes its sign at most once more often than its slope does.",
        tex=r"S(f) \le S(f') + 1",
        letters=("f", "slope"),
        conditions={"slope": "the slope of f"},
        reference=_ROLLE,
        continuous=lambda a: [("f", v, ())],
        instance=lambda a: (sign_changes(a["f"]), "<=", sign_changes(a["slope"]) + 1),
        required={"slope": _has_slope},
    ),
    "sign changes of a function that starts at 0": Fact(
        text="A function that is continuous at 0 and 0 there changes its sign at most as often as its slope does.",
        tex=r"f(0) = 0 \implies S(f) \le S(f')",
        letters=("f", "slope"),
        conditions={"slope": "the slope of f", "start": "f(0) = 0"},
        reference=_ROLLE,
        continuous=lambda a: [("f", v, (0,))],
        instance=lambda a: (sign_changes(a["f"]), "<=", sign_changes(a["slope"])),
        required={"slope": _has_slope, "start": lambda a: (a["f"].subs(v, 0), "=", _zero)},
    ),
    "sign changes between ends of different signs": Fact(
        text="A continuous function that is positive at 0 and negative at 1 changes its sign an odd number of times.",
        tex=r"f(0) > 0 > f(1),\ S(f) \le 2 \implies S(f) \le 1",
        letters=("f",),
        conditions={
            "start": "f(0) > 0",
            "end": "f(1) < 0",
            "twice": "f changes its sign at most twice",
        },
        reference="Karlin, Total Positivity, vol. 1, section 5.1",
        continuous=lambda a: [("f", v, (0, 1))],
        instance=lambda a: (sign_changes(a["f"]), "<=", sp.Integer(1)),
        required={
            "start": lambda a: (a["f"].subs(v, 0), ">", _zero),
            "end": lambda a: (a["f"].subs(v, 1), "<", _zero),
            "twice": lambda a: (sign_changes(a["f"]), "<=", sp.Integer(2)),
        },
    ),
    "up first, and one turn": Fact(
        text="A continuous function that starts at 0 upwards, whose slope changes its sign at most once, and that is"
        " not negative at 1, is not negative in between: it rises, and falls to its end.",
        tex=r"f(0) = 0,\ f'(0) > 0,\ S(f') \le 1,\ f(1) \ge 0 \implies f \ge 0",
        letters=("f", "slope"),
        conditions={
            "slope": "the slope of f",
            "start": "f(0) = 0",
            "up": "the slope is positive at 0",
            "once": "the slope changes its sign at most once",
            "end": "f(1) >= 0",
        },
        reference="mean value theorem: Rudin, Principles of Mathematical Analysis, Theorem 5.11",
        continuous=lambda a: [("f", v, (0, 1)), ("slope", v, (0,))],
        instance=lambda a: (inside(a["f"]), ">=", _zero),
        required={
            "slope": _has_slope,
            "start": lambda a: (a["f"].subs(v, 0), "=", _zero),
            "up": lambda a: (a["slope"].subs(v, 0), ">", _zero),
            "once": lambda a: (sign_changes(a["slope"]), "<=", sp.Integer(1)),
            "end": lambda a: (a["f"].subs(v, 1), ">=", _zero),
        },
    ),
    "rises from 0": Fact(
        text="A function with a positive slope on (0, oo) that tends to 0 at 0 is positive.",
        tex=r"f' > 0,\ \lim_{x \to 0+} f = 0 \implies f > 0",
        letters=("f", "argument"),
        conditions={"rises": "the slope is positive", "start": "f tends to 0 at 0"},
        reference="mean value theorem: Rudin, Principles of Mathematical Analysis, Theorem 5.11",
        continuous=smooth(),
        instance=lambda a: (_of_positive(a)["f"], ">", _zero),
        required={
            "rises": lambda a: (sp.Derivative(a["f"], a["argument"]), ">", _zero),
            "start": lambda a: (sp.Limit(a["f"], a["argument"], 0, "+"), "=", _zero),
        },
    ),
    "up, then down, above what tends to 0": Fact(
        text="A function on [0, oo) that is >= 0 at 0 and no less than one that tends to 0, and whose slope there is"
        " >= 0 below one point and <= 0 above it, is nowhere negative.",
        tex=r"f(0) \ge 0,\ f \ge h \to 0,\ (t - x)\,f'(x) \ge 0 \text{ on } [0, \infty) \implies f \ge 0",
        letters=("f", "argument", "turn", "under"),
        conditions={
            "start": "f(0) >= 0",
            "turns": "the slope is not negative below the turn and not positive above it",
            "above": "f is no less than h",
            "end": "h tends to 0",
        },
        reference="mean value theorem: Rudin, Principles of Mathematical Analysis, Theorem 5.11",
        continuous=smooth("f", 0),
        instance=lambda a: (_of_one_turn(a)["f"], ">=", _zero),
        required={
            "start": lambda a: (a["f"].subs(a["argument"], 0), ">=", _zero),
            "turns": lambda a: ((a["turn"] - a["argument"]) * sp.Derivative(a["f"], a["argument"]), ">=", _zero),
            "above": lambda a: (a["f"], ">=", a["under"]),
            "end": lambda a: (sp.Limit(a["under"], a["argument"], sp.oo), "=", _zero),
        },
    ),
    "does not fall from 0": Fact(
        text="A function that is 0 at 0 and does not fall on [0, oo) is not negative there.",
        tex=r"f(0) = 0,\ f' \ge 0 \implies f \ge 0",
        letters=("f", "argument"),
        conditions={"rises": "the slope is not negative", "start": "f is 0 at 0"},
        reference="mean value theorem: Rudin, Principles of Mathematical Analysis, Theorem 5.11",
        continuous=smooth("f", 0),
        instance=lambda a: (from_zero_on(a)["f"], ">=", _zero),
        required={
            "rises": lambda a: (sp.Derivative(a["f"], a["argument"]), ">=", _zero),
            "start": lambda a: (sp.Subs(a["f"], a["argument"], 0), "=", _zero),
        },
    ),
    "Stirling's lower bound": Fact(
        text="Gamma(a) > sqrt(2 pi) a^{a - 1/2} e^{-a} for a > 0.",
        tex=r"\Gamma(a) > \sqrt{2 \pi}\,a^{a - 1/2}\,e^{-a},\quad a > 0",
        letters=("a",),
        conditions={"positive": "a > 0"},
        reference="Digital Library of Mathematical Functions, 5.6.1",
        instance=lambda a: (
            sp.gamma(a["a"]),
            ">",
            sp.sqrt(2 * sp.pi) * a["a"] ** (a["a"] - sp.Rational(1, 2)) * sp.exp(-a["a"]),
        ),
        required={"positive": lambda a: (a["a"], ">", _zero)},
    ),
    "upper tails of a gamma law far out": Fact(
        text="The upper tails of a gamma law tend to 0 where their edges, which are positive, go to infinity.",
        tex=r"x, y \to \infty \implies Q(s, x) - c\,Q(s, y) \to 0",
        letters=("s", "c", "one", "other", "argument"),
        conditions={"one": "the one edge goes to infinity", "other": "so does the other"},
        reference="Abramowitz and Stegun, 6.5.32",
        instance=lambda a: (
            sp.Limit(_tail(Qg, a, "one") - _held(a, "c") * _tail(Qg, a, "other"), a["argument"], 0, "+"),
            "=",
            _zero,
        ),
        required={
            "one": lambda a: (sp.Limit(1 / a["one"], a["argument"], 0, "+"), "=", _zero),
            "other": lambda a: (sp.Limit(1 / a["other"], a["argument"], 0, "+"), "=", _zero),
        },
    ),
    "both tails of a gamma law far out": Fact(
        text="The lower tail of a gamma law tends to 0 with its positive edge, the upper tail where its edge goes to"
        " infinity.",
        tex=r"x \to 0,\ y \to \infty \implies P(s, x) - Q(s, y) \to 0",
        letters=("s", "low", "high", "argument"),
        conditions={"low": "the lower edge tends to 0", "high": "the upper edge goes to infinity"},
        reference="Abramowitz and Stegun, 6.5.4 and 6.5.32",
        instance=lambda a: (
            sp.Limit(_tail(Pg, a, "low") - _tail(Qg, a, "high"), a["argument"], sp.oo),
            "=",
            _zero,
        ),
        required={
            "low": lambda a: (sp.Limit(a["low"], a["argument"], sp.oo), "=", _zero),
            "high": lambda a: (sp.Limit(1 / a["high"], a["argument"], sp.oo), "=", _zero),
        },
    ),
}
