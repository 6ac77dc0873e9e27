"""The smallest epsilon of a pair for a given delta."""

from __future__ import annotations

from typing import Any

import numpy as np

from ndis_verify.exact_number import InputError, float_array
from ndis_verify.fast.accuracy import PROMISES, margin, promise
from ndis_verify.fast.engine.curve import Pair, log_entries, to_log_delta
from ndis_verify.fast.engine.safe_root import safe_root, unsafe_if_nan
from ndis_verify.fast.engine.spectrum import Spectrum
from ndis_verify.fast.engine.support_edge import largest_loss
from ndis_verify.fast.engine.whitening import spectrum

_TINY, _HUGE = -100, 20  # exponents of roots that are looked for by the exponent first
_LARGEST = np.finfo(float).max
_MORE = 1.05  # times the step of a chord, which is safe where it is one of a straight line
_ROOM = 1e-6  # above the largest loss, relative to it: far more than its rounding error


def probabilities(value: Any, argument: str) -> np.ndarray:
    """`value` as a float array in [0, 1]; raises `InputError`."""
    array = float_array(value, argument)
    bad = ~((array >= 0) & (array <= 1))
    if bad.any():
        raise InputError(argument, float(array[bad].flat[0]), "must be between 0 and 1")
    return array


def epsilon_search(pair: Pair, delta: Any) -> np.ndarray:
    """See `hockey_stick.epsilon_for_delta`."""
    target = probabilities(delta, "delta")
    laws = spectrum(pair)
    count = int(np.prod(laws.batch_shape, dtype=int))
    rows = np.repeat(np.arange(count), target.size)
    result = _entries(laws, rows, np.tile(target.ravel(), count))
    return result.reshape(laws.batch_shape + target.shape)[()]


@np.errstate(all="ignore")  # what leaves the range of floats is followed by hand
def _entries(laws: Spectrum, rows: np.ndarray, target: np.ndarray) -> np.ndarray:
    goal = np.log(target)
    kept, far = margin("epsilon_for_delta"), PROMISES["hockey_stick"].ranges["epsilon"].high

    def log_delta(epsilon: np.ndarray, index: np.ndarray) -> np.ndarray:
        return to_log_delta(log_entries(laws, rows[index], epsilon))

    def excess(epsilon: np.ndarray, index: np.ndarray) -> np.ndarray:
        found = np.where(epsilon < np.inf, log_delta(np.minimum(epsilon, _LARGEST), index), -np.inf)
        return unsafe_if_nan(np.maximum(found, -1e300) - np.maximum(goal[index], -1e300) + kept)

    result = np.zeros(target.shape)
    everything = np.arange(target.size)
    ceiling = _ceilings(laws)[rows]
    at_zero = excess(result, everything)
    above = at_zero > kept
    zero = above & (target == 0)
    result[zero] = [max(largest_loss(laws, int(row)), 0.0) for row in rows[zero]]
    search = np.flatnonzero(above & ~zero)
    if search.size:
        loss = laws.loss_forms()
        first = loss.mean[rows[search]] + loss.std[rows[search]] * np.sqrt(np.maximum(-2 * goal[search], 0.0))
        first = np.where((first > 0) & (first < 2.0**_HUGE), first, 1.0)
        low, high, *known = _bracket(excess, search, ceiling[search], first, at_zero[search])
        # Arithmetic steps from 0 take long to a root far below: there, by the exponent first.
        near = (low == 0) & (loss.std[rows[search]] < 2.0**_TINY)
        other = search[~near]
        if other.size:
            ends = (known[1][~near], known[0][~near])
            result[other] = safe_root(lambda x, k: excess(x, other[k]), high[~near], low[~near], known=ends)
    tiny = search[result[search] < 2.0**_TINY]
    if tiny.size:
        low, high = _powers(excess, tiny, -1074, 1)
        least = excess(low, tiny) <= 0
        low, high = np.where(least, 0.0, low), np.where(least, low, high)
        result[tiny] = safe_root(lambda x, k: excess(x, tiny[k]), high, low)
    # Beyond, thresholds are known to fewer digits than the margin on delta covers.
    result = np.where(result > far, result * (1 + promise("threshold")), result)
    for entry in np.flatnonzero(result > ceiling * (1 - 2 * _ROOM)).tolist():
        result[entry] = min(result[entry], max(largest_loss(laws, int(rows[entry])), 0.0))
    return result


def _bracket(
    excess: Any, index: np.ndarray, ceiling: np.ndarray, first: np.ndarray, at_zero: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """An epsilon below each root, one above it, at most `ceiling`, and the excess at both; `first` is tried first.

    The logarithm of delta is concave, or almost: the chord of two points below the root meets 0 a little above it.
    """
    low, high = np.zeros(index.size), np.minimum(first, ceiling)
    below, above = at_zero.copy(), np.empty(index.size)
    open_ = np.arange(index.size)
    while open_.size:
        above[open_] = excess(high[open_], index[open_])
        open_ = open_[(above[open_] > 0) & (high[open_] < ceiling[open_])]
        step = (high - low)[open_] * above[open_] / (below - above)[open_]
        low[open_], below[open_] = high[open_], above[open_]
        far = low[open_] >= 2.0**_HUGE
        if far.any():
            some = open_[far]
            low[some], high[some] = _powers(excess, index[some], _HUGE, 1024)
            high[some] = np.minimum(high[some], ceiling[some])
            below[some], above[some] = excess(low[some], index[some]), excess(high[some], index[some])
            open_, step = open_[~far], step[~far]
        grown = low[open_] * np.where(step > 0, np.minimum(1 + _MORE * step / low[open_], 4.0), 4.0)
        high[open_] = np.minimum(np.maximum(grown, np.nextafter(low[open_], np.inf)), ceiling[open_])
    return low, high, below, above


def _powers(excess: Any, index: np.ndarray, least: int, most: int) -> tuple[np.ndarray, np.ndarray]:
    """Powers of two next to each other around the roots, which lie between 2^least and 2^most; 2^1024 is infinite."""
    low, high = np.full(index.size, least), np.full(index.size, most)
    while (high - low > 1).any():
        middle = (low + high) // 2
        over = excess(np.ldexp(1.0, middle), index) > 0
        low, high = np.where(over, middle, low), np.where(over, high, middle)
    ends = np.ldexp(1.0, low), np.ldexp(1.0, high)
    top = np.isinf(ends[1]) & (excess(np.full(index.size, _LARGEST), index) <= 0)
    return ends[0], np.where(top, _LARGEST, ends[1])


def _ceilings(laws: Spectrum) -> np.ndarray:
    """Somewhat more than sup L of each pair: inf unless every alpha <= 0 and alpha = 0 carries no shift."""
    loss = laws.loss_forms()
    forms = loss.forms
    bounded = ((forms.alpha < 0) | ((forms.alpha == 0) & (forms.b == 0))).all(axis=1)
    largest = (-loss.edge).astype(np.float64)
    return np.where(bounded, np.nextafter(largest * (1 + _ROOM), np.inf), np.inf)
