"""Least squares that is private relative to a public set of databases: noise only if the inherent privacy falls short (N24-D7, N24-Fig13).

As in `relative_projection`, the set is public and the calibration, and so the branch taken, is a function of the set alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ndis_verify.exact_number import InputError
from ndis_verify.fast.als_exact import log_als_exact_hockey_stick
from ndis_verify.fast.least_squares import log_als_hockey_stick
from ndis_verify.mechanisms.calibration import Calibration, Certificate, choice, columns, number, require_kind
from ndis_verify.mechanisms.least_squares import DIRECTIONS, SEARCH_ERROR, Law, least_ridge, normal_law, record_leverages, search_error, solved
from ndis_verify.mechanisms.public_grid import on_grid
from ndis_verify.mechanisms.random_projection import generator, projected, proper_target
from ndis_verify.mechanisms.records import database
from ndis_verify.mechanisms.relative_projection import ADJACENCY, Neighbourhood, require_set
from ndis_verify.mechanisms.white_box import OutputLaw, WorstNeighbour

_CURVES: dict[str, Callable[..., Any]] = {"normal": log_als_hockey_stick, "sketch": log_als_exact_hockey_stick}
_MARGIN = {"normal": 1e-11, "sketch": 1e-10}  # relative error of delta that the curves document
_DRAFT = 1e-3  # of log delta: far more than a draft errs by
_FOLLOWED = 24
_ROUNDS = 20
_HALVINGS = 60


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
        """The variance whose root stands on the diagonal below the records; 0 where the release's own randomness is enough."""
        return self.calibration.noise["ridge"]

    def release(self, data: Any, rng: np.random.Generator) -> np.ndarray:
        """The d coefficients of a member [B b] of the set. Raises `InputError`, `UnsafeRelease`."""
        self.calibration.require_safe()
        records, r = self._member(data), self.calibration.public["r"]
        if self.calibration.public["law"] == "sketch":
            sketch = projected(records, self.ridge, r, generator(rng)).T
            return np.linalg.lstsq(sketch[:, :-1], sketch[:, -1], rcond=None)[0]
        solution, residual, triangle = solved(records, self.ridge)
        noisy = solution + residual / np.sqrt(r) * np.linalg.solve(triangle, generator(rng).standard_normal(len(solution)))
        _, residual, triangle = solved(self.databases.base, self.ridge)  # public
        return on_grid(noisy, residual / np.sqrt(r) / np.linalg.norm(triangle, 2))

    def output_law(self, data: Any) -> OutputLaw:
        """The normal law that `release` samples from. Raises `InputError` for the sketch, whose law is a Student law."""
        if self.calibration.public["law"] == "sketch":
            raise InputError("law", "sketch", "its output has a Student law, not a normal one")
        return normal_law(self._member(data), self.ridge, self.calibration.public["r"])

    def _member(self, data: Any) -> np.ndarray:
        records = database(data, self.databases.norm_bound)
        if not self.databases.contains(records):
            raise InputError("data", f"shape {records.shape}", "must be in the set of databases: its base, or one record away")
        return records


def worst_in_set(databases: Neighbourhood, r: int, epsilon: float, law: Law = "normal", ridge: float = 0.0) -> WorstNeighbour:
    """The neighbours in the set that are easiest to tell apart above `ridge`, and their delta; 1 where the rank is not full.

    `databases` of records [B b] with a finite list of additions. The leverage and residual of the set (N24-D7) bound this
    from above. Raises `InputError`.
    """
    require_set(databases)
    choice(law, "law", tuple(_CURVES))
    r, epsilon, ridge = columns(r), number(epsilon, "epsilon", 0.0, 1e300), number(ridge, "ridge", 0.0, math.inf)
    if databases.additions is None:
        raise InputError("databases", "every record of the ball", "must have a finite list of records that may come in")
    base = databases.base
    if ridge == 0 and (len(base) < base.shape[1] or np.linalg.matrix_rank(base) < base.shape[1]):
        return WorstNeighbour(0, "delete", 1.0)
    changes = _Changes(databases, r, epsilon, law)
    if not changes.count:
        raise InputError("data", "no rows", "must have a row to change")
    value, place = changes.worst(ridge)
    row = place % changes.count
    return WorstNeighbour(row if row < len(base) else row - len(base), DIRECTIONS[place // changes.count], min(math.exp(value), 1.0))


@dataclass(frozen=True)
class _Changes:
    """Every single-record change of a set: the records of the base, then the additions, in one direction and in the other."""

    databases: Neighbourhood
    r: int
    epsilon: float
    law: Law

    @property
    def count(self) -> int:
        return len(self.databases.base) + len(self.databases.additions)

    def worst(self, ridge: float) -> tuple[float, int]:
        """(log delta, its place) of the change that costs most; 0 where a record is all there is in its direction."""
        p, q = self._shares(ridge)
        if (q >= 1).any():
            return 0.0, int(np.argmax(q))
        values, places = self._log_deltas(p, q, np.arange(2 * self.count), draft=True), np.arange(2 * self.count)
        if self.law == "sketch":
            with np.errstate(invalid="ignore"):
                places = np.flatnonzero(~(values < values.max() - _DRAFT))
            values = self._log_deltas(p, q, places)
        return float(values.max()), int(places[values.argmax()])

    def highest(self, ridge: float, count: int) -> np.ndarray:
        """The places of about that many changes that cost most."""
        values = self._log_deltas(*self._shares(ridge), np.arange(2 * self.count), draft=True)
        return np.argsort(-values, kind="stable")[:count]

    def among(self, ridge: float, places: np.ndarray) -> float:
        """The largest log delta of some of the changes."""
        p, q = self._shares(ridge)
        return 0.0 if (q >= 1).any() else float(self._log_deltas(p, q, places).max())

    def _shares(self, ridge: float) -> tuple[np.ndarray, np.ndarray]:
        base, additions = self.databases.base, self.databases.additions
        parts = [record_leverages(base, ridge), record_leverages(base, ridge, additions)] if len(additions) else [record_leverages(base, ridge)]
        return tuple(np.concatenate(pair) for pair in zip(*parts))

    def _log_deltas(self, p: np.ndarray, q: np.ndarray, places: np.ndarray, draft: bool = False) -> np.ndarray:
        result, row, d = np.empty(places.size), places % self.count, self.databases.base.shape[1] - 1
        options = {"draft": draft} if self.law == "sketch" else {}
        for k, direction in enumerate(DIRECTIONS):
            part = places // self.count == k
            if part.any():
                at = row[part]
                result[part] = _CURVES[self.law](p[at], q[at], d, self.r, self.epsilon, direction, **options)
        return result


def relative_least_squares(databases: Neighbourhood, r: Any, epsilon: Any, delta: Any, law: Law = "normal") -> RelativeLeastSquares:
    """Least squares, (epsilon, delta)-DP relative to the set `databases` of records [B b] (N24-Fig13, corrected).

    law "normal": a draw from N(x_opt, (|w|^2/r)(B^T B)^{-1}); "sketch": a Gaussian sketch of r rows, by its finite-r law.
    No ridge where the worst neighbours in the set meet the target as they are; otherwise a ridge for which they do, at
    most that of the unrestricted mechanism, to be used exactly: more ridge may cost the set more, since the residuals of
    records that are alike grow with it (N24-Fig13-more-ridge). epsilon >= 0, 0 < delta < 1, whole r >= 1. Raises `InputError`.
    """
    require_set(databases)
    choice(law, "law", tuple(_CURVES))
    r, target = columns(r), proper_target(epsilon, delta)
    margin = _MARGIN[law] + float(search_error(r, law)) - SEARCH_ERROR
    d = databases.base.shape[1] - 1
    if d < 1:
        raise InputError("databases", "one column", "must have a feature and a target")

    def delta_at(ridge: float) -> tuple[float, WorstNeighbour]:
        worst = worst_in_set(databases, r, target.epsilon, law, ridge)
        return min(worst.delta * (1 + margin), 1.0), worst

    ridge, (value, worst) = 0.0, delta_at(0.0)
    inherent = value
    if value > target.delta:
        ridge = float(least_ridge(databases.norm_bound, d, r, target.epsilon, target.delta, law))
        if not 0 < ridge < math.inf:
            raise InputError("delta", target.delta, "must leave a finite ridge")
        ridge = _smaller(_Changes(databases, r, target.epsilon, law), math.log(target.delta) - 2 * margin, ridge)
        value, worst = delta_at(ridge)
    public = {"norm_bound": databases.norm_bound, "d": d, "r": r, "records": len(databases.base), "law": law, "inherent delta": inherent,
              "set": databases.digest()}  # fmt: skip
    why = Certificate("worst neighbours in the set, by their own laws (N24-D7)", {"row": worst.row, "direction": worst.direction}, value)
    return RelativeLeastSquares(Calibration(f"relative least squares, {law} law", ADJACENCY, public, target, {"ridge": ridge}, why), databases)


def _smaller(changes: _Changes, goal: float, enough: float) -> float:
    """A ridge at which the worst change was seen to be at most the goal, not above `enough`, which does.

    A few changes are followed down to where they meet the goal; those that are worse there join them. Halved brackets and secants.
    """
    places, low, high = changes.highest(enough, _FOLLOWED), enough * 1e-12, enough
    for _ in range(_ROUNDS):
        ridge = _followed(changes, goal, places, low, high)
        if ridge >= high or changes.worst(ridge)[0] <= goal:
            return ridge
        places, low = np.union1d(places, changes.highest(ridge, _FOLLOWED)), ridge
    return high


def _followed(changes: _Changes, goal: float, places: np.ndarray, low: float, high: float) -> float:
    """The least ridge in [low, high], to 1e-9, at which none of the changes `places` exceeds the goal; `high` is taken to be one."""
    excess = [changes.among(end, places) - goal for end in (low, high)]
    if excess[0] <= 0:
        return low
    for step in range(_HALVINGS):
        if high / low < 1 + 1e-9 or (excess[1] <= 0 and excess[1] > -1e-11):
            break
        share = excess[0] / (excess[0] - excess[1]) if step % 3 and excess[1] < 0 and math.isfinite(excess[1]) else 0.5
        at = math.log(low) + min(max(share + 1e-6, 1e-6), 1 - 1e-6) * math.log(high / low)
        ridge = min(max(math.exp(at), low), high)
        value = changes.among(ridge, places) - goal
        if value > 0:
            low, excess[0] = ridge, value
        else:
            high, excess[1] = ridge, value
    return high
