"""Samples of scores as streams: read in chunks, split by row number, counted in bins; memory does not grow
with them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from ndis_verify.exact_number import InputError

CHUNK = 1 << 16
KEPT = 1 << 16  # rows of the learning part that are kept
SMALLEST = 8
# Row r goes to part r % 8: 0 learns bins and orders, 4 chooses among sets, the other six eighths bound the chosen ones.
PERIOD, LEARN, CHOOSE = 8, 0, 4


class Sample(Protocol):
    """Scores that can be read more than once: `chunks()` gives float64 arrays, in the order of the rows."""

    @property
    def name(self) -> str: ...

    def chunks(self) -> Iterator[np.ndarray]: ...


@dataclass(frozen=True, eq=False)
class ArraySample:
    """Scores that are in memory."""

    values: np.ndarray
    name: str

    def chunks(self) -> Iterator[np.ndarray]:
        for start in range(0, self.values.size, CHUNK):
            yield self.values[start : start + CHUNK]


def as_sample(scores: Any, name: str) -> Sample:
    """`scores` itself if it has chunks, else one axis of finite numbers. Raises `InputError`."""
    if hasattr(scores, "chunks"):
        return scores
    try:
        values = np.asarray(scores, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(name, scores, "must be one axis of numbers") from None
    if values.ndim != 1:
        raise InputError(name, f"an array of shape {values.shape}", "must have one axis: one score per row")
    bad = np.flatnonzero(~np.isfinite(values))
    if bad.size:
        raise InputError(name, float(values[bad[0]]), f"row {bad[0] + 1} must be finite")
    return ArraySample(values, name)


@dataclass(frozen=True, eq=False)
class Survey:
    """What one reading of a sample shows: how many rows, and of those that learn a thinned copy, their spread and
    range.
    """

    n: int
    learning: np.ndarray  # thinned and sorted
    std: float
    smallest: float
    largest: float
    constant: float | None  # the score, where every row has the same

    def size(self, part: str) -> int:
        """How many rows are in a part: "choose", "bound", "rest" (both of these) or "all"."""
        learn, choose = (len(range(offset, self.n, PERIOD)) for offset in (LEARN, CHOOSE))
        return {"choose": choose, "bound": self.n - learn - choose, "rest": self.n - learn, "all": self.n}[part]


def survey(sample: Sample) -> Survey:
    """Read a sample once; mean, std and range are those of the rows that learn.

    At most 2^16 learning rows are kept, thinned by their row number: the choice does not look at the scores. Raises
    `InputError` for fewer than 8 rows, and for sorted ones (10 rises and no fall, or the reverse): rows must be in the
    order in which they were drawn, or shuffled, as splitting sorted rows makes the parts dependent.
    """
    n, stride, kept = 0, PERIOD, np.empty(0)
    learning, every, rises, falls, last = _Moments(), _Moments(), 0, 0, np.empty(0)
    for chunk in _even(sample.chunks()):
        rows = np.arange(n, n + chunk.size)
        kept = np.concatenate([kept, chunk[rows % stride == LEARN]])
        while kept.size > KEPT:
            kept, stride = kept[::2], 2 * stride
        learning.add(chunk[rows % PERIOD == LEARN])
        every.add(chunk)
        steps = np.concatenate([last, chunk])
        rises, falls = rises + int((steps[1:] > steps[:-1]).sum()), falls + int((steps[1:] < steps[:-1]).sum())
        n, last = n + chunk.size, steps[-1:]
    if n < SMALLEST:
        raise InputError(sample.name, f"{n} score{'s' * (n != 1)}", f"needs at least {SMALLEST}")
    if min(rises, falls) == 0 and max(rises, falls) >= 10:  # by chance with probability below 1/10!
        raise InputError(
            sample.name, f"{n} sorted scores", "must be in the order in which they were drawn, or shuffled"
        )
    return Survey(
        n,
        np.sort(kept),
        learning.std(),
        learning.smallest,
        learning.largest,
        every.smallest if every.smallest == every.largest else None,
    )


def _even(chunks: Iterator[np.ndarray]) -> Iterator[np.ndarray]:
    """The same scores in chunks of one size, so that sums of floats do not depend on how a file is cut."""
    held, size = [np.empty(0)], 0
    for chunk in chunks:
        held.append(chunk)
        size += chunk.size
        if size >= CHUNK:
            scores = np.concatenate(held)
            whole = size - size % CHUNK
            yield from (scores[start : start + CHUNK] for start in range(0, whole, CHUNK))
            held, size = [scores[whole:]], size - whole
    if size:
        yield np.concatenate(held)


def check_distinguishable(first: Survey, second: Survey, names: tuple[str, str]) -> None:
    """Refuse two samples that consist of one and the same score."""
    if first.constant is not None and first.constant == second.constant:
        raise InputError(" and ".join(names), first.constant, "every score is the same: there is nothing to audit")


def bin_counts(
    sample: Sample, edges: np.ndarray, parts: tuple[str, ...], rows: int | None = None
) -> tuple[np.ndarray, ...]:
    """Counts in the bins (-inf, e_1), [e_1, e_2), ..., [e_m, inf) of the rows of each part, in one reading.

    edges: increasing, at least one; parts: names as in `Survey.size`; rows: how many an earlier reading met. Raises
    `InputError` where there are more or fewer now.
    """
    totals = {part: np.zeros(edges.size + 1, dtype=np.int64) for part in parts}
    n, bins_of = 0, _placer(edges)
    for chunk in sample.chunks():
        bins = bins_of(chunk)
        part_of_row = np.arange(n, n + chunk.size) % PERIOD
        masks = {"choose": part_of_row == CHOOSE, "rest": part_of_row != LEARN, "all": slice(None)}
        masks["bound"] = masks["rest"] & ~masks["choose"]
        for part in parts:
            totals[part] += np.bincount(bins[masks[part]], minlength=edges.size + 1)
        n += chunk.size
    if rows is not None and n != rows:
        raise InputError(sample.name, f"{n} scores", f"changed while it was read: it had {rows}")
    return tuple(totals[part] for part in parts)


def _placer(edges: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
    """The number of edges at or below each value; where the edges are equally far apart, a guess that is put right by
    one step.
    """
    width = (edges[-1] - edges[0]) / max(edges.size - 1, 1)
    if edges.size < 16 or not 0 < width < np.inf or np.abs(np.diff(edges) - width).max() > 1e-3 * width:
        return lambda values: np.searchsorted(edges, values, side="right")
    padded = np.concatenate([[-np.inf], edges, [np.inf]])

    def place(values: np.ndarray) -> np.ndarray:
        with np.errstate(over="ignore"):
            guess = np.clip((values - edges[0]) / width + 1, 0, edges.size).astype(np.intp)
        return guess + (values >= padded[guess + 1]) - (values < padded[guess])

    return place


class _Moments:
    """Mean, spread and range of a stream; merged chunk by chunk (Chan, Golub and LeVeque 1983), so that no digits are
    lost.
    """

    def __init__(self) -> None:
        self.count, self.mean, self._square, self.smallest, self.largest = 0, 0.0, 0.0, np.inf, -np.inf

    def add(self, values: np.ndarray) -> None:
        if not values.size:
            return
        total = self.count + values.size
        with np.errstate(over="ignore"):
            centre = float(values.mean())
            step = centre - self.mean
            self._square += float(((values - centre) ** 2).sum()) + step * step * self.count * values.size / total
        self.mean += step * values.size / total
        self.count = total
        self.smallest, self.largest = min(self.smallest, float(values.min())), max(self.largest, float(values.max()))

    def std(self) -> float:
        return float(np.sqrt(self._square / max(self.count - 1, 1)))
