"""What a fact says to exist, or to be drawn, is one thing of which nothing else is known; what a text says as a
hypothesis.
"""

from dataclasses import replace

import pytest
import sympy as sp
from whole_proofs import define, derivation, infer, passes

from ndis_verify.court.proof_ends import unconcluded
from ndis_verify.court.proof_structure import problems
from ndis_verify.statements.reading import statement
from ndis_verify.statements.statement import real
from ndis_verify.symbolic.derivation import Conclusion, Hypothesis, Step, Use
from ndis_verify.symbolic.fact_steps import a_density, by_fact
from ndis_verify.symbolic.meanings import meaning
from ndis_verify.symbolic.normal_images import p, q
from ndis_verify.symbolic.notation import (
    anything,
    average,
    below,
    between_0_and_1,
    beyond,
    projected,
    reprojected,
    total,
    where,
    x,
)
from ndis_verify.symbolic.statement_terms import quantity

zero, one = sp.Integer(0), sp.Integer(1)
D, s = sp.Symbol("D", positive=True), sp.Symbol("s", positive=True)
t, r, y, Y = sp.symbols("t r y Y", real=True)
COUNT = sp.Symbol("r", positive=True, integer=True)


def _order(name, left, sign, right):
    return Step(name, "", lhs=left, rhs=right, relation=sign, witness=left - right)


def _root(name, f, low, high, root, argument=t):
    """That f(root) = 0, f being not negative at `low` and not positive at `high`."""
    at = (
        _order(f"{name}, low", f.subs(argument, low), ">=", zero),
        _order(f"{name}, high", f.subs(argument, high), "<=", zero),
    )
    letters = {"f": f, "argument": argument, "low": low, "high": high, "root": root}
    return by_fact(name, "", "a value in between", letters, dict(zip(("low", "high"), at)))


def _wrong(*steps, hypotheses=("words",)):
    return "; ".join(problems(derivation(steps, {}, hypotheses)))


def _beyond_an_edge(density, mean, edge=zero):
    good = sp.Piecewise((1, x <= edge), (0, True))
    return by_fact(
        f"{density} beyond",
        "",
        "a normal value beyond an edge",
        {"p": density, "g": good, "mean": mean, "std": one, "edge": edge},
        {
            "density": f"{density} is one",
            "std": _order("noise", one, ">", zero),
            "up to": Step("up to", "", lhs=good.subs(x, edge - beyond), rhs=one),
            "beyond": Step("beyond", "", lhs=good.subs(x, edge + below), rhs=zero),
        },
    )


def test_only_the_first_density_of_a_meaning_is_said_to_be_one_of_the_line():
    """With both as N(100, 1) and N(-100, 1) every delta_shift(D; 0) was near 1."""
    densities = [a_density(f"{f} is one", "", f) for f in (p(x), q(x, D))]
    start = (meaning("delta", "mean_shift", D, zero), *densities)
    for density, right in ((p(x), True), (q(x, D), False)):
        steps = (*start, _beyond_an_edge(density, sp.Integer(100)))
        assert ("means something already" in _wrong(*steps)) is not right
    named = define(p(sp.Function("point")(anything)), sp.exp(-t))
    assert "p(x) is said to exist, and means something already" in _wrong(named, *start, _beyond_an_edge(p(x), zero))


def test_no_quantity_is_said_to_exist():
    """delta_shift(D; 0) was the root of 5 - t."""
    for root, right in ((quantity("mean_shift", D, zero), False), (r, True)):
        found = _wrong(_root("root", 5 - t, zero, 10 * one, root), infer("end", 5 - root, "<=", zero, "root"))
        assert ("means something already" in found) is not right


def test_no_laws_of_the_notation_are_said_to_exist():
    """projected(p, r) and reprojected(p, r) were one law twice: their divergence was 0."""
    share = sp.Symbol("p", positive=True)
    above = _order("above 0", one, ">", zero)
    letters = dict.fromkeys(("first", "others", "scale", "other scale"), one) | {
        "epsilon": s,
        "shift": zero,
        "d": COUNT,
    }
    conditions = dict.fromkeys(("first", "others", "scale", "other scale"), above)
    conditions["shift"] = _order("no shift", zero, ">=", zero)
    for pair, right in (
        ((projected(share, COUNT), reprojected(share, COUNT)), False),
        (sp.symbols("P Q", real=True), True),
    ):
        known = letters | dict(zip("PQ", pair))
        found = _wrong(by_fact("frame", "", "one frame for two normal laws", known, conditions))
        assert ("means something already" in found) is not right


def _in_a_condition(name, shown, b):
    """A fact that says b >= 0, in a condition of which another fact stands."""
    square = _order(f"{name}, square", zero, "<=", zero)
    return by_fact(name, "", "a square and a multiple", {"a": zero, "b": b}, {"sign": shown, "square": square})


def test_what_is_said_to_exist_in_a_condition_is_one_thing():
    """One root was at least 2 and at most 1."""
    low = _in_a_condition("low", _root("one root", t - 2, 10 * one, zero, r), r - 2)
    high = _in_a_condition("high", _root("another", 1 - t, zero, 10 * one, r), 1 - r)
    steps = (low, high, infer("end", y, ">=", y + 1, Use("low", weight=-1), Use("high", weight=-1)))
    assert "r is said to exist twice" in _wrong(*steps)
    assert not passes(statement("y >= y + 1", over=(real("y", -9, 9),)), steps, {"y": y})
    other = (low, _in_a_condition("high", _root("another", 1 - t, zero, 10 * one, Y), 1 - Y))
    assert "said to exist" not in _wrong(
        *other, infer("end", r - Y, ">=", one, Use("low", weight=-1), Use("high", weight=-1))
    )


def test_two_facts_of_the_same_letters_are_of_two_things():
    """The upper and the lower limit of a proportion would be one number."""
    limit, level = sp.Symbol("A", nonnegative=True), _order("level", s, ">=", zero)
    letters = {"limit": limit, "probability": D, "level": s}
    words = ("a test fixed before the samples are drawn, which are independent",)
    shown = {"fixed": words[0], "independent": words[0], "level": level}
    steps = [by_fact(side, "", f"exact {side} limit of a proportion", letters, shown) for side in ("lower", "upper")]
    assert "A is said to exist twice" in _wrong(*steps, hypotheses=words)
    assert "A is said to exist twice" not in _wrong(steps[0], hypotheses=words)


@pytest.mark.parametrize("root", [x, between_0_and_1, r])
def test_nothing_goes_over_what_is_said_to_exist(root):
    """With the point x as a root of 5 - t, the integral of x p(x) was that of 5 p(x); what was shown of the root stood
    for every r that a fact goes over.
    """
    mean = a_density("p is one", "", p(x))
    found = _root("root", 5 - t, zero, 10 * one, root)
    end = infer("end", total(root * p(x)), "=", total(5 * p(x)), "root", "p is one")
    assert (f"{root} is said to exist, and something goes over it" in _wrong(found, mean, end)) is (root != r)
    around = Step("around", "", lhs=sp.Integral(root, (root, 0, 1)), rhs=one / 2, reduce=lambda a, b: a.doit() - b)
    assert "something goes over it" in _wrong(found, around)
    over = _root("over", 7 - root, zero, 10 * one, Y, argument=root)
    assert "something goes over it" in _wrong(found, over)


def _drawn_in_a_condition(mean_of):
    draws = by_fact("drawn", "", "Jensen's inequality of an absolute value", {"X": mean_of}, {"finite": "words"})
    return by_fact(
        "in it", "", "larger of two numbers", {"one": s, "other": s, "bound": s}, {"one": draws, "other": draws}
    )


def test_what_is_drawn_in_a_condition_is_no_number():
    """Stein's identity of y inside of a condition, and the expectation of y, a number, is y: s^2 <= 0."""
    number = by_fact("number", "", "expectation of a constant", {"c": Y}, {})
    assert "Y is drawn, and 'c' is a number" in _wrong(_drawn_in_a_condition(Y), number)
    assert "is drawn" not in _wrong(_drawn_in_a_condition(y), number)


def _mean(name, share, mass):
    return by_fact(name, "", "mean of a share", {"share": share, "mass": mass}, {"draws": "words"})


def test_what_is_drawn_has_one_law():
    """The mean of one share was 1/2 and 1/3."""
    share = sp.Symbol("q", nonnegative=True)
    other = _mean("other", share, one / 3)
    end = infer("end", one / 2, "=", one / 3, "first", "second")
    assert "q is drawn from two laws" in _wrong(_mean("first", share, one / 2), _mean("second", share, one / 3), end)
    assert "two laws" not in _wrong(_mean("first", share, one / 2), _mean("second", share, one / 2))
    variance = {"share": share, "mass": one / 2, "n": COUNT}
    spread = by_fact(
        "spread", "", "variance of a share", variance, {"independent": "words", "n": _order("n", COUNT, ">=", one)}
    )
    assert "two laws" not in _wrong(_mean("first", share, one / 2), spread)
    assert "q is drawn from two laws" in _wrong(_mean("first", share, one / 3), spread)
    lemma = replace(derivation((_mean("first", share, one / 2),), {}), id="a.lemma")
    used = infer("end", one / 2, "=", one / 3, Use("first", of=lambda: lemma), "other")
    assert "q is drawn from two laws" in _wrong(other, used)


@pytest.mark.parametrize(
    ("text", "relation", "right"),
    [
        ("x > w", x > 1000, False),  # w has no name in the relation
        ("x > w", x > s, False),
        ("x > w", x > sp.Symbol("w", real=True), True),
        ("1000 < x", x > 1000, True),
        ("P(S) >= x", where(p(x), sp.Function("s", real=True)(x)) >= s, False),
        ("P(S) >= s", where(p(x), sp.Function("s", real=True)(x)) >= s, True),
        ("Q(S) >= s", where(p(x), sp.Function("s", real=True)(x)) >= s, False),
    ],
)
def test_a_hypothesis_of_a_text_is_the_relation_that_it_says(text, relation, right):
    steps = (infer("end", 2 * relation.lhs, relation.rel_op, 2 * relation.rhs, Use(text, weight=2)),)
    whole, part = (Conclusion("CLAIM", "end", part=name) for name in ("", f"twice, where {text}"))
    for end, given in ((whole, (text,)), (part, (text,)), (part, ())):
        proof = replace(derivation(steps, {}, (Hypothesis(text, relation),)), concludes=(end,))
        assert (not unconcluded("CLAIM", None, given, [proof]) and not problems(proof)) is right


def test_what_a_statement_gives_a_name_is_compared_with_it():
    """Of a part, too, whose variables are said."""
    stated = statement("x <= x + w", "w > 0", where={"w": "x^2 - 1"}, over=(real("x", -9, 9),))
    steps = (infer("end", x, "<=", x + x**2 - 1, Use("w > 0")),)
    for relation, right in ((x**2 - 1 > 0, True), (x > 0, False)):
        for end in (Conclusion("CLAIM", "end", {"x": x}), Conclusion("CLAIM", "end", {"x": x}, part="half of it")):
            proof = replace(derivation(steps, {"x": x}, (Hypothesis("w > 0", relation),)), concludes=(end,))
            assert ("is not one of CLAIM" in "; ".join(unconcluded("CLAIM", stated, ("w > 0",), [proof]))) is not right


def test_what_is_drawn_in_a_lemma_is_drawn_from_one_law():
    """E S = p of one S at p and at q: p <= q. The law of S may stand behind a name."""
    p_, q_ = sp.symbols("p q", real=True)
    mass, share = sp.symbols("m S", real=True)
    named = (define(mass, p_), _mean("named", share, mass), infer("mean", average(share), "=", p_, "named", str(mass)))
    plain = (_mean("mean", share, p_),)
    for steps in (named, plain):
        lemma = replace(derivation(steps, {"p": p_}, ("words",)), id="a.lemma")
        used = [Use("mean", of=lambda lemma=lemma: lemma, at=at) for at in ({}, {p_: q_})]
        end = infer("end", p_, "<=", q_, *used)
        assert "S, which was defined for other values" in _wrong(end)
        assert "defined for other values" not in _wrong(infer("end", average(share), "=", p_, used[0]))
