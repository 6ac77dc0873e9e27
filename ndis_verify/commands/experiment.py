"""`ndis-verify experiment`: run one experiment, resumable, with progress on stderr and JSON and a picture out."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from ndis_verify import __version__
from ndis_verify.exact_number import InputError
from ndis_verify.experiments import find, names, read_table, run
from ndis_verify.experiments.framework import Experiment, check, run_journal
from ndis_verify.experiments.output import as_json, finding_lines, terminal_table, write
from ndis_verify.experiments.pages import read_records, run_page, summary_page
from ndis_verify.experiments.table import Table
from ndis_verify.runs.cluster import add_scheduler
from ndis_verify.runs.journal import say
from ndis_verify.runs.progress import Progress

FAILED = 1
AS_PRINTED = "-as-printed"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The flags of the verb."""
    parser.description = "Rerun an experiment."
    parser.add_argument("name", nargs="?", metavar="NAME", help="the experiment (default: list them)")
    size = parser.add_mutually_exclusive_group()
    size.add_argument("--quick", dest="size", action="store_const", const="quick", default="quick", help="the default")
    size.add_argument("--full", dest="size", action="store_const", const="full", help="the sizes of the source")
    parser.add_argument(
        "--as-printed",
        action="store_true",
        help="the source's own settings: every printed number beside ours (n24-tab1 to 4, n24-fig5, 6, 9, 10)",
    )
    parser.add_argument("--seed", type=int, default=0, help="the same seed gives the same rows (default 0)")
    parser.add_argument("--data", type=Path, metavar="FILE", help="CSV file that stands in for the bundled records")
    parser.add_argument("--target", metavar="COLUMN", help="its target: a name of the header, or a position from 1")
    parser.add_argument(
        "--output",
        type=Path,
        default=Path("ndis-verify-experiments"),
        metavar="DIR",
        help="folder for JSON and picture",
    )
    add_scheduler(parser)
    shown = parser.add_mutually_exclusive_group()
    shown.add_argument("--json", action="store_true", help="print the JSON record instead of the table")
    shown.add_argument("--markdown", action="store_true", help="print the run as a Markdown page, with all its rows")
    parser.add_argument(
        "--summary", type=Path, metavar="DIR", help="run nothing: what the records below DIR found, as a Markdown page"
    )


def main(arguments: argparse.Namespace) -> int:
    """Run what the arguments ask for; 0 where every finding holds, 1 where one does not."""
    if arguments.summary is not None:
        if arguments.name is not None:
            raise InputError("NAME", arguments.name, "must be left out with --summary, which lists every experiment")
        print(summary_page(read_records(arguments.summary), [find(name) for name in names()]), end="")
        return 0
    if arguments.name is None:
        if given := next((n for n in ("data", "target") if getattr(arguments, n) is not None), None):
            raise InputError(f"--{given}", str(getattr(arguments, given)), "needs the NAME of an experiment")
        for name in names():
            print(f"{name:<24} {find(name).title}")
        return 0
    experiment = _as_printed(arguments.name) if arguments.as_printed else find(arguments.name)
    if arguments.target is not None and arguments.data is None:
        raise InputError("--target", arguments.target, "names a column of --data FILE, which is not given")
    if arguments.data is not None and experiment.data == "none":
        raise InputError("--data", str(arguments.data), f"is not used: {experiment.name} makes its own data")
    data = read_table(arguments.data, arguments.target) if arguments.data is not None else None
    check(experiment, arguments.size, arguments.seed, data)
    record, paths = _measured(experiment, arguments, data)
    rows = record["rows"]
    findings = experiment.findings(rows)
    if arguments.json:
        print(json.dumps(record, indent=1, allow_nan=False))
    elif arguments.markdown:
        print(run_page(record, experiment), end="")
    else:
        print(f"{experiment.title}\n{experiment.setting}\n\n{terminal_table(rows)}\n\n{finding_lines(findings)}")
        if data and not all(finding.holds for finding in findings):
            print("What fails was found on other records: it is not so on these.")
        print("written: " + ", ".join(str(path) for path in paths))
    return 0 if all(finding.holds for finding in findings) else FAILED


def _as_printed(name: str) -> Experiment:
    """The experiment at the settings of the source."""
    wanted = find(name).name.removesuffix(AS_PRINTED) + AS_PRINTED
    if wanted not in names():
        there = ", ".join(one.removesuffix(AS_PRINTED) for one in names() if one.endswith(AS_PRINTED))
        raise InputError("--as-printed", name, f"needs a table or figure whose settings could be recovered: {there}")
    return find(wanted)


def _measured(
    experiment: Experiment, arguments: argparse.Namespace, data: Table | None
) -> tuple[dict[str, Any], list[Path]]:
    """The record of the run and where it was written; the journal goes when it is there."""
    progress = Progress(f"experiment {experiment.name}")
    path, size, seed = arguments.output / f"{experiment.name}.journal.jsonl", arguments.size, arguments.seed
    with run_journal(path, experiment, size, seed, data) as journal:
        if journal.resumed:
            say(f"going on after {journal.resumed} finished cells")
        try:
            rows = run(experiment, size, seed, data, progress, journal, arguments.scheduler)
        finally:
            progress.close()
        seconds = sum(cell.seconds for cell in journal.done.values())
        record = as_json(experiment, size, seed, data.name if data else None, rows, __version__, seconds)
        return record, write(record, experiment, arguments.output)
