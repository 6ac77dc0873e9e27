"""What a record costs least squares beside a ridge s, as rational functions of s with exact coefficients.

G is the Gram matrix of [B b] of the smaller or the larger database, A = det(G_B + s I) that of the features, F = det(G
+ s I); 0 the smaller database, 1 the larger. For a record v = (a, c), with N = a^T adj(G_B + s I) a and E = c A - a^T
adj(G_B + s I) B^T b of either database, `x = p/(1-p) = N/A0`, `1 + x = A1/A0`, `(1+x)(1+y) = 1/(1-q) = F1/F0`, `y =
(q-p)/(1-q) = E^2/(A1 F0)` (N24-P4, matrix determinant lemma). Every denominator but that of `gap` has its roots at s <=
0. p and q fall with s (relative_least_squares.mechanism); y need not: the residual of a record that is fitted exactly
at s = 0 grows.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from flint import arb, arb_poly, arb_series, fmpq_mat, fmpq_poly

from ndis_verify.exact_number import ExactArray
from ndis_verify.oracle.certified.engine.balls import ball, enclosure, of_fmpq, to_fmpq, working_bits
from ndis_verify.oracle.certified.relative_least_squares.gram import bilinear, gram_matrix, rational_matrix, resolvent
from ndis_verify.oracle.engine.precision import PrecisionError

_SIGN_BITS = (128, 512, 2048)


@dataclass(frozen=True, eq=False)
class Quotient:
    """top/below in lowest terms; below = 0 at s = 0 stands for infinity there."""

    top: fmpq_poly
    below: fmpq_poly

    @property
    def infinite(self) -> bool:
        return self.below[0] == 0

    def at(self, ridge: Fraction) -> Fraction:
        """The value at an exact ridge, or the limit at 0."""
        s = to_fmpq(ridge)
        return of_fmpq(self.top(s) / self.below(s))

    @cached_property
    def _slope(self) -> fmpq_poly:
        """The numerator of the derivative; the denominator is a square."""
        return self.top.derivative() * self.below - self.top * self.below.derivative()

    @cached_property
    def _everywhere(self) -> int | None:
        return sign_on(self._slope, Fraction(0), None)

    def trend(self, low: Fraction, high: Fraction | None) -> int | None:
        """1 where it is proved to rise on (low, high), -1 to fall, 0 to be constant, else None; high None stands for
        infinity.
        """
        return sign_on(self._slope, low, high) if self._everywhere is None else self._everywhere

    def series(self, s: arb_series) -> arb_series:
        """Around any point of a ball of ridges, by Taylor's formula about its middle."""
        centre, shift = s[0].mid(), s - s[0].mid()
        return _horner(self.top, centre, shift) / _horner(self.below, centre, shift)

    def span(self, low: Fraction, high: Fraction, bits: int) -> tuple[Fraction, Fraction | None]:
        """Bounds of the least and the greatest value over low <= s <= high of a quotient that is not negative; None for
        no upper bound.

        The ends of a monotone one, rounded outward; else to second order in the width.
        """
        if low == high and not (low == 0 and self.infinite):
            return self.at(low), self.at(low)
        if (trend := self.trend(low, high)) is not None:
            start, end = (None if s == 0 and self.infinite else self.at(s) for s in (low, high))
            least, most = (start, end) if trend > 0 else (end, start)
            assert least is not None  # it falls from infinity, at a ridge of 0
            with working_bits(bits):
                return max(enclosure(ball(least)).lower, Fraction(0)), (
                    None if most is None else enclosure(ball(most)).upper
                )
        if low == 0 and self.infinite:
            least, most = (
                Quotient(self.below, self.top).span(low, high, bits) if self.top[0] != 0 else (Fraction(0), None)
            )
            return (1 / most if most else Fraction(0)), None
        with working_bits(bits):
            half = ball((high - low) / 2)
            centre = arb_series([ball((low + high) / 2).mid(), 1], 3)
            try:
                middle = self.series(centre)
                wide = self.series(arb_series([ball(low).union(ball(high)), 1], 3))
            except ValueError:  # a division by a series that may vanish
                raise PrecisionError("ridge path: the interval is too wide") from None
            offset = abs(ball((low + high) / 2) - centre[0]) + half
            value = enclosure(middle[0] + arb(0, (abs(middle[1]) * offset + abs(wide[2]) * offset**2).upper()))
        return max(value.lower, Fraction(0)), value.upper


@dataclass(frozen=True, eq=False)
class Change:
    """A record that goes or comes: x, y, p, q, the ratio p/q, the first scale (1+y)/(1+x), x y/(1+x), x y/(1+y), and
    1/y - 1/x, None if x y = 0.
    """

    x: Quotient
    y: Quotient
    p: Quotient
    q: Quotient
    share: Quotient
    scale: Quotient
    shift: Quotient
    shift_less: Quotient
    gap: Quotient | None


def changes(base: ExactArray, additions: ExactArray) -> tuple[list[Change], bool]:
    """Every different change of the set by a record that is not 0, and whether [B b] of the base lacks full column
    rank.
    """
    width = base.shape[1]
    gram = gram_matrix(base) if len(base) else fmpq_mat(width, width)
    inner, d = gram.tolist(), width - 1
    features = fmpq_mat([row[:d] for row in inner[:d]])
    cross = fmpq_mat([[row[d]] for row in inner[:d]])
    (small, small_adjugate), (whole, whole_adjugate) = resolvent(features), resolvent(gram)
    found: dict[tuple[str, ...], Change] = {}
    for k, record in enumerate(itertools.chain(base, additions)):
        if not any(record):
            continue
        v = rational_matrix([record])
        a = rational_matrix([record[:d]])
        n, m = bilinear(small_adjugate, a, a.transpose()), bilinear(whole_adjugate, v, v.transpose())
        e = v[0, d] * small - bilinear(small_adjugate, a, cross)
        goes = k < len(base)
        a0, a1, f0, f1 = (small - n, small, whole - m, whole) if goes else (small, small + n, whole, whole + m)
        change = Change(
            x=_reduced(n, a0),
            y=_reduced(e * e, a1 * f0),
            p=_reduced(n, a1),
            q=_reduced(m, f1),
            share=_reduced(n * f1, a1 * m),
            scale=_reduced(f1 * a0 * a0, f0 * a1 * a1),
            shift=_reduced(n * e * e, a1 * a1 * f0),
            shift_less=_reduced(n * e * e, a0 * a0 * f1),
            gap=_reduced(n * a1 * f0 - a0 * e * e, n * e * e) if n != 0 and e != 0 else None,
        )
        found.setdefault(tuple(str(part) for name in (change.x, change.y) for part in (name.top, name.below)), change)
    return list(found.values()), whole[0] == 0


def sign_on(polynomial: fmpq_poly, low: Fraction, high: Fraction | None) -> int | None:
    """Its sign on (low, high), 0 for the zero polynomial, None where roots are not ruled out; high None stands for
    infinity.

    Descartes' rule: no root where the coefficients in s - low, or in (s - low)/(high - s), have one sign.
    """
    coefficients = polynomial.coeffs()
    if not coefficients:
        return 0
    for bits in _SIGN_BITS:
        with working_bits(bits):
            moved = arb_poly([arb(c) for c in coefficients])(
                arb_poly([ball(low), 1 if high is None else ball(high - low)])
            )
            if high is not None:
                moved = arb_poly(moved.coeffs()[::-1])(arb_poly([1, 1]))
            signs = [1 if c > 0 else -1 if c < 0 else 0 if c.is_zero() else None for c in moved.coeffs()]
        if 1 in signs and -1 in signs:
            return None
        if None not in signs:
            return max((s for s in signs if s is not None), key=abs)
    return None


def _reduced(top: fmpq_poly, below: fmpq_poly) -> Quotient:
    common = top.gcd(below)
    return Quotient(top // common, below // common)


def _horner(polynomial: fmpq_poly, centre: arb, shift: arb_series) -> arb_series:
    """The polynomial at centre + shift."""
    total = 0 * shift
    for coefficient in reversed(arb_poly([arb(c) for c in polynomial.coeffs()])(arb_poly([centre, 1])).coeffs()):
        total = total * shift + coefficient
    return total
