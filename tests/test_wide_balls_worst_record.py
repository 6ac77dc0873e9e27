"""The worst record of least squares, with engines that answer widely: what is certified is on its side of all of it."""

from dataclasses import dataclass
from fractions import Fraction

import mpmath
import pytest
from flint import arb

from ndis_verify.enclosure import Enclosure
from ndis_verify.exact_number import exact, to_mpf
from ndis_verify.oracle.certified.least_squares import cap as least_squares_cap
from ndis_verify.oracle.certified.least_squares import worst_case as least_squares_worst_case
from ndis_verify.oracle.certified.least_squares import worst_record as least_squares_worst_record
from ndis_verify.oracle.certified.least_squares.edge import Peak, cover, highest, interval, worst_case
from ndis_verify.oracle.certified.least_squares.worst_case import gaussian_edge, student_edge

DIRECTIONS = ("delete", "insert")
HALF = Fraction(1, 2)
LOW, HIGH = Fraction(1, 16), Fraction(1, 12)
DEEP = 60  # decimal digits of a reference


def between(low, high):
    low, high = Fraction(low), Fraction(high)
    return Enclosure(to_mpf((low + high) / 2), to_mpf((high - low) / 2), "bound")


def log(ratio):
    """log(ratio), to many digits."""
    with mpmath.workdps(DEEP):
        return exact(mpmath.log(to_mpf(ratio)))


@dataclass(frozen=True)
class Wide:
    """A hill with its summit at the share 1/3, each value known to a tenth of 1."""

    cap: Fraction = HALF
    digits: int = 2
    level: bool = False

    def height(self, p):
        return 2 - abs(p / self.cap - Fraction(1, 3))

    def value(self, p, direction):
        return between(self.height(p) - Fraction(1, 8), self.height(p) + Fraction(1, 8))

    def bound(self, low, high, direction):
        top = 2 if low <= self.cap / 3 <= high else max(self.height(low), self.height(high))
        return top + Fraction(1, 8)


def test_the_highest_point_is_certified_by_the_lower_end_of_its_value():
    edge = Wide()
    best = highest(edge, DIRECTIONS)
    assert best.lower == edge.value(best.leverage, best.direction).lower


def test_a_point_found_by_halving_is_certified_by_the_lower_end_of_its_value():
    """A start far from the summit, which the middles of the boxes then raise."""
    edge = Wide()
    start = Peak(edge.value(Fraction(0), "delete").lower, Fraction(0), "delete")
    found = cover(edge, DIRECTIONS, start, lambda peak: Fraction(2), ceiling=Fraction(15, 8) - Fraction(1, 64))
    assert found.peak.lower > start.lower
    assert found.peak.lower == edge.value(found.peak.leverage, found.peak.direction).lower
    assert found.upper >= Fraction(2)


def test_the_bracket_of_the_supremum_reaches_from_a_lower_end_to_the_largest_bound():
    edge = Wide()
    found = worst_case(edge, DIRECTIONS, HALF)
    assert found.value.lower <= edge.value(found.leverage, found.direction).lower
    assert found.value.upper >= Fraction(17, 8)


@pytest.mark.parametrize(("low", "high"), [("1/3", "2/3"), ("1/700", "1/3"), ("2/3", "123456789/1000")])
def test_an_interval_in_decimals_holds_the_whole(low, high):
    shown = interval(between(Fraction(low), Fraction(high)))
    first, last = (Fraction(part) for part in shown.strip("[]").split(", "))
    assert first <= Fraction(low) and Fraction(high) <= last


def recorded(monkeypatch, name, low, high):
    """An engine that says [low, high] and keeps what it was asked."""
    asked = []

    def engine(*arguments):
        asked.append(arguments)
        return between(low, high)

    monkeypatch.setattr(least_squares_worst_case, name, engine)
    return asked


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_the_bound_of_a_box_of_the_normal_law_counts_the_whole_answer(direction, monkeypatch):
    """C times the upper end, at an epsilon that is at most epsilon - log C."""
    asked = recorded(monkeypatch, "spectrum_hockey_stick", "1/5", "2/5")
    found = gaussian_edge(HALF, 3, 20, 1, 6).bound(LOW, HIGH, direction)
    factor = (1 - LOW) / (1 - HIGH)
    assert found >= factor * Fraction(2, 5) * (1 - Fraction(1, 2**50))
    assert asked[0][1] < 1 - log(factor)


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_the_bound_of_a_point_of_the_finite_law_counts_the_whole_answer(direction, monkeypatch):
    recorded(monkeypatch, "als_exact_hockey_stick", "1/5", "2/5")
    assert student_edge(HALF, 3, 20, 1, 6).bound(LOW, LOW, direction) >= Fraction(2, 5) * (1 - Fraction(1, 2**50))


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_the_bounds_of_a_box_of_the_finite_law_count_the_whole_answer(direction, monkeypatch):
    """From each record: C times the upper end, and an epsilon of at most epsilon - s; C and s to many digits."""
    asked = recorded(monkeypatch, "als_exact_hockey_stick", "1/5", "2/5")
    edge, k = student_edge(HALF, 3, 20, 1, 6), 17
    with least_squares_worst_case.working_bits(200):
        found = edge._bounds(LOW, HIGH, direction)
    lack = k * log((1 - LOW) / (1 - HIGH)) / 2
    here, there = (k * log(ratio) / 2 for ratio in ((HALF - LOW) / (HALF - HIGH), HIGH / LOW))
    losses = (here, lack), (there, Fraction(0))
    if direction == "insert":
        losses = (here, Fraction(0)), (there + lack, lack)
    for (record, twice_log, twice_slack), (growth, slack) in zip(found, losses):
        with least_squares_worst_case.working_bits(24):
            bound = edge._scaled(record, +twice_log, +twice_slack, direction)
        with mpmath.workdps(DEEP):
            assert bound >= exact(mpmath.exp(to_mpf(growth))) * Fraction(2, 5) * (1 - Fraction(1, 2**50))
        assert asked[-1][4] == 1 if not slack else asked[-1][4] < 1 - slack


def test_a_wide_factor_counts_with_its_upper_end(monkeypatch):
    """log C and s known to 0.1 only."""
    asked = recorded(monkeypatch, "als_exact_hockey_stick", "1/5", "2/5")
    bound = student_edge(HALF, 3, 20, 1, 6)._scaled((LOW, HALF), arb(1, 0.125), arb(0.5, 0.125), "delete")
    with mpmath.workdps(DEEP):
        assert bound > exact(mpmath.exp(mpmath.mpf("0.5625"))) * Fraction(2, 5) * (1 - Fraction(1, 2**50))
    assert asked[0][4] <= 1 - Fraction(5, 16)


@pytest.mark.parametrize(("r", "epsilon"), [(20, Fraction(1)), (7, Fraction(1, 3)), (1000, Fraction(5))], ids=str)
def test_the_odds_of_pure_privacy_are_not_above_them(r, epsilon):
    found = student_edge(HALF, 3, r, epsilon, 6).pure_odds(5)
    with mpmath.workdps(DEEP):
        true = exact(mpmath.expm1(to_mpf(2 * epsilon / r)))
    assert true * (1 - Fraction(1, 10**4)) < found < true


@pytest.mark.parametrize("target", [(3, 20, Fraction(1)), (2, 101, Fraction(1, 3)), (5, 7, HALF)], ids=str)
@pytest.mark.parametrize("direction", DIRECTIONS)
def test_the_worst_record_is_between_two_ends(target, direction):
    _, r, epsilon = target
    k = r - target[0]
    low, high = least_squares_worst_record.summit(HALF, target, direction, 4)
    with mpmath.workdps(DEEP):
        largest = (k + 1 if direction == "delete" else r) * mpmath.log(2) / 2
        t = 2 * (largest - to_mpf(epsilon)) / (r + k + 1)
        place = exact(1 - mpmath.exp(-t) if direction == "delete" else HALF - exact(mpmath.expm1(t)) / 2)
    assert low < place < high


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_the_largest_divergence_allows_for_the_whole_way_between_the_ends(direction, monkeypatch):
    """From the lower end of the summit to the upper one the loss falls by (k/2) log((1-low)/(1-high))."""
    asked, low, high, k = [], Fraction(1, 4), Fraction(1, 4) + Fraction(1, 10**9), 17
    answer = between("1/5", Fraction(1, 5) + Fraction(1, 10**7))

    def engine(*arguments):
        asked.append(arguments[4])
        return answer

    monkeypatch.setattr(least_squares_worst_record, "als_exact_hockey_stick", engine)
    monkeypatch.setattr(least_squares_worst_record, "summit", lambda *arguments: (low, high))
    found = least_squares_worst_record.largest_divergence(HALF, (3, 20, Fraction(1)), direction, 5)
    lack = k * log((1 - low) / (1 - high)) / 2
    assert asked[-1] < 1 - lack if direction == "delete" else asked == [1]
    with mpmath.workdps(DEEP):
        growth = exact(mpmath.exp(to_mpf(k * log((HALF - low) / (HALF - high)) / 2)))
    assert found.lower <= answer.lower and found.upper >= growth * answer.upper


@pytest.mark.parametrize("answers", ["2/5 9/10 1/2 3/5", "1/2 3/5 2/5 9/10", "1/5 2/5 1/2 3/5", "1/2 3/5 1/5 2/5"])
def test_the_larger_of_two_directions_is_inside(answers, monkeypatch):
    """Wide answers that overlap or do not: whatever the two values are, the larger is inside."""
    a, b, c, d = map(Fraction, answers.split())
    found = {"delete": between(a, b), "insert": between(c, d)}
    monkeypatch.setattr(
        least_squares_worst_record, "largest_divergence", lambda cap, target, direction, digits: found[direction]
    )
    found = least_squares_worst_record.worst_divergence(HALF, (3, 20, Fraction(1)), 5)
    slack = Fraction(1, 2**40)
    assert found.lower <= max(a, c) + slack and found.upper >= max(b, d) - slack


def test_the_share_of_wide_odds_is_all_of_theirs():
    found = least_squares_cap._share(between(1, 3), 15)
    slack = Fraction(1, 10**30)
    assert HALF - slack < found.lower <= HALF and Fraction(3, 4) <= found.upper < Fraction(3, 4) + slack


def test_the_odds_of_a_wide_root_are_all_of_theirs(monkeypatch):
    """The root is that of an inverse: its ends change places."""
    monkeypatch.setattr(least_squares_cap, "decreasing_root", lambda *rest: between(1, 3))
    least = student_edge(HALF, 3, 20, 1, 15).pure_odds(40)
    found = least_squares_cap._finite_odds(3, 20, 1, Fraction(1, 100), 15)
    slack = Fraction(1, 10**20)
    assert least + Fraction(1, 3) - slack < found.lower <= least + Fraction(1, 3) + slack
    assert least + 1 - slack < found.upper < least + 1 + slack
