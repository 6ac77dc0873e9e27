"""Least squares that is private relative to a public set of databases: noise only if the inherent privacy falls short (N24-D7, N24-Fig13).

As in `relative_projection`, the set is public and the calibration, and so the branch taken, is a function of the set alone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ndis_verify.exact_number import InputError
from ndis_verify.fast.als_exact import als_exact_hockey_stick
from ndis_verify.fast.als_worst_case import als_cap, als_exact_cap
from ndis_verify.fast.least_squares import als_hockey_stick
from ndis_verify.mechanisms.calibration import Calibration, Certificate, whole
from ndis_verify.mechanisms.least_squares import SEARCH_ERROR, normal_law, solved, worst_record
from ndis_verify.mechanisms.random_projection import generator, projected, proper_target
from ndis_verify.mechanisms.records import database
from ndis_verify.mechanisms.relative_projection import ADJACENCY, Neighbourhood
from ndis_verify.mechanisms.white_box import OutputLaw, WorstNeighbour

Law = Literal["normal", "sketch"]
_CURVES: dict[str, Callable[..., Any]] = {"normal": als_hockey_stick, "sketch": als_exact_hockey_stick}
_CAPS: dict[str, Callable[..., float]] = {"normal": als_cap, "sketch": als_exact_cap}
_MARGIN = {"normal": 1e-11, "sketch": 1e-10}  # relative error of delta that the curves document
_HALVINGS = 60


@dataclass(frozen=True, eq=False)
class RelativeLeastSquares:
    """Least squares above the ridge that the set needs, which may be none; only members of the set are released."""

    calibration: Calibration
    databases: Neighbourhood

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
        return solution + residual / np.sqrt(r) * np.linalg.solve(triangle, generator(rng).standard_normal(len(solution)))

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
    if databases.additions is None:
        raise InputError("databases", "every record of the ball", "must have a finite list of records that may come in")
    base = databases.base
    if ridge == 0 and (len(base) < base.shape[1] or np.linalg.matrix_rank(base) < base.shape[1]):
        return WorstNeighbour(0, "delete", 1.0)
    out = worst_record(_CURVES[law], base, ridge, r, epsilon)
    if not len(databases.additions):
        return out
    come = worst_record(_CURVES[law], base, ridge, r, epsilon, databases.additions)
    return out if out.delta >= come.delta else come


def relative_least_squares(databases: Neighbourhood, r: Any, epsilon: Any, delta: Any, law: Law = "normal") -> RelativeLeastSquares:
    """Least squares, (epsilon, delta)-DP relative to the set `databases` of records [B b] (N24-Fig13, corrected).

    law "normal": a draw from N(x_opt, (|w|^2/r)(B^T B)^{-1}); "sketch": a Gaussian sketch of r rows, by its finite-r law.
    No ridge where the worst neighbours in the set meet the target as they are; otherwise a ridge for which they do, at
    most that of the unrestricted mechanism. epsilon >= 0, 0 < delta < 1, whole r >= 1. Raises `InputError`.
    """
    if law not in _CURVES:
        raise InputError("law", law, "must be 'normal' or 'sketch'")
    r, target = whole(r, "r"), proper_target(epsilon, delta)
    d = databases.base.shape[1] - 1
    if d < 1:
        raise InputError("databases", "one column", "must have a feature and a target")

    def delta_at(ridge: float) -> tuple[float, WorstNeighbour]:
        worst = worst_in_set(databases, r, target.epsilon, law, ridge)
        return min(worst.delta * (1 + _MARGIN[law]), 1.0), worst

    ridge, (value, worst) = 0.0, delta_at(0.0)
    inherent = value
    if value > target.delta:
        cap = _CAPS[law](d, r, target.epsilon, target.delta * (1 - 2 * SEARCH_ERROR))
        ridge = databases.norm_bound**2 * (1 / cap - 1) * (1 + 1e-15)
        ridge = _smaller(lambda level: delta_at(level)[0] <= target.delta, ridge)
        value, worst = delta_at(ridge)
    public = {"norm_bound": databases.norm_bound, "d": d, "r": r, "records": len(databases.base), "law": law, "inherent delta": inherent}
    why = Certificate("worst neighbours in the set, by their own laws (N24-D7)", {"row": worst.row, "direction": worst.direction}, value)
    return RelativeLeastSquares(Calibration(f"relative least squares, {law} law", ADJACENCY, public, target, {"ridge": ridge}, why), databases)


def _smaller(meets: Callable[[float], bool], enough: float) -> float:
    """A ridge that was seen to meet the target, not above `enough`, which does: bisection in the logarithm."""
    low, high = enough * 1e-12, enough
    for _ in range(_HALVINGS):
        middle = float(np.sqrt(low * high))
        if not low < middle < high or high / low < 1 + 1e-9:
            break
        low, high = (low, middle) if meets(middle) else (middle, high)
    return high
