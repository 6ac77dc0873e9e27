"""Facts that take a vector and its transpose look whether the one is written as the transpose of the other."""

from dataclasses import replace

import pytest
import sympy as sp

from ndis_verify.court.proof_structure import step_problems
from ndis_verify.symbolic import all_derivations
from ndis_verify.symbolic.block_algebra import letter
from ndis_verify.symbolic.facts import FACTS
from ndis_verify.symbolic.notation import transpose
from ndis_verify.symbolic.transposes import written_transposed

CHECKED = {
    "squared length": ("w",),
    "second moments of a linear image": ("A", "g"),
    "Cauchy-Schwarz inequality of vectors": ("u", "v"),
    "Cauchy-Schwarz inequality of a form": ("u", "v", "B", "C"),
    "image under rows of bounded length": ("M", "v"),
    "inverse of a bordered matrix": ("k", "v"),
    "forms lie above the least eigenvalue": ("u",),
    "eigenvalues of M M^T and of M^T M": ("M",),
    "Gram matrix": ("F",),
}
STEPS = [(d, k) for d in all_derivations() for k, step in enumerate(d.steps) if step.fact in CHECKED]
S, P, p, Pt, pt, vt, v = (letter(name) for name in ("S", "Phi", "phi", "Phi^T", "phi^T", "vt", "v"))
c = sp.Symbol("c", real=True)


@pytest.mark.parametrize(
    ("array", "transposed", "written"),
    [
        (P * S * p, pt * S * Pt, True),
        (S * v, transpose(v) * S, True),
        (S * v, transpose(S * v), True),
        (c * S * v + p, pt + c * vt * S, True),
        (Pt * v, vt * P, True),
        (vt, v, True),
        (sp.Integer(3), sp.Integer(3), True),
        (P * S * p, pt * Pt * S, False),
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
