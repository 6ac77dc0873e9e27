"""Samples of scores as streams: read in chunks, split by row number, counted in bins; memory does not grow
with them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from ndis_verify.exact_number import InputError, float_array

CHUNK = 1 << 16
KEPT = 1 << 16  # rows of the learning part that are kept
SMALLEST = 8
# Row r goes to part r % 8: 0 learns bins and orders, 4 chooses among sets, the other six eighths bound the chosen ones.
PERIOD, LEARN, CHOOSE = 8, 0, 4
# What one chunk of a sample holds: all of its rows, then those that learn.
_CHUNK = np.dtype(
    [(name, np.float64) for name in ("n", "first", "last", "smallest", "largest", "rises", "falls")]
    + [(name, np.float64) for name in ("learned", "mean", "squares", "learned_smallest", "learned_largest")]
)
Piece = dict[str, np.ndarray]  # what was found in consecutive rows of a sample, by name


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
    """`scores` itself if it reads in chunks, else one axis of finite numbers. Raises `InputError`."""
    if callable(getattr(scores, "chunks", None)):
        return scores
    values = float_array(scores, name, "must be one axis of real numbers")
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
    pieces = each_piece(sample, read_piece, getattr(sample, "rows", 0))
    kept, chunks = (np.concatenate([piece[name] for piece in pieces]) for name in ("kept", "chunks"))
    n, first, last = int(chunks["n"].sum()), chunks["first"][1:], chunks["last"][:-1]
    if n < SMALLEST:
        raise InputError(sample.name, f"{n} score{'s' * (n != 1)}", f"needs at least {SMALLEST}")
    rises, falls = chunks["rises"].sum() + (first > last).sum(), chunks["falls"].sum() + (first < last).sum()
    if min(rises, falls) == 0 and max(rises, falls) >= 10:  # by chance with probability below 1/10!
        raise InputError(
            sample.name, f"{n} sorted scores", "must be in the order in which they were drawn, or shuffled"
        )
    smallest, largest = float(chunks["smallest"].min()), float(chunks["largest"].max())
    learned_range = float(chunks["learned_smallest"].min()), float(chunks["learned_largest"].max())
    return Survey(n, np.sort(kept), _std(chunks), *learned_range, smallest if smallest == largest else None)


def each_piece(sample: Sample, read: Callable[..., Piece], *arguments: Any) -> list[Piece]:
    """`read(chunks, first row, *arguments)` of the whole sample or, where it is spread, of each of its pieces in order.

    The pieces of a spread sample (`spread_samples.SpreadSample`) begin at multiples of 2^16 rows.
    """
    spread = getattr(sample, "each_piece", None)
    return [read(sample.chunks(), 0, *arguments)] if spread is None else spread(read, *arguments)


def read_piece(chunks: Iterator[np.ndarray], start: int, rows: int) -> Piece:
    """What `survey` needs of the rows from `start` on, out of `rows` (0: nobody counted, and these are all).

    "kept": rows that learn, thinned; "chunks": what is in each chunk of 2^16 rows.
    """
    n, stride, kept, described = start, PERIOD, np.empty(0), []
    while -(-rows // stride) > KEPT:
        stride *= 2
    for chunk in _even(chunks):
        kept = np.concatenate([kept, chunk[-n % stride :: stride]])
        while not rows and kept.size > KEPT:
            kept, stride = kept[::2], 2 * stride
        described.append(_described(chunk))
        n += chunk.size
    return {"kept": kept, "chunks": np.array(described, dtype=_CHUNK)}


def _described(chunk: np.ndarray) -> tuple[float, ...]:
    """The fields of `_CHUNK`; a chunk begins with a row that learns."""
    learning = np.ascontiguousarray(chunk[LEARN::PERIOD])
    steps = (chunk[1:] > chunk[:-1]).sum(), (chunk[1:] < chunk[:-1]).sum()
    with np.errstate(over="ignore"):
        centre = learning.mean()
        squares = ((learning - centre) ** 2).sum()
    whole = (chunk.size, chunk[0], chunk[-1], chunk.min(), chunk.max(), *steps)
    return (*whole, learning.size, centre, squares, learning.min(), learning.max())


def _std(chunks: np.ndarray) -> float:
    """Of the rows that learn, merged chunk by chunk (Chan, Golub and LeVeque 1983), so that no digits are lost."""
    count, mean, squared = 0.0, 0.0, 0.0
    for size, centre, squares in chunks[["learned", "mean", "squares"]].tolist():
        step, total = centre - mean, count + size
        squared += squares + (step * step * count * size / total if count else 0.0)
        mean += step * size / total
        count = total
    return float(np.sqrt(squared / max(count - 1, 1))) if squared < np.inf else np.inf


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
    learn, choose, bound = np.sum([piece["counts"] for piece in each_piece(sample, count_piece, edges)], axis=0)
    n = int(learn.sum() + choose.sum() + bound.sum())
    if rows is not None and n != rows:
        raise InputError(sample.name, f"{n} scores", f"changed while it was read: it had {rows}")
    totals = {"choose": choose, "bound": bound, "rest": choose + bound, "all": learn + choose + bound}
    return tuple(totals[part] for part in parts)


def count_piece(chunks: Iterator[np.ndarray], start: int, edges: np.ndarray) -> Piece:
    """ "counts": how many of the rows from `start` on are in each bin, of those that learn, that choose, that bound."""
    counts, n, bins_of = np.zeros((3, edges.size + 1), dtype=np.int64), start, _placer(edges)
    part = np.full(PERIOD, 2)
    part[[LEARN, CHOOSE]] = 0, 1
    for chunk in chunks:
        cells = bins_of(chunk) + part[np.arange(n, n + chunk.size) % PERIOD] * (edges.size + 1)
        counts += np.bincount(cells, minlength=counts.size).reshape(counts.shape)
        n += chunk.size
    return {"counts": counts}


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
