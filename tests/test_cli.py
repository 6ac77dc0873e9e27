"""The command line as a person or a script uses it."""

import contextlib
import io
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest
from command_line import run

from ndis_verify import InputError
from ndis_verify.claims.real_data import claims as data_claims
from ndis_verify.commands import verify
from ndis_verify.report import real_data as data_pages

SAMPLE = (
    '{"id": 7, "quantity": "hockey_stick", "inputs": {"mean_p": ["0.5"], "cov_p": [["2"]], '
    '"mean_q": ["0"], "cov_q": [["1"]], "epsilon": "1"}, "digits": 30}\n'
)
PAIR_FLAGS = ["--mean-p", "0.5", "--cov-p", "2", "--mean-q", "0", "--cov-q", "1"]
VALUE = "0.0861509684526509859978810791809"


def run_apart(*arguments, stdin=None):
    """`run` in a process of its own, for commands that need its standard input and for the program as such."""
    command = [sys.executable, "-m", "ndis_verify", *arguments]
    return subprocess.run(command, input=stdin, capture_output=True, text=True, timeout=120)


@pytest.mark.parametrize(
    "arguments, code", [(["delta", *PAIR_FLAGS, "--epsilon", "1", "--certified"], 0), (["eval"], 2)]
)
def test_the_program_is_the_command_in_a_process_of_its_own(arguments, code):
    apart, here = run_apart(*arguments), run(*arguments)
    assert (apart.returncode, apart.stdout, apart.stderr) == (
        here.returncode,
        here.stdout,
        here.stderr,
    ) and apart.returncode == code


@pytest.mark.parametrize("engine", ["fast", "oracle", "certified"])
def test_eval_answers_the_sample_and_survives_a_bad_line(engine):
    result = run_apart("eval", "--engine", engine, stdin="{\n" + SAMPLE)
    assert result.returncode == 0 and result.stderr == ""
    bad, good = map(json.loads, result.stdout.splitlines())
    assert bad["error"]["kind"] == "parse" and good["id"] == 7
    assert float(good["value"]) == pytest.approx(float(VALUE), rel=1e-15)


def test_a_reader_that_has_gone_away_is_an_exit_code_and_no_complaint():
    """What is printed at last is short enough to be kept back until the end."""
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "w") as gone:
        command = [sys.executable, "-m", "ndis_verify", "delta", *PAIR_FLAGS, "--epsilon", "1"]
        kept_back = os.environ | {"PYTHONUNBUFFERED": ""}
        done = subprocess.run(command, stdout=gone, stderr=subprocess.PIPE, text=True, timeout=120, env=kept_back)
    assert done.returncode == 1 and done.stderr == ""


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (InputError("x", 1, "must be 2"), 2, "ndis-verify: x = 1: must be 2\n"),
        (ArithmeticError("too \x1b few digits"), 3, "ndis-verify: undecided: too \\x1b few digits\n"),
        (FileNotFoundError("no file"), 2, "ndis-verify: no file\n"),
        (KeyboardInterrupt(), 130, "ndis-verify: interrupted\n"),
    ],
)
def test_what_ends_a_command_is_an_exit_code_and_a_line(monkeypatch, error, code, said):
    def ended(arguments):
        raise error

    monkeypatch.setattr("ndis_verify.commands.where.main", ended)
    found = run("where", "N26-L4")
    assert (found.returncode, found.stdout, found.stderr) == (code, "", said)


def test_the_value_of_a_far_epsilon_is_printed_at_once():
    """delta = e^-(2 10^8), which no fraction holds."""
    found = run("delta", "--mean-p", "1", "--cov-p", "1", "--mean-q", "0", "--cov-q", "1", "--epsilon", "20000")
    assert found.returncode == 0 and "e-86854563 +/- " in found.stdout, found.stderr


def test_eval_streams_each_answer_before_the_next_request():
    process = subprocess.Popen(
        [sys.executable, "-m", "ndis_verify", "eval", "--engine", "fast"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        for _ in range(2):
            process.stdin.write(SAMPLE)
            process.stdin.flush()
            assert json.loads(process.stdout.readline())["id"] == 7
    finally:
        process.stdin.close()
        assert process.wait(timeout=60) == 0
        process.stdout.close()


def test_delta_from_flags_and_from_a_file(tmp_path):
    pair = {"mean_p": ["0.5"], "cov_p": [["2"]], "mean_q": [0], "cov_q": 1}
    (tmp_path / "pair.json").write_text(json.dumps(pair))
    for source in (PAIR_FLAGS, ["--pair", str(tmp_path / "pair.json")]):
        result = run("delta", *source, "--epsilon", "1", "--certified")
        assert result.returncode == 0 and VALUE in result.stdout and "certified" in result.stdout
        assert run("delta", *source, "--epsilon", "1").stdout == result.stdout  # a proof is the default
    for flags, basis in ([], "bound"), (["--agreement"], "agreement"):
        result = run("delta", *PAIR_FLAGS, "--epsilon", "0", "1", "--json", "--digits", "12", *flags)
        answers = [json.loads(line) for line in result.stdout.splitlines()]
        assert [answer["epsilon"] for answer in answers] == ["0", "1"]
        assert answers[1]["value"].startswith("0.0861509684") and answers[1]["basis"] == basis


def test_a_value_by_proof_loads_no_engine_of_floats_or_of_two_routes():
    program = (
        "import sys; from ndis_verify.cli import main; main(sys.argv[1:]);"
        " print([m for m in ('numpy', 'scipy', 'sympy', 'ndis_verify.oracle.hockey_stick') if m in sys.modules])"
    )
    command = [sys.executable, "-c", program, "delta", *PAIR_FLAGS, "--epsilon", "1"]
    result = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert VALUE in result.stdout and result.stdout.endswith("[]\n"), result.stdout + result.stderr


def test_json_decimals_in_a_pair_file_are_read_as_decimals(tmp_path):
    (tmp_path / "pair.json").write_text('{"mean_p": [0.1], "cov_p": 1, "mean_q": [0], "cov_q": 1}')
    from_file = run("delta", "--pair", str(tmp_path / "pair.json"), "--epsilon", "0", "--certified").stdout
    from_flags = run(
        "delta", "--mean-p", "0.1", "--cov-p", "1", "--mean-q", "0", "--cov-q", "1", "--epsilon", "0", "--certified"
    ).stdout
    assert from_file == from_flags != ""


def test_epsilon_is_the_inverse_of_delta():
    result = run("epsilon", *PAIR_FLAGS, "--delta", VALUE, "--certified", "--json", "--digits", "20")
    answer = json.loads(result.stdout)
    assert float(answer["value"]) == pytest.approx(1, abs=1e-15) and answer["basis"] == "bound"


@pytest.mark.parametrize(
    "arguments, words",
    [
        ([], "COMMAND"),
        (["nonsense"], "invalid choice"),
        (["eval"], "--engine"),
        (["delta", "--epsilon", "1"], "--mean-p"),
        (["delta", *PAIR_FLAGS], "--epsilon"),
        (["delta", *PAIR_FLAGS, "--epsilon", "one"], "epsilon = one"),
        (["delta", *PAIR_FLAGS, "--epsilon", "1e300"], "at most 1e20"),
        (["delta", *PAIR_FLAGS, "--epsilon", "1", "--digits", "0"], "--digits"),
        (["delta", *PAIR_FLAGS[:-1], "-1", "--epsilon", "1"], "cov_q"),
        (["delta", *PAIR_FLAGS, "--pair", "x.json", "--epsilon", "1"], "--pair"),
        (["delta", "--pair", "absent.json", "--epsilon", "1"], "absent.json"),
        (["verify", "N26-L11"], "did you mean"),
        (["verify", "--jobs", "0"], "--jobs"),
        (["claims", "--missing", "absent.txt"], "absent.txt"),
    ],
)
def test_wrong_usage_is_exit_2_with_a_reason(arguments, words, tmp_path):
    result = run(*arguments, cwd=tmp_path)
    assert result.returncode == 2 and words in result.stderr and "Traceback" not in result.stderr


@pytest.mark.parametrize(
    "text", ["[" * 10_000, "{}", '{"mean_p": [NaN], "cov_p": 1, "mean_q": [0], "cov_q": 1}', "\x00"]
)
def test_a_bad_pair_file_is_refused(text, tmp_path):
    (tmp_path / "pair.json").write_text(text)
    result = run("delta", "--pair", str(tmp_path / "pair.json"), "--epsilon", "1")
    assert result.returncode == 2 and "Traceback" not in result.stderr


def test_a_verb_that_needs_an_action_asks_for_it():
    asked = run("reference")
    assert asked.returncode == 2 and "ACTION" in asked.stderr


def test_the_curve_of_every_data_set_that_was_decided_is_printed(monkeypatch, tmp_path):
    monkeypatch.setattr(data_claims, "deletion_curve", lambda name: name)
    monkeypatch.setattr(data_pages, "curve_table", lambda curve: f"table of {curve}")
    monkeypatch.setattr(data_pages, "save_plot", lambda curves, path: curves == ["diabetes", "digits"])
    judgements = [
        SimpleNamespace(id=i, source=i.partition("-")[0], verdict=verdict)
        for i, verdict in (
            ("DATA-diabetes", "certified"),
            ("N26-L1", "proved"),
            ("DATA-digits", "open"),
            ("DATA-x", None),
        )
    ]
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        assert verify._real_data(judgements, tmp_path) == [tmp_path / "real_data.png"]
    assert out.getvalue() == "\ntable of diabetes\n\ntable of digits\n"


def test_verify_prints_a_table_and_writes_both_reports(tmp_path):
    result = run("verify", "SL-1", "N24-C1", "--jobs", "1", cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    report = json.loads((tmp_path / "ndis-verify-report" / "report.json").read_text())
    argued = [claim["argued"] for claim in report["claims"] if claim["argued"]]
    beside = f" ({len(argued)} of them with {sum(argued)} argued steps)" if argued else ""
    assert f"2 claims: 2 proved{beside}; all as declared" in result.stdout
    assert [claim["id"] for claim in report["claims"]] == ["SL-1", "N24-C1"] and all(
        c["agrees"] for c in report["claims"]
    )
    assert f"Verdict: **proved, {argued[0]} argued**" in (tmp_path / "ndis-verify-report" / "report.md").read_text()
    assert not (tmp_path / "ndis-verify-report" / "journal.jsonl").exists()


def test_nothing_is_drawn_on_a_stderr_that_is_no_terminal(tmp_path):
    assert run("verify", "SL-1", cwd=tmp_path).stderr == ""


def test_progress_is_drawn_on_a_terminal():
    import io

    from ndis_verify.runs.progress import Progress

    class Terminal(io.StringIO):
        def isatty(self):
            return True

    stream = Terminal()
    progress = Progress("verify", stream)
    progress(1, 2, "N26-L1")
    progress(2, 2, "N26-L4")
    progress.close()
    assert "2/2" in stream.getvalue() and stream.getvalue().endswith("\x1b[K")
    assert "s left N26-L1" in stream.getvalue() and "s left N26-L4" not in stream.getvalue()


def test_verdicts_are_in_colour_on_a_terminal_alone(monkeypatch):
    from ndis_verify.report.colour import painted

    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    terminal, file = io.StringIO(), io.StringIO()
    monkeypatch.setattr(terminal, "isatty", lambda: True)
    assert painted("proved, 2 argued", terminal) == "\x1b[32mproved\x1b[0m, 2 argued"
    assert painted("proved", file) == "proved" and painted("disproved", terminal) == "disproved"
    monkeypatch.setenv("NO_COLOR", "1")
    assert painted("proved", terminal) == "proved"


def test_a_shell_completes_verbs_flags_and_ids():
    script = run("completion", "bash").stdout
    tried = "COMP_WORDS=(ndis-verify {}); COMP_CWORD={}; _ndis_verify; echo ${{COMPREPLY[@]}}"
    for words, number, wanted in (("ver", 1, "verify"), ("verify N26-L", 2, "N26-L3"), ("verify --fu", 2, "--full")):
        done = subprocess.run(
            ["bash", "-c", f"{script}\n{tried.format(words, number)}"], capture_output=True, text=True, check=True
        )
        assert wanted in done.stdout.split(), done
    assert "__fish_seen_subcommand_from show" in run("completion", "fish").stdout
    assert "bashcompinit" in run("completion", "zsh").stdout


def test_an_interrupted_verify_ends_whenever_it_comes(tmp_path):
    """Ctrl-C while the processes of the run are being started, which do not yet ignore it."""
    command = [sys.executable, "-m", "ndis_verify", "verify", "--full", "N26-L4", "N24-T2", "N26-L1", "--jobs", "2"]
    heard = {**os.environ, "NDIS_VERIFY_TEST_RUN": ""}  # what other tests heard would end the run before it is stopped
    options = {"stderr": subprocess.PIPE, "text": True, "start_new_session": True, "env": heard}
    running = subprocess.Popen(
        command, cwd=tmp_path, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL), **options
    )  # a test run in the background of a script ignores the signal, and so would what it starts
    journal = tmp_path / "ndis-verify-report" / "journal.jsonl"
    while not journal.exists() and running.poll() is None:
        time.sleep(0.01)
    os.killpg(running.pid, signal.SIGINT)
    assert running.communicate()[1] == "ndis-verify: interrupted\n"
    assert running.returncode == 130


def test_an_interrupt_between_the_doors_is_told_of_in_one_line(monkeypatch, capsys):
    from ndis_verify import __main__ as door

    def interrupted():
        raise KeyboardInterrupt

    before = signal.getsignal(signal.SIGINT)
    monkeypatch.setattr(door, "main", interrupted)
    try:
        assert door.start() == 130
    finally:
        signal.signal(signal.SIGINT, before)
    assert capsys.readouterr().err == "ndis-verify: interrupted\n"


@pytest.mark.parametrize("seconds", [0.0, 0.1, 0.3, 0.6])
def test_an_interrupt_before_the_command_has_begun_is_quiet_once_the_program_is_entered(seconds, tmp_path):
    """What Python prints while it starts itself, or imports the package for its door, is its own."""
    command = [sys.executable, "-c", "import ndis_verify.__main__ as door; print(flush=True); door.start()"]
    running = subprocess.Popen(
        command,
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    running.stdout.readline()
    time.sleep(seconds)
    running.send_signal(signal.SIGINT)
    assert "Traceback" not in running.communicate()[1]


EXAMPLE = str(Path(__file__).resolve().parents[1] / "examples" / "my_claims.py")


def test_claims_of_ones_own_are_judged_and_attacked(tmp_path):
    result = run("verify", EXAMPLE, "--jobs", "1", cwd=tmp_path)  # tests/test_cluster.py has a file in two processes
    assert result.returncode == 0, result.stdout + result.stderr
    assert "3 claims: 1 refuted, 2 supported; all as declared" in result.stdout
    result = run("attack", EXAMPLE + ":LEVERAGE_BOUND", "--evaluations", "2000", cwd=tmp_path)
    assert result.returncode == 1 and "VIOLATED, certified" in result.stdout
    result = run("verify", EXAMPLE, "N26-L1", cwd=tmp_path)
    assert result.returncode == 2 and "judged alone" in result.stderr
