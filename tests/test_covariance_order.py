"""The two slopes behind the order of the two directions, and the order itself, against an inverted Laplace
transform.
"""

import mpmath
import numpy as np
import pytest

from ndis_verify import fast
from ndis_verify.gaussian_pair import GaussianPair
from ndis_verify.symbolic import covariance_order

_SPECTRA = [((4.0, 2.0, 1.25), 0.4), ((30.0, 1.01, 1.5, 1.5), 1.3), ((1.2, 1.1, 1.3, 1.15, 1.05), 0.15)]


def _density(eigenvalues, total):
    """Of sum (lambda_i - 1) z_i^2 at `total`."""
    with mpmath.workdps(25):
        transform = lambda s: mpmath.fprod(
            (1 + 2 * (x - 1) * s) ** mpmath.mpf(-0.5) for x in map(mpmath.mpf, eigenvalues)
        )
        return float(mpmath.invertlaplace(transform, mpmath.mpf(total), method="talbot", degree=30))


def _deltas(eigenvalues, epsilon):
    zero = [0.0] * len(eigenvalues)
    pair = GaussianPair(zero, list(eigenvalues), zero, 1)
    return np.array([float(fast.hockey_stick(law, epsilon)) for law in (pair, pair.swapped())])


@pytest.mark.parametrize("eigenvalues, epsilon", _SPECTRA)
def test_slopes_in_the_scale(eigenvalues, epsilon):
    total, step = float(np.sum(np.log(eigenvalues))), 1e-4
    up, down = (_deltas(np.multiply(eigenvalues, np.exp(s * step)), epsilon) for s in (1, -1))
    first, second = total + 2 * epsilon, total - 2 * epsilon
    expected = [first * _density(eigenvalues, first), np.exp(epsilon) * second * _density(eigenvalues, second)]
    assert (up - down) / (2 * step) == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("eigenvalues, epsilon", _SPECTRA)
def test_second_slope_in_epsilon(eigenvalues, epsilon):
    total, step = float(np.sum(np.log(eigenvalues))), 1e-3
    low, here, high = (np.subtract(*_deltas(eigenvalues, epsilon + k * step)) for k in (-1, 0, 1))
    bend, slope = (high - 2 * here + low) / step**2, (high - low) / (2 * step)
    expected = 2 * (
        _density(eigenvalues, total + 2 * epsilon) - np.exp(epsilon) * _density(eigenvalues, total - 2 * epsilon)
    )
    assert bend - slope == pytest.approx(expected, abs=2e-4 * max(1, abs(expected)))


@pytest.mark.parametrize("eigenvalues, epsilon", _SPECTRA)
def test_the_surplus_of_the_slopes(eigenvalues, epsilon):
    """dG/dh - (nu + 2 eps)/2 (d^2 G/d eps^2 - dG/d eps), by difference quotients."""
    total, step = float(np.sum(np.log(eigenvalues))), 1e-3
    low, here, high = (np.subtract(*_deltas(eigenvalues, epsilon + k * step)) for k in (-1, 0, 1))
    smaller, larger = (np.subtract(*_deltas(np.multiply(eigenvalues, np.exp(k * step)), epsilon)) for k in (-1, 1))
    bend, slope = (high - 2 * here + low) / step**2, (high - low) / (2 * step)
    found = (larger - smaller) / (2 * step) - (total + 2 * epsilon) / 2 * (bend - slope)
    density = _density(eigenvalues, total - 2 * epsilon)
    assert found == pytest.approx(covariance_order.scale_order().number(epsilon=epsilon, density=density), rel=1e-3)
    assert found > 0


@pytest.mark.parametrize("spread", [1e-3, 1.0, 10.0])
def test_the_order_of_six_eigenvalues(spread):
    rng = np.random.default_rng(7)
    for _ in range(20):
        eigenvalues = np.exp(spread * rng.uniform(0.01, 1, 6) ** 3)
        epsilon = float(np.log(eigenvalues).sum() / 2 * rng.uniform(0.05, 0.95))
        first, second = _deltas(eigenvalues, epsilon)
        assert first > second
