"""The compiled loops of the extra `speed` beside the certified oracle and the numpy path; where numba is not installed,
the same loops as plain Python."""

import math
import types

import mpmath
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ndis_verify import GaussianPair, InputError
from ndis_verify.fast import PairBatch, Spectrum, epsilon_for_delta, hockey_stick, log_hockey_stick
from ndis_verify.fast.accuracy import promise
from ndis_verify.fast.engine import compiled, compiling, curve, kernels
from ndis_verify.oracle.certified.hockey_stick import hockey_stick as certified

ROUNDING = 3e-12  # of two routes, of which each is right to 3e-12 at most, and mostly to 1e-13
COMPILED = compiling.numba is not None


@pytest.fixture
def kernel():
    return compiled


def entries(kernel, laws, rows, epsilon):
    with np.errstate(all="ignore"):
        return kernel.entries(laws, rows, epsilon)


def pairs(rng, count, groups, kind):
    """Spectra of many shapes within the promise of `hockey_stick`."""
    draw = {
        "wide": lambda: np.exp(rng.uniform(math.log(1e-6), math.log(1e6), (count, groups))),
        "near 1": lambda: np.exp(10 ** rng.uniform(-9, 0, (count, 1)) * rng.standard_normal((count, groups))),
        "bounded": lambda: rng.uniform(1e-6, 1, (count, groups)),
        "above 1": lambda: 1 + np.exp(rng.uniform(math.log(1e-6), math.log(1e6), (count, groups))),
        "equal": lambda: np.ones((count, groups)),
    }
    alpha = np.clip(draw[kind](), 1e-6, 1e6) - 1
    shift = 10 ** rng.uniform(-6, 3, (count, 1)) * np.abs(rng.standard_normal((count, groups))) / math.sqrt(groups)
    shift *= rng.random((count, groups)) < rng.choice([0.5, 1.0])
    copies = rng.choice([1, 1, 1, 3, 40, 1000], size=(count, groups))
    return Spectrum(alpha, None, copies if rng.random() < 0.4 else 1, shift=shift)


KINDS = "wide", "near 1", "bounded", "above 1", "equal"


@pytest.mark.parametrize("kind", KINDS)
def test_it_agrees_with_the_numpy_path(kernel, kind):
    scale = 10 if COMPILED else 1
    worst, left, asked = 0.0, 0, 0
    for seed, (groups, points) in enumerate([(1, 1), (2, 1), (3, 5), (8, 1), (20, 2)]):
        rng = np.random.default_rng([seed, KINDS.index(kind)])
        count = 6 * scale
        laws = pairs(rng, count, groups, kind)
        loss = laws.loss_forms()
        place = loss.mean[:, None] + rng.uniform(-4, 20, (count, points)) * loss.std[:, None]
        epsilon, rows = np.clip(place, 0, 200).ravel(), np.repeat(np.arange(count), points)
        ours, theirs = entries(kernel, laws, rows, epsilon), curve.entries_by_arrays(laws, rows, epsilon)
        done = ~(np.isnan(ours[0]) & np.isnan(ours[1]))
        assert np.array_equal(np.isnan(ours[0])[done], np.isnan(theirs[0])[done])
        # floats of the size of a logarithm are no closer to one another
        for a, b in zip(ours, theirs):
            with np.errstate(invalid="ignore"):
                gap = np.where(a == b, 0.0, np.abs(a - b) - 4 * np.spacing(np.abs(b)))
            worst = max(worst, gap[~np.isnan(a)].max(initial=0.0))
        asked += (np.fmax(*theirs) > -600).sum()
        left += (~done & (np.fmax(*theirs) > -600)).sum()
    assert worst < ROUNDING
    assert left < 0.3 * asked  # mostly next to the ends of bounded losses, and of high multiplicity


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.floats(-13.8, 13.8), min_size=1, max_size=4),
    st.lists(st.floats(0, 10), min_size=4, max_size=4),
    st.integers(0, 4),
    st.floats(-4, 36),
)
def test_it_is_within_the_promise_of_certified_values(kernel, logs, shifts, scale, place):
    variance = [float(np.clip(math.exp(log / 10.0**scale), 1e-6, 1e6)) for log in logs]
    pair = GaussianPair([m / 10.0**scale for m in shifts[: len(logs)]], variance, [0.0] * len(logs), [1.0] * len(logs))
    laws = curve.spectrum(pair)
    loss = laws.loss_forms()
    epsilon = float(np.clip(loss.mean[0] + place * loss.std[0], 0, 200))
    direct, complement = entries(kernel, laws, np.zeros(1, dtype=int), np.array([epsilon]))
    if np.isnan(direct[0]) and np.isnan(complement[0]):
        return  # left to the numpy path
    with mpmath.workdps(40):
        true = certified(pair, epsilon, digits=25).mid
        found = mpmath.exp(mpmath.mpf(direct[0])) if complement[0] != complement[0] else -mpmath.expm1(complement[0])
        assert abs(found - true) <= promise("hockey_stick") * true


def test_entries_come_back_in_the_order_that_they_were_asked_in(kernel):
    rng = np.random.default_rng(5)
    laws = pairs(rng, 4, 3, "near 1")
    rows, place = rng.integers(0, 4, 60), rng.uniform(-3, 6, 60)
    loss = laws.loss_forms()
    epsilon = np.maximum(loss.mean[rows] + place * loss.std[rows], 0.0)
    together = np.fmax(*entries(kernel, laws, rows, epsilon))
    for entry in range(0, 60, 7):
        alone = np.fmax(*entries(kernel, laws, rows[entry : entry + 1], epsilon[entry : entry + 1]))
        np.testing.assert_allclose(together[entry], alone[0], rtol=0, atol=ROUNDING)


def test_a_wrong_path_is_noticed(kernel, monkeypatch):
    """What the error estimate is for: with far too few nodes nothing is stated."""
    laws = Spectrum([0.5, -0.3, 0.2], [0.25, 0.1, 0.0])
    rows, epsilon = np.zeros(1, dtype=int), np.array([1.0])
    assert not np.isnan(entries(kernel, laws, rows, epsilon)[0]).any()
    nodes = np.empty((4, kernel._NODES))
    form = np.empty((4, 3))
    kernel._column(*(part[0] for part in laws.columns), 1.0, form)
    path = (1.5, 0.0, 3.75, 0.7, 0.3, 1.0)
    for highest in (0.0, 1e-9):
        count = kernel._fill(form, 1.0, 1.2, path, 1.5, 0.0, highest, nodes)
        assert not kernel._sum(nodes, count, 0.0, highest == 0)[1] < 1e-6


@pytest.mark.parametrize(
    "laws",
    [
        Spectrum([0.5, -0.5], [1e-300, 0.0], [10**6, 1]),  # a term whose square is lost
        Spectrum([1e-80], [1e-300]),  # squares leave the range of floats
        Spectrum([0.0], [0.0]),  # the same law twice
        Spectrum([0.5], [0.0], [10**6]),  # high above
    ],
)
def test_what_is_not_plainly_within_reach_is_left(kernel, laws):
    direct, complement = entries(kernel, laws, np.zeros(1, dtype=int), np.array([1e5]))
    assert np.isnan(direct).all() and np.isnan(complement).all()


def test_beyond_the_largest_loss_delta_is_0_next_to_it_others_look(kernel):
    laws = Spectrum([-0.5, 0.0], [0.25, 0.0])
    largest = float(epsilon_for_delta(laws, 0.0))
    epsilon = largest * np.array([1 - 1e-14, 1.0, 1 + 1e-9, 1 + 1e-4, 3.0])
    direct, complement = entries(kernel, laws, np.zeros(5, dtype=int), epsilon)
    assert np.isnan(complement).all()
    assert np.array_equal(direct, [np.nan, np.nan, np.nan, -np.inf, -np.inf], equal_nan=True)


def test_without_numba_arrays_do_all(monkeypatch):
    laws = Spectrum([0.5, -0.3], [0.25, 0.1])
    monkeypatch.setattr(compiling, "numba", None)
    monkeypatch.setattr(kernels, "_asked", 10**9)
    kernels.compiled_kernel.cache_clear()
    try:
        assert kernels.compiled_kernel() is None and compiling.compiled(math.exp) is math.exp
        rows, epsilon = np.zeros(1, dtype=int), np.array([1.0])
        assert hockey_stick(laws, 1.0) == np.exp(curve.entries_by_arrays(laws, rows, epsilon)[0][0])
    finally:
        kernels.compiled_kernel.cache_clear()


def test_loops_are_compiled_where_nothing_can_be_kept_on_disk(monkeypatch):
    def njit(cache=False, **options):
        if cache:
            raise RuntimeError("cannot cache function: no locator available")
        return lambda function: (function, options)

    monkeypatch.setattr(compiling, "numba", types.SimpleNamespace(njit=njit))
    function, options = compiling.compiled(math.exp)
    assert function is math.exp and options["nogil"]


def test_what_the_kernel_leaves_the_numpy_path_does(kernel, monkeypatch):
    """Curves and inverses through both, next to the end of a bounded loss as well."""
    laws = Spectrum([-0.5, -0.2], [0.25, 0.0])
    largest = float(epsilon_for_delta(laws, 0.0))
    epsilon = np.concatenate([np.linspace(0, largest, 20), [largest * (1 - 1e-12), largest, 2 * largest]])
    before = log_hockey_stick(laws, epsilon), epsilon_for_delta(laws, 1e-6)
    monkeypatch.setattr(
        kernels, "compiled_kernel", lambda: types.SimpleNamespace(entries=lambda *a: entries(kernel, *a))
    )
    monkeypatch.setattr(kernels, "_asked", 10**9)
    after = log_hockey_stick(laws, epsilon), epsilon_for_delta(laws, 1e-6)
    np.testing.assert_allclose(after[0], before[0], rtol=0, atol=ROUNDING)
    assert after[0][-1] == -np.inf and abs(after[1] / before[1] - 1) < ROUNDING


@pytest.mark.parametrize("dense", [False, True])
def test_a_batch_in_chunks_is_the_batch(monkeypatch, dense):
    rng = np.random.default_rng(7)
    means, variances = rng.standard_normal((2, 23, 3)), rng.uniform(0.5, 2, (2, 23, 3))
    covariances = [part[..., None] * np.eye(3) if dense else part for part in variances]
    batch = PairBatch(means[0], covariances[0], means[1], covariances[1][:1])
    whole = hockey_stick(batch, [0.5, 2.0])
    monkeypatch.setattr(curve, "_CHUNK", 5)
    for workers in (1, 2):
        np.testing.assert_allclose(hockey_stick(batch, [0.5, 2.0], workers=workers), whole, rtol=ROUNDING)
    np.testing.assert_allclose(log_hockey_stick(batch, -0.5), np.log(hockey_stick(batch, -0.5)), rtol=0, atol=ROUNDING)


@pytest.mark.parametrize("workers", [0, -1, 1.5, True, "2"])
def test_workers_are_a_whole_number(workers):
    with pytest.raises(InputError, match="workers"):
        hockey_stick(Spectrum([0.5], [0.0]), 1.0, workers=workers)


@pytest.mark.parametrize(
    "alpha, shift",
    [
        ([2.20368695, 0.0055772, -0.26157015], [0.01235783, 0.49337935, 1.59067606]),
        ([-0.47129638, 0.00351128, -0.59598293], [1.01076476, 0.22128179, 1.52420322]),
        ([0.33438138, -0.00672267, -0.66227541], [1.32194724, 0.2568436, 0.018379]),
    ],
)
def test_a_path_that_does_not_decay_is_bent_otherwise(kernel, alpha, shift):
    """A small eigenvalue decides to which side the far end decays, and the chosen angle is then wrong."""
    laws, first = Spectrum([alpha], shift=[shift]), np.array([0])
    found = entries(kernel, laws, first, np.array([1.0]))
    assert not np.isnan(found).all()
    np.testing.assert_allclose(found, curve.entries_by_arrays(laws, first, np.array([1.0])), rtol=ROUNDING)
