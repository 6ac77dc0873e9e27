"""Audits at the ends of their ranges: sampled noise of any size, epsilons beyond every exponential, odd arguments, and
files that are not theirs.
"""

import copy
import json
import os
import pickle
import threading
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ndis_verify import audit, mechanisms, oracle
from ndis_verify.audit.composition import histogram_composition
from ndis_verify.cli import main
from ndis_verify.exact_number import InputError
from ndis_verify.gaussian_pair import GaussianPair
from ndis_verify.mechanisms.exact import grid

FAR = GaussianPair([100], [1], [0], [1])


@settings(max_examples=25, deadline=None)
@given(
    st.sampled_from([1e-8, 1e-6, 1e-4, 0.003, 0.03, 0.0331, 0.05, 0.2, 1.0, 30.0, 1e4, 1e8]),
    st.sampled_from([1e-300, 1e-9, 0.01, 0.5, 1 - 1e-12, 1.0]),
    st.floats(0, 2),
)
def test_one_step_lies_between_its_limits_whatever_the_noise(noise, rate, part):
    found = audit.composed_step(rate, noise, 1)
    epsilon = part * max(found.pessimistic[0].highest, 1e-3)
    true = audit.step_delta(rate, noise, epsilon)
    assert found.lower(epsilon) <= true <= found.upper(epsilon)
    assert audit.step_delta(rate, noise, found.epsilon(1e-5)) <= 1e-5


@pytest.mark.parametrize("noise", ["1e-6", "0.001", "0.02", "0.033", "1", "20"])
@pytest.mark.parametrize("steps", [2, 30])
def test_many_steps_without_sampling_hold_the_certified_value_whatever_the_noise(noise, steps):
    found, std = audit.composed_step(1.0, float(noise), steps), Fraction(noise)
    mean = steps / std**2 / 2
    for epsilon in (0, mean * 9 / 10, mean, mean + 3 * steps / std):
        true = oracle.certified_hockey_stick(GaussianPair([1] * steps, std**2, [0] * steps, std**2), epsilon, digits=20)
        below, above = found.lower(float(epsilon)), found.upper(float(epsilon))
        assert below <= float(true.upper) + 1e-10 and float(true.lower) - 1e-10 <= above
    largest = found.epsilon(1e-5)
    pair = GaussianPair([1] * steps, std**2, [0] * steps, std**2)
    assert oracle.certified_hockey_stick(pair, largest, digits=20).upper <= Fraction(1, 10**5)


def test_limits_stay_limits_where_the_exponential_of_epsilon_is_no_float():
    rng = np.random.default_rng(0)
    two, estimated = audit.two_call_limits(lambda law, t: law.cdf(t), 1e-9), audit.estimated_limits((50, 50), 0.5, rng)
    for limits in (two, estimated):
        assert limits(FAR, 1, Fraction(800)) == (0.0, 1.0)  # delta is 1
        assert audit.audit_gaussian(FAR, 800, 1e-6, limits=limits).upper == 1
    assert audit.audit_gaussian(FAR, 800, 1e-6).refuted


@pytest.mark.parametrize("rate", [0.3, 1 - 1e-12, 1.0])
@pytest.mark.parametrize("mean", [0.1, 3, 30, 60])
def test_profiles_of_far_pairs_hold_both_orders(mean, rate):
    profile = audit.subsampled_profile(GaussianPair([mean], [1], [0], [1]), rate)
    back, epsilons = profile.swapped(), np.array([0.0, 0.5, 20.0, 450.0, 800.0, 1800.0])
    larger = np.maximum(profile(epsilons), back(epsilons))
    assert larger == pytest.approx(audit.step_delta(rate, 1 / mean, epsilons), rel=1e-9, abs=1e-15)
    for one, other in ((profile, back), (back, profile)):
        dual = -np.expm1(-epsilons) + np.exp(-epsilons) * other(epsilons)
        assert one(-epsilons) == pytest.approx(dual, rel=1e-12, abs=1e-15)
        below, above = (
            audit.grid_composition(one, 1, epsilons, step=0.01, side=side) for side in ("optimistic", "pessimistic")
        )
        assert (below <= one(epsilons)).all() and (one(epsilons) <= above).all()


@pytest.mark.parametrize("step", [1e-20, 1e-17, 1e-9])
def test_a_grid_that_is_too_fine_is_refused_before_it_is_made(step):
    with pytest.raises(InputError, match="step"):
        histogram_composition(np.array([1.0, 3.0]), np.array([3.0, 1.0]), 1, [0.0, 0.5], step=step)


def test_a_curve_of_a_classifier_has_limits_beyond_every_exponential():
    rng = np.random.default_rng(1)
    curve = audit.classifier_curve(rng.normal(1, 1, (200, 1)), rng.normal(0, 1, (200, 1)), [0.0, 800.0])
    assert np.isfinite(curve.estimate).all() and curve.lower[1] == 0 <= curve.upper[1] <= 1


@pytest.mark.parametrize("unit", [1e-100, 1e-60, 1.0, 1e80, 1e150])
def test_a_witness_catches_what_it_promises_in_any_unit(unit):
    pair = GaussianPair([0.0], [4 * unit], [0.0], [unit])
    found = audit.audit_gaussian(pair, 0.5, 0.01)
    rng = np.random.default_rng(0)
    caught = [found.witness.contains(rng.normal(0, np.sqrt(v), (4000, 1))).mean() for v in (4 * unit, unit)]
    if found.order == "Q,P":
        caught.reverse()
    assert caught[0] - np.exp(0.5) * caught[1] == pytest.approx(float(found.lower), abs=0.05)


def test_samples_that_no_law_of_the_family_explains_are_refused():
    rng = np.random.default_rng(0)
    with pytest.raises(InputError, match="p, q"):
        audit.infer_std(rng.normal(1, 0.3, 2000), rng.normal(0, 0.3, 2000), rate=0.1)


X, Y = (np.random.default_rng(seed).normal(seed, 1, 100) for seed in (0, 1))
PROFILE = audit.gaussian_profile(FAR)


@pytest.mark.parametrize(
    ("argument", "call"),
    [
        ("steps", lambda: audit.accountant_epsilon(0.5, 1.0, 10.9, 1e-5)),
        ("steps", lambda: audit.accountant_epsilon(0.5, 1.0, "5", 1e-5)),
        ("delta", lambda: audit.accountant_epsilon(0.5, 1.0, 10, 2)),
        ("delta", lambda: audit.accountant_epsilon(0.5, 1.0, 10, float("nan"))),
        ("noise", lambda: audit.composed_step(0.5, 1e-9, 2)),
        ("noise", lambda: audit.composed_step(0.5, 1e9, 2)),
        ("rate", lambda: audit.composed_step(np.array([0.5, 0.6]), 1.0, 2)),
        ("noise", lambda: audit.step_delta(0.5, np.ma.array([1.0], mask=[True]), 1.0)),
        ("pairs", lambda: audit.estimated_limits((50, 50), 0.5, np.random.default_rng(0), 0)),
        ("pairs", lambda: audit.estimated_limits((50, 50), 0.5, np.random.default_rng(0), -1)),
        ("samples", lambda: audit.estimated_limits((), 0.5, np.random.default_rng(0))),
        ("confidence", lambda: audit.estimated_limits((50, 50), 1 - 1e-9, np.random.default_rng(0))(FAR, 1, 1)),
        ("epsilon", lambda: audit.audit_gaussian(FAR, "1e400", 0.1)),
        ("epsilon", lambda: audit.audit_gaussian(FAR, -1, 0.1)),
        ("copies", lambda: audit.audit_gaussian(FAR, 1, 0.1, copies=1.5)),
        ("pairs", lambda: audit.audit_gaussian(None, 1, 0.1)),
        ("pairs", lambda: audit.audit_gaussian([FAR, 1.0], 1, 0.1)),
        ("negatives", lambda: audit.credible_mass(lambda a: 1 - a, 3, np.inf, 5, 100)),
        ("positives", lambda: audit.credible_mass(lambda a: 1 - a, 3, 100, 0, 0)),
        ("tolerance", lambda: audit.credible_mass(lambda a: 1 - a, 3, 100, 5, 100, np.nan)),
        ("failure", lambda: audit.credible_gdp(3, 100, 5, 100, np.array([0.5, 0.5]))),
        ("profile", lambda: audit.grid_composition(0, 2, [1.0])),
        ("step", lambda: audit.grid_composition(PROFILE, 2, [1.0], step=np.array([0.1, 0.2]))),
        ("rate", lambda: audit.infer_std(X, Y, np.array([0.5, 0.5]))),
        ("delta", lambda: audit.infer_std(X, Y, delta="a")),
        ("rng", lambda: audit.one_shot_scores(10, 20, 20, 1.0, 1.0)),
        ("std", lambda: audit.one_shot_scores(10, 20, 20, "a", np.random.default_rng(0))),
        ("norm", lambda: audit.one_shot_scores(10, 20, 20, 1.0, np.random.default_rng(0), norm=-1)),
        ("methods", lambda: audit.audit_by_methods(X, Y, np.array(0.5), epsilon=1.0)),
    ],
)
def test_odd_arguments_are_named(argument, call):
    with pytest.raises(InputError) as refused:
        call()
    assert argument in refused.value.argument


def test_a_rate_or_a_step_may_be_any_kind_of_number():
    found = [
        audit.composed_step(rate, 1, 2).upper(1.0) for rate in (0.5, Fraction(1, 2), Decimal("0.5"), np.float32(0.5))
    ]
    assert len(set(map(float, found))) == 1
    steps = [audit.grid_composition(PROFILE, 2, [1.0], step=step)[0] for step in (0.5, Fraction(1, 2), Decimal("0.5"))]
    assert len(set(steps)) == 1


def test_a_journal_is_never_written_over_another_file(tmp_path, capsys):
    for name, scores in (("p", X), ("q", Y)):
        (tmp_path / name).mkdir()
        for part in (1, 2):
            np.savetxt(tmp_path / name / f"{part}.csv", scores)
    for taken in (tmp_path / "p" / "1.csv", tmp_path / "thesis.txt"):
        taken.exists() or taken.write_text("years of work\n")
        before = taken.read_bytes()
        folders = [str(tmp_path / name) for name in "pq"]
        assert main(["audit", "scores", *folders, "--epsilon", "1", "--jobs", "2", "--journal", str(taken)]) == 2
        assert "journal" in capsys.readouterr().err and taken.read_bytes() == before


def test_a_name_that_two_columns_have_is_refused(tmp_path, capsys):
    table = tmp_path / "both.csv"
    table.write_text("a,b,a\n" + "".join(f"{x},{y},{y}\n" for x, y in zip(X, Y, strict=True)))
    assert main(["audit", "scores", str(table), "--epsilon", "1", "--columns", "a,b"]) == 2
    assert "two columns" in capsys.readouterr().err
    assert main(["audit", "scores", str(table), "--epsilon", "1", "--columns", "1,2"]) == 0


def test_a_witness_whose_numbers_are_no_floats_is_not_printed(capsys):
    request = ["audit", "gaussian", "--mean-p", "1e300", "--cov-p", "1e-200"]
    request += ["--mean-q", "0", "--cov-q", "2e-200", "--epsilon", "1"]
    assert main([*request, "--delta", "0.1", "--json"]) in (0, 1)
    report = json.loads(capsys.readouterr().out, parse_constant=lambda name: pytest.fail(name))
    assert report["set"] is None
    main([*request, "--delta", "0.1"])
    assert "no floats" in capsys.readouterr().out


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork on this platform")
def test_a_forked_process_releases_while_a_thread_of_its_parent_does():
    mechanism = mechanisms.gaussian_mechanism(1.0, epsilon=1.0, delta=1e-5, adjacency="one record")
    inside, go_on = threading.Event(), threading.Event()

    @grid.releasing
    def slow():
        inside.set()
        go_on.wait(60)

    thread = threading.Thread(target=slow)
    thread.start()
    try:
        assert inside.wait(60)
        child = os.fork()
        if child == 0:
            threading.Timer(20, os._exit, (3,)).start()
            mechanism.release([1.0])
            os._exit(0)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    finally:
        go_on.set()
        thread.join()


@pytest.mark.parametrize("noise", [float("nan"), -1.0, "1", None])
def test_a_calibration_of_no_noise_level_is_refused(noise):
    calibration = mechanisms.gaussian_mechanism(1.0, epsilon=1.0, delta=1e-5, adjacency="one record").calibration
    with pytest.raises(InputError, match="noise std"):
        replace(calibration, noise={"std": noise})


@pytest.mark.parametrize(
    "change",
    [
        {"noise": {"std": 1e-3}},
        {"target": mechanisms.Target(epsilon=0.1, delta=1e-5)},
        {"public": {"sensitivity": 100.0}},
        {"adjacency": "any two databases"},
        {"unsafe": "by hand"},
    ],
)
def test_a_calibration_that_was_changed_needs_a_certificate_of_its_own(change):
    calibration = mechanisms.gaussian_mechanism(1.0, epsilon=1.0, delta=1e-5, adjacency="one record").calibration
    with pytest.raises(InputError, match="calibrate again"):
        replace(calibration, **change)
    assert pickle.loads(pickle.dumps(calibration)) == copy.deepcopy(calibration) == replace(calibration) == calibration
    options = {"adjacency": "one record", "rule": "classical"}
    printed = mechanisms.gaussian_mechanism(1.0, epsilon=20.0, delta=0.1, **options).calibration
    assert printed.unsafe
    with pytest.raises(InputError):
        replace(printed, unsafe="")
