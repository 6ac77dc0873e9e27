"""The benchmark harness: that it measures what it says and shows every failure. No timing is asserted."""

import argparse
import io
import json
import re
import signal
import sys
import time
import types

import mpmath
import numpy as np
import pytest
from scipy import stats

from ndis_verify.bench import measure, peers, problems, run, run_bench, table, timing, two_cdf
from ndis_verify.bench.cases import Case, Sizes, Task, builders
from ndis_verify.bench.judgement import score, worst
from ndis_verify.bench.peers import Method
from ndis_verify.bench.run import own_failures
from ndis_verify.bench.timing import OutOfTime, interleaved, summarise, time_limit
from ndis_verify.enclosure import Enclosure
from ndis_verify.exact_number import InputError

TINY = Sizes(
    curve_dimension=2,
    curve_points=4,
    batch=5,
    batch_sample=2,
    dimension=20,
    checked=2,
    repetitions=2,
    budget=0.02,
    limit=20.0,
    released_vector=1000,
    released_records=200,
)
CASES = ["curve", "batch", "spectrum", "spectrum_curve", "single", "nearly_equal", "projection", "mean_shift"]


def constant(name, value, **options):
    return Method(name, lambda problem, epsilons: np.full(len(epsilons), value), **options)


@pytest.fixture(scope="module")
def tiny():
    stream = io.StringIO()
    absent = constant("elsewhere", 0.5, absent="absent: not installed")
    result = run_bench(True, 3, stream, sizes=TINY, methods=[peers.textbook(), absent])
    return result, stream.getvalue()


def one_case(*methods):
    task = Task(problems.mean_shift_spectrum(1.0), np.array([0.0, 1.0]), (0, 1))
    return Case("one", "one case", (task,), methods, labels=("eps=0", "eps=1"))


def rows(*methods, limit=5.0):
    record = measure.measure(one_case(*methods), Sizes(repetitions=1, budget=0.01, limit=limit), lambda label: None)
    return {row["method"]: row for row in record["rows"]}, table.case_block(record)


def test_every_case_is_measured_and_the_record_is_json(tiny):
    result, text = tiny
    assert [record["case"] for record in result["cases"]] == CASES
    assert not result["interrupted"]
    assert json.loads(json.dumps(result, allow_nan=False)) == result
    for record in result["cases"]:
        assert record["title"] in text
        assert all("value" in entry for entry in record["reference"])


def test_our_own_rows_have_their_digits_in_every_case(tiny):
    for record in tiny[0]["cases"]:
        for row in (row for row in record["rows"] if row["ours"]):
            assert row["note"] == "", (record["case"], row)
            assert all(isinstance(entry, int) and entry >= 11 for entry in row["scores"]), (record["case"], row)


def test_an_absent_method_is_named_in_every_case_and_never_timed(tiny):
    for record in tiny[0]["cases"]:
        (row,) = [row for row in record["rows"] if row["method"] == "elsewhere"]
        assert (row["note"], row["per_value"], row["scores"]) == ("absent: not installed", None, [])


def test_the_always_available_baseline_is_right_where_delta_is_large(tiny):
    (record,) = [record for record in tiny[0]["cases"] if record["case"] == "single"]
    (row,) = [row for row in record["rows"] if row["method"] == "scipy Imhof twice"]
    assert row["scores"][0] >= 8


def test_times_of_a_sample_are_marked_as_scaled(tiny):
    (record,) = [record for record in tiny[0]["cases"] if record["case"] == "batch"]
    assert {row["method"]: row["timed_values"] for row in record["rows"]} == {
        record["rows"][0]["method"]: 5,
        "scipy Imhof twice": 2,
        "elsewhere": 0,
    }
    assert "timed on 2 of 5" in table.case_block(record)


def test_memory_is_reported_for_two_dimensions(tiny):
    assert [row["dimension"] for row in tiny[0]["memory"]] == [2, 20]
    assert all(row["peak_bytes"] > 0 for row in tiny[0]["memory"])


def test_releases_are_measured_beside_plain_sampling(tiny):
    result, text = tiny
    for row in result["releases"]:
        assert row["release"] in text and row["ratio"] == row["exact"] / row["plain"] > 0 and row["peak_bytes"] > 0
    assert [row["release"].split(",")[0] for row in result["releases"]] == ["Gaussian mechanism", "random projection"]


def test_columns_are_aligned(tiny):
    blocks = [block.splitlines() for block in tiny[1].split("\n\n") if "  method " in block]
    assert len(blocks) == len(CASES)
    for lines in blocks:
        (head,) = [k for k, line in enumerate(lines) if line.startswith("  method ")]
        column = lines[head].index("correct digits")
        assert all(line[column - 1] == " " for line in lines[head:])
        assert all(line[column] != " " for line in lines[head:])


def test_own_failures_are_found(tiny):
    assert own_failures(tiny[0]) == []
    broken = json.loads(json.dumps(tiny[0]))
    next(row for row in broken["cases"][2]["rows"] if row["ours"])["scores"][0] = "neg"
    assert own_failures(broken) == ["spectrum"]


@pytest.mark.parametrize("interrupted, code", [(False, 0), (True, 130)])
def test_main_prints_one_json_object(monkeypatch, capsys, tiny, interrupted, code):
    monkeypatch.setattr(
        run, "run_bench", lambda quick, seed, stream: {**tiny[0], "interrupted": interrupted, "stream": stream}
    )
    parser = argparse.ArgumentParser()
    run.add_arguments(parser)
    assert run.main(parser.parse_args(["--json", "--quick"])) == code
    assert json.loads(capsys.readouterr().out)["stream"] is None
    with pytest.raises(InputError, match="--seed"):
        run.main(parser.parse_args(["--seed", "-1"]))


def test_every_kind_of_failure_is_shown():
    def raises(problem, epsilons):
        raise ZeroDivisionError("no pivot")

    def endless(problem, epsilons):
        while True:
            try:
                time.sleep(0.01)
            except Exception:
                continue

    found, text = rows(
        constant("nan", np.nan),
        constant("negative", -1e-17),
        constant("infinite", np.inf),
        constant("large", 1.5),
        Method("raises", raises),
        Method("endless", endless),
        Method("short", lambda problem, epsilons: np.array([0.1])),
        constant("partial", 0.1, declines=lambda problem: "cats only"),
        limit=0.2,
    )
    assert {name: row["scores"] for name, row in found.items()} == {
        "nan": ["nan"] * 2,
        "negative": ["neg"] * 2,
        "infinite": ["inf"] * 2,
        "large": [">1"] * 2,
        "raises": ["fail"] * 2,
        "endless": ["time"] * 2,
        "short": ["fail"] * 2,
        "partial": [],
    }
    for remark in (
        "ZeroDivisionError: no pivot",
        "stopped after 0.2 s",
        "shape (1,) for 2 values",
        "not offered: cats only",
    ):
        assert remark in text
    assert all(found[name]["per_value"] is None for name in ("raises", "endless", "short", "partial"))


def test_warnings_of_a_library_are_counted():
    def warns(problem, epsilons):
        np.log(np.zeros(1))
        return np.full(len(epsilons), 0.25)

    found, text = rows(Method("warns", warns))
    assert found["warns"]["warnings"] == 1
    assert "1 warning" in text


def test_an_interrupt_keeps_the_finished_cases(capsys):
    calls = []

    def stops(problem, epsilons):
        if calls:
            raise KeyboardInterrupt
        return np.zeros(len(epsilons))

    def first_case_only(problem):
        if not isinstance(problem, problems.DensePair) or problem.mean_p.size != 2:
            calls.append(problem)
        return ""

    stream = io.StringIO()
    result = run_bench(True, 3, stream, sizes=TINY, methods=[Method("stops", stops, declines=first_case_only)])
    assert result["interrupted"]
    assert [record["case"] for record in result["cases"]] == CASES[:1]
    assert "interrupted" in stream.getvalue()
    assert capsys.readouterr().err == ""  # no progress line where stderr is no terminal


def test_correct_digits():
    reference = Enclosure(mpmath.mpf("0.25"), mpmath.mpf("1e-20"), "bound")
    zero = Enclosure(mpmath.mpf(0), mpmath.mpf(0), "bound")
    assert score(0.25, reference) == 16
    assert score(0.25 * (1 + 2e-9), reference) == 8
    assert score(0.0, reference) == 0
    assert score(0.5, reference) == 0
    assert score(0.0, zero) == 16
    assert score(1e-300, zero) == 0
    assert (score(0.25, None), score(-0.25, None)) == ("?", "neg")
    assert score(0.25, Enclosure(mpmath.mpf("0.25"), mpmath.mpf("1e-6"), "agreement")) == 5
    tiny_truth = Enclosure(mpmath.mpf("1e-290"), mpmath.mpf("1e-320"), "bound")
    assert score(1.0002e-290, tiny_truth) == 3
    assert (worst([9, 3, 12]), worst([9, "neg", 0])) == (3, "neg")


@pytest.mark.parametrize("distance", [0.5, 1.0, 3.0])
def test_two_cdf_form_against_normal_cdfs(distance):
    epsilons = np.array([0.0, 0.7, 2.0])
    found = two_cdf.hockey_stick(problems.mean_shift_spectrum(distance), epsilons, two_cdf.textbook_cdf)
    half, tail = distance / 2, epsilons / distance
    expected = stats.norm.cdf(half - tail) - np.exp(epsilons) * stats.norm.cdf(-half - tail)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-11)


def one_weight_cdf(law, points):
    """scipy's chi-square tail for the law of a single negative weight."""
    (weight,), (dof,), (noncentrality,) = law.weights, law.dofs, law.noncentralities
    assert weight < 0 and law.std == 0 and noncentrality == 0
    return stats.chi2.sf((points - law.shift) / weight, dof)


def test_two_cdf_form_against_chi_square_tails():
    leverage, r, epsilons = 0.25, 7, np.array([0.0, 1.0, 2.5])
    found = two_cdf.hockey_stick(problems.projection_spectrum(leverage, r), epsilons, one_weight_cdf)
    ratio = 1 / (1 - leverage)
    start = 2 * (epsilons + r / 2 * np.log(ratio)) / (ratio - 1)
    expected = stats.chi2.sf(start, r) - np.exp(epsilons) * stats.chi2.sf(ratio * start, r)
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_textbook_cdf_against_scipy():
    law = two_cdf.ChiSquareSum(np.array([-0.5]), np.array([12]), np.array([3.0]), 0.0, 1.0)
    points = np.array([-12.0, -6.0, -2.0, 0.5])
    expected = stats.ncx2.sf((points - 1.0) / -0.5, 12, 3.0)
    np.testing.assert_allclose(two_cdf.textbook_cdf(law, points), expected, rtol=0, atol=1e-10)


def test_two_cdf_form_of_a_dense_pair_against_sampling():
    pair = problems.random_pairs(np.random.default_rng(5), 1, 3).pair(0)
    sample = np.random.default_rng(6).multivariate_normal(pair.mean_p, pair.cov_p, 200_000)
    loss = stats.multivariate_normal(pair.mean_p, pair.cov_p).logpdf(sample)
    loss -= stats.multivariate_normal(pair.mean_q, pair.cov_q).logpdf(sample)
    terms = np.maximum(0.0, -np.expm1(0.5 - loss))
    (found,) = two_cdf.hockey_stick(pair, np.array([0.5]), two_cdf.textbook_cdf)
    assert abs(found - terms.mean()) < 6 * terms.std() / np.sqrt(terms.size)


def test_random_pairs_are_exactly_symmetric_and_seeded():
    first, again = (problems.random_pairs(np.random.default_rng(1), 4, 5) for _ in range(2))
    assert np.array_equal(first.cov_p, first.cov_p.swapaxes(1, 2))
    assert np.array_equal(first.cov_p, again.cov_p)


def test_random_spectrum_is_exact_in_float64():
    spectrum = problems.random_spectrum(np.random.default_rng(1), 300)
    assert np.array_equal((1.0 + spectrum.alpha) - 1.0, spectrum.alpha)
    assert all(float(m) ** 2 == mpmath.mpf(float(m)) ** 2 for m in spectrum.shift)
    assert spectrum.alpha.min() < 0 < spectrum.alpha.max()
    assert all((spectrum.shift * 2.0**20) % 1 == 0) and all((spectrum.alpha * 2.0**36) % 1 == 0)


def test_peers_that_cannot_be_imported_say_why(monkeypatch):
    def refuse(name):
        if name == "gx2":
            raise ModuleNotFoundError("No module named 'gx2'", name="gx2")
        if name == "chi2comb":
            raise RuntimeError("broken installation")
        raise ModuleNotFoundError("No module named 'attr'", name="attr")

    monkeypatch.setattr(peers.importlib, "import_module", refuse)
    found = {method.name: method.absent for method in peers.peers()}
    assert found == {
        "scipy Imhof twice": "",
        "gx2 twice, auto": "absent: not installed",
        "gx2 twice, Imhof": "absent: not installed",
        "chi2comb twice, 1e-08": "absent: import fails, RuntimeError: broken installation",
        "chi2comb twice, 1e-14": "absent: import fails, RuntimeError: broken installation",
        "dp-accounting": "absent: needs attr",
    }


def stand_in_chi2comb(error):
    """A module with chi2comb's documented interface: ChiSquared(coef, ncent, dof), chi2comb_cdf(q, chi2s, gcoef, lim,
    atol).
    """
    module = types.ModuleType("chi2comb")
    module.ChiSquared = lambda coef, ncent, dof: (float(coef), float(ncent), int(dof))

    def chi2comb_cdf(q, chi2s, gcoef, lim=1000, atol=1e-4):
        weights, noncentralities, dofs = (np.array([term[k] for term in chi2s], dtype=float) for k in range(3))
        law = two_cdf.ChiSquareSum(weights, dofs, noncentralities, gcoef, 0.0)
        return float(two_cdf.textbook_cdf(law, [q])[0]), error, None

    module.chi2comb_cdf = chi2comb_cdf
    return module


@pytest.mark.parametrize(
    "problem", [problems.projection_spectrum(0.25, 7), problems.random_spectrum(np.random.default_rng(2), 16)]
)
def test_chi2comb_adapter_hands_over_the_same_law(monkeypatch, problem):
    monkeypatch.setitem(sys.modules, "chi2comb", stand_in_chi2comb(0))
    epsilons = np.array([0.0, 0.5])
    direct = two_cdf.hockey_stick(problem, epsilons, two_cdf.textbook_cdf)
    for method in peers.chi2comb_methods():
        np.testing.assert_allclose(method.evaluate(problem, epsilons), direct, rtol=1e-9)


def test_chi2comb_error_codes_are_shown(monkeypatch):
    monkeypatch.setitem(sys.modules, "chi2comb", stand_in_chi2comb(1))
    found, text = rows(peers.chi2comb_methods()[0])
    assert found["chi2comb twice, 1e-08"]["scores"] == ["fail", "fail"]
    assert "error 1: required accuracy not achieved" in text


def test_dp_accounting_declines_unequal_covariances(monkeypatch):
    declines = peers.dp_accounting_method().declines
    assert declines(problems.mean_shift_spectrum(1.0)) == ""
    assert declines(problems.projection_spectrum(0.5, 3)) == "equal covariances only"
    assert declines(problems.nearly_equal_pair(1e-8)) == "equal covariances only"
    assert declines(problems.nearly_equal_pair(0.0)) == ""


def test_time_limit_passes_through_a_broad_except_and_restores_the_handler():
    before = signal.getsignal(signal.SIGALRM)
    with pytest.raises(OutOfTime), time_limit(0.05):
        while True:
            try:
                time.sleep(0.01)
            except Exception:
                continue
    assert signal.getsignal(signal.SIGALRM) is before
    assert signal.getitimer(signal.ITIMER_REAL)[0] == 0.0


def test_repetitions_are_interleaved():
    order = []
    calls = {"a": lambda: order.append("a"), "b": lambda: order.append("b")}
    timings = interleaved(calls, {"a": 1.0, "b": 1.0}, repetitions=3, budget=10.0)
    assert order == ["a", "b"] * 3
    assert {name: timing.repetitions for name, timing in timings.items()} == {"a": 3, "b": 3}


def test_a_slow_call_is_repeated_less_often():
    count = {"slow": 0, "middling": 0, "quick": 0}

    def call(name):
        count[name] += 1

    first = {"slow": 4.0, "middling": 1.5, "quick": 0.5}
    interleaved({name: lambda name=name: call(name) for name in count}, first, repetitions=9, budget=2.0)
    assert count == {"slow": 1, "middling": 3, "quick": 4}


def test_the_memory_of_a_value_is_its_peak():
    small, large = measure.memory((50, 5000), np.random.default_rng(1))
    assert 50 * 8 <= small["peak_bytes"] < large["peak_bytes"] and 5000 * 8 <= large["peak_bytes"]
    assert all(row["bytes_per_coordinate"] == row["peak_bytes"] / row["dimension"] for row in (small, large))


def test_a_sample_of_several_calls_is_the_time_of_one(monkeypatch):
    clock = iter([10.0, 16.0])
    monkeypatch.setattr(timing.time, "perf_counter", lambda: next(clock))
    called = []
    assert timing._sample(lambda: called.append(1), 3) == 2.0 and len(called) == 3


def test_a_title_names_the_epsilons_that_are_asked():
    named = {}
    for key, make in builders(TINY, 1, []):
        case = make()
        if found := re.search(r"epsilons? (?:in|=) \[?([\d.]+)(?:, ([\d.]+)\])?", case.title):
            low, high = float(found[1]), float(found[2] or found[1])
            named[key] = [(task.epsilons.min(), task.epsilons.max()) == (low, high) for task in case.tasks]
    assert {"curve", "batch", "spectrum", "spectrum_curve"} <= named.keys() and all(map(all, named.values()))


def test_summary_of_samples():
    timing = summarise([4.0, 1.0, 3.0, 2.0, 5.0])
    assert (timing.median, timing.minimum, timing.iqr, timing.repetitions) == (3.0, 1.0, 2.0, 5)


@pytest.mark.parametrize("position", range(6))
def test_every_peer_is_either_absent_or_right_on_easy_ground(position):
    method = peers.peers()[position]
    found, _ = rows(method)
    row = found[method.name]
    if method.absent:
        assert row["scores"] == [] and row["note"].startswith("absent: ")
    else:
        assert all(isinstance(entry, int) and entry >= 8 for entry in row["scores"]), row
