"""`ndis-verify attack`: hunt a violation of one claim of the ledger, or of a file of your own."""

from __future__ import annotations

import argparse
import hashlib
import json
from pathlib import Path
from typing import TYPE_CHECKING

from ndis_verify.arguments import whole
from ndis_verify.runs.progress import Progress

if TYPE_CHECKING:  # the command line builds every parser; scipy is only needed once a search runs
    from ndis_verify.court.attack import AttackRecord, Problem

DEFAULT_SECONDS = 30.0
_EXIT = {"nothing": 0, "suspected": 3}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `ndis-verify attack`; the parsed ones go to `main`."""
    parser.add_argument(
        "target", metavar="ID", help="a claim of the ledger, FILE.py:NAME, or FILE.py for all of its claims"
    )
    parser.add_argument(
        "--budget", type=float, metavar="SECONDS", help=f"seconds to search (default {DEFAULT_SECONDS:g})"
    )
    parser.add_argument(
        "--evaluations", type=int, metavar="N", help="margins to evaluate; the result then repeats exactly"
    )
    parser.add_argument("--seed", type=int, default=0, help="default 0")
    parser.add_argument(
        "--output", type=Path, default=Path("ndis-verify-report"), help="folder for the journal of a stopped run"
    )
    parser.add_argument("--json", action="store_true", help="print the records as JSON, one to a line")


def main(arguments: argparse.Namespace) -> int:
    """Attack and print; 0 nothing found, 1 a violation or a failure of the engine, 3 a suspicion left undecided."""
    from ndis_verify.claims.own_claims import problems

    seconds = arguments.budget
    if seconds is None and arguments.evaluations is None:
        seconds = DEFAULT_SECONDS
    whole(arguments.seed, "--seed", 0)
    records = [
        _attacked(problem, arguments.target, arguments.seed, arguments.evaluations, seconds, arguments.output)
        for problem in problems(arguments.target)
    ]
    for record in records:
        print(json.dumps(record.as_dict()) if arguments.json else _text(record), flush=True)
    codes = [_EXIT.get(record.finding, 1) for record in records]
    return 1 if 1 in codes else max(codes)


def _attacked(
    problem: Problem, target: str, seed: int, evaluations: int | None, seconds: float | None, folder: Path
) -> AttackRecord:
    from ndis_verify.court.attack import attack_problem

    label = hashlib.sha256(f"{target} {problem.name}".encode()).hexdigest()[:12]
    journal = folder / f"attack-{label}.jsonl"
    progress = Progress(f"attack {problem.name[:40]}")
    try:
        return attack_problem(problem, seed, evaluations, seconds, journal, progress)
    finally:
        progress.close()


def _text(record: AttackRecord) -> str:
    from ndis_verify.court.domain import shown_point

    lines = [f"{record.name}: {_VERDICT[record.finding]}"]
    if record.simple is not None and record.enclosure is not None:
        value, radius = record.enclosure.decimal(10)
        lines += [f"  counterexample  {shown_point(record.simple)}", f"  margin there    {value} +/- {radius}"]
    if record.failure:
        lines.append(f"  failure         {record.failure}")
    if record.margin is not None:
        lines += [
            f"  worst point     {shown_point(record.point)}",
            f"  its margin      {record.margin:.6g} (float64; noise {record.tolerance:g})",
        ]
    spent = f"{record.evaluations} evaluations, {record.seconds:.1f} s, {record.rounds} rounds, seed {record.seed}"
    extra = f", {record.infeasible} outside the constraints" if record.infeasible else ""
    lines.append(
        f"  budget spent    {spent}{extra}" + (f", {record.crossings} branch crossings" if record.crossings else "")
    )
    return "\n".join(lines)


_VERDICT = {
    "nothing": "no violation found",
    "suspected": "SUSPECTED violation, not decided by an oracle",
    "confirmed": "VIOLATED (two routes agree; not certified)",
    "certified": "VIOLATED, certified",
    "engine failure": "the engine failed",
}
