"""What is kept of a long attack that found nothing, and how a sample of it is searched again."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ndis_verify.claim import Evidence, Outcome
from ndis_verify.court.attack import AttackRecord, Problem, attack_problem
from ndis_verify.court.certificate_store import CertificateError, Content, StoredCheck, file_name
from ndis_verify.court.domain import shown_point
from ndis_verify.court.source_closure import defining_modules
from ndis_verify.court.source_names import PACKAGE

ROUTE = "attack on float64"
_SHARE = 4  # of the quick budget, what the first rounds are searched again with
_LEAST = 64
_SLACK = 1e-6  # relative; margins of another processor differ by its last bits


def stored_attack(
    owner: str,
    problem: Problem,
    seed: int,
    evaluations: Mapping[str, int],
    compute: Callable[[str], tuple[Evidence, AttackRecord]],
) -> StoredCheck | None:
    """The attack as a check that can be kept; None for a margin that is not written in this package."""
    functions = (
        problem.margin,
        problem.branches,
        problem.confirm,
        problem.certify,
        problem.domain.constraints,
        problem.domain.hypotheses,
    )
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
    }
    if (stated := getattr(problem.margin, "stated", None)) is not None:  # data, which no hash of sources sees
        parameters["statement"] = stated()

    def computed(effort: str) -> tuple[Evidence, Content | None]:
        evidence, record = compute(effort)
        return evidence, _content(record)

    def recheck(content: Content) -> Evidence:
        return _searched_again(problem, content, seed, evaluations)

    return StoredCheck(file_name(owner, problem.name), parameters, inside | {__name__}, computed, recheck)


def _content(record: AttackRecord) -> Content | None:
    if record.finding != "nothing" or not all(np.isfinite(m) for m, _ in record.dangerous):
        return None
    return {
        "finding": record.finding,
        "evaluations": record.evaluations,
        "rounds": record.rounds,
        "crossings": record.crossings,
        "seconds": round(record.seconds, 2),
        "worst": shown_point(record.point),
        "dangerous": [{"margin": margin, "unit": list(unit)} for margin, unit in record.dangerous],
    }


def _searched_again(problem: Problem, content: Content, seed: int, evaluations: Mapping[str, int]) -> Evidence:
    """The stored points evaluated anew, and the first rounds of the same search, which cannot find worse than
    it did.
    """
    if content["finding"] != "nothing" or content["evaluations"] != evaluations["full"]:
        raise CertificateError("it does not record the whole search")
    unit = np.array([entry["unit"] for entry in content["dangerous"]], dtype=float)
    known = np.array([entry["margin"] for entry in content["dangerous"]], dtype=float)
    if unit.ndim != 2 or unit.shape[1] != problem.domain.size or not ((unit >= 0) & (unit <= 1)).all():
        raise CertificateError("its points are not of the domain")
    columns = problem.domain.columns(unit)
    found = np.broadcast_to(problem.margins(columns), known.shape)
    slack = problem.tolerance + _SLACK * np.maximum(np.abs(found), np.abs(known))
    if not problem.domain.feasible(columns).all() or not (np.abs(found - known) <= slack).all():
        raise CertificateError("a margin at one of its points is another one")
    if known.min() < -problem.tolerance:
        raise CertificateError("a margin is below the tolerance")
    count = min(max(_LEAST, evaluations["quick"] // _SHARE), evaluations["full"])
    again = attack_problem(problem, seed, count)
    if again.finding != "nothing" or again.margin < known.min() - problem.tolerance - _SLACK * abs(known.min()):
        raise CertificateError("the first rounds of the search find a worse point")
    worst = problem.domain.point(unit[int(known.argmin())])
    detail = (
        f"worst margin {known.min():.3g} at {shown_point(worst)}; seed {seed}; "
        f"computed again: {len(known)} stored points and the first {count} evaluations"
    )
    return Evidence(Outcome.HELD, ROUTE, detail, count=content["evaluations"], counted="evaluations")


def _predicates(conditions: Any) -> list[Any]:
    return [getattr(condition, "holds", condition) for condition in conditions]
