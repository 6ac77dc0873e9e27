"""The study of spoilt claims: what the court catches of a small draw, and that the study tells caught from missed."""

import sys
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from ndis_verify.claim import Kind, Verdict
from ndis_verify.claims.ledger import find
from ndis_verify.court.judge import miscalled, misplaced
from ndis_verify.court.printed_numbers import numbers, unprinted

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
faults = pytest.importorskip("tools.fault_study.faults")
main = pytest.importorskip("tools.fault_study.__main__")
page = pytest.importorskip("tools.fault_study.page")
trial = pytest.importorskip("tools.fault_study.trial")

# Claims that are heard in a second, of which a fault of each kind is caught.
CHEAP = ["KM-4.3", "KM-6.1-any-attack", "KM-CI", "KM-J.1", "N26-D9", "SL-2-tail"]
CAUGHT = {
    "altered statement": ["KM-4.3"],
    "altered formula": ["KM-6.1-any-attack"],
    "dropped hypothesis": ["KM-4.3"],
    "a check of a narrower statement": ["KM-4.3"],
    "a step of a proof left out": ["N24-P11"],  # told by the seal alone, while a derivation could cover a claim
    "a false step": ["KM-4.3"],
    "a part without its hypothesis": ["KM-S3-corrected", "KM-2.8-pairs"],
    "proved by a derivation of something else": ["KM-J.1", "SL-2-tail"],
    "another verdict declared": ["KM-CI", "KM-6.1-any-attack"],
    "a search called a proof": ["N26-D9"],
    "a loosened tolerance": ["SL-2-tail"],
    "a search of four evaluations": ["KM-4.3"],
    "a check without its planted faults": ["KM-J.1"],
}


@pytest.mark.parametrize("kind", CAUGHT)
def test_a_spoilt_claim_is_caught(kind):
    rows = list(main.study(2, 1, {kind: main.RULES[kind]}, CAUGHT[kind]))
    assert rows and all(row.kind == kind for row in rows)
    assert not [row for row in rows if row.outcome != trial.CAUGHT]


@pytest.mark.parametrize(
    ("kind", "claim_id"),
    [
        ("shrunk domain of a search", "N24-F2"),
        ("altered formula", "N24-P11"),
    ],
)
def test_what_nothing_else_compares_is_told_by_the_seal(kind, claim_id):
    rows = list(main.study(2, 1, {kind: main.RULES[kind]}, [claim_id]))
    assert rows and {row.outcome for row in rows} == {trial.SEALED}


@pytest.mark.parametrize("claim_id", ["N24-F2", "N26-F1", "KM-4.3"])
def test_every_rule_reads_matrices_and_numbers(claim_id):
    """Nothing is heard: the faults are only made."""
    for rule in main.RULES.values():
        for _, planted in rule(find(claim_id)):
            assert callable(planted)


def test_a_claim_that_is_not_spoilt_is_as_declared():
    court = trial.Court()
    for claim_id in CHEAP:
        outcome, said = court.trial(faults.Fault("none", claim_id, "nothing", lambda i=claim_id: find(i)))
        assert outcome == trial.MISSED, said  # nothing is there to be caught


def test_every_rule_has_faults_and_a_draw_repeats():
    pool = [find(claim_id) for claim_id in ("KM-4.3", "BW-Fig1-monotone", "N26-D9", "KM-J.1", "KM-2.8-pairs")]
    for kind, rule in main.RULES.items():
        assert any(True for claim in pool for _ in rule(claim)), kind
    rules = {"altered statement": main.RULES["altered statement"]}
    draws = [list(main.study(2, 3, rules, ["KM-4.3", "KM-J.1"])) for _ in range(2)]
    assert draws[0] == draws[1] and {row.claim_id for row in draws[0]} == {"KM-4.3", "KM-J.1"}


def test_a_spoilt_certificate_is_told():
    rows = list(main.kept_records(("SL-2-tail",)))
    outcomes = {row.what: row.outcome for row in rows}
    assert len(outcomes) == 10
    for what in (
        "a margin 10 % up",
        "a margin 10 % up, resealed",
        "points of another place, resealed",
        "half of the file",
    ):
        assert outcomes[what] == trial.CAUGHT, what


def test_the_page_counts_every_row():
    rows = [
        main.Row("a kind", "X-1", "what", outcome, "said") for outcome in (trial.CAUGHT, trial.MISSED, trial.HARMLESS)
    ]
    text = page.page(rows, 3)
    assert "| a kind | 3 | 1 | 0 | 1 | 1 |" in text and "| **all** | 3 | 1 | 0 | 1 | 1 |" in text


def test_numbers_of_a_text():
    assert numbers("1,797 records, eps = 1e-3, 3/4 and 10^2") >= {Fraction(n) for n in ("1797", "0.001", "0.75", "100")}
    claim = find("KM-CI")
    assert not unprinted(claim)
    for old, new in (("n = 12", "n = 13"), ("tau = 1/2", "tau = 1/3"), (claim.counterexample, "There is one.")):
        assert unprinted(replace(claim, counterexample=claim.counterexample.replace(old, new)))


def test_a_search_is_no_proof_and_a_proof_of_another_claim_none_of_this_one():
    claim = find("N26-D9")
    searched = tuple(replace(c, kind=Kind.PROOF) if c.kind is Kind.ATTACK else c for c in claim.checks)
    assert miscalled(replace(claim, checks=searched, declared=Verdict.PROVED))
    proofs = tuple(c for c in find("N26-P1").checks if c.kind is Kind.PROOF)
    assert misplaced(replace(claim, checks=proofs)) and not misplaced(find("N26-L2-corrected"))
