"""Gaussian outputs of the two learning algorithms and the distance of a pair, against routes of their own."""

from fractions import Fraction

import numpy as np
import pytest
from scipy.optimize import brentq, minimize
from scipy.special import expit

from ndis_verify import InputError
from ndis_verify.fast.sensitivity import gaussian_process, loewner_sensitivity, logistic_surrogate


def test_one_record_surrogate_solves_its_scalar_equation():
    for length, penalty in ((0.5, 3.0), (10.0, 0.01), (300.0, 1e-4)):
        mean, cov = logistic_surrogate([[length]], [-1], penalty)
        root = brentq(lambda t: penalty * t - length * expit(-length * t), 0, length / penalty, xtol=1e-300, rtol=1e-14)
        assert mean[0] == pytest.approx(-root, rel=1e-10)
        assert cov[0, 0] == pytest.approx(1 / (penalty + length**2 / 4), rel=1e-14)


def test_surrogate_mean_agrees_with_another_minimiser():
    rng = np.random.default_rng(1)
    for _ in range(5):
        x, y = rng.standard_normal((8, 3)), rng.choice([-1.0, 1.0], 8)
        found = minimize(lambda t: np.logaddexp(0, -(x * y[:, None]) @ t).sum() + 0.2 * t @ t, np.zeros(3), tol=1e-12)
        assert np.allclose(logistic_surrogate(x, y, 0.4)[0], found.x, atol=1e-6)


def test_without_records_the_prior_is_left():
    mean, cov = logistic_surrogate(np.zeros((0, 2)), [], 4.0)
    assert (mean == 0).all() and np.allclose(cov, np.eye(2) / 4)
    assert gaussian_process(np.zeros((0, 0)), [], 2.0, [], 1.0) == (0.0, 2.0)


def test_prediction_from_one_record_by_hand():
    mean, variance = gaussian_process([[3.0]], [2.0], 3.0, [0.5], 1.0)
    assert mean == pytest.approx(float(Fraction(2) * Fraction(1, 2) / 4), rel=1e-15)
    assert variance == pytest.approx(2.0, rel=1e-15)


def test_sensitivity_of_diagonal_pairs_by_hand():
    first, second = ([1.0, 0.0], np.diag([3.0, 1.0])), ([0.0, 0.0], np.diag([1.0, 1.0]))
    delta, largest, total = loewner_sensitivity(first, second, 1.0)
    assert delta == pytest.approx(np.sqrt(0.5)) and largest == pytest.approx(np.log(2)) and total == pytest.approx(np.log(2))
    assert loewner_sensitivity(second, first, 1.0)[0] == pytest.approx(0.5)
    assert loewner_sensitivity(first, first, 0.0) == pytest.approx((0, 0, 0), abs=1e-15)


@pytest.mark.parametrize(
    ("call", "argument"),
    [
        (lambda: logistic_surrogate([[1.0]], [0.5], 1.0), "labels"),
        (lambda: logistic_surrogate([[1.0]], [1.0], 0.0), "penalty"),
        (lambda: logistic_surrogate([[np.nan]], [1.0], 1.0), "rows"),
        (lambda: logistic_surrogate([1.0], [1.0], 1.0), "labels"),
        (lambda: gaussian_process([[1.0]], [1.0], 1.0, [1.0], -1.0), "noise_variance"),
        (lambda: gaussian_process([[1.0]], [1.0, 2.0], 1.0, [1.0], 1.0), "gram"),
        (lambda: loewner_sensitivity(([0.0], [[1.0]]), ([0.0], [[1.0]]), -1.0), "added_variance"),
    ],
)
def test_bad_input_is_named(call, argument):
    with pytest.raises(InputError) as error:
        call()
    assert error.value.argument == argument
