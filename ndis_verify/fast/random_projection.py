"""Random projection: the privacy curve of deleting or inserting one record of given leverage."""

from __future__ import annotations

from typing import Any

import numpy as np

from ndis_verify.exact_number import InputError
from ndis_verify.fast.calibration import SAFETY, probabilities
from ndis_verify.fast.curve import checked_epsilons, log_entries, to_delta, to_log_delta
from ndis_verify.fast.safe_root import safe_root
from ndis_verify.fast.spectrum import Spectrum


def rp_hockey_stick(leverage: Any, r: Any, epsilon: Any, direction: str = "delete") -> np.ndarray:
    """delta(epsilon) of the projections D^T G and D'^T G to r columns, one record of leverage p deleted (N26-L4).

    "delete": P from the larger database, eigenvalue 1/(1-p) taken r times,
    `Qg(r/2, t0/2) - e^epsilon Qg(r/2, rho t0/2)`, rho = 1/(1-p), t0 = 2(epsilon + (r/2) log rho)/(rho - 1);
    "insert": P from the smaller one, exactly 0 from 2 epsilon >= r log rho on.
    0 <= leverage < 1, whole r >= 1, epsilon >= 0; they broadcast. Accuracy as `hockey_stick`. Raises `InputError`.
    """
    return to_delta(_log_curve(leverage, r, epsilon, direction))


def log_rp_hockey_stick(leverage: Any, r: Any, epsilon: Any, direction: str = "delete") -> np.ndarray:
    """log of `rp_hockey_stick`; -inf where it is exactly 0."""
    return to_log_delta(_log_curve(leverage, r, epsilon, direction))


def rp_leverage(r: Any, epsilon: Any, delta: Any) -> np.ndarray:
    """The largest leverage p whose "delete" curve is at most delta at epsilon (N26-L4, N26-P4), on the safe side.

    Whole r >= 1, epsilon >= 0, delta in [0, 1]; they broadcast. The returned leverage was evaluated: its delta is at
    most the target, with a relative margin of 1e-12 for rounding. 0 for delta = 0; just below 1 where any leverage
    will do. Raises `InputError`.
    """
    epsilon, target, r = np.broadcast_arrays(checked_epsilons(epsilon), probabilities(delta, "delta"), _rows(r))
    shape = target.shape
    epsilon, r = epsilon.ravel(), r.ravel()
    with np.errstate(divide="ignore"):
        goal = np.log(target).ravel()
    floor, ceiling = np.full(goal.shape, -600.0), np.full(goal.shape, 36.0)

    def excess(logit: np.ndarray, index: np.ndarray) -> np.ndarray:
        return _log_delete(logit, r[index], epsilon[index]) - goal[index] + SAFETY

    result = np.zeros(goal.shape)
    everything = np.arange(goal.size)
    finite = np.isfinite(goal)
    top = finite & (np.where(finite, _log_delete(ceiling, r, epsilon), 0.0) <= goal)
    result[top] = 1 / (1 + np.exp(-36.0))
    search = everything[finite & ~top]
    search = search[excess(floor[search], search) <= 0]
    if search.size:
        logit = safe_root(lambda x, k: excess(x, search[k]), floor[search], ceiling[search])
        result[search] = _settled(1 / (1 + np.exp(-logit)), r[search], epsilon[search], goal[search])
    return result.reshape(shape)[()]


def _settled(leverage: np.ndarray, r: np.ndarray, epsilon: np.ndarray, goal: np.ndarray) -> np.ndarray:
    """The last check, on the returned numbers themselves."""
    while True:
        over = to_log_delta(_log_curve(leverage, r, epsilon, "delete")) > goal
        if not over.any():
            return leverage
        leverage = np.where(over, np.nextafter(leverage * (1 - 2e-16), 0.0), leverage)


def _rows(r: Any) -> np.ndarray:
    try:
        array = np.asarray(r, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise InputError("r", r, "must be a number or an array of numbers") from None
    bad = ~((array >= 1) & (array == np.floor(array)) & np.isfinite(array))
    if bad.any():
        raise InputError("r", float(array[bad].flat[0]), "must be a whole number, at least 1")
    return array


def _log_delete(logit: np.ndarray, r: np.ndarray, epsilon: np.ndarray) -> np.ndarray:
    """log delta in the "delete" direction at leverage 1/(1 + e^-logit): alpha = e^logit."""
    if not logit.size:
        return logit
    laws = Spectrum(np.exp(logit)[:, None], 0.0, r[:, None])
    return to_log_delta(log_entries(laws, np.arange(logit.size), epsilon))


def _log_curve(leverage: Any, r: Any, epsilon: Any, direction: str) -> tuple[np.ndarray, np.ndarray]:
    if direction not in ("delete", "insert"):
        raise InputError("direction", direction, "must be 'delete' or 'insert'")
    leverage = probabilities(leverage, "leverage")
    if (leverage == 1).any():
        raise InputError("leverage", 1.0, "must be less than 1")
    leverage, r, epsilon = np.broadcast_arrays(leverage, _rows(r), checked_epsilons(epsilon))
    shape = leverage.shape
    p = leverage.reshape(-1, 1)
    logs = np.log1p(-p)
    if direction == "delete":
        laws = Spectrum(p / (1 - p), 0.0, r.reshape(-1, 1), -logs)
    else:
        laws = Spectrum(-p, 0.0, r.reshape(-1, 1), logs)
    direct, complement = log_entries(laws, np.arange(p.size), epsilon.ravel())
    return direct.reshape(shape), complement.reshape(shape)
