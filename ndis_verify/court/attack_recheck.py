"""What a search that found nothing rests on: its margin, its domain and its rounds. A sample of it is searched again.

No suspicion was raised, so nothing was put to an oracle or to ball arithmetic: neither is among what it rests on.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ndis_verify.claim import CertificateError, Evidence, Outcome
from ndis_verify.court.attack import AttackRecord, Problem, failure_of, new_search, searched, suspects
from ndis_verify.court.certificate_store import Content
from ndis_verify.court.domain import shown_point

ROUTE = "attack on float64"
_SHARE = 4  # of the quick budget, what the first rounds are searched again with
_LEAST = 64  # unless the quick budget is smaller: a sample is no more work than a quick search
_SLACK = 1e-6  # relative; margins of another processor differ by its last bits


def content_of(record: AttackRecord) -> Content | None:
    """What is kept of a search that found nothing; None of any other."""
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


def searched_again(problem: Problem, content: Content, seed: int, evaluations: Mapping[str, int]) -> Evidence:
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
    count = min(max(_LEAST, evaluations["quick"] // _SHARE), evaluations["quick"], evaluations["full"])
    again = new_search(problem, seed, count)
    searched(again, problem)
    allowed = known.min() - problem.tolerance - _SLACK * abs(known.min())
    if failure_of(again, problem) or suspects(again, problem) or again.elite[0][0] < allowed:
        raise CertificateError("the first rounds of the search find a worse point")
    worst = shown_point(problem.domain.point(unit[int(known.argmin())]))
    if content["worst"] != worst:
        raise CertificateError("its worst point is not among its points")
    detail = (
        f"worst margin {known.min():.3g} at {worst}; seed {seed}; "
        f"computed again: {len(known)} stored points and the first {count} evaluations"
    )
    return Evidence(Outcome.HELD, ROUTE, detail, count=content["evaluations"], counted="evaluations")
