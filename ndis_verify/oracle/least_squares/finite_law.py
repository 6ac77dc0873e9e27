"""Approximate least squares, finite-r law: values to any number of digits by two routes (mpmath).

The sketched solution is multivariate Student t. With z = (B^T B)^{1/2}(x - x_opt)/||w||, its density under the larger
database is proportional to `(1 + |z|^2)^{-(r+1)/2}`, and the privacy loss is `L = L0 + ((r+1)/2) log(1 - q T)`,
`q T = (sqrt(p) z_1 + sqrt(q-p))^2/(1 + |z|^2)`, `L0 = ((r-d) log(1-p) - (r-d+1) log(1-q))/2`.

Route 1 integrates over T = cos(psi)^2, whose density holds a hypergeometric function (Gauss, in two pieces).
Route 2 writes `T = beta cos(phi - phi0)^2` with independent phi of density proportional to cos(phi)^{r-d} on (-pi/2,
pi/2) and beta ~ Beta((r-d)/2 + 1, (d-1)/2), tan(phi0) = sqrt(p/(q-p)); given phi both laws of beta are incomplete beta
functions.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import mpmath
from mpmath import mpf

from ndis_verify.arguments import nonnegative
from ndis_verify.enclosure import Enclosure
from ndis_verify.exact_number import to_mpf
from ndis_verify.oracle.certified.least_squares.finite_law import als_max_privacy_loss
from ndis_verify.oracle.engine.agreement import agree
from ndis_verify.oracle.engine.precision import checked_digits
from ndis_verify.oracle.least_squares.asymptotic_law import Record, checked_sketch

_SCOUTS = 160
_STEPS = (1, 4, 12)


def als_exact_hockey_stick(
    leverage: Any, augmented_leverage: Any, d: Any, r: Any, epsilon: Any, direction: str = "delete", digits: int = 30
) -> Enclosure:
    """delta(epsilon) of the sketched solution (Pi B)^+ Pi b itself with and without one record, by two agreeing routes.

    p = leverage, q = augmented_leverage, 0 <= p <= q < 1, r >= d >= 1, epsilon >= 0. Exactly 0 (basis "bound") where
    the privacy loss cannot exceed epsilon. Relative radius at most 10^-digits. direction: "delete" or "insert". Raises
    `InputError`, `PrecisionError`.

    Examples
    --------
    >>> from ndis_verify.oracle import als_exact_hockey_stick
    >>> print(als_exact_hockey_stick("0.125", "0.25", 3, 50, 1, digits=12).decimal(12)[0])
    0.123449007257
    """
    record, digits = checked_sketch(leverage, augmented_leverage, d, r, direction), checked_digits(digits)
    eps = nonnegative(epsilon, "epsilon")
    if record.q == 0 or als_max_privacy_loss(*record, digits=digits + 10).upper <= eps:
        return Enclosure(mpf(0), mpf(0), "bound")

    def run(route: Callable[[_Law], mpf]) -> Callable[[int], mpf]:
        def value(aim: int) -> mpf:
            with mpmath.workdps(aim + 15):
                return route(_Law(record, eps))

        return value

    return agree(run(_over_t), run(_over_phi), digits, "als_exact_hockey_stick")


class _Law:
    """The constants of one problem at the current precision."""

    def __init__(self, record: Record, epsilon: Fraction):
        p, q, self.d, self.r, self.direction = record
        self.delete, self.k = record.direction == "delete", record.r - record.d
        self.q, self.eps = to_mpf(q), to_mpf(epsilon)
        self.sine2, self.cosine2 = to_mpf(p / q), to_mpf((q - p) / q)
        self.largest = (self.k * mpmath.log(to_mpf(1 - p)) - (self.k + 1) * mpmath.log(to_mpf(1 - q))) / 2
        threshold = 2 * (self.eps - self.largest if self.delete else -self.eps - self.largest) / (self.r + 1)
        self.tau = -mpmath.expm1(threshold) / self.q
        self.above = 1 - self.tau

    def gain(self, t2: mpf) -> mpf:
        """1 - e^{eps - L} ("delete") or e^{-L} - e^eps ("insert") at T = t2."""
        tilt = mpmath.exp(-self.largest) * (1 - self.q * t2) ** (-mpf(self.r + 1) / 2)
        return 1 - mpmath.exp(self.eps) * tilt if self.delete else tilt - mpmath.exp(self.eps)


def _over_t(law: _Law) -> mpf:
    node, root = (
        mpmath.atan2(mpmath.sqrt(a), mpmath.sqrt(b)) for a, b in ((law.cosine2, law.sine2), (law.above, law.tau))
    )
    low, high = (root, mpmath.pi / 2) if law.delete else (mpf(0), root)
    cuts = [low, node, high] if low < node < high else [low, high]
    constant = 2 / mpmath.beta(mpf(law.k + 1) / 2, mpf(law.d) / 2)

    def integrand(psi: mpf) -> mpf:
        return constant * mpmath.sin(psi) ** (law.d - 1) * _kernel(law, psi) * law.gain(mpmath.cos(psi) ** 2)

    return mpmath.fsum(_peaked(integrand, a, b) for a, b in itertools.pairwise(cuts))


def _kernel(law: _Law, psi: mpf) -> mpf:
    """E |A + B xi|^k, A = cos(theta) cos(psi), B = sin(theta) sin(psi), xi a coordinate of a uniform
    direction in R^d.
    """
    half, k, d = mpf(1) / 2, law.k, law.d
    a2, b2 = law.cosine2 * mpmath.cos(psi) ** 2, law.sine2 * mpmath.sin(psi) ** 2
    if a2 >= b2:
        return a2 ** (half * k) * mpmath.hyp2f1(-half * k, half * (1 - k), half * d, b2 / a2 if a2 else 0)
    moment = mpmath.gamma(half * (k + 1)) * mpmath.gamma(half * d) / (mpmath.gamma(half * (k + d)) * mpmath.gamma(half))
    return b2 ** (half * k) * moment * mpmath.hyp2f1(-half * k, -half * (k + d - 2), half, a2 / b2)


def _over_phi(law: _Law) -> mpf:
    phi0 = mpmath.atan2(mpmath.sqrt(law.sine2), mpmath.sqrt(law.cosine2))
    psi, right = mpmath.atan2(mpmath.sqrt(law.above), mpmath.sqrt(law.tau)), mpmath.pi / 2
    edges = (phi0 - psi, phi0 + psi, phi0 - mpmath.pi + psi)
    cuts = sorted([-right, right, *(edge for edge in edges if -right < edge < right)])
    constant = 1 / mpmath.beta(mpf(law.k + 1) / 2, mpf(1) / 2)

    def integrand(phi: mpf) -> mpf:
        return constant * mpmath.cos(phi) ** law.k * _given_phi(law, mpmath.cos(phi - phi0) ** 2)

    return mpmath.fsum(_peaked(integrand, a, b) for a, b in itertools.pairwise(cuts))


def _given_phi(law: _Law, cosine2: mpf) -> mpf:
    """The expectation of `_Law.gain` over {T < tau} ("delete") or {T > tau}, given cos(phi - phi0)^2."""
    a, b = mpf(law.k) / 2 + 1, mpf(law.d - 1) / 2
    scale = law.q * cosine2
    whole = mpmath.exp(-law.largest) * (1 - scale) ** (-a)  # the mass of the tilted law
    if cosine2 <= law.tau:  # then T < tau for every beta
        return 1 - mpmath.exp(law.eps) * whole if law.delete else mpf(0)
    if law.d == 1:
        return mpf(0) if law.delete else whole - mpmath.exp(law.eps)
    x = law.tau / cosine2
    tilted = (1 - scale) * x / (1 - scale * x)
    growth = mpmath.exp(law.eps)
    if law.delete:
        plain, other = (mpmath.betainc(a, b, 0, y, regularized=True) for y in (x, tilted))
        return plain - growth * whole * other
    plain, other = (mpmath.betainc(b, a, 0, 1 - y, regularized=True) for y in (x, tilted))
    return whole * other - growth * plain


def _peaked(integrand: Callable[[mpf], mpf], low: mpf, high: mpf) -> mpf:
    """Tanh-sinh quadrature in panels laid around the integrand's highest point; the panels only steer the effort."""
    if not low < high:
        return mpf(0)
    step = (high - low) / _SCOUTS
    points = [low + (i + mpf(1) / 2) * step for i in range(_SCOUTS)]
    values = [abs(integrand(x)) for x in points]
    top = max(range(_SCOUTS), key=values.__getitem__)
    if not values[top]:
        return mpf(0)
    near = [i for i in range(_SCOUTS) if values[i] > values[top] / 3]
    spread = max(near[-1] - near[0], 1) * step
    cuts = {low, high}
    cuts.update(points[top] + sign * k * spread for sign in (-1, 1) for k in _STEPS)
    ordered = sorted(x for x in cuts if low <= x <= high)
    # mpmath's quad stops on an absolute error: bring the integral to order 1.
    unit, scale = spread, values[top]
    return scale * unit * mpmath.quad(lambda u: integrand(unit * u) / scale, [x / unit for x in ordered])
