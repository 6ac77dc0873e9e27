"""What `release` returns: for every mechanism, the rounding to a public grid of a draw from the law that its
certificate is about.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, partial
from typing import Any

import numpy as np

from ndis_verify.claim import Check, Claim, Kind, Verdict
from ndis_verify.claims.releases import bits
from ndis_verify.court.proof_checks import proof
from ndis_verify.mechanisms.baselines import laplace_mechanism, sheffet
from ndis_verify.mechanisms.gaussian import gaussian_mechanism
from ndis_verify.mechanisms.gaussian_output import calibrated_gaussian
from ndis_verify.mechanisms.gaussian_process import gaussian_process, linear_kernel
from ndis_verify.mechanisms.least_squares import Law, least_squares, sketched_least_squares
from ndis_verify.mechanisms.logistic_regression import logistic_regression
from ndis_verify.mechanisms.projection_wrappers import planned_split, propose_test_release, subsampled_random_projection
from ndis_verify.mechanisms.random_projection import random_linear_combination, random_projection
from ndis_verify.mechanisms.relative_least_squares import relative_least_squares
from ndis_verify.mechanisms.relative_projection import Neighbourhood, neighbourhood, relative_random_projection
from ndis_verify.symbolic import exact_release
from ndis_verify.symbolic.derivation import Derivation

Cases = Callable[[np.random.Generator], tuple[Any, np.ndarray]]
_TRUSTED = (
    "the stream (AES-256 in counter mode and SHAKE-256 under a key of the operating system) is taken for uniform bits",
    "float64 arithmetic as IEEE 754 has it, checked before a draw, and ball arithmetic as Arb has it",
    "how long a draw takes is not released",
)
_REASON = (
    "Law and rounding are proved; that the program's bits are theirs rests on error bounds argued in its modules and on"
    " draws whose every bit was computed again by another route: a sample of draws, not all."
)
_BELOW_THE_MIDDLE = Fraction(1, 2) - Fraction(1, 2**20)
_GRID = "The step is a power of two that public numbers fix; a release for which there is none is refused."


def _records(rng: np.random.Generator, columns: int = 3, most: int = 12) -> np.ndarray:
    """Records of norm at most 1, of unlike sizes, one of them 0 and one next to it now and then."""
    rows = rng.standard_normal((int(rng.integers(4, most)), columns)) * 10.0 ** rng.uniform(-6, 0, size=columns)
    rows[int(rng.integers(len(rows)))] *= rng.choice([0.0, 1e-200, 1.0])
    return rows / max(np.linalg.norm(rows, axis=1).max() * 1.001, 1e-9)


def _labelled(rng: np.random.Generator) -> np.ndarray:
    rows = _records(rng)
    return np.column_stack([rows[:, :2], np.where(rows[:, 2] >= 0, 1.0, -1.0)])


def _set(rng: np.random.Generator, copies: int) -> Neighbourhood:
    rows = rng.standard_normal((12, 3))
    return neighbourhood(np.tile(rows / (np.linalg.norm(rows, axis=1).max() * 1.001), (copies, 1)), 1)


def _target(rng: np.random.Generator) -> dict[str, Any]:
    return {"epsilon": float(rng.uniform(0.2, 3)), "delta": 10 ** float(rng.uniform(-8, -2)), "norm_bound": 1.0}


def _gaussian(rng: np.random.Generator) -> tuple[Any, np.ndarray]:
    target = {name: value for name, value in _target(rng).items() if name != "norm_bound"}
    sizes = 10.0 ** rng.uniform(-8, 12, size=6)
    return gaussian_mechanism(1.0, **target, adjacency="declared"), rng.standard_normal(6) * sizes


def _laplace(rng: np.random.Generator) -> tuple[Any, np.ndarray]:
    return laplace_mechanism(1.0, epsilon=float(rng.uniform(0.1, 5)), adjacency="declared"), rng.standard_normal(
        6
    ) * 10.0 ** rng.uniform(-8, 12, size=6)


def _projection(rng: np.random.Generator) -> tuple[Any, np.ndarray]:
    kinds: list[Callable[..., Any]] = [
        lambda **target: random_projection(int(rng.integers(1, 5)), **target),
        random_linear_combination,
        lambda **target: sheffet(3, **target),
    ]
    make = kinds[int(rng.integers(3))]
    mechanism = make(**_target(rng))
    return mechanism, _records(rng)


def _sample(rng: np.random.Generator) -> tuple[Any, np.ndarray]:
    rate = float(rng.uniform(0.2, 1))
    target = _target(rng) | ({"delta": rate} if rng.random() < 0.3 and rate < 1 else {})
    return subsampled_random_projection(rate, 2, **target), _records(rng)


def _tested(rng: np.random.Generator) -> tuple[Any, np.ndarray]:
    target = _target(rng)
    split = planned_split(2, **target)
    mechanism = propose_test_release(
        2, **target, std=split.std, delta_test=split.delta_test, delta_failure=split.delta_failure
    )
    copies = int(2 * split.zero_ridge) + 1 if rng.random() < 0.3 and split.zero_ridge < 150 else 1
    return mechanism, np.tile(np.eye(3), (copies, 1)) if copies > 1 else _records(rng)


def _relative(rng: np.random.Generator) -> tuple[Any, np.ndarray]:
    databases = _set(rng, 40 if rng.random() < 0.5 else 1)
    return relative_random_projection(databases, 2, epsilon=1.0, delta=1e-2), databases.base


def _least_squares(rng: np.random.Generator) -> tuple[Any, np.ndarray]:
    return least_squares(2, int(rng.integers(2, 40)), **_target(rng)), _records(rng)


def _sketch(rng: np.random.Generator) -> tuple[Any, np.ndarray]:
    if rng.random() < 0.3:
        return sketched_least_squares(1, 1, **_target(rng)), _records(rng, 2)[:1]
    return sketched_least_squares(2, int(rng.integers(2, 40)), **_target(rng)), _records(rng)


def _relative_least_squares(rng: np.random.Generator) -> tuple[Any, np.ndarray]:
    databases = _set(rng, 40 if rng.random() < 0.5 else 1)
    laws: tuple[Law, Law] = ("normal", "sketch")
    law = laws[int(rng.integers(2))]
    return relative_least_squares(databases, 5, epsilon=1.0, delta=0.1, law=law), databases.base


def _logistic(rng: np.random.Generator) -> tuple[Any, np.ndarray]:
    return logistic_regression(2, penalty=float(rng.uniform(0.2, 5)), **_target(rng)), _labelled(rng)


def _process(rng: np.random.Generator) -> tuple[Any, np.ndarray]:
    noise = float(rng.choice([1.0, 250.0]))
    query = [0.5, float(rng.uniform(-0.5, 0.5))]
    return gaussian_process(
        linear_kernel, query, noise_variance=noise, label_bound=1.0, norm_bound=1.0, records=30, epsilon=1.0, delta=1e-2
    ), _labelled(rng)


def _mean_of(data: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return np.mean(data, axis=0), np.diag([1.0, 0.5, 1e-9])


def _declared(rng: np.random.Generator) -> tuple[Any, np.ndarray]:
    return calibrated_gaussian(
        _mean_of,
        lambda v: (1 / math.sqrt(v), 0.0, 0.0, 1),
        epsilon=1.0,
        delta=10 ** float(rng.uniform(-8, -2)),
        bound="exact",
    ), _records(rng)


@dataclass(frozen=True)
class _Kind:
    """One mechanism: what its law is, what fixes the grid, cases, and the route by which bits are computed again."""

    name: str
    title: str
    law: str
    scale: str
    cases: Cases
    route: bits.Route
    proofs: tuple[Callable[[], Derivation], ...] = ()
    adds_noise: bool = False  # to each number by itself


_KINDS = (
    _Kind(
        "gaussian",
        "the Gaussian mechanism",
        "the query's value plus std times independent normals",
        "2^-20 of the std",
        _gaussian,
        bits.gaussian,
        adds_noise=True,
    ),
    _Kind(
        "laplace",
        "the Laplace mechanism",
        "the query's value plus scale times independent Laplace variates",
        "2^-20 of the scale",
        _laplace,
        bits.laplace,
        adds_noise=True,
    ),
    _Kind(
        "projection",
        "random projection and linear combination, printed ridges too",
        "D^T G + sqrt(ridge) H",
        "2^-16 of sqrt(ridge)",
        _projection,
        bits.projection,
    ),
    _Kind(
        "subsampled",
        "random projection of a Poisson sample",
        "D_S^T G + sqrt(ridge) H, each record in S with probability exactly q",
        "2^-16 of sqrt(ridge), or of l where there is no ridge",
        _sample,
        bits.sample,
    ),
    _Kind(
        "tested",
        "propose-test-release",
        "lambda_min(D^T D) + tau z, and D^T G + sqrt(ridge) H above the ridge of that reading rounded down",
        "2^-20 of tau for the reading, 2^-16 of l/sqrt(p*) for the matrix, whatever the ridge, 0 included",
        _tested,
        bits.tested,
    ),
    _Kind(
        "relative-projection",
        "relative random projection",
        "D^T G + sqrt(ridge) H",
        "2^-16 of sqrt(ridge), or without a ridge of the least column of the public base",
        _relative,
        bits.projection,
    ),
    _Kind(
        "least-squares",
        "least squares by its normal law",
        "N(x_opt, (|w|^2/r)(B^T B)^{-1}) above the ridge",
        "2^-20 of the least standard deviation beside 2^20 records",
        _least_squares,
        bits.least_squares,
        (exact_release.solution,),
    ),
    _Kind(
        "sketch",
        "sketched least squares",
        "the law of (Pi B)^+ Pi b above the ridge, by its Student law: no sketch is made",
        "2^-20 of the least standard deviation beside 2^20 records",
        _sketch,
        bits.least_squares,
        (exact_release.solution,),
    ),
    _Kind(
        "relative-least-squares",
        "relative least squares by either law",
        "those of least squares and of its sketch, ridge 0 included",
        "2^-20 of a coefficient's deviation on the public base",
        _relative_least_squares,
        bits.least_squares,
        (exact_release.solution,),
    ),
    _Kind(
        "logistic",
        "logistic regression",
        "N(mu, S + v I), mu the minimiser and S the surrogate covariance of the exact records",
        "2^-20 of the least standard deviation of so many records",
        _logistic,
        bits.logistic,
    ),
    _Kind(
        "process",
        "prediction by a Gaussian process",
        "N(mu, S + v) of the exact kernel",
        "2^-20 of the root of v and the least posterior variance under the public cap, v = 0 included",
        _process,
        bits.process,
    ),
    _Kind(
        "declared",
        "the calibrated Gaussian mechanism of a declared output",
        "N(mu_D, S_D + v I), mu_D and S_D the numbers that the output gives",
        "2^-20 of sqrt(v), or of a public scale that is given",
        _declared,
        bits.declared,
    ),
)


def _cases(kind: _Kind) -> Callable[[str], list[tuple[Any, np.ndarray]]]:
    @cache  # the same calibrated mechanisms for a check and for what is planted in it
    def cases(effort: str) -> list[tuple[Any, np.ndarray]]:
        return [kind.cases(np.random.default_rng(seed)) for seed in range(4 if effort == "quick" else 60)]

    return cases


def _claim(kind: _Kind) -> Claim:
    recomputed = partial(bits.recomputed, _cases(kind), kind.route, beside=kind.adds_noise)
    faults = {
        "noise larger by 1e-4": recomputed(scale=1 + 1e-4),
        "a grid of a third of the step": recomputed(step=1 / 3),
        "rounded down, where float64 leaves it open": recomputed(rounding=Fraction(1)),
    }
    if kind.adds_noise:
        faults["rounded up from 2^-20 of a step below the middle on"] = recomputed(rounding=_BELOW_THE_MIDDLE)
    again = Check("every bit computed again", Kind.ATTACK, recomputed(), faults, "bits")
    derivations: tuple[Callable[[], Derivation], ...] = (exact_release.sampler, exact_release.rounding, *kind.proofs)
    return Claim(
        id=f"PKG-release-{kind.name}",
        source="PKG",
        title=f"what {kind.title} releases",
        statement=(
            "`release` returns the nearest point of a public grid to a draw from the law of real numbers that the"
            f" certificate is about ({kind.law}), so it is as private as that certificate says. Grid: {kind.scale}."
            f" {_GRID}"
        ),
        hypotheses=_TRUSTED,
        declared=Verdict.SUPPORTED,
        checks=(*(proof(build().title.lower(), build, "law and rounding") for build in derivations), again),
        reason=_REASON,
    )


CLAIMS = tuple(_claim(kind) for kind in _KINDS)
