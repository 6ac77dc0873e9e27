"""Releases are the exact rounding, to a public grid, of a draw from the law of real numbers that was proved."""

import math
import pickle
from fractions import Fraction

import flint
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chi2

from ndis_verify import mechanisms
from ndis_verify.exact_number import InputError
from ndis_verify.mechanisms.baselines.laplace import laplace_mechanism
from ndis_verify.mechanisms.exact import gram, grid, normals, projection
from ndis_verify.mechanisms.exact.eigenvalue import least_eigenvalue
from ndis_verify.mechanisms.exact.noise import add_laplace, add_normal
from ndis_verify.mechanisms.exact.outputs import float_law, release_draw
from ndis_verify.mechanisms.exact.solutions import chi_square
from ndis_verify.mechanisms.exact.stream import SEEDED, SYSTEM, Stream

ONE_IN_A_MILLION = 1e-6  # false alarms of each test below
RNG = np.random.default_rng(20)
RECORDS = RNG.standard_normal((12, 3))
RECORDS /= np.linalg.norm(RECORDS, axis=1).max() * 1.001
LABELLED = np.column_stack([RECORDS[:, :2], np.sign(RECORDS[:, 2])])


def stream(seed=1):
    return Stream(np.random.default_rng(seed))


def made():
    """Every mechanism with what it releases from, ridge and added variance 0 among them."""
    near = mechanisms.neighbourhood(np.tile(RECORDS, (40, 1)), 1)
    split = mechanisms.planned_split(4, epsilon=1, delta=1e-5, norm_bound=1)
    tested = mechanisms.propose_test_release(
        4,
        epsilon=1,
        delta=1e-5,
        norm_bound=1,
        std=split.std,
        delta_test=split.delta_test,
        delta_failure=split.delta_failure,
    )
    plenty = np.tile(np.eye(3), (4000, 1))
    m, target = mechanisms, {"epsilon": 1, "delta": 1e-5, "norm_bound": 1}
    yield "Gaussian", m.gaussian_mechanism(1, epsilon=1, delta=1e-5, adjacency="any"), RECORDS
    yield "Laplace", laplace_mechanism(1, epsilon=1, adjacency="any"), RECORDS
    yield "projection", m.random_projection(4, **target), RECORDS
    yield "combination", m.random_linear_combination(**target), RECORDS
    yield "sample", m.subsampled_random_projection(0.5, 4, **target), RECORDS
    yield "sample without ridge", m.subsampled_random_projection(0.5, 4, epsilon=1, delta=0.6, norm_bound=1), RECORDS
    yield "after a test", tested, RECORDS
    yield "after a test, ridge 0", tested, plenty
    yield "relative projection", m.relative_random_projection(m.neighbourhood(RECORDS, 1), 4, epsilon=1, delta=1e-5), RECORDS
    yield "relative projection, ridge 0", m.relative_random_projection(near, 4, epsilon=1, delta=1e-2), near.base
    yield "least squares", m.least_squares(2, 20, **target), RECORDS
    yield "sketch", m.sketched_least_squares(2, 20, **target), RECORDS
    yield "sketch, d = r = n = 1", m.sketched_least_squares(1, 1, epsilon=1, delta=1e-6, norm_bound=1), RECORDS[:1, :2]
    for law in ("normal", "sketch"):
        for name, base, delta in (("", RECORDS, 1e-5), (", ridge 0", near.base, 0.1)):
            yield f"relative {law}{name}", m.relative_least_squares(m.neighbourhood(base, 1), 5, epsilon=1, delta=delta, law=law), base
    yield "logistic", m.logistic_regression(2, penalty=1.0, norm_bound=1.0, epsilon=1, delta=1e-5), LABELLED
    bounds = {"noise_variance": 1.0, "label_bound": 1.0, "norm_bound": 1.0, "records": 30}
    yield "process", m.gaussian_process(m.linear_kernel, [0.5, 0.5], **bounds, epsilon=1, delta=1e-3), LABELLED
    bounds = {"noise_variance": 250.0, "label_bound": 0.5, "norm_bound": 1, "records": 20}
    quiet = m.gaussian_process(m.linear_kernel, [0.5, 0.1], **bounds, epsilon=1, delta=1e-2)
    yield "process without noise", quiet, LABELLED / 2
    yield "declared", m.calibrated_gaussian(
        lambda data: (np.mean(data, axis=0), np.eye(3)), lambda v: (1 / math.sqrt(1 + v), 0.0, 0.0, 1), epsilon=1, delta=1e-5, bound="exact"
    ), RECORDS


MADE = {name: (mechanism, data) for name, mechanism, data in made()}


def numbers(release):
    return np.append(release.matrix, release.noised_eigenvalue) if isinstance(release, mechanisms.ReleaseAfterTest) else np.asarray(release)


def test_ridge_and_variance_are_0_where_the_names_say_so():
    for name, (mechanism, data) in MADE.items():
        noise = mechanism.calibration.noise
        level = mechanism.release(data, RNG).ridge if "test" in name else noise.get("ridge", noise.get("variance"))
        assert (level == 0) == ("0" in name or "without" in name), name


@pytest.mark.parametrize("name", MADE)
def test_wide_arithmetic_gives_the_bits_of_the_fast_path(name, monkeypatch):
    mechanism, data = MADE[name]
    fast = [numbers(mechanism.release(data, np.random.default_rng(seed))) for seed in range(3)]
    monkeypatch.setattr(grid, "SLACK", 1.0)
    monkeypatch.setattr(grid, "FIRST_BITS", 700)
    wide = [numbers(mechanism.release(data, np.random.default_rng(seed))) for seed in range(3)]
    assert all((one == other).all() for one, other in zip(fast, wide)) and (fast[0] != fast[1]).any()


@pytest.mark.parametrize("name", MADE)
def test_every_release_lies_on_its_public_grid_and_says_where_its_bits_come_from(name):
    mechanism, data = MADE[name]
    seeded, drawn = mechanism.release(data, np.random.default_rng(0)), mechanism.release(data)
    neighbour = mechanism.release(data[1:] if "process" not in name and data[1:].size else data, np.random.default_rng(0))
    parts = [part.matrix if isinstance(part, mechanisms.ReleaseAfterTest) else part for part in (seeded, drawn, neighbour)]
    assert parts[0].source == SEEDED and parts[1].source == SYSTEM and "experiments" in SEEDED
    assert len({part.step for part in parts}) == 1 and math.frexp(parts[0].step)[0] == 0.5
    for part in parts:
        units = np.asarray(part) / part.step
        assert (units == np.rint(units)).all() and not part.flags.writeable
    assert (numbers(drawn) != numbers(mechanism.release(data))).any()


def test_a_release_keeps_what_it_says_of_itself():
    release = MADE["Gaussian"][0].release([1.0, 2.0])
    copy = pickle.loads(pickle.dumps(release))
    assert (copy == release).all() and (copy.step, copy.source) == (release.step, release.source) and SYSTEM in repr(copy)
    assert type(release + 1) is np.ndarray and type(release.sum()) is np.float64 and release[:1].source == SYSTEM


def test_no_grid_no_release():
    nothing = mechanisms.calibrated_gaussian(lambda data: ([0.5], [[1.0]]), lambda v: (0.0, 0.0, 0.0, 1), epsilon=1, delta=1e-5, bound="exact")
    tiny = mechanisms.gaussian_mechanism(1e-160, epsilon=1, delta=1e-5, adjacency="any")
    assert tiny.release([0.0]).step > 0
    if nothing.added_variance == 0:
        with pytest.raises(InputError, match="scale"):
            nothing.release([])
    with pytest.raises(InputError, match="std"):
        add_normal(np.zeros(2), 1e-318, stream())
