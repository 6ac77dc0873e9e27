"""Distribution function of a generalized chi-square law by an exp-sinh rule on a straight ray from the saddle (mpmath).

Shares no code with `contour`: one integral for each distribution function, poles at 0 only, another path,
another quadrature, the parameters as N26-T4.1 and N26-D1 print them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import mpmath

from ndis_verify.oracle.engine.precision import PrecisionError

ANGLES = (60, 72, 82, 87, 90)
MAX_LEVEL = 8


@dataclass(frozen=True)
class Law:
    """sum_i w_i chi'^2(k_i, nc_i) + sqrt(variance) N(0, 1) + shift, with w_i != 0, in mpf."""

    weights: tuple[mpmath.mpf, ...]
    dofs: tuple[int, ...]
    noncentralities: tuple[mpmath.mpf, ...]
    variance: mpmath.mpf
    shift: mpmath.mpf

    def negated(self) -> Law:
        """The law of -X."""
        return Law(tuple(-w for w in self.weights), self.dofs, self.noncentralities, self.variance, -self.shift)

    def mean(self) -> mpmath.mpf:
        return self.shift + mpmath.fsum(w * (k + nc) for w, k, nc in self.parts())

    def parts(self) -> list[tuple[mpmath.mpf, int, mpmath.mpf]]:
        return list(zip(self.weights, self.dofs, self.noncentralities, strict=True))


def cdf_and_sf(law: Law, x: mpmath.mpf, digits: int) -> tuple[mpmath.mpf, mpmath.mpf]:
    """(Pr[X <= x], Pr[X > x]); the one on the far side of the mean is integrated, the other is its complement."""
    if x >= law.mean():
        upper = _upper_tail(law, x, digits)
        return 1 - upper, upper
    lower = _upper_tail(law.negated(), -x, digits)
    return lower, 1 - lower


def _upper_tail(law: Law, x: mpmath.mpf, digits: int) -> mpmath.mpf:
    """Pr[X > x] = (1/(2 pi i)) int K(s) e^{-s x}/s ds, K(s) = E e^{sX}, up a ray and its mirror image."""
    if law.variance == 0 and (not law.weights or all(w < 0 for w in law.weights)) and x >= law.shift:
        return mpmath.mpf(0)
    sigma = _saddle(law, x)
    peak = _log_integrand(law, x, sigma)
    goal = mpmath.mpf(10) ** (-digits - 1)
    for degrees in ANGLES:
        angle = mpmath.radians(degrees if x > law.shift else 180 - degrees)
        value = _exp_sinh(law, x, sigma, mpmath.expj(angle), peak.real, goal)
        if value is not None and value > 0:
            return value * mpmath.exp(peak.real) / mpmath.pi
    raise PrecisionError("rays: no angle converged")


def _log_integrand(law: Law, x: mpmath.mpf, s: mpmath.mpc) -> mpmath.mpc:
    total = s * (law.shift - x) + law.variance * s * s / 2 - mpmath.log(s)
    for w, k, nc in law.parts():
        shrink = 1 - 2 * w * s
        total -= mpmath.log(shrink) * k / 2
        if nc:
            total += nc * w * s / shrink
    return total


def _saddle(law: Law, x: mpmath.mpf) -> mpmath.mpf:
    largest = max(law.weights, default=mpmath.mpf(0))

    def slope(t: mpmath.mpf) -> mpmath.mpf:
        s = _place(t, largest)
        total = law.shift - x + law.variance * s - 1 / s
        return total + mpmath.fsum(w * k / (1 - 2 * w * s) + nc * w / (1 - 2 * w * s) ** 2 for w, k, nc in law.parts())

    reach = mpmath.mpf(4)
    while slope(-reach) > 0 or slope(reach) < 0:
        reach *= 2
        if reach > 10**7:
            raise PrecisionError("rays: no saddle point found")
    low, high = -reach, reach
    while high - low > mpmath.mpf("1e-6"):
        middle = (low + high) / 2
        low, high = (middle, high) if slope(middle) < 0 else (low, middle)
    return _place((low + high) / 2, largest)


def _place(t: mpmath.mpf, largest: mpmath.mpf) -> mpmath.mpf:
    """(0, infinity) or (0, 1/(2 w_max)), increasing in t."""
    return mpmath.exp(t) if largest <= 0 else 1 / (2 * largest * (1 + mpmath.exp(-t)))


def _exp_sinh(
    law: Law, x: mpmath.mpf, sigma: mpmath.mpf, direction: mpmath.mpc, peak: mpmath.mpc, goal: mpmath.mpf
) -> mpmath.mpf | None:
    """Im int_0^inf g(sigma + t direction) direction dt, t = scale exp((pi/2) sinh u), the step halved until it settles.

    The error of the rule is squared when the step is halved, so that of the last sum is about its relative change
    squared; eight digits are left to be sure.
    """
    scale = sigma

    def node(u: mpmath.mpf) -> mpmath.mpf:
        t = scale * mpmath.exp(mpmath.pi / 2 * mpmath.sinh(u))
        weight = t * mpmath.pi / 2 * mpmath.cosh(u)
        return mpmath.im(direction * mpmath.exp(_log_integrand(law, x, sigma + t * direction) - peak)) * weight

    step = mpmath.mpf(1) / 4
    total = _both_ways(node, mpmath.mpf(0), step, goal)
    previous = total * step
    for _ in range(MAX_LEVEL):
        total += _both_ways(node, step / 2, step, goal)
        step /= 2
        current = total * step
        if mpmath.mpf(10) ** 8 * abs(current - previous) ** 2 <= goal * current**2:
            return current
        previous = current
    return None


def _both_ways(
    node: Callable[[mpmath.mpf], mpmath.mpf], offset: mpmath.mpf, step: mpmath.mpf, goal: mpmath.mpf
) -> mpmath.mpf:
    total = mpmath.mpf(0)
    for sign in (1, -1):
        u = offset if sign == 1 else offset - step
        quiet = 0
        while quiet < 3 and abs(u) < 12:
            term = node(u)
            total += term
            quiet = quiet + 1 if abs(term) < goal * abs(total) / 100 else 0
            u += sign * step
    return total
