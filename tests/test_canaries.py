"""Scores of random canaries against dense ones and against their limit."""

import time

import numpy as np
import pytest
from scipy.stats import ks_2samp

from ndis_verify import oracle
from ndis_verify.audit.canaries import LAWS, CanaryScores, one_shot_scores, sphere_coordinate
from ndis_verify.audit.histogram import audit_scores
from ndis_verify.exact_number import InputError

# 4 cases x 2 laws x 9 statistics, each below 1e-6/72 with that chance at most: false alarm 1e-6 in all.
_ALARM = 1e-6 / 72
_STATISTICS = (
    lambda a, b: a[:, 0],
    lambda a, b: a[:, -1],
    lambda a, b: a.sum(1),
    lambda a, b: (a**2).sum(1),
    lambda a, b: a[:, 0] * a[:, -1],
    lambda a, b: a[:, -1] * a[:, -2],
    lambda a, b: b[:, 0] * b[:, 1],
    lambda a, b: b[:, 0] * a[:, 0],
    lambda a, b: (a**2).sum(1) * (b**2).sum(1),
)


def _distances(one, other):
    return [ks_2samp(statistic(*one), statistic(*other)).pvalue for statistic in _STATISTICS]


def dense_scores(dimension, training, test, std, rng, *, norm=0.0, law="sphere"):
    """The same scores from canaries that are formed: O(d (n + m))."""
    canaries = rng.standard_normal((training + test, dimension))
    canaries /= np.linalg.norm(canaries, axis=1, keepdims=True) if law == "sphere" else np.sqrt(dimension)
    theta = canaries[:training].sum(axis=0) + std * rng.standard_normal(dimension)
    theta[0] += norm
    scores = canaries @ theta
    return CanaryScores(scores[:training], scores[training:])


def limit_std(dimension, training, std, norm=0.0):
    """`sqrt(std^2 + (n + |X|^2)/d)`: the std of one test score, exactly; those of KM-8.1's limit have `std`."""
    return float(np.sqrt(std**2 + (training + norm**2) / dimension))


def _dense(case, law, runs, rng):
    d, n, m, std, norm = case
    found = [dense_scores(d, n, m, std, rng, norm=norm, law=law) for _ in range(runs)]
    return np.array([one.training for one in found]), np.array([one.test for one in found])


@pytest.mark.parametrize("case", [(2, 3, 2, 0.5, 1.0), (3, 2, 2, 0.0, 0.0), (5, 8, 4, 1.0, 2.0), (20, 30, 5, 0.3, 0.0)])
@pytest.mark.parametrize("law", LAWS)
def test_scores_have_the_law_of_dense_ones(case, law):
    d, n, m, std, norm = case
    found = one_shot_scores(d, n, m, std, np.random.default_rng(1), norm=norm, law=law, runs=6000)
    dense = _dense(case, law, 6000, np.random.default_rng(2))
    assert min(_distances((found.training, found.test), dense)) > _ALARM
    assert (found.training**2).mean() == pytest.approx((dense[0] ** 2).mean(), rel=0.1)


def test_other_laws_would_be_seen():
    case = (5, 8, 4, 1.0, 2.0)
    dense = _dense(case, "sphere", 6000, np.random.default_rng(2))
    # the limit law, far from its limit
    free = np.random.default_rng(3).normal((1.0,) * 8 + (0.0,) * 4, 1.0, (6000, 12))
    assert min(_distances((free[:, :8], free[:, 8:]), dense)) < _ALARM
    other = one_shot_scores(5, 8, 4, 1.0, np.random.default_rng(1), norm=2.0, law="gaussian", runs=6000)
    assert min(_distances((other.training, other.test), dense)) < _ALARM


def test_one_training_canary_without_noise_is_itself():
    scores = one_shot_scores(7, 1, 3, 0.0, np.random.default_rng(1), runs=50)
    assert scores.training == pytest.approx(np.ones((50, 1)), rel=1e-12) and (np.abs(scores.test) <= 1).all()
    assert set(sphere_coordinate(1, 20, np.random.default_rng(1))) == {-1.0, 1.0}


@pytest.mark.parametrize("law", LAWS)
def test_the_histogram_tends_to_the_gaussian_mechanism_and_not_to_the_printed_limit(law):
    started = time.perf_counter()
    scores = one_shot_scores(10**6, 20_000, 20_000, 0.5, np.random.default_rng(8), law=law)
    assert time.perf_counter() - started < 20
    audit = audit_scores(scores.training, scores.test, method="plug-in", epsilon=0.0)
    for epsilon in (0.0, 0.5, 1.0, 2.0):
        truth = float(oracle.certified_gaussian_hockey_stick(1, 0.5, epsilon, digits=10).mid)
        # 0.0375 is what KM-Fig4's derivation allows 50,000 draws of 63 bins; n/d = 0.02 widens the scores by 4 percent.
        assert abs(float(audit.delta(epsilon)) - truth) < 0.05 < truth
    printed = 0.0  # two equal laws at epsilon = 0
    assert float(audit.delta(0.0)) - printed > 0.5
    lower = audit_scores(scores.training, scores.test, method="best-set", epsilon=0.0)
    assert 0.6 < float(lower.delta(0.0)) < 0.6827
    assert limit_std(10**6, 20_000, 0.5) == pytest.approx(np.sqrt(0.27)) and scores.test.std() == pytest.approx(
        np.sqrt(0.27), rel=0.03
    )


def test_more_canaries_than_the_dimension_allows_hide_the_divergence():
    scores = one_shot_scores(100, 20_000, 20_000, 0.5, np.random.default_rng(8))
    found = float(audit_scores(scores.training, scores.test, method="plug-in", epsilon=0.0, bins=40).delta(0.0))
    assert found < 0.2 and limit_std(100, 20_000, 0.5) > 14


@pytest.mark.parametrize(
    ("change", "name"),
    [
        ({"dimension": 1}, "dimension"),
        ({"training": 0}, "training"),
        ({"test": 1.5}, "test"),
        ({"std": -1.0}, "std"),
        ({"std": float("nan")}, "std"),
        ({"norm": float("inf")}, "norm"),
        ({"law": "cube"}, "law"),
        ({"runs": 0}, "runs"),
        ({"training": 10**7, "runs": 2}, "training"),
    ],
)
def test_bad_input_is_named(change, name):
    arguments = {"dimension": 10, "training": 2, "test": 2, "std": 1.0, "rng": np.random.default_rng(0)} | change
    with pytest.raises(InputError, match=name):
        one_shot_scores(**arguments)
