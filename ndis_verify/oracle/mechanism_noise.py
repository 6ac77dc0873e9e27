"""The noise of every mechanism to any number of digits, certified: names and arguments as in the package's mechanisms.

Every function returns what its mechanism adds (a ridge, a standard deviation, an added variance), with proof (basis
"bound"), to `digits` relative digits. Ridges relative to a set of databases are in `relative_projection`, Gaussian
outputs in `gaussian_output`, other authors' calibrations in `baselines`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import mpmath

from ndis_verify.arguments import one_of, positive
from ndis_verify.calibrator import keyword_only
from ndis_verify.enclosure import Enclosure
from ndis_verify.exact_number import InputError, exact
from ndis_verify.gaussian_pair import GaussianPair
from ndis_verify.oracle.certified import random_projection as curve
from ndis_verify.oracle.certified.engine.balls import ball, enclosure, to_exact_ball, working_bits
from ndis_verify.oracle.certified.engine.summit_root import between
from ndis_verify.oracle.certified.gaussian_calibration import rho_std
from ndis_verify.oracle.certified.gaussian_mechanism import classical_std
from ndis_verify.oracle.certified.hockey_stick import epsilon_for_delta
from ndis_verify.oracle.certified.least_squares.asymptotic_law import als_hockey_stick
from ndis_verify.oracle.certified.least_squares.cap import als_exact_ridge, als_ridge
from ndis_verify.oracle.certified.mean_shift import gaussian_std
from ndis_verify.oracle.engine.decreasing_root import above_floor, decreasing_root, scaled
from ndis_verify.oracle.engine.inputs import checked_calibration
from ndis_verify.oracle.ridge import ridge_between

_RULES: dict[str, Callable[..., Enclosure]] = {"analytic": gaussian_std, "classical": classical_std, "rho": rho_std}
_NOISES = {"N24-Fig4": 2, "N24-Fig4 corner": 1}


@keyword_only
def random_projection(
    r: Any, *, epsilon: Any, delta: Any, norm_bound: Any, ridge: str = "smallest", digits: int = 30
) -> Enclosure:
    """The ridge of a random projection: l^2 (1/p* - 1) "smallest", l^2/p* "N26-Fig1" and "N24-Fig3".

    p* by certified signs (N26-L4); epsilon >= 0, delta in (0, 1), r a positive int, l = norm_bound > 0. Raises
    `InputError`, `PrecisionError`.
    """
    one_of(ridge, "ridge", ("smallest", "N26-Fig1", "N24-Fig3"))
    return _named(
        curve.rp_ridge(norm_bound, r, epsilon=epsilon, delta=delta, digits=digits + 1), norm_bound, ridge, digits
    )


@keyword_only
def random_linear_combination(
    *, epsilon: Any, delta: Any, norm_bound: Any, ridge: str = "smallest", digits: int = 30
) -> Enclosure:
    """`random_projection` with r = 1 (N24-Fig8)."""
    return random_projection(1, epsilon=epsilon, delta=delta, norm_bound=norm_bound, ridge=ridge, digits=digits)


@keyword_only
def subsampled_random_projection(
    rate: Any, r: Any, *, epsilon: Any, delta: Any, norm_bound: Any, ridge: str = "smallest", digits: int = 30
) -> Enclosure:
    """The ridge behind Poisson sampling at `rate` (N26-Fig3), 0 where delta >= rate; the rest as
    `random_projection`.
    """
    one_of(ridge, "ridge", ("smallest", "N26-Fig1", "N24-Fig3"))
    level = curve.sampled_rp_ridge(norm_bound, rate, r, epsilon=epsilon, delta=delta, digits=digits + 1)
    return level if level.upper == 0 else _named(level, norm_bound, ridge, digits)


@dataclass(frozen=True)
class RidgeAfterTest:
    """What `propose_test_release` is calibrated to (N26-Fig4).

    test_epsilon: eps_T that the test spends. full_ridge: l^2/p* at epsilon - eps_T and what delta is left. quantile:
    z_P. zero_ridge: full_ridge + std z_P, the reading's mean from which the median ridge is 0. break_even: that less
    the untested smallest ridge.
    """

    test_epsilon: Enclosure
    full_ridge: Enclosure
    quantile: Enclosure
    zero_ridge: Enclosure
    break_even: Enclosure


@keyword_only
def propose_test_release(
    r: Any,
    *,
    epsilon: Any,
    delta: Any,
    norm_bound: Any,
    std: Any,
    delta_test: Any,
    delta_failure: Any,
    digits: int = 30,
) -> RidgeAfterTest:
    """Propose-test-release in one step: eps_T from N(0, std^2) on a sensitivity of l^2 at delta_test, then p* from what
    is left.

    delta_test, delta_failure > 0, their sum less than delta; a split with eps_T > epsilon is refused. Arguments else as
    `random_projection`. Each enclosure holds to `digits` digits of the numbers it is the sum of. Raises `InputError`,
    `PrecisionError`.
    """
    length, spread = positive(norm_bound, "norm_bound"), positive(std, "std")
    rows, epsilon, delta, digits = checked_calibration("r", r, epsilon, delta, digits)
    test, failure = positive(delta_test, "delta_test"), positive(delta_failure, "delta_failure")
    if test + failure >= delta:
        raise InputError("delta_test", delta_test, "delta_test + delta_failure must be less than delta")
    pair = GaussianPair([length**2], [spread**2], [0], [spread**2])
    spent = epsilon_for_delta(pair, test, digits + 3)
    if spent.lower > epsilon:
        raise InputError("std", std, "the test alone would spend more than epsilon")
    with working_bits(int(3.33 * digits) + 100):
        left = enclosure(ball(epsilon) - to_exact_ball(spent))
    smallest = ridge_between(curve.least_odds, length, int(rows), left, delta - test - failure, digits + 2)
    untested = curve.rp_ridge(length, int(rows), epsilon=epsilon, delta=delta, digits=digits + 2)
    with working_bits(int(3.33 * digits) + 100):
        full = to_exact_ball(smallest) + ball(length**2)
        quantile = _quantile(failure)
        zero = full + ball(spread) * quantile
        return RidgeAfterTest(spent, *(enclosure(x) for x in (full, quantile, zero, zero - to_exact_ball(untested))))


@keyword_only
def gaussian_mechanism(
    sensitivity: Any, *, epsilon: Any, delta: Any, rule: str = "analytic", digits: int = 30
) -> Enclosure:
    """The std of the Gaussian mechanism by rule "analytic" (BW-Alg1), "classical" (BW-T1) or "rho" (SL-2).

    sensitivity > 0; epsilon >= 0 ("analytic") or > 0; delta in (0, 1). Raises `InputError`, `PrecisionError`.
    """
    one_of(rule, "rule", _RULES)
    std = _RULES[rule]
    return std(sensitivity, epsilon=epsilon, delta=delta, digits=digits)


@keyword_only
def least_squares(
    d: Any, r: Any, *, epsilon: Any, delta: Any, norm_bound: Any, noise: str = "worst case", digits: int = 15
) -> Enclosure:
    """The ridge of least squares by its limiting normal law (N24-Fig4): `als_ridge`, or one of the printed tests.

    noise "N24-Fig4": the least ridge at which the record p = l^2/ridge, q = 2 l^2/ridge meets delta in both directions;
    "N24-Fig4 corner": p = 0, q = l^2/ridge. 1/y - 1/x is -1 on the one and infinite on the other whatever the ridge, so
    both curves fall with it (symbolic.least_squares_order.gaussian_order). Raises `InputError`, `PrecisionError`.
    """
    one_of(noise, "noise", ("worst case", *_NOISES))
    if noise == "worst case":
        return als_ridge(norm_bound, d, r, epsilon=epsilon, delta=delta, digits=digits)
    length, least = positive(norm_bound, "norm_bound"), _NOISES[noise]
    _, epsilon, delta, digits = checked_calibration("r", r, epsilon, delta, digits)

    def worst(excess: Fraction, aim: int) -> Enclosure:
        share = 1 / (least + excess)
        p, q = (share, 2 * share) if least == 2 else (Fraction(0), share)
        return _larger(
            *(above_floor(als_hockey_stick(p, q, d, r, epsilon, way, aim), delta) for way in ("delete", "insert"))
        )

    root = decreasing_root(worst, delta, Fraction(1), digits + 2)
    with working_bits(int(3.33 * digits) + 64):
        return enclosure((to_exact_ball(root) + least) * ball(length**2))


@keyword_only
def sketched_least_squares(d: Any, r: Any, *, epsilon: Any, delta: Any, norm_bound: Any, digits: int = 15) -> Enclosure:
    """The ridge of least squares by a Gaussian sketch (N24-Fig11), delta = 0 allowed: `als_exact_ridge`, with its
    limits.
    """
    return als_exact_ridge(norm_bound, d, r, epsilon=epsilon, delta=delta, digits=digits)


def _named(smallest: Enclosure, norm_bound: Any, ridge: str, digits: int) -> Enclosure:
    if ridge == "smallest":
        return scaled(smallest, Fraction(1), digits)
    with working_bits(int(3.33 * digits) + 64):
        return enclosure(to_exact_ball(smallest) + ball(exact(norm_bound) ** 2))


def _quantile(tail: Fraction) -> mpmath.mpf:
    """z with Phi(-z) = tail, at the current precision."""
    root = ball(Fraction(2)).sqrt()
    return root * (2 * ball(tail)).erfcinv() if tail <= Fraction(1, 2) else -root * (2 * ball(1 - tail)).erfcinv()


def _larger(first: Enclosure, second: Enclosure) -> Enclosure:
    """The larger of two numbers: from the larger of the lower ends to the larger of the upper ends."""
    low, high = sorted((first, second), key=lambda value: value.upper)
    if low.lower <= high.lower:
        return high
    return between(low.lower, high.upper, 15 + max(int(-mpmath.log10(low.rad or 1)), 0))
