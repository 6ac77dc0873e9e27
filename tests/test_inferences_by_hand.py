"""How inferences are decided: what SymPy knows, what is put in and multiplied with, reductions, names of lemmas. False
proofs that passed.
"""

from dataclasses import replace

import pytest
import sympy as sp
from steps_by_hand import claimed, evident, held, in_order, of_fact, one, zero
from whole_proofs import define, derivation, infer, passes

from ndis_verify.court.proof_structure import problems
from ndis_verify.statements.statement import real
from ndis_verify.symbolic.block_algebra import without_rules
from ndis_verify.symbolic.derivation import Conclusion, Derivation, Hypothesis, Step, Use
from ndis_verify.symbolic.sides import has_sign, keeps_sign
from ndis_verify.symbolic.whole_numbers import _is_whole, _sign_at_ends

x, y, z, w, t, a, c = sp.symbols("x y z w t a c", real=True)
positive = sp.Symbol("x", positive=True)
k, n, m = sp.symbols("k n m", integer=True)
p, q = sp.symbols("p q", integer=True, positive=True)
count = sp.Symbol("k", integer=True, nonnegative=True)
h = sp.Function("h", real=True)
D = sp.Derivative
SMALL = claimed("y + 1 <= y")


def square_above(name, at=None):
    """(y + 1)^2 > y^2 + 2 y + 1, by a step that is above 0 wherever one is."""
    return infer("end", (y + 1) ** 2, ">", y**2 + 2 * y + 1, Use(name, at=at or {}))


STRICT = claimed("(y + 1)^2 > y^2 + 2 y + 1")


def refused(stated, steps, hypotheses=(), **symbols):
    return not passes(stated, tuple(steps), {"y": y, **symbols}, hypotheses)


def test_a_sum_with_a_quotient_of_whole_numbers_has_no_sign_by_its_ends():
    """1/(p q) > 1/8, as it is so at p = q = 1."""
    gap = 1 / (p * q) - sp.Rational(1, 8)
    assert gap.is_positive is None and _sign_at_ends(gap).is_positive
    assert (p - 1).is_nonnegative and has_sign(p * q, ">")
    at = {p: sp.Integer(4), q: sp.Integer(4)}
    steps = (
        Step("a", "", held(1 / (p * q)), sp.Rational(1, 8), ">", gap),
        infer("end", y + 1, "<=", y, Use("a", at=at)),
    )
    assert refused(SMALL, steps)
    largest = Step("a", "", held(sp.Max(0, x)), zero, ">=", sp.Max(0, x))
    below = infer("b", gap, ">=", zero, Use("a", at={x: gap}))
    end = infer("end", y + sp.Rational(1, 16), "<=", y, Use("b", at=at, weight=-1))
    assert refused(claimed("y + 1/16 <= y"), (largest, below, end))


def test_a_product_is_no_whole_number_for_all_values_or_for_none():
    """A fifth of an even number was none, and its distance from 2 above 0."""
    fifth = sp.Max(2 * n + 4, 2 * m + 4) / 5
    assert fifth.is_integer is None and _is_whole(fifth) is False and (2 * n).is_integer
    g = fifth - 2
    three = {n: sp.Integer(3), m: sp.Integer(3)}
    assert refused(STRICT, (Step("a", "", held(g**2), zero, ">", g**2), square_above("a", three)))


def test_signs_that_assumptions_give_are_looked_at_at_values():
    f = sp.atan(count)
    assert f.is_positive and not has_sign(f, ">") and not keeps_sign((n - 4) ** 2 * 3, ">")
    name = sp.Symbol("c", positive=True)
    shown = Step("p", "", held(name), zero, ">", name)
    by_name = infer("q", f, ">", zero, "p", "c")
    assert refused(STRICT, (define(name, f), shown, by_name, square_above("q", {count: zero})))
    put_in = infer("q", f, ">", zero, Use("p", at={name: f}))
    assert refused(STRICT, (shown, put_in, square_above("q", {count: zero})))


def _alike(symbol):
    """Two forms of one number where the symbol is positive."""
    return sp.Abs(symbol**3 - symbol**2 + symbol), symbol * sp.Abs(symbol**2 - symbol + 1)


def test_what_holds_for_positive_numbers_is_put_under_no_sum_and_limit_elsewhere():
    f, g = _alike(p)
    total = lambda value: sp.Sum(value, (p, -2, -1))
    taken = {"reduce": lambda left, right: left.replace(sp.Sum, lambda of, *_: of.subs(p, -2) + of.subs(p, -1)) - right}
    steps = (
        *(Step("e", "", f, g), define(h(p), f), infer("h2", h(p), "=", g, str(h(p)), "e")),
        *(infer("s1", total(f), "<=", total(h(p)), str(h(p))), infer("s2", total(h(p)), "<=", total(g), "h2")),
        *(Step("d", "", total(f), 17 * one, **taken), Step("d2", "", total(g), -17 * one, **taken)),
        *(infer("d3", total(f), ">=", 17 * one, "d"), infer("d4", total(g), "<=", -17 * one, "d2")),
        infer("end", y, "<=", y - 34, "s1", "s2", Use("d3", weight=-1), "d4"),
    )
    assert refused(claimed("y <= y - 34"), steps)
    f, g = _alike(positive)
    limit = lambda value: sp.Limit(value, positive, -1)
    steps = (
        *(Step("e", "", f, g), infer("s", held(limit(f)) + 0, "<=", -3 * one, "e"), Step("d", "", limit(f), 3 * one)),
        *(infer("d2", limit(f), ">=", 3 * one, "d"), infer("end", y, "<=", y - 6, "s", Use("d2", weight=-1))),
    )
    assert refused(claimed("y <= y - 6"), steps)
    f, g = (h(positive) * one for one in _alike(positive))
    same = infer("s", limit(f), "<=", limit(g), Use("evident", weight=0))
    end = infer("end", y + 6, "<=", y, Use("s", at={h(positive): one}))
    assert refused(claimed("y + 6 <= y"), (evident(one, ">"), same, end))


def test_a_power_that_changes_under_a_slope_is_not_replaced():
    """The slope of x^4 was 0 where x^2 = 4."""
    given = Hypothesis("x^2 = 4", sp.Eq(x**2, 4))
    slope = D(x**4, x)
    steps = (
        *(infer("s", slope, "<=", zero, "x^2 = 4"), Step("i", "", slope, 4 * x**3)),
        *(infer("i2", 4 * x**3, "<=", slope, "i"), infer("end", 4 * x**3, "<=", zero, "s", "i2")),
    )
    assert refused(claimed("4 x^3 <= 0", "x^2 = 4", over=(real("x", -9, 9),)), steps, (given,), x=x)


def test_nothing_is_put_for_what_a_limit_goes_over():
    limit = sp.Limit(x**2, x, 0)
    steps = (Step("i", "", limit, zero), infer("i2", limit, "<=", zero, "i"))
    end = infer("end", y + 9, "<=", y, Use("i2", at={x: 3 * one}))
    assert "stands for other values" in "; ".join(problems(derivation((*steps, end), {"y": y})))


def test_a_slope_of_an_integral_of_steps_has_a_kink():
    rising = sp.Integral((1 + sp.sign(x)) / 2, (x, 0, a))
    both = rising**2 + rising.subs(a, -a) ** 2
    bent = Step("d", "", sp.Subs(D(both, (a, 2)), a, 0), sp.Rational(5, 2))
    assert "has no slope at every point" in "; ".join(problems(derivation((bent,), {})))
    plain = Step("d", "", sp.Subs(D(sp.Integral(x, (x, 0, a)), a), a, 0), zero)
    assert not problems(derivation((plain,), {}))


def test_what_a_premise_is_multiplied_with_has_a_value():
    given = Hypothesis("x y = x w", sp.Eq(x * y, x * w))
    over = tuple(real(name, -9, 9) for name in "xyw")
    between = infer("end", y, "=", w, Use("x y = x w", between=(1 / x, one)))
    steps = (replace(between, algebra=without_rules([], [x, y, w])),)
    assert refused(claimed("y = w", "x y = x w", over=over), steps, (given,), x=x, w=w)
    f = sp.Function("f")(x)
    steps = (infer("p", f * x * y, "<=", f * x * w, "x y = x w"), infer("end", y, "<=", w, Use("p", at={f: 1 / x})))
    assert refused(claimed("y <= w", "x y = x w", over=over), steps, (given,), x=x, w=w)
    from_0 = sp.Symbol("x", nonnegative=True)
    given = Hypothesis("x y >= x w", sp.Ge(from_0 * y, from_0 * w))
    steps = (infer("end", y, ">=", w, Use("x y >= x w", weight=sp.Max(0, 1 / from_0))),)
    over = (real("x", 0, 9), *over[1:])
    assert refused(claimed("y >= w", "x >= 0", "x y >= x w", over=over), steps, (given,), x=from_0, w=w)


@pytest.mark.parametrize("at", [{h(x): x**2, h(t): t**2, x: sp.Integer(3)}, {h(x): x, h(t): t + 1}])
def test_one_function_is_put_in_at_once(at):
    steps = (in_order("s", h(x) ** 2 + h(t) ** 2, ">="), infer("end", y, "<=", y + 1, Use("s", at=at)))
    assert "put for as well" in "; ".join(problems(derivation(steps, {"y": y})))


@pytest.mark.parametrize("at", [{h(x): x**2, h(t): t**2}, {x: t, t: x}])
def test_one_function_at_two_places_and_two_symbols_are_put_in(at):
    steps = (in_order("s", h(x) ** 2 + h(t) ** 2, ">="), infer("end", y, "<=", y + 1, Use("s", at=at)))
    assert "put for as well" not in "; ".join(problems(derivation(steps, {"y": y})))


def test_a_reduction_is_tried_where_a_function_turns():
    f = sp.tanh((x - 10**4) ** 2)
    whole = Step("e", "", f, one, reduce=lambda left, right: (left - right).replace(sp.tanh, lambda _: one))
    assert "its sides differ somewhere" in "; ".join(problems(derivation((whole,), {})))
    given = Hypothesis("z = 3", sp.Eq(z, 3))
    f = (z**2 + 1) * sp.Max(0, x - 5)
    none = Step("e", "", f, zero, reduce=lambda left, right: (left - right).replace(sp.Max, lambda *_: zero))
    steps = (none, infer("end", z, "<=", 3 * one, "z = 3", Use("e", weight=0)))
    assert "its sides differ somewhere" in "; ".join(problems(derivation(steps, {"z": z}, (given,))))


def _lemma(name, *steps, hypotheses=(), end="e"):
    return Derivation(name, "", (), hypotheses, steps, end, {}, concludes=(Conclusion("OTHER", end, {}),))


def test_a_name_of_a_lemma_below_is_no_variable():
    below = _lemma("a.two", define(c, 5 * one), infer("e", c, "<=", 5 * one, "c"))
    above = _lemma("a.one", infer("e", c + 1, "<=", 6 * one, Use("e", of=lambda: below)))
    end = infer("end", y, "<=", 5 * one, Use("e", of=lambda: above, at={c: y}))
    assert not problems(below) and refused(claimed("y <= 5"), (end,))


def test_a_step_has_not_the_name_of_a_hypothesis():
    words = "the setting is calm"
    steps = (define(c, 5 * one), infer(words, c, "<=", 5 * one, "c"))
    said = problems(_lemma("a.lemma", *steps, hypotheses=(words,), end=words))
    assert said == [f"step {words!r} has the name of a hypothesis"]


def test_a_function_of_a_lemma_is_that_of_its_name_here():
    lemma = _lemma("a.lemma", define(h(positive), one), infer("e", h(positive), "<=", one, "h(x)"))
    steps = (
        *(define(h(t), t), infer("m", h(t), ">=", t, str(h(t)))),
        infer(
            *("end", y + 4, "<=", y),
            *(Use("e", of=lambda: lemma, at={positive: 5 * one}), Use("m", at={t: 5 * one}, weight=-1)),
        ),
    )
    assert refused(claimed("y + 4 <= y"), steps)
    assert "is not what it is in lemma" in "; ".join(problems(derivation(steps, {"y": y})))


def test_what_is_said_to_exist_is_one_function():
    r = sp.Function("r", real=True)

    def root(name, at, shift):
        f = t - at - shift
        ends = {"low": in_order("low", f.subs(t, at + 1), ">="), "high": in_order("high", f.subs(t, at - 1), "<=")}
        letters = {"f": f, "argument": t, "low": at + 1, "high": at - 1, "root": r(at)}
        return of_fact(name, "a value in between", letters, ends)

    lemma = _lemma("a.lemma", root("r1", z, one), infer("e", r(z) - z - 1, ">=", zero, "r1"))
    steps = (
        *(root("r2", y, zero), infer("m", r(y) - y, "<=", zero, "r2")),
        infer("end", y + 1, "<=", y, "m", Use("e", of=lambda: lemma, at={z: y}, weight=-1)),
    )
    assert not problems(lemma) and refused(SMALL, steps)
    assert "is said to exist twice" in "; ".join(problems(derivation(steps, {"y": y})))
