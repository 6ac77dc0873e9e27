"""`ndis-verify eval`: the engines of the package behind the line protocol."""

from __future__ import annotations

import argparse
import sys

from ndis_verify.exact_number import InputError
from ndis_verify.reference import bounded


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The flags of the verb."""
    parser.add_argument("--engine", choices=("fast", "oracle", "certified"), required=True)
    bounded.add_arguments(parser)


def main(arguments: argparse.Namespace) -> int:
    """Serve until standard input ends."""
    from ndis_verify.reference.bounded import Limits, serve
    from ndis_verify.reference.engines import ENGINES

    if sys.stdin is None or sys.stdout is None:  # the next file to be opened would take its place
        raise InputError("standard input, output", "closed", "must both be open")
    return serve(ENGINES[arguments.engine], Limits.of(arguments))
