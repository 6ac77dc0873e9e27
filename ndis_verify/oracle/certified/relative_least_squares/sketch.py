"""The divergence of one change of a database under the finite-r law of a Gaussian sketch, as a function of the ridge
(`ridge_curve.Curve`).

At a fixed share u = p/q it grows with q (`finite_order`), so q is the largest, or least, of an interval of ridges; what
is left are its shares.
- By the scales, as for the normal law (`least_squares_order.box_bound`): from the pair of the greatest scales and the
  greatest shift, or the least, with C of the ratio of determinants. It does not suffer from a large r. The same for the
  ranges of p and q along the path.
- By the density of T, for few rows: with k = r - d, that at a share u is at most ((1-u)/(1-w))^{k/2} times that at a
  greater share w, and that at w at most (w/u)^{k/2} times that at u; given T the losses differ by `(k/2)
  log((1-p)/(1-p'))` (`base_change`).

How far the curve bends. Let the law Q be `c (1 + |z|^2)^{-H}`, H = (r+1)/2, whatever the ridge s; P then has the centre
m(s), the scale lambda_1 along it and lambda_2 in d-1 other directions. The divergence f is the largest of `P(A) - e^eps
Q(A)` over all sets A, so `f''(s) >= int_A P''` at A = {L > eps} (as the liminf of second differences). With `mu =
m'/sqrt(lambda_1)`, `a = (log lambda_1)'`, `c = (log lambda_2)'` and (y_0, y_1, y_2) the unit vector along (1, (z -
m)/scales) under P, `P''/P = score^2 + H (2 mu y_0 y_1 + a y_1^2 + c |y_2|^2)^2 + a' (H y_1^2 - 1/2) + c' (H |y_2|^2 -
(d-1)/2) - 2 H mu^2 y_0^2 + H (2 mu' - 3 mu a) y_0 y_1 - H a^2 y_1^2 - H c^2 |y_2|^2`. The squares may go, y_1^2 and
|y_2|^2 are beta variables, and `E 1_A |U| <= P(A)^{1-1/b} (E |U|^b)^{1/b}`, `P(A) <= delta(eps - t)/(1 - e^{-t})`: so f
+ K s^2/2 is convex. Slopes of chords to the left and to the right of an interval then bound those on it.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

import mpmath
from flint import acb, arb, arb_series, fmpq

from ndis_verify.enclosure import Enclosure
from ndis_verify.oracle.certified.engine.balls import ball, enclosure, of_fmpq, to_exact_ball, working_bits
from ndis_verify.oracle.certified.engine.smooth_curve import Bend
from ndis_verify.oracle.certified.least_squares.finite_law import als_exact_hockey_stick
from ndis_verify.oracle.certified.least_squares.worst_case import largest_shift_at, odds, squared_shift
from ndis_verify.oracle.certified.relative_least_squares.curve import ONE, bounded, short
from ndis_verify.oracle.certified.relative_least_squares.path import Change, Quotient
from ndis_verify.oracle.engine.precision import PrecisionError

_BITS, _DIGITS, _TERMS, _TRIES = 128, 8, 10, 40
_NONE, _FAR = Fraction(0), 5  # a logarithm from which on a bound says little
Span = tuple[Fraction, Fraction]


class Pair(NamedTuple):
    """The divergence of an interval is at most, or at least, e^log times that at p, q and epsilon + more."""

    log: Fraction
    p: Fraction
    q: Fraction
    more: Fraction


@dataclass(frozen=True, eq=False)
class SketchCurve:
    """The finite-r law of a Gaussian sketch, r >= d."""

    change: Change
    d: int
    r: int
    epsilon: Fraction
    direction: str
    enough: Fraction  # a bound that is on the right side of this need not be sharper

    @lru_cache(maxsize=4096)  # noqa: B019  a search lives as long as its answer takes
    def value(self, ridge: Fraction, digits: int) -> Enclosure:
        return self._delta(self.change.p.at(ridge), self.change.q.at(ridge), self.epsilon, digits)

    def near(self, ridge: Fraction, digits: int) -> mpmath.mpf:
        return self.value(ridge, digits).mid

    def upper(self, low: Fraction, high: Fraction, digits: int) -> Fraction:
        """An upper bound over low <= ridge <= high."""
        found = ONE
        for pair in self._pairs(low, high, True, digits):
            found = min(found, self._times(pair, digits).upper)
            if found <= self.enough:
                break
        return found

    rough = upper

    def lower(self, low: Fraction, high: Fraction, digits: int) -> Fraction:
        """A lower bound over low < ridge <= high."""
        found = self._tested(high) if low == 0 else _NONE
        for pair in self._pairs(low, high, False, digits) if found <= self.enough else ():
            found = max(found, self._times(pair, digits).lower)
            if found > self.enough:
                break
        return found

    def _tested(self, high: Fraction) -> Fraction:
        """A lower bound over 0 < ridge <= high by one event, for a first scale far from 1.

        With I(t) = Pr[z_1^2 <= t] under Q, an interval about m if lambda_1 < 1, and what is outside of one about 0 if
        lambda_1 > 1: at least `I(t) - e^eps I(t lambda_1)` and `1 - I(t/lambda_1) - e^eps (1 - I(t))`, as no interval
        of its length has more than that about the centre.
        """
        least, most = self.change.scale.span(_NONE, high, _BITS)
        narrow, wide = (
            (most, least) if self.direction == "delete" else (1 / least if least else None, 1 / most if most else _NONE)
        )
        if not (narrow is not None and narrow < 1) and not wide > 1:
            return _NONE
        found, freedom = _NONE, arb(fmpq(self.r - self.d + 1, 2))
        with working_bits(_BITS):
            inner = 1 / wide if narrow is None or wide > 1 else narrow
            growth, ratio, half = ball(self.epsilon).exp(), ball(inner), arb(fmpq(1, 2))
            for j in range(-_TRIES, _TRIES):
                t = arb(2) ** j
                inside = acb(ratio * t / (1 + ratio * t)).beta_lower(acb(half), acb(freedom), regularized=True).real
                outside = acb(1 / (1 + t)).beta_lower(acb(freedom), acb(half), regularized=True).real
                bound = 1 - inside - growth * outside if wide > 1 else 1 - outside - growth * inside
                if bound > 0:
                    found = max(found, enclosure(bound).lower)
        return found

    def beyond(self, ridge: Fraction, digits: int) -> Fraction:
        """An upper bound from this ridge > 0 on: 1 - e^{eps - L}, L = (r/2) log(1/(1-q)) here, the largest loss; or at
        this q by all shares.
        """
        q, share = short(self.change.q.at(ridge), 1), self.change.share
        with working_bits(int(3.33 * digits) + 64):
            excess = -ball(1 - q).log() * self.r / 2 - ball(self.epsilon)
            found = enclosure(-(-excess.max(arb(0))).expm1()).upper
        if found > self.enough and share.trend(ridge, None) is not None:
            ends = sorted((share.at(ridge), _limit(share)))
            pair = self._edge(q, (short(ends[0], -1), short(ends[1], 1)), True)
            if pair is not None:
                found = min(found, self._times(pair, digits).upper)
        return found

    def bend(self, low: Fraction, high: Fraction, digits: int) -> Bend:
        """What the curve may differ by from its chord over [low, high], coefficient (high - low)^2/4, and its slope
        from the chord's, twice coefficient (high - low), as if it bent no more than that.

        With f + K s^2/2 convex from low - w to high + w, w = high - low, and the slopes of the chords of these three
        thirds, `left - 3Kw/2 <= f' <= right + 3Kw/2` in the middle one, where f is at most Kw^2/8 above its chord.
        `digits` is not used: nothing is left over. Raises `PrecisionError` where the interval is too wide.
        """
        width = high - low
        if not low > width > 0:
            raise PrecisionError("bend: the interval is too wide")
        convexity, aim = self.convexity(low - width, high + width), _DIGITS + len(str(int(high / width))) - 1
        values = [self.value(place, aim) for place in (low - width, low, high, high + width)]
        most, least = (
            [getattr(b, x) - getattr(a, y) for a, b in itertools.pairwise(values)]
            for x, y in (("upper", "lower"), ("lower", "upper"))
        )
        turn = max(most[2] - least[1], most[1] - least[0], _NONE) / width + 3 * convexity * width / 2
        return Bend(2 * turn / width, _NONE)

    def convexity(self, low: Fraction, high: Fraction) -> Fraction:
        """A K >= 0 with f + K s^2/2 convex over low <= s <= high, low > 0. Raises `PrecisionError` where the interval
        is too wide.
        """
        above = self._above(low, high)
        with working_bits(_BITS):
            first, others, centre = self._motion(low, high)
            a, turn_a, c, turn_c = (abs(v).upper() for v in (first[1], 2 * first[2], others[1], 2 * others[2]))
            root = (first / 2).exp()
            drift = centre.derivative() / root
            mu, sway = abs(drift[0]).upper(), abs(2 * drift[1] - 3 * drift[0] * first[1]).upper()
            chance, half = ball(above), arb(fmpq(self.r + 1, 2))
            b = max(1, int((-chance.log()).mid().floor().unique_fmpz() or 0)) if chance > 0 else 1
            along, across = half * _norm(1, self.r, b), half * _norm(self.d - 1, self.r - self.d + 2, b)
            side = _norm(1, self.r, arb(b) / 2).sqrt()
            spread = (
                turn_a * (along + arb(0.5))
                + turn_c * (across + arb(self.d - 1) / 2)
                + a * a * along
                + c * c * across
                + half * sway * side
            )
            total = 2 * half * mu * mu * chance + spread * chance ** (1 - 1 / arb(b))
            if not total.is_finite():
                raise PrecisionError("bend: the interval is too wide")
            return max(enclosure(total).upper, _NONE)

    def _motion(self, low: Fraction, high: Fraction) -> list[arb_series]:
        """log lambda_1, log lambda_2 and m over the interval to second order: Taylor's formula about its middle, the
        remainder over all of it.
        """
        offset = arb_series([arb(0, ball((high - low) / 2).upper()), 1], 3)
        try:
            wide, middle = (
                self._path(arb_series([place, 1], _TERMS + 1))
                for place in (ball(low).union(ball(high)), ball((low + high) / 2))
            )
        except ValueError:  # a division by a series that may vanish
            raise PrecisionError("bend: the interval is too wide") from None
        found = []
        for here, everywhere in zip(middle, wide):
            total = 0 * offset + everywhere[_TERMS]
            for j in reversed(range(_TERMS)):
                total = total * offset + here[j]
            found.append(total)
        return found

    def _path(self, s: arb_series) -> tuple[arb_series, arb_series, arb_series]:
        x, y = self.change.x.series(s), self.change.y.series(s)
        u, v = (x, y) if self.direction == "delete" else (y, x)
        others = (1 + y).log()
        centre = (x * y / (1 + u)).sqrt() if self.change.shift.top != 0 else 0 * s
        return (1 + v).log() - (1 + u).log(), others if self.direction == "delete" else -others, centre

    def _above(self, low: Fraction, high: Fraction) -> Fraction:
        """An upper bound of P(L > eps) over the interval; t starts from what would be best for a normal loss."""
        pair = self._scales(low, high, True)
        if pair is None:
            return ONE
        x, y = odds(pair.p, pair.q)
        variance = self.r * x * y + ((y - x) ** 2 + (self.d - 1) * y * y) / 2
        t, found = short(min(ONE, variance / (self.epsilon + variance)), 1) if variance else ONE, ONE
        for _ in range(_TRIES):
            with working_bits(_BITS):
                factor = enclosure(1 / -(-ball(t)).expm1()).upper
            bound = factor * self._times(pair._replace(more=pair.more - t), _DIGITS).upper
            if bound >= found:
                break
            found, t = bound, 8 * t
        return found

    def _scales(self, low: Fraction, high: Fraction, up: bool) -> Pair | None:
        """The bound by the scales and the shift; None for none.

        With (u, v) = (x, y), "insert" (y, x): lambda_1 = (1+v)/(1+u), m^2 = uv/(1+u), lambda_2 = 1+v, "insert" 1/(1+u).
        """
        change, deleted = self.change, self.direction == "delete"
        u, v = (change.x, change.y) if deleted else (change.y, change.x)
        try:
            spans = [
                (least, most)
                for quotient in (u, v, change.scale, change.shift if deleted else change.shift_less)
                for least, most in [quotient.span(low, high, _BITS)]
                if most is not None
            ]
        except PrecisionError:
            return None
        return self._pair(spans[0], spans[1], spans[2], spans[3], up) if len(spans) == 4 else None

    def _edge(self, q: Fraction, shares: Span, up: bool) -> Pair | None:
        """The same at one q, for an interval of shares."""
        (p0, p1), deleted = (min(share, ONE) * q for share in shares), self.direction == "delete"
        (x0, y1), (x1, y0) = odds(p0, q), odds(p1, q)
        x, y, scale = (x0, x1), (y0, y1), ((1 - p1) ** 2 / (1 - q), (1 - p0) ** 2 / (1 - q))
        most = squared_shift(q, largest_shift_at(q, p0, p1, self.direction), self.direction)
        shift = min(squared_shift(q, p, self.direction) for p in (p0, p1)), most
        return self._pair(*((x, y) if deleted else (y, x)), scale, shift, up)

    def _pair(self, u: Span, v: Span, scale: Span, shift: Span, up: bool) -> Pair | None:
        """The bound by ranges of u, v, (1+y)/(1+x) and m^2."""
        deleted, here = self.direction == "delete", short(u[0], -1) if up else short(u[1], 1)
        if not scale[0] > 0 or (up and here == 0 and shift[1] > 0):
            return None
        needed = shift[up] * (1 + here) / here if here else _NONE
        there = short(max(v[1], needed), 1) if up else short(min(v[0], needed) if here else v[0], -1)
        first = (1 + there) / (1 + here)
        if up:
            ratio = first / scale[0] if deleted else first * scale[1]
            other = (1 + there) / (1 + v[0]) if deleted else (1 + u[1]) / (1 + here)
        else:
            ratio = scale[1] / first if deleted else 1 / (scale[0] * first)
            other = (1 + v[1]) / (1 + there) if deleted else (1 + here) / (1 + u[0])
        x, y = (here, there) if deleted else (there, here)
        with working_bits(_BITS):
            log = max(enclosure((ball(ratio).log() + (self.d - 1) * ball(other).log()) / 2).upper, _NONE)
        return Pair(log if up else -log, x / (1 + x), 1 - 1 / ((1 + x) * (1 + y)), -log if up else log)

    def _pairs(self, low: Fraction, high: Fraction, up: bool, digits: int) -> Iterator[Pair]:
        """Every bound of the interval, the likeliest first."""
        q, deleted = short(self.change.q.at(low if up else high), 1 if up else -1), self.direction == "delete"
        found, sign = [self._scales(low, high, up)], 1 if up else -1
        if q < 1:
            (least, most), rising, fading, lack = self._constants(q, low, high, digits)
            found.insert(0, self._edge(q, (least, most), up))
            if rising is not None and rising + lack < _FAR:
                found.append(Pair(sign * rising, (most if up else least) * q, q, -sign * lack if deleted else _NONE))
            if fading is not None and fading + lack < _FAR:
                found.append(
                    Pair(
                        sign * (fading + (_NONE if deleted else lack)),
                        (least if up else most) * q,
                        q,
                        _NONE if deleted else -sign * lack,
                    )
                )
        return (pair for pair in found if pair is not None)

    def _constants(self, q: Fraction, low: Fraction, high: Fraction, digits: int) -> tuple:
        """Shares u <= w, and the logs of ((1-u)/(1-w))^{k/2}, (w/u)^{k/2} and ((1-uq)/(1-wq))^{k/2} rounded up, None
        for infinity.
        """
        least, most = self.change.share.span(low, high, int(3.33 * digits) + 64)
        u, w, k = min(short(least, -1), ONE), ONE if most is None else min(short(most, 1), ONE), self.r - self.d
        ratios = (1 - u, 1 - w), (w, u), (1 - u * q, 1 - w * q)
        with working_bits(int(3.33 * digits) + 64):
            logs = [
                _NONE if not k else enclosure(ball(top / below).log() * k / 2).upper if below else None
                for top, below in ratios
            ]
        return (u, w), *(None if log is None else max(log, _NONE) for log in logs)

    def _times(self, pair: Pair, digits: int) -> Enclosure:
        value = self._delta(pair.p, pair.q, self.epsilon + pair.more, digits)
        with working_bits(int(3.33 * digits) + 64):
            return bounded(enclosure(to_exact_ball(value) * ball(pair.log).exp()))

    def _delta(self, p: Fraction, q: Fraction, epsilon: Fraction, digits: int) -> Enclosure:
        try:
            return bounded(als_exact_hockey_stick(min(p, q), q, self.d, self.r, epsilon, self.direction, digits))
        except SystemError:  # raised by flint where an integrand fails
            raise PrecisionError("relative ridge: a value of the finite-r law was not found") from None


def _limit(share: Quotient) -> Fraction:
    """The share at an infinite ridge; top and below have one degree there, or the share tends to 0."""
    top, below = share.top.coeffs(), share.below.coeffs()
    if len(top) < len(below):
        return _NONE
    return of_fmpq(top[-1] / below[-1])


def _norm(alpha: int, beta: int, t: int | arb) -> arb:
    """(E U^t)^{1/t} for U ~ Beta(alpha/2, beta/2), t > 0; U = 0 for alpha = 0."""
    if alpha == 0:
        return arb(0)
    a, whole, t = arb(fmpq(alpha, 2)), arb(fmpq(alpha + beta, 2)), arb(t)
    return (((a + t).lgamma() - a.lgamma() + whole.lgamma() - (whole + t).lgamma()) / t).exp()
