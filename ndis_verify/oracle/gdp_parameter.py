"""Certified least mu for which a pair is mu-GDP: Laplace pairs, and Gaussian pairs of any covariances (Arb, exact
rationals).
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import flint
import numpy as np

from ndis_verify.enclosure import Enclosure
from ndis_verify.exact_number import InputError, as_exact, exact
from ndis_verify.gaussian_pair import GaussianPair
from ndis_verify.oracle.certified.engine.balls import ball
from ndis_verify.oracle.trade_off import _settled, quantile


def laplace_gdp(mu: Any, digits: int = 30) -> Enclosure:
    """`2 Phi^-1(1 - e^{-mu/2}/2)`, the least parameter of Lap(mu, 1) against Lap(0, 1) (KM-AppC-gdp), enclosed with
    proof.

    mu > 0. Relative radius at most 10^-digits. Raises `InputError`, `PrecisionError`.
    """
    shift = exact(mu, "mu")
    if shift <= 0:
        raise InputError("mu", mu, "must be positive")
    return _settled(lambda: -2 * quantile((-ball(shift) / 2).exp() / 2), digits)


def pair_gdp(pair: GaussianPair, digits: int = 30) -> Enclosure | None:
    """`|S^{-1/2} (m1 - m2)|` where the covariances are equal, enclosed with proof; None where no parameter is finite
    (KM-2.8-pairs).

    Equality is decided exactly, the square is a rational number. The means must differ. Relative radius at most
    10^-digits. Raises `InputError`, `PrecisionError`.
    """
    first, second = (as_exact(cov.dense()) for cov in (pair.cov_p, pair.cov_q))
    if (first != second).any():
        return None
    step = np.asarray(pair.exact_mean_difference()).ravel()
    if not any(step):
        raise InputError("pair", "equal means", "must differ: two equal laws are 0-GDP")
    square = _rational_product(first, step)
    return _settled(lambda: ball(square).sqrt(), digits)


def _rational_product(cov: np.ndarray, step: np.ndarray) -> Fraction:
    """step^T cov^-1 step."""
    rational = lambda value: flint.fmpq(Fraction(value).numerator, Fraction(value).denominator)  # noqa: E731
    column = flint.fmpq_mat(len(step), 1, [rational(value) for value in step])
    solved = flint.fmpq_mat(len(step), len(step), [rational(value) for value in cov.ravel()]).solve(column)
    found = (column.transpose() * solved)[0, 0]
    return Fraction(int(found.p), int(found.q))
