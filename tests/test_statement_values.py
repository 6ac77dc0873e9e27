"""Statements at points: float columns against balls, decisions, derivatives, domains and boxes."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statement_examples import CLOSED_FORM, ORDER, STANDING, TERMS, X, in_balls

from ndis_verify.court.certify import certify_nonnegative
from ndis_verify.court.certify_box import axis
from ndis_verify.court.quantities.exact import NotExact
from ndis_verify.court.scaled_floats import scaled
from ndis_verify.court.statement_balls import decide, margin_on_boxes, value_at
from ndis_verify.court.statement_domains import domain_of
from ndis_verify.court.statement_floats import StatementMargin, value_on
from ndis_verify.exact_number import InputError, exact
from ndis_verify.oracle.certified.engine.balls import ball, enclosure, working_bits
from ndis_verify.statements.printing import plain
from ndis_verify.statements.reading import read_term
from ndis_verify.statements.statement import Relation, Statement, iff, real
from ndis_verify.statements.terms import apply, extremum, substituted, term, variable

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
        slope = in_balls(value_at(read_term(f"d/dx ({text})"), {"x": x}, 60))
        high, low = (in_balls(value_at(body, {"x": x + sign * step}, 60)) for sign in (1, -1))
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
                a, b = (in_balls(value_at(t, point, 20)) for t in (one, other))
            except ArithmeticError:
                return
        assert not a.is_finite() or a.overlaps(b)


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
            true = in_balls(value_at(body, {"x": Fraction(float(x)), "y": Fraction(float(y))}, 30))
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


def test_the_two_logical_joins_are_kept_apart():
    either = Statement((real("x", -1, 1),), (), iff(Relation(X, ">", 0), Relation(X**3, ">", 0)))
    assert decide(either, {"x": Fraction(1, 2)}).outcome == decide(either, {"x": Fraction(-1, 2)}).outcome == "held"
    turned = replace(either, claimed=iff(Relation(X, ">", 0), Relation(X**3, "<", 0)))
    assert decide(turned, {"x": Fraction(1, 2)}).outcome == decide(turned, {"x": Fraction(-1, 2)}).outcome == "violated"
    margin = StatementMargin(turned)(x=np.array([-0.5, 0.5]))
    assert (margin < -0.1).all() and (StatementMargin(either)(x=np.array([-0.5, 0.5])) > 0.1).all()
