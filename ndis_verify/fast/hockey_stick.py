"""Hockey-stick divergence of two Gaussians in float64, for curves in epsilon and for batches of pairs."""

from __future__ import annotations

from typing import Any

import numpy as np

from ndis_verify.fast.calibration import epsilon_search
from ndis_verify.fast.curve import Pair, checked_epsilons, log_entries, log_pair, to_delta, to_log_delta

__all__ = [
    "Pair",
    "checked_epsilons",
    "epsilon_for_delta",
    "hockey_stick",
    "log_entries",
    "log_hockey_stick",
    "to_delta",
    "to_log_delta",
]


def hockey_stick(pair: Pair, epsilon: Any) -> np.ndarray:
    """delta_{P,Q}(epsilon) = sup_S P(S) - e^epsilon Q(S) (N26-L1), as one contour integral of E_P e^{sL}.

    pair: a `GaussianPair`, a `PairBatch` of B pairs, or a `Spectrum`. epsilon >= 0: a scalar or an array; one pair
    gives the shape of epsilon. A batch of shape (B,) gives (B,) for a scalar epsilon and (B, *epsilon.shape) for an
    array: every pair at every epsilon.

    Accuracy: relative error at most 1e-11 where delta >= 1e-290 (of log delta below), for eigenvalue ratios 1e-6 to
    1e6, d to 10,000 and epsilon to 200, either order; measured below 3e-12. Two limits come from the input:
    dense pairs are whitened with relative error about 1e-15 of the largest |alpha| for covariances conditioned up
    to about 1e8; and next to the largest value x0 of a bounded loss, a dense pair or a batch has a relative error of
    about 1e-16 d x0/(x0 - epsilon), as a rounding of its entries would cause (a `GaussianPair` with diagonal
    covariances has no such limit, `support_edge`).
    Exactly 0 where the privacy loss cannot exceed epsilon; always in [0, 1]. Raises `InputError`.
    """
    return to_delta(log_pair(pair, checked_epsilons(epsilon)))


def log_hockey_stick(pair: Pair, epsilon: Any) -> np.ndarray:
    """log of `hockey_stick`, also far below the smallest float; -inf where delta is exactly 0."""
    return to_log_delta(log_pair(pair, checked_epsilons(epsilon)))


def epsilon_for_delta(pair: Pair, delta: Any) -> np.ndarray:
    """The smallest epsilon >= 0 with delta_{P,Q}(epsilon) <= delta; inverse of `hockey_stick`, on the safe side.

    delta: in [0, 1], scalar or array, shaped as epsilon is in `hockey_stick`. The result was evaluated: its delta is
    at most the target, with a relative margin of 1e-12 for rounding. delta = 0 gives the largest privacy loss, inf
    where that is unbounded. Raises `InputError`.
    """
    return epsilon_search(pair, delta)
