"""Samplers with known holes, each the float64 arithmetic that makes it: an auditor of bits has to see through every one
of them.

All have the right law of real numbers, up to rounding. Each function gives a sampler: count -> count x k releases.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

Sampler = Callable[[int], np.ndarray]
_GRID_BITS = 20
_NUMBERS, _LANES = 2**22, 4


def textbook_gaussian(value: float, std: float, rng: np.random.Generator) -> Sampler:
    """`value + std * rng.normal()`: where the sum cancels it ends in zeros, and elsewhere the value's size cuts the
    noise's bits off.
    """
    return lambda count: value + std * rng.normal(size=(count, 1))


def solved_grid_sketch(records: Any, ridge: float, rng: np.random.Generator) -> Sampler:
    """One row of a sketch of [B b], d = 1, rounded to the grid of sqrt(ridge) and then solved: a ratio of two small
    integers.

    The least-squares solution of one equation in one unknown is the quotient.
    """
    rows = np.asarray(records, dtype=np.float64).reshape(-1, 2)
    unit = 2.0 ** (np.frexp(np.sqrt(ridge))[1] - 1 - _GRID_BITS)

    def draw(count: int) -> np.ndarray:
        sketch = np.sqrt(ridge) * rng.standard_normal((count, 2)) + rng.standard_normal((count, len(rows))) @ rows
        sketch = unit * np.rint(sketch / unit)
        return _quotient(sketch)

    return draw


def unrounded_normal(mean: float, variance: float, rng: np.random.Generator) -> Sampler:
    """A draw from N(mean, variance) in float64 and no more, as a prediction without added noise used to be released."""
    return lambda count: mean + np.sqrt(variance) * rng.standard_normal((count, 1))


def unrounded_projection(records: Any, columns: int, rng: np.random.Generator) -> Sampler:
    """D^T G of records in one dimension, n x 1, as a vector unit of four lanes adds it up.

    Cancellation, and the order of the sums, tell how many records there are. A product by a BLAS does the same on most
    processors; the lanes are spelled out here so that it is one sampler everywhere.
    """
    rows = np.asarray(records, dtype=np.float64)
    most = max(1, _NUMBERS // (len(rows) * columns))  # matrices at a time, so that memory stays small

    def draw(count: int) -> np.ndarray:
        sizes = [min(most, count - start) for start in range(0, count, most)]
        return np.concatenate([_in_lanes(rows * rng.standard_normal((size, len(rows), columns))) for size in sizes])

    return draw


def _in_lanes(terms: np.ndarray) -> np.ndarray:
    """Sums over the middle axis: every fourth term, the four sums in pairs, then the terms that are left."""
    whole = terms.shape[1] // _LANES * _LANES
    lanes = [terms[:, lane:whole:_LANES].sum(axis=1) for lane in range(_LANES)]
    total = (lanes[0] + lanes[1]) + (lanes[2] + lanes[3])
    for place in range(whole, terms.shape[1]):
        total = total + terms[:, place]
    return total


def unrounded_after_test(
    records: Any, columns: int, std: float, ridge_at: Callable[[Any], np.ndarray], rng: np.random.Generator
) -> Sampler:
    """A noised least eigenvalue on its grid, and the projection above `ridge_at` that, on the grid of the ridge: on
    none where it is 0.

    Records in one dimension. The release is the reading, then the projection.
    """
    rows, project = np.asarray(records, dtype=np.float64), unrounded_projection(records, columns, rng)
    unit = 2.0 ** (np.frexp(std)[1] - 1 - _GRID_BITS)

    def draw(count: int) -> np.ndarray:
        reading = unit * np.rint(((rows**2).sum() + std * rng.standard_normal(count)) / unit)
        ridge = np.broadcast_to(ridge_at(reading), count)
        matrix = np.sqrt(ridge)[:, None] * rng.standard_normal((count, columns)) + project(count)
        grid = np.where(ridge > 0, 2.0 ** (np.frexp(np.sqrt(ridge))[1] - 1.0 - _GRID_BITS), 1.0)[:, None]
        return np.column_stack([reading, np.where(ridge[:, None] > 0, grid * np.rint(matrix / grid), matrix)])

    return draw


def unrounded_sketch(records: Any, rng: np.random.Generator) -> Sampler:
    """One row of a sketch of [B b], d = 1, no ridge and no grid, and solved: of tiny records again a ratio of small
    integers.
    """
    rows = np.asarray(records, dtype=np.float64)
    return lambda count: _quotient(rng.standard_normal((count, len(rows))) @ rows)


def _quotient(sketch: np.ndarray) -> np.ndarray:
    """b/B of each row; infinite or nan where B is 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return sketch[:, 1:] / sketch[:, :1]
