"""Proofs of a largest value with wide enclosures: what holds for one function inside is not taken to hold for each."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fractions import Fraction

import mpmath
import pytest
from flint import arb

from ndis_verify.enclosure import Enclosure
from ndis_verify.exact_number import to_mpf
from ndis_verify.oracle.certified.engine import summit, summit_root
from ndis_verify.oracle.certified.engine.balls import ball, enclosure, working_bits
from ndis_verify.oracle.certified.engine.smooth_curve import Bend
from ndis_verify.oracle.certified.joint_shift import plane as joint_shift_plane
from ndis_verify.oracle.certified.joint_shift.curve import ShareCurve
from ndis_verify.oracle.certified.joint_shift.prediction_plane import PredictionPlane
from ndis_verify.oracle.engine.precision import PrecisionError

TINY = Fraction(1, 2**80)
HALF = Fraction(1, 2)


def interval(low, high):
    with mpmath.workprec(400):
        return Enclosure(to_mpf((low + high) / 2), to_mpf((high - low) / 2), "bound")


@dataclass
class Curve:
    """A function, and by `wide` how far below and above it the enclosures reach: at p, or at (p, digits)."""

    function: Callable
    end: Fraction = Fraction(1)
    coefficient: Fraction = Fraction(0)
    third: Fraction = Fraction(0)
    rest: Fraction = Fraction(0)
    wide: dict = field(default_factory=dict)

    def value(self, p, digits):
        below, above = self.wide.get((p, digits), self.wide.get(p, (TINY, TINY)))
        return interval(self.function(p) - below, self.function(p) + above)

    def near(self, p, digits):
        return self.value(p, digits).mid

    def bound(self, low, high):
        return Fraction(10**6)

    def bend(self, low, high, order, digits):
        return Bend(self.coefficient if order == 2 else self.third, self.rest)


def hill(p):
    return 1 - (p - HALF) ** 2


LEFT, RIGHT = Fraction(0), Fraction(1)
AIM = 1 + summit._SPARE  # digits of the values of a cell of one digit
TENTH = Fraction(1, 10)


def test_a_single_value_that_may_be_above_the_target_is_not_at_most_it():
    curve = Curve(lambda p: Fraction(1), end=Fraction(0), wide={Fraction(0): (TENTH, TENTH)})
    assert not summit.at_most(curve, [], Fraction(1), 5)
    assert summit.at_most(curve, [], 1 + TENTH + TINY, 5)


def test_a_summit_that_may_be_above_the_target_is_not_at_most_it():
    curve = Curve(hill, coefficient=Fraction(1), wide={(HALF, 7 + summit._SPARE): (TINY, TENTH)})
    assert not summit.at_most(curve, [HALF], 1 + TENTH, 7)
    assert summit.at_most(curve, [HALF], 2 + TENTH, 7)


@pytest.mark.parametrize("place", [LEFT, RIGHT])
def test_an_interval_with_an_end_that_may_be_above_the_target_is_not_settled(place):
    curve = Curve(lambda p: Fraction(1), wide={place: (TENTH, TENTH)})
    assert not summit.settled(curve, LEFT, RIGHT, 1 + TENTH / 2)
    assert summit.settled(curve, LEFT, RIGHT, 1 + TENTH + TINY)


def test_the_second_derivative_is_at_least_that_of_every_function_inside():
    places = LEFT, HALF, RIGHT
    for wide in places:
        curve = Curve(hill, wide={wide: (TENTH, TENTH)}, rest=Fraction(1, 50))
        _, at_a_point, _ = summit._second_derivative(curve, LEFT, RIGHT, 5)
        for sign in (-1, 1):
            left, middle, right = (hill(p) + sign * TENTH * (p == wide) for p in places)
            assert at_a_point >= (left - 2 * middle + right + 4 * curve.rest) / HALF**2


def concave(curve, digits=1):
    return summit._concave(curve, LEFT, RIGHT, HALF, digits)


def nodes(curve):
    """The three places whose values a cell around 1/2 rests on."""
    seen = []
    asked = replace(curve)
    asked.value = lambda p, digits: seen.append((p, digits)) or curve.value(p, digits)
    concave(asked)
    return sorted({p for p, digits in seen if digits == AIM})


def test_a_cell_needs_a_summit_that_is_surely_the_highest_of_three_values():
    left, middle, right = nodes(Curve(hill))
    assert concave(Curve(hill)) is not None
    drop = 2 * (hill(HALF) - hill(left))
    for wide in ({left: (TINY, drop)}, {right: (TINY, drop)}, {(middle, AIM): (drop, TINY)}):
        assert concave(Curve(hill, wide=wide)) is None


def test_a_cell_s_largest_value_holds_for_every_function_inside():
    left, middle, right = nodes(Curve(hill))
    for place in (left, middle, right):
        for below, above in ((TENTH, TINY), (TINY, TENTH)):
            cell = concave(Curve(hill, wide={(place, AIM): (below, above)}))
            for change in (-below, above) if cell else ():
                at = {p: hill(p) + change * (p == place) for p in (left, middle, right)}
                assert cell.upper >= 2 * at[middle] - min(at[left], at[right])


def test_there_is_no_cell_where_the_summit_s_value_may_be_negative():
    assert concave(Curve(hill, wide={(HALF, AIM): (Fraction(2), TINY)})) is None
    level = Curve(lambda p: 1 - p * p, wide={(LEFT, AIM): (Fraction(2), TINY)}, coefficient=Fraction(1))
    cell = summit._level(level, LEFT, RIGHT, LEFT, 1)
    assert cell is None or cell.upper >= 1


def away(below, above):
    return {(LEFT, summit._AWAY): below, (RIGHT, summit._AWAY): above}


@pytest.mark.parametrize("below, above", [((TINY, TENTH), (TINY, TINY)), ((TINY, TINY), (TENTH, TINY))])
def test_a_function_that_may_rise_from_its_end_is_not_said_to_fall(below, above):
    """It rises by 1/20, and one of the two values away from the summit leaves open that it falls."""
    curve = Curve(lambda p: Fraction(1) + p / 20, wide=away(below, above))
    cell = summit._falling(curve, LEFT, RIGHT, LEFT, 1)
    assert cell is None or cell.upper >= Fraction(21, 20)


def test_a_falling_cell_holds_the_most_its_end_can_be():
    curve = Curve(lambda p: 1 - p, wide={(LEFT, AIM): (TENTH, TENTH)})
    assert summit._falling(curve, LEFT, RIGHT, LEFT, 1).upper >= 1 + TENTH


RISE = Fraction(2, 5)


def level(p):
    """It rises at 0, to 1 + RISE^2/4 at RISE/2."""
    return 1 + RISE * p - p * p


def step_of_level():
    seen = []
    asked = Curve(level, coefficient=Fraction(1))
    asked.value = lambda p, digits: seen.append((p, digits)) or Curve(level).value(p, digits)
    summit._level(asked, LEFT, RIGHT, LEFT, 1)
    return max(p for p, digits in seen if digits == AIM)


@pytest.mark.parametrize("wide", ["here below", "here above", "there"])
def test_a_level_end_holds_the_summit_next_to_it(wide):
    step = step_of_level()
    places = {
        "here below": {(LEFT, AIM): (TINY, Fraction(1, 200))},
        "here above": {(LEFT, AIM): (TENTH, TENTH)},
        "there": {(step, AIM): (Fraction(1), TINY)},
    }
    curve = Curve(level, coefficient=Fraction(1), wide=places[wide])
    cell = summit._level(curve, LEFT, RIGHT, LEFT, 1)
    above = places[wide].get((LEFT, AIM), (0, 0))[1] if wide == "here above" else 0
    assert cell.upper >= 1 + RISE**2 / 4 + above


# Where the largest value crosses a target


def test_the_largest_value_begins_at_one_that_is_surely_reached():
    curve = Curve(lambda p: Fraction(1), end=Fraction(0), wide={Fraction(0): (TENTH, TENTH)})
    with pytest.raises(PrecisionError):
        summit_root.largest([curve], 5)


def family(below):
    """1/x, known less well before the crossing at 1."""

    def curves_at(x):
        spread = (below, below) if x < 1 else (TINY, TINY)
        return [Curve(lambda p: 1 / Fraction(x), end=Fraction(0), wide={Fraction(0): spread})]

    return curves_at


def test_a_crossing_needs_a_value_surely_above_the_target_on_its_other_side():
    found = summit_root.crossing(family(TINY), Fraction(1), mpmath.mpf("0.3"), 5, grows=False)
    assert found.contains(1)
    with pytest.raises(PrecisionError):
        summit_root.crossing(family(TENTH), Fraction(1), mpmath.mpf("0.3"), 5, grows=False)


@pytest.mark.parametrize("mirrored", [False, True])
def test_the_search_stays_away_from_the_ends_of_its_bracket(mirrored):
    """A function bent so much that false position alone would hardly move."""
    probes = []

    def excess(u):
        v = -u if mirrored else u
        height = mpmath.exp(30 * (v - mpmath.mpf("0.37"))) - 1
        probes.append((u, height <= 0))
        return -height if mirrored else height

    with mpmath.workdps(20):
        summit_root.zero_near(excess, mpmath.mpf("0.9" if mirrored else "-0.9"), grows=True)
        ends = {}
        for u, low in probes:
            if len(ends) == 2:
                a, b = sorted(ends.values())
                assert min(u - a, b - u) >= (b - a) / 33
            ends[low] = u
        assert len(probes) > 6


# The plane of predictions

PLANE = PredictionPlane(Fraction(1), Fraction(1), Fraction(1), 3, Fraction(1, 2), Fraction(1, 4), False)
OTHER = replace(PLANE, swapped=True, labels=Fraction(2), epsilon=Fraction(1, 8))
CORNERS = [(Fraction(i, 4), Fraction(j, 4)) for i in range(5) for j in range(5)]


def value(plane, p, e, change=None):
    """f at 200 bits; `change` sets what is derived from the plane."""
    with working_bits(200):
        found = plane.balls()
        for name, number in (change or {}).items():
            setattr(found, name, ball(number))
        return enclosure(found.value(ball(p), ball(e))).lower


@pytest.mark.parametrize("plane", [PLANE, OTHER])
def test_the_bound_of_a_cell_holds_all_over_it(plane):
    for bits in (20, 60):
        for i in range(8):
            for j in range(8):
                p, e = ((Fraction(k, 8), Fraction(k + 1, 8)) for k in (i, j))
                with working_bits(bits):
                    bound = enclosure(plane.balls().bound(ball(p[0]).union(ball(p[1])), ball(e[0]).union(ball(e[1]))))
                inside = [(s, t) for s in (p[0], sum(p) / 2, p[1]) for t in (e[0], sum(e) / 2, e[1])]
                assert all(bound.lower >= value(plane, s, t) for s, t in inside)


@pytest.mark.parametrize("plane", [PLANE, OTHER])
def test_the_bound_of_a_point_holds_at_few_bits(plane):
    for bits in (20, 30, 53):
        for p, e in CORNERS:
            with working_bits(bits):
                bound = enclosure(plane.balls().bound(ball(p), ball(e)))
            assert bound.rad == 0 and bound.mid >= 0
            assert bound.lower >= value(plane, p, e)


@pytest.mark.parametrize("plane", [PLANE, OTHER])
@pytest.mark.parametrize("name, middle", [("length", 1), ("bias", 2)])
def test_the_bound_holds_for_every_law_of_a_wide_one(plane, name, middle):
    for p, e in [(Fraction(1, 4), Fraction(1, 2)), (Fraction(3, 4), Fraction(1)), (Fraction(1), Fraction(1, 4))]:
        with working_bits(100):
            wide = plane.balls()
            setattr(wide, name, arb(middle, 0.1))
            bound = enclosure(wide.bound(ball(p), ball(e)))
        for offset in (Fraction(-1, 10), Fraction(0), Fraction(1, 11), Fraction(1, 10)):
            assert bound.lower >= value(plane, p, e, {name: middle + offset})


def test_a_plane_is_at_most_a_target_only_if_it_is_so_away_from_the_middle():
    for plane in (PLANE, OTHER, replace(PLANE, others=0)):
        top = joint_shift_plane.largest([plane], 4)
        assert joint_shift_plane.at_most(plane, top.upper * Fraction(101, 100), 3)
        assert not joint_shift_plane.at_most(plane, top.lower * Fraction(99, 100), 3)


def test_the_halves_of_a_cell_cover_it():
    whole = (arb(0.5, 0.5), arb(0.25, 0.125))
    halves = joint_shift_plane._halves(whole, (0, 1))
    for k in range(65):
        x = arb(k) / 64
        assert any(half[0].contains(x) for half in halves)
    assert all(half[1].contains(whole[1]) for half in halves)


def known_as(monkeypatch, found):
    """A plane whose values are said to lie in `found`, and whose proofs of an upper bound succeed."""
    peak = joint_shift_plane.Peak(0, (HALF, HALF), arb(1))
    monkeypatch.setattr(joint_shift_plane, "_value", lambda *args: found)
    monkeypatch.setattr(joint_shift_plane, "peaks", lambda planes, target: [peak])
    monkeypatch.setattr(joint_shift_plane, "top", lambda planes, peak, target, digits: peak.place)
    monkeypatch.setattr(joint_shift_plane, "_search", lambda planes_at, target, guess: Fraction(1))
    monkeypatch.setattr(
        joint_shift_plane, "_polished", lambda planes_at, target, rough, peak, digits: (Fraction(1), peak)
    )
    monkeypatch.setattr(joint_shift_plane, "at_most", lambda plane, target, digits: True)


def test_the_largest_value_of_planes_begins_at_one_that_is_surely_reached(monkeypatch):
    known_as(monkeypatch, interval(Fraction(1, 4), Fraction(3, 4)))
    assert joint_shift_plane.largest([PLANE], 3).lower <= Fraction(1, 4)


def test_a_crossing_of_planes_needs_a_value_surely_above_the_target(monkeypatch):
    known_as(monkeypatch, interval(Fraction(1, 4), Fraction(3, 4)))
    with pytest.raises(PrecisionError):
        joint_shift_plane.crossing(lambda v: [PLANE], HALF, mpmath.mpf(0), 3)
    assert joint_shift_plane.crossing(lambda v: [PLANE], Fraction(1, 5), mpmath.mpf(0), 3).contains(1)


# A line of shares


@pytest.mark.parametrize("swapped", [False, True])
def test_the_bound_of_a_single_share_is_not_below_its_value(swapped):
    curve = ShareCurve(Fraction(1), Fraction(3, 2), Fraction(1, 2), Fraction(1, 3), Fraction(1, 2), swapped)
    for p in (Fraction(0), Fraction(1, 7), HALF, Fraction(6, 7), Fraction(1)):
        assert curve.bound(p, p) >= curve.value(p, 40).upper
