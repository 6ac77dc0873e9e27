"""Approximate least squares, finite-r law: certified values, and the largest privacy loss.

The privacy loss is `L = L0 + ((r+1)/2) log(1 - q T)`, 0 <= T <= 1 (see the two-route file of this name); k = r - d.
If k = 2n is even, T is under both laws a binomial mixture of beta variables, `T | J ~ Beta(J + 1/2, r/2 - J)` with
J ~ Bin(n, 1 - p/q) in the larger database; in the smaller one `T' = (1-q) T/(1 - q T)` has that conditional law, with
J ~ Bin(n, (q-p)/(q (1-p))). With T < tau where L > eps and tau' the image of tau,
`delta = sum_j Pr[J=j] I_tau(j + 1/2, r/2 - j) - e^eps sum_j Pr'[J=j] I_tau'(j + 1/2, r/2 - j)`: a finite sum.
If k is odd the same sum with binom(k/2, i), i < k/2, is the part of the expectation where `|y_0|^k` may be replaced by
the polynomial y_0^k; the rest is one integral over an angle (`angle`).
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from flint import acb, arb, fmpq

from ndis_verify.enclosure import Enclosure
from ndis_verify.exact_number import exact
from ndis_verify.oracle.certified.engine.balls import ball, enclosure, exact_zero, relative_digits, working_bits
from ndis_verify.oracle.certified.engine.binomial_window import MixedTails
from ndis_verify.oracle.certified.least_squares.angle import angle_integral
from ndis_verify.oracle.engine.precision import PrecisionError, bits_ladder, checked_digits
from ndis_verify.oracle.least_squares.asymptotic_law import Record, checked_sketch


def als_max_privacy_loss(
    leverage: Any, augmented_leverage: Any, d: Any, r: Any, direction: str = "delete", digits: int = 30
) -> Enclosure:
    """The largest privacy loss of the finite-r law, enclosed: delta is exactly 0 from there on and positive before.

    "delete": `((r-d+1) log(1/(1-q)) - (r-d) log(1/(1-p)))/2`; "insert": `((r-d) log(1/(1-p)) + d log(1/(1-q)))/2`.
    leverage p, augmented_leverage q, direction: as in `als_exact_hockey_stick`; relative radius at most 10^-digits.
    Raises `InputError`, `PrecisionError`.

    Examples
    --------
    >>> from ndis_verify.oracle import certified_als_max_privacy_loss
    >>> print(certified_als_max_privacy_loss("0.125", "0.25", 3, 50, digits=12).decimal(12)[0])
    3.76638201217
    """
    record, digits = checked_sketch(leverage, augmented_leverage, d, r, direction), checked_digits(digits)
    if record.q == 0:
        return exact_zero()
    for bits in bits_ladder(digits):
        with working_bits(bits):
            value = max_loss(record)
            if relative_digits(value) >= digits:
                return enclosure(value)
    raise PrecisionError(f"als_max_privacy_loss: {digits} digits not reached")


def als_exact_hockey_stick(
    leverage: Any, augmented_leverage: Any, d: Any, r: Any, epsilon: Any, direction: str = "delete", digits: int = 30
) -> Enclosure:
    """delta(epsilon) of the sketched solution (Pi B)^+ Pi b itself with and without one record, enclosed with proof.

    The law is a multivariate Student t with r-d+1 degrees of freedom (N24 section 6.3 leaves it open). p = leverage, q
    = augmented_leverage, 0 <= p <= q < 1, r >= d >= 1; any real epsilon; exactly 0 where the loss cannot exceed it.
    Relative radius at most 10^-digits. r - d even: a finite sum; odd: a rigorous integral beside it. Hundredths of a
    second for 15 digits up to d = 100 and r = 10^6, wherever p is in [0, q]. direction: "delete" or "insert". Raises
    `InputError`, `PrecisionError`.

    Examples
    --------
    >>> from ndis_verify.oracle import certified_als_exact_hockey_stick
    >>> print(certified_als_exact_hockey_stick("0.125", "0.25", 3, 50, 1, digits=12).decimal(12)[0])
    0.123449007257
    """
    record, digits = checked_sketch(leverage, augmented_leverage, d, r, direction), checked_digits(digits)
    epsilon = exact(epsilon, "epsilon")
    if epsilon < 0 or record.q == 0:
        return _shifted(record, epsilon, digits)
    return _settled(record, epsilon, digits, lambda delta: delta)


def _shifted(record: Record, epsilon: Fraction, digits: int) -> Enclosure:
    """Equal laws; or epsilon < 0 through `delta_{P,Q}(eps) = 1 - e^eps + e^eps delta_{Q,P}(-eps)`."""
    if record.q == 0 and epsilon >= 0:
        return exact_zero()
    other = record._replace(direction="insert" if record.direction == "delete" else "delete")
    return _settled(other, -epsilon, digits, lambda delta: -ball(epsilon).expm1() + ball(epsilon).exp() * delta)


def _settled(record: Record, epsilon: Fraction, digits: int, function: Callable[[arb], arb]) -> Enclosure:
    """`function` of the divergence, epsilon >= 0, at the first precision that gives it the digits asked for.

    The divergence is 0 from epsilon = max loss on; for q > 0 they are never equal: e^{2 max loss} is rational and above
    1, and e^{2 epsilon} is irrational for every rational epsilon != 0 (Lindemann).
    """
    beyond, aim = None, digits
    for bits in bits_ladder(digits):
        with working_bits(bits):
            excess = max_loss(record) - ball(epsilon)
            if record.q and not (excess > 0 or excess < 0):
                continue
            delta = arb(0)
            if record.q and excess > 0:
                delta = _finite_sum(record, epsilon, excess)
                if (record.r - record.d) % 2 and 0 < record.p < record.q:
                    if beyond is None or relative_digits(beyond) < digits + 1:
                        aim += 2
                        beyond = angle_integral(record, epsilon, excess, aim, abs(delta).lower() * arb(10) ** -aim)
                    delta += beyond
            value = function(delta)
            if value.is_zero():
                return exact_zero()
            if relative_digits(value) >= digits:
                return enclosure(value)
    raise PrecisionError(f"als_exact_hockey_stick: {digits} digits not reached")


def max_loss(record: Record) -> arb:
    """The largest privacy loss at the current precision."""
    p, q, d, r, direction = record
    if direction == "delete":
        return ((r - d) * ball((1 - p) / (1 - q)).log() - ball(1 - q).log()) / 2
    return -((r - d) * ball(1 - p).log() + d * ball(1 - q).log()) / 2


def _finite_sum(record: Record, epsilon: Fraction, excess: arb) -> arb:
    """The finite sum at the excess of the largest loss over epsilon, > 0."""
    p, q, d, r, direction = record
    # edge = 1 - q tau at the threshold tau of T
    scale = arb(2) / (r + 1)
    edge = (-excess * scale).exp() if direction == "delete" else ball(1 - q) * (excess * scale).exp()
    tau, above = (1 - edge) / ball(q), (edge - ball(1 - q)) / ball(q)
    first = _mixture(p / q, (q - p) / q, record, tau, above)
    # The smaller database: the same betas for T' = (1-q) T/(1 - q T), weights tilted.
    second = _mixture(
        p * (1 - q) / (q * (1 - p)), (q - p) / (q * (1 - p)), record, tau * ball(1 - q) / edge, above / edge
    )
    growth = ball(epsilon).exp()
    return first - growth * second if direction == "delete" else second - growth * first


def _mixture(sine2: Fraction, cosine2: Fraction, record: Record, x: arb, rest: arb) -> arb:
    """`sum_i binom(k/2, i) sine2^i cosine2^{k/2-i} Pr[Beta((k+1)/2 - i, d/2 + i) < x]` ("insert": > x) over 0 <= i <=
    k/2.

    rest = 1 - x: each tail is computed from its own end. Neighbouring tails differ by one positive term,
    `I_x(a-1, b+1) = I_x(a, b) + x^{a-1} (1-x)^b Gamma(a+b)/(Gamma(a) Gamma(b+1))`, so only one is a beta function.
    """
    k, d = record.r - record.d, record.d
    if cosine2 == 0:  # T is Beta(1/2, r/2), whatever the parity
        k, d = 0, record.r
    deleted = record.direction == "delete"
    tail = _beta if deleted else (lambda a, b, x, rest: _beta(b, a, rest, x))
    a, b = arb(fmpq(k + 1, 2)), arb(fmpq(d, 2))
    if not (k // 2 and sine2):
        return tail(a, b, x, rest) * (ball(cosine2) ** arb(fmpq(k, 2)) if k else 1)
    sums = MixedTails(fmpq(k, 2), ball(sine2), ball(cosine2), a, b, x, rest)
    return sums.total(*sums.window(deleted), tail, deleted)


def _beta(a: arb, b: arb, x: arb, rest: arb) -> arb:
    """The regularised incomplete beta function I_x(a, b); beyond the mean a/(a+b) through its complement."""
    if x * (a + b) > a:
        return 1 - acb(rest).beta_lower(acb(b), acb(a), regularized=True).real
    return acb(x).beta_lower(acb(a), acb(b), regularized=True).real
