"""The safe side at the ends of floats: leverages that overflow, hidden conditions, values that float64 cannot hold."""

import sys
import warnings
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from fractions import Fraction

import flint
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ndis_verify import mechanisms
from ndis_verify.exact_number import InputError
from ndis_verify.fast.engine.cell_search import largest
from ndis_verify.fast.engine.safe_root import safe_root
from ndis_verify.fast.leverage import leverage_scores, neighbourhood_leverage
from ndis_verify.mechanisms import (
    calibrated_gaussian,
    clip_norms,
    gaussian_mechanism,
    gaussian_process,
    inherent_delta,
    law_delta,
    neighbourhood,
    relative_random_projection,
    squared_exponential,
)
from ndis_verify.mechanisms.baselines import laplace_mechanism
from ndis_verify.mechanisms.calibration import Target, positive
from ndis_verify.mechanisms.least_squares import record_leverages
from ndis_verify.oracle.leverage import leverage_scores as exact_leverage_scores

seeds = st.integers(0, 10**6)
powers = st.sampled_from([0, -3, -100, -150, -155, -158, -161, -165, -308])


def exact_leverage(base, additions, ridge=0.0):
    """The largest leverage of a record of the base, and of an addition in the base with it: rational arithmetic."""
    scores = exact_leverage_scores(base, range(len(base)), 30, ridge)
    for u in additions:
        scores += exact_leverage_scores(np.vstack([base, u]), [len(base)], 30, ridge)
    return max(score.upper for score in scores)


# Leverages beyond the range of floats


@settings(max_examples=60)
@given(seeds, powers, powers, st.sampled_from([0.0, 1e-323, 1e-310, 1e-300, 1e-20, 1.0]))
@example(0, -160, 0, 0.0)
@example(0, -160, 0, 1e-310)
def test_the_leverage_of_a_set_is_never_below_the_exact_one(seed, first, second, ridge):
    rng = np.random.default_rng(seed)
    base = rng.uniform(-1, 1, (4, 2)) * [10.0**first, 10.0**second]
    additions = rng.uniform(-1, 1, (2, 2))
    assert Fraction(neighbourhood_leverage(base, additions, ridge)) >= exact_leverage(
        base, additions, ridge
    ) - Fraction(1, 10**25)


@pytest.mark.parametrize("size", [1e-150, 1e-155, 1e-158, 1e-160, 1e-161])
def test_a_record_next_to_nothing_else_is_seen_by_relative_mechanisms(size):
    base = np.full((10, 1), size)
    databases, more = neighbourhood(base, 1.0, additions=[[1.0]]), np.vstack([base, [[1.0]]])
    assert databases.leverage() == databases.leverage(1e-310) == inherent_delta(databases, 5, 1.0) == 1.0
    mechanism = relative_random_projection(databases, 5, epsilon=1.0, delta=0.01)
    true = law_delta(mechanism.output_law(more), mechanism.output_law(base), 1.0)
    assert true <= mechanism.calibration.certificate.delta <= 0.01


def test_the_shares_of_records_in_least_squares_are_numbers_where_squares_overflow():
    p, q = record_leverages(np.array([[1e-160, 0.0], [0.0, 1e-160]]), 0.0, np.array([[1.0, 1.0]]))
    assert p.tolist() == q.tolist() == [1.0]


@pytest.mark.parametrize("scale", [1e-300, 1e-160, 1e160, 1e300])
def test_leverages_do_not_depend_on_the_unit(scale):
    data = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 7.0]])
    want = [float(score.mid) for score in exact_leverage_scores(scale * data, range(3), 20)]
    assert leverage_scores(scale * data) == pytest.approx(want, abs=1e-13)
    assert neighbourhood_leverage(scale * data) == pytest.approx(max(want), abs=1e-11)


def test_a_bound_that_is_no_number_bounds_nothing():
    def look(points, low, high):
        return np.append(-points, np.where(low > 0.5, np.nan, -low))

    assert largest(look, 1e-3, 1000).upper == np.inf


def test_a_root_is_on_the_safe_side_of_what_is_no_number():
    def excess(x, index):
        return np.where((x > 0.37) & (x < 0.6), np.nan, np.where(x < 0.5, 1.0, -1.0))

    (found,) = safe_root(excess, np.array([1.0]), np.array([0.0]))
    assert excess(np.array([found]), None)[0] <= 0


# Conditions that a pivoted triangle hides


def kahan(size, c=0.3, tilt=1e-9):
    """A triangle with unit columns whose pivoted QR is itself, and whose diagonal says little of its condition."""
    triangle = np.zeros((size, size))
    for k in range(size):
        for i in range(k):
            triangle[i, k] = -c * triangle[i, i] * (1 + tilt * k)
        triangle[k, k] = np.sqrt(1 - (triangle[:k, k] ** 2).sum())
    return triangle


def hidden(size, seed):
    """Records one of which has most of the least direction of a Kahan triangle to itself."""
    triangle, rng = kahan(size), np.random.default_rng(seed)
    least, basis = np.linalg.svd(triangle)[0][:, -1], np.linalg.qr(rng.normal(size=(2 * size, size)))[0]
    basis[0] = 0.8 * least
    basis[1:] = np.linalg.qr(basis[1:])[0] @ (np.eye(size) - 0.4 * np.outer(least, least))
    return basis @ triangle


@pytest.mark.parametrize("seed", [431, 0])
def test_the_leverage_of_a_base_whose_pivots_hide_its_condition(seed):
    base = hidden(100, seed)
    score = exact_leverage_scores(base, [0], 30)[0]
    assert neighbourhood_leverage(base / 64) >= score.lower
    with pytest.raises(InputError, match="rank"):
        leverage_scores(base)


def graded(kind, seed):
    rng = np.random.default_rng(seed)
    d = int(rng.integers(2, 7))
    data = rng.normal(size=(d + int(rng.integers(0, 6)), d))
    if kind == "Hilbert":
        return 1 / (np.arange(len(data))[:, None] + np.arange(d) + 1.0)
    if kind == "Kahan":
        return hidden(8 + d, seed)
    if kind == "alike":
        return 1 + 1e-9 * data
    return data * (10.0 ** rng.uniform(-8, 8, d) if kind == "columns" else 10.0 ** rng.uniform(-7, 0, (len(data), 1)))


@settings(max_examples=60)
@given(st.sampled_from(["Hilbert", "Kahan", "alike", "columns", "rows"]), seeds, st.sampled_from([0.0, 1e-12, 1e-3]))
def test_the_bound_on_leverages_holds_whatever_the_condition(kind, seed, ridge):
    base = graded(kind, seed)
    additions = np.random.default_rng(seed + 1).normal(size=(2, base.shape[1]))
    assert neighbourhood_leverage(base, additions, ridge) >= exact_leverage(base, additions, ridge) - Fraction(
        1, 10**25
    )


# Values that float64 rounds


def declared_as_one(kind):
    if kind == "Laplace":
        return laplace_mechanism(1.0, 1.0, adjacency="a sum that moves by 1")
    if kind == "Gaussian":
        return gaussian_mechanism(1.0, epsilon=1.0, delta=1e-5, adjacency="a sum that moves by 1")
    return calibrated_gaussian(
        lambda value: ([value[0]], [[0.0]]),
        lambda v: (np.inf if v == 0 else v**-0.5, 0.0, 0.0, 1),
        epsilon=1.0,
        delta=1e-5,
        bound="exact",
    )


MECHANISMS = {kind: declared_as_one(kind) for kind in ("Gaussian", "Laplace", "calibrated")}
HALF_WAY = 1_700_000_000_000_000_128  # between two floats, 256 apart
FORMS = {
    "list": lambda v: [v],
    "mixed list": lambda v: [v, 0.5],
    "int64": lambda v: np.array([v]),
    "unsigned": lambda v: np.array([abs(v)], dtype=np.uint64),
    "longdouble": lambda v: np.array([v], dtype=np.longdouble),
    "Fraction": lambda v: [Fraction(v)],
    "Decimal": lambda v: np.array([Decimal(v)]),
    "integer of numpy": lambda v: (np.int64(v),),
}


@settings(max_examples=60)
@given(st.sampled_from(sorted(MECHANISMS)), st.sampled_from(sorted(FORMS)), st.integers(-(2**62), 2**62), seeds)
@example("Gaussian", "int64", HALF_WAY, 0)
@example("Laplace", "list", HALF_WAY + 1, 0)
@example("calibrated", "Fraction", HALF_WAY, 0)
@example("calibrated", "mixed list", 2**53 + 1, 0)
@example("Gaussian", "list", 3, 0)
def test_what_is_released_is_the_rounding_of_the_exact_value_and_its_noise(kind, form, v, seed):
    mechanism, value = MECHANISMS[kind], FORMS[form](v)
    plain = mechanism.release([0.0] * len(value), np.random.default_rng(seed))
    found = mechanism.release(value, np.random.default_rng(seed))
    meant = Fraction(int(value[0]))
    assert found[0] == float(meant + Fraction(float(plain[0])))  # whole numbers are on the grid


@given(st.sampled_from(["Gaussian", "Laplace"]), st.fractions(-(2**80), 2**80), seeds)
@example("Gaussian", Fraction(2**60) + Fraction(1, 3), 0)
def test_a_fraction_is_released_to_the_grid(kind, value, seed):
    mechanism = MECHANISMS[kind]
    noise = mechanism.release([0.0], np.random.default_rng(seed))
    found = mechanism.release([value], np.random.default_rng(seed))
    apart = Fraction(float(found[0])) - Fraction(float(noise[0])) - value
    assert abs(apart) <= max(Fraction(noise.step), Fraction(np.spacing(abs(float(found[0])))))


def test_the_law_of_an_exact_value_is_exact():
    for kind in ("Gaussian", "calibrated"):
        mechanism = MECHANISMS[kind]
        laws = [mechanism.output_law([v]) for v in (HALF_WAY, HALF_WAY + 1)]
        assert law_delta(*laws, 1.0) == pytest.approx(
            law_delta(*(mechanism.output_law([v]) for v in (0.0, 1.0)), 1.0), rel=1e-9
        )
        assert law_delta(*laws, 1.0) <= 1e-5


def test_a_covariance_that_float64_rounds_is_meant_exactly():
    mechanism = calibrated_gaussian(
        lambda value: ([0], [[value]]),
        lambda v: (0.0, np.log1p(1 / (v + 2.0**60)), np.log1p(1 / (v + 2.0**60)), 1),
        epsilon=1e-18,
        delta=1e-20,
    )
    assert mechanism.output_law(2**60 + 1).cov[0, 0] == 2**60 + 1 + Fraction(mechanism.added_variance)


# Numbers of a calibration that float64 rounds


exact_numbers = st.one_of(
    st.fractions(Fraction(1, 10**6), 10**6), st.decimals("1e-6", "1e6", places=25), st.integers(2**53, 2**70)
)


@given(exact_numbers, exact_numbers)
@example(Fraction(1, 3), Fraction(1, 10))
@example(2**53 + 1, 1)
def test_a_laplace_scale_is_enough_for_the_numbers_as_they_were_given(sensitivity, epsilon):
    mechanism = laplace_mechanism(sensitivity, epsilon, adjacency="declared")
    assert Fraction(sensitivity) <= Fraction(mechanism.scale) * Fraction(epsilon)


@given(exact_numbers, st.fractions(0, 1))
def test_sizes_are_rounded_up_and_targets_down(value, delta):
    assert Fraction(np.nextafter(positive(value, "size"), 0)) < Fraction(value) <= Fraction(positive(value, "size"))
    target = Target(epsilon=value, delta=delta)
    assert Fraction(target.epsilon) <= Fraction(value) < Fraction(np.nextafter(target.epsilon, np.inf))
    assert Fraction(target.delta) <= delta
    (row,) = clip_norms([[1e200]], value)
    assert Fraction(row[0]) <= Fraction(value)


def test_an_epsilon_below_every_float_is_refused():
    for epsilon in (Fraction(1, 10**400), Fraction(-1, 10**400)):
        with pytest.raises(InputError, match="epsilon"):
            laplace_mechanism(1.0, epsilon, adjacency="declared")


# What a release says beside its numbers


def process(points):
    return gaussian_process(
        squared_exponential(1.0),
        [0.5],
        noise_variance=2.0,
        label_bound=0.5,
        norm_bound=1.0,
        records=16,
        epsilon=1.0,
        delta=1e-5,
    ).release(points, np.random.default_rng(0))


def test_no_warning_or_error_of_arithmetic_depends_on_the_data():
    quiet = [process(points) for points in ([[0.3, 0.1]], [[1e200, 0.1]], [[1.7e308, 0.1], [-1.7e308, 0.1]])]
    with np.errstate(all="raise"), warnings.catch_warnings():
        warnings.simplefilter("error")
        strict = [process(points) for points in ([[0.3, 0.1]], [[1e200, 0.1]], [[1.7e308, 0.1], [-1.7e308, 0.1]])]
        tiny = MECHANISMS["Gaussian"].release([5e-324, 1.7e308], np.random.default_rng(0))
    assert [float(x[0]) for x in quiet] == [float(x[0]) for x in strict]
    assert np.isfinite(tiny).all()


def test_every_release_is_quiet_and_takes_its_turn():
    public = [getattr(module, name) for module in (mechanisms, mechanisms.baselines) for name in module.__all__]
    releasing = [each for each in public if isinstance(each, type) and hasattr(each, "release")]
    assert len(releasing) > 8
    assert [each for each in releasing if not hasattr(each.release, "__wrapped__")] == []


def test_releases_of_threads_leave_the_precision_of_balls_as_it_was():
    before, interval = flint.ctx.prec, sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(4) as pool:
            for done in [
                pool.submit(MECHANISMS[kind].release, [v * 1e9] * 50) for v in range(20) for kind in MECHANISMS
            ]:
                done.result()
    finally:
        sys.setswitchinterval(interval)
    assert flint.ctx.prec == before
