"""What a calibration is: inputs, target, noise, and the certificate that the noise is enough."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import numpy as np

from ndis_verify.exact_number import InputError
from ndis_verify.fast.random_projection import MOST_COLUMNS

DIGITS = 11  # decimal digits that the float64 engine guarantees for a delta


class UnsafeRelease(ValueError):
    """A release was asked of a calibration that is kept for comparison only."""


@dataclass(frozen=True)
class Target:
    """An (epsilon, delta) to be met: epsilon >= 0 and finite, delta in [0, 1]. Raises `InputError`."""

    epsilon: float
    delta: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", number(self.epsilon, "epsilon", 0.0, math.inf))
        object.__setattr__(self, "delta", number(self.delta, "delta", 0.0, 1.0))
        if math.isinf(self.epsilon):
            raise InputError("epsilon", self.epsilon, "must be finite")


@dataclass(frozen=True)
class Certificate:
    """Why a noise level is enough.

    bound: which bound was used, with its source tag. worst_case: the neighbouring pair, in the bound's own parameters,
    at which it was evaluated. delta: its value there at the calibrated noise, at the target's epsilon. digits: decimal
    digits of delta that the engine vouches for.
    """

    bound: str
    worst_case: Mapping[str, Any]
    delta: float
    digits: int = DIGITS

    def __post_init__(self) -> None:
        object.__setattr__(self, "worst_case", MappingProxyType(dict(self.worst_case)))
        number(self.delta, "delta", 0.0, 1.0)


@dataclass(frozen=True)
class Calibration:
    """A frozen calibration: it releases nothing by itself, and is all that a release needs besides the data.

    mechanism: its name. adjacency: which databases are neighbours. public: what has to be known without looking at the
    data (norm bound, rows, label bound ...). noise: the calibrated parameters by name. A calibration that is printed
    somewhere but does not meet its target has `unsafe`, the reason, and cannot be released from.
    Raises `ValueError` where a calibration that claims to be safe has a certificate above its target.
    """

    mechanism: str
    adjacency: str
    public: Mapping[str, Any]
    target: Target
    noise: Mapping[str, float]
    certificate: Certificate
    unsafe: str = field(default="")

    def __post_init__(self) -> None:
        for name in ("public", "noise"):
            object.__setattr__(self, name, MappingProxyType(dict(getattr(self, name))))
        if not self.unsafe and self.certificate.delta > self.target.delta:
            raise ValueError(f"{self.mechanism}: certified delta {self.certificate.delta!r} is above the target {self.target.delta!r}")

    def require_safe(self) -> None:
        """Raises `UnsafeRelease` where this calibration is for comparison only."""
        if self.unsafe:
            raise UnsafeRelease(f"{self.mechanism}: {self.unsafe}; this calibration cannot be used to release")

    def as_dict(self) -> dict[str, Any]:
        """The whole record as plain JSON types."""
        certificate = {"bound": self.certificate.bound, "worst_case": dict(self.certificate.worst_case),
                       "delta": self.certificate.delta, "digits": self.certificate.digits}  # fmt: skip
        return {
            "mechanism": self.mechanism,
            "adjacency": self.adjacency,
            "public": dict(self.public),
            "target": {"epsilon": self.target.epsilon, "delta": self.target.delta},
            "noise": dict(self.noise),
            "certificate": certificate,
            "unsafe": self.unsafe,
        }


def number(value: Any, argument: str, low: float, high: float) -> float:
    """`value`, one number and no truth value, as a float in [low, high]; raises `InputError`."""
    if isinstance(value, (bool, np.bool_)) or np.ndim(value):
        raise InputError(argument, value if np.ndim(value) == 0 else f"an array of shape {np.shape(value)}", "must be one number")
    try:
        result = float(value)
    except (TypeError, ValueError, OverflowError):
        raise InputError(argument, value, "must be a number") from None
    if not low <= result <= high:
        raise InputError(argument, value, f"must be between {low:g} and {high:g}" if math.isfinite(high) else f"must be at least {low:g}")
    return result


def positive(value: Any, argument: str) -> float:
    """`value` as a positive finite float; raises `InputError`."""
    result = number(value, argument, 0.0, math.inf)
    if result == 0 or math.isinf(result):
        raise InputError(argument, value, "must be positive and finite")
    return result


def columns(value: Any) -> int:
    """r, columns of a projection or rows of a sketch, as an int from 1 to `MOST_COLUMNS`; raises `InputError`."""
    result = whole(value, "r")
    if result > MOST_COLUMNS:
        raise InputError("r", value, f"must be at most {MOST_COLUMNS}: beyond it float64 has too few digits for a certificate")
    return result


def whole(value: Any, argument: str, least: int = 1) -> int:
    """`value` as an int of at least `least`; raises `InputError`."""
    result = number(value, argument, least, math.inf)
    if math.isinf(result) or result != int(result):
        raise InputError(argument, value, "must be a whole number")
    return int(result)
