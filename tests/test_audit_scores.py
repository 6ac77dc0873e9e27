"""Auditors of score samples: exact coverage, what they return, streams from files, the command line."""

import ast
import json
import math
import os
import subprocess
import sys
import tracemalloc
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

import ndis_verify.audit as audit
from ndis_verify.audit import OperatingPoints, audit_scores, command, open_scores
from ndis_verify.audit.histogram import METHODS, audit_by_methods, bin_width, equal_edges
from ndis_verify.audit.limits import (
    clopper_pearson_lower,
    clopper_pearson_upper,
    dkw_radius,
    jeffreys_lower,
    jeffreys_upper,
    tv_radius,
)
from ndis_verify.audit.samples import CHOOSE, LEARN, PERIOD, ArraySample, _placer, bin_counts, survey
from ndis_verify.audit.score_files import BLOCK
from ndis_verify.exact_number import InputError
from ndis_verify.oracle.histogram import tv_error_tail

PACKAGE = Path(audit.__file__).parent
LIMITED = ("best-set", "family", "dkw", "tv", "threshold")


def samples(n, seed=0, shift=1.0):
    rng = np.random.default_rng([seed, n])
    return rng.normal(shift, 1, n), rng.normal(0, 1, n)


# --- the package


def test_audit_imports_only_fast_the_records_and_itself():
    allowed = {"audit", "fast", "exact_number", "gaussian_pair", "quadratic_form", "enclosure", "claim"}
    for path in PACKAGE.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("ndis_verify."):
                assert node.module.split(".")[1] in allowed, f"{path.name}: {node.module}"
            assert not (isinstance(node, ast.ImportFrom) and node.module == "ndis_verify"), path.name


def test_the_command_offers_every_method():
    assert command._METHODS == METHODS


def test_public_names_exist():
    assert all(getattr(audit, name) is not None for name in audit.__all__)
    with pytest.raises(AttributeError):
        audit.no_such_name


# --- limits, exactly


@pytest.mark.parametrize("n", [5, 40])
@pytest.mark.parametrize("failure", [0.01, 0.05, 0.3])
def test_clopper_pearson_fails_with_at_most_the_stated_probability(n, failure):
    counts = np.arange(n + 1)
    low, high = clopper_pearson_lower(counts, n, failure), clopper_pearson_upper(counts, n, failure)
    assert low[0] == 0 and high[-1] == 1 and (np.diff(low) > 0).all() and (np.diff(high) > 0).all()
    for p in np.concatenate([[1e-6, 1e-3], np.linspace(0.02, 0.98, 33)]):
        chance = binom.pmf(counts, n, p)
        assert chance[low > p].sum() <= failure and chance[high < p].sum() <= failure


def test_jeffreys_limits_are_tighter_and_break_the_stated_probability_somewhere():
    n, failure, counts = 40, 0.05, np.arange(41)
    assert (jeffreys_upper(counts, n, failure) <= clopper_pearson_upper(counts, n, failure)).all()
    assert (jeffreys_lower(counts, n, failure) >= clopper_pearson_lower(counts, n, failure)).all()
    worst = max(binom.pmf(counts, n, p)[jeffreys_upper(counts, n, failure) < p].sum() for p in np.linspace(0.01, 0.99, 197))
    assert worst > failure


@pytest.mark.parametrize("p, q, n", [(0.5, 0.1, 30), (0.2, 0.2, 30), (0.97, 0.02, 20)])
def test_both_limits_of_a_set_fail_with_at_most_the_stated_probability(p, q, n):
    failure, counts = 0.1, np.arange(n + 1)
    power, level = clopper_pearson_lower(counts, n, failure / 2), clopper_pearson_upper(counts, n, failure / 2)
    chance = np.outer(binom.pmf(counts, n, p), binom.pmf(counts, n, q))
    wrong = 0.0
    for x in counts:
        for y in counts:
            points = OperatingPoints.of([power[x]], [level[y]], [True], 1 - failure, "guaranteed")
            true = [max(p - math.exp(e) * q, (1 - q) - math.exp(e) * (1 - p), 0) for e in (0, 1)]
            wrong += chance[x, y] * any(points.delta(e) > t + 1e-12 for e, t in zip((0, 1), true))
    assert wrong <= failure


@pytest.mark.parametrize("law, n", [((Fraction(1, 4),) * 4, 12), ((Fraction(9, 10), Fraction(1, 20), Fraction(1, 20)), 20)])
def test_total_variation_radius_against_exact_tails(law, n):
    for failure in (0.01, 0.1, 0.5):
        radius = tv_radius(n, len(law), failure)
        assert tv_error_tail(law, n, radius) <= failure
        assert radius <= max(math.sqrt(len(law) / n), math.sqrt(2 * math.log(1 / failure) / n))  # KM-4.2 with failure = delta/2


def test_dkw_radius_is_massart_s():
    assert 2 * math.exp(-2 * 1000 * dkw_radius(1000, 0.05) ** 2) == pytest.approx(0.05)


# --- operating points


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(1e-6, 1), st.booleans()), min_size=1, max_size=6), st.floats(0, 8), st.floats(0, 0.9))
def test_curves_of_operating_points_are_consistent(points, epsilon, delta):
    curve = OperatingPoints.of(*map(np.array, zip(*points)), 0.95, "guaranteed")
    found = float(curve.epsilon(delta))
    assert found >= 0 and float(curve.delta(epsilon)) >= 0
    if np.isfinite(found):
        assert curve.delta(found) <= delta + 1e-9
        if found > 1e-6:
            assert curve.delta(max(found - 1e-6, 0)) >= delta - 1e-12
    assert curve.delta(epsilon) == max(curve.delta(epsilon, "P,Q"), curve.delta(epsilon, "Q,P"))
    levels = np.linspace(0, 1, 41)
    beta = curve.trade_off(levels)
    assert (np.diff(beta) <= 1e-12).all() and (np.diff(beta, 2) >= -1e-9).all() and (beta <= 1 - levels + 1e-12).all()
    # every set's own test lies on or above the curve
    for power, level, first_is_p in points:
        alpha, missed = (level, 1 - power) if first_is_p else (1 - power, level)
        assert curve.trade_off(alpha) <= missed + 1e-9


def test_trade_off_of_exact_masses_is_the_neyman_pearson_curve():
    p, q = np.array([0.6, 0.3, 0.1]), np.array([0.1, 0.3, 0.6])
    curve = OperatingPoints.of(np.cumsum(p)[:2], np.cumsum(q)[:2], [True, True], 0.0, "estimate")
    assert curve.trade_off([0.0, 0.1, 0.4, 1.0]) == pytest.approx([1.0, 0.4, 0.1, 0.0])
    assert curve.delta([0.0, math.log(2)]) == pytest.approx([0.5, 0.4])
    assert curve.epsilon(0.0) == pytest.approx(math.log(6))


# --- auditors


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("n, m", [(50, 80), (10_000, 3_000)])
def test_every_method_on_a_gaussian_pair(method, n, m):
    p, q = samples(n)[0], samples(m, 1)[1]
    found = audit_scores(p, q, method=method, delta=1e-3)
    assert found.scores == (n, m) and found.method == method
    assert (found.confidence == 0) == (method == "plug-in")
    values = [float(found.delta(e)) for e in (0, 0.5, 1, 2, 8)]
    assert all(0 <= v <= 1 for v in values) and values == sorted(values, reverse=True)
    if method in LIMITED:
        assert found.basis == "guaranteed" and float(found.epsilon(1e-3)) <= 3.14  # the truth is 3.139
        if n == 10_000:
            assert found.delta(0) > 0.005


def test_methods_together_are_the_methods_alone():
    p, q = samples(2_000)
    together = audit_by_methods(p, q, METHODS, delta=1e-3)
    for method in METHODS:
        assert together[method].epsilon(1e-3) == audit_scores(p, q, method=method, delta=1e-3).epsilon(1e-3)


@pytest.mark.parametrize("method", LIMITED)
def test_auditors_do_not_look_at_the_scale_of_the_score(method):
    p, q = samples(4_000)
    plain = audit_scores(p, q, method=method, delta=1e-3, epsilon=None)
    moved = audit_scores(8 * p + 32, 8 * q + 32, method=method, delta=1e-3)
    assert moved.epsilon(1e-3) == pytest.approx(plain.epsilon(1e-3), abs=0.05)
    turned = audit_scores(q, p, method=method, delta=1e-3)
    assert abs(turned.delta(0) - plain.delta(0)) < 0.1


@pytest.mark.parametrize("method", LIMITED)
@pytest.mark.parametrize("kind", ["ties", "two values", "huge", "Cauchy", "one constant", "tiny spread"])
def test_awkward_scores(method, kind):
    rng = np.random.default_rng(5)
    n = 3_000
    p, q = {
        "ties": (rng.poisson(3, n), rng.poisson(2, n)),
        "two values": (rng.random(n) < 0.4, rng.random(n) < 0.2),
        "huge": (rng.standard_cauchy(n) * 1e300, rng.standard_cauchy(n) * 1e300),
        "Cauchy": (rng.standard_cauchy(n) ** 3, rng.standard_cauchy(n) ** 3),
        "one constant": (np.ones(n), rng.normal(0, 1, n)),
        "tiny spread": (1 + 1e-15 * rng.integers(0, 4, n), 1 + 1e-15 * rng.integers(0, 3, n)),
    }[kind]
    p, q = (np.clip(np.asarray(x, float), -1.7e308, 1.7e308) for x in (p, q))
    found = audit_scores(p, q, method=method, delta=1e-3)
    value = float(found.epsilon(1e-3))
    assert np.isfinite(value) and value >= 0
    if kind in ("huge", "Cauchy"):
        assert value == 0.0  # equal laws
    if kind == "two values":
        assert value <= math.log(0.4 / 0.2) + 0.1  # true 0.69, and 1 - 1e-6 of the time below
    if kind in ("two values", "one constant") and method != "tv":
        assert value > 0.2


def test_best_set_finds_sets_that_no_threshold_is():
    rng = np.random.default_rng(3)
    n = 20_000
    p, q = rng.normal(0, 2, n), rng.normal(0, 1, n)  # likelier under P in both tails
    middle = rng.normal(0, 0.2, n)
    two_sided = audit_scores(p, q, epsilon=0.0, delta=None)
    assert two_sided.delta(0) > audit_scores(p, q, epsilon=0.0, method="threshold").delta(0) + 0.1
    inside = audit_scores(middle, q, epsilon=0.5)
    assert len(two_sided.sets[0]) >= 2 and inside.delta(0.5) > 0.5


def test_fixed_bins_let_every_row_count_and_equal_the_hand_count():
    p, q = samples(1_000)
    found = audit_scores(p, q, method="plug-in", epsilon=1.0, bins=(-3.0, 4.0, 14))
    edges = np.concatenate([[-np.inf], np.linspace(-3, 4, 15)[1:-1], [np.inf]])
    shares = [np.histogram(np.clip(x, -1e9, 1e9), np.clip(edges, -1e10, 1e10))[0] / 1_000 for x in (p, q)]
    by_hand = max(np.maximum(a - math.e * b, 0).sum() for a, b in (shares, shares[::-1]))
    assert found.delta(1.0) == pytest.approx(by_hand, abs=1e-12) and found.bins == 14
    assert audit_scores(p, q, method="tv", epsilon=0.0, bins=(-3.0, 4.0, 14)).rows == (1_000, 1_000)
    limit = audit_scores(p, q, method="tv", epsilon=0.0, bins=(-3.0, 4.0, 14)).delta(0)
    plug_in = audit_scores(p, q, method="plug-in", epsilon=0.0, bins=(-3.0, 4.0, 14)).delta(0)
    assert limit == pytest.approx(plug_in - 2 * tv_radius(1_000, 14, 0.025), abs=1e-12)


def test_rule_of_the_bin_width():
    assert bin_width(1.0, 1) == pytest.approx(3.4908, abs=1e-4)
    p, q = samples(80_000)
    found = audit_scores(p, q, method="tv", delta=1e-3)
    learning = np.concatenate([p[::PERIOD], q[::PERIOD]])
    expected = (learning.max() - learning.min()) / bin_width(math.hypot(p[::PERIOD].std(), q[::PERIOD].std()) / math.sqrt(2), 70_000)
    assert abs(found.bins - expected) <= 1


# --- errors


@pytest.mark.parametrize(
    "change, argument",
    [
        ({"p": [0.0, float("nan")] * 20}, "p"),
        ({"p": [[1.0, 2.0]] * 20}, "p"),
        ({"q": [1.0] * 7}, "q"),
        ({"q": "text"}, "q"),
        ({"p": np.arange(100.0)}, "p"),
        ({"p": [2.5] * 50, "q": [2.5] * 60}, "p and q"),
        ({"method": "magic"}, "method"),
        ({"delta": 1.5}, "delta"),
        ({"delta": None}, "delta, epsilon"),
        ({"delta": None, "epsilon": -1.0}, "epsilon"),
        ({"confidence": 1.0}, "confidence"),
        ({"method": "tv", "bins": "wide"}, "bins"),
        ({"method": "tv", "bins": 1}, "bins"),
        ({"method": "tv", "bins": (2.0, 1.0, 5)}, "bins"),
    ],
)
def test_bad_input_names_the_argument(change, argument):
    p, q = samples(100)
    arguments = {"p": p, "q": q, "delta": 1e-3, **change}
    with pytest.raises(InputError) as error:
        audit_scores(arguments.pop("p"), arguments.pop("q"), **arguments)
    assert error.value.argument == argument


def test_equal_edges_reach_from_a_to_b():
    assert equal_edges(0.0, 1.0, 4) == pytest.approx([0.25, 0.5, 0.75])


# --- splitting and streams


def test_parts_share_no_row_and_leave_none_out():
    values = np.arange(1_000.0)[np.random.default_rng(0).permutation(1_000)]
    sample = ArraySample(values, "p")
    edges = np.arange(0.5, 999.5)
    choose, bound, rest, every = bin_counts(sample, edges, ("choose", "bound", "rest", "all"))
    seen = survey(sample)
    learned = np.bincount(np.searchsorted(edges, seen.learning, side="right"), minlength=1_000)
    assert (learned + choose + bound == 1).all() and (every == 1).all() and (rest == choose + bound).all()
    assert [seen.size(part) for part in ("choose", "bound", "rest", "all")] == [counts.sum() for counts in (choose, bound, rest, every)]
    assert values[LEARN] in seen.learning and choose[int(values[CHOOSE])] == 1


def test_a_thinned_copy_holds_learning_rows_only():
    order = np.random.default_rng(1).permutation(1_200_000).astype(float)
    row = np.empty(order.size, dtype=int)
    row[order.astype(int)] = np.arange(order.size)
    kept = survey(ArraySample(order, "p")).learning
    assert 30_000 < kept.size <= 65_536 and (row[kept.astype(int)] % PERIOD == LEARN).all()


def test_memory_does_not_grow_with_the_sample():
    class Drawn:
        name = "p"

        def __init__(self, seed, blocks):
            self.seed, self.blocks = seed, blocks

        def chunks(self):
            rng = np.random.default_rng(self.seed)
            for _ in range(self.blocks):
                yield rng.standard_normal(1 << 15)

    peaks = []
    for blocks in (32, 128):
        tracemalloc.start()
        found = audit_scores(Drawn(1, blocks), Drawn(2, blocks), delta=1e-5)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        assert found.scores[0] == blocks << 15
    assert peaks[1] < 1.2 * peaks[0] < 20e6


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


def test_equal_bins_are_found_like_any_others():
    """At the edges, next to them, far outside: the number of edges at or below each value."""
    rng = np.random.default_rng(12)
    for _ in range(60):
        low, width, count = rng.normal() * 10 ** rng.uniform(-8, 8), 10 ** rng.uniform(-6, 6), int(rng.integers(16, 2000))
        edges = np.unique(np.linspace(low, low + width * count, count))
        near = np.concatenate([edges, np.nextafter(edges, np.inf), np.nextafter(edges, -np.inf), [1e308, -1e308, 0.0]])
        values = np.concatenate([near, rng.uniform(low - width * count, low + 2 * width * count, 1000)])
        assert (_placer(edges)(values) == np.searchsorted(edges, values, side="right")).all()
