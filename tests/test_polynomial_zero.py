"""Expressions that vanish as quotients of polynomials: what is told is true, and what should be told is."""

import mpmath
import pytest
import sympy as sp
from hypothesis import given
from hypothesis import strategies as st

from ndis_verify.symbolic.polynomial_zero import vanishes
from ndis_verify.symbolic.special_functions import Qg
from ndis_verify.symbolic.zero import nonzero_somewhere

A, B = sp.symbols("a b", positive=True)
X, Y = sp.symbols("x y", real=True)
Z = sp.Symbol("z")
SYMBOLS = (A, B, X, Y, Z)

leaves = st.sampled_from([*SYMBOLS, *(sp.Rational(n, d) for n in (-3, -1, 1, 2) for d in (1, 2))])


def grown(inner):
    """Sums, products, powers, exponentials and logarithms of what there is."""
    return st.one_of(
        st.tuples(inner, inner).map(lambda two: two[0] + two[1]),
        st.tuples(inner, inner).map(lambda two: two[0] * two[1]),
        st.tuples(inner, st.sampled_from([-2, -1, 2, 3])).map(lambda two: power(*two)),
        st.tuples(inner, st.sampled_from([sp.Rational(1, 2), -sp.Rational(1, 3), sp.Rational(5, 2), X, A / 2 - 1])).map(
            lambda two: power(*two)
        ),
        inner.map(lambda one: sp.exp(one / 2)),
        inner.map(lambda one: one if one == 0 else sp.log(one)),
        inner.map(lambda one: sp.erf(one)),
    )


def power(base, exponent):
    return sp.Integer(1) if base == 0 else base**exponent


expressions = st.recursive(leaves, grown, max_leaves=6)


def value(expression):
    """At a point where roots of negative numbers show their branch; None where there is no number."""
    point = {A: sp.Rational(7, 5), B: sp.Rational(3, 11), X: -sp.Rational(13, 10), Y: sp.Rational(9, 7)}
    with mpmath.workdps(40):
        try:
            found = sp.N(expression.subs({**point, Z: sp.Rational(-5, 3) + sp.I / 3}), 30)
            return None if found.has(sp.nan, sp.zoo, sp.oo) or not found.is_number else complex(found)
        except (TypeError, ValueError, OverflowError):
            return None


@given(expressions, expressions)
def test_what_is_told_to_vanish_does(one, other):
    """Of random expressions and of what the usual rules make of them, which may be another branch of a power."""
    for made in (other, sp.powsimp(one, force=True), sp.expand(one, force=True), sp.expand_log(one, force=True)):
        difference = one - made
        found = value(difference)
        if found is not None and abs(found) > 1e-9 * (1 + abs(value(one) or 0)):
            assert not vanishes(difference), (one, made, found)


@given(expressions, expressions)
def test_rules_that_hold_are_known(one, other):
    hypothetical = one + other
    for made in (
        sp.expand(hypothetical * (one - other)) - hypothetical * (one - other),
        sp.together(one / (1 + other**2)) - one / (1 + other**2),
        sp.exp(one) * sp.exp(other) - sp.exp(hypothetical),
        A**one * A**other - A**hypothetical,
    ):
        if not made.has(sp.I, sp.nan, sp.zoo, sp.oo, sp.re, sp.im, sp.arg):
            assert made == 0 or vanishes(made), made


K, R = sp.symbols("k r", positive=True)


@pytest.mark.parametrize(
    "expression",
    [
        sp.sqrt(A) ** 3 - A * sp.sqrt(A),
        (A * X) ** (R / 2) - A ** (R / 2) * X ** (R / 2),
        (K + K**2) ** R - K**R * (1 + K) ** R,
        sp.exp(R * sp.log(K) / 2) - K ** (R / 2),
        sp.exp(X * sp.log(2 * Z)) - 2**X * Z**X,
        sp.exp(R * sp.log(K**2 + 2 * K + 1)) - (K + 1) ** (2 * R),
        sp.log(8 * A**2 / 3) - 3 * sp.log(2) - 2 * sp.log(A) + sp.log(3),
        sp.log(1 / sp.sqrt(K + 1)) + sp.log(K + 1) / 2,
        sp.exp(-R / 2 + R * K / (2 * K + 2)) - sp.exp(-R / (2 * K + 2)),
        sp.erf((X**2 - 1) / (X - 1)) - sp.erf(X + 1),
        Qg(R / 2, K * (1 - 1 / (K + 1))) - Qg(R / 2, K**2 / (K + 1)),
        sp.Max(X, Y * (X + 1)) - sp.Max(X * Y + Y, X),
        1 / (sp.sqrt(5) - 2) - sp.sqrt(5) - 2,
        sp.sqrt(X + sp.sqrt(Y)) ** 4 - X**2 - Y - 2 * X * sp.sqrt(Y),
        (2 * Y - 2 * sp.log(A)) ** sp.Rational(1, 2) - sp.sqrt(2) * (Y - sp.log(A)) ** sp.Rational(1, 2),
        sp.Add(sp.UnevaluatedExpr(X) ** 2, -(X**2), evaluate=False),
    ],
)
def test_rules_one_by_one(expression):
    assert vanishes(expression)
    assert not nonzero_somewhere(expression)
    for wrong in (expression + sp.Rational(1, 10**9), 2 * expression + X**2, expression + sp.exp(-A)):
        assert not vanishes(wrong)


@pytest.mark.parametrize(
    "expression",
    [
        sp.sqrt(X**2) - X,
        (X * Y) ** sp.Rational(1, 2) - sp.sqrt(X) * sp.sqrt(Y),
        sp.log(X * Y) - sp.log(X) - sp.log(Y),
        sp.exp(2 * sp.log(Z) * X) - (Z**2) ** X,
        sp.log(X**2) - 2 * sp.log(X),
        sp.erf(X) - sp.erf(Y),
        sp.Symbol("u", commutative=False) * sp.Symbol("v", commutative=False)
        - sp.Symbol("v", commutative=False) * sp.Symbol("u", commutative=False),
        sp.sqrt(X + sp.Float("1.5")) - sp.sqrt(X + sp.Rational(3, 2)),
        sp.Integral(X, (X, 0, 1)) - sp.Integral(X, (X, 0, 2)),
        (1 + sp.exp(A) + X) ** 300 - (1 + sp.exp(A) + X) ** 299 * (1 + X) - (1 + sp.exp(A) + X) ** 299 * sp.exp(A),
    ],
)
def test_what_does_not_hold_everywhere_or_is_no_quotient_of_polynomials_is_not_told(expression):
    assert not vanishes(expression)


def test_a_division_by_what_vanishes_is_no_value():
    nothing = sp.Add(A, -A, evaluate=False)
    assert not vanishes(sp.Mul(nothing, sp.Pow(nothing, -1, evaluate=False), evaluate=False))
