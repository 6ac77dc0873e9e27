"""The snippets of README.md run as they are printed, and print what is printed below them."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")


def blocks(kind):
    return re.findall(rf"^```{kind}\n(.*?)^```", README, re.DOTALL | re.MULTILINE)


def ran(words, folder):
    """Standard output of a command of the package, the same command inside it included."""
    here = [sys.executable, "-m", "ndis_verify"]
    command = [part for word in words for part in (here if word == "ndis-verify" else [word])]
    wide = {**os.environ, "COLUMNS": "100"}  # lines of the proof are as in the text
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=250, env=wide)
    assert done.returncode == 0, done.stderr
    return done.stdout


COMMANDS = [part for block in blocks("console") for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]]


@pytest.mark.parametrize("text", COMMANDS, ids=lambda text: text.splitlines()[0])
def test_a_command_prints_what_is_printed(text, tmp_path):
    command, *printed = text.splitlines()
    found = ran(shlex.split(command), tmp_path)
    assert all(line in found for line in printed)


def test_the_python_of_the_first_two_minutes_runs(tmp_path):
    checks = "print(mechanism.calibration.certificate.delta <= 1e-6, release.shape)\n"
    script = tmp_path / "snippets.py"
    script.write_text("".join(blocks("python")) + checks, encoding="utf-8")
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=250)
    assert done.returncode == 0 and done.stdout.strip() == "True (5, 100)", done.stderr


def test_the_numbers_beside_the_snippets_are_those(tmp_path):
    """A comment that begins with a number is the value of its line."""
    said = re.findall(r"^([^#\n]+?)  # ([0-9]+\.[0-9]+)\.\.\.", "".join(blocks("python")), re.MULTILINE)
    assert said
    script = tmp_path / "values.py"
    lines = "".join(blocks("python")) + "".join(f"print({expression})\n" for expression, _ in said)
    script.write_text(lines, encoding="utf-8")
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=250)
    assert [line.startswith(value) for line, (_, value) in zip(done.stdout.split(), said, strict=True)] == [True]


def test_the_steps_on_one_screen_are_steps_of_the_proof(tmp_path):
    (shown,) = blocks("text")
    found = ran(["ndis-verify", "show", "BW Theorem 8"], tmp_path)
    assert all(line in found for line in shown.splitlines() if line != "...")
