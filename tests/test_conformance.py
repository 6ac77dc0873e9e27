"""The conformance runner: values judged on the safe side, selections, exit codes, templates, the adapters, the pytest
plugin.
"""

import json
import os
import shutil
import subprocess
import sys
from collections import Counter
from fractions import Fraction
from pathlib import Path

import pytest

from ndis_verify.cli import main
from ndis_verify.exact_number import InputError
from ndis_verify.reference import pytest_plugin
from ndis_verify.reference.adapters import peers
from ndis_verify.reference.conformance import reports, selection, survey
from ndis_verify.reference.conformance.judge import judge
from ndis_verify.reference.conformance.run import conform
from ndis_verify.reference.conformance.selection import fresh_rows, table_rows
from ndis_verify.reference.conformance.summary import exit_code, failures, healed, read_known, shares
from ndis_verify.reference.loader import FOLDER

ROW = {
    "name": "row",
    "inputs": {},
    "value": "0.0861509684526509859978810791809",
    "radius": "1e-31",
    "flags": ["body"],
    "claim": "N26-L1",
}
HALF = "0.086150968452"
LOOP = """
import json, os, sys, time, subprocess
number = 0  # of the row since the start
for line in sys.stdin:
    request = json.loads(line)
    answer = {"id": request["id"]}
    if request.get("command") == "start":
        answer |= {"protocol": "1.0", "name": "fake", "version": "1", "quantities": ["hockey_stick"]}
    elif request.get("command") == "stop":
        answer |= {"protocol": "1.0", "stopped": True}
    else:
        number += 1
        answer |= {"value": "0.0861509684526509859978810791809"}
        %s
    print(json.dumps(answer), flush=True)
"""


def implementation(tmp_path: Path, body: str = "pass") -> list[str]:
    path = tmp_path / "fake.py"
    path.write_text(LOOP % body.replace("\n", "\n        "), encoding="utf-8")
    return [sys.executable, str(path)]


def rows(count: int) -> list[tuple[str, dict]]:
    return [("hockey_stick", ROW | {"name": f"row-{k}"}) for k in range(count)]


def run(command: list[str], count: int = 3, seconds: float = 5.0, **options):
    return conform(command, rows(count), tolerance=Fraction(1, 10**9), seconds=seconds, **options)


def outcomes(result) -> list[str]:
    return [judgement.outcome for judgement in result.judgements]


def test_a_right_implementation_passes(tmp_path):
    result = run(implementation(tmp_path))
    assert outcomes(result) == ["tight"] * 3 and exit_code(result, frozenset()) == 0 and result.name == "fake"


@pytest.mark.parametrize(
    ("value", "outcome"),
    [
        (HALF, "tight"),
        ("0.0861509", "unsafe"),
        ("0.0861510", "loose"),
        ("1", "loose"),
        ("-0.1", "unsafe"),
        ("nan", "invalid"),
        ("inf", "invalid"),
        ("__import__('os')", "invalid"),
        ("1e999999999", "invalid"),
        (0.0861509684526509859978810791809, "invalid"),
        (None, "invalid"),
        ([], "invalid"),
    ],
)
def test_values_are_judged_on_the_safe_side(value, outcome):
    assert judge("hockey_stick", ROW, {"value": value}, Fraction(1, 10**8)).outcome == outcome


@pytest.mark.parametrize(
    ("quantity", "value", "outcome"),
    [
        ("rp_leverage", "0.0861509684526509", "tight"),
        ("rp_leverage", "0.08615096845265", "tight"),
        ("rp_leverage", "0.08615096845267", "unsafe"),
        ("rp_leverage", "0.08", "loose"),
        ("gaussian_std", "0.08615096845264", "unsafe"),
        ("gaussian_std", "0.08615096845266", "tight"),
        ("gaussian_std", "0.09", "loose"),
        ("generalized_chi2_cdf", "0.09", "unsafe"),
        ("generalized_chi2_cdf", "0.08", "unsafe"),
    ],
)
def test_calibrations_are_granted_half_an_ulp_on_the_unsafe_side(quantity, value, outcome):
    assert judge(quantity, ROW, {"value": value}, Fraction(1, 10**9)).outcome == outcome


@pytest.mark.parametrize("quantity", ["gaussian_std", "rp_ridge", "rp_leverage", "epsilon_for_delta"])
def test_calibrations_and_epsilons_are_judged_one_sidedly_at_the_ulp(quantity):
    """A value of 0.75 between 0.75 - 2^-53 and 0.75 + 2^-53, its neighbours in binary64."""
    safe = -1 if quantity == "rp_leverage" else 1
    row = ROW | {"value": "0.75", "radius": "0"}

    def outcome(ulps, **options):
        value = Fraction(3, 4) - safe * Fraction(ulps) * Fraction(1, 2**53)
        written = f"{value * 10**60}e-60"  # exact: the denominator is a power of two of at most 2^54
        return judge(quantity, row, {"value": written}, Fraction(1, 10**9), **options).outcome

    assert outcome(0) == outcome(Fraction(1, 2)) == outcome(-4000) == "tight"
    assert outcome(1) == outcome(4000) == "unsafe"
    assert outcome(1, unsafe_ulps=Fraction(2)) == "tight" and outcome(4, unsafe_ulps=Fraction(2)) == "unsafe"
    assert outcome(4000, unsafe_ulps=None) == "tight" and outcome(10**8, unsafe_ulps=None) == "unsafe"
    assert outcome(0, unsafe_ulps=Fraction(0)) == "tight"
    assert outcome(Fraction(1, 2), unsafe_ulps=Fraction(0)) == "unsafe"
    curve = judge("hockey_stick", row, {"value": "0.7499999999"}, Fraction(1, 10**9), unsafe_ulps=Fraction(0))
    assert curve.outcome == "tight"


@pytest.mark.parametrize("digits", [4301, 19_000, 20_001, 100_000])
def test_an_answer_of_any_length_is_judged_and_the_next_row_asked(tmp_path, digits):
    result = run(implementation(tmp_path, f"if number == 2: answer['value'] += '1' * {digits}"))
    assert outcomes(result) == ["tight", "tight" if digits < 20_000 else "invalid", "tight"]


def test_the_option_for_the_unsafe_side(tmp_path, capsys):
    command = implementation(tmp_path)
    for value in ("-1", "nan", "1e99", "ulp"):
        options = ["--unsafe-ulps", value, "--output", str(tmp_path / "out")]
        assert main(["conform", "--core", "--quantity", "hockey_stick", *options, "--", *command]) == 2
        assert "--unsafe-ulps" in capsys.readouterr().err
    assert run(command, unsafe_ulps=None).unsafe_ulps == "tolerance" and run(command).unsafe_ulps == "0.5"


def test_zeros_refusals_and_wide_rows():
    tolerance = Fraction(1, 10**9)
    zero = ROW | {"value": "0", "radius": "0"}
    assert judge("hockey_stick", zero, {"value": "0.0"}, tolerance).outcome == "tight"
    assert judge("hockey_stick", zero, {"value": "1e-17"}, tolerance).outcome == "loose"
    assert judge("hockey_stick", zero, {"value": "-1e-17"}, tolerance).outcome == "unsafe"
    refusal = {key: value for key, value in ROW.items() if key not in ("value", "radius")} | {
        "error": {"kind": "domain", "argument": "cov_p"}
    }
    assert judge("hockey_stick", refusal, {"value": "0.5"}, tolerance).outcome == "unsafe"
    assert judge("hockey_stick", refusal, {"error": {"argument": "cov_p"}}, tolerance).outcome == "tight"
    assert judge("hockey_stick", ROW, {"error": {"message": "no"}}, tolerance).outcome == "refused"
    assert judge("hockey_stick", ROW | {"radius": "1e-5"}, {"value": "0.0861"}, tolerance).outcome == "inconclusive"
    tiny = ROW | {"value": "1e-320", "radius": "1e-360"}
    assert judge("hockey_stick", tiny, {"value": "1e-320"}, tolerance).outcome == "tight"
    assert (
        judge("hockey_stick", ROW | {"value": "1e-300", "radius": "1e-340"}, {"value": "0"}, tolerance).outcome
        == "unsafe"
    )


def test_a_run_that_only_fails_is_cut_short_and_says_so(tmp_path):
    result = run(implementation(tmp_path, "os._exit(1)"), count=60)
    assert (
        result.left_out == 20
        and result.given_up
        and exit_code(result, frozenset(j.key for j in result.judgements)) == 1
    )


@pytest.mark.parametrize(
    "command",
    [["no-such-program-anywhere"], [sys.executable, "-c", "pass"], [sys.executable, "-c", "print('hello'); input()"]],
)
def test_what_cannot_be_started_is_a_usage_error(command):
    with pytest.raises(InputError, match="COMMAND"):
        run(command)


def test_known_failures_do_not_fail_the_run(tmp_path):
    result = run(implementation(tmp_path, "if number == 2: answer['value'] = '0'"))
    assert [j.key for j in failures(result)] == ["hockey_stick/row-1"]
    assert exit_code(result, frozenset()) == 1 and exit_code(result, frozenset({"hockey_stick/row-1"})) == 0
    (share,) = shares(result, "quantity")
    assert share.outcomes == {"tight": 2, "unsafe": 1} and share.worst_row == "hockey_stick/row-1"


def test_fresh_rows_repeat_with_their_seed_and_are_right():
    pair = {"mean_p": ["0.5"], "cov_p": ["2"], "mean_q": ["0"], "cov_q": "1", "epsilon": "1"}
    start = [("hockey_stick", ROW | {"inputs": pair})]
    first, again, other = (list(fresh_rows(start, 3, seed)) for seed in (1, 1, 2))
    assert first == again != other and len({json.dumps(row["inputs"]) for _, row in first}) == 3


def test_fresh_rows_end_where_no_value_can_be_had(monkeypatch):
    monkeypatch.setattr(selection, "ask", lambda request, engine: {"error": {"kind": "precision"}})
    with pytest.raises(InputError, match="only 0 of 40"):
        list(fresh_rows(rows(3), 2, seed=1))


def test_fresh_rows_are_of_the_quantities_offered(tmp_path, capsys):
    assert main(
        ["conform", "--fresh", "12", "--seed", "5", "--output", str(tmp_path), "--", *python_template(tmp_path)]
    ) in (0, 1)
    assert "mine 1: 12 rows" in capsys.readouterr().out


def test_the_survey_has_a_line_for_every_adapter(capsys, monkeypatch):
    few = [(quantity, row) for quantity, row in table_rows(FOLDER, ["gaussian_hockey_stick"], core=True)][:2]
    monkeypatch.setattr(survey, "table_rows", lambda folder, core: few)
    monkeypatch.setattr(
        sys, "argv", ["survey", "ndis_verify fast", "textbook, Imhof", "CompQuadForm, Davies", "chi2comb"]
    )
    assert survey.main() == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[2].startswith("| ndis_verify fast | gaussian_hockey_stick | 2 | 2 |") and len(lines) >= 6
    adapters = Path(survey.__file__).resolve().parents[1] / "adapters"
    shipped = {path.name.partition(".")[0] for path in adapters.iterdir() if path.suffix in (".py", ".R")} - {
        "__init__",
        "inputs",
        "serving",
        "clone",
    }
    used = " ".join(" ".join(command) for command in survey.COMMANDS.values())
    assert shipped == {"naive", "peers", "compquadform"} and all(name in used for name in (*shipped, *peers._PEERS))


def test_the_command_judges_the_fast_engine(tmp_path, capsys):
    command = [sys.executable, "-m", "ndis_verify", "eval", "--engine", "fast"]
    assert main(["conform", "--core", "--tolerance", "1e-11", "--output", str(tmp_path), "--", *command]) == 0
    assert "passed" in capsys.readouterr().out
    assert {path.suffix for path in tmp_path.iterdir()} == {".json", ".jsonl", ".md", ".xml", ".html"}


PAGE = (Path(__file__).resolve().parents[1] / "docs" / "conformance.md").read_text(encoding="utf-8")
COMPILER = next(filter(None, map(shutil.which, ("c++", "g++", "clang++"))), None)


def template(language: str, mark: str) -> str:
    return PAGE.split(f"### {language}\n")[1].split(f"```{mark}\n")[1].split("```")[0]


def python_template(folder: Path) -> list[str]:
    (folder / "mine.py").write_text(template("Python", "python"), encoding="utf-8")
    return [sys.executable, str(folder / "mine.py")]


def cpp_template(folder: Path) -> list[str]:
    for name, heading in (("mine.cpp", "C++"), ("line.hpp", "line.hpp")):
        (folder / name).write_text(template(heading, "cpp"), encoding="utf-8")
    subprocess.run(
        [COMPILER, "-std=c++17", "-Wall", "-Wextra", "-Werror", "-O1", "-o", folder / "mine", folder / "mine.cpp"],
        check=True,
    )
    return [str(folder / "mine")]


@pytest.mark.parametrize("made", [python_template, *([cpp_template] if COMPILER else [])])
def test_the_templates_of_the_documentation_work(tmp_path, made):
    rows = table_rows(FOLDER, ["gaussian_hockey_stick"])
    result = conform(made(tmp_path), rows, tolerance=Fraction(1, 10**9))
    counted = Counter(judgement.outcome for judgement in result.judgements)
    assert result.quantities == ("gaussian_hockey_stick",) and not result.ending and not result.oddities.garbage
    assert counted["tight"] >= 0.9 * len(rows) and not {"crashed", "timeout", "invalid"} & set(counted)
    refusals = {f"gaussian_hockey_stick/{row['name']}" for _, row in rows if "error" in row}
    assert {judgement.outcome for judgement in result.judgements if judgement.key in refusals} == {"tight"}


@pytest.mark.parametrize(
    ("language", "mark", "needed"),
    [
        ("Python", "python", ("flush=True", "repr(", 'request["id"]', '"stopped"', '"error"', '"protocol": "1.0"')),
        ("R", "r", ("flush(stdout())", "%.17g", "request$id", "stopped = TRUE", "error = list(", 'protocol = "1.0"')),
        (
            "Julia",
            "julia",
            (
                "flush(stdout)",
                "string(quantities",
                'request["id"]',
                '"stopped" => true',
                '"error"',
                '"protocol" => "1.0"',
            ),
        ),
        ("C++", "cpp", ("std::endl", "%.17g", 'text(line, "id")', '"stopped": true', '"error"', '"protocol": "1.0"')),
    ],
)
def test_every_template_echoes_the_number_flushes_and_gives_17_digits(language, mark, needed):
    code = template(language, mark)
    assert all(part in code for part in needed), [part for part in needed if part not in code]
    assert "gaussian_hockey_stick" in code and len(code.splitlines()) <= 30


def test_the_textbook_gets_a_bad_grade():
    rows = [
        (quantity, row)
        for quantity, row in table_rows(FOLDER, core=True)
        if {"near_equal", "mean_only", "refusal"} & set(row["flags"])
    ]
    command = [sys.executable, "-W", "ignore", "-m", "ndis_verify.reference.adapters.naive"]
    result = conform(command, rows, tolerance=Fraction(1, 10**9), seconds=30)
    (pairs,) = (share for share in shares(result, "quantity") if share.name == "hockey_stick")
    assert pairs.outcomes["unsafe"] >= 3 and pairs.outcomes["tight"] >= 1


def test_an_adapter_is_explained_row_by_row(capsys):
    command = [sys.executable, "-m", "ndis_verify", "eval", "--engine", "fast"]
    assert main(["check-adapter", "--", *command]) == 0
    page = capsys.readouterr().out
    assert page.count("TIGHT") >= 20 and "an instance of" in page


def run_pytest(folder, *options):
    command = [Path(sys.executable).with_name("pytest"), "-q", "-p", "no:cacheprovider", *options]
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, env=environment).stdout


def test_the_plugin_runs_a_function_of_ones_own(tmp_path):
    (tmp_path / "mine.py").write_text(
        "from ndis_verify import fast\n"
        "def right(quantity, inputs):\n"
        "    if quantity != 'gaussian_hockey_stick': raise NotImplementedError\n"
        "    return fast.gaussian_hockey_stick(*(float(inputs[name]) for name in ('sensitivity', 'std', 'epsilon')))\n"
        "def wrong(quantity, inputs):\n"
        "    return 0.5 * right(quantity, inputs)\n"
    )
    # no test file, and nothing on the path: as a newcomer has it
    rows = run_pytest(tmp_path, "--ndis-conform", "mine:right")
    assert " passed" in rows and " failed" not in rows and " skipped" in rows
    (tmp_path / "test_mine.py").write_text(
        "import mine\n"
        "def test_right(ndis_conform): ndis_conform(mine.right, tolerance='1e-9')\n"
        "def test_wrong(ndis_conform): ndis_conform(mine.wrong, quantities=('gaussian_hockey_stick',))\n"
    )
    assert "1 failed, 1 passed" in (page := run_pytest(tmp_path, "test_mine.py")) and "reference rows fail" in page


def test_in_the_plugin_an_exception_fails_its_row_and_nothing_is_no_pass():
    def function(quantity, inputs):
        return {"1": lambda: 1 / 0, "2": lambda: None, "0.5": lambda: 10**400}.get(inputs["std"], lambda: 0.0)()

    with pytest.raises(AssertionError, match="ZeroDivisionError"):
        pytest_plugin.conform(function, quantities=("gaussian_hockey_stick",))
    row = ROW | {"inputs": {"std": "2"}}
    assert pytest_plugin.judged(function, "gaussian_hockey_stick", row, "1e-9").outcome == "invalid"
    assert (
        pytest_plugin.judged(function, "gaussian_hockey_stick", row | {"inputs": {"std": "0.5"}}, "1e-9").outcome
        == "invalid"
    )

    def nothing(quantity, inputs):
        raise NotImplementedError

    with pytest.raises(AssertionError, match="no reference row was answered"):
        pytest_plugin.conform(nothing)
    for tolerance in ("abc", "0", "2"):
        with pytest.raises(pytest.UsageError, match="between 0 and 1"):
            pytest_plugin.conform(function, tolerance=tolerance)


def test_a_file_of_known_failures(tmp_path, capsys):
    path = tmp_path / "known.txt"
    path.write_bytes(b"# known\nhockey_stick/row-1  # a tail\n\nhockey_stick/row-0\n")
    known = read_known(path)
    assert known == {"hockey_stick/row-0", "hockey_stick/row-1"} and read_known(None) == frozenset()
    result = run(implementation(tmp_path, "if number == 2: answer['value'] = '0'"))
    assert exit_code(result, known) == 0 and healed(result, known) == ["hockey_stick/row-0"]
    assert "do not fail any more: hockey_stick/row-0" in reports.terminal(result, known)
    worse = run(implementation(tmp_path, "if number >= 2: answer['value'] = '0'"))
    assert exit_code(worse, known) == 1
    for content in (b"hockey_stick", b"\xff\xfe\x00"):
        path.write_bytes(content)
        with pytest.raises(InputError, match="quantity/row"):
            read_known(path)
    assert main(["conform", "--known-failures", str(tmp_path / "absent"), "--", sys.executable]) == 2
