"""`ndis-verify audit study`: validity and power of every score auditor on pairs with certified privacy."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ndis_verify.exact_number import InputError

if TYPE_CHECKING:
    from ndis_verify.audit.study import Power, Validity

QUICK = {100: 200, 10_000: 100}
FULL = {100: 1000, 10_000: 500, 1_000_000: 100}
HELP = "how often score auditors fail and how tight they get, on pairs of known privacy"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `ndis-verify audit study`; the parsed ones go to `main`."""
    parser.add_argument("--full", action="store_true", help="n = 100, 10^4 and 10^6 with many repetitions (an hour); default: minutes")
    parser.add_argument("--cases", nargs="+", metavar="NAME", help="only these pairs, by their names or by how these start")
    parser.add_argument("--sizes", nargs="+", type=int, metavar="N", help="only these numbers of scores")
    parser.add_argument("--confidence", type=float, default=0.95, help="of the limits (default 0.95)")
    parser.add_argument("--seed", type=int, default=0, help="the same seed gives the same tables (default 0)")
    parser.add_argument("--output", type=Path, default=Path("ndis-verify-report"), metavar="DIR", help="folder for audit_study.json and audit_study.md")
    parser.add_argument("--json", action="store_true", help="print the JSON record instead of the tables")


def main(arguments: argparse.Namespace) -> int:
    """Run, print, write; 1 where an auditor that promises a confidence was found to break it."""
    from ndis_verify.audit.study import GUARANTEED, run_study
    from ndis_verify.claims.audit_cases import all_cases
    from ndis_verify.report.files import write_atomically
    from ndis_verify.report.progress import Progress

    if arguments.seed < 0:
        raise InputError("--seed", str(arguments.seed), "must be at least 0")
    wanted = arguments.cases
    cases = [case for case in all_cases() if wanted is None or case.name in wanted]
    cases = cases or [case for case in all_cases() if case.name.startswith(tuple(wanted))]
    if not cases:
        raise InputError("--cases", " ".join(arguments.cases), f"must begin one of: {'; '.join(case.name for case in all_cases())}")
    repetitions = {n: runs for n, runs in (FULL if arguments.full else QUICK).items() if arguments.sizes is None or n in arguments.sizes}
    if not repetitions:
        raise InputError("--sizes", str(arguments.sizes), f"must be among {', '.join(map(str, FULL if arguments.full else QUICK))}")
    progress = Progress("audit study")
    try:
        validity, power = run_study(cases, repetitions, confidence=arguments.confidence, seed=arguments.seed, progress=progress)
    finally:
        progress.close()
    record = _record(arguments, validity, power)
    text = markdown(arguments.confidence, validity, power)
    write_atomically(arguments.output / "audit_study.json", json.dumps(record, indent=1) + "\n")
    write_atomically(arguments.output / "audit_study.md", text)
    print(json.dumps(record, indent=1) if arguments.json else text, end="\n" if arguments.json else "")
    return int(any(row.verdict == "above" and row.method in GUARANTEED for row in validity))


def _record(arguments: argparse.Namespace, validity: list[Validity], power: list[Power]) -> dict[str, Any]:
    return {
        "confidence": arguments.confidence,
        "seed": arguments.seed,
        "size": "full" if arguments.full else "quick",
        "validity": [asdict(row) for row in validity],
        "power": [{**asdict(row), "share": row.share} for row in power],
    }


def markdown(confidence: float, validity: list[Validity], power: list[Power]) -> str:
    """Both tables with what their cells mean."""
    from ndis_verify.audit.study import FALSE_ALARM, power_table, validity_table

    delta = f" at delta = {power[0].delta:g}" if power else ""
    return (
        f"# Score auditors on pairs of known privacy\n\n## Validity\n\nLimits above the truth anywhere on the profile, over runs; stated confidence {confidence:g}. "
        f"No mark: the rate is at most {1 - confidence:.3g}, at confidence 0.99. (?): the runs are consistent with that, too few to say so. "
        f"**above**: it is not (false alarm {FALSE_ALARM:g} over the whole table). best-set, family, dkw, tv and threshold promise their confidence; "
        "gdp reads a Gaussian curve off one test, credible and threshold-jeffreys are Bayesian.\n\n"
        f"{validity_table(validity)}\n\n## Power\n\nMean lower limit of epsilon{delta}, over the true epsilon; above 1 is wrong.\n\n{power_table(power)}\n"
    )
