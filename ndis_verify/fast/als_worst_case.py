"""The worst record of private least squares below a cap on q, and the largest cap that meets a target, in float64.

Beside a ridge the records have 0 <= p <= q <= cap = l^2/(ridge + l^2). Both laws, in both directions and at every epsilon, are
worst on q = cap: with x = p/(1-p), y = (q-p)/(1-q) the asymptotic divergence grows along 1/y - 1/x = const, the finite-r one with q
at a fixed p/q. So the search is over p in [0, cap]: a grid, then ever finer ones around its best point in each direction.
The cap is found from above: the worst record at a cap is taken down its own curve to where it meets the target, that cap has
its own worst record, and so on.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy.special import expit, logit

from ndis_verify.exact_number import InputError
from ndis_verify.fast.als_exact import log_als_exact_hockey_stick
from ndis_verify.fast.calibration import SAFETY, probabilities
from ndis_verify.fast.hockey_stick import checked_epsilons
from ndis_verify.fast.least_squares import checked_records, log_als_hockey_stick, require_enough_rows
from ndis_verify.fast.safe_root import safe_root

DIRECTIONS = ("delete", "insert")
_ENDS = -15.0, 15.0
_GRID = np.linspace(*_ENDS, 41)
_ZOOM = np.linspace(-1.0, 1.0, 9)
_REACHES = (0.75, 0.2, 0.05)
_STEPS = (0.02, 0.003, 3e-4, 5e-5)
_MOVES = 40
_MARGIN = 1e-10  # how far below the target a record is taken, so that the next worst record is not above it
Curve = Callable[..., np.ndarray]


class WorstRecord(NamedTuple):
    """The largest delta and its logarithm, and where it is: the leverage p at q = cap and the direction, as arrays."""

    delta: np.ndarray
    log_delta: np.ndarray
    leverage: np.ndarray
    direction: np.ndarray


def als_worst_case(cap: Any, d: Any, r: Any, epsilon: Any, direction: str = "both") -> WorstRecord:
    """max of `als_hockey_stick(p, q, d, r, epsilon)` over 0 <= p <= q <= cap, the asymptotic law (corrected N24-T5).

    cap in [0, 1), epsilon >= 0 and whole r >= 1 broadcast; one whole d >= 1; direction "both": the larger of the two. A search, not
    a proof: within 1e-6 relative of the certified suprema where compared, and no point of a dense grid was 1e-10 above it. Raises `InputError`.
    """
    return _worst(log_als_hockey_stick, cap, d, r, epsilon, direction)


def als_exact_worst_case(cap: Any, d: Any, r: Any, epsilon: Any, direction: str = "both") -> WorstRecord:
    """max of `als_exact_hockey_stick` over 0 <= p <= q <= cap, the finite-r law; as `als_worst_case`, with r >= d."""
    require_enough_rows(*checked_records(0.0, 0.0, d, r, "delete")[2:])
    return _worst(log_als_exact_hockey_stick, cap, d, r, epsilon, direction)


def als_cap(d: Any, r: Any, epsilon: Any, delta: Any) -> float:
    """The largest cap with `als_hockey_stick <= delta` in both directions for all 0 <= p <= q <= cap (corrected N24-T5).

    Records of norm l are asymptotically (epsilon, delta)-private beside a ridge of l^2 (1/cap - 1). One target: epsilon >= 0,
    0 < delta < 1. Within about 1e-9 relative, on the safe side of what `als_worst_case` finds. Raises `InputError`.
    """
    return _cap(log_als_hockey_stick, _along_constant_difference, *_checked_target(d, r, epsilon, delta))


def als_exact_cap(d: Any, r: Any, epsilon: Any, delta: Any) -> float:
    """As `als_cap` for the finite-r law, r >= d; delta = 0 is allowed and gives 1 - exp(-2 epsilon/r)."""
    d, r, epsilon, delta = _checked_target(d, r, epsilon, delta, zero=True)
    require_enough_rows(d, np.asarray(r))
    if delta == 0:
        return float(-np.expm1(-2 * epsilon / r))
    return _cap(log_als_exact_hockey_stick, _at_constant_ratio, d, r, epsilon, delta)


def _worst(curve: Curve, cap: Any, d: Any, r: Any, epsilon: Any, direction: str, fine: bool = True) -> WorstRecord:
    if direction != "both" and direction not in DIRECTIONS:
        raise InputError("direction", direction, "must be 'delete', 'insert' or 'both'")
    cap = probabilities(cap, "cap")
    if (cap == 1).any():
        raise InputError("cap", 1.0, "must be less than 1")
    try:
        cap, r, epsilon = np.broadcast_arrays(cap, np.asarray(r, dtype=np.float64), checked_epsilons(epsilon))
    except ValueError:
        raise InputError("epsilon", np.shape(epsilon), "must broadcast with cap and r") from None
    names = DIRECTIONS if direction == "both" else (direction,)
    found = [_highest(curve, cap.ravel(), d, r.ravel(), epsilon.ravel(), name, fine) for name in names]
    values = np.stack([value for value, _ in found])
    best = values.argmax(axis=0)
    rows = np.arange(cap.size)
    log_delta = values[best, rows].reshape(cap.shape)
    share = np.stack([share for _, share in found])[best, rows].reshape(cap.shape)
    with np.errstate(under="ignore"):
        delta = np.minimum(np.exp(log_delta), 1.0)
    return WorstRecord(delta[()], log_delta[()], (share * cap)[()], np.array(names)[best].reshape(cap.shape)[()])


def _highest(curve: Curve, cap: np.ndarray, d: Any, r: np.ndarray, epsilon: np.ndarray, direction: str, fine: bool) -> tuple[np.ndarray, np.ndarray]:
    """(log delta, p/cap) of the highest point found on q = cap, row by row; in the log odds of p/cap, as maxima crowd at both ends."""
    best, share = np.full(cap.size, -np.inf), np.zeros(cap.size)

    def keep(shares: np.ndarray) -> np.ndarray:
        nonlocal best, share
        q = np.broadcast_to(cap[:, None], shares.shape)
        p, repeats = np.minimum(shares * q, q), shares.shape[1]
        logs = curve(p.ravel(), q.ravel(), d, np.repeat(r, repeats), np.repeat(epsilon, repeats), direction)
        values = np.asarray(logs).reshape(shares.shape)
        place = values.argmax(axis=1)[:, None]
        top = np.take_along_axis(values, place, axis=1)[:, 0]
        share = np.where(top > best, np.take_along_axis(shares, place, axis=1)[:, 0], share)
        best = np.maximum(best, top)
        return values

    keep(np.broadcast_to(np.concatenate([[0.0], expit(_GRID), [1.0]]), (cap.size, _GRID.size + 2)))
    for reach in _REACHES if fine else ():
        keep(expit(np.clip(logit(share), *_ENDS)[:, None] + reach * _ZOOM))
    middle = np.clip(logit(share), *_ENDS)
    for reach in _STEPS if fine else ():
        left, centre, right = keep(expit(middle[:, None] + reach * np.array([-1.0, 0.0, 1.0]))).T
        with np.errstate(all="ignore"):
            step = 0.5 * (left - right) / (left - 2 * centre + right)  # the vertex of a parabola
        middle = middle + reach * np.where(np.abs(step) <= 1, step, 0.0)
    return best, share


def _cap(curve: Curve, descend: Callable[..., tuple], d: int, r: float, epsilon: float, delta: float) -> float:
    goal = np.log(delta) - SAFETY
    log_room = np.log(0.05)  # log of log(1/(1-cap))
    while (worst := _worst(curve, _cap_of(log_room), d, r, epsilon, "both", fine=False)).log_delta <= goal:
        log_room += 1.0
        if _cap_of(log_room) >= 1:
            raise InputError("delta", delta, "is met at every cap below 1 - 1e-16: there is no largest one")
    cap, fine = float(_cap_of(log_room)), False
    for _ in range(_MOVES):
        at = descend(float(worst.leverage), cap)

        def excess(u: np.ndarray, _: np.ndarray) -> np.ndarray:
            p, q = at(u)
            return np.maximum(curve(p, q, d, r, epsilon, str(worst.direction)), -1e300) - goal + _MARGIN

        high = np.array([1.0])
        while excess(high, high)[0] > 0:
            high *= 2
        cap = min(cap, float(at(safe_root(excess, high, np.array([0.0])))[1][0]))
        worst = _worst(curve, cap, d, r, epsilon, "both", fine)
        if worst.log_delta <= goal and not fine:  # any record bounds the cap; the finest search is for the last ones
            fine, worst = True, _worst(curve, cap, d, r, epsilon, "both")
        if worst.log_delta <= goal:
            return cap
    raise ArithmeticError(f"als_cap: the worst records of {_MOVES} caps did not settle")


def _cap_of(log_room: float) -> float:
    return -np.expm1(-np.exp(log_room))


def _along_constant_difference(p: float, q: float) -> Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]:
    """u -> (p, q) with x = x0/(1 + tau x0), y = y0/(1 + tau y0), u = tau max(x0, y0)."""
    x0, y0 = p / (1 - p), (q - p) / (1 - q)

    def at(u: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        tau = u / max(x0, y0)
        x, y = x0 / (1 + tau * x0), y0 / (1 + tau * y0)
        smaller = x / (1 + x)
        return smaller, np.maximum((x + y + x * y) / ((1 + x) * (1 + y)), smaller)

    return at


def _at_constant_ratio(p: float, q: float) -> Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]:
    """u -> (p, q)/(1 + u)."""
    return lambda u: (np.minimum(p / (1 + u), q / (1 + u)), q / (1 + u))


def _checked_target(d: Any, r: Any, epsilon: Any, delta: Any, zero: bool = False) -> tuple[int, float, float, float]:
    _, _, d, r = checked_records(0.0, 0.0, d, r, "delete")
    epsilon, delta = checked_epsilons(epsilon), probabilities(delta, "delta")
    for name, value in (("r", r), ("epsilon", epsilon), ("delta", delta)):
        if value.ndim:
            raise InputError(name, f"an array of shape {value.shape}", "must be one number")
    if delta == 1 or (delta == 0 and not zero):
        raise InputError("delta", float(delta), "must be less than 1" if delta else "must be positive")
    return d, float(r), float(epsilon), float(delta)
