"""What a record costs least squares beside a ridge s, as rational functions of s with exact coefficients.

G is the Gram matrix of [B b] of the smaller or the larger database, A = det(G_B + s I) that of the features, F = det(G + s I); 0 the smaller
database, 1 the larger. For a record v = (a, c), with N = a^T adj(G_B + s I) a and E = c A - a^T adj(G_B + s I) B^T b of either database,
`x = p/(1-p) = N/A0`, `1 + x = A1/A0`, `(1+x)(1+y) = 1/(1-q) = F1/F0`, `y = (q-p)/(1-q) = E^2/(A1 F0)` (N24-P4, matrix determinant lemma).
Every denominator has its roots at s <= 0. p and q fall with s (relative_least_squares.mechanism); y need not: the residual of a record
that is fitted exactly at s = 0 grows.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from flint import arb, arb_poly, arb_series, fmpq_mat, fmpq_poly

from ndis_verify.oracle.certified.balls import ball, enclosure, to_fmpq, working_bits
from ndis_verify.oracle.certified.gram import bilinear, gram_matrix, rational_matrix, resolvent
from ndis_verify.oracle.precision import PrecisionError


@dataclass(frozen=True, eq=False)
class Quotient:
    """top/below in lowest terms, not negative for s > 0; below = 0 at s = 0 stands for infinity there."""

    top: fmpq_poly
    below: fmpq_poly

    @property
    def infinite(self) -> bool:
        return self.below[0] == 0

    def at(self, ridge: Fraction) -> Fraction:
        """The value at an exact ridge, or the limit at 0."""
        s = to_fmpq(ridge)
        value = self.top(s) / self.below(s)
        return Fraction(int(value.p), int(value.q))

    def series(self, s: arb_series) -> arb_series:
        """Around any point of a ball of ridges, by Taylor's formula about its middle."""
        centre, shift = s[0].mid(), s - s[0].mid()
        return _horner(self.top, centre, shift) / _horner(self.below, centre, shift)

    def span(self, low: Fraction, high: Fraction, bits: int) -> tuple[Fraction, Fraction | None]:
        """Bounds of the least and the greatest value over low <= s <= high, to second order in the width; None for no upper bound."""
        if low == 0 and self.infinite:
            least, most = Quotient(self.below, self.top).span(low, high, bits) if self.top[0] != 0 else (Fraction(0), None)
            return (1 / most if most else Fraction(0)), None
        if low == high:
            return self.at(low), self.at(low)
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
    """A record that goes or comes: x, y, p, q, the ratio p/q, the first scale (1+y)/(1+x), and x y/(1+x), x y/(1+y)."""

    x: Quotient
    y: Quotient
    p: Quotient
    q: Quotient
    share: Quotient
    scale: Quotient
    shift: Quotient
    shift_less: Quotient


def changes(base: np.ndarray, additions: np.ndarray) -> tuple[list[Change], bool]:
    """Every different change of the set by a record that is not 0, and whether [B b] of the base lacks full column rank."""
    width = base.shape[1]
    gram = gram_matrix(base) if len(base) else fmpq_mat(width, width)
    inner, d = gram.tolist(), width - 1
    features = fmpq_mat([row[:d] for row in inner[:d]])
    cross = fmpq_mat([[row[d]] for row in inner[:d]])
    (small, small_adjugate), (whole, whole_adjugate) = resolvent(features), resolvent(gram)
    found: dict[tuple[str, ...], Change] = {}
    for k, record in enumerate(np.vstack([base, additions])):
        if not any(record):
            continue
        v = rational_matrix(record[None])
        a = rational_matrix(record[None, :d])
        n, m = bilinear(small_adjugate, a, a.transpose()), bilinear(whole_adjugate, v, v.transpose())
        e = v[0, d] * small - bilinear(small_adjugate, a, cross)
        goes = k < len(base)
        a0, a1, f0, f1 = (small - n, small, whole - m, whole) if goes else (small, small + n, whole, whole + m)
        change = Change(
            *(
                _reduced(top, below)
                for top, below in (
                    (n, a0),
                    (e * e, a1 * f0),
                    (n, a1),
                    (m, f1),
                    (n * f1, a1 * m),
                    (f1 * a0 * a0, f0 * a1 * a1),
                    (n * e * e, a1 * a1 * f0),
                    (n * e * e, a0 * a0 * f1),
                )
            )
        )
        found.setdefault(tuple(str(part) for name in (change.x, change.y) for part in (name.top, name.below)), change)
    return list(found.values()), whole[0] == 0


def _reduced(top: fmpq_poly, below: fmpq_poly) -> Quotient:
    common = top.gcd(below)
    return Quotient(top // common, below // common)


def _horner(polynomial: fmpq_poly, centre: arb, shift: arb_series) -> arb_series:
    """The polynomial at centre + shift."""
    total = 0 * shift
    for coefficient in reversed(arb_poly([arb(c) for c in polynomial.coeffs()])(arb_poly([centre, 1])).coeffs()):
        total = total * shift + coefficient
    return total
