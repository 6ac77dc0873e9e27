"""How released numbers are drawn: exact sampling rates, a public grid that keeps no low bits of private data."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from ndis_verify.exact_number import InputError
from ndis_verify.mechanisms import (
    calibrated_gaussian,
    gaussian_mechanism,
    least_squares,
    propose_test_release,
    random_projection,
)
from ndis_verify.mechanisms.baselines.laplace import laplace_mechanism
from ndis_verify.mechanisms.exact.grid import BITS
from ndis_verify.mechanisms.exact.stream import Stream
from ndis_verify.mechanisms.projection_wrappers import (
    ProposeTestRelease,
    SubsampledRandomProjection,
    planned_split,
    sampled,
    subsampled_random_projection,
)

ONE_IN_A_MILLION = 1e-6  # false alarms of each test below


class Digits:
    """A stream of whole numbers of 53 bits that are given."""

    def __init__(self, *numbers):
        self.numbers = list(numbers)

    def words(self, label, index, count):
        return np.array([self.numbers.pop(0) << 11 for _ in range(count)], dtype=np.uint64)


@given(st.fractions(0, 1).filter(lambda rate: rate > 0), st.lists(st.integers(0, 2**53 - 1), min_size=25, max_size=25))
def test_a_record_is_kept_where_the_uniform_number_is_below_the_rate(rate, numbers):
    rate = float(rate)
    uniform = sum(Fraction(number, 2 ** (53 * (k + 1))) for k, number in enumerate(numbers))
    assert sampled(1, rate, Digits(*numbers))[0] == (uniform < Fraction(rate))


@pytest.mark.parametrize("rate", [1e-17, 3.0272414251928903e-07, 1e-30, 5e-324])
def test_the_digits_of_small_rates_are_all_compared(rate):
    left = Fraction(rate)
    digits = []
    while left:
        left *= 2**53
        digits.append(left.numerator // left.denominator)
        left -= digits[-1]
    assert not sampled(1, rate, Digits(*digits, *[0] * 30))[0]  # the rate itself is not below it
    less = [*digits[:-1], digits[-1] - 1]
    assert sampled(1, rate, Digits(*less, *[0] * 30))[0]


def test_rates_by_counting():
    n = 200_000
    for rate in (0.5, 0.1, 1e-4, 1.0):
        kept = int(sampled(n, rate, Stream(np.random.default_rng(8))).sum())
        assert binom.ppf(ONE_IN_A_MILLION / 8, n, rate) <= kept <= binom.isf(ONE_IN_A_MILLION / 8, n, rate)
    assert sampled(0, 0.5, Stream(np.random.default_rng(0))).size == 0


def low_bits(values, size):
    """Share of the entries below 1/4 in size that are multiples of 2^-53."""
    small = values[np.abs(values) < size]
    return np.mean(small * 2.0**53 == np.rint(small * 2.0**53))


def test_low_bits_do_not_tell_the_value():
    mechanism = gaussian_mechanism(1, epsilon=1, delta=1e-5, adjacency="any")
    there, gone = (
        mechanism.release(np.full(200_000, value), np.random.default_rng(seed)) for seed, value in ((1, 1.0), (2, 0.0))
    )
    assert low_bits(there, 0.25) == low_bits(gone, 0.25) == 1
    raw = 0.0 + mechanism.std * np.random.default_rng(2).standard_normal(200_000)
    assert low_bits(raw, 0.25) < 0.5  # what the grid is there for


RECORDS = np.array([[0.6, 0.8], [1.0, 0.0], [0.0, -0.3]])


def released():
    split = planned_split(5, epsilon=1, delta=1e-5, norm_bound=1)
    tested = propose_test_release(
        5,
        epsilon=1,
        delta=1e-5,
        norm_bound=1,
        std=split.std,
        delta_test=split.delta_test,
        delta_failure=split.delta_failure,
    )
    projection, regression = (
        random_projection(5, epsilon=1, delta=1e-5, norm_bound=1),
        least_squares(1, 5, epsilon=1, delta=1e-5, norm_bound=1),
    )
    rng = np.random.default_rng(5)
    reading = tested.release(RECORDS, rng)
    yield "projection", projection.release(RECORDS, rng), projection.ridge**0.5
    yield "least squares", regression.release(RECORDS, rng), (regression.ridge / 5 / (regression.ridge + 2**20)) ** 0.5
    yield "reading", reading.noised_eigenvalue, split.std
    yield "after the test", reading.matrix, reading.ridge**0.5
    laplace = laplace_mechanism(1, 1, adjacency="any")
    yield "Laplace", laplace.release([0.3, 0.7], rng), laplace.scale


@pytest.mark.parametrize(
    "name, values, scale", list(released()), ids=lambda value: value if isinstance(value, str) else ""
)
def test_every_release_is_on_its_grid(name, values, scale):
    spacing = 2.0 ** (np.floor(np.log2(scale)) - BITS)
    units = np.asarray(values) / spacing
    assert (units == np.rint(units)).all() and np.ptp(units) + abs(units).max() > 1000


@pytest.mark.parametrize("adjacency", ["", "  ", None])
def test_a_calibration_says_which_databases_are_neighbours(adjacency):
    def output(data):
        return np.zeros(1), np.eye(1)

    def sensitivity(v):
        return 1 / v, 0.1, 0.1, 1

    for make in (
        lambda: calibrated_gaussian(output, sensitivity, epsilon=1, delta=1e-5, bound="exact", adjacency=adjacency),
        lambda: gaussian_mechanism(1, epsilon=1, delta=1e-5, adjacency=adjacency),
        lambda: laplace_mechanism(1, 1, adjacency=adjacency),
    ):
        with pytest.raises(InputError, match="adjacency"):
            make()
    named = calibrated_gaussian(
        output, sensitivity, epsilon=1, delta=1e-5, bound="exact", adjacency="one record replaced"
    )
    assert named.calibration.adjacency == "one record replaced"


def test_the_wrappers_take_their_own_calibrations_only():
    plain, split = (
        random_projection(5, epsilon=1, delta=1e-5, norm_bound=1).calibration,
        planned_split(5, epsilon=1, delta=1e-5, norm_bound=1),
    )
    tested = propose_test_release(
        5,
        epsilon=1,
        delta=1e-5,
        norm_bound=1,
        std=split.std,
        delta_test=split.delta_test,
        delta_failure=split.delta_failure,
    ).calibration
    sample = subsampled_random_projection(0.5, 5, epsilon=1, delta=1e-5, norm_bound=1).calibration
    for kind, own, others in (
        (SubsampledRandomProjection, sample, (plain, tested)),
        (ProposeTestRelease, tested, (plain, sample)),
    ):
        assert kind(own).calibration is own
        for other in others:
            with pytest.raises(InputError, match="calibration"):
                kind(other)
