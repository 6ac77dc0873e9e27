"""Hockey-stick divergences to any number of digits, by two routes that share no code (mpmath)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import mpmath

from ndis_verify.enclosure import Enclosure
from ndis_verify.exact_number import InputError, exact, to_mpf
from ndis_verify.gaussian_pair import GaussianPair
from ndis_verify.oracle.certified.engine.spectrum import Spectrum
from ndis_verify.oracle.certified.hockey_stick import epsilon_for_delta as certified_epsilon_for_delta
from ndis_verify.oracle.certified.hockey_stick import one_sided, spectrum_estimate, spectrum_of
from ndis_verify.oracle.engine.agreement import agree
from ndis_verify.oracle.engine.contour import contour_hockey_stick
from ndis_verify.oracle.engine.decreasing_root import decreasing_root, exceeds
from ndis_verify.oracle.engine.precision import checked_digits
from ndis_verify.oracle.engine.quadratic_form import Group, relative_groups
from ndis_verify.oracle.engine.two_cdf import second_route

Remake = Callable[[int], tuple[Sequence[Group], mpmath.mpf]]


def hockey_stick(pair: GaussianPair, epsilon: Any, digits: int = 30) -> Enclosure:
    """`delta_{P,Q}(epsilon)` = sup_S P(S) - e^epsilon Q(S), as the agreement of two independent routes.

    Route 1: the contour integral of M(s) e^{-s epsilon}/(s (s + 1)) (from N26-L1). Route 2: closed forms, series or two
    distribution functions (N26-T4.1), whichever fits. epsilon may be negative. Relative radius at most 10^-digits;
    exactly 0 (basis "bound") where the privacy loss cannot exceed epsilon. Raises `InputError` for bad input,
    `PrecisionError` where the routes do not agree to that many digits. pair: a `GaussianPair`, exact.

    Examples
    --------
    >>> from ndis_verify.oracle import hockey_stick
    >>> from ndis_verify import GaussianPair
    >>> pair = GaussianPair([0.5], [2], [0], [1])
    >>> print(hockey_stick(pair, 1, digits=12).decimal(12)[0])
    0.0861509684527
    """
    epsilon, digits = exact(epsilon, "epsilon"), checked_digits(digits)
    return agreed_value(_pair_remake(pair, epsilon), lambda: spectrum_of(pair), epsilon, digits)


def log_hockey_stick(pair: GaussianPair, epsilon: Any, digits: int = 30) -> Enclosure:
    """log `delta_{P,Q}(epsilon)` to `digits` relative digits of the logarithm, by the same two routes.

    Raises `InputError` also where the divergence is exactly 0. pair, epsilon: as in `hockey_stick`.

    Examples
    --------
    >>> from ndis_verify.oracle import log_hockey_stick
    >>> from ndis_verify import GaussianPair
    >>> pair = GaussianPair([0.5], [2], [0], [1])
    >>> print(log_hockey_stick(pair, 1, digits=12).decimal(12)[0])
    -2.45165407460
    """
    epsilon, digits = exact(epsilon, "epsilon"), checked_digits(digits)
    return agreed_value(_pair_remake(pair, epsilon), lambda: spectrum_of(pair), epsilon, digits, log=True)


def epsilon_for_delta(pair: GaussianPair, delta: Any, digits: int = 30) -> Enclosure:
    """The smallest epsilon >= 0 with `delta_{P,Q}(epsilon) <= delta`; both routes agree on the sign at each end.

    delta in [0, 1]; 0 (then by closed form) is allowed where the privacy loss is bounded above. Relative radius at most
    10^-digits. pair: a `GaussianPair`, exact. Raises `InputError`, `PrecisionError`.

    Examples
    --------
    >>> from ndis_verify.oracle import epsilon_for_delta
    >>> from ndis_verify import GaussianPair
    >>> pair = GaussianPair([0.5], [2], [0], [1])
    >>> print(epsilon_for_delta(pair, "1e-6", digits=12).decimal(12)[0])
    13.7253123523
    """
    delta, digits = exact(delta, "delta"), checked_digits(digits)
    if delta == 0:
        return certified_epsilon_for_delta(pair, delta, digits)
    if not 0 < delta <= 1:
        raise InputError("delta", delta, "must lie in [0, 1]")

    def curve(epsilon: Fraction, aim: int) -> Enclosure:
        return agreed_value(_pair_remake(pair, epsilon), lambda: spectrum_of(pair), epsilon, aim)

    def near(epsilon: Fraction, aim: int) -> mpmath.mpf:
        return spectrum_estimate(spectrum_of(pair), epsilon, aim)

    if delta == 1 or not exceeds(curve, Fraction(0), delta):
        return Enclosure(mpmath.mpf(0), mpmath.mpf(0), "agreement")
    return decreasing_root(curve, delta, Fraction(1), digits, near, "agreement")


def agreed_value(
    remake: Remake, exact_spectrum: Callable[[], Spectrum], epsilon: Fraction, digits: int, log: bool = False
) -> Enclosure:
    """The (log) divergence of the groups that `remake(n)` gives to n digits, by both routes.

    Where the privacy loss may lie on one side of epsilon, `exact_spectrum` decides it.
    """
    groups, _ = remake(min(digits, 15))
    decided = _certain(groups, exact_spectrum, epsilon, digits, log)
    if decided is not None:
        return decided

    def first(aim: int) -> mpmath.mpf:
        return contour_value(remake, aim, log)

    def second(aim: int) -> mpmath.mpf:
        value = second_route(remake, aim)
        with mpmath.workdps(2 * aim + 20):
            return mpmath.log(value) if log else value

    return agree(first, second, digits, "log_hockey_stick" if log else "hockey_stick")


def contour_value(remake: Remake, aim: int, log: bool = False) -> mpmath.mpf:
    """Route 1 alone, to about `aim` digits."""
    groups, epsilon = remake(aim)
    with mpmath.workdps(2 * aim + 20):
        return contour_hockey_stick(groups, epsilon, aim)[1 if log else 0]


def _certain(
    groups: Sequence[Group], exact_spectrum: Callable[[], Spectrum], epsilon: Fraction, digits: int, log: bool
) -> Enclosure | None:
    if len({mpmath.sign(g.alpha) for g in groups if g.alpha or g.m2}) == 2:
        return None
    return one_sided(exact_spectrum(), epsilon, digits, log)


def _pair_remake(pair: GaussianPair, epsilon: Fraction) -> Remake:
    def remake(aim: int) -> tuple[Sequence[Group], mpmath.mpf]:
        groups = relative_groups(pair, aim)
        with mpmath.workdps(2 * aim + 20):
            return groups, to_mpf(epsilon)

    return remake
