"""One contour integral: tails, densities and hockey-stick divergences of Gaussian quadratic forms.

For a variable L whose transform is E e^{sL} = e^{K(s)} with
`K(s) = -s t - (1/2) sum_i k_i log(1 - s alpha_i) + (s^2/2) sum_i b_i^2/(1 - s alpha_i)` (t collects the threshold),
every quantity of this package is `(1/(2 pi i)) int e^{K(s)} w(s) ds` on a path that crosses the real axis at some
0 < s0 < 1/max(alpha), with w = 1/(s(1+s)) (hockey stick), 1/(s(1-s)) (its complement, after s -> -s), 1/s (tail)
or 1 (density). The path crosses at the saddle point, so that nothing cancels, and is a branch of a hyperbola,
bent to the side where the integrand decays; the trapezoid rule in its natural parameter converges geometrically.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

Weight = Literal["hockey_stick", "complement", "tail", "density"]

_SLOPE = {"hockey_stick": 1.0, "complement": -1.0, "tail": 0.0, "density": 0.0}
_CELLS = 1 << 16  # complex numbers per work array: stays in cache, bounds memory
_LOOP_GROUPS = 40  # up to this many groups a Python loop over groups beats a third array axis
_WIDTH = 2.0  # the hyperbola's half-width in units of the saddle's
_STEP = 0.25
_BLOCK = 10
_MAX_BLOCKS = 24
_MAX_HALVINGS = 5
_TAIL = 1e-18
_AGREE = 3e-8  # rules of step 2h and h agree to this: geometric convergence squares it at step h


@dataclass(frozen=True)
class Forms:
    """Rows of quadratic forms: `alpha`, `dof`, `b_squared` of shape (R, g), g groups in each row."""

    alpha: np.ndarray
    dof: np.ndarray
    b_squared: np.ndarray

    @property
    def groups(self) -> int:
        return self.alpha.shape[1]

    def reflected(self) -> Forms:
        """The forms of -L (s -> -s)."""
        return Forms(-self.alpha, self.dof, self.b_squared)

    def take(self, rows: np.ndarray) -> Forms:
        """The rows asked for; a single row is not copied but broadcast."""
        if self.alpha.shape[0] == 1:
            return self
        return Forms(self.alpha[rows], self.dof[rows], self.b_squared[rows])


def log_integral(forms: Forms, rows: np.ndarray, t: np.ndarray, edge: np.ndarray, weight: Weight) -> np.ndarray:
    """log of the integral for each entry: form `rows[e]` at threshold `t[e]`; -inf where it is exactly 0.

    `edge` = t + sum b^2/(2 alpha) over alpha != 0, the distance of the threshold beyond the end of a one-sided
    support: the caller knows it to better relative accuracy than this sum would.
    Shapes: rows, t, edge and the result (E,). Memory O(g) beyond a fixed work area times the entries of one chunk.
    """
    result = np.empty(t.shape)
    chunk = max(1, _CELLS // (_BLOCK * min(forms.groups, _LOOP_GROUPS)), 1)
    chunk = max(1, min(chunk, _CELLS * 16 // forms.groups)) if forms.alpha.shape[0] > 1 else chunk
    with np.errstate(all="ignore"):
        for start in range(0, t.size, chunk):
            part = slice(start, start + chunk)
            result[part] = _log_integral(forms.take(rows[part]), t[part], edge[part], weight)
    return result


def _log_integral(forms: Forms, t: np.ndarray, edge: np.ndarray, weight: Weight) -> np.ndarray:
    # A power of two as unit of s keeps squares and cubes of extreme alpha inside the range of floats.
    unit = np.ldexp(1.0, np.frexp(np.maximum(np.abs(forms.alpha), np.sqrt(forms.b_squared)).max(axis=1))[1])
    unit = np.where(unit > 0, unit, 1.0)
    column = unit[:, None]
    forms = Forms(forms.alpha / column, forms.dof, forms.b_squared / column / column)
    t, edge = t / unit, edge / unit
    no_right = forms.alpha.max(axis=1) <= 0
    free = ((forms.alpha == 0) & (forms.b_squared > 0)).any(axis=1)
    empty = np.broadcast_to(no_right & ~free & (weight != "complement"), t.shape) & (edge >= 0)
    value = np.full(t.shape, -np.inf)
    live = np.flatnonzero(~empty)
    if live.size:
        kept = forms if live.size == t.size else forms.take(live)
        reach, slope = (np.broadcast_to(a, t.shape)[live] for a in (_reach(forms, unit, weight), _SLOPE[weight] / unit))
        value[live] = _Paths(kept, t[live], edge[live], reach, slope, weight != "density").solve()
    return value - np.log(unit) if weight == "density" else value


def _reach(forms: Forms, unit: np.ndarray, weight: Weight) -> np.ndarray:
    """The first singularity to the right of 0, in units of 1/unit."""
    largest = forms.alpha.max(axis=1)
    reach = np.where(largest > 0, 1 / np.maximum(largest, 1e-300), np.inf)
    return np.minimum(reach, unit) if weight == "complement" else reach


def _sum(a: np.ndarray) -> np.ndarray:
    return a.sum(axis=-1)


def _transform(forms: Forms, t: np.ndarray, s: np.ndarray) -> np.ndarray:
    """K at the points s (E, N) of each entry."""
    logs = np.zeros(s.shape, dtype=s.dtype)
    quadratic = np.zeros(s.shape, dtype=s.dtype)
    shifted = bool(forms.b_squared.any())
    if forms.groups <= _LOOP_GROUPS:
        for j in range(forms.groups):
            factor = 1 - s * forms.alpha[:, j : j + 1]
            logs += forms.dof[:, j : j + 1] * np.log(factor)
            if shifted:
                quadratic += forms.b_squared[:, j : j + 1] / factor
    else:
        step = max(1, _CELLS // forms.groups)
        for n in range(0, s.shape[1], step):
            for e in range(0, s.shape[0], step):
                part = (slice(e, e + step), slice(n, n + step))
                row = slice(None) if forms.alpha.shape[0] == 1 else part[0]
                factor = 1 - s[part][:, :, None] * forms.alpha[row, None, :]
                logs[part] = (np.log(factor) * forms.dof[row, None, :]).sum(axis=-1)
                if shifted:
                    quadratic[part] = (forms.b_squared[row, None, :] / factor).sum(axis=-1)
    return -t[:, None] * s - 0.5 * logs + (0.5 * s * s * quadratic if shifted else 0)


def _slopes(forms: Forms, t: np.ndarray, s: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """K', K'', K''' at the real points s (E,)."""
    s = s[:, None]
    inverse = 1 / (1 - s * forms.alpha)
    ratio = forms.alpha * inverse
    first = 0.5 * _sum(forms.dof * ratio)
    second = 0.5 * _sum(forms.dof * ratio * ratio)
    third = _sum(forms.dof * ratio**3)
    if forms.b_squared.any():
        mixed = forms.b_squared * inverse * inverse
        first = first + 0.5 * _sum(mixed * s * (2 - s * forms.alpha))
        second = second + _sum(mixed * inverse)
        third = third + 3 * _sum(mixed * inverse * ratio)
    return first - t, second, third


class _Paths:
    """The paths of one chunk of entries, from saddle points to values."""

    def __init__(self, forms: Forms, t: np.ndarray, edge: np.ndarray, reach: np.ndarray, slope: np.ndarray, pole: bool):
        self.forms, self.t, self.edge, self.reach, self.slope, self.pole = forms, t, edge, reach, slope, pole

    def solve(self) -> np.ndarray:
        saddle = self._saddles()
        _, second, third = self._derivatives(saddle)
        scale = 1 / np.sqrt(second)
        height = _transform(self.forms, self.t, saddle[:, None])[:, 0] + np.log(self.weight(saddle, self.slope))
        bend = np.clip(np.arctan(_WIDTH * scale**3 * third / 3), -0.6, 0.6)
        best = np.full(self.t.shape, np.nan)
        error = np.full(self.t.shape, np.inf)
        todo = np.arange(self.t.size)
        side = np.where(self.edge > 0, 1.0, -1.0)
        for angle in (bend, 0.35 * side, 0.6 * side, 0.12 * side, -0.3 * side):
            sub = _Hyperbola(self, todo, saddle, scale, angle, height)
            value, spread = sub.integrate()
            better = spread < error[todo]
            best[todo[better]], error[todo[better]] = value[better], spread[better]
            todo = todo[~(error[todo] < _AGREE)]
            if not todo.size:
                break
        return height + np.log(best * scale)

    def weight(self, s: np.ndarray, slope: np.ndarray) -> np.ndarray:
        if not self.pole:
            return np.ones_like(s)
        return 1 / (s * (1 + slope * s))

    def _derivatives(self, s: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        first, second, third = _slopes(self.forms, self.t, s)
        if self.pole:
            for root in (1 / s, self.slope / (1 + self.slope * s)):
                first, second, third = first - root, second + root**2, third - 2 * root**3
        return first, second, third

    def _saddles(self) -> np.ndarray:
        """Newton on the odds s/(1 - s/reach), in logarithms, kept inside a shrinking bracket."""
        mean, variance, _ = _slopes(self.forms, self.t, np.zeros_like(self.t))
        poles = 1.0 if self.pole else 0.0
        root = np.sqrt(mean * mean + 4 * variance * poles)
        start = np.where(mean > 0, 2 * poles / (mean + root), (root - mean) / (2 * variance))
        start = np.clip(np.nan_to_num(start, nan=1.0, posinf=1.0), 1e-280, 1e280)
        share = 1 / self.reach
        start = np.minimum(start, 0.7 * np.minimum(self.reach, 1e290))
        low, high = np.full_like(start, -700.0), np.full_like(start, 700.0)
        odds = np.log(start / (1 - start * share))
        point = start
        for _ in range(200):
            grown = np.exp(odds)
            point = grown / (1 + grown * share)
            gap = 1 / (1 + grown * share)
            first, second, _ = self._derivatives(point)
            done = np.abs(first) < 0.05 * np.sqrt(second)
            if done.all():
                break
            low, high = np.where(first < 0, odds, low), np.where(first > 0, odds, high)
            value = point * gap * first
            growth = point * gap * ((1 - 2 * point * share) * first + point * gap * second)
            step = odds - value / growth
            inside = (step > low) & (step < high) & (growth > 0)
            halfway = np.where(first < 0, np.minimum(odds + 3, (odds + high) / 2), np.maximum(odds - 3, (odds + low) / 2))
            odds = np.where(done, odds, np.where(inside, step, halfway))
        return point


class _Hyperbola:
    """Trapezoid sums on s(u) = s0 + m (sin(bend + iu) - sin(bend)), u >= 0, mirrored by conjugate symmetry."""

    def __init__(self, paths: _Paths, index: np.ndarray, saddle: np.ndarray, scale: np.ndarray, bend: np.ndarray, height: np.ndarray):
        every = index.size == paths.t.size
        self.paths = paths
        self.forms = paths.forms if every else paths.forms.take(index)
        self.t, self.saddle, self.scale = paths.t[index], saddle[index], scale[index]
        self.bend, self.height, self.slope = bend[index], height[index], paths.slope[index]

    def integrate(self) -> tuple[np.ndarray, np.ndarray]:
        """The integral over scale and e^height, and how far the rules of steps 2h and h differ, relatively."""
        size = self.t.size
        coarse, odd, mass = np.zeros(size), np.zeros(size), np.zeros(size)
        blocks = np.zeros(size, dtype=int)
        active = np.arange(size)
        for block in range(_MAX_BLOCKS):
            term = self._terms(active, (np.arange(_BLOCK) + block * _BLOCK) * _STEP)
            if block == 0:
                term[:, 0] *= 0.5
            coarse[active] += term[:, ::2].sum(axis=1)
            odd[active] += term[:, 1::2].sum(axis=1)
            mass[active] += np.abs(term).sum(axis=1)
            blocks[active] = block + 1
            decayed = np.abs(term[:, -2:]).max(axis=1) <= _TAIL * mass[active]
            active = active[~decayed & (mass[active] < 1e6)]
            if not active.size:
                break
        failed = ~(mass < 1e6)
        failed[active] = True
        fine = (coarse + odd) * _STEP
        spread = np.abs(2 * coarse * _STEP / fine - 1)
        step = _STEP
        for _ in range(_MAX_HALVINGS):
            again = np.flatnonzero(~(spread < _AGREE) & ~failed)
            if not again.size:
                break
            extra, weight = self._midpoints(again, blocks[again], step)
            finer = 0.5 * fine[again] + 0.5 * step * extra
            mass[again] = 0.5 * mass[again] + 0.5 * weight
            spread[again] = np.abs(fine[again] / finer - 1)
            fine[again], step = finer, 0.5 * step
        spread[failed | ~(fine > 0)] = np.inf
        return fine / np.pi, np.maximum(spread, np.where(mass * _STEP > 1e3 * fine, 1.0, 0.0))

    def _midpoints(self, index: np.ndarray, blocks: np.ndarray, step: float) -> tuple[np.ndarray, np.ndarray]:
        total, mass = np.zeros(index.size), np.zeros(index.size)
        per_block = round(_BLOCK * _STEP / step)
        for block in range(int(blocks.max())):
            active = np.flatnonzero(blocks > block)
            term = self._terms(index[active], (np.arange(per_block) + block * per_block + 0.5) * step)
            total[active] += term.sum(axis=1)
            mass[active] += np.abs(term).sum(axis=1)
        return total, mass

    def _terms(self, index: np.ndarray, u: np.ndarray) -> np.ndarray:
        """Im(integrand ds/du) over the integrand at the saddle and over scale, (E, N)."""
        every = index.size == self.t.size
        forms = self.forms if every else self.forms.take(index)
        bend, scale, saddle = self.bend[index, None], self.scale[index, None], self.saddle[index, None]
        tangent = _WIDTH * np.tan(bend)
        rise, fall = np.sinh(u), np.cosh(u) - 1
        s = saddle + scale * (tangent * fall + 1j * (_WIDTH * rise))
        ds = tangent * rise + 1j * _WIDTH * (fall + 1)
        value = np.exp(_transform(forms, self.t[index], s) - self.height[index, None])
        term = (value * self.paths.weight(s, self.slope[index, None]) * ds).imag
        return np.where(np.isfinite(term), term, np.where(np.isnan(term), 1e300, term))
