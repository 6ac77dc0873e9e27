"""The line on which the worst pairs of a `RankOne` envelope lie, as a smooth function.

A pair is given by the share c of |u|^2 along e, in which both parts of the whitened shift are linear. `swapped`: the
less spread law first.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import mpmath
from flint import arb_series

from ndis_verify.enclosure import Enclosure
from ndis_verify.oracle.certified.engine import smooth_curve
from ndis_verify.oracle.certified.engine.balls import ball
from ndis_verify.oracle.certified.engine.smooth_curve import Bend, Terms
from ndis_verify.oracle.certified.engine.spectrum import Spectrum, from_groups
from ndis_verify.oracle.certified.hockey_stick import spectrum_estimate, spectrum_hockey_stick

_ROUGH = 6


@dataclass(frozen=True)
class ShareCurve:
    """N(0, v I + (kept + lost) e e^T) and N(u, v I + kept e e^T): small = v + kept, square = |u|^2, all exact; c in [0,
    end].
    """

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

    def near(self, p: Fraction, digits: int) -> mpmath.mpf:
        return spectrum_estimate(self._spectrum(p, 1 - p), self.epsilon, digits)

    def bound(self, low: Fraction, high: Fraction) -> Fraction:
        """The most along e with the most across it (delta grows in either)."""
        return self._delta(high, 1 - low, _ROUGH).upper

    def bend(self, low: Fraction, high: Fraction, order: int, digits: int) -> Bend:
        scale, growth = self._scale()

        def terms(p: arb_series) -> Terms:
            return [
                (0 * p + ball(growth), 1, ball(self.square / scale) * p),
                (0 * p, 1, ball(self.square / self.added) * (1 - p)),
            ]

        return smooth_curve.bend(terms, self.epsilon, low, high, order, digits)

    def _delta(self, along: Fraction, across: Fraction, digits: int) -> Enclosure:
        return spectrum_hockey_stick(self._spectrum(along, across), self.epsilon, digits)

    def _spectrum(self, along: Fraction, across: Fraction) -> Spectrum:
        scale, growth = self._scale()
        rest = (Fraction(0), 1, across * self.square / self.added)
        groups = [(growth, 1, along * self.square / scale), rest] if growth else [rest]
        return from_groups(sorted(groups))

    def _scale(self) -> tuple[Fraction, Fraction]:
        """Variance of the second law along e, and alpha there."""
        big = self.small + self.lost
        return (big, -self.lost / big) if self.swapped else (self.small, self.lost / self.small)
