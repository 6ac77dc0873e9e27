"""The attacks on every claim, which stand beside it, and why the remaining claims have none.

In the folder of a subject, `ATTACKS` maps the id of a claim to one check or several: the ledger adds them to the claim,
in the first part of the statement that stands, so that `verify` runs them and `ndis-verify attack ID` searches them.
`PRINTED` has the problems of statements that fail as printed, and `NO_MARGIN` the reasons of claims without a margin.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from ndis_verify.claim import Check, Claim, Kind, Verdict
from ndis_verify.court.attack import Problem
from ndis_verify.court.attack_checks import PointRun
from ndis_verify.court.margins import around
from ndis_verify.discovery import holding
from ndis_verify.exact_number import InputError


def entries(name: str, claim_id: str = "") -> Iterator[tuple[str, Any]]:
    """(id, value) of every `ATTACKS`, `PRINTED` or `NO_MARGIN`; with an id, of the files alone that name it."""
    for module in holding("ndis_verify.claims", name, text=f'"{claim_id}"' if claim_id else ""):
        yield from getattr(module, name).items()


def attacks_by_id(claim_id: str = "") -> dict[str, tuple[Check, ...]]:
    """Every attack, or those on one claim; an id stands in one file only."""
    found: dict[str, tuple[Check, ...]] = {}
    for key, checks in entries("ATTACKS", claim_id):
        if key in found:
            raise ValueError(f"attacks on {key} in two files")
        found[key] = checks if isinstance(checks, tuple) else (checks,)
    return found


def with_attacks(claim: Claim, attacks: dict[str, tuple[Check, ...]]) -> Claim:
    """The claim with the attacks on it, as evidence for the first part that no counterexample breaks."""
    if claim.id not in attacks:
        return claim
    broken = {check.part for check in claim.checks if check.kind is Kind.COUNTEREXAMPLE}
    part = next(check.part for check in claim.checks if check.part not in broken)
    return replace(claim, checks=(*claim.checks, *(replace(check, part=part) for check in attacks[claim.id])))


def problems_of(claim: Claim) -> list[Problem]:
    """What can be searched in a claim: the problems behind its checks, and the neighbourhood of its counterexamples.

    Raises `InputError` with the claim's own reason where there is nothing to search.
    """
    runs = [check.run for check in claim.checks]
    problems = [problem for run in runs if (problem := getattr(run, "problem", None)) is not None]
    printed = dict(entries("PRINTED", claim.id))
    if claim.id in printed:
        problems.append(printed[claim.id])
    elif any(check.kind is Kind.COUNTEREXAMPLE for check in claim.checks) and not _searches_violation(claim):
        problems += [around(claim.id, run) for run in runs if isinstance(run, PointRun) and run.point][:1]
    if not problems:
        raise InputError("ID", claim.id, reason(claim))
    return problems


def reason(claim: Claim) -> str:
    """Why a claim has no margin to attack, in one line."""
    if claim.declared is Verdict.OPEN:
        return f"is open: {claim.reason}"
    reasons = dict(entries("NO_MARGIN", claim.id))
    if claim.id in reasons:
        return f"has no margin to attack: {reasons[claim.id]}"
    how = ", ".join(sorted({check.kind.value for check in claim.checks}))
    return f"has no margin to attack: its checks ({how}) decide it without free parameters to search"


def _searches_violation(claim: Claim) -> bool:
    return any(
        check.kind is Kind.COUNTEREXAMPLE and getattr(check.run, "problem", None) is not None for check in claim.checks
    )
