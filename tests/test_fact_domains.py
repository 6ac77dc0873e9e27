"""What is shown of a function of a number is shown of the numbers that its argument goes over, and of an inverse what
holds for every matrix that has one.
"""

from dataclasses import replace

import pytest
import sympy as sp

from ndis_verify.court.proof_structure import step_problems
from ndis_verify.exact_number import InputError
from ndis_verify.symbolic.block_algebra import inverse, letter, without_rules
from ndis_verify.symbolic.derivation import Derivation, Hypothesis, Step, Use
from ndis_verify.symbolic.fact_steps import a_density, by_fact, inferred
from ndis_verify.symbolic.facts import FACTS
from ndis_verify.symbolic.less_spread import first_less_spread
from ndis_verify.symbolic.less_spread_printed import printed_bound
from ndis_verify.symbolic.mean_shift_order import every_pair
from ndis_verify.symbolic.meanings import meaning
from ndis_verify.symbolic.normal_coordinates import total_of
from ndis_verify.symbolic.notation import anything, average, largest, scalar, summed, total, transpose, z
from ndis_verify.symbolic.notation import x as place
from ndis_verify.symbolic.statement_terms import quantity
from ndis_verify.symbolic.unknowns import equal

X, POSITIVE = sp.Symbol("x", real=True), sp.Symbol("x", positive=True)
NONNEGATIVE, WHOLE = sp.Symbol("x", nonnegative=True), sp.Symbol("x", positive=True, integer=True)
B, b = letter("B"), letter("b")
Bt = transpose(B)


@pytest.mark.parametrize(
    ("fact", "letters"),
    [
        ("rises from 0", {"f": X, "argument": X}),  # x > 0 of every real x
        ("rises from 0", {"f": NONNEGATIVE, "argument": NONNEGATIVE}),  # and of 0
        ("does not fall from 0", {"f": X, "argument": X}),
        ("first up, then down", {"f": X * sp.exp(-X), "argument": X, "turn": sp.Integer(1)}),
        ("first up, then down", {"f": WHOLE * sp.exp(-WHOLE), "argument": WHOLE, "turn": sp.Integer(1)}),
        ("up, then down, above what tends to 0", {"f": X * sp.exp(-X), "argument": X, "turn": 1, "under": 0}),
        (
            "up, then down, above what tends to 0",  # a turn at every point is none
            {"f": -NONNEGATIVE, "argument": NONNEGATIVE, "turn": NONNEGATIVE, "under": 0},
        ),
        ("a falling function at two points", {"f": 1 / POSITIVE, "argument": POSITIVE, "low": -1, "high": 1}),
        ("a rising function at two points", {"f": -1 / POSITIVE, "argument": POSITIVE, "low": -1, "high": 1}),
        ("a rising function, two values", {"f": -1 / POSITIVE, "argument": POSITIVE, "low": 1, "high": -1}),
        ("a rising function at two points", {"f": -WHOLE, "argument": WHOLE, "low": sp.Rational(1, 2), "high": 1}),
    ],
)
def test_a_slope_says_nothing_where_the_argument_is_not(fact, letters):
    with pytest.raises(InputError):
        FACTS[fact].instance({name: sp.Integer(v) if isinstance(v, int) else v for name, v in letters.items()})


def test_the_ends_of_a_domain_are_compared_too():
    assert FACTS["a rising function at two points"].instance(
        {"f": POSITIVE**2, "argument": POSITIVE, "low": sp.Integer(0), "high": sp.Integer(3)}
    ) == (0, "<", 9)


def test_a_point_above_an_interval_has_no_part_in_its_supremum():
    proof = every_pair()
    step = proof.step("one pair")
    beyond = by_fact(step.name, step.why, step.fact, {**step.letters, "high": sp.Rational(1, 2)}, step.conditions)
    place = proof.steps.index(step)
    spoilt = Derivation(
        **{
            **{name: getattr(proof, name) for name in ("id", "title", "sources", "hypotheses", "symbols")},
            "steps": (*proof.steps[:place], beyond, *proof.steps[place + 1 :]),
            "result_step": proof.result_step,
        }
    )
    assert any("condition 'high' is" in text for text in step_problems(spoilt, place))


def test_the_inverse_of_a_product_is_not_a_product_of_inverses():
    """B (B^T B)^{-1} B^T is a projection: of tall matrices it is not the identity."""
    hat = B * inverse(Bt * B) * Bt
    assert not equal(hat * b, b) and not equal(scalar(transpose(b) * hat * b), scalar(transpose(b) * b))
    assert equal(transpose(hat), hat) and transpose(inverse(Bt * B)) == inverse(Bt * B)
    assert without_rules((B, Bt)).holds(hat - 1) is not True
    rows = quantity("above", B, transpose(b))
    assert not equal(rows * inverse(transpose(rows) * rows) * transpose(rows), sp.Integer(1))


@pytest.mark.parametrize("fact", ["an inverse from one side", "an inverse from the left", "an inverse from the right"])
def test_a_left_inverse_of_a_tall_matrix_is_no_inverse(fact):
    """With it B X = I would follow from X B = I."""
    assert not _shown(fact, B) and not _shown(fact, B * letter("C"))
    assert _shown(fact, Bt * B) and _shown(fact, B * Bt + 1)


def _shown(fact, matrix):
    left, sign, right = FACTS[fact].instance({"X": letter("X"), "Y": matrix})
    return (left, sign, right) != (0, ">", 0)


@pytest.mark.parametrize("take", [scalar, transpose, lambda power: equal(power, B), without_rules((B, Bt)).reduce])
def test_negative_powers_of_matrices_are_refused(take):
    with pytest.raises(InputError, match="inverse"):
        take((Bt * B) ** -1 * B)


def test_a_hypothesis_is_taken_at_a_vector_only_where_it_is_made_of_any():
    s, t = sp.symbols("s t", positive=True)
    form = scalar(transpose(anything) * Bt * B * anything)
    hypotheses = (Hypothesis("B^T B >= s I", form >= s), Hypothesis("t >= s", t >= s))
    at_b = Use("B^T B >= s I", at={anything: b})
    step = Step("at b", "", scalar(transpose(b) * Bt * B * b), s, ">=", kind="inference", premises=(at_b,))
    proof = Derivation("proof", "", (), hypotheses, (step,), "at b", {"s": s})
    assert proof.holds(step) is True
    wrong = Step("at 2 s", "", t, 2 * s, ">=", kind="inference", premises=(Use("t >= s", at={s: 2 * s}),))
    with pytest.raises(InputError, match="any vector"):
        Derivation("proof", "", (), hypotheses, (wrong,), "at 2 s", {"s": s}).holds(wrong)


@pytest.mark.parametrize(
    "mean",
    [
        lambda f: -total(f),
        lambda f: f**2,
        lambda f: largest(f),
        lambda f: total(f) + 1,
        lambda f: sp.Integral(-f, (X, 0, sp.oo)),
        lambda f: sp.Integral(f, (X, 1, 0)),
    ],
)
def test_a_mean_is_a_sum_or_an_integral(mean):
    for fact, letters in (
        ("means keep the order", {"f": sp.exp(-(X**2)), "g": 2 * sp.exp(-(X**2))}),
        ("means are linear", {"terms": ((2, sp.exp(-(X**2))),)}),
        ("means of what is not negative", {"f": sp.exp(-(X**2))}),
    ):
        FACTS[fact].instance({"mean": total, **letters})
        with pytest.raises(InputError, match="sum, an integral"):
            FACTS[fact].instance({"mean": mean, **letters})


def test_what_is_taken_out_of_a_mean_is_the_same_at_every_point():
    j, s = sp.symbols("j s", positive=True)
    p, draw = sp.Function("p"), sp.Function("p_hat")
    for mean, c, f in (
        (total, X, p(X)),
        (summed, j, p(j)),
        (summed, p(j), sp.Integer(1)),
        (average, draw(j), sp.Integer(1)),
        (lambda f: sp.Integral(f, (s, 0, sp.oo)), s, sp.exp(-s)),
        (total_of, quantity("coordinate", B), sp.Integer(1)),
    ):
        with pytest.raises(InputError, match="the same at every point"):
            FACTS["means are linear"].instance({"mean": mean, "terms": ((c, f),)})


def test_a_name_for_what_one_coordinate_is_is_no_number():
    v, a = sp.symbols("v a", real=True)
    one = quantity("coordinate", v)
    steps = (
        Step("a", "", lhs=a, rhs=one - 1, kind="definition"),
        by_fact("out", "", "means are linear", {"mean": total_of, "terms": ((a, one),)}, {"integrable": "finite"}),
    )
    proof = Derivation("id", "title", ("X",), ("finite",), steps, "out", {"v": v, "a": a})
    assert any("a was defined at one point" in text for text in step_problems(proof, 1))
    whole = replace(steps[0], rhs=total_of(one - 1))  # a number
    assert not any("at one point" in text for text in step_problems(replace(proof, steps=(whole, steps[1])), 1))


def _spoilt(proof, name, letters=None, conditions=None):
    """What is wrong with the step of a proof at other letters, or where something else shows its conditions."""
    step = proof.step(name)
    other = by_fact(
        name, step.why, step.fact, {**step.letters, **(letters or {})}, {**step.conditions, **(conditions or {})}
    )
    place = proof.steps.index(step)
    return list(step_problems(replace(proof, steps=(*proof.steps[:place], other, *proof.steps[place + 1 :])), place))


def test_the_level_of_an_affine_loss_is_the_sum_of_its_shares():
    proof = first_less_spread()
    assert not _spoilt(proof, "E_P, second")
    level = proof.step("E_P, second").letters["level"]
    for other in ({"level": -level}, {"level": 2 * level}, {"share": proof.step("E_P, second").letters["share"] + 1}):
        assert any("condition" in text for text in _spoilt(proof, "E_P, second", other))


def test_laws_are_exchanged_where_their_eigenvalues_are_positive():
    proof = printed_bound()
    assert not _spoilt(proof, "exchanged")
    assert any("condition 'positive'" in text for text in _spoilt(proof, "exchanged", None, {"positive": "lam_i <= 1"}))
    assert any("condition 'counts'" in text for text in _spoilt(proof, "exchanged", None, {"counts": "lam_i > 0"}))


def test_a_product_of_powers_has_logarithms_where_its_factors_are_positive():
    proof = first_less_spread()
    name = "product, second"
    assert not _spoilt(proof, name)
    for factor in (-proof.step(name).letters["f"], X, X**2):
        shown = Step("positive", "", lhs=X**2, rhs=sp.Integer(0), relation=">=", witness=X**2)
        assert _spoilt(proof, name, {"f": factor})
        assert _spoilt(proof, name, {"f": factor}, {"positive": shown})


def _of_a_chi_square_variable(*more):
    """The moment of a chi-square variable T at s = -1/2, and steps after it."""
    T, r, one = sp.Symbol("T", nonnegative=True), sp.Symbol("r", positive=True), sp.Integer(1)
    below = Step("range", "", lhs=one, rhs=-one, relation=">", witness=sp.Integer(2))
    letters, shown = {"T": T, "r": r, "s": -one / 2}, {"law": "T is chi-square", "range": below}
    moment = by_fact("moment", "", "moment of a chi-square variable", letters, shown)
    steps = (moment, *(step(T) for step in more))
    return Derivation("id", "title", ("X",), ("T is chi-square",), steps, "moment", {"r": r})


def test_no_value_is_put_in_for_what_is_drawn():
    """With one at T = 0, 1 = 2^(-r/2) would follow."""
    proof = _of_a_chi_square_variable(
        lambda T: inferred(
            "at 0", "", average(sp.Integer(1)), "=", sp.Integer(1), Use("moment", at={T: sp.Integer(0)})
        ),
        lambda T: by_fact(
            "out", "", "means are linear", {"mean": average, "terms": ((T, T),)}, {"integrable": "moment"}
        ),
    )
    assert any("has a mean over T" in text for text in step_problems(proof, 1))
    assert any("T is drawn, and is no number" in text for text in step_problems(proof, 2))
    named = Step("T", "", lhs=proof.step("moment").letters["T"], rhs=sp.Integer(0), kind="definition")
    assert any("defined as a number" in text for text in step_problems(replace(proof, steps=(named, *proof.steps)), 1))


def test_no_value_is_put_in_for_the_place_of_an_integral():
    p = sp.Function("f", nonnegative=True)
    steps = (
        a_density("mass", "", p(place), "p is a density"),
        inferred("at 0", "", total(p(sp.Integer(0))), "=", sp.Integer(1), Use("mass", at={place: sp.Integer(0)})),
    )
    proof = Derivation("id", "title", ("X",), ("p is a density",), steps, "mass", {})
    assert any("has a mean over x" in text for text in step_problems(proof, 1))


@pytest.mark.parametrize(
    "fact", ["squared length", "Cauchy-Schwarz inequality of vectors", "a number is its transpose"]
)
@pytest.mark.parametrize("array", [B, transpose(b), Bt * B, B * b + B, sp.Integer(2)])
def test_what_is_no_vector_has_no_length(fact, array):
    """A^T A is no number, and a b^T not that of its transpose."""
    letters = {name: array if name == FACTS[fact].letters[0] else b for name in FACTS[fact].letters}
    letters |= {f"{name}^T": transpose(one) for name, one in letters.items() if f"{name}^T" in letters}
    with pytest.raises(InputError, match="must be a vector"):
        FACTS[fact].instance(letters)


@pytest.mark.parametrize("odd", [{"u": z}, {"R": z * transpose(z)}, {"S": B}, {"epsilon": scalar(transpose(z) * b)}])
def test_a_divergence_at_a_draw_is_of_laws_that_do_not_speak_of_it(odd):
    """Nor of a covariance that is not written as its own transpose."""
    letters = {"u": b, "R": B, "w": letter("w"), "S": B * Bt, "epsilon": X}
    fact = FACTS["divergence of two normal laws at a draw of one"]
    assert fact.instance(letters | odd) == (0, ">", 0) != fact.instance(letters)


@pytest.mark.parametrize("at", range(3))
def test_a_hinge_over_draws_is_of_a_form_that_does_not_speak_of_them(at):
    arguments = [Bt * B, b, X]
    arguments[at] = [z * transpose(z), z, scalar(transpose(z) * b)][at]
    with pytest.raises(InputError, match="must not speak of z"):
        meaning("hinge", "form_hinge", *arguments)


def test_bernoulli_is_of_numbers_from_minus_1_on():
    fact = FACTS["Bernoulli's inequality"]
    below = {"y": sp.Integer(-4), "k": sp.Integer(3)}  # (-3)^3 < 1 - 12
    left, sign, right = fact.instance(below)
    assert sign == ">=" and left < right
    size = fact.required["size"](below)
    assert size == (-4, ">=", -1) and not sp.Ge(size[0], size[2])
    assert fact.required["count"](below) == (3, ">=", 1)


def test_stirling_is_of_positive_numbers():
    fact = FACTS["Stirling's lower bound"]
    for a in (sp.Rational(1, 100), sp.Rational(1, 2), sp.Integer(1), sp.Integer(40)):
        left, sign, right = fact.instance({"a": a})
        assert sign == ">" and sp.N(left, 30) > sp.N(right, 30) > 0
    below = {"a": sp.Rational(-1, 2)}  # Gamma(-1/2) < 0
    assert sp.gamma(below["a"]) < 0 and fact.required["positive"](below) == (below["a"], ">", 0)
    given = Derivation("id", "title", ("X",), (), (_stirling(X), _stirling(POSITIVE)), "end of x > 0", {"x": POSITIVE})
    assert any("condition 'positive'" in text for text in step_problems(given, 0))
    assert not list(step_problems(given, 1))


def _stirling(a):
    positive = Step("size", "", lhs=a**2 if a is X else a, rhs=sp.Integer(0), relation=">", witness=a)
    name = "end of x" if a is X else "end of x > 0"
    return by_fact(name, "", "Stirling's lower bound", {"a": a}, {"positive": positive})


@pytest.mark.parametrize("f", [sp.Integer(1), place, 1 - place**2])
def test_what_has_no_integral_over_the_line_has_no_mean(f):
    """The integral of x - 1 would be that of x, and so that of 1 nothing."""
    moved = sp.Lambda(place, f)
    for fact, letters in (
        ("translations keep integrals", {"f": moved, "shift": sp.Integer(1)}),
        ("means are linear", {"mean": total, "terms": ((sp.Integer(1), f), (sp.Integer(-1), sp.exp(-(place**2))))}),
        ("means keep the order", {"mean": total, "f": sp.exp(-(place**2)), "g": f}),
        ("means are linear", {"mean": lambda g: sp.Integral(g, (place, 0, sp.oo)), "terms": ((sp.Integer(2), f),)}),
    ):
        with pytest.raises(InputError, match="no integral to infinity"):
            FACTS[fact].instance(letters)


def test_what_is_cut_at_an_edge_is_integrable_on_both_sides():
    for fact, low, high in (("hinge of a falling exponent", 1, sp.oo), ("hinge of a rising exponent", 0, 1)):
        letters = {"f": NONNEGATIVE, "h": -NONNEGATIVE, "argument": NONNEGATIVE, "edge": sp.Integer(1)}
        required = FACTS[fact].required
        assert required["first"](letters) == (sp.Integral(NONNEGATIVE, (NONNEGATIVE, low, high)), "=", None)
        assert set(required) == set(FACTS[fact].conditions)


def test_a_value_before_the_end():
    fact = FACTS["a value in between, before the end"]
    letters = {"f": 1 - X, "argument": X, "low": sp.Integer(0), "high": sp.Integer(2), "root": sp.Symbol("t")}
    assert fact.instance(letters) == (letters["root"], "<", 2)
    assert {fact.required[name](letters)[1] for name in ("low", "high", "order")} == {">=", "<", ">"}


def test_a_quantile_is_of_a_real_number():
    with pytest.raises(InputError, match="known to be real"):
        FACTS["quantile of a normal probability"].instance({"x": sp.oo})
