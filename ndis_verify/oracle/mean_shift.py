"""The mean-shift curve (N26-P1) to any number of digits: closed form against the contour integral (mpmath)."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import mpmath

from ndis_verify.calibrator import keyword_only
from ndis_verify.enclosure import Enclosure
from ndis_verify.oracle.certified.mean_shift import delta_of
from ndis_verify.oracle.engine.decreasing_root import decreasing_root
from ndis_verify.oracle.engine.inputs import checked_calibration, checked_mean_shift
from ndis_verify.oracle.engine.one_eigenvalue import two_route_value


def gaussian_hockey_stick(sensitivity: Any, std: Any, epsilon: Any, digits: int = 30) -> Enclosure:
    """`delta = Phi(D/2 - eps/D) - e^eps Phi(-D/2 - eps/D)`, D = sensitivity/std (N26-P1, BW-T8), by two routes.

    sensitivity >= 0 and std > 0 in one unit; any real epsilon. Relative radius at most 10^-digits.
    Raises `InputError`, `PrecisionError`.

    Examples
    --------
    >>> from ndis_verify.oracle import gaussian_hockey_stick
    >>> print(gaussian_hockey_stick(1, 2, "0.5", digits=12).decimal(12)[0])
    0.0524403232877
    """
    shift, epsilon, digits = checked_mean_shift(sensitivity, std, epsilon, digits)
    return two_route_value(Fraction(0), 1, shift**2, epsilon, digits)


@keyword_only
def gaussian_std(sensitivity: Any, *, epsilon: Any, delta: Any, digits: int = 30) -> Enclosure:
    """The smallest std with `gaussian_hockey_stick(sensitivity, std, epsilon) <= delta`, signs by two routes.

    sensitivity > 0, epsilon >= 0, delta in (0, 1). Relative radius at most 10^-digits. Raises `InputError`,
    `PrecisionError`.

    Examples
    --------
    >>> from ndis_verify.oracle import gaussian_std
    >>> print(gaussian_std(1, epsilon=1, delta="1e-5", digits=12).decimal(12)[0])
    3.73063163482
    """
    sensitivity, epsilon, delta, digits = checked_calibration("sensitivity", sensitivity, epsilon, delta, digits)

    def curve(std: Fraction, aim: int) -> Enclosure:
        return two_route_value(Fraction(0), 1, (sensitivity / std) ** 2, epsilon, aim)

    def near(std: Fraction, aim: int) -> mpmath.mpf:
        return delta_of(sensitivity / std, epsilon, aim).mid

    return decreasing_root(curve, delta, sensitivity, digits, near, "agreement")
