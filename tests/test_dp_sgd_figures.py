"""Trade-off curves of a network's losses: many models against one, the curves on exact laws, what skewness does and
does not say.
"""

import numpy as np
import pytest
from scipy.stats import kurtosis, lognorm, norm, skew

from ndis_verify.audit.dp_sgd import DpSgd, losses_after_training, train, with_record
from ndis_verify.claims.dp_sgd import claims as steps
from ndis_verify.claims.dp_sgd import figures
from ndis_verify.experiments.dp_sgd_audit import FIGURE, LEVELS, SHAPES, Setting, curves, gaps, setting_of
from ndis_verify.symbolic import dp_sgd as derived

SETTING = setting_of("digits", None)


def per_example_gradients(model, parameters, x, y):
    """The gradient of every record's loss at one flat parameter vector, (n, size)."""
    return model.weighted_gradients(np.repeat(parameters[None], len(x), axis=0), x, y, np.eye(len(x)))


def test_gradients_on_digits_against_finite_differences():
    network, x, y = SETTING.network, SETTING.x[:5], SETTING.y[:5]
    found = per_example_gradients(network, SETTING.start, x, y)
    for k in np.random.default_rng(1).integers(0, network.size, 40):
        step = 1e-5 * (np.arange(network.size) == k)
        losses = network.losses(np.stack([SETTING.start + step, SETTING.start - step]), x, y)
        np.testing.assert_allclose(found[:, k], (losses[0] - losses[1]) / 2e-5, atol=1e-8)


@pytest.mark.parametrize("optimizer", ["sgd", "adam"])
def test_many_models_at_once_are_one_model_after_another(optimizer):
    network, x, y = SETTING.network, SETTING.x[:9], SETTING.y[:9]
    settings = DpSgd(0.5, 0.3, 4, clip=0.8, learning_rate=0.05, optimizer=optimizer)
    found = train(network, settings, x, y, SETTING.start, 3, np.random.default_rng(2))
    draws, rng = [], np.random.default_rng(2)
    for _ in range(settings.steps):
        draws.append((rng.random((3, 9)) < 0.5, rng.standard_normal((3, network.size))))
    for model in range(3):
        theta, mean, square = SETTING.start.copy(), 0.0, 0.0
        for k, (drawn, noise) in enumerate(draws, 1):
            total = 0.3 * 0.8 * noise[model]
            for gradient in per_example_gradients(network, theta, x, y)[drawn[model]]:
                total = total + gradient * min(1.0, 0.8 / np.linalg.norm(gradient))
            if optimizer == "sgd":
                theta = theta - 0.05 / 0.8 * total
                continue
            mean, square = 0.9 * mean + 0.1 * total, 0.999 * square + 0.001 * total**2
            theta = theta - 0.05 * (mean / (1 - 0.9**k)) / (np.sqrt(square / (1 - 0.999**k)) + 1e-8)
        np.testing.assert_allclose(found[model], theta, atol=1e-9)


def test_trainings_learn_digits_and_a_canary_is_seen():
    losses = losses_after_training(
        SETTING.network,
        FIGURE,
        SETTING.x,
        SETTING.y,
        SETTING.start,
        (SETTING.x, SETTING.y),
        40,
        np.random.default_rng(3),
    )
    assert (
        losses.shape == (40, 60)
        and losses.mean() < 0.75 * SETTING.network.losses(SETTING.start[None], SETTING.x, SETTING.y).mean()
    )
    x, y = with_record(SETTING.x, SETTING.y, (np.zeros(61), 7))
    assert x.shape == (61, 61) and y[-1] == 7 and not x[-1].any()
    ((within, without),) = SETTING.losses([(np.zeros(61), 7)], 150, np.random.default_rng(4))
    assert within.mean() < without.mean()


def test_the_pilot_takes_the_candidates_nearest_in_skewness():
    setting = Setting(
        SETTING.network, SETTING.x, SETTING.y, SETTING.start, (SETTING.candidates[0][:8], SETTING.candidates[1][:8])
    )
    found = setting.pick(100, np.random.default_rng(5))
    losses = losses_after_training(
        SETTING.network, FIGURE, SETTING.x, SETTING.y, SETTING.start, setting.candidates, 100, np.random.default_rng(5)
    )
    for name, aim in SHAPES.items():
        nearest = min(range(8), key=lambda k: abs(skew(losses[:, k]) - aim))
        assert (
            np.array_equal(found[name][0], setting.candidates[0][nearest])
            and found[name][1] == setting.candidates[1][nearest]
        )


def test_curves_of_a_known_pair_and_what_an_increasing_function_changes():
    rng = np.random.default_rng(6)
    p, q = rng.normal(1, 1, 40_000), rng.normal(0, 1, 40_000)
    exact = norm.cdf(norm.isf(LEVELS) - 1)
    found, bent = curves(p, q), curves(np.exp(0.22 * p), np.exp(0.22 * q))
    assert np.abs(found["gdp estimate"] - exact).max() < 0.01 and np.abs(found["histogram"] - exact).max() < 0.05
    assert (found["gdp"] > exact).all() and (found["dkw"] > exact).all()
    for name in ("gdp", "gdp estimate", "dkw"):
        np.testing.assert_allclose(bent[name], found[name], atol=1e-3)
    assert skew(np.exp(0.22 * q)) == pytest.approx(0.68, abs=0.1) and kurtosis(np.exp(0.22 * q)) == pytest.approx(
        0.83, abs=0.3
    )
    distances = gaps(bent)
    assert (
        0 < distances["estimate_below_limit"] < 5 / 200
        and distances["estimate_below_estimate"] < 0.01
        and distances["limit_below_limit"] < 0.01
    )
    wide = curves(rng.normal(0, 2, 40_000), q, bins=40)
    assert np.abs(wide["gdp estimate"] - wide["histogram"]).max() > 0.1


def test_certified_counterexamples_against_float_values():
    above = norm.cdf(norm.isf(2 * norm.sf(2.5)) - 1) - (2 * norm.cdf(1.25) - 1)
    below = 2 * norm.cdf(1 / 3) - 1 - norm.cdf(norm.isf(2 * norm.sf(2 / 3)) - 1)
    assert float(figures._off_every_curve(figures._OFF_CURVE).mid) == pytest.approx(min(above, below) - 0.05, abs=1e-12)
    law = lognorm(0.22)
    moved = lognorm(0.22, scale=np.exp(0.22))
    level, missed = (law.sf(1) + law.sf(1.25)) / 2, (moved.cdf(1) + moved.cdf(1.25)) / 2
    assert float(figures._chord_above(figures._LOGNORMAL).mid) == pytest.approx(
        missed - norm.cdf(norm.isf(level) - 1), abs=1e-12
    )
    assert derived.loss_shape().number(std=0.22) == pytest.approx(float(law.stats("s")), rel=1e-10)
    apart = np.arctan(0.1) / np.pi
    met = 1 - 0.999**2
    assert float(steps._signs_apart(steps._TWO_STEPS).mid) == pytest.approx(apart + met / 2 - 2 * met, abs=1e-12)


def test_signs_of_two_steps_as_printed_and_on_their_own_paths():
    from ndis_verify.audit.dp_sgd import white_box_scores

    settings, rng = DpSgd(1.0, 1.0, 2, learning_rate=0.5), np.random.default_rng(7)
    differ = np.arctan(0.5) / np.pi
    for own_path, expected in ((False, 0.0), (True, differ)):
        rows = white_box_scores(steps.Square(), settings, [[0.0]], [0], 40_000, rng, canary=[1.0], own_path=own_path)
        centred = [row - row.mean(axis=0) for row in rows]
        found = [np.mean(row[:, 0] * row[:, 1] < 0) - 0.5 for row in centred]
        assert found[0] == pytest.approx(expected, abs=0.02) and found[1] == pytest.approx(differ, abs=0.02)


def test_derivations_hold_and_their_faults_do_not():
    for derivation in (derived.white_box_rows(), derived.loss_shape()):
        assert derivation.proved and not any(mutant.proved for mutant in derivation.mutants().values())
    assert derived.white_box_rows().number(rate=0.5, std=2) == pytest.approx(-2)
