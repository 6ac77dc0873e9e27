"""The integral over an angle of `angle`, part by part, with wide balls and few bits: every bound is on its side."""

from fractions import Fraction
from itertools import product
from types import SimpleNamespace

import mpmath
import pytest
from flint import acb, arb

from ndis_verify.oracle.certified.engine.balls import ball, to_fraction, working_bits
from ndis_verify.oracle.certified.least_squares import angle as least_squares_angle
from ndis_verify.oracle.certified.least_squares.angle import _Beyond, _modulus, _quadrature, _root, angle_series
from ndis_verify.oracle.least_squares.asymptotic_law import checked_sketch

SIDES = (-1, 0, 1)
PLACES = [
    (0.1, 0.9, 0.25),
    (0.0, 0.25, 0.5),
    (0.4, 0.6, 0.125),
    (0.45, 0.55, 0.0),
    (1.0, 3.0, 0.5),
    (0.25, 0.5, 0.75, 0.25),
    (0.25, 0.375, 0.5, 0.25),
]
THREE_FIFTHS = Fraction(3, 5)


def beyond_of(d=5, k=3, share=Fraction(1, 2), direction="delete", square=Fraction(1, 4)):
    return _Beyond(checked_sketch(share / 2, Fraction(1, 2), d, d + k, direction), ball(square))


def rectangle(low, high, tall, least=None):
    """low <= Re w <= high, |Im w| <= tall, or least <= Im w <= tall."""
    least = -tall if least is None else least
    return acb(arb((low + high) / 2, (high - low) / 2), arb((tall + least) / 2, (tall - least) / 2))


def corners(low, high, tall, least=None):
    return [(re, im) for re in (low, (low + high) / 2, high) for im in (-tall if least is None else least, tall)]


@pytest.mark.parametrize(("d", "k"), [(4, 1), (6, 3), (20, 7)])
@pytest.mark.parametrize("z", [arb(0.5), arb(0.3), arb(0.25, 0.25), arb(0.4, 0.1), arb(0.435275, 0.064725)], ids=str)
def test_a_series_that_stops_early_encloses_the_whole(d, k, z, monkeypatch):
    """It stops where a few bits would, computed with many: what is left out is inside, for every z of the ball.

    The last z is as wide as makes the last term next to 0 at its lower end.
    """
    m = mpmath.mpf(d - 1) / 2
    with working_bits(300), mpmath.workdps(60):
        monkeypatch.setattr(least_squares_angle, "ctx", SimpleNamespace(prec=3))
        found = angle_series(d, k, z)
        for side in SIDES:
            place = z.mid() + side * z.rad()
            value = mpmath.hyp2f1(1 - m, m, m + k + 1, mpmath.mpf(place.str(50, radius=False)))
            assert found.contains(arb(mpmath.nstr(value, 50)))


@pytest.mark.parametrize("node", [arb(1), arb(1, 0.1), arb(0.7, 0.2)], ids=str)
@pytest.mark.parametrize("place", [(0.125, 0.5, 0.25), (-0.5, 0.25, 0.125), (0.9, 1.75, 0.01), (0.25, 0.5, 0.75, 0.25)])
def test_the_distance_from_the_node_is_that_of_the_furthest_point(node, place, monkeypatch):
    monkeypatch.setattr(_Beyond, "_bound", lambda self, w, reach: reach)
    with working_bits(12):
        beyond = beyond_of(d=3)
        beyond.node = node
        reach = to_fraction(beyond.bound(rectangle(*place)))
    for side in SIDES:
        here = to_fraction(node.mid()) + side * to_fraction(node.rad())
        for re, im in corners(*(Fraction(x) for x in place)):
            assert (1 - re / here) ** 2 + (im / here) ** 2 <= reach**2


@pytest.mark.parametrize("node", [arb(1), arb(1, 0.1), arb(0.7, 0.2)], ids=str)
def test_the_folded_bound_has_the_largest_factor(node, monkeypatch):
    """2 node |u| times what the integrand is bounded by, for every node of the ball and every u of the rectangle."""
    monkeypatch.setattr(_Beyond, "_bound", lambda self, w, reach: arb(1))
    high, tall = Fraction(5, 8), Fraction(1, 4)
    with working_bits(12):
        beyond = beyond_of(d=4)
        beyond.node = node
        found = to_fraction(beyond.folded_bound(rectangle(0.125, 0.625, 0.25)))
    for side in SIDES:
        here = to_fraction(node.mid()) + side * to_fraction(node.rad())
        assert (2 * here) ** 2 * (high**2 + tall**2) <= found**2


def modulus(beyond, re, im):
    """The integrand's modulus at one point for d = 1, where F is 1; without the factor |1 - w/node|^power."""
    with mpmath.workdps(40):
        square = mpmath.mpc(re, im) ** 2
        h, pole, tilt = (mpmath.mpf(x.str(40, radius=False)) for x in (beyond.h, beyond.pole, beyond.tilt))
        return abs((1 + square) ** -h - tilt**h * (pole + square) ** -h)


@pytest.mark.parametrize("k", [1, 5, 41])
@pytest.mark.parametrize("square", [Fraction(1, 100), Fraction(1, 4), Fraction(4)], ids=str)
@pytest.mark.parametrize("place", PLACES)
def test_the_bound_holds_at_the_corners(k, square, place):
    """The sharpest bound for d = 1, with a distance from the node of 1."""
    with working_bits(120):
        beyond = beyond_of(d=1, k=k, square=square)
        bound = beyond._bound(rectangle(*place), arb(1))
        assert all(arb(mpmath.nstr(modulus(beyond, re, im), 30)) <= bound for re, im in corners(*place))


@pytest.mark.parametrize("name", ["h", "pole", "tilt", "drop", "root", "node"])
def test_a_parameter_that_is_a_wide_ball_costs_at_least_what_each_of_its_values_does(name):
    place = rectangle(0.25, 0.375, 0.125)
    with working_bits(80):
        wide, narrow = beyond_of(), beyond_of()
        middle = getattr(wide, name)
        setattr(wide, name, arb(middle.mid(), middle.mid() / 16))
        most = wide._bound(place, arb(1))
        for share in (0.94, 0.97, 1.0, 1.03, 1.06):
            setattr(narrow, name, middle * share)
            assert narrow._bound(place, arb(1)).is_finite() and narrow._bound(place, arb(1)) <= most


def test_the_series_is_bounded_by_its_largest_value():
    """F falls on [0, 1/2]: of a wide |1-z| the largest counts."""
    with working_bits(60):
        beyond = beyond_of(d=9, k=1)
        found = beyond._series_bound(arb(1), arb(0.75, 0.125))
        for across in (0.625, 0.75, 0.875):
            assert found.upper() >= angle_series(9, 1, arb(1 - across)).upper()


def test_the_integrand_encloses_the_complex_values(monkeypatch):
    """What the quadrature is handed on a rectangle holds both parts of w^2 for each w in it."""
    taken = []

    def integral(function, *rest, **more):
        taken.append(function)
        return acb(0)

    monkeypatch.setattr(least_squares_angle, "integral", integral)
    _quadrature(lambda x: x * x, lambda w, analytic: (abs(w) ** 2).upper(), arb(0), arb(1), 10, arb(0))
    found = taken[0](rectangle(0.25, 0.75, 0.5), False)
    for re, im in corners(0.25, 0.75, 0.5):
        value = acb(re, im) ** 2
        assert found.real.contains(value.real) and found.imag.contains(value.imag)


def test_the_quadrature_of_a_square():
    """From every lower end to every upper end of wide balls."""
    low, high = arb(0.25, 0.125), arb(2, 0.25)
    with working_bits(60):
        found = _quadrature(lambda x: x * x, lambda w, analytic: (abs(w) ** 2).upper(), low, high, 10, arb(10) ** -10)
        for start, end in product((0.125, 0.25, 0.375), (1.75, 2.0, 2.25)):
            assert found.contains((arb(end) ** 3 - arb(start) ** 3) / 3)


def test_ends_that_overlap_count_with_the_largest_value():
    """A function known to be at most a ball: inside is the integral of its upper end over all between the ends."""
    found = _quadrature(lambda x: arb(1), lambda w, analytic: arb(1, 0.25), arb(1, 3), arb(1, 3), 10, arb(0))
    assert found.contains(arb(7.5)) and found.contains(arb(-7.5))


@pytest.mark.parametrize("a", [arb(1), arb(2), arb(2, 0.5), arb(3, 0.25)], ids=str)
@pytest.mark.parametrize(("least", "tall"), [(0.25, 0.5), (0.0, 0.3), (1.0, 7.0)])
def test_the_least_modulus(a, least, tall):
    """(a + X - Y)^2 + 4 X Y, the square of |a + w^2|, at all X >= least, Y <= tall and a of the ball."""
    with working_bits(10):
        found = to_fraction(_modulus(a, arb(least), arb(tall)))
    for side, more, share in product(SIDES, (0, 1, 5), (0, THREE_FIFTHS, 1)):
        here, x, y = to_fraction(a.mid()) + side * to_fraction(a.rad()), Fraction(least) + more, Fraction(tall) * share
        assert found**2 <= (here + x - y) ** 2 + 4 * x * y


@pytest.mark.parametrize("x", [arb(2), arb(3, 1), arb(5, 4), arb(7)], ids=str)
def test_the_root_is_at_least_that_of_every_number_in_the_ball(x):
    with working_bits(10):
        found = _root(x)
    assert found.is_exact() and to_fraction(found) ** 2 >= to_fraction(x.mid()) + to_fraction(x.rad())
