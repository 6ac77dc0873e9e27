"""The compiled loops of the extra `speed` beside the certified oracle and the numpy path; where numba is not installed,
the same loops as plain Python."""

import math
import os
import subprocess
import sys
import types

import mpmath
import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from ndis_verify import GaussianPair, InputError
from ndis_verify.fast import PairBatch, Spectrum, epsilon_for_delta, hockey_stick, log_hockey_stick
from ndis_verify.fast.accuracy import PROMISES, promise
from ndis_verify.fast.engine import compiled, compiling, curve, kernels, trapezoid
from ndis_verify.fast.engine import compiled_nodes as at
from ndis_verify.fast.engine import compiled_sums as sums
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
    worst, furthest, left, asked = 0.0, 0.0, 0, 0
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
                # far below the least float only the logarithm is asked for
                below = (b < -745) & (b > -np.inf)
                furthest = max(furthest, (gap / -b)[below & ~np.isnan(a)].max(initial=0.0))
            worst = max(worst, gap[~below & ~np.isnan(a)].max(initial=0.0))
        asked += (np.fmax(*theirs) > -600).sum()
        left += (~done & (np.fmax(*theirs) > -600)).sum()
    assert worst < ROUNDING and furthest < 1e-13
    assert left < 0.3 * asked  # mostly next to the ends of bounded losses, and of high multiplicity


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@example([-1.0], [0.0] * 4, 0, 1.0)
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
        if true == 0:  # beyond the largest loss
            assert found == 0
            return
        if true < PROMISES["hockey_stick"].least:
            found, true = -mpmath.log(found), -mpmath.log(true)
        assert abs(found - true) <= promise("hockey_stick") * true


@pytest.mark.parametrize(
    "variances, mean, epsilon",
    [
        ([1.5], 0.0, 1e3),
        ([300.0], 0.0, 5e5),
        ([1.0], 0.01, 1.0),
        ([0.95, 1.001], 0.03, 1.0),
        ([0.95, 1.000001], 0.001, 1.0),
    ],
)
def test_logarithms_far_below_the_least_float(kernel, variances, mean, epsilon):
    """Searches of calibrations look there, and only the numpy path did, at ten times the cost."""
    d = len(variances)
    pair = GaussianPair([mean] + [0.0] * (d - 1), variances, [0.0] * d, [1.0] * d)
    direct, _ = entries(kernel, curve.spectrum(pair), np.zeros(1, dtype=int), np.array([epsilon]))
    with mpmath.workdps(40):
        true = mpmath.log(certified(pair, epsilon, digits=25).mid)
        assert true < -745 and abs(direct[0] / true - 1) < 1e-13


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
    path = np.zeros(at.PATH)
    for name, value in {"S": 1.5, "WEIGHT": 3.75, "SCALE": 0.7, "WIDTH": 1, "REACH": 2, "SIGN": 1}.items():
        path[getattr(at, name)] = value
    path[at.TANGENT], path[at.THRESHOLD] = 0.3, 1.2
    area, nodes = np.zeros(at.ROWS * at.BLOCK), np.empty((7, sums.NODES))
    sums._limited(0.0, area)
    column = laws.alpha, laws.multiplicity.astype(float), laws.shift_squared
    with np.errstate(all="ignore"):
        for highest in (0.0, 1e-9):
            if highest:
                blocks = sums.fill(*column, path, 1.5, 0.0, highest, nodes, area, at.BLOCK)
                error = sums.beyond(nodes, blocks, 0.0, sums._RULES, area, at.BLOCK)[1]
            else:
                error = sums.alone(*column, path, 1.5, sums._RULES, area, at.BLOCK)[1]
            assert not trapezoid._GOOD * error**trapezoid._EXPONENT < 1e-6


@pytest.mark.parametrize(
    "laws, epsilon",
    [
        (Spectrum([0.5, -0.5], [1e-300, 0.0], [10**6, 1]), 1e5),  # a term whose square is lost
        (Spectrum([1e-80], [1e-300]), 1e5),  # squares leave the range of floats
        (Spectrum([0.0], [0.0]), 1e5),  # the same law twice
        (Spectrum([0.5], [0.0], [10**6]), 4.9e4),  # the sum of large terms
        (Spectrum([0.5], [0.0], [10**6]), 4e4),  # of the complement
    ],
)
def test_what_is_not_plainly_within_reach_is_left(kernel, laws, epsilon):
    direct, complement = entries(kernel, laws, np.zeros(1, dtype=int), np.array([epsilon]))
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


@pytest.mark.skipif(not COMPILED, reason="numba is not installed")
def test_what_is_kept_on_disk_is_made_anew_where_another_file_has_changed(tmp_path):
    """A constant that loops take from another file, changed: they kept the old one."""
    room = tmp_path / "house" / "room"
    room.mkdir(parents=True)
    for folder in (room, room.parent):
        (folder / "__init__.py").touch()
    (room / "loops.py").write_text(
        "from house.room import numbers\nfrom ndis_verify.fast.engine.compiling import compiled\n\n\n"
        "@compiled\ndef more(x):\n    return x + numbers.MORE\n"
    )
    said = []
    for more in (1, 2, 1):
        (room / "numbers.py").write_text(f"MORE = {more}\n")
        ask = [
            sys.executable,
            "-B",
            "-c",
            "from house.room.loops import more; print(more(40), sum(more.stats.cache_hits.values()))",
        ]
        paths = os.pathsep.join([str(tmp_path), *filter(None, sys.path)])
        said.append(subprocess.check_output(ask, text=True, env={**os.environ, "PYTHONPATH": paths}).split())
    assert [value for value, _ in said] == ["41", "42", "41"]
    kept = subprocess.check_output(ask, text=True, env={**os.environ, "PYTHONPATH": paths}).split()
    assert kept == ["41", "1"]  # and where nothing has changed it is taken from there


def test_loops_have_their_own_exponentials_and_sines(kernel):
    rng = np.random.default_rng(3)
    for x in np.concatenate([rng.uniform(-700, 700, 200), rng.uniform(-2, 2, 50), [0.0, -700.0, 700.0]]):
        assert abs(at.exp(np.float64(x)) / mpmath.exp(float(x)) - 1) < 4e-16
    for scale in (1e-8, 1.0, 30.0, 1e5):
        for x in rng.uniform(-scale, scale, 100):
            sine, cosine = at.sine_and_cosine(np.float64(x))
            assert abs(sine - mpmath.sin(float(x))) < 4e-16 and abs(cosine - mpmath.cos(float(x))) < 4e-16
    for quarter in range(-9, 10):
        x = quarter * math.pi / 2
        assert np.allclose(at.sine_and_cosine(np.float64(x)), (math.sin(x), math.cos(x)), rtol=0, atol=4e-16)
    assert at.exp(np.float64(-1e4)) < 1e-300 and at.exp(np.float64(1e4)) > 1e300


@pytest.mark.parametrize("groups, copies", [(40, 1), (40, 3), (400, 1), (1000, 1)])
def test_products_of_many_factors_stay_inside_the_range_of_floats(kernel, groups, copies):
    """Which are multiplied before a logarithm is taken, with their turns counted."""
    rng = np.random.default_rng(groups)
    variance = np.exp(rng.uniform(-8, 8, (1, groups)))
    laws = Spectrum(variance - 1, rng.uniform(0, 0.1, (1, groups)), copies)
    loss, first = laws.loss_forms(), np.array([0])
    for place in (-2.0, 0.3, 3.0, 8.0):
        epsilon = loss.mean + place * loss.std
        ours, theirs = entries(kernel, laws, first, epsilon), curve.entries_by_arrays(laws, first, epsilon)
        if not np.isnan(ours).all():
            np.testing.assert_allclose(ours, theirs, rtol=ROUNDING, atol=ROUNDING)
    near = Spectrum(0.1 * rng.standard_normal((1, groups)).clip(-5, 5), rng.uniform(0, 1e-3, (1, groups)), copies)
    found = entries(kernel, near, first, near.loss_forms().mean + 2 * near.loss_forms().std)
    assert not np.isnan(found).all()
    np.testing.assert_allclose(
        found,
        curve.entries_by_arrays(near, first, near.loss_forms().mean + 2 * near.loss_forms().std),
        rtol=ROUNDING,
        atol=ROUNDING,
    )


@pytest.mark.parametrize("dense", [False, True])
def test_few_pairs_that_are_left_are_looked_at_without_the_others(kernel, monkeypatch, dense):
    rng = np.random.default_rng(11)
    count = 150
    means, variances = 0.3 * rng.standard_normal((2, count, 2)), rng.uniform(0.5, 2, (2, count, 2))
    means[1, 7], variances[0, 7], variances[1, 7] = means[0, 7] + 0.3, [0.5, 0.9], [1.0, 1.0]
    if dense:
        variances = variances[..., None] * np.eye(2)
    laws = curve.spectrum(PairBatch(means[0], variances[0], means[1], variances[1]))
    largest = float(epsilon_for_delta(laws.part(np.array([7])), 0.0)[0])
    rows, epsilon = np.arange(count), np.where(np.arange(count) == 7, largest * (1 - 1e-9), 1.0)
    seen, arrays = [], curve.entries_by_arrays
    monkeypatch.setattr(curve, "_FEW", 2)
    monkeypatch.setattr(kernels, "compiled_kernel", lambda: kernel)
    monkeypatch.setattr(kernels, "_asked", 10**9)
    monkeypatch.setattr(curve, "entries_by_arrays", lambda *a: seen.append(a[0]) or arrays(*a))
    with np.errstate(all="ignore"):
        found = curve.log_entries(laws, rows, epsilon)
        again = curve.log_entries(laws, rows, epsilon)
    whole = arrays(laws, rows, epsilon)
    assert len(seen) == 2 and seen[0] is seen[1] and seen[0].batch_shape < (count // 2,)
    assert np.array_equal(found, again, equal_nan=True)
    for one, other in zip(found, whole):
        np.testing.assert_allclose(one, other, rtol=0, atol=ROUNDING)
    assert found[0][7] == whole[0][7] > -np.inf


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
