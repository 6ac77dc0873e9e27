"""Standard facts about the worst covariances of an envelope: slopes of a divergence in the logarithms of variances, and
where a divergence is greatest.

P has independent centred normal coordinates whose variances have the logarithms l_i, alpha_i = e^{l_i} - 1, Q as many
of variance 1; W = sum (1 - e^{-l_i}) x_i^2, so that log p/q = (W - nu)/2, nu = sum l_i.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import sympy as sp
from sympy.core.function import AppliedUndef

from ndis_verify.exact_number import InputError
from ndis_verify.statements.quantities import QUANTITIES
from ndis_verify.symbolic import notation
from ndis_verify.symbolic.fact import Continuity, Fact, Instance, averaged, smooth, whole
from ndis_verify.symbolic.normal_coordinates import entry, log_density
from ndis_verify.symbolic.notation import (
    average,
    below,
    beyond,
    centred_first,
    centred_second,
    divergence,
    flux,
    joined,
    left_of,
    level_of,
    logarithms,
    over_envelope,
    slope_in,
    standard,
    vertex_of,
    with_logs,
    x,
)
from ndis_verify.symbolic.scopes import OVER_COORDINATES
from ndis_verify.symbolic.statement_terms import quantity
from ndis_verify.symbolic.zero import as_expression

_zero = sp.Integer(0)
_LAWS = (
    "P has independent centred normal coordinates whose variances have the logarithms l_i > 0, the first two log(1 + p)"
    " and log(1 + q), Q as many of variance 1"
)
first_weight, second_weight = sp.symbols("w_1 w_2", positive=True)


def first_two(p: Any, q: Any, others: Any) -> Any:
    """The law whose first two l_i are log(1 + p) and log(1 + q)."""
    return with_logs(joined(sp.log(1 + p), sp.log(1 + q), others))


def between(P: Any, d: Any, epsilon: Any, exchanged: bool) -> Any:
    """The divergence of P from Q; exchanged: of Q from P."""
    return divergence(*((standard(d), P) if exchanged else (P, standard(d))), epsilon)


def edge_of(P: Any, epsilon: Any, exchanged: bool) -> Any:
    """The W at which the loss is eps, or exchanged -eps."""
    return level_of(P) + (-2 if exchanged else 2) * epsilon


def in_direction(p: Any, q: Any, ratio: Any, left: Any) -> Any:
    """The probability of p z_1^2 + q z_2^2 < left where |z_2/z_1| is given: z_1^2 + z_2^2 is exponential of mean 2."""
    return 1 - sp.exp(-left * (1 + ratio**2) / (2 * (p + q * ratio**2)))


def fall_in(which: int, ratio: Any, left: Any) -> Any:
    """Minus the slope of that probability in the logarithm of one of the weights w_1 and w_2."""
    weight = (first_weight, second_weight)[which - 1]
    return -weight * sp.Derivative(in_direction(first_weight, second_weight, ratio, left), weight)


def ratio_density(ratio: Any) -> Any:
    """Of |z_2/z_1|."""
    return 2 / (sp.pi * (1 + ratio**2))


def _generic(symbol: Any, sign: str) -> Any:
    """A symbol that stands for every number of that sign."""
    if not isinstance(symbol, sp.Symbol) or not symbol.is_commutative:
        raise InputError("letter", str(symbol), "must be a symbol")
    if symbol.assumptions0 != sp.Symbol("any", **{sign: True}).assumptions0:
        raise InputError("letter", str(symbol), f"must stand for every {sign} number")
    return symbol


def _pair(a: Mapping[str, Any]) -> Any:
    p, q = (_generic(a[name], "positive") for name in ("p", "q"))
    if p == q or a["which"] not in (1, 2):
        raise InputError("letters", f"{p}, {q}, {a['which']}", "must be two weights, and 1 or 2")
    return first_two(p, q, _generic(a["others"], "real"))


def _slope_by_flux(exchanged: bool) -> Fact:
    def instance(a: Mapping[str, Any]) -> Instance:
        P = _pair(a)
        factor = sp.exp(a["epsilon"]) if exchanged else sp.Integer(1)
        moved = flux(a["which"], P, edge_of(P, a["epsilon"], exchanged))
        return slope_in(a["which"], between(P, a["d"], a["epsilon"], exchanged)), "=", -factor * moved

    return Fact(
        text=f"{_LAWS}. Then twice the loss is W - nu, and the divergence of "
        + (
            "Q from P has in l_k, k = 1 or 2, the slope -e^eps times that of P[W < t], t = nu - 2 eps"
            if exchanged
            else "P from Q has in l_k, k = 1 or 2, minus the slope of P[W < t], t = nu + 2 eps"
        )
        + ", W and t held: the positive part has the slope of its argument where W is on the one side of t and 0 on the"
        " other, W = t has probability 0, and slopes of the normal density near l_k are dominated by an integrable"
        " function.",
        tex=r"\frac{\partial}{\partial l_k} \int \max(q - e^{\varepsilon} p, 0)\,dx = -e^{\varepsilon}"
        r" \int_{\{q > e^{\varepsilon} p\}} \frac{\partial p}{\partial l_k}\,dx"
        if exchanged
        else r"\frac{\partial}{\partial l_k} \int \max(p - e^{\varepsilon} q, 0)\,dx ="
        r" \int_{\{p > e^{\varepsilon} q\}} \frac{\partial p}{\partial l_k}\,dx",
        letters=("p", "q", "others", "d", "which", "epsilon", "weight"),
        conditions={
            "loss": "twice the loss of one coordinate, of variance 1 + weight, is its share of W less its l_i",
            "positive": "the weights are positive",
        },
        reference="dominated convergence: Folland, Real Analysis, Theorem 2.27; Milgrom and Segal (2002), Theorem 3",
        instance=instance,
        required={
            "loss": lambda a: (
                log_density(0, sp.sqrt(1 + a["weight"])) - log_density(0, 1),
                "=",
                ((1 - 1 / (1 + a["weight"])) * entry(x) ** 2 - sp.log(1 + a["weight"])) / 2,
            ),
            "positive": lambda a: (_generic(a["weight"], "positive"), ">", _zero),
        },
    )


def _flux(a: Mapping[str, Any]) -> Instance:
    P = _pair(a)
    if a["ratio"] == a["left"]:
        raise InputError("left", str(a["left"]), "must be another symbol than the ratio")
    rest = left_of(P, a["edge"])
    mean = sp.Integral(ratio_density(a["ratio"]) * a["fall"], (a["ratio"], 0, sp.oo))
    return flux(a["which"], P, a["edge"]), "=", -average(mean.subs(_generic(a["left"], "nonnegative"), rest))


def _rising(exchanged: bool) -> dict[str, Any]:
    """What the slopes in any two of the l_i, the smaller one first, have to be shown to be."""

    def slope(a: Mapping[str, Any], k: int) -> Any:
        P = first_two(below, below + beyond, _generic(a["others"], "real"))
        return slope_in(k, between(P, a["d"], a["epsilon"], exchanged))

    return {
        "rises": lambda a: (slope(a, 1), ">=", _zero),
        "order": lambda a: (slope(a, 2), ">=", slope(a, 1)),
        "profile": lambda a: (a["epsilon"], ">=", _zero),
    }


_RISING = {
    "rises": "the slope in the smaller of two l_i is not negative",
    "order": "and that in the larger is at least as large",
    "profile": "eps >= 0",
}


def _schur(exchanged: bool) -> str:
    return (
        f"{_LAWS}, d in all. Where the divergence of {'Q from P' if exchanged else 'P from Q'}, eps >= 0, has"
        " slopes in any two of the l_i, log(1 + p) and log(1 + p + g), g >= 0, that in the smaller is not negative, and"
        " that in the larger is at least as large, then it increases in every l_i and is Schur-convex, being"
        " continuous and the same in every order of the coordinates"
    )


_SCHUR = (
    "Schur and Ostrowski; weak majorisation: Marshall, Olkin and Arnold, Inequalities: Theory of Majorization and Its"
    " Applications, Theorems 3.A.4 and 3.A.8"
)
_CONTINUOUS = "continuity by Scheffe's theorem: Billingsley, Probability and Measure, Theorem 16.12"


def _greatest(exchanged: bool) -> Fact:
    def at(a: Mapping[str, Any], logs: Any) -> Any:
        return between(with_logs(logs), a["d"], a["epsilon"], exchanged)

    return Fact(
        text=f"{_schur(exchanged)}: over 0 <= l_i <= rho of sum at most nu it is greatest where as many as possible,"
        " k = min(d, floor(nu/rho)), are rho and one of the others is what is left, r = min(nu, d rho) - k rho. So it"
        " is for d = 1, as a coordinate of variance 1 changes no divergence.",
        tex=r"0 \le \partial_i \delta \le \partial_j \delta \text{ where } l_i \le l_j \implies"
        r" \max_{0 \le l_i \le \rho,\ \sum l_i \le \nu} \delta(l) = \delta(\rho, \dots, \rho, r, 0, \dots, 0)",
        letters=("others", "d", "epsilon", "cap", "sum", "whole", "rest"),
        conditions={
            **_RISING,
            "cap": "rho > 0",
            "sum": "nu > 0",
            "whole": "k = min(d, floor(nu/rho))",
            "rest": "r = min(nu, d rho) - k rho",
        },
        reference=f"{_SCHUR} and Proposition 5.C.1; {_CONTINUOUS}",
        instance=lambda a: (
            over_envelope(a["cap"], a["sum"], at(a, logarithms)),
            "=",
            at(a, vertex_of(a["cap"], a["whole"], a["rest"])),
        ),
        required={
            **_rising(exchanged),
            "cap": lambda a: (a["cap"], ">", _zero),
            "sum": lambda a: (a["sum"], ">", _zero),
            "whole": lambda a: (a["whole"], "=", sp.Min(a["d"], sp.floor(a["sum"] / a["cap"]))),
            "rest": lambda a: (a["rest"], "=", sp.Min(a["sum"], a["d"] * a["cap"]) - a["whole"] * a["cap"]),
        },
    )


def _below_corner(exchanged: bool) -> Fact:
    """The same of eigenvalues and how often each stands, as statements write them."""

    def at(lam: Any, m: Any, epsilon: Any) -> Any:
        laws = (centred_first(lam, m), centred_second(lam, m))[:: -1 if exchanged else 1]
        return divergence(*laws, epsilon)

    def corner(a: Mapping[str, Any]) -> tuple[Any, Any]:
        return quantity("vector", a["R"], a["T"]), quantity("vector", a["n"], sp.Integer(1))

    return Fact(
        text=f"{_schur(exchanged)}. Let S2^(-1/2) S1 S2^(-1/2) have each eigenvalue lambda_i m_i times, 1 <= lambda_i"
        " <= R, the product of the lambda_i^(m_i) at most R^n T, 1 <= T <= R, n whole. A rotation after S2^(-1/2)"
        " takes N(0, S1) to such a P, l_i = log lambda_i, and N(0, S2) to Q. Any j of the l_i sum to at most j log R"
        " and n log R + log T: log R n times, log T and zeros weakly majorise them, and a coordinate of variance 1"
        f" changes no divergence. So that of {'the second law from the first' if exchanged else 'the first law from'}"
        f"{'' if exchanged else ' the second'} is at most that of the eigenvalues R, n times, and T.",
        tex=r"1 \le \lambda_i \le R,\ \prod_i \lambda_i^{m_i} \le R^n T,\ 1 \le T \le R \implies"
        r" \delta(\lambda, m) \le \delta((R, T), (n, 1))",
        letters=("lam", "m", "others", "d", "epsilon", "R", "T", "n"),
        conditions={
            **_RISING,
            "least": "lambda_i >= 1",
            "most": "lambda_i <= R",
            "counts": "each stands at least once",
            "product": "the product of the lambda_i^(m_i) is at most R^n T",
            "rest": "T >= 1",
            "rest at most": "T <= R",
            "whole": "n is whole and at least 1",
        },
        reference=f"{_SCHUR}; Horn and Johnson, Matrix Analysis, Theorem 2.5.6; {_CONTINUOUS}",
        instance=lambda a: (
            at(a["lam"], a["m"], a["epsilon"]),
            "<=",
            at(*corner(a), a["epsilon"]),
        ),
        required={
            **_rising(exchanged),
            "least": lambda a: (entry(a["lam"]), ">=", sp.Integer(1)),
            "most": lambda a: (entry(a["lam"]), "<=", a["R"]),
            "counts": lambda a: (entry(a["m"]), ">=", sp.Integer(1)),
            "product": lambda a: (
                quantity("product", entry(a["lam"]) ** entry(a["m"])),
                "<=",
                a["R"] ** a["n"] * a["T"],
            ),
            "rest": lambda a: (a["T"], ">=", sp.Integer(1)),
            "rest at most": lambda a: (a["T"], "<=", a["R"]),
            "whole": lambda a: (whole(a["n"]), ">=", sp.Integer(1)),
        },
    )


def _pair_entry(a: Any, b: Any) -> Any:
    return quantity("coordinate", quantity("vector", a, b))


def _over_pair(head: str) -> Fact:
    """A sum or a product over the coordinates of (a, b), of which f may also name those of (n, m)."""
    sign, joined = (r"\sum", "+") if head == "sum" else (r"\prod", "\\,")

    def instance(a: Mapping[str, Any]) -> Instance:
        entries = _pair_entry(a["a"], a["b"]), _pair_entry(a["n"], a["m"])
        if not a["f"].has(*entries):
            raise InputError("f", str(a["f"]), "must speak of the coordinates of the two pairs, which are two")
        if inner := [call for call in a["f"].atoms(AppliedUndef) if str(call.func) in OVER_COORDINATES]:
            raise InputError("f", str(a["f"]), f"must not have {inner[0]}, which goes over coordinates itself")
        first, second = (
            a["f"].subs(dict(zip(entries, at, strict=True))) for at in ((a["a"], a["n"]), (a["b"], a["m"]))
        )
        if any(side.has(sp.Function("coordinate", real=True)) for side in (first, second)):
            raise InputError("letter", str(a["f"]), "must name no other coordinates than those of the two pairs")
        return quantity(head, a["f"]), "=", first + second if head == "sum" else first * second

    return Fact(
        text=f"The {head} of f(x_i, k_i) over the two coordinates of x = (a, b) and k = (n, m).",
        tex=rf"{sign}_i f(x_i, k_i) = f(a, n) {joined} f(b, m),\quad x = (a, b),\ k = (n, m)",
        letters=("f", "a", "b", "n", "m"),
        conditions={},
        reference=f"the definition of a {head}: (a, b) has two coordinates",
        instance=instance,
    )


def _least(a: Mapping[str, Any], f: Any) -> Any:
    return quantity("inf", sp.Integer(0), a["high"], sp.Lambda(_generic(a["argument"], "nonnegative"), f))


def _unknown_in(a: Mapping[str, Any]) -> Any:
    """f, which is a call of an unknown function of the argument, or the supremum of one over an envelope."""
    f, spoken = a["f"], ()
    if f.func == over_envelope:
        *spoken, f = f.args
    name = str(f.func)
    unknown = isinstance(f, AppliedUndef) and name not in QUANTITIES and not hasattr(notation, name)
    if not unknown or any(a["argument"] in one.free_symbols for one in (*spoken, *(set(f.args) - {a["argument"]}))):
        raise InputError(
            "f", str(a["f"]), "must be an unknown function of the argument, or its supremum over an envelope"
        )
    return a["f"]


def _larger(name: str) -> Any:
    return lambda a: (a[name], "<=", a[f"larger {name}"])


def _no_jump(a: Mapping[str, Any], value: Any) -> Instance:
    """`value` is continuous in the parameter, at every positive number."""
    parameter, at = (_generic(a[name], "positive") for name in ("parameter", "at"))
    if parameter == at:
        raise InputError("at", str(at), "must be another symbol than the parameter")
    return sp.Limit(value, parameter, at, "+-"), "=", value.subs(parameter, at)


def _in_all(*names: str) -> Callable[[Mapping[str, Any]], Sequence[Continuity]]:
    """That letters are continuous in all that they depend on."""

    def in_all(a: Mapping[str, Any]) -> Sequence[Continuity]:
        return [(name, over, ()) for name in names for over in sorted(as_expression(a[name]).free_symbols, key=str)]

    return in_all


def _without_jump(name: str) -> Any:
    return lambda a: _no_jump(a, a[name])


OF_ENVELOPES: Mapping[str, Fact] = {
    "slope of a divergence in a variance": _slope_by_flux(exchanged=False),
    "slope of a divergence in a variance, exchanged": _slope_by_flux(exchanged=True),
    "slope of the probability of an ellipsoid": Fact(
        text=f"{_LAWS}. Under P, W = sum alpha_i z_i^2, z standard normal; the others' part of W leaves u of t, or 0"
        " where it is more. Where the ratio |z_2/z_1| is c, which has the density 2/(pi (1 + c^2)), p z_1^2 + q z_2^2 <"
        " u has the probability 1 - e^{-u (1 + c^2)/(2 (p + q c^2))}: z_1^2 + z_2^2 is exponential, of mean 2, and"
        " independent of the ratio. The slope of P[W < t] in l_1, W held, is that in log p with q and u held, in l_2"
        " that in log q: where minus the slope at c and u is `fall`, between 0 and 1 for all p, q, c and u, minus the"
        " slope is its mean over c and u.",
        tex=r"-\frac{\partial}{\partial \log p} \Pr[p z_1^2 + q z_2^2 < u] = \mathbb{E} \int_0^\infty"
        r" \frac{2}{\pi (1 + c^2)} \left(-p \frac{\partial}{\partial p}\right)"
        r" \left(1 - e^{-u (1 + c^2)/(2 (p + q c^2))}\right) dc",
        letters=("p", "q", "others", "which", "edge", "ratio", "left", "fall"),
        conditions={
            "fall": "what the fall is",
            "least": "it is not negative",
            "most": "it is at most 1",
        },
        reference="polar coordinates: Rudin, Real and Complex Analysis, Theorem 7.26; dominated convergence: Folland,"
        " Real Analysis, Theorem 2.27",
        instance=_flux,
        required={
            "fall": lambda a: (
                sp.Subs(
                    fall_in(a["which"], _generic(a["ratio"], "nonnegative"), a["left"]),
                    (first_weight, second_weight),
                    (a["p"], a["q"]),
                ),
                "=",
                a["fall"],
            ),
            "least": lambda a: (a["fall"], ">=", _zero),
            "most": lambda a: (a["fall"], "<=", sp.Integer(1)),
        },
    ),
    "greatest divergence over an envelope": _greatest(exchanged=False),
    "greatest divergence over an envelope, exchanged": _greatest(exchanged=True),
    "a covariance shift below a corner": _below_corner(exchanged=False),
    "a covariance shift below a corner, exchanged": _below_corner(exchanged=True),
    "entries of a pair": Fact(
        text="Where a and b are at least c, so is every entry of (a, b).",
        tex=r"a \ge c,\ b \ge c \implies (a, b)_i \ge c",
        letters=("a", "b", "c"),
        conditions={"first": "a >= c", "second": "b >= c"},
        reference="(a, b) has no other entries than a and b",
        instance=lambda a: (_pair_entry(a["a"], a["b"]), ">=", a["c"]),
        required={
            "first": lambda a: (a["a"], ">=", a["c"]),
            "second": lambda a: (a["b"], ">=", a["c"]),
        },
    ),
    "entries of a pair, from above": Fact(
        text="Where a and b are at most c, so is every entry of (a, b).",
        tex=r"a \le c,\ b \le c \implies (a, b)_i \le c",
        letters=("a", "b", "c"),
        conditions={"first": "a <= c", "second": "b <= c"},
        reference="(a, b) has no other entries than a and b",
        instance=lambda a: (_pair_entry(a["a"], a["b"]), "<=", a["c"]),
        required={
            "first": lambda a: (a["a"], "<=", a["c"]),
            "second": lambda a: (a["b"], "<=", a["c"]),
        },
    ),
    "a sum over a pair": _over_pair("sum"),
    "a product over a pair": _over_pair("product"),
    "an integral of a slope": Fact(
        text="Where f is 0 at 0 and tends to 0, the integral of its continuous and integrable slope from 0 on is 0.",
        tex=r"f(0) = 0,\ \lim_{x \to \infty} f = 0 \implies \int_0^\infty f'\,dx = 0",
        letters=("f", "argument"),
        conditions={
            "start": "f is 0 at 0",
            "end": "f tends to 0",
            "integrable": "the slope is integrable",
        },
        reference="Rudin, Principles of Mathematical Analysis, Theorem 6.21",
        continuous=smooth("f", 0),
        instance=lambda a: (
            sp.Integral(sp.Derivative(a["f"], a["argument"]), (a["argument"], 0, sp.oo)),
            "=",
            _zero,
        ),
        required={
            "start": lambda a: (sp.Subs(a["f"], a["argument"], 0), "=", _zero),
            "end": lambda a: (sp.Limit(a["f"], a["argument"], sp.oo), "=", _zero),
        },
        finite={
            "integrable": lambda a: (sp.Integral(sp.Derivative(a["f"], a["argument"]), (a["argument"], 0, sp.oo)),)
        },
    ),
    "means of what is not negative": Fact(
        text="Where f >= 0 at every point, a sum, integral or expectation of f is not negative.",
        tex=r"f \ge 0 \implies \int f\,d\mu \ge 0",
        letters=("mean", "f"),
        conditions={"pointwise": "f >= 0 at every point"},
        reference="Rudin, Real and Complex Analysis, 1.24, for sums with the counting measure",
        instance=lambda a: (averaged(a["mean"], a["f"]), ">=", _zero),
        required={"pointwise": lambda a: (a["f"], ">=", _zero)},
    ),
    "a supremum over a larger envelope": Fact(
        text="The supremum over 0 <= l_i <= rho of sum at most nu is at most that of a larger rho or nu, over a larger"
        " set.",
        tex=r"\rho \le \rho',\ \nu \le \nu' \implies \sup_{0 \le l_i \le \rho,\ \sum l_i \le \nu} f"
        r" \le \sup_{0 \le l_i \le \rho',\ \sum l_i \le \nu'} f",
        letters=("f", "cap", "larger cap", "sum", "larger sum"),
        conditions={"cap": "rho <= rho'", "sum": "nu <= nu'"},
        reference="the definition of a supremum",
        instance=lambda a: (
            over_envelope(a["cap"], a["sum"], a["f"]),
            "<=",
            over_envelope(a["larger cap"], a["larger sum"], a["f"]),
        ),
        required={name: _larger(name) for name in ("cap", "sum")},
    ),
    "infima over an interval keep the order": Fact(
        text="Where f <= g at every x >= 0, the infimum of f over 0 <= x <= b, or over all x >= 0, is at most that of"
        " g.",
        tex=r"f \le g \implies \inf_{0 \le x \le b} f \le \inf_{0 \le x \le b} g",
        letters=("f", "g", "argument", "high"),
        ends=("high",),
        conditions={"pointwise": "f <= g at every x >= 0"},
        reference="the definition of an infimum",
        instance=lambda a: (_least(a, a["f"]), "<=", _least(a, a["g"])),
        required={"pointwise": lambda a: (a["f"], "<=", a["g"])},
    ),
    "the smaller of two keeps the order": Fact(
        text="Where a <= a' and b <= b', the smaller of a and b is at most that of a' and b'.",
        tex=r"a \le a',\ b \le b' \implies \min(a, b) \le \min(a', b')",
        letters=("one", "other", "larger one", "larger other"),
        conditions={"one": "a <= a'", "other": "b <= b'"},
        reference="the smaller of a and b is at most a and at most b",
        instance=lambda a: (sp.Min(a["one"], a["other"]), "<=", sp.Min(a["larger one"], a["larger other"])),
        required={name: _larger(name) for name in ("one", "other")},
    ),
    "least value over an interval, without jumps": Fact(
        text="Where f, with values in [0, oo], is continuous in 0 <= x <= b, in a parameter > 0 and in what else it"
        " depends on together, and b is, its infimum over x is continuous in these together.",
        tex=r"\lim_{v \to v_0} \inf_{0 \le x \le b} f(x, v) = \inf_{0 \le x \le b} f(x, v_0)",
        letters=("f", "argument", "high", "parameter", "at"),
        conditions={"continuous": "f is continuous in both together, b in the parameter", "end": "b >= 0"},
        reference="Berge's maximum theorem: Aliprantis and Border, Infinite Dimensional Analysis, Theorem 17.31",
        instance=lambda a: _no_jump(a, _least(a, a["f"])),
        continuous=_in_all("f", "high"),
        required={"end": lambda a: (a["high"], ">=", _zero)},
    ),
    "least value from 0 on, without jumps": Fact(
        text="Where f, with values in [0, oo], an unknown function or its supremum over 0 <= l_i <= rho of sum at most"
        " nu, is continuous in x >= 0, in a parameter > 0 and in what else it depends on together, also at x = oo, its"
        " infimum over x is continuous in these together: [0, oo] is compact.",
        tex=r"\lim_{v \to v_0} \inf_{0 \le x \le \infty} f(x, v) = \inf_{0 \le x \le \infty} f(x, v_0)",
        letters=("f", "argument", "parameter", "at"),
        conditions={
            "continuous": "f is continuous in both together",
            "up to oo": "the unknown function is continuous up to oo",
        },
        reference="Berge's maximum theorem: Aliprantis and Border, Infinite Dimensional Analysis, Theorem 17.31",
        instance=lambda a: _no_jump(a, _least({**a, "high": sp.oo}, _unknown_in(a))),
        continuous=_in_all("f"),
    ),
    "the smaller of two, without jumps": Fact(
        text="The smaller of two continuous functions is continuous.",
        tex=r"\lim_{v \to v_0} \min(f(v), g(v)) = \min(f(v_0), g(v_0))",
        letters=("one", "other", "parameter", "at"),
        conditions={"one": "the one is continuous", "other": "the other is continuous"},
        reference="Rudin, Principles of Mathematical Analysis, Theorem 4.7, as min(a, b) is continuous",
        instance=lambda a: _no_jump(a, sp.Min(a["one"], a["other"])),
        required={name: _without_jump(name) for name in ("one", "other")},
    ),
    "greatest value over an envelope, without jumps": Fact(
        text="Where f, with values in [0, oo], is continuous in l and other arguments together, its supremum over 0 <="
        " l_i <= rho of sum at most nu is continuous in rho > 0, nu > 0 and those arguments together: so in a parameter"
        " of which these are continuous functions. The set is compact and moves continuously with rho and nu.",
        tex=r"\lim_{v \to v_0} \sup_{0 \le l_i \le \rho(v),\ \sum l_i \le \nu(v)} f ="
        r" \sup_{0 \le l_i \le \rho(v_0),\ \sum l_i \le \nu(v_0)} f",
        letters=("f", "cap", "sum", "parameter", "at"),
        conditions={
            "continuous": "f is continuous in l and its other arguments together, rho and nu in the parameter",
            "cap": "rho > 0",
            "sum": "nu > 0",
        },
        reference="Berge's maximum theorem: Aliprantis and Border, Infinite Dimensional Analysis, Theorem 17.31",
        instance=lambda a: _no_jump(a, over_envelope(a["cap"], a["sum"], a["f"])),
        continuous=_in_all("f", "cap", "sum"),
        required={
            "cap": lambda a: (a["cap"], ">", _zero),
            "sum": lambda a: (a["sum"], ">", _zero),
        },
    ),
}
