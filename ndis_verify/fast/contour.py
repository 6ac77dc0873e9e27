"""One contour integral: tails, densities and hockey-stick divergences of Gaussian quadratic forms.

For a variable L with E e^{s(L - t)} = e^{K(s)},
`K(s) = -s t - (1/2) sum_i k_i log(1 - s alpha_i) + (s^2/2) sum_i b_i^2/(1 - s alpha_i)`,
every quantity of this package is `(1/(2 pi i)) int e^{K(s)} w(s) ds` on a path that crosses the real axis at some
0 < s0 < 1/max(alpha), with w = 1/(s(1+s)) (hockey stick), 1/(s(1-s)) (its complement, after s -> -s), 1/s (tail)
or 1 (density). The path crosses at the saddle point, so that nothing cancels, and is a branch of a hyperbola,
bent to the side where the integrand decays; the trapezoid rule in its natural parameter converges geometrically.
Thresholds of one form with neighbouring saddle points share a path: K is evaluated there once, and each threshold
adds its factor e^{-s (t - t0)}.
"""

from __future__ import annotations

from copy import copy
from typing import Literal

import numpy as np

from ndis_verify.fast.transform import Forms, cumulants, slopes, transform
from ndis_verify.fast.trapezoid import Fan, trapezoid

Weight = Literal["hockey_stick", "complement", "tail", "density"]

_SLOPE = {"hockey_stick": 1.0, "complement": -1.0, "tail": 0.0, "density": 0.0}
_POWER = {"hockey_stick": 1.0, "complement": 1.0, "tail": 0.0, "density": -1.0}
_CLOSEST = 1e-290
_ENTRIES = 1 << 11  # entries worked on together: bounds memory
_CELLS = 1 << 20  # the same bound for groups times entries, where every entry has a form of its own
_GOOD = 2e-13  # of the estimate, which is much larger than the error
_WORTH = 6  # thresholds of one form from which on common paths pay
_SERVES = 1.5  # how many standard deviations of the tilted law a common path reaches to
_LEVER = 300.0  # how much heights may differ along it, unless they are larger: their difference loses digits
_LOG_ONLY = 1e14  # beyond this the height of the saddle is the logarithm, to 12 digits
# The angles of paths, tuned for few nodes: see _Paths._angles.
_STEEPEST = 0.72  # below pi/4, from which a Gaussian part stops decaying
_FLATTEST = 0.15
_ROUND = 5.0
_SHARP = 1.5
_BENDS = (0.1, -0.1, 0.3, 0.6, -0.3)  # tried where that angle fails; a fan tries but two


def log_integral(forms: Forms, rows: np.ndarray, t: np.ndarray, edge: np.ndarray, weight: Weight) -> np.ndarray:
    """log of the integral for each entry: form `rows[e]` at threshold `t[e]`; -inf where it is exactly 0.

    `edge` = t + sum b^2/(2 alpha) over alpha != 0, the distance of the threshold beyond the end of a one-sided
    support: the caller knows it to better relative accuracy than this sum would.
    Shapes: rows, t, edge and the result (E,). Memory: O(g) and a fixed work area.
    """
    result = np.empty(t.shape)
    chunk = _ENTRIES if forms.alpha.shape[0] == 1 else max(1, min(_ENTRIES, _CELLS // forms.groups))
    with np.errstate(all="ignore"):
        for start in range(0, t.size, chunk):
            part = slice(start, start + chunk)
            result[part] = _log_integral(forms.take(rows[part]), t[part], edge[part], weight)
    return result


def _log_integral(forms: Forms, t: np.ndarray, edge: np.ndarray, weight: Weight) -> np.ndarray:
    # A power of two as unit of s keeps squares and cubes of extreme alpha inside the range of floats.
    unit = np.ldexp(1.0, np.frexp(np.maximum(np.abs(forms.alpha), np.sqrt(forms.b_squared)).max(axis=1))[1])
    column = unit[:, None]
    forms = Forms(forms.alpha / column, forms.dof, forms.b_squared / column / column)
    t, edge = t / unit, edge / unit
    largest = forms.alpha.max(axis=1)
    bounded = (largest <= 0) & ~((forms.alpha == 0) & (forms.b_squared > 0)).any(axis=1)
    bounded = np.broadcast_to(bounded & (weight != "complement"), t.shape)
    empty = bounded & (edge >= 0)
    # Next to the end of the support the integral is a power of the distance, exactly for all that floats can tell.
    close = bounded & ~empty & (edge > -_CLOSEST)
    power = 0.5 * forms.dof.sum(axis=1) + _POWER[weight]
    shrunk = np.where(close, power * np.log(np.where(close, -edge, 1.0).astype(np.float64) / _CLOSEST), 0.0)
    t, edge = np.where(close, t - edge - _CLOSEST, t), np.where(close, -_CLOSEST, edge)
    value = np.full(t.shape, -np.inf)
    live = np.flatnonzero(~empty)
    if live.size:
        reach = np.where(largest > 0, 1 / np.maximum(largest, 1e-300), np.inf)
        if weight == "complement":
            reach = np.minimum(reach, unit)
        reach, slope = (np.broadcast_to(a, t.shape)[live] for a in (reach, _SLOPE[weight] / unit))
        kept = forms if live.size == t.size else forms.take(live)
        value[live] = _Paths(kept, t[live], edge[live], reach, slope, weight != "density").solve()
    value += shrunk
    return value - np.log(unit) if weight == "density" else value


class _Paths:
    """The paths of one chunk of entries, from saddle points to values."""

    def __init__(self, forms: Forms, t: np.ndarray, edge: np.ndarray, reach: np.ndarray, slope: np.ndarray, pole: bool):
        self.forms, self.wide_t, self.t, self.edge = forms, t, t.astype(np.float64), edge
        self.reach, self.slope, self.pole = reach, slope, pole
        # The nearest singularities of K, and of the integrand to the left.
        least = np.broadcast_to(forms.alpha.min(axis=1), t.shape)
        self.left = np.where(least < 0, 1 / np.minimum(least, -1e-300), -np.inf)
        largest = np.broadcast_to(forms.alpha.max(axis=1), t.shape)
        self.right = np.where(largest > 0, 1 / np.maximum(largest, 1e-300), np.inf)
        self.floor = np.zeros(t.shape) if pole else self.left

    def take(self, index: np.ndarray) -> _Paths:
        """Some of the entries, with all that is known of them."""
        part = copy(self)
        for name, value in vars(self).items():
            if isinstance(value, np.ndarray):
                setattr(part, name, value[index])
        part.forms = self.forms.take(index)
        return part

    def solve(self) -> np.ndarray:
        """log of the integrals."""
        if self.forms.alpha.shape[0] > 1 or self.t.size < _WORTH:
            return self._locate()._each()
        value = np.full(self.t.shape, np.nan)
        anchors = 4
        pending = np.argsort(self.t, kind="stable")
        while pending.size:
            anchors = min(2 * anchors, pending.size, max(8, _CELLS // self.forms.groups))
            chosen = pending[(np.arange(anchors) * 2 + 1) * pending.size // (2 * anchors)]
            fan, paths, served = self._fan(chosen, pending)
            value[served] = paths._together(fan)
            pending = pending[~np.isin(pending, served)]
        rest = np.flatnonzero(np.isnan(value))
        if rest.size:
            value[rest] = self.take(rest)._locate()._each()
        return value

    def _fan(self, chosen: np.ndarray, pending: np.ndarray) -> tuple[Fan, _Paths, np.ndarray]:
        """Paths through the saddles of as few as possible of the `chosen` entries, and the `pending` entries whose
        own saddles are so near that those paths serve them as well."""
        paths = self.take(chosen)._locate()
        near = np.abs(self.edge[chosen]) < np.abs(self.wide_t[chosen])
        offset = np.where(near, *(a[pending, None] - a[chosen] for a in (self.edge, self.wide_t))).astype(np.float64)
        alike = (self.edge[pending, None] > 0) == (self.edge[chosen] > 0)
        lever = np.abs(offset) * paths.saddle
        within = alike & (lever * paths.relative < _SERVES) & (lever < np.maximum(_LEVER, 0.5 * np.abs(paths.height)))
        owner = np.full(pending.size, -1)
        for first in range(pending.size):
            if owner[first] < 0 and within[first].any():
                last = np.flatnonzero(within[first])[-1]
                owner[within[:, last] & (owner < 0)] = last
        served = np.flatnonzero(owner >= 0)
        used, position = np.unique(owner[served], return_inverse=True)
        return Fan(position, offset[served, owner[served]]), paths.take(used), pending[served]

    def _locate(self) -> _Paths:
        """Find saddle points, heights and shapes of the paths."""
        self.saddle = self._pull(self._saddles())
        _, curved, third = slopes(self.forms, self.t, self.saddle)
        _, second, third = self._with_pole(self.saddle, 0.0, curved, third)
        self.relative = 1 / np.sqrt(second)
        self.height = transform(self.forms, self.t, self.saddle[:, None])[:, 0].real
        self.height -= np.log(self.weight(self.saddle, self.slope))
        self.scale = self.saddle * self.relative
        # The hyperbola's half-width in units of the saddle's: as wide as the nearest singularity is far.
        self.width = np.clip(np.minimum(self.saddle - self.floor, self.reach - self.saddle) / self.scale, 0.6, 1.6)
        self.side = np.where(self.edge > 0, 1.0, -1.0)
        self.bend = self._angles(curved, third)
        return self

    def _angles(self, curved: np.ndarray, third: np.ndarray) -> np.ndarray:
        """Angles between the vertical and the far ends of the paths.

        Algebraic decay wants the middle of the sector between the vertical and the cut, Gaussian decay the vertical;
        the Gaussian part ends where the singularities of K are about as far away as the path is from the axis.
        """
        room = np.minimum(self.right - self.saddle, self.saddle - self.left) / self.saddle * np.sqrt(curved)
        angle = _STEEPEST / (1 + (room / _ROUND) ** _SHARP)
        # Far away the integrand decays on the side of `edge`; steepest descent may set out to the other side.
        against = np.arctan(self.width * self.relative**3 * third / 3) * self.side
        return self.side * np.maximum(angle + np.minimum(against, 0), np.minimum(angle, _FLATTEST))

    def _each(self) -> np.ndarray:
        """log of the integrals, every entry on paths of its own."""
        height, far = self.height, np.abs(self.height) > _LOG_ONLY
        best = self._integrals(height, np.flatnonzero(~far))
        return np.where(far, height, height + np.log(best) + np.log(self.scale))

    def _together(self, fan: Fan) -> np.ndarray:
        """log of the integrals of a fan; nan where its common paths are not good enough."""
        height = self.height[fan.owner] - fan.offset * self.saddle[fan.owner]
        best = self._integrals(height, np.flatnonzero(np.abs(height) < _LOG_ONLY), fan)
        return height + np.log(best) + np.log(self.scale[fan.owner])

    def _integrals(self, height: np.ndarray, todo: np.ndarray, fan: Fan | None = None) -> np.ndarray:
        """Integrals over e^height and scale of the entries `todo`, along the first bend that will do."""
        best, error = np.full(height.shape, np.nan), np.full(height.shape, np.inf)
        # Far below the smallest float only the logarithm is asked for, and the exponent's own rounding is larger.
        good = np.where(np.abs(height) > 745, np.minimum(1e-14 * np.abs(height), 1e-2), _GOOD)
        for bend in (self.bend, *(self.side * bend for bend in _BENDS[: None if fan is None else 2])):
            if not todo.size:
                break
            owners, part = (todo, None) if fan is None else fan.take(todo)
            paths = self if owners.size == self.t.size else self.take(owners)
            value, estimate = trapezoid(paths, bend[owners], good[todo], part)
            better = estimate < error[todo]
            best[todo[better]], error[todo[better]] = value[better], estimate[better]
            todo = todo[~(error[todo] < good[todo])]
        if fan is not None:
            best[todo] = np.nan
        return best

    def weight(self, s: np.ndarray, slope: np.ndarray) -> np.ndarray:
        """1/w(s)."""
        return s * (1 + slope * s) if self.pole else np.ones_like(s)

    def _derivatives(self, s: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Of log(e^K w) at real s, times s, s^2 and s^3."""
        return self._with_pole(s, *slopes(self.forms, self.t, s))

    def _with_pole(self, s, first, second, third):
        """Derivatives of log(e^K w) from those of K."""
        if self.pole:
            share = self.slope * s / (1 + self.slope * s)
            first, second, third = first - 1 - share, second + 1 + share**2, third - 2 - 2 * share**3
        return first, second, third

    def _pull(self, saddle: np.ndarray) -> np.ndarray:
        """Where s0 lies far beyond 1/|alpha|, cancel t against the asymptotes of negative alpha beforehand."""
        forms = self.forms
        curved = (forms.b_squared > 0) & (forms.alpha != 0)
        pulled = curved & (-forms.alpha * saddle[:, None] > 1)
        if not pulled.any():
            return saddle
        asymptote = np.divide(forms.b_squared, 2 * forms.alpha, out=np.zeros(forms.alpha.shape), where=curved)
        moved, kept = (np.where(some, asymptote, 0.0).astype(np.longdouble) for some in (pulled, curved & ~pulled))
        # The same number twice, rounded least where the smaller part is added to the wide sum.
        from_t, from_edge = self.wide_t + moved.sum(axis=1), self.edge - kept.sum(axis=1)
        closer = np.abs(kept).sum(axis=1) < np.abs(moved).sum(axis=1)
        self.t = np.where(closer, from_edge, from_t).astype(np.float64)
        alpha, dof, squared = (np.broadcast_to(a, pulled.shape) for a in (forms.alpha, forms.dof, forms.b_squared))
        self.forms = Forms(alpha, dof, squared, pulled)
        return self._saddles()

    def _saddles(self) -> np.ndarray:
        """Newton on the odds s/(1 - s/reach), in logarithms, kept inside a shrinking bracket."""
        start = self._start()
        share = 1 / self.reach
        start = np.minimum(start, 0.7 * np.minimum(self.reach, 1e305))
        # Closer to a singularity than 1e-14 of its distance, 1 - s alpha has no digits left.
        low, high = np.full_like(start, -700.0), np.minimum(700.0, np.log(self.reach) + 32)
        odds = np.log(start / (1 - start * share))
        for _ in range(200):
            grown = np.exp(odds)
            gap = 1 / (1 + grown * share)
            point = grown * gap
            first, second, _ = self._derivatives(point)
            done = (np.abs(first) < 0.05 * np.sqrt(second)) | (high - low < 1e-14)
            if done.all():
                break
            low, high = np.where(first < 0, odds, low), np.where(first > 0, odds, high)
            growth = (1 - 2 * point * share) * first + gap * second
            step = odds + np.clip(-first / growth, -2, 2)
            inside = (step > low) & (step < high) & (growth > 0)
            up, down = np.minimum(odds + 2, (odds + high) / 2), np.maximum(odds - 2, (odds + low) / 2)
            odds = np.where(done, odds, np.where(inside, step, np.where(first < 0, up, down)))
        return point

    def _start(self) -> np.ndarray:
        """The saddle of the quadratic approximation at 0, or, close to the end of the support, of the asymptote."""
        mean, variance = cumulants(self.forms, self.t)
        poles = 1.0 if self.pole else 0.0
        root = np.sqrt(mean * mean + 4 * variance * poles)
        start = np.where(mean > 0, 2 * poles / (mean + root), (root - mean) / (2 * variance))
        smallest = np.abs(self.forms.alpha).min(axis=1)
        far = (0.5 * self.forms.dof.sum(axis=1) + 2 * poles) / -self.edge.astype(np.float64)
        start = np.where((self.edge < 0) & np.isinf(self.reach) & (far * smallest > 1), far, start)
        if not self.pole:
            start = np.maximum(start, 1e-3 / np.sqrt(variance))  # nothing to stay away from at 0
        return np.clip(np.nan_to_num(start, nan=1.0, posinf=1.0), 1e-280, 1e300)
