"""Gaussian outputs of the two learning algorithms and the distance of a pair, against routes of their own."""

import math
import tracemalloc
from fractions import Fraction

import numpy as np
import pytest
from flint import fmpq, fmpq_mat
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import brentq, minimize
from scipy.special import expit

from ndis_verify import InputError
from ndis_verify.fast import covariance_shift, joint_shift
from ndis_verify.fast.joint_shift import Declared
from ndis_verify.fast.sensitivity import gaussian_process, loewner_sensitivity, logistic_surrogate
from ndis_verify.mechanisms.gaussian_output import BOUNDS, calibrated_gaussian
from ndis_verify.oracle.general_bound import bound as general_bound_bound


def test_one_record_surrogate_solves_its_scalar_equation():
    for length, penalty in ((0.5, 3.0), (10.0, 0.01), (300.0, 1e-4)):
        mean, cov = logistic_surrogate([[length]], [-1], penalty)
        root = brentq(lambda t: penalty * t - length * expit(-length * t), 0, length / penalty, xtol=1e-300, rtol=1e-14)
        assert mean[0] == pytest.approx(-root, rel=1e-10)
        assert cov[0, 0] == pytest.approx(1 / (penalty + length**2 / 4), rel=1e-14)


def test_the_memory_of_a_surrogate_grows_with_the_rows_and_not_with_their_square():
    features = np.random.default_rng(3).uniform(-1, 1, (3000, 2))
    tracemalloc.start()
    try:
        logistic_surrogate(features, np.ones(3000), 1.0)
        assert tracemalloc.get_traced_memory()[1] < 10 * features.nbytes * 4
    finally:
        tracemalloc.stop()


def exact_surrogate_covariance(x, penalty):
    """In rational arithmetic, rounded once."""
    n, d = x.shape
    rows = fmpq_mat(n, d, [fmpq(*value.as_integer_ratio()) for value in x.ravel().tolist()])
    prior = fmpq_mat(d, d, [fmpq(*penalty.as_integer_ratio()) * int(i == j) for i in range(d) for j in range(d)])
    inverse = (rows.transpose() * rows / 4 + prior).inv()
    return np.array([[int(value.p) / int(value.q) for value in row] for row in inverse.tolist()])


def test_surrogate_covariance_against_exact_fractions():
    """In standard deviations, where it has to be right for two of them to be told comparable."""
    rng = np.random.default_rng(12)
    for _ in range(300):
        x = rng.standard_normal((int(rng.integers(0, 6)), int(rng.integers(1, 5)))) * 10 ** rng.uniform(-1, 2)
        penalty = float(10 ** rng.uniform(-4, 1))
        found, wanted = logistic_surrogate(x, np.ones(len(x)), penalty)[1], exact_surrogate_covariance(x, penalty)
        root_of_condition = math.sqrt(1 + np.linalg.norm(x) ** 2 / penalty / 4)
        size = np.sqrt(np.outer(np.diag(wanted), np.diag(wanted)))
        assert np.abs((found - wanted) / size).max() <= 32 * 2.0**-52 * root_of_condition


def test_surrogate_mean_agrees_with_another_minimiser():
    rng = np.random.default_rng(1)
    for _ in range(5):
        x, y = rng.standard_normal((8, 3)), rng.choice([-1.0, 1.0], 8)
        found = minimize(lambda t: np.logaddexp(0, -(x * y[:, None]) @ t).sum() + 0.2 * t @ t, np.zeros(3), tol=1e-12)
        assert np.allclose(logistic_surrogate(x, y, 0.4)[0], found.x, atol=1e-6)


def test_without_records_the_prior_is_left():
    mean, cov = logistic_surrogate(np.zeros((0, 2)), [], 4.0)
    assert (mean == 0).all() and np.allclose(cov, np.eye(2) / 4)
    assert gaussian_process(np.zeros((0, 0)), [], 2.0, [], 1.0) == (0.0, 2.0)


def test_prediction_from_one_record_by_hand():
    mean, variance = gaussian_process([[3.0]], [2.0], 3.0, [0.5], 1.0)
    assert mean == pytest.approx(float(Fraction(2) * Fraction(1, 2) / 4), rel=1e-15)
    assert variance == pytest.approx(2.0, rel=1e-15)


def test_sensitivity_of_diagonal_pairs_by_hand():
    first, second = ([1.0, 0.0], np.diag([3.0, 1.0])), ([0.0, 0.0], np.diag([1.0, 1.0]))
    delta, largest, total = loewner_sensitivity(first, second, 1.0)
    assert (
        delta == pytest.approx(np.sqrt(0.5))
        and largest == pytest.approx(np.log(2))
        and total == pytest.approx(np.log(2))
    )
    assert loewner_sensitivity(second, first, 1.0)[0] == pytest.approx(0.5)
    assert loewner_sensitivity(first, first, 0.0) == pytest.approx((0, 0, 0), abs=1e-15)


def rotation(angle):
    return np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])


@given(
    st.floats(-2, 2),
    st.lists(st.floats(0, 3), min_size=2, max_size=2),
    st.lists(st.floats(0.1, 9), min_size=2, max_size=2),
    st.floats(0, 5),
)
def test_nu_is_the_sum_of_the_sizes_in_both_orders(angle, moved, least, added):
    """Two covariances with the same axes: the logs by hand, no eigenvalues computed."""
    turn = rotation(angle)
    low, high = ((turn * np.array(x)) @ turn.T for x in (least, np.add(least, moved)))
    logs = np.log(np.add(least, moved) + added) - np.log(np.add(least, added))
    shift = turn @ [1.0, -2.0]
    for first, second, spread in (
        ((shift, low), ([0, 0], high), np.add(least, moved)),
        ((shift, high), ([0, 0], low), np.array(least)),
    ):
        delta, rho, nu = loewner_sensitivity(first, second, added)
        assert delta == pytest.approx(np.sqrt(np.sum([1, 4] / (spread + added))), rel=1e-9)
        assert (rho, nu) == pytest.approx((logs.max(), logs.sum()), rel=1e-9, abs=1e-12)
        assert rho <= nu <= 2 * rho * (1 + 1e-12)


@given(
    st.floats(-2, 2),
    st.floats(1e-6, 1),
    st.floats(1e-6, 1),
    st.sampled_from([0.0, 1e-300, 1.0, 1e9, 1e300]),
    st.floats(1e-100, 1e100),
)
def test_a_pair_that_is_not_comparable_is_refused_at_every_added_variance(angle, up, down, added, scale):
    turn = rotation(angle)
    first, second = (([0, 0], scale * (turn * (np.ones(2) + np.array(x))) @ turn.T) for x in ((up, 0), (0, down)))
    for pair in ((first, second), (second, first)):
        with pytest.raises(InputError, match="second = .*comparable with first in the Loewner order"):
            loewner_sensitivity(*pair, added)


@pytest.mark.parametrize("covs", [([9, 1], [1, 9]), ([1, 1e-20], [0.5, 2e-20]), ([1e200, 1e-200], [1e-200, 1e200])])
@pytest.mark.parametrize("bound", ["joint", "exact", "corrected", "chernoff", "printed"])
def test_no_noise_is_made_for_a_pair_that_is_not_comparable(covs, bound):
    pair = [(np.zeros(2), np.diag(cov)) for cov in covs]
    with pytest.raises(InputError, match="comparable"):
        calibrated_gaussian(
            lambda data: pair[0], lambda v: (*loewner_sensitivity(*pair, v), 2), epsilon=1, delta=1e-5, bound=bound
        )


def test_a_record_leaves_a_surrogate_comparable_despite_rounding():
    """Condition up to 1e8: the difference of rank one has wrong-way eigenvalues from rounding."""
    rng = np.random.default_rng(11)
    for _ in range(300):
        d, n = int(rng.integers(1, 8)), int(rng.integers(1, 20))
        x, y = rng.standard_normal((n, d)) * 10 ** rng.uniform(-1, 2), rng.choice([-1.0, 1.0], n)
        penalty = 10 ** rng.uniform(-4, 1)
        pair = [logistic_surrogate(x[:m], y[:m], penalty) for m in (n, n - 1)]
        _, rho, nu = loewner_sensitivity(*pair, 0.1)
        assert nu == pytest.approx(rho, rel=1e-6, abs=1e-9)


IMPOSSIBLE = [(1.0, 0.5, 2), (1.0, 0.0, 3), (0.3, math.nextafter(0.3, 0), 1), (0.1, 0.3, 2), (0.0, 0.1, 1)]


@pytest.mark.parametrize("rho, nu, d", IMPOSSIBLE)
def test_an_impossible_triple_is_refused_wherever_it_enters(rho, nu, d):
    """rho <= nu <= d rho: in both engines and in the mechanism, with the same argument named."""
    sized = lambda v: (1 / math.sqrt(v), rho, nu, d)
    exactly = lambda v: general_bound_bound.Sensitivity(1 / v, rho, nu, d)
    calls = [
        lambda: covariance_shift.worst_logs(rho, nu, d),
        lambda: Declared(sized).largest(1.0, 1.0),
        lambda: joint_shift.added_variance(Declared(sized), epsilon=1.0, delta=1e-5),
        *(
            lambda bound=bound: calibrated_gaussian(lambda data: (0, 1), sized, epsilon=1, delta=1e-5, bound=bound)
            for bound in BOUNDS
        ),
    ]
    for term in covariance_shift.TERMS:
        calls += [
            lambda term=term: covariance_shift.covariance_envelope(rho, nu, d, 1.0, term),
            lambda term=term: covariance_shift.loewner_bound(1.0, rho, nu, d, 1.0, term),
            lambda term=term: covariance_shift.added_variance(sized, epsilon=1.0, delta=1e-5, term=term),
            lambda term=term: general_bound_bound.covariance_envelope(rho, nu, d, 1, term),
            lambda term=term: general_bound_bound.loewner_bound(1, rho, nu, d, 1, term),
            lambda term=term: general_bound_bound.added_variance(exactly, epsilon=1, delta="1e-5", term=term),
        ]
    for call in calls:
        with pytest.raises(InputError) as error:
            call()
        assert error.value.argument == "nu"


def test_a_sum_of_rounded_logs_is_no_impossible_triple():
    logs = [0.1] * 30  # the sum in floats is above 30 * 0.1
    nu = float(np.cumsum(logs)[-1])
    assert Fraction(nu) != 30 * Fraction(0.1)
    for total in (nu, nu * (1 + 1e-12)):
        value = general_bound_bound.loewner_bound(1, 0.1, total, 30, 1, digits=12)
        assert Fraction(covariance_shift.loewner_bound(1.0, 0.1, total, 30, 1.0)) >= value.lower


@pytest.mark.parametrize(
    ("call", "argument"),
    [
        (lambda: logistic_surrogate([[1.0]], [0.5], 1.0), "labels"),
        (lambda: logistic_surrogate([[1.0]], [1.0], 0.0), "penalty"),
        (lambda: logistic_surrogate([[np.nan]], [1.0], 1.0), "rows"),
        (lambda: logistic_surrogate([1.0], [1.0], 1.0), "labels"),
        (lambda: gaussian_process([[1.0]], [1.0], 1.0, [1.0], -1.0), "noise_variance"),
        (lambda: gaussian_process([[1.0]], [1.0, 2.0], 1.0, [1.0], 1.0), "gram"),
        (lambda: loewner_sensitivity(([0.0], [[1.0]]), ([0.0], [[1.0]]), -1.0), "added_variance"),
        (lambda: loewner_sensitivity(([0.0], [[1.0]]), ([0.0], [[1.0]]), math.nan), "added_variance"),
        (lambda: loewner_sensitivity(([0.0], [[0.0]]), ([0.0], [[1.0]]), 0.0), "added_variance"),
        (lambda: loewner_sensitivity(([1e300], [[1e-300]]), ([0.0], [[1e-300]]), 0.0), "added_variance"),
        (lambda: loewner_sensitivity(([0.0], [[1.0]]), ([0.0, 0.0], np.eye(2)), 1.0), "second"),
        (lambda: loewner_sensitivity(([0.0], [[-1.0]]), ([0.0], [[1.0]]), 2.0), "first"),
        (lambda: loewner_sensitivity(([0.0], [[1.0]]), ([0.0], [[math.inf]]), 1.0), "second"),
        (lambda: loewner_sensitivity(([0.0, 0.0], [[1.0, 0.5], [0.0, 1.0]]), ([0.0, 0.0], np.eye(2)), 1.0), "first"),
        (lambda: loewner_sensitivity(7, ([0.0], [[1.0]]), 1.0), "first"),
    ],
)
def test_bad_input_is_named(call, argument):
    with pytest.raises(InputError) as error:
        call()
    assert error.value.argument == argument
