"""Whitening in float64 against exact eigenvalues: ill-conditioned, near-equal and graded pairs."""

from fractions import Fraction

import mpmath
import numpy as np
import pytest

from ndis_verify import GaussianPair
from ndis_verify.fast import PairBatch, quadratic_form, spectrum
from ndis_verify.fast.engine import exact_products
from ndis_verify.fast.engine.exact_products import Halved, congruent, expansion, matmul, two_sum, whitened_pencil


def exact_spectrum(pair, digits=60):
    """Eigenvalues of S2^{-1/2} (S1 - S2) S2^{-1/2}, ascending, and m^2, in mpmath."""
    with mpmath.workdps(digits):
        p, q = (mpmath.matrix(pair_cov.dense().tolist()) for pair_cov in (pair.cov_p, pair.cov_q))
        factor = mpmath.inverse(mpmath.cholesky(q))
        white = factor * (p - q) * factor.T
        values, vectors = mpmath.eigsy((white + white.T) / 2)
        shift = vectors.T * (factor * mpmath.matrix(pair.exact_mean_difference().tolist()))
        return list(values), [v**2 for v in shift]


def covariance(rng, dimension, condition):
    turn = np.linalg.qr(rng.normal(size=(dimension, dimension)))[0]
    matrix = (turn * condition ** np.linspace(-0.5, 0.5, dimension)) @ turn.T
    return (matrix + matrix.T) / 2


@pytest.mark.parametrize("condition", [1.0, 1e4, 1e8])
def test_ill_conditioned_pairs(condition):
    rng = np.random.default_rng(3)
    pair = GaussianPair(
        rng.normal(size=4), covariance(rng, 4, 100.0), rng.normal(size=4), covariance(rng, 4, condition)
    )
    values, shift = exact_spectrum(pair)
    laws = spectrum(pair)
    largest = max(abs(v) for v in values)
    assert max(abs(a - v) for a, v in zip(laws.alpha, values)) < 1e-13 * largest
    with mpmath.workdps(60):
        logs = [mpmath.log1p(v) for v in values]
    assert max(abs(float(a) - v) for a, v in zip(laws.log_ratio, logs)) < 1e-11
    assert max(abs(a - v) for a, v in zip(laws.shift_squared, shift)) < 1e-12 * max(shift)


@pytest.mark.parametrize("difference", [1e-4, 1e-9, 1e-13])
def test_near_equal_pairs_keep_relative_accuracy(difference):
    rng = np.random.default_rng(4)
    base = covariance(rng, 5, 1e6)
    factor, noise = np.linalg.cholesky(base), rng.normal(size=(5, 5))
    change = factor @ (noise + noise.T) @ factor.T
    pair = GaussianPair(np.zeros(5), base + difference * (change + change.T) / 2, np.zeros(5), base)
    values, _ = exact_spectrum(pair)
    largest = max(abs(v) for v in values)
    assert max(abs(a - v) for a, v in zip(spectrum(pair).alpha, values)) < 1e-12 * largest


def test_exact_inputs_are_subtracted_exactly():
    # In float64 both covariances round to the same number.
    tiny = Fraction(1, 10**30)
    scalar = GaussianPair([0], 1 + tiny, [0], 1)
    assert spectrum(scalar).alpha[0] == pytest.approx(1e-30, rel=1e-15, abs=0)
    dense = GaussianPair([0, 0], [[2 + 3 * tiny, 1], [1, 2]], [0, 0], [[2, 1], [1, 2]])
    np.testing.assert_allclose(spectrum(dense).alpha, [0, 2e-30], rtol=1e-13, atol=1e-43)
    assert spectrum(GaussianPair(["0.3"], 1, ["0.1"], 1)).shift_squared[0] == pytest.approx(0.04, rel=1e-15)


def test_kinds_of_covariance_agree():
    mean_p, mean_q = [0.5, -1.0, 0.25], [0.0, 0.5, 0.25]
    dense = spectrum(GaussianPair(mean_p, 2 * np.eye(3), mean_q, np.diag([1.0, 4.0, 8.0])))
    diagonal = spectrum(GaussianPair(mean_p, 2.0, mean_q, [1.0, 4.0, 8.0]))
    order = np.argsort(diagonal.alpha)
    np.testing.assert_allclose(dense.alpha, diagonal.alpha[order], rtol=1e-15)
    np.testing.assert_allclose(dense.shift_squared, diagonal.shift_squared[order], rtol=1e-14, atol=1e-30)
    equal = spectrum(GaussianPair(mean_p, 3.0, mean_q, 2.0))
    assert equal.alpha.tolist() == [0.5] and equal.multiplicity.tolist() == [3]


def test_batches_agree_with_single_pairs():
    rng = np.random.default_rng(8)
    cov_p, cov_q = (np.array([covariance(rng, 3, 50.0) for _ in range(4)]) for _ in range(2))
    means = rng.normal(size=(2, 4, 3))
    laws = spectrum(PairBatch(means[0], cov_p, means[1], cov_q))
    for k in range(4):
        single = spectrum(GaussianPair(means[0, k], cov_p[k], means[1, k], cov_q[k]))
        np.testing.assert_allclose(laws.alpha[k], single.alpha, rtol=1e-13, atol=1e-14)
        np.testing.assert_allclose(laws.shift_squared[k], single.shift_squared, rtol=1e-11, atol=1e-14)


def test_swapping_a_spectrum():
    pair = GaussianPair([0.5, -1.0], [2.0, 0.25], [0.0, 0.0], 1.0)
    forward, backward = spectrum(pair).swapped(), spectrum(pair.swapped())
    order = np.argsort(forward.alpha)
    np.testing.assert_allclose(forward.alpha[order], np.sort(backward.alpha), rtol=1e-15)
    np.testing.assert_allclose(np.sort(forward.shift_squared), np.sort(backward.shift_squared), rtol=1e-15)
    assert quadratic_form(pair).multiplicity == (1, 1)


def test_products_carry_twice_the_precision():
    rng = np.random.default_rng(1)
    gap, base = np.diag([1e-9, 3.0]), np.array([[1.0, 1 - 2.0**-30], [1 - 2.0**-30, 1.0]])
    values, _, _ = whitened_pencil(expansion(gap), expansion(base), expansion(np.zeros(2)))
    with mpmath.workdps(60):
        factor = mpmath.inverse(mpmath.cholesky(mpmath.matrix(base.tolist())))
        exact = mpmath.eigsy(factor * mpmath.matrix(gap.tolist()) * factor.T, eigvals_only=True)
    assert abs(values[1] / exact[1] - 1) < 1e-13
    a, b = rng.normal(size=(2, 7, 3, 3))
    np.testing.assert_allclose(matmul(a, b), a @ b, rtol=1e-13, atol=1e-15)


@pytest.mark.parametrize("dimension", [1, 3, 12])
def test_a_congruence_is_that_of_exact_numbers_to_twenty_digits(dimension):
    rng = np.random.default_rng(dimension)
    white, high = rng.normal(size=(2, dimension, dimension))
    parts = high + high.T, 1e-17 * (high + high.T)
    low = 1e-17 * high[1 % dimension]
    found = two_sum(*Halved((white,)).times(Halved(parts)))
    vector = two_sum(*Halved((white,)).times(Halved((high[:1], low[None]))))
    left = np.vectorize(Fraction, otypes=[object])(white)
    middle, column = (np.vectorize(Fraction, otypes=[object])(part) for part in (parts[0], high[0]))
    middle = middle + np.vectorize(Fraction, otypes=[object])(parts[1])
    column = column + np.vectorize(Fraction, otypes=[object])(low)
    size = float((np.abs(left) @ np.abs(middle) @ np.abs(left).T).max())
    for wanted, got in ((left @ middle, found), (left @ column, [part[:, 0] for part in vector])):
        errors = [abs(Fraction(a) + Fraction(b) - c) for a, b, c in zip(got[0].flat, got[1].flat, wanted.flat)]
        assert float(max(errors)) < 1e-20 * max(size, 1.0)
    whole = left @ middle @ left.T
    errors = [
        abs(Fraction(a) - c) - abs(c) / 2**52 for a, c in zip(congruent(Halved((white,)), parts).flat, whole.flat)
    ]
    assert float(max(errors)) < 1e-20 * max(size, 1.0)


@pytest.mark.parametrize("whole", [1, Fraction(3, 4), 2**60, "0.5"])
def test_numbers_that_floats_hold_take_the_route_of_floats(whole):
    means, covariance = np.array([0.3, -0.1, 0.0]), np.array([0.5, 1.7, 0.5])
    stated, floats = (spectrum(GaussianPair(means, covariance, 0 * means, q)) for q in (whole, float(Fraction(whole))))
    assert stated.inputs.q.dtype == np.float64
    assert all(np.array_equal(getattr(stated, name), getattr(floats, name)) for name in ("alpha", "shift", "log_ratio"))


@pytest.mark.parametrize("other", ["0.1", 2**60 + 1, Fraction(1, 3)])
def test_one_number_that_no_float_holds_is_taken_exactly(other):
    means = np.array([0.3, -0.1])
    assert spectrum(GaussianPair(means, 1.0, 0 * means, other)).inputs.q.dtype == object


@pytest.mark.parametrize("terms", [2, 3])
def test_differences_of_exact_numbers_are_sums_of_floats(terms):
    rng = np.random.default_rng(5)
    values = [Fraction(int(n), int(d)) for n, d in rng.integers(1, 10**9, (12, 2))]
    left = np.array([*values[:6], Fraction(0), values[0]], dtype=object).reshape(2, 4)
    right = np.array([*values[6:], Fraction(0), values[0] + Fraction(1, 10**30)], dtype=object).reshape(2, 4)
    for parts, exactly in ((expansion(left, right, terms), left - right), (expansion(left, None, terms), left)):
        assert len(parts) == terms and all(part.shape == (2, 4) and part.flags.c_contiguous for part in parts)
        for wanted, *floats in zip(exactly.ravel(), *(part.ravel().tolist() for part in parts)):
            assert floats[0] == float(wanted)
            assert abs(sum(map(Fraction, floats)) - wanted) <= abs(wanted) / 2 ** (53 * terms)


@pytest.mark.parametrize("dimension, condition", [(3, 1e2), (12, 1e6), (60, 1e3), (60, 1e7)])
def test_what_a_first_whitening_leaves_is_taken_off_like_a_second_one(monkeypatch, dimension, condition):
    """Both ways, and the rule for large triangles, against a whitening in 40 digits."""
    rng = np.random.default_rng(dimension)
    turn = np.linalg.qr(rng.standard_normal((dimension, dimension)))[0]
    base = turn * condition ** np.linspace(-0.5, 0.5, dimension) @ turn.T
    gap = np.diag(rng.uniform(0.1, 1, dimension)) * base + 0.1 * np.eye(dimension)
    base, gap = (base + base.T) / 2, (gap + gap.T) / 2
    mean = rng.standard_normal(dimension)
    parts = tuple(tuple(part[None] for part in expansion(x)) for x in (gap, base, mean))
    slight = exact_products._SLIGHT
    found = []
    for limit in (slight, -1.0):
        monkeypatch.setattr(exact_products, "_SLIGHT", limit)
        found.append(whitened_pencil(*parts))
    # coordinates of close eigenvalues are told less well one by one than what they sum to
    for powers in ([1, 0], [0, 2], [1, 2]):
        one, other = (values ** powers[0] * shift ** powers[1] for values, shift, _ in found)
        one, other = (part.sum(axis=-1) if powers[1] else part for part in (one, other))
        np.testing.assert_allclose(one, other, rtol=0, atol=4e-14 * np.abs(other).max())
    if dimension > 12:
        return
    with mpmath.workdps(40):
        white = mpmath.cholesky(mpmath.matrix(base.tolist())) ** -1
        true = mpmath.eigsy(white * mpmath.matrix(gap.tolist()) * white.T, eigvals_only=True)
        shift = white * mpmath.matrix(mean.tolist())
        true, total = np.array(sorted(map(float, true))), float(mpmath.fsum(x * x for x in shift))
    np.testing.assert_allclose(found[0][0][0], true, rtol=0, atol=3e-15 * np.abs(true).max())
    np.testing.assert_allclose((found[0][1] ** 2).sum(), total, rtol=6e-15)
