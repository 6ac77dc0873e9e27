"""The random-projection curve (N26-L4, N24-C2) by incomplete gammas and by the contour integral."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import mpmath

from ndis_verify.calibrator import keyword_only, say_where_needless
from ndis_verify.enclosure import Enclosure
from ndis_verify.oracle.certified.random_projection import delta_of
from ndis_verify.oracle.engine.decreasing_root import decreasing_root
from ndis_verify.oracle.engine.inputs import checked_calibration, checked_projection
from ndis_verify.oracle.engine.one_eigenvalue import two_route_value
from ndis_verify.oracle.ridge import ridge_of, sampled_ridge_of


def rp_hockey_stick(leverage: Any, r: Any, epsilon: Any, direction: str = "delete", digits: int = 30) -> Enclosure:
    """The divergence of r Gaussian projections with and without a row of the given leverage (N26-L4), by two routes.

    `Qg(r/2, t0/2) - e^eps Qg(r/2, rho t0/2)`, rho = 1/(1 - p), for "delete" (P from the larger database); for "insert"
    the lower incomplete gammas at lambda = 1 - p, exactly 0 once 2 epsilon >= r log(1/(1 - p)). leverage in [0, 1), r a
    positive int, any real epsilon. Relative radius at most 10^-digits. direction: "delete" or "insert". Raises
    `InputError`, `PrecisionError`.

    Examples
    --------
    >>> from ndis_verify.oracle import rp_hockey_stick
    >>> print(rp_hockey_stick("0.3", 5, 1, digits=12).decimal(12)[0])
    0.0419008281695
    """
    alpha, r, epsilon, digits = checked_projection(leverage, r, epsilon, direction, digits)
    return two_route_value(alpha, r, Fraction(0), epsilon, digits)


@keyword_only
def rp_leverage(r: Any, *, epsilon: Any, delta: Any, digits: int = 30) -> Enclosure:
    """The largest leverage p with `rp_hockey_stick(p, r, epsilon, "delete") <= delta` (N26-Fig1), signs by two routes.

    epsilon >= 0, delta in (0, 1), r a positive int. Relative radius at most 10^-digits. Raises `InputError`,
    `PrecisionError`.

    Examples
    --------
    >>> from ndis_verify.oracle import rp_leverage
    >>> print(rp_leverage(5, epsilon=1, delta="0.001", digits=12).decimal(12)[0])
    0.145925906395
    """
    r, epsilon, delta, digits = checked_calibration("r", r, epsilon, delta, digits)

    odds = least_odds(int(r), epsilon, delta, digits + 1)
    with mpmath.workdps(digits + 25):
        lowest = odds.mid - 2 * odds.rad
        return Enclosure(1 / (1 + odds.mid), 2 * odds.rad / (1 + lowest) ** 2, "agreement")


@keyword_only
def rp_ridge(norm_bound: Any, r: Any, *, epsilon: Any, delta: Any, digits: int = 30) -> Enclosure:
    """The smallest ridge l^2 (1/p* - 1), p* = `rp_leverage(r, epsilon, delta)` (N24-Fig3, N26-Fig1), signs by two
    routes.

    norm_bound = l > 0, the ridge in its unit squared; epsilon >= 0, delta in (0, 1), r a positive int. Relative radius
    at most 10^-digits. Raises `InputError`, `PrecisionError`.

    Examples
    --------
    >>> from ndis_verify.oracle import rp_ridge
    >>> print(rp_ridge(1, 5, epsilon=1, delta="0.001", digits=12).decimal(12)[0])
    5.85279279535
    """
    return ridge_of(least_odds, norm_bound, r, epsilon, delta, digits)


@keyword_only
def sampled_rp_ridge(norm_bound: Any, rate: Any, r: Any, *, epsilon: Any, delta: Any, digits: int = 30) -> Enclosure:
    """The ridge after Poisson sampling: `rp_ridge` at eps' = log(1 + (e^epsilon - 1)/rate), delta' = delta/rate
    (N26-Fig3, N26-T5.3).

    Exactly 0, with a `NoNoiseNeeded` warning, where delta >= rate. 0 < rate <= 1; the rest as `rp_ridge`. norm_bound,
    r, digits: as in `rp_ridge`. Raises `InputError`, `PrecisionError`.

    Examples
    --------
    >>> from ndis_verify.oracle import sampled_rp_ridge
    >>> print(sampled_rp_ridge(1, "0.1", 5, epsilon=1, delta="0.001", digits=12).decimal(12)[0])
    1.58145189647
    """
    ridge = sampled_ridge_of(least_odds, norm_bound, rate, r, epsilon, delta, digits)
    say_where_needless("sampled_rp_ridge", ridge.upper == 0, "delta is at least the rate")
    return ridge


def least_odds(r: int, epsilon: Fraction, delta: Fraction, digits: int) -> Enclosure:
    """(1 - p)/p at the largest leverage p that meets the target."""

    def curve(odds: Fraction, aim: int) -> Enclosure:
        return two_route_value(1 / odds, r, Fraction(0), epsilon, aim)

    def near(odds: Fraction, aim: int) -> mpmath.mpf:
        return delta_of(1 / odds, r, epsilon, aim).mid

    return decreasing_root(curve, delta, Fraction(1), digits, near, "agreement")
