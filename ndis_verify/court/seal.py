"""The seal of a claim: what it says, where its checks look and what its proofs are made of, as they were last read.

Much of a claim is compared with something: its object, its proofs, ball arithmetic. What is compared with nothing, a
sentence of a claim that has no object, the range of a search, a step of a proof that is not on a graph, is held to a
digest that is kept beside the certificates. A claim that differs from its seal fails until somebody has read it again
and sealed it (`ndis-verify claims --seal`): a change is seen, whatever it is. That it was right when it was sealed, the
seal does not say.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from ndis_verify.claim import Check, Claim
from ndis_verify.court.attack_checks import AttackRun, PointRun
from ndis_verify.court.certify_checks import BoxRun
from ndis_verify.court.comparisons import Comparison
from ndis_verify.court.domain import shown_point
from ndis_verify.court.proof_checks import ProofRun
from ndis_verify.statements.json_form import to_json
from ndis_verify.symbolic.derivation import Derivation, Step, Use

SEALS = Path(__file__).resolve().parent / "seals.json"
REMEDY = "not as it was sealed (`ndis-verify claims --seal` once it was read again)"
_DIGITS = 16
Seal = Mapping[str, str]


def reach(check: Check) -> dict[str, Any]:
    """Where a check looks, how closely and how long: what a shrunk domain or a loosened tolerance changes."""
    run = check.run
    if isinstance(run, AttackRun):
        problem = run.problem
        return {
            "domain": list(problem.domain.lines()),
            "tolerance": problem.tolerance,
            "evaluations": dict(run.evaluations),
        }
    if isinstance(run, BoxRun):
        return {"domain": [str(side) for side in run.box]}
    if isinstance(run, PointRun):
        return {"point": shown_point(run.point)}
    return {"digits": run.digits} if isinstance(run, Comparison) else {}


def seal(claim: Claim) -> Seal:
    """A digest of each kind of what the claim consists of."""
    texts = [claim.title, claim.statement, claim.formula, claim.hypotheses, claim.counterexample, claim.corrected]
    proofs = {run.id: run for check in claim.checks if isinstance(check.run, ProofRun) for run in [check.run.derive()]}
    parts = {
        "words": [*texts, claim.about, claim.note, claim.reason, claim.declared.value],
        "object": to_json(claim.stated) if claim.stated is not None else None,
        "checks": [[check.name, check.kind.value, check.part, reach(check)] for check in claim.checks],
        "proofs": [_of_derivation(one) for one in proofs.values()],
    }
    return {name: digest(data) for name, data in parts.items()}


def _of_derivation(derivation: Derivation) -> list[Any]:
    ends = [[end.claim, end.step, end.part, *end.granted.items()] for end in derivation.concludes]
    return [derivation.id, derivation.given, [_of_step(step) for step in derivation.steps], ends]


def _of_step(step: Step) -> list[Any]:
    """What a step says it is; whether it is true is decided."""
    premises = [[p.step, "" if p.of is None else p.lemma.id] if isinstance(p, Use) else p for p in step.premises]
    return [step.name, step.kind, step.relation, step.why, step.fact, premises, sorted(step.conditions)]


def digest(data: Any) -> str:
    """A short hash of plain data."""
    return hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()[:_DIGITS]


@cache
def kept(path: Path = SEALS) -> Mapping[str, Seal]:
    """The seals by claim, as the file has them."""
    found: Mapping[str, Seal] = json.loads(path.read_text(encoding="utf-8"))
    return found


def unsealed(claim: Claim) -> list[str]:
    """What of a claim differs from its seal; nothing of a claim that has none (claims of one's own, new ones)."""
    known = None if claim.source == "OWN" else kept().get(claim.id)
    return (
        []
        if known is None
        else [f"{name}: {REMEDY}" for name, value in seal(claim).items() if known.get(name) != value]
    )


def sealing(claims: Iterable[Claim]) -> str:
    """The text of the file that seals these claims as they are, a line each."""
    lines = [f"{json.dumps(claim.id)}: {json.dumps(seal(claim))}" for claim in claims]
    return "{\n" + ",\n".join(lines) + "\n}\n"
