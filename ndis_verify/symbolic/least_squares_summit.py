"""Sketched least squares at every r: the worst record below a cap, in closed form."""

from __future__ import annotations

from functools import cache

import sympy as sp

from ndis_verify.symbolic.derivation import Derivation, Fault, Step
from ndis_verify.symbolic.fact_steps import by_fact
from ndis_verify.symbolic.notation import held, in_polar

psi, theta = sp.symbols("psi theta", positive=True)
xi = sp.Symbol("xi", real=True)
epsilon = sp.Symbol("epsilon", nonnegative=True)
edge = sp.Symbol("a", positive=True)
d, r, k = sp.symbols("d r k", positive=True)
left, inside, small = sp.symbols("u v u_q", positive=True)  # 1 - p, e = 1 - q T, 1 - q


def _flow_steps() -> tuple[Step, ...]:
    """How the law of T moves with p."""
    g = sp.cos(theta) * sp.cos(psi) + sp.sin(theta) * sp.sin(psi) * xi
    weight = sp.sin(psi) ** (d - 1) * (1 - xi**2) ** ((d - 3) / 2)
    along, across = xi, (1 - xi**2) * sp.cot(psi)
    carried = lambda field: weight * field * g**k  # noqa: E731
    return (
        Step(
            "first coordinate",
            "y = cos(psi) e + sin(psi) w, w a unit vector across e; sin(theta)^2 = p/q, xi is w's coordinate along the"
            " part of the first axis across e: y_0 = g. In the larger database T = (y^T e)^2 = cos(psi)^2, y has a"
            " density proportional to |y_0|^k, k = r - d (finite_order); y and -y give one T.",
            lhs=sp.Matrix([[sp.cos(psi), sp.sin(psi) * held(xi)]]) * sp.Matrix([sp.cos(theta), sp.sin(theta)]),
            rhs=sp.Matrix([[g]]),
        ),
        by_fact(
            "law of T",
            "(psi, xi), 0 <= psi <= pi/2, has a density proportional to W |g|^k, W = sin(psi)^{d-1} (1-xi^2)^{(d-3)/2},"
            " by a constant that does not depend on theta.",
            "polar coordinates of a sphere",
            {"f": sp.Abs(g) ** k, "psi": psi, "xi": xi, "d": d},
            {"density": "first coordinate"},
        ),
        Step(
            "density in psi and xi",
            "That is W |g|^k.",
            lhs=in_polar(sp.Abs(g) ** k),
            rhs=weight * sp.Abs(g) ** k,
            kind="inference",
            premises=("law of T",),
        ),
        Step(
            "rotation",
            "A change of theta turns the sphere: with the field V = xi d/dpsi + (1-xi^2) cot(psi) d/dxi, dg/dtheta ="
            " -V g.",
            lhs=sp.diff(g, theta),
            rhs=-(along * sp.diff(g, psi) + across * sp.diff(g, xi)),
        ),
        Step(
            "no sources",
            "V keeps W: its divergence is 0.",
            lhs=sp.simplify(sp.diff(weight * along, psi) / weight),
            rhs=sp.simplify(-sp.diff(weight * across, xi) / weight),
        ),
        Step(
            "carried",
            "So W g^k is carried by V (where g < 0, so is W (-g)^k).",
            lhs=sp.Derivative(weight * g**k, theta),
            rhs=-sp.Derivative(carried(along), psi) - sp.Derivative(carried(across), xi),
            reduce=lambda left, right: sp.expand(sp.simplify((left - right) / (weight * g ** (k - 1)))),
        ),
        Step(
            "far edge",
            "What leaves at psi = pi/2 is odd in xi,",
            lhs=sp.Subs(_at_far_edge(xi), xi, -xi),
            rhs=-_at_far_edge(xi),
        ),
        Step(
            "sides",
            "and nothing does at xi = 1 and -1 (d > 1).",
            lhs=sp.Subs(1 - xi**2, xi, 1) ** 2 + sp.Subs(1 - xi**2, xi, -1) ** 2,
            rhs=sp.Integer(0),
        ),
        by_fact(
            "flux",
            "d/dtheta Pr[psi > a] is, up to the constant, sin(a)^{d-1} times the integral of xi (1-xi^2)^{(d-3)/2}"
            " |g|^k at psi = a.",
            "flux through an edge",
            {"f": weight, "g": g, "k": k, "psi": psi, "xi": xi, "t": theta, "u": along, "v": across, "edge": edge},
            {"carried": "carried", "far edge": "far edge", "sides": "sides"},
        ),
        *_flux_sign_steps(),
    )


def _at_far_edge(at: sp.Expr) -> sp.Expr:
    return (1 - at**2) ** ((d - 3) / 2) * at * sp.Abs(sp.sin(theta) * at) ** k


def _flux_sign_steps() -> tuple[Step, ...]:
    """What comes in at psi = a is not negative: |A + B xi| >= |A - B xi| for A, B, xi > 0."""
    A, B, size = sp.symbols("A B x", positive=True)
    even = (1 - xi**2) ** ((d - 3) / 2)
    return (
        Step("even", "The weight is even in xi;", lhs=sp.Subs(even, xi, -xi), rhs=even),
        Step(
            "order of the sides",
            "A = cos(theta) cos(a), B = sin(theta) sin(a): (A + B x)^2 - (A - B x)^2 = 4 A B x.",
            lhs=(A + B * size) ** 2,
            rhs=(A - B * size) ** 2,
            relation=">=",
            witness=4 * A * B * size,
        ),
        by_fact(
            "sign of the flux",
            "So it is not negative (and 0 for k = 0).",
            "more on the one side",
            {"w": even, "h": A + B * xi, "k": k, "xi": xi, "size": size},
            {"even": "even", "order": "order of the sides"},
        ),
    )


def _pair_steps() -> tuple[Step, ...]:
    """The smaller database's law is one of the same family, and its flux a multiple of the other by an elementary
    factor.
    """
    q = sp.Symbol("q", positive=True)
    cos, sin, C, S = sp.symbols("c s C S", positive=True)  # of theta and psi, c^2 + s^2 = C^2 + S^2 = 1
    turned = lambda a, b, size: (a / sp.sqrt(size), sp.sqrt(small) * b / sp.sqrt(size))  # noqa: E731
    (cos_theta, sin_theta), (sin_psi, cos_psi) = turned(cos, sin, left), turned(S, C, inside)
    x = sp.Symbol("x", positive=True)  # a tangent
    return (
        Step(
            "angles",
            "In the smaller database take tan psi' = tan psi/sqrt(1-q) and tan theta' = sqrt(1-q) tan theta:"
            " sin(theta)^2 = p/q.",
            kind="definition",
        ),
        Step(
            "cosine of psi'",
            "cos^2 + sin^2 = 1 with sin psi' = sin(psi)/sqrt(e), cos psi' = sqrt(1-q) cos(psi)/sqrt(e), e = 1 - q"
            " cos(psi)^2 = 1 - q T;",
            lhs=(cos_psi**2 + sin_psi**2).subs({S: sp.sqrt(1 - C**2), small: 1 - q}),
            rhs=(1 - q * C**2) / inside,
        ),
        Step(
            "cosine of theta'",
            "likewise cos theta' = cos(theta)/sqrt(1-p), sin theta' = sqrt(1-q) sin(theta)/sqrt(1-p), 1 - p = 1 - q"
            " sin(theta)^2.",
            lhs=(cos_theta**2 + sin_theta**2).subs({cos: sp.sqrt(1 - sin**2), small: 1 - q}),
            rhs=(1 - q * sin**2) / left,
        ),
        Step(
            "g'",
            "g' is g times sqrt((1-q)/(e (1-p))).",
            lhs=cos_theta * cos_psi + sin_theta * sin_psi * xi,
            rhs=sp.sqrt(small / (inside * left)) * (cos * C + sin * S * xi),
        ),
        Step(
            "slope of psi'",
            "d psi'/d psi = sqrt(1-q)/e, in x = tan psi (cos(psi)^2 = 1/(1+x^2));",
            lhs=sp.diff(sp.atan(x / sp.sqrt(1 - q)), x) * (1 + x**2),
            rhs=sp.sqrt(1 - q) / (1 - q / (1 + x**2)),
        ),
        Step(
            "slope of theta'",
            "d theta'/d theta = sqrt(1-q)/(1-p), in x = tan theta.",
            lhs=sp.diff(sp.atan(x * sp.sqrt(1 - q)), x) * (1 + x**2),
            rhs=sp.sqrt(1 - q) / (1 - q * x**2 / (1 + x**2)),
        ),
        Step(
            "the loss",
            "So the law of theta' in psi' has, in psi, the density of the larger database times e^{-L}, L = (k log(1-p)"
            " - (k+1) log(1-q) + (r+1) log(1-qT))/2: the smaller database (finite_loss).",
            lhs=sp.expand_log(
                sp.log(inside ** (-(r - k - 1) / 2) * (small / (inside * left)) ** (k / 2) * sp.sqrt(small) / inside),
                force=True,
            ),
            rhs=-(k * sp.log(left) - (k + 1) * sp.log(small) + (r + 1) * sp.log(inside)) / 2,
        ),
    )


@cache
def worst_record() -> Derivation:
    """Finite-r law, q = cap: the worst record has p = 1 - e^{-t} "delete", 1 - p = (1-q) e^t "insert", t = 2 (M -
    epsilon)/(r + k + 1), k = r - d.

    M = (k+1)/2 log(1/(1-q)) "delete", r/2 log(1/(1-q)) "insert", the largest loss of all records of that q; where M <=
    epsilon none costs anything. `number`: p of "delete" at `augmented_leverage`, `r`, `extra_rows` = k, `epsilon`.
    """
    q = sp.Symbol("q", positive=True)
    p, T = sp.symbols("p T", positive=True)
    l, sign = sp.Symbol("l", positive=True), sp.Symbol("sigma", real=True)  # noqa: E741 - l = log(1/(1-q)); sigma = epsilon, or -epsilon for "insert"
    log_edge = (2 * sign - (k + 1) * l - k * sp.log(1 - p)) / (r + 1)
    summit = (2 * sign - (k + 1) * l) / (r + k + 1)
    room = (2 * epsilon + r * l) / (r + k + 1)
    top, excess = sp.Symbol("M", positive=True), sp.Symbol("x", nonnegative=True)
    steps = (
        *_flow_steps(),
        *_pair_steps(),
        Step(
            "slope, delete",
            "delta = Pr[T < tau] - e^eps Pr'[T < tau] with L = eps at tau, where its derivative in tau is 0. The two"
            " fluxes differ by the factor e^{-L} (e/sqrt(1-q)) d theta'/d theta: e^{-L} e/(1-p).",
            lhs=held(inside) / sp.sqrt(small) * sp.sqrt(small) / held(left),
            rhs=inside / left,
        ),
        Step(
            "sign",
            "So d delta/dp has the sign of 1 - e/(1-p), that of q tau - p. Insert: delta = Pr'[T > tau] - e^eps Pr[T >"
            " tau] at L = -eps, the same sign.",
            lhs=1 - (1 - q * T) / (1 - p),
            rhs=(q * T - p) / (1 - p),
        ),
        Step(
            "threshold",
            "L = sigma, sigma = eps or -eps, gives log e = (2 sigma - (k+1) l - k log(1-p))/(r+1), l = log(1/(1-q)).",
            lhs=held(k * sp.log(1 - p) + held(k + 1) * l + held(r + 1) * log_edge) / 2,
            rhs=sign,
        ),
        Step(
            "e grows with p",
            "q tau = 1 - e falls while p grows: the sign changes once, from + to -, and delta has one summit, at q tau"
            " = p.",
            lhs=sp.diff(log_edge, p).subs(p, 1 - left),
            rhs=sp.Integer(0),
            relation=">",
            witness=k / ((r + 1) * left),
        ),
        Step("summit", "There e = 1 - p:", lhs=log_edge.subs(sp.log(1 - p), summit), rhs=summit),
        Step(
            "insert",
            "1 - p = (1-q) e^t,",
            lhs=summit.subs(sign, -epsilon),
            rhs=-l + 2 * (r * l / 2 - epsilon) / (r + k + 1),
        ),
        Step("p <= q, delete", "t is at most l: l - t =", lhs=l + summit.subs(sign, epsilon), rhs=room),
        Step(
            "in the range, delete",
            "t <= l, so p = 1 - e^{-t} <= q,",
            lhs=l + summit.subs(sign, epsilon),
            rhs=sp.Integer(0),
            relation=">=",
            witness=room,
        ),
        Step(
            "in the range, insert",
            "and p = 1 - (1-q) e^t >= 0, as the same t for insert is at most l too.",
            lhs=l - 2 * (r * l / 2 - epsilon) / (r + k + 1),
            rhs=sp.Integer(0),
            relation=">=",
            witness=(2 * epsilon + (k + 1) * l) / (r + k + 1),
        ),
        Step(
            "where t <= 0",
            "t = 2 (M - eps)/(r + k + 1) is not positive where eps = M + x, M the largest loss of all records of that q"
            " (finite_loss): there no loss exceeds eps.",
            lhs=2 * (top - (top + excess)) / (r + k + 1),
            rhs=sp.Integer(0),
            relation="<=",
            witness=-2 * excess / (r + k + 1),
        ),
        Step(
            "M, delete",
            "L0 = ((r-d) log(1-p) - (r-d+1) log(1-q))/2 is largest at p = 0,",
            lhs=((k + 1) * l + k * sp.log(1 - p)).subs(p, 1 - 1 / (1 + excess)) / 2,
            rhs=(k + 1) * l / 2,
            relation="<=",
            witness=-k * sp.log(1 + excess) / 2,
        ),
        Step(
            "M, insert",
            "and that of insert, ((r-d) log 1/(1-p) + d log 1/(1-q))/2 with log 1/(1-p) = l - x, at p = q.",
            lhs=(k * (l - excess) + (r - k) * l) / 2,
            rhs=r * l / 2,
            relation="<=",
            witness=-k * excess / 2,
        ),
        Step(
            "worst record",
            "p = 1 - e^{-t}.",
            lhs=1 - sp.exp(sp.Subs(summit.subs(sign, epsilon), l, sp.log(1 / (1 - q)))),
            rhs=1 - sp.exp(-2 * ((k + 1) * sp.log(1 / (1 - q)) / 2 - epsilon) / (r + k + 1)),
        ),
    )
    return Derivation(
        id="least_squares_summit.worst_record",
        title="Sketched least squares at every r: the worst record below a cap in closed form",
        sources=("N24-T5",),
        hypotheses=("[B b] and its neighbour of full column rank", "0 <= p <= q < 1", "r >= d", "epsilon >= 0"),
        steps=steps,
        result_step="worst record",
        symbols={"augmented_leverage": q, "r": r, "extra_rows": k, "epsilon": epsilon},
        domain=(q < 1,),
        faults=(
            Fault("turned the other way", "rotation", lambda rhs: -rhs),
            Fault("sources", "no sources", lambda rhs: rhs + xi),
            Fault("g' without its factor", "g'", lambda rhs: rhs / 2),
            Fault("slopes exchanged", "slope, delete", lambda rhs: 1 / rhs),
            Fault("sign of the other order", "sign", lambda rhs: -rhs),
            Fault("summit by the normal law", "summit", lambda rhs: rhs * (r + k + 1) / (2 * r)),
            Fault("loss of insert at p = 0", "insert", lambda rhs: rhs - 2 * (k * l / 2) / (r + k + 1)),
            Fault(
                "loss of every row",
                "worst record",
                lambda rhs: 1 - sp.exp(-2 * (r * sp.log(1 / (1 - q)) / 2 - epsilon) / (r + k + 1)),
            ),
        ),
        covers={"N24-T5": "part: the worst record at every r"},
    )
