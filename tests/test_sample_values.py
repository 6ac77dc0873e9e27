"""Values at sample points, by which an identity is first asked, against SymPy's own evaluation."""

from itertools import product

import mpmath
import pytest
import sympy as sp

from ndis_verify.symbolic.special_functions import Phi
from ndis_verify.symbolic.zero import is_zero, nonzero_somewhere, sample_points, value_at

x, y = sp.symbols("x y", real=True)
p, k = sp.Symbol("p", positive=True), sp.Symbol("k", positive=True, integer=True)
t = sp.Symbol("t", real=True)
EXPRESSIONS = (
    x - y / 3 + sp.Rational(1, 7),
    x**3 * y**-2 * p ** sp.Rational(1, 3) * sp.pi,
    sp.sqrt(-p) + (-p) ** (x / 2),
    2 ** (x * y) - sp.exp(-(x**2) / 2) * sp.log(p + 1),
    sp.Max(x, y, 0) + sp.Min(x, -y) + sp.Abs(y),
    Phi(x) + sp.erf(x - y) * sp.erfc(p),
    sp.uppergamma(p, p + 1) - sp.lowergamma(p + 1, p) + sp.gamma(p) + sp.besseli(1, p),
    sp.binomial(k + 2, k) + sp.factorial(k),
    sp.Piecewise((x, x > y), (y**2, True)) + sp.Heaviside(p),
    sp.Integral(sp.exp(-p * t**2) * t**2, (t, 0, x)),
    sp.Sum(p**t / (1 + p), (t, 1, 5)),
    sp.exp(sp.EulerGamma * p),
)


@pytest.mark.parametrize(("expression", "number"), list(product(EXPRESSIONS, range(2))))
def test_a_value_is_that_of_the_expression(expression, number):
    point = sample_points(expression.free_symbols)[number]
    found = value_at(expression, point, 50)
    with mpmath.workdps(40):
        plain = expression.replace(Phi, lambda u: (1 + sp.erf(u / sp.sqrt(2))) / 2)
        wanted = mpmath.mpmathify(sp.N(plain.subs(point).doit(), 45))
        assert abs(found - wanted) <= mpmath.mpf(10) ** -35 * max(1, abs(wanted))


@pytest.mark.parametrize(
    "expression", [sp.log(x - x, evaluate=False), 1 / (x - sp.Rational(1, 3)), sp.Function("f")(x)]
)
def test_what_has_no_value_is_none(expression):
    assert value_at(expression, {x: sp.Rational(1, 3)}, 30) is None


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_a_small_part_too_much_is_seen_and_nothing_is_not(expression):
    assert nonzero_somewhere(expression - expression.xreplace({x: x + sp.Rational(1, 10**9), p: p + 1, k: k + 1}))
    same = sp.Add(expression, sp.Mul(-1, expression, evaluate=False), evaluate=False)
    assert not nonzero_somewhere(same)


def test_numbers_of_which_the_largest_is_another_at_few_points_are_told_apart():
    """Written out by absolute values the difference took minutes; at the first sample points it is 0."""
    a, b, c, d = sp.symbols("a b c d", positive=True)
    largest = sp.Max(1, (a - c) / b, (1 - b - c) / (1 - a), (b - c) / a, (1 - a - c) / (1 - b))
    other = sp.Max(1, (a - c) / b, (1 - b - c) / (1 - a), a / (b - c), (1 - a - c) / (1 - b))
    gap = sp.Max(0, a - b * largest) - sp.Max(0, a - b * other)
    assert not nonzero_somewhere(gap)
    assert is_zero(gap) is False


def test_what_is_lost_in_a_larger_number_is_no_difference():
    """At one of many points e^{-x/k} is 1e-125 of the other number, and max(0, a - b) is a at 50 digits and at 100."""
    a, b, x, k = sp.symbols("a b x k", positive=True)
    small = b * sp.exp(-x / k)
    assert is_zero(sp.Max(0, a - small) + sp.Min(a, small) - a) is True
    assert is_zero(sp.Max(0, a - small) + sp.Min(a, small) - 2 * a) is False
