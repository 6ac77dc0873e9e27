"""Hoeffding's sample size and the Monte Carlo estimator's guarantee."""

import math

import numpy as np
import pytest
from scipy.stats import binom

from ndis_verify import GaussianPair, InputError
from ndis_verify.fast.monte_carlo import hoeffding_samples, monte_carlo_hockey_stick
from ndis_verify.oracle import hockey_stick

PAIR = GaussianPair([0.5, 0.0, 0.0], [[2.0, 0.5, 0.0], [0.5, 1.0, 0.25], [0.0, 0.25, 1.0]], [0, 0, 0], 1)


class CountingGenerator(np.random.Generator):
    drawn = 0

    def standard_normal(self, size=None, **kwargs):
        CountingGenerator.drawn += int(np.prod(size))
        return super().standard_normal(size, **kwargs)


@pytest.mark.parametrize("accuracy, failure", [(0.1, 0.05), (0.013, 1e-9), (0.5, 0.99)])
def test_the_sample_size_is_the_least_that_hoeffding_allows(accuracy, failure):
    samples = hoeffding_samples(accuracy, failure)
    assert 2 * math.exp(-2 * samples * accuracy**2) <= failure * (1 + 1e-12)
    assert samples == 1 or 2 * math.exp(-2 * (samples - 1) * accuracy**2) > failure * (1 - 1e-12)


def test_the_guarantee_holds_over_repeated_runs():
    truth = float(hockey_stick(PAIR, "0.3", digits=15).mid)
    rng = np.random.default_rng(7)
    runs, failure = 300, 0.2
    misses = sum(abs(monte_carlo_hockey_stick(PAIR, 0.3, 0.05, failure, rng).value - truth) > 0.05 for _ in range(runs))
    # If the true rate were above `failure`, so few misses would be unlikely; here Hoeffding is very conservative.
    assert misses <= binom.ppf(1e-6, runs, failure)


def test_the_estimator_is_unbiased():
    truth = float(hockey_stick(PAIR, "0.3", digits=15).mid)
    estimate = monte_carlo_hockey_stick(PAIR, 0.3, 0.002, 1e-3, np.random.default_rng(1))
    assert abs(estimate.value - truth) < 5 * 0.5 / math.sqrt(estimate.samples)


def test_the_cost_is_m_times_d_draws():
    CountingGenerator.drawn = 0
    estimate = monte_carlo_hockey_stick(PAIR, 0.3, 0.05, 0.01, CountingGenerator(np.random.PCG64(3)))
    assert CountingGenerator.drawn == estimate.samples * 3


def test_a_seed_makes_a_run_repeatable():
    values = {monte_carlo_hockey_stick(PAIR, 0.3, 0.1, 0.1, np.random.default_rng(5)).value for _ in range(3)}
    assert len(values) == 1


@pytest.mark.parametrize(
    "argument, change",
    [
        ("accuracy", {"accuracy": 0}),
        ("failure_probability", {"failure_probability": 1}),
        ("rng", {"rng": 3}),
        ("epsilon", {"epsilon": -1}),
    ],
)
def test_bad_input_is_refused_by_name(argument, change):
    good = {"epsilon": 0.3, "accuracy": 0.1, "failure_probability": 0.1, "rng": np.random.default_rng(0)}
    with pytest.raises(InputError) as caught:
        monte_carlo_hockey_stick(PAIR, **{**good, **change})
    assert caught.value.argument == argument
