"""`ndis-verify conform` and `ndis-verify check-adapter`."""

from __future__ import annotations

import argparse
from fractions import Fraction
from pathlib import Path
from typing import Any

from ndis_verify.exact_number import InputError, exact


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `ndis-verify conform`; the parsed ones go to `main`."""
    _add_common(parser)
    parser.add_argument("--core", action="store_true", help="the compact subset of about 200 rows")
    parser.add_argument(
        "--fresh", type=int, metavar="N", help="N new rows from --seed, valued now, in place of the tables"
    )
    parser.add_argument("--seed", type=int, default=0, help="which fresh rows (default 0)")
    parser.add_argument(
        "--quantity", action="append", default=[], metavar="NAME", help="only this quantity; may be repeated"
    )
    parser.add_argument(
        "--known-failures", type=Path, metavar="FILE", help="quantity/row keys, one to a line, that do not fail the run"
    )
    parser.add_argument(
        "--against", type=Path, metavar="FILE", help="conformance.json of an earlier run: the page says what is new"
    )
    parser.add_argument("--output", type=Path, default=Path("ndis-verify-conformance"), help="folder for the reports")


def add_check_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `ndis-verify check-adapter`; the parsed ones go to `check_adapter`."""
    _add_common(parser)


def _add_common(parser: argparse.ArgumentParser) -> None:
    from ndis_verify.reference.loader import FOLDER

    parser.add_argument("--tolerance", default="1e-9", help="relative error that still counts as tight (default 1e-9)")
    parser.add_argument(
        "--unsafe-ulps",
        default="0.5",
        metavar="ULPS",
        help="how far a calibration or an epsilon may lie on the unsafe side: ulps (default 0.5), or `tolerance`",
    )
    parser.add_argument("--timeout", type=float, default=10.0, metavar="SECONDS", help="for each answer (default 10)")
    parser.add_argument(
        "--tables", type=Path, default=FOLDER, metavar="DIR", help="folder of the tables (default: the package's)"
    )
    parser.add_argument("command_line", nargs="+", metavar="COMMAND", help="the implementation, after --")


def main(arguments: argparse.Namespace) -> int:
    """Run, print, write the reports; 0 nothing unsafe or newly failing, 1 something is, 2 usage."""
    from ndis_verify.plain_text import printable
    from ndis_verify.reference.conformance import reports
    from ndis_verify.reference.conformance.run import conform
    from ndis_verify.reference.conformance.selection import Row, fresh_rows, table_rows
    from ndis_verify.reference.conformance.severity import read_earlier
    from ndis_verify.reference.conformance.summary import exit_code, read_known
    from ndis_verify.runs.progress import Progress

    if arguments.fresh is not None and arguments.fresh < 1:
        raise InputError("--fresh", arguments.fresh, "must be at least 1")
    known = read_known(arguments.known_failures)
    earlier = read_earlier(arguments.against)
    asked: dict[str, dict[str, Any]] = {}
    rows = table_rows(arguments.tables, arguments.quantity, arguments.core)

    def sent(offered: tuple[str, ...]) -> list[Row]:
        of_those = [(quantity, row) for quantity, row in rows if quantity in offered]
        afresh = arguments.fresh is not None and of_those
        chosen = list(fresh_rows(of_those, arguments.fresh, arguments.seed)) if afresh else of_those
        asked.update((f"{quantity}/{row['name']}", row) for quantity, row in chosen)
        return chosen

    progress = Progress("conform")
    arguments.output.mkdir(parents=True, exist_ok=True)
    try:
        run = conform(
            arguments.command_line,
            sent,
            **_judging(arguments),
            journal=arguments.output / "conformance.jsonl",
            progress=progress,
        )
    finally:
        progress.close()
    paths = reports.write_all(
        arguments.output, run, known, asked, earlier
    )  # before it prints: the reader of a pipe may go away
    print(reports.terminal(run, known))
    if earlier is not None:
        print("\n" + reports.against(run, earlier))
    print("written: " + ", ".join(printable(str(path)) for path in paths))
    return exit_code(run, known)


def check_adapter(arguments: argparse.Namespace) -> int:
    """Ask a row of every quantity and a row that must be refused, and explain each answer; 0 all well, 1 not."""
    from ndis_verify.plain_text import printable
    from ndis_verify.reference.conformance.judge import FAILING
    from ndis_verify.reference.conformance.run import conform
    from ndis_verify.reference.conformance.selection import table_rows
    from ndis_verify.reference.exports import describe

    handful = []
    for quantity in dict.fromkeys(name for name, _ in table_rows(arguments.tables, core=True)):
        rows = [row for name, row in table_rows(arguments.tables, [quantity], core=True)]
        handful += [
            (quantity, next(row for row in rows if ("error" in row) == refused))
            for refused in (False, True)
            if any(("error" in row) == refused for row in rows)
        ]
    run = conform(arguments.command_line, handful, **_judging(arguments))
    print(
        f"it answers to {run.name or 'no name'} {run.version}, and says that it computes"
        f" {', '.join(run.quantities) or 'nothing'}"
    )
    if run.unknown:
        print(f"and {', '.join(run.unknown)}, which the protocol does not know")
    asked = {f"{quantity}/{row['name']}": (quantity, row) for quantity, row in handful}
    for verdict in run.judgements:
        given = f"answered {printable(verdict.answer)}" if verdict.answer else "no value"
        print(f"\n{verdict.outcome.upper()} in {1e3 * verdict.seconds:.1f} ms: {given}. {printable(verdict.message)}")
        print(describe(*asked[verdict.key]))
    return int(not run.judgements or run.left_out > 0 or any(verdict.outcome in FAILING for verdict in run.judgements))


def _judging(arguments: argparse.Namespace) -> dict[str, Any]:
    """The options that say how a row is judged."""
    return {"tolerance": _tolerance(arguments), "unsafe_ulps": _unsafe_ulps(arguments), "seconds": arguments.timeout}


def _tolerance(arguments: argparse.Namespace) -> Fraction:
    tolerance = exact(arguments.tolerance, "--tolerance")
    if not 0 < tolerance < 1:
        raise InputError("--tolerance", arguments.tolerance, "must lie between 0 and 1")
    return tolerance


def _unsafe_ulps(arguments: argparse.Namespace) -> Fraction | None:
    """None where the tolerance is granted."""
    if arguments.unsafe_ulps == "tolerance":
        return None
    ulps = exact(arguments.unsafe_ulps, "--unsafe-ulps")
    if not 0 <= ulps <= 2**40:
        raise InputError("--unsafe-ulps", arguments.unsafe_ulps, "must be `tolerance`, or between 0 and 2^40")
    return ulps
