"""What is asked once for several steps, points or derivations is what each would have been told."""

import sympy as sp
from steps_by_hand import one
from whole_proofs import define, derivation, infer

from ndis_verify.court import proof_ends, proof_structure
from ndis_verify.court.proof_digits import AtPoint
from ndis_verify.court.proof_ends import unconcluded
from ndis_verify.court.proof_numbers import Names
from ndis_verify.court.proof_reductions import reduction_problems
from ndis_verify.court.proof_signs import Signs
from ndis_verify.court.proof_structure import problems
from ndis_verify.statements.reading import statement
from ndis_verify.statements.statement import real
from ndis_verify.symbolic.derivation import Hypothesis, Step
from ndis_verify.symbolic.sides import put_in
from ndis_verify.symbolic.special_functions import Pg
from ndis_verify.symbolic.zero import SAMPLE_DIGITS, Values, value_at

x, y, z = sp.symbols("x y z", real=True)
n = sp.Symbol("n", integer=True, positive=True)
f, g = sp.Function("f", real=True), sp.Function("g", real=True)


def test_a_hypothesis_holds_at_a_point_in_digits(monkeypatch):
    """SymPy, asked of z >= log(2^n + 1) with numbers in it, may ask whether one of 30,000 digits is prime."""
    given = Hypothesis("z >= log(2^n + 1)", z >= sp.log(2**n + 1))
    step = Step(
        "e", "", n * sp.Max(z, 0), n * z, reduce=lambda left, right: (left - right).replace(sp.Max, lambda *_: z)
    )
    within, everywhere = derivation((step,), {"z": z, "n": n}, (given,)), derivation((step,), {"z": z, "n": n})

    make = sp.core.relational._Inequality.__new__

    def of_symbols(kind, *sides, **options):
        assert any(sp.sympify(side).free_symbols for side in sides), "a relation of numbers is asked of SymPy"
        return make(kind, *sides, **options)

    monkeypatch.setattr(sp.core.relational._Inequality, "__new__", of_symbols)
    assert not [text for text in reduction_problems(within, step) if "differ" in text]
    assert [text for text in reduction_problems(everywhere, step) if "differ" in text]


def test_problems_are_asked_once_of_one_object(monkeypatch):
    asked = []
    monkeypatch.setattr(proof_structure, "_problems", lambda whole: asked.append(whole) or ["a problem"])
    whole, same = (derivation((infer("end", y, "<=", y + 1),), {"y": y}) for _ in range(2))
    problems(whole).append("what a caller adds")
    assert problems(whole) == problems(same) == ["a problem"] and asked == [whole, same]


def test_whether_sides_have_values_is_asked_of_what_fits_alone(monkeypatch):
    asked = []
    monkeypatch.setattr(proof_ends, "values_missing", lambda *about: asked.append(about) or iter(["no value"]))
    stated = statement("y <= y + 1", over=[real("y", -9, 9)])
    for right, hypotheses, times, said in (
        (y + 1, (), 1, "no value"),
        (y + 2, (), 1, "is no relation of the statement"),
        (y + 1, ("what nobody says",), 1, "is not one of CLAIM"),
    ):
        whole = derivation((infer("end", y, "<=", right),), {"y": y}, hypotheses)
        assert said in "; ".join(unconcluded("CLAIM", stated, (), [whole])) and len(asked) == times


def test_signs_beside_relations_are_known_there_alone():
    def above(side):
        return Step("", "", side, 0, ">", kind="definition")

    signs = Signs([above(x)])
    more = signs.beside([above(y)])
    assert more.is_positive(x + y) and not signs.is_positive(x + y) and not signs.is_positive(y)
    signs.learn(above(z))
    assert signs.is_positive(x + z) and not more.is_positive(z)
    assert signs.beside([]) is signs


def test_a_name_that_is_learned_later_is_opened_from_then_on():
    v, w = sp.symbols("v w", real=True)
    signs = Signs([Step("", "", v, x + 1, kind="definition")])
    assert not signs.is_not_negative(w)
    signs.learn(Step("", "", w, z**2 + 1, kind="definition"))
    assert signs.is_not_negative(w)


def test_a_name_said_later_is_written_out_from_then_on():
    names = Names({x: y + 1})
    assert names.out(2 * x).value == 2 * y + 2
    assert names.say(y, z**2) and not names.say(y, one)
    assert names.out(2 * x).value == 2 * z**2 + 2


def test_what_is_assumed_of_names_comes_with_what_is_made_of_them():
    p, q = sp.symbols("p q", positive=True)
    names = Names({p: q + x, q: sp.exp(y) - x})
    written = names.out(p + y)
    assert written.value == sp.exp(y) + y
    assert {(sp.exp(y), ">"), (sp.exp(y) - x, ">")} <= set(names.all_assumed(written.assumed))
    assert names.out(p + y) is written


def test_what_is_unknown_may_cancel_where_it_stands_twice():
    names = Names({})
    assert names.out((f(x) + 1) ** 2 - f(x) * (f(x) + 2)).value == 1
    assert names.out(f(x) * (x - x**2)).value is None and names.out(f(x) - g(x)).value is None


def test_values_at_a_point_are_the_same_one_by_one():
    point = {x: sp.Rational(2, 7), y: sp.Rational(-5, 3)}
    both = (sp.exp(x * y) + x, sp.exp(x * y) * sp.log(y))
    values = Values(point, SAMPLE_DIGITS)
    assert [values.of(one) for one in both] == [value_at(one, point, SAMPLE_DIGITS) for one in both]
    assert values.of(1 / (x - sp.Rational(2, 7))) is None and values.of(both[0]) is not None
    at = AtPoint(point)
    assert at.value(Pg(x, y)) is None and at.value(Pg(x, x)) is not None
    assert at.holds(x, ">") and not at.holds(y, ">=") and not at.holds(sp.log(y), ">")


def test_an_equation_of_a_bound_symbol_is_still_put_in():
    """What it is about stands nowhere free."""
    inside = sp.Integral(f(x) * sp.exp(-x), (x, 0, 1))
    assert put_in(inside, f(x), x**2) == sp.Integral(x**2 * sp.exp(-x), (x, 0, 1))
    assert put_in(inside, f(y), y**2) == inside
    assert put_in(f(0) + x, f(0), one) == x + 1


def test_a_definition_in_another_step_of_the_same_derivation_is_looked_at_in_digits():
    c = sp.Symbol("c", real=True)
    steps = (define(c, y - 1), infer("s", c + 1, "=", y, "c"), infer("end", y, "<=", c, "c", "s"))
    assert "step 'end': is false" in "; ".join(problems(derivation(steps, {"y": y})))
