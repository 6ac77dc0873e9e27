"""What the claims about sketched least squares say at their points, for a second reader."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import sympy as sp

from ndis_verify.claims.reading import Counter, Reading, divergence, sketched_least_squares

_CORNERS: dict[str, Callable[[Any], tuple[Any, Any]]] = {
    "noise tested at leverage = share = cap": lambda cap: (cap, 2 * cap),
    "noise tested at leverage = cap, share = 0": lambda cap: (cap, cap),
    "noise tested at leverage = 0, share = cap": lambda cap: (sp.Integer(0), cap),
}


def _lone(corner: Callable[[Any], tuple[Any, Any]]) -> Counter:
    """The record (v, beta) beside sigma I against none, and the test at a corner of both caps of its length."""

    def tests(v: Any, beta: Any, epsilon: Any, delta: Any, sigma: Any, d: Any, r: Any) -> tuple[Any, ...]:
        loose = (v**2 + beta**2) / sigma**2
        return tuple(
            (sketched_least_squares(*corner(cap), d, r, epsilon), "<=", delta) for cap in (loose, loose / (1 + loose))
        )

    def asserted(v: Any, beta: Any, epsilon: Any, delta: Any, sigma: Any, d: Any, r: Any) -> tuple[Any, str, Any]:
        square = v**2 + beta**2
        own = sketched_least_squares(v**2 / (v**2 + sigma**2), square / (square + sigma**2), d, r, epsilon)
        return own, "<=", delta

    return Counter(asserted, tests, least=True)


_WEIGHTLESS = Counter(  # a term of weight 0 left out gives at most 0
    lambda p, q, r, epsilon: (
        divergence(epsilon, (1 - p) ** 2 / (1 - q), 1, r * p * (q - p) / (1 - q)),
        "<=",
        sp.Rational(1, 10**9),
    ),
    lambda p, q, r, epsilon: ((q, "=", 2 * p - p**2),),
)

READINGS: dict[tuple[str, str], Reading] = {
    **{(claim, name): _lone(corner) for claim in ("N24-Fig4", "N24-T5") for name, corner in _CORNERS.items()},
    ("N24-T4", "at q = 2p - p^2 the table has a weight 0 and divides by it"): _WEIGHTLESS,
    ("N24-TabVI", "at q = 2p - p^2 the table has a weight 0 and divides by it"): _WEIGHTLESS,
    ("N24-P16", "a coordinate with a = 0 and b = 1"): Counter(
        lambda a, b, epsilon: (divergence(epsilon, 1 - a, 1, b**2 / (1 - a)), "<=", sp.Rational(1, 10**9)),
        lambda a, b, epsilon: ((a, "=", sp.Integer(0)),),
    ),
}
