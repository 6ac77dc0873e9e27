"""The attacks on the claims about least squares."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ndis_verify.claims.least_squares.law_checks import ZERO_CURVATURE
from ndis_verify.claims.least_squares.law_margins import ASSUMPTION, GENERAL_HINGE, TABLE, on_curve
from ndis_verify.claims.small_databases import (
    ENTRIES,
    FEATURES,
    FULL_RANK,
    LEVERAGE_BELOW_ONE,
    ROUNDING,
    ROWS,
    SCALE,
    below_one,
    data,
    gram,
    leverage,
    relative_spectrum,
    well_conditioned,
)
from ndis_verify.court.attack import relative_margin
from ndis_verify.court.attack_checks import point_run
from ndis_verify.court.domain import Condition, choice, continuous, integer, stacked, vector
from ndis_verify.court.margins import agree, around, box, search
from ndis_verify.fast.engine.whitening import PairBatch, spectrum
from ndis_verify.fast.hockey_stick import log_entries, to_delta
from ndis_verify.fast.least_squares.asymptotic_law import als_hockey_stick as fast_als_hockey_stick
from ndis_verify.fast.least_squares.asymptotic_law import als_max_privacy_loss as fast_als_max_privacy_loss
from ndis_verify.fast.least_squares.finite_law import als_exact_hockey_stick as fast_als_exact_hockey_stick

_ANSWERS = vector("b", ROWS, -3, 3)


def _answers(columns: Mapping[str, Any]) -> np.ndarray:
    """(points, 4), of one exact point as floats."""
    return np.atleast_2d(stacked("b", columns).astype(float))


def with_answers(columns: Mapping[str, Any]) -> np.ndarray:
    """[B b]: (points, 4, 3)."""
    return np.concatenate([data(columns), _answers(columns)[..., None]], axis=2)


def _leaves_residual(**columns: Any) -> np.ndarray:
    sound = well_conditioned(**columns)
    plain = np.eye(ROWS - 1, FEATURES)  # stands in where there is no solution
    rows, answers = np.where(sound[:, None, None], data(columns)[:, 1:], plain), _answers(columns)[:, 1:]
    return sound & (residual_square(rows, answers) > 1e-2 * (answers**2).sum(axis=1) + 1e-12)


SHARE_BELOW_ONE = Condition("leverage in [B b] at most 1 - 1e-6", below_one(with_answers))
RESIDUAL = Condition("B^T B well conditioned and residual not small without the row", _leaves_residual)


def residual_square(rows: np.ndarray, answers: np.ndarray) -> np.ndarray:
    return ((answers - fitted(rows, answers)) ** 2).sum(axis=1)


def fitted(rows: np.ndarray, answers: np.ndarray) -> np.ndarray:
    return (rows @ solution(rows, answers)[..., None])[..., 0]


def solution(rows: np.ndarray, answers: np.ndarray) -> np.ndarray:
    return np.linalg.solve(gram(rows), np.swapaxes(rows, 1, 2) @ answers[..., None])[..., 0]


_REGRESSION = box(ENTRIES, _ANSWERS, SCALE, constraints=(RESIDUAL,))


def _stacked_leverage(columns):
    return leverage(with_answers(columns))


def _split_leverage(columns, power=2):
    rows, answers = data(columns), _answers(columns)
    gap = np.abs(answers - fitted(rows, answers))[:, 0] ** power
    return leverage(rows) + gap / residual_square(rows, answers)


SHARE = search(
    "leverage plus residual share against the leverage in [B b], at most 1",
    lambda **c: np.minimum(
        agree(lambda **k: _split_leverage(k), lambda **k: _stacked_leverage(k))(**c), 1 - _stacked_leverage(c)
    ),
    _REGRESSION,
    {"residual not squared": agree(lambda **c: _split_leverage(c, 1), lambda **c: _stacked_leverage(c))},
    tolerance=ROUNDING,
)
BELOW_ONE = search(
    "1 less the leverage against the ratio of the determinants",
    agree(
        lambda **c: np.linalg.det(gram(data(c)[:, 1:])),
        lambda **c: (1 - leverage(data(c))) * np.linalg.det(gram(data(c))),
    ),
    box(ENTRIES, SCALE, constraints=(FULL_RANK, LEVERAGE_BELOW_ONE)),
    {
        "leverage doubled": agree(
            lambda **c: np.linalg.det(gram(data(c)[:, 1:])),
            lambda **c: (1 - 2 * leverage(data(c))) * np.linalg.det(gram(data(c))),
        )
    },
    tolerance=ROUNDING,
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
    pair = spectrum(PairBatch(*_regression_pair(r, data(columns), _answers(columns))))
    return to_delta(log_entries(pair, np.arange(len(r)), epsilon))


def _of_shares(share=1.0):
    def value(r, epsilon, **columns):
        p, q = leverage(data(columns)), _stacked_leverage(columns)
        return fast_als_hockey_stick(p, np.maximum(p + share * (q - p), p), FEATURES, r, epsilon)

    return value


def _regression(name, margin_of, **options):
    return search(
        name,
        margin_of(_of_shares()),
        box(
            ENTRIES,
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
    tolerance=ROUNDING,
)


def _decomposition(square=2):
    """Eigenvalues and squared shift of the deletion from (p, q), against the matrices."""

    def margin(r, **columns):
        rows, answers = data(columns), _answers(columns)
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
        ENTRIES,
        _ANSWERS,
        continuous("size", "0.1", 3, "log"),
        integer("r", 1, 30),
        constraints=(RESIDUAL, SHARE_BELOW_ONE),
    ),
    {"(1-p) not squared": _decomposition(1)},
    tolerance=ROUNDING,
)


def _residual_covariance(twice=2.0):
    """Cov(B^T g g^T w) = B^T (|w|^2 I + 2 w w^T) B for g standard normal, against |w|^2 B^T B."""

    def margin(**columns):
        rows, answers = data(columns), _answers(columns)
        w = answers - fitted(rows, answers)
        moment = (w**2).sum(axis=1)[:, None, None] * np.eye(ROWS) + twice * w[:, :, None] * w[:, None, :]
        found = np.swapaxes(rows, 1, 2) @ moment @ rows
        claimed = (w**2).sum(axis=1)[:, None, None] * gram(rows)
        return -np.abs(found - claimed).max(axis=(1, 2)) / np.abs(claimed).max(axis=(1, 2))

    return margin


def _unfitted(**columns):
    rows, answers = data(columns), _answers(columns)
    w = answers
    moment = (w**2).sum(axis=1)[:, None, None] * np.eye(ROWS) + 2 * w[:, :, None] * w[:, None, :]
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


def _finite_margin(scale=1.0):
    """(r/2) log(1/(1-q)) over the largest loss of both directions, beyond which the exact divergence is 0."""

    def margin(q, along, d, extra):
        p, r = q * along, d + extra
        limit = scale * -0.5 * r * np.log1p(-q)
        losses = [
            np.array(
                [fast_als_max_privacy_loss(a, b, int(k), int(n), way) for a, b, k, n in zip(p, q, d, r, strict=True)]
            )
            for way in ("delete", "insert")
        ]
        return relative_margin(limit, np.maximum(*losses))

    return margin


PURE = search(
    "(r/2) log(1/(1-q)) over the largest loss of either direction",
    _finite_margin(),
    box(
        continuous("q", "1e-6", "0.999999", "logit"),
        continuous("along", 0, 1),
        integer("d", 1, 20),
        integer("extra", 0, 500),
    ),
    {"half of it": _finite_margin(0.5)},
    tolerance=1e-12,
    quick=400,
)


def _pure_margin(inside=1.0):
    """The exact divergence is 0 from the largest loss on, and positive just below it."""

    def margin(q, along, d, extra, direction):
        p, r = q * along, d + extra
        largest = float(fast_als_max_privacy_loss(p, q, d, r, direction))
        beyond, before = (
            float(fast_als_exact_hockey_stick(p, q, d, r, share * largest, direction))
            for share in (1.0001 * inside, 0.5)
        )
        return -beyond if beyond > 0 else before

    return margin


BOUNDED = search(
    "the exact divergence is 0 beyond the largest loss and positive at half of it",
    _pure_margin(),
    box(
        continuous("q", "0.001", "0.95", "logit"),
        continuous("along", "0.01", 1),
        integer("d", 1, 4),
        integer("extra", 0, 12),
        choice("direction", ("delete", "insert")),
    ),
    {"90 % of the largest loss": _pure_margin(0.9)},
    vectorised=False,
    tolerance=0.0,
    quick=80,
    full=1500,
)
ATTACKS = {
    "N24-P4": SHARE,
    "N24-P14": BELOW_ONE,
    "N24-C3": FOUR_NUMBERS,
    "N24-P15": DECOMPOSITION,
    "N24-P13": RESIDUAL_ROWS,
    "N24-6.3-exact-law": (PURE, BOUNDED),
    "N24-T4": FOUR_NUMBERS,
    "N24-TabVI": TABLE,
    "N24-P16": GENERAL_HINGE,
}
PRINTED = {
    "N24-T5-assumption": ASSUMPTION,
    "N24-Fig15": ASSUMPTION,
    "N24-T4": on_curve(),
    "N24-TabVI": on_curve(),
    "N24-P16": around("N24-P16", point_run(ZERO_CURVATURE)),
}

NO_MARGIN = {
    "N24-L1": (
        "it is a limit as r grows and says nothing at any one r; the distance at finite r is attacked in N24-6.3-gap"
    ),
    "N24-P11": (
        "it names the law of a matrix times a normal matrix, without a free number; its covariance is attacked in"
        " N24-C2 and N24-P13"
    ),
    "N24-T5-worst-value": (
        "it is a table of enclosed numbers; where the worst record lies is attacked in N24-T5-worst-case"
    ),
    "N24-6.3-worst-value": (
        "it is a table of enclosed numbers; where the worst record lies is attacked in N24-6.3-worst-case"
    ),
    "N24-TabII": "it is a table of averages of one experiment with private least squares",
    "N24-TabIV": "it is a table of averages of one experiment with relative least squares",
}
