"""What a name, a lemma, a reduction or a word may bring into a proof: nothing that is decided nowhere."""

import pytest
import sympy as sp
from whole_proofs import define, derivation, infer, passes

from ndis_verify.claim import Outcome
from ndis_verify.court.proof_checks import _verified
from ndis_verify.court.proof_structure import problems
from ndis_verify.exact_number import InputError
from ndis_verify.statements.reading import statement
from ndis_verify.statements.statement import real
from ndis_verify.symbolic import all_derivations
from ndis_verify.symbolic.derivation import Conclusion, Derivation, Hypothesis, Step, Use, steps_in
from ndis_verify.symbolic.fact_steps import by_fact
from ndis_verify.symbolic.facts import FACTS
from ndis_verify.symbolic.notation import average
from ndis_verify.symbolic.suppositions import SUPPOSITIONS

x, t, rho = sp.symbols("x t rho", real=True)
ONE, ZERO = sp.Integer(1), sp.Integer(0)
OVER = (real("x", -3, 3),)


def lemma(name, *steps, hypotheses=(), end="end"):
    return Derivation(
        name, "", (), hypotheses, steps, end, {"x": x, "rho": rho}, concludes=(Conclusion("OTHER", end, {"x": x}),)
    )


def square(name="sq"):
    return Step(name, "", lhs=x**2, rhs=ZERO, relation=">=", witness=x**2)


def root(of, name="a.root"):
    """That `of` - t is 0 at some rho between 0 and `of` + 1."""
    low = Step("low", "", lhs=sp.Integer(of), rhs=ZERO, relation=">=", witness=sp.Integer(of))
    high = Step("high", "", lhs=-ONE, rhs=ZERO, relation="<=", witness=-ONE)
    letters = {"f": of - t, "argument": t, "low": ZERO, "high": sp.Integer(of + 1), "root": rho}
    return lemma(name, low, high, by_fact("end", "", "a value in between", letters, {"low": "low", "high": "high"}))


def test_a_variable_of_the_claim_is_not_defined():
    y = sp.Symbol("y", real=True)
    steps = (define(y, sp.Integer(5)), infer("end", x**2 - x**2 + y**2, "=", sp.Integer(25), "y"))
    assert passes(statement("y^2 = 25", over=(real("y", -9, 9),)), steps, {"y": y}) is False
    named = (define(y, x + 1), infer("end", (x + 1) ** 2 - x**2 - 2 * x, "=", y - x, "y"))
    assert passes(statement("(x + 1)^2 - x^2 - 2 x = 1", over=OVER), (named[0], *named[1:]), {"x": x}) is False
    true = (define(y, x + 1), infer("end", (x + 1) ** 2 - x**2 - 2 * x, "=", (x + 1) - x, "y"))
    assert (
        passes(statement("(x + 1)^2 - x^2 - 2 x = (x + 1) - x", over=OVER), true[1:], {"x": x}) is False
    )  # y is no step


def test_an_inference_inside_of_a_condition_is_decided_whatever_its_name():
    good = infer("good", ONE, "<=", x**2 + 1, Use("sq", weight=-1))
    false = infer("good", x**2 + 1, "<=", -ONE, Use("sq"))
    order = lambda a, b, shown: by_fact(
        f"{a} to {b}", "", "exponentials keep the order", {"a": a, "b": b}, {"order": shown}
    )
    one, other = order(ONE, x**2 + 1, "good"), order(x**2 + 1, -ONE, false)
    end = infer("end", sp.exp(x**2 + 1), "<=", sp.exp(-ONE), other.name, Use(one.name, weight=0))
    proof = derivation((square(), good, one, other, end), {"x": x})
    assert any("is not shown" in text for text in problems(proof)) and _verified(proof).outcome is Outcome.FAILED


def test_all_inferences_of_one_name_in_the_ledger_are_true():
    found = 0
    for proof in all_derivations():
        steps = [one for step in proof.steps for one in steps_in(step) if one.kind == "inference"]
        names = [one.name for one in steps]
        for one in (one for one in steps if names.count(one.name) > 1):
            assert proof.holds(one) is True, (proof.id, one.name)
            found += 1
    assert found


def test_two_lemmas_of_one_id_are_refused():
    good, bad = lemma("a.lemma", square("end")), lemma("a.lemma", Step("end", "", -(x**2) - 1, ZERO, ">=", -(x**2) - 1))
    steps = (
        infer("good", 2 * x**2, ">=", ZERO, Use("end", of=lambda: good, weight=2)),
        infer("end", x**2 + 2, "<=", ZERO, Use("end", of=lambda: bad, weight=-2), Use("good", weight=-ONE / 2)),
    )
    proof = derivation(steps, {"x": x})
    assert "a.lemma is the id of two derivations" in problems(proof)
    assert _verified(proof).outcome is Outcome.FAILED
    own = derivation(
        (infer("end", x**2, ">=", ZERO, Use("end", of=lambda: lemma("a.proof", square("end")))),), {"x": x}
    )
    assert "a.proof is the id of two derivations" in problems(own)


def test_no_derivation_rests_on_itself():
    """The court went round for ever."""
    built = {}
    of = lambda name: Use("end", of=lambda: built[name])
    built["a.one"] = lemma("a.one", infer("end", x, "<=", x + 1, of("a.two")))
    built["a.two"] = lemma("a.two", infer("end", x, "<=", x + 1, of("a.one")))
    assert problems(built["a.one"]) == ["a.one rests on itself"]
    assert problems(built["a.two"]) == ["a.two rests on itself"]


def test_a_lemma_is_asked_for_once():
    """Another one each time: the first is what is looked at, and what is used."""
    false = lemma("a.lemma", Step("end", "", lhs=ONE, rhs=ZERO, relation="<=", witness=-ONE))
    answers = iter((lemma("a.lemma", square("end")), false))
    used = Use("end", of=lambda: next(answers))
    assert used.lemma is used.lemma
    assert derivation((infer("end", x**2, ">=", ZERO, used),), {"x": x}).used(used).lhs == x**2


def test_nothing_is_put_in_the_place_of_what_is_said_to_exist():
    one = root(1)
    assert not problems(one) and one.proved
    steps = (infer("end", 1 + x**2, "=", ZERO, Use("end", of=lambda: one, at={rho: 2 + x**2})),)
    assert passes(statement("x^2 + 1 = 0", over=OVER), steps, {"x": x}) is False
    found = problems(derivation(steps, {"x": x}))
    assert any("rho is said to exist: nothing is put in its place" in text for text in found)


def test_what_two_lemmas_say_to_exist_is_not_one_thing():
    one, two = root(1, "root.1"), root(2, "root.2")
    steps = (
        infer("a", 1 - rho, ">=", ZERO, Use("end", of=lambda: one)),
        infer("b", 2 - rho, "<=", ZERO, Use("end", of=lambda: two)),
        square(),
        infer("end", 1 - x**2, "<=", ZERO, Use("a", weight=-1), Use("b"), Use("sq", weight=-1)),
    )
    assert any("rho is said to exist twice" in text for text in problems(derivation(steps, {"x": x})))
    assert not any("twice" in text for text in problems(derivation(steps[:1], {"x": x})))


def test_what_a_lemma_says_to_exist_is_no_variable_no_name_and_in_no_hypothesis():
    one = root(1)
    end = infer("end", 1 - rho, "<=", ZERO, Use("end", of=lambda: one))
    known = "is known to be something else"
    variable = derivation((end,), {"rho": rho})
    name = derivation((define(rho, sp.Integer(5)), end), {"x": x})
    supposed = derivation((end,), {"x": x}, (Hypothesis("rho > 3", rho > 3),))
    assert all(any(known in text for text in problems(proof)) for proof in (variable, name, supposed))
    assert not any(known in text for text in problems(derivation((end,), {"x": x})))


@pytest.mark.parametrize(
    ("left", "right", "reduce"),
    [
        (sp.Max(x, 2), sp.Integer(2), lambda left, right: (left - right).subs(x, 0)),
        (sp.Max(x, 2), sp.Integer(2), lambda left, right: left - right.subs(2, sp.Max(x, 2))),
        (sp.Abs(x + 5), x + 5, lambda left, right: left.replace(sp.Abs, lambda y: y) - right),
        (sp.Piecewise((x, x < 20), (0, True)), x, lambda left, right: left.args[0][0] - right),
    ],
)
def test_a_reduction_looks_at_every_branch(left, right, reduce):
    proof = derivation((Step("end", "", lhs=left, rhs=right, reduce=reduce),), {"x": x})
    assert proof.step("end").holds is not False  # by what the reduction makes of it
    assert any("differ somewhere in the domain" in text for text in problems(proof))


def test_a_reduction_that_is_right_in_the_domain_alone():
    p = sp.Symbol("p", positive=True)
    step = Step("end", "", lhs=sp.Abs(1 - p), rhs=1 - p, reduce=lambda left, right: left.args[0] - right)
    proof = derivation((step,), {"p": p}, (Hypothesis("p < 1", p < 1),))
    assert not any("differ somewhere" in text for text in problems(proof))
    assert any("differ somewhere" in text for text in problems(derivation((step,), {"p": p})))


WORDS = "the setting is calm"


@pytest.mark.parametrize(
    ("note", "right"),
    [
        (Step("note", f"Here {WORDS}.", kind="definition"), True),
        (Step("note", f"It is said: {WORDS}, as always.", kind="definition"), True),
        (Step("note", f"Nobody says that {WORDS}.", lhs=(x + 1) ** 2, rhs=x**2 + 2 * x + 1), False),
        (Step("note", "Here the setting is calmer.", kind="definition"), False),
        (Step("note", f"It is not so that {WORDS}.", lhs=sp.Symbol("n"), rhs=ONE, kind="definition"), False),
    ],
)
def test_words_of_a_lemma_are_granted_by_a_setting(note, right):
    whole = lemma("a.lemma", Step("end", "", x**2, ZERO, ">=", x**2, premises=(WORDS,)), hypotheses=(WORDS,))
    end = infer("end", x**2, ">=", ZERO, Use("end", of=lambda: whole, granted={WORDS: "note"}))
    found = problems(derivation((note, end), {"x": x}))
    assert (not any("does not say the hypothesis" in text for text in found)) is right


def test_words_of_a_lemma_are_granted_by_a_hypothesis_that_says_them():
    whole = lemma("a.lemma", Step("end", "", x**2, ZERO, ">=", x**2, premises=(WORDS,)), hypotheses=(WORDS,))
    for given, right in ((f"{WORDS} and warm", True), ("the setting is calmer", False), (f"not {WORDS}", False)):
        end = infer("end", x**2, ">=", ZERO, Use("end", of=lambda: whole, granted={WORDS: given}))
        found = problems(derivation((end,), {"x": x}, (given,)))
        assert (not any("does not say the hypothesis" in text for text in found)) is right, given


def test_a_word_in_a_hypothesis_is_no_condition():
    size, share = sp.Symbol("T", positive=True), sp.Rational(3, 8)
    letters = {"T": size, "r": sp.Integer(2), "s": share}
    room = Step("range", "", lhs=ONE, rhs=2 * share, relation=">", witness=sp.Rational(1, 4))
    for words in ("law p on k points", "T has a law", "T is chi-square with r degrees of freedom, says the law"):
        step = by_fact("end", "", "moment of a chi-square variable", letters, {"law": words, "range": "range"})
        found = problems(derivation((room, step), {"x": x}, (words,)))
        assert any("is in words, which no hypothesis in words says" in text for text in found), words
    assert average(size) != 0


def test_what_is_supposed_in_words_is_a_condition_of_a_fact():
    for fact, condition in SUPPOSITIONS:
        assert condition in FACTS[fact].conditions and condition not in FACTS[fact].required, (fact, condition)
    given = {text for proof in all_derivations() for text in proof.given}
    unused = {text for texts in SUPPOSITIONS.values() for text in texts} - given
    assert not unused


def test_a_step_that_is_replaced_keeps_what_it_is_not_decided_by():
    proof = derivation((square(), infer("end", 2 * x**2, ">=", ZERO, Use("sq", weight=2))), {"x": x})
    assert proof.proved
    with pytest.raises(InputError, match="only a decided step"):
        derivation((Step("a", "", kind="definition"), square("end")), {"x": x}).with_fault("a", ONE)
