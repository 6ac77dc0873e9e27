"""Curves: the entries (pair, epsilon) of a batch as contour integrals of delta or, near 1, of its complement."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from ndis_verify.arguments import whole
from ndis_verify.exact_number import InputError, float_array
from ndis_verify.fast.engine import kernels
from ndis_verify.fast.engine.contour import log_integral
from ndis_verify.fast.engine.spectrum import Spectrum
from ndis_verify.fast.engine.support_edge import thresholds
from ndis_verify.fast.engine.whitening import PairBatch, spectrum
from ndis_verify.gaussian_pair import GaussianPair

Pair = GaussianPair | PairBatch | Spectrum
_CHUNK = 1 << 12  # pairs of a batch that are worked on together
_CELLS = 1 << 20  # numbers in their covariances
_FEW = 64  # pairs of a batch for one that the compiled loops leave, from which on that is looked at without the others


def checked_epsilons(epsilon: Any, argument: str = "epsilon", negative: bool = False) -> np.ndarray:
    """`epsilon` as a float array, finite, and at least 0 unless `negative`; raises `InputError`."""
    array = float_array(epsilon, argument)
    bad = ~(np.isfinite(array) & (negative | (array >= 0)))
    if bad.any():
        raise InputError(
            argument, float(array[bad].flat[0]), "must be finite" + ("" if negative else " and at least 0")
        )
    return array


def log_pair(pair: Pair, epsilon: np.ndarray, workers: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """(log delta, nan) or (nan, log(1 - delta)) for every pair at every epsilon; a batch in chunks, by `workers`
    threads."""
    whole(workers, "workers", 1)
    chunk = min(_CHUNK, max(1, _CELLS // pair.cells)) if isinstance(pair, PairBatch) else 0
    if not isinstance(pair, PairBatch) or pair.size <= chunk:
        return _log_pair(pair, epsilon)
    parts = [slice(start, start + chunk) for start in range(0, pair.size, chunk)]
    halves = np.empty((pair.size, *epsilon.shape)), np.empty((pair.size, *epsilon.shape))

    def one(part: slice) -> None:
        for half, found in zip(halves, _log_pair(pair.part(part), epsilon)):
            half[part] = found

    with ThreadPoolExecutor(workers) as pool:
        list(pool.map(one, parts))
    return halves


def _log_pair(pair: Pair, epsilon: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    laws = spectrum(pair)
    batch = laws.batch_shape
    count = int(np.prod(batch, dtype=int))
    rows = np.repeat(np.arange(count), epsilon.size)
    direct, complement = log_entries(laws, rows, np.tile(epsilon.ravel(), count))
    return direct.reshape(batch + epsilon.shape), complement.reshape(batch + epsilon.shape)


def log_entries(laws: Spectrum, rows: np.ndarray, epsilon: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(log delta, nan) or (nan, log(1 - delta)) for the entries (rows[e], epsilon[e])."""
    kernel = kernels.compiled_kernel() if kernels.compiled_wanted(rows.size) else None
    if kernel is None:
        return entries_by_arrays(laws, rows, epsilon)
    direct, complement = kernel.entries(laws, rows, epsilon)
    rest = np.flatnonzero(np.isnan(direct) & np.isnan(complement))
    if rest.size:
        some, row = np.unique(rows[rest], return_inverse=True)
        few = some.size * _FEW < np.prod(laws.batch_shape, dtype=int)
        part, row = (laws.part(some), row) if few else (laws, rows[rest])
        direct[rest], complement[rest] = entries_by_arrays(part, row, epsilon[rest])
    return direct, complement


@np.errstate(all="ignore")  # what leaves the range of floats is followed by hand
def entries_by_arrays(laws: Spectrum, rows: np.ndarray, epsilon: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """`log_entries` in numpy, over all the domain: the reference of the compiled kernel."""
    loss = laws.loss_forms()
    # Where epsilon lies well below the mean loss, delta is near 1 and its complement is the quiet integral.
    high = loss.mean[rows] - epsilon > 0.5 * loss.std[rows]
    forms, t, edge = thresholds(laws, loss, rows, epsilon, ~high)
    if high.any():
        rows, t, edge = rows + high * loss.offset.size, np.where(high, -t, t), np.where(high, -edge, edge)
        forms = forms.followed_by(forms.reflected())
    logs = log_integral(forms, rows, t, edge, "hockey_stick", high)
    return np.where(high, np.nan, logs), np.where(high, logs, np.nan)


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


def log_below_zero(epsilon: np.ndarray, swapped: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
    """log delta_{P,Q}(epsilon) at epsilon < 0 from the halves of the swapped pair at -epsilon, by
    `delta_{P,Q}(epsilon) = 1 - e^epsilon + e^epsilon delta_{Q,P}(-epsilon)`: terms of one sign, nothing cancels."""
    direct, complement = swapped
    with np.errstate(all="ignore"):
        small = np.logaddexp(np.log(-np.expm1(epsilon)), epsilon + to_log_delta(swapped))
        rest = np.where(np.isnan(complement), np.log1p(-np.exp(direct)), complement)  # log(1 - delta_{Q,P})
        return np.where(small < -0.5, small, np.log1p(-np.exp(epsilon + rest)))
