"""The least capacity of a binary channel that violates (epsilon, delta), enclosed by a saddle point.

Input 1 gives output 1 with probability p = delta + e^epsilon q, input 0 with q; w is the probability of input 1. The mutual information
`I(w, q) = D(mixed output) = w kl(p, m) + (1 - w) kl(q, m)`, m = w p + (1 - w) q, is concave in w and convex in the channel, which is linear
in q: so for any (w0, q0), `min_q I(w0, q) <= min_q max_w I(w, q) <= max_w I(w, q0)`, 0 <= q <= (1 - delta) e^{-epsilon}. For a convex
function at three nodes `I(q) >= I(q1) - max(I(q0), I(q2)) + I(q1)`, evenly spaced and the middle one lowest; likewise above for w.
The minimiser is never 0 but may be as small as exp(-e^epsilon). For a small q1 with I(w0, q1) <= I(w0, 2 q1) the line through these two
points gives `I(w0, q) >= 2 I(w0, q1) - I(w0, 2 q1)` below q1, and beyond it I grows.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import mpmath
from flint import arb

from ndis_verify.enclosure import Enclosure
from ndis_verify.exact_number import exact, to_mpf
from ndis_verify.oracle.certified.balls import ball, enclosure, relative_digits, working_bits
from ndis_verify.oracle.precision import PrecisionError

_ROUNDS = 200


def information_level(epsilon: Fraction, delta: Fraction, digits: int) -> Enclosure:
    """`min over q of max over w of I(w, q)` in nats, certified to `digits` relative digits; exact epsilon >= 0, delta in (0, 1).

    Raises `PrecisionError`.
    """
    size = int(-mpmath.log10(to_mpf(delta))) if delta < 1 else 0
    for extra in (20, 60, 140):
        with mpmath.workdps(digits + 2 * size + extra):
            share, log_odds = _saddle(to_mpf(epsilon), to_mpf(delta), -mpmath.log(10) * (digits + size + 10))
            share, odds = exact(share), exact(mpmath.exp(log_odds))
        with working_bits(int(3.33 * (2 * digits + 2 * size + extra)) + 64):
            corner = odds < Fraction(1, 10 ** (digits + size + 9))
            value = _between(epsilon, delta, share, odds, Fraction(1, 10 ** (digits // 2 + 3)), corner)
            if value is not None and relative_digits(value) >= digits:
                return enclosure(value)
    raise PrecisionError(f"information level: {digits} digits not reached")


def _information(w: arb, q: arb, p: arb) -> arb:
    """I as two divergences; q and p strictly between 0 and 1."""
    m = w * p + (1 - w) * q
    return w * _divergence(p, m) + (1 - w) * _divergence(q, m)


def _divergence(a: arb, b: arb) -> arb:
    return a * (a / b).log() + (1 - a) * ((1 - a) / (1 - b)).log()


def _between(epsilon: Fraction, delta: Fraction, share: Fraction, odds: Fraction, step: Fraction, corner: bool) -> arb | None:
    """The saddle value between its two bounds; q = most odds/(1 + odds), most = (1 - delta) e^{-epsilon}."""
    most = ball(1 - delta) * (-ball(epsilon)).exp()
    middle = odds / (1 + odds)

    def at(w: Fraction, part: Fraction) -> arb:
        q = most * ball(part)
        return _information(ball(w), q, ball(delta) + ball(epsilon).exp() * q)

    w_step, q_step = step * min(share, 1 - share), step * min(middle, 1 - middle)
    here = at(share, middle)
    wide = [at(share + k * w_step, middle) for k in (-1, 1)]
    if not all(here >= x for x in wide):
        return None
    top = here + max((here - x for x in wide), key=lambda x: float(x.upper()))
    if corner:
        twice = at(share, 2 * middle)
        return (2 * here - twice).union(top) if here <= twice else None
    deep = [at(share, middle + k * q_step) for k in (-1, 1)]
    if not all(here <= x for x in deep):
        return None
    return (here - max((x - here for x in deep), key=lambda x: float(x.upper()))).union(top)


def _saddle(epsilon: mpmath.mpf, delta: mpmath.mpf, least: mpmath.mpf) -> tuple[mpmath.mpf, mpmath.mpf]:
    """(w, log of q/(most - q), not below `least`), the inner maximum nested in the minimum; nothing certified."""
    most, growth = (1 - delta) * mpmath.exp(-epsilon), mpmath.exp(epsilon)

    def value(w: mpmath.mpf, u: mpmath.mpf) -> mpmath.mpf:
        q = most / (1 + mpmath.exp(-u))
        p = delta + growth * q
        m = w * p + (1 - w) * q

        def kl(a: mpmath.mpf) -> mpmath.mpf:
            return (a * mpmath.log(a / m) if a else 0) + ((1 - a) * mpmath.log((1 - a) / (1 - m)) if a < 1 else 0)

        return w * kl(p) + (1 - w) * kl(q)

    def best_share(u: mpmath.mpf) -> mpmath.mpf:
        return _lowest(lambda x: -value(1 / (1 + mpmath.exp(-x)), u), mpmath.mpf(0), least)

    start = mpmath.log(delta) - epsilon if delta < most else mpmath.mpf(0)
    u = _lowest(lambda x: value(1 / (1 + mpmath.exp(-best_share(x))), x), max(start, least / 2), least)
    return 1 / (1 + mpmath.exp(-best_share(u))), u


def _lowest(function: Callable[[mpmath.mpf], mpmath.mpf], x: mpmath.mpf, least: mpmath.mpf) -> mpmath.mpf:
    """A minimiser not below `least`, by parabolas through three points whose spacing follows the steps."""
    reach = mpmath.mpf(1) / 4
    floor = mpmath.mpf(10) ** (-mpmath.mp.dps // 3)
    for _ in range(_ROUNDS):
        left, centre, right = function(x - reach), function(x), function(x + reach)
        bend = left - 2 * centre + right
        step = (left - right) / (2 * bend) if bend > 0 else mpmath.mpf(2 if right < left else -2)
        step = max(min(step, mpmath.mpf(2)), mpmath.mpf(-2))
        x += step * reach
        if x < least:
            return least
        if abs(step) == 2:
            reach *= 2
        elif abs(step) < mpmath.mpf(1) / 10:
            if reach <= floor:
                break
            reach = max(reach * max(abs(step), mpmath.mpf(1) / 1000), floor)
    return x
