"""Covariance terms of the two-step bound, certified: the vertex of an envelope, Chernoff-type bounds there, the exact
divergence.

At the vertex (rho, ..., rho, rest) of {0 <= l_i <= rho, sum l_i <= nu} there are at most two distinct eigenvalues. With
`K(s) = -s n/2 - (1/2) sum k log(1 - s a)` the terms are inf_{s >= 0} of
- "bound": e^{K(s) - s e} s^s (1+s)^{-1-s}, a = e^l - 1, n = nu;
- "chernoff": e^{K(s) - s e}, the same a and n;
- "printed": e^{K(s) - s e}, a = e^{-l} - 1, n = -nu, and 0 from 2 e >= nu on.
The exponent is convex in s. Its least point s solves K'(s) = e (a quadratic), or K'(s) + log(s/(1+s)) = e ("bound"),
and grows with e.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

from flint import arb, ctx

from ndis_verify.enclosure import Enclosure
from ndis_verify.oracle.certified.engine.balls import ball, enclosure, relative_digits, working_bits
from ndis_verify.oracle.certified.engine.spectrum import from_groups
from ndis_verify.oracle.certified.hockey_stick import spectrum_hockey_stick
from ndis_verify.oracle.certified.random_projection import rp_hockey_stick
from ndis_verify.oracle.engine.precision import PrecisionError, bits_ladder

TERMS = ("bound", "chernoff", "exact", "printed")
_ROUGH = 6
_DECIDING = 400  # bits from which on a sum of logarithms is compared with 0 by powers


@dataclass(frozen=True)
class Amount:
    """plain + sum times log(of), exactly; `logs` holds distinct (of, times) with of > 0 and whole times != 0."""

    plain: Fraction
    logs: tuple[tuple[Fraction, int], ...] = ()

    def minus(self, count: int, other: Amount) -> Amount:
        """self - count other."""
        logs = dict(self.logs)
        for of, times in other.logs:
            logs[of] = logs.get(of, 0) - count * times
        return Amount(
            self.plain - count * other.plain, tuple((of, times) for of, times in logs.items() if times and of != 1)
        )

    def ball(self) -> arb:
        return sum((times * ball(of - 1).log1p() for of, times in self.logs), ball(self.plain))

    def sign(self) -> int:
        """-1, 0 or 1, decided: a nonzero rational is not the logarithm of a rational (Lindemann)."""
        if not self.logs:
            return (self.plain > 0) - (self.plain < 0)
        for bits in bits_ladder(15):
            with working_bits(bits):
                value = self.ball()
            if value > 0 or value < 0:
                return 1 if value > 0 else -1
            if bits > _DECIDING and not self.plain and self._product() == 1:
                return 0
        raise PrecisionError(f"sign of a sum of logarithms not decided at {bits} bits")

    def growth(self, digits: int) -> tuple[Fraction, Fraction]:
        """e^self - 1 between two rationals, equal where it is one itself."""
        if not self.plain and len(self.logs) == 1 and self.logs[0][1] == 1:
            return (self.logs[0][0] - 1,) * 2
        with working_bits(int(3.33 * digits) + 80):
            found: Enclosure = enclosure(self.ball().expm1())
        return found.lower, found.upper

    def _product(self) -> Fraction:
        result = Fraction(1)
        for of, times in self.logs:
            result *= of**times
        return result


Vertex = tuple[tuple[Amount, int], ...]


def vertex(rho: Amount, nu: Amount, dimension: int) -> Vertex:
    """(rho, how often) and (rest, 1), those of them that are positive; rho, nu >= 0. Every comparison is decided."""
    if rho.sign() <= 0 or nu.sign() <= 0:
        return ()
    full = dimension
    if nu.minus(dimension, rho).sign() < 0:
        with working_bits(200):
            full = min(int(enclosure(nu.ball() / rho.ball()).mid), dimension)
        while nu.minus(full, rho).sign() < 0:
            full -= 1
        while full < dimension and nu.minus(full + 1, rho).sign() >= 0:
            full += 1
    rest = nu.minus(full, rho)
    groups = [(rho, full), (rest, 1)] if full < dimension and rest.sign() > 0 else [(rho, full)]
    return tuple(group for group in groups if group[1])


@dataclass(frozen=True)
class Covariance:
    """A covariance term at a vertex that is not empty, as a function of its epsilon e, any real number."""

    vertex: Vertex
    term: str
    held: dict[int, Exponent] = field(default_factory=dict, repr=False, compare=False)

    def value(self, e: Fraction, digits: int) -> arb:
        """The term to `digits` relative digits. Raises `PrecisionError`."""
        if self.term == "exact":
            return self._exact(e, digits)
        if self.term == "printed" and self.vanishes(e):
            return arb(0)
        for bits in bits_ladder(digits):
            with working_bits(bits):
                exponent, at = self._exponent(), ball(e)
                s = exponent.hinged(at) if self.term == "bound" else exponent.least(at)
                value = exponent.value(s, at, self.term == "bound").exp()
                if relative_digits(value) >= digits:
                    return value
        raise PrecisionError(f"covariance term: {digits} digits not reached at {bits} bits")

    def vanishes(self, e: Fraction) -> bool:
        """Whether 2 e >= nu, decided."""
        return Amount(2 * e).minus(1, self.total).sign() >= 0

    @cached_property
    def total(self) -> Amount:
        """The sum of the l_i."""
        total = Amount(Fraction(0))
        for amount, count in self.vertex:
            total = total.minus(-count, amount)
        return total

    def bend(self, low: Fraction, high: Fraction) -> arb:
        """At most B (s (1+s) - 1/K''(s)) on low <= e <= high, B "chernoff" or "printed"; at most 0 there, not finite
        where nothing is known.

        Times 1/t it is the second derivative of t B(log(T/t)) in t, times 1/u^2 that of B(log u) in u: `B' = -s B`,
        `ds/de = 1/K''`. s (1+s) K'' grows with s for both; K'' is monotone. From 2 e = nu on "printed" is 0 and beyond
        its end convex where it is so before.
        """
        if self.term == "printed" and self.vanishes(low):
            return arb(0)
        with working_bits(128):
            exponent, (left, right) = self._exponent(), (ball(low), ball(high))
            s = exponent.least(left)
            excess = (s * (1 + s) * exponent.second(s) - 1).lower()
            if excess >= 0:
                return arb(0)
            if self.term == "printed" and self.vanishes(high):
                return arb("-inf")
            slowest = max((1 / exponent.second(x) for x in (s, exponent.least(right))), key=lambda x: float(x.upper()))
            return (excess * exponent.value(s, left, False).exp().upper() * slowest.upper()).lower()

    def _exponent(self) -> Exponent:
        if ctx.prec not in self.held:
            sign = -1 if self.term == "printed" else 1
            parts = tuple(((sign * amount.ball()).expm1(), count) for amount, count in self.vertex)
            self.held[ctx.prec] = Exponent(parts, sign * self.total.ball() / 2)
        return self.held[ctx.prec]

    def _exact(self, e: Fraction, digits: int) -> arb:
        """The larger divergence of the two directions, between those at eigenvalues rounded down and up: it grows in
        each.
        """
        aim = digits + 2
        ends = list(zip(*(amount.growth(aim + 8) for amount, _ in self.vertex)))
        with working_bits(int(3.33 * aim) + 80):
            value = self._larger(ends[0], e, aim)
            if ends[0] != ends[1]:
                value = value.union(self._larger(ends[1], e, aim))
        if not value.is_zero() and relative_digits(value) < digits:
            raise PrecisionError(f"exact covariance term: {digits} digits not reached")
        return value

    def _larger(self, growths: Sequence[Fraction], e: Fraction, digits: int) -> arb:
        """The more spread law first is the larger one as a rule; the other direction is computed roughly first."""
        first, second = self._direction(growths, e, "delete", digits), self._direction(growths, e, "insert", _ROUGH)
        if second <= first:
            return first
        return first.max(self._direction(growths, e, "insert", digits))

    def _direction(self, growths: Sequence[Fraction], e: Fraction, way: str, digits: int) -> arb:
        """More spread law first: "delete". One eigenvalue is a random projection (N26-L4)."""
        counts = [count for _, count in self.vertex]
        if len(counts) == 1:
            return _ball_of(rp_hockey_stick(growths[0] / (1 + growths[0]), counts[0], e, way, digits))
        groups: dict[Fraction, int] = {}
        for growth, count in zip(growths, counts, strict=True):
            alpha = growth if way == "delete" else -growth / (1 + growth)
            groups[alpha] = groups.get(alpha, 0) + count
        return _ball_of(
            spectrum_hockey_stick(
                from_groups([(alpha, count, Fraction(0)) for alpha, count in sorted(groups.items())]), e, digits
            )
        )


def _ball_of(value: Enclosure) -> arb:
    """A nonnegative enclosure as a ball, without a fraction: its exponent may be astronomical."""
    mid, rad = (arb(int(part.man)) * arb(2) ** int(part.exp) for part in (value.mid, value.rad))
    return mid + arb(0, rad)


@dataclass(frozen=True)
class Exponent:
    """K at the precision it was made for: parts (a, k), of one sign and decreasing in |a|, and n/2."""

    parts: tuple[tuple[arb, int], ...]
    half: arb

    def value(self, s: arb, e: arb, hinge: bool) -> arb:
        """K(s) - s e, with `hinge` plus s log s - (1+s) log(1+s)."""
        total = -s * (self.half + e) - sum(k * (-s * a).log1p() for a, k in self.parts) / 2
        return total - s * (1 / s).log1p() - s.log1p() if hinge else total

    def second(self, s: arb) -> arb:
        """K''(s)."""
        return sum((k * (a / (1 - s * a)) ** 2 for a, k in self.parts), arb(0)) / 2

    def least(self, e: arb) -> arb:
        """The s >= 0 at which K(s) - s e is least: K'(s) = (1/2) sum k a/(1 - s a) - n/2 = e, or 0 where K'(0) >= e."""
        y, (a, k) = e + self.half, self.parts[0]
        if a > 0 and not y > 0:
            return arb(0)
        if len(self.parts) == 1:
            return (1 / a - k / (2 * y)).max(arb(0))
        b, _ = self.parts[1]
        lead, middle, end = 2 * y * a * b, 2 * y * (a + b) - (k + 1) * a * b, (2 * y - k * a - b).max(arb(0))
        root = (middle * middle - 4 * lead * end).max(arb(0)).sqrt()
        return 2 * end / (middle + root) if middle > 0 else (middle - root) / (2 * lead)

    def hinged(self, e: arb) -> arb:
        """The s at which K'(s) + log(s/(1+s)) = e, as a ball with proved signs at its ends; not finite where rounding
        hides them.
        """
        x = self._near(e)
        for _ in range(max(2, (ctx.prec // 20).bit_length())):
            value, slope = self._slope(x, e)
            x = (x - value / slope).mid()
        reach = arb(2) ** -(7 * ctx.prec // 10) * (1 + abs(x).mid())
        low, high = (x - reach).mid(), (x + reach).mid()
        if self._slope(low, e)[0] < 0 < self._slope(high, e)[0]:
            return self._place(low.union(high))[0]
        return arb("nan")

    def _place(self, x: arb) -> tuple[arb, arb, arb]:
        """s, s a and 1 - s a for the largest a, at log odds x of s a."""
        odds = x.exp()
        gap = 1 / (1 + odds)
        return odds * gap / self.parts[0][0], odds * gap, gap

    def _slope(self, x: arb, e: arb) -> tuple[arb, arb]:
        """K'(s) + log(s/(1+s)) - e and its derivative in the log odds."""
        s, share, gap = self._place(x)
        (largest, often), *others = self.parts
        pulls = [(largest / gap, often)] + [(a / (gap + share * (1 - a / largest)), k) for a, k in others]
        value = sum(k * pull for pull, k in pulls) / 2 - self.half - e - (1 / s).log1p()
        return value, (1 / (s * (1 + s)) + sum(k * pull * pull for pull, k in pulls) / 2) * s * gap

    def _near(self, e: arb) -> arb:
        """Log odds near the root, by bisection at the precision of a float."""
        low, high = arb(-64), arb(64)
        while self._slope(low, e)[0].mid() >= 0:
            low *= 2
        while self._slope(high, e)[0].mid() <= 0:
            high *= 2
        while high - low > arb(2) ** -12:
            middle = ((low + high) / 2).mid()
            low, high = (low, middle) if self._slope(middle, e)[0].mid() > 0 else (middle, high)
        return ((low + high) / 2).mid()
