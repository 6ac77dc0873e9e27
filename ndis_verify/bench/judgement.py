"""How many digits of a float64 answer are right, and the names for answers that are not a delta at all."""

from __future__ import annotations

import math

import mpmath

from ndis_verify.enclosure import Enclosure
from ndis_verify.exact_number import exact, to_mpf

MOST_DIGITS = 16  # what a float64 can hold

Score = int | str


def score(value: float, reference: Enclosure | None) -> Score:
    """The number of correct significant digits of `value`, or "nan", "inf", "neg", ">1" for what no delta can be.

    The reference's radius counts against the value: the digits are right wherever the truth lies in it.
    Without a reference a possible delta scores "?".
    """
    if math.isnan(value):
        return "nan"
    if math.isinf(value):
        return "inf"
    if value < 0:
        return "neg"
    if value > 1:
        return ">1"
    if reference is None:
        return "?"
    error = max(abs(exact(value) - reference.lower), abs(exact(value) - reference.upper))
    if error == 0:
        return MOST_DIGITS
    size = min(abs(reference.lower), abs(reference.upper))
    if error >= size:
        return 0
    with mpmath.workdps(20):
        digits = int(mpmath.floor(-mpmath.log10(to_mpf(error) / to_mpf(size))))
    return max(0, min(digits, MOST_DIGITS))


def worst(scores: list[Score]) -> Score:
    """The worst of several scores: any word before any number, then the fewest digits."""
    words = [entry for entry in scores if isinstance(entry, str)]
    return words[0] if words else min(scores)
