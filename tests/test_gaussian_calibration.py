"""Certified calibrations of the Gaussian mechanism, denoising risks, and checks made from single numbers."""

import itertools
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.stats import norm

from ndis_verify import InputError
from ndis_verify.claim import Kind, Outcome
from ndis_verify.court.certified_numbers import at, decimals_check, in_balls, sign_check, smallest
from ndis_verify.enclosure import Enclosure
from ndis_verify.fast import gaussian_std
from ndis_verify.oracle import certified_gaussian_hockey_stick
from ndis_verify.oracle.certified.denoising import james_stein_risk, soft_threshold_risk
from ndis_verify.oracle.certified.gaussian_calibration import analytic_std
from ndis_verify.oracle.certified.gaussian_mechanism import classical_delta, classical_std, noise_floor

epsilons = st.integers(-60, 15).map(lambda n: Fraction(10) ** (n // 10) * (1 + Fraction(n % 10)))
deltas = st.one_of(
    st.integers(1, 99).map(lambda n: Fraction(n, 100)), st.integers(2, 60).map(lambda n: Fraction(1, 10**n))
)


@settings(max_examples=30)
@given(epsilons, deltas)
def test_analytic_std_is_the_smallest_valid_one(epsilon, delta):
    std, step = analytic_std(3, epsilon=epsilon, delta=delta, digits=20), Fraction(1, 10**15)
    assert std.relative_radius <= mpmath.mpf(10) ** -20
    above = certified_gaussian_hockey_stick(3, std.upper * (1 + step), epsilon, digits=35)
    below = certified_gaussian_hockey_stick(3, std.lower * (1 - step), epsilon, digits=35)
    assert above.upper <= delta < below.lower


def test_analytic_std_holds_where_delta_is_nearly_one():
    std = analytic_std(1, epsilon="1e-5", delta=Fraction(10**12 - 1, 10**12), digits=20)
    assert certified_gaussian_hockey_stick(1, std.upper * Fraction(1001, 1000), "1e-5", 30).upper < Fraction(
        10**12 - 1, 10**12
    )


def test_analytic_std_meets_its_branch_point_from_both_sides():
    edge = Fraction("0.286208211922")
    low, high = (analytic_std(1, epsilon=1, delta=edge + side * Fraction(1, 10**12), digits=15) for side in (1, -1))
    middle = 1 / mpmath.sqrt(2)
    assert low.upper < Fraction("0.70710678119") and high.lower > Fraction("0.70710678118")
    assert abs(low.mid - middle) < 1e-11 > abs(high.mid - middle)


@settings(max_examples=20)
@given(epsilons, deltas)
def test_classical_delta_is_the_divergence_at_the_classical_std(epsilon, delta):
    std = classical_std(1, epsilon=epsilon, delta=delta, digits=30)
    reached = classical_delta(epsilon=epsilon, delta=delta, digits=12)
    ends = [certified_gaussian_hockey_stick(1, side, epsilon, digits=15) for side in (std.upper, std.lower)]
    slack = 1 + Fraction(1, 10**11)
    assert ends[0].lower <= reached.upper * slack and reached.lower <= ends[1].upper * slack


@settings(max_examples=20)
@given(epsilons)
def test_the_classical_std_is_safe_below_one_and_the_floor_is_below_a_half(epsilon):
    if epsilon < 1:
        assert all(
            classical_delta(epsilon=epsilon, delta=delta, digits=10).upper < Fraction(delta)
            for delta in ("0.9", "0.01", "1e-30")
        )
    floor = noise_floor(epsilon, 10)
    assert floor.lower > 0 and floor.upper < Fraction(1, 2)


def test_the_float_engine_stays_on_the_safe_side_of_the_algorithm():
    for epsilon, delta in ((1.0, 1e-5), (1e-6, 0.5), (30.0, 1e-20), (0.5, 0.2)):
        exact_std = analytic_std(1, epsilon=epsilon, delta=delta, digits=20)
        std = Fraction(float(gaussian_std(1.0, epsilon=epsilon, delta=delta)))
        assert exact_std.upper <= std <= exact_std.upper * (1 + Fraction(1, 10**8))


@pytest.mark.parametrize(
    "call",
    [
        lambda: analytic_std(1, epsilon=0, delta="0.1"),
        lambda: analytic_std(0, epsilon=1, delta="0.1"),
        lambda: analytic_std(1, epsilon=1, delta=1),
        lambda: classical_std(1, epsilon=0, delta="0.1"),
        lambda: classical_delta(epsilon=-1, delta="0.1"),
        lambda: noise_floor(0),
        lambda: james_stein_risk(2, 1, 1),
        lambda: james_stein_risk(3, -1, 1),
        lambda: james_stein_risk(3, 1, 0),
        lambda: soft_threshold_risk(0, -1),
        lambda: james_stein_risk(True, 1, 1),
    ],
)
def test_bad_input_is_refused(call):
    with pytest.raises(InputError):
        call()


@given(
    st.integers(3, 60),
    st.integers(0, 60).map(lambda n: Fraction(n, 4)),
    st.integers(1, 12).map(lambda n: Fraction(n, 3)),
)
def test_james_stein_beats_the_release_and_scales(d, size, std):
    risk = james_stein_risk(d, size, std, digits=20)
    assert risk.upper < d * std**2 and risk.lower >= 2 * std**2 * (1 - Fraction(1, 10**15))
    square = (size / std) ** 2
    jensen = std**2 * (d - Fraction(d - 2) ** 2 / (d - 2 + square))  # E[1/(d-2+2K)] >= 1/(d-2+E[2K])
    assert risk.lower <= jensen * (1 + Fraction(1, 10**15))
    unit = james_stein_risk(d, size / std, 1, digits=20)
    assert Enclosure(unit.mid, unit.rad, "bound").lower * std**2 <= risk.upper


def test_james_stein_risk_against_simulation():
    rng = np.random.default_rng(7)
    d, theta = 6, np.array([1.5, 0, 0, -0.5, 0, 1.0])
    y = theta + rng.standard_normal((200_000, d))
    loss = (((1 - (d - 2) / (y**2).sum(1))[:, None] * y - theta) ** 2).sum(1)
    exact = float(james_stein_risk(d, float(np.linalg.norm(theta)), 1, 15).mid)
    assert abs(loss.mean() - exact) < 5 * loss.std() / np.sqrt(loss.size)


@settings(max_examples=25)
@given(st.integers(0, 40).map(lambda n: n / 8), st.integers(0, 24).map(lambda n: n / 8))
def test_soft_threshold_risk_against_its_definition(mean, threshold):
    def loss(y):
        return (np.sign(y) * max(abs(y) - threshold, 0) - mean) ** 2 * norm.pdf(y - mean)

    edges = sorted({-40.0, -threshold, threshold, mean, 40.0})
    value = sum(quad(loss, a, b, epsabs=1e-13, limit=200)[0] for a, b in itertools.pairwise(edges))
    assert float(soft_threshold_risk(mean, threshold, 15).mid) == pytest.approx(value, rel=1e-8)
    assert soft_threshold_risk(-mean, threshold, 15).overlaps(soft_threshold_risk(mean, threshold, 15))


def test_a_wrong_decimal_and_a_wrong_sign_are_found():
    table = (((1, "1e-5"), "4.844805"),)
    value = lambda epsilon, delta: classical_std(1, epsilon=epsilon, delta=delta, digits=15)
    good = decimals_check(
        "right",
        value,
        table,
        {"doubled": lambda epsilon, delta: classical_std(2, epsilon=epsilon, delta=delta, digits=15)},
    )
    assert good.kind is Kind.ENCLOSURE and good.run("quick").outcome is Outcome.HELD
    assert all(mutant("quick").outcome is Outcome.FAILED for mutant in good.mutants.values())
    assert decimals_check("off", value, (((1, "1e-5"), "4.844806"),), {}).run("quick").outcome is Outcome.FAILED
    agreement = lambda epsilon, delta: Enclosure(value(epsilon, delta).mid, mpmath.mpf(0), "agreement")
    assert decimals_check("not certified", agreement, table, {}).run("quick").outcome is Outcome.FAILED
    assert (
        sign_check("sign", lambda x: x - 2, ((at(x=3), 1), (at(x="1.5"), -1)), {}).run("quick").outcome is Outcome.HELD
    )
    assert sign_check("sign", lambda x: x - 2, ((at(x=3), -1),), {}).run("quick").outcome is Outcome.FAILED


def test_the_smallest_of_margins_is_negative_where_one_is():
    least = in_balls(lambda x: smallest(x, x - 2, 5 - x))
    assert [least(at(x=x)).sign() for x in (3, 1, 6)] == [1, -1, -1]
