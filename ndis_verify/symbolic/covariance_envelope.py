"""The worst point of a covariance envelope: of the Chernoff bound, and of the divergence itself."""

from __future__ import annotations

from functools import cache

import sympy as sp

from ndis_verify.symbolic.covariance_falls import (
    FALLS,
    FIRST,
    TWO,
    fall_steps,
    first_rise,
    left_over,
    order_steps,
    ratio,
    ratio_mean,
    second_rise,
    signed,
    weighed,
)
from ndis_verify.symbolic.covariance_shift import ell, s, zero
from ndis_verify.symbolic.covariance_vertex_steps import (
    OF_VERTEX,
    SPREADS,
    between_steps,
    cap,
    inside,
    left,
    logs,
    rate,
    room,
    shape_steps,
    spread,
    times,
)
from ndis_verify.symbolic.derivation import Conclusion, Derivation, Fault, Hypothesis, Step, Use
from ndis_verify.symbolic.fact_steps import by_fact, named
from ndis_verify.symbolic.facts_of_envelopes import between, edge_of, first_two
from ndis_verify.symbolic.normal_coordinates import entry, log_density
from ndis_verify.symbolic.notation import average, below, beyond, left_of, slope_in, x

_SETTING = ("equal means", "l_i >= 0", "eps >= 0")
d = sp.Symbol("d", positive=True, integer=True)
rho, nu = sp.symbols("rho nu", positive=True)
whole, rest = sp.symbols("k r", nonnegative=True)


def _vertex_steps() -> tuple[Step, ...]:
    """The vertex rho, ..., rho, rest."""
    return (
        Step(
            "rho's",
            "As many of the l_i as can be are rho,",
            lhs=whole,
            rhs=sp.Min(d, sp.floor(nu / rho)),
            kind="definition",
        ),
        by_fact(
            "parts",
            "which is not more than there is,",
            "whole parts of a sum",
            {"part": rho, "sum": nu, "d": d},
            {"part": Step("rho > 0", "rho > 0.", lhs=rho, rhs=zero, relation=">", witness=rho)},
        ),
        Step(
            "they fit",
            "so that they fit,",
            lhs=whole * rho,
            rhs=sp.Min(nu, d * rho),
            relation="<=",
            kind="inference",
            premises=("rho's", "parts"),
        ),
        Step(
            "rest",
            "and what is left is that of one more.",
            lhs=rest,
            rhs=sp.Min(nu, d * rho) - whole * rho,
            kind="definition",
            premises=("rho's", "they fit"),
        ),
    )


@cache
def envelope_vertex() -> Derivation:
    """The exponent of N26-L2, l s - (1/2) log(1 + 2s(1 - e^{-l})), and log M(u) of one coordinate are 0 at l = 0,
    increasing and convex: over 0 <= l_i <= rho of sum at most n rho + t their sums are greatest at the vertex rho, n
    times, and t (N26-D6-vertex).

    `number`: the slope of the first at l = rho/(1 + w), at `s`, `rho` and `w`.
    """
    printed = s * ell - sp.log(1 + 2 * s * (1 - sp.exp(-ell))) / 2
    moment = -(rate * ell + sp.log(1 - rate * (sp.exp(ell) - 1))) / 2
    steps = [
        *between_steps(),
        *(
            named(one_, "It has a name.", value.subs(ell, inside), shown)
            for one_, value, shown in (
                (spread, SPREADS[spread], "printed range, rho/(1+w)"),
                (room, SPREADS[room], "range, rho/(1+w)"),
            )
        ),
        *shape_steps("printed exponent", printed, spread, s * (1 + 2 * s)),
        *shape_steps("log M", moment, room, rate * (1 + rate) / 2),
        Step("t >= 0", "t is not negative,", left, zero, ">=", left),
        Step("n >= 0", "nor is n.", times, zero, ">=", times),
    ]
    for name, f, ranges in (
        ("printed exponent", printed, [f"printed range, {value}" for value in ("l_i", "t", "rho")]),
        ("log M", moment, ["range, l_i", "range, t"]),
    ):
        steps.append(
            by_fact(
                f"vertex, {name}",
                "The sum is at most that at rho, n times, and t.",
                "a sum of a convex function below a corner",
                {"f": f, "argument": ell, "l": logs, "cap": cap, "rest": left, "n": times},
                {
                    "at 0": f"{name} at 0",
                    "rises": f"{name} rises",
                    "convex": f"{name} is convex",
                    "low": "l_i >= 0",
                    "high": "l_i <= rho",
                    "sum": "sum_i l_i <= n rho + t",
                    "rest": "t >= 0",
                    "rest at most": "t <= rho",
                    "whole": "n >= 0",
                },
                tuple(ranges),
            )
        )
    names = {"l": logs, "rho": cap, "t": left, "n": times, "s": s, "u": rate}
    return Derivation(
        id="covariance_envelope.envelope_vertex",
        title="The worst point of a covariance envelope for the Chernoff bounds",
        sources=("N26-D6",),
        hypotheses=OF_VERTEX,
        steps=tuple(steps),
        result_step="printed exponent, slope 1",
        symbols={"s": s, "rho": cap, "w": beyond},
        faults=(
            Fault("half the slope", "printed exponent, slope 1", lambda rhs: rhs / 2),
            Fault("bent the other way", "log M, slope 2", lambda rhs: -rhs),
            Fault("h(0) off", "log M at 0", lambda rhs: rhs + 1),
        ),
        concludes=tuple(
            Conclusion("N26-D6-vertex", f"vertex, {name}", names) for name in ("printed exponent", "log M")
        ),
    )


_alpha = sp.Symbol("alpha", positive=True)  # alpha_i = e^{l_i} - 1
others = sp.Symbol("o", real=True)
_eps = sp.Symbol("epsilon", nonnegative=True)


def _direction_steps(exchanged: bool) -> tuple[Step, ...]:
    """One of the two divergences: its slopes, their order, and where it is greatest over the envelope."""
    order, variant = ("Q first", ", exchanged") if exchanged else ("P first", "")
    factor = sp.exp(_eps) if exchanged else sp.Integer(1)
    P = first_two(first_rise, second_rise, others)
    edge = edge_of(P, _eps, exchanged)
    left = left_of(P, edge)
    any_two = {**TWO, left_over: left.subs(TWO, simultaneous=True)}
    steps: list[Step] = []
    for k, name in FIRST.items():
        steps += [
            by_fact(
                f"set held, {name}, {order}",
                "The motion of the set adds nothing.",
                f"slope of a divergence in a variance{variant}",
                {
                    "p": first_rise,
                    "q": second_rise,
                    "others": others,
                    "d": d,
                    "which": k,
                    "epsilon": _eps,
                    "weight": _alpha,
                },
                {"loss": "loss of one coordinate", "positive": "alpha > 0"},
            ),
            by_fact(
                f"ellipsoid, {name}, {order}",
                "With the set held, over the ratio of two coordinates and what the others leave of the edge:",
                "slope of the probability of an ellipsoid",
                {
                    "p": first_rise,
                    "q": second_rise,
                    "others": others,
                    "which": k,
                    "edge": edge,
                    "ratio": ratio,
                    "left": left_over,
                    "fall": FALLS[k],
                },
                {
                    "fall": f"fall of the {name}",
                    "least": f"fall of the {name} >= 0",
                    "most": f"fall of the {name} <= 1",
                },
            ),
            Step(
                f"slope in the {name}, {order}",
                "The slope of the divergence in l_k is the mean of that fall.",
                lhs=slope_in(k, between(P, d, _eps, exchanged)),
                rhs=factor * average(ratio_mean(weighed(k)).subs(left_over, left)),
                kind="inference",
                premises=(f"set held, {name}, {order}", f"ellipsoid, {name}, {order}"),
            ),
        ]
    smaller, larger = (ratio_mean(weighed(k)).subs(any_two, simultaneous=True) for k in (1, 2))
    slopes = [slope_in(k, between(P, d, _eps, exchanged)).subs(TWO, simultaneous=True) for k in (1, 2)]
    steps += [
        by_fact(
            f"fall in the mean, {order}",
            "No fall is negative,",
            "means of what is not negative",
            {"mean": average, "f": smaller},
            {
                "pointwise": by_fact(
                    "over the ratio",
                    "at any u,",
                    "means of what is not negative",
                    {"mean": ratio_mean, "f": weighed(1).subs(any_two, simultaneous=True)},
                    {"pointwise": signed("at any ratio", weighed(1).subs(any_two, simultaneous=True), ">=")},
                ),
            },
        ),
        Step(
            f"rises, {order}",
            "so that the divergence rises with every l_i,",
            lhs=slopes[0],
            rhs=zero,
            relation=">=",
            kind="inference",
            premises=(
                Use(f"slope in the first, {order}", at=TWO),
                Use(f"fall in the mean, {order}", weight=factor),
            ),
        ),
        by_fact(
            f"falls in order, {order}",
            "and in the mean over what the others leave, the larger fall is the larger",
            "means keep the order",
            {"mean": average, "f": smaller, "g": larger},
            {
                "pointwise": Step(
                    "at any u",
                    "as shown.",
                    lhs=smaller,
                    rhs=larger,
                    relation="<=",
                    kind="inference",
                    premises=(Use("falls in order", at={left_over: any_two[left_over]}),),
                ),
                "integrable": "fall of the second <= 1",
            },
        ),
        Step(
            f"larger slope, {order}",
            "so that it rises faster with the larger of two l_i.",
            lhs=slopes[1],
            rhs=slopes[0],
            relation=">=",
            kind="inference",
            premises=(
                Use(f"slope in the first, {order}", at=TWO),
                Use(f"slope in the second, {order}", at=TWO),
                Use(f"falls in order, {order}", weight=-factor),
            ),
        ),
        by_fact(
            f"greatest, {order}",
            "It is Schur-convex, and greatest at rho, ..., rho, rest.",
            f"greatest divergence over an envelope{variant}",
            {"others": others, "d": d, "epsilon": _eps, "cap": rho, "sum": nu, "whole": whole, "rest": rest},
            {
                "rises": f"rises, {order}",
                "order": f"larger slope, {order}",
                "profile": signed("eps >= 0", _eps, ">="),
                "cap": signed("rho > 0", rho, ">"),
                "sum": signed("nu > 0", nu, ">"),
                "whole": "rho's",
                "rest": "rest",
            },
        ),
    ]
    return tuple(steps)


@cache
def exact_envelope() -> Derivation:
    """The exact divergence, in either direction, is nondecreasing in every l_i and Schur-convex in l
    (N26-D6-exact).

    d delta/d l_i = E[X_i | X = T] f_X(T), X_i = alpha_i z_i^2, X = sum X_i with density f_X, T = nu + 2 eps (for the
    other direction e^eps times the same at T = nu - 2 eps > 0, else 0): a mean over what the others leave of T and over
    the ratio c of any two coordinates. `number`: what is averaged, at `p` = alpha_1, `q` = alpha_2, `c` and `u`.
    """
    statistic = (1 - 1 / (1 + _alpha)) * entry(x) ** 2
    steps = (
        Step(
            "laws",
            "P has independent centred normal coordinates of variances e^{l_i} = 1 + alpha_i, Q as many of variance 1;"
            " p and q are any two of the alpha_i, the others are those of o.",
            kind="definition",
            premises=_SETTING[:2],
        ),
        Step(
            "loss of one coordinate",
            "log p/q is half of (1 - 1/(1 + alpha_i)) x_i^2 - l_i in each coordinate.",
            lhs=log_density(0, sp.sqrt(1 + _alpha)) - log_density(0, 1),
            rhs=(statistic - sp.log(1 + _alpha)) / 2,
            premises=("laws",),
        ),
        signed("alpha > 0", _alpha, ">"),
        *fall_steps(),
        *order_steps(),
        *_vertex_steps(),
        *(step for exchanged in (False, True) for step in _direction_steps(exchanged)),
    )
    ends = tuple(f"greatest, {order}" for order in ("P first", "Q first"))
    rises = tuple(f"rises, {order}" for order in ("P first", "Q first"))
    return Derivation(
        id="covariance_envelope.exact_envelope",
        title="The exact worst case of a covariance envelope",
        sources=("N26-D6",),
        hypotheses=(*_SETTING[:2], Hypothesis(_SETTING[2], _eps >= 0)),
        steps=steps,
        result_step="fall of the first",
        symbols={"p": first_rise, "q": second_rise, "c": ratio, "u": left_over},
        faults=(
            Fault("fall of the other coordinate", "fall of the first", lambda rhs: FALLS[2]),
            Fault("boundary term left out", "by parts", lambda rhs: rhs.subs(left_over / sp.pi, 0)),
            Fault("edge that stays", "edge far out", lambda rhs: 1 / below),
            Fault("slope of the wrong sign", "slope in the first, P first", lambda rhs: -rhs),
            Fault("e^eps left out", "slope in the second, Q first", lambda rhs: rhs * sp.exp(-_eps)),
            Fault("larger slope twice the smaller", "larger slope, P first", lambda rhs: 2 * rhs),
        ),
        concludes=(
            *(
                Conclusion("N26-T6.1-corrected", end, part="the exact covariance term, for equal means and l_i >= 0")
                for end in ends
            ),
            *(
                Conclusion(
                    "N26-L3-three-eigenvalues", end, part="both divergences rise with every eigenvalue, for l_i >= 0"
                )
                for end in rises
            ),
        ),
    )
