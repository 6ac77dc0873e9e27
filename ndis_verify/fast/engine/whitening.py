"""Whitening: two Gaussians, as a pair or a batch of pairs, brought to the spectrum of their indistinguishability."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from ndis_verify.exact_number import InputError, as_exact, as_float, nearest_float
from ndis_verify.fast.engine import kernels
from ndis_verify.fast.engine.exact_moment import Inputs
from ndis_verify.fast.engine.exact_products import expansion, whitened_pencil
from ndis_verify.fast.engine.graded_pencil import graded_pencil
from ndis_verify.fast.engine.spectrum import NEAR_ZERO, Spectrum, finite_array, norm, require_in_range
from ndis_verify.gaussian_pair import GaussianPair
from ndis_verify.quadratic_form import QuadraticForm

_CONDITION = 1e7  # of the second covariance, from which on a float64 whitening loses digits
_GRADED = 100.0  # largest |alpha| over smallest lambda
_UNSIGNED = 1e-12


@dataclass(frozen=True, eq=False)
class PairBatch:
    """B pairs of Gaussians on R^d in float64: means (B, d); covariances (B,) multiples of the identity, (B, d)
    diagonals or (B, d, d) symmetric positive definite matrices (a leading axis of 1 is shared by all pairs).

    Each pair is meant exactly as given and has the accuracy that it would have as a `GaussianPair`.
    Raises `InputError`: non-finite, wrong shape, asymmetric, not positive definite.
    """

    mean_p: np.ndarray
    cov_p: np.ndarray
    mean_q: np.ndarray
    cov_q: np.ndarray
    size: int = field(init=False)
    dimension: int = field(init=False)

    def __post_init__(self) -> None:
        for name in ("mean_p", "cov_p", "mean_q", "cov_q"):
            object.__setattr__(self, name, finite_array(getattr(self, name), name))
        for name in ("mean_p", "mean_q"):
            if getattr(self, name).ndim != 2 or 0 in getattr(self, name).shape:
                raise InputError(name, f"an array of shape {getattr(self, name).shape}", "must have shape (B, d)")
        dimension = self.mean_p.shape[1]
        arrays = (self.mean_p, self.cov_p, self.mean_q, self.cov_q)
        size = max(array.shape[0] for array in arrays if array.ndim)
        for name in ("mean_p", "cov_p", "mean_q", "cov_q"):
            array = getattr(self, name)
            sides = (dimension,) if name.startswith("mean") else (dimension,) * (array.ndim - 1)
            if array.ndim not in (1, 2, 3) or array.shape[0] not in (1, size) or array.shape[1:] != sides:
                raise InputError(name, f"an array of shape {array.shape}", f"must match B = {size} and d = {dimension}")
            if name.startswith("cov"):
                _require_covariances(array, name)
        object.__setattr__(self, "size", size)
        object.__setattr__(self, "dimension", dimension)

    @property
    def cells(self) -> int:
        """The most numbers that there are in a covariance of one pair."""
        return max(int(np.prod(array.shape[1:], dtype=int)) for array in (self.mean_p, self.cov_p, self.cov_q))

    def part(self, rows: slice) -> PairBatch:
        """Some of the pairs."""
        arrays = (self.mean_p, self.cov_p, self.mean_q, self.cov_q)
        return PairBatch(*(array if array.shape[0] == 1 else array[rows] for array in arrays))


def _require_covariances(array: np.ndarray, name: str) -> None:
    if array.ndim < 3:
        if not (array > 0).all():
            raise InputError(name, float(array.min()), "must be positive definite; this is its smallest eigenvalue")
        return
    if not np.array_equal(array, np.swapaxes(array, 1, 2)):
        raise InputError(name, f"an array of shape {array.shape}", "every matrix must be symmetric exactly")
    try:
        np.linalg.cholesky(array)
    except np.linalg.LinAlgError:
        smallest = float(np.linalg.eigvalsh(array).min())
        raise InputError(name, smallest, "must be positive definite; this is its smallest eigenvalue, about") from None


def spectrum(pair: GaussianPair | PairBatch | Spectrum) -> Spectrum:
    """The `Spectrum` of a pair or batch (N26-L1). Diagonal covariances elementwise, in O(d) memory and time;
    dense ones by the symmetric pencil (S1 - S2, S2), formed and whitened to twice the working precision, or three times
    where the eigenvalues are graded or S2 is conditioned badly.

    pair: as in `hockey_stick`. Raises `InputError`.

    Examples
    --------
    >>> from ndis_verify.fast import spectrum
    >>> from ndis_verify import GaussianPair
    >>> pair = GaussianPair([0.5], [2], [0], [1])
    >>> laws = spectrum(pair)
    >>> laws.alpha.tolist(), laws.shift_squared.tolist()
    ([1.0], [0.25])
    """
    if isinstance(pair, Spectrum):
        return pair
    if isinstance(pair, PairBatch):
        return _batch_spectrum(pair)
    if isinstance(pair, GaussianPair):
        return _pair_spectrum(pair)
    raise InputError("pair", type(pair).__name__, "must be a GaussianPair, a PairBatch or a Spectrum")


def quadratic_form(pair: GaussianPair) -> QuadraticForm:
    """(a, b, c) of N26-L1 in floats: a = -alpha, b = -sqrt(lambda) m, grouped as in the spectrum.

    pair: one pair. Raises `InputError`.

    Examples
    --------
    >>> from ndis_verify.fast import quadratic_form
    >>> from ndis_verify import GaussianPair
    >>> pair = GaussianPair([0.5], [2], [0], [1])
    >>> form = quadratic_form(pair)
    >>> print(f"{float(form.a[0]):.10f} {float(form.b[0]):.10f} {float(form.c):.10f}")
    -1.0000000000 -0.7071067812 0.2215735903
    """
    laws = spectrum(pair)
    loss, forms = laws.loss_forms(), laws.whole_forms
    if loss.offset.size != 1:
        raise InputError("pair", f"a batch of {loss.offset.size}", "must be one pair")
    return QuadraticForm(
        tuple((-forms.alpha[0]).tolist()),
        tuple((-forms.b[0]).tolist()),
        float(loss.offset[0]),
        tuple(int(k) for k in forms.dof[0]),
    )


def _pair_spectrum(pair: GaussianPair) -> Spectrum:
    given = (pair.mean_p, pair.mean_q, pair.cov_p.entries, pair.cov_q.entries)
    convert = as_float if all(map(_binary64, given)) else as_exact
    mean_p, mean_q = convert(pair.mean_p), convert(pair.mean_q)
    if "dense" in (pair.cov_p.kind, pair.cov_q.kind):
        p, q = _matrix(pair.cov_p, convert), _matrix(pair.cov_q, convert)
        (alpha, shift, logs), inputs = _dense_parts(Inputs(p[None], q[None], mean_p[None], mean_q[None]))
        return _of_dense(alpha[0], shift[0], logs[0], inputs)
    p, q = (np.atleast_1d(convert(covariance.entries)) for covariance in (pair.cov_p, pair.cov_q))
    return _elementwise(p, q, _difference(mean_p, mean_q), Inputs(p[None], q[None], mean_p[None], mean_q[None]))


def _binary64(array: np.ndarray) -> bool:
    """Whether every number is a float64 as it is: whole numbers and many Fractions are."""
    return array.dtype == np.float64 or all(value == nearest_float(value) for value in array.flat)


def _difference(mean_p: np.ndarray, mean_q: np.ndarray) -> np.ndarray:
    return mean_p - mean_q if mean_p.dtype == object else mean_p.astype(np.longdouble) - mean_q


def _elementwise(p: np.ndarray, q: np.ndarray, difference: np.ndarray, inputs: Inputs) -> Spectrum:
    """Diagonal covariances p, q (.., d) or (.., 1) and mean differences (.., d)."""
    shift = _roots(difference, q)
    gap = p - q
    if gap.dtype == np.float64:
        p, q, gap = (a.astype(np.longdouble) for a in (p, q, gap))
    wide_alpha, ratio = (_wide(a) for a in (gap / q, p / q))
    with np.errstate(over="ignore", under="ignore", divide="ignore"):
        alpha = wide_alpha.astype(np.float64)
        logs = np.where(np.abs(alpha) < 0.5, np.log1p(np.maximum(wide_alpha, -0.9)), np.log(ratio))
    require_in_range(np.where(np.isfinite(logs), alpha, np.inf), shift, "cov_p")
    if alpha.shape[-1] == 1 and difference.shape[-1] > 1:
        return Spectrum(alpha, None, difference.shape[-1], logs, shift=norm(shift)[..., None], inputs=inputs)
    if alpha.ndim == 1:
        return _grouped(alpha, shift, logs, inputs)
    return Spectrum(alpha, None, 1, logs, shift=shift, inputs=inputs)


def _roots(difference: np.ndarray, q: np.ndarray) -> np.ndarray:
    """|difference|/sqrt(q) in float64; at least the least float where difference is not 0."""
    if difference.dtype == object:
        squares = difference * difference / q
        shift = np.array([_root(square) for square in squares.ravel()]).reshape(squares.shape)
    else:
        with np.errstate(over="ignore", under="ignore"):
            shift = (np.abs(difference) / np.sqrt(q.astype(np.longdouble))).astype(np.float64)
    return np.where(difference != 0, np.maximum(shift, 5e-324), 0.0)


def _root(square: Fraction) -> float:
    """The square root, also of numbers that no float holds; infinite above the range of floats."""
    exponent = (square.numerator.bit_length() - square.denominator.bit_length()) // 2
    with np.errstate(over="ignore", under="ignore"):
        return float(np.ldexp(math.sqrt(square / Fraction(4) ** exponent), exponent))


def _wide(a: np.ndarray) -> np.ndarray:
    """Extended precision where the platform has it; Fractions as a sum of two floats."""
    if a.dtype != object:
        return a
    high, low = expansion(a)
    return high.astype(np.longdouble) + low


def _grouped(alpha: np.ndarray, shift: np.ndarray, logs: np.ndarray, inputs: Inputs) -> Spectrum:
    """Equal eigenvalues put together; next to alpha = -1 their logarithms tell them apart."""
    told = np.where(alpha < -0.5, logs, alpha.astype(np.longdouble))
    _, first, group, count = np.unique(told, return_index=True, return_inverse=True, return_counts=True)
    if first.size == alpha.size:
        return Spectrum(alpha, None, 1, logs, shift=shift, inputs=inputs)
    return Spectrum(alpha[first], None, count, logs[first], shift=_norms(group, shift), inputs=inputs)


def _norms(group: np.ndarray, shift: np.ndarray) -> np.ndarray:
    """As `norm`, of each group."""
    largest = np.zeros(group.max() + 1)
    np.maximum.at(largest, group, shift)
    exponent = np.frexp(largest)[1]
    scaled = np.ldexp(shift, -exponent[group])
    return np.ldexp(np.sqrt(np.bincount(group, scaled * scaled)), exponent)


def _matrix(covariance: Any, convert: Any) -> np.ndarray:
    entries = convert(covariance.entries)
    if entries.ndim == 2:
        return entries
    return np.diag(np.broadcast_to(entries, covariance.dimension))


def _batch_spectrum(batch: PairBatch) -> Spectrum:
    if batch.cov_p.ndim < 3 and batch.cov_q.ndim < 3:
        p, q = (c[:, None] if c.ndim == 1 else c for c in (batch.cov_p, batch.cov_q))
        inputs = Inputs(p, q, batch.mean_p, batch.mean_q)
        laws = _elementwise(p, q, _difference(batch.mean_p, batch.mean_q), inputs)
    else:
        p, q = (_batch_matrices(c, batch.dimension) for c in (batch.cov_p, batch.cov_q))
        parts, inputs = _dense_parts(Inputs(p, q, batch.mean_p, batch.mean_q))
        laws = _of_dense(*parts, inputs)
    return _spread(laws, batch.size)


def _spread(laws: Spectrum, size: int) -> Spectrum:
    shape = (size, laws.alpha.shape[-1])
    alpha, shift, count, logs = (
        np.broadcast_to(a, shape) for a in (laws.alpha, laws.shift, laws.multiplicity, laws.log_ratio)
    )
    return Spectrum(alpha, None, count, logs, shift=shift, inputs=laws.inputs)


def _batch_matrices(cov: np.ndarray, dimension: int) -> np.ndarray:
    if cov.ndim == 3:
        return cov
    return (cov[:, None] if cov.ndim == 1 else cov)[:, :, None] * np.eye(dimension)


def _dense_parts(inputs: Inputs) -> tuple[tuple[np.ndarray, np.ndarray, np.ndarray], Inputs]:
    """alpha (ascending), m and log(1 + alpha), and the inputs in their own units: float64 whitening where its error,
    1e-16 of the largest |alpha|, is small enough; `graded_pencil` elsewhere.
    """
    found = _by_loops(inputs)
    if found is not None:
        return _judged(inputs, *found), inputs
    exact, unit = _in_its_own_units(inputs)
    inputs = exact if unit is None else Inputs(exact.p, exact.q, exact.mean_p * _powers(-unit), exact.mean_q)
    alpha, shift, logs = _in_floats(inputs)
    if unit is not None:
        with np.errstate(over="ignore", under="ignore"):
            shift = np.where(shift > 0, np.maximum(np.ldexp(shift, unit), 5e-324), 0.0)
    return (alpha, shift, logs), exact


def _by_loops(inputs: Inputs) -> tuple[np.ndarray, np.ndarray, np.ndarray] | None:
    """As `whitened_pencil`, by compiled loops; None where they are not wanted, or numbers are far from 1."""
    parts = (inputs.p, inputs.q, inputs.mean_p, inputs.mean_q)
    if not all(part.dtype == np.float64 for part in parts) or not kernels.compiled_wanted(inputs.size):
        return None
    from ndis_verify.fast.engine import compiled_whitening  # numba takes half a second

    return compiled_whitening.pencils(inputs) if inputs.mean_p.shape[-1] <= compiled_whitening.LARGEST else None


def _in_floats(inputs: Inputs) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """alpha (ascending), m and log(1 + alpha) of pairs of numbers that are not far from 1."""
    p, q, mean_p, mean_q = inputs.p, inputs.q, inputs.mean_p, inputs.mean_q
    try:
        return _judged(inputs, *whitened_pencil(expansion(p, q), expansion(q), expansion(mean_p, mean_q)))
    except np.linalg.LinAlgError:  # not positive definite for floats
        return graded_pencil(*inputs.rows(np.arange(inputs.size)))


def _judged(
    inputs: Inputs, alpha: np.ndarray, shift: np.ndarray, condition: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """alpha, m and log(1 + alpha), by `graded_pencil` where those of a float64 whitening have not all their digits."""
    logs = np.log1p(np.maximum(alpha, -1 + 1e-16)).astype(np.longdouble)
    least, largest = alpha[..., 0], alpha[..., -1]
    size = np.maximum(largest, -least)
    graded = size > _GRADED * np.minimum(1.0, 1 + least)
    # Next to 0 the sign of alpha decides whether the loss is bounded, and coordinates that say nothing have no sign.
    one_sided = np.minimum(largest, -least) < _UNSIGNED * size
    unsigned = one_sided & (np.abs(alpha).min(axis=-1) < _UNSIGNED * size)
    rough = graded | unsigned | (condition > _CONDITION)
    if rough.any():
        rows, shape = np.flatnonzero(np.broadcast_to(rough, inputs.size)), (inputs.size, alpha.shape[-1])
        alpha, shift, logs = (np.broadcast_to(part, shape).copy() for part in (alpha, shift, logs))
        alpha[rows], shift[rows], logs[rows] = graded_pencil(*inputs.rows(rows))
    return alpha, shift, logs


def _of_dense(alpha: np.ndarray, shift: np.ndarray, logs: np.ndarray, inputs: Inputs) -> Spectrum:
    """One group for each eigenvalue."""
    alpha = np.maximum(alpha, -1.0)
    require_in_range(alpha, shift, "cov_p")
    return Spectrum(alpha, None, 1, logs, shift=shift, inputs=inputs)


def _in_its_own_units(inputs: Inputs) -> tuple[Inputs, np.ndarray | None]:
    """The pairs, and None; where numbers are so far from 1 that products of them would leave the range of floats, the
    pairs in other units of their coordinates, and exponents (n, 1) of the mean differences.
    """
    diagonals = [np.diagonal(part, axis1=-2, axis2=-1) for part in (inputs.p, inputs.q)]
    shift = np.abs(_difference(inputs.mean_p, inputs.mean_q))
    usual = all(part.min() > NEAR_ZERO and part.max() < 1 / NEAR_ZERO for part in diagonals)
    if usual and shift.max() < 1 / NEAR_ZERO and ((shift == 0) | (shift > NEAR_ZERO)).all():
        return inputs, None
    p, q, mean_p, mean_q = (as_exact(part) for part in (inputs.p, inputs.q, inputs.mean_p, inputs.mean_q))
    scale = _powers(-(_exponents(np.diagonal(q, axis1=-2, axis2=-1)) // 2))
    p, q = (part * scale[..., None] * scale[:, None, :] for part in (p, q))
    ratio = np.diagonal(p, axis1=-2, axis2=-1)
    if not ((ratio > NEAR_ZERO**2) & (ratio < 1 / NEAR_ZERO**2)).all():
        raise InputError("cov_p", "an eigenvalue ratio of the covariances", "must lie within 2^-800 and 2^800")
    mean = (mean_p - mean_q) * scale
    unit = _exponents(np.abs(mean).max(axis=-1, keepdims=True))
    return Inputs(p, q, mean, np.full(mean.shape, Fraction(0), dtype=object)), unit


def _exponents(values: np.ndarray) -> np.ndarray:
    """About the binary logarithms of Fractions; 0 for 0."""
    lengths = [v.numerator.bit_length() - v.denominator.bit_length() if v else 0 for v in values.ravel()]
    return np.array(lengths).reshape(values.shape)


def _powers(exponents: np.ndarray) -> np.ndarray:
    """2^exponents as Fractions."""
    return np.array([Fraction(2) ** e for e in exponents.ravel().tolist()], dtype=object).reshape(exponents.shape)
