"""The facts behind the worst record of a sketch: the family of an angle against the laws themselves, and letters and
conditions that are refused.
"""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
import sympy as sp
from planted_steps import said_of
from scipy.integrate import quad

from ndis_verify import fast
from ndis_verify.claims.ledger import find
from ndis_verify.court.proof_ends import unconcluded
from ndis_verify.exact_number import InputError
from ndis_verify.statements.mutation import mutants
from ndis_verify.symbolic.facts import FACTS
from ndis_verify.symbolic.facts_of_angles import size, xi
from ndis_verify.symbolic.least_squares_order import finite_order
from ndis_verify.symbolic.least_squares_summit import worst_record
from ndis_verify.symbolic.least_squares_summit_steps import loss, x, z

_said = partial(said_of, worst_record)


CASES = [(1, 3, 0.4, 0.8), (2, 2, 0.3, 1.5), (3, 7, 0.6, 0.5), (5, 6, 0.2, 2.0)]  # d, r, 1 - c, x


def _mean(d, f):
    """The expectation of f over a coordinate of a uniform direction in R^d."""
    if d == 1:
        return (f(1.0) + f(-1.0)) / 2
    weight = lambda angle: np.sin(angle) ** (d - 2)
    whole = quad(weight, 0, np.pi)[0]
    return quad(lambda angle: weight(angle) * f(np.cos(angle)), 0, np.pi, epsabs=1e-12)[0] / whole


def _density(d, r, g, at, cot, constant=1.0):
    k = r - d
    power = constant * g ** ((k + 1) / 2) * (1 + g * at**2) ** (-k / 2) * (1 + g * cot**2) ** (-(r + 1) / 2)
    return power * _mean(d, lambda u: abs(cot + at * u) ** k)


def _below(d, r, g, at, edge):
    """The probability of a cotangent below the edge."""
    whole = quad(lambda cot: _density(d, r, 1.0, at, cot), 0, np.inf, epsrel=1e-10)[0]
    return quad(lambda cot: _density(d, r, g, at, cot), 0, edge, epsrel=1e-10)[0] / whole


def _loss(d, r, g, at, edge):
    letters = {symbol.name: symbol for symbol in loss(z).free_symbols}
    values = {"d": d, "k": r - d, "g": g, "x": at, "z": edge}
    return float(loss(z).subs({letters[name]: value for name, value in values.items()}))


def _threshold(d, r, g, at, epsilon):
    """z where the loss is epsilon, by bisection: it falls in z."""
    low, high = 1e-6, 1e6
    for _ in range(80):
        middle = np.sqrt(low * high)
        low, high = (middle, high) if _loss(d, r, g, at, middle) > epsilon else (low, middle)
    return low


@pytest.mark.parametrize("d, r, g, at", CASES)
def test_the_family_of_the_angle_is_the_law_of_the_sketch(d, r, g, at):
    """Both divergences from the family, at the threshold that the loss has there, against the law of the sketch."""
    cap = 1 - g
    p = cap * at**2 / (1 + at**2)
    for direction, sign in (("delete", 1), ("insert", -1)):
        epsilon = 0.05
        edge = _threshold(d, r, g, at, sign * epsilon)
        larger, smaller = (_below(d, r, one, at, edge) for one in (1.0, g))
        found = larger - np.exp(epsilon) * smaller
        if direction == "insert":
            found = (1 - smaller) - np.exp(epsilon) * (1 - larger)
        assert found == pytest.approx(float(fast.als_exact_hockey_stick(p, cap, d, r, epsilon, direction)), abs=2e-8)


@pytest.mark.parametrize("d, r, g, at", CASES)
@pytest.mark.parametrize("of", [False, True])
def test_the_family_moves_with_what_comes_in(d, r, g, at, of):
    """The slope in x that "flow of an angle" says, at the parameters 1 and 1 - c, against a difference quotient."""
    parameter, edge, step, k = (g if of else 1.0), 0.7, 1e-3, r - d
    found = (_below(d, r, parameter, at + step, edge) - _below(d, r, parameter, at - step, edge)) / (2 * step)
    whole = quad(lambda cot: _density(d, r, 1.0, at, cot), 0, np.inf, epsrel=1e-10)[0]
    power = parameter ** ((k + 1) / 2) * (1 + parameter * at**2) ** (-k / 2 - 1)
    power *= (1 + parameter * edge**2) ** (-(r - 1) / 2)
    shown = power * _mean(d, lambda u: u * abs(edge + at * u) ** k) / whole
    assert shown >= -1e-12
    assert found == pytest.approx(shown, rel=1e-4, abs=1e-7)


@pytest.mark.parametrize("way", ["deleted", "inserted"])
@pytest.mark.parametrize(
    "one, other", [("up", "down"), ("before", "after"), ("start", "end"), ("of P", "of Q"), ("falls", "moves")]
)
def test_exchanged_conditions_of_a_summit_are_refused(way, one, other):
    step = worst_record().step(f"{way}: one summit")
    turned = {**step.conditions, one: step.conditions[other], other: step.conditions[one]}
    assert "is not what shows it" in _said(replace(step, conditions=turned))


def test_a_summit_of_the_other_order_is_refused():
    """The divergence of Q from P has its threshold at -eps, and v that rises in its place would move its summit."""
    step = worst_record().step("deleted: one summit")
    left, sign, right = FACTS["one summit of a divergence, exchanged"].instance(step.letters)
    turned = replace(step, fact="one summit of a divergence, exchanged", lhs=left, rhs=right, relation=sign)
    assert "is not what shows it" in _said(turned)


@pytest.mark.parametrize(
    "name, value",
    [
        ("summit", x),  # it would move along
        ("at", z),
        ("place", x * z),
        ("x", z),
        ("edge", sp.Symbol("z", nonnegative=True)),
        ("epsilon", sp.Integer(1)),
        ("epsilon", sp.Symbol("epsilon", positive=True)),
        ("loss", loss(z) + sp.Symbol("epsilon", real=True)),
        ("slope", sp.Symbol("w", nonnegative=True)),  # the distance that the conditions add
    ],
)
def test_letters_of_a_summit_keep_their_roles(name, value):
    letters = worst_record().step("deleted: one summit").letters
    with pytest.raises(InputError):
        FACTS["one summit of a divergence"].instance({**letters, name: value})


def test_what_may_not_depend_on_the_point_of_integration():
    proof = worst_record()
    flow, proportion = proof.step("flow"), proof.step("other law of T")
    with pytest.raises(InputError):
        FACTS["flow of an angle"].instance({**flow.letters, "speed": xi})
    with pytest.raises(InputError):
        FACTS["flow of an angle"].required["carried"]({**flow.letters, "g": xi**2})
    with pytest.raises(InputError):
        FACTS["a law in proportion to another"].required["proportion"]({**proportion.letters, "ratio": xi})
    with pytest.raises(InputError):
        FACTS["more on the one side"].required["order"]({"h": size + xi, "k": sp.Integer(1), "d": sp.Integer(2)})
    with pytest.raises(InputError):
        law = proof.step("law of T")
        FACTS["cotangent of an angle on a half sphere"].instance({**law.letters, "x": xi})


def test_no_mutant_of_the_statement_is_concluded():
    """Signs, factors, directions, exchanged laws, dropped hypotheses: of 130, every ninth."""
    claim = find("N24-6.3-worst-record")
    proofs = [worst_record(), finite_order()]
    assert unconcluded(claim.id, claim.stated, claim.hypotheses, proofs) == []
    passed = [
        f"{mutant.rule}: {mutant.fault}"
        for mutant in mutants(claim.stated)[::9]
        if not unconcluded(claim.id, mutant.statement, claim.hypotheses, proofs)
    ]
    assert passed == []
