"""The seals of claims: every claim is as it was sealed, and what nothing else compares is told."""

import json
from dataclasses import replace

import pytest

from ndis_verify.claim import Kind
from ndis_verify.claims.ledger import all_claims, find
from ndis_verify.court.proof_checks import proof
from ndis_verify.court.seal import SEALS, kept, seal, sealing, unsealed


def test_the_ledger_is_as_it_was_sealed():
    assert set(kept()) == {claim.id for claim in all_claims()}, "`ndis-verify claims --seal`"
    differing = {claim.id: unsealed(claim) for claim in all_claims() if unsealed(claim)}
    assert not differing
    assert SEALS.read_text(encoding="utf-8") == sealing(all_claims())


@pytest.mark.parametrize("field", ["title", "statement", "formula", "counterexample", "corrected", "note", "reason"])
def test_a_changed_text_is_told(field):
    claim = find("KM-S7-example")
    assert not unsealed(claim)
    assert [text[:5] for text in unsealed(replace(claim, **{field: f"{getattr(claim, field)} "}))] == ["words"]


def test_a_hypothesis_less_a_range_less_a_step_less_are_told():
    claim = find("N24-F2")
    assert unsealed(replace(claim, hypotheses=claim.hypotheses[1:]))
    (searched, *_) = [check for check in claim.checks if check.kind is Kind.ATTACK]
    domain = searched.run.problem.domain
    first = domain.parameters[0]
    half = replace(domain, parameters=(replace(first, high=(first.low + first.high) / 2), *domain.parameters[1:]))
    smaller = replace(searched, run=replace(searched.run, problem=replace(searched.run.problem, domain=half)))
    spoilt = tuple(smaller if check is searched else check for check in claim.checks)
    assert [text.split(":")[0] for text in unsealed(replace(claim, checks=spoilt))] == ["checks"]
    (derived, *_) = [check for check in claim.checks if check.kind is Kind.PROOF]
    derivation = derived.run.derive()
    shorter = replace(derivation, steps=(derivation.steps[0], *derivation.steps[2:]), faults=())
    proofs = tuple(proof(c.name, lambda: shorter, c.part) if c is derived else c for c in claim.checks)
    assert [text.split(":")[0] for text in unsealed(replace(claim, checks=proofs))] == ["proofs"]


def test_an_object_is_sealed_and_a_claim_without_a_seal_is_left_alone():
    claim = find("KM-4.3")
    (first, *others) = claim.stated.variables
    wider = replace(claim, stated=replace(claim.stated, variables=(replace(first, high=first.high + 1), *others)))
    assert [text.split(":")[0] for text in unsealed(wider)] == ["object"]
    assert not unsealed(replace(wider, id="X-1", source="OWN"))


def test_the_file_is_a_line_a_claim():
    text = sealing([find("KM-4.3")])
    assert json.loads(text) == {"KM-4.3": dict(seal(find("KM-4.3")))} and text.count("\n") == 3
