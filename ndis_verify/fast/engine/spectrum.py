"""What whitening leaves of two Gaussians: relative eigenvalues alpha = lambda - 1 and squared mean shifts m^2."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from ndis_verify.exact_number import InputError, float_array
from ndis_verify.fast.engine.exact_moment import Inputs
from ndis_verify.fast.engine.transform import Forms

NEAR_ZERO = 2.0**-400
# Mean shifts, in standard deviations; their squares have to fit the widest floats that there are.
_SMALLEST_SHIFT = float(np.finfo(np.float64).tiny)
_LARGEST_SHIFT = float(min(np.finfo(np.float64).max, np.sqrt(np.finfo(np.longdouble).max) / 4))


def finite_array(values: Any, argument: str) -> np.ndarray:
    """`values` as an array of finite floats that nobody writes to."""
    array = np.array(float_array(values, argument, "must be a rectangular array of numbers"))
    if not np.isfinite(array).all():
        raise InputError(argument, float(array[~np.isfinite(array)].flat[0]), "must be finite")
    array.setflags(write=False)
    return array


def _squares_and_roots(squares: Any, shift: Any) -> tuple[np.ndarray, np.ndarray]:
    """m^2 and m, one of which is given."""
    if shift is None:
        squares = finite_array(0.0 if squares is None else squares, "shift_squared")
        if (squares < 0).any():
            raise InputError("shift_squared", float(squares[squares < 0].flat[0]), "must be at least 0")
        return squares, np.sqrt(squares)
    shift = finite_array(shift, "shift")
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
        alpha, count = finite_array(alpha, "alpha"), finite_array(multiplicity, "multiplicity")
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
        padding = np.broadcast_to(count == 0, shape)
        if padding.any():
            bad = padding & (shift > 0)
            if bad.any():
                moved = float(np.broadcast_to(shift, shape)[bad].flat[0])
                raise InputError("shift", moved, "must be 0 where the multiplicity is 0")
            # Of any other eigenvalue the bounds of the loss would be its own.
            alpha, logs = np.where(padding, 0.0, alpha), np.where(padding, np.longdouble(0), logs)
            alpha.setflags(write=False)
        for name, array in (
            ("alpha", alpha),
            ("shift_squared", squares),
            ("multiplicity", count),
            ("log_ratio", logs),
            ("shift", shift),
        ):
            object.__setattr__(self, name, array if array.shape == shape else np.broadcast_to(array, shape))
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

    @cached_property
    def columns(self) -> tuple[np.ndarray, ...]:
        """alpha, m, m^2, multiplicity and log(1 + alpha), a row for each pair, in float64 and contiguous."""
        flat = (-1, self.alpha.shape[-1])
        parts = (self.alpha, self.shift, self.shift_squared, self.multiplicity, self.log_ratio)
        return tuple(np.array(part.reshape(flat), dtype=np.float64, order="C") for part in parts)

    def part(self, rows: np.ndarray) -> Spectrum:
        """Some pairs of the batch; kept, with what is found of them, for the next epsilon."""
        key = rows.tobytes()
        if key not in self._parts:
            alpha, shift, count, logs = (
                part.reshape(-1, part.shape[-1])[rows]
                for part in (self.alpha, self.shift, self.multiplicity, self.log_ratio)
            )
            squares = self.shift_squared.reshape(-1, alpha.shape[-1])[rows] if self.squares_given else None
            inputs = None if self.inputs is None else self.inputs.of(rows)
            logs = logs if self.logs_given else None
            self._parts[key] = Spectrum(
                alpha, squares, count, logs, shift=None if self.squares_given else shift, inputs=inputs
            )
        return self._parts[key]

    @cached_property
    def _parts(self) -> dict[bytes, Spectrum]:
        return {}

    def swapped(self) -> Spectrum:
        """The pair (Q, P): 1/lambda, m^2/lambda."""
        half = np.exp(-0.5 * self.log_ratio)  # extended precision: a large logarithm has few digits behind the point
        with np.errstate(over="ignore", under="ignore"):
            alpha, shift = (part.astype(np.float64) for part in (-self.alpha * half * half, self.shift * half))
        require_in_range(alpha, shift, "pair")
        inputs = None if self.inputs is None else self.inputs.swapped()
        return Spectrum(alpha, None, self.multiplicity, -self.log_ratio, shift=shift, inputs=inputs)

    def loss_forms(self) -> LossForms:
        """The privacy loss of every pair of the batch as a quadratic form, one row each; kept for the next epsilon."""
        return self._loss_forms

    @cached_property
    def whole_forms(self) -> Forms:
        """alpha, multiplicity and b = m sqrt(1 + alpha) of every pair, one row each."""
        flat = (-1, self.alpha.shape[-1])
        alpha, shift, count = (
            np.ascontiguousarray(part.reshape(flat)) for part in (self.alpha, self.shift, self.multiplicity)
        )
        with np.errstate(over="ignore", under="ignore"):
            # a large logarithm has few digits behind the point
            b = (np.exp(0.5 * self.log_ratio.reshape(flat)) * shift).astype(np.float64)
        if not np.isfinite(b).all():
            raise InputError(
                "shift", float(shift[~np.isfinite(b)][0]), "times the root of the eigenvalue must be a float"
            )
        return Forms(alpha, count, b)

    @cached_property
    def _loss_forms(self) -> LossForms:
        forms = self.whole_forms
        alpha, count, b = forms.alpha, forms.dof, forms.b
        flat = alpha.shape
        wide_logs = self.log_ratio.reshape(flat)
        logs = wide_logs.astype(np.float64)
        scaled, exponent = forms.scaled()
        # Beside a much wider coordinate a quadratic or a linear part is not felt; nor is it then part of the edge.
        lost = (b > 0) & (alpha != 0) & ((scaled.alpha == 0) | (scaled.b == 0))
        if lost.any():
            linear, still = lost & (scaled.alpha == 0), lost & (scaled.b == 0)
            forms = Forms(np.where(linear, 0.0, alpha), count, np.where(still, 0.0, b))
        # Extended precision where the platform has it: epsilon is often close to these sums.
        wide = 0.5 * (count * wide_logs).sum(axis=1)
        wide_shift = self.wide_squares.reshape(flat)
        pull = np.divide(wide_shift, alpha, out=-wide_shift, where=(alpha != 0) & ~lost).sum(axis=1)
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


def norm(shift: np.ndarray) -> np.ndarray:
    """The Euclidean norm along the last axis, without squares that leave the range of floats."""
    exponent = np.frexp(shift.max(axis=-1))[1]
    scaled = np.ldexp(shift, -exponent[..., None])
    return np.ldexp(np.sqrt((scaled * scaled).sum(axis=-1)), exponent)


def require_in_range(alpha: np.ndarray, shift: np.ndarray, argument: str) -> None:
    """Raises `InputError` for whitened numbers that floats do not hold."""
    largest = np.abs(alpha).max(axis=-1)
    if largest.min() > NEAR_ZERO and largest.max() < 1 / NEAR_ZERO and shift.max() < 1 / NEAR_ZERO:
        return
    if not np.isfinite(alpha).all():
        raise InputError(
            argument,
            "an eigenvalue ratio of the covariances",
            "must be within the range of floats, as must its inverse where P and Q change places",
        )
    with np.errstate(over="ignore"):  # what overflows is refused
        total = np.where(np.isfinite(shift).all(axis=-1), norm(np.minimum(shift, _LARGEST_SHIFT)), np.inf)
    alone = largest < NEAR_ZERO
    if (total > _LARGEST_SHIFT).any() or (alone & (total > 0) & (total < _SMALLEST_SHIFT)).any():
        raise InputError(
            "mean_p",
            "a distance to mean_q",
            f"must be 0 or from {_SMALLEST_SHIFT:.3g} to {_LARGEST_SHIFT:.3g} standard deviations of Q",
        )
