"""Fast Gaussian mechanism, random projection and calibration against closed forms in mpmath."""

import math

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ndis_verify import InputError
from ndis_verify.fast import (
    Spectrum,
    epsilon_for_delta,
    gaussian_hockey_stick,
    gaussian_std,
    hockey_stick,
    log_gaussian_hockey_stick,
    log_rp_hockey_stick,
    rp_hockey_stick,
    rp_leverage,
)
from ndis_verify.fast.engine.safe_root import safe_root


def gaussian_reference(sensitivity, std, epsilon, digits=400):
    with mpmath.workdps(digits):
        shift, epsilon = mpmath.mpf(sensitivity) / std, mpmath.mpf(epsilon)
        return mpmath.ncdf(shift / 2 - epsilon / shift) - mpmath.exp(epsilon) * mpmath.ncdf(
            -shift / 2 - epsilon / shift
        )


def projection_reference(leverage, r, epsilon, direction, digits=340):
    """N26-L4 in both directions: regularised incomplete gamma functions."""
    with mpmath.workdps(digits):
        rho, half = 1 / (1 - mpmath.mpf(leverage)), mpmath.mpf(r) / 2
        if direction == "delete":
            t = (epsilon + half * mpmath.log(rho)) / (rho - 1)
            upper = [mpmath.gammainc(half, x, mpmath.inf, regularized=True) for x in (t, rho * t)]
            return upper[0] - mpmath.exp(epsilon) * upper[1]
        t = (half * mpmath.log(rho) - epsilon) / (1 - 1 / rho)
        if t <= 0:
            return mpmath.mpf(0)
        lower = [mpmath.gammainc(half, 0, x, regularized=True) for x in (t, t / rho)]
        return lower[0] - mpmath.exp(epsilon) * lower[1]


@pytest.mark.parametrize("shift", [1e-12, 1e-3, 0.1, 1.0, 3.0, 30.0, 1e4])
@pytest.mark.parametrize("epsilon", [0.0, 1e-12, 1e-3, 0.5, 5.0, 200.0])
def test_gaussian_mechanism(shift, epsilon):
    reference = gaussian_reference(2 * shift, 2, epsilon)
    value, logarithm = (
        gaussian_hockey_stick(2 * shift, 2.0, epsilon),
        log_gaussian_hockey_stick(2 * shift, 2.0, epsilon),
    )
    if reference > 1e-290:
        assert abs(value / reference - 1) < 3e-13
    elif reference > 0:
        assert abs(logarithm / mpmath.log(reference) - 1) < 1e-13
    if epsilon / shift < 1e6:
        contour = hockey_stick(Spectrum([0.0], [shift**2]), epsilon)
        np.testing.assert_allclose(value, contour, rtol=1e-12)


def test_gaussian_mechanism_without_sensitivity():
    assert gaussian_hockey_stick(0.0, 1.0, [0.0, 1.0]).tolist() == [0.0, 0.0]
    assert log_gaussian_hockey_stick(0.0, 1.0, 0.0) == -math.inf


@pytest.mark.parametrize(
    "arguments, name",
    [((-1, 1, 0), "sensitivity"), ((1, 0, 0), "std"), ((1, 1, math.nan), "epsilon"), ((1, math.inf, 0), "std")],
)
def test_gaussian_mechanism_outside_its_domain(arguments, name):
    with pytest.raises(InputError, match=name):
        gaussian_hockey_stick(*arguments)


@given(st.floats(-3, 3), st.floats(0, 20), st.floats(-250, -0.01))
def test_gaussian_std_is_smallest_on_the_safe_side(log_sensitivity, epsilon, log_delta):
    sensitivity, delta = 10.0**log_sensitivity, 10.0**log_delta
    std = gaussian_std(sensitivity, epsilon=epsilon, delta=delta)
    assert gaussian_hockey_stick(sensitivity, std, epsilon) <= delta
    assert gaussian_reference(sensitivity, std, epsilon, digits=320) <= delta
    assert gaussian_hockey_stick(sensitivity, std * (1 - 1e-10), epsilon) > delta


def test_gaussian_std_at_the_ends():
    assert gaussian_std(1.0, epsilon=1.0, delta=1.0) == 0.0
    assert gaussian_std(0.0, epsilon=1.0, delta=0.5) == 0.0
    assert gaussian_std([1.0, 2.0], epsilon=1.0, delta=1e-5).shape == (2,)
    with pytest.raises(InputError, match="delta"):
        gaussian_std(1.0, epsilon=1.0, delta=0.0)


@pytest.mark.parametrize("r", [1, 2, 7, 300, 10_000])
@pytest.mark.parametrize("leverage", [1e-9, 2.0**-10, 0.25, 0.9, 1 - 2.0**-30])
@pytest.mark.parametrize("direction", ["delete", "insert"])
def test_random_projection(r, leverage, direction):
    for epsilon in (0.0, 0.01, 0.7, 25.0):
        reference = projection_reference(leverage, r, epsilon, direction)
        value = float(rp_hockey_stick(leverage, r, epsilon, direction))
        if reference <= 0:
            assert direction == "insert" and value == 0.0
        elif reference > 1e-290:
            assert abs(value / reference - 1) < 1e-11
        elif reference > 1e-330 + 0 * reference:
            assert abs(float(log_rp_hockey_stick(leverage, r, epsilon, direction)) / mpmath.log(reference) - 1) < 1e-11


def test_random_projection_of_a_million_columns():
    for leverage, epsilon in ((1e-6, 0.0), (1e-4, 0.5), (1e-3, 4.0)):
        value = rp_hockey_stick(leverage, 10**6, epsilon)
        assert abs(value / projection_reference(leverage, 10**6, epsilon, "delete", digits=60) - 1) < 1e-11


def test_insertion_is_exactly_zero_beyond_the_largest_loss():
    leverage, r = 0.25, 8
    largest = -0.5 * r * math.log1p(-leverage)
    below, above = largest * (1 - 1e-9), largest * (1 + 1e-9)
    assert rp_hockey_stick(leverage, r, above, "insert") == 0.0
    assert 0.0 < rp_hockey_stick(leverage, r, below, "insert") < 1e-30
    assert rp_hockey_stick(0.0, r, 0.0, "insert") == rp_hockey_stick(0.0, r, 0.0) == 0.0


@given(st.integers(1, 10**6), st.floats(0, 20), st.floats(-250, -0.01))
def test_rp_leverage_is_largest_on_the_safe_side(r, epsilon, log_delta):
    delta = 10.0**log_delta
    leverage = rp_leverage(r, epsilon=epsilon, delta=delta)
    assert rp_hockey_stick(leverage, r, epsilon) <= delta
    assert rp_hockey_stick(leverage + 1e-10 * leverage * (1 - leverage), r, epsilon) > delta or leverage > 1 - 1e-12


def test_rp_leverage_at_the_ends():
    assert rp_leverage(5, epsilon=1.0, delta=[0.0, 1.0])[0] == 0.0
    assert rp_leverage(5, epsilon=1.0, delta=1.0) > 1 - 1e-15


@pytest.mark.parametrize(
    "arguments, name",
    [
        ((1.0, 2, 0.0), "leverage"),
        ((-0.1, 2, 0.0), "leverage"),
        ((0.5, 0, 0.0), "r"),
        ((0.5, 2.5, 0.0), "r"),
        ((0.5, 2, -1.0), "epsilon"),
        ((0.5, 2, 0.0, "sideways"), "direction"),
    ],
)
def test_random_projection_outside_its_domain(arguments, name):
    with pytest.raises(InputError, match=name):
        rp_hockey_stick(*arguments)


@given(st.lists(st.floats(-0.9, 5.0), min_size=1, max_size=3), st.floats(0, 4), st.floats(-200, -0.01))
def test_epsilon_for_delta_is_smallest_on_the_safe_side(alpha, shift, log_delta):
    laws, delta = Spectrum(alpha, [shift] * len(alpha)), 10.0**log_delta
    epsilon = epsilon_for_delta(laws, delta)
    assert epsilon >= 0
    if np.isfinite(epsilon):
        assert hockey_stick(laws, epsilon) <= delta
        assert epsilon == 0 or hockey_stick(laws, epsilon * (1 - 1e-9)) > delta


def test_epsilon_for_delta_at_the_ends():
    narrow, wide = Spectrum([-0.5], [0.25]), Spectrum([1.0])
    largest = 0.5 * math.log(2) + 0.25
    assert epsilon_for_delta(narrow, 0.0) == pytest.approx(largest, rel=1e-15)
    assert hockey_stick(narrow, epsilon_for_delta(narrow, 0.0)) == 0.0
    assert epsilon_for_delta(wide, 0.0) == math.inf
    assert epsilon_for_delta(wide, [1.0, hockey_stick(wide, 0.0)]).tolist() == [0.0, 0.0]
    batch = Spectrum([[1.0], [3.0]])
    assert epsilon_for_delta(batch, 1e-3).shape == (2,) and epsilon_for_delta(batch, [1e-3, 1e-6]).shape == (2, 2)
    with pytest.raises(InputError, match="delta"):
        epsilon_for_delta(wide, 1.5)


def test_safe_root_ends_on_the_safe_side():
    targets = np.array([2.0, 3.0, 1e-8])
    found = safe_root(lambda x, k: targets[k] - x**3, np.full(3, 10.0), np.zeros(3))
    assert (found**3 >= targets).all()
    np.testing.assert_allclose(found, np.cbrt(targets), rtol=1e-14)
