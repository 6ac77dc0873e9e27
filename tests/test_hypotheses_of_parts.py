"""What a derivation that proves a part of a claim supposes: the claim says it, or the part does."""

from dataclasses import replace

import pytest
import sympy as sp

from ndis_verify.claims.ledger import all_claims, find
from ndis_verify.court.proof_ends import unconcluded
from ndis_verify.court.proof_hypotheses import misread
from ndis_verify.court.statement_checks import _proofs, mismatches, what_stands
from ndis_verify.report.claim_page import carried
from ndis_verify.statements.reading import statement
from ndis_verify.statements.statement import real
from ndis_verify.symbolic.derivation import Conclusion, Derivation, Hypothesis, Step

P, L, M = sp.symbols("p l m", positive=True)
STATED = statement("p + l >= p", "0 < p <= l", "l < m", over=[real(name, "0.1", 9) for name in "plm"])


def _foreign(hypothesis, part="some of it", symbols=None, granted=None, about=(), more=()):
    """What the court says of one hypothesis of a derivation that proves parts of the claim."""
    end = Conclusion("CLAIM", "end", symbols or {}, part, granted or {})
    text = hypothesis.text if isinstance(hypothesis, Hypothesis) else hypothesis
    steps = (Step("end", "", lhs=P, rhs=P, premises=(text,)),)
    proof = Derivation("a.proof", "of a part", (), (hypothesis,), steps, "end", {"p": P}, concludes=(end, *more))
    return unconcluded("CLAIM", STATED, (*STATED.hypothesis_lines, *about), [proof])


def test_a_link_of_a_hypothesis_in_a_chain_is_one_of_the_claim():
    assert not _foreign("p <= l") and not _foreign("0 < p") and not _foreign("l < m") and not _foreign("0 < p <= l")


@pytest.mark.parametrize(
    "other", ["p < l", "p <= l^2", "p <= l/2", "l <= p", "0 < l", "m", "p", "p <= m", "0 < p <= m"]
)
def test_another_relation_is_not(other):
    assert any(f"hypothesis {other!r} is not one of CLAIM" in text for text in _foreign(other))


def test_a_relation_is_compared_where_the_symbols_are_named():
    names = {"p": P, "l": L, "m": M}
    assert not _foreign(Hypothesis("ordered", P <= L), symbols=names)
    assert not _foreign(Hypothesis("ordered", sp.Ge(L, P)), symbols=names)
    assert _foreign(Hypothesis("ordered", P <= L))
    assert _foreign(Hypothesis("ordered", L <= P), symbols=names)
    assert _foreign(Hypothesis("ordered", P <= L), symbols={**names, "p": M, "m": P})
    assert _foreign(Hypothesis("ordered", M <= P), symbols={"p": M, "l": P, "m": M})  # two variables are no one symbol


def test_a_part_may_hold_under_a_hypothesis_that_it_says():
    twice = Hypothesis("2 p <= m", 2 * P <= M)
    assert _foreign(twice)
    for part in (
        "the first, for 2 p <= m",
        "2 p <= m",
        "the first: 2 p <= m, in any order",
        "it, where 2 p <= m and l < 1",
    ):
        assert not _foreign(twice, part)
    for part in (
        "for 3 + 2 p <= m",
        "for 2 p <= m^2",
        "for 2 p <= m + 1",
        "for 2 p <= m/3",
        "for -2 p <= m",
        "for 12 p <= m",
    ):
        assert _foreign(twice, part), part


def test_another_part_does_not_say_it():
    twice = Hypothesis("2 p <= m", 2 * P <= M)
    said = Conclusion("CLAIM", "end", part="more of it, for 2 p <= m")
    assert _foreign(twice, more=(said,)) and not _foreign(twice, said.part)


@pytest.mark.parametrize(
    "part",
    [
        "where p < 1 or 2 p <= m",
        "not for 2 p <= m",
        "for 0.2 p <= m",
        "for 2 p <= m.5",
        "for 2 p <= m,000",
        "with 2 p <= m or without",
    ],
)
def test_what_a_part_says_otherwise_is_no_hypothesis(part):
    assert _foreign(Hypothesis("2 p <= m", 2 * P <= M), part)


def test_a_part_supposes_what_its_own_step_rests_on():
    twice = Hypothesis("2 p <= m", 2 * P <= M)
    one, other = Step("end", "", lhs=P, rhs=P), Step("more", "", lhs=P, rhs=P, premises=(twice.text,))
    ends = (Conclusion("CLAIM", "end", part="any"), Conclusion("CLAIM", "more", part="more, for 2 p <= m"))
    proof = Derivation("a.proof", "of parts", (), (twice,), (one, other), "end", {"p": P}, concludes=ends)
    assert not unconcluded("CLAIM", STATED, STATED.hypothesis_lines, [proof])


@pytest.mark.parametrize(
    ("text", "relation"),
    [
        ("p > 2", P > 2),
        ("2 < p", P > 2),
        ("0 < p <= l", P <= L),
        ("2 p (l - 1) <= m", 2 * P * L - 2 * P <= M),
        ("p = l", sp.Eq(L, P)),
        ("q <= l^2", P <= L),  # the claim says what q is
    ],
)
def test_a_text_is_the_relation_that_it_is_taken_for(text, relation):
    assert not list(misread(_supposing(text, relation)))


@pytest.mark.parametrize(
    ("text", "relation"),
    [
        ("p > 2", P > 1000),
        ("p > 2", P < 2),
        ("p > 2", P >= 2),
        ("0 < p <= l", P < L),
        ("p <= l", P <= L**2),
        ("p <= l", L <= P),
        ("p is a number", P > 7),
        ("p > 2 :)", P > 1000),
        ("p has norm at most l", P <= L),
        ("1 <= 2", sp.Le(P, L)),
    ],
)
def test_a_text_is_no_other_relation(text, relation):
    assert any("is taken for" in wrong for wrong in misread(_supposing(text, relation)))


def _supposing(text, relation):
    step = Step("end", "", lhs=P, rhs=P, premises=(text,))
    return Derivation("a.proof", "of a part", (), (Hypothesis(text, relation),), (step,), "end", {"p": P})


def test_a_hypothesis_in_words_stands_in_the_claim_word_for_word():
    assert _foreign("independent draws")
    assert not _foreign("independent draws", about=("Of n independent draws from each law the shares are taken.",))
    assert not _foreign("independent draws", about=("Independent draws",))
    assert _foreign("independent draws", about=("Of independent drawstrings.",))
    assert _foreign("independent draws", about=("Of draws that are independent.",))


def test_what_is_granted_has_to_be_said_too():
    other = {"they are independent": "independent draws"}
    assert not _foreign("they are independent", granted=other, about=("Of independent draws.",))
    assert _foreign("they are independent", granted=other)
    assert _foreign("they are independent", about=("Of independent draws.",))


def _with_parts():
    for claim in all_claims():
        stands = what_stands(claim)
        if stands is None:
            continue
        for proof in _proofs(claim):
            if any(one.claim == claim.id and one.part for one in proof.concludes):
                yield claim, stands, proof


def test_no_proof_of_a_part_supposes_what_nobody_says():
    """Of every part in the ledger: a hypothesis more is noticed, and so is each that only its own words say."""
    asked = said_here = 0
    for claim, stands, proof in _with_parts():
        beside = (*stands.hypothesis_lines, *claim.about.split(": "))
        ends = {one.step for one in proof.concludes if one.claim == claim.id and one.part}
        steps = tuple(
            replace(s, premises=(*s.premises, "the moon is full")) if s.name in ends else s for s in proof.steps
        )
        supposing = replace(proof, hypotheses=(*proof.hypotheses, "the moon is full"), steps=steps, faults=())
        assert any("moon" in text for text in unconcluded(claim.id, stands, beside, [supposing])), (claim.id, proof.id)
        bare = tuple(replace(one, part="a part", granted={}) if one.part else one for one in proof.concludes)
        wrong = unconcluded(claim.id, stands, beside, [replace(proof, concludes=bare, faults=())])
        said_here += any("is not one of" in text for text in wrong)
        asked += 1
    assert asked > 90 and said_here > 20


def test_the_ledger_is_asked():
    claim = find("N24-Fig2")
    assert not mismatches(claim)
    silent = replace(
        claim, about=claim.about.replace("independent", ""), statement=claim.statement.replace("independent", "")
    )
    assert any("'independent draws' is not one of N24-Fig2" in text for text in mismatches(silent))


def test_the_page_shows_which_words_of_the_claim_say_a_hypothesis():
    claim = find("KM-2.7")
    (proof,) = (one for one in _proofs(claim) if one.id == "trade_off.conversion")
    text = carried(claim, proof)
    assert "h(a) is the largest H_a over ordered neighbouring pairs" in text
    assert "the largest divergence over both orders of every neighbouring pair" in text
