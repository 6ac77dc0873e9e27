"""What people read: a derivation shown step by step. Each one of the package is shown in
test_symbolic_derivations.py.
"""

from __future__ import annotations

import dataclasses

import pytest
import sympy as sp

from ndis_verify.claim import Claim, Verdict
from ndis_verify.claims.ledger import find
from ndis_verify.court.judge import Judgement
from ndis_verify.report.derivations import steps_table
from ndis_verify.report.verdicts import claim_record, terminal_table
from ndis_verify.symbolic import generalized_chi2, hinge, mean_shift
from ndis_verify.symbolic.derivation import Step


def test_reasons_and_prose_are_told_apart_from_what_was_decided():
    text = steps_table(mean_shift.hockey_stick())
    assert "cut at the edge [fact]" in text and "hinge [decided]" in text
    assert "-- The mass less the tilted mass." in text
    said = Step("said", "So it is said.", kind="argument")
    argued = dataclasses.replace(generalized_chi2.first_law(), steps=(*generalized_chi2.first_law().steps, said))
    assert "said [argument]" in steps_table(argued) and "argued in prose: said" in steps_table(argued)


def test_a_planted_fault_is_shown():
    mutant, *_ = mean_shift.hockey_stick().mutants().values()
    text = steps_table(mutant)
    assert "closed form [FALSE]" in text
    assert text.splitlines()[-1].startswith("NOT proved: ")


def test_an_undecided_step_is_not_called_decided():
    derivation = generalized_chi2.first_law()
    x = sp.Symbol("x")
    unknown = Step("unknown", "no rule decides it", lhs=sp.asinh(x), rhs=sp.log(x + sp.sqrt(x**2 + 1)))
    text = steps_table(dataclasses.replace(derivation, steps=(*derivation.steps, unknown)))
    assert "unknown [UNDECIDED]" in text
    assert text.splitlines()[-1].startswith("NOT proved: 4 of 5 ")


def test_long_statements_are_cut_and_say_so():
    x = sp.Symbol("x")
    long = Step("long", "by expansion", lhs=sp.Add(*(x**k for k in range(300))), rhs=x)
    derivation = generalized_chi2.first_law()
    text = steps_table(dataclasses.replace(derivation, steps=(*derivation.steps, long)))
    assert f"... ({len(long.text)} characters in all)" in text


def test_an_inequality_shows_its_witness():
    text = steps_table(hinge.linear_exponent())
    assert "left - right = -beta*v" in text


@pytest.mark.parametrize("verdict", ["refuted", "restricted", "proved", "supported"])
def test_what_is_wrong_in_a_source_stands_under_its_claim_and_under_no_other(verdict):
    claim = Claim("X-1", "N26", "title", "statement", Verdict(verdict), counterexample="at 1/2", corrected="as 2/3")
    for agrees in (True, False):
        judgement = Judgement("X-1", "N26", verdict, verdict, agrees, False, (), ("a check: why not",), 1, 1, 0.0)
        text = terminal_table([judgement], {"X-1": claim})
        found = verdict in ("refuted", "restricted")
        assert ("counterexample: at 1/2" in text) == ("corrected: as 2/3" in text) == found
        assert ("why not" in text) == (f"declared {verdict}" in text) == (" ! " in text) == (not agrees)


def test_a_record_says_where_its_checks_look():
    """A shrunk domain or a loosened tolerance shows."""
    search = next(c for c in claim_record(find("KM-4.3"))["checks"] if c["kind"] == "attack")
    assert any("eps in" in line for line in search["domain"]) and search["tolerance"] == 1e-9
    assert search["evaluations"]["full"] >= search["evaluations"]["quick"] > 0
    box = next(c for c in claim_record(find("BW-Fig1-monotone"))["checks"] if c["kind"] == "enclosure")
    assert box["domain"][0] == "epsilon in [1e-06, 1]"
    assert any("digits" in check for check in claim_record(find("N26-P1"))["checks"])
