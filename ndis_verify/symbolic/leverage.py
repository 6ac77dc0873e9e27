"""Leverage scores: the spectral form, and what a ridge leaves of them; their range is in `rows`."""

from __future__ import annotations

from functools import cache

import sympy as sp

from ndis_verify.symbolic.block_algebra import BlockAlgebra, letter
from ndis_verify.symbolic.derivation import Derivation, Fault, Step
from ndis_verify.symbolic.fact_steps import by_fact
from ndis_verify.symbolic.random_projection import rank_one_algebra

BEYOND_A_RIDGE = "D^T D - ridge I - v v^T positive semidefinite, ridge > 0"


def _numerator(left: sp.Expr, right: sp.Expr) -> sp.Expr:
    return sp.numer(sp.together(left - right))


@cache
def spectral_form() -> Derivation:
    """`p_i = sum_j cos^2(theta_ij) ||d_i||^2/lambda_j`, theta_ij between row i and eigenvector j of D^T D (N24-F2).

    `number`: p in two dimensions, at eigenvalues `l1`, `l2` > 0, row `v1`, `v2`, and eigenvectors turned by the
    angle with tangent of its half `t`.
    """
    U, Ut, E, Ei, v, vt, y, yt = (letter(name) for name in ["U", "Ut", "E", "Ei", "v", "vt", "y", "yt"])
    turn, spread = sp.Matrix([[3, -4], [4, 3]]) / 5, sp.diag(2, 7)
    record = sp.Matrix([1, 3])
    algebra = BlockAlgebra(
        {(Ut, U): 1, (U, Ut): 1, (E, Ei): 1, (Ei, E): 1, (Ut, v): y, (vt, U): yt},
        {
            U: turn,
            Ut: turn.T,
            E: spread,
            Ei: spread.inv(),
            v: record,
            vt: record.T,
            y: turn.T * record,
            yt: record.T * turn,
        },
    )
    l1, l2 = sp.symbols("l1 l2", positive=True)
    v1, v2, t = sp.symbols("v1 v2 t", real=True)
    norm2 = v1**2 + v2**2
    rotation = sp.Matrix([[1 - t**2, -2 * t], [2 * t, 1 - t**2]]) / (1 + t**2)
    row = sp.Matrix([v1, v2])
    gram = rotation * sp.diag(l1, l2) * rotation.T
    cos2 = [(rotation[:, j].T * row)[0] ** 2 / norm2 for j in (0, 1)]
    leverage = (row.T * (gram.adjugate() / gram.det()) * row)[0]
    steps = (
        Step(
            "inverse, any d",
            "(U E U^T)^{-1} = U E^{-1} U^T,",
            lhs=(U * E * Ut) * (U * Ei * Ut),
            rhs=sp.Integer(1),
            algebra=algebra,
        ),
        Step(
            "coordinates, any d",
            "so p = y^T E^{-1} y = sum_j y_j^2/lambda_j with y = U^T v,",
            lhs=vt * (U * Ei * Ut) * v,
            rhs=yt * Ei * y,
            algebra=algebra,
        ),
        Step("angle", "and y_j = <u_j, v> = cos(theta_j) ||v||, as u_j has length 1.", kind="definition"),
        Step(
            "unit vectors, d = 2",
            "The columns of the rotation have length 1.",
            lhs=(rotation[:, 0].T * rotation[:, 0])[0],
            rhs=sp.Integer(1),
        ),
        Step("cosines, d = 2", "cos^2 sum to 1.", lhs=cos2[0] + cos2[1], rhs=sp.Integer(1)),
        Step(
            "spectral form, d = 2 in full",
            "Every entry symbolic.",
            lhs=leverage,
            rhs=cos2[0] * norm2 / l1 + cos2[1] * norm2 / l2,
            reduce=_numerator,
        ),
    )
    return Derivation(
        id="leverage.spectral_form",
        title="Leverage through the eigenvalues of the Gram matrix",
        sources=("N24-F2",),
        hypotheses=("D^T D invertible",),
        steps=steps,
        result_step="spectral form, d = 2 in full",
        symbols={"l1": l1, "l2": l2, "v1": v1, "v2": v2, "t": t},
        domain=(sp.Ne(norm2, 0),),
        faults=(
            Fault(
                "cosine not squared",
                "spectral form, d = 2 in full",
                lambda rhs: sp.sqrt(cos2[0]) * norm2 / l1 + cos2[1] * norm2 / l2,
            ),
            Fault(
                "eigenvalues swapped",
                "spectral form, d = 2 in full",
                lambda rhs: rhs.subs({l1: l2, l2: l1}, simultaneous=True),
            ),
            Fault("E in place of its inverse", "coordinates, any d", lambda rhs: yt * E * y),
        ),
        covers={"N24-F2": "whole"},
    )


@cache
def ridge() -> Derivation:
    """With D^T D >= ridge I + v v^T, a row v of squared length l^2 has leverage at most l^2/(ridge + l^2) <= l^2/ridge
    (N24-Fig12, N24-T6).

    `number`: the bound at `length2` = l^2 and `ridge`.
    """
    algebra, names = rank_one_algebra()
    v, vt = names["v"], names["vt"]
    length2, level = sp.symbols("l2 sigma2", positive=True)
    bound = length2 / (level + length2)
    one = sp.Integer(1)
    worst = BlockAlgebra(
        {(vt, v): length2},
        {
            v: algebra.model[v],
            vt: algebra.model[vt],
            length2: (algebra.model[vt] * algebra.model[v])[0],
            level: sp.Integer(3),
        },
    )
    inverse = (1 - v * vt / (level + length2)) / level
    steps = (
        Step(
            "inverse",
            "(ridge I + v v^T)^{-1} by Sherman-Morrison,",
            lhs=(level + v * vt) * inverse,
            rhs=one,
            algebra=worst,
        ),
        Step(
            "leverage there",
            "v^T (ridge I + v v^T)^{-1} v = l^2/(ridge + l^2).",
            lhs=vt * inverse * v,
            rhs=bound,
            algebra=worst,
        ),
        by_fact(
            "Loewner order",
            "The order reverses under inversion: the leverage v^T (D^T D)^{-1} v is at most that.",
            "inverses reverse the Loewner order",
            {"A": names["S"], "B": level + v * vt},
            {"order": BEYOND_A_RIDGE},
        ),
        Step(
            "simpler bound",
            "l^2/ridge is larger.",
            lhs=length2 / level,
            rhs=bound,
            relation=">=",
            witness=length2**2 / (level * (level + length2)),
        ),
    )
    return Derivation(
        id="leverage.ridge",
        title="A ridge bounds every leverage",
        sources=("N26-T5.1",),
        hypotheses=("ridge > 0", BEYOND_A_RIDGE),
        steps=steps,
        result_step="leverage there",
        symbols={"length2": length2, "ridge": level},
        faults=(
            Fault("sign in Sherman-Morrison", "leverage there", lambda rhs: length2 / (level - length2)),
            Fault("bounds swapped", "simpler bound", lambda rhs: length2 / level + length2 / level),
        ),
    )
