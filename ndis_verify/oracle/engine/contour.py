"""Inverse Laplace integrals (mpmath): a hyperbola through the saddle and the trapezoid rule, N against 2N nodes.

One integral gives the hockey-stick divergence, one gives a tail of a generalized chi-square law.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import mpmath

from ndis_verify.oracle.engine.precision import PrecisionError
from ndis_verify.oracle.engine.quadratic_form import Group

BENDS = ("0.6", "0.25", "0.08", "0", "-0.3")
MAX_NODES = 3_000


@dataclass(frozen=True)
class Factor:
    """(1 - s alpha)^{-k/2} exp((p s^2 + q s)/(2 (1 - s alpha))), one factor of a moment generating function."""

    alpha: mpmath.mpf
    multiplicity: int
    p: mpmath.mpf
    q: mpmath.mpf


def contour_hockey_stick(groups: Sequence[Group], epsilon: mpmath.mpf, digits: int) -> tuple[mpmath.mpf, mpmath.mpf]:
    """(value, log value) of `delta = (1/(2 pi i)) int M(s) e^{-s eps}/(s (s + 1)) ds` to about `digits` digits."""
    if any(g.alpha <= -1 for g in groups):
        raise PrecisionError("contour: a ratio of variances is 0 at the working precision")
    y = epsilon + mpmath.fsum(g.multiplicity * mpmath.log1p(g.alpha) for g in groups) / 2
    return _integral([Factor(g.alpha, g.multiplicity, g.m2, g.m2) for g in groups], y, True, digits)


def contour_upper_tail(
    parts: Sequence[tuple[mpmath.mpf, int, mpmath.mpf]], variance: mpmath.mpf, y: mpmath.mpf, digits: int
) -> mpmath.mpf:
    """Pr[X > y] = (1/(2 pi i)) int E e^{s (X - y)}/s ds for X = sum w chi'^2(k, nc) + sqrt(variance) N(0, 1).

    parts: triples (w, k, nc).
    """
    factors = [Factor(2 * w, k, mpmath.mpf(0), 2 * w * nc) for w, k, nc in parts]
    if variance:
        factors.append(Factor(mpmath.mpf(0), 0, variance, mpmath.mpf(0)))
    return _integral(factors, y, False, digits)[0]


def _integral(
    factors: Sequence[Factor], y: mpmath.mpf, second_pole: bool, digits: int
) -> tuple[mpmath.mpf, mpmath.mpf]:
    """(value, log value) of the integral of e^{-s y} prod factors/s, or over s (s + 1), at the current precision.

    `s(u) = s0 + w (i sinh u + kappa (cosh u - 1))`, s0 the saddle and w its width; kappa has the sign of
    `x = y + sum p/(2 alpha) - sum q/2 (alpha = 0)`, for which the integrand decays like e^{-s x}; |kappa| < 1 keeps
    the Gaussian decay of a part with alpha = 0. The other side is the last resort. The step is halved until two sums
    agree to `digits` digits.
    """
    exponent, first, second = _integrand(factors, y, second_pole)
    edge = min((1 / f.alpha for f in factors if f.alpha > 0), default=None)
    start = _saddle(first, second, edge)
    width = 1 / mpmath.sqrt(second(start))
    peak = exponent(start).real
    side = _side(factors, y)
    goal = mpmath.mpf(10) ** (-digits - 1)
    for bend in BENDS:
        kappa = side * mpmath.mpf(bend)
        total = _trapezoid(lambda u: _node(exponent, start, width, kappa, peak, u), goal)
        if total is not None and total > 0:
            total *= width / mpmath.pi
            return total * mpmath.exp(peak), mpmath.log(total) + peak
    raise PrecisionError("contour: no bend of the path converged")


def _integrand(factors: Sequence[Factor], y: mpmath.mpf, second_pole: bool) -> tuple[Callable, Callable, Callable]:
    """log of the integrand, and its first two derivatives."""
    zero = mpmath.mpf(0)
    powers = [(f.alpha, mpmath.mpf(f.multiplicity) / 2) for f in factors if f.alpha != 0]
    exponents = [(f.alpha, f.p / 2, f.q / 2) for f in factors if f.p or f.q]
    poles = (zero, mpmath.mpf(1)) if second_pole else (zero,)

    def exponent(s: mpmath.mpc) -> mpmath.mpc:
        total = -s * y - sum((mpmath.log(s + z) for z in poles), zero)
        for alpha, half in powers:
            total -= half * mpmath.log(1 - s * alpha)
        return total + s * sum(((p * s + q) / (1 - s * alpha) for alpha, p, q in exponents), zero)

    def first(s: mpmath.mpc) -> mpmath.mpc:
        total = -y - sum((1 / (s + z) for z in poles), zero)
        total += sum((half * alpha / (1 - s * alpha) for alpha, half in powers), zero)
        for alpha, p, q in exponents:
            w = 1 - s * alpha
            total += (2 * p * s + q) / w + s * (p * s + q) * alpha / w**2
        return total

    def second(s: mpmath.mpc) -> mpmath.mpc:
        total = sum((1 / (s + z) ** 2 for z in poles), zero)
        total += sum((half * (alpha / (1 - s * alpha)) ** 2 for alpha, half in powers), zero)
        return total + sum((2 * (p + q * alpha) / (1 - s * alpha) ** 3 for alpha, p, q in exponents), zero)

    return exponent, first, second


def _saddle(first: Callable, second: Callable, edge: mpmath.mpf | None) -> mpmath.mpf:
    """The zero of the increasing derivative on (0, edge), by bisection, to a tenth of the width."""

    def place(t: mpmath.mpf) -> mpmath.mpf:
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


def _side(factors: Sequence[Factor], y: mpmath.mpf) -> int:
    curved = mpmath.fsum((f.p / f.alpha if f.alpha else -f.q) for f in factors)
    return int(mpmath.sign(y + curved / 2))


def _node(
    exponent: Callable[[mpmath.mpc], mpmath.mpc],
    start: mpmath.mpf,
    width: mpmath.mpf,
    kappa: mpmath.mpf,
    peak: mpmath.mpf,
    u: mpmath.mpf,
) -> mpmath.mpf:
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
