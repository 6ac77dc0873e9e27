"""That the rules of block algebras are said by premises, and not by the proof that wants them."""

from dataclasses import replace

import pytest
import sympy as sp
from whole_proofs import define, derivation, infer, passes

from ndis_verify.court.proof_structure import problems
from ndis_verify.exact_number import InputError
from ndis_verify.statements.reading import statement
from ndis_verify.statements.statement import vector
from ndis_verify.symbolic import all_derivations
from ndis_verify.symbolic.block_algebra import BlockAlgebra, letter, without_rules
from ndis_verify.symbolic.derivation import Conclusion, Hypothesis, Step, Use, steps_in
from ndis_verify.symbolic.fact_steps import by_fact
from ndis_verify.symbolic.facts import FACTS
from ndis_verify.symbolic.normal_images import R, Ri
from ndis_verify.symbolic.notation import scalar, transpose
from ndis_verify.symbolic.typeset import side_tex

X, Y, w, u, v = (letter(name) for name in "XYwuv")
wt, ut, vt = (transpose(one) for one in (w, u, v))
zero, one = sp.Integer(0), sp.Integer(1)
s = sp.Symbol("s", real=True)
_AT = sp.Matrix([3, 4])
_NOTE = Step("note", "X and w are letters.", lhs=sp.UnevaluatedExpr(one) + 1, rhs=sp.Integer(2))
_SAID = Step("note", "X and w are letters.", kind="definition")
_NOTHING = statement("w^T w = 0", over=(vector("w", "reals", 2, -1, 1),))


def _algebra(rules, given=("note",), **at):
    model = {X: sp.eye(2), Y: sp.eye(2), w: _AT, wt: _AT.T, u: _AT, ut: _AT.T} | {letter(k): m for k, m in at.items()}
    return BlockAlgebra(rules, model, given)


def _by(name, left, right, algebra, *premises):
    return Step(name, "", lhs=left, rhs=right, algebra=algebra, premises=premises or ("note",))


def _kept():
    return _algebra({(X, w): w})


def _lost(**at):
    return _algebra({(X, w): zero}, **({"X": sp.zeros(2, 2)} | at))


def _part(steps):
    return replace(derivation(steps, {}), concludes=(Conclusion("CLAIM", steps[-1].name, part="a part"),))


@pytest.mark.parametrize("note", [_NOTE, _SAID], ids=["a step about something else", "words"])
def test_two_sets_of_rules_do_not_prove_that_every_vector_is_0(note):
    steps = (
        note,
        _by("one", w, X * w, _kept()),
        _by("two", X * w, zero, _lost()),
        infer("end", scalar(wt * w), "=", zero, "one", "two"),
    )
    assert not passes(_NOTHING, steps, {"w": w})
    found = problems(derivation(steps, {"w": w}))
    assert "step 'one': no premise says the rule X*w = w" in found
    assert "step 'one': X is another one in the model of step 'two'" in found


def test_words_do_not_say_that_a_variable_is_0():
    at = {"w": sp.zeros(2, 1), "Y": sp.eye(2)}
    algebra = BlockAlgebra(
        {(Y, X): one, (X, w): zero}, _lost(**at).model | {X: sp.eye(2), wt: sp.zeros(1, 2)}, ("note",)
    )
    assert algebra.consistent()
    steps = (
        Step("note", "X, Y and w are letters.", kind="definition"),
        _by("w", w, Y * X * w, algebra),
        _by("0", X * w, zero, algebra),
        infer("end", scalar(wt * w), "=", zero, "w", "0"),
    )
    assert not passes(_NOTHING, steps, {"w": w})


def test_a_lemma_of_a_part_may_not_bring_a_rule_in():
    """Words are enough for a part, and for nothing that rests on it."""
    lemma = replace(_part((_SAID, _by("lost", X * w, zero, _lost()))), id="a.lemma")
    assert problems(lemma) == [] and lemma.proved
    use = Use("lost", of=lambda: lemma, between=(wt, one))
    end = replace(infer("end", scalar(wt * X * w), "=", zero, use), algebra=without_rules((X, w, wt)))
    assert "lemma a.lemma, step 'lost': no premise says the rule X*w = 0" in " ".join(problems(derivation((end,), {})))


@pytest.mark.parametrize(
    ("rules", "premise"),
    [
        ({(wt, w): s}, define(s, scalar(wt * w))),
        ({(X, w): v}, define(v, X * w)),
        ({(wt, transpose(X)): vt}, define(v, X * w)),
        ({(transpose(transpose(X)), w): v}, define(v, X * w)),
    ],
    ids=["a number", "a vector", "its transpose", "twice transposed"],
)
def test_definitions_say_rules(rules, premise):
    ((word, value),) = rules.items()
    algebra = BlockAlgebra(
        rules, {X: sp.eye(2), transpose(X): sp.eye(2), w: _AT, wt: _AT.T, v: _AT, vt: _AT.T, s: sp.Integer(25)}
    )
    end = _by("end", 2 * sp.Mul(*word), 2 * value, algebra, premise.name)
    proof = derivation((premise, end), {})
    assert problems(proof) == [] and proof.proved
    assert problems(derivation((premise, replace(end, premises=())), {})) != []


def test_marks_of_transposes_are_no_rules():
    wm, turned = letter("wt"), letter("Xt")
    model = {w: _AT, wm: _AT.T, wt: _AT.T, turned: sp.eye(2), transpose(turned): sp.eye(2), X: sp.eye(2)}
    for word, value, said in (((wt,), wm, True), ((transpose(turned),), X, True), ((turned,), X, False)):
        end = _by("end", 2 * sp.Mul(*word), 2 * value, BlockAlgebra({word: value}, model), "note")
        assert (problems(derivation((_SAID, end), {})) == []) is said


def test_hypotheses_say_rules_of_variables():
    Q = letter("Q")
    turn = sp.Matrix([[3, -4], [4, 3]]) / 5
    model = {Q: turn, transpose(Q): turn.T, w: _AT, wt: _AT.T}
    orthogonal = Hypothesis("Q^T Q = I", sp.Eq(transpose(Q) * Q, 1))
    sides = (scalar(wt * transpose(Q) * Q * w), scalar(wt * w))
    said = _by("end", *sides, BlockAlgebra({(transpose(Q), Q): one}, model), Use("Q^T Q = I"))
    assert problems(derivation((said,), {"Q": Q, "w": w}, (orthogonal,))) == []
    other = _by("end", sides[0], 2 * sides[1], BlockAlgebra({(transpose(Q), Q): 2}, model), Use("Q^T Q = I"))
    found = problems(derivation((other,), {"Q": Q, "w": w}, (orthogonal,)))
    assert any("no premise says the rule" in text for text in found)
    assert any("do not hold in their model" in text for text in found)


@pytest.mark.parametrize(
    ("note", "given", "said"),
    [
        (_SAID, ("note",), True),
        (_SAID, (), False),
        (Step("note", "Xw is a letter.", kind="definition"), ("note",), False),
        (_NOTE, ("note",), False),
    ],
    ids=["words that name the letters", "nothing", "words about others", "a step that is decided"],
)
def test_words_of_a_part_speak_of_the_letters(note, given, said):
    proof = _part((note, _by("end", X * w, w, _algebra({(X, w): w}, given))))
    assert (problems(proof) == []) is said


def test_a_rule_of_variables_alone_is_not_said_in_words():
    proof = _part((_SAID, _by("end", X * w, w, _kept())))
    ends = tuple(replace(end, symbols={"X": X, "w": w}) for end in proof.concludes)
    assert problems(replace(proof, concludes=ends)) == ["step 'end': no premise says the rule X*w = w"]


def test_no_rule_of_the_ledger_that_a_compared_relation_rests_on_is_in_words():
    for proof in all_derivations():
        if any(not end.part for end in proof.concludes):
            algebras = [one.algebra for step in proof.steps for one in steps_in(step) if one.algebra is not None]
            assert not any(algebra.rules for algebra in algebras if algebra.given), proof.id


@pytest.mark.parametrize("name", ["R S R", "R v", "v^T R", "w^T w"])
@pytest.mark.parametrize("p", [sp.Integer(2), sp.Integer(-1)])
def test_no_record_has_a_leverage_outside_of_0_and_1(name, p):
    letters = {"p": p, "S": letter("S"), "R": X, "v": v, "v^T": vt, "w": w, "w^T": wt}
    shown = [Step(k, "", lhs=abs(p), rhs=zero, relation=">", witness=abs(p)) for k in ("least", "most")]
    step = by_fact("record", "", f"a record of leverage p, {name}", letters, dict(zip(("least", "most"), shown)))
    step = replace(step, conditions={**step.conditions, "full rank": "of full rank"})
    found = problems(derivation((step,), {}, ("of full rank",)))
    assert any("which is not what shows it" in text for text in found)


def test_letters_of_roots_are_different_letters():
    of_root = "the root of a covariance, R R^{-1}"
    assert FACTS[of_root].instance({"R": X, "inverse": Y}) == (X * Y, "=", 1)
    for letters in ({"R": X, "inverse": X}, {"R": X * Y, "inverse": Y}, {"R": s, "inverse": Y}):
        with pytest.raises(InputError):
            FACTS[of_root].instance(letters)
    turned = {"A": X, "U": letter("U"), "U^T": vt, "diagonal": Y}
    with pytest.raises(InputError, match="must be the transpose"):
        FACTS["spectral theorem, U^T U"].instance(turned)
    words = "S1, S2 symmetric positive definite"
    known = Hypothesis("X = 0", sp.Eq(X, 0))
    root = by_fact("root", "", of_root, {"R": X, "inverse": Y}, {"positive definite": words})
    assert problems(derivation((root,), {}, (words,))) == []
    for proof in (derivation((root,), {"X": X}, (words,)), derivation((root,), {}, (known, words))):
        assert any("is known to be something else" in text for text in problems(proof))


def test_a_product_with_one_entry_begins_and_ends_with_vectors():
    fact = FACTS["a product with one entry is its transpose"]
    letters = {"v": v, "v^T": vt, "X": X, "X^T": transpose(X), "w": w, "w^T": wt}
    assert fact.instance(letters) == (vt * X * w, "=", wt * transpose(X) * v)
    with pytest.raises(InputError, match="must be a vector"):
        fact.instance(letters | {"w": Y, "w^T": transpose(Y)})
    assert fact.instance(letters | {"X^T": X})[1] == ">"  # no instance


def test_the_transpose_of_an_inverse_has_one_exponent():
    assert side_tex(transpose(Ri) * transpose(R)) == r"\left(R^{-1}\right)^{T} R^{T}"
