"""Rows of `als_hockey_stick` (the limiting law) and `als_exact_hockey_stick` (a finite sketch)."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from ndis_verify.reference.rows import Draw, RowSpec, text


def rows() -> Iterator[RowSpec]:
    """Both directions of each case; the exact law only for sketches that its integral settles quickly."""
    for number in range(70):
        draw = Draw(f"als/{number}")
        p, q = sorted((draw.dyadic(0, Fraction(1, 2), 32), draw.dyadic(Fraction(1, 64), Fraction(3, 4), 64)))
        if q == 2 * p - p * p:
            q += Fraction(1, 128)
        d, r = draw.among((1, 2, 3, 10, 50)), draw.among((1, 8, 100, 10**4))
        epsilon = draw.among((0, Fraction(1, 4), 1, 3))
        flags = ["monotone_pair"] + (["linear_part"] if p == 0 else []) + (["trivial_end"] if p == q else [])
        yield from _both("als_hockey_stick", number, (p, q, d, r, epsilon), flags, "N24-T4", number % 13 == 3)
    for number in range(44):
        draw = Draw(f"als-exact/{number}")
        p, q = sorted((draw.dyadic(0, Fraction(1, 4), 32), draw.dyadic(Fraction(1, 64), Fraction(1, 2), 64)))
        d = draw.among((1, 2, 3))
        r = d + draw.among((1, 2, 4, 9, 20))
        flags = ["finite_sketch"] + (["trivial_end"] if p == q else [])
        yield from _both(
            "als_exact_hockey_stick",
            number,
            (p, q, d, r, draw.among((0, Fraction(1, 8), Fraction(1, 2)))),
            flags,
            "N24-T4",
            number % 9 == 3,
        )


def _both(
    quantity: str, number: int, case: tuple[Any, ...], flags: list[str], claim: str, core: bool
) -> Iterator[RowSpec]:
    p, q, d, r, epsilon = case
    for direction in ("delete", "insert"):
        inputs = {
            "leverage": text(p),
            "augmented_leverage": text(q),
            "d": d,
            "r": r,
            "epsilon": text(epsilon),
            "direction": direction,
        }
        yield RowSpec(
            quantity, f"case-{number}-{direction}", inputs, tuple(flags), claim, group=f"case-{number}", core=core
        )
