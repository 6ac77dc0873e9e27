"""Moments of one row of a sketch, behind the limit law of sketched least squares."""

from __future__ import annotations

from functools import cache
from itertools import product

import sympy as sp

from ndis_verify.symbolic.block_algebra import inverse, without_rules
from ndis_verify.symbolic.derivation import Conclusion, Derivation, Fault, Hypothesis, Step, Use
from ndis_verify.symbolic.fact_steps import from_side, inferred, named
from ndis_verify.symbolic.notation import held, positive_definite, scalar, transpose
from ndis_verify.symbolic.sketch_records import (
    B,
    Bt,
    S,
    b,
)

_MOMENTS = (1, 0, 1, 0, 3)
_ROW = "the row of Pi is standard normal"
_ENTRIES = "Pi r x n with independent standard normal entries"


def _expected(polynomial: sp.Expr, letters: tuple[sp.Symbol, ...]) -> sp.Expr:
    """The mean of a polynomial of independent standard normal variables, degree at most 4 in each."""
    terms = sp.Poly(sp.expand(polynomial), *letters).terms()
    return sp.expand(sum(c * sp.prod([_MOMENTS[k] for k in powers]) for powers, c in terms))


@cache
def residual_moments() -> Derivation:
    """B^T w = 0 for the residual w of b, so that `B^T (m I + 2 w w^T) B = m B^T B`, m = w^T w (N24-P13).

    `number`: the squared length of B^T w, 0.
    """
    given = "B^T B > 0"
    gram = Bt * B
    named_residual, stated = (b - B * of * Bt * b for of in (S, inverse(gram)))
    stated_turned = transpose(stated)
    turned = stated_turned.subs(inverse(gram), S)
    forms = without_rules((B, Bt, b, transpose(b), S))
    m = scalar(stated_turned * stated)
    size = sp.Symbol("m", real=True)
    steps = (
        named(S, "(B^T B)^{-1}.", inverse(gram), given),
        inferred("by name", "Named.", inverse(gram), "=", S, "S"),
        from_side(S, gram, "right", "It is an inverse,"),
        inferred(
            "B^T w",
            "so that no column of B sees the residual.",
            Bt * named_residual,
            "=",
            sp.Integer(0),
            Use("S from the right", between=(sp.Integer(-1), Bt * b)),
            algebra=forms,
        ),
        inferred(
            "mean",
            "The mean of a row of the sketch is 0.",
            scalar(stated_turned * B * Bt * stated),
            "=",
            sp.Integer(0),
            *("by name", Use("B^T w", between=(turned * B, sp.Integer(1)))),
            algebra=forms,
        ),
        Step("m", "Its squared length.", lhs=size, rhs=m, kind="definition"),
        inferred("m by name", "Named.", m, "=", size, "m"),
        inferred(
            "covariance",
            "What is left of its covariance.",
            Bt * (m + 2 * stated * stated_turned) * B,
            "=",
            m * Bt * B,
            *("m by name", "by name", Use("B^T w", between=(sp.Integer(2), turned * B))),
            algebra=forms,
        ),
    )
    return Derivation(
        id="least_squares_moments.residual_moments",
        title="No column of the features sees the residual",
        sources=("N24-P13",),
        hypotheses=(Hypothesis(given, positive_definite(gram)),),
        steps=steps,
        result_step="mean",
        symbols={},
        faults=(
            Fault("residual seen", "B^T w", lambda rhs: Bt * b),
            Fault("three times the covariance", "covariance", lambda rhs: 3 * rhs),
        ),
        concludes=tuple(Conclusion("N24-P13", end, {"B": B, "b": b}) for end in ("mean", "covariance")),
    )


@cache
def second_moments() -> Derivation:
    """Of g, a standard normal row of Pi: E g g^T = I, E g g^T w w^T g g^T = ||w||^2 I + 2 w w^T (N24-P13).

    `number`: E g^4 for g normal with standard deviation `std`.
    """
    std, t = sp.Symbol("std", positive=True), sp.Symbol("t", real=True)
    transform = sp.exp(std**2 * t**2 / 2)
    g, v = sp.symbols("g1:4", real=True), sp.symbols("w1:4", real=True)
    inner = sum((a * b for a, b in zip(g, v)), sp.Integer(0))
    length = sum((x**2 for x in v), sp.Integer(0))
    entries = [_expected(g[i] * g[j] * inner**2, g) for i, j in product(range(3), repeat=2)]
    claimed = [(held(length) if i == j else 0) + 2 * v[i] * v[j] for i, j in product(range(3), repeat=2)]
    steps = (
        Step(
            "transform",
            "E e^{t g} = e^{t^2 std^2/2} (random_projection.projected_covariance, one entry).",
            kind="definition",
        ),
        Step(
            "second moment",
            "Second derivative at 0.",
            lhs=sp.Subs(sp.diff(transform, t, 2), t, 0),
            rhs=std**2,
            premises=("transform",),
        ),
        Step(
            "fourth moment",
            "Fourth derivative at 0.",
            lhs=sp.Subs(sp.diff(transform, t, 4), t, 0),
            rhs=3 * std**4,
            premises=("transform",),
        ),
        Step(
            "nine entries, n = 3",
            "E g_i g_j (g^T w)^2 = [i=j] ||w||^2 + 2 w_i w_j, every entry of w symbolic.",
            lhs=sp.Matrix(entries),
            rhs=sp.Matrix(claimed),
        ),
        Step(
            "every n",
            "An entry (i, j) sees the coordinates other than i and j through the sum of their squared w alone, as their"
            " odd moments vanish: E[g g^T] = I and E[g g^T w w^T g g^T] = W I + 2 w w^T.",
            kind="argument",
            premises=(_ROW, "second moment", "fourth moment", "nine entries, n = 3"),
        ),
    )
    return Derivation(
        id="least_squares_moments.second_moments",
        title="Mean and covariance of one row's share of B^T Pi^T Pi w",
        sources=("N24-P13",),
        hypotheses=(_ROW,),
        steps=steps,
        result_step="fourth moment",
        symbols={"std": std},
        faults=(
            Fault("fourth moment without the 3", "fourth moment", lambda rhs: std**4),
            Fault(
                "second term dropped",
                "nine entries, n = 3",
                lambda rhs: sp.Matrix([length if i == j else 0 for i, j in product(range(3), repeat=2)]),
            ),
            Fault("twice the variance", "second moment", lambda rhs: 2 * rhs),
        ),
        concludes=(
            Conclusion("N24-P13", "every n", part="the moments of a row, in any direction"),
            *(
                Conclusion(claim, "every n", part="the moments of a row", granted={_ROW: _ENTRIES})
                for claim in ("N24-P11", "N24-L1")
            ),
        ),
    )
