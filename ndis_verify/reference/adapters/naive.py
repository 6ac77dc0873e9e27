"""The textbook implementation, to show what a bad grade looks like: `python -m ndis_verify.reference.adapters.naive`.

Dense matrices, a symmetric square root, two distribution functions by Imhof's integral or by Monte Carlo, a bisection
that returns its midpoint, no logarithms and few checks: each line is one that has been published somewhere.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np
import scipy
from scipy.special import ndtr

from ndis_verify.bench import two_cdf
from ndis_verify.reference.adapters.inputs import dense_pair, law
from ndis_verify.reference.adapters.serving import serve

SURVEYED = {"textbook, Imhof": (), "textbook, Monte Carlo": ("--method", "monte-carlo")}
_SAMPLES, _SEED, _HALVINGS = 100_000, 1, 60


def monte_carlo(inputs: dict[str, Any]) -> float:
    """The mean of max(0, 1 - e^(eps - L)) over samples of P (N24-Fig2)."""
    pair, rng = dense_pair(inputs), np.random.default_rng(_SEED)
    x = pair.mean_p + rng.standard_normal((_SAMPLES, len(pair.mean_p))) @ np.real(scipy.linalg.sqrtm(pair.cov_p))
    loss = _log_density(x, pair.mean_p, pair.cov_p) - _log_density(x, pair.mean_q, pair.cov_q)
    return float(np.mean(np.maximum(0.0, 1 - np.exp(float(inputs["epsilon"]) - loss))))


def _log_density(x: np.ndarray, mean: np.ndarray, cov: np.ndarray) -> np.ndarray:
    centred = x - mean
    return -0.5 * (np.log(np.linalg.det(cov)) + np.sum(centred @ np.linalg.inv(cov) * centred, axis=1))


def imhof(inputs: dict[str, Any]) -> float:
    """Two distribution functions by Imhof's integral, subtracted (N26-T4.1)."""
    return float(
        two_cdf.hockey_stick(dense_pair(inputs), np.array([float(inputs["epsilon"])]), two_cdf.textbook_cdf)[0]
    )


def cdf(inputs: dict[str, Any]) -> float:
    return float(two_cdf.textbook_cdf(law(inputs), np.array([float(inputs["x"])]))[0])


def gaussian(inputs: dict[str, Any]) -> float:
    ratio, epsilon = float(inputs["sensitivity"]) / float(inputs["std"]), float(inputs["epsilon"])
    return ndtr(ratio / 2 - epsilon / ratio) - np.exp(epsilon) * ndtr(-ratio / 2 - epsilon / ratio)


def gaussian_std(inputs: dict[str, Any]) -> float:
    low, high = 0.0, 1000.0 * float(inputs["sensitivity"])
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        too_little = gaussian(inputs | {"std": middle}) > float(inputs["delta"])
        low, high = (middle, high) if too_little else (low, middle)
    return (low + high) / 2


def projection(inputs: dict[str, Any]) -> float:
    p, r, epsilon = float(inputs["leverage"]), int(inputs["r"]), float(inputs["epsilon"])
    ratio = 1 / (1 - p)
    t = (2 * epsilon + r * np.log(ratio)) / (ratio - 1)
    if inputs["direction"] == "delete":
        return (1 - scipy.stats.chi2.cdf(t, r)) - np.exp(epsilon) * (1 - scipy.stats.chi2.cdf(ratio * t, r))
    t = (r * np.log(ratio) - 2 * epsilon) / p
    return scipy.stats.chi2.cdf(t, r) - np.exp(epsilon) * scipy.stats.chi2.cdf((1 - p) * t, r)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--method", choices=("imhof", "monte-carlo"), default="imhof")
    divergence = imhof if parser.parse_args().method == "imhof" else monte_carlo
    serve(
        "textbook",
        "1",
        {
            "hockey_stick": divergence,
            "generalized_chi2_cdf": cdf,
            "generalized_chi2_sf": lambda inputs: 1 - cdf(inputs),
            "gaussian_hockey_stick": gaussian,
            "gaussian_std": gaussian_std,
            "rp_hockey_stick": projection,
        },
    )


if __name__ == "__main__":
    main()
