"""The inputs that the benchmark times: three kinds of problem, in plain float64 arrays that every method
starts from.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

DISTINCT = 250


@dataclass(frozen=True, eq=False)
class DensePair:
    """P = N(mean_p, cov_p), Q = N(mean_q, cov_q): means of shape (d,), covariances of shape (d, d)."""

    mean_p: np.ndarray
    cov_p: np.ndarray
    mean_q: np.ndarray
    cov_q: np.ndarray


@dataclass(frozen=True, eq=False)
class PairBatch:
    """n dense pairs of one dimension: means of shape (n, d), covariances of shape (n, d, d)."""

    mean_p: np.ndarray
    cov_p: np.ndarray
    mean_q: np.ndarray
    cov_q: np.ndarray

    def __len__(self) -> int:
        return self.mean_p.shape[0]

    def pair(self, index: int) -> DensePair:
        """The pair with this index."""
        return DensePair(self.mean_p[index], self.cov_p[index], self.mean_q[index], self.cov_q[index])


@dataclass(frozen=True, eq=False)
class Spectrum:
    """A pair by the eigenvalues of its relative covariance, as `alpha = lambda - 1`, shape (groups,).

    `shift` is the whitened mean difference S2^{-1/2} (m1 - m2) on one coordinate of each group, `multiplicity`
    the number of coordinates of each group.
    """

    alpha: np.ndarray
    shift: np.ndarray
    multiplicity: np.ndarray

    @property
    def dimension(self) -> int:
        """The number of coordinates."""
        return int(self.multiplicity.sum())


Problem = DensePair | Spectrum


def random_pairs(rng: np.random.Generator, count: int, dimension: int) -> PairBatch:
    """`count` pairs whose relative eigenvalues lie on both sides of 1 (between 0.4 and 2.5), mean shift of norm 1/2."""
    basis = rng.standard_normal((count, dimension, dimension)) / np.sqrt(dimension)
    factor = np.eye(dimension) + basis
    rotation = np.linalg.qr(rng.standard_normal((count, dimension, dimension)))[0]
    eigenvalues = np.exp(np.linspace(np.log(0.4), np.log(2.5), dimension) if dimension > 1 else np.array([0.7]))
    relative = (rotation * eigenvalues) @ rotation.swapaxes(1, 2)
    direction = rng.standard_normal((count, dimension, 1))
    direction *= 0.5 / np.linalg.norm(direction, axis=1, keepdims=True)
    mean_q = rng.standard_normal((count, dimension))
    mean_p = mean_q + (factor @ direction)[:, :, 0]
    return PairBatch(
        mean_p,
        _symmetric(factor @ relative @ factor.swapaxes(1, 2)),
        mean_q,
        _symmetric(factor @ factor.swapaxes(1, 2)),
    )


def _symmetric(matrices: np.ndarray) -> np.ndarray:
    return (matrices + matrices.swapaxes(1, 2)) / 2


def random_spectrum(rng: np.random.Generator, dimension: int) -> Spectrum:
    """`dimension` eigenvalues of both signs, of a size that keeps the total loss moderate whatever the dimension.

    At most `DISTINCT` values occur, each listed as often as it is met and in random order: no method is told, but the
    certified reference, which puts equal eigenvalues together, ends. Everything is a multiple of a power of two, so
    1 + alpha and shift^2 are exact in float64 and all methods, and the reference, are asked the same question.
    """
    spread = 1.0 / np.sqrt(dimension)
    values = _dyadic(rng.uniform(-spread, spread, min(dimension, DISTINCT)), 2.0**-36)
    alpha = rng.permutation(np.resize(values, dimension))
    shift = _dyadic(rng.standard_normal(dimension) / np.sqrt(dimension), 2.0**-20)
    return Spectrum(alpha, shift, np.ones(dimension, dtype=np.int64))


def _dyadic(values: np.ndarray, unit: float) -> np.ndarray:
    return np.round(values / unit) * unit


def nearly_equal_pair(relative_difference: float, dimension: int = 3) -> DensePair:
    """Covariances (1 + relative_difference) I and I, unit mean shift: nothing is lost before the method starts."""
    shift = np.zeros(dimension)
    shift[0] = 1.0
    identity = np.eye(dimension)
    return DensePair(shift, identity * (1.0 + relative_difference), np.zeros(dimension), identity)


def projection_spectrum(leverage: float, r: int) -> Spectrum:
    """Random projection to r columns, one row of this leverage deleted (N26-L4): alpha = p/(1-p), r times."""
    return Spectrum(np.array([leverage / (1.0 - leverage)]), np.zeros(1), np.array([r]))


def mean_shift_spectrum(distance: float) -> Spectrum:
    """Equal covariances at Mahalanobis distance `distance` (N26-P1)."""
    return Spectrum(np.zeros(1), np.array([distance]), np.ones(1, dtype=np.int64))
