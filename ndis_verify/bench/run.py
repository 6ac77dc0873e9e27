"""The benchmark from end to end: cases in turn, the table as it grows, one record at the end.

The engines and the peers are imported when a run starts, so that other commands do not wait for them.
"""

from __future__ import annotations

import argparse
import dataclasses
import importlib.metadata
import json
import os
import platform
import sys
from typing import TYPE_CHECKING, TextIO

import numpy as np

from ndis_verify.arguments import whole

if TYPE_CHECKING:
    from ndis_verify.bench.cases import Sizes
    from ndis_verify.bench.peers import Method
    from ndis_verify.runs.progress import Progress

FAILED, INTERRUPTED = 1, 130
_LIBRARIES = ("numpy", "scipy", "mpmath", "python-flint")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The flags of the benchmark."""
    parser.add_argument("--quick", action="store_true", help="smaller sizes and fewer repetitions")
    parser.add_argument("--work", action="store_true", help="time everyday work by both paths of the engine instead")
    parser.add_argument("--seed", type=int, default=0, help="seed of the random inputs (default 0)")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of the table")


def main(arguments: argparse.Namespace) -> int:
    """Run with parsed flags. Exit code 0, 1 where an engine of this package failed on a case, 130 if interrupted."""
    whole(arguments.seed, "--seed", 0)
    if arguments.work:
        from ndis_verify.bench.work import page

        sys.stdout.write(page())
        return 0
    result = run_bench(arguments.quick, arguments.seed, None if arguments.json else sys.stdout)
    if arguments.json:
        print(json.dumps(result, indent=1, allow_nan=False))
    if result["interrupted"]:
        return INTERRUPTED
    return FAILED if own_failures(result) else 0


def own_failures(result: dict) -> list[str]:
    """The cases in which a method of this package raised, ran out of time or returned what is no delta."""
    return [
        record["case"]
        for record in result["cases"]
        if any(row["ours"] and (row["per_value"] is None or set(row["scores"]) & _WORDS) for row in record["rows"])
    ]


_WORDS = {"nan", "inf", "neg", ">1", "fail", "time"}


def run_bench(
    quick: bool, seed: int, stream: TextIO | None, sizes: Sizes | None = None, methods: list[Method] | None = None
) -> dict:
    """Run every case; print each block to `stream` (None: nowhere) as it is done; return the whole as JSON-ready data.

    `sizes` and `methods` replace the sizes of `quick` and the list of peers. A keyboard interrupt ends the run:
    the finished cases are returned with `interrupted` true.
    """
    from ndis_verify.bench.cases import FULL, QUICK
    from ndis_verify.bench.peers import peers
    from ndis_verify.bench.table import header
    from ndis_verify.runs.progress import Progress

    sizes = sizes or (QUICK if quick else FULL)
    settings = {"quick": quick, "seed": seed, **dataclasses.asdict(sizes)}
    result: dict = {
        "environment": _environment(),
        "settings": settings,
        "cases": [],
        "memory": [],
        "releases": [],
        "interrupted": False,
    }
    _write(stream, header(result["environment"], settings))
    progress = Progress("bench")
    try:
        _run_cases(result, sizes, seed, peers() if methods is None else methods, stream, progress)
    except KeyboardInterrupt:
        result["interrupted"] = True
    finally:
        progress.close()
    if result["interrupted"]:
        _write(stream, "interrupted; the blocks above are complete")
    return result


def _run_cases(
    result: dict, sizes: Sizes, seed: int, methods: list[Method], stream: TextIO | None, progress: Progress
) -> None:
    from ndis_verify.bench import table
    from ndis_verify.bench.cases import builders
    from ndis_verify.bench.measure import measure, memory
    from ndis_verify.bench.releases import measure_releases

    todo = list(builders(sizes, seed, methods))
    for done, (key, build) in enumerate(todo):

        def report(label: str, done: int = done) -> None:
            progress(done, len(todo) + 1, label)

        report(key)
        record = measure(build(), sizes, report)
        result["cases"].append(record)
        progress.close()
        _write(stream, table.case_block(record))
    result["memory"] = memory((max(sizes.dimension // 10, 1), sizes.dimension), np.random.default_rng(seed))
    _write(stream, table.memory_block(result["memory"]))
    progress(len(todo), len(todo) + 1, "releases")
    rng = np.random.default_rng(seed)
    result["releases"] = measure_releases(sizes.released_vector, sizes.released_records, sizes.repetitions, rng)
    progress.close()
    _write(stream, table.releases_block(result["releases"]))


def _write(stream: TextIO | None, text: str) -> None:
    if stream is not None:
        stream.write(text + "\n")
        stream.flush()


def _environment() -> dict:
    from ndis_verify.bench.timing import limits_are_enforced

    return {
        "python": platform.python_version(),
        "processors": os.cpu_count(),
        "libraries": {name: importlib.metadata.version(name) for name in _LIBRARIES},
        "limits_enforced": limits_are_enforced(),
    }
