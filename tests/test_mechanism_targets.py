"""Extreme and degenerate targets: every one calibrates, or raises `InputError` with the argument and the rule."""

import warnings
from fractions import Fraction

import numpy as np
import pytest

from ndis_verify import fast, mechanisms
from ndis_verify.calibrator import NoNoiseNeeded
from ndis_verify.exact_number import InputError
from ndis_verify.fast.covariance_shift import loewner_bound
from ndis_verify.fast.joint_shift import Prediction

BASE = {"r": 10, "epsilon": 1.0, "delta": 1e-6, "norm_bound": 1.0}
CALIBRATIONS = {
    "random projection": lambda r, epsilon, delta, norm_bound: mechanisms.random_projection(
        r, epsilon=epsilon, delta=delta, norm_bound=norm_bound
    ),
    "subsampled": lambda r, epsilon, delta, norm_bound: mechanisms.subsampled_random_projection(
        0.3, r, epsilon=epsilon, delta=delta, norm_bound=norm_bound
    ),
    "Gaussian": lambda r, epsilon, delta, norm_bound: mechanisms.gaussian_mechanism(
        norm_bound, epsilon=epsilon, delta=delta, adjacency="one record"
    ),
    "least squares": lambda r, epsilon, delta, norm_bound: mechanisms.least_squares(
        3, r, epsilon=epsilon, delta=delta, norm_bound=norm_bound
    ),
    "sketch": lambda r, epsilon, delta, norm_bound: mechanisms.sketched_least_squares(
        1, r, epsilon=epsilon, delta=delta, norm_bound=norm_bound
    ),
    "logistic": lambda r, epsilon, delta, norm_bound: mechanisms.logistic_regression(
        3, penalty=1.0, norm_bound=norm_bound, epsilon=epsilon, delta=delta
    ),
    "prediction": lambda r, epsilon, delta, norm_bound: mechanisms.gaussian_process(
        mechanisms.linear_kernel,
        [1.0],
        noise_variance=1.0,
        label_bound=1.0,
        norm_bound=norm_bound,
        records=r,
        epsilon=epsilon,
        delta=delta,
    ),
}
NO_NUMBERS = (True, np.True_, None, float("nan"), float("inf"), -1, [1.0], np.array([1.0, 2.0]), {}, 1j, "x", 10**400)
EXTREMES = (
    {"epsilon": 0},
    {"epsilon": 1e-300},
    {"epsilon": 1e4},
    {"delta": 1e-320},
    {"delta": 1 - 1e-16},
    {"r": 1},
    {"r": 7 * 10**7},
    {"r": 10**15},
    {"norm_bound": 1e-150},
    {"norm_bound": 1e150},
    {"r": 10**7, "epsilon": 1e-9},
    {"epsilon": Fraction(1, 3), "r": np.int64(4)},
    {"epsilon": np.float32(0.5), "norm_bound": 2},
)


@pytest.mark.parametrize("name", CALIBRATIONS)
def test_what_is_no_number_is_named(name):
    for argument in BASE:
        if argument == "r" and name in ("Gaussian", "logistic"):
            continue
        for value in NO_NUMBERS:
            with pytest.raises(InputError):
                CALIBRATIONS[name](**{**BASE, argument: value})


@pytest.mark.parametrize("name", CALIBRATIONS)
def test_extreme_targets_are_met_or_refused_by_name(name):
    met = 0
    for change in EXTREMES:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            warnings.simplefilter("ignore", NoNoiseNeeded)  # a bounded loss below epsilon = 1e4
            try:
                calibration = CALIBRATIONS[name](**{**BASE, **change}).calibration
            except InputError as error:
                assert error.argument in ("r", "epsilon", "delta", "norm_bound", "sensitivity"), change
                continue
        met += 1
        assert calibration.certificate.delta <= calibration.target.delta, change
        assert all(type(value) is float and 0 <= value < np.inf for value in calibration.noise.values()), change
    assert met >= 6


def test_more_columns_than_float64_can_certify_are_refused():
    for calibrate in (CALIBRATIONS[name] for name in ("random projection", "subsampled", "least squares", "sketch")):
        with pytest.raises(InputError, match="10000000"):
            calibrate(**{**BASE, "r": 7 * 10**7, "epsilon": 1e-9})


def test_a_kernel_far_above_the_noise_keeps_the_digits_of_the_rest():
    """1 - z at its end is 1/(1 + (n - 1) l^2/s^2): with l^2/s^2 = 1e16 z itself is 1 for floats. A larger bound needs
    more noise.
    """
    levels = [
        mechanisms.gaussian_process(
            mechanisms.linear_kernel,
            [1.0],
            noise_variance=1.0,
            label_bound=1.0,
            norm_bound=length,
            records=10,
            epsilon=1.0,
            delta=1e-6,
        ).added_variance
        for length in (1e2, 1e4, 1e8, 1e12)
    ]
    assert all(level > 0 for level in levels) and levels == sorted(levels)
    assert np.isfinite(Prediction(1e8, 1.0, 1.0, 10).largest(0.0, 1.0).attained)


def test_no_noise_where_declared_sensitivities_are_small_everywhere():
    tiny = mechanisms.calibrated_gaussian(
        lambda data: (np.zeros(1), np.eye(1)), lambda v: (1e-6, 1e-9, 1e-9, 1), epsilon=1.0, delta=1e-5
    )
    assert 0 < tiny.added_variance < 1e-280


def test_a_split_bound_at_a_large_epsilon():
    assert 0 <= loewner_bound(3.0, 0.1, 0.1, 1, 1e4, "exact") < 1e-300


@pytest.mark.parametrize(
    "calibrate",
    [
        lambda r: fast.rp_leverage(r, epsilon=1, delta=1e-6),
        lambda r: fast.rp_ridge(1, r, epsilon=1, delta=1e-6),
        lambda r: fast.sampled_rp_ridge(1, 0.5, r, epsilon=1, delta=1e-6),
    ],
)
def test_projections_of_more_columns_than_float64_certifies_are_refused(calibrate):
    assert np.isfinite(calibrate(10**7))
    with pytest.raises(InputError, match="r = .*at most 10000000"):
        calibrate(10**7 + 1)
