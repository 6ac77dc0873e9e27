"""What a name depends on, by definitions, by facts that bring it in, by draws and by lemmas, one way or all of them."""

import pytest
import sympy as sp
from whole_proofs import define, derivation, infer, integrated, passes

from ndis_verify.court.proof_names import what_is_behind
from ndis_verify.court.proof_structure import problems
from ndis_verify.exact_number import InputError
from ndis_verify.statements.reading import statement
from ndis_verify.statements.statement import real, vector
from ndis_verify.symbolic.derivation import Hypothesis, Step, Use
from ndis_verify.symbolic.fact_steps import by_fact
from ndis_verify.symbolic.facts import FACTS
from ndis_verify.symbolic.normal_coordinates import entry
from ndis_verify.symbolic.notation import average, below, beyond, chi_variable, x
from ndis_verify.symbolic.statement_terms import quantity

zero, one = sp.Integer(0), sp.Integer(1)
t, r, s, y, k, c = sp.symbols("t r s y k c", real=True)
h = sp.Function("h", real=True)(k)


def _order(name, left, sign, right):
    return Step(name, "", lhs=left, rhs=right, relation=sign, witness=left - right)


def _root(f, low, high, premises=()):
    conditions = {
        "low": _order("low", f.subs(t, low), ">=", zero),
        "high": _order("high", f.subs(t, high), "<=", zero),
    }
    letters = {"f": f, "argument": t, "low": low, "high": high, "root": r}
    return by_fact("root", "", "a value in between", letters, conditions, premises=premises)


def _near(number):
    """The root of t - number."""
    return _root(t - number, number + 1, number - 1), infer("below", r - number, "<=", zero, "root")


def _above(number):
    return infer("above", r - number, ">=", zero, "root")


def _wrong(*steps, hypotheses=("words",)):
    return "; ".join(problems(derivation(steps, {}, hypotheses)))


def _claim(text, *hypotheses):
    return statement(text, *hypotheses, over=(real("y", -9, 9),))


def test_a_root_is_no_constant_under_an_integral_over_what_it_depends_on():
    """y <= 1 for every y >= 0 was proved: the root y of t - y was taken out of an integral over y."""
    at = sp.Symbol("y", nonnegative=True)
    falls = sp.exp(-at)

    def mean(f):
        return sp.Integral(f, (at, 0, sp.oo))

    root, low = _near(at)
    steps = (
        root,
        low,
        _above(at),
        infer("pointwise", r * falls, "<=", at * falls, Use("below", weight=falls)),
        by_fact(
            "order",
            "",
            "means keep the order",
            {"mean": mean, "f": r * falls, "g": at * falls},
            {"pointwise": "pointwise", "integrable": "pointwise"},
        ),
        integrated("one", mean(r * falls), r),
        integrated("other", mean(at * falls), one),
        infer("end", at, "<=", one, "order", "one", "other", Use("above", weight=-1)),
    )
    assert not passes(_claim("y <= 1", "y >= 0"), steps, {"y": at})
    assert "r stands for what depends on y, over which Integral goes" in _wrong(*steps)


def test_a_name_of_a_root_is_used_at_no_other_value():
    root, low = _near(y)
    named = define(s, r)
    least, most = infer("least", s, ">=", y, "above", "s"), infer("most", s, "<=", y, "below", "s")
    start = (root, low, _above(y), named, least, most)
    end = infer("end", y, ">=", y + 1, Use("most", weight=-1), Use("least", at={y: y + 1}))
    assert not passes(_claim("y >= y + 1"), (*start, end), {"y": y})
    assert "speaks of s, which was defined for other values" in _wrong(*start, end)
    assert "other values" not in _wrong(*start, infer("end", s, "<=", y, "most"))


def test_a_root_that_depends_on_an_unknown_function_is_one_root():
    root, low = _near(h)
    end = infer("end", y, ">=", y + 1, Use("below", at={h: y}, weight=-1), Use("above", at={h: y + 1}))
    assert not passes(_claim("y >= y + 1"), (root, low, _above(h), end), {"y": y})
    assert "speaks of r, which was defined for other values" in _wrong(root, low, _above(h), end)


def test_the_whole_way_is_followed():
    root, low = _near(y)
    u = sp.Symbol("u", real=True)
    proof = derivation((root, low, define(s, r + k), define(u, s**2)), {}, ())
    behind = what_is_behind(proof)
    assert behind[u] >= {y, k, r, s} and t not in behind[u] | behind[r]
    assert behind[s] == {y, k, r} and behind[r] == {y}


def test_a_distance_is_put_under_no_integral_that_goes_over_it():
    """int_0^1 y dv at y = v was int_0^1 v dv = 1/2 for every y."""
    half = sp.Rational(1, 2)
    f = sp.Integral(y, (below, 0, 1))
    above = Step("above", "", f.subs(y, below), half, "<=", zero, reduce=lambda a, b: a.doit() - b)
    less = Step("less", "", f.subs(y, -beyond), half, "<=", -beyond - half, reduce=lambda a, b: a.doit() - b)
    letters = {"f": f, "g": half, "argument": y, "edge": zero}
    sides = by_fact("sides", "", "both sides of an edge", letters, {"above": above, "below": less})
    steps = (sides, integrated("value", f, y), infer("end", y, "<=", half, "sides", "value"))
    assert not passes(_claim("y <= 1/2"), steps, {"y": y})
    assert "'f' goes over v, of which another letter speaks" in _wrong(*steps)


@pytest.mark.parametrize("called", [y**2, zero, y + 1])
def test_a_function_is_defined_at_a_symbol(called):
    """h(y^2) := y was used at y and at -y."""
    name = sp.Function("h", real=True)(called)
    steps = (
        define(name, y),
        infer("p", name, "<=", y, str(name)),
        infer("q", name, ">=", y, str(name)),
        infer("end", y, ">=", -y, Use("p", weight=-1), Use("q", at={y: -y})),
    )
    assert not passes(_claim("y >= -y"), steps, {"y": y})
    assert "is defined at what is no symbol" in _wrong(*steps)
    assert "is defined at" not in _wrong(define(sp.Function("h", real=True)(y), y**2))
    assert "is defined at" in _wrong(define(sp.Function("h", real=True)(y, y), y**2))


def test_a_call_that_stands_for_a_coordinate_is_no_number_of_a_sum():
    v = sp.Symbol("v", real=True)
    at = quantity("coordinate", v)

    def summed(f):
        return quantity("sum", f)

    def linear(name, f):
        shown = {"integrable": _order("shown", at**2, ">=", zero)}
        return by_fact(name, "", "means are linear", {"mean": summed, "terms": [(c, f)]}, shown)

    first, second, third = summed(at), summed(at**2), summed(at**3)
    steps = (
        define(h, at),
        linear("first", at),
        linear("third", at**2),
        infer("a", second, "=", summed(h * at), str(h)),
        infer("b", third, "=", summed(h * at**2), str(h)),
        infer("c", h * first, "=", second, "a", Use("first", at={c: h})),
        infer("end", third * first, "=", second**2, "b", Use("third", at={c: h}), "c"),
    )
    claim = statement("(sum_i v_i^3) (sum_i v_i) = (sum_i v_i^2)^2", over=(vector("v", "reals", 2, -9, 9),))
    assert not passes(claim, steps, {"v": v})
    assert "speaks of one coordinate" in _wrong(*steps)


@pytest.mark.parametrize("name", [s, h])
def test_a_name_of_a_draw_is_no_constant(name):
    chi = chi_variable(one)
    steps = (
        by_fact("square", "", "mean square of a chi variable", {"chi": chi, "r": one}, {}),
        by_fact("less", "", "square of a mean and mean square", {"chi": chi, "r": one}, {"square": "square"}),
        by_fact("constant", "", "expectation of a constant", {"c": c}, {}),
        define(name, chi),
        infer("named", average(name) ** 2, "<", average(name**2), "less", str(name)),
        infer(
            "end",
            (y + 1) ** 2,
            ">",
            y**2 + 2 * y + 1,
            *(Use("named", weight=-1), Use("constant", at={c: name}), Use("constant", at={c: name**2})),
        ),
    )
    assert not passes(_claim("(y + 1)^2 > y^2 + 2 y + 1"), steps, {"y": y})
    assert "has a mean over c, which has no value there" in _wrong(*steps)


def test_one_point_is_drawn_under_one_curve():
    at, point = sp.Symbol("y", nonnegative=True), sp.Symbol("X", real=True)

    def under(name, f):
        return by_fact(name, "", "points under a curve", {"point": point, "f": f, "argument": at}, {})

    two = (under("a", sp.exp(-at)), under("b", sp.exp(-2 * at)))
    assert "X is drawn from two laws" in _wrong(*two)
    assert "two laws" not in _wrong(under("a", sp.exp(-at)), under("b", sp.exp(-at)))


def test_words_beside_a_relation_that_symbols_make_true_show_nothing():
    """h was continuous by a hypothesis that no claim makes, as its relation was true."""
    unknown = sp.Function("h", real=True)
    f = t + (1 - t**2) * unknown(t)
    words = "h is continuous"
    for relation, right in ((sp.true, False), (None, True)):
        root = _root(f, one, -one, premises=(words,))
        found = _wrong(root, hypotheses=(Hypothesis(words, relation),))
        assert ("says no relation" in found) is not right and ("which may jump" in found) is not right
    assert "says no relation" not in _wrong(_near(y)[0], hypotheses=(Hypothesis("real y", sp.true),))


# What another stranger found


def test_a_root_of_the_point_is_no_constant_under_an_integral_over_the_point():
    root = _root(t - x, x + 1, x - 1)
    f = sp.exp(-(x**2))
    shown = {"integrable": _order("shown", f, ">=", zero)}
    linear = by_fact("linear", "", "means are linear", {"mean": _over_the_line, "terms": [(r, f)]}, shown)
    assert "r stands for what depends on x, over which Integral goes" in _wrong(root, linear)


def _over_the_line(f):
    return sp.Integral(f, (x, -sp.oo, sp.oo))


@pytest.mark.parametrize("deep", [False, True])
def test_a_name_of_a_name_of_a_draw_is_drawn(deep):
    chi, m = chi_variable(one), sp.Symbol("m", real=True)
    named = (define(s, chi - 1), define(m, s + 1)) if deep else (define(m, chi),)
    drawn = by_fact("square", "", "mean square of a chi variable", {"chi": chi, "r": one}, {})
    assert "m is drawn, and 'c' is a number" in _wrong(
        drawn, *named, by_fact("c", "", "expectation of a constant", {"c": m}, {})
    )
    linear = by_fact("l", "", "means are linear", {"mean": average, "terms": [(m, m)]}, {"integrable": "words"})
    assert "m is drawn, and is no number" in _wrong(drawn, *named, linear)


def test_a_root_of_a_draw_is_drawn():
    chi = chi_variable(one)
    drawn = by_fact("square", "", "mean square of a chi variable", {"chi": chi, "r": one}, {})
    linear = by_fact("l", "", "means are linear", {"mean": average, "terms": [(r, r)]}, {"integrable": "words"})
    assert "r is drawn, and is no number" in _wrong(drawn, _root(t - chi, chi + 1, zero), linear)


def test_a_name_of_what_is_drawn_is_no_place_of_a_normal_law():
    """E (y - n) g(y) = E g'(y) holds for a number n, not for n = y - h(y)."""
    drawn, unknown = sp.Symbol("Y", real=True), sp.Function("h", real=True)
    letters = {"y": drawn, "theta": s, "std": one, "g": drawn, "slope": one}
    stein = Step("stein", "", kind="fact", fact="Stein's identity", letters=letters, lhs=zero, rhs=zero)
    found = _wrong(define(s, drawn - unknown(drawn)), stein)
    assert "s is drawn, and 'theta' is a number" in found


def test_a_jump_is_excused_in_its_own_symbol():
    """max(0, -x)^max(0, x) jumps at 0, whatever it does where another parameter moves."""
    other, at = sp.symbols("p q", positive=True)
    jumps = sp.Max(0, -t) ** sp.Max(0, t)
    letters = {"one": jumps, "other": jumps, "parameter": other, "at": at}
    fact = "the smaller of two, without jumps"
    excuse = Step(
        "excuse",
        "",
        kind="fact",
        fact=fact,
        letters=letters,
        lhs=sp.Limit(jumps, other, at, "+-"),
        rhs=jumps,
    )
    root = _root(jumps - sp.Rational(1, 2), -one, one, premises=("excuse",))
    assert "which may jump" in _wrong(excuse, root)


def test_numbers_of_a_fact_speak_of_no_point_and_of_nothing_that_it_goes_over():
    """The share as log(1 + k) - k x_i^2 made every deletion free; d = t made all numbers of columns one."""
    positive = sp.Symbol("k", positive=True)
    name = "products as a hinge of a chi-square variable"
    of_fact = FACTS[name]
    letters = dict.fromkeys(("d", "first"), one) | {"second": 1 + positive, "share": -positive, "t": t}
    letters |= dict.fromkeys(("epsilon", "weight"), zero)
    with pytest.raises(InputError, match="share"):
        of_fact.required["loss"](letters | {"share": sp.log(1 + positive) - positive * entry(x) ** 2})
    at = sp.Symbol("t", positive=True)
    for degrees, wrong in ((one, False), (at, True)):
        own = letters | {"d": degrees, "t": at}
        left, sign, right = of_fact.instance(own)
        step = Step("hinge", "", left, right, sign, kind="fact", fact=name, letters=own)
        assert ("t is one number in a side, and gone over there" in _wrong(step)) is wrong
