"""The language of statements: printing, reading, JSON, and what is refused."""

import json
from fractions import Fraction

import pytest
from hypothesis import given, settings
from statement_examples import CLOSED_FORM, STATED, TERMS, X, Y, in_balls

from ndis_verify.court.statement_balls import value_at
from ndis_verify.exact_number import InputError
from ndis_verify.oracle.certified.engine.balls import working_bits
from ndis_verify.statements.json_form import from_json, to_json
from ndis_verify.statements.printing import plain, tex
from ndis_verify.statements.reading import read_relation, read_term, saying, statement, under
from ndis_verify.statements.statement import Relation, Statement, both, iff, real, vector
from ndis_verify.statements.terms import Term, apply, coordinate, extremum, substituted, term, variable


def _of_both(body: Term) -> Statement:
    """A statement about x and y in which `body` stands."""
    claimed = both(Relation(body, "<=", X), Relation(Y, "<", body))
    return Statement((real("x", -2, 2), real("y", -2, 2)), (Relation(X, ">", 0),), claimed)


@settings(max_examples=60, deadline=None)
@given(TERMS)
def test_a_statement_comes_back_from_json(body):
    stated = _of_both(body)
    assert from_json(to_json(stated)) == stated


def test_the_stated_claims_come_back_from_json():
    for stated, claim_id in STATED:
        assert from_json(to_json(stated)) == stated, claim_id


def test_what_a_stated_claim_prints_is_read_as_the_same_text():
    for stated, claim_id in STATED:
        where = {name: plain(value) for name, value in stated.where}
        hypotheses = [h.plain() for h in stated.hypotheses]
        read = statement(stated.claimed.plain(), *hypotheses, where=where, over=stated.variables)
        assert read.formula == stated.formula and read.hypothesis_lines == stated.hypothesis_lines, claim_id


def test_named_terms_that_are_spoken_of_come_in_their_order_with_those_that_they_speak_of():
    where = {"a": "2 x", "b": "x + y", "c": "a + 1", "d": "c^2"}
    stated = statement("d <= b", "c > 0", where=where, over=(real("x", 1, 2), real("y", 1, 2)))
    named = lambda *terms: [name for name, _ in stated.named_in(terms)]
    assert [name for name, _ in stated.named_in()] == list("abcd")
    assert named(*stated.hypotheses[0].terms) == ["a", "c"]
    assert named(read_term("b - d")) == list("abcd") and named(read_term("y")) == []


@pytest.mark.parametrize(
    "change",
    [
        lambda data: data.pop("where"),
        lambda data: data.update(more=1),
        lambda data: data.update(claimed=["=", ["number", "__import__"], ["number", "1"]]),
        lambda data: data.update(claimed=["=", ["number", "1/0"], ["variable", "D"]]),
        lambda data: data.update(claimed=["=", ["number", "2/00"], ["variable", "D"]]),
        lambda data: data.update(claimed=["=", ["eval", ["variable", "D"]], ["number", "1"]]),
        lambda data: data.update(claimed=["=", ["variable", "D.__class__"], ["number", "1"]]),
        lambda data: data.update(claimed=["=", ["exp"], ["variable", "D"]]),
        lambda data: data.update(claimed=["~", ["variable", "D"], ["variable", "eps"]]),
        lambda data: data.update(claimed=["=", ["variable", "unknown"], ["variable", "D"]]),
        lambda data: data.update(variables=[{"name": "D"}]),
        lambda data: data["variables"][0].update(low="41"),
        lambda data: data.update(hypotheses=[["and", *data["hypotheses"]]]),
        lambda data: data.update(claimed=[]),
        lambda data: data.update(where=[["D", ["number", "1"]]]),
    ],
)
def test_json_of_another_shape_is_refused(change):
    data = json.loads(to_json(CLOSED_FORM))
    change(data)
    with pytest.raises(InputError):
        from_json(json.dumps(data))


@pytest.mark.parametrize("more", ['"where": []', '"claimed": ["<=", ["number", "2"], ["variable", "D"]]'])
def test_json_that_says_something_twice_is_refused(more):
    with pytest.raises(InputError, match="twice"):
        from_json(f"{to_json(CLOSED_FORM)[:-1]}, {more}}}")
    bounded = to_json(CLOSED_FORM).replace('"high":', '"high": "1", "high":', 1)
    with pytest.raises(InputError, match="twice"):
        from_json(bounded)


def test_numbers_that_are_no_floats_are_printed():
    assert plain(term(10**400)) == tex(term(10**400)) == str(10**400)
    assert plain(term(Fraction(10**400, 3))) == f"{10**400}/3" and plain(term(Fraction(1, 10**400))) == f"1/{10**400}"
    assert from_json(to_json(statement("x <= " + "9" * 399))).formula == "x <= " + "9" * 399


@pytest.mark.parametrize("text", ["", "[", "3", "null", "[" * 100_000, '{"variables": 1}'])
def test_text_that_is_no_statement_is_refused(text):
    with pytest.raises(InputError):
        from_json(text)


@pytest.mark.parametrize(
    ("given", "text", "formula"),
    [
        (X - (Y - 1), "x - (y - 1)", "x - \\left(y - 1\\right)"),
        (X - Y - 1, "x - y - 1", "x - y - 1"),
        (X + (Y - 1), "x + y - 1", "x + y - 1"),
        (X - (-Y), "x - (-y)", "x - \\left(-y\\right)"),
        (X + (-Y), "x + (-y)", "x + \\left(-y\\right)"),
        (X / (Y * 2), "x/(y 2)", "\\frac{x}{y \\cdot 2}"),
        (X / Y / 2, "x/y/2", "\\frac{\\frac{x}{y}}{2}"),
        (X * (Y / 2), "x (y/2)", "x\\,\\frac{y}{2}"),
        ((X / 2) * Y, "(x/2) y", "\\frac{x}{2}\\,y"),
        ((X + 1) ** 2, "(x + 1)^2", "\\left(x + 1\\right)^{2}"),
        ((-X) ** 2, "(-x)^2", "\\left(-x\\right)^{2}"),
        (-(X**2), "-x^2", "-x^{2}"),
        (X ** term(Fraction(1, 2)), "x^{1/2}", "x^{\\frac{1}{2}}"),
        (apply("exp", X + Y) * X, "e^{x + y} x", "e^{x + y}\\,x"),
        (term(-3) * X, "(-3) x", "\\left(-3\\right)\\,x"),
        (apply("sum", coordinate("p") * 2) + 1, "(sum_i p_i 2) + 1", None),
        (extremum("sup", "s", 0, 1, X * variable("s")), "sup_{0 <= s <= 1} x s", "\\sup_{0 \\le s \\le 1} x\\,s"),
    ],
)
def test_terms_are_printed_in_the_authors_order(given, text, formula):
    assert plain(given) == text
    if formula is not None:
        assert tex(given) == formula


@settings(max_examples=120, deadline=None)
@given(TERMS)
def test_what_is_printed_is_read_as_the_same_text_and_the_same_number(body):
    read = read_term(plain(body))
    assert plain(read) == plain(body)
    point = {"x": Fraction(3, 4), "y": Fraction(5, 3)}
    with working_bits(100):
        try:
            a, b = (in_balls(value_at(t, point, 20)) for t in (body, read))
        except ArithmeticError:
            return
        assert not a.is_finite() or a.overlaps(b)


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("2 x y^2/3", "((2 x) y^2)/3"),
        ("-x^2 - y", "(-(x^2)) - y"),
        ("e^x Phi(-y/2)", "(e^x) (Phi(-y/2))"),
        ("|x - |y||", "|(x - |y|)|"),
        ("sup_{0 <= s <= 1} ||x|| s", "sup_{0 <= s <= 1} (|(|x|)| s)"),
        ("|x |y||", None),
        ("x^{-1/2} 1.25", "x^{-0.5} 1.25"),
        ("sum_i p_i max(0, q_i)", "sum_i (p_i max(0, q_i))"),
        ("sup_{0 <= s <= 1} s x", "sup_{0 <= s <= 1} (s x)"),
        ("d/dx (x^2) + 1", "(d/dx (x^2)) + 1"),
        ("x/2/y", "(x/2)/y"),
        ("Phi^-1(x)^2", "(Phi^-1(x))^2"),
    ],
)
def test_texts_are_read_as_mathematics_is(text, same):
    if same is None:  # inside bars, a bar after a term ends them
        with pytest.raises(InputError):
            read_term(text)
    else:
        assert read_term(text) == read_term(same)


@pytest.mark.parametrize(
    "name", ["i", "I", "pi", "Phi", "log", "x_i", "_x", "\u0445", "é", "and", "if", "delta_shift", "x y", "", "2x"]
)
def test_a_name_that_is_notation_is_refused(name):
    with pytest.raises(InputError, match="name"):
        real(name, 0, 1)


@pytest.mark.parametrize(
    ("names", "body", "match"),
    [
        ("ex", variable("e") ** X, "exponential"),
        ("Tx", X ** variable("T"), "transposes"),
        ("Tx", apply("transpose", X) * variable("T"), "transposes"),
        (("x1", "x_1"), variable("x1") - variable("x_1"), "TeX"),
        ("x", extremum("sup", "x_1", 0, 1, variable("x_1")) + extremum("inf", "x1", 0, 1, variable("x1")) + X, "TeX"),
        ("x", extremum("sup", "pi", 0, 1, variable("pi")) + X, "name"),
    ],
)
def test_names_that_are_printed_as_other_things_are_refused(names, body, match):
    with pytest.raises(InputError, match=match):
        Statement(tuple(real(name, 1, 2) for name in names), (), Relation(body, "<=", 1))


@pytest.mark.parametrize("below", ["delta", "det_", "D"])
def test_a_quotient_of_d_is_no_derivative(below):
    body = 3 * variable("d") / variable(below) / X
    assert read_term(plain(body)) == body


def test_bars_behind_brackets_are_no_end_of_bars():
    body = apply("abs", apply("above", X, Y) * apply("abs", Y) * X)
    assert plain(body) == "|([x; y] |y| x)|" and read_term(plain(body)) == body


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (
            apply("normal_moment", 2, X, 1),
            r"\mathbb{E}\left[\mathcal{N}\left(x, 1\right)^{2}\right]",
        ),  # binds no letter
        (term(2) * (term(3) / 4), r"2 \cdot \frac{3}{4}"),
        (term(2) * term(3) ** X, r"2 \cdot 3^{x}"),
        (term(2) * X**3, r"2\,x^{3}"),
    ],
)
def test_tex_captures_no_variable_and_puts_no_number_behind_a_number(body, text):
    assert tex(body) == text


@pytest.mark.parametrize(
    "text", ["", "x +", "(x", "x)", "max(x)", "f(x)", "x ** 2", "__import__", "x.y", "e", "sup_{x} 1", "é", "(" * 90]
)
def test_a_text_that_is_no_term_is_refused(text):
    with pytest.raises(InputError):
        statement(f"{text} = 0")


@pytest.mark.parametrize("text", ["x", "x < y < z < 1", "x < y > z", "x = y = z", "x <", "x => y"])
def test_a_text_that_is_no_relation_is_refused(text):
    with pytest.raises(InputError):
        read_relation(text)


def test_a_chain_is_two_hypotheses_and_a_join_is_kept():
    stated = statement("x > 0 if and only if x^3 > 0", "-1 < x <= 2")
    assert stated.hypothesis_lines == ("-1 < x <= 2",) and stated.claimed.how == "iff" and len(stated.hypotheses) == 2
    assert under(stated, "x <= 1").hypotheses == (*stated.hypotheses, read_relation("x <= 1"))
    assert saying(stated, "x > 0, and x < 2").claimed == both(read_relation("x > 0"), read_relation("x < 2"))
    with pytest.raises(InputError, match="vocabulary"):
        statement("unheard > 0")


_JOINS = [
    lambda a, b, c: iff(both(a, b), c),
    lambda a, b, c: both(a, iff(b, c)),
    lambda a, b, c: iff(a, both(b, c)),
    lambda a, b, c: iff(iff(a, b), c),
    lambda a, b, c: iff(a, iff(b, c)),
    lambda a, b, c: both(both(a, b), c),
    lambda a, b, c: both(a, b, c),
]


def test_relations_joined_in_another_order_are_printed_and_read_apart():
    parts = [Relation(variable(name), "<=", term(0)) for name in "xyz"]
    over = tuple(real(name, -1, 1) for name in "xyz")
    joined = [Statement(over, (), join(*parts)) for join in _JOINS]
    assert all(saying(one, one.formula) == one for one in joined)
    assert len({one.formula for one in joined}) == len({one.tex for one in joined}) == len(joined)
    assert joined[1].formula == "x <= 0, and (y <= 0 if and only if z <= 0)"


@pytest.mark.parametrize(
    "text",
    ["x > 0, and y > 0 if and only if z > 0", "(x > 0, and y > 0", "x > (0, and y > 0)", "x > 0, and ()", "(x > 0) z"],
)
def test_a_join_that_can_be_read_in_two_ways_or_in_none_is_refused(text):
    with pytest.raises(InputError):
        statement(text)


UNLIKE = (vector("x", "reals", 3, 1, 2), vector("y", "reals", 2, 1, 2))


@pytest.mark.parametrize(
    ("build", "match"),
    [
        (lambda: Statement((real("x", 0, 1),), (), Relation(X, "<", Y)), "y"),
        (lambda: Statement((real("x", 0, 1), real("y", 0, 1)), (), Relation(X, "<", 1)), "y"),
        (lambda: Statement((real("x", 0, 1), real("x", 0, 1)), (), Relation(X, "<", 1)), "x"),
        (lambda: Statement((real("x", 0, 1),), (), Relation(apply("sum", X), "<", 1)), "sum"),
        (lambda: Statement((vector("p", "law", 2, "0.1", 1),), (), Relation(coordinate("p"), "<", 1)), "inside"),
        (
            lambda: Statement(UNLIKE, (Relation(coordinate("x"), "<", coordinate("y")),), Relation(1, "<", 2)),
            "one length",
        ),
        (lambda: real("x", 1, 0), "range"),
        (lambda: real("x y", 0, 1), "identifier"),
        (lambda: Relation(X, "=>", Y), "sign"),
        (lambda: both(Relation(X, "<", Y)), "two"),
        (lambda: apply("exp", X, Y), "1 terms"),
        (lambda: apply("nonsense", X), "quantity"),
        (lambda: Term("number"), "Fraction"),
    ],
)
def test_what_is_no_statement_is_refused(build, match):
    with pytest.raises(InputError, match=match):
        build()


def test_a_bound_variable_is_not_substituted():
    body = extremum("inf", "x", 0, X, X * Y)
    assert substituted(body, {"x": term(2), "y": term(3)}) == extremum("inf", "x", 0, 2, X * 3)
