"""A conformance run in numbers: per quantity and per flag, and what is new against a list of known failures."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from ndis_verify.exact_number import InputError
from ndis_verify.reference.conformance.judge import FAILING, OUTCOMES, Judgement
from ndis_verify.reference.conformance.run import Run
from ndis_verify.runs.files import read_regular

ULP_EDGES = (0.5, 1, 4, 64, 2**10, 2**20, 2**40)
ULP_NAMES = ("<=0.5", "<=1", "<=4", "<=64", "<=2^10", "<=2^20", "<=2^40", "more")
MAX_KNOWN_BYTES = 16 * 2**20
MIN_CLIPPED = 3


@dataclass(frozen=True)
class Share:
    """Rows of one quantity or one flag: how many of each outcome, the worst relative error and its row, ulps, median
    seconds.
    """

    name: str
    rows: int
    outcomes: dict[str, int]
    worst_error: float
    worst_row: str
    ulps: tuple[int, ...]
    seconds: float


def shares(run: Run, by: str) -> list[Share]:
    """One `Share` for each quantity (`by` = "quantity") or flag ("flag"), in order of first appearance."""
    names: Callable[[Judgement], Iterable[str]] = (lambda j: (j.quantity,)) if by == "quantity" else (lambda j: j.flags)
    groups: dict[str, list[Judgement]] = {}
    for judgement in run.judgements:
        for name in names(judgement):
            groups.setdefault(name, []).append(judgement)
    return [_share(name, group) for name, group in groups.items()]


def _error(judgement: Judgement) -> float:
    return abs(judgement.relative_error or 0.0)


def _share(name: str, group: list[Judgement]) -> Share:
    counted = Counter(judgement.outcome for judgement in group)
    worst = max((j for j in group if j.relative_error is not None), key=_error, default=None)
    times = sorted(judgement.seconds for judgement in group)
    return Share(
        name,
        len(group),
        {outcome: counted[outcome] for outcome in OUTCOMES if counted[outcome]},
        _error(worst) if worst else 0.0,
        worst.key if worst else "",
        ulp_histogram(group),
        times[len(times) // 2],
    )


def ulp_histogram(group: Iterable[Judgement]) -> tuple[int, ...]:
    """How many answers are within each of `ULP_EDGES` units in the last place, and how many beyond."""
    counts = [0] * (len(ULP_EDGES) + 1)
    for judgement in group:
        if judgement.ulps is not None:
            counts[next((k for k, edge in enumerate(ULP_EDGES) if judgement.ulps <= edge), len(ULP_EDGES))] += 1
    return tuple(counts)


def failures(run: Run) -> list[Judgement]:
    """The judgements that fail a run."""
    return [judgement for judgement in run.judgements if judgement.outcome in FAILING]


@dataclass(frozen=True)
class Clip:
    """Loose answers that are one number where the values differ: something clips them, and says less than it knows."""

    quantity: str
    answer: str
    rows: tuple[str, ...]

    @property
    def key(self) -> str:
        return f"{self.quantity}/clipped"

    @property
    def message(self) -> str:
        some = ", ".join(self.rows[:3]) + ", ..." * (len(self.rows) > 3)
        return f"{len(self.rows)} rows of different values have the same loose answer {self.answer}: {some}"


def clips(run: Run) -> list[Clip]:
    """Every number that is the loose answer to at least `MIN_CLIPPED` rows of one quantity whose values differ."""
    groups: dict[tuple[str, str], list[Judgement]] = {}
    for judgement in run.judgements:
        if judgement.outcome == "loose":
            groups.setdefault((judgement.quantity, judgement.answer or ""), []).append(judgement)
    return [
        Clip(quantity, answer, tuple(j.row for j in group))
        for (quantity, answer), group in groups.items()
        if len({j.relative_error for j in group}) >= MIN_CLIPPED
    ]


def read_known(path: Path | None) -> frozenset[str]:
    """The keys (quantity/row, one to a line, # comments) of a known-failures file. Raises `InputError`."""
    if path is None:
        return frozenset()
    text = read_regular(path, MAX_KNOWN_BYTES, argument="--known-failures", follow=True).decode("utf-8", "replace")
    lines = (line.partition("#")[0].strip() for line in text.splitlines())
    known = frozenset(line for line in lines if line)
    for line in sorted(known):
        if line.count("/") != 1:
            raise InputError("--known-failures", line, "must be a key quantity/row")
    return known


def exit_code(run: Run, known: frozenset[str]) -> int:
    """1 where anything not known fails or is clipped, rows were left out, or no row got a value; else 0."""
    return int(run.left_out > 0 or not answered(run) or bool(_found(run) - known))


def _found(run: Run) -> set[str]:
    """The keys of everything that is wrong."""
    return {judgement.key for judgement in failures(run)} | {clip.key for clip in clips(run)}


def answered(run: Run) -> bool:
    """Whether any valid row got a value: a run of refusals alone has shown nothing."""
    return any(judgement.answer is not None for judgement in run.judgements)


def healed(run: Run, known: frozenset[str]) -> list[str]:
    """Known failures that were asked and do not fail any more."""
    asked = {key for judgement in run.judgements for key in (judgement.key, f"{judgement.quantity}/clipped")}
    return sorted((asked & known) - _found(run))


def finite(value: float) -> str:
    """An error for a person."""
    return "0" if value == 0 else "infinite" if math.isinf(value) else f"{value:.1e}"
