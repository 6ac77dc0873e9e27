"""Long runs: journals that are damaged, forged, shared or stopped; processes that end with their parent."""

import json
import multiprocessing
import os
import re
import signal
import time
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from flint import arb
from hypothesis import given, settings
from hypothesis import strategies as st

from ndis_verify.claim import Check, Claim, Evidence, Kind, Outcome, Verdict
from ndis_verify.claims import ledger, session
from ndis_verify.cli import main
from ndis_verify.commands import audit_study
from ndis_verify.court import certificate_store, certify
from ndis_verify.court.attack import Problem, attack_problem
from ndis_verify.court.certify_box import axis
from ndis_verify.court.domain import Domain, continuous
from ndis_verify.exact_number import InputError
from ndis_verify.experiments import Experiment, Finding
from ndis_verify.experiments import run as run_experiment
from ndis_verify.experiments.framework import run_journal
from ndis_verify.hunts import blocks as hunts
from ndis_verify.hunts.hunt import HuntRecord
from ndis_verify.reference import build as building
from ndis_verify.reference.conformance.judge import Judgement
from ndis_verify.reference.conformance.run import Run
from ndis_verify.reference.conformance.run import _journal as conformance_journal
from ndis_verify.reference.families import all_rows
from ndis_verify.runs import files, pool
from ndis_verify.runs import journal as journals
from ndis_verify.runs.files import open_regular, write_atomically
from ndis_verify.runs.journal import Journal

FLIPS = 500
PLAIN = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
NESTED = st.recursive(PLAIN, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=8)
LINES = st.lists(st.tuples(st.text(), NESTED))


@contextmanager
def kept(path, run="run", **options):
    """A journal that stays when it is left."""
    with Journal(path, run, **options) as journal:
        yield journal
        journal.kept = True


def filled(path, count=4):
    with kept(path) as journal:
        for k in range(count):
            journal.append(f"id {k}", {"number": k})
    return path.read_bytes().splitlines(keepends=True)


# --- what a journal believes


@given(lines=LINES)
@settings(max_examples=20)
def test_a_journal_gives_back_what_it_took(tmp_path_factory, lines):
    path = tmp_path_factory.mktemp("journal") / "j.jsonl"
    with kept(path) as first:
        for key, content in lines:
            assert first.append(key, content) == content
    with Journal(path, "run") as again:
        assert again.done == first.done == dict(lines) and (again.resumed, again.damaged) == (len(dict(lines)), 0)
    assert not path.exists()


@pytest.mark.parametrize(
    "harm, left",
    [
        (lambda h, a, b, c, d: [h, a, b, c, d[:-9]], "abc"),
        (lambda h, a, b, c, d: [h, a, c, d], "acd"),
        (lambda h, a, b, c, d: [h, a, b, b, c, d], "abcd"),
        (lambda h, a, b, c, d: [h, b, a, c, d], "bcd"),
        (lambda h, a, b, c, d: [h, a, b, c, d.replace(b"id 3", b"id 9")], "abc"),
        (lambda h, a, b, c, d: [h, a, b.replace(b'"number": 1', b'"number": 7'), c, d], "acd"),
        (lambda h, a, b, c, d: [h, a, b" " + b, c, d], "acd"),
        (lambda h, a, b, c, d: [h, a, b.replace(b"\n", b"\r\n"), c, d], "acd"),
        (lambda h, a, b, c, d: [h, a, b"\xff\n", b"[" * 9999 + b"\n", b"{}\n", d], "ad"),
        (lambda h, a, b, c, d: [a, b, c, d], ""),
        (lambda h, a, b, c, d: [h.replace(b"run", b"ran", 1), a, b, c, d], ""),
        (lambda *lines: [b""], ""),
    ],
)
def test_a_line_is_believed_only_where_and_as_it_was_written(tmp_path, capsys, harm, left):
    path = tmp_path / "j.jsonl"
    lines = filled(path)
    damaged = harm(*lines)
    path.write_bytes(b"".join(damaged))
    with kept(path) as again:
        assert again.done == {f"id {'abcd'.index(k)}": {"number": "abcd".index(k)} for k in left}
        again.append("new", 1)
    told = capsys.readouterr().err
    silent = damaged in ([b""], [lines[0], lines[1], *lines[3:]])  # what is not there is not damaged
    assert silent != ("not believed" in told or "started over" in told)
    with Journal(path, "run") as repaired:
        assert repaired.damaged == 0 and len(repaired.done) == len(left) + 1, "the file was repaired"
    assert not capsys.readouterr().err


def test_a_line_of_another_run_is_not_believed(tmp_path):
    mine = filled(tmp_path / "mine.jsonl")
    with kept(tmp_path / "other.jsonl", "another run") as journal:
        for key in ("id 0", "id 1"):
            journal.append(key, {"number": "forged"})
    forged = (tmp_path / "other.jsonl").read_bytes().splitlines(keepends=True)[2]
    (tmp_path / "mine.jsonl").write_bytes(b"".join([*mine[:2], forged, *mine[3:]]))
    with Journal(tmp_path / "mine.jsonl", "run") as journal:
        assert journal.damaged == 1 and set(journal.done) == {"id 0", "id 2", "id 3"}


def test_a_content_that_its_reader_refuses_is_computed_again(tmp_path):
    filled(tmp_path / "j.jsonl")

    def read(key, content):
        if content["number"] == 2:
            raise KeyError("no such thing")
        return -content["number"]

    with Journal(tmp_path / "j.jsonl", "run", read=read) as journal:
        assert journal.done == {"id 0": 0, "id 1": -1, "id 3": -3} and journal.damaged == 1


def test_a_repair_leaves_the_old_file_or_the_new_one(tmp_path, monkeypatch):
    path = tmp_path / "j.jsonl"
    filled(path)
    path.write_bytes(path.read_bytes() + b"half a li")
    before, order = path.read_bytes(), []

    def crash(*names):
        order.append("rename")
        raise OSError("the machine went away")

    sync = os.fsync
    monkeypatch.setattr(files.os, "fsync", lambda handle: (order.append("sync"), sync(handle)))
    monkeypatch.setattr(files.os, "replace", crash)
    with pytest.raises(OSError, match="went away"):
        Journal(path, "run")
    assert (
        path.read_bytes() == before
        and [p.name for p in tmp_path.iterdir()] == ["j.jsonl"]
        and order == ["sync", "rename"]
    )
    monkeypatch.undo()
    with Journal(path, "run") as journal:
        assert len(journal.done) == 4


def test_a_full_disk_ends_the_run(tmp_path, monkeypatch):
    with kept(tmp_path / "j.jsonl") as journal:
        journal.append("a", 1)
        monkeypatch.setattr(journals.os, "write", lambda handle, line: len(line) - 1)
        with pytest.raises(OSError, match="a part of a line"):
            journal.append("b", 2)
        assert journal.done == {"a": 1}


def test_an_output_that_is_no_journal_is_never_overwritten(tmp_path):
    path = tmp_path / "notes.txt"
    path.write_text("my notes\n")
    with pytest.raises(InputError, match="another version or another run"):
        Journal(path, "run", kept=True)
    assert path.read_text() == "my notes\n"


# --- whose file it is


def test_a_second_run_is_refused_until_the_first_has_ended(tmp_path):
    path = tmp_path / "j.jsonl"
    with kept(path) as first:
        first.append("a", 1)
        for options in ({}, {"anew": True}, {"kept": True}):
            with pytest.raises(InputError, match="another run is at work"):
                Journal(path, "run", **options)
        first.append("b", 2)
    with Journal(path, "run") as second:
        assert second.done == {"a": 1, "b": 2}


def test_a_file_that_is_replaced_while_it_is_locked_is_locked_anew(tmp_path, monkeypatch):
    path, lock, removed = tmp_path / "j.jsonl", journals.fcntl.flock, []
    filled(path)

    def slow(handle, how):
        if not removed:  # the run that had it ends, and removes it
            removed.append(path.unlink())
        return lock(handle, how)

    monkeypatch.setattr(journals.fcntl, "flock", slow)
    with kept(path) as journal:
        journal.append("a", 1)
    assert removed and path.read_bytes().count(b"\n") == 2


def test_an_ended_run_removes_its_own_file_only(tmp_path):
    path = tmp_path / "j.jsonl"
    with Journal(path, "run") as journal:
        journal.append("a", 1)
        path.unlink()
        path.write_text("of another run")
    assert path.read_text() == "of another run"


@pytest.mark.parametrize(
    "make",
    [
        lambda path, other: path.symlink_to(other),
        lambda path, other: path.symlink_to("/dev/zero"),
        lambda path, other: path.symlink_to("nowhere"),
        lambda path, other: os.mkfifo(path),
        lambda path, other: path.mkdir(),
    ],
)
def test_only_regular_files_are_opened(tmp_path, make):
    other = tmp_path / "precious"
    other.write_text("untouched")
    make(tmp_path / "j.jsonl", other)
    with pytest.raises(InputError, match="regular file"):
        Journal(tmp_path / "j.jsonl", "run")
    with pytest.raises(InputError, match="regular file"):
        open_regular(tmp_path / "j.jsonl")
    assert other.read_text() == "untouched"
    with pytest.raises(InputError, match="regular file"):
        open_regular(Path("/dev/zero"))


def test_a_file_without_end_is_refused(tmp_path, monkeypatch):
    filled(tmp_path / "j.jsonl")
    monkeypatch.setattr(journals, "MAX_BYTES", 100)
    with pytest.raises(InputError, match="at most 100 bytes"):
        Journal(tmp_path / "j.jsonl", "run")
    with pytest.raises(InputError, match="at most 9 bytes"):
        files.read_regular(tmp_path / "j.jsonl", 9)


def test_a_file_is_written_whole_through_no_link(tmp_path):
    other = tmp_path / "precious"
    other.write_text("untouched")
    (tmp_path / "link").symlink_to(other)
    write_atomically(tmp_path / "link", "new")
    assert (
        other.read_text() == "untouched"
        and (tmp_path / "link").read_text() == "new"
        and not (tmp_path / "link").is_symlink()
    )


# --- every kind of kept record: the run of each, small, with a `step` in every part of its work


def toy_ledger(monkeypatch, step):
    """Claims A to D; C is not as declared."""

    def claim(name, declared=Verdict.PROVED):
        def run(effort):
            step()
            return Evidence(Outcome.HELD, "route", f"detail of {name}", digits=12, count=3)

        faults = {"planted": lambda effort: Evidence(Outcome.FAILED, "route", "found")}
        return Claim(
            name,
            "OWN",
            f"title of {name}",
            "statement",
            declared,
            (Check(f"check of {name}", Kind.PROOF, run, faults),),
        )

    claims = {name: claim(name) for name in "ABD"} | {"C": claim("C", Verdict.SUPPORTED)}
    monkeypatch.setattr(ledger, "find", claims.__getitem__)
    monkeypatch.setattr(session, "find", claims.__getitem__)


def verify(folder, step, monkeypatch):
    toy_ledger(monkeypatch, step)
    return main(["verify", *"ABCD", "--jobs", "1", "--output", str(folder)])


def an_attack(folder, step, monkeypatch):
    def margin(x, y):
        step(0.01)
        return 2 + np.sin(9 * x) * np.cos(7 * y)

    problem = Problem("claim", margin, Domain((continuous("x", -1, 1), continuous("y", -1, 1))))
    return attack_problem(problem, evaluations=4000, journal=folder / "j.jsonl")


def branch_and_bound(folder, step, monkeypatch):
    def hill(x):
        step(0.2)
        return 1 + arb(10) ** -4 - (x - arb("0.3")) ** 2 * 4 + (x - arb("0.3")) ** 2 * 4

    monkeypatch.setattr(certify, "_JOURNAL_SECONDS", -1.0)
    return certify.certify_nonnegative(hill, [axis("x", 0, 1)], journal=folder / "j.jsonl", name="hill")


def hunt(folder, step, monkeypatch):
    def hunted(block):
        step()
        wastes = {"least_waste": 1e-13, "largest_waste": 1e-9, "largest_waste_float64": 1e-9}
        counts = {"points": block.points, "free": 0, "certified": 1, "unsafe": 0, "undecided": 0}
        return HuntRecord(
            family=block.family,
            seed=[block.seed, block.number],
            worst={"epsilon": 0.25},
            seconds=0.5,
            **counts,
            **wastes,
        )

    monkeypatch.setattr(hunts, "hunted", hunted)
    return hunts.run(hunts.blocks(["gaussian mechanism"], 4000, 4, 0), folder / "j.jsonl", 1)


def experiment(folder, step, monkeypatch):
    def measure(cell, rng, table):
        step()
        return [{"k": cell["k"], "draw": rng.standard_normal()}]

    toy = Experiment(
        "toy",
        "A toy",
        ("X",),
        "none",
        lambda size, table: [{"k": k} for k in range(6)],
        measure,
        lambda rows: [Finding("six rows", len(rows) == 6)],
    )
    with run_journal(folder / "j.jsonl", toy, "quick", 3, None) as journal:
        return run_experiment(toy, seed=3, journal=journal)


def study(folder, step, monkeypatch):
    def block(part, methods, **options):
        step()
        return {
            method: {"runs": part.runs, "above": 1, "sum": 0.5, "squares": 0.25, "infinite": 0} for method in methods
        }

    monkeypatch.setattr(audit_study, "_block", block)
    options = ["--cases", "identical normal", "--sizes", "100", "--runs", "1200", "--json"]
    return main(["audit", "study", *options, "--output", str(folder)])


def build(folder, step, monkeypatch):
    quantity = "gaussian_hockey_stick"
    rows = [row for row in all_rows()[quantity] if row.refusal is None][:5]

    def computed(row):
        step()
        return building.finished(row, {"value": "0.5", "radius": "0", "basis": "bound", "second": "0.5"})

    monkeypatch.setattr(building, "all_rows", lambda: {quantity: rows})
    monkeypatch.setattr(building, "computed", computed)
    return building.build(folder)


def conformance(folder, step, monkeypatch):
    unsafe = Judgement("gaussian_std", "row", ("flag",), "unsafe", "too small", "0.5", -1e-3, float("inf"), 0.25)
    verdicts = [replace(unsafe, row=f"row {k}") for k in range(5)]
    with conformance_journal(folder / "conformance.jsonl", Run(("an", "implementation"), tolerance="1e-9")) as journal:
        for verdict in verdicts:
            step()
            journal.append(verdict.key, {**vars(verdict)})
    return verdicts


KINDS = {
    kind.__name__: kind for kind in (verify, an_attack, branch_and_bound, hunt, experiment, study, build, conformance)
}
UNKNOWN_FIELDS = ("verify", "branch_and_bound")  # leave alone what they do not know; verdicts and the like are not read
RESUMED = [name for name in KINDS if name != "conformance"]


@pytest.fixture
def journals_left(monkeypatch):
    """The journals that runs open, each with the bytes that it had when it was left."""
    seen, leave = [], Journal.__exit__

    def left(journal, *how):
        seen.append((journal, journal.path.read_bytes()))
        return leave(journal, *how)

    monkeypatch.setattr(Journal, "__exit__", left)
    return seen


def nothing(*seconds):
    pass


def flips(data, seed):
    """`FLIPS` copies with one byte changed, and where."""
    rng = np.random.default_rng(seed)
    for place, change in zip(rng.integers(0, len(data), FLIPS), rng.integers(1, 256, FLIPS)):
        yield int(place), data[:place] + bytes([data[place] ^ int(change)]) + data[place + 1 :]


@pytest.mark.parametrize("kind", KINDS)
def test_no_flipped_byte_of_a_journal_is_believed(tmp_path, monkeypatch, journals_left, capsys, kind):
    KINDS[kind](tmp_path, nothing, monkeypatch)
    journal, data = journals_left[0]
    whole, lines = journal.believed(data)
    assert whole == journal.done and len(lines) == data.count(b"\n") - 1 >= 2
    ends = np.cumsum([0, *(len(line) for line in data.splitlines(keepends=True))])
    for place, damaged in flips(data, len(data)):
        values, believed = journal.believed(damaged)
        hit = int(np.searchsorted(ends, place, side="right")) - 1  # 0: the header, under which nothing is believed
        # Without its end a line takes the next one with it.
        lost = {line for k, line in enumerate(lines, 1) if hit in (0, k) or (hit == k - 1 and place == ends[k] - 1)}
        assert set(believed) == set(lines) - lost, (place, damaged[max(0, place - 20) : place + 20])
        assert all(values[key] == whole[key] for key in values)


def test_no_flipped_byte_of_a_certificate_is_believed(tmp_path):
    source = min(certificate_store.FOLDER.glob("*.json"), key=lambda path: path.stat().st_size)
    path, data = tmp_path / source.name, source.read_bytes()
    path.write_bytes(data)
    assert certificate_store.read(path) is not None
    for place, damaged in flips(data, 11):
        path.write_bytes(damaged)
        with pytest.raises(certificate_store.CertificateError):
            certificate_store.read(path)


@pytest.mark.parametrize("kind", RESUMED)
def test_a_damaged_line_is_computed_again_and_reported(tmp_path, monkeypatch, journals_left, capsys, kind):
    first = KINDS[kind](tmp_path, nothing, monkeypatch)
    shown = capsys.readouterr().out
    journal, data = journals_left[0]
    lines = data.splitlines(keepends=True)
    for place in (len(lines) // 2, len(lines) - 1):
        broken = lines[place].replace(b"0", b"1", 1) if b"0" in lines[place] else lines[place][:-5]
        journal.path.write_bytes(b"".join([*lines[:place], broken, *lines[place + 1 :]]))
        again = KINDS[kind](tmp_path, nothing, monkeypatch)
        answer = capsys.readouterr()
        assert f"1 of {len(lines) - 1} lines damaged: not believed" in answer.err and journals_left[-1][0].damaged == 1
        if kind in ("verify", "study"):
            assert again == first and answer.out == shown
        elif kind in ("hunt", "experiment", "build"):
            assert again == first
        else:  # its seconds differ
            assert replace(again, seconds=0) == replace(first, seconds=0)


@pytest.mark.parametrize("kind", RESUMED)
def test_what_is_no_content_of_its_kind_is_not_believed_even_under_its_seal(tmp_path, monkeypatch, journals_left, kind):
    KINDS[kind](tmp_path, nothing, monkeypatch)
    journal, data = journals_left[0]
    *lines, last = data.splitlines(keepends=True)
    record = json.loads(last)
    content = record["content"]
    fields = list(content)[:4] + list(content)[-2:]
    odd = [
        None,
        3,
        "text",
        [],
        [[]],
        {},
        {"id": 1},
        *({name: content[name] for name in content if name != gone} for gone in fields),
    ]
    odd += [{**content, "unknown": 1}] if kind not in UNKNOWN_FIELDS else []
    for other in odd:
        values, _ = journal.believed(b"".join([*lines, journal._sealed(record["line"], record["id"], other)]))
        assert record["id"] not in values, other
        assert len(values) == len(journal.done) - 1


# --- forgeries


def test_a_verdict_cannot_be_forged_by_a_copied_line(tmp_path, monkeypatch, journals_left, capsys):
    assert verify(tmp_path, nothing, monkeypatch) == 1, "C is not as declared"
    journal, data = journals_left[0]
    header, a, b, c, d = data.splitlines(keepends=True)
    declared = b'"declared": "proved", "verdict": "proved", "agrees": true, '
    for forged in (a.replace(b'"id": "A"', b'"id": "C"'), a, c.replace(b'"content": {', b'"content": {' + declared)):
        journal.path.write_bytes(b"".join([header, a, b, forged, d]))
        heard = []
        assert verify(tmp_path, lambda: heard.append(1), monkeypatch) == 1 and len(heard) == 1
        assert "1 NOT as declared" in capsys.readouterr().out


def test_a_forger_with_the_seal_decides_nothing(tmp_path, monkeypatch, capsys):
    """The hearing of A under the name of C, sealed as it must be; and verdicts among the evidence."""
    toy_ledger(monkeypatch, nothing)
    hearing = session._heard_by_id("A", "quick", certificate_store.FOLDER, False)
    own = session._heard_by_id("C", "quick", certificate_store.FOLDER, False)
    for content in (hearing, own | {"declared": "proved", "agrees": True}):
        with (
            pytest.raises((ValueError, KeyError)) if content is hearing else nullcontext(),
            session.session_journal(tmp_path / "journal.jsonl", "quick") as journal,
        ):
            journal.kept = True
            journal.append("C", content)
        assert main(["verify", "C", "--jobs", "1", "--output", str(tmp_path)]) == 1
        assert "1 NOT as declared" in capsys.readouterr().out


def test_a_journal_of_other_sources_or_certificates_is_not_believed(tmp_path, monkeypatch):
    from ndis_verify.runs import identity as made

    root = tmp_path / "package"
    root.mkdir()
    (root / "a.py").write_text("a = 1\n")
    certificates = tmp_path / "certificates"
    certificates.mkdir()
    monkeypatch.setattr(made, "_ROOT", root)
    seen = [made.identity("run"), made.identity("run", folder=certificates)]
    (certificates / "one.json").write_text("{}")
    seen.append(made.identity("run", folder=certificates))
    (root / "a.py").write_text("a = 2\n")
    seen.append(made.identity("run"))
    (root / "a.py").rename(root / "b.py")
    seen.append(made.identity("run"))
    monkeypatch.setattr(made.metadata, "version", lambda name: "0")
    seen += [made.identity("run"), made.identity("another")]
    assert len(set(seen)) == len(seen) - 1 and seen[0] == seen[1], "an empty folder adds nothing"
    assert made.identity("run") == seen[-2]


# --- runs that are stopped


@contextmanager
def child(work):
    """A copy of this process that does `work` and ends: 130 after Ctrl-C, 1 after any other exception, else 0."""
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            os.setsid()
            signal.signal(signal.SIGINT, signal.default_int_handler)
            code = work() and 130
        except KeyboardInterrupt:
            code = 130
        finally:
            os._exit(code or 0)
    try:
        yield pid
    finally:
        with suppress(ChildProcessError):  # it was waited for
            if not os.waitpid(pid, os.WNOHANG)[0]:
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)


def end_of(pid):
    """How the child ended: its status; it has a minute."""
    return wait_for(lambda: [status for done, status in [os.waitpid(pid, os.WNOHANG)] if done], "it does not end", 60)[
        0
    ]


def wait_for(condition, what, seconds=120):
    until = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < until, what
        time.sleep(0.005)
    return found


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
@pytest.mark.parametrize("kind", KINDS)
def test_a_stopped_run_keeps_what_it_wrote(tmp_path, monkeypatch, journals_left, capsys, kind, how):
    def slowly(share=1.0):
        time.sleep(0.1 * share)

    with child(lambda: KINDS[kind](tmp_path, slowly, monkeypatch)) as pid:
        path = wait_for(
            lambda: next((p for p in tmp_path.glob("*.jsonl") if p.read_bytes().count(b"\n") >= 3), None), "no journal"
        )
        os.kill(pid, how)
        status = end_of(pid)
    assert os.WTERMSIG(status) == how if how == signal.SIGKILL else os.waitstatus_to_exitcode(status) == 130
    count = path.read_bytes().count(b"\n") - 1
    assert count >= 2, "what was written is gone"
    capsys.readouterr()
    KINDS[kind](tmp_path, nothing, monkeypatch)
    journal, data = journals_left[0]
    assert (journal.damaged == 0 and len(journal.believed(data)[1]) > count) or kind == "conformance"
    assert journal.resumed == (0 if kind == "conformance" else count)
    assert path.exists() == (kind in ("hunt", "conformance")) and "damaged" not in capsys.readouterr().err


@pytest.mark.parametrize("kind", ["verify", "study", "build", "conformance"])
def test_a_second_run_in_the_same_folder_harms_neither(tmp_path, monkeypatch, capsys, kind):
    def lines():
        return max((path.read_bytes().count(b"\n") for path in tmp_path.glob("*.jsonl")), default=0)

    def until_told(share=1.0):
        if lines() >= 2:
            wait_for((tmp_path / "go").exists, "not told")

    with child(lambda: KINDS[kind](tmp_path, until_told, monkeypatch)) as pid:
        wait_for(lambda: lines() >= 2, "no journal")
        if kind in ("verify", "study"):
            assert KINDS[kind](tmp_path, nothing, monkeypatch) == 2
            assert "another run is at work" in capsys.readouterr().err
        else:
            with pytest.raises(InputError, match="another run is at work"):
                KINDS[kind](tmp_path, nothing, monkeypatch)
        assert lines() == 2
        (tmp_path / "go").touch()
        status = end_of(pid)
    assert os.waitstatus_to_exitcode(status) in (0, 130)
    assert lines() == (6 if kind == "conformance" else 0)


def children(pid):
    found = []
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        with suppress(OSError):
            found += [int(one) for one in task.read_text().split()]
    return found


def spawned(pid):
    """Its workers; multiprocessing keeps one more process, which only tidies up."""
    return [one for one in children(pid) if b"spawn_main" in Path(f"/proc/{one}/cmdline").read_bytes()]


def ignores_interrupts(pid):
    """As a worker does from its start on."""
    status = Path(f"/proc/{pid}/status").read_text()
    return bool(int(re.search(r"SigIgn:\s*(\w+)", status)[1], 16) & 1 << signal.SIGINT - 1)


def gone(pid):
    with suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    return True


NO_PROC = pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="needs /proc")
# Holds the interpreter for longer than anybody waits: no other thread of the process comes to its turn.
BUSY = partial(re.match, "(a+)+$")


@NO_PROC
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
@pytest.mark.parametrize("function, item", [(time.sleep, 600.0), (BUSY, "a" * 64 + "b")], ids=["idle", "busy"])
def test_workers_end_with_their_parent(how, function, item):
    with child(lambda: list(pool.unordered(function, [item] * 4, 2))) as pid:
        wait_for(lambda: len(spawned(pid)) == 2 and all(map(ignores_interrupts, spawned(pid))), "no workers")
        found = spawned(pid)
        os.killpg(pid, how) if how == signal.SIGINT else os.kill(pid, how)  # a terminal's Ctrl-C goes to all
        status = end_of(pid)
        assert (os.WTERMSIG(status) if how == signal.SIGKILL else os.waitstatus_to_exitcode(status)) in (how, 130)
        wait_for(lambda: all(map(gone, found)), "a worker outlived its parent", 20)


@NO_PROC
def test_the_watch_of_other_platforms_ends_a_worker_too():
    def work():
        multiprocessing.get_context("spawn").Process(target=pool._watch).start()
        time.sleep(600)

    with child(work) as pid:
        found = wait_for(lambda: spawned(pid), "no worker")
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        wait_for(lambda: all(map(gone, found)), "it outlived its parent", 60)


def test_results_are_journaled_by_whatever_processes_compute_them(tmp_path):
    items = {str(k): k for k in range(7)}
    seen = []
    for jobs in (1, 2):
        with kept(tmp_path / f"{jobs}.jsonl") as journal:
            found = dict(
                pool.resumed(journal, abs, items, jobs, progress=lambda done, total, key: seen.append((done, total)))
            )
        assert found == items and [done for done, _ in seen[-8:]] == list(range(8))
    with kept(tmp_path / "2.jsonl") as journal:
        again = list(pool.resumed(journal, None, items, 2))
        assert dict(again) == items, "nothing is computed anew"
        with pytest.raises(InputError, match="jobs"):
            list(pool.resumed(journal, abs, items, 0))


def test_an_exception_in_a_worker_is_the_run_s(tmp_path):
    with pytest.raises(TypeError), Journal(tmp_path / "j.jsonl", "run") as journal:
        list(pool.resumed(journal, abs, {"a": 1, "b": "no number", "c": 2}, 2))
    with kept(tmp_path / "j.jsonl") as journal:
        assert set(journal.done) <= {"a", "c"}


def test_a_worker_that_is_killed_ends_the_run_with_a_word():
    with pytest.raises(OSError, match="ended from outside"):
        list(pool.unordered(os._exit, [3] * 4, 2))


@NO_PROC
def test_a_killed_verify_of_the_ledger_leaves_no_process_and_goes_on(tmp_path, capsys):
    command = ["verify", "--json", "--output", str(tmp_path), "N26-D2", "SL-2", "BW-L3", "BW-L6"]
    journal = tmp_path / "journal.jsonl"
    with child(lambda: main([*command, "--jobs", "2"])) as pid:
        wait_for(lambda: journal.exists() and journal.read_bytes().count(b"\n") >= 2, "no journal")
        found = children(pid)
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        wait_for(lambda: all(map(gone, found)), "a worker outlived its parent", 20)
    seconds = {line["id"]: line["content"]["seconds"] for line in map(json.loads, journal.read_text().splitlines()[1:])}
    assert main([*command, "--jobs", "1"]) == 0
    report = {claim["id"]: claim["seconds"] for claim in json.loads(capsys.readouterr().out)["claims"]}
    assert list(report) == command[-4:] and seconds and seconds.items() <= report.items(), (
        "kept verdicts are not recomputed"
    )
    assert not journal.exists()
