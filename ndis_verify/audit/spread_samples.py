"""Samples in many files, each read by a task of its own, in processes or over a cluster; every number as by one."""

from __future__ import annotations

import base64
import hashlib
import io
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import accumulate
from typing import Any

import numpy as np

from ndis_verify.audit.samples import CHUNK, Piece
from ndis_verify.audit.score_columns import ColumnFile
from ndis_verify.audit.score_files import ScoreFile, ScoreFolder
from ndis_verify.exact_number import InputError
from ndis_verify.runs.identity import identity

File = ScoreFile | ColumnFile
Run = Callable[[Callable[[Any], Any], Mapping[str, Any]], Iterable[tuple[str, Any]]]


@dataclass(frozen=True, eq=False)
class SpreadSample:
    """A sample (`samples.Sample`) whose part files are read by the tasks of `run(function, items by id)`.

    `run` is `runs.pool.resumed` with its journal: a task that was done is not done again. Each chunk of 2^16 rows
    belongs to the file in which it begins, whose task reads on in the next ones to the chunk's end; so what is added up
    is the same, in the same order, however many read. The files must be at the same paths for all who read. Memory:
    that of one file's reading in each task; here a kilobyte and a half for 10^6 rows, and the bins of each file.
    `label` tells two samples of one run apart. Raises what the files raise, and `InputError` where one of them changes.
    """

    sample: File | ScoreFolder
    label: str
    run: Run

    @property
    def name(self) -> str:
        return self.sample.name

    @cached_property
    def parts(self) -> tuple[File, ...]:
        """The files, by paths that mean the same in another process."""
        return tuple(replace(part, path=part.path.resolve()) for part in _files(self.sample))

    def chunks(self) -> Iterator[np.ndarray]:
        """Those of the sample, read here."""
        return self.sample.chunks()

    @cached_property
    def starts(self) -> list[int]:
        """The first row of each file, and the number of all rows."""
        items = {f"{self.label} rows {place}": part for place, part in enumerate(self.parts)}
        found = dict(self.run(_rows, items))
        return list(accumulate((found[key] for key in items), initial=0))

    @property
    def rows(self) -> int:
        """How many there are."""
        return self.starts[-1]

    def each_piece(self, read: Callable[..., Piece], *arguments: Any) -> list[Piece]:
        """`read(chunks, first row, *arguments)` of the chunks that begin in each file, in order."""
        asked = hashlib.sha256(b"".join(np.asarray(argument).tobytes() for argument in arguments)).hexdigest()[:16]
        items = {f"{self.label} {read.__name__} {asked} {place}": task for place, task in self._tasks()}
        found = dict(self.run(partial(_read, read, arguments), items))
        for key, task in items.items():
            for part, seen in zip(task.parts, found[key]["seen"], strict=True):
                if seen and not part.seen:  # with which the next reading of it is compared, wherever that is
                    part.seen.append(bytes.fromhex(seen))
        empty = [] if items else [read(iter(()), 0, *arguments)]
        return empty + [_unpacked(found[key]["piece"]) for key in items]

    def _tasks(self) -> Iterator[tuple[int, _Task]]:
        for place, (start, end) in enumerate(zip(self.starts, self.starts[1:], strict=False)):
            first, stop = (-(-row // CHUNK) * CHUNK for row in (start, end))
            stop = min(stop, self.rows)
            if first < stop:
                met = self.parts[place : bisect_left(self.starts, stop)]
                yield place, _Task(met, end - start, first - start, first, stop)


@dataclass(frozen=True)
class _Task:
    """The rows first, ..., stop - 1, which begin in the first of `parts`, of `size` rows, after `skipped` ones."""

    parts: tuple[File, ...]
    size: int
    skipped: int
    first: int
    stop: int

    def chunks(self) -> Iterator[np.ndarray]:
        """The rows. The first file is read to its end, which compares it with an earlier reading."""
        skip, wanted, met = self.skipped, self.stop - self.first, 0
        for place, part in enumerate(self.parts):
            for chunk in part.chunks():
                met += chunk.size if place == 0 else 0
                inside = chunk[skip : skip + wanted]
                skip, wanted = max(skip - chunk.size, 0), wanted - inside.size
                if inside.size:
                    yield inside
                elif place and not wanted:
                    return
            if place == 0 and met != self.size:
                raise InputError(part.name, f"{met} scores", f"changed while it was read: it had {self.size}")
        if wanted:
            raise InputError(self.parts[-1].name, f"{wanted} scores less", "changed while it was read")


def score_run(samples: Iterable[File | ScoreFolder]) -> str:
    """What the journal of these samples rests on: the package, and the files as they are now."""
    states = [(part, part.path.stat()) for sample in samples for part in _files(sample)]
    return identity("scores", [(str(f.path.resolve()), f.column, s.st_size, s.st_mtime_ns) for f, s in states])


def _files(sample: File | ScoreFolder) -> tuple[File, ...]:
    return sample.parts if isinstance(sample, ScoreFolder) else (sample,)


def _rows(part: File) -> int:
    return part.count()


def _read(read: Callable[..., Piece], arguments: tuple[Any, ...], task: _Task) -> dict[str, Any]:
    packed = io.BytesIO()
    np.savez_compressed(packed, allow_pickle=False, **read(task.chunks(), task.first, *arguments))
    return {
        "seen": [part.seen[0].hex() if part.seen else "" for part in task.parts],
        "piece": base64.b64encode(packed.getvalue()).decode(),
    }


def _unpacked(text: str) -> Piece:
    with np.load(io.BytesIO(base64.b64decode(text)), allow_pickle=False) as arrays:
        return dict(arrays)
