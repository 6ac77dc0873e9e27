"""Certified values around the classical Gaussian mechanism: the delta it reaches, and the noise floor."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from flint import arb

from ndis_verify.calibrator import keyword_only
from ndis_verify.enclosure import Enclosure
from ndis_verify.exact_number import InputError, exact
from ndis_verify.oracle.certified.engine.balls import ball, enclosure, relative_digits, working_bits
from ndis_verify.oracle.engine.inputs import checked_calibration
from ndis_verify.oracle.engine.precision import PrecisionError, bits_ladder, checked_digits


@keyword_only
def classical_std(sensitivity: Any, *, epsilon: Any, delta: Any, digits: int = 30) -> Enclosure:
    """`sensitivity sqrt(2 ln(1.25/delta))/epsilon` (BW-T1).

    sensitivity > 0, epsilon > 0, delta in (0, 1); std in the unit of sensitivity. Relative radius at most 10^-digits.
    Raises `InputError`, `PrecisionError`.
    """
    size, epsilon, delta, digits = _checked(sensitivity, epsilon, delta, digits)
    return settled(
        lambda eps, target: ball(size) * classical_deviations(target) / eps, {"eps": epsilon, "target": delta}, digits
    )


@keyword_only
def classical_delta(*, epsilon: Any, delta: Any, digits: int = 30) -> Enclosure:
    """The delta that the classical std for the target `delta` reaches (BW-T1, N24-C5), relative radius 10^-digits.

    epsilon > 0, delta in (0, 1). Raises `InputError`, `PrecisionError`.
    """
    _, epsilon, delta, digits = _checked(1, epsilon, delta, digits)
    return settled(
        lambda eps, target: profile(eps / classical_deviations(target), eps), {"eps": epsilon, "target": delta}, digits
    )


def noise_floor(epsilon: Any, digits: int = 30) -> Enclosure:
    """`1/2 - e^eps Phi(-sqrt(2 eps))`: up to this delta the std must be at least Delta/sqrt(2 eps) (BW-T4).

    epsilon > 0; relative radius at most 10^-digits. Raises `InputError`, `PrecisionError`.
    """
    epsilon, digits = exact(epsilon, "epsilon"), checked_digits(digits)
    if epsilon <= 0:
        raise InputError("epsilon", epsilon, "must be positive")
    return settled(floor_delta, {"eps": epsilon}, digits)


def classical_deviations(delta: arb) -> arb:
    """sqrt(2 ln(1.25/delta)), monotone in delta; on a ball of at most 1."""
    return (2 * (ball(Fraction(5, 4)) / delta).log()).sqrt()


def floor_delta(eps: arb) -> arb:
    """The noise floor's delta at a ball."""
    return ball(Fraction(1, 2)) - eps.exp() * upper_tail((2 * eps).sqrt())


def upper_tail(x: arb) -> arb:
    """Phi(-x)."""
    return (x / arb(2).sqrt()).erfc() / 2


def mills_ratio(x: arb) -> arb:
    """Phi(-x)/phi(x), a decreasing function."""
    return (arb.pi() / 2).sqrt() * (x * x / 2).exp() * (x / arb(2).sqrt()).erfc()


def profile(shift: arb, eps: arb) -> arb:
    """The closed form of the divergence (N26-P1) at balls."""
    return upper_tail(eps / shift - shift / 2) - eps.exp() * upper_tail(eps / shift + shift / 2)


def settled(function: Callable[..., arb], values: Mapping[str, Any], digits: int) -> Enclosure:
    """`function` of exact `values`, by keyword, at a precision that gives `digits` relative digits."""
    for bits in bits_ladder(digits):
        with working_bits(bits):
            value = function(**{name: ball(exact(v, name)) for name, v in values.items()})
            if relative_digits(value) >= digits:
                return enclosure(value)
    raise PrecisionError(f"{digits} digits not reached at {bits} bits")


def _checked(sensitivity: Any, epsilon: Any, delta: Any, digits: Any) -> tuple[Fraction, Fraction, Fraction, int]:
    size, epsilon, delta, digits = checked_calibration("sensitivity", sensitivity, epsilon, delta, digits)
    if epsilon == 0:
        raise InputError("epsilon", "0", "must be positive: the classical std divides by it")
    return size, epsilon, delta, digits
