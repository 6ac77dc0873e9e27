"""A mean shift and one moved variance together: what the divergence grows with, and the worst pairs of an envelope."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import sympy as sp

from ndis_verify.symbolic.derivation import Conclusion, Derivation, Fault, Hypothesis, Step, Use
from ndis_verify.symbolic.fact_steps import by_fact
from ndis_verify.symbolic.meanings import meaning
from ndis_verify.symbolic.notation import average, divergence, held, normal, other_slice, slice_of, total, x
from ndis_verify.symbolic.statement_terms import quantity

zero, one = sp.Integer(0), sp.Integer(1)
lam, kappa = sp.symbols("lambda kappa", positive=True)  # the variances of one coordinate
m = sp.Symbol("m", real=True)  # the distance of its means
shorter = sp.Symbol("t", nonnegative=True)  # times which the shift is made shorter
shift = sp.symbols("u_1 u_2", real=True)  # of the means, along e and across it
ORDERS = ("first law first", "second law first")
_WHICH = ("larger", "smaller")
_COORDINATES = ("along e", "across e")
_angle = sp.Symbol("alpha", real=True)  # every share is the square of its sine
_SHORTER = Hypothesis("t <= 1", shorter <= 1)


@cache
def grows_with_shift() -> Derivation:
    """`delta(t m) <= delta(m)`, 0 <= t <= 1, m the mean of one coordinate: delta grows in every coordinate of the
    whitened mean shift.

    Given the other coordinates the integrand is the positive part of A g - B h, both densities even and log-concave:
    what they overlap falls as the one is moved away (Anderson). `number`: what is left of the first, at the
    point `point`, `first` and `second` being A and B.
    """
    first, second = sp.symbols("A B", positive=True)
    of_first = lambda at: first * sp.exp(-(at**2) / (2 * lam))  # noqa: E731
    of_second = lambda at: second * sp.exp(-(at**2) / (2 * kappa))  # noqa: E731
    parts = {"m": m, "t m": shorter * m}
    here = {name: of_first(x - shift) for name, shift in parts.items()}
    there = of_second(x)
    excess = {name: sp.Max(near - there, 0) for name, near in here.items()}
    overlap = {name: sp.Min(near, there) for name, near in here.items()}
    steps: list[Step] = [
        Step(
            "densities",
            "Of two normal laws A e^{-(x - m)^2/(2 lambda)} and B e^{-x^2/(2 kappa)} are the densities along one"
            " coordinate, A and B what they are in the others, B times e^eps.",
            kind="definition",
        ),
        Step("even, first", "Both densities", lhs=sp.Subs(of_first(x), x, -x), rhs=of_first(x)),
        Step("even, second", "are even,", lhs=sp.Subs(there, x, -x), rhs=there),
        Step(
            "log-concave, second",
            "and so are they log-concave:",
            lhs=sp.Derivative(sp.log(there), (x, 2)),
            rhs=zero,
            relation="<=",
            witness=-1 / kappa,
        ),
        Step(
            "log-concave, first",
            "the other's too:",
            lhs=sp.Derivative(sp.log(of_first(x)), (x, 2)),
            rhs=zero,
            relation="<=",
            witness=-1 / lam,
        ),
        Step("not away", "0 <= t,", lhs=shorter, rhs=zero, relation=">=", witness=shorter),
        by_fact(
            "overlap",
            "so what they have in common falls as the first is moved away from 0.",
            "overlap of two even log-concave functions",
            {"g": sp.Lambda(x, of_first(x)), "h": sp.Lambda(x, of_second(x)), "m": m, "k": shorter},
            {
                "even": "even, first",
                "other even": "even, second",
                "concave": "log-concave, first",
                "other concave": "log-concave, second",
                "low": "not away",
                "high": "t <= 1",
            },
        ),
    ]
    for name, shift in parts.items():
        steps += [
            Step(
                f"what is left, {name}",
                "What is left of the first is the first less what they have in common,",
                lhs=excess[name],
                rhs=here[name] - overlap[name],
            ),
            by_fact(
                f"two integrals, {name}",
                "two integrals,",
                "means are linear",
                {"mean": total, "terms": ((one, here[name]), (-one, overlap[name]))},
                {"integrable": "densities"},
            ),
            by_fact(
                f"translation, {name}",
                "of which the first does not see the shift.",
                "translations keep integrals",
                {"f": sp.Lambda(x, of_first(x)), "shift": shift},
                {"integrable": "densities"},
            ),
        ]
    steps += [
        Step(
            "slice",
            "Given the other coordinates, the positive part grows with the shift:",
            lhs=total(excess["t m"]),
            rhs=total(excess["m"]),
            relation="<=",
            kind="inference",
            premises=(
                "overlap",
                *(f"{what}, {n}" for what in ("what is left", "two integrals", "translation") for n in parts),
            ),
        ),
        by_fact(
            "in the mean",
            "so it does in the mean over them.",
            "means keep the order",
            {"mean": average, "f": total(excess["t m"]), "g": total(excess["m"])},
            {"pointwise": "slice", "integrable": "densities"},
        ),
    ]
    for name in parts:
        steps += [
            Step(
                f"not negative, {name}",
                "A positive part is not negative,",
                lhs=excess[name],
                rhs=zero,
                relation=">=",
                witness=excess[name],
            ),
            by_fact(
                f"one coordinate at a time, {name}",
                "and may be integrated over one coordinate first.",
                "Tonelli's theorem",
                {"mean": average, "f": excess[name]},
                {"sign": f"not negative, {name}"},
            ),
        ]
    steps.append(
        Step(
            "in every coordinate",
            "The integral over all coordinates is delta, of Q and P exchanged too: x to m - x exchanges them.",
            lhs=total(average(excess["t m"])),
            rhs=total(average(excess["m"])),
            relation="<=",
            kind="inference",
            premises=("in the mean", *(f"one coordinate at a time, {name}" for name in parts)),
        )
    )
    return Derivation(
        id="joint_shift.grows_with_shift",
        title="The divergence grows in every coordinate of the whitened mean shift",
        sources=("N26-D6", "N26-T4.1"),
        hypotheses=(_SHORTER,),
        steps=tuple(steps),
        result_step="what is left, m",
        symbols={"first": first, "second": second, "lam": lam, "kappa": kappa, "shift": m, "point": x},
        faults=(
            Fault("odd", "even, first", lambda rhs: -rhs),
            Fault("common part added", "what is left, m", lambda rhs: 2 * here["m"] - rhs),
            Fault("shift kept", "what is left, t m", lambda rhs: rhs.subs(shorter, 1)),
        ),
        concludes=(Conclusion("N26-D6-joint", "in every coordinate", part="monotone in the shift, for t <= 1"),),
    )


@cache
def rank_one_worst() -> Derivation:
    """The pairs N(0, v I + y (k + g) e e^T), N(u, v I + y k e e^T), 0 <= y <= 1, |u| <= U, come from those at y = 1,
    |u| = U.

    A pair at (y, c), c the share of |u|^2 along e, is the image of the one at (1, c y) under one linear map with
    independent noise: in the plane of e and u, along e and across it, X ~ N(0, diag(v + k + g, v)) against
    N(U (sqrt(cy), sqrt(1-cy)), diag(v + k, v)), and T = A X + sqrt(v) n E, E standard normal. (C, S) is the unit vector
    along (sqrt(c (1-y)), sqrt(1-c)), whose length is sqrt(1-cy).
    """
    v = sp.Symbol("v", positive=True)
    U, k, g, y, c = sp.symbols("U k g y c", nonnegative=True)
    epsilon = sp.Symbol("epsilon", nonnegative=True)
    C, S = sp.symbols("C S", real=True)
    matrix = sp.Matrix([[sp.sqrt(y), sp.sqrt(1 - y) * C], [0, S]])
    direction = sp.Matrix([sp.sqrt(1 - y) * S, -C])
    nothing = sp.zeros(2, 1)
    source, target = (sp.Matrix([sp.sqrt(at), sp.sqrt(1 - at)]) for at in (c * y, c))
    unit = {"a": c * (1 - y), "b": 1 - c, "square": 1 - c * y, "C": C, "S": S}
    shown = {"first": "along e", "second": "across e", "length": "length"}
    steps: list[Step] = [
        Step("noise", "v is not negative.", lhs=v, rhs=zero, relation=">=", witness=v),
        Step(
            "along e",
            "Not negative,",
            lhs=c * (1 - y),
            rhs=zero,
            relation=">=",
            kind="inference",
            premises=(Use("y <= 1", weight=-c),),
        ),
        Step(
            "across e",
            "nor is this:",
            lhs=1 - c,
            rhs=zero,
            relation=">=",
            kind="inference",
            premises=(Use("c <= 1", weight=-1),),
        ),
        Step("length", "their sum.", lhs=held(c) * (1 - y) + (1 - c), rhs=1 - c * y),
    ]
    steps += [
        by_fact(what, why, f"direction in the plane, {what}", unit, shown)
        for what, why in (
            ("first coordinate", "So (C, S) is the direction of the two roots,"),
            ("second coordinate", "whatever y and c are,"),
        )
    ]
    steps.append(by_fact("unit", "and of length 1.", "direction in the plane, length", unit, shown))
    covariances = {}
    for name, extra in (("first", k + g), ("second", k)):
        covariances[name] = sp.diag(v + extra, v), sp.diag(v + y * extra, v)
        before, after = covariances[name]
        steps.append(
            Step(
                f"covariance of T, {name} law",
                "As e's,",
                lhs=matrix * before * matrix.T + v * direction * direction.T,
                rhs=after,
                kind="inference",
                premises=("unit",),
            )
        )
    steps += [
        Step(
            "mean of T",
            "with the shift turned to the share c.",
            lhs=matrix * U * source,
            rhs=U * target,
            kind="inference",
            premises=("first coordinate", "second coordinate"),
        ),
        Step("mean 0", "0 stays 0.", lhs=_written(matrix, nothing), rhs=nothing),
    ]
    laws = {"v": v, "k": k, "g": g, "y": y}
    steps += [
        Step("u_1", "The shift of length U along e,", lhs=shift[0], rhs=U * sp.sqrt(c), kind="definition"),
        Step("u_2", "and across it;", lhs=shift[1], rhs=U * sp.sqrt(1 - c), kind="definition", premises=("c <= 1",)),
        *_shorter_shifts(laws, epsilon),
        Step("0 <= t", "t is not negative.", lhs=shorter, rhs=zero, relation=">=", witness=shorter),
    ]
    shown_by = {
        "first": ("mean 0", "covariance of T, first law"),
        "second": ("mean of T", "covariance of T, second law"),
    }
    for order in (("first", "second"), ("second", "first")):
        called = f"{order[0]} law first"
        letters: dict[str, Any] = {"matrix": matrix, "s": v, "n": direction, "epsilon": epsilon}
        conditions = {"noise": "noise"}
        for whose, law in zip(("", "other "), order):
            before, after = covariances[law]
            moved = law == "second"
            letters |= {
                f"{whose}mean": U * source if moved else nothing,
                f"{whose}covariance": before,
                f"{whose}image mean": U * target if moved else nothing,
                f"{whose}image covariance": after,
            }
            conditions |= dict(zip((f"{whose}mean", f"{whose}covariance"), shown_by[law]))
        image = by_fact(
            f"image, {called}",
            "One map, which sees neither law: no divergence grows.",
            "one linear map with noise on two normal laws",
            letters,
            conditions,
        )
        at_length = lambda size, order=order: divergence(  # noqa: E731
            *(
                normal(
                    sp.ImmutableMatrix(size * target if law == "second" else nothing),
                    sp.ImmutableMatrix(covariances[law][1]),
                )
                for law in order
            ),
            epsilon,
        )
        shares = Step(
            f"shares, {called}",
            "A share of the shift of length U",
            lhs=at_length(sp.sin(_angle) ** 2 * U),
            rhs=at_length(U),
            relation="<=",
            kind="inference",
            premises=(f"shorter shifts, {called}", "u_1", "u_2"),
        )
        shift_to = by_fact(
            f"t for U, {called}",
            "is every shorter one.",
            "every smaller number is a share",
            {"f": at_length(m), "argument": m, "low": shorter, "high": U, "angle": _angle},
            {"shares": shares.name, "low": "0 <= t", "order": "t <= U"},
        )
        stated = [
            meaning(f"{name}, {called}", "normal_pair", *_stated(order, laws, epsilon, *at))
            for name, at in (("the pair", (y, shorter * _vector(c))), ("the worst", (one, U * _vector(c * y))))
        ]
        steps += [
            image,
            shares,
            shift_to,
            *stated,
            Step(
                f"worst, {called}",
                "So the worst pairs have the full covariance step and the full shift.",
                lhs=stated[0].lhs,
                rhs=stated[1].lhs,
                relation="<=",
                kind="inference",
                premises=(stated[0].name, stated[1].name, shift_to.name, image.name),
            ),
        ]
    return Derivation(
        id="joint_shift.rank_one_worst",
        title="The worst pairs of a rank-one envelope have the full covariance step and the full shift",
        sources=("N26-D6",),
        hypotheses=(
            Hypothesis("y <= 1", y <= 1),
            Hypothesis("c <= 1", c <= 1),
            Hypothesis("t <= U", sp.Ge(U, shorter)),
        ),
        steps=tuple(steps),
        result_step=f"shares, {ORDERS[0]}",
        symbols={"v": v, "k": k, "g": g, "y": y, "c": c, "U": U, "epsilon": epsilon},
        domain=(y <= 1, c <= 1),
        faults=(
            Fault("shift not turned", "mean of T", lambda rhs: sp.Matrix([U, 0])),
            Fault("noise left out", "covariance of T, first law", lambda rhs: rhs - sp.diag(0, v)),
            Fault("covariance step twice", "covariance of T, first law", lambda rhs: rhs + sp.diag(y * g, 0)),
            Fault("step of the other law", "covariance of T, second law", lambda rhs: rhs + sp.diag(y * g, 0)),
        ),
        concludes=tuple(
            Conclusion(
                "N26-D6-joint",
                f"worst, {order}",
                {"v": v, "k": k, "h": g, "U": U, "t": shorter, "y": y, "c": c, "eps": epsilon},
            )
            for order in ORDERS
        ),
    )


def _vector(share: sp.Expr) -> sp.Expr:
    """The unit vector of which `share` is along e, as statements have it."""
    return quantity("vector", sp.sqrt(share), sp.sqrt(1 - share))


def _stated(
    order: tuple[str, str], laws: Mapping[str, sp.Expr], epsilon: sp.Expr, step: sp.Expr, shift: sp.Expr
) -> tuple[sp.Expr, ...]:
    """Arguments of "normal_pair": mean and covariance of one law, then of the other, and epsilon."""
    e = quantity("vector", one, zero)
    of = {"first": (zero, laws["k"] + laws["g"]), "second": (shift, laws["k"])}
    along = e * quantity("transpose", e)
    parts = (
        (mean, laws["v"] * quantity("identity") + step * extra * along) for mean, extra in (of[law] for law in order)
    )
    return (*(part for both in parts for part in both), epsilon)


def _shorter_shifts(laws: Mapping[str, sp.Expr], epsilon: sp.Expr) -> list[Step]:
    """A shift made sin^2 times as long reveals no more: one coordinate of it after the other grows, in both orders of
    the pair.
    """
    v, k, g, y = (laws[name] for name in "vkgy")
    variances = ((v + y * (k + g), v + y * k), (v, v))  # along e and across it, of either law
    share = sp.sin(_angle) ** 2
    steps = [
        Step("a share", "sin^2 is at most 1.", lhs=share, rhs=one, relation="<=", witness=-(sp.cos(_angle) ** 2)),
        *(
            Step(
                f"{which} variance, {name}",
                "Positive,",
                lhs=variance,
                rhs=zero,
                relation=">",
                witness=sp.expand(variance),
            )
            for name, pair in zip(_COORDINATES, variances)
            for which, variance in zip(_WHICH, pair)
        ),
    ]
    for sign, order in zip((-1, 1), ORDERS):
        ordered = [pair[::-sign] for pair in variances]
        done = [share * part for part in shift]
        bounds = []
        for along, name in enumerate(_COORDINATES):
            rest, sides = 1 - along, []
            means = (zero, done[rest])[::-sign]
            pieces = [(means[side], ordered[rest][side]) for side in (0, 1)]
            for length in (share * shift[along], shift[along]):
                near, far = (zero, length)[::-sign]
                letters = {
                    "mean": near,
                    "other mean": far,
                    "variance": ordered[along][0],
                    "other variance": ordered[along][1],
                    "rest": pieces[0],
                    "other rest": pieces[1],
                    "along": along,
                    "epsilon": epsilon,
                }
                what = f"slices {name}, {order}, " + ("before" if length != shift[along] else "after")
                steps.append(
                    by_fact(
                        what,
                        "one coordinate at a time,",
                        "slices of two normal laws",
                        letters,
                        {
                            f"{other}{condition}": f"{which} variance, {coordinate}"
                            for other, which in zip(("", "other "), _WHICH[::-sign])
                            for condition, coordinate in (("variance", name), ("rest", _COORDINATES[rest]))
                        },
                    )
                )
                sides.append(steps[-1])
            at = {
                lam: ordered[along][0],
                kappa: ordered[along][1],
                m: sign * shift[along],
                shorter: share,
                sp.Symbol("A", positive=True): slice_of(*pieces[0], ordered[along][0]),
                sp.Symbol("B", positive=True): other_slice(*pieces[1], ordered[along][1], epsilon),
            }
            steps.append(
                Step(
                    f"longer {name}, {order}",
                    "the divergence grows with the coordinate of the shift.",
                    lhs=sides[0].lhs,
                    rhs=sides[1].lhs,
                    relation="<=",
                    kind="inference",
                    premises=(
                        Use("in the mean", of=grows_with_shift, at=at, granted={"t <= 1": "a share"}),
                        *(side.name for side in sides),
                    ),
                )
            )
            done[along] = shift[along]
            bounds.append(steps[-1])
        steps.append(
            Step(
                f"shorter shifts, {order}",
                "So a shorter shift in the same direction reveals no more.",
                lhs=bounds[0].lhs,
                rhs=bounds[1].rhs,
                relation="<=",
                kind="inference",
                premises=tuple(bound.name for bound in bounds),
            )
        )
    return steps


def _written(matrix: sp.Matrix, mean: sp.Matrix) -> sp.Matrix:
    """A matrix times a vector, as it is written."""
    return sp.Matrix([sum((held(a) * held(b) for a, b in zip(matrix.row(i), mean)), zero) for i in (0, 1)])
