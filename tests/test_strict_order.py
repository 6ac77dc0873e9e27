"""The strict order of the two directions: uses of its facts that would prove something false are refused."""

from functools import partial

import pytest
import sympy as sp
from planted_steps import said_of

from ndis_verify import fast
from ndis_verify.gaussian_pair import GaussianPair
from ndis_verify.symbolic.covariance_order_strict import strict_order
from ndis_verify.symbolic.derivation import Step
from ndis_verify.symbolic.fact_steps import by_fact
from ndis_verify.symbolic.facts import FACTS
from ndis_verify.symbolic.normal_coordinates import entry

_said = partial(said_of, strict_order)
NONNEGATIVE = sp.Symbol("epsilon", nonnegative=True)


def _again(name, letters=None, **conditions):
    step = strict_order().step(name)
    return by_fact(name, step.why, step.fact, {**step.letters, **(letters or {})}, {**step.conditions, **conditions})


def _weak(name, left, right):
    return Step(name, "It is.", left, right, ">=", left - right)


def test_the_proof_is_one():
    assert not _said(_again("order on the path"))


@pytest.mark.parametrize(
    ("name", "condition", "shown"),
    [
        ("order on the path", "some", "not negative"),  # where both are 0 neither is more
        ("order on the path", "nothing", "2 y >= nu"),  # beyond its loss the other has to be 0
        ("order on the path", "beyond", "bounded loss"),
        ("order on the path", "inequality", "(nu + 2 y)/2"),
        ("some", "spread", "lam_i >= 1.5"),  # which says more, and is another relation
        ("some", "spread", "m_i >= 1"),
        ("some", "counts", "lam_i > 1"),
    ],
)
def test_another_step_does_not_show_a_condition(name, condition, shown):
    assert f"condition {condition!r}" in _said(_again(name, **{condition: shown}))


def test_at_eps_0_both_directions_are_one():
    """The order is not strict there: neither directly, nor at a number that may be 0."""
    for zero in (sp.Integer(0), NONNEGATIVE):
        refused = _said(_again("order on the path", {"epsilon": zero}, **{"above 0": _weak("above 0", zero, 0)}))
        assert "condition 'above 0'" in refused


def test_two_equal_laws_have_no_divergence():
    """Eigenvalues that may be 1 are not enough."""
    weak = _weak("lam_i >= 1", entry(sp.Symbol("lambda", real=True)), sp.Integer(1))
    assert "condition 'spread'" in _said(_again("some", spread=weak))
    pair = GaussianPair([0.0, 0.0], [1.0, 1.0], [0.0, 0.0], 1)
    assert float(fast.hockey_stick(pair, 0.5)) == 0


def test_eps_is_a_number():
    letters = strict_order().step("some").letters
    with pytest.raises(ValueError, match="the same at every point"):
        FACTS["a divergence of a more spread law"].instance({**letters, "epsilon": entry(sp.Symbol("e", real=True))})


@pytest.mark.parametrize("eigenvalue", [1.5, 4.0, 40.0])
def test_the_order_is_strict_inside_and_beyond_the_loss(eigenvalue):
    for epsilon in (0.1, 0.5, 1.0, 2.0):
        pair = GaussianPair([0.0] * 3, [eigenvalue] * 3, [0.0] * 3, 1)
        first, second = (float(fast.hockey_stick(law, epsilon)) for law in (pair, pair.swapped()))
        assert first > second >= 0
