"""What is printed is what is checked: faults planted in converted claims, each caught by the judge."""

from dataclasses import replace
from functools import cache

import pytest

from ndis_verify.claim import Kind, Verdict
from ndis_verify.claims.ledger import all_claims, find
from ndis_verify.court.attack_checks import AttackRun, PointRun
from ndis_verify.court.judge import heard, judged
from ndis_verify.court.seal import REMEDY
from ndis_verify.court.statement_checks import (
    mismatches,
    stated_claim,
    statement_counterexample,
    statement_of,
)
from ndis_verify.statements.mutation import mutants
from ndis_verify.statements.statement import Joined

CONVERTED = {claim.id: claim.stated for claim in all_claims() if claim.stated is not None}
OWN_ATTACK = "the statement over its own domain"
FIRST = ("N26-P1", "N26-L4", "BW-T8", "N26-L3", "KM-4.3", "KM-6.1")
CLOSED_FORM, DELETION, ORDER, THRESHOLD = (CONVERTED[i] for i in ("N26-P1", "N26-L4", "N26-L3", "KM-6.1"))


def _own(claim_id):
    """The claim with the checks alone that its statement makes."""
    claim = find(claim_id)
    return replace(claim, checks=tuple(check for check in claim.checks if statement_of(check) is not None))


def _judged(claim):
    return judged(claim, heard(claim, "quick"))


@cache
def _hearing(claim_id):
    return heard(_own(claim_id), "quick")


def test_every_converted_claim_is_its_statement():
    assert len(CONVERTED) >= 119  # a claim does not go back to texts of its own
    for claim_id, stated in CONVERTED.items():
        claim = find(claim_id)
        assert not mismatches(claim), claim_id
        assert claim.statement.endswith(stated.sentence) and claim.formula in claim.statement, claim_id


@pytest.mark.parametrize("claim_id", FIRST)
def test_the_checks_of_a_statement_alone_agree_with_it(claim_id):
    failures = judged(_own(claim_id), _hearing(claim_id)).failures
    assert not [text for text in failures if REMEDY not in text]  # the claim is sealed with all of its checks


_FAULTS = {
    "statement": [
        lambda text: text.replace(" - ", " + ", 1),
        lambda text: text.replace("<", ">", 1),
        lambda text: text[:-1],
    ],
    "formula": [lambda text: text.replace("=", "<", 1), lambda text: text + " + 0"],
    "hypotheses": [lambda lines: lines[1:], lambda lines: (*lines, "x > 0")],
    "counterexample": [lambda text: (text or "") + " at x = 1", lambda text: text and text.replace("=", "= 1", 1)],
    "about": [lambda text: text + " Always."],
}


def test_every_altered_text_of_every_converted_claim_is_caught():
    caught = 0
    for claim_id in CONVERTED:
        claim = find(claim_id)
        for name, changes in _FAULTS.items():
            for change in changes:
                false = replace(claim, **{name: change(getattr(claim, name))})
                if false != claim:
                    caught += 1
                    assert mismatches(false), (claim_id, name)
    assert caught > 8 * len(CONVERTED)


@pytest.mark.parametrize("claim_id", FIRST)
def test_an_altered_text_fails_its_claim(claim_id):
    false = replace(_own(claim_id), statement=_own(claim_id).statement.replace("For all", "For some", 1))
    judgement = judged(false, _hearing(claim_id))
    assert judgement.verdict is None and not judgement.agrees
    assert any(failure.startswith("statement:") for failure in judgement.failures)


def _of(statement, verdict=Verdict.SUPPORTED):
    """A claim that says and checks `statement`, faults included, consistently."""
    return stated_claim(id="X", source="OWN", title="x", stated=statement, declared=verdict, reason="search")


def _altered(statement):
    """A few altered formulas by rule, and the direction."""
    wanted = {"sign", "direction", "exponent", "factor left out", "sign of an argument", "P and Q exchanged"}
    seen = set()
    for mutant in mutants(statement):
        if mutant.rule in wanted - seen:
            seen.add(mutant.rule)
            yield mutant


# The first mutant of each rule that is another statement and no weaker one.
ALTERED = {
    "N26-P1": ("sign", "factor left out", "sign of an argument", "exponent"),
    "N26-L4": ("sign", "factor left out", "P and Q exchanged", "exponent"),
    "BW-T8": ("sign of an argument", "direction", "exponent"),
    "N26-L3": ("direction",),
    "KM-4.3": ("direction",),
}


@pytest.mark.parametrize(("claim_id", "rule"), [(i, rule) for i, rules in ALTERED.items() for rule in rules])
def test_an_altered_formula_that_text_and_check_share_is_found_false(claim_id, rule):
    (mutant,) = (m for m in _altered(CONVERTED[claim_id]) if m.rule == rule)
    claim = _of(mutant.statement)
    assert not mismatches(claim)
    # A first suspicion may lie in a tail too deep for ball arithmetic: the judge fails the claim on it all the same.
    found = tuple(f"{OWN_ATTACK}: {text}" for text in ("violated (certified)", "suspected violation"))
    assert any(failure.startswith(found) for failure in _judged(claim).failures), mutant.fault


@pytest.mark.parametrize(
    ("claim_id", "left_out"), [("N26-L3", "lam_i >= 1"), ("N26-L3", "eps >= 0"), ("N26-L4", "eps >= 0")]
)
def test_a_dropped_hypothesis_that_text_and_check_share_is_found_missing(claim_id, left_out):
    stated = CONVERTED[claim_id]
    kept = tuple(h for h in stated.hypotheses if h.plain() != left_out)
    assert len(kept) == len(stated.hypotheses) - 1
    claim = _of(replace(stated, hypotheses=kept))
    assert not mismatches(claim)
    assert any("violated (certified)" in failure for failure in _judged(claim).failures)


@pytest.mark.parametrize("claim_id", ["SL-2-tail", "BW-T1-every-epsilon", "N26-L2"])
def test_a_restricted_claim_is_violated_without_what_restricts_it(claim_id):
    assert any("violated (certified)" in failure for failure in _judged(_of(CONVERTED[claim_id])).failures)


@pytest.mark.parametrize("claim_id", FIRST)
def test_a_statement_beside_checks_of_another_one_is_caught(claim_id):
    claim = _own(claim_id)
    if claim.stated.hypotheses:
        weaker = replace(claim.stated, hypotheses=claim.stated.hypotheses[:-1])
    else:
        weaker = replace(claim.stated, claimed=replace(claim.stated.claimed, sign="<"))
    texts = {"statement": weaker.sentence, "formula": weaker.formula, "hypotheses": weaker.hypothesis_lines}
    assert any("speaks of another statement" in wrong for wrong in mismatches(replace(claim, stated=weaker, **texts)))


@pytest.mark.parametrize("claim_id", FIRST)
def test_a_statement_that_nothing_checks_is_caught(claim_id):
    claim = find(claim_id)
    bare = replace(claim, checks=tuple(check for check in claim.checks if statement_of(check) is None))
    assert "statement: no check speaks of it" in mismatches(bare)


def test_the_narrowed_half_counts_for_restricted_claims_only():
    claim = _own("SL-2-tail")
    assert not mismatches(claim)
    assert mismatches(replace(claim, declared=Verdict.PROVED))
    narrowed = CLOSED_FORM.under(CLOSED_FORM.hypotheses[0])
    assert not mismatches(_of(narrowed))
    twice = replace(_of(narrowed), stated=CLOSED_FORM)
    assert mismatches(twice)


@pytest.mark.parametrize("point", [{"t": 1, "sigma": 1}, {"t": -1, "sigma": -1}, {"t": "-0.1", "sigma": 1}])
def test_a_counterexample_that_is_none_is_caught(point):
    check = statement_counterexample("wrong", CONVERTED["SL-2-tail"], point)
    assert check.kind is Kind.COUNTEREXAMPLE and check.run("quick").outcome.value == "failed"


def test_a_counterexample_where_a_quantity_has_no_value_is_a_failure_by_name():
    claim = find("N26-Fig2-every-epsilon")
    check, point = next((check, check.run.point) for check in claim.checks if isinstance(check.run, PointRun))
    elsewhere = replace(check.run, point={**point, "r": 0})
    planted = tuple(replace(check, run=elsewhere) if one is check else one for one in claim.checks)
    text = "counterexample: not what the statement's object says"
    assert mismatches(replace(claim, checks=planted)) == [text]
    found = elsewhere("quick")
    assert found.outcome.value == "failed" and found.detail.endswith("is outside the declared domain")
    again = statement_counterexample("nowhere", claim.stated, elsewhere.point)
    assert again.run("quick").outcome.value == "failed"


def test_the_counterexample_that_is_printed_is_the_one_that_is_evaluated():
    assert find("SL-2-tail").counterexample == (
        "at t = -1, sigma = 1: Phi(-t/sigma) < e^{-t^2/(2 sigma^2)} reads 0.841345 < 0.606531"
    )


def test_a_kept_search_is_of_one_statement():
    """A record of the old statement is no record of the altered one, though all sources are the same."""
    (check,) = (c for c in find("N26-L3").checks if isinstance(c.run, AttackRun) and statement_of(c) is not None)
    kept = check.run.stored_check()
    problem = check.run.problem
    other = replace(problem.margin, statement=replace(ORDER, claimed=replace(ORDER.claimed, sign="<=")))
    altered = replace(check.run, problem=replace(problem, margin=other)).stored_check()
    assert kept.parameters != altered.parameters and kept.modules == altered.modules


def test_every_joined_statement_has_each_of_its_parts_attacked():
    """A fault in one conjunct alone is found."""
    for stated in (CLOSED_FORM, DELETION, THRESHOLD):
        assert isinstance(stated.claimed, Joined)
        for k, part in enumerate(stated.claimed.parts):
            turned = "<" if part.sign == ">=" else ">" if part.sign == "<=" else "<"
            parts = (*stated.claimed.parts[:k], replace(part, sign=turned), *stated.claimed.parts[k + 1 :])
            false = replace(stated, claimed=replace(stated.claimed, parts=parts))
            if part.sign != "=":
                assert _judged(_of(false)).failures
