"""The NDIS lemma: the privacy loss of two Gaussians as a quadratic form, and the divergence as its hinge
expectation.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import sympy as sp

from ndis_verify.symbolic.block_algebra import BlockAlgebra, letter
from ndis_verify.symbolic.derivation import Conclusion, Derivation, Fault, Step, Use
from ndis_verify.symbolic.fact_steps import a_density, by_fact, inferred, over_sets
from ndis_verify.symbolic.normal_images import (
    DENSITIES,
    K,
    Q,
    R,
    Ri,
    U,
    Ut,
    at_image,
    exponent_p,
    exponent_q,
    g,
    gt,
    log_det_1,
    log_det_2,
    p,
    q,
    zt,
)
from ndis_verify.symbolic.notation import largest, normal_mean, scalar, total, transpose, x
from ndis_verify.symbolic.notation import z as vector

z, h, epsilon = sp.symbols("z h epsilon", real=True)
lam = sp.Symbol("lambda", positive=True)

# The (a, b, c) of one coordinate: lambda is the eigenvalue of the relative covariance, h the whitened mean shift.
a_of = 1 - lam
b_of = -lam * h
c_of = sp.log(lam) / 2 - lam * h**2 / 2

D = letter("D")
A = 1 - R * K * R
SYMMETRIC, POSITIVE_DEFINITE = "A is symmetric", "S1, S2 symmetric positive definite"
_PROJECTED = {POSITIVE_DEFINITE: "D has full column rank with and without the row"}  # S1, S2 = I_r (x) D^T D

constant = (log_det_1 - log_det_2) / 2 - scalar(gt * K * g) / 2
linear = -scalar(gt * K * R * U * vector)
shifted_loss = sp.Function("q_eps", real=True)


def _log_normal(x: sp.Expr, mean: sp.Expr, variance: sp.Expr) -> sp.Expr:
    return -((x - mean) ** 2) / (2 * variance) - sp.log(2 * sp.pi * variance) / 2


_row, _column = gt * K * R * U * vector, (zt, Ut, R, transpose(Q), Q, g)  # z^T b, transposed and as its letters
_RULES = {(Ut, U): 1, (U, Ut): 1, (R, Ri): 1, (Ri, R): 1, _column: _row, (transpose(R),): R}


def _model() -> dict[sp.Symbol, sp.Matrix]:
    root, turn = sp.Matrix([[2, 1], [1, 3]]), sp.Matrix([[3, -4], [4, 3]]) / 5
    at, shift, other = sp.Matrix([1, -3]), sp.Matrix([3, 5]), sp.Matrix([[2, 1], [0, 1]])
    found = {R: root, Ri: root.inv(), Q: other, U: turn, vector: at, g: shift}
    found |= {Ut: turn.T, zt: at.T, gt: shift.T, transpose(R): root, transpose(Q): other.T}
    return found | {D: turn.T * (sp.eye(2) - root * other.T * other * root) * turn}


_MODEL = _model()
_LETTERS = BlockAlgebra({}, _MODEL)
_ROOT = {"R": R, "inverse": Ri}
_TURN = {"A": A, "U": U, "U^T": Ut, "diagonal": D}


def _by_rules(name: str, why: str, left: sp.Expr, right: sp.Expr, rules: Mapping[Any, str | Use]) -> Step:
    """An identity by some of the rules: word -> the premise that says its value."""
    algebra = BlockAlgebra({word: _RULES[word] for word in rules}, _MODEL)
    return Step(name, why, lhs=left, rhs=right, algebra=algebra, premises=tuple(rules.values()))


def _letter_steps() -> tuple[Step, ...]:
    """R = S1^{1/2} and its inverse, and the orthogonal U that diagonalises A = I - R K R."""
    of_root, of_turn = "the root of a covariance", "spectral theorem"
    definite, symmetric = {"positive definite": POSITIVE_DEFINITE}, {"symmetric": SYMMETRIC}
    return (
        by_fact("R R^{-1}", "R = S1^{1/2} has an inverse.", f"{of_root}, R R^{{-1}}", _ROOT, definite),
        by_fact("R^{-1} R", "From the left, too.", f"{of_root}, R^{{-1}} R", _ROOT, definite),
        by_fact("R^T", "It is symmetric,", f"{of_root}, R^T", _ROOT, definite),
        _by_rules(
            SYMMETRIC,
            "and so is A = I - R Q^T Q R, Q^T Q = S2^{-1}.",
            *(transpose(A), A),
            {(transpose(R),): "R^T"},
        ),
        by_fact("U^T U", "There is an orthogonal U,", f"{of_turn}, U^T U", _TURN, symmetric),
        by_fact("U U^T", "from the right, too,", f"{of_turn}, U U^T", _TURN, symmetric),
        by_fact("U diagonalises A", "with D = diag(a).", of_turn, _TURN, symmetric, ("U U^T",)),
    )


def _normal_density(name: str, density: sp.Expr, why: str) -> Step:
    return Step(name, why, lhs=density, rhs=DENSITIES[density], kind="definition")


@cache
def log_density_ratio() -> Derivation:
    """`q_eps = eps - log p/q = eps + c + b^T z + z^T diag(a) z/2` (N26-L1).

    `number`: q_eps of one coordinate at eigenvalue `lam` > 0, whitened mean shift `h`, point `z`, and `epsilon`.
    """
    loss = _log_normal(z, 0, 1) - _log_normal(z, -h, 1 / lam)
    steps = (
        *_letter_steps(),
        _normal_density("density of P", p(at_image), "P = N(m1, S1), at x = m1 + S1^{1/2} U z."),
        _normal_density("density of Q", q(at_image), "Q = N(m2, S2) at the same x; g = m1 - m2."),
        Step(
            "q_eps",
            "q_eps = eps - L with L = log p/q.",
            lhs=shifted_loss(x),
            rhs=epsilon - sp.log(p(x) / q(x)),
            kind="definition",
        ),
        _by_rules(
            "whitening of P",
            "The exponent of p is that of a standard normal vector: (x-m1)^T S1^{-1} (x-m1) = z^T z.",
            *(exponent_p, zt * vector),
            {(R, Ri): "R R^{-1}", (Ri, R): "R^{-1} R", (Ut, U): "U^T U"},
        ),
        by_fact(
            "b^T z transposed",
            "A number is its own transpose,",
            "a product with one entry is its transpose",
            {"v": vector, "v^T": zt, "X": Ut * R * K, "X^T": K * transpose(R) * U, "w": g, "w^T": gt},
            {},
        ),
        inferred(
            "b^T z",
            "so z^T b = b^T z.",
            *(sp.Mul(*_column), "=", _row),
            Use("b^T z transposed", between=(1, 1)),
            Use("R^T", between=(gt * K, U * vector)),
            algebra=_LETTERS,
        ),
        _by_rules(
            "exponent of Q",
            "(x-m2)^T S2^{-1} (x-m2) = z^T (I - U^T A U) z - 2 b^T z + g^T S2^{-1} g, with A = I - S1^{1/2} S2^{-1}"
            " S1^{1/2} and b = -U^T S1^{1/2} S2^{-1} g.",
            *(exponent_q, zt * (1 - Ut * A * U) * vector - 2 * (-gt * K * R * U) * vector + gt * K * g),
            {_column: "b^T z", (Ut, U): "U^T U"},
        ),
        Step(
            "shifted loss, any d",
            "q_eps = eps - log p/q, with c = (1/2) log(det S1/det S2) - (1/2) g^T S2^{-1} g.",
            lhs=shifted_loss(at_image),
            rhs=epsilon + constant + linear + scalar(zt * Ut * A * U * vector) / 2,
            kind="inference",
            algebra=_LETTERS,
            premises=(
                Use("q_eps", at={x: at_image}),
                "density of P",
                "density of Q",
                Use("whitening of P", between=(sp.Rational(1, 2), 1)),
                Use("exponent of Q", between=(-sp.Rational(1, 2), 1)),
            ),
        ),
        Step(
            "diagonal form",
            "U is chosen that way.",
            lhs=shifted_loss(at_image),
            rhs=epsilon + constant + linear + scalar(zt * D * vector) / 2,
            kind="inference",
            algebra=_LETTERS,
            premises=("shifted loss, any d", Use("U diagonalises A", between=(zt / 2, vector))),
        ),
        Step(
            "one coordinate",
            "L = log p/q is additive over independent coordinates; this is one of them: in its frame Q is N(-h,"
            " 1/lambda), lambda = 1 - a.",
            lhs=loss,
            rhs=-(c_of + b_of * z + a_of * z**2 / 2),
        ),
        Step(
            "shifted loss",
            "q_eps = eps - L, for d = 1.",
            lhs=epsilon - loss,
            rhs=epsilon + c_of + b_of * z + a_of * z**2 / 2,
            premises=("one coordinate",),
        ),
    )
    whole = "q_eps = eps - L with (A, b, c)"
    return Derivation(
        id="ndis_lemma.log_density_ratio",
        title="The privacy loss of two Gaussians is a quadratic form in a standard normal vector",
        sources=("N26-L1", "N24-C2"),
        hypotheses=(POSITIVE_DEFINITE,),
        steps=steps,
        result_step="shifted loss",
        symbols={"lam": lam, "h": h, "z": z, "epsilon": epsilon},
        faults=(
            Fault("sign of b flipped", "shifted loss", lambda rhs: rhs - 2 * b_of * z),
            Fault("half of the log determinant dropped", "shifted loss", lambda rhs: rhs - sp.log(lam) / 4),
            Fault("P and Q swapped", "one coordinate", lambda rhs: -rhs),
            Fault("sign of b flipped in the exponent", "exponent of Q", lambda rhs: rhs - 4 * gt * K * R * U * vector),
            Fault("sign of b flipped, any d", "shifted loss, any d", lambda rhs: rhs - 2 * linear),
            Fault("rotation left out", "diagonal form", lambda rhs: rhs.subs(D, A)),
        ),
        concludes=(
            Conclusion("N26-L1", "diagonal form", part=whole),
            Conclusion("N26-L1", "shifted loss", part=f"{whole}, d = 1"),
            Conclusion("N24-C2", "diagonal form", part="the privacy loss of two covariances", granted=_PROJECTED),
        ),
    )


@cache
def hockey_stick() -> Derivation:
    """`sup_S P(S) - e^eps Q(S) = E[max(0, 1 - exp q_eps(Z))]`, attained at S* = {L > eps} (N26-L1).

    `number`: the hinge max(0, 1 - exp q) at one value `q` of the shifted loss.
    """
    density_p, density_q = sp.symbols("p q", positive=True)
    q_eps = sp.Symbol("q_eps", real=True)
    gap = p(x) - sp.exp(epsilon) * q(x)
    loss_hinge = sp.Max(0, 1 - sp.exp(shifted_loss(x)))
    form = log_density_ratio().step("diagonal form").rhs
    steps = (
        a_density("density of P", "p is the density of P = N(m1, S1), and positive,", p(x)),
        a_density("density of Q", "q that of Q = N(m2, S2).", q(x)),
        over_sets(gap, "{p > e^eps q} = {L > eps}", "density of P", "density of Q"),
        Step(
            "gap in terms of q_eps",
            "p - e^eps q = p (1 - exp q_eps), q_eps = eps - log p/q; so p > e^eps q exactly where q_eps < 0.",
            lhs=density_p - sp.exp(epsilon) * density_q,
            rhs=density_p * (1 - sp.exp(epsilon - sp.log(density_p / density_q))),
        ),
        Step(
            "hinge",
            "max(p y, 0) = p max(y, 0) for p > 0, at y = 1 - exp q_eps.",
            lhs=sp.Max(density_p * (1 - sp.exp(q_eps)), 0) / density_p,
            rhs=sp.Max(0, 1 - sp.exp(q_eps)),
            reduce=lambda left, right: (left - right).rewrite(sp.Abs),
        ),
        Step(
            "integrand",
            "Both together.",
            lhs=total(sp.Max(gap, 0)),
            rhs=total(p(x) * loss_hinge),
            kind="inference",
            premises=(
                Use("gap in terms of q_eps", at={density_p: p(x), density_q: q(x)}),
                Use("hinge", at={density_p: p(x), q_eps: shifted_loss(x)}),
                Use("q_eps", of=log_density_ratio),
            ),
        ),
        _by_rules(
            "covariance of the image",
            "(S1^{1/2} U)(S1^{1/2} U)^T = S1.",
            *(R * U * Ut * R, R * R),
            {(U, Ut): Use("U U^T", of=log_density_ratio)},
        ),
        _by_rules(
            "the image is onto",
            "U^T S1^{-1/2} is the inverse of S1^{1/2} U.",
            *(Ut * Ri * R * U, sp.Integer(1)),
            {(Ri, R): Use("R^{-1} R", of=log_density_ratio), (Ut, U): Use("U^T U", of=log_density_ratio)},
        ),
        Step(
            "expectation under P",
            "x = m1 + S1^{1/2} U z has the law P.",
            lhs=total(p(x) * loss_hinge),
            rhs=normal_mean(loss_hinge.subs(x, at_image)),
            kind="fact",
            fact="affine image of a standard normal vector",
            letters={"p": p(x), "f": loss_hinge, "image": at_image},
            conditions={
                "covariance": "covariance of the image",
                "invertible": "the image is onto",
                "sign": Step("nonnegative", "A hinge.", lhs=loss_hinge, rhs=0, relation=">=", witness=loss_hinge),
            },
        ),
        Step(
            "divergence",
            "delta = sup_S P(S) - e^eps Q(S) = E max(0, 1 - exp q_eps(Z)).",
            lhs=largest(gap),
            rhs=normal_mean(sp.Max(0, 1 - sp.exp(shifted_loss(at_image)))),
            kind="inference",
            premises=("sup over S", "integrand", "expectation under P"),
        ),
        Step(
            "lemma, with U^T A U",
            "With q_eps(z) = eps + c + b^T z + z^T U^T A U z/2.",
            lhs=largest(gap),
            rhs=normal_mean(sp.Max(0, 1 - sp.exp(log_density_ratio().step("shifted loss, any d").rhs))),
            kind="inference",
            premises=("divergence", Use("shifted loss, any d", of=log_density_ratio)),
        ),
        Step(
            "lemma",
            "With q_eps(z) = eps + c + b^T z + z^T diag(a) z/2.",
            lhs=largest(gap),
            rhs=normal_mean(sp.Max(0, 1 - sp.exp(form))),
            kind="inference",
            premises=("divergence", Use("diagonal form", of=log_density_ratio)),
        ),
    )
    return Derivation(
        id="ndis_lemma.hockey_stick",
        title="The hockey-stick divergence is the hinge expectation of the shifted privacy loss",
        sources=("N26-L1", "N24-C2", "KM-2.2"),
        hypotheses=(POSITIVE_DEFINITE,),
        steps=steps,
        result_step="hinge",
        symbols={"q": q_eps},
        faults=(
            Fault(
                "direction of the loss swapped",
                "gap in terms of q_eps",
                lambda rhs: density_p * (1 - sp.exp(epsilon + sp.log(density_p / density_q))),
            ),
            Fault("hinge without its zero", "hinge", lambda rhs: 1 - sp.exp(q_eps)),
            Fault(
                "factor e^eps dropped",
                "gap in terms of q_eps",
                lambda rhs: density_p * (1 - sp.exp(-sp.log(density_p / density_q))),
            ),
            Fault("hinge of the loss, not of q_eps", "lemma", lambda rhs: normal_mean(sp.Max(0, 1 - sp.exp(-form)))),
        ),
        concludes=(
            Conclusion("N26-L1", "lemma", part="in matrices; stated in common coordinates"),
            Conclusion(
                "N24-C3",
                "lemma",
                part="the lemma of two normal laws",
                granted={POSITIVE_DEFINITE: "B^T B invertible and residual not 0, with and without the record"},
            ),
            Conclusion("N26-L1", "lemma, with U^T A U", part="with U^T A U in the place of diag(a)"),
            Conclusion("N24-C2", "lemma", part="the lemma at two covariances", granted=_PROJECTED),
        ),
    )
