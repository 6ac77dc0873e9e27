"""The worst record of sketched least squares below a cap on q, and the largest cap that meets a target, in float64: the
finite-r law.

At a fixed p/q the divergence grows with q, so the worst record has q = cap; along it there is one summit, in closed
form (N24-6.3-worst-record): `p = 1 - e^{-t}` for "delete", `q - p = (1-q) (e^t - 1)` for "insert", t = 2 (M -
epsilon)/(r + k + 1), k = r - d, with M the largest loss of all these records. So the cap is one root of a curve that
rises with it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ndis_verify.calibrator import keyword_only, say_where_needless
from ndis_verify.exact_number import InputError
from ndis_verify.fast.accuracy import SEARCHED, sketch_error
from ndis_verify.fast.least_squares.asymptotic_law import require_enough_rows
from ndis_verify.fast.least_squares.finite_law import lifted, log_deltas
from ndis_verify.fast.least_squares.worst_case import (
    ANY_CAP,
    CEILING,
    DIRECTIONS,
    MARGIN,
    WorstRecord,
    cap_of,
    checked_edge,
    checked_targets,
    crossing,
    start_of,
    worst_of,
)

_BEYOND = 1 + 1e-5  # how far from pure privacy a cap has to be
_SMALLER = 1e-12  # step in the log of log(1/(1 - cap))
_STEPS = 60


def als_exact_worst_case(cap: Any, d: Any, r: Any, epsilon: Any, direction: str = "both") -> WorstRecord:
    """max of `als_exact_hockey_stick(p, q, d, r, epsilon)` over 0 <= p <= q <= cap, the finite-r law
    (N24-6.3-worst-record).

    cap in [0, 1), epsilon >= 0 and whole r >= d broadcast; one whole d >= 1; direction "both": the larger of the two.
    Accurate as `als_exact_hockey_stick` is; delta 0 where no record costs anything. Raises `InputError`.

    Examples
    --------
    >>> from ndis_verify.fast import als_exact_worst_case
    >>> print(f"{float(als_exact_worst_case(0.1, 3, 50, 1.0).delta):.6f}")
    0.000408
    """
    cap, d, r, epsilon, directions = checked_edge(cap, d, r, epsilon, direction)
    require_enough_rows(d, r)
    if not cap.size:
        return worst_of(np.zeros(cap.shape), np.zeros(cap.shape), np.zeros(cap.shape, bool))
    flat = _largest(cap.ravel(), r.ravel(), epsilon.ravel(), d, directions)
    values, records = (part.reshape(-1, *cap.shape) for part in flat)
    best = np.argmax(values, axis=0)
    value, leverage = (np.choose(best, found) for found in (values, records))
    return worst_of(value, leverage, np.array([name == "insert" for name in directions])[best])


@keyword_only
def als_exact_cap(d: Any, r: Any, *, epsilon: Any, delta: Any) -> np.ndarray:
    """As `als_cap` for the finite-r law, r >= d; delta = 0 is allowed and gives 1 - exp(-2 epsilon/r) rounded down,
    below which no other target is.

    A cap whose log(1/(1 - cap)) would be above that of delta = 0 by a relative 1e-5 or less is that of delta = 0: just
    beyond pure privacy the records that cost anything are too close together for float64. Raises `InputError`.

    Examples
    --------
    >>> from ndis_verify.fast import als_exact_cap
    >>> print(f"{als_exact_cap(3, 50, epsilon=1.0, delta=1e-3):.8f}")
    0.10842955
    """
    d, r, epsilon, delta = checked_targets(d, r, epsilon, delta, zero=True)
    require_enough_rows(d, r)
    # Rounded down: three roundings are below 2^-51, and the loss of a cap above by one of them is above epsilon.
    with np.errstate(over="ignore"):
        result = np.nextafter(-np.expm1(-2 * epsilon / r) * (1 - 2.0**-50), 0).ravel()
    pure, positive = np.minimum(result, CEILING), delta.ravel() > 0
    result[positive] = pure[positive]
    live = np.flatnonzero(positive & (pure < CEILING))
    if live.size:
        found = _caps(d, *(x.ravel()[live] for x in (r, epsilon, delta)))
        result[live] = np.where(np.log1p(-found) < _BEYOND * np.log1p(-pure[live]), found, pure[live])
    result = result.reshape(delta.shape)
    say_where_needless("als_exact_cap", result >= CEILING, ANY_CAP)
    return result[()]


def _largest(
    cap: np.ndarray, r: np.ndarray, epsilon: np.ndarray, d: int, directions: tuple[str, ...]
) -> tuple[np.ndarray, np.ndarray]:
    """log delta of the worst record of each direction, and its p, a row a direction."""
    records, extra = {}, r - d
    scale, epsilon = lifted(cap, epsilon)
    cap = cap * scale
    for direction in directions:
        deleted = direction == "delete"
        most = -np.log1p(-cap) * (extra + 1 if deleted else r) / 2
        t = np.maximum((most - epsilon) / (0.5 * (r + extra + 1)), 0.0)
        records[direction] = -np.expm1(-t) if deleted else np.clip(cap - (1 - cap) * np.expm1(t), 0.0, cap)
    return log_deltas(records, cap, d, r, epsilon) - np.log(scale), np.array(list(records.values())) / scale


def _caps(d: int, r: np.ndarray, epsilon: np.ndarray, delta: np.ndarray) -> np.ndarray:
    goal = np.log(delta) - SEARCHED * sketch_error(delta, r)

    def value(room: np.ndarray, rows: np.ndarray) -> np.ndarray:
        return _largest(cap_of(room), r[rows], epsilon[rows], d, DIRECTIONS)[0].max(axis=0)

    room = crossing(value, start_of(r, epsilon, goal), goal - MARGIN, np.full(goal.shape, MARGIN / 2))
    todo = np.arange(room.size)
    for k in range(_STEPS):
        todo = todo[value(room[todo], todo) > goal[todo]]
        if not todo.size:
            return cap_of(room)
        room[todo] -= _SMALLER * 2**k
    raise InputError("delta", float(delta[todo[0]]), "is met by no cap that float64 tells from 0")
