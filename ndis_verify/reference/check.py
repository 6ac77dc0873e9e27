"""Check reference tables: intact, up to date with the families, and right when recomputed at a higher precision."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from ndis_verify.reference.compute import DIGITS, SECOND_DIGITS, ask, finished
from ndis_verify.reference.families import all_rows
from ndis_verify.reference.loader import TableError, read_table
from ndis_verify.reference.rows import Draw

_MORE_CERTIFIED, _MORE_ORACLE = 15, 10
_LEAST_DIGITS, _LEAST_SECOND = 10 ** (DIGITS - 1), 10 ** (SECOND_DIGITS - 1)


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong: table, row (empty for the whole table), and what."""

    quantity: str
    row: str
    problem: str


def check(
    folder: Path,
    sample: int | None = 40,
    seed: int = 0,
    progress: Callable[[int, int, str], None] = lambda done, total, label: None,
) -> tuple[int, list[Finding]]:
    """Recompute `sample` rows (None: all) of the tables in `folder`; returns how many, and what is wrong.

    Certified again to 15 more digits, and by the two-route oracle to 10 more: both must lie inside the row's interval,
    whose radius must leave 39 digits; `second` must be the value's first 24 digits. Every table must be intact and hold
    just the rows that `families` ask for.
    """
    findings, rows = [], []
    for quantity, specs in all_rows().items():
        try:
            table = read_table(folder / f"{quantity}.json")["rows"]
        except (OSError, TableError) as error:
            findings.append(Finding(quantity, "", str(error)))
            continue
        findings += _differences(quantity, specs, table)
        rows += [(quantity, row) for row in table]
    if sample is not None and sample < len(rows):
        draw = Draw(f"check/{seed}")
        rows = sorted(rows, key=lambda _: draw.below(2**32))[:sample]
    for number, (quantity, row) in enumerate(rows, 1):
        findings += [Finding(quantity, row["name"], problem) for problem in _recomputed(quantity, row)]
        progress(number, len(rows), f"{quantity}/{row['name']}")
    return len(rows), findings


def _differences(quantity: str, specs: Any, table: list[dict[str, Any]]) -> list[Finding]:
    wanted = {
        spec.name: _facts(finished(spec, {} if spec.refusal is None else {"error": {"argument": spec.refusal}}))
        for spec in specs
    }
    present = {row["name"]: _facts(row) for row in table}
    problems = [(name, "is missing") for name in wanted.keys() - present.keys()]
    problems += [(name, "is not a row of the families") for name in present.keys() - wanted.keys()]
    problems += [
        (name, "differs from its family") for name in wanted.keys() & present.keys() if wanted[name] != present[name]
    ]
    problems += [
        (name, "occurs more than once") for name, count in Counter(row["name"] for row in table).items() if count > 1
    ]
    return [Finding(quantity, *problem) for problem in sorted(problems)]


def _facts(row: dict[str, Any]) -> tuple[Any, ...]:
    """All of a row that its family fixes."""
    return *(row.get(name) for name in ("inputs", "flags", "claim", "group", "position", "core")), row.get(
        "error", {}
    ).get("argument")


def _recomputed(quantity: str, row: dict[str, Any]) -> list[str]:
    request = {"id": 0, "quantity": quantity, "inputs": row["inputs"]}
    if "error" in row:
        answer = ask({**request, "digits": DIGITS}, "certified").get("error", {})
        return [] if answer.get("argument") == row["error"]["argument"] else ["is not refused"]
    problems = []
    value, radius = Fraction(row["value"]), Fraction(row["radius"])
    if radius > abs(value) / _LEAST_DIGITS:
        problems.append(f"the radius {row['radius']} leaves fewer than 39 digits")
    if abs(Fraction(row["second"]) - value) > radius + abs(value) / _LEAST_SECOND:
        problems.append(f"the second route's {row['second']} is not the value")
    for engine, digits in (("certified", DIGITS + _MORE_CERTIFIED), ("oracle", SECOND_DIGITS + _MORE_ORACLE)):
        answer = ask({**request, "digits": digits}, engine)
        if "error" in answer:
            problems.append(f"{engine}: {answer['error']['message']}")
        elif abs(Fraction(answer["value"]) - value) > radius + Fraction(answer["radius"]):
            problems.append(f"{engine} gives {answer['value']} +/- {answer['radius']}")
    return problems
