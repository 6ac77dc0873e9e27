"""Private least squares: what is released follows its law, no record costs more than the certificate, no noise is
wasted.

Goodness of fit: four seeded Kolmogorov-Smirnov tests at 1e-7 each; a right sampler with fresh seeds would fail one of
them with probability at most 4e-7.
"""

import math

import numpy as np
import pytest
from scipy import stats

from ndis_verify import oracle
from ndis_verify.exact_number import InputError
from ndis_verify.fast import als_exact_hockey_stick, als_hockey_stick
from ndis_verify.mechanisms import (
    UnsafeRelease,
    law_delta,
    least_squares,
    neighbourhood,
    relative_least_squares,
    sketched_least_squares,
    worst_in_set,
    worst_neighbour,
)
from ndis_verify.mechanisms.least_squares import record_leverages, solved

FALSE_ALARM = 1e-7
TARGET = {"d": 2, "r": 40, "epsilon": 1.0, "delta": 1e-4}
NORMAL, SKETCH = least_squares(**TARGET, norm_bound=1.0), sketched_least_squares(**TARGET, norm_bound=1.0)


def database(n: int, seed: int = 0) -> np.ndarray:
    rows = np.random.default_rng(seed).normal(size=(n, 3))
    return rows / max(np.linalg.norm(rows, axis=1).max(), 1e-300) * 0.999


ADVERSARIAL = {
    "ordinary": database(25),
    "no residual": np.column_stack([database(9)[:, :2], database(9)[:, :2] @ [0.3, -0.2]]) * 0.7,
    "rank one": np.outer(np.linspace(0.1, 1, 6), [0.5, 0.5, 0.7]),
    "fewer rows than columns": database(2),
    "one record": database(1),
    "duplicated": np.repeat(database(1), 7, axis=0),
    "one dominates": np.vstack([database(8) * 1e-3, [[0.0, 0.6, 0.8]]]),
    "zero rows": np.vstack([np.zeros((3, 3)), database(4)]),
    "at the bound": np.eye(3),
    "target only": np.array([[0.0, 0.0, 1.0]]),
}


def test_the_normal_release_follows_its_law():
    data, rng = database(12), np.random.default_rng(5)
    law = NORMAL.output_law(data)
    draws = np.array([NORMAL.release(data, rng) for _ in range(3000)])
    white = np.linalg.solve(np.linalg.cholesky(law.cov), (draws - law.mean).T)
    for row in (*white, (white[0] + white[1]) / math.sqrt(2)):
        assert stats.kstest(row, "norm").pvalue > FALSE_ALARM


def test_the_sketched_release_has_the_student_law():
    data, rng = database(12), np.random.default_rng(6)
    solution, residual, triangle = solved(data, SKETCH.ridge)
    d, r = 2, 40
    draws = np.array([SKETCH.release(data, rng) for _ in range(3000)]) - solution
    distance = ((draws @ triangle.T) ** 2).sum(axis=1) / (residual**2 / (r - d + 1)) / d
    assert stats.kstest(distance, "f", args=(d, r - d + 1)).pvalue > FALSE_ALARM


def test_seeds_repeat_and_generators_are_required():
    data = database(5)
    for mechanism in (NORMAL, SKETCH):
        first, again = (mechanism.release(data, np.random.default_rng(3)) for _ in range(2))
        assert np.array_equal(first, again)
        with pytest.raises(InputError, match="rng"):
            mechanism.release(data, 3)


@pytest.mark.parametrize("name", ADVERSARIAL)
def test_no_record_costs_more_than_the_certificate(name):
    data = ADVERSARIAL[name]
    for mechanism in (NORMAL, SKETCH):
        assert (
            0
            <= mechanism.worst_record(data).delta
            <= mechanism.calibration.certificate.delta
            <= mechanism.calibration.target.delta
        )


@pytest.mark.parametrize("name", ["ordinary", "duplicated", "one dominates", "at the bound"])
def test_leverages_and_output_laws_say_the_same(name):
    data = ADVERSARIAL[name]
    assert NORMAL.worst_record(data, 0.1).delta == pytest.approx(
        worst_neighbour(NORMAL.output_law, data, 0.1).delta, rel=1e-6
    )


@pytest.mark.parametrize(("mechanism", "curve"), [(NORMAL, als_hockey_stick), (SKETCH, als_exact_hockey_stick)])
def test_the_worst_record_exists_and_less_noise_breaks_the_target(mechanism, curve):
    worst = mechanism.calibration.certificate.worst_case
    share = worst["leverage"] * mechanism.ridge / (1 - worst["leverage"])
    lone = np.array([[math.sqrt(share), 0.0, math.sqrt(1 - share)]]) * (1 - 1e-15)
    p, q = record_leverages(lone, mechanism.ridge)
    assert (p[0], q[0]) == pytest.approx((worst["leverage"], worst["augmented_leverage"]), rel=1e-12)
    assert mechanism.worst_record(lone).delta == pytest.approx(mechanism.calibration.certificate.delta, rel=1e-7)
    p, q = record_leverages(lone, 0.99 * mechanism.ridge)
    assert max(float(curve(p[0], q[0], 2, 40, 1.0, direction)) for direction in ("delete", "insert")) > TARGET["delta"]


@pytest.mark.parametrize(
    ("mechanism", "cap"), [(NORMAL, oracle.certified_als_cap), (SKETCH, oracle.certified_als_exact_cap)]
)
def test_the_ridge_is_on_the_safe_side_of_the_certified_cap(mechanism, cap):
    largest = float(cap(2, 40, epsilon="1", delta="1e-4").lower)
    assert largest * (1 - 1e-8) < 1 / (1 + mechanism.ridge) < largest


def test_the_finite_law_needs_less_and_allows_pure_privacy():
    assert SKETCH.ridge < NORMAL.ridge
    pure = sketched_least_squares(2, 40, epsilon=1.0, delta=0, norm_bound=1.0)
    assert pure.ridge == pytest.approx(1 / math.expm1(2 / 40), rel=1e-12) and pure.calibration.certificate.delta == 0
    assert pure.worst_record(database(20)).delta == 0


def test_the_printed_tests_are_wasteful_or_unsafe():
    wasteful, unsafe = (
        least_squares(2, 100, epsilon=1.0, delta=1e-4, norm_bound=1.0, noise=noise)
        for noise in ("N24-Fig4", "N24-Fig4 corner")
    )
    assert wasteful.ridge > least_squares(2, 100, epsilon=1.0, delta=1e-4, norm_bound=1.0).ridge > unsafe.ridge
    with pytest.raises(UnsafeRelease, match="worst record"):
        unsafe.release(database(4)[:, :3], np.random.default_rng(0))


def test_scale_is_the_norm_bounds_square():
    assert least_squares(**TARGET, norm_bound=1e6).ridge == pytest.approx(NORMAL.ridge * 1e12, rel=1e-13)


def test_relative_least_squares_adds_noise_only_where_it_is_needed():
    data = database(200, seed=2)
    quiet, strict = (
        relative_least_squares(neighbourhood(data, 1.0), 40, epsilon=1.0, delta=delta) for delta in (1e-2, 1e-9)
    )
    assert quiet.ridge == 0 < strict.ridge and quiet.calibration.public["inherent delta"] <= 1e-2
    for mechanism in (quiet, strict):
        chosen = (worst_in_set(mechanism.databases, 40, 1.0, ridge=mechanism.ridge).row, 0, 1)
        laws = mechanism.output_law(data), [mechanism.output_law(np.delete(data, row, axis=0)) for row in chosen]
        actual = max(law_delta(*pair, 1.0) for less in laws[1] for pair in ((laws[0], less), (less, laws[0])))
        assert (
            actual <= mechanism.calibration.certificate.delta * (1 + 1e-8)
            and actual >= 0.99 * mechanism.calibration.certificate.delta
        )
        assert mechanism.calibration.certificate.delta <= mechanism.calibration.target.delta
        assert mechanism.release(np.delete(data, 3, axis=0), np.random.default_rng(1)).shape == (2,)
        with pytest.raises(InputError, match="in the set"):
            mechanism.release(data[:-2], np.random.default_rng(1))
    assert worst_in_set(strict.databases, 40, 1.0, ridge=0.99 * strict.ridge).delta > 1e-9


def test_relative_additions_count():
    data, stranger = database(30, seed=3) * 0.2, np.array([[0.0, 0.6, 0.8]])
    without, having = (neighbourhood(data, 1.0, additions) for additions in ("rows", stranger))
    assert worst_in_set(having, 40, 1.0).delta > worst_in_set(without, 40, 1.0).delta
    larger = np.vstack([data, stranger])
    mechanism = relative_least_squares(having, 40, epsilon=1.0, delta=1e-3, law="sketch")
    p, q = record_leverages(larger, mechanism.ridge)
    actual = max(
        float(als_exact_hockey_stick(p[-1], q[-1], 2, 40, 1.0, direction)) for direction in ("delete", "insert")
    )
    assert actual <= mechanism.calibration.certificate.delta


@pytest.mark.parametrize(
    ("change", "argument"),
    [
        ({"d": 0}, "d"),
        ({"r": 1.5}, "r"),
        ({"epsilon": -1}, "epsilon"),
        ({"delta": 0}, "delta"),
        ({"delta": 1}, "delta"),
        ({"norm_bound": 0}, "norm_bound"),
        ({"noise": "some"}, "noise"),
    ],
)
def test_bad_targets_are_named(change, argument):
    with pytest.raises(InputError, match=argument):
        least_squares(**({"d": 2, "r": 40, "epsilon": 1.0, "delta": 1e-4, "norm_bound": 1.0} | change))


def test_bad_data_is_named():
    for data, rule in (
        (np.ones((2, 3)), "norm of at most"),
        (np.zeros((2, 4)), "3 columns"),
        ([[np.nan, 0, 0]], "finite"),
        ([1.0], "2 dimensions"),
    ):
        with pytest.raises(InputError, match=rule):
            NORMAL.release(data, np.random.default_rng(0))
    with pytest.raises(InputError, match="r"):
        sketched_least_squares(5, 4, epsilon=1.0, delta=1e-4, norm_bound=1.0)
