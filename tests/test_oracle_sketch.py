"""Caps of private least squares by the finite-r law where r - d is odd: any digits, by a second route, and next to the end of the support."""

from fractions import Fraction

import pytest

from ndis_verify import oracle
from ndis_verify.mechanisms import sketched_least_squares

# the worst record of "delete" inside the range, of "insert", on either side of the threshold of T, k = r - d from 1 on
ODD = [(2, 5, "1", "1e-5"), (5, 10, "0.1", "1e-3"), (5, 6, "5", "1e-10"), (1, 2, "0", "0.1"), (1, 4, "5", "1e-10"), (2, 101, "1", "1e-5")]


def nested(coarse, fine):
    return coarse.lower <= fine.lower <= fine.upper <= coarse.upper


@pytest.mark.parametrize("target", ODD, ids=str)
def test_odd_caps_are_nested_and_the_mechanism_is_safe(target):
    coarse, fine = (oracle.certified_als_exact_cap(*target, digits=digits) for digits in (15, 30))
    assert nested(coarse, fine) and fine.justified_digits() >= 30 and fine.basis == "bound"
    d, r, epsilon, delta = target
    ridge = Fraction(sketched_least_squares(d, r, float(epsilon), float(delta), 1.0).ridge)
    need = 1 / Fraction(fine.lower) - 1
    assert need <= ridge <= need * (1 + Fraction(1, 10**6))
