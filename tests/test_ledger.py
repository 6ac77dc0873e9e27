"""The ledger: every record is complete, every verdict is recomputed as declared, every planted fault is caught."""

import re

import pytest

from ndis_verify import InputError
from ndis_verify.claim import ClaimKind, Kind, Verdict
from ndis_verify.claims.kinds import KINDS, WHY_TEXT, kind_of
from ndis_verify.claims.ledger import SOURCES, all_claims, find, missing
from ndis_verify.court.judge import judge
from ndis_verify.report.matrix import FEWEST
from ndis_verify.report.matrix_blanks import few_digits

CLAIMS = all_claims()


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.id)
def test_the_verdict_is_as_declared(claim):
    judgement = judge(claim)
    assert judgement.agrees, "\n".join((*judgement.failures, *judgement.evidence))
    assert judgement.mutants_killed == judgement.mutants
    for check, evidence in zip(claim.checks, judgement.found, strict=True):
        if check.kind is Kind.CROSSCHECK and evidence.digits is not None:
            assert evidence.digits >= FEWEST or few_digits(check.name), (check.name, evidence.digits)


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


def test_the_kinds_of_claims_are_data():
    """Every claim has a kind; a definition is declared one and the other way round; what is unlisted is a formula."""
    ids = {claim.id for claim in CLAIMS}
    assert KINDS.keys() <= ids, "a kind of a claim that is not in the ledger"
    for claim in CLAIMS:
        kind = kind_of(claim)
        assert (kind is ClaimKind.DEFINITION) == (claim.declared is Verdict.DEFINITION), claim.id
        assert (kind is ClaimKind.DEFINITION) == any(check.kind is Kind.MEANING for check in claim.checks), claim.id
        assert claim.stated is None or kind is not ClaimKind.FIGURE, claim.id
    assert {kind_of(claim) for claim in CLAIMS} == set(ClaimKind)


def test_a_relation_that_is_no_object_says_why():
    """The list and the ledger are the same: nothing is excused that is an object, and nothing is forgotten."""
    texts = {claim.id for claim in CLAIMS if claim.stated is None and kind_of(claim) is ClaimKind.RELATION}
    assert texts == WHY_TEXT.keys()


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
