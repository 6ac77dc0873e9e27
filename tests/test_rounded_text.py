"""Short decimal text of limits and claims says no more than is so."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ndis_verify.rounded_text import as_given, at_least, at_most

NUMBERS = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False), st.fractions(), st.decimals(-1000, 1000, places=30).map(Fraction)
)


@given(NUMBERS, st.integers(1, 15))
def test_a_limit_is_rounded_to_its_safe_side_by_less_than_a_unit(value, digits):
    low, high = Fraction(at_least(value, digits)), Fraction(at_most(value, digits))
    assert low <= Fraction(value) <= high and high - low <= abs(Fraction(value)) * Fraction(10) ** (1 - digits)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_float_that_was_given_is_told_from_every_other(value):
    assert float(as_given(value)) == value


@given(st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**9), max_value=10**9, places=25))
def test_a_decimal_that_was_given_keeps_all_its_digits(value):
    assert Fraction(as_given(Fraction(value))) == Fraction(value)


@pytest.mark.parametrize(
    ("value", "text"), [(10.0, "10"), (Fraction(1, 3), "1/3"), (Fraction(0.1), "0.1"), (0.0, "0"), (250000.0, "250000")]
)
def test_short_numbers_are_written_as_one_writes_them(value, text):
    assert as_given(value) == text


def test_an_infinite_limit_is_named():
    assert at_least(float("inf")) == at_most(float("inf")) == "inf"
