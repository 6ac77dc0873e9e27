"""Bounds of a curve over ridges, with engines that answer widely and with few bits: each is on its side of it all."""

from fractions import Fraction
from types import SimpleNamespace

import mpmath
import numpy as np
import pytest
from flint import arb, arb_series, fmpq_poly

from ndis_verify.enclosure import Enclosure
from ndis_verify.exact_number import as_exact, exact, to_mpf
from ndis_verify.oracle.certified.engine.balls import enclosure, working_bits
from ndis_verify.oracle.certified.least_squares.worst_case import odds
from ndis_verify.oracle.certified.relative_least_squares import curve as relative_least_squares_curve
from ndis_verify.oracle.certified.relative_least_squares import sketch as relative_least_squares_sketch
from ndis_verify.oracle.certified.relative_least_squares.curve import NormalCurve, _tail
from ndis_verify.oracle.certified.relative_least_squares.path import Quotient, changes
from ndis_verify.oracle.certified.relative_least_squares.sketch import Pair, SketchCurve

DIRECTIONS = ("delete", "insert")
LOW, HIGH = Fraction(2), Fraction(17, 8)
LEAST, MOST = Fraction(3, 8), Fraction(5, 8)
WIDE = Enclosure(mpmath.mpf(1) / 2, mpmath.mpf(1) / 8, "bound")
ROWS = as_exact(np.random.default_rng(8).integers(-16, 17, (6, 3)) / 16)
CHANGE = changes(ROWS, ROWS)[0][0]
DEEP = 60  # decimal digits of a reference


def curve_of(law, direction="delete", epsilon="1/2", d=2, r=9, enough="1/10000"):
    return law(CHANGE, d, r, Fraction(epsilon), direction, Fraction(enough))


def function(name, ratio):
    """An mpmath function of a rational, to many digits."""
    with mpmath.workdps(DEEP):
        return exact(getattr(mpmath, name)(to_mpf(ratio)))


# Paths of the leverages


@pytest.mark.parametrize(
    ("top", "below"),
    [((1, 0, 3), (7, 1)), ((2, -4, 6, -4, 1), (1,)), ((3, 1), (7, 0, 1)), ((1, -3, 3), (3, 1, 1))],
    ids=["a valley", "a flat valley", "falling", "another"],
)
@pytest.mark.parametrize("bits", [10, 20, 80])
@pytest.mark.parametrize(("low", "high"), [("0", "2"), ("1/3", "2/3"), ("1/7", "13/7"), ("1", "10/9"), ("1/3", "5/3")])
def test_the_span_of_a_quotient_holds_its_values(top, below, bits, low, high):
    low, high = Fraction(low), Fraction(high)
    quotient = Quotient(fmpq_poly(list(top)), fmpq_poly(list(below)))
    least, most = quotient.span(low, high, bits)
    values = [quotient.at(low + (high - low) * Fraction(i, 12)) for i in range(13)]
    assert least <= min(values) and max(values) <= most


# The normal law


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_what_is_quickly_found_is_at_least_the_value(direction):
    curve = curve_of(NormalCurve, direction)
    for ridge in (Fraction(1, 8), LOW, Fraction(40)):
        assert curve.at_most(ridge) >= curve.value(ridge, 12).upper > 0


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_the_lower_bound_counts_the_least_of_the_answer(direction, monkeypatch):
    """Both parts of it, the box and the nearest pair without a shift, alone."""
    nothing = Enclosure(mpmath.mpf(0), mpmath.mpf(0), "bound")
    for with_shift, without in ((WIDE, nothing), (nothing, WIDE)):

        def delta(self, first, y, shift, *rest, answers=(without, with_shift)):
            return answers[shift > 0]

        monkeypatch.setattr(NormalCurve, "_delta", delta)
        assert curve_of(NormalCurve, direction).lower(LOW, LOW + Fraction(1, 1000), 10) <= LEAST


@pytest.mark.parametrize("enough", ["1", "1/10000"])
def test_the_upper_bound_counts_the_most_of_the_answer(enough, monkeypatch):
    """The quick one (at once good enough), and the full one."""
    monkeypatch.setattr(NormalCurve, "_delta", lambda *arguments: WIDE)
    tail = WIDE if enough == "1" else Enclosure(WIDE.mid, mpmath.mpf("0.25"), "bound")
    monkeypatch.setattr(relative_least_squares_curve, "_tail", lambda *arguments: tail)
    curve = curve_of(NormalCurve, enough=enough)
    found = curve._spread(Fraction(1), 1 + Fraction(1, 10**9), Fraction(1), Fraction(1), 10)
    assert MOST <= found < MOST * Fraction(101, 100)
    assert curve._spread(Fraction(1), Fraction(1), Fraction(1), Fraction(1), 10, quick=True) >= MOST


@pytest.mark.parametrize("ratio", [Fraction(3, 2), Fraction(10, 7), 1 + Fraction(1, 10**9)], ids=str)
def test_the_slack_is_above_its_two_exact_values(ratio):
    log, factor = NormalCurve._slack(ratio, 5)
    assert log > function("log", ratio) / 2 and factor**2 > ratio


def test_what_is_only_known_not_to_be_large_is_computed():
    """The quick bound reaches down to 0 for every value: only its upper end says that one is tiny."""
    curve = curve_of(NormalCurve)
    assert curve.value(LOW, 12).justified_digits() >= 12


@pytest.mark.parametrize(("square", "epsilon"), [("1", "4"), ("1/4", "2"), ("3", "10")])
def test_the_quick_bound_in_few_bits_is_not_below_its_least_exponent(square, epsilon, monkeypatch):
    """The least over s of c E e^{s (L - eps)}, L normal of mean m^2/2 and variance m^2, by mpmath."""
    square, epsilon = Fraction(square), Fraction(epsilon)
    with mpmath.workdps(30):
        m, eps = to_mpf(square), to_mpf(epsilon)

        def log_bound(s):
            return m * s * (s + 1) / 2 - s * eps + s * mpmath.log(s) - (s + 1) * mpmath.log(s + 1)

        least = exact(mpmath.exp(log_bound(minimum(log_bound))))
    for bits in range(10, 17):
        monkeypatch.setattr(relative_least_squares_curve, "working_bits", lambda asked, bits=bits: working_bits(bits))
        assert _tail([(Fraction(0), 1, square)], epsilon).upper >= least


def minimum(convex):
    """Where a convex function on (0, 100) is least."""
    low, high = mpmath.mpf(0), mpmath.mpf(100)
    for _ in range(300):
        a, b = low + (high - low) * mpmath.mpf("0.382"), low + (high - low) * mpmath.mpf("0.618")
        low, high = (low, b) if convex(a) < convex(b) else (a, high)
    return (low + high) / 2


# The finite-r law


def test_bounds_of_an_interval_count_the_whole_answer(monkeypatch):
    monkeypatch.setattr(SketchCurve, "_times", lambda *arguments: WIDE)
    curve = curve_of(SketchCurve)
    assert curve.upper(LOW, HIGH, 10) >= MOST and curve.lower(LOW, HIGH, 10) <= LEAST


def test_the_bound_from_a_ridge_on_counts_the_whole_answer(monkeypatch):
    monkeypatch.setattr(SketchCurve, "_times", lambda *arguments: WIDE)
    pair = Pair(Fraction(0), Fraction(0), Fraction(1, 2), Fraction(0))
    monkeypatch.setattr(SketchCurve, "_edge", lambda *arguments: pair)
    monkeypatch.setattr(Quotient, "trend", lambda *arguments: -1)
    curve = curve_of(SketchCurve, epsilon="0", r=2000)
    assert MOST <= curve.beyond(Fraction(1, 1000), 10) < MOST * Fraction(101, 100)


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_the_bound_from_a_ridge_on_is_above_that_of_the_largest_loss(direction):
    """1 - e^{eps - L} at the q of the ridge, by mpmath; nothing sharper is asked for."""
    curve = curve_of(SketchCurve, direction, enough="1")
    for ridge in (Fraction(1, 3), LOW):
        q = CHANGE.q.at(ridge)
        with mpmath.workdps(DEEP):
            true = exact(-mpmath.expm1(mpmath.mpf(1) / 2 + mpmath.log(to_mpf(1 - q)) * 9 / 2))
        assert true > 0 and curve.beyond(ridge, 1) > true


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_one_event_in_few_bits_says_no_more_than_in_many(direction, monkeypatch):
    """The records lack rank: the scale leaves 1 as the ridge falls."""
    rows = as_exact(np.random.default_rng(7).integers(-16, 17, (2, 4)) / 16)
    settled = 0
    for change in changes(rows, rows)[0]:
        curve = SketchCurve(change, 3, 9, Fraction(1), direction, Fraction(1, 10**4))
        monkeypatch.setattr(relative_least_squares_sketch, "_BITS", 300)
        many = curve._tested(Fraction(1, 10**20))
        for bits in (40, 50, 60):
            monkeypatch.setattr(relative_least_squares_sketch, "_BITS", bits)
            found = curve._tested(Fraction(1, 10**20))
            assert found <= many and (many == 1 or found < 1)
            settled += found > 0
    assert settled


def moving(first=(0.5, 0.0, 0.0), others=(0.25, 0.0, 0.0), centre=(1.0, 0.0, 0.0)):
    """Three series to second order; a number is one or a ball."""
    return [arb_series([arb(c) if isinstance(c, float) else c for c in part], 3) for part in (first, others, centre)]


def convexity(monkeypatch, motion, bits=128):
    monkeypatch.setattr(relative_least_squares_sketch, "_BITS", bits)
    monkeypatch.setattr(SketchCurve, "_above", lambda *arguments: Fraction(1, 4))
    monkeypatch.setattr(SketchCurve, "_motion", lambda *arguments: motion)
    return curve_of(SketchCurve).convexity(LOW, HIGH)


@pytest.mark.parametrize("name", ["first", "others", "centre"])
@pytest.mark.parametrize("order", [1, 2])
def test_a_wide_motion_bends_at_least_as_much_as_each_of_those_in_it(name, order, monkeypatch):
    """One derivative is known to lie in [1/4, 5/4], or in [-5/4, -1/4]; the others are 0."""
    for sign in (1, -1):

        def motion(value, place=order):
            part = [0.5, 0.0, 0.0]
            part[place] = value
            return moving(**{name: tuple(part)})

        most = convexity(monkeypatch, motion(sign * arb(0.75, 0.5)))
        for value in (0.25, 0.75, 1.25):
            assert convexity(monkeypatch, motion(sign * value)) <= most


def test_motions_that_act_together_bend_at_least_as_much_as_each_of_those_in_them(monkeypatch):
    """2 mu' - 3 mu a, of which both parts are wide."""
    most = convexity(monkeypatch, moving((0.0, arb(-0.75, 0.5), 0.0), centre=(1.0, arb(0.75, 0.5), arb(0.75, 0.5))))
    for a in (-1.25, -0.25):
        for drift in (0.25, 1.25):
            for turn in (0.25, 1.25):
                assert convexity(monkeypatch, moving((0.0, a, 0.0), centre=(1.0, drift, turn))) <= most


def test_a_bend_in_few_bits_is_not_below_that_in_many(monkeypatch):
    motion = moving((0.5, 0.375, 0.25), (0.25, 0.125, 0.5), (1.0, 0.75, 0.5))
    many = convexity(monkeypatch, motion, 400)
    assert all(convexity(monkeypatch, motion, bits) > many for bits in (12, 20, 60))


def test_a_motion_holds_both_ends_of_its_interval(monkeypatch):
    """The path s itself, from -1/3 to 1/3 in ten bits."""
    monkeypatch.setattr(relative_least_squares_sketch, "_BITS", 10)
    monkeypatch.setattr(SketchCurve, "_path", lambda self, s: (s, s, s))
    with working_bits(10):
        found = [enclosure(part[0]) for part in curve_of(SketchCurve)._motion(Fraction(-1, 3), Fraction(1, 3))]
    assert all(part.lower <= Fraction(-1, 3) and Fraction(1, 3) <= part.upper for part in found)


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_the_chance_of_a_large_loss_counts_the_whole_answer(direction, monkeypatch):
    """delta(eps - t)/(1 - e^{-t}) at each t that was asked for, with delta at its largest."""
    asked = []

    def times(self, pair, digits):
        asked.append(pair)
        return Enclosure(mpmath.mpf(1) / 64, mpmath.mpf(1) / 128, "bound")

    monkeypatch.setattr(SketchCurve, "_times", times)
    curve = curve_of(SketchCurve, direction)
    found, pair = curve._above(LOW, HIGH), curve._scales(LOW, HIGH, True)
    steps = [pair.more - other.more for other in asked]
    with mpmath.workdps(DEEP):
        true = [Fraction(3, 128) / exact(-mpmath.expm1(-to_mpf(t))) for t in steps]
    assert steps and found < 1 and found > min(true)


# Ranges of u, v, the first scale and the squared shift
BOX = tuple((Fraction(a, 21), Fraction(b, 19)) for a, b in ((4, 5), (6, 7), (20, 22), (0, 1)))


@pytest.mark.parametrize("up", [True, False])
@pytest.mark.parametrize("direction", DIRECTIONS)
def test_the_factor_between_two_pairs_is_at_least_that_of_their_scales(direction, up):
    """With one feature C^2 is the ratio of the first scales alone, the pair's own against the furthest of the box."""
    pair = curve_of(SketchCurve, direction, d=1)._pair(*BOX, up)
    x, y = odds(pair.p, pair.q)
    scale, ends = (1 + y) / (1 + x), BOX[2]
    if direction == "insert":
        scale, ends = 1 / scale, tuple(1 / end for end in reversed(ends))
    ratio = scale / ends[0] if up else ends[1] / scale
    assert ratio > 1
    log = function("log", ratio) / 2
    assert pair.log > log and pair.more < -log if up else pair.log < -log and pair.more > log


def test_the_constants_of_shares_are_rounded_up():
    share = SimpleNamespace(span=lambda *arguments: (Fraction(1, 7), Fraction(2, 7)))
    change = SimpleNamespace(share=share)
    q, k = Fraction(3, 11), 7
    (u, w), *logs = SketchCurve(change, 2, 9, Fraction(1), "delete", Fraction(1, 10))._constants(q, LOW, HIGH, 3)
    for found, ratio in zip(logs, ((1 - u) / (1 - w), w / u, (1 - u * q) / (1 - w * q))):
        assert found > k * function("log", ratio) / 2
