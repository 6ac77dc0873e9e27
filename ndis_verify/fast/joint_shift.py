"""Mean shift and one moved variance together: the exact worst case of a rank-one envelope, and the noise it needs.

The envelope (`RankOne`): P = N(0, v I + y (kept + lost) e e^T), Q = N(u, v I + y kept e e^T) for any unit vector e,
0 <= y <= 1 and |u| <= shift. Its worst pairs have y = 1 and |u| = shift (symbolic.joint_shift); what is left is the
share of |u|^2 along e, in [0, 1].
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ndis_verify.arguments import within
from ndis_verify.calibrator import keyword_only, say_where_needless
from ndis_verify.exact_number import InputError
from ndis_verify.fast.accuracy import margin
from ndis_verify.fast.covariance_shift import Sensitivities, checked_spread
from ndis_verify.fast.engine.cell_search import Largest, largest
from ndis_verify.fast.engine.curve import log_entries, to_log_delta
from ndis_verify.fast.engine.spectrum import Spectrum

TOLERANCE = 1e-5  # of log delta, between the largest value found and its bound
_ROUNDING = 4e-16  # of a difference of two numbers up to 1
_HALVINGS = 55
_COARSE = 1.0 / 16
_TRIES = 20
_WIDEST = 690.0  # of |log v|
_LARGEST = math.exp(_WIDEST)  # a variance or squared shift; beyond, a shift is sure to show
_NEXT_TO_NOTHING = 1e-290  # an added variance, of sensitivities that are declared for positive ones alone
_CELLS, _FEW = 6_000, 400  # at most, near the goal and far from it
_LOOSE = 0.1  # the tolerance of log delta far from the goal
_PARTS = ("alpha", "shift_squared", "multiplicity", "log_ratio")


@dataclass(frozen=True)
class RankOne:
    """Two Gaussians whose covariances differ along one direction e and whose means differ by any u, |u| <= shift.

    Along e the variances are v + y (kept + lost) and v + y kept, 0 <= y <= 1; v in every other direction.
    kept, lost, shift >= 0 and finite. Raises `InputError`.
    """

    kept: float
    lost: float
    shift: float

    def __post_init__(self) -> None:
        for name in ("kept", "lost", "shift"):
            object.__setattr__(self, name, _finite(getattr(self, name), name))

    def largest(self, added: float, epsilon: float, tolerance: float = TOLERANCE) -> Largest:
        """The largest log delta over the envelope, both directions, at added variance v > 0; `point`: the share of
        |u|^2 along e.
        """
        base = self._base(added)
        if self.lost == 0:  # one covariance: the whole shift where there is no other noise
            alone = float(self._log_delta(base, np.zeros(1), np.ones(1), epsilon)[0])
            return Largest(alone, alone, (0.0,))

        def look(points: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
            """Pairs at the points, and pairs above every one of a cell: delta grows in either part of the shift."""
            along, across = np.concatenate([points, high]), np.concatenate([1 - points, 1 - low])
            return self._log_delta(base, along, across, epsilon)

        return largest(look, tolerance, _CELLS if tolerance < _LOOSE else _FEW)

    def coarse(self, added: float, epsilon: float) -> float:
        """The largest log delta over 17 shares of |u|^2 along e: a lower bound of `largest`."""
        share = np.arange(0, 1 + _COARSE / 2, _COARSE)
        return float(self._log_delta(self._base(added), share, 1 - share, epsilon).max())

    def without_noise(self) -> bool:
        """Whether v = 0 can be evaluated: only where nothing moves."""
        return self.shift == 0 and self.lost == 0

    def scale(self) -> float:
        """A variance of the size of what has to be hidden, as far as floats hold its square."""
        return min(max(self.shift * self.shift, self.lost, 1e-290), _LARGEST)

    def _base(self, added: float) -> float:
        base = _finite(added, "added")
        if base == 0 and not self.without_noise():
            raise InputError("added", added, "must be positive: the shift may lie where there is no other noise")
        return base or 1.0

    def _log_delta(self, base: float, along: np.ndarray, across: np.ndarray, epsilon: float) -> np.ndarray:
        small = base + self.kept
        return log_joint_delta(self.lost / small, self._square(small) * along, self._square(base) * across, epsilon)

    def _square(self, variance: float) -> float:
        """shift^2 over a variance; the ratio is taken first: the square of a small or large shift is no float."""
        ratio = self.shift / math.sqrt(variance)
        return min(ratio * ratio, _LARGEST)


@dataclass(frozen=True)
class Prediction:
    """A Gaussian-process prediction at a public point and its neighbours (N26-D8): k(x, x) <= length^2, |y| <= labels,
    noise variance, at most `records` records in the larger database.

    Its pairs, all of them attained: N(0, v + w) and N(sqrt(w X) r, v + w (1 - X)) with w = length^2 (1 - z),
    x = U/noise_variance, X = x/(1 + x), r = labels (1 + sqrt((records - 1) z x))/sqrt(noise_variance (1 + x)), over
    0 <= z <= 1 - a, 0 <= x <= (1 - z) R, R = length^2/noise_variance, a = 1/(1 + (records - 1) R).
    Only t^2 = w X/(v + w (1 - X)) and r matter, and delta grows with both (symbolic.prediction_family). With m =
    records - 1, y = v/(v + length^2) and u = z/(1 - z) the pairs of one t are those of x = xi (1 + y u)/(1 - xi y u), 0
    <= xi <= R, where t^2 = length^2 xi/((1 + xi) v + length^2), r = (labels/s) (sqrt(1 - xi y u) + sqrt(m xi (y u + (1
    - y) u/(1 + u))))/sqrt(1 + xi), 0 <= u <= m R, xi y u^2 + xi (1 + y + R y) u <= R - xi. r is concave in u: one pair
    for each xi, the frontier, is left. length, labels >= 0 (length > 0), noise_variance > 0, whole records >= 1. Raises
    `InputError`.
    """

    length: float
    labels: float
    noise_variance: float
    records: int

    def __post_init__(self) -> None:
        for name in ("length", "labels", "noise_variance"):
            object.__setattr__(self, name, _finite(getattr(self, name), name))
        for name in ("length", "noise_variance"):
            if getattr(self, name) == 0:
                raise InputError(name, 0.0, "must be positive")
        for name in ("length", "labels"):
            if getattr(self, name) and not 1e-150 < getattr(self, name) < 1e150:
                raise InputError(name, getattr(self, name), "must lie between 1e-150 and 1e150: its square is needed")
        if isinstance(self.records, bool) or int(self.records) != self.records or self.records < 1:
            raise InputError("records", self.records, "must be a whole number, at least 1")
        object.__setattr__(self, "records", int(self.records))
        if not 0 < self._ratio < _LARGEST / self.records or not self.labels**2 / self.noise_variance < _LARGEST:
            raise InputError(
                "noise_variance",
                self.noise_variance,
                "must leave length^2 records and labels^2 over it within the range of floats",
            )

    def largest(self, added: float, epsilon: float, tolerance: float = TOLERANCE) -> Largest:
        """The largest log delta over all neighbouring databases, both directions, at added variance v >= 0; `point`:
        (z, x).
        """
        added = _finite(added, "added")

        def look(points: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
            """Pairs of the frontier at the points, and pairs above every one of a cell."""
            last = self._turned(high)
            (xi, pull), (above, _) = self._frontier(added, points), self._pull(added, self._turned(low), last)
            return self._log_delta(added, np.concatenate([xi, last]), np.concatenate([pull, above]), epsilon)

        found = largest(look, tolerance, _CELLS if tolerance < _LOOSE else _FEW)
        xi = self._turned(np.array(found.point))
        u = self._pull(added, xi, xi)[1]
        x = (
            xi
            * (1 + self._own(added)[1] * u)
            / np.maximum(1 - xi * self._own(added)[1] * u, (1 + xi) / (1 + self._ratio))
        )
        return Largest(
            found.upper, found.attained, (float((u / (1 + u))[0]), float(np.minimum(x, self._ratio / (1 + u))[0]))
        )

    def coarse(self, added: float, epsilon: float) -> float:
        """The largest log delta over 65 places of the frontier: a lower bound of `largest`."""
        added = _finite(added, "added")
        return float(self._log_delta(added, *self._frontier(added, np.linspace(0, 1, 65)), epsilon).max())

    def without_noise(self) -> bool:
        """Whether v = 0 can be evaluated: always, as the prediction has a variance of its own."""
        return True

    def scale(self) -> float:
        """A variance of the size of what has to be hidden."""
        return max(self.length**2 * (self.labels**2 / self.noise_variance), self.length**2 * 1e-6, 1e-290)

    @property
    def _ratio(self) -> float:
        return self.length**2 / self.noise_variance

    def _own(self, added: float) -> tuple[float, float]:
        """The shares of length^2 and of v in their sum."""
        whole = self.length**2 + added
        return self.length**2 / whole, added / whole

    def _turned(self, share: np.ndarray) -> np.ndarray:
        """xi at a share of its range, evenly in log(1 + xi)."""
        return np.where(share == 1, self._ratio, np.minimum(np.expm1(share * np.log1p(self._ratio)), self._ratio))

    def _frontier(self, added: float, share: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """xi and the pull of one pair of the frontier."""
        xi = self._turned(share)
        _, u = self._pull(added, xi, xi)
        own, rest = self._own(added)
        pull = np.sqrt(np.maximum(1 - xi * rest * u, 0)) + np.sqrt((self.records - 1) * xi * u * (rest + own / (1 + u)))
        return xi, pull / np.sqrt(1 + xi)

    def _pull(self, added: float, low: np.ndarray, high: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Above every r s/labels at low <= xi <= high, and a u where it is nearly met if low = high.

        The first root falls with xi, the second one grows, the range of u shrinks; their sum is concave in u, so its
        slope is halved in on. The second root over that of 1 + xi is sqrt(m z x/(1 + x)), at most sqrt(m z).
        """
        others, (own, rest) = self.records - 1, self._own(added)
        with np.errstate(all="ignore"):
            room = (self._ratio - low) / low / (1 + rest + self._ratio * rest)
            ends = 2 * room / (1 + np.sqrt(1 + 4 * rest * room / (1 + rest + self._ratio * rest)))
            ends = np.where(low > 0, np.minimum(ends, others * self._ratio), others * self._ratio)
        least, most = np.zeros(ends.shape), ends
        for _ in range(_HALVINGS):
            u = (least + most) / 2
            gain = np.sqrt(others * high * np.maximum(1 - low * rest * u, 0)) * (rest + own / (1 + u) / (1 + u))
            grows = gain >= low * rest * np.sqrt(u * (rest + own / (1 + u)))
            least, most = np.where(grows, u, least), np.where(grows, most, u)
        falling = np.sqrt((np.maximum(1 - low * rest * least, 0) + _ROUNDING) / (1 + low))
        rising = np.sqrt(others * most * np.minimum(high * (rest + own / (1 + most)) / (1 + low), 1 / (1 + most)))
        return falling + rising, least

    def _log_delta(self, added: float, xi: np.ndarray, pull: np.ndarray, epsilon: float) -> np.ndarray:
        with np.errstate(over="ignore"):  # beside noise so large the covariances are equal
            spread = xi / ((1 + xi) * (added / self.length**2) + 1)
        return log_joint_delta(spread, spread * (self.labels**2 / self.noise_variance) * pull**2, 0.0, epsilon)


@dataclass(frozen=True)
class Declared:
    """Sensitivities of scalar or rank-one pairs as a function of v: (Delta, rho, nu, dimension) with nu = rho (N26-D5).

    Delta bounds the mean shift whitened by the smaller covariance, rho the log of the one eigenvalue that differs.
    Exact for that triple: its pairs are those of `RankOne(0, e^rho - 1, Delta)` at added variance 1.
    """

    sensitivities: Sensitivities

    def largest(self, added: float, epsilon: float, tolerance: float = TOLERANCE) -> Largest:
        """`RankOne.largest` of the triple at v."""
        return self._at(added).largest(1.0, epsilon, tolerance)

    def coarse(self, added: float, epsilon: float) -> float:
        """`RankOne.coarse` of the triple at v."""
        return self._at(added).coarse(1.0, epsilon)

    def without_noise(self) -> bool:
        """Sensitivities are declared for v > 0."""
        return False

    def scale(self) -> float:
        """A variance to start from."""
        return 1.0

    def _at(self, added: float) -> RankOne:
        shift, rho, nu, dimension = self.sensitivities(_finite(added, "added"))
        rho, nu = checked_spread(rho, nu, dimension)
        if dimension > 1 and nu > rho * (1 + 1e-12):
            raise InputError(
                "nu", nu, f"must equal rho = {rho:g}: the joint worst case is known for one moved eigenvalue"
            )
        return RankOne(0.0, math.expm1(rho), shift)


Envelope = RankOne | Prediction | Declared


def log_joint_delta(growth: Any, along: Any, across: Any, epsilon: float) -> np.ndarray:
    """log delta of N(0, diag(1 + growth, 1)) and N((m1, m2), I), the greater of the two directions.

    along = m1^2, across = m2^2, growth >= 0; they broadcast to one axis. -inf where the two laws are equal.
    """
    growth, along, across = np.broadcast_arrays(np.atleast_1d(growth), along, across)
    with np.errstate(all="ignore"):
        alpha = np.stack([growth, np.zeros(growth.shape)], axis=-1)
        one_way = Spectrum(alpha, np.stack([along, across], axis=-1), 1, np.log1p(alpha))
        both = (one_way, one_way.swapped())
        parts = (np.concatenate([getattr(laws, name) for laws in both]) for name in _PARTS)
        logs = to_log_delta(
            log_entries(Spectrum(*parts), np.arange(2 * growth.size), np.full(2 * growth.size, float(epsilon)))
        )
    same = (growth == 0) & (along == 0) & (across == 0)
    return np.where(same, -np.inf, np.maximum(logs[: growth.size], logs[growth.size :]))


@keyword_only
def added_variance(envelope: Envelope, *, epsilon: float, delta: float) -> tuple[float, Largest]:
    """The least added variance v at which the worst pair of the envelope meets (epsilon, delta), on the safe side.

    (v, the largest log delta at v): its `upper`, which bounds every pair of the envelope, is at most log delta less
    twice the engine's error. v = 0 where no noise is needed; 1e-290, with a `NoNoiseNeeded` warning, where it is not by
    sensitivities that are declared for v > 0. v is above the least by 1.2e-4 relative at most for 200 random
    predictions, by the certified oracle; for a shift in two directions by 3e-4, 1e-5 where a corner is worst by far.
    epsilon >= 0, 0 < delta < 1. Raises `InputError`.
    """
    epsilon = _finite(epsilon, "epsilon")
    within(delta, "delta", "(0, 1)")
    goal = math.log(delta) - 2 * margin("worst pair of an envelope")
    for v in (0.0,) if envelope.without_noise() else (_NEXT_TO_NOTHING,) if isinstance(envelope, Declared) else ():
        if envelope.coarse(v, epsilon) > goal:  # so is the largest
            continue
        found = envelope.largest(v, epsilon)
        if found.upper <= goal:
            say_where_needless("added_variance", v > 0, f"the declared sensitivities meet the target at v = {v:g}")
            return v, found
    return _settled(envelope, epsilon, goal)


def _settled(envelope: Envelope, epsilon: float, goal: float) -> tuple[float, Largest]:
    """From the root of the coarse maximum to a v whose proved maximum lies just below the goal."""
    log_v, rate = _root(envelope, epsilon, goal)
    low, safe, best, last, fine = -math.inf, math.inf, None, None, False
    for step in range(_TRIES):
        found = envelope.largest(math.exp(log_v), epsilon, *(() if fine else (_LOOSE,)))
        gap, spare = found.upper - goal, found.upper - found.attained
        if fine and gap > 0:
            low = max(low, log_v)
        elif fine and log_v < safe:
            safe, best = log_v, (math.exp(log_v), found)
        if fine and -max(2 * spare, TOLERANCE) <= gap <= 0:
            break
        if last is not None and log_v != last[0]:
            slope = (last[1] - found.attained) / (log_v - last[0])
            rate = slope if 0.25 * rate < slope < 4 * rate else rate
        last = log_v, found.attained
        aim = spare if fine else min(spare, TOLERANCE)
        log_v += (found.attained + 1.2 * max(aim, TOLERANCE / 4) - goal) / rate
        fine = fine or step > 2 or abs(found.attained - goal) < _LOOSE / 2
        if not low < log_v < safe and math.isfinite(low + safe):
            log_v = (low + safe) / 2
        log_v = min(max(log_v, -_WIDEST), _WIDEST)
    if best is None:
        raise InputError("delta", math.exp(goal), f"is not met with certainty at added variance {math.exp(log_v):g}")
    return best


def _root(envelope: Envelope, epsilon: float, goal: float) -> tuple[float, float]:
    """log v where the coarse maximum is about the goal, and how fast it falls there."""

    def excess(log_v: float) -> float:
        return max(envelope.coarse(math.exp(log_v), epsilon), -1e300) - goal

    (x, y), (safe_x, safe_y) = _bracket(excess, math.log(envelope.scale()), goal)
    for step in range(60):
        rate = (y - safe_y) / (safe_x - x)
        if safe_x - x < 1e-3 or min(y, -safe_y) < 1e-4:
            break
        # log(-log delta) is closer to linear
        share = _crossed(y + goal, safe_y + goal, goal) if step % 3 < 2 else 0.5
        middle = x + share * (safe_x - x)
        value = excess(middle)
        (x, y), (safe_x, safe_y) = ((middle, value), (safe_x, safe_y)) if value > 0 else ((x, y), (middle, value))
    rate = min(max(rate, 1e-9), 1e9)
    return (x if y < -safe_y else safe_x), rate


def _crossed(above: float, below: float, goal: float) -> float:
    """The share of the way at which the goal is met if log(-log delta) is linear, kept off the ends."""
    first, middle, last = (math.log(-min(value, -1e-300)) for value in (above, goal, below))
    return min(max((middle - first) / (last - first), 0.02), 0.98)


Place = tuple[float, float]


def _bracket(excess: Callable[[float], float], start: float, goal: float) -> tuple[Place, Place]:
    """log v too small and large enough, with their excess; both within the range of floats."""
    x, step = start, 1.0
    value = excess(x)
    wrong = value > 0
    while -_WIDEST < x < _WIDEST:
        following = min(max(x + step if wrong else x - step, -_WIDEST), _WIDEST)
        found = excess(following)
        if (found > 0) != wrong:
            return ((x, value), (following, found)) if wrong else ((following, found), (x, value))
        x, value, step = following, found, step * 2
    raise InputError(
        "delta",
        math.exp(goal),
        "needs an added variance outside the range of float64" if wrong else "needs next to no noise",
    )


def _finite(value: Any, argument: str) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        raise InputError(argument, value, "must be a number") from None
    within(number, argument, "[0, inf)")
    return number
