"""`ndis-verify site FOLDER`: the ledger as pages that a browser opens from the disk."""

from __future__ import annotations

import argparse
from pathlib import Path


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the verb takes."""
    parser.description = (
        "Write a page a claim, an index, errata and open questions; verdicts as the ledger declares them."
    )
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="where the pages go; open its index.html")


def main(arguments: argparse.Namespace) -> int:
    """Write the pages and say where they begin."""
    from ndis_verify.report.site import write_site

    print(f"written: {write_site(arguments.folder)}")
    return 0
