"""A sample of the mutated requests that `python -m ndis_verify.reference.fuzz` sends by the ten thousand."""

import itertools
import json
import os

import pytest

from ndis_verify.reference import fuzz
from ndis_verify.reference.protocol import MAX_ID

COUNT = int(os.environ.get("NDIS_VERIFY_FUZZ", "60"))  # 20000 for the full run; see docs/conformance.md


@pytest.mark.parametrize("engine", ["fast", "oracle", "certified"])
def test_mutated_requests_are_all_answered_in_time(engine):
    found = fuzz.fuzz(engine, COUNT, seed=1, seconds=1.0, grace=60.0)
    assert not found.findings and sum(found.outcomes.values()) == COUNT, found.findings
    assert found.outcomes["value"] >= COUNT / 20 and len(found.outcomes) >= 5, found.outcomes


def test_a_seed_sends_the_same_lines_and_they_are_mutated():
    first, again, other = (list(itertools.islice(fuzz.requests(seed), 400)) for seed in (1, 1, 2))
    assert first == again != other and all(line.strip() and b"\n" not in line for line in first)
    parsed = [line for line in first if line.startswith(b"{") and line.endswith(b"}")]
    assert len(parsed) > 300 and len(set(first)) > 390


ASKED = b'{"id": 7, "quantity": "gaussian_hockey_stick", "inputs": {}}'


@pytest.mark.parametrize(
    ("answer", "wrong"),
    [
        ('{"id": 7, "value": "0.5", "radius": "1e-12", "basis": "estimate"}', ""),
        ('{"id": 7, "value": "0.5", "radius": "1e-12"}', "other fields"),
        ('{"id": 7, "value": "nan", "radius": "0", "basis": "bound"}', "value is nan"),
        ('{"id": 7, "value": "0.5", "radius": "inf", "basis": "bound"}', "radius is inf"),
        ('{"id": 7, "value": 0.5, "radius": "0", "basis": "bound"}', "value is 0.5"),
        ('{"id": 7, "value": NaN, "radius": "0", "basis": "bound"}', "no JSON"),
        ('{"id": 8, "value": "0.5", "radius": "0", "basis": "bound"}', "has the id 8"),
        ('{"id": null, "value": "0.5", "radius": "0", "basis": "bound"}', "has the id None"),
        ('{"id": 7, "error": {"kind": "domain", "argument": null, "message": "no"}}', ""),
        (
            '{"id": 7, "error": {"kind": "internal", "argument": null, "message": "ZeroDivisionError"}}',
            "ZeroDivisionError",
        ),
        ('{"id": 7, "error": {"kind": "odd", "argument": null, "message": "no"}}', "kind odd"),
        ("Traceback", "no JSON"),
    ],
)
def test_what_is_wrong_with_an_answer_is_seen(answer, wrong):
    _, found = fuzz.problem(ASKED, answer.encode())
    assert (wrong in found) if wrong else found == ""


@pytest.mark.parametrize(
    ("line", "sent"),
    [
        ("{", None),
        ("[1]", None),
        ("7", None),
        ('{"id": true}', None),
        ('{"id": 1.5}', None),
        ('{"id": [1]}', None),
        (json.dumps({"id": "x" * (MAX_ID + 1)}), None),
        ('{"id": ' + "1" * 1001 + "}", None),
        ('{"id": "a"}', "a"),
    ],
)
def test_a_line_without_an_id_is_answered_without_one(line, sent):
    error = {"kind": "type", "argument": "id", "message": "no"}
    assert fuzz.problem(line.encode(), json.dumps({"id": sent, "error": error}).encode())[1] == ""
    assert fuzz.problem(line.encode(), json.dumps({"id": 3, "error": error}).encode())[1]


@pytest.mark.parametrize("fault", ["crash", "slow", "internal"])
def test_a_fault_of_an_engine_is_found(monkeypatch, fault):
    """`eval` replaced by a program with the fault in its third answer."""
    body = {"crash": "sys.exit(3)", "slow": "time.sleep(3)", "internal": "kind = 'internal'"}[fault]
    program = (
        "import json, sys, time\nfor number, line in enumerate(sys.stdin.buffer):\n    kind = 'domain'\n    if number"
        f" == 3: {body}\n    try: given = json.loads(line)['id']\n    except Exception: given = None\n   "
        " print(json.dumps({'id': given, 'error': {'kind': kind, 'argument': None, 'message': ''}}), flush=True)\n"
    )
    popen = fuzz.subprocess.Popen
    monkeypatch.setattr(
        fuzz.subprocess, "Popen", lambda command, **options: popen([command[0], "-c", program], **options)
    )
    monkeypatch.setattr(fuzz, "requests", lambda seed: iter([ASKED] * 5))
    found = fuzz.fuzz("fast", 4, seconds=0.5)
    assert any(
        {"crash": "no answer", "slow": "answered after", "internal": "internal"}[fault] in finding
        for finding in found.findings
    )
