"""What a run of an experiment leaves: JSON, a table for the terminal, a picture."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ndis_verify.experiments.framework import Experiment, Finding, Row
from ndis_verify.runs.files import write_atomically
from ndis_verify.tables import text_table

_SHOWN = 40


def as_json(
    experiment: Experiment, size: str, seed: int, data: str | None, rows: Sequence[Row], version: str, seconds: float
) -> dict[str, Any]:
    """The whole run as plain JSON types; `seconds` were spent in its cells, those of an earlier, interrupted run
    included.
    """
    return {
        "experiment": experiment.name,
        "title": experiment.title,
        "claims": list(experiment.claims),
        "setting": experiment.setting,
        "version": version,
        "size": size,
        "seed": seed,
        "data": data,
        "seconds": round(seconds, 1),
        "findings": [finding.as_dict() for finding in experiment.findings(rows)],
        "rows": list(rows),
    }


def terminal_table(rows: Sequence[Row]) -> str:
    """Rows in columns, at most 40 of them."""
    columns = list(dict.fromkeys(name for row in rows for name in row))
    text = text_table([columns, *([shown(row.get(name)) for name in columns] for row in rows[:_SHOWN])])
    if len(rows) > _SHOWN:
        text.append(f"... and {len(rows) - _SHOWN} rows more in the JSON file")
    return "\n".join(text)


def finding_lines(findings: Sequence[Finding]) -> str:
    """One line per finding, with its numbers."""
    lines = []
    for finding in findings:
        numbers = numbers_text(finding.numbers)
        lines.append(
            f"{'holds' if finding.holds else 'FAILS':<6} {finding.statement}" + (f" ({numbers})" if numbers else "")
        )
    return "\n".join(lines)


def numbers_text(numbers: Mapping[str, Any]) -> str:
    """The numbers of a finding, in one line."""
    return "; ".join(f"{name}: {shown(value)}" for name, value in numbers.items())


def write(record: dict[str, Any], experiment: Experiment, folder: Path) -> list[Path]:
    """Write NAME.json, and NAME.png where the experiment has a picture and matplotlib is there; returns what was
    written.
    """
    path = folder / f"{experiment.name}.json"
    folder.mkdir(parents=True, exist_ok=True)
    write_atomically(path, sealed(record))
    picture = folder / f"{experiment.name}.png"
    return [path, picture] if save_figure(experiment, record["rows"], picture) else [path]


def sealed(record: Mapping[str, Any]) -> str:
    """The text of a record's file, with the SHA-256 of all else that is in it."""
    seal = hashlib.sha256(json.dumps(record, allow_nan=False).encode()).hexdigest()
    return json.dumps({**record, "sha256": seal}, indent=1, allow_nan=False) + "\n"


def save_figure(experiment: Experiment, rows: Sequence[Row], path: Path) -> bool:
    """Write the picture; False where there is none or matplotlib (extra `plots`) is absent."""
    if experiment.draw is None:
        return False
    try:
        from matplotlib.figure import Figure
    except ModuleNotFoundError:
        return False
    figure = Figure(figsize=(9, 5), layout="constrained")
    experiment.draw(rows, figure)
    figure.savefig(path, dpi=110)
    return True


def shown(value: Any) -> str:
    """A value of a row: six digits of a float, nothing for None."""
    if isinstance(value, float):
        return f"{value:.6g}"
    return "" if value is None else str(value)
