"""Faults by rule of every statement: counted, kept for the statement as it is, and told apart no less than before."""

import json
from dataclasses import replace

import pytest

from ndis_verify.claims.ledger import all_claims, find
from ndis_verify.court.statement_mutants import FATES, KEPT, counted, faults_line, kept_counts, mutants_page
from ndis_verify.report.verdicts import claim_record
from ndis_verify.statements.mutation import mutants
from ndis_verify.statements.reading import saying

STATED = [claim for claim in all_claims() if claim.stated is not None]
# at least this many of a hundred faults are violated, implied or without meaning
FLOOR = 50
FEW = ("BW-T4-range", "KM-eq2.4", "N26-L3")


def test_every_statement_has_its_counts():
    assert set(json.loads(KEPT.read_text())) == {claim.id for claim in STATED}
    for claim in STATED:
        counts = kept_counts(claim)
        assert counts is not None, f"{claim.id}: ndis-verify claims --mutants docs/mutants.md"
        assert sum(counts.values()) == len(mutants(claim.stated)), claim.id
        assert counts["violated"] > 0, claim.id


@pytest.mark.parametrize("claim_id", FEW)
def test_kept_counts_are_what_the_statement_gives(claim_id):
    claim = find(claim_id)
    assert counted(claim.stated) == kept_counts(claim)


def test_counts_of_another_statement_are_not_shown():
    claim = find("KM-eq2.4")
    other = replace(claim, stated=saying(claim.stated, "Phi^-1(1 - A) + Phi^-1(B) <= mu"))
    assert faults_line(claim) and not faults_line(other) and kept_counts(other) is None


def test_reports_and_the_page_have_the_counts(tmp_path):
    claim = find("BW-T4-range")
    assert claim_record(claim)["statement_faults"] == kept_counts(claim)
    page = (KEPT.parents[2] / "docs" / "mutants.md").read_text()
    assert page == mutants_page(all_claims())
    assert all(fate in page for fate in FATES)
