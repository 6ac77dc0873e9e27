"""Trapezoid sums along hyperbolas in the complex plane, refined entry by entry until two step widths agree."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ndis_verify.fast.transform import transform

_BLOCKS = 48, 12  # multiples of 6, so that every second and every third node form rules of their own
_FEW = 512  # paths times groups up to which calls cost more than the longer block
_MOST = 2520  # nodes, before any refinement
_FINEST = 16
_TAIL = 1e-17
_END = 1e-15
_OVERGROWN = 1e5  # sum of the terms, and the last of a block, that the rule gives up at
_HOPELESS = 30.0
_GOAL = 52.0  # minus the logarithm of the error the step is chosen for: less by far than needed, but seen at 2h
_LONGEST = 0.3
_EXPONENTS = 1.4, 2.0
_TURNS = np.concatenate([side * np.linspace(0.2, 0.8, 4) for side in (-1.0, 1.0)])


@dataclass(frozen=True)
class Fan:
    """Thresholds served by common paths: threshold f lies `offset[f]` beyond that of the path `owner[f]`."""

    owner: np.ndarray
    offset: np.ndarray

    def take(self, index: np.ndarray) -> tuple[np.ndarray, Fan]:
        """The paths that some of the thresholds need, and their fan."""
        owners, owner = np.unique(self.owner[index], return_inverse=True)
        return owners, Fan(owner, self.offset[index])


def trapezoid(paths: Any, bend: np.ndarray, good: np.ndarray, fan: Fan | None = None) -> tuple[np.ndarray, np.ndarray]:
    """For the entries of `paths`: the integral over e^height and scale, and an estimate of its relative error.

    An entry is refined until the estimate is below `good`. The path is
    s(u) = s0 + scale width (tan(bend) (cosh u - 1) + i sinh u), u >= 0, mirrored in the real axis.
    Entries whose integrand does not decay come back with an infinite error. With a `fan`, entries and `good` are its
    thresholds, and heights are those of their integrands at the saddles of their paths.
    """
    return _Hyperbolas(paths, bend, good, fan).integrate()


class _Hyperbolas:
    def __init__(self, paths, bend, good, fan):
        self.paths, self.forms, self.t, self.slope = paths, paths.forms, paths.t, paths.slope
        self.saddle, self.height, self.width = paths.saddle, paths.height, paths.width
        self.rise = paths.scale * paths.width
        self.tangent = np.tan(bend)
        self.good, self.fan = good, fan
        self.step = self._steps()
        self.block = _BLOCKS[0] if self.t.size * self.forms.groups <= _FEW else _BLOCKS[1]

    def _steps(self) -> np.ndarray:
        """Steps for an error of e^-_GOAL.

        At step h the rule errs by e^{-2 pi |v|/h} times the integral along the path shifted to u + iv, for any v that
        meets no singularity on the way; that integral is about its integrand where the shifted path crosses the real
        axis. Beyond |v| = pi/4 the far ends no longer decay.
        """
        crossing = self.rise[:, None] * (self.tangent[:, None] * (np.cos(_TURNS) - 1) - np.sin(_TURNS))
        s = self.saddle[:, None] + crossing
        inside = (s > self.paths.floor[:, None]) & (s < self.paths.reach[:, None])
        growth = transform(self.forms, self.t, np.where(inside, s, self.saddle[:, None])).real - self.height[:, None]
        growth -= np.log(np.abs(self.paths.weight(s, self.slope[:, None])))
        step = np.where(inside, 2 * np.pi * np.abs(_TURNS) / (_GOAL + np.maximum(growth, 0)), 0.0)
        step = np.minimum(*(half.max(axis=1) for half in np.split(step, 2, axis=1)))
        return np.clip(step, _LONGEST / 10, _LONGEST)

    def integrate(self) -> tuple[np.ndarray, np.ndarray]:
        size = self.good.size
        sums, mass = np.zeros((3, size)), np.zeros(size)
        ends = np.zeros(size, dtype=int)
        rules = np.array([np.arange(self.block) % j == 0 for j in (1, 2, 3)], dtype=float).T
        active = np.arange(size)
        for start in range(0, _MOST, self.block):
            term, modulus = self._terms(active, np.arange(start, start + self.block))
            if start == 0:
                term[:, 0] *= 0.5
            sums[:, active] += (term @ rules).T
            end = modulus[:, -1]
            mass[active] += np.where(end > _HOPELESS, np.inf, modulus @ rules[:, 0])
            ends[active] = start + self.block
            active = active[(end > _TAIL * mass[active]) & (mass[active] < _OVERGROWN)]
            if not active.size:
                break
        failed = ~(mass < _OVERGROWN)
        failed[active] = True
        error = np.where(failed, np.inf, _error(sums))
        self._refine(sums, error, ends, mass, np.flatnonzero(~(error < self.good) & ~failed))
        value = sums[0] * (self.step if self.fan is None else self.step[self.fan.owner])
        # A sum much smaller than its terms has lost digits: another path will do better.
        lossy = (mass > 1e3 * sums[0]) & ~failed
        return value / np.pi, np.where(lossy, np.maximum(error, 1e3), error)

    def _refine(self, sums, error, ends, mass, index) -> None:
        """Halve the step where the rules disagree; the sums stay in units of the first step."""
        parts = 1
        while index.size and parts < _FINEST:
            middle, third, end = self._midpoints(index, ends[index], parts)
            parts *= 2
            whole, thirds = sums[0, index], sums[2, index]
            finer = np.array([0.5 * (whole + middle), 0.5 * whole, 0.5 * (thirds + third)])
            sums[:, index] = finer
            error[index] = np.where(end < _END * mass[index], _error(finer), np.inf)
            index = index[~(error[index] < self.good[index]) & (error[index] < np.inf)]

    def _midpoints(self, index: np.ndarray, ends: np.ndarray, parts: int) -> tuple[np.ndarray, ...]:
        """Sums, over parts, of all midpoints of the grid `parts` times as fine and of those a third as dense; the
        modulus at the far end."""
        total, third, end = np.zeros(index.size), np.zeros(index.size), np.zeros(index.size)
        for start in range(0, int(ends.max()), self.block):
            active = np.flatnonzero(ends > start)
            term, modulus = self._terms(index[active], start + (np.arange(self.block * parts) + 0.5) / parts)
            total[active] += term.sum(axis=1)
            third[active] += term[:, 1::3].sum(axis=1)
            end[active] = modulus[:, -1]
        return total / parts, third / parts, end

    def _terms(self, entries: np.ndarray, nodes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Imaginary part and modulus of the integrand times ds/du, over its value at the saddle and scale, (E, N)."""
        index, row = entries, None
        if self.fan is not None:
            index, row = np.unique(self.fan.owner[entries], return_inverse=True)
        rise, tangent, width = self.rise[index, None], self.tangent[index, None], self.width[index, None]
        grown = np.exp(self.step[index, None] * nodes)
        inverse = 1 / grown
        sinh, cosh = 0.5 * (grown - inverse), 0.5 * (grown + inverse)
        s = np.empty(grown.shape, dtype=complex)
        x, y = rise * tangent * (cosh - 1), rise * sinh
        s.real, s.imag = self.saddle[index, None] + x, y
        exponent = transform(self.forms if index.size == self.t.size else self.forms.take(index), self.t[index], s)
        factor = width * (tangent * sinh + 1j * cosh) / self.paths.weight(s, self.slope[index, None])
        growth, turn, size = exponent.real - self.height[index, None], exponent.imag + np.angle(factor), np.abs(factor)
        if row is not None:
            offset = self.fan.offset[entries, None]
            growth, turn, size = growth[row] - offset * x[row], turn[row] - offset * y[row], size[row]
        modulus = np.exp(growth) * size
        return np.sin(turn) * modulus, np.where(np.isnan(modulus), np.inf, modulus)


def _error(sums: np.ndarray) -> np.ndarray:
    """Relative error of the rule with all nodes, from those with every second and every third.

    Convergence is geometric: an error E at step h is E^(1/2) at 2h and E^(1/3) at 3h, up to a factor and a phase that
    may vanish by accident for one of them, for which the smaller exponents below allow. The step is chosen
    beforehand; this finds the entries where that failed.
    """
    second, third = np.abs(2 * sums[1] / sums[0] - 1), np.abs(3 * sums[2] / sums[0] - 1)
    error = np.maximum(second**_EXPONENTS[0], third**_EXPONENTS[1])
    return np.where((sums[0] > 0) & np.isfinite(error), error, 1e3)
