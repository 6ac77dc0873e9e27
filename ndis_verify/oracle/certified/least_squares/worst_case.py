"""The largest divergence of private least squares over every record that a ridge allows, certified.

Beside a ridge the records have 0 <= p <= q <= cap = l^2/(ridge + l^2), a triangle. Both directions of both laws are
largest on q = cap (`least_squares_order.gaussian_order` and `finite_order`), so what is left is one variable: p in [0,
cap]. With x = p/(1-p) and y = (q-p)/(1-q), (1+x)(1+y) = 1/(1-q), the larger database's law relative to the smaller
one's has the scale (1+y)/(1+x) once and 1+y taken d-1 times, and the mean shift r x y/(1+x); "insert" has x and y
exchanged there, and 1/(1+y). On a box of p the divergence is bounded through three facts
(`least_squares_order.box_bound`):
- it grows with the squared mean shift, which is concave on the edge, so its maximum over the box is known;
- it grows as an eigenvalue moves away from 1 where it carries no mean shift (added noise);
- a law of less scale has at most C times the density of one of more scale, C^2 the ratio of the determinants, and P <=
  C P' gives `delta_{P,Q}(eps) <= C delta_{P',Q}(eps - log C)`.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import mpmath
from flint import arb, arb_series

from ndis_verify.arguments import exactly, nonnegative
from ndis_verify.enclosure import Enclosure
from ndis_verify.oracle.certified.engine.balls import ball, enclosure, working_bits
from ndis_verify.oracle.certified.engine.smooth_curve import Bend, Terms, bend
from ndis_verify.oracle.certified.engine.spectrum import Spectrum, from_groups
from ndis_verify.oracle.certified.gaussian_mechanism import settled
from ndis_verify.oracle.certified.hockey_stick import spectrum_estimate, spectrum_hockey_stick
from ndis_verify.oracle.certified.least_squares.edge import (
    WorstCase,
    checked_directions,
    checked_relative,
    digits_for,
    worst_case,
)
from ndis_verify.oracle.certified.least_squares.finite_law import als_exact_hockey_stick
from ndis_verify.oracle.least_squares.asymptotic_law import checked_record, checked_sketch

_BITS = 64


def als_worst_case(
    cap: Any, d: Any, r: Any, epsilon: Any, direction: str = "both", relative: Any = Fraction(1, 1000)
) -> WorstCase:
    """sup of `als_hockey_stick(p, q, d, r, epsilon)` over 0 <= p <= q <= cap, the asymptotic law (N24-T5), enclosed
    with proof.

    direction "both": the larger of the two. 0 <= cap < 1, 1 <= d <= 10^4, r >= 1, epsilon >= 0. `value` brackets the
    supremum to the relative width `relative`, in [1e-9, 0.5]; the work grows with its inverse. Raises `InputError`,
    `PrecisionError`.

    Examples
    --------
    >>> from ndis_verify.oracle import certified_als_worst_case
    >>> print(certified_als_worst_case("0.1", 3, 50, 1).value.decimal(3)[0])
    0.00139
    """
    directions, relative = checked_directions(direction), checked_relative(relative)
    return worst_case(gaussian_edge(cap, d, r, epsilon, digits_for(relative)), directions, relative)


def als_exact_worst_case(
    cap: Any, d: Any, r: Any, epsilon: Any, direction: str = "both", relative: Any = Fraction(1, 100)
) -> WorstCase:
    """sup of `als_exact_hockey_stick` over 0 <= p <= q <= cap, the finite-r law (N24 section 6.3), enclosed with proof.

    As `als_worst_case`, with r >= d; exactly 0 from epsilon = (r/2) log(1/(1-cap)) on ("delete": with r - d + 1 for r).
    direction, relative: as there. Raises `InputError`, `PrecisionError`.

    Examples
    --------
    >>> from ndis_verify.oracle import certified_als_exact_worst_case
    >>> print(certified_als_exact_worst_case("0.1", 3, 50, 1).value.decimal(2)[0])
    0.00041
    """
    directions, relative = checked_directions(direction), checked_relative(relative)
    return worst_case(student_edge(cap, d, r, epsilon, digits_for(relative)), directions, relative)


def gaussian_edge(cap: Any, d: Any, r: Any, epsilon: Any, digits: int) -> GaussianEdge:
    """The asymptotic law on q = cap, arguments checked."""
    record = checked_record(0, exactly(cap, "cap", "[0, 1)"), d, r, "delete")
    return GaussianEdge(record.q, record.d, record.r, nonnegative(epsilon, "epsilon"), digits)


def student_edge(cap: Any, d: Any, r: Any, epsilon: Any, digits: int) -> StudentEdge:
    """The finite-r law on q = cap, arguments checked."""
    record = checked_sketch(0, exactly(cap, "cap", "[0, 1)"), d, r, "delete")
    return StudentEdge(record.q, record.d, record.r, nonnegative(epsilon, "epsilon"), digits)


@dataclass(frozen=True)
class GaussianEdge:
    """The asymptotic law on q = cap."""

    cap: Fraction
    d: int
    r: int
    epsilon: Fraction
    digits: int

    def value(self, p: Fraction, direction: str) -> Enclosure:
        return spectrum_hockey_stick(self._spectrum(p, p, p, direction), self.epsilon, self.digits)

    def near(self, p: Fraction, direction: str) -> mpmath.mpf:
        return spectrum_estimate(self._spectrum(p, p, p, direction), self.epsilon, self.digits)

    def bound(self, low: Fraction, high: Fraction, direction: str) -> Fraction:
        """The largest mean shift and the largest scales of the box; C = (1-low)/(1-high) in both directions."""
        factor = (1 - low) / (1 - high)
        with working_bits(_BITS):
            # log C rounded up
            slack = enclosure(ball(factor).log()).upper if factor > 1 else Fraction(0)
        spectrum = self._spectrum(low, high, largest_shift_at(self.cap, low, high, direction), direction)
        return factor * spectrum_hockey_stick(spectrum, self.epsilon - slack, self.digits).upper

    def bend(self, low: Fraction, high: Fraction, direction: str, order: int, digits: int) -> Bend:
        """How far the curve can bend on the box (`smooth_curve.bend`)."""
        q, rest = ball(self.cap), ball(1 - self.cap)

        def terms(p: arb_series) -> Terms:
            kept = 1 - p
            if direction == "delete":
                first, others, square = kept * kept / rest - 1, (q - p) / rest, p * (q - p) / rest
            else:
                first, others, square = rest / (kept * kept) - 1, (p - q) / kept, p * (q - p) / (kept * kept)
            alone = [(first, 1, self.r * square)]
            return [*alone, (others, self.d - 1, 0 * p)] if self.d > 1 else alone

        return bend(terms, self.epsilon, low, high, order, digits)

    def _spectrum(self, low: Fraction, high: Fraction, shift_at: Fraction, direction: str) -> Spectrum:
        """Scale of the first coordinate at its largest, of the others at their furthest from 1, the mean shift of
        `shift_at`.
        """
        q = self.cap
        if direction == "delete":
            first, others = (1 - low) ** 2 / (1 - q) - 1, (q - low) / (1 - q)
        else:
            first, others = (1 - q) / (1 - high) ** 2 - 1, -(q - low) / (1 - low)
        groups = {first: (1, self.r * squared_shift(q, shift_at, direction))}
        if self.d > 1:
            count, shift = groups.get(others, (0, Fraction(0)))
            groups[others] = count + self.d - 1, shift
        return from_groups([(alpha, *group) for alpha, group in sorted(groups.items())])


@dataclass(frozen=True)
class StudentEdge:
    """The finite-r law on q = cap."""

    cap: Fraction
    d: int
    r: int
    epsilon: Fraction
    digits: int

    def pure_odds(self, digits: int) -> Fraction:
        """The largest cap/(1 - cap) of pure privacy, `e^{2 epsilon/r} - 1`, to `digits` digits and not above it."""
        return (
            settled(lambda eps: (2 * eps / self.r).expm1(), {"eps": self.epsilon}, digits).lower
            if self.epsilon
            else Fraction(0)
        )

    def value(self, p: Fraction, direction: str) -> Enclosure:
        return als_exact_hockey_stick(p, self.cap, self.d, self.r, self.epsilon, direction, self.digits)

    def bound(self, low: Fraction, high: Fraction, direction: str) -> Fraction:
        """The best of the bounds that one record gives on every other of the box."""
        if low == high:
            return self.value(low, direction).upper
        if low == 0 and high == self.cap:
            return Fraction(1)
        with working_bits(_BITS):
            return min(self._scaled(*found, direction) for found in self._bounds(low, high, direction))

    def _scaled(self, record: tuple[Fraction, Fraction], twice_log: arb, twice_slack: arb, direction: str) -> Fraction:
        slack = max(enclosure(twice_slack / 2).upper, Fraction(0))
        value = als_exact_hockey_stick(*record, self.d, self.r, self.epsilon - slack, direction, self.digits)
        return enclosure((twice_log / 2).exp() * ball(value.upper)).upper

    def _bounds(
        self, low: Fraction, high: Fraction, direction: str
    ) -> list[tuple[tuple[Fraction, Fraction], arb, arb]]:
        """(p', q'), 2 log C and 2 s with `delta <= C delta_{p', q'}(eps - s)` on the box.

        From an end of the box (`least_squares_order.base_change`): given T the loss differs by a constant, and the
        density of T by the factor ((q-p)/(q-high))^{k/2} or (p/low)^{k/2} at most, k = r - d. From inside: as for the
        normal law.
        """
        k, q = self.r - self.d, self.cap
        lack, none = k * _log_ratio(1 - low, 1 - high), arb(0)
        deleted = direction == "delete"
        found = []
        if high < q:
            found.append(((high, q), k * _log_ratio(q - low, q - high), lack if deleted else none))
        if low > 0:
            growth = k * _log_ratio(high, low)
            found.append(((low, q), growth if deleted else growth + lack, none if deleted else lack))
        if low > 0 and high < q:
            record, spread = self._inside(low, high, direction)
            found.append((record, spread, spread))
        return found

    def _inside(self, low: Fraction, high: Fraction, direction: str) -> tuple[tuple[Fraction, Fraction], arb]:
        """(p', q') with every scale and the mean shift at least those of the box, and the log of the ratio of
        determinants.
        """
        (x0, y0), (x1, y1) = (odds(p, self.cap) for p in (low, high))
        shift = squared_shift(self.cap, largest_shift_at(self.cap, low, high, direction), direction)
        if direction == "delete":  # scales (1+y)/(1+x), 1+y
            x, y = x0, max(y0, shift * (1 + x0) / x0)
            spread = self.d * _log_ratio(1 + y, 1 + y1) + _log_ratio(1 + x1, 1 + x)
        else:  # scales (1+x)/(1+y), 1/(1+y)
            x, y = max(x1, shift * (1 + y1) / y1), y1
            spread = self.d * _log_ratio(1 + y0, 1 + y) + _log_ratio(1 + x, 1 + x0)
        return (x / (1 + x), 1 - 1 / ((1 + x) * (1 + y))), spread


def _log_ratio(a: Fraction, b: Fraction) -> arb:
    """log(a/b), next to 0 too."""
    return ball((a - b) / b).log1p()


def odds(p: Fraction, q: Fraction) -> tuple[Fraction, Fraction]:
    """(x, y) = (p/(1-p), (q-p)/(1-q))."""
    return p / (1 - p), (q - p) / (1 - q)


def squared_shift(q: Fraction, p: Fraction, direction: str) -> Fraction:
    """The squared mean shift for r = 1: x y/(1+x) = p (q-p)/(1-q), "insert" x y/(1+y) = p (q-p)/(1-p)^2."""
    return p * (q - p) / ((1 - q) if direction == "delete" else (1 - p) ** 2)


def largest_shift_at(q: Fraction, low: Fraction, high: Fraction, direction: str) -> Fraction:
    """Where in [low, high] the mean shift is largest: nearest to q/2, "insert" q/(2-q)."""
    vertex = q / 2 if direction == "delete" else q / (2 - q)
    return min(max(vertex, low), high)
