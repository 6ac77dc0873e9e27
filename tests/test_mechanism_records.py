"""Records within their norm bound, and arrays of numbers in every form."""

import functools
import math
from fractions import Fraction

import numpy as np
import pytest
from mechanism_examples import BASE, KERNEL, made, process, refused, rng

from ndis_verify import mechanisms
from ndis_verify.exact_number import InputError
from ndis_verify.mechanisms import baselines, records
from ndis_verify.mechanisms.records import ROUNDING, clip_norms, database, number_array


@functools.cache
def classifier():
    return mechanisms.logistic_regression(1, penalty=1, norm_bound=1, epsilon=1, delta=1e-5)


# Norms


def excess(row, bound):
    return sum(Fraction(float(entry)) ** 2 for entry in row) / Fraction(bound) ** 2 - 1


def within(matrix, bound):
    return all(excess(row, bound) <= 0 for row in matrix)


@pytest.mark.parametrize("d", [2, 3, 31, 1000, 20_000])
@pytest.mark.parametrize("bound", [1.0, 1.5, 0.1, 3e200, 1e-200])
def test_no_record_above_the_bound_is_let_pass(d, bound):
    rows = rng(d).standard_normal((max(2, 600 // d), d))
    rows *= bound / np.linalg.norm(rows, axis=1)[:, None]  # of norm l, as well as float64 can say
    found = database(rows, bound)
    assert within(found, bound) and found == pytest.approx(rows, rel=1e-14, abs=0)
    assert (database(found, bound) == found).all() and (database(rows * (1 - 1e-14), bound) == rows * (1 - 1e-14)).all()
    for above in (1 + 2.0**-52 * (d + 2), 1 + 3 * ROUNDING, 1.1):
        refused("data", database, np.vstack([rows[:1] * 0.5, rows[1:] * above]), bound)
    lone = np.zeros((1, d))
    lone[0, d // 2] = bound * (1 + 2.0**-52 * (d + 2) * 0.999)
    if d > 2:
        refused("data", database, lone, bound)
    lone[0, d // 2] = bound
    assert (database(lone, bound) == lone).all()


def test_a_norm_that_is_a_rounding_above_is_brought_down(monkeypatch):
    assert excess([0.6, 0.8], 1.0) > 0
    assert within(database([[0.6, 0.8]], 1.0), 1.0)
    monkeypatch.setattr(records, "_move_within", lambda *args: None)
    assert not within(database([[0.6, 0.8]], 1.0), 1.0)


def test_excesses_are_exact_next_to_the_bound():
    for d in (1, 2, 5, 200):
        rows = rng(d).standard_normal((20, d)) * 10 ** rng(d).uniform(-9, 0, (20, d))
        rows /= np.linalg.norm(rows, axis=1)[:, None]
        for row, found in zip(rows, records._excess(rows * 1.7, 1.7)):
            assert abs(float(excess(row * 1.7, 1.7)) - found) < 1e-26


@pytest.mark.parametrize("bound", [1.0, 0.3, 1e-180, 1e-300, 7e-310, 5e-324, 1e300])
def test_clipped_records_are_within_the_bound(bound):
    extreme = [[3e200, 4e200, 0.0], [1e308, -1e308, 1e308], [1e-170, 1e-170, 0], [5e-324, 1e-320, 0], [0.6, 0.8, 0.1]]
    rows = np.vstack([extreme, rng().normal(size=(20, 3))])
    clipped = clip_norms(rows, bound)
    assert within(clipped, bound) and (database(clipped, bound) == clipped).all()
    for before, after in zip(rows, clipped):
        if excess(before, bound) <= 0:
            assert (before == after).all()
        elif bound > 1e-300:
            assert excess(after, bound) > -2e-15
            largest = np.abs(before).max()
            assert after / bound == pytest.approx(before / largest / math.hypot(*before / largest), rel=1e-14)


def test_clipping_warns_of_nothing(recwarn):
    clip_norms([[3e200, 4e200], [1e308, 1e308], [5e-324, 1e-320]], 1.0)
    with pytest.raises(InputError):
        database([[3e200, 4e200]], 1.0)
    assert not recwarn.list


# Arrays

BAD = {
    "text": [["a", "b"]],
    "numeric text": [["0.1", "0.2"]],
    "text array": np.array([["0.1", "0.2"]]),
    "bytes": np.array([[b"1", b"0"]]),
    "ragged": [[0.1], [0.1, 0.2]],
    "complex": np.array([[0.1 + 100j, 0.2]]),
    "complex list": [[0.1 + 1j, 0.2]],
    "bool": np.array([[True, False]]),
    "bool in a list": [[True, 0.5]],
    "numpy bool in a list": [[np.True_, 0.5]],
    "masked": np.ma.array([[0.1, 0.2]], mask=[[True, False]]),
    "masked row": [np.ma.array([0.1, 0.2], mask=[True, False])],
    "masked entry": [[np.ma.masked, 0.2]],
    "none": None,
    "dict": {"a": 1},
    "huge": [[10**400, 0]],
    "object": np.array([[None, 0.2]], dtype=object),
    "nan": [[math.nan, 0]],
    "inf": [[math.inf, 0]],
    "date": np.array([["2020-01-01", "1970-01-01"]], dtype="datetime64[D]"),
    "duration": np.array([[1, 0]], dtype="timedelta64[s]"),
    "structured": np.array([(0.1, 0.2)], dtype=[("a", float), ("b", float)]),
    "generator": (x for x in [1]),
    "set": {0.1, 0.2},
    "object bool": np.array([[True, 0.2]], dtype=object),
    "long": np.array([[np.longdouble("1e1000"), 0]]),
}


TAKES = {
    **{
        name: (lambda data, name=name: made()[name][0].release(data, rng()), "data")
        for name in ("projection", "least squares", "Gaussian", "Laplace")
    },
    "logistic": (lambda data: classifier().release(data, rng()), "data"),
    "process": (lambda data: process(KERNEL).release(data, rng()), "data"),
    "query": (
        lambda data: mechanisms.gaussian_process(
            KERNEL, data, noise_variance=250, label_bound=0.5, norm_bound=1, records=16, epsilon=1, delta=1e-5
        ),
        "query",
    ),
    "set": (lambda data: mechanisms.neighbourhood(data, 1), "data"),
    "additions": (lambda data: mechanisms.neighbourhood(BASE, 1, data), "additions"),
    "clipping": (lambda data: mechanisms.clip_norms(data, 1), "data"),
    "least squares of a sketch": (mechanisms.projected_least_squares, "matrix"),
    "Gram matrix": (lambda data: mechanisms.gram_estimate(data, 1), "matrix"),
    "shrinking": (lambda data: mechanisms.james_stein(data, 1), "y"),
    "Sheffet features": (
        lambda data: baselines.sheffet_least_squares(3, epsilon=1, delta=1e-5, norm_bound=1).release(
            data, [0.1], rng()
        ),
        "features",
    ),
    "Sheffet target": (
        lambda data: baselines.sheffet_least_squares(3, epsilon=1, delta=1e-5, norm_bound=1).release(
            [[0.1]], data, rng()
        ),
        "target",
    ),
}


@pytest.mark.parametrize("name", TAKES)
@pytest.mark.filterwarnings("error")
def test_what_is_no_array_of_numbers_is_refused_by_name(name):
    call, argument = TAKES[name]
    for data in BAD.values():
        refused(argument, call, data)


class Frame:
    """Has rows, columns and a conversion, as data frames do; iterating it gives the names of its columns."""

    def __init__(self, values):
        self.values = np.array(values)
        self.shape = self.values.shape

    def __array__(self, dtype=None, copy=None):
        return self.values.astype(dtype or self.values.dtype)

    def __len__(self):
        return len(self.values)

    def __iter__(self):
        return iter("ab")


def test_arrays_of_numbers_are_taken_in_every_form():
    expected = np.array([[0.25, 1.0]])
    for form in (
        expected,
        [[0.25, 1]],
        ((0.25, 1.0),),
        [expected[0]],
        [np.array([0.25, 1.0])],
        Frame(expected),
        expected.astype(np.float32),
        expected.astype(object),
        [[Fraction(1, 4), 1]],
        [list(expected[0])],
        expected.astype(np.longdouble),
        np.asfortranarray(expected),
    ):
        found = number_array(form, "data")
        assert found.dtype == np.float64 and found.tolist() == expected.tolist() and found is not form
        assert (classifier().release(form, rng()) == classifier().release(expected, rng())).all()
    for name in ("projection", "least squares", "Gaussian", "process"):
        assert (TAKES[name][0](Frame([[0.1, 0.2]])) == TAKES[name][0]([[0.1, 0.2]])).all()
        refused("data", TAKES[name][0], Frame([["0.1", "0.2"]]))
