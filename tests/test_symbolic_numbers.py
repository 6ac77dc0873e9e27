"""The number of each derivation against routes that share nothing with it: direct quadrature of the definition."""

from __future__ import annotations

import itertools
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ndis_verify.exact_number import InputError
from ndis_verify.symbolic import (
    chi_square_hinges,
    counting_queries,
    generalized_chi2,
    hinge,
    leverage,
    mean_shift,
    mean_shift_order,
    moment_generating,
    ndis_lemma,
    privacy_loss,
    random_linear_combination,
    random_projection,
    random_projection_order,
)

DIGITS = 30


def rationals(low: str, high: str) -> st.SearchStrategy[Fraction]:
    return st.fractions(min_value=low, max_value=high, max_denominator=1000)


def mpf(value: Fraction | int | str) -> mpmath.mpf:
    fraction = Fraction(value)
    return mpmath.mpf(fraction.numerator) / fraction.denominator


def close(left: mpmath.mpf, right: mpmath.mpf, digits: int = DIGITS) -> bool:
    return abs(left - right) <= mpmath.mpf(10) ** (-digits) * max(1, abs(right))


def normal_pdf(z: mpmath.mpf) -> mpmath.mpf:
    return mpmath.exp(-z * z / 2) / mpmath.sqrt(2 * mpmath.pi)


def chi2_expectation(function, r: int, low, high):
    """int_low^high f(t) dF(t), F the chi-square law, through t = x^2, which removes the singularity at 0."""
    constant = 2 ** (1 - mpmath.mpf(r) / 2) / mpmath.gamma(mpmath.mpf(r) / 2)
    start, end = mpmath.sqrt(low), mpmath.sqrt(high)
    integrand = lambda x: x ** (r - 1) * mpmath.exp(-x * x / 2) * function(x * x)
    panels = mpmath.linspace(start, end, int(end - start) // 2 + 2)
    return constant * mpmath.quad(integrand, panels, method="gauss-legendre")


def one_dimension(eigenvalue: mpmath.mpf, shift: mpmath.mpf, eps: mpmath.mpf) -> mpmath.mpf:
    """int max(p - e^eps q, 0) for P = N(shift, eigenvalue), Q = N(0, 1), cut where p = e^eps q."""
    p = lambda x: normal_pdf((x - shift) / mpmath.sqrt(eigenvalue)) / mpmath.sqrt(eigenvalue)
    gap = lambda x: p(x) - mpmath.exp(eps) * normal_pdf(x)
    quadratic = [
        (1 - 1 / eigenvalue) / 2,
        shift / eigenvalue,
        -(shift**2) / (2 * eigenvalue) - mpmath.log(eigenvalue) / 2 - eps,
    ]
    square, linear, constant = quadratic
    if square == 0:
        roots = [-constant / linear]
    else:
        discriminant = linear**2 - 4 * square * constant
        roots = (
            []
            if discriminant < 0
            else sorted((-linear + sign * mpmath.sqrt(discriminant)) / (2 * square) for sign in (1, -1))
        )
    reach = 14 * (1 + mpmath.sqrt(eigenvalue)) + abs(shift)
    cuts = [-reach, *(root for root in roots if abs(root) < reach), reach]
    total = mpmath.mpf(0)
    for low, high in itertools.pairwise(cuts):
        if gap((low + high) / 2) > 0:
            total += mpmath.quad(gap, mpmath.linspace(low, high, 17))
    return total


@settings(max_examples=5)
@given(rationals("0.2", "4"), rationals("-2", "3"))
def test_mean_shift_equals_the_integral_of_its_definition(shift: Fraction, eps: Fraction) -> None:
    with mpmath.workdps(40):
        expected = one_dimension(mpmath.mpf(1), mpf(shift), mpf(eps))
        assert close(mean_shift.hockey_stick().number(DIGITS, shift=shift, epsilon=eps), expected)
        assert close(mean_shift.erf_form().number(DIGITS, shift=shift, epsilon=eps), expected)
        assert close(mean_shift.tails().number(DIGITS, shift=shift, epsilon=eps), expected)
        assert close(
            privacy_loss.gaussian_profile().number(DIGITS, sensitivity=3 * shift, std=3, epsilon=eps), expected
        )


@settings(max_examples=5)
@given(rationals("0.1", "3"), rationals("-2", "2"))
def test_linear_hinge_expectation(slope: Fraction, c: Fraction) -> None:
    with mpmath.workdps(40):
        b, constant = mpf(slope), mpf(c)
        edge = -constant / b
        expected = mpmath.quad(
            lambda z: (1 - mpmath.exp(constant + b * z)) * normal_pdf(z), mpmath.linspace(min(edge - 1, -16), edge, 17)
        )
        assert close(hinge.linear_exponent().number(DIGITS, c=c, slope=slope), expected)


@settings(max_examples=5)
@given(rationals("0.05", "0.95"), st.integers(1, 12), rationals("0.01", "2"))
def test_projection_equals_the_hinge_expectation_over_chi_square(p: Fraction, r: int, eps: Fraction) -> None:
    with mpmath.workdps(40):
        leverage_value, level = mpf(p), mpf(eps)
        rho = 1 / (1 - leverage_value)
        half_log = r * mpmath.log(rho) / 2
        hinge = lambda t: -mpmath.expm1(level + half_log + (1 - rho) * t / 2)
        edge = 2 * (level + half_log) / (rho - 1)
        delete = chi2_expectation(hinge, r, edge, edge + 180 + 4 * r)
        got = random_projection.hockey_stick_deletion().number(DIGITS, leverage=p, r=r, epsilon=eps)
        assert close(got, delete)
        hinge = lambda t: -mpmath.expm1(level - half_log + leverage_value * t / 2)
        edge = 2 * (half_log - level) / leverage_value
        insert = chi2_expectation(hinge, r, 0, edge) if edge > 0 else mpmath.mpf(0)
        got_insert = random_projection.hockey_stick_insertion().number(DIGITS, leverage=p, r=r, epsilon=eps)
        assert close(got_insert, insert)
        assert edge > 0 or got_insert == 0
        difference = random_projection_order.deletion_dominates().number(DIGITS, leverage=p, r=r, epsilon=eps)
        assert close(difference, delete - insert)
        assert difference >= -(mpmath.mpf(10) ** -DIGITS)


@settings(max_examples=5)
@given(rationals("0.05", "0.95"), rationals("0", "2"))
def test_one_column_forms_are_the_general_forms_at_r_1(p: Fraction, eps: Fraction) -> None:
    pairs = (
        (random_linear_combination.hockey_stick_deletion, random_projection.hockey_stick_deletion),
        (random_linear_combination.hockey_stick_insertion, random_projection.hockey_stick_insertion),
    )
    for one, general in pairs:
        with mpmath.workdps(40):
            assert close(
                one().number(DIGITS, leverage=p, epsilon=eps), general().number(DIGITS, leverage=p, r=1, epsilon=eps)
            )


@settings(max_examples=4)
@given(rationals("0.1", "3"), rationals("0", "2"), st.integers(1, 8))
def test_truncated_chi_square_expectations(scale: Fraction, c: Fraction, r: int) -> None:
    with mpmath.workdps(40):
        g, constant = mpf(scale), mpf(c)
        hinge = lambda t: -mpmath.expm1(constant - g * t / 2)
        upper = chi2_expectation(hinge, r, 2 * constant / g, 2 * constant / g + 180)
        assert close(chi_square_hinges.upper_expectation().number(DIGITS, c=c, scale=scale, r=r), upper)
        fraction = scale / (scale + 1)
        a, negative = mpf(fraction), -constant - mpmath.mpf(1) / 8
        rising = lambda t: -mpmath.expm1(negative + a * t / 2)
        lower = chi2_expectation(rising, r, 0, -2 * negative / a)
        arguments = {"c": -c - Fraction(1, 8), "fraction": fraction}
        assert close(chi_square_hinges.lower_expectation().number(DIGITS, r=r, **arguments), lower)
        if r == 1:
            assert close(random_linear_combination.upper_expectation().number(DIGITS, c=c, scale=scale), upper)
            assert close(random_linear_combination.lower_expectation().number(DIGITS, **arguments), lower)


@settings(max_examples=4)
@given(rationals("0.05", "0.9"), st.integers(1, 9), rationals("0", "2"))
def test_derivative_in_leverage_against_numerical_differentiation(p: Fraction, r: int, eps: Fraction) -> None:
    with mpmath.workdps(60):
        level, s = mpf(eps), mpmath.mpf(r) / 2

        def curve(x: mpmath.mpf) -> mpmath.mpf:
            edge = (level - s * mpmath.log(1 - x)) * (1 - x) / x
            upper = lambda at: mpmath.gammainc(s, at, regularized=True)
            return upper(edge) - mpmath.exp(level) * upper(edge / (1 - x))

        got = random_projection_order.derivative_in_leverage().number(DIGITS, leverage=p, r=r, epsilon=eps)
        # The difference quotient is good for about half of the working digits.
        assert close(got, mpmath.diff(curve, mpf(p)), digits=20)
        assert got > 0


@settings(max_examples=4)
@given(rationals("0.2", "4"), rationals("-1", "3"))
def test_derivatives_of_the_mean_shift_profile(shift: Fraction, eps: Fraction) -> None:
    with mpmath.workdps(60):
        curve = lambda d, e: mpmath.ncdf(d / 2 - e / d) - mpmath.exp(e) * mpmath.ncdf(-d / 2 - e / d)
        at = {"shift": shift, "epsilon": eps}
        in_shift = mean_shift_order.derivative_in_shift().number(DIGITS, **at)
        in_epsilon = mean_shift_order.derivative_in_epsilon().number(DIGITS, **at)
        assert close(in_shift, mpmath.diff(lambda d: curve(d, mpf(eps)), mpf(shift)), digits=20)
        assert close(in_epsilon, mpmath.diff(lambda e: curve(mpf(shift), e), mpf(eps)), digits=20)


@settings(max_examples=5)
@given(rationals("0.05", "0.9"), rationals("-2", "2"), rationals("-0.5", "0.5"))
def test_two_chi_square_laws_in_one_coordinate(a: Fraction, b: Fraction, eps: Fraction) -> None:
    with mpmath.workdps(40):
        eigenvalue = 1 - mpf(a)
        # b = -lambda h and Q has unit variance after scaling: the shift in Q's units is sqrt(lambda) h.
        expected = one_dimension(eigenvalue, -mpf(b) / mpmath.sqrt(eigenvalue), mpf(eps))
        try:
            got = generalized_chi2.hockey_stick().number(DIGITS, fraction=a, b=b, epsilon=eps)
        except InputError:
            got = mpmath.mpf(0)  # t below the shift: W1 <= t is impossible
        assert close(got, expected)


@settings(max_examples=4)
@given(rationals("0.3", "3"), rationals("-1", "1"), rationals("-0.2", "0.2"))
def test_generalized_chi2_log_moment(noncentrality: Fraction, w: Fraction, u: Fraction) -> None:
    with mpmath.workdps(40):
        nu, weight, at = abs(mpf(noncentrality)), mpf(w), mpf(u)
        root = mpmath.sqrt(nu)
        one = mpmath.quad(
            lambda z: mpmath.exp(at * weight * (z + root) ** 2) * normal_pdf(z), mpmath.linspace(-30, 30, 33)
        )
        central = mpmath.quad(lambda z: mpmath.exp(at * weight * z**2) * normal_pdf(z), mpmath.linspace(-30, 30, 33))
        gauss = mpmath.quad(lambda z: mpmath.exp(at * 2 * z) * normal_pdf(z), mpmath.linspace(-30, 30, 33))
        expected = mpmath.log(one) + 2 * mpmath.log(central) + mpmath.log(gauss) + at / 3
        got = generalized_chi2.definition().number(
            DIGITS, w=w, dof=3, noncentrality=abs(noncentrality), std=2, m=Fraction(1, 3), u=u
        )
        assert close(got, expected)


@settings(max_examples=4)
@given(rationals("0.2", "4"), rationals("-2", "2"), rationals("-1", "0.3"))
def test_loss_moment_against_quadrature(lam: Fraction, m: Fraction, s: Fraction) -> None:
    if s * (lam - 1) >= Fraction(9, 10):
        s = s / 10
    with mpmath.workdps(40):
        eigenvalue, shift, at = mpf(lam), mpf(m), mpf(s)
        p = lambda x: -((x - shift) ** 2) / (2 * eigenvalue) - mpmath.log(2 * mpmath.pi * eigenvalue) / 2
        q = lambda x: -(x**2) / 2 - mpmath.log(2 * mpmath.pi) / 2
        integral = mpmath.quad(lambda x: mpmath.exp((1 + at) * p(x) - at * q(x)), mpmath.linspace(-120, 120, 121))
        assert close(moment_generating.loss_moment().number(25, lam=lam, m=m, s=s), mpmath.log(integral), digits=20)


@pytest.mark.parametrize(
    ("eigenvalue", "shift", "eps"),
    [
        ("2", "0.5", "1"),
        ("0.5", "1", "0.3"),
        ("0.5", "1", "-0.4"),
        ("1", "1.5", "0.7"),
        ("4", "0", "0.1"),
        ("0.25", "2", "2"),
    ],
)
def test_single_integral_in_one_dimension(eigenvalue: str, shift: str, eps: str) -> None:
    got = moment_generating.hockey_stick([eigenvalue], [shift], eps, digits=DIGITS)
    with mpmath.workdps(40):
        assert close(got, one_dimension(mpf(eigenvalue), mpf(shift), mpf(eps)), digits=DIGITS - 2)


def test_single_integral_in_several_dimensions_is_the_projection_form() -> None:
    # Leverage 1/3 deleted, three columns: eigenvalue rho = 3/2 three times.
    got = moment_generating.hockey_stick(["1.5"] * 3, [0] * 3, "0.4", digits=20)
    expected = random_projection.hockey_stick_deletion().number(DIGITS, leverage=Fraction(1, 3), r=3, epsilon="0.4")
    assert close(got, expected, digits=18)


def test_single_integral_splits_a_shift_between_equal_coordinates() -> None:
    one = moment_generating.hockey_stick(["0.6", "0.6"], ["0.5", 0], "0.2", digits=15)
    two = moment_generating.hockey_stick(["0.6", "0.6"], ["0.3", "0.4"], "0.2", digits=15)
    assert close(one, two, digits=14)


def test_integrand_is_what_the_quadrature_sums() -> None:
    values = {
        "lam1": 2,
        "lam2": "0.5",
        "m1": "0.3",
        "m2": -1,
        "epsilon": "0.5",
        "s0": "0.5",
        "bend": "0.5",
        "tau": "0.7",
    }
    got = moment_generating.single_integral(2).number(DIGITS, **values)
    with mpmath.workdps(40):
        s = mpf("0.5") + mpf("0.5") * (mpmath.cosh(mpf("0.7")) - 1) + 1j * mpmath.sinh(mpf("0.7"))
        speed = mpf("0.5") * mpmath.sinh(mpf("0.7")) + 1j * mpmath.cosh(mpf("0.7"))
        total = -s * mpf("0.5")
        for lam, m in ((mpf(2), mpf("0.3")), (mpf("0.5"), mpf(-1))):
            total += -(s * mpmath.log(lam) + mpmath.log(1 - s * (lam - 1))) / 2 + s * (s + 1) * m**2 / (
                2 * (1 - s * (lam - 1))
            )
        assert close(got, mpmath.exp(total) / (s * (s + 1)) * speed / (1j * mpmath.pi))


def test_payoff_transform_and_largest_loss() -> None:
    with mpmath.workdps(40):
        transform = mpmath.quad(lambda u: -mpmath.expm1(-u) * mpmath.exp(-u * 3 / 2), mpmath.linspace(0, 100, 41))
        assert close(moment_generating.payoff_transform().number(DIGITS, s="1.5"), transform, digits=25)
        bound = moment_generating.largest_loss().number(DIGITS, lam="0.25", m=2)
    assert moment_generating.hockey_stick(["0.25"], [2], bound + mpmath.mpf("0.001"), digits=12) < mpmath.mpf(10) ** -11
    assert moment_generating.hockey_stick(["0.25"], [2], bound - mpmath.mpf("0.1"), digits=12) > mpmath.mpf(10) ** -6


def test_log_density_ratio_is_the_log_of_the_densities() -> None:
    with mpmath.workdps(40):
        lam, h, z, eps = mpf("0.7"), mpf("-1.2"), mpf("0.4"), mpf("0.3")
        loss = mpmath.log(normal_pdf(z)) - mpmath.log(mpmath.sqrt(lam) * normal_pdf(mpmath.sqrt(lam) * (z + h)))
        got = ndis_lemma.log_density_ratio().number(DIGITS, lam="0.7", h="-1.2", z="0.4", epsilon="0.3")
        assert close(got, eps - loss)
        assert close(ndis_lemma.hockey_stick().number(DIGITS, q=-2), 1 - mpmath.exp(-2))
        assert ndis_lemma.hockey_stick().number(DIGITS, q=2) == 0
        tilted = generalized_chi2.change_of_measure().number(DIGITS, lam="0.7", b="0.9", z="0.4")
        assert close(tilted, mpmath.npdf(mpf("0.4"), mpf("0.9") / mpf("0.7"), 1 / mpmath.sqrt(mpf("0.7"))))


def test_the_two_polynomials() -> None:
    a, b, point = Fraction(-3, 2), Fraction(2, 5), Fraction(1, 7)
    first = generalized_chi2.first_law().number(DIGITS, weight=a, b=b, z=point)
    with mpmath.workdps(40):
        assert close(first, mpf(a * point**2 / 2 + b * point))
        y = mpf(b) / mpf(1 - a) + mpf(point) / mpmath.sqrt(mpf(1 - a))
        second = generalized_chi2.second_law().number(DIGITS, weight=a, b=b, x=point)
        assert close(second, mpf(a) * y**2 / 2 + mpf(b) * y)


def test_a_leverage_beside_a_ridge() -> None:
    assert float(leverage.ridge().number(DIGITS, length2=2, ridge=3)) == pytest.approx(0.4)


def test_remaining_numbers() -> None:
    with mpmath.workdps(40):
        assert close(mean_shift.privacy_loss().number(DIGITS, t=3, v="1.125"), mpmath.ncdf(mpf("1.25")))
        assert close(counting_queries.sensitivity_norms().number(DIGITS, k=5, n=7), mpmath.sqrt(5) / 7)
        assert close(
            privacy_loss.triangle().number(DIGITS, first="0.1", second="0.2", e1="0.5"),
            mpf("0.1") + mpmath.exp(0.5) * mpf("0.2"),
        )
        assert close(
            privacy_loss.two_tails().number(DIGITS, upper="0.4", lower="0.1", epsilon=1),
            mpf("0.4") - mpmath.e * mpf("0.1"),
        )
        assert close(privacy_loss.dp_iff_hockey_stick().number(DIGITS, p=3, q=1, epsilon=1), 3 - mpmath.e)
        assert privacy_loss.dp_iff_hockey_stick().number(DIGITS, p=1, q=1, epsilon=1) == 0
        assert close(random_projection.projected_covariance().number(DIGITS, x=3), mpf("4.5"))
        logarithm = 5 * mpmath.log(2) / 2
        assert close(random_projection.quadratic_form_deletion().number(DIGITS, leverage="0.5", r=5), logarithm)
        assert close(random_projection.quadratic_form_insertion().number(DIGITS, leverage="0.5", r=5), -logarithm)


def test_float64_broadcasts_and_agrees() -> None:
    eps = np.linspace(0, 4, 9)
    got = random_projection.hockey_stick_insertion().number(leverage=0.5, r=4, epsilon=eps)
    assert got.shape == eps.shape and got[-1] == 0
    exact = [random_projection.hockey_stick_insertion().number(20, leverage="0.5", r=4, epsilon=float(e)) for e in eps]
    assert np.allclose(got, [float(value) for value in exact], rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize(
    ("derivation", "values", "message"),
    [
        (random_projection.hockey_stick_deletion, {"leverage": 1, "r": 2, "epsilon": 1}, "must satisfy"),
        (random_projection.hockey_stick_deletion, {"leverage": "0.5", "r": 2, "epsilon": -1}, "must satisfy"),
        (random_projection.hockey_stick_deletion, {"leverage": "0.5", "r": "2.5", "epsilon": 1}, "integer"),
        (mean_shift.hockey_stick, {"shift": 0, "epsilon": 1}, "positive"),
        (mean_shift.hockey_stick, {"shift": "nonsense", "epsilon": 1}, "decimal number"),
        (mean_shift.hockey_stick, {"shift": float("inf"), "epsilon": 1}, "finite"),
        (mean_shift.hockey_stick, {"shift": 1}, "must be exactly"),
        (chi_square_hinges.lower_expectation, {"c": 1, "fraction": 1, "r": 2}, "must satisfy"),
    ],
)
def test_numbers_outside_the_hypotheses_are_refused(derivation, values, message: str) -> None:
    with pytest.raises(InputError, match=message):
        derivation().number(DIGITS, **values)


def test_float_values_outside_the_hypotheses_are_refused() -> None:
    with pytest.raises(InputError, match="must satisfy"):
        random_projection.hockey_stick_deletion().number(leverage=np.array([0.5, 1.0]), r=2, epsilon=1.0)
    with pytest.raises(InputError, match="finite"):
        mean_shift.hockey_stick().number(shift=np.nan, epsilon=1.0)


def test_working_precision_does_not_leak() -> None:
    before = mpmath.mp.dps
    mean_shift.hockey_stick().number(40, shift=1, epsilon=1)
    moment_generating.hockey_stick([2], [1], 1, digits=20)
    assert mpmath.mp.dps == before
