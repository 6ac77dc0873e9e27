"""Where checks compare: points spread over many magnitudes, edges and tails included, the same on every run.

Every number is a float that means itself exactly; `effort` "full" gives several times as many points as "quick".
"""

from __future__ import annotations

import numpy as np

from ndis_verify.gaussian_pair import GaussianPair


def count(effort: str, quick: int, full: int) -> int:
    """How many points an effort asks for."""
    return full if effort == "full" else quick


def short(value: float, digits: int = 3) -> float:
    """`value` to a few significant decimal digits, so that a point can be read and retyped."""
    return float(f"{value:.{digits - 1}e}")


def log_uniform(rng: np.random.Generator, low: float, high: float) -> float:
    """A short number whose logarithm is uniform between those of `low` and `high`."""
    return short(float(np.exp(rng.uniform(np.log(low), np.log(high)))))


def logit_uniform(rng: np.random.Generator, edge: float) -> float:
    """A number in (edge, 1 - edge) whose log odds are uniform; it or its complement has three digits."""
    odds = float(np.exp(rng.uniform(np.log(edge), -np.log(edge))))
    return short(odds / (1 + odds)) if odds < 1 else 1 - short(1 / (1 + odds))


def shifts_and_epsilons(effort: str) -> list[tuple[float, float]]:
    """(Delta, epsilon) with the divergence anywhere from near 1 down to about 1e-90; epsilon = 0 included."""
    rng = np.random.default_rng(11)
    points = [(0.5, 0.0), (1.0, 1.0), (1e-6, 0.0), (30.0, 2.0), (0.25, 5.0)]
    while len(points) < count(effort, 20, 120):
        shift = log_uniform(rng, 1e-3, 30)
        epsilon = short(shift**2 / 2 + shift * rng.uniform(-4, 20))
        if 0 <= epsilon <= 200:
            points.append((shift, epsilon))
    return points


def projections(effort: str) -> list[tuple[float, int, float]]:
    """(leverage, r, epsilon) over leverages from 1e-6 to 1 - 1e-6, r from 1 to 1000, body and tails."""
    rng = np.random.default_rng(12)
    points = [(0.5, 1, 0.0), (0.25, 10, 1.0), (0.75, 2, 3.0), (1e-6, 100, 1e-5), (0.999999, 3, 10.0)]
    while len(points) < count(effort, 20, 120):
        leverage = logit_uniform(rng, 1e-6)
        r = int(log_uniform(rng, 1, 1000))
        spread = leverage / (1 - leverage)  # lambda - 1
        mean = r * (spread + np.log1p(-leverage)) / 2
        epsilon = short(float(mean + spread * np.sqrt(r / 2) * rng.uniform(-2, 12)))
        if 0 <= epsilon <= 200:
            points.append((leverage, r, epsilon))
    return points


def insertions(effort: str) -> list[tuple[float, int, float]]:
    """(leverage, r, epsilon) below the largest loss (r/2) log(1/(1-p)) of an insertion."""
    rng = np.random.default_rng(13)
    points = [(0.5, 1, 0.0), (0.25, 10, 1.0), (0.999999, 3, 10.0)]
    while len(points) < count(effort, 16, 100):
        leverage, r = logit_uniform(rng, 1e-6), int(log_uniform(rng, 1, 1000))
        epsilon = short(float(-r / 2 * np.log1p(-leverage) * rng.uniform(0, 0.98)))
        if epsilon <= 200:
            points.append((leverage, r, epsilon))
    return points


def general_pairs(effort: str) -> list[tuple[GaussianPair, float]]:
    """Pairs of every kind (dense and diagonal; weights of one sign or both; a linear Gaussian part; repeated and
    near-equal eigenvalues) with an epsilon in the body or in a tail."""
    rng = np.random.default_rng(14)
    points = [
        (GaussianPair([0.5], [[2.0]], [0.0], [[1.0]]), 1.0),
        (GaussianPair([0.0, 1.0], [2.0, 1.0], [0.0, 0.0], 1.0), 0.5),  # one linear coordinate
        (GaussianPair([0.0] * 3, [2.0, 2.0, 0.5], [0.0] * 3, 1.0), 0.25),  # repeated, both signs
        (GaussianPair([1.0, 0.0], [1 + 2.0**-30, 1.0], [0.0, 0.0], 1.0), 0.5),  # near-equal
        (GaussianPair([0.0] * 2, 0.5, [0.0] * 2, 1.0), 0.5),  # less spread under P: bounded loss
    ]
    while len(points) < count(effort, 14, 70):
        dimension = int(rng.integers(1, 6))
        pair = random_pair(rng, dimension)
        points.append((pair, short(float(rng.uniform(0, 6)))))
    return points


def random_pair(rng: np.random.Generator, dimension: int) -> GaussianPair:
    """A pair with dense covariances of short entries, condition numbers up to about a thousand."""

    def covariance() -> np.ndarray:
        factor = rng.integers(-4, 5, (dimension, dimension)) / 4 + np.diag(rng.integers(1, 9, dimension) / 2)
        return factor @ factor.T + np.eye(dimension) / 8

    mean = rng.integers(-8, 9, dimension) / 8
    return GaussianPair(mean, covariance(), np.zeros(dimension), covariance())
