"""The divergence over all neighbours of a Gaussian-process prediction, in closed form, with its slopes, in ball
arithmetic.

The pairs of symbolic.prediction_family are N(0, 1 + t^2) and N(t r, 1), t^2 = w x/((1 + x) v + w), w =
l^2 (1 - z): with E^2 = r^2 + log(1 + t^2) + 2 level, q^2 = 1 + t^2, the first law is e^level times the second at `(q/t)
(q r -+ E)` = q y1, q y2, so
- level = eps: `f = P[y1] + P[-y2] - e^eps (P[u1] + P[-u2])`, P the normal distribution function, `u = (r -+ q E)/t`;
- level = -eps, the less spread law first (`swapped`): `f = P[u2] - P[u1] - e^eps (P[y2] - P[y1])`, and f = 0 where E^2
  <= 0.
Both integrands vanish at their ends, so only the densities move, and along any direction
`f' = w (P'(y1)/q) (1 + k) t H`, `H = (E/q) (log t)' + (1 - k)/(1 + k) r'`, `k = P'(y2)/P'(y1) = exp(-2 q r E/t^2)`, w =
1 or e^eps: f has its critical points where H = 0, and f grows with t and with r. Coordinates 0 <= p, e <= 1: z = d^2, d
= tanh(a p), sinh a = sqrt(m R), and x = h^2 c^2, c^2 = 1 - z, h = sinh(g e), sinh g = sqrt(R), R = l^2/s^2. With b =
labels/s, N = (1 + x) v + l^2 c^2, t = l h c^2/sqrt(N), r = b (1 + sqrt(m) h c d)/sqrt(1 + x) everything is analytic up
to the ends: `d log t/dh = (v + l^2 c^2)/(h N)`, `dr/dh = b c (sqrt(m) d - h c)/(1 + x)^(3/2)`, and along the angle of
which c, d are cosine and sine `d log t = -(d/c) (1 + v/N)`, `dr = b h (sqrt(m) (c^2 - d^2 + x c^2) + h c d)/(1 +
x)^(3/2)`; the angle and h grow at a c and g cosh(g e).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TypeVar

from flint import arb, arb_series

from ndis_verify.oracle.certified.engine.balls import ball

Number = TypeVar("Number", arb, arb_series)  # a ball, or its series


@dataclass(frozen=True)
class PredictionPlane:
    """A prediction at one added variance v >= 0, one direction: length, labels, s^2, m other records, exact."""

    length: Fraction
    labels: Fraction
    noise_variance: Fraction
    others: int
    added: Fraction
    epsilon: Fraction
    swapped: bool

    def balls(self) -> Balls:
        """The function itself, at the current precision."""
        return Balls(self)


class Balls:
    """f and its slopes; every argument is a ball, and what comes back holds all over it ("nan" where nothing
    is known).
    """

    def __init__(self, plane: PredictionPlane):
        self.plane = plane
        ratio = ball(plane.length**2 / plane.noise_variance)
        self.length, self.added, self.bias = (
            ball(plane.length),
            ball(plane.added),
            ball(plane.labels**2 / plane.noise_variance).sqrt(),
        )
        self.pull = arb(plane.others).sqrt()
        self.wide, self.high = (plane.others * ratio).sqrt().asinh(), ratio.sqrt().asinh()
        self.level = ball(-2 * plane.epsilon if plane.swapped else 2 * plane.epsilon)
        self.factor = ball(plane.epsilon).exp()

    def value(self, p: arb, e: arb) -> arb:
        """f at one point (or a tiny ball)."""
        t, r = self._law(*self._place(p, e))
        return self._divergence(t, r)

    def bound(self, p: arb, e: arb) -> arb:
        """Above f on the cell: f grows with w, x/(1 + x) and r, the most of each; c d <= 1/2."""
        (low, far), (near, high) = ((x.lower().max(arb(0)), x.upper().min(arb(1))) for x in (p, e))
        (_, c, h), (d, least, first) = self._place(low, high), self._place(far, near)
        t, _ = self._law(d, c, h)
        r = self.bias * (1 + self.pull * h * (d * c).min(arb(0.5))) / (1 + (first * least) ** 2).sqrt()
        return self._divergence(t.upper(), r.upper()).upper()

    def place(self, p: arb, e: arb) -> tuple[arb, arb]:
        """(z, x)."""
        d, c, h = self._place(p, e)
        return d * d, (h * c) ** 2

    def slopes(self, p: Number, e: Number) -> tuple[Number, Number]:
        """H along the angle and along h."""
        d, c, h = self._place(p, e)
        own, x = self.length * self.length * c * c, h * h * c * c
        spread, thin = (1 + x) * self.added + own, (1 + x).rsqrt() ** 3 * self.bias
        t, r = self._law(d, c, h)
        q, height, k = self._shape(t, r)
        share, balance = height / q, (1 - k) / (1 + k)
        turning = balance * thin * h * (self.pull * (c * c - d * d + x * c * c) + h * c * d) - share * (d / c) * (
            1 + self.added / spread
        )
        return turning, balance * thin * c * (self.pull * d - h * c) + share * (self.added + own) / (h * spread)

    def rise(self, p: arb, e: arb) -> tuple[arb, arb]:
        """df/dp and df/de over a cell."""
        d, c, h = self._place(p, e)
        t, r = self._law(d, c, h)
        q, height, k = self._shape(t, r)
        y = (q * r - height) / t
        steep = (
            (-y * y / 2).exp() / (2 * arb.pi()).sqrt() / q * (1 + k) * t * (self.factor if self.plane.swapped else 1)
        )
        turning, lifting = self.slopes(p, e)
        return steep * turning * self.wide * c, steep * lifting * self.high * (self.high * e).cosh()

    def _place(self, p: Number, e: Number) -> tuple[Number, Number, Number]:
        """d, c, h; with their first derivatives where p and e are series of length 2."""
        if isinstance(p, arb):
            turned = self.wide * p
            return turned.tanh(), turned.sech(), (self.high * e).sinh()
        d, c, h = self._place(p[0], e[0])
        pace = self.wide * p[1]
        return (
            arb_series([d, c * c * pace], 2),
            arb_series([c, -c * d * pace], 2),
            arb_series([h, (self.high * e[0]).cosh() * self.high * e[1]], 2),
        )

    def _law(self, d: Number, c: Number, h: Number) -> tuple[Number, Number]:
        """t and r."""
        x = h * h * c * c
        spread = (1 + x) * self.added + self.length * self.length * c * c
        return self.length * h * c * c / spread.sqrt(), self.bias * (1 + self.pull * h * c * d) / (1 + x).sqrt()

    def _shape(self, t: Number, r: Number) -> tuple[Number, Number, Number]:
        """q, E, k."""
        square = 1 + t * t
        q, height = square.sqrt(), (r * r + square.log() + self.level).sqrt()
        return q, height, (-2 * q * r * height / (t * t)).exp()

    def _divergence(self, t: arb, r: arb) -> arb:
        square = 1 + t * t
        height = r * r + square.log() + self.level
        if t.is_zero() or height <= 0:
            return arb(0)
        q, height = square.sqrt(), height.sqrt()
        y1, y2, u1, u2 = ((q * r - height) / t, (q * r + height) / t, (r - q * height) / t, (r + q * height) / t)
        if self.plane.swapped:
            return _beyond(u1) - _beyond(u2) - self.factor * (_beyond(y1) - _beyond(y2))
        return _beyond(-y1) + _beyond(y2) - self.factor * (_beyond(-u1) + _beyond(u2))


def _beyond(y: arb) -> arb:
    """The normal law above y."""
    return (y / arb(2).sqrt()).erfc() / 2
