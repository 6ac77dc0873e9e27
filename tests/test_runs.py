"""Long runs that are stopped or share a folder; processes that end with their parent."""

import gc
import json
import multiprocessing
import os
import re
import signal
import time
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

import pytest
from kept_runs import KINDS, gone, kept, nothing

from ndis_verify.cli import main
from ndis_verify.exact_number import InputError
from ndis_verify.runs import pool
from ndis_verify.runs.garbage import collected_rarely
from ndis_verify.runs.journal import Journal


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


def _of_this_process(_):
    time.sleep(0.2)  # long enough for the other one to take the next
    return os.getpid(), gc.get_threshold()


def _twice():
    return [{found for _, found in pool.unordered(_of_this_process, range(6), 2)} for _ in range(2)]


def test_runs_are_by_the_same_processes_where_that_is_asked_for():
    """A second run finds what the first one loaded; what looks through all that stays does so rarely there."""
    others = set(multiprocessing.active_children())
    with pool.same_processes():
        first, second = _twice()
        assert first == second and len(first) == 2 and all(young == 100_000 for _, (young, *_) in first)
    assert set(multiprocessing.active_children()) == others
    first, second = _twice()
    assert not first & second


def test_a_run_that_fails_leaves_the_next_one_processes_of_its_own():
    with pool.same_processes():
        with pytest.raises(TypeError):
            list(pool.unordered(abs, [1, "no number", 2, 3], 2))
        assert [found for _, found in pool.unordered(abs, [-1, -2], 2)] in ([1, 2], [2, 1])


@pytest.mark.parametrize("jobs", [1, 2])
def test_this_process_does_its_own_part_once_while_the_others_work(jobs):
    said = []
    found = dict(pool.unordered(abs, [-1, -2, -3], jobs, lambda: said.append("once")))
    assert found == {-1: 1, -2: 2, -3: 3} and said == ["once"]


def test_garbage_is_looked_for_as_before_after_a_run():
    before = gc.get_threshold()
    with collected_rarely():
        assert gc.get_threshold() > before
    assert gc.get_threshold() == before


@pytest.mark.parametrize("said", [None, "2"])
def test_a_process_of_a_run_holds_blas_to_one_thread_unless_told_otherwise(monkeypatch, said):
    """Two processes with a thread for every core each wait for one another at full speed."""
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    if said:
        monkeypatch.setenv("OMP_NUM_THREADS", said)
    found = dict(pool.unordered(os.getenv, ["OMP_NUM_THREADS", "HOME"], 2))
    assert found["OMP_NUM_THREADS"] == (said or "1")
    assert os.environ.get("OMP_NUM_THREADS") == said


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


def test_an_interrupt_while_processes_are_made_waits_until_they_are(monkeypatch):
    """Another thread takes the signal, which the one that makes the processes has blocked."""
    monkeypatch.setattr(signal, "pthread_sigmask", lambda how, signals: set())
    answer = signal.signal(signal.SIGINT, signal.default_int_handler)
    made = []
    try:
        with pytest.raises(KeyboardInterrupt), pool._undisturbed():
            signal.raise_signal(signal.SIGINT)
            made.append("whole")
    finally:
        left = signal.signal(signal.SIGINT, answer)
    assert made == ["whole"] and left is signal.default_int_handler


def test_processes_that_are_made_meanwhile_hear_no_interrupt():
    with pool._undisturbed():
        assert signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, ())
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, ())
