"""Leverage scores: range, the case 1, the determinant after a deletion, and the spectral form."""

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

_ENTRIES = sp.symbols("d11 d12 d21 d22 d31 d32", real=True)
_D = sp.Matrix(3, 2, _ENTRIES)
_S = _D.T * _D
_HAT = _D * (_S.adjugate() / _S.det()) * _D.T
_P = _HAT[0, 0]
_REST = _D[1:, :]
_GRAM = _S.det()
_MINOR = _REST.det()

BEYOND_A_RIDGE = "D^T D - ridge I - v v^T positive semidefinite, ridge > 0"


def _numerator(left: sp.Expr, right: sp.Expr) -> sp.Expr:
    return sp.numer(sp.together(left - right))


def _entry_symbols() -> dict[str, sp.Symbol]:
    return {symbol.name: symbol for symbol in _ENTRIES}


def _projection_algebra() -> tuple[BlockAlgebra, tuple[sp.Symbol, ...]]:
    D, Dt, S, Si, R, Ri, v, vt = letters = tuple(letter(name) for name in ["D", "Dt", "S", "Si", "R", "Ri", "v", "vt"])
    root = sp.Matrix([[2, 1], [1, 3]])
    # An isometry times the root has the Gram matrix root^2.
    tall = sp.Matrix([[3, 0], [4, 0], [0, 5]]) / 5 * root
    record = sp.Matrix([1, sp.Rational(1, 2)])
    model = {D: tall, Dt: tall.T, S: root**2, Si: root.inv() ** 2, R: root, Ri: root.inv(), v: record, vt: record.T}
    return BlockAlgebra({(Dt, D): S, (S, Si): 1, (Si, S): 1, (Ri, Ri): Si}, model), letters


@cache
def range_of_leverage() -> Derivation:
    """`0 <= p <= 1`, and p = 1 exactly when deleting the row drops the rank (N26-F1, N24-F1).

    `number`: p of the first row, from the entries `d11` ... `d32` of a 3 x 2 matrix of full rank.
    """
    algebra, (D, Dt, S, Si, R, Ri, v, vt) = _projection_algebra()
    zero = sp.Integer(0)
    beyond = sp.Symbol("w", positive=True)
    steps = (
        Step("hat matrix", "H = D (D^T D)^{-1} D^T, symmetric, with p_i = H_ii.", kind="definition"),
        Step(
            "H is a projection, any n and d",
            "H H = H,",
            lhs=(D * Si * Dt) * (D * Si * Dt),
            rhs=D * Si * Dt,
            algebra=algebra,
        ),
        Step(
            "diagonal of H H^T, any n and d",
            "With v = D^T e, e the i-th unit vector, |H e|^2 = e^T H e: the squares of the i-th row of H add up to"
            " H_ii = p_i,",
            lhs=(vt * Si * Dt) * (D * Si * v),
            rhs=vt * Si * v,
            algebra=algebra,
        ),
        Step(
            "p (1 - p)",
            "p^2 and those of the other entries, s: p - p^2 = s >= 0, so 0 <= p <= 1. With 1 - p = -w, w > 0, the sum"
            " would be"
            " negative:",
            lhs=(1 + beyond) * (1 - (1 + beyond)),
            rhs=zero,
            relation="<",
            witness=-beyond * (1 + beyond),
        ),
        Step(
            "p as a square, any d",
            "p = ||S^{-1/2} v||^2 >= 0.",
            lhs=vt * Si * v,
            rhs=(vt * Ri) * (Ri * v),
            algebra=algebra,
        ),
        Step(
            "n = 3, d = 2: p (1 - p)",
            "Every entry symbolic.",
            lhs=_P * (1 - _P),
            rhs=_HAT[0, 1] ** 2 + _HAT[0, 2] ** 2,
            reduce=_numerator,
        ),
        Step(
            "n = 3, d = 2: 1 - p",
            "(1 - p) det(D^T D) is the square of the minor of the other rows,",
            lhs=sp.cancel((1 - _P) * _GRAM),
            rhs=zero,
            relation=">=",
            witness=_MINOR**2,
        ),
        Step(
            "n = 3, d = 2: Cauchy-Binet",
            "and det(D^T D) is the sum of the squared minors.",
            lhs=_GRAM,
            rhs=zero,
            relation=">=",
            witness=sum((_D[list(rows), :].det() ** 2 for rows in ((0, 1), (0, 2), (1, 2))), zero),
        ),
        Step(
            "p = 1",
            "det(D'^T D') = (1-p) det(D^T D) (rows.of_a_row) is 0 exactly when p = 1, and a Gram determinant is"
            " 0 exactly when the rank is below d: the row is then linearly independent of the others.",
            kind="argument",
        ),
        Step("p", "v^T (D^T D)^{-1} v, written out.", lhs=_HAT[0, 0], rhs=sp.cancel(_P)),
    )
    return Derivation(
        id="leverage.range_of_leverage",
        title="A leverage lies in [0, 1] and is 1 exactly when the row carries its own rank",
        sources=("N26-F1", "N24-F1"),
        hypotheses=("D^T D invertible",),
        steps=steps,
        result_step="p",
        symbols=_entry_symbols(),
        domain=(_GRAM > 0,),
        faults=(
            Fault("a square left out", "n = 3, d = 2: p (1 - p)", lambda rhs: _HAT[0, 1] ** 2),
            Fault("1 - p negative", "n = 3, d = 2: 1 - p", lambda rhs: 2 * _MINOR**2 + 1),
            Fault("H H = -H", "H is a projection, any n and d", lambda rhs: -rhs),
        ),
        covers={"N26-F1": "whole, with rows.of_a_row", "N24-F1": "whole, with rows.of_a_row"},
    )


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
            {"positive": positive, "size": str(c)},
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
    (N26-T5.1).

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
        covers={"N26-T5.1": "part: the ridge caps the leverage"},
    )
