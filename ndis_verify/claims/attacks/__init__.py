"""Attacks on the universal claims whose topic states none, and why the remaining claims have none.

Every file here has `ATTACKS`: claim id -> one check or several. The ledger adds them to its claims, in the first part
of the statement that stands, so that `verify` runs them and `ndis-verify attack ID` searches them.
"""

from __future__ import annotations

from dataclasses import replace

from ndis_verify.claim import Check, Claim, Kind, Verdict
from ndis_verify.claims.attack import Problem
from ndis_verify.claims.attack_checks import PointRun
from ndis_verify.claims.attacks import (
    auditing,
    closed_forms,
    finite_laws,
    matrices,
    mechanisms,
    projection_forms,
    relative,
    restricted,
    safe_side,
)
from ndis_verify.claims.attacks.builders import around
from ndis_verify.claims.attacks.printed import PRINTED
from ndis_verify.claims.attacks.reasons import NO_MARGIN
from ndis_verify.exact_number import InputError

_FILES = (auditing, closed_forms, finite_laws, matrices, mechanisms, projection_forms, relative, restricted, safe_side)


def attacks_by_id() -> dict[str, tuple[Check, ...]]:
    """Every attack of this folder; an id stands in one file only."""
    found: dict[str, tuple[Check, ...]] = {}
    for file in _FILES:
        for claim_id, checks in file.ATTACKS.items():
            if claim_id in found:
                raise ValueError(f"attacks on {claim_id} in two files")
            found[claim_id] = checks if isinstance(checks, tuple) else (checks,)
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
    if claim.id in PRINTED:
        problems.append(PRINTED[claim.id])
    elif any(check.kind is Kind.COUNTEREXAMPLE for check in claim.checks) and not _searches_violation(claim):
        problems += [around(claim.id, run) for run in runs if isinstance(run, PointRun) and run.point][:1]
    if not problems:
        raise InputError("ID", claim.id, reason(claim))
    return problems


def reason(claim: Claim) -> str:
    """Why a claim has no margin to attack, in one line."""
    if claim.declared is Verdict.OPEN:
        return f"is open: {claim.reason}"
    if claim.id in NO_MARGIN:
        return f"has no margin to attack: {NO_MARGIN[claim.id]}"
    how = ", ".join(sorted({check.kind.value for check in claim.checks}))
    return f"has no margin to attack: its checks ({how}) decide it without free parameters to search"


def _searches_violation(claim: Claim) -> bool:
    return any(
        check.kind is Kind.COUNTEREXAMPLE and getattr(check.run, "problem", None) is not None for check in claim.checks
    )
