"""What is kept of a long attack that found nothing, and how a sample of it is searched again."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ndis_verify.claim import Evidence
from ndis_verify.court import attack_recheck
from ndis_verify.court.attack import AttackRecord, Problem
from ndis_verify.court.certificate_store import Content, StoredCheck, file_name
from ndis_verify.court.domain import shown_point
from ndis_verify.court.source_closure import defining_modules
from ndis_verify.court.source_names import PACKAGE
from ndis_verify.statements.json_form import to_json


def stored_attack(
    owner: str,
    problem: Problem,
    seed: int,
    evaluations: Mapping[str, int],
    compute: Callable[[str], tuple[Evidence, AttackRecord]],
) -> StoredCheck | None:
    """The attack as a check that can be kept; None for a margin that is not written in this package."""
    functions = (problem.margin, problem.branches, problem.domain.constraints, problem.domain.hypotheses)
    modules = defining_modules([f if callable(f) else _predicates(f) for f in functions if f])
    inside = frozenset(m for m in modules if m.split(".")[0] == PACKAGE)
    if not defining_modules(problem.margin) & inside or "__main__" in modules:
        return None
    parameters = {
        "domain": list(problem.domain.lines()),
        "tolerance": problem.tolerance,
        "starts": [shown_point(start) for start in problem.starts],
        "seed": seed,
        "evaluations": evaluations["full"],
        "vectorised": problem.vectorised,
    }
    if (statement := getattr(problem.margin, "statement", None)) is not None:  # data, which no hash of sources sees
        parameters["statement"] = to_json(statement)

    def computed(effort: str) -> tuple[Evidence, Content | None]:
        evidence, record = compute(effort)
        return evidence, attack_recheck.content_of(record)

    def recheck(content: Content) -> Evidence:
        return attack_recheck.searched_again(problem, content, seed, evaluations)

    rests_on = inside | {attack_recheck.__name__}
    return StoredCheck(file_name(owner, problem.name), parameters, rests_on, computed, recheck)


def _predicates(conditions: Any) -> list[Any]:
    return [getattr(condition, "holds", condition) for condition in conditions]
