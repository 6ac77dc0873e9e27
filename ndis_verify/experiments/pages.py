"""Runs of experiments as Markdown: one run with its table, and what many runs found."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ndis_verify.exact_number import InputError
from ndis_verify.experiments import find
from ndis_verify.experiments.framework import SIZES, Experiment, Row
from ndis_verify.experiments.output import numbers_text, sealed, shown
from ndis_verify.runs.files import read_regular
from ndis_verify.tables import markdown_table

Record = Mapping[str, Any]
_MAX_BYTES = 64 << 20


def run_page(record: Record, experiment: Experiment) -> str:
    """One run: title, setting, findings, and all its rows (in the experiment's own columns where it has some)."""
    command = f"ndis-verify experiment {record['experiment']}" + (" --full" if record["size"] == "full" else "")
    source = f" on {record['data']}" if record["data"] else ""
    return "\n".join(
        [
            f"# {record['title']}",
            "",
            record["setting"],
            "",
            (
                f"`{command} --markdown`{source}, seed {record['seed']}, {record['seconds']:g} s. Claims:"
                f" {', '.join(record['claims'])}."
            ),
            "",
            "## Findings",
            "",
            *(f"- {_verdict(finding)}: {finding['statement']}{_bracketed(finding)}" for finding in record["findings"]),
            "",
            "## Rows",
            "",
            (experiment.table or plain_table)(record["rows"]),
            "",
        ]
    )


def plain_table(rows: Sequence[Row]) -> str:
    """Every column of the rows."""
    columns = list(dict.fromkeys(name for row in rows for name in row))
    return markdown_table(columns, [[shown(row.get(name)) for name in columns] for row in rows])


def read_records(folder: Path) -> list[dict[str, Any]]:
    """The JSON records that runs left anywhere below `folder`. Raises `InputError` that names the file."""
    if not folder.is_dir():
        raise InputError("--summary", str(folder), "must be a folder that runs of experiments wrote into")
    found = [_record(path) for path in sorted(folder.rglob("*.json"))]
    if not found:
        raise InputError(
            "--summary", str(folder), "must hold records: NAME.json of `ndis-verify experiment NAME --output`"
        )
    seen = [(record["experiment"], record["size"], record["data"]) for record in found]
    for key in seen:
        if seen.count(key) > 1:
            raise InputError("--summary", f"{key[0]}, {key[1]}", "is there twice on the same data")
    return found


def _record(path: Path) -> dict[str, Any]:
    """What is told of one run: its file is believed as it was written, its findings are judged again from its rows."""
    try:
        text = read_regular(path, _MAX_BYTES).decode()
        record = json.loads(text)
        del record["sha256"]
        if sealed(record) != text or record["size"] not in SIZES:
            raise ValueError("no record")
        findings = [finding.as_dict() for finding in find(record["experiment"]).findings(record["rows"])]
        return {name: record[name] for name in ("experiment", "size", "data", "seconds")} | {"findings": findings}
    except (ValueError, TypeError, LookupError, AttributeError, ArithmeticError, RecursionError):
        rule = f"must be the record of a run as `ndis-verify experiment NAME` writes it, at most {_MAX_BYTES >> 20} MiB"
        raise InputError("--summary", path.name, rule) from None


def summary_page(records: Sequence[Record], experiments: Sequence[Experiment]) -> str:
    """Every experiment, with what its runs on the bundled or on made data found at each size, and their seconds."""
    runs = {(record["experiment"], record["size"]): record for record in records if record["data"] is None}
    lines = []
    for experiment in experiments:
        cells = [_counts(runs.get((experiment.name, size))) for size in SIZES]
        lines.append(
            [
                f"[{experiment.name}](#{_anchor(experiment.name)})",
                experiment.title,
                ", ".join(experiment.claims),
                *cells,
            ]
        )
    parts = [
        "# Experiments",
        "",
        (
            "What every experiment found, put together from the records of its runs: `ndis-verify experiment NAME"
            " [--full] --output DIR`, each size in a folder of its own below one, then `ndis-verify experiment"
            " --summary` on that one. Seconds are wall-clock times of the measurements in those runs, one process each;"
            " the page that comes with the package is of two slow cores with other work beside them. Rows and pictures"
            " are in the folders."
        ),
        "",
        markdown_table(
            ["experiment", "what it shows", "claims", *(f"{size}: findings that hold, seconds" for size in SIZES)],
            lines,
        ),
    ]
    for experiment in experiments:
        parts += ["", *_section(experiment, [runs.get((experiment.name, size)) for size in SIZES])]
    return "\n".join(parts) + "\n"


def _section(experiment: Experiment, runs: Sequence[Record | None]) -> list[str]:
    found = [{finding["statement"]: finding for finding in run["findings"]} if run else {} for run in runs]
    statements = list(dict.fromkeys(statement for findings in found for statement in findings))
    lines = [[statement, *(_cell(findings.get(statement)) for findings in found)] for statement in statements]
    takes = {
        "none": "makes its own data",
        "records": "`--data FILE`",
        "records and target": "`--data FILE --target COLUMN`",
    }[experiment.data]
    return [
        f"## {experiment.name}",
        "",
        f"{experiment.title}. {experiment.setting} Data: {takes}.",
        "",
        markdown_table(["finding", *SIZES], lines),
    ]


def _counts(run: Record | None) -> str:
    if run is None:
        return "not run"
    held = sum(finding["holds"] is True for finding in run["findings"])
    return f"{held} of {len(run['findings'])}, {run['seconds']:.3g} s"


def _cell(finding: Record | None) -> str:
    return "-" if finding is None else _verdict(finding) + _bracketed(finding)


def _verdict(finding: Record) -> str:
    return "holds" if finding["holds"] is True else "FAILS"


def _bracketed(finding: Record) -> str:
    return f" ({numbers_text(finding['numbers'])})" if finding["numbers"] else ""


def _anchor(name: str) -> str:
    """The anchor that GitHub gives a heading."""
    return name.replace(".", "")
