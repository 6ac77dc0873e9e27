"""Calibrations over the whole range of targets, where a careless root search stops early or runs off."""

import numpy as np
import pytest

from ndis_verify import GaussianPair
from ndis_verify.exact_number import exact
from ndis_verify.oracle import (
    certified_epsilon_for_delta,
    certified_gaussian_hockey_stick,
    certified_gaussian_std,
    certified_hockey_stick,
    certified_rp_hockey_stick,
    certified_rp_leverage,
    gaussian_std,
)


def crosses(value, target, low, high):
    """The decreasing `value` is above the target at `low` and not above it at `high`."""
    return value(low).lower > target and value(high).upper <= target


@pytest.mark.parametrize(
    "sensitivity, epsilon, delta",
    [
        ("0.031", "0.0101", "3.19e-51"),
        ("1.93", "0.00736", "1.31e-25"),
        ("8.3", "1.06e-6", "1.71e-51"),
        ("1", "1e-5", "0.999999999"),
        ("367", "51.4", "0.999999998648"),
        ("86.3", "0.000548", "6.02e-11"),
        ("1", "100", "1e-30"),
        ("1", "0", "0.4"),
        ("1", "1", "1e-300"),
        ("1", "5.60329e-241", "1.19664e-191"),  # a step of the search ends where the one before did
    ],
)
def test_certified_std_brackets_the_target(sensitivity, epsilon, delta):
    found = certified_gaussian_std(sensitivity, epsilon=epsilon, delta=delta, digits=15)
    assert found.basis == "bound" and found.relative_radius < 1e-15
    assert crosses(
        lambda s: certified_gaussian_hockey_stick(sensitivity, s, epsilon, digits=40),
        exact(delta),
        found.lower,
        found.upper,
    )


def test_two_routes_give_the_same_std():
    assert gaussian_std("8.3", epsilon="1.06e-6", delta="1.71e-51", digits=12).overlaps(
        certified_gaussian_std("8.3", epsilon="1.06e-6", delta="1.71e-51", digits=12)
    )


def test_certified_leverage_brackets_the_target_from_the_safe_side():
    rng = np.random.default_rng(3)
    for _ in range(12):
        r, epsilon, delta = int(10 ** rng.uniform(0, 5)), 10 ** rng.uniform(-6, 2), 10 ** rng.uniform(-30, -0.4)
        found = certified_rp_leverage(r, epsilon=epsilon, delta=delta, digits=12)
        assert certified_rp_hockey_stick(found.lower, r, epsilon, "delete", digits=20).upper <= delta
        assert certified_rp_hockey_stick(found.upper, r, epsilon, "delete", digits=20).lower > delta


@pytest.mark.parametrize("cov_p", [[0.5], [0.25, 0.0625], [0.5, 0.9, 0.03125], [3.0, 0.25]])
@pytest.mark.parametrize("delta", [1e-25, 1e-6, 0.05])
def test_certified_epsilon_near_and_far_from_a_bounded_loss(cov_p, delta):
    pair = GaussianPair([0.5] + [0.0] * (len(cov_p) - 1), cov_p, [0.0] * len(cov_p), 1)
    found = certified_epsilon_for_delta(pair, delta, digits=12)
    assert crosses(lambda eps: certified_hockey_stick(pair, eps, digits=25), delta, found.lower, found.upper)
