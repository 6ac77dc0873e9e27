"""Trapezoid sums along hyperbolas in the complex plane, refined entry by entry until two step widths agree."""

from __future__ import annotations

from typing import Any

import numpy as np

from ndis_verify.fast.transform import transform

WIDTH = 2.0  # the hyperbola's half-width in units of the saddle's
_STEP = 0.14
_BLOCK = 18  # a multiple of 6, so that every second and every third node form rules of their own
_MAX_BLOCKS = 27
_FINEST = 16
_TAIL = 1e-18
_END = 1e-15
_OVERGROWN = 1e6


def trapezoid(
    paths: Any, index: np.ndarray, saddle: np.ndarray, scale: np.ndarray, bend: np.ndarray, height: np.ndarray, good: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """For the entries `index` of `paths`: the integral over e^height and scale, and an estimate of its relative error.

    An entry is refined until the estimate is below `good`. The path is s(u) = s0 + scale WIDTH (tan(bend) (cosh u - 1) + i sinh u), u >= 0, mirrored in the real axis.
    Entries whose integrand does not decay come back with an infinite error.
    """
    return _Hyperbolas(paths, index, saddle, scale, bend, height, good).integrate()


class _Hyperbolas:
    def __init__(self, paths, index, saddle, scale, bend, height, good):
        self.paths = paths
        self.forms = paths.forms if index.size == paths.t.size else paths.forms.take(index)
        self.t, self.saddle, self.scale, self.slope = (a[index] for a in (paths.t, saddle, scale, paths.slope))
        self.tangent, self.height, self.good = WIDTH * np.tan(bend[index]), height[index], good[index]

    def integrate(self) -> tuple[np.ndarray, np.ndarray]:
        size = self.t.size
        sums, mass = np.zeros((3, size)), np.zeros(size)
        blocks = np.zeros(size, dtype=int)
        active = np.arange(size)
        for block in range(_MAX_BLOCKS):
            term, modulus = self._terms(active, (np.arange(_BLOCK) + block * _BLOCK) * _STEP)
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
        value = sums[0] * _STEP
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

    def _midpoints(self, index: np.ndarray, blocks: np.ndarray, parts: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Sums, over parts, of all midpoints of the grid of step _STEP/parts and of those a third as dense; the
        modulus at the far end."""
        total, third, end = np.zeros(index.size), np.zeros(index.size), np.zeros(index.size)
        count = _BLOCK * parts
        for block in range(int(blocks.max())):
            active = np.flatnonzero(blocks > block)
            term, modulus = self._terms(index[active], (np.arange(count) + block * count + 0.5) * (_STEP / parts))
            total[active] += term.sum(axis=1)
            third[active] += term[:, 1::3].sum(axis=1)
            end[active] = modulus[:, -1]
        return total / parts, third / parts, end

    def _terms(self, index: np.ndarray, u: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Imaginary part and modulus of the integrand times ds/du, over its value at the saddle and scale, (E, N)."""
        every = index.size == self.t.size
        forms = self.forms if every else self.forms.take(index)
        tangent, scale, saddle = self.tangent[index, None], self.scale[index, None], self.saddle[index, None]
        rise, fall = np.sinh(u), np.cosh(u) - 1
        s = saddle + scale * (tangent * fall + 1j * (WIDTH * rise))
        ds = tangent * rise + 1j * WIDTH * (fall + 1)
        value = np.exp(transform(forms, self.t[index], s) - self.height[index, None])
        value *= ds / self.paths.weight(s, self.slope[index, None])
        modulus = np.abs(value)
        return value.imag, np.where(np.isnan(modulus), np.inf, modulus)


def _error(sums: np.ndarray) -> np.ndarray:
    """Relative error of the rule with all nodes, from those with every second and every third.

    Convergence is geometric: an error E at step h is E^(1/2) at 2h and E^(1/3) at 3h, up to a factor and a phase that
    may vanish by accident for one of them; the smaller exponents below allow for both (measured).
    """
    second, third = np.abs(2 * sums[1] / sums[0] - 1), np.abs(3 * sums[2] / sums[0] - 1)
    error = np.maximum(second**1.35, third**1.9)
    return np.where((sums[0] > 0) & np.isfinite(error), error, 1e3)
