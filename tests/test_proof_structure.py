"""Proofs end in their claims: premises, facts, conclusions, and what is noticed when one of them is not there."""

from __future__ import annotations

from dataclasses import replace

import pytest
import sympy as sp

from ndis_verify.claim import Claim, Kind, Verdict
from ndis_verify.claims.ledger import all_claims, find
from ndis_verify.court.proof_checks import ProofRun, proof
from ndis_verify.court.proof_ends import concluded, unconcluded
from ndis_verify.court.proof_faults import faults_by_rule, noticed
from ndis_verify.court.proof_paths import lemmas
from ndis_verify.court.proof_structure import problems
from ndis_verify.court.statement_checks import mismatches, missing_link, what_stands
from ndis_verify.statements.mutation import Mutant, mutants
from ndis_verify.statements.reading import statement
from ndis_verify.statements.statement import matrix, real, vector
from ndis_verify.symbolic import all_derivations, generalized_chi2, hinge, mean_shift, ndis_lemma, soft_sets
from ndis_verify.symbolic.block_algebra import BlockAlgebra, letter
from ndis_verify.symbolic.derivation import DECIDED, Conclusion, Derivation, Hypothesis, Step, Use
from ndis_verify.symbolic.facts import FACTS
from ndis_verify.symbolic.notation import anything, scalar, transpose
from ndis_verify.symbolic.special_functions import Phi
from ndis_verify.symbolic.unknowns import follows

CLOSED_FORM = find("N26-P1").stated

# Derivations that conclude nothing: a contour integral, which the language does not have, is another route to a number.
SILENT = {"moment_generating.single_integral(2)"}

# Claims whose proofs end in the statement, as a machine compares both. Nothing leaves this list.
COMPARED = {
    "BW-T5",
    *("N26-P1", "N24-C4", "N24-C5", "N24-L2", "N24-P6", "N24-P7", "N24-T5-worst-case", "N24-6.3-worst-case"),
    *("N26-L1", "N26-L2-corrected", "N26-L3", "N26-L4", "N26-P2", "N26-P3", "N26-P4", "N26-T4.1", "N26-T5.3"),
    *("N26-T6.1-corrected", "N24-6.3-exact-law", "N24-6.3-worst-record"),
    *("N24-P1", "N24-P3", "N24-P12", "N24-P8", "BW-Alg1", "BW-L7", "BW-T1", "BW-T8", "BW-T10"),
    *("KM-2.3", "KM-4.1", "KM-4.2", "KM-4.3"),
    *("KM-7.2", "KM-C4.5", "KM-J.1-corrected", "KM-S3-corrected", "KM-eq2.4", "KM-eq3.1"),
    *("KM-2.2", "KM-2.7", "KM-Alg1", "KM-Alg2-corrected", "N26-Fig3"),
    *("N26-T5.1", "N26-Fig1", "N24-T3", "N24-C7", "N24-Fig8"),
    *("N26-D6-exact", "N26-D6-joint", "N26-Pr7-joint", "N26-Pr8-joint", "N26-Pr8-joint-attained"),
    "N24-Fig3",  # with what stands of it
    *("N26-T5.4", "N26-T5.4-smaller-ridge", "N26-Fig4", "N26-Fig1-smallest-ridge"),
    *("BW-L3", "BW-L6", "BW-T2", "BW-T4-corrected", "BW-T9", "KM-2.8", "KM-2.8-pairs", "KM-7.1", "KM-Alg2"),
    *("KM-C8.2-corrected", "KM-CI-corrected", "KM-S7-interval-corrected", "N24-C1", "N24-D6-neighbourhood"),
    *("N24-F1", "N24-Fig12-least-ridge", "N24-Fig2", "N24-P10", "N24-P13", "N24-P14", "N24-P2", "N24-P5"),
    *("N24-P9", "N24-T2", "N24-T7", "N26-D6-corrected", "N26-F1", "N26-Pr6", "N26-Pr7-smaller-n", "N26-T4.2-corrected"),
    *(
        "N26-T7.1",
        "SL-1",
        "SL-2",
        "SL-2-pure",
        "SL-2-tail",
    ),
    *("N26-P2-sharp",),
    *(
        "N26-Fig2",
        "N26-Fig2-every-epsilon",
        "N26-L2",
        "N26-Pr7",
        "N26-Pr7-improved",
        "N26-T4.2",
    ),
    *("N26-L3-two-eigenvalues", "N26-L3-three-eigenvalues", "N26-Pr8", "N26-Pr8-improved", "N26-P5-corrected"),
    *("N24-TabII-same-noise", "N24-P4", "SL-3", "N24-T1", "N24-F2", "N24-P15", "N24-Fig14", "N24-Fig7-monotone"),
    *("BW-T1-every-epsilon", "BW-T4", "BW-T4-range", "KM-6.1", "KM-AppC-gdp"),
    "KM-AppC",  # where D = l
    *(
        "N24-6.3-distance",
        "N24-Fig5",
        "BW-Fig1-monotone",
        "KM-6.1-any-attack-corrected",
        "KM-AppC-corrected",
        "N26-D6-vertex",
    ),
}


def _concluding() -> list[Derivation]:
    return [derivation for derivation in all_derivations() if derivation.concludes]


def test_every_derivation_says_what_it_concludes() -> None:
    """No proof rests on another one, nor stands for a claim, on its word."""
    silent = {derivation.id for derivation in all_derivations() if not derivation.concludes}
    assert silent == SILENT
    assert [text for one in all_derivations() if one.id in silent for text in problems(one)] == []
    proofs = {one.id for claim in all_claims() for own in _proofs(claim) for one in (own, *lemmas(own).values())}
    assert not silent & proofs


def _proofs(claim: Claim) -> list[Derivation]:
    return [c.run.derive() for c in claim.checks if isinstance(c.run, ProofRun) and c.kind is Kind.PROOF]


def test_the_claims_whose_proofs_are_compared_with_their_statements_only_grow() -> None:
    """The others that are stated and conclude do it in parts: that these are the statement is an argued step."""
    proved = [claim for claim in all_claims() if claim.stated is not None and _proofs(claim)]
    assert {claim.id for claim in proved if not missing_link(claim)} == COMPARED
    in_parts = {claim.id for claim in proved if all(one.concludes for one in _proofs(claim)) and missing_link(claim)}
    assert in_parts == set()


# Hypotheses without which the statement is proved as well.
NEEDLESS = {
    "N26-D6-joint": {"U >= 0"},
    "BW-T8": {"delta >= 0", "delta <= 1"},
    "KM-4.1": {"a >= 0", "b >= 0", "c >= 0", "d >= 0"},
    "KM-2.7": {"x <= 1"},
    "KM-4.2": {"delta < 1", "tau <= 1"},
    "KM-Alg1": {"delta <= 1", "x <= 1"},
    "KM-Alg2-corrected": {"a >= 0", "b <= 1"},
    "N24-6.3-worst-case": {"eps >= 0"},
    "N24-Fig3": {"w < l^2/P", "P < 1"},  # both follow from 0 < w < l^2 (1/P - 1)
    "BW-L6": {"eps >= 0"},
    "KM-CI-corrected": {"tau <= 1", "k >= 2", "n >= k/tau^2"},
    "N26-Fig2-every-epsilon": {"w < 1"},
    "N26-L3-three-eigenvalues": {"lam_i <= 4", "eps <= 2"},
    "N26-L2": {"sum_i |lam_i - 1| <= |sum_i (lam_i - 1)|", "g <= nu/2"},
    "N26-Pr7": {"tr(X^T X) <= rows(X) l^2"},
    "N26-Pr7-smaller-n": {"x <= n l^2"},
    "N26-T4.2": {"sum_i |s_i - 1| <= |sum_i (s_i - 1)|"},
    "N26-T4.2-corrected": {"D > 0"},
    "KM-6.1": {"delta < 1"},  # delta <= TPR - FPR
    "KM-6.1-any-attack-corrected": {"delta < 1"},  # no divergence is more
}
# Faults by rule that say the same.
SAME = {"BW-L6": {"0 for 0 b_i in F_q(0 b_i, b; -eps - D^2/2)"}}


@pytest.mark.parametrize("name", sorted(COMPARED))
def test_another_statement_is_not_what_the_proofs_conclude(name: str) -> None:
    """Every hypothesis left out, and the middle one of the faults by every other rule."""
    claim = find(name)
    stands = what_stands(claim)
    assert stands is not None
    beside = claim.about.split(": ")
    assert not unconcluded(name, stands, (*stands.hypothesis_lines, *beside), _proofs(claim))
    by_rule: dict[str, list[Mutant]] = {}
    for mutant in mutants(stands):
        by_rule.setdefault(mutant.rule, []).append(mutant)
    some = [*by_rule.pop("hypothesis left out", []), *(found[len(found) // 2] for found in by_rule.values())]
    given = {m.fault: (*m.statement.hypothesis_lines, *beside) for m in some}
    kept = {m.fault for m in some if not unconcluded(name, m.statement, given[m.fault], _proofs(claim))}
    assert kept == {f"without {text}" for text in NEEDLESS.get(name, ())} | SAME.get(name, set())


def test_a_restricted_claim_is_compared_with_what_stands_of_it() -> None:
    claim = find("N24-Fig3")
    stands = what_stands(claim)
    assert stands is not None and claim.stated is not None and stands != claim.stated
    assert "w < l^2 (1/P - 1)" in stands.hypothesis_lines and not missing_link(claim)
    # what fails is proved by nothing, and no half is taken of a claim that is not restricted, or of a part that fails
    assert unconcluded(claim.id, claim.stated, claim.hypotheses, _proofs(claim))
    assert what_stands(replace(claim, declared=Verdict.PROVED)) == claim.stated
    assert any("is not one of" in text for text in mismatches(replace(claim, declared=Verdict.PROVED)))
    in_what_fails = tuple(replace(check, part="sigma^2 = l^2/p* is optimal") for check in claim.checks)
    assert what_stands(replace(claim, checks=in_what_fails)) == claim.stated


@pytest.mark.parametrize("name", sorted(COMPARED))
def test_another_last_step_is_no_proof(name: str) -> None:
    claim = find(name)
    ends = [(p, end.step) for p in _proofs(claim) for end in p.concludes if end.claim == name and not end.part]
    assert ends
    for derivation, last in ends:
        step = derivation.step(last)
        others = (2 * step.rhs - step.lhs / 3, step.rhs + sp.Rational(1, 3), step.rhs * sp.Rational(2, 3))
        for rhs in (one for one in others if one != step.rhs):  # 0 is no other number when it is scaled
            moved = replace(step, rhs=rhs)
            steps = tuple(moved if one is step else one for one in derivation.steps)
            names = {str(symbol): symbol for symbol in rhs.free_symbols}
            other = replace(derivation, steps=steps, faults=(), result_step=last, symbols=names)
            given = (*claim.hypotheses, *claim.about.split(": "))
            assert unconcluded(name, what_stands(claim), given, [other]), last


def test_concluding_derivations_hang_together() -> None:
    for derivation in _concluding():
        assert problems(derivation) == [], derivation.id
        assert derivation.proved, derivation.id


def _moved(step: Step, side: str) -> list[Step]:
    """The step with something added to one side."""
    value = getattr(step, side)
    if isinstance(value, sp.MatrixBase):
        return [replace(step, **{side: value + sp.ones(*value.shape)})]
    other = step.rhs if side == "lhs" else step.lhs
    shape = (
        None if step.algebra is None else getattr(step.algebra.evaluate(other if value == 0 else value), "shape", None)
    )
    if shape is None or (value.is_commutative and (value != 0 or shape[0] == shape[1])):
        return [replace(step, **{side: value + sp.Rational(1, 3)})]
    letters = [a for a, model in step.algebra.model.items() if getattr(model, "shape", None) == shape]
    return [replace(step, **{side: value + letter}) for letter in letters]


def test_no_step_ignores_one_of_its_sides() -> None:
    """The right sides of identities are moved in `test_no_identity_step_is_vacuous`, and where neither a reduction nor
    an algebra comes between the sides it is their difference that is decided: one moves it as the other.
    """
    for derivation in _concluding():
        for step in (one for one in derivation.steps if one.kind in DECIDED):
            if step.kind == "identity" and step.reduce is None and step.algebra is None:
                continue
            both = () if step.kind == "identity" else _moved(step, "rhs")
            for moved in (*_moved(step, "lhs"), *both):
                steps = tuple(moved if one is step else one for one in derivation.steps)
                assert replace(derivation, steps=steps, faults=()).holds(moved) is not True, (derivation.id, step.name)


def test_a_step_called_positive_decides_a_sign() -> None:
    for derivation in _concluding():
        for step in derivation.steps:
            if any(word in step.name for word in ("positive", "increasing", "decreasing")):
                assert step.relation != "=" or "definite" in step.name, (derivation.id, step.name)


def test_steps_keep_their_sides_as_they_are_written() -> None:
    """No decided step prints two equal sides."""
    decided = ((d.id, step) for d in all_derivations() for step in d.steps if step.kind in DECIDED)
    assert [(name, step.name) for name, step in decided if str(step.lhs) == str(step.rhs)] == []


def test_faults_of_inferences_by_rule_are_noticed() -> None:
    planted = 0
    for derivation in _concluding():
        for rule, what, fault in faults_by_rule(derivation):
            planted += 1
            assert noticed(fault, derivation), (derivation.id, rule, what)
    assert planted > 120


def test_mutants_of_a_statement_are_not_what_its_proofs_conclude() -> None:
    proofs = [mean_shift.hockey_stick(), mean_shift.no_shift()]
    assert unconcluded("N26-P1", CLOSED_FORM, (), proofs) == []
    kept = [m.fault for m in mutants(CLOSED_FORM) if not unconcluded("N26-P1", m.statement, (), proofs)]
    assert kept == []


def test_a_claim_is_not_proved_by_a_derivation_of_something_else() -> None:
    claim = find("N26-P1")
    others = [check for check in claim.checks if not isinstance(check.run, ProofRun)]
    assert mismatches(claim) == []
    assert any(
        "concludes nothing" in text
        for text in mismatches(replace(claim, checks=(proof("another", hinge.linear_exponent), *others)))
    )
    assert any(
        "no proof concludes" in text
        for text in mismatches(replace(claim, checks=(proof("half", mean_shift.hockey_stick), *others)))
    )


def test_beside_proofs_that_end_in_the_statement_every_other_one_is_a_lemma_of_theirs() -> None:
    """Whether or not it says what it concludes."""
    claim = find("N26-T4.1")
    silent, another = (
        replace(claim, checks=(*claim.checks, proof("one more", derive)))
        for derive in (lambda: replace(generalized_chi2.first_law(), concludes=()), hinge.linear_exponent)
    )
    assert mismatches(claim) == []
    assert mismatches(silent) == ["generalized_chi2.first_law concludes nothing of N26-T4.1"]
    assert mismatches(another) == ["hinge.linear_exponent concludes nothing of N26-T4.1"]
    closed = find("N26-P1")
    assert ndis_lemma.hockey_stick().id in lemmas(mean_shift.hockey_stick())
    assert mismatches(replace(closed, checks=(*closed.checks, proof("a lemma", ndis_lemma.hockey_stick)))) == []


def test_a_proof_emptied_of_its_middle_is_none() -> None:
    whole = mean_shift.hockey_stick()
    ends = (whole.steps[0], whole.step("closed form"))
    assert problems(replace(whole, steps=ends, faults=()))
    jump = replace(ends[1], premises=("divergence",))
    emptied = replace(whole, steps=(ends[0], jump), faults=(), hypotheses=whole.hypotheses[1:])
    assert problems(emptied) == [] and emptied.holds(jump) is False


D, other = sp.symbols("D E", positive=True)
f = sp.Function("f", real=True)


def _derived(*steps: Step, end: str, **more: object) -> Derivation:
    given = {"hypotheses": (), "symbols": {"D": D}, "concludes": (Conclusion("X", end),), **more}
    return Derivation("id", "title", ("X",), steps=steps, result_step=end, **given)  # type: ignore[arg-type]


def _said(*steps: Step, end: str, **more: object) -> str:
    return "; ".join(problems(_derived(*steps, end=end, **more)))


def test_definitions_are_new_names_or_what_the_language_means() -> None:
    step = Step("claimed", "", lhs=sp.Function("mean_shift", real=True)(D, 0), rhs=Phi(D), kind="definition")
    assert "is not what mean_shift means" in _said(step, end="claimed")
    first = Step("first", "", lhs=f(D), rhs=D, kind="definition")
    assert "defined twice" in _said(first, replace(first, name="second", rhs=2 * D), end="second")
    late = Step("late", "", lhs=D, rhs=sp.Integer(1), kind="definition")
    assert "spoken of before" in _said(first, late, end="late")


def test_a_name_has_the_sign_that_the_premise_of_its_definition_gives() -> None:
    below = Hypothesis("D < 1", D < 1)
    right = Step("room", "", lhs=other, rhs=1 / D - 1, kind="definition", premises=("D < 1",))
    assert "nothing says why" not in _said(right, end="room", hypotheses=(below,))
    for wrong in (1 / D - 2, D - 1, sp.Integer(1) / 2 - D):
        assert "nothing says why E is positive" in _said(replace(right, rhs=wrong), end="room", hypotheses=(below,))


def test_a_definition_is_not_taken_at_other_values_behind_its_name() -> None:
    name = sp.Symbol("n", real=True)
    defined = Step("defined", "", lhs=name, rhs=D**2, kind="definition")
    bad = Step(
        "bad", "", lhs=name, rhs=sp.Integer(4), kind="inference", premises=(Use("defined", at={D: sp.Integer(2)}),)
    )
    assert "defined for other values" in _said(defined, bad, end="bad", symbols={"n": name})


def test_values_have_the_assumptions_of_the_symbols_they_replace() -> None:
    first = Step("first", "", lhs=f(D), rhs=D, kind="definition")
    at = Use("first", at={D: -other})
    bad = Step("bad", "", lhs=f(-other), rhs=-other, kind="inference", premises=(at,))
    assert "must be positive" in _said(first, bad, end="bad", symbols={"E": other})


def test_both_sides_of_a_step_are_not_one_expression() -> None:
    assert "both sides are" in _said(Step("same", "", lhs=D + 1, rhs=1 + D), end="same")


def test_a_fact_needs_its_instance_and_its_conditions() -> None:
    cut = hinge.linear_exponent().step("cut at the edge")
    whole = hinge.linear_exponent()

    def said(step: Step) -> str:
        return "; ".join(
            problems(replace(whole, steps=tuple(step if one.name == step.name else one for one in whole.steps)))
        )

    assert "is no instance" in said(replace(cut, rhs=-cut.rhs))
    assert "must show exactly" in said(replace(cut, conditions={"below": "below the edge"}))
    turned = {**cut.conditions, "below": "above the edge"}
    assert "is not what shows it" in said(replace(cut, conditions=turned))
    assert "not in the catalogue" in said(replace(cut, fact="folklore"))
    assert "must say what" in said(replace(cut, letters={}))


DECIDED_BY_FORM = {  # facts whose letters and sizes are looked at, so that nothing is left to be shown
    *("a sum over a pair", "a product over a pair", "quantile of a normal probability", "central projection"),
    *("an event below a threshold", "an event above a threshold", "data processing", "a divergence is not negative"),
    *("probabilities are not negative", "probabilities are at most 1", "image under a matrix of bounded squares"),
    *("squared length", "Cauchy-Schwarz inequality of vectors", "a number is its transpose", "a form as a trace"),
    *("a product of blocks, one above the other", "a product of blocks, side by side", "determinants multiply"),
    *("a transpose of blocks, side by side", "columns of a matrix of products", "eigenvalues of a matrix with noise"),
    *("a divergence by way of a third law", "total variation in either order", "expectation of a constant"),
    *("forms lie above the least eigenvalue", "a supporting line of a trade-off curve", "a test under two laws"),
    *("a test under two laws, exchanged", "eigenvalues of M M^T and of M^T M", "norm of a product"),
    *("mean square of a chi variable", "information of a place in noise", "data processing of information"),
    *("divergence of two normal laws", "points under a curve", "a product with one entry is its transpose"),
}


def test_every_fact_has_words_conditions_and_a_reference() -> None:
    for name, fact in FACTS.items():
        assert fact.text.endswith(".") and fact.tex and fact.reference, name
        assert (name in DECIDED_BY_FORM) is not bool(fact.conditions) and set(fact.required) <= set(fact.conditions), (
            name
        )
        assert fact.letters, name


def test_hypotheses_of_a_lemma_have_to_be_granted() -> None:
    whole = mean_shift.no_shift()
    hinge = whole.step("hinge")
    lent = [replace(p, granted={}) if isinstance(p, Use) else p for p in hinge.premises]
    bare = replace(hinge, premises=tuple(lent))
    found = problems(replace(whole, steps=tuple(bare if one is hinge else one for one in whole.steps)))
    assert any("nothing grants" in text for text in found)
    assert ndis_lemma.POSITIVE_DEFINITE in "; ".join(found)


def test_a_hypothesis_that_is_a_relation_enters_an_inference() -> None:
    below = Hypothesis("D < 1", D < 1)
    end = Step("end", "", 2 * D, sp.Integer(2), "<", kind="inference", premises=(Use("D < 1", weight=2),))
    assert _derived(end, end="end", hypotheses=(below,)).holds(end) is True
    assert problems(_derived(end, end="end", hypotheses=(below,))) == []
    for wrong in (replace(end, rhs=sp.Integer(1)), replace(end, relation=">"), replace(end, premises=("D < 1",))):
        assert _derived(wrong, end="end", hypotheses=(below,)).holds(wrong) is not True
    words = Hypothesis("D < 1", of="mean_shift")
    assert "is no relation" in _said(end, end="end", hypotheses=(words,))


def test_an_inequality_follows_with_weights_of_known_sign() -> None:
    a, b, c = sp.symbols("a b c", real=True)
    one = Step("one", "", lhs=a, rhs=b, relation="<", witness=a - b)
    two = Step("two", "", lhs=b, rhs=c, relation="<=", witness=b - c)
    sums = Step("sum", "", lhs=a, rhs=c, relation="<", kind="inference", premises=("one", "two"))
    assert _derived(one, two, sums, end="sum", symbols={"a": a, "c": c}).holds(sums) is True
    weak = replace(sums, premises=(Use("one", weight=sp.Integer(0)), "two"), lhs=b)
    assert _derived(one, two, weak, end="sum", symbols={"a": a, "b": b, "c": c}).holds(weak) is not True
    turned = replace(sums, relation=">")
    assert _derived(one, two, turned, end="sum", symbols={"a": a, "c": c}).holds(turned) is not True


@pytest.mark.parametrize(
    ("difference", "outcome"),
    [
        (f(D * 2) - f(D + D), True),
        (f(D) - f(other), False),
        (f((D + 1) ** 2) - f(D**2 + 2 * D + 1), True),
        (sp.Integral(f(D), (D, 0, 1)) - sp.Integral(f(D), (D, 0, 2)), False),
        (f(D) * f(other) - f(other) * f(D), True),
        (sp.Limit(f(D), D, 0) - sp.Limit(f(D), D, 1), False),
        (sp.Subs(f(D), D, 1) - sp.Subs(f(D), D, 2), False),
        (sp.Derivative(f(D), D), False),
        (sp.Derivative(f(D), D) - sp.Derivative(f(D) + f(D) - f(D), D), True),
    ],
)
def test_unknown_functions_agree_where_their_arguments_do(difference: sp.Expr, outcome: bool) -> None:
    assert follows(difference) is outcome


def test_a_bound_makes_a_variable_positive_unless_the_bound_needs_it() -> None:
    n = sp.Symbol("n", positive=True)
    step = Step("end", "", lhs=-n, rhs=sp.Integer(0), relation="<=", witness=-n)
    derivation = replace(_derived(step, end="end"), hypotheses=())

    def met(*hypotheses: str) -> bool:
        stated = statement("-n <= 0", *hypotheses, over=(real("n", 1, 2), real("k", 1, 2), real("t", 1, 2)))
        return concluded(derivation, Conclusion("X", "end", {"n": n}), stated)[1] == ""

    assert met("n >= k/t^2", "k >= 2", "t > 0")
    for circle in (("n >= k/t^2", "k >= n", "t > 0"), ("n >= k/t^2", "k >= 2"), ("n >= k - t", "k >= 2", "t > 0")):
        assert not met(*circle), circle


def test_two_variables_of_a_statement_are_not_one_symbol_of_its_proof() -> None:
    """Else x <= x would end in x <= y."""
    n, k = sp.symbols("n k", real=True)
    stated = statement("n <= k", "n <= k", over=(real("n", 1, 2), real("k", 1, 2)))
    given = Step("end", "", lhs=n, rhs=k, relation="<=", kind="inference", premises=("n <= k",))
    apart = replace(_derived(given, end="end", symbols={"n": n, "k": k}), hypotheses=(Hypothesis("n <= k", n <= k),))
    assert concluded(apart, Conclusion("X", "end", {"n": n, "k": k}), stated)[1] == ""
    one = replace(given, lhs=n, rhs=n)
    found, why = concluded(replace(apart, steps=(one,)), Conclusion("X", "end", {"n": n, "k": n}), stated)
    assert not found and "different symbols" in why


def test_matrices_are_in_order_where_a_form_at_any_vector_says_so() -> None:
    X, z = letter("X"), letter("z")
    yt, square = transpose(anything), transpose(X) * X + z * transpose(z)
    stated = statement("X^T X <= X^T X + u u^T", over=(matrix("X", 3, 2, -3, 3), vector("u", "reals", 2, -3, 3)))
    form = scalar(yt * z * transpose(z) * anything)

    def found(lhs: sp.Expr, relation: str = ">=", **names: sp.Symbol) -> str:
        end = Step("end", "", lhs=lhs, rhs=sp.Integer(0), relation=relation, kind="inference", premises=("given",))
        derived = replace(_derived(end, end="end", symbols={}), hypotheses=("given",))
        return concluded(derived, Conclusion("X", "end", {"X": X, "u": z, **names}), stated)[1]

    assert found(form) == ""
    assert "no relation" in found(-form) and "no relation" in found(form, "<=")
    assert "no relation" in found(scalar(yt * square * anything)) and "no relation" in found(2 * form)
    assert "no relation" in found(scalar(transpose(z) * z))  # at one vector
    assert "stands for any vector" in found(form, u=anything)


def test_a_lemma_is_used_where_its_hypotheses_are_said() -> None:
    """What a lemma supposes has to be said at the values where it is used, not only by a line of its name."""
    whole = soft_sets.lines_below_tests()
    second = whole.step("second line")

    def said(**change: object) -> str:
        premises = tuple(
            replace(p, **change) if isinstance(p, Use) and p.step == "gain" else p for p in second.premises
        )
        moved = replace(second, premises=premises)
        return "; ".join(
            problems(replace(whole, steps=tuple(moved if one is second else one for one in whole.steps), faults=()))
        )

    granted = next(p.granted for p in second.premises if isinstance(p, Use) and p.step == "gain")
    assert said() == ""
    assert "does not say the hypothesis 't_i >= 0'" in said(granted={})
    assert "does not say" in said(granted={**granted, "t_i <= 1": "either"})


def test_an_algebra_does_not_decide_letters_of_which_it_knows_nothing() -> None:
    known, strange = sp.symbols("x h", commutative=False)
    algebra = BlockAlgebra({}, {known: sp.Matrix([[2]])})
    assert algebra.holds(known - known + strange) is None and algebra.holds(known) is False
