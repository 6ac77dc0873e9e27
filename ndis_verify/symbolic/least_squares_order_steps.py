"""Steps of the orders of private least squares: curves that go on to the cap, and thresholds of one number."""

from __future__ import annotations

import sympy as sp

from ndis_verify.symbolic.derivation import Step, Use
from ndis_verify.symbolic.fact_steps import by_fact
from ndis_verify.symbolic.notation import divergence, on_sphere, products

r = sp.Symbol("r", positive=True)
epsilon = sp.Symbol("epsilon", real=True)


def frame_steps() -> tuple[Step, ...]:
    """Both laws of quadratic_form_deletion in x = p/(1-p), y = (q-p)/(1-q), and a frame of independent coordinates."""
    a, b = sp.symbols("x y", nonnegative=True)
    p, q = a / (1 + a), 1 - 1 / ((1 + a) * (1 + b))
    return (
        Step("p", "p in terms of x,", lhs=p / (1 - p), rhs=a),
        Step("q", "and q.", lhs=(q - p) / (1 - q), rhs=b),
        Step(
            "first scale",
            "quadratic_form_deletion in x and y: relative to the smaller database (1-p)^2/(1-q),",
            lhs=(1 - p) ** 2 / (1 - q),
            rhs=(1 + b) / (1 + a),
        ),
        Step("other scales", "(1-p)/(1-q),", lhs=(1 - p) / (1 - q), rhs=1 + b),
        Step("shift", "and m^2 = r p (q-p)/(1-q).", lhs=r * p * (q - p) / (1 - q), rhs=r * a * b / (1 + a)),
        Step("shift in these units", "1 + x times that.", lhs=(1 + a) * (r * a * b / (1 + a)), rhs=r * a * b),
        by_fact(
            "two laws",
            "So up to an affine map the larger database has N(sqrt(r x y), 1+y) and N(0, 1+y) d-1 times, the smaller"
            " one N(0, 1+x) and N(0, 1) d-1 times, independent.",
            "one frame for two normal laws",
            {
                "P": sp.Symbol("P"),
                "Q": sp.Symbol("Q"),
                "epsilon": epsilon,
                "shift": r * a * b / (1 + a),
                "first": (1 + b) / (1 + a),
                "others": 1 + b,
                "scale": 1 + a,
                "other scale": sp.Integer(1),
            },
            {"first": "first scale", "others": "other scales", "shift": "shift"},
        ),
        Step(
            "cost of the pair",
            "So its divergence is that of these products.",
            lhs=divergence(sp.Symbol("P"), sp.Symbol("Q"), epsilon),
            rhs=cost(a, b),
            kind="inference",
            premises=("two laws",),
        ),
    )


def products_of(x: sp.Expr, y: sp.Expr, order: int = 1) -> dict[str, sp.Expr]:
    """The letters of the two products of normal laws; order -1: the smaller database's first."""
    laws = {"first": 1 + y, "second": 1 + x}, {"other first": 1 + y, "other second": sp.Integer(1)}
    turned = [dict(zip(law, list(law.values())[::order], strict=True)) for law in laws]
    return {"shift": r * x * y, **turned[0], **turned[1]}


def cost(x: sp.Expr, y: sp.Expr, order: int = 1) -> sp.Expr:
    """The divergence of the products at x and y."""
    letters = products_of(x, y, order)
    return products(*(letters[name] for name in ("shift", "first", "second", "other first", "other second")))


def backward_steps() -> tuple[Step, ...]:
    """From every record but the empty one the curve goes on to every larger q: X = x/(1 - tau x), Y = y/(1 - tau y)."""
    small, more, room = sp.symbols("y v w", nonnegative=True)
    large = small + more  # x, the larger of both: nothing changes where they are exchanged
    t, root = sp.symbols("t tau", nonnegative=True)
    target = (1 + large) * (1 + small) + room  # 1/(1 - cap)
    f = target * (1 - t * large) * (1 - t * small) - (1 + large - t * large) * (1 + small - t * small)
    left = (1 - root * large) * (1 - root * small)
    reached = (1 + large / (1 - root * large)) * (1 + small / (1 - root * small))
    return (
        Step(
            "backwards: at the start",
            "1/(1-q) = (1+X)(1+Y) has to become K = 1/(1-cap) = (1+x)(1+y) + w. x = y + v is the larger of both, f(t) ="
            " K (1 - t x)(1 - t y) - (1 + x - t x)(1 + y - t y): f(0) is w,",
            lhs=f.subs(t, 0),
            rhs=sp.Integer(0),
            relation=">=",
            witness=room,
        ),
        Step(
            "backwards: at the end",
            "and f(1/x) is below 0.",
            lhs=f.subs(t, 1 / large),
            rhs=sp.Integer(0),
            relation="<=",
            witness=-(more + small * large),
        ),
        Step("continuous", "f is a polynomial.", kind="definition"),
        by_fact(
            "backwards",
            "So it is 0 at some tau in [0, 1/x),",
            "a value in between",
            {"f": f, "argument": t, "low": sp.Integer(0), "high": 1 / large, "root": root},
            {"continuous": "continuous", "low": "backwards: at the start", "high": "backwards: at the end"},
        ),
        Step(
            "what f says",
            "and (1+X)(1+Y) is K less f over what is positive there:",
            lhs=reached,
            rhs=target - f.subs(t, root) / left,
        ),
        Step(
            "the cap is reached",
            "the curve meets q = cap.",
            lhs=reached,
            rhs=target,
            kind="inference",
            premises=("what f says", "backwards"),
        ),
    )


def half_sphere_steps(p: sp.Symbol, q: sp.Symbol) -> tuple[Step, ...]:
    """The larger database's law on the half sphere, and T on it."""
    s, d = sp.Symbol("s", nonnegative=True), sp.Symbol("d", positive=True)
    z, rest = sp.Symbol("z", real=True), sp.Symbol("R", nonnegative=True)
    w, size = sp.sqrt(q - p), sp.sqrt(1 + z**2 + rest)
    student = (1 + s) ** (-(r + 1) / 2)
    return (
        Step(
            "larger database",
            "z, the whitened solution, has a density proportional to (1 + s)^{-(r+1)/2}, s = |z|^2 (student_law).",
            kind="definition",
        ),
        by_fact(
            "onto the half sphere",
            "y = (1, z)/sqrt(1 + |z|^2):",
            "central projection",
            {"f": student, "s": s, "d": d},
            {"density": "larger database"},
        ),
        Step(
            "half sphere",
            "its density is proportional to y_0^{r-d}, y_0 = 1/sqrt(1 + s).",
            lhs=on_sphere(student),
            rhs=(1 / sp.sqrt(1 + s)) ** (r - d),
            kind="inference",
            premises=("onto the half sphere",),
        ),
        Step(
            "T on it",
            "T = (sqrt(p) z - w)^2/(q (1 + z^2 + R)) (finite_loss) is (y^T e)^2, e = (-sqrt(q-p), sqrt(p), 0, ...)/"
            "sqrt(q).",
            lhs=(sp.sqrt(p) * z - w) ** 2 / (q * size**2),
            rhs=(1 / size * (-w / sp.sqrt(q)) + z / size * sp.sqrt(p / q)) ** 2,
        ),
    )


def threshold_steps(q: sp.Symbol, T: sp.Symbol, left: sp.Symbol, density: sp.Expr) -> tuple[Step, ...]:
    """The divergence at q is that of an event of T, whose probability in the smaller database orders in q."""
    t, step, odds = sp.symbols("t v w", positive=True)
    largest_loss, larger = sp.Symbol("L_0", real=True), q + step
    smaller, whole = sp.Function("Q"), sp.Symbol("P_0")  # laws of T: the smaller database's at q, the larger one's
    loss = largest_loss + (r + 1) / 2 * sp.log(1 - q * T)
    pairs = {"below": (whole, smaller(q), "falling", "below"), "above": (smaller(q), whole, "rising", "above")}
    known = {"loss": loss, "argument": T, "parameter": q, "at": odds / ((1 + odds) * T)}
    wider = {name: [law.subs(q, larger) for law in laws[:2]] for name, laws in pairs.items()}
    by_event = [
        by_fact(
            f"{name}: its event",
            "With the threshold t where the loss is eps, the divergence at q is that of an event of T;",
            f"threshold of a {kind} loss",
            {"P": P, "Q": Q, "epsilon": epsilon, "t": t, **known},
            {"falls": "loss falls in T", "loss": "family"},
        )
        for name, (P, Q, kind, _) in pairs.items()
    ]
    at_larger = [
        by_fact(
            f"{name}: at a larger q",
            "the same event bounds the divergence at a larger q from below.",
            f"an event {where} a threshold",
            {"P": wider[name][0], "Q": wider[name][1], "epsilon": epsilon, "t": t},
            {"laws": "direction"},
        )
        for name, (_, _, _, where) in pairs.items()
    ]
    ordered = [
        Step(
            f"{name}: order in q",
            f"So the divergence ({'delete' if name == 'below' else 'insert'}) grows with q.",
            lhs=divergence(P, Q, epsilon),
            rhs=divergence(*wider[name], epsilon),
            relation="<=",
            kind="inference",
            premises=(
                f"{name}: its event",
                Use(f"{name}: at a larger q", weight=-1),
                Use("probabilities", weight=sp.exp(epsilon) if name == "below" else sp.Integer(1)),
            ),
        )
        for name, (P, Q, _, _) in pairs.items()
    ]
    return (
        Step(
            "loss falls in T",
            "q T = w/(1 + w) runs over (0, 1).",
            lhs=sp.Subs(sp.Derivative(loss, T), q, odds / ((1 + odds) * T)),
            rhs=sp.Integer(0),
            relation="<",
            witness=-(r + 1) * odds / (2 * T),
        ),
        Step("larger q", "q + v,", lhs=larger, rhs=q, relation=">=", witness=step),
        by_fact(
            "probabilities",
            "and T is stochastically larger there; P_0 does not depend on q.",
            "monotone likelihood ratio",
            {
                "family": smaller,
                "parameter": q,
                "larger": larger,
                "t": t,
                "log density": density,
                "argument": T,
                "at": (1 - left) / T,
            },
            {"ratio": "one order of T", "density": "family", "larger": "larger q"},
        ),
        *by_event,
        *at_larger,
        *ordered,
    )
