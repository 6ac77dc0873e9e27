"""`ndis-verify claims`: the ledger as a list, the page of errata, the kept certificates, the export, the graph."""

from __future__ import annotations

import argparse
import json
import os
from pathlib import Path

from ndis_verify.arguments import whole
from ndis_verify.exact_number import InputError

FAILED = 1
_ONE_OF = ("certificates", "seal", "graph", "errata", "mutants", "export", "missing")  # what is done or printed


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The flags of the verb."""
    parser.add_argument("--json", action="store_true")
    parser.add_argument(
        "--missing", type=Path, metavar="FILE", help="print the ids of FILE that have no record; exit 1 if any"
    )
    parser.add_argument("--errata", type=Path, metavar="FILE", help="write the page of what is wrong in the sources")
    parser.add_argument(
        "--mutants", type=Path, metavar="FILE", help="count the faults of statements by rule anew where they changed"
    )
    parser.add_argument(
        "--export", type=Path, metavar="FILE", help="write the ledger for a second reader (docs/recheck.md)"
    )
    parser.add_argument("--graph", action="store_true", help="print what rests on what, as JSON (docs/graph.md)")
    parser.add_argument("--seal", action="store_true", help="seal the claims as they are now, once they were read")
    parser.add_argument(
        "--certificates",
        action="store_true",
        help="compute what `verify --quick` stands on, where its certificate is missing or of other sources",
    )
    parser.add_argument(
        "--jobs", type=int, default=os.cpu_count() or 1, help="processes for --certificates (default: one per core)"
    )


def main(arguments: argparse.Namespace) -> int:
    """Print or write what the flags ask for; 1 where an id is missing or a certificate could not be renewed."""
    from ndis_verify.claims.kinds import kind_of
    from ndis_verify.claims.ledger import all_claims, missing
    from ndis_verify.report.errata import errata
    from ndis_verify.report.verdicts import claim_record
    from ndis_verify.runs.files import read_regular, write_atomically

    whole(arguments.jobs, "--jobs", 1)
    asked = [name for name in _ONE_OF if getattr(arguments, name)]
    if len(asked) > 1:
        raise InputError(f"--{asked[1]}", str(getattr(arguments, asked[1])), f"excludes --{asked[0]}")
    if arguments.certificates:
        return _renewed(arguments.jobs)
    if arguments.seal:
        from ndis_verify.court.seal import SEALS, sealing

        write_atomically(SEALS, sealing(all_claims()))
        return 0
    if arguments.graph:
        from ndis_verify.report.ledger_graph import ledger_graph

        print(json.dumps(ledger_graph(), indent=1, ensure_ascii=False))
        return 0
    if arguments.errata:
        write_atomically(arguments.errata, errata(all_claims()))
        return 0
    if arguments.mutants:
        from ndis_verify.court.statement_mutants import mutants_page, renew

        renew(all_claims())
        write_atomically(arguments.mutants, mutants_page(all_claims()))
        return 0
    if arguments.export:
        from ndis_verify.report.ledger_export import export_lines

        write_atomically(arguments.export, "".join(f"{line}\n" for line in export_lines()))
        return 0
    if arguments.missing:
        wanted = read_regular(arguments.missing, 2**24, argument="--missing", follow=True)
        absent = missing(wanted.decode("utf-8", "replace").split())
        print(json.dumps(absent) if arguments.json else "\n".join(absent), end="\n" if absent or arguments.json else "")
        return FAILED if absent else 0
    if arguments.json:
        print(json.dumps([claim_record(claim) for claim in all_claims()], indent=1, ensure_ascii=False))
    else:
        for claim in all_claims():
            print(f"{claim.id:<18} {claim.declared.value:<10} {kind_of(claim).value:<18} {claim.title}")
    return 0


def _renewed(jobs: int) -> int:
    from ndis_verify.claims.certificate_renewal import renew
    from ndis_verify.court.certificate_store import FOLDER
    from ndis_verify.runs.progress import Progress

    progress = Progress("certificates")
    try:
        failed = renew(FOLDER, jobs, progress)
    finally:
        progress.close()
    print("\n".join(failed) or f"current: {len(list(FOLDER.glob('*.json')))} certificates in {FOLDER}")
    return FAILED if failed else 0
