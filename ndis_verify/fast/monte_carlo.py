"""The Monte Carlo estimator of the older paper, with Hoeffding's guarantee."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ndis_verify.exact_number import InputError
from ndis_verify.fast.engine.whitening import quadratic_form
from ndis_verify.fast.hockey_stick import checked_epsilons
from ndis_verify.gaussian_pair import GaussianPair

_CHUNK = 1 << 20  # normal draws held at once


@dataclass(frozen=True)
class MonteCarloEstimate:
    """`value` is within `accuracy` of delta with probability at least 1 - `failure_probability`."""

    value: float
    accuracy: float
    failure_probability: float
    samples: int


def hoeffding_samples(accuracy: float, failure_probability: float) -> int:
    """m = ceil(log(2/gamma)/(2 alpha^2)) (N24-Fig2): by Hoeffding, 2 exp(-2 m alpha^2) <= gamma for terms in [0, 1].

    accuracy alpha and failure_probability gamma in (0, 1); `InputError` otherwise.
    """
    for name, value in (("accuracy", accuracy), ("failure_probability", failure_probability)):
        if not 0 < value < 1:
            raise InputError(name, value, "must be strictly between 0 and 1")
    return math.ceil(math.log(2 / failure_probability) / (2 * accuracy**2))


def monte_carlo_hockey_stick(
    pair: GaussianPair, epsilon: float, accuracy: float, failure_probability: float, rng: np.random.Generator
) -> MonteCarloEstimate:
    """The mean of max(0, 1 - exp q_eps(Z)) over m standard normal draws Z (N24-Fig2, N24-C1).

    Within `accuracy` of delta_{P,Q}(epsilon) with probability at least 1 - `failure_probability`. One
    eigendecomposition, O(d^3), and m d normal draws; memory bounded. epsilon >= 0. Raises `InputError`.
    """
    epsilon = float(checked_epsilons(epsilon))
    if not isinstance(rng, np.random.Generator):
        raise InputError("rng", type(rng).__name__, "must be a numpy.random.Generator")
    samples = hoeffding_samples(accuracy, failure_probability)
    form = quadratic_form(pair)
    a = np.repeat(form.a, form.multiplicity)
    b = np.zeros_like(a)
    b[np.cumsum((0, *form.multiplicity[:-1]))] = form.b  # a group's linear part sits on its first coordinate
    total = 0.0
    chunk = max(1, _CHUNK // a.size)
    for start in range(0, samples, chunk):
        z = rng.standard_normal((min(chunk, samples - start), a.size))
        q = epsilon + form.c + z @ b + (z * z) @ (a / 2)
        total += float(-np.expm1(np.minimum(q, 0.0)).sum())
    return MonteCarloEstimate(total / samples, accuracy, failure_probability, samples)
