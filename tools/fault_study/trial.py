"""One fault before the court: what `verify` would say of the claim, its untouched checks heard once."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from ndis_verify.claim import Check, Claim, decide
from ndis_verify.court.hearing import Heard, Hearing
from ndis_verify.court.judge import heard, judged
from ndis_verify.court.seal import REMEDY
from tools.fault_study.faults import Fault

CAUGHT, SEALED, MISSED, HARMLESS = "caught", "by the seal alone", "not caught", "harmless"


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
        """(caught by what is decided or compared, by the seal alone, or not at all; what the court says first)."""
        claim = fault.planted()
        judgement = judged(claim, self.hearing(claim))
        if judgement.agrees:
            return MISSED, judgement.in_words
        told = [text for text in judgement.failures if REMEDY not in text]
        if told or not judgement.failures:
            return CAUGHT, told[0] if told else f"declared {judgement.declared}, {judgement.in_words}"
        evidence = [(check, one.evidence) for check, one in zip(claim.checks, self.hearing(claim).checks, strict=True)]
        verdict = decide(evidence)
        if verdict is not claim.declared:
            return CAUGHT, f"declared {judgement.declared}, {verdict and verdict.value}"
        return SEALED, "; ".join(judgement.failures)
