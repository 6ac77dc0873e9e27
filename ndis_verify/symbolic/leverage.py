"""Leverage scores: the spectral form, and what a ridge leaves of them; their range is in `rows`."""

from __future__ import annotations

from functools import cache

import sympy as sp

from ndis_verify.symbolic.block_algebra import BlockAlgebra, inverse, letter, without_rules
from ndis_verify.symbolic.derivation import Conclusion, Derivation, Fault, Hypothesis, Step, Use
from ndis_verify.symbolic.fact_steps import by_fact
from ndis_verify.symbolic.normal_coordinates import total_of
from ndis_verify.symbolic.notation import diagonal, scalar, transpose
from ndis_verify.symbolic.random_projection import rank_one_algebra
from ndis_verify.symbolic.sketch_records import inferred, named
from ndis_verify.symbolic.statement_terms import quantity

BEYOND_A_RIDGE = "D^T D - ridge I - v v^T positive semidefinite, ridge > 0"


def _numerator(left: sp.Expr, right: sp.Expr) -> sp.Expr:
    return sp.numer(sp.together(left - right))


@cache
def spectral_form() -> Derivation:
    """`v^T G^{-1} v = sum_i c_i^2 |v|^2/lambda_i`, c_i the cosine between v and eigenvector i of G (N24-F2).

    `number`: 1, which stands for the identity matrix that D^{-1} D is.
    """
    U, v, c, eigenvalues = (letter(name) for name in "Uvcl")
    D, Ut, vt = diagonal(eigenvalues), transpose(U), transpose(v)
    length = sp.Symbol("n", positive=True)
    one, across, G = sp.Integer(1), inverse(D), U * D * Ut
    squares = quantity("coordinate", c) ** 2 / quantity("coordinate", eigenvalues)
    norm, leverage = sp.sqrt(scalar(vt * v)), scalar(vt * inverse(G) * v)
    stated = lambda terms: total_of(terms).subs(c, Ut * v / length).subs(length, norm)  # noqa: E731
    left, right, positive, nonzero = "U^T U = I", "U U^T = I", "lam_i > 0", "|v| > 0"
    steps = (
        by_fact(
            "D^{-1} D",
            "D = diag(lam) has an inverse.",
            "the inverse of a diagonal matrix",
            {"d": eigenvalues},
            {"positive": positive},
        ),
        inferred(
            "inverse",
            "So U D^{-1} U^T is one of G = U D U^T from the left,",
            *(U * across * Ut * G, "=", one),
            Use(left, between=(U * across, D * Ut)),
            Use("D^{-1} D", between=(U, Ut)),
            Use(right, between=(one, one)),
            algebra=without_rules((U, Ut, D, across)),
        ),
        by_fact(
            "G^{-1}",
            "and so the inverse.",
            "an inverse from one side",
            {"X": U * across * Ut, "Y": G},
            {"product": "inverse"},
        ),
        named(length, "n is the length of v,", norm, nonzero),
        named(c, "and c are the cosines: c_i = <u_i, v>/|v| between v and the eigenvector u_i.", Ut * v / length),
        inferred(
            "coordinates",
            "n c are the coordinates of v, so the leverage is n^2 c^T D^{-1} c,",
            *(leverage, "=", length**2 * scalar(transpose(c) * across * c)),
            *(Use("G^{-1}", between=(vt, v)), str(c)),
            algebra=without_rules((U, Ut, D, across, v, vt), (length,)),
        ),
        by_fact(
            "squares",
            "D is diagonal,",
            "the form of the inverse of a diagonal matrix",
            {"y": c, "d": eigenvalues},
            {"positive": positive},
        ),
        by_fact(
            "weights",
            "a sum is linear,",
            "means are linear",
            {"mean": total_of, "terms": ((length**2, squares),)},
            {"integrable": str(c)},
        ),
        inferred(
            "weighted sum",
            "and so it is a sum over the eigenvectors.",
            *(leverage, "=", total_of(length**2 * squares)),
            *("coordinates", "squares", "weights"),
        ),
        inferred(
            "spectral form",
            "In the statement's letters.",
            *(leverage, "=", stated(squares * length**2)),
            *("weighted sum", str(c), str(length)),
        ),
    )
    return Derivation(
        id="leverage.spectral_form",
        title="Leverage through the eigenvalues of the Gram matrix",
        sources=("N24-F2",),
        hypotheses=(
            Hypothesis(left, sp.Eq(Ut * U, 1)),
            Hypothesis(right, sp.Eq(U * Ut, 1)),
            Hypothesis(positive, sp.Gt(quantity("coordinate", eigenvalues), 0)),
            Hypothesis(nonzero, sp.Gt(norm, 0)),
        ),
        steps=steps,
        result_step="D^{-1} D",
        symbols={},
        faults=(
            Fault("cosine not squared", "spectral form", lambda rhs: stated(sp.sqrt(squares) * length**2)),
            Fault("length not squared", "coordinates", lambda rhs: rhs / length),
            Fault("U left out", "inverse", lambda rhs: U * Ut + 1),
        ),
        concludes=(Conclusion("N24-F2", "spectral form", {"v": v, "lam": eigenvalues, "U": U}),),
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
