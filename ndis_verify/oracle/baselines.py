"""The noise of other authors' calibrations to any number of digits, certified: printed formulas at exact numbers, and
one root.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from flint import arb

from ndis_verify.arguments import one_of, positive
from ndis_verify.calibrator import keyword_only
from ndis_verify.enclosure import Enclosure
from ndis_verify.exact_number import InputError
from ndis_verify.oracle.certified.channel import information_level
from ndis_verify.oracle.certified.engine.balls import ball, enclosure, relative_digits, working_bits
from ndis_verify.oracle.certified.gaussian_mechanism import settled
from ndis_verify.oracle.engine.decreasing_root import decreasing_root, hull, scaled
from ndis_verify.oracle.engine.inputs import checked_calibration
from ndis_verify.oracle.engine.precision import PrecisionError, bits_ladder, checked_digits

CONVERSIONS = ("binary", "pinsker")


@keyword_only
def sheffet(r: Any, *, epsilon: Any, delta: Any, norm_bound: Any, digits: int = 30) -> Enclosure:
    """The ridge `4 l^2 (sqrt(2 r L) + L)/epsilon`, L = ln(4/delta) (Sheffet 2019). r a positive int, epsilon > 0, delta
    in (0, 1).
    """

    def ridge(size: arb, r: arb, eps: arb, delta: arb) -> arb:
        level = (4 / delta).log()
        return 4 * size * ((2 * r * level).sqrt() + level) / eps

    return _printed(ridge, r, epsilon, delta, norm_bound, digits)


@keyword_only
def blocki(r: Any, *, epsilon: Any, delta: Any, norm_bound: Any, digits: int = 30) -> Enclosure:
    """The ridge `(16 l sqrt(r ln(2/delta)) ln(16 r/delta)/epsilon)^2` (Blocki et al. 2012); arguments as `sheffet`."""

    def ridge(size: arb, r: arb, eps: arb, delta: arb) -> arb:
        return 256 * size * r * (2 / delta).log() * (16 * r / delta).log() ** 2 / eps**2

    return _printed(ridge, r, epsilon, delta, norm_bound, digits)


def laplace_mechanism(sensitivity: Any, epsilon: Any, digits: int = 30) -> Enclosure:
    """The scale `sensitivity/epsilon` of Laplace noise; both positive."""
    size, epsilon, digits = positive(sensitivity, "sensitivity"), positive(epsilon, "epsilon"), checked_digits(digits)
    return settled(lambda size, eps: size / eps, {"size": size, "eps": epsilon}, digits)


@keyword_only
def mutual_information(
    r: Any, *, epsilon: Any, delta: Any, norm_bound: Any, conversion: str = "binary", digits: int = 15
) -> Enclosure:
    """The ridge l^2/s with `(r/2)(s - ln(1 + s))` = the level of information (N24-Fig14): delta^2/2 "pinsker", else
    `information_level`.

    r a positive int, epsilon >= 0, delta in (0, 1), l = norm_bound > 0. Raises `InputError`, `PrecisionError`.
    """
    one_of(conversion, "conversion", CONVERSIONS)
    length = positive(norm_bound, "norm_bound")
    rows, epsilon, delta, digits = checked_calibration("r", r, epsilon, delta, digits)
    if conversion == "pinsker":
        levels = [delta**2 / 2]
    else:
        found = information_level(epsilon=epsilon, delta=delta, digits=digits + 3)
        levels = [found.lower, found.upper]
    roots = [
        decreasing_root(lambda x, n: _information(1 / x, n), 2 * level / rows, Fraction(1), digits + 2)
        for level in levels
    ]
    return scaled(hull(roots[0], roots[-1], digits + 1), length**2, digits)


def _information(signal: Fraction, digits: int) -> Enclosure:
    """s - ln(1 + s)."""
    for bits in bits_ladder(2 * digits):
        with working_bits(bits):
            value = ball(signal) - ball(signal).log1p()
            if relative_digits(value) >= digits:
                return enclosure(value)
    raise PrecisionError(f"mutual information: {digits} digits not reached at {bits} bits")


def _printed(ridge: Callable[..., arb], r: Any, epsilon: Any, delta: Any, norm_bound: Any, digits: int) -> Enclosure:
    length = positive(norm_bound, "norm_bound")
    rows, epsilon, delta, digits = checked_calibration("r", r, epsilon, delta, digits)
    if epsilon == 0:
        raise InputError("epsilon", "0", "must be positive: the printed ridge divides by it")
    return settled(ridge, {"size": length**2, "r": rows, "eps": epsilon, "delta": delta}, digits)
