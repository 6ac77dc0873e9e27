"""Moments of one row of a sketch, behind the limit law of sketched least squares."""

from __future__ import annotations

from functools import cache
from itertools import product

import sympy as sp

from ndis_verify.symbolic.block_algebra import BlockAlgebra, inverse, letter, without_rules
from ndis_verify.symbolic.derivation import Conclusion, Derivation, Fault, Hypothesis, Step, Use
from ndis_verify.symbolic.fact_steps import from_side
from ndis_verify.symbolic.notation import held, positive_definite, scalar, transpose
from ndis_verify.symbolic.sketch_records import B, Bt, S, b, inferred, named

_MOMENTS = (1, 0, 1, 0, 3)


def _expected(polynomial: sp.Expr, letters: tuple[sp.Symbol, ...]) -> sp.Expr:
    """The mean of a polynomial of independent standard normal variables, degree at most 4 in each."""
    terms = sp.Poly(sp.expand(polynomial), *letters).terms()
    return sp.expand(sum(c * sp.prod([_MOMENTS[k] for k in powers]) for powers, c in terms))


def _weighted() -> tuple[BlockAlgebra, dict[str, sp.Symbol]]:
    """B^T w = 0, with w of squared length W."""
    B, Bt, w, wt, x = (letter(name) for name in ["B", "Bt", "w", "wt", "x"])
    W = sp.Symbol("W", positive=True)
    design, residual = sp.Matrix([[1, 0], [0, 1], [1, 1]]), sp.Matrix([1, 1, -1])
    model = {B: design, Bt: design.T, w: residual, wt: residual.T, x: sp.Matrix([2, 5]), W: sp.Integer(3)}
    return BlockAlgebra({(Bt, w): 0, (wt, B): 0, (wt, w): W}, model), {
        "B": B,
        "Bt": Bt,
        "w": w,
        "wt": wt,
        "x": x,
        "W": W,
    }


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
    """X = B^T g g^T w, g a standard normal row of Pi: mean B^T w = 0, covariance ||w||^2 B^T B (N24-P13).

    `number`: E g^4 for g normal with standard deviation `std`.
    """
    algebra, n = _weighted()
    B, Bt, w, wt, x, W = (n[name] for name in ["B", "Bt", "w", "wt", "x", "W"])
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
        Step("second moment", "Second derivative at 0.", lhs=sp.Subs(sp.diff(transform, t, 2), t, 0), rhs=std**2),
        Step("fourth moment", "Fourth derivative at 0.", lhs=sp.Subs(sp.diff(transform, t, 4), t, 0), rhs=3 * std**4),
        Step(
            "nine entries, n = 3",
            "E g_i g_j (g^T w)^2 = [i=j] ||w||^2 + 2 w_i w_j, every entry of w symbolic.",
            lhs=sp.Matrix(entries),
            rhs=sp.Matrix(claimed),
        ),
        Step(
            "every n",
            "An entry (i, j) sees the coordinates other than i and j through the sum of their squared w alone, as their"
            " odd moments vanish: E[g g^T w w^T g g^T] = W I + 2 w w^T.",
            kind="argument",
        ),
        Step(
            "mean, any n and d",
            "E[g g^T] = I, and B^T w = 0: B^T b = B^T (B x + w) = B^T B x.",
            lhs=Bt * (B * x + w),
            rhs=Bt * B * x,
            algebra=algebra,
        ),
        Step(
            "covariance, any n and d",
            "B^T (W I + 2 w w^T) B = W B^T B.",
            lhs=Bt * (W + 2 * w * wt) * B,
            rhs=W * Bt * B,
            algebra=algebra,
        ),
    )
    return Derivation(
        id="least_squares_moments.second_moments",
        title="Mean and covariance of one row's share of B^T Pi^T Pi w",
        sources=("N24-P13",),
        hypotheses=("the row of Pi is standard normal", "B^T w = 0: w is the residual of least squares"),
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
            Fault("covariance doubled", "covariance, any n and d", lambda rhs: 2 * rhs),
        ),
        covers={"N24-P13": "whole"},
    )
