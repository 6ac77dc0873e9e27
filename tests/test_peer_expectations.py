"""Numbers that other projects expect: the claims of `peer_tables`, by other means."""

import math
from fractions import Fraction

import mpmath
import pytest

from ndis_verify.claims.peer_tables import subsampled
from ndis_verify.claims.peer_tables.expectations import GAUSSIAN, half_unit
from ndis_verify.fast.mean_shift import gaussian_std
from ndis_verify.oracle.certified.engine.balls import ball, working_bits


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


def likelihoods(row):
    """Both densities of one step, and the larger minus e^eps of the smaller, in the order that is asked for."""
    shift, rate = mpmath.mpf(row.sensitivity) / mpmath.mpf(row.std), mpmath.mpf(row.rate)
    c = mpmath.exp(mpmath.mpf(row.epsilon))

    def mixed(x):
        return rate * mpmath.npdf(x, shift) + (1 - rate) * mpmath.npdf(x)

    first, second = (mixed, mpmath.npdf) if row.order == "R" else (mpmath.npdf, mixed)
    return lambda x: max(first(x) - c * second(x), mpmath.mpf(0))


@pytest.mark.parametrize("row", subsampled.DELTAS)
def test_a_subsampled_delta_by_its_definition(row):
    with mpmath.workdps(20):
        ends = [mpmath.mpf(k) / 4 for k in range(-48, 73)]
        true = mpmath.quad(likelihoods(row), ends, maxdegree=4)
        assert abs(true - mpmath.mpf(row.printed)) < 1e-6
    with working_bits(100):
        found = subsampled.sampled(
            row.sensitivity / ball(Fraction(row.std)), ball(Fraction(row.rate)), row.order, ball(Fraction(row.epsilon))
        )
        assert abs(float(found) - float(true)) < 1e-6


@pytest.mark.parametrize("row", subsampled.VARIANCES)
def test_an_expected_variance_by_the_calibrated_noise(row):
    least = gaussian_std(row.square**0.5, epsilon=row.times * math.log(3), delta=float(row.delta)) ** 2
    assert least <= float(row.printed) < least / 0.9993
