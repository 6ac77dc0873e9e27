"""Facts that take a vector and its transpose look whether the one is written as the transpose of the other."""

from dataclasses import replace

import pytest
import sympy as sp

from ndis_verify.court.proof_structure import step_problems
from ndis_verify.exact_number import InputError
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
    "norm of a product": ("R",),
}
QUOTIENTS = {
    "eigenvalues follow Rayleigh quotients": ("quotient", "other quotient"),
    "eigenvalues lie above a bound of Rayleigh quotients": ("quotient",),
}
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


def steps_by(fact):
    """Every step that is made by this fact; looked for within a test, since that builds all derivations."""
    return [(d, k) for d in all_derivations() for k, step in enumerate(d.steps) if step.fact == fact]


def problems_with(derivation, k, letters):
    """The problems of a step once it has other letters."""
    step = derivation.steps[k]
    wrong = replace(step, letters=letters)
    steps = tuple(wrong if one is step else one for one in derivation.steps)
    return list(step_problems(replace(derivation, steps=steps, faults=()), k))


@pytest.mark.parametrize("fact", CHECKED)
def test_what_is_no_transpose_is_no_instance(fact):
    found = steps_by(fact)
    assert found, "a fact that looks and is not used"
    for derivation, k in found:
        step = derivation.steps[k]
        for name in CHECKED[fact]:
            given = step.letters[f"{name}^T"]
            for other in (2 * given, given + letter("q^T"), letter("Q") * given):
                letters = {**step.letters, f"{name}^T": other}
                where = (derivation.id, k, name, other)
                assert FACTS[fact].instance(letters) == (0, ">", 0), where
                assert any("is no instance" in text for text in problems_with(derivation, k, letters)), where


@pytest.mark.parametrize("fact", QUOTIENTS)
def test_another_number_is_no_rayleigh_quotient(fact):
    written_out = [
        (d, k) for d, k in steps_by(fact) if not as_expression(d.steps[k].letters["S"]).args[0].is_commutative
    ]
    assert written_out, "no form is written out"
    for derivation, k in written_out:
        assert not list(step_problems(derivation, k))
        letters = derivation.steps[k].letters
        for name in QUOTIENTS[fact]:
            given = letters[name]
            for other in (2 * given, given + 1, sp.Integer(0)):
                found = problems_with(derivation, k, {**letters, name: other})
                assert any("is no instance" in text for text in found), (derivation.id, k, name, other)


def test_a_form_is_at_a_vector_of_which_the_matrix_does_not_speak():
    u, ut, E, Et = (letter(name) for name in ("u", "u^T", "E", "E^T"))
    form = Et * E + v * letter("v^T")
    assert is_form(form, sp.Integer(1), scalar(ut * form * u))
    assert is_form(with_noise(Et * E, c), sp.Integer(1), scalar(ut * Et * E * u) + c)
    for wrong in (scalar(ut * Et * E * u), scalar(letter("v^T") * form * v), scalar(ut * form * v), c):
        assert not is_form(form, sp.Integer(1), wrong)
    assert not is_form(form, sp.Integer(2), scalar(ut * form * u))
    assert not is_form(with_noise(Et * E, c), sp.Integer(1), scalar(ut * Et * E * u))


def test_a_matrix_that_is_not_symmetric_has_no_least_eigenvalue():
    """[[1, 9], [0, 1]] has the eigenvalue 1 alone, and forms from -3.5 on."""
    fact = FACTS["forms lie above the least eigenvalue"]
    with pytest.raises(InputError, match="its own transpose"):
        fact.instance({"S": S, "u": v, "u^T": vt})
    with pytest.raises(InputError, match="its own transpose"):
        fact.instance({"S": S * P + v * vt, "u": v, "u^T": vt})
    assert fact.instance({"S": transpose(S) * S + v * vt, "u": p, "u^T": pt})[1] == ">="
