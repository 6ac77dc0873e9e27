"""`ndis-verify site FOLDER`: the ledger as pages that a browser opens from the disk."""

from __future__ import annotations

import argparse
import os
from pathlib import Path


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the verb takes."""
    parser.description = (
        "Write a page a claim, an index, the cross-check matrix, errata and open questions; verdicts as the ledger"
        " declares them."
    )
    parser.add_argument("--asked", action="store_true", help="run no comparison for the matrix: the digits asked for")
    parser.add_argument(
        "--calculator",
        type=Path,
        metavar="PARTS",
        help="write the calculator too, of the files in this folder (python -m tools.parts fetches them)",
    )
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="where the pages go; open its index.html")


def main(arguments: argparse.Namespace) -> int:
    """Write the pages and say where they begin."""
    from ndis_verify.claims.ledger import all_claims
    from ndis_verify.report.calculator import checked
    from ndis_verify.report.matrix import hearing
    from ndis_verify.report.site import write_site
    from ndis_verify.runs.progress import Progress

    arguments.folder.mkdir(parents=True, exist_ok=True)  # what would fail at the end fails here
    if arguments.calculator is not None:
        checked(arguments.calculator)
    progress = Progress("comparisons for the matrix")
    try:
        heard = {} if arguments.asked else hearing(all_claims(), progress)
    finally:
        progress.close()
    jobs = os.cpu_count() or 1
    print(f"written: {write_site(arguments.folder, heard=heard, parts=arguments.calculator, jobs=jobs)}")
    return 0
