"""Chernoff bounds of covariance shifts in the Loewner order, as enclosures: the least value over s, proved by
convexity.

lambda_i >= 1 are the eigenvalues of the more spread covariance relative to the other one, l_i = log lambda_i, nu = sum
l_i.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import mpmath
from flint import arb

from ndis_verify.enclosure import Enclosure
from ndis_verify.exact_number import InputError, exact, to_mpf
from ndis_verify.oracle.certified.engine.balls import (
    ball,
    enclosure,
    exact_one,
    exact_zero,
    relative_digits,
    working_bits,
)
from ndis_verify.oracle.engine.precision import PrecisionError, bits_ladder, checked_digits

_LEAST_EXPONENT = -8000


def less_spread_bound(eigenvalues: Any, epsilon: Any, digits: int = 30) -> Enclosure:
    """The bound printed in N26-L2: inf_{s>0} e^{s(nu - 2 eps)} prod (1 + 2s(1 - e^{-l_i}))^{-1/2}, and 0 once 2 eps >=
    nu.

    An upper bound on delta of N(0, S1) against N(0, S2) where S1 <= S2 (P the less spread law), not in the other
    direction. eigenvalues: a sequence of exact numbers >= 1; epsilon >= 0. Enclosed with proof, relative radius at most
    10^-digits. Raises `InputError`, `PrecisionError`.
    """
    return _enclosed(eigenvalues, epsilon, digits, _LessSpread)


def chernoff_bound(eigenvalues: Any, epsilon: Any, digits: int = 30) -> Enclosure:
    """inf_s e^{-s(2 eps + nu)} prod (1 - 2s(e^{l_i} - 1))^{-1/2}, the Chernoff bound of Pr[L >= eps] where S1 >= S2.

    `more_spread_bound` without its factor s^s/(1+s)^{1+s}; arguments as in `less_spread_bound`.
    """
    return _enclosed(eigenvalues, epsilon, digits, _Chernoff)


def more_spread_bound(eigenvalues: Any, epsilon: Any, digits: int = 30) -> Enclosure:
    """inf_{0<s<1/max(e^{l_i}-1)} s^s (1+s)^{-1-s} e^{-s(eps + nu/2)} prod (1 - s(e^{l_i} - 1))^{-1/2}
    (N26-L2-corrected).

    An upper bound on delta of two centred Gaussians with comparable covariances, in both directions.
    Arguments as in `less_spread_bound`.
    """
    return _enclosed(eigenvalues, epsilon, digits, _MoreSpread)


@dataclass(frozen=True)
class _LessSpread:
    """s t - (1/2) sum log(1 + 2 s w_i), w_i = 1 - 1/lambda_i, t = nu - 2 eps > 0."""

    eigenvalues: tuple[Fraction, ...]
    epsilon: Fraction
    right: Fraction | None = None  # end of the range of s

    def trivial(self) -> Enclosure | None:
        """The bound where the infimum is an end of the range."""
        slack = _nu(self.eigenvalues) - 2 * ball(self.epsilon)
        if slack <= 0:
            return exact_zero()
        return exact_one() if self.slope(arb(0)) >= 0 else None

    def value(self, s: arb) -> arb:
        logs = sum((1 + 2 * s * ball(1 - 1 / x)).log() for x in self.eigenvalues)
        return s * (_nu(self.eigenvalues) - 2 * ball(self.epsilon)) - logs / 2

    def slope(self, s: arb) -> arb:
        pull = sum(ball(1 - 1 / x) / (1 + 2 * s * ball(1 - 1 / x)) for x in self.eigenvalues)
        return _nu(self.eigenvalues) - 2 * ball(self.epsilon) - pull


@dataclass(frozen=True)
class _Chernoff:
    """-s (eps + nu/2) - (1/2) sum log(1 - s alpha_i) on 0 <= s < 1/max alpha, alpha_i = lambda_i - 1."""

    eigenvalues: tuple[Fraction, ...]
    epsilon: Fraction

    @property
    def right(self) -> Fraction:
        return 1 / (max(self.eigenvalues) - 1)

    def trivial(self) -> Enclosure | None:
        if max(self.eigenvalues) == 1:
            return exact_zero() if self.epsilon > 0 else exact_one()
        return exact_one() if self.slope(arb(0)) >= 0 else None

    def value(self, s: arb) -> arb:
        logs = sum((1 - s * ball(x - 1)).log() for x in self.eigenvalues)
        return -s * (ball(self.epsilon) + _nu(self.eigenvalues) / 2) - logs / 2

    def slope(self, s: arb) -> arb:
        pull = sum(ball(x - 1) / (1 - s * ball(x - 1)) for x in self.eigenvalues)
        return pull / 2 - ball(self.epsilon) - _nu(self.eigenvalues) / 2


@dataclass(frozen=True)
class _MoreSpread(_Chernoff):
    """The same plus s log s - (1+s) log(1+s)."""

    def trivial(self) -> Enclosure | None:
        return exact_zero() if max(self.eigenvalues) == 1 else None

    def value(self, s: arb) -> arb:
        return super().value(s) + s * s.log() - (1 + s) * (1 + s).log()

    def slope(self, s: arb) -> arb:
        return super().slope(s) + (s / (1 + s)).log()

    def before(self, s: arb) -> arb:
        """A lower bound of the exponent on (0, s], s < 1/e: its positive terms left out, s log s at its least."""
        return s * s.log() - 2 * s - s * (ball(self.epsilon) + _nu(self.eigenvalues) / 2)


def _nu(eigenvalues: Sequence[Fraction]) -> arb:
    return sum((ball(x).log() for x in eigenvalues), arb(0))


def _enclosed(eigenvalues: Any, epsilon: Any, digits: int, form: Callable[..., Any]) -> Enclosure:
    try:
        values = tuple(exact(x, "eigenvalues") for x in eigenvalues)
    except TypeError:
        raise InputError("eigenvalues", eigenvalues, "must be a sequence of numbers") from None
    if not values or min(values) < 1:
        raise InputError(
            "eigenvalues", str(min(values, default="none")), "must be at least one number, each at least 1"
        )
    epsilon, digits = exact(epsilon, "epsilon"), checked_digits(digits)
    if epsilon < 0:
        raise InputError("epsilon", epsilon, "must be nonnegative")
    exponent = form(values, epsilon)
    for bits in bits_ladder(2 * digits):
        with working_bits(bits):
            found = exponent.trivial()
            if found is not None:
                return found
            value = _least(exponent, bits)
            if value is not None and relative_digits(value) >= digits:
                return enclosure(value)
    raise PrecisionError(f"covariance bound: {digits} digits not reached at {bits} bits")


def _least(exponent: Any, bits: int) -> arb | None:
    """exp of the least value of a convex exponent: signs of the slope at s-, s+ bracket the place, tangents bound the
    value.
    """
    place = _bisected(exponent, bits)
    if place is None:
        return None
    low, high = place
    left, right = exponent.slope(low), exponent.slope(high)
    if left > 0 and isinstance(exponent, _MoreSpread):  # the least value lies below every s that was tried
        return arb(1).union(exponent.before(low).exp())
    if not (left < 0 and right > 0):
        return None
    top = exponent.value(low)
    bottom = top + left * (high - low)  # the tangent at low, at its lowest on [low, high]
    return top.union(bottom).exp().min(arb(1))


def _bisected(exponent: Any, bits: int) -> tuple[arb, arb] | None:
    """s- < s+ with slopes of proved sign, about half the working precision apart; None where rounding hides a sign."""
    right = exponent.right
    with mpmath.workprec(bits):
        end = None if right is None else to_mpf(right)
        low, high = mpmath.mpf(2) ** -60, mpmath.mpf(2) ** 60  # odds s/(end - s), or s itself

        def place(odds: mpmath.mpf) -> arb:
            return ball(exact(odds if end is None else end * odds / (1 + odds)))

        while low > mpmath.mpf(2) ** _LEAST_EXPONENT and not exponent.slope(place(low)) < 0:
            low = low * low
        if not exponent.slope(place(low)) < 0:
            return place(low), place(high)
        while high < mpmath.mpf(2) ** min(-_LEAST_EXPONENT, bits) and not exponent.slope(place(high)) > 0:
            high = high * 4
        for _ in range(bits):
            middle = mpmath.sqrt(low * high)
            slope = exponent.slope(place(middle))
            if slope > 0:
                high = middle
            elif slope < 0:
                low = middle
            else:
                break
            if high / low - 1 < mpmath.mpf(2) ** (-bits // 2):
                break
        return place(low), place(high)
