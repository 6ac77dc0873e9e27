"""The command line `ndis-verify`: verify, claims, attack, experiment, delta, epsilon, audit, eval, bench, where.

Exit codes: 0 everything held; 1 a verdict differs from the declared one, or something failed; 2 usage;
3 something could not be decided.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import select
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, NoReturn

from ndis_verify import __version__
from ndis_verify.commands import where
from ndis_verify.exact_number import InputError
from ndis_verify.report.text import printable

USAGE, FAILED, UNDECIDED = 2, 1, 3


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code."""
    if not (hasattr(os, "fork") and hasattr(os, "killpg") and hasattr(select, "poll")):
        system = f"a POSIX system (Linux, macOS, WSL), not {sys.platform}"
        print(f"ndis-verify: the commands need {system}; the library itself does not", file=sys.stderr)
        return USAGE
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # the name of a file need not be UTF-8
    try:
        arguments = _parser().parse_args(argv)
        code = arguments.run(arguments)
        sys.stdout.flush()
        return code
    except InputError as error:
        print(f"ndis-verify: {printable(str(error))}", file=sys.stderr)
        return USAGE
    except ArithmeticError as error:
        print(f"ndis-verify: undecided: {printable(str(error))}", file=sys.stderr)
        return UNDECIDED
    except BrokenPipeError:
        # The reader went away; point stdout elsewhere so that the interpreter's last flush does not complain.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED
    except OSError as error:
        print(f"ndis-verify: {printable(str(error))}", file=sys.stderr)
        return USAGE
    except KeyboardInterrupt:
        print("ndis-verify: interrupted", file=sys.stderr)
        return 130


class _Parser(argparse.ArgumentParser):
    """A parser whose complaints show a terminal nothing that it would obey."""

    def error(self, message: str) -> NoReturn:
        super().error(printable(message))


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="ndis-verify", description="Verify the exact privacy curve between two Gaussians and what is built on it."
    )
    parser.add_argument("--version", action="version", version=f"ndis-verify {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    _add_verify(commands)
    _add_claims(commands)
    _add_attack(commands)
    _add_experiment(commands)
    _add_value(commands, "delta", "epsilon", "hockey-stick divergence of a pair at epsilon")
    _add_value(commands, "epsilon", "delta", "smallest epsilon at which the divergence of a pair is at most delta")
    _add_audit(commands)
    _add_eval(commands)
    _add_reference(commands)
    _add_conform(commands)
    _add_bench(commands)
    where.add_arguments(commands)
    return parser


def _add_verify(commands: Any) -> None:
    parser = commands.add_parser("verify", help="recompute the ledger's verdicts", description="Recompute the ledger.")
    parser.add_argument(
        "ids",
        nargs="*",
        metavar="ID",
        help="claims to judge, or FILE.py with claims of your own (default: the whole ledger)",
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
    parser.add_argument(
        "--output", type=Path, default=Path("ndis-verify-report"), help="folder for report.json and report.md"
    )
    parser.add_argument("--json", action="store_true", help="print the JSON report instead of the table")
    parser.set_defaults(run=_verify)


def _add_claims(commands: Any) -> None:
    parser = commands.add_parser("claims", help="list the ledger")
    parser.add_argument("--json", action="store_true")
    parser.add_argument(
        "--missing", type=Path, metavar="FILE", help="print the ids of FILE that have no record; exit 1 if any"
    )
    parser.add_argument("--errata", type=Path, metavar="FILE", help="write the page of what is wrong in the sources")
    parser.add_argument(
        "--certificates",
        action="store_true",
        help="compute what `verify --quick` stands on, where its certificate is missing or of other sources",
    )
    parser.add_argument(
        "--jobs", type=int, default=os.cpu_count() or 1, help="processes for --certificates (default: one per core)"
    )
    parser.set_defaults(run=_claims)


def _add_attack(commands: Any) -> None:
    from ndis_verify.claims import attack_command

    parser = commands.add_parser("attack", help="hunt a violation of a claim")
    attack_command.add_arguments(parser)
    parser.set_defaults(run=attack_command.main)


def _add_experiment(commands: Any) -> None:
    parser = commands.add_parser(
        "experiment", help="rerun an experiment of the sources", description="Rerun an experiment."
    )
    parser.add_argument("name", nargs="?", metavar="NAME", help="the experiment (default: list them)")
    size = parser.add_mutually_exclusive_group()
    size.add_argument("--quick", dest="size", action="store_const", const="quick", default="quick", help="the default")
    size.add_argument("--full", dest="size", action="store_const", const="full", help="the sizes of the source")
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
    shown = parser.add_mutually_exclusive_group()
    shown.add_argument("--json", action="store_true", help="print the JSON record instead of the table")
    shown.add_argument("--markdown", action="store_true", help="print the run as a Markdown page, with all its rows")
    parser.add_argument(
        "--summary", type=Path, metavar="DIR", help="run nothing: what the records below DIR found, as a Markdown page"
    )
    parser.set_defaults(run=_experiment)


def _add_value(commands: Any, name: str, argument: str, text: str) -> None:
    from ndis_verify.reference import bounded

    parser = commands.add_parser(name, help=text, description=f"The {text}.")
    parser.add_argument("--pair", type=Path, metavar="FILE", help="JSON file with mean_p, cov_p, mean_q, cov_q")
    for flag, shape in (("mean-p", "0.5,1"), ("cov-p", "2,0.5;0.5,1"), ("mean-q", "0,0"), ("cov-q", "1")):
        parser.add_argument(
            f"--{flag}", metavar=shape, help="numbers; in a covariance `;` separates rows, one row is a diagonal"
        )
    parser.add_argument(f"--{argument}", dest="points", nargs="+", required=True, metavar=argument.upper())
    parser.add_argument("--digits", type=int, default=30, help="significant digits (default 30)")
    parser.add_argument("--certified", action="store_true", help="a certified enclosure by ball arithmetic")
    parser.add_argument("--json", action="store_true")
    bounded.add_arguments(parser)
    parser.set_defaults(
        run=_value, quantity={"delta": "hockey_stick", "epsilon": "epsilon_for_delta"}[name], argument=argument
    )


def _add_audit(commands: Any) -> None:
    from ndis_verify.audit import command
    from ndis_verify.claims import audit_gaussian, audit_study

    parser = commands.add_parser(
        "audit", help="what output laws, or samples of scores, prove about the privacy of a mechanism"
    )
    kinds = command.add_arguments(parser)
    gaussian = kinds.add_parser(
        "gaussian",
        help=audit_gaussian.HELP,
        description=audit_gaussian.HELP[:1].upper() + audit_gaussian.HELP[1:] + ".",
    )
    audit_gaussian.add_arguments(gaussian)
    gaussian.set_defaults(run=audit_gaussian.main)
    study = kinds.add_parser(
        "study", help=audit_study.HELP, description=audit_study.HELP[:1].upper() + audit_study.HELP[1:] + "."
    )
    audit_study.add_arguments(study)
    study.set_defaults(run=audit_study.main)
    _add_bits_survey(kinds)


def _add_bits_survey(kinds: Any) -> None:
    text = (
        "the auditor of bits on planted holes, other libraries and all mechanisms of ours, and how often its limits"
        " fail"
    )
    parser = kinds.add_parser("bits-survey", help=text, description=text[:1].upper() + text[1:] + ".")
    for option, default, metavar, words in (
        ("--draws", 40_000, "N", "of each side, of planted samplers and other libraries"),
        ("--own-draws", 8_000, "N", "of each side, of every mechanism of ours"),
        ("--runs", 200, "K", "audits of each sampler of known privacy"),
        ("--seed", 0, None, "the same seed gives the same rows but for samplers that take none"),
    ):
        parser.add_argument(option, type=int, default=default, metavar=metavar, help=f"{words} (default %(default)s)")
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="write the page here")
    parser.add_argument("--json", action="store_true", help="print the rows as JSON instead of the page")
    parser.set_defaults(run=_bits_survey)


def _add_eval(commands: Any) -> None:
    parser = commands.add_parser("eval", help="answer requests, one JSON object per line, on standard input and output")
    from ndis_verify.reference import bounded

    parser.add_argument("--engine", choices=("fast", "oracle", "certified"), required=True)
    bounded.add_arguments(parser)
    parser.set_defaults(run=_eval)


def _add_reference(commands: Any) -> None:
    from ndis_verify.reference import command

    parser = commands.add_parser("reference", help="reference tables: build, check, show, query, export")
    command.add_arguments(parser)
    parser.set_defaults(run=command.main)


def _add_conform(commands: Any) -> None:
    from ndis_verify.reference.conformance import command

    parser = commands.add_parser("conform", help="hold an implementation in any language to the reference tables")
    command.add_arguments(parser)
    parser.set_defaults(run=command.main)
    parser = commands.add_parser("check-adapter", help="a handful of rows with explanations, to debug an adapter")
    command.add_check_arguments(parser)
    parser.set_defaults(run=command.check_adapter)


def _add_bench(commands: Any) -> None:
    from ndis_verify import bench

    parser = commands.add_parser("bench", help="time this package and its peers in one run")
    bench.add_arguments(parser)
    parser.set_defaults(run=bench.main)


def _verify(arguments: argparse.Namespace) -> int:
    from ndis_verify.claims.court import exit_code
    from ndis_verify.claims.shared_hearings import alone
    from ndis_verify.report import verdicts

    if arguments.jobs < 1:
        raise InputError("--jobs", str(arguments.jobs), "must be at least 1")
    if arguments.store and arguments.effort != "full":
        raise InputError("--store", arguments.effort, "needs --full: only the full effort makes certificates")
    own = [target for target in arguments.ids if target.endswith(".py")]
    if own and len(arguments.ids) > 1:
        raise InputError("ID", own[0], "a file of claims is judged alone")
    with alone():
        claims, judgements = _judged_file(own[0], arguments) if own else _judged_ledger(arguments)
    paths = verdicts.write_reports(arguments.output, judgements, claims, arguments.effort, __version__)
    if arguments.json:
        print(json.dumps(verdicts.as_json(judgements, claims, arguments.effort, __version__), indent=1))
    else:
        print(verdicts.terminal_table(judgements, claims))
        paths += _real_data(judgements, arguments.output)
        print("written: " + ", ".join(str(path) for path in paths))
    return exit_code(judgements)


def _judged_file(path: str, arguments: argparse.Namespace) -> tuple[dict[str, Any], list[Any]]:
    from ndis_verify.claims.own_claims import judge_file
    from ndis_verify.runs.progress import Progress

    progress = Progress(f"verify {path}")
    try:
        return judge_file(path, arguments.effort, progress)
    finally:
        progress.close()


def _judged_ledger(arguments: argparse.Namespace) -> tuple[dict[str, Any], list[Any]]:
    from ndis_verify.claims.certificate_store import FOLDER
    from ndis_verify.claims.ledger import all_claims, find
    from ndis_verify.claims.session import run_session, session_journal
    from ndis_verify.runs.progress import Progress

    ids = [find(i).id for i in dict.fromkeys(arguments.ids)] or [claim.id for claim in all_claims()]
    folder = (arguments.certificates or FOLDER).resolve()
    progress = Progress(f"verify --{arguments.effort}")
    with session_journal(arguments.output / "journal.jsonl", arguments.effort, folder) as journal:
        try:
            judgements = run_session(ids, arguments.effort, journal, arguments.jobs, progress, folder, arguments.store)
        finally:
            progress.close()
    return {i: find(i) for i in ids}, judgements


def _real_data(judgements: list[Any], output: Path) -> list[Path]:
    """Print and plot the curves of the data sets whose claims were decided."""
    from ndis_verify.claims.real_data import deletion_curve
    from ndis_verify.report.real_data import curve_table, save_plot

    names = [j.id.removeprefix("DATA-") for j in judgements if j.source == "DATA" and j.verdict]
    curves = [deletion_curve(name) for name in names]
    for curve in curves:
        print("\n" + curve_table(curve))
    path = output / "real_data.png"
    return [path] if curves and save_plot(curves, path) else []


def _claims(arguments: argparse.Namespace) -> int:
    from ndis_verify.claims.ledger import all_claims, missing
    from ndis_verify.report.errata import errata
    from ndis_verify.report.verdicts import claim_record
    from ndis_verify.runs.files import read_regular, write_atomically

    if arguments.certificates:
        return _renewed(arguments.jobs)
    if arguments.errata:
        write_atomically(arguments.errata, errata(all_claims()))
        return 0
    if arguments.missing:
        wanted = read_regular(arguments.missing, 2**24, argument="--missing", follow=True)
        absent = missing(wanted.decode("utf-8", "replace").split())
        print(json.dumps(absent) if arguments.json else "\n".join(absent), end="\n" if absent or arguments.json else "")
        return FAILED if absent else 0
    if arguments.json:
        print(json.dumps([claim_record(claim) for claim in all_claims()], indent=1, ensure_ascii=False))
    else:
        for claim in all_claims():
            print(f"{claim.id:<18} {claim.declared.value:<10} {claim.title}")
    return 0


def _bits_survey(arguments: argparse.Namespace) -> int:
    from ndis_verify.experiments import bit_survey_page

    return bit_survey_page.main(arguments)


def _experiment(arguments: argparse.Namespace) -> int:
    from ndis_verify.experiments import command

    return command.main(arguments)


def _renewed(jobs: int) -> int:
    from ndis_verify.claims.certificate_renewal import renew
    from ndis_verify.claims.certificate_store import FOLDER
    from ndis_verify.runs.progress import Progress

    if jobs < 1:
        raise InputError("--jobs", str(jobs), "must be at least 1")
    progress = Progress("certificates")
    try:
        failed = renew(FOLDER, jobs, progress)
    finally:
        progress.close()
    print("\n".join(failed) or f"current: {len(list(FOLDER.glob('*.json')))} certificates in {FOLDER}")
    return FAILED if failed else 0


def _value(arguments: argparse.Namespace) -> int:
    from ndis_verify.exact_number import exact
    from ndis_verify.oracle.certified import hockey_stick as certified
    from ndis_verify.oracle.hockey_stick import epsilon_for_delta, hockey_stick
    from ndis_verify.reference.bounded import Limits, each
    from ndis_verify.reference.pair_input import read_pair
    from ndis_verify.reference.quantities import MAX_EPSILON

    if not 1 <= arguments.digits <= 1000:
        raise InputError("--digits", str(arguments.digits), "must be between 1 and 1000")
    for point in arguments.points:
        if arguments.argument == "epsilon" and abs(exact(point, "--epsilon")) > MAX_EPSILON:
            raise InputError("--epsilon", point, "must be at most 1e20 in magnitude")
    two_routes = {"hockey_stick": hockey_stick, "epsilon_for_delta": epsilon_for_delta}
    function = getattr(certified, arguments.quantity) if arguments.certified else two_routes[arguments.quantity]
    pair = cache(lambda: read_pair(arguments))

    def value(point: str) -> tuple[str, str, str]:
        enclosure = function(pair(), point, digits=arguments.digits)
        return (*enclosure.decimal(arguments.digits), enclosure.basis)

    for point, (middle, radius, basis) in zip(arguments.points, each(value, arguments.points, Limits.of(arguments))):
        if arguments.json:
            record = {arguments.argument: point, "value": middle, "radius": radius, "basis": basis}
            print(json.dumps(record), flush=True)
        else:
            mark = "certified" if basis == "bound" else "two routes agree"
            print(f"{arguments.command}({arguments.argument} = {point}) = {middle} +/- {radius} ({mark})", flush=True)
    return 0


def _eval(arguments: argparse.Namespace) -> int:
    from ndis_verify.reference.bounded import Limits, serve
    from ndis_verify.reference.engines import ENGINES

    if sys.stdin is None or sys.stdout is None:  # the next file to be opened would take its place
        raise InputError("standard input, output", "closed", "must both be open")
    return serve(ENGINES[arguments.engine], Limits.of(arguments))
