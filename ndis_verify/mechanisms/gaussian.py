"""The Gaussian mechanism: a vector query of declared L2 sensitivity, released with independent normal noise."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ndis_verify.calibrator import keyword_only
from ndis_verify.exact_number import InputError
from ndis_verify.fast.accuracy import promise
from ndis_verify.fast.mean_shift import gaussian_hockey_stick, gaussian_std
from ndis_verify.mechanisms.calibration import (
    Calibration,
    Certificate,
    Target,
    choice,
    positive,
    raised,
    require_function,
    require_kind,
)
from ndis_verify.mechanisms.exact.grid import Release, releasing
from ndis_verify.mechanisms.exact.noise import add_normal
from ndis_verify.mechanisms.exact.stream import Stream
from ndis_verify.mechanisms.records import Values, number_array, number_values
from ndis_verify.mechanisms.white_box import OutputLaw

Query = Callable[[Any], Any]
RULES = ("analytic", "classical", "rho")


@dataclass(frozen=True)
class GaussianMechanism:
    """Query plus N(0, std^2 I). Without a `query` the data given to `release` is the query's value itself.

    Values are meant exactly, also integers, Fractions and Decimals that float64 would round.
    Only the declared sensitivity is used: that no neighbour changes the query's value by more, in the Euclidean norm,
    is for the caller to know (`white_box.worst_neighbour` looks at the neighbours of one database).
    """

    calibration: Calibration
    query: Query | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        require_kind(self.calibration, tuple(f"Gaussian ({rule})" for rule in RULES), "std")
        if self.query is not None:
            require_function(self.query, "query")

    @property
    def std(self) -> float:
        """Standard deviation of the noise in every coordinate, in the unit of the sensitivity."""
        return self.calibration.noise["std"]

    @releasing
    def release(self, data: Any, rng: np.random.Generator | None = None) -> Release:
        """The query's value plus noise, rounded exactly to the grid of the std. Raises `UnsafeRelease`,
        `InputError`.
        """
        self.calibration.require_safe()
        value = self._value(data)
        return add_normal(value.rounded, self.std, Stream(rng), value.exact)

    def output_law(self, data: Any) -> OutputLaw:
        """N(value, std^2 I), the law that `release` samples from, for a value with d entries."""
        value = self._value(data).array().ravel()
        return OutputLaw(value, self.std**2 * np.eye(value.size))

    def _value(self, data: Any) -> Values:
        return query_values(self.query, data)


@keyword_only
def gaussian_mechanism(
    sensitivity: float,
    *,
    epsilon: float,
    delta: float,
    adjacency: str,
    rule: str = "analytic",
    query: Query | None = None,
) -> GaussianMechanism:
    """The Gaussian mechanism for an L2 sensitivity, calibrated by one of three rules.

    rule "analytic": the smallest valid std (BW-Alg1, BW-T9), on the safe side; "classical": `sensitivity sqrt(2
    ln(1.25/delta))/epsilon` (BW-T1), marked unsafe where its certified delta exceeds the target; "rho":
    `sensitivity/sqrt(rho)` with `sqrt(rho) = sqrt(2 l + 2 epsilon) - sqrt(2 l)`, l = ln(1/delta) (SL-2), which is even
    (epsilon, delta/2)-DP. sensitivity > 0 for the neighbours that `adjacency` names; epsilon >= 0 ("analytic") or > 0;
    0 < delta < 1. The certificate is the closed form at the sensitivity, exact over all queries of that sensitivity.
    query: data -> the numbers that the noise is added to; without it a release is given them. Raises `InputError`.

    Examples
    --------
    >>> from ndis_verify.mechanisms import gaussian_mechanism
    >>> mechanism = gaussian_mechanism(1.0, epsilon=1.0, delta=1e-5, adjacency="one record replaced")
    >>> print(f"{mechanism.std:.9f}")
    3.730631635
    """
    size, target = positive(sensitivity, "sensitivity"), Target(epsilon=epsilon, delta=delta)
    choice(rule, "rule", RULES)
    if not 0 < target.delta < 1:
        raise InputError("delta", delta, "must be positive and less than 1")
    if rule != "analytic" and target.epsilon == 0:
        raise InputError("epsilon", epsilon, f"must be positive: the {rule} rule divides by it")
    std = size * _unit_std(rule, target)
    if not 0 < std * std < math.inf or size / std == 0:
        raise InputError("sensitivity", sensitivity, f"gives a standard deviation of {std:g}, out of float64's range")
    if rule == "analytic":
        std = _settled(size, std, target)
    reached = _reached(size, std, target)
    certificate = Certificate(_BOUNDS[rule], {"shift": size / std}, reached)
    unsafe = f"delta reached {reached:.6g} is above the target {target.delta:.6g}" if reached > target.delta else ""
    public = {"sensitivity": size, "rule": rule}
    return GaussianMechanism(
        Calibration(f"Gaussian ({rule})", adjacency, public, target, {"std": std}, certificate, unsafe), query
    )


_BOUNDS = {
    "analytic": "closed form at the sensitivity (BW-T8), smallest std (BW-Alg1)",
    "classical": "closed form at the sensitivity (BW-T8), std of BW-T1",
    "rho": "closed form at the sensitivity (BW-T8), std of SL-2",
}


def _unit_std(rule: str, target: Target) -> float:
    """The std at sensitivity 1."""
    if rule == "analytic":
        return float(gaussian_std(1.0, epsilon=target.epsilon, delta=target.delta))
    if rule == "classical":
        return math.sqrt(2 * math.log(1.25 / target.delta)) / target.epsilon
    level = -math.log(target.delta)
    # sqrt(2l + 2 eps) - sqrt(2l) without the cancellation
    return (math.sqrt(2 * level + 2 * target.epsilon) + math.sqrt(2 * level)) / (2 * target.epsilon)


def _settled(size: float, std: float, target: Target) -> float:
    """The std widened until the closed form at the returned numbers themselves is at most delta."""
    while _reached(size, std, target) > target.delta:
        std *= 1 + 4e-16
    return std


def _reached(size: float, std: float, target: Target) -> float:
    """The closed form at those numbers, plus the error that float64 may have left."""
    return raised(float(gaussian_hockey_stick(size, std, target.epsilon)), promise("gaussian_hockey_stick"))


def query_values(query: Query | None, data: Any) -> Values:
    """What the noise is added to, exactly: the query of the data, or the data themselves. Raises `InputError`."""
    argument = "data" if query is None else "query"
    values = number_values(data if query is None else query(data), argument)
    if not values.rounded.size:
        raise InputError(argument, f"shape {values.rounded.shape}", "must have entries")
    return values


def finite_array(value: Any, argument: str) -> np.ndarray:
    """`value` as a float64 array with finite entries, at least one; raises `InputError`."""
    array = number_array(value, argument)
    if not array.size:
        raise InputError(argument, f"shape {array.shape}", "must have entries")
    return array
