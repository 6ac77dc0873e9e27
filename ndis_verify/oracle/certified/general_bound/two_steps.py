"""The two-step bound at given sensitivities: its value at a split, and a proof that every split gives more than a
target.

At p in [0, eps], what the mean step spends, with M the closed form of the mean step (N26-P1) and B the covariance term:
f = M(p) + e^p B(eps - p) with the mean step first, f = B(eps - p) + e^{eps - p} M(p) with the covariance step first.
Either way the mean's part falls and the covariance's part grows with p: on [a, b] f is at least the mean's part at b
plus the covariance's part at a.

In t = e^p (first order) or u = e^{eps - p} (second) M's part is convex, as E(p - t q)_+ or its perspective; so are B's
for
- "exact", the same of the larger of two such functions;
- "bound": (t B(log(T/t)))'' = B (s(1+s) - s')/t, B(log u)'' = B (s(1+s) - s')/u^2, with B' = -s B and s' =
  1/(1/(s(1+s)) + K'') <= s(1+s).
For "chernoff" and "printed" s' = 1/K'', and a cell is convex where phi(D/2 + p/D)/D + B (s(1+s) - s') >= 0 (second
order: the first summand times e^eps): t M'' and u^2 (u M(T/u))'' are these. Where f is convex, three of its values
bound it from below: with a < m < b and f(m) <= f(b), f >= f(b) beyond b and f >= f(m) - (f(a) - f(m))_+ (b - m)/(m - a)
on [m, b], distances in t or u. a and b may lie outside [0, eps], where the same formulas are convex still.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from flint import arb

from ndis_verify.oracle.certified.engine.balls import ball, enclosure, relative_digits, to_fraction, working_bits
from ndis_verify.oracle.certified.gaussian_mechanism import profile
from ndis_verify.oracle.certified.general_bound.covariance_terms import Covariance, Vertex
from ndis_verify.oracle.engine.precision import PrecisionError, bits_ladder

CONVEX = ("bound", "exact")
_CELLS = 20_000
_SPREADS = (Fraction(3, 4), 4, Fraction(1, 8))


@dataclass(frozen=True)
class Place:
    """A split near which f is least: which order, p, and the distance over which f changes by about itself."""

    mean_first: bool
    p: Fraction
    scale: Fraction


@dataclass(frozen=True)
class TwoSteps:
    """square: the squared whitened mean shift; the covariance envelope's vertex; epsilon >= 0; the covariance term."""

    square: Fraction
    vertex: Vertex
    epsilon: Fraction
    term: str
    held: dict = field(default_factory=dict, repr=False, compare=False)
    starts: dict[int, Fraction] = field(default_factory=dict, repr=False, compare=False)

    @property
    def lone(self) -> bool:
        """Whether one of the steps is idle; the other one then takes all of epsilon."""
        return not self.square or not self.vertex

    def value(self, mean_first: bool, p: Fraction, digits: int) -> arb:
        """f at p to `digits` relative digits. Raises `PrecisionError`."""
        shift, spread = self.parts(mean_first, p, digits)
        with working_bits(_bits(digits)):
            return shift + spread

    def parts(self, mean_first: bool, p: Fraction, digits: int) -> tuple[arb, arb]:
        """The mean's part of f and the covariance's."""
        shift, spread = self._held("mean", p, digits + 2), self._held("covariance", p, digits + 2)
        with working_bits(_bits(digits)):
            if mean_first:
                return shift, ball(p).exp() * spread
            return ball(self.epsilon - p).exp() * shift, spread

    def low(self, digits: int) -> Fraction:
        """With "printed" the p up to which there is no covariance term, eps - nu/2, rounded down; 0 for the others and
        where it is negative.
        """
        if self.term != "printed" or not self.vertex:
            return Fraction(0)
        if digits not in self.starts:
            self.starts[digits] = self._low(digits)
        return self.starts[digits]

    def _low(self, digits: int) -> Fraction:
        covariance = Covariance(self.vertex, self.term)
        if covariance.vanishes(self.epsilon):
            for bits in bits_ladder(digits):
                with working_bits(bits):
                    p = ball(self.epsilon) - covariance.total.ball() / 2
                    if relative_digits(p) >= digits:
                        return max(enclosure(p).lower, Fraction(0))
        return Fraction(0)

    def above(self, target: Fraction, near: Sequence[Place], digits: int) -> bool:
        """Whether f > target at every split in either order is proved from values of `digits` digits; False where one
        value is not above it.

        near: where f comes close to the target. Raises `PrecisionError` where it is not settled.
        """
        orders = (True, False) if self.epsilon else (True,)
        return all(
            _Proof(self, mean_first, target, [x for x in near if x.mean_first == mean_first], digits).done()
            for mean_first in orders
        )

    def _held(self, step: str, p: Fraction, digits: int) -> arb:
        known = self.held.get((step, p))
        if known is None or known[0] < digits:
            self.held[step, p] = known = digits, self._mean(p, digits) if step == "mean" else self._spread(p, digits)
        return known[1]

    def _mean(self, p: Fraction, digits: int) -> arb:
        if not self.square:
            return arb(0)
        for bits in bits_ladder(digits):
            with working_bits(bits):
                value = profile(ball(self.square).sqrt(), ball(p))
                if relative_digits(value) >= digits:
                    return value
        raise PrecisionError(f"mean step: {digits} digits not reached at {bits} bits")

    def _spread(self, p: Fraction, digits: int) -> arb:
        return Covariance(self.vertex, self.term).value(self.epsilon - p, digits) if self.vertex else arb(0)


@dataclass
class _Proof:
    """f > target for one order, cell by cell."""

    steps: TwoSteps
    mean_first: bool
    target: Fraction
    near: Sequence[Place]
    digits: int

    def done(self) -> bool:
        cells, seen = [(Fraction(0), self.steps.epsilon)], 0
        with working_bits(_bits(self.digits)):
            while cells:
                low, high = cells.pop()
                seen += 1
                if seen > _CELLS:
                    raise PrecisionError(f"two steps: not settled by {_CELLS} cells")
                middle = (low + high) / 2
                if not self._value(middle).upper() > ball(self.target):
                    return False
                if self._settled(low, high):
                    continue
                if low == high:
                    raise PrecisionError(f"two steps: {self.digits} digits do not settle the only split")
                cells += [(middle, high), (low, middle)]
        return True

    def _settled(self, low: Fraction, high: Fraction) -> bool:
        if self.steps.lone or low == high or self.steps.term not in CONVEX:
            shift, spread = self._parts(high)[0], self._parts(low)[1]
            if shift + spread > ball(self.target):
                return True
        return low < high and not self.steps.lone and self._convex(low, high) and self._by_three_values(low, high)

    def _convex(self, low: Fraction, high: Fraction) -> bool:
        """Whether f is convex on the cell and its width beyond either end."""
        if self.steps.term in CONVEX:
            return True
        steps, low, high = self.steps, 2 * low - high, 2 * high - low
        pull = Covariance(steps.vertex, steps.term).bend(steps.epsilon - high, steps.epsilon - low)
        if pull >= 0:
            return True
        with working_bits(128):
            size = ball(steps.square).sqrt()
            ends = [
                (-((size / 2 + ball(p) / size) ** 2) / 2).exp() / (size * (2 * arb.pi()).sqrt()) for p in (low, high)
            ]  # one hump
            factor = arb(1) if self.mean_first else ball(steps.epsilon).exp()
            return pull.is_finite() and all(factor * end + pull >= 0 for end in ends)

    def _by_three_values(self, low: Fraction, high: Fraction) -> bool:
        """At the place given nearby, or at either end with the whole cell as the distance, which any small
        cell passes.
        """
        if self.near:
            place = min(self.near, key=lambda x: max(low - x.p, x.p - high))
            m = min(max(place.p, low), high)
            margin = min(to_fraction(self._value(m)) / self.target - 1, Fraction(1))
            if margin <= 0:
                return False
            start = place.scale * to_fraction(ball(margin).sqrt())  # f grows by about half of the margin over it
            if any(self._three(low, m, high, min(start * spread, high - low)) for spread in _SPREADS):
                return True
        return any(self._three(low, m, high, high - low) for m in (low, high))

    def _three(self, low: Fraction, m: Fraction, high: Fraction, reach: Fraction) -> bool:
        centre, target = self._value(m), ball(self.target)
        if not centre > target:
            return False
        left, right = self._value(m - reach), self._value(m + reach)
        wider = (
            ball(reach) if self.mean_first else -ball(reach)
        ).exp()  # distance in t or u to the right over that to the left
        for far, end, behind, ahead, ratio in (
            (m + reach, high, left, right, wider),
            (m - reach, low, right, left, 1 / wider),
        ):
            if m == end:
                continue
            if not centre - (behind - centre).max(arb(0)) * ratio > target:
                return False
            inside = far < end if end == high else far > end
            if inside and not (behind <= centre or (ahead >= centre and ahead > target)):
                return False
        return True

    def _value(self, p: Fraction) -> arb:
        return self.steps.value(self.mean_first, p, self.digits)

    def _parts(self, p: Fraction) -> tuple[arb, arb]:
        return self.steps.parts(self.mean_first, p, self.digits)


def _bits(digits: int) -> int:
    return int(3.33 * digits) + 64
