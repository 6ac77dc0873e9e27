"""Score files: what they give, what is refused and how; the command line of `audit scores`."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest

from ndis_verify.audit import audit_scores, open_scores
from ndis_verify.audit.score_files import BLOCK
from ndis_verify.exact_number import InputError


def samples(n):
    rng = np.random.default_rng(n)
    return rng.normal(1, 1, n), rng.normal(0, 1, n)


def write(path, text):
    path.write_bytes(text.encode())
    return path


def test_files_give_what_arrays_give(tmp_path):
    p, q = samples(60_000)  # more than one block
    one, other, both = tmp_path / "p.csv", tmp_path / "q.csv", tmp_path / "both.csv"
    np.savetxt(one, p, fmt="%.17g")
    np.savetxt(other, q, fmt="%.17g", newline="\r\n")
    np.savetxt(both, np.c_[q, p], fmt="%.17g", delimiter=",", header="out,in", comments="")
    assert one.stat().st_size > BLOCK
    expected = audit_scores(p, q, delta=1e-3).epsilon(1e-3)
    for files in (open_scores([one, other]), open_scores([both], ["in", "out"]), open_scores([both], ["2", "1"])):
        assert all((np.concatenate(list(f.chunks())) == x).all() for f, x in zip(files, (p, q)))
        assert audit_scores(*files, delta=1e-3).epsilon(1e-3) == expected


BAD_FILES = {
    "1\n2\nnan\n4\n": "line 3 must be finite",
    "1\n2\ninf\n": "line 3 must be finite",
    "score\n1\n2\nabc\n": "line 4 must hold a decimal number",
    "1\n\n2\n": "line 2 is empty",
    "1\n2\n3.": "line 3 has no line end",
    "1\n1_0\n": "line 2 must hold a decimal number",
    "1,2\n3\n4,5\n": "line 2 has 1 fields, the first line has 2",
    "1\n2,3\n": "line 2 has 2 fields, the first line has 1",
    "": "line 1 is empty",
}


@pytest.mark.parametrize("text", BAD_FILES)
def test_bad_lines_are_named(tmp_path, text):
    good = write(tmp_path / "q.csv", "".join(f"{x}\n" for x in samples(50)[0]))
    with pytest.raises(InputError, match=BAD_FILES[text]):
        audit_scores(*open_scores([write(tmp_path / "p.csv", text), good]), delta=1e-3)


_GOOD = "0.5\n1.5\n" * 20
_PAIRS = "0.5,1.5\n1.5,0.25\n" * 20
SPOILT = {
    b"\x1f\x8b\x08\x00" + bytes(range(256)): "line 1 is not text",
    b"\x00" * 5000: "line 1 is not text",
    b"\x00" * 50 + b"\n": "line 1 is not text",
    _GOOD.encode("utf-16"): "line 1 is not text",
    _GOOD.encode() + b"\x00\x01\n" + _GOOD.encode(): "line 41 is not text",
    _GOOD.encode() + b"\xff\xfe1.5\n": "line 41 is not text",
    _GOOD.encode() + b"1.5x\x1b[2J\n": "line 41 is not text",
    _GOOD.replace("\n", "\r").encode(): "line 1 has no line end",
    b"1.5x\n2\n3\n": "line 1 must hold a decimal number",
    b"1;2\n3;4\n": "line 1 must hold a decimal number",
    _GOOD.encode() + b"\n": "line 41 is empty",
    _GOOD.encode() + "1,5\n".encode(): "line 41 has 2 fields",
    b"score\n": "0 scores: needs at least 8",
    b"0.5\n": "1 score: needs at least 8",
}


@pytest.mark.parametrize("content", SPOILT)
def test_spoilt_files_are_refused_by_line_and_printably(tmp_path, content):
    bad, good = tmp_path / "p.csv", write(tmp_path / "q.csv", _GOOD)
    bad.write_bytes(content)
    for order in ((bad, good), (good, bad)):
        with pytest.raises(InputError, match=SPOILT[content]) as error:
            audit_scores(*open_scores(order), delta=1e-3)
        assert str(error.value).isprintable() and len(str(error.value)) < 300


@pytest.mark.parametrize("cell, message", [("1.5,\n", "line 41 must hold"), (",1.5\n", "line 41 must hold"), ("1.5\n", "line 41 has 1 fields"), ("1,2,3\n", "line 41 has 3 fields")])
def test_a_missing_cell_of_two_columns(tmp_path, cell, message):
    both = write(tmp_path / "both.csv", _PAIRS + cell + _PAIRS)
    with pytest.raises(InputError, match=message):
        audit_scores(*open_scores([both]), delta=1e-3)


def test_what_cannot_be_read_twice_or_changes_is_refused(tmp_path):
    good = write(tmp_path / "q.csv", _GOOD)
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path, tmp_path / "pipe"):
        with pytest.raises(InputError, match="regular file"):
            open_scores([path, good])
    grows = open_scores([write(tmp_path / "p.csv", _GOOD), good])[0]

    class Growing:
        name = "p"

        def chunks(self):
            yield from grows.chunks()
            grows.path.write_text(grows.path.read_text() + "0.25\n")

    with pytest.raises(InputError, match="changed while it was read"):
        audit_scores(Growing(), np.arange(50) % 7 * 1.0, delta=1e-3)


def test_the_line_number_is_right_far_into_a_file(tmp_path):
    lines = [f"{x:.17g}" for x in samples(150_000)[0]]
    lines[140_000] = "0.5x"
    bad, good = write(tmp_path / "p.csv", "\n".join(lines) + "\n"), write(tmp_path / "q.csv", "1\n2\n")
    with pytest.raises(InputError, match="line 140001 must hold a decimal number"):
        list(open_scores([bad, good])[0].chunks())


def test_one_sample_and_unknown_columns_are_refused(tmp_path):
    one = write(tmp_path / "p.csv", "1\n2\n")
    two = write(tmp_path / "b.csv", "a,b\n1,2\n")
    with pytest.raises(InputError, match="one sample only"):
        open_scores([one])
    with pytest.raises(InputError, match="neither a name"):
        open_scores([two], ["a", "c"])
    with pytest.raises(InputError, match="the same column"):
        open_scores([two], ["a", "a"])
    with pytest.raises(InputError, match="has 2 columns"):
        open_scores([two], ["1", "3"])
    with pytest.raises(OSError):
        open_scores([tmp_path / "none.csv", one])


def test_a_line_that_never_ends_is_refused(tmp_path):
    endless = write(tmp_path / "p.csv", "1" * (3 * BLOCK))
    with pytest.raises(InputError, match="line 1 is longer"):
        open_scores([endless, endless])


# --- the command line


def run(*arguments, cwd):
    return subprocess.run([sys.executable, "-m", "ndis_verify", "audit", *arguments], capture_output=True, text=True, timeout=120, cwd=cwd)


def test_the_command_line(tmp_path):
    for name, values in zip(("P.csv", "Q.csv"), samples(20_000)):
        np.savetxt(tmp_path / name, values)
    result = run("scores", "P.csv", "Q.csv", "--delta", "1e-5", "--json", cwd=tmp_path)
    report = json.loads(result.stdout)
    assert result.returncode == 0 and result.stderr == ""
    assert 1.5 < report["at_delta"]["epsilon"] < 4.38 and report["basis"] == "guaranteed" and report["p"]["scores"] == 20_000
    claim = run("scores", "P.csv", "Q.csv", "--epsilon", "1", "--delta", "1e-5", "--method", "family", "--profile", cwd=tmp_path)
    assert claim.returncode == 1 and "(1, 1e-05)-DP is REFUTED" in claim.stdout and "alpha 0.5" in claim.stdout
    held = run("scores", "P.csv", "Q.csv", "--epsilon", "4.4", "--delta", "1e-5", cwd=tmp_path)
    assert held.returncode == 0 and "not refuted" in held.stdout


@pytest.mark.parametrize(
    "arguments, message",
    [
        (("P.csv", "Q.csv"), "--delta, --epsilon"),
        (("P.csv", "--delta", "1e-5"), "one sample only"),
        (("P.csv", "Q.csv", "--delta", "nan"), "--delta = nan"),
        (("P.csv", "none.csv", "--delta", "0.1"), "none.csv"),
        (("P.csv", "Q.csv", "--delta", "0.1", "--method", "tv", "--bins", "a"), "--bins = a"),
    ],
)
def test_usage_errors_are_one_line(tmp_path, arguments, message):
    for name, values in zip(("P.csv", "Q.csv"), samples(100)):
        np.savetxt(tmp_path / name, values)
    result = run("scores", *arguments, cwd=tmp_path)
    assert result.returncode == 2 and result.stdout == "" and message in result.stderr and len(result.stderr.splitlines()) == 1
