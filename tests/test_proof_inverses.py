"""That every matrix whose inverse a proof speaks of has one: a false proof that once passed, and right ones."""

import pytest
import sympy as sp
from whole_proofs import define, infer, passes

from ndis_verify.court.proof_inverses import Definite, of_forms
from ndis_verify.court.proof_signs import Signs
from ndis_verify.statements.reading import statement
from ndis_verify.statements.statement import matrix, vector
from ndis_verify.symbolic.block_algebra import inverse, letter, without_rules
from ndis_verify.symbolic.derivation import Derivation, Hypothesis, Step, Use
from ndis_verify.symbolic.fact_steps import by_fact, from_side
from ndis_verify.symbolic.notation import anything, positive_definite, scalar, transpose

B, X, h, w = (letter(name) for name in "BXhw")
Bt, ht, wt, yt = (transpose(one) for one in (B, h, w, anything))
u, s = sp.Symbol("u", real=True), sp.Symbol("s", positive=True)
zero, one = sp.Integer(0), sp.Integer(1)
ACROSS = Hypothesis("h^T w = 0", sp.Eq(scalar(ht * w), 0))
OVER = (vector("h", "reals", 2, -3, 3), vector("w", "reals", 2, -3, 3))
FORMS = without_rules((h, ht, w, wt, X), (u,))


def _by_the_inverse(Y, left, right, sign):
    """left = right as w = X Y w, where X is the inverse of Y."""
    product = Use("X from the left", between=(sign * wt, w))
    across = (Use(name, between=(-sign * wt * X * h, one)) for name in ("h^T w", "u = 0"))
    return (
        define(u, scalar(ht * w)),
        Step("h^T w", "", ht * w, u, kind="inference", algebra=FORMS, premises=("u",)),
        infer("u = 0", u, "=", zero, "u", Use(ACROSS.text)),
        define(X, inverse(Y)),
        from_side(X, Y, "left", ""),
        Step("by name", "", left, right, kind="inference", algebra=FORMS, premises=(product, *across)),
    )


def test_the_inverse_of_a_square_of_a_vector_is_none():
    """With X h h^T = I, w^T w = w^T X h h^T w, and that is 0."""
    steps = _by_the_inverse(h * ht, scalar(wt * w), zero, -1)
    stated = statement("w^T w = 0", "h^T w = 0", over=OVER)
    assert not passes(stated, (*steps, infer("end", scalar(wt * w), "=", zero, "by name")), {"h": h, "w": w}, (ACROSS,))


def test_with_a_multiple_of_the_identity_it_is_one():
    Y = h * ht + 1
    steps = (
        *_by_the_inverse(Y, scalar(wt * X * w), scalar(wt * w), 1),
        by_fact("X in full", "", "an inverse from one side", {"X": X, "Y": Y}, {"product": "X from the left"}),
        infer("end", scalar(wt * inverse(Y) * w), "=", scalar(wt * w), "X in full", "by name"),
    )
    stated = statement("w^T (h h^T + I)^{-1} w = w^T w", "h^T w = 0", over=OVER)
    assert passes(stated, steps, {"h": h, "w": w}, (ACROSS,))


def _known(*hypotheses, steps=()):
    step = Step("one", "", one, one)
    found = Definite(Derivation("id", "", (), hypotheses, (step,), "one", {}))
    for said in steps:
        found.learn(said)
    return found


def _missing(found, *matrices):
    return [one for one in matrices if list(found.missing(inverse(one), Signs()))]


def test_what_is_definite_as_it_is_written():
    v, free = sp.Symbol("v", nonnegative=True), sp.Symbol("t", real=True)
    good = [Bt * B + s, v * Bt * B + h * ht / 3 + s, s + inverse(s + Bt * B), Bt * inverse(s + B * Bt) * B + s]
    bad = [Bt * B, Bt * B + v, Bt * B - h * ht + s, Bt * B + free, free * Bt * B + s, B * B + s, inverse(Bt * B) + s]
    assert not _missing(_known(), *good)
    assert _missing(_known(), *bad) == bad


def test_what_hypotheses_and_steps_say():
    definite = Hypothesis("B^T B > 0", positive_definite(Bt * B))
    least = Step(
        "least", "", scalar(yt * Bt * B * anything), s * scalar(yt * anything), relation=">=", kind="inference"
    )
    same = Step("same", "", X, Bt * B, kind="fact", fact="a product of blocks, one above the other")
    assert not _missing(_known(definite), Bt * B, Bt * B + h * ht)
    assert not _missing(_known(steps=(least,)), Bt * B, Bt * B + h * ht)
    assert not _missing(_known(definite, steps=(same,)), X)
    assert _missing(_known(definite), Bt * B - h * ht, B * Bt, X)


@pytest.mark.parametrize(
    ("gap", "found"),
    [
        (scalar(yt * Bt * B * anything) - s * scalar(yt * anything), Bt * B - s),
        (scalar(yt * B * h), None),
        (scalar(yt * B * anything) - s, None),
        (scalar(yt * anything) * scalar(yt * B * anything), None),
    ],
)
def test_an_order_of_forms_at_any_vector_is_one_of_matrices(gap, found):
    assert of_forms(gap) == found


def test_a_hypothesis_is_what_the_statement_says():
    """B^T B > 0 of a statement, which says it of B^T B alone."""
    step = by_fact("end", "", "squared length", {"w": h, "w^T": ht}, {}, ("B^T B > 0",))
    over = (OVER[0], matrix("B", 3, 2, -3, 3))
    stated = statement("h^T h >= 0", "B^T B > 0", over=over)
    symbols = {"h": h, "B": B}
    assert passes(stated, (step,), symbols, (Hypothesis("B^T B > 0", positive_definite(Bt * B)),))
    for other in (Bt * B - 1, B * Bt, 2 * Bt * B):
        assert not passes(stated, (step,), symbols, (Hypothesis("B^T B > 0", positive_definite(other)),))
