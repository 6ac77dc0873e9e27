"""The second route to a hockey-stick divergence: Pr_P(L > eps) and e^eps Pr_Q(L > eps) separately, then subtracted.

Per pair: Gaussian tails for equal covariances (N26-P1) and between the roots of the quadratic for d = 1,
incomplete gammas for one eigenvalue without mean shift, otherwise the two generalized chi-square laws of N26-T4.1.
The digits that the subtraction cancels are measured and bought back.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import mpmath

from ndis_verify.oracle.engine.chi2_series import lower_probability
from ndis_verify.oracle.engine.precision import MAX_ROUTE_DIGITS, PrecisionError
from ndis_verify.oracle.engine.quadratic_form import Group
from ndis_verify.oracle.engine.rays import Law

Terms = tuple[mpmath.mpf, mpmath.mpf]


def second_route(remake: Callable[[int], tuple[Sequence[Group], mpmath.mpf]], digits: int) -> mpmath.mpf:
    """The divergence to about `digits` digits; `remake(n)` gives (groups, epsilon) with n digits and more."""
    wanted = digits + 4
    while wanted <= MAX_ROUTE_DIGITS:
        groups, epsilon = remake(wanted)
        if any(g.alpha <= -1 for g in groups):
            raise PrecisionError("two distribution functions: a ratio of variances is 0 at the working precision")
        with mpmath.workdps(2 * wanted + 20):
            first, second = _route(groups)(groups, epsilon, wanted)
            value = first - second
            lost = mpmath.mpf(wanted) if value <= 0 else mpmath.log10(max(first, second) / value)
        if value > 0 and wanted - lost >= digits:
            return value
        wanted = max(int(digits + lost) + 6, wanted + 10)
    raise PrecisionError("two distribution functions: the difference stays below the precision ceiling")


def _route(groups: Sequence[Group]) -> Callable[[Sequence[Group], mpmath.mpf, int], Terms]:
    curved = [g for g in groups if g.alpha != 0]
    if not curved:
        return _by_gaussian_tails
    moved = [g for g in groups if g.alpha == 0 and g.m2 != 0]
    if len(curved) == 1 and not moved:
        if curved[0].m2 == 0:
            return _by_incomplete_gamma
        if curved[0].multiplicity == 1:
            return _by_quadratic_roots
    return _by_generalized_chi2


def _upper_normal(z: mpmath.mpf) -> mpmath.mpf:
    return mpmath.erfc(z / mpmath.sqrt(2)) / 2


def _by_gaussian_tails(groups: Sequence[Group], epsilon: mpmath.mpf, digits: int) -> Terms:
    shift = mpmath.sqrt(mpmath.fsum(g.m2 for g in groups))
    return (
        _upper_normal(epsilon / shift - shift / 2),
        mpmath.exp(epsilon) * _upper_normal(epsilon / shift + shift / 2),
    )


def _by_incomplete_gamma(groups: Sequence[Group], epsilon: mpmath.mpf, digits: int) -> Terms:
    """L = (alpha T - k log lambda)/2 with T ~ chi^2_k under P and T/lambda under Q."""
    (group,) = (g for g in groups if g.alpha != 0)
    lam, half = 1 + group.alpha, mpmath.mpf(group.multiplicity) / 2
    edge = (epsilon + half * mpmath.log1p(group.alpha)) / group.alpha

    def beyond(t: mpmath.mpf) -> mpmath.mpf:
        if t <= 0:
            return mpmath.mpf(1 if group.alpha > 0 else 0)
        span = (t, mpmath.inf) if group.alpha > 0 else (0, t)
        return mpmath.gammainc(half, *span, regularized=True)

    return beyond(edge), mpmath.exp(epsilon) * beyond(lam * edge)


def _by_quadratic_roots(groups: Sequence[Group], epsilon: mpmath.mpf, digits: int) -> Terms:
    """One coordinate, whitened by Q: x ~ N(m, lambda) under P, N(0, 1) under Q; L > eps between or outside
    two roots.
    """
    (group,) = (g for g in groups if g.alpha != 0)
    alpha, lam, m = group.alpha, 1 + group.alpha, mpmath.sqrt(group.m2)
    # 2 lambda (L - eps) = alpha x^2 + 2 m x - m^2 - lambda (log lambda + 2 eps)
    constant = -(m * m) - lam * (mpmath.log1p(alpha) + 2 * epsilon)
    discriminant = m * m - alpha * constant
    if discriminant <= 0:
        inside = mpmath.mpf(1 if alpha > 0 else 0)
        return inside, mpmath.exp(epsilon) * inside
    pivot = -(m + mpmath.sqrt(discriminant))
    low, high = sorted((pivot / alpha, constant / pivot))

    def probability(left: mpmath.mpf, right: mpmath.mpf) -> mpmath.mpf:
        if alpha > 0:
            return _upper_normal(-left) + _upper_normal(right)
        if left > 0:
            return _upper_normal(left) - _upper_normal(right)
        return _upper_normal(-right) - _upper_normal(-left)

    std = mpmath.sqrt(lam)
    return (
        probability((low - m) / std, (high - m) / std),
        mpmath.exp(epsilon) * probability(low, high),
    )


def _by_generalized_chi2(groups: Sequence[Group], epsilon: mpmath.mpf, digits: int) -> Terms:
    """Pr[W1 <= t] and e^eps Pr[W2 <= t] of N26-T4.1, a = -alpha and b^2 = lambda m^2."""
    curved = [g for g in groups if g.alpha != 0]
    flat = mpmath.fsum(g.m2 for g in groups if g.alpha == 0)
    half_log = mpmath.fsum(g.multiplicity * mpmath.log1p(g.alpha) for g in curved) / 2
    t = -(epsilon + half_log - mpmath.fsum(g.m2 for g in groups) / 2)
    shift = mpmath.fsum((1 + g.alpha) * g.m2 / (2 * g.alpha) for g in curved)
    dofs = tuple(g.multiplicity for g in curved)
    first = Law(
        tuple(-g.alpha / 2 for g in curved), dofs, tuple((1 + g.alpha) * g.m2 / g.alpha**2 for g in curved), flat, shift
    )
    second = Law(
        tuple(-g.alpha / (2 * (1 + g.alpha)) for g in curved),
        dofs,
        tuple(g.m2 / g.alpha**2 for g in curved),
        flat,
        shift + flat,
    )
    return (
        lower_probability(first, t, digits),
        mpmath.exp(epsilon) * lower_probability(second, t, digits),
    )
