"""Certificates hold against engines that err as much as they document, to the unsafe side; roundings hold against
fractions, without a tolerance.
"""

import contextlib
import importlib
import itertools
import math
from fractions import Fraction
from types import SimpleNamespace

import flint
import mpmath
import numpy as np
import pytest

from ndis_verify import mechanisms
from ndis_verify.exact_number import InputError
from ndis_verify.fast.accuracy import margin
from ndis_verify.mechanisms import (
    calibration,
    gaussian,
    gaussian_output,
    projection_wrappers,
    records,
    relative_projection,
    white_box,
)
from ndis_verify.mechanisms.baselines.mutual_information import CONVERSIONS, information_level, mutual_information
from ndis_verify.mechanisms.calibration import Target

# Modules whose names the package gives to a function.
gaussian_process, least_squares, random_projection, relative_least_squares = (
    importlib.import_module(f"ndis_verify.mechanisms.{name}")
    for name in ("gaussian_process", "least_squares", "random_projection", "relative_least_squares")
)
DELTAS = (0.3, 1e-5, 2.0**-60)


def exact(number):
    """A float as a fraction."""
    return Fraction(float(number))


def understated(monkeypatch, module, name, error):
    """The engine `name` of a module gives this much less than it should: a list of what it should give, as it
    is asked.
    """
    plain, true = getattr(module, name), []

    def low(*arguments):
        true.append(float(plain(*arguments)))
        return true[-1] * (1 - error)

    monkeypatch.setattr(module, name, low)
    return true


# Engines


@pytest.mark.parametrize("delta", (*DELTAS, 5e-324))
@pytest.mark.parametrize("error", (5e-13, 1e-11, 1e-10))
def test_a_raised_delta_is_above_what_an_engine_of_that_error_understates(delta, error):
    if delta > 1e-300:
        assert exact(calibration.raised(delta * (1 - error * 0.99), error)) > exact(delta) * (1 - exact(error) / 2**10)
    assert (
        calibration.raised(delta, error) >= delta
        and calibration.raised(0.0, error) > 0
        and calibration.raised(1.0, error) == 1
    )
    assert exact(calibration.raised(delta, error)) <= exact(delta) * (1 + 2 * exact(error))


@pytest.mark.parametrize("std", (0.7, 4.0, 9.0))
def test_the_gaussian_certificate_with_an_engine_that_understates(std, monkeypatch):
    true = understated(monkeypatch, gaussian, "gaussian_hockey_stick", 4.9e-13)
    assert gaussian._reached(1.0, std, Target(epsilon=1, delta=1e-5)) > true[0]


def test_a_gaussian_std_that_is_too_small_is_widened_until_it_is_not(monkeypatch):
    """As a float: by the least that can be, and not to the other side."""
    asked = []

    def reached(size, std, target):
        asked.append(std)
        assert len(asked) < 100
        return 2 * target.delta if exact(std) < wanted else 0.0

    monkeypatch.setattr(gaussian, "_reached", reached)
    for start in (1.0, 1.3, 7.7e-5):
        wanted = exact(start) * (1 + Fraction(1, 10**14))
        asked.clear()
        found = gaussian._settled(1.0, start, Target(epsilon=1, delta=1e-5))
        assert wanted <= exact(found) < wanted * (1 + Fraction(1, 10**15)) and asked == sorted(asked)


@pytest.mark.parametrize("r, level", ((1, 0.5), (5, 20.0), (40, 300.0)))
def test_the_projection_certificates_with_an_engine_that_understates(r, level, monkeypatch):
    true = understated(monkeypatch, random_projection, "rp_ridge_hockey_stick", 0.99e-11)
    assert random_projection.certificate(1.0, level, r, 1.0).delta > true[0]
    assert random_projection.rounded_up(0.5, r) > 0.5


@pytest.mark.parametrize("ridge", ("smallest", "N24-Fig12"))
def test_the_relative_projection_with_an_engine_that_understates(ridge, monkeypatch):
    databases = mechanisms.neighbourhood(np.tile([[0.6, 0.0], [0.1, 0.5]], (20, 1)), 1.0)
    true = understated(monkeypatch, relative_projection, "rp_hockey_stick", 0.99e-11)
    assert relative_projection.inherent_delta(databases, 3, 0.5) > true[0]
    found = relative_projection.relative_random_projection(databases, 3, epsilon=0.5, delta=1e-7, ridge=ridge)
    assert found.calibration.certificate.delta > true[1] and found.ridge > 0


def test_the_cost_of_a_test_with_an_engine_that_understates(monkeypatch):
    true = understated(monkeypatch, projection_wrappers, "gaussian_hockey_stick", 0.99e-11)
    for delta in (0.01, 1e-6):
        assert projection_wrappers._test_cost(1.0, 9.0, 3.0, delta)[1] > true[-1]


TESTED = {
    "r": 3,
    "epsilon": 1.0,
    "delta": 1e-4,
    "norm_bound": 1.0,
    "std": 20.0,
    "delta_test": 1e-30,
    "delta_failure": 1e-30,
}


def test_the_release_after_a_test_with_an_engine_that_understates(monkeypatch):
    """Next to none of delta is the test's, so that the certificate is the release's."""
    true = understated(monkeypatch, projection_wrappers, "rp_ridge_hockey_stick", 0.99e-11)
    found = projection_wrappers.propose_test_release(**{**TESTED, "std": 40.0})
    assert found.calibration.certificate.delta > true[0] > 0.9e-4


def test_the_worst_record_with_a_search_that_falls_short():
    for delta, error in itertools.product(DELTAS, (2e-9, 2e-8)):
        worst = SimpleNamespace(
            delta=delta * (1 - 0.99 * error), log_delta=math.log(delta), leverage=0.25, direction="delete"
        )
        assert least_squares.certificate(worst, 0.5, 2, 10, error).delta > delta


def test_a_search_for_the_worst_record_promises_less_for_every_row_of_a_sketch():
    for r in (1, 100, 10**6, 10**8):
        assert exact(least_squares.search_error(r, "sketch")) >= exact(
            least_squares.search_error(r, "normal")
        ) + r * exact(1e-15)


@pytest.mark.parametrize("law", ("normal", "sketch"))
def test_the_least_ridge_takes_in_what_its_search_may_miss(law, monkeypatch):
    """From a start at which the worst record meets the target and no more."""
    name = "als_cap" if law == "normal" else "als_exact_cap"
    cap_of, worst_of = (
        getattr(least_squares, name),
        least_squares.als_worst_case if law == "normal" else least_squares.als_exact_worst_case,
    )
    error = float(least_squares.search_error(9, law))
    monkeypatch.setattr(
        least_squares,
        name,
        lambda d, r, *, epsilon, delta: cap_of(d, r, epsilon=epsilon, delta=delta / (1 - 2 * error)),
    )
    for delta in (1e-3, 1e-8):
        ridge = float(least_squares.least_ridge(1.0, 2, 9, epsilon=1.0, delta=delta, law=law))
        worst = worst_of(1 / (1 + ridge), 2, 9, 1.0)
        assert exact(worst.delta) * (1 + exact(error) * Fraction(9, 10)) <= exact(delta)


@pytest.mark.parametrize("noise, least", (("N24-Fig4", 2), ("N24-Fig4 corner", 1)))
def test_a_printed_test_of_least_squares_is_asked_where_its_record_is_one(noise, least):
    """Its record has the augmented leverage 2 l^2/ridge or l^2/ridge, which is below 1."""
    for delta in (1e-6, 0.3, 1 - 1e-9):
        assert exact(least_squares._printed_ridge(2, 3, 0.5, delta, noise)) > least


# The joint and the split bound of a declared output


@pytest.fixture
def output():
    return {"output": lambda data: ([0.0], [[1.0]]), "epsilon": 1.0}


def test_a_joint_bound_is_taken_at_its_upper_end_and_raised(monkeypatch):
    for attained, upper in itertools.product((-9.0, -3.01), (-3.0, -2.999)):
        found = SimpleNamespace(upper=upper, attained=attained, lower=attained, point=(0.5,))
        envelope = SimpleNamespace(largest=lambda variance, epsilon, found=found: found)
        monkeypatch.setattr(gaussian_output, "joint_variance", lambda envelope, **target: (1.0, None))
        _, why = gaussian_output._joint(envelope, Target(epsilon=1, delta=0.5))
        assert mpmath.mpf(why.delta) > mpmath.exp(upper) * (1 + margin("worst pair of an envelope") / 2)
        assert why.digits == gaussian_output._digits(found)


@pytest.mark.parametrize("apart", (0.0, 3e-12, 3e-9, 5e-4, 0.4, 3.0))
def test_the_digits_of_a_joint_bound_are_those_that_both_ends_share(apart):
    found = SimpleNamespace(upper=-3.0, attained=-3.0 - apart, lower=-4.0)
    digits = gaussian_output._digits(found)
    error = 2 * margin("worst pair of an envelope")
    lost = mpmath.expm1(mpmath.mpf(found.upper) - mpmath.mpf(found.attained)) + error
    assert lost * mpmath.mpf(10) ** digits <= 1 or digits == 0
    assert lost * mpmath.mpf(10) ** (digits + 1) > 1


def test_a_split_bound_leaves_room_for_its_engine_and_is_raised(output, monkeypatch):
    """The search meets what it is asked for and no less, by an engine that understates."""
    asked = []
    monkeypatch.setattr(
        gaussian_output, "split_variance", lambda sensitivities, *, epsilon, delta, term: asked.append(delta) or 1.0
    )
    monkeypatch.setattr(gaussian_output, "loewner_bound", lambda *arguments: asked[-1])
    for delta, bound in itertools.product(DELTAS, ("exact", "corrected")):
        found = gaussian_output.calibrated_gaussian(
            sensitivity=lambda v: (0.1, 0.1, 0.1, 1), delta=delta, bound=bound, **output
        )
        assert asked[-1] * (1 + margin("bound of two steps") / 2) < found.calibration.certificate.delta <= delta


# Leverages and ridges, rounded


def some(seed, *sizes):
    """Floats of many sizes: in 2^-size to 2^size."""
    rng = np.random.default_rng(seed)
    return [tuple(float(2.0 ** rng.uniform(-size, size)) for size in sizes) for _ in range(200)]


def test_a_cap_beside_a_ridge_is_rounded_up():
    for length, ridge in some(1, 3, 9):
        assert exact(least_squares._cap_beside(length, ridge)) >= exact(length) ** 2 / (
            exact(length) ** 2 + exact(ridge)
        )


def test_a_printed_ridge_is_rounded_up(monkeypatch):
    for length, smallest in some(2, 3, 9):
        monkeypatch.setattr(random_projection, "rp_ridge", lambda *arguments, smallest=smallest, **target: smallest)
        for ridge in ("N26-Fig1", "N24-Fig3"):
            level = random_projection.ridge_level(length, 2, epsilon=1.0, delta=0.1, ridge=ridge)
            assert exact(level) >= exact(smallest) + exact(length) ** 2
        assert random_projection.ridge_level(length, 2, epsilon=1.0, delta=0.1, ridge="smallest") == smallest


def test_the_leverage_allowed_to_a_set_is_rounded_down_and_the_one_certified_up(monkeypatch):
    """A lone record of the norm bound: its leverage is l^2/(l^2 + ridge)."""
    allowed = []
    monkeypatch.setattr(
        relative_projection.Neighbourhood,
        "least_ridge",
        lambda self, leverage: allowed.append(leverage) or smallest * 1.01,
    )
    for length, smallest in some(3, 3, 9)[:40]:
        monkeypatch.setattr(
            relative_projection, "ridge_level", lambda *arguments, smallest=smallest, **target: smallest
        )
        databases = mechanisms.neighbourhood([[length]], length)
        certified = relative_projection.Neighbourhood.leverage
        found = relative_projection.relative_random_projection(databases, 2, epsilon=1.0, delta=0.9999)
        square = exact(length) ** 2
        assert exact(allowed[-1]) <= square / (square + exact(smallest)) and certified(databases) == 1
        assert exact(found.calibration.certificate.worst_case["leverage"]) >= square / (square + exact(found.ridge))


@pytest.mark.parametrize("ridge", (0.0, 0.3))
@pytest.mark.parametrize("low", (1.0, 1 - 2.0**-40))
def test_the_leverage_of_a_ball_with_singular_values_as_wrong_as_they_may_be(ridge, low, monkeypatch):
    base, length = np.array([[0.7, 0.1], [0.2, 0.5], [-0.3, 0.4]]), 1.0
    databases = mechanisms.neighbourhood(base, length, "ball")
    with mpmath.workdps(40):
        held = mpmath.matrix(base.tolist())
        least = min(mpmath.eigsy(held.T * held, eigvals_only=True))
        plain, slack = np.linalg.svd, 8 * 3 * np.finfo(float).eps
        values = plain(base, compute_uv=False)
        monkeypatch.setattr(
            np.linalg, "svd", lambda *arguments, **options: values + np.array([0, slack * values[0] * 0.9])
        )
        assert databases._ball_leverage(ridge) >= 1 / (least + ridge + 1)


def test_the_leverage_of_a_ball_about_too_few_records_is_rounded_up():
    for length, ridge in some(4, 3, 9):
        found = mechanisms.neighbourhood(np.zeros((1, 2)), length, "ball")._ball_leverage(ridge)
        assert exact(found) > exact(length) ** 2 / (exact(length) ** 2 + exact(ridge))


# A Poisson sample and a test


def test_a_sample_leaves_its_projection_no_more_than_its_share(monkeypatch):
    asked = []
    monkeypatch.setattr(
        projection_wrappers, "ridge_level", lambda *arguments, delta, **target: asked.append(delta) or 1.0
    )
    for share, size in some(5, 3, 3)[:60]:
        share, delta = min(share / 9, 1.0), 1e-4 * size
        lone = calibration.Certificate("a lone record", {}, delta / share * (1 - 1e-15))
        monkeypatch.setattr(projection_wrappers, "certificate", lambda *arguments, lone=lone: lone)
        found = projection_wrappers.subsampled_random_projection(share, 2, epsilon=1.0, delta=delta, norm_bound=1.0)
        assert exact(asked[-1]) * exact(share) <= exact(delta)
        assert exact(found.calibration.certificate.delta) >= exact(lone.delta) * exact(share)


def test_what_a_test_leaves_of_epsilon_and_delta_is_rounded_down(monkeypatch):
    asked, plain = [], projection_wrappers.ridge_level
    monkeypatch.setattr(
        projection_wrappers,
        "ridge_level",
        lambda *arguments, delta, **target: asked.append(delta) or plain(*arguments, delta=delta, **target),
    )
    for k in range(6):
        epsilon, delta = 1 + k / 7, 1e-4 * (1 + k / 11)
        changes = {"epsilon": epsilon, "delta": delta, "delta_test": delta * 0.3, "delta_failure": delta / 9}
        found = projection_wrappers.propose_test_release(**{**TESTED, **changes})
        worst = found.calibration.certificate.worst_case
        assert exact(worst["test_epsilon"]) + exact(worst["release_epsilon"]) < exact(epsilon)
        assert exact(asked[-1]) + exact(changes["delta_test"]) + exact(changes["delta_failure"]) < exact(delta)
        with mpmath.workdps(40):
            assert mpmath.ncdf(-mpmath.mpf(found.calibration.noise["quantile"])) < changes["delta_failure"]
            shift, spent = 1 / mpmath.mpf(20), mpmath.mpf(worst["test_epsilon"])
            cost = mpmath.ncdf(shift / 2 - spent / shift) - mpmath.exp(spent) * mpmath.ncdf(-shift / 2 - spent / shift)
            assert cost < changes["delta_test"]


@pytest.mark.parametrize(
    "std, full, name", ((1e6, 1e-2, "the product"), (1e-9, 40.0, "the bound"), (1e-9, 40.0, "what is left"))
)
def test_every_step_from_a_reading_to_a_ridge_is_rounded_up(std, full, name):
    """Numbers at which one of the three roundings is all that there is."""
    rng = np.random.default_rng(11)
    tested = projection_wrappers.propose_test_release(**{**TESTED, "std": 1e6, "ridge": "N26-Fig4"})
    for _ in range(300):
        quantile = float(rng.uniform(4, 8))
        held = SimpleNamespace(
            public={**tested.calibration.public, "std": std}, noise={"full_ridge": full, "quantile": quantile}
        )
        share = {"the product": 0.5, "the bound": 1 - 1e-9, "what is left": 1e-9}[name] * rng.uniform(0.9, 1)
        reading = float(exact(std) * exact(quantile) + exact(share) * exact(full))
        found = projection_wrappers.ProposeTestRelease.ridge_at(SimpleNamespace(calibration=held), reading)
        bound = max(exact(reading) - exact(std) * exact(quantile), Fraction(0))
        assert exact(found) >= exact(full) - bound


# Records, kernels and baselines


def test_a_record_above_its_bound_moves_towards_0(monkeypatch):
    """In both signs, by units in the last place, until it is within."""
    asked, plain = [], records._excess
    monkeypatch.setattr(
        records, "_excess", lambda *arguments: asked.append(1) or (plain(*arguments) if len(asked) < 60 else 1 // 0)
    )
    rows = np.array([[0.6, -0.8], [-0.6, 0.8], [0.6, 0.8]]) * (1 + 2.0**-51)
    moved = rows.copy()
    records._move_within(moved, np.array([True, True, False]), 1.0)
    assert (np.abs(moved[:2]) < np.abs(rows[:2])).all() and (moved[2] == rows[2]).all()
    assert all(exact(x) ** 2 + exact(y) ** 2 <= 1 + Fraction(1, 2**90) for x, y in moved[:2])


def test_a_posterior_at_its_least_variance_is_no_broken_kernel(monkeypatch):
    """n records at the query itself: the variance is the least that any kernel leaves, but for rounding."""
    chosen = {"label_bound": 1.0, "norm_bound": 1.0, "records": 10, "epsilon": 1.0, "delta": 1e-2}
    monkeypatch.setattr(gaussian_process, "calibrated_posterior", lambda mechanism, output, *rest, **target: output)
    for noise, n in itertools.product((0.3, 0.01, 2.7), (1, 2, 9)):
        output = mechanisms.gaussian_process(mechanisms.linear_kernel, [1.0], noise_variance=noise, **chosen)
        least = noise / (noise + n)
        assert output(np.tile([[1.0, 0.5]], (n, 1)))[1] == pytest.approx(least, rel=1e-9)
        for lack, refused in ((0.9e-12, False), (1.1e-12, True)):
            monkeypatch.setattr(
                gaussian_process, "prediction", lambda *arguments, lack=lack: (0.0, least - lack * (n + 1))
            )
            with pytest.raises(InputError, match="semidefinite") if refused else contextlib.nullcontext():
                assert output(np.tile([[1.0, 0.5]], (n, 1)))[1] >= least
        monkeypatch.undo()
        monkeypatch.setattr(gaussian_process, "calibrated_posterior", lambda mechanism, output, *rest, **target: output)


@pytest.mark.timeout(30)  # rounding that goes the other way has no end
def test_the_scale_of_laplace_noise_is_rounded_up():
    for size, epsilon in some(6, 9, 5):
        found = mechanisms.baselines.laplace_mechanism(size, epsilon, adjacency="any").scale
        assert exact(size) <= exact(found) * exact(epsilon) < exact(size) * (1 + Fraction(1, 2**51))


@pytest.mark.parametrize("conversion", CONVERSIONS)
def test_the_information_of_a_ridge_is_strictly_below_its_level(conversion):
    for r, delta in ((1, 0.01), (7, 1e-3), (50, 0.3)):
        found = mutual_information(r, epsilon=1.0, delta=delta, norm_bound=1.5, conversion=conversion)
        with mpmath.workdps(40):
            level = (
                information_level(epsilon=1.0, delta=delta) if conversion == "binary" else mpmath.mpf(delta) ** 2 / 2
            )
            signal = mpmath.mpf(1.5) ** 2 / mpmath.mpf(found.ridge)
            assert (signal - mpmath.log1p(signal)) * r / 2 < level * (1 - mpmath.mpf(5e-7))


# Least squares relative to a set


class Changes:
    """Of a set whose worst change costs `first` as it is, and as much as was asked for above a ridge."""

    def __init__(self, first):
        self.first, self.goal = first, None

    def neighbour(self, ridge):
        return white_box.WorstNeighbour(0, "delete", math.exp(self.goal) if ridge else self.first)


@pytest.mark.parametrize("law, r", (("normal", 10), ("sketch", 10), ("sketch", 10**6)))
def test_the_margin_of_a_set_is_what_its_curves_document(law, r, monkeypatch):
    databases = mechanisms.neighbourhood(np.array([[0.3, 0.4], [0.5, -0.2], [-0.6, 0.1]]), 1.0)
    error = {"normal": 1e-11, "sketch": 2e-10}[law] + (4e-15 * r if law == "sketch" else 0)
    for delta in (1e-2, 1e-6):
        changes = Changes(delta / 2)
        monkeypatch.setattr(relative_least_squares, "_changes", lambda *arguments, changes=changes: changes)
        quiet = relative_least_squares.relative_least_squares(
            databases, r, epsilon=1.0, delta=delta, law=law
        ).calibration
        assert quiet.noise["ridge"] == 0 and 0.9 * error < quiet.certificate.delta / (delta / 2) - 1 < 1.1 * error
        assert quiet.certificate.delta == quiet.public["inherent delta"]
        changes.first = 2 * delta
        monkeypatch.setattr(
            relative_least_squares, "_smaller", lambda changes, goal, enough: setattr(changes, "goal", goal) or enough
        )
        noisy = relative_least_squares.relative_least_squares(
            databases, r, epsilon=1.0, delta=delta, law=law
        ).calibration
        assert noisy.noise["ridge"] > 0 and delta * (1 - 3 * error) < noisy.certificate.delta <= delta
        assert noisy.certificate.delta > math.exp(changes.goal) * (1 + 0.9 * error)


def test_a_search_for_a_crossing_ends_where_next_to_nothing_less_is_too_little():
    """A cost that falls at a step: the upper end comes back, where it was seen to be met."""
    asked = []
    found, _ = relative_least_squares._crossing(
        lambda ridge: asked.append(ridge) or (1.0 if ridge < 0.3 else -5.0), 1e-3, 1.0, None, -1.0, 1e-10
    )
    assert 0.3 <= found < 0.3 * (1 + 1e-9) and found in asked and len(asked) < 50


def test_an_inverse_that_is_not_known_leaves_every_leverage():
    found = white_box._leverage(SimpleNamespace(_inverse=lambda bits: None, _pivots=[0]), np.array([1.0]), 64)
    assert all(part.contains(flint.arb(1)) and part.contains(flint.arb(0)) for part in found)


def test_a_target_that_rounding_alone_would_exceed_is_refused():
    why = calibration.Certificate("some bound", {}, math.nextafter(0.25, 1))
    with pytest.raises(InputError, match="leave room"):
        calibration.Calibration("some", "any", {}, Target(epsilon=1, delta=0.25), {"std": 1.0}, why)
