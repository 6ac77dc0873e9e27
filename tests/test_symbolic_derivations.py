"""Every derivation verifies in full, and every planted fault is rejected."""

from __future__ import annotations

import dataclasses

import pytest
import sympy as sp

from ndis_verify.exact_number import InputError
from ndis_verify.report.derivations import steps_table
from ndis_verify.symbolic import all_derivations, builders, derivations_for
from ndis_verify.symbolic.covariance_order import scale_order
from ndis_verify.symbolic.derivation import DECIDED, Derivation, Step
from ndis_verify.symbolic.ndis_lemma import log_density_ratio
from ndis_verify.symbolic.sides import opened
from ndis_verify.symbolic.special_functions import Phi
from ndis_verify.symbolic.zero import is_zero, nonzero_somewhere


@pytest.fixture(params=builders(), ids=lambda build: f"{build.__module__.rsplit('.', 1)[1]}.{build.__name__}")
def derivation(request: pytest.FixtureRequest) -> Derivation:
    """Each derivation; it is built where it is tested, and decided there once, not in every process that collects."""
    return request.param()


def _decided(derivation: Derivation) -> list[Step]:
    return [step for step in derivation.steps if step.kind in DECIDED]


def test_every_step_is_decided_true(derivation: Derivation) -> None:
    outcomes = {step.name: outcome for step, outcome in derivation.verify() if step.kind in DECIDED}
    assert outcomes
    assert set(outcomes.values()) == {True}, outcomes
    assert derivation.proved


def test_named_mutants_are_rejected(derivation: Derivation) -> None:
    mutants = derivation.mutants()
    assert len(mutants) >= 2
    for name, mutant in mutants.items():
        assert any(outcome is False for step, outcome in mutant.verify() if step.kind in DECIDED), name
        assert not mutant.proved, name


def _named(step: Step) -> set[str]:
    return {premise if isinstance(premise, str) else premise.step for premise in step.premises}


def test_what_rests_on_a_fault_is_decided_anew(derivation: Derivation) -> None:
    """A faulty derivation takes over what was decided of the sound one, but nothing that uses the faulty step."""
    derivation.verify()
    used = {name for step in derivation.steps if step.kind == "inference" for name in _named(step)}
    for fault in [fault for fault in derivation.faults if fault.step in used][:1]:
        mutant = derivation.with_fault(fault.step, fault.change(derivation.step(fault.step).rhs))
        anew = dataclasses.replace(mutant)
        for step in mutant.steps:
            if step.kind == "inference" and fault.step in {step.name, *_named(step)}:
                assert mutant.holds(step) == anew.holds(step), step.name


def _disturbances(step: Step) -> list[sp.Expr]:
    """Nonzero things of the right shape to add to the right-hand side."""
    if isinstance(step.rhs, sp.MatrixBase):
        return [sp.ones(*step.rhs.shape)]
    if step.algebra is None:
        return [sp.Rational(1, 3)]
    shape = getattr(step.algebra.evaluate(step.lhs), "shape", None)
    letters = [a for a, value in step.algebra.model.items() if getattr(value, "shape", None) == shape]
    return letters or [sp.Rational(1, 3)]


def test_no_identity_step_is_vacuous(derivation: Derivation) -> None:
    for step in _decided(derivation):
        for disturbance in _disturbances(step):
            mutant = derivation.with_fault(step.name, step.rhs + disturbance)
            assert mutant.holds(mutant.step(step.name)) is False, (step.name, disturbance)


def test_sides_are_equal_as_they_stand(derivation: Derivation) -> None:
    """A reduction may bring both sides to one form; what they are equal under stands in them, not in it."""
    for step in (one for one in _decided(derivation) if one.reduce is not None):
        sides = (opened(step.lhs), opened(step.rhs))
        left, right = (list(side) if isinstance(side, sp.MatrixBase) else [side] for side in sides)
        for one, other in zip(left, right, strict=True):
            # 15 digits and 30: an integral of 100 takes ten times as long, and a false step is off in the first
            assert not nonzero_somewhere(one - other - (step.witness or 0), digits=15), step.name


def test_a_step_that_ignores_a_side_is_told_by_its_sides() -> None:
    half = sp.Integral(sp.exp(-x * y), (x, 0, sp.oo))
    assert nonzero_somewhere(half - 1 / y - sp.Rational(1, 10**9), digits=15)
    assert not nonzero_somewhere(half - 1 / y, digits=15)


def test_prose_never_counts_as_decided(derivation: Derivation) -> None:
    assert all(outcome is None for step, outcome in derivation.verify() if step.kind not in DECIDED)
    assert all(step.statement for step in derivation.arguments)


def test_every_step_can_be_shown(derivation: Derivation) -> None:
    for step in derivation.steps:
        assert step.text and step.why
        # A relation that collapsed to True or False would show the reader nothing.
        assert isinstance(step.statement, str) or (step.statement not in (True, False) and sp.latex(step.statement))


def test_every_step_is_shown_in_order_within_the_width(derivation: Derivation) -> None:
    text = steps_table(derivation, width=100)
    places = [text.index(f"{k}. {step.name} [") for k, step in enumerate(derivation.steps, start=1)]
    assert places == sorted(places)
    assert text.count("[decided]") == sum(step.kind in DECIDED for step in derivation.steps)
    body = [line for line in text.splitlines() if line.startswith("      ")]
    assert body and max(len(line) for line in body) <= 100
    assert text.splitlines()[-1].startswith("proved: ")


CLAIMS = [
    "N26-D1",
    "N26-D2",
    "N26-F1",
    "N26-L1",
    "N26-T4.1",
    "N26-P1",
    "N26-P3",
    "N26-L4",
    "N26-P4",
    "N24-T1",
    "N24-C1",
    "N24-Fig2",
    "N24-C2",
    "N24-T2",
    "N24-P1",
    "N24-P2",
    "N24-P3",
    "N24-F1",
    "N24-F2",
    "N24-T7",
    "N24-P8",
    "N24-P9",
    "N24-P10",
    "N24-L2",
    "N24-P5",
    "N24-P6",
    "N24-P7",
    "BW-L3",
    "BW-T5",
    "BW-L6",
    "BW-L7",
    "BW-T8",
    "KM-2.2",
    "KM-2.3",
    "SL-1",
]


@pytest.mark.parametrize("claim", CLAIMS)
def test_every_claim_has_a_derivation_that_names_it_as_a_source(claim: str) -> None:
    found = derivations_for(claim)
    assert found
    assert all(claim in derivation.sources for derivation in found)


def test_the_files_that_name_a_claim_hold_every_derivation_of_it() -> None:
    for claim in {claim for derivation in all_derivations() for claim in derivation.claims}:
        carrying = [derivation.id for derivation in all_derivations() if claim in derivation.claims]
        assert [derivation.id for derivation in derivations_for(claim)] == carrying


def test_ids_are_distinct_and_name_their_builders() -> None:
    ids = [derivation.id for derivation in all_derivations()]
    assert len(set(ids)) == len(ids)


def test_block_models_satisfy_their_own_rules() -> None:
    algebras = {
        id(step.algebra): step.algebra for d in all_derivations() for step in d.steps if step.algebra is not None
    }
    assert algebras
    assert all(algebra.consistent() for algebra in algebras.values())


x, y = sp.symbols("x y", positive=True)
f = sp.Function("f")
UNTOLD = sp.asinh(x) - sp.log(x + sp.sqrt(x**2 + 1))  # 0, though no rule of the package says so


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        (sp.sqrt(x**2 * y) - x * sp.sqrt(y), True),
        ((x + y) ** 2 - x**2 - 2 * x * y - y**2, True),
        (x**y * x**2 - x ** (y + 2), True),
        (sp.exp(sp.log(x) * y) - x**y, True),
        (x - x * (1 + sp.Rational(1, 10**18)), False),
        (sp.sin(x) - x, False),
        (f(x) - f(y), False),
        (f(UNTOLD) - f(0), None),  # equal arguments that are not told to be equal
        (sp.Matrix([[x - x, f(x)]]), False),
        (sp.Matrix([[x - x, UNTOLD]]), None),
        (UNTOLD, None),
        (sp.Matrix([[f(x), x + 1]]), False),
        (sp.nan, None),
    ],
)
def test_is_zero(expression: sp.Expr, expected: bool | None) -> None:
    assert is_zero(expression) is expected


def test_determinant_of_a_matrix_symbol_is_never_trusted() -> None:
    # SymPy differentiates this to 0 in silence.
    matrix = sp.MatrixSymbol("M", 2, 2)
    assert (
        is_zero(sp.Determinant(matrix) * 0 + sp.Determinant(matrix) - sp.Determinant(matrix.T) + sp.Determinant(matrix))
        is None
    )


def test_an_inequality_needs_the_sign_of_its_witness() -> None:
    real = sp.Symbol("w", real=True)
    assert Step("square", "", lhs=real**2 + x, rhs=sp.Integer(0), relation=">", witness=real**2 + x).holds is True
    assert Step("unknown sign", "", lhs=real, rhs=sp.Integer(0), relation=">=", witness=real).holds is None
    assert Step("wrong witness", "", lhs=real**2, rhs=sp.Integer(0), relation=">=", witness=real**4).holds is False


def test_bad_faults_and_arguments_are_named() -> None:
    derivation = all_derivations()[0]
    step = _decided(derivation)[0]
    with pytest.raises(InputError, match="differ"):
        derivation.with_fault(step.name, step.rhs)
    with pytest.raises(InputError, match="must be one of"):
        derivation.step("no such step")
    with pytest.raises(InputError, match="must be exactly"):
        derivation.number(nonsense=1)
    with pytest.raises(InputError, match="two sides|both sides"):
        Step("half", "", lhs=x)


def test_a_difference_of_unknown_functions_is_zero_or_is_told_from_it() -> None:
    f, positive = sp.Function("f"), sp.Function("g", positive=True)
    x, y = sp.symbols("x y", real=True)
    assert is_zero(2 * f(x) - f(x) - f(x)) is True and is_zero(f((x + 1) ** 2) - f(x**2 + 2 * x + 1)) is True
    assert is_zero(f(x) - f(y)) is False and is_zero(f(x) - f(x) + sp.Rational(1, 3)) is False
    assert is_zero(positive(x) - sp.Abs(positive(x))) is True and is_zero(positive(x) + sp.Abs(positive(x))) is False


X = sp.Symbol("x", positive=True)


@pytest.mark.parametrize(
    "expression, place, direction",
    [
        (Phi(-X) + X * sp.exp(-X), sp.oo, "-"),
        (X - sp.sqrt(X**2 + X), sp.oo, "-"),  # neither part has one
        (sp.exp(X) * sp.exp(-(X**2)), sp.oo, "-"),
        (X * sp.exp(-X) + 1 / X, sp.oo, "-"),
        (sp.exp(1 / X) * X, 0, "+"),
        (sp.exp(-1 / X) * Phi(1 / X) + 2, 0, "+"),
        (sp.sin(X) / X, 0, "+"),
        ((1 + 1 / X) ** X + Phi(sp.log(X)), sp.oo, "-"),
        (sp.log(X) * X + Phi(sp.log(X)), 0, "+"),
    ],
)
def test_a_limit_by_its_parts_is_that_of_the_whole(expression, place, direction):
    limit = sp.Limit(expression, X, place, direction)
    assert sp.simplify(opened(limit) - limit.doit()) == 0 or opened(limit) == limit.doit()


A, R = sp.Symbol("a", real=True), sp.Symbol("r", real=True)


@pytest.mark.parametrize("expression", [Phi(A * X), Phi(A * X) + sp.exp(-X), Phi(sp.sin(X)), sp.sin(X) + Phi(X)])
def test_a_limit_that_there_is_not_is_no_number(expression):
    """Phi is finite at every number, which SymPy takes oo sign(a) and nan for."""
    assert opened(sp.Limit(expression, X, sp.oo)).has(sp.Limit)
    assert is_zero(opened(sp.Limit(expression, X, sp.oo)) - opened(sp.Limit(-expression, X, sp.oo))) is not True


def test_from_two_sides_there_is_one_limit_or_none():
    """By its parts both were Phi at one complex infinity, and so the same."""
    for expression in (Phi(1 / R), Phi(-1 / R) + R):
        with pytest.raises(ValueError, match="does not exist"):
            opened(sp.Limit(expression, R, 0, "+-"))


def test_an_infinite_limit_is_infinite():
    assert opened(sp.Limit(sp.exp(X) + Phi(X), X, sp.oo)) == sp.oo


def test_what_is_tiny_at_every_sample_point_is_not_zero():
    assert is_zero(sp.exp(-200 - X)) is not True and is_zero(X * sp.Rational(1, 10**60)) is not True


def test_all_parts_of_a_claim_that_a_derivation_concludes_are_said():
    """The last one alone was: of the lemma in every dimension, "d = 1"."""
    said = log_density_ratio().claims["N26-L1"]
    parts = [end.part for end in log_density_ratio().concludes if end.claim == "N26-L1"]
    assert len(parts) == 2 and said == f"part: {'; '.join(parts)}"
    assert scale_order().claims["N26-L3"] == "concluded"
    assert all(text.count("the exact covariance term") < 2 for d in all_derivations() for text in d.claims.values())
