"""The command line `ndis-verify`: it finds the verb and hands over to its file in `commands`.

Exit codes: 0 everything held; 1 a verdict differs from the declared one, or something failed; 2 usage;
3 something could not be decided.
"""

from __future__ import annotations

import argparse
import io
import os
import select
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import NoReturn

from ndis_verify import __version__
from ndis_verify.exact_number import InputError
from ndis_verify.plain_text import printable

USAGE, FAILED, UNDECIDED = 2, 1, 3
VERBS = {  # each a module of `commands`
    "verify": "recompute the ledger's verdicts",
    "claims": "list the ledger",
    "show": "one claim: statement, verdict, proof step by step, evidence",
    "site": "write the ledger as pages to read in a browser",
    "matrix": "every printed item against the routes that speak of it",
    "attack": "hunt a violation of a claim",
    "experiment": "rerun an experiment of the sources",
    "forensics": "which privacy the printed noise of a table delivers",
    "delta": "hockey-stick divergence of a pair at epsilon",
    "epsilon": "smallest epsilon at which the divergence of a pair is at most delta",
    "audit": "what output laws, or samples of scores, prove about the privacy of a mechanism",
    "eval": "answer requests, one JSON object per line, on standard input and output",
    "reference": "reference tables: build, check, show, query, export",
    "conform": "hold an implementation in any language to the reference tables",
    "check-adapter": "a handful of rows with explanations, to debug an adapter",
    "bench": "time this package and its peers in one run",
    "where": "find a claim, a function or a subject in the sources",
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code."""
    if not (hasattr(os, "fork") and hasattr(os, "killpg") and hasattr(select, "poll")):
        system = f"a POSIX system (Linux, macOS, WSL), not {sys.platform}"
        print(f"ndis-verify: the commands need {system}; the library itself does not", file=sys.stderr)
        return USAGE
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # the name of a file need not be UTF-8
    try:
        arguments = _parser(sys.argv[1:] if argv is None else argv).parse_args(argv)
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


def _parser(argv: Sequence[str]) -> argparse.ArgumentParser:
    """The parser of all verbs; only that of the verb which is asked for is filled, so that no other is loaded."""
    parser = _Parser(
        prog="ndis-verify", description="Verify the exact privacy curve between two Gaussians and what is built on it."
    )
    parser.add_argument("--version", action="version", version=f"ndis-verify {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for verb, text in VERBS.items():
        command = commands.add_parser(verb, help=text, description=f"{text[:1].upper()}{text[1:]}.")
        if verb in argv:
            module = import_module(f"ndis_verify.commands.{verb.replace('-', '_')}")
            module.add_arguments(command)
            command.set_defaults(run=module.main)
    return parser
