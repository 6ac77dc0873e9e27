"""The Laplace mechanism: a vector query of declared L1 sensitivity, released with independent Laplace noise."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from ndis_verify.exact_number import InputError
from ndis_verify.mechanisms.calibration import (
    Calibration,
    Certificate,
    Target,
    positive,
    require_function,
    require_kind,
)
from ndis_verify.mechanisms.exact.grid import Release, releasing
from ndis_verify.mechanisms.exact.noise import add_laplace
from ndis_verify.mechanisms.exact.stream import Stream
from ndis_verify.mechanisms.gaussian import query_values


@dataclass(frozen=True)
class LaplaceMechanism:
    """Query plus independent Laplace noise. Without a `query` the data given to `release` is the query's
    value itself, meant exactly as in `GaussianMechanism`.
    """

    calibration: Calibration
    query: Callable[[Any], Any] | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        require_kind(self.calibration, ("Laplace",), "scale")
        if self.query is not None:
            require_function(self.query, "query")

    @property
    def scale(self) -> float:
        """Scale of the noise; its standard deviation is sqrt(2) times that."""
        return self.calibration.noise["scale"]

    @releasing
    def release(self, data: Any, rng: np.random.Generator | None = None) -> Release:
        """The query's value plus noise, rounded exactly to the grid of the scale. Raises `InputError`."""
        self.calibration.require_safe()
        value = query_values(self.query, data)
        return add_laplace(value.rounded, self.scale, Stream(rng), value.exact)


def laplace_mechanism(
    sensitivity: float, epsilon: float, *, adjacency: str, query: Callable[[Any], Any] | None = None
) -> LaplaceMechanism:
    """The Laplace mechanism for an L1 sensitivity, scale `sensitivity/epsilon`: (epsilon, 0)-DP.

    sensitivity > 0 for the neighbours that `adjacency` names, epsilon > 0. The largest loss of one coordinate,
    sensitivity/scale, is at most epsilon in exact arithmetic: the scale is rounded up. Raises `InputError`.
    """
    size, target = positive(sensitivity, "sensitivity"), Target(epsilon=epsilon, delta=0.0)
    positive(target.epsilon, "epsilon")
    scale = size / target.epsilon
    if not 0 < scale < math.inf:
        raise InputError("sensitivity", sensitivity, f"gives a scale of {scale:g}, out of float64's range")
    while Fraction(size) > Fraction(scale) * Fraction(target.epsilon):
        scale = math.nextafter(scale, math.inf)
    certificate = Certificate("largest loss sensitivity/scale <= epsilon", {"loss": size / scale}, 0.0)
    return LaplaceMechanism(
        Calibration("Laplace", adjacency, {"sensitivity": size}, target, {"scale": scale}, certificate), query
    )
