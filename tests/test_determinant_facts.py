"""Facts of determinants and sizes: of which matrices they say nothing, and that they are true of numbers."""

import numpy as np
import pytest
import sympy as sp

from ndis_verify.court.proof_structure import step_problems
from ndis_verify.symbolic.block_algebra import inverse, letter
from ndis_verify.symbolic.derivation import Derivation, Step
from ndis_verify.symbolic.fact_steps import by_fact
from ndis_verify.symbolic.facts import FACTS
from ndis_verify.symbolic.notation import det, transpose
from ndis_verify.symbolic.statement_terms import quantity

B, C, v, X = (letter(name) for name in ("B", "C", "v", "X"))
Bt = transpose(B)
NOTHING = (0, ">", 0)
c = sp.Symbol("c", real=True)
ONE = Bt * B + (1 + Bt) * (1 + B) - Bt - B - 2 * Bt * B  # the identity, once it is written out


def columns(matrix):
    return quantity("columns", matrix)


@pytest.mark.parametrize("rest", [1 - Bt * B, -Bt * B, c - Bt * B])
def test_an_identity_has_no_columns_of_its_own(rest):
    """Where B^T B + R is written as a number, B and C of any sizes would have as many columns."""
    assert FACTS["columns of a matrix of products"].instance({"B": B, "R": rest}) == NOTHING
    assert FACTS["columns of a matrix of products"].instance({"B": B, "R": c + v * transpose(v)}) != NOTHING


@pytest.mark.parametrize("odd", [{"Y": B}, {"Y": B * C}, {"Y": ONE}, {"X": ONE}, {"X": c}])
def test_an_inverse_is_of_a_square_matrix_that_is_no_number(odd):
    """A left inverse of a tall matrix has more columns than that."""
    fact, letters = FACTS["columns of an inverse"], {"X": X, "Y": Bt * B}
    assert fact.instance(letters) == (columns(X), "=", columns(Bt * B))
    assert fact.instance(letters | odd) == NOTHING


@pytest.mark.parametrize("odd", [{"A": B}, {"A": B * C}, {"A": ONE}, {"A": c}, {"c": C}, {"c": Bt * B}])
def test_a_multiple_is_of_a_square_matrix_and_by_a_number(odd):
    fact, letters = FACTS["determinant of a multiple"], {"c": c, "A": inverse(Bt * B), "d": columns(B)}
    assert fact.instance(letters) == (det(c * inverse(Bt * B)), "=", c ** columns(B) * det(inverse(Bt * B)))
    assert fact.instance(letters | odd) == NOTHING


def test_a_determinant_of_a_multiple_has_the_power_of_the_columns():
    gram = Bt * B
    size = by_fact("size", "", "columns of a matrix of products", {"B": B, "R": sp.Integer(0)}, {}, ("given",))
    for d, right in ((columns(B), True), (columns(C), False), (columns(B) - 1, False), (sp.Integer(1), False)):
        step = by_fact("end", "", "determinant of a multiple", {"c": c, "A": gram, "d": d}, {"size": "size"})
        proof = Derivation("id", "title", ("X",), ("given",), (size, step), "size", {"B": B})
        assert (not list(step_problems(proof, 1))) is right
    matrix = np.array([[2.0, 1.0, 0.0], [0.0, 3.0, 1.0], [1.0, 1.0, 2.0], [0.0, 1.0, 1.0]])
    for number in (-2.0, 0.0, 0.5):
        found = np.linalg.det(number * matrix.T @ matrix)
        assert found == pytest.approx(number**3 * np.linalg.det(matrix.T @ matrix), rel=1e-12, abs=1e-12)


def test_a_size_follows_from_a_product_alone():
    other = Step("other", "", lhs=X * Bt * B, rhs=sp.Integer(2), kind="definition")
    step = by_fact("end", "", "columns of an inverse", {"X": X, "Y": Bt * B}, {"product": "other"})
    proof = Derivation("id", "title", ("X",), (), (other, step), "end", {"B": B})
    assert any("condition 'product'" in text for text in step_problems(proof, 1))
