"""The ledger: every record is complete, every verdict is recomputed as declared, every planted fault is caught."""

import re

import pytest

from ndis_verify import InputError
from ndis_verify.claim import Kind, Verdict
from ndis_verify.claims.ledger import SOURCES, all_claims, find, missing
from ndis_verify.court.judge import judge

CLAIMS = all_claims()


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.id)
def test_the_verdict_is_as_declared(claim):
    judgement = judge(claim)
    assert judgement.agrees, "\n".join((*judgement.failures, *judgement.evidence))
    assert judgement.mutants_killed == judgement.mutants


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.id)
def test_the_record_is_complete(claim):
    assert claim.source in SOURCES and claim.title and claim.statement.endswith(".")
    assert claim.hypotheses, "hypotheses are data"
    assert not re.search(r"\bsigma\b.*\bvariance\b", claim.title)
    assert all(check.mutants for check in claim.checks)
    if claim.declared in (Verdict.OPEN, Verdict.SUPPORTED):
        assert claim.reason, "why neither a proof nor an enclosure decides it"
    if claim.declared in (Verdict.REFUTED, Verdict.RESTRICTED):
        assert claim.counterexample and any(check.kind is Kind.COUNTEREXAMPLE for check in claim.checks)


def test_evidence_says_route_and_how_much():
    judgement = judge(find("N24-F2"))
    assert all(re.search(r"held: .*\b\d+ (digits|steps|evaluations)", line) for line in judgement.evidence), (
        judgement.evidence
    )


def test_an_unknown_id_is_answered_with_near_ones():
    with pytest.raises(InputError, match="did you mean .*N26-L1"):
        find("N26-L11")


def test_missing_ids_keep_their_order():
    assert missing(["X-2", "N26-L1", "X-1"]) == ["X-2", "X-1"]
