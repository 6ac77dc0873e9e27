"""Bits of float64s and the fractions behind them, against exact arithmetic of the standard library."""

import math
import struct
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ndis_verify.audit.float_bits import KINDS, NO_BIT, exponent, kind, lowest_bit, mantissa, ulp_exponent
from ndis_verify.audit.small_ratios import small_fraction, small_ratio

FLOATS = st.floats(allow_nan=False, allow_infinity=False)
SMALL = st.integers(1, 2**20)


@given(FLOATS)
def test_parts_of_a_float(x):
    at = np.array([x])
    m, k = int(mantissa(at)[0]), int(ulp_exponent(at)[0])
    assert Fraction(m) * Fraction(2) ** k == abs(Fraction(x)) and Fraction(2) ** k == Fraction(math.ulp(x))
    if x:
        low = Fraction(2) ** int(lowest_bit(at)[0])
        assert (Fraction(x) / low).denominator == 1 and (Fraction(x) / low).numerator % 2 == 1
        assert exponent(at)[0] == math.frexp(x)[1] - 1
    else:
        assert lowest_bit(at)[0] == exponent(at)[0] == NO_BIT


def test_kinds():
    x = [math.nan, -math.inf, -1.0, -5e-324, -0.0, 0.0, 2.2e-308, 2.0**-1022, math.inf]
    assert [KINDS[k] for k in kind(np.array(x))] == [*KINDS[:7], "positive", "inf"]
    payload = struct.unpack("d", struct.pack("Q", 0xFFF0000000000001))[0]  # a nan with its sign bit set
    assert KINDS[kind(np.array([payload]))[0]] == "nan"
    assert (lowest_bit(np.array([math.nan, math.inf])) == NO_BIT).all()


@given(SMALL, SMALL)
def test_a_quotient_of_small_integers_gives_them_back(a, b):
    wanted = Fraction(a, b)
    found = tuple(int(v[0]) for v in small_fraction(np.array([a / b])))
    assert found == ((wanted.numerator, wanted.denominator) if 2.0**-8 <= a / b < 2.0**8 else found)
    assert found in ((wanted.numerator, wanted.denominator), (0, 0))


@given(SMALL, SMALL, st.floats(1e-100, 1e100))
def test_multiples_of_a_hidden_step_give_their_ratio_back(a, b, step):
    wanted = Fraction(a, b)
    found = tuple(int(v[0]) for v in small_ratio(np.array([-a * step]), np.array([b * step])))
    assert found in ((wanted.numerator, wanted.denominator), (0, 0))
    assert found != (0, 0) or not 2.0**-7 < a / b < 2.0**7


@given(st.floats(2.0**-7, 2.0**7))
def test_the_fraction_is_within_an_ulp(x):
    a, b = (int(v[0]) for v in small_fraction(np.array([x])))
    assert abs(Fraction(a, b) - Fraction(x)) <= Fraction(x) * Fraction(1, 2**51)
    # No smaller denominator comes as near as a convergent does.
    if b > 1:
        assert abs(Fraction(x).limit_denominator(b - 1) - Fraction(x)) > abs(Fraction(a, b) - Fraction(x))


@pytest.mark.parametrize("x, y", [(0.0, 1.0), (1.0, 0.0), (math.inf, 1.0), (1.0, math.nan), (1e300, 1e-300)])
def test_what_has_no_ratio_has_none(x, y):
    assert [int(v[0]) for v in small_ratio(np.array([x]), np.array([y]))] == [0, 0]
