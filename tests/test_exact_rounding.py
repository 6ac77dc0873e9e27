"""What is computed of the data is in its ball, what is released is the rounding of its draw, at the ends of the float
range too.
"""

import math
from fractions import Fraction

import flint
import mpmath
import numpy as np
import pytest
from exact_releases import RNG, ball, ends, exact, stream
from hypothesis import given, settings
from hypothesis import strategies as st

from ndis_verify.mechanisms.exact import gram, grid, normals, projection
from ndis_verify.mechanisms.exact.eigenvalue import least_eigenvalue, noised_eigenvalue
from ndis_verify.mechanisms.exact.noise import add_laplace, add_normal


def rounded(number, step):
    """The multiple of a power of two that is nearest to a fraction, to the nearest float64, none beyond the largest."""
    whole = math.floor(number / step + Fraction(1, 2))
    assert abs(number / step + Fraction(1, 2) - whole) > Fraction(1, 2**200), "too near to the middle for this test"
    try:
        return float(whole * step)
    except OverflowError:
        return math.copysign(float(np.finfo(float).max), whole)


wild = st.builds(math.ldexp, st.floats(-1, 1), st.integers(-1074, 465))


def matrices(most=4):
    shapes = st.tuples(st.integers(1, most), st.integers(1, 3))
    return shapes.flatmap(
        lambda shape: st.lists(wild, min_size=shape[0] * shape[1], max_size=shape[0] * shape[1]).map(
            lambda held: np.array(held).reshape(shape)
        )
    )


# What is computed of the data, at the ends of the float range


@settings(max_examples=60, deadline=None)
@given(matrices(), st.sampled_from([0.0, 1e-300, 1.0]), st.sampled_from([1, 128, 4000]))
def test_the_gram_matrix_is_in_its_balls(records, ridge, bits):
    with flint.ctx.workprec(8000):
        found = gram.gram(records, ridge, bits)
        for i, j in np.ndindex(len(found), len(found)):
            products = sum(exact(x) * exact(y) for x, y in zip(records[:, i], records[:, j]))
            assert found[i][j].contains(ball(products + (i == j) * exact(ridge)))
            assert bits < 4000 or found[i][j].rad() == 0


@pytest.mark.parametrize("count", (1, 2))
def test_gram_matrices_of_many_rows_and_few_slices_hold_the_exact_one(count):
    records = np.ldexp(RNG.standard_normal((2500, 3)), RNG.integers(-60, 3, (2500, 3)))
    exponents = np.frexp(np.abs(records).max(axis=0))[1]
    totals, rest = gram._sums(records, exponents, count)
    scaled = [[exact(x) / Fraction(2) ** int(e) for x in column] for column, e in zip(records.T, exponents)]
    for i, j in np.ndindex(3, 3):
        true = sum(x * y for x, y in zip(scaled[i], scaled[j]))
        left = len(records) * (exact(rest[i]) + exact(rest[j]) + exact(rest[i]) * exact(rest[j]))
        assert abs(true - Fraction(int(totals[i][j]), 2 ** (42 * count))) <= left


@pytest.mark.parametrize("size", (5e-324, 1e-310, 1e-170, 1.0, 1e140))
@pytest.mark.parametrize("shape", ((1, 1), (4, 2), (5, 3)))
def test_the_least_eigenvalue_is_in_its_ball_for_records_of_any_size(shape, size):
    records = np.random.default_rng(3).uniform(-1, 1, shape) * size
    if size == 5e-324:
        records[0, 0] = size
    with mpmath.workdps(700):
        held = mpmath.matrix(records.tolist())
        true = min(mpmath.eigsy(held.T * held, eigvals_only=True))
        for bits in (128, 512):
            with flint.ctx.workprec(bits):
                found = least_eigenvalue(records, bits)
            low, high = (mpmath.mpf(str(end.mid().str(400, radius=False))) for end in (found.lower(), found.upper()))
            assert low <= true <= high and high - low <= (held.T * held)[0, 0] * 200


def test_the_least_eigenvalue_of_a_rank_deficient_database_holds_0():
    for records in (np.ones((4, 2)), np.zeros((4, 2)), np.ones((1, 2)), np.zeros((0, 2)), np.full((3, 2), 1e-200)):
        for bits in (128, 1024):
            with flint.ctx.workprec(bits):
                assert least_eigenvalue(records, bits).contains(0)


@pytest.mark.parametrize("case", range(40))
def test_the_reading_is_rounded_down(case):
    rng = np.random.default_rng(case)
    size, std, step = 2.0 ** rng.integers(0, 200), 2.0 ** rng.integers(-60, 3), 2.0 ** rng.integers(-90, 3)
    records = np.array([[size * rng.random()]])
    found = noised_eigenvalue(records, std, stream(case), math.frexp(step)[1] - 1)
    low, high = ends(normals.standard_normals(stream(case), "reading", 0, 1), 0)
    reading = exact(records[0, 0]) ** 2 + exact(std) * low
    assert exact(found) <= reading < exact(math.nextafter(found, math.inf)) + exact(step)
    assert (exact(found) / exact(step)).denominator == 1


@settings(max_examples=200, deadline=None)
@given(st.integers(-(2**1100), 2**1100), st.integers(-1074, 971))
def test_a_multiple_is_the_nearest_float64(whole, exponent):
    number = Fraction(whole) * Fraction(2) ** exponent
    try:
        assert grid.multiple(whole, exponent) == float(number)
    except OverflowError:
        assert grid.multiple(whole, exponent) == float(np.finfo(float).max) * (1 if whole > 0 else -1)


@settings(max_examples=80, deadline=None)
@given(
    matrices(), st.integers(1, 3), st.sampled_from([0.0, 1e-290, 1e-3, 1e280]), st.integers(-520, 5), st.integers(0, 99)
)
def test_a_projection_is_the_rounding_of_its_draw(records, r, ridge, exponent, seed):
    d = records.shape[1]
    found = projection.project(records, ridge, r, stream(seed), exponent)
    panel = normals.standard_normals(stream(seed), "projection", 0, len(records) * r)
    added = normals.standard_normals(stream(seed), "ridge", 0, d * r)
    assert not np.signbit(found[found == 0]).any()
    with flint.ctx.workprec(6000):
        root = flint.arb(ridge).sqrt()
        for i, j in np.ndindex(d, r):
            total = sum(exact(records[k, i]) * ends(panel, k * r + j)[0] for k in range(len(records)))
            total = ball(total) + (root * ball(ends(added, i * r + j)[0]) if ridge else 0)
            whole = (total * flint.arb((1, -exponent)) + flint.arb((1, -1))).floor().unique_fmpz()
            assert found[i, j] == grid.multiple(int(whole), exponent)


def test_projections_of_nothing_and_of_the_least_numbers():
    for records in (np.zeros((0, 2)), np.zeros((3, 2)), np.full((3, 2), 5e-324), np.full((3, 2), 1e-310)):
        assert (projection.project(records, 0.0, 2, stream(), -500) == 0).all()
        alone = projection.project(np.zeros((0, 2)), 1.0, 2, stream(), -16)
        assert (projection.project(records, 1.0, 2, stream(), -16) == alone).all() and alone.any()


wild_std = st.builds(math.ldexp, st.floats(1, 2), st.integers(-1050, 500))


@settings(max_examples=150, deadline=None)
@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), max_size=6), wild_std, st.integers(0, 99))
def test_noised_values_are_the_rounding_of_their_draws(values, std, seed):
    found = add_normal(np.array(values, dtype=float), std, stream(seed))
    batch, step = normals.standard_normals(stream(seed), "noise", 0, len(values)), exact(found.step)
    assert found.step == 2.0 ** (math.frexp(std)[1] - 21) and found.shape == (len(values),)
    assert not np.signbit(found[found == 0]).any()
    for k, value in enumerate(values):
        assert found[k] == rounded(exact(value) + exact(std) * ends(batch, k, 6000)[0], step)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.floats(allow_nan=False, allow_infinity=False), max_size=4), st.integers(-1050, 1023), st.integers(0, 99)
)
def test_laplace_noise_is_the_rounding_of_its_draws(values, exponent, seed):
    scale = math.ldexp(1.25, exponent)
    found = add_laplace(np.array(values, dtype=float), scale, stream(seed))
    with flint.ctx.workprec(4000):
        for k, value in enumerate(values):
            digits = stream(seed).digits("Laplace", 0, k, 2001)
            drawn = -flint.arb((2 * (digits % 2**2000) + 1, -2001)).log() * (1 - 2 * (digits >> 2000))
            units = (flint.arb(value) + flint.arb(scale) * drawn) / flint.arb(found.step) + flint.arb((1, -1))
            assert found[k] == grid.multiple(int(units.floor().unique_fmpz()), math.frexp(found.step)[1] - 1)


def test_noise_beyond_the_float_range_that_the_value_brings_back():
    """-1.5e308 and noise of 2.5e308 make 1e308: a release that is always at the end tells the value."""
    values = np.repeat([-1.5e308, 1.5e308], 300)
    found = add_laplace(values, 1e308, stream())
    back = -np.sign(values) * found
    assert ((back > 0.35e308) & (back < 1.75e308)).sum() > 10 and np.isfinite(found).all()  # noise of more than 1.8e308
