"""Whitening: from two Gaussians to relative eigenvalues alpha = lambda - 1 and squared mean shifts m^2."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from ndis_verify.exact_number import InputError, as_exact, as_float, float_array, nearest_float
from ndis_verify.fast.engine.exact_moment import Inputs
from ndis_verify.fast.engine.exact_products import expansion, whitened_pencil
from ndis_verify.fast.engine.graded_pencil import graded_pencil
from ndis_verify.fast.engine.transform import Forms
from ndis_verify.gaussian_pair import GaussianPair
from ndis_verify.quadratic_form import QuadraticForm

_CONDITION = 1e7  # of the second covariance, from which on a float64 whitening loses digits
_GRADED = 100.0  # largest |alpha| over smallest lambda
_UNSIGNED = 1e-12
_NEAR_ZERO = 2.0**-400
# Mean shifts, in standard deviations; their squares have to fit the widest floats that there are.
_SMALLEST_SHIFT = float(np.finfo(np.float64).tiny)
_LARGEST_SHIFT = float(min(np.finfo(np.float64).max, np.sqrt(np.finfo(np.longdouble).max) / 4))


def _array(values: Any, argument: str) -> np.ndarray:
    array = np.array(float_array(values, argument, "must be a rectangular array of numbers"))
    if not np.isfinite(array).all():
        raise InputError(argument, float(array[~np.isfinite(array)].flat[0]), "must be finite")
    array.setflags(write=False)
    return array


def _squares_and_roots(squares: Any, shift: Any) -> tuple[np.ndarray, np.ndarray]:
    """m^2 and m, one of which is given."""
    if shift is None:
        squares = _array(0.0 if squares is None else squares, "shift_squared")
        if (squares < 0).any():
            raise InputError("shift_squared", float(squares[squares < 0].flat[0]), "must be at least 0")
        return squares, np.sqrt(squares)
    shift = _array(shift, "shift")
    if squares is not None:
        raise InputError("shift", shift.tolist(), "must be left out where shift_squared is given")
    if (shift < 0).any():
        raise InputError("shift", float(shift[shift < 0].flat[0]), "must be at least 0")
    with np.errstate(over="ignore", under="ignore"):
        return shift * shift, shift


@dataclass(frozen=True, eq=False)
class Spectrum:
    """A whitened pair, or a batch: lambda_i = 1 + alpha_i the eigenvalues of S2^{-1/2} S1 S2^{-1/2}, m_i the
    coordinates of S2^{-1/2}(mean_p - mean_q) in their eigenbasis (N26-L1).

    Group j has eigenvalue `alpha[..., j]`, taken `multiplicity[..., j]` times, and total m^2 `shift_squared[..., j]`.
    Leading axes are batch axes; the three broadcast. alpha > -1, shift_squared >= 0, multiplicity >= 0 (a group of
    multiplicity 0 pads a batch and has no shift). `log_ratio` = log(1 + alpha), given where 1 + alpha has lost digits.
    `shift` = m, given in place of shift_squared (None then, or left out) where m^2 would leave the range of floats;
    `shift_squared` is then 0 or infinite where it does. `inputs`: the covariances and means it was rounded from, None
    where there are none.
    """

    alpha: np.ndarray
    shift_squared: np.ndarray
    multiplicity: np.ndarray
    log_ratio: np.ndarray
    shift: np.ndarray
    inputs: Inputs | None = field(repr=False)
    logs_given: bool = field(init=False, repr=False)
    squares_given: bool = field(init=False, repr=False)

    def __init__(
        self,
        alpha: Any,
        shift_squared: Any = None,
        multiplicity: Any = 1,
        log_ratio: Any = None,
        *,
        shift: Any = None,
        inputs: Inputs | None = None,
    ):
        alpha, count = _array(alpha, "alpha"), _array(multiplicity, "multiplicity")
        squares, shift = _squares_and_roots(shift_squared, shift)
        for name, array, bad, rule in (
            ("alpha", alpha, alpha <= -1, "must be greater than -1"),
            ("multiplicity", count, (count < 0) | (count != np.floor(count)), "must be a whole number, at least 0"),
        ):
            if bad.any() and (log_ratio is None or name != "alpha"):
                raise InputError(name, float(array[bad].flat[0]), rule)
        object.__setattr__(self, "logs_given", log_ratio is not None)
        if log_ratio is None:
            log_ratio = np.log1p(np.maximum(alpha, -1).astype(np.longdouble))
        logs = np.asarray(log_ratio, dtype=np.longdouble)
        try:
            shape = np.broadcast_shapes(alpha.shape, shift.shape, count.shape, logs.shape, (1,))
        except ValueError:
            raise InputError("alpha", alpha.shape, "must broadcast with shift_squared and multiplicity") from None
        if 0 in shape:
            raise InputError("alpha", alpha.shape, "must not be empty")
        for name, array in (
            ("alpha", alpha),
            ("shift_squared", squares),
            ("multiplicity", count),
            ("log_ratio", logs),
            ("shift", shift),
        ):
            object.__setattr__(self, name, np.broadcast_to(array, shape))
        object.__setattr__(self, "squares_given", shift_squared is not None)
        object.__setattr__(self, "inputs", inputs)

    @property
    def wide_squares(self) -> np.ndarray:
        """m^2 in extended precision."""
        return self.shift_squared.astype(np.longdouble) if self.squares_given else self.shift.astype(np.longdouble) ** 2

    @property
    def batch_shape(self) -> tuple[int, ...]:
        return self.alpha.shape[:-1]

    @property
    def dimension(self) -> np.ndarray:
        """d of each pair."""
        return self.multiplicity.sum(axis=-1)

    def swapped(self) -> Spectrum:
        """The pair (Q, P): 1/lambda, m^2/lambda."""
        half = np.exp(-0.5 * self.log_ratio)  # extended precision: a large logarithm has few digits behind the point
        with np.errstate(over="ignore", under="ignore"):
            alpha, shift = (part.astype(np.float64) for part in (-self.alpha * half * half, self.shift * half))
        _require_in_range(alpha, shift, "pair")
        inputs = None if self.inputs is None else self.inputs.swapped()
        return Spectrum(alpha, None, self.multiplicity, -self.log_ratio, shift=shift, inputs=inputs)

    def loss_forms(self) -> LossForms:
        """The privacy loss of every pair of the batch as a quadratic form, one row each."""
        flat = (-1, self.alpha.shape[-1])
        parts = (self.alpha, self.shift, self.multiplicity)
        alpha, shift, count = (np.ascontiguousarray(part.reshape(flat)) for part in parts)
        wide_logs = self.log_ratio.reshape(flat)
        logs = wide_logs.astype(np.float64)
        with np.errstate(over="ignore", under="ignore"):
            # a large logarithm has few digits behind the point
            b = (np.exp(0.5 * wide_logs) * shift).astype(np.float64)
        if not np.isfinite(b).all():
            raise InputError(
                "shift", float(shift[~np.isfinite(b)][0]), "times the root of the eigenvalue must be a float"
            )
        forms = Forms(alpha, count, b)
        scaled, exponent = forms.scaled()
        # Extended precision where the platform has it: epsilon is often close to these sums.
        wide = 0.5 * (count * wide_logs).sum(axis=1)
        wide_shift = self.wide_squares.reshape(flat)
        pull = np.divide(wide_shift, alpha, out=-wide_shift, where=alpha != 0).sum(axis=1)
        with np.errstate(over="ignore", under="ignore"):
            mean = 0.5 * (count * log1p_gap(alpha, logs)).sum(axis=1) + (0.5 * wide_shift.sum(axis=1)).astype(
                np.float64
            )
            std = np.ldexp(scaled.spread, exponent)
        return LossForms(
            forms=forms, offset=wide - 0.5 * wide_shift.sum(axis=1), edge=wide + 0.5 * pull, mean=mean, std=std
        )


@dataclass(frozen=True, eq=False)
class LossForms:
    """L = -offset + (linear and quadratic part given by `forms`); rows of a batch.

    offset = c of N26-L1; edge = c + sum b^2/(2 alpha), minus the largest loss where the loss is bounded above
    (extended precision); mean and std of L under P.
    """

    forms: Forms
    offset: np.ndarray
    edge: np.ndarray
    mean: np.ndarray
    std: np.ndarray


def log1p_gap(alpha: np.ndarray, logs: np.ndarray) -> np.ndarray:
    """alpha - log(1 + alpha) >= 0 without cancellation."""
    small = np.abs(alpha) < 0.02
    a = np.where(small, alpha, 0.0)
    series = np.zeros_like(a)
    for n in range(11, 1, -1):
        series = 1 / n - a * series
    return np.where(small, a * a * series, alpha - logs)


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
            object.__setattr__(self, name, _array(getattr(self, name), name))
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
    loss = laws.loss_forms()
    forms = loss.forms
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
        return _first(_dense_spectrum(Inputs(p[None], q[None], mean_p[None], mean_q[None])))
    p, q = (np.atleast_1d(convert(covariance.entries)) for covariance in (pair.cov_p, pair.cov_q))
    return _elementwise(p, q, _difference(mean_p, mean_q), Inputs(p[None], q[None], mean_p[None], mean_q[None]))


def _binary64(array: np.ndarray) -> bool:
    """Whether every number is a float64 as it is: whole numbers and many Fractions are."""
    return array.dtype == np.float64 or all(value == nearest_float(value) for value in array.flat)


def _difference(mean_p: np.ndarray, mean_q: np.ndarray) -> np.ndarray:
    return mean_p - mean_q if mean_p.dtype == object else mean_p.astype(np.longdouble) - mean_q


def _first(laws: Spectrum) -> Spectrum:
    parts = (laws.alpha[0], None, laws.multiplicity[0], laws.log_ratio[0])
    return Spectrum(*parts, shift=laws.shift[0], inputs=laws.inputs)


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
    _require_in_range(np.where(np.isfinite(logs), alpha, np.inf), shift, "cov_p")
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


def norm(shift: np.ndarray) -> np.ndarray:
    """The Euclidean norm along the last axis, without squares that leave the range of floats."""
    exponent = np.frexp(shift.max(axis=-1))[1]
    scaled = np.ldexp(shift, -exponent[..., None])
    return np.ldexp(np.sqrt((scaled * scaled).sum(axis=-1)), exponent)


def _require_in_range(alpha: np.ndarray, shift: np.ndarray, argument: str) -> None:
    """Raises `InputError` for whitened numbers that floats do not hold."""
    if not np.isfinite(alpha).all():
        raise InputError(
            argument,
            "an eigenvalue ratio of the covariances",
            "must be within the range of floats, as must its inverse where P and Q change places",
        )
    with np.errstate(over="ignore"):  # what overflows is refused
        total = np.where(np.isfinite(shift).all(axis=-1), norm(np.minimum(shift, _LARGEST_SHIFT)), np.inf)
    alone = np.abs(alpha).max(axis=-1) < _NEAR_ZERO
    if (total > _LARGEST_SHIFT).any() or (alone & (total > 0) & (total < _SMALLEST_SHIFT)).any():
        raise InputError(
            "mean_p",
            "a distance to mean_q",
            f"must be 0 or from {_SMALLEST_SHIFT:.3g} to {_LARGEST_SHIFT:.3g} standard deviations of Q",
        )


def _wide(a: np.ndarray) -> np.ndarray:
    """Extended precision where the platform has it; Fractions as a sum of two floats."""
    if a.dtype != object:
        return a
    high, low = expansion(a)
    return high.astype(np.longdouble) + low


def _grouped(alpha: np.ndarray, shift: np.ndarray, logs: np.ndarray, inputs: Inputs) -> Spectrum:
    """Equal eigenvalues put together."""
    _, first, group, count = np.unique(alpha, return_index=True, return_inverse=True, return_counts=True)
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
        laws = _dense_spectrum(Inputs(p, q, batch.mean_p, batch.mean_q))
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


def _dense_spectrum(inputs: Inputs) -> Spectrum:
    """Float64 whitening where its error, 1e-16 of the largest |alpha|, is small enough; `graded_pencil` elsewhere."""
    inputs, unit = _in_its_own_units(inputs)
    exact, inputs = inputs, _with_means_over(inputs, unit)
    p, q, mean_p, mean_q = inputs.p, inputs.q, inputs.mean_p, inputs.mean_q
    try:
        alpha, shift, condition = whitened_pencil(expansion(p, q), expansion(q), expansion(mean_p, mean_q))
    except np.linalg.LinAlgError:  # not positive definite for floats
        return _of_dense(*graded_pencil(*inputs.rows(np.arange(inputs.size))), unit, exact)
    logs = np.log1p(np.maximum(alpha, -1 + 1e-16)).astype(np.longdouble)
    size = np.abs(alpha).max(axis=-1)
    graded = size > _GRADED * np.minimum(1.0, 1 + alpha.min(axis=-1))
    # Next to 0 the sign of alpha decides whether the loss is bounded, and coordinates that say nothing have no sign.
    one_sided = np.minimum(alpha.max(axis=-1), -alpha.min(axis=-1)) < _UNSIGNED * size
    unsigned = one_sided & (np.abs(alpha).min(axis=-1) < _UNSIGNED * size)
    rows = np.flatnonzero(np.broadcast_to(graded | unsigned | (condition > _CONDITION), inputs.size))
    if rows.size:
        shape = (inputs.size, alpha.shape[-1])
        alpha, shift, logs = (np.broadcast_to(part, shape).copy() for part in (alpha, shift, logs))
        alpha[rows], shift[rows], logs[rows] = graded_pencil(*inputs.rows(rows))
    return _of_dense(np.maximum(alpha, -1.0), shift, logs, unit, exact)


def _of_dense(alpha: np.ndarray, shift: np.ndarray, logs: np.ndarray, unit: np.ndarray, inputs: Inputs) -> Spectrum:
    """One group for each eigenvalue; the shift in units of 2^unit."""
    with np.errstate(over="ignore", under="ignore"):
        shift = np.where(shift > 0, np.maximum(np.ldexp(shift, unit), 5e-324), 0.0)
    _require_in_range(alpha, shift, "cov_p")
    return Spectrum(alpha, None, np.ones(1), logs, shift=shift, inputs=inputs)


def _in_its_own_units(inputs: Inputs) -> tuple[Inputs, np.ndarray]:
    """The pairs, and exponents (n, 1) of the mean differences; in other units of their coordinates and not 0 where
    numbers are so far from 1 that products of them would leave the range of floats.
    """
    diagonals = [np.diagonal(part, axis1=-2, axis2=-1) for part in (inputs.p, inputs.q)]
    shift = np.abs(_difference(inputs.mean_p, inputs.mean_q))
    usual = all((part > _NEAR_ZERO).all() and (part < 1 / _NEAR_ZERO).all() for part in diagonals)
    if usual and ((shift == 0) | (shift > _NEAR_ZERO)).all() and (shift < 1 / _NEAR_ZERO).all():
        return inputs, np.zeros((1, 1), dtype=int)
    p, q, mean_p, mean_q = (as_exact(part) for part in (inputs.p, inputs.q, inputs.mean_p, inputs.mean_q))
    scale = _powers(-(_exponents(np.diagonal(q, axis1=-2, axis2=-1)) // 2))
    p, q = (part * scale[..., None] * scale[:, None, :] for part in (p, q))
    ratio = np.diagonal(p, axis1=-2, axis2=-1)
    if not ((ratio > _NEAR_ZERO**2) & (ratio < 1 / _NEAR_ZERO**2)).all():
        raise InputError("cov_p", "an eigenvalue ratio of the covariances", "must lie within 2^-800 and 2^800")
    mean = (mean_p - mean_q) * scale
    unit = _exponents(np.abs(mean).max(axis=-1, keepdims=True))
    return Inputs(p, q, mean, np.full(mean.shape, Fraction(0), dtype=object)), unit


def _with_means_over(inputs: Inputs, unit: np.ndarray) -> Inputs:
    if not unit.any():
        return inputs
    return Inputs(inputs.p, inputs.q, inputs.mean_p * _powers(-unit), inputs.mean_q)


def _exponents(values: np.ndarray) -> np.ndarray:
    """About the binary logarithms of Fractions; 0 for 0."""
    lengths = [v.numerator.bit_length() - v.denominator.bit_length() if v else 0 for v in values.ravel()]
    return np.array(lengths).reshape(values.shape)


def _powers(exponents: np.ndarray) -> np.ndarray:
    """2^exponents as Fractions."""
    return np.array([Fraction(2) ** e for e in exponents.ravel().tolist()], dtype=object).reshape(exponents.shape)
