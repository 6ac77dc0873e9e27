"""Everyday work, timed by the numpy path and by the compiled loops (extra `speed`) in one run: docs/speed.md.

Process time of one thread, the least of a few rounds in which all take their turn; what is beside it in the same round
is a published library on the same numbers. Run with one thread for BLAS, or its spinning threads are counted too.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import scipy.linalg

from ndis_verify.bench import problems
from ndis_verify.bench.ours import fast_problem
from ndis_verify.bench.peers import Method, peers
from ndis_verify.fast.engine import kernels
from ndis_verify.fast.engine.whitening import PairBatch, spectrum
from ndis_verify.fast.hockey_stick import epsilon_for_delta, hockey_stick
from ndis_verify.fast.joint_shift import added_variance
from ndis_verify.fast.least_squares.worst_case import als_cap
from ndis_verify.fast.least_squares.worst_record import als_exact_cap
from ndis_verify.fast.random_projection import rp_ridge
from ndis_verify.gaussian_pair import GaussianPair
from ndis_verify.mechanisms.logistic_regression import logistic_envelope
from ndis_verify.oracle.certified.hockey_stick import hockey_stick as certified_hockey_stick

_ROUNDS = 5
_PATIENCE = 2.0  # seconds of one call, from which on it is made once only
_TARGET = {"epsilon": 1.0, "delta": 1e-6}


@dataclass(frozen=True, eq=False)
class Work:
    """A line of the page: what is done, and what others do on the same numbers, by name."""

    name: str
    call: Callable[[], Any]
    others: Mapping[str, Callable[[], Any]]


def works(scale: float = 1.0) -> Iterator[Work]:
    """The lines of the page, one after the other; `scale` shrinks batches and dimensions."""
    rng = np.random.default_rng(18)
    known = [method for method in peers() if not method.absent]
    for d in (1, 10, 100, 1000):
        yield _values(f"one delta, d = {d}", problems.random_spectrum(rng, _some(d, scale)), np.array([1.0]), known)
    grid = np.linspace(0, 10, _some(200, scale))
    yield _values(f"{grid.size} epsilons, d = 10", problems.random_spectrum(rng, 10), grid, known)
    for count in (10_000, 100_000):
        yield _batch(_some(count, scale), 3, rng, False)
    yield _whole_numbers(_some(10_000, scale), rng)
    for d in (10, 100, 1000):
        yield _whitening(_some(d, scale), rng)
    yield _batch(_some(10_000, scale), 20, rng, True)
    laws = fast_problem(problems.random_spectrum(rng, 10))
    envelope = logistic_envelope(0.1, 1.0)
    for name, call in {
        "`epsilon_for_delta`, d = 10": lambda: epsilon_for_delta(laws, 1e-6),
        "random projection, one target": lambda: rp_ridge(1.0, 50, **_TARGET),
        "least squares, one target": lambda: als_cap(10, 50, **_TARGET),
        "sketch of least squares, one target": lambda: als_exact_cap(3, 50, **_TARGET),
        "logistic regression, one target": lambda: added_variance(envelope, **_TARGET)[0],
    }.items():
        yield Work(name, call, {})


def _some(count: int, scale: float) -> int:
    return max(1, round(count * scale))


def _values(name: str, problem: problems.Spectrum, epsilons: np.ndarray, known: list[Method]) -> Work:
    laws = fast_problem(problem)
    able = [method for method in known if not method.declines(problem)]
    others = {method.name: partial(method.evaluate, problem, epsilons) for method in able}
    return Work(name, lambda: hockey_stick(laws, epsilons), others)


def _batch(count: int, d: int, rng: np.random.Generator, dense: bool) -> Work:
    means = 0.3 * rng.standard_normal((2, count, d))
    if dense:
        pairs = problems.random_pairs(rng, count, d)
        batch = PairBatch(pairs.mean_p, pairs.cov_p, pairs.mean_q, pairs.cov_q)
        others = {"scipy `eigh(P, Q)`": lambda: [scipy.linalg.eigh(p, q) for p, q in zip(pairs.cov_p, pairs.cov_q)]}
        return Work(f"{count:,} dense pairs, d = {d}", lambda: hockey_stick(batch, 1.0), others)
    first, second = rng.uniform(0.4, 2.5, (2, count, d))
    return Work(
        f"{count:,} diagonal pairs, d = {d}",
        lambda: hockey_stick(PairBatch(means[0], first, means[1], second), 1.0),
        {},
    )


def _whole_numbers(d: int, rng: np.random.Generator) -> Work:
    mean, first, second = 0.01 * rng.standard_normal(d), rng.integers(900, 1100, d), np.full(d, 1000)
    whole = GaussianPair(mean, first, np.zeros(d), second)
    floats = GaussianPair(mean, first.astype(float), np.zeros(d), second.astype(float))
    others = {"the same in floats": lambda: hockey_stick(floats, 1.0)}
    return Work(f"covariances of whole numbers, d = {d:,}", lambda: hockey_stick(whole, 1.0), others)


def _whitening(d: int, rng: np.random.Generator) -> Work:
    pair = problems.random_pairs(rng, 1, d).pair(0)
    record = GaussianPair(pair.mean_p, pair.cov_p, pair.mean_q, pair.cov_q)
    others = {"scipy `eigh(P, Q)`": lambda: scipy.linalg.eigh(pair.cov_p, pair.cov_q)}
    return Work(f"whitening of a dense pair, d = {d}", lambda: spectrum(record), others)


def certified_works(scale: float = 1.0) -> Iterator[tuple[str, Callable[[], Any]]]:
    """The lines of the second table: certified values, the last of them on the command line."""
    rng = np.random.default_rng(18)
    for d, digits in ((1, 30), (10, 30), (_some(1000, scale), 50), (3, _some(1000, scale))):
        first = rng.uniform(0.9, 1.1, d)
        pair = GaussianPair(0.3 * rng.standard_normal(d) / np.sqrt(d), first, np.zeros(d), np.ones(d))
        yield f"one delta, d = {d}, {digits} digits", partial(certified_hockey_stick, pair, 1, digits=digits)
    asked = ["delta", "--mean-p", "0.5", "--cov-p", "2", "--mean-q", "0", "--cov-q", "1", "--epsilon", "1"]
    command = [sys.executable, "-m", "ndis_verify", *asked]
    yield "`ndis-verify delta`, d = 1, 30 digits", partial(subprocess.run, command, check=True, capture_output=True)


def timed(work: Work) -> tuple[dict[str, float], float]:
    """Seconds of each way, and the largest relative distance between the numbers of the two of ours."""

    def arrays() -> Any:
        with kernels.by_arrays_alone():
            return work.call()

    calls = {"numpy": arrays, **({"compiled": work.call} if kernels.compiled_kernel() else {}), **work.others}
    answers = {name: call() for name, call in calls.items() if name in ("numpy", "compiled")}
    least: dict[str, float] = {}
    for turn in range(_ROUNDS):
        for name, call in calls.items():
            if turn and least[name] > _PATIENCE:
                continue
            least[name] = min(least.get(name, np.inf), _seconds(call, least.get(name, 0.0)))
    return least, _apart(*answers.values()) if len(answers) == 2 else 0.0


def _seconds(call: Callable[[], Any], before: float) -> float:
    """Of one call; short ones are repeated."""
    count = 1 if before == 0 else max(1, int(0.02 / max(before, 1e-6)))
    start = _spent()
    for _ in range(count):
        call()
    return (_spent() - start) / count


def _spent() -> float:
    """Of this process and of those that it ran to their ends."""
    return time.process_time() + sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2])


def _apart(one: Any, other: Any) -> float:
    if not isinstance(one, float | np.ndarray):
        one, other = one.alpha, other.alpha
    return float(np.max(np.abs(np.asarray(other) - one) / np.maximum(np.abs(one), 1e-290)))


def page(scale: float = 1.0) -> str:
    """The text of docs/speed.md."""
    hockey_stick(fast_problem(problems.mean_shift_spectrum(1.0)), np.linspace(0, 1, 1000))  # the loops are loaded now
    lines = []
    for work in works(scale):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            least, apart = timed(work)
        ours = least.get("compiled", least["numpy"])
        beside = "; ".join(f"{name} {_shown(least[name])} ({least[name] / ours:.2g})" for name in work.others)
        compiled = f"{_shown(ours)} | {least['numpy'] / ours:.3g} | {apart:.1g}" if "compiled" in least else "- | - | -"
        lines.append(f"| {work.name} | {_shown(least['numpy'])} | {compiled} | {beside or '-'} |")
    certified = [f"| {name} | {_shown(_least(call))} |" for name, call in certified_works(scale)]
    return _HEAD + "\n".join([*lines, _CERTIFIED, *certified]) + "\n"


def _least(call: Callable[[], Any]) -> float:
    return min(_seconds(call, 0.0) for _ in range(_ROUNDS))


def _shown(seconds: float) -> str:
    return f"{seconds:.3g} s" if seconds >= 1 else f"{1e3 * seconds:.3g} ms"


_HEAD = """# Speed

Written by `ndis-verify bench --work > docs/speed.md` with `OMP_NUM_THREADS=1`, all in one process.

Process time of one call, the least of five rounds in which all ways take their turn. "Compiled": with the extra `speed`
(numba); loading it takes half a second once a process, which the first 500 values and whitenings are spared, and the
first use after an installation compiles for about fifteen seconds. "Apart": the largest relative distance of the two
answers. The last column is the same work by published libraries that were installed, in brackets their time over ours.
They compute two distribution functions to an absolute error, or whiten to no stated error; `ndis-verify bench` counts
digits.
`hockey_stick(batch, epsilon, workers=2)` shares a batch between two cores for the same CPU; a batch takes the memory of
a chunk of 4,096 pairs beside its result.

| work | numpy | compiled | numpy/compiled | apart | beside it |
|---|---|---|---|---|---|
"""
_CERTIFIED = """
Certified values, every digit of which is proved; the last is a process from its start to its end:

| work | process time |
|---|---|"""
