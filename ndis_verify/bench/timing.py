"""Clocks: a call under a time limit, interleaved repetitions, and what a set of timings is summed up by."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Hashable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

Key = TypeVar("Key", bound=Hashable)
SHORTEST_SAMPLE = 2e-3  # seconds; faster calls are repeated inside one sample


class OutOfTime(BaseException):
    """The limit has passed. Not an Exception: a library's own `except Exception` must not swallow it."""


def limits_are_enforced() -> bool:
    """Whether `time_limit` can interrupt a call: it needs SIGALRM, and signals reach the main thread only."""
    return hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise `OutOfTime` inside the block after `seconds` (where `limits_are_enforced`), then again every second."""
    if not limits_are_enforced():
        yield
        return

    running = True

    def expire(number: int, frame: object) -> None:
        if running:
            raise OutOfTime

    previous = signal.signal(signal.SIGALRM, expire)
    signal.setitimer(signal.ITIMER_REAL, seconds, 1.0)
    try:
        try:
            yield
        finally:
            running = False  # an alarm that arrives during the clean-up must not interrupt it
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, previous)


@dataclass(frozen=True)
class Timing:
    """Seconds per call over `repetitions` samples: median, minimum and interquartile range."""

    median: float
    minimum: float
    iqr: float
    repetitions: int


def summarise(samples: list[float]) -> Timing:
    """The timing record of at least one sample."""
    low, median, high = np.percentile(samples, [25, 50, 75])
    return Timing(float(median), float(min(samples)), float(high - low), len(samples))


def interleaved(
    calls: Mapping[Key, Callable[[], object]],
    first: Mapping[Key, float],
    repetitions: int,
    budget: float,
    on_round: Callable[[int], None] = lambda done: None,
) -> dict[Key, Timing]:
    """Time every call, one sample of each per round, so that a busy machine slows all of them alike.

    `first` holds the seconds of one earlier call of each; a call takes part in as many rounds as fit in `budget`
    seconds, at most `repetitions`; at least 3 if one fits in `budget`, so that there is a median, else 1.
    """
    rounds = {name: _rounds(max(first[name], SHORTEST_SAMPLE), repetitions, budget) for name in calls}
    inner = {name: max(1, int(SHORTEST_SAMPLE / max(first[name], 1e-7))) for name in calls}
    samples: dict[Key, list[float]] = {name: [] for name in calls}
    for done in range(max(rounds.values(), default=0)):
        for name, call in calls.items():
            if done < rounds[name]:
                samples[name].append(_sample(call, inner[name]))
        on_round(done + 1)
    return {name: summarise(values) for name, values in samples.items()}


def _rounds(seconds: float, repetitions: int, budget: float) -> int:
    return min(repetitions, max(int(budget / seconds), 3 if seconds <= budget else 1))


def _sample(call: Callable[[], object], count: int) -> float:
    start = time.perf_counter()
    for _ in range(count):
        call()
    return (time.perf_counter() - start) / count
