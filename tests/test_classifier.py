"""A classifier's estimate of the divergence of two multivariate laws: valid for any laws, near the truth for Gaussian
ones.
"""

import numpy as np
import pytest
from scipy.stats import binom

from ndis_verify import oracle
from ndis_verify.audit import classifier_curve, fit_classifier
from ndis_verify.audit.limits import clopper_pearson_lower, clopper_pearson_upper
from ndis_verify.exact_number import InputError
from ndis_verify.experiments.black_box_curves import sketched_solutions
from ndis_verify.fast import als_exact_hockey_stick
from ndis_verify.mechanisms.least_squares import record_leverages

EPSILONS = (0.0, 0.5, 1.0, 2.0)
LEVERAGE, ROWS = 0.6, 20_000


def projections(count, r, rng):
    """Outputs on the larger and on the smaller database, a record of leverage 0.6 apart, in coordinates that mix."""
    mix = np.array([[1.0, 0.4, 0.0], [0.0, 1.0, -0.3], [0.2, 0.0, 1.0]])
    wide = np.array([1 / np.sqrt(1 - LEVERAGE), 1.0, 1.0])
    return (rng.standard_normal((count, r, 3)) * wide) @ mix, rng.standard_normal((count, r, 3)) @ mix


def rp_truth(r):
    return [
        float(oracle.certified_rp_hockey_stick(LEVERAGE, r, epsilon, digits=12, direction="delete").mid)
        for epsilon in EPSILONS
    ]


@pytest.mark.parametrize("r", [1, 4])
def test_projections_are_found_and_not_exceeded(r):
    """RLC (r = 1) and RP; 20,000 outputs of each law, confidence 1 - 1e-6."""
    found = classifier_curve(*projections(ROWS, r, np.random.default_rng(r)), EPSILONS, confidence=1 - 1e-6)
    truth = np.array(rp_truth(r))
    assert (found.lower <= truth).all() and (truth <= found.upper + 0.01).all()
    assert np.abs(found.estimate - truth).max() < 0.025 and found.lower[0] > 0.75 * truth[0]
    assert found.rows == (ROWS // 2, ROWS // 2) and found.points()[1]["epsilon"] == 0.5


def test_sketched_least_squares_is_found_and_not_exceeded():
    matrix = np.random.default_rng(5).standard_normal((12, 4))
    matrix[0] *= 3
    p, q = (float(values[0]) for values in record_leverages(matrix, 0.0))
    truth = np.array([float(als_exact_hockey_stick(p, q, 3, 20, epsilon)) for epsilon in EPSILONS])
    rng = np.random.default_rng(6)
    found = classifier_curve(
        *(sketched_solutions(one, 20, ROWS, rng) for one in (matrix, matrix[1:])), EPSILONS, confidence=1 - 1e-6
    )
    assert (
        truth[0] > 0.1
        and (found.lower <= truth).all()
        and (truth <= found.upper + 0.02).all()
        and found.lower[0] > 0.6 * truth[0]
    )


@pytest.mark.parametrize("kind", ["equal", "projection", "heavy tails"])
def test_the_lower_limit_holds_at_its_confidence(kind):
    """More failures than the 1e-6 quantile at the stated rate 0.1 would be a false alarm of at most 1e-6."""
    rng, runs, failures = np.random.default_rng(7), 120, 0
    for _ in range(runs):
        if kind == "projection":
            samples, truth = projections(60, 1, rng), rp_truth_cached
        else:
            draw = rng.standard_normal if kind == "equal" else rng.standard_cauchy
            samples, truth = (draw((60, 4)), draw((80, 4))), [0.0] * len(EPSILONS)
        failures += bool((classifier_curve(*samples, EPSILONS, confidence=0.9).lower > truth).any())
    assert failures <= binom.isf(1e-6, runs, 0.1)


rp_truth_cached = rp_truth(1)


def test_counting_what_was_learned_from_would_break_it():
    """The planted fault: without the split, equal laws in eight coordinates seem to differ."""
    rng, wrong = np.random.default_rng(8), 0
    for _ in range(40):
        p, q = rng.standard_normal((60, 8)), rng.standard_normal((60, 8))
        score = fit_classifier(p, q)
        hits, alarms = ((score(sample) > 0).sum() for sample in (p, q))
        wrong += clopper_pearson_lower(hits, 60, 0.05) > clopper_pearson_upper(alarms, 60, 0.05)
    assert wrong > binom.isf(1e-6, 40, 0.1)


def test_a_mean_shift_and_separate_laws():
    rng = np.random.default_rng(9)
    p, q = rng.standard_normal((ROWS, 2)) + np.array([1, 0]), rng.standard_normal((ROWS, 2))
    found = classifier_curve(p, q, EPSILONS, confidence=1 - 1e-6)
    truth = np.array(
        [float(oracle.certified_gaussian_hockey_stick(1, 1, epsilon, digits=12).mid) for epsilon in EPSILONS]
    )
    assert (found.lower <= truth).all() and np.abs(found.estimate - truth).max() < 0.02
    apart = classifier_curve(p + 100, q, [3.0])
    assert apart.lower[0] > 0.95 and apart.estimate[0] == 1


def test_copies_may_be_exchanged_and_units_changed():
    p, q = projections(400, 3, np.random.default_rng(10))
    one = classifier_curve(p, q, EPSILONS)
    mixed = classifier_curve(p[:, ::-1], q[:, [1, 2, 0]], EPSILONS)
    assert np.allclose(one.estimate, mixed.estimate)
    scaled = classifier_curve(p * [1e6, 1, 1e-6] + [5, 0, 0], q * [1e6, 1, 1e-6] + [5, 0, 0], EPSILONS)
    assert np.allclose(one.estimate, scaled.estimate, atol=0.02)


def test_a_constant_coordinate_and_outliers_do_no_harm():
    rng = np.random.default_rng(12)
    p, q = rng.standard_cauchy((4000, 2)) * [1e150, 1.0], rng.standard_cauchy((4000, 2)) * [1e150, 3.0]
    p[:, 0] = q[:, 0] = 2.0
    found = classifier_curve(p, q, [0.0], confidence=0.99)
    # below TV = (2/pi)(atan sqrt 3 - atan 1/sqrt 3) x 2
    assert 0.05 < found.lower[0] <= found.estimate[0] < 2 * np.arctan(np.sqrt(3)) * 2 / np.pi - 1


@pytest.mark.parametrize(
    "p, q, epsilons, argument",
    [
        (np.ones((20, 2)), np.ones((20, 3)), [0.0], "p, q"),
        (np.ones(20), np.ones((20, 1)), [0.0], "p"),
        (np.ones((15, 2)), np.ones((20, 2)), [0.0], "p"),
        (np.ones((20, 2)), np.full((20, 2), np.nan), [0.0], "q"),
        (np.ones((20, 70)), np.ones((20, 70)), [0.0], "p"),
        ([["a"]] * 20, np.ones((20, 1)), [0.0], "p"),
        (np.ones((20, 2)), np.ones((20, 2)), [], "epsilons"),
        (np.ones((20, 2)), np.ones((20, 2)), [-1.0], "epsilons"),
    ],
)
def test_bad_input(p, q, epsilons, argument):
    with pytest.raises(InputError) as error:
        classifier_curve(p, q, epsilons)
    assert error.value.argument == argument


def test_nothing_to_learn():
    assert classifier_curve(np.ones((20, 2)), np.ones((20, 2)), [0.0]).lower[0] == 0
