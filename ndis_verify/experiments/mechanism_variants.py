"""More rows of the mechanism table: release after a test, what is computed from a release, denoisers, the noise of
other authors.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import numpy as np

from ndis_verify.exact_number import exact
from ndis_verify.experiments.mechanism_sides import (
    DIGITS,
    GRAM,
    RESIDUAL,
    Draw,
    Problem,
    R,
    Sides,
    both,
    gaussian,
    gram_draws,
    limit_least_squares,
    logistic,
    process,
    projection,
    relative_regression,
    residual_draws,
)
from ndis_verify.experiments.private_regression import sketch_draw
from ndis_verify.mechanisms.baselines import PROJECTIONS
from ndis_verify.mechanisms.denoising import denoise
from ndis_verify.mechanisms.projection_wrappers import least_eigenvalue, planned_split, propose_test_release
from ndis_verify.oracle.certified.mean_shift import gaussian_hockey_stick as certified_gaussian_hockey_stick
from ndis_verify.oracle.certified.random_projection import rp_hockey_stick as certified_rp_hockey_stick


def tested(problem: Problem) -> Sides:
    """Noise: the ridge at the median reading, over l^2. Both ridges are lowered from one full ridge, which holds the
    certificate.
    """
    matrix, bound = problem.matrix()
    target = {"epsilon": problem.epsilon, "delta": problem.delta, "norm_bound": bound}
    split = planned_split(R, **target)
    test = {"std": split.std, "delta_test": split.delta_test, "delta_failure": split.delta_failure}
    made = [propose_test_release(R, **target, **test, ridge=ridge) for ridge in ("N26-Fig4", "smallest")]
    median = least_eigenvalue(matrix)
    full, worst = made[1].calibration.noise["full_ridge"], made[1].calibration.certificate.worst_case

    def certify(noise: float) -> Fraction:
        test = certified_gaussian_hockey_stick(
            exact(bound) ** 2, exact(split.std), worst["test_epsilon"], digits=DIGITS
        )
        release = certified_rp_hockey_stick(exact(bound) ** 2 / exact(full), R, worst["release_epsilon"], digits=DIGITS)
        return test.upper + release.upper + exact(split.delta_failure)

    noise = both(float(mechanism.ridge_at(median)) / bound**2 for mechanism in made)
    return Sides(("N26-Fig4", "floor l^2"), GRAM, noise, certify, gram_draws(matrix, bound, R))


def projected_regression(problem: Problem) -> Sides:
    """Least squares on what the projection released: nothing but post-processing, at the noise of the projection."""
    matrix, bound = problem.matrix()
    sides = projection(problem)
    regression = residual_draws(matrix, bound, sketch_draw)
    return replace(sides, measure=RESIDUAL, draws=regression)


def against(baseline: str) -> Callable[[Problem], Sides]:
    """The projection's noise against that of other authors."""

    def sides(problem: Problem) -> Sides:
        _, bound = problem.matrix()
        other = PROJECTIONS[baseline](R, epsilon=problem.epsilon, delta=problem.delta, norm_bound=bound)
        ours = projection(problem)
        return replace(
            ours,
            names=(baseline, "smallest ridge"),
            noise=(other.ridge / bound**2, ours.noise[1]),
            unsafe=other.calibration.unsafe,
        )

    return sides


def sheffet_regression(problem: Problem) -> Sides:
    """Least squares on the projection, ours against that of Sheffet's calibration."""
    matrix, bound = problem.matrix()
    return replace(against("Sheffet 2019")(problem), measure=RESIDUAL, draws=residual_draws(matrix, bound, sketch_draw))


def denoised(method: str) -> Callable[[Problem], Sides]:
    """The Gaussian mechanism's release of the sum of the records, denoised with the std that was announced."""

    def sides(problem: Problem) -> Sides:
        matrix, bound = problem.matrix()
        total = matrix.sum(axis=0)

        def draws(level: float) -> Draw:
            std = math.sqrt(level) * bound
            return lambda rng: float(
                np.linalg.norm(denoise(total + std * rng.standard_normal(total.size), std, method) - total)
                / np.linalg.norm(total)
            )

        return replace(gaussian(problem), draws=draws)

    return sides


MORE: dict[str, Callable[[Problem], Sides]] = {
    "projection after a test": tested,
    "projected least squares": projected_regression,
    "least squares by Sheffet": sheffet_regression,
    "least squares, corner": lambda problem: limit_least_squares(problem, "N24-Fig4 corner"),
    "relative sketched least squares": lambda problem: relative_regression(problem, "sketch"),
    "logistic regression, uncorrected": lambda problem: logistic(problem, "printed"),
    "Gaussian process, uncorrected": lambda problem: process(problem, "printed"),
    "Gaussian mechanism, rho rule": lambda problem: gaussian(problem, "rho"),
    "Gaussian mechanism, James-Stein": denoised("james_stein"),
    "Gaussian mechanism, positive part": denoised("positive_part"),
    "Gaussian mechanism, soft threshold": denoised("soft_threshold"),
    "random projection by Sheffet": against("Sheffet 2019"),
    "random projection by Blocki et al.": against("Blocki et al. 2012"),
    "random projection by MI-DP": against("MI-DP, binary channel"),
    "random projection by MI-DP, Pinsker": against("MI-DP, Pinsker"),
}
