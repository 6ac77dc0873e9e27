"""What was heard of a claim: the evidence of each check and of each fault planted in it, as records and as JSON."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ndis_verify.claim import Claim, Evidence, Outcome


@dataclass(frozen=True)
class Heard:
    """The evidence of one check, and of each fault planted in it."""

    check: str
    evidence: Evidence
    faults: Mapping[str, Evidence]


@dataclass(frozen=True)
class Hearing:
    """All the evidence of a claim, check by check: what a journal keeps. `judged` decides, from the ledger."""

    checks: tuple[Heard, ...]
    seconds: float

    def as_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        checks = [[one.check, _plain(one.evidence), each(_plain, one.faults)] for one in self.checks]
        return {"checks": checks, "seconds": self.seconds}

    @classmethod
    def from_dict(cls, claim: Claim, data: Mapping[str, Any]) -> Hearing:
        """The inverse of `as_dict`. ValueError, TypeError or KeyError where it is no hearing of the claim's checks.

        Faults are not compared: many are derived when they are looked at, which takes as long as the hearing.
        """
        found = tuple(Heard(name, _evidence(entry), each(_evidence, faults)) for name, entry, faults in data["checks"])
        if [one.check for one in found] != [check.name for check in claim.checks]:
            raise ValueError(f"no hearing of {claim.id}")
        return cls(found, float(data["seconds"]))


def each(function: Callable[[Any], Any], named: Mapping[str, Any]) -> dict[str, Any]:
    """The function of every value, by name."""
    return {name: function(value) for name, value in named.items()}


def _plain(evidence: Evidence) -> dict[str, Any]:
    """JSON data; numbers may be numpy's."""
    numbers = {
        "digits": evidence.digits if evidence.digits is None else float(evidence.digits),
        "count": evidence.count if evidence.count is None else int(evidence.count),
    }
    return {**vars(evidence), "outcome": evidence.outcome.value, **numbers}


def _evidence(data: Mapping[str, Any]) -> Evidence:
    """The inverse of `_plain`; `line` must be able to print it."""
    found = Evidence(**{**data, "outcome": Outcome(data["outcome"])})
    found.line()
    return found
