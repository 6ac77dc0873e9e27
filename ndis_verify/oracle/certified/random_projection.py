"""Certified values of the random-projection closed form (N26-L4, N24-C2)."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from flint import arb, ctx

from ndis_verify.calibrator import keyword_only, say_where_needless
from ndis_verify.enclosure import Enclosure
from ndis_verify.exact_number import exact
from ndis_verify.oracle.certified.engine.balls import ball, enclosure, relative_digits, to_exact_ball, working_bits
from ndis_verify.oracle.engine.decreasing_root import decreasing_root
from ndis_verify.oracle.engine.inputs import checked_calibration, checked_projection
from ndis_verify.oracle.engine.precision import PrecisionError, bits_ladder
from ndis_verify.oracle.ridge import ridge_of, sampled_ridge_of


def rp_hockey_stick(leverage: Any, r: Any, epsilon: Any, direction: str = "delete", digits: int = 30) -> Enclosure:
    """The divergence of r Gaussian projections with and without a row of the given leverage (N26-L4), with proof.

    `Qg(r/2, t0/2) - e^eps Qg(r/2, rho t0/2)`, rho = 1/(1 - p), for "delete" (P from the larger database); for "insert"
    the lower incomplete gammas at lambda = 1 - p, exactly 0 once 2 epsilon >= r log(1/(1 - p)). leverage in [0, 1), r a
    positive int, any real epsilon. Relative radius at most 10^-digits. direction: "delete" or "insert". Raises
    `InputError`, `PrecisionError`.

    Examples
    --------
    >>> from ndis_verify.oracle import certified_rp_hockey_stick
    >>> print(certified_rp_hockey_stick("0.3", 5, 1, digits=12).decimal(12)[0])
    0.0419008281695
    """
    alpha, r, epsilon, digits = checked_projection(leverage, r, epsilon, direction, digits)
    return delta_of(alpha, r, epsilon, digits)


@keyword_only
def rp_leverage(r: Any, *, epsilon: Any, delta: Any, digits: int = 30) -> Enclosure:
    """The largest leverage p with `rp_hockey_stick(p, r, epsilon, "delete") <= delta` (N26-Fig1), by certified signs.

    epsilon >= 0, delta in (0, 1), r a positive int. The curve increases in p (N26-P4). Raises `InputError`,
    `PrecisionError`. Relative radius at most 10^-digits.

    Examples
    --------
    >>> from ndis_verify.oracle import certified_rp_leverage
    >>> print(certified_rp_leverage(5, epsilon=1, delta="0.001", digits=12).decimal(12)[0])
    0.145925906395
    """
    r, epsilon, delta, digits = checked_calibration("r", r, epsilon, delta, digits)
    odds = least_odds(int(r), epsilon, delta, digits + 1)
    with working_bits(int(digits * 3.33) + 64):
        return enclosure(1 / (1 + to_exact_ball(odds)))


@keyword_only
def rp_ridge(norm_bound: Any, r: Any, *, epsilon: Any, delta: Any, digits: int = 30) -> Enclosure:
    """The smallest ridge l^2 (1/p* - 1), p* = `rp_leverage(r, epsilon, delta)` (N24-Fig3, N26-Fig1), by certified
    signs.

    norm_bound = l > 0, the ridge in its unit squared; epsilon >= 0, delta in (0, 1), r a positive int. Relative radius
    at most 10^-digits. Raises `InputError`, `PrecisionError`.

    Examples
    --------
    >>> from ndis_verify.oracle import certified_rp_ridge
    >>> print(certified_rp_ridge(1, 5, epsilon=1, delta="0.001", digits=12).decimal(12)[0])
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
    >>> from ndis_verify.oracle import certified_sampled_rp_ridge
    >>> print(certified_sampled_rp_ridge(1, "0.1", 5, epsilon=1, delta="0.001", digits=12).decimal(12)[0])
    1.58145189647
    """
    ridge = sampled_ridge_of(least_odds, norm_bound, rate, r, epsilon, delta, digits)
    say_where_needless("sampled_rp_ridge", ridge.upper == 0, "delta is at least the rate")
    return ridge


def inner_epsilon(epsilon: Any, rate: Any) -> Enclosure:
    """The eps' = log(1 + (e^epsilon - 1)/rate) that a release from a sample meets (N26-T5.3), to 150 bits."""
    with working_bits(150):
        return enclosure((ball(exact(epsilon)).expm1() / ball(exact(rate))).log1p())


def least_odds(r: int, epsilon: Fraction, delta: Fraction, digits: int) -> Enclosure:
    """odds = (1 - p)/p at the largest leverage p that meets the target: alpha = 1/odds, the curve decreases in the
    odds.
    """
    return decreasing_root(lambda x, n: delta_of(1 / x, r, epsilon, n), delta, Fraction(1), digits)


def delta_of(alpha: Fraction, r: int, epsilon: Fraction, digits: int) -> Enclosure:
    """One eigenvalue lambda = 1 + alpha, r times: `F(edge) - e^eps F(lambda edge)`, edge = (eps + (r/2) log
    lambda)/alpha.
    """
    for bits in bits_ladder(digits):
        with working_bits(bits):
            value = _closed_form(alpha, r, epsilon)
            if value is not None and relative_digits(value) >= digits:
                return enclosure(value)
    raise PrecisionError(f"rp_hockey_stick: {digits} digits not reached at {bits} bits")


def _closed_form(alpha: Fraction, r: int, epsilon: Fraction) -> arb | None:
    whole = -ball(epsilon).expm1()
    if alpha == 0:
        return whole if epsilon < 0 else arb(0)
    half = arb(r) / 2
    edge = (ball(epsilon) + half * ball(alpha).log1p()) / ball(alpha)
    if edge <= 0:
        return whole if alpha > 0 else arb(0)
    if not edge > 0:
        return None
    tail = _upper_gamma if alpha > 0 else _lower_gamma
    return tail(half, edge) - ball(epsilon).exp() * tail(half, ball(1 + alpha) * edge)


def _upper_gamma(order: arb, x: arb) -> arb:
    return x.gamma_upper(order, 1)


def _lower_gamma(order: arb, x: arb) -> arb:
    """P(order, x): below the mean by `e^{-x} x^a/Gamma(a + 1) sum_n x^n/((a + 1) ... (a + n))`, terms all positive.

    After a term t with the next ratio q = x/(a + n + 1) < 1 the remainder is at most t q/(1 - q).
    """
    if not x < order:
        return 1 - _upper_gamma(order, x)
    term, total, n = arb(1), arb(0), 0
    small = arb(2) ** -ctx.prec
    while True:
        total += term
        n += 1
        ratio = x / (order + n)
        if term * ratio < small * (1 - ratio):
            break
        term *= ratio
    total += arb(0, term * ratio / (1 - ratio))
    return total * (order * x.log() - x - (order + 1).lgamma()).exp()
