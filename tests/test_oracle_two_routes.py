"""Two routes and the certified value agree: divergences, closed-form curves, calibration; identities and bad input."""

from fractions import Fraction

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ndis_verify.oracle as oracle
from ndis_verify import GaussianPair, InputError
from ndis_verify.oracle.engine.agreement import agree
from ndis_verify.oracle.engine.contour import contour_hockey_stick
from ndis_verify.oracle.engine.precision import PrecisionError
from ndis_verify.oracle.engine.quadratic_form import relative_groups
from ndis_verify.oracle.engine.two_cdf import _route

tenths = st.integers(1, 40).map(lambda n: Fraction(n, 10))
shifts = st.integers(-20, 20).map(lambda n: Fraction(n, 10))
epsilons = st.integers(-10, 40).map(lambda n: Fraction(n, 10))


@st.composite
def diagonal_pairs(draw, max_dimension=3):
    d = draw(st.integers(1, max_dimension))
    column = lambda numbers: draw(st.lists(numbers, min_size=d, max_size=d))
    return GaussianPair(column(shifts), column(tenths), column(shifts), column(tenths))


def agrees_with_certified(name, *arguments, digits=10, finer=20, **target):
    plain = getattr(oracle, name)(*arguments, digits=digits, **target)
    proved = getattr(oracle, "certified_" + name)(*arguments, digits=finer, **target)
    assert proved.basis == "bound"
    assert plain.overlaps(proved), (plain, proved)
    assert plain.relative_radius <= mpmath.mpf(10) ** -digits
    return plain


@settings(max_examples=15)
@given(diagonal_pairs(), epsilons)
def test_both_routes_and_the_proof(pair, epsilon):
    agrees_with_certified("hockey_stick", pair, epsilon)


CASES = {
    "gaussian_tails": (GaussianPair([1, 2], 2, [0, 0], 2), "3"),
    "incomplete_gamma": (GaussianPair([0] * 5, "1.7", [0] * 5, 1), "1"),
    "incomplete_gamma lower": (GaussianPair([0] * 5, "0.7", [0] * 5, 1), "0.5"),
    "quadratic_roots": (GaussianPair(["0.5"], 2, [0], 1), "1"),
    "quadratic_roots inside": (GaussianPair(["0.5"], "0.5", [0], 1), "0.3"),
    "generalized_chi2 ruben": (GaussianPair([1, 0, 1], ["0.5", "0.7", "0.5"], [0] * 3, 1), "0.5"),
    "generalized_chi2 mixed": (GaussianPair([1, 0, 1], ["0.5", "1.7", "1.2"], [0] * 3, 1), "0.5"),
    "generalized_chi2 linear": (GaussianPair([1, 1], [1, "0.4"], [0, 0], 1), "0.5"),
    "generalized_chi2 dense": (GaussianPair([1, 0], [[2, "0.5"], ["0.5", 1]], [0, 0], [[1, "0.2"], ["0.2", 3]]), "0.5"),
}


@pytest.mark.parametrize("name", CASES)
def test_every_second_route(name):
    pair, epsilon = CASES[name]
    assert _route(relative_groups(pair, 15)).__name__.removeprefix("_by_") == name.split()[0]
    value = agrees_with_certified("hockey_stick", pair, epsilon, digits=18, finer=25)
    assert value.basis == "agreement"
    agrees_with_certified("log_hockey_stick", pair, epsilon, digits=12)


def test_sample_value():
    value = oracle.hockey_stick(GaussianPair(["0.5"], [["2"]], ["0"], [["1"]]), "1", 30)
    assert value.contains("0.0861509684526509859978810791809456") and value.basis == "agreement"


def test_deep_tails():
    pair = GaussianPair([1, "0.5"], [2, 1], [0, 0], 1)
    value = agrees_with_certified("hockey_stick", pair, 1600, digits=12)
    assert value.mid < mpmath.mpf("1e-300")
    shift = GaussianPair(["0.5"], 1, [0], 1)
    assert agrees_with_certified("hockey_stick", shift, 36, digits=12).mid < mpmath.mpf("1e-1000")


def test_zero_is_proved_and_the_rest_is_evidence():
    pair = GaussianPair([0, 0], "0.5", [0, 0], 1)
    zero = oracle.hockey_stick(pair, "0.7")
    assert (zero.mid, zero.rad, zero.basis) == (0, 0, "bound")
    assert oracle.hockey_stick(pair, "0.69", 10).basis == "agreement"


@pytest.mark.parametrize("gap", ["1e-12", "1e-30"])
def test_near_equal_pairs(gap):
    with mpmath.workdps(50):
        pair = GaussianPair([gap], [1 + mpmath.mpf(gap)], [0], 1)
    agrees_with_certified("hockey_stick", pair, 0)


AWKWARD = {
    "a Gaussian part of size 1e-10": (GaussianPair([1, "1e-10"], [3, 1], [0, 0], 1), 1),
    "a Gaussian part beside a bounded loss": (GaussianPair([1, "1e-3"], ["0.3", 1], [0, 0], 1), "0.5"),
    "tail coefficient x = 0": (GaussianPair([0, 0], [2, "0.5"], [0, 0], 1), 0),
    "tail coefficient x = 1e-8": (GaussianPair([0, 0], [2, "0.5"], [0, 0], 1), "1e-8"),
    "eigenvalues from 1e-6 to 1e6": (GaussianPair([1, 1, 1], ["1e6", "1e-6", 1], [0, 0, 0], 1), 1),
    "large noncentralities": (GaussianPair([10, 5], ["0.9", "0.5"], [0, 0], 1), 100),
    "ten thousand coordinates": (GaussianPair([0] * 10_000, ["0.99"] * 5000 + ["1.02"] * 5000, [0] * 10_000, 1), 10),
    "means far apart": (GaussianPair(["1e10"], ["0.5"], [0], 1), 10),
}


@pytest.mark.parametrize("name", AWKWARD)
def test_awkward_pairs(name):
    agrees_with_certified("hockey_stick", *AWKWARD[name])


@pytest.mark.parametrize(
    "arguments", [(1, 1, 1), (1, "0.05", 1), (1, 7, 5), (1, 1, -2), (0, 1, 1), (0, 1, -1), ("1e-20", 1, 0)]
)
def test_mean_shift(arguments):
    agrees_with_certified("gaussian_hockey_stick", *arguments, digits=15)


@pytest.mark.parametrize("direction", ["delete", "insert"])
@pytest.mark.parametrize(
    ("leverage", "r", "epsilon"),
    [("0.1", 50, "0.5"), ("0.1", 50, "3"), ("0.01", 10_000, 2), ("1e-9", 100, 0), (0, 5, 1), ("0.5", 1, "-1")],
)
def test_random_projection(leverage, r, epsilon, direction):
    agrees_with_certified("rp_hockey_stick", leverage, r, epsilon, direction, digits=12)


def test_projection_is_the_pair_of_scaled_identities():
    """N26-L4: deleting leverage p is N(0, I) against N(0, (1 - p) I) on R^r."""
    pair = GaussianPair([0] * 7, 1, [0] * 7, "0.75")
    assert oracle.certified_rp_hockey_stick("0.25", 7, "0.4", "delete").overlaps(
        oracle.certified_hockey_stick(pair, "0.4")
    )
    insert = oracle.certified_rp_hockey_stick("0.25", 7, "0.4", "insert")
    assert insert.overlaps(oracle.certified_hockey_stick(pair.swapped(), "0.4"))


def test_insertion_is_zero_past_its_largest_loss():
    """2 epsilon >= r log(1/(1 - p)): log(4/3)/2 = 0.1438... for r = 1, p = 1/4."""
    assert oracle.certified_rp_hockey_stick("0.25", 1, "0.14385", "insert").sign() == 0
    assert oracle.certified_rp_hockey_stick("0.25", 1, "0.14384", "insert").sign() == 1


@pytest.mark.parametrize("delta", ["0.3", "1e-6", "1e-100"])
def test_calibration(delta):
    std = agrees_with_certified("gaussian_std", 1, epsilon=1, delta=delta, digits=8)
    assert oracle.certified_gaussian_hockey_stick(1, std.upper, 1, 15).upper <= Fraction(delta)
    leverage = agrees_with_certified("rp_leverage", 20, epsilon=1, delta=delta, digits=8)
    assert oracle.certified_rp_hockey_stick(leverage.lower, 20, 1, "delete", 15).upper <= Fraction(delta)
    assert oracle.certified_rp_hockey_stick(leverage.upper, 20, 1, "delete", 15).lower > Fraction(delta)


def test_epsilon_for_delta():
    agrees_with_certified("epsilon_for_delta", GaussianPair([1, 0], [2, "0.5"], [0, 0], 1), "1e-5", digits=6)
    agrees_with_certified("epsilon_for_delta", GaussianPair([1, 0], ["0.2", "0.5"], [0, 0], 1), 0, digits=20)


def test_total_variation_at_epsilon_zero_is_the_normal_distribution_function():
    """Mean shift D: delta(0) = 2 Phi(D/2) - 1 = erf(D/sqrt 8)."""
    with mpmath.workdps(40):
        assert abs(oracle.gaussian_hockey_stick(3, 1, 0, 30).mid - mpmath.erf(3 / mpmath.sqrt(8))) < mpmath.mpf("1e-30")


def test_quadratic_form_as_printed():
    """N26-L1 at d = 1: a = 1 - v1/v2, b = -sqrt(v1)(mu1 - mu2)/v2 up to sign, c = log(v1/v2)/2 - (mu1 -
    mu2)^2/(2 v2).
    """
    form = oracle.quadratic_form(GaussianPair(["0.5", "0.5"], [3, 3], [0, 0], 2), 30)
    assert form.multiplicity == (2,)
    with mpmath.workdps(30):
        assert abs(form.a[0] + mpmath.mpf(1) / 2) < mpmath.mpf("1e-29")
        assert abs(form.b[0] - mpmath.sqrt(2 * 3 * mpmath.mpf("0.25")) / 2) < mpmath.mpf("1e-29")
        assert abs(form.c - (mpmath.log(mpmath.mpf(3) / 2) - mpmath.mpf("0.125"))) < mpmath.mpf("1e-29")


@settings(max_examples=15)
@given(diagonal_pairs())
def test_quadratic_form_groups_account_for_everything(pair):
    """c = (1/2) sum k log(1 - a) - (1/2) sum b^2/(1 - a), and the multiplicities add up to d."""
    form = oracle.quadratic_form(pair, 20)
    assert form.dimension == pair.dimension
    with mpmath.workdps(40):
        rest = mpmath.fsum(
            k * mpmath.log(1 - a) - b * b / (1 - a) for a, b, k in zip(form.a, form.b, form.multiplicity, strict=True)
        )
        assert abs(form.c - rest / 2) < mpmath.mpf("1e-18") * (1 + abs(form.c))


def test_disagreeing_routes_are_refused():
    with pytest.raises(PrecisionError, match="two routes give"):
        agree(lambda n: mpmath.mpf(1), lambda n: mpmath.mpf(1) + mpmath.mpf("1e-6"), 10, "test")


def test_a_wrong_spectrum_is_noticed():
    """The second route is not a copy of the first: one eigenvalue off by 1e-9 shows at 12 digits."""
    pair = GaussianPair([1, 0], [2, "0.5"], [0, 0], 1)
    groups = relative_groups(pair, 20)
    with mpmath.workdps(60):
        bent = [type(g)(g.alpha * (1 + mpmath.mpf("1e-9")), g.multiplicity, g.m2) for g in groups]
        value = contour_hockey_stick(bent, mpmath.mpf(1), 20)[0]
    assert not oracle.certified_hockey_stick(pair, 1, 12).contains(value)


@pytest.mark.parametrize(
    ("call", "argument"),
    [
        (lambda: oracle.hockey_stick(3, 1), "pair"),
        (lambda: oracle.hockey_stick(GaussianPair([0], 1, [1], 1), "one"), "epsilon"),
        (lambda: oracle.hockey_stick(GaussianPair([0], 1, [1], 1), 1, digits=0), "digits"),
        (lambda: oracle.epsilon_for_delta(GaussianPair([0], 1, [1], 1), 2), "delta"),
        (lambda: oracle.epsilon_for_delta(GaussianPair([0], 1, [1], 1), 0), "delta"),
        (lambda: oracle.gaussian_hockey_stick(-1, 1, 1), "sensitivity"),
        (lambda: oracle.gaussian_hockey_stick(1, 0, 1), "std"),
        (lambda: oracle.gaussian_std(1, epsilon=-1, delta="0.1"), "epsilon"),
        (lambda: oracle.gaussian_std(1, epsilon=1, delta=1), "delta"),
        (lambda: oracle.gaussian_std(0, epsilon=1, delta="0.1"), "sensitivity"),
        (lambda: oracle.rp_hockey_stick(1, 5, 1), "leverage"),
        (lambda: oracle.rp_hockey_stick("0.1", 0, 1), "r"),
        (lambda: oracle.rp_hockey_stick("0.1", 2.5, 1), "r"),
        (lambda: oracle.rp_hockey_stick("0.1", 5, 1, "sideways"), "direction"),
        (lambda: oracle.rp_leverage(5, epsilon=1, delta=0), "delta"),
    ],
)
def test_bad_input_names_the_argument(call, argument):
    with pytest.raises(InputError) as caught:
        call()
    assert caught.value.argument == argument


@pytest.mark.parametrize("mean, cov", [(["0.5", "0"], 1), ([0, 0], [["2", "0.3"], ["0.3", "1"]])])
def test_a_direction_too_narrow_for_the_precision_is_said_to_be_so(mean, cov):
    wide = [["1.8e308", "0.3"], ["0.3", "1"]]
    with pytest.raises(PrecisionError, match="ratio of variances"):
        oracle.hockey_stick(GaussianPair(mean, cov, [0, 0], wide), "1", digits=20)
