"""Pairs of laws with certified privacy, from which auditors are given samples."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache
from math import exp, log, log1p, sqrt

import numpy as np
from scipy.special import ndtri

from ndis_verify.audit.gdp_parameter import laplace_gdp
from ndis_verify.audit.study import Case
from ndis_verify.enclosure import Enclosure
from ndis_verify.exact_number import exact
from ndis_verify.fast.mean_shift import gaussian_std
from ndis_verify.fast.pair_trade_off import pair_gdp
from ndis_verify.fast.random_projection import rp_leverage
from ndis_verify.gaussian_pair import GaussianPair
from ndis_verify.oracle.certified.hockey_stick import epsilon_for_delta as certified_epsilon_for_delta
from ndis_verify.oracle.certified.hockey_stick import hockey_stick as certified_hockey_stick
from ndis_verify.oracle.certified.mean_shift import gaussian_hockey_stick as certified_gaussian_hockey_stick

EPSILONS = (0.0, 0.5, 1.0, 2.0, 4.0)
DELTAS = (0.1, 1e-3, 1e-5)
RATE, STD = 0.25, 0.3
_UP = 1 + 1e-12  # the float64 steps after a certified value


def gaussian_case(name: str, mean: list[float], variance: list[float], scores: str = "loss") -> Case:
    """N(mean, diag variance) against N(0, I); scores: the "loss" log p/q, or "raw", the first coordinate."""
    shift, spread = np.array(mean, dtype=float), np.sqrt(np.array(variance, dtype=float))
    pair = GaussianPair(mean, variance, [0.0] * len(mean), 1.0)

    def loss(x: np.ndarray) -> np.ndarray:
        return x[:, 0] if scores == "raw" else ((x**2 - ((x - shift) / spread) ** 2) / 2 - np.log(spread)).sum(axis=1)

    def draw(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
        size = (n, shift.size)
        return loss(shift + spread * rng.standard_normal(size)), loss(rng.standard_normal(size))

    pairs = (pair, pair.swapped())
    return Case(
        name,
        draw,
        {eps: max(_upper(certified_hockey_stick(one, eps, digits=15)) for one in pairs) for eps in EPSILONS},
        {delta: max(_upper(certified_epsilon_for_delta(one, delta, digits=12)) for one in pairs) for delta in DELTAS},
        pair_gdp(pair) * _UP,
    )


def identical_case(name: str, law: Callable[[np.random.Generator, int], np.ndarray]) -> Case:
    """The same law twice: every epsilon and delta is 0."""
    return Case(
        name, lambda rng, n: (law(rng, n), law(rng, n)), dict.fromkeys(EPSILONS, 0.0), dict.fromkeys(DELTAS, 0.0), 0.0
    )


def laplace_case() -> Case:
    """Lap(1, 1) against Lap(0, 1): delta = 1 - e^{(eps - 1)/2} up to eps = 1 and 0 beyond, in both orders."""

    def draw(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
        return rng.laplace(1, 1, n), rng.laplace(0, 1, n)

    return Case(
        "Laplace",
        draw,
        {eps: max(0.0, 1 - exp((eps - 1) / 2)) * _UP for eps in EPSILONS},
        {delta: max(0.0, 1 + 2 * log1p(-delta)) * _UP for delta in DELTAS},
        laplace_gdp(1.0) * _UP,
    )


def response_case(epsilon: float = 1.0) -> Case:
    """Randomised response: 1 with probability a = e^eps/(1 + e^eps) under P, 1 - a under Q; delta = 0 at epsilon
    exactly.
    """
    a = 1 / (1 + exp(-epsilon))

    def draw(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
        return (rng.random(n) < a).astype(float), (rng.random(n) >= a).astype(float)

    return Case(
        f"randomised response, eps = {epsilon:g}",
        draw,
        {eps: max(0.0, a - exp(eps) * (1 - a)) * _UP for eps in EPSILONS},
        {delta: max(0.0, log((a - delta) / (1 - a))) * _UP if delta < a else 0.0 for delta in DELTAS},
        float(2 * ndtri(a)) * _UP,
    )


def subsampled_case() -> Case:
    """P = q N(1, s^2) + (1-q) N(0, s^2), Q = N(0, s^2), q = 1/4, s = 0.3 (KM-S3), scored by x.

    With c = e^eps: H_c(P||Q) = q H_{(c-1+q)/q}(N(1)||N(0)); H_c(Q||P) = w H_{cq/w}(N(0)||N(1)), w = 1 - c (1-q), 0
    where w <= 0.
    """

    def draw(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
        return STD * rng.standard_normal(n) + (rng.random(n) < RATE), STD * rng.standard_normal(n)

    inner = {
        delta: _upper(certified_epsilon_for_delta(_shifted(), Fraction(exact(delta)) / exact(RATE), digits=12))
        for delta in DELTAS
    }
    return Case(
        "subsampled Gaussian",
        draw,
        {eps: _subsampled_delta(eps) for eps in EPSILONS},
        {delta: log1p(RATE * (exp(eps) - 1)) * _UP for delta, eps in inner.items()},
        _UP / STD,
    )


@cache
def _shifted() -> GaussianPair:
    return GaussianPair([1.0], [[exact(STD) ** 2]], [0.0], [[exact(STD) ** 2]])


def _subsampled_delta(epsilon: float) -> float:
    growth, rest = exp(epsilon), 1 - exp(epsilon) * (1 - RATE)
    forward = RATE * _upper(certified_gaussian_hockey_stick(1, STD, log((growth - 1 + RATE) / RATE), digits=15))
    if rest <= 0:
        return forward * _UP
    ratio = log(growth * RATE / rest)
    # H at a negative log order through H of the other order: H_c = 1 - c + c H_{1/c}.
    other = _upper(certified_gaussian_hockey_stick(1, STD, abs(ratio), digits=15))
    return max(forward, rest * (other if ratio >= 0 else 1 - exp(ratio) + exp(ratio) * other)) * _UP


def _upper(enclosure: Enclosure) -> float:
    return float(enclosure.upper) * _UP


def _least_squares_case(name: str) -> Case:
    p, q, r = 0.2, 0.3, 50  # leverage, augmented leverage, rows of the sketch
    first, others, shift = (1 - p) ** 2 / (1 - q), (1 - p) / (1 - q), sqrt(r * p * (q - p) / (1 - q))
    return gaussian_case(name, [shift, 0.0, 0.0], [first, others, others])


CASES: dict[str, Callable[[str], Case]] = {
    "identical normal": lambda name: identical_case(name, lambda rng, n: rng.standard_normal(n)),
    "identical with ties": lambda name: identical_case(name, lambda rng, n: rng.poisson(1.5, n).astype(float)),
    "identical Cauchy": lambda name: identical_case(name, lambda rng, n: rng.standard_cauchy(n)),
    "Gaussian": lambda name: gaussian_case(name, [1.0], [1.0], "raw"),
    "Gaussian, variances 2.25 and 1": lambda name: gaussian_case(name, [0.5], [2.25], "raw"),
    "Laplace": lambda name: laplace_case(),
    "subsampled Gaussian": lambda name: subsampled_case(),
    "random projection, p = 0.3, r = 4": lambda name: gaussian_case(name, [0.0] * 4, [1 / (1 - 0.3)] * 4),
    "least squares, d = 3, r = 50": _least_squares_case,
    "randomised response, eps = 1": lambda name: response_case(),
    "Gaussian mechanism at (1, 1e-5)": lambda name: gaussian_case(
        name, [1 / float(gaussian_std(1.0, epsilon=1.0, delta=1e-5))], [1.0], "raw"
    ),
    "random projection at (1, 1e-5), r = 4": lambda name: gaussian_case(
        name, [0.0] * 4, [1 / (1 - float(rp_leverage(4, epsilon=1.0, delta=1e-5)))] * 4
    ),
}


@cache
def case_named(name: str) -> Case:
    """One of `CASES`; its certified values take up to a second, so that only what is asked for is made."""
    return CASES[name](name)
