"""`ndis-verify where NAME`: a claim, a source's label, a function or a subject, as paths with lines."""

from __future__ import annotations

import argparse
import os
import shutil
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

from ndis_verify.exact_number import InputError

if TYPE_CHECKING:
    from ndis_verify.report.places import Place


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the verb takes."""
    parser.add_argument(
        "name",
        nargs="+",
        metavar="NAME",
        help='an id, a label ("N26 Lemma 2"), a function, a subject; several words are one',
    )


def main(arguments: argparse.Namespace) -> int:
    """Prints the places, grouped by what stands there; a line that the terminal has no room for ends at the path."""
    from ndis_verify.claims.ledger import all_claims
    from ndis_verify.report.places import ids_of, of_claim, of_name

    name = " ".join(arguments.name).strip()
    if not name:
        raise InputError("NAME", repr(name), "must not be empty")
    ids = ids_of(name, [claim.id for claim in all_claims()])
    found = {i: of_claim(i) for i in ids} or {name: of_name(name)}
    if not any(found.values()):
        raise InputError("NAME", name, "is no claim, label, function or subject; `ndis-verify claims` lists the claims")
    width = shutil.get_terminal_size().columns
    for key, places in found.items():
        print(key)
        for kind, group in groupby(places, key=lambda place: place.kind):
            print(f"  {kind}")
            for place in group:
                print(_line(place, width))
    return 0


def _line(place: Place, width: int) -> str:
    """Where it is, whole, and what: behind it, or on a line below."""
    start = f"    {_shown(place.path)}:{place.line}"
    return f"{start}  {place.name}" if len(start) + 2 + len(place.name) <= width else f"{start}\n      {place.name}"


def _shown(path: Path) -> str:
    """The path from where one stands, if that is shorter."""
    return min((os.path.relpath(path), str(path)), key=len)
