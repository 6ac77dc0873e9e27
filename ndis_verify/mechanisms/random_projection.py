"""Random projection and random linear combination made private by a public ridge (N26-Fig1, N24-Fig3, N24-Fig8)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ndis_verify.calibrator import keyword_only
from ndis_verify.exact_number import InputError
from ndis_verify.fast.accuracy import projection_error
from ndis_verify.fast.random_projection import rp_ridge, rp_ridge_hockey_stick
from ndis_verify.mechanisms.calibration import (
    Calibration,
    Certificate,
    Target,
    choice,
    columns,
    ordinary,
    raised,
    require_kind,
)
from ndis_verify.mechanisms.exact.grid import Release, grid_exponent, releasing
from ndis_verify.mechanisms.exact.projection import project
from ndis_verify.mechanisms.exact.stream import Stream
from ndis_verify.mechanisms.records import database
from ndis_verify.mechanisms.white_box import OutputLaw

Ridge = Literal["smallest", "N26-Fig1", "N24-Fig3"]
RIDGES = ("smallest", "N26-Fig1", "N24-Fig3")
ADD_REMOVE = "one record added or removed"
GRID_BITS = 16  # binary digits below its public scale at which a projection is released


@dataclass(frozen=True)
class RandomProjection:
    """`M = D^T G + sqrt(ridge) H`, G and H of independent standard normals: the projection of [D; sqrt(ridge) I] to r
    columns.
    """

    calibration: Calibration

    def __post_init__(self) -> None:
        require_kind(self.calibration, ("random projection", "random linear combination"), "ridge")

    @releasing
    def release(self, data: Any, rng: np.random.Generator | None = None) -> Release:
        """The d x r matrix M, rounded exactly to the grid of sqrt(ridge). `data`: n x d, every norm within the public
        bound. Raises `InputError`, `UnsafeRelease`.
        """
        self.calibration.require_safe()
        records = database(data, self.calibration.public["norm_bound"])
        return projected(records, self.ridge, self.calibration.public["r"], rng)

    def output_law(self, data: Any) -> OutputLaw:
        """r independent columns N(0, D^T D + ridge I): what `release` samples from."""
        records = database(data, self.calibration.public["norm_bound"])
        return ridged_law(records, self.ridge, self.calibration.public["r"])

    @property
    def ridge(self) -> float:
        """The variance added to every coordinate, public."""
        return self.calibration.noise["ridge"]


@dataclass(frozen=True)
class RandomLinearCombination:
    """`D^T g + sqrt(ridge) h`, g and h standard normal: one column of `RandomProjection`."""

    calibration: Calibration

    def __post_init__(self) -> None:
        require_kind(self.calibration, ("random linear combination",), "ridge")

    @releasing
    def release(self, data: Any, rng: np.random.Generator | None = None) -> Release:
        """The d entries of the combination. Raises `InputError`, `UnsafeRelease`."""
        columns = RandomProjection(self.calibration).release(data, rng)
        return Release(columns[:, 0], columns.step, columns.source)

    def output_law(self, data: Any) -> OutputLaw:
        """N(0, D^T D + ridge I): what `release` samples from."""
        return RandomProjection(self.calibration).output_law(data)

    @property
    def ridge(self) -> float:
        """The variance added to every coordinate, public."""
        return self.calibration.noise["ridge"]


@keyword_only
def random_projection(
    r: Any, *, epsilon: Any, delta: Any, norm_bound: Any, ridge: Ridge = "smallest"
) -> RandomProjection:
    """Random projection to r columns, (epsilon, delta)-DP for records of norm at most `norm_bound` = l.

    ridge "smallest": l^2 (1/p* - 1), below which a lone record of norm l costs more than delta
    (N26-Fig1-smallest-ridge); "N26-Fig1" and "N24-Fig3": l^2/p*, appended as rows there, added as a noise matrix here,
    one law (the formula of N24-Fig3 as its proof reads). epsilon >= 0, 0 < delta < 1, whole r >= 1. Raises
    `InputError`.

    Examples
    --------
    >>> from ndis_verify.mechanisms import random_projection
    >>> print(f"{random_projection(5, epsilon=1.0, delta=1e-3, norm_bound=1.0).ridge:.8f}")
    5.85279280
    """
    return RandomProjection(_calibrated("random projection", columns(r), epsilon, delta, norm_bound, ridge))


@keyword_only
def random_linear_combination(
    *, epsilon: Any, delta: Any, norm_bound: Any, ridge: Ridge = "smallest"
) -> RandomLinearCombination:
    """A random linear combination of records of norm at most `norm_bound`, (epsilon, delta)-DP (N24-Fig8, N24-C7).

    `random_projection` with r = 1; arguments as there. epsilon, delta, norm_bound, ridge: as there. Raises
    `InputError`.

    Examples
    --------
    >>> from ndis_verify.mechanisms import random_linear_combination
    >>> print(f"{random_linear_combination(epsilon=1.0, delta=1e-3, norm_bound=1.0).ridge:.6f}")
    3.526674
    """
    return RandomLinearCombination(_calibrated("random linear combination", 1, epsilon, delta, norm_bound, ridge))


def _calibrated(mechanism: str, r: int, epsilon: Any, delta: Any, norm_bound: Any, ridge: Ridge) -> Calibration:
    target, length = proper_target(epsilon=epsilon, delta=delta), ordinary(norm_bound, "norm_bound")
    level = ridge_level(length, r, epsilon=target.epsilon, delta=target.delta, ridge=ridge)
    return Calibration(
        mechanism=f"{mechanism}, {ridge} ridge",
        adjacency=ADD_REMOVE,
        public={"norm_bound": length, "r": r},
        target=target,
        noise={"ridge": level},
        certificate=certificate(length, level, r, target.epsilon),
    )


@keyword_only
def ridge_level(length: float, r: int, *, epsilon: float, delta: float, ridge: Ridge) -> float:
    """The ridge of that name at (epsilon, delta). Raises `InputError`."""
    choice(ridge, "ridge", RIDGES)
    smallest = float(rp_ridge(length, r, epsilon=epsilon, delta=delta))
    level = smallest if ridge == "smallest" else math.nextafter(smallest + length * length, math.inf)
    if not 1e-300 < level < math.inf:
        raise InputError(
            "delta", delta, f"must leave a ridge between 1e-300 and the largest float; it would be {level:g}"
        )
    return level


def certificate(length: float, level: float, r: int, epsilon: float) -> Certificate:
    """The lone record of norm l beside a ridge, the worst of all databases: its delta, rounded up by the engine's
    error.
    """
    delta = float(rp_ridge_hockey_stick(length, level, r, epsilon))
    worst = {"leverage": length * length / (length * length + level), "r": r, "direction": "delete"}
    return Certificate("deletion of a lone record of norm l (N26-L4, N26-T5.1)", worst, rounded_up(delta, r))


def rounded_up(delta: float, r: int) -> float:
    """A float64 delta of r columns plus the error that its engine documents."""
    return raised(delta, float(projection_error(r)))


@keyword_only
def proper_target(*, epsilon: Any, delta: Any) -> Target:
    """A target with 0 < delta < 1. Raises `InputError`."""
    target = Target(epsilon=epsilon, delta=delta)
    if not 0 < target.delta < 1:
        raise InputError("delta", delta, "must lie strictly between 0 and 1")
    return target


def projected(
    records: np.ndarray, ridge: float, r: int, rng: np.random.Generator | Stream | None, scale: float | None = None
) -> Release:
    """`D^T G + sqrt(ridge) H`, d x r, rounded exactly to the grid of a public `scale`, by default sqrt(ridge). Raises
    `InputError`.
    """
    stream = rng if isinstance(rng, Stream) else Stream(rng)
    return project(
        records, ridge, r, stream, grid_exponent(math.sqrt(ridge) if scale is None else scale, "ridge", GRID_BITS)
    )


def ridged_law(records: np.ndarray, ridge: float, r: int) -> OutputLaw:
    """r independent columns N(0, D^T D + ridge I), D and ridge meant exactly."""
    d = records.shape[1]
    return OutputLaw(np.zeros(d), records.T @ records + ridge * np.eye(d), r, records, ridge)
