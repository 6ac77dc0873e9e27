"""What is no kernel and no normal law is refused; what is one up to rounding is taken."""

import functools

import numpy as np
import pytest
from mechanism_examples import KERNEL, process, refused, rng

from ndis_verify import mechanisms
from ndis_verify.mechanisms.gaussian_process import improved_sensitivity

LINE = np.linspace(-1, 1, 200)
WAVES = np.column_stack([LINE, 0.5 * np.sign(np.sin(9 * LINE))])


def gaps(first, second):
    return np.sqrt(((first[:, None] - second[None]) ** 2).sum(axis=-1))


@functools.cache
def declared(output=None):
    """Any output behind one calibration, which knows nothing of it."""
    if output is None:
        return mechanisms.calibrated_gaussian(
            lambda data: (0.0, 1.0), improved_sensitivity(1.0, 0.5, 250.0, 16), epsilon=1, delta=1e-5
        )
    return mechanisms.CalibratedGaussian(declared().calibration, output)


# Kernels


@pytest.mark.parametrize(
    "kernel",
    [
        lambda a, b: np.tanh(3 * a @ b.T - 1),
        lambda a, b: -KERNEL(a, b),
        lambda a, b: 1 - 4 * gaps(a, b) ** 1.9,
        lambda a, b: -np.abs(np.tanh(a @ b.T)),
        lambda a, b: np.full((len(a), len(b)), -0.9),
        lambda a, b: np.full((len(a), len(b)), np.nan),
        lambda a, b: KERNEL(a, b) * np.where(a > b.T, 1.0, 0.9),
        lambda a, b: 2 * KERNEL(a, b),
        lambda a, b: 1.0,
        lambda a, b: "x",
        lambda a, b: KERNEL(a, b)[:, :1],
        lambda a, b: np.where(gaps(a, b) < 1e-3, 0.1, 0.5),
        lambda a, b: KERNEL(a, b) * np.where((a == 0.5) & (b.T == 0.5), 0.0, 1.0),
    ],
    ids=[
        "tanh",
        "negated",
        "distance",
        "negative",
        "constant",
        "nan",
        "skew",
        "large",
        "scalar",
        "text",
        "shape",
        "off-diagonal",
        "no prior",
    ],
)
def test_what_is_no_kernel_is_refused(kernel):
    mechanism = process(kernel)
    for release in (mechanism.output_law, lambda data: mechanism.release(data, rng())):
        refused("kernel", release, WAVES)


def test_a_kernel_must_be_a_function():
    refused("kernel", process, "rbf")


@pytest.mark.parametrize("noise", [250, 1, 1e-6])
@pytest.mark.parametrize(
    "kernel",
    [
        KERNEL,
        mechanisms.linear_kernel,
        lambda a, b: (1 + 2 * gaps(a, b)) * np.exp(-2 * gaps(a, b)),
        lambda a, b: np.cos(3 * (a - b.T)),
    ],
    ids=["squared exponential", "linear", "Matern", "cosine"],
)
def test_a_kernel_keeps_its_law(kernel, noise):
    data = np.vstack([WAVES, WAVES[:20], [[0.5, -0.5]]])  # repeated inputs, one at the query
    mechanism = process(kernel, noise)
    for rows in (data, data[:1], data[:0]):
        law = mechanism.output_law(rows)
        inputs, query = rows[:, :1], np.array([[0.5]])
        values, vectors = np.linalg.eigh(kernel(inputs, inputs) + noise * np.eye(len(rows)))
        cross = vectors.T @ kernel(inputs, query)[:, 0]
        prior = kernel(query, query)[0, 0]
        assert law.mean[0] == pytest.approx((cross / values) @ (vectors.T @ rows[:, 1]), rel=1e-7, abs=1e-7)
        spread = law.cov[0, 0] - mechanism.added_variance
        assert spread == pytest.approx(
            prior - (cross**2 / values).sum(), rel=1e-6, abs=1e-12 + 1e-14 * mechanism.added_variance
        )
        assert spread >= prior * noise / (noise + len(rows)) * (1 - 1e-9) - 1e-14 * mechanism.added_variance


# Outputs


@pytest.mark.parametrize(
    "output",
    [
        (np.zeros(1), -5 * np.eye(1)),
        (np.zeros(2), [[1.0, 2.0], [2.0, 1.0]]),
        (np.zeros(2), [[1.0, 0.5], [0.0, 1.0]]),
        (np.zeros(3), np.eye(1)),
        (np.zeros(1), np.eye(2)),
        (0.0, np.eye(2)),
        (np.array([np.nan]), np.eye(1)),
        (np.zeros(1), [[np.inf]]),
        (np.zeros((2, 2)), np.eye(2)),
        (np.zeros(0), np.zeros((0, 0))),
        (np.zeros(1),),
        None,
        (["a"], [[1.0]]),
        (np.array([1j]), [[1.0]]),
    ],
)
def test_an_output_that_is_no_normal_law_is_refused(output):
    mechanism = declared(lambda data: output)
    refused("output", mechanism.output_law, [])
    refused("output", mechanism.release, [], rng())


def test_outputs_right_up_to_rounding_are_taken():
    low_rank = np.outer([1.0, 2.0, 3.0], [1.0, 2.0, 3.0]) / 7
    skewed = low_rank + np.triu(np.full((3, 3), 1e-9), 1) - np.tril(np.full((3, 3), 1e-9), -1)
    for cov in (low_rank, skewed, np.zeros((3, 3)), 1e-300 * low_rank):
        mechanism = declared(lambda data, cov=cov: (np.zeros(3), cov))
        assert mechanism.output_law([]).cov == pytest.approx(cov + mechanism.added_variance * np.eye(3), abs=1e-8)
    scalar = declared(lambda data: (1.5, 2.0))
    assert scalar.output_law([]).mean == [1.5] and scalar.release([], rng()).shape == (1,)
    refused("output", mechanisms.CalibratedGaussian, declared().calibration, None)
