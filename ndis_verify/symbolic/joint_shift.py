"""A mean shift and one moved variance together: what the divergence grows with, and the worst pairs of an envelope."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import sympy as sp

from ndis_verify.symbolic.derivation import Conclusion, Derivation, Fault, Hypothesis, Step, Use
from ndis_verify.symbolic.fact_steps import by_fact
from ndis_verify.symbolic.notation import average, held, other_slice, slice_of, total, x

zero, one = sp.Integer(0), sp.Integer(1)
lam, kappa = sp.symbols("lambda kappa", positive=True)  # the variances of one coordinate
m = sp.Symbol("m", real=True)  # the distance of its means
shorter = sp.Symbol("t", nonnegative=True)  # times which the shift is made shorter
y_share = sp.Symbol("y", nonnegative=True)  # of the covariance step
shift = sp.symbols("u_1 u_2", real=True)  # of the means, along e and across it
_ORDERS = ("first law first", "second law first")
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
            {"g": of_first, "h": of_second, "x": x, "m": m, "k": shorter},
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
                {"f": of_first, "x": x, "shift": shift},
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
                {"f": excess[name]},
                {"sign": f"not negative, {name}", "measurable": "densities"},
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
        hypotheses=("densities", _SHORTER),
        steps=tuple(steps),
        result_step="what is left, m",
        symbols={"first": first, "second": second, "lam": lam, "kappa": kappa, "shift": m, "point": x},
        faults=(
            Fault("odd", "even, first", lambda rhs: -rhs),
            Fault("common part added", "what is left, m", lambda rhs: 2 * here["m"] - rhs),
            Fault("shift kept", "what is left, t m", lambda rhs: rhs.subs(shorter, 1)),
        ),
        concludes=(Conclusion("N26-D6-joint", "in every coordinate", part="monotone in the shift"),),
    )


@cache
def rank_one_worst() -> Derivation:
    """The pairs N(0, v I + y (k + g) e e^T), N(u, v I + y k e e^T), 0 <= y <= 1, |u| <= U, come from those at y = 1,
    |u| = U.

    A pair at (y, c), c the share of |u|^2 along e, is the image of the one at (1, c y) under one linear map with
    independent noise: in the plane of e and u, along e and across it, X ~ N(0, diag(v + k + g, v)) against
    N(U (sqrt(cy), sqrt(1-cy)), diag(v + k, v)), and T = A X + sqrt(v) n E, E standard normal. At y = 1 nothing moves.
    """
    v, U, h, j = sp.symbols("v U h j", positive=True)
    k, g = sp.symbols("k g", nonnegative=True)
    epsilon = sp.Symbol("epsilon", real=True)
    y, c = 1 / (1 + h**2), 1 / (1 + j**2)  # every share in (0, 1)
    root = sp.Symbol("p", nonnegative=True)  # of the other share, where one of both is 0 or 1
    along, across = sp.sqrt(c * y), sp.sqrt(1 - c * y)  # the source's mean, over U
    cosine, sine = sp.sqrt(c * (1 - y)) / across, sp.sqrt(1 - c) / across
    inner = {
        "0 < y, c < 1": _Map(
            sp.Matrix([[sp.sqrt(y), sp.sqrt(1 - y) * cosine], [0, sine]]),
            sp.Matrix([sp.sqrt(1 - y) * sine, -cosine]),
            (y, c),
            sp.Matrix([U * along, U * across]),
        ),
        "y = 0": _Map(
            sp.Matrix([[0, root], [0, sp.sqrt(1 - root**2)]]),
            sp.Matrix([sp.sqrt(1 - root**2), -root]),
            (zero, root**2),
            sp.Matrix([0, U]),
        ),
        "c = 0": _Map(
            sp.diag(root, 1),
            sp.Matrix([sp.sqrt(1 - root**2), 0]),
            (root**2, zero),
            sp.Matrix([0, U]),
        ),
        "c = 1": _Map(
            sp.Matrix([[root, sp.sqrt(1 - root**2)], [0, 0]]),
            sp.Matrix([0, -1]),
            (root**2, one),
            sp.Matrix([U * root, U * sp.sqrt(1 - root**2)]),
        ),
    }
    steps: list[Step] = [
        Step("noise", "v is not negative.", lhs=v, rhs=zero, relation=">=", witness=v),
    ]
    for case, made in inner.items():
        at, where_it_goes = made.at
        target = sp.Matrix([U * sp.sqrt(where_it_goes), U * sp.sqrt(1 - where_it_goes)])
        first, second = (sp.diag(v + extra, v) for extra in (k + g, k))
        image, other = (sp.diag(v + at * extra, v) for extra in (k + g, k))
        steps += [
            Step(f"covariance of T, first law, {case}", "As e's,", lhs=made.covariance(first, v), rhs=image),
            Step(f"covariance of T, second law, {case}", "likewise,", lhs=made.covariance(second, v), rhs=other),
            Step(
                f"mean of T, {case}",
                "with the shift turned to the share c.",
                lhs=made.matrix * made.mean if made.matrix * made.mean != target else _written(made.matrix, made.mean),
                rhs=target,
            ),
            Step(f"mean 0, {case}", "0 stays 0.", lhs=_written(made.matrix, sp.zeros(2, 1)), rhs=sp.zeros(2, 1)),
        ]
        laws = {
            "first": (sp.zeros(2, 1), first, sp.zeros(2, 1), image),
            "second": (made.mean, second, target, other),
        }
        shown = {
            "first": (f"mean 0, {case}", f"covariance of T, first law, {case}"),
            "second": (f"mean of T, {case}", f"covariance of T, second law, {case}"),
        }
        for order in (("first", "second"), ("second", "first")):
            letters = {"matrix": made.matrix, "s": v, "n": made.direction, "epsilon": epsilon}
            for name, law in zip(("", "other "), order):
                letters |= dict(
                    zip((f"{name}mean", f"{name}covariance", f"{name}image mean", f"{name}image covariance"), laws[law])
                )
            conditions = {"noise": "noise"}
            for name, law in zip(("", "other "), order):
                conditions |= dict(zip((f"{name}mean", f"{name}covariance"), shown[law]))
            steps.append(
                by_fact(
                    f"image, {case}, {order[0]} law first",
                    "One map, which sees neither law: no divergence grows.",
                    "one linear map with noise on two normal laws",
                    letters,
                    conditions,
                )
            )
    steps += _shorter_shifts(v, k, g, epsilon)
    return Derivation(
        id="joint_shift.rank_one_worst",
        title="The worst pairs of a rank-one envelope have the full covariance step and the full shift",
        sources=("N26-D6",),
        hypotheses=("densities", _SHORTER),
        steps=tuple(steps),
        result_step=f"shorter shifts, {_ORDERS[0]}",
        symbols={"v": v, "k": k, "g": g, "y": y_share, "along": shift[0], "across": shift[1], "epsilon": epsilon},
        faults=(
            Fault("shift not turned", "mean of T, 0 < y, c < 1", lambda rhs: sp.Matrix([U, 0])),
            Fault("noise left out", "covariance of T, first law, y = 0", lambda rhs: rhs - sp.diag(0, v)),
            Fault(
                "covariance step twice", "covariance of T, first law, 0 < y, c < 1", lambda rhs: rhs + sp.diag(y * g, 0)
            ),
            Fault("step of the other law", "covariance of T, second law, c = 1", lambda rhs: rhs + sp.diag(y * g, 0)),
        ),
        concludes=tuple(
            Conclusion("N26-D6-joint", name, part=f"{part}, {order}")
            for order in _ORDERS
            for name, part in (
                *((f"image, {case}, {order}", f"y = 1, for {case}") for case in inner),
                (f"shorter shifts, {order}", "|u| = U"),
            )
        ),
    )


def _shorter_shifts(v: sp.Expr, k: sp.Expr, g: sp.Expr, epsilon: sp.Expr) -> list[Step]:
    """|u| < U: one coordinate of the shift after the other grows to that of |u| = U, in both orders of the pair."""
    variances = ((v + y_share * (k + g), v + y_share * k), (v, v))  # along e and across it, of either law
    steps = [
        Step(
            f"variances, {name}",
            "positive,",
            lhs=pair[0] * pair[1],
            rhs=zero,
            relation=">",
            witness=sp.expand(pair[0] * pair[1]),
        )
        for name, pair in zip(("along e", "across e"), variances)
    ]
    for sign, order in zip((-1, 1), _ORDERS):
        ordered = [pair[::-sign] for pair in variances]
        done = [shorter * part for part in shift]
        bounds = []
        for along, name in enumerate(("along e", "across e")):
            rest, sides = 1 - along, []
            means = (zero, done[rest])[::-sign]
            pieces = [(means[side], ordered[rest][side]) for side in (0, 1)]
            for length in (shorter * shift[along], shift[along]):
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
                        {"positive": f"variances, {name}"},
                    )
                )
                sides.append(steps[-1])
            at = {
                lam: ordered[along][0],
                kappa: ordered[along][1],
                m: sign * shift[along],
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
                    premises=(Use("in the mean", of=grows_with_shift, at=at), *(side.name for side in sides)),
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


@dataclass(frozen=True)
class _Map:
    """T = A X + sqrt(v) n E: A and n, the (y, c) of its image, and the mean of what it takes."""

    matrix: sp.Matrix
    direction: sp.Matrix
    at: tuple[sp.Expr, sp.Expr]
    mean: sp.Matrix

    def covariance(self, covariance: sp.Matrix, noise: sp.Expr) -> sp.Matrix:
        return self.matrix * covariance * self.matrix.T + noise * self.direction * self.direction.T
