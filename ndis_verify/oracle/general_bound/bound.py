"""The two-step bound delta_LC (N26-D6) and the added variance it asks for (N26-Fig5), certified, to any number of
digits.

A search finds the split and the variance; only the last step proves anything: at the safe end of the bracket one split
is at most delta, at the other end every split in both orders is above it (`certified.two_steps`).
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any, NamedTuple

import mpmath

from ndis_verify.arguments import nonnegative, one_of, whole
from ndis_verify.calibrator import keyword_only, say_where_needless
from ndis_verify.enclosure import Enclosure
from ndis_verify.exact_number import InputError, exact, to_mpf
from ndis_verify.oracle.certified.engine.balls import ball, enclosure, exact_one, exact_zero, working_bits
from ndis_verify.oracle.certified.general_bound.covariance_terms import TERMS, Amount, Covariance, vertex
from ndis_verify.oracle.certified.general_bound.two_steps import TwoSteps
from ndis_verify.oracle.engine.inputs import checked_calibration
from ndis_verify.oracle.engine.precision import PrecisionError, checked_digits
from ndis_verify.oracle.general_bound.search import best_splits, least, roots, start_of

_SUMMED = 1 + Fraction(1, 2**30)


class Logarithm(NamedTuple):
    """times log(of), of >= 1."""

    of: Any
    times: int = 1


class Sensitivity(NamedTuple):
    """The sensitivities at one added variance v (N26-D5), each the greatest over all ordered neighbouring pairs.

    square: Delta^2 in the smaller covariance; rho = max |l_i| and nu = sum |l_i|, exact numbers or `Logarithm`s, of the
    logs l_i of the eigenvalues of the one covariance relative to the other, both with v added; dimension: how many l_i
    are not 0 at most. No pair has them unless rho <= nu <= dimension rho (to a part in 2^30, for sums that were
    rounded), and every pair has to be comparable in the Loewner order, which does not depend on v.
    """

    square: Any
    rho: Any
    nu: Any
    dimension: int


Sensitivities = Callable[[Fraction], Sensitivity]


def covariance_envelope(
    rho: Any, nu: Any, dimension: Any, epsilon: Any, term: str = "bound", digits: int = 30
) -> Enclosure:
    """The covariance term at the vertex of {0 <= l_i <= rho, sum l_i <= nu} in R^d, as
    `fast.covariance_shift.covariance_envelope`.

    rho, nu, dimension as in `Sensitivity`; epsilon >= 0; term "bound", "chernoff", "exact" or "printed".
    Relative radius at most 10^-digits. Raises `InputError`, `PrecisionError`.

    Examples
    --------
    >>> from ndis_verify.oracle import certified_covariance_envelope
    >>> print(certified_covariance_envelope("0.2", "0.5", 3, "0.4", "exact", digits=10).decimal(10)[0])
    0.01324890015
    """
    found = _two_steps(Sensitivity(0, rho, nu, dimension), nonnegative(epsilon, "epsilon"), term)
    if not found.vertex:
        return exact_zero()
    return enclosure(Covariance(found.vertex, term).value(found.epsilon, checked_digits(digits)))


def loewner_bound(
    shift: Any, rho: Any, nu: Any, dimension: Any, epsilon: Any, term: str = "bound", digits: int = 30
) -> Enclosure:
    """delta_LC (N26-D6-corrected): the least over both orders and all e1 + e2 = epsilon of a sum, at most 1.

    The sums: delta_mean(e1) + e^{e1} delta_cov(e2) and delta_cov(e1) + e^{e1} delta_mean(e2), N26-P1 at the mean shift
    `shift` >= 0, and `covariance_envelope(rho, nu, dimension, ., term)`. One split is at most the upper end, every
    split at least the lower end. Relative radius at most 10^-digits. Raises `InputError`, `PrecisionError`.

    Examples
    --------
    >>> from ndis_verify.oracle import certified_loewner_bound
    >>> print(certified_loewner_bound("0.3", "0.2", "0.5", 3, 1, "exact", digits=6).decimal(6)[0])
    0.0182334
    """
    size, digits = exact(shift, "shift"), checked_digits(digits)
    if size < 0:
        raise InputError("shift", shift, "must be nonnegative")
    steps = _two_steps(Sensitivity(size**2, rho, nu, dimension), nonnegative(epsilon, "epsilon"), term)
    if not steps.square and not steps.vertex:
        return exact_zero()
    found = best_splits(steps, digits + 20)
    for extra in (10, 18, 36):
        with working_bits(int(3.33 * digits) + 200):
            best = enclosure(
                min((x.value(steps, digits + extra) for x in found), key=lambda value: mpmath.mpf(enclosure(value).mid))
            )
        if best.lower > 1 and steps.above(Fraction(1), [x.place(steps) for x in found], digits + extra):
            return exact_one()
        upper = min(best.upper, Fraction(1))
        lower = upper * (1 - Fraction(1, 10**digits))
        if steps.above(lower, [x.place(steps) for x in found], digits + extra):
            return _between(lower, upper, digits)
    raise PrecisionError(f"loewner_bound: {digits} digits not reached")


@keyword_only
def added_variance(
    sensitivities: Sensitivities, *, epsilon: Any, delta: Any, term: str = "bound", digits: int = 15
) -> Enclosure:
    """The least added variance v whose sensitivities give `loewner_bound` <= delta (N26-Fig5), certified.

    Exactly 0, with a `NoNoiseNeeded` warning, where v = 0 does.

    sensitivities: v -> `Sensitivity` in exact numbers, nonincreasing in v >= 0 (a ZeroDivisionError at v = 0: they are
    infinite there); epsilon >= 0, delta in (0, 1). At the upper end of the enclosure a split is proved to be at most
    delta, at the lower end all splits in both orders to be above it. Relative radius at most 10^-digits. Raises
    `InputError`, also where no v is enough (at epsilon = 0 with "chernoff" or "printed", for one), and
    `PrecisionError`. term: as in `covariance_envelope`.

    Examples
    --------
    >>> from ndis_verify.oracle import certified_split_variance
    >>> from ndis_verify.oracle.general_bound.bound import Sensitivity
    >>> means_only = lambda v: Sensitivity(1 / v, 0, 0, 1)  # the Gaussian mechanism of sensitivity 1
    >>> v = certified_split_variance(means_only, epsilon=1, delta="1e-5", term="exact", digits=8)
    >>> print(f"{float(v.mid) ** 0.5:.6f}")
    3.730632
    """
    _, epsilon, delta, digits = checked_calibration("scale", 1, epsilon, delta, digits)

    def at(v: Fraction) -> TwoSteps:
        return _two_steps(sensitivities(v), epsilon, term)

    if _needless(at, delta, digits):
        say_where_needless("added_variance", True, "the declared sensitivities meet the target at v = 0")
        return exact_zero()
    found = roots(at, delta, start_of(at, delta), digits)
    root, leader = min(found, key=lambda pair: pair[0])
    for widening in range(4):
        half = Fraction(2**widening, 10 ** (digits + 1))
        less, more = root * (1 - half), root * (1 + half)
        aim = digits + 10 + 8 * widening
        with working_bits(int(3.33 * aim) + 64):
            safe = leader.value(at(more), aim) <= ball(delta)
        if safe:
            steps = at(less)
            if steps.above(delta, [candidate.place(steps) for _, candidate in found], aim):
                return _between(less, more, digits)
    raise PrecisionError(f"added_variance: {digits} digits not reached around {float(root):.6g}")


# Inputs


def _two_steps(sensitivity: Sensitivity, epsilon: Fraction, term: str) -> TwoSteps:
    one_of(term, "term", TERMS)
    square, rho, nu, dimension = sensitivity
    square = nonnegative(square, "square")
    dimension = whole(dimension, "dimension", 1)
    return TwoSteps(square, vertex(*_spread(rho, nu, dimension), dimension), epsilon, term)


def _spread(rho: Any, nu: Any, dimension: int) -> tuple[Amount, Amount]:
    """rho and nu as amounts with rho <= nu <= dimension rho."""
    largest, total = _amount(rho, "rho"), _amount(nu, "nu")
    if total.minus(1, largest).sign() < 0:
        raise InputError(
            "nu", nu, f"must be at least rho = {rho}: a sum of |l_i| is not less than the greatest of them"
        )
    with working_bits(200):
        too_large = total.ball() > dimension * largest.ball() * ball(_SUMMED)
    if too_large:
        raise InputError("nu", nu, f"must be at most {dimension} rho, rho = {rho}: a sum of {dimension} |l_i|")
    return largest, total


def _amount(value: Any, name: str) -> Amount:
    if isinstance(value, Logarithm):
        of = exact(value.of, name)
        if of < 1 or isinstance(value.times, bool) or not isinstance(value.times, int) or value.times < 0:
            raise InputError(name, value, "must be the logarithm of a number of at least 1, a whole number of times")
        return Amount(Fraction(0), ((of, value.times),) if of > 1 and value.times else ())
    return Amount(nonnegative(value, name))


def _needless(at: Callable[[Fraction], TwoSteps], delta: Fraction, digits: int) -> bool:
    """Whether at v = 0 a split is found that is proved to be at most delta."""
    try:
        steps = at(Fraction(0))
    except ZeroDivisionError:
        return False
    if least(steps) ** 2 > to_mpf(delta):  # far above, however coarse the grid
        return False
    with working_bits(int(3.33 * digits) + 100):
        return any(candidate.value(steps, digits + 10) <= ball(delta) for candidate in best_splits(steps, digits))


def _between(low: Fraction, high: Fraction, digits: int) -> Enclosure:
    """[low, high], rounded outward by less than a part in 10^(digits + 20)."""
    with working_bits(int(3.33 * digits) + 100):
        return enclosure(ball(low).union(ball(high)))
