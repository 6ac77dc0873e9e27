"""Random-projection mechanisms: calibration against certified brackets, the sampler, worst neighbours, refusals."""

import json
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from ndis_verify import fast, mechanisms, oracle
from ndis_verify.claims.random_projection.white_box import adversarial, real
from ndis_verify.exact_number import InputError
from ndis_verify.fast.leverage import leverage_scores, neighbourhood_leverage
from ndis_verify.hunts.closed_forms import FAMILIES
from ndis_verify.hunts.hunt import Family, hunt
from ndis_verify.mechanisms.records import clip_norms, database
from ndis_verify.mechanisms.white_box import worst_neighbour
from ndis_verify.oracle.leverage import leverage_of_set
from ndis_verify.oracle.leverage import leverage_scores as exact_leverage_scores

EXTREMES = [
    (1, 1e-6, 0.4),
    (1, 100.0, 1e-30),
    (1_000_000, 1e-6, 1e-30),
    (1_000_000, 100.0, 0.4),
    (1, 1e-6, 1e-30),
    (10, 1.0, 1e-6),
    (37, 0.3, 1e-12),
]
DATA = np.array([[0.9, 0.1, 0.0], [0.0, -0.7, 0.5], [0.3, 0.3, 0.3], [0.6, 0.0, -0.6], [0.0, 0.0, 0.2]])
CALIBRATED = {
    "projection": lambda: mechanisms.random_projection(4, epsilon=1.0, delta=1e-3, norm_bound=1.0),
    "linear combination": lambda: mechanisms.random_linear_combination(epsilon=1.0, delta=1e-3, norm_bound=1.0),
    "sampled": lambda: mechanisms.subsampled_random_projection(0.4, 4, epsilon=1.0, delta=1e-3, norm_bound=1.0),
    "tested": lambda: mechanisms.propose_test_release(
        4, epsilon=1.0, delta=1e-3, norm_bound=1.0, std=4.0, delta_test=3e-4, delta_failure=3e-4
    ),
    "relative": lambda: mechanisms.relative_random_projection(
        mechanisms.neighbourhood(DATA, 1.0), 4, epsilon=1.0, delta=1e-3
    ),
}


# Calibration


@pytest.mark.parametrize("r, epsilon, delta", EXTREMES)
def test_the_ridge_is_on_the_safe_side_of_the_certified_one(r, epsilon, delta):
    found = float(fast.rp_ridge(2.0, r, epsilon=epsilon, delta=delta))
    certified = oracle.certified_rp_ridge(2, r, epsilon=epsilon, delta=delta, digits=18)
    assert certified.upper <= Fraction(found) <= certified.upper * (1 + Fraction(1, 10**9))
    assert mechanisms.random_projection(r, epsilon=epsilon, delta=delta, norm_bound=2.0).ridge == pytest.approx(
        found, rel=1e-15
    )


def test_two_routes_give_the_certified_ridge():
    assert oracle.rp_ridge("0.5", 3, epsilon="0.2", delta="1e-9", digits=8).overlaps(
        oracle.certified_rp_ridge("0.5", 3, epsilon="0.2", delta="1e-9", digits=8)
    )
    sampled = oracle.certified_sampled_rp_ridge("0.5", "0.01", 3, epsilon="0.2", delta="1e-9", digits=8)
    assert (
        oracle.sampled_rp_ridge("0.5", "0.01", 3, epsilon="0.2", delta="1e-9", digits=8).overlaps(sampled)
        and sampled.relative_radius < 1e-8
    )
    assert oracle.certified_sampled_rp_ridge(1, "0.01", 3, epsilon="0.2", delta="0.01").upper == 0


@pytest.mark.parametrize("rate", [1.0, 0.25, 1e-3])
@pytest.mark.parametrize("r, epsilon, delta", [(1, 1e-6, 1e-4), (1000, 100.0, 1e-30), (10, 1.0, 1e-6)])
def test_the_sampled_ridge_is_on_the_safe_side_of_the_certified_one(rate, r, epsilon, delta):
    found = Fraction(float(fast.sampled_rp_ridge(2.0, rate, r, epsilon=epsilon, delta=delta)))
    certified = oracle.certified_sampled_rp_ridge(2, rate, r, epsilon=epsilon, delta=delta, digits=18)
    assert certified.upper <= found <= certified.upper * (1 + Fraction(1, 10**9))


@pytest.mark.parametrize("r, epsilon, delta", EXTREMES)
def test_one_per_cent_less_noise_breaks_the_certified_target(r, epsilon, delta):
    for scale, broken in ((1, False), (Fraction(99, 100), True)):
        ridge = scale * Fraction(mechanisms.random_projection(r, epsilon=epsilon, delta=delta, norm_bound=1.0).ridge)
        reached = oracle.certified_rp_hockey_stick(1 / (1 + ridge), r, epsilon, "delete", digits=16)
        assert (reached.lower > delta) if broken else (reached.upper <= delta)


@pytest.mark.parametrize("name", ["N26-Fig1", "N24-Fig3"])
def test_the_printed_ridges_are_safe_and_one_square_larger(name):
    printed, smallest = (
        mechanisms.random_projection(10, epsilon=1.0, delta=1e-6, norm_bound=3.0, ridge=ridge)
        for ridge in (name, "smallest")
    )
    assert printed.ridge == pytest.approx(smallest.ridge + 9.0, rel=1e-12)
    assert printed.calibration.certificate.delta < 0.5e-6 < smallest.calibration.certificate.delta <= 1e-6


def test_ridges_at_the_ends():
    assert fast.rp_ridge(1.0, 5, epsilon=1.0, delta=0.0) == np.inf
    assert 0 < fast.rp_ridge(1.0, 5, epsilon=1.0, delta=1.0) < 1e-15
    assert fast.rp_ridge_hockey_stick(1.0, [0.0, np.inf], 5, 1.0).tolist() == [1.0, 0.0]


@settings(max_examples=12)
@given(st.floats(1e-6, 100), st.floats(-30, -0.4), st.integers(1, 10**6), st.floats(1e-3, 1e3))
def test_a_certificate_never_exceeds_its_target(epsilon, log_delta, r, bound):
    delta = 10**log_delta
    certificate = mechanisms.random_projection(
        r, epsilon=epsilon, delta=delta, norm_bound=bound
    ).calibration.certificate
    assert delta * (1 - 1e-10) <= certificate.delta <= delta


@pytest.mark.parametrize("name", FAMILIES)
def test_no_calibration_of_a_hunt_is_unsafe(name):
    points, certified = (300, 100) if FAMILIES[name].block == 1000 else (12, 6)
    record = hunt(FAMILIES[name], points, certified=certified, seed=4)
    assert (record.unsafe, record.undecided, record.certified) == (0, 0, certified)
    assert 0 < record.least_waste <= record.largest_waste <= FAMILIES[name].sharpness


def test_a_hunt_finds_what_is_planted():
    family = FAMILIES["random projection"]

    def careless(columns):
        noise = family.calibrate(columns)
        noise[[3, 7]] *= [0.999999, np.inf]
        return noise

    record = hunt(Family("careless", family.draw, careless, family.achieved, family.certify), 200, certified=50, seed=5)
    assert record.unsafe == 2 and record.worst["noise"] < np.inf


def test_the_sampled_calibration():
    mechanism = mechanisms.subsampled_random_projection(0.1, 10, epsilon=1.0, delta=1e-6, norm_bound=1.0)
    inner = float(fast.sampled_epsilon(epsilon=1.0, rate=0.1))
    assert inner == pytest.approx(np.log(1 + np.expm1(1.0) / 0.1), rel=1e-14)
    assert mechanism.ridge == pytest.approx(float(fast.rp_ridge(1.0, 10, epsilon=inner, delta=1e-5)), rel=1e-12)
    assert 1e-6 * (1 - 1e-10) <= mechanism.calibration.certificate.delta <= 1e-6
    assert fast.sampled_epsilon(epsilon=[1e-9, 1.0, 700.0], rate=0.5) == pytest.approx(
        [2e-9, np.log(2 * np.e - 1), 700 + np.log(2)], rel=1e-14
    )
    assert mechanisms.subsampled_random_projection(
        1.0, 10, epsilon=1.0, delta=1e-6, norm_bound=1.0
    ).ridge == pytest.approx(mechanisms.random_projection(10, epsilon=1.0, delta=1e-6, norm_bound=1.0).ridge)


def test_no_ridge_where_the_sample_alone_is_enough():
    mechanism = mechanisms.subsampled_random_projection(1e-4, 10, epsilon=0.1, delta=1e-3, norm_bound=1.0)
    assert mechanism.ridge == 0 and mechanism.calibration.certificate.delta == 1e-4
    assert not mechanism.release(DATA[:0], np.random.default_rng(1)).any()


def test_a_planned_split_fits_and_pays_from_its_break_even_on():
    split = mechanisms.planned_split(10, epsilon=1.0, delta=1e-6, norm_bound=1.0)
    tested = mechanisms.propose_test_release(
        10,
        epsilon=1.0,
        delta=1e-6,
        norm_bound=1.0,
        std=split.std,
        delta_test=split.delta_test,
        delta_failure=split.delta_failure,
    )
    untested = mechanisms.random_projection(10, epsilon=1.0, delta=1e-6, norm_bound=1.0)
    assert tested.calibration.certificate.delta <= 1e-6
    assert tested.ridge_at(split.zero_ridge * (1 + 1e-6)) == 0 < tested.ridge_at(split.zero_ridge * (1 - 1e-6))
    assert tested.ridge_at(split.break_even) == pytest.approx(untested.ridge, rel=1e-6)
    printed = mechanisms.propose_test_release(
        10,
        epsilon=1.0,
        delta=1e-6,
        norm_bound=1.0,
        std=split.std,
        delta_test=split.delta_test,
        delta_failure=split.delta_failure,
        ridge="N26-Fig4",
    )
    assert printed.ridge_at(0.0) == pytest.approx(tested.ridge_at(0.0) + 1.0)
    for std, share in (
        (split.std * 1.5, 1.0),
        (split.std / 1.3, 1.0),
        (split.std, 2.0),
    ):  # neighbours of the plan are no better
        other = mechanisms.propose_test_release(
            10,
            epsilon=1.0,
            delta=1e-6,
            norm_bound=1.0,
            std=std,
            delta_test=split.delta_test * share,
            delta_failure=split.delta_failure / share,
        )
        total = other.calibration.noise["full_ridge"] + std * other.calibration.noise["quantile"]
        assert total > 0.99 * split.zero_ridge


def test_a_split_that_cannot_fit_is_refused_with_the_least_std():
    with pytest.raises(InputError, match="more than epsilon = 1; it fits from std = 4.67866 on"):
        mechanisms.propose_test_release(
            10, epsilon=1.0, delta=1e-6, norm_bound=1.0, std=2.0, delta_test=1e-7, delta_failure=1e-7
        )
    assert (
        mechanisms.propose_test_release(
            10, epsilon=1.0, delta=1e-6, norm_bound=1.0, std=4.67867, delta_test=1e-7, delta_failure=1e-7
        ).calibration.noise["test_epsilon"]
        <= 1
    )


def test_the_tested_calibration_is_certified_piece_by_piece():
    rng = np.random.default_rng(16)
    for _ in range(10):
        r, epsilon, delta = int(10 ** rng.uniform(0, 5)), 10 ** rng.uniform(-4, 1.5), 10 ** rng.uniform(-20, -0.6)
        test, failure = delta * rng.uniform(0.05, 0.45, 2)
        std = float(fast.gaussian_std(1.0, epsilon=rng.uniform(0.1, 0.9) * epsilon, delta=test))
        calibration = mechanisms.propose_test_release(
            r, epsilon=epsilon, delta=delta, norm_bound=1.0, std=std, delta_test=test, delta_failure=failure
        ).calibration
        spent, left = (calibration.certificate.worst_case[name] for name in ("test_epsilon", "release_epsilon"))
        assert Fraction(spent) + Fraction(left) <= Fraction(epsilon)
        tested = oracle.certified_gaussian_hockey_stick(1, std, spent, digits=20).upper
        leverage = 1 / Fraction(calibration.noise["full_ridge"])  # beside an eigenvalue that is exactly its lower bound
        released = oracle.certified_rp_hockey_stick(leverage, r, left, "delete", digits=20).upper
        assert tested <= Fraction(test) and tested + released + Fraction(failure) <= Fraction(delta)
        missed = stats.norm.sf(calibration.noise["quantile"])
        assert failure * (1 - 1e-9) < missed < failure * (1 + 1e-13)


# The sampler: 13 goodness-of-fit tests, each at level 1e-6/13, so that a false alarm anywhere has probability 1e-6 at
# most.

TESTS, BUDGET = 13, 1e-6


def fits(sample, cdf):
    return stats.kstest(np.ravel(sample), cdf).pvalue > BUDGET / TESTS


def whitened(matrix, law):
    return np.linalg.solve(np.linalg.cholesky(law.cov), matrix - law.mean[:, None])


def columns_and_sums(draw, law, rng, runs=150):
    """Whitened entries over many releases, and whitened sums over the columns of each."""
    white = np.stack([whitened(draw(rng).reshape(len(law.mean), -1), law) for _ in range(runs)])
    return white, white.sum(axis=2) / np.sqrt(white.shape[2])


@pytest.mark.parametrize("name", ["projection", "linear combination", "relative"])
def test_releases_follow_the_stated_law(name):
    mechanism = CALIBRATED[name]()
    law = mechanism.output_law(DATA)
    entries, sums = columns_and_sums(lambda rng: mechanism.release(DATA, rng), law, np.random.default_rng(11))
    assert fits(entries, "norm") and fits(sums, "norm")  # 6 tests
    assert fits((entries**2).sum(axis=1), stats.chi2(len(law.mean)).cdf)  # 3 tests


def test_a_forgotten_ridge_would_be_seen():
    mechanism = CALIBRATED["projection"]()
    law = mechanisms.OutputLaw(np.zeros(3), mechanism.output_law(DATA).cov - 0.9 * mechanism.ridge * np.eye(3), 4)
    entries, _ = columns_and_sums(lambda rng: mechanism.release(DATA, rng), law, np.random.default_rng(11))
    assert not fits(entries, "norm")


def test_the_sample_is_drawn_and_mixed():
    mechanism, rng = CALIBRATED["sampled"](), np.random.default_rng(12)
    record = np.array([[1.0]])
    draws = np.concatenate([mechanism.release(record, rng)[0] for _ in range(2000)])
    spreads = [np.sqrt(float(mechanism.output_law(record, np.array([kept])).cov[0, 0])) for kept in (True, False)]
    first = draws.reshape(-1, 4)[:, 0]  # the four columns share one sample
    assert fits(first, lambda x: 0.4 * stats.norm.cdf(x / spreads[0]) + 0.6 * stats.norm.cdf(x / spreads[1]))
    law = lambda t: 0.4 * stats.chi2(4).cdf(t / spreads[0] ** 2) + 0.6 * stats.chi2(4).cdf(t / spreads[1] ** 2)
    assert fits((draws.reshape(-1, 4) ** 2).sum(axis=1), law)


def test_the_reading_and_the_matrix_after_it():
    mechanism, rng = CALIBRATED["tested"](), np.random.default_rng(13)
    data = np.repeat(np.eye(2), 30, axis=0)
    runs = [mechanism.release(data, rng) for _ in range(600)]
    readings = np.array([run.noised_eigenvalue for run in runs])
    assert fits((readings - 30.0) / 4.0, "norm")
    assert fits(
        np.stack([whitened(run.matrix, mechanism.output_law(data, run.noised_eigenvalue)) for run in runs]), "norm"
    )
    assert (
        all(run.ridge == mechanism.ridge_at(run.noised_eigenvalue) for run in runs)
        and len({run.ridge for run in runs}) > 100
    )
    # six standard deviations
    assert abs(stats.spearmanr(readings, [run.matrix[0, 0] for run in runs]).statistic) < 0.25


@pytest.mark.parametrize("name", CALIBRATED)
def test_a_seed_makes_a_release_repeatable(name):
    mechanism = CALIBRATED[name]()
    first, again, other = (mechanism.release(DATA, np.random.default_rng(seed)) for seed in (5, 5, 6))
    matrices = [getattr(run, "matrix", run) for run in (first, again, other)]
    assert (matrices[0] == matrices[1]).all() and (matrices[0] != matrices[2]).all()
    assert json.loads(json.dumps(mechanism.calibration.as_dict()))["certificate"]["delta"] <= 1e-3


# Worst neighbours


@pytest.mark.parametrize("name", adversarial())
def test_no_single_record_change_costs_more_than_the_certificate(name):
    mechanism = mechanisms.random_projection(3, epsilon=1.0, delta=1e-5, norm_bound=1.0)
    worst = worst_neighbour(mechanism.output_law, adversarial()[name], 1.0).delta
    assert worst <= mechanism.calibration.certificate.delta * (1 + 1e-8)
    if name == "one record":
        assert worst == pytest.approx(1e-5, rel=1e-8)


def test_the_worst_neighbour_of_the_set_meets_the_relative_target():
    databases = mechanisms.neighbourhood(DATA, 1.0)
    noised = mechanisms.relative_random_projection(databases, 4, epsilon=1.0, delta=1e-3)
    plain = mechanisms.relative_random_projection(
        databases, 4, epsilon=20.0, delta=1.001 * mechanisms.inherent_delta(databases, 4, 20.0)
    )
    printed = mechanisms.relative_random_projection(databases, 4, epsilon=1.0, delta=1e-3, ridge="N24-Fig12")
    assert plain.ridge == 0 < noised.ridge < printed.ridge
    assert (
        printed.ridge
        == mechanisms.random_projection(4, epsilon=1.0, delta=1e-3, norm_bound=1.0, ridge="N24-Fig3").ridge
    )
    for mechanism, epsilon in ((noised, 1.0), (plain, 20.0)):
        worst = worst_neighbour(mechanism.output_law, DATA, epsilon).delta
        assert worst == pytest.approx(mechanism.calibration.certificate.delta, rel=1e-6)
        assert worst <= mechanism.calibration.target.delta
    assert mechanisms.inherent_delta(databases, 4, 20.0) == plain.calibration.certificate.delta


# Sets of databases


@settings(max_examples=25)
@given(st.integers(0, 10**6), st.integers(1, 3), st.integers(0, 6), st.sampled_from([0.0, 0.25]))
def test_the_leverage_of_a_neighbourhood_is_the_definition(seed, d, spare, ridge):
    rng = np.random.default_rng(seed)
    data, additions = rng.integers(-4, 5, (d + spare, d)) / 4.0, rng.integers(-4, 5, (2, d)) / 4.0
    rows = [np.delete(data, i, axis=0) for i in range(len(data))]
    whole = [
        np.vstack([rows, np.sqrt(ridge) * np.eye(d)])
        for rows in (data, *rows, *(np.vstack([data, u]) for u in additions))
    ]
    found = neighbourhood_leverage(data, additions, ridge)
    if np.linalg.matrix_rank(whole[0]) < d:
        assert found == 1
    elif all(np.linalg.matrix_rank(member) == d for member in whole):
        exact = float(leverage_of_set(whole).mid)
        assert exact <= found <= exact + 1e-11
        if ridge == 0 and len(data) > d:
            assert neighbourhood_leverage(data) == pytest.approx(leverage_scores(data).max(), abs=1e-11)


def test_the_ball_comes_in_where_any_record_may():
    data = np.repeat(DATA, 4, axis=0)
    databases = mechanisms.neighbourhood(data, 1.0, "ball")
    smallest = np.linalg.eigvalsh(data.T @ data)[0]
    assert databases.leverage(0.5) == pytest.approx(1 / (smallest + 1.5), rel=1e-12)
    mechanism = mechanisms.relative_random_projection(databases, 4, epsilon=1.0, delta=1e-3)
    assert mechanism.ridge == pytest.approx(
        mechanisms.random_projection(4, epsilon=1.0, delta=1e-3, norm_bound=1.0).ridge - smallest, rel=1e-9
    )


@pytest.mark.parametrize("name", ["breast_cancer", "diabetes"])
def test_the_least_ridge_of_real_records_is_certified(name):
    data, bound = dict(zip(("breast_cancer", "diabetes"), real()))[name]
    mechanism = mechanisms.relative_random_projection(
        mechanisms.neighbourhood(data, bound), 10, epsilon=1.0, delta=1e-5
    )
    allowed = oracle.certified_rp_leverage(10, epsilon=1, delta="1e-5", digits=20)
    beside = leverage_scores(np.vstack([data, np.sqrt(mechanism.ridge) * np.eye(data.shape[1])]))[: len(data)]
    rows = np.argsort(beside)[-3:]
    largest = max(exact_leverage_scores(data, rows, digits=20, ridge=mechanism.ridge), key=lambda score: score.mid)
    assert largest.upper <= allowed.lower <= largest.lower * (1 + Fraction(1, 10**7))


def test_membership_in_a_set():
    databases = mechanisms.neighbourhood(DATA, 1.0)
    inside = [DATA, DATA[::-1], DATA[1:], np.vstack([DATA[2], DATA])]
    outside = [
        DATA[2:],
        np.vstack([DATA, [0.5, 0, 0]]),
        np.vstack([DATA, DATA[:2]]),
        DATA[:, :2],
        np.vstack([DATA[1:], DATA[1]]),
    ]
    assert all(map(databases.contains, inside)) and not any(map(databases.contains, outside))
    assert mechanisms.neighbourhood(DATA, 1.0, "ball").contains(outside[1])


def test_a_database_short_of_rank_has_no_privacy_of_its_own():
    flat = np.array([[1.0, 0.0]] * 4)
    databases = mechanisms.neighbourhood(flat, 1.0)
    assert databases.leverage() == 1 and mechanisms.inherent_delta(databases, 3, 1.0) == 1
    assert mechanisms.relative_random_projection(databases, 3, epsilon=1.0, delta=1e-4).ridge > 0
    empty = mechanisms.neighbourhood(np.zeros((0, 2)), 1.0, "ball")
    assert mechanisms.relative_random_projection(empty, 3, epsilon=1.0, delta=1e-4).ridge == pytest.approx(
        mechanisms.random_projection(3, epsilon=1.0, delta=1e-4, norm_bound=1.0).ridge, rel=1e-9
    )


# Estimates


def test_the_gram_estimate_is_unbiased_and_within_its_bound():
    mechanism, rng = (
        mechanisms.random_projection(400, epsilon=1.0, delta=1e-3, norm_bound=1.0),
        np.random.default_rng(14),
    )
    gram, runs = (
        DATA.T @ DATA,
        [mechanisms.gram_estimate(mechanism.release(DATA, rng), mechanism.ridge) for _ in range(200)],
    )
    bound = mechanisms.gram_error(3, 400, 10.0, np.linalg.norm(DATA, 2) ** 2, mechanism.ridge)
    errors = [np.linalg.norm(run - gram, 2) for run in runs]
    assert (
        max(errors)
        < bound
        < 2 * np.sqrt(3) * (np.sqrt(13 / 400) + 13 / 400) * (np.linalg.norm(DATA, 2) ** 2 + mechanism.ridge)
    )
    spread = (mechanism.ridge + 2) * np.sqrt(2 / 400 / len(runs))
    assert np.abs(np.mean(runs, axis=0) - gram).max() < 6 * spread < np.median(errors)


def test_projected_least_squares():
    rng = np.random.default_rng(15)
    features, truth = rng.standard_normal((4000, 3)) / 4, np.array([0.5, -0.25, 0.125])
    data = mechanisms.clip_norms(np.column_stack([features, features @ truth]), 1.0)
    mechanism = mechanisms.random_projection(2000, epsilon=2.0, delta=1e-5, norm_bound=1.0)
    matrix = mechanism.release(data, rng)
    shrunk, freed = (mechanisms.projected_least_squares(matrix, take_off) for take_off in (0.0, mechanism.ridge))
    expected = np.linalg.solve(data[:, :3].T @ data[:, :3] + mechanism.ridge * np.eye(3), data[:, :3].T @ data[:, 3])
    assert np.linalg.norm(freed - truth) < np.linalg.norm(shrunk - truth)
    assert np.linalg.norm(shrunk - expected) < 0.05 < 0.5 * np.linalg.norm(shrunk - truth)
    exact = np.vstack([np.eye(3), truth])[:, :, None] * np.ones(2)
    assert mechanisms.projected_least_squares(exact.reshape(4, -1)) == pytest.approx(truth)


# Refusals

RP, SUB, PTR = mechanisms.random_projection, mechanisms.subsampled_random_projection, mechanisms.propose_test_release


@pytest.mark.parametrize(
    "call, argument",
    [
        (lambda: RP(0, epsilon=1.0, delta=0.1, norm_bound=1.0), "r"),
        (lambda: RP(2.5, epsilon=1.0, delta=0.1, norm_bound=1.0), "r"),
        (lambda: RP(2, epsilon=-1.0, delta=0.1, norm_bound=1.0), "epsilon"),
        (lambda: RP(2, epsilon=1.0, delta=0.0, norm_bound=1.0), "delta"),
        (lambda: RP(2, epsilon=1.0, delta=1.0, norm_bound=1.0), "delta"),
        (lambda: RP(2, epsilon=1.0, delta=0.1, norm_bound=0.0), "norm_bound"),
        (lambda: RP(2, epsilon=1.0, delta=0.1, norm_bound=1e200), "norm_bound"),
        (lambda: RP(2, epsilon=1.0, delta=0.1, norm_bound=1.0, ridge="sheet"), "ridge"),
        (lambda: RP(2, epsilon=1.0, delta=0.1, norm_bound=1.0).release(2 * DATA, np.random.default_rng(1)), "data"),
        (lambda: RP(2, epsilon=1.0, delta=0.1, norm_bound=1.0).release(DATA, np.random.RandomState(1)), "rng"),
        (lambda: RP(2, epsilon=1.0, delta=0.1, norm_bound=1.0).release(DATA[0], np.random.default_rng(1)), "data"),
        (
            lambda: RP(2, epsilon=1.0, delta=0.1, norm_bound=1.0).release(DATA * np.nan, np.random.default_rng(1)),
            "data",
        ),
        (lambda: SUB(0.0, 2, epsilon=1.0, delta=0.1, norm_bound=1.0), "rate"),
        (lambda: SUB(1.5, 2, epsilon=1.0, delta=0.1, norm_bound=1.0), "rate"),
        (lambda: SUB(0.5, 2, epsilon=1.0, delta=0.1, norm_bound=1.0).output_law(DATA, [1, 0, 1, 0, 1]), "kept"),
        (
            lambda: PTR(2, epsilon=1.0, delta=1e-3, norm_bound=1.0, std=4.0, delta_test=5e-4, delta_failure=5e-4),
            "delta_test",
        ),
        (
            lambda: PTR(2, epsilon=1.0, delta=1e-3, norm_bound=1.0, std=4.0, delta_test=0.0, delta_failure=5e-4),
            "delta_test",
        ),
        (lambda: PTR(2, epsilon=1.0, delta=1e-3, norm_bound=1.0, std=-1.0, delta_test=1e-4, delta_failure=1e-4), "std"),
        (
            lambda: PTR(
                2,
                epsilon=1.0,
                delta=1e-3,
                norm_bound=1.0,
                std=4.0,
                delta_test=1e-4,
                delta_failure=1e-4,
                ridge="N26-Fig1",
            ),
            "ridge",
        ),
        (lambda: mechanisms.planned_split(2, epsilon=0.0, delta=1e-3, norm_bound=1.0), "epsilon"),
        (lambda: mechanisms.neighbourhood(DATA, 0.5), "data"),
        (lambda: mechanisms.neighbourhood(DATA, 1.0, "universe"), "additions"),
        (lambda: mechanisms.neighbourhood(DATA, 1.0, DATA[:, :2]), "additions"),
        (lambda: CALIBRATED["relative"]().release(DATA[2:], np.random.default_rng(1)), "data"),
        (
            lambda: mechanisms.relative_random_projection(
                mechanisms.neighbourhood(DATA, 1.0), 2, epsilon=1.0, delta=0.1, ridge="N26-Fig1"
            ),
            "ridge",
        ),
        (lambda: mechanisms.gram_estimate(DATA[0], 1.0), "matrix"),
        (lambda: mechanisms.gram_estimate(DATA, -1.0), "ridge"),
        (lambda: mechanisms.projected_least_squares(DATA[:1]), "matrix"),
        (lambda: fast.rp_ridge(-1.0, 2, epsilon=1.0, delta=0.1), "norm_bound"),
        (lambda: fast.rp_ridge_hockey_stick(1.0, -1.0, 2, 1.0), "ridge"),
        (lambda: oracle.rp_ridge(0, 2, epsilon=1, delta="0.1"), "norm_bound"),
        (lambda: neighbourhood_leverage(DATA, DATA[:, :1]), "additions"),
    ],
)
def test_errors_name_the_argument(call, argument):
    with pytest.raises(InputError) as caught:
        call()
    assert caught.value.argument == argument


def test_clipped_records_stay_within_the_bound_in_every_layout():
    rng = np.random.default_rng(0)
    for d in (1, 3, 7, 17, 30, 59):
        clipped = clip_norms(rng.normal(size=(60, d)) * 10, 1.5)
        labelled = np.column_stack([clipped, np.ones(60)])
        for view in (labelled[:, :-1], np.asfortranarray(labelled)[:, :-1], np.delete(labelled, 3, axis=0)[5:, :-1]):
            assert database(view, 1.5).shape[1] == d
