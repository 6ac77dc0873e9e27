"""Limits of the audits when what lies beneath them errs as far as it may, on the side that hurts."""

import argparse
import inspect
import math
from fractions import Fraction
from functools import partial
from types import SimpleNamespace

import mpmath
import numpy as np
import pytest
from scipy.stats import binom

from ndis_verify import oracle
from ndis_verify.audit import (
    bit_features,
    bits,
    candidate_sets,
    classifier,
    composition,
    credible_region,
    dp_sgd,
    histogram,
    study,
    tv_inference,
    white_box,
)
from ndis_verify.audit.release_sources import exact_float
from ndis_verify.audit.set_limits import Learned
from ndis_verify.audit.subsampled_gaussian import ComposedStep
from ndis_verify.audit.white_box import WhiteBoxAudit
from ndis_verify.commands import audit as commands_audit
from ndis_verify.exact_number import InputError
from ndis_verify.fast.accuracy import promise
from ndis_verify.gaussian_pair import GaussianPair

PAIR = GaussianPair([1], 1, [0], 1)


def binomial_limit(count, n, failure, upper):
    """Where the exact tail beyond `count` is `failure`, by bisection; the true limit lies within 1e-12 of it,
    outside.
    """
    low, high = 0.0, 1.0
    while high - low > 1e-13:
        p = (low + high) / 2
        rare = (binom.cdf(count, n, p) if upper else binom.sf(count - 1, n, p)) <= failure
        low, high = (low, p) if rare == upper else (p, high)
    return low if upper else high


# Counts


@pytest.mark.parametrize("first_is_p", [True, False])
def test_a_confirmed_event_has_its_power_from_below_and_its_level_from_above(first_is_p):
    feature = SimpleNamespace(family="family", cells=lambda rows: rows)
    order = SimpleNamespace(
        feature=feature, counts=lambda rows: np.bincount(rows, minlength=2), words=lambda *arguments: "words"
    )
    p, q = np.repeat([0, 1], [30, 20]), np.repeat([0, 1], [10, 30])
    chosen = candidate_sets.ChosenSet(0, 1, first_is_p, 0.25)
    event = bits._confirmed([order], chosen, 0.1, (p, q))
    (hits, n), (alarms, m) = ((30, 50), (10, 40)) if first_is_p else ((30, 40), (20, 50))
    assert event.counts == (hits, alarms)
    assert event.power <= binomial_limit(hits, n, 0.025, False) and event.level >= binomial_limit(
        alarms, m, 0.075, True
    )


@pytest.mark.parametrize("first_is_p", [True, False])
def test_a_bounded_set_has_its_power_from_below_and_its_level_from_above(first_is_p):
    surveys = (SimpleNamespace(size=lambda part: 50), SimpleNamespace(size=lambda part: 40))
    audited = SimpleNamespace(surveys=surveys, failure=0.1, result=lambda method, points, *rest: points)
    learned = SimpleNamespace(audited=audited, edges=np.arange(3), held=lambda one: (30, 10), intervals=lambda one: ())
    points = Learned.bounded(learned, "best-set", [candidate_sets.ChosenSet(0, 1, first_is_p, 0.25)], 0.1)
    n, m = (50, 40) if first_is_p else (40, 50)
    assert points.power[0] <= binomial_limit(30, n, 0.025, False)
    assert points.level[0] >= binomial_limit(10, m, 0.075, True)


def test_limits_of_a_classifier_hold_both_binomial_limits():
    rng = np.random.default_rng(2)
    p, q = rng.normal(1.5, 1, (400, 1)), rng.normal(0, 1, (300, 1))
    found = classifier.classifier_curve(p, q, [0.0, 0.3], confidence=0.9)
    held = [np.array_split(rows, 2)[1] for rows in (p, q)]
    hits, alarms = ((found.classifier(rows)[:, None] > found.threshold).sum(axis=0) for rows in held)
    for k, factor in enumerate(np.exp(found.epsilon)):
        (low, high), (least, most) = (
            [binomial_limit(int(count[k]), len(rows), 0.1 / 8, upper) for upper in (False, True)]
            for count, rows in ((hits, held[0]), (alarms, held[1]))
        )
        assert 0 < found.lower[k] <= low - factor * most and found.upper[k] >= high - factor * least


def test_a_rate_of_a_total_variation_lies_between_its_limits():
    low, high = tv_inference._limits(7, 50, 0.02)
    assert low <= binomial_limit(7, 50, 0.02, False) and high >= binomial_limit(7, 50, 0.02, True)


def test_the_highest_rate_of_a_study_is_an_upper_limit():
    found = study.judged("case", "method", 10, 500, 3, 0.05)
    assert binom.cdf(3, 500, found.highest) <= 1 - study.SURE


# The float64 engine


@pytest.mark.parametrize("sign", [1, -1])
def test_limits_of_the_engine_hold_when_it_errs_by_what_it_documents(monkeypatch, sign):
    engine = white_box.hockey_stick
    monkeypatch.setattr(
        white_box, "hockey_stick", lambda *arguments: engine(*arguments) * (1 + sign * promise("hockey_stick"))
    )
    for epsilon in (Fraction(1, 3), Fraction(3)):
        truth = oracle.certified_composed_hockey_stick(PAIR, 2, epsilon, 30)
        low, high = white_box.engine_limits(PAIR, 2, epsilon)
        assert Fraction(low) <= truth.lower and truth.upper <= Fraction(high)


@pytest.mark.parametrize(
    "epsilon", [Fraction(1), Fraction(1, 3), Fraction(2, 3), 1 + Fraction(1, 2**60), 1 - Fraction(1, 2**60)]
)
def test_the_engine_is_asked_on_both_sides_of_an_epsilon_that_is_no_float(monkeypatch, epsilon):
    asked = []
    monkeypatch.setattr(white_box, "hockey_stick", lambda laws, at: asked.extend(at) or np.zeros(2))
    white_box.engine_limits(PAIR, 1, epsilon)
    below, above = map(Fraction, asked)
    assert below < epsilon < above and above - below < Fraction(1, 2**50)


def test_an_audit_whose_limits_straddle_the_claim_decides_nothing():
    found = WhiteBoxAudit(Fraction(1), Fraction(1, 2), 0.4, 0.6, "1", "P,Q", "basis", None)
    assert not found.refuted and found.margin < 0
    assert WhiteBoxAudit(Fraction(1), Fraction(1, 2), 0.55, 0.6, "1", "P,Q", "basis", None).refuted
    assert WhiteBoxAudit(Fraction(1), Fraction(1, 2), 0.3, 0.4, "1", "P,Q", "basis", None).margin > 0


@pytest.mark.parametrize("signs", [(1, 1), (1, -1), (-1, 1), (-1, -1)])
def test_limits_from_two_calls_hold_when_the_laws_are_rounded_as_well(signs):
    """The oracle errs by its error, and its laws by nearly all that is allowed for their rounding."""
    error = 1e-3
    turned = iter(signs)
    limits = white_box.two_call_limits(lambda law, t: float(law.cdf(t)) + next(turned) * error * (1 + 0.9e-3), error)
    low, high = limits(PAIR, 1, Fraction(1, 2))
    truth = oracle.certified_hockey_stick(PAIR, Fraction(1, 2), 20)
    assert Fraction(low) <= truth.lower and truth.upper <= Fraction(high)


@pytest.mark.parametrize("answers", [(1.0009, 0.5), (0.5, 1.0009), (-0.0009, 0.5), (0.5, -0.0009)])
def test_an_oracle_may_err_beyond_the_ends_of_the_probabilities_but_no_further(answers):
    turned = iter(answers)
    low, high = white_box.two_call_limits(lambda law, t: next(turned), 1e-3)(PAIR, 1, Fraction(1, 2))
    assert 0 <= low <= high <= 1
    wrong = iter([2 * x - 0.5 if x != 0.5 else x for x in answers])
    with pytest.raises(InputError):
        white_box.two_call_limits(lambda law, t: next(wrong), 1e-3)(PAIR, 1, Fraction(1, 2))


@pytest.mark.parametrize("failure", [0.15, 0.1, 0.07])
def test_enough_distances_are_simulated_for_the_stated_failure(monkeypatch, failure):
    engine, sizes = white_box.hockey_stick, []

    def counted(*arguments):
        found = engine(*arguments)
        sizes.append(found.size)
        return found

    monkeypatch.setattr(white_box, "hockey_stick", counted)
    white_box._distance_quantile(50, 1, 1, failure, np.random.default_rng(1))
    assert Fraction(white_box._RANK, sizes[0] + 1) <= Fraction(failure)


# Sums of losses


def test_both_compositions_are_pessimistic_where_nothing_else_is_asked_for():
    for bound in (composition.composed_bound, composition.grid_composition):
        assert inspect.signature(bound).parameters["side"].default == "pessimistic"
    profile = composition.gaussian_profile(PAIR)
    by_default, above, below = (
        float(composition.grid_composition(profile, 2, 0.5, step=0.1, **side))
        for side in ({}, {"side": "pessimistic"}, {"side": "optimistic"})
    )
    truth = oracle.certified_composed_hockey_stick(PAIR, 2, Fraction(1, 2), 20)
    assert Fraction(below) <= truth.lower and truth.upper <= Fraction(above) and by_default == above


def test_the_library_is_given_masses_of_the_side_that_was_asked_for(monkeypatch):
    """dp-accounting's masses, replaced by this package's own sums of what it is given."""

    class Masses:
        def __init__(self, law):
            self.law = law

        def to_dense_pmf(self):
            return self

        def get_delta_for_epsilon(self, epsilon):
            return float(self.law.delta(epsilon))

    def dots(step, losses, deltas):
        profile = composition.Profile(
            lambda e: np.interp(e, losses * step, deltas),
            lambda e: np.exp(e) * (np.interp(-e, losses * step, deltas) + np.expm1(-e)),
        )
        masses, endless = composition.dot_masses(profile, losses, step)
        return Masses(composition.LossMasses(float(losses[0] * step), step, masses, endless))

    def plain(masses, step, endless, pessimistic):
        lowest = min(masses)
        return Masses(
            composition.LossMasses(lowest * step, step, np.array([masses[k] for k in sorted(masses)]), endless)
        )

    module = SimpleNamespace(create_pmf_pessimistic_connect_dots=dots, create_pmf=plain)
    monkeypatch.setattr(composition, "dp_accounting_masses", lambda: module)
    profile = composition.gaussian_profile(PAIR)
    truth = oracle.certified_hockey_stick(PAIR, Fraction(1, 2), 20)
    by_default, above, below = (
        float(composition.composed_bound(profile, 1, 0.5, step=0.05, **side))
        for side in ({}, {"side": "pessimistic"}, {"side": "optimistic"})
    )
    assert Fraction(below) <= truth.lower and truth.upper <= Fraction(above) and by_default == above


def test_a_composed_delta_is_moved_by_what_its_sums_may_lose(monkeypatch):
    """1e-11 for this package's sums; those of the library were seen 3.2e-11 away from them."""
    for found in (0.25 - 0.99e-11, 0.25 + 0.99e-11):
        assert composition._moved(np.array(found), "optimistic", promise("composed masses")) <= 0.25
        assert composition._moved(np.array(found), "pessimistic", promise("composed masses")) >= 0.25
    dense = SimpleNamespace(get_delta_for_epsilon=lambda epsilon: 0.25)
    masses = SimpleNamespace(to_dense_pmf=lambda: dense)
    module = SimpleNamespace(create_pmf_pessimistic_connect_dots=lambda *_: masses, create_pmf=lambda *_: masses)
    monkeypatch.setattr(composition, "dp_accounting_masses", lambda: module)
    below, above = (
        float(composition.composed_bound(composition.gaussian_profile(PAIR), 1, 0.5, step=0.1, side=side))
        for side in ("optimistic", "pessimistic")
    )
    assert below <= 0.25 - 3.2e-11 and above >= 0.25 + 3.2e-11


@pytest.mark.parametrize("loss", [20, 300, 700])
def test_a_loss_that_rounding_takes_to_a_multiple_of_the_step_is_still_rounded_up(loss):
    with mpmath.workdps(40):
        least = float(mpmath.mpf("0.5") * mpmath.exp(-loss))
        while mpmath.log(mpmath.mpf("0.5") / mpmath.mpf(least)) <= loss:
            least = np.nextafter(least, 0)
    p, q = np.array([0.5, 0.5]), np.array([least, 1.0])
    # The true divergence at epsilon = loss is positive.
    assert composition._one_order(p, q, 1, np.array([float(loss)]), 1.0)[0] > 0


@pytest.mark.parametrize("step", [0.3, 0.7, 1e-3])
def test_a_grid_of_losses_ends_where_no_more_than_the_tail_is_left(step):
    for edge in (1.0, 1.25, 1.1):
        end = composition._end(lambda e, edge=edge: np.where(e >= edge, 0.0, 1.0), step, 1e-16)
        assert end * step >= edge


def wide_step(above, below):
    """Two stand-ins for the laws of both orders, on either side."""
    laws = [
        (SimpleNamespace(delta=lambda epsilon, curve=curve: curve(np.asarray(epsilon)), highest=20.0),) * 2
        for curve in (above, below)
    ]
    return ComposedStep(0.1, 1.0, 1, *laws)


def test_both_sides_of_a_step_hold_when_its_sums_err_by_what_is_kept_for_them():
    for sign in (1, -1):
        found = wide_step(*(lambda e, sign=sign: np.exp(-e) / 2 + sign * 0.99e-10,) * 2)
        for epsilon in (0.0, 1.0, 5.0):
            truth = np.exp(-np.asarray(epsilon)) / 2
            assert found.lower(epsilon) < truth < found.upper(epsilon)


def test_an_epsilon_meets_its_delta_by_the_upper_limit():
    for above in (lambda e: np.exp(-e), lambda e: 0.5 + 0 * e, lambda e: np.where(e < 7, 0.9, 1e-4)):
        found = wide_step(above, lambda e: 0 * e)
        for delta in (0.3, 1e-3):
            epsilon = found.epsilon(delta)
            assert epsilon == np.inf or found.upper(epsilon) <= delta


# Searches


def test_a_credible_mu_leaves_no_more_than_the_failure_inside():
    counts = (3, 100, 5, 100)
    for failure in (0.05, 0.3):
        mu = credible_region.credible_gdp(*counts, failure)
        inside, _ = credible_region.credible_mass(partial(credible_region.gaussian_trade_off, mu=mu), *counts)
        assert mu > 0 and inside <= failure


def test_a_mu_that_no_search_reaches_is_one_that_was_looked_at(monkeypatch):
    looked = []
    monkeypatch.setattr(credible_region, "gaussian_trade_off", lambda a, mu: looked.append(mu) or a)
    monkeypatch.setattr(credible_region, "credible_mass", lambda curve, *counts: (curve(0.0), 1.0))
    assert credible_region.credible_gdp(3, 100, 5, 100, 0.05) in looked


def test_points_beyond_the_largest_value_are_beyond_it():
    for values in (np.ones(20), np.zeros(3), np.array([-5e-324] * 10), np.arange(20.0)):
        assert (candidate_sets._beyond(values) > values[-1]).all()


def test_groups_of_bins_end_at_their_shares():
    """16 equal bins in 8 groups: neighbours two by two, although their shares are exact multiples."""
    of_p = np.repeat([1, 9, 3, 7, 2, 8, 4, 6], 2)
    p, q = (np.repeat(np.arange(16.0), counts) for counts in (of_p, 10 - of_p))
    orders = candidate_sets.bin_orders(np.arange(15.0) + 0.5, p, q)
    groups = orders[3].reshape(8, 2)
    assert (groups // 2 == groups[:, :1] // 2).all() and (of_p[groups[:, 0]] == np.sort(of_p[::2])[::-1]).all()


def test_bins_of_the_learned_width_reach_every_score():
    for high in (10.3, 7.9):
        one = SimpleNamespace(
            smallest=0.0, largest=high, std=1.0, learning=np.linspace(0, high, 50), size=lambda part: 50
        )
        edges, _ = histogram._edges(SimpleNamespace(surveys=(one, one)), "width")
        width = edges[1] - edges[0]
        assert edges[0] <= width * (1 + 1e-12) and high - edges[-1] <= width * (1 + 1e-12)


# What is said of an event is what was counted


def test_sizes_of_ratios_are_rounded_down_as_their_words_say():
    pairs = np.array([[3, 5], [1, 1], [4, 7], [1023, 1025], [0, 0]])
    whole, sizes, _ = bit_features._ratio_features("x", lambda rows: (rows[:, 0], rows[:, 1]))
    (found,) = whole.codes(pairs)
    for (a, b), code in zip(pairs.tolist(), found.tolist(), strict=True):
        assert code == -1 if a == 0 else 2**code <= a * b < 2 ** (code + 1)
    for column, codes in zip(pairs.T.tolist(), sizes.codes(pairs), strict=True):
        for v, code in zip(column, codes.tolist(), strict=True):
            assert code == -1 if v == 0 else 2**code <= v * v < 2 ** (code + 1)


def test_evidence_is_rounded_down_as_its_words_say():
    """One coordinate, two sizes: 1 is drawn three times as often under P, 2 under Q."""
    learning = (np.array([[1.0]] * 30 + [[2.0]] * 10), np.array([[1.0]] * 10 + [[2.0]] * 30))
    evidence = bits._evidence(learning, False)
    (codes,) = evidence.codes(np.array([[1.0], [2.0], [64.0]]))
    ratio = math.log(30.5 / 10.5)
    assert codes.tolist() == [math.floor(4 * ratio), math.floor(-4 * ratio), 0]


def test_hexadecimal_floats_are_read():
    assert exact_float("0x1.8p1") == exact_float("0X1.8P1") == exact_float("3") == 3.0


def _kinds(parser):
    commands_audit.add_arguments(parser)
    return next(action for action in parser._actions if isinstance(action, argparse._SubParsersAction))


def test_descriptions_of_the_audits_are_sentences():
    chosen = _kinds(argparse.ArgumentParser()).choices
    assert chosen and all(one.description[0].isupper() and one.description.endswith(".") for one in chosen.values())


def test_the_first_step_of_adam_is_its_formula():
    settings = SimpleNamespace(optimizer="adam", learning_rate=1.0)
    for slope in (1e-8, 3e-8, 1.0):
        moved = dp_sgd._Moving(np.zeros(1)).moved(settings, np.array([slope])).parameters[0]
        assert moved == pytest.approx(-slope / (slope + 1e-8), rel=1e-12)
