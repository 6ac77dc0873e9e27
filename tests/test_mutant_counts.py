"""Faults by rule of every statement: counted, kept for the statement as it is, and shown wherever a claim is."""

import json
from dataclasses import replace

import pytest

from ndis_verify.claims.ledger import all_claims, find
from ndis_verify.court.statement_fates import violation
from ndis_verify.court.statement_mutants import (
    FATES,
    KEPT,
    counted,
    faults_line,
    kept_beyond,
    kept_counts,
    mutants_page,
    searched_beyond,
)
from ndis_verify.report.claim_page import claim_body
from ndis_verify.report.claim_text import claim_text
from ndis_verify.report.verdicts import claim_record
from ndis_verify.statements.mutation import mutants
from ndis_verify.statements.ranges import beyond_ranges
from ndis_verify.statements.reading import saying

PAGE = KEPT.parents[2] / "docs" / "statement_faults.md"
STATED = {claim.id: claim for claim in all_claims() if claim.stated is not None}
FEW = ("BW-T4-range", "KM-eq2.4", "N26-L3", "N26-P3", "SL-1")


def test_every_kept_count_is_of_the_statement_as_it_is():
    kept = json.loads(KEPT.read_text())
    assert set(kept) <= set(STATED) and len(kept) >= 60
    for claim_id in kept:
        counts = kept_counts(STATED[claim_id])
        assert counts is not None, f"{claim_id}: ndis-verify claims --mutants docs/statement_faults.md"
        assert set(counts) <= set(FATES) and sum(counts.values()) == len(mutants(STATED[claim_id].stated)), claim_id


def test_most_faults_are_told_apart():
    entries = [entry["counts"] for entry in json.loads(KEPT.read_text()).values()]
    apart = sum(counts.get("not told apart", 0) for counts in entries)
    assert apart <= 0.2 * sum(sum(counts.values()) for counts in entries)  # more than a quarter of them at first


@pytest.mark.parametrize("claim_id", FEW)
def test_kept_counts_are_what_the_statement_gives(claim_id):
    assert counted(STATED[claim_id]) == kept_counts(STATED[claim_id])


def test_no_statement_that_holds_fails_beyond_the_ranges_that_it_is_searched_in():
    """Of N24-P1 float64 has no digits where both sides are e^(-6e8), and nothing is enclosed there."""
    found = {claim.id: text for claim in STATED.values() for text in (kept_beyond(claim) or {}).values() if text}
    assert set(found) <= {"N24-P1"} and all("in float64" in text for text in found.values())


@pytest.mark.parametrize("claim_id", FEW)
def test_kept_searches_beyond_the_ranges_are_of_the_statement(claim_id):
    assert searched_beyond(STATED[claim_id]) == kept_beyond(STATED[claim_id])


def test_a_forgotten_hypothesis_shows_beyond_the_ranges():
    """N26-T6.1-corrected holds for k > 0 alone; its ranges begin there."""
    claim = find("N26-T6.1-corrected")
    (said,) = (one for one in claim.stated.hypotheses if one.plain() == "k_i > 0")
    without = replace(claim.stated, hypotheses=tuple(one for one in claim.stated.hypotheses if one is not said))
    (where, either), *others = (one for one in beyond_ranges(without) if "k" in one[0] and "sign" in one[0])
    assert not others and "margin -" in violation(either, 4000)


def test_counts_of_another_statement_are_not_shown():
    claim = find("KM-eq2.4")
    other = replace(claim, stated=saying(claim.stated, "Phi^-1(1 - A) + Phi^-1(B) <= mu"))
    assert faults_line(claim) and not faults_line(other) and kept_counts(other) is None


def test_every_report_of_a_claim_has_its_counts():
    claim = find("BW-T4-range")
    line = faults_line(claim)
    assert claim_record(claim)["statement_faults"] == kept_counts(claim)
    assert line in " ".join(claim_text(claim).split())
    assert line.partition(":")[0] in claim_body(claim, None, (), ())
    assert find("N26-D1").stated is None and claim_record(find("N26-D1"))["statement_faults"] is None


def test_the_page_of_counts_is_what_is_kept():
    assert PAGE.read_text() == mutants_page(all_claims())
