"""One fault before the court: what `verify` would say of the claim, its untouched checks heard once."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from ndis_verify.claim import Check, Claim
from ndis_verify.claims.ledger import find
from ndis_verify.court.hearing import Heard, Hearing
from ndis_verify.court.judge import heard, judged
from tools.fault_study.faults import Fault

CAUGHT, SHOWN, MISSED, HARMLESS = "caught", "shown", "not caught", "harmless"


@dataclass
class Court:
    """Hears claims; a check that is the same object as one before is not heard again."""

    known: dict[int, tuple[Check, Heard]] = field(default_factory=dict)

    def hearing(self, claim: Claim) -> Hearing:
        """The evidence of every check of the claim."""
        found = []
        for check in claim.checks:
            if id(check) not in self.known:
                (one,) = heard(replace(claim, checks=(check,)), "quick").checks
                self.known[id(check)] = check, one
            found.append(self.known[id(check)][1])
        return Hearing(tuple(found), 0.0)

    def trial(self, fault: Fault) -> tuple[str, str]:
        """(caught, shown in the verdict as it is printed, or not caught; what the court says first)."""
        claim = fault.planted()
        judgement = judged(claim, self.hearing(claim))
        if judgement.agrees:
            sound = find(fault.claim_id)
            before = judged(sound, self.hearing(sound)).in_words
            if before != judgement.in_words:
                return SHOWN, f"{judgement.in_words}, {before} without the fault"
            return MISSED, judgement.in_words
        reason = judgement.failures[0] if judgement.failures else f"declared {judgement.declared}, {judgement.in_words}"
        return CAUGHT, reason
