"""Thresholds of one form with neighbouring saddle points on common paths: K is evaluated once along each, and every
threshold adds its own factor e^{-s (t - t0)}.

A survey of the real axis turns thresholds into positions, counted in standard deviations of the tilted law; entries
whose positions are close share the path through the saddle of one of them.
"""

from __future__ import annotations

from bisect import bisect_right

import numpy as np

from ndis_verify.fast.engine.paths import Entries, Paths
from ndis_verify.fast.engine.trapezoid import LOG_ONLY, good_enough, shared_trapezoid

_SURVEY = 40  # points on the real axis
_EVENLY = np.linspace(0, 1, _SURVEY)
_MARGINS = 2.8, 8.0, 20.0  # of odds, by which it reaches beyond first estimates of the outermost saddles
_SERVES = 1.5  # how many standard deviations of the tilted law a common path reaches to
_SLACK = 0.25  # the error of positions that is put up with
_FINER = 1.0, 2.0, 4.0  # rounds, in which entries that were not served choose anew and take smaller steps
_WORTH = 3  # entries that it takes for one
_LEVER = 300.0  # how much heights may differ along it, unless they are larger: their difference loses digits


def on_common_paths(entries: Entries) -> np.ndarray:
    """log of the integrals of entries sorted by rows and thresholds; nan where an entry should have its own path."""
    value = np.full(entries.t.shape, np.nan)
    odds, position = _survey(entries)
    placed = np.flatnonzero(~np.isnan(position))
    if not placed.size:
        return value
    # Apart: entries of different forms, and those whose paths bend to different sides.
    side = 2 * entries.rows + (entries.edge > 0)
    position = position + side * (np.ptp(position[placed]) + 3 * _SERVES)
    for finer in _FINER:
        if placed.size < _WORTH:
            break
        anchor, owner = _owners(position[placed])
        anchor = placed[anchor]
        paths = entries.paths(anchor).locate(odds[anchor], _SLACK)
        served, offset = _served(entries, anchor, paths, placed, owner)
        used, owner = np.unique(owner[served], return_inverse=True)
        if not used.size:
            break
        paths = paths if used.size == anchor.size else paths.take(used)
        height = paths.height[owner] - offset * paths.saddle[owner]
        integral, error = shared_trapezoid(paths, owner, offset, finer)
        good = (error < good_enough(height)) & (np.abs(height) < LOG_ONLY)
        value[placed[served[good]]] = (height + np.log(integral * paths.scale[owner]))[good]
        placed = placed[np.isnan(value[placed])]
    return value


def _served(
    entries: Entries, anchor: np.ndarray, paths: Paths, placed: np.ndarray, owner: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Which of the entries `placed` the paths serve, and how far their thresholds lie beyond those of the paths."""
    near = np.abs(entries.edge[anchor]) < np.abs(entries.t[anchor])
    offset = np.where(near[owner], *(a[placed] - a[anchor[owner]] for a in (entries.edge, entries.t))).astype(
        np.float64
    )
    lever = np.abs(offset) * paths.saddle[owner]
    within = lever * paths.relative[owner] < _SERVES + _SLACK
    within &= lever < np.maximum(_LEVER, 0.5 * np.abs(paths.height))[owner]
    within &= (paths.rate[owner] + offset) * paths.side[owner] >= -paths.deviation[owner]
    served = np.flatnonzero(within)
    return served, offset[served]


def _owners(position: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """As few as possible of the sorted positions, such that all are within reach of one; which one that is."""
    places, anchors, counts = position.tolist(), [], []
    first = 0
    while first < len(places):
        anchor = bisect_right(places, places[first] + _SERVES, first) - 1
        last = bisect_right(places, places[anchor] + _SERVES, anchor)
        anchors.append(anchor)
        counts.append(last - first)
        first = last
    return np.array(anchors), np.repeat(np.arange(len(anchors)), counts)


def _survey(entries: Entries) -> tuple[np.ndarray, np.ndarray]:
    """For each entry the odds of its saddle point and its position, interpolated; nan where the survey does not reach.

    A saddle point at s belongs to the threshold (log(e^K w))'(s) + t; the position is the integral of the tilted
    standard deviation, over s.
    """
    first = np.flatnonzero(np.concatenate([[True], entries.rows[1:] != entries.rows[:-1]]))
    last = np.append(first[1:], entries.rows.size)
    ends = entries.paths(np.concatenate([first, last - 1]))
    low, high = np.sort(ends.start().reshape(2, -1), axis=0)
    top, points = np.minimum(700.0, np.log(entries.reach[first]) + 32), entries.paths(np.repeat(first, _SURVEY))
    lowest, highest = ends.t.reshape(2, -1)
    for margin in _MARGINS:
        start, stop = low - margin, np.minimum(high + margin, top)
        grid = start[:, None] + (stop - start)[:, None] * _EVENLY
        threshold, deviation = (a.reshape(grid.shape) for a in points.at_odds(grid.ravel()))
        if (threshold[:, 0] < lowest).all() and (threshold[:, -1] > highest).all():
            break
    steps = 0.5 * (deviation[:, 1:] + deviation[:, :-1]) * (grid[:, 1:] - grid[:, :-1])
    place = np.cumsum(np.concatenate([np.zeros((low.size, 1)), steps], axis=1), axis=1)
    t = entries.t.astype(np.float64)
    odds, position = np.empty(t.shape), np.empty(t.shape)
    for row, part in enumerate(map(slice, first, last)):
        odds[part] = np.interp(t[part], threshold[row], grid[row], np.nan, np.nan)
        position[part] = np.interp(t[part], threshold[row], place[row], np.nan, np.nan)
    return odds, position
