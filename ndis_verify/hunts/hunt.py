"""A hunt for a calibration that returns too little noise: random targets, every returned number certified."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from ndis_verify.enclosure import Enclosure

Columns = Mapping[str, np.ndarray]
Point = dict[str, Any]  # one target, in exact numbers, and `noise`
NO_NOISE = 1e-280  # less stands for none: declared sensitivities may have no value at 0
LARGEST_WASTE = 2e-11  # that a calibration tight for its own worst case may leave: its margin for rounding


@dataclass(frozen=True)
class Family:
    """Calibrations of one kind, as the hunt needs them.

    draw(rng, count): columns of targets, `epsilon` and `delta` among them. calibrate(columns): the noise levels.
    achieved(columns, noise): their float64 delta. certify(point, digits): the certified delta at exactly the float64
    numbers of a point. sharpness: how far below its target a delta may stay, relatively.
    """

    name: str
    draw: Callable[[np.random.Generator, int], Columns]
    calibrate: Callable[[Columns], np.ndarray]
    achieved: Callable[[Columns, np.ndarray], np.ndarray]
    certify: Callable[[Point, int], Enclosure]
    sharpness: float = LARGEST_WASTE
    block: int = 1000
    quota: int = 18_500


@dataclass(frozen=True)
class HuntRecord:
    """What a hunt found; a waste is (target - certified delta)/target, the largest ones over targets that
    need noise.
    """

    family: str
    seed: int | list[int]
    points: int
    free: int  # of which need no noise
    certified: int
    unsafe: int  # certified delta above the target, or no finite noise
    undecided: int
    least_waste: float
    largest_waste: float
    largest_waste_float64: float  # over all points
    worst: Point
    seconds: float

    def line(self) -> str:
        """One line for a report."""
        return (
            f"{self.family}: {self.points} targets, {self.free} without noise, {self.certified} certified,"
            f" {self.unsafe} above the target, {self.undecided} undecided; waste between {self.least_waste:.3g} and"
            f" {self.largest_waste:.3g} (float64, all: at most {self.largest_waste_float64:.3g})"
        )


def hunt(family: Family, points: int, certified: int | None = None, seed: int | list[int] = 0) -> HuntRecord:
    """Calibrates `points` random targets at once and certifies `certified` of them (None: all).

    Of those a fifth are the points with the smallest waste in float64, the others a random choice.
    """
    start = time.perf_counter()
    rng = np.random.default_rng(seed)
    columns = family.draw(rng, points)
    noise = np.asarray(family.calibrate(columns), dtype=np.float64)
    finite = np.isfinite(noise)
    waste = np.where(finite, 1 - family.achieved(columns, np.where(finite, noise, 1.0)) / columns["delta"], -np.inf)
    chosen = _chosen(rng, waste, points if certified is None else min(certified, points))
    unsafe, undecided, wastes = int((~finite).sum()), 0, []
    for k in chosen[finite[chosen]]:
        value = _certified_waste(family, _point(columns, noise, int(k)))
        wastes.append(value)
        unsafe, undecided = unsafe + (value < 0), undecided + math.isnan(value)
    seen, known = chosen[finite[chosen]], np.array(wastes)
    noisy, known = known[(noise[seen] > NO_NOISE) & ~np.isnan(known)], np.where(np.isnan(known), math.inf, known)
    worst = seen[int(np.argmin(known))] if known.size else int(np.argmin(waste))
    return HuntRecord(
        family=family.name,
        seed=seed,
        points=points,
        free=int((noise <= NO_NOISE).sum()),
        certified=len(wastes),
        unsafe=int(unsafe),
        undecided=int(undecided),
        least_waste=float(known.min(initial=math.inf)),
        largest_waste=float(noisy.max(initial=-math.inf)),
        largest_waste_float64=float(waste.max(where=noise > NO_NOISE, initial=-math.inf)),
        worst={name: float(value) for name, value in _point(columns, noise, int(worst)).items()},
        seconds=round(time.perf_counter() - start, 2),
    )


def _chosen(rng: np.random.Generator, waste: np.ndarray, count: int) -> np.ndarray:
    if count == waste.size:
        return np.arange(count)
    dangerous = np.argsort(waste, kind="stable")[: count // 5]
    others = np.setdiff1d(np.arange(waste.size), dangerous)
    return np.sort(np.concatenate([dangerous, rng.choice(others, count - dangerous.size, replace=False)]))


def _point(columns: Columns, noise: np.ndarray, k: int) -> Point:
    point = {name: Fraction(float(column[k])) for name, column in columns.items()}
    return {**point, "noise": Fraction(float(noise[k])) if np.isfinite(noise[k]) else float(noise[k])}


def _certified_waste(family: Family, point: Point) -> float:
    """(target - delta)/target from below, negative only where delta > target for certain; nan where that is not
    decided.
    """
    for digits in (16, 32, 64):
        value = family.certify(point, digits)
        if value.lower > point["delta"]:
            return float(1 - value.lower / point["delta"])
        if value.upper <= point["delta"]:
            return float(1 - value.upper / point["delta"])
    return math.nan


def rows_of(columns: Columns) -> list[dict[str, float]]:
    """The targets one by one."""
    return [dict(zip(columns, values)) for values in zip(*(np.asarray(column).tolist() for column in columns.values()))]


def targets(rng: np.random.Generator, count: int) -> dict[str, np.ndarray]:
    """epsilon in [1e-6, 100] and delta in [1e-30, 0.4], both log-uniform."""
    return {"epsilon": log_uniform(rng, 1e-6, 100, count), "delta": log_uniform(rng, 1e-30, 0.4, count)}


def log_uniform(rng: np.random.Generator, low: float, high: float, count: int) -> np.ndarray:
    return np.exp(rng.uniform(math.log(low), math.log(high), count))
