"""The search of a crossing over ridges, with curves that are hardly known: nothing is settled that is not proved."""

from dataclasses import dataclass, field
from fractions import Fraction
from types import SimpleNamespace

import pytest

from ndis_verify.enclosure import Enclosure
from ndis_verify.exact_number import to_mpf
from ndis_verify.oracle.certified.engine.smooth_curve import Bend
from ndis_verify.oracle.certified.relative_least_squares.search import Bracket, Crossings
from ndis_verify.oracle.engine.precision import PrecisionError

TARGET = Fraction(1, 2)
A, B = Fraction(8), Fraction(9)  # an interval short enough for a chord


def between(low, high):
    low, high = Fraction(low), Fraction(high)
    return Enclosure(to_mpf((low + high) / 2), to_mpf((high - low) / 2), "bound")


@dataclass(eq=False)
class Known:
    """A curve with what is said of it: values by ridge, bounds over any interval, no bend."""

    values: dict
    least: Fraction = Fraction(0)
    most: Fraction = Fraction(1)
    quick: Fraction = Fraction(1)
    infinite: bool = False
    change: SimpleNamespace = field(init=False)

    def __post_init__(self):
        quotient = SimpleNamespace(infinite=self.infinite)
        self.change = SimpleNamespace(x=quotient, y=quotient)

    def value(self, ridge, digits):
        return self.values[ridge]

    def near(self, ridge, digits):
        return self.value(ridge, digits).mid

    def lower(self, low, high, digits):
        return self.least

    def upper(self, low, high, digits):
        return self.most

    def rough(self, low, high, digits):
        return self.quick

    def bend(self, low, high, digits):
        return Bend(Fraction(0), Fraction(0))


@dataclass(eq=False)
class Falling(Known):
    """1/(1 + ridge), known to a relative `width` from `wide_from` digits on."""

    values: dict = field(default_factory=dict)
    width: Fraction = Fraction(1, 10**40)
    wide_from: int = 0

    def value(self, ridge, digits):
        width = self.width if digits >= self.wide_from else Fraction(1, 10**40)
        return between((1 - width) / (1 + ridge), (1 + width) / (1 + ridge))


def search(*curves, digits=6):
    return Crossings(curves, TARGET, Fraction(1), digits)


WIDE, HIGH, LOW = between("1/4", "3/4"), between("5/8", "3/4"), between("1/4", "3/8")


def test_an_interval_is_below_only_if_the_upper_ends_are():
    """Whatever says so is known to lie on either side of the target."""
    sound = {"values": {A: LOW, B: LOW}, "most": Fraction(3, 8), "least": Fraction(1, 4), "quick": Fraction(3, 4)}
    assert search(Known(**sound))._below(Known(**sound), A, B)
    values = Known(**{**sound, "values": {A: WIDE, B: LOW}, "most": Fraction(3, 4)})
    assert not search(values)._below(values, A, B)  # the chord from a wide end
    bounds = Known(**{**sound, "values": {A: WIDE, B: WIDE}, "most": Fraction(3, 4)})
    assert not search(bounds)._below(bounds, A, B)
    wide_interval = Known({A: LOW, 4 * A: LOW}, Fraction(1, 4), Fraction(3, 4), Fraction(3, 4))
    assert not search(wide_interval)._below(wide_interval, A, 4 * A)


def test_next_to_no_ridge_only_the_upper_bound_says_that_an_interval_is_below():
    curve = Known({B: LOW}, least=Fraction(1, 4), most=Fraction(3, 4), quick=Fraction(3, 4))
    assert not search(curve)._below(curve, Fraction(0), B)
    curve = Known({B: LOW}, least=Fraction(1, 4), most=Fraction(3, 8))
    assert search(curve)._below(curve, Fraction(0), B)


def test_the_last_resort_is_the_upper_bound():
    """Where the curve may bend, a chord says nothing: what is left is a bound on either side of the target."""
    curve = Known({A: LOW, B: LOW}, least=Fraction(1, 4), most=Fraction(3, 4))
    curve.bend = lambda low, high, digits: Bend(Fraction(10), Fraction(0))
    assert not search(curve)._below(curve, A, B)


def test_an_interval_is_over_only_if_the_lower_ends_are():
    sound = {"values": {A: HIGH, B: HIGH}, "least": Fraction(1, 4), "most": Fraction(3, 4)}
    assert search(Known(**sound))._over(Known(**sound), A, B)
    for values in ({A: HIGH, B: WIDE}, {A: WIDE, B: WIDE}):
        curve = Known(**{**sound, "values": values})
        assert not search(curve)._over(curve, A, B)
    curve = Known(**{**sound, "values": {A: HIGH, B: WIDE}})
    assert not search(curve)._over(curve, Fraction(0), B)


def test_a_falling_curve_is_over_an_interval_only_if_it_is_at_its_end():
    for end, expected in ((HIGH, True), (WIDE, False), (LOW, False)):
        curve = Known({A: HIGH, B: end})
        here = search(curve)
        here._declines = lambda *arguments: True
        assert here._over(curve, A, B) == expected


@pytest.mark.parametrize(
    ("ends", "falls"),
    [((HIGH, LOW), True), ((between("1/2", "5/8"), between("7/16", "9/16")), False), ((WIDE, WIDE), False)],
)
def test_a_curve_falls_only_if_every_value_at_the_end_is_below_every_one_at_the_start(ends, falls):
    curve = Known(dict(zip((A, B), ends)))
    assert (search(curve)._falls(curve, A, B) is not None) == falls


def test_the_upper_end_of_an_only_fall_is_proved_to_meet_the_target():
    """Known to a tenth: at 1.0 the value may be above the target."""
    curve = Falling(width=Fraction(1, 10))
    found = Crossings([curve], TARGET, Fraction(1), 6)
    found.above = lambda curve, ridge: 1 / (1 + ridge) > TARGET
    bracket = found._only_fall(curve, Fraction(0))
    assert curve.value(bracket.high, 8).upper <= TARGET and 1 / (1 + bracket.low) > TARGET


def test_the_curve_gone_on_with_is_the_one_proved_to_be_highest():
    """One of them is proved above the target, the other may lie anywhere."""
    proved, wide = Known({Fraction(0): HIGH}), Known({Fraction(0): between("1/8", "7/8")})
    for curves in ((proved, wide), (wide, proved)):
        assert search(*curves)._worst(curves, Fraction(0)) is proved
    proved = Known({}, Fraction(5, 8), Fraction(3, 4), infinite=True)
    wide = Known({}, Fraction(1, 8), Fraction(7, 8), infinite=True)
    for curves in ((proved, wide), (wide, proved)):
        assert search(*curves)._worst(curves, Fraction(0)) is proved


@pytest.mark.parametrize("unsafe_side", [True, False])
def test_a_refined_bracket_holds_the_crossing(unsafe_side):
    curve = Falling()
    found = search(curve)._refined(curve, Bracket(Fraction(1, 2), Fraction(3), Fraction(0)), unsafe_side)
    assert found.low < 1 < found.high and found.high - found.low < Fraction(1, 10**6)
    assert search(curve).above(curve, found.low) and not search(curve).above(curve, found.high)


@pytest.mark.parametrize("unsafe_side", [True, False])
def test_a_side_that_is_not_proved_is_refused(unsafe_side):
    """The value that settles the side, to 26 digits here, straddles the target."""
    curve = Falling(width=Fraction(1, 100), wide_from=26)
    with pytest.raises(PrecisionError, match="6 digits not reached"):
        search(curve)._refined(curve, Bracket(Fraction(1, 2), Fraction(3), Fraction(0)), unsafe_side)
