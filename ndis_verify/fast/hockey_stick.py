"""Hockey-stick divergence of two Gaussians in float64, for curves in epsilon and for batches of pairs."""

from __future__ import annotations

from typing import Any

import numpy as np

from ndis_verify.fast.engine.curve import (
    Pair,
    checked_epsilons,
    log_below_zero,
    log_entries,
    log_pair,
    to_delta,
    to_log_delta,
)
from ndis_verify.fast.engine.least_epsilon import epsilon_search
from ndis_verify.fast.engine.whitening import spectrum

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


def hockey_stick(pair: Pair, epsilon: Any, *, workers: int = 1) -> np.ndarray:
    """delta_{P,Q}(epsilon) = sup_S P(S) - e^epsilon Q(S) (N26-L1), as one contour integral of E_P e^{sL}.

    pair: a `GaussianPair`, a `PairBatch` of B pairs, or a `Spectrum`. epsilon: a scalar or an array, of either sign;
    one pair gives the shape of epsilon. A batch of shape (B,) gives (B,) for a scalar epsilon and (B, *epsilon.shape)
    for an array: every pair at every epsilon. A batch is worked on in chunks, `workers` of them at a time (threads,
    which the compiled loops of the extra `speed` let run side by side): beside the result it takes a chunk's memory.

    Accuracy: relative error at most 1e-11 where delta >= 1e-290 (of log delta below), for eigenvalue ratios 1e-6 to
    1e6, d to 10,000 and epsilon to 200, either order; measured below 3e-12. Inputs are meant exactly, so this holds
    for pairs and batches, diagonal and dense alike, whatever the conditioning of the covariances (`graded_pencil`),
    and as close to the largest value of a bounded loss as floats come (`support_edge`, which costs about 0.3 ms a pair
    in few dimensions, seconds for dense ones of some hundred; paid only there, once for nearby epsilons). One limit:
    next to the largest loss of some coordinates, others with an eigenvalue ratio within 1e-12 of 1, but not 1, and a
    mean shift of their own are good to 1e-16 of that largest loss over the spread of their loss only.
    Beyond these bounds, over the whole range of floats, the value is that of an epsilon within a relative 2e-15, to
    1e-11 (and 7e-15 times the root of the number of coordinates). Ratios, and distances of the means in standard
    deviations of Q, that are no normal floats are refused where they matter. Exactly 0 where the privacy loss cannot
    exceed epsilon; always in [0, 1]. Raises `InputError`.

    Examples
    --------
    >>> from ndis_verify.fast import hockey_stick
    >>> from ndis_verify import GaussianPair
    >>> pair = GaussianPair([0.5], [2], [0], [1])
    >>> print(f"{hockey_stick(pair, 1.0):.12f}")
    0.086150968453
    """
    epsilon = checked_epsilons(epsilon, negative=True)
    if (epsilon < 0).any():
        return np.minimum(np.exp(log_hockey_stick(pair, epsilon, workers=workers)), 1.0)[()]
    return to_delta(log_pair(pair, epsilon, workers))


def log_hockey_stick(pair: Pair, epsilon: Any, *, workers: int = 1) -> np.ndarray:
    """log of `hockey_stick`, also far below the smallest float; -inf where delta is exactly 0 or its logarithm below
    -1e260.

    pair, epsilon, workers: as in `hockey_stick`. Raises `InputError`.

    Examples
    --------
    >>> from ndis_verify.fast import log_hockey_stick
    >>> from ndis_verify import GaussianPair
    >>> pair = GaussianPair([0.5], [2], [0], [1])
    >>> print(f"{log_hockey_stick(pair, 1.0):.10f}")
    -2.4516540746
    """
    epsilon = checked_epsilons(epsilon, negative=True)
    if not (epsilon < 0).any():
        return to_log_delta(log_pair(pair, epsilon, workers))
    laws = spectrum(pair)
    ahead = to_log_delta(log_pair(laws, np.maximum(epsilon, 0.0)))
    behind = log_below_zero(epsilon, log_pair(laws.swapped(), np.maximum(-epsilon, 0.0)))
    return np.where(epsilon < 0, behind, ahead)[()]


def epsilon_for_delta(pair: Pair, delta: Any) -> np.ndarray:
    """The smallest epsilon >= 0 with delta_{P,Q}(epsilon) <= delta; inverse of `hockey_stick`, on the safe side.

    delta: in [0, 1], scalar or array, shaped as epsilon is in `hockey_stick`. The result was evaluated: its delta is
    below the target by a relative 1.1e-11, more than the error that `hockey_stick` documents. delta = 0 gives the
    largest privacy loss, inf where that is unbounded; inf also above the largest float. Rounded up by a relative 2e-15
    above 200. Raises `InputError`.
    pair: as in `hockey_stick`.

    Examples
    --------
    >>> from ndis_verify.fast import epsilon_for_delta
    >>> from ndis_verify import GaussianPair
    >>> pair = GaussianPair([0.5], [2], [0], [1])
    >>> print(f"{epsilon_for_delta(pair, 1e-6):.9f}")
    13.725312352
    """
    return epsilon_search(pair, delta)
