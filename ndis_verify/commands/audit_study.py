"""`ndis-verify audit study`: validity and power of every score auditor on pairs with certified privacy."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import asdict
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

from ndis_verify.exact_number import InputError
from ndis_verify.runs.cluster import add_scheduler

if TYPE_CHECKING:
    from ndis_verify.audit.study import Block, Case, Power, Tally, Validity
    from ndis_verify.runs.journal import Journal

QUICK = {100: 200, 10_000: 100}
FULL = {100: 1000, 10_000: 500, 1_000_000: 100}
DELTA = 1e-5
HELP = "how often score auditors fail and how tight they get, on pairs of known privacy"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `ndis-verify audit study`; the parsed ones go to `main`."""
    parser.add_argument(
        "--full",
        action="store_true",
        help="n = 100, 10^4 and 10^6 with many repetitions (an hour of one core); default: minutes",
    )
    parser.add_argument(
        "--cases", nargs="+", metavar="NAME", help="only these pairs, by their names or by how these start"
    )
    parser.add_argument("--sizes", nargs="+", type=int, metavar="N", help="only these numbers of scores")
    parser.add_argument("--runs", type=int, metavar="K", help="repetitions, in place of the size's own")
    parser.add_argument("--confidence", type=float, default=0.95, help="of the limits (default 0.95)")
    parser.add_argument("--seed", type=int, default=0, help="the same seed gives the same tables (default 0)")
    parser.add_argument("--jobs", type=int, default=1, help="processes (default 1)")
    add_scheduler(parser)
    parser.add_argument(
        "--minutes",
        type=float,
        metavar="M",
        help="stop after about that long and print what is there; the same command goes on",
    )
    parser.add_argument(
        "--output",
        type=Path,
        default=Path("ndis-verify-report"),
        metavar="DIR",
        help="folder for audit_study.json, and for the runs as they end: the same command goes on where it was stopped",
    )
    parser.add_argument(
        "--markdown",
        type=Path,
        metavar="FILE",
        help="the page with both tables (default: audit_study.md in that folder)",
    )
    parser.add_argument("--json", action="store_true", help="print the JSON record instead of the tables")


def main(arguments: argparse.Namespace) -> int:
    """Run, print, write; 1 where an auditor that promises a confidence was found to break it."""
    from ndis_verify.audit.study import GUARANTEED, METHODS, run_study
    from ndis_verify.runs.files import write_atomically
    from ndis_verify.runs.progress import Progress

    for name, least in (("seed", 0), ("jobs", 1), ("runs", 1), ("minutes", 0)):
        value = getattr(arguments, name)
        if value is not None and value < least:
            raise InputError(f"--{name}", str(value), f"must be at least {least}")
    cases, repetitions = _cases(arguments.cases), _repetitions(arguments)
    progress = Progress("audit study")
    with _journal(arguments) as journal:
        try:
            validity, power = run_study(
                cases,
                repetitions,
                methods=METHODS,
                delta=DELTA,
                confidence=arguments.confidence,
                seed=arguments.seed,
                progress=progress,
                measured=partial(_measured, arguments, journal),
            )
        finally:
            progress.close()
        record = _record(arguments, repetitions, validity, power)
        text = markdown(record, validity, power)
        write_atomically(arguments.output / "audit_study.json", json.dumps(record, indent=1) + "\n")
        write_atomically(arguments.markdown or arguments.output / "audit_study.md", text)
    print(json.dumps(record, indent=1) if arguments.json else text, end="\n" if arguments.json else "")
    return int(any(row.verdict == "above" and row.method in GUARANTEED for row in validity))


def _cases(wanted: list[str] | None) -> list[Case]:
    from ndis_verify.experiments.audit_cases import CASES, case_named

    names: set[str] = set()
    for start in [""] if wanted is None else wanted:
        found = {name for name in CASES if name == start} or {name for name in CASES if name.startswith(start)}
        if not found:
            raise InputError("--cases", start, f"must begin one of: {'; '.join(CASES)}")
        names |= found
    return [case_named(name) for name in CASES if name in names]


def _repetitions(arguments: argparse.Namespace) -> dict[int, int]:
    own = FULL if arguments.full else QUICK
    repetitions = {
        n: arguments.runs or runs for n, runs in own.items() if arguments.sizes is None or n in arguments.sizes
    }
    if not repetitions:
        raise InputError("--sizes", str(arguments.sizes), f"must be among {', '.join(map(str, own))}")
    return repetitions


def _journal(arguments: argparse.Namespace) -> Journal:
    """The tallies of finished blocks."""
    from ndis_verify.audit.study import METHODS
    from ndis_verify.runs.identity import identity
    from ndis_verify.runs.journal import Journal

    run = identity("audit study", arguments.seed, arguments.confidence, DELTA, METHODS)
    path = arguments.output / "audit_study.jsonl"
    return Journal(path, run, "blocks of runs", lambda key, tally: _tally(tally, METHODS))


def _tally(tally: Tally, methods: Sequence[str]) -> Tally:
    numbers = {"runs", "above", "sum", "squares", "infinite"}
    if set(tally) != set(methods) or not all(
        set(cell) == numbers and min(cell.values()) >= 0 for cell in tally.values()
    ):
        raise ValueError("no tally of a block")
    return tally


def _measured(arguments: argparse.Namespace, journal: Journal, parts: Sequence[Block]) -> Iterator[tuple[Block, Tally]]:
    """How blocks are run: those in the journal are read, others measured; the journal stays where time is up before all
    are.
    """
    from ndis_verify.audit.study import METHODS
    from ndis_verify.runs.pool import resumed

    by_key = {part.key: part for part in parts}
    end = perf_counter() + 60 * arguments.minutes if arguments.minutes is not None else float("inf")
    known = len(by_key.keys() & journal.done.keys())
    job = partial(_block, methods=METHODS, delta=DELTA, confidence=arguments.confidence, seed=arguments.seed)
    with closing(resumed(journal, job, by_key, arguments.jobs, scheduler=arguments.scheduler)) as found:
        for count, (key, tally) in enumerate(found, 1):
            yield by_key[key], tally
            if count > known and perf_counter() > end:
                break
    journal.kept = not by_key.keys() <= journal.done.keys()


def _block(part: Block, methods: Sequence[str], delta: float, confidence: float, seed: int) -> Tally:
    from ndis_verify.audit.study import run_block
    from ndis_verify.experiments.audit_cases import case_named

    return run_block(case_named(part.case), part, methods, delta, confidence, seed)


def _record(
    arguments: argparse.Namespace, repetitions: dict[int, int], validity: list[Validity], power: list[Power]
) -> dict[str, Any]:
    return {
        "confidence": arguments.confidence,
        "seed": arguments.seed,
        "repetitions": {str(n): runs for n, runs in repetitions.items()},
        "validity": [asdict(row) for row in validity],
        "power": [{**asdict(row), "mean": _finite(row.mean), "share": _finite(row.share)} for row in power],
    }


def _finite(value: float) -> float | str:
    return value if value < float("inf") else "inf"


def markdown(record: dict[str, Any], validity: list[Validity], power: list[Power]) -> str:
    """Both tables with what their cells mean."""
    from ndis_verify.audit.study import FALSE_ALARM, GUARANTEED, SURE, power_table, summary_table, validity_table

    failure = 1 - record["confidence"]
    delta = f" at delta = {power[0].delta:g}" if power else ""
    promised = [row for row in validity if row.method in GUARANTEED]
    error = max((row.error / row.true for row in power if row.method in GUARANTEED), default=0.0)
    sizes = ", ".join(f"{runs} runs at n = {n}" for n, runs in record["repetitions"].items())
    return (
        "# Score auditors on pairs of known privacy\n\n"
        f"Written by `ndis-verify audit study` (seed {record['seed']}; {sizes}; fewer where a cell says so). Every"
        " method sees the same draws, n scores of each law. "
        "The privacy of every pair is certified.\n\n"
        "## Validity\n\n"
        f"Limits at confidence {record['confidence']:g} that were above the truth anywhere on the profile, over runs;"
        " then the confidence with which the rate is at most "
        f'{failure:.3g} (Clopper-Pearson). "too few runs": not even none above would make that {SURE:g}; "not shown":'
        f" it is below {SURE:g}. **above**: the rate is "
        f"larger (false alarm {FALSE_ALARM:g} over the whole table).\n\n"
        "- best-set, family, dkw, tv, threshold (Clopper-Pearson) promise their confidence for every pair; gdp-mu"
        " promises it for the mu of a pair (KM-eq2.4).\n"
        "- threshold-jeffreys and credible-mu are posterior probabilities (KM-eq2.5); gdp and credible read a Gaussian"
        " profile off that mu, which holds for Gaussian pairs alone.\n"
        "- plug-in is the histogram's own divergence (KM-Alg2), an estimate.\n\n"
        f"Of {len(promised)} cells of those that promise, {sum(row.verdict == 'at most' for row in promised)} are at"
        f" most {failure:.3g}, {sum(row.verdict == 'consistent' for row in promised)} have too few runs to say so, "
        f"{sum(row.verdict == 'above' for row in promised)} are above; the highest rate is"
        f" {max((row.exceeded / row.runs for row in promised), default=0.0):.3g}.\n\n"
        "In short, over all pairs, with the pairs whose rate is larger, and the power of the second"
        f" table:\n\n{summary_table(validity, power)}\n\n"
        f"{validity_table(validity)}\n\n"
        f"## Power\n\nMean lower limit of epsilon{delta}, over the true epsilon. Above 1 is wrong; inf: some run said"
        " that epsilon is infinite. "
        f"Standard errors of the limits that promise are at most {error:.2g}.\n\n{power_table(power)}\n"
    )
