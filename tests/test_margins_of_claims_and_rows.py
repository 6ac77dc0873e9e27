"""Ends of domains, enclosures of checks and rows at a boundary: nothing is rounded to the wrong side."""

import itertools
import math
from fractions import Fraction
from types import SimpleNamespace

import mpmath
import numpy as np
import pytest

from ndis_verify.claim import Outcome
from ndis_verify.claims.denoising import road_graph
from ndis_verify.claims.joint_shift import logistic
from ndis_verify.claims.random_projection import mechanism_checks
from ndis_verify.court.domain import _inside
from ndis_verify.enclosure import Enclosure
from ndis_verify.mechanisms.graph_denoising import Graph
from ndis_verify.reference.families import all_rows, pair_calibrations
from ndis_verify.reference.rows import around


def wide(mid, rad):
    return Enclosure(mpmath.mpf(mid), mpmath.mpf(rad), "bound")


@pytest.mark.parametrize("low, high", [*itertools.product((Fraction(1, 10), Fraction(1, 3), Fraction(1, 2)), repeat=2)])
def test_a_range_is_searched_to_its_outermost_floats_and_no_further(low, high):
    high += 2
    first, last = _inside(low, high)
    assert low <= Fraction(first) and Fraction(last) <= high
    assert Fraction(math.nextafter(first, -math.inf)) < low and high < Fraction(math.nextafter(last, math.inf))


def test_a_range_between_two_floats_has_its_rounded_ends():
    low, high = Fraction(1, 3) + Fraction(1, 2**60), Fraction(1, 3) + Fraction(1, 2**59)
    assert _inside(low, high) == (float(low), float(high)) and Fraction(float(low)) < low


def test_the_slack_of_a_ridge_is_all_that_wide_values_leave(monkeypatch):
    """delta - worst, or 1/p* - ridge, whichever is smaller: for the ends and the middle of both, and of each alone."""
    point = {"r": 1, "epsilon": "1", "delta": Fraction(1, 2), "ridge": Fraction(3)}
    for worst, p in (
        ((0.3, 0.1), (0.25, 0.125)),
        ((0.3, 0.1), (0.01, 1e-30)),
        ((-9.0, 1e-30), (0.3, 0.0625)),
        ((0.3, 1e-30), (0.2, 1e-30)),
    ):
        monkeypatch.setattr(mechanism_checks, "_value", lambda *arguments, worst=worst: wide(*worst))
        monkeypatch.setattr(mechanism_checks, "certified_rp_leverage", lambda *arguments, p=p, **target: wide(*p))
        found = mechanism_checks.slack(point)
        for first, second in itertools.product((-1, 0, 1), repeat=2):
            value, leverage = (
                Fraction(mid) + side * Fraction(rad) for (mid, rad), side in ((worst, first), (p, second))
            )
            assert found.contains(min(Fraction(1, 2) - value, 1 / leverage - 3))


def test_the_quantile_of_a_clamped_test_is_bracketed():
    """At the claim's own counterexample, and where the test is within epsilon."""
    clamped = {
        "d": 101,
        "r": 1,
        "copies": 2,
        "epsilon": Fraction(1, 10),
        "share": Fraction(1, 10),
        "tau": Fraction(1, 100),
    }
    assert mechanism_checks.clamped_excess(clamped).lower > 0
    assert mechanism_checks.clamped_excess({**clamped, "tau": 40}).upper < 0


@pytest.mark.parametrize("value", (0.0, 1.0, -3.7, 1e-300, 1e300))
def test_around_a_value_are_its_neighbours(value):
    below, at, above = around(value)
    assert below < at == value < above and math.nextafter(below, math.inf) == at == math.nextafter(above, -math.inf)
    if value > 0:
        assert around(value, 0.25) == (0.75 * value, value, 1.25 * value)


@pytest.mark.parametrize("upper", (Fraction(1, 3), Fraction(1, 3) + Fraction(1, 2**54), Fraction(2, 3), Fraction(1, 2)))
def test_a_delta_from_which_on_epsilon_is_0_is_never_below_the_total_variation(upper, monkeypatch):
    monkeypatch.setattr(
        pair_calibrations, "certified_hockey_stick", lambda *arguments, **options: SimpleNamespace(upper=upper)
    )
    rows = {row.position: Fraction(row.inputs["delta"]) for row in pair_calibrations._at_total_variation()}
    assert rows["below"] < upper <= rows["at"] < rows["above"] and rows["at"] - upper < Fraction(1, 2**53)


def test_rows_next_to_the_largest_loss_are_below_it():
    """1/4 in the mean and 1/2 in the variances: the losses end at 1/16 + (3/2) log 2."""
    with mpmath.workdps(40):
        end = mpmath.mpf(1) / 16 + mpmath.log(2) * 3 / 2
        rows = [row for row in all_rows()["log_hockey_stick"] if row.name.startswith("deep-edge-")]
        assert rows
        for number, row in enumerate(rows):
            apart = 1 - mpmath.mpf(row.inputs["epsilon"]) / end
            assert abs(apart * mpmath.mpf(2) ** (6 + 3 * number) - 1) < mpmath.mpf(2) ** (3 * number - 44) and apart > 0


@pytest.mark.parametrize("most, held", [("9e-6", True), ("1.1e-5", False)])
def test_noise_is_enough_only_where_no_pair_of_the_envelope_costs_more(most, held, monkeypatch):
    """The corner's divergence stays what it is; only the largest over the envelope is put in its place."""
    monkeypatch.setattr(logistic.certified, "largest", lambda *arguments: wide(most, "1e-9"))
    assert logistic._bracket("3.87", "3.88")("quick").outcome is (Outcome.HELD if held else Outcome.FAILED)


@pytest.mark.parametrize("off", [0.0, 3.0])
def test_the_error_of_trend_filtering_is_that_of_every_release(off, monkeypatch):
    """A fit that is the signal but for one entry, `off` deviations away; the solver's own error is none."""
    graph = Graph(3, np.array([[0, 1], [1, 2]]))
    truth, std = np.array([1.0, 5.0, 2.0]), 2.0
    monkeypatch.setattr(road_graph, "_releases", lambda name, count: (truth, [truth] * count, std))
    monkeypatch.setattr(road_graph.roads, "road_graph", lambda: graph)
    fitted = SimpleNamespace(values=truth + np.array([0.0, off * std, 0.0]), gap=0.0)
    monkeypatch.setattr(road_graph, "trend_filter", lambda *arguments, **options: fitted)
    found = road_graph._trend_error.__wrapped__("a name", 0, 1.0, 4)
    assert found == pytest.approx(off + 5.5 / 2)
