"""What each mechanism asks for, and what a noise level delivers, for records of norm 1: certified values of the oracle.

A noise level is a standard deviation over the norm bound (or the sensitivity); what it delivers falls as it grows.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from math import isqrt
from typing import Any

from ndis_verify.enclosure import Enclosure
from ndis_verify.exact_number import InputError
from ndis_verify.oracle import baselines, mechanism_noise
from ndis_verify.oracle.certified.least_squares.worst_case import als_worst_case
from ndis_verify.oracle.certified.mean_shift import gaussian_hockey_stick
from ndis_verify.oracle.certified.random_projection import rp_hockey_stick
from ndis_verify.oracle.certified.subsampled_gaussian import subsampled_gaussian

_DIGITS = 12
_SCALE = 10**24  # roots of bounds are rounded outward to this share of 1
Interval = tuple[Fraction, Fraction]


@dataclass(frozen=True)
class Setting:
    """The target, and the sizes of the mechanism where it has any: r columns, d features; the rate of samples, and how
    many steps.
    """

    epsilon: Fraction
    delta: Fraction
    r: int | None = None
    d: int | None = None
    rate: Fraction | None = None
    steps: int | None = None

    def sized(self, name: str, size: int) -> Setting:
        """The same with r or d of that size."""
        return replace(self, r=size) if name == "r" else replace(self, d=size)


@dataclass(frozen=True)
class Rule:
    """`asked(setting)`: the variance that a rule asks for, over the squared bound; None: it is not sought. needs: which
    sizes it takes. `delivered(level, epsilon, setting)`: the greatest delta at that level.
    """

    asked: Callable[[Setting], Enclosure] | None
    delivered: Callable[[Fraction, Fraction, Setting], Interval]
    needs: tuple[str, ...] = ("r",)

    def level(self, setting: Setting) -> Interval:
        """The standard deviation asked for over the bound, as an interval of rationals."""
        if self.asked is None:
            raise InputError("mechanism", "subsampled gaussian", "has no rule that gives its noise")
        found = self.asked(setting)
        return root(found.lower)[0], root(found.upper)[1]


def root(value: Fraction) -> Interval:
    """Two rationals around the square root of value >= 0, 10^-24 apart."""
    floor = isqrt(value.numerator * _SCALE**2 // value.denominator)
    return Fraction(floor, _SCALE), Fraction(floor + 1, _SCALE)


def _projected(level: Fraction, epsilon: Fraction, setting: Setting) -> Interval:
    """Of the database of one record at the bound, whose leverage above the ridge is the largest, 1/(1 + level^2)."""
    leverage = 1 / (1 + level**2)
    both = [rp_hockey_stick(leverage, setting.r, epsilon, way, _DIGITS) for way in ("delete", "insert")]
    return max(one.lower for one in both), min(max(one.upper for one in both), Fraction(1))


def _regressed(level: Fraction, epsilon: Fraction, setting: Setting) -> Interval:
    """The supremum over records whose leverage in [B b] is at most 1/(1 + level^2), by the limiting normal law."""
    found = als_worst_case(1 / (1 + level**2), setting.d, setting.r, epsilon).value
    return found.lower, min(found.upper, Fraction(1))


def _shifted(level: Fraction, epsilon: Fraction, setting: Setting) -> Interval:
    found = gaussian_hockey_stick(1, level, epsilon, _DIGITS)
    return found.lower, min(found.upper, Fraction(1))


def _sampled(level: Fraction, epsilon: Fraction, setting: Setting) -> Interval:
    """Of private gradient descent: a record in every sample with the rate, removed or added."""
    assert setting.rate is not None
    step = Fraction(1, max(400, math.ceil(Fraction(17, 8) / setting.rate)))  # a share of the least loss of a step
    return subsampled_gaussian(level, setting.rate, setting.steps, epsilon, step=step)


def _target(setting: Setting) -> dict[str, Any]:
    return {"epsilon": setting.epsilon, "delta": setting.delta}


def _variance(setting: Setting, rule: str) -> Enclosure:
    std = mechanism_noise.gaussian_mechanism(1, **_target(setting), rule=rule, digits=_DIGITS)
    return Enclosure(std.mid**2, std.rad * (2 * std.mid + std.rad) + std.mid**2 / 2**40, std.basis)


RULES: Mapping[str, Rule] = {
    "random projection": Rule(
        lambda s: mechanism_noise.random_projection(s.r, **_target(s), norm_bound=1, digits=_DIGITS), _projected
    ),
    "random projection, as printed": Rule(
        lambda s: mechanism_noise.random_projection(s.r, **_target(s), norm_bound=1, ridge="N24-Fig3", digits=_DIGITS),
        _projected,
    ),
    "random projection, Sheffet 2019": Rule(
        lambda s: baselines.sheffet(s.r, **_target(s), norm_bound=1, digits=_DIGITS), _projected
    ),
    "random projection, Blocki et al. 2012": Rule(
        lambda s: baselines.blocki(s.r, **_target(s), norm_bound=1, digits=_DIGITS), _projected
    ),
    "least squares": Rule(
        lambda s: mechanism_noise.least_squares(s.d, s.r, **_target(s), norm_bound=1, digits=6), _regressed, ("r", "d")
    ),
    "least squares, as printed": Rule(
        lambda s: mechanism_noise.least_squares(s.d, s.r, **_target(s), norm_bound=1, noise="N24-Fig4", digits=6),
        _regressed,
        ("r", "d"),
    ),
    "gaussian": Rule(lambda s: _variance(s, "analytic"), _shifted, ()),
    "gaussian, classical": Rule(lambda s: _variance(s, "classical"), _shifted, ()),
    "subsampled gaussian": Rule(None, _sampled, ("rate", "steps")),
}
LEAST: Mapping[str, str] = {  # the rule of the least noise that the same mechanism needs
    name: name.split(",")[0] for name in RULES
}
