"""Paths of integration for log(e^K w): where they cross the real axis, and how they are shaped."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass

import numpy as np

from ndis_verify.fast.engine.transform import Forms, cumulants, real_transform, slopes

_NEAR = 0.05  # distance from the saddle point, in standard deviations of the tilted law, that Newton stops at
_LOST = 100.0
_NARROW, _WIDE = 0.6, 4.0
_BESIDE = 0.5  # the distance from the end of a part over what cancels there, up to which it is next to it
_FARTHEST = 705.0  # odds, the logarithms of floats
_CALM = 20  # steps of Newton after which its reach grows
# The angles of paths, tuned for few nodes: see Paths._angles.
_STEEPEST = 0.72  # below pi/4, from which a Gaussian part stops decaying
_FLATTEST = 0.15
_ROUND = 5.0
_SHARP = 3.0
_LASTING = 1e4  # exponent of a Gaussian part at the distance of its singularity, from which on it never gets there
_REACHED = 8.0


@dataclass(frozen=True, eq=False)
class Entries:
    """What is asked for: form `rows[e]` at threshold `t[e]`, for each entry e; the other fields as in `Paths`."""

    forms: Forms
    rows: np.ndarray
    t: np.ndarray
    edge: np.ndarray
    reach: np.ndarray
    slope: np.ndarray
    pole: bool

    def take(self, index: np.ndarray | slice) -> Entries:
        """Some of the entries."""
        parts = (self.rows, self.t, self.edge, self.reach, self.slope)
        rows, t, edge, reach, slope = (part[index] for part in parts)
        return Entries(self.forms, rows, t, edge, reach, slope, self.pole)

    def alone(self, row: int, index: np.ndarray) -> Entries:
        """Some of the entries, all of which have the form `row`."""
        parts = (self.t, self.edge, self.reach, self.slope)
        form = self.forms.take(slice(row, row + 1))
        t, edge, reach, slope = (part[index] for part in parts)
        return Entries(form, np.zeros(index.shape, dtype=int), t, edge, reach, slope, self.pole)

    def paths(self, index: np.ndarray | slice) -> Paths:
        """Paths of their own for some of the entries."""
        parts = (self.t, self.edge, self.reach, self.slope)
        t, edge, reach, slope = (part[index] for part in parts)
        return Paths(self.forms.take(self.rows[index]), t, edge, reach, slope, self.pole)


class Paths:
    """One path for each entry: a form, a threshold t, its distance `edge` beyond the end of a one-sided support, the
    first singularity on the right `reach`, and 1/w(s) = s (1 + slope s), or 1 without a `pole`.

    All arrays have shape (E,); `forms` has E rows or one that all share; t and edge are of extended precision.
    """

    def __init__(self, forms: Forms, t: np.ndarray, edge: np.ndarray, reach: np.ndarray, slope: np.ndarray, pole: bool):
        self.forms, self.wide_t, self.edge, self.reach, self.slope, self.pole = forms, t, edge, reach, slope, pole
        self.t = t.astype(np.float64)

    def take(self, index: np.ndarray) -> Paths:
        """Some of the entries, with all that is known of them."""
        part = copy(self)
        for name, value in vars(self).items():
            if isinstance(value, np.ndarray):
                setattr(part, name, value[index])
        part.forms = self.forms.take(index)
        return part

    def locate(self, start: np.ndarray, tolerance: float = _NEAR) -> Paths:
        """Find saddle points, from odds `start`; heights and shapes of the paths."""
        curved, second, third = self._saddles(start, tolerance)
        if self._pull():
            # Where t had lost the distance to the end of the support, that saddle point was nowhere: back to the start.
            found = self.odds(self.saddle)
            curved, second, third = self._saddles(np.where(np.abs(found - start) < _LOST, found, start), tolerance)
        self.relative = 1 / np.sqrt(second)
        self.height = real_transform(self.forms, self.t, self.saddle[:, None])[:, 0]
        if not np.isfinite(self.height).all():
            wide = self.saddle.astype(np.longdouble)
            self.height = real_transform(self.forms, self.t, wide[:, None])[:, 0].astype(np.float64)
        self.height -= self.log_weight(self.saddle, self.slope)
        self.scale = self.saddle * self.relative
        # The hyperbola's half-width in units of the saddle's: as wide as the nearest singularity is far, and more.
        least, largest = self.forms.alpha.min(axis=1), self.forms.alpha.max(axis=1)
        self.left = np.where(least < 0, 1 / np.minimum(least, -1e-300), -np.inf) + np.zeros(self.t.shape)
        self.right = np.where(largest > 0, 1 / np.maximum(largest, 1e-300), np.inf) + np.zeros(self.t.shape)
        self.floor = np.zeros(self.t.shape) if self.pole else self.left
        room = np.minimum(self.saddle - self.floor, self.reach - self.saddle) / self.scale
        self.width = np.minimum(np.maximum(1.3 * room, _NARROW), _WIDE)
        self.rate, self.deviation = self._far()
        self.side = np.where(self.rate > 0, 1.0, -1.0)
        self.bend = self._angles(curved, third)
        return self

    def _far(self) -> tuple[np.ndarray, np.ndarray]:
        """Far out the integrand is about e^{-rate s + deviation^2 s^2/2}: what remains of the linear parts and of those
        Gaussian ones that die out before 1/|alpha| is reached."""
        squares, forms = self.forms.parts[0], self.forms
        edge = self.edge.astype(np.float64)
        if squares is None:
            return edge, np.zeros(edge.shape)
        factor = 1 - self.saddle[:, None] * forms.alpha
        lasting = squares > _LASTING * forms.alpha**2 * factor
        if not lasting.any():
            return edge, np.zeros(edge.shape)
        deviation = np.sqrt(np.where(lasting, squares, 0.0).sum(axis=1))
        slope = self.saddle[:, None] * squares * (1 + factor) / (2 * factor**2)
        asymptote = np.divide(forms.b_squared, 2 * forms.alpha, out=np.zeros(factor.shape), where=~lasting)
        rate = self.wide_t + np.where(lasting, -slope, np.nan_to_num(asymptote)).sum(axis=1)
        return np.where(deviation > 0, rate, edge).astype(np.float64), deviation

    def _angles(self, curved: np.ndarray, third: np.ndarray) -> np.ndarray:
        """Angles between the vertical and the far ends of the paths.

        Algebraic decay wants the middle of the sector between the vertical and the cut, Gaussian decay the vertical;
        the Gaussian part ends where the singularities of K are about as far away as the path is from the axis, but
        for what is Gaussian all along: see `_far`.
        """
        room = np.minimum(self.right - self.saddle, self.saddle - self.left) / self.saddle * np.sqrt(curved)
        angle = _STEEPEST / (1 + (room / _ROUND) ** _SHARP)
        angle = np.minimum(
            angle, _FLATTEST + (_STEEPEST - _FLATTEST) / (1 + (_REACHED * self.deviation / self.rate) ** 2)
        )
        # Far away the integrand decays on this side; steepest descent may set out to the other side.
        against = np.arctan(self.width * self.relative**3 * third / 3) * self.side
        return self.side * np.maximum(angle + np.minimum(against, 0), np.minimum(angle, _FLATTEST))

    def weight(self, s: np.ndarray, slope: np.ndarray) -> np.ndarray:
        """1/w(s)."""
        return s * (1 + slope * s) if self.pole else np.ones_like(s)

    def log_weight(self, s: np.ndarray, slope: np.ndarray) -> np.ndarray:
        """log(1/w(s)) at real s, of whatever size."""
        return np.log(s) + np.log1p(slope * s) if self.pole else np.zeros_like(s)

    def derivatives(self, s: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """s^2 K_2, and the first three derivatives of log(e^K w) at real s times s, s^2 and s^3."""
        first, curved, third = slopes(self.forms, self.t, s)
        if not self.pole:
            return curved, first, curved, third
        share = self.slope * s / (1 + self.slope * s)
        return curved, first - 1 - share, curved + 1 + share**2, third - 2 - 2 * share**3

    def at_odds(self, odds: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Thresholds whose saddle points have these odds, and the tilted standard deviations there, per unit
        of odds.
        """
        grown = np.exp(odds)
        gap = 1 / (1 + grown / self.reach)
        s = grown * gap
        _, first, second, _ = self.derivatives(s)
        return first / s + self.t, np.sqrt(second) * gap

    def odds(self, s: np.ndarray) -> np.ndarray:
        """log of s/(1 - s/reach)."""
        return np.log(s / (1 - s / self.reach))

    def _pull(self) -> bool:
        """Where s0 lies far beyond 1/|alpha|, cancel t against the asymptotes of negative alpha beforehand; against all
        of them for a density next to the end of a part, where the integrand falls as a power alone to far beyond.
        """
        forms = self.forms
        if forms.parts[0] is None:
            return False
        curved = (forms.b_squared > 0) & (forms.alpha != 0)
        falling = (not self.pole) & (np.abs(self.edge) < _BESIDE * np.abs(forms.asymptotes).sum(axis=1))
        pulled = curved & (falling[:, None] | (-forms.alpha * self.saddle[:, None] > 1))
        if not pulled.any():
            return False
        asymptote = np.divide(forms.b_squared, 2 * forms.alpha, out=np.zeros(forms.alpha.shape), where=curved)
        moved, kept = (np.where(some, asymptote, 0.0).astype(np.longdouble) for some in (pulled, curved & ~pulled))
        # The same number twice, rounded least where the smaller part is added to the wide sum.
        from_t, from_edge = self.wide_t + moved.sum(axis=1), self.edge - kept.sum(axis=1)
        closer = np.abs(kept).sum(axis=1) < np.abs(moved).sum(axis=1)
        self.t = np.where(closer, from_edge, from_t).astype(np.float64)
        alpha, dof, b = (np.broadcast_to(a, pulled.shape) for a in (forms.alpha, forms.dof, forms.b))
        self.forms = Forms(alpha, dof, b, pulled)
        return True

    def _saddles(self, odds: np.ndarray, tolerance: float) -> tuple[np.ndarray, ...]:
        """Newton on the odds s/(1 - s/reach), in logarithms, kept inside a shrinking bracket."""
        share = 1 / self.reach
        # Closer to a singularity than 1e-14 of its distance, 1 - s alpha has no digits left.
        low, high = np.full(odds.shape, -_FARTHEST), np.minimum(_FARTHEST, np.log(self.reach) + 32)
        for step in range(200):
            stride = 2.0 * 1.5 ** max(0, step - _CALM)
            grown = np.exp(odds)
            gap = 1 / (1 + grown * share)
            self.saddle = grown * gap
            curved, first, second, third = found = self.derivatives(self.saddle)
            if not np.isfinite(first + second).all():  # beyond the range of floats, and perhaps of different signs
                curved, first, second, third = found = self.derivatives(self.saddle.astype(np.longdouble))
            done = (np.abs(first) < tolerance * np.sqrt(second)) | (high - low < 1e-14)
            if done.all():
                break
            low, high = np.where(first < 0, odds, low), np.where(first > 0, odds, high)
            growth = (1 - 2 * self.saddle * share) * first + gap * second
            newton = odds + np.minimum(np.maximum(-first / growth, -stride), stride)
            inside = (newton > low) & (newton < high) & (growth > 0)
            up, down = np.minimum(odds + stride, (odds + high) / 2), np.maximum(odds - stride, (odds + low) / 2)
            following = np.where(inside, newton, np.where(first < 0, up, down))
            # From far above the saddle of a Gaussian part Newton comes down by 1/2 a step, however far it has to go.
            halved = step > _CALM and step % 3 == 0
            odds = np.where(done, odds, (low + high) / 2 if halved else following).astype(np.float64)
        curved, _, second, third = (part.astype(np.float64) for part in found)
        return curved, second, third

    def start(self) -> np.ndarray:
        """Odds of the saddle of the quadratic approximation at 0, or, close to the end of the support, of the
        asymptote.
        """
        mean, variance = cumulants(self.forms, self.t)
        poles = 1.0 if self.pole else 0.0
        root = np.sqrt(mean * mean + 4 * variance * poles)
        start = np.where(mean > 0, 2 * poles / (mean + root), (root - mean) / (2 * variance))
        smallest = np.abs(self.forms.alpha).min(axis=1)
        far = (0.5 * self.forms.dof.sum(axis=1) + 2 * poles) / -self.edge.astype(np.float64)
        start = np.where((self.edge < 0) & np.isinf(self.reach) & (far * smallest > 1), far, start)
        if not self.pole:
            start = np.maximum(start, 1e-3 / np.sqrt(variance))  # nothing to stay away from at 0
        start = np.maximum(np.where(start < np.inf, start, 1.0), 1e-280)
        return self.odds(np.minimum(start, 0.7 * np.minimum(self.reach, 1e300)))
