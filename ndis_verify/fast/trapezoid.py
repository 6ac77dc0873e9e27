"""Trapezoid sums along hyperbolas in the complex plane, refined entry by entry until two step widths agree."""

from __future__ import annotations

from typing import Any

import numpy as np

from ndis_verify.fast.transform import transform

_BLOCK = 18  # a multiple of 6, so that every second and every third node form rules of their own
_MAX_BLOCKS = 140
_FINEST = 16
_TAIL = 1e-18
_END = 1e-15
_OVERGROWN = 1e6
_GOAL = 60.0  # minus the logarithm of the error the step is chosen for
_LONGEST = 0.3
_TURNS = np.concatenate([side * np.linspace(0.2, 1.4, 5) for side in (-1.0, 1.0)])


def trapezoid(
    paths: Any,
    index: np.ndarray,
    saddle: np.ndarray,
    scale: np.ndarray,
    width: np.ndarray,
    bend: np.ndarray,
    height: np.ndarray,
    good: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """For the entries `index` of `paths`: the integral over e^height and scale, and an estimate of its relative error.

    An entry is refined until the estimate is below `good`. The path is
    s(u) = s0 + scale width (tan(bend) (cosh u - 1) + i sinh u), u >= 0, mirrored in the real axis.
    Entries whose integrand does not decay come back with an infinite error.
    """
    return _Hyperbolas(paths, index, saddle, scale, width, bend, height, good).integrate()


class _Hyperbolas:
    def __init__(self, paths, index, saddle, scale, width, bend, height, good):
        self.paths = paths
        self.forms = paths.forms if index.size == paths.t.size else paths.forms.take(index)
        self.t, self.slope = paths.t[index], paths.slope[index]
        self.floor, self.reach = paths.floor[index], paths.reach[index]
        self.saddle, self.height, self.good = (a[index] for a in (saddle, height, good))
        self.rise = scale[index] * width[index]
        self.tangent, self.width = np.tan(bend[index]), width[index]
        self.step = self._steps()

    def _steps(self) -> np.ndarray:
        """Steps for an error of e^-_GOAL.

        At step h the rule errs by e^{-2 pi |v|/h} times the integral along the path shifted to u + iv, for any v that
        meets no singularity on the way; that integral is about its integrand where the shifted path crosses the real axis.
        """
        crossing = self.rise[:, None] * (self.tangent[:, None] * (np.cos(_TURNS) - 1) - np.sin(_TURNS))
        s = self.saddle[:, None] + crossing
        inside = (s > self.floor[:, None]) & (s < self.reach[:, None])
        growth = transform(self.forms, self.t, np.where(inside, s, self.saddle[:, None])).real - self.height[:, None]
        growth -= np.log(np.abs(self.paths.weight(s, self.slope[:, None])))
        step = np.where(inside, 2 * np.pi * np.abs(_TURNS) / (_GOAL + np.maximum(growth, 0)), 0.0)
        step = np.minimum(*(half.max(axis=1) for half in np.split(step, 2, axis=1)))
        return np.clip(step, _LONGEST / 10, _LONGEST)

    def integrate(self) -> tuple[np.ndarray, np.ndarray]:
        size = self.t.size
        sums, mass = np.zeros((3, size)), np.zeros(size)
        blocks = np.zeros(size, dtype=int)
        active = np.arange(size)
        for block in range(_MAX_BLOCKS):
            term, modulus = self._terms(active, np.arange(_BLOCK) + block * _BLOCK)
            if block == 0:
                term[:, 0] *= 0.5
            for j in range(3):
                sums[j, active] += term[:, :: j + 1].sum(axis=1)
            mass[active] += modulus.sum(axis=1)
            blocks[active] = block + 1
            active = active[(modulus[:, -1] > _TAIL * mass[active]) & (mass[active] < _OVERGROWN)]
            if not active.size:
                break
        failed = ~(mass < _OVERGROWN)
        failed[active] = True
        error = np.where(failed, np.inf, _error(sums))
        self._refine(sums, error, blocks, mass, np.flatnonzero(~(error < self.good) & ~failed))
        value = sums[0] * self.step
        # A sum much smaller than its terms has lost digits: another path will do better.
        lossy = (mass > 1e3 * sums[0]) & ~failed
        return value / np.pi, np.where(lossy, np.maximum(error, 1e3), error)

    def _refine(self, sums: np.ndarray, error: np.ndarray, blocks: np.ndarray, mass: np.ndarray, index: np.ndarray) -> None:
        """Halve the step where the rules disagree; the sums stay in units of the first step."""
        parts = 1
        while index.size and parts < _FINEST:
            middle, third, end = self._midpoints(index, blocks[index], parts)
            parts *= 2
            whole, thirds = sums[0, index], sums[2, index]
            finer = np.array([0.5 * (whole + middle), 0.5 * whole, 0.5 * (thirds + third)])
            sums[:, index] = finer
            error[index] = np.where(end < _END * mass[index], _error(finer), np.inf)
            index = index[~(error[index] < self.good[index]) & (error[index] < np.inf)]

    def _midpoints(self, index: np.ndarray, blocks: np.ndarray, parts: int) -> tuple[np.ndarray, ...]:
        """Sums, over parts, of all midpoints of the grid `parts` times as fine and of those a third as dense; the
        modulus at the far end."""
        total, third, end = np.zeros(index.size), np.zeros(index.size), np.zeros(index.size)
        count = _BLOCK * parts
        for block in range(int(blocks.max())):
            active = np.flatnonzero(blocks > block)
            term, modulus = self._terms(index[active], (np.arange(count) + block * count + 0.5) / parts)
            total[active] += term.sum(axis=1)
            third[active] += term[:, 1::3].sum(axis=1)
            end[active] = modulus[:, -1]
        return total / parts, third / parts, end

    def _terms(self, index: np.ndarray, nodes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Imaginary part and modulus of the integrand times ds/du, over its value at the saddle and scale, (E, N)."""
        every = index.size == self.t.size
        forms = self.forms if every else self.forms.take(index)
        rise, tangent, width = self.rise[index, None], self.tangent[index, None], self.width[index, None]
        u = self.step[index, None] * nodes
        grown = np.exp(u)
        sinh, cosh = 0.5 * (grown - 1 / grown), 0.5 * (grown + 1 / grown)
        s = np.empty(u.shape, dtype=complex)
        s.real = self.saddle[index, None] + rise * tangent * (cosh - 1)
        s.imag = rise * sinh
        value = np.exp(transform(forms, self.t[index], s) - self.height[index, None])
        value *= width * (tangent * sinh + 1j * cosh) / self.paths.weight(s, self.slope[index, None])
        modulus = np.abs(value)
        return value.imag, np.where(np.isnan(modulus), np.inf, modulus)


def _error(sums: np.ndarray) -> np.ndarray:
    """Relative error of the rule with all nodes, from those with every second and every third.

    Convergence is geometric: an error E at step h is E^(1/2) at 2h and E^(1/3) at 3h, up to a factor and a phase that
    may vanish by accident for one of them, for which the smaller exponents below allow. The step is chosen
    beforehand; this finds the entries where that failed.
    """
    second, third = np.abs(2 * sums[1] / sums[0] - 1), np.abs(3 * sums[2] / sums[0] - 1)
    error = np.maximum(second**1.4, third**2)
    return np.where((sums[0] > 0) & np.isfinite(error), error, 1e3)
