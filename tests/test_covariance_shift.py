"""Covariance shifts: both engines of the Chernoff bounds agree, bound the exact law, and calibrate on the safe side."""

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ndis_verify import fast, oracle
from ndis_verify.claims.gaussian_output.noise import gaussian_process, logistic_regression
from ndis_verify.exact_number import InputError
from ndis_verify.fast import covariance_shift as bounds
from ndis_verify.gaussian_pair import GaussianPair
from ndis_verify.oracle import covariance_shift as certified

NAMES = ("less_spread_bound", "chernoff_bound", "more_spread_bound")
spectra = st.lists(st.integers(1, 4000).map(lambda n: 1 + n / 256), min_size=1, max_size=4)
shares = st.integers(1, 96).map(lambda n: n / 64)  # of nu/2


def epsilon_of(values, share):
    return round(float(np.log(values).sum()) * share / 2 * 1024) / 1024


@settings(max_examples=25)
@given(spectra, shares, st.sampled_from(NAMES))
def test_the_float_bound_is_the_certified_one(values, share, name):
    epsilon = epsilon_of(values, share)
    proved = getattr(certified, name)(values, epsilon, digits=20)
    value = getattr(bounds, name)(values, epsilon)
    assert proved.basis == "bound" and value == pytest.approx(float(proved.mid), rel=1e-11, abs=1e-300)


@settings(max_examples=12)
@given(spectra, shares)
def test_the_certified_infimum_lies_below_every_value_and_is_met(values, share):
    epsilon = epsilon_of(values, share)
    proved = certified.more_spread_bound(values, epsilon, digits=12)
    with mpmath.workdps(30):
        alpha, nu = [mpmath.mpf(x) - 1 for x in values], sum(mpmath.log(x) for x in values)

        def value(odds):
            s = odds / (1 + odds) / max(alpha)
            root = mpmath.fprod(1 - s * a for a in alpha) ** mpmath.mpf("-0.5")
            return s**s / (1 + s) ** (1 + s) * mpmath.exp(-s * (epsilon + nu / 2)) * root

        tried = min(value(mpmath.exp(mpmath.mpf(k) / 20)) for k in range(-400, 400))
        assert proved.mid - proved.rad <= tried <= proved.mid * mpmath.mpf("1.001")


@settings(max_examples=12)
@given(spectra, shares)
def test_the_corrected_bound_covers_both_directions(values, share):
    epsilon, zero = epsilon_of(values, share), [0] * len(values)
    pair = GaussianPair(zero, values, zero, 1)
    bound = certified.more_spread_bound(values, epsilon, digits=15)
    for ordered in (pair, pair.swapped()):
        assert oracle.certified_hockey_stick(ordered, epsilon, digits=15).upper <= bound.lower
    assert (
        oracle.certified_hockey_stick(pair.swapped(), epsilon, digits=15).lower
        <= certified.less_spread_bound(values, epsilon, 15).upper
    )


def test_the_printed_bound_is_none_in_the_larger_direction():
    assert bounds.less_spread_bound([7.0], 1.0) == 0 == float(certified.less_spread_bound([7], 1).mid)
    assert oracle.certified_hockey_stick(GaussianPair([0], 7, [0], 1), 1).lower > Fraction(33, 100)


def test_bounds_broadcast_and_take_no_shift_as_zero():
    values, epsilon = np.array([[2.0, 3.0], [1.0, 1.0]]), np.array([[0.5], [1.0], [2.0]])
    found = bounds.more_spread_bound(values, epsilon)
    assert found.shape == (3, 2) and (found[:, 1] == 0).all() and (np.diff(found[:, 0]) < 0).all()
    assert certified.more_spread_bound([1, 1], 1).sign() == 0
    assert bounds.more_spread_bound([1e6, 2.0], 9.0) == pytest.approx(
        float(certified.more_spread_bound([10**6, 2], 9).mid)
    )


@given(st.floats(0.01, 5), st.floats(0, 1), st.integers(1, 12))
def test_the_worst_point_lies_in_the_envelope_and_fills_it(rho, fill, d):
    nu = rho * (1 + fill * (d - 1))
    logs = bounds.worst_logs(rho, nu, d)
    assert logs.size <= d and (logs <= rho).all() and (logs > 0).all()
    assert logs.sum() == pytest.approx(nu)
    assert (logs[:-1] == rho).all()


@pytest.mark.parametrize("columns", [1, 7])
def test_the_exact_envelope_of_whole_multiples_is_a_random_projection(columns):
    rho = 0.4
    found = bounds.covariance_envelope(rho, columns * rho, columns + 3, [0.0, 0.5, 2.0], "exact")
    assert found == pytest.approx(fast.rp_hockey_stick(-math.expm1(-rho), columns, [0.0, 0.5, 2.0]), rel=1e-10)


def test_terms_are_ordered():
    exact, bound, chernoff = (
        bounds.loewner_bound(0.1, 0.2, 0.5, 5, 1.5, term) for term in ("exact", "bound", "chernoff")
    )
    assert 0 < exact < bound < chernoff < 1
    assert bounds.loewner_bound(0.3, 0, 0, 1, 1.0) == pytest.approx(float(fast.gaussian_hockey_stick(0.3, 1.0, 1.0)))
    assert bounds.loewner_bound(0, 0, 0, 1, 0) == 0


def test_calibrated_noise_against_numbers_of_another_program():
    assert bounds.added_variance(logistic_regression, epsilon=1.0, delta=1e-5, term="chernoff") == pytest.approx(
        16.9984, abs=1e-4
    )
    assert bounds.added_variance(gaussian_process, epsilon=1.0, delta=1e-5, term="exact") == pytest.approx(
        8.6476, abs=1e-4
    )


@pytest.mark.parametrize("term", ["bound", "exact"])
def test_calibrated_noise_is_safe_and_tight(term):
    v = bounds.added_variance(gaussian_process, epsilon=0.5, delta=1e-7, term=term)
    assert bounds.loewner_bound(*gaussian_process(v), 0.5, term) <= 1e-7
    assert bounds.loewner_bound(*gaussian_process(v * 0.9999), 0.5, term) > 1e-7


@pytest.mark.parametrize(
    "call",
    [
        lambda: bounds.more_spread_bound([0.5], 1),
        lambda: bounds.more_spread_bound([], 1),
        lambda: bounds.more_spread_bound(2.0, 1),
        lambda: bounds.more_spread_bound([2.0], -1),
        lambda: bounds.more_spread_bound([math.nan], 1),
        lambda: bounds.worst_logs(-1, 1, 1),
        lambda: bounds.worst_logs(1, 1, 0),
        lambda: bounds.covariance_envelope(1, 1, 1, 1, "tight"),
        lambda: bounds.added_variance(gaussian_process, epsilon=1, delta=0),
        lambda: bounds.loewner_bound([1, 2], 1, 1, 1, 1),
        lambda: bounds.added_variance(lambda v: (1.0, 1.0, 1.0, 1), epsilon=1, delta=1e-9),
        lambda: certified.more_spread_bound([], 1),
        lambda: certified.more_spread_bound(["0.5"], 1),
        lambda: certified.more_spread_bound([2], -1),
        lambda: certified.more_spread_bound(3, 1),
    ],
)
def test_bad_input_is_refused(call):
    with pytest.raises(InputError):
        call()


@pytest.mark.parametrize("alpha", [2.0**-52, 1.7763568394002505e-15, 1e-12, 3e-10, 3e-8, 1e-5])
@pytest.mark.parametrize("share", [0.0, 0.05, 1.0])
def test_the_bound_of_eigenvalues_next_to_one_keeps_its_digits(alpha, share):
    eigenvalue = 1 + alpha
    epsilon = share * (eigenvalue - 1)
    true = certified.more_spread_bound([eigenvalue], epsilon, digits=20).mid
    assert float(bounds.more_spread_bound([eigenvalue], epsilon)) == pytest.approx(float(true), rel=1e-11, abs=0)


@pytest.mark.parametrize("delta", [2e-16, 1e-14, 1e-12, 1e-10, 3e-8])
def test_the_added_variance_of_a_small_target_meets_it(delta):
    """The certified bound is at most delta at it, but for what rounding the sensitivities and the bound loses."""
    v = bounds.added_variance(lambda v: (0.0, 1 / (v + 1), 1 / (v + 1), 1), epsilon=0.0, delta=delta)
    rho = 1 / (v + 1)
    found = oracle.certified_loewner_bound(0, rho, rho, 1, 0, "bound", digits=12)
    assert float(found.mid) <= delta * (1 + 1e-12)
