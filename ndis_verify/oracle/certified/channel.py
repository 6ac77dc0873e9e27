"""The least capacity of a binary channel that violates (epsilon, delta), certified by convexity.

Input 1 gives output 1 with probability `p = delta + (1-delta) s`, input 0 with `q = (1-delta) e^{-epsilon} s`, 0 <= s
<= 1. At the best input both rows are equally far from the mixed output m, `kl(p, m) = kl(q, m) = C`, so with H the
entropy and `lambda = log(m/(1-m)) = (H(q) - H(p))/(p - q)`: `C = log(1 + e^lambda) - q lambda - H(q)`. C is a maximum
over inputs of mutual informations, each convex in the channel and so in s. For a convex function at three evenly spaced
nodes `C(s) >= 2 C(s1) - max(C(s0), C(s2))`, the middle one lowest. The minimiser is where `w e^epsilon
log(p(1-m)/(m(1-p))) = (1-w) log(m(1-q)/(q(1-m)))`, m = w p + (1-w) q. It is never 0 but may be as small as
exp(-e^epsilon). For a small s1 with C(s1) <= C(2 s1) the line through these two points gives `C(s) >= 2 C(s1) - C(2
s1)` below s1, and beyond it C grows.
"""

from __future__ import annotations

from fractions import Fraction

import mpmath
from flint import arb

from ndis_verify.calibrator import keyword_only
from ndis_verify.enclosure import Enclosure
from ndis_verify.exact_number import exact, to_mpf
from ndis_verify.oracle.certified.engine.balls import ball, enclosure, relative_digits, working_bits
from ndis_verify.oracle.engine.precision import PrecisionError


@keyword_only
def information_level(*, epsilon: Fraction, delta: Fraction, digits: int) -> Enclosure:
    """`min over s of C(s)` in nats, certified to `digits` relative digits; exact epsilon >= 0, delta in (0, 1).

    Raises `PrecisionError`.
    """
    size = int(-mpmath.log10(to_mpf(delta)))
    for extra in (20, 60, 140):
        with mpmath.workdps(digits + 3 * size + extra):
            least = -mpmath.log(10) * (digits + size + 10)
            log_odds = _lowest(to_mpf(epsilon), to_mpf(delta), least, mpmath.mpf(10) ** (-digits // 2 - 6))
            odds = exact(mpmath.exp(log_odds))
        with working_bits(int(3.33 * (digits + 3 * size + extra)) + 64):
            value = _between(epsilon, delta, odds / (1 + odds), Fraction(1, 10 ** (digits // 2 + 3)), log_odds == least)
            if value is not None and relative_digits(value) >= digits:
                return enclosure(value)
    raise PrecisionError(f"information level: {digits} digits not reached")


def _between(epsilon: Fraction, delta: Fraction, middle: Fraction, step: Fraction, corner: bool) -> arb | None:
    """The minimum between its two bounds, s = `middle` next to the minimiser; None where the nodes do not show it."""
    here = _capacity(epsilon, delta, middle)
    if corner:
        twice = _capacity(epsilon, delta, 2 * middle)
        return (2 * here - twice).union(here) if here <= twice else None
    reach = step * min(middle, 1 - middle)
    others = [_capacity(epsilon, delta, middle + k * reach) for k in (-1, 1)]
    if not all(here <= x for x in others):
        return None
    return (2 * here - others[0].max(others[1])).union(here)


def _capacity(epsilon: Fraction, delta: Fraction, s: Fraction) -> arb:
    """C for 0 < s < 1."""
    p, q = ball(delta + (1 - delta) * s), ball((1 - delta) * s) * (-ball(epsilon)).exp()
    odds = (_entropy(q) - _entropy(p)) / (p - q)
    return odds.exp().log1p() - q * odds - _entropy(q)


def _entropy(x: arb) -> arb:
    return -x * x.log() - (1 - x) * (-x).log1p()


def _lowest(epsilon: mpmath.mpf, delta: mpmath.mpf, least: mpmath.mpf, width: mpmath.mpf) -> mpmath.mpf:
    """log(s/(1-s)) at the minimiser, not below `least`, within about `width`; nothing certified."""

    def entropy(x: mpmath.mpf) -> mpmath.mpf:
        return -x * mpmath.log(x) - (1 - x) * mpmath.log1p(-x)

    def slope(u: mpmath.mpf) -> mpmath.mpf:
        """The log of the ratio of the two sides in the module's head: it grows with u."""
        s = 1 / (1 + mpmath.exp(-u))
        p, q = delta + (1 - delta) * s, (1 - delta) * s * mpmath.exp(-epsilon)
        odds = (entropy(q) - entropy(p)) / (p - q)
        m = 1 / (1 + mpmath.exp(-odds))
        above, below = mpmath.log(p / (1 - p)) - odds, odds - mpmath.log(q / (1 - q))
        return epsilon + mpmath.log((m - q) * above / ((p - m) * below))

    low, high = least, mpmath.mpf(4)
    if slope(low) >= 0:
        return least
    while slope(high) <= 0:
        high *= 2
    while high - low > width:  # the slopes differ by many orders of magnitude: halving is as good as anything
        middle = (low + high) / 2
        low, high = (low, middle) if slope(middle) > 0 else (middle, high)
    return low
