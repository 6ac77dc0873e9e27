"""Score files: what they give, what is refused and how; the command line of `audit scores`."""

import json
import os

import numpy as np
import pytest
from command_line import run

from ndis_verify.audit import audit_scores, open_scores
from ndis_verify.audit.score_files import BLOCK
from ndis_verify.cli import main
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
    "1,2\n3\n4,5\n": "line 1 must have 1 of them where no column is chosen",
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
    _GOOD.encode() + b"1,5\n": "line 41 has 2 fields",
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


@pytest.mark.parametrize(
    "cell, message",
    [
        ("1.5,\n", "line 41 must hold"),
        (",1.5\n", "line 41 must hold"),
        ("1.5\n", "line 41 has 1 fields"),
        ("1,2,3\n", "line 41 has 3 fields"),
    ],
)
def test_a_missing_cell_of_two_columns(tmp_path, cell, message):
    both = write(tmp_path / "both.csv", _PAIRS + cell + _PAIRS)
    with pytest.raises(InputError, match=message):
        audit_scores(*open_scores([both]), delta=1e-3)


@pytest.mark.parametrize(
    "line",
    [
        b"1.5\x00\n",
        b"\x001.5\n",
        b"1.\x005\n",
        b"1.5\x00\x00\x00\n",
        b"1.5\x1c\n",
        "\u0661.\u0665\n".encode(),
        "\uff11.5\n".encode(),
        b"1.5\xc2\xa0\n",
        b"0x10\n",
        b"1_5\n",
    ],
)
def test_what_a_library_reads_as_a_number_and_is_none(tmp_path, line):
    """Zero bytes at the end of a line, which numpy drops, and the digits of other scripts, which float reads."""
    good = write(tmp_path / "q.csv", _GOOD)
    bad = tmp_path / "p.csv"
    bad.write_bytes(_GOOD.encode() + line + _GOOD.encode())
    with pytest.raises(InputError, match="line 41 "):
        audit_scores(*open_scores([bad, good]), delta=1e-3)


def test_decimal_commas_are_not_read_as_two_columns(tmp_path):
    commas = write(tmp_path / "commas.csv", "0,5\n1,25\n-1,75\n" * 20)
    header = write(tmp_path / "header.csv", "score\n" + "0,5\n" * 20)
    four = write(tmp_path / "four.csv", "0,5,1,25\n" * 20)
    good = write(tmp_path / "good.csv", _GOOD)
    for files in ([commas], [commas, good], [good, commas], [four]):
        with pytest.raises(InputError, match="choose by --columns; a number has a decimal point"):
            open_scores(files)
    with pytest.raises(InputError, match="2 fields"):
        audit_scores(*open_scores([header, good]), delta=1e-3)
    p, q = open_scores([commas], ["1", "2"])  # whoever says so has two columns of whole numbers
    assert list(next(p.chunks())[:3]) == [0, 1, -1] and list(next(q.chunks())[:3]) == [5, 25, 75]
    named = write(tmp_path / "named.csv", "in,out\n" + "0,5\n1,25\n" * 20)
    signed = write(tmp_path / "signed.csv", "0,-5\n1,25\n" * 20)
    for file in (named, signed, write(tmp_path / "pairs.csv", _PAIRS)):
        assert len(open_scores([file])) == 2


@pytest.mark.parametrize("how", ["exchanged", "rewritten", "rewritten with its date"])
def test_a_file_exchanged_between_two_readings_is_noticed(tmp_path, how):
    """As many lines and bytes as before; one score is another."""
    path, good = write(tmp_path / "p.csv", _GOOD), write(tmp_path / "q.csv", _GOOD[4:] + _GOOD[:4])
    sample, _ = open_scores([path, good])
    assert np.concatenate(list(sample.chunks())).size == 40
    before = path.stat()
    other = _GOOD[:-4] + "2.5\n"
    if how == "exchanged":
        os.replace(write(tmp_path / "new.csv", other), path)
    else:
        path.write_text(other)
    if how == "rewritten with its date":
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    with pytest.raises(InputError, match="other bytes than before"):
        list(sample.chunks())


NINES = "9" * 5000


@pytest.mark.parametrize(
    "arguments",
    [
        ("--columns", f"1,{NINES}"),
        ("--columns", f"{NINES},{NINES}"),
        ("--columns", "\u0661,\u0662"),
        ("--columns", "1\x1b[2J,2"),
        ("--bins", NINES),
        ("--bins", f"0,1,{NINES}"),
        ("--bins", f"{NINES},1,5"),
        ("--bins", f"0,{NINES * 5},5"),
        ("--bins", "\u00b2"),
        ("--bins", "\u0663"),
        ("--delta", NINES),
        ("--epsilon", NINES),
        ("--confidence", NINES),
    ],
)
def test_absurd_arguments_are_one_line(tmp_path, arguments, capsys):
    both = write(tmp_path / "both.csv", _PAIRS)
    assert main(["audit", "scores", str(both), "--delta", "0.1", "--method", "tv", *arguments]) == 2
    said = capsys.readouterr()
    assert said.out == "" and len(said.err.splitlines()) == 1 and len(said.err) < 400 and said.err.strip().isprintable()


def test_what_cannot_be_read_twice_or_changes_is_refused(tmp_path):
    good = write(tmp_path / "q.csv", _GOOD)
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path, tmp_path / "pipe"):
        with pytest.raises(InputError, match="regular file|part files of one kind"):
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
    with pytest.raises(InputError, match="neither the name of a column"):
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


def test_the_command_line(tmp_path):
    for name, values in zip(("P.csv", "Q.csv"), samples(20_000)):
        np.savetxt(tmp_path / name, values)
    result = run("audit", "scores", "P.csv", "Q.csv", "--delta", "1e-5", "--json", cwd=tmp_path)
    report = json.loads(result.stdout)
    assert result.returncode == 0 and result.stderr == ""
    assert (
        1.5 < report["at_delta"]["epsilon"] < 4.38
        and report["basis"] == "guaranteed"
        and report["p"]["scores"] == 20_000
    )
    claim = run(
        "audit",
        "scores",
        "P.csv",
        "Q.csv",
        "--epsilon",
        "1",
        "--delta",
        "1e-5",
        "--method",
        "family",
        "--profile",
        cwd=tmp_path,
    )
    assert claim.returncode == 1 and "(1, 1e-05)-DP is REFUTED" in claim.stdout and "alpha 0.5" in claim.stdout
    held = run("audit", "scores", "P.csv", "Q.csv", "--epsilon", "4.4", "--delta", "1e-5", cwd=tmp_path)
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
    result = run("audit", "scores", *arguments, cwd=tmp_path)
    assert (
        result.returncode == 2
        and result.stdout == ""
        and message in result.stderr
        and len(result.stderr.splitlines()) == 1
    )
