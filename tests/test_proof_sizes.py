"""That arrays of a proof fit together: false proofs that once passed, and the same where the sizes are right."""

import pytest
import sympy as sp
from whole_proofs import define, derivation, infer, passes

from ndis_verify.court.proof_sizes import misfit
from ndis_verify.court.proof_structure import problems
from ndis_verify.statements.reading import statement
from ndis_verify.statements.statement import matrix, vector
from ndis_verify.symbolic.block_algebra import inverse, letter, without_rules
from ndis_verify.symbolic.derivation import Hypothesis, Step, Use
from ndis_verify.symbolic.fact_steps import by_fact
from ndis_verify.symbolic.notation import scalar, transpose
from ndis_verify.symbolic.statement_terms import quantity

B, C, h, w = (letter(name) for name in "BChw")
Bt, ht, wt = (transpose(one) for one in (B, h, w))
u, q = sp.symbols("u q", real=True)
zero, one = sp.Integer(0), sp.Integer(1)
ACROSS = Hypothesis("h^T w = 0", sp.Eq(scalar(ht * w), 0))
PAIR = (vector("h", "reals", 2, -3, 3), vector("w", "reals", 2, -3, 3))
FORMS = without_rules((B, Bt, h, ht, w, wt), (u, q))


def _named(name, product):
    """A product is the number that it is called."""
    return (
        define(name, scalar(product)),
        Step(f"{name} in letters", "", product, name, kind="inference", algebra=FORMS, premises=(str(name),)),
    )


def _across(product, number):
    """h^T product w = number h^T w = 0."""
    return (
        *_named(u, ht * w),
        infer("u = 0", u, "=", zero, "u", Use(ACROSS.text)),
        *_named(number, product),
        Step(
            "end",
            "",
            scalar(ht * product * w),
            zero,
            kind="inference",
            algebra=FORMS,
            premises=(
                Use(f"{number} in letters", between=(ht, w)),
                *(Use(name, between=(number, one)) for name in ("u in letters", "u = 0")),
            ),
        ),
    )


def _columns(first, second):
    """C^T C + R has as many columns as C, and is B^T B."""
    words = Step("words", "Of the size.", kind="definition")
    fact, count = "columns of a matrix of products", lambda of: quantity("columns", of)
    return (
        words,
        by_fact(
            "one", "", fact, {"B": second, "R": transpose(first) * first - transpose(second) * second}, {}, ("words",)
        ),
        by_fact("other", "", fact, {"B": first, "R": zero}, {}, ("words",)),
        infer("turned", count(second), "=", count(transpose(first) * first), "one"),
        infer("end", count(first), "=", count(second), "turned", "other"),
    )


SIZES = {  # a statement, its proof, and that of the same steps where it is right
    "a matrix as a number": (
        statement("h^T B^T B w = 0", "h^T w = 0", over=(*PAIR, matrix("B", 2, 2, -3, 3))),
        _across(Bt * B, q),
        {"h": h, "w": w, "B": B},
        (ACROSS,),
    ),
    "columns of any two matrices": (
        statement("cols(B) = cols(C)", over=(matrix("B", 3, 2, -3, 3), matrix("C", 2, 3, -3, 3))),
        _columns(B, C),
        {"B": B, "C": C},
        (),
    ),
}
RIGHT = statement("cols(B) = cols(C)", over=(matrix("B", 3, 2, -3, 3), matrix("C", 2, 2, -3, 3)))


@pytest.mark.parametrize("name", SIZES)
def test_what_does_not_fit_together_proves_nothing(name):
    stated, steps, symbols, hypotheses = SIZES[name]
    proof = derivation(steps, symbols, hypotheses)
    assert proof.proved and not problems(proof)
    assert not passes(stated, steps, symbols, hypotheses)


def test_where_the_sizes_are_right_it_is_a_proof():
    assert passes(RIGHT, SIZES["columns of any two matrices"][1], {"B": B, "C": C})


@pytest.mark.parametrize(
    ("side", "fits"),
    [
        (Bt * B, True),
        (B * Bt, True),
        (B * B, False),
        (B + Bt, False),
        (Bt * B + 1, True),
        (B + 1, False),
        (B * h, True),
        (Bt * h, False),
        (ht * B, False),
        (scalar(ht * Bt * B * h), True),
        (scalar(Bt * B), False),
        (scalar(ht * h), True),
        (scalar(h * ht), False),
        (inverse(Bt * B + 1), True),
        (inverse(B), False),
        (quantity("above", B, ht), True),
        (quantity("above", B, h), False),
        (quantity("beside", B, letter("v")), True),
        (quantity("beside", B, h) * letter("v"), False),
        (transpose(quantity("above", B, ht)) * quantity("above", C, ht), True),
        (transpose(quantity("above", B, ht)) * quantity("above", ht, C), True),
        (transpose(quantity("above", B, ht)) * quantity("above", C, C), False),
    ],
)
def test_which_arrays_fit(side, fits):
    """B and C of 3 rows and 2 columns, h of 2 entries, v of any."""
    shapes = {"B": (3, 2), "C": (3, 2), "h": (2,)}
    proof = derivation((Step("end", "", side, side - side),), {})
    assert (misfit(proof, {"B": B, "C": C, "h": h}, shapes) == "") is fits


def test_a_letter_that_is_written_as_a_transpose_is_no_variable():
    """g^T of two names would be one vector and another one's transpose."""
    g, gt = letter("g"), letter("gt")
    stated = statement("a^T a >= 0", over=(vector("a", "reals", 2, -3, 3),))
    for symbol, right in ((g, True), (gt, False)):
        length = Step("end", "", scalar(transpose(symbol) * symbol), zero, ">=", kind="fact", fact="squared length")
        step = by_fact("end", "", "squared length", {"w": g, "w^T": transpose(g)}, {}, ("words",))
        steps = (Step("words", "Real.", kind="definition"), step if right else length)
        assert passes(stated, steps, {"a": symbol}) is right
