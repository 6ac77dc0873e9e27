"""Limits of score auditors: exact failure probabilities; curves of operating points are consistent."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from ndis_verify.audit import OperatingPoints, error_per_call
from ndis_verify.audit.limits import (
    clopper_pearson_lower,
    clopper_pearson_upper,
    dkw_radius,
    jeffreys_lower,
    jeffreys_upper,
    tv_radius,
)
from ndis_verify.exact_number import InputError
from ndis_verify.oracle.histogram import tv_error_tail


@pytest.mark.parametrize("n", [5, 40])
@pytest.mark.parametrize("failure", [0.01, 0.05, 0.3])
def test_clopper_pearson_fails_with_at_most_the_stated_probability(n, failure):
    counts = np.arange(n + 1)
    low, high = clopper_pearson_lower(counts, n, failure), clopper_pearson_upper(counts, n, failure)
    assert low[0] == 0 and high[-1] == 1 and (np.diff(low) > 0).all() and (np.diff(high) > 0).all()
    for p in np.concatenate([[1e-6, 1e-3], np.linspace(0.02, 0.98, 33)]):
        chance = binom.pmf(counts, n, p)
        assert chance[low > p].sum() <= failure and chance[high < p].sum() <= failure


def test_jeffreys_limits_are_tighter_and_break_the_stated_probability_somewhere():
    n, failure, counts = 40, 0.05, np.arange(41)
    assert (jeffreys_upper(counts, n, failure) <= clopper_pearson_upper(counts, n, failure)).all()
    assert (jeffreys_lower(counts, n, failure) >= clopper_pearson_lower(counts, n, failure)).all()
    worst = max(
        binom.pmf(counts, n, p)[jeffreys_upper(counts, n, failure) < p].sum() for p in np.linspace(0.01, 0.99, 197)
    )
    assert worst > failure


@pytest.mark.parametrize("p, q, n", [(0.5, 0.1, 30), (0.2, 0.2, 30), (0.97, 0.02, 20)])
def test_both_limits_of_a_set_fail_with_at_most_the_stated_probability(p, q, n):
    failure, counts = 0.1, np.arange(n + 1)
    power, level = clopper_pearson_lower(counts, n, failure / 2), clopper_pearson_upper(counts, n, failure / 2)
    chance = np.outer(binom.pmf(counts, n, p), binom.pmf(counts, n, q))
    wrong = 0.0
    for x in counts:
        for y in counts:
            points = OperatingPoints.of([power[x]], [level[y]], [True], 1 - failure, "guaranteed")
            true = [max(p - math.exp(e) * q, (1 - q) - math.exp(e) * (1 - p), 0) for e in (0, 1)]
            wrong += chance[x, y] * any(points.delta(e) > t + 1e-12 for e, t in zip((0, 1), true))
    assert wrong <= failure


@pytest.mark.parametrize(
    "law, n", [((Fraction(1, 4),) * 4, 12), ((Fraction(9, 10), Fraction(1, 20), Fraction(1, 20)), 20)]
)
def test_total_variation_radius_against_exact_tails(law, n):
    for failure in (0.01, 0.1, 0.5):
        radius = tv_radius(n, len(law), failure)
        assert tv_error_tail(law, n, radius) <= failure
        # KM-4.2 with failure = delta/2
        assert radius <= max(math.sqrt(len(law) / n), math.sqrt(2 * math.log(1 / failure) / n))


def test_dkw_radius_is_massart_s():
    assert 2 * math.exp(-2 * 1000 * dkw_radius(1000, 0.05) ** 2) == pytest.approx(0.05)


@given(
    st.lists(st.tuples(st.floats(0, 1), st.floats(1e-6, 1), st.booleans()), min_size=1, max_size=6),
    st.floats(0, 8),
    st.floats(0, 0.9),
)
def test_curves_of_operating_points_are_consistent(points, epsilon, delta):
    curve = OperatingPoints.of(*map(np.array, zip(*points)), 0.95, "guaranteed")
    found = float(curve.epsilon(delta))
    assert found >= 0 and float(curve.delta(epsilon)) >= 0
    if np.isfinite(found):
        assert curve.delta(found) <= delta + 1e-9
        if found > 1e-6:
            assert curve.delta(max(found - 1e-6, 0)) >= delta - 1e-12
    assert curve.delta(epsilon) == max(curve.delta(epsilon, "P,Q"), curve.delta(epsilon, "Q,P"))
    levels = np.linspace(0, 1, 41)
    beta = curve.trade_off(levels)
    assert (np.diff(beta) <= 1e-12).all() and (np.diff(beta, 2) >= -1e-9).all() and (beta <= 1 - levels + 1e-12).all()
    # every set's own test lies on or above the curve
    for power, level, first_is_p in points:
        alpha, missed = (level, 1 - power) if first_is_p else (1 - power, level)
        assert curve.trade_off(alpha) <= missed + 1e-9


def test_trade_off_of_exact_masses_is_the_neyman_pearson_curve():
    p, q = np.array([0.6, 0.3, 0.1]), np.array([0.1, 0.3, 0.6])
    curve = OperatingPoints.of(np.cumsum(p)[:2], np.cumsum(q)[:2], [True, True], 0.0, "estimate")
    levels = [
        0.0,
        0.05,
        0.1,
        0.4,
        0.7,
        1.0,
    ]  # at those of the sets, between them, and between the outer ones and guessing
    assert curve.trade_off(levels) == pytest.approx([1.0, 0.7, 0.4, 0.1, 0.05, 0.0])
    assert curve.delta([0.0, math.log(2)]) == pytest.approx([0.5, 0.4])
    assert curve.epsilon(0.0) == pytest.approx(math.log(6))


@pytest.mark.parametrize("limit", [clopper_pearson_lower, clopper_pearson_upper, jeffreys_lower, jeffreys_upper])
@pytest.mark.parametrize(
    ("argument", "given"),
    [
        ("count", (5, 3, 0.05)),
        ("count", (-1, 3, 0.05)),
        ("count", (math.nan, 3, 0.05)),
        ("n", (0, math.inf, 0.05)),
        ("n", (0, -1, 0.05)),
        ("failure", (1, 3, 0.0)),
        ("failure", (1, 3, 1.5)),
        ("failure", ([1, 2], 3, [0.5, math.nan])),
    ],
)
def test_counts_that_are_none_are_refused(limit, argument, given):
    with pytest.raises(InputError, match=f"^{argument}"):
        limit(*given)


@pytest.mark.parametrize(
    ("argument", "given"), [("alpha", (-1.0, 1.0)), ("alpha", (math.nan, 1.0)), ("epsilon", (1e-6, math.nan))]
)
def test_an_error_for_two_calls_is_asked_for_a_number(argument, given):
    with pytest.raises(InputError, match=f"^{argument}"):
        error_per_call(*given)
