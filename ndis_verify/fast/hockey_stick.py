"""Hockey-stick divergence of two Gaussians in float64, for curves in epsilon and for batches of pairs."""

from __future__ import annotations

from typing import Any

import numpy as np

from ndis_verify.exact_number import InputError
from ndis_verify.fast.contour import log_integral
from ndis_verify.fast.spectrum import PairBatch, Spectrum, spectrum
from ndis_verify.gaussian_pair import GaussianPair

Pair = GaussianPair | PairBatch | Spectrum


def hockey_stick(pair: Pair, epsilon: Any) -> np.ndarray:
    """delta_{P,Q}(epsilon) = sup_S P(S) - e^epsilon Q(S) (N26-L1), as one contour integral of E_P e^{sL}.

    pair: a `GaussianPair`, a `PairBatch` of B pairs, or a `Spectrum`. epsilon >= 0: a scalar or an array; one pair
    gives the shape of epsilon. A batch of shape (B,) gives (B,) for a scalar epsilon and (B, *epsilon.shape) for an
    array: every pair at every epsilon.

    Relative error at most 1e-11 where delta >= 1e-290 (see README for the domain), given the pair's spectrum;
    exactly 0 where the privacy loss cannot exceed epsilon; always in [0, 1]. Raises `InputError`.
    """
    return to_delta(_log_pair(pair, checked_epsilons(epsilon)))


def log_hockey_stick(pair: Pair, epsilon: Any) -> np.ndarray:
    """log of `hockey_stick`, also far below the smallest float; -inf where delta is exactly 0."""
    return to_log_delta(_log_pair(pair, checked_epsilons(epsilon)))


def epsilon_for_delta(pair: Pair, delta: Any) -> np.ndarray:
    """The smallest epsilon >= 0 with delta_{P,Q}(epsilon) <= delta; inverse of `hockey_stick`, on the safe side.

    delta: in [0, 1], scalar or array, shaped as epsilon is in `hockey_stick`. The result is re-evaluated: its
    `hockey_stick` is at most delta. delta = 0 gives the largest privacy loss, inf where that is unbounded.
    """
    from ndis_verify.fast.calibration import epsilon_search

    return epsilon_search(pair, delta)


def checked_epsilons(epsilon: Any, argument: str = "epsilon") -> np.ndarray:
    try:
        array = np.asarray(epsilon, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise InputError(argument, epsilon, "must be a number or an array of numbers") from None
    bad = ~(np.isfinite(array) & (array >= 0))
    if bad.any():
        raise InputError(argument, float(array[bad].flat[0]), "must be finite and at least 0")
    return array


def _log_pair(pair: Pair, epsilon: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(log delta, nan) or (nan, log(1 - delta)) for every pair at every epsilon."""
    laws = spectrum(pair)
    batch = laws.batch_shape
    count = int(np.prod(batch, dtype=int))
    rows = np.repeat(np.arange(count), epsilon.size)
    direct, complement = log_entries(laws, rows, np.tile(epsilon.ravel(), count))
    return direct.reshape(batch + epsilon.shape), complement.reshape(batch + epsilon.shape)


def log_entries(laws: Spectrum, rows: np.ndarray, epsilon: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(log delta, nan) or (nan, log(1 - delta)) for the entries (rows[e], epsilon[e])."""
    loss = laws.loss_forms()
    t, edge = epsilon + loss.offset[rows], epsilon + loss.edge[rows]
    direct, complement = np.full(t.shape, np.nan), np.full(t.shape, np.nan)
    # Where epsilon lies well below the mean loss, delta is near 1 and its complement is the quiet integral.
    high = loss.mean[rows] - epsilon > 0.5 * loss.std[rows]
    low, top = np.flatnonzero(~high), np.flatnonzero(high)
    direct[low] = log_integral(loss.forms, rows[low], t[low], edge[low], "hockey_stick")
    complement[top] = log_integral(loss.forms.reflected(), rows[top], -t[top], -edge[top], "complement")
    return direct, complement


def to_log_delta(logs: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
    """log delta from the two halves of `log_entries`."""
    direct, complement = logs
    with np.errstate(all="ignore"):
        return np.minimum(np.where(np.isnan(complement), direct, np.log1p(-np.exp(complement))), 0.0)[()]


def to_delta(logs: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
    """delta from the two halves of `log_entries`."""
    direct, complement = logs
    with np.errstate(all="ignore"):
        return np.clip(np.where(np.isnan(complement), np.exp(direct), -np.expm1(complement)), 0.0, 1.0)[()]
