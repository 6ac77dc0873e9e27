"""Fast divergences next to the largest loss, and wherever the saddle point lies far out, against certified values."""

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ndis_verify import GaussianPair
from ndis_verify.fast import PairBatch, Spectrum, epsilon_for_delta, hockey_stick, log_hockey_stick, spectrum
from ndis_verify.fast.engine import support_edge
from ndis_verify.fast.engine.exact_moment import Inputs, diagonal_log_moment
from ndis_verify.fast.engine.exact_products import expansion
from ndis_verify.fast.engine.fixed_point import BITS, factors, fixed, floats, solved
from ndis_verify.fast.engine.graded_pencil import graded_pencil
from ndis_verify.oracle import certified_epsilon_for_delta, certified_hockey_stick, certified_log_hockey_stick

FORMS = ["diagonal pair", "dense pair", "diagonal batch", "dense batch"]


def agrees(pair, epsilon, delta, log_delta):
    """The contract: 1e-11 of delta, of log delta where delta is below 1e-290, and an exact 0."""
    reference = certified_hockey_stick(pair, epsilon, digits=16)
    if reference.mid == 0:
        return delta == 0 and log_delta == -math.inf
    if reference.mid > 1e-290:
        return abs(delta / reference.mid - 1) < 1e-11
    return abs(log_delta / certified_log_hockey_stick(pair, epsilon, digits=16).mid - 1) < 1e-11


def evaluated(form, arrays, epsilon):
    """delta and log delta of the pair alone, or as the middle row of a batch."""
    if form.endswith("pair"):
        pair = GaussianPair(*arrays)
        return float(hockey_stick(pair, epsilon)), float(log_hockey_stick(pair, epsilon))
    dimension = len(arrays[0])
    plain = (np.full(dimension, 0.25), 2.0 * np.ones(dimension), np.zeros(dimension), np.ones(dimension))
    if form == "dense batch":
        plain = tuple(np.diag(part) if k % 2 else part for k, part in enumerate(plain))
    batch = PairBatch(*(np.stack([other, part, other]) for other, part in zip(plain, arrays)))
    return float(hockey_stick(batch, epsilon)[1]), float(log_hockey_stick(batch, [0.5, epsilon])[1, 1])


def turned(rng, mean, ratios, condition):
    """A pair with about these shifts and eigenvalue ratios, rounded, whose covariances are dense and so conditioned."""
    size = len(mean)
    left, right = (np.linalg.qr(rng.normal(size=(size, size)))[0] for _ in range(2))
    change = (left * condition ** np.linspace(-0.25, 0.25, size)) @ right
    first, second = (change * np.asarray(ratios)) @ change.T, change @ change.T
    return change @ mean, (first + first.T) / 2, np.zeros(size), (second + second.T) / 2


def arrays_of(form, seed, mean, ratios, condition=1e4):
    rng = np.random.default_rng(seed)
    if form.startswith("dense"):
        return turned(rng, np.array(mean), ratios, condition)
    scale = 10 ** rng.uniform(-1, 1, len(mean))
    return np.sqrt(scale) * mean + 0.1, np.array(ratios) * scale, np.full(len(mean), 0.1), scale


def largest_loss(arrays):
    """sup L of these arrays, exactly as they are, in 60 digits."""
    with mpmath.workdps(60):
        p, q = (mpmath.matrix(np.diag(c).tolist() if c.ndim == 1 else c.tolist()) for c in (arrays[1], arrays[3]))
        shift = mpmath.matrix(arrays[0].tolist()) - mpmath.matrix(arrays[2].tolist())
        return (mpmath.log(mpmath.det(q) / mpmath.det(p)) + (shift.T * mpmath.lu_solve(q - p, shift))[0]) / 2


coordinates = st.lists(st.tuples(st.floats(-6, -0.01), st.floats(-4, 0.5), st.booleans()), min_size=1, max_size=4)


@pytest.mark.parametrize("form", FORMS)
@settings(max_examples=15)
@given(coordinates, st.floats(-15, -1), st.integers(0, 99))
def test_below_the_largest_loss(form, drawn, distance, seed):
    ratios = [1 - 10**x for x, _, _ in drawn]
    # Shifts in proportion to 1 - lambda, so that the largest loss is moderate.
    mean = [10**y * math.sqrt(1 - ratio) * moved for (_, y, moved), ratio in zip(drawn, ratios)]
    arrays = arrays_of(form, seed, mean, ratios)
    with mpmath.workdps(60):
        below, above = (float(largest_loss(arrays) * (1 + sign * mpmath.mpf(10) ** distance)) for sign in (-1, 1))
    pair = GaussianPair(*arrays)
    for epsilon in (below, above):
        assert agrees(pair, epsilon, *evaluated(form, arrays, epsilon))


@pytest.mark.parametrize("form", FORMS)
@settings(max_examples=12)
@given(
    st.floats(0.01, 3),
    st.floats(0, 3),
    st.floats(-11, -3),
    st.sampled_from([-1.0, 0.0, 1.0]),
    st.floats(-14, -2),
    st.integers(0, 99),
)
def test_below_the_largest_loss_of_some_coordinates(form, decades, mean, slight, sign, distance, seed):
    """One coordinate with a bounded loss and one that hardly tells, in which the loss is not bounded."""
    ratio, alpha = 10**-decades, 10**slight
    if form.startswith("dense") and not sign:
        sign = 1.0  # rounding would leave a difference of 1e-16, below what is promised
    arrays = arrays_of(form, seed, [mean, 0.5 * alpha], [ratio, 1 + sign * alpha], 10.0)
    edge = -0.5 * math.log(ratio) + 0.5 * mean**2 / (1 - ratio)
    pair = GaussianPair(*arrays)
    for epsilon in (edge * (1 - 10**distance), edge * (1 + 10**distance)):
        assert agrees(pair, epsilon, *evaluated(form, arrays, epsilon))


@pytest.mark.parametrize("below", [1e-3, 1e-9, 1e-14, -1e-14])
def test_a_spectrum_is_meant_exactly(below):
    slight = 2.0**-17
    laws = Spectrum([-0.5, -slight], [0.25, slight**2], [2, 30])
    pair = GaussianPair([0.5, 0, slight] + 29 * [0], [0.5, 0.5] + 30 * [1 - slight], np.zeros(32), 1.0)
    with mpmath.workdps(40):
        largest = -mpmath.log(0.5) - 15 * mpmath.log1p(-slight) + (0.5 + slight) / 2
        epsilon = float(largest * (1 - mpmath.mpf(below)))
    assert agrees(pair, epsilon, float(hockey_stick(laws, epsilon)), float(log_hockey_stick(laws, epsilon)))


@pytest.mark.parametrize("swap", [False, True])
def test_coordinates_that_say_nothing_in_dense_pairs(swap):
    """The loss is bounded although rounding leaves the sign of alpha open there."""
    rng = np.random.default_rng(3)
    change = np.rint(rng.normal(size=(6, 6)) * 16) / 16
    ratios, mean = np.array([0.5, 1.0, 1.0, 0.25, 1.0, 0.125]), np.array([0.5, 0.0, 0.0, 0.0, 0.0, -0.25])
    pair = GaussianPair(change @ mean, (change * ratios) @ change.T, np.zeros(6), change @ change.T)
    laws = spectrum(pair.swapped()).swapped() if swap else spectrum(pair)
    assert (laws.alpha == 0).sum() == 3 and laws.alpha.max() == 0
    largest = 0.5 * math.log(64) + 0.5 * (0.25 / 0.5 + 0.0625 / 0.875)
    assert np.isneginf(log_hockey_stick(laws, [largest * (1 + 1e-15), 2 * largest, 200.0])).all()
    for epsilon in (0.5, largest * (1 - 1e-12)):
        assert agrees(pair, epsilon, float(hockey_stick(laws, epsilon)), float(log_hockey_stick(laws, epsilon)))


@pytest.mark.parametrize("form", ["diagonal pair", "dense pair"])
def test_the_least_epsilon_of_a_bounded_loss(form):
    arrays = arrays_of(form, 5, [0.3, 0.0, 0.5], [0.5, 0.999, 0.01])
    pair = GaussianPair(*arrays)
    targets = np.array([0.0, 1e-300, 1e-60, 1e-20, 1e-3])
    epsilon = epsilon_for_delta(pair, targets)
    largest = float(certified_epsilon_for_delta(pair, 0, digits=20).mid)
    assert largest <= epsilon[0] <= largest + np.spacing(largest)
    assert (np.diff(epsilon) <= 0).all()
    for target, value in zip(targets, epsilon):
        assert certified_hockey_stick(pair, float(value), digits=16).mid <= target
        if target:
            assert certified_hockey_stick(pair, float(value) * (1 - 1e-9), digits=16).mid > target


def test_only_rows_and_epsilons_that_need_it_are_paid_for():
    rng = np.random.default_rng(2)
    ratios = np.exp(-rng.uniform(0.1, 2, (50, 3)))
    mean = rng.normal(size=(50, 3))
    for cov_p, cov_q in ((ratios, np.ones(1)), (ratios[:, :, None] * np.eye(3), np.eye(3)[None])):
        laws = spectrum(PairBatch(mean, cov_p, np.zeros((1, 3)), cov_q))
        largest = -0.5 * np.log(ratios).sum(axis=1) + 0.5 * (mean**2 / (1 - ratios)).sum(axis=1)
        hockey_stick(laws, [0.0, 0.1])
        hockey_stick(laws, 2 * largest.max())
        assert laws not in support_edge._known
        hockey_stick(laws, largest[7] * (1 - 1e-7))
        found = support_edge._known[laws]["constants"]
        assert any(row == 7 for row, _ in found) and len(found) < 10


@pytest.mark.parametrize("condition", [1e10, 1e13])
@pytest.mark.parametrize("ratios", [(0.5, 0.75, 1.5, 2.0), (1e-6, 2e-6, 0.3, 1e6), (1e-5, 0.9, 0.99, 0.9999)])
def test_badly_conditioned_covariances(condition, ratios):
    """Exactly known spectra behind badly conditioned covariances, rational numbers all of them."""
    rng = np.random.default_rng(6)
    change = _fractions(turned(rng, np.zeros(4), np.ones(4), condition)[3])
    mean, diagonal = _fractions([0.5, 0.0, 1e-3, 0.25]), _fractions(ratios)
    dense = GaussianPair(change @ mean, (change * diagonal) @ change.T, np.zeros(4), change @ change.T)
    plain = GaussianPair(mean, diagonal, np.zeros(4), 1)
    for pair, reference in ((dense, plain), (dense.swapped(), plain.swapped())):
        for epsilon in (0.0, 0.25, 5.0, 30.0):
            assert agrees(
                reference, epsilon, float(hockey_stick(pair, epsilon)), float(log_hockey_stick(pair, epsilon))
            )


def _fractions(values):
    array = np.asarray(values, dtype=float)
    return np.array([*(Fraction(v) for v in array.ravel().tolist()), None], dtype=object)[:-1].reshape(array.shape)


@pytest.mark.parametrize("seed", range(9, 14))  # which errors of rounding meet is LAPACK's affair
@pytest.mark.parametrize("condition", [1.0, 1e6, 1e16])
def test_graded_eigenvalues_have_relative_accuracy(condition, seed):
    rng = np.random.default_rng(seed)
    ratios = np.array([2.0**-20, 2.0**-19, 0.25, 1 - 2.0**-40, 1 + 2.0**-30, 3.0, 2.0**20])
    mean = np.array([2.0**-20, 1.0, 2.0**-30, 2.0**-25, 0.5, 3.0, 2.0**-10])
    change = _fractions(turned(rng, np.zeros(7), np.ones(7), condition)[3])
    p, q = (change * _fractions(ratios)) @ change.T, change @ change.T
    alpha, shift, logs = graded_pencil(
        p[None], q[None], (change @ _fractions(mean))[None], _fractions(np.zeros((1, 7)))
    )
    beside_the_largest = 2e-31 * 2.0**20
    np.testing.assert_allclose(alpha[0], ratios - 1, rtol=2e-15, atol=beside_the_largest)
    np.testing.assert_allclose(shift[0], mean, rtol=4e-15, atol=3e-17 * 3.0)
    np.testing.assert_allclose(shift[0], mean, rtol=1e-8)
    np.testing.assert_allclose(logs[0].astype(float), np.log(ratios), rtol=2e-15, atol=beside_the_largest)


def test_close_and_equal_eigenvalues():
    """In clusters only totals of m^2 are determined."""
    rng = np.random.default_rng(10)
    ratios = np.array([0.25, 0.25, 0.25 + 2.0**-50, 1.0, 1.0, 1 - 2.0**-45, 1 - 2.0**-45 - 2.0**-53])
    mean = np.array([1.0, 0.5, 0.25, 0.0, 0.0, 2.0**-45, 2.0**-46])
    change = _fractions(turned(rng, np.zeros(7), np.ones(7), 1e3)[3])
    p, q = (change * _fractions(ratios)) @ change.T, change @ change.T
    alpha, shift, _ = graded_pencil(p[None], q[None], (change @ _fractions(mean))[None], _fractions(np.zeros((1, 7))))
    np.testing.assert_allclose(alpha[0], np.sort(ratios) - 1, rtol=1e-14)
    assert alpha[0, 5:].tolist() == shift[0, 5:].tolist() == [0.0, 0.0]
    assert np.square(shift[0, :3]).sum() == pytest.approx(1.3125, rel=1e-14)
    assert shift[0, 3:5].sum() == pytest.approx(2.0**-90 * 1.25, rel=1e-12)


def test_moments_need_no_eigenvalues():
    mean, p, q = np.array([0.5, -1.0, 0.0]), np.array([0.5, 3.0, 1.0]), np.array([1.0, 2.0, 1.0])
    change = np.array([[1.0, 0.5, 0.0], [0.25, 1.0, -1.0], [2.0, 0.0, 1.0]])
    diagonal = Inputs(p[None], q[None], mean[None], np.zeros((1, 3)))
    dense = Inputs(
        ((change * p) @ change.T)[None], ((change * q) @ change.T)[None], (change @ mean)[None], np.zeros((1, 3))
    )
    with mpmath.workprec(BITS):
        for exponent in (-40, -3, 0):
            s = mpmath.ldexp(1, exponent)
            terms = ((mpmath.mpf(a) / b, mpmath.mpf(m) ** 2 / b) for a, b, m in zip(p, q, mean))
            value = (
                sum(
                    s * (s + 1) * m / (1 - s * (r - 1)) - s * mpmath.log(r) - mpmath.log(1 - s * (r - 1))
                    for r, m in terms
                )
                / 2
            )
            for inputs in (diagonal, dense):
                assert abs(inputs.log_moment(0, exponent) - value) < mpmath.mpf(10) ** -100
        # alpha = 1/2: the moment is infinite at s = 2
        assert diagonal.log_moment(0, 1) is dense.log_moment(0, 1) is None
        # log E_P e^{-sL} of (P, Q) at s = 1 + u is log E_Q e^{uL'} of (Q, P) at u
        assert dense.swapped().log_moment(0, -1) > 0
        assert diagonal_log_moment(0, [(2, mpmath.mpf(-1), 0)], 1) == -mpmath.log(3)


def test_elimination_in_integers():
    rng = np.random.default_rng(12)
    factor = rng.normal(size=(5, 5))
    matrix = factor @ factor.T
    matrix = (matrix + matrix.T) / 2
    whole = fixed(matrix, [0] * 5)
    lower, pivots = factors(whole)
    rebuilt = [
        [sum(lower[i, k] * lower[j, k] * pivots[k] for k in range(5)) >> 2 * BITS for j in range(5)] for i in range(5)
    ]
    assert max(abs(a - b) for a, b in zip(np.ravel(rebuilt), whole.ravel())).bit_length() < 16
    inverse = solved(lower, lower)
    assert max(abs(v - (1 << BITS) * (i == j)) for (i, j), v in np.ndenumerate(inverse)).bit_length() < 16
    assert factors(fixed(matrix - 2 * np.diag(np.diagonal(matrix)), [0] * 5)) is None
    high, low = floats(np.array([(1 << BITS) + 1], dtype=object), np.array([0]), 2)
    assert high[0] == 1.0 and low[0] == 2.0**-BITS


def test_expansions_hold_what_floats_cannot():
    tiny = Fraction(1, 3**60)
    parts = expansion(np.array([1 + tiny, tiny], dtype=object), np.array([Fraction(1), Fraction(0)], dtype=object), 3)
    assert abs(sum(Fraction(float(part[0])) for part in parts) / tiny - 1) < Fraction(1, 2**150)
    high, low, rest = expansion(np.array([1.0]), np.array([2.0**-60]), 3)
    assert Fraction(high[0]) + Fraction(low[0]) + Fraction(rest[0]) == 1 - Fraction(1, 2**60)


@pytest.mark.parametrize("epsilon", [541.0535292, 541.0535929, 541.0536304332603])
def test_a_much_narrower_law_far_away_next_to_its_largest_loss(epsilon):
    """Where the shift counts over the small ratio of the variances: the largest loss is 541.05370994."""
    pair = GaussianPair([0.0], [2.8640636909479714e-06], [32.70078115483514], [1.0])
    assert agrees(pair, epsilon, float(hockey_stick(pair, epsilon)), float(log_hockey_stick(pair, epsilon)))
