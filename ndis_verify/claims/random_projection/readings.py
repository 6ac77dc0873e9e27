"""What the claims about random projection say at their points, for a second reader."""

from __future__ import annotations

from typing import Any

import sympy as sp

from ndis_verify.claims.reading import Counter, Phi, Reading, Value, cap, deletion, divergence, never_above

_DELTA = sp.Rational(1, 10**6)


def _older(r: Any, delta: Any) -> Any:
    """The printed ridge at eps = 1 of the older source: 4 (sqrt(2 r L) + L), L = ln(4/delta)."""
    level = sp.log(4 / delta)
    return 4 * (sp.sqrt(2 * r * level) + level)


def _ridges(ridge: str, r: int) -> Any:
    """The root of a printed ridge over the smallest one, eps = 1, delta = 1e-6."""
    smallest = 1 / cap(r, 1, _DELTA) - 1
    blocki = 256 * r * sp.log(2 / _DELTA) * sp.log(16 * r / _DELTA) ** 2
    return sp.sqrt({"Sheffet": _older(r, _DELTA), "Blocki": blocki}.get(ridge, smallest + 1) / smallest)


def _over_printed(r: int, n: int) -> Any:
    return sp.sqrt(_older(r, sp.Rational(1, n)) * cap(r, 1, sp.Rational(1, n)))


def _afresh(more: int) -> Counter:
    """Two branches, each within the target: the plain one, and the one with a ridge beside one record less."""

    def cost(records: Any, epsilon: Any, delta: Any) -> Any:
        ridge = 1 / cap(1, epsilon, delta) - 1 + more
        return divergence(epsilon, (records - 1 + ridge) / records, 1, 0)

    return Counter(
        lambda records, epsilon, delta: (cost(records, epsilon, delta), "<=", delta),
        lambda records, epsilon, delta: (
            (deletion(1 / records, 1, epsilon), "<=", delta),
            (deletion(1 / (records - 1), 1, epsilon), ">=", delta),
        ),
        least=True,
    )


READINGS: dict[tuple[str, str], Reading] = {
    ("N26-P5", "one standard deviation beyond the threshold"): never_above(lambda beyond: Phi(-beyond)),
    ("N24-Fig3", "a valid ridge below l^2/p*"): Counter(
        lambda r, epsilon, delta, ridge: (ridge, ">=", 1 / cap(r, epsilon, delta)),
        lambda r, epsilon, delta, ridge: ((deletion(1 / (ridge + 1), r, epsilon), "<=", delta),),
        least=True,
    ),
    ("N24-T6-afresh", "the two branches side by side"): _afresh(1),
    ("N24-T6-afresh", "with the smallest ridge too"): _afresh(0),
    ("N24-TabIII", "Flight's row: a correlation above 1, or a plain distance ratio above 1"): never_above(
        lambda printed: printed - 1
    ),
    ("N26-Fig2-ridges", "std over the smallest"): Value(_ridges),
    ("N24-TabI", "std of Sheffet's ridge over the printed one"): Value(_over_printed),
    ("N24-TabIII", "std of Sheffet's ridge over the printed one"): Value(_over_printed),
}
