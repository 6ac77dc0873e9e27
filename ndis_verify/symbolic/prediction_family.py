"""The family of pairs of normal laws on the line in which the outputs of a Gaussian-process prediction lie, and what in
it reveals more: a longer shift, a larger spread, a larger pull.

The pair at (z, x) is N(0, v + l^2 (1 - z)) and N(shift, v + l^2 (1 - z)/(1 + x)); m counts the other records.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import sympy as sp

from ndis_verify.symbolic import joint_shift
from ndis_verify.symbolic.derivation import Conclusion, Derivation, Fault, Step, Use
from ndis_verify.symbolic.fact_steps import by_fact
from ndis_verify.symbolic.notation import divergence, held, normal
from ndis_verify.symbolic.prediction_features import labels, length, noise, one, others, zero

ORDERS = ("without the record first", "with the record first")
first_variance, second_variance = sp.symbols("a b", positive=True)
longest, argument = sp.symbols("w y", real=True)  # shifts
added, z, x = sp.symbols("v z x", nonnegative=True)
tau = sp.Symbol("tau", positive=True)
epsilon = sp.Symbol("epsilon", real=True)
angle = sp.Symbol("alpha", real=True)  # every share is the square of its sine
share = sp.sin(angle) ** 2


def shift_of(kept: sp.Expr, count: sp.Expr = others) -> sp.Expr:
    """The shift of the family's pair at (z, x), `kept` being 1 - z, `count` the number of other records."""
    pull = 1 + sp.sqrt(count) * sp.sqrt(z) * sp.sqrt(x)
    return length * labels * sp.sqrt(kept) * sp.sqrt(x) * pull / (noise * (1 + x))


def stated_laws(order: str, first: tuple[sp.Expr, sp.Expr], second: tuple[sp.Expr, sp.Expr]) -> tuple[sp.Expr, ...]:
    """What the divergence in a statement is of: mean and variance of each law, in the order named."""
    return (*first, *second, epsilon) if order == ORDERS[0] else (*second, *first, epsilon)


def family_laws(kept: sp.Expr, count: sp.Expr = others) -> tuple[tuple[sp.Expr, sp.Expr], tuple[sp.Expr, sp.Expr]]:
    """The laws of the family's pair at (z, x)."""
    return (zero, added + length**2 * kept), (shift_of(kept, count), added + length**2 * kept / (1 + x))


def _law(mean: sp.Expr, spread: sp.Expr) -> sp.Expr:
    return normal(sp.ImmutableMatrix([[mean]]), sp.ImmutableMatrix([[spread]]))


def pair_of(order: str, first: tuple[sp.Expr, sp.Expr], second: tuple[sp.Expr, sp.Expr]) -> sp.Expr:
    """The divergence of two normal laws on the line, mean and variance of each, in the order named."""
    laws = (first, second) if order == ORDERS[0] else (second, first)
    return divergence(*(_law(*law) for law in laws), epsilon)


def in_order(order: str, first: Mapping[str, Any], second: Mapping[str, Any]) -> dict[str, Any]:
    """Letters or conditions of two laws, those of the one that comes second under "other"."""
    one_law, other = (first, second) if order == ORDERS[0] else (second, first)
    return {**one_law, **{f"other {name}": value for name, value in other.items()}}


def witnessed(name: str, why: str, value: sp.Expr) -> Step:
    return Step(name, why, lhs=value, rhs=zero, relation=">=", witness=value)


_CLAIM = "N26-Pr8-joint"


def _sides(lhs: sp.Expr, rhs: sp.Expr) -> Step:
    """A condition of a fact that is an equation between matrices of one entry."""
    return Step("image", "The image.", lhs=sp.Matrix([[lhs]]), rhs=sp.Matrix([[rhs]]))


@cache
def longer_shifts() -> Derivation:
    """N(0, a) and N(u, b) reveal no more than N(0, a) and N(w, b) where u is c w or -c w, 0 <= c <= 1, in both orders.

    `number`: 1, the largest share.
    """
    first, second, far = first_variance, second_variance, longest
    steps = [
        Step("a share", "sin^2 is at most 1.", lhs=share, rhs=one, relation="<=", witness=-(sp.cos(angle) ** 2)),
        Step("first variance", "The variances are positive,", lhs=first, rhs=zero, relation=">", witness=first),
        Step("second variance", "both of them.", lhs=second, rhs=zero, relation=">", witness=second),
    ]
    for sign, order in zip((-1, 1), ORDERS):
        at = lambda shift, order=order: pair_of(order, (zero, first), (shift, second))  # noqa: E731
        sides = []
        for what, shift in (("share", share * far), ("whole", far)):
            laws = (
                {"mean": zero, "variance": first},
                {"mean": shift, "variance": second},
            )
            positive = {"variance": "first variance"}, {"variance": "second variance"}
            sides.append(
                by_fact(
                    f"{what}, {order}",
                    "An integral over the line,",
                    "divergence of two normal laws on the line",
                    {**in_order(order, *laws), "epsilon": epsilon},
                    in_order(order, *positive),
                )
            )
        ordered = (first, second)[::-sign]
        values = {
            joint_shift.lam: ordered[0],
            joint_shift.kappa: ordered[1],
            joint_shift.m: sign * far,
            joint_shift.shorter: share,
            sp.Symbol("A", positive=True): 1 / sp.sqrt(2 * sp.pi * ordered[0]),
            sp.Symbol("B", positive=True): sp.exp(epsilon) / sp.sqrt(2 * sp.pi * ordered[1]),
        }
        grows = Step(
            f"shares, {order}",
            "which grows with the shift.",
            lhs=at(share * far),
            rhs=at(far),
            relation="<=",
            kind="inference",
            premises=(
                Use("slice", of=joint_shift.grows_with_shift, at=values, granted={"t <= 1": "a share"}),
                *(side.name for side in sides),
            ),
        )
        mirrored = (
            {"mean": zero, "covariance": first, "image mean": zero, "image covariance": first},
            {
                "mean": share * far,
                "covariance": second,
                "image mean": -share * far,
                "image covariance": second,
            },
        )
        same = (
            {"mean": _sides(zero, zero), "covariance": _sides(held(-1) * first * held(-1), first)},
            {
                "mean": _sides(-(share * far), -share * far),
                "covariance": _sides(held(-1) * second * held(-1), second),
            },
        )
        matrices = {
            name: value if name == "epsilon" else sp.Matrix([[value]])
            for name, value in {**in_order(order, *mirrored), "matrix": -one, "n": one, "epsilon": epsilon}.items()
        }
        mirror = by_fact(
            f"mirror, {order}",
            "The mirror x to -x takes the shift to the other side.",
            "one linear map with noise on two normal laws",
            {**matrices, "s": zero},
            {**in_order(order, *same), "noise": Step("none", "No noise.", zero, zero, ">=", witness=zero)},
        )
        turned = Step(
            f"turned, {order}",
            "So there, too.",
            lhs=at(-share * far),
            rhs=at(far),
            relation="<=",
            kind="inference",
            premises=(mirror.name, grows.name),
        )
        steps += [*sides, grows, mirror, turned]
    return Derivation(
        id="prediction_joint.longer_shifts",
        title="A longer shift on the line reveals more, on either side",
        sources=("N26-Pr8",),
        hypotheses=(),
        steps=tuple(steps),
        result_step="a share",
        symbols={},
        faults=(
            Fault(
                "shares of the other law",
                f"shares, {ORDERS[0]}",
                lambda rhs: pair_of(ORDERS[0], (zero, second), (far, first)),
            ),
            Fault("shift kept", f"turned, {ORDERS[1]}", lambda rhs: pair_of(ORDERS[1], (zero, first), (zero, second))),
        ),
        concludes=tuple(
            Conclusion(_CLAIM, f"{what}, {order}", part="monotone in the shift")
            for order in ORDERS
            for what in ("shares", "turned")
        ),
    )


@cache
def grows_in_both() -> Derivation:
    """N(0, 1 + t^2) and N(t r, 1), to which every pair of the family can be scaled, reveal more at a larger t and at a
    larger r, both orders: of t = c T and r = d R, 0 <= c, d <= 1, the map c with noise makes the pair.

    `number`: 0, the least noise.
    """
    spread, pull = sp.symbols("T R", nonnegative=True)
    least = sp.sin(sp.Symbol("gamma", real=True)) ** 2  # t/T
    whole, near = 1 + spread**2, 1 + (least * spread) ** 2
    steps = [
        Step(
            "noise",
            "What is added to both is a variance.",
            lhs=1 - least**2,
            rhs=zero,
            relation=">=",
            witness=(1 + least) * sp.cos(sp.Symbol("gamma", real=True)) ** 2,
        ),
        Step("mean 0", "0 stays 0,", lhs=sp.Matrix([[held(least) * held(zero)]]), rhs=sp.Matrix([[zero]])),
        Step(
            "larger variance",
            "the one variance",
            lhs=sp.Matrix([[least**2 * whole + (1 - least**2)]]),
            rhs=sp.Matrix([[near]]),
        ),
        Step(
            "smaller variance",
            "and the other one are as they should be,",
            lhs=sp.Matrix([[least**2 * held(one) + (1 - least**2)]]),
            rhs=sp.Matrix([[one]]),
        ),
        Step(
            "shift",
            "and the shift.",
            lhs=sp.Matrix([[held(least) * held(spread * share * pull)]]),
            rhs=sp.Matrix([[least * spread * share * pull]]),
        ),
    ]
    for order in ORDERS:
        pairs = (
            {"mean": zero, "covariance": whole, "image mean": zero, "image covariance": near},
            {
                "mean": share * spread * pull,
                "covariance": one,
                "image mean": least * spread * share * pull,
                "image covariance": one,
            },
        )
        image = by_fact(
            f"image, {order}",
            "One map, which sees neither law,",
            "one linear map with noise on two normal laws",
            {
                **{name: sp.Matrix([[value]]) for name, value in in_order(order, *pairs).items()},
                "matrix": sp.Matrix([[least]]),
                "s": 1 - least**2,
                "n": sp.Matrix([[one]]),
                "epsilon": epsilon,
            },
            {
                **in_order(
                    order,
                    {"mean": "mean 0", "covariance": "larger variance"},
                    {"mean": "shift", "covariance": "smaller variance"},
                ),
                "noise": "noise",
            },
        )
        longer = Use(
            f"shares, {order}",
            of=longer_shifts,
            at={first_variance: whole, second_variance: one, longest: spread * pull},
        )
        steps += [
            image,
            Step(
                f"grows, {order}",
                "and a longer shift: both reveal more.",
                lhs=pair_of(order, (zero, near), (least * spread * share * pull, one)),
                rhs=pair_of(order, (zero, whole), (spread * pull, one)),
                relation="<=",
                kind="inference",
                premises=(image.name, longer),
            ),
        ]
    return Derivation(
        id="prediction_joint.grows_in_both",
        title="The pairs of a prediction reveal more at a larger spread and at a larger pull",
        sources=("N26-Pr8",),
        hypotheses=(),
        steps=tuple(steps),
        result_step="noise",
        symbols={},
        faults=(
            Fault("spread kept", "larger variance", lambda rhs: sp.Matrix([[whole]])),
            Fault("noise forgotten", "smaller variance", lambda rhs: sp.Matrix([[least**2]])),
            Fault("shift kept", "shift", lambda rhs: sp.Matrix([[spread * share * pull]])),
        ),
        concludes=tuple(
            Conclusion(_CLAIM, f"grows, {order}", part="monotone in the two numbers that matter") for order in ORDERS
        ),
    )
