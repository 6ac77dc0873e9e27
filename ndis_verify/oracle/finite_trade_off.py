"""Trade-off functions of finite laws in exact rational arithmetic, and the conversion from their privacy profile."""

from __future__ import annotations

import itertools
from fractions import Fraction

Law = tuple[Fraction, ...]


def exact_trade_off(p: Law, q: Law, level: Fraction) -> Fraction:
    """T(P, Q)(level) of two finite laws: points rejected by falling ratio q/p, the last one at random
    (Neyman-Pearson).
    """
    order = sorted(range(len(p)), key=lambda k: (p[k] > 0, -(q[k] / p[k]) if p[k] else 0))
    spent = power = Fraction(0)
    for k in order:
        share = min(Fraction(1), (level - spent) / p[k]) if p[k] else Fraction(1)
        spent, power = spent + share * p[k], power + share * q[k]
    return 1 - power


def converted(p: Law, q: Law, level: Fraction, both: bool = True) -> Fraction:
    """sup_a max(0, 1 - h(a) - a x, (1 - h(a) - x)/a), at the orders where h of these laws bends, and far beyond."""

    def divergence(first: Law, second: Law, a: Fraction) -> Fraction:
        return sum((max(x - a * y, Fraction(0)) for x, y in zip(first, second, strict=True)), Fraction(0))

    bends = {p[k] / q[k] for k in range(len(p)) if p[k] and q[k]}
    crossing = {a for b in bends for a in (b, 1 / b)} | {Fraction(1), Fraction(10**9)}
    best = Fraction(0)
    for a in crossing | {1 / c for c in crossing} | _between(crossing, p, q):
        h = divergence(p, q, a)
        h = max(h, divergence(q, p, a)) if both else h
        best = max(best, 1 - h - a * level, (1 - h - level) / a)
    return best


def _between(bends: set[Fraction], p: Law, q: Law) -> set[Fraction]:
    """Where the two orders' divergences cross: both are lines in a between neighbouring bends."""
    found: set[Fraction] = set()
    ordered = sorted({Fraction(0)} | bends)
    gap = lambda a: sum(max(x - a * y, Fraction(0)) - max(y - a * x, Fraction(0)) for x, y in zip(p, q, strict=True))  # noqa: E731
    for low, high in itertools.pairwise(ordered):
        left, right = gap(low), gap(high)
        if left * right < 0:
            found.add(low + (high - low) * left / (left - right))
    return found
