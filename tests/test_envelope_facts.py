"""The facts behind the worst covariances of an envelope: slopes against difference quotients, and uses that are
refused.
"""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
import sympy as sp
from planted_steps import said_of
from scipy.integrate import quad
from scipy.stats import chi2

from ndis_verify import fast
from ndis_verify.court.proof_structure import problems
from ndis_verify.exact_number import InputError
from ndis_verify.gaussian_pair import GaussianPair
from ndis_verify.symbolic.covariance_corner import greatest_at_corner
from ndis_verify.symbolic.covariance_envelope import exact_envelope
from ndis_verify.symbolic.derivation import Step
from ndis_verify.symbolic.fact_steps import by_fact
from ndis_verify.symbolic.facts import FACTS
from ndis_verify.symbolic.least_split import least_split

_said = partial(said_of, exact_envelope)
_said_of_least = partial(said_of, least_split)
_said_of_corner = partial(said_of, greatest_at_corner)


ONE = sp.Integer(1)

_CASES = [((0.9, 0.4), 0.3), ((2.5, 0.2), 0.6), ((0.7, 0.7), 0.1), ((0.5, 0.2), 3.0)]


def _delta(logs, epsilon, exchanged):
    zero = [0.0] * len(logs)
    pair = GaussianPair(zero, list(np.exp(logs)), zero, 1)
    return float(fast.hockey_stick(pair.swapped() if exchanged else pair, epsilon))


def _in_ratio(p, q, left):
    """The mean over the ratio of what the derivation averages."""
    fall = exact_envelope().number
    inside = lambda c: 2 / (np.pi * (1 + c * c)) * float(fall(p=p, q=q, c=c, u=left))
    return quad(inside, 0, np.inf, epsabs=1e-12, epsrel=1e-10)[0]


@pytest.mark.parametrize("exchanged", [False, True])
@pytest.mark.parametrize("logs, epsilon", _CASES)
def test_slopes_of_two_coordinates(logs, epsilon, exchanged):
    step, weights = 1e-4, np.expm1(logs)
    edge = max(0.0, sum(logs) + (-2 if exchanged else 2) * epsilon)
    for k in (0, 1):
        moved = np.eye(2)[k] * step
        found = (_delta(logs + moved, epsilon, exchanged) - _delta(logs - moved, epsilon, exchanged)) / (2 * step)
        shown = _in_ratio(weights[k], weights[1 - k], edge) * (np.exp(epsilon) if exchanged else 1)
        assert found == pytest.approx(shown, rel=1e-5, abs=1e-9)


@pytest.mark.parametrize("exchanged", [False, True])
def test_a_third_coordinate_leaves_less_of_the_edge(exchanged):
    logs, epsilon, step = np.array([0.8, 0.5, 1.1]), 0.4, 1e-4
    p, q, other = np.expm1(logs)
    edge = logs.sum() + (-2 if exchanged else 2) * epsilon
    over = lambda y: _in_ratio(p, q, edge - other * y) * chi2.pdf(y, 1)
    shown = quad(lambda v: over(v * v) * 2 * v, 0, np.sqrt(edge / other), epsrel=1e-8)[0]
    shown *= np.exp(epsilon) if exchanged else 1
    moved = np.array([step, 0, 0])
    found = (_delta(logs + moved, epsilon, exchanged) - _delta(logs - moved, epsilon, exchanged)) / (2 * step)
    assert found == pytest.approx(shown, rel=1e-5)


def test_wrong_conditions_are_refused():
    proof = exact_envelope()
    ellipsoid = proof.step("ellipsoid, first, P first")
    for name, other in (("fall", "fall of the second"), ("most", "share of the first"), ("least", "e^h > 0")):
        shown = Step("e^h > 0", "", sp.Integer(1), sp.Integer(0), ">", sp.Integer(1)) if other == "e^h > 0" else other
        assert "is not what shows it" in _said(replace(ellipsoid, conditions={**ellipsoid.conditions, name: shown}))
    greatest = proof.step("greatest, Q first")
    for name, instead in (
        ("rises", "rises, P first"),
        ("rises", "larger slope, Q first"),
        ("order", "rises, Q first"),
        ("order", "larger slope, P first"),
        ("order", "falls in order"),
    ):
        wrong = replace(greatest, conditions={**greatest.conditions, name: instead})
        assert "is not what shows it" in _said(wrong), (name, instead)
    held = proof.step("set held, first, Q first")
    assert "no instance" in _said(replace(held, fact="slope of a divergence in a variance"))
    assert "no instance" in _said(
        replace(ellipsoid, letters={**ellipsoid.letters, "fall": 2 * ellipsoid.letters["fall"]})
    )
    assert "no instance" in _said(replace(ellipsoid, letters={**ellipsoid.letters, "which": 2}))


def test_weights_that_do_not_stand_for_all_are_refused():
    fact = FACTS["slope of the probability of an ellipsoid"]
    letters = dict(exact_envelope().step("ellipsoid, first, P first").letters)
    p, ratio = letters["p"], letters["ratio"]
    for name, value in (
        ("q", p),
        ("q", 2 * p),
        ("p", sp.Integer(1)),
        ("p", sp.Symbol("p", positive=True, integer=True)),
        ("left", sp.Symbol("u", positive=True)),
        ("left", sp.Integer(0)),
        ("others", sp.Integer(0)),
        ("which", 3),
    ):
        with pytest.raises(InputError):
            fact.instance({**letters, name: value})
    with pytest.raises(InputError):
        fact.required["fall"]({**letters, "ratio": ratio**2})
    with pytest.raises(InputError):
        FACTS["slope of a divergence in a variance"].required["positive"]({"weight": sp.Integer(1)})


def test_an_integral_of_a_slope_needs_both_ends():
    proof = exact_envelope()
    step = proof.step("no slope")
    c = step.letters["argument"]
    for f in (1 / (1 + c), c / (1 + c)):  # 1 at 0, 1 far out
        wrong = by_fact(step.name, step.why, step.fact, {"f": f, "argument": c}, step.conditions)
        assert "is not what shows it" in _said(wrong)


def test_what_is_not_negative_is_so_at_every_point():
    step = exact_envelope().step("fall in the mean, P first")
    turned = by_fact(step.name, step.why, step.fact, {**step.letters, "f": -step.letters["f"]}, step.conditions)
    assert "is not what shows it" in _said(turned)


def test_orders_of_suprema_and_infima_are_not_turned():
    proof = least_split()
    assert problems(proof) == [] and not proof.arguments
    wider = proof.step("larger envelope, first path")
    turned = {"cap": "larger cap", "larger cap": "cap"}
    letters = {name: wider.letters[turned.get(name, name)] for name in wider.letters}
    wrong = by_fact(wider.name, "", wider.fact, letters, wider.conditions)
    assert "condition 'cap' is" in _said_of_least(wrong)
    for name, one, other in (("larger infimum, first path", "f", "g"), ("delta_LC grows", "one", "larger one")):
        step = proof.step(name)
        letters = {**step.letters, one: step.letters[other], other: step.letters[one]}
        assert "is not what shows it" in _said_of_least(by_fact(name, "", step.fact, letters, step.conditions))
    least = proof.step("delta_LC without jumps")
    for letters in ({**least.letters, "one": sp.floor(least.letters["parameter"])}, {**least.letters, "at": ONE}):
        if letters["at"] == ONE:
            with pytest.raises(InputError):
                FACTS[least.fact].instance(letters)
        else:
            wrong = by_fact(least.name, "", least.fact, letters, least.conditions)
            assert "is not what shows it" in _said_of_least(wrong)


def test_a_corner_needs_its_whole_envelope():
    proof = greatest_at_corner()
    assert problems(proof) == [] and not proof.arguments
    step = proof.step("weak majorisation, P first")
    for name, instead in (
        ("most", "lam_i >= 1"),
        ("least", "lam_i <= R"),
        ("counts", "lam_i >= 1"),
        ("product", "lam_i <= R"),
        ("rest", "T <= R"),
        ("rest at most", "T >= 1"),
        ("whole", "profile"),
        ("rises", "larger slope, P first"),
        ("order", "rises, P first"),
    ):
        wrong = replace(step, conditions={**step.conditions, name: instead})
        assert f"condition {name!r} is" in _said_of_corner(wrong)
    smaller = {**step.letters, "R": step.letters["T"]}
    assert "is not what shows it" in _said_of_corner(by_fact(step.name, "", step.fact, smaller, step.conditions))
    assert "no instance" in _said_of_corner(replace(step, letters=smaller))
    with pytest.raises(InputError):
        FACTS[step.fact].required["whole"]({**step.letters, "n": sp.Symbol("n", positive=True)})
    entries = proof.step("eigenvalues of the corner")
    assert "is not what shows it" in _said_of_corner(
        replace(entries, conditions={**entries.conditions, "first": "whole"})
    )
