"""Certified risks of denoising estimators: James-Stein, its positive part, soft threshold."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from flint import arb, ctx

from ndis_verify.arguments import nonnegative, positive, whole
from ndis_verify.enclosure import Enclosure
from ndis_verify.exact_number import InputError, exact
from ndis_verify.oracle.certified.engine.balls import ball
from ndis_verify.oracle.certified.gaussian_mechanism import settled, upper_tail
from ndis_verify.oracle.engine.precision import checked_digits


def james_stein_risk(d: Any, norm: Any, std: Any, digits: int = 30) -> Enclosure:
    """`E||(1 - (d-2) std^2/||y||^2) y - theta||^2`, y ~ N(theta, std^2 I_d), ||theta|| = norm (BW-T11).

    `std^2 (d - (d-2) 1F1(1; d/2; -norm^2/(2 std^2)))`. d an int of at least 3, norm >= 0 and std > 0 in one unit; the
    risk in its square. Relative radius at most 10^-digits. Raises `InputError`, `PrecisionError`.
    """
    d, size, spread = _checked(d, norm, std)

    def risk(size: arb, spread: arb) -> arb:
        return spread**2 * (d - (d - 2) * _share(d, (size / spread) ** 2 / 2))

    return settled(risk, {"size": size, "spread": spread}, checked_digits(digits))


def _share(d: int, mean: arb) -> arb:
    """1F1(1; d/2; -m): for a moderate m by `e^{-m} sum_k m^k/k! a/(a + k)`, a = d/2 - 1, whose terms are positive.

    From a ratio m/k below 1 on, what is left is at most the last term times the geometric sum.
    """
    if not mean < min(2 * d, _MOST_STEPS):
        return (-mean).hypgeom_1f1(1, ball(Fraction(d, 2)))
    half, weight, total, k = ball(Fraction(d, 2)) - 1, (-mean).exp(), arb(0), 0
    small = arb(2) ** -ctx.prec
    while True:
        total += weight * half / (half + k)
        k += 1
        weight = weight * mean / k
        ratio = mean / (k + 1)
        if ratio < 1 and weight < small * (1 - ratio):
            return total + arb(0).union(weight / (1 - ratio))


def positive_part_risk(d: Any, norm: Any, std: Any, digits: int = 30) -> Enclosure:
    """`E||max(0, 1 - (d-2) std^2/||y||^2) y - theta||^2`, y ~ N(theta, std^2 I_d), ||theta|| = norm.

    The James-Stein risk less `std^2 sum_k Pr[K = k] (g(d + 2k) + 4 m h(d + 2 + 2k))`, K ~ Poisson(m), m = norm^2/(2
    std^2), g(j) = E[(c - X)^2/X; X < c] and h(j) = E[c/X - 1; X < c] of a chi-square X with j degrees of freedom, c = d
    - 2. Both decrease in j, so the rest of the sum is at most Pr[K > k] times its next bracket. Arguments as
    `james_stein_risk`, d at most 10^4. Relative radius at most 10^-digits. Raises `InputError`, `PrecisionError`.
    """
    d, size, spread = _checked(d, norm, std)
    if d > _MOST_TERMS:
        raise InputError("d", d, f"must be at most {_MOST_TERMS}: the sum has a term for each")

    def risk(size: arb, spread: arb) -> arb:
        mean = (size / spread) ** 2 / 2
        plain = d - (d - 2) * _share(d, mean)
        return spread**2 * (plain - _truncation_gain(d, mean))

    return settled(risk, {"size": size, "spread": spread}, checked_digits(digits))


_MOST_TERMS, _MOST_STEPS = 10_000, 2_000_000


def _truncation_gain(d: int, mean: arb) -> arb:
    """What the positive part saves, at std 1: the first terms of the sum, and an interval for the rest of it."""
    weight, left, total = (-mean).exp(), 1 - (-mean).exp(), arb(0)
    small = arb(2) ** (-3 * ctx.prec // 4)
    for k, bracket in enumerate(_brackets(d, mean)):
        if k > 0:
            weight = weight * mean / k
            ratio = mean / (k + 1)
            # Pr[K >= k] two ways: the complement, and the geometric bound once the weights fall
            rest = ((weight / (1 - ratio)).min(left) if ratio < 1 else left) * bracket
            if rest < small or k > 200 + 30 * math.isqrt(d):
                return total + arb(0).union(rest)
            left -= weight
        total += weight * bracket
    raise AssertionError("the brackets do not end")


def _brackets(d: int, mean: arb) -> Iterator[arb]:
    """g(d + 2k) + 4 m h(d + 2 + 2k) for k = 0, 1, ...: P(a, x), a = d/2 - 1 + k, by P(a+1, x) = P(a, x) - x^a
    e^{-x}/Gamma(a+1).
    """
    cut, x, order = arb(d - 2), ball(Fraction(d - 2, 2)), ball(Fraction(d, 2)) - 1
    below, term = x.gamma_lower(order, 1), (order * x.log() - x - (order + 1).lgamma()).exp()
    j = d
    while True:
        next_term = term * x / (order + 1)
        at, above = below - term, below - term - next_term
        yield cut**2 * below / (j - 2) - 2 * cut * at + j * above + 4 * mean * (cut * at / j - above)
        below, term, order, j = at, next_term, order + 1, j + 2


def _checked(d: Any, norm: Any, std: Any) -> tuple[int, Fraction, Fraction]:
    return whole(d, "d", 3), nonnegative(norm, "norm"), positive(std, "std")


def soft_threshold_risk(mean: Any, threshold: Any, digits: int = 30) -> Enclosure:
    """`E(soft(y) - mean)^2`, y ~ N(mean, 1), soft(y) = sign(y) max(|y| - threshold, 0) (BW-T12).

    `1 + t^2 + (m^2 - t^2 - 1)(Phi(t-m) - Phi(-t-m)) - (t-m) phi(t+m) - (t+m) phi(t-m)`. Any real mean,
    threshold >= 0, in units of the std. Relative radius at most 10^-digits. Raises `InputError`, `PrecisionError`.
    """
    mean, level = exact(mean, "mean"), exact(threshold, "threshold")
    if level < 0:
        raise InputError("threshold", threshold, "must be nonnegative")
    return settled(soft_risk, {"mean": mean, "level": level}, checked_digits(digits))


def soft_risk(mean: arb, level: arb) -> arb:
    """The soft threshold's risk at balls."""
    # 1 - (inside) is written as the two tails: no cancellation for a large threshold.
    tails = upper_tail(level - mean) + upper_tail(level + mean)
    ends = (level - mean) * _density(level + mean) + (level + mean) * _density(level - mean)
    return mean**2 - (mean**2 - level**2 - 1) * tails - ends


def _density(x: arb) -> arb:
    return (-x * x / 2).exp() / (2 * arb.pi()).sqrt()
