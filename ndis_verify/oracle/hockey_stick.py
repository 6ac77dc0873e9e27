"""Hockey-stick divergences to any number of digits, by two routes that share no code (mpmath)."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import mpmath

from ndis_verify.enclosure import Enclosure
from ndis_verify.exact_number import exact, to_mpf
from ndis_verify.gaussian_pair import GaussianPair
from ndis_verify.oracle.agreement import agree
from ndis_verify.oracle.certified.hockey_stick import one_sided
from ndis_verify.oracle.contour import contour_hockey_stick
from ndis_verify.oracle.precision import checked_digits
from ndis_verify.oracle.quadratic_form import Group, relative_groups
from ndis_verify.oracle.two_cdf import second_route


def hockey_stick(pair: GaussianPair, epsilon: Any, digits: int = 30) -> Enclosure:
    """`delta_{P,Q}(epsilon)` = sup_S P(S) - e^epsilon Q(S), as the agreement of two independent routes.

    Route 1: the contour integral of M(s) e^{-s epsilon}/(s (s + 1)) (from N26-L1). Route 2: closed forms,
    series or two distribution functions (N26-T4.1), whichever fits. epsilon may be negative. Relative radius at
    most 10^-digits; exactly 0 (basis "bound") where the privacy loss cannot exceed epsilon.
    Raises `InputError` for bad input, `PrecisionError` where the routes do not agree to that many digits.
    """
    epsilon, digits = exact(epsilon, "epsilon"), checked_digits(digits)
    return _either(pair, epsilon, digits, log=False)


def log_hockey_stick(pair: GaussianPair, epsilon: Any, digits: int = 30) -> Enclosure:
    """log `delta_{P,Q}(epsilon)` to `digits` relative digits of the logarithm, by the same two routes.

    Raises `InputError` also where the divergence is exactly 0.
    """
    epsilon, digits = exact(epsilon, "epsilon"), checked_digits(digits)
    return _either(pair, epsilon, digits, log=True)


def _either(pair: GaussianPair, epsilon: Fraction, digits: int, log: bool) -> Enclosure:
    def remake(aim: int) -> tuple[Sequence[Group], mpmath.mpf]:
        groups = relative_groups(pair, aim)
        with mpmath.workdps(2 * aim + 20):
            return groups, to_mpf(epsilon)

    groups, _ = remake(min(digits, 15))
    if len({mpmath.sign(g.alpha) for g in groups if g.alpha or g.m2}) < 2:
        decided = one_sided(pair, epsilon, digits, log)
        if decided is not None:
            return decided

    def first(aim: int) -> mpmath.mpf:
        parts, eps = remake(aim)
        with mpmath.workdps(2 * aim + 20):
            return contour_hockey_stick(parts, eps, aim)[1 if log else 0]

    def second(aim: int) -> mpmath.mpf:
        value = second_route(remake, aim)
        with mpmath.workdps(2 * aim + 20):
            return mpmath.log(value) if log else value

    return agree(first, second, digits, "log_hockey_stick" if log else "hockey_stick")
