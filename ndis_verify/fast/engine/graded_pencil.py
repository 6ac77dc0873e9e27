"""Whitening with every relative eigenvalue to its own relative accuracy, in 1 + alpha and in alpha, but for 1e-31 of
the largest |alpha|, whatever the conditioning.

A float eigendecomposition has an error of 1e-16 of the largest |alpha|. It serves as a change of basis, carried out
on the inputs in triple precision: there both covariances are diagonal but for entries of that size, which rotations
of the few close pairs and perturbation theory for all the others remove.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ndis_verify.exact_number import InputError
from ndis_verify.fast.engine.exact_products import (
    Congruence,
    Expansion,
    added,
    balanced,
    expansion,
    matmul,
    scaled,
    symmetric,
    two_sum,
)
from ndis_verify.fast.engine.fixed_point import BITS, difference, exponents, factors, fixed, floats, solved

_TERMS = 3
_BITS = 140
_SWEEPS = 8
_NULL = 1e-24  # smaller than this, relative to the largest, an eigenvalue or coordinate is 0
_SILENT = 1e-18  # the same for the coordinates whose eigenvalue is 0
_TOLD = 1e-18  # least 1 + alpha that 1e-33, the rounding of alpha, leaves its digits
_ROUNDING = (
    1e-30  # the same relative to the largest alpha, beside which an error of 1e-3 of such a 1 + alpha is nothing
)
_DONE = 1e-17  # angles that change nothing any more
_SLIGHT = 1e-8  # angles from which perturbation theory gives way to rotations
_INERT = 4e-15  # entries too small, relative to their eigenvalues, to be worth a rotation


def graded_pencil(
    p: np.ndarray, q: np.ndarray, mean_p: np.ndarray, mean_q: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """alpha, m and log(1 + alpha) (extended precision), each (n, d), ascending, of n pairs with covariances p, q.

    p, q of shape (n, d, d), means (n, d), floats or Fractions, meant exactly. Errors of alpha and of 1 + alpha: about
    1e-15 of itself and 1e-31 of the largest |alpha|; of each m that the pair determines so well, 1e-15 of itself and
    1e-17 of the largest. Next to 0, 1 + alpha is told by the pair exchanged. Raises `InputError` where neither tells
    it.
    """
    alpha, shift, logs = _pencil(p, q, mean_p, mean_q)
    narrow = np.flatnonzero(np.isnan(logs).any(axis=-1))
    if narrow.size:
        other, _, other_logs = _pencil(q[narrow], p[narrow], mean_q[narrow], mean_p[narrow])
        logs[narrow] = _reciprocal(logs[narrow], other, other_logs)
    return alpha, shift, logs


def _reciprocal(logs: np.ndarray, other: np.ndarray, other_logs: np.ndarray) -> np.ndarray:
    """`logs`, and for NaN among them those of the eigenvalues 1/(1 + alpha) of the pair exchanged, alpha = `other`."""
    other, other_logs = other[..., ::-1], other_logs[..., ::-1]
    if (np.isnan(logs) & ~(other >= _TOLD * other[..., :1])).any():
        raise InputError(
            "cov_p",
            "an eigenvalue ratio of the covariances",
            f"must be within {1 / _TOLD:g} of the least or of the others",
        )
    return np.where(np.isnan(logs), -other_logs, logs)


def _pencil(
    p: np.ndarray, q: np.ndarray, mean_p: np.ndarray, mean_q: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """As `graded_pencil`, with a log of NaN where 1 + alpha is not told."""
    gap, base, mean = _near_diagonal(*_whitened(p, q, mean_p, mean_q))
    diagonal, beside, coordinate = _orthonormal(gap, base, mean)
    for _ in range(_SWEEPS):
        _rotate(diagonal, beside, coordinate)
        coordinate, done = _perturb(diagonal, beside, coordinate)
        if done:
            break
    return _sorted(diagonal, coordinate)


def _congruent(
    white: np.ndarray, gap: Expansion, base: Expansion, mean: Expansion
) -> tuple[Expansion, Expansion, Expansion]:
    by = Congruence(white, _TERMS, _BITS)
    return by.matrix(gap), by.matrix(base), by.vector(mean)


def _whitened(
    p: np.ndarray, q: np.ndarray, mean_p: np.ndarray, mean_q: np.ndarray
) -> tuple[Expansion, Expansion, Expansion]:
    """p - q, q and the mean difference in coordinates where q is close to the identity, up to a diagonal."""
    scale = balanced(q.astype(np.float64))
    gap, base = (scaled(matrix, scale) for matrix in (expansion(p, q, _TERMS), expansion(q, None, _TERMS)))
    mean = tuple(part * scale for part in expansion(mean_p, mean_q, _TERMS))
    try:
        white = np.linalg.inv(np.linalg.cholesky(base[0]))
        gap, base, mean = _congruent(white, gap, base, mean)
        sound = np.abs(symmetric(base[0]) - np.eye(q.shape[-1])).sum(axis=-1).max(axis=-1) < 0.5
    except np.linalg.LinAlgError:
        mean, sound = tuple(part[..., None] for part in mean), np.zeros(q.shape[0], dtype=bool)
    for row in np.flatnonzero(~sound).tolist():
        for parts, better in zip((gap, base, mean), _eliminated(p[row], q[row], mean_p[row], mean_q[row])):
            for part, value in zip(parts, better):
                part[row] = value
    return gap, base, mean


def _eliminated(
    p: np.ndarray, q: np.ndarray, mean_p: np.ndarray, mean_q: np.ndarray
) -> tuple[Expansion, Expansion, Expansion]:
    """The same of one pair by elimination in integers, for a q that floats cannot tell from a singular matrix."""
    scale = exponents(q)
    second = fixed(q, scale)
    found = factors(second)
    assert found is not None  # q is positive definite: a `GaussianPair` is not made of another
    lower, pivots = found
    half = solved(lower, fixed(p, scale) - second)
    gap, mean = solved(lower, half.T), solved(lower, difference(mean_p, mean_q, scale))
    # Pivots within a factor of 4 of 1; the powers of two are exact.
    unit = np.array([(BITS - pivot.bit_length()) // 2 for pivot in pivots])
    base = np.zeros(gap.shape, dtype=object)
    base[np.diag_indices(unit.size)] = pivots
    both = unit[:, None] + unit
    return floats(gap, both, _TERMS), floats(base, both, _TERMS), floats(mean[:, None], unit[:, None], _TERMS)


def _near_diagonal(gap: Expansion, base: Expansion, mean: Expansion) -> tuple[Expansion, Expansion, Expansion]:
    second = np.linalg.inv(np.linalg.cholesky(symmetric(base[0])))
    pencil = matmul(matmul(second, symmetric(gap[0])), np.swapaxes(second, -1, -2))
    vectors = np.linalg.eigh(symmetric(pencil))[1]
    return _congruent(np.swapaxes(vectors, -1, -2) @ second, gap, base, tuple(part[..., 0] for part in mean))


def _orthonormal(gap: Expansion, base: Expansion, mean: Expansion) -> tuple[list[np.ndarray], np.ndarray, np.ndarray]:
    """Diagonal (two floats), the rest, and the mean, in coordinates where `base` = I + F, F small, is the identity."""
    each = np.arange(base[0].shape[-1])
    high = base[0].copy()
    high[..., each, each] -= 1
    defect = symmetric(high + base[1])
    matrix = symmetric(gap[0])
    correction = 0.5 * (defect @ matrix)
    correction = correction + np.swapaxes(correction, -1, -2)
    diagonal = [part[..., each, each] for part in gap]
    total = added(tuple(diagonal), -correction[..., each, each])
    beside = symmetric(gap[0] - correction + gap[1])
    beside[..., each, each] = 0.0
    shift = mean[0][..., 0] - 0.5 * (defect @ mean[0])[..., 0] + mean[1][..., 0]
    return list(two_sum(total[0], total[1])), beside, shift


def _scales(diagonal: list[np.ndarray]) -> np.ndarray:
    """min(|alpha|, 1 + alpha): what an error of alpha is relative to."""
    return np.minimum(np.abs(diagonal[0]), np.abs((1 + diagonal[0]) + diagonal[1])) + 1e-300


def _angles(diagonal: list[np.ndarray], beside: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Differences alpha_j - alpha_i; where entries are too large for perturbation theory; where they do not matter.

    Shapes (n, d, d), entry (i, j).
    """
    high, low = diagonal
    gap = (high[..., None, :] - high[..., :, None]) + (low[..., None, :] - low[..., :, None])
    scale = _scales(diagonal)
    size = np.abs(beside)
    inert = size <= _INERT * np.minimum(scale[..., None, :], scale[..., :, None])
    return gap, (size > _SLIGHT * np.abs(gap)), inert


def _rotate(diagonal: list[np.ndarray], beside: np.ndarray, coordinate: np.ndarray) -> None:
    """Cyclic Jacobi rotations, in place, among the indices of close pairs, until none is left."""
    for _ in range(_SWEEPS):
        _, close, inert = _angles(diagonal, beside)
        wanted = (close & ~inert).any(axis=0)
        index = np.flatnonzero(wanted.any(axis=0))
        if not index.size:
            return
        for left, right in _rounds(index):
            some = wanted[left, right]
            if some.any():
                _turn(diagonal, beside, coordinate, left[some], right[some])


def _rounds(index: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Every pair of `index` once, in rounds of disjoint pairs (a tournament)."""
    players = list(index) + [-1] * (len(index) % 2)
    half = len(players) // 2
    for _ in range(len(players) - 1):
        pairs = [pair for pair in zip(players[:half], reversed(players[half:])) if -1 not in pair]
        if pairs:
            left, right = (np.array(side) for side in zip(*pairs))
        yield left, right
        players = [players[0], players[-1], *players[1:-1]]


def _turn(diagonal: list[np.ndarray], beside: np.ndarray, coordinate: np.ndarray, p: np.ndarray, q: np.ndarray) -> None:
    """Rotations of the disjoint pairs of indices (p, q), each by the angle that makes its entry 0."""
    entry = beside[:, p, q]
    gap = (diagonal[0][:, q] - diagonal[0][:, p]) + (diagonal[1][:, q] - diagonal[1][:, p])
    with np.errstate(over="ignore"):
        ratio = np.divide(gap, 2 * entry, out=np.full(gap.shape, np.inf), where=entry != 0)
    tangent = np.copysign(1.0, ratio) / (np.abs(ratio) + np.hypot(1.0, ratio))
    cosine = 1 / np.hypot(1.0, tangent)
    sine = tangent * cosine
    for side, sign in ((p, -1.0), (q, 1.0)):
        moved = added((diagonal[0][:, side], diagonal[1][:, side]), sign * tangent * entry)
        diagonal[0][:, side], diagonal[1][:, side] = two_sum(*moved)
    first, second = coordinate[:, p], coordinate[:, q]
    coordinate[:, p], coordinate[:, q] = cosine * first - sine * second, sine * first + cosine * second
    c, s = cosine[:, :, None], sine[:, :, None]
    first, second = beside[:, p, :], beside[:, q, :]
    beside[:, p, :], beside[:, q, :] = c * first - s * second, s * first + c * second
    c, s = cosine[:, None, :], sine[:, None, :]
    first, second = beside[:, :, p], beside[:, :, q]
    beside[:, :, p], beside[:, :, q] = c * first - s * second, s * first + c * second
    for i, j in ((p, q), (q, p), (p, p), (q, q)):
        beside[:, i, j] = 0.0


def _perturb(diagonal: list[np.ndarray], beside: np.ndarray, coordinate: np.ndarray) -> tuple[np.ndarray, bool]:
    """One step of perturbation theory, in place: I + K + K^2/2, K = entries over gaps, leaves commutators beside the
    diagonal. The coordinates, and whether there was nothing left to do."""
    gap, close, _ = _angles(diagonal, beside)
    apart = ~close & (gap != 0)
    angle = np.divide(beside, gap, out=np.zeros(gap.shape), where=apart)
    product = np.where(apart, 0.5 * beside, beside) @ angle
    second = product + np.swapaxes(product, -1, -2)
    each = np.arange(second.shape[-1])
    diagonal[:] = two_sum(*added(tuple(diagonal), second[..., each, each]))
    second[..., each, each] = 0.0
    beside[:] = np.where(apart, 0.0, beside) + second
    turn = (angle @ coordinate[..., None])[..., 0]
    return coordinate - turn + 0.5 * (angle @ turn[..., None])[..., 0], np.abs(angle).max() < _DONE


def _sorted(diagonal: list[np.ndarray], shift: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """alpha, m, log(1 + alpha) or NaN, ascending."""
    high, low = diagonal
    high, low, shift = _without_dust(high, low, shift)
    wide = high.astype(np.longdouble)
    ratio = (1 + wide) + low
    told = ratio > np.maximum(_TOLD, _ROUNDING * np.abs(high).max(axis=-1, keepdims=True))
    logs = np.where(np.abs(high) < 0.5, np.log1p(np.maximum(wide + low, -0.9)), np.log(np.where(told, ratio, np.nan)))
    order = np.argsort(high, axis=-1)
    alpha, shift, logs = (np.take_along_axis(part, order, axis=-1) for part in (high + low, np.abs(shift), logs))
    return alpha, shift, logs


def _without_dust(high: np.ndarray, low: np.ndarray, shift: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Coordinates that say nothing have alpha = 0 and m = 0, not what rounding has left of them."""
    null = np.abs(high) <= _NULL * np.abs(high).max(axis=-1, keepdims=True)
    silent = np.abs(shift) <= np.where(null, _SILENT, _NULL) * np.abs(shift).max(axis=-1, keepdims=True)
    return np.where(null, 0.0, high), np.where(null, 0.0, low), np.where(silent, 0.0, shift)
