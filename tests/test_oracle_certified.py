"""Certified divergences: identities, containment, exact zeros, deep tails, the tail bound against direct
integration.
"""

from fractions import Fraction

import mpmath
import numpy as np
import pytest
from flint import acb, arb, ctx
from hypothesis import given, settings
from hypothesis import strategies as st

from ndis_verify import GaussianPair, InputError
from ndis_verify.enclosure import Enclosure
from ndis_verify.oracle import (
    certified_epsilon_for_delta,
    certified_gaussian_hockey_stick,
    certified_hockey_stick,
    certified_log_hockey_stick,
    certified_rp_hockey_stick,
    hockey_stick,
    log_hockey_stick,
)
from ndis_verify.oracle.certified.engine.balls import working_bits
from ndis_verify.oracle.certified.engine.spectrum import spectrum
from ndis_verify.oracle.certified.engine.tail import Term, Transform, tail_bound
from ndis_verify.oracle.engine.precision import PrecisionError

tenths = st.integers(1, 40).map(lambda n: Fraction(n, 10))
shifts = st.integers(-20, 20).map(lambda n: Fraction(n, 10))
epsilons = st.integers(0, 40).map(lambda n: Fraction(n, 10))


@st.composite
def diagonal_pairs(draw, max_dimension=3):
    d = draw(st.integers(1, max_dimension))
    column = lambda numbers: draw(st.lists(numbers, min_size=d, max_size=d))
    return GaussianPair(column(shifts), column(tenths), column(shifts), column(tenths))


def dense_pair(seed, d, spread=0.3):
    rng = np.random.default_rng(seed)

    def cov():
        root = rng.standard_normal((d, d))
        full = root @ root.T / d + spread * np.eye(d)
        return (full + full.T) / 2

    return GaussianPair(rng.standard_normal(d), cov(), rng.standard_normal(d), cov())


def is_within(inner: Enclosure, outer: Enclosure) -> bool:
    return outer.lower <= inner.lower and inner.upper <= outer.upper


def test_sample_value_from_the_line_protocol():
    value = certified_hockey_stick(GaussianPair(["0.5"], [["2"]], ["0"], [["1"]]), "1", 30)
    assert value.basis == "bound"
    assert abs(value.lower - Fraction("0.0861509684526509859978810791809")) < Fraction(1, 10**31)
    assert value.relative_radius <= mpmath.mpf(10) ** -30


@settings(max_examples=25)
@given(diagonal_pairs(), epsilons)
def test_more_digits_lie_inside_fewer(pair, epsilon):
    coarse, fine = certified_hockey_stick(pair, epsilon, 8), certified_hockey_stick(pair, epsilon, 25)
    assert coarse.overlaps(fine)
    assert fine.relative_radius <= mpmath.mpf(10) ** -25
    assert fine.upper >= 0 and fine.lower <= 1


@settings(max_examples=20)
@given(diagonal_pairs(), epsilons)
def test_reflection_identity(pair, epsilon):
    """delta_PQ(eps) = 1 - e^eps + e^eps delta_QP(-eps)."""
    left, right = certified_hockey_stick(pair, epsilon, 20), certified_hockey_stick(pair.swapped(), -epsilon, 25)
    with mpmath.workdps(40):
        scale = mpmath.exp(mpmath.mpf(epsilon.numerator) / epsilon.denominator)
        gap = abs(left.mid - (1 - scale + scale * right.mid))
        assert gap <= left.rad + scale * right.rad + mpmath.mpf("1e-35") * scale


@settings(max_examples=15)
@given(diagonal_pairs())
def test_total_variation_is_symmetric(pair):
    assert certified_hockey_stick(pair, 0, 20).overlaps(certified_hockey_stick(pair.swapped(), 0, 20))


@settings(max_examples=15)
@given(diagonal_pairs(2), epsilons, st.integers(-3, 3), st.integers(1, 3))
def test_affine_change_of_variables(pair, epsilon, shear, stretch):
    """x -> T x with T = [[1, shear], [0, stretch]] (or the scalar stretch) moves neither curve."""
    d = pair.dimension
    transform = np.array([[1, shear], [0, stretch]], dtype=object) if d == 2 else np.array([[stretch]], dtype=object)
    moved = GaussianPair(
        list(transform @ pair.mean_p),
        (transform @ pair.cov_p.dense() @ transform.T).tolist(),
        list(transform @ pair.mean_q),
        (transform @ pair.cov_q.dense() @ transform.T).tolist(),
    )
    assert certified_hockey_stick(pair, epsilon, 15).overlaps(certified_hockey_stick(moved, epsilon, 15))


def test_dense_spectrum_proves_multiplicities_and_zeros():
    """A rotated diag(3, 3, 1, 2) against I, all rational: alpha = 2 twice, 0 once, 1 once."""
    half = Fraction(1, 2)
    hadamard = np.array([[1, 1, 1, 1], [1, -1, 1, -1], [1, 1, -1, -1], [1, -1, -1, 1]], dtype=object) * half
    cov = hadamard @ np.diag(np.array([3, 3, 1, 2], dtype=object)) @ hadamard.T
    shift = hadamard @ np.array([2, 1, 5, 0], dtype=object)
    found = spectrum(GaussianPair(list(shift), cov.tolist(), [0] * 4, 1))
    values = {round(float(e.alpha)): (e.multiplicity, round(float(e.m2), 9)) for e in found.nonzero(80)}
    assert values == {2: (2, 5.0), 1: (1, 0.0)}
    assert found.null_m2 == 25
    assert found.det_ratio() == 18
    assert found.shift_over_alpha() == Fraction(5, 2)


@pytest.mark.parametrize("seed", [1, 2])
def test_dense_spectrum_against_scipy(seed):
    from scipy.linalg import eigh

    pair = dense_pair(seed, 7)
    cov_p, cov_q = (np.array(c.float_entries()) for c in (pair.cov_p, pair.cov_q))
    values, vectors = eigh(cov_p - cov_q, cov_q)
    parts = (vectors.T @ (np.array(pair.mean_p) - np.array(pair.mean_q))) ** 2
    found = sorted((float(e.alpha), float(e.m2)) for e in spectrum(pair).nonzero(100))
    np.testing.assert_allclose([a for a, _ in found], values, atol=1e-11)
    np.testing.assert_allclose([m for _, m in found], parts, rtol=1e-7, atol=1e-10)


def test_splitting_equal_eigenvalues_changes_nothing():
    """r identical coordinates cost one, and a dense matrix with the same eigenvalues agrees."""
    merged = GaussianPair([1, 0, 0, 2], [2, 2, 2, "0.5"], [0] * 4, 1)
    rotated = GaussianPair([0, 1, 2, 0], [["2", 0, 0, 0], [0, "2", 0, 0], [0, 0, "0.5", 0], [0, 0, 0, "2"]], [0] * 4, 1)
    assert certified_hockey_stick(merged, 1, 25).overlaps(certified_hockey_stick(rotated, 1, 25))


def test_ten_thousand_identical_coordinates_match_the_incomplete_gamma():
    pair = GaussianPair([0] * 10_000, "0.99", [0] * 10_000, "1")
    assert certified_hockey_stick(pair, 2, 25).overlaps(certified_rp_hockey_stick("0.01", 10_000, 2, "insert", 25))


@pytest.mark.parametrize(
    ("pair", "edge"),
    [
        (GaussianPair([0, 0], "0.5", [0, 0], 1), lambda: mpmath.log(2)),
        (GaussianPair([1], ["0.5"], [0], 1), lambda: mpmath.log(2) / 2 + 1),
        (GaussianPair([1, 0], [["0.5", "0"], ["0", "0.25"]], [0, 0], 1), lambda: mpmath.log(8) / 2 + 1),
    ],
)
def test_exact_zero_above_the_largest_loss_and_only_there(pair, edge):
    with mpmath.workdps(60):
        largest = edge()
        above, below = largest + mpmath.mpf("1e-40"), largest - mpmath.mpf("1e-40")
        zero, tiny = certified_hockey_stick(pair, above, 20), certified_hockey_stick(pair, below, 20)
        bound = certified_epsilon_for_delta(pair, 0, 35)
        assert abs(bound.mid - largest) <= bound.rad + mpmath.mpf("1e-55")
    assert (zero.mid, zero.rad, zero.basis) == (0, 0, "bound")
    assert tiny.lower > 0 and tiny.upper < Fraction(1, 10**40)


def test_identical_pair_is_exactly_zero():
    pair = GaussianPair([1, 2], [["2", "0.3"], ["0.3", "1"]], [1, 2], [["2", "0.3"], ["0.3", "1"]])
    assert certified_hockey_stick(pair, 0).sign() == 0
    assert abs(certified_hockey_stick(pair, -1, 20).lower - (1 - exact_exp(-1))) < Fraction(1, 10**19)


def exact_exp(x):
    with mpmath.workdps(40):
        return Fraction(mpmath.nstr(mpmath.exp(x), 35))


@pytest.mark.parametrize(("epsilon", "below"), [("36", -1000), ("20", -300)])
def test_deep_tails_by_the_closed_form(epsilon, below):
    pair = GaussianPair(["0.5"], 1, [0], 1)
    value, closed = certified_hockey_stick(pair, epsilon, 50), certified_gaussian_hockey_stick("0.5", 1, epsilon, 60)
    assert value.mid < mpmath.mpf(10) ** below
    assert is_within(closed, value)


def test_log_where_the_divergence_underflows_everything():
    pair = GaussianPair([1, 0], [2, "0.3"], [0, 0], 1)
    log_value = certified_log_hockey_stick(pair, 20_000, 20)
    assert -25_000 < log_value.mid < -15_000
    direct = certified_hockey_stick(pair, 100, 30)
    with mpmath.workdps(40):
        assert certified_log_hockey_stick(pair, 100, 25).contains(mpmath.log(direct.mid))


@pytest.mark.parametrize("d", [128, 600])
def test_log_of_a_divergence_next_to_1_keeps_its_relative_digits(d):
    pair = GaussianPair([0] * d, ["0.5"] * d, [0] * d, 1)
    value = certified_log_hockey_stick(pair, "0.125", digits=40)
    assert value.relative_radius <= mpmath.mpf(10) ** -40
    assert value.overlaps(log_hockey_stick(pair, "0.125", digits=25))


def test_log_of_zero_is_refused():
    with pytest.raises(InputError, match="exactly 0"):
        certified_log_hockey_stick(GaussianPair([0], "0.5", [0], 1), 5)


@pytest.mark.parametrize("gap", ["1e-12", "1e-30"])
def test_near_equal_pairs_follow_the_first_order_term(gap):
    """N(0, 1 + g) against N(0, 1): TV = g/(sqrt(2 pi e)) (1 + O(g)), from d/dv of Phi at its two crossing points."""
    with mpmath.workdps(60):
        width = mpmath.mpf(gap)
        pair = GaussianPair([0], [1 + width], [0], 1)
        value = certified_hockey_stick(pair, 0, 20)
        expected = width / mpmath.sqrt(2 * mpmath.pi * mpmath.e)
        assert abs(value.mid / expected - 1) < 2 * width + mpmath.mpf("1e-18")


def test_near_equal_covariances_with_a_mean_shift():
    pair = GaussianPair([1, 0], ["1.000000000000000000000000000001", 1], [0, 0], 1)
    value, limit = certified_hockey_stick(pair, 1, 25), certified_gaussian_hockey_stick(1, 1, 1, 35)
    assert abs(value.mid - limit.mid) < mpmath.mpf("1e-29")


def test_large_dense_pair_to_fifty_digits():
    pair = dense_pair(5, 24)
    value = certified_hockey_stick(pair, 3, 50)
    assert value.relative_radius <= mpmath.mpf(10) ** -50
    assert value.overlaps(hockey_stick(pair, 3, 8))


@settings(max_examples=6)
@given(diagonal_pairs(2), st.integers(1, 12))
def test_epsilon_for_delta_is_a_bracket(pair, exponent):
    delta = Fraction(1, 10**exponent)
    root = certified_epsilon_for_delta(pair, delta, 10)
    assert certified_hockey_stick(pair, root.upper, 15).upper <= delta or root.upper == 0
    if root.mid > 0:
        assert certified_hockey_stick(pair, root.lower, 15).lower > delta


def test_epsilon_zero_where_delta_is_met_at_once():
    pair = GaussianPair([0], 1, ["0.1"], 1)
    assert certified_epsilon_for_delta(pair, "0.5").sign() == 0
    assert certified_epsilon_for_delta(pair, 1).sign() == 0


@pytest.mark.parametrize(
    ("delta", "digits"),
    [("-0.1", 30), ("1.5", 30), ("0", 30), ("1e-5", 0), ("1e-5", 10**6), ("1e-5", 2.5), ("nan", 30)],
)
def test_bad_calibration_input(delta, digits):
    with pytest.raises(InputError):
        certified_epsilon_for_delta(GaussianPair([0], 1, [1], 1), delta, digits)


@pytest.mark.parametrize("epsilon", ["x", float("nan"), float("inf"), True, None])
def test_bad_epsilon(epsilon):
    with pytest.raises(InputError, match="epsilon"):
        certified_hockey_stick(GaussianPair([0], 1, [1], 1), epsilon)


def test_not_a_pair():
    with pytest.raises(InputError, match="pair"):
        certified_hockey_stick("pair", 1)


def test_precision_does_not_leak():
    before, digits = ctx.prec, mpmath.mp.prec
    certified_hockey_stick(GaussianPair([0], 2, [1], 1), 1, 60)
    with pytest.raises(InputError):
        certified_log_hockey_stick(GaussianPair([0], "0.5", [0], 1), 5)
    assert (ctx.prec, mpmath.mp.prec) == (before, digits)


def ray_integral(transform, r, u):
    """int |g(r + t u)| dt/|g(r)| by plain quadrature."""

    def size(t):
        s = complex(r) + t * u
        total = -float(transform.y) * s - np.log(s) - (np.log(s + 1) if transform.second_pole else 0)
        for term in transform.terms:
            w = 1 - s * float(term.alpha)
            total += (float(term.p) * s * s + float(term.q) * s) / (2 * w) - term.multiplicity / 2 * np.log(w)
        return total.real

    from scipy.integrate import quad

    return quad(lambda t: np.exp(size(t) - size(0.0)), 0, np.inf, limit=400)[0]


@settings(max_examples=40)
@given(
    st.lists(st.tuples(st.sampled_from([-0.7, -0.2, 0.3, 1.5]), st.integers(1, 4), shifts), min_size=1, max_size=3),
    st.integers(-20, 20),
    st.integers(1, 20),
    st.sampled_from([1j, 1, -1]),
    st.booleans(),
    st.integers(-15, 15),
)
def test_tail_bound_is_above_the_tail(parts, real, imag, u, second_pole, offset):
    with working_bits(80):
        terms = tuple(
            Term(arb(a), k, arb(float(m * m)) if second_pole else arb(0), arb(float(m * m)) * (1 if second_pole else a))
            for a, k, m in {a: (a, k, m) for a, k, m in parts}.values()
        )
        x = arb(offset) / 10
        y = x - sum((t.p / (2 * t.alpha) for t in terms), arb(0))
        transform = Transform(y, terms, x, second_pole)
        r = acb(arb(real) / 2, arb(imag) / 2)
        bound = tail_bound(transform, r, u)
    if bound is not None:
        assert float(bound) >= ray_integral(transform, r, u) * (1 - 1e-6)


@pytest.mark.parametrize(("alpha", "u", "offset"), [(0.3, 1, 0.1), (-0.3, -1, -0.1)])
def test_tail_bound_pays_for_a_branch_point_still_ahead(alpha, u, offset):
    """The ray passes 1/alpha at a height of 1/2, where |1 - s alpha|^{-k/2} has grown: exp(-x t) alone is no bound."""
    with working_bits(80):
        transform = Transform(arb(offset), (Term(arb(alpha), 8, arb(0), arb(0)),), arb(offset), True)
        r = acb(0.1 if u == 1 else -1.1, 0.5)
        bound = float(tail_bound(transform, r, u))
    tail = ray_integral(transform, complex(0.1 if u == 1 else -1.1, 0.5), u)
    assert 1 / abs(offset) < tail <= bound


@pytest.mark.parametrize(("shift", "epsilon"), [("1e-200", "1"), ("1e-300", "1e-160")])
def test_a_number_too_far_for_a_plan_is_refused_at_once(shift, epsilon):
    """Its logarithm, about -epsilon^2/(2 shift^2), is beyond what floats hold; a polygon would not end."""
    with pytest.raises(PrecisionError, match="beyond -1e230"):
        certified_hockey_stick(GaussianPair([shift], [[1]], [0], [[1]]), epsilon)
