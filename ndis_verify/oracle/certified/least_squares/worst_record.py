"""The worst record of the finite-r law: where it is, and what it costs (symbolic.least_squares_summit).

Along q = cap the divergence grows with p while p < q tau, tau the threshold of T, and falls afterwards. At the summit p
= q tau, and with M the largest loss of all these records ("delete": (k+1)/2 log(1/(1-q)), at p = 0; "insert": r/2
log(1/(1-q)), at p = q), k = r - d, `p = 1 - e^{-t}` "delete", `q - p = (1-q) (e^t - 1)` "insert", `t = 2 (M -
epsilon)/(r + k + 1)`; no record costs anything where t <= 0.
"""

from __future__ import annotations

from fractions import Fraction

from ndis_verify.enclosure import Enclosure
from ndis_verify.oracle.certified.engine.balls import (
    ball,
    enclosure,
    exact_zero,
    relative_digits,
    to_exact_ball,
    working_bits,
)
from ndis_verify.oracle.certified.least_squares.finite_law import als_exact_hockey_stick
from ndis_verify.oracle.engine.decreasing_root import hull
from ndis_verify.oracle.engine.precision import PrecisionError, bits_ladder

Target = tuple[int, int, Fraction]  # d, r, epsilon


def summit(cap: Fraction, target: Target, direction: str, digits: int) -> tuple[Fraction, Fraction] | None:
    """Exact numbers low <= p <= high around the worst record (p, cap); None where no record costs anything.

    high - low is at most 10^-digits of p and of cap - p. 0 <= cap < 1.
    """
    d, r, epsilon = target
    deleted, k = direction == "delete", r - d
    if not cap:
        return None
    for bits in bits_ladder(digits):
        with working_bits(bits):
            largest = -ball(-cap).log1p() * (k + 1 if deleted else r) / 2
            excess = (largest - ball(epsilon)) * 2 / (r + k + 1)
            if excess < 0:
                return None
            near = -(-excess).expm1() if deleted else ball(1 - cap) * excess.expm1()
            far = ball(cap) - near
            if excess > 0 and far > 0 and min(relative_digits(near), relative_digits(far)) >= digits + 1:
                found = enclosure(near)
                return (found.lower, found.upper) if deleted else (cap - found.upper, cap - found.lower)
    raise PrecisionError(f"worst record: {digits} digits not reached at {bits} bits")


def largest_divergence(cap: Fraction, target: Target, direction: str, digits: int) -> Enclosure:
    """The largest divergence of all records 0 <= p <= q <= cap in one direction, exactly 0 where none costs anything.

    From the record at the lower end of `summit` to the one at p the density of T, given the loss, grows by
    ((q-low)/(q-p))^{k/2} at most and the loss of "delete" by (k/2) log((1-low)/(1-p)) (`als_worst_case`); both are next
    to nothing. Relative radius at most 10^-digits.
    """
    d, r, epsilon = target
    k = r - d
    spare = digits + 4 + len(str(r)) + len(str(int(epsilon)))
    for aim in (spare, 2 * spare):
        ends = summit(cap, target, direction, aim)
        if ends is None:
            return exact_zero()
        low, high = ends
        value = als_exact_hockey_stick(low, cap, d, r, epsilon, direction, digits + 2)
        with working_bits(int(3.33 * aim) + 96):
            growth = (k * ball((high - low) / (cap - high)).log1p() / 2).exp()
            lack = (
                max(enclosure(k * ball((high - low) / (1 - high)).log1p() / 2).upper, Fraction(0))
                if direction == "delete"
                else Fraction(0)
            )
        more = value if not lack else als_exact_hockey_stick(low, cap, d, r, epsilon - lack, direction, digits + 2)
        with working_bits(int(3.33 * aim) + 96):
            found = hull(value, enclosure(to_exact_ball(more) * growth), digits + 2)
        if found.justified_digits() >= digits:
            return found
    raise PrecisionError(f"worst record: {digits} digits not reached")


def worst_divergence(cap: Fraction, target: Target, digits: int) -> Enclosure:
    """The larger `largest_divergence` of both directions."""
    # With one feature the record (x, y) deleted is the record (y, x) inserted (x, y of `als_worst_case`).
    found = [
        largest_divergence(cap, target, direction, digits)
        for direction in (("delete",) if target[0] == 1 else ("delete", "insert"))
    ]
    return max(found, key=lambda value: value.upper)  # its lower end is one of the larger value too
