"""Small margins inside the float64 engine that keep its places within their ranges, and what would be without them."""

import math
import warnings
from fractions import Fraction

import numpy as np
import pytest

from ndis_verify import oracle
from ndis_verify.exact_number import exact
from ndis_verify.fast import mean_shift, random_projection
from ndis_verify.fast.accuracy import PROMISES, digits, projection_error, promise
from ndis_verify.fast.covariance_shift import less_spread_bound
from ndis_verify.fast.engine import common_paths, graded_pencil, kernels
from ndis_verify.fast.engine.whitening import spectrum
from ndis_verify.fast.generalized_chi2 import GeneralizedChi2
from ndis_verify.fast.hockey_stick import hockey_stick
from ndis_verify.fast.least_squares import kernel
from ndis_verify.fast.sensitivity import logistic_surrogate
from ndis_verify.gaussian_pair import GaussianPair


def test_a_mode_next_to_1_still_has_its_odds():
    total, power = np.array([1.0, 1.0, 2.0]), np.array([1e15, 1e17, 1e25])
    form = kernel._Interval(total, np.array([0.0, 0.0, 1.0]), np.array([0.5, 0.5, 0.5]), power, 0.5)
    assert (form._mode() > 0).all() and (form._mode() < 1).all()
    assert np.isfinite(form._window()).all()


def test_scales_of_errors_are_positive():
    """Also where an eigenvalue says nothing, and where one is -1."""
    high = np.array([[0.0, -1.0, 1e-200, 0.5, 3.0]])
    assert (graded_pencil._scales([high, np.zeros(high.shape)]) > 0).all()


@pytest.mark.parametrize("mean", [0.0, 1e4])
def test_quantiles_near_0_of_a_law_on_the_whole_line_keep_their_digits(mean):
    """x is small beside the spread or the mean: the place is settled in x itself."""
    law = GeneralizedChi2([1.0, -1.0], [2, 2], [mean, mean])
    for x in (-1e-7, 3e-9, 0.0, 2.5e-8, 1.0):
        probability = float(law.cdf(x))
        found = float(law.ppf(probability))
        slack = 3e-12 * math.sqrt(law.var())  # what rounding of the probability itself is worth
        assert abs(found - x) <= slack


def test_the_mean_of_a_surrogate_has_the_gradient_that_is_stated():
    rng = np.random.default_rng(8)
    for scale, penalty in ((1.0, 1.0), (5.0, 0.01), (0.1, 3.0)):
        x, y = rng.normal(0, scale, (30, 3)), rng.choice([-1.0, 1.0], 30)
        mean, _ = logistic_surrogate(x, y, penalty)
        chance = 1 / (1 + np.exp((x * y[:, None]) @ mean))
        gradient = penalty * mean - (x * y[:, None]).T @ chance
        terms = penalty * np.linalg.norm(mean) + np.linalg.norm(x, axis=1) @ chance
        assert np.linalg.norm(gradient) <= 2e-13 * terms


def test_the_printed_bound_is_the_least_over_its_parameter():
    for values, epsilon in (([3.0, 1.5], 0.1), ([20.0, 2.0, 1.1], 0.5), ([1.2], 0.01)):
        logs, s = np.log(values), np.arange(5000.0) / 500
        spread = np.log1p(-2 * s[:, None] * np.expm1(-logs)).sum(axis=1) / 2
        least = (s * (logs.sum() - 2 * epsilon) - spread).min()
        found = math.log(float(less_spread_bound(values, epsilon)))
        assert least - 1e-4 <= found <= least + 1e-12


def test_laws_that_rounding_takes_to_no_variance_give_no_warning():
    """A dense pair with an eigenvalue that is -1 for floats: the row is found anew in wide arithmetic."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        laws = spectrum(GaussianPair([0, 0], [[1e-20, 0], [0, 2]], [0, 0], [[1, 0.5], [0.5, 1]]))
    assert np.isfinite(laws.log_ratio.astype(float)).all()


CURVES = [
    (GaussianPair([1, 0], [2, Fraction(1, 2)], [0, 0], 1), 0.1),
    (GaussianPair([1, 0], [2, Fraction(1, 2)], [0, 0], 1), 20.0),
    (GaussianPair([1, 0], [2, Fraction(3, 2)], [0, 0], 1), 1.0),
    (GaussianPair([1, 0], [2, Fraction(3, 2)], [0, 0], 1), 20.0),
    (GaussianPair([1, 0], [Fraction(1, 5), Fraction(1, 2)], [0, 0], 1), 1.0),
]


@pytest.mark.parametrize(("pair", "reach"), CURVES)
def test_common_paths_are_surveyed_and_serve_as_far_as_stated(monkeypatch, pair, reach):
    """Every threshold has its odds; a path serves all that lie within its reach and the error that is put up with."""
    survey, serve, rounds = common_paths._survey, common_paths._served, []

    def surveyed(entries):
        odds, position = survey(entries)
        assert np.isfinite(odds).all() and np.isfinite(position).all()
        return odds, position

    def served(entries, anchor, paths, placed, owner):
        found, offset = serve(entries, anchor, paths, placed, owner)
        rounds.append((found.size, placed.size))
        return found, offset

    monkeypatch.setattr(common_paths, "_survey", surveyed)
    monkeypatch.setattr(common_paths, "_served", served)
    with kernels.by_arrays_alone():
        hockey_stick(pair, np.linspace(0, 1, 60) * reach)
    assert rounds[0][0] == rounds[0][1] == 60


@pytest.mark.parametrize(("sensitivity", "epsilon", "delta"), [(1.0, 1.0, 1e-5), (3.0, 0.0, 0.1), (1.0, 500.0, 1e-30)])
def test_the_last_check_of_a_std_keeps_what_the_curve_may_be_off(sensitivity, epsilon, delta):
    """A std whose delta is on its target to the last digit, or above it by half of the promise, is widened by it."""
    off = promise("gaussian_hockey_stick")
    exact_std = oracle.certified_gaussian_std(sensitivity, epsilon=epsilon, delta=delta, digits=25).mid
    for start in (float(exact_std), float(exact_std) * (1 - 1e-15)):
        std = np.array([start])
        given = (np.array([value]) for value in (sensitivity, epsilon, math.log(delta)))
        mean_shift._widen(next(given), std, next(given), next(given), np.array([0]))
        reached = oracle.certified_gaussian_hockey_stick(sensitivity, float(std[0]), epsilon, digits=25)
        assert std[0] > start and reached.upper <= exact(delta) * (1 - Fraction(off) / 2)


@pytest.mark.parametrize("error", sorted({row.error for row in PROMISES.values()} | {0.3, 0.11, 1e-17, 9.9e-6}))
def test_the_digits_of_an_error_are_those_that_it_leaves(error):
    assert 10.0 ** -digits(error) > error * (1 - 1e-12) and 10.0 ** -(digits(error) + 1) < error


@pytest.mark.parametrize("r", [1, 10**6, 10**7])
def test_the_last_check_of_a_leverage_keeps_what_the_curve_may_be_off(monkeypatch, r):
    """log delta = 10^6 log p, where a few steps of a float are what the engine may err by."""
    kept, goal = float(projection_error(r)), -1.0
    monkeypatch.setattr(random_projection, "_log_curve", lambda leverage, *others: 1e6 * np.log(leverage))
    monkeypatch.setattr(random_projection, "to_log_delta", lambda logs: logs)
    for share in (-1.0, -0.5, 0.5, 1.0):  # of that error, above the goal
        start = np.exp(np.array([(goal + share * kept) / 1e6]))
        found = random_projection._settled(start, np.array([r]), np.zeros(1), np.array([goal]))
        assert 1e6 * np.log(found[0]) <= goal - kept and found[0] > 1 - 2e-6
