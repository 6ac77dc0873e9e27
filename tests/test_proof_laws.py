"""That what a fact says of laws is said of those laws: false proofs that once passed."""

import pytest
import sympy as sp
from whole_proofs import derivation, infer, passes

from ndis_verify.court.proof_structure import problems
from ndis_verify.exact_number import InputError
from ndis_verify.statements.reading import statement
from ndis_verify.statements.statement import real, vector
from ndis_verify.symbolic.block_algebra import letter
from ndis_verify.symbolic.covariance_order import scale_order
from ndis_verify.symbolic.derivation import Hypothesis, Step
from ndis_verify.symbolic.fact_steps import by_fact
from ndis_verify.symbolic.facts import FACTS
from ndis_verify.symbolic.meanings import meaning
from ndis_verify.symbolic.normal_coordinates import entry
from ndis_verify.symbolic.notation import average, law, law_given, law_of, rate, scaled, transpose, unscaled
from ndis_verify.symbolic.notation import x as place
from ndis_verify.symbolic.statement_terms import quantity

zero, one = sp.Integer(0), sp.Integer(1)
lam, m, a = sp.symbols("lambda m a", real=True)
eps, W = sp.symbols("epsilon W", nonnegative=True)
P, Q = scaled(lam, m, 0), unscaled(m)
HYPOTHESES = (
    Hypothesis("lam_i >= 1", entry(lam) >= 1),
    Hypothesis("m_i >= 1", entry(m) >= 1),
    Hypothesis("eps >= 0", eps >= 0),
)
SYMBOLS = {"lam": lam, "m": m, "eps": eps}


def _bounded(letters, **shown):
    """That Q's loss against P is never above eps, with a statistic, a share and a level that are 0."""
    loss = Step("no loss", "", sp.UnevaluatedExpr(a) - a, zero)
    none = Step("W", "", sp.UnevaluatedExpr(zero), zero, relation=">=", witness=zero)
    most = Step("most", "", -W / 2, eps, relation="<=", witness=-W / 2 - eps)
    known = {"P": P, "Q": Q, "epsilon": eps, "statistic": zero, "share": zero, "level": zero, "value": W}
    conditions = {"loss": loss, "level": "words", "sign": none, "bounded": most, **shown}
    return (
        Step("words", "Words.", kind="definition"),
        meaning("divergence", "centred_reverse", lam, m, eps),
        by_fact(
            "spectrum",
            "",
            "spectrum of two centred normal laws, exchanged",
            {"lam": lam, "m": m, "epsilon": eps},
            {"least": "lam_i >= 1", "counts": "m_i >= 1"},
        ),
        by_fact("none", "", "a bounded loss", {**known, **letters}, conditions),
        infer("end", quantity("centred_reverse", lam, m, eps), "=", zero, "divergence", "spectrum", "none"),
    )


@pytest.mark.parametrize("letters", [{"variance": one}, {"variance": sp.Max(1, entry(lam))}])
def test_a_loss_is_that_of_the_laws(letters):
    """log p - log q was any number less itself: so was every divergence of Q from P 0."""
    stated = statement("delta_{Q,P}(lam, m; eps) = 0", "lam_i >= 1", "m_i >= 1", "eps >= 0")
    same = Step("variance", "", sp.UnevaluatedExpr(letters["variance"]), letters["variance"])
    assert not passes(stated, _bounded(letters, variance=same), SYMBOLS, HYPOTHESES)


def _instance(name, **other):
    step = next(one_ for one_ in scale_order().steps if one_.name == name)
    return FACTS[step.fact].instance({**step.letters, **other}), step


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("bounded loss", {"Q": scaled(lam, m, 0)}),
        ("order on the path", {"r": sp.Symbol("s", real=True)}),
        ("order on the path", {"inside": {}}),
        ("two slopes", {"terms": ((sp.Symbol("s", real=True), one),)}),
        ("two slopes", {"terms": ((a, rate(a)),)}),
        ("nearby scales", {"P": unscaled(m)}),
    ],
)
def test_what_is_no_letter_of_a_fact_about_scaled_laws_is_refused(name, other):
    found, step = _instance(name)
    assert found == (step.lhs, step.relation, step.rhs)
    with pytest.raises(InputError):
        found, step = _instance(name, **other)
        for relation in FACTS[step.fact].required.values():
            relation({**step.letters, **other})


def test_a_share_speaks_of_no_point():
    step = next(one_ for one_ in scale_order().steps if one_.name == "bounded loss")
    with pytest.raises(InputError, match="the same at every point"):
        FACTS[step.fact].required["level"]({**step.letters, "share": entry(place) ** 2})


def test_the_order_on_the_path_is_of_losses_from_0_on():
    """Below 0 it is the other way round."""
    step = next(one_ for one_ in scale_order().steps if one_.name == "order on the path")
    assert FACTS[step.fact].required["epsilon"](step.letters) == (step.letters["epsilon"], ">=", zero)


def test_a_density_is_of_one_law():
    """With one f for two laws both would be one."""
    fact = FACTS["density of a positive form"]
    assert fact.brings == ("f",)
    step = next(one_ for one_ in scale_order().steps if one_.name == "density of W")
    assert step.letters["P"] in fact.instance(step.letters)[0].args


def test_a_density_is_positive_where_not_all_weights_are_0():
    """Where all variances are 1, W is 0 and has no density; nothing asked for a level above 0, and the divergence of
    two equal laws would have been positive.
    """
    step = next(one_ for one_ in scale_order().steps if one_.name == "f_- > 0")
    fact = FACTS[step.fact]
    asked, sign, bound = fact.required["not all"](step.letters)
    assert sign == ">" and bound == zero and asked == step.letters["level"].subs(step.letters["inside"])
    assert fact.required["not all"]({**step.letters, "inside": {}})[0] == step.letters["level"]
    for anywhere in (one, sp.Symbol("u", positive=True)):
        with pytest.raises(InputError, match="must speak of what the level is inside"):
            fact.instance({**step.letters, "at": anywhere})


def test_independence_is_of_the_vectors_whose_covariance_is_0():
    """The covariance was a letter of its own, and what is independent were two others."""
    S, B, w = (letter(name) for name in "SBw")
    fact = FACTS["uncorrelated normal vectors are independent"]
    letters = {"S": S, "B": B, "w": w}
    assert fact.required["uncorrelated"](letters) == (transpose(B) * w, "=", zero)
    assert fact.instance(letters) == (law_given(S * w, S * B), "=", law_of(S * w))
    with pytest.raises(InputError, match="must be a matrix"):
        fact.instance({**letters, "w": sp.Symbol("w", real=True)})


def _held(value, sign="=", bound=None):
    """What nobody doubts, as a step."""
    bound = value if bound is None else bound
    return Step(
        "held", "", sp.UnevaluatedExpr(value), bound, relation=sign, witness=value - bound if sign != "=" else None
    )


WORDS = Step("words", "Words.", kind="definition")
ONE_LAW = {"first": one, "second": one, "epsilon": eps}


def _same(d):
    shown = {"first": _held(one, ">", zero), "second": _held(one, ">", zero)}
    shown |= {"epsilon": Step("eps", "", eps, zero, ">=", eps)}
    return by_fact("same", "", "one law twice", {**ONE_LAW, "d": d}, shown)


def _projection(leverage, shown):
    r = sp.Symbol("r", positive=True)
    letters = {"p": leverage, "r": r, "epsilon": eps, **dict.fromkeys("STR", one), **dict.fromkeys(("w", "w^T"), zero)}
    conditions = {**dict.fromkeys(("first", "second", "left"), _held(one)), "positive": _held(one, ">", zero)}
    fact = "columns that differ in one direction"
    return (
        WORDS,
        meaning("divergence", "projection", leverage, r, eps),
        by_fact("one", "", fact, {**letters, "left": one}, {**conditions, "leverage": shown}),
        _same(r),
        infer("end", quantity("projection", leverage, r, eps), "=", zero, *("divergence", "one", "same", "words")),
    )


def test_what_is_left_of_the_variance_is_1_less_the_leverage():
    """A record of any leverage left all of it, and a projection cost nothing."""
    p, r = sp.Symbol("p", nonnegative=True), sp.Symbol("r", positive=True)
    stated = statement("delta_delete(p, r; eps) = 0", "p >= 0", "r > 0", "eps >= 0")
    for shown in ("words", _held(one)):
        assert not passes(stated, _projection(p, shown), {"p": p, "r": r, "eps": eps})


def test_the_spectrum_of_least_squares_is_its_own():
    """Every eigenvalue was 1, and least squares cost nothing; `P` and `Q` of any other pair are no known laws."""
    p, q, d, r = at = sp.symbols("p q d r", positive=True)
    numbers = {**dict.fromkeys(("first", "others", "scale", "other scale"), one), "shift": zero, "epsilon": eps}
    required = FACTS["one frame for least squares"].required
    letters = {**numbers, **dict(zip("pqdr", at, strict=True))}
    assert required["first"](letters) == ((1 - p) ** 2 / (1 - q), "=", one)
    assert required["others"](letters)[0] != one and required["shift"](letters)[0] != zero
    general = FACTS["one frame for two normal laws"]
    assert general.brings == ("P", "Q") and set(general.required) == {
        "first",
        "others",
        "shift",
        "scale",
        "other scale",
    }


@pytest.mark.parametrize("image", [sp.Symbol("R"), quantity("least_squares", P), sp.Function("f")(Q), scaled(P, m, 0)])
def test_data_is_processed_by_one_unknown_map(image):
    f, fact = sp.Function("f"), FACTS["data processing"]
    letters = {"P": P, "Q": Q, "image of P": f(P), "image of Q": f(Q), "epsilon": eps}
    assert fact.brings == ("image of P", "image of Q") and fact.instance(letters)
    with pytest.raises(InputError, match="one unknown function"):
        fact.instance({**letters, "image of P": image})


def test_a_law_is_one_by_a_hypothesis():
    v = sp.Symbol("v", real=True)
    stated = statement("sum_i v_i = 1", over=(vector("v", "reals", 3, -3, 3),))
    mass = by_fact("end", "", "a law has mass one", {"law": v}, {"law": "words"})
    assert not passes(stated, (WORDS, mass), {"v": v})
    of_a_law = statement("sum_i w_i = 1", over=(vector("w", "law", 3, 1, 2),))
    mass = by_fact("end", "", "a law has mass one", {"law": v}, {"law": "p is a law"})
    for relation, right in ((law(v), True), (law(a), False), (None, False)):
        assert passes(of_a_law, (mass,), {"w": v}, (Hypothesis("p is a law", relation),)) is right


def test_what_is_drawn_is_nothing_that_is_known():
    """x = E x = y: x is a number, and the share of draws on a point of mass y."""
    b, c = sp.symbols("b c", real=True)
    stated = statement("b = c", over=(real("b", -3, 3), real("c", -3, 3)))
    steps = (
        WORDS,
        by_fact("constant", "", "expectation of a constant", {"c": b}, {"law": "words"}),
        by_fact("mean", "", "mean of a share", {"share": b, "mass": c}, {"draws": "words"}),
        infer("turned", b, "=", average(b), "constant"),
        infer("end", b, "=", c, "turned", "mean"),
    )
    assert not passes(stated, steps, {"b": b, "c": c})
    found = "".join(problems(derivation(steps, {"b": b, "c": c})))
    assert "b is said to be drawn" in found and "b is drawn, and 'c' is a number" in found
