"""Where a universal claim is declared to hold: named parameters, constraints and hypotheses, reached from the unit
cube.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any, Literal

import numpy as np
import scipy
from scipy.special import expit

from ndis_verify.court.exact_points import Point as Point
from ndis_verify.court.exact_points import exact_text
from ndis_verify.court.exact_points import shown as shown
from ndis_verify.court.exact_points import shown_point as shown_point
from ndis_verify.exact_number import InputError, exact

Columns = dict[str, np.ndarray]  # parameter name -> one entry for each point, in floats
Scale = Literal["linear", "log", "logit"]
_FEW_TRIES = 64
_MAX_CORNERS = 1024


class VacuityError(ValueError):
    """No point of the domain was found, or a point of it breaks a hypothesis of the claim: nothing is tested."""


@dataclass(frozen=True)
class Parameter:
    """One named quantity of a claim and how the unit interval runs over its range; made by the functions below."""

    name: str
    kind: Literal["continuous", "integer", "choice"]
    low: Fraction
    high: Fraction
    scale: Scale = "linear"
    choices: tuple[Any, ...] = ()
    complement: str | None = None

    def floats(self, unit: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(values, distances from 1) at the coordinates `unit`; the second is exact near 1 on a logit scale."""
        if self.kind == "choice":
            index = np.minimum((unit * len(self.choices)).astype(int), len(self.choices) - 1)
            return np.array(self.choices)[index], np.full(unit.shape, np.nan)
        if self.kind == "integer":
            return self._integers(unit), np.full(unit.shape, np.nan)
        low, high = _inside(self.low, self.high)
        if self.scale == "logit":
            odds = _log_odds(self.low) + unit * (_log_odds(self.high) - _log_odds(self.low))
            gap_low, gap_high = _inside(1 - self.high, 1 - self.low)
            odds = np.where(unit <= 0, -np.inf, np.where(unit >= 1, np.inf, odds))  # the ends are met exactly
            return np.clip(expit(odds), low, high), np.clip(expit(-odds), gap_low, gap_high)
        if self.scale == "log":
            values = np.exp((1 - unit) * _log(self.low) + unit * _log(self.high))
        else:
            values = (1 - unit) * low + unit * high
        values = np.where(unit <= 0, low, np.where(unit >= 1, high, np.clip(values, low, high)))
        return values, 1 - values

    def _integers(self, unit: np.ndarray) -> np.ndarray:
        low, high = int(self.low), int(self.high)
        if self.scale == "log":
            shifted = np.floor(np.exp((1 - unit) * math.log(low) + unit * math.log(high + 1)) * (1 + 1e-12))
        else:
            shifted = low + np.floor(unit * (high - low + 1))
        return np.clip(shifted, low, high).astype(np.int64)

    def value(self, unit: float) -> Any:
        """The exact value at one coordinate: a Fraction, an int or a choice."""
        at = np.array([unit])
        values, gaps = self.floats(at)
        if self.kind != "continuous":
            return values[0].item()
        near_one = self.scale == "logit" and values[0] > 0.5
        number = 1 - Fraction(float(gaps[0])) if near_one else Fraction(float(values[0]))
        return min(max(number, self.low), self.high)

    def unit(self, value: Any) -> float:
        """A coordinate at which `value` is reached, up to rounding."""
        if self.kind == "choice":
            return (self.choices.index(value) + 0.5) / len(self.choices)
        number = exact(value, self.name)
        if self.kind == "integer":
            if self.scale == "log":
                return (_log(number + Fraction(1, 2)) - _log(self.low)) / (_log(self.high + 1) - _log(self.low))
            return float((number - self.low + Fraction(1, 2)) / (self.high - self.low + 1))
        if self.high == self.low:
            return 0.0
        marks: dict[Scale, Callable[[Fraction], float]] = {"linear": float, "log": _log, "logit": _log_odds}
        mark = marks[self.scale]
        return (mark(number) - mark(self.low)) / (mark(self.high) - mark(self.low))

    def admits(self, value: Any) -> bool:
        """Whether the exact `value` lies in the range."""
        if self.kind == "choice":
            return value in self.choices
        return self.low <= value <= self.high and (self.kind == "continuous" or Fraction(value).denominator == 1)

    def __str__(self) -> str:
        if self.kind == "choice":
            return f"{self.name} in {{{', '.join(map(str, self.choices))}}}"
        text = f"{self.name} in [{exact_text(self.low)}, {exact_text(self.high)}]"
        return (
            text
            + (", whole" if self.kind == "integer" else "")
            + ("" if self.scale == "linear" else f", {self.scale} scale")
        )


def continuous(name: str, low: Any, high: Any, scale: Scale = "linear", complement: str | None = None) -> Parameter:
    """A real parameter on [low, high]; bounds are exact numbers (decimal strings, ints, Fractions, floats).

    scale "log": the logarithm is uniform, low > 0. "logit": log(x/(1-x)) is uniform, 0 < low < high < 1, so that both
    ends are approached through all magnitudes; `complement` names a second column that holds 1 - x without rounding
    it away. Raises `InputError`.
    """
    low, high = exact(low, f"low of {name}"), exact(high, f"high of {name}")
    if scale not in ("linear", "log", "logit"):
        raise InputError("scale", scale, "must be linear, log or logit")
    if low > high:
        raise InputError(f"low of {name}", shown(low), f"must be at most {shown(high)}")
    if scale == "log" and low <= 0:
        raise InputError(f"low of {name}", shown(low), "must be positive on a log scale")
    if scale == "logit" and not 0 < low <= high < 1:
        raise InputError(
            f"range of {name}", f"[{shown(low)}, {shown(high)}]", "must lie inside (0, 1) on a logit scale"
        )
    return Parameter(_name(name), "continuous", low, high, scale, complement=complement and _name(complement))


def integer(name: str, low: int, high: int, scale: Literal["linear", "log"] = "linear") -> Parameter:
    """A whole number in low..high, uniform or (low >= 1) uniform in its logarithm."""
    if int(low) != low or int(high) != high or low > high or (scale == "log" and low < 1):
        raise InputError(
            f"range of {name}", f"{low}..{high}", "must be whole numbers, low <= high, low >= 1 on a log scale"
        )
    return Parameter(_name(name), "integer", Fraction(low), Fraction(high), scale)


def choice(name: str, values: Sequence[Any]) -> Parameter:
    """One of `values`, which are numbers or strings; simpler ones first, as shrinking prefers the first."""
    if not values:
        raise InputError(name, values, "must offer at least one value")
    return Parameter(_name(name), "choice", Fraction(0), Fraction(len(values)), choices=tuple(values))


def vector(name: str, size: int, low: Any, high: Any, scale: Scale = "linear") -> tuple[Parameter, ...]:
    """`name_1` ... `name_size`, each as `continuous`; `stacked` puts their columns side by side."""
    return tuple(continuous(f"{name}_{i + 1}", low, high, scale) for i in range(size))


def stacked(name: str, columns: Mapping[str, Any]) -> np.ndarray:
    """The columns `name_1`, `name_2`, ... as one array of shape (points, size)."""
    size = 1
    while f"{name}_{size + 1}" in columns:
        size += 1
    return np.stack([np.asarray(columns[f"{name}_{i + 1}"]) for i in range(size)], axis=-1)


@dataclass(frozen=True)
class Condition:
    """A condition on the parameters: a sentence and a predicate of the named parameters.

    `holds` gets float columns and returns an array of booleans. At a counterexample the same predicate is evaluated
    in Fractions; where it uses more than + - * / and comparisons, give `exact`, which takes Fractions.
    """

    text: str
    holds: Callable[..., Any]
    exact: Callable[..., bool] | None = None

    def at(self, point: Point) -> bool:
        """Whether it holds at an exact point, without rounding."""
        try:
            return bool((self.exact or self.holds)(**point))
        except (TypeError, AttributeError) as error:
            raise InputError(
                "condition", self.text, f"cannot be decided in Fractions ({error}); give `exact=`"
            ) from error


@dataclass(frozen=True)
class Domain:
    """Parameters, `constraints` that cut their box down, and the `hypotheses` of the claim as data.

    Points that break a constraint are passed over. A point that breaks a hypothesis is a fault of the domain and
    raises `VacuityError`: the claim would be tested where it says nothing.
    """

    parameters: tuple[Parameter, ...]
    constraints: tuple[Condition, ...] = ()
    hypotheses: tuple[Condition, ...] = ()

    def __post_init__(self) -> None:
        for name in ("parameters", "constraints", "hypotheses"):
            object.__setattr__(self, name, tuple(getattr(self, name)))
        names = [p.name for p in self.parameters] + [p.complement for p in self.parameters if p.complement]
        if not names or len(set(names)) < len(names):
            raise InputError("parameters", ", ".join(names) or "()", "must have at least one, all with different names")

    @property
    def size(self) -> int:
        return len(self.parameters)

    def columns(self, unit: np.ndarray) -> Columns:
        """Float columns at the rows of `unit`, shape (n, size), entries in [0, 1]."""
        result: Columns = {}
        for j, parameter in enumerate(self.parameters):
            values, gaps = parameter.floats(unit[:, j])
            result[parameter.name] = values
            if parameter.complement:
                result[parameter.complement] = gaps
        return result

    def columns_of(self, points: Sequence[Point]) -> Columns:
        """Float columns of exact points, each number rounded once."""
        result: Columns = {}
        for p in self.parameters:
            values = [point[p.name] for point in points]
            result[p.name] = np.array([float(v) for v in values] if p.kind == "continuous" else values)
            if p.complement:
                result[p.complement] = np.array([float(1 - Fraction(v)) for v in values])
        return result

    def point(self, unit: Iterable[float]) -> Point:
        """The exact point at one row of coordinates."""
        return {p.name: p.value(float(u)) for p, u in zip(self.parameters, unit, strict=True)}

    def exact_point(self, values: Mapping[str, Any]) -> Point:
        """`values` (exact numbers by parameter name) as a point; raises `InputError` for a missing or unknown name, and
        for a fraction where a whole number is asked for.
        """
        if set(values) != {p.name for p in self.parameters}:
            raise InputError("point", ", ".join(values), f"must give {', '.join(p.name for p in self.parameters)}")
        kinds = {p.name: p.kind for p in self.parameters}
        point = {n: v if kinds[n] == "choice" else exact(v, n) for n, v in values.items()}
        for name in (n for n, kind in kinds.items() if kind == "integer"):
            if point[name].denominator != 1:
                raise InputError(name, values[name], "must be a whole number")
            point[name] = int(point[name])
        return {name: point[name] for name in values}

    def unit(self, point: Mapping[str, Any]) -> np.ndarray:
        """Coordinates of a point, up to rounding."""
        return np.clip([p.unit(point[p.name]) for p in self.parameters], 0.0, 1.0)

    def feasible(self, columns: Columns) -> np.ndarray:
        """Which rows satisfy every constraint; raises `VacuityError` if one of those breaks a hypothesis."""
        count = len(next(iter(columns.values())))
        mask = np.ones(count, dtype=bool)
        for constraint in self.constraints:
            mask &= np.broadcast_to(np.asarray(constraint.holds(**columns), dtype=bool), mask.shape)
        for hypothesis in self.hypotheses:
            broken = mask & ~np.broadcast_to(np.asarray(hypothesis.holds(**columns), dtype=bool), mask.shape)
            if broken.any():
                row = int(np.flatnonzero(broken)[0])
                where = ", ".join(f"{name} = {column[row]}" for name, column in columns.items())
                raise VacuityError(f"a point of the domain breaks the hypothesis '{hypothesis.text}': {where}")
        return mask

    def contains(self, point: Point) -> bool:
        """Whether an exact point lies in the box and satisfies constraints and hypotheses, decided without rounding."""
        in_box = all(p.admits(point[p.name]) for p in self.parameters)
        if not in_box:
            return False
        full = dict(point)
        full |= {p.complement: 1 - point[p.name] for p in self.parameters if p.complement}
        return all(condition.at(full) for condition in (*self.constraints, *self.hypotheses))

    def satisfiable(self, rng: np.random.Generator, tries: int = 4096) -> None:
        """Raises `VacuityError` where none of `tries` random points satisfies the constraints."""
        done = 0
        while done < tries:
            count = min(max(_FEW_TRIES, 3 * done), tries - done)  # few where they will do: most domains are wide
            if self.feasible(self.columns(rng.random((count, self.size)))).any():
                return
            done += count
        raise VacuityError(f"none of {tries} random points satisfies {', '.join(c.text for c in self.constraints)}")

    def sample(self, count: int, rng: np.random.Generator) -> np.ndarray:
        """`count` rows of coordinates: scrambled Sobol points, a third of them moved onto faces and edges."""
        sobol = scipy.stats.qmc.Sobol(self.size, scramble=True, seed=rng)
        unit = sobol.random(1 << max(0, math.ceil(math.log2(max(count, 1)))))[:count]
        moved = unit[: count // 3]
        fixed = rng.random(moved.shape) < rng.uniform(0.1, 0.9, (len(moved), 1))
        moved[fixed] = rng.integers(0, 2, moved.shape)[fixed]
        return unit

    def corners(self, rng: np.random.Generator) -> np.ndarray:
        """All corners of the cube and its centre, or as many random corners as `_MAX_CORNERS`."""
        if 2**self.size <= _MAX_CORNERS:
            rows = np.array(list(product((0.0, 1.0), repeat=self.size)))
        else:
            rows = rng.integers(0, 2, (_MAX_CORNERS, self.size)).astype(float)
        return np.vstack([np.full((1, self.size), 0.5), rows])

    def lines(self) -> tuple[str, ...]:
        """The domain as sentences."""
        return (*map(str, self.parameters), *(c.text for c in self.constraints), *(h.text for h in self.hypotheses))


def _name(name: str) -> str:
    if not (isinstance(name, str) and name.isidentifier()):
        raise InputError("name", name, "must be a Python identifier: margins take parameters by keyword")
    return name


def _log(value: Fraction) -> float:
    value = Fraction(value)
    return math.log(value.numerator) - math.log(value.denominator)


def _log_odds(value: Fraction) -> float:
    return _log(value) - _log(1 - value)


def _inside(low: Fraction, high: Fraction) -> tuple[float, float]:
    """The outermost floats of [low, high]; a range without a float gives its rounded ends."""
    first, last = float(low), float(high)
    if Fraction(first) < low:
        first = math.nextafter(first, math.inf)
    if Fraction(last) > high:
        last = math.nextafter(last, -math.inf)
    return (first, last) if first <= last else (float(low), float(high))
