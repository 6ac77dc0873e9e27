"""This package's own engines as the benchmark calls them: fast for the timings, the certified oracle for the
reference.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from ndis_verify import __version__
from ndis_verify.bench.peers import Method
from ndis_verify.bench.problems import DensePair, PairBatch, Problem, Spectrum
from ndis_verify.enclosure import Enclosure
from ndis_verify.fast.engine.spectrum import Spectrum as fast_Spectrum
from ndis_verify.fast.engine.whitening import PairBatch as fast_PairBatch
from ndis_verify.fast.hockey_stick import epsilon_for_delta as fast_epsilon_for_delta
from ndis_verify.fast.hockey_stick import hockey_stick as fast_hockey_stick
from ndis_verify.fast.mean_shift import gaussian_hockey_stick as fast_gaussian_hockey_stick
from ndis_verify.fast.random_projection import rp_hockey_stick as fast_rp_hockey_stick
from ndis_verify.gaussian_pair import GaussianPair
from ndis_verify.oracle.certified.hockey_stick import hockey_stick as certified_hockey_stick

REFERENCE_DIGITS = 20


def fast_method() -> Method:
    """The general route of ndis_verify.fast, from raw arrays to numbers: validation and reduction are timed too."""

    def evaluate(problem: Problem, epsilons: np.ndarray) -> np.ndarray:
        return np.asarray(fast_hockey_stick(fast_problem(problem), epsilons))

    def batch(pairs: PairBatch, epsilon: float) -> np.ndarray:
        return np.asarray(
            fast_hockey_stick(fast_PairBatch(pairs.mean_p, pairs.cov_p, pairs.mean_q, pairs.cov_q), epsilon)
        )

    return Method(f"ndis_verify {__version__}", evaluate, batch=batch, ours=True)


def projection_method(leverage: float, r: int) -> Method:
    """The closed form for random projection (N26-L4)."""
    return Method(
        "ndis_verify closed form",
        lambda problem, epsilons: np.asarray(fast_rp_hockey_stick(leverage, r, epsilons, "delete")),
        ours=True,
    )


def mean_shift_method(distance: float) -> Method:
    """The closed form for equal covariances (N26-P1)."""
    return Method(
        "ndis_verify closed form",
        lambda problem, epsilons: np.asarray(fast_gaussian_hockey_stick(distance, 1.0, epsilons)),
        ours=True,
    )


def fast_problem(problem: Problem) -> GaussianPair | fast_Spectrum:
    """The problem in the records of ndis_verify.fast."""
    if isinstance(problem, DensePair):
        return _dense_pair(problem)
    return fast_Spectrum(problem.alpha, problem.shift**2, problem.multiplicity)


def reference(pair: GaussianPair, epsilon: float) -> Enclosure:
    """delta at one epsilon, certified; the float64 inputs are taken as the exact numbers they are."""
    return certified_hockey_stick(pair, epsilon, digits=REFERENCE_DIGITS)


def exact_pair(problem: Problem) -> GaussianPair:
    """The problem as a pair; a spectrum becomes diagonal, with its shift on one coordinate of each group."""
    return _dense_pair(problem) if isinstance(problem, DensePair) else _diagonal_pair(problem)


def _dense_pair(problem: DensePair) -> GaussianPair:
    return GaussianPair(problem.mean_p, problem.cov_p, problem.mean_q, problem.cov_q)


def _diagonal_pair(problem: Spectrum) -> GaussianPair:
    variances: list[Fraction] = []
    means: list[Fraction] = []
    for alpha, shift, multiplicity in zip(
        problem.alpha.tolist(), problem.shift.tolist(), problem.multiplicity.tolist()
    ):
        variances += [1 + Fraction(alpha)] * multiplicity
        means += [Fraction(shift)] + [Fraction(0)] * (multiplicity - 1)
    return GaussianPair(means, variances, [Fraction(0)] * len(means), 1)


def epsilon_at(problem: Problem, delta: float) -> float:
    """An epsilon with a divergence near `delta`, rounded to a multiple of 1/1024 so that it is a short exact number."""
    return round(1024 * float(fast_epsilon_for_delta(fast_problem(problem), delta))) / 1024
