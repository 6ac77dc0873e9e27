"""Columns of float64 numbers that carry their own size and a first-order bound of their rounding errors.

A value is `mantissa * e^exponent`, known up to `error * e^exponent`. So a tail of 1e-5000 is a number like any other,
and a difference that has cancelled says that it has: an attack on an identity counts as a violation only what is left
when the errors of both sides are taken away.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import digamma, erfcx, gammainc, gammaincc, gammaln, ndtr, ndtri_exp

_UNIT = 2.0**-51  # four times the unit roundoff: what one operation of numpy or scipy's libm may lose
_SPECIAL = 2e-13  # relative error granted to scipy's incomplete gamma and error functions
_FAR = -5.0
_SMALL = 1e-280
_STEPS = 400


@dataclass(frozen=True)
class Scaled:
    """mantissa * e^exponent, wrong by at most error * e^exponent (to first order); arrays of one shape."""

    mantissa: Any
    exponent: Any
    error: Any

    def value(self) -> np.ndarray:
        """As plain floats, which may underflow."""
        with np.errstate(over="ignore", invalid="ignore"):
            return np.where(self.mantissa == 0, 0.0, self.mantissa * np.exp(self.exponent))

    def slack(self) -> np.ndarray:
        """The error as plain floats."""
        with np.errstate(over="ignore", invalid="ignore"):
            found = self.error * np.exp(self.exponent)
        return np.where(np.isnan(found), np.inf, found)


def scaled(value: Any, error: Any = 0.0) -> Scaled:
    """Plain floats with an absolute error."""
    value = np.asarray(value, dtype=float)
    return Scaled(value, np.zeros(value.shape), np.broadcast_to(error, value.shape).astype(float))


def from_log(log: Any, error: Any) -> Scaled:
    """e^log, where `log` may be -inf, wrong by at most `error`."""
    log = np.asarray(log, dtype=float)
    zero = np.isneginf(log)
    mantissa, exponent = np.where(zero, 0.0, 1.0), np.where(zero, 0.0, log)
    return Scaled(mantissa, exponent, mantissa * np.expm1(np.minimum(error + _UNIT * np.abs(exponent), 700)))


def added(one: Scaled, other: Scaled, sign: float = 1.0) -> Scaled:
    """one + sign * other."""
    low = np.minimum(one.exponent, other.exponent)
    top = np.maximum(np.where(_nothing(one), low, one.exponent), np.where(_nothing(other), low, other.exponent))
    a, b = one.exponent - top, other.exponent - top
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        first, second = (np.where(_nothing(x), 0.0, np.exp(gap)) for x, gap in ((one, a), (other, b)))
        left, right = one.mantissa * first, other.mantissa * second
        error = one.error * first + other.error * second
        error = error + _UNIT * ((1 + np.abs(a)) * np.abs(left) + (1 + np.abs(b)) * np.abs(right))
    return Scaled(left + sign * right, top, _known(error))


def multiplied(one: Scaled, other: Scaled) -> Scaled:
    size = np.abs(one.mantissa * other.mantissa)
    with np.errstate(invalid="ignore"):
        error = np.abs(one.mantissa) * other.error + np.abs(other.mantissa) * one.error + one.error * other.error
    exponent = one.exponent + other.exponent
    return Scaled(one.mantissa * other.mantissa, exponent, _known(error + size * _UNIT * (1 + np.abs(exponent))))


def divided(one: Scaled, other: Scaled) -> Scaled:
    """one / other; where `other` may be 0 nothing is known."""
    safe = np.abs(other.mantissa) > other.error
    below = np.where(safe, other.mantissa, 1.0)
    quotient, exponent = one.mantissa / below, one.exponent - other.exponent
    with np.errstate(invalid="ignore"):
        error = (one.error + np.abs(quotient) * other.error) / np.where(safe, np.abs(below) - other.error, 1.0)
    error = error + np.abs(quotient) * _UNIT * (1 + np.abs(exponent))
    return Scaled(quotient, exponent, np.where(safe, _known(error), np.inf))


def exponential(x: Scaled) -> Scaled:
    value, slack = _plain(x)
    return Scaled(np.ones(value.shape), value, np.expm1(np.minimum(slack + _UNIT * np.abs(value), 700.0)))


def logarithm(x: Scaled) -> Scaled:
    """log x; where x may be <= 0 nothing is known."""
    safe = x.mantissa > x.error
    mantissa = np.where(safe, x.mantissa, 1.0)
    value = np.log(mantissa) + x.exponent
    error = -np.log1p(-np.minimum(x.error / mantissa, 1 - 1e-16)) + _UNIT * (1 + np.abs(x.exponent) + np.abs(value))
    return Scaled(value, np.zeros(value.shape), np.where(safe, error, np.inf))


def power(x: Scaled, number: float) -> Scaled:
    """x^number for x > 0, or any x and a whole number; of 0, and of what may be 0, for a positive number."""
    if float(number).is_integer() and number >= 0:
        found = scaled(np.ones(np.shape(x.mantissa)))
        for _ in range(int(number)):
            found = multiplied(found, x)
        return found
    found = exponential(multiplied(scaled(np.full(np.shape(x.mantissa), number)), logarithm(x)))
    near_zero = (x.mantissa >= 0) & (x.mantissa <= x.error) & (number > 0)
    with np.errstate(invalid="ignore"):
        at_most = (x.mantissa + x.error) ** number
        value, exponent = np.abs(x.mantissa) ** number, x.exponent * number
    return Scaled(
        np.where(near_zero, value, found.mantissa),
        np.where(near_zero, exponent, found.exponent),
        np.where(near_zero, at_most, found.error),
    )


def normal_cdf(x: Scaled) -> Scaled:
    """Phi(x)."""
    value, slack = _plain(x)
    far = value < _FAR
    low = np.where(far, value, _FAR)
    mantissa = np.where(far, erfcx(-low / np.sqrt(2)) / 2, ndtr(value))
    exponent = np.where(far, -(low**2) / 2, 0.0)
    hazard = np.where(value < 0, np.abs(value) + 1, 1.0) + slack
    relative = np.expm1(np.minimum(hazard * slack + _SPECIAL + 3 * _UNIT * np.abs(exponent), 700))
    return Scaled(mantissa, exponent, mantissa * relative)


def normal_density(x: Scaled) -> Scaled:
    """phi(x)."""
    value, slack = _plain(x)
    error = np.abs(value) * slack + slack**2 + 2 * _UNIT * (1 + value**2)
    return from_log(-(value**2) / 2 - np.log(2 * np.pi) / 2, error)


def normal_quantile(p: Scaled) -> Scaled:
    """Phi^-1(p); nothing is known where p may not lie in (0, 1)."""
    value, slack = _plain(p)
    safe = (p.mantissa > p.error) & (value + slack < 1)
    logs = np.where(safe, np.log(np.where(safe, p.mantissa, 1.0)) + p.exponent, -1.0)
    z = ndtri_exp(logs)
    relative = np.where(safe, p.error / np.where(safe, p.mantissa - p.error, 1.0), np.inf)
    hazard = np.exp(logs + z**2 / 2) * np.sqrt(2 * np.pi)
    error = hazard * (relative + _SPECIAL + _UNIT * (np.abs(logs) + np.abs(z)))
    return Scaled(z, np.zeros(z.shape), np.where(safe, _known(error + _SPECIAL * np.abs(z)), np.inf))


def gamma_function(x: Scaled) -> Scaled:
    """Gamma(x), x > 0; nothing is known where x may not be positive."""
    value, slack = _plain(x)
    safe = value > 2 * slack
    at = np.where(safe, value, 1.0)
    log = gammaln(at)
    steep = np.maximum(np.abs(digamma(at - np.where(safe, slack, 0.0))), np.abs(digamma(at + slack)))
    return known_where(from_log(log, steep * slack + _SPECIAL + 4 * _UNIT * np.abs(log)), safe)


def lower_gamma(order: Scaled, x: Scaled) -> Scaled:
    """P(order, x), the regularised lower incomplete gamma function, x >= 0 clipped; the order is exact."""
    (a, _), (value, slack) = _plain(order), _plain(x)
    value = np.maximum(value, 0.0)
    plain = gammainc(a, value)
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        density = np.exp((a - 1) * np.log(np.maximum(value, 1e-300)) - value - gammaln(a))
        error = plain * _SPECIAL * 5 + density * slack * 2 + np.where((plain < _SMALL) & (value > 0), np.inf, 0.0)
    return Scaled(plain, np.zeros(plain.shape), _known(np.where(slack > 1e-3 * value, np.inf, error)))


def chi2_density(dof: Scaled, x: Scaled) -> Scaled:
    """The chi-square density, x > 0; the degrees of freedom are exact."""
    (r, _), (value, slack) = _plain(dof), _plain(x)
    safe = (value > 2 * slack) & (r > 0)
    at, half = np.where(safe, value, 1.0), r / 2
    parts = ((half - 1) * np.log(at), -at / 2, -half * np.log(2), -gammaln(half))
    error = 2 * slack * (np.abs(half - 1) / at + 0.5) + 4 * _UNIT * (1 + sum(np.abs(part) for part in parts))
    return from_log(sum(parts), np.where(safe, error, np.inf))


def upper_gamma(order: Scaled, x: Scaled) -> Scaled:
    """Q(order, x), the regularised upper incomplete gamma function, x >= 0 clipped; the order is exact."""
    a, _ = _plain(order)
    value, slack = _plain(x)
    value = np.maximum(value, 0.0)
    plain = gammaincc(a, value)
    tail = (plain < _SMALL) & (value > a + 1)
    log_density = (a - 1) * np.log(np.maximum(value, 1e-300)) - value - gammaln(a)
    fraction = _gamma_fraction(a, np.where(tail, value, a + 2))
    mantissa = np.where(tail, np.maximum(value, 1e-300) * fraction, plain)
    exponent = np.where(tail, log_density, 0.0)
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        hazard = np.where(tail, 1.0 / fraction / np.maximum(value, 1e-300), np.exp(log_density - np.log(plain)))
        moved = np.nan_to_num(hazard * slack, nan=0.0, posinf=700.0) + slack * (slack > 1e-3)
    lost = np.where(tail, 4 * _UNIT * (value + a * (1 + np.abs(np.log(np.maximum(value, 1e-300)))) + a), 0.0)
    return Scaled(mantissa, exponent, mantissa * np.expm1(np.minimum(moved + _SPECIAL * 5 + lost, 700)))


def larger(one: Scaled, other: Scaled, sign: float = 1.0) -> Scaled:
    """The larger one (sign 1), or the smaller one (sign -1), as plain floats."""
    (first, first_slack), (second, second_slack) = _plain(one), _plain(other)
    pick = np.maximum if sign > 0 else np.minimum
    return scaled(pick(first, second), np.maximum(first_slack, second_slack))


def absolute(x: Scaled) -> Scaled:
    return Scaled(np.abs(x.mantissa), x.exponent, x.error)


def relative_excess(larger_one: Scaled, smaller: Scaled) -> tuple[np.ndarray, np.ndarray]:
    """((larger - smaller)/max(|larger|, |smaller|), and how much of that may be error); 0 where both are 0."""
    gap = added(larger_one, smaller, -1.0)
    sizes = [np.abs(x.mantissa) * np.exp(np.minimum(x.exponent - gap.exponent, 0)) for x in (larger_one, smaller)]
    size = np.maximum(*sizes)
    known = np.isfinite(gap.error) & np.isfinite(gap.mantissa)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(size > 0, gap.mantissa / size, 0.0)
        error = np.where(size > 0, gap.error / size, np.where(gap.error > 0, np.inf, 0.0))
    return np.where(known, ratio, 0.0), np.where(known, error, np.inf)


def _gamma_fraction(a: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Gamma(a, x) e^x x^{-a} by Legendre's continued fraction (modified Lentz), for x > a + 1."""
    b = x + 1 - a
    c, d = np.full(np.shape(b), 1e300), 1 / b
    found = d
    for k in range(1, _STEPS):
        step = -k * (k - a)
        b = b + 2
        d = 1 / (step * d + b)
        c = b + step / c
        found = found * (c * d)
        if np.all(np.abs(c * d - 1) < 1e-15):
            break
    return found


def _plain(x: Scaled) -> tuple[np.ndarray, np.ndarray]:
    """(values, errors) as plain floats, for functions that take them; what is not finite is unknown."""
    value, slack = x.value(), x.slack()
    bad = ~np.isfinite(value)
    return np.where(bad, 1.0, value), np.where(bad, np.inf, slack + _UNIT * np.abs(value) * np.abs(x.exponent))


def _nothing(x: Scaled) -> np.ndarray:
    return (x.mantissa == 0) & (x.error == 0)


def _known(error: np.ndarray) -> np.ndarray:
    return np.where(np.isnan(error), np.inf, error)


def known_where(found: Scaled, good: np.ndarray) -> Scaled:
    return Scaled(found.mantissa, found.exponent, np.where(good, found.error, np.inf))


def ones(like: Scaled) -> Scaled:
    return scaled(np.ones(np.shape(like.mantissa)))


def nothing(like: Scaled) -> Scaled:
    return scaled(np.zeros(np.shape(like.mantissa)))


def over(one: Scaled) -> Scaled:
    with np.errstate(all="ignore"):
        return scaled(1 / one.value(), one.slack() / np.square(one.value()))
