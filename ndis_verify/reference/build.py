"""Build the reference tables: deterministic, resumable, over processes or over a Dask cluster."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable
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
from ndis_verify.runs.identity import identity
from ndis_verify.runs.journal import Journal
from ndis_verify.runs.pool import resumed

JOURNAL = "build.jsonl"
_ENGINES = ("mpmath", "python-flint")
_COMPUTED = ("value", "radius", "basis", "second", "error")
Progress = Callable[[int, int, str], None]


def build(
    folder: Path,
    quantities: Iterable[str] = (),
    *,
    jobs: int = 1,
    scheduler: str | None = None,
    anew: bool = False,
    progress: Progress = lambda done, total, label: None,
) -> dict[str, int]:
    """Write one table for each quantity (all by default) to `folder`; returns the number of rows of each.

    Every finished row goes to a journal in the folder at once: a stopped build takes it up again, and the same rows
    come out whatever the order in which they were finished. Values of intact tables in the folder that were made with
    the same versions of the engines are kept, unless `anew`. `scheduler`: the address of a Dask cluster, in place of
    `jobs` processes. Raises `InputError` for an unknown quantity, `RowError` where a row cannot be settled; nothing is
    written then but the journal.
    """
    tables = _chosen(quantities)
    todo = {key(row): row for rows in tables.values() for row in rows}
    kept = {} if anew else _kept(folder, tables)
    waiting = {name: row for name, row in todo.items() if name not in kept}

    def shown(done: int, total: int, name: str) -> None:
        label = todo[name].name if name in todo else "taken up" if len(kept) + done else ""
        progress(len(kept) + done, len(todo), label)

    def read(name: str, values: dict[str, Any]) -> dict[str, Any]:
        return _journaled(todo.get(name), values)

    with Journal(folder / JOURNAL, identity("reference build"), "finished rows", read) as journal:
        done = kept | dict(resumed(journal, _values, waiting, jobs, scheduler=scheduler, progress=shown))
        for quantity, rows in tables.items():
            write_atomically(folder / f"{quantity}.json", table_text(quantity, [done[key(row)] for row in rows]))
    return {quantity: len(rows) for quantity, rows in tables.items()}


def key(row: RowSpec) -> str:
    """What a journal knows a row by: its table, its name, and a hash of all that it asks for and of the engines'
    versions.
    """
    made = json.dumps(
        [row.inputs, row.flags, row.claim, row.group, row.position, row.refusal, row.core, made_with()], sort_keys=True
    )
    return f"{row.quantity}/{row.name}/{hashlib.sha256(made.encode()).hexdigest()[:16]}"


def made_with() -> dict[str, str]:
    """The versions of what the values were computed with."""
    return {"ndis_verify": __version__} | {name: metadata.version(name) for name in _ENGINES}


def table_text(quantity: str, rows: list[dict[str, Any]]) -> str:
    """The text of a table's file: a header, then one row to a line."""
    header = {
        "format": FORMAT,
        "schema": "schema.json",
        "quantity": quantity,
        "made_with": made_with(),
        "sha256": "0" * 64,
    }
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
                done[key(row)] = finished(row, {name: old[name] for name in _COMPUTED if name in old})
    return done


def _journaled(row: RowSpec | None, values: dict[str, Any]) -> dict[str, Any]:
    """The row with its values from the journal; of a row that is not built now, the values alone."""
    kinds = {name: type(value) for name, value in values.items()}
    if kinds not in ({"error": dict}, dict.fromkeys(set(_COMPUTED) - {"error"}, str)):
        raise ValueError("no values of a row")
    return values if row is None else finished(row, values)


def _values(row: RowSpec) -> dict[str, Any]:
    """What is computed of a row; all else of it is the specification's."""
    record = computed(row)
    return {name: record[name] for name in _COMPUTED if name in record}
