"""Faults by rule of a statement: what they are, and what becomes of them."""

import pytest
from statement_examples import CLOSED_FORM, ORDER, STATED

from ndis_verify.claims.ledger import find
from ndis_verify.court.statement_domains import random_points
from ndis_verify.court.statement_fates import fates
from ndis_verify.court.statement_likeness import same_at
from ndis_verify.statements.json_form import from_json, to_json
from ndis_verify.statements.mutation import mutants
from ndis_verify.statements.reading import saying, statement, under


def test_mutants_differ_and_are_statements():
    for stated, claim_id in STATED:
        found = mutants(stated)
        assert len({m.statement for m in found}) == len(found), claim_id
        assert all(m.statement != stated for m in found), claim_id
        assert all(from_json(to_json(m.statement)) == m.statement for m in found[::9]), claim_id
        dropped = {m.statement.hypotheses for m in found if m.rule == "hypothesis left out"}
        assert len(dropped) <= len(stated.hypotheses) and bool(dropped) == bool(stated.hypotheses), claim_id


def test_a_fault_that_changes_nothing_is_seen_to_be_the_same_statement():
    stated = statement("x^2 - y^2 <= e^{2 x}", "x > 0")
    points = random_points(stated, 6)
    assert same_at(stated, saying(stated, "(x - y) (x + y) <= e^x e^x"), points)
    assert not same_at(stated, saying(stated, "(x - y) (x + y) <= e^x e^x + 10^{-9}"), points)
    assert not same_at(stated, saying(stated, "(x - y) (x + y) >= e^x e^x"), points)
    assert not same_at(stated, under(stated, "y > 0"), points) and not same_at(stated, stated, [])
    assert not same_at(stated, saying(stated, "x^2 - y^2 <= e^{2 x} (y - y)/(y - y)"), points)


def test_faults_of_a_statement_about_laws_are_told_apart_as_often_as_ever():
    found = [fate for _, fate, _ in fates(find("KM-4.3").stated, 200)]
    assert found.count("violated") + found.count("implied") >= 34 and len(found) <= 56


@pytest.mark.parametrize(("stated", "least"), [(ORDER, 3), (CLOSED_FORM, 20)])
def test_faults_by_rule_are_violated_implied_or_listed(stated, least):
    found = fates(stated, 64)
    assert len(found) == len(mutants(stated))
    assert [fate for _, fate, _ in found].count("violated") >= least
    assert all(fate != "violated" or "margin -" in detail for _, fate, detail in found)
