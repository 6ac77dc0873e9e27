"""Checked arguments of the closed-form curves, shared by the two-route and the certified functions."""

from __future__ import annotations

import numbers
from fractions import Fraction
from typing import Any

from ndis_verify import arguments
from ndis_verify.arguments import exactly, nonnegative, positive
from ndis_verify.exact_number import InputError, exact
from ndis_verify.oracle.engine.precision import checked_digits

MAX_PROJECTIONS = 10**7


def checked_mean_shift(sensitivity: Any, std: Any, epsilon: Any, digits: Any) -> tuple[Fraction, Fraction, int]:
    """(sensitivity/std, epsilon, digits); sensitivity >= 0, std > 0."""
    size, spread = nonnegative(sensitivity, "sensitivity"), positive(std, "std")
    return size / spread, exact(epsilon, "epsilon"), checked_digits(digits)


def checked_projection(
    leverage: Any, r: Any, epsilon: Any, direction: Any, digits: Any
) -> tuple[Fraction, int, Fraction, int]:
    """(alpha, r, epsilon, digits); the relative covariance 1 + alpha is 1/(1 - p) for "delete", 1 - p for "insert"."""
    p = exactly(leverage, "leverage", "[0, 1)")
    arguments.direction(direction)
    alpha = p / (1 - p) if direction == "delete" else -p
    return alpha, checked_count(r), exact(epsilon, "epsilon"), checked_digits(digits)


def checked_calibration(
    name: str, scale: Any, epsilon: Any, delta: Any, digits: Any
) -> tuple[Fraction, Fraction, Fraction, int]:
    """(scale, epsilon, delta, digits); scale > 0 (a positive int if named "r"), epsilon >= 0, 0 < delta < 1."""
    size = Fraction(checked_count(scale)) if name == "r" else positive(scale, name)
    target = exactly(delta, "delta", "(0, 1)")
    return size, nonnegative(epsilon, "epsilon"), target, checked_digits(digits)


def checked_count(r: Any) -> int:
    """r as an int in [1, `MAX_PROJECTIONS`]; a decimal string of an integer is accepted."""
    if isinstance(r, bool) or not isinstance(r, (numbers.Real, str)):
        raise InputError("r", r, "must be a positive integer")
    value = exact(r if not isinstance(r, numbers.Integral) else int(r), "r")
    if value.denominator != 1 or not 1 <= value <= MAX_PROJECTIONS:
        raise InputError("r", r, f"must be an integer in [1, {MAX_PROJECTIONS}]")
    return int(value)
