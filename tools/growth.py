"""docs/growth.md: what more of something costs, and what that says for a thousand times more. `python -m tools.growth`.

Process time, the least of some rounds, and the peak of what is allocated, by `tracemalloc`, in a call of its own; for
workers the time by the clock. Run with one thread for BLAS on a machine that does nothing else.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
import tracemalloc
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from ndis_verify.audit.dp_sgd import DpSgd, Network, black_box_scores
from ndis_verify.audit.histogram import audit_scores
from ndis_verify.audit.score_files import open_scores
from ndis_verify.claims.ledger import all_claims
from ndis_verify.court.judge import judge
from ndis_verify.fast.engine.whitening import PairBatch, spectrum
from ndis_verify.fast.hockey_stick import hockey_stick
from ndis_verify.gaussian_pair import GaussianPair
from ndis_verify.oracle.certified.hockey_stick import hockey_stick as certified
from ndis_verify.runs.files import write_atomically
from ndis_verify.runs.pool import unordered

PAGE = Path(__file__).resolve().parents[1] / "docs" / "growth.md"
_ROUNDS, _PATIENCE = 5, 2.0  # seconds of one call, from which on it is made once only
_FITTED = 3  # of the largest sizes
_TASKS = 24  # that the workers share
_FILES = "scores of each sample, two .npy files of float32, widest histogram"
_PARTS = 100  # part files of a sample in the plan


@dataclass(frozen=True)
class Growth:
    """A row of the page: `prepared(size)` makes ready and gives the call that is timed."""

    name: str
    sizes: Sequence[int]
    prepared: Callable[[int], Callable[[], Any]]
    by_clock: bool = False
    memory: bool = True


def growths(folder: Path) -> Iterator[Growth]:
    """The rows, first what other work on the machine would spoil; files of scores are written to `folder`."""
    yield Growth(f"workers for {_TASKS} equal tasks, by the clock", (1, 2, 3), _workers, by_clock=True, memory=False)
    yield Growth("pairs, d = 3, diagonal", (1_000, 10_000, 100_000, 1_000_000), _pairs)
    yield Growth("d, one pair of Wishart covariances, whitened by error-free products", (30, 100, 300, 1_000), _dense)
    yield Growth("epsilons, d = 10", (100, 1_000, 10_000, 100_000), _epsilons)
    yield Growth("digits, certified, d = 3", (30, 100, 300, 1_000), _digits, memory=False)
    yield Growth("d, certified, 50 digits, all eigenvalues distinct", (10, 100, 1_000), _distinct, memory=False)
    yield Growth("scores of each sample, a file, widest histogram", (10**4, 10**5, 10**6), lambda n: _scores(folder, n))
    yield Growth(_FILES, (10**6, 10**7, 10**8), lambda n: _score_arrays(folder, n))
    yield Growth("models of a side, DP-SGD, 64 records, 5 steps, 4,290 parameters", (4, 16, 64, 256), _models)
    yield Growth("claims, heard with their faults", (4, 16, 64), _claims, memory=False)


def _pairs(count: int) -> Callable[[], Any]:
    rng = np.random.default_rng(count)
    means, covariances = 0.3 * rng.standard_normal((2, count, 3)), rng.uniform(0.4, 2.5, (2, count, 3))
    batch = PairBatch(means[0], covariances[0], means[1], covariances[1])
    return lambda: hockey_stick(batch, 1.0)


def _dense(d: int) -> Callable[[], Any]:
    rng = np.random.default_rng(d)
    factors = rng.standard_normal((2, d, 2 * d))
    first, second = (factor @ factor.T / (2 * d) for factor in factors)
    pair = GaussianPair(rng.standard_normal(d) / d, first, np.zeros(d), second)
    return lambda: spectrum(pair)


def _epsilons(count: int) -> Callable[[], Any]:
    rng = np.random.default_rng(count)
    pair = GaussianPair(0.3 * rng.standard_normal(10), rng.uniform(0.4, 2.5, 10), np.zeros(10), np.ones(10))
    grid = np.linspace(0, 10, count)
    return lambda: hockey_stick(pair, grid)


def _digits(digits: int) -> Callable[[], Any]:
    pair = GaussianPair(["0.3", "0.1", "0"], ["1.2", "1.4", "0.7"], [0, 0, 0], [1, 1, 1])
    return lambda: certified(pair, 1, digits=digits)


def _distinct(d: int) -> Callable[[], Any]:
    variances = [f"{1 + (k + 1) / (2 * d):.6f}" for k in range(d)]
    pair = GaussianPair([f"{0.3 / (k + 1):.6f}" for k in range(d)], variances, [0] * d, [1] * d)
    return lambda: certified(pair, 1, digits=50)


def _scores(folder: Path, count: int) -> Callable[[], Any]:
    rng, file = np.random.default_rng(count), folder / f"scores_{count}.csv"
    values = np.column_stack([rng.normal(0.5, 1, count), rng.normal(0, 1, count)])
    np.savetxt(file, values, fmt="%.9g", delimiter=",", header="p,q", comments="")
    return lambda: audit_scores(*open_scores([file]), delta=1e-5)


def _score_arrays(folder: Path, count: int) -> Callable[[], Any]:
    files = [folder / f"{name}_{count}.npy" for name in "pq"]
    for k, file in enumerate(files):
        rng = np.random.default_rng([k, count])
        values = np.lib.format.open_memmap(file, "w+", np.float32, (count,))
        for start in range(0, count, 10**6):
            part = values[start : start + 10**6]
            part[:] = rng.standard_normal(part.size, dtype=np.float32) + np.float32(0.5 - 0.5 * k)
        values.flush()
    return lambda: audit_scores(*open_scores(files), delta=1e-5)


def _models(count: int) -> Callable[[], Any]:
    def run() -> Any:
        rng = np.random.default_rng(count)
        x, y = rng.standard_normal((64, 64)), rng.integers(0, 2, 64)
        settings = DpSgd(0.25, 1.0, 5)
        return black_box_scores(Network(64, 64, 2), settings, x, y, (np.ones(64), 1), count, rng)

    return run


def _claims(count: int) -> Callable[[], Any]:
    claims = all_claims()
    chosen = [claims[k * len(claims) // count] for k in range(count)]
    return lambda: [judge(claim) for claim in chosen]


def _workers(count: int) -> Callable[[], Any]:
    return lambda: list(unordered(_task, range(_TASKS), count))


def _task(seed: int) -> float:
    pair = GaussianPair(["0.3", "0.1", f"0.{seed + 1}"], ["1.2", "1.4", "0.7"], [0, 0, 0], [1, 1, 1])
    return float(certified(pair, 1, digits=600).mid)


def measured(growth: Growth, sizes: Sequence[int] | None = None) -> list[tuple[int, float, float | None]]:
    """(size, seconds, peak in MiB or None) of each size."""
    clock = time.perf_counter if growth.by_clock else time.process_time
    rows: list[tuple[int, float, float | None]] = []
    for size in growth.sizes if sizes is None else sizes:
        call = growth.prepared(size)
        call() if not rows else None  # what is loaded and built once is no cost of size
        rows.append((size, _least(call, clock, growth.by_clock), _peak(call) if growth.memory else None))
    return rows


def _least(call: Callable[[], Any], clock: Callable[[], float], every: bool) -> float:
    """every: all rounds are made, however long they are: what else runs at the same time is on the clock too."""
    least = np.inf
    for _ in range(_ROUNDS):
        start = clock()
        call()
        least = min(least, clock() - start)
        if least > _PATIENCE and not every:
            break
    return float(least)


def _peak(call: Callable[[], Any]) -> float:
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1] / 2**20
    finally:
        tracemalloc.stop()


def exponent(rows: Sequence[tuple[int, float]]) -> float:
    """The slope of log cost against log size, by least squares over the largest sizes."""
    sizes, costs = np.log(np.array(rows[-_FITTED:], dtype=float)).T
    return float(np.polyfit(sizes, costs, 1)[0])


def lines(growth: Growth, rows: Sequence[tuple[int, float, float | None]]) -> Iterator[str]:
    """The row of the page: measured, fitted, and what a thousand times the largest would take."""
    slope = exponent([(size, seconds) for size, seconds, _ in rows])
    cells = "; ".join(
        f"{size:,}: {_time(seconds)}" + ("" if peak is None else f", {peak:.3g} MiB") for size, seconds, peak in rows
    )
    more = "-" if growth.by_clock else _time(rows[-1][1] * 1000**slope)
    yield f"| {growth.name} | {cells} | {slope:.2f} | {more} |"


def _time(seconds: float) -> str:
    for unit, size in (("days", 86_400.0), ("h", 3_600.0), ("s", 1.0), ("ms", 1e-3)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{1e6 * seconds:.3g} us"


def plan(rows: Sequence[tuple[int, float, float | None]]) -> str:
    """What ten times the largest size of the files of scores takes, on paper."""
    size, seconds, peak = rows[-1]
    slope = exponent([(count, cost) for count, cost, _ in rows])
    more, each = seconds * 10**slope, seconds * 10**slope / (2 * _PARTS)
    return _PLAN.format(
        size=size,
        seconds=_time(seconds),
        peak=f"{peak:.3g}",
        ten=10 * size,
        slope=f"{slope:.2f}",
        more=_time(more),
        bytes=f"{2 * 4 * 10 * size / 1e9:g}",
        parts=_PARTS,
        part=10 * size // _PARTS,
        each=_time(each),
        three=_time(more / 3),
    )


def page() -> str:
    """The text of docs/growth.md, measured now."""
    table: list[str] = []
    planned, load = "", os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as folder:
        for growth in growths(Path(folder)):
            rows = measured(growth)
            table.extend(lines(growth, rows))
            print(table[-1], file=sys.stderr, flush=True)
            planned = plan(rows) if growth.name == _FILES else planned
    return (
        _HEAD.format(load=load, loops="with" if find_spec("numba") else "without") + "\n".join(table) + "\n" + planned
    )


_HEAD = """# Growth

Written by `python -m tools.growth` with `OMP_NUM_THREADS=1`, all in one process, on two cores, whose load average was
{load:.1f} when it began, {loops} the compiled loops of the extra `speed`.

Process time of one call, the least of five (of one, where it takes two seconds; by the clock always of five), and the
most memory that was allocated meanwhile, after a first call that loads what is loaded once. The exponent is the slope
of the logarithms over the three largest sizes; the last column is what it says for a thousand times the largest size,
on one core: an extrapolation. Where the exponent is near 1 more cores, or a cluster, divide it (`workers=`, `--jobs`,
`--scheduler`). The row of workers is measured first, as it has what else runs on its clock: above a load of 1 there is
no second core to be had.

| what grows | size: time, memory | exponent | a thousand times the largest |
|---|---|---:|---:|
"""
_PLAN = """
## A thousand million scores

On paper, from the row of two `.npy` files: {size:,} scores of each sample took {seconds} of one core and {peak} MiB, in
two passes over both files. By the fitted exponent {slope}, {ten:,} of each, {bytes} GB of files, take {more}, and as
much memory: what is held is 2^16 rows and the counts, whatever the length. In two folders of {parts} part files of
{part:,} scores, `audit scores P Q` with `--jobs 3` or `--scheduler` gives out the readings part by part, {each} of one
core for a part's two passes: {three} for three workers with a core each and disks that keep up, and a worker that dies
costs one reading.
"""

if __name__ == "__main__":
    write_atomically(PAGE, page())
