"""Leverage scores: the spectral form, and what a ridge leaves of them; their range is in `rows`."""

from __future__ import annotations

from functools import cache

import sympy as sp

from ndis_verify.symbolic.block_algebra import BlockAlgebra, inverse, letter, without_rules
from ndis_verify.symbolic.derivation import Conclusion, Derivation, Fault, Hypothesis, Step, Use
from ndis_verify.symbolic.fact_steps import by_fact, inferred, named
from ndis_verify.symbolic.leverage_beside_a_ridge import LEVERAGE, RECORD, length, of_a_record
from ndis_verify.symbolic.leverage_beside_a_ridge import leverage as p
from ndis_verify.symbolic.leverage_beside_a_ridge import ridge as c
from ndis_verify.symbolic.leverage_beside_a_ridge import v as record
from ndis_verify.symbolic.leverage_beside_a_ridge import vt as record_turned
from ndis_verify.symbolic.normal_coordinates import total_of
from ndis_verify.symbolic.notation import diagonal, scalar, transpose
from ndis_verify.symbolic.statement_terms import quantity

_LENGTH2, _LEVEL = sp.symbols("l2 sigma2", positive=True)
_BELOW = Hypothesis("every record has norm at most l", sp.Le(scalar(record_turned * record), _LENGTH2))


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
    """Beside a ridge a row v of squared length at most l^2 has leverage at most l^2/(ridge + l^2) <= l^2/ridge
    (N24-Fig12, N24-T6).

    `number`: the bound at `length2` = l^2 and `ridge`.
    """
    v, vt, length2, level = record, record_turned, _LENGTH2, _LEVEL
    bound = length2 / (level + length2)
    worst = BlockAlgebra(
        {(vt, v): length2},
        {v: sp.Matrix([1, 2]), vt: sp.Matrix([[1, 2]]), length2: sp.Integer(5), level: sp.Integer(3)},
        ("lone record",),
    )
    inverse = (1 - v * vt / (level + length2)) / level
    steps = (
        Step("notation", f"{LEVERAGE}, c the ridge.", kind="definition"),
        Step(
            "every record",
            "The leverage of a record is at most l^2/(ridge + l^2),",
            lhs=p,
            rhs=bound,
            relation="<=",
            kind="inference",
            premises=(
                Use(
                    "largest leverage",
                    of=of_a_record,
                    at={length: sp.sqrt(length2), c: level},
                    granted={LEVERAGE: "notation", RECORD.text: _BELOW.text},
                ),
            ),
        ),
        Step(
            "lone record",
            "which a record of norm l alone has: its Gram matrix is ridge I + v v^T, with v^T v = l^2,",
            kind="definition",
        ),
        Step(
            "inverse",
            "(ridge I + v v^T)^{-1} by Sherman-Morrison,",
            lhs=(level + v * vt) * inverse,
            rhs=sp.Integer(1),
            algebra=worst,
            premises=("lone record",),
        ),
        Step(
            "leverage there",
            "v^T (ridge I + v v^T)^{-1} v = l^2/(ridge + l^2).",
            lhs=vt * inverse * v,
            rhs=bound,
            algebra=worst,
            premises=("lone record", "inverse"),
        ),
        Step(
            "simpler bound",
            "l^2/ridge is larger.",
            lhs=length2 / level,
            rhs=bound,
            relation=">=",
            witness=length2**2 / (level * (level + length2)),
            premises=("every record",),
        ),
    )
    return Derivation(
        id="leverage.ridge",
        title="A ridge bounds every leverage",
        sources=("N26-T5.1",),
        hypotheses=(_BELOW,),
        steps=steps,
        result_step="leverage there",
        symbols={"length2": length2, "ridge": level},
        faults=(
            Fault("sign in Sherman-Morrison", "leverage there", lambda rhs: length2 / (level - length2)),
            Fault("bounds swapped", "simpler bound", lambda rhs: length2 / level + length2 / level),
        ),
        concludes=tuple(
            Conclusion(claim, end, part=f"{part}: {_BELOW.text}" if claim == "N24-T5" else part)
            for claim in ("N24-T5", "N24-T6", "N24-Fig12")
            for end, part in (
                ("every record", "the leverage of every record beside the ridge"),
                ("leverage there", "a record alone, which has that leverage"),
                ("simpler bound", "a simpler bound on the leverage"),
            )
        ),
    )
