"""The finite-r law of approximate least squares with r - d odd: one rigorous integral over an angle.

With T = cos(psi)^2, 0 <= psi <= pi/2, k = r - d, S = p/q, C = 1 - S, the law of psi under the larger database has the density
`(2/B((k+1)/2, d/2)) sin(psi)^{d-1} K(psi)`, `K = E |A + B xi|^k`, A = sqrt(C) cos(psi), B = sqrt(S) sin(psi), xi a coordinate of
a uniform direction in R^d. By the binomial series and its continuation through A = B (Euler's integral), where A >= B,
`K = A^k 2F1(-k/2, (1-k)/2; d/2; B^2/A^2)`, a polynomial for odd k; where A < B,
`K = B^k (B((k+1)/2, d/2)/B(1/2, r/2)) 2F1(-k/2, -(r-2)/2; 1/2; A^2/B^2)`.
At A = B the second form meets its branch point, where K stays continuous. An interval of width eta beside it is bounded
instead: `K^{1/k}` is the L^k norm of A + B xi, so by Minkowski it grows by at most |change of A| + |change of B| <= 2 eta.
"""

from __future__ import annotations

from fractions import Fraction

from flint import acb, arb, ctx, fmpq

from ndis_verify.oracle.certified.balls import ball
from ndis_verify.oracle.least_squares import Record

EVALUATION_LIMIT = 400_000


def angle_integral(record: Record, epsilon: Fraction, edge: arb, digits: int) -> arb:
    """The divergence at the current precision, with `edge` = 1 - q tau at the threshold tau of T; r - d odd, q > 0."""
    law = _Angle(record, epsilon, edge)
    return law.integral(digits)


class _Angle:
    def __init__(self, record: Record, epsilon: Fraction, edge: arb):
        p, q, d, r, direction = record
        self.d, self.r, self.k, self.direction = d, r, r - d, direction
        self.q, self.edge, self.growth = ball(q), edge, ball(epsilon).exp()
        self.sine2, self.cosine2 = ball(p / q), ball((q - p) / q)
        tau, above = (1 - edge) / self.q, (edge - ball(1 - q)) / self.q
        self.psi_root = _angle(above, tau)
        self.psi_node = _angle(self.cosine2, self.sine2)
        self.branch = 0 < p < q
        half = arb(fmpq(1, 2))
        self.beta_large = 2 / _beta_function(half * (self.k + 1), half * d)
        self.beta_small = 2 / _beta_function(half, half * r)

    def integral(self, digits: int) -> arb:
        """Where A >= B, the width-eta interval beside A = B, and where A < B."""
        eta = arb(2) ** (-(ctx.prec // 2)) if self.branch else arb(0)
        node, root, right = self.psi_node, self.psi_root, arb.pi() / 2
        beyond = (node + eta).mid() if self.branch else node
        if self.direction == "delete":
            large = (root, node) if root < node else None
            small = (root, right) if root > beyond else (beyond, right)
            gap = self.branch and not root > beyond
        else:
            large = (arb(0), root) if root < node else (arb(0), node)
            small = (beyond, root) if root > beyond else None
            gap = self.branch and not root < node
        total = arb(0)
        if large is not None and not large[1].is_zero():
            total += self._integrate(self._large, *large, digits)
        if small is not None and not small[0].overlaps(small[1]):
            total += self._integrate(self._small, *small, digits)
        return total + self._gap(beyond) if gap else total

    def _integrate(self, density, low: arb, high: arb, digits: int) -> arb:
        def integrand(psi: acb, analytic: bool) -> acb:
            return density(psi, analytic) * self._weight(psi, analytic)

        tolerance = arb(10) ** (-digits - 3)
        return acb.integral(
            integrand, acb(low), acb(high), rel_tol=tolerance, abs_tol=arb(2) ** -100_000, eval_limit=EVALUATION_LIMIT
        ).real

    def _weight(self, psi: acb, analytic: bool) -> acb:
        """1 - e^{eps - L} for "delete", e^{-L} - e^eps for "insert"; e^{eps - L} = ((1 - q T)/edge)^{-(r+1)/2} times e^{0 or eps}."""
        cosine = psi.cos()
        ratio = (1 - self.q * cosine * cosine) / self.edge
        if self.r % 2:
            power = ratio ** (-(self.r + 1) // 2)
        else:
            power = ratio.rsqrt(analytic) ** (self.r + 1)
        return 1 - power if self.direction == "delete" else self.growth * (power - 1)

    def _large(self, psi: acb, analytic: bool) -> acb:
        sine, cosine = psi.sin(), psi.cos()
        # A^k 2F1 as a polynomial in A^2 and B^2, in Horner form, is safe at A = 0 and entire.
        return self.beta_large * sine ** (self.d - 1) * self._polynomial(self.cosine2 * cosine * cosine, self.sine2 * sine * sine) * (
            cosine * self.cosine2.sqrt()
        )

    def _polynomial(self, a2: acb, b2: acb) -> acb:
        """E (A + B xi)^k over A: `sum_i C(k, 2i) A^{k-1-2i} B^{2i} (1/2)_i/(d/2)_i` for odd k."""
        count = (self.k - 1) // 2
        ratio, coefficient = [], arb(1)
        for i in range(count):
            ratio.append(arb(fmpq((self.k - 2 * i) * (self.k - 2 * i - 1), (2 * i + 2) * (self.d + 2 * i))))
        total, power = acb(0), acb(1)
        coefficients = [coefficient]
        for step in ratio:
            coefficients.append(coefficients[-1] * step)
        for coefficient in coefficients:  # Horner in a2, with the powers of b2 built up on the way
            total = total * a2 + coefficient * power
            power = power * b2
        return total

    def _small(self, psi: acb, analytic: bool) -> acb:
        sine, cosine = psi.sin(), psi.cos()
        front = self.beta_small * sine ** (self.r - 1) * self.sine2.sqrt() ** self.k
        if self.cosine2.is_zero():
            return front
        b2 = self.sine2 * sine * sine
        z = self.cosine2 * cosine * cosine / b2
        if analytic and not (z.real < 1 or not z.imag.contains(0)):
            return acb("nan")
        half = arb(fmpq(1, 2))
        series = z.hypgeom_2f1(acb(-half * self.k), acb(-half * (self.r - 2)), acb(half))
        return front * series

    def _gap(self, beyond: arb) -> arb:
        """A ball around [0, bound]: the integrand between A = B (or the threshold, if it falls inside) and psi = beyond."""
        here = self.psi_node.union(beyond)
        if self.psi_root.overlaps(here):
            here = here.union(self.psi_root)
        width = (2 * here.rad()).upper()
        norm = self._polynomial(acb(self.cosine2 * self.psi_node.cos() ** 2), acb(self.sine2 * self.psi_node.sin() ** 2)).real
        norm = norm * self.psi_node.cos() * self.cosine2.sqrt()
        kernel = (abs(norm).root(self.k) + 2 * width) ** self.k
        weight = abs(self._weight(acb(here), False).real)
        bound = (self.beta_large * kernel * weight * width).upper() / 2
        return arb(bound, bound)


def _angle(sine2: arb, cosine2: arb) -> arb:
    """The angle in [0, pi/2] with these squares."""
    return arb.atan2(_root(sine2), _root(cosine2))


def _root(x: arb) -> arb:
    return x.max(arb(0)).sqrt()


def _beta_function(a: arb, b: arb) -> arb:
    return a.gamma() * b.gamma() / (a + b).gamma()
