"""How far a sketched solution is from its normal limit: balls and columns against an integral, and refusals."""

from fractions import Fraction

import mpmath
import numpy as np
import pytest

from ndis_verify.court.quantities.exact import NotExact, OutsideDomain
from ndis_verify.court.quantities.rooms import quantity
from ndis_verify.court.scaled_floats import scaled
from ndis_verify.oracle.certified.engine.balls import enclosure, working_bits
from ndis_verify.symbolic.facts import FACTS
from ndis_verify.symbolic.notation import divergence, scaled_error, standard_error

_BALL, _FLOAT = (quantity(witness, "sketch_distance") for witness in ("ball", "float"))
POINTS = [(1, 1), (1, 5), (2, 2), (3, 40), (10, 100), (2, 10**5)]


def _by_integral(d, r):
    """Half the integral of |p - q| over the lengths of both errors, cut where the densities are equal."""
    half = mpmath.mpf(d) / 2
    log = lambda x: (
        mpmath.loggamma(mpmath.mpf(r + 1) / 2)
        - mpmath.loggamma(mpmath.mpf(r - d + 1) / 2)
        - half * mpmath.log(mpmath.mpf(r) / 2)
        + x * x / 2
        - mpmath.mpf(r + 1) / 2 * mpmath.log1p(x * x / r)
    )
    weight = lambda x: 2 * x ** (d - 1) * mpmath.exp(-x * x / 2) / (2**half * mpmath.gamma(half))
    edge = mpmath.findroot(log, (1, 4 * mpmath.sqrt(d + r)), solver="illinois", maxsteps=200)
    return mpmath.quad(lambda x: weight(x) * -mpmath.expm1(log(x)), mpmath.linspace(0, edge, 9))


@pytest.mark.parametrize(("d", "r"), POINTS)
def test_a_ball_and_a_column_hold_the_distance(d, r):
    with working_bits(160):
        found = enclosure(_BALL(Fraction(d), Fraction(r), 20))
    with mpmath.workdps(30):
        true = _by_integral(d, r)
        assert abs(true - mpmath.mpf(found.mid)) < mpmath.mpf(10) ** -16
    assert found.upper - found.lower < Fraction(1, 10**20)
    column = _FLOAT(scaled(np.array([float(d)])), scaled(np.array([float(r)])))
    assert abs(column.value()[0] - float(true)) <= column.slack()[0]


@pytest.mark.parametrize(
    ("d", "r", "error"), [(0, 3, OutsideDomain), (3, 2, OutsideDomain), (Fraction(1, 2), 3, OutsideDomain)]
)
def test_outside_of_its_domain_it_has_no_value(d, r, error):
    with pytest.raises(error):
        _BALL(Fraction(d), Fraction(r), 20)
    assert not np.isfinite(_FLOAT(scaled(np.array([float(d)])), scaled(np.array([float(r)]))).slack()[0])


def test_rows_without_end_are_not_met():
    with pytest.raises(NotExact):
        _BALL(Fraction(2), Fraction(10**9), 20)


def test_the_two_solutions_are_apart_by_one_distance():
    letters = dict(zip("pqdr", (0, 0, 2, 5), strict=True)) | {"epsilon": 1}
    for name in ("a sketched and a normal solution", "a sketched and a normal solution, without the record"):
        _, sign, right = FACTS[name].instance(letters)
        assert sign == "=" and right == divergence(scaled_error(2, 5), standard_error(2), 1)
    assert FACTS[name].required["rows"](letters) == (5, ">=", 2)
