"""The worst record of private least squares below a cap: the edge, the bounds on a box, the certified supremum, the cap."""

from fractions import Fraction

import numpy as np
import pytest

from ndis_verify import fast, oracle
from ndis_verify.exact_number import InputError
from ndis_verify.oracle.certified.als_edge import Peak, cover, interval
from ndis_verify.oracle.certified.als_worst_case import gaussian_edge, student_edge

DIRECTIONS = ("delete", "insert")
CURVES = {"normal": (fast.als_hockey_stick, gaussian_edge), "student": (fast.als_exact_hockey_stick, student_edge)}
ASYMPTOTIC = [("0.1", 2, 100, 1), ("0.05", 10, 1000, 1), ("0.5", 1, 1, "0.5"), ("0.02", 50, 100, 1)]
FINITE = [("0.1", 2, 100, 1), ("0.1", 2, 101, 1), ("0.5", 2, 2, "0.3"), ("0.9", 1, 3, "0.2")]


@pytest.mark.parametrize("law", CURVES)
def test_the_bound_of_a_box_is_above_every_record_in_it(law):
    curve, edge_at = CURVES[law]
    rng = np.random.default_rng(81)
    for _ in range(60):
        d = int(rng.integers(1, 6))
        r, cap = d + int(rng.integers(0, 60)), round(float(rng.uniform(0.01, 0.9)), 3)
        edge = edge_at(cap, d, r, round(float(rng.exponential(0.5)), 2), 6)
        direction = str(rng.choice(DIRECTIONS))
        low, high = sorted(Fraction(int(i), 64) * edge.cap for i in rng.choice(65, 2, replace=False))
        bound = edge.bound(low, high, direction)
        p = np.append(np.linspace(float(low), float(high), 9)[:-1], min(float(high), cap))
        assert float(bound) >= (1 - 1e-9) * curve(p, cap, d, r, float(edge.epsilon), direction).max()


@pytest.mark.parametrize("law", CURVES)
def test_the_bound_of_a_short_box_is_close(law):
    edge = CURVES[law][1]("0.1", 2, 100, 1, 8)
    low = Fraction("0.04")
    for direction in DIRECTIONS:
        assert edge.bound(low, low + Fraction(1, 10**6), direction) < edge.value(low, direction).upper * Fraction(10001, 10000)
