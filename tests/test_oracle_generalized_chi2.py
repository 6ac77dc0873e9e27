"""Generalized chi-square laws: two routes, the proof, known special cases, certain events, bad input."""

from fractions import Fraction

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ndis_verify.oracle as oracle
from ndis_verify import InputError

CASES = [
    ([1, 2], [1, 2], [0, "0.5"], 0, 0, 3),
    ([1, 2], [1, 2], [0, "0.5"], 0, 0, 300),
    ([1, 2], [1, 2], [0, "0.5"], 0, 0, "1e-5"),
    ([-1, -2], [1, 2], [0, "0.5"], 0, 1, "-4"),
    ([1, -2], [1, 2], [0, "0.5"], 0, 0, "0.1"),
    ([1, -2], [1, 2], [0, "0.5"], "0.3", 1, "0.1"),
    ([1, -2], [1, 1], [0, 0], 0, 1, 1),
    ([3], [4], [2], 1, 0, -5),
    ([], [], [], 1, 1, 21),
]


@pytest.mark.parametrize("case", CASES)
def test_two_routes_and_the_proof(case):
    for name in ("generalized_chi2_cdf", "generalized_chi2_sf"):
        plain = getattr(oracle, name)(*case, digits=12)
        proved = getattr(oracle, "certified_" + name)(*case, digits=22)
        assert plain.overlaps(proved) and proved.relative_radius <= mpmath.mpf(10) ** -22
        assert (plain.basis, proved.basis) == ("agreement", "bound")


weights = st.integers(-20, 20).filter(bool).map(lambda n: Fraction(n, 10))


@settings(max_examples=25)
@given(
    st.lists(
        st.tuples(weights, st.integers(1, 4), st.integers(0, 30).map(lambda n: Fraction(n, 10))), min_size=1, max_size=3
    ),
    st.sampled_from([0, 0, Fraction(1, 2)]),
    st.integers(-40, 40).map(lambda n: Fraction(n, 4)),
)
def test_cdf_and_sf_add_to_one_and_mirror(parts, std, x):
    w, k, nc = (list(column) for column in zip(*parts, strict=True))
    cdf = oracle.certified_generalized_chi2_cdf(w, k, nc, std, 1, x, 20)
    sf = oracle.certified_generalized_chi2_sf(w, k, nc, std, 1, x, 20)
    assert cdf.lower + sf.lower <= 1 <= cdf.upper + sf.upper
    mirrored = oracle.certified_generalized_chi2_sf([-v for v in w], k, nc, std, -1, -x, 20)
    assert cdf.overlaps(mirrored)


def test_plain_chi2_is_the_incomplete_gamma():
    with mpmath.workdps(60):
        expected = mpmath.gammainc(mpmath.mpf(5) / 2, mpmath.mpf(350), mpmath.inf, regularized=True)
    value = oracle.certified_generalized_chi2_sf([2], [5], [0], 0, 0, 1400, 40)
    assert abs(value.mid / expected - 1) < mpmath.mpf("1e-14") and value.contains(expected)


def test_one_noncentral_square_is_two_gaussian_tails():
    """Pr[(Z + 2)^2 <= 1] = Phi(-1) - Phi(-3)."""
    with mpmath.workdps(50):
        expected = (mpmath.erfc(1 / mpmath.sqrt(2)) - mpmath.erfc(3 / mpmath.sqrt(2))) / 2
    assert oracle.certified_generalized_chi2_cdf([1], [1], [4], 0, 0, 1, 30).contains(expected)


def test_difference_of_exponentials_is_laplace():
    """chi2_2/2 - chi2_2/2 is Laplace: Pr[X > x] = e^{-x}/2."""
    with mpmath.workdps(60):
        expected = mpmath.exp(-800) / 2
    assert oracle.certified_generalized_chi2_sf(["0.5", "-0.5"], [2, 2], [0, 0], 0, 0, 800, 40).contains(expected)


def test_merging_and_dropping():
    """Equal weights merge, zero weights drop."""
    split = oracle.certified_generalized_chi2_cdf([1, 1, 0, 2], [1, 2, 7, 1], [1, "0.5", 3, 0], 0, 0, 4, 25)
    whole = oracle.certified_generalized_chi2_cdf([2, 1], [1, 3], [0, "1.5"], 0, 0, 4, 25)
    assert (split.mid, split.rad) == (whole.mid, whole.rad)


@pytest.mark.parametrize("module", [oracle.generalized_chi2_cdf, oracle.certified_generalized_chi2_cdf])
def test_certain_events(module):
    assert module([1, 2], [1, 1], [0, 0], 0, 3, 3).sign() == 0
    assert module([-1, -2], [1, 1], [0, 0], 0, 3, 3).contains(1)
    assert module([], [], [], 0, 3, 3).contains(1)
    assert module([], [], [], 0, 3, "2.9").sign() == 0


@pytest.mark.parametrize(
    ("arguments", "argument"),
    [
        (([1], [1, 2], [0], 0, 0, 1), "dofs"),
        (([1], [1], [0, 0], 0, 0, 1), "noncentralities"),
        ((["x"], [1], [0], 0, 0, 1), "weights"),
        (([1], [0], [0], 0, 0, 1), "dofs"),
        (([1], [1.5], [0], 0, 0, 1), "dofs"),
        (([1], [1], [-1], 0, 0, 1), "noncentralities"),
        (([1], [1], [0], -1, 0, 1), "std"),
        (([1], [1], [0], 0, float("nan"), 1), "shift"),
        (([1], [1], [0], 0, 0, "inf"), "x"),
        ((3, [1], [0], 0, 0, 1), "weights"),
    ],
)
def test_bad_input_names_the_argument(arguments, argument):
    for function in (oracle.generalized_chi2_sf, oracle.certified_generalized_chi2_cdf):
        with pytest.raises(InputError) as caught:
            function(*arguments)
        assert caught.value.argument == argument
