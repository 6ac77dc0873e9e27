"""Least squares relative to a set: the worst change against all of them by exact leverages, ranks and scales that
floats get wrong, run time.
"""

import importlib

import numpy as np
import pytest

from ndis_verify import oracle
from ndis_verify.fast.least_squares.asymptotic_law import als_hockey_stick
from ndis_verify.fast.least_squares.finite_law import ROUGH, als_exact_hockey_stick, log_als_exact_hockey_stick
from ndis_verify.mechanisms import neighbourhood, relative_least_squares, worst_in_set
from ndis_verify.mechanisms.record_shares import RecordShares
from ndis_verify.oracle.leverage import leverage_scores

relative = importlib.import_module("ndis_verify.mechanisms.relative_least_squares")

CURVES = {"normal": als_hockey_stick, "sketch": als_exact_hockey_stick}
SKEWED = {
    "near": lambda base, seed: (
        base @ np.array([[1.0, 1.0, 0], [0, 2.0 ** -(20 + 5 * seed), 0], [0, 0, 1]])
    ),  # columns all but equal
    "huge": lambda base, seed: base * 1e137,
    "tiny": lambda base, seed: base * 1e-138,
    "graded": lambda base, seed: base * np.array([2.0**-100, 1, 2.0**60]),
    "lone": lambda base, seed: np.vstack(
        [base[:, [1, 1, 2]], [1, 1 + 2.0 ** -(8 * seed + 6), 1]]
    ),  # the last record carries the rank
}


def all_changes(base, additions, ridge):
    """(p, q, 1 - q) of every record, by rational arithmetic."""
    for data, row in [(base, row) for row in range(len(base))] + [
        (np.vstack([base, one]), len(base)) for one in additions
    ]:
        p, q = (leverage_scores(part, [row], 40, ridge)[0].mid for part in (data[:, :-1], data))
        yield float(p), float(q), float(1 - q)


def largest(base, additions, r, epsilon, law, ridge=0.0):
    best = 0.0
    for p, q, rest in all_changes(base, additions, ridge):
        if rest < 2.0**-31:
            return 1.0
        best = max(
            best,
            *(float(CURVES[law](min(p, q), q, base.shape[1] - 1, r, epsilon, way)) for way in ("delete", "insert")),
        )
    return best


def small_integers(seed, shape=(9, 3)):
    return np.random.default_rng(seed).integers(-9, 10, shape).astype(float)


@pytest.mark.parametrize("law", CURVES)
@pytest.mark.parametrize("seed", range(4))
def test_the_worst_change_is_the_largest_of_all(law, seed):
    rng = np.random.default_rng(seed)
    base, additions = small_integers(seed, (14, 2 + seed)) / 64, small_integers(seed + 50, (3, 2 + seed)) / 64
    if seed == 2:  # many changes alike
        base = np.vstack([base[:5]] * 3)
    for r, epsilon in ((6, 0.3), (80, 2.0), (3000, 0.0)):
        ridge = float(rng.choice([0.0, 0.25, 4.0]))
        found = worst_in_set(neighbourhood(base, 1.0, additions), r, epsilon, law, ridge)
        assert found.delta == pytest.approx(largest(base, additions, r, epsilon, law, ridge), rel=1e-9)


@pytest.mark.parametrize("law", CURVES)
@pytest.mark.parametrize("kind", SKEWED)
def test_ranks_and_scales_do_not_lower_the_worst_change(kind, law):
    for seed in (1, 3, 5):
        base = SKEWED[kind](small_integers(seed), seed)
        found = worst_in_set(neighbourhood(base, 4 * np.abs(base).max(), base[:2]), 20, 0.5, law).delta
        truth = largest(base, base[:2], 20, 0.5, law)
        assert truth * (1 - 1e-9) <= found <= truth * (1 + 1e-9)
        assert (kind == "lone") == (truth == 1)


@pytest.mark.parametrize("law", CURVES)
def test_too_low_a_rank_is_told_from_one_that_is_hardly_enough(law):
    base = np.array([[1.0, 1], [1, 1], [2, 2], [1, 1], [1, 1 + 2.0**-52], [1, 1 + 2.0**-51]])
    enough, short = (worst_in_set(neighbourhood(rows, 9.0), 20, 1.0, law).delta for rows in (base, base[:4]))
    assert enough == pytest.approx(largest(base, base, 20, 1.0, law), rel=1e-9) and enough < 1 == short
    # without the last one of those the rank drops
    assert worst_in_set(neighbourhood(base[:5], 9.0), 20, 1.0, law).delta == 1
    for rows in (base[:4], base[:5]):
        mechanism = relative_least_squares(neighbourhood(rows, 9.0), 20, epsilon=1.0, delta=1e-3, law=law)
        assert mechanism.ridge > 0 and largest(rows, rows, 20, 1.0, law, mechanism.ridge) <= 1e-3


@pytest.mark.parametrize(
    ("law", "r", "epsilon", "delta"),
    [
        ("sketch", 5, 1.0, 1e-2),
        ("sketch", 200, 0.0, 1e-3),
        ("sketch", 10**5, 3.0, 1e-9),
        ("normal", 40, 1.0, 1e-6),
    ],
)
def test_the_ridge_meets_the_target_and_no_less_would(law, r, epsilon, delta):
    base = small_integers(7, (12, 4)) / 64
    ridge = relative_least_squares(neighbourhood(base, 1.0), r, epsilon=epsilon, delta=delta, law=law).ridge
    assert (
        largest(base, base, r, epsilon, law, ridge) <= delta < largest(base, base, r, epsilon, law, ridge * (1 - 1e-7))
    )


def test_shares_are_right_to_the_last_place_and_floats_say_what_they_miss():
    for base in (
        small_integers(1, (9, 4)),
        SKEWED["near"](small_integers(1), 1),
        SKEWED["graded"](small_integers(2), 0),
    ):
        shares, additions = RecordShares(base, base[:3]), base[:3]
        for ridge in (0.0, 0.75):
            truth = np.array(list(all_changes(base, additions, ridge)))[:, :2].T
            np.testing.assert_array_max_ulp(np.array(shares.exact(ridge, np.arange(12))), truth, 2)
            p, q, error = shares.rough(ridge)
            assert not np.isfinite(error) or np.abs(np.array([p, q]) - truth).max() <= error
    assert RecordShares(base[:2], base[:0]).exact(0.0, np.arange(2)) is None


@pytest.mark.parametrize("d", [1, 2, 3, 30])
def test_estimates_keep_their_bounds(d):
    rng = np.random.default_rng(d)
    q = np.concatenate([1 - 10 ** rng.uniform(-6, -0.01, 25), 10 ** rng.uniform(-4, -0.3, 25)])
    p = q * np.append(rng.random(40), [0, 1] * 5)
    for r in (d, d + 1, 60, 10**5):
        for epsilon in (0.0, 0.7, 9.0):
            for way in ("delete", "insert"):
                full, draft, rough = (
                    log_als_exact_hockey_stick(p, q, d, r, epsilon, way, effort=name)
                    for name in ("full", "draft", "rough")
                )
                live = full > -600
                assert (np.isinf(full) == np.isinf(rough)).all()
                assert np.abs(draft[live] - full[live]).max(initial=0) < 1e-3
                assert (full[live] - rough[live]).min(initial=0) > -1e-3 and (full[live] - rough[live]).max(
                    initial=0
                ) < ROUGH


@pytest.mark.parametrize(
    ("d", "r", "epsilon", "way", "p", "q"),
    [
        (1, 50, 0.0, "insert", 3.5e-5, 1 - 1.25e-6),
        (200, 200, 0.1, "insert", 0.0085, 1 - 3.2e-6),
    ],
)
def test_next_to_full_leverage_the_curve_has_its_digits(d, r, epsilon, way, p, q):
    truth = float(oracle.als_exact_hockey_stick(p, q, d, r, epsilon, way, digits=15).mid)
    assert float(als_exact_hockey_stick(p, q, d, r, epsilon, way)) == pytest.approx(truth, rel=2e-10)


def test_few_changes_of_a_data_set_of_usual_size_need_the_full_curve(monkeypatch):
    base = np.random.default_rng(3).standard_normal((569, 31))
    base /= np.linalg.norm(base, axis=1).max() * (1 + 1e-12)
    asked, plain = {"rough": 0, "draft": 0, "full": 0}, relative._Changes._log_deltas

    def counted(self, p, q, places, effort):
        asked[effort] += places.size
        return plain(self, p, q, places, effort)

    monkeypatch.setattr(relative._Changes, "_log_deltas", counted)
    assert relative_least_squares(neighbourhood(base, 1.0), 1000, epsilon=1.0, delta=1e-6, law="sketch").ridge > 0
    assert asked["full"] < asked["rough"] / 20 and asked["draft"] < asked["rough"] / 2


@pytest.mark.parametrize("law", ["normal", "sketch"])
def test_a_few_caps_leave_the_worst_of_many_changes(law, monkeypatch):
    """The screening by the largest cost below a cap, made to begin at 20 changes: the same neighbour, and the same
    ridge.
    """
    rng = np.random.default_rng(5)
    rows = rng.standard_normal((150, 3)) * np.exp(rng.standard_normal((150, 1)) / 2)
    databases = neighbourhood(rows, 1.001 * np.linalg.norm(rows, axis=1).max())
    kept = []
    screen = relative._Changes._contenders
    monkeypatch.setattr(
        relative._Changes,
        "_contenders",
        lambda self, ridge, places: kept.append((places.size, screen(self, ridge, places))) or kept[-1][1],
    )
    found = []
    for many in (10**9, 20):
        monkeypatch.setattr(relative, "_MANY", many)
        least = relative_least_squares(databases, 200, epsilon=0.5, delta=1e-6, law=law).ridge
        found.append((worst_in_set(databases, 200, 0.5, law), worst_in_set(databases, 200, 0.5, law, 3.0), least))
    assert found[0][:2] == found[1][:2] and found[0][2] == pytest.approx(found[1][2], rel=1e-9)
    assert min(places.size for size, places in kept if size == 600) < 200


@pytest.mark.parametrize(
    ("p", "q", "d", "r", "epsilon"),
    [
        (0.9999999984360436, 0.9999999984363859, 4, 29229, 242429.99604384694),
        (0.0032285236911692885, 0.9999999771019681, 1, 79, 694.6370214870232),
        (0.9999999989216437, 0.9999999990602726, 50, 557, 0.02095049642299902),
        (0.999999993894358, 0.9999999948405023, 50, 2046, 2027.1415316000814),
    ],
)
def test_the_curve_next_to_full_leverage_errs_no_more_than_it_says(p, q, d, r, epsilon):
    for way in ("delete", "insert"):
        truth = oracle.certified_als_exact_hockey_stick(p, q, d, r, epsilon, way, digits=20).mid
        tolerance = 2e-10 if truth <= 0.5 else 2e-9
        assert truth < 1e-290 or float(als_exact_hockey_stick(p, q, d, r, epsilon, way) / truth - 1) == pytest.approx(
            0, abs=tolerance
        )
