"""The checks that functions share: what they let through, and that they name argument, value and rule."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ndis_verify import arguments
from ndis_verify.exact_number import InputError

INTERVALS = ["(0, 1)", "[0, 1)", "(0, 1]", "[0, 1]", "(0, inf)", "[0, inf)", "[0.5, 1)"]


def _let_through(value, interval):
    try:
        arguments.within(value, "x", interval)
    except InputError as error:
        assert error.argument == "x"
        return False
    return True


@given(st.floats() | st.sampled_from([0.0, 0.5, 1.0]), st.sampled_from(INTERVALS))
def test_an_interval_is_what_is_written(value, interval):
    low, high = map(float, interval[1:-1].split(", "))
    ends = {low: interval[0] == "[", high: interval[-1] == "]"}
    assert _let_through(value, interval) == ends.get(value, low < value < high)
    assert _let_through(np.array([high / 2 if high < 2 else 1.0, value]), interval) == _let_through(value, interval)
    assert _let_through(np.float64(value), interval) == _let_through(np.array(value), interval)


def test_what_is_outside_is_named():
    for value in (np.array([0.5, -2.0]), -2.0, np.float64(-2)):
        with pytest.raises(InputError, match=r"rate = .*-2.0.*: must lie in \(0, 1\]"):
            arguments.within(value, "rate", "(0, 1]")
    with pytest.raises(InputError, match="must be a number"):
        arguments.within("0.5", "rate", "(0, 1]")
    with pytest.raises(InputError, match="must be positive and finite"):
        arguments.within(np.inf, "scale", "(0, inf)")
    arguments.within(Fraction(1, 3), "rate", "(0, 1]")


@pytest.mark.parametrize("value", [3, np.int64(3), 10**30])
def test_whole_numbers(value):
    assert arguments.whole(value, "n", 3) == value and type(arguments.whole(value, "n")) is int


@pytest.mark.parametrize("value", [2, True, 3.0, "3", None, np.float64(3), Fraction(3)])
def test_what_is_no_whole_number_or_too_small(value):
    with pytest.raises(InputError, match="n = .*: must be a whole number, at least 3"):
        arguments.whole(value, "n", 3)
    with pytest.raises(InputError, match="n = .*: must be a whole number from 3 to 5"):
        arguments.whole(6, "n", 3, 5)


@pytest.mark.parametrize("value", [True, False, np.True_])
def test_a_boolean_is_no_whole_number(value):
    with pytest.raises(InputError, match="n = .*: must be a whole number, at least 0"):
        arguments.whole(value, "n")


def test_words_and_exact_numbers():
    arguments.one_of("b", "word", ("a", "b"))
    arguments.direction("insert")
    assert arguments.positive("0.1", "x") == Fraction(1, 10) and arguments.nonnegative(0, "x") == 0
    for call, rule in (
        (lambda: arguments.one_of("c", "word", ("a", "b")), "word = c: must be one of a, b"),
        (lambda: arguments.direction("both"), "direction = both: must be 'delete' or 'insert'"),
        (lambda: arguments.positive(0, "x"), "x = 0: must be positive"),
        (lambda: arguments.nonnegative(-1, "x"), "x = -1: must be nonnegative"),
    ):
        with pytest.raises(InputError, match=rule):
            call()


def test_an_exact_number_in_an_interval():
    assert arguments.exactly("0.1", "rate", "(0, 1]") == Fraction(1, 10)
    with pytest.raises(InputError, match=r"rate = 1.5: must lie in \(0, 1\]"):
        arguments.exactly("1.5", "rate", "(0, 1]")
    with pytest.raises(InputError, match="rate = x: must be a finite decimal"):
        arguments.exactly("x", "rate", "(0, 1]")
