"""The conformance table of all adapters that come with the package: `python -m
ndis_verify.reference.conformance.survey`.
"""

from __future__ import annotations

import argparse
import sys
from fractions import Fraction
from pathlib import Path

from ndis_verify.discovery import holding
from ndis_verify.exact_number import InputError
from ndis_verify.reference.conformance.judge import OUTCOMES
from ndis_verify.reference.conformance.run import Run, conform
from ndis_verify.reference.conformance.selection import table_rows
from ndis_verify.reference.conformance.summary import finite, shares
from ndis_verify.reference.loader import FOLDER
from ndis_verify.runs.progress import Progress
from ndis_verify.tables import markdown_line, markdown_table

_COMPQUADFORM = str(Path(__file__).resolve().parents[1] / "adapters" / "compquadform.R")


def _python(*arguments: str) -> tuple[str, ...]:
    return sys.executable, "-W", "ignore", "-m", *arguments


COMMANDS: dict[str, tuple[str, ...]] = {
    **{
        f"ndis_verify {engine}": _python("ndis_verify", "eval", "--engine", engine)
        for engine in ("fast", "oracle", "certified")
    },
    **{
        name: _python(module.__name__, *arguments)
        for module in holding("ndis_verify.reference.adapters", "SURVEYED")
        for name, arguments in module.SURVEYED.items()
    },
    "CompQuadForm, Davies": ("Rscript", _COMPQUADFORM, "davies"),
    "CompQuadForm, Imhof": ("Rscript", _COMPQUADFORM, "imhof"),
}


def line(name: str, run: Run) -> list[str]:
    """A row of the table for each quantity that the adapter computes."""
    return [
        markdown_line(
            (
                *(name, share.name, share.rows),
                *(share.outcomes.get(outcome, "") for outcome in OUTCOMES),
                *(finite(share.worst_error), f"{1e3 * share.seconds:.2f}"),
            )
        )
        for share in shares(run, "quantity")
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help=f"default: all of {', '.join(COMMANDS)}")
    parser.add_argument("--full", action="store_true", help="the whole tables in place of their core")
    parser.add_argument("--tolerance", default="1e-9")
    parser.add_argument("--timeout", type=float, default=20.0)
    parser.add_argument("--tables", type=Path, default=FOLDER)
    arguments = parser.parse_args()
    if unknown := set(arguments.names) - set(COMMANDS):
        parser.error(f"unknown adapter {unknown.pop()}")
    rows = table_rows(arguments.tables, core=not arguments.full)
    head = ("implementation", "quantity", "rows", *OUTCOMES, "worst error", "median ms")
    print(markdown_table(head, ()))
    for name in arguments.names or COMMANDS:
        progress = Progress(name)
        try:
            run = conform(
                COMMANDS[name],
                rows,
                tolerance=Fraction(arguments.tolerance),
                seconds=arguments.timeout,
                progress=progress,
            )
        except InputError as error:
            blank = [""] * (len(head) - 2)
            print(markdown_line((name, f"not run: {error.rule[:160]}", *blank)), flush=True)
            continue
        finally:
            progress.close()
        print("\n".join(line(name, run)), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
