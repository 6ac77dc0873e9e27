"""What a proof computes with: finite numbers, not rounded, of which SymPy knows no more than something says."""

import pytest
import sympy as sp
from whole_proofs import define, derivation, infer, integrated, passes

from ndis_verify.court.proof_infinite import untaken
from ndis_verify.court.proof_means import is_density
from ndis_verify.court.proof_structure import problems
from ndis_verify.exact_number import InputError
from ndis_verify.statements.reading import statement
from ndis_verify.statements.statement import integer, real, vector
from ndis_verify.symbolic.derivation import Hypothesis, Step, Use
from ndis_verify.symbolic.fact_steps import by_fact
from ndis_verify.symbolic.facts import FACTS
from ndis_verify.symbolic.finite_means import Known, is_finite
from ndis_verify.symbolic.normal_coordinates import entry, total_of
from ndis_verify.symbolic.normal_coordinates import z as Z
from ndis_verify.symbolic.notation import normal_mean, total, x
from ndis_verify.symbolic.special_functions import Phi
from ndis_verify.symbolic.statement_terms import quantity
from ndis_verify.symbolic.zero import is_zero

zero, one = sp.Integer(0), sp.Integer(1)
s, y, a = sp.symbols("s y a", real=True)
t, P = sp.symbols("t P", positive=True)
b = sp.Symbol("b", positive=True)
SQUARE = Step("square", "", s**2 - s + sp.Rational(1, 4), zero, ">=", (s - sp.Rational(1, 2)) ** 2)


def _order(name, left, sign, right):
    return Step(name, "", lhs=left, rhs=right, relation=sign, witness=left - right)


def _wrong(*steps, hypotheses=("words",)):
    return "; ".join(problems(derivation(steps, {}, hypotheses)))


def _claim(text, *hypotheses, over=()):
    return statement(text, *hypotheses, over=over or (real("y", -9, 9),))


# Infinity


def _value_of_supremum(f, at, argument=t):
    conditions = {"low": _order("low", at, ">=", zero), "high": Step("high", "", at, one, "<=", -(s**2) / (1 + s**2))}
    letters = {"f": f, "argument": argument, "low": zero, "high": one, "at": at}
    return by_fact("value", "", "a value of a supremum over an interval", letters, conditions)


def test_a_supremum_that_is_infinite_is_no_number():
    """y >= y + 3/4 was proved from the supremum of 1/t over [0, 1]."""
    at = 1 / (1 + s**2)
    value = _value_of_supremum(1 / t, at)
    end = infer("end", y, ">=", y + sp.Rational(3, 4), "s", Use("value", weight=-1), "square")
    steps = (define(s, quantity("sup", zero, one, sp.Lambda(t, 1 / t))), value, SQUARE, end)
    assert not passes(_claim("y >= y + 3/4"), steps, {"y": y})
    assert "sup(0, 1, Lambda(t, 1/t)) is given a name, and may be infinite" in _wrong(*steps)
    jumps = sp.Symbol("t", real=True)
    assert "'f' has floor(t), which may jump" in _wrong(_value_of_supremum(sp.floor(jumps), at, jumps))


def test_an_expectation_that_is_infinite_is_no_number():
    """K = E e^(S^2/2) is infinite, and above E e^(S^2/2 (1 - 1/c^2)) = c for every c > 0."""
    v, u = sp.symbols("v u", real=True)
    c = sp.Symbol("c", positive=True)
    size = quantity("coordinate", v)
    drawn = total_of(size * entry(Z))
    share = (1 - 1 / c**2) / 2
    smaller, larger, of_one = sp.exp(share * drawn**2), sp.exp(drawn**2 / 2), sp.exp(share * u**2)
    length = Hypothesis("sum_i v_i^2 = 1", sp.Eq(total_of(size**2), 1, evaluate=False))
    exponents = Step("exponents", "", share * drawn**2, drawn**2 / 2, "<=", -(drawn**2) / (2 * c**2))
    start = (
        by_fact(
            "e",
            "",
            "exponentials keep the order",
            {"a": share * drawn**2, "b": drawn**2 / 2},
            {"order": exponents},
        ),
        by_fact(
            "means",
            "",
            "means keep the order",
            {"mean": normal_mean, "f": smaller, "g": larger},
            {"pointwise": "e", "integrable": "e"},
        ),
        by_fact(
            "one direction",
            "",
            "mean of a function of a normal sum",
            {"f": of_one, "argument": u, "b": size, "length": one},
            {"length": length.text, "sign": Step("sign", "", of_one, zero, ">=", of_one)},
        ),
    )
    mean, fall = start[-1].rhs, sp.Rational(3, 4)
    end = (
        integrated("value", mean, c),
        infer("c is less", c, "<=", normal_mean(larger), "means", "one direction", "value"),
    )
    named = infer("end", y, ">=", y + fall, "s", Use("c is less", at={c: 1 + s**2}, weight=-1), "square")
    put = infer("end", y, ">=", y + fall, Use("c is less", at={c: 1 + normal_mean(larger) ** 2}, weight=-1), "square")
    claim = _claim("y >= y + 3/4", length.text, over=(real("y", -9, 9), vector("v", "reals", 2, -1, 1)))
    for steps, words in (
        ((define(s, normal_mean(larger)), *start, *end, SQUARE, named), "is given a name, and may be infinite"),
        ((*start, *end, SQUARE, put), "what is put for c has normal_mean"),
    ):
        assert not passes(claim, steps, {"y": y, "v": v}, (length,))
        assert words in _wrong(*steps, hypotheses=(length,))


def test_what_may_be_infinite_is_no_letter_of_another_fact():
    """A mean that a fact takes although it may be infinite."""
    f = sp.Function("f", nonnegative=True)(x)
    order = by_fact(
        "order",
        "",
        "means keep the order",
        {"mean": total, "f": f, "g": 2 * f},
        {"pointwise": Step("p", "", f, 2 * f, "<=", -f), "integrable": "q"},
    )
    q = Step("q", "", f, zero, ">=", f)
    used = by_fact("e", "", "logarithm below its tangent", {"y": 1 + total(f)}, {"positive": "words"})
    assert "total(f(x)) is in a letter, and may be infinite" in _wrong(q, order, used)
    for side, right in (
        (2 * total(f) + y, True),
        (total(f) ** 2, False),
        (y - total(f), False),
        (sp.exp(total(f)), False),
    ):
        assert (
            "is computed with, and may be infinite" not in _wrong(q, order, infer("e", side, ">=", y, "q"))
        ) is right
    other = by_fact("e", "", "logarithm below its tangent", {"y": quantity("sup", zero, one, sp.Lambda(t, t**2))}, {})
    assert "is in a letter, and may be infinite" in _wrong(other)


def test_infinite_limits_and_integrals_are_no_numbers():
    """Phi(-oo) = 0 is positive for SymPy while nobody takes the limit, or the integral."""
    n = sp.Symbol("n", real=True)
    nothing = Phi(sp.Limit(-n, n, sp.oo))
    end = infer("end", (y + 1) ** 2, ">", y**2 + 2 * y + 1, "positive", "P")
    steps = (define(P, nothing), _order("positive", P, ">", zero), end)
    assert not passes(_claim("(y + 1)^2 > y^2 + 2 y + 1"), steps, {"y": y})
    assert "infinite limit, which is taken in an identity alone" in _wrong(*steps)
    assert "infinite limit" in _wrong(Step("positive", "", nothing, zero, ">", nothing))
    assert "infinite limit" not in _wrong(Step("nothing", "", nothing, zero))
    endless = sp.Integral(1, (t, 0, sp.oo))
    assert "Integral(1, (t, 0, oo)) is given a name, and may be infinite" in _wrong(define(P, Phi(-endless)))
    assert "Integral(1, (t, 0, oo)) may be infinite" in _wrong(integrated("taken", Phi(-endless), zero))
    assert "has no two ends" in _wrong(Step("one", "", sp.Integral(1 / t, t), sp.log(t)))


@pytest.mark.parametrize(
    ("integral", "value"),
    [
        (sp.Integral(1 / s**2, (s, -b, sp.oo)), -1 / b),
        (sp.Integral(1 / (t - 2) ** 2, (t, 0, b)), -sp.Rational(1, 2) - 1 / (b - 2)),
        (sp.Integral(sp.exp(-a * t), (t, 0, sp.oo)), 1 / a),
    ],
)
def test_integrals_are_not_taken_past_poles_nor_to_infinity(integral, value):
    """SymPy's `simplify` took them, and at points where they had a value they had this one."""
    assert is_zero(integral - value) is not True
    step = integrated("taken", integral, value)
    assert list(untaken(derivation((step,), {}), step))


def test_integrals_that_are_finite_by_their_form_are_taken():
    for integral in (
        sp.Integral(t ** sp.Rational(-7, 3), (t, 1, sp.oo)),
        sp.Integral(sp.exp(-(s**2) / 2), (s, -sp.oo, sp.oo)),
        sp.Integral(sp.exp(-b * t), (t, 0, sp.oo)),
    ):
        assert is_finite(integral, Known())
        step = integrated("taken", integral, sp.simplify(integral.doit()))
        assert not list(untaken(derivation((step,), {}), step)) and step.holds is True
    from_an_end = sp.Integral(t ** sp.Rational(-1, 2) * sp.exp(-t), (t, a, sp.oo))
    assert not is_finite(from_an_end, Known()) and is_finite(from_an_end, Known(relations=((a, ">=", zero),)))
    assert not is_finite(sp.Integral(1 / t, (t, a, sp.oo)), Known(relations=((a, ">=", zero),)))


def test_that_an_integral_is_finite_is_said_by_a_number():
    """Any relation of it showed it before: that it is itself, too."""
    fact, f = "hinge of a falling exponent", sp.exp(-t)
    integral = sp.Integral(f, (t, one, sp.oo))
    letters = {"f": f, "h": -t, "argument": t, "edge": one}
    for step, wrong in (
        (Step("first", "", integral, integral + sp.UnevaluatedExpr(zero)), True),
        (integrated("first", integral, sp.exp(-one)), False),
    ):
        shown = dict.fromkeys(FACTS[fact].conditions, "words") | {"first": step}
        found = _wrong(by_fact("hinge", "", fact, letters, shown))
        assert ("a finite number, which is not what shows it" in found.partition("'second'")[0]) is wrong


def test_a_logarithm_at_an_end_is_not_bounded():
    """e^{(log t)^2} is continuous between 0 and 1, and its integral is infinite."""
    for f, wrong in ((sp.exp(sp.log(t) ** 2), True), (sp.exp(sp.log(1 + t) ** 2), False)):
        assert ("may be infinite" in _wrong(define(s, sp.Integral(f, (t, zero, one))))) is wrong


# Floats, and what is assumed of letters


@pytest.mark.parametrize("number", [sp.Float(1), sp.Float(1, 2), sp.Float("0.1", 50)])
def test_a_float_is_no_number_of_a_proof(number):
    step = Step("end", "", number * y, y * sp.Rational(number) * (1 + sp.Rational(1, 10**70)))
    assert "which is rounded" in _wrong(step)
    lent = (Step("l", "", b + b, 2 * b), infer("end", y, "=", y, Use("l", at={b: number})))
    assert "what is put for b has" in _wrong(*lent)


def test_what_is_assumed_of_a_symbol_is_said_somewhere():
    root = sp.Symbol("r", real=True, zero=False)
    argument = sp.Symbol("u", real=True)
    conditions = {"low": _order("low", one, ">=", zero), "high": _order("high", -one, "<=", zero)}
    letters = {"f": argument, "argument": argument, "low": one, "high": -one, "root": root}
    steps = (
        by_fact("root", "", "a value in between", letters, conditions),
        _order("not 0", root**2, ">", zero),
        infer("end", (y + 1) ** 2, ">", y**2 + 2 * y + 1, "not 0", "root"),
    )
    assert not passes(_claim("(y + 1)^2 > y^2 + 2 y + 1"), steps, {"y": y})
    assert "nothing says why r is extended_nonzero, nonzero, zero" in _wrong(*steps)
    ratio = sp.Symbol("q", positive=True, rational=True)
    assert "nothing says why q is" in _wrong(_order("no root of 2", (ratio**2 - 2) ** 2, ">", zero))
    over = sp.Symbol("u", real=True, zero=False)
    assert "nothing says why u is" in _wrong(Step("over", "", sp.Integral(over, (over, 0, y)), y**2 / 2))
    assert "nothing says why" not in _wrong(Step("limit", "", sp.Limit(over * y, over, 1), y))


def test_what_is_assumed_of_a_function_is_said_somewhere():
    n = sp.Symbol("n", integer=True)
    odd = sp.Function("h", odd=True)(n)
    steps = (define(odd, n), infer("n", n, "=", odd, str(odd)), infer("end", (-1) ** n, "=", -one, "n"))
    assert not passes(_claim("(-1)^n = -1", over=(integer("n", -9, 9),)), steps, {"n": n})
    assert "nothing says why h(n) is" in _wrong(*steps)
    own = sp.Function("total", positive=True)
    assert "total is no function of the notation" in _wrong(_order("p", own(sp.exp(-(x**2))), ">", zero))
    assert "no function of the notation" not in _wrong(Step("z", "", total(sp.exp(-(x**2))) - total(x), zero))


@pytest.mark.parametrize(
    ("right", "assumed"),
    [(True, "nonnegative"), (True, "positive"), (False, "zero"), (False, "real"), (False, "nonnegative integer")],
)
def test_a_density_is_not_negative_and_nothing_else(right, assumed):
    f = sp.Function("f", **dict.fromkeys(assumed.split(), True))
    step = Step("density", "", lhs=total(f(x)), rhs=one, kind="definition")
    assert is_density(step) is right


@pytest.mark.parametrize("fact", ["rises from 0", "does not fall from 0", "first up, then down"])
def test_an_argument_from_0_on_is_every_number(fact):
    at = sp.Symbol("q", positive=True, rational=True)
    letters = dict.fromkeys(FACTS[fact].letters, at) | {"f": at, "argument": at}
    with pytest.raises(InputError, match="every number from 0 on"):
        FACTS[fact].instance(letters)
    FACTS[fact].instance(dict.fromkeys(letters, t) | {"f": t, "argument": t})
