"""The rule from evidence to verdict, the journal, and resuming a killed run."""

import json

import pytest

from ndis_verify.claim import Check, Claim, Evidence, Kind, Outcome, Verdict, decide
from ndis_verify.claims.court import Judgement, exit_code, judge
from ndis_verify.claims.journal import Journal, fingerprint


def evidence(outcome=Outcome.HELD):
    return lambda effort: Evidence(outcome, "route", "detail", digits=12, count=3)


def check(kind, outcome=Outcome.HELD, part="statement", mutants=None):
    faults = {"planted": evidence(Outcome.FAILED)} if mutants is None else mutants
    return Check(f"{kind.value} of {part}", kind, evidence(outcome), faults, part)


def claim(*checks, declared=Verdict.PROVED):
    return Claim("X-1", "N26", "title", "statement", declared, tuple(checks))


def verdict(*checks):
    return decide([(c, c.run("quick")) for c in checks])


@pytest.mark.parametrize(
    "kinds, expected",
    [
        ([Kind.PROOF], Verdict.PROVED),
        ([Kind.PROOF, Kind.CROSSCHECK], Verdict.PROVED),
        ([Kind.ENCLOSURE, Kind.ATTACK], Verdict.CERTIFIED),
        ([Kind.ATTACK, Kind.CROSSCHECK], Verdict.SUPPORTED),
        ([Kind.CROSSCHECK], Verdict.OPEN),
        ([Kind.COUNTEREXAMPLE], Verdict.REFUTED),
        ([], Verdict.OPEN),
    ],
)
def test_a_part_is_as_strong_as_its_strongest_check(kinds, expected):
    assert verdict(*(check(kind) for kind in kinds)) is expected


def test_a_claim_is_as_weak_as_its_weakest_part():
    assert verdict(check(Kind.PROOF, part="one"), check(Kind.ATTACK, part="two")) is Verdict.SUPPORTED
    assert verdict(check(Kind.PROOF, part="one"), check(Kind.CROSSCHECK, part="two")) is Verdict.OPEN


def test_a_counterexample_with_a_standing_rest_restricts():
    printed = check(Kind.COUNTEREXAMPLE, part="as printed")
    assert verdict(printed, check(Kind.PROOF, part="restricted")) is Verdict.RESTRICTED
    assert verdict(printed, check(Kind.CROSSCHECK, part="restricted")) is Verdict.REFUTED


def test_nothing_outweighs_a_failure_or_an_undecided_check():
    assert verdict(check(Kind.PROOF), check(Kind.CROSSCHECK, Outcome.FAILED)) is None
    assert verdict(check(Kind.PROOF), check(Kind.PROOF, Outcome.UNDECIDED)) is Verdict.OPEN


def test_a_surviving_or_missing_mutant_fails_the_claim():
    assert judge(claim(check(Kind.PROOF))).agrees
    for mutants in ({}, {"planted": evidence()}, {"planted": evidence(Outcome.UNDECIDED)}):
        judgement = judge(claim(check(Kind.PROOF, mutants=mutants)))
        assert not judgement.agrees and judgement.verdict is None and judgement.failures


def test_a_crashing_check_is_a_failure_that_says_where():
    def crash(effort):
        raise ZeroDivisionError("one over nothing")

    judgement = judge(claim(Check("bad", Kind.PROOF, crash, {"planted": crash})))
    assert judgement.verdict is None and "one over nothing" in judgement.failures[0]
    assert judgement.mutants_killed == 0, "a mutant that crashes was not judged"


def test_a_verdict_that_differs_in_either_direction_is_seen():
    assert not judge(claim(check(Kind.PROOF), declared=Verdict.SUPPORTED)).agrees
    assert not judge(claim(check(Kind.ATTACK), declared=Verdict.PROVED)).agrees


def test_exit_codes():
    held = judge(claim(check(Kind.PROOF)))
    differs = judge(claim(check(Kind.ATTACK)))
    undecided = judge(claim(check(Kind.PROOF, Outcome.UNDECIDED)))
    assert exit_code([held]) == 0
    assert exit_code([held, differs]) == 1
    assert exit_code([held, undecided]) == 3
    assert exit_code([undecided, differs]) == 1


def test_evidence_says_route_digits_and_count():
    assert evidence()("quick").line() == "held: route, 12 digits, 3 points; detail"


def test_a_killed_run_resumes_and_drops_a_torn_line(tmp_path):
    path = tmp_path / "journal.jsonl"
    first = Journal(path, "run")
    first.append(judge(claim(check(Kind.PROOF))))
    first.close(finished=False)
    path.write_text(path.read_text() + '{"id": "X-2", "sour')
    again = Journal(path, "run")
    assert set(again.done) == {"X-1"} and isinstance(again.done["X-1"], Judgement)
    again.append(Judgement.from_dict({**again.done["X-1"].as_dict(), "id": "X-3"}))
    again.close(finished=False)
    assert set(Journal(path, "run").done) == {"X-1", "X-3"}
    for line in path.read_text().splitlines():
        json.loads(line)


def test_a_journal_of_another_run_is_not_believed(tmp_path):
    path = tmp_path / "journal.jsonl"
    first = Journal(path, "run")
    first.append(judge(claim(check(Kind.PROOF))))
    first.close(finished=False)
    assert not Journal(path, "another run").done
    path.write_text("garbage")
    assert not Journal(path, "run").done
    Journal(path, "run").close(finished=True)
    assert not path.exists()


def test_the_fingerprint_depends_on_the_effort():
    assert fingerprint("quick") != fingerprint("full")
    assert fingerprint("quick") == fingerprint("quick")
