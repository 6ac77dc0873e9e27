"""A statement decided in ball arithmetic at random exact points of its domain: for inequalities, whose sides agree to
nothing.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from ndis_verify.claim import Check, Claim, Evidence, Kind, Outcome
from ndis_verify.court.domain import shown_point
from ndis_verify.court.statement_balls import decide
from ndis_verify.court.statement_checks import ROUTE, PointsRun
from ndis_verify.court.statement_domains import random_points
from ndis_verify.statements.mutation import planted
from ndis_verify.statements.statement import Statement


def statement_decided(statement: Statement, part: str = "statement") -> Check:
    """All relations certainly hold at random exact points of the domain (kind crosscheck); turned round, none may."""
    faults = {fault: DecidedRun(other, statement, 0) for fault, other in planted(statement).items()}
    return Check("decided in ball arithmetic", Kind.CROSSCHECK, DecidedRun(statement, statement, 0), faults, part)


@dataclass(frozen=True)
class DecidedRun(PointsRun):
    """`run(effort)`: the statement is decided at every point that counts, and held; `digits` is not asked of it.

    Points where balls stay undecided, as both sides are equal there or a tail lies too deep, are passed over and
    counted; where they are all, so is the check.
    """

    def __call__(self, effort: str) -> Evidence:
        count = 4 if effort == "quick" else 24
        least, done, open_ = math.inf, 0, 0
        for point in random_points(self.domain, 8 * count):
            found = decide(self.statement, point)
            if found.outcome == "violated":
                return Evidence(Outcome.FAILED, ROUTE, f"fails at {shown_point(point)}: {found.detail}", count=done)
            if found.outcome == "undecided" or found.margin is None:
                open_ += 1
                continue
            least, done = min(least, float(found.margin.lower)), done + 1
            if done == count:
                break
        if not done:
            return Evidence(Outcome.UNDECIDED, ROUTE, "no point of the domain is decided", count=0)
        passed = f", {open_} more left undecided" if open_ else ""
        return Evidence(Outcome.HELD, ROUTE, f"least margin {least:.2g}{passed}", None, done)


def decided(claims: tuple[Claim, ...], *ids: str) -> tuple[Claim, ...]:
    """`claims`, those of `ids` with one check more: that what they state is decided in ball arithmetic."""
    found = {claim.id: claim.stated for claim in claims if claim.id in ids and claim.stated is not None}
    assert found.keys() == set(ids), ids
    return tuple(
        replace(claim, checks=(*claim.checks, statement_decided(found[claim.id]))) if claim.id in found else claim
        for claim in claims
    )
