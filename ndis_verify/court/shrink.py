"""A counterexample in numbers that a reader can type: fewest significant digits first, the violation kept."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import Any

from ndis_verify.court.domain import Domain, Parameter, Point

Screen = Callable[[Sequence[Point]], Iterable[bool]]
Violates = Callable[[Point], bool]
_PLAIN = tuple(Fraction(text) for text in ("1", "2", "0.5", "10", "0.1", "3", "5", "4", "0.2", "100", "0.01", "0"))
_MAX_DIGITS = 17
_MAX_PASSES = 6


def shrink(
    point: Point,
    domain: Domain,
    screen: Screen,
    violates: Violates,
) -> Point:
    """A simpler point at which `violates` still holds; `point` itself where nothing simpler is found.

    `screen(points)` says cheaply (fast engine) which points look like violations; only those that pass are put to
    `violates` (certified sign). First all continuous parameters are rounded together, to 1, 2, ... digits; then one
    parameter at a time is moved to simpler values, until a pass changes nothing. Deterministic.
    """
    best = _rounded_together(point, domain, screen, violates)
    for _ in range(_MAX_PASSES):
        before = best
        for parameter in domain.parameters:
            best = _simpler_value(best, parameter, domain, screen, violates)
        if best == before:
            break
    return best


def digits(value: Any) -> int:
    """Significant decimal digits of an exact number; 0 for zero and for a choice, 99 for no short decimal."""
    if not isinstance(value, (int, Fraction)) or value == 0:
        return 0
    value = Fraction(value)
    rest = value.denominator
    twos = (rest & -rest).bit_length() - 1
    rest >>= twos
    fives = 0
    while rest % 5 == 0:
        rest, fives = rest // 5, fives + 1
    if rest != 1:
        return 99
    places = max(twos, fives)
    return min(len(str(abs(value.numerator) * 10**places // value.denominator).rstrip("0")), 99)


def rounded(value: Fraction, count: int) -> Fraction:
    """`value` to `count` significant digits, half to even, exactly."""
    if value == 0:
        return value
    unit = Fraction(10) ** (_exponent(value) - count + 1)
    return round(value / unit) * unit


def _exponent(value: Fraction) -> int:
    value = abs(value)
    guess = math.floor(math.log10(value.numerator) - math.log10(value.denominator))
    while Fraction(10) ** guess > value:
        guess -= 1
    while Fraction(10) ** (guess + 1) <= value:
        guess += 1
    return guess


def _near(parameter: Parameter, value: Fraction, count: int) -> Fraction:
    """Rounded, at the end of (0, 1) where the number has few digits on a logit scale."""
    if parameter.scale == "logit" and value > Fraction(9, 10):
        return 1 - rounded(1 - value, count)
    return rounded(value, count)


def _rounded_together(point: Point, domain: Domain, screen: Screen, violates: Violates) -> Point:
    candidates = []
    for count in range(1, _MAX_DIGITS):
        candidate = {
            p.name: _near(p, point[p.name], count) if p.kind == "continuous" else point[p.name]
            for p in domain.parameters
        }
        if domain.contains(candidate):
            candidates.append(candidate)
    return _first(candidates, screen, violates) or point


def _simpler_value(point: Point, parameter: Parameter, domain: Domain, screen: Screen, violates: Violates) -> Point:
    values = [v for v in _candidates(parameter, point[parameter.name]) if parameter.admits(v)]
    points = [{**point, parameter.name: value} for value in values]
    return _first([p for p in points if domain.contains(p)], screen, violates) or point


def _first(candidates: list[Point], screen: Screen, violates: Violates) -> Point | None:
    if not candidates:
        return None
    for candidate, passed in zip(candidates, screen(candidates), strict=True):
        if passed and violates(candidate):
            return candidate
    return None


def _candidates(parameter: Parameter, value: Any) -> list[Any]:
    """Values simpler than `value`, the simplest first."""
    if parameter.kind == "choice":
        return list(parameter.choices[: parameter.choices.index(value)])
    if parameter.kind == "integer":
        steps = {int(parameter.low) + k for k in (0, 1, 2, 3, 4, 7)} | {value - 1, value - 2}
        steps |= {int(rounded(Fraction(value, part), n)) for n in (1, 2) for part in (1, 2, 5, 10, 100)}
        return sorted((v for v in steps if _whole(v) < _whole(value)), key=_whole)
    found = set(_PLAIN)
    for count in (1, 2, 3):
        unit = Fraction(10) ** (_exponent(value) - count + 1) if value else Fraction(1)
        middle = rounded(value, count)
        found |= {middle + k * unit for k in (-3, -2, -1, 0, 1, 2, 3)} | {_near(parameter, value, count)}
    found |= {rounded(value, count) for count in range(4, _MAX_DIGITS)}
    if value > 0:
        found |= {Fraction(10) ** k for k in range(_exponent(value) - 2, _exponent(value) + 4)}
    order = sorted(found, key=lambda v: (*_complexity(v), abs(v - value)))
    return [v for v in order if _complexity(v) < _complexity(value)]


def _whole(value: int) -> tuple[int, int]:
    return digits(value), abs(value)


def _complexity(value: Fraction) -> tuple[int, int]:
    """Digits (counted from the nearer of 0 and 1), then how far the number lies from 1 in magnitude."""
    if value == 0:
        return 1, 3
    count = min(digits(value), digits(1 - value) if Fraction(9, 10) < value < 1 else 99)
    return count, abs(_exponent(value)) if value != 1 else -1
