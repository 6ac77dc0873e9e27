"""Trade-off curves: fast against certified, known points, conversion from a profile, bad input."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ndis_verify.exact_number import InputError
from ndis_verify.fast import trade_off as fast
from ndis_verify.oracle import trade_off as certified
from ndis_verify.oracle.finite_trade_off import converted, exact_trade_off

levels = st.floats(1e-9, 1 - 1e-9)
shares = st.floats(0.01, 1)


@given(levels, st.floats(0.01, 6))
def test_gaussian_curve_against_the_certified_one(alpha, mu):
    assert float(fast.gaussian_trade_off(alpha, mu)) == pytest.approx(
        float(certified.gaussian_trade_off(alpha, mu, 15).mid), rel=1e-10
    )


@given(levels, st.floats(0.01, 20))
def test_laplace_branches_against_the_cdf_and_its_inverse(alpha, mu):
    assert float(fast.laplace_trade_off(alpha, mu)) == pytest.approx(
        float(certified.laplace_trade_off(alpha, mu, 15).mid), rel=1e-10
    )


@given(shares, st.floats(0.1, 3), st.floats(-2, 4))
def test_subsampled_parameter_never_exceeds_one_over_std(rate, std, threshold):
    value = certified.subsampled_gdp_parameter(rate, std, threshold, 10) if rate > 0.01 else None
    found = float(fast.subsampled_gdp_parameter(rate, std, threshold))
    assert found <= 1 / std * (1 + 1e-9) + 1e-9
    if value is not None:
        assert found == pytest.approx(float(value.mid), rel=1e-8, abs=1e-8)


@given(levels, st.floats(0.01, 4))
def test_the_parameter_is_read_back_from_a_point_of_the_curve(alpha, mu):
    beta = float(fast.gaussian_trade_off(alpha, mu))
    if 1e-12 < beta < 1:
        assert float(fast.gdp_parameter(alpha, beta)) == pytest.approx(mu, rel=1e-6, abs=1e-6)
        assert float(certified.gdp_parameter(alpha, beta, 10).mid) == pytest.approx(mu, rel=1e-6, abs=1e-6)


def test_known_points():
    assert float(fast.laplace_trade_off(0.5, 2.0)) == pytest.approx(np.exp(-2) / 2)
    assert fast.laplace_trade_off(0.0, 1.0) == 1.0 and fast.laplace_trade_off(1.0, 1.0) == 0.0
    assert float(fast.gaussian_trade_off(0.25, 0.0)) == pytest.approx(0.75)
    assert certified.gdp_parameter("0.25", "0.75").mid == 0
    # threshold 1 of N(1, 1/4) against N(0, 1/4): FPR 1 - Phi(2), FNR 1/2
    assert float(certified.subsampled_gdp_parameter(1, "0.5", 1).mid) == pytest.approx(2.0)


def test_one_exact_line_of_a_profile():
    assert fast.profile_trade_off([0.0, 0.25, 1.0], [0.0], [0.5]).tolist() == [0.5, 0.25, 0.0]
    assert float(fast.profile_trade_off(0.1, [1.0], [0.05])) == pytest.approx(1 - 0.05 - np.e * 0.1)


def test_finite_curves_by_hand():
    p, q = (Fraction(1), Fraction(0)), (Fraction(1, 2), Fraction(1, 2))
    assert exact_trade_off(p, q, Fraction(0)) == Fraction(1, 2)
    assert exact_trade_off(q, p, Fraction(0)) == 1
    assert exact_trade_off(q, p, Fraction(1, 4)) == Fraction(1, 2)
    assert exact_trade_off(p, q, Fraction(1)) == exact_trade_off(q, p, Fraction(1)) == 0
    # the conversion of the two orders together lies below both curves
    assert converted(p, q, Fraction(0)) == Fraction(1, 2)
    assert converted(p, q, Fraction(1, 4)) <= Fraction(3, 8)


@pytest.mark.parametrize("witness", [fast, certified])
@pytest.mark.parametrize(
    ("name", "arguments", "argument"),
    [
        ("gaussian_trade_off", (1.5, 1.0), "alpha"),
        ("laplace_trade_off", (0.5, -1.0), "mu"),
        ("gdp_parameter", (0.0, 0.5), "fpr"),
        ("gdp_parameter", (0.5, 1.0), "fnr"),
        ("subsampled_gdp_parameter", (1.5, 1.0, 0.0), "rate"),
        ("subsampled_gdp_parameter", (0.5, -1.0, 0.0), "std"),
        ("subsampled_gdp_parameter", (0.5, 1.0, float("nan")), "threshold"),
    ],
)
def test_bad_input_is_named(witness, name, arguments, argument):
    with pytest.raises(InputError, match=argument):
        getattr(witness, name)(*arguments)


def test_a_profile_needs_matching_axes():
    with pytest.raises(InputError, match="epsilons"):
        fast.profile_trade_off(0.5, [0.0, 1.0], [0.1])
    with pytest.raises(InputError, match="epsilons"):
        fast.profile_trade_off(0.5, [], [])
