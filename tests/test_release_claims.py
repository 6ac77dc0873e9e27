"""The claims of releases tell a rounding that is off by the least bit: they look next to the middle of a grid step."""

from fractions import Fraction

import flint
import mpmath
import numpy as np
import pytest

from ndis_verify.claim import Outcome
from ndis_verify.claims.ledger import find
from ndis_verify.claims.releases import bits
from ndis_verify.mechanisms.baselines import laplace_mechanism
from ndis_verify.mechanisms.exact import grid, noise
from ndis_verify.mechanisms.exact.stream import Stream
from ndis_verify.mechanisms.gaussian import gaussian_mechanism

MECHANISMS = [
    (gaussian_mechanism(1.0, epsilon=0.7, delta=1e-6, adjacency="declared"), bits.gaussian),
    (laplace_mechanism(1.0, epsilon=0.7, adjacency="declared"), bits.laplace),
]


def _run(name):
    (check,) = (one for one in find(name).checks if one.name == "every bit computed again")
    return check.run("quick")


@pytest.mark.parametrize("seed", (3, 1984))
@pytest.mark.parametrize("mechanism, route", MECHANISMS, ids=("Gaussian", "Laplace"))
def test_values_beside_the_middle_land_there(mechanism, route, seed):
    """From a quarter to 2^-24 of a step below and above it, as what is released says."""
    values = bits.beside_the_middle(mechanism, route, seed)
    found, steps = bits.released(mechanism, values, seed)
    with mpmath.workdps(60):
        sums = route(mechanism, values, Stream(np.random.default_rng(seed)), 1.0)
        shares = [x / step - mpmath.floor(x / step) - 0.5 for x, step in zip(sums, steps)]
        up = [mpmath.mpf(float(x)) > total for x, total in zip(found, sums)]
    assert up == [share > 0 for share in shares] == [False, True] * 23
    assert [abs(share) * 2**k for share, k in zip(shares, np.repeat(range(2, 25), 2))] == pytest.approx(
        [1] * 46, rel=0.01
    )


@pytest.mark.parametrize("name", ("PKG-release-gaussian", "PKG-release-laplace"))
@pytest.mark.parametrize("share", (Fraction(31, 64), Fraction(33, 64), Fraction(1, 2) + Fraction(1, 2**22)))
def test_a_point_rounded_from_another_share_of_a_step_on_is_told(name, share, monkeypatch):
    nearest, off = grid.nearest, Fraction(1, 2) - share
    for module in (grid, noise):
        monkeypatch.setattr(module, "nearest", lambda x: nearest(x + flint.arb(off.numerator) / off.denominator))
    assert _run(name).outcome is Outcome.FAILED
    monkeypatch.undo()
    assert _run(name).outcome is Outcome.HELD
