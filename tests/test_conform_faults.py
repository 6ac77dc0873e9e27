"""The conformance runner against hostile implementations: a verdict in bounded time and memory, nothing lost, nothing
believed.
"""

import json
import os
import re
import resource
import signal
import subprocess
import sys
import time
from fractions import Fraction
from pathlib import Path
from xml.etree import ElementTree

import pytest
from test_conformance import LOOP, ROW, implementation, outcomes, run

from ndis_verify.cli import main
from ndis_verify.exact_number import InputError
from ndis_verify.reference.conformance import reports
from ndis_verify.reference.conformance.judge import judge
from ndis_verify.reference.conformance.run import conform
from ndis_verify.reference.conformance.summary import exit_code
from ndis_verify.runs import process
from ndis_verify.runs.process import MAX_DEPTH, Oddities, Process, _answer

PATIENCE = 2.0  # seconds for an answer: what never answers is waited for so long, what answers needs a hundredth of it
HOSTILE = {
    "hangs": ("if number == 2: time.sleep(600)", ["tight", "timeout", "tight"]),
    "dies": ("if number == 2: os._exit(3)", ["tight", "crashed", "tight"]),
    "kills itself": ("if number == 2: os.kill(os.getpid(), 9)", ["tight", "crashed", "tight"]),
    "closes the pipe": ("if number == 2: os.close(1); time.sleep(600)", ["tight", "crashed", "tight"]),
    "prints garbage": ("print('\\x1b[2J not json'); print('{\"id\": 2'); print('[' * 5000)", ["tight"] * 3),
    "answers others": (
        "print(json.dumps({'id': 99, 'value': '1'})); print(json.dumps({'id': number - 1, 'value': '1'}))",
        ["tight"] * 3,
    ),
    "answers NaN": ("answer['value'] = float('nan')", ["invalid"] * 3),
    "answers a bare number": ("answer['value'] = 0.5", ["loose"] * 3),
    "forks": ("subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])", ["tight"] * 3),
    "prints one endless line": (
        "if number == 2:\n    while True: sys.stdout.write('x' * 65536)",
        ["tight", "timeout", "tight"],
    ),
    "floods lines": ("if number == 2:\n    while True: print('{}' * 50)", ["tight", "timeout", "tight"]),
    "prints what is no UTF-8": ("sys.stdout.buffer.write(b'\\xff\\xfe\\x00\\n'); sys.stdout.flush()", ["tight"] * 3),
    "nests": ("if number == 2: answer['value'] = json.loads('[' * 500 + ']' * 500)", ["tight", "timeout", "tight"]),
    "answers a million digits": ("answer['value'] = '0.' + '1' * 1000000", ["invalid"] * 3),
    "answers two million digits": (
        "if number == 2: answer['value'] = '0.' + '1' * 2000000",
        ["tight", "timeout", "tight"],
    ),
    "answers Infinity": ("answer['value'] = float('inf')", ["invalid"] * 3),
    "answers with less than nothing": ("answer['value'] = '-0.5'", ["unsafe"] * 3),
    "answers twice": ("print(json.dumps(answer)); answer['value'] = '0.5'", ["tight"] * 3),
    "answers an error that is none": ("answer['error'] = None", ["tight"] * 3),
    "hedges": ("answer['error'] = {'message': 'or not'}", ["invalid"] * 3),
    "leaves a child with the pipe": (
        (
            "if number == 2:\n    if os.fork() == 0:\n        os.setsid()\n        time.sleep(8)\n        os._exit(0)\n"
            "    os._exit(3)"
        ),
        ["tight", "crashed", "tight"],
    ),
    "floods stderr": ("sys.stderr.write('e' * 3000000)", ["tight"] * 3),
}


@pytest.fixture
def impatient(monkeypatch):
    """What does not end when its input is closed is killed sooner; for tests that do not ask how it ended."""
    monkeypatch.setattr(process, "GRACE_SECONDS", 0.5)


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("habit", HOSTILE)
def test_hostile_implementations_get_a_verdict_in_bounded_time(tmp_path, habit):
    body, expected = HOSTILE[habit]
    journal = tmp_path / "rows.jsonl"
    began = time.monotonic()
    result = run(implementation(tmp_path, body), seconds=PATIENCE, journal=journal)
    assert time.monotonic() - began < 40
    assert outcomes(result) == expected
    assert len(journal.read_text(encoding="utf-8").splitlines()) == 1 + 3
    for page in (
        reports.terminal(result, frozenset()),
        reports.markdown(result, frozenset()),
        reports.page(result, frozenset()),
    ):
        assert "\x1b" not in page
    ElementTree.fromstring(reports.junit(result, frozenset()).partition("\n")[2])
    json.loads(reports.as_json(result, frozenset()))


@pytest.mark.usefixtures("impatient")
def test_one_that_does_not_read_is_given_up(tmp_path):
    path = tmp_path / "deaf.py"
    path.write_text(
        'import json, sys, time\nprint(json.dumps({"id": "start", "protocol": "1.0", "quantities": ["hockey_stick"]}),'
        " flush=True)\ntime.sleep(600)\n"
    )
    big = [("hockey_stick", ROW | {"name": "big", "inputs": {"mean_p": ["0.5"] * 200_000}})]
    result = conform([sys.executable, str(path)], big, tolerance=Fraction(1, 10**9), seconds=PATIENCE)
    assert outcomes(result) == ["timeout"]


@pytest.mark.usefixtures("impatient")
def test_an_answer_cannot_come_before_its_question(tmp_path):
    result = run(
        implementation(
            tmp_path,
            "for k in range(100): print(json.dumps(answer | {'id': request['id'] + k}))\nsys.stdout.flush();"
            " sys.stdin.readline()",
        ),
        seconds=PATIENCE,
    )
    assert outcomes(result) == ["tight", "timeout", "tight"] and result.oddities.strangers > 50


@pytest.mark.usefixtures("impatient")
def test_a_timeout_says_what_came_instead(tmp_path):
    body = (
        "if number == 1:\n    sys.stdout.write('x' * 3000000 + chr(10)); print('Traceback: oh'); sys.stdout.flush();"
        " time.sleep(600)"
    )
    (judgement,) = run(implementation(tmp_path, body), count=1, seconds=PATIENCE).judgements
    assert (
        judgement.outcome == "timeout"
        and "1 other lines, the first: Traceback: oh" in judgement.message
        and "a line longer than" in judgement.message
    )


def test_a_child_that_left_the_group_and_floods_is_cut_off(tmp_path):
    flood = "import sys\nwhile True: sys.stdout.write(chr(123) * 65536 + chr(10))"
    body = (
        f"if number == 2:\n    child = subprocess.Popen([sys.executable, '-c', {flood!r}], start_new_session=True);"
        " os._exit(1)"
    )
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    result = run(implementation(tmp_path, body), seconds=PATIENCE)
    assert outcomes(result)[::2] == ["tight", "tight"] and outcomes(result)[1] in ("crashed", "timeout")
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 200_000  # kilobytes


def test_how_it_ends_is_said_and_fails_nothing(tmp_path):
    result = run([*implementation(tmp_path, "import atexit; atexit.register(os._exit, 3)")])
    assert (
        outcomes(result) == ["tight"] * 3
        and result.ending == "ended with exit code 3"
        and exit_code(result, frozenset()) == 0
    )
    assert "In the end: ended with exit code 3" in reports.terminal(result, frozenset())
    stubborn = run(
        implementation(tmp_path, "import signal, threading; threading.Thread(target=time.sleep, args=(600,)).start()")
    )
    assert "killed" in stubborn.ending and outcomes(stubborn) == ["tight"] * 3


@pytest.mark.parametrize(
    ("start", "says"),
    [
        ('{"id": "start", "protocol": "2.0", "quantities": ["hockey_stick"]}', "protocol 1.0"),
        ('{"id": "start", "protocol": "1.0", "quantities": "hockey_stick"}', "list of quantities"),
        ('{"id": "start", "error": {"message": "no licence"}}', "no licence"),
    ],
)
def test_a_start_that_does_not_fit_is_a_usage_error_that_shows_the_answer(start, says):
    with pytest.raises(InputError, match=says):
        run([sys.executable, "-c", f"print({start!r}, flush=True); input(); input()"])


def test_one_that_answers_nothing_has_not_passed(tmp_path):
    refuses = run(
        implementation(tmp_path, "answer = {'id': request['id'], 'error': {'kind': 'quantity', 'message': 'not yet'}}")
    )
    assert outcomes(refuses) == ["refused"] * 3 and exit_code(refuses, frozenset()) == 1
    misspelt = [*implementation(tmp_path)]
    Path(misspelt[1]).write_text((LOOP % "pass").replace('["hockey_stick"]', '["hokey_stick", 7]'), encoding="utf-8")
    result = run(misspelt)
    assert not result.judgements and result.unknown == ("hokey_stick", "7") and exit_code(result, frozenset()) == 1
    page = reports.terminal(result, frozenset())
    assert "no row was answered" in page and "hokey_stick" in page
    assert ElementTree.fromstring(reports.junit(result, frozenset()).partition("\n")[2]).find(".//failure") is not None


def test_names_and_messages_cannot_write_to_a_terminal_or_a_page(tmp_path, capsys):
    evil = "\\x1b[2J<script>|\\ud800\\x00\\uffff"
    body = f"answer = {{'id': request['id'], 'error': {{'message': '{evil}', 'argument': '{evil}' * 9999}}}}"
    command = implementation(tmp_path, body)
    Path(command[1]).write_text(
        Path(command[1]).read_text().replace('"name": "fake"', f'"name": "{evil}"'), encoding="utf-8"
    )
    refusal = {key: value for key, value in ROW.items() if key not in ("value", "radius")} | {
        "error": {"kind": "domain", "argument": "cov_p"}
    }
    result = conform(
        command, [("hockey_stick", ROW), ("hockey_stick", refusal | {"name": "refuse"})], tolerance=Fraction(1, 10**9)
    )
    for path in reports.write_all(tmp_path, result, frozenset()):
        text = path.read_text(encoding="utf-8")
        if path.suffix == ".md":
            text = re.sub(r"(`+)(?!`).*?(?<!`)\1(?!`)", "", text)  # nothing is live in a code span
        assert "\x1b" not in text and "\x00" not in text and ("<script>" not in text or path.suffix == ".json"), (
            path.name
        )
    print(reports.terminal(result, frozenset()))
    main(["check-adapter", "--", *command])
    assert "\x1b" not in capsys.readouterr().out
    assert all(len(judgement.message) < 400 for judgement in result.judgements)


def test_brackets_in_strings_are_no_depth_and_the_scan_is_linear():
    assert _answer(b'{"id": 1, "error": {"message": "' + b"[" * 500 + b'"}}')["id"] == 1
    assert _answer(b'{"id": 1, "value": ' + b"[" * MAX_DEPTH + b"]" * MAX_DEPTH + b"}") is None
    began = time.monotonic()
    for line in (
        b'"\\' * 500_000,
        b'"' + b'\\"' * 500_000,
        b"[" * 10**6,
        b'{"' * 300_000,
        b'{"value": ' + b"9" * 10**6 + b"}",
    ):
        _answer(line)
    assert time.monotonic() - began < 5


def test_integers_and_numbers_are_read_as_decimals(tmp_path):
    assert (
        judge("hockey_stick", ROW | {"value": "1", "radius": "0"}, {"value": 1}, Fraction(1, 10**9)).outcome == "tight"
    )
    assert judge("hockey_stick", ROW, {"value": True}, Fraction(1, 10**9)).outcome == "invalid"
    for number in ("10**4000", "'1e19999'", "-(10**4000)"):
        assert outcomes(run(implementation(tmp_path, f"answer['value'] = {number}"), count=1)) == [
            "unsafe" if "-" in number else "loose"
        ]


def test_memory_stays_bounded_under_a_flood_of_long_lines(tmp_path):
    body = "line = '{\"value\": \"' + 'x' * 1000000 + '\"}'\nwhile True: print(line)"
    probe = (
        "import resource, sys; from fractions import Fraction\nfrom ndis_verify.reference.conformance.run import"
        f" conform\nrow = {ROW!r}\nbefore = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\nrun ="
        f" conform({implementation(tmp_path, body)!r}, [('hockey_stick', row)], tolerance=Fraction(1, 10**9),"
        f" seconds={PATIENCE})\nprint(run.judgements[0].outcome, (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss -"
        " before) // 1024)\n"
    )
    output = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True).stdout.split()
    assert output[0] == "timeout" and int(output[1]) < 100  # megabytes


def test_the_junit_file_keeps_to_what_its_readers_allow(tmp_path):
    result = run(
        implementation(tmp_path, "if number == 2: os._exit(3)\nif number == 1: answer['value'] = '0'"), count=4
    )
    root = ElementTree.fromstring(reports.junit(result, frozenset({"hockey_stick/row-0"})).partition("\n")[2])
    allowed = {
        "testsuites": {"name"},
        "testsuite": {"name", "tests", "failures", "errors", "skipped", "time"},
        "testcase": {"classname", "name", "time"},
        "failure": {"message", "type"},
        "skipped": {"message"},
    }
    inside = {
        "testsuites": {"testsuite"},
        "testsuite": {"testcase"},
        "testcase": {"failure", "skipped"},
        "failure": set(),
        "skipped": set(),
    }
    for element in root.iter():
        assert set(element.attrib) <= allowed[element.tag] and {child.tag for child in element} <= inside[element.tag]
    (suite,) = root
    assert int(suite.get("tests")) == len(suite) == 4
    for kind, tag in (("failures", "failure"), ("skipped", "skipped")):
        assert int(suite.get(kind)) == len(suite.findall(f".//{tag}"))


def test_the_html_page_asks_for_no_other_file(tmp_path):
    result = run(implementation(tmp_path, "answer['value'] = '0'"))
    page = reports.page(result, frozenset())
    assert not any(word in page for word in ("src=", "href=", "url(", "@import", "<script", "<link"))
    assert page.count("<table") == page.count("</table>") == 4  # the heat map, the failures, all rows twice


def test_a_process_that_was_stopped_is_gone(tmp_path):
    process = Process(implementation(tmp_path, "subprocess.Popen(['sleep', '600'])"), Oddities())
    process.ask({"id": 1}, 10.0)
    group = process._child.pid
    process.stop()
    deadline = time.monotonic() + 5
    while time.monotonic() < deadline:
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            break
        time.sleep(0.05)
    else:
        pytest.fail("the group lives on")


def test_an_interrupted_run_keeps_its_judgements_and_leaves_no_process(tmp_path):
    command = implementation(tmp_path, "time.sleep(0.2)\nopen('pid', 'w').write(str(os.getpid()))")
    child = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "ndis_verify",
            "conform",
            "--core",
            "--quantity",
            "hockey_stick",
            "--output",
            "out",
            "--",
            *command,
        ],
        cwd=tmp_path,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )  # fmt: skip - a shell's background jobs ignore it
    journal = tmp_path / "out" / "conformance.jsonl"
    until = time.monotonic() + 60
    while not (journal.exists() and journal.read_bytes().count(b"\n") >= 3):
        assert time.monotonic() < until and child.poll() is None
        time.sleep(0.05)
    child.send_signal(signal.SIGINT)
    _, error = child.communicate(timeout=30)
    assert child.returncode == 130 and b"interrupted" in error
    assert len([json.loads(line) for line in journal.read_text(encoding="utf-8").splitlines()]) >= 3
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "pid").read_text()), 0)
