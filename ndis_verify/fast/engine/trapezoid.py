"""Trapezoid sums along hyperbolas in the complex plane, refined entry by entry until they are seen to be right."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from ndis_verify.fast.engine.transform import real_transform, transform

_BLOCK = 12  # nodes
_BLOCKS = 12  # together at most
_CELLS = 1 << 14  # nodes times paths times groups up to which calls cost more than numbers
_MOST = 2520  # nodes, before any refinement
_HALVINGS = 4
_ROOM = 1 << 14  # numbers in a work array: larger ones cost more to allocate than to fill
_TAIL = 1e-17
_FAINT = -42.0  # logarithm of terms that are less than that for sure, of a sum that is about 1
_OVERGROWN = 1e5  # sum of the terms, and the last of a block, that the rule gives up at
_HOPELESS = 30.0
_LOSSY = 100.0  # sum of the terms over the integral, from which digits are missed
_GOAL = 58.0  # minus the logarithm of the error the step is chosen for: far less than needed, but seen from afar
_LONGEST = 0.3
_RULES = np.array([0.0, 2 / 3, 0.84, 0.92, 1.0])  # theta
_EXPONENT = 1.4
_GOOD = 2e-13  # of the estimate, which is much larger than the error
LOG_ONLY = 1e14  # beyond this the height of the saddle is the logarithm, to 12 digits
_TURNS = np.concatenate([side * np.linspace(0.2, 0.8, 4) for side in (-1.0, 1.0)])
_SINE, _VERSINE, _SWEEP = np.sin(_TURNS), 1 - np.cos(_TURNS), 2 * np.pi * np.abs(_TURNS)


def good_enough(height: np.ndarray) -> np.ndarray:
    """The error to be reached where the integrand is e^height at the saddle.

    Far below the smallest float only the logarithm is asked for, and the exponent's own rounding is larger.
    """
    return np.where(np.abs(height) > 745, np.minimum(1e-14 * np.abs(height), 1e-2), _GOOD)


def trapezoid(paths: Any, bend: np.ndarray, good: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """For the entries of `paths`: the integral over e^height and scale, and an estimate of its relative error.

    Steps are halved until the estimate is below `good`. Entries whose integrand does not decay come back with an
    infinite error.
    """
    lines = _Hyperbolas(paths, bend)
    todo = np.arange(good.size)
    value, error = lines.integrals(todo, todo, None)
    for _ in range(_HALVINGS):
        todo = todo[~(error[todo] < good[todo]) & (error[todo] < np.inf)]
        if not todo.size:
            break
        lines.step[todo] *= 0.5
        value[todo], error[todo] = lines.integrals(todo, todo, None)
    return value, error


def shared_trapezoid(paths: Any, owner: np.ndarray, offset: np.ndarray, finer: float) -> tuple[np.ndarray, np.ndarray]:
    """As `trapezoid`, with the first step over `finer`, for thresholds on common paths: threshold f lies `offset[f]`
    beyond that of the path `owner[f]` (sorted); its height is that of its integrand where the path crosses the real
    axis.
    """
    starts = np.searchsorted(owner, np.arange(paths.t.size))
    spread = np.minimum.reduceat(offset, starts), np.maximum.reduceat(offset, starts)
    lines = _Hyperbolas(paths, paths.bend, spread)
    lines.step /= finer
    return lines.integrals(np.arange(owner.size), owner, offset)


class _Hyperbolas:
    """s(u) = s0 + scale width (tan(bend) (cosh u - 1) + i sinh u), u >= 0, mirrored in the real axis."""

    def __init__(self, paths: Any, bend: np.ndarray, spread: tuple[np.ndarray, ...] = ()):
        self.paths, self.spread = paths, spread
        self.rise = paths.scale * paths.width
        self.tangent = np.tan(bend)
        self.step = self._steps()
        self.block = _BLOCK * max(1, min(_BLOCKS, _CELLS // (_BLOCK * paths.t.size * paths.forms.groups)))

    def _steps(self) -> np.ndarray:
        """Steps h for which the rule is seen to be right, see `_error`, whatever the offset in the range `spread`.

        At step h the rule errs by e^{-2 pi |v|/h} times the integral along the path shifted to u + iv, for any v that
        meets no singularity on the way; that integral is about its integrand where the shifted path crosses the real
        axis. Beyond |v| = pi/4 the far ends no longer decay.
        The lowest frequency that `_error` looks at, a third, sees e^{-_GOAL/3}.
        """
        paths = self.paths
        crossing = -self.rise[:, None] * (self.tangent[:, None] * _VERSINE + _SINE)
        s = paths.saddle[:, None] + crossing
        inside = (s > paths.floor[:, None]) & (s < paths.reach[:, None])
        s = np.where(inside, s, paths.saddle[:, None])
        growth = real_transform(paths.forms, paths.t, s) - paths.height[:, None]
        growth -= paths.log_weight(s, paths.slope[:, None])
        if self.spread:
            growth += self._largest(crossing, slice(None))
        step = np.where(inside, _SWEEP / (_GOAL + 3 * np.maximum(growth, 0)), 0.0)
        half = _TURNS.size // 2
        step = np.minimum(step[:, :half].max(axis=1), step[:, half:].max(axis=1))
        return np.minimum(np.maximum(step, _LONGEST / 10), _LONGEST)

    def nodes(self, index: np.ndarray, nodes: np.ndarray) -> tuple[np.ndarray, ...]:
        """x, y, growth and turn (P, N): at s0 + x + iy, the integrand times ds/du over its value at the saddle and
        scale is e^{growth + i turn}. Without the last nodes, where nothing is left."""
        paths = self.paths
        every = index.size == paths.t.size
        rise, tangent, saddle, width, slope, height, t = (
            a if every else a[index]
            for a in (self.rise, self.tangent, paths.saddle, paths.width, paths.slope, paths.height, paths.t)
        )
        grown = np.exp(self.step[index, None] * nodes)
        inverse = 1 / grown
        sinh, cosh = 0.5 * (grown - inverse), 0.5 * (grown + inverse)
        lean = tangent[:, None] * sinh
        x, y = rise[:, None] * (tangent[:, None] * (cosh - 1)), rise[:, None] * sinh
        right = saddle[:, None] + x
        growth, turn = transform(paths.forms if every else paths.forms.take(index), t, right, y)
        factor = width[:, None] * (lean + 1j * cosh) / paths.weight(right + 1j * y, slope[:, None])
        growth += np.log(np.abs(factor)) - height[:, None]
        turn += np.arctan2(factor.imag, factor.real)
        # Where a path has died out it ends: farther out the integrand may rise again, if another bend were right there.
        bound = growth + self._largest(x, index) if self.spread else growth
        over = np.logical_or.accumulate(bound < _FAINT, axis=1)
        growth[over] = -np.inf
        used = slice(0, int(over.shape[1] - over.all(axis=0).sum()) + 1)
        return x[:, used], y[:, used], growth[:, used], turn[:, used]

    def _largest(self, x: np.ndarray, index: np.ndarray | slice) -> np.ndarray:
        """The largest of -offset x."""
        return np.maximum(*(-offset[index, None] * x for offset in self.spread))

    def integrals(
        self, entries: np.ndarray, owner: np.ndarray, offset: np.ndarray | None
    ) -> tuple[np.ndarray, np.ndarray]:
        """The integrals and their estimated errors, for thresholds `offset` beyond those of the paths `owner`."""
        sums, mass = np.zeros((entries.size, _RULES.size)), np.zeros(entries.size)
        active = np.arange(entries.size)
        for start in range(0, _MOST, self.block):
            nodes, rules = _nodes(start, self.block)
            part, more, end = self._sums(nodes, rules, owner[active], None if offset is None else offset[active])
            more[end > _HOPELESS] = np.inf
            sums[active] += part
            mass[active] += more
            more = mass[active]
            active = active[(end > _TAIL * more) & (more < _OVERGROWN)]
            if not active.size:
                break
        failed = ~(mass < _OVERGROWN)
        failed[active] = True
        error = np.where(failed, np.inf, _error(sums, mass))
        return sums[:, 0] * self.step[owner] / np.pi, error

    def _sums(
        self, nodes: np.ndarray, rules: np.ndarray, owner: np.ndarray, offset: np.ndarray | None
    ) -> tuple[np.ndarray, ...]:
        """Sums by the rules (E, n) of the imaginary part of the integrand times ds/du, over its value at the saddle and
        scale; the sum of its modulus and the last modulus (E,)."""
        if offset is None:
            _, _, growth, turn = self.nodes(owner, nodes)
            return _summed(growth, turn, rules)
        used, row = np.unique(owner, return_inverse=True)
        x, y, growth, turn = self.nodes(used, nodes)
        chunk, parts = max(1, _ROOM // x.shape[1]), []
        for start in range(0, owner.size, chunk):
            path = row[start : start + chunk]
            beyond = -offset[start : start + chunk, None]
            lifted, turned = x[path], y[path]
            lifted *= beyond
            lifted += growth[path]
            turned *= beyond
            turned += turn[path]
            parts.append(_summed(lifted, turned, rules))
        return parts[0] if len(parts) == 1 else tuple(np.concatenate(part) for part in zip(*parts))


@lru_cache(maxsize=256)
def _nodes(start: int, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Numbers of the nodes, and their weights (N, n) in the rules for each theta."""
    nodes = np.arange(start, start + count)
    rules = 2 * np.cos(np.pi * nodes[:, None] * _RULES)
    if start == 0:
        rules[0] = 1.0
    return nodes, rules


def _summed(growth: np.ndarray, turn: np.ndarray, rules: np.ndarray) -> tuple[np.ndarray, ...]:
    """For terms e^{growth + i turn} (E, N), whose arrays are used up: sums of imaginary parts by each rule, the sum of
    moduli, the last modulus."""
    modulus = np.exp(growth, out=growth)
    # sin from the tangent of half the angle: tangents are vectorised where sines are not
    turn *= 0.5
    half = np.tan(turn, out=turn)
    size = half * half
    size += 1
    half /= size
    half *= modulus
    return half @ rules[: half.shape[1]], modulus @ np.ones(half.shape[1]), modulus[:, -1].copy()


def _error(sums: np.ndarray, mass: np.ndarray) -> np.ndarray:
    """Relative error of the trapezoid rule, from the Fourier transform of the integrand.

    At step h the rule errs by twice the transform at 2 pi/h, which decays geometrically: if it is E there, it is
    E^(theta/2) at theta pi/h, up to a factor, for which the smaller exponent allows, and a phase, for which there are
    several theta. The step is chosen beforehand; this finds the entries where that failed.
    """
    aliased = 2 * np.abs(sums[:, 1:] / sums[:, :1])
    error = np.exp((np.log(aliased) * (_EXPONENT / _RULES[1:])).max(axis=1))
    error = np.where((sums[:, 0] > 0) & np.isfinite(error), error, 1e3)
    # A sum much smaller than its terms has lost digits: another path will do better.
    return np.where(mass > _LOSSY * sums[:, 0], np.maximum(error, 1e3), error)
