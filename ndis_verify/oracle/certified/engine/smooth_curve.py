"""The divergence along a smooth curve of Gaussian pairs: how far it can bend, with proof.

A curve gives the relative spectrum of the pair at a real parameter p: alpha_i(p), their multiplicities k_i and
m_i^2(p), as power series. With `g(s; p) = M(s) e^{-s eps}/(s (s + 1))` and a path from the real saddle up to r, for
every p of an interval, `f(p) = F(p) + R(p)`, `F = (1/pi) Im int_path g ds`, `|R| <= (1/pi) int_ray |g| |ds|`.
- F is analytic: `|F^(n)(p)|/n! <= (1/pi) int_path |g| |b_n| |ds|`, b_n the Taylor coefficient of `exp(log M(s; p + t) -
  log M(s; p))`; `(log M)' = s (s + 1) sum [k alpha alpha'/((1 + alpha) w) + (m^2/w)']/2`, w = 1 - s alpha, has no poles
  to cancel.
- R is bounded by `tail.tail_bound`, or, where alpha may be 0 in the interval, up the vertical ray from r with Re w > 0
  there: w, s and s + 1 grow, and so does no factor `exp(s (s + 1) m^2/(2 w))`, since `Im d/ds [s (s + 1)/w] = 2 (1 +
  alpha) Im(s) Re(w)/|w|^4 >= 0`. That leaves `|g(r)| (pi/2) sqrt(|r| |r + 1|)` (see (e) of `tail`). Where the
  coefficient v of s^2 may be 0, not the others: along the diagonal from r on, with u = (+-1 + i)/sqrt 2, Re(u^2) = 0,
  so `exp(v s^2/2 - x s)` falls at the rate Re(x u) - v Re(r u) at least; (c) and (e) of `tail` hold for any u, and (d)
  becomes `h (1/|w| - Re(1/w(r)))` at the least |w| of the ray.
The path is chosen at the middle of the interval; every bound is over intervals of s and of p.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from flint import acb, acb_series, arb, arb_series

from ndis_verify.enclosure import Enclosure
from ndis_verify.oracle.certified.engine.balls import ball, enclosure, working_bits
from ndis_verify.oracle.certified.engine.integrand import curvature, log_transform, slope
from ndis_verify.oracle.certified.engine.laplace import saddle, step_down
from ndis_verify.oracle.certified.engine.tail import INFINITE, Term, Transform, tail_bound
from ndis_verify.oracle.engine.precision import PrecisionError

Terms = list[tuple[arb_series, int, arb_series]]
TermsAt = Callable[[arb_series], Terms]
_MAX_VERTICES, _MAX_PARTS = 400, 1500
_EXCESS = 0.5  # by which log |g| may vary over a part of the path
_FINE = 1e-3  # of the whole, below which a part may be coarse


@dataclass(frozen=True)
class Bend:
    """On an interval f = F + R with |F^(order)|/order! <= `coefficient` and |R| <= `rest`."""

    coefficient: Fraction
    rest: Fraction


def bend(terms_at: TermsAt, epsilon: Fraction, low: Fraction, high: Fraction, order: int, digits: int) -> Bend:
    """The bounds of the module's head for the divergence at epsilon over low <= p <= high.

    `digits`: the rest is kept below 10^-digits of the size of g at the saddle. Raises `PrecisionError` where a bound
    fails.
    """
    with working_bits(int(3.33 * digits) + 100):
        return _Local(terms_at, epsilon, low, high, order).bend(digits)


class _Local:
    """One interval at the current precision."""

    def __init__(self, terms_at: TermsAt, epsilon: Fraction, low: Fraction, high: Fraction, order: int):
        self.order, self.half = order, ball((high - low) / 2).upper()
        centre = ball((low + high) / 2)
        eps = ball(epsilon)
        self.middle = _transform([(a[0], k, m[0]) for a, k, m in terms_at(arb_series([centre], 1))], eps)
        try:
            terms = terms_at(arb_series([ball(low).union(ball(high)), 1], order + 2))
        except ValueError:  # a division by a series that may vanish
            raise PrecisionError("bend: the interval is too wide for its covariances") from None
        if not all(1 + a[0] > 0 for a, _, _ in terms):
            raise PrecisionError("bend: the interval is too wide for its covariances")
        self.wide = _transform([(a[0], k, m[0]) for a, k, m in terms], eps)
        # k alpha alpha'/(1 + alpha), and the series of alpha and m^2 themselves
        self.parts = [(acb_series(k * a * a.derivative() / (1 + a)), acb_series(a), acb_series(m)) for a, k, m in terms]

    def bend(self, digits: int) -> Bend:
        start = saddle(self.middle)
        if start is None or not all(1 - start * t.alpha > 0 for t in self.wide.terms):
            raise PrecisionError("bend: the interval is too wide for one path")
        width = (1 / curvature(self.middle, acb(start)).real.sqrt()).mid()
        size = log_transform(self.middle, acb(start)).real.exp() * width
        small = (size * arb(10) ** -digits).mid()
        vertices = [acb(start), acb(start, width)]
        while not (rest := self._rest(vertices[-1])) < small:
            if len(vertices) > _MAX_VERTICES:
                raise PrecisionError("bend: the path did not reach its tail")
            vertices.append(self._next(vertices[-1]))
        return Bend(_upper(self._along(vertices) / arb.pi()), _upper(rest / arb.pi()))

    def _next(self, here: acb) -> acb:
        """Down log |g|, but no further to the side than the diagonal where only that leads to a tail."""
        there, side = step_down(self.middle, here), self.wide.side
        fading = any(t.alpha.is_zero() and t.p.contains(0) for t in self.wide.terms)
        if not fading or not side or (there - here).imag >= side * (there - here).real:
            return there
        return (here + abs(there - here) * acb(side, 1) / arb(2).sqrt()).mid()

    def _along(self, vertices: list[acb]) -> arb:
        """A bound of the integral of |g b_n| along the path."""
        total, done = arb(0), 0
        stack = list(reversed(list(itertools.pairwise(vertices))))
        while stack:
            left, right = stack.pop()
            done += 1
            if done > _MAX_PARTS:
                raise PrecisionError("bend: too many parts of the path")
            middle, box = ((left + right) / 2).mid(), _hull(left, right)
            reach = abs(right - left) / 2
            excess = abs((slope(self.middle, middle) * (right - left)).real) / 2
            excess += abs(curvature(self.middle, box)) * reach * reach / 2
            part = self._part(middle, box, excess, 2 * reach) if excess < 40 else arb("nan")
            if excess < _EXCESS or (part.is_finite() and part < _FINE * total):
                total += part
            else:
                stack += [(middle, right), (left, middle)]
        return total

    def _part(self, middle: acb, box: acb, excess: arb, length: arb) -> arb:
        first, nth = self._coefficients(box)
        logarithm = log_transform(self.middle, middle).real + excess + abs(first.real) * self.half
        return (logarithm.exp() * abs(nth) * length).upper()

    def _coefficients(self, s: acb) -> tuple[acb, acb]:
        """b_1 and b_n over the interval, at a box of s."""
        total = acb_series([0], self.order)
        for growth, alpha, square in self.parts:
            w = 1 - alpha * s
            if w[0].contains(0):
                return acb("nan"), acb("nan")
            inverse = 1 / w
            total += growth * inverse + (square * inverse).derivative()
        rates = [s * (s + 1) * total[j] / (2 * (j + 1)) for j in range(self.order)]
        return rates[0], acb_series([0, *rates], self.order + 1).exp()[self.order]

    def _rest(self, r: acb) -> arb:
        """A bound of the integral of |g| from r on, over the interval."""
        first, _ = self._coefficients(r)
        height = (log_transform(self.middle, r).real + abs(first.real) * self.half).exp()
        bounds = [arb("inf")]
        if all((1 - r * t.alpha).real > 0 for t in self.wide.terms):
            bounds.append(arb.pi() / 2 * (abs(r) * abs(r + 1)).sqrt())
        if self.wide.side and not any(t.alpha.contains(0) and not t.alpha.is_zero() for t in self.wide.terms):
            bounds += [
                found
                for found in (tail_bound(self.wide, r, self.wide.side), _diagonal(self.wide, r))
                if found is not INFINITE
            ]
        return (height * min(bounds, key=lambda x: float(x.upper()) if x.is_finite() else float("inf"))).upper()


def _transform(terms: list[tuple[arb, int, arb]], epsilon: arb) -> Transform:
    kept = tuple(Term(a, k, m.max(arb(0)), m.max(arb(0))) for a, k, m in terms)
    y = epsilon + sum((t.multiplicity * t.alpha.log1p() for t in kept), arb(0)) / 2
    x = y + sum((-t.q if t.alpha.is_zero() else t.p / t.alpha for t in kept), arb(0)) / 2
    return Transform(y, kept, x, second_pole=True)


def _diagonal(transform: Transform, r: acb) -> arb | None:
    """`tail_bound` for u = (side + i)/sqrt 2, `side` where exp(-x s) decays; `INFINITE` where it gives none."""
    u = acb(transform.side, 1) / arb(2).sqrt()
    rate = (transform.x * u).real - transform.gaussian * (r * u).real.max(arb(0))
    if not rate > 0 or not (u.conjugate() * r).real >= 0 or not (u.conjugate() * (r + 1)).real >= 0:
        return INFINITE
    constant = arb(1)
    for t in transform.terms:
        if t.alpha.is_zero():
            continue
        offset = u.conjugate() * (r - 1 / t.alpha)
        nearest = abs(offset) if offset.real >= 0 else abs(offset.imag)
        if not nearest > 0:
            return INFINITE
        constant *= (abs(offset) / nearest) ** (arb(t.multiplicity) / 2)
        if t.has_exponent:
            constant *= (t.h.max(arb(0)) * (1 / (abs(t.alpha) * nearest) - (1 / (1 - r * t.alpha)).real)).exp()
    return constant / rate


def _hull(left: acb, right: acb) -> acb:
    return acb(left.real.union(right.real), left.imag.union(right.imag))


def _upper(value: arb) -> Fraction:
    found: Enclosure = enclosure(value)
    return found.upper
