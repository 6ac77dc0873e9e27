"""Normal laws and quadratic forms of general means and covariances on float64 columns, with a bound of their error."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ndis_verify.court.quantities.float_laws import QUANTITIES as LAWS
from ndis_verify.court.scaled_floats import Scaled, added, exponential, from_log, known_where, multiplied, scaled
from ndis_verify.court.statement_arrays import flat, rows_of
from ndis_verify.fast.engine.spectrum import Spectrum
from ndis_verify.fast.engine.whitening import PairBatch, spectrum
from ndis_verify.fast.hockey_stick import log_entries, to_log_delta

_ENGINE = 1e-10
_STEEP = 1e3  # how much faster than an argument a logarithm may move
_UNKNOWN = 100.0  # a logarithm that may be wrong by as much says nothing
_CONDITION = 1e6  # of covariances that float64 columns are searched with


def stacked(value: Any) -> tuple[np.ndarray, np.ndarray]:
    """(numbers of shape (points, rows, columns), relative slack of each point)."""
    rows = rows_of(value)
    found = np.stack([np.stack([x.value() for x in row], axis=-1) for row in rows], axis=1)
    slack = np.sum([x.slack() for x in flat(value)], axis=0)
    return found, slack / np.maximum(np.abs(found).max(axis=(1, 2)), 1e-300)


def _conditions(matrices: np.ndarray) -> np.ndarray:
    """Condition numbers of symmetric matrices; infinite where one is not positive definite."""
    values = np.linalg.eigvalsh(np.where(np.isfinite(matrices).all(axis=(1, 2))[:, None, None], matrices, 0.0))
    return np.where(values[:, 0] > 0, values[:, -1] / np.maximum(values[:, 0], 1e-300), np.inf)


def _far_out(laws: Spectrum, log: np.ndarray, mean: np.ndarray, covariance: np.ndarray) -> np.ndarray:
    """How wrong a logarithm of a tail is where means are off by `mean` whitened, and covariances by a share: the tail
    begins x = sqrt(2 |log|) deviations out, where the privacy loss is off by mean x + share x^2, over its slope.
    """
    out = np.sqrt(2 * np.abs(np.where(np.isfinite(log), log, 0.0)))
    slope = np.sqrt(laws.shift_squared.sum(axis=-1)) + np.abs(laws.alpha).max(axis=-1) * out
    off = mean * out + covariance * out**2
    return np.where(off > 0, out * off / np.maximum(slope, 1e-300), 0.0)


def _normal_pair(mean_p: Any, cov_p: Any, mean_q: Any, cov_q: Any, epsilon: Scaled) -> Scaled:
    arrays, slacks = zip(*(stacked(x) for x in (mean_p, cov_p, mean_q, cov_q)), strict=True)
    first, second = ((x + np.swapaxes(x, 1, 2)) / 2 for x in (arrays[1], arrays[3]))
    condition = np.maximum(_conditions(first), _conditions(second))
    eps, size = epsilon.value(), first.shape[1]
    means = [np.where(np.isfinite(x), x, 0.0)[..., 0] for x in (arrays[0], arrays[2])]
    good = (condition < _CONDITION) & np.isfinite(eps) & np.isfinite(arrays[0] + arrays[2]).all(axis=(1, 2))
    unit = np.eye(size)
    first, second = (np.where(good[:, None, None], x, unit) for x in (first, second))
    laws, turned = (
        spectrum(PairBatch(*pair))
        for pair in ((means[0], first, means[1], second), (means[1], second, means[0], first))
    )
    eps, rows = np.where(good, eps, 0.0), np.arange(len(eps))
    log = np.where(
        eps >= 0,
        to_log_delta(log_entries(laws, rows, np.abs(eps))),
        to_log_delta(log_entries(turned, rows, np.abs(eps))),
    )
    worse = np.where(np.isfinite(condition), condition, 1.0)
    slack = epsilon.slack() + worse * (sum(slacks) + 1e-15)
    extra = _ENGINE * np.maximum(1.0, np.where(np.isfinite(log), np.abs(log), 0.0)) + _STEEP * slack
    moved = sum(slacks[k] * np.abs(means[k // 2]).max(axis=-1) for k in (0, 2))
    least = np.minimum(*(np.linalg.eigvalsh(x)[:, 0] for x in (first, second)))
    extra = extra + _far_out(laws, log, moved / np.sqrt(np.maximum(least, 1e-300)), worse * (slacks[1] + slacks[3]))
    same = from_log(log, extra)
    growth = exponential(scaled(np.minimum(eps, 0.0)))
    other = added(scaled(-np.expm1(np.minimum(eps, 0.0))), multiplied(growth, same))
    picked = [np.where(eps >= 0, getattr(same, f), getattr(other, f)) for f in ("mantissa", "exponent", "error")]
    return known_where(Scaled(*picked), good & (extra < _UNKNOWN))


def _form_hinge(form: Any, slope: Any, c: Scaled) -> Scaled:
    """In the eigenbasis of the form, whose coordinates are independent."""
    (forms, form_slack), (slopes, slope_slack) = stacked(form), stacked(slope)
    good = np.isfinite(forms).all(axis=(1, 2)) & np.isfinite(slopes).all(axis=(1, 2))
    values, basis = np.linalg.eigh(np.where(good[:, None, None], (forms + np.swapaxes(forms, 1, 2)) / 2, 0.0))
    turned = np.einsum("nij,ni->nj", basis, np.where(good[:, None], slopes[..., 0], 0.0))
    size = np.abs(forms).max(axis=(1, 2)) + np.abs(slopes).max(axis=(1, 2))
    slack = (form_slack + slope_slack + 1e-15) * np.where(good, size, 0.0)
    a, b = ([scaled(x, slack) for x in found.T] for found in (values, turned))
    return known_where(LAWS["quadratic_hinge"](a, b, c), good)


QUANTITIES: Mapping[str, Callable[..., Scaled]] = {"normal_pair": _normal_pair, "form_hinge": _form_hinge}
