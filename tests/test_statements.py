"""The language of statements: printing, JSON, float columns against balls, decisions, boxes, faults by rule."""

import json
from dataclasses import replace
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ndis_verify.claims.ledger import all_claims, find
from ndis_verify.court.certify import certify_nonnegative
from ndis_verify.court.certify_box import axis
from ndis_verify.court.quantities.exact import NotExact
from ndis_verify.court.scaled_floats import scaled
from ndis_verify.court.statement_balls import decide, margin_on_boxes, same_at, value_at
from ndis_verify.court.statement_checks import fates
from ndis_verify.court.statement_domains import domain_of, random_points
from ndis_verify.court.statement_floats import StatementMargin, value_on
from ndis_verify.exact_number import InputError, exact
from ndis_verify.gaussian_pair import GaussianPair
from ndis_verify.oracle.certified.engine.balls import ball, enclosure, working_bits
from ndis_verify.oracle.certified.hockey_stick import hockey_stick
from ndis_verify.oracle.certified.least_squares.finite_law import als_exact_hockey_stick
from ndis_verify.oracle.least_squares.asymptotic_law import als_pair
from ndis_verify.statements.json_form import from_json, to_json
from ndis_verify.statements.mutation import mutants
from ndis_verify.statements.printing import plain, tex
from ndis_verify.statements.reading import read_relation, read_term, saying, statement, under
from ndis_verify.statements.statement import Relation, Statement, both, iff, real, vector
from ndis_verify.statements.terms import Term, apply, coordinate, extremum, substituted, term, variable

X, Y = variable("x"), variable("y")
ORDER, CLOSED_FORM, STANDING = (find(claim_id).stated for claim_id in ("N26-L3", "N26-P1", "KM-6.1"))
STATED = tuple({claim.stated: claim.id for claim in all_claims() if claim.stated is not None}.items())

_LEAVES = st.one_of(
    st.sampled_from([X, Y]), st.fractions(min_value=-3, max_value=3, max_denominator=8).map(lambda value: term(value))
)


def _grown(children):
    pair = st.tuples(children, children)
    return st.one_of(
        st.tuples(st.sampled_from(["add", "sub", "mul", "div", "max", "min"]), pair).map(lambda t: Term(t[0], t[1])),
        st.tuples(st.sampled_from(["neg", "abs", "exp", "log", "sqrt", "Phi", "erf", "erfc"]), children).map(
            lambda t: Term(t[0], (t[1],))
        ),
        st.tuples(children, st.integers(0, 3)).map(lambda t: t[0] ** t[1]),
        children.map(lambda t: apply("gamma_q", Fraction(3, 2), t)),
        children.map(lambda t: extremum("sup", "s", 0, 1, t * variable("s"))),
    )


TERMS = st.recursive(_LEAVES, _grown, max_leaves=8)


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


@pytest.mark.parametrize(
    "change",
    [
        lambda data: data.pop("where"),
        lambda data: data.update(more=1),
        lambda data: data.update(claimed=["=", ["number", "__import__"], ["number", "1"]]),
        lambda data: data.update(claimed=["=", ["number", "1/0"], ["variable", "D"]]),
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
            a, b = (_ball(value_at(t, point, 20)) for t in (body, read))
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


_CURVES = [
    "e^{-x^2} Phi(x)",
    "x^{1/3}/log(1 + x)",
    "Qg(3/2, x^2)",
    "Pg(5, 2 x)",
    "sqrt(x) erf(x) - erfc(x)",
    "x^x",
    "phi(2 x)",
]


@pytest.mark.parametrize("text", _CURVES)
@pytest.mark.parametrize("x", [Fraction(1, 3), Fraction(7, 4)])
def test_a_derivative_is_the_limit_of_its_quotients(text, x):
    body, step = read_term(text), Fraction(1, 10**12)
    with working_bits(300):
        slope = _ball(value_at(read_term(f"d/dx ({text})"), {"x": x}, 60))
        high, low = (_ball(value_at(body, {"x": x + sign * step}, 60)) for sign in (1, -1))
        assert abs(slope - (high - low) / ball(2 * step)) < ball(Fraction(1, 10**20))
    assert substituted(read_term(f"d/dx ({text})"), {"x": term(2)}) == read_term(f"d/dx ({text})")


def test_a_derivative_of_a_case_is_refused():
    with pytest.raises(InputError, match="without cases"):
        value_at(read_term("d/dx (max(0, x))"), {"x": Fraction(1)}, 20)


@settings(max_examples=80, deadline=None)
@given(TERMS, TERMS)
def test_two_terms_with_one_text_are_equal_in_value(one, other):
    if plain(one) == plain(other):
        point = {"x": Fraction(3, 4), "y": Fraction(5, 3)}
        with working_bits(100):
            try:
                a, b = (_ball(value_at(t, point, 20)) for t in (one, other))
            except ArithmeticError:
                return
        assert not a.is_finite() or a.overlaps(b)


def _ball(value):
    return ball(value) if isinstance(value, Fraction) else value


_POINTS = st.fractions(min_value=Fraction(-3), max_value=3, max_denominator=64)


@settings(max_examples=150, deadline=None)
@given(TERMS, _POINTS, _POINTS)
def test_float_columns_are_within_their_own_errors_of_the_balls(body, x, y):
    """What the attack grants to rounding is at least what rounding did."""
    with np.errstate(all="ignore"):
        found = value_on(body, {"x": scaled([float(x)]), "y": scaled([float(y)])}, 1)
        value, slack = float(found.value()[0]), float(found.slack()[0])
    if not (np.isfinite(value) and np.isfinite(slack)) or "sup" in plain(body):
        return
    with working_bits(200):
        try:
            true = _ball(value_at(body, {"x": Fraction(float(x)), "y": Fraction(float(y))}, 30))
        except ArithmeticError:
            return
        if true.is_finite():
            gap = enclosure(abs(true - ball(exact(value)))).lower
            assert gap <= Fraction(slack) * 2 + Fraction(1, 10**300), (plain(body), value, slack)


@pytest.mark.parametrize(
    ("shift", "eps"), [(0.001, 30.0), (0.02, 20.0), (1.0, 1.0), (30.0, 0.0), (3.0, 40.0), (1e-4, 0.5)]
)
def test_a_tail_beyond_all_floats_is_known_to_its_errors(shift, eps):
    body = CLOSED_FORM.claimed.parts[0].right
    found = value_on(body, {"D": scaled([shift]), "eps": scaled([eps])}, 1)
    with working_bits(400):
        true = value_at(body, {"D": exact(shift), "eps": exact(eps)}, 60)
        left = (ball(exact(float(found.exponent[0])))).exp()
        gap = abs(true / left - ball(exact(float(found.mantissa[0]))))
        assert gap < ball(exact(float(found.error[0])))


def test_points_are_held_violated_or_undecided():
    stated = Statement((real("x", -9, 9),), (Relation(X, ">", 0),), Relation(apply("exp", X), ">", 1 + X))
    assert decide(stated, {"x": Fraction(1, 10**6)}).outcome == "held"
    turned = replace(stated, claimed=Relation(apply("exp", X), "<", 1 + X))
    found = decide(turned, {"x": Fraction(1)})
    assert found.outcome == "violated" and found.margin.upper < Fraction(-7, 10)
    same = replace(stated, claimed=Relation(apply("log", apply("exp", X)), "=", X))
    assert decide(same, {"x": Fraction(1)}).outcome == "undecided"  # equal, which no ball shows
    with pytest.raises(InputError, match="x > 0"):
        decide(stated, {"x": Fraction(-1)})


def test_rational_statements_are_decided_where_they_are_equalities():
    stated = Statement((real("x", -9, 9),), (), Relation((X + 1) ** 2, "=", X**2 + 2 * X + 1))
    assert decide(stated, {"x": Fraction(10, 7)}).outcome == "held"
    assert decide(replace(stated, claimed=Relation(X / X, "=", 1)), {"x": Fraction(0)}).outcome == "undecided"


@pytest.mark.parametrize(("lams", "eps", "outcome"), [(("2", "3", "1"), "1/2", "held"), (("1", "1", "1"), "1", "held")])
def test_a_pair_is_decided_at_a_point(lams, eps, outcome):
    point = {f"lam_{i}": Fraction(lam) for i, lam in enumerate(lams, 1)}
    point |= {"m_1": 1, "m_2": 2, "m_3": 1, "eps": Fraction(eps)}
    found = decide(ORDER, point)
    assert found.outcome == outcome or (found.outcome == "undecided" and found.margin.mid == 0)
    turned = replace(ORDER, claimed=replace(ORDER.claimed, sign="<"))
    assert decide(turned, point).outcome == ("violated" if set(lams) > {"1"} else decide(turned, point).outcome)


def test_a_definition_without_a_value_at_a_point_leaves_it_undecided():
    named = Statement((real("x", 0, 1),), (Relation(X, "<=", 1),), Relation(variable("h"), ">", X), (("h", 1 / X),))
    assert decide(named, {"x": Fraction(0)}).outcome == "undecided"
    assert decide(named, {"x": Fraction(1, 2)}).outcome == "held"


def test_a_quantity_is_not_asked_outside_its_domain():
    with pytest.raises(NotExact):
        value_at(apply("projection", 1, 2, 1), {}, 20)
    with pytest.raises(NotExact):
        value_at(apply("projection", Fraction(1, 2), Fraction(1, 2), 1), {}, 20)
    with pytest.raises(NotExact):
        value_at(apply("mean_shift", -1, 1), {}, 20)
    found = value_on(apply("mean_shift", X, 1), {"x": scaled([-1.0, 1.0])}, 2)
    assert np.isinf(found.error[0]) and np.isfinite(found.error[1])


BOUND = Statement(
    (real("D", "0.5", 1), real("eps", 0, "0.5")),
    (),
    Relation(apply("mean_shift", variable("D"), variable("eps")), "<=", 2 * variable("D") / 5),
)


def test_a_statement_is_settled_over_a_box():
    """delta <= TV <= D/sqrt(2 pi) < 0.4 D; with 0.3 in place of 0.4 a point of the box breaks it."""
    box = (axis("D", "0.5", 1), axis("eps", 0, "0.5"))
    assert certify_nonnegative(margin_on_boxes(BOUND), box, max_boxes=2_000).outcome == "certified"
    false = replace(BOUND, claimed=replace(BOUND.claimed, right=3 * variable("D") / 10))
    assert certify_nonnegative(margin_on_boxes(false), box, max_boxes=2_000).outcome == "refuted"
    with pytest.raises(InputError):
        margin_on_boxes(CLOSED_FORM)
    with pytest.raises(InputError):
        margin_on_boxes(ORDER)


@pytest.mark.parametrize(
    ("head", "args", "pair"),
    [
        ("mean_shift", (Fraction(3, 2), Fraction(1, 2)), GaussianPair([0, 3], 4, [0, 0], 4)),
        ("projection", (Fraction(1, 3), 3, Fraction(1, 2)), GaussianPair([0] * 3, Fraction(3, 2), [0] * 3, 1)),
        ("projection_insert", (Fraction(1, 3), 3, Fraction(1, 2)), GaussianPair([0] * 3, 1, [0] * 3, Fraction(3, 2))),
    ],
)
def test_a_quantity_is_the_divergence_that_its_words_name(head, args, pair):
    true = hockey_stick(pair, "0.5", digits=25)
    with working_bits(120):
        found = enclosure(value_at(apply(head, *args), {}, 25))
    assert found.overlaps(true)
    with np.errstate(all="ignore"):
        values = value_on(apply(head, *args), {}, 1)
    assert abs(float(values.value()[0]) - float(true.mid)) <= 1e-10


@pytest.mark.parametrize("reverse", [False, True])
def test_a_pair_of_covariances_is_the_divergence_that_its_words_name(reverse):
    pair = GaussianPair([0] * 3, ["2", "2", "3"], [0] * 3, 1)
    true = hockey_stick(pair.swapped() if reverse else pair, "0.5", digits=25)
    body = apply("centred_reverse" if reverse else "centred", variable("lam"), variable("m"), Fraction(1, 2))
    with working_bits(120):
        exact_values = {"lam": [Fraction(2), Fraction(3)], "m": [Fraction(2), Fraction(1)]}
        assert enclosure(value_at(body, exact_values, 25)).overlaps(true)
    columns = {name: [scaled([float(x)]) for x in xs] for name, xs in exact_values.items()}
    assert abs(float(value_on(body, columns, 1).value()[0]) - float(true.mid)) <= 1e-10


_RECORD = {"p": Fraction(1, 5), "q": Fraction(2, 5), "d": Fraction(2), "r": Fraction(6), "eps": Fraction(1, 2)}


@pytest.mark.parametrize(
    ("text", "values", "pair"),
    [
        (
            "delta_N(u, w; eps)",
            {"u": [Fraction(1, 2), Fraction(-1)], "w": [Fraction(2), Fraction(1, 2)], "eps": Fraction(1, 2)},
            GaussianPair(["0.5", -1], ["4", "0.25"], [0, 0], 1),
        ),
        ("delta_LS_delete(p, q, d, r; eps)", _RECORD, als_pair("0.2", "0.4", 2, 6, "delete")),
        ("delta_LS_insert(p, q, d, r; eps)", _RECORD, als_pair("0.2", "0.4", 2, 6, "insert")),
    ],
)
def test_a_pair_is_the_divergence_that_its_words_name(text, values, pair):
    body, true = read_term(text), hockey_stick(pair, "0.5", digits=20)
    with working_bits(120):
        assert enclosure(value_at(body, values, 20)).overlaps(true)
    columns = {
        n: [scaled([float(x)]) for x in v] if isinstance(v, list) else scaled([float(v)]) for n, v in values.items()
    }
    assert abs(float(value_on(body, columns, 1).value()[0]) - float(true.mid)) <= 1e-10


def test_the_law_of_a_sketch_is_the_one_that_its_words_name():
    for way in ("delete", "insert"):
        body, true = (
            read_term(f"delta_sketch_{way}(p, q, d, r; eps)"),
            als_exact_hockey_stick("0.2", "0.4", 2, 6, "0.5", way),
        )
        with working_bits(120):
            assert enclosure(value_at(body, _RECORD, 20)).overlaps(true)
        found = value_on(body, {name: scaled([float(x)]) for name, x in _RECORD.items()}, 1)
        assert abs(float(found.value()[0]) - float(true.mid)) <= 1e-9
        outside = _RECORD | {"q": Fraction(1, 10)}
        with pytest.raises(NotExact):
            value_at(body, outside, 20)
        assert np.isinf(value_on(body, {name: scaled([float(x)]) for name, x in outside.items()}, 1).error[0])


@pytest.mark.parametrize(("c", "a", "r"), [("0.5", "-0.75", 3), ("-1", "0.5", 4), ("0.25", "-4", 1)])
def test_a_chi_square_hinge_is_the_expectation_that_its_words_name(c, a, r):
    body = apply("chi2_hinge", Fraction(c), Fraction(a), r)
    with mpmath.workdps(20):
        half, low, high = mpmath.mpf(r) / 2, *sorted((0, max(0, float(-2 * Fraction(c) / Fraction(a)))))
        density = lambda t: t ** (half - 1) * mpmath.exp(-t / 2) / 2**half / mpmath.gamma(half)
        hinge = lambda t: -mpmath.expm1(mpmath.mpf(c) + mpmath.mpf(a) * t / 2) * density(t)
        ends = [high, high + 5, high + 40, mpmath.inf] if Fraction(a) < 0 else [low, high / 4, high]
        true = mpmath.quad(hinge, ends)
    with working_bits(120):
        assert abs(float(enclosure(value_at(body, {}, 20)).mid) - float(true)) < 1e-9
    assert abs(float(value_on(body, {}, 1).value()[0]) - float(true)) < 1e-9


def test_a_law_of_a_quadratic_form_is_its_distribution_and_its_hinge():
    """Against draws: the probability and the expectation that the words name, to their sampling error."""
    a, b, z = (
        [Fraction(3, 4), Fraction(-3)],
        [Fraction(1, 2), Fraction(-1)],
        np.random.default_rng(5).normal(size=(2, 10**6)),
    )
    values = (np.array(a, dtype=float)[:, None] * z**2 / 2 + np.array(b, dtype=float)[:, None] * z).sum(axis=0)
    draws = {"quadratic_cdf": values <= 0.5, "quadratic_hinge": np.maximum(0, -np.expm1(0.5 + values))}
    for head, sample in draws.items():
        body = apply(head, variable("a"), variable("b"), Fraction(1, 2))
        with working_bits(120):
            true = float(enclosure(_ball(value_at(body, {"a": a, "b": b}, 20))).mid)
        columns = {name: [scaled([float(x)]) for x in xs] for name, xs in (("a", a), ("b", b))}
        assert abs(float(value_on(body, columns, 1).value()[0]) - true) < 1e-9
        assert abs(sample.mean() - true) < 5 * sample.std() / 1e3


def test_a_supremum_is_enclosed_and_not_guessed():
    body = extremum("sup", "s", 0, 1, apply("mean_shift", variable("s") * 2, 1))
    with working_bits(100):
        found, end = value_at(body, {}, 25), value_at(apply("mean_shift", 2, 1), {}, 25)
        assert found.overlaps(end) and found.rad() < ball(Fraction(1, 10**8))
        inner = value_at(extremum("sup", "s", 0, 1, variable("s") * (1 - variable("s"))), {}, 25)
        assert inner.contains(ball(Fraction(1, 4)))


def test_the_domain_is_the_ranges_cut_by_the_hypotheses_and_nothing_else():
    (low,) = (p.low for p in domain_of(ORDER).parameters if p.name == "lam_1")
    (free,) = (
        p.low for p in domain_of(replace(ORDER, hypotheses=ORDER.hypotheses[1:])).parameters if p.name == "lam_1"
    )
    assert low == 1 and free == Fraction(1, 100)
    domain = domain_of(STANDING)
    columns = domain.columns(np.random.default_rng(1).random((200, domain.size)))
    kept = domain.feasible(columns)
    assert 0 < kept.sum() < 200 and (columns["TPR"][kept] >= columns["FPR"][kept]).all()


@pytest.mark.parametrize(
    ("build", "match"),
    [
        (lambda: Statement((real("x", 0, 1),), (), Relation(X, "<", Y)), "y"),
        (lambda: Statement((real("x", 0, 1), real("y", 0, 1)), (), Relation(X, "<", 1)), "y"),
        (lambda: Statement((real("x", 0, 1), real("x", 0, 1)), (), Relation(X, "<", 1)), "x"),
        (lambda: Statement((real("x", 0, 1),), (), Relation(apply("sum", X), "<", 1)), "sum"),
        (lambda: Statement((vector("p", "law", 2, "0.1", 1),), (), Relation(coordinate("p"), "<", 1)), "inside"),
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


def test_mutants_differ_and_are_statements():
    for stated, claim_id in STATED:
        found = mutants(stated)
        assert len({m.statement for m in found}) == len(found), claim_id
        assert all(m.statement != stated for m in found), claim_id
        assert all(from_json(to_json(m.statement)) == m.statement for m in found[::9]), claim_id
        dropped = {m.statement.hypotheses for m in found if m.rule == "hypothesis left out"}
        assert len(dropped) <= len(stated.hypotheses) and bool(dropped) == bool(stated.hypotheses), claim_id


def test_a_fault_that_changes_nothing_is_seen_to_be_the_same_statement():
    stated = statement("x^2 - y^2 <= e^{2 x}", "x > 0")
    points = random_points(stated, 6)
    assert same_at(stated, saying(stated, "(x - y) (x + y) <= e^x e^x"), points)
    assert not same_at(stated, saying(stated, "(x - y) (x + y) <= e^x e^x + 10^{-9}"), points)
    assert not same_at(stated, saying(stated, "(x - y) (x + y) >= e^x e^x"), points)
    assert not same_at(stated, under(stated, "y > 0"), points) and not same_at(stated, stated, [])
    assert not same_at(stated, saying(stated, "x^2 - y^2 <= e^{2 x} (y - y)/(y - y)"), points)


def test_the_two_logical_joins_are_kept_apart():
    either = Statement((real("x", -1, 1),), (), iff(Relation(X, ">", 0), Relation(X**3, ">", 0)))
    assert decide(either, {"x": Fraction(1, 2)}).outcome == decide(either, {"x": Fraction(-1, 2)}).outcome == "held"
    turned = replace(either, claimed=iff(Relation(X, ">", 0), Relation(X**3, "<", 0)))
    assert decide(turned, {"x": Fraction(1, 2)}).outcome == decide(turned, {"x": Fraction(-1, 2)}).outcome == "violated"
    margin = StatementMargin(turned)(x=np.array([-0.5, 0.5]))
    assert (margin < -0.1).all() and (StatementMargin(either)(x=np.array([-0.5, 0.5])) > 0.1).all()


def test_faults_of_a_statement_about_laws_are_told_apart_as_often_as_ever():
    found = [fate for _, fate, _ in fates(find("KM-4.3").stated, 200)]
    assert found.count("violated") + found.count("implied") >= 34 and len(found) <= 56


@pytest.mark.parametrize(("stated", "least"), [(ORDER, 3), (CLOSED_FORM, 20)])
def test_faults_by_rule_are_violated_implied_or_listed(stated, least):
    found = fates(stated, 64)
    assert len(found) == len(mutants(stated))
    assert [fate for _, fate, _ in found].count("violated") >= least
    assert all(fate != "violated" or "margin -" in detail for _, fate, detail in found)
