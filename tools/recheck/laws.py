"""The divergence of two normal laws, by one integral of its own."""

from __future__ import annotations

import math

from flint import acb, arb, ctx, fmpq, fmpz

from tools.recheck.balls import TINY, NotReadable, is_whole, real

_BITS = 200


def mean_shift(distance, epsilon):
    """Means `distance` standard deviations apart: rises in the distance, falls in epsilon."""
    if isinstance(distance, arb) and distance.rad() > TINY:
        return mean_shift(distance.lower().max(arb(0)), epsilon).union(mean_shift(distance.upper(), epsilon))
    if epsilon > 0 and real(distance) * 150 <= epsilon - real(distance) ** 2 / 2:  # below Pr[L > eps] <= e^-11250
        return arb(0).union(
            (-(((real(epsilon) / distance) - real(distance) / 2) ** 2) / 2).exp() if distance != 0 else arb(0)
        )
    return divergence(epsilon, fmpq(1), fmpq(1), distance * distance)


def projection(leverage, r, epsilon, turned=False):
    """N(0, v) against N(0, 1) in r coordinates, v = 1/(1 - p), for a row of leverage p left out."""
    return centred([1 / (1 - leverage)], [r], epsilon, turned)


def divergence(epsilon, *groups):
    """sup_S P(S) - e^eps Q(S) for P = N(m, diag(lam)), Q = N(0, 1), from triples lam, how often, sum of squares of m:

    (1/(2 pi i)) int M(s) e^{-s eps}/(s (s + 1)) ds, M(s) = prod lam^{-s/2} D^{-1/2} e^{s (s+1) m^2/(2 D)}, D = 1 + s a,
    a = 1 - lam, over a ray from the saddle on the real axis; beyond its end by |D| >= |a| |Im s| and |s| >= |Im s|.
    Left of the pole at 0, where the integrand is smaller if the divergence is near 1, it is the divergence less 1.
    """
    triples = [groups[i : i + 3] for i in range(0, len(groups), 3)]
    if not all(lam > 0 and (isinstance(lam, fmpq) or not lam.contains(1)) for lam, _, _ in triples):
        raise NotReadable("a pair whose eigenvalues are not told from 1")
    eps = real(epsilon)
    spread = [(1 - lam, real(lam).log(), n, square) for lam, n, square in triples if lam != 1]
    plain = sum((square for lam, _, square in triples if lam == 1), fmpq(0))
    slope = eps + sum((n * log / 2 - square / (2 * a) for a, log, n, square in spread), arb(0))
    if not spread and plain == 0:
        return (1 - eps.exp()).max(arb(0))
    if plain == 0 and slope >= 0 and all(a > 0 for a, *_ in spread):
        return arb(0)  # the loss is at most its bound, which is at most epsilon
    if plain == 0 and slope <= 0 and all(a < 0 for a, *_ in spread):
        return 1 - eps.exp()
    with ctx.workprec(_BITS):
        return _along_ray(eps, spread, plain, slope)


def _along_ray(eps, spread, plain, slope):
    """The integral itself, up and down from the saddle."""
    floats = [(float(a), float(log), float(n), float(q)) for a, log, n, q in spread], float(plain), float(eps)
    (high, right), (low, left) = (_saddle(*floats, below) for below in (False, True))
    start, pole = (right, 0) if high <= low else (left, 1)
    cosine = fmpq(0) if plain or slope.contains(0) else fmpq(3, 5) if slope > 0 else fmpq(-3, 5)
    turn = acb(cosine, 1) if cosine == 0 else acb(cosine, fmpq(4, 5))

    def integrand(s, analytic):
        found = s * (s + 1) * plain / 2 - s * eps
        for a, log, n, square in spread:
            d = 1 + s * a
            found += s * (s + 1) * square / d / 2 - (s * log + d.log(analytic)) * n / 2
        return found.exp() / (s * (s + 1))

    def beyond(radius):
        """What the ray carries beyond `radius`."""
        height = radius * turn.imag
        bound = (-slope * (start + radius * cosine)).exp() / height**2
        for a, _, n, square in spread:
            k = (1 - 1 / real(a)) / a
            steep = abs(real(a)) * height
            bound *= (square / 2 * (k + abs(k) / steep)).exp() / steep ** (real(n) / 2)
        bound *= (real(plain) / 2 * (start + start**2 - radius**2)).exp() if plain else 1
        return bound * radius if cosine == 0 else (bound / (slope * cosine)).min(bound * radius)

    size, found, radius, here = abs(integrand(acb(start), False)), acb(0), abs(start) / 8, acb(start)
    for _ in range(200):
        there = start + turn * radius
        found += acb.integral(integrand, here, there, rel_tol=arb(2) ** -100, abs_tol=size * arb(2) ** -100)
        tail, here = beyond(radius), there
        if tail < size * arb(2) ** -100:
            break
        radius *= 2
    return pole + (found.imag + arb(0, tail.abs_upper())) / arb.pi()


def _saddle(spread, plain, eps, below):
    """The logarithm of the integrand about where it is least on the real axis, and that place: right of the poles and
    left of the branch points, or between the poles.
    """
    end = min((-1 / a for a, *_ in spread if a < 0), default=None)

    def height(c):
        found = c * (c + 1) * plain / 2 - c * eps - math.log(abs(c)) - math.log1p(c)
        return found + sum(
            c * (c + 1) * q / (1 + c * a) / 2 - n / 2 * (c * g + math.log1p(c * a)) for a, g, n, q in spread
        )

    place = (lambda u: -1 / (1 + math.exp(-u))) if below else (lambda u: end / (1 + math.exp(-u))) if end else math.exp
    low, high = -25.0, 25.0
    for _ in range(60):
        first, second = low + (high - low) * 0.382, low + (high - low) * 0.618
        try:
            left = height(place(first)) <= height(place(second))
        except (ValueError, OverflowError):
            left = True
        low, high = (low, second) if left else (first, high)
    found = round(place(low) * 2**40) / 2**40 or (-1 if below else 1) * 2.0**-40
    found = max(found, 2.0**-40 - 1) if below else found
    return height(found), arb(found)


def centred(lams, counts, epsilon, turned=False):
    """Covariances alone, eigenvalues and multiplicities as vectors."""
    return divergence(epsilon, *(x for lam, n in zip(lams, counts) for x in (1 / lam if turned else lam, n, fmpq(0))))


def independent(means, deviations, epsilon):
    """N(means, diag(deviations^2)) against N(0, 1)."""
    return divergence(epsilon, *(x for m, s in zip(means, deviations) for x in (s * s, fmpq(1), m * m)))


def chi2_hinge(c, a, r):
    """E max(0, 1 - e^{c + a T/2}) of a chi-square T with r degrees of freedom: where the exponent is negative the
    chance less e^c times the tilted mass, x^k g(k, (1 - a) x), g the lower incomplete gamma function over its power.
    """
    if a == 0:
        return (1 - real(c).exp()).max(arb(0))
    k, edge = real(r) / 2, -real(c) / real(a)  # of T/2
    e = real(c).exp()
    if not (edge > 0 or edge <= 0):
        raise NotReadable("an edge that is not told from 0")
    below = lambda t: acb(t * edge).gamma_lower(acb(k), 2).real * edge**k if edge > 0 else arb(0)  # noqa: E731
    inside = below(arb(1)) - e * below(1 - real(a))
    if a > 0:
        return inside
    return 1 - e * (1 - real(a)) ** -k - inside


def normal_moment(n, mean, variance):
    """E x^n, n whole: over the even powers of the deviation, E z^2k = 2^k Gamma(k + 1/2)/sqrt(pi)."""
    if not (is_whole(n) and 0 <= n <= 200 and variance > 0):
        raise NotReadable("a moment of no whole power, or of no positive variance")
    order, found = int(n.p), real(fmpq(0))
    for k in range(order // 2 + 1):
        even = arb(2) ** k * (arb(k) + arb(1) / 2).gamma() / arb.pi().sqrt()
        found += int(fmpz.bin_uiui(order, 2 * k)) * real(mean) ** (order - 2 * k) * real(variance) ** k * even
    return found


QUANTITIES = {
    "normal_moment": normal_moment,
    "independent": independent,
    "chi2_hinge": chi2_hinge,
    "mean_shift": mean_shift,
    "projection": projection,
    "projection_insert": lambda p, r, eps: projection(p, r, eps, True),
    "centred": centred,
    "centred_reverse": lambda lams, counts, eps: centred(lams, counts, eps, True),
    "divergence": divergence,
}
