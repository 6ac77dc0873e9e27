"""What the claims about audits say at their points, for a second reader."""

from __future__ import annotations

from typing import Any

import sympy as sp

from ndis_verify.claims.reading import Counter, Phi, Reading, never_above, quantile, series

_HALF, _LITTLE = sp.Rational(1, 2), sp.Rational(1, 1000)
_DRAWS, _COPIES, _RATE, _STD = 100_000, 10, sp.Rational(1, 4), sp.Rational(3, 10)


def _binomial(n: Any, k: Any) -> Any:
    return sp.gamma(n + 1) / sp.gamma(k + 1) / sp.gamma(n - k + 1)


def _apart(n: Any, low: Any) -> Any:
    """Chance that two binomials of n fair draws are `low` or more apart, low >= 1."""
    k = sp.Symbol("k_")
    return 2 * series(k, low, n, _binomial(2 * n, n + k)) / 4**n


def _signs_apart(rate: Any, noise: Any, chance: Any) -> Any:
    met = 1 - (1 - chance) ** 2
    differ = _HALF + sp.atan(rate) / sp.pi
    return differ - 2 * Phi(-1 / (rate * noise)) - (1 - met) / 2 - 2 * met


def _inside(n: Any, bins: Any) -> Any:
    width = 2 * sp.cbrt(3) * sp.pi ** sp.Rational(1, 6) * n ** -sp.Rational(1, 3)
    return _LITTLE - (2 * Phi(width * bins / 2) - 1) ** n


def _off_every_curve(std: Any, outer: Any, inner: Any, mu: Any, allowed: Any) -> Any:
    above, below = (Phi(quantile(1 - 2 * Phi(-t)) - mu) - (2 * Phi(t / std) - 1) for t in (outer, inner))
    return sp.Min(above, -below) - allowed


def _chord_above(std: Any, mu: Any, low: Any, high: Any) -> Any:
    edges = [sp.log(x) / std for x in (low, high)]
    level, missed = sum(Phi(-x) for x in edges) / 2, sum(Phi(x - mu) for x in edges) / 2
    return missed - Phi(quantile(1 - level) - mu)


def _one_bin(epsilon: Any, share: Any) -> Any:
    """`share` of the chance that Q misses a bin, less the best of twelve moment bounds of ten compositions."""
    bounds = []
    for s in range(1, 13):
        terms = [sp.binomial(s + 1, j) * sp.exp(sp.Rational(j * j - j, 8)) for j in range(s + 2)]
        moment = sp.Add(*terms) / 2 ** (s + 1)
        bounds.append(moment**_COPIES * sp.exp(-s * epsilon) * sp.Rational(s**s, (s + 1) ** (s + 1)))
    return share * (1 - (1 - sp.Rational(1, _DRAWS)) ** _COPIES) - sp.Min(*bounds)


def _missed_bin(edge: Any, width: Any) -> Any:
    y = edge + width
    below = _HALF * Phi((y - 1) / 2) + _HALF * Phi(y / 2)
    return Phi(edge / 2) ** _DRAWS * (1 - below**_DRAWS) - _HALF


def _least_std(**point: Any) -> Any:
    total = point["TV"] + point["half width"]
    return 1 / (2 * quantile((total / _RATE + 1) / 2))


def _tail_excess(n: Any) -> Any:
    rough = sp.Rational(23, 320)
    h = sp.cbrt(6 / rough / n)
    start = sp.cbrt(n * h / 2) ** 2
    lower = (1 + (start + h) ** 3) ** -sp.Rational(1, 6) / 4
    return lower - 2 * sp.sqrt(1 / (n * h) + h**2 * rough / sp.pi**2)


READINGS: dict[tuple[str, str], Reading] = {
    ("KM-Alg4", "signs of two steps"): never_above(_signs_apart),
    ("KM-CI", "two laws that the bins do not tell apart"): Counter(
        lambda p, q, tv, tau, delta, n: (1 - delta, "<=", _apart(n, n * (tv - tau))),
        lambda p, q, tv, tau, delta, n: ((p, "=", _HALF), (q, "=", _HALF), (tv, "=", 1), (tau, "=", _HALF)),
    ),
    ("KM-Alg2-limit", "two equal laws on two bins"): Counter(
        lambda p, q, n, margin: (_apart(n, 1 + n * margin), "<=", _HALF),
        lambda p, q, n, margin: ((p, "=", _HALF), (q, "=", _HALF)),
    ),
    ("KM-Fig4", "63 widths are too short"): never_above(_inside),
    ("KM-Fig8", "normal losses far from every mu-GDP curve"): never_above(_off_every_curve),
    ("KM-Fig10", "the histogram's curve is above"): never_above(_chord_above),
    ("KM-Fig11", "one bin that Q misses, at eps = 7"): never_above(_one_bin),
    ("KM-Fig11", "there is one, with chance above 1/2"): never_above(_missed_bin),
    ("KM-G-L2", "beyond 3 the chance vanishes"): never_above(lambda n, a: _HALF - n ** (2 - a**2 / 2)),
    ("KM-S7-example", "lower end of the interval of s"): Counter(
        lambda **point: (_least_std(**point), ">=", sp.Rational(2845, 10000))
    ),
    ("KM-T4.4", "the error exceeds the bound of the printed proof"): never_above(_tail_excess),
    ("KM-eq2.5", "mean of the printed posterior of the type I error"): never_above(
        lambda FN, FP, N: (FN - FP) / (N + 1)
    ),
    ("KM-eq2.5-limit", "equal laws, one draw each"): Counter(
        lambda mu, gamma: (gamma, "<=", 4 / sp.pi * sp.sqrt(2 * mu / sp.sqrt(2 * sp.pi)))
    ),
}
