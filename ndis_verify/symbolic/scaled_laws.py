"""Scaled laws, and what the letters of facts about them are: variances, levels, losses, the path of scales."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sympy as sp

from ndis_verify.exact_number import InputError
from ndis_verify.symbolic.fact import Instance
from ndis_verify.symbolic.normal_coordinates import entry, log_density, total_of, z
from ndis_verify.symbolic.notation import divergence, law_under, loss_at, mass, rate, scaled, unscaled, x
from ndis_verify.symbolic.zero import as_expression

_zero = sp.Integer(0)


def parts_of(law: Any) -> tuple[Any, Any, Any]:
    """Eigenvalues, counts and scale of a scaled law."""
    if law.func != scaled:
        raise InputError("law", str(law), "must be a scaled law")
    return law.args


def pair_of(a: Mapping[str, Any]) -> tuple[Any, Any, Any]:
    """The scaled one of two laws, of which the other is standard, and the variances of one coordinate of each."""
    first = a["P"].func == scaled
    law, other = (a["P"], a["Q"]) if first else (a["Q"], a["P"])
    if parts_of(law)[1] != other.args[0] or other.func != unscaled:
        raise InputError("laws", f"{a['P']}, {a['Q']}", "must be a scaled law and the standard one of its coordinates")
    return law, *((a["variance"], sp.Integer(1)) if first else (sp.Integer(1), a["variance"]))


def counts_of(a: Mapping[str, Any]) -> Any:
    return entry(parts_of(pair_of(a)[0])[1])


def variance_of(law: Any, variance: Any) -> Instance:
    lam, _, s = parts_of(law)
    return a_number({"variance": variance}, "variance"), "=", sp.Max(1, entry(lam) * sp.exp(-s))


def own_variance(a: Mapping[str, Any]) -> Instance:
    return variance_of(pair_of(a)[0], a["variance"])


def a_number(a: Mapping[str, Any], name: str) -> Any:
    """A letter that speaks of no point."""
    if as_expression(a[name]).free_symbols & {x, z}:
        raise InputError(name, str(a[name]), "must be a number, the same at every point")
    return a[name]


def same_loss(a: Mapping[str, Any]) -> Instance:
    _, own, other = pair_of(a)
    return log_density(0, sp.sqrt(own)) - log_density(0, sp.sqrt(other)), "=", (a["statistic"] - a["share"]) / 2


def level_of_shares(a: Mapping[str, Any]) -> Instance:
    return a_number(a, "level"), "=", total_of(counts_of(a) * a_number(a, "share"))


def form_under(a: Mapping[str, Any]) -> Instance:
    """What the statistic is of one coordinate under P."""
    std = sp.sqrt(a["variance"] if a["P"].func == scaled else sp.Integer(1))
    return a["statistic"].subs(entry(x), std * entry(z)), "=", a_number(a, "weight") * entry(z) ** 2


def law_of_statistic(a: Mapping[str, Any]) -> Instance:
    """The density is a function of one argument."""
    if len(getattr(a["f"], "args", ())) != 1 or a["f"].args[0] != a.get("argument", a["f"].args[0]):
        raise InputError("f", str(a["f"]), "must be a function of the argument alone")
    return law_under(total_of(a["statistic"]), a["P"]), "=", a["f"]


def drawn_loss(a: Mapping[str, Any]) -> Instance:
    return a["L"], "=", loss_at(a["P"], a["Q"])


def at_least_0(value: Any) -> Any:
    """A symbol that stands for every number from 0 on."""
    if not isinstance(value, sp.Symbol) or value.assumptions0 != sp.Symbol("any", nonnegative=True).assumptions0:
        raise InputError("value", str(value), "must stand for every number from 0 on")
    return value


def linear_slope(a: Mapping[str, Any]) -> Instance:
    """Of whole numbers as factors: what else there is may depend on s."""
    if len(a["terms"]) != 2:
        raise InputError("terms", str(a["terms"]), "must be two")
    for c, _ in a["terms"]:
        if not as_expression(c).is_Integer:
            raise InputError("terms", str(c), "must be a whole number")
    return rate(sp.Add(*(c * f for c, f in a["terms"]))), "=", sp.Add(*(c * rate(f) for c, f in a["terms"]))


def put_inside(a: Mapping[str, Any], side: Any) -> Any:
    return side.subs(a["inside"], simultaneous=True)


def below_edge(a: Mapping[str, Any], law: Any, edge: Any) -> Any:
    """The probability under a law that the statistic, summed over the coordinates, is below the edge."""
    return mass(law_under(total_of(a["statistic"]), law), edge)


def none_at_1(a: Mapping[str, Any]) -> Instance:
    """That the statistic is 0 of a coordinate of variance 1, 1 more than the excess being the variance."""
    if not isinstance(a["excess"], sp.Symbol):
        raise InputError("excess", str(a["excess"]), "must be a symbol")
    return sp.Subs(a["statistic"], a["excess"], 0), "=", _zero


def at_start(a: Mapping[str, Any], side: Any) -> Any:
    return side.subs({a["s"]: 0, a["e"]: a["epsilon"]}, simultaneous=True)


def nearby(a: Mapping[str, Any], law: Any) -> Instance:
    """That the law at r is near that at s, r and s any two numbers."""
    lam, m, s = parts_of(law)
    symbols = (s, a["r"])
    if s != a["s"] or s == a["r"] or any(one.assumptions0 != sp.Symbol("s", real=True).assumptions0 for one in symbols):
        raise InputError("s", f"{s}, {a['r']}", "must be two symbols for any numbers, the first that of the law")
    if {*symbols} & (as_expression(lam).free_symbols | as_expression(m).free_symbols):
        raise InputError("law", str(law), "must depend on s by its scale alone")
    return sp.Limit(divergence(law.subs(s, a["r"]), law, 0), a["r"], s, "+-"), "=", _zero


def path_laws(a: Mapping[str, Any]) -> tuple[Any, Any]:
    """P(s) and Q of the two divergences, which are those of the one from the other and of the other from the one."""
    both = f"{a['one']}, {a['other']}"
    if a["one"].func != divergence:
        raise InputError("one", both, "must be divergences of one pair, in both orders, at e")
    P, Q, e = a["one"].args
    if e != a["e"] or a["other"] != divergence(Q, P, e) or not isinstance(e, sp.Symbol) or e == a["s"]:
        raise InputError("one", both, "must be divergences of one pair, in both orders, at e")
    law, other = (P, Q) if P.func == scaled else (Q, P)
    if other != unscaled(parts_of(law)[1]):
        raise InputError("laws", f"{P}, {Q}", "must be a scaled law and the standard one of its coordinates")
    return law, other


def path_edge(a: Mapping[str, Any]) -> Instance:
    lam, m, s = parts_of(path_laws(a)[0])
    return 2 * a["edge"], "=", total_of(entry(m) * sp.log(sp.Max(1, entry(lam) * sp.exp(-s))))


def at_the_start(a: Mapping[str, Any]) -> Instance:
    """Where 0 < e < c, e and 2 c - 2 e stand for any two positive numbers."""
    inner = a["inside"].get(a["e"])
    room = sp.expand(a["inside"].get(2 * a["edge"], sp.Integer(0)) - 2 * inner) if inner is not None else None
    places = {one for one in (inner, room) if isinstance(one, sp.Symbol)}
    positive = sp.Symbol("any", positive=True).assumptions0
    if len(places) < 2 or len(a["inside"]) != 2 or any(one.assumptions0 != positive for one in places):
        raise InputError("inside", str(a["inside"]), "must put any positive number in the place of e and of 2 c - 2 e")
    if any(as_expression(a[name]).free_symbols & places for name in ("one", "other", "slope", "bend", "rate", "a")):
        raise InputError("inside", str(places), "must be what nothing else speaks of")
    return at_start(a, a["one"]), ">=", at_start(a, a["other"])


def gap_of(a: Mapping[str, Any]) -> Any:
    return a["one"] - a["other"]
