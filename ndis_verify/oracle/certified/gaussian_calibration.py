"""Stds of the Gaussian mechanism: the analytic one as its algorithm writes it (a root of B+ or B-, then alpha), the
slides' one.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from flint import arb

from ndis_verify.calibrator import keyword_only
from ndis_verify.enclosure import Enclosure
from ndis_verify.exact_number import InputError
from ndis_verify.oracle.certified.engine.balls import ball, enclosure, relative_digits, working_bits
from ndis_verify.oracle.certified.gaussian_mechanism import floor_delta, settled, upper_tail
from ndis_verify.oracle.engine.inputs import checked_calibration
from ndis_verify.oracle.engine.precision import PrecisionError, bits_ladder

_DOUBLINGS = 4000


@keyword_only
def analytic_std(sensitivity: Any, *, epsilon: Any, delta: Any, digits: int = 30) -> Enclosure:
    """The smallest valid std, `alpha sensitivity/sqrt(2 epsilon)` by the root of B+ or B- (BW-Alg1, BW-T9), certified.

    sensitivity > 0, epsilon > 0, delta in (0, 1); std in the unit of sensitivity. Every step of the bisection has a
    decided sign. Relative radius at most 10^-digits. Raises `InputError`, `PrecisionError`.
    """
    size, epsilon, delta, digits = checked_calibration("sensitivity", sensitivity, epsilon, delta, digits)
    if epsilon == 0:
        raise InputError("epsilon", "0", "must be positive: the algorithm divides by it")
    for bits in bits_ladder(digits, guard=96):
        with working_bits(bits):
            bracket = _root(epsilon, delta, bits)
            if bracket is None:
                continue
            plus, low, high = bracket
            alpha = _alpha(ball(low), plus).union(_alpha(ball(high), plus))  # alpha is monotone in u
            std = alpha * ball(size) / (2 * ball(epsilon)).sqrt()
            if relative_digits(std) >= digits:
                return enclosure(std)
    raise PrecisionError(f"analytic_std: {digits} digits not reached at {bits} bits")


@keyword_only
def rho_std(sensitivity: Any, *, epsilon: Any, delta: Any, digits: int = 30) -> Enclosure:
    """`sensitivity/sqrt(rho)`, `sqrt(rho) = sqrt(2 l + 2 epsilon) - sqrt(2 l)`, l = ln(1/delta) (SL-2), certified.

    sensitivity > 0, epsilon > 0, delta in (0, 1); std in the unit of sensitivity. Relative radius at most 10^-digits.
    Raises `InputError`, `PrecisionError`.
    """
    size, epsilon, delta, digits = checked_calibration("sensitivity", sensitivity, epsilon, delta, digits)
    if epsilon == 0:
        raise InputError("epsilon", "0", "must be positive: rho is 0 there")

    def std(size: arb, epsilon: arb, delta: arb) -> arb:
        level = -2 * delta.log()
        return size * ((level + 2 * epsilon).sqrt() + level.sqrt()) / (2 * epsilon)

    return settled(std, {"size": size, "epsilon": epsilon, "delta": delta}, digits)


def _root(epsilon: Fraction, delta: Fraction, bits: int) -> tuple[bool, Fraction, Fraction] | None:
    """(branch is B+, low, high) around the root u, or None where a sign is not decided."""
    eps, target = ball(epsilon), ball(delta)
    start = target - floor_delta(eps)
    if not (start > 0 or start < 0):
        return None
    plus = bool(start > 0)

    def beyond(u: Fraction) -> bool | None:
        """Whether u lies past the root; None where undecided."""
        gap = _curve(ball(u), eps, plus) - target
        if not (gap > 0 or gap < 0):
            return None
        return bool(gap > 0) if plus else bool(gap < 0)

    low, high = Fraction(0), Fraction(1)
    for _ in range(_DOUBLINGS):
        past = beyond(high)
        if past:
            break
        if past is None:
            return None
        low, high = high, 2 * high
    small = Fraction(2) ** (64 - bits)
    while high - low > small * max(high, small):
        middle = (low + high) / 2
        past = beyond(middle)
        if past is None:
            break  # the bracket is as good as this precision allows
        low, high = (low, middle) if past else (middle, high)
    return plus, low, high


def _curve(u: arb, eps: arb, plus: bool) -> arb:
    """B+(u) or B-(u)."""
    near = (eps * u).sqrt()
    return upper_tail(-near if plus else near) - eps.exp() * upper_tail((eps * (u + 2)).sqrt())


def _alpha(u: arb, plus: bool) -> arb:
    """sqrt(1 + u/2) -/+ sqrt(u/2); the difference as a reciprocal, which does not cancel."""
    total = (1 + u / 2).sqrt() + (u / 2).sqrt()
    return 1 / total if plus else total
