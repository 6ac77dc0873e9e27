"""DP-SGD of one network in float32 against the float64 one: sums, directions, steps, and the laws of both scores."""

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

from ndis_verify.audit import dp_sgd
from ndis_verify.audit.dp_sgd import DpSgd, Network
from ndis_verify.audit.dp_sgd_float32 import Training
from ndis_verify.exact_number import InputError

SILENT = 1e-12  # of noise: the sums themselves


def made(seed, noise=SILENT, clip=1.0, scale=1.0, steps=3):
    rng = np.random.default_rng(seed)
    network = Network(int(rng.integers(1, 7)), int(rng.integers(1, 6)), int(rng.integers(2, 5)))
    n = int(rng.integers(1, 12))
    x = scale * rng.standard_normal((n, network.inputs)) * (rng.random(network.inputs) < 0.7)
    y = rng.integers(0, network.classes, n)
    chosen = DpSgd(0.5, noise, steps, clip=clip, learning_rate=0.05, optimizer="adam")
    return network, chosen, x, y, network.start(rng) * scale, rng


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**31), st.sampled_from([0.01, 1.0, 50.0]), st.sampled_from([0.1, 1.0, 10.0]))
def test_the_sums_of_one_sample_and_of_two_are_those_of_float64(seed, clip, scale):
    network, chosen, x, y, start, rng = made(seed, SILENT, clip, scale)
    training = Training(network, chosen, x, y, start, rng)
    drawn, other = rng.random((2, len(y))) < 0.5
    at, x = training.parameters.astype(float)[None], x.astype(np.float32).astype(float)
    exact, second = (network.clipped_sum(at, x, y, rows[None], clip)[0] for rows in (drawn, other))
    error = 1e-4 * clip * (1 + len(y))  # slopes of saturated units are differences of float32
    training.release(training.summed(training.clipped(np.flatnonzero(drawn)), training._sums[0]))
    assert np.abs(training.total - exact).max() <= error
    both = np.array(training._both_sums(drawn, other))
    assert np.abs(both - [training.seen(vector.astype(np.float32)).copy() for vector in (exact, second)]).max() <= error
    unit = rng.standard_normal(exact.size).astype(np.float32)
    assert float(both[1] @ training.seen(unit)) == pytest.approx(second @ unit, abs=float(error * np.linalg.norm(unit)))


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**31))
def test_steps_move_as_those_of_float64(seed):
    network, chosen, x, y, start, rng = made(seed)
    training, exact = Training(network, chosen, x, y, start, rng), dp_sgd._Moving(start[None])
    training._piece = training._piece[: int(rng.integers(1, 2 * start.size))]
    for _ in range(4):
        training.total[:] = rng.standard_normal(start.size)
        exact = exact.moved(chosen, training.total.astype(float)[None])
        training.move()
        assert np.abs(training.parameters - exact.parameters[0]).max() <= 1e-5


def test_one_object_trains_any_number_of_times_as_new_ones_do():
    network, chosen, x, y, start, rng = made(4)
    record = (np.ones((1, network.inputs)), np.zeros(1, dtype=int))
    one, rng = Training(network, chosen, x, y, start, np.random.default_rng(8)), np.random.default_rng(8)
    for kind in ("white", "black", "white", "black", "black"):
        new = Training(network, chosen, x, y, start, rng)
        found = [each.white_box() if kind == "white" else each.black_box(*record) for each in (one, new)]
        np.testing.assert_array_equal(*found)


def samples(kind, runs=800):
    """The last score of many trainings, by both ways."""
    network, chosen, x, y, start, rng = made(3, noise=0.4)
    if kind == "black":
        record = (np.ones((1, network.inputs)), np.zeros(1, dtype=int))
        exact = dp_sgd.losses_after_training(network, chosen, x, y, start, record, runs, rng)[:, 0]
        return exact, np.array([Training(network, chosen, x, y, start, rng).black_box(*record)[0] for _ in range(runs)])
    side, start = ("within", "without").index(kind), network.start(np.random.default_rng(5))
    exact = dp_sgd.white_box_scores(network, chosen, x, y, runs, np.random.default_rng(5))[side]  # draws that start
    single = [Training(network, chosen, x, y, start, rng).white_box()[side][-1] for _ in range(runs)]
    return exact[:, -1], np.array(single)


@pytest.mark.parametrize("kind", ["black", "within", "without"])
def test_scores_have_one_law(kind):
    exact, single = samples(kind)
    assert scipy.stats.ks_2samp(exact, single).pvalue > 1e-4


def test_what_cannot_be_trained_is_refused():
    network, chosen, x, y, start, rng = made(1)
    with pytest.raises(InputError, match="adam"):
        Training(network, DpSgd(0.5, 1.0, 2), x, y, start, rng)
    with pytest.raises(InputError, match="finite records"):
        Training(network, chosen, x[:, :0], y, start, rng)
