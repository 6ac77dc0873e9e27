"""Checks that are proofs: the steps of a derivation are decided, and hang together."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ndis_verify.claim import Check, Evidence, Kind, Outcome
from ndis_verify.court.checks import Mutants
from ndis_verify.court.comparisons import always
from ndis_verify.court.proof_paths import lemmas
from ndis_verify.court.proof_structure import loose_ends, problems
from ndis_verify.court.proofs_of_a_run import is_told
from ndis_verify.symbolic.derivation import DECIDED, Derivation, Step


def proof(name: str, derive: Callable[[], Derivation], part: str = "statement") -> Check:
    """The derivation's decided steps all hold; its named faults are the mutants."""
    return Check(
        name,
        Kind.PROOF,
        ProofRun(derive),
        Mutants(lambda: {fault: ProofRun(always(mutant)) for fault, mutant in derive().mutants().items()}),
        part,
    )


@dataclass(frozen=True)
class ProofRun:
    """`run(effort)` of `proof`: the steps are decided, and hang together where that is declared."""

    derive: Callable[[], Derivation]

    def __call__(self, effort: str) -> Evidence:
        return _verified(self.derive())


def _verified(derivation: Derivation) -> Evidence:
    """Names first, then the steps, which end a planted fault, then how the steps use their premises."""
    proofs = [derivation, *lemmas(derivation).values()]
    if loose := [text for one in proofs for text in loose_ends(one)]:
        return Evidence(Outcome.FAILED, "symbolic", f"{derivation.id}: {loose[0]}", count=0, counted="steps")
    told = [one for one in proofs if is_told(one)]
    for one in told:
        one.mark_decided()
    decided: list[tuple[Step, bool | None]] = []
    for owner, step in ((one, step) for one in proofs for step in one.steps if step.kind in DECIDED):
        decided.append((step, owner.holds(step)))
        if decided[-1][1] is False:
            return Evidence(
                Outcome.FAILED,
                "symbolic",
                f"step {step.name!r} of {derivation.id} is false",
                count=len(decided),
                counted="steps",
            )
    if loose := [text for one in proofs if one not in told for text in problems(one)]:
        return Evidence(Outcome.FAILED, "symbolic", f"{derivation.id}: {loose[0]}", count=0, counted="steps")
    unknown = [step.name for step, holds in decided if holds is None]
    if unknown or not decided:
        return Evidence(Outcome.UNDECIDED, "symbolic", f"steps {unknown} of {derivation.id} were not decided")
    facts = [step.name for one in proofs for step in one.arguments]
    detail = f"derivation {derivation.id}" + (f"; argued in words: {', '.join(facts)}" if facts else "")
    detail += "".join(f"; part: {one.part}" for one in derivation.concludes if one.part)
    return Evidence(Outcome.HELD, "symbolic", detail, count=len(decided), counted="steps", argued=len(facts))
