"""The divergence of one change of a database under the finite-r law of a Gaussian sketch, as a function of the ridge (`ridge_curve.Curve`).

At a fixed share p/q it grows with q (`finite_order`), so q is the largest, or least, of an interval of ridges. With k = r - d, the density of T
at a share u is at most ((1-u)/(1-w))^{k/2} times that at a greater share w, and that at w at most (w/u)^{k/2} times that at u; given T the losses
differ by `(k/2) log((1-p)/(1-p'))`. Either end of the interval of shares gives an upper bound, and a lower one.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from flint import arb

from ndis_verify.enclosure import Enclosure
from ndis_verify.oracle.certified.als_exact import als_exact_hockey_stick
from ndis_verify.oracle.certified.balls import ball, enclosure, to_exact_ball, working_bits
from ndis_verify.oracle.certified.ridge_curve import ONE, bounded, short
from ndis_verify.oracle.certified.ridge_path import Change
from ndis_verify.oracle.certified.smooth_curve import Bend
from ndis_verify.oracle.precision import PrecisionError


@dataclass(frozen=True, eq=False)
class SketchCurve:
    """The finite-r law of a Gaussian sketch, r >= d."""

    change: Change
    d: int
    r: int
    epsilon: Fraction
    direction: str
    enough: Fraction

    def value(self, ridge: Fraction, digits: int) -> Enclosure:
        return self._delta(self.change.p.at(ridge), self.change.q.at(ridge), self.epsilon, digits)

    def upper(self, low: Fraction, high: Fraction, digits: int) -> Fraction:
        """An upper bound over low <= ridge <= high."""
        q, deleted, found = short(self.change.q.at(low), 1), self.direction == "delete", [ONE]
        if q >= 1:
            return ONE
        (least, most), rising, fading, lack = self._constants(q, low, high, digits)
        if rising is not None:
            found.append(self._times(rising, most * q, q, -lack if deleted else Fraction(0), digits).upper)
        if fading is not None:
            found.append(self._times(fading + (0 if deleted else lack), least * q, q, Fraction(0) if deleted else -lack, digits).upper)
        return min(found)

    rough = upper

    def beyond(self, ridge: Fraction, digits: int) -> Fraction:
        """1 - e^{eps - L}, L = (r/2) log(1/(1-q)) at this ridge: no loss from here on is larger."""
        q = short(self.change.q.at(ridge), 1)
        with working_bits(int(3.33 * digits) + 64):
            excess = -ball(1 - q).log() * self.r / 2 - ball(self.epsilon)
            return enclosure(-(-excess.max(arb(0))).expm1()).upper

    def lower(self, low: Fraction, high: Fraction, digits: int) -> Fraction:
        """A lower bound over low < ridge <= high."""
        q, deleted, found = short(self.change.q.at(high), -1), self.direction == "delete", [Fraction(0)]
        (least, most), rising, fading, lack = self._constants(q, low, high, digits)
        if fading is not None:
            found.append(self._times(-fading - (0 if deleted else lack), most * q, q, Fraction(0) if deleted else lack, digits).lower)
        if rising is not None:
            found.append(self._times(-rising, least * q, q, lack if deleted else Fraction(0), digits).lower)
        return max(found)

    def bend(self, low: Fraction, high: Fraction, digits: int) -> Bend:
        raise PrecisionError("no second-order bound for the finite-r law along a path of ridges")

    def _constants(self, q: Fraction, low: Fraction, high: Fraction, digits: int) -> tuple:
        """Shares u <= w, and the logs of ((1-u)/(1-w))^{k/2}, (w/u)^{k/2} and ((1-uq)/(1-wq))^{k/2} rounded up, None for infinity."""
        least, most = self.change.share.span(low, high, int(3.33 * digits) + 64)
        u, w, k = min(short(least, -1), ONE), ONE if most is None else min(short(most, 1), ONE), self.r - self.d
        ratios = (1 - u, 1 - w), (w, u), (1 - u * q, 1 - w * q)
        with working_bits(int(3.33 * digits) + 64):
            logs = [Fraction(0) if not k else enclosure(ball(top / below).log() * k / 2).upper if below else None for top, below in ratios]
        return (u, w), *(None if log is None else max(log, Fraction(0)) for log in logs)

    def _times(self, log: Fraction, p: Fraction, q: Fraction, more: Fraction, digits: int) -> Enclosure:
        """e^log times the value at p, q and epsilon + more."""
        value = self._delta(p, q, self.epsilon + more, digits)
        with working_bits(int(3.33 * digits) + 64):
            return bounded(enclosure(to_exact_ball(value) * ball(log).exp()))

    def _delta(self, p: Fraction, q: Fraction, epsilon: Fraction, digits: int) -> Enclosure:
        return bounded(als_exact_hockey_stick(min(p, q), q, self.d, self.r, epsilon, self.direction, digits))
