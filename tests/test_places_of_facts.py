"""What a fact goes over, distances from an edge or shares of a number, stands in no function that it is said of: false
proofs, whole, that the court took for proofs, and what is right beside them.
"""

import pytest
import sympy as sp
from whole_proofs import define, derivation, infer, passes

from ndis_verify.court.proof_structure import problems
from ndis_verify.exact_number import InputError
from ndis_verify.statements.reading import read_term, statement
from ndis_verify.statements.statement import real
from ndis_verify.symbolic.derivation import Step, Use
from ndis_verify.symbolic.fact_steps import by_fact
from ndis_verify.symbolic.facts import FACTS
from ndis_verify.symbolic.notation import below, beyond, bin_of_sum, summed, total
from ndis_verify.symbolic.statement_terms import expression

x, y, u = sp.symbols("x y u", real=True)
zero, one = sp.Integer(0), sp.Integer(1)
OVER = (real("x", -3, 3),)
ORDER, EQUAL = "both sides of an edge", "equal on both sides of an edge"
POSITIVE = Step("1 > 0", "", lhs=one, rhs=zero, relation=">=", witness=one)


def _is(sign, value):
    return Step("side", "", lhs=value, rhs=zero, relation=sign, witness=None if sign == "=" else value)


def _on_both_sides(fact, f, above, under):
    """Of f and 0, where 0 is the edge."""
    letters = {"f": f, "g": zero, "argument": x, "edge": zero}
    return by_fact("all", "", fact, letters, {"above": above, "below": under})


def _by_shares(f):
    """By the shares sin^2 y of 1: f(0) <= f(1), where f(sin^2 y) <= f(1) by its sign."""
    letters = {"f": f, "argument": u, "low": zero, "high": one, "angle": y}
    end, less = f.subs(u, 1), f.subs(u, sp.sin(y) ** 2)
    shown = {
        "shares": Step("shares", "", lhs=less, rhs=end, relation="<=", witness=less - end),
        "low": Step("low", "", lhs=zero, rhs=zero, relation=">=", witness=zero),
        "order": "1 > 0",
    }
    return by_fact("shares", "", "every smaller number is a share", letters, shown)


def _of_0_and_its_parts(f, *end):
    return statement(end[0], over=OVER), (
        _on_both_sides(EQUAL, f, _is("=", zero), _is("=", zero)),
        infer("end", end[1], "=", end[2], "all"),
    )


FALSE = {
    "a distance from an edge": (
        statement("x <= 1", over=OVER),
        (
            _on_both_sides(ORDER, x - below, _is("<=", zero), _is("<=", -beyond - below)),
            infer("end", x, "<=", one, Use("all", at={below: one})),
        ),
    ),
    "a name for such a distance": (
        statement("x <= 2", over=OVER),
        (
            define(u, below + 1),
            Step("above 0", "", lhs=-one, rhs=zero, relation="<=", witness=-one),
            _is("<=", -beyond - below - 1),
            infer("above", below - u, "<=", zero, "above 0", "u"),
            infer("below", -beyond - u, "<=", zero, "side", "u"),
            _on_both_sides(ORDER, x - u, "above", "below"),
            infer("named", x - below - 1, "<=", zero, "all", "u"),
            infer("end", x, "<=", sp.Integer(2), Use("named", at={below: one})),
        ),
    ),
    "distances at which a function is 0": (
        statement("x (x - 1) = 0", over=OVER),
        (
            _on_both_sides(EQUAL, (x - below) * (x + beyond), _is("=", zero), _is("=", zero)),
            infer("end", x * (x - 1), "=", zero, Use("all", at={below: one, beyond: zero})),
        ),
    ),
    "what is equal above an edge alone": _of_0_and_its_parts(sp.Max(0, x) - x, "max(0, x) = x", sp.Max(0, x), x),
    "an angle of shares": (
        statement("1 <= 0", over=OVER),
        (
            POSITIVE,
            _by_shares((u - sp.sin(y) ** 2) ** 2),
            infer("end", one, "<=", zero, Use("shares", at={y: sp.pi / 2})),
        ),
    ),
}
_parts = sp.Max(0, x) - sp.Max(0, -x)
TRUE = {
    "a function on both sides of an edge": _of_0_and_its_parts(
        _parts - x, "max(0, x) - max(0, -x) - x = 0", _parts - x, zero
    ),
    "an order on both sides of one": (
        statement("-|x| <= 0", over=OVER),
        (
            _on_both_sides(ORDER, -sp.Abs(x), _is("<=", -below), _is("<=", -beyond)),
            infer("end", -sp.Abs(x), "<=", zero, "all"),
        ),
    ),
    "shares of a number": (
        statement("-1 <= 0", over=OVER),
        (POSITIVE, _by_shares(-((u - 1) ** 2)), infer("end", -one, "<=", zero, "shares")),
    ),
}


@pytest.mark.parametrize("name", FALSE)
def test_a_false_proof_is_none(name):
    assert not passes(*FALSE[name], {"x": x})


@pytest.mark.parametrize("name", TRUE)
def test_what_is_right_is_a_proof(name):
    assert passes(*TRUE[name], {"x": x})


def test_a_function_of_what_every_number_between_0_and_1_is_written_with_is_refused():
    """1 - 5 (v - w/(1 + w)) is 1 at every v = w/(1 + w), and negative at other v."""
    place, w = sp.Symbol("v", real=True), sp.Symbol("w", positive=True)
    wrong = []
    for inner in (1 - 1 / (1 + w), place):
        shown = Step("positive", "", 1 - 5 * (place - inner).subs(place, 1 - 1 / (1 + w)), zero, ">", witness=one)
        letters = {"c": one, "u": 1 - 5 * (place - inner)}
        step = by_fact("one sign", "", "one sign throughout", letters, {"positive": shown})
        wrong.append(problems(derivation((step,), {"w": w})))
    assert any("'u' speaks of w" in text for text in wrong[0]) and not any("speaks of" in text for text in wrong[1])


@pytest.mark.parametrize(("mean", "place", "f"), [(summed, bin_of_sum, one), (total, x, sp.exp(-(x**2)))])
def test_what_a_mean_goes_over_is_no_argument_of_a_fact(mean, place, f):
    """With the distance from an edge put in its place, the sum of j would be j times that of 1."""
    letters = {"f": mean(place * f), "g": place * mean(f), "argument": place, "edge": zero}
    steps = (
        Step("finite", "Both sums are.", kind="definition"),
        *(
            by_fact(side, "", "means are linear", {"mean": mean, "terms": ((at, f),)}, {"integrable": "finite"})
            for side, at in (("above", below), ("below", -beyond))
        ),
        by_fact("all", "", EQUAL, letters, {"above": "above", "below": "below"}),
    )
    assert any("goes over" in text for text in problems(derivation(steps, {"j": place})))


@pytest.mark.parametrize("head", ["max", "min"])
def test_a_statement_on_the_larger_of_what_is_not_real_is_not_compared(head):
    """With a positive symbol in the place of y the logarithm has no real value."""
    with pytest.raises(InputError, match="real numbers"):
        expression(read_term(f"{head}(0, log(-2 y))"), {"y": below})


def test_the_greatest_divergence_over_one_envelope_is_not_that_over_another():
    """It was one name for both, as the greatest sum over an envelope was: so that e^2 = e."""
    for variant in ("", ", exchanged"):
        fact = FACTS[f"greatest divergence over an envelope{variant}"]
        letters = {"others": sp.Symbol("o", real=True), "d": one, "epsilon": zero, "whole": one, "rest": zero}
        first, second = (fact.instance({**letters, "cap": sp.Integer(k), "sum": sp.Integer(k)})[0] for k in (1, 2))
        assert first != second
