"""Gaussian and Laplace mechanisms, denoisers, and the printed calibrations of other authors."""

import math

import numpy as np
import pytest
from scipy import integrate, stats

from ndis_verify import oracle
from ndis_verify.exact_number import InputError, exact
from ndis_verify.fast.denoising import james_stein_risk, positive_part_risk, soft_threshold_risk
from ndis_verify.mechanisms import (
    UnsafeRelease,
    baselines,
    denoise,
    gaussian_mechanism,
    james_stein,
    positive_part,
    soft_threshold,
    worst_neighbour,
)
from ndis_verify.mechanisms.baselines.mutual_information import information_level, signal_to_noise
from ndis_verify.mechanisms.denoising import DENOISERS, risk
from ndis_verify.oracle.certified import denoising as certified
from ndis_verify.oracle.certified import gaussian_calibration
from ndis_verify.oracle.certified import gaussian_mechanism as certified_gaussian

ADJACENCY = "one record added or removed"
STDS = {
    "analytic": gaussian_calibration.analytic_std,
    "classical": certified_gaussian.classical_std,
    "rho": gaussian_calibration.rho_std,
}
TARGETS = [(1e-6, 0.4), (1e-6, 1e-30), (0.5, 1e-5), (1.0, 0.28620821), (8.0, 0.04), (100.0, 0.4), (100.0, 1e-30)]


@pytest.mark.parametrize("rule", STDS)
@pytest.mark.parametrize(("epsilon", "delta"), TARGETS)
def test_std_is_the_certified_one_on_the_safe_side(rule, epsilon, delta):
    for sensitivity in (1e-9, 1.0, 3e7):
        mechanism = gaussian_mechanism(sensitivity, epsilon=epsilon, delta=delta, adjacency=ADJACENCY, rule=rule)
        reference = STDS[rule](sensitivity, epsilon=epsilon, delta=delta, digits=20)
        assert mechanism.std == pytest.approx(float(reference.mid), rel=1e-11)
        reached = oracle.certified_gaussian_hockey_stick(sensitivity, mechanism.std, epsilon, digits=16)
        certificate = mechanism.calibration.certificate.delta
        assert min(reached.upper, 1) <= exact(certificate) and certificate <= float(reached.upper) * (1 + 1e-11)
        assert bool(mechanism.calibration.unsafe) == (reached.lower > exact(delta))
        if rule == "rho":
            assert reached.upper <= exact(delta) / 2
        if rule == "analytic":
            assert reached.lower >= exact(delta) * (1 - exact("1e-11"))


@pytest.mark.parametrize(("epsilon", "delta"), TARGETS)
def test_one_percent_less_noise_breaks_the_analytic_target(epsilon, delta):
    std = gaussian_mechanism(1.0, epsilon=epsilon, delta=delta, adjacency=ADJACENCY).std
    assert oracle.certified_gaussian_hockey_stick(1, 0.99 * std, epsilon, digits=16).lower > exact(delta)


def test_classical_beyond_its_range_is_kept_for_comparison_only():
    mechanism = gaussian_mechanism(1.0, epsilon=10.0, delta=0.04, adjacency=ADJACENCY, rule="classical")
    assert mechanism.calibration.certificate.delta == pytest.approx(0.171, abs=5e-4)
    with pytest.raises(UnsafeRelease, match="above the target"):
        mechanism.release([0.0], np.random.default_rng(0))
    assert not gaussian_mechanism(
        1.0, epsilon=0.999, delta=0.9, adjacency=ADJACENCY, rule="classical"
    ).calibration.unsafe


@pytest.mark.parametrize("rule", ["analytic", "rho"])
def test_releases_follow_the_stated_law(rule):
    # Six Kolmogorov-Smirnov tests in this module at level 1e-7 each: together a false alarm has probability below 1e-6.
    mechanism = gaussian_mechanism(2.0, epsilon=0.7, delta=1e-6, adjacency=ADJACENCY, rule=rule)
    value = np.linspace(-5, 5, 20_000)
    for seed in (1, 2):
        noise = mechanism.release(value, np.random.default_rng(seed)) - value
        assert stats.kstest(noise / mechanism.std, stats.norm.cdf).pvalue > 1e-7
    law = mechanism.output_law([1.0, 2.0])
    assert law.cov == pytest.approx(mechanism.std**2 * np.eye(2)) and list(law.mean) == [1.0, 2.0]
    again = [mechanism.release(value, np.random.default_rng(3)) for _ in range(2)]
    assert np.array_equal(*again)


def test_laplace_releases_follow_the_stated_law():
    mechanism = baselines.laplace_mechanism(3.0, 0.1, adjacency=ADJACENCY)
    for seed in (1, 2):
        noise = mechanism.release(np.zeros(20_000), np.random.default_rng(seed))
        assert stats.kstest(noise, stats.laplace(scale=mechanism.scale).cdf).pvalue > 1e-7
    assert exact(3.0) / exact(mechanism.scale) <= exact(0.1)
    assert mechanism.scale == pytest.approx(30.0, rel=1e-15)


DATABASES = {
    "ordinary": np.random.default_rng(5).uniform(-0.5, 0.5, (6, 3)),
    "norm at the bound": np.eye(3),
    "duplicates": np.full((4, 3), 3**-0.5),
    "one dominating": np.vstack([[1.0, 0.0, 0.0], np.full((3, 3), 1e-9)]),
    "zero rows": np.zeros((2, 3)),
}


@pytest.mark.parametrize("name", DATABASES)
def test_worst_neighbour_stays_below_the_certificate(name):
    """A sum of records of norm at most 1: sensitivity 1, attained by a record at the bound."""
    mechanism = gaussian_mechanism(
        1.0, epsilon=0.5, delta=1e-5, adjacency=ADJACENCY, query=lambda data: data.sum(axis=0)
    )
    data = DATABASES[name]
    worst = worst_neighbour(mechanism.output_law, data, 0.5).delta
    assert worst <= mechanism.calibration.certificate.delta * (1 + 1e-9)
    if np.linalg.norm(data, axis=1).max() > 1 - 1e-12:
        assert worst == pytest.approx(1e-5, rel=1e-9)
        short = gaussian_mechanism(
            0.99, epsilon=0.5, delta=1e-5, adjacency=ADJACENCY, query=lambda data: data.sum(axis=0)
        )
        assert worst_neighbour(short.output_law, data, 0.5).delta > 1e-5


@pytest.mark.parametrize(
    ("arguments", "argument"),
    [
        ({"sensitivity": 0.0}, "sensitivity"),
        ({"sensitivity": math.nan}, "sensitivity"),
        ({"sensitivity": 1e300}, "sensitivity"),
        ({"epsilon": -1.0}, "epsilon"),
        ({"delta": 0.0}, "delta"),
        ({"delta": 1.0}, "delta"),
        ({"rule": "best"}, "rule"),
        ({"adjacency": " "}, "adjacency"),
        ({"epsilon": 0.0, "rule": "rho"}, "epsilon"),
        ({"epsilon": 0.0, "rule": "classical"}, "epsilon"),
    ],
)
def test_bad_targets_are_named(arguments, argument):
    with pytest.raises(InputError, match=argument):
        gaussian_mechanism(**{"sensitivity": 1.0, "epsilon": 1.0, "delta": 1e-5, "adjacency": ADJACENCY, **arguments})


def test_bad_releases_are_named():
    mechanism = gaussian_mechanism(1.0, epsilon=1.0, delta=1e-5, adjacency=ADJACENCY)
    for data, rng, argument in (
        ([math.inf], np.random.default_rng(0), "data"),
        ([], np.random.default_rng(0), "data"),
        ([1.0], 7, "rng"),
    ):
        with pytest.raises(InputError, match=argument):
            mechanism.release(data, rng)
    assert gaussian_mechanism(1.0, epsilon=0.0, delta=0.1, adjacency=ADJACENCY).std == pytest.approx(
        1 / (2 * stats.norm.ppf(0.55)), rel=1e-9
    )


def test_denoisers_at_points_worked_by_hand():
    y = np.array([[3.0, 0.0], [0.0, 4.0]])  # d = 4, ||y||^2 = 25
    assert james_stein(y, 1.0) == pytest.approx((1 - 2 / 25) * y)
    assert james_stein(y / 5, 1.0) == pytest.approx(-y / 5) and not positive_part(y / 5, 1.0).any()
    assert list(soft_threshold([5.0, -5.0, 0.5], 2.0, 1.0)) == [3.0, -3.0, 0.0]
    assert soft_threshold(y, 1.0)[0, 0] == pytest.approx(3 - math.sqrt(2 * math.log(4)))
    tiny = np.full(5, 1e-200)
    assert james_stein(tiny, 1.0) == pytest.approx(np.full(5, -3 / 5 * 1e200)) and not positive_part(tiny, 1.0).any()
    assert james_stein(1e200 * np.ones(5), 1.0)[0] == 1e200 and positive_part(
        1e150 * np.ones(5), 1e150
    ) == pytest.approx(0.4e150 * np.ones(5))
    assert list(james_stein([1.0, 2.0], 1.0)) == [1.0, 2.0] and not james_stein(np.zeros(5), 1.0).any()
    for call in (
        lambda: denoise(y, 1.0, "median"),
        lambda: james_stein(y, 0.0),
        lambda: soft_threshold(y, 1.0, -1.0),
        lambda: positive_part([math.nan], 1),
        lambda: james_stein(1e-300 * np.ones(5), 1e10),
    ):
        with pytest.raises(InputError):
            call()


@pytest.mark.parametrize("method", DENOISERS)
def test_risks_against_simulation(method):
    # 4 methods x 4 means, each mean of 20,000 losses within 6.5 standard errors: by the central limit theorem a false
    # alarm has probability below 2e-9.
    rng = np.random.default_rng(12)
    for d, theta in (
        (3, [1.0, 0.0, 0.0]),
        (8, np.zeros(8)),
        (12, np.full(12, 2.0)),
        (30, np.r_[np.full(2, 9.0), np.zeros(28)]),
    ):
        theta = np.asarray(theta)
        losses = [
            ((denoise(theta + 1.5 * rng.standard_normal(d), 1.5, method) - theta) ** 2).sum() for _ in range(20_000)
        ]
        assert abs(np.mean(losses) - risk(theta, 1.5, method)) < 6.5 * np.std(losses) / math.sqrt(len(losses))


@pytest.mark.parametrize("d", [3, 4, 17, 400])
@pytest.mark.parametrize("norm", [0.0, 1e-3, 1.0, 7.5, 60.0])
def test_float64_risks_agree_with_the_certified_ones(d, norm):
    assert james_stein_risk(d, norm, 2.0) == pytest.approx(
        float(certified.james_stein_risk(d, norm, 2, digits=20).mid), rel=1e-12
    )
    value = float(certified.positive_part_risk(d, norm, 2, digits=20).mid)
    assert positive_part_risk(d, norm, 2.0) == pytest.approx(value, rel=1e-11)
    if norm < 10:
        assert value < float(certified.james_stein_risk(d, norm, 2, digits=20).mid)


@pytest.mark.parametrize(("d", "norm"), [(3, 0.5), (5, 2.0), (9, 0.1), (25, 6.0)])
def test_positive_part_against_quadrature_over_the_squared_length(d, norm):
    """E[(1-c/S)^2 S; S > c] - 2 lambda E'[1 - c/S; S > c] + lambda with S, S' noncentral chi-square, d and d + 2
    degrees.
    """
    cut, noncentral = d - 2, norm**2
    square = integrate.quad(
        lambda s: (1 - cut / s) ** 2 * s * stats.ncx2.pdf(s, d, noncentral), cut, 400, epsabs=1e-11, limit=400
    )[0]
    along = integrate.quad(
        lambda s: (1 - cut / s) * stats.ncx2.pdf(s, d + 2, noncentral), cut, 400, epsabs=1e-11, limit=400
    )[0]
    assert positive_part_risk(d, norm, 1.0) == pytest.approx(square - 2 * noncentral * along + noncentral, rel=1e-7)


def test_soft_threshold_risk_agrees_with_the_certified_one():
    for threshold in (0.0, 0.3, 1.0, 3.7, 6.0, 8.0):
        for mean in (0.0, 1e-4, -1.0, 4.0, 12.0, 1e6):
            reference = float(certified.soft_threshold_risk(mean, threshold, digits=20).mid)
            assert soft_threshold_risk(mean, threshold) == pytest.approx(reference, rel=1e-10)
    assert soft_threshold_risk(1e300, 2.0) == 5.0


def test_risks_far_from_zero_are_those_of_the_plain_release():
    for function in (james_stein_risk, positive_part_risk):
        assert list(function([3, 50, 10**5], [1e300, 1e200, 1e154], [1e-5, 1.0, 2.0])) == pytest.approx(
            [3e-10, 50.0, 4e5]
        )
        with pytest.raises(InputError, match="d "):
            function(2, 1.0, 1.0)
        with pytest.raises(InputError, match="std"):
            function(3, 1.0, 0.0)


@pytest.mark.parametrize("name", baselines.PROJECTIONS)
@pytest.mark.parametrize(
    ("r", "epsilon", "delta"), [(1, 1e-3, 0.4), (10, 1.0, 1e-6), (1000, 100.0, 1e-30), (10**6, 1.0, 1e-6)]
)
def test_projection_certificates_are_the_exact_curve(name, r, epsilon, delta):
    mechanism = baselines.PROJECTIONS[name](r, epsilon=epsilon, delta=delta, norm_bound=2.0)
    ridge, certificate = mechanism.ridge, mechanism.calibration.certificate.delta
    assert not mechanism.calibration.unsafe and certificate <= delta
    if certificate > 1e-60:
        reached = oracle.certified_rp_hockey_stick(exact(4) / (exact(4) + exact(ridge)), r, epsilon, digits=14)
        assert reached.upper <= exact(certificate) <= reached.lower * exact("1.0000000001")


def test_printed_ridges():
    level = math.log(4e6)
    assert baselines.sheffet(10, epsilon=0.5, delta=1e-6, norm_bound=3.0).ridge == pytest.approx(
        9 * 8 * (math.sqrt(20 * level) + level), rel=1e-14
    )
    width = 16 * math.sqrt(10 * math.log(2e6)) * math.log(160e6) / 0.5
    assert baselines.blocki(10, epsilon=0.5, delta=1e-6, norm_bound=3.0).ridge == pytest.approx(9 * width**2, rel=1e-13)
    rows = baselines.projection_table(100, epsilon=1.0, delta=1e-6)
    ratios = {row["method"]: row["std_ratio"] for row in rows}
    assert (
        ratios["smallest"]
        == 1
        < ratios["N26-Fig1"]
        < 1.02
        < 2.8
        < ratios["Sheffet 2019"]
        < 2.82
        < ratios["MI-DP, binary channel"]
    )
    with pytest.raises(InputError, match="epsilon"):
        baselines.sheffet(1, epsilon=0.0, delta=0.1, norm_bound=1.0)
    with pytest.raises(InputError, match="delta"):
        baselines.mutual_information(1, epsilon=1.0, delta=1e-200, norm_bound=1.0, conversion="pinsker")
    with pytest.raises(InputError, match="conversion"):
        baselines.mutual_information(1, epsilon=1.0, delta=0.1, norm_bound=1.0, conversion="none")


def test_information_level_is_the_least_capacity_of_a_violating_channel():
    for delta in (1e-9, 1e-3, 0.3, 0.9):  # at epsilon = 0 the symmetric channel is the least
        p, q = (1 + delta) / 2, (1 - delta) / 2
        symmetric = p * math.log1p(delta) + q * math.log1p(-delta)  # ln 2 - h(p)
        assert information_level(epsilon=0.0, delta=delta) == pytest.approx(symmetric, rel=1e-6)
    rng = np.random.default_rng(3)
    for epsilon, delta in ((1.0, 1e-6), (0.1, 0.01), (5.0, 0.3), (1e-4, 1e-12)):
        level = information_level(epsilon=epsilon, delta=delta)
        assert level > delta**2 / 2
        for q in np.exp(rng.uniform(-40, 0, 50)) * (1 - delta) * math.exp(-epsilon):
            channel = np.array([[1 - q, q], [1 - delta - math.exp(epsilon) * q, delta + math.exp(epsilon) * q]])
            shares = np.linspace(1e-3, 1 - 1e-3, 400)[:, None, None]
            inputs = np.concatenate([1 - shares, shares], axis=1)
            mixed = (inputs * channel).sum(axis=1, keepdims=True)
            with np.errstate(divide="ignore", invalid="ignore"):
                terms = np.where(channel > 0, channel * np.log(channel / mixed), 0.0)
            assert (inputs * terms).sum(axis=(1, 2)).max() > level * (1 - 1e-3) - 1e-15


def test_signal_to_noise_inverts_the_information_of_the_lone_record():
    for r in (1, 7, 10**6):
        for information in (1e-40, 1e-12, 1e-3, 0.7, 50.0):
            s = signal_to_noise(r, information)
            direct = s * s / 2 - s**3 / 3 + s**4 / 4 if s < 1e-5 else s - math.log1p(s)
            assert r / 2 * direct == pytest.approx(information, rel=1e-6)


def test_sketched_least_squares_uses_the_projection_alone():
    rng = np.random.default_rng(8)
    features = rng.uniform(-1, 1, (3000, 3))
    target = features @ [1.0, -2.0, 0.5]
    bound = np.linalg.norm(np.column_stack([features, target]), axis=1).max()
    solver = baselines.sheffet_least_squares(2000, epsilon=50.0, delta=0.01, norm_bound=bound)
    found = solver.release(features, target, np.random.default_rng(1))
    assert np.array_equal(found, solver.release(features, target, np.random.default_rng(1)))
    gram = features.T @ features + solver.projection.ridge * np.eye(3)
    assert np.linalg.norm(found - np.linalg.solve(gram, features.T @ target)) < 0.3
    with pytest.raises(InputError, match="target"):
        solver.release(features, target[:-1], rng)
    with pytest.raises(InputError, match="norm"):
        solver.release(2 * features, target, rng)


@pytest.mark.parametrize("rule", STDS)
def test_no_random_target_gets_too_little_noise(rule):
    """Certified at exactly the float64 std that the mechanism carries; `hunts` is the same hunt at
    length.
    """
    rng = np.random.default_rng(29)
    for _ in range(150):
        sensitivity, epsilon = 10 ** rng.uniform(-100, 100), 10 ** rng.uniform(-6, 0 if rule == "classical" else 2)
        delta = 10 ** rng.uniform(-30, math.log10(0.4))
        mechanism = gaussian_mechanism(sensitivity, epsilon=epsilon, delta=delta, adjacency=ADJACENCY, rule=rule)
        reached = oracle.certified_gaussian_hockey_stick(sensitivity, mechanism.std, epsilon, digits=16)
        assert not mechanism.calibration.unsafe and reached.upper <= exact(delta), (sensitivity, epsilon, delta)
        assert rule != "analytic" or reached.lower >= exact(delta) * (1 - exact("1e-11"))
