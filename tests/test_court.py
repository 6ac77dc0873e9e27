"""The rule from evidence to verdict, and what of it a journal keeps."""

import dataclasses
import json

import numpy as np
import pytest
import sympy as sp

from ndis_verify.claim import Check, Claim, Evidence, Kind, Outcome, Verdict, decide
from ndis_verify.claims.ledger import find
from ndis_verify.court.attack_checks import attack_check
from ndis_verify.court.checks import agreement
from ndis_verify.court.domain import Domain, continuous
from ndis_verify.court.hearing import Hearing
from ndis_verify.court.judge import exit_code, heard, judge, judged
from ndis_verify.court.proof_checks import proof
from ndis_verify.court.tolerances import COMPARISONS, DIGITS, MARGIN, MARGINS
from ndis_verify.report.verdicts import markdown
from ndis_verify.symbolic.derivation import Conclusion, Derivation, Fault, Step


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
    assert verdict(printed, check(Kind.ENCLOSURE, part="restricted")) is Verdict.RESTRICTED
    assert verdict(printed, check(Kind.ATTACK, part="restricted")) is Verdict.RESTRICTED
    assert verdict(printed, check(Kind.CROSSCHECK, part="restricted")) is Verdict.REFUTED


def test_a_definition_fixes_a_meaning_and_what_it_asserts_beside_stands_on_evidence():
    meaning = check(Kind.MEANING)
    assert verdict(meaning) is verdict(meaning, check(Kind.CROSSCHECK)) is Verdict.DEFINITION
    assert verdict(meaning, check(Kind.PROOF, part="what it bounds")) is Verdict.DEFINITION
    assert verdict(meaning, check(Kind.CROSSCHECK, part="what it bounds")) is Verdict.OPEN
    assert verdict(check(Kind.MEANING, Outcome.FAILED)) is None
    assert verdict(meaning, check(Kind.COUNTEREXAMPLE, part="what it bounds")) is Verdict.REFUTED
    assert judge(claim(meaning, declared=Verdict.DEFINITION)).agrees and not judge(claim(meaning)).agrees
    assert not judge(claim(check(Kind.PROOF), declared=Verdict.DEFINITION)).agrees
    assert exit_code([judge(claim(meaning))]) == 1


def test_nothing_outweighs_a_failure_or_an_undecided_check():
    assert verdict(check(Kind.PROOF), check(Kind.CROSSCHECK, Outcome.FAILED)) is None
    assert verdict(check(Kind.PROOF), check(Kind.PROOF, Outcome.UNDECIDED)) is Verdict.OPEN


def test_a_tolerance_is_granted_or_fails_the_claim():
    domain = Domain((continuous("x", 0, 1),))

    def bound(tolerance, off=1.0, name="x over 0"):
        return attack_check(
            name,
            lambda x: x + 1e-3,
            domain,
            mutants={"a little less": lambda x: x - off},
            quick=200,
            tolerance=tolerance,
        )

    supported = {"declared": Verdict.SUPPORTED}
    assert judge(claim(bound(1e-8), **supported)).agrees
    (failure,) = judge(claim(bound(1e-4), **supported)).failures
    assert "tolerance of 0.0001, granted are 1e-08" in failure
    granted = "joint divergence of test and release"
    assert judge(claim(bound(1e-4, name=granted), **supported)).agrees
    assert judge(dataclasses.replace(claim(bound(1e-4), **supported), source="OWN")).agrees
    # nine tolerances are not told apart, eleven are
    assert "mutant survived" in judge(claim(bound(1e-8, 9e-8), **supported)).failures[0]
    assert judge(claim(bound(1e-8, 11e-8), **supported)).agrees


def test_a_comparison_asks_for_the_digits_that_are_granted():
    def agreed(digits, off, name="two routes"):
        points = lambda effort: [(1.0,), (2.0,)]
        return agreement(name, "a, b", lambda x: x, lambda x: x, points, digits, {"off": lambda x: x * (1 + off)})

    def judged_with(*checks):
        return judge(claim(check(Kind.PROOF), *checks))

    assert judged_with(agreed(10, 1e-9)).agrees
    assert "8 digits, to be asked for are 9" in judged_with(agreed(8, 1e-3)).failures[0]
    assert judged_with(agreed(7, 1e-3, "delta from the invariants alone against the certified divergence")).agrees
    assert "mutant survived" in judged_with(agreed(10, 2e-10)).failures[0]


def test_whatever_is_granted_more_has_a_reason():
    assert all(grant.limit > MARGIN and len(grant.reason) > 40 for grant in MARGINS)
    assert all(grant.limit < DIGITS and len(grant.reason) > 40 for grant in COMPARISONS)
    names = [name for grant in (*MARGINS, *COMPARISONS) for name in grant.checks]
    assert len(set(names)) == len(names)


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


def test_a_hearing_read_back_is_judged_alike():
    odd = Evidence(Outcome.HELD, "route", "detail", digits=np.float64(12.5), count=np.int64(3))
    checks = (
        check(Kind.PROOF),
        check(Kind.ATTACK, Outcome.UNDECIDED, "two"),
        Check("odd", Kind.PROOF, lambda effort: odd, {}),
    )
    mine = claim(*checks, declared=Verdict.OPEN)
    hearing = heard(mine)
    kept = json.loads(json.dumps(hearing.as_dict()))
    assert judged(mine, Hearing.from_dict(mine, kept)) == judged(mine, hearing)


def test_what_is_declared_comes_from_the_ledger_alone():
    """A hearing holds no verdict: the same evidence under a claim that declares another one does not agree."""
    kept = heard(claim(check(Kind.ATTACK), declared=Verdict.SUPPORTED)).as_dict()
    assert not any(word in json.dumps(kept) for word in ("declared", "agrees", "verdict", "supported"))
    proved = claim(check(Kind.ATTACK), declared=Verdict.PROVED)
    assert not judged(proved, Hearing.from_dict(proved, kept)).agrees


@pytest.mark.parametrize(
    "change",
    [
        lambda kept: kept["checks"].pop(),
        lambda kept: kept["checks"].reverse(),
        lambda kept: kept.update(checks=None),
        lambda kept: kept["checks"][0].__setitem__(0, "another"),
        lambda kept: kept["checks"][0][1].update(outcome="proved"),
        lambda kept: kept["checks"][0][1].update(digits="many"),
        lambda kept: kept["checks"][0][1].update(verdict="proved"),
        lambda kept: kept.pop("seconds"),
    ],
)
def test_what_is_no_hearing_of_the_claim_is_refused(change):
    mine = claim(check(Kind.PROOF), check(Kind.ATTACK))
    kept = heard(mine).as_dict()
    Hearing.from_dict(mine, kept)
    change(kept)
    with pytest.raises((ValueError, TypeError, KeyError)):
        Hearing.from_dict(mine, kept)


def _with_fault(derivation):
    fault = Fault("off by one", "square", lambda rhs: rhs + 1)
    return proof("derived", lambda: dataclasses.replace(derivation, faults=(fault,)))


def test_steps_in_words_are_counted_beside_the_verdict():
    x = sp.Symbol("x", real=True)
    said = Step("said", "So it is said.", kind="argument")
    square = Step("square", "", lhs=(x + 1) ** 2, rhs=x**2 + 2 * x + 1, premises=("said",))
    end = (Conclusion("OWN-1", "square"),)
    argued = Derivation("own", "t", ("OWN",), (), (said, square), "square", {"x": x}, concludes=end)
    claim = Claim("OWN-1", "OWN", "t", "s", Verdict.PROVED, (_with_fault(argued),))
    found = judge(claim)
    # The step, and that the proof ends in a statement that is text alone.
    assert found.argued == 2 and found.in_words == "proved, 2 argued", found.failures
    assert "1 argued" in found.evidence[0] and found.as_dict()["argued"] == 2
    assert judged(claim, Hearing.from_dict(claim, json.loads(json.dumps(heard(claim).as_dict())))).argued == 2
    decided = dataclasses.replace(argued, steps=(dataclasses.replace(square, premises=()),))
    bare = judge(dataclasses.replace(claim, checks=(_with_fault(decided),)))
    assert bare.argued == 1 and bare.in_words == "proved, 1 argued"
    assert "end in the statement" in bare.link and bare.link in bare._repr_html_()


def test_nothing_is_said_to_be_proved_outright_whose_end_is_not_compared_with_the_statement():
    compared = find("KM-4.1")
    assert judge(compared).link == "" and judge(compared).in_words == "proved"
    ends = [check for check in compared.checks if check.kind is Kind.PROOF]
    in_words = dataclasses.replace(compared, source="OWN", stated=None, about="", checks=tuple(ends))  # not sealed
    assert judge(in_words).in_words == "proved, 1 argued"
    assert "- argued: that its proofs end in the statement" in markdown([judge(in_words)], {"KM-4.1": in_words})


@pytest.mark.parametrize(
    ("kinds", "words"),
    [
        ((Kind.COUNTEREXAMPLE, Kind.PROOF), "restricted (proved)"),
        ((Kind.COUNTEREXAMPLE, Kind.ENCLOSURE), "restricted (certified)"),
        ((Kind.COUNTEREXAMPLE, Kind.ATTACK), "restricted (supported)"),
        ((Kind.COUNTEREXAMPLE, Kind.CROSSCHECK), "refuted"),
        ((Kind.MEANING, Kind.PROOF), "definition (proved)"),
        ((Kind.MEANING, Kind.ATTACK), "definition (supported)"),
        ((Kind.MEANING,), "definition"),
        ((Kind.COUNTEREXAMPLE,), "refuted"),
    ],
)
def test_what_is_left_of_a_claim_has_its_own_strength(kinds, words):
    held, failed = Evidence(Outcome.HELD, "r", "d"), Evidence(Outcome.FAILED, "r", "d")
    faults = {"fault": lambda _: failed}
    checks = tuple(Check(kind.value, kind, lambda _: held, faults, f"part {k}") for k, kind in enumerate(kinds))
    assert judge(Claim("OWN-1", "OWN", "t", "s", Verdict.OPEN, checks)).in_words == words
