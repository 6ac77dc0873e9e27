"""The safe side at the ends of floats: leverages that overflow, hidden conditions, values that float64 cannot hold."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ndis_verify.exact_number import InputError
from ndis_verify.fast.engine.cell_search import largest
from ndis_verify.fast.engine.safe_root import safe_root
from ndis_verify.fast.leverage import leverage_scores, neighbourhood_leverage
from ndis_verify.mechanisms import inherent_delta, law_delta, neighbourhood, relative_random_projection
from ndis_verify.mechanisms.least_squares import record_leverages
from ndis_verify.oracle.leverage import leverage_scores as exact_leverage_scores

seeds = st.integers(0, 10**6)
powers = st.sampled_from([0, -3, -100, -150, -155, -158, -161, -165, -308])


def exact_leverage(base, additions, ridge=0.0):
    """The largest leverage of a record of the base, and of an addition in the base with it: rational arithmetic."""
    scores = exact_leverage_scores(base, range(len(base)), 30, ridge)
    for u in additions:
        scores += exact_leverage_scores(np.vstack([base, u]), [len(base)], 30, ridge)
    return max(score.upper for score in scores)


# Leverages beyond the range of floats


@settings(max_examples=60)
@given(seeds, powers, powers, st.sampled_from([0.0, 1e-323, 1e-310, 1e-300, 1e-20, 1.0]))
@example(0, -160, 0, 0.0)
@example(0, -160, 0, 1e-310)
def test_the_leverage_of_a_set_is_never_below_the_exact_one(seed, first, second, ridge):
    rng = np.random.default_rng(seed)
    base = rng.uniform(-1, 1, (4, 2)) * [10.0**first, 10.0**second]
    additions = rng.uniform(-1, 1, (2, 2))
    assert Fraction(neighbourhood_leverage(base, additions, ridge)) >= exact_leverage(
        base, additions, ridge
    ) - Fraction(1, 10**25)


@pytest.mark.parametrize("size", [1e-150, 1e-155, 1e-158, 1e-160, 1e-161])
def test_a_record_next_to_nothing_else_is_seen_by_relative_mechanisms(size):
    base = np.full((10, 1), size)
    databases, more = neighbourhood(base, 1.0, additions=[[1.0]]), np.vstack([base, [[1.0]]])
    assert databases.leverage() == databases.leverage(1e-310) == inherent_delta(databases, 5, 1.0) == 1.0
    mechanism = relative_random_projection(databases, 5, epsilon=1.0, delta=0.01)
    true = law_delta(mechanism.output_law(more), mechanism.output_law(base), 1.0)
    assert true <= mechanism.calibration.certificate.delta <= 0.01


def test_the_shares_of_records_in_least_squares_are_numbers_where_squares_overflow():
    p, q = record_leverages(np.array([[1e-160, 0.0], [0.0, 1e-160]]), 0.0, np.array([[1.0, 1.0]]))
    assert p.tolist() == q.tolist() == [1.0]


@pytest.mark.parametrize("scale", [1e-300, 1e-160, 1e160, 1e300])
def test_leverages_do_not_depend_on_the_unit(scale):
    data = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 7.0]])
    want = [float(score.mid) for score in exact_leverage_scores(scale * data, range(3), 20)]
    assert leverage_scores(scale * data) == pytest.approx(want, abs=1e-13)
    assert neighbourhood_leverage(scale * data) == pytest.approx(max(want), abs=1e-11)


def test_a_bound_that_is_no_number_bounds_nothing():
    def look(points, low, high):
        return np.append(-points, np.where(low > 0.5, np.nan, -low))

    assert largest(look, 1e-3, 1000).upper == np.inf


def test_a_root_is_on_the_safe_side_of_what_is_no_number():
    def excess(x, index):
        return np.where((x > 0.37) & (x < 0.6), np.nan, np.where(x < 0.5, 1.0, -1.0))

    (found,) = safe_root(excess, np.array([1.0]), np.array([0.0]))
    assert excess(np.array([found]), None)[0] <= 0


# Conditions that a pivoted triangle hides


def kahan(size, c=0.3, tilt=1e-9):
    """A triangle with unit columns whose pivoted QR is itself, and whose diagonal says little of its condition."""
    triangle = np.zeros((size, size))
    for k in range(size):
        for i in range(k):
            triangle[i, k] = -c * triangle[i, i] * (1 + tilt * k)
        triangle[k, k] = np.sqrt(1 - (triangle[:k, k] ** 2).sum())
    return triangle


def hidden(size, seed):
    """Records one of which has most of the least direction of a Kahan triangle to itself."""
    triangle, rng = kahan(size), np.random.default_rng(seed)
    least, basis = np.linalg.svd(triangle)[0][:, -1], np.linalg.qr(rng.normal(size=(2 * size, size)))[0]
    basis[0] = 0.8 * least
    basis[1:] = np.linalg.qr(basis[1:])[0] @ (np.eye(size) - 0.4 * np.outer(least, least))
    return basis @ triangle


@pytest.mark.parametrize("seed", [431, 0])
def test_the_leverage_of_a_base_whose_pivots_hide_its_condition(seed):
    base = hidden(100, seed)
    score = exact_leverage_scores(base, [0], 30)[0]
    assert neighbourhood_leverage(base / 64) >= score.lower
    with pytest.raises(InputError, match="rank"):
        leverage_scores(base)


def graded(kind, seed):
    rng = np.random.default_rng(seed)
    d = int(rng.integers(2, 7))
    data = rng.normal(size=(d + int(rng.integers(0, 6)), d))
    if kind == "Hilbert":
        return 1 / (np.arange(len(data))[:, None] + np.arange(d) + 1.0)
    if kind == "Kahan":
        return hidden(8 + d, seed)
    if kind == "alike":
        return 1 + 1e-9 * data
    return data * (10.0 ** rng.uniform(-8, 8, d) if kind == "columns" else 10.0 ** rng.uniform(-7, 0, (len(data), 1)))


@settings(max_examples=60)
@given(st.sampled_from(["Hilbert", "Kahan", "alike", "columns", "rows"]), seeds, st.sampled_from([0.0, 1e-12, 1e-3]))
def test_the_bound_on_leverages_holds_whatever_the_condition(kind, seed, ridge):
    base = graded(kind, seed)
    additions = np.random.default_rng(seed + 1).normal(size=(2, base.shape[1]))
    assert neighbourhood_leverage(base, additions, ridge) >= exact_leverage(base, additions, ridge) - Fraction(
        1, 10**25
    )
