"""The command `conform` with readers that go away, names that no terminal should see, pipes and links for files."""

import os
import shutil
import subprocess
import sys

import pytest
from test_conformance import implementation

from ndis_verify.cli import main

CONFORM = [sys.executable, "-m", "ndis_verify", "conform", "--core", "--quantity", "hockey_stick"]


def test_a_reader_that_goes_away_loses_no_report(tmp_path):
    process = subprocess.Popen(
        [*CONFORM, "--output", str(tmp_path / "out"), "--", *implementation(tmp_path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    process.stdout.close()
    said = process.stderr.read()
    process.wait(timeout=60)
    process.stderr.close()
    assert process.returncode == 1 and said == b""
    assert {path.suffix for path in (tmp_path / "out").iterdir()} == {".json", ".jsonl", ".md", ".xml", ".html"}


def test_a_command_that_is_no_utf8_and_holds_escapes(tmp_path):
    """In the reports and on the terminal its name is escaped, started and refused alike."""
    name = tmp_path / "odd\udcff\x1b[31m.py"
    shutil.copy(implementation(tmp_path)[1], name)
    done = subprocess.run(
        [*CONFORM, "--output", str(tmp_path / "out\udcfe\x1b"), "--", sys.executable, str(name)],
        capture_output=True,
        cwd=tmp_path,
    )
    assert done.returncode in (0, 1) and b"\x1b" not in done.stdout + done.stderr and b"Traceback" not in done.stderr, (
        done.stderr
    )
    assert rb"out\udcfe\x1b" in done.stdout
    for path in (tmp_path / "out\udcfe\x1b").iterdir():
        text = path.read_bytes()
        text.decode("utf-8")
        assert b"\x1b" not in text
    done = subprocess.run(
        [*CONFORM, "--output", "out", "--", str(tmp_path / "absent\udcff\x1b[31m")], capture_output=True, cwd=tmp_path
    )
    assert done.returncode == 2 and b"\x1b" not in done.stderr and b"cannot be started" in done.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ["--tables", "{}\x1b[31m"],
        ["--known-failures", "{}\x1b[31m"],
        ["--no-such-\x1b[31m"],
        ["--tolerance", "\x1b[31m"],
    ],
)
def test_no_argument_reaches_the_terminal_as_it_is(tmp_path, arguments):
    done = subprocess.run(
        [*CONFORM, *(word.format(tmp_path) for word in arguments), "--", sys.executable],
        capture_output=True,
        cwd=tmp_path,
    )
    assert done.returncode == 2 and b"\x1b" not in done.stderr and b"Traceback" not in done.stderr


@pytest.mark.parametrize("flag", ["--known-failures", "--against", "--pair", "--missing", "--data"])
def test_only_regular_files_are_read(tmp_path, flag, capsys):
    """Neither a device nor a pipe is waited for; a link to a file is what a person may name."""
    os.mkfifo(tmp_path / "pipe")
    command = {
        "--known-failures": ["conform", "--core"],
        "--against": ["conform", "--core"],
        "--pair": ["delta", "--epsilon", "1"],
        "--missing": ["claims"],
        "--data": ["experiment", "projection-noise", "--target", "1"],
    }[flag]
    for path in ("/dev/zero", str(tmp_path / "pipe"), str(tmp_path)):
        assert main([*command, flag, path, *(["--", sys.executable] if command[0] == "conform" else [])]) == 2
        assert "must be a regular file" in capsys.readouterr().err


def test_a_run_is_compared_with_an_earlier_one(tmp_path, capsys):
    """What was loose is unsafe now: rows that are too large, then too small."""
    command = ["conform", "--core", "--quantity", "hockey_stick", "--output", str(tmp_path / "out")]
    main([*command, "--", *implementation(tmp_path, "answer['value'] = '1'")])
    (tmp_path / "out" / "conformance.json").rename(tmp_path / "earlier.json")
    wrong = implementation(tmp_path, "answer['value'] = '0'")
    assert main([*command, "--against", str(tmp_path / "earlier.json"), "--", *wrong]) == 1
    assert "rows fail newly (hockey_stick/" in capsys.readouterr().out
    assert "Against the earlier run" in (tmp_path / "out" / "conformance.html").read_text(encoding="utf-8")


def test_a_folder_without_tables_is_named(tmp_path, capsys):
    for folder, says in ((tmp_path, "without reference tables"), (tmp_path / "absent", "is no folder")):
        assert (
            main(
                ["conform", "--tables", str(folder), "--output", str(tmp_path / "out"), "--", *implementation(tmp_path)]
            )
            == 2
        )
        assert says in capsys.readouterr().err
        assert main(["reference", "export", "csv", "--tables", str(folder)]) == 2
        assert "without reference tables" in capsys.readouterr().err
        assert main(["check-adapter", "--tables", str(folder), "--", *implementation(tmp_path)]) == 2
        assert says in capsys.readouterr().err


def test_the_journal_is_no_pipe_and_no_link(tmp_path, capsys):
    for make in (os.mkfifo, lambda path: os.symlink(tmp_path / "target", path)):
        folder = tmp_path / make.__name__.strip("<>")
        folder.mkdir()
        make(folder / "conformance.jsonl")
        assert (
            main(
                [
                    "conform",
                    "--core",
                    "--quantity",
                    "hockey_stick",
                    "--output",
                    str(folder),
                    "--",
                    *implementation(tmp_path),
                ]
            )
            == 2
        )
        assert "must be a regular file" in capsys.readouterr().err and not (tmp_path / "target").exists()


def test_a_system_without_fork_is_refused(monkeypatch, capsys):
    monkeypatch.delattr("os.fork")
    assert main(["claims"]) == 2 and "POSIX" in capsys.readouterr().err
