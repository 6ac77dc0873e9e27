"""The command line where files, pipes and the code of others end."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest

from ndis_verify.cli import main

PAIR = ["--mean-p", "0.5", "--cov-p", "2", "--mean-q", "0", "--cov-q", "1"]


@pytest.mark.parametrize("stream", [1, 2])
def test_a_closed_stream_is_one_into_which_nothing_is_written(stream):
    """Python has None in its place, and what is printed there is for nobody."""
    command = [sys.executable, "-m", "ndis_verify", "delta", *PAIR, "--epsilon", "1"]
    ended = subprocess.run(command, preexec_fn=lambda: os.close(stream), capture_output=True, text=True, check=False)
    assert ended.returncode == 0 and ended.stderr == "" and (stream == 1 or "0.08615" in ended.stdout)


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["delta", "--pair", "absent.json", "--epsilon", "1"], "pair = absent.json: No such file"),
        (["forensics", "absent.json"], "declaration = absent.json: No such file"),
        (["audit", "scores", "absent.csv", "absent.csv", "--delta", "1e-5"], "files = absent.csv: No such file"),
        (["claims", "--missing", "absent"], "missing = absent: No such file"),
        (["verify", "N26-F1", "--output", "here"], "output = here: File exists"),
        (["site", "here"], "folder = here: File exists"),
        (["site", "--calculator", "absent", "pages"], "--calculator = absent"),
        (["claims", "--jobs", "0"], "--jobs = 0"),
        (["claims", "--graph", "--errata", "page.md"], "--errata = page.md: excludes --graph"),
        (["experiment", "--data", "here"], "--data = here: needs the NAME"),
        (["where", ""], "NAME = '': must not be empty"),
    ],
)
def test_what_is_wrong_is_named_by_its_argument(tmp_path, monkeypatch, capsys, arguments, named):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "here").touch()
    assert main(arguments) == 2
    assert named in capsys.readouterr().err
    assert not (tmp_path / "page.md").exists()


@pytest.mark.parametrize("code", ["0", "7", "'done'"])
@pytest.mark.parametrize("verb", ["verify", "attack"])
def test_a_file_that_ends_the_process_is_no_verdict(tmp_path, monkeypatch, capsys, verb, code):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own.py").write_text(f"import sys\nsys.exit({code})\n")
    assert main([verb, "own.py"]) == 2
    assert "line 2: SystemExit" in capsys.readouterr().err


def test_a_claim_that_ends_the_process_is_no_verdict(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own.py").write_text(
        "import sys\nfrom ndis_verify.court import universal_claim\n"
        "from ndis_verify.court.domain import continuous\n"
        "def gap(x):\n    sys.exit(0)\n"
        "holds = universal_claim(gap, (continuous('x', 0, 1),))\n"
    )
    assert main(["verify", "own.py"]) != 0
    assert capsys.readouterr().err


def test_a_declaration_shows_a_terminal_nothing_that_it_would_obey(tmp_path, capsys):
    row = {"label": "\x1b[31mred", "mechanism": "random projection", "noise": "5"}
    data = {"title": "\x1b[31mred", "epsilon": "1", "delta": "1e-5", "r": 20, "bound": 1, "rows": [row]}
    (tmp_path / "own.json").write_text(json.dumps(data))
    main(["forensics", str(tmp_path / "own.json")])
    shown = capsys.readouterr().out
    assert "\x1b" not in shown and shown.count("\\x1b[31mred") == 2


NO_ROWS = '{"title": "a", "epsilon": "1", "delta": "1e-5", "rows": []}'


@pytest.mark.parametrize(("text", "named"), [("", "own.json: is an empty file"), (NO_ROWS, "rows = a list of 0")])
def test_a_declaration_of_nothing_says_so(tmp_path, capsys, text, named):
    (tmp_path / "own.json").write_text(text)
    assert main(["forensics", str(tmp_path / "own.json")]) == 2
    assert named in capsys.readouterr().err


def test_a_refuted_claim_is_printed_as_it_was_made(capsys):
    """Rounded to twelve digits it would be the upper limit, which nothing refutes."""
    claim = "0.0861509684526509859978810791809"
    assert main(["audit", "gaussian", *PAIR, "--epsilon", "1", "--delta", claim]) == 1
    assert capsys.readouterr().out.startswith(f"(1, {claim})-DP is REFUTED")


def test_a_lower_limit_of_scores_is_never_above_the_one_that_was_found(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    for name, mean in (("p", 1), ("q", 0)):
        np.savetxt(f"{name}.csv", rng.normal(mean, 1, 2000))
    asked = ["audit", "scores", "p.csv", "q.csv", "--delta", "1e-5", "--epsilon", "0.01"]
    main([*asked, "--json"])
    found = json.loads(capsys.readouterr().out)
    main(asked)
    lines = capsys.readouterr().out.splitlines()
    said = {line.split()[0]: float(line.split()[2]) for line in lines if ">=" in line}
    assert 0 <= found["at_epsilon"]["delta"] - said["delta"] < 1e-6
    assert 0 <= found["at_delta"]["epsilon"] - said["epsilon"] < 1e-5
    assert lines[-1] == "(0.01, 1e-05)-DP is REFUTED"
