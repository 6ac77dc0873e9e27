"""The finite-r law of approximate least squares with r - d odd: what the finite sum of `als_exact` leaves out.

With T = cos(psi)^2, 0 <= psi <= pi/2, k = r - d, S = p/q, C = 1 - S, the law of psi under the larger database has the density
`(2/B((k+1)/2, d/2)) sin(psi)^{d-1} E |A + B xi|^k`, A = sqrt(C) cos(psi), B = sqrt(S) sin(psi), xi a coordinate of a uniform
direction in R^d. For odd k, `|x|^k = x^k + 2 (-x)_+^k`. The first part is a polynomial, hence the finite sum. The second lives
where B > A, that is psi > node with sin(node)^2 = C; substituting xi = 1 - (1 - A/B) u, with m = (d-1)/2 and
`B - A = sin(psi - node)`, z = (1 - A/B)/2,
`E (B xi - A)_+^k = sin(psi - node)^k (2z)^m 2^{m-1} (B(m, k+1)/B(1/2, m)) 2F1(1-m, m; m+k+1; z)`
(for d = 1 the ratio of beta functions is 1). At the node it vanishes to the order k + m.
"""

from __future__ import annotations

from fractions import Fraction

from flint import acb, arb, ctx, fmpq

from ndis_verify.oracle.certified.balls import ball
from ndis_verify.oracle.least_squares import Record

EVALUATION_LIMIT = 100_000
_SCOUTS = 100


def angle_integral(record: Record, epsilon: Fraction, edge: arb, digits: int, floor: arb) -> arb:
    """The part of the divergence beyond the finite sum, at the current precision; r - d odd, 0 < p < q.

    `edge` = 1 - q tau at the threshold tau of T. The integral is pursued to `digits` relative digits or to the absolute
    error `floor`, whichever is easier; the radius returned is what was proved.
    """
    return _Angle(record, epsilon, edge).integral(digits, floor)


def angle_bound(d: int, k: int, sine2: arb, weight: arb) -> arb:
    """An upper bound of the integral: sin(psi - node) <= sqrt(S), 2z <= 1, 2F1 <= 2 (Euler's integral, z <= 1/2), S = `sine2`.

    `weight`: the largest of 1 - e^{eps - L} (at most 1) or e^{-L} - e^eps ("insert": at the node).
    """
    return (arb.pi() * angle_constant(d, k) * sine2 ** (arb(k) / 2) * weight).upper()


def angle_constant(d: int, k: int) -> arb:
    """Twice 2/B((k+1)/2, d/2) times the constant of the second part."""
    half, m = arb(fmpq(1, 2)), arb(d - 1) / 2
    ratio = _beta_function(m, arb(k + 1)) / _beta_function(half, m) if d > 1 else arb(1)
    return 2 * arb(2) ** m * ratio / _beta_function(half * (k + 1), half * d)


class _Angle:
    def __init__(self, record: Record, epsilon: Fraction, edge: arb):
        p, q, d, r, direction = record
        self.d, self.r, self.k, self.direction = d, r, r - d, direction
        self.q, self.rest, self.edge, self.growth = ball(q), ball(1 - q), edge, ball(epsilon).exp()
        self.root_sine = ball(p / q).sqrt()
        self.psi_root = _angle((edge - ball(1 - q)) / self.q, (1 - edge) / self.q)
        self.psi_node = _angle(ball((q - p) / q), ball(p / q))
        self.m, self.constant = arb(d - 1) / 2, angle_constant(d, self.k)

    def integral(self, digits: int, floor: arb) -> arb:
        bound = self._bound()
        if bound <= floor:
            return arb(bound / 2, bound / 2)
        return self._quadrature(digits, floor)

    def _bound(self) -> arb:
        weight = arb(1) if self.direction == "delete" else self._weight(acb(self.psi_node), False).real.max(arb(0))
        return angle_bound(self.d, self.k, self.root_sine**2, weight)

    def _quadrature(self, digits: int, floor: arb) -> arb:
        node, root, right = self.psi_node, self.psi_root, arb.pi() / 2
        if self.direction == "delete":
            low, high = (root if root > node else node), right
        else:
            low, high = node, root
            if not root > node:
                return arb(0) if root <= node else self._integrate(node, node.union(root), digits, floor)
        return self._integrate(low, high, digits, floor)

    def _integrate(self, low: arb, high: arb, digits: int, floor: arb) -> arb:
        # The largest of a few values sets the scale of the tolerance; it has no part in what is proved.
        length, scale = (high - low).mid(), arb(0)
        for i in range(_SCOUTS):
            value = abs(self._integrand(acb((low + length * (2 * i + 1) / (2 * _SCOUTS)).mid()), False))
            scale = value.mid() if value.is_finite() and value.mid() > scale else scale
        tolerance = scale * length / _SCOUTS * arb(10) ** (-digits - 2)
        tolerance = tolerance if tolerance > floor else floor.mid()
        if not tolerance > 0:
            tolerance = arb(2) ** (-ctx.prec)
        return acb.integral(
            self._integrand, acb(low), acb(high), rel_tol=arb(10) ** (-digits - 3), abs_tol=tolerance, eval_limit=EVALUATION_LIMIT
        ).real

    def _integrand(self, psi: acb, analytic: bool) -> acb:
        return self._density(psi, analytic) * self._weight(psi, analytic)

    def _density(self, psi: acb, analytic: bool) -> acb:
        sine, beyond = psi.sin(), (psi - self.psi_node).sin()
        twice_z = beyond / (self.root_sine * sine)
        if self.d % 2 == 0 and analytic and not (twice_z.real < 2 or not twice_z.imag.contains(0)):
            return acb("nan")  # on the cut z >= 1 of the series; for odd d it is a polynomial
        power = twice_z ** ((self.d - 1) // 2)
        if self.d % 2 == 0:
            power *= twice_z.sqrt(analytic)
        series = (twice_z / 2).hypgeom_2f1(acb(1 - self.m), acb(self.m), acb(self.m + self.k + 1))
        return self.constant * sine ** (self.d - 1) * beyond**self.k * power * series

    def _weight(self, psi: acb, analytic: bool) -> acb:
        """1 - e^{eps - L} for "delete", e^{-L} - e^eps for "insert"; e^{-L} and e^{eps - L} are ((1 - q T)/edge)^{-(r+1)/2}
        up to the factor e^eps."""
        sine = psi.sin()
        ratio = (self.rest + self.q * sine * sine) / self.edge  # 1 - q T without cancellation next to psi = 0
        if self.r % 2:
            power = ratio ** (-(self.r + 1) // 2)
        else:
            power = ratio.rsqrt(analytic) ** (self.r + 1)
        return 1 - power if self.direction == "delete" else self.growth * (power - 1)


def _angle(sine2: arb, cosine2: arb) -> arb:
    """The angle in [0, pi/2] with these squares."""
    return arb.atan2(_root(sine2), _root(cosine2))


def _root(x: arb) -> arb:
    return x.max(arb(0)).sqrt()


def _beta_function(a: arb, b: arb) -> arb:
    return (a.lgamma() + b.lgamma() - (a + b).lgamma()).exp()
