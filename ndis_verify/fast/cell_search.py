"""The largest value of a function over a box, from above and from below: cells are bounded, discarded or split."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

Values = Callable[[np.ndarray], np.ndarray]
Bounds = Callable[[np.ndarray, np.ndarray], np.ndarray]
_PARTS = 4
_ROUNDS = 40
_CELLS = 6_000
_ROUGH = 0.05  # a tolerance from which on fewer cells have to do
_LOOKED = 96  # cells, those of the highest bounds, at whose corners the function itself is evaluated


@dataclass(frozen=True)
class Largest:
    """`upper` >= the largest value >= `attained`, the value at `point`."""

    upper: float
    attained: float
    point: tuple[float, ...]


def largest(
    value: Values, bound: Bounds, dimension: int, tolerance: float, start: int = 16, known: float = -np.inf
) -> Largest:
    """The largest `value` over the unit cube of that dimension, to `tolerance` where `_CELLS` cells suffice.

    value(points (n, k)) -> (n,); bound(low (n, k), high (n, k)) -> (n,) is at least every value in the cell. The
    search begins on a grid of `start` intervals a side, ends and corners included. -inf is a value. Cells that cannot
    exceed `known`, a value met elsewhere, are not looked into.
    """
    edges = np.linspace(0.0, 1.0, start + 1)
    corners = _grid([edges] * dimension)
    values = value(corners)
    best = int(values.argmax())
    attained, point = float(values[best]), tuple(map(float, corners[best]))
    low, width = _grid([edges[:-1]] * dimension), np.full(dimension, 1.0 / start)
    upper = attained
    for _ in range(_ROUNDS):
        bounds = bound(low, np.minimum(low + width, 1.0))
        live = bounds > max(attained, known) + tolerance
        upper = max(upper, float(bounds[~live].max(initial=-np.inf)))
        if not live.any():
            break
        if live.sum() * _PARTS**dimension > (_CELLS if tolerance < _ROUGH else _CELLS // 16):
            upper = max(upper, float(bounds.max()))
            break
        width = width / _PARTS
        low = (low[live][:, None] + _grid([np.arange(_PARTS)] * dimension) * width).reshape(-1, dimension)
        parents = np.repeat(bounds[live], _PARTS**dimension)
        some = low[np.argsort(-parents, kind="stable")[:_LOOKED]]
        values = value(some)
        if values.max() > attained:
            best = int(values.argmax())
            attained, point = float(values[best]), tuple(map(float, some[best]))
    else:
        upper = max(upper, float(bounds.max()))
    return Largest(upper, attained, point)


def _grid(axes: list[np.ndarray]) -> np.ndarray:
    return np.stack([axis.ravel() for axis in np.meshgrid(*axes, indexing="ij")], axis=-1)
