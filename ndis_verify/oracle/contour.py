"""Hockey-stick divergence as one contour integral (mpmath): hyperbola through the saddle, trapezoid rule."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import mpmath

from ndis_verify.oracle.precision import PrecisionError
from ndis_verify.oracle.quadratic_form import Group

BENDS = ("0.8", "0.4", "0.15", "0.05", "0")
MAX_NODES = 20_000


def contour_hockey_stick(groups: Sequence[Group], epsilon: mpmath.mpf, digits: int) -> tuple[mpmath.mpf, mpmath.mpf]:
    """(value, log value) of `delta = (1/(2 pi i)) int M(s) e^{-s eps}/(s (s + 1)) ds` to about `digits` digits.

    `s(u) = s0 + w (i sinh u + kappa (cosh u - 1))`, s0 the saddle and w its width; kappa has the sign of
    `x = eps + (1/2) sum k log lambda + sum m^2/(2 alpha)`, for which the integrand decays like e^{-s x}.
    The step is halved until two sums agree to `digits` digits. Evaluated at the current precision.
    """
    exponent, first, second = _integrand(groups, epsilon)
    edge = max((1 / g.alpha for g in groups if g.alpha > 0), default=None, key=lambda e: -e)
    start = _saddle(first, second, edge)
    width = 1 / mpmath.sqrt(second(start))
    peak = exponent(start).real
    side = _side(groups, epsilon)
    goal = mpmath.mpf(10) ** (-digits - 1)
    for bend in BENDS:
        kappa = side * mpmath.mpf(bend)
        total = _trapezoid(lambda u: _node(exponent, start, width, kappa, peak, u), goal)
        if total is not None and total > 0:
            total *= width / mpmath.pi
            return total * mpmath.exp(peak), mpmath.log(total) + peak
    raise PrecisionError("contour: no bend of the path converged")


def _integrand(groups: Sequence[Group], epsilon: mpmath.mpf) -> tuple[Callable, Callable, Callable]:
    """log of the integrand, and its first two derivatives."""
    y = epsilon + mpmath.fsum(g.multiplicity * mpmath.log1p(g.alpha) for g in groups) / 2
    plain = [(g.alpha, mpmath.mpf(g.multiplicity) / 2) for g in groups if g.alpha != 0]
    shifted = [(g.alpha, g.m2 / 2) for g in groups if g.m2 != 0]

    def exponent(s):
        total = -s * y - mpmath.log(s) - mpmath.log(s + 1)
        for alpha, half in plain:
            total -= half * mpmath.log(1 - s * alpha)
        return total + s * (s + 1) * sum((half / (1 - s * alpha) for alpha, half in shifted), mpmath.mpf(0))

    def first(s):
        total = -y - 1 / s - 1 / (s + 1) + sum((half * alpha / (1 - s * alpha) for alpha, half in plain), mpmath.mpf(0))
        for alpha, half in shifted:
            w = 1 - s * alpha
            total += half * ((2 * s + 1) / w + s * (s + 1) * alpha / w**2)
        return total

    def second(s):
        total = 1 / s**2 + 1 / (s + 1) ** 2
        total += sum((half * (alpha / (1 - s * alpha)) ** 2 for alpha, half in plain), mpmath.mpf(0))
        for alpha, half in shifted:
            w = 1 - s * alpha
            total += 2 * half * (1 + alpha) * (1 / w**3)
        return total

    return exponent, first, second


def _saddle(first: Callable, second: Callable, edge: mpmath.mpf | None) -> mpmath.mpf:
    """The zero of the increasing derivative on (0, edge), by bisection in log(s/(edge - s)); a tenth of a width is enough."""

    def place(t):
        v = mpmath.ldexp(1, int(t)) * mpmath.mpf(2) ** (t - int(t))
        return v if edge is None else edge * v / (1 + v)

    low, high, step = mpmath.mpf(0), mpmath.mpf(0), 1
    while first(place(low)) > 0:
        low, step = low - step, 2 * step
    step = 1
    while first(place(high)) < 0:
        high, step = high + step, 2 * step
        if high > 10**6:
            raise PrecisionError("contour: no saddle point below 2^1000000")
    while True:
        middle = (low + high) / 2
        s = place(middle)
        slope = first(s)
        if slope**2 < second(s) / 100 or high - low < mpmath.mpf("1e-25"):
            return s
        low, high = (middle, high) if slope < 0 else (low, middle)


def _side(groups: Sequence[Group], epsilon: mpmath.mpf) -> int:
    if any(g.alpha == 0 and g.m2 != 0 for g in groups):
        return 0
    x = epsilon + mpmath.fsum(g.multiplicity * mpmath.log1p(g.alpha) + g.m2 / g.alpha for g in groups if g.alpha != 0) / 2
    return int(mpmath.sign(x))


def _node(exponent, start, width, kappa, peak, u):
    sinh, cosh = mpmath.sinh(u), mpmath.cosh(u)
    s = start + width * mpmath.mpc(kappa * (cosh - 1), sinh)
    return mpmath.im(mpmath.exp(exponent(s) - peak) * mpmath.mpc(kappa * sinh, cosh))


def _trapezoid(node: Callable, goal: mpmath.mpf) -> mpmath.mpf | None:
    """int_0^inf node(u) du (node is even) with steps halved until two sums agree, or None."""
    step = mpmath.mpf(1) / 2
    centre = node(mpmath.mpf(0)) / 2
    total, used = _half_line(node, step, step, goal)
    previous = (centre + total) * step
    while used < MAX_NODES:
        fresh, count = _half_line(node, step / 2, step, goal)
        total, used, step = total + fresh, used + count, step / 2
        current = (centre + total) * step
        if abs(current - previous) <= goal * abs(current):
            return current
        previous = current
    return None


def _half_line(node: Callable, start: mpmath.mpf, step: mpmath.mpf, goal: mpmath.mpf) -> tuple[mpmath.mpf, int]:
    """sum node(start + j step), ended by four terms in a row far below the goal."""
    total, quiet, count, u = mpmath.mpf(0), 0, 0, start
    while quiet < 4 and count < MAX_NODES:
        term = node(u)
        total += term
        quiet = quiet + 1 if abs(term) < goal / 1000 else 0
        count, u = count + 1, u + step
    return total, count
