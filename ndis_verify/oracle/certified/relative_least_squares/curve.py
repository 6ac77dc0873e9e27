"""The divergence of one change of a database, in one direction, as a function of the ridge: values, and bounds over
intervals of ridges.

The normal law (the finite-r law: `sketch`). Both bounds of an interval rest on `least_squares_order.box_bound`
and `base_change`. The divergence grows with the squared mean shift, with an eigenvalue that moves away from 1 where it
carries no shift, and a law of first scale lambda is at most C times one of scale lambda' >= lambda, C^2 =
lambda'/lambda. So with lambda in [low, high], C^2 = high/low: `delta(eps) <= C delta_{high, most}(eps - log C)` and
`delta(eps) >= delta_{low, least}(eps + log C)/C`, where most and least name the other scales and the shift. If all of
[low, high] is on one side of 1, the pair without shift at the nearest scale is a lower bound too (noise). An order of
pairs (`least_squares_pairs.pair_order`) settles most intervals without a value inside. Noise added to the first
coordinate of both laws takes its alpha and m^2 to t alpha and t m^2, any t in (0, 1], and divergences do not grow; nor
do they when m^2 falls, or y. So where y falls, the first scale comes nearer to 1 from one side, and m^2/|alpha| =
r/|1/y - 1/x| falls, the divergence falls. It may rise where y does: next to records that are fitted exactly without a
ridge, or where x and y change places.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

import mpmath
from flint import arb, arb_series

from ndis_verify.enclosure import Enclosure
from ndis_verify.oracle.certified.engine.balls import ball, enclosure, exact_zero, working_bits
from ndis_verify.oracle.certified.engine.smooth_curve import Bend, Terms, bend
from ndis_verify.oracle.certified.engine.spectrum import from_groups
from ndis_verify.oracle.certified.hockey_stick import spectrum_estimate, spectrum_hockey_stick
from ndis_verify.oracle.certified.least_squares.edge import between
from ndis_verify.oracle.certified.relative_least_squares.path import Change, sign_on
from ndis_verify.oracle.engine.precision import PrecisionError

Groups = list[tuple[Fraction, int, Fraction]]  # alpha, multiplicity, squared mean shift
ONE = Fraction(1)
_LOWEST, _LOOSE = (
    20_000,
    10**5,
)  # exponent of the least value kept; by which the bound of `_tail` may exceed the divergence of a wide interval
_NARROW = Fraction(1, 10**6)
LEAST_TARGET, _TINY = Fraction(1, 10**6000), Fraction(1, 10**6010)  # what is smaller need not be told from 0


class Curve(Protocol):
    """delta as a function of the ridge; 1 at a ridge of 0 where the smaller database has no law there."""

    @property
    def change(self) -> Change: ...

    def __hash__(self) -> int: ...  # values are remembered by curve

    def value(self, ridge: Fraction, digits: int) -> Enclosure: ...

    def near(self, ridge: Fraction, digits: int) -> mpmath.mpf:
        """The value to about so many digits, not proved: for searches."""

    def upper(self, low: Fraction, high: Fraction, digits: int) -> Fraction: ...

    def rough(self, low: Fraction, high: Fraction, digits: int) -> Fraction: ...

    def lower(self, low: Fraction, high: Fraction, digits: int) -> Fraction: ...

    def beyond(self, ridge: Fraction, digits: int) -> Fraction: ...

    def bend(self, low: Fraction, high: Fraction, digits: int) -> Bend: ...


@dataclass(frozen=True, eq=False)
class NormalCurve:
    """The limiting normal law (N24-T4)."""

    change: Change
    d: int
    r: int
    epsilon: Fraction
    direction: str
    enough: Fraction  # an upper bound on one side of this, far off, need not be sharper

    def value(self, ridge: Fraction, digits: int) -> Enclosure:
        return self._delta(*self._pair(ridge), self.epsilon, digits)

    def near(self, ridge: Fraction, digits: int) -> mpmath.mpf:
        return spectrum_estimate(from_groups(self._groups(*self._pair(ridge))), self.epsilon, digits)

    def at_most(self, ridge: Fraction) -> Fraction:
        """An upper bound of the value that is quickly found."""
        return _tail(self._groups(*self._pair(ridge)), self.epsilon).upper

    def _pair(self, ridge: Fraction) -> tuple[Fraction, Fraction, Fraction]:
        """The first scale, y and the squared shift."""
        change, deleted = self.change, self.direction == "delete"
        scale, shift = change.scale.at(ridge), change.shift if deleted else change.shift_less
        return scale if deleted else 1 / scale, change.y.at(ridge), self.r * shift.at(ridge)

    def upper(self, low: Fraction, high: Fraction, digits: int) -> Fraction:
        """An upper bound over low <= ridge <= high, low > 0 or the change regular at 0."""
        return self._over_box(low, high, digits, False)

    def rough(self, low: Fraction, high: Fraction, digits: int) -> Fraction:
        """One that is quickly found."""
        return self._over_box(low, high, digits, True)

    def _over_box(self, low: Fraction, high: Fraction, digits: int, rough: bool) -> Fraction:
        scales, others, shifts = self._spans(low, high, digits)
        if None in (*scales, others[1], shifts[1]) or not scales[0] > 0:
            return ONE
        return self._spread(scales[0], scales[1], others[1], shifts[1], digits, rough)

    def beyond(self, ridge: Fraction, digits: int) -> Fraction:
        """An upper bound from this ridge > 0 on: x, and y <= q/(1-q), are at most what they are here."""
        x, q = short(self.change.x.at(ridge), 1), short(self.change.q.at(ridge), 1)
        y = q / (1 - q)
        most, least = (1 + y, 1 / (1 + x)) if self.direction == "delete" else (1 + x, 1 / (1 + y))
        return self._spread(least, most, y, self.r * x * y, digits)

    def lower(self, low: Fraction, high: Fraction, digits: int) -> Fraction:
        """A lower bound over low < ridge <= high."""
        scales, others, shifts = self._spans(low, high, digits)
        found = [Fraction(0)]
        if scales[0] > 0 and scales[1] is not None:
            log, factor = self._slack(scales[1] / scales[0], digits)
            found.append(self._delta(scales[0], others[0], shifts[0], self.epsilon + log, digits).lower / factor)
        nearest = scales[0] if scales[0] > 1 else scales[1] if scales[1] is not None and scales[1] < 1 else ONE
        found.append(self._delta(nearest, others[0], Fraction(0), self.epsilon, digits).lower)
        return max(found)

    def falls(self, low: Fraction, high: Fraction | None) -> bool:
        """Whether the order of the module's head proves that it falls on (low, high); high None stands for infinity."""
        change = self.change
        if self.d > 1 and change.y.trend(low, high) not in (-1, 0):
            return False
        if change.gap is None:  # no shift: x falls, and x or y is 0
            return change.y.trend(low, high) in (-1, 0)
        side = sign_on(change.gap.top, low, high)
        if side is None:
            return False
        return not side or (change.scale.trend(low, high) in (side, 0) and change.gap.trend(low, high) in (side, 0))

    def bend(self, low: Fraction, high: Fraction, digits: int) -> Bend:
        """How far the curve can bend (`smooth_curve.bend`), order 2."""
        change, deleted = self.change, self.direction == "delete"

        def terms(s: arb_series) -> Terms:
            y = change.y.series(s)
            scale = change.scale.series(s)
            shift = (change.shift if deleted else change.shift_less).series(s)
            first, others = (scale - 1, y) if deleted else (1 / scale - 1, -y / (1 + y))
            alone = [(first, 1, self.r * shift)]
            return [*alone, (others, self.d - 1, 0 * s)] if self.d > 1 else alone

        return bend(terms, self.epsilon, low, high, 2, digits)

    def _spans(self, low: Fraction, high: Fraction, digits: int) -> tuple:
        """Bounds of the first scale, of y, and of the squared shift."""
        bits, change = int(3.33 * digits) + 64, self.change
        least, most = change.scale.span(low, high, bits)
        if self.direction == "insert":
            least, most = (Fraction(0) if most is None else 1 / most), (1 / least if least > 0 else None)
        shift = (change.shift if self.direction == "delete" else change.shift_less).span(low, high, bits)
        return (least, most), change.y.span(low, high, bits), tuple(None if s is None else self.r * s for s in shift)

    def _spread(
        self, least: Fraction, most: Fraction, y: Fraction, shift: Fraction, digits: int, quick: bool = False
    ) -> Fraction:
        log, factor = self._slack(most / least, digits)
        rough = factor * _tail(self._groups(most, y, shift), self.epsilon - log).upper
        if quick or rough <= self.enough or (rough > self.enough * _LOOSE and most > least * (1 + _NARROW)):
            return min(rough, ONE)
        return factor * self._delta(most, y, shift, self.epsilon - log, digits).upper

    @staticmethod
    def _slack(ratio: Fraction, digits: int) -> tuple[Fraction, Fraction]:
        """log C and C rounded up, C^2 = `ratio`."""
        with working_bits(int(3.33 * digits) + 64):
            return max(enclosure(ball(ratio).log() / 2).upper, Fraction(0)), max(
                enclosure(ball(ratio).sqrt()).upper, ONE
            )

    def _delta(self, first: Fraction, y: Fraction, shift: Fraction, epsilon: Fraction, digits: int) -> Enclosure:
        groups = self._groups(first, y, shift)
        if not any(alpha for alpha, _, _ in groups) and not shift and epsilon >= 0:
            return exact_zero()
        tail = _tail(groups, epsilon)
        if tail.upper <= _TINY:
            return tail
        try:
            return bounded(spectrum_hockey_stick(from_groups(groups), epsilon, digits))
        except PrecisionError:
            return tail

    def _groups(self, first: Fraction, y: Fraction, shift: Fraction) -> Groups:
        others = y if self.direction == "delete" else -y / (1 + y)
        groups = {first - 1: (1, shift)}
        if self.d > 1:
            count, there = groups.get(others, (0, Fraction(0)))
            groups[others] = count + self.d - 1, there
        return [(alpha, *group) for alpha, group in sorted(groups.items())]


def _tail(groups: Groups, epsilon: Fraction) -> Enclosure:
    """[0, c E e^{s (L - eps)}] for one s > 0, c = s^s/(s+1)^{s+1} the largest value of (1 - e^{-u}) e^{-s u}.

    `log E e^{sL} = sum (m^2 s (s+1)/(1 - s a) - k s log(1+a) - k log(1 - s a))/2`, convex in s.
    """
    with working_bits(96):
        eps = ball(epsilon)
        kept = [
            (ball(a), k, ball(square), ball(a).log1p() if a > -0.5 else ball(1 + a).log()) for a, k, square in groups
        ]

        def log_bound(s: arb) -> arb:
            rests = [1 - s * a for a, _, _, _ in kept]
            if not all(rest > 0 for rest in rests):
                return arb("inf")
            parts = (m * s * (s + 1) / rest - k * (s * log + rest.log()) for (_, k, m, log), rest in zip(kept, rests))
            return sum(parts, arb(0)) / 2 - s * (eps + (1 / s).log1p()) - (s + 1).log()

        exponents = _exponents(float(max(alpha for alpha, _, _ in groups)))
        logs = [log_bound(s) for s in exponents]
        k = min(range(len(logs)), key=lambda i: float(logs[i].mid()))
        log, s, ratio = logs[k], exponents[k], arb(2).sqrt()
        for _ in range(8):  # the step of the grid, halved
            near = [(log_bound(t), t) for t in (s * ratio, s / ratio)]
            log, s = min([(log, s), *near], key=lambda pair: float(pair[0].mid()))
            ratio = ratio.sqrt().mid()
        if not log < 0:
            return between(Fraction(0), ONE)
        return bounded(between(Fraction(0), enclosure(log.max(arb(-_LOWEST)).exp()).upper))


def _exponents(most: float) -> list[arb]:
    """Powers of 2, and points next to 1/most where s must stay below it."""
    if not most > 1e-300:
        return [arb(2) ** j for j in range(-8, 80, 2)]
    edge = arb(1) / most
    return [edge * (1 - arb(4) ** -j) for j in range(1, 8)] + [
        arb(2) ** j for j in range(-8, 80, 2) if arb(2) ** j * most < 1
    ]


def bounded(value: Enclosure) -> Enclosure:
    """The enclosure, or [0, 2^-20000] for what is far below: as a fraction it would fill the memory."""
    if value.mid == 0 or mpmath.mag(value.mid) > -_LOWEST:
        return value
    tiny = mpmath.ldexp(1, -_LOWEST - 1)
    return Enclosure(tiny, tiny, "bound")


def short(value: Fraction, side: int) -> Fraction:
    """A fraction of few digits on one side of `value` in [0, infinity), relative distance 2^-200 at most."""
    if not value:
        return value
    scale = Fraction(2) ** (200 + max(0, value.denominator.bit_length() - value.numerator.bit_length()))
    return Fraction(-((-value * scale) // 1) if side > 0 else (value * scale) // 1) / scale
