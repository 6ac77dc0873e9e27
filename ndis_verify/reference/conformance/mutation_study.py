"""How many planted bugs the tables catch: `python -m ndis_verify.reference.conformance.mutation_study`."""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

from ndis_verify.reference.conformance.judge import Judgement
from ndis_verify.reference.conformance.mutants import MUTANTS, Mutant
from ndis_verify.reference.conformance.run import conform
from ndis_verify.reference.conformance.selection import Row, table_rows
from ndis_verify.reference.loader import FOLDER
from ndis_verify.runs.progress import Progress

PACKAGE = Path(__file__).resolve().parents[2]
TOLERANCE = Fraction(1, 10**11)
SECONDS = 5.0


def planted(mutant: Mutant, folder: Path) -> None:
    """A copy of the package in `folder`/ndis_verify with the bug in it. ValueError where its text does not
    occur once.
    """
    target = folder / "ndis_verify"
    shutil.copytree(PACKAGE, target, ignore=shutil.ignore_patterns("__pycache__", "tables", "certificates"))
    for file, old, new in mutant.edits:
        path = target / "fast" / file
        source = path.read_text(encoding="utf-8")
        if source.count(old) != 1:
            raise ValueError(f"{mutant.name}: {file} has its text {source.count(old)} times")
        path.write_text(source.replace(old, new), encoding="utf-8")


def healthy(rows: list[Row]) -> list[Row]:
    """The rows on which the engine without a bug is tight; a calibration with a safety margin is loose on a few."""
    return [row for row, judgement in zip(rows, _judged(PACKAGE.parent, rows)) if judgement.outcome == "tight"]


def caught(mutant: Mutant, rows: list[Row]) -> list[Judgement]:
    """The rows, all of them tight without the bug, on which the engine with it is not tight."""
    with tempfile.TemporaryDirectory() as folder:
        planted(mutant, Path(folder))
        return [judgement for judgement in _judged(Path(folder), rows) if judgement.outcome != "tight"]


def study(
    mutants: Iterable[Mutant] = MUTANTS,
    tables: Path = FOLDER,
    progress: Callable[[int, int, str], None] = lambda done, total, label: None,
) -> Iterator[dict[str, Any]]:
    """For each bug: how many rows of the core it moves, and of the whole tables where the core misses it."""
    mutants = tuple(mutants)
    everything = healthy(table_rows(tables))
    core = [(quantity, row) for quantity, row in everything if row.get("core")]
    for number, mutant in enumerate(mutants, 1):
        moved, table = caught(mutant, core), "core"
        if not moved:
            moved, table = caught(mutant, everything), "all"
        first = f"{moved[0].key}: {moved[0].outcome}" if moved else ""
        progress(number, len(mutants), mutant.name)
        yield {"bug": mutant.name, "table": table if moved else "none", "rows": len(moved), "first": first}


def _judged(root: Path, rows: list[Row]) -> list[Judgement]:
    code = (
        f"import sys; sys.path.insert(0, {str(root)!r}); from ndis_verify.cli import main; sys.exit(main(['eval',"
        " '--engine', 'fast']))"
    )
    run = conform([sys.executable, "-W", "ignore", "-c", code], rows, tolerance=TOLERANCE, seconds=SECONDS)
    return run.judgements


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", type=Path, default=FOLDER)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    progress = Progress("mutation study")
    records = []
    try:
        for record in study(tables=arguments.tables, progress=progress):
            records.append(record)
            line = (
                json.dumps(record)
                if arguments.json
                else f"{record['table']:<5}{record['rows']:>5}  {record['bug']:<58} {record['first']}"
            )
            print(line, flush=True)
    finally:
        progress.close()
    by_core, by_any = (sum(record["table"] in names for record in records) for names in (("core",), ("core", "all")))
    print(
        f"{len(records)} bugs: {by_core} caught by the core, {by_any} by the tables",
        file=sys.stderr if arguments.json else sys.stdout,
    )
    return int(by_any < len(records))


if __name__ == "__main__":
    sys.exit(main())
