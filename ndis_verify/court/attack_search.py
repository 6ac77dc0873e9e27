"""The search for the most negative margin in the unit cube: rounds of sampling, branch crossings, evolution,
refinement.

A round depends only on the seed, its number and the best points before it, so that a run repeats, and a run that was
stopped goes on from its last finished round. Rounds double in size; every second evolution starts afresh.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy

from ndis_verify.court.domain import Columns, Domain

ELITE = 24
FIRST_ROUND = 128
LARGEST_ROUND = 1 << 14
_APART = 0.02
_NOWHERE = 1e3  # objective where a point is not feasible or the engine failed
_OFFSETS = np.array([1e-12, 1e-9, 1e-6, 1e-4, 1e-2])


class BudgetSpent(Exception):
    """The evaluations or the seconds allowed are used up, or the search has what it was after."""


@dataclass
class Search:
    """The state of one search: what was evaluated, the best points, and what went wrong on the way."""

    domain: Domain
    margin: Callable[[Columns], np.ndarray]
    seed: int
    evaluations_allowed: int | None
    seconds_allowed: float | None = None
    progress: Callable[[int, int, str], None] = lambda done, total, label: None
    stop_below: float = -np.inf
    settles: Callable[[list[float]], bool] | None = None  # whether a point below stop_below is what it was after
    batch: int = 2048  # rows of one call in the first part of a round; a search that stops early stops between calls
    evaluations: int = 0
    infeasible: int = 0
    failures: int = 0
    failed_at: list[float] | None = None
    failure: str = ""
    lowest: float = np.inf
    highest: float = -np.inf
    crossings: int = 0
    rounds: int = 0
    elite: list[tuple[float, list[float]]] = field(default_factory=list)
    seconds_before: float = 0.0
    started: float = field(default_factory=time.monotonic)

    @property
    def seconds(self) -> float:
        return self.seconds_before + time.monotonic() - self.started

    def state(self) -> dict[str, Any]:
        """What a journal keeps after a round."""
        names = ("evaluations", "infeasible", "failures", "failed_at", "failure", "crossings", "rounds", "elite")
        return {name: getattr(self, name) for name in names} | {
            "seconds": self.seconds,
            "range": [self.lowest, self.highest] if self.elite else None,
        }

    def checked(self, state: dict[str, Any]) -> dict[str, Any]:
        """A `state` from a journal, if it is one of a search of this domain; else ValueError, TypeError or KeyError."""
        numbers = [state[name] for name in ("evaluations", "infeasible", "failures", "crossings", "rounds", "seconds")]
        numbers += [margin for margin, _ in state["elite"]] + (state["range"] if state["elite"] else [])
        points = [unit for _, unit in state["elite"]] + ([state["failed_at"]] if state["failures"] else [])
        inside = all(len(unit) == self.domain.size and 0 <= min(unit) <= max(unit) <= 1 for unit in points)
        told = state.keys() == self.state().keys() and isinstance(state["failure"], str) and not np.isnan(numbers).any()
        if not (told and inside):
            raise ValueError("no state of a search of this domain")
        return state

    def restore(self, state: dict[str, Any]) -> None:
        """Go on from a `state`."""
        state = dict(state)
        self.seconds_before = state.pop("seconds")
        if (ends := state.pop("range")) is not None:
            self.lowest, self.highest = ends
        for name, value in state.items():
            setattr(self, name, [(m, u) for m, u in value] if name == "elite" else value)

    def values(self, unit: np.ndarray) -> np.ndarray:
        """Margins at the rows of `unit`; +inf where a constraint fails, nan where the engine does."""
        unit = np.clip(np.atleast_2d(unit), 0.0, 1.0)
        allowed = len(unit)
        if self.evaluations_allowed is not None:
            allowed = min(allowed, self.evaluations_allowed - self.evaluations)
        late = self.seconds_allowed is not None and self.seconds >= self.seconds_allowed
        if allowed <= 0 or (late and self.evaluations):  # however slow the start, the first points are looked at
            raise BudgetSpent
        found = np.full(len(unit), np.inf)
        columns = self.domain.columns(unit[:allowed])
        mask = self.domain.feasible(columns)
        self.evaluations += allowed  # a point that a constraint rejects counts: a budget must end
        self.infeasible += int((~mask).sum())
        rows = np.flatnonzero(mask)
        if rows.size:
            found[rows] = self._margins({name: column[rows] for name, column in columns.items()}, unit[rows])
            self._remember(unit[rows], found[rows])
        self._report()
        if allowed < len(unit) or (self.lowest < self.stop_below and self._has_it()):
            raise BudgetSpent
        return found

    def _has_it(self) -> bool:
        if self.settles is None:
            return True
        margin, unit = self.elite[0]
        self.stop_below = 2 * margin  # after one that settles nothing, the next to look at is twice as bad
        return self.settles(unit)

    def objective(self, unit: np.ndarray) -> np.ndarray:
        """A monotone, bounded transform of the margin for the optimisers, finite everywhere."""
        values = self.values(unit)
        with np.errstate(over="ignore"):
            squeezed = np.copysign(np.log1p(np.abs(values)), values)
        return np.where(np.isfinite(squeezed), squeezed, np.where(values == -np.inf, -_NOWHERE, _NOWHERE))

    def _margins(self, columns: Columns, unit: np.ndarray) -> np.ndarray:
        try:
            found = np.asarray(self.margin(columns), dtype=np.float64)
        except (ArithmeticError, ValueError) as error:
            if len(unit) == 1:
                self._failed(unit[0], f"{type(error).__name__}: {error}", 1)
                return np.array([np.nan])
            parts = [
                self._margins({n: c[i : i + 1] for n, c in columns.items()}, unit[i : i + 1]) for i in range(len(unit))
            ]
            return np.concatenate(parts)
        found = np.broadcast_to(found, len(unit)).copy()
        undefined = np.flatnonzero(np.isnan(found))
        if undefined.size:
            self._failed(unit[undefined[0]], "the margin is NaN", undefined.size)
        return found

    def _failed(self, unit: np.ndarray, text: str, count: int) -> None:
        if not self.failures:
            self.failed_at, self.failure = unit.tolist(), text
        self.failures += count

    def _remember(self, unit: np.ndarray, found: np.ndarray) -> None:
        good = ~np.isnan(found)
        if not good.any():
            return
        unit, found = unit[good], found[good]
        self.lowest, self.highest = min(self.lowest, float(found.min())), max(self.highest, float(found.max()))
        worst = self.elite[-1][0] if len(self.elite) >= ELITE else np.inf
        order = np.argsort(found, kind="stable")[: 4 * ELITE]
        pool = self.elite + [(float(found[i]), unit[i].tolist()) for i in order if found[i] < worst]
        if len(pool) == len(self.elite):
            return
        pool.sort(key=lambda entry: entry[0])
        places = np.array([at for _, at in pool])
        free = np.ones(len(pool), dtype=bool)
        kept: list[tuple[float, list[float]]] = []
        while free.any() and len(kept) < ELITE:
            first = int(np.argmax(free))
            kept.append(pool[first])
            free &= np.abs(places - places[first]).max(axis=1) > _APART
        self.elite = kept

    def _report(self) -> None:
        label = f"worst margin {self.lowest:.3g}" if self.elite else "no feasible point yet"
        if self.evaluations_allowed is not None:
            self.progress(self.evaluations, self.evaluations_allowed, label)
        elif self.seconds_allowed is not None:
            self.progress(min(int(self.seconds), int(self.seconds_allowed)), max(int(self.seconds_allowed), 1), label)


def run_round(search: Search, branches: Sequence[Callable[..., Any]], starts: np.ndarray) -> None:
    """One round; raises `BudgetSpent` in the middle of it when the budget ends there."""
    number = search.rounds
    size = min(FIRST_ROUND << number, LARGEST_ROUND)
    rng = np.random.default_rng((search.seed, number))
    unit = search.domain.sample(size, rng)
    if number == 0:
        unit = np.vstack(
            [starts.reshape(-1, search.domain.size), unit[: size // 2], search.domain.corners(rng), unit[size // 2 :]]
        )
    for part in np.array_split(unit, max(1, len(unit) // search.batch)):
        search.values(part)
    for branch in branches:
        _cross(search, branch, max(8, size // (8 * len(branches))), rng)
    _evolve(search, size, rng, fresh=number % 2 == 1)
    best = [np.array(at) for _, at in search.elite[:3]]
    for start in best:
        _scan_axes(search, start, max(8, size // (4 * search.domain.size)))
    for _, at in search.elite[:2]:
        _descend(search, np.array(at), max(20, size // (16 * search.domain.size)))
        _simplex(search, np.array(at), max(30, size // 4))
    search.rounds += 1


def _cross(search: Search, branch: Callable[..., Any], count: int, rng: np.random.Generator) -> None:
    """Evaluate on both sides of, and very near, points where the branch function changes sign."""

    def sign(unit: np.ndarray) -> np.ndarray:
        columns = search.domain.columns(unit)
        values = np.broadcast_to(np.asarray(branch(**columns), dtype=np.float64), len(unit))
        return np.where(search.domain.feasible(columns) & np.isfinite(values), np.sign(values), np.nan)

    pool = np.vstack([search.domain.sample(16 * count, rng), rng.random((16 * count, search.domain.size))])
    pool = np.vstack([pool, [at for _, at in search.elite]]) if search.elite else pool
    signs = sign(pool)
    low, high = pool[signs < 0], pool[signs > 0]
    if not len(low) or not len(high):
        return
    a, b = (side[rng.integers(0, len(side), count)] for side in (low, high))
    direction = b - a
    for _ in range(60):
        middle = (a + b) / 2
        positive = sign(middle) > 0
        a, b = np.where(positive[:, None], a, middle), np.where(positive[:, None], middle, b)
    near = [a, b, *(a - h * direction for h in _OFFSETS), *(b + h * direction for h in _OFFSETS)]
    search.crossings += count
    search.values(np.vstack(near))


def _evolve(search: Search, size: int, rng: np.random.Generator, fresh: bool) -> None:
    """Differential evolution with a vectorised population, from the best points or from anywhere."""
    count = int(np.clip(6 * search.domain.size, 16, 64))
    population = rng.random((count, search.domain.size))
    if not fresh:
        known = np.array([at for _, at in search.elite[: count // 2]]).reshape(-1, search.domain.size)
        population[: len(known)] = known
    scipy.optimize.differential_evolution(
        lambda columns: search.objective(columns.T),
        [(0.0, 1.0)] * search.domain.size,
        init=population,
        seed=rng,
        maxiter=max(2, size // count),
        vectorized=True,
        updating="deferred",
        polish=False,
        tol=0,
        mutation=(0.3, 1.0),
        recombination=0.8,
    )


def _scan_axes(search: Search, start: np.ndarray, count: int) -> None:
    """Move one coordinate at a time over its whole range, both ends included."""
    grid = np.linspace(0.0, 1.0, count)
    rows = np.repeat(start[None, :], count * search.domain.size, axis=0)
    for j in range(search.domain.size):
        rows[j * count : (j + 1) * count, j] = grid
    search.values(rows)


def _descend(search: Search, start: np.ndarray, steps: int) -> None:
    """L-BFGS with gradients by central differences, all 2k + 1 points in one call."""
    size = search.domain.size

    def with_gradient(u: np.ndarray) -> tuple[float, np.ndarray]:
        step = 1e-6
        up, down = np.minimum(u + step, 1.0), np.maximum(u - step, 0.0)
        rows = np.repeat(u[None, :], 2 * size + 1, axis=0)
        rows[np.arange(1, size + 1), np.arange(size)] = up
        rows[np.arange(size + 1, 2 * size + 1), np.arange(size)] = down
        values = search.objective(rows)
        slope = (values[1 : size + 1] - values[size + 1 :]) / (up - down)
        return float(values[0]), np.where(np.abs(slope) < 1e6, slope, 0.0)

    scipy.optimize.minimize(
        with_gradient, start, jac=True, method="L-BFGS-B", bounds=[(0.0, 1.0)] * size, options={"maxfun": steps}
    )


def _simplex(search: Search, start: np.ndarray, evaluations: int) -> None:
    """Nelder-Mead, which needs no smoothness, with a simplex that opens into the cube."""
    size = search.domain.size
    corners = np.repeat(start[None, :], size + 1, axis=0)
    inward = np.where(start > 0.5, -0.03, 0.03)
    corners[np.arange(1, size + 1), np.arange(size)] += inward
    scipy.optimize.minimize(
        lambda u: float(search.objective(u)[0]),
        start,
        method="Nelder-Mead",
        bounds=[(0.0, 1.0)] * size,
        options={"maxfev": evaluations, "initial_simplex": corners, "xatol": 1e-12, "fatol": 0.0, "adaptive": size > 4},
    )
