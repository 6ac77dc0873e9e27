"""What a run has decided of a derivation is taken of that derivation alone, under the same sources, while it lasts."""

from dataclasses import replace

from ndis_verify.claim import Outcome
from ndis_verify.claims import session
from ndis_verify.court import proofs_of_a_run
from ndis_verify.court.proof_checks import ProofRun, proof
from ndis_verify.court.proofs_of_a_run import Builder, Told, all_builders, is_told, proved, sources, told, told_by
from ndis_verify.runs.journal import Journal
from ndis_verify.symbolic import mean_shift
from ndis_verify.symbolic.derivation import Derivation, Step

GOOD = Builder("ndis_verify.symbolic.mean_shift", "hockey_stick")


def own(*builders):
    return Told(sources(), {one.derivation().id: one for one in builders})


def one_step(relation_holds):
    """A derivation of this file; its only step is an equation that is true, or false."""
    step = Step("end", "for the test", lhs=1, rhs=1 if relation_holds else 2, reduce=lambda left, right: left - right)
    return Derivation("here.made", "made", (), (), (step,), "end", {})


def test_only_what_is_true_is_told(monkeypatch):
    assert proved(GOOD) == (mean_shift.hockey_stick().id, sources())
    broken = one_step(False)
    monkeypatch.setattr(mean_shift, "broken", lambda: broken, raising=False)
    monkeypatch.setattr(mean_shift, "whole", lambda: one_step(True), raising=False)
    assert proved(Builder("ndis_verify.symbolic.mean_shift", "broken")) is None
    assert proved(Builder("ndis_verify.symbolic.mean_shift", "whole")) is None  # another object every time
    monkeypatch.setattr(proofs_of_a_run, "problems", lambda derivation: ["an idle step"])
    assert proved(GOOD) is None


def test_it_is_taken_of_the_same_object_and_inside_alone():
    found = mean_shift.hockey_stick()
    with told(own(GOOD)):
        assert is_told(found)
        assert not is_told(replace(found))  # equal in all, with the same id
        assert not any(map(is_told, found.mutants().values()))
    assert not is_told(found)
    with told(None):
        assert not is_told(found)


def test_nor_under_other_sources(monkeypatch):
    answers = [(GOOD, proved(GOOD))]
    assert told_by(answers).true == {mean_shift.hockey_stick().id: GOOD}
    monkeypatch.setattr(proofs_of_a_run, "sources", lambda: "a source has changed")
    assert told_by(answers).true == {} and told_by([(GOOD, None)]).true == {}
    monkeypatch.undo()
    known = told_by(answers)
    monkeypatch.setattr(proofs_of_a_run, "sources", lambda: "a source has changed")
    with told(known):
        assert not is_told(mean_shift.hockey_stick())


def test_faults_of_a_derivation_that_was_told_are_caught():
    """Its steps are shared with the faults: all but the one that is changed."""
    check = proof("told", mean_shift.hockey_stick)
    assert len(check.mutants) > 1
    with told(own(GOOD)):
        whole = check.run("quick")
        assert whole.outcome is Outcome.HELD and whole.count > 1
        assert [run("quick").outcome for run in check.mutants.values()] == [Outcome.FAILED] * len(check.mutants)
    for step in mean_shift.hockey_stick().steps:
        if step.kind == "identity":
            assert replace(step).holds is True  # decided anew, and so it is


def test_a_false_derivation_with_the_id_of_one_that_was_told_falls():
    broken = replace(one_step(False), id=mean_shift.hockey_stick().id)
    with told(own(GOOD)):
        assert ProofRun(lambda: broken)("quick").outcome is Outcome.FAILED


def test_every_derivation_is_named_by_one_function():
    names = [str(builder) for builder in all_builders()]
    assert len(set(names)) == len(names)
    assert set(session._LONGEST_PROOFS) <= set(names)


def test_a_run_with_proofs_decided_first_finds_the_same(tmp_path, monkeypatch):
    """The same evidence of the same claims, by processes that were told and by one that was not."""
    ids = ["N26-P1", "BW-T8", "N26-L3"]
    used = [one for one in all_builders() if one.module.rpartition(".")[2] in ("mean_shift", "covariance_order")]
    monkeypatch.setattr(session, "_MANY", 1)
    monkeypatch.setattr(session, "all_builders", lambda: tuple(used))
    asked = []
    decided = session._decided_proofs
    monkeypatch.setattr(session, "_decided_proofs", lambda jobs: asked.append(decided(jobs)) or asked[-1])
    runs = []
    for jobs in (2, 1):
        with session.session_journal(tmp_path / f"{jobs}.jsonl", "quick") as journal:
            assert isinstance(journal, Journal)
            runs.append(session.run_session(ids, "quick", journal, jobs, lambda done, total, label: None))
    assert len(asked) == 1 and len(asked[0].true) == len(used)
    for one, other in zip(*runs, strict=True):
        assert replace(one, seconds=0) == replace(other, seconds=0)
        assert one.agrees and one.mutants_killed == one.mutants > 0
