"""What a proof says of numbers is looked at in digits, at points where all that it rests on holds."""

from dataclasses import replace

import pytest
import sympy as sp
from steps_by_hand import claimed, evident, half, held, in_order, of_fact, one, two, wrong_with, zero
from whole_proofs import define, derivation, infer, passes

from ndis_verify.court.proof_points import Points
from ndis_verify.symbolic import notation as n
from ndis_verify.symbolic.block_algebra import letter
from ndis_verify.symbolic.derivation import Conclusion, Derivation, Hypothesis, Step, Use
from ndis_verify.symbolic.normal_coordinates import entry, total_of
from ndis_verify.symbolic.special_functions import Pg, Qg

x, y, w, m, k = sp.symbols("x y w m k", real=True)
p = sp.Symbol("p", positive=True)
a, b = sp.symbols("a b", real=True)  # vectors, of which coordinates are spoken
u, v, A, B = letter("u"), letter("v"), letter("A"), letter("B")
f, h = sp.Function("f", real=True), sp.Function("h", real=True)


def found_at(left, sign, right, *before, hypotheses=(), rests_on=()):
    """What is said of a relation as an inference after the steps `before`, on which and on the hypotheses it rests."""
    step = infer("end", left, sign, right, *(one.name for one in before))
    whole = derivation((*before, step), {}, hypotheses)
    names = {one.name for one in before} | {h.text for h in hypotheses} | {"end", *rests_on}
    return list(Points(whole).problems(step, names))


@pytest.mark.parametrize(
    ("left", "sign", "right"),
    [
        (y + 1, "<=", y),
        (sp.Abs(x) + sp.Abs(y), "<=", sp.Abs(x + y)),
        (x**2, "=", sp.Abs(x)),
        ((y + 1) ** 2, ">", y**2 + 2 * y + 1),  # both sides are one
        (x**2, ">", zero),  # but at 0
        (sp.floor(x) + sp.floor(-x), "=", -one),  # but at whole numbers
        (sp.sqrt(p + 1), ">=", sp.sqrt(p) + 1),
        (Pg(p, p), "<=", Qg(p, p)),
        (f(x) + 1, "<=", f(x)),  # whatever it is
        (f(x) + h(y), "<=", f(x) * h(y)),  # of which nothing is known
        (f(x) / 2, ">=", f(x)),
        (n.scalar(n.transpose(u) * v), ">=", zero),
        (A * B, "=", A + B),
        (n.det(A), "=", n.det(A) ** 2),
        (total_of(entry(a) * entry(b)), "<=", total_of(entry(a)) * total_of(entry(b))),
        (entry(a), "<=", total_of(entry(a))),
    ],
)
def test_what_is_false_at_a_point_is_told(left, sign, right):
    assert len(found_at(left, sign, right)) == 1


@pytest.mark.parametrize(
    ("left", "sign", "right"),
    [
        (y, "<=", y + 1),
        (sp.Abs(x + y), "<=", sp.Abs(x) + sp.Abs(y)),
        (1 - sp.exp(-(p**2)), "<", one),  # at p = 90 in 50 digits both are 1
        (sp.log(x) * 2, "=", sp.log(x**2)),  # of x < 0 there is no real value
        (sp.sqrt(p), "<=", (p + 1) / 2),
        (f(x), "<=", f(y)),  # two values of one function: nothing is said,
        (sp.Integral(sp.exp(-x * y), (y, 0, 1)), ">=", one),  # nor of integrals
        (2 ** (x**20), ">", zero),  # which at 90 has more digits than anything can hold
        (n.scalar(n.transpose(u) * u), ">=", zero),
        (A * n.inverse(A), "=", one),
        (n.scalar(n.transpose(u) * u), ">", zero),  # false of the zero vector alone: other rules ask for it
        (total_of(entry(a)) ** 2, "<=", 4 * total_of(entry(a) ** 2)),
    ],
)
def test_what_is_true_or_not_of_numbers_is_left_alone(left, sign, right):
    assert found_at(left, sign, right) == []


def test_names_mean_what_their_definitions_say():
    """As often as names stand in names, and at the argument of a call."""
    named = (define(m, x**2), define(k, m + 1), define(h(x), k * x))
    assert found_at(k, ">=", one, *named) == []
    assert found_at(k, "<=", one, *named)
    assert found_at(h(two), "=", 10 * one, define(h(x), x**3 + x)) == []
    assert found_at(h(two), "=", 11 * one, define(h(x), x**3 + x))


def test_what_is_assumed_of_a_name_holds():
    """c = 1 - x is positive, as a premise of its definition has shown: x < 1."""
    c = sp.Symbol("c", positive=True)
    below = Hypothesis("x < 1", x < 1)
    assert found_at(x, "<=", one, define(c, 1 - x, ("x < 1",)), hypotheses=(below,)) == []
    assert found_at(c, "<=", two, define(c, 1 - x, ("x < 1",)))


@pytest.mark.parametrize(
    ("relation", "true", "false"),
    [
        (x >= 3, (x**2, ">=", 9 * one), (x, "<=", 4 * one)),
        (sp.Eq(x, y + 1), (x, ">=", y), (x, "<=", y)),
        (sp.Eq(x**2, 4), (x**4, "=", 16 * one), (x, ">=", zero)),
        (sp.Eq(x * y, x * w), (x * y**2, "=", x * w**2), (y, "<=", w)),  # at x = 0
        (n.positive_definite(A), (A, ">=", zero), (A, ">=", one)),
        (sp.Ge(n.scalar(n.transpose(n.anything) * (A - 1) * n.anything), 0), (A, ">=", one), (A, ">=", two)),
        (entry(a) >= 0, (total_of(entry(a)), ">=", zero), (total_of(entry(a)), ">=", one)),
    ],
)
def test_hypotheses_hold_at_the_points(relation, true, false):
    given = Hypothesis("given", relation)
    assert found_at(*true, hypotheses=(given,)) == []
    assert found_at(*false, hypotheses=(given,))
    assert found_at(*true) or true[1] == "="  # where nothing is supposed it is false


@pytest.mark.parametrize("given", ["words about x", Hypothesis("a law", n.law(x))])
def test_what_rests_on_what_cannot_be_told_is_left_alone(given):
    step = infer("end", x, ">=", one, "h")
    whole = derivation((step,), {}, (given,))
    text = given if isinstance(given, str) else given.text
    assert list(Points(whole).problems(step, {"end", text})) == []
    assert list(Points(whole).problems(step, {"end"}))


def test_what_a_fact_says_to_exist_is_no_number_that_is_drawn():
    r = sp.Symbol("r", real=True)
    shown = {
        "low": in_order("low", -1 - y**2, "<="),
        "high": in_order("high", y**2 + 1, ">="),
    }
    letters = {"f": x, "argument": x, "low": -1 - y**2, "high": 1 + y**2, "root": r}
    root = of_fact("root", "a value in between", letters, shown)
    assert found_at(r, "=", zero, root) == []


def test_it_is_asked_last():
    """What the other rules say tells why; a point tells only that."""
    steps = (infer("end", y + 1, "<=", y, "nothing"),)
    assert "is no earlier step" in wrong_with(*steps)
    assert "is false" not in wrong_with(*steps)


def test_a_false_end_is_refused_whatever_decided_it():
    """y + 1/2 >= y + 1: 1/(1 + e^{x - 1000}) is 1 at every point up to 100, to 100 digits, by a reduction that drops
    the exponential.
    """
    drop = lambda left, right: left.replace(sp.exp, lambda _: zero) - right
    steps = (
        Step("e", "", 1 / (1 + sp.exp(x - 1000)), one, reduce=drop),
        evident(one, ">"),
        infer("at", half, ">=", one, Use("e", at={x: sp.Integer(1000)}), Use("evident", weight=0)),
        infer("end", y + half, ">=", y + 1, "at"),
    )
    assert not passes(claimed("y + 1/2 >= y + 1"), steps, {"y": y})
    assert "'at': is false" in wrong_with(*steps)


def test_a_true_proof_has_no_such_problem():
    steps = (evident(held(y) ** 2 + 1, ">"), infer("end", y**2 + 1, ">", zero, "evident"))
    assert "is false" not in wrong_with(*steps)


def test_of_a_function_of_which_something_is_known_nothing_is_said():
    """What a fact says of it no number that is drawn has to be."""
    known = of_fact("shown", "squared length", {"w": u, "w^T": n.transpose(u)})
    assert found_at(f(x) / 2, ">=", f(x), known)
    mean = define(f(x), h(x) ** 2)
    assert found_at(f(x), ">=", f(x) / 2, mean) == []
    assert found_at(h(x), ">=", h(x) / 2, mean) == []  # the definition speaks of it


def test_a_part_holds_in_its_domain():
    """max(0, x - 5) = 0 where x <= 5, as a part of a claim."""
    step = Step(
        "end", "", sp.Max(0, x - 5), zero, reduce=lambda left, right: left.replace(sp.Max, lambda *_: zero) - right
    )
    ends = (Conclusion("OTHER", "end", part="where x is at most 5"),)
    part = Derivation("a.part", "", (), (), (step,), "end", {"x": x}, domain=(x <= 5,), concludes=ends)
    assert list(Points(part).problems(step, {"end"})) == []
    assert list(Points(replace(part, domain=())).problems(step, {"end"}))


def test_what_is_assumed_of_a_name_is_supposed_of_what_it_means():
    """In the step itself, in what it rests on, and in a relation under which alone it has to hold."""
    q = sp.Symbol("q", positive=True)
    assert found_at(p + 1, ">", one, define(p, y)) == []
    assert found_at(y + 1, ">", one, define(p, y)) != []
    given = Hypothesis("q <= x", q <= x)
    assert found_at(x, ">", zero, define(q, y), hypotheses=(given,)) == []


@pytest.mark.parametrize("number", [y, sp.Symbol("A", real=True)])
def test_a_number_is_not_the_letter_of_its_name(number):
    """A hypothesis about a number y was taken for one about any vector, and held nowhere."""
    given = Hypothesis("at least 5", number >= 5)
    assert found_at(number, "<=", 2 * one, hypotheses=(given,)) != []
    assert found_at(number * n.trace(A), "<=", 2 * n.trace(A), hypotheses=(given,)) != []
    assert found_at(number, ">=", 2 * one, hypotheses=(given,)) == []
