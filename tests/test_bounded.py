"""Streams of requests under a bound on time and memory: whatever one request does, every line gets its answer."""

import io
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_protocol import SAMPLE, SAMPLE_VALUE

from ndis_verify.exact_number import InputError
from ndis_verify.reference import bounded, shared_lines
from ndis_verify.reference.bounded import Limits, each, serve
from ndis_verify.reference.engines import ENGINES
from ndis_verify.reference.shared_lines import SharedLines

EVAL = [sys.executable, "-m", "ndis_verify", "eval", "--engine"]


def waits(inputs, digits):
    """An engine that does what the epsilon of the request says."""
    word = inputs["epsilon"]
    if word == "sleep":
        time.sleep(60)
    if word.startswith("signal"):
        os.kill(os.getpid(), int(word.removeprefix("signal")))
    if word == "memory":
        bytearray(1 << 40)
    if word == "raise":
        raise RuntimeError("inside")
    return "0.5", "0", "bound"


def request(number, epsilon):
    return json.loads(SAMPLE) | {"id": number, "inputs": json.loads(SAMPLE)["inputs"] | {"epsilon": epsilon}}


def served(data: bytes, engine=None, seconds=20.0, mebibytes=512):
    """The answers to the lines of `data`."""
    with tempfile.TemporaryFile() as source, tempfile.TemporaryFile() as sink:
        source.write(data)
        source.seek(0)
        assert serve(engine or {"hockey_stick": waits}, Limits(seconds, mebibytes), source.fileno(), sink.fileno()) == 0
        sink.seek(0)
        return [json.loads(line) for line in sink]


def test_every_line_is_answered_whatever_a_request_does():
    words = ["1", "sleep", "1", "signal9", "signal15", "1", "memory", "raise", "sleep", "1"]
    lines = [json.dumps(request(f"id {number} \0\U0001f600", word)) for number, word in enumerate(words)]
    answers = served("\n".join(lines).encode() + b"\n", seconds=0.5)
    kinds = [answer.get("error", {"kind": "value"})["kind"] for answer in answers]
    assert kinds == ["value", "time", "value", "internal", "internal", "value", "size", "internal", "time", "value"]
    assert [answer["id"] for answer in answers] == [f"id {number} \0\U0001f600" for number in range(10)]
    assert "longer than 0.5 s" in answers[1]["error"]["message"] and "SIGKILL" in answers[3]["error"]["message"]


def test_one_bad_line_never_stops_the_next():
    answers = served(b"\n".join([b"garbage", SAMPLE.encode(), b"", b'{"id": 9}', SAMPLE.encode()]), ENGINES["fast"])
    assert ["error" in answer for answer in answers] == [True, False, True, False]
    assert answers[2]["id"] == 9


def test_an_endless_line_is_reported_and_passed_over():
    data = (
        b"1" * (3 * shared_lines.MAX_LINE_BYTES + 5)
        + b"\n"
        + SAMPLE.encode()
        + b"\n"
        + b"1" * (shared_lines.MAX_LINE_BYTES + 1)
    )
    first, second, third = served(data, ENGINES["fast"])
    assert first["error"]["kind"] == third["error"]["kind"] == "size" and "value" in second


def test_what_is_asked_after_a_stop_is_not_answered():
    (answer,) = served(b'{"id": 1, "command": "stop"}\n' + SAMPLE.encode())
    assert answer["stopped"]


@given(
    st.lists(st.binary(max_size=40).map(lambda line: line.replace(b"\n", b"")), max_size=30),
    st.booleans(),
    st.integers(1, 200),
)
def test_lines_are_those_of_the_stream_however_it_arrives(lines, ends, piece):
    """Against `io.BytesIO`, in a small room that many lines do not fit; the reader changes after every third line."""
    room, shared_lines.MAX_LINE_BYTES = shared_lines.MAX_LINE_BYTES, 64
    try:
        data = b"\n".join(lines) + b"\n" * ends
        reading, writing = os.pipe()
        alive, ours = os.pipe()
        os.set_blocking(writing, True)
        shared = SharedLines(reading)
        threading.Thread(
            target=lambda: (
                ([os.write(writing, data[k : k + piece]) for k in range(0, len(data), piece)] and None)
                or os.close(writing)
            )
        ).start()
        found, more = [], True
        while more:
            more = False
            for count, line in enumerate(shared.read(alive), 1):
                shared.note(line[:20].replace(b"\0", b""))
                assert shared.noted() == line[:20].replace(b"\0", b"") and shared.computing
                found.append(line)
                shared.finished()
                if more := count == 3:
                    break
        assert found == list(io.BytesIO(data)) and not shared.computing
        for descriptor in (reading, alive, ours):
            os.close(descriptor)
    finally:
        shared_lines.MAX_LINE_BYTES = room


@pytest.mark.parametrize(
    ("quantity", "inputs"),
    [
        ("hockey_stick", {"mean_p": ["1e20"], "cov_p": "2", "mean_q": ["0"], "cov_q": "1", "epsilon": "1"}),
        (
            "hockey_stick",
            {
                "mean_p": [str(k) for k in range(20_000)],
                "cov_p": [str(k + 1) for k in range(20_000)],
                "mean_q": ["0"] * 20_000,
                "cov_q": "1",
                "epsilon": "1",
            },
        ),
    ],
)
def test_a_request_of_minutes_is_ended_inside_arb(quantity, inputs):
    slow = json.dumps({"id": "slow", "quantity": quantity, "inputs": inputs, "digits": 1000})
    done = subprocess.run(
        [*EVAL, "certified", "--seconds", "1.5"],
        input=f"{slow}\n{SAMPLE}\n",
        capture_output=True,
        text=True,
        timeout=120,
    )
    first, second = map(json.loads, done.stdout.splitlines())
    assert (first["id"], first["error"]["kind"]) == ("slow", "time") and second["value"] == SAMPLE_VALUE
    assert done.returncode == 0 and done.stderr == ""


def test_memory_is_bounded():
    big = {
        "mean_p": ["1"] * 10**5,
        "cov_p": [str(k) for k in range(1, 10**5 + 1)],
        "mean_q": ["0"] * 10**5,
        "cov_q": "1",
        "epsilon": "1",
    }
    lines = json.dumps({"id": 1, "quantity": "hockey_stick", "inputs": big}) + "\n" + SAMPLE + "\n"
    done = subprocess.run([*EVAL, "fast", "--memory", "40"], input=lines, capture_output=True, text=True, timeout=120)
    first, second = map(json.loads, done.stdout.splitlines())
    assert first["error"]["kind"] in ("size", "internal") and "value" in second


def test_the_child_ends_with_its_parent():
    process = subprocess.Popen([*EVAL, "fast"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True)
    process.stdin.write(SAMPLE.encode() + b"\n")
    process.stdin.flush()
    assert b"value" in process.stdout.readline()
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert process.stdout.read() == b""  # ends only when nobody holds the pipe any more; its input is still open
    process.stdin.close()
    process.stdout.close()


def test_an_interrupted_stream_ends_at_once():
    process = subprocess.Popen(
        [*EVAL, "certified"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    slow = {
        "id": 1,
        "quantity": "hockey_stick",
        "inputs": {"mean_p": ["1e20"], "cov_p": "2", "mean_q": ["0"], "cov_q": "1", "epsilon": "1"},
        "digits": 1000,
    }
    process.stdin.write(SAMPLE.encode() + b"\n" + json.dumps(slow).encode() + b"\n")
    process.stdin.flush()
    process.stdout.readline()
    os.killpg(process.pid, signal.SIGINT)
    rest, said = process.communicate(timeout=30)
    assert process.returncode == 130 and rest == b"" and b"interrupted" in said and b"Traceback" not in said


def test_values_on_the_command_line_have_the_same_bound():
    pair = ["--mean-p", "1e20", "--cov-p", "2", "--mean-q", "0", "--cov-q", "1"]
    for command in (["delta", *pair, "--epsilon", "1e20", "1"], ["epsilon", *pair, "--delta", "0.5"]):
        done = subprocess.run(
            [sys.executable, "-m", "ndis_verify", *command, "--certified", "--digits", "1000", "--seconds", "0.4"],
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert (
            done.returncode == 3
            and "undecided: the request took longer than 0.4 s" in done.stderr
            and "Traceback" not in done.stderr
        )


def test_each_gives_results_and_passes_errors_on():
    assert list(each(lambda x: x * x, [1, 2, 3], Limits())) == [1, 4, 9]
    assert list(each(lambda x: x, [], Limits())) == []

    def third(number):
        if number == 3:
            raise InputError("number", number, "must not be 3")
        return 1 // (4 - number)

    results = each(third, [1, 2, 3], Limits())
    assert [next(results), next(results)] == [0, 0]
    with pytest.raises(InputError, match="number = 3: must not be 3"):
        next(results)
    with pytest.raises(ArithmeticError, match="zero"):
        list(each(third, [4], Limits()))
    with pytest.raises(ArithmeticError, match="longer than 0.2 s"):
        list(each(lambda item: time.sleep(60), [1], Limits(0.2)))
    with pytest.raises(ArithmeticError, match="SIGTERM"):
        list(each(lambda item: os.kill(os.getpid(), signal.SIGTERM), [1], Limits()))
    with pytest.raises(ArithmeticError, match="more memory"):
        list(each(lambda item: len(bytearray(1 << 40)), [1], Limits(mebibytes=64)))


def test_results_that_nobody_takes_leave_no_process(monkeypatch):
    started = []
    forked = bounded._forked
    monkeypatch.setattr(bounded, "_forked", lambda *arguments: started.append(forked(*arguments)) or started[-1])
    results = each(lambda x: x, range(10**6), Limits())
    next(results)
    results.close()
    with pytest.raises(ChildProcessError):
        os.waitpid(started[0], os.WNOHANG)


@pytest.mark.parametrize("limits", [(0, 1), (-1, 1), (float("nan"), 1), (float("inf"), 1), (1, 0), (1, 2**31)])
def test_limits_are_positive(limits):
    with pytest.raises(InputError, match="--seconds|--memory"):
        Limits(*limits)


@pytest.mark.parametrize(
    ("redirection", "code", "says"), [("<&-", 2, "must both be open"), (">/dev/full", 1, "No space left")]
)
def test_a_stream_that_is_closed_or_full_is_one_line(redirection, code, says):
    """A closed one must not be taken for the next file that is opened."""
    command = f"echo '{SAMPLE}' | ( {' '.join(EVAL)} fast {redirection} )"
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, timeout=60)
    assert done.returncode == code and says in done.stderr and "Traceback" not in done.stderr and done.stdout == ""
    assert len(done.stderr.splitlines()) == 1
