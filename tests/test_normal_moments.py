"""Moments of a normal variable: balls, columns and the second reader against sums over pairings, and refusals."""

from fractions import Fraction
from functools import partial
from math import comb

import numpy as np
import pytest
import sympy as sp
from flint import arb, ctx, fmpq
from planted_steps import said_of

from ndis_verify.court.proof_structure import problems
from ndis_verify.court.quantities.exact import NotExact, OutsideDomain
from ndis_verify.court.quantities.rooms import quantity
from ndis_verify.court.scaled_floats import scaled
from ndis_verify.court.statement_balls import value_at
from ndis_verify.court.statement_floats import value_on
from ndis_verify.exact_number import InputError, exact
from ndis_verify.oracle.certified.engine.balls import ball, enclosure, working_bits
from ndis_verify.statements.printing import plain, tex
from ndis_verify.statements.reading import read_term
from ndis_verify.symbolic.fact_steps import by_fact
from ndis_verify.symbolic.facts import FACTS
from ndis_verify.symbolic.normal_moments import second_and_fourth

_said = partial(said_of, second_and_fourth)


_BALL, _FLOAT = (quantity(witness, "normal_moment") for witness in ("ball", "float"))


@pytest.mark.parametrize(("power", "moment"), [(0, 1), (2, 1), (4, 3), (6, 15)])
def test_what_is_beyond_the_ends_of_the_integral_is_in_the_ball(power, moment):
    """At few digits the part between the ends is not all of it."""
    with working_bits(300):
        value = _BALL(Fraction(power), Fraction(0), Fraction(1), 1)
        assert value.contains(arb(moment)) and value.mid() != moment


POINTS = [
    (0, Fraction(3), Fraction(2)),
    (1, Fraction(-3, 7), Fraction(5)),
    (2, Fraction(0), Fraction(1, 10**12)),
    (3, Fraction(1, 3), Fraction(4, 9)),
    (4, Fraction(0), Fraction(10**6)),
    (5, Fraction(-2), Fraction(1, 100)),
    (17, Fraction(1, 5), Fraction(3, 2)),
    (64, Fraction(1, 2), Fraction(7, 3)),
]


def _by_pairings(n, mean, variance):
    """How many pairings 2k of n factors have, times what each gives."""
    pairings = lambda k: int(np.prod([2 * j + 1 for j in range(k)], dtype=object)) if k else 1
    return sum(comb(n, 2 * k) * pairings(k) * mean ** (n - 2 * k) * variance**k for k in range(n // 2 + 1))


@pytest.mark.parametrize(("n", "mean", "variance"), POINTS)
def test_a_ball_holds_the_moment(n, mean, variance):
    with working_bits(200):
        found = enclosure(_BALL(Fraction(n), mean, variance, 30))
    true = _by_pairings(n, mean, variance)
    assert found.lower <= true <= found.upper
    assert found.upper - found.lower <= abs(true) * Fraction(1, 10**20)


def test_a_ball_of_arguments_holds_every_moment_inside():
    with working_bits(200):
        wide = [ball(Fraction(1)).union(ball(Fraction(11, 10))), ball(Fraction(2)).union(ball(Fraction(21, 10)))]
        found = enclosure(_BALL(Fraction(3), *wide, 20))
    for mean, variance in ((Fraction(1), Fraction(2)), (Fraction(11, 10), Fraction(21, 10))):
        assert found.lower <= _by_pairings(3, mean, variance) <= found.upper


@pytest.mark.parametrize(
    ("n", "mean", "variance", "refusal"),
    [
        (Fraction(-1), Fraction(0), Fraction(1), OutsideDomain),
        (Fraction(1, 2), Fraction(0), Fraction(1), OutsideDomain),
        (Fraction(2), Fraction(0), Fraction(0), OutsideDomain),
        (Fraction(2), Fraction(0), Fraction(-1), OutsideDomain),
        (Fraction(65), Fraction(0), Fraction(1), NotExact),
        (arb(2), Fraction(0), Fraction(1), NotExact),
        (Fraction(2), Fraction(0), arb(0, 1), NotExact),
    ],
)
def test_outside_the_domain_a_ball_is_refused(n, mean, variance, refusal):
    with pytest.raises(NotExact) as caught:
        _BALL(n, mean, variance, 20)
    assert type(caught.value) is refusal


def test_columns_know_their_error_at_powers_of_their_own():
    columns = [scaled(np.array([float(exact(point[k])) for point in POINTS])) for k in range(3)]
    found = _FLOAT(*columns)
    for value, slack, point in zip(found.value(), found.slack(), POINTS, strict=True):
        n, mean, variance = point[0], *(Fraction(float(x)) for x in point[1:])
        true = _by_pairings(n, mean, variance)
        assert abs(Fraction(value) - true) <= Fraction(slack) + abs(true) * Fraction(1, 2**52)
        assert slack <= 1e-10 * abs(value)


def test_columns_outside_the_domain_are_unknown():
    wrong = [(-1.0, 1.0), (1.5, 1.0), (65.0, 1.0), (2.0, 0.0), (2.0, -1.0), (np.nan, 1.0), (2.0, np.nan)]
    n, variance = (scaled(np.array(column)) for column in zip(*wrong, strict=True))
    assert np.isinf(_FLOAT(n, scaled(np.zeros(len(wrong))), variance).slack()).all()


def test_it_is_read_as_it_is_printed():
    term = read_term("E_normal(4; m, s^2)")
    assert plain(term) == "E_normal(4; m, s^2)" and read_term(plain(term)) == term
    assert tex(term).startswith(r"\mathbb{E}\left[\mathcal{N}")
    values = {"m": Fraction(1), "s": Fraction(2)}
    with working_bits(120):
        assert enclosure(value_at(term, values, 20)).lower <= 73 <= enclosure(value_at(term, values, 20)).upper
    columns = {name: scaled(np.array([float(x)])) for name, x in values.items()}
    assert value_on(term, columns, 1).value()[0] == pytest.approx(73, rel=1e-14)


@pytest.mark.parametrize(("n", "mean", "variance"), POINTS)
def test_the_second_reader_has_the_same_moment(n, mean, variance):
    laws = pytest.importorskip("tools.recheck.laws")
    balls = pytest.importorskip("tools.recheck.balls")
    true = _by_pairings(n, mean, variance)
    fraction = lambda x: fmpq(x.numerator, x.denominator)
    with ctx.workprec(200):
        found = laws.normal_moment(fmpq(n), fraction(mean), fraction(variance))
        assert found.contains(arb(fraction(Fraction(true)))) and found.rad() <= abs(found) * arb("1e-40")
        for refused in ((fmpq(1, 2), fmpq(0), fmpq(1)), (fmpq(-1), fmpq(0), fmpq(1)), (fmpq(2), fmpq(0), fmpq(0))):
            with pytest.raises(balls.NotReadable):
                laws.normal_moment(*refused)


def test_a_moment_needs_the_transform_of_its_own_density():
    proof = second_and_fourth()
    assert proof.proved and problems(proof) == [] and not proof.arguments
    assert proof.number(20, s=2) == 48
    step = proof.step("fourth derivative")
    fact, letters = FACTS[step.fact], step.letters
    t, density, transform = (letters[name] for name in ("argument", "density", "transform"))
    for name, value in (("transform", 2 * transform), ("transform", transform * sp.exp(t)), ("density", density / 2)):
        wrong = by_fact(step.name, "", step.fact, {**letters, name: value}, step.conditions)
        assert "is not what shows it" in _said(wrong)
    for name, value in (
        ("argument", sp.Symbol("t", positive=True)),
        ("argument", sp.Integer(0)),
        ("argument", letters["x"]),
        ("power", sp.Integer(0)),
        ("power", sp.Rational(1, 2)),
        ("density", density * sp.exp(t)),
    ):
        with pytest.raises(InputError):
            fact.instance({**letters, name: value})
