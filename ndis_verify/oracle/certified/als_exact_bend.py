"""How far the finite-r law's divergence can bend along q = cap: its finite sum as a power series over an interval of p.

Its coefficients a_j at the middle, and an enclosure of the one of degree N over the interval, bound the n-th derivative on it:
`|F^(n)|/n! <= sum_{n <= j < N} binom(j, n) |a_j| h^{j-n} + binom(N, n) sup |a_N| h^{N-n}`, h half of its length (Taylor).
The sum of `als_exact` is F; for r - d even that is all. For r - d odd the bound of `als_angle_bend` is added.
"""

from __future__ import annotations

from fractions import Fraction
from math import comb

from flint import acb, arb, arb_series, fmpq

from ndis_verify.oracle.certified.als_angle_bend import angle_bend
from ndis_verify.oracle.certified.als_exact import weighted_tails
from ndis_verify.oracle.certified.balls import ball, enclosure, working_bits
from ndis_verify.oracle.certified.smooth_curve import Bend
from ndis_verify.oracle.least_squares import Record
from ndis_verify.oracle.precision import PrecisionError

_BITS, _MORE = 320, 8


def bend(record: Record, epsilon: Fraction, low: Fraction, high: Fraction, order: int) -> Bend:
    """The bounds of `smooth_curve.Bend` over low <= p <= high at the q, d, r and direction of `record` (its p is not used); nothing is left over.

    order: 1 to 3. Raises `PrecisionError` where the interval is too wide.
    """
    with working_bits(_BITS + record.r // 2 + int(3 * epsilon)):  # the two sums differ by little next to e^epsilon
        top, half = order + _MORE, ball((high - low) / 2)
        wide, middle = (arb_series([place, 1], top + 1) for place in (ball(low).union(ball(high)), ball((low + high) / 2)))
        threshold = _threshold(record, epsilon, wide)
        if threshold is None:
            return Bend(Fraction(0), Fraction(0))
        total = abs(_finite_sum(record, epsilon, wide, *threshold)[top]) * half ** (top - order) * comb(top, order)
        found = _finite_sum(record, epsilon, middle, *_threshold(record, epsilon, middle))
        total += sum((abs(found[j]) * half ** (j - order) * comb(j, order) for j in range(order, top)), arb(0))
        if (record.r - record.d) % 2 and high:
            total += angle_bend(record, ball(epsilon), wide, *threshold[1:], order)
        if not total.is_finite():
            raise PrecisionError("bend: the interval is too wide")
        return Bend(enclosure(total).upper, Fraction(0))


def _threshold(record: Record, epsilon: Fraction, p: arb_series) -> tuple[arb_series, arb_series, arb_series] | None:
    """1 - q tau, tau and 1 - tau at the threshold tau of T; None where the loss stays below epsilon."""
    _, q, d, r, direction = record
    k, cap, rest, kept = r - d, ball(q), ball(1 - q), 1 - p
    if k % 2 and not cap > p[0]:
        raise PrecisionError("bend: the interval reaches the end of the range")
    loss = (k * (kept.log() - rest.log()) - rest.log()) / 2 if direction == "delete" else -(k * kept.log() + d * rest.log()) / 2
    excess = loss - ball(epsilon)
    if excess[0] < 0:
        return None
    if not excess[0] > 0:
        raise PrecisionError("bend: the interval holds the end of the support")
    scale = arb(2) / (r + 1)
    edge = (-excess * scale).exp() if direction == "delete" else rest * (excess * scale).exp()
    tau, above = (1 - edge) / cap, (edge - rest) / cap
    if not (tau[0] > 0 and above[0] > 0):
        raise PrecisionError("bend: the interval is too wide for its threshold")
    return edge, tau, above


def _finite_sum(record: Record, epsilon: Fraction, p: arb_series, edge: arb_series, tau: arb_series, above: arb_series) -> arb_series:
    """`als_exact._finite_sum` as a series."""
    cap, rest, kept = ball(record.q), ball(1 - record.q), 1 - p
    first = _mixture(p / cap, (cap - p) / cap, record, tau, above)
    second = _mixture(p * rest / (cap * kept), (cap - p) / (cap * kept), record, tau * rest / edge, above / edge)
    growth = ball(epsilon).exp()
    return first - growth * second if record.direction == "delete" else second - growth * first


def _mixture(sine2: arb_series, cosine2: arb_series, record: Record, x: arb_series, rest: arb_series) -> arb_series:
    """`als_exact._mixture` as a series."""
    k, d = record.r - record.d, record.d
    a, b, last = arb(fmpq(k + 1, 2)), arb(fmpq(d, 2)), k // 2
    weights, steps = _binomial(sine2, cosine2, k), []
    ratio = rest / x
    for i in range(last):
        if i == 0:
            steps.append(((a - 1) * x.log() + b * rest.log() + ((a + b).lgamma() - a.lgamma() - (b + 1).lgamma())).exp())
        else:
            steps.append(steps[-1] * ratio * ((a - i) / (b + i)))
    return weighted_tails(_beta, a, b, x, rest, weights, steps, record.direction)


def _binomial(sine2: arb_series, cosine2: arb_series, k: int) -> list[arb_series]:
    """`binom(k/2, i) sine2^i cosine2^{k/2-i}` for i <= k/2; k even: without a division, as cosine2 may be 0."""
    last, one = k // 2, 0 * sine2 + 1
    up, down, factor = [one], [(cosine2.log() / 2).exp() if k % 2 else one], [arb(1)]
    for i in range(last):
        up.append(up[-1] * sine2)
        down.append(down[-1] * cosine2)
        factor.append(factor[-1] * (k - 2 * i) / (2 * i + 2))
    return [factor[i] * up[i] * down[last - i] for i in range(last + 1)]


def _beta(a: arb, b: arb, x: arb_series, rest: arb_series) -> arb_series:
    """I_x(a, b): its value at both ends of an interval of x, and its density x^{a-1} (1-x)^{b-1}/B(a, b) beyond."""
    ends = [acb(end).beta_lower(acb(a), acb(b), regularized=True).real for end in (x[0].lower(), x[0].upper())]
    constant = (a + b).lgamma() - a.lgamma() - b.lgamma()
    density = ((a - 1) * x.log() + (b - 1) * rest.log() + constant).exp() * x.derivative()
    return ends[0].union(ends[1]) + density.integral()
