"""Certificates made anew where they are missing, damaged or of other sources; those that no check asks for
are removed.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from ndis_verify.claim import Check, Outcome
from ndis_verify.claims.ledger import all_claims, find
from ndis_verify.court.certificate_store import StoredCheck, is_current, writing
from ndis_verify.runs.pool import unordered

Task = tuple[str, int]  # claim, number of its check


def kept_checks() -> dict[Task, StoredCheck]:
    """Every check of the ledger whose full evidence can be kept."""
    found: dict[Task, StoredCheck] = {}
    for claim in all_claims():
        for k, check in enumerate(claim.checks):
            if (kept := _kept(check)) is not None:
                found[claim.id, k] = kept
    return found


def renew(folder: Path, jobs: int, progress: Callable[[int, int, str], None]) -> list[str]:
    """Computes at full effort what `folder` has no current certificate of; the lines of those that did not hold."""
    kept = kept_checks()
    for path in folder.glob("*.json"):
        if path.stem not in {check.name for check in kept.values()}:
            path.unlink()
    tasks = [task for task, check in kept.items() if not is_current(check, folder)]
    progress(0, len(tasks), "")
    failed: list[str] = []
    for count, (task, (held, line)) in enumerate(unordered(partial(_renew_one, folder=folder), tasks, jobs), 1):
        progress(count, len(tasks), task[0])
        if not held:
            failed.append(line)
    return failed


def _renew_one(task: Task, folder: Path) -> tuple[bool, str]:
    claim, number = task
    with writing(folder):
        evidence = find(claim).checks[number].run("full")
    return evidence.outcome is Outcome.HELD, f"{claim}: {evidence.line()}"


def _kept(check: Check) -> StoredCheck | None:
    stored_check = getattr(check.run, "stored_check", None)
    return None if stored_check is None else stored_check()
