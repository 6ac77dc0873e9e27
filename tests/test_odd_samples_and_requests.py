"""Samples, counts and requests that are no numbers, or lie beyond what can be answered, are refused by name."""

from __future__ import annotations

import json
import math
import warnings
from decimal import Decimal
from fractions import Fraction

import flint
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ndis_verify.arguments import whole
from ndis_verify.audit import (
    METHODS,
    GaussianCurve,
    WitnessSet,
    audit_bits,
    audit_by_methods,
    audit_scores,
    classifier_curve,
    clopper_pearson_lower,
    clopper_pearson_upper,
    error_per_call,
    infer_std,
    jeffreys_upper,
    step_delta,
)
from ndis_verify.audit.composition import histogram_composition
from ndis_verify.calibrator import NoNoiseNeeded
from ndis_verify.cli import main
from ndis_verify.exact_number import InputError, exact, float_array
from ndis_verify.fast import (
    Spectrum,
    als_cap,
    als_exact_cap,
    als_exact_worst_case,
    als_hockey_stick,
    als_worst_case,
    epsilon_for_delta,
    hockey_stick,
    log_hockey_stick,
    rp_hockey_stick,
)
from ndis_verify.fast.engine import kernels
from ndis_verify.fast.least_squares.worst_case import CEILING

RNG = np.random.default_rng(0)
P, Q = RNG.normal(0, 1, 1000), RNG.normal(0, 1, 1000)
ODD = {
    "masked": np.ma.masked_less(P, -1.0),
    "a list with a mask": [*P[:99], np.ma.masked],
    "complex": P + 1j,
    "dates": P.astype("datetime64[s]"),
    "durations": P.astype("timedelta64[s]"),
    "text": P.astype(str),
    "text among objects": np.array([*P[:99], "0.1"], dtype=object),
    "bytes": P.astype("S9"),
    "an integer beyond the range of floats": [*range(99), 10**400],
}


def refused(argument: str, call) -> None:
    with pytest.raises(InputError) as caught:
        call()
    assert caught.value.argument == argument


@pytest.mark.parametrize("kind", ODD)
def test_every_auditor_refuses_what_holds_no_plain_numbers(kind):
    odd = ODD[kind]
    grid = np.ma.atleast_2d(odd).T if isinstance(odd, np.ndarray) else [[entry] for entry in odd]
    rows = np.random.default_rng(1).normal(0, 1, (100, 1))
    refused("p", lambda: audit_scores(odd, Q, delta=0.01))
    refused("q", lambda: audit_by_methods(P, odd, METHODS, delta=0.01))
    refused("p", lambda: infer_std(odd, Q))
    refused("q", lambda: audit_bits(P, odd, epsilon=1.0))
    refused("p", lambda: classifier_curve(grid, rows, [1.0]))
    refused("epsilons", lambda: classifier_curve(rows, rows, odd))
    refused("p", lambda: histogram_composition(odd, Q, 1, 1.0))
    refused("epsilons", lambda: histogram_composition([1, 2], [2, 1], 1, odd))
    refused("outputs", lambda: WitnessSet(np.ones(1), np.ones(1), 0.0).contains(odd))
    refused("epsilon", lambda: GaussianCurve(1.0).delta(odd))
    refused("epsilon", lambda: step_delta(0.5, 1.0, odd))
    refused("count", lambda: clopper_pearson_lower(odd, 100, 0.05))
    refused("failure", lambda: jeffreys_upper(1, 100, odd))
    refused("value_p", lambda: audit_bits(P, Q, epsilon=1.0, value_p=odd))


def test_what_is_read_as_numbers_still_is():
    plain = audit_scores(P, Q + 3, delta=0.01).epsilon(0.01)
    assert audit_scores(P.tolist(), Q + 3, delta=0.01).epsilon(0.01) == plain > 0
    assert audit_scores(list(map(Fraction, P)), Q + 3, delta=0.01).epsilon(0.01) == plain
    assert float_array([True, False], "x").tolist() == [1.0, 0.0]

    class Chunked(list):
        chunks = ((1000,),)  # as arrays of other libraries have it

    assert audit_scores(Chunked(P), Q + 3, delta=0.01).epsilon(0.01) == plain


def test_the_exponential_of_an_epsilon_stays_finite(tmp_path, capsys):
    for epsilon in (701.0, 800.0, 1e308):
        refused("epsilon", lambda: audit_scores(P, Q, epsilon=epsilon))
    for method in METHODS:
        assert float(audit_scores(P, Q, method=method, epsilon=700.0).delta(700.0)) == 0.0
    for name, scores in (("p", P), ("q", Q)):
        (tmp_path / f"{name}.csv").write_text("\n".join(map(str, scores)))
    files = [str(tmp_path / f"{name}.csv") for name in "pq"]
    assert main(["audit", "scores", *files, "--epsilon", "800"]) == 2
    assert "epsilon = 800.0: must lie in [0, 700]" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("argument", "given"),
    [
        ("delta", {"delta": "abc"}),
        ("delta", {"delta": Decimal("nan")}),
        ("epsilon", {"epsilon": "abc"}),
        ("epsilon", {"epsilon": np.timedelta64(1, "s")}),
        ("epsilon", {"epsilon": [1.0]}),
        ("bins", {"epsilon": 1.0, "bins": ("a", "b", 10)}),
        ("bins", {"epsilon": 1.0, "bins": (0, 10**400, 10)}),
        ("bins", {"epsilon": 1.0, "bins": (-1.7e308, 1.7e308, 10)}),
        ("confidence", {"epsilon": 1.0, "confidence": np.timedelta64(1, "s")}),
    ],
)
def test_arguments_of_an_audit_are_named(argument, given):
    refused(argument, lambda: audit_scores(P, Q, method="tv", **given))


@pytest.mark.parametrize("methods", [[], (), "tv", None, 3])
def test_an_audit_by_no_methods_is_refused(methods):
    refused("methods", lambda: audit_by_methods(P, Q, methods, epsilon=1.0))


def tail(p: float, count: int, n: int, upper: bool) -> flint.arb:
    """P(X <= count), or P(X >= count), for X ~ Bin(n, p), term by term."""
    chance = flint.arb(p)
    if 2 * count > n:
        chance, count, upper = 1 - chance, n - count, not upper
    term, below = ((1 - chance).log() * n).exp(), flint.arb(0)
    for k in range(count + upper):
        below += term
        term *= chance * (n - k) / ((1 - chance) * (k + 1))
    return below if upper else 1 - below


@pytest.mark.parametrize(
    ("count", "n"),
    [(2, 5), (1000, 10**7), (1000, 10**9), (1000, 10**15), (10**9 - 999, 10**9), (1, 10**9), (33, 31339), (26, 1546)],
)
@pytest.mark.parametrize("failure", [0.3, 0.05, 1e-9, 1e-45, 1e-100])
def test_limits_of_a_probability_fail_as_seldom_as_they_say(count, n, failure):
    """scipy's inverse of the beta law gives a lower limit next to 1 for 1,000 of 10^9."""
    with flint.ctx.workprec(700):
        for limit, moved in ((clopper_pearson_lower, 1 + 1e-8), (clopper_pearson_upper, 1 - 1e-8)):
            at, upper = float(limit(count, n, failure)), limit is clopper_pearson_upper
            assert at == 1 or tail(at, count, n, upper) <= failure
            assert tail(at * moved, count, n, upper) >= failure  # and no wider than said


@given(st.integers(0, 60), st.integers(1, 10**6), st.floats(1e-100, 0.5) | st.floats(-100, -1).map(lambda e: 10.0**e))
@settings(max_examples=60, deadline=None)
def test_limits_of_any_count_fail_as_seldom_as_they_say(count, n, failure):
    count, failure = min(count, n), max(failure, 1e-100)
    with flint.ctx.workprec(700):
        low, high = (float(limit(count, n, failure)) for limit in (clopper_pearson_lower, clopper_pearson_upper))
        assert low == 0 or tail(low, count, n, False) <= failure
        assert high == 1 or tail(high, count, n, True) <= failure


def test_counts_beyond_what_can_be_limited_are_refused():
    for limit in (clopper_pearson_lower, clopper_pearson_upper, jeffreys_upper):
        for failure in (9e-101, 1e-300, 5e-324, 0.0, 1.0, np.nan, "abc", {}, 10**400):
            refused("failure", lambda: limit(2, 5, failure))
        for n in (1.1e15, 1e308, np.inf, np.nan, "abc", {}, 10**400):
            refused("n", lambda: limit(2, n, 0.05))
        for count in (-1, 6, np.nan, "abc", {}, 10**400):
            refused("count", lambda: limit(count, 5, 0.05))
        refused("n", lambda: limit([1, 2], [5, 5, 5], 0.05))
    for odd in ("abc", {}, 10**400, None, np.nan, Decimal("nan"), [1.0], np.timedelta64(1, "s")):
        refused("alpha", lambda: error_per_call(odd, 1.0))
        refused("epsilon", lambda: error_per_call(1e-6, odd))


@pytest.mark.parametrize("compiled", [False, True])
@given(st.lists(st.floats(-0.9, 9.0), min_size=1, max_size=3), st.floats(-3.0, 3.0))
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_groups_of_multiplicity_0_are_no_coordinates(monkeypatch, compiled, alphas, epsilon):
    monkeypatch.setattr(kernels, "compiled_wanted", lambda entries: compiled)
    empty = Spectrum(alphas, 0.0, 0)  # two equal laws
    assert hockey_stick(empty, epsilon) == pytest.approx(max(0.0, 1 - math.exp(epsilon)), rel=1e-13)
    assert log_hockey_stick(empty, 1.0) == -math.inf and epsilon_for_delta(empty, 0.0) == 0
    padded = Spectrum([*alphas, 0.2], [*[0.0] * len(alphas), 0.3], [*[0] * len(alphas), 2])
    alone = Spectrum([0.2], [0.3], 2)
    assert hockey_stick(padded, epsilon) == pytest.approx(float(hockey_stick(alone, epsilon)), rel=1e-12)
    batch = Spectrum([[0.5, 0.2], [0.5, 0.2]], 0.0, [[0, 0], [1, 0]])
    assert hockey_stick(batch, 0.5).tolist() == [0.0, float(hockey_stick(Spectrum([0.5]), 0.5))]


def test_a_group_of_multiplicity_0_has_no_shift():
    refused("shift", lambda: Spectrum([0.5, 0.2], [1.0, 0.0], [0, 1]))


@pytest.mark.parametrize("shape", [(0,), (0, 2), (2, 0)])
def test_nothing_asked_of_least_squares_is_nothing_answered(shape):
    empty = np.empty(shape)
    assert als_cap(3, empty, epsilon=1.0, delta=0.1).shape == shape
    assert als_cap(3, 50, epsilon=empty, delta=0.1).shape == als_cap(3, 50, epsilon=1.0, delta=empty).shape == shape
    assert als_exact_cap(3, 50, epsilon=empty, delta=0.1).shape == shape
    for worst in (als_worst_case, als_exact_worst_case):
        for asked in ((empty, 3, 50, 1.0), (0.1, 3, empty, 1.0), (0.1, 3, 50, empty)):
            for direction in ("both", "insert"):
                assert {part.shape for part in worst(*asked, direction)} == {shape}


@pytest.mark.parametrize("epsilon", [1e3, 1e20, 1e299, 1e308, np.finfo(float).max])
@pytest.mark.parametrize("rows", [3, 50, 10**6])
def test_far_epsilons_are_met_by_every_cap(epsilon, rows):
    """(r/2) log(1/(1 - q)) bounds the loss: it is at most 10.4 rows."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", NoNoiseNeeded)
        cap = als_exact_cap(3, rows, epsilon=epsilon, delta=1e-3)
        if epsilon > 10.4 * rows:
            assert cap == CEILING
        if epsilon > 1e15:
            assert als_cap(3, rows, epsilon=epsilon, delta=1e-3) == CEILING


@pytest.mark.parametrize("odd", [np.array(["delete", "insert"]), np.ma.masked_all(2), None, 1, ["delete"], b"insert"])
def test_a_direction_is_a_word(odd):
    for worst in (als_worst_case, als_exact_worst_case):
        refused("direction", lambda: worst(0.1, 3, 50, 1.0, odd))
    refused("direction", lambda: als_hockey_stick(0.1, 0.2, 3, 50, 1.0, odd))
    refused("direction", lambda: rp_hockey_stick(0.1, 50, 1.0, odd))


@pytest.mark.parametrize("odd", [np.datetime64("2020"), np.timedelta64(50, "s"), np.datetime64(50, "s"), "50", b"50"])
def test_a_date_is_no_whole_number(odd):
    refused("d", lambda: als_hockey_stick(0.1, 0.2, odd, 5000, 1.0))
    refused("d", lambda: als_exact_cap(odd, 5000, epsilon=1.0, delta=1e-3))
    refused("r", lambda: als_exact_worst_case(0.1, 3, odd, 1.0))
    refused("epsilon", lambda: als_worst_case(0.1, 3, 50, odd))
    refused("records", lambda: whole(odd, "records"))
    if not isinstance(odd, str):  # a decimal denotes a number exactly
        refused("value", lambda: exact(odd))


PAIR = '{"mean_p": [0], "cov_p": 1, "mean_q": [0], "cov_q": 2%s}'
TABLE = '{"title": "t", "epsilon": "1", "delta": "%s", "r": 20, "bound": "1", "rows": [%s]}'


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"[" * 100_000, "must be JSON"),
        (b'{"title": "\xff"}', "must be UTF-8"),
        (b'{"title": "t", "title": "u"}', "the key 'title' is there twice"),
    ],
)
def test_a_table_that_is_no_text_is_refused(tmp_path, capsys, content, says):
    file = tmp_path / "f.json"
    file.write_bytes(content)
    assert main(["forensics", str(file)]) == 2
    assert says in capsys.readouterr().err


@pytest.mark.parametrize(("delta", "noise"), [("0.99999999999999999999", "0.5"), ("0.3", "9.5")])
@pytest.mark.parametrize("mechanism", ["random projection", "gaussian", "gaussian, classical"])
def test_noise_that_is_enough_at_epsilon_0_is_said_at_once(tmp_path, capsys, delta, noise, mechanism):
    file = tmp_path / "f.json"
    file.write_text(TABLE % (delta, f'{{"mechanism": "{mechanism}", "noise": "{noise}"}}'))
    assert main(["forensics", str(file), "--json", "--seconds", "60"]) == 0
    assert json.loads(capsys.readouterr().out)["rows"][0]["epsilon_at_most"] == "0"


def test_a_table_takes_no_longer_than_it_may(tmp_path, capsys):
    file = tmp_path / "f.json"
    file.write_text(TABLE % ("1e-5", ", ".join(['{"mechanism": "random projection", "noise": "5"}'] * 1000)))
    assert main(["forensics", str(file), "--seconds", "0.5"]) == 3
    assert "took longer than 0.5 s" in capsys.readouterr().err


@pytest.mark.parametrize("number", ["-1e-3", "-0.5", "-.5", "-1E+2", "-5e-1", "-7"])
def test_a_negative_number_is_a_value_however_it_is_written(capsys, number):
    pair = ["--cov-p", "1", "--mean-q", "0", "--cov-q", "1"]
    assert main(["delta", "--mean-p", number, *pair, "--epsilon", "1", "--digits", "5", "--json"]) == 0
    spaced = json.loads(capsys.readouterr().out)
    assert main(["delta", f"--mean-p={number}", *pair, "--epsilon", "1", "--digits", "5", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == spaced


def test_lists_and_epsilons_may_begin_with_a_minus(capsys):
    pair = ["--mean-p", "-0.5,1", "--cov-p", "1,-0.1;-0.1,1", "--mean-q", "-1e-3,-2", "--cov-q", "1"]
    assert main(["delta", *pair, "--epsilon", "-1e4", "-1", "--digits", "5", "--json"]) == 0
    values = [json.loads(line)["value"] for line in capsys.readouterr().out.splitlines()]
    assert len(values) == 2 and 0 < float(values[1]) < 1
    with pytest.raises(SystemExit):
        main(["delta", *pair, "--epsilon", "-x"])


def test_a_pair_that_says_something_twice_is_refused(tmp_path, capsys):
    file = tmp_path / "pair.json"
    file.write_text(PAIR % "")
    assert main(["delta", "--pair", str(file), "--epsilon", "1", "--digits", "5"]) == 0
    file.write_text(PAIR % ', "mean_p": [9]')
    assert main(["delta", "--pair", str(file), "--epsilon", "1"]) == 2
    assert "the key 'mean_p' is there twice" in capsys.readouterr().err
