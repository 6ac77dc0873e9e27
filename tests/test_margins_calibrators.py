"""Calibrators of float64 above an engine that errs, on the side that hurts, by nearly all that is kept for
its errors.
"""

import importlib
import math
import random
from fractions import Fraction
from itertools import pairwise

import mpmath
import numpy as np
import pytest

from ndis_verify import oracle
from ndis_verify.calibrator import NoNoiseNeeded
from ndis_verify.fast import joint_shift, mean_shift, random_projection
from ndis_verify.fast.accuracy import margin, promise, sketch_error
from ndis_verify.fast.covariance_shift import _log_log, added_variance, worst_logs
from ndis_verify.fast.engine import least_epsilon
from ndis_verify.fast.engine.cell_search import Largest
from ndis_verify.fast.engine.spectrum import Spectrum
from ndis_verify.fast.engine.whitening import spectrum
from ndis_verify.fast.least_squares import worst_record as least_squares_worst_record
from ndis_verify.fast.monte_carlo import hoeffding_samples
from ndis_verify.fast.random_projection import MOST_COLUMNS
from ndis_verify.gaussian_pair import GaussianPair

TARGETS = ((0.0, 0.01), (0.7, 1e-5), (3.0, 1e-12), (12.0, 1e-30))
als_worst_case = importlib.import_module("ndis_verify.fast.least_squares.worst_case")  # a function has the same name

LOW = 0.6  # of the margin: how far the engine errs; more than half, so that a margin turned round is seen


def at_most(value, bound):
    """value <= bound, of two logarithms: exactly."""
    return mpmath.mpf(float(value)) <= bound


@pytest.fixture(autouse=True)
def wide():
    with mpmath.workdps(60):
        yield


def exact(value):
    """A float as an exact number of mpmath."""
    return mpmath.mpf(float(value))


# Mean shift


@pytest.mark.parametrize(("epsilon", "delta"), TARGETS)
def test_a_std_holds_under_an_engine_that_errs(monkeypatch, epsilon, delta):
    engine = mean_shift._log_delta
    monkeypatch.setattr(mean_shift, "_log_delta", lambda *arguments: engine(*arguments) - LOW * margin("gaussian_std"))
    std = float(mean_shift.gaussian_std(1, epsilon=epsilon, delta=delta))
    assert oracle.certified_gaussian_hockey_stick(1, std, epsilon, digits=30).upper <= Fraction(delta)


@pytest.mark.parametrize("std", [5e-324, 1e-310, 1e-300, 1.0, 3e7])
def test_every_round_of_the_last_check_takes_a_larger_std(monkeypatch, std):
    """At the least floats too, where a relative step is no step: the next float is taken."""
    seen = []
    monkeypatch.setattr(mean_shift, "_quotient", lambda sensitivity, std: seen.append(float(std[0])) or len(seen))
    monkeypatch.setattr(mean_shift, "_log_delta", lambda shift, epsilon: np.array([1.0 if shift < 6 else -1.0]))
    mean_shift._widen(np.ones(1), np.array([std]), np.zeros(1), np.zeros(1), np.arange(1))
    assert len(seen) == 6 and all(a < b for a, b in pairwise(seen))


# Epsilons


@pytest.mark.parametrize("delta", [0.1, 1e-5, 1e-30])
def test_an_epsilon_holds_under_an_engine_that_errs(monkeypatch, delta):
    engine = least_epsilon.to_log_delta
    monkeypatch.setattr(least_epsilon, "to_log_delta", lambda logs: engine(logs) - LOW * margin("epsilon_for_delta"))
    for shift in (0.25, 3):
        pair = GaussianPair([shift], 1, [0], 1)
        epsilon = float(least_epsilon.epsilon_search(pair, delta))
        assert oracle.certified_gaussian_hockey_stick(shift, 1, epsilon, digits=30).upper <= Fraction(delta)


@pytest.mark.parametrize("sign", [1, -1])
def test_a_far_epsilon_holds_under_an_engine_whose_thresholds_err(monkeypatch, sign):
    """delta = e^(10^6 - epsilon), read at an epsilon that is a relative 1.5e-15 off."""

    def erring(laws, rows, epsilon):
        return np.array([min(float(10**6 - exact(e) * (1 + sign * exact(1.5e-15))), 0.0) for e in epsilon])

    monkeypatch.setattr(least_epsilon, "log_entries", erring)
    monkeypatch.setattr(least_epsilon, "to_log_delta", lambda logs: logs)
    for delta in (0.5, 0.03, 1e-5):
        epsilon = least_epsilon.epsilon_search(GaussianPair([1], 1, [0], 1), delta)
        assert 10**6 - exact(epsilon) <= mpmath.log(exact(delta))


def test_an_epsilon_is_not_above_the_largest_loss():
    """Two coordinates whose variances are 2^-k of the others': the largest loss is k log 2, and is met by
    tiny deltas.
    """
    for k in (290, 300, 333):
        pair = GaussianPair([0, 0], 2.0**-k, [0, 0], 1)
        for delta in (0.0, 1e-300, 1e-310):
            epsilon = least_epsilon.epsilon_search(pair, delta)
            assert exact(np.nextafter(epsilon, 0)) < k * mpmath.log(2)


def test_brackets_of_epsilons_end_above_the_largest_loss():
    for alpha in (-5e-324, -1e-320, -1e-310, -1e-200, -1e-3, -0.9):
        ceiling = least_epsilon._ceilings(Spectrum([alpha], [0.0], [1]))[0]
        assert -mpmath.log1p(exact(alpha)) / 2 < exact(ceiling)


def test_the_largest_loss_is_rounded_up():
    for ratio in (2, 3, 5, 7, 10, 1000, 10**9):
        laws = spectrum(GaussianPair([0], 1, [0], ratio))
        found = least_epsilon.largest_loss(laws, 0)
        assert exact(np.nextafter(found, 0)) < mpmath.log(ratio) / 2 <= exact(found)


# Random projection


@pytest.mark.parametrize(("epsilon", "delta"), TARGETS)
def test_a_leverage_holds_under_an_engine_that_errs(monkeypatch, epsilon, delta):
    engine = random_projection.to_log_delta
    monkeypatch.setattr(random_projection, "to_log_delta", lambda logs: engine(logs) - LOW * margin("rp_leverage"))
    for r in (1, 40):
        leverage = float(random_projection.rp_leverage(r, epsilon=epsilon, delta=delta))
        assert oracle.certified_rp_hockey_stick(leverage, r, epsilon, "delete", 30).upper <= Fraction(delta)


@pytest.mark.parametrize(("epsilon", "delta"), TARGETS)
def test_a_ridge_holds_under_an_engine_that_errs(monkeypatch, epsilon, delta):
    engine = random_projection.to_log_delta
    monkeypatch.setattr(random_projection, "to_log_delta", lambda logs: engine(logs) - promise("rp_hockey_stick"))
    for r in (1, 40):
        ridge = Fraction(float(random_projection.rp_ridge(1, r, epsilon=epsilon, delta=delta)))
        assert oracle.certified_rp_hockey_stick(1 / (1 + ridge), r, epsilon, "delete", 30).upper <= Fraction(delta)


def test_a_ridge_that_is_proposed_within_the_margin_is_not_taken(monkeypatch):
    """The search proposes one whose delta is below the target by a fifth of the margin only."""
    r, epsilon, delta = MOST_COLUMNS, 0.5, 1e-6
    search, curve, calls = random_projection._largest_logit, random_projection.log_entries, []

    def few(*arguments):
        calls.append(arguments)
        assert len(calls) < 4500
        return curve(*arguments)

    def proposed(r, epsilon, goal, margin):
        return search(r, epsilon, goal, margin / 5)

    monkeypatch.setattr(random_projection, "_largest_logit", proposed)
    monkeypatch.setattr(random_projection, "log_entries", few)
    ridge = Fraction(float(random_projection.rp_ridge(1, r, epsilon=epsilon, delta=delta)))
    truth = oracle.certified_rp_hockey_stick(1 / (1 + ridge), r, epsilon, "delete", 30)
    assert truth.upper <= Fraction(delta) * (1 - Fraction(1, 2 * 10**11))  # the engine errs by less than the rest


def test_the_last_factors_of_a_ridge_are_rounded_up(monkeypatch):
    """Odds of exactly 1: the ridge is not below the exact square of the length."""
    monkeypatch.setattr(random_projection, "_largest_logit", lambda r, *rest: np.zeros(r.shape))
    monkeypatch.setattr(random_projection, "to_log_delta", lambda logs: np.full(logs[0].shape, -np.inf))
    draw = random.Random(3)
    lengths = [draw.uniform(1, 2) * scale for scale in (1.0, 1e-100, 1e100, 3e-162, 1e-161) for _ in range(20)]
    ridges = random_projection.rp_ridge(lengths, 5, epsilon=1.0, delta=1e-5)
    assert all(Fraction(float(ridge)) >= Fraction(length) ** 2 for ridge, length in zip(ridges, lengths, strict=True))


def test_the_delta_of_a_sample_is_rounded_down(monkeypatch):
    asked, largest_logit = [], random_projection._largest_logit

    def recorded(r, epsilon, goal, margin):
        asked.extend(goal)
        return largest_logit(r, epsilon, goal, margin)

    monkeypatch.setattr(random_projection, "_largest_logit", recorded)
    draw = random.Random(4)
    ends = ((1e-7, 1e-5), (1e-310, 1e-300), (5e-324, 1e-320))
    deltas = [draw.uniform(*ends[k % 3]) for k in range(60)]
    rates = [draw.choice([1.0, draw.uniform(1e-3, 1)]) for _ in deltas]
    random_projection.sampled_rp_ridge(1, rates, 5, epsilon=1.0, delta=deltas)
    with mpmath.workdps(40):
        for goal, delta, rate in zip(asked, deltas, rates, strict=True):
            exact = mpmath.log(mpmath.mpf(delta) / rate)
            assert (goal <= exact if rate < 1 else goal <= exact * (1 - 2.0**-52)) and goal >= exact * (1 + 1e-15)


def test_the_epsilon_of_a_sample_is_rounded_down():
    draw = random.Random(5)
    epsilons = [draw.uniform(1, 2) * 10.0**power for power in (-321, -310, -30, -3, -1, 0, 1, 2) for _ in range(40)]
    epsilons += [k * 5e-324 for k in range(1, 20)]
    rates = [draw.choice([1.0, 0.75, 0.3, draw.uniform(0.01, 1)]) for _ in epsilons]
    found = random_projection.sampled_epsilon(epsilon=epsilons, rate=rates)
    with mpmath.workdps(400):
        for value, epsilon, rate in zip(found, epsilons, rates, strict=True):
            assert 0 <= exact(value) <= mpmath.log1p(mpmath.expm1(exact(epsilon)) / exact(rate))


@pytest.mark.parametrize("leverage", [5e-323, 1e-310, 1e-300, 0.5, 1 - 2.0**-53])
def test_every_round_of_the_last_check_takes_a_smaller_leverage(monkeypatch, leverage):
    seen = []

    def curve(leverage, *rest):
        seen.append(float(leverage[0]))
        assert len(seen) < 20
        return (np.array([1.0 if len(seen) < 6 else -1.0]),)

    monkeypatch.setattr(random_projection, "_log_curve", curve)
    monkeypatch.setattr(random_projection, "to_log_delta", lambda logs: logs[0])
    random_projection._settled(np.array([leverage]), np.ones(1), np.zeros(1), np.zeros(1))
    assert len(seen) == 6 and all(a > b >= 0 for a, b in pairwise(seen))


# Least squares: a plateau of the curve just above the target, which the engine sees just below it


def plateau(delta, cap, edge, error):
    """log delta of caps: far below up to the edge; from there to twice it a little above the target, seen below it."""
    goal = math.log(delta)
    seen = np.where(cap < 2 * edge, goal - 0.5 * LOW * error, goal / 2)
    return np.where(cap < edge, 2 * goal, seen)


EDGES = (0.3, 0.1234, 0.05)


@pytest.mark.parametrize("edge", EDGES)
def test_a_cap_of_the_finite_law_holds_under_an_engine_that_errs(monkeypatch, edge):
    delta = 1e-5
    monkeypatch.setattr(
        least_squares_worst_record,
        "_largest",
        lambda cap, d, r, epsilon, direction: (
            plateau(delta, cap, edge, sketch_error(delta, 10)),
            np.zeros(cap.shape),
        ),
    )
    assert least_squares_worst_record.als_exact_cap(2, 10, epsilon=0.01, delta=delta) < edge


@pytest.mark.parametrize("edge", EDGES)
def test_a_cap_of_the_normal_law_holds_under_an_engine_that_errs(monkeypatch, edge):
    delta = 1e-5
    monkeypatch.setattr(
        als_worst_case,
        "_curve",
        lambda p, q, d, r, epsilon, insert: plateau(delta, np.asarray(q), edge, margin("als_cap")),
    )
    assert als_worst_case.als_cap(2, 10, epsilon=0.01, delta=delta) < edge


def test_a_cap_is_settled_by_a_few_searches(monkeypatch):
    """The records are taken a little below the target, so that the next worst one is not above it."""
    search, calls = als_worst_case._highest, []
    monkeypatch.setattr(als_worst_case, "_highest", lambda *arguments: calls.append(1) or search(*arguments))
    als_worst_case.als_cap(3, [5, 20, 200], epsilon=[0.1, 1, 3], delta=[1e-3, 1e-6, 1e-12])
    assert len(calls) <= 8


def test_the_cap_of_pure_privacy_is_rounded_down():
    draw = random.Random(6)
    cases = [
        (draw.uniform(0.1, 3) * scale, draw.randint(2, 60)) for scale in (1.0, 1e-3, 1e-300, 1e-318) for _ in range(40)
    ]
    cases += [(k * 5e-324, 3) for k in range(1, 30)]
    with mpmath.workdps(400):
        for epsilon, r in cases:
            cap = least_squares_worst_record.als_exact_cap(1, r, epsilon=epsilon, delta=0.0)
            assert 0 <= exact(cap) <= -mpmath.expm1(-2 * exact(epsilon) / r)


def test_a_cap_of_few_digits_is_rounded_down():
    rooms = np.linspace(-745, -709, 400)
    with mpmath.workdps(400):
        for room, cap in zip(rooms, als_worst_case.cap_of(rooms), strict=True):
            assert 0 <= exact(cap) <= -mpmath.expm1(-mpmath.exp(exact(room)))


def test_no_cap_is_1():
    assert 0 < als_worst_case.CEILING < 1
    assert (als_worst_case.cap_of(np.array([-700.0, 0.0, 3.0, 40.0])) < 1).all()
    with pytest.warns(NoNoiseNeeded):
        assert als_worst_case.als_cap(2, 4, epsilon=1e12, delta=0.5) < 1


# Covariances


def test_the_worst_logs_are_not_short_of_their_sum():
    for rho in (1.0, 0.1, 0.3, 1e-5):
        for full in (1, 2, 3, 7):
            for nu in (full * rho, np.nextafter(full * rho, np.inf), full * rho * 1.3, (full + 0.5) * rho):
                logs = worst_logs(rho, nu, 20)
                assert (logs <= rho).all() and (logs[:-1] == rho).all()
                lost = nu - float(sum(map(Fraction, map(float, logs))))
                assert lost <= 0 if rho == 1.0 else abs(lost) <= 3e-16 * nu


def test_the_search_for_a_variance_ends_when_it_is_as_near_as_stated():
    calls = []

    def sensitivities(v):
        calls.append(v)
        return 1 / math.sqrt(v), 1 / v, 1 / v, 1

    for delta in (1e-6, 0.3):
        calls.clear()
        added_variance(sensitivities, epsilon=1.0, delta=delta)
        assert len(calls) < 60


def test_the_logarithms_of_a_bound_that_searches_use_are_finite():
    for bound in (1.0, 1 - 2.0**-53, 0.5, 1e-300, 5e-324):
        assert math.isfinite(_log_log(bound))


class Curve:
    """A stand-in for an envelope: log delta = -v, of which the engine sees nearly twice its error less."""

    lost = 1.95 * margin("worst pair of an envelope")

    def __init__(self, spare, needless=False):
        self.spare, self.needless = spare, needless

    def largest(self, added, epsilon, tolerance=joint_shift.TOLERANCE):
        at = -added - self.lost - (50.0 if self.needless else 0.0)
        return Largest(at, at - self.spare, (0.0,))

    def coarse(self, added, epsilon):
        return self.largest(added, epsilon).attained

    def without_noise(self):
        return True

    def scale(self):
        return 1.0


@pytest.mark.parametrize("spare", [0.0, 5e-6])
@pytest.mark.parametrize("delta", [1e-3, 1e-9])
def test_a_variance_holds_under_an_engine_that_errs(spare, delta):
    v, found = joint_shift.added_variance(Curve(spare), epsilon=1.0, delta=delta)
    assert at_most(found.upper + Curve.lost, mpmath.log(exact(delta))) and -exact(v) <= mpmath.log(exact(delta))
    assert joint_shift.added_variance(Curve(spare, True), epsilon=1.0, delta=delta)[0] == 0.0


def test_no_noise_is_too_little_where_the_error_of_the_engine_may_hide_the_excess():
    """At v = 0 the engine sees log delta below the target by half of its error, and the truth is above it."""
    goal = math.log(1e-3)

    class Near(Curve):
        def largest(self, added, epsilon, tolerance=joint_shift.TOLERANCE):
            at = goal - margin("worst pair of an envelope") / 2 - math.log1p(added)
            return Largest(at, at, (0.0,))

    v, found = joint_shift.added_variance(Near(0.0), epsilon=1.0, delta=1e-3)
    assert v > 0 and at_most(found.upper + Curve.lost, mpmath.log(exact(1e-3)))


def test_a_declared_triple_of_one_moved_eigenvalue_may_have_more_dimensions():
    for rho in (1.0, 0.1, 1 / 3):
        one, three = (
            joint_shift.Declared(lambda v, rho=rho, d=d: (0.5, rho, rho, d)).largest(1.0, 1.0, 0.1) for d in (1, 3)
        )
        assert one == three


def test_the_largest_of_a_prediction_is_between_its_coarse_value_and_its_bound():
    law = joint_shift.Prediction(1.0, 1.0, 0.1, 5)
    found = law.largest(1.0, 1.0, 0.1)
    assert law.coarse(1.0, 1.0) - 0.1 <= found.attained <= found.upper


@pytest.mark.parametrize(("noise", "records"), [(0.1, 1), (1e-6, 2), (0.1, 50), (1e-13, 10**14), (1e-40, 10**25)])
def test_the_pull_of_a_cell_is_above_that_of_every_pair_in_it(noise, records):
    """The sum of both roots, exactly; the cell is one xi. The first root is taken of a difference that nearly
    cancels.
    """
    law = joint_shift.Prediction(1.0, 1.0, noise, records)
    for added in (0.0, 1e-6, 1.0, 1e6, 1e12):
        for share in (0.0, 1e-3, 0.2, 0.5, 0.9, 1.0):
            xi = law._turned(np.array([share]))
            bound, at = (float(part[0]) for part in law._pull(added, xi, xi))
            x, ratio, rest = exact(xi[0]), exact(law._ratio), exact(added) / (1 + exact(added))
            ends = (records - 1) * ratio
            if x:
                slope = 1 + rest + ratio * rest
                room = (ratio - x) / x / slope
                ends = min(ends, 2 * room / (1 + mpmath.sqrt(1 + 4 * rest * room / slope)))
            for u in (exact(at), ends, ends / 2, exact(at) * (1 - exact(1e-9))):
                u = min(u, ends)
                roots = mpmath.sqrt((1 - x * rest * u) / (1 + x))
                roots += mpmath.sqrt((records - 1) * x * u * (rest + (1 - rest) / (1 + u)) / (1 + x))
                assert roots <= exact(bound) * (
                    1 + exact(1e-15)
                )  # the margin of a worst pair covers a few ulps of an argument


# Counts


def test_draws_of_a_simulation_are_enough():
    for accuracy, failure in ((0.1, 0.05), (0.013, 1e-3), (0.3, 0.5), (0.01, 1e-9)):
        draws = hoeffding_samples(accuracy, failure)
        assert 2 * mpmath.exp(-2 * draws * exact(accuracy) ** 2) <= exact(failure)
        assert 2 * mpmath.exp(-2 * (draws - 1) * exact(accuracy) ** 2) > exact(failure)
