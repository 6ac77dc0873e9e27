"""Laws on a grid against exact probabilities."""

import math
from fractions import Fraction

import flint
import mpmath
import numpy as np
import pytest
from exact_releases import exact, likely, stream
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chi2
from scipy.stats import t as student

from ndis_verify import mechanisms
from ndis_verify.mechanisms.exact import projection
from ndis_verify.mechanisms.exact.noise import add_laplace, add_normal
from ndis_verify.mechanisms.exact.solutions import chi_square, student_solution
from ndis_verify.mechanisms.projection_wrappers import sampled


def test_grid_law_of_a_normal():
    """Half units of a standard normal, by the projection of one record of 1; then the lowest digits of the Gaussian
    mechanism.
    """
    found = np.asarray(projection.project(np.array([[1.0]]), 0.0, 200_000, stream(21), -1))[0]
    points = np.arange(-8, 9) / 2
    cuts = np.array([float(mpmath.ncdf(x + 0.25)) for x in points[:-1]])
    assert likely(
        np.bincount(np.clip(np.rint(2 * found), -8, 8).astype(int) + 8, minlength=17),
        np.diff(cuts, prepend=0.0, append=1.0),
    )
    released = add_normal(np.full(100_000, 0.3), 1.0, stream(22))
    units = (released / released.step).astype(int)
    assert likely(np.bincount(units & 63, minlength=64), np.full(64, 1 / 64))
    cuts = [float(mpmath.ncdf(math.floor(x * 2**20) / 2**20 + 2.0**-21 - 0.3)) for x in np.arange(-2.7, 3.5, 0.05)]
    places = np.searchsorted([math.floor(x * 2**20) / 2**20 for x in np.arange(-2.7, 3.5, 0.05)], released)
    assert likely(np.bincount(places, minlength=len(cuts) + 1), np.diff(cuts, prepend=0.0, append=1.0))


def test_grid_law_of_laplace_noise():
    found = add_laplace(np.full(8_000, 0.3), 2.0, stream(23))
    edges = np.floor(np.arange(-7, 7.5, 0.5) * 2**19) / 2**19
    assert found.step == 2.0**-19

    def share(x):
        return 0.5 * math.exp(x) if x < 0 else 1 - 0.5 * math.exp(-x)

    cuts = [share((x + 2.0**-20 - 0.3) / 2) for x in edges]
    assert likely(
        np.bincount(np.searchsorted(edges, found), minlength=len(cuts) + 1), np.diff(cuts, prepend=0.0, append=1.0)
    )
    assert likely(np.bincount((found / found.step).astype(int) & 15, minlength=16), np.full(16, 1 / 16))


@pytest.mark.parametrize("r", (1, 4))
def test_grid_law_of_a_sketched_solution(r):
    """d = 1: a Cauchy law for r = 1, Student's law of r degrees of freedom in general, of the solution and the residual
    over |B|.
    """
    records, ridge, step = np.array([[0.6, 0.3], [0.2, -0.5]]), 0.5, 0.125
    b, target = records.T
    square, cross = b @ b + ridge, b @ target
    best, scale = cross / square, math.sqrt((target @ target + ridge - cross**2 / square) / square / r)
    found = np.array([student_solution(records, ridge, r, stream(1000 + k), -3)[0] for k in range(800)])
    edges = np.arange(-2, 2) * 4 * step + 1.0 * step
    cuts = student.cdf((edges + step / 2 - best) / scale, r)
    assert likely(
        np.bincount(np.searchsorted(edges, found), minlength=len(cuts) + 1), np.diff(cuts, prepend=0.0, append=1.0)
    )


@pytest.mark.parametrize("freedom", (1, 2, 7, 400))
def test_law_of_chi_square_variates(freedom):
    with flint.ctx.workprec(128):
        drawn = np.array([float(chi_square(stream(2000 + k), freedom, 128).mid()) for k in range(800)])
    assert likely(np.bincount((chi2.cdf(drawn, freedom) * 16).astype(int), minlength=16), np.full(16, 1 / 16))


def test_poisson_samples_have_exactly_their_rate():
    for rate in (0.5, 0.1, 1 - 2.0**-30, 0.999):
        kept = sampled(100_000, rate, stream(31))
        assert abs(kept.sum() - 100_000 * rate) <= 5 * math.sqrt(100_000 * rate * (1 - rate)) + 2
    assert (
        sampled(50, 1.0, stream()).all()
        and not sampled(50, 5e-324, stream()).any()
        and sampled(0, 0.5, stream()).shape == (0,)
    )


@settings(max_examples=100, deadline=None)
@given(st.one_of(st.floats(5e-324, 1), st.floats(1e-40, 1e-20)), st.integers(-2, 2), st.integers(0, 5))
def test_a_record_is_kept_where_its_digits_are_below_the_rate(rate, apart, later):
    """Digits next to the rate's own, 53 at a time: kept exactly where the number that they begin is below it."""
    places = 53 * 22
    number = min(max(math.floor(Fraction(rate) * 2**places) + apart * 2 ** (53 * later), 0), 2**places - 1)

    class Digits:
        def words(self, label, index, count):
            digit = (number >> (places - 53 * (index + 1))) & (2**53 - 1) if index < 22 else 0
            return np.full(count, (digit << 11) + 5, dtype=np.uint64)

    assert sampled(1, rate, Digits()).tolist() == [Fraction(number, 2**places) < Fraction(rate)]


@pytest.mark.parametrize(
    "epsilon, std", ((1.0, 20.0), (1.0, 1e6), (1e4, 0.1), (1e8, 1e-3), (1e8, 1.1e-3), (1e8, 1.3e-3), (1e8, 1.7e-3))
)
@pytest.mark.parametrize("ridge", ("smallest", "N26-Fig4"))
def test_the_ridge_after_a_reading_is_never_below_the_exact_one(ridge, epsilon, std):
    """Readings that leave a bound of next to nothing up to next to the full ridge; noise far below that ridge and far
    above.
    """
    tested = mechanisms.propose_test_release(
        4, epsilon=epsilon, delta=1e-5, norm_bound=1, std=std, delta_test=1e-6, delta_failure=1e-6, ridge=ridge
    )
    full, quantile = exact(tested.calibration.noise["full_ridge"]), exact(tested.calibration.noise["quantile"])
    rng = np.random.default_rng(7)
    for share in np.concatenate(
        [[0, 1e-9, 1e-3, 0.03, 0.97, 1 - 1e-3, 1 - 1e-9, 1, 2], rng.random(40), 10.0 ** -rng.uniform(0, 12, 40)]
    ):
        reading = float(exact(std) * quantile + exact(share) * full)
        for held in (reading, math.nextafter(reading, 0.0), reading * (1 + 1e-14)):
            bound = max(exact(held) - exact(std) * quantile, 1 if ridge == "smallest" else 0)
            assert exact(tested.ridge_at(held)) >= full - bound
