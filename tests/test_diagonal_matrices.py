"""Diagonal and orthogonal matrices in proofs: what facts say of the one, and where the other may be supposed."""

import pytest
import sympy as sp

from ndis_verify.court.proof_ends import unconcluded
from ndis_verify.court.proof_structure import step_problems
from ndis_verify.exact_number import InputError
from ndis_verify.statements.reading import statement
from ndis_verify.statements.statement import matrix, orthogonal, square, symmetric, vector
from ndis_verify.symbolic.block_algebra import inverse, letter
from ndis_verify.symbolic.derivation import Conclusion, Derivation, Hypothesis, Use
from ndis_verify.symbolic.fact_steps import by_fact, inferred
from ndis_verify.symbolic.facts import FACTS
from ndis_verify.symbolic.notation import diagonal, scalar, transpose
from ndis_verify.symbolic.statement_terms import definitions, expression, quantity
from ndis_verify.symbolic.transposes import is_symmetric

B, U, d, v, y = (letter(name) for name in ("B", "U", "d", "v", "y"))
D = diagonal(d)
ONE = sp.Integer(1)


def test_a_diagonal_matrix_is_its_own_transpose_and_so_is_what_it_is_turned_into():
    assert transpose(D) == D and transpose(D**2) == D**2 and transpose(inverse(D)) == inverse(D)
    assert is_symmetric(U * D * transpose(U)) and is_symmetric(transpose(B) * D * B)
    assert not is_symmetric(U * D) and not is_symmetric(D * diagonal(v))


def test_a_vector_has_a_length_and_a_number_an_absolute_value():
    x = sp.Symbol("x", real=True)
    shapes = {"v": (3,), "x": ()}
    stated = statement("|v| >= |x|", over=(vector("v", "reals", 3, -1, 1), vector("x", "reals", 1, -1, 1)))
    left, right = (expression(side, {"v": v, "x": x}, shapes) for side in stated.claimed.terms)
    assert left == sp.sqrt(scalar(transpose(v) * v)) and right == sp.Abs(x)


@pytest.mark.parametrize("fact", ["the inverse of a diagonal matrix", "the form of the inverse of a diagonal matrix"])
@pytest.mark.parametrize("odd", [{"d": B}, {"d": transpose(v)}, {"d": sp.Symbol("d", positive=True)}, {"d": v + B}])
def test_what_is_no_vector_has_no_diagonal_matrix(fact, odd):
    with pytest.raises(InputError, match="must be a vector"):
        FACTS[fact].instance({"y": y, **odd})


@pytest.mark.parametrize("odd", [{"y": B}, {"y": transpose(v)}, {"y": ONE}, {"y": D * B}])
def test_a_form_is_at_a_vector(odd):
    with pytest.raises(InputError, match="must be a vector"):
        FACTS["the form of the inverse of a diagonal matrix"].instance({"d": d, **odd})


def _of_the_diagonal(entries, supposed):
    """The step that the diagonal matrix of `entries` has an inverse, where `supposed` is a hypothesis."""
    given = Hypothesis("positive", supposed)
    step = by_fact("end", "", "the inverse of a diagonal matrix", {"d": entries}, {"positive": "positive"})
    return list(step_problems(Derivation("id", "title", ("X",), (given,), (step,), "end", {}), 0))


def test_a_diagonal_matrix_has_an_inverse_where_its_own_entries_are_positive():
    entry = lambda vector: quantity("coordinate", vector)
    assert not _of_the_diagonal(d, entry(d) > 0)
    for entries, supposed in ((d, entry(d) >= 0), (d, entry(v) > 0), (d, entry(-d) > 0), (B * d, entry(d) > 0)):
        assert any("condition 'positive'" in text for text in _of_the_diagonal(entries, supposed))


def _turned(supposed, variable):
    """What keeps |U v|^2 from being |v|^2 where `supposed` is a hypothesis of the proof."""
    length, form = scalar(transpose(v) * v), scalar(transpose(v) * transpose(U) * U * v)
    stated = statement("v^T U^T U v = v^T v", over=(variable, vector("v", "reals", 2, -1, 1)))
    step = inferred("end", "", form, "=", length, Use("given", between=(transpose(v), v)))
    end = Conclusion("X", "end", {"U": U, "v": v})
    given = (Hypothesis("given", supposed),)
    proof = Derivation("id", "", ("X",), given, (step,), "end", {"v": v}, concludes=(end,))
    return unconcluded("X", stated, stated.hypothesis_lines, [proof])


def test_a_matrix_is_supposed_to_be_orthogonal_where_the_statement_says_so():
    Ut = transpose(U)
    assert not _turned(sp.Eq(Ut * U, 1), orthogonal("U", 2)) and not _turned(sp.Eq(U * Ut, 1), orthogonal("U", 2))
    for other in (square("U", 2, -1, 1), symmetric("U", 2, -1, 1), matrix("U", 3, 2, -1, 1)):
        assert any("is not one of X" in text for text in _turned(sp.Eq(Ut * U, 1), other))
    for wrong in (sp.Eq(Ut * U, 2), sp.Eq(U, 1), sp.Eq(U * U, 1), sp.Eq(Ut, U), sp.Eq(transpose(B) * B, 1)):
        assert any("is not one of X" in text for text in _turned(wrong, orthogonal("U", 2)))


def test_a_number_in_the_place_of_an_orthogonal_matrix_is_not_supposed_to_be_one():
    """Its square would be 1, and that of a rotation by a right angle is -1."""
    stated = statement("v^T U v = v^T U^T v", over=(orthogonal("U", 2), vector("v", "reals", 2, -1, 1)))
    number = sp.Symbol("u", real=True)
    step = inferred("end", "", number**2, "=", ONE, Use("given"))
    end = Conclusion("X", "end", {"U": number, "v": v})
    given = Hypothesis("given", sp.Eq(number**2, 1))
    proof = Derivation("id", "", ("X",), (given,), (step,), "end", {"u": number}, concludes=(end,))
    assert any("is not one of X" in text for text in unconcluded("X", stated, stated.hypothesis_lines, [proof]))


def test_a_cosine_of_a_statement_is_in_letters():
    stated = statement(
        "v^T diag(d)^{-1} v = sum_i (c_i^2 |v|^2/d_i)",
        *("d_i > 0", "|v| > 0"),
        where={"c": "v/|v|"},
        over=(vector("d", "reals", 3, 1, 2), vector("v", "reals", 3, -1, 1)),
    )
    known = definitions(stated, {"d": d, "v": v})
    left, right = (expression(side, known, stated.shapes) for side in stated.claimed.terms)
    length = sp.sqrt(scalar(transpose(v) * v))
    cosine = quantity("coordinate", v / length)
    assert left == scalar(transpose(v) * inverse(D) * v)
    assert right == quantity("sum", cosine**2 * length**2 / quantity("coordinate", d))
