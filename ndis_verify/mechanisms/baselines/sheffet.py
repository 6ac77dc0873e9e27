"""Sheffet (2019): random projection above a floor on the least singular value, and least squares on the sketch.

The printed form used is the one that N26-Fig2 compares with: `w^2 = 4 l^2 (sqrt(2 r L) + L)/epsilon`, L = ln(4/delta),
as a floor on the squared least singular value. Here the floor is always enforced by appending w I (the source's own
mechanism first tests whether the data meet it).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from ndis_verify.calibrator import keyword_only
from ndis_verify.exact_number import InputError
from ndis_verify.mechanisms.baselines.printed_ridge import positive_epsilon, ridged
from ndis_verify.mechanisms.calibration import Calibration, columns, ordinary
from ndis_verify.mechanisms.exact.grid import releasing
from ndis_verify.mechanisms.projection_estimates import projected_least_squares
from ndis_verify.mechanisms.random_projection import RandomProjection, proper_target
from ndis_verify.mechanisms.records import number_array


@dataclass(frozen=True)
class SketchedLeastSquares:
    """Ordinary least squares on a private projection of [B b] (N24-Fig14 as read): post-processing of the
    projection.
    """

    projection: RandomProjection

    def __post_init__(self) -> None:
        if not isinstance(self.projection, RandomProjection):
            raise InputError("projection", type(self.projection).__name__, "must be a RandomProjection")

    @property
    def calibration(self) -> Calibration:
        """That of the projection: the solution carries the same guarantee."""
        return self.projection.calibration

    @releasing
    def release(self, features: Any, target: Any, rng: np.random.Generator | None = None) -> np.ndarray:
        """The d coefficients. features: n x d, target: n values; every row (B_i, b_i) within the norm bound.

        Raises `InputError`, `UnsafeRelease`.
        """
        matrix, values = number_array(features, "features"), number_array(target, "target")
        if matrix.ndim != 2 or values.shape != matrix.shape[:1]:
            raise InputError(
                "target", f"shape {values.shape}", f"must have a value for each row of features of shape {matrix.shape}"
            )
        return projected_least_squares(self.projection.release(np.column_stack([matrix, values]), rng))


@keyword_only
def sheffet(r: Any, *, epsilon: Any, delta: Any, norm_bound: Any) -> RandomProjection:
    """Random projection to r columns above the ridge `4 l^2 (sqrt(2 r L) + L)/epsilon`, L = ln(4/delta).

    Whole r >= 1, epsilon > 0, 0 < delta < 1, records of norm at most l = `norm_bound`. Valid for epsilon <= 3 L (proved
    with N26-Fig2); the certificate is the exact curve at leverage l^2/(w^2 + l^2) whatever epsilon. Raises
    `InputError`.
    """
    r, target, length = columns(r), proper_target(epsilon=epsilon, delta=delta), ordinary(norm_bound, "norm_bound")
    level = math.log(4 / target.delta)
    ridge = 4 * length**2 * (math.sqrt(2 * r * level) + level) / positive_epsilon(target)
    return ridged("random projection, Sheffet 2019", ridge, r, target, length)


@keyword_only
def sheffet_least_squares(r: Any, *, epsilon: Any, delta: Any, norm_bound: Any) -> SketchedLeastSquares:
    """Least squares on the projection of [B b] that `sheffet` calibrates; `norm_bound` bounds the rows of [B b]."""
    return SketchedLeastSquares(sheffet(r, epsilon=epsilon, delta=delta, norm_bound=norm_bound))
