"""Build the reference tables: deterministic, resumable, over processes or over a Dask cluster."""

from __future__ import annotations

import hashlib
import json
import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from importlib import metadata
from pathlib import Path
from typing import Any

from ndis_verify import __version__
from ndis_verify.exact_number import InputError
from ndis_verify.reference.compute import computed, finished
from ndis_verify.reference.families import all_rows
from ndis_verify.reference.loader import FORMAT, TableError, read_table, sealed
from ndis_verify.reference.rows import RowSpec
from ndis_verify.runs.files import write_atomically

JOURNAL = "build.jsonl"
_ENGINES = ("mpmath", "python-flint")
Progress = Callable[[int, int, str], None]
Finished = tuple[str, dict[str, Any]]


def build(folder: Path, quantities: Iterable[str] = (), *, jobs: int = 1, scheduler: str | None = None, anew: bool = False,
          progress: Progress = lambda done, total, label: None) -> dict[str, int]:  # fmt: skip
    """Write one table for each quantity (all by default) to `folder`; returns the number of rows of each.

    Every finished row goes to a journal in the folder at once: a stopped build takes it up again, and the same rows come
    out whatever the order in which they were finished. Values of intact tables in the folder that were made with the same
    versions of the engines are kept, unless `anew`. `scheduler`: the address of a Dask cluster, in place of `jobs`
    processes. Raises `InputError` for an unknown quantity, `RowError` where a row cannot be settled; nothing is written
    then but the journal.
    """
    tables = _chosen(quantities)
    folder.mkdir(parents=True, exist_ok=True)
    todo = {key(row): row for rows in tables.values() for row in rows}
    total = len(todo)
    done = {} if anew else _kept(folder, tables)
    done |= _journaled(folder / JOURNAL, todo)
    waiting = [row for name, row in todo.items() if name not in done]
    progress(len(done), total, "taken up" if done else "")
    run = _on_cluster(waiting, scheduler) if scheduler else _on_processes(waiting, jobs)
    with (folder / JOURNAL).open("a", encoding="utf-8") as journal:
        for name, record in run:
            if name not in done:  # a cluster may run a row twice
                done[name] = record
                journal.write(_line(name, record))
                journal.flush()
            progress(len(done), total, record["name"])
    for quantity, rows in tables.items():
        write_atomically(folder / f"{quantity}.json", table_text(quantity, [done[key(row)] for row in rows]))
    (folder / JOURNAL).unlink()
    return {quantity: len(rows) for quantity, rows in tables.items()}


def key(row: RowSpec) -> str:
    """What a journal knows a row by: its table, its name, and a hash of all that it asks for and of the engines' versions."""
    made = json.dumps([row.inputs, row.flags, row.claim, row.group, row.position, row.refusal, row.core, made_with()], sort_keys=True)
    return f"{row.quantity}/{row.name}/{hashlib.sha256(made.encode()).hexdigest()[:16]}"


def made_with() -> dict[str, str]:
    """The versions of what the values were computed with."""
    return {"ndis_verify": __version__} | {name: metadata.version(name) for name in _ENGINES}


def table_text(quantity: str, rows: list[dict[str, Any]]) -> str:
    """The text of a table's file: a header, then one row to a line."""
    header = {"format": FORMAT, "schema": "schema.json", "quantity": quantity, "made_with": made_with(), "sha256": "0" * 64}
    lines = ",\n".join(json.dumps(row, ensure_ascii=True) for row in rows)
    return sealed(json.dumps(header, indent=1)[:-2] + ',\n "rows": [\n' + lines + "\n]}\n")


def _chosen(quantities: Iterable[str]) -> dict[str, tuple[RowSpec, ...]]:
    tables = all_rows()
    chosen = list(dict.fromkeys(quantities)) or list(tables)
    for name in chosen:
        if name not in tables:
            raise InputError("quantity", name, f"has no table; the tables are {', '.join(sorted(tables))}")
    return {name: tables[name] for name in chosen}


def _kept(folder: Path, tables: dict[str, tuple[RowSpec, ...]]) -> dict[str, dict[str, Any]]:
    """Rows that the tables in the folder have already: same name, same inputs, same engines."""
    done = {}
    for quantity, rows in tables.items():
        try:
            table = read_table(folder / f"{quantity}.json")
        except (OSError, TableError):
            continue
        if table.get("made_with") != made_with():
            continue
        known = {row["name"]: row for row in table["rows"]}
        for row in rows:
            old = known.get(row.name, {})
            if old.get("inputs") == row.inputs and ("error" in old) == (row.refusal is not None):
                done[key(row)] = finished(row, {name: old[name] for name in ("value", "radius", "basis", "second", "error") if name in old})
    return done


def _journaled(path: Path, todo: dict[str, RowSpec]) -> dict[str, dict[str, Any]]:
    """The rows of an interrupted build that are still wanted; a line that was cut off or changed is dropped."""
    if not path.exists():
        return {}
    done = {}
    for line in path.read_text(encoding="utf-8", errors="replace").splitlines(keepends=True):
        try:
            name, record, _ = json.loads(line)
            if name in todo and line == _line(name, record):
                done[name] = record
        except (ValueError, TypeError, RecursionError):
            continue
    write_atomically(path, "".join(_line(*item) for item in done.items()))
    return done


def _line(name: str, record: dict[str, Any]) -> str:
    """A journal's line: the key, the finished row, and a checksum of both."""
    return json.dumps([name, record, hashlib.sha256(json.dumps([name, record]).encode()).hexdigest()[:16]]) + "\n"


def _one(row: RowSpec) -> Finished:
    return key(row), computed(row)


def _on_processes(rows: list[RowSpec], jobs: int) -> Iterator[Finished]:
    if jobs < 1:
        raise InputError("jobs", jobs, "must be at least 1")
    if jobs == 1:
        yield from map(_one, rows)
        return
    pool = ProcessPoolExecutor(jobs, initializer=_end_with_parent)
    try:
        for future in as_completed([pool.submit(_one, row) for row in rows]):
            yield future.result()
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _end_with_parent() -> None:
    """A worker whose parent was killed ends too; it would wait for work forever."""
    parent = os.getppid()

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1.0)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _on_cluster(rows: list[RowSpec], address: str) -> Iterator[Finished]:
    """Rows over a Dask cluster; the scheduler gives the rows of a worker that died to another."""
    try:
        from dask.distributed import Client, as_completed as finished
    except ImportError:
        raise InputError("--scheduler", address, "needs the extra `cluster` (dask.distributed)") from None
    with Client(address) as client:
        futures = client.map(_one, rows, key=[key(row) for row in rows], retries=2)
        for future in finished(futures):
            yield future.result()
