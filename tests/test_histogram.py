"""Exact laws of small histograms, by hand and against each other."""

from __future__ import annotations

from fractions import Fraction

import pytest

from ndis_verify.claims.histogram import binned_interval
from ndis_verify.exact_number import InputError
from ndis_verify.oracle import histogram


def test_two_draws_of_a_coin():
    half = [Fraction(1, 2)] * 2
    assert histogram.tv_error_tail(half, 2, Fraction(1, 4)) == Fraction(1, 2)
    assert histogram.tv_error_tail(half, 2, Fraction(1, 2)) == 0
    assert histogram.two_bin_distance_law(Fraction(1, 2), Fraction(1, 2), 1) == {
        Fraction(0): Fraction(1, 2),
        Fraction(1): Fraction(1, 2),
    }
    assert histogram.mean_distance_of_equal_laws(half, 1) == Fraction(1, 2)


def test_two_bins_both_ways():
    p = Fraction(1, 3)
    law = histogram.two_bin_distance_law(p, p, 5)
    assert sum(law.values()) == 1
    assert sum(value * chance for value, chance in law.items()) == histogram.mean_distance_of_equal_laws([p, 1 - p], 5)


def test_merging_points_of_a_multinomial():
    law = [Fraction(1, 2), Fraction(1, 3), Fraction(1, 6)]
    rare = histogram.multinomial_tail(law, 6, lambda counts: counts[0] >= 4)
    assert rare == histogram.multinomial_tail([law[0], law[1] + law[2]], 6, lambda counts: counts[0] >= 4)
    assert histogram.multinomial_tail(law, 4, lambda counts: True) == 1


@pytest.mark.parametrize(
    ("call", "argument"),
    [
        (lambda: histogram.tv_error_tail(["0.5", "0.4"], 3, "0.1"), "law"),
        (lambda: histogram.tv_error_tail(["1"], 3, "0.1"), "law"),
        (lambda: histogram.tv_error_tail(["0.5", "0.5"], 0, "0.1"), "n"),
        (lambda: histogram.tv_error_tail([Fraction(1, 40)] * 40, 40, "0.1"), "n"),
        (lambda: histogram.two_bin_distance_law("1.5", "0.5", 3), "p"),
    ],
)
def test_bad_input_is_named(call, argument):
    with pytest.raises(InputError, match=f"^{argument} "):
        call()


def test_the_probability_of_a_table_of_outcomes_is_a_count():
    """Two bins, two draws each: both samples (1, 1), (1/2)^2; two bins that share (2, 0) and (0, 2), 2 (1/4)^2."""
    assert float(binned_interval._log_probability({(1, 1): 2}, 2, 2).exp()) == pytest.approx(1 / 4)
    assert float(binned_interval._log_probability({(2, 0): 1, (0, 2): 1}, 2, 2).exp()) == pytest.approx(1 / 8)
    with pytest.raises(InputError, match="share out"):
        binned_interval._log_probability({(1, 1): 1}, 2, 2)
