"""Caps of private least squares by the finite-r law: r - d odd to any digits, records at the end of the support, both against the float64 engine."""

from fractions import Fraction

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from ndis_verify import fast, oracle
from ndis_verify.mechanisms import sketched_least_squares
from ndis_verify.oracle.certified import als_exact_bend
from ndis_verify.oracle.certified.als_worst_case import student_edge

# the worst record of "delete" inside the range, of "insert", on either side of the threshold of T, k = r - d from 1 on
ODD = [(2, 5, "1", "1e-5"), (5, 10, "0.1", "1e-3"), (5, 6, "5", "1e-10"), (1, 4, "5", "1e-10")]
# the worst record where the support begins: it shrinks to a point as the target goes to pure privacy
AT_THE_EDGE = [(5, 7, "1e-6", "1e-30"), (1, 1, "1e-6", "1e-30"), (5, 6, "100", "1e-12"), (1, 3, "10", "1e-12")]


def nested(coarse, fine):
    return coarse.lower <= fine.lower <= fine.upper <= coarse.upper


@pytest.mark.parametrize("target", ODD + AT_THE_EDGE, ids=str)
def test_caps_are_nested_and_the_mechanism_is_safe(target):
    coarse, fine = (oracle.certified_als_exact_cap(*target, digits=digits) for digits in (15, 30))
    assert nested(coarse, fine) and fine.justified_digits() >= 30 and fine.basis == "bound"
    assert fine.lower > oracle.certified_als_exact_cap(*target[:3], 0, digits=30).upper
    d, r, epsilon, delta = target
    ridge = Fraction(sketched_least_squares(d, r, float(epsilon), float(delta), 1.0).ridge)
    need = 1 / Fraction(fine.lower) - 1
    assert need <= ridge
    assert ridge <= need * (1 + Fraction(1, 10**4)) or ridge <= Fraction(1001, 1000) / 2**30  # the least ridge that float64 looks at


@pytest.mark.parametrize("target", ODD[2:], ids=str)
def test_the_float64_supremum_below_an_odd_cap_is_the_target(target):
    """A dense grid of records at the cap, and a search around its highest: the delta asked for, and nowhere more."""
    d, r, epsilon, delta = target[0], target[1], float(target[2]), float(target[3])
    cap = float(oracle.certified_als_exact_cap(*target).mid)
    share = np.concatenate([[0.0], 1 / (1 + np.exp(-np.linspace(-14, 14, 141))), [1.0]])
    best = -np.inf
    for direction in ("delete", "insert"):
        def negative(s):
            return -float(fast.log_als_exact_hockey_stick(min(s * cap, cap), cap, d, r, epsilon, direction))

        height = fast.log_als_exact_hockey_stick(np.minimum(share * cap, cap), cap, d, r, epsilon, direction)
        i = int(np.argmax(height))
        around = share[max(i - 1, 0)], share[min(i + 1, share.size - 1)]
        found = minimize_scalar(negative, bounds=around, method="bounded", options={"xatol": 1e-9})
        best = max(best, height[i], -found.fun)
    assert best == pytest.approx(np.log(delta), abs=1e-8)


# d, r, epsilon, cap: x = xi on either side of 1 and across it, K bent (k = 1, d = 1: only continuous), shares of the interval's middle
BENDS = [(2, 5, "0.3", "0.3"), (1, 2, "0.5", "0.5"), (1, 2, "0", "0.1"), (5, 6, "0.2", "0.3"), (2, 3, "0", "0.1"), (5, 8, "1e-6", "1e-3")]


def excesses(case, share, direction):
    """By how much each divided difference of the first three orders exceeds its bound, relative to the bound: at most 0."""
    d, r, epsilon, cap = case
    edge = student_edge(cap, d, r, epsilon, 30)
    start, end = edge.support(direction)
    centre, half = start + Fraction(share) * (end - start), (end - start) / 250
    nodes = [centre + half * Fraction(k, 3) for k in (-3, -1, 1, 3)]
    table, found = [edge.value(p, direction) for p in nodes], []
    low, high = [value.lower for value in table], [value.upper for value in table]
    for order in (1, 2, 3):
        spread = nodes[order] - nodes[0]
        low, high = [(low[i + 1] - high[i]) / spread for i in range(4 - order)], [(high[i + 1] - low[i]) / spread for i in range(4 - order)]
        bound = edge.bend(nodes[0], nodes[3], direction, order, 25)
        assert bound.rest == 0
        size = max(max(a, -b) for a, b in zip(low, high))
        found.append(float((size - bound.coefficient) / max(size, bound.coefficient)) if size > 0 else 0.0)
    return found


@pytest.mark.parametrize("case", BENDS, ids=str)
def test_the_bend_of_odd_extra_rows_is_above_the_divided_differences(case):
    for direction in ("delete", "insert"):
        for share in ("0.01", "0.3", "0.5", "0.75", "0.9"):
            assert max(excesses(case, share, direction)) <= 0


def test_the_bend_across_the_kink():
    """k = d = 1, where the threshold tau(p) of T is p/q: the third derivative jumps there."""
    low, high, q = 0.0, 0.1, 0.1
    for _ in range(40):
        p = (low + high) / 2
        tau = -np.expm1(2 / 3 * (0.02 - 0.5 * np.log1p(-p) + np.log1p(-q))) / q
        low, high = (p, high) if tau > p / q else (low, p)
    edge = student_edge("0.1", 1, 2, "0.02", 20)
    share = Fraction(low) / edge.support("delete")[1]
    assert 0.05 < share < 0.95
    assert max(excesses((1, 2, "0.02", "0.1"), share, "delete")) <= 0


def test_without_the_angle_the_bend_is_too_small(monkeypatch):
    monkeypatch.setattr(als_exact_bend, "angle_bend", lambda *_: 0)
    assert max(max(excesses(BENDS[0], share, "delete")) for share in ("0.1", "0.5", "0.75")) > 0.1


def test_the_bend_is_not_idle():
    for direction in ("delete", "insert"):
        for share in ("0.1", "0.3", "0.5"):
            _, second, third = excesses(BENDS[0], share, direction)
            assert second > -0.9 and third > -0.999


def test_values_next_to_full_leverage_by_two_routes():
    """q = 1 - 2^-40, psi about 2^-20: 1 - q T is a sum of positive terms."""
    q = 1 - Fraction(1, 2**40)
    for share in (Fraction(5, 4), Fraction(9)):
        record = 1 - share * (1 - q), q, 5, 6, 79, "insert"
        ours = oracle.certified_als_exact_hockey_stick(*record, digits=12)
        assert ours.lower > 0 and ours.overlaps(oracle.als_exact_hockey_stick(*record, digits=10))


@pytest.mark.parametrize(("d", "r"), [(5, 7), (1, 4), (2, 5)], ids=str)
def test_the_support_of_an_edge_holds_every_record_of_positive_divergence(d, r):
    for cap, epsilon in (("0.1", "0.1"), ("0.1", "0.3"), ("0.999", "10"), ("0.01", "0")):
        edge = student_edge(cap, d, r, epsilon, 6)
        for direction in ("delete", "insert"):
            low, high = edge.support(direction)
            assert 0 <= low <= high <= edge.cap
            step = edge.cap / 10**8
            for beyond in (low - step, high + step):
                assert not 0 <= beyond <= edge.cap or edge.value(beyond, direction).upper == 0
            for inside, moved in ((low + 10 * step, low > 0), (high - 10 * step, high < edge.cap)):
                assert not moved or high - low < 100 * step or edge.value(inside, direction).lower > 0
