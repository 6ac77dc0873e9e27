"""Numbers that other projects expect: the claims of `peer_tables`, by other means."""

import math
import re
from fractions import Fraction
from pathlib import Path

import mpmath
import numpy as np
import pytest

from ndis_verify.claims.peer_tables import davies, subsampled
from ndis_verify.claims.peer_tables.expectations import GAUSSIAN, half_unit
from ndis_verify.fast.mean_shift import gaussian_std
from ndis_verify.oracle.certified.engine.balls import ball, working_bits


@pytest.mark.parametrize(("printed", "half"), [("0.0587", "0.00005"), ("3.129e-141", "5e-145"), ("12", "0.5")])
def test_half_of_a_last_digit(printed, half):
    assert half_unit(printed) == Fraction(half)


@pytest.mark.parametrize(("sensitivity", "std", "epsilon", "printed"), GAUSSIAN)
def test_an_expected_delta_by_its_definition(sensitivity, std, epsilon, printed):
    """By an integral of the positive part of a difference of densities, at 30 digits."""
    with mpmath.workdps(30):
        s, e = mpmath.mpf(std), mpmath.mpf(epsilon)
        edge = mpmath.mpf(sensitivity) / 2 + e * s**2 / sensitivity
        ends = [edge, edge + 3 * s, edge + 8 * s, edge + 30 * s]
        true = mpmath.quad(lambda x: mpmath.npdf(x, sensitivity, s) - mpmath.e**e * mpmath.npdf(x, 0, s), ends)
        assert (
            abs(true - mpmath.mpf(printed)) <= mpmath.mpf(half_unit(printed).numerator) / half_unit(printed).denominator
        )


def test_the_small_delta_loses_its_digits_to_a_difference():
    with mpmath.workdps(40):
        shift, eps = mpmath.mpf(10) / 500, mpmath.mpf("0.5")
        first, second = mpmath.ncdf(shift / 2 - eps / shift), mpmath.ncdf(-shift / 2 - eps / shift)
        true = first - mpmath.e**eps * second
    assert mpmath.nstr(true, 13) == "3.12977677298e-141" or mpmath.nstr(true, 10) == "3.129776773e-141"
    assert abs(true / mpmath.mpf("3.129776773173962e-141") - 1) > 5e-11


def likelihoods(row):
    """Both densities of one step, and the larger minus e^eps of the smaller, in the order that is asked for."""
    shift, rate = mpmath.mpf(row.sensitivity) / mpmath.mpf(row.std), mpmath.mpf(row.rate)
    c = mpmath.exp(mpmath.mpf(row.epsilon))

    def mixed(x):
        return rate * mpmath.npdf(x, shift) + (1 - rate) * mpmath.npdf(x)

    first, second = (mixed, mpmath.npdf) if row.order == "R" else (mpmath.npdf, mixed)
    return lambda x: max(first(x) - c * second(x), mpmath.mpf(0))


@pytest.mark.parametrize("row", subsampled.DELTAS)
def test_a_subsampled_delta_by_its_definition(row):
    with mpmath.workdps(20):
        ends = [mpmath.mpf(k) / 4 for k in range(-48, 73)]
        true = mpmath.quad(likelihoods(row), ends, maxdegree=4)
        assert abs(true - mpmath.mpf(row.printed)) < 1e-6
    with working_bits(100):
        found = subsampled.sampled(
            row.sensitivity / ball(Fraction(row.std)), ball(Fraction(row.rate)), row.order, ball(Fraction(row.epsilon))
        )
        assert abs(float(found) - float(true)) < 1e-6


@pytest.mark.parametrize("row", subsampled.VARIANCES)
def test_an_expected_variance_by_the_calibrated_noise(row):
    least = gaussian_std(row.square**0.5, epsilon=row.times * math.log(3), delta=float(row.delta)) ** 2
    assert least <= float(row.printed) < least / 0.9993


def test_the_page_has_the_certified_values_of_every_form_that_is_known_of_imhofs_table():
    page = (Path(__file__).resolve().parents[1] / "docs" / "survey.md").read_text(encoding="utf-8")
    found = re.findall(r"^\|(?: (Q\d) of Imhof:)? \((.+?)\), \((.+?)\), \((.+?)\) \| (.+) \|$", page, re.M)
    names, shown = {}, []
    for name, *numbers, values in found:
        law = davies.Law(*(tuple(map(int, part.split(", "))) for part in numbers))
        names[law] = name
        shown += [(law, int(x), Fraction(above)) for x, above in (value.split(": ") for value in values.split("; "))]
    assert [(law, x) for law, x, _ in shown] == [(law, x) for law, x, _ in davies.IMHOF_ROWS]
    assert [(name, law) for law, name in names.items() if name] == [(name, law) for name, law, *_ in davies.ENTRIES]
    assert all(abs(1 - law.below(x).lower - above) <= Fraction(6, 10**11) for law, x, above in shown)


@pytest.mark.parametrize(("name", "law", "x", "above"), davies.ENTRIES)
def test_an_entry_of_imhofs_table_by_his_own_integral(name, law, x, above):
    tenth = [weight / 10 for weight in law.weights]

    def integrand(u):
        one, two = 0.0, 1.0
        for weight, dof, away in zip(tenth, law.dofs, law.noncentralities, strict=True):
            square = (weight * u) ** 2
            one += dof * math.atan(weight * u) + away * weight * u / (1 + square)
            two *= (1 + square) ** (dof / 4) * math.exp(away * square / (2 * (1 + square)))
        return math.sin(one / 2 - x / 10 * u / 2) / (u * two)

    nodes, weights = np.polynomial.legendre.leggauss(40)
    edges = np.linspace(0, 400, 401)  # beyond them less than 1e-5 is left
    middle, half = (edges[1:] + edges[:-1]) / 2, 0.5
    total = sum(half * w * integrand(m + half * node) for m in middle for node, w in zip(nodes, weights, strict=True))
    assert abs(0.5 + total / math.pi - float(above)) < 6e-5
