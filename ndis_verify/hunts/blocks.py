"""`python -m ndis_verify.hunts`: hunts through every family of calibrations, by blocks that a stopped
run goes on from.

A block is a family, a number and the seed, and is hunted through as a whole; what is found of it is one line of the
output file. The same command goes on where the file ends. `--markdown FILE` writes the table of
docs/calibration_hunt.md.
"""

from __future__ import annotations

import argparse
import itertools
import zlib
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

from ndis_verify.exact_number import InputError
from ndis_verify.hunts import closed_forms, gaussian_output, least_squares
from ndis_verify.hunts.hunt import Family, HuntRecord, hunt
from ndis_verify.runs.cluster import add_scheduler
from ndis_verify.runs.files import write_atomically
from ndis_verify.runs.identity import identity
from ndis_verify.runs.journal import Journal
from ndis_verify.runs.pool import resumed
from ndis_verify.runs.progress import Progress
from ndis_verify.tables import markdown_table

FAMILIES: dict[str, Family] = {**closed_forms.FAMILIES, **gaussian_output.FAMILIES, **least_squares.FAMILIES}
_DEFAULT = Path("calibration_hunt.jsonl")


class Block(NamedTuple):
    """`points` targets of one family, `certified` of them to be certified; the blocks of a family are
    numbered from 0.
    """

    family: str
    number: int
    points: int
    certified: int
    seed: int

    @property
    def key(self) -> str:
        """What a journal knows it by."""
        return f"{self.family} | {self.number} | {self.points} | {self.certified} | {self.seed}"


def blocks(names: list[str], points: int, certified: int | None, seed: int) -> list[Block]:
    """All blocks of a run, `points` in all by the families' quotas, in an order in which a run that is stopped has seen
    something of each.
    """
    found: list[tuple[float, Block]] = []
    quotas = [FAMILIES[name].quota for name in names]
    for name, total in zip(names, _split(points, quotas)):
        chosen = total if certified is None else min(total, round(certified * total / points))
        count = -(-total // FAMILIES[name].block)
        for k in range(count):
            size, share = (whole * (k + 1) // count - whole * k // count for whole in (total, chosen))
            found.append((k / count, Block(name, k, size, min(share, size), seed)))
    return [block for _, block in sorted(found, key=lambda entry: entry[0])]


def _split(points: int, quotas: list[int]) -> list[int]:
    """`points` in proportion to the quotas, at least one for each."""
    ends = [points * sum(quotas[:k]) // sum(quotas) for k in range(len(quotas) + 1)]
    return [max(high - low, 1) for low, high in itertools.pairwise(ends)]


def hunted(block: Block) -> HuntRecord:
    """What is found of one block."""
    seed = [block.seed, zlib.crc32(block.family.encode()), block.number]
    return hunt(FAMILIES[block.family], block.points, block.certified, seed)


def merged(records: list[HuntRecord], seed: int) -> HuntRecord:
    """The blocks of one family as one record."""
    worst = min(records, key=lambda record: record.least_waste)
    total = {
        name: sum(getattr(record, name) for record in records)
        for name in ("points", "free", "certified", "unsafe", "undecided", "seconds")
    }
    extreme = {
        name: max(getattr(record, name) for record in records) for name in ("largest_waste", "largest_waste_float64")
    }
    return HuntRecord(
        family=worst.family, seed=seed, least_waste=worst.least_waste, worst=worst.worst, **total, **extreme
    )


def run(
    todo: list[Block],
    file: Path,
    jobs: int,
    progress: Callable[[int, int, str], None] = lambda done, count, key: None,
    scheduler: str | None = None,
) -> list[HuntRecord]:
    """One record for each family; finished blocks are in `file` as they come, and are not hunted through again."""
    with _journal(file, todo) as journal:
        by_key = {block.key: block for block in todo}
        found = dict(resumed(journal, _hunted, by_key, jobs, scheduler=scheduler, progress=progress))
    return _by_family(found, todo)


def _hunted(block: Block) -> dict[str, Any]:
    return asdict(hunted(block))


def _journal(file: Path, todo: list[Block]) -> Journal:
    """The blocks of `todo` in a file of this version; a file of another version is an error."""
    wanted = {block.key: block for block in todo}

    def read(key: str, content: dict[str, Any]) -> HuntRecord:
        record = HuntRecord(**content)
        numbers = [value for name, value in content.items() if name not in ("family", "seed", "worst")]
        if not all(isinstance(value, (int, float)) for value in [*numbers, *record.worst.values()]):
            raise ValueError("no record of a block")
        if key in wanted and (record.family, record.points) != (wanted[key].family, wanted[key].points):
            raise ValueError("the record of another block")
        return record

    return Journal(file, identity("hunt"), "finished blocks", read, kept=True)


def _by_family(found: dict[str, HuntRecord], todo: list[Block]) -> list[HuntRecord]:
    names = dict.fromkeys(block.family for block in todo)
    done = [block for block in sorted(todo) if block.key in found]
    records = [[found[block.key] for block in done if block.family == name] for name in names]
    return [merged(of_one, todo[0].seed) for of_one in records if of_one]


def markdown(records: list[HuntRecord], command: str, stopped: str = "") -> str:
    """The table, and the target at which least was to spare; `stopped` says where the command was."""
    counted = ("points", "free", "certified", "unsafe", "undecided")
    wastes = ("least_waste", "largest_waste", "largest_waste_float64")
    head = ["family", "targets", "without noise", "certified", "above the target", "undecided", "least waste"]
    head += ["largest waste", "largest, float64, all targets"]
    rows = [
        [r.family, *(getattr(r, name) for name in counted), *(f"{getattr(r, name):.3g}" for name in wastes)]
        for r in records
    ]
    totals = [sum(getattr(r, name) for r in records) for name in counted]
    rows.append(["all", *totals, f"{min(r.least_waste for r in records):.3g}", "", ""])
    lines = [
        "# A hunt for calibrations that return too little noise",
        "",
        f"Written by `{command}`{stopped}.",
        "",
        (
            "Targets are drawn at random, epsilon from 1e-6 to 100 and delta from 1e-30 to 0.4, log-uniform like all"
            " other parameters (the families'"
        ),
        (
            "`draw` in `ndis_verify/claims`). Every target is calibrated, and its delta at the returned noise computed"
            " in float64; of those that are"
        ),
        (
            "certified, delta is enclosed in ball arithmetic at exactly the number returned, for least squares and"
            " rank-one pairs also at other"
        ),
        (
            "records and in both directions. The waste is (target - delta)/target; the largest ones leave out targets"
            " that need no noise at all."
        ),
        "",
        markdown_table(head, rows, right=range(1, len(head))),
        "",
        f"Seed {records[0].seed}.",
        "",
    ]
    lines += ["The targets with the least waste:", ""]
    for record in records:
        lines.append(f"- {record.family}: " + ", ".join(f"{name} = {value!r}" for name, value in record.worst.items()))
    return "\n".join(lines) + "\n"


def main(arguments: list[str] | None = None) -> int:
    """Exit code 1 where a calibration was unsafe, 130 where the run was interrupted."""
    parser = argparse.ArgumentParser(prog="python -m ndis_verify.hunts", description=__doc__.splitlines()[0])
    parser.add_argument(
        "--points", type=int, default=100_000, help="targets, of all families together (default: 100000)"
    )
    parser.add_argument(
        "--certified",
        type=int,
        help="how many of them to certify, a fifth those of least waste in float64 (default: all)",
    )
    parser.add_argument(
        "--family",
        action="append",
        metavar="NAME",
        help=f"one of: {', '.join(FAMILIES)}; may be given again (default: all)",
    )
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    add_scheduler(parser)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--output",
        type=Path,
        default=_DEFAULT,
        help=f"finished blocks, one JSON line each; taken up again (default: {_DEFAULT})",
    )
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="the table as a document")
    given = parser.parse_args(arguments)
    names = given.family or list(FAMILIES)
    if unknown := [name for name in names if name not in FAMILIES]:
        parser.error(f"no family {unknown[0]!r}; there are: {', '.join(FAMILIES)}")
    if given.points < 1 or given.jobs < 1 or (given.certified is not None and given.certified < 0):
        parser.error("--points and --jobs must be at least 1, --certified at least 0")
    todo = blocks(names, given.points, given.certified, given.seed)
    progress = Progress("hunt")
    try:
        records = run(todo, given.output, given.jobs, progress, given.scheduler)
    except (InputError, ChildProcessError) as error:  # a lost cluster is no unsafe calibration
        parser.error(str(error))
    except KeyboardInterrupt:
        with _journal(given.output, todo) as journal:
            done = [block for block in todo if block.key in journal.done]
        _report(given, _by_family(journal.done, todo), f", stopped after {len(done)} of its {len(todo)} blocks")
        return 130
    finally:
        progress.close()
    for record in records:
        print(record.line())
    _report(given, records)
    return 1 if any(record.unsafe for record in records) else 0


def _report(given: argparse.Namespace, records: list[HuntRecord], stopped: str = "") -> None:
    if given.markdown and records:
        options = "".join(
            f" --{name} {value}" for name, value in (("certified", given.certified), ("seed", given.seed)) if value
        )
        options += "".join(f' --family "{name}"' for name in given.family or [])
        command = f"python -m ndis_verify.hunts --points {given.points}{options}"
        write_atomically(given.markdown, markdown(records, command, stopped))
