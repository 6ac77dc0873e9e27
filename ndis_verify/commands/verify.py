"""`ndis-verify verify`: the verdicts of the ledger, or of a file of claims, recomputed."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
from pathlib import Path
from typing import Any

from ndis_verify import __version__
from ndis_verify.arguments import whole
from ndis_verify.exact_number import InputError
from ndis_verify.runs.cluster import add_scheduler


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The flags of the verb."""
    parser.description = "Recompute the ledger."
    parser.add_argument(
        "ids",
        nargs="*",
        metavar="ID",
        help='claims to judge, by id or label ("Lemma 2"), or FILE.py or FILE.json with claims of your own (default:'
        " the whole ledger)",
    )
    effort = parser.add_mutually_exclusive_group()
    effort.add_argument(
        "--quick", dest="effort", action="store_const", const="quick", default="quick", help="the default"
    )
    effort.add_argument(
        "--full", dest="effort", action="store_const", const="full", help="more points, more digits, no certificate"
    )
    parser.add_argument(
        "--store", action="store_true", help="with --full: keep certificates, on which --quick can stand"
    )
    parser.add_argument(
        "--certificates", type=Path, metavar="DIR", help="folder of certificates (default: in the package)"
    )
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes (default: one per core)")
    add_scheduler(parser)
    parser.add_argument(
        "--output",
        type=Path,
        default=Path("ndis-verify-report"),
        help="folder for report.json, report.md and, of the whole ledger, the pages of `ndis-verify site`",
    )
    parser.add_argument("--json", action="store_true", help="print the JSON report instead of the table")


def main(arguments: argparse.Namespace) -> int:
    """Judge, write the reports, print the table; 0 where every verdict is as declared."""
    from ndis_verify.runs.garbage import collected_rarely
    from ndis_verify.runs.pool import same_processes

    with collected_rarely(), same_processes():
        return _main(arguments)


def _main(arguments: argparse.Namespace) -> int:
    from ndis_verify.court.judge import exit_code
    from ndis_verify.court.shared_hearings import alone
    from ndis_verify.report import verdicts
    from ndis_verify.report.colour import painted

    whole(arguments.jobs, "--jobs", 1)
    if arguments.store and arguments.effort != "full":
        raise InputError("--store", arguments.effort, "needs --full: only the full effort makes certificates")
    own = [target for target in arguments.ids if target.endswith((".py", ".json"))]
    if own and len(arguments.ids) > 1:
        raise InputError("ID", own[0], "a file of claims is judged alone")
    with alone():
        claims, judgements = _judged_file(own[0], arguments) if own else _judged_ledger(arguments)
    paths = verdicts.write_reports(arguments.output, judgements, claims, arguments.effort, __version__)
    if not arguments.ids:
        from ndis_verify.report.site import write_site

        paths.append(write_site(arguments.output / "site", judgements, jobs=arguments.jobs))
    if arguments.json:
        print(json.dumps(verdicts.as_json(judgements, claims, arguments.effort, __version__), indent=1))
    else:
        width = max(80, shutil.get_terminal_size((110, 24)).columns)
        print(painted(verdicts.terminal_table(judgements, claims, width), sys.stdout))
        paths += _real_data(judgements, arguments.output)
        print("written: " + ", ".join(str(path) for path in paths))
    return exit_code(judgements)


def _judged_file(path: str, arguments: argparse.Namespace) -> tuple[dict[str, Any], list[Any]]:
    from ndis_verify.claims.session import run_file
    from ndis_verify.runs.progress import Progress

    progress, journal = Progress(f"verify {path}"), arguments.output / "journal.jsonl"
    try:
        return run_file(path, arguments.effort, journal, arguments.jobs, progress, arguments.scheduler)
    finally:
        progress.close()


def _judged_ledger(arguments: argparse.Namespace) -> tuple[dict[str, Any], list[Any]]:
    from ndis_verify.claims.ledger import all_claims, find
    from ndis_verify.claims.session import run_session, session_journal
    from ndis_verify.court.certificate_store import FOLDER
    from ndis_verify.report.places import claims_meant
    from ndis_verify.runs.progress import Progress

    meant = (claims_meant(text) if " " in text else [find(text).id] for text in arguments.ids)
    ids = list(dict.fromkeys(i for found in meant for i in found)) or [claim.id for claim in all_claims()]
    folder = (arguments.certificates or FOLDER).resolve()
    progress = Progress(f"verify --{arguments.effort}")
    with session_journal(arguments.output / "journal.jsonl", arguments.effort, folder, arguments.store) as journal:
        try:
            judgements = run_session(
                ids, arguments.effort, journal, arguments.jobs, progress, folder, arguments.store, arguments.scheduler
            )
        finally:
            progress.close()
    return {i: find(i) for i in ids}, judgements


def _real_data(judgements: list[Any], output: Path) -> list[Path]:
    """Print and plot the curves of the data sets whose claims were decided."""
    from ndis_verify.claims.real_data.claims import deletion_curve
    from ndis_verify.report.real_data import curve_table, save_plot

    names = [j.id.removeprefix("DATA-") for j in judgements if j.source == "DATA" and j.verdict]
    curves = [deletion_curve(name) for name in names]
    for curve in curves:
        print("\n" + curve_table(curve))
    path = output / "real_data.png"
    return [path] if curves and save_plot(curves, path) else []
