"""The compiled whitening of dense pairs beside that by arrays; without numba, the loops as plain Python."""

import types

import numpy as np
import pytest

from ndis_verify import GaussianPair
from ndis_verify.fast import PairBatch, spectrum
from ndis_verify.fast.engine import compiled_whitening, kernels
from ndis_verify.fast.engine.compiled_whitening import pencils
from ndis_verify.fast.engine.exact_moment import Inputs
from ndis_verify.fast.engine.exact_products import expansion, whitened_pencil


def pairs(rng, count, dimension, condition=10.0, spread=1.0):
    """Covariances and means of pairs, Q of about that condition."""

    def turned(eigenvalues):
        turn = np.linalg.qr(rng.standard_normal((count, dimension, dimension)))[0]
        matrix = (turn * eigenvalues) @ np.swapaxes(turn, 1, 2)
        return (matrix + np.swapaxes(matrix, 1, 2)) / 2

    q = turned(condition ** rng.uniform(-0.5, 0.5, (count, 1, dimension)))
    root = np.linalg.cholesky(q)
    p = root @ turned(np.exp(rng.uniform(-spread, spread, (count, 1, dimension)))) @ np.swapaxes(root, 1, 2)
    mean = rng.standard_normal((2, count, dimension))
    return Inputs((p + np.swapaxes(p, 1, 2)) / 2, q, mean[0], mean[1])


@pytest.fixture
def always(monkeypatch):
    """Loops whatever is asked for, also where they are plain Python."""
    monkeypatch.setattr(kernels, "compiled_kernel", lambda: types.SimpleNamespace())
    monkeypatch.setattr(kernels, "_asked", 10**9)


@pytest.mark.parametrize("dimension", [1, 2, 5, 12])
@pytest.mark.parametrize("condition", [1.0, 10.0, 1e6])
def test_it_agrees_with_the_whitening_by_arrays(dimension, condition):
    inputs = pairs(np.random.default_rng([dimension, int(condition)]), 20, dimension, condition)
    ours = pencils(inputs)
    theirs = whitened_pencil(
        expansion(inputs.p, inputs.q), expansion(inputs.q), expansion(inputs.mean_p, inputs.mean_q)
    )
    size, length = np.abs(theirs[0]).max(axis=-1), np.linalg.norm(theirs[1], axis=-1)
    assert (np.abs(ours[0] - theirs[0]).max(axis=-1) < 1e-14 * size).all()
    np.testing.assert_allclose(np.linalg.norm(ours[1], axis=-1), length, rtol=1e-14)
    # the means fall on the same eigenvectors
    one, other = ((values * shift**2).sum(axis=-1) for values, shift, _ in (ours, theirs))
    np.testing.assert_allclose(one, other, rtol=0, atol=1e-13 * (size * length**2).max())
    np.testing.assert_allclose(ours[2], theirs[2], rtol=1e-2)


def test_a_first_whitening_that_leaves_much_is_followed_by_a_second(monkeypatch):
    inputs = pairs(np.random.default_rng(3), 4, 6, 1e6)
    once = pencils(inputs)
    matrix = np.stack([np.eye(3) + 0.3, np.eye(3)])
    for k in range(2):
        white, moved, column = matrix[k].copy(), np.diag([1.0, 2.0, 3.0]), np.ones((1, 3))
        assert compiled_whitening._whitened_again(white, moved, column, np.empty((1, 3)), np.empty((2, 3, 3)))
        root = np.linalg.inv(np.linalg.cholesky(matrix[k]))
        np.testing.assert_allclose(moved, root @ np.diag([1.0, 2.0, 3.0]) @ root.T, rtol=1e-13)
        np.testing.assert_allclose(column[0], root @ np.ones(3), rtol=1e-13)
    assert not compiled_whitening._whitened_again(
        -np.eye(3), np.eye(3), np.ones((1, 3)), np.empty((1, 3)), np.empty((2, 3, 3))
    )
    assert np.isfinite(once[2]).all()


def test_what_floats_do_not_tell_is_left_to_others():
    inputs = pairs(np.random.default_rng(5), 3, 2)
    singular = np.array([[1.0, 1.0], [1.0, 1.0]])
    condition = pencils(Inputs(inputs.p, np.stack([inputs.q[0], singular, inputs.q[2]]), inputs.mean_p, inputs.mean_q))[
        2
    ]
    assert condition[1] == np.inf and np.isfinite(condition[[0, 2]]).all()
    for scale, move in ((2.0**-410, 0.0), (2.0**410, 0.0), (1.0, 2.0**401), (1.0, 1e300)):
        assert pencils(Inputs(scale * inputs.p, inputs.q, inputs.mean_p + move, inputs.mean_q)) is None
    assert pencils(Inputs(inputs.p, inputs.q, inputs.mean_p * 0 + 2.0**-401, inputs.mean_q * 0)) is None


def test_numbers_of_both_routes_are_the_same_spectrum(always):
    inputs = pairs(np.random.default_rng(7), 6, 4)
    shared = inputs.q[:1]
    for q in (inputs.q, shared):
        batch = PairBatch(inputs.mean_p, inputs.p, inputs.mean_q, q)
        ours = spectrum(batch)
        with kernels.by_arrays_alone():
            theirs = spectrum(batch)
        np.testing.assert_allclose(ours.alpha, theirs.alpha, rtol=0, atol=1e-14 * np.abs(theirs.alpha).max())
        np.testing.assert_allclose(ours.log_ratio, theirs.log_ratio, rtol=0, atol=1e-13)
        one = spectrum(GaussianPair(inputs.mean_p[2], inputs.p[2], inputs.mean_q[2], q[min(2, len(q) - 1)]))
        assert np.array_equal(one.alpha, ours.alpha[2]) and np.array_equal(one.shift, ours.shift[2])


@pytest.mark.parametrize("exponent", [0, 450, -450])
def test_ends_of_the_range_of_floats_and_bad_conditions_take_the_same_route_as_before(always, exponent):
    inputs = pairs(np.random.default_rng(11), 1, 3, 1e12, 12.0)
    scale = 2.0 ** np.array([exponent, 0, -exponent])
    factor, units = scale[:, None] * scale, scale
    pair = GaussianPair(inputs.mean_p[0] * units, inputs.p[0] * factor, inputs.mean_q[0] * units, inputs.q[0] * factor)
    ours = spectrum(pair)
    with kernels.by_arrays_alone():
        theirs = spectrum(pair)
    for name in ("alpha", "shift", "log_ratio"):
        np.testing.assert_allclose(getattr(ours, name), getattr(theirs, name), rtol=1e-14)
