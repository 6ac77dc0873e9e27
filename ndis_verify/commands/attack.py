"""`ndis-verify attack`: hunt a violation of one claim of the ledger, or of a file of your own."""

from __future__ import annotations

import argparse
import hashlib
import json
from pathlib import Path
from typing import TYPE_CHECKING

from ndis_verify.arguments import whole
from ndis_verify.runs.progress import Progress
from ndis_verify.statements.statement import Statement

if TYPE_CHECKING:  # the command line builds every parser; scipy is only needed once a search runs
    from ndis_verify.court.attack import AttackRecord, Problem
    from ndis_verify.court.statement_settle import Settled

DEFAULT_SECONDS = 30.0
_EXIT = {"nothing": 0, "suspected": 3}
_SETTLED = {"certified": 0, "supported": 0, "violated": 1, "undecided": 3}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `ndis-verify attack`; the parsed ones go to `main`."""
    parser.add_argument(
        "target",
        metavar="ID",
        help="a claim of the ledger, FILE.py:NAME, FILE.py for all of its claims, or FILE.json, one statement",
    )
    parser.add_argument(
        "--budget", type=float, metavar="SECONDS", help=f"seconds to search (default {DEFAULT_SECONDS:g})"
    )
    parser.add_argument(
        "--evaluations", type=int, metavar="N", help="margins to evaluate; the result then repeats exactly"
    )
    parser.add_argument(
        "--worst", action="store_true", help="spend the whole budget, for the worst violation; default: end at a proof"
    )
    parser.add_argument("--seed", type=int, default=0, help="default 0")
    parser.add_argument(
        "--output", type=Path, default=Path("ndis-verify-report"), help="folder for the journal of a stopped run"
    )
    parser.add_argument("--json", action="store_true", help="print the records as JSON, one to a line")


def main(arguments: argparse.Namespace) -> int:
    """Attack and print; 0 nothing found, 1 a violation or a failure of the engine, 3 what is left undecided."""
    from ndis_verify.claims.own_claims import problems

    seconds = arguments.budget
    if seconds is None and arguments.evaluations is None:
        seconds = DEFAULT_SECONDS
    whole(arguments.seed, "--seed", 0)
    codes = []
    for target in problems(arguments.target):
        if isinstance(target, Statement):
            settled = _settled(target, arguments)
            data, text, code = settled.as_dict(), str(settled), _SETTLED[settled.outcome]
        else:
            record = _attacked(target, arguments, seconds)
            data, text, code = record.as_dict(), _text(record), _EXIT.get(record.finding, 1)
        print(json.dumps(data) if arguments.json else text, flush=True)
        codes.append(code)
    return 1 if 1 in codes else max(codes)


def _settled(statement: Statement, arguments: argparse.Namespace) -> Settled:
    from ndis_verify.court.statement_settle import EVALUATIONS, settle

    progress = Progress(f"settle {statement.formula[:40]}")
    seconds = DEFAULT_SECONDS if arguments.budget is None else arguments.budget
    try:
        return settle(statement, seconds, arguments.evaluations or EVALUATIONS, arguments.seed, progress)
    finally:
        progress.close()


def _attacked(problem: Problem, arguments: argparse.Namespace, seconds: float | None) -> AttackRecord:
    from ndis_verify.court.attack import attack_problem

    label = hashlib.sha256(f"{arguments.target} {problem.name}".encode()).hexdigest()[:12]
    journal = arguments.output / f"attack-{label}.jsonl"
    progress = Progress(f"attack {problem.name[:40]}")
    try:
        return attack_problem(
            problem,
            arguments.seed,
            arguments.evaluations,
            seconds,
            journal,
            progress,
            stop_when_certified=not arguments.worst,
        )
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
