"""The finite least squares law on float64 columns, with a bound of its error: divergences, and its density."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from scipy.special import gammaln

from ndis_verify.court.quantities.float_matrices import stacked
from ndis_verify.court.scaled_floats import Scaled, from_log, known_where
from ndis_verify.fast.least_squares.finite_law import log_als_exact_hockey_stick

_FINITE = 2e-9  # and to the one of the finite least squares law
_CONDITION = 1e6  # of the records' matrix
_NODES = 800
_DENSITY = 1e-11  # of the logarithm of a density, beside what its arguments lose


def _finite_least_squares(p: Scaled, q: Scaled, d: Scaled, r: Scaled, epsilon: Scaled, insert: bool = False) -> Scaled:
    a, b, features, rows, eps = (x.value() for x in (p, q, d, r, epsilon))
    whole = (features == np.floor(features)) & (rows == np.floor(rows))
    good = (a >= 0) & (a <= b) & (b < 1) & whole & (features >= 1) & (rows >= features) & (eps >= 0)
    log = np.zeros(len(a))
    for size in np.unique(features[good]):
        at = good & (features == size)
        way = "insert" if insert else "delete"
        log[at] = log_als_exact_hockey_stick(a[at], b[at], int(size), rows[at], eps[at], way)
    return known_where(from_log(log, _FINITE * np.maximum(1.0, np.where(np.isfinite(log), np.abs(log), 0.0))), good)


def _density(gram: Any, cross: Any, square: Scaled, rows: Scaled, point: Any) -> Scaled:
    """Given X the minimiser is N(y, W (X^T X)^{-1}), N y = c, W = a - c^T y. So with u = x - y the density is the mean
    of (2 pi W)^{-d/2} sqrt(det(X^T X)) exp(-|X u|^2/(2 W)): by Bartlett, the first axis along N^{1/2} u, det(X^T X) is
    det(N) times independent chi-square variables of r, r - 1, ..., r - d + 1 degrees of freedom, and the first of them
    times u^T N u is |X u|^2. Their means are integrals, met by the trapezoidal rule.
    """
    (n, n_slack), (c, c_slack), (x, x_slack) = stacked(gram), stacked(cross), stacked(point)
    a, r, d = square.value(), rows.value(), n.shape[1]
    values = np.linalg.eigvalsh(np.where(np.isfinite(n).all(axis=(1, 2))[:, None, None], n, 0.0))
    alike = np.abs(n - np.swapaxes(n, 1, 2)).max(axis=(1, 2)) <= 1e-12 * np.abs(n).max(axis=(1, 2))
    good = alike & (values[:, 0] > values[:, -1] / _CONDITION) & (r >= d) & (r == np.floor(r))
    n = np.where(good[:, None, None], n, np.eye(d))
    centre = np.linalg.solve(n, c)
    residual = a - (c * centre).sum(axis=(1, 2))
    good &= np.isfinite(residual + x.sum(axis=(1, 2))) & (residual > 0)
    residual, u, r = np.where(good, residual, 1.0), x - centre, np.where(good, r, d)
    excess = np.where(good, (u * (n @ u)).sum(axis=(1, 2)) / residual, 0.0)
    logs = -d / 2 * np.log(2 * np.pi * residual) + np.linalg.slogdet(n)[1] / 2 + _log_root(r, excess)
    for k in range(1, d):
        logs = logs + _log_root(r - k, np.zeros(len(r)))
    lost = n_slack + c_slack + x_slack + square.slack() / np.maximum(np.abs(a), 1e-300) + 1e-15
    size = (
        np.abs(a) + np.abs(c * centre).sum(axis=(1, 2)) + (np.abs(x) + np.abs(centre)).max(axis=(1, 2)) ** 2
    ) / residual
    spread = values[:, -1] / np.where(good, values[:, 0], 1.0)
    return known_where(from_log(logs, _DENSITY * r + 4 * (r + d) * spread * np.maximum(size, 1.0) * lost), good)


def _log_root(degrees: np.ndarray, tilt: np.ndarray) -> np.ndarray:
    """log E sqrt(T) e^{-tilt T/2}, T chi-square: with T = t e^v, t = (k + 1)/(1 + tilt), the integral over v of
    exp((k + 1)/2 (v - e^v)), smooth and short-tailed, times what does not depend on v.
    """
    half = (degrees + 1) / 2
    low, high = -1 - 45 / half - 1.3 * np.sqrt(90 / half), np.log(2 + 60 / half) + 0.1
    v = low[:, None] + (high - low)[:, None] * np.linspace(0, 1, _NODES)
    total = np.exp(half[:, None] * (v - np.exp(v) + 1)).sum(axis=1) * (high - low) / (_NODES - 1)
    scale = half * (np.log(2 * half / (1 + tilt)) - 1)
    return np.log(total) + scale - degrees / 2 * np.log(2) - gammaln(degrees / 2)


QUANTITIES: Mapping[str, Callable[..., Scaled]] = {
    "sketch": _finite_least_squares,
    "sketch_insert": lambda p, q, d, r, eps: _finite_least_squares(p, q, d, r, eps, True),
    "sketch_density": _density,
}
