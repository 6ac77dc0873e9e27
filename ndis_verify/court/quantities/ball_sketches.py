"""The finite least squares law in ball arithmetic, at Fractions or at balls.

Each raises `NotExact` outside its domain.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ndis_verify.court.quantities.exact import (
    NotExact,
    Number,
    monotone,
    regression_record,
)
from ndis_verify.oracle.certified.engine.balls import to_exact_ball
from ndis_verify.oracle.certified.least_squares.finite_law import als_exact_hockey_stick


def _sketch(p: Number, q: Number, d: Number, r: Number, epsilon: Number, digits: int, insert: bool = False) -> Number:
    regression_record(p, q, d, r)
    if r < d:
        raise NotExact("a sketch has at least as many rows as features")
    way = "insert" if insert else "delete"
    at = lambda eps: to_exact_ball(als_exact_hockey_stick(p, q, int(d), int(r), eps, way, digits))  # noqa: E731
    return monotone(at, (epsilon, -1))


QUANTITIES: Mapping[str, Callable[..., Number]] = {
    "sketch": _sketch,
    "sketch_insert": lambda p, q, d, r, eps, digits: _sketch(p, q, d, r, eps, digits, True),
}
