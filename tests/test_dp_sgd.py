"""DP-SGD and its audits: gradients, clipping, noise, theoretical limits, validity where the law is known."""

import importlib.util
import re
import sys
from dataclasses import replace

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import ndtr
from scipy.stats import binom, chi2, kstest, norm

from ndis_verify.audit import audit_scores
from ndis_verify.audit.dp_sgd import (
    DpSgd,
    Linear,
    Network,
    black_box_scores,
    loss_sums,
    noisy_sum,
    train,
    white_box_scores,
)
from ndis_verify.audit.subsampled_gaussian import accountant_epsilon, composed_step, step_delta
from ndis_verify.cli import main
from ndis_verify.exact_number import InputError
from ndis_verify.experiments import find, read_table, run
from ndis_verify.experiments.dp_sgd_audit import SHAPES
from ndis_verify.experiments.output import save_figure

NETWORK = Network(4, 5, 3)
LINEAR = Linear(3)


def _data(n=6, seed=0):
    rng = np.random.default_rng(seed)
    return rng.standard_normal((n, 4)), rng.integers(0, 3, n)


def _orthogonal(norm_of_canary=1.0):
    """Records in a plane, a canary orthogonal to them."""
    x = np.column_stack([np.zeros(5), np.random.default_rng(1).standard_normal((5, 2))])
    return x, np.zeros(5), (np.array([norm_of_canary, 0.0, 0.0]), 0)


def per_example_gradients(model, parameters, x, y):
    """The gradient of every record's loss at one flat parameter vector, (n, size)."""
    return model.weighted_gradients(np.repeat(parameters[None], len(x), axis=0), x, y, np.eye(len(x)))


def linear_delta(settings, epsilon):
    """Delta, the larger of both orders, of the loss that `Linear` and "sgd" show of a canary orthogonal to the rest,
    |canary| >= clip.

    The pair `sum_k Bin(T, q)(k) N(k, T s^2)` against `N(0, T s^2)`, with a likelihood ratio that rises. epsilon >= 0;
    about 1e-13 absolute.
    """
    counts, std = np.arange(settings.steps + 1), settings.noise * np.sqrt(settings.steps)
    weights = binom.pmf(counts, settings.steps, settings.rate)
    reach = settings.steps + 40 * std

    def log_ratio(t: float) -> float:
        exponents = counts * (2 * t - counts) / (2 * std**2)
        return float(exponents.max() + np.log(weights @ np.exp(exponents - exponents.max())))

    def crossing(level: float) -> float:
        low, high = -reach, reach
        for _ in range(100):
            middle = (low + high) / 2
            low, high = (middle, high) if log_ratio(middle) < level else (low, middle)
        return high

    def at(eps: float) -> float:
        above, below = crossing(eps), crossing(-eps)
        added = weights @ ndtr((counts - above) / std) - np.exp(eps) * ndtr(-above / std)
        return float(max(added, ndtr(below / std) - np.exp(eps) * (weights @ ndtr((below - counts) / std)), 0.0))

    return np.vectorize(at, otypes=[float])(epsilon)


def test_gradients_of_every_record_against_finite_differences():
    x, y = _data()
    theta = NETWORK.start(np.random.default_rng(2)) + 0.1
    found = per_example_gradients(NETWORK, theta, x, y)
    assert found.shape == (6, NETWORK.size)
    moved = np.concatenate([theta + 1e-5 * np.eye(theta.size), theta - 1e-5 * np.eye(theta.size)])
    losses = NETWORK.losses(moved, x, y)
    assert np.abs((losses[: theta.size] - losses[theta.size :]).T / 2e-5 - found).max() < 1e-8
    np.testing.assert_allclose(NETWORK.norms(theta[None], x, y)[0], np.linalg.norm(found, axis=1), rtol=1e-12)


@pytest.mark.parametrize("clip", [0.01, 0.7, 100.0])
def test_every_gradient_is_clipped_by_itself(clip):
    x, y = _data()
    parameters = np.random.default_rng(3).standard_normal((2, NETWORK.size))
    drawn = np.array([[1, 0, 1, 1, 0, 0], [0, 0, 0, 0, 0, 1]])
    found = NETWORK.clipped_sum(parameters, x, y, drawn, clip)
    for theta, chosen, total in zip(parameters, drawn, found, strict=True):
        gradients = per_example_gradients(NETWORK, theta, x, y)
        clipped = [g * min(1, clip / np.linalg.norm(g)) for g in gradients]
        np.testing.assert_allclose(total, sum(c * g for c, g in zip(chosen, clipped, strict=True)), atol=1e-12)
    assert np.linalg.norm(found[1]) <= clip * (1 + 1e-12)


def test_noise_and_sampling_have_the_stated_laws():
    settings, rng = DpSgd(0.3, 1.7, 1, clip=2.0), np.random.default_rng(4)
    x, y, (record, _) = _orthogonal(5.0)
    total = noisy_sum(LINEAR, settings, np.zeros((20_000, 3)), np.zeros((4, 3)), np.zeros(4), rng)
    assert chi2.cdf((total**2).sum() / (1.7 * 2) ** 2, total.size) == pytest.approx(0.5, abs=0.5 - 1e-6)
    assert kstest(total[:, 1] / 3.4, "norm").pvalue > 1e-6
    total = noisy_sum(LINEAR, replace(settings, noise=1e-9), np.zeros((20_000, 3)), record[None], np.zeros(1), rng)[
        :, 0
    ]
    assert np.allclose(np.minimum(total, abs(2 - total)), 0, atol=1e-7)  # drawn or not, clipped from 5 to 2
    assert 1e-6 < binom.cdf((total > 1).sum(), 20_000, 0.3) < 1 - 1e-6


@pytest.mark.parametrize("optimizer", ["sgd", "adam"])
def test_trainings_repeat_with_the_seed_and_do_not_touch_their_start(optimizer):
    settings, (x, y) = DpSgd(0.5, 0.8, 4, optimizer=optimizer), _data()
    start = NETWORK.start(np.random.default_rng(5))
    kept = start.copy()
    one, again, other = (train(NETWORK, settings, x, y, start, 3, np.random.default_rng(s)) for s in (6, 6, 7))
    assert np.array_equal(one, again) and not np.array_equal(one, other) and np.array_equal(start, kept)
    assert np.unique(one[:, 0]).size == 3


def test_optimizers_move_along_the_released_sum():
    x, y = np.array([[3.0, 4.0, 0.0]]), np.zeros(1)
    settings = DpSgd(1.0, 1e-12, 2, clip=2.0, learning_rate=0.5)
    np.testing.assert_allclose(
        train(LINEAR, settings, x, y, np.zeros(3), 1, np.random.default_rng(8))[0], [-0.6, -0.8, 0], atol=1e-9
    )
    adam = train(Linear(2), replace(settings, optimizer="adam"), x[:, :2], y, np.zeros(2), 1, np.random.default_rng(8))
    np.testing.assert_allclose(adam[0], [-1.0, -1.0], atol=1e-6)  # a constant gradient: steps of the learning rate


def test_training_learns():
    rng = np.random.default_rng(9)
    x = np.vstack([rng.standard_normal((40, 4)) + 2, rng.standard_normal((40, 4)) - 2])
    y = np.repeat([0, 1], 40)
    start = NETWORK.start(rng)
    found = train(NETWORK, DpSgd(0.5, 0.5, 30, learning_rate=0.05), x, y, start, 5, rng)
    assert NETWORK.losses(found, x, y).mean() < 0.3 * NETWORK.losses(start[None], x, y).mean()


@pytest.mark.parametrize(("rate", "noise"), [(0.25, 0.3), (0.5, 2.0), (0.01, 1.0), (1.0, 1.0)])
def test_one_step_against_quadrature_and_between_the_limits(rate, noise):
    def p(x):
        return rate * norm.pdf(x, 1, noise) + (1 - rate) * norm.pdf(x, 0, noise)

    def q(x):
        return norm.pdf(x, 0, noise)

    epsilons, composed = np.array([0.0, 0.1, 1.0, 3.0]), composed_step(rate, noise, 1)
    ends, inner = (-12 * noise, 1 + 12 * noise), np.linspace(-12 * noise, 1 + 12 * noise, 12)[1:-1]
    found = step_delta(rate, noise, epsilons)
    for eps, delta in zip(epsilons, found, strict=True):
        orders = [
            quad(lambda x, a=a, b=b: max(a(x) - np.exp(eps) * b(x), 0), *ends, points=inner, limit=400)[0]
            for a, b in ((p, q), (q, p))
        ]
        assert delta == pytest.approx(max(orders), abs=2e-8)
    assert (composed.lower(epsilons) <= found).all() and (found <= composed.upper(epsilons)).all()
    assert np.abs(composed.upper(epsilons) - composed.lower(epsilons)).max() < 1e-3


def test_many_steps_without_sampling_are_one_gaussian():
    composed, eps = composed_step(1.0, 2.0, 4), np.array([0.0, 0.5, 2.0])
    exact = norm.cdf(0.5 - eps) - np.exp(eps) * norm.cdf(-0.5 - eps)
    assert (
        (composed.lower(eps) <= exact).all()
        and (exact <= composed.upper(eps)).all()
        and composed.upper(eps) == pytest.approx(exact, abs=1e-5)
    )
    assert composed.upper(composed.epsilon(1e-5)) <= 1e-5
    assert composed.epsilon(1e-5) == pytest.approx(4.377178, abs=1e-4)


def test_the_accountant_agrees_where_it_is_installed_and_is_named_where_not(monkeypatch):
    if importlib.util.find_spec("dp_accounting"):
        ours = composed_step(0.25, 1.0, 20).epsilon(1e-5)
        assert accountant_epsilon(0.25, 1.0, 20, 1e-5) == pytest.approx(ours, abs=1e-3)
    monkeypatch.setitem(sys.modules, "dp_accounting", None)
    with pytest.raises(ModuleNotFoundError, match=r"ndis_verify\[peers\]"):
        accountant_epsilon(0.25, 1.0, 20, 1e-5)


def test_linear_law_is_what_training_shows():
    settings, (x, y, canary) = DpSgd(0.3, 0.8, 5, learning_rate=1.0), _orthogonal(3.0)
    with_it, without = (
        s / 3 for s in black_box_scores(LINEAR, settings, x, y, canary, 4000, np.random.default_rng(10))
    )
    std, counts = 0.8 * np.sqrt(5), np.arange(6)
    assert kstest(-without, norm(0, std).cdf).pvalue > 1e-6
    assert (
        kstest(
            -with_it, lambda t: norm.cdf((np.atleast_1d(t)[:, None] - counts) / std) @ binom.pmf(counts, 5, 0.3)
        ).pvalue
        > 1e-6
    )
    one = replace(settings, steps=1)
    assert linear_delta(one, [0.0, 0.7, 2.0]) == pytest.approx(step_delta(0.3, 0.8, [0.0, 0.7, 2.0]), abs=1e-12)
    assert (linear_delta(settings, [0.1, 1.0]) <= settings.bound().upper([0.1, 1.0])).all()


def test_lower_limits_are_seldom_above_the_truth_of_the_linear_model():
    settings, (x, y, canary) = DpSgd(0.5, 0.6, 2), _orthogonal()
    truth, rng = float(linear_delta(settings, 0.5)), np.random.default_rng(11)
    limits = []
    for _ in range(100):
        scores = black_box_scores(LINEAR, settings, x, y, canary, 400, rng)
        limits.append(float(audit_scores(*scores, epsilon=0.5, confidence=0.9).delta(0.5)))
    assert sum(limit > truth for limit in limits) <= binom.isf(1e-6, 100, 0.1)
    assert np.median(limits) > truth / 2


def test_white_box_scores_have_the_law_of_one_step():
    settings, (x, y, _) = DpSgd(0.4, 0.5, 3, clip=2.0), _orthogonal()
    scores = white_box_scores(LINEAR, settings, x, y, 2000, np.random.default_rng(12), canary=[7.0, 0, 0])
    assert [s.shape for s in scores] == [(2000, 3)] * 2
    assert kstest(scores[1].ravel(), norm(0, 0.5).cdf).pvalue > 1e-6
    assert kstest(scores[0].ravel(), lambda t: 0.4 * norm.cdf(t, 1, 0.5) + 0.6 * norm.cdf(t, 0, 0.5)).pvalue > 1e-6
    assert loss_sums(np.array([[0.5, 0.5]]), 0.4, 0.5) == pytest.approx(0.0, abs=1e-15)
    own = white_box_scores(NETWORK, settings, *_data(), 3, np.random.default_rng(13), own_path=True)
    assert np.isfinite(own).all() and np.shape(own) == (2, 3, 3)


def _proved(settings, model_settings, factor=1.0):
    """Epsilon proved at delta = 0.05 with confidence 1 - 1e-6, less what `settings` promises."""
    x, y, canary = _orthogonal(factor)
    scores = black_box_scores(LINEAR, model_settings, x, y, canary, 2500, np.random.default_rng(14))
    return float(audit_scores(*scores, delta=0.05, confidence=1 - 1e-6).epsilon(0.05)) - settings.bound().epsilon(0.05)


def test_faulty_training_is_caught_and_sound_training_is_not():
    settings = DpSgd(0.25, 1.0, 4)
    assert _proved(settings, settings, 8.0) < 0
    # no clipping: the noise is that of clip 1
    assert _proved(settings, replace(settings, clip=8.0, noise=1 / 8), 8.0) > 0
    assert _proved(settings, replace(settings, noise=0.2)) > 0
    assert _proved(settings, replace(settings, rate=1.0)) > 0


@pytest.mark.parametrize(
    ("call", "argument"),
    [
        (lambda: DpSgd(0, 1, 1), "rate"),
        (lambda: DpSgd(1, 0, 1), "noise"),
        (lambda: DpSgd(1, 1, 0), "steps"),
        (lambda: DpSgd(1, 1, 1, clip=np.inf), "clip"),
        (lambda: DpSgd(1, 1, 1, optimizer="x"), "optimizer"),
        (lambda: Network(0, 1, 1), "inputs"),
        (lambda: Linear(2.5), "inputs"),
        (lambda: step_delta(0.5, 1, -1), "epsilon"),
        (lambda: step_delta(0.5, np.inf, 1), "noise"),
        (lambda: composed_step(0.5, 1, 10**6), "steps"),
        (lambda: composed_step(0.5, 1, 2).epsilon(1e-12), "delta"),
        (
            lambda: train(NETWORK, DpSgd(1, 1, 1), [[1, 2]], [0], np.zeros(NETWORK.size), 1, np.random.default_rng(0)),
            "x",
        ),
        (
            lambda: train(
                NETWORK, DpSgd(1, 1, 1), [[1, 2, 3, 4]], [3], np.zeros(NETWORK.size), 1, np.random.default_rng(0)
            ),
            "y",
        ),
        (
            lambda: white_box_scores(
                LINEAR, DpSgd(1, 1, 1), [[1, 2, 3]], [0], 1, np.random.default_rng(0), canary=[1, 2]
            ),
            "canary",
        ),
    ],
)
def test_bad_input_is_named(call, argument):
    with pytest.raises(InputError) as caught:
        call()
    assert caught.value.argument == argument


def _users_records(tmp_path):
    rng = np.random.default_rng(15)
    lines = [",".join(map(repr, [*row, k % 2])) for k, row in enumerate(rng.normal(size=(40, 3)).tolist())]
    (tmp_path / "mine.csv").write_text("a,b,c,y\n" + "\n".join(lines) + "\n")
    return read_table(tmp_path / "mine.csv", "y")


def test_the_experiment_on_a_users_records_and_what_it_would_notice(tmp_path):
    experiment, table = find("km-dp-sgd"), _users_records(tmp_path)
    cells = [cell | {"models": {400: 60, 1200: 240}[cell["models"]]} for cell in experiment.cells("quick", table)]
    rows = run(replace(experiment, cells=lambda size, data: cells), seed=1, data=table)
    assert run(replace(experiment, cells=lambda size, data: cells[:1]), seed=1, data=table) == rows[:1]
    curves = [row for row in rows if row["kind"] == "curve" and row["models"] == 240]
    assert {row["canary"] for row in curves} == set(SHAPES) and all(row["dkw"] >= row["accounted"] for row in curves)
    losses = [row for row in rows if row["kind"] == "losses" and row["models"] == 240]
    assert sum(row["with"] for row in losses) == sum(row["without"] for row in losses) == 480
    sound, lead = (
        "nothing proved is above the theoretical bound",
        "scores of all steps prove more than the losses at the end",
    )
    found = {finding.statement: finding.holds for finding in experiment.findings(rows)}
    assert found[sound] and found[lead]
    audits = [row for row in rows if "epsilon_proved" in row]
    for change, statement in (
        ({"epsilon_proved": 99.0}, sound),
        ({"epsilon_accountant": 9.0}, "dp-accounting's"),
        ({"estimate_below_limit": 0.9}, "the histogram's estimate"),
        ({"limit_below_limit": 0.1}, "a histogram's limit"),
        ({"estimate_below_estimate": 0.1}, "it goes below the estimate"),
        ({"tv_proved": 0.0}, "more models"),
        ({"epsilon_proved": 0.0}, lead),
        ({"skewness": 0.5}, "the canaries' losses"),
    ):
        wrong = [row | change if row in audits else row for row in rows]
        assert not next(one.holds for one in experiment.findings(wrong) if one.statement.startswith(statement)), (
            statement
        )
    wrong = [row | {"estimate": row["bound"] + 0.5} if row["kind"] == "profile" else row for row in rows]
    assert not experiment.findings(wrong)[-1].holds
    assert len(re.findall(r"^\|-{3}", experiment.table(rows), re.MULTILINE)) >= 4
    assert max(map(len, experiment.table(rows).splitlines())) < 400
    assert save_figure(experiment, rows, tmp_path / "picture.png") and (tmp_path / "picture.png").stat().st_size > 5000


def test_a_users_scores_stand_in_for_the_networks(tmp_path):
    experiment, rng = find("km-dp-sgd"), np.random.default_rng(16)
    lines = [
        f"{a!r},{b!r}" for a, b in zip(rng.normal(1, 1, 900).tolist(), rng.normal(0, 1, 900).tolist(), strict=True)
    ]
    path = tmp_path / "scores.csv"
    path.write_text("with,without\n" + "\n".join(lines) + "\n")
    rows = run(experiment, data=read_table(path))
    assert (
        rows[0]["kind"] == "scores"
        and 0 < rows[0]["tv_proved"] < norm.cdf(0.5) - norm.cdf(-0.5)
        and rows[0]["models"] == 900
    )
    assert [finding.holds for finding in experiment.findings(rows)] == [True]
    assert not experiment.findings([rows[0] | {"tv_proved": 0.0}])[0].holds
    curve = [row for row in rows if row["kind"] == "curve"]
    assert all(row["gdp"] >= norm.cdf(norm.isf(row["alpha"]) - 1) for row in curve) and save_figure(
        experiment, rows, tmp_path / "scores.png"
    )
    assert main(["experiment", "km-dp-sgd", "--data", str(path), "--output", str(tmp_path / "out")]) == 0


@pytest.mark.parametrize(
    ("text", "target", "argument"),
    [
        ("a,y\n1,1\n2,1\n3,1\n4,1\n", "y", "target"),
        ("a,y\n1,1\n2,2\n3,1\n", "y", "data"),
        ("a,b,c\n1,2,3\n", None, "data"),
        ("a\n1\n2\n", None, "data"),
    ],
)
def test_the_experiment_refuses_what_it_cannot_use(tmp_path, text, target, argument):
    path = tmp_path / "bad.csv"
    path.write_text(text)
    with pytest.raises(InputError) as caught:
        run(find("km-dp-sgd"), data=read_table(path, target))
    assert caught.value.argument == argument
