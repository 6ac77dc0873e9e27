"""Mechanisms that release on grids, and what their draws are held against: exact numbers and balls."""

import functools
import math
from fractions import Fraction

import flint
import numpy as np
from scipy.stats import chi2

from ndis_verify import mechanisms
from ndis_verify.mechanisms.baselines.laplace import laplace_mechanism
from ndis_verify.mechanisms.exact.stream import Stream

ONE_IN_A_MILLION = 1e-6  # false alarms of each test below
RNG = np.random.default_rng(20)
RECORDS = RNG.standard_normal((12, 3))
RECORDS /= np.linalg.norm(RECORDS, axis=1).max() * 1.001
LABELLED = np.column_stack([RECORDS[:, :2], np.sign(RECORDS[:, 2])])


def stream(seed=1):
    return Stream(np.random.default_rng(seed))


M, TARGET = mechanisms, {"epsilon": 1, "delta": 1e-5, "norm_bound": 1}


@functools.cache
def after_test():
    split = M.planned_split(4, **TARGET)
    shares = {"std": split.std, "delta_test": split.delta_test, "delta_failure": split.delta_failure}
    return M.propose_test_release(4, **TARGET, **shares)


def relative(law, base, delta):
    return M.relative_least_squares(M.neighbourhood(base, 1), 5, epsilon=1, delta=delta, law=law)


def process(query, **bounds):
    return M.gaussian_process(M.linear_kernel, query, **bounds, epsilon=1)


def declared():
    def shift(v):
        return 1 / math.sqrt(1 + v), 0.0, 0.0, 1

    return M.calibrated_gaussian(
        lambda data: (np.mean(data, axis=0), np.eye(3)), shift, epsilon=1, delta=1e-5, bound="exact"
    )


NEAR = M.neighbourhood(np.tile(RECORDS, (40, 1)), 1)
NOISY = {"noise_variance": 1.0, "label_bound": 1.0, "norm_bound": 1.0, "records": 30, "delta": 1e-3}
QUIET = {"noise_variance": 250.0, "label_bound": 0.5, "norm_bound": 1, "records": 20, "delta": 1e-2}


# Every mechanism with what it releases from, ridge and added variance 0 among them; calibrated where it is first asked
# for.
RECIPES = {
    "Gaussian": (lambda: M.gaussian_mechanism(1, epsilon=1, delta=1e-5, adjacency="any"), RECORDS),
    "Laplace": (lambda: laplace_mechanism(1, epsilon=1, adjacency="any"), RECORDS),
    "projection": (lambda: M.random_projection(4, **TARGET), RECORDS),
    "combination": (lambda: M.random_linear_combination(**TARGET), RECORDS),
    "sample": (lambda: M.subsampled_random_projection(0.5, 4, **TARGET), RECORDS),
    "sample without ridge": (
        lambda: M.subsampled_random_projection(0.5, 4, epsilon=1, delta=0.6, norm_bound=1),
        RECORDS,
    ),
    "after a test": (after_test, RECORDS),
    "after a test, ridge 0": (after_test, np.tile(np.eye(3), (4000, 1))),
    "relative projection": (
        lambda: M.relative_random_projection(M.neighbourhood(RECORDS, 1), 4, epsilon=1, delta=1e-5),
        RECORDS,
    ),
    "relative projection, ridge 0": (lambda: M.relative_random_projection(NEAR, 4, epsilon=1, delta=1e-2), NEAR.base),
    "least squares": (lambda: M.least_squares(2, 20, **TARGET), RECORDS),
    "sketch": (lambda: M.sketched_least_squares(2, 20, **TARGET), RECORDS),
    "sketch, d = r = n = 1": (
        lambda: M.sketched_least_squares(1, 1, epsilon=1, delta=1e-6, norm_bound=1),
        RECORDS[:1, :2],
    ),
    "relative normal": (lambda: relative("normal", RECORDS, 1e-5), RECORDS),
    "relative normal, ridge 0": (lambda: relative("normal", NEAR.base, 0.1), NEAR.base),
    "relative sketch": (lambda: relative("sketch", RECORDS, 1e-5), RECORDS),
    "relative sketch, ridge 0": (lambda: relative("sketch", NEAR.base, 0.1), NEAR.base),
    "logistic": (lambda: M.logistic_regression(2, penalty=1.0, norm_bound=1.0, epsilon=1, delta=1e-5), LABELLED),
    "process": (lambda: process([0.5, 0.5], **NOISY), LABELLED),
    "process without noise": (lambda: process([0.5, 0.1], **QUIET), LABELLED / 2),
    "declared": (declared, RECORDS),
}


@functools.cache
def made(name):
    """The mechanism of that name, and its data."""
    recipe, data = RECIPES[name]
    return recipe(), data


def exact(number):
    """A float as a fraction."""
    return Fraction(float(number))


def ball(fraction):
    return flint.arb(flint.fmpq(fraction.numerator, fraction.denominator))


def ends(batch, position, bits=2000):
    """Least and greatest value of a normal after so many more digits."""
    start, width = batch.cell(position, bits)
    return Fraction(start, 2 ** (84 + bits)), Fraction(start + width, 2 ** (84 + bits))


def likely(seen, chances):
    """Whether counts may come from these chances: Pearson's chi-square at a level of one in a million."""
    seen, expected = np.asarray(seen, dtype=float), np.asarray(chances, dtype=float) * np.sum(seen)
    assert expected.min() > 4 and abs(np.sum(chances) - 1) < 1e-9
    return chi2.sf(((seen - expected) ** 2 / expected).sum(), len(seen) - 1) > ONE_IN_A_MILLION
