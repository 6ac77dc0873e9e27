"""Certified divergences of k independent copies of a Gaussian pair (KM-eq9.1)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from flint import fmpq

from ndis_verify.arguments import whole
from ndis_verify.enclosure import Enclosure
from ndis_verify.exact_number import exact
from ndis_verify.gaussian_pair import GaussianPair
from ndis_verify.oracle.certified.engine.spectrum import Spectrum
from ndis_verify.oracle.certified.hockey_stick import spectrum_hockey_stick, spectrum_of
from ndis_verify.oracle.engine.precision import checked_digits


def composed_hockey_stick(pair: GaussianPair, copies: Any, epsilon: Any, digits: int = 30) -> Enclosure:
    """`delta_{P^k,Q^k}(epsilon)`, k = `copies`, enclosed with proof.

    A product of Gaussian pairs has the block-diagonal pencil, so its relative spectrum has every eigenvalue and every
    squared mean shift k times. Relative radius at most 10^-digits. pair: a `GaussianPair`, exact. Raises `InputError`,
    `PrecisionError`.

    Examples
    --------
    >>> from ndis_verify.oracle import certified_composed_hockey_stick
    >>> from ndis_verify import GaussianPair
    >>> pair = GaussianPair([0.5], [2], [0], [1])
    >>> print(certified_composed_hockey_stick(pair, 4, 1, digits=12).decimal(12)[0])
    0.293929389543
    """
    epsilon, digits = exact(epsilon, "epsilon"), checked_digits(digits)
    copies = whole(copies, "copies", 1)
    return spectrum_hockey_stick(_product(spectrum_of(pair), copies), epsilon, digits)


def _product(one: Spectrum, copies: int) -> Spectrum:
    if copies == 1:
        return one
    dimension, null_m2 = one.dimension * copies, one.null_m2 * copies
    if one.rational is not None:
        rational = tuple((alpha, k * copies, m2 * copies) for alpha, k, m2 in one.rational)
        return replace(one, rational=rational, null_m2=null_m2, dimension=dimension, cache={})
    return replace(
        one,
        factors=tuple((factor, k * copies, shifted) for factor, k, shifted in one.factors),
        numerator=one.numerator * fmpq(copies),
        determinant=one.determinant**copies,
        null_m2=null_m2,
        dimension=dimension,
        cache={},
    )
