"""Releases are the exact rounding, to a public grid, of a draw from the law of real numbers that was proved."""

import ctypes
import dataclasses
import functools
import itertools
import math
import pickle
import platform
import sys
from fractions import Fraction
from types import SimpleNamespace

import flint
import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chi2
from scipy.stats import t as student

from ndis_verify import mechanisms
from ndis_verify.exact_number import InputError
from ndis_verify.mechanisms.baselines.laplace import laplace_mechanism
from ndis_verify.mechanisms.exact import gram, grid, noise, normals, outputs, projection, solutions
from ndis_verify.mechanisms.exact.eigenvalue import least_eigenvalue, noised_eigenvalue
from ndis_verify.mechanisms.exact.noise import add_laplace, add_normal
from ndis_verify.mechanisms.exact.outputs import float_law, release_draw
from ndis_verify.mechanisms.exact.solutions import chi_square, normal_solution, student_solution
from ndis_verify.mechanisms.exact.stream import SEEDED, SYSTEM, Stream
from ndis_verify.mechanisms.projection_wrappers import sampled

ONE_IN_A_MILLION = 1e-6  # false alarms of each test below
RNG = np.random.default_rng(20)
RECORDS = RNG.standard_normal((12, 3))
RECORDS /= np.linalg.norm(RECORDS, axis=1).max() * 1.001
LABELLED = np.column_stack([RECORDS[:, :2], np.sign(RECORDS[:, 2])])


def stream(seed=1):
    return Stream(np.random.default_rng(seed))


M, TARGET = mechanisms, {"epsilon": 1, "delta": 1e-5, "norm_bound": 1}


@functools.cache
def after_test():
    split = M.planned_split(4, **TARGET)
    shares = {"std": split.std, "delta_test": split.delta_test, "delta_failure": split.delta_failure}
    return M.propose_test_release(4, **TARGET, **shares)


def relative(law, base, delta):
    return M.relative_least_squares(M.neighbourhood(base, 1), 5, epsilon=1, delta=delta, law=law)


def process(query, **bounds):
    return M.gaussian_process(M.linear_kernel, query, **bounds, epsilon=1)


def declared():
    def shift(v):
        return 1 / math.sqrt(1 + v), 0.0, 0.0, 1

    return M.calibrated_gaussian(
        lambda data: (np.mean(data, axis=0), np.eye(3)), shift, epsilon=1, delta=1e-5, bound="exact"
    )


NEAR = M.neighbourhood(np.tile(RECORDS, (40, 1)), 1)
NOISY = {"noise_variance": 1.0, "label_bound": 1.0, "norm_bound": 1.0, "records": 30, "delta": 1e-3}
QUIET = {"noise_variance": 250.0, "label_bound": 0.5, "norm_bound": 1, "records": 20, "delta": 1e-2}
# Every mechanism with what it releases from, ridge and added variance 0 among them; calibrated where it is first asked
# for.
RECIPES = {
    "Gaussian": (lambda: M.gaussian_mechanism(1, epsilon=1, delta=1e-5, adjacency="any"), RECORDS),
    "Laplace": (lambda: laplace_mechanism(1, epsilon=1, adjacency="any"), RECORDS),
    "projection": (lambda: M.random_projection(4, **TARGET), RECORDS),
    "combination": (lambda: M.random_linear_combination(**TARGET), RECORDS),
    "sample": (lambda: M.subsampled_random_projection(0.5, 4, **TARGET), RECORDS),
    "sample without ridge": (
        lambda: M.subsampled_random_projection(0.5, 4, epsilon=1, delta=0.6, norm_bound=1),
        RECORDS,
    ),
    "after a test": (after_test, RECORDS),
    "after a test, ridge 0": (after_test, np.tile(np.eye(3), (4000, 1))),
    "relative projection": (
        lambda: M.relative_random_projection(M.neighbourhood(RECORDS, 1), 4, epsilon=1, delta=1e-5),
        RECORDS,
    ),
    "relative projection, ridge 0": (lambda: M.relative_random_projection(NEAR, 4, epsilon=1, delta=1e-2), NEAR.base),
    "least squares": (lambda: M.least_squares(2, 20, **TARGET), RECORDS),
    "sketch": (lambda: M.sketched_least_squares(2, 20, **TARGET), RECORDS),
    "sketch, d = r = n = 1": (
        lambda: M.sketched_least_squares(1, 1, epsilon=1, delta=1e-6, norm_bound=1),
        RECORDS[:1, :2],
    ),
    "relative normal": (lambda: relative("normal", RECORDS, 1e-5), RECORDS),
    "relative normal, ridge 0": (lambda: relative("normal", NEAR.base, 0.1), NEAR.base),
    "relative sketch": (lambda: relative("sketch", RECORDS, 1e-5), RECORDS),
    "relative sketch, ridge 0": (lambda: relative("sketch", NEAR.base, 0.1), NEAR.base),
    "logistic": (lambda: M.logistic_regression(2, penalty=1.0, norm_bound=1.0, epsilon=1, delta=1e-5), LABELLED),
    "process": (lambda: process([0.5, 0.5], **NOISY), LABELLED),
    "process without noise": (lambda: process([0.5, 0.1], **QUIET), LABELLED / 2),
    "declared": (declared, RECORDS),
}


@functools.cache
def made(name):
    """The mechanism of that name, and its data."""
    recipe, data = RECIPES[name]
    return recipe(), data


def numbers(release):
    return (
        np.append(release.matrix, release.noised_eigenvalue)
        if isinstance(release, mechanisms.ReleaseAfterTest)
        else np.asarray(release)
    )


def test_ridge_and_variance_are_0_where_the_names_say_so():
    for name in RECIPES:
        mechanism, data = made(name)
        noise = mechanism.calibration.noise
        level = mechanism.release(data, RNG).ridge if "test" in name else noise.get("ridge", noise.get("variance"))
        assert (level == 0) == ("0" in name or "without" in name), name


@pytest.mark.parametrize("name", RECIPES)
def test_wide_arithmetic_gives_the_bits_of_the_fast_path(name, monkeypatch):
    mechanism, data = made(name)
    fast = [numbers(mechanism.release(data, np.random.default_rng(seed))) for seed in range(3)]
    monkeypatch.setattr(grid, "SLACK", 1.0)
    monkeypatch.setattr(grid, "FIRST_BITS", 700)
    wide = [numbers(mechanism.release(data, np.random.default_rng(seed))) for seed in range(3)]
    assert all((one == other).all() for one, other in zip(fast, wide)) and (fast[0] != fast[1]).any()


@pytest.mark.parametrize("name", RECIPES)
def test_every_release_lies_on_its_public_grid_and_says_where_its_bits_come_from(name):
    mechanism, data = made(name)
    seeded, drawn = mechanism.release(data, np.random.default_rng(0)), mechanism.release(data)
    neighbour = mechanism.release(
        data[1:] if "process" not in name and data[1:].size else data, np.random.default_rng(0)
    )
    parts = [
        part.matrix if isinstance(part, mechanisms.ReleaseAfterTest) else part for part in (seeded, drawn, neighbour)
    ]
    assert parts[0].source == SEEDED and parts[1].source == SYSTEM and "experiments" in SEEDED
    assert len({part.step for part in parts}) == 1 and math.frexp(parts[0].step)[0] == 0.5
    for part in parts:
        units = np.asarray(part) / part.step
        assert not np.signbit(np.asarray(part)[units == 0]).any()
        assert (units == np.rint(units)).all() and not part.flags.writeable
    assert (numbers(drawn) != numbers(mechanism.release(data))).any()


def test_a_release_keeps_what_it_says_of_itself():
    release = made("Gaussian")[0].release([1.0, 2.0])
    copy = pickle.loads(pickle.dumps(release))
    assert (
        (copy == release).all() and (copy.step, copy.source) == (release.step, release.source) and SYSTEM in repr(copy)
    )
    assert type(release + 1) is np.ndarray and type(release.sum()) is np.float64 and release[:1].source == SYSTEM


def test_no_zero_has_a_sign():
    """A value just below 0 and a sum just below 0 would give -0.0, where one just above gives 0.0 for the same sum."""
    below = noise._joined(np.array([-0.0, 8.0]), np.array([-0.0, 0.0]), -20)
    assert not np.signbit(grid.Release(below, 2.0**-20, SEEDED)).any()
    for records in (np.array([[1.0]]), np.zeros((0, 1))):
        found = projection.project(records, 1.0, 200, stream(), 3)
        assert (found == 0).mean() > 0.9 and not np.signbit(found[found == 0]).any()
    assert np.shape(grid.Release(1.5, 0.5, SEEDED)) == ()


def test_no_grid_no_release():
    nothing = mechanisms.calibrated_gaussian(
        lambda data: ([0.5], [[1.0]]), lambda v: (0.0, 0.0, 0.0, 1), epsilon=1, delta=1e-5, bound="exact"
    )
    tiny = mechanisms.gaussian_mechanism(1e-160, epsilon=1, delta=1e-5, adjacency="any")
    assert tiny.release([0.0]).step > 0
    if nothing.added_variance == 0:
        with pytest.raises(InputError, match="scale"):
            nothing.release([])
    with pytest.raises(InputError, match="std"):
        add_normal(np.zeros(2), 1e-318, stream())


def exact(number):
    """A float as a fraction."""
    return Fraction(float(number))


def ball(fraction):
    return flint.arb(flint.fmpq(fraction.numerator, fraction.denominator))


def ends(batch, position, bits=2000):
    """Least and greatest value of a normal after so many more digits."""
    start, width = batch.cell(position, bits)
    return Fraction(start, 2 ** (84 + bits)), Fraction(start + width, 2 ** (84 + bits))


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


# Laws


def forced_records(d, n=6, seed=5):
    rng = np.random.default_rng(seed)
    return rng.uniform(-0.5, 0.5, (n, d + 1))


@pytest.mark.parametrize("law", (normal_solution, student_solution))
@pytest.mark.parametrize("d, ridge", ((1, 0.25), (2, 0.0), (3, 1e-9)))
def test_a_solution_is_the_rounding_of_its_draw(law, d, ridge):
    records, r = forced_records(d), 5
    found = law(records, ridge, r, stream(9), -40)
    z = normals.standard_normals(stream(9), "coefficients", 0, d)
    squares = normals.standard_normals(stream(9), "chi-square", 0, r - d + 1)

    def value(batch, k):
        low = ends(batch, k, 400)[0]
        return mpmath.mpf(low.numerator) / low.denominator

    with mpmath.workdps(80):
        augmented = mpmath.matrix(np.vstack([records, np.zeros((d + 1, d + 1))]).tolist())
        for i in range(d + 1):
            augmented[len(records) + i, i] = mpmath.sqrt(ridge)
        b, target = augmented[:, :d], augmented[:, d]
        inverse = (b.T * b) ** -1
        best = inverse * (b.T * target)
        rest = target - b * best
        scale = mpmath.sqrt(
            (rest.T * rest)[0]
            / (r if law is normal_solution else sum(value(squares, k) ** 2 for k in range(r - d + 1)))
        )
        root = mpmath.cholesky(b.T * b).T  # upper: root^T root = b^T b
        moved = root**-1 * mpmath.matrix([value(z, k) for k in range(d)]) * scale
        assert [int(mpmath.nint((best[i] + moved[i]) * 2**40)) for i in range(d)] == [int(x * 2.0**40) for x in found]


def test_a_declared_law_is_the_rounding_of_its_draw():
    cov, mean = np.array([[2.0, 0.5, 0.1], [0.5, 1.0, 0.3], [0.1, 0.3, 1e-3 + 0.1]]), np.array([100.0, -3.0, 1e-20])
    draw, count = float_law(mean, cov, 0.375)
    found = release_draw(draw, count, stream(2), -30)
    batch = normals.standard_normals(stream(2), "output", 0, 3)
    with mpmath.workdps(60):
        root = mpmath.cholesky(mpmath.matrix(cov.tolist()) + 0.375 * mpmath.eye(3))
        z = mpmath.matrix([mpmath.mpf((x := ends(batch, k, 200)[0]).numerator) / x.denominator for k in range(3)])
        true = mpmath.matrix(mean.tolist()) + root * z
        assert [int(mpmath.nint(x * 2**30)) for x in true] == [int(Fraction(float(x)) * 2**30) for x in found]


def test_the_minimiser_is_in_its_balls():
    rng = np.random.default_rng(4)
    features = rng.uniform(-1, 1, (12, 2))
    signed = features * rng.choice([-1.0, 1.0], 12)[:, None]
    for penalty, start in ((0.5, [0.0, 0.0]), (1e-3, [5.0, -5.0]), (1e-3, [30.0, 30.0])):
        with mpmath.workdps(60):

            def gradient(*theta):
                shares = [
                    row / (1 + mpmath.exp(sum(mpmath.mpf(float(x)) * t for x, t in zip(row, theta)))) for row in signed
                ]
                return [penalty * t - sum(mpmath.mpf(1) * s[i] for s in shares) for i, t in enumerate(theta)]

            for bits in (128, 300):
                with flint.ctx.workprec(bits):
                    found = outputs._minimiser(signed, penalty, np.array(start), bits)
                assert max(float(x.rad()) for x in found) < 2.0 ** (-bits // 2 + 6)
                middle = [mpmath.mpf(x.mid().str(50, radius=False)) for x in found]
                true = mpmath.findroot(gradient, middle)
                assert all(
                    abs(t - m) <= mpmath.mpf(float(x.rad())) + mpmath.mpf(10) ** -40
                    for t, m, x in zip(true, middle, found)
                )


def test_a_logistic_release_is_the_rounding_of_its_draw():
    rng = np.random.default_rng(5)
    features, labels, penalty = rng.uniform(-1, 1, (9, 2)), rng.choice([-1.0, 1.0], 9), 0.5
    draw, count = outputs.logistic_law(features, labels, penalty, np.zeros(2), 0.25)
    found = release_draw(draw, count, stream(4), -30)
    batch = normals.standard_normals(stream(4), "output", 0, 4)
    with flint.ctx.workprec(300):
        best = [
            mpmath.mpf(x.mid().str(40, radius=False))
            for x in outputs._minimiser(features * labels[:, None], penalty, np.zeros(2), 300)
        ]
    with mpmath.workdps(40):
        z = [mpmath.mpf((x := ends(batch, k, 200)[0]).numerator) / x.denominator for k in range(4)]
        held = mpmath.matrix(features.tolist())
        root = mpmath.cholesky(held.T * held + 4 * penalty * mpmath.eye(2)).T
        own = root**-1 * mpmath.matrix(z[:2])  # the covariance of twice it is (penalty I + X^T X/4)^{-1}
        true = [best[i] + 2 * own[i] + z[2 + i] / 2 for i in range(2)]
        assert [int(mpmath.nint(x * 2**30)) for x in true] == [int(x * 2.0**30) for x in found]


@pytest.mark.parametrize("penalty, size", ((1e-20, 1.0), (1.0, 1e100), (1e-130, 1e-100)))
def test_every_database_of_a_logistic_regression_has_a_release(penalty, size):
    mechanism = mechanisms.logistic_regression(2, penalty=penalty, norm_bound=2 * size, epsilon=1, delta=1e-5)
    for rows in ([[1, 1, 1]] * 3 + [[1, 1, -1]], [[1, 0.5, 1], [0.2, 1e-9, 1]], [[0, 0, 1]], [[5e-324, 1, -1]]):
        data = np.array(rows, dtype=float) * [size, size, 1]
        assert np.isfinite(mechanism.release(data, RNG)).all()


def test_every_database_of_a_process_has_a_release():
    mechanism = mechanisms.gaussian_process(
        mechanisms.linear_kernel,
        [0.5, 0.5],
        noise_variance=1e-20,
        label_bound=1,
        norm_bound=1,
        records=30,
        epsilon=1,
        delta=1e-3,
    )
    for data in (
        np.tile([[0.3, 0.4, 1.0]], (30, 1)),
        np.zeros((0, 3)),
        np.zeros((3, 3)),
        np.array([[5e-324, 1, 1], [1, 0, -1]]),
    ):
        assert np.isfinite(mechanism.release(data, RNG)).all()


def test_a_prediction_is_the_rounding_of_its_draw():
    points, labels = np.array([[0.1, 0.2], [0.5, -0.3], [0.4, 0.4]]), np.array([0.5, -1.0])
    for kernel, scale, variance in (
        (mechanisms.linear_kernel, 0.25, 0.0),
        (mechanisms.squared_exponential(0.7), 1e-9, 0.5),
    ):
        draw, count = outputs.prediction_law(lambda bits: kernel.balls(points), labels, scale, variance, 2.0)
        found = release_draw(draw, count, stream(3), -30)
        with mpmath.workdps(60):

            def value(x, y):
                gap = sum((mpmath.mpf(a) - mpmath.mpf(b)) ** 2 for a, b in zip(x, y))
                dot = sum(mpmath.mpf(a) * mpmath.mpf(b) for a, b in zip(x, y))
                return dot if kernel is mechanisms.linear_kernel else mpmath.exp(-gap / (2 * mpmath.mpf(0.7) ** 2))

            k = mpmath.matrix(3, 3)
            for i, j in np.ndindex(3, 3):
                k[i, j] = value(points[i].tolist(), points[j].tolist())
            inverse, cross = (k[:2, :2] + scale * mpmath.eye(2)) ** -1, k[:2, 2]
            low = ends(normals.standard_normals(stream(3), "output", 0, 1), 0, 200)[0]
            mean = (cross.T * inverse * mpmath.matrix(labels.tolist()))[0]
            spread = k[2, 2] - (cross.T * inverse * cross)[0] + variance
            true = mean + mpmath.sqrt(spread) * mpmath.mpf(low.numerator) / low.denominator
            assert int(mpmath.nint(true * 2**30)) == int(Fraction(float(found[0])) * 2**30)


# Arithmetic that was set to something else


ROUNDINGS = {"down": 0x400, "up": 0x800, "to 0": 0xC00}
HERE = sys.platform == "linux" and platform.machine() == "x86_64"


@pytest.mark.skipif(not HERE, reason="the switches of one kind of processor")
@pytest.mark.parametrize("mode", (*ROUNDINGS, "flush to zero", "subnormals are zero"))
def test_no_release_where_float64_arithmetic_is_not_as_it_should_be(mode):
    library, before, state = ctypes.CDLL("libm.so.6"), ctypes.create_string_buffer(32), ctypes.create_string_buffer(32)
    outcomes, every = {}, {name: made(name) for name in RECIPES}  # calibrated by arithmetic as it should be
    assert library.fegetenv(before) == 0 and library.fegetenv(state) == 0
    if mode in ROUNDINGS:
        library.fesetround(ROUNDINGS[mode])
    else:
        control = int.from_bytes(state.raw[28:], "little") | (0x8000 if "flush" in mode else 0x40)
        library.fesetenv(ctypes.create_string_buffer(state.raw[:28] + control.to_bytes(4, "little"), 32))
    try:
        for name, (mechanism, data) in every.items():
            try:
                mechanism.release(data, RNG)
            except ArithmeticError as error:
                outcomes[name] = str(error)
            except ValueError:
                outcomes[name] = "refused before"
            else:
                outcomes[name] = "released"
    finally:
        library.fesetenv(before)
    assert all("nothing is released" in outcome for outcome in outcomes.values()), outcomes


# The sampler


def test_the_layers_cover_the_curve_and_have_one_area():
    layers = normals._layers()
    whole, *edges, tail = [Fraction(slope, 2**32) for slope in layers.slope]
    with mpmath.workdps(50):

        def curve(x):
            return mpmath.exp(-((mpmath.mpf(x.numerator) / x.denominator) ** 2) / 2)

        base = Fraction(int(mpmath.ceil(curve(edges[0]) * 2**64)), 2**64)
        heights, area = [Fraction(0), base], base * whole
        for edge in edges:
            heights.append(heights[-1] + area / edge)
        assert whole == edges[0] + tail and tail * edges[0] >= 1 and heights[-1] >= 1 and len(heights) == 1025
        for k in range(1024):
            floor, top = (mpmath.mpf(y.numerator) / y.denominator for y in heights[k : k + 2])
            assert k == 0 or curve(edges[k - 1]) <= floor
            inner = exact(layers.inner[k])
            assert inner < 0 or curve(inner + Fraction(1, 2**45)) > top
            assert abs(layers.low[k] - floor) < 2.0**-50 and abs(layers.rise[k] - (top - floor)) < 2.0**-50
            if k:
                x = np.linspace(layers.inner[k] if inner > 0 else 0.0, float(edges[k - 1]), 9)
                line = x * (layers.incline[k] + layers.bend[k] * x)
                true = np.exp(-x * x / 2)
                assert (true - line - layers.below[k] > 2.0**-42).all() and (
                    layers.above[k] + line - true > 2.0**-42
                ).all()


def test_float64_decides_below_the_curve_as_balls_do(monkeypatch):
    fast = normals.standard_normals(stream(8), "x", 0, 40000)
    layers = normals._layers()
    doubted = dataclasses.replace(layers, below=np.full(1024, -np.inf), above=np.full(1024, np.inf))
    monkeypatch.setattr(normals, "_layers", lambda: doubted)
    slow = normals.standard_normals(stream(8), "x", 0, 40000)
    assert (fast.value == slow.value).all() and fast._place == slow._place and len(fast._place) > 50


def test_a_normal_lies_in_its_cells_which_nest_and_near_its_value():
    batch = normals.standard_normals(stream(6), "x", 3, 300_000)
    places = [*range(4000), *batch._beyond, *list(batch._place)[:500]]
    apart = []
    assert {np.sign(batch.value[k]) == sign for k, (sign, _) in batch._beyond.items()} == {True}
    for k in places:
        cells = [ends(batch, k, bits) for bits in (0, 1, 64, 200, 1000)]
        assert all(low <= finer and last <= high for (low, high), (finer, last) in itertools.pairwise(cells))
        bound = exact(normals.error_bound(batch.value[k]))
        assert all(abs(end - exact(batch.value[k])) <= bound for end in cells[0]) and cells[-1][1] - cells[-1][
            0
        ] < Fraction(1, 2**1040)
        apart.append(float(abs(cells[-1][0] - exact(batch.value[k])) / bound))
    assert max(apart) > 0.5  # half the bound would not do


def test_normals_have_their_law_in_every_layer_and_in_the_tail():
    """Chi-square over bins between the edges of the layers, and beyond x_1 over bins of equal probability."""
    edges = np.array([slope / 2.0**32 for slope in reversed(normals._layers().slope[1:-1])])
    cuts = np.concatenate([-edges[::-1], [0.0], edges])
    below = np.array([mpmath.ncdf(x) for x in cuts], dtype=float)
    rim, seen, tail, moments = edges[-1], 0, [], np.zeros(4)
    for index in range(20):
        value = normals.standard_normals(stream(11), "x", index, 100_000).value
        seen = seen + np.bincount(np.searchsorted(cuts, value), minlength=len(cuts) + 1)
        moments += [(value**k).sum() for k in (1, 2, 3, 4)]
        tail += value[np.abs(value) > rim].tolist()
    count, chances = 2_000_000, np.diff(below, prepend=0.0, append=1.0)
    assert likely(seen, chances)
    errors = (moments / count - [0, 1, 0, 3]) / np.sqrt(np.array([1, 2, 15, 96]) / count)
    assert np.abs(errors).max() < 5.2  # 1e-6 for the four
    shares = np.array([mpmath.ncdf(-abs(x)) / mpmath.ncdf(-rim) for x in tail], dtype=float)
    assert likely(np.bincount((shares * 6).astype(int), minlength=6), np.full(6, 1 / 6))
    assert likely(np.bincount(np.array(tail) > 0, minlength=2), [0.5, 0.5])


def likely(seen, chances):
    """Whether counts may come from these chances: Pearson's chi-square at a level of one in a million."""
    seen, expected = np.asarray(seen, dtype=float), np.asarray(chances, dtype=float) * np.sum(seen)
    assert expected.min() > 4 and abs(np.sum(chances) - 1) < 1e-9
    return chi2.sf(((seen - expected) ** 2 / expected).sum(), len(seen) - 1) > ONE_IN_A_MILLION


def test_the_digits_left_over_are_uniform():
    """The first and the last eight digits not yet drawn, of normals kept at first, near the curve, and in the tail."""
    batch = normals.standard_normals(stream(12), "x", 0, 150_000)
    redrawn = list(batch._place)
    for places in (range(4000), redrawn[:4000]):
        digits = [batch.cell(k, 64)[0] // batch.cell(k, 64)[1] for k in places]
        assert likely(np.bincount([(x >> 60) & 15 for x in digits], minlength=16), np.full(16, 1 / 16))
        assert likely(np.bincount([x & 15 for x in digits], minlength=16), np.full(16, 1 / 16))


def test_the_tail_is_kept_as_often_as_the_curve_is_below_its_envelope():
    held = normals.Normals(np.zeros(3000), np.zeros(3000, dtype=np.uint64), {}, {}, stream(18), ("x", 0))
    kept = sum(normals._in_tail(held, k, k, 1) for k in range(3000))
    layers = normals._layers()
    chance = float(mpmath.sqrt(2 * mpmath.pi) * mpmath.ncdf(-layers.slope[1] / 2.0**32)) / (
        layers.rise[0] * layers.slope[-1] / 2.0**32
    )
    assert len(held._beyond) == kept and 0.9 < chance < 0.97 and likely([kept, 3000 - kept], [chance, 1 - chance])


def test_von_neumanns_exponential():
    """j + u of many tails: a standard exponential, whose whole part is geometric and whose fraction is apart
    from it.
    """
    held = stream(13)
    drawn = []
    for place in range(4000):
        whole = normals._whole_part(held, ("x", 0), place)
        drawn.append(whole + held.digits(f"x, tail {whole}", 0, place, 53) / 2.0**53)
    shares = -np.expm1(-np.array(drawn))
    assert likely(np.bincount((shares * 40).astype(int), minlength=40), np.full(40, 1 / 40))


def purpose():
    """The function outside the sampler that asks for random bits."""
    frame = sys._getframe(2)
    while frame.f_code.co_filename in (normals.__file__, __file__):
        frame = frame.f_back
    return frame.f_code.co_name


@pytest.mark.parametrize("name", RECIPES)
def test_no_random_bits_serve_two_purposes(name, monkeypatch):
    asked, words = {}, Stream.words

    def noted_words(self, label, index, count, start=0):
        for place in range(start, start + count):
            asked.setdefault((self._key, label, index, place), set()).add(purpose())
        return words(self, label, index, count, start)

    monkeypatch.setattr(Stream, "words", noted_words)
    monkeypatch.setattr(grid, "SLACK", 1.0)
    mechanism, data = made(name)
    mechanism.release(data[:20] if "relative" not in name else data, RNG)
    assert (asked or name == "Laplace") and all(len(purposes) == 1 for purposes in asked.values())
    assert len({key for key, *_ in asked}) <= 1  # one stream


def test_a_batch_of_normals_uses_no_word_twice(monkeypatch):
    asked, words = [], Stream.words

    def noted(self, label, index, count, start=0):
        asked.append((label, start, start + count))
        return words(self, label, index, count, start)

    monkeypatch.setattr(Stream, "words", noted)
    batch = normals.standard_normals(stream(14), "x", 0, 600_001)
    asked = sorted(held for held in asked if held[1] < held[2])
    assert len(asked) >= 5  # draws thrown away, and their successors
    assert all(one[0] != other[0] or one[2] <= other[1] for one, other in itertools.pairwise(asked))
    assert len(set(batch._place.values())) == len(batch._place) and min(batch._place.values()) > 600_000


def test_words_and_digits_of_different_addresses_differ():
    held, found = stream(15), []
    for label in ("a", "a, digits", "b"):
        for index in (0, 1, 2**40):
            found += [
                held.words(label, index, 2).tobytes(),
                *(held.digits(label, index, place, 128).to_bytes(16, "big") for place in (0, 1, 2)),
            ]
    assert len(set(found)) == len(found)
    assert held.words("a", 0, 6)[4:].tolist() == held.words("a", 0, 2, 4).tolist()
    assert held.digits("a", 0, 0, 1000) >> 937 == held.digits("a", 0, 0, 63)
    assert (Stream().words("a", 0, 4) != Stream().words("a", 0, 4)).all()
    assert (stream(15).words("a", 0, 4) == held.words("a", 0, 4)).all()


# Bounds that are nearly reached


def nearly_the_next(layer, m, least=0.95):
    """A batch of one normal slope (m + f)/2^52 of a layer whose f is nearly 1, so that its float64 value is as wrong as
    can be.
    """
    for index in range(1000):
        held = stream(16)
        batch = normals.Normals(
            np.array([m * normals._layers().scale[layer]]),
            np.array([(m << 11) + layer], dtype=np.uint64),
            {},
            {},
            held,
            ("x", index),
        )
        if held.digits("x, digits", index, 0, 20) > least * 2**20:
            return batch
    raise AssertionError


@pytest.mark.parametrize("sign", (1, -1))
def test_sums_next_to_the_middle_are_settled_by_more_digits(sign):
    """A value that with the float64 normal lies on one side of the middle, and with the normal on the other."""
    batch, ratio = nearly_the_next(1, 3), 1.75 * 2**20
    middle = Fraction(1, 2) - Fraction(ratio) * ends(batch, 0)[0]  # with it the sum is 1/2
    rest = np.array([math.nextafter(float(middle), sign)])
    assert rest[0] + ratio * batch.value[0] < 0.5
    assert noise._nearest_sums(rest, 0, ratio, batch).tolist() == [1.0 if exact(rest[0]) >= middle else 0.0]


def test_the_bound_of_a_projection_holds_what_is_proved():
    """R u of what a panel's products may sum to, 2^-52 (|z| + 4.5) of a normal, u of the result: with records that make
    all of it count.
    """
    for rows, r, ridge in ((0, 1, 2.0), (400, 1, 0.0), (70_000, 1, 0.0), (4, normals.PANEL, 0.0)):
        step, records = normals.PANEL // r, np.empty((rows, 1))
        for index, start in enumerate(range(0, rows, step)):
            batch = normals.standard_normals(stream(17), "projection", index, min(step, rows - start) * r)
            records[start : start + step, 0] = batch.value[::r]  # in the first column every product is positive
        sums, error = projection._Draw(records, ridge, r, stream(17)).float_sums()
        unit, z = 2.0**-53, np.abs(records[:, 0])
        added = abs(normals.standard_normals(stream(17), "ridge", 0, r).value[0]) * math.sqrt(ridge)
        proved = min(rows, step) * unit * (z @ z) + 2 * unit * z @ (z + normals.LARGEST_SLOPE) + unit * abs(sums[0, 0])
        proved += (
            4 * unit * added
            + 2 * unit * normals.LARGEST_SLOPE * math.sqrt(ridge)
            + (unit * abs(sums[0, 0]) if ridge else 0)
        )
        assert error[0, 0] >= proved * (1 - 1e-9)


def test_a_chi_square_ball_holds_the_variate_where_it_is_least_sure(monkeypatch):
    for value in (0.0, 1e-16, 1e-3, 3.0):
        for count in (1, 300):
            held = SimpleNamespace(value=np.full(count, value))
            monkeypatch.setattr(solutions, "standard_normals", lambda *address: held)
            with flint.ctx.workprec(128):
                found = chi_square(None, count, 128)
            for sign in (1, -1):
                z = exact(value) + sign * exact(normals.error_bound(value)) * (Fraction(9, 10) if value == 0 else 1)
                assert found.contains(ball(count * z * z))


# Grid laws against exact probabilities


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
