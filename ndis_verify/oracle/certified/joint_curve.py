"""The lines on which the worst pairs of an envelope lie, as smooth functions: RankOne's whole, Prediction's edge.

A `RankOne` pair is given by the share c of |u|^2 along e, in which both parts of the whitened shift are linear; a
`Prediction` on its edge by z, from where x is at its end on. `swapped`: the less spread law first.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from flint import arb_series

from ndis_verify.enclosure import Enclosure
from ndis_verify.oracle.calibration import hull
from ndis_verify.oracle.certified import smooth_curve
from ndis_verify.oracle.certified.balls import ball, enclosure, working_bits
from ndis_verify.oracle.certified.hockey_stick import spectrum_hockey_stick
from ndis_verify.oracle.certified.smooth_curve import Bend, Terms
from ndis_verify.oracle.certified.spectrum import from_groups

_ROUGH = 6

@dataclass(frozen=True)
class ShareCurve:
    """N(0, v I + (kept + lost) e e^T) and N(u, v I + kept e e^T): small = v + kept, square = |u|^2, all exact; c in [0, end]."""

    added: Fraction
    small: Fraction
    lost: Fraction
    square: Fraction
    epsilon: Fraction
    swapped: bool

    @property
    def end(self) -> Fraction:
        """1; without a covariance step the whole shift lies where there is no other noise, c = 0."""
        return Fraction(1 if self.lost else 0)

    def value(self, p: Fraction, digits: int) -> Enclosure:
        return self._delta(p, 1 - p, digits)

    def bound(self, low: Fraction, high: Fraction) -> Fraction:
        """The most along e with the most across it (delta grows in either)."""
        return self._delta(high, 1 - low, _ROUGH).upper

    def bend(self, low: Fraction, high: Fraction, order: int, digits: int) -> Bend:
        scale, growth = self._scale()

        def terms(p: arb_series) -> Terms:
            return [(0 * p + ball(growth), 1, ball(self.square / scale) * p), (0 * p, 1, ball(self.square / self.added) * (1 - p))]

        return smooth_curve.bend(terms, self.epsilon, low, high, order, digits)

    def _delta(self, along: Fraction, across: Fraction, digits: int) -> Enclosure:
        scale, growth = self._scale()
        rest = (Fraction(0), 1, across * self.square / self.added)
        groups = [(growth, 1, along * self.square / scale), rest] if growth else [rest]
        return spectrum_hockey_stick(from_groups(sorted(groups)), self.epsilon, digits)

    def _scale(self) -> tuple[Fraction, Fraction]:
        """Variance of the second law along e, and alpha there."""
        big = self.small + self.lost
        return (big, -self.lost / big) if self.swapped else (self.small, self.lost / self.small)


@dataclass(frozen=True)
class EdgeCurve:
    """A prediction's pairs with x = ratio (1 - z), z = start + p, p in [0, end]; see symbolic.sensitivity_joint.prediction_joint.

    ratio = length^2/noise_variance. Without other records z = 0, and x = p is what is left. greater(low, high): a certified upper bound over an interval of p.
    """

    length: Fraction
    labels: Fraction
    noise_variance: Fraction
    others: int
    added: Fraction
    start: Fraction
    end: Fraction
    epsilon: Fraction
    swapped: bool
    greater: Callable[[Fraction, Fraction, bool], Fraction]

    def value(self, p: Fraction, digits: int) -> Enclosure:
        """Between the values at r^2 rounded down and up."""
        with working_bits(int(3.33 * digits) + 80):
            square = enclosure(self._square(arb_series([ball(p)], 1))[0])
        growth = self._growth(p)
        ends = []
        for pull in (square.lower, square.upper):
            group = (-growth / (1 + growth), 1, growth * pull / (1 + growth)) if self.swapped else (growth, 1, growth * pull)
            ends.append(spectrum_hockey_stick(from_groups([group]), self.epsilon, digits + 2))
        return hull(*ends, digits)

    def bound(self, low: Fraction, high: Fraction) -> Fraction:
        return self.greater(low, high, self.swapped)

    def bend(self, low: Fraction, high: Fraction, order: int, digits: int) -> Bend:
        return smooth_curve.bend(self._terms, self.epsilon, low, high, order, digits)

    def _growth(self, p: Fraction) -> Fraction:
        own = self.length**2 * (1 - self.start - p) if self.others else self.length**2
        x = own / self.noise_variance if self.others else p
        return own * x / ((1 + x) * self.added + own)

    def _place(self, p: arb_series) -> tuple[arb_series, arb_series]:
        """(z, x)."""
        if not self.others:
            return 0 * p, p
        return p + ball(self.start), (1 - ball(self.start) - p) * ball(self.length**2 / self.noise_variance)

    def _square(self, p: arb_series) -> arb_series:
        """r^2."""
        z, x = self._place(p)
        pull = 1 + (self.others * z * x).sqrt() if self.others else 1 + z
        return ball(self.labels**2 / self.noise_variance) * pull * pull / (1 + x)

    def _terms(self, p: arb_series) -> Terms:
        z, x = self._place(p)
        own = (1 - z) * ball(self.length**2)
        growth = own * x / ((1 + x) * ball(self.added) + own)
        square = growth * self._square(p)
        return [(-growth / (1 + growth), 1, square / (1 + growth))] if self.swapped else [(growth, 1, square)]
