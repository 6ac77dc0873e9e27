"""How far the part of the finite-r law beyond its finite sum (`als_angle`, r - d odd) can bend along q = cap.

With k = r - d, m = (d-1)/2, h = (r+1)/2, S = p/q, lambda = S/(1-S) and `x = cot(psi)/sqrt(lambda)` in place of the angle psi (so A = B x), that
part is, up to the constant of `als_angle` and for "insert" up to -e^epsilon, `H = int K(x) V(x, p) dx` with
`K(x) = (1-x)^{k+m} 2F1(1-m, m; k+m+1; (1-x)/2)`, `V = S^{(k+1)/2} (1-S)^{-1/2} y^h (1 - e^g)`, `y = 1 - T = 1/(1 + lambda x^2)`,
`g = +-epsilon - (k/2) log(1-p) - (d/2) log(1-q) - h log(1 + y q/(1-q))` (- for "insert"), over 0 < x < min(1, xi), "insert" xi < x < 1, where
g(xi, p) = 0. As k + 1 is even, V at a fixed x is analytic in p on [0, q); the half-integer powers are in K alone, which does not depend on p.
K is a multiple of E (Xi - x)_+^k, Xi a coordinate of a uniform direction: K and |K'|, which has k - 1 in place of k and the factor k + m,
fall in x, to 0 beyond 1.
With V_n the Taylor coefficients in p at a fixed x, V(xi, p) = 0, and `D(p) = K(xi) xi' V_1(xi(p), p)`, those of H are
`H_1 = int K V_1`, `H_2 = int K V_2 +- D/2`, `H_3 = int K V_3 +- (2 K(xi) V_2(xi) xi' + D')/6`.
Where xi passes 1, H'' is continuous and each side of it has the bounded derivative H''': enough for Taylor's formula.
All are bounded over intervals of p and x; g is a sum of terms of its own size, so nothing cancels.
"""

from __future__ import annotations

import heapq

from flint import acb, arb, arb_series, fmpq

from ndis_verify.oracle.certified.als_angle import angle_constant
from ndis_verify.oracle.certified.balls import ball
from ndis_verify.oracle.least_squares import Record
from ndis_verify.oracle.precision import PrecisionError

MAX_ORDER = 3
_FIRST, _STRIPS, _ENOUGH = 8, 120, 0.01  # strips to start with, most of them, the part of the total that is not halved


def angle_bend(record: Record, epsilon: arb, p: arb_series, tau: arb_series, above: arb_series, order: int) -> arb:
    """A bound of the derivative of this order, 1 to 3, over `order!`, on the interval of p (`record.p` is not used).

    p: the interval plus the variable, as a series to this order at least; tau, above = 1 - tau: the threshold of T there.
    Raises `PrecisionError` where the interval is too wide.
    """
    if not 1 <= order <= MAX_ORDER:
        raise ValueError(f"order = {order}: must be 1, 2 or 3")
    p, tau, above = (arb_series([series[i] for i in range(order + 1)], order + 1) for series in (p, tau, above))
    try:
        return _bound(record, epsilon, p, tau, above, order)
    except ValueError:  # a division by a series that may vanish
        raise PrecisionError("bend: the interval is too wide") from None


def _bound(record: Record, epsilon: arb, p: arb_series, tau: arb_series, above: arb_series, order: int) -> arb:
    strips = _Strips(record, epsilon, p, order)
    beyond, short = tau * strips.room - above * strips.share, record.direction == "delete"  # xi^2 - 1, over something positive
    if beyond[0] >= 0:
        total = strips.integral(arb(0), arb(1)) if short else arb(0)
    else:
        xi = (tau * strips.room / (above * strips.share)).sqrt()
        if not xi[0] > 0:
            raise PrecisionError("bend: the interval is too wide for its threshold")
        low, high = xi[0].lower(), xi[0].upper().min(arb(1))
        total = strips.integral(*((arb(0), high) if short else (low, arb(1)))) + strips.at_threshold(xi)
    growth = arb(1) if short else epsilon.exp()
    return (angle_constant(record.d, strips.k) * growth * total).upper()


class _Strips:
    """H over the interval of p: strips of x, each with its power series in p."""

    def __init__(self, record: Record, epsilon: arb, p: arb_series, order: int):
        _, q, self.d, r, direction = record
        self.k, self.order, self.p = r - self.d, order, p
        self.m, self.h, self.odds = arb(self.d - 1) / 2, arb(fmpq(r + 1, 2)), ball(q / (1 - q))
        self.share, self.room = p / ball(q), (ball(q) - p) / ball(q)
        self.ratio = 1 / self.room - 1  # lambda
        self.scale = self.share ** ((self.k + 1) // 2) * self.room.rsqrt()
        threshold = epsilon if direction == "delete" else -epsilon
        self.gain = threshold - ball(1 - q).log() * self.d / 2 - (1 - p).log() * self.k / 2

    def integral(self, low: arb, high: arb) -> arb:
        """A bound of `int K |V_n| dx` over low <= x <= high."""
        nodes = [low + (high - low) * i / _FIRST for i in range(_FIRST)] + [high]
        nodes = [node.mid() for node in nodes]
        strips = [self._strip(a, b) for a, b in zip(nodes, nodes[1:])]
        heapq.heapify(strips)
        while len(strips) < _STRIPS and -strips[0][0] > _ENOUGH * sum(-strip[0] for strip in strips):
            _, a, b = heapq.heappop(strips)
            middle = ((a + b) / 2).mid()
            for part in (self._strip(a, middle), self._strip(middle, b)):
                heapq.heappush(strips, part)
        return sum((-strip[0] for strip in strips), arb(0))

    def _strip(self, low: arb, high: arb) -> tuple[arb, arb, arb]:
        values = self._values((low * low).union(high * high))
        return -(self._kernel(low, 0) * abs(values[self.order]) * (high - low)).upper(), low, high

    def _values(self, square: arb) -> arb_series:
        """V at this x^2."""
        y, g = self._loss(square)
        lost = g.exp()
        rest = arb_series([-g[0].expm1(), *(-lost[i] for i in range(1, self.order + 1))], self.order + 1)
        return self.scale * (self.h * y.log()).exp() * rest

    def _loss(self, square: arb | arb_series) -> tuple[arb_series, arb_series]:
        """y and g."""
        y = 1 / (1 + self.ratio * square)
        return y, self.gain - self.h * (1 + self.odds * y).log()

    def at_threshold(self, xi: arb_series) -> arb:
        """A bound of what the moving end adds."""
        if self.order == 1:
            return arb(0)
        # V_1(xi(p), p) = -scale y^h g_p, where g_p = k/(2 (1-p)) - h odds y_p/(1 + odds y) and y_p = -lambda' x^2 y^2
        square = xi * xi
        y, _ = self._loss(square)
        moved = self.ratio.derivative() * square * y * y
        slope = self.k / (2 * (1 - self.p)) + self.h * self.odds * moved / (1 + self.odds * y)
        drift = self.scale * (self.h * y.log()).exp() * slope * xi.derivative()
        place = xi[0].lower()
        height = self._kernel(place, 0)
        if self.order == 2:
            return height * abs(drift[0]) / 2
        steep = self._kernel(place, 1) * abs(xi[1]) * abs(drift[0]) + height * abs(drift[1])
        return (2 * height * abs(self._values(square[0])[2] * xi[1]) + steep) / 6

    def _kernel(self, x: arb, fall: int) -> arb:
        """K(x), or with `fall` = 1 -K'(x)."""
        if x >= 1:
            return arb(0)
        power = self.k + self.m - fall
        series = acb((1 - x) / 2).hypgeom_2f1(acb(1 - self.m), acb(self.m), acb(power + 1)).real
        return (self.k + self.m) ** fall * (1 - x) ** power * series
