"""How far one record moves mean and covariance of the logistic-regression surrogate together."""

from __future__ import annotations

from functools import cache

import sympy as sp

from ndis_verify.symbolic.block_algebra import BlockAlgebra, letter
from ndis_verify.symbolic.derivation import Derivation, Fault, Step

one = sp.Integer(1)
length, penalty, added = sp.symbols("l lambda v", positive=True)
more = sp.Symbol("b", nonnegative=True)


@cache
def logistic_joint() -> Derivation:
    """Both laws of the surrogate come from N(0, v I + y e e^T/lambda) and N(u, v I + y e e^T/(lambda + l^2/4)), 0 <= y
    <= 1,
    |u| <= l/lambda, by adding noise; approached at y = 1 with u = e l/lambda (N26-Pr7).

    `number`: the squared shift l^2/lambda^2 over the smaller variance, at `length`, `penalty`, `added`.
    """
    S, Si, x, xt = (letter(name) for name in ["S", "Si", "x", "xt"])
    form = sp.Symbol("A", nonnegative=True)
    size, record = sp.Matrix([[2, 1], [1, 3]]), sp.Matrix([1, 2])
    algebra = BlockAlgebra(
        {(S, Si): 1, (Si, S): 1, (xt, S, x): form},
        {S: size, Si: size.inv(), x: record, xt: record.T, form: (record.T * size * record)[0]},
    )
    kept = 4 * penalty / length**2
    largest = length**2 / penalty
    below = largest / (1 + more)  # a value of A = x^T S x: at most l^2/lambda
    square = length**2 / (penalty * (4 * penalty + length**2))
    smaller = 1 / (penalty + length**2 / 4)
    steps = (
        Step(
            "one record",
            "S' = S - w w^T, w = S x/sqrt(4 + A), A = x^T S x (sensitivity.logistic_rank_one); |u| < l/lambda for u the"
            " shift of the mean (sensitivity.logistic_shift).",
            kind="argument",
        ),
        Step(
            "w in the smaller covariance",
            "S'^{-1} = S^{-1} + x x^T/4, so (4 + A) w^T S'^{-1} w = A + A^2/4:",
            lhs=xt * S * (Si + x * xt / 4) * S * x,
            rhs=form + form**2 / 4,
            algebra=algebra,
        ),
        Step("A/4", "w^T S'^{-1} w = A/4,", lhs=(form + form**2 / 4) / (4 + form), rhs=form / 4),
        Step(
            "kept",
            "so with kappa = 4 lambda/l^2, kappa w^T S'^{-1} w <= 1,",
            lhs=one,
            rhs=kept * below / 4,
            relation=">=",
            witness=more / (1 + more),
        ),
        Step("Schur complement", "which is S' >= kappa w w^T.", kind="argument"),
        Step(
            "noise taken away",
            "The outputs are N(0, v I + (1 + kappa) w w^T) and N(u, v I + kappa w w^T) plus independent N(0, S' - kappa"
            " w w^T) in both: post-processing.",
            kind="argument",
        ),
        Step(
            "length of w",
            "S <= I/lambda: |w|^2 = x^T S^2 x/(4 + A) <= A/(lambda (4 + A)), and A <= l^2/lambda,",
            lhs=square,
            rhs=below / (penalty * (4 + below)),
            relation=">=",
            witness=4 * length**2 * more / ((4 * penalty + length**2) * (4 * penalty * (1 + more) + length**2)),
        ),
        Step(
            "larger variance",
            "so |w|^2 = y W^2 with y <= 1: (1 + kappa) W^2 = 1/lambda,",
            lhs=(1 + kept) * square,
            rhs=1 / penalty,
        ),
        Step("smaller variance", "kappa W^2 = 1/(lambda + l^2/4).", lhs=kept * square, rhs=smaller),
        Step(
            "approached",
            "d = 1: N records of size c and label 1, N c fixed and c -> 0, give S -> 1/lambda and any mean; a record of"
            " norm l and label -1 then has a gradient as close to l as one likes, and S' -> 1/(lambda + l^2/4).",
            kind="argument",
        ),
        Step(
            "shift",
            "Squared and whitened by the smaller variance.",
            lhs=(length / penalty) ** 2 / (added + kept * square),
            rhs=(length / penalty) ** 2 / (added + smaller),
        ),
    )
    return Derivation(
        id="sensitivity_joint.logistic_joint",
        title="The surrogate's mean and covariance move together inside a rank-one envelope, free of n and d",
        sources=("N26-D7", "N26-Pr7"),
        hypotheses=("|x| <= l", "lambda > 0", "v > 0"),
        steps=steps,
        result_step="shift",
        symbols={"length": length, "penalty": penalty, "added": added},
        faults=(
            Fault("A for A/4", "A/4", lambda rhs: 4 * rhs),
            Fault("update forgotten", "w in the smaller covariance", lambda rhs: form),
            Fault("more kept than there is", "kept", lambda rhs: 2 * rhs),
            Fault("w longer", "length of w", lambda rhs: 2 * rhs),
            Fault("l^2 for l^2/4", "smaller variance", lambda rhs: 1 / (penalty + length**2)),
            Fault("own variance forgotten", "shift", lambda rhs: (length / penalty) ** 2 / added),
        ),
        covers={"N26-Pr7-joint": "the envelope, and that it is approached"},
    )
