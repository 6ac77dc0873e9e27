"""Certified values of the mean-shift closed form (N26-P1): two Gaussians with the same covariance."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from flint import arb

from ndis_verify.calibrator import keyword_only
from ndis_verify.enclosure import Enclosure
from ndis_verify.oracle.certified.engine.balls import ball, enclosure, relative_digits, working_bits
from ndis_verify.oracle.engine.decreasing_root import decreasing_root
from ndis_verify.oracle.engine.inputs import checked_calibration, checked_mean_shift
from ndis_verify.oracle.engine.precision import PrecisionError, bits_ladder


def gaussian_hockey_stick(sensitivity: Any, std: Any, epsilon: Any, digits: int = 30) -> Enclosure:
    """`delta = Phi(D/2 - eps/D) - e^eps Phi(-D/2 - eps/D)`, D = sensitivity/std (N26-P1, BW-T8), enclosed with proof.

    sensitivity >= 0 and std > 0 in one unit; any real epsilon. Relative radius at most 10^-digits.
    Raises `InputError`, `PrecisionError`.

    Examples
    --------
    >>> from ndis_verify.oracle import certified_gaussian_hockey_stick
    >>> print(certified_gaussian_hockey_stick(1, 2, "0.5", digits=12).decimal(12)[0])
    0.0524403232877
    """
    shift, epsilon, digits = checked_mean_shift(sensitivity, std, epsilon, digits)
    return delta_of(shift, epsilon, digits)


@keyword_only
def gaussian_std(sensitivity: Any, *, epsilon: Any, delta: Any, digits: int = 30) -> Enclosure:
    """The smallest std with `gaussian_hockey_stick(sensitivity, std, epsilon) <= delta`, bracketed by certified signs.

    sensitivity > 0, epsilon >= 0, delta in (0, 1). The curve decreases in std (N24-P6, BW-L7). Relative radius at most
    10^-digits. Raises `InputError`, `PrecisionError`.

    Examples
    --------
    >>> from ndis_verify.oracle import certified_gaussian_std
    >>> print(certified_gaussian_std(1, epsilon=1, delta="1e-5", digits=12).decimal(12)[0])
    3.73063163482
    """
    sensitivity, epsilon, delta, digits = checked_calibration("sensitivity", sensitivity, epsilon, delta, digits)
    return decreasing_root(lambda std, n: delta_of(sensitivity / std, epsilon, n), delta, sensitivity, digits)


def delta_of(shift: Fraction, epsilon: Fraction, digits: int) -> Enclosure:
    """The curve at a shift >= 0; the arguments are taken as checked."""
    for bits in bits_ladder(digits):
        with working_bits(bits):
            value = _closed_form(ball(shift), ball(epsilon)) if shift else _no_shift(epsilon)
            if relative_digits(value) >= digits:
                return enclosure(value)
    raise PrecisionError(f"gaussian_hockey_stick: {digits} digits not reached at {bits} bits")


def _no_shift(epsilon: Fraction) -> arb:
    return -ball(epsilon).expm1() if epsilon < 0 else arb(0)


def _closed_form(shift: arb, epsilon: arb) -> arb:
    root = arb(2).sqrt()
    near, far = (epsilon / shift - shift / 2) / root, (epsilon / shift + shift / 2) / root
    return (near.erfc() - epsilon.exp() * far.erfc()) / 2
