"""The largest value of a function over [0, 1], from above and from below: cells are bounded, discarded or split."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ndis_verify.fast.engine.safe_root import unsafe_if_nan

Look = Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]
_START = 16
_PARTS = 4
_ROUNDS = 40
_LOOKED = 96  # cells, those of the highest bounds, at whose ends the function itself is evaluated


@dataclass(frozen=True)
class Largest:
    """`upper` >= the largest value >= `attained`, the value at `point`."""

    upper: float
    attained: float
    point: tuple[float, ...]


def largest(look: Look, tolerance: float, cells: int) -> Largest:
    """The largest value of a function over [0, 1], to `tolerance` where that many cells suffice.

    look(points (n,), low (m,), high (m,)) -> (n + m,): the values at the points, then for each cell what is at least
    every value in it; one call for both, as a call of the engine costs as much as a hundred values. The search begins
    on a grid, ends included. -inf is a value.
    """
    points = np.linspace(0.0, 1.0, _START + 1)
    low, width = points[:-1], 1.0 / _START
    attained, point, upper = -np.inf, 0.0, -np.inf
    for _ in range(_ROUNDS):
        values, bounds = np.split(look(points, low, np.minimum(low + width, 1.0)), [points.size])
        values = np.where(np.isnan(values), -np.inf, values)
        bounds = unsafe_if_nan(bounds)
        best = int(values.argmax())
        if values[best] > attained:
            attained, point = float(values[best]), float(points[best])
        live = bounds > attained + tolerance
        upper = max(upper, float(bounds[~live].max(initial=-np.inf)))
        if not live.any():
            break
        if live.sum() * _PARTS > cells:
            upper = max(upper, float(bounds.max()))
            break
        width = width / _PARTS
        low = (low[live][:, None] + np.arange(_PARTS) * width).ravel()
        points = low[np.argsort(-np.repeat(bounds[live], _PARTS), kind="stable")[:_LOOKED]]
    else:
        upper = max(upper, float(bounds.max()))
    return Largest(max(upper, attained), attained, (point,))
