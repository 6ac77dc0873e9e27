"""How far one record moves mean and covariance together: the logistic-regression surrogate and a Gaussian-process
prediction.
"""

from __future__ import annotations

from functools import cache

import sympy as sp

from ndis_verify.symbolic.block_algebra import BlockAlgebra, letter
from ndis_verify.symbolic.derivation import Derivation, Fault, Step
from ndis_verify.symbolic.notation import held
from ndis_verify.symbolic.prediction_features import (
    AT_NEW,
    AT_OTHERS,
    AT_QUERY,
    KERNEL,
    S,
    U,
    bound_steps,
    kept,
    noise_steps,
    others,
    posterior_steps,
    w,
)

one = sp.Integer(1)
length, penalty, added, noise, labels = sp.symbols("l lambda v s B", positive=True)
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


@cache
def prediction_joint() -> Derivation:
    """Both laws of a prediction come from N(0, v + w) and N(sqrt(w X) r, v + w (1 - X)), w = l^2 (1 - z), X = x/(1 +
    x), r = (B/s)(1 + sqrt(m z x))/sqrt(1 + x), 0 <= x <= (1 - z) l^2/s^2, 0 <= z <= m l^2/(s^2 + m l^2); attained
    (N26-Pr8).

    m + 1 records in the larger database. `number`: the shift sqrt(w X) r at `length`, `labels`, `noise` (s), `others`
    (m), `z`, `x`.
    """
    z, x, h = sp.symbols("z x h", positive=True)
    added = sp.Symbol("v", nonnegative=True)
    wider, bigger = sp.symbols("w2 X2", positive=True)
    share, drop = sp.symbols("X p", positive=True)
    pull = labels / noise * (1 + sp.sqrt(others * z * x)) / sp.sqrt(1 + x)
    moved = w * U * (labels * (1 + sp.sqrt(others * z * x))) ** 2 / h**2
    scale = w * share / (wider * bigger)
    left_over = added * (1 - scale) + w * (1 - share / bigger)
    feature, own = sp.symbols("f q", positive=True)
    common = noise**2 / (others * feature**2 + noise**2)  # the one a below 1
    one_beta = feature * own / (others * feature**2 + noise**2)
    steps = (
        Step(
            "update",
            "Given the smaller database: the mean moves by c t/h, t = y - mean at the new point, and the variance V"
            " falls by c^2/h, h = U + s^2 (sensitivity.prediction_shift).",
            kind="argument",
        ),
        *posterior_steps(),
        *bound_steps(),
        Step(
            "variance left",
            "c^2 <= V U, so V >= w = c^2/U; of w, w s^2/h is left:",
            lhs=(drop / U - drop / h).subs(h, U + noise**2),
            rhs=drop / U * noise**2 / (U + noise**2),
        ),
        *noise_steps(),
        Step(
            "z bounded",
            "so z <= m l^2/(s^2 + m l^2).",
            lhs=1 - noise**2 / (noise**2 + others * length**2),
            rhs=others * length**2 / (noise**2 + others * length**2),
        ),
        Step(
            "t",
            "|t| <= B (1 + |beta|_1) <= B (1 + sqrt(m) |beta|), |beta|^2 = z U/s^2, U = s^2 x.",
            lhs=sp.Subs(sp.sqrt(others) * sp.sqrt(z * U / noise**2), U, noise**2 * x),
            rhs=sp.sqrt(others * z * x),
        ),
        Step(
            "shift squared",
            "c^2 t^2/h^2 = w X t^2/h with X = U/h = x/(1 + x).",
            lhs=sp.Subs(moved, (h, U), (noise**2 * (1 + x), noise**2 * x)),
            rhs=w * x / (1 + x) * pull**2,
        ),
        Step(
            "domination",
            "Where w <= w2, X <= X2, r <= r2 the pair is the one at (w2, X2, r2) times sqrt(p), p = w X/(w2 X2) <= 1,"
            " plus noise of variance v (1 - p) + w (1 - X/X2) >= 0: first variance,",
            lhs=scale * (added + wider) + left_over,
            rhs=added + w,
        ),
        Step(
            "domination, second variance",
            "the same noise,",
            lhs=scale * (added + wider * (1 - bigger)) + left_over,
            rhs=added + w * (1 - share),
        ),
        Step(
            "domination, shift",
            "and sqrt(p) sqrt(w2 X2) r2 >= sqrt(w X) r; delta grows with the shift (joint_shift.grows_with_shift).",
            lhs=sp.sqrt(held(scale) * wider * bigger),
            rhs=sp.sqrt(w * share),
        ),
        Step(
            "where r turns",
            "r grows in x up to x = m z and falls from there on:",
            lhs=sp.diff(sp.log(pull), x),
            rhs=(sp.sqrt(others * z) / sp.sqrt(x) - 1) / (2 * (1 + x) * (1 + sp.sqrt(others * z * x))),
        ),
        Step(
            "attained",
            "One feature each: m records f with label -B, the new one q <= l with label B, the query l. Then a is one"
            " number and every line above is an equality: s^2 m beta^2 = U z with U = q^2 a, z = 1 - a,",
            lhs=noise**2 * others * one_beta**2,
            rhs=own**2 * common * (1 - common),
        ),
        Step(
            "attained: w",
            "c^2/U = l^2 a,",
            lhs=held(length * common * own) ** 2 / held(own**2 * common),
            rhs=length**2 * common,
        ),
        Step(
            "attained: range",
            "and f, q in (0, l] reach every z and x: a from s^2/(s^2 + m l^2) up, x = q^2 a/s^2 up to (1 - z) l^2/s^2.",
            lhs=sp.Subs(common, feature, length),
            rhs=noise**2 / (noise**2 + others * length**2),
        ),
        Step(
            "shift",
            "at w = l^2 (1 - z).",
            lhs=sp.sqrt(held(length**2 * kept * x / (1 + x))) * pull,
            rhs=length * labels * sp.sqrt(kept) * sp.sqrt(x) * (1 + sp.sqrt(others * z * x)) / (noise * (1 + x)),
        ),
        Step(
            "result",
            "tau = 1 - z.",
            lhs=sp.Subs(
                length * labels * sp.sqrt(kept) * sp.sqrt(x) * (1 + sp.sqrt(others * z * x)) / (noise * (1 + x)),
                kept,
                1 - z,
            ),
            rhs=length * labels * sp.sqrt(1 - z) * sp.sqrt(x) * (1 + sp.sqrt(others * z * x)) / (noise * (1 + x)),
        ),
    )
    return Derivation(
        id="sensitivity_joint.prediction_joint",
        title="A Gaussian-process prediction and its variance move together; the exact worst neighbours",
        sources=("N26-D8", "N26-Pr8"),
        hypotheses=(
            KERNEL,
            *(AT_QUERY, AT_NEW, AT_OTHERS),
            *("|y| <= B", "s > 0", "v >= 0", "m + 1 records in the larger database"),
        ),
        steps=steps,
        result_step="result",
        symbols={"length": length, "labels": labels, "noise": noise, "others": others, "z": z, "x": x},
        domain=(z < 1,),
        faults=(
            Fault("variance left forgotten", "variance left", lambda rhs: drop / U),
            Fault("noise variance for its root", "pushed through", lambda rhs: noise * rhs),
            Fault("one square of two", "S is semidefinite", lambda rhs: S * S),
            Fault("l for l^2", "U bounded", lambda rhs: rhs / length),
            Fault("m forgotten", "tau bounded", lambda rhs: rhs / others),
            Fault("noise of the image", "domination, second variance", lambda rhs: rhs + w),
            Fault("r turns elsewhere", "where r turns", lambda rhs: 2 * rhs),
            Fault("others' labels forgotten", "result", lambda rhs: rhs / (1 + sp.sqrt(others * z * x))),
            Fault("query not at the record", "attained: w", lambda rhs: rhs / 2),
        ),
        covers={"N26-Pr8-joint": "whole: the envelope and its attainment"},
    )
