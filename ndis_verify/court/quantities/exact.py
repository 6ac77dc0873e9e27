"""What the quantities in ball arithmetic share: numbers that are Fractions or balls, and refusals.

An argument that is a ball is met at its two rational ends where the quantity is monotone in it.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from flint import arb

from ndis_verify.oracle.certified.engine.balls import ball, enclosure

_MOST_ROWS = 10**5

Number = Any  # a Fraction where the value is rational, else an arb


class NotExact(ArithmeticError):
    """A term has no value here that could be enclosed: none at all, or none that is within reach."""


class OutsideDomain(NotExact):
    """A term has no value here: a quantity or a function is asked for outside its domain."""


def as_ball(value: Number) -> arb:
    return ball(value) if isinstance(value, (Fraction, int)) else value


def both_ends(value: Number) -> tuple[Fraction, Fraction]:
    if isinstance(value, Fraction):
        return value, value
    if not value.is_finite():
        raise NotExact("an argument is not finite")
    found = enclosure(value)
    return found.lower, found.upper


def monotone(function: Callable[..., Number], *directed: tuple[Number, int]) -> Number:
    """A function that is monotone in each of its arguments (direction 1 or -1), on balls, from two corners."""
    ends = [both_ends(value)[::way] for value, way in directed]
    least = function(*(low for low, _ in ends))
    if all(low == high for low, high in ends):
        return least
    return as_ball(least).union(as_ball(function(*(high for _, high in ends))))


def rational(*values: Number) -> None:
    if not all(isinstance(value, Fraction) for value in values):
        raise NotExact("the divergence of a pair takes rational numbers")


def whole(*values: Number) -> None:
    if not all(isinstance(value, Fraction) for value in values):
        raise NotExact("multiplicities and sizes that are not known to be whole")
    if not all(v.denominator == 1 and v >= 1 for v in values):
        raise OutsideDomain("multiplicities and sizes are whole and positive")


def regression_record(p: Number, q: Number, d: Number, r: Number) -> None:
    """Refuses what is no record of a regression with r rows of a sketch; p may be a ball."""
    rational(q)
    whole(d, r)
    low, high = both_ends(p)
    if not 0 <= low <= high <= q < 1:
        outside = high < 0 or low > q or not 0 <= q < 1
        raise (OutsideDomain if outside else NotExact)("a record has 0 <= p <= q < 1")
    if r > _MOST_ROWS:
        raise NotExact(f"r is at most {_MOST_ROWS} here")
