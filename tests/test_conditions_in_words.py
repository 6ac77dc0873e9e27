"""Conditions of facts that are words: a proof that concludes may take them from a hypothesis that says them alone."""

from dataclasses import replace

import pytest
import sympy as sp

from ndis_verify.court.proof_structure import is_in_words, problems, step_problems
from ndis_verify.exact_number import InputError
from ndis_verify.symbolic import all_derivations
from ndis_verify.symbolic.block_algebra import letter
from ndis_verify.symbolic.derivation import Hypothesis, Step, steps_in
from ndis_verify.symbolic.facts import FACTS
from ndis_verify.symbolic.learning import deviation
from ndis_verify.symbolic.least_split import least_split
from ndis_verify.symbolic.least_squares_distance import distance_of_divergences
from ndis_verify.symbolic.logistic_limit import logistic_approached
from ndis_verify.symbolic.ndis_lemma import hockey_stick, log_density_ratio
from ndis_verify.symbolic.notation import average, bin_of_sum, fitted, resketched, scalar, sketched, transpose, x
from ndis_verify.symbolic.score_auditing import set_limits
from ndis_verify.symbolic.trade_off_limits import lower_bound
from ndis_verify.symbolic.transposes import is_form

zero, one = sp.Integer(0), sp.Integer(1)


def _with(derivation, name, hypotheses=(), before=(), **changed):
    """The derivation with another step of that name, further hypotheses, and steps before all others."""
    step = derivation.step(name)
    steps = (*before, *(replace(one, **changed) if one is step else one for one in derivation.steps))
    return replace(derivation, steps=steps, hypotheses=(*derivation.hypotheses, *hypotheses), faults=())


def _said(derivation, name):
    """What is wrong with one of its steps."""
    k = next(k for k, step in enumerate(derivation.steps) if step.name == name)
    return "; ".join(step_problems(derivation, k))


def _shown(derivation, name, condition, shown, **more):
    conditions = {**derivation.step(name).conditions, condition: shown}
    return _said(_with(derivation, name, conditions=conditions, **more), name)


@pytest.mark.parametrize(
    ("words", "right"),
    [
        ("sets fixed by other rows", True),
        ("a test fixed before the samples are drawn", False),
        ("a test chosen before the samples are drawn", False),
        (Hypothesis("a fixed number is positive", sp.Symbol("w") > 0), False),
    ],
)
def test_a_condition_in_words_is_a_hypothesis_that_is_known_to_say_it(words, right):
    text = words.text if isinstance(words, Hypothesis) else words
    found = _shown(lower_bound(), "Clopper-Pearson", "fixed", text, hypotheses=(words,))
    assert ("which no hypothesis in words says" in found) is not right


def test_neither_a_definition_nor_a_relation_says_a_condition_in_words():
    words = Step("words", "The test is fixed, and the draws are independent.", kind="definition")
    decided = Step("fixed", "", sp.UnevaluatedExpr(one), one)
    for step in (words, decided):
        found = _shown(lower_bound(), "Clopper-Pearson", "fixed", step.name, before=(step,))
        assert "'fixed' is in words" in found, step.name


def test_all_conditions_in_words_of_proofs_that_conclude_would_be_missed():
    seen = 0
    for derivation in all_derivations():
        for step in derivation.steps if derivation.concludes else ():
            for inner in steps_in(step):
                fact = FACTS.get(inner.fact)
                words = [name for name in inner.conditions if fact and is_in_words(fact, inner.letters, name)]
                seen += len(words)
                if words and inner is step:
                    note = Step("a note", f"It is {words[0]}.", kind="definition")
                    assert "is in words" in _shown(derivation, step.name, words[0], note.name, before=(note,))
    assert seen > 5


def test_a_matrix_that_is_not_symmetric_has_no_rayleigh_quotients():
    """[[1, 9], [0, 1]]: no form is above 5.5, the eigenvalues are 1."""
    u, ut, S, E, Et = (letter(name) for name in ("u", "u^T", "S", "E", "E^T"))
    assert not is_form(S, one, scalar(ut * S * u))
    assert not is_form(Et * S * E, one, scalar(ut * Et * S * E * u))
    assert is_form(Et * E, one, scalar(ut * Et * E * u))
    noise = FACTS["eigenvalues of a matrix with noise"]
    for wrong in ({"S": S, "c": one}, {"S": Et * E, "c": S}):
        with pytest.raises(InputError):
            noise.instance(wrong)


def test_the_identity_is_said_to_be_definite_by_1_above_0():
    required = FACTS["eigenvalues follow Rayleigh quotients"].required
    assert required["definite"]({"T": one}) == (one, ">", zero)
    assert required["other definite"]({"T'": -one}) == (-one, ">", zero)  # which no step shows


@pytest.mark.parametrize("fact", ["a divergence by way of a third law", "total variation in either order"])
def test_laws_are_on_one_space(fact):
    p, q, d, e, r = sp.symbols("p q d e r", positive=True)
    at = {"a": zero, "b": zero, "P": sketched(p, q, d, r), "Q": fitted(p, q, d, r), "R": resketched(p, q, d, r)}
    assert FACTS[fact].instance(at)
    for other in (fitted(p, q, e, r), sp.Symbol("Q"), sp.Function("any")(p, q, d, r)):
        with pytest.raises(InputError, match="one space"):
            FACTS[fact].instance({**at, "Q": other})
    assert problems(distance_of_divergences()) == []


def test_only_the_density_of_the_first_law_is_that_of_the_image():
    step = hockey_stick().step("expectation under P")
    q = sp.Function("q", positive=True)(x)
    for wrong in ({"p": q}, {"image": letter("z")}):
        with pytest.raises(InputError, match="image"):
            FACTS[step.fact].instance({**step.letters, **wrong})
    for name in ("covariance", "invertible"):
        assert "which is not what shows it" in _shown(hockey_stick(), step.name, name, "density of P")


def test_a_matrix_is_diagonalised_that_is_its_own_transpose():
    """With the transpose of another matrix shown, and of one that is none."""
    lemma = log_density_ratio()
    letters = {**lemma.step("U diagonalises A").letters, "A": letter("R") * letter("K")}
    rhs = letters["diagonal"]
    lhs = letters["U^T"] * letters["A"] * letters["U"]
    found = _said(_with(lemma, "U diagonalises A", letters=letters, lhs=lhs, rhs=rhs), "U diagonalises A")
    assert "which is not what shows it" in found
    assert transpose(letters["A"]) != letters["A"]


@pytest.mark.parametrize("change", ["put", "formula", "moved"])
def test_bounded_differences_are_of_one_draw_in_the_place_of_another(change):
    """No mass moved at all, a function of other draws as well, another change than the draw makes."""
    proof = deviation()
    step = proof.step("bounded differences")
    if change == "put":
        with pytest.raises(InputError, match="two unknown functions"):
            FACTS[step.fact].instance({**step.letters, "put": step.letters["taken"]})
        return
    if change == "moved":
        assert "'moved' is" in _shown(proof, step.name, "moved", "change")
        return
    other = sp.Function("q_hat", real=True)(bin_of_sum)
    drawn = Step(
        *("mean of q^", "", average(other), one),
        kind="fact",
        fact="mean of a share",
        letters={"share": other, "mass": one},
        conditions={"draws": "n independent draws"},
    )
    letters = {**step.letters, "formula": step.letters["formula"].subs(step.letters["share"], other)}
    found = _said(_with(proof, step.name, letters=letters, before=(drawn,)), step.name)
    assert "is drawn, and 'formula' is of the draws of" in found


def test_a_set_misses_what_it_leaves_of_the_other_law():
    step = set_limits().step("its point")
    left, sign, right = FACTS[step.fact].instance(step.letters)
    assert (left, sign, right) == (step.lhs, "<=", step.rhs) and right.has(step.letters["p"], step.letters["set"])
    for name in ("first", "second", "size"):
        assert "which is not what shows it" in _shown(set_limits(), step.name, name, "x >= 0")


def test_the_limits_are_within_the_region_that_the_supremum_goes_over():
    proof = logistic_approached()
    name = "approached, first law first"
    letters = proof.step(name).letters
    for wrong in ({"edge": 2 * letters["edge"]}, {"first": letters["second"]}, {"between edge": letters["second"]}):
        changed = _with(proof, name, letters={**letters, **wrong})
        assert _said(changed, name), wrong


@pytest.mark.parametrize(
    "jump", [sp.Function("g", nonnegative=True), sp.floor, sp.sign, lambda e: sp.Piecewise((e, e > 1), (zero, True))]
)
def test_what_a_supremum_is_of_jumps_nowhere(jump):
    """The hypothesis names cov alone, and no function that has a jump."""
    proof, name = least_split(), "supremum without jumps, first path"
    step = proof.step(name)
    (e, _) = step.letters["f"].args
    letters = {**step.letters, "f": jump(e)}
    left, sign, right = FACTS[step.fact].instance(letters)
    changed = _with(proof, name, letters=letters, lhs=left, rhs=right, relation=sign)
    assert "which may jump" in _said(changed, name)


def test_an_infimum_has_no_jump_where_what_it_is_of_has_none():
    """x v/(x^2 + v^2) has no jump in v at any x, and its least value has: a limit at each x shows nothing."""
    proof, name = least_split(), "infimum without jumps, first path"
    conditions = {"continuous": "covariance term without jumps, second path"}
    assert "which may jump" in _said(_with(proof, name, conditions=conditions), name)
    assert "which may jump" in _said(_with(proof, name, premises=()), name)
