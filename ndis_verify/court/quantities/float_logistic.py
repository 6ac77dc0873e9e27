"""The minimiser of a regularised logistic loss on float64 columns, with a bound of its error."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from scipy.special import expit

from ndis_verify.court.quantities.float_matrices import stacked
from ndis_verify.court.scaled_floats import Scaled, scaled

_STEPS = 200
_SMALL = 1e-14  # of a step, beside 1 + |theta|, at which the iteration ends


def _logistic_fit(records: Any, penalty: Scaled) -> Any:
    """Newton's method, a step s as long as log(1 + R s)/R with R the longest record: it always converges.

    The loss is c-strongly convex, so that the minimiser is no further away than the length of the gradient over c.
    """
    (z, slack), c = stacked(records), penalty.value()
    good = np.isfinite(z).all(axis=(1, 2)) & np.isfinite(c) & (c > 0)
    z, c = np.where(good[:, None, None], z, 0.0), np.where(good, c, 1.0)
    longest = np.sqrt((z**2).sum(axis=2).max(axis=1))
    theta = np.zeros((z.shape[0], z.shape[2]))
    for _ in range(_STEPS):
        slope, _, weight = _slope(z, c, theta)
        curve = np.einsum("nij,ni,nik->njk", z, weight, z) + c[:, None, None] * np.eye(z.shape[2])
        step = np.linalg.solve(curve, slope[..., None])[..., 0]
        size = longest * np.linalg.norm(step, axis=1)
        theta = theta - step * np.where(size > 1e-8, np.log1p(size) / np.maximum(size, 1e-8), 1.0)[:, None]
        if np.all(np.abs(step) <= _SMALL * (1 + np.abs(theta))):
            break
    slope, parts, _ = _slope(z, c, theta)
    length = np.linalg.norm(theta, axis=1)
    total = np.abs(z).sum(axis=(1, 2)) * (1 + longest * length)
    lost = total * (slack + 1e-15) + c * length * 1e-15 + penalty.slack() * length + parts * 1e-15
    error = np.where(good, (np.linalg.norm(slope, axis=1) + lost) / c, np.inf)
    found = [scaled(at, error) for at in theta.T]
    return found if len(found) > 1 else found[0]


def _slope(z: np.ndarray, c: np.ndarray, theta: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(the gradient of the loss, the sum of the sizes of its parts, the second derivative of each record's part)."""
    margin = np.einsum("nij,nj->ni", z, theta)
    pull, rest = expit(-margin), expit(margin)
    parts = pull[..., None] * z
    whole = np.abs(parts).sum(axis=(1, 2)) + c * np.abs(theta).sum(axis=1)
    return c[:, None] * theta - parts.sum(axis=1), whole, pull * rest


QUANTITIES: Mapping[str, Callable[..., Any]] = {"logistic_fit": _logistic_fit}
