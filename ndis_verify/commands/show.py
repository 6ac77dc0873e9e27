"""`ndis-verify show ID|LABEL`: one claim with its proof, to be read on a terminal."""

from __future__ import annotations

import argparse
import shutil
import sys


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the verb takes."""
    parser.add_argument(
        "name", nargs="+", metavar="ID", help='an id or a label ("N26 Lemma 2", "Lemma 2"); several words are one'
    )


def main(arguments: argparse.Namespace) -> int:
    """Prints every claim that is meant; nothing is recomputed."""
    from ndis_verify.claims.ledger import find
    from ndis_verify.report.claim_text import claim_text
    from ndis_verify.report.colour import painted
    from ndis_verify.report.places import claims_meant

    width = max(40, shutil.get_terminal_size((100, 24)).columns)
    texts = [claim_text(find(i), width) for i in claims_meant(" ".join(arguments.name))]
    print(painted("\n\n".join(texts), sys.stdout))
    return 0
