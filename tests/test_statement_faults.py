"""What is printed is what is checked: faults planted in converted claims, each caught by the judge."""

from dataclasses import replace
from fractions import Fraction
from functools import cache

import pytest

from ndis_verify.claim import Kind, Verdict
from ndis_verify.claims.covariance_shift.stated import ORDER
from ndis_verify.claims.histogram.stated import NEARBY
from ndis_verify.claims.ledger import find
from ndis_verify.claims.mean_shift.stated import CLOSED_FORM, MECHANISM
from ndis_verify.claims.random_projection.stated import DELETION
from ndis_verify.claims.tv_inference.stated import ANY_ATTACK, THRESHOLD
from ndis_verify.court.attack_checks import AttackRun
from ndis_verify.court.judge import heard, judged
from ndis_verify.court.statement_checks import (
    mismatches,
    stated_claim,
    statement_attack,
    statement_counterexample,
    statement_of,
)
from ndis_verify.statements.mutation import mutants
from ndis_verify.statements.statement import Joined

CONVERTED = {
    "N26-P1": CLOSED_FORM,
    "N26-L4": DELETION,
    "BW-T8": MECHANISM,
    "N26-L3": ORDER,
    "KM-4.3": NEARBY,
    "KM-6.1": THRESHOLD,
    "KM-6.1-any-attack": ANY_ATTACK,
}


def _own(claim_id):
    """The claim with the checks alone that its statement makes."""
    claim = find(claim_id)
    return replace(claim, checks=tuple(check for check in claim.checks if statement_of(check) is not None))


def _judged(claim):
    return judged(claim, heard(claim, "quick"))


@cache
def _hearing(claim_id):
    return heard(_own(claim_id), "quick")


@pytest.mark.parametrize("claim_id", CONVERTED)
def test_a_converted_claim_is_its_statement(claim_id):
    claim = find(claim_id)
    assert claim.stated == CONVERTED[claim_id] and not mismatches(claim)
    assert claim.statement == claim.stated.sentence and claim.formula in claim.statement
    assert not judged(_own(claim_id), _hearing(claim_id)).failures


@pytest.mark.parametrize("claim_id", CONVERTED)
@pytest.mark.parametrize(
    ("field", "change"),
    [
        ("statement", lambda text: text.replace(" - ", " + ", 1).replace("<=", "<", 1).replace(">=", ">", 1)),
        ("formula", lambda text: text.replace(" - ", " + ", 1).replace(">= delta_{Q,P}", "<= delta_{Q,P}")),
        ("hypotheses", lambda lines: lines[:-1]),
        ("hypotheses", lambda lines: (*lines, "x > 0")),
        ("counterexample", lambda text: (text or "") + " at x = 1"),
    ],
)
def test_an_altered_text_is_caught(claim_id, field, change):
    claim = _own(claim_id)
    false = replace(claim, **{field: change(getattr(claim, field))})
    assert getattr(false, field) != getattr(claim, field)
    assert mismatches(false)
    judgement = judged(false, _hearing(claim_id))
    assert judgement.verdict is None and not judgement.agrees
    assert any(failure.startswith(f"{field}:") for failure in judgement.failures)


def _of(statement, verdict=Verdict.SUPPORTED, part="statement"):
    """A claim that says and checks `statement`, faults included, consistently."""
    check = statement_attack("attack", statement, {}, quick=400, full=400, part=part)
    return stated_claim(
        id="X", source="OWN", title="x", stated=statement, declared=verdict, checks=(check,), reason="search"
    )


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
    found = ("attack: violated (certified)", "attack: suspected violation")
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


def test_an_epsilon_of_either_sign_is_a_statement_that_is_false():
    assert any("violated (certified)" in failure for failure in _judged(_of(ANY_ATTACK)).failures)


@pytest.mark.parametrize("claim_id", CONVERTED)
def test_a_statement_beside_checks_of_another_one_is_caught(claim_id):
    claim = _own(claim_id)
    if claim.stated.hypotheses:
        weaker = replace(claim.stated, hypotheses=claim.stated.hypotheses[:-1])
    else:
        weaker = replace(claim.stated, claimed=replace(claim.stated.claimed, sign="<"))
    texts = {"statement": weaker.sentence, "formula": weaker.formula, "hypotheses": weaker.hypothesis_lines}
    assert any("speaks of another statement" in wrong for wrong in mismatches(replace(claim, stated=weaker, **texts)))


@pytest.mark.parametrize("claim_id", CONVERTED)
def test_a_statement_that_nothing_checks_is_caught(claim_id):
    claim = find(claim_id)
    bare = replace(claim, checks=tuple(check for check in claim.checks if statement_of(check) is None))
    assert "statement: no check speaks of it" in mismatches(bare)


def test_the_narrowed_half_counts_for_restricted_claims_only():
    any_attack, standing = _own("KM-6.1-any-attack"), _of(THRESHOLD, part="eps >= 0").checks
    claim = replace(any_attack, checks=(*any_attack.checks, *standing), declared=Verdict.RESTRICTED)
    assert not mismatches(claim)
    assert mismatches(replace(claim, declared=Verdict.PROVED))
    narrowed = CLOSED_FORM.under(CLOSED_FORM.hypotheses[0])
    assert not mismatches(_of(narrowed))
    twice = replace(_of(narrowed), stated=CLOSED_FORM)
    assert mismatches(twice)


@pytest.mark.parametrize(
    "point",
    [
        {"TPR": Fraction(3, 4), "FPR": Fraction(1, 4), "delta": 0},
        {"TPR": Fraction(2), "FPR": Fraction(1, 4), "delta": 0},
        {"TPR": 1, "FPR": Fraction(1, 4), "delta": 0},
    ],
)
def test_a_counterexample_that_is_none_is_caught(point):
    check = statement_counterexample("wrong", ANY_ATTACK, point, {})
    assert check.kind is Kind.COUNTEREXAMPLE and check.run("quick").outcome.value == "failed"


def test_the_counterexample_that_is_printed_is_the_one_that_is_evaluated():
    text = find("KM-6.1-any-attack").counterexample
    assert "at TPR = 1/4, FPR = 3/4, delta = 0:" in text and "reads 2/3 <= 0" in text and "reads 1/2 <= 1/4" in text


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
