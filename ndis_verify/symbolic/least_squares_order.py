"""Private least squares below a cap on q: why the worst record has q = cap, for the normal law and for the finite-r
law.
"""

from __future__ import annotations

from functools import cache

import sympy as sp

from ndis_verify.symbolic import facts_of_statistics
from ndis_verify.symbolic.derivation import Conclusion, Derivation, Fault, Hypothesis, Step
from ndis_verify.symbolic.fact_steps import by_fact
from ndis_verify.symbolic.facts_of_statistics import left, value
from ndis_verify.symbolic.least_squares_order_steps import (
    RECORD,
    along_steps,
    backward_steps,
    d,
    epsilon,
    frame_steps,
    half_sphere_steps,
    one_above_0,
    r,
    threshold_steps,
)
from ndis_verify.symbolic.notation import held

X, Y, tau = sp.symbols("X Y tau", nonnegative=True)
_VARIABLES = {"X": X, "Y": Y, "tau": tau, "d": d, "r": r, "eps": epsilon}
_SKETCH = {
    "s": sp.Symbol("s", nonnegative=True),
    "q": sp.Symbol("q", positive=True),
    "u": sp.Symbol("u", real=True),
    "d": d,
    "r": r,
    "eps": epsilon,
}
_BELOW_THE_CAP = "0 <= p <= q <= cap < 1"
_VALUE, _SKETCHED_VALUE = "N24-T5-worst-value", "N24-6.3-worst-value"


@cache
def gaussian_order() -> Derivation:
    """Asymptotic law: along 1/y - 1/x = const, x = p/(1-p), y = (q-p)/(1-q), a record of smaller q is one of larger q
    with noise added (N24-T5).

    So every divergence of both directions grows along these curves, and each curve goes on to q = 1: below a cap the
    worst record has q = cap. `number`: the smaller q at `odds_p` = X, `odds_q` = Y of the larger and the length `tau`
    of the way between.
    """
    x, y = X / (1 + tau * X), Y / (1 + tau * Y)
    scale = (1 + tau * X) * (1 + tau * Y)
    steps = (
        *frame_steps(),
        *along_steps(X, Y, tau),
        Step(
            "q falls with tau",
            "1/(1-q) = (1+x)(1+y) falls along the curve, and q does.",
            lhs=sp.Derivative((1 + x) * (1 + y), tau),
            rhs=sp.Integer(0),
            relation="<=",
            witness=-(x**2 * (1 + y) + y**2 * (1 + x)),
        ),
        *backward_steps(),
        by_fact(
            "no record",
            "At x = y = 0, the one record without a curve, nothing is given away.",
            "one law twice",
            {"first": sp.Integer(1), "second": sp.Integer(1), "d": d, "epsilon": epsilon},
            {**dict.fromkeys(("first", "second"), one_above_0), "epsilon": "eps >= 0"},
        ),
        Step(
            "smaller q",
            "1 - 1/((1+x)(1+y)).",
            lhs=1 - 1 / ((1 + x) * (1 + y)),
            rhs=1 - (1 + tau * X) * (1 + tau * Y) / ((1 + X + tau * X) * (1 + Y + tau * Y)),
        ),
    )
    return Derivation(
        id="least_squares_order.gaussian_order",
        title="Asymptotic least squares: a record below the cap is a record on it with noise added",
        sources=("N24-T5", "N24-T4"),
        hypotheses=(Hypothesis(RECORD, of="least_squares"), Hypothesis("eps >= 0", epsilon >= 0)),
        steps=steps,
        result_step="smaller q",
        symbols={"odds_p": X, "odds_q": Y, "tau": tau},
        faults=(
            Fault("x and y exchanged in one scale", "first scale", lambda rhs: 1 / rhs),
            Fault("noise of one law only", "noise, smaller database", lambda rhs: 1 + X / scale),
            Fault("mean not rescaled", "noise, mean", lambda rhs: rhs * scale),
            Fault("q grows with tau", "q falls with tau", lambda rhs: rhs + x * y),
        ),
        concludes=(
            Conclusion("N24-T5-worst-case", "cost along the curve, deleted", _VARIABLES),
            Conclusion("N24-T5-worst-case", "cost along the curve, inserted", _VARIABLES),
            Conclusion("N24-T5-worst-case", "q falls with tau", part="q falls along the curve"),
            Conclusion("N24-T5-worst-case", "the cap is reached", part="every curve reaches the cap"),
            Conclusion("N24-T5-worst-case", "the cap is reached, x = y", part="also where x and y are equal"),
            Conclusion("N24-T5-worst-case", "no record", part="the one record without a curve costs nothing"),
            Conclusion("N24-T5-worst-case", "smaller q", part="the q of the smaller record"),
            *(
                Conclusion(_VALUE, f"cost along the curve, {order}", part=f"only q = cap, {order}")
                for order in ("deleted", "inserted")
            ),
        ),
    )


@cache
def finite_order() -> Derivation:
    """Finite-r law: at a fixed ratio p/q both directions grow with q at every epsilon (N24-T5, section 6.3).

    `number`: the leverage p cap/q of the record on the edge, at `leverage`, `augmented_leverage`, `cap`.
    """
    p, q, cap = sp.symbols("p q cap", positive=True)
    ratio, step = sp.symbols("s v", nonnegative=True)
    larger = sp.Symbol("u", real=True)
    density = -facts_of_statistics.loss(q, r)
    steps = (
        Step("v", "u is the larger q.", lhs=step, rhs=larger - q, kind="definition", premises=("q <= u",)),
        *half_sphere_steps(),
        Step(
            "direction",
            "e depends on s = p/q alone: e_0^2 = (q-p)/q.",
            lhs=sp.Subs((q - p) / q, p, ratio * q),
            rhs=1 - ratio,
        ),
        Step(
            "one direction",
            "So it is the same at q + v.",
            lhs=(q + step - ratio * (q + step)) / (q + step),
            rhs=(q - ratio * q) / q,
            kind="inference",
            premises=("direction",),
        ),
        Step(
            "family",
            "L = L0 + ((r+1)/2) log(1 - q T) (finite_loss): in the smaller database T has, relative to P_0, a density"
            " f_q proportional to (1 - q T)^{-(r+1)/2}.",
            lhs=sp.Subs(sp.Derivative(density, value), q, (1 - left) / value),
            rhs=((r + 1) / 2 * q / (1 - q * value)).subs(q, (1 - left) / value),
        ),
        Step(
            "one order of T",
            "log f_q has a positive mixed derivative: its derivative in q grows with T. (e = 1 - q T.)",
            lhs=sp.Subs(sp.Derivative(density, value, q), q, (1 - left) / value),
            rhs=sp.Integer(0),
            relation=">",
            witness=(r + 1) / (2 * left**2),
        ),
        *threshold_steps(q, ratio),
        Step(
            "ratio kept",
            "The record on the edge with the same ratio.",
            lhs=sp.Subs(ratio * cap, ratio, p / q),
            rhs=p * cap / q,
        ),
    )
    return Derivation(
        id="least_squares_order.finite_order",
        title="Sketched least squares at every r: at a fixed p/q the divergence grows with q",
        sources=("N24-T5",),
        hypotheses=(
            Hypothesis(RECORD, of="sketch"),
            Hypothesis("r >= d", r >= d),
            Hypothesis("s <= 1", ratio <= 1),
            Hypothesis("q <= u", q <= larger),
            Hypothesis("u < 1", larger < 1),
        ),
        steps=steps,
        result_step="ratio kept",
        symbols={"leverage": p, "augmented_leverage": q, "cap": cap},
        domain=(p <= q, q <= cap, cap < 1),
        faults=(
            Fault("density of the other law", "family", lambda rhs: -rhs),
            Fault("mixed derivative of the other sign", "one order of T", lambda rhs: rhs + (r + 1) / left**2),
            Fault("e depends on q", "direction", lambda rhs: rhs * q),
        ),
        concludes=(
            Conclusion("N24-6.3-worst-case", "deleted: order", _SKETCH),
            Conclusion("N24-6.3-worst-case", "inserted: order", _SKETCH),
            Conclusion("N24-6.3-worst-case", "ratio kept", part="the record on the edge"),
            *(
                Conclusion(
                    _SKETCHED_VALUE,
                    f"{order}: order",
                    part=f"only q = cap, {order}, for p = s q, s <= 1, q <= u and u < 1, u the cap",
                )
                for order in ("deleted", "inserted")
            ),
        ),
    )


@cache
def box_bound() -> Derivation:
    """What bounds the asymptotic divergence over low <= p <= high at q = cap: mean shift, noise, and a density bound C
    = (1-low)/(1-high).

    `number`: C at `inside` = 1 - high, `width` = high - low.
    """
    lam, more, eps, C = sp.symbols("lambda s epsilon C", positive=True)
    z, alpha, centre = sp.symbols("z alpha c", real=True)
    p, x = sp.symbols("p x", nonnegative=True)
    k, u, v = sp.symbols("k u v", positive=True)  # k = 1-q, u = 1-high, v = high-low
    q, bend = 1 - k, C - 1 / lam
    m = centre * (1 - lam)
    student = -centre * lam * bend  # m of the Student laws
    on_edge = x - k * x * (1 + x)
    steps = (
        Step(
            "log ratio",
            "N(m, lambda) against N(0, 1) in one coordinate: a parabola about c = m/(1-lambda).",
            lhs=-((z - m) ** 2) / (2 * lam) + z**2 / 2,
            rhs=(lam - 1) / (2 * lam) * (z - centre) ** 2 + centre**2 * (1 - lam) / 2,
        ),
        Step(
            "mean shift",
            "So S = {P > e^eps Q} is an interval with centre at m/(1-lambda) >= 0 (lambda < 1), the outside of one with"
            " centre at most 0 (lambda > 1), or z > const: in each case d delta/dm = -int_S p' = e^eps (q(a) - q(b)) >="
            " 0 at its ends, for every real eps. Other independent coordinates only average over eps: delta grows with"
            " m^2.",
            kind="argument",
            premises=("log ratio",),
        ),
        Step(
            "Student log ratio",
            "Student laws of one exponent: {P > e^eps Q} is {C (1 + z^2 + R) > 1 + (z-m)^2/lambda + R'}, along a line"
            " parallel to the shift a parabola about -(m/lambda)/(C - 1/lambda): the same three cases, so delta grows"
            " with m^2.",
            lhs=C * z**2 - (z - student) ** 2 / lam,
            rhs=bend * (z - centre) ** 2 - student**2 / lam - bend * centre**2,
            premises=("mean shift",),
        ),
        Step(
            "shift, delete",
            "p (q-p)/(1-q) is concave in p, largest at q/2.",
            lhs=sp.diff(p * (q - p) / k, p),
            rhs=2 * (q / 2 - p) / k,
            premises=("Student log ratio", _BELOW_THE_CAP),
        ),
        Step(
            "shift, insert",
            "x y/(1+y) on (1+x)(1+y) = 1/(1-q)",
            lhs=on_edge,
            rhs=(p * (q - p) / (1 - p) ** 2).subs(p, x / (1 + x)),
            premises=("Student log ratio", _BELOW_THE_CAP),
        ),
        Step(
            "shift, insert, vertex",
            "is concave in x, largest at x = q/(2(1-q)), p = q/(2-q).",
            lhs=sp.diff(on_edge, x).subs(x, p / (1 - p)).subs(p, q / (2 - q)),
            rhs=sp.Integer(0),
            premises=("shift, insert",),
        ),
        Step(
            "noise",
            "A coordinate without shift: noise of variance s brings alpha nearer to 0, so delta grows with |alpha| on"
            " either side.",
            lhs=(1 + alpha + more) / (1 + more) - 1,
            rhs=alpha / (1 + more),
        ),
        Step(
            "density bound",
            "lambda' = lambda + s: N(m, lambda) is at most sqrt(lambda'/lambda) times N(m, lambda'), a Student law"
            " likewise with the ratio of determinants, as",
            lhs=1 / lam - 1 / (lam + more),
            rhs=sp.Integer(0),
            relation=">=",
            witness=more / (lam * (lam + more)),
        ),
        Step(
            "from P <= C P'",
            "int (P - e^eps Q)_+ <= C int (P' - e^{eps - log C} Q)_+.",
            lhs=C * sp.exp(eps - held(sp.log(C))),
            rhs=sp.exp(eps),
            premises=("density bound",),
        ),
        Step(
            "constant, insert",
            "lambda = (1-q)/(1-p)^2, largest at the high end: C^2.",
            lhs=held(held(u) + held(v)) ** 2 / held(u) ** 2,
            rhs=(k / u**2) / (k / (u + v) ** 2),
            premises=("density bound", _BELOW_THE_CAP),
        ),
        Step(
            "constant, delete",
            "lambda = (1-p)^2/(1-q), largest at the low end: C^2.",
            lhs=held(held(u) + held(v)) ** 2 / held(u) ** 2,
            rhs=((u + v) ** 2 / k) / (u**2 / k),
            premises=("density bound", _BELOW_THE_CAP),
        ),
        Step(
            "constant",
            "C = (1-low)/(1-high).",
            lhs=sp.sqrt(held(u + v) ** 2 / u**2),
            rhs=(u + v) / u,
            premises=("from P <= C P'", "constant, insert", "constant, delete"),
        ),
    )
    return Derivation(
        id="least_squares_order.box_bound",
        title="A bound on the divergence over all records of an interval of leverages",
        sources=("N24-T5",),
        hypotheses=(_BELOW_THE_CAP,),
        steps=steps,
        result_step="constant",
        symbols={"inside": u, "width": v},
        faults=(
            Fault("centre on the other side", "log ratio", lambda rhs: rhs.subs(centre, -centre)),
            Fault("Student centre on the other side", "Student log ratio", lambda rhs: rhs.subs(centre, -centre)),
            Fault("shift largest at q", "shift, delete", lambda rhs: 2 * (q - p) / k),
            Fault("noise squared", "noise", lambda rhs: rhs / (1 + more)),
            Fault("eps raised", "from P <= C P'", lambda rhs: rhs * C),
            Fault("root forgotten", "constant", lambda rhs: rhs**2),
        ),
        concludes=tuple(
            Conclusion(claim, end, part=f"bounds over boxes of leverages at q = cap: {part}")
            for claim in (_VALUE, _SKETCHED_VALUE)
            for end, part in (
                ("shift, delete", "the largest shift, delete"),
                ("shift, insert, vertex", "the largest shift, insert"),
                ("noise", "the scale of a coordinate without shift"),
                ("constant", "the constant of the densities"),
            )
        ),
    )


@cache
def base_change() -> Derivation:
    """Finite-r law at fixed q: between leverages p and p1 the density of T changes by at most ((q-p)/(q-p1))^{k/2} or
    (p/p1)^{k/2}, k = r - d.

    `number`: the constant part of the loss, L0(p) - L0(p1) = (k/2) log((1-p)/(1-p1)), at `leverage`, `step` = p1 - p,
    `extra_rows` = k.
    """
    t, s, xi = sp.symbols("t s xi", real=True)
    p, k, step, room = sp.symbols("p k e f", positive=True)  # p1 = p + e, q = p1 + f
    other, q = p + step, p + step + room
    sin, cos = sp.sqrt(p / q), sp.sqrt((q - p) / q)
    sin1, cos1 = sp.sqrt(other / q), sp.sqrt((q - other) / q)
    constant = lambda at: (k * sp.log(1 - at) - (k + 1) * sp.log(1 - q)) / 2  # noqa: E731
    steps = (
        Step(
            "density of T",
            "Given t = sqrt(T), y_0 = cos t + sin s xi, s = sqrt(1 - t^2), sin^2 = p/q, xi a coordinate of a uniform"
            " direction in R^d: the density of T has the factor E |cos t + sin s xi|^k, the rest the same for every p.",
            kind="argument",
            premises=(_BELOW_THE_CAP, "r >= d"),
        ),
        Step(
            "p raised",
            "Divide the cosine out,",
            lhs=cos * t + sin * s * xi,
            rhs=cos / cos1 * (cos1 * t + sin * cos1 / cos * s * xi),
            premises=("density of T",),
        ),
        Step(
            "smaller multiple of xi",
            "sin cos1/cos <= sin1, in squares;",
            lhs=sin1**2 - sin**2 * cos1**2 / cos**2,
            rhs=sp.Integer(0),
            relation=">=",
            witness=step / (step + room),
            premises=("p raised",),
        ),
        Step(
            "p lowered",
            "or the sine.",
            lhs=cos1 * t + sin1 * s * xi,
            rhs=sin1 / sin * (cos1 * sin / sin1 * t + sin * s * xi),
            premises=("density of T",),
        ),
        Step(
            "smaller multiple of t",
            "cos1 sin/sin1 <= cos, in squares.",
            lhs=cos**2 - cos1**2 * sin**2 / sin1**2,
            rhs=sp.Integer(0),
            relation=">=",
            witness=step / (p + step),
            premises=("p lowered",),
        ),
        Step(
            "convexity",
            "xi is symmetric, so E |a + b xi|^k grows with |b| and, as it is even in a and convex, with |a| (k >= 1; k"
            " = 0 is constant). The factors are (cos/cos1)^k and (sin1/sin)^k.",
            kind="argument",
            premises=("smaller multiple of xi", "smaller multiple of t"),
        ),
        Step(
            "factor, p raised",
            "(cos/cos1)^2.",
            lhs=held(cos) ** 2 / held(cos1) ** 2,
            rhs=(q - p) / (q - other),
            premises=("convexity",),
        ),
        Step(
            "factor, p lowered",
            "(sin1/sin)^2.",
            lhs=held(sin1) ** 2 / held(sin) ** 2,
            rhs=other / p,
            premises=("convexity",),
        ),
        Step(
            "loss",
            "Given T the two losses differ by a constant: L0 = ((r-d) log(1-p) - (r-d+1) log(1-q))/2 (finite_loss).",
            lhs=(constant(p) - constant(other)).expand(),
            rhs=k / 2 * (sp.log(1 - p) - sp.log(1 - other)),
            premises=(_BELOW_THE_CAP, "r >= d"),
        ),
    )
    return Derivation(
        id="least_squares_order.base_change",
        title="Sketched least squares: how the law of T changes with the leverage at fixed q",
        sources=("N24-T5",),
        hypotheses=(_BELOW_THE_CAP, "r >= d"),
        steps=steps,
        result_step="loss",
        symbols={"leverage": p, "step": step, "extra_rows": k},
        domain=(p + step < 1,),
        faults=(
            Fault("cosines exchanged", "p raised", lambda rhs: rhs * cos1**2 / cos**2),
            Fault("multiple of xi grows", "smaller multiple of xi", lambda rhs: rhs + 2 * step / (step + room)),
            Fault("factor not squared", "factor, p lowered", lambda rhs: sp.sqrt(rhs)),
            Fault("loss counted twice", "loss", lambda rhs: 2 * rhs),
        ),
        concludes=tuple(
            Conclusion(_SKETCHED_VALUE, end, part=f"bounds from an end of a box, 0 < p < p1 < q: {part}")
            for end, part in (
                ("factor, p raised", "the density of T, p raised"),
                ("factor, p lowered", "the density of T, p lowered"),
                ("loss", "the loss given T"),
            )
        ),
    )
