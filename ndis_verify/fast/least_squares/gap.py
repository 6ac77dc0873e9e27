"""How far the asymptotic privacy curve of approximate least squares lies from that of its finite-r law."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ndis_verify.exact_number import InputError, float_array
from ndis_verify.fast.hockey_stick import checked_epsilons
from ndis_verify.fast.least_squares.asymptotic_law import als_hockey_stick, als_max_privacy_loss
from ndis_verify.fast.least_squares.finite_law import als_exact_hockey_stick

DEFAULT_POINTS = 240


class AsymptoticGap(NamedTuple):
    """The extremes of asymptotic minus exact delta over a grid of epsilon, and where they lie.

    `overstated` >= 0: how much the asymptotic curve is above at most; `understated` >= 0: how much it is below at most,
    which is the unsafe side.
    """

    overstated: float
    overstated_at: float
    understated: float
    understated_at: float

    @property
    def largest(self) -> float:
        """The larger of the two: the sup distance of the curves on the grid."""
        return max(self.overstated, self.understated)


def als_asymptotic_gap(
    leverage: Any, augmented_leverage: Any, d: Any, r: Any, direction: str = "delete", epsilon: Any = None
) -> AsymptoticGap:
    """sup over epsilon of `als_hockey_stick` minus `als_exact_hockey_stick` and of its negative (N24 section 6.3).

    epsilon: the grid; by default even from 0 to 1.2 times the largest finite-r loss, and geometric near 0. One record
    at a time, arguments as `als_exact_hockey_stick`. A maximum over a grid is a lower bound on the supremum. leverage,
    augmented_leverage, d, r, direction: one record. Raises `InputError`.

    Examples
    --------
    >>> from ndis_verify.fast import als_asymptotic_gap
    >>> gap = als_asymptotic_gap(0.125, 0.25, 3, 50, epsilon=[1.0])
    >>> print(f"{gap.overstated - gap.understated:.10f}")
    0.0169845585
    """
    for name, value in (("leverage", leverage), ("augmented_leverage", augmented_leverage), ("r", r)):
        if (shape := float_array(value, name).shape) != ():
            raise InputError(name, f"an array of shape {shape}", "must be that of a single record")
    top = float(als_max_privacy_loss(leverage, augmented_leverage, d, r, direction))
    if epsilon is None:
        epsilon = np.concatenate(
            [np.linspace(0, 1.2 * top, DEFAULT_POINTS), top * np.geomspace(1e-4, 0.1, DEFAULT_POINTS // 4)]
        )
    grid = checked_epsilons(epsilon).ravel()
    arguments = (leverage, augmented_leverage, d, r, grid, direction)
    gap = als_hockey_stick(*arguments) - als_exact_hockey_stick(*arguments)
    high, low = int(gap.argmax()), int(gap.argmin())
    return AsymptoticGap(max(float(gap[high]), 0.0), float(grid[high]), max(-float(gap[low]), 0.0), float(grid[low]))
