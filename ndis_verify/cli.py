"""The command line `ndis-verify`: it finds the verb and hands over to its file in `commands`.

Exit codes: 0 everything held; 1 a verdict differs from the declared one, or something failed; 2 usage;
3 something could not be decided.
"""

from __future__ import annotations

import argparse
import io
import os
import re
import select
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

from ndis_verify import __version__
from ndis_verify.commands.verbs import VERBS, module_of
from ndis_verify.exact_number import InputError
from ndis_verify.plain_text import printable

USAGE, FAILED, UNDECIDED = 2, 1, 3
_NEGATIVE = re.compile(r"-\.?\d[\d.,;eE+\- ]*\Z", re.ASCII)  # a number, or numbers with commas and semicolons


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code."""
    if not (hasattr(os, "fork") and hasattr(os, "killpg") and hasattr(select, "poll")):
        system = f"a POSIX system (Linux, macOS, WSL), not {sys.platform}"
        print(f"ndis-verify: the commands need {system}; the library itself does not", file=sys.stderr)
        return USAGE
    for name in ("stdout", "stderr"):  # Python leaves out what the shell has closed
        if getattr(sys, name) is None:
            setattr(sys, name, io.TextIOWrapper(io.FileIO(os.devnull, "w")))
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # the name of a file need not be UTF-8
    arguments = argparse.Namespace()
    try:
        arguments = _parser(sys.argv[1:] if argv is None else argv).parse_args(argv)
        code = _run(arguments)
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
        print(f"ndis-verify: {printable(_said_of_a_file(error, arguments))}", file=sys.stderr)
        return USAGE
    except KeyboardInterrupt:
        return interrupted()


def _run(arguments: argparse.Namespace) -> int:
    """The exit code of the verb; code of the user that ends the process has failed, whatever it says of itself."""
    try:
        code: int = arguments.run(arguments)
        return code
    except SystemExit as error:
        print(f"ndis-verify: what was run ended the process (exit {printable(str(error.code))})", file=sys.stderr)
        return FAILED


def _said_of_a_file(error: OSError, arguments: argparse.Namespace) -> str:
    """What went wrong, with the argument that named the file, if one did."""
    if error.filename is None:
        return error.strerror or str(error)
    path = os.fsdecode(error.filename) if isinstance(error.filename, (str, bytes, os.PathLike)) else str(error.filename)
    for name, value in vars(arguments).items():
        given = value if isinstance(value, (list, tuple)) else [value]
        if path in (str(one) for one in given if isinstance(one, (str, os.PathLike))):  # the number 2 is no file
            return str(InputError(name, path, error.strerror or str(error)))
    return f"{path}: {error.strerror}"


def interrupted() -> int:
    """Say that Ctrl-C came; returns the exit code."""
    print("ndis-verify: interrupted", file=sys.stderr)
    return 130


class _Parser(argparse.ArgumentParser):
    """A parser whose complaints show a terminal nothing that it would obey, and for which -1e-3 and -0.5,1 are values.

    No option of a command looks like a number.
    """

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._negative_number_matcher = _NEGATIVE

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
            module = module_of(verb)
            module.add_arguments(command)
            command.set_defaults(run=module.main)
    return parser
