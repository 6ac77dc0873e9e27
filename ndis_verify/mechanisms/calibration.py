"""What a calibration is: inputs, target, noise, and the certificate that the noise is enough."""

from __future__ import annotations

import math
import numbers
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from types import MappingProxyType
from typing import Any

import mpmath
import numpy as np

from ndis_verify.calibrator import keyword_only
from ndis_verify.exact_number import MAX_EXPONENT, InputError, exact
from ndis_verify.fast.accuracy import digits, promise
from ndis_verify.fast.random_projection import MOST_COLUMNS
from ndis_verify.rich import field_table

NEXT_TO_NOTHING = 1e-280  # a noise parameter up to this is none: sensitivities declared for v > 0 are tried below it


class UnsafeRelease(ValueError):
    """A release was asked of a calibration that is kept for comparison only."""


@dataclass(frozen=True, kw_only=True)
class Target:
    """An (epsilon, delta) to be met: epsilon in [0, 1e300], delta in [0, 1], rounded down where float64 does not hold
    them. Raises `InputError`.
    """

    epsilon: float
    delta: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", number(self.epsilon, "epsilon", 0.0, 1e300, -math.inf))
        object.__setattr__(self, "delta", number(self.delta, "delta", 0.0, 1.0, -math.inf))


Target.__init__ = keyword_only(Target.__init__)  # type: ignore[method-assign]  # of a dataclass


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
    digits: int = field(default_factory=lambda: digits(promise("hockey_stick")))

    def __post_init__(self) -> None:
        _require("bound", self.bound, str)
        _require("worst_case", self.worst_case, Mapping)
        object.__setattr__(self, "worst_case", _frozen(self.worst_case))
        number(self.delta, "delta", 0.0, 1.0)
        whole(self.digits, "digits", 0)

    def speak_of(self, calibration: tuple[Any, ...]) -> None:
        """It certifies what it was first asked for; raises `InputError` where that is something else."""
        if self.__dict__.setdefault("_calibration", calibration) != calibration:
            raise InputError(
                "certificate", self.bound, "must be of this calibration, which was changed: calibrate again"
            )

    def _repr_html_(self) -> str:
        return field_table(self)

    def __copy__(self) -> Certificate:
        return self  # it keeps what it speaks of

    def __deepcopy__(self, memo: Any) -> Certificate:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return Certificate, (self.bound, _plain(self.worst_case), self.delta, self.digits)


@dataclass(frozen=True)
class Calibration:
    """A frozen calibration: it releases nothing by itself, and is all that a release needs besides the data.

    mechanism: its name. adjacency: which databases are neighbours. public: what has to be known without looking at the
    data (norm bound, rows, label bound ...), lists and arrays kept as tuples. noise: the calibrated parameters by name.
    A calibration that is printed somewhere but does not meet its target has `unsafe`, the reason, and cannot be
    released from; one that adds no noise, or next to none, says in `needless` why none is needed. Raises `InputError`
    where no adjacency is named, where a noise parameter is no number from 0 on, where a calibration that claims to be
    safe has a certificate above its target, and where the certificate is that of another calibration.
    """

    mechanism: str
    adjacency: str
    public: Mapping[str, Any]
    target: Target
    noise: Mapping[str, float]
    certificate: Certificate
    unsafe: str = field(default="")

    def __post_init__(self) -> None:
        kinds = {
            "mechanism": str,
            "public": Mapping,
            "target": Target,
            "noise": Mapping,
            "certificate": Certificate,
            "unsafe": str,
        }
        for name, kind in kinds.items():
            _require(name, getattr(self, name), kind)
        for name in ("public", "noise"):
            object.__setattr__(self, name, _frozen(getattr(self, name)))
        for name, value in self.noise.items():
            number(value, f"noise {name}", 0.0, math.inf)
        require_adjacency(self.adjacency)
        if not self.unsafe and not self.certificate.delta <= self.target.delta:
            rule = (
                f"must leave room for rounding: the certified delta {self.certificate.delta!r} of the {self.mechanism}"
                " is above the target"
            )
            raise InputError("delta", self.target.delta, rule)
        certified = (self.mechanism, self.adjacency, self.public, self.target.epsilon, self.noise, self.unsafe)
        self.certificate.speak_of(certified)

    def _repr_html_(self) -> str:
        return field_table(self, f"Calibration of {self.mechanism}")

    def require_safe(self) -> None:
        """Raises `UnsafeRelease` where this calibration is for comparison only."""
        if self.unsafe:
            raise UnsafeRelease(f"{self.mechanism}: {self.unsafe}; this calibration cannot be used to release")

    @property
    def needless(self) -> str:
        """Why no noise is needed, in words, where none or next to none is added; empty elsewhere."""
        if self.unsafe or max(self.noise.values(), default=1.0) > NEXT_TO_NOTHING:
            return ""
        shown = ", ".join(f"{name} {value:.2g}" for name, value in self.noise.items())
        reached = f"delta is {self.certificate.delta:.3g}, at most the target's {self.target.delta:.3g}"
        return f"no noise is needed because at {shown} the certified {reached}: {self.certificate.bound}"

    def __reduce__(self) -> tuple[Any, ...]:
        return Calibration, (
            self.mechanism,
            self.adjacency,
            _plain(self.public),
            self.target,
            _plain(self.noise),
            self.certificate,
            self.unsafe,
        )

    def as_dict(self) -> dict[str, Any]:
        """The whole record as plain JSON types."""
        certificate = {
            "bound": self.certificate.bound,
            "worst_case": _plain(self.certificate.worst_case),
            "delta": self.certificate.delta,
            "digits": self.certificate.digits,
        }
        return {
            "mechanism": self.mechanism,
            "adjacency": self.adjacency,
            "public": _plain(self.public),
            "target": {"epsilon": self.target.epsilon, "delta": self.target.delta},
            "noise": _plain(self.noise),
            "certificate": certificate,
            "unsafe": self.unsafe,
            "needless": self.needless,
        }


def raised(delta: float, error: float) -> float:
    """A float64 delta raised by the relative error of its engine, at most 1; never 0, for it may have underflowed."""
    return min(max(delta * (1 + error), math.ulp(0.0)), 1.0)


def require_adjacency(adjacency: Any) -> None:
    """Raises `InputError` where `adjacency` is no text."""
    if not isinstance(adjacency, str) or not adjacency.strip():
        raise InputError("adjacency", adjacency, "must say which databases are neighbours")


def require_function(value: Any, argument: str) -> None:
    """Raises `InputError` where `value` cannot be called."""
    if not callable(value):
        raise InputError(argument, type(value).__name__, "must be a function of the data")


def require_kind(calibration: Any, kinds: tuple[str, ...] | None, noise: str) -> None:
    """The calibration is one that the factories of the mechanism at hand make: another's noise may be too little for
    it.

    Its name up to the first comma is one of `kinds` (None: whatever it is), and `noise` is one of its noise parameters.
    Raises `InputError`.
    """
    if not isinstance(calibration, Calibration):
        raise InputError("calibration", type(calibration).__name__, "must be a Calibration")
    if kinds is not None and calibration.mechanism.partition(",")[0] not in kinds:
        raise InputError("calibration", calibration.mechanism, f"must be one of: {', '.join(kinds)}")
    if noise not in calibration.noise:
        raise InputError("calibration", calibration.mechanism, f"must have the noise parameter {noise}")


def choice(value: Any, argument: str, allowed: tuple[str, ...]) -> str:
    """`value`, one of the names `allowed`; raises `InputError`."""
    if not isinstance(value, str) or value not in allowed:
        raise InputError(argument, value, f"must be one of {', '.join(allowed)}")
    return value


def real(value: Any) -> bool:
    """Whether `value` is one real number: no truth value, text, duration or complex number, whatever float would make
    of them.
    """
    return isinstance(value, (numbers.Real, Decimal)) and not isinstance(value, (bool, np.timedelta64))


def exactly(value: Any, argument: str) -> Fraction:
    """One real number as a Fraction, which a Decimal or an mpf far beyond float64 would fill the memory as; raises
    `InputError`.
    """
    if isinstance(value, Decimal):
        _, figures, exponent = value.as_tuple()
        if isinstance(exponent, int) and max(len(figures), abs(exponent)) > MAX_EXPONENT:
            raise InputError(argument, value, f"must have digits and an exponent of at most {MAX_EXPONENT}")
        return Fraction(value)
    if isinstance(value, mpmath.mpf) and abs(value._mpf_[2]) > 4 * MAX_EXPONENT:
        raise InputError(argument, mpmath.nstr(value), f"must have a decimal exponent of at most {MAX_EXPONENT}")
    if isinstance(value, numbers.Rational):
        return Fraction(int(value.numerator), int(value.denominator))
    return exact(value, argument)


def number(value: Any, argument: str, low: float, high: float, towards: float | None = None) -> float:
    """`value`, one real number, as a float in [low, high]; raises `InputError`.

    towards: inf or -inf, where a number that float64 does not hold is to be rounded to the safe side; else to nearest.
    """
    if isinstance(value, (list, tuple)) or getattr(value, "ndim", 0) != 0:
        raise InputError(argument, type(value).__name__, "must be one number")
    value = value[()] if type(value) is np.ndarray else value
    if not real(value):
        raise InputError(argument, value, "must be a real number")
    try:
        result = float(value)
    except (ValueError, OverflowError):
        raise InputError(argument, value, "must fit a float") from None
    if towards is not None and not isinstance(value, float) and math.isfinite(result):
        apart = exactly(value, argument) - Fraction(result)
        result = math.nextafter(result, towards) if apart * int(math.copysign(1, towards)) > 0 else result
    if not low <= result <= high:
        raise InputError(
            argument,
            value,
            f"must be between {low:g} and {high:g}" if math.isfinite(high) else f"must be at least {low:g}",
        )
    return result


def positive(value: Any, argument: str) -> float:
    """`value`, a size, as a positive finite float, rounded up where float64 does not hold it; raises `InputError`."""
    result = number(value, argument, 0.0, math.inf, math.inf)
    if result == 0 or math.isinf(result):
        raise InputError(argument, value, "must be positive and finite")
    return result


def ordinary(value: Any, argument: str) -> float:
    """`value` as a positive float whose square and its inverse are ordinary floats; raises `InputError`."""
    result = positive(value, argument)
    if not 1e-140 < result < 1e140:
        raise InputError(argument, value, "must lie between 1e-140 and 1e140")
    return result


def columns(value: Any) -> int:
    """r, columns of a projection or rows of a sketch, as an int from 1 to `MOST_COLUMNS`; raises `InputError`."""
    result = whole(value, "r")
    if result > MOST_COLUMNS:
        raise InputError(
            "r", value, f"must be at most {MOST_COLUMNS}: beyond it float64 has too few digits for a certificate"
        )
    return result


def whole(value: Any, argument: str, least: int = 1) -> int:
    """`value` as an int of at least `least`; raises `InputError`."""
    result = number(value, argument, least, math.inf)
    if math.isinf(result) or result != int(result):
        raise InputError(argument, value, "must be a whole number")
    return int(result)


def _require(argument: str, value: Any, kind: type) -> None:
    if not isinstance(value, kind):
        raise InputError(argument, type(value).__name__, f"must be a {kind.__name__}")


def _frozen(value: Any) -> Any:
    """Mappings read-only, lists and arrays as tuples, all the way down."""
    if isinstance(value, Mapping):
        return MappingProxyType({name: _frozen(entry) for name, entry in value.items()})
    value = value.tolist() if isinstance(value, np.ndarray) else value
    return tuple(_frozen(entry) for entry in value) if isinstance(value, (list, tuple)) else value


def _plain(value: Any) -> Any:
    """What `_frozen` froze, as dicts and lists."""
    if isinstance(value, Mapping):
        return {name: _plain(entry) for name, entry in value.items()}
    return [_plain(entry) for entry in value] if isinstance(value, tuple) else value
