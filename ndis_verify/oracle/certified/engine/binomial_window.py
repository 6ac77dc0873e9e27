"""Beta tails mixed by a binomial law: `sum_i w_i t_i`, w_i = binom(h, i) S^i C^{h-i}, i <= h, t_i = I_x(a - i, b + i),
or 1 - t_i.

h = k/2 may be half a whole number; S + C = 1 is not needed. The weights fall ever faster away from their mode, and so
do the differences `s_i = t_{i+1} - t_i = x^{a-i-1} (1-x)^{b+i} Gamma(a+b)/(Gamma(a-i) Gamma(b+i+1))`. So of the h terms
only those of a window count, some sqrt(h) of them, and the others are bounded by geometric series from its ends j.
Where the tails grow on, with u = w_{j+1}/w_j < 1, v = s_{j+1}/s_j and y = u max(1, v) they come to at most `w_j (t_j
u/(1-u) + s_j y/(1-y)^2)`. Where they shrink, t_{j-1} <= t_j and `t_{j-1}/t_j <= s_{j-2}/s_{j-1}`: t_j is s_{j-1} times
a power series whose coefficients grow with j. (The same with 1 - t_j the other way.)
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from flint import arb, ctx, fmpq

_WHOLE = 256  # up to that many terms there is no window
_SPARE = 24.0


@dataclass(frozen=True)
class MixedTails:
    """The numbers of the sum; sine2 = S > 0, cosine2 = C > 0, 0 < x < 1, rest = 1 - x."""

    half: fmpq
    sine2: arb
    cosine2: arb
    a: arb
    b: arb
    x: arb
    rest: arb

    @property
    def last(self) -> int:
        return int(self.half.p // self.half.q)

    def window(self, grows: bool) -> tuple[int, int]:
        """The first and last term to be added up, by rough logarithms of the terms: what is proved does not rest on
        them.
        """
        last = self.last
        if last <= _WHOLE:
            return 0, last
        h, a, b = (float(arb(number)) for number in (self.half, self.a, self.b))
        odds, log_x, log_rest = (float(part.log()) for part in (self.sine2 / self.cosine2, self.x, self.rest))
        x, drop = float(self.x), ctx.prec * math.log(2) + _SPARE

        def height(i: int) -> float:
            term = math.lgamma(h + 1) - math.lgamma(i + 1) - math.lgamma(h - i + 1) + i * odds
            if (x * (a + b) < a - i) == grows:  # the tail is small: its leading term
                term += (
                    (a - i) * log_x
                    + (b + i) * log_rest
                    + math.lgamma(a + b)
                    - math.lgamma(a - i + 0.5)
                    - math.lgamma(b + i + 0.5)
                )
            return term

        return _span(height, last, drop)

    def total(self, first: int, last: int, tail: Callable[[arb, arb, arb, arb], arb], grows: bool) -> arb:
        """The sum over all terms, those outside of first to last as a radius; tail(a, b, x, rest) is t_i, or 1 - t_i
        where not `grows`.
        """
        order = range(first, last + 1) if grows else range(last, first - 1, -1)
        here, sign = order[0], order.step
        weight, step = self._weight(here), self._step(here if grows else here - 1)
        value = tail(self.a - here, self.b + here, self.x, self.rest)
        begin = weight * value
        total = beyond = begin
        for i in order[1:]:
            value += step
            weight *= self._odds(i - 1) if grows else 1 / self._odds(i)
            beyond = weight * value
            total += beyond
            ratio = self._ratio(i - 1)
            step = step * ratio if grows else step / ratio
        # Before the first of `order` the tails shrink; after its last they grow by `step` and what follows it.
        if self._inside(here - sign):
            shrinks = 1 / self._ratio(here - 2) if grows else self._ratio(here)
            total += arb(0, _geometric(begin, self._turn(here, -sign) * shrinks.min(arb(1))))
        end = order[-1]
        if self._inside(end + sign):
            less = self._turn(end, sign)
            ratio = self._ratio(end) if grows else 1 / self._ratio(end - 2)
            most = less * ratio.max(arb(1))
            total += arb(0, _geometric(beyond, less) + _geometric(weight * step, most) / (1 - most))
        return total

    def _inside(self, i: int) -> bool:
        return 0 <= i <= self.last

    def _turn(self, i: int, sign: int) -> arb:
        """w_{i + sign}/w_i."""
        return self._odds(i) if sign > 0 else 1 / self._odds(i - 1)

    def _odds(self, i: int) -> arb:
        """w_{i+1}/w_i."""
        return self.sine2 / self.cosine2 * (arb(self.half) - i) / (i + 1)

    def _ratio(self, i: int) -> arb:
        """s_{i+1}/s_i."""
        return self.rest / self.x * (self.a - i - 1) / (self.b + i + 1)

    def _weight(self, i: int) -> arb:
        h = arb(self.half)
        if not i:
            return (h * self.cosine2.log()).exp()
        log = (h + 1).lgamma() - arb(i + 1).lgamma() - (h - i + 1).lgamma()
        return (log + i * self.sine2.log() + (h - i) * self.cosine2.log()).exp()

    def _step(self, i: int) -> arb:
        a, b = self.a, self.b
        log = (
            (a - i - 1) * self.x.log()
            + (b + i) * self.rest.log()
            + (a + b).lgamma()
            - (a - i).lgamma()
            - (b + i + 1).lgamma()
        )
        return log.exp()


def _geometric(term: arb, ratio: arb) -> arb:
    """term (ratio + ratio^2 + ...), infinite where the ratio may be 1."""
    return term * ratio / (1 - ratio) if ratio < 1 else arb("inf")


def _span(height: Callable[[int], float], last: int, drop: float) -> tuple[int, int]:
    """Where a function of 0..last with one peak is at most `drop` below it."""
    low, high = 0, last
    while high - low > 2:
        left = low + (high - low) // 3
        right = high - (high - low) // 3
        if height(left) < height(right):
            low = left
        else:
            high = right
    peak = max(range(low, high + 1), key=height)
    floor, ends = height(peak) - drop, []
    for end in (0, last):
        inside, outside = peak, end
        if height(end) >= floor:
            ends.append(end)
            continue
        while abs(outside - inside) > 1:
            middle = (inside + outside) // 2
            inside, outside = (middle, outside) if height(middle) >= floor else (inside, middle)
        ends.append(outside)
    return ends[0], ends[1]
