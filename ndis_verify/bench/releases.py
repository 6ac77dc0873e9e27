"""What an exact release costs beside the plain float64 sampler of the same law: CPU seconds in turns, and
their ratio.
"""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ndis_verify.mechanisms.gaussian import finite_array, gaussian_mechanism
from ndis_verify.mechanisms.random_projection import RandomProjection, random_projection
from ndis_verify.mechanisms.records import clip_norms, database

_TARGET: dict[str, Any] = {"epsilon": 1.0, "delta": 1e-6}
_BLOCK = 2**20  # numbers that the plain sampler draws at a time


@dataclass(frozen=True)
class Pair:
    """Two ways to draw one release: `exact`, ours, and `plain`, sums of float64 noise that keep their low bits."""

    key: str
    exact: Callable[[], object]
    plain: Callable[[], object]


def pairs(vector: int, records: int, rng: np.random.Generator) -> list[Pair]:
    """The Gaussian mechanism on a vector, and a projection of `records` x 100 to r = 100."""
    value = rng.standard_normal(vector)
    gaussian = gaussian_mechanism(1.0, **_TARGET, adjacency="declared")
    data = clip_norms(rng.standard_normal((records, 100)), 1.0)
    projection = random_projection(100, **_TARGET, norm_bound=1.0)
    return [
        Pair(
            f"Gaussian mechanism, vector of {vector}",
            lambda: gaussian.release(value),
            lambda: _plain_vector(value, gaussian.std),
        ),
        Pair(
            f"random projection, {records} x 100, r = 100",
            lambda: projection.release(data),
            lambda: _plain_projection(projection, data),
        ),
    ]


def _plain_vector(value: np.ndarray, std: float) -> np.ndarray:
    return finite_array(value, "data") + std * np.random.default_rng().standard_normal(value.size)


def _plain_projection(projection: RandomProjection, data: np.ndarray) -> np.ndarray:
    """The same checks of the records, then float64 sums."""
    rng, r, records = np.random.default_rng(), projection.calibration.public["r"], database(data, 1.0)
    matrix = projection.ridge**0.5 * rng.standard_normal((data.shape[1], r))
    step = max(1, _BLOCK // r)
    for start in range(0, len(records), step):
        block = records[start : start + step]
        matrix += block.T @ rng.standard_normal((len(block), r))
    return matrix


def measure_releases(vector: int, records: int, repetitions: int, rng: np.random.Generator) -> list[dict]:
    """A row for each pair: least and median CPU seconds of both, the ratio of the least and of the medians, peak bytes
    of ours.
    """
    rows = []
    for pair in pairs(vector, records, rng):
        seconds: dict[str, list[float]] = {"exact": [], "plain": []}
        for turn in range(repetitions + 1):  # the first is a warm-up
            for name in seconds:
                spent = _cpu_seconds(getattr(pair, name))
                seconds[name] += [spent] if turn else []
        tracemalloc.start()
        try:
            pair.exact()
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
        least, median = ({name: float(pick(times)) for name, times in seconds.items()} for pick in (min, np.median))
        rows.append(
            {
                "release": pair.key,
                "exact": least["exact"],
                "plain": least["plain"],
                "ratio": least["exact"] / least["plain"],
                "median_ratio": median["exact"] / median["plain"],
                "peak_bytes": peak,
            }
        )
    return rows


def _cpu_seconds(call: Callable[[], object]) -> float:
    start = time.process_time()
    call()
    return time.process_time() - start
