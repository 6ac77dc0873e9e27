"""The inverse Laplace integral by the trapezoid rule on an arc of a hyperbola, with a proved bound on its error.

Path. `s(u) = s0 + w (T (cosh u - 1) + i sinh u)`, w > 0, T = tan b, |b| < pi/2, for |u| <= U, and from the end s(U)
on the ray of `tail.py`; for -U its mirror image. At x + iv, with `A = cos v + T sin v` and `B = T cos v - sin v`, c =
s0 - w T:

    Re s = c + w B cosh x,    Im s = w A sinh x,    s' = w (B sinh x + i A cosh x).

For v between -a_ and a^, both below pi/2, with A > 0 at both ends: A = cos(v - b)/cos b > 0 between them too. So the
real axis is met at x = 0 alone, at `c + w B`, which falls as v grows. If it is positive at a^, and 1 - alpha (c + w
B) > 0 at -a_ for every alpha, then all of the strip, closed, lies off the pole at 0 and off the cuts (the pole at -1
and those cuts lie to the left of 0, the others to the right of the crossings), every (1 - s alpha)^{-1/2} on its
principal branch. There `f(u) = g(s(u)) s'(u)` is analytic, f(-conj u) = -conj f(u), and the path is as good as the
line Re s = s0 (`tail.py`): `V = (1/(2 pi i)) int g ds = (1/pi) Im (int_0^U f du + int_ray g ds)`.

The rule. Let U = (n + 1/2) h and phi(u) = 1/(1 - e^{-2 pi i u/h}), whose poles kh have the residue h/(2 pi i). Around
the rectangle |x| <= U, -a_ <= v <= a^ the integral of f phi is `h sum_{|k| <= n} f(kh)`. On the lower side |phi - 1|
<= 1/(e^{2 pi a_/h} - 1), on the upper one |phi| <= 1/(e^{2 pi a^/h} - 1), and on the two others, where e^{-2 pi i
u/h} = -e^{2 pi v/h}, |phi| <= e^{-2 pi v/h} for v >= 0 and |phi - 1| <= e^{2 pi v/h} for v <= 0. As the integrals of
f over the lower side, the pieces of the two others with v <= 0 and [-U, U] cancel (Cauchy),

    |h sum_{|k| <= n} f(kh) - int_{-U}^U f du| <= 2 (M^/(e^{2 pi a^/h} - 1) + M_/(e^{2 pi a_/h} - 1) + E),

M^, M_ the integrals of |f(x + iv)| over 0 <= x <= U at v = a^ and v = -a_, and E = int |f(U + iv)| e^{-2 pi |v|/h}
dv. Hence `V = (h/pi) (w g(s0)/2 + sum_{k=1}^n Im f(kh))` up to 1/pi times M^/(...) + M_/(...) + E + |int_ray g ds|.
M^, M_ and E are bounded on boxes in ball arithmetic, the ray by `tail_bound`.

How the path, the strip and the step are chosen (`hyperbola_plan`) needs no proof: whatever is chosen, what is
returned is an enclosure, or None.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from flint import acb, arb, ctx

from ndis_verify.oracle.certified.engine.hyperbola_plan import Plan, plan
from ndis_verify.oracle.certified.engine.integrand import largest, product
from ndis_verify.oracle.certified.engine.tail import INFINITE, Transform, tail_bound

_BOUND_BITS = 40  # beyond those that cancel, for bounds
_SMALLEST_PART = 2.0**-10
_PARTS = 4  # to begin with
_ATTEMPTS = (1.0, 0.6, 0.3)  # of how far a strip is thought to reach


def trapezoid(
    transform: Transform, start: arb, scale: arb, tolerance: arb, spare_bits: float, proved: bool = True
) -> arb | None:
    """(1/(2 pi i)) int g(s) e^{-scale} ds, aimed at an error of `tolerance`; None where no plan is proved to reach it.

    start: s0, exact. spare_bits: what is lost where the terms of log g cancel. The radius is proved, unless
    `proved` is false: then it is that of rounding and of what lies beyond the end.
    """
    for share in _ATTEMPTS:
        chosen = plan(transform, start, scale, tolerance, share)
        if chosen is None:
            return None
        with ctx.workprec(_BOUND_BITS + max(0, int(spare_bits))):
            strip = _Strip(transform, start, scale, chosen)
            error = strip.error(tolerance) if proved else strip.beyond(tolerance)
        if error is not None:
            return (_sum(transform, start, scale, chosen) + arb(0, error)) / arb.pi()
    return None


def _sum(transform: Transform, start: arb, scale: arb, chosen: Plan) -> arb:
    """h (w g(s0)/2 + sum Im f(kh)), to the current precision."""
    width, tangent, step = arb(chosen.width), arb(chosen.tangent), arb(chosen.step)
    total = product(transform, scale, acb(start)).real * width / 2
    growth, power = step.exp(), arb(1)
    for _ in range(chosen.nodes):
        power *= growth
        cosh, sinh = (power + 1 / power) / 2, (power - 1 / power) / 2
        s = acb(start + width * tangent * (cosh - 1), width * sinh)
        total += (product(transform, scale, s) * acb(width * tangent * sinh, width * cosh)).imag
    return total * step


class _Strip:
    """The strip around a path, at the current precision."""

    def __init__(self, transform: Transform, start: arb, scale: arb, chosen: Plan):
        self.transform, self.scale, self.plan = transform, scale, chosen
        self.width, self.tangent, self.step = arb(chosen.width), arb(chosen.tangent), arb(chosen.step)
        self.offset = start - self.width * self.tangent
        self.end = self.step * (2 * chosen.nodes + 1) / 2
        self.end_point = self.end.cosh(), self.end.sinh()

    def error(self, tolerance: arb) -> arb | None:
        """An upper bound on what `_sum` misses, pi times over; None where none is found near the tolerance."""
        total = self.beyond(tolerance)
        if total is None:
            return None
        for v in (self.plan.above, -self.plan.below):
            damping = (2 * arb.pi() * arb(abs(v)) / self.step).expm1()
            side = _bounded(partial(self._side, turn=self._at(arb(v))), 4 * tolerance * damping)
            end = None if side is None else _bounded(partial(self._end, v=arb(v)), 4 * tolerance)
            if side is None or end is None:
                return None
            total += side / damping + end
        return total.upper()

    def beyond(self, tolerance: arb) -> arb | None:
        """The part of it that lies beyond the end; None where that is much or the strip is none."""
        total = self._ray() if self._analytic() else None
        return total if total is not None and total < tolerance else None

    def _at(self, v: arb) -> tuple[arb, arb]:
        """A and B."""
        return v.cos() + self.tangent * v.sin(), self.tangent * v.cos() - v.sin()

    def _analytic(self) -> bool:
        for v in (self.plan.above, -self.plan.below):
            a, b = self._at(arb(v))
            crossing = self.offset + self.width * b
            if not (
                abs(v) < 1.57
                and a > 0
                and crossing > 0
                and all(1 - t.alpha * crossing > 0 for t in self.transform.terms)
            ):
                return False
        return self.plan.above > 0 and self.plan.below > 0

    def _ray(self) -> arb:
        """What lies beyond the end, on the better of two rays."""
        here = acb(self.offset + self.width * self.tangent * self.end_point[0], self.width * self.end_point[1])
        height = product(self.transform, self.scale, here).abs_upper()
        tails = [tail_bound(self.transform, here, u) for u in (1j, self.transform.side or 1j)]
        return min((height * tail for tail in tails if tail is not INFINITE), key=float, default=arb("inf"))

    def _side(self, low: float, high: float, turn: tuple[arb, arb]) -> arb:
        """A bound on the integral of |f| over a part of [0, U], given as one of [0, 1], where A and B are `turn`."""
        left, right = arb(low) * self.end, arb(high) * self.end
        return self._largest(left.cosh().union(right.cosh()), left.sinh().union(right.sinh()), *turn) * (right - left)

    def _end(self, low: float, high: float, v: arb) -> arb:
        """The same of |f(U + iy)| e^{-2 pi |y|/h} over a part of the way from 0 to v; parts near 0, which count, are
        given more room.
        """
        near, far = arb(low) ** 3, arb(high) ** 3
        rate = 2 * arb.pi() * abs(v) / self.step
        weight = ((-rate * near).exp() - (-rate * far).exp()) * self.step / (2 * arb.pi())
        return self._largest(*self.end_point, *self._at((near * v).union(far * v))) * weight

    def _largest(self, cosh: arb, sinh: arb, a: arb, b: arb) -> arb:
        """An upper bound on |f| between two x and two v."""
        s = acb(self.offset + self.width * b * cosh, self.width * a * sinh)
        pace = acb(self.width * b * sinh, self.width * a * cosh).abs_upper()
        found = largest(self.transform, self.scale, s)
        return (found if found.is_finite() else product(self.transform, self.scale, s).abs_upper()) * pace


def _bounded(bound: Callable[[float, float], arb], goal: arb) -> arb | None:
    """The sum of bounds over parts of [0, 1], which get smaller until each fits into its share of the goal; None where
    they get too small.
    """
    total, todo = arb(0), [(k / _PARTS, (k + 1) / _PARTS) for k in range(_PARTS)]
    while todo:
        low, high = todo.pop()
        found = bound(low, high)
        if found < goal * (high - low):
            total += found
        elif high - low < _SMALLEST_PART:
            return None
        else:
            middle = (low + high) / 2
            todo += [(low, middle), (middle, high)]
    return total
