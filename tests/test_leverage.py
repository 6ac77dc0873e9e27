"""Leverage scores: float64 against exact rational arithmetic, and their facts."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ndis_verify import InputError
from ndis_verify.fast.leverage import leverage_scores
from ndis_verify.oracle.leverage import leverage_scores as exact_leverage_scores

seeds = st.integers(0, 10**6)


def database(seed, rows=9, columns=4, decades=3):
    rng = np.random.default_rng(seed)
    return rng.standard_normal((rows, columns)) * 10.0 ** rng.uniform(-decades, decades, columns)


@given(seeds)
def test_float64_agrees_with_exact_arithmetic(seed):
    data = database(seed)
    fast = leverage_scores(data)
    for row, enclosure in enumerate(exact_leverage_scores(data, range(9), digits=20)):
        assert abs(fast[row] - float(enclosure.mid)) < 1e-13
        assert enclosure.relative_radius < 1e-20


@given(seeds)
def test_leverages_sum_to_the_dimension_and_ignore_the_choice_of_basis(seed):
    data = database(seed, decades=1)
    scores = leverage_scores(data)
    assert scores.sum() == pytest.approx(4, abs=1e-12) and (scores >= 0).all() and (scores <= 1).all()
    change = np.random.default_rng(seed + 1).standard_normal((4, 4)) + 4 * np.eye(4)
    assert leverage_scores(data @ change) == pytest.approx(scores, abs=1e-10)


def test_a_row_that_alone_spans_a_direction_has_leverage_one():
    data = [[1, 0], [2, 0], [0, 3]]
    assert leverage_scores(data)[2] == pytest.approx(1)
    assert exact_leverage_scores(data, [0, 2])[1].contains(1)
    assert exact_leverage_scores([["0.1"], ["0.2"]], [0])[0].contains("0.2")


@pytest.mark.parametrize(
    "data",
    [[[1, 2], [2, 4], [3, 6]], [[1, 0]], [[1, 0], [0, np.nan]], [[0, 1], [0, 2]], [1, 2], [["a", 1]], np.zeros((3, 0))],
)
def test_bad_databases_are_refused(data):
    with pytest.raises(InputError, match="data"):
        leverage_scores(data)
    with pytest.raises(InputError):
        exact_leverage_scores(data, [0])


def test_a_missing_row_is_refused():
    with pytest.raises(InputError, match="rows"):
        exact_leverage_scores([[1], [2]], [2])
