"""The NDIS lemma: the privacy loss of two Gaussians as a quadratic form, and the divergence as its hinge
expectation.
"""

from __future__ import annotations

from functools import cache

import sympy as sp

from ndis_verify.symbolic.block_algebra import BlockAlgebra, letter
from ndis_verify.symbolic.derivation import Derivation, Fault, Step

z, h, epsilon = sp.symbols("z h epsilon", real=True)
lam = sp.Symbol("lambda", positive=True)

# The (a, b, c) of one coordinate: lambda is the eigenvalue of the relative covariance, h the whitened mean shift.
a_of = 1 - lam
b_of = -lam * h
c_of = sp.log(lam) / 2 - lam * h**2 / 2


def _log_normal(x: sp.Expr, mean: sp.Expr, variance: sp.Expr) -> sp.Expr:
    return -((x - mean) ** 2) / (2 * variance) - sp.log(2 * sp.pi * variance) / 2


def _whitening() -> BlockAlgebra:
    """Letters of the change of variables x = m1 + R U z with R = S1^{1/2}, K = S2^{-1}, U orthogonal, g = m1 - m2."""
    names = "R Ri K U Ut z zt g gt"
    R, Ri, K, U, Ut, v, vt, g, gt = (letter(name) for name in names.split())
    rules = {
        (Ut, U): 1,
        (U, Ut): 1,
        (R, Ri): 1,
        (Ri, R): 1,
        # A 1 x 1 matrix is its own transpose; R and K are symmetric.
        (vt, Ut, R, K, g): gt * K * R * U * v,
    }
    root = sp.Matrix([[2, 1], [1, 3]])
    turn = sp.Matrix([[3, -4], [4, 3]]) / 5
    at, shift = sp.Matrix([1, -2]), sp.Matrix([3, 5])
    model = {
        R: root,
        Ri: root.inv(),
        K: sp.Matrix([[5, 2], [2, 4]]),
        U: turn,
        Ut: turn.T,
        v: at,
        vt: at.T,
        g: shift,
        gt: shift.T,
    }
    return BlockAlgebra(rules, model)


def _matrix_steps() -> tuple[Step, Step]:
    algebra = _whitening()
    R, Ri, K, U, Ut, v, vt, g, gt = algebra.model
    spread = Step(
        "whitening of P, any d",
        "With x = m1 + S1^{1/2} U z the exponent of p is that of a standard normal vector: (x-m1)^T S1^{-1} (x-m1) ="
        " z^T z.",
        lhs=(vt * Ut * R) * (Ri * Ri) * (R * U * v),
        rhs=vt * v,
        algebra=algebra,
    )
    a_form = Ut * (1 - R * K * R) * U
    other = Step(
        "exponent of Q, any d",
        "(x-m2)^T S2^{-1} (x-m2) = z^T (I - U^T A U) z - 2 b^T z + g^T S2^{-1} g, with A = I - S1^{1/2} S2^{-1}"
        " S1^{1/2}, b = -U^T S1^{1/2} S2^{-1} g and g = m1 - m2.",
        lhs=(gt + vt * Ut * R) * K * (g + R * U * v),
        rhs=vt * (1 - a_form) * v - 2 * (-gt * K * R * U) * v + gt * K * g,
        algebra=algebra,
    )
    return spread, other


def _explicit_step() -> Step:
    """The whole of log p/q for d = 2: symmetric root R of S1, S2 = (Cholesky factor)(its transpose), a rational
    rotation.
    """
    r1, r2, l1, l2 = sp.symbols("r1 r2 l1 l2", positive=True)
    r3, l3, t, z1, z2, g1, g2 = sp.symbols("r3 l3 t z1 z2 g1 g2", real=True)
    R = sp.Matrix([[r1, r3], [r3, r2]])
    S1, L = R * R, sp.Matrix([[l1, 0], [l3, l2]])
    S2, U = L * L.T, sp.Matrix([[1 - t**2, -2 * t], [2 * t, 1 - t**2]]) / (1 + t**2)
    Z, g = sp.Matrix([z1, z2]), sp.Matrix([g1, g2])
    x = R * U * Z
    K = (S2.adjugate() / S2.det()).applyfunc(sp.cancel)
    log_dets = sp.log(S1.det() / S2.det()) / 2
    exponent_p = (x.T * (S1.adjugate() / S1.det()) * x)[0] / 2
    loss = -exponent_p + ((x + g).T * K * (x + g))[0] / 2 - log_dets
    A = sp.eye(2) - R * K * R
    b = -U.T * R * K * g
    c = log_dets - (g.T * K * g)[0] / 2
    form = c + (b.T * Z)[0] + (Z.T * U.T * A * U * Z)[0] / 2
    return Step(
        "log p/q, d = 2 in full",
        "Every entry symbolic: S1 = R^2 with R symmetric, S2 = L L^T, U a rotation with rational entries in t.",
        lhs=loss,
        rhs=-form,
        reduce=lambda left, right: sp.numer(sp.together(left - right)),
    )


@cache
def log_density_ratio() -> Derivation:
    """`q_eps = eps - log p/q = eps + c + b^T z + z^T diag(a) z/2` (N26-L1, N24-T1).

    `number`: q_eps of one coordinate at eigenvalue `lam` > 0, whitened mean shift `h`, point `z`, and `epsilon`.
    """
    loss = _log_normal(z, 0, 1) - _log_normal(z, -h, 1 / lam)
    spread, other = _matrix_steps()
    steps = (
        Step(
            "coordinates",
            "x = m1 + S1^{1/2} U z, U diagonalises A = I - S1^{1/2} S2^{-1} S1^{1/2}. Under P, z is N(0, I). In the"
            " same coordinates Q is N(-h, diag(1/lambda)) with lambda_i = 1 - a_i > 0 and h = U^T S1^{-1/2} (m1 - m2).",
            kind="definition",
        ),
        spread,
        other,
        _explicit_step(),
        Step(
            "one coordinate",
            "L = log p/q is additive over independent coordinates; this is one of them.",
            lhs=loss,
            rhs=-(c_of + b_of * z + a_of * z**2 / 2),
        ),
        Step(
            "sum of c",
            "c = (1/2) log(det S1/det S2) - ..., and det S1/det S2 = prod lambda_i = prod (1 - a_i).",
            lhs=c_of,
            rhs=sp.log(1 - a_of) / 2 - b_of**2 / (2 * (1 - a_of)),
        ),
        Step("shifted loss", "q_eps = eps - L.", lhs=epsilon - loss, rhs=epsilon + c_of + b_of * z + a_of * z**2 / 2),
    )
    return Derivation(
        id="ndis_lemma.log_density_ratio",
        title="The privacy loss of two Gaussians is a quadratic form in a standard normal vector",
        sources=("N26-L1", "N24-T1"),
        hypotheses=("S1, S2 symmetric positive definite", "U orthogonal, diagonalises A"),
        steps=steps,
        result_step="shifted loss",
        symbols={"lam": lam, "h": h, "z": z, "epsilon": epsilon},
        faults=(
            Fault("sign of b flipped", "shifted loss", lambda rhs: rhs - 2 * b_of * z),
            Fault("half of the log determinant dropped", "shifted loss", lambda rhs: rhs - sp.log(lam) / 4),
            Fault("P and Q swapped", "one coordinate", lambda rhs: -rhs),
            Fault("sign of b flipped, any d", "exponent of Q, any d", _flip_linear),
            Fault(
                "rotation left out of A, d = 2",
                "log p/q, d = 2 in full",
                lambda rhs: rhs.subs(sp.Symbol("t", real=True), 0),
            ),
        ),
        covers={
            "N26-L1": "whole: q_eps = eps - L with (A, b, c), any d",
            "N24-T1": "whole: q_eps = eps - L with (A, b, c), any d",
        },
    )


def _flip_linear(rhs: sp.Expr) -> sp.Expr:
    R, Ri, K, U, Ut, v, vt, g, gt = (letter(name) for name in ["R", "Ri", "K", "U", "Ut", "z", "zt", "g", "gt"])
    return rhs - 4 * gt * K * R * U * v


@cache
def hockey_stick() -> Derivation:
    """`sup_S P(S) - e^eps Q(S) = E[max(0, 1 - exp q_eps(Z))]`, attained at S* = {L > eps} (N26-L1, N24-T1).

    `number`: the hinge max(0, 1 - exp q) at one value `q` of the shifted loss.
    """
    p, density_q = sp.symbols("p q", positive=True)
    gap, loss, q_eps = sp.symbols("x L q_eps", real=True)
    positive, negative = sp.Symbol("x_pos", positive=True), sp.Symbol("x_neg", nonpositive=True)
    hinge = lambda value: sp.Max(value, 0)  # noqa: E731
    signed = lambda left, right: (left - right).rewrite(sp.Abs)  # noqa: E731
    inside = lambda left, right: left.subs(gap, positive) - right.subs(gap, positive)  # noqa: E731
    outside = lambda left, right: left.subs(gap, negative) - right.subs(gap, negative)  # noqa: E731
    steps = (
        Step(
            "gap",
            "x = p - e^eps q, the integrand of P(S) - e^eps Q(S).",
            lhs=gap,
            rhs=p - sp.exp(epsilon) * density_q,
            kind="definition",
        ),
        Step(
            "a point put into S",
            "counts x, at most max(x, 0).",
            lhs=hinge(gap),
            rhs=gap,
            relation=">=",
            witness=sp.Max(-gap, 0),
        ),
        Step(
            "a point left out of S",
            "counts 0, at most max(x, 0).",
            lhs=hinge(gap),
            rhs=sp.Integer(0),
            relation=">=",
            witness=hinge(gap),
        ),
        Step("S* takes x > 0", "where L > eps the bound is attained.", lhs=hinge(gap), rhs=gap, reduce=inside),
        Step(
            "S* leaves x <= 0",
            "where L <= eps it is attained by leaving the point out; ties x = 0 count 0 either way.",
            lhs=hinge(gap),
            rhs=sp.Integer(0),
            reduce=outside,
        ),
        Step(
            "sup over S",
            "Integrating the pointwise bound: P(S) - e^eps Q(S) <= int max(x, 0) for every measurable S, with equality"
            " at S* = {L > eps}.",
            kind="argument",
        ),
        Step(
            "gap in terms of q_eps",
            "x = p (1 - exp(eps - log p/q)).",
            lhs=p - sp.exp(epsilon) * density_q,
            rhs=p * (1 - sp.exp(epsilon - sp.log(p / density_q))),
        ),
        Step(
            "S* in terms of q_eps",
            "x > 0 exactly where q_eps = eps - L < 0, because p > 0 and x/p = 1 - exp q_eps.",
            lhs=1 - (density_q / p) * sp.exp(epsilon),
            rhs=1 - sp.exp(epsilon - sp.log(p / density_q)),
        ),
        Step(
            "expectation under P",
            "p(x) dx is the law of m1 + S1^{1/2} U Z with Z ~ N(0, I), so int p max(0, 1 - exp q_eps) = E[max(0, 1 -"
            " exp q_eps(Z))].",
            kind="argument",
        ),
        Step(
            "hinge",
            "max(p y, 0) = p max(y, 0) for p > 0, at y = 1 - exp q_eps.",
            lhs=sp.Max(p * (1 - sp.exp(q_eps)), 0) / p,
            rhs=sp.Max(0, 1 - sp.exp(q_eps)),
            reduce=signed,
        ),
    )
    return Derivation(
        id="ndis_lemma.hockey_stick",
        title="The hockey-stick divergence is the hinge expectation of the shifted privacy loss",
        sources=("N26-L1", "N24-T1", "KM-2.2"),
        hypotheses=("p, q densities, positive", "real eps"),
        steps=steps,
        result_step="hinge",
        symbols={"q": q_eps},
        faults=(
            Fault(
                "direction of the loss swapped",
                "gap in terms of q_eps",
                lambda rhs: p * (1 - sp.exp(epsilon + sp.log(p / density_q))),
            ),
            Fault("hinge without its zero", "hinge", lambda rhs: 1 - sp.exp(q_eps)),
            Fault("S* complemented", "S* leaves x <= 0", lambda rhs: gap),
            Fault("factor e^eps dropped", "S* in terms of q_eps", lambda rhs: 1 - sp.exp(-sp.log(p / density_q))),
        ),
        covers={
            "N26-L1": "whole: delta = E[max(0, 1 - exp q_eps)]",
            "N24-T1": "whole: delta = E[max(0, 1 - exp q_eps)]",
        },
    )
