"""The fast generalized chi-square law against special functions in mpmath and against itself."""

import math

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ndis_verify import InputError
from ndis_verify.fast import GeneralizedChi2


def noncentral_reference(dof, noncentrality, x, digits=60):
    """(cdf, sf) of chi'^2 as a Poisson mixture of incomplete gammas."""
    with mpmath.workdps(digits):
        half, rate = mpmath.mpf(x) / 2, mpmath.mpf(noncentrality) / 2
        weights = [mpmath.exp(-rate) * rate**j / mpmath.factorial(j) for j in range(int(2 * noncentrality) + 120)]
        dofs = [mpmath.mpf(dof) / 2 + j for j in range(len(weights))]
        lower = mpmath.fsum(w * mpmath.gammainc(a, 0, half, regularized=True) for w, a in zip(weights, dofs))
        upper = mpmath.fsum(w * mpmath.gammainc(a, half, mpmath.inf, regularized=True) for w, a in zip(weights, dofs))
        return lower, upper


@pytest.mark.parametrize("dof, noncentrality", [(1, 0.0), (1, 3.0), (2, 0.5), (5, 20.0), (12, 1.0)])
@pytest.mark.parametrize("x", [1e-30, 1e-6, 0.3, 4.0, 60.0, 400.0])
def test_one_weight(dof, noncentrality, x):
    lower, upper = noncentral_reference(dof, noncentrality, x)
    law, mirrored = GeneralizedChi2([1.0], [dof], [noncentrality]), GeneralizedChi2([-1.0], [dof], [noncentrality])
    assert abs(law.cdf(x) / lower - 1) < 1e-11 and abs(law.sf(x) / upper - 1) < 1e-11
    assert abs(mirrored.sf(-x) / lower - 1) < 1e-11 and abs(mirrored.cdf(-x) / upper - 1) < 1e-11
    assert law.logcdf(x) == pytest.approx(float(mpmath.log(lower)), rel=1e-11, abs=1e-11)


def test_two_weights_of_opposite_sign_are_laplace():
    law, x = GeneralizedChi2([1.0, -1.0], [2, 2], [0.0, 0.0]), np.array([-900.0, -3.0, 0.0, 0.5, 700.0])
    np.testing.assert_allclose(law.pdf(x), np.exp(-np.abs(x) / 2) / 4, rtol=1e-11)
    np.testing.assert_allclose(law.logsf(x[3:]), -x[3:] / 2 - math.log(2), rtol=1e-11)
    np.testing.assert_allclose(law.logcdf(x[:2]), x[:2] / 2 - math.log(2), rtol=1e-11)


def test_a_density_with_a_pole_inside():
    law = GeneralizedChi2([1.0, -1.0], [1, 1], [0.0, 0.0])
    x = np.array([1e-60, 1e-9, 0.5, 20.0])
    reference = [float(mpmath.besselk(0, v / 2) / (2 * mpmath.pi)) for v in x]
    np.testing.assert_allclose(law.pdf(x), reference, rtol=1e-11)
    np.testing.assert_allclose(law.pdf(-x), reference, rtol=1e-11)
    assert law.pdf(0.0) == math.inf and law.cdf(0.0) == pytest.approx(0.5, rel=1e-14)


def convolved(weights, dofs, noncentralities, x):
    """The density at x of two parts of opposite signs, the first of them below 0: their convolution, at 30 digits."""

    def density(y, k, nc):
        half = mpmath.mpf(k) / 2 - 1
        if y <= 0 or not nc:
            return mpmath.exp(-y / 2) * (y / 2) ** half / (2 * mpmath.gamma(half + 1)) if y > 0 else mpmath.mpf(0)
        return mpmath.exp(-(y + nc) / 2) * (y / nc) ** (half / 2) * mpmath.besseli(half, mpmath.sqrt(nc * y)) / 2

    (below, above), (k, other), (nc, more) = weights, dofs, noncentralities
    with mpmath.workdps(30):
        x = mpmath.mpf(x)
        first = max(mpmath.mpf(0), x / below)

        def integrand(root):
            y = first + root**2
            return 2 * root * density(y, k, nc) * density((x - mpmath.mpf(below) * y) / above, other, more) / above

        near = mpmath.sqrt(abs(x))
        ends = sorted({0, near / 1000, near, min(1000 * near, 10), 1e-2, 0.1, 0.3, 1, 2, 3, 5, 10, 20})
        return float(mpmath.quad(integrand, ends, maxdegree=10))


@pytest.mark.parametrize("x", [-1e-10, 1e-14, -1e-30, 1e-3])
@pytest.mark.parametrize(
    "law",
    [
        ([-2, 0.2], [1, 1], [1, 1]),
        ([-2, 0.2], [1, 2], [0, 1e-3]),
        ([-1, 1], [1, 2], [3, 3]),
        ([-1, 1], [1, 1], [3, 3]),
        ([-0.5, 3], [2, 1], [30, 1]),
    ],
)
def test_densities_next_to_where_two_parts_meet(law, x):
    """The integrand falls as a power alone there, to 1e30 standard deviations and more."""
    assert GeneralizedChi2(*law).pdf(x) == pytest.approx(convolved(*law, x), rel=1e-11)


@pytest.mark.parametrize("weights", [(-2, 0.2), (-1, 1), (-1e5, 1e-3)])
def test_a_density_that_grows_like_a_logarithm_does_so_to_the_least_float(weights):
    law, least = GeneralizedChi2(weights, [1, 1], [1, 1]), min(map(abs, weights))
    at = least * np.array([1e-22, 1e-35, 1e-60, 1e-150, 1e-290])
    slopes = np.diff(law.pdf(at)) / np.diff(np.log(at))
    np.testing.assert_allclose(slopes, slopes[0], rtol=1e-11)
    np.testing.assert_allclose(law.pdf(-at), law.pdf(at), rtol=1e-11)


def test_gaussian_alone():
    law, x = GeneralizedChi2([0.0], [1], [0.0], std=2.0, shift=1.0), np.array([-60.0, 1.0, 3.0, 70.0])
    with mpmath.workdps(400):
        reference = [mpmath.ncdf((v - 1) / 2) for v in x]
    np.testing.assert_allclose(law.cdf(x), [float(v) for v in reference], rtol=1e-11)
    np.testing.assert_allclose(law.pdf(x), np.exp(-(((x - 1) / 2) ** 2) / 2) / (2 * math.sqrt(2 * math.pi)), rtol=1e-11)


def test_outside_a_one_sided_support():
    up, down = GeneralizedChi2([1.0, 2.0], [1, 1], [0.0, 1.0], shift=-1.0), GeneralizedChi2([-1.0], [3], [0.0])
    assert (up.cdf(-1.0), up.sf(-1.0), up.pdf(-2.0), up.cdf(-math.inf), up.sf(math.inf)) == (0.0, 1.0, 0.0, 0.0, 0.0)
    assert (down.cdf(0.0), down.sf(0.0), down.pdf(1.0), down.logsf(1.0)) == (1.0, 0.0, 0.0, -math.inf)
    assert up.support() == (-1.0, math.inf) and down.support() == (-math.inf, 0.0)
    assert GeneralizedChi2([1.0], [1], [0.0]).pdf(0.0) == math.inf
    assert GeneralizedChi2([2.0], [2], [0.0]).pdf(0.0) == pytest.approx(0.25)
    assert GeneralizedChi2([2.0], [3], [0.0]).pdf(0.0) == 0.0


def test_density_is_the_derivative():
    law = GeneralizedChi2([1.5, -0.5, 0.25], [3, 1, 40], [2.0, 0.0, 1.0], std=0.5, shift=-1.0)
    x, step = np.array([-3.0, law.mean(), 25.0, 60.0]), 1e-3
    slope = (8 * (law.cdf(x + step) - law.cdf(x - step)) - (law.cdf(x + 2 * step) - law.cdf(x - 2 * step))) / (
        12 * step
    )
    np.testing.assert_allclose(law.pdf(x[:3]), slope[:3], rtol=1e-8)
    survival = -(law.sf(x[3] + step) - law.sf(x[3] - step)) / (2 * step)
    assert law.pdf(x[3]) == pytest.approx(survival, rel=1e-5)


def test_moments_and_draws():
    law = GeneralizedChi2([1.5, -0.5], [3, 1], [2.0, 4.0], std=0.5, shift=-1.0)
    assert law.mean() == pytest.approx(1.5 * 5 - 0.5 * 5 - 1)
    assert law.var() == pytest.approx(2 * 2.25 * 7 + 2 * 0.25 * 9 + 0.25)
    draws = law.rvs((200, 200), random_state=np.random.default_rng(11))
    assert draws.shape == (200, 200)
    bound = math.sqrt(math.log(2 / 1e-9) / (2 * draws.size))  # Dvoretzky-Kiefer-Wolfowitz
    for x in (-3.0, 1.0, 8.0):
        assert abs((draws <= x).mean() - law.cdf(x)) < bound
    again = law.rvs((200, 200), random_state=np.random.default_rng(11))
    assert np.array_equal(draws, again)


@st.composite
def laws(draw):
    groups = draw(st.integers(1, 3))
    weights = [draw(st.sampled_from([-1.0, 1.0])) * 10 ** draw(st.floats(-3, 3)) for _ in range(groups)]
    dofs = [draw(st.integers(1, 50)) for _ in range(groups)]
    ncs = [draw(st.sampled_from([0.0, 1.0])) * 10 ** draw(st.floats(-3, 2)) for _ in range(groups)]
    return GeneralizedChi2(weights, dofs, ncs, std=draw(st.sampled_from([0.0, 0.5, 20.0])))


@given(laws(), st.floats(-6, 12))
def test_two_tails_make_one(law, position):
    x = law.mean() + position * math.sqrt(law.var())
    assert law.cdf(x) + law.sf(x) == pytest.approx(1, abs=1e-13)
    mirrored = GeneralizedChi2(-law.weights, law.dofs, law.noncentralities, std=law.std)
    np.testing.assert_allclose(mirrored.logcdf(-x), law.logsf(x), rtol=1e-11, atol=1e-13)


@given(laws(), st.floats(-100, -0.31))
def test_quantiles_invert_the_tails(law, log_q):
    q = 10.0**log_q
    np.testing.assert_allclose(law.cdf(law.ppf(q)), q, rtol=1e-10)
    np.testing.assert_allclose(law.sf(law.isf(q)), q, rtol=1e-10)


def test_quantiles_at_the_ends():
    law = GeneralizedChi2([1.0], [3], [0.0], shift=2.0)
    assert law.ppf([0.0, 1.0]).tolist() == [2.0, math.inf] and law.isf([0.0, 1.0]).tolist() == [math.inf, 2.0]
    assert law.ppf(0.5) == pytest.approx(law.isf(0.5), rel=1e-14)


@pytest.mark.parametrize(
    "arguments, name",
    [
        (([0.0], [1], [0.0]), "weights"),
        (([1.0], [0], [0.0]), "dofs"),
        (([1.0], [1], [-1.0]), "noncentralities"),
        (([1.0], [1], [0.0], -1.0), "std"),
        (([math.inf], [1], [0.0]), "weights"),
        (([1.0, 2.0], [1, 2, 3], [0.0]), "weights"),
    ],
)
def test_outside_the_domain(arguments, name):
    with pytest.raises(InputError, match=name):
        GeneralizedChi2(*arguments)


def test_arguments_outside_the_domain():
    law = GeneralizedChi2([1.0], [1], [0.0])
    with pytest.raises(InputError, match="x"):
        law.cdf(math.nan)
    with pytest.raises(InputError, match="q"):
        law.ppf(1.5)
    with pytest.raises(InputError, match="random_state"):
        law.rvs(3, random_state=7)


@pytest.mark.parametrize("noncentrality", [0.0, 1.0, 3.5])
@pytest.mark.parametrize("exponent", [-5, -16, -17, -18, -30, -140, -153, -155, -200, -280])
def test_lower_tail_next_to_the_end_of_the_support(noncentrality, exponent):
    """chi'^2(1, nc) <= x has probability sqrt(2 x/pi) e^{-nc/2} (1 + (nc - 1) x/6 + O(x^2))."""
    x = 10.0**exponent
    expected = 0.5 * math.log(2 * x / math.pi) - noncentrality / 2 + math.log1p((noncentrality - 1) * x / 6)
    assert GeneralizedChi2([1.0], [1], [noncentrality]).logcdf(x) == pytest.approx(expected, rel=1e-11)
    assert GeneralizedChi2([-2.0], [1], [noncentrality]).logsf(-2 * x) == pytest.approx(expected, rel=1e-11)
