"""What a journal believes, whose file it is, and what becomes of it when a run ends."""

import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kept_runs import kept

from ndis_verify.exact_number import InputError
from ndis_verify.runs import files
from ndis_verify.runs import journal as journals
from ndis_verify.runs.files import open_regular, write_atomically
from ndis_verify.runs.journal import Journal

PLAIN = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
NESTED = st.recursive(PLAIN, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=8)
LINES = st.lists(st.tuples(st.text(), NESTED))


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


@pytest.mark.parametrize("content", [b"my notes\n", b"1.5\n2.5\n", b"{}\n", b"\x00", b'[{"line": 1}]'])
@pytest.mark.parametrize("options", [{}, {"kept": True}, {"anew": True}])
def test_an_output_that_is_no_journal_is_never_overwritten(tmp_path, content, options):
    path = tmp_path / "notes.txt"
    path.write_bytes(content)
    with pytest.raises(InputError, match="journal"):
        Journal(path, "run", **options)
    assert path.read_bytes() == content


def test_a_kept_journal_of_another_run_is_not_overwritten(tmp_path):
    path = tmp_path / "j.jsonl"
    lines = filled(path)
    with pytest.raises(InputError, match="another version or another run"):
        Journal(path, "another run", kept=True)
    assert path.read_bytes() == b"".join(lines)


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
    with pytest.raises(InputError, match="regular file"):
        files.read_regular(tmp_path / "j.jsonl", 100)
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


def test_a_link_that_a_person_names_is_gone_through(tmp_path):
    (tmp_path / "named").symlink_to(tmp_path / "other")
    (tmp_path / "other").write_bytes(b"read")
    assert files.read_regular(tmp_path / "named", 4, follow=True) == b"read"


def test_a_file_that_is_written_can_be_read_by_others(tmp_path):
    write_atomically(tmp_path / "report.md", "text")
    assert (tmp_path / "report.md").stat().st_mode & 0o777 == 0o644


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
