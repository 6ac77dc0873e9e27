"""Trade-off curves of Gaussian pairs with any covariances: closed forms, certified tangents, profile and
back, mu-GDP.
"""

from __future__ import annotations

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import ndtri

from ndis_verify import fast, oracle
from ndis_verify.exact_number import InputError
from ndis_verify.fast.composition import compose
from ndis_verify.fast.pair_trade_off import error_rates, loss_threshold, pair_gdp, pair_trade_off, trade_off_profile
from ndis_verify.fast.trade_off import gaussian_trade_off, gdp_parameter
from ndis_verify.gaussian_pair import GaussianPair

DENSE = GaussianPair([1, 0.5], [[2, 0.5], [0.5, 1]], [0, 0.2], [[1, 0.1], [0.1, 1.5]])
BOUNDED = GaussianPair([1.0, 0], [3.0, 2.0], [0, 0], [1, 1])
LEVELS = [1e-12, 1e-6, 0.01, 0.3, 0.7, 0.999, 1 - 2.0**-30]


@given(st.floats(1e-9, 1 - 1e-9), st.floats(0.01, 6))
def test_equal_covariances_give_the_gaussian_curve(alpha, mu):
    found = pair_trade_off(GaussianPair([mu, 0], 1, [0, 0], 1), alpha)
    assert float(found) == pytest.approx(float(gaussian_trade_off(alpha, mu)), rel=1e-10)


@pytest.mark.parametrize("ratio", [1e-6, 1 / 3, 1 + 2.0**-20, 3.0, 1e6])
def test_one_variance_against_the_error_function(ratio):
    found = pair_trade_off(GaussianPair([0], ratio, [0], 1), LEVELS)
    with mpmath.workdps(40):
        for alpha, beta in zip(LEVELS, found, strict=True):
            # |x| > c rejects where P is the wider law, |x| < c where it is the narrower one
            inside = 1 - mpmath.mpf(alpha) if ratio > 1 else mpmath.mpf(alpha)
            mass = mpmath.erf(mpmath.erfinv(inside) / mpmath.sqrt(ratio))
            assert float(beta) == pytest.approx(float(mass if ratio > 1 else 1 - mass), rel=1e-11)


@pytest.mark.parametrize("pair", [DENSE, DENSE.swapped(), BOUNDED, BOUNDED.swapped()])
def test_the_certified_profile_touches_the_curve_from_below(pair):
    levels = [1e-6, 0.05, 0.6, 0.99]
    betas, thresholds = pair_trade_off(pair, levels), loss_threshold(pair, levels)
    for alpha, beta, threshold in zip(levels, betas, thresholds, strict=True):
        for shift, touches in ((0.0, True), (0.05, False), (-0.05, False)):
            t = float(threshold) + shift
            with mpmath.workdps(40):
                line = 1 - oracle.certified_hockey_stick(pair, t, digits=30).mid - mpmath.exp(t) * alpha
                assert line <= beta * (1 + 1e-11)
                assert not touches or float(line) == pytest.approx(float(beta), rel=1e-10)


@settings(max_examples=10)
@given(st.integers(0, 10_000), st.integers(1, 4))
def test_the_swapped_pair_has_the_mirrored_curve_and_the_curve_is_convex(seed, dimension):
    rng = np.random.default_rng(seed)
    pair = GaussianPair(rng.normal(size=dimension), np.exp(rng.normal(size=dimension)), np.zeros(dimension), 1)
    levels = np.linspace(0.02, 0.98, 25)
    betas = pair_trade_off(pair, levels)
    assert pair_trade_off(pair.swapped(), betas) == pytest.approx(levels, rel=1e-9)
    assert (np.diff(betas) <= 0).all() and (np.diff(betas, 2) >= -1e-12).all() and (betas <= 1 - levels + 1e-12).all()


@pytest.mark.parametrize("laws", [DENSE, BOUNDED, BOUNDED.swapped(), compose(DENSE, 7)])
def test_from_the_profile_to_the_curve_and_back(laws):
    epsilons = np.linspace(-3, 6, 60)
    alphas, betas = error_rates(laws, epsilons)
    deltas = fast.hockey_stick(laws, epsilons)
    assert trade_off_profile(epsilons, alphas, betas) == pytest.approx(deltas, abs=1e-12)
    lines = (1 - deltas[:, None] - np.exp(epsilons)[:, None] * alphas).max(axis=0)
    assert lines == pytest.approx(betas, abs=1e-12)
    # Fewer points can only lose.
    assert (trade_off_profile(epsilons, alphas[::7], betas[::7]) <= deltas + 1e-12).all()


def test_gdp_is_the_shift_of_equal_covariances_and_infinite_otherwise():
    cov = [[2.0, 0.5], [0.5, 1.0]]
    expected = np.sqrt(np.array([1, 2]) @ np.linalg.solve(cov, [1, 2]))
    assert pair_gdp(GaussianPair([1, 2], cov, [0, 0], cov)) == pytest.approx(expected)
    assert pair_gdp(GaussianPair([1, 2], [3, 3], [0, 0], 3)) == pytest.approx(np.sqrt(5 / 3))
    assert pair_gdp(compose(GaussianPair([1], 1, [0], 1), 9)) == pytest.approx(3)
    for pair in (DENSE, BOUNDED, BOUNDED.swapped(), GaussianPair([0], "1.000000000000000000001", [0], 1)):
        assert pair_gdp(pair) == np.inf
    # The mu that a test reaches grows without limit in the tails: about c (1 - 1/sqrt(3)) at |x| > c.
    levels = np.array([1e-3, 1e-8, 1e-16, 1e-24, 1e-32])
    reached = gdp_parameter(levels, pair_trade_off(GaussianPair([0], 3, [0], 1), levels))
    assert (np.diff(reached) > 0.5).all() and reached[-1] == pytest.approx(
        -ndtri(levels[-1]) * (1 - 1 / np.sqrt(3)), rel=0.05
    )


def test_ends_and_equal_laws():
    assert pair_trade_off(DENSE, [0.0, 1.0]).tolist() == [1.0, 0.0]
    assert pair_trade_off(BOUNDED, [0.0, 1.0]).tolist() == [1.0, 0.0]
    same = GaussianPair([0], 2, [0], 2)
    assert pair_trade_off(same, [0.0, 0.25, 1.0]).tolist() == [1.0, 0.75, 0.0] and pair_gdp(same) == 0
    assert loss_threshold(DENSE, 0.0) == np.inf and error_rates(DENSE, np.inf) == (0.0, 1.0)


def test_bad_input():
    for alpha in (-0.1, 1.1, float("nan")):
        with pytest.raises(InputError, match="alpha"):
            pair_trade_off(DENSE, alpha)
    with pytest.raises(InputError, match="threshold"):
        error_rates(DENSE, float("nan"))
    with pytest.raises(InputError, match="alphas"):
        trade_off_profile(1.0, [0.1], [0.1, 0.2])
    with pytest.raises(InputError, match="epsilon"):
        trade_off_profile(np.inf, [0.1], [0.1])
    with pytest.raises(InputError, match="one pair"):
        pair_gdp(fast.PairBatch([[0.0], [1.0]], [1.0, 1.0], [[0.0], [0.0]], [1.0, 1.0]))
