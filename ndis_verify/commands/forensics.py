"""`ndis-verify forensics`: which privacy the printed noise of a table delivers, and which noise it needed."""

from __future__ import annotations

import argparse
import json

from ndis_verify.reference import bounded

_SECONDS = 600.0  # a long table of sampled Gaussians takes minutes


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the verb takes."""
    parser.description = (
        "Which privacy the printed noise levels of a published table deliver, with proof, and the noise that was"
        " needed. A declaration is a short JSON file: settings, printed levels, and what is unknown."
    )
    parser.add_argument(
        "declaration", nargs="?", metavar="FILE|NAME", help="a file, or one that comes with the package"
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    bounded.add_arguments(parser, _SECONDS)


def main(arguments: argparse.Namespace) -> int:
    """Judge every row; 1 where one certainly misses its target, 3 where one cannot be decided."""
    from ndis_verify.forensics.declaration import load, shipped
    from ndis_verify.forensics.report import as_dict, as_text
    from ndis_verify.forensics.verdicts import judged

    def answer(name: str) -> tuple[str, list[str]]:
        found, rows = judged(load(name))
        text = json.dumps(as_dict(found, rows), indent=1) if arguments.json else as_text(found, rows)
        return text, [row.verdict for row in rows]

    if arguments.declaration is None:
        print("\n".join(shipped()))
        return 0
    ((text, verdicts),) = bounded.each(answer, [arguments.declaration], bounded.Limits.of(arguments))
    print(text)
    return 1 if "misses" in verdicts else 3 if "not decided" in verdicts else 0
