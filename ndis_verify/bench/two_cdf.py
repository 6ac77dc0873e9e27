"""The two-CDF form of the divergence (N26-T4.1), which is how a library for generalized chi-square CDFs is put to use.

`delta(eps) = Pr[W1 <= t] - e^eps Pr[W2 <= t]`, `t = -(c + eps)`: W1 is the quadratic loss under P, W2 under Q.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import scipy

from ndis_verify.bench.problems import DensePair, Problem


@dataclass(frozen=True, eq=False)
class ChiSquareSum:
    """`sum_j weights_j chi'^2(dofs_j, noncentralities_j) + std N(0, 1) + shift`."""

    weights: np.ndarray
    dofs: np.ndarray
    noncentralities: np.ndarray
    std: float
    shift: float


Cdf = Callable[[ChiSquareSum, np.ndarray], np.ndarray]


def hockey_stick(problem: Problem, epsilons: np.ndarray, cdf: Cdf) -> np.ndarray:
    """delta at each epsilon from two calls of `cdf(law, points)`; what the CDFs get wrong is not corrected here."""
    under_p, under_q, constant = laws(problem)
    points = -(constant + epsilons)
    return cdf(under_p, points) - np.exp(epsilons) * cdf(under_q, points)


def laws(problem: Problem) -> tuple[ChiSquareSum, ChiSquareSum, float]:
    """(W1, W2, c) of N26-T4.1."""
    a, b, multiplicity = _quadratic_form(problem)
    constant = 0.5 * float(multiplicity @ np.log1p(-a)) - 0.5 * float(np.sum(b**2 / (1.0 - a)))
    curved = a != 0
    linear = float(np.sum(b[~curved] ** 2))
    a, b, dofs = a[curved], b[curved], multiplicity[curved]
    shift, std = -float(np.sum(b**2 / (2.0 * a))), float(np.sqrt(linear))
    under_p = ChiSquareSum(a / 2.0, dofs, (b / a) ** 2, std, shift)
    under_q = ChiSquareSum(a / (2.0 * (1.0 - a)), dofs, b**2 / (a**2 * (1.0 - a)), std, shift + linear)
    return under_p, under_q, constant


def _quadratic_form(problem: Problem) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(a, |b|, multiplicity) of N26-L1, a curvature at rounding level counted as none."""
    if not isinstance(problem, DensePair):
        return -problem.alpha, np.sqrt(1.0 + problem.alpha) * np.abs(problem.shift), problem.multiplicity
    root = np.linalg.cholesky(problem.cov_q)
    half = np.linalg.solve(root, problem.cov_p)
    relative = np.linalg.solve(root, half.T)
    eigenvalues, vectors = np.linalg.eigh((relative + relative.T) / 2)
    whitened = vectors.T @ np.linalg.solve(root, problem.mean_p - problem.mean_q)
    a = 1.0 - eigenvalues
    a[np.abs(a) <= 4 * a.size * np.finfo(float).eps * eigenvalues.max()] = 0.0
    return a, np.sqrt(eigenvalues) * np.abs(whitened), np.ones(a.size)


def textbook_cdf(law: ChiSquareSum, points: np.ndarray) -> np.ndarray:
    """Imhof's integral `1/2 - (1/pi) int_0^inf sin(theta(u)) / (u rho(u)) du` by scipy's quad, point by point."""
    options = {"epsabs": 1e-14, "epsrel": 1e-10, "limit": 400}
    integrals = [scipy.integrate.quad(_imhof_integrand, 0.0, np.inf, args=(law, x), **options)[0] for x in points]
    return 0.5 - np.array(integrals) / np.pi


def _imhof_integrand(u: float, law: ChiSquareSum, x: float) -> float:
    if u == 0.0:
        mean = float(law.weights @ (law.dofs + law.noncentralities)) + law.shift
        return 0.5 * (mean - x)
    scaled = law.weights * u
    square = scaled**2
    angle = np.sum(law.dofs * np.arctan(scaled) + law.noncentralities * scaled / (1.0 + square))
    theta = 0.5 * (float(angle) + u * (law.shift - x))
    log_rho = float(np.sum(0.25 * law.dofs * np.log1p(square) + 0.5 * law.noncentralities * square / (1.0 + square)))
    return np.sin(theta) * np.exp(-log_rho - (u * law.std) ** 2 / 8.0) / u
