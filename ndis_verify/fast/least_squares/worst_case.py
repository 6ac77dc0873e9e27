"""The worst record of private least squares below a cap on q, and the largest cap that meets a target, in float64: the
normal law.

Beside a ridge the records have 0 <= p <= q <= cap = l^2/(ridge + l^2). Both directions are worst on q = cap at every
epsilon: with x = p/(1-p), y = (q-p)/(1-q) the divergence grows along 1/y - 1/x = const. (The finite-r law:
`worst_record`.) So the search is over p in [0, cap] in both directions: a grid in the log odds of x/x(cap), which
resolves 1 - p next to a cap close to 1 as it does p next to 0, and parabolas ever smaller around its highest points.
The cap is found along the curve of the worst record: where that meets the target there is another worst record, and so
on; what is returned was searched, with nothing above the target. All targets of an array are searched at once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy.special import expit

from ndis_verify.calibrator import keyword_only, say_where_needless
from ndis_verify.exact_number import InputError, broadcast
from ndis_verify.fast.accuracy import margin
from ndis_verify.fast.engine.curve import checked_epsilons, log_entries, to_log_delta
from ndis_verify.fast.engine.least_epsilon import probabilities
from ndis_verify.fast.engine.spectrum import Spectrum
from ndis_verify.fast.least_squares.asymptotic_law import checked_records, spectrum_of_records

DIRECTIONS = ("delete", "insert")
ANY_CAP = "every cap up to 1 - 2^-30 meets the target"
CEILING = 1 - 2.0**-30  # the largest cap that is looked at: floats p next to it still are 2^-23 of 1 - cap apart
_STEP = 0.75
_GRID = np.arange(-36.0, 15.0 + _STEP / 2, _STEP)
_ODDS = np.concatenate([[-36.75], _GRID, [15.75]])  # those at the ends stand for p = 0 and p = q
_SHARES = np.concatenate([[0.0], expit(_GRID), [1.0]])
_LOW_ODDS = 15.0  # p beyond, as a share of a cap far from 1, is not to be told from 0
_FEW = np.array([-36.75, -26.0, -18.0, -10.0, -6.0, -4.0, -3.0, -2.0, -1.0, -0.4, 0.0, 0.4, 1.0, 2.0, 3.0, 5.0, 15.75])
_PEAKS = 4  # highest points of a grid that are looked into
_APART = 0.05  # how far below the true maximum, relative to log delta, a parabola through a grid may lie
_STEPS = (0.15, 0.03)
_APPROACH = ((0.5, 0.1), (0.03,), (6e-3,))
_LAST_STEPS = (6e-3, 1e-3)
_TRIES = 8
_MOVES, _DOWNWARD = 30, 60
MARGIN = 1e-10  # how far below the target a record is taken, so that the next worst record is not above it
_SMALLEST_NORMAL = 2.0**-1022
_LOWEST = -740.0  # log of the smallest log(1/(1 - cap))
_NEVER = -1e300


class WorstRecord(NamedTuple):
    """The largest delta and its logarithm, and where it is: the leverage p at q = cap and the direction, as arrays."""

    delta: np.ndarray
    log_delta: np.ndarray
    leverage: np.ndarray
    direction: np.ndarray


def als_worst_case(cap: Any, d: Any, r: Any, epsilon: Any, direction: str = "both") -> WorstRecord:
    """max of `als_hockey_stick(p, q, d, r, epsilon)` over 0 <= p <= q <= cap, the asymptotic law (corrected N24-T5).

    cap in [0, 1), epsilon >= 0 and whole r >= 1 broadcast; one whole d >= 1; direction "both": the larger of the two. A
    search, not a proof: within 1e-6 relative of the certified suprema where compared, and no point of a dense grid was
    1e-10 above it. Raises `InputError`.

    Examples
    --------
    >>> from ndis_verify.fast import als_worst_case
    >>> print(f"{float(als_worst_case(0.1, 3, 50, 1.0).delta):.7f}")
    0.0013854
    """
    cap, d, r, epsilon, directions = checked_edge(cap, d, r, epsilon, direction)
    if not cap.size:
        return worst_of(np.zeros(cap.shape), np.zeros(cap.shape), np.zeros(cap.shape, bool))
    sides = np.array([name == "insert" for name in directions])
    found = _highest(_Setting(d, *(x.ravel() for x in (cap, r, epsilon))), sides)
    log_delta, share, insert = (part.reshape(cap.shape) for part in (found.value, found.share, found.insert))
    return worst_of(log_delta, _leverage(share, cap), insert)


@keyword_only
def als_cap(d: Any, r: Any, *, epsilon: Any, delta: Any) -> np.ndarray:
    """The largest cap with `als_hockey_stick <= delta` in both directions for all 0 <= p <= q <= cap (corrected
    N24-T5).

    Records of norm l are asymptotically (epsilon, delta)-private beside a ridge of l^2 (1/cap - 1). epsilon >= 0, 0 <
    delta < 1 and whole r >= 1 broadcast; one whole d >= 1. Within about 1e-9 relative, on the safe side of what
    `als_worst_case` finds; 1 - 2^-30, with a `NoNoiseNeeded` warning, where any cap will do; caps below 1e-300 are
    rounded down, the more the fewer digits they have. Raises `InputError`.

    Examples
    --------
    >>> from ndis_verify.fast import als_cap
    >>> print(f"{als_cap(3, 50, epsilon=1.0, delta=1e-3):.8f}")
    0.09615764
    """
    d, r, epsilon, delta = checked_targets(d, r, epsilon, delta)
    flat = _caps(d, *(x.ravel() for x in (r, epsilon, delta))) if delta.size else np.empty(0)
    cap = flat.reshape(delta.shape)
    say_where_needless("als_cap", cap == CEILING, ANY_CAP)
    return cap[()]


def _curve(
    p: np.ndarray, q: np.ndarray, d: np.ndarray | int, r: np.ndarray, epsilon: np.ndarray, insert: np.ndarray
) -> np.ndarray:
    """`log_als_hockey_stick` with a direction for each entry: one integral for all of them."""
    order = np.argsort(insert, kind="stable")
    parts = np.split(order, [np.count_nonzero(~insert)])
    laws = [
        spectrum_of_records(p[part], q[part], d, r[part], name) for part, name in zip(parts, DIRECTIONS) if part.size
    ]
    joined = [
        np.concatenate([getattr(law, name) for law in laws]) for name in ("alpha", "multiplicity", "log_ratio", "shift")
    ]
    result = np.empty(p.shape)
    result[order] = to_log_delta(
        log_entries(Spectrum(joined[0], None, *joined[1:3], shift=joined[3]), np.arange(p.size), epsilon[order])
    )
    return result


class _Setting(NamedTuple):
    """What is searched: for each target a cap, r and epsilon."""

    d: int
    cap: np.ndarray
    r: np.ndarray
    epsilon: np.ndarray

    def at(self, row: np.ndarray, share: np.ndarray, insert: np.ndarray) -> np.ndarray:
        """log delta of the records p = share * cap of the targets `row`; row and insert broadcast to share (..)."""
        row, insert = np.broadcast_to(row, share.shape).ravel(), np.broadcast_to(insert, share.shape).ravel()
        q = self.cap[row]
        p = _leverage(share.ravel(), q)
        return _curve(p, q, self.d, self.r[row], self.epsilon[row], insert).reshape(share.shape)

    def take(self, rows: np.ndarray) -> _Setting:
        return self._replace(cap=self.cap[rows], r=self.r[rows], epsilon=self.epsilon[rows])


def _leverage(share: np.ndarray, cap: np.ndarray) -> np.ndarray:
    """p at a share of the odds x(cap) = cap/(1 - cap)."""
    return np.minimum(cap * share / ((1 - cap) + cap * share), cap)


class _Peaks(NamedTuple):
    """Records that may be the worst: of which target, in which direction; where, and the log odds of that or next to
    it.
    """

    row: np.ndarray
    insert: np.ndarray
    share: np.ndarray
    odds: np.ndarray
    value: np.ndarray


def _scouted(setting: _Setting, sides: np.ndarray) -> _Peaks:
    """The highest points of a grid by the parabolas through them, those of a target that can compete."""
    with np.errstate(divide="ignore"):  # a cap of 0 is one
        least = -_LOW_ODDS - max(0.0, float(np.log(setting.cap / (1 - setting.cap)).max()))
    used = (least <= _ODDS) | (_ODDS[0] == _ODDS)
    all_odds, shares = _ODDS[used], _SHARES[used]
    count, cells = setting.cap.size, sides.size * shares.size
    rows = np.arange(count)[:, None, None]
    values = setting.at(rows, np.broadcast_to(shares, (count, sides.size, shares.size)), sides[:, None])
    padded = np.pad(values, ((0, 0), (0, 0), (1, 1)), constant_values=-np.inf)
    left, right = padded[..., :-2], padded[..., 2:]
    with np.errstate(all="ignore"):
        bend = left - 2 * values + right
        step, gain = 0.5 * (left - right) / bend, -((left - right) ** 2) / (8 * bend)
    smooth = np.isfinite(bend) & (bend < 0)
    score = np.where((values >= left) & (values >= right), values + np.where(smooth, gain, 0.0), -np.inf).reshape(
        count, cells
    )
    odds = (all_odds + np.where(smooth, np.clip(step, -1, 1), 0.0) * _STEP).reshape(count, cells)
    best = np.argsort(-score, axis=1, kind="stable")[:, :_PEAKS]
    near = np.take_along_axis(score, best, axis=1)
    with np.errstate(invalid="ignore", over="ignore"):
        kept = (near > near[:, :1] - _APART * np.maximum(-near[:, :1], 40.0)) & (near > -np.inf)
    kept[:, 0] = True
    row, place = np.nonzero(kept)
    cell = best[row, place]
    return _Peaks(
        row,
        sides[cell // shares.size],
        shares[cell % shares.size],
        odds[row, cell],
        values.reshape(count, cells)[row, cell],
    )


def _climbed(setting: _Setting, peaks: _Peaks, steps: tuple[float, ...]) -> _Peaks:
    """The vertices of parabolas through three records each, ever closer together; the highest record seen.

    Where a vertex lies outside, the next three are around it, as far apart as before.
    """
    _, _, share, odds, value = peaks = _Peaks(*(part.copy() for part in peaks))
    for reach in steps:
        todo = np.arange(odds.size)
        for _ in range(_TRIES):
            around = expit(odds[todo, None] + reach * np.array([-1.0, 0.0, 1.0]))
            values = setting.at(peaks.row[todo, None], around, peaks.insert[todo, None])
            best = values.argmax(axis=1)[:, None]
            top, where = np.take_along_axis(values, best, axis=1)[:, 0], np.take_along_axis(around, best, axis=1)[:, 0]
            share[todo], value[todo] = np.where(top > value[todo], where, share[todo]), np.maximum(top, value[todo])
            left, centre, right = values.T
            with np.errstate(all="ignore"):
                bend = left - 2 * centre + right
                step = np.where(bend < 0, 0.5 * (left - right) / bend, 2.0 * best[:, 0] - 2.0)
            moved = np.clip(odds[todo] + reach * np.clip(np.nan_to_num(step), -2, 2), _ODDS[0], _ODDS[-1])
            outside = (np.abs(step) > 1) & (moved != odds[todo])
            odds[todo], todo = moved, todo[outside]
            if not todo.size:
                break
    return peaks


def _highest(setting: _Setting, sides: np.ndarray) -> _Peaks:
    """One record for each target: the highest that was found."""
    peaks = _climbed(setting, _scouted(setting, sides), _STEPS)
    best = np.full(setting.cap.size, -np.inf)
    np.maximum.at(best, peaks.row, peaks.value)
    with np.errstate(invalid="ignore"):
        near = ~(peaks.value < best[peaks.row] - 1e-3)
    peaks = _Peaks(*(part[near] for part in peaks))
    peaks = _climbed(setting, peaks, _LAST_STEPS)
    order = np.lexsort((peaks.value, peaks.row))
    ends = np.flatnonzero(np.append(np.diff(peaks.row[order]), 1))
    return _Peaks(*(part[order[ends]] for part in peaks))


def checked_edge(
    cap: Any, d: Any, r: Any, epsilon: Any, direction: str
) -> tuple[np.ndarray, int, np.ndarray, np.ndarray, tuple[str, ...]]:
    """cap in [0, 1), d, r, epsilon >= 0 as arrays of one shape (d an int), and the directions meant. Raises
    `InputError`.
    """
    if not isinstance(direction, str) or direction not in (*DIRECTIONS, "both"):
        raise InputError("direction", direction, "must be 'delete', 'insert' or 'both'")
    cap = probabilities(cap, "cap")
    if (cap == 1).any():
        raise InputError("cap", 1.0, "must be less than 1")
    _, _, d, r = checked_records(0.0, 0.0, d, r, "delete")
    cap, r, epsilon = broadcast(cap=cap, r=r, epsilon=checked_epsilons(epsilon))
    return cap, d, r, epsilon, DIRECTIONS if direction == "both" else (direction,)


def worst_of(log_delta: np.ndarray, leverage: np.ndarray, insert: np.ndarray) -> WorstRecord:
    with np.errstate(under="ignore"):
        delta = np.minimum(np.exp(log_delta), 1.0)
    return WorstRecord(delta[()], log_delta[()], leverage[()], np.where(insert, "insert", "delete")[()])


def _caps(d: int, r: np.ndarray, epsilon: np.ndarray, delta: np.ndarray) -> np.ndarray:
    goal, sides = np.log(delta) - margin("als_cap"), np.array([False, True])
    room, record = _roughly(d, r, epsilon, goal)
    setting = _Setting(d, cap_of(room), r, epsilon)
    for reach in _APPROACH:
        record = _climbed(setting, record, reach)
        record = record._replace(share=_share(record.odds), value=np.full(room.shape, -np.inf))
        room = _met(setting, record, goal, room)
        setting = setting._replace(cap=cap_of(room))
    cap, todo = np.full(room.shape, CEILING), np.arange(room.size)
    for _ in range(_MOVES):
        part = setting.take(todo)._replace(cap=cap_of(room[todo]))
        record = _highest(part, sides)
        over = record.value > goal[todo]
        cap[todo[~over]] = part.cap[~over]
        todo, record = todo[over], _Peaks(*(x[over] for x in record))
        if not todo.size:
            return cap
        record = record._replace(row=np.arange(todo.size))
        room[todo] = _met(setting.take(todo), record, goal[todo], room[todo])
    # Next to the least floats the curves have steps: down by ever larger steps.
    for k in range(_DOWNWARD):
        room[todo] -= 1e-9 * 2**k
        part = setting.take(todo)._replace(cap=cap_of(room[todo]))
        good = ~(_highest(part, sides).value > goal[todo])
        cap[todo[good]] = part.cap[good]
        todo = todo[~good]
        if not todo.size:
            return cap
    raise InputError("delta", float(delta[todo[0]]), "is met by no cap that float64 tells from 0")


def cap_of(room: np.ndarray) -> np.ndarray:
    """The cap of room = log log(1/(1 - cap)); one of few digits is rounded down."""
    cap = -np.expm1(-np.exp(room))
    return np.minimum(np.where(cap < _SMALLEST_NORMAL, np.nextafter(cap, 0.0), cap), CEILING)


def start_of(r: np.ndarray, epsilon: np.ndarray, goal: np.ndarray) -> np.ndarray:
    """A room to start from: where the mean shift sqrt(r) q/2 is that of a Gaussian mechanism."""
    level, epsilon = np.sqrt(-2 * goal), np.minimum(epsilon, 1e300)  # beyond, 2 epsilon may be no float
    shift = np.maximum(2 * epsilon / (np.sqrt(2 * epsilon + level**2) + level), 2.5 * np.exp(goal))
    return np.log(2 * shift) - 0.5 * np.log(r)


def _roughly(d: int, r: np.ndarray, epsilon: np.ndarray, goal: np.ndarray) -> tuple[np.ndarray, _Peaks]:
    """Where the largest of a few records is about delta, and that record of each target."""
    best = np.zeros(goal.shape, dtype=int)

    def largest(room: np.ndarray, rows: np.ndarray) -> np.ndarray:
        setting = _Setting(d, cap_of(room), r[rows], epsilon[rows])
        few = np.broadcast_to(expit(_FEW), (room.size, 2, _FEW.size))
        values = setting.at(np.arange(room.size)[:, None, None], few, np.array([[False], [True]])).reshape(
            room.size, -1
        )
        best[rows] = values.argmax(axis=1)
        return values.max(axis=1)

    room = crossing(largest, start_of(r, epsilon, goal), goal, 0.05 * -goal)
    odds = _FEW[best % _FEW.size]
    return room, _Peaks(np.arange(goal.size), best >= _FEW.size, _share(odds), odds, np.full(goal.shape, -np.inf))


def _share(odds: np.ndarray) -> np.ndarray:
    """x/x(cap), 0 and 1 at the ends of the grid."""
    return np.where(odds <= _ODDS[0], 0.0, np.where(odds >= _ODDS[-1], 1.0, expit(odds)))


def _met(setting: _Setting, record: _Peaks, goal: np.ndarray, room: np.ndarray) -> np.ndarray:
    """Where the records at their share of the odds are just below the goal."""

    def value(room: np.ndarray, rows: np.ndarray) -> np.ndarray:
        part = setting.take(rows)._replace(cap=cap_of(room))
        return part.at(np.arange(rows.size), record.share[rows], record.insert[rows])

    return crossing(value, room, goal - MARGIN, np.full(goal.shape, MARGIN / 2))


def crossing(
    value: Callable[[np.ndarray, np.ndarray], np.ndarray], start: np.ndarray, goal: np.ndarray, tolerance: np.ndarray
) -> np.ndarray:
    """Where value(room, rows), increasing, is within the tolerance of the goal; the end of the range where it is below
    it there.

    log(-log delta) is close to linear in room: secants, halved brackets where they would leave one.
    """
    top = float(np.log(-np.log1p(-CEILING)))
    low, high = np.full(start.shape, _LOWEST), np.full(start.shape, np.inf)  # high: seen above the goal
    x, slope = np.clip(start, _LOWEST, top), np.full(start.shape, -1.5)
    before, last = np.full(start.shape, np.nan), np.full(start.shape, np.nan)
    todo = np.arange(start.size)
    for _ in range(80):
        found = np.maximum(value(x[todo], todo), _NEVER)
        gap = np.log(-np.minimum(found, -1e-300)) - np.log(-goal[todo])
        above = found > goal[todo]
        high[todo] = np.where(above, np.minimum(high[todo], x[todo]), high[todo])
        low[todo] = np.where(above, low[todo], np.maximum(low[todo], x[todo]))
        done = (np.abs(found - goal[todo]) <= tolerance[todo]) | (
            high[todo] - low[todo] <= 4e-16 * np.maximum(1, np.abs(x[todo]))
        )
        done |= ~above & (x[todo] == top)
        with np.errstate(all="ignore"):
            secant = (gap - last[todo]) / (x[todo] - before[todo])
        slope[todo] = np.where((secant < -5e-4) & (secant > -1e4) & (np.abs(gap) < 30), secant, slope[todo])
        before[todo], last[todo] = x[todo], gap
        step = np.minimum(x[todo] - np.clip(gap / slope[todo], -4, 4), top)
        outside = np.isfinite(high[todo]) & ((step <= low[todo]) | (step >= high[todo]))
        middle = 0.5 * (np.maximum(low[todo], x[todo] - 8) + np.minimum(high[todo], x[todo] + 8))
        x[todo] = np.where(done, x[todo], np.where(outside, middle, step))
        todo = todo[~done]
        if not todo.size:
            break
    return x


def checked_targets(
    d: Any, r: Any, epsilon: Any, delta: Any, zero: bool = False
) -> tuple[int, np.ndarray, np.ndarray, np.ndarray]:
    _, _, d, r = checked_records(0.0, 0.0, d, r, "delete")
    epsilon, delta = checked_epsilons(epsilon), probabilities(delta, "delta")
    if (delta == 1).any():
        raise InputError("delta", 1.0, "must be less than 1")
    if not zero and (delta == 0).any():
        raise InputError("delta", 0.0, "must be positive")
    r, epsilon, delta = map(np.array, broadcast(r=r, epsilon=epsilon, delta=delta))
    return d, r, epsilon, delta
