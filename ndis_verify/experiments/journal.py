"""Rows of an experiment on disk, one JSON line per finished cell, so that a killed run goes on where it stopped."""

from __future__ import annotations

import json
from pathlib import Path
from typing import IO, Any

from ndis_verify.runs.files import write_atomically


class RowJournal:
    """Finished cells by key, and the seconds each took. A header line ties them to one run; rows of another run are dropped, as is a torn last line."""

    def __init__(self, path: Path, run: str):
        self.path = path
        kept = _read(path, run)
        self.done: dict[str, list[dict[str, Any]]] = {key: rows for key, (rows, _) in kept.items()}
        self.seconds: dict[str, float] = {key: seconds for key, (_, seconds) in kept.items()}
        self.resumed = len(self.done)
        path.parent.mkdir(parents=True, exist_ok=True)
        lines = [json.dumps({"run": run})] + [_line(key, *cell) for key, cell in kept.items()]
        write_atomically(path, "\n".join(lines) + "\n")
        self._file: IO[str] = path.open("a", encoding="utf-8")

    def append(self, key: str, rows: list[dict[str, Any]], seconds: float) -> None:
        self.done[key], self.seconds[key] = rows, round(seconds, 3)
        self._file.write(_line(key, rows, self.seconds[key]) + "\n")
        self._file.flush()

    def close(self, finished: bool) -> None:
        """Close the file; a finished run leaves no journal behind."""
        self._file.close()
        if finished:
            self.path.unlink(missing_ok=True)


def _line(key: str, rows: list[dict[str, Any]], seconds: float) -> str:
    return json.dumps({"cell": key, "rows": rows, "seconds": seconds}, allow_nan=False)


def _read(path: Path, run: str) -> dict[str, tuple[list[dict[str, Any]], float]]:
    if not path.exists():
        return {}
    records = [_parsed(line) for line in path.read_text(encoding="utf-8", errors="replace").splitlines()]
    if not records or records[0] != {"run": run}:
        return {}
    return {
        record["cell"]: (record["rows"], record["seconds"])
        for record in records[1:]
        if isinstance(record, dict) and isinstance(record.get("cell"), str) and _are_rows(record.get("rows")) and isinstance(record.get("seconds"), float)
    }


def _are_rows(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(row, dict) for row in value)


def _parsed(line: str) -> Any:
    try:
        return json.loads(line)
    except json.JSONDecodeError:
        return None
