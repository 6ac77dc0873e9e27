"""How fast the probability of an ellipsoid falls as the logarithm of one of two of its weights rises.

Two coordinates add p z_1^2 + q z_2^2 to the statistic; c is the ratio |z_2/z_1|, u what the others leave of the edge.
"""

from __future__ import annotations

import sympy as sp

from ndis_verify.symbolic.covariance_shift import zero
from ndis_verify.symbolic.derivation import Step, Use
from ndis_verify.symbolic.fact_steps import by_fact
from ndis_verify.symbolic.facts_of_envelopes import fall_in, first_weight, ratio_density, second_weight
from ndis_verify.symbolic.notation import below, beyond, held

first_rise, second_rise = sp.symbols("p q", positive=True)  # alpha_i = e^{l_i} - 1 of two coordinates
ratio, left_over = sp.symbols("c u", nonnegative=True)
_size = first_rise + second_rise * ratio**2
_exponent = left_over * (1 + ratio**2) / (2 * _size)
_density = sp.exp(-_exponent) * (1 + ratio**2) / (2 * _size)  # of p z_1^2 + q z_2^2 at u, the ratio given
_SHARES = {1: first_rise / _size, 2: second_rise * ratio**2 / _size}  # of u, of the two coordinates
FALLS = {k: part * left_over * _density for k, part in _SHARES.items()}
FIRST = {1: "first", 2: "second"}
TWO = {first_rise: below, second_rise: below + beyond}  # any two, the smaller first


def ratio_mean(f: sp.Expr) -> sp.Expr:
    """Over the ratio |z_2/z_1|."""
    return sp.Integral(f, (ratio, 0, sp.oo))


def weighed(k: int) -> sp.Expr:
    return ratio_density(ratio) * FALLS[k]


def fall_steps() -> tuple[Step, ...]:
    """What the probability of an ellipsoid loses as the logarithm of one of two weights rises, direction by
    direction.
    """
    steps: list[Step] = [
        by_fact(
            "tangent",
            "With h = u (1 + c^2)/(2 (p + q c^2)): h <= e^h - 1.",
            "logarithm below its tangent",
            {"y": sp.exp(_exponent)},
            {"positive": signed("e^h > 0", sp.exp(_exponent), ">")},
        )
    ]
    for k, name in FIRST.items():
        weight = sp.exp(-_exponent) * _SHARES[k]
        steps += [
            Step(
                f"fall of the {name}",
                f"That in log {'pq'[k - 1]}: what the {name} coordinate is of u, times the density of p z_1^2 + q z_2^2"
                " at u.",
                lhs=sp.Subs(fall_in(k, ratio, left_over), (first_weight, second_weight), (first_rise, second_rise)),
                rhs=held(_SHARES[k] * left_over) * held(_density),
            ),
            signed(f"fall of the {name} >= 0", FALLS[k], ">="),
            Step(
                f"share of the {name}",
                "It is a share.",
                lhs=_SHARES[k] * (1 - sp.exp(-_exponent)),
                rhs=sp.Integer(1),
                relation="<=",
                witness=-_SHARES[3 - k] - weight,
            ),
            Step(
                f"fall of the {name} <= 1",
                "h e^{-h} <= 1 - e^{-h}.",
                lhs=FALLS[k],
                rhs=sp.Integer(1),
                relation="<=",
                kind="inference",
                premises=(Use("tangent", weight=weight), f"share of the {name}"),
            ),
        ]
    return tuple(steps)


def signed(name: str, value: sp.Expr, relation: str) -> Step:
    return Step(name, "Each factor is.", lhs=value, rhs=zero, relation=relation, witness=value)


def order_steps() -> tuple[Step, ...]:
    """The larger of two weights has the larger fall in the mean over the ratio."""
    gap = beyond
    smaller, larger = (weighed(k).subs(TWO, simultaneous=True) for k in (1, 2))
    size, exponent = (e.subs(TWO, simultaneous=True) for e in (_size, _exponent))
    edge = ratio / size * sp.exp(-exponent)
    slope = sp.Derivative(edge, ratio)
    terms = ((sp.Integer(1), larger), (left_over / sp.pi, slope))
    return (
        Step(
            "by parts",
            "Of p and q = p + g: but for a slope, the fall of the second exceeds that of the first by u^2 g c^2"
            " e^{-h}/(pi (p + q c^2)^3).",
            lhs=smaller,
            rhs=larger + left_over / sp.pi * slope,
            relation="<=",
            witness=-(left_over**2) * gap * ratio**2 * sp.exp(-exponent) / (sp.pi * size**3),
        ),
        by_fact(
            "over the ratio",
            "In the mean over the ratio",
            "means keep the order",
            {"mean": ratio_mean, "f": smaller, "g": larger + left_over / sp.pi * slope},
            {"pointwise": "by parts", "integrable": "fall of the first <= 1"},
        ),
        by_fact(
            "two means",
            "the slope",
            "means are linear",
            {"mean": ratio_mean, "terms": terms},
            {"integrable": "fall of the second <= 1"},
        ),
        Step("edge at 0", "of what is 0 at 0", lhs=sp.Subs(edge, ratio, 0), rhs=zero),
        Step("edge far out", "and tends to 0", lhs=sp.Limit(edge, ratio, sp.oo), rhs=zero),
        by_fact(
            "no slope",
            "adds nothing.",
            "an integral of a slope",
            {"f": edge, "argument": ratio},
            {"start": "edge at 0", "end": "edge far out", "integrable": "fall of the second <= 1"},
        ),
        Step(
            "falls in order",
            "So the larger alpha has the larger fall: given the sum of both parts of W, that of the larger is the"
            " larger in the mean.",
            lhs=ratio_mean(smaller),
            rhs=ratio_mean(larger),
            relation="<=",
            kind="inference",
            premises=("over the ratio", "two means", "no slope"),
        ),
    )
