"""The root of a decreasing function: found in few evaluations where it is smooth, found anyway where it is not, and
bracketed by decided signs, whatever the search is told.
"""

from fractions import Fraction

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ndis_verify.enclosure import Enclosure
from ndis_verify.exact_number import exact, to_mpf
from ndis_verify.oracle.engine.decreasing_root import decreasing_root
from ndis_verify.oracle.engine.precision import PrecisionError


class Curve:
    """x -> f(log x), evaluated to the digits that are asked for and off by as much, counted."""

    def __init__(self, function, error=0):
        self.function, self.error, self.count, self.digits = function, error, 0, 0

    def value(self, x, digits):
        self.count, self.digits = self.count + 1, self.digits + digits
        with mpmath.workdps(2 * digits + 40):
            found = self.function(mpmath.log(to_mpf(x)))
            return found * (1 + self.error * (-1) ** self.count * mpmath.mpf(10) ** -digits)

    def enclosed(self, x, digits):
        found = self.value(x, digits)
        return Enclosure(found, abs(found) * mpmath.mpf(10) ** -digits, "bound")


SMOOTH = {
    "exponential": lambda u: mpmath.exp(-mpmath.exp(u)),
    "power": lambda u: mpmath.exp(-3 * u),
    "normal tail": lambda u: mpmath.erfc(mpmath.exp(u)),
    "logistic": lambda u: 1 / (1 + mpmath.exp(7 * u)),
    "almost flat": lambda u: mpmath.exp(-u / 50),
}
KINKED = {
    "corner": lambda u: mpmath.exp(-min(u, 8 * u)),
    "corner off the root": lambda u: mpmath.exp(-max(u, 9 * u - mpmath.mpf("1e-6"))),
    "jump of the slope": lambda u: mpmath.exp(-(u if u < mpmath.mpf("1e-9") else 1000 * u - mpmath.mpf("0.999e-6"))),
}


def _is_the_root(found, function, target, digits):
    assert found.rad <= abs(found.mid) * mpmath.mpf(10) ** -digits
    with mpmath.workdps(3 * digits + 40):
        low, high = mpmath.log(to_mpf(found.lower)), mpmath.log(to_mpf(found.upper))
        assert function(low) >= to_mpf(target) >= function(high)


@pytest.mark.parametrize("digits", (12, 30, 60))
@pytest.mark.parametrize("name", SMOOTH)
def test_a_smooth_function_takes_few_evaluations(name, digits):
    """The search by brackets alone took 19 to 27 at 30 digits, most of them with all digits."""
    curve, target = Curve(SMOOTH[name], error=Fraction(1, 2)), Fraction(3, 1000)
    near = Curve(SMOOTH[name], error=Fraction(1, 2))
    guess = exact(mpmath.exp(150)) if name == "almost flat" else Fraction(1)
    found = decreasing_root(curve.enclosed, target, guess, digits, near.value)
    _is_the_root(found, SMOOTH[name], target, digits)
    assert curve.count <= 4  # two signs, once more with more digits
    assert near.count <= 24 and near.digits <= 12 * near.count + 3 * digits + 60


@pytest.mark.parametrize("digits", (12, 40))
@pytest.mark.parametrize("name", KINKED)
def test_a_function_with_a_corner_is_found_by_brackets(name, digits):
    curve = Curve(KINKED[name], error=Fraction(1, 3))
    target = Fraction(1) - Fraction(1, 10**7) if name == "corner off the root" else Fraction(1)
    found = decreasing_root(curve.enclosed, target, Fraction(2), digits)
    _is_the_root(found, KINKED[name], target, digits)


@given(
    st.fractions(Fraction(1, 50), 30, max_denominator=50),
    st.integers(-200, 200),
    st.sampled_from(["exponential", "power", "normal tail", "logistic"]),
    st.integers(5, 45),
)
def test_roots_far_from_the_guess(steepness, place, name, digits):
    """f((u - place) c), the root of which is known at one more step of the same function."""

    def moved(u):
        return SMOOTH[name](min((u - place) * to_mpf(steepness), mpmath.mpf(12)))

    target = Fraction(1, 40)
    found = decreasing_root(Curve(moved).enclosed, target, Fraction(1), digits, Curve(moved, Fraction(1, 2)).value)
    _is_the_root(found, moved, target, digits)


@pytest.mark.parametrize("lie", (lambda u: mpmath.exp(-u) * (1 + mpmath.mpf("1e-6")), lambda u: mpmath.exp(-2 * u)))
def test_a_search_that_is_misled_is_made_again_with_what_is_decided(lie):
    """Signs are decided by enclosures alone: an approximation that is wrong costs time, and never a digit."""
    honest = Curve(lambda u: mpmath.exp(-u))
    found = decreasing_root(honest.enclosed, Fraction(1, 7), Fraction(1), 20, Curve(lie).value)
    _is_the_root(found, lambda u: mpmath.exp(-u), Fraction(1, 7), 20)
    assert abs(found.mid - 7) < mpmath.mpf(10) ** -18


def test_an_enclosure_that_never_decides_is_no_root():
    def vague(x, digits):
        return Enclosure(1 / to_mpf(x), mpmath.mpf(1) / 50, "bound")

    with pytest.raises(PrecisionError, match="cannot decide the sign"):
        decreasing_root(vague, Fraction(1), Fraction(1), 15)
