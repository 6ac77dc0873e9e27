"""`ndis-verify reference`: build, check, show, query and export the reference tables."""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from pathlib import Path
from typing import Any

from ndis_verify.arguments import whole
from ndis_verify.exact_number import InputError
from ndis_verify.runs.cluster import add_scheduler


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The subcommands of `ndis-verify reference`; each sets `action`, which `main` calls."""
    from ndis_verify.reference import bounded

    actions = parser.add_subparsers(dest="reference_command", required=True, metavar="ACTION")
    build = actions.add_parser("build", help="compute the tables; a stopped build goes on where it was")
    build.add_argument("quantities", nargs="*", metavar="QUANTITY", help="default: every quantity")
    build.add_argument(
        "--output", type=Path, default=Path("reference-tables"), help="folder (default reference-tables)"
    )
    build.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes (default: one per core)")
    add_scheduler(build)
    build.add_argument("--anew", action="store_true", help="recompute also what the folder's tables hold already")
    build.set_defaults(action=_build)
    check = actions.add_parser(
        "check", help="recompute rows by both routes at a higher precision; exit 1 if any is wrong"
    )
    _add_folder(check)
    check.add_argument("--full", action="store_true", help="every row")
    check.add_argument("--rows", type=int, default=40, help="rows to recompute (default 40)")
    check.add_argument("--seed", type=int, default=0, help="which rows (default 0)")
    check.set_defaults(action=_check)
    show = actions.add_parser("show", help="print one row for a person")
    show.add_argument("row", metavar="QUANTITY/NAME", help="QUANTITY alone lists the names")
    _add_folder(show)
    show.set_defaults(action=_show)
    query = actions.add_parser("query", help="a fresh certified value of any quantity")
    query.add_argument("quantity", metavar="QUANTITY")
    query.add_argument(
        "inputs", nargs="+", metavar="NAME=VALUE", help="a decimal, or a JSON list of decimal strings or integers"
    )
    query.add_argument("--digits", type=int, default=40, help="significant digits (default 40)")
    query.add_argument("--json", action="store_true")
    bounded.add_arguments(query)
    query.set_defaults(action=_query)
    export = actions.add_parser("export", help="print all tables as CSV, a C header or a text page")
    export.add_argument("form", choices=("csv", "header", "text"))
    export.add_argument("--core", action="store_true", help="the compact subset")
    export.add_argument("--output", type=Path, metavar="FILE", help="write a file instead of printing")
    _add_folder(export)
    export.set_defaults(action=_export)


def main(arguments: argparse.Namespace) -> int:
    """Run the chosen action; 0 done, 1 something is wrong, 2 usage, 3 undecided."""
    return arguments.action(arguments)


def _add_folder(parser: argparse.ArgumentParser) -> None:
    from ndis_verify.reference.loader import FOLDER

    parser.add_argument(
        "--tables", type=Path, default=FOLDER, metavar="DIR", help="folder of the tables (default: the package's)"
    )


def _build(arguments: argparse.Namespace) -> int:
    from ndis_verify.reference.build import build
    from ndis_verify.reference.compute import RowError
    from ndis_verify.runs.progress import Progress

    progress = Progress("reference build")
    try:
        sizes = build(
            arguments.output,
            arguments.quantities,
            jobs=arguments.jobs,
            scheduler=arguments.scheduler,
            anew=arguments.anew,
            progress=progress,
        )
    except RowError as error:
        progress.close()
        print(f"ndis-verify: {error}; no table was written", file=sys.stderr)
        return 1
    finally:
        progress.close()
    for quantity, count in sizes.items():
        print(f"{arguments.output / quantity}.json: {count} rows")
    return 0


def _check(arguments: argparse.Namespace) -> int:
    from ndis_verify.reference.check import check
    from ndis_verify.runs.progress import Progress

    whole(arguments.rows, "--rows", 1)
    progress = Progress("reference check")
    try:
        count, findings = check(arguments.tables, None if arguments.full else arguments.rows, arguments.seed, progress)
    finally:
        progress.close()
    for finding in findings:
        print(f"{finding.quantity}{'/' + finding.row if finding.row else ''}: {finding.problem}")
    print(f"{count} rows recomputed by both routes at a higher precision, {len(findings)} findings")
    return 1 if findings else 0


def _show(arguments: argparse.Namespace) -> int:
    from ndis_verify.reference.exports import describe

    quantity, _, name = arguments.row.partition("/")
    rows = {row["name"]: row for row in _table(quantity, arguments.tables)}
    if not name:
        print("\n".join(rows))
        return 0
    if name not in rows:
        raise InputError("row", arguments.row, f"is not in the table of {quantity}")
    print(describe(quantity, rows[name]))
    return 0


def _table(quantity: str, folder: Path) -> list[dict[str, Any]]:
    from ndis_verify.reference.loader import TableError, load, quantities

    if quantity not in (known := quantities(folder)):
        raise InputError("quantity", quantity, f"has no table in this folder; there are {', '.join(known) or 'none'}")
    try:
        return load(quantity, folder)
    except TableError as error:
        raise InputError("--tables", str(folder), str(error)) from None


def _query(arguments: argparse.Namespace) -> int:
    from ndis_verify.reference.bounded import Limits, each
    from ndis_verify.reference.compute import ask

    inputs = {}
    for item in arguments.inputs:
        name, sign, text = item.partition("=")
        if not sign:
            raise InputError("inputs", item, "must be NAME=VALUE")
        if name in inputs:
            raise InputError(name, text, "is given twice")
        inputs[name] = _value(name, text)
    start = time.perf_counter()
    request = {"id": None, "quantity": arguments.quantity, "inputs": inputs, "digits": arguments.digits}
    (answer,) = each(lambda request: ask(request, "certified"), [request], Limits.of(arguments))
    if "error" in answer:
        error = answer["error"]
        if error["kind"] == "precision":
            raise ArithmeticError(error["message"])
        name, message = error["argument"] or "request", error["message"]
        print(f"ndis-verify: {message if message.startswith(f'{name} = ') else f'{name}: {message}'}", file=sys.stderr)
        return 2
    if arguments.json:
        print(json.dumps(request | answer))
    else:
        print(
            f"{answer['value']} +/- {answer['radius']}"
            f" ({'certified' if answer['basis'] == 'bound' else 'two routes agree'})"
        )
        print(f"in {time.perf_counter() - start:.3f} s", file=sys.stderr)
    return 0


def _value(name: str, text: str) -> Any:
    """A list is JSON; anything else is taken as the text it is."""
    if not text.lstrip().startswith("["):
        return text
    try:
        return json.loads(text, parse_float=str)
    except (ValueError, RecursionError) as error:
        raise InputError(name, text, f"is not a JSON list: {error}") from None


def _export(arguments: argparse.Namespace) -> int:
    from ndis_verify.reference.exports import export
    from ndis_verify.reference.loader import TableError
    from ndis_verify.runs.files import write_atomically

    try:
        page = export(arguments.form, arguments.tables, arguments.core)
    except TableError as error:
        raise InputError("--tables", str(arguments.tables), str(error)) from None
    if arguments.output is None:
        print(page, end="")
    else:
        write_atomically(arguments.output, page)
    return 0
