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
from ndis_verify.symbolic.covariance_shift import ell, growth, log_bound, s, zero
from ndis_verify.symbolic.derivation import Conclusion, Derivation, Fault, Hypothesis, Step, Use
from ndis_verify.symbolic.fact_steps import by_fact
from ndis_verify.symbolic.facts_of_envelopes import between, edge_of, first_two
from ndis_verify.symbolic.normal_coordinates import entry, log_density
from ndis_verify.symbolic.notation import average, below, left_of, logarithms, slope_in, x
from ndis_verify.symbolic.sketch_records import inferred, named

_SETTING = ("equal means", "l_i >= 0", "eps >= 0")
d = sp.Symbol("d", positive=True, integer=True)
rho, nu = sp.symbols("rho nu", positive=True)
whole, rest = sp.symbols("k r", nonnegative=True)
_grown, _room = sp.symbols("u v", positive=True)  # e^rho - 1, and what is left of 1 below s times that
_one_of = entry(logarithms)  # l_i
_HYPOTHESES = (
    Hypothesis("0 <= l_i", _one_of >= 0),
    Hypothesis("l_i <= rho", _one_of <= rho),
    Hypothesis("s < 1/(e^rho - 1)", s * (sp.exp(rho) - 1) < 1),
)


def _growth_steps() -> tuple[Step, ...]:
    """Every l_i is in the range of s, and so is the rest."""
    known = {"l_i": (_one_of, "l_i <= rho"), "rest": (rest, "rest at most")}
    steps = [
        by_fact(
            "left over",
            "What is left is at most rho,",
            "what whole parts leave of a sum",
            {"part": rho, "sum": nu, "d": d},
            {"part": Step("rho > 0", "rho > 0.", lhs=rho, rhs=zero, relation=">", witness=rho)},
        ),
        inferred("rest at most", "as is the rest.", rest, "<=", rho, *("rest", "rho's", "left over")),
        by_fact(
            "e^{l_i} >= 1",
            "e^{l_i} is at least 1,",
            "exponentials keep the order",
            {"a": zero, "b": _one_of},
            {"order": inferred("0 <= l_i", "As given.", zero, "<=", _one_of, Use("0 <= l_i", weight=-1))},
        ),
        Step("1 > 0", "Positive.", lhs=sp.Integer(1), rhs=zero, relation=">", witness=sp.Integer(1)),
        inferred(
            "printed range",
            "so that the printed exponent has a value.",
            sp.exp(_one_of) + 2 * s * (sp.exp(_one_of) - 1),
            ">",
            zero,
            *(Use("e^{l_i} >= 1", weight=-(1 + 2 * s)), Use("1 > 0")),
        ),
        Step("e^l rises", "e^l rises,", sp.Derivative(sp.exp(ell), ell), zero, ">", sp.exp(ell)),
        by_fact(
            "e^rho > 1",
            "so that e^rho is above 1,",
            "a rising function at two points",
            {"f": sp.exp(ell), "argument": ell, "low": zero, "high": rho},
            {"rises": "e^l rises", "order": Step("0 < rho", "Positive.", lhs=rho, rhs=zero, relation=">", witness=rho)},
        ),
        inferred("range of rho", "At rho", 1 - s * (sp.exp(rho) - 1), ">", zero, Use("s < 1/(e^rho - 1)", weight=-1)),
    ]
    for name, (value, shown) in known.items():
        steps += [
            by_fact(
                f"e^{name}",
                "and as exponentials keep the order",
                "exponentials keep the order",
                {"a": value, "b": rho},
                {"order": shown},
            ),
            inferred(
                f"range of {name}",
                "wherever s is in its range.",
                1 - s * (sp.exp(value) - 1),
                ">",
                zero,
                *(Use("range of rho"), Use(f"e^{name}", weight=-s)),
            ),
        ]
    return tuple(steps)


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
    """`h(l) = log M(s)` of one coordinate is 0 at l = 0, increasing and convex: over {0 <= l_i <= rho, sum l_i <= nu}
    its sum is greatest at the vertex rho, ..., rho, rest, for every s at once (N26-D6).

    The same for the exponent of N26-L2, l s - (1/2) log(1 + 2s(1 - e^{-l})). `number`: h(0) = 0.
    """
    odds = sp.Symbol("j", positive=True)
    inner = sp.log(1 + odds / (s * (1 + odds)))
    inside = lambda e: e.subs(ell, inner)  # noqa: E731
    h = log_bound()
    printed = s * ell - sp.log(1 + 2 * s * (1 - sp.exp(-ell))) / 2
    slope = s * (1 + s) * (sp.exp(ell) - 1) / (2 * (1 - s * (sp.exp(ell) - 1)))
    size = odds / (s * (1 + odds))
    shrunk = lambda e: e.subs(ell, sp.log(1 + growth))  # noqa: E731
    steps = (
        Step("h(0)", "No shift, no loss.", lhs=sp.Subs(h, ell, 0), rhs=zero),
        Step(
            "h' > 0",
            "At s (e^l - 1) = j/(1+j), j > 0: every l > 0 in the range.",
            lhs=inside(slope),
            rhs=zero,
            relation=">",
            witness=s * (1 + s) * size * (1 + odds) / 2,
        ),
        Step(
            "h'' > 0",
            "Convex.",
            lhs=inside(sp.diff(slope, ell)),
            rhs=zero,
            relation=">",
            witness=s * (1 + s) * (1 + size) * (1 + odds) ** 2 / 2,
        ),
        Step("printed exponent at 0", "The same for the exponent of N26-L2:", lhs=sp.Subs(printed, ell, 0), rhs=zero),
        Step(
            "its slope",
            "with e^l = 1 + x,",
            lhs=shrunk(sp.diff(printed, ell)),
            rhs=zero,
            relation=">",
            witness=s * growth * (1 + 2 * s) / (1 + growth + 2 * s * growth),
        ),
        Step(
            "its second derivative",
            "convex as well.",
            lhs=shrunk(sp.diff(printed, ell, 2)),
            rhs=zero,
            relation=">",
            witness=s * (1 + 2 * s) * (1 + growth) / (1 + growth + 2 * s * growth) ** 2,
        ),
        *_vertex_steps(),
        *_growth_steps(),
        named(_grown, "u = e^rho - 1,", sp.exp(rho) - 1, "e^rho > 1"),
        named(_room, "v = 1 - s u.", 1 - s * (sp.exp(rho) - 1), "range of rho"),
        *(
            inferred(
                f"{name}, up to rho",
                "What was put in for l is every number from 0 to rho.",
                at.subs(through, far),
                "=",
                rho,
                *(_grown.name, _room.name)[:count],
            )
            for name, at, through, far, count in (
                ("log M", inner, odds, s * _grown / _room, 2),
                ("printed exponent", sp.log(1 + growth), growth, _grown, 1),
            )
        ),
        *(
            by_fact(
                f"vertex, {name}",
                f"{why} is greatest at rho, ..., rho, rest, for every s at once.",
                "greatest sum of a convex function over an envelope",
                {
                    "f": f,
                    "argument": ell,
                    "inside": at,
                    "through": through,
                    "far": far,
                    "cap": rho,
                    "sum": nu,
                    "d": d,
                    "whole": whole,
                    "rest": rest,
                },
                {
                    **dict(zip(("at 0", "rises", "convex"), shown, strict=True)),
                    "start": Step("start", "0 at 0.", lhs=sp.Subs(at, through, 0), rhs=zero),
                    "far": Step("far", "Positive.", lhs=far, rhs=zero, relation=">", witness=far),
                    "reached": f"{name}, up to rho",
                    "whole": "rho's",
                    "rest": "rest",
                },
                ranges,
            )
            for name, why, f, at, through, far, shown, ranges in (
                (
                    "log M",
                    "The sum of the logarithms of the moments",
                    h,
                    *(inner, odds, s * _grown / _room),
                    ("h(0)", "h' > 0", "h'' > 0"),
                    ("range of l_i", "range of rest"),
                ),
                (
                    "printed exponent",
                    "The sum of the printed exponents",
                    printed,
                    *(sp.log(1 + growth), growth, _grown),
                    ("printed exponent at 0", "its slope", "its second derivative"),
                    ("printed range",),
                ),
            )
        ),
    )
    return Derivation(
        id="covariance_envelope.envelope_vertex",
        title="The worst point of a covariance envelope for the Chernoff bounds",
        sources=("N26-D6",),
        hypotheses=_HYPOTHESES,
        steps=steps,
        result_step="h(0)",
        symbols={},
        faults=(
            Fault("half the slope", "h' > 0", lambda rhs: rhs + s),
            Fault("bent the other way", "h'' > 0", lambda rhs: rhs + s),
            Fault("h(0) off", "h(0)", lambda rhs: rhs + 1),
        ),
        concludes=tuple(
            Conclusion("N26-D6", f"vertex, {name}", part="the vertex") for name in ("log M", "printed exponent")
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
                    {"pointwise": "fall of the first >= 0", "integrable": "fall of the first <= 1"},
                ),
                "integrable": "fall of the first <= 1",
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
            *(Conclusion("N26-T6.1-corrected", end, part="the exact covariance term") for end in ends),
            *(
                Conclusion("N26-L3-three-eigenvalues", end, part="both divergences rise with every eigenvalue")
                for end in rises
            ),
        ),
    )
