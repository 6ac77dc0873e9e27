"""What is timed: seven questions, each with its sizes, its epsilons, the points that are checked and the
methods asked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from ndis_verify.bench import ours, problems
from ndis_verify.bench.peers import Method
from ndis_verify.bench.problems import PairBatch, Problem

TARGETS = (1e-2, 1e-6, 1e-10, 1e-20)
TARGET_LABELS = ("eps=0", *(f"{delta:.0e}" for delta in TARGETS))
NEARLY_EQUAL = 1e-8
LEVERAGE, PROJECTED = 0.5, 50


@dataclass(frozen=True)
class Sizes:
    """How large the cases are and how long they may take (seconds)."""

    curve_dimension: int = 10
    curve_points: int = 200
    batch: int = 10_000
    batch_sample: int = 30  # pairs that a method without a batch call is timed on
    dimension: int = 10_000
    checked: int = 5  # points of a curve or batch whose digits are counted
    repetitions: int = 15
    budget: float = 2.0  # for the repetitions of one method in one case
    limit: float = 20.0  # for one call
    released_vector: int = 10**6
    released_records: int = 10**5


FULL = Sizes()
QUICK = Sizes(
    curve_points=50,
    batch=1_000,
    batch_sample=8,
    dimension=1_000,
    checked=3,
    repetitions=5,
    budget=0.4,
    limit=3.0,
    released_vector=10**5,
    released_records=10**4,
)


@dataclass(frozen=True, eq=False)
class Task:
    """One call: a problem, the epsilons asked at once, and which of them are checked against the reference."""

    problem: Problem
    epsilons: np.ndarray
    checked: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Case:
    """A row block of the table.

    `tasks` are run one call after the other. With `batch`, a method that has a batch call answers all of `batch`
    at `tasks[0].epsilons[0]` at once; the tasks are then its first pairs and serve the others, and the check.
    `each` shows the digits of every checked point under `labels`; otherwise the worst and the median are shown.
    """

    key: str
    title: str
    tasks: tuple[Task, ...]
    methods: tuple[Method, ...]
    batch: PairBatch | None = None
    labels: tuple[str, ...] = ()

    @property
    def each(self) -> bool:
        return bool(self.labels)


def builders(sizes: Sizes, seed: int, peers: list[Method]) -> Iterator[tuple[str, Callable[[], Case]]]:
    """(key, function that builds the case), in the order of the table. Each case has a random stream of its own."""
    general = (ours.fast_method(), *peers)
    streams = [np.random.default_rng(child) for child in np.random.SeedSequence(seed).spawn(4)]
    spectrum = problems.random_spectrum(streams[2], sizes.dimension)
    yield "curve", lambda: _curve(sizes, streams[0], general)
    yield "batch", lambda: _batch(sizes, streams[1], general)
    yield "spectrum", lambda: _spectrum(sizes, spectrum, general, 1)
    yield "spectrum_curve", lambda: _spectrum(sizes, spectrum, general, sizes.curve_points)
    yield "single", lambda: _single(streams[3], general)
    yield "nearly_equal", lambda: _nearly_equal(general)
    yield "projection", lambda: _projection(general)
    yield "mean_shift", lambda: _mean_shift(general)


def _curve(sizes: Sizes, rng: np.random.Generator, methods: tuple[Method, ...]) -> Case:
    d, n = sizes.curve_dimension, sizes.curve_points
    pair = problems.random_pairs(rng, 1, d).pair(0)
    title = f"curve of {n} epsilons in [0, 10], d = {d}, from dense covariances"
    return Case("curve", title, (Task(pair, np.linspace(0.0, 10.0, n), _spread(n, sizes.checked)),), methods)


def _batch(sizes: Sizes, rng: np.random.Generator, methods: tuple[Method, ...]) -> Case:
    pairs = problems.random_pairs(rng, sizes.batch, 3)
    tasks = tuple(
        Task(pairs.pair(k), np.array([1.0]), (0,) if k < sizes.checked else ())
        for k in range(min(sizes.batch_sample, sizes.batch))
    )
    return Case("batch", f"batch of {sizes.batch} pairs, d = 3, epsilon = 1", tasks, methods, pairs)


def _spectrum(sizes: Sizes, spectrum: problems.Spectrum, methods: tuple[Method, ...], points: int) -> Case:
    epsilons = np.linspace(0.0, 6.0, points) if points > 1 else np.array([1.0])
    what = f"curve of {points} epsilons in [0, 6]" if points > 1 else "one value, epsilon = 1"
    distinct = np.unique(spectrum.alpha).size
    title = f"{what}, d = {spectrum.dimension}, eigenvalues given one by one ({distinct} different)"
    checked = _spread(points, 2)
    return Case("spectrum_curve" if points > 1 else "spectrum", title, (Task(spectrum, epsilons, checked),), methods)


def _single(rng: np.random.Generator, methods: tuple[Method, ...]) -> Case:
    pair = problems.random_pairs(rng, 1, 3).pair(0)
    return Case(
        "single", "single values, d = 3, weights of both signs", _at_targets(pair), methods, labels=TARGET_LABELS
    )


def _nearly_equal(methods: tuple[Method, ...]) -> Case:
    pair = problems.nearly_equal_pair(NEARLY_EQUAL)
    title = f"single values, S1 = S2 (1 + {NEARLY_EQUAL:.0e}), mean shift 1, d = 3"
    return Case("nearly_equal", title, _at_targets(pair), methods, labels=TARGET_LABELS)


def _projection(methods: tuple[Method, ...]) -> Case:
    spectrum = problems.projection_spectrum(LEVERAGE, PROJECTED)
    title = f"single values, random projection, r = {PROJECTED}, leverage {LEVERAGE}"
    chosen = (methods[0], ours.projection_method(LEVERAGE, PROJECTED), *methods[1:])
    return Case("projection", title, _at_targets(spectrum), chosen, labels=TARGET_LABELS)


def _mean_shift(methods: tuple[Method, ...]) -> Case:
    chosen = (methods[0], ours.mean_shift_method(1.0), *methods[1:])
    tasks = _at_targets(problems.mean_shift_spectrum(1.0))
    return Case("mean_shift", "single values, equal covariances, mean shift 1", tasks, chosen, labels=TARGET_LABELS)


def _at_targets(problem: Problem) -> tuple[Task, ...]:
    epsilons = [0.0] + [ours.epsilon_at(problem, delta) for delta in TARGETS]
    return tuple(Task(problem, np.array([epsilon]), (0,)) for epsilon in epsilons)


def _spread(count: int, wanted: int) -> tuple[int, ...]:
    """`wanted` indices spread over range(count), both ends included."""
    return tuple(sorted({int(k) for k in np.linspace(0, count - 1, min(wanted, count)).round()}))
