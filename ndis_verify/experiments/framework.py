"""What an experiment is, and how it is run: cell by cell, each with its own stream of random numbers."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from ndis_verify.arguments import one_of, whole
from ndis_verify.exact_number import InputError
from ndis_verify.experiments.table import Table
from ndis_verify.runs.identity import identity
from ndis_verify.runs.journal import Journal
from ndis_verify.runs.pool import resumed

SIZES = ("quick", "full")
DATA = ("none", "records", "records and target")
Row = dict[str, Any]


@dataclass(frozen=True)
class Finding:
    """One ordering, ratio or crossing, whether the rows show it, and the numbers it rests on."""

    statement: str
    holds: bool
    numbers: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "holds", bool(self.holds))
        object.__setattr__(self, "numbers", MappingProxyType(dict(self.numbers)))

    def as_dict(self) -> dict[str, Any]:
        return {"statement": self.statement, "holds": self.holds, "numbers": dict(self.numbers)}


@dataclass(frozen=True)
class Experiment:
    """An experiment: its grid, the measurement of one cell, what the rows are meant to show.

    claims: ids in the ledger that it belongs to. setting: what was read into the source where its text has no numbers.
    See the package's docstring for the parts.
    """

    name: str
    title: str
    claims: tuple[str, ...]
    setting: str
    cells: Callable[[str, Table | None], Sequence[Mapping[str, Any]]]
    measure: Callable[[Mapping[str, Any], np.random.Generator, Table | None], Sequence[Row]]
    findings: Callable[[Sequence[Row]], Sequence[Finding]]
    draw: Callable[[Sequence[Row], Any], None] | None = None
    data: str = "none"
    table: Callable[[Sequence[Row]], str] | None = None
    requires: Callable[[Table], None] | None = None

    def __post_init__(self) -> None:
        one_of(self.data, "data", DATA)


@dataclass(frozen=True)
class Measured:
    """The rows of one cell, and the seconds that they took: what a journal keeps."""

    rows: list[Row]
    seconds: float

    def __post_init__(self) -> None:
        if not all(isinstance(row, dict) for row in self.rows) or not self.seconds >= 0:
            raise ValueError("no rows of a cell")


def run_journal(path: Path, experiment: Experiment, size: str, seed: int, data: Table | None) -> Journal:
    """The journal of the cells of one run."""
    parts = ("experiment", experiment.name, size, seed, data.fingerprint() if data else "")
    return Journal(
        path, identity(*parts, functions=(experiment.measure,)), "cells", lambda key, content: Measured(**content)
    )


def run(
    experiment: Experiment,
    size: str = "quick",
    seed: int = 0,
    data: Table | None = None,
    progress: Callable[[int, int, str], None] | None = None,
    journal: Journal | None = None,
    scheduler: str | None = None,
) -> list[Row]:
    """The rows of every cell, in the order of the grid; the same seed gives the same rows.

    size "quick" or "full"; seed an int >= 0; data stands in for the bundled records where the experiment takes any.
    progress(done, total, label) is called after each cell; cells that `journal` holds are not measured again; with
    `scheduler`, the address of a Dask cluster, the others are measured there, of an experiment that `find` knows.
    Raises `InputError`.
    """
    check(experiment, size, seed, data)
    cells = [dict(cell) for cell in experiment.cells(size, data)]
    keys = [_key(cell) for cell in cells]
    if len(set(keys)) < len(keys):
        raise ValueError(f"{experiment.name}: two cells of the grid are the same")
    items, shown = dict(zip(keys, cells, strict=True)), progress or (lambda done, total, label: None)
    if journal is not None:
        job = partial(_measured_by_name, experiment.name) if scheduler else partial(_measured, experiment)
        work = partial(job, seed=seed, data=data)
        found = dict(resumed(journal, work, items, scheduler=scheduler, progress=shown))
    else:
        found = {}
        for done, key in enumerate(keys, 1):
            found[key] = Measured(**_measured(experiment, items[key], seed, data))
            shown(done, len(keys), key)
    return [row for key in keys for row in found[key].rows]


def _measured(experiment: Experiment, cell: Mapping[str, Any], seed: int, data: Table | None) -> dict[str, Any]:
    started = time.perf_counter()
    rows = experiment.measure(cell, generator(experiment.name, seed, _key(cell)), data)
    return asdict(Measured(_plain([dict(row) for row in rows]), round(time.perf_counter() - started, 3)))


def _measured_by_name(name: str, cell: Mapping[str, Any], seed: int, data: Table | None) -> dict[str, Any]:
    """In a process that was given no functions."""
    from ndis_verify.experiments import find

    return _measured(find(name), cell, seed, data)


def check(experiment: Experiment, size: str, seed: int, data: Table | None) -> None:
    """Raises `InputError` where the experiment cannot be run this way."""
    one_of(size, "size", SIZES)
    seed = whole(seed, "seed", 0)
    if data is not None and experiment.data == "none":
        raise InputError("data", data.name, f"is not used: {experiment.name} makes its own data")
    if data is not None and experiment.data == "records and target" and data.target is None:
        raise InputError("target", None, f"must name a column: {experiment.name} predicts it")
    if data is not None and experiment.requires is not None:
        experiment.requires(data)


def generator(name: str, seed: int, key: str) -> np.random.Generator:
    """The stream of one cell: a function of the experiment, the seed and the cell alone."""
    digest = hashlib.sha256(f"{name}\n{key}".encode()).digest()
    return np.random.default_rng(
        np.random.SeedSequence(entropy=seed, spawn_key=tuple(np.frombuffer(digest, dtype="<u4").tolist()))
    )


def _key(cell: Mapping[str, Any]) -> str:
    return json.dumps(cell, sort_keys=True, allow_nan=False)


def _plain(rows: list[Row]) -> list[Row]:
    """The rows as JSON gives them back, so that fresh and resumed rows are the same objects; no NaN, no infinity."""
    return json.loads(json.dumps(rows, allow_nan=False, default=_number))


def _number(value: Any) -> Any:
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"a row may hold JSON values only, not {type(value).__name__}")
