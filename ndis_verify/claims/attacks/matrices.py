"""Statements about data matrices, attacked on small ones: leverages, spectra of projections and of least squares,
kernels.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from scipy.special import expit

from ndis_verify.claims.attack import relative_margin
from ndis_verify.claims.attacks.builders import agree, agree_logs, box, search
from ndis_verify.claims.domain import Condition, choice, continuous, integer, stacked, vector
from ndis_verify.fast.hockey_stick import log_entries, to_delta, to_log_delta
from ndis_verify.fast.least_squares import als_hockey_stick as fast_als_hockey_stick
from ndis_verify.fast.random_projection import log_rp_hockey_stick as fast_log_rp_hockey_stick
from ndis_verify.fast.sensitivity import gaussian_process, logistic_surrogate
from ndis_verify.fast.spectrum import PairBatch, Spectrum, spectrum

_ROWS, _FEATURES = 4, 2
_ENTRIES = vector("x", _ROWS * _FEATURES, -3, 3)
_ANSWERS = vector("b", _ROWS, -3, 3)
_SCALE = continuous("size", "0.01", 10, "log")  # of the row that is deleted
_EPSILON = continuous("epsilon", 0, 6)
_ROUNDING = 1e-7  # of matrices conditioned up to about 1e4


def data(columns: Mapping[str, Any]) -> np.ndarray:
    """(points, 4, 2): the first row scaled by `size`."""
    rows = stacked("x", columns).reshape(-1, _ROWS, _FEATURES)
    return np.concatenate([rows[:, :1] * np.asarray(columns["size"])[:, None, None], rows[:, 1:]], axis=1)


def gram(rows: np.ndarray) -> np.ndarray:
    return np.swapaxes(rows, 1, 2) @ rows


def with_answers(columns: Mapping[str, Any]) -> np.ndarray:
    """[B b]: (points, 4, 3)."""
    return np.concatenate([data(columns), stacked("b", columns)[..., None]], axis=2)


def leverage(rows: np.ndarray) -> np.ndarray:
    """Of the first row, d^T (D^T D)^{-1} d."""
    return (rows[:, 0] * np.linalg.solve(gram(rows), rows[:, 0, :, None])[..., 0]).sum(axis=-1)


def _well_conditioned(**columns: Any) -> np.ndarray:
    values = np.linalg.eigvalsh(gram(data(columns)[:, 1:]))
    return values[:, 0] > 1e-2 * values[:, -1]


def _leaves_residual(**columns: Any) -> np.ndarray:
    sound = _well_conditioned(**columns)
    plain = np.eye(_ROWS - 1, _FEATURES)  # stands in where there is no solution
    rows, answers = np.where(sound[:, None, None], data(columns)[:, 1:], plain), stacked("b", columns)[:, 1:]
    return sound & (residual_square(rows, answers) > 1e-2 * (answers**2).sum(axis=1) + 1e-12)


def _below_one(rows_of: Callable[[Mapping[str, Any]], np.ndarray]) -> Callable[..., np.ndarray]:
    """Whether 1 less the leverage of the first row, which float64 holds to 2^-53 only, has 9 digits left."""

    def holds(**columns: Any) -> np.ndarray:
        rows = rows_of(columns)
        return np.linalg.det(gram(rows[:, 1:])) > 1e-6 * np.linalg.det(gram(rows))

    return holds


FULL_RANK = Condition("B^T B well conditioned without the row", _well_conditioned)
LEVERAGE_BELOW_ONE = Condition("leverage at most 1 - 1e-6", _below_one(data))
SHARE_BELOW_ONE = Condition("leverage in [B b] at most 1 - 1e-6", _below_one(with_answers))
RESIDUAL = Condition("B^T B well conditioned and residual not small without the row", _leaves_residual)


def residual_square(rows: np.ndarray, answers: np.ndarray) -> np.ndarray:
    return ((answers - fitted(rows, answers)) ** 2).sum(axis=1)


def fitted(rows: np.ndarray, answers: np.ndarray) -> np.ndarray:
    return (rows @ solution(rows, answers)[..., None])[..., 0]


def solution(rows: np.ndarray, answers: np.ndarray) -> np.ndarray:
    return np.linalg.solve(gram(rows), np.swapaxes(rows, 1, 2) @ answers[..., None])[..., 0]


_DATABASE = box(_ENTRIES, _SCALE, constraints=(FULL_RANK,))
_REGRESSION = box(_ENTRIES, _ANSWERS, _SCALE, constraints=(RESIDUAL,))


# Leverages


def _by_qr(columns, power=2):
    # The row of Q = B R^{-1} is solved for: as reflections make it, a small one has lost its digits.
    rows = data(columns)
    root = np.swapaxes(np.linalg.qr(rows, mode="r"), 1, 2)
    return (np.abs(np.linalg.solve(root, rows[:, 0, :, None])) ** power).sum(axis=(1, 2))


LEVERAGE = search(
    "leverage by the normal equations against an orthogonal basis",
    agree(lambda **c: leverage(data(c)), lambda **c: _by_qr(c)),
    _DATABASE,
    {"length not squared": agree(lambda **c: leverage(data(c)), lambda **c: _by_qr(c, 1))},
    tolerance=_ROUNDING,
)


def _range_margin(top=1.0):
    def margin(**columns):
        p, rows = leverage(data(columns)), data(columns)
        kept = np.linalg.det(gram(rows[:, 1:])) / np.linalg.det(gram(rows))  # 1 - p, and 0 where the rank drops
        return np.minimum(np.minimum(p, top - p), 1e-7 - np.abs(1 - p - kept))

    return margin


RANGE = search(
    "a leverage lies in [0, 1] and 1 less it is the ratio of the determinants",
    _range_margin(),
    _DATABASE,
    {"at most 9/10": _range_margin(0.9)},
    tolerance=1e-12,
)


def _by_angles(columns, power=2):
    rows = data(columns)
    values, vectors = np.linalg.eigh(gram(rows))
    length = np.linalg.norm(rows[:, 0], axis=1)
    cosine = np.einsum("ni,nij->nj", rows[:, 0], vectors) / length[:, None]
    return (np.abs(cosine) ** power * length[:, None] ** 2 / values).sum(axis=1)


ANGLES = search(
    "leverage by angles with eigenvectors against an orthogonal basis",
    agree(lambda **c: _by_angles(c), lambda **c: _by_qr(c)),
    _DATABASE,
    {"cosine not squared": agree(lambda **c: _by_angles(c, 1), lambda **c: _by_qr(c))},
    tolerance=_ROUNDING,
)


def _stacked_leverage(columns):
    return leverage(with_answers(columns))


def _split_leverage(columns, power=2):
    rows, answers = data(columns), stacked("b", columns)
    gap = np.abs(answers - fitted(rows, answers))[:, 0] ** power
    return leverage(rows) + gap / residual_square(rows, answers)


SHARE = search(
    "leverage plus residual share against the leverage in [B b], at most 1",
    lambda **c: np.minimum(
        agree(lambda **k: _split_leverage(k), lambda **k: _stacked_leverage(k))(**c), 1 - _stacked_leverage(c)
    ),
    _REGRESSION,
    {"residual not squared": agree(lambda **c: _split_leverage(c, 1), lambda **c: _stacked_leverage(c))},
    tolerance=_ROUNDING,
)
BELOW_ONE = search(
    "1 less the leverage against the ratio of the determinants",
    agree(
        lambda **c: np.linalg.det(gram(data(c)[:, 1:])),
        lambda **c: (1 - leverage(data(c))) * np.linalg.det(gram(data(c))),
    ),
    box(_ENTRIES, _SCALE, constraints=(FULL_RANK, LEVERAGE_BELOW_ONE)),
    {
        "leverage doubled": agree(
            lambda **c: np.linalg.det(gram(data(c)[:, 1:])),
            lambda **c: (1 - 2 * leverage(data(c))) * np.linalg.det(gram(data(c))),
        )
    },
    tolerance=_ROUNDING,
)


# Spectra of pairs given by matrices


def relative_spectrum(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Eigenvalues of second^{-1/2} first second^{-1/2}, ascending."""
    root = np.linalg.cholesky(second)
    half = np.linalg.solve(root, first)
    return np.linalg.eigvalsh(np.linalg.solve(root, np.swapaxes(half, 1, 2)))


def _projected(r, epsilon, **columns):
    rows = data(columns)
    # What the row adds to the covariance, as it is: taken as a difference of Gram matrices, a small one cancels.
    alpha = relative_spectrum(gram(rows[:, :1]), gram(rows[:, 1:]))
    alpha[:, 0] = 0  # one row changes one eigenvalue; what is left here is rounding
    return to_log_delta(log_entries(Spectrum(alpha, 0.0, r[:, None]), np.arange(len(alpha)), epsilon))


def _by_leverage(power=1.0):
    return lambda r, epsilon, **c: fast_log_rp_hockey_stick(leverage(data(c)) ** power, r, epsilon)


DATABASES = search(
    "the leverage alone against the covariances of the two projections",
    agree_logs(_by_leverage(), _projected),
    box(
        _ENTRIES,
        continuous("size", "0.1", 10, "log"),
        integer("r", 1, 100, "log"),
        _EPSILON,
        constraints=(FULL_RANK, LEVERAGE_BELOW_ONE),
    ),
    {"square of the leverage": agree_logs(_by_leverage(2.0), _projected)},
    tolerance=1e-9,
)


def _regression_pair(r, rows, answers):
    """Means and covariances of the limit laws with and without the first row."""
    found = []
    for start in (0, 1):
        part, right = rows[:, start:], answers[:, start:]
        inverse = np.linalg.inv(gram(part))
        inverse = (inverse + np.swapaxes(inverse, 1, 2)) / 2
        found += [solution(part, right), residual_square(part, right)[:, None, None] / r[:, None, None] * inverse]
    return found


def _limit_law(r, epsilon, **columns):
    pair = spectrum(PairBatch(*_regression_pair(r, data(columns), stacked("b", columns))))
    return to_delta(log_entries(pair, np.arange(len(r)), epsilon))


def _of_shares(share=1.0):
    def value(r, epsilon, **columns):
        p, q = leverage(data(columns)), _stacked_leverage(columns)
        return fast_als_hockey_stick(p, np.maximum(p + share * (q - p), p), _FEATURES, r, epsilon)

    return value


def _regression(name, margin_of, **options):
    return search(
        name,
        margin_of(_of_shares()),
        box(
            _ENTRIES,
            _ANSWERS,
            continuous("size", "0.1", 3, "log"),
            integer("r", 1, 30),
            continuous("epsilon", 0, 3),
            constraints=(RESIDUAL, SHARE_BELOW_ONE),
        ),
        {"half the residual share": margin_of(_of_shares(0.5))},
        **options,
    )


FOUR_NUMBERS = _regression(
    "(p, q, d, r) against the limit laws' means and covariances",
    lambda value: agree(value, _limit_law, lambda **c: 1.0),
    tolerance=_ROUNDING,
)


def _decomposition(square=2):
    """Eigenvalues and squared shift of the deletion from (p, q), against the matrices."""

    def margin(r, **columns):
        rows, answers = data(columns), stacked("b", columns)
        mean_p, cov_p, mean_q, cov_q = _regression_pair(r, rows, answers)
        p, q = leverage(rows), _stacked_leverage(columns)
        printed = np.stack([(1 - p) ** square / (1 - q), (1 - p) / (1 - q)], axis=1)
        gap = (mean_p - mean_q)[..., None]
        whitened = (gap * np.linalg.solve(cov_q, gap)).sum(axis=(1, 2))
        values = np.abs(np.sort(printed, axis=1) / relative_spectrum(cov_p, cov_q) - 1).max(axis=1)
        return -np.maximum(values, np.abs(r * p * (q - p) / (1 - q) - whitened) / (r + whitened))

    return margin


DECOMPOSITION = search(
    "eigenvalues and shift of the deletion from (p, q, r) against the matrices",
    _decomposition(),
    box(
        _ENTRIES,
        _ANSWERS,
        continuous("size", "0.1", 3, "log"),
        integer("r", 1, 30),
        constraints=(RESIDUAL, SHARE_BELOW_ONE),
    ),
    {"(1-p) not squared": _decomposition(1)},
    tolerance=_ROUNDING,
)


def _residual_covariance(twice=2.0):
    """Cov(B^T g g^T w) = B^T (|w|^2 I + 2 w w^T) B for g standard normal, against |w|^2 B^T B."""

    def margin(**columns):
        rows, answers = data(columns), stacked("b", columns)
        w = answers - fitted(rows, answers)
        moment = (w**2).sum(axis=1)[:, None, None] * np.eye(_ROWS) + twice * w[:, :, None] * w[:, None, :]
        found = np.swapaxes(rows, 1, 2) @ moment @ rows
        claimed = (w**2).sum(axis=1)[:, None, None] * gram(rows)
        return -np.abs(found - claimed).max(axis=(1, 2)) / np.abs(claimed).max(axis=(1, 2))

    return margin


def _unfitted(**columns):
    rows, answers = data(columns), stacked("b", columns)
    w = answers
    moment = (w**2).sum(axis=1)[:, None, None] * np.eye(_ROWS) + 2 * w[:, :, None] * w[:, None, :]
    claimed = (w**2).sum(axis=1)[:, None, None] * gram(rows)
    return -np.abs(np.swapaxes(rows, 1, 2) @ moment @ rows - claimed).max(axis=(1, 2)) / np.abs(claimed).max(
        axis=(1, 2)
    )


RESIDUAL_ROWS = search(
    "covariance of B^T g g^T w against |w|^2 B^T B",
    _residual_covariance(),
    _REGRESSION,
    {"w not the residual": _unfitted},
)


def _constant(rate=1.0):
    """c of the lemma from the matrices, and from the eigenvalues of A and the coordinates of b."""

    def margin(**columns):
        rows = data(columns)
        first, second = gram(rows) + np.eye(_FEATURES), gram(rows[:, 2:]) + np.eye(_FEATURES)
        gap = stacked("b", columns)[:, :_FEATURES]
        values, vectors = np.linalg.eigh(first)
        root = (vectors * np.sqrt(values)[:, None, :]) @ np.swapaxes(vectors, 1, 2)
        lam, basis = np.linalg.eigh(root @ np.linalg.solve(second, root))
        b = -np.einsum("nji,nj->ni", basis, (root @ np.linalg.solve(second, gap[..., None]))[..., 0])
        from_invariants = 0.5 * (np.log(lam) - rate * b**2 / lam).sum(axis=1)
        dets = np.linalg.slogdet(first)[1] - np.linalg.slogdet(second)[1]
        direct = 0.5 * (dets - (gap * np.linalg.solve(second, gap[..., None])[..., 0]).sum(axis=1))
        return -np.abs(from_invariants - direct) / (1 + np.abs(direct))

    return margin


INVARIANTS = search(
    "c from (A, b) against c from the matrices",
    _constant(),
    box(_ENTRIES, vector("b", _FEATURES, -3, 3), _SCALE),
    {"b not divided": _constant(2.0)},
)


# Outputs of two learning algorithms


def _gradient(columns, factor=1.0):
    x = np.array([columns[f"x_{i}"] for i in range(1, 9)]).reshape(_ROWS, _FEATURES)
    y = np.array([columns[f"label_{i}"] for i in range(1, _ROWS + 1)], dtype=float)
    penalty = columns["penalty"]
    mean, cov = logistic_surrogate(x, y, penalty)
    chance = expit(-y * (x @ mean))
    slope = factor * penalty * mean - (x * y[:, None]).T @ chance
    size = penalty * np.abs(mean).sum() + np.abs(x).sum() + np.finfo(float).tiny
    spread = np.linalg.eigvalsh(cov)
    return min(float(spread[0]) - 1 / (penalty + (x**2).sum() / 4) * (1 - 1e-9), -float(np.abs(slope).max() / size))


MINIMISER = search(
    "gradient at the minimiser, and the least eigenvalue of the covariance over 1/(lambda + tr X^T X/4)",
    lambda **c: _gradient(c),
    box(_ENTRIES, *(choice(f"label_{i + 1}", (1, -1)) for i in range(_ROWS)), continuous("penalty", "0.01", 10, "log")),
    {"penalty doubled": lambda **c: _gradient(c, 2.0)},
    vectorised=False,
    tolerance=1e-10,
    quick=200,
    full=5000,
)


def _posterior(columns, noise=1.0):
    """The conditional law of the latent value, from the joint precision matrix, against the printed one."""
    points = np.array([columns[f"x_{i}"] for i in range(1, 9)]).reshape(_ROWS, _FEATURES)
    kernel = points @ points.T + 1e-3 * np.eye(_ROWS)
    y = np.array([columns[f"b_{i}"] for i in range(1, _ROWS)])
    variance = columns["noise"]
    mean, spread = gaussian_process(kernel[1:, 1:], kernel[0, 1:], kernel[0, 0], y, noise * variance)
    joint = kernel + variance * np.diag([0.0, 1.0, 1.0, 1.0])
    precision = np.linalg.inv(joint)
    wanted = -(precision[0, 1:] @ y) / precision[0, 0], 1 / precision[0, 0]
    gaps = abs(mean - wanted[0]) / (1 + abs(wanted[0])), abs(spread - wanted[1]) / (1 + kernel[0, 0])
    return min(spread / kernel[0, 0], -max(gaps))


CONDITIONAL = search(
    "printed mean and variance against the inverse of the joint covariance; the variance positive",
    lambda **c: _posterior(c),
    box(_ENTRIES, vector("b", _ROWS - 1, -3, 3), continuous("noise", "0.05", 10, "log")),
    {"noise twice as large": lambda **c: _posterior(c, 2.0)},
    vectorised=False,
    quick=200,
    full=5000,
)


def _queries(top=1.0):
    def margin(n, **columns):
        change = stacked("y", columns) / np.asarray(n)[:, None]
        l1, l2 = np.abs(change).sum(axis=1), np.linalg.norm(change, axis=1)
        return np.minimum(relative_margin(top * np.sqrt(change.shape[1]) / n, l2), relative_margin(l1, l2))

    return margin


QUERIES = search(
    "sqrt(k)/n, and the l1 change, over the l2 change of k counting queries",
    _queries(),
    box(vector("y", 5, -1, 1), integer("n", 1, 10_000, "log")),
    {"half of it": _queries(0.5)},
    tolerance=1e-12,
)
ATTACKS = {
    "N26-D2": LEVERAGE,
    "N26-F1": RANGE,
    "N24-F1": RANGE,
    "N24-F2": ANGLES,
    "N24-P4": SHARE,
    "N24-P14": BELOW_ONE,
    "N24-C2": DATABASES,
    "N24-C3": FOUR_NUMBERS,
    "N24-P15": DECOMPOSITION,
    "N24-P13": RESIDUAL_ROWS,
    "N26-Pr6": INVARIANTS,
    "N26-D7": MINIMISER,
    "N26-D8": CONDITIONAL,
    "SL-1": QUERIES,
}
