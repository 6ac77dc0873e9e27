"""The ledger: every claim that the package has a record of, in the order of the sources."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache

from ndis_verify.claim import Check, Claim
from ndis_verify.claims.attack_index import attacks_by_id, with_attacks
from ndis_verify.claims.rests_on import RESTS_ON
from ndis_verify.court.attack_checks import owned
from ndis_verify.discovery import holding
from ndis_verify.exact_number import InputError

SOURCES = {
    "N26": "NDIS and its application to privacy-preserving machine learning (arXiv 2309.01243v4)",
    "N24": "NDIS and its application to privacy-preserving machine learning, earlier version (arXiv 2309.01243)",
    "BW": "Balle and Wang, the analytic Gaussian mechanism (arXiv 1805.06530)",
    "SL": "lecture slides on the Gaussian noise mechanism",
    "KM": "Koskela and Mohammadi, auditing by density estimation (arXiv 2406.04827)",
    "DATA": "statements of this package about real records",
    "PKG": "statements of this package about its own mechanisms",
    "OWN": "claims of your own",
}
LOST_DISPLAYS = ("N26", "BW", "N24")  # sources of whose formulas only the words around them can be read


def _in_order(claim: Claim) -> tuple[int, list[tuple[int, str]]]:
    """By source, then by id with numbers as numbers."""
    parts = re.findall(r"\d+|\D+", claim.id)
    return list(SOURCES).index(claim.source), [(int(part), "") if part.isdigit() else (-1, part) for part in parts]


@cache
def all_claims() -> tuple[Claim, ...]:
    """Every record; ids are unique."""
    stated = [claim for module in holding("ndis_verify.claims", "CLAIMS") for claim in module.CLAIMS]
    attacks = attacks_by_id()
    claims = [_record(claim, attacks) for claim in stated]
    ids = [claim.id for claim in claims]
    doubled = sorted({i for i in ids if ids.count(i) > 1})
    if doubled:
        raise ValueError(f"claims with two records: {', '.join(doubled)}")
    return tuple(sorted(claims, key=_in_order))


def find(claim_id: str) -> Claim:
    """The record with that id, in capitals or not; InputError with the nearest ids where there is none.

    Only the files that name the id are loaded, where it is written as in the ledger.
    """
    return _stated(claim_id) or _near(claim_id)


@cache
def _stated(claim_id: str) -> Claim | None:
    found = [
        claim
        for module in holding("ndis_verify.claims", "CLAIMS", text=f'"{claim_id}"')
        for claim in module.CLAIMS
        if claim.id == claim_id
    ]
    return _record(found[0], attacks_by_id(claim_id)) if len(found) == 1 else None


def _near(claim_id: str) -> Claim:
    by_id = {claim.id.lower(): claim for claim in all_claims()}
    if claim_id.lower() not in by_id:
        import difflib

        near = [by_id[i].id for i in difflib.get_close_matches(claim_id.lower(), by_id, n=3)]
        hint = f"; did you mean {', '.join(near)}?" if near else "; `ndis-verify claims` lists them"
        raise InputError("ID", claim_id, "is not in the ledger" + hint)
    return by_id[claim_id.lower()]


_records: dict[str, Claim] = {}  # one record an id, whichever way it is asked for


def _record(claim: Claim, attacks: dict[str, tuple[Check, ...]]) -> Claim:
    if claim.id not in _records:
        full = replace(with_attacks(claim, attacks), rests_on=RESTS_ON.get(claim.id, ()))
        _records[claim.id] = owned(full)
    return _records[claim.id]


def record(claim_id: str) -> Claim | None:
    """The record with exactly that id, or None."""
    return _stated(claim_id)


def missing(ids: list[str]) -> list[str]:
    """Those of `ids` that have no record, in the order given."""
    known = {claim.id for claim in all_claims()}
    return [i for i in ids if i not in known]
