"""Least squares that is private relative to a public set of databases: noise only if the inherent privacy falls short
(N24-D7, N24-Fig13).

As in `relative_projection`, the set is public and the calibration, and so the branch taken, is a function of the set
alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ndis_verify.calibrator import keyword_only
from ndis_verify.exact_number import InputError
from ndis_verify.fast.accuracy import promise, sketch_error
from ndis_verify.fast.least_squares.asymptotic_law import log_als_hockey_stick
from ndis_verify.fast.least_squares.finite_law import ROUGH, log_als_exact_hockey_stick
from ndis_verify.fast.least_squares.worst_case import als_worst_case
from ndis_verify.fast.least_squares.worst_record import als_exact_worst_case
from ndis_verify.mechanisms.calibration import Calibration, Certificate, choice, columns, number, raised, require_kind
from ndis_verify.mechanisms.exact.grid import Release, grid_exponent, releasing
from ndis_verify.mechanisms.exact.solutions import normal_solution, student_solution
from ndis_verify.mechanisms.exact.stream import Stream
from ndis_verify.mechanisms.least_squares import (
    DIRECTIONS,
    Law,
    least_ridge,
    normal_law,
    solved,
)
from ndis_verify.mechanisms.random_projection import proper_target
from ndis_verify.mechanisms.record_shares import RecordShares
from ndis_verify.mechanisms.relative_projection import ADJACENCY, Neighbourhood, require_set
from ndis_verify.mechanisms.white_box import OutputLaw, WorstNeighbour

_CURVES: dict[str, Callable[..., Any]] = {"normal": log_als_hockey_stick, "sketch": log_als_exact_hockey_stick}
_WORST = {"normal": als_worst_case, "sketch": als_exact_worst_case}
_ESTIMATES = {
    "normal": (("full", 0.0),),
    "sketch": (("rough", ROUGH), ("draft", 0.0)),
}  # and how far below log delta they may be
_DRAFT = 1e-3  # of log delta: more than a draft errs by
_DOUBT = 0.05  # of log delta: what rounding of p and q may change of an estimate
_DEPTH = 2000.0  # log delta changes by less than this, and r, times the relative change of p, q and 1 - q
_FOLLOWED = 24
_MANY, _CAPS = 10_000, 40  # changes from which on a few caps are tried first, and how many
_ROUNDS = 20
_STEPS = 60
_NEAR, _MET = 0.02, 2e-10  # of log delta: how closely a goal is met by estimates, and in the end


@dataclass(frozen=True, eq=False)
class RelativeLeastSquares:
    """Least squares above the ridge that the set needs, which may be none; only members of the set are released.

    The ridge is to be used exactly as it is: a larger one may cost the set more (N24-Fig13-more-ridge).
    """

    calibration: Calibration
    databases: Neighbourhood

    def __post_init__(self) -> None:
        require_kind(self.calibration, ("relative least squares",), "ridge")
        require_set(self.databases, self.calibration)

    @property
    def ridge(self) -> float:
        """The variance whose root stands on the diagonal below the records; 0 where the release's own randomness is
        enough.
        """
        return self.calibration.noise["ridge"]

    @releasing
    def release(self, data: Any, rng: np.random.Generator | None = None) -> Release:
        """The d coefficients of a member [B b] of the set, rounded exactly to a grid that the set fixes. Raises
        `InputError`, `UnsafeRelease`.
        """
        self.calibration.require_safe()
        records, r = self.databases.member(data), self.calibration.public["r"]
        _, residual, triangle = solved(self.databases.base, self.ridge)  # public
        exponent = grid_exponent(residual / math.sqrt(r) / float(np.linalg.norm(triangle, 2)), "databases")
        law = student_solution if self.calibration.public["law"] == "sketch" else normal_solution
        return law(records, self.ridge, r, Stream(rng), exponent)

    def output_law(self, data: Any) -> OutputLaw:
        """The normal law that `release` samples from. Raises `InputError` for the sketch, whose law is a
        Student law.
        """
        if self.calibration.public["law"] == "sketch":
            raise InputError("law", "sketch", "its output has a Student law, not a normal one")
        return normal_law(self.databases.member(data), self.ridge, self.calibration.public["r"])


def worst_in_set(
    databases: Neighbourhood, r: int, epsilon: float, law: Law = "normal", ridge: float = 0.0
) -> WorstNeighbour:
    """The neighbours in the set that are easiest to tell apart above `ridge` >= 0, and their delta.

    `databases` of records [B b] with a finite list of additions; records, ridge and ranks are meant exactly. delta has
    the accuracy of `als_hockey_stick` or `als_exact_hockey_stick`, whatever the condition and the scales; 1 where the
    base lacks full column rank or a record has all but 2^-31 of a direction to itself. The leverage and residual of the
    set (N24-D7) bound it from above. r rows of the sketch; epsilon >= 0; law "normal" (N24-T4) or "sketch" (finite r).
    Raises `InputError`.

    Examples
    --------
    >>> from ndis_verify.mechanisms import worst_in_set
    >>> from ndis_verify.mechanisms import neighbourhood
    >>> databases = neighbourhood([[0.5, 0.5]] * 4, norm_bound=1.0)  # fitted exactly: p = q = 1/4 beside no ridge
    >>> worst = worst_in_set(databases, 5, 1.0, ridge=1.0)
    >>> print(f"{worst.delta:.9f} {worst.direction}")
    0.000112155 insert
    """
    require_set(databases)
    choice(law, "law", tuple(_CURVES))
    r, epsilon, ridge = columns(r), number(epsilon, "epsilon", 0.0, 1e300), number(ridge, "ridge", 0.0, 1e300)
    return _changes(databases, r, epsilon, law).neighbour(ridge)


class _Changes:
    """Every single-record change of a set: the records of the base, then the additions, in one direction and in the
    other.
    """

    def __init__(self, databases: Neighbourhood, r: int, epsilon: float, law: Law):
        self.base, self.r, self.epsilon, self.law = databases.base, r, epsilon, law
        assert databases.additions is not None  # `require_set` has refused the ball
        self.shares = RecordShares(databases.base, databases.additions)
        self.count = self.shares.count
        self._worst: dict[float, tuple[float, int]] = {}

    def neighbour(self, ridge: float) -> WorstNeighbour:
        value, place = self.worst(ridge)
        row = place % self.count
        return WorstNeighbour(
            row if row < len(self.base) else row - len(self.base),
            DIRECTIONS[place // self.count],
            min(math.exp(value), 1.0),
        )

    def worst(self, ridge: float) -> tuple[float, int]:
        """(log delta, its place) of the change that costs most; 0 where the rank is too low, or a record is all there
        is in its direction.
        """
        if ridge not in self._worst:
            self._worst[ridge] = self.among(ridge, np.arange(2 * self.count))
        return self._worst[ridge]

    def among(self, ridge: float, places: np.ndarray) -> tuple[float, int]:
        """The same of some of the changes. Estimates leave a few that may be the worst, which are settled with p and q
        to the last place.
        """
        places = self._contenders(ridge, places)
        p, q, doubt = self._shares(ridge, places)
        for effort, lack in _ESTIMATES[self.law]:
            if doubt is None or (q[places % self.count] >= 1).any():
                return 0.0, int(places[np.argmax(q[places % self.count])])
            values = self._log_deltas(p, q, places, effort)
            with np.errstate(invalid="ignore"):
                places = places[~(values < values.max() - lack - _DRAFT - 2 * doubt)]
        p, q, doubt = self._exact(ridge, places)
        if doubt is None or (q[places % self.count] >= 1).any():
            return 0.0, int(places[np.argmax(q[places % self.count])])
        values = self._log_deltas(p, q, places, "full")
        return float(values.max()), int(places[values.argmax()])

    def _contenders(self, ridge: float, places: np.ndarray) -> np.ndarray:
        """The places that may be the worst of many: where q is so small that no record of that q costs as much as one
        seen, none is.

        The largest cost of all records below a cap grows with the cap (N24-T5-worst-case, N24-6.3-worst-case).
        """
        if places.size <= _MANY:
            return places
        p, q, doubt = self._rough(ridge)
        q_here = q[places % self.count]
        while places.size > _MANY and math.isfinite(doubt) and q_here.max() < 1:
            order = np.argsort(-q_here)
            best = self._log_deltas(p, q, places[order[:_FOLLOWED]], "full").max()
            tried = np.unique(order[np.linspace(0, places.size - 1, _CAPS).astype(int)])
            most = _WORST[self.law](
                np.minimum(q_here[tried], q_here.max()), self.base.shape[1] - 1, self.r, self.epsilon
            ).log_delta
            with np.errstate(invalid="ignore"):
                below = q_here[tried][(most < best - _DRAFT - 2 * doubt) | (most == -np.inf)]
            kept = q_here > below.max(initial=-1.0)
            if not kept.any():  # none costs anything
                return places[order[:1]]
            if kept.sum() > 0.9 * places.size:
                break
            places, q_here = places[kept], q_here[kept]
        return places

    def estimates(self, ridge: float, places: np.ndarray) -> np.ndarray:
        """log delta of some of the changes, roughly."""
        p, q, doubt = self._shares(ridge, places)
        full = q[places % self.count] >= 1
        values = np.zeros(places.size)
        if doubt is not None and not full.all():
            values[~full] = self._log_deltas(p, q, places[~full], _ESTIMATES[self.law][0][0])
        return values

    def highest(self, ridge: float) -> np.ndarray:
        """The places of a few changes that cost most, by estimates."""
        places = np.arange(2 * self.count)
        places = self._contenders(ridge, places)
        return places[np.argsort(-self.estimates(ridge, places), kind="stable")[:_FOLLOWED]]

    def _shares(self, ridge: float, places: np.ndarray) -> tuple[np.ndarray, np.ndarray, float | None]:
        """p and q of all records in floats, and what their rounding may change of log delta; of `places`, by `_exact`,
        where that is much.
        """
        p, q, doubt = self._rough(ridge)
        return (p, q, doubt) if doubt < _DOUBT else self._exact(ridge, places)

    def _rough(self, ridge: float) -> tuple[np.ndarray, np.ndarray, float]:
        p, q, error = self.shares.rough(ridge)
        room = min(q.max(), 1 - q.max())
        return p, q, error * (_DEPTH + self.r) / room if room > 0 else math.inf

    def _exact(self, ridge: float, places: np.ndarray) -> tuple[np.ndarray, np.ndarray, float | None]:
        """The same to the last place, for the records of some places; None where the rank is too low for a solution."""
        rows, (p, q) = np.unique(places % self.count), np.full((2, self.count), 1.0)
        found = self.shares.exact(ridge, rows)
        if found is None:
            return p, q, None
        p[rows], q[rows] = found
        return p, q, 0.0

    def _log_deltas(self, p: np.ndarray, q: np.ndarray, places: np.ndarray, effort: str) -> np.ndarray:
        result, row, d = np.empty(places.size), places % self.count, self.base.shape[1] - 1
        options = {"effort": effort} if self.law == "sketch" else {}
        for k, direction in enumerate(DIRECTIONS):
            part = places // self.count == k
            if part.any():
                at = row[part]
                result[part] = _CURVES[self.law](p[at], q[at], d, self.r, self.epsilon, direction, **options)
        return result


@keyword_only
def relative_least_squares(
    databases: Neighbourhood, r: Any, *, epsilon: Any, delta: Any, law: Law = "normal"
) -> RelativeLeastSquares:
    """Least squares, (epsilon, delta)-DP relative to the set `databases` of records [B b] (N24-Fig13, corrected).

    law "normal": a draw from N(x_opt, (|w|^2/r)(B^T B)^{-1}); "sketch": a Gaussian sketch of r rows, by its finite-r
    law. No ridge where the worst neighbours in the set meet the target as they are; otherwise a ridge for which they
    do, at most that of the unrestricted mechanism, to be used exactly: more ridge may cost the set more, since the
    residuals of records that are alike grow with it (N24-Fig13-more-ridge). epsilon >= 0, 0 < delta < 1, whole r >= 1.
    Raises `InputError`.

    Examples
    --------
    >>> from ndis_verify.mechanisms import relative_least_squares
    >>> from ndis_verify.mechanisms import neighbourhood
    >>> databases = neighbourhood([[0.5, 0.0], [0.0, 0.75], [0.5, 0.5]], norm_bound=1.0)
    >>> print(f"{relative_least_squares(databases, 5, epsilon=1.0, delta=0.1).ridge:.6f}")
    0.184702
    """
    require_set(databases)
    choice(law, "law", tuple(_CURVES))
    r, target = columns(r), proper_target(epsilon=epsilon, delta=delta)
    d = databases.base.shape[1] - 1
    if d < 1:
        raise InputError("databases", "one column", "must have a feature and a target")
    changes = _changes(databases, r, target.epsilon, law)
    ridge, worst = 0.0, changes.neighbour(0.0)
    inherent = value = raised(worst.delta, _error(law, worst.delta, r))
    if not value <= target.delta:
        enough = float(least_ridge(databases.norm_bound, d, r, epsilon=target.epsilon, delta=target.delta, law=law))
        if not 0 < enough < math.inf:
            raise InputError("delta", target.delta, "must leave a finite ridge")
        ridge = _smaller(changes, math.log(target.delta) - 2 * _error(law, target.delta, r), enough)
        worst = changes.neighbour(ridge)
        value = raised(worst.delta, _error(law, worst.delta, r))
    public = {
        "norm_bound": databases.norm_bound,
        "d": d,
        "r": r,
        "records": len(databases.base),
        "law": law,
        "inherent delta": inherent,
        "set": databases.digest(),
    }
    why = Certificate(
        "worst neighbours in the set, by their own laws (N24-D7)",
        {"row": worst.row, "direction": worst.direction},
        value,
    )
    return RelativeLeastSquares(
        Calibration(f"relative least squares, {law} law", ADJACENCY, public, target, {"ridge": ridge}, why), databases
    )


def _error(law: Law, delta: float, r: int) -> float:
    """The relative error of the law's curve at a value delta."""
    return promise("als_hockey_stick") if law == "normal" else float(sketch_error(delta, r))


def _changes(databases: Neighbourhood, r: int, epsilon: float, law: Law) -> _Changes:
    if databases.additions is None:
        raise InputError("databases", "every record of the ball", "must have a finite list of records that may come in")
    changes = _Changes(databases, r, epsilon, law)
    if not changes.count:
        raise InputError("data", "no rows", "must have a row to change")
    return changes


def _smaller(changes: _Changes, goal: float, enough: float) -> float:
    """A ridge at which the worst change was seen to be at most the goal, not above `enough`, which does.

    A few changes are followed down to where they meet the goal; those that are worse there join them.
    """
    places, low = changes.highest(enough), enough * 1e-12
    for _ in range(_ROUNDS):
        rough, slope = _crossing(
            lambda ridge: float(changes.estimates(ridge, places).max()) - goal, low, enough, None, -1.0, _NEAR
        )
        ridge, _ = _crossing(lambda ridge: changes.among(ridge, places)[0] - goal, low, enough, rough, slope, _MET)
        if ridge >= enough or changes.worst(ridge)[0] <= goal:
            return ridge
        places, low = np.union1d(places, changes.highest(ridge)), ridge
    return enough


def _crossing(
    excess: Callable[[float], float], low: float, high: float, start: float | None, slope: float, tolerance: float
) -> tuple[float, float]:
    """A ridge in [low, high] at which the excess was seen to be at most 0, and not below -tolerance unless 1e-9 less is
    too little; the slope there.

    `high` is taken to have no excess. Secants in the logarithm of the ridge from `start`, in brackets that are halved
    at times.
    """
    before, at = None, start
    if excess(low) <= 0:
        return low, slope
    for step in range(_STEPS):
        if at is None or not low < at < high or step % 4 == 3:
            at = math.sqrt(low) * math.sqrt(high)
        value = excess(at)
        low, high = (at, high) if value > 0 else (low, at)
        if high / low < 1 + 1e-9 or -tolerance <= value <= 0:
            break
        if before is not None and math.isfinite(value - before[1]) and value != before[1]:
            slope = (value - before[1]) / math.log(at / before[0])
        before = (at, value)
        at = at * math.exp(-(value + tolerance / 2) / slope) if slope < 0 and abs(value / slope) < 50 else None
    return high, slope
