"""What one process of a test run heard is taken by another only where it would compute the same."""

import json
import os
from dataclasses import replace

import pytest
from command_line import run

from ndis_verify.claim import Evidence, Outcome
from ndis_verify.claims.ledger import find
from ndis_verify.claims.session import _heard_by_id
from ndis_verify.court import shared_hearings
from ndis_verify.court.certificate_store import FOLDER
from ndis_verify.court.judge import heard, judge, judged
from ndis_verify.symbolic import zero

CLAIM = find("N24-F2")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv(shared_hearings.VARIABLE, str(tmp_path))
    return tmp_path


def marked(folder):
    """The kept evidence of `CLAIM`, changed so that it is known again where it is taken."""
    (path,) = folder.glob("*.json")
    kept = json.loads(path.read_text(encoding="utf-8"))
    kept["checks"][0][1]["detail"] = "heard elsewhere"
    path.write_text(json.dumps(kept), encoding="utf-8")
    return path


def taken(judgement):
    return any("heard elsewhere" in line for line in judgement.evidence)


def test_a_second_process_takes_the_evidence_and_decides_the_verdict_itself(folder):
    assert judge(CLAIM).agrees
    path = marked(folder)
    assert taken(judge(CLAIM)) and judge(CLAIM).agrees
    kept = json.loads(path.read_text(encoding="utf-8"))
    kept["checks"][0][1]["outcome"] = "failed"
    path.write_text(json.dumps(kept), encoding="utf-8")
    assert not judge(CLAIM).agrees


def test_it_is_not_believed_of_other_sources_another_effort_or_another_claim(folder, monkeypatch):
    judge(CLAIM)
    marked(folder)
    assert not taken(judge(replace(CLAIM)))  # the same id, and not the ledger's
    of_effort = shared_hearings.shared(CLAIM, "full", lambda claim, effort: heard(claim))  # what it hears costs little
    assert not taken(judged(CLAIM, of_effort)) and not taken(judge(find("N26-F1")))
    monkeypatch.setattr(shared_hearings, "_run", lambda: "a source has changed")
    assert not taken(judge(CLAIM))


@pytest.mark.parametrize(
    "text", ["", "{}", "[]", '{"checks": [], "seconds": 1}', '{"checks": [[1]], "seconds": 1}', "\x00"]
)
def test_what_is_no_hearing_is_heard_again(folder, text):
    judge(CLAIM)
    (path,) = folder.glob("*.json")
    path.write_text(text, encoding="utf-8")
    assert judge(CLAIM).agrees and json.loads(path.read_text(encoding="utf-8"))["checks"]


def test_verify_never_looks_there(folder):
    judge(CLAIM)
    marked(folder)
    assert "heard elsewhere" not in json.dumps(_heard_by_id(CLAIM.id, "quick", FOLDER, False))


def test_an_empty_name_switches_it_off(folder, monkeypatch):
    judge(CLAIM)
    marked(folder)
    monkeypatch.setenv(shared_hearings.VARIABLE, "")
    assert not taken(judge(CLAIM))


def test_claims_of_ones_own_leave_nothing(folder):
    judge(replace(CLAIM, id="MINE"))
    failing = replace(CLAIM.checks[0], run=lambda effort: Evidence(Outcome.FAILED, "route", "detail"))
    assert not judge(replace(CLAIM, checks=(failing,))).agrees
    assert not list(folder.glob("*.json")) and heard(CLAIM).checks


def test_the_command_verify_takes_nothing_from_another_process(folder, tmp_path, monkeypatch):
    judge(CLAIM)
    path = marked(folder)
    seen = tmp_path.parent / "seen"  # verify's own processes decide

    def decided(expression, decide):
        with seen.open("a", encoding="utf-8") as file:
            print(os.environ.get(shared_hearings.VARIABLE, "alone"), file=file)
        return decide(expression)

    monkeypatch.setattr(zero, "shared", decided)
    done = run("verify", CLAIM.id, "N26-P1", "--jobs", "1", "--json", "--output", str(tmp_path / "report"))
    assert done.returncode == 0 and "heard elsewhere" not in done.stdout and path.exists()
    assert os.environ[shared_hearings.VARIABLE] == str(folder)
    # none where all is decided already
    assert not seen.exists() or set(seen.read_text(encoding="utf-8").split()) == {"alone"}
