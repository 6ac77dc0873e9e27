"""Calibrated Gaussian outputs: known noise levels, the released law, real and adversarial neighbours, errors."""

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from ndis_verify import oracle
from ndis_verify.datasets import load_dataset
from ndis_verify.exact_number import InputError
from ndis_verify.fast.covariance_shift import covariance_envelope
from ndis_verify.fast.engine.cell_search import largest
from ndis_verify.fast.joint_shift import Declared, Prediction, RankOne, added_variance, log_joint_delta
from ndis_verify.fast.mean_shift import gaussian_hockey_stick, gaussian_std
from ndis_verify.hunts.gaussian_output import FAMILIES
from ndis_verify.hunts.hunt import hunt
from ndis_verify.mechanisms import (
    UnsafeRelease,
    calibrated_gaussian,
    clip_norms,
    gaussian_output,
    gaussian_process,
    law_delta,
    linear_kernel,
    logistic_regression,
    squared_exponential,
    worst_neighbour,
)
from ndis_verify.mechanisms.gaussian_process import printed_sensitivity
from ndis_verify.mechanisms.logistic_regression import logistic_envelope
from ndis_verify.oracle import joint_shift as certified

FALSE_ALARM = 1e-7  # of each goodness-of-fit test; ten tests at fixed seeds: 1e-6 in all
KERNEL = squared_exponential(1.0)


def cancer(sensitivity="joint", bound="joint", epsilon=1, delta=1e-5):
    return logistic_regression(
        30, penalty=3, norm_bound=1.5, epsilon=epsilon, delta=delta, sensitivity=sensitivity, bound=bound, records=455
    )


def linnerud(sensitivity="joint", bound="joint", noise=250, epsilon=1, delta=1e-5):
    return gaussian_process(
        KERNEL,
        [0, 0, 0],
        noise_variance=noise,
        label_bound=0.5,
        norm_bound=1,
        records=16,
        epsilon=epsilon,
        delta=delta,
        sensitivity=sensitivity,
        bound=bound,
    )


# Noise levels


@pytest.mark.parametrize(
    "mechanism, sensitivity, bound, variance",
    [
        (cancer, "printed", "chernoff", 16.9984),
        (cancer, "printed", "corrected", 14.1343),
        (cancer, "printed", "exact", 12.9567),
        (cancer, "improved", "exact", 4.1685),
        (cancer, "improved", "joint", 4.1106),
        (cancer, "joint", "joint", 3.8749),
        (linnerud, "printed", "chernoff", 15.2059),
        (linnerud, "printed", "exact", 8.6476),
        (linnerud, "printed", "joint", 8.0363),
        (linnerud, "joint", "joint", 0.0),
    ],
)
def test_known_noise_levels(mechanism, sensitivity, bound, variance):
    found = mechanism(sensitivity, bound)
    assert found.added_variance == pytest.approx(variance, rel=6e-5, abs=1e-12)
    assert found.calibration.certificate.delta <= found.calibration.target.delta and not found.calibration.unsafe


def test_the_mean_step_first_alone_needs_a_little_more():
    sensitivities = printed_sensitivity(1.0, 0.5, 250.0, 16)

    def mean_first(v):
        shift, rho, nu, d = sensitivities(v)
        first = np.linspace(0, 1, 20_001)
        return (
            gaussian_hockey_stick(shift, 1.0, first)
            + np.exp(first) * covariance_envelope(rho, nu, d, 1 - first, "chernoff")
        ).min()

    assert mean_first(15.2276) <= 1e-5 < mean_first(15.2275)


def test_the_oracle_brackets_the_least_noise():
    v = Fraction(cancer().added_variance)
    kept = 1 / (3 + Fraction(9, 16))
    envelope = certified.RankOne(kept, Fraction(9, 48) * kept, Fraction(1, 2))
    corner = oracle.certified_hockey_stick(envelope.pair(v, (Fraction(0),)), 1, digits=8)
    assert 1 - Fraction(1, 10**4) < corner.lower * 10**5 and corner.upper <= Fraction(1, 10**5)
    worst = certified.largest(envelope, v, 1, 3)
    assert worst.lower <= corner.upper and worst.upper <= Fraction(1, 10**5) * (1 + Fraction(1, 10**3))


def test_the_oracle_calibrates_without_a_covariance_step():
    envelope = certified.RankOne(0, 0, 1)
    variance = certified.added_variance(envelope, epsilon=1, delta="0.01", digits=3)
    assert variance.contains(float(gaussian_std(1.0, epsilon=1.0, delta=0.01)) ** 2)


def test_the_oracle_calibrates_a_lone_prediction():
    variance = certified.added_variance(
        certified.Prediction(1, Fraction(1, 2), 1, 1), epsilon=1, delta="1e-5", digits=3
    )
    assert variance.contains(added_variance(Prediction(1, 0.5, 1, 1), epsilon=1, delta=1e-5)[0])


def test_certified_and_float64_envelopes_agree():
    for v, noise in ((0.0, 250), (8.17, 1)):
        fast = Prediction(1, 0.5, noise, 16).largest(v, 1.0)
        value = certified.largest(certified.Prediction(1, Fraction(1, 2), noise, 16), v, 1, 2)
        assert value.lower <= math.exp(fast.upper) and math.exp(fast.attained) <= value.upper


def test_less_noise_is_too_little():
    for envelope, epsilon, delta in (
        (logistic_envelope(3.0, 1.5), 1.0, 1e-5),
        (Prediction(1, 0.5, 1, 16), 1.0, 1e-5),
        (logistic_envelope(0.1, 4), 0.1, 1e-9),
    ):
        v, found = added_variance(envelope, epsilon=epsilon, delta=delta)
        assert found.attained <= found.upper <= math.log(delta)
        assert envelope.largest(0.99 * v, epsilon).attained > math.log(delta)


def test_other_caps_and_labels():
    assert (
        added_variance(Prediction(1, 0.5, 1, 16), epsilon=1, delta=1e-5)[0]
        < added_variance(Prediction(1, 0.5, 1, 17), epsilon=1, delta=1e-5)[0]
    )
    assert (
        added_variance(Prediction(1, 0.5, 1, 1), epsilon=1, delta=1e-5)[0]
        < added_variance(Prediction(1, 0.6, 1, 1), epsilon=1, delta=1e-5)[0]
    )


@pytest.mark.parametrize("name", sorted(FAMILIES))
def test_random_targets_are_met(name):
    record = hunt(FAMILIES[name], 3, seed=5)
    assert record.unsafe == 0 and record.undecided == 0 and record.least_waste > -1e-12


def test_the_search_brackets_a_maximum():
    value = lambda x: -((x - 0.3) ** 2)
    look = lambda points, low, high: np.concatenate([value(points), value((low + high) / 2) + (high - low)])
    found = largest(look, 1e-3, 3000)
    assert found.attained <= 0 <= found.upper < 2e-3 and found.point == pytest.approx((0.3,), abs=0.02)
    assert largest(look, 1e-9, 100).upper > 1e-3  # too few cells: a loose bound, and none that is false


INNER = [
    (1.0, 1.0, 1e-3, 5, 3.0, 1e-3),
    (1.0, 1.0, 0.01, 5, 3.0, 1e-3),
    (1.0, 0.1, 1e-3, 20, 1.0, 1e-5),
    (1.0, 0.5, 1.0, 16, 1.0, 1e-5),
    (2.0, 1.0, 0.5, 1, 0.5, 1e-9),
]


@pytest.mark.parametrize("case", INNER, ids=str)
def test_a_prediction_has_no_more_noise_than_the_oracle_asks_for(case):
    *scales, epsilon, delta = case
    length, labels, noise, records = scales
    v, found = added_variance(Prediction(*scales), epsilon=epsilon, delta=delta)
    exactly = certified.Prediction(Fraction(length), Fraction(labels), Fraction(noise), records)
    least = certified.added_variance(exactly, epsilon=Fraction(epsilon), delta=Fraction(delta), digits=6)
    assert least.lower <= Fraction(v) <= least.upper * (1 + Fraction(1, 20_000))
    assert math.log(delta) - 2e-4 < found.attained <= found.upper <= math.log(delta)


def neighbours_above(envelope, v, epsilon, rng):
    """How many of 3000 pairs (z, x) have a log delta above the bound, from the formula of the pairs alone."""
    ratio, others = envelope.length**2 / envelope.noise_variance, envelope.records - 1
    z = rng.uniform(0, 1, 3000) ** rng.choice([0.5, 1, 3], 3000) * others * ratio / (1 + others * ratio)
    x = np.expm1(rng.uniform(0, 1, 3000) * np.log1p((1 - z) * ratio))
    own, share = envelope.length**2 * (1 - z), x / (1 + x)
    pull = envelope.labels * (1 + np.sqrt(others * z * x)) / np.sqrt(envelope.noise_variance * (1 + x))
    small = v + own * (1 - share)
    values = log_joint_delta(own * share / small, own * share * pull**2 / small, 0.0, epsilon)
    found = envelope.largest(v, epsilon)
    assert found.upper < values.max() + 0.5 or v == 0
    return int((values > found.upper + 1e-9).sum())


def test_no_pair_of_a_prediction_is_above_the_frontier(monkeypatch):
    rng = np.random.default_rng(11)
    draw = lambda low, high: math.exp(rng.uniform(math.log(low), math.log(high)))
    cases = [
        (Prediction(draw(0.1, 10), draw(0.1, 10), draw(1e-3, 100), int(draw(1, 300))), draw(0.01, 3)) for _ in range(12)
    ]
    levels = [envelope.scale() * draw(0.01, 10) * (k % 4 > 0) for k, (envelope, _) in enumerate(cases)]
    assert not any(neighbours_above(envelope, v, epsilon, rng) for (envelope, epsilon), v in zip(cases, levels))
    whole = Prediction._pull
    monkeypatch.setattr(
        Prediction, "_pull", lambda self, added, low, high: [0.97 * part for part in whole(self, added, low, high)]
    )
    assert any(neighbours_above(envelope, v, epsilon, rng) for (envelope, epsilon), v in zip(cases, levels))


def test_equal_laws_cost_nothing_and_either_direction_is_covered():
    assert log_joint_delta(0.0, 0.0, 0.0, 1.0)[0] == -np.inf
    pair = log_joint_delta(0.5, 0.3, 0.2, 0.4)[0]
    law = certified.RankOne(0, Fraction(1, 2), 1).pair(Fraction(1), (Fraction(0),))
    exact = max(float(oracle.hockey_stick(order, Fraction("0.4"), 15).mid) for order in (law, law.swapped()))
    alone = log_joint_delta(0.5, 1.0, 0.0, 0.4)[0]
    assert alone == pytest.approx(math.log(exact), rel=1e-10) and pair < alone


# Certificates

BOUNDED = [
    (lambda: cancer(), 3),
    (lambda: linnerud(noise=1), 3),
    (lambda: cancer("improved", "joint"), 3),
    *((lambda bound=bound: cancer("printed", bound), 1.05) for bound in ("exact", "corrected", "chernoff")),
]


@pytest.mark.parametrize(
    "make, times", BOUNDED, ids=["surrogate", "prediction", "declared", "exact", "corrected", "chernoff"]
)
def test_too_little_noise_is_refused(make, times, monkeypatch):
    make()
    joint, split = gaussian_output.joint_variance, gaussian_output.split_variance
    monkeypatch.setattr(
        gaussian_output,
        "joint_variance",
        lambda law, **target: (joint(law, **target)[0] / times, joint(law, **target)[1]),
    )
    monkeypatch.setattr(gaussian_output, "split_variance", lambda law, **target: split(law, **target) / times)
    with pytest.raises(ValueError, match="above the target"):
        make()


def test_too_little_noise_of_the_printed_bound_shows_in_its_certificate(monkeypatch):
    before, split = cancer("printed", "printed").calibration.certificate.delta, gaussian_output.split_variance
    monkeypatch.setattr(gaussian_output, "split_variance", lambda law, **target: split(law, **target) / 3)
    less = cancer("printed", "printed")
    assert less.calibration.certificate.delta > 2 * before > 2e-5
    with pytest.raises(UnsafeRelease):
        less.release(np.zeros((1, 31)), np.random.default_rng(0))


@pytest.mark.parametrize("case", INNER[1:4], ids=str)
def test_a_certificate_has_the_digits_that_it_claims(case):
    length, labels, noise, records, epsilon, delta = case
    mechanism = gaussian_process(
        linear_kernel,
        [0.0],
        noise_variance=noise,
        label_bound=labels,
        norm_bound=length,
        records=records,
        epsilon=epsilon,
        delta=delta,
    )
    certificate = mechanism.calibration.certificate
    law = certified.Prediction(Fraction(length), Fraction(labels), Fraction(noise), records)
    pair = law.pair_at(Fraction(mechanism.added_variance), *(Fraction(x) for x in certificate.worst_case.values()))
    exact = max(oracle.certified_hockey_stick(way, Fraction(epsilon), digits=8).upper for way in (pair, pair.swapped()))
    apart = certificate.delta / float(exact) - 1
    assert 0 <= apart < 10.0**-certificate.digits < 100 * apart and 3 <= certificate.digits <= 9


# Releases


def test_releases_follow_their_law():
    rng = np.random.default_rng(17)
    features = clip_norms(rng.standard_normal((25, 2)), 1.0)
    mechanism = logistic_regression(2, penalty=0.5, norm_bound=1.0, epsilon=1, delta=1e-3)
    process = gaussian_process(
        linear_kernel,
        [0.5, 0.5],
        noise_variance=1.0,
        label_bound=1.0,
        norm_bound=1.0,
        records=30,
        epsilon=1,
        delta=1e-3,
    )
    pvalues = []
    for found, data in (
        (mechanism, np.column_stack([features, np.sign(features[:, 0])])),
        (process, np.column_stack([features, features[:, 1]])),
    ):
        law, draws = found.output_law(data), np.array([found.release(data, rng) for _ in range(800)])
        white = np.linalg.solve(np.linalg.cholesky(law.cov), (draws - law.mean).T)
        pvalues += [stats.kstest(row, "norm").pvalue for row in white]
        pvalues.append(stats.kstest((white**2).sum(axis=0), stats.chi2(len(law.mean)).cdf).pvalue)
        wrong = np.linalg.solve(np.linalg.cholesky(law.cov) * 1.3, (draws - law.mean).T)
        assert stats.kstest((wrong**2).sum(axis=0), stats.chi2(len(law.mean)).cdf).pvalue < FALSE_ALARM
    assert len(pvalues) <= 10 and min(pvalues) > FALSE_ALARM


def test_a_seed_repeats_a_release():
    mechanism = logistic_regression(2, penalty=1, norm_bound=1, epsilon=1, delta=1e-5)
    data = [[0.6, 0.8, 1], [0, 0.5, -1]]
    first, second = (mechanism.release(data, np.random.default_rng(3)) for _ in range(2))
    assert (first == second).all() and (first != mechanism.release(data, np.random.default_rng(4))).any()


def test_the_printed_bound_does_not_release():
    mechanism = cancer("printed", "printed")
    assert mechanism.added_variance == pytest.approx(9.611, rel=1e-3) and "refuted" in mechanism.calibration.unsafe
    assert mechanism.calibration.certificate.delta > 1e-5
    with pytest.raises(UnsafeRelease):
        mechanism.release(np.zeros((1, 31)), np.random.default_rng(0))


# Neighbours


def records(rows, labels):
    return np.column_stack([rows, labels])


def adversarial(length, width, top):
    rng = np.random.default_rng(5)
    unit = np.eye(width)[0] * length
    labels = lambda n: top * np.where(np.arange(n) % 2, 1.0, -1.0)
    cases = {
        "duplicates": np.tile(unit, (6, 1)),
        "zero rows": np.zeros((4, width)),
        "one record": unit[None],
        "orthogonal record": np.vstack([np.tile(np.eye(width)[1] * length, (5, 1)), unit]),
        "dominating record": np.vstack([1e-3 * rng.standard_normal((8, width)), unit]),
        "n = d": clip_norms(rng.standard_normal((width, width)), length),
        "many small": np.vstack([np.tile(unit * 1e-3, (40_000, 1)), unit]),
    }
    for name, rows in cases.items():
        y = (
            np.append(np.full(len(rows) - 1, -top), top)
            if name in ("duplicates", "many small", "dominating record")
            else labels(len(rows))
        )
        yield name, records(rows, y)


def worst_record(law, data, epsilon):
    """The worst delta over every record; in a long database over the last one alone, the one unlike the others."""
    if len(data) < 20:
        return worst_neighbour(law, data, epsilon).delta
    pair = (law(data), law(data[:-1]))
    return max(law_delta(*order, epsilon) for order in (pair, pair[::-1]))


def test_adversarial_neighbours_of_a_surrogate_stay_below_the_certificate():
    mechanism = logistic_regression(3, penalty=3, norm_bound=1.5, epsilon=1, delta=1e-5)
    found = {name: worst_record(mechanism.output_law, data, 1.0) for name, data in adversarial(1.5, 3, 1.0)}
    assert max(found.values()) <= mechanism.calibration.certificate.delta
    assert found["many small"] > 0.5 * mechanism.calibration.certificate.delta  # the envelope is approached


def test_adversarial_neighbours_of_a_prediction_stay_below_the_certificate():
    for noise in (1.0, 250.0):
        mechanism = gaussian_process(
            linear_kernel,
            [1, 0, 0],
            noise_variance=noise,
            label_bound=0.5,
            norm_bound=1,
            records=6000,
            epsilon=1,
            delta=1e-5,
        )
        for _, data in adversarial(1.0, 3, 0.5):
            assert worst_record(mechanism.output_law, data[-600:], 1.0) <= mechanism.calibration.certificate.delta


def test_breast_cancer_records_stay_below_the_certificate():
    data = load_dataset("breast_cancer")
    features = (data.records - data.records.mean(axis=0)) / data.records.std(axis=0)
    rows = records(clip_norms(features * 0.3, 1.5), 2 * data.target - 1)[:8]
    mechanism = cancer()
    assert worst_neighbour(mechanism.output_law, rows, 1.0).delta <= mechanism.calibration.certificate.delta


def test_linnerud_records_stay_below_the_certificate():
    bunch = pytest.importorskip("sklearn.datasets").load_linnerud()
    inputs = (bunch.data - bunch.data.mean(axis=0)) / bunch.data.std(axis=0)
    y = bunch.target[:, 0]
    data = records(inputs, (y - y.min()) / (y.max() - y.min()) - 0.5)[:16]
    for mechanism in (linnerud(), linnerud(noise=1), linnerud(epsilon=0.01)):
        worst = worst_neighbour(mechanism.output_law, data, mechanism.calibration.target.epsilon)
        assert worst.delta <= mechanism.calibration.certificate.delta


def test_no_records_at_all():
    mechanism = logistic_regression(2, penalty=2, norm_bound=1, epsilon=1, delta=1e-5)
    law = mechanism.output_law(np.zeros((0, 3)))
    assert (law.mean == 0).all() and law.cov == pytest.approx(np.eye(2) * (0.5 + mechanism.added_variance))
    assert linnerud().output_law(np.zeros((0, 4))).cov[0, 0] == 1


# Errors and declared sensitivities


def surrogate(**changed):
    return logistic_regression(2, **{"penalty": 1, "norm_bound": 1, "epsilon": 1, "delta": 0.1, **changed})


def line():
    return gaussian_process(
        linear_kernel, [3], noise_variance=1, label_bound=1, norm_bound=1, records=5, epsilon=1, delta=0.1
    )


@pytest.mark.parametrize(
    "make, argument",
    [
        (lambda: surrogate(penalty=-1), "penalty"),
        (lambda: surrogate(delta=0), "delta"),
        (lambda: surrogate(epsilon=-1), "epsilon"),
        (lambda: surrogate(sensitivity="printed"), "records"),
        (lambda: surrogate(sensitivity="other"), "sensitivity"),
        (lambda: cancer("joint", "exact"), "bound"),
        (lambda: cancer("printed", "joint"), "nu"),
        (lambda: linnerud(bound="none"), "bound"),
        (lambda: linnerud(noise=0), "noise_variance"),
        (lambda: surrogate().release([[1, 1, 1]], np.random.default_rng(0)), "data"),
        (lambda: surrogate().release([[0.5, 0.5, 0]], np.random.default_rng(0)), "data"),
        (lambda: surrogate(records=1).release([[0, 0, 1]] * 2, np.random.default_rng(0)), "data"),
        (lambda: surrogate().release([[0, 0, 1]], 7), "rng"),
        (lambda: linnerud().release([[0, 0, 0, 0.6]], np.random.default_rng(0)), "data"),
        (lambda: linnerud().release(np.zeros((17, 4)), np.random.default_rng(0)), "data"),
        (lambda: line().release([[0.5, 0]], np.random.default_rng(0)), "kernel"),
        (lambda: RankOne(1, -1, 1), "lost"),
        (lambda: Prediction(1, 1, 1, 0), "records"),
        (lambda: RankOne(1, 1, 1).largest(0, 1), "added"),
        (lambda: certified.RankOne(1, 1, 0), "shift"),
        (lambda: certified.added_variance(certified.RankOne(0, 0, 1), epsilon=1, delta=1), "delta"),
    ],
)
def test_bad_input_names_its_argument(make, argument):
    with pytest.raises(InputError) as error:
        make()
    assert str(error.value).startswith(argument)


def test_any_declared_output():
    mean = lambda data: (np.array([float(np.sum(data))]), np.zeros((1, 1)))
    mechanism = calibrated_gaussian(
        mean, lambda v: (1 / math.sqrt(v), 0.0, 0.0, 1), epsilon=1, delta=1e-5, public={"range": 1}
    )
    assert mechanism.added_variance == pytest.approx(float(gaussian_std(1.0, epsilon=1.0, delta=1e-5)) ** 2, rel=1e-4)
    assert mechanism.calibration.as_dict()["public"] == {"range": 1}
    assert mechanism.output_law([1, 0, 1]).cov[0, 0] == mechanism.added_variance
    with pytest.raises(InputError, match="nu"):
        Declared(lambda v: (1.0, 0.1, 0.3, 3)).largest(1.0, 1.0)
