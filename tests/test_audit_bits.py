"""The auditor of bits: what it must find, what it must not, and that its limits hold as often as they promise."""

import json
import math
import sys
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.stats import beta, binom

from ndis_verify.audit import audit_bits, laplace_by_inversion
from ndis_verify.cli import main
from ndis_verify.exact_number import InputError
from ndis_verify.experiments.bit_cases import planted_cases
from ndis_verify.experiments.bit_survey import known_pairs, validity_study

PLANTED = {case.name: case for case in planted_cases()}
# Enough draws for each hole; a release of one number costs little.
DRAWS = dict(zip(PLANTED, (2_000, 3_000, 2_000, 40_000, 1_500, 1_500, 12_000), strict=True))


@pytest.mark.parametrize("name", PLANTED)
def test_every_planted_hole_refutes_its_claim(name):
    case = PLANTED[name]
    found = case.audit(DRAWS[name], seed=1)
    assert found.refutes(case.epsilon, case.delta), found.events
    assert found.best.family != "size"


@pytest.mark.parametrize("name", PLANTED)
def test_the_same_draws_on_a_coarse_grid_tell_nothing(name):
    case = PLANTED[name]

    def rounded(rng):
        return tuple(
            lambda count, one=one: np.rint(np.nan_to_num(one(count)) * 2.0**10) * 2.0**-10 for one in case.make(rng)
        )

    assert not replace(case, make=rounded).audit(1_000, seed=2).refutes(case.epsilon, case.delta)


def test_limits_are_above_the_truth_no_more_often_than_promised():
    for row in validity_study(runs=12, seed=3, draws=200, confidences=(0.5,)):
        assert binom.sf(row.above - 1, row.runs, 1 - row.confidence) > 1e-4, row


def test_events_confirmed_on_the_draws_that_chose_them_would_be_caught():
    pair, rng, above = known_pairs()[-1], np.random.default_rng(4), 0
    for _ in range(20):
        halves = pair.draw(rng, 200)
        found = audit_bits(
            *(np.concatenate([half, half[100:], half[100:]]) for half in halves), epsilon=0.0, confidence=0.5
        )
        above += bool(found.delta(0.0) > 0)
    assert binom.sf(above - 1, 20, 0.5) < 1e-4


def test_the_confirming_half_chooses_nothing():
    rng = np.random.default_rng(5)
    p, q = rng.normal(size=(2, 400, 2))
    p[:, 0] = np.rint(p[:, 0] * 2**20) / 2**20
    other = np.concatenate([p[:200], rng.normal(size=(200, 2)) ** 3])
    events = [
        [(event.family, event.words, event.first) for event in audit_bits(x, q, epsilon=0.5).events] for x in (p, other)
    ]
    assert events[0] == events[1]


def test_limits_are_clopper_pearson_limits_of_the_counts():
    rng = np.random.default_rng(6)
    p, q = known_pairs()[1].draw(rng, 4000)
    found = audit_bits(p, q, epsilon=0.0, confidence=0.9, grids=[2.0**-20])
    event = next(event for event in found.events if event.family == "exact multiples")
    first, other = (p, q) if event.first == "P" else (q, p)
    odd = [int((np.rint(x[2000:] * 2.0**20) % 2).sum()) for x in (first, other)]
    assert event.counts in (tuple(odd), tuple(2000 - count for count in odd)), event
    # No single limit can spend more than half of the failure.
    lowest, highest = (
        beta.ppf(0.05, event.counts[0], 2001 - event.counts[0]),
        beta.ppf(0.95, event.counts[1] + 1, 2000 - event.counts[1]),
    )
    assert event.power <= lowest and event.level >= highest
    assert found.delta(0.0) == pytest.approx(max(e.delta(0.0) for e in found.events), abs=1e-15)


def test_what_is_not_finite_not_alike_or_drawn_before_is_an_event():
    rng = np.random.default_rng(7)
    normal = rng.normal(size=(2, 1000, 2))

    def told(p, q):
        found = audit_bits(p, q, epsilon=0.0)
        assert found.delta(0.0) > 0.3
        return {event.family for event in found.events if event.delta(0.0) > 0.3}

    def spoilt(place, value):
        return np.where(
            np.arange(1000)[:, None] % 2 == 0, normal[0], np.where([place == 0, place == 1], value, normal[0])
        )

    for value in (math.nan, math.inf, -0.0, 5e-324):
        assert "signs, zeros, subnormals" in told(spoilt(1, value), normal[1])
    words = [audit_bits(np.full(64, value), np.zeros(64), epsilon=0.0).best.words for value in (math.nan, math.inf)]
    assert words == ["x1 is nan", "x1 is inf"]
    assert "repeated values" in told(np.where(np.arange(1000)[:, None] % 2, normal[0], normal[0][:, :1]), normal[1])
    assert "repeated values" in told(spoilt(0, 1.2345), normal[1])


def test_secret_steps_are_learned_and_given_ones_are_used():
    rng = np.random.default_rng(8)
    whole = rng.integers(-(2**20), 2**20, (2, 800))
    p, q = math.pi * whole[0], 1.5 * math.pi * whole[1]
    assert any(
        event.family == "exact multiples" and event.delta(0.0) > 0.3 for event in audit_bits(p, q, epsilon=0.0).events
    )
    # One in ten is a multiple of a step that nothing among the draws gives away beside another.
    p, q = (
        np.where(rng.random(800) < share, 0.7 * rng.integers(1, 2**30, 800), rng.normal(size=800))
        for share in (0.5, 0.0)
    )
    assert any(
        event.family == "exact multiples" and event.delta(0.0) > 0.2
        for event in audit_bits(p, q, epsilon=0.0, grids=[0.7]).events
    )


def test_noise_that_the_generator_cannot_make():
    rng = np.random.default_rng(9)
    possible = laplace_by_inversion(2.0)
    for value in (0.0, 0.3, -1e6):
        assert possible(rng.laplace(value, 2.0, 20_000), value).mean() > 0.99
    p, q = (lambda count, value=value: rng.laplace(value, 2.0, count) for value in (0.3, 1.3))
    found = audit_bits(p, q, epsilon=0.5, draws=4_000, value_p=0.3, value_q=1.3, noises={"Laplace": possible})
    told = [event.words for event in found.events if event.family == "differences from a value"]
    assert found.refutes(0.5, 0.05) and any("impossible" in words or "possible" in words for words in told)
    with pytest.raises(InputError, match="scale"):
        laplace_by_inversion(0.0)


def test_a_target_in_delta_gives_an_epsilon():
    case = PLANTED["mean + std * rng.normal()"]
    p, q = case.make(np.random.default_rng(10))
    found = audit_bits(p, q, delta=1e-3, draws=4_000)
    assert found.epsilon(1e-3) > 2 and found.best.epsilon(1e-3) == pytest.approx(found.epsilon(1e-3))


GOOD = np.arange(64.0)
BAD = {
    "neither": (GOOD, GOOD, {}),
    "epsilon": (GOOD, GOOD, {"epsilon": -1.0}),
    "between 0 and 700": (GOOD, GOOD, {"epsilon": math.inf}),
    "delta": (GOOD, GOOD, {"delta": 1.0}),
    "confidence": (GOOD, GOOD, {"epsilon": 1, "confidence": 1.0}),
    "at least 32": (GOOD[:8], GOOD, {"epsilon": 1}),
    "must have as many as p's": (GOOD, np.zeros((64, 2)), {"epsilon": 1}),
    "masked": (np.ma.masked_array(GOOD, mask=GOOD > 9), GOOD, {"epsilon": 1}),
    "of type": (["a"] * 64, GOOD, {"epsilon": 1}),
    "one length": ([[1.0], [1.0, 2.0]] * 32, GOOD, {"epsilon": 1}),
    "beyond 2": (np.full(64, 2**60 + 1), GOOD, {"epsilon": 1}),
    "one row for each release": (lambda count: np.zeros(count + 1), lambda count: np.zeros(count), {"epsilon": 1}),
    "draws": (lambda count: np.zeros(count), lambda count: np.zeros(count), {"epsilon": 1, "draws": 1}),
    "seed its generator anew": (lambda count: np.random.default_rng(0).normal(size=count), GOOD, {"epsilon": 1}),
    "value_p": (GOOD, GOOD, {"epsilon": 1, "value_p": [1.0, 2.0]}),
    "value_q": (GOOD, GOOD, {"epsilon": 1, "value_q": math.nan}),
    "grids": (GOOD, GOOD, {"epsilon": 1, "grids": [0.0]}),
    "grids = None": (GOOD, GOOD, {"epsilon": 1, "grids": None}),
    "grids = 100": (GOOD, GOOD, {"epsilon": 1, "grids": 10**400}),
    r"value_p = \[1, \[2\]\]": (GOOD, GOOD, {"epsilon": 1, "value_p": [1, [2]]}),
    "noises = 5": (GOOD, GOOD, {"epsilon": 1, "noises": 5}),
    "noises = .*: must be functions": (GOOD, GOOD, {"epsilon": 1, "noises": {"laplace": 3}}),
}


@pytest.mark.parametrize("rule", BAD)
def test_bad_input_is_refused_by_name(rule):
    p, q, options = BAD[rule]
    with pytest.raises(InputError, match=rule):
        audit_bits(p, q, **options)


SAMPLER = """
import json, random, sys
random.seed(11)
for line in sys.stdin:
    request = json.loads(line)
    value = 0.0 if request["side"] == "p" else 1.0
    releases = [[random.gauss(value, 3.0).hex(), 5] for _ in range(request["count"])]
    print(json.dumps({"id": request["id"], "value": releases}), flush=True)
"""


@pytest.fixture
def run(capsys):
    def command(*arguments):
        code = main(["audit", "bits", *arguments])
        return SimpleNamespace(returncode=code, stdout=(text := capsys.readouterr()).out, stderr=text.err)

    return command


def test_a_command_that_draws_is_audited(tmp_path, run):
    script = tmp_path / "sampler.py"
    script.write_text(SAMPLER)
    done = run("--epsilon", "1", "--delta", "1e-5", "--draws", "5000", "--json", "--", sys.executable, str(script))
    report = json.loads(done.stdout)
    assert done.returncode == 1 and report["refuted"] and report["at_epsilon"]["delta"] > 0.05
    assert report["numbers_in_a_release"] == 2 and report["events"][0]["delta"] > 0.05
    done = run("--epsilon", "1", "--draws", "64", "--", sys.executable, str(script))
    assert done.returncode == 0 and "no event tells the two apart" in done.stdout


def answering(expression):
    loop = f"for line in sys.stdin:\n    r = json.loads(line)\n    print(json.dumps({expression}), flush=True)"
    return [sys.executable, "-c", f"import json, sys, time\n{loop}"]


FAULTS = {
    "where 1 were asked for": "{'id': r['id'], 'value': [1.0, 2.0]}",
    "no float64": "{'id': r['id'], 'value': ['1_0']}",
    "'0x1p99999'": "{'id': r['id'], 'value': ['0x1p99999']}",
    "answered with an error: ": "{'id': r['id'], 'error': {'message': 'no'}}",
    "releases of 1 and of 2 numbers": "{'id': r['id'], 'value': [[1.0] * r['id'] for _ in range(r['count'])]}",
    "no answer in 0.5 s": "time.sleep(9)",
    "ended with exit code 3": "sys.exit(3)",
}


@pytest.mark.parametrize("message", FAULTS)
def test_a_command_that_fails_is_named(message, run):
    done = run("--epsilon", "1", "--draws", "64", "--timeout", "0.5", "--", *answering(FAULTS[message]))
    assert done.returncode == 2 and message in done.stderr and "Traceback" not in done.stderr


def test_all_answers_together_have_a_limit(run):
    slow = answering("time.sleep(0.2) or {'id': r['id'], 'value': [1.0]}")
    done = run("--epsilon", "1", "--draws", "64", "--limit", "0.1", "--", *slow)
    assert done.returncode == 2 and "COMMAND" in done.stderr


def test_files_are_audited_bit_for_bit(tmp_path, run):
    rng = np.random.default_rng(12)
    rows = [rng.normal(value, 3.0, (4000, 2)) for value in (0.0, 1.0)]
    paths = [tmp_path / "p.csv", tmp_path / "q.csv"]
    paths[0].write_text("".join(f"{a!r},{b!r}\n" for a, b in rows[0].tolist()))
    paths[1].write_text("".join(f"{a.hex()}, {b.hex()}\r\n" for a, b in rows[1].tolist()))
    done = run("--epsilon", "1", "--delta", "1e-5", "--json", "--files", *map(str, paths))
    found = audit_bits(*rows, epsilon=1.0)
    assert done.returncode == 1 and json.loads(done.stdout)["at_epsilon"]["delta"] == found.delta(1.0)


BAD_FILES = {
    "1.5\nx\n": "line 2 must hold numbers",
    "1.5\n1.5,2\n": "line 2 must have 1 like the first",
    "1.5\n2": "line 2 has no line end",
    "1_5\n": "line 1 must hold numbers",
    "": "must hold a release on each line",
    "1\x1b[2J\n": "1\\\\x1b[2J: line 1",
    "1.5\n" * 9: "needs at least 32",
}


@pytest.mark.parametrize("text", BAD_FILES)
def test_bad_files_are_named_by_line_and_printably(tmp_path, text, run):
    path = tmp_path / "p.csv"
    path.write_text(text)
    done = run("--epsilon", "1", "--files", str(path), str(path))
    assert done.returncode == 2 and "\x1b" not in done.stderr and "Traceback" not in done.stderr
    assert BAD_FILES[text].replace("\\\\", "\\") in done.stderr


def test_usage_is_checked(run):
    assert run("--epsilon", "1").returncode == 2
    assert run("--epsilon", "1", "--files", "/dev/zero", "/dev/zero").returncode == 2
