"""Pairs with one relative eigenvalue, given exactly by (alpha, multiplicity, m2), without forming a `GaussianPair`."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import mpmath

from ndis_verify.enclosure import Enclosure
from ndis_verify.exact_number import to_mpf
from ndis_verify.oracle.certified.engine.spectrum import from_groups
from ndis_verify.oracle.engine.quadratic_form import Group
from ndis_verify.oracle.hockey_stick import Remake, agreed_value


def two_route_value(alpha: Fraction, multiplicity: int, m2: Fraction, epsilon: Fraction, digits: int) -> Enclosure:
    """`delta_{P,Q}(epsilon)` where S1 = (1 + alpha) S2 and m2 is the squared whitened mean shift, by both routes."""
    exact_spectrum = from_groups([(alpha, multiplicity, m2)])
    remake = _remake(alpha, multiplicity, m2, epsilon)
    return agreed_value(remake, lambda: exact_spectrum, epsilon, digits)


def _remake(alpha: Fraction, multiplicity: int, m2: Fraction, epsilon: Fraction) -> Remake:
    def remake(aim: int) -> tuple[Sequence[Group], mpmath.mpf]:
        with mpmath.workdps(2 * aim + 20):
            return (Group(to_mpf(alpha), multiplicity, to_mpf(m2)),), to_mpf(epsilon)

    return remake
