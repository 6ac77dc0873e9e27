"""Certified least mu for which a pair is mu-GDP: Laplace pairs, and Gaussian pairs of any covariances (Arb, exact
rationals).
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import flint

from ndis_verify.arguments import positive
from ndis_verify.enclosure import Enclosure
from ndis_verify.exact_number import InputError
from ndis_verify.gaussian_pair import GaussianPair
from ndis_verify.oracle.certified.engine.balls import ball, of_fmpq, settled_value, to_fmpq
from ndis_verify.oracle.trade_off import quantile


def laplace_gdp(mu: Any, digits: int = 30) -> Enclosure:
    """`2 Phi^-1(1 - e^{-mu/2}/2)`, the least parameter of Lap(mu, 1) against Lap(0, 1) (KM-AppC-gdp), enclosed with
    proof.

    mu > 0. Relative radius at most 10^-digits. Raises `InputError`, `PrecisionError`.
    """
    shift = positive(mu, "mu")
    return settled_value(lambda: -2 * quantile((-ball(shift) / 2).exp() / 2), digits)


def pair_gdp(pair: GaussianPair, digits: int = 30) -> Enclosure | None:
    """`|S^{-1/2} (m1 - m2)|` where the covariances are equal, enclosed with proof; None where no parameter is finite
    (KM-2.8-pairs).

    Equality is decided exactly, the square is a rational number. The means must differ. Relative radius at most
    10^-digits. Raises `InputError`, `PrecisionError`.
    """
    first, step = pair.cov_p.rows(), pair.shift()
    if first != pair.cov_q.rows():
        return None
    if not any(step):
        raise InputError("pair", "equal means", "must differ: two equal laws are 0-GDP")
    square = _rational_product(first, step)
    return settled_value(lambda: ball(square).sqrt(), digits)


def _rational_product(cov: Sequence[Sequence[Fraction]], step: Sequence[Fraction]) -> Fraction:
    """step^T cov^-1 step."""
    column = flint.fmpq_mat([[to_fmpq(value)] for value in step])
    solved = flint.fmpq_mat([[to_fmpq(value) for value in row] for row in cov]).solve(column)
    return of_fmpq((column.transpose() * solved)[0, 0])
