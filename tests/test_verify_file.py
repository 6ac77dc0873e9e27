"""`verify FILE`: a verdict is of the statement that the file makes now, and a statement without one ends no run."""

import json
import sys

import pytest
from command_line import run

from ndis_verify.claims import session
from ndis_verify.claims.own_claims import heard_as_json, load_claims, taken_up
from ndis_verify.claims.session import _loaded_below, _text_of
from ndis_verify.court.domain import VacuityError
from ndis_verify.court.statement_settle import settle
from ndis_verify.statements.reading import statement
from ndis_verify.statements.statement import real

HEAD = """
from ndis_verify.statements.statement import Relation, Statement, integer, real, vector
from ndis_verify.statements.terms import apply, coordinate, variable
x, y, z = map(variable, "xyz")
"""
BOUND = HEAD + "BOUND = Statement((real('x', 0, 1),), (), Relation(x, '<=', LIMIT))\n"
BESIDE_OTHERS = """
GOOD = Statement((real("z", 0, 1),), (), Relation(z, "<=", 2))
NOWHERE = Statement((real("x", 0, 1), real("y", 0, 1)), (Relation(x + y, "=", 1),), Relation(x, ">=", 5))
ALSO_GOOD = Statement((real("z", 0, 1),), (), Relation(z, "<=", 3))
"""


def test_a_verdict_is_taken_up_for_its_own_statement_alone():
    true, false = (statement(f"x <= {bound}", over=(real("x", 0, 1),)) for bound in ("2", "1/2"))
    kept = json.loads(json.dumps(heard_as_json("BOUND", true, "quick")))
    claim, _ = taken_up("BOUND", true, kept)
    assert claim.declared == "certified"
    with pytest.raises(ValueError, match="another statement"):
        taken_up("BOUND", false, kept)


def test_the_journal_of_a_file_is_of_the_packages_that_it_loads_from_its_folder(tmp_path):
    package = tmp_path / "limits_of_bound"
    package.mkdir()
    (package / "__init__.py").write_text("")
    limits, path = package / "limits.py", tmp_path / "mine.py"
    limits.write_text("LIMIT = 2\n")
    path.write_text("from limits_of_bound.limits import LIMIT\n" + BOUND)
    load_claims(path)
    below = _loaded_below(tmp_path)
    assert {limits, package / "__init__.py"} == set(below)
    before = _text_of(path, below)
    limits.write_text("LIMIT = '0.5'\n")
    assert _text_of(path, below) != before
    for name in ("limits_of_bound", "limits_of_bound.limits"):
        del sys.modules[name]


def test_a_run_goes_on_from_no_verdict_of_what_a_file_of_data_said_before(tmp_path, monkeypatch):
    """The header of the journal is the same: the file is."""
    path, data, journal = tmp_path / "mine.py", tmp_path / "limit.txt", tmp_path / "journal.jsonl"
    path.write_text(
        f"LIMIT = open({str(data)!r}).read()\n{BOUND}LAST = Statement((real('y', 0, 1),), (), Relation(y, '<=', 2))"
    )
    data.write_text("2")

    def stopped(name, *rest):
        if name == "LAST":
            raise KeyboardInterrupt
        return heard_as_json(name, *rest)

    nothing = lambda done, total, label: None
    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr(session, "heard_as_json", stopped)
        session.run_file(str(path), "quick", journal, 1, nothing)
    assert journal.read_text().count('"id": "BOUND"') == 1
    data.write_text("0.5")
    session._LOADED.clear()  # as in another process
    _, judgements = session.run_file(str(path), "quick", journal, 1, nothing)
    assert [judgement.verdict for judgement in judgements] == ["refuted", "certified"]


def test_a_statement_that_cannot_be_settled_is_open_and_the_others_have_their_verdicts(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(HEAD + BESIDE_OTHERS)
    with pytest.raises(VacuityError):
        settle(load_claims(path)["NOWHERE"])
    done = run("verify", str(path), "--jobs", "1", "--output", str(tmp_path / "out"))
    assert "2 certified" in done.stdout and "1 open" in done.stdout, done.stdout + done.stderr
    assert "none of 4096 random points satisfies x + y = 1" in (tmp_path / "out" / "report.md").read_text()
