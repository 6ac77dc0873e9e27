"""Every mechanism at a small setting, with two neighbouring databases that are easy to tell apart: what surveys of all
of them run over.

A new mechanism gets a line in `NEIGHBOURS`; one that can do without added noise gets a second one where it does.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ndis_verify.calibrator import NoNoiseNeeded
from ndis_verify.fast.joint_shift import RankOne
from ndis_verify.mechanisms.baselines.laplace import laplace_mechanism
from ndis_verify.mechanisms.baselines.sheffet import sheffet_least_squares
from ndis_verify.mechanisms.gaussian import gaussian_mechanism
from ndis_verify.mechanisms.gaussian_output import calibrated_gaussian
from ndis_verify.mechanisms.gaussian_process import gaussian_process, squared_exponential
from ndis_verify.mechanisms.least_squares import Law, least_squares, sketched_least_squares
from ndis_verify.mechanisms.logistic_regression import logistic_regression
from ndis_verify.mechanisms.projection_wrappers import (
    ReleaseAfterTest,
    planned_split,
    propose_test_release,
    subsampled_random_projection,
)
from ndis_verify.mechanisms.random_projection import random_linear_combination, random_projection
from ndis_verify.mechanisms.relative_least_squares import relative_least_squares
from ndis_verify.mechanisms.relative_projection import neighbourhood, relative_random_projection

TINY = 2.0**-1050  # records of this size leave sums of few bits
_COLUMNS = 32


@dataclass(frozen=True)
class Neighbours:
    """make() gives the mechanism; `p` and `q` are the two databases, each a tuple of what `release` takes before its
    generator.
    """

    name: str
    make: Callable[[], Any]
    p: tuple[Any, ...]
    q: tuple[Any, ...]

    @cached_property
    def mechanism(self) -> Any:
        """What `make` gives, made once: a calibration never changes. Some are here because they need no noise."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NoNoiseNeeded)
            return self.make()


def releases(mechanism: Any, data: tuple[Any, ...], rng: Any, count: int) -> np.ndarray:
    """`count` releases, each flattened: count x k."""
    return np.stack([as_row(mechanism.release(*data, rng)) for _ in range(count)])


def as_row(release: Any) -> np.ndarray:
    """All numbers of one release in one row."""
    if isinstance(release, ReleaseAfterTest):
        return np.concatenate([[release.noised_eigenvalue, release.ridge], np.ravel(release.matrix)])
    return np.ravel(release)


def after_test() -> Any:
    """Propose-test-release by its planned split."""
    split = planned_split(2 * _COLUMNS, epsilon=2.0, delta=1e-4, norm_bound=1.0)
    return propose_test_release(
        2 * _COLUMNS,
        epsilon=2.0,
        delta=1e-4,
        norm_bound=1.0,
        std=split.std,
        delta_test=split.delta_test,
        delta_failure=split.delta_failure,
    )


def _rows(count: int) -> tuple[np.ndarray]:
    """So many records of norm 1, in one dimension."""
    return (np.ones((count, 1)),)


def _plane(*rows: tuple[float, float]) -> np.ndarray:
    return np.array(rows, dtype=np.float64).reshape(-1, 2)


_BASE = _plane((1, 0), (0, 1), (1, 1))
_DIAGONAL = _plane((2**-0.5, 2**-0.5))


def _relative_solution(law: Law, delta: float, scale: float = 1.0) -> Callable[[], Any]:
    return lambda: relative_least_squares(
        neighbourhood(_BASE * scale, 2.0 * scale if scale == 1 else 1.0),
        4 if law == "normal" else 1,
        epsilon=0.5,
        delta=delta,
        law=law,
    )


def _sketched(delta: float) -> Callable[[], Any]:
    return lambda: sketched_least_squares(1, 1, epsilon=1.0, delta=delta, norm_bound=1.0)


def _prediction(noise_variance: float) -> Callable[[], Any]:
    return lambda: gaussian_process(
        squared_exponential(1.0),
        [0.0],
        noise_variance=noise_variance,
        label_bound=1.0,
        norm_bound=1.0,
        records=1,
        epsilon=1.0,
        delta=1e-5,
    )


NEIGHBOURS: tuple[Neighbours, ...] = (
    Neighbours(
        "Gaussian",
        lambda: gaussian_mechanism(1.0, epsilon=1.0, delta=1e-5, adjacency="given values"),
        ([0.0],),
        ([1.0],),
    ),
    Neighbours(
        "Gaussian, of two numbers",
        lambda: gaussian_mechanism(1.0, epsilon=0.5, delta=1e-5, adjacency="given values"),
        ([0.1, 300.0],),
        ([0.1, 301.0],),
    ),
    Neighbours("Laplace", lambda: laplace_mechanism(1.0, 0.5, adjacency="given values"), ([0.0],), ([1.0],)),
    Neighbours(
        "random projection", lambda: random_projection(4, epsilon=1.0, delta=1e-5, norm_bound=1.0), _rows(0), _rows(1)
    ),
    Neighbours(
        "random linear combination",
        lambda: random_linear_combination(epsilon=1.0, delta=1e-5, norm_bound=1.0),
        _rows(0),
        _rows(1),
    ),
    Neighbours(
        "projection of a Poisson sample",
        lambda: subsampled_random_projection(0.5, 2, epsilon=1.0, delta=1e-4, norm_bound=1.0),
        _rows(2),
        _rows(1),
    ),
    Neighbours(
        "projection of a Poisson sample, ridge 0",
        lambda: subsampled_random_projection(0.05, 2, epsilon=1.0, delta=0.05, norm_bound=1.0),
        _rows(2),
        _rows(1),
    ),
    Neighbours("projection after a test, above a ridge", after_test, _rows(3), _rows(2)),
    Neighbours("projection after a test, ridge 0", after_test, _rows(53), _rows(52)),
    Neighbours(
        "relative projection",
        lambda: relative_random_projection(neighbourhood(np.ones((5, 1)), 1.0), 4, epsilon=1.0, delta=1e-5),
        _rows(5),
        _rows(4),
    ),
    Neighbours(
        "relative projection, ridge 0",
        lambda: relative_random_projection(neighbourhood(np.ones((2, 1)), 1.0), 1, epsilon=1.0, delta=0.05),
        _rows(2),
        _rows(1),
    ),
    Neighbours(
        "relative projection, ridge 0, many columns",
        lambda: relative_random_projection(neighbourhood(np.ones((33, 1)), 1.0), _COLUMNS, epsilon=1.0, delta=1e-3),
        _rows(33),
        _rows(32),
    ),
    Neighbours(
        "least squares", lambda: least_squares(1, 4, epsilon=1.0, delta=1e-5, norm_bound=1.0), (_plane(),), (_DIAGONAL,)
    ),
    Neighbours("sketched least squares", _sketched(1e-6), (_plane(),), (_DIAGONAL,)),
    Neighbours("sketched least squares, delta 0", _sketched(0.0), (_plane(),), (_DIAGONAL,)),
    Neighbours(
        "least squares on a projection",
        lambda: sheffet_least_squares(4, epsilon=1.0, delta=1e-5, norm_bound=1.0),
        (_plane()[:, :1], []),
        ([[2**-0.5]], [2**-0.5]),
    ),
    Neighbours("relative least squares, normal", _relative_solution("normal", 1e-4), (_BASE,), (_BASE[1:],)),
    Neighbours("relative least squares, normal, ridge 0", _relative_solution("normal", 0.6), (_BASE,), (_BASE[1:],)),
    Neighbours("relative least squares, sketch", _relative_solution("sketch", 1e-4), (_BASE,), (_BASE[1:],)),
    Neighbours("relative least squares, sketch, ridge 0", _relative_solution("sketch", 0.006), (_BASE,), (_BASE[1:],)),
    Neighbours(
        "relative least squares, sketch, ridge 0, tiny records",
        _relative_solution("sketch", 0.006, TINY),
        (_BASE * TINY,),
        (_BASE[1:] * TINY,),
    ),
    Neighbours("Gaussian process", _prediction(10.0), (_plane(),), (_plane((0, 1)),)),
    Neighbours("Gaussian process, variance 0", _prediction(30.0), (_plane(),), (_plane((0, 1)),)),
    Neighbours(
        "logistic regression",
        lambda: logistic_regression(1, penalty=1.0, norm_bound=1.0, epsilon=1.0, delta=1e-5),
        (_plane(),),
        (_plane((1, 1)),),
    ),
    Neighbours(
        "calibrated Gaussian",
        lambda: calibrated_gaussian(
            lambda data: ([float(data)], [[0.5]]), RankOne(0.5, 0.0, 1.0), epsilon=1.0, delta=1e-5
        ),
        (0.0,),
        (1.0,),
    ),
    Neighbours(
        "calibrated Gaussian, variance 0",
        lambda: calibrated_gaussian(
            lambda data: ([float(data)], [[25.0]]),
            lambda v: (1 / math.sqrt(25.0 + v), 0.0, 0.0, 1),
            epsilon=1.0,
            delta=1e-5,
        ),
        (0.0,),
        (1.0,),
    ),
)
