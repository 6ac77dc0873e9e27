"""Integrals at a point: the value that mpmath's own rule has, and nothing where it is not sure of one."""

import mpmath
import pytest
import sympy as sp

from ndis_verify.symbolic import integral_values, zero
from ndis_verify.symbolic.integral_values import Unfit, integral_value
from ndis_verify.symbolic.zero import zero_at_points

X, Z = sp.symbols("x z", real=True)
A, B, C = sp.symbols("a b c", positive=True)
PHI = sp.exp(-(Z**2) / 2) / sp.sqrt(2 * sp.pi)
OO = sp.oo
KNOWN = {A: sp.Rational(3, 10), B: sp.Rational(2, 3), C: sp.Rational(17, 10), X: -sp.Rational(2, 5)}
EXACT = [
    (PHI, (Z, -OO, OO), 1),
    (PHI * sp.exp(A * Z), (Z, -OO, OO), sp.exp(A**2 / 2)),
    (PHI * sp.exp(Z**2 / 2 * (1 - A)), (Z, -OO, OO), 1 / sp.sqrt(A)),  # one exponential alone grows without end
    (PHI * Z**2, (Z, -OO, OO), 1),
    (PHI, (Z, -OO, X), (1 + sp.erf(X / sp.sqrt(2))) / 2),
    (PHI, (Z, X, OO), (1 - sp.erf(X / sp.sqrt(2))) / 2),
    (sp.exp(-B * Z), (Z, 0, OO), 1 / B),
    (Z**C * sp.exp(-B * Z), (Z, 0, OO), sp.gamma(C + 1) / B ** (C + 1)),
    (sp.log(Z), (Z, 0, A), A * sp.log(A) - A),
    (1 / sp.sqrt(Z), (Z, 0, A), 2 * sp.sqrt(A)),
    (1 / (1 + Z**2), (Z, -OO, OO), sp.pi),
    (Z**-2, (Z, 1, OO), 1),
    (sp.Max(Z, X) + sp.Abs(Z), (Z, 0, A), A**2),
    (Z**2, (Z, A, X), (X**3 - A**3) / 3),
    (PHI, (Z, A, A), 0),
]


def known_at(digits):
    with mpmath.workdps(digits):
        return {symbol: zero._number(value) for symbol, value in KNOWN.items()}


def value(integral, digits):
    with mpmath.workdps(digits):
        return integral_value(integral, known_at(digits))


@pytest.mark.parametrize(("integrand", "limits", "exact"), EXACT, ids=str)
@pytest.mark.parametrize("digits", [20, 50, 100])
def test_the_value_is_right_and_mpmaths(integrand, limits, exact, digits):
    integral = sp.Integral(integrand, limits)
    found = value(integral, digits)
    with mpmath.workdps(2 * digits):
        off = abs(found - mpmath.mpf(sp.N(sp.sympify(exact).subs(KNOWN), 2 * digits)))
    kinked = integrand.has(sp.Max) or integrand == 1 / sp.sqrt(Z)  # the rule itself loses digits there
    assert off <= mpmath.mpf(10) ** (-digits / 4 if kinked else 3 - digits)
    with mpmath.workdps(digits):
        theirs = zero._as_a_whole(integral, known_at(digits))
        assert abs(found - theirs) <= mpmath.mpf(10) ** (-digits / 4 if kinked else 3 - digits)


@pytest.mark.parametrize(
    "integral",
    [
        sp.Integral(sp.zeta(Z), (Z, 2, 3)),  # a function that is not in the list
        sp.Integral(sp.Function("f")(Z), (Z, 0, 1)),
        sp.Integral(sp.log(Z), (Z, X, 1)),  # complex where Z is negative
        sp.Integral(1 / Z, (Z, -1, 1)),  # no value at a node
        sp.Integral(PHI * Z, (Z, -OO, OO)),  # 0, of which no digit is right
        sp.Integral(sp.exp(-Z), (Z, OO, 0)),
        sp.Integral(A * Z, (Z, 0, 1), (A, 0, 1)),
        sp.Integral(A * Z, Z),
        sp.Integral(sp.exp(sp.Symbol("unknown") * Z), (Z, 0, 1)),
    ],
    ids=str,
)
def test_nothing_is_said_where_it_is_not_sure(integral):
    with pytest.raises(Unfit):
        value(integral, 50)


def test_then_mpmath_says_it(monkeypatch):
    point = {X: KNOWN[X], A: KNOWN[A]}
    for integral in (sp.Integral(sp.log(Z), (Z, X, 1)), sp.Integral(A * Z, (Z, 0, 1), (A, 0, 1))):
        with mpmath.workdps(30):
            theirs = zero._as_a_whole(integral, known_at(30))
        assert zero.value_at(integral, point, 30) == theirs
    asked = []
    monkeypatch.setattr(zero, "_as_a_whole", lambda node, known: asked.append(node))
    assert zero.value_at(sp.Integral(PHI * A, (Z, -OO, OO)), point, 30) is not None and not asked


def test_two_integrals_alike_but_for_one_number_are_told_apart():
    integral = sp.Integral(PHI * sp.exp(A * Z), (Z, -OO, OO))
    for near in (sp.Rational(1, 10**30), -sp.Rational(1, 10**30), 1):
        other = sp.Integral(PHI * sp.exp((A + near) * Z), (Z, -OO, OO))
        assert zero_at_points(integral - other) is False
    assert zero_at_points(integral - sp.exp(A**2 / 2)) is True
    assert zero_at_points(integral - sp.exp(A**2 / 2) * (1 + sp.Rational(1, 10**20))) is False


def test_nodes_are_those_of_the_precision_that_is_asked_for():
    """They are kept from call to call."""
    integral = sp.Integral(PHI * sp.exp(A * Z), (Z, -OO, X))
    first = [value(integral, digits) for digits in (20, 60, 120)]
    integral_values._gaps.cache_clear()
    integral_values._nodes_without_end.cache_clear()
    assert [value(integral, digits) for digits in (120, 60, 20)] == first[::-1]
