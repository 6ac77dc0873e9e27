"""False proofs, whole: each of them once ended in its false statement, and the court found nothing wrong with it."""

from dataclasses import replace

import pytest
import sympy as sp
from whole_proofs import define, derivation, infer, integrated, passes

from ndis_verify.court.proof_structure import problems
from ndis_verify.exact_number import InputError
from ndis_verify.statements.quantities import QUANTITIES
from ndis_verify.statements.reading import statement
from ndis_verify.statements.statement import real, vector
from ndis_verify.symbolic.block_algebra import BlockAlgebra, inverse, letter
from ndis_verify.symbolic.derivation import Conclusion, Hypothesis, Step, Use
from ndis_verify.symbolic.fact_steps import by_fact
from ndis_verify.symbolic.facts import FACTS
from ndis_verify.symbolic.notation import normal_mean, scalar, total, transpose
from ndis_verify.symbolic.notation import x as place
from ndis_verify.symbolic.scopes import captured, taken_over, unheard
from ndis_verify.symbolic.sides import at_values
from ndis_verify.symbolic.statement_terms import quantity
from ndis_verify.symbolic.zero import sample_points

x, y, u, s = sp.symbols("x y u s", real=True)
v, D = sp.symbols("v D", positive=True)
n = sp.Symbol("n", integer=True)
h = letter("h")
eps = sp.Symbol("eps", real=True)
zero = sp.Integer(0)
OVER = (real("x", -3, 3),)
BELOW_1 = Hypothesis("x < 1", sp.Lt(x, 1))


def _parabola(hypotheses=()):
    """That x^2 >= 0, under the name of u."""
    return derivation(
        (
            define(u, x**2),
            Step("square", "", lhs=x**2, rhs=zero, relation=">=", witness=x**2),
            infer("u >= 0", u, ">=", zero, "u", Use("square")),
        ),
        {"x": x},
        hypotheses,
    )


_PARABOLA = replace(_parabola(), id="a.parabola")
_LEMMA = replace(_parabola(("f is continuous",)), id="a.lemma")


def _unit(*given):
    """The rule that h has length 1."""
    model = {h: sp.Matrix([3, 4]) / 5, transpose(h): sp.Matrix([[3, 4]]) / 5}
    return BlockAlgebra({(transpose(h), h): sp.Integer(1)}, model, given)


_UNIT = replace(
    derivation(
        (
            Step("a unit vector", "h has length 1.", kind="definition"),
            Step(
                "length",
                "",
                lhs=scalar(transpose(h) * h),
                rhs=sp.Integer(1),
                algebra=_unit("a unit vector"),
                premises=("a unit vector",),
            ),
        ),
        {},
    ),
    concludes=(Conclusion("CLAIM", "length", part="a length"),),
)
_distance = quantity("mean_shift", D, eps)
_falling = x - x**2 / 2
_expanded = Step("expanded", "", lhs=(x + 1) ** 2, rhs=x**2 + 2 * x + 1)
_nonzero = sp.Symbol("x", real=True, nonzero=True)

_samples = [point[x] for point in sample_points([x])]


def _two_points(f, high):
    above = Step("above", "", lhs=sp.Integer(high), rhs=zero, relation=">", witness=sp.Integer(high))
    letters = {"f": f, "argument": x, "low": zero, "high": sp.Integer(high)}
    return by_fact("two", "", "a rising function at two points", letters, {"rises": "slope", "order": above})


def _rising(f):
    """f is larger at 1 than at -1, as its slope is positive."""
    slope = Step("slope", "", lhs=sp.Derivative(f, x), rhs=zero, relation=">", witness=sp.Derivative(f, x).doit())
    order = Step("order", "", lhs=sp.Integer(1), rhs=sp.Integer(-1), relation=">", witness=sp.Integer(2))
    letters = {"f": f, "argument": x, "low": sp.Integer(-1), "high": sp.Integer(1)}
    two = by_fact("two", "", "a rising function at two points", letters, {"rises": "slope", "order": order})
    return slope, two, infer("end", x + two.lhs, "<", x + two.rhs, "two")


FALSE = {  # what is used wrongly: the statement, the steps, the symbols of its variables, the hypotheses
    "the slope of a name": (
        statement("2 x = 0", over=OVER),
        (
            define(u, x**2),
            Step("flat", "", lhs=sp.Derivative(u, x), rhs=zero),
            infer("slope", 2 * x, "=", sp.Derivative(u, x), "u"),
            infer("end", 2 * x, "=", zero, "slope", "flat"),
        ),
        {"x": x},
        (),
    ),
    "a sign that words give": (
        statement("x^2 + 1 < 0", over=OVER),
        (
            _expanded,
            define(v, -(x**2) - 1, ("expanded",)),
            Step("v > 0", "", lhs=v, rhs=zero, relation=">", witness=v),
            infer("end", x**2 + 1, "<", zero, "v", Use("v > 0", weight=-1)),
        ),
        {"x": x},
        (),
    ),
    "a real name of a root": (
        statement("x >= 0", over=OVER),
        (
            define(u, sp.sqrt(x)),
            Step("square", "", lhs=u**2, rhs=zero, relation=">=", witness=u**2),
            infer("end", x, ">=", zero, "u", Use("square")),
        ),
        {"x": x},
        (),
    ),
    "what reduces both sides to nothing": (
        statement("x = 1", over=OVER),
        (Step("end", "", lhs=x, rhs=sp.Integer(1), reduce=lambda one, other: 0 * (one - other)),),
        {"x": x},
        (),
    ),
    "what reduces both sides to their values at one point": (
        statement("x^2 = 1", over=OVER),
        (Step("end", "", lhs=x**2, rhs=sp.Integer(1), reduce=lambda one, other: (one - other).subs(x, 1)),),
        {"x": x},
        (),
    ),
    "what is 0 at the points that every expression is looked at": (
        statement(" ".join(f"(x - ({one}))" for one in _samples) + " = 0", over=OVER),
        (Step("end", "", lhs=sp.Mul(*(x - one for one in _samples)), rhs=zero, reduce=lambda one, other: zero),),
        {"x": x},
        (),
    ),
    "what reduces an inequality to its witness": (
        statement("x > 0", over=OVER),
        (Step("end", "", lhs=x, rhs=zero, relation=">", witness=x**2 + 1, reduce=lambda one, other: x**2 + 1),),
        {"x": x},
        (),
    ),
    "a variable that is not 0": (
        statement("x^2 > 0", over=OVER),
        (Step("end", "", lhs=_nonzero**2, rhs=zero, relation=">", witness=_nonzero**2),),
        {"x": _nonzero},
        (),
    ),
    "a name of a lemma for something else": (
        statement("x >= 0", over=OVER),
        (define(u, x), infer("end", x, ">=", zero, "u", Use("u >= 0", of=lambda: _PARABOLA))),
        {"x": x},
        (),
    ),
    "a variable that is a name in a lemma": (
        statement("u >= 0", over=(real("u", -3, 3),)),
        (infer("end", u, ">=", zero, Use("u >= 0", of=lambda: _PARABOLA)),),
        {"u": u},
        (),
    ),
    "a slope that is known under a hypothesis": (
        statement("x < x - 40", "x < 1", over=OVER),
        (
            infer("slope", sp.Derivative(_falling, x), ">", zero, Use("x < 1", weight=-1)),
            _two_points(_falling, 10),
            infer("end", x, "<", x - 40, "two"),
        ),
        {"x": x},
        (BELOW_1,),
    ),
    "a slope of what jumps": (
        statement("x - 1 < x - 9", over=OVER),
        _rising(sp.Piecewise((x, x < 0), (x - 10, True))),
        {"x": x},
        (),
    ),
    "a step under a hypothesis, at another value": (
        statement("x < x - 9", "x < 1", over=OVER),
        (
            infer("below", x - 1, "<", zero, Use("x < 1")),
            infer("end", x, "<", x - 9, Use("below", at={x: sp.Integer(10)})),
        ),
        {"x": x},
        (BELOW_1,),
    ),
    "a name at another value": (
        statement("x = 5", over=OVER),
        (
            define(u, x),
            infer("turned", x, "=", u, "u"),
            infer("end", x, "=", sp.Integer(5), Use("turned", at={u: sp.Integer(5)})),
        ),
        {"x": x},
        (),
    ),
    "a value that an integral binds": (
        statement("x = 1/2", over=OVER),
        (
            integrated("mean", sp.Integral(u, (x, 0, 1)), u),
            integrated("half", sp.Integral(x, (x, 0, 1)), sp.Rational(1, 2)),
            infer("turned", x, "=", sp.Integral(x, (x, 0, 1)), Use("mean", at={u: x})),
            infer("end", x, "=", sp.Rational(1, 2), "turned", "half"),
        ),
        {"x": x},
        (),
    ),
    "an equation of one point under an integral": (
        statement("y = 1/2", "y = x", over=(*OVER, real("y", -3, 3))),
        (
            integrated("mean", y, sp.Integral(y, (x, 0, 1))),
            integrated("half", sp.Integral(x, (x, 0, 1)), sp.Rational(1, 2)),
            infer("turned", sp.Integral(y, (x, 0, 1)), "=", sp.Integral(x, (x, 0, 1)), Use("y = x")),
            infer("end", y, "=", sp.Rational(1, 2), "mean", "turned", "half"),
        ),
        {"x": x, "y": y},
        (Hypothesis("y = x", sp.Eq(y, x)),),
    ),
    "rules of letters that nobody gave": (
        statement("h^T h = 1", over=(vector("h", "reals", 2, -3, 3),)),
        (Step("end", "", lhs=scalar(transpose(h) * h), rhs=sp.Integer(1), algebra=_unit()),),
        {"h": h},
        (),
    ),
    "rules of letters behind a hypothesis": (
        statement("h^T h = 1", "x < 1", over=(vector("h", "reals", 2, -3, 3), *OVER)),
        (
            Step(
                "end",
                "",
                lhs=scalar(transpose(h) * h),
                rhs=sp.Integer(1),
                algebra=_unit("x < 1"),
                premises=("x < 1",),
            ),
        ),
        {"h": h, "x": x},
        (BELOW_1,),
    ),
    "a letter that a lemma brings in": (
        statement("h^T h = 1", over=(vector("h", "reals", 2, -3, 3),)),
        (infer("end", scalar(transpose(h) * h), "=", sp.Integer(1), Use("length", of=lambda: _UNIT)),),
        {"h": h},
        (),
    ),
    "a fact that says nothing of its letters": (
        statement("x^2 > 0", over=OVER),
        (
            Step("square", "", lhs=x**2, rhs=zero, relation=">=", witness=x**2),
            define(letter("X"), inverse(letter("Y"))),
            by_fact("nothing", "", "an inverse from the left", {"X": letter("X"), "Y": letter("Y")}, {"inverse": "X"}),
            infer("end", x**2, ">", zero, "square", "nothing"),
        ),
        {"x": x},
        (),
    ),
    "a variable that is said to exist": (
        statement("y = 0", over=(real("y", -3, 3),)),
        (
            Step("line", "x is continuous.", kind="definition"),
            by_fact(
                "end",
                "",
                "a value in between",
                {"f": x, "argument": x, "low": sp.Integer(1), "high": sp.Integer(-1), "root": y},
                {
                    "continuous": "line",
                    "low": Step("one", "", lhs=sp.Integer(1), rhs=zero, relation=">=", witness=sp.Integer(1)),
                    "high": Step("less", "", lhs=sp.Integer(-1), rhs=zero, relation="<=", witness=sp.Integer(-1)),
                },
            ),
        ),
        {"y": y},
        (),
    ),
    "a relation behind words": (
        statement("delta_shift(D; eps) < delta_shift(D; eps) - 1", "D > 0"),
        (
            infer("above", sp.Integer(1), "<", -(D**2), Use(QUANTITIES["mean_shift"].means)),
            Step("below", "", lhs=-(D**2), rhs=zero, relation="<", witness=-(D**2)),
            infer("end", _distance, "<", _distance - 1, Use("above"), Use("below")),
        ),
        {"D": D, "eps": eps},
        (Hypothesis(QUANTITIES["mean_shift"].means, sp.Lt(sp.Integer(1), -(D**2), evaluate=False), of="mean_shift"),),
    ),
}
TRUE = {  # much the same where it is right, so that what refuses the others is what is wrong with them
    "a name, and its sign by a premise": (
        statement("x^2 + 1 > 0", over=OVER),
        (
            Step("above", "", lhs=x**2 + 1, rhs=zero, relation=">", witness=x**2 + 1),
            define(v, x**2 + 1, ("above",)),
            Step("v > 0", "", lhs=v, rhs=zero, relation=">", witness=v),
            infer("end", x**2 + 1, ">", zero, "v", Use("v > 0")),
        ),
        {"x": x},
    ),
    "a name of a lemma": (
        statement("x^2 >= 0", over=OVER),
        (define(u, x**2), infer("end", x**2, ">=", zero, "u", Use("u >= 0", of=lambda: _PARABOLA))),
        {"x": x},
    ),
    "a slope everywhere": (
        statement("x < x + 10", over=OVER),
        (
            Step("slope", "", lhs=sp.Derivative(x, x), rhs=zero, relation=">", witness=sp.Integer(1)),
            _two_points(x, 10),
            infer("end", x, "<", x + 10, "two"),
        ),
        {"x": x},
    ),
    "a slope of what does not jump": (statement("x - 1 < x + 1", over=OVER), _rising(x), {"x": x}),
    "a step at another value": (
        statement("x < x + 26", over=OVER),
        (
            Step("above", "", lhs=x**2 + 1, rhs=zero, relation=">", witness=x**2 + 1),
            infer("end", x, "<", x + 26, Use("above", at={x: sp.Integer(5)}, weight=-1)),
        ),
        {"x": x},
    ),
    "a value under an integral": (
        statement("y = 1/2 + y - 1/2", over=(real("y", -3, 3),)),
        (
            integrated("mean", sp.Integral(u, (x, 0, 1)), u),
            infer("end", y, "=", sp.UnevaluatedExpr(sp.Rational(1, 2)) + y - sp.Rational(1, 2), Use("mean", at={u: y})),
        ),
        {"y": y},
    ),
}


@pytest.mark.parametrize("name", FALSE)
def test_a_false_proof_is_none(name):
    assert not passes(*FALSE[name])


@pytest.mark.parametrize("name", TRUE)
def test_what_is_right_is_a_proof(name):
    assert passes(*TRUE[name])


@pytest.mark.parametrize(
    ("fact", "letters"),
    [
        ("translations keep integrals", {"f": sp.Lambda(place, sp.Function("f")(place)), "shift": place}),
        ("integrals over a set are linear", {"f": zero, "c": place, "g": sp.Function("g")(place), "set": place}),
        ("one derivative and one value", {"f": 1 / v, "g": 1 / v + 1, "argument": v}),
    ],
)
def test_what_a_fact_is_not_about_is_refused(fact, letters):
    """A shift or a factor that changes from point to point; a function that has no value at 0."""
    with pytest.raises(InputError):
        FACTS[fact].instance(letters)


@pytest.mark.parametrize(
    ("fact", "conditions"),
    [
        ("arithmetic and geometric mean", {"first", "other", "count"}),  # 2 numbers below 0; -1 of them
        ("trade-off curves are convex", {"share", "other share"}),  # c = -1
        ("slices of two normal laws", {"variance", "other variance", "rest", "other rest"}),  # below 0
    ],
)
def test_every_sign_that_a_fact_needs_is_asked_for(fact, conditions):
    assert set(FACTS[fact].required) == set(FACTS[fact].conditions) == conditions


def test_a_mean_goes_over_every_point():
    f = (place - 1) * sp.exp(-(place**2))
    steps = (
        infer("pointwise", f, "<=", zero, Use("x < 1", weight=sp.exp(-(place**2)))),
        Step("integrable", "Both are integrable.", kind="definition"),
        by_fact(
            "means",
            "",
            "means keep the order",
            {"mean": total, "f": f, "g": zero},
            {"pointwise": "pointwise", "integrable": "integrable"},
        ),
    )
    found = problems(derivation(steps, {"x": x}, (BELOW_1,)))
    assert found == ["step 'means': condition 'pointwise' is shown at one x alone"]


def test_a_number_of_a_fact_is_the_same_at_every_point():
    """The mean of a normal law on the line, where its density is integrated over the same x."""
    letters = {"mean": place, "other mean": zero, "variance": v, "other variance": v, "epsilon": eps}
    shown = Step("positive", "", lhs=v, rhs=zero, relation=">", witness=v)
    fact = "divergence of two normal laws on the line"
    step = by_fact("line", "", fact, letters, {"variance": shown, "other variance": shown})
    found = problems(derivation((step,), {"v": v, "eps": eps}))
    assert found == ["step 'line': 'mean' depends on x, over which the fact goes"]


def test_no_name_is_defined_by_itself():
    proof = derivation((define(u, u + 1), infer("end", u, "=", u + 1, "u")), {"x": x, "u": u})
    assert any("u is defined by itself" in text for text in problems(proof))


def test_a_lemma_may_bring_letters_in():
    assert not problems(_UNIT) and _UNIT.proved


def test_names_have_what_they_are_assumed_to_be():
    """A whole number for every number, and a number that is not 0."""
    for name in (n, sp.Symbol("w", real=True, nonzero=True)):
        proof = derivation((define(name, x), infer("end", name, "=", x, str(name))), {"x": x})
        assert any("nothing says why" in text for text in problems(proof))
    assert unheard(_nonzero) and not unheard(x) and not unheard(v) and not unheard(n)


@pytest.mark.parametrize(
    ("side", "old", "new", "fixed", "bound"),
    [
        (sp.Integral(u, (s, 0, 1)), u, s, (), True),
        (sp.Limit(u, s, 0), u, s, (), True),
        (sp.Sum(u, (n, 0, 3)), u, n, (), True),
        (sp.Lambda(s, u + s), u, s, (), True),
        (total(u), u, place, (), True),
        (normal_mean(u), u, place, (), False),
        (sp.Integral(u * s, (s, 0, 1)), u, x, (), False),
        (sp.Derivative(sp.exp(s) + sp.Function("f")(s), s), sp.Function("f")(s), s**2, (), False),
        (sp.Derivative(sp.exp(s) + sp.Function("f")(s), s), sp.Function("f")(s), s**2, (s,), True),
        (sp.Derivative(sp.Function("f")(n), n), sp.Function("f")(n), n**2, (), True),
        (u + s, u, s, (), False),
    ],
)
def test_what_would_be_bound_is_not_put_in(side, old, new, fixed, bound):
    assert captured(side, old, new, fixed) is bound


def test_a_function_is_replaced_at_all_of_its_values_or_at_none():
    f = sp.Function("f")
    assert taken_over(f(x) - f(0), {f(x): x + 1}) == f(0)
    with pytest.raises(InputError):
        at_values(f(x) - f(0), {f(x): x + 1})
    assert at_values(total(f(place)), {f(place): place**2}) == total(place**2)


def test_words_are_granted_by_the_same_words():
    def lemma():
        return _LEMMA

    steps = (
        Step("other words", "The sun shines.", kind="definition"),
        Step("same words", "As f is continuous.", kind="definition"),
    )
    for shown, right in (("other words", False), ("same words", True)):
        use = Use("u >= 0", of=lemma, granted={"f is continuous": shown})
        proof = derivation((*steps, define(u, x**2), infer("end", u, ">=", zero, use)), {"x": x})
        assert any("does not say" in text for text in problems(proof)) is not right
