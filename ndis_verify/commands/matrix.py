"""`ndis-verify matrix`: every printed item of the sources against the routes that speak of it."""

from __future__ import annotations

import argparse
import json


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the verb takes."""
    parser.description = (
        "Every printed item of the sources against derivation, second route, certified values, float64, published"
        " libraries, notebooks and reference rows. Comparisons are run, without their planted faults."
    )
    parser.add_argument("--json", action="store_true", help="print whole cells, with worst points, links and reasons")
    parser.add_argument("--asked", action="store_true", help="run nothing: the digits that the checks ask for")


def main(arguments: argparse.Namespace) -> int:
    """Print the matrix; 1 where a blank, or a comparison of few digits, has no reason."""
    from ndis_verify.claims.ledger import all_claims
    from ndis_verify.report.matrix import hearing, matrix, summary, unexplained
    from ndis_verify.report.matrix_page import matrix_text
    from ndis_verify.runs.progress import Progress

    claims = all_claims()
    progress = Progress("matrix")
    try:
        rows = matrix(claims, None if arguments.asked else hearing(claims, progress))
    finally:
        progress.close()
    if arguments.json:
        print(json.dumps({"summary": summary(rows), "rows": [row.as_dict() for row in rows]}, indent=1))
    else:
        print(matrix_text(rows))
    wrong = unexplained(rows)
    for text in wrong:
        print(f"no reason: {text}")
    return 1 if wrong else 0
