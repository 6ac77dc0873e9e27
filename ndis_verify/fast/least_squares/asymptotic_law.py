"""Approximate least squares (sketch and solve), asymptotic law: the privacy curve of deleting or inserting
one record.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ndis_verify import arguments
from ndis_verify.exact_number import InputError, broadcast, float_array
from ndis_verify.fast.engine.least_epsilon import probabilities
from ndis_verify.fast.engine.spectrum import Spectrum
from ndis_verify.fast.hockey_stick import checked_epsilons, log_entries, to_delta, to_log_delta

_SMALLEST_SHIFT = float(np.finfo(np.float64).tiny)  # below it floats have fewer digits


def als_hockey_stick(
    leverage: Any, augmented_leverage: Any, d: Any, r: Any, epsilon: Any, direction: str = "delete"
) -> np.ndarray:
    """delta(epsilon) of the asymptotic law N(x_opt, (||w||^2/r)(B^T B)^{-1}) with and without one record (N24-T4).

    p = leverage of the record in B (n x d), q = augmented_leverage, its leverage in [B b]; w the residual. "delete" (P
    from the larger database): eigenvalue (1-p)^2/(1-q) once, (1-p)/(1-q) taken d-1 times, and a mean shift m^2 = r p
    (q-p)/(1-q) on the first; "insert": the inverses, m^2 = r p (q-p)/(1-p)^2. 0 <= p <= q < 1, epsilon >= 0, whole r >=
    1: they broadcast; one whole d >= 1. Accuracy as `hockey_stick`, next to the largest loss ("insert") that of an
    epsilon within a relative 2e-15. direction: "delete" or "insert". Raises `InputError`, of a mean shift too that is
    not 0 and below 2.2e-308.

    Examples
    --------
    >>> from ndis_verify.fast import als_hockey_stick
    >>> print(f"{als_hockey_stick(0.125, 0.25, 3, 50, 1.0):.12f}")
    0.140433565742
    """
    return to_delta(_log_curve(leverage, augmented_leverage, d, r, epsilon, direction))


def log_als_hockey_stick(
    leverage: Any, augmented_leverage: Any, d: Any, r: Any, epsilon: Any, direction: str = "delete"
) -> np.ndarray:
    """log of `als_hockey_stick`; -inf where it is exactly 0.

    leverage, augmented_leverage, d, r, epsilon, direction: as in `als_hockey_stick`. Raises `InputError`.

    Examples
    --------
    >>> from ndis_verify.fast import log_als_hockey_stick
    >>> print(f"{log_als_hockey_stick(0.125, 0.25, 3, 50, 1.0):.10f}")
    -1.9630207437
    """
    return to_log_delta(_log_curve(leverage, augmented_leverage, d, r, epsilon, direction))


def als_spectrum(leverage: Any, augmented_leverage: Any, d: Any, r: Any, direction: str = "delete") -> Spectrum:
    """The whitened pair of `als_hockey_stick` (N24-T4, Table VI): batch axes are those of the broadcast arguments.

    leverage, augmented_leverage, d, r, direction: as in `als_hockey_stick`. Raises `InputError`.

    Examples
    --------
    >>> from ndis_verify.fast import als_spectrum
    >>> laws = als_spectrum(0.5, 0.75, 1, 8)  # (1 - p)^2/(1 - q) = 1, m^2 = r p (q - p)/(1 - q) = 4
    >>> laws.alpha.tolist(), laws.shift_squared.round(9).tolist()
    ([0.0], [4.0])
    """
    p, q, d, r = checked_records(leverage, augmented_leverage, d, r, direction)
    laws = spectrum_of_records(p, q, d, r, direction)
    lost = (laws.shift[..., 0] > 0) & (laws.shift[..., 0] < _SMALLEST_SHIFT)
    if lost.any():
        rule = f"must make the mean shift, about sqrt(r p (q - p)), 0 or at least {_SMALLEST_SHIFT:.3g}"
        raise InputError("leverage", float(p[lost].flat[0]), rule)
    return laws


def spectrum_of_records(p: np.ndarray, q: np.ndarray, d: np.ndarray | int, r: np.ndarray, direction: str) -> Spectrum:
    """`als_spectrum` of arguments that were checked; a mean shift below 2.2e-308 has lost digits."""
    gap, log_p, log_q = q - p, np.log1p(-p), np.log1p(-q)
    excess = _excess(p, q)
    if direction == "delete":
        special, others, squares = excess / (1 - q), gap / (1 - q), r / (1 - q)
        logs = 2 * log_p - log_q, log_p - log_q
    else:
        special, others, squares = -excess / (1 - p) ** 2, -gap / (1 - p), r / (1 - p) ** 2
        logs = log_q - 2 * log_p, log_q - log_p
    logs = np.where(np.abs(special) < 0.25, np.log1p(special), logs[0]), logs[1]  # next to 1 the former cancels
    shift = np.sqrt(squares) * np.sqrt(p) * np.sqrt(gap)
    if d == 1:
        return Spectrum(special[..., None], None, 1, logs[0][..., None], shift=shift[..., None])
    alpha, shift = np.stack([special, others], axis=-1), np.stack([shift, np.zeros_like(shift)], axis=-1)
    return Spectrum(alpha, None, [1, d - 1], np.stack(logs, axis=-1), shift=shift)


def _excess(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """(1 - p)^2 - (1 - q) = (q - 2p) + p^2, in whose first part nothing is lost where both are close to opposite."""
    split = (2.0**27 + 1) * p
    head = split - (split - p)
    tail = p - head
    square = p * p
    return (q - 2 * p + square) + ((head * head - square) + 2 * head * tail + tail * tail)


def als_max_privacy_loss(
    leverage: Any, augmented_leverage: Any, d: Any, r: Any, direction: str = "delete"
) -> np.ndarray:
    """The largest privacy loss of the finite-r law of approximate least squares: its delta is 0 exactly from there on.

    "delete": `((r-d+1) log(1/(1-q)) - (r-d) log(1/(1-p)))/2`; "insert": `((r-d) log(1/(1-p)) + d log(1/(1-q)))/2`. Both
    are at most (r/2) log(1/(1-q)). Arguments as `als_hockey_stick`, r >= d. Accurate to rounding. leverage p,
    augmented_leverage q, direction: as in `als_hockey_stick`. Raises `InputError`.

    Examples
    --------
    >>> from ndis_verify.fast import als_max_privacy_loss
    >>> print(f"{als_max_privacy_loss(0.125, 0.25, 3, 50):.10f}")
    3.7663820122
    """
    p, q, d, r = checked_records(leverage, augmented_leverage, d, r, direction)
    require_enough_rows(d, r)
    return largest_loss(p, q, d, r, direction)[()]


def largest_loss(p: np.ndarray, q: np.ndarray, d: int, r: np.ndarray, direction: str) -> np.ndarray:
    """`als_max_privacy_loss` of checked arguments."""
    if direction == "delete":
        # log((1-p)/(1-q)) by itself: q near p would cancel.
        return 0.5 * ((r - d) * np.log1p((q - p) / (1 - q)) - np.log1p(-q))
    return -0.5 * ((r - d) * np.log1p(-p) + d * np.log1p(-q))


def checked_records(
    leverage: Any, augmented_leverage: Any, d: Any, r: Any, direction: str
) -> tuple[np.ndarray, np.ndarray, int, np.ndarray]:
    """(p, q, d, r), p, q and r broadcast, after the checks that `als_hockey_stick` documents."""
    arguments.direction(direction)
    p, q = probabilities(leverage, "leverage"), probabilities(augmented_leverage, "augmented_leverage")
    if (q == 1).any():
        raise InputError("augmented_leverage", 1.0, "must be less than 1")
    features, rows = _whole(d, "d"), _whole(r, "r")
    if features.ndim:
        raise InputError("d", f"an array of shape {features.shape}", "must be one whole number")
    p, q, rows = broadcast(leverage=p, augmented_leverage=q, r=rows)
    if (p > q).any():
        raise InputError("leverage", float(p[p > q].flat[0]), "must be at most augmented_leverage")
    return p, q, int(features), rows


def require_enough_rows(d: int, r: np.ndarray) -> None:
    """Raises `InputError` unless r >= d: a sketch with fewer rows than features determines no solution."""
    if (r < d).any():
        raise InputError("r", float(r[r < d].flat[0]), f"must be at least d = {d}")


def _whole(value: Any, argument: str) -> np.ndarray:
    array = float_array(value, argument, "must be a whole number")
    bad = ~((array >= 1) & (array == np.floor(array)) & (array <= 1e12))
    if bad.any():
        raise InputError(argument, float(array[bad].flat[0]), "must be a whole number from 1 to 1e12")
    return array


def _log_curve(
    leverage: Any, augmented_leverage: Any, d: Any, r: Any, epsilon: Any, direction: str
) -> tuple[np.ndarray, np.ndarray]:
    p, q, d, r = checked_records(leverage, augmented_leverage, d, r, direction)
    p, q, r, epsilon = broadcast(leverage=p, augmented_leverage=q, r=r, epsilon=checked_epsilons(epsilon))
    laws = als_spectrum(p.ravel(), q.ravel(), d, r.ravel(), direction)
    direct, complement = log_entries(laws, np.arange(p.size), epsilon.ravel())
    return direct.reshape(p.shape), complement.reshape(p.shape)
