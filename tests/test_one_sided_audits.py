"""Limits of the audits on their safe side of exact probabilities and certified divergences, with no tolerance."""

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from flint import arb, ctx, fmpq
from test_one_sided import DIGITS, PAIRS, inner, one_sided, oracle_trade_off

from ndis_verify import fast, oracle
from ndis_verify.audit import composition, white_box
from ndis_verify.audit.bits import BitEvent
from ndis_verify.audit.composition import SIDES, gaussian_profile, grid_composition, histogram_composition
from ndis_verify.audit.gdp_parameter import largest_mu
from ndis_verify.audit.limits import clopper_pearson_lower, clopper_pearson_upper, dkw_radius, tv_radius
from ndis_verify.audit.operating_points import OperatingPoints
from ndis_verify.audit.subsampled_gaussian import composed_step, step_delta
from ndis_verify.gaussian_pair import GaussianPair
from ndis_verify.oracle.engine.decreasing_root import scaled


def tail(count, n, p):
    """Pr[Bin(n, p) >= count], exactly."""
    return sum((math.comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(count, n + 1)), Fraction(0))


def test_limits_of_probabilities_fail_no_more_often_than_stated():
    for n in (1, 7, 60):
        for count in (0, 1, n // 2, n - 1, n):
            for failure in (0.3, 0.025, 1e-9):
                low = Fraction(float(clopper_pearson_lower(count, n, failure)))
                high = Fraction(float(clopper_pearson_upper(count, n, failure)))
                assert tail(count, n, low) <= Fraction(failure) if low else count == 0
                assert high == 1 or (count < n and 1 - tail(count + 1, n, high) <= Fraction(failure))


def test_radii_are_not_below_their_formulas():
    before, ctx.prec = ctx.prec, 200
    try:
        for n, failure in ((10, 0.05), (977, 1e-3), (10**6, 1e-12)):
            share = arb(fmpq(*Fraction(failure).as_integer_ratio()))
            assert ((2 / share).log() / (2 * n)).sqrt() <= arb(dkw_radius(n, failure))
            for bins in (2, 37):
                exact = (arb(bins) / n).sqrt() / 2 + ((1 / share).log() / (2 * n)).sqrt()
                assert exact <= arb(tv_radius(n, bins, failure))
    finally:
        ctx.prec = before


def test_limits_from_the_best_set_are_not_above_the_divergence():
    """The masses of {loss > epsilon} to the last place on their safe side: the limit is the divergence but for
    rounding.
    """
    for epsilon in (0.0, 0.7, 2.0):
        for shift in (0.5, 2.0):
            with mpmath.workdps(40):
                cut = mpmath.mpf(epsilon) / shift + mpmath.mpf(shift) / 2
                p, q = mpmath.erfc((cut - shift) / mpmath.sqrt(2)) / 2, mpmath.erfc(cut / mpmath.sqrt(2)) / 2
            power, level = np.nextafter(float(p), 0), np.nextafter(float(q), 1)
            points = OperatingPoints.of([power], [level], [True], 0.95, "guaranteed")
            truth = oracle.certified_gaussian_hockey_stick(shift, 1, epsilon, digits=DIGITS)
            event = BitEvent("family", "the loss is above epsilon", "P", (0, 0), power, level)
            for limit in (points.delta(epsilon), event.delta(epsilon)):
                assert Fraction(float(limit)) <= truth.lower
            delta = float(truth.lower)
            pair = GaussianPair([shift], 1, [0], 1)
            if epsilon:
                largest = oracle.certified_epsilon_for_delta(pair, delta, DIGITS)
                for limit in (points.epsilon(delta), event.epsilon(delta)):
                    assert Fraction(float(limit)) <= largest.lower
            assert Fraction(float(points.trade_off(level))) >= oracle_trade_off(level, shift).upper


@pytest.mark.parametrize("copies", [1, 3])
@pytest.mark.parametrize("pair", PAIRS, ids=range(len(PAIRS)))
def test_limits_of_the_engine_hold_the_certified_value(pair, copies):
    for epsilon in (Fraction(0), Fraction(1, 3), Fraction(5, 2), Fraction(30)):
        low, high = white_box.engine_limits(pair, copies, epsilon)
        truth = oracle.certified_composed_hockey_stick(pair, copies, epsilon, DIGITS)
        assert Fraction(low) <= truth.lower and truth.upper <= Fraction(high)


def test_limits_from_two_calls_hold_the_certified_value():
    for signs in ((1, 1), (1, -1), (-1, 1), (-1, -1)):
        for pair in PAIRS[:2]:
            error, calls = 1e-6, iter(signs)
            limits = white_box.two_call_limits(lambda law, t: float(law.cdf(t)) + next(calls) * error, error)
            low, high = limits(pair, 1, Fraction(1, 2))
            truth = oracle.certified_hockey_stick(pair, Fraction(1, 2), 20)
            assert Fraction(low) <= truth.lower and truth.upper <= Fraction(high)


def test_the_distance_of_an_estimate_is_raised_by_the_error_of_the_engine(monkeypatch):
    distances = []

    def seen(*arguments):
        distances[:] = sorted(fast.hockey_stick(*arguments))
        return np.array(distances)

    monkeypatch.setattr(white_box, "hockey_stick", seen)
    found = white_box._distance_quantile(50, 1, 1, 0.1, np.random.default_rng(1))
    assert len(distances) == 99 and found > distances[-10] * (1 + 1e-11)  # rank 10 of 99: wrong with probability 10/100


@pytest.mark.parametrize("copies", [1, 5])
def test_both_sides_of_a_composition_hold_the_certified_value(copies):
    bounds = (grid_composition, composition.composed_bound)
    for pair in (PAIRS[1], PAIRS[2]):
        profile = gaussian_profile(pair)
        for epsilon in (0.0, 1.0, 4.0):
            truth = oracle.certified_composed_hockey_stick(pair, copies, epsilon, 20)
            for bound in bounds:
                try:
                    below, above = (
                        float(bound(profile, copies, epsilon, step=0.01, side=side)) for side in SIDES[::-1]
                    )
                except ModuleNotFoundError:  # dp-accounting is an extra
                    continue
                assert Fraction(below) <= truth.lower and truth.upper <= Fraction(above)


def test_both_sides_of_many_steps_hold_the_certified_value():
    for noise, steps in ((2.0, 1), (5.0, 10)):
        found, pair = composed_step(1.0, noise, steps), GaussianPair([1 / Fraction(noise)], 1, [0], 1)
        for epsilon in (0.0, 0.5, 2.0):
            truth = oracle.certified_composed_hockey_stick(pair, steps, epsilon, 20)
            assert Fraction(float(found.lower(epsilon))) <= truth.lower
            assert truth.upper <= Fraction(float(found.upper(epsilon)))
        delta = 1e-4
        assert oracle.certified_composed_hockey_stick(pair, steps, found.epsilon(delta), 20).upper <= Fraction(delta)


@pytest.mark.parametrize(("rate", "noise"), [(0.1, 0.8), (0.5, 2.0), (0.9, 1.0)])
def test_both_sides_of_one_sampled_step_hold_the_certified_value(rate, noise):
    found = composed_step(rate, noise, 1)
    for epsilon in (0.0, 0.3, 1.5):
        at = inner(epsilon, rate)
        value = oracle.certified_gaussian_hockey_stick(1, noise, max(at[0], Fraction(0)), digits=DIGITS)
        removed = scaled(value, Fraction(rate), DIGITS)  # the added order is the smaller for these
        assert Fraction(float(found.lower(epsilon))) <= removed.upper <= Fraction(float(found.upper(epsilon)))
        assert float(step_delta(rate, noise, epsilon)) == pytest.approx(float(removed.mid), rel=1e-12)


@pytest.mark.parametrize("excess", [5e-8, 2e-10, 0.0])
@pytest.mark.parametrize("step", [0.5, 1e-3])
def test_losses_next_to_a_multiple_of_the_step_are_rounded_up(step, excess):
    """Two bins, the loss of the first a little above a multiple: rounded down to it, the divergence is too small."""
    q = np.array([0.5 * math.exp(-step * (1 + excess)), 0.0])
    p = np.array([0.5, 0.5])
    q[1] = 1 - q[0]
    for epsilon in (0.0, step / 3):
        with mpmath.workdps(40):
            masses = [(mpmath.mpf(float(a)), mpmath.mpf(float(b))) for a, b in zip(p, q, strict=True)]
            exact = sum(max(a - mpmath.exp(epsilon) * b, 0) for a, b in masses)
            assert exact <= mpmath.mpf(float(composition._one_order(p, q, 1, np.array([epsilon]), step)[0]))


def test_two_histograms_cost_no_less_than_their_product():
    p, q = np.array([5, 3, 2, 1.0]), np.array([1, 2, 4, 4.0])
    for epsilon in (0.0, 0.5, 1.5):
        with mpmath.workdps(40):
            first, second = ([mpmath.mpf(float(x)) / 11 for x in counts] for counts in (p, q))
            exact = [
                sum(max(a * b - mpmath.exp(epsilon) * c * d, 0) for a, c in zip(*order) for b, d in zip(*order))
                for order in ((first, second), (second, first))
            ]
            assert max(exact) <= mpmath.mpf(float(histogram_composition(p, q, 2, epsilon, step=1e-3)))


def test_the_largest_mu_meets_its_target():
    for epsilon, delta in ((0.0, 0.1), (1.0, 1e-5), (8.0, 1e-20)):
        truth = oracle.certified_gaussian_hockey_stick(largest_mu(epsilon, delta), 1, epsilon, digits=DIGITS)
        assert truth.upper <= Fraction(delta)


ELSEWHERE = {  # why no entry above
    "audit.bits.BitAudit.curve": "passes OperatingPoints on",
    "audit.bits.BitAudit.delta": "passes OperatingPoints on",
    "audit.bits.BitAudit.epsilon": "passes OperatingPoints on",
    "audit.bits.BitEvent": "its methods above",
    "audit.bits.audit_bits": "the limits of probabilities above, for every chosen event",
    "audit.candidate_sets.ChosenSet": "a set, which learned sets are bounded by: test_audit_limits",
    "audit.gdp_parameter.GaussianCurve": "what a mu means; the mu of a set comes from its limits",
    "audit.histogram.audit_scores": "the methods of set_limits",
    "audit.operating_points.OperatingPoints": "its methods above",
    "audit.set_limits.Learned.bounded": "the limits of probabilities above, for every chosen set",
    "audit.set_limits.ScoreAudit.delta": "passes OperatingPoints on",
    "audit.set_limits.ScoreAudit.epsilon": "passes OperatingPoints on",
    "audit.set_limits.ScoreAudit.trade_off": "passes OperatingPoints on",
    "audit.study.Power": "a figure of the study of the auditors: test_audit_study",
    "audit.study.Validity": "the same",
    "audit.study.power_table": "the same",
    "audit.study.run_block": "the same",
    "audit.subsampled_gaussian.accountant_epsilon": "a peer's number, passed on",
    "audit.threshold_attack.gdp": "from the limits of probabilities above",
    "audit.tv_inference.infer_std": "from the limits of probabilities above: its coverage is in test_tv_inference",
    "audit.white_box.WhiteBoxAudit": "holds the limits above",
    "audit.white_box.WhiteBoxAudit.margin": "a difference of exact numbers",
    "audit.white_box.audit_gaussian": "the larger of the limits above",
    "audit.white_box.estimated_limits": "the distance above, its coverage in test_audit_white_box",
    "audit.white_box.witness_set": "any set proves a limit",
}
HERE = {
    "audit.bits.BitEvent.delta",
    "audit.bits.BitEvent.epsilon",
    "audit.composition.composed_bound",
    "audit.composition.histogram_composition",
    "audit.gdp_parameter.largest_mu",
    "audit.limits.clopper_pearson_lower",
    "audit.limits.clopper_pearson_upper",
    "audit.limits.dkw_radius",
    "audit.limits.tv_radius",
    "audit.loss_masses.LossMasses",
    "audit.operating_points.OperatingPoints.delta",
    "audit.operating_points.OperatingPoints.epsilon",
    "audit.operating_points.OperatingPoints.trade_off",
    "audit.subsampled_gaussian.ComposedStep",
    "audit.subsampled_gaussian.ComposedStep.epsilon",
    "audit.subsampled_gaussian.ComposedStep.lower",
    "audit.subsampled_gaussian.ComposedStep.upper",
    "audit.white_box.engine_limits",
    "audit.white_box.two_call_limits",
}


def test_everything_one_sided_is_surveyed():
    assert one_sided("audit") == HERE | set(ELSEWHERE)
