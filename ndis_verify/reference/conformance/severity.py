"""How bad the failures of a conformance run are, which bug they speak of, and what is new against an earlier run."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from ndis_verify.exact_number import InputError
from ndis_verify.reference.conformance.judge import FAILING, OUTCOMES, Judgement
from ndis_verify.reference.conformance.run import Run
from ndis_verify.reference.flags import FLAGS
from ndis_verify.runs.files import read_regular

SEVERITIES = {  # the worst first
    "no answer": "the process died, hung, or gave no finite number",
    "wrong": "a relative error above 1e-3: no use can be made of the number",
    "not refused": "a number for an input that has to be refused",
    "few digits": "a relative error between 1e-9 and 1e-3",
    "last digits": "a relative error up to 1e-9, on the side that is not safe",
}
_WRONG, _FEW = 1e-3, 1e-9
_NAMED, _CLEARLY = 3, 0.2
_MAX_BYTES = 256 * 2**20


def severity(judgement: Judgement) -> str:
    """One of `SEVERITIES`, "" for what does not fail."""
    if judgement.outcome not in FAILING:
        return ""
    if judgement.outcome != "unsafe":
        return "no answer"
    if judgement.relative_error is None:
        return "not refused"
    error = abs(judgement.relative_error)
    return "wrong" if error > _WRONG else "few digits" if error > _FEW else "last digits"


@dataclass(frozen=True)
class Suspicion:
    """A bug that a flag stands for: how many of its rows fail in one quantity, of how many, and elsewhere there."""

    quantity: str
    flag: str
    failed: int
    rows: int
    elsewhere: float

    @property
    def bug(self) -> str:
        return FLAGS[self.flag].bug


def suspicions(run: Run) -> list[Suspicion]:
    """For each quantity that fails, up to `_NAMED` flags whose rows fail clearly more often than its others do; what
    has to be refused and is not has a severity of its own.
    """
    found = []
    for quantity in dict.fromkeys(j.quantity for j in run.judgements if j.outcome in FAILING):
        group = [j for j in run.judgements if j.quantity == quantity]
        rows = Counter(f for j in group for f in j.flags)
        bad = Counter(f for j in group if j.outcome in FAILING for f in j.flags)
        failed = sum(j.outcome in FAILING for j in group)
        shares = [
            Suspicion(quantity, flag, bad[flag], rows[flag], _share(failed - bad[flag], len(group) - rows[flag]))
            for flag in bad
            if flag in FLAGS and flag != "refusal"
        ]
        shares.sort(key=lambda s: (s.elsewhere - s.failed / s.rows, -s.failed))
        found += [s for s in shares if s.failed / s.rows > s.elsewhere + _CLEARLY][:_NAMED]
    return found


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


def likely_flag(judgement: Judgement, run_suspicions: Iterable[Suspicion]) -> str:
    """The flag of a failing row that its quantity is suspected of, else its first known one."""
    suspected = [s.flag for s in run_suspicions if s.quantity == judgement.quantity and s.flag in judgement.flags]
    return next((flag for flag in (*suspected, *judgement.flags) if flag in FLAGS), "")


@dataclass(frozen=True)
class Changes:
    """Rows by key, against an earlier run: those that fail newly, that do not fail any more, that only one run has."""

    worse: tuple[str, ...]
    better: tuple[str, ...]
    added: int
    gone: int


def read_earlier(path: Path | None) -> dict[str, str] | None:
    """The outcome of every row of an earlier run, from its conformance.json. Raises `InputError`."""
    if path is None:
        return None
    text = read_regular(path, _MAX_BYTES, argument="--against", follow=True)
    try:
        rows = json.loads(text)["judgements"]
        earlier = {f"{row['quantity']}/{row['row']}": row["outcome"] for row in rows}
    except (ValueError, KeyError, TypeError, RecursionError):
        raise InputError("--against", str(path), "must be the conformance.json of an earlier run") from None
    if not all(outcome in OUTCOMES for outcome in earlier.values()):
        raise InputError("--against", str(path), f"must have outcomes among {', '.join(OUTCOMES)}")
    return earlier


def changes(run: Run, earlier: Mapping[str, str]) -> Changes:
    """What a run has that an earlier one had not."""
    now = {j.key: j.outcome for j in run.judgements}
    both = [key for key in now if key in earlier]
    return Changes(
        tuple(key for key in both if now[key] in FAILING and earlier[key] not in FAILING),
        tuple(key for key in both if now[key] not in FAILING and earlier[key] in FAILING),
        len(now.keys() - earlier.keys()),
        len(earlier.keys() - now.keys()),
    )
