"""The least GDP parameter of a pair: certified, in float64, and none."""

from fractions import Fraction

import mpmath
import numpy as np
import pytest

from ndis_verify.audit.gdp_parameter import GaussianCurve, laplace_gdp, largest_mu
from ndis_verify.exact_number import InputError
from ndis_verify.fast.pair_trade_off import pair_gdp
from ndis_verify.gaussian_pair import GaussianPair
from ndis_verify.oracle import gdp_parameter as certified


@pytest.mark.parametrize("mu", ["0.001", "0.5", "1", "7", "60"])
def test_laplace_against_a_root_search_in_mpmath(mu):
    """The m with 2 (1 - Phi(m/2)) = e^{-mu/2}."""
    with mpmath.workdps(40):
        goal = -mpmath.mpf(mu) / 2
        root = mpmath.findroot(
            lambda m: mpmath.log(mpmath.erfc(m / mpmath.sqrt(8))) - goal,
            mpmath.sqrt(2 * mpmath.mpf(mu)) if float(mu) > 2 else mpmath.mpf(mu),
        )
    found = certified.laplace_gdp(mu, digits=25)
    assert abs(found.mid - root) < 1e-24 * root and found.basis == "bound"
    assert laplace_gdp(float(mu)) == pytest.approx(float(root), rel=1e-9)


def test_gaussian_pairs_exactly():
    cov = [["2", "0.5"], ["0.5", "1"]]
    found = certified.pair_gdp(GaussianPair([1, 2], cov, [0, 0], cov), digits=25)
    # (1, 2) S^-1 (1, 2)^T with S^-1 = (1, -1/2; -1/2, 2)/(7/4)
    assert abs(found.mid**2 - mpmath.mpf(28) / 7) < 1e-20 and float(found.mid) == pytest.approx(2)
    nearly = GaussianPair([1], 1, [0], [[Fraction(10**30 + 1, 10**30)]])
    assert certified.pair_gdp(nearly) is None and pair_gdp(nearly) == np.inf


@pytest.mark.parametrize(
    "call, argument",
    [
        (lambda: certified.laplace_gdp(0), "mu"),
        (lambda: laplace_gdp(-1.0), "mu"),
        (lambda: laplace_gdp(float("nan")), "mu"),
        (lambda: certified.pair_gdp(GaussianPair([0], 1, [0], 1)), "pair"),
        (lambda: largest_mu(1.0, 1.5), "delta"),
    ],
)
def test_bad_input(call, argument):
    with pytest.raises(InputError) as error:
        call()
    assert error.value.argument == argument


def test_the_largest_mu_inverts_the_profile():
    for eps, delta in ((0.0, 0.1), (1.0, 1e-5), (4.0, 1e-12)):
        mu = largest_mu(eps, delta)
        assert float(GaussianCurve(mu).delta(eps)) == pytest.approx(delta, rel=1e-9)
        assert float(GaussianCurve(mu).epsilon(delta)) == pytest.approx(eps, abs=1e-9)
    assert largest_mu(1.0, 0.0) == 0 and largest_mu(0.0, 1.0) == np.inf
    assert GaussianCurve(2.0).epsilon([0.9, 1e-3]).tolist()[0] == 0


def test_laplace_limits():
    assert laplace_gdp(0.0) == 0 and laplace_gdp(1e-6) == pytest.approx(1e-6 * np.sqrt(np.pi / 2), rel=1e-5)
