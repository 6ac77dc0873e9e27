"""Standard facts about the angle between a random point of a sphere and a pole that turns, and what it moves.

`cot` is the cotangent of the angle, `xi` a coordinate of a uniform direction across the pole.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sympy as sp

from ndis_verify.exact_number import InputError
from ndis_verify.symbolic.fact import Fact, Instance
from ndis_verify.symbolic.facts_of_statistics import ON_SPHERE, REQUIRED_ON_SPHERE, direction
from ndis_verify.symbolic.notation import (
    beyond,
    divergence,
    mass,
    resketched,
    sketched,
    sphere_constant,
    sphere_mean,
    xi,
)

cot = sp.Symbol("c_T", positive=True)  # the cotangent, of which the facts speak as c
_zero = sp.Integer(0)
size = sp.Symbol("eta", positive=True)  # of xi
_SPOKEN = (
    "y, on the half sphere y_0 > 0 in R^{d+1}, has a density proportional to y_0^k, k >= 0, and T is (y^T e)^2 for a"
    " unit vector e with e_0^2 = 1/(1 + x^2). T is c^2/(1 + c^2), c the cotangent of the angle between e and y or -y,"
    " whichever is less; |y_0| is |c + x xi|/sqrt((1 + x^2)(1 + c^2)), where xi is a coordinate of a uniform direction"
    " in R^d, 1 or -1 for d = 1. (c, xi) has the density C (1 + c^2)^{-(d+1)/2} |y_0|^k over dc and the law of xi, and"
    " C > 0 depends on d and k alone, as a rotation shows."
)


def statistic(edge: Any) -> Any:
    """T where the cotangent is `edge`."""
    return edge**2 / (1 + edge**2)


def below(d: Any, f: Any, edge: Any) -> Any:
    """The probability of a cotangent below `edge` where the density of it and xi is f."""
    return sp.Integral(sphere_mean(d, f), (cot, 0, edge))


def _density(a: Mapping[str, Any]) -> Any:
    for name in ("x", "d", "r"):
        _constant(a, name, cot, xi)
    d, k, x = a["d"], _not_negative(sp.expand(a["r"] - a["d"])), a["x"]
    moved = (1 + x**2) ** (-k / 2) * sp.Abs(cot + x * xi) ** k
    return sphere_constant(d, k) * (1 + cot**2) ** (-(d + k + 1) / 2) * moved


def _not_negative(k: Any) -> Any:
    if k.is_nonnegative is not True:
        raise InputError("k", str(k), "must be known not to be negative")
    return k


def _larger(a: Mapping[str, Any]) -> Any:
    return sketched(a["p"], a["q"], a["d"], a["r"])


def _smaller(a: Mapping[str, Any]) -> Any:
    return resketched(a["p"], a["q"], a["d"], a["r"])


def _from_0_on(name: str) -> Any:
    return lambda a: (a[name], ">=", _zero)


def _angle(says: str, tex: str, letters: tuple[str, ...], instance: Any, **inside: str) -> Fact:
    return Fact(
        text="Under P, the law of least squares on a sketch of r rows, of d features, with a record that has leverage"
        f" p in B and q in [B b], k = r - d: {_SPOKEN} {says}",
        tex=tex,
        letters=("p", "q", "d", "r", "x", *letters),
        conditions={**ON_SPHERE, "direction": "e_0^2", "size": "d >= 1", **inside},
        reference="Muirhead, Aspects of Multivariate Statistical Theory, Theorems 1.5.5 and 2.1.3",
        instance=instance,
        required={
            **REQUIRED_ON_SPHERE,
            "size": lambda a: (a["d"], ">=", sp.Integer(1)),
            "direction": lambda a: (direction(a["p"], a["q"]), "=", 1 / (1 + a["x"] ** 2)),
            **{name: _from_0_on(name) for name in inside},
        },
    )


def _constant(a: Mapping[str, Any], name: str, *held: Any) -> Any:
    """A letter that may not speak of the symbols `held`."""
    if a[name].free_symbols & set(held):
        raise InputError(name, str(a[name]), f"must not depend on {', '.join(map(str, held))}")
    return a[name]


def _carried(a: Mapping[str, Any]) -> Instance:
    if sp.Poly(a["g"], cot, xi).total_degree() > 1:
        raise InputError("g", str(a["g"]), "must be linear in the cotangent and in xi")
    f = a["f"] * a["g"] ** a["k"]
    across = (1 - xi**2) * sp.Derivative(f * a["across"], xi) - (a["d"] - 1) * xi * f * a["across"]
    return sp.Derivative(f, a["t"]), "=", sp.Derivative(xi * a["speed"] * f, cot) - across


def _inflow(a: Mapping[str, Any]) -> Instance:
    speed, rest = _constant(a, "speed", xi), _constant(a, "f", xi)
    met = sphere_mean(a["d"], xi * sp.Abs(a["g"].subs(cot, a["edge"])) ** _not_negative(a["k"]))
    return sp.Derivative(a["below"], a["t"]), "=", (rest * speed).subs(cot, a["edge"]) * met


def _at_start(a: Mapping[str, Any]) -> Any:
    return (xi * a["speed"] * a["f"] * sp.Abs(a["g"]) ** a["k"]).subs(cot, 0)


OF_ANGLES: Mapping[str, Fact] = {
    "cotangent of an angle on a half sphere": _angle(
        "So P[T < c^2/(1 + c^2)] is the integral of that density up to c.",
        r"P\Bigl[T < \tfrac{z^2}{1 + z^2}\Bigr] = \int_0^z \mathbb{E}_\xi\, C (1 + c^2)^{-(d+1)/2} |y_0|^k\,dc",
        ("edge",),
        lambda a: (mass(_larger(a), statistic(a["edge"])), "=", below(a["d"], _density(a), a["edge"])),
        edge="z >= 0",
    ),
    "cotangent of an angle on a half sphere, any": _angle(
        "The integral of that density is 1.",
        r"\int_0^\infty \mathbb{E}_\xi\, C (1 + c^2)^{-(d+1)/2} |y_0|^k\,dc = 1",
        (),
        lambda a: (below(a["d"], _density(a), sp.oo), "=", sp.Integer(1)),
    ),
    "a stretched density": Fact(
        text="A density of c > 0 and that of c/s, s > 0, have one integral.",
        tex=r"\int_0^\infty s\,f(s c)\,dc = \int_0^\infty f(c)\,dc",
        letters=("d", "f", "factor", "image"),
        conditions={"positive": "s > 0", "image": "what the density of c/s is"},
        reference="change of variables: Rudin, Principles of Mathematical Analysis, Theorem 6.19",
        instance=lambda a: (
            below(a["d"], a["image"], sp.oo),
            "=",
            below(a["d"], a["f"], sp.oo),
        ),
        required={
            "positive": lambda a: (_constant(a, "factor", cot, xi), ">", _zero),
            "image": lambda a: (a["factor"] * a["f"].subs(cot, a["factor"] * cot), "=", a["image"]),
        },
    ),
    "a law in proportion to another": Fact(
        text="P and Q are the laws of least squares on a sketch with a record that has leverage p in B and q in [B b],"
        " and without it; T is c^2/(1 + c^2). Where (c, xi) has the density f under P, and w is (1 - q T)^{-(r+1)/2},"
        " up to a constant the density of Q over P, (c, xi) has under Q the density that is a constant times w f, and"
        " of integral 1.",
        tex=r"\frac{dQ}{dP} \propto w(T),\ w f \propto g,\ \int g = 1 \implies Q[T < t] = \int_{T < t} g",
        letters=("p", "q", "d", "r", "f", "g", "w", "ratio", "edge"),
        conditions={
            "law": "the density of (c, xi) under P",
            "over P": "w is the density of Q over P, up to a constant",
            "proportion": "w f is a constant times g",
            "mass": "the integral of g is 1",
        },
        reference="Billingsley, Probability and Measure, Theorems 16.11 and 16.13",
        instance=lambda a: (mass(_smaller(a), statistic(a["edge"])), "=", below(a["d"], a["g"], a["edge"])),
        required={
            "law": lambda a: (mass(_larger(a), statistic(a["edge"])), "=", below(a["d"], a["f"], a["edge"])),
            "over P": lambda a: ((1 - a["q"] * statistic(cot)) ** (-(a["r"] + 1) / 2), "=", a["w"]),
            "proportion": lambda a: (a["w"] * a["f"], "=", _constant(a, "ratio", cot, xi) * a["g"]),
            "mass": lambda a: (below(a["d"], a["g"], sp.oo), "=", sp.Integer(1)),
        },
    ),
    "flow of an angle": Fact(
        text="c > 0 and xi, a coordinate of a uniform direction in R^d, have the density f |g|^k, k >= 0, over dc and"
        " the law of xi, f and the speed free of xi, g linear in c and xi. For smooth h the expectation of (1 - xi^2)"
        " h' - (d - 1) xi h is 0. Where the density changes with t as if carried by -xi speed along c and by (1 - xi^2)"
        " `across` along xi, and what comes in at c = 0 is odd in xi, the probability of c < z changes with what comes"
        " in at z.",
        tex=r"\partial_t \rho = \partial_c (\xi v \rho) - \bigl((1 - \xi^2) \partial_\xi - (d - 1) \xi\bigr) (w \rho)"
        r" \implies \tfrac{d}{dt} \Pr[c < z] = \mathbb{E}_\xi\, \xi\, v \rho\,|_{c = z}",
        letters=("below", "d", "f", "g", "k", "t", "speed", "across", "edge"),
        conditions={
            "density": "the probability is the integral of the density",
            "carried": "the density is carried, where g > 0; where g < 0, so is that of -g",
            "start": "what comes in at c = 0 is odd in xi",
        },
        reference="divergence theorem: Rudin, Principles of Mathematical Analysis, Theorem 10.51; on spheres: Muirhead,"
        " Aspects of Multivariate Statistical Theory, Theorem 1.5.5",
        instance=_inflow,
        required={
            "density": lambda a: (a["below"], "=", below(a["d"], a["f"] * sp.Abs(a["g"]) ** a["k"], a["edge"])),
            "carried": _carried,
            "start": lambda a: (_at_start(a).subs(xi, -xi), "=", -_at_start(a)),
        },
        where={"carried": lambda a: (a["g"], ">", _zero)},
        apart=dict.fromkeys(("edge", "d", "k"), ("t", cot, xi)),
        continuous=lambda a: [
            *((name, cot, (0,)) for name in ("speed", "across", "f")),
            *((name, xi, ()) for name in ("speed", "across", "f")),
        ],
    ),
    "more on the one side": Fact(
        text="Where |h| at xi is at least |h| at -xi for xi > 0, the expectation of xi |h|^k, k >= 0, is not negative:"
        " the law of xi, a coordinate of a uniform direction in R^d, is symmetric.",
        tex=r"h(\xi)^2 \ge h(-\xi)^2\ (\xi > 0) \implies \mathbb{E}_\xi\, \xi\,|h|^k \ge 0",
        letters=("h", "k", "d"),
        conditions={"order": "h is larger in size on the right"},
        reference="what xi and -xi give together is not negative: Rudin, Real and Complex Analysis, 1.24",
        instance=lambda a: (sphere_mean(a["d"], xi * sp.Abs(a["h"]) ** _not_negative(a["k"])), ">=", _zero),
        required={
            "order": lambda a: (
                _constant(a, "h", size).subs(xi, size) ** 2,
                ">=",
                _constant(a, "h", size).subs(xi, -size) ** 2,
            )
        },
    ),
}


def _require_roles(a: Mapping[str, Any]) -> None:
    """What the letters of a summit may speak of: the family and the summit of neither x nor z, what x places of no eps,
    and nothing of the distances that the conditions add.
    """
    place, edge = (_any_positive(a[name]) for name in ("x", "edge"))
    epsilon = a["epsilon"]
    if (
        place == edge
        or not isinstance(epsilon, sp.Symbol)
        or epsilon.assumptions0 != sp.Symbol("e", real=True).assumptions0
    ):
        raise InputError("letters", f"{place}, {edge}, {epsilon}", "must be three symbols, the last for any number")
    fixed = ("leverage", "q", "r", "d", "high", "summit", "at")
    for name in a:
        _constant(a, name, *({beyond} | ({place, edge} if name in fixed else set())))
    for name in ("leverage", "q", "r", "place", "high", "loss", "P below", "Q below", "d", "f", "g"):
        _constant(a, name, epsilon)
    if not isinstance(a["leverage"], sp.Lambda):
        raise InputError("leverage", str(a["leverage"]), "must be a function of v")
    _constant(a, "place", edge)
    for name in ("f", "g"):
        _constant(a, name, edge)


def _any_positive(symbol: Any) -> Any:
    if not isinstance(symbol, sp.Symbol) or symbol.assumptions0 != sp.Symbol("any", positive=True).assumptions0:
        raise InputError("letter", str(symbol), "must stand for every positive number")
    return symbol


def _summit(exchanged: bool) -> Fact:
    """Of P_v from Q_v; exchanged: of Q_v from P_v, whose loss is -eps at its threshold, and v falls in x."""
    sign = -1 if exchanged else 1
    before, after = ("<=", ">=") if exchanged else (">=", "<=")

    def laws(a: Mapping[str, Any], at: Any) -> tuple[Any, Any]:
        place = a["leverage"](at), a["q"], a["d"], a["r"]
        return sketched(*place), resketched(*place)

    def released(a: Mapping[str, Any], at: Any) -> Any:
        _require_roles(a)
        return divergence(*laws(a, at)[::sign], a["epsilon"])

    def gained(a: Mapping[str, Any]) -> Any:
        first, second = (a["P below"], a["Q below"])
        return (1 - second) - sp.exp(a["epsilon"]) * (1 - first) if exchanged else first - sp.exp(a["epsilon"]) * second

    def on_curve(a: Mapping[str, Any], side: Any) -> Any:
        return side.subs(a["epsilon"], sign * a["loss"])

    def risen(a: Mapping[str, Any], side: Any) -> Any:
        return on_curve(a, side).subs(a["edge"], a["x"] + beyond)

    def fallen(a: Mapping[str, Any], side: Any) -> Any:
        return on_curve(a, side).subs(a["x"], a["edge"] + beyond)

    ends = [lambda a: a["high"], lambda a: _zero] if exchanged else [lambda a: _zero, lambda a: a["high"]]
    return Fact(
        text="For 0 <= v <= h P_v and Q_v are the laws of least squares on a sketch with a record that has a leverage"
        " in B which is a continuous function of v, and q in [B b], and without it: T is c^2/(1 + c^2) for the"
        " cotangent c of the angle between a point of the half sphere, of a density y_0^k, k >= 0, and a pole that"
        " turns continuously with the leverage, so that P_v and Q_v, whose density over it is a bounded continuous"
        " function of the leverage and T, are continuous in v in total variation. Their loss log p/q falls in z > 0,"
        " where T = z^2/(1 + z^2), and v is a strictly monotone function of x > 0 with the ends 0 and h, "
        + ("falling" if exchanged else "rising")
        + ". By Neyman and Pearson D(v), the divergence of "
        + (
            "Q_v from P_v, is the largest of G(z, v) = Q_v[T >= t] - e^eps P_v[T >= t]"
            if exchanged
            else "P_v from Q_v,"
        )
        + ("" if exchanged else " is the largest of G(z, v) = P_v[T < t] - e^eps Q_v[T < t]")
        + f" over z in [0, oo], at the z where the loss is {'-eps' if exchanged else 'eps'} or, where there is none, at"
        " an end, where G does not depend on v. G has a slope in x, bounded for all z together where x is in a compact"
        " part of (0, oo), as what comes in at z is at most a multiple of (1 + z^2)^{-(d-1)/2}: so D is locally"
        " Lipschitz, and its slope is, where it has one, that of G with z held."
        " Where z is where the loss says, that slope is >= 0 for x <= z, <= 0 for x > z, and there"
        f" v is {'at least' if exchanged else 'at most'} m and {'at most' if exchanged else 'at least'} m, m <= h: D"
        " has one summit, and is largest at max(0, m).",
        tex=r"(m - v)\,\partial_v G(z, v) \ge 0 \text{ where } G(z, v) = \max_y G(y, v) \implies"
        r" D(v) \le D(\max(0, m)),\quad D(v) = \max_y G(y, v)",
        letters=(
            *(
                "leverage",
                "q",
                "r",
                "epsilon",
                "x",
                "place",
                "high",
                "edge",
                "P below",
                "Q below",
                "d",
                "f",
                "g",
                "loss",
            ),
            *("slope", "summit", "at"),
        ),
        conditions={
            "of P": "P_v[T < t] at the place of x",
            "of Q": "Q_v[T < t] there",
            "density of P": "f is the density of (c, xi) under P_v, T = c^2/(1 + c^2)",
            "density of Q": "g is that under Q_v",
            "loss": "the loss is log f/g",
            "falls": "it falls in z",
            "slope": "the slope of G in x, z held",
            "up": "it is not negative where x <= z",
            "down": "and not positive where x >= z",
            "before": "how v compares to m where x <= z",
            "after": "and where x >= z",
            "moves": "v is strictly monotone in x",
            "start": "what v is at x = 0",
            "end": "and what it tends to",
            "least": "v >= 0",
            "most": "v <= h",
            "room": "m <= h",
        },
        reference="Neyman and Pearson (1933); envelope theorem: Milgrom and Segal (2002), Theorems 1 and 2; Rudin,"
        " Principles of Mathematical Analysis, Theorem 5.11",
        instance=lambda a: (released(a, a["at"]), "<=", released(a, sp.Max(0, a["summit"]))),
        continuous=lambda a: [
            ("loss", a["edge"], ()),
            ("place", a["x"], ()),
            ("leverage", a["leverage"].variables[0], (0, a["high"])),
        ],
        required={
            "of P": lambda a: (mass(laws(a, a["place"])[0], statistic(a["edge"])), "=", a["P below"]),
            "of Q": lambda a: (mass(laws(a, a["place"])[1], statistic(a["edge"])), "=", a["Q below"]),
            "density of P": lambda a: (a["P below"], "=", below(a["d"], a["f"], a["edge"])),
            "density of Q": lambda a: (a["Q below"], "=", below(a["d"], a["g"], a["edge"])),
            "loss": lambda a: (a["f"], "=", sp.exp(a["loss"].subs(a["edge"], cot)) * a["g"]),
            "falls": lambda a: (sp.Derivative(a["loss"], a["edge"]), "<", _zero),
            "slope": lambda a: (sp.Derivative(gained(a), a["x"]), "=", a["slope"]),
            "up": lambda a: (risen(a, a["slope"]), ">=", _zero),
            "down": lambda a: (fallen(a, a["slope"]), "<=", _zero),
            "before": lambda a: (risen(a, a["summit"]), before, risen(a, a["place"])),
            "after": lambda a: (fallen(a, a["summit"]), after, fallen(a, a["place"])),
            "moves": lambda a: (sp.Derivative(a["place"], a["x"]), "<" if exchanged else ">", _zero),
            "start": lambda a: (a["place"].subs(a["x"], 0), "=", ends[0](a)),
            "end": lambda a: (sp.Limit(a["place"], a["x"], sp.oo), "=", ends[1](a)),
            "least": lambda a: (a["at"], ">=", _zero),
            "most": lambda a: (a["at"], "<=", a["high"]),
            "room": lambda a: (a["summit"], "<=", a["high"]),
        },
    )


OF_ANGLES = {
    **OF_ANGLES,
    "one summit of a divergence": _summit(exchanged=False),
    "one summit of a divergence, exchanged": _summit(exchanged=True),
}
