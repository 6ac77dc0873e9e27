"""Facts that take a vector and its transpose look whether the one is written as the transpose of the other."""

from dataclasses import replace

import pytest
import sympy as sp

from ndis_verify.court.proof_structure import step_problems
from ndis_verify.symbolic import all_derivations
from ndis_verify.symbolic.block_algebra import letter
from ndis_verify.symbolic.facts import FACTS
from ndis_verify.symbolic.notation import scalar, transpose, with_noise
from ndis_verify.symbolic.transposes import is_form, written_transposed
from ndis_verify.symbolic.zero import as_expression

CHECKED = {
    "squared length": ("w",),
    "second moments of a linear image": ("A", "g"),
    "Cauchy-Schwarz inequality of vectors": ("u", "v"),
    "Cauchy-Schwarz inequality of a form": ("u", "v", "B", "C"),
    "forms lie above the least eigenvalue": ("u",),
    "eigenvalues of M M^T and of M^T M": ("M",),
}
STEPS = [(d, k) for d in all_derivations() for k, step in enumerate(d.steps) if step.fact in CHECKED]
S, P, p, Pt, pt, vt, v = (letter(name) for name in ("S", "Phi", "phi", "Phi^T", "phi^T", "vt", "v"))
c = sp.Symbol("c", real=True)


@pytest.mark.parametrize(
    ("array", "transposed", "written"),
    [
        (P * S * p, pt * transpose(S) * Pt, True),
        (S * v, transpose(S * v), True),
        (c * S * v + p, pt + c * vt * transpose(S), True),
        (Pt * v, vt * P, True),
        (vt, v, True),
        (sp.Integer(3), sp.Integer(3), True),
        (P * S * p, pt * Pt * S, False),
        (P * S * p, pt * S * Pt, False),  # nor is a matrix, unless a step says so
        (S * v, transpose(v) * S, False),
        (c * S * v + p, pt + c * vt * S, False),
        (S * v, transpose(p) * S, False),
        (S * v, -transpose(v) * S, False),
        (S * v, transpose(v), False),
        (c * v, vt, False),
        (v, v, False),  # a small letter is a vector, which is not its own transpose
        (P * p, p * P, False),
        (v + p, vt, False),
    ],
)
def test_the_transpose_has_the_letters_in_the_other_order(array, transposed, written):
    assert written_transposed(array, transposed) is written


def test_the_facts_that_look_are_used():
    assert {d.steps[k].fact for d, k in STEPS} == set(CHECKED)


@pytest.mark.parametrize(("derivation", "k"), STEPS, ids=lambda x: x if isinstance(x, int) else x.id)
def test_what_is_no_transpose_is_no_instance(derivation, k):
    step = derivation.steps[k]
    for name in CHECKED[step.fact]:
        given = step.letters[f"{name}^T"]
        for other in (2 * given, given + letter("q^T"), letter("Q") * given):
            letters = {**step.letters, f"{name}^T": other}
            left, sign, right = FACTS[step.fact].instance(letters)
            assert (left, sign, right) == (0, ">", 0), name
            wrong = replace(step, letters=letters)
            steps = tuple(wrong if one is step else one for one in derivation.steps)
            changed = replace(derivation, steps=steps, faults=())
            assert any("is no instance" in text for text in step_problems(changed, k))


QUOTIENTS = {
    "eigenvalues follow Rayleigh quotients": ("quotient", "other quotient"),
    "eigenvalues lie above a bound of Rayleigh quotients": ("quotient",),
}
FORMS = [
    (d, k)
    for d in all_derivations()
    for k, step in enumerate(d.steps)
    if step.fact in QUOTIENTS and not as_expression(step.letters["S"]).args[0].is_commutative
]


def test_forms_that_are_written_out_are_met():
    assert {d.steps[k].fact for d, k in FORMS} == set(QUOTIENTS)


@pytest.mark.parametrize(("derivation", "k"), FORMS, ids=lambda x: x if isinstance(x, int) else x.id)
def test_another_number_is_no_rayleigh_quotient(derivation, k):
    step = derivation.steps[k]
    assert not list(step_problems(derivation, k))
    for name in QUOTIENTS[step.fact]:
        given = step.letters[name]
        for other in (2 * given, given + 1, sp.Integer(0)):
            wrong = replace(step, letters={**step.letters, name: other})
            steps = tuple(wrong if one is step else one for one in derivation.steps)
            changed = replace(derivation, steps=steps, faults=())
            assert any("is no instance" in text for text in step_problems(changed, k)), (name, other)


def test_a_form_is_at_a_vector_of_which_the_matrix_does_not_speak():
    u, ut, E, Et = (letter(name) for name in ("u", "u^T", "E", "E^T"))
    form = Et * E + v * letter("v^T")
    assert is_form(form, sp.Integer(1), scalar(ut * form * u))
    assert is_form(with_noise(Et * E, c), sp.Integer(1), scalar(ut * Et * E * u) + c)
    for wrong in (scalar(ut * Et * E * u), scalar(letter("v^T") * form * v), scalar(ut * form * v), c):
        assert not is_form(form, sp.Integer(1), wrong)
    assert not is_form(form, sp.Integer(2), scalar(ut * form * u))
    assert not is_form(with_noise(Et * E, c), sp.Integer(1), scalar(ut * Et * E * u))
