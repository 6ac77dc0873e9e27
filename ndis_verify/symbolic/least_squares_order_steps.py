"""Steps of the orders of private least squares: curves that go on to the cap, and thresholds of one number."""

from __future__ import annotations

from typing import Any

import sympy as sp

from ndis_verify.symbolic import facts_of_statistics
from ndis_verify.symbolic.derivation import Step, Use
from ndis_verify.symbolic.fact_steps import by_fact
from ndis_verify.symbolic.facts_of_statistics import odds, squares, value
from ndis_verify.symbolic.meanings import meaning
from ndis_verify.symbolic.notation import held, on_sphere, products, resketched, sketched
from ndis_verify.symbolic.statement_terms import quantity

r, d = sp.symbols("r d", positive=True)
epsilon = sp.Symbol("epsilon", real=True)

one_above_0 = Step("1 > 0", "of the others.", sp.Integer(1), sp.Integer(0), ">", sp.Integer(1))
RECORD = "a record of leverage p in B and q in [B b]"


def record_of(a: sp.Expr, b: sp.Expr) -> tuple[sp.Expr, sp.Expr]:
    """p and q in x = p/(1-p), y = (q-p)/(1-q)."""
    return a / (1 + a), 1 - 1 / ((1 + a) * (1 + b))


def released(a: sp.Expr, b: sp.Expr, order: int = 1) -> sp.Expr:
    """The divergence of the two normal laws of least squares at x and y; order -1: the smaller database's first."""
    return quantity("least_squares" if order == 1 else "least_squares_insert", *record_of(a, b), d, r, epsilon)


def frame_steps() -> tuple[Step, ...]:
    """Both laws of quadratic_form_deletion in x = p/(1-p), y = (q-p)/(1-q), and a frame of independent coordinates."""
    a, b = sp.symbols("x y", nonnegative=True)
    p, q = record_of(a, b)
    at = (p, q, d, r)
    letters = {
        **dict(zip("pqdr", at, strict=True)),
        "epsilon": epsilon,
        "shift": r * a * b / (1 + a),
        "first": (1 + b) / (1 + a),
        "others": 1 + b,
        "scale": 1 + a,
        "other scale": sp.Integer(1),
    }
    shown: dict[str, str | Step] = {
        "first": "first scale",
        "others": "other scales",
        "shift": "shift",
        "scale": Step("scale", "1 + a > 0.", 1 + a, sp.Integer(0), ">", 1 + a),
        "other scale": one_above_0,
    }
    frames = ("one frame for least squares", "one frame for least squares, exchanged")
    names = (("deleted", "least_squares", 1), ("inserted", "least_squares_insert", -1))
    return (
        *(meaning(name, head, *at, epsilon) for name, head, _ in names),
        Step("x", "p is x/(1 + x):", lhs=p / held(1 - p), rhs=a, premises=(RECORD,)),
        Step("y", "and q 1 - 1/((1 + x)(1 + y)).", lhs=(q - p) / (1 - q), rhs=b, premises=(RECORD,)),
        Step(
            "first scale",
            "quadratic_form_deletion in x and y: relative to the smaller database (1-p)^2/(1-q),",
            lhs=(1 - p) ** 2 / (1 - q),
            rhs=letters["first"],
            premises=("x", "y"),
        ),
        Step("other scales", "(1-p)/(1-q),", lhs=(1 - p) / (1 - q), rhs=letters["others"], premises=("x", "y")),
        Step(
            "shift",
            "and m^2 = r p (q-p)/(1-q).",
            lhs=r * p * (q - p) / (1 - q),
            rhs=letters["shift"],
            premises=("x", "y"),
        ),
        *(
            by_fact(
                f"two laws, {name}",
                "Up to an affine map the larger database has N(sqrt(r x y), 1+y) and N(0, 1+y) d-1 times, the smaller"
                " one N(0, 1+x) and N(0, 1) d-1 times, independent.",
                frame,
                letters,
                shown,
            )
            for (name, _, _), frame in zip(names, frames, strict=True)
        ),
        *(
            Step(
                f"cost of the pair, {name}",
                "So the divergence is that of these products.",
                lhs=released(a, b, order),
                rhs=cost(a, b, order),
                kind="inference",
                premises=(name, f"two laws, {name}"),
            )
            for name, _, order in names
        ),
    )


def products_of(x: sp.Expr, y: sp.Expr, order: int = 1) -> dict[str, sp.Expr]:
    """The letters of the two products of normal laws; order -1: the smaller database's first."""
    laws = {"first": 1 + y, "second": 1 + x}, {"other first": 1 + y, "other second": sp.Integer(1)}
    turned = [dict(zip(law, list(law.values())[::order], strict=True)) for law in laws]
    return {"shift": r * x * y, **turned[0], **turned[1], "d": d, "epsilon": epsilon}


def cost(x: sp.Expr, y: sp.Expr, order: int = 1) -> sp.Expr:
    """The divergence of the products at x and y."""
    return products(*products_of(x, y, order).values())


def along_steps(X: sp.Symbol, Y: sp.Symbol, tau: sp.Symbol) -> tuple[Step, ...]:
    """The cost at x = X/(1 + tau X), y = Y/(1 + tau Y) is that at X and Y with noise on both laws."""
    small = {name: side / (1 + tau * side) for name, side in (("x", X), ("y", Y))}
    scale, noise = (1 + tau * X) * (1 + tau * Y), tau * (X + Y + X * Y) + tau**2 * X * Y
    kernel = {"noise": noise, "g": scale, "other noise": tau * Y, "other g": 1 + tau * Y}
    scaled = ("noise, larger database", "noise, smaller database", "noise, mean", "other coordinates")

    def not_negative(name: str, why: str, variance: sp.Expr, used: tuple[str, ...]) -> Step:
        return Step(name, why, lhs=variance, rhs=sp.Integer(0), relation=">=", witness=variance, premises=used)

    pairs = {1: ("deleted", "one of them,"), -1: ("inserted", "and the other.")}
    x, y = sp.symbols("x y", nonnegative=True)
    return (
        Step(
            "noise, larger database",
            "At (X, Y) add noise of variance s to the first coordinate and divide by sqrt(g), g = (1 + tau X)(1 +"
            " tau Y):",
            lhs=(1 + Y + noise) / scale,
            rhs=1 + small["y"],
        ),
        Step("noise, smaller database", "the same noise and scale;", lhs=(1 + X + noise) / scale, rhs=1 + small["x"]),
        Step(
            "noise, mean",
            "the squared distance of the means is r x y;",
            lhs=r * X * Y / scale,
            rhs=r * held(small["x"]) * held(small["y"]),
        ),
        Step(
            "other coordinates",
            "Noise of variance tau Y, divided by its scale 1 + tau Y: N(0, 1) stays, and",
            lhs=(1 + Y + tau * Y) / (1 + tau * Y),
            rhs=1 + small["y"],
        ),
        not_negative("noise is possible", "s >= 0,", noise, scaled[:3]),
        not_negative("other noise is possible", "tau Y >= 0.", tau * Y, scaled[3:]),
        *(
            by_fact(
                f"data processing, {name}",
                f"One randomised map applied to both laws raises no divergence, {which}",
                "noise on both of two products",
                {**products_of(X, Y, order), **kernel},
                {
                    "noise": "noise is possible",
                    "other noise": "other noise is possible",
                    **{
                        name: Step(name, "", kernel[name], sp.Integer(0), ">", kernel[name])
                        for name in ("g", "other g")
                    },
                },
            )
            for order, (name, which) in pairs.items()
        ),
        *(
            Step(
                f"cost along the curve, {name}",
                "The record at (x, y) costs at most what the one at (X, Y) does.",
                lhs=released(small["x"], small["y"], order),
                rhs=released(X, Y, order),
                relation="<=",
                kind="inference",
                premises=(
                    f"data processing, {name}",
                    Use(f"cost of the pair, {name}", at={x: X, y: Y}),
                    Use(f"cost of the pair, {name}", at={x: small["x"], y: small["y"]}),
                ),
            )
            for order, (name, _) in pairs.items()
        ),
    )


def backward_steps() -> tuple[Step, ...]:
    """From every record but the empty one the curve goes on to every larger q: X = x/(1 - tau x), Y = y/(1 - tau y)."""
    small, more = sp.Symbol("y", nonnegative=True), sp.Symbol("v", positive=True)
    equal = sp.Symbol("y", positive=True)
    return (
        *_backward_steps("", small, more, sp.Symbol("tau_0", nonnegative=True)),
        *_backward_steps(", x = y", equal, sp.Integer(0), sp.Symbol("tau_1", nonnegative=True)),
    )


def _backward_steps(case: str, small: Any, more: Any, root: sp.Symbol) -> tuple[Step, ...]:
    """Where x = y + v is the larger of both: nothing changes where they are exchanged."""
    room, t = sp.symbols("w t", nonnegative=True)
    zero, large = sp.Integer(0), small + more
    target = (1 + large) * (1 + small) + room  # 1/(1 - cap)
    f = target * (1 - t * large) * (1 - t * small) - (1 + large - t * large) * (1 + small - t * small)
    left = (1 - root * large) * (1 - root * small)
    reached = (1 + large / (1 - root * large)) * (1 + small / (1 - root * small))
    letters = {"f": f, "argument": t, "low": zero, "high": 1 / large, "root": root}
    start, end = f"backwards: at the start{case}", f"backwards: at the end{case}"
    shown = {"low": start, "high": end}
    return (
        Step(
            start,
            "1/(1-q) = (1+X)(1+Y) has to become K = 1/(1-cap) = (1+x)(1+y) + w. x = y + v is the larger of both, f(t) ="
            " K (1 - t x)(1 - t y) - (1 + x - t x)(1 + y - t y): f(0) is w,",
            lhs=f.subs(t, 0),
            rhs=zero,
            relation=">=",
            witness=room,
        ),
        Step(
            end,
            "and f(1/x) is below 0.",
            lhs=f.subs(t, 1 / large),
            rhs=zero,
            relation="<",
            witness=-(more + small * large),
        ),
        by_fact(f"backwards{case}", "So it is 0 at some tau_0 in [0, 1/x),", "a value in between", letters, shown),
        by_fact(
            f"before the end{case}",
            "that is, before 1/x:",
            "a value in between, before the end",
            letters,
            {**shown, "order": Step("1/x > 0", "Positive.", 1 / large, zero, ">", 1 / large)},
        ),
        Step(
            f"room of x{case}",
            "1 - tau_0 x is positive,",
            lhs=1 - root * large,
            rhs=zero,
            relation=">",
            kind="inference",
            premises=(Use(f"before the end{case}", weight=-large),),
        ),
        *_room_of_the_smaller(small, more, root),
        Step(
            f"what f says{case}",
            "and (1+X)(1+Y) is K less f over what is positive there:",
            lhs=reached,
            rhs=target - f.subs(t, root) / left,
            premises=(f"room of x{case}", *(("room of y",) if more != 0 else ())),
        ),
        Step(
            f"the cap is reached{case}",
            "the curve meets q = cap.",
            lhs=reached,
            rhs=target,
            kind="inference",
            premises=(f"what f says{case}", f"backwards{case}"),
        ),
    )


def _room_of_the_smaller(small: Any, more: Any, root: sp.Symbol) -> tuple[Step, ...]:
    """That of y, where it is not x itself."""
    if more == 0:
        return ()
    return (
        Step("part of x", "and as x is the larger of both", root * more, sp.Integer(0), ">=", root * more),
        Step(
            "room of y",
            "so is 1 - tau_0 y.",
            lhs=1 - root * small,
            rhs=sp.Integer(0),
            relation=">",
            kind="inference",
            premises=(Use("room of x"), Use("part of x")),
        ),
    )


def half_sphere_steps(rows: sp.Expr = r) -> tuple[Step, ...]:
    """The larger database's law on the half sphere, and T on it. `rows`: r."""
    student = facts_of_statistics.student(rows)
    return (
        Step(
            "larger database",
            "z, the whitened solution, has a density proportional to (1 + s)^{-(r+1)/2}, s = |z|^2 (student_law).",
            kind="definition",
            premises=(RECORD, "r >= d"),
        ),
        by_fact(
            "onto the half sphere",
            "y = (1, z)/sqrt(1 + |z|^2):",
            "central projection",
            {"f": student, "s": squares, "d": d},
            {},
            ("larger database",),
        ),
        Step(
            "half sphere",
            "its density is proportional to y_0^{r-d}, y_0 = 1/sqrt(1 + s).",
            lhs=on_sphere(student, squares, d),
            rhs=(1 / sp.sqrt(1 + squares)) ** (rows - d),
            kind="inference",
            premises=("onto the half sphere",),
        ),
        Step(
            "T on it",
            "T = (sqrt(p) z - w)^2/(q (1 + z^2 + R)) (finite_loss) is (y^T e)^2, e = (-sqrt(q-p), sqrt(p), 0, ...)/"
            "sqrt(q).",
            lhs=facts_of_statistics.as_defined(),
            rhs=facts_of_statistics.in_direction(),
            premises=("s <= 1",),
        ),
    )


def threshold_steps(q: sp.Symbol, ratio: sp.Symbol) -> tuple[Step, ...]:
    """The divergence at q is that of an event of T, whose probability in the smaller database orders in q."""
    t = sp.Symbol("t", real=True)
    step, larger = sp.Symbol("v", nonnegative=True), sp.Symbol("u", real=True)
    loss = facts_of_statistics.loss(q, r)
    known = {"q": q, "d": d, "r": r}
    order = {"deleted": ("sketch", "falling", "below"), "inserted": ("sketch_insert", "rising", "above")}
    place = dict(zip(order, sp.symbols("t_1 t_2", real=True), strict=True))  # of the two thresholds

    def laws(name: str, at: sp.Expr) -> dict[str, Any]:
        pair = sketched(ratio * at, at, d, r), resketched(ratio * at, at, d, r)
        return dict(zip("PQ", pair if name == "deleted" else pair[::-1], strict=True))

    def released(name: str, at: sp.Expr) -> sp.Expr:
        return quantity(order[name][0], ratio * at, at, d, r, epsilon)

    by_event = [
        by_fact(
            f"{name}: its event",
            f"For one threshold {place[name]} the divergence at q is that of an event of T;",
            f"threshold of a {kind} loss",
            {"p": ratio * q, "epsilon": epsilon, "t": place[name], **known},
            {"falls": "loss falls in T"},
        )
        for name, (_, kind, _) in order.items()
    ]
    at_larger = [
        by_fact(
            f"{name}: at a larger q",
            "the same event bounds the divergence at a larger q from below.",
            f"an event {where} a threshold",
            {**laws(name, q + step), "epsilon": epsilon, "t": place[name]},
            {},
        )
        for name, (_, _, where) in order.items()
    ]
    meant = [
        meaning(f"{name}, {which}", head, ratio * at, at, d, r, epsilon)
        for name, (head, _, _) in order.items()
        for which, at in (("at q", q), ("at q + v", q + step))
    ]
    ordered = [
        Step(
            f"{name}: order in q",
            "So it grows with q.",
            lhs=released(name, q),
            rhs=released(name, q + step),
            relation="<=",
            kind="inference",
            premises=(
                f"{name}, at q",
                f"{name}, at q + v",
                f"{name}: its event",
                Use(f"{name}: at a larger q", weight=-1),
                Use(
                    "probabilities",
                    at={t: place[name]},
                    weight=sp.exp(epsilon) if name == "deleted" else sp.Integer(1),
                ),
                Use("larger database's T", at={t: place[name]}),
            ),
        )
        for name in order
    ]
    stated = [
        Step(
            f"{name}: order",
            "At u = q + v.",
            lhs=released(name, q),
            rhs=released(name, larger),
            relation="<=",
            kind="inference",
            premises=(f"{name}: order in q", "v"),
        )
        for name in order
    ]
    return (
        Step(
            "loss falls in T",
            "q T = w/(1 + w) runs over (0, 1).",
            lhs=sp.Subs(sp.Derivative(loss, value), q, odds / ((1 + odds) * value)),
            rhs=sp.Integer(0),
            relation="<",
            witness=-(r + 1) * odds / (2 * value),
            premises=("u < 1", "family"),
        ),
        Step("larger q", "q + v,", lhs=q + step, rhs=q, relation=">=", witness=step, premises=("v",)),
        by_fact(
            "probabilities",
            "and T is stochastically larger there.",
            "monotone likelihood ratio",
            {"ratio": ratio, "q": q, "larger": q + step, "d": d, "r": r, "t": t},
            {"ratio": "one order of T", "larger": "larger q"},
        ),
        by_fact(
            "larger database's T",
            "In the larger database its law is the same.",
            "one statistic of one law",
            {
                "p": ratio * q,
                "q": q,
                "d": d,
                "r": r,
                "t": t,
                "other p": ratio * (q + step),
                "other q": q + step,
            },
            {"density": "half sphere", "statistic": "T on it", "direction": "one direction"},
        ),
        *meant,
        *by_event,
        *at_larger,
        *ordered,
        *stated,
    )
