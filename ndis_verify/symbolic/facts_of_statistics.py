"""Standard facts about the statistic T of the loss of least squares on a sketch.

P is the law of least squares on a sketch of r rows, of d features, with a record that has leverage p in B and q in
[B b], and Q that without it. An affine map makes P the law with the density (1 + |z|^2)^{-(r+1)/2} in R^d, up to a
constant, and T is (sqrt(p) z_1 - sqrt(q - p))^2/(q (1 + |z|^2)) there; q over p is (1 - q T)^{-(r+1)/2}, up to a
constant.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import sympy as sp

from ndis_verify.exact_number import InputError
from ndis_verify.symbolic.fact import Fact, Instance
from ndis_verify.symbolic.notation import divergence, mass, on_sphere, resketched, sketched

squares = sp.Symbol("s", nonnegative=True)  # |z|^2
leverage, gap = sp.Symbol("p", positive=True), sp.Symbol("h", nonnegative=True)  # p, and q - p
along, across = sp.Symbol("z", real=True), sp.Symbol("R", nonnegative=True)  # z_1, and the squares of the others
value, odds = sp.symbols("T w", positive=True)  # of the statistic; q T = w/(1 + w)
left = sp.Symbol("e", positive=True)  # 1 - q T
_zero = sp.Integer(0)
_SPOKEN = (
    "P and Q are the laws of least squares on a sketch of r rows, of d features, with a record that has leverage p in B"
    " and q in [B b], and without it. An affine map makes P the law of a z in R^d with a density proportional to (1 +"
    " |z|^2)^{-(r+1)/2}, and log p/q a constant and (r + 1)/2 log(1 - q T), T = (sqrt(p) z_1 - sqrt(q-p))^2/(q (1 +"
    " |z|^2))."
)
_STUDENT = "Muirhead, Aspects of Multivariate Statistical Theory, section 1.5 and Theorem 3.2.1"


def student(rows: Any) -> Any:
    """The density of z, up to a constant."""
    return (1 + squares) ** (-(rows + 1) / 2)


def loss(q: Any, rows: Any) -> Any:
    """log p/q where the statistic is T, less what does not depend on T."""
    return (rows + 1) / 2 * sp.log(1 - q * value)


def as_defined() -> Any:
    """T, of p and q = p + h, at a point."""
    return (sp.sqrt(leverage) * along - sp.sqrt(gap)) ** 2 / ((leverage + gap) * (1 + along**2 + across))


def in_direction() -> Any:
    """(y^T e)^2 for y = (1, z)/sqrt(1 + |z|^2) and e = (-sqrt(q-p), sqrt(p), 0, ...)/sqrt(q)."""
    size, q = sp.sqrt(1 + along**2 + across), leverage + gap
    return (-sp.sqrt(gap) / sp.sqrt(q) / size + along / size * sp.sqrt(leverage / q)) ** 2


ON_SPHERE = {  # conditions of facts about T as a function on the half sphere
    "density": "that of y = (1, z)/sqrt(1 + |z|^2) is proportional to y_0^{r-d}",
    "statistic": "T is (y^T e)^2 for a unit vector e",
}


def on_half_sphere(a: Mapping[str, Any]) -> Instance:
    """The density of y, r letters."""
    rows, d = a["r"], a["d"]
    return on_sphere(student(rows), squares, d), "=", (1 / sp.sqrt(1 + squares)) ** (rows - d)


def statistic_on_sphere(a: Mapping[str, Any]) -> Instance:
    return as_defined(), "=", in_direction()


REQUIRED_ON_SPHERE: Mapping[str, Callable[[Mapping[str, Any]], Instance]] = {
    "density": on_half_sphere,
    "statistic": statistic_on_sphere,
}


def direction(p: Any, q: Any) -> Any:
    """e_0^2."""
    return (q - p) / q


def _laws(a: Mapping[str, Any], exchanged: bool) -> tuple[Any, Any]:
    at = tuple(a[name] for name in ("p", "q", "d", "r"))
    pair = sketched(*at), resketched(*at)
    return pair[::-1] if exchanged else pair


def _falls(a: Mapping[str, Any]) -> Instance:
    """At every q T between 0 and 1."""
    q = sp.Symbol("q", positive=True)
    slope = sp.Derivative(loss(q, _free(a["r"])), value)
    return sp.Subs(slope, q, odds / ((1 + odds) * value)), "<", _zero


def _free(rows: Any) -> Any:
    """A number that speaks of no place of the statistic."""
    if rows.free_symbols & {value, odds, left, sp.Symbol("q", positive=True)}:
        raise InputError("r", str(rows), "must not depend on the place of the statistic")
    return rows


def _threshold(exchanged: bool) -> Fact:
    def instance(a: Mapping[str, Any]) -> Instance:
        first, second = _laws(a, exchanged)
        chances = [mass(one, a["t"]) for one in (first, second)]
        if exchanged:
            chances = [1 - one for one in chances]
        return divergence(first, second, a["epsilon"]), "=", chances[0] - sp.exp(a["epsilon"]) * chances[1]

    return Fact(
        text=f"{_SPOKEN} log p/q falls in T, so "
        + (
            "q > e^eps p where T > t for one t, and the divergence of Q from P is Q[T >= t] - e^eps P[T >= t] there,"
            " points apart."
            if exchanged
            else "p > e^eps q where T < t for one t, and the divergence of P from Q is P[T < t] - e^eps Q[T < t] there."
        )
        + " t is where the loss passes "
        + ("-eps" if exchanged else "eps")
        + ", or the end of the line on whose side it never does.",
        tex=r"\frac{d}{dT} \log\tfrac{p}{q} < 0 \implies"
        + (
            r" \delta_{Q,P}(\varepsilon) = Q[T \ge t] - e^{\varepsilon} P[T \ge t]"
            if exchanged
            else r" \delta_{P,Q}(\varepsilon) = P[T < t] - e^{\varepsilon} Q[T < t]"
        ),
        letters=("p", "q", "d", "r", "epsilon", "t"),
        conditions={"falls": "the loss falls in T"},
        reference=f"Neyman and Pearson (1933); Lehmann and Romano, Theorem 3.4.1; {_STUDENT}",
        brings=("t",),
        instance=instance,
        required={"falls": _falls},
    )


def _mixed(a: Mapping[str, Any]) -> Instance:
    q = sp.Symbol("q", positive=True)
    slope = sp.Derivative(-loss(q, _free(a["r"])), value, q)
    return sp.Subs(slope, q, (1 - left) / value), ">", _zero


def _smaller_database(a: Mapping[str, Any], q: Any) -> Any:
    return mass(resketched(a["ratio"] * q, q, a["d"], a["r"]), a["t"])


OF_STATISTICS: Mapping[str, Fact] = {
    "threshold of a falling loss": _threshold(exchanged=False),
    "threshold of a rising loss": _threshold(exchanged=True),
    "monotone likelihood ratio": Fact(
        text=f"{_SPOKEN} Where p/q is held, T has one law under P. Under Q it has a density over that, whose logarithm,"
        " -(r + 1)/2 log(1 - q T), has a positive mixed derivative in T and q: T is stochastically larger at a larger"
        " q.",
        tex=r"\partial_T \partial_q \log f_q > 0,\ q \le q' \implies F_{q'}(t) \le F_q(t)",
        letters=("ratio", "q", "larger", "d", "r", "t"),
        conditions={"ratio": "the mixed derivative is positive", "larger": "q grows"},
        reference=f"Lehmann and Romano, Testing Statistical Hypotheses, Lemma 3.4.2; {_STUDENT}",
        instance=lambda a: (_smaller_database(a, a["larger"]), "<=", _smaller_database(a, a["q"])),
        required={"ratio": _mixed, "larger": lambda a: (a["larger"], ">=", a["q"])},
    ),
    "one statistic of one law": Fact(
        text=f"{_SPOKEN} y = (1, z)/sqrt(1 + |z|^2) has the density y_0^{{r-d}} on the half sphere, up to a constant,"
        " and T is (y^T e)^2: its law depends on e_0^2 = (q - p)/q alone.",
        tex=r"\mathcal{L}(y) = \mathcal{L}(y'),\ T = f(y) \implies P[T < t] = P'[T < t]",
        letters=("p", "q", "other p", "other q", "d", "r", "t"),
        conditions={**ON_SPHERE, "direction": "the directions are one"},
        reference=f"Billingsley, Probability and Measure, section 20; {_STUDENT}",
        instance=lambda a: (
            mass(sketched(a["other p"], a["other q"], a["d"], a["r"]), a["t"]),
            "=",
            mass(sketched(a["p"], a["q"], a["d"], a["r"]), a["t"]),
        ),
        required={
            **REQUIRED_ON_SPHERE,
            "direction": lambda a: (direction(a["other p"], a["other q"]), "=", direction(a["p"], a["q"])),
        },
    ),
    "central projection": Fact(
        text="By y = (1, z)/sqrt(1 + |z|^2) R^d becomes the half sphere, and a density f of |z|^2 = s the density"
        " f (1 + s)^{(d+1)/2} with respect to its surface.",
        tex=r"dz = (1 + |z|^2)^{(d+1)/2}\,d\sigma(y)",
        letters=("f", "s", "d"),
        conditions={},
        reference="gnomonic projection: the surface element is (1 + |z|^2)^{-(d+1)/2} dz",
        instance=lambda a: (on_sphere(a["f"], a["s"], a["d"]), "=", a["f"] * (1 + a["s"]) ** ((a["d"] + 1) / 2)),
    ),
}
