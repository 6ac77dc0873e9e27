"""The court: runs the checks of a claim and their mutants, and recomputes the verdict."""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

from ndis_verify.claim import Check, Claim, Evidence, Outcome, Verdict, decide


_CRASHED = "crashed"


@dataclass(frozen=True)
class Judgement:
    """What recomputing one claim gave; plain data, so that it can be written to a journal and read back."""

    id: str
    source: str
    declared: str
    verdict: str | None  # None: a check failed or a mutant survived
    agrees: bool
    undecided: bool
    evidence: tuple[str, ...]
    failures: tuple[str, ...]
    mutants_killed: int
    mutants: int
    seconds: float

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Judgement:
        fields = {name: tuple(v) if isinstance(v, list) else v for name, v in data.items()}
        return cls(**fields)


def judge(claim: Claim, effort: str = "quick") -> Judgement:
    """Run every check of `claim` and every planted fault and recompute its verdict."""
    start = time.perf_counter()
    results: list[tuple[Check, Evidence]] = []
    failures: list[str] = []
    killed = planted = 0
    for check in claim.checks:
        evidence = _run(check.run, effort)
        results.append((check, evidence))
        if evidence.outcome is Outcome.FAILED:
            failures.append(f"{check.name}: {evidence.detail}")
        if not check.mutants:
            failures.append(f"{check.name}: no mutant, so nothing shows that it can fail")
        for fault, run in check.mutants.items():
            planted += 1
            outcome = _run(run, effort)
            if outcome.outcome is Outcome.FAILED and outcome.route != _CRASHED:  # a crash is no judgement
                killed += 1
            else:
                failures.append(f"{check.name}: mutant survived: {fault} ({outcome.line()})")
    verdict = None if failures else decide(results)
    undecided = any(evidence.outcome is Outcome.UNDECIDED for _, evidence in results)
    return Judgement(
        id=claim.id,
        source=claim.source,
        declared=claim.declared.value,
        verdict=verdict.value if verdict else None,
        agrees=verdict is claim.declared,
        undecided=undecided,
        evidence=tuple(f"{check.name} [{check.kind.value}, {check.part}] {evidence.line()}" for check, evidence in results),
        failures=tuple(failures),
        mutants_killed=killed,
        mutants=planted,
        seconds=round(time.perf_counter() - start, 3),
    )


def exit_code(judgements: list[Judgement]) -> int:
    """0 all verdicts as declared, 3 if some could not be decided and nothing else is wrong, else 1."""
    wrong = [j for j in judgements if not j.agrees]
    if not wrong:
        return 0
    only_undecided = all(j.undecided and not j.failures and j.verdict == Verdict.OPEN.value for j in wrong)
    return 3 if only_undecided else 1


def _run(run: Callable[[str], Evidence], effort: str) -> Evidence:
    try:
        return run(effort)
    except Exception as error:  # a check that crashes has not held, and the run must go on to the next claim
        where = traceback.extract_tb(error.__traceback__)[-1]
        return Evidence(Outcome.FAILED, _CRASHED, f"{type(error).__name__}: {error} ({where.name}, line {where.lineno})")
