"""The integrand of the certified inverse Laplace integral: g, its logarithm and that one's derivatives, in balls."""

from __future__ import annotations

from flint import acb, arb

from ndis_verify.oracle.certified.engine.tail import Transform

_LARGE = 100


def log_transform(transform: Transform, s: acb) -> acb:
    total = -transform.y * s - s.log()
    if transform.second_pole:
        total -= (s + 1).log()
    for t in transform.terms:
        w = 1 - s * t.alpha
        total += s * (t.p * s + t.q) / (2 * w) - w.log() * t.multiplicity / 2
    return total


def slope(transform: Transform, s: acb) -> acb:
    """(log g)'(s)."""
    first = -1 / s - transform.y
    if transform.second_pole:
        first -= 1 / (s + 1)
    for t in transform.terms:
        u = 1 / (1 - s * t.alpha)
        au = t.alpha * u
        first += t.multiplicity * au / 2
        if t.has_exponent:
            first += u * (t.p * s + t.q / 2 + s * (t.p * s + t.q) * au / 2)
    return first


def curvature(transform: Transform, s: acb) -> acb:
    """(log g)''(s)."""
    second = 1 / (s * s)
    if transform.second_pole:
        second += 1 / ((s + 1) * (s + 1))
    for t in transform.terms:
        u = 1 / (1 - s * t.alpha)
        au = t.alpha * u
        second += t.multiplicity * au * au / 2
        if t.has_exponent:
            second += (t.p + t.q * t.alpha) * u * u * u
    return second


def value(transform: Transform, scale: arb, s: acb, analytic: bool = False) -> acb:
    """g(s) e^{-scale}; non-finite where `analytic` is asked for and s may touch a cut.

    On a wide box the terms of log g may cancel and the product be a gross overestimate: then `centred` too, and
    the smaller of the two.
    """
    plain = product(transform, scale, s, analytic)
    if plain.abs_upper() < _LARGE:
        return plain
    closer = centred(transform, scale, s)
    return closer if closer.abs_upper() < plain.abs_upper() or not plain.is_finite() else plain


def centred(transform: Transform, scale: arb, s: acb) -> acb:
    """g on a box S off the cuts: g(c) exp((log g)'(c) (S - c) + (log g)''(S) (S - c)^2/2), c its centre (Taylor)."""
    if not all(_off_the_cut(1 - s * t.alpha) for t in transform.terms):
        return acb("nan")
    centre = s.mid()
    offset = s - centre
    exponent = offset * (slope(transform, centre) + offset * curvature(transform, s) / 2)
    return product(transform, scale, centre) * exponent.exp()


def largest(transform: Transform, scale: arb, s: acb) -> arb:
    """An upper bound on |g| e^{-scale} on a box: by `centred` in one walk over the terms, moduli alone.

    With w = 1 - s alpha, the derivative of (p s^2 + q s)/(2 w) is (q + p s (1 + w))/(2 w^2). Not finite where the box
    meets a cut.
    """
    centre = s.mid()
    exponent, first, second, modulus = -transform.y * centre - scale, -1 / centre - transform.y, 1 / (s * s), arb(1)
    size = abs(centre)
    if transform.second_pole:
        first -= 1 / (centre + 1)
        second += 1 / ((s + 1) * (s + 1))
        size *= abs(centre + 1)
    for t in transform.terms:
        wide = 1 - s * t.alpha
        if not _off_the_cut(wide):
            return arb("inf")
        w = 1 - centre * t.alpha
        u, wide_u = 1 / w, 1 / wide
        if t.multiplicity:
            modulus *= abs(w) ** t.multiplicity
            au = t.alpha * wide_u
            first += t.alpha * u * t.multiplicity / 2
            second += au * au * t.multiplicity / 2
        if t.has_exponent:
            ps = t.p * centre
            half = u / 2
            exponent += centre * (ps + t.q) * half
            first += (t.q + ps * (1 + w)) * u * half
            second += (t.p + t.q * t.alpha) * wide_u * wide_u * wide_u
    offset = s - centre
    log = exponent + offset * (first + offset * second / 2)
    return (log.real.exp() / (modulus.sqrt() * size)).upper()


def _off_the_cut(w: acb) -> bool:
    return bool(w.real > 0) or not w.imag.contains(0)


def product(transform: Transform, scale: arb, s: acb, analytic: bool = False) -> acb:
    """g(s) e^{-scale} factor by factor: as tight as it gets at a point."""
    exponent = -transform.y * s - scale
    factors = [1 / (s * (s + 1)) if transform.second_pole else 1 / s]
    for t in transform.terms:
        if t.alpha.is_zero():
            exponent += s * (t.p * s + t.q) / 2
            continue
        root = (1 - s * t.alpha).rsqrt(analytic)
        factors.append(root if t.multiplicity == 1 else root**t.multiplicity)
        if t.has_exponent:
            exponent += s * (t.p * s + t.q) * (root * root) / 2
    return exponent.exp() * _multiplied(factors)


def _multiplied(factors: list[acb]) -> acb:
    """Their product by pairs of pairs: a box that is turned grows, and so each is turned few times."""
    while len(factors) > 1:
        odd = factors[-1:] if len(factors) % 2 else []
        factors = [first * second for first, second in zip(factors[::2], factors[1::2])] + odd
    return factors[0]
