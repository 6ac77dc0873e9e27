"""Numbers that other projects expect (PKG-google-gaussian, PKG-google-small-delta, PKG-chi2comb-readme)."""

from fractions import Fraction

import mpmath
import pytest

from ndis_verify.claims.peer_tables.expectations import GAUSSIAN, half_unit


@pytest.mark.parametrize(("printed", "half"), [("0.0587", "0.00005"), ("3.129e-141", "5e-145"), ("12", "0.5")])
def test_half_of_a_last_digit(printed, half):
    assert half_unit(printed) == Fraction(half)


@pytest.mark.parametrize(("sensitivity", "std", "epsilon", "printed"), GAUSSIAN)
def test_an_expected_delta_by_its_definition(sensitivity, std, epsilon, printed):
    """By an integral of the positive part of a difference of densities, at 30 digits."""
    with mpmath.workdps(30):
        s, e = mpmath.mpf(std), mpmath.mpf(epsilon)
        edge = mpmath.mpf(sensitivity) / 2 + e * s**2 / sensitivity
        ends = [edge, edge + 3 * s, edge + 8 * s, edge + 30 * s]
        true = mpmath.quad(lambda x: mpmath.npdf(x, sensitivity, s) - mpmath.e**e * mpmath.npdf(x, 0, s), ends)
        assert (
            abs(true - mpmath.mpf(printed)) <= mpmath.mpf(half_unit(printed).numerator) / half_unit(printed).denominator
        )


def test_the_small_delta_loses_its_digits_to_a_difference():
    with mpmath.workdps(40):
        shift, eps = mpmath.mpf(10) / 500, mpmath.mpf("0.5")
        first, second = mpmath.ncdf(shift / 2 - eps / shift), mpmath.ncdf(-shift / 2 - eps / shift)
        true = first - mpmath.e**eps * second
    assert mpmath.nstr(true, 13) == "3.12977677298e-141" or mpmath.nstr(true, 10) == "3.129776773e-141"
    assert abs(true / mpmath.mpf("3.129776773173962e-141") - 1) > 5e-11
