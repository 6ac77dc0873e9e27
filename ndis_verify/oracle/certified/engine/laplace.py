"""Certified inverse Laplace integrals of the moment generating function of a quadratic form in Gaussians.

The number computed is `(1/(2 pi i)) int g(s) ds` up the line Re s = s0 > 0, left of every cut on the right, with
`g(s) = exp(-y s + sum_j (p_j s^2 + q_j s)/(2 (1 - s alpha_j))) prod_j (1 - s alpha_j)^{-k_j/2} / s`, or over s (s + 1).
`hyperbola.trapezoid` encloses it by a rule whose error is proved. Where it finds no plan, the line is bent, without
leaving the upper half plane, into a polygon near the steepest descent from the saddle and a final ray; Arb's
`acb.integral` encloses the polygon and `tail.tail_bound` bounds the ray.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

from flint import acb, arb, ctx

from ndis_verify.exact_number import InputError
from ndis_verify.oracle.certified.engine.hyperbola import trapezoid
from ndis_verify.oracle.certified.engine.integral import integral, signals_deferred
from ndis_verify.oracle.certified.engine.integrand import curvature, log_transform, slope, value
from ndis_verify.oracle.certified.engine.tail import INFINITE, Transform, tail_bound
from ndis_verify.oracle.engine.precision import PrecisionError

MAX_VERTICES = 1000
EVALUATION_LIMIT = 20_000
_FARTHEST = 10**230  # of a logarithm: beyond it a polygon takes hours


@dataclass(frozen=True)
class Scaled:
    """The number `value * exp(log_scale)`, with `log_scale` exact."""

    value: arb
    log_scale: arb

    def plain(self) -> arb:
        return self.value * self.log_scale.exp() if not self.value.is_zero() else arb(0)

    def log(self) -> arb:
        """The logarithm; raises `InputError` where the number is exactly zero."""
        if self.value.is_zero():
            raise InputError("epsilon", "this pair", "the divergence is exactly 0 there and has no logarithm")
        return self.value.log() + self.log_scale


def upward_integral(transform: Transform, digits: int, proved: bool = True) -> Scaled:
    """The integral of `transform` at the current precision, aiming at `digits` relative digits.

    The radius is whatever was proved, and may be larger than asked for: the caller looks and raises the precision.
    Not `proved`: for a search, about so many digits, at a third of the time. Raises `PrecisionError` where the number
    is below e^(-1e230) and float64 does not hold what it takes.
    """
    start = saddle(transform)
    if start is None or ctx.prec < digits * 3.33 + 20 + (lost := _cancelled_bits(transform, start)):
        return Scaled(arb.nan(), arb(0))
    width = (1 / curvature(transform, acb(start)).real.sqrt()).mid()
    scale = log_transform(transform, acb(start)).real.mid()
    tolerance = width * arb(10) ** (-digits - 2)
    found = trapezoid(transform, start, scale, tolerance, lost, proved)
    if found is not None:
        return Scaled(found, scale)
    if not abs(scale) < _FARTHEST:
        raise PrecisionError(
            "the logarithm of the number is beyond -1e230, where float64 holds no plan of its integral"
        )
    path = _descent(transform, start, width, scale, tolerance, free=True)
    path = path or _descent(transform, start, width, scale, tolerance, free=False)
    if path is None:
        raise PrecisionError(f"the path did not reach its tail within {MAX_VERTICES} vertices")
    vertices, tail = path
    share = tolerance / len(vertices)
    total = acb(0)
    with signals_deferred():
        for left, right in itertools.pairwise(vertices):
            total += integral(
                lambda s, analytic: value(transform, scale, s, analytic),
                left,
                right,
                abs_tol=share,
                rel_tol=arb(2) ** -20_000,
                eval_limit=EVALUATION_LIMIT,
            )
    return Scaled((total.imag + arb(0, tail)) / arb.pi(), scale)


def _cancelled_bits(transform: Transform, start: arb) -> float:
    """The bits lost where the terms of log g cancel at the saddle: log2 of the largest of them."""
    largest = abs(transform.y * start)
    for t in transform.terms:
        w = 1 - start * t.alpha
        largest += abs(start * (t.p * start + t.q) / w) + abs(w.log()) * t.multiplicity
    return max(0.0, float(largest.mid().log()) / 0.6931)


def saddle(transform: Transform) -> arb | None:
    """A point near the minimum of g on (0, 1/max(alpha)), where log g is convex: bisection on its derivative.

    None where the working precision does not tell it from the branch point.
    """
    rightmost = max((t.alpha for t in transform.terms if t.alpha > 0), default=None, key=lambda a: float(a.mid()))
    edge = None if rightmost is None else (1 / rightmost).lower().mid()

    def place(exponent: arb) -> arb:
        v = arb(2) ** exponent
        if edge is None:
            return v.mid()
        return (edge * v / (1 + v) if exponent < 0 else edge - edge / (1 + v)).mid()

    def fall(exponent: arb) -> arb:
        return slope(transform, acb(place(exponent))).real

    low, high, step = arb(0), arb(0), arb(1)
    while fall(low).mid() > 0:
        low, step = low - step, step * 2
    step = arb(1)
    while fall(high).mid() < 0:
        if edge is not None and high > ctx.prec:  # the place is next to the cut already
            return None
        high, step = high + step, step * 2
        if high > 1_000_000:
            raise PrecisionError("no saddle point found below 2^1000000")
    for _ in range(400):
        middle = ((low + high) / 2).mid()
        first = fall(middle)
        if not first.is_finite():
            return None
        if first.mid() ** 2 < curvature(transform, acb(place(middle))).real.mid() / 16:
            break
        low, high = (middle, high) if first.mid() < 0 else (low, middle)
    return place(middle)


def _descent(
    transform: Transform, start: arb, width: arb, scale: arb, tolerance: arb, free: bool
) -> tuple[list[acb], arb] | None:
    """Vertices from the saddle towards the valley at infinity, until the tail bound is below the tolerance.

    `free` steps may go to either side; otherwise only to the side where exp(-x s) decays. None where it gets nowhere.
    """
    vertices = [acb(start), acb(start, 2 * width)]
    for _ in range(MAX_VERTICES):
        here = vertices[-1]
        height = (log_transform(transform, here).real - scale).exp()
        bounds = [tail_bound(transform, here, u) for u in (1j, transform.side or 1j)]
        tails = [b * height for b in bounds if b is not INFINITE]
        for tail in tails:
            if tail < tolerance:
                return vertices, tail
        vertices.append(step_down(transform, here, free))
    return None


def step_down(transform: Transform, here: acb, free: bool = True) -> acb:
    """The next vertex of a path that goes down log |g| (see `_step`), no further than the nearest branch point lies."""
    branch_points = [arb(0), arb(-1)] + [(1 / t.alpha).mid() for t in transform.terms if not t.alpha.contains(0)]
    reach = min(abs(here - b).mid() for b in branch_points)
    half = (here + _step(transform, here, reach, free) / 2).mid()
    return (here + _step(transform, half, reach, free)).mid()


def _step(transform: Transform, s: acb, reach: arb, free: bool) -> acb:
    """A step down log |g|, never towards the real axis, and unless `free` only to the side where exp(-x s) decays."""
    first = slope(transform, s)
    down = -first.conjugate()
    real, imag = down.real.mid(), down.imag.mid().max(arb(0))
    if not free and not real * transform.side > 0:
        real = arb(0)
    norm = (real * real + imag * imag).sqrt()
    direction = acb(real, imag) / norm if norm > 0 else acb(0, 1)
    return (direction * (8 / abs(first).mid()).min(reach)).mid()
