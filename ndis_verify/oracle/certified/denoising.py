"""Certified risks of denoising estimators: James-Stein and soft threshold."""

from __future__ import annotations

import numbers
from fractions import Fraction
from typing import Any

from flint import arb

from ndis_verify.enclosure import Enclosure
from ndis_verify.exact_number import InputError, exact
from ndis_verify.oracle.certified.balls import ball
from ndis_verify.oracle.certified.gaussian_mechanism import settled, upper_tail
from ndis_verify.oracle.precision import checked_digits


def james_stein_risk(d: Any, norm: Any, std: Any, digits: int = 30) -> Enclosure:
    """`E||(1 - (d-2) std^2/||y||^2) y - theta||^2`, y ~ N(theta, std^2 I_d), ||theta|| = norm (BW-T11).

    `std^2 (d - (d-2) 1F1(1; d/2; -norm^2/(2 std^2)))`. d an int of at least 3, norm >= 0 and std > 0 in one unit; the
    risk in its square. Relative radius at most 10^-digits. Raises `InputError`, `PrecisionError`.
    """
    if isinstance(d, bool) or not isinstance(d, numbers.Integral) or d < 3:
        raise InputError("d", d, "must be an int of at least 3")
    size, spread = exact(norm, "norm"), exact(std, "std")
    if size < 0:
        raise InputError("norm", norm, "must be nonnegative")
    if spread <= 0:
        raise InputError("std", std, "must be positive")
    half = Fraction(int(d), 2)

    def risk(size: arb, spread: arb) -> arb:
        share = (-((size / spread) ** 2) / 2).hypgeom_1f1(1, ball(half))
        return spread**2 * (int(d) - (int(d) - 2) * share)

    return settled(risk, {"size": size, "spread": spread}, checked_digits(digits))


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
