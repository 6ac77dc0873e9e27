"""Kernels, records and calibrations that tests of mechanisms share."""

import functools

import numpy as np
import pytest

from ndis_verify import mechanisms
from ndis_verify.exact_number import InputError
from ndis_verify.mechanisms import baselines

BASE = np.array([[0.1, 0.2], [0.3, -0.4], [0.5, 0.1], [0.2, 0.2]])
KERNEL = mechanisms.squared_exponential(1.0)


def rng(seed=0):
    return np.random.default_rng(seed)


@functools.cache
def process(kernel, noise=250, records=1000, bound=1):
    return mechanisms.gaussian_process(
        kernel, [0.5], noise_variance=noise, label_bound=0.5, norm_bound=bound, records=records, epsilon=1, delta=1e-5
    )


def refused(argument, call, *args, **options):
    with pytest.raises(InputError) as caught:
        call(*args, **options)
    assert caught.value.argument == argument, str(caught.value)
    return caught.value


# Whose calibration


@functools.cache
def made():
    """A mechanism of every kind, and how its class is built from a calibration."""
    databases = mechanisms.neighbourhood(BASE, 1)
    release = mechanisms.logistic_regression(2, penalty=1, norm_bound=1, epsilon=1, delta=1e-3)
    relative = (
        mechanisms.relative_random_projection(databases, 5, epsilon=1, delta=1e-3),
        mechanisms.relative_least_squares(databases, 5, epsilon=1, delta=1e-3),
    )
    return {
        "projection": (
            mechanisms.random_projection(5, epsilon=1, delta=1e-3, norm_bound=1),
            mechanisms.RandomProjection,
        ),
        "Sheffet": (baselines.sheffet(5, epsilon=1, delta=1e-3, norm_bound=1), mechanisms.RandomProjection),
        "Blocki": (baselines.blocki(5, epsilon=1, delta=1e-3, norm_bound=1), mechanisms.RandomProjection),
        "information": (
            baselines.mutual_information(5, epsilon=1, delta=1e-3, norm_bound=1),
            mechanisms.RandomProjection,
        ),
        "combination": (
            mechanisms.random_linear_combination(epsilon=1, delta=1e-3, norm_bound=1),
            mechanisms.RandomLinearCombination,
        ),
        "sampled": (mechanisms.subsampled_random_projection(0.001, 5, epsilon=1, delta=1e-3, norm_bound=1), None),
        "tested": (
            mechanisms.propose_test_release(
                5, epsilon=1, delta=1e-3, norm_bound=1, std=20, delta_test=1e-4, delta_failure=1e-4
            ),
            None,
        ),
        "least squares": (mechanisms.least_squares(1, 5, epsilon=1, delta=1e-3, norm_bound=1), mechanisms.LeastSquares),
        "sketch": (
            mechanisms.sketched_least_squares(1, 5, epsilon=1, delta=1e-3, norm_bound=1),
            mechanisms.SketchedLeastSquares,
        ),
        "relative projection": (relative[0], lambda known: mechanisms.RelativeRandomProjection(known, databases)),
        "relative least squares": (relative[1], lambda known: mechanisms.RelativeLeastSquares(known, databases)),
        "Gaussian": (
            mechanisms.gaussian_mechanism(1, epsilon=1, delta=1e-3, adjacency="any"),
            mechanisms.GaussianMechanism,
        ),
        "Laplace": (baselines.laplace_mechanism(1, 1, adjacency="any"), baselines.LaplaceMechanism),
        "output": (release, lambda known: mechanisms.CalibratedGaussian(known, release.output)),
    }
