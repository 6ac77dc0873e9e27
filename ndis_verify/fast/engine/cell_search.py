"""The largest value of a function over [0, 1], from above and from below: cells are bounded, discarded or split."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

Values = Callable[[np.ndarray], np.ndarray]
Bounds = Callable[[np.ndarray, np.ndarray], np.ndarray]
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


def largest(value: Values, bound: Bounds, tolerance: float, cells: int) -> Largest:
    """The largest `value` over [0, 1], to `tolerance` where that many cells suffice.

    value(points (n,)) -> (n,); bound(low (n,), high (n,)) -> (n,) is at least every value in the cell. The search
    begins on a grid, ends included. -inf is a value.
    """
    points = np.linspace(0.0, 1.0, _START + 1)
    values = value(points)
    best = int(values.argmax())
    attained, point = float(values[best]), float(points[best])
    low, width = points[:-1], 1.0 / _START
    upper = attained
    for _ in range(_ROUNDS):
        bounds = bound(low, np.minimum(low + width, 1.0))
        live = bounds > attained + tolerance
        upper = max(upper, float(bounds[~live].max(initial=-np.inf)))
        if not live.any():
            break
        if live.sum() * _PARTS > cells:
            upper = max(upper, float(bounds.max()))
            break
        width = width / _PARTS
        low = (low[live][:, None] + np.arange(_PARTS) * width).ravel()
        parents = np.repeat(bounds[live], _PARTS)
        some = low[np.argsort(-parents, kind="stable")[:_LOOKED]]
        values = value(some)
        if values.max() > attained:
            best = int(values.argmax())
            attained, point = float(values[best]), float(some[best])
    else:
        upper = max(upper, float(bounds.max()))
    return Largest(upper, attained, (point,))
