"""What balls say of statements where a quantity is not monotone, where a slope has no value, and where a hypothesis has
none.
"""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ndis_verify.court.attack import Problem, attack_problem
from ndis_verify.court.domain import Condition, Domain, continuous
from ndis_verify.court.judge import judge
from ndis_verify.court.statement_balls import ExactMargin, decide, margin_on_boxes
from ndis_verify.court.statement_domains import domain_of
from ndis_verify.court.statement_floats import StatementMargin
from ndis_verify.court.statement_settle import settle, settled_claim
from ndis_verify.exact_number import InputError
from ndis_verify.oracle.certified.engine.balls import ball
from ndis_verify.statements.reading import statement
from ndis_verify.statements.statement import integer, real

SHAPES = st.fractions(min_value=Fraction(1, 4), max_value=4, max_denominator=8)
PLACES = st.fractions(min_value=-3, max_value=3, max_denominator=64)


def _settled(*texts, over, **given):
    return settle(statement(*texts, over=over, **given), seconds=4, evaluations=2_000)


@pytest.mark.parametrize("tail", ["Qg", "Pg"])
@given(shape=SHAPES, ends=st.tuples(PLACES, PLACES).map(sorted), share=st.fractions(0, 1, max_denominator=9))
def test_a_tail_of_a_gamma_law_on_a_ball_contains_its_values(tail, shape, ends, share):
    """Q(2, .) is 0 at -1, 1 at 0 and 0.74 at 1: its values at the ends of [-1, 1] said that it is below 9/10."""
    low, high = ends
    margin = margin_on_boxes(statement(f"{tail}(s, x) <= 2", over=(real("s", 1, 4), real("x", -3, 3))))
    whole = margin(ball(shape), ball(low).union(ball(high)))
    if whole.is_finite():
        inner = low + share * (high - low)
        assert low >= 0 and whole.overlaps(margin(ball(shape), ball(inner)))
    else:
        assert low <= 0


@pytest.mark.parametrize(("s", "x", "said"), [(2, -1, True), (0, 1, True), (-1, 1, True), (2, 0, False), (1, 5, False)])
def test_a_tail_has_a_positive_shape_and_a_place_from_0_on(s, x, said):
    stated = statement("Qg(s, x) <= 2", over=(real("s", -3, 3), real("x", -3, 9)))
    assert decide(stated, {"s": Fraction(s), "x": Fraction(x)}).outside is said


def test_what_is_not_monotone_is_not_certified():
    """The one narrow place where it fails is met by no search."""
    stated = "Qg(2, 3 erf(10^30 (x - 731047/999983))) <= 9/10 + y^2 + y"
    found = _settled(stated, over=(real("x", 0, 1), real("y", 0, 1)))
    assert found.outcome not in ("certified", "supported")
    assert _settled("Qg(2, x) <= 9/10", over=(real("x", -1, 1),)).outcome == "violated"
    assert _settled("Qg(2, x) <= 9/10", over=(real("x", 1, 5),)).outcome == "certified"


def test_a_fault_that_leaves_no_variable_is_none():
    found = _settled("Qg(2, x) <= 11/10", over=(real("x", 1, 2),))
    assert found.outcome == "certified" and judge(settled_claim("own", found)).agrees
    assert judge(settled_claim("own", _settled("max(x, 1) <= 2", over=(real("x", 1, 2),)))).agrees


@pytest.mark.parametrize(
    ("text", "where", "said"),
    [
        ("d/dx (w + x y) <= y", {"w": "x^2"}, "w: must be written out under derivative in x"),
        ("d/dx (v + x y) <= y", {"w": "x^2", "v": "2 w"}, "w: must be written out under derivative in x"),
        ("d/dw (w + x) <= y", {"w": "y^2"}, "w: must be in a variable"),
        ("sup_{0 <= x <= 1} (w + x) <= x + y", {"w": "x"}, "w: must be written out under sup in x"),
        ("d/dx (w + x y) <= y", {"w": "y^2"}, ""),
        ("d/dx (x y) <= w", {"w": "x^2"}, ""),
        ("sup_{0 <= t <= 1} (w + t) <= x + y", {"w": "x"}, ""),
    ],
)
def test_no_named_term_hides_what_a_slope_is_taken_in(text, where, said):
    """The slope in x of w + x y, w = x^2, was y."""
    over = (real("x", 1, 9), real("y", 1, 9))
    if not said:
        assert statement(text, where=where, over=over)
        return
    with pytest.raises(InputError, match=said):
        statement(text, where=where, over=over)


def test_a_slope_is_of_what_has_a_value():
    """1/x has one at -1, and log x none."""
    stated = statement("d/dx (log(x)) <= 1/x + x^2 + 1/10", over=(real("x", -3, 3),))
    assert decide(stated, {"x": Fraction(-1)}).outside and decide(stated, {"x": Fraction(1)}).outcome == "held"
    assert _settled("d/dx (log(x)) <= 1/x + x^2 + 1/10", over=(real("x", -3, -1),)).outcome == "undecided"
    assert _settled("d/dx (log(x)) <= 1/x + x^2 + 1/10", over=(real("x", 1, 3),)).outcome == "certified"


def test_a_hypothesis_without_a_value_holds_nowhere():
    stated = statement("x > 0", "log(x) < 1", over=(real("x", -3, 3),))
    assert not domain_of(stated).contains({"x": Fraction(-1, 2)})
    found = settle(stated, seconds=4, evaluations=2_000)
    assert found.outcome != "violated" and judge(settled_claim("own", found)).agrees
    wrong = _settled("x > 1", "log(x) < 1", over=(real("x", -3, 3),))
    assert wrong.outcome == "violated" and 0 < wrong.point["x"] <= 1 and judge(settled_claim("own", wrong)).agrees


@pytest.mark.parametrize(("exact", "finding"), [(True, "certified"), (False, "engine failure")])
def test_a_suspicion_is_at_a_point_of_the_domain(exact, finding):
    """Where a constraint holds by rounding alone there is no violation."""
    at = Condition("near 1", lambda x: x > 0.5, lambda x: exact and x > Fraction(1, 2))
    margin = ExactMargin(statement("x > 2", over=(real("x", 0, 1),)))
    problem = Problem("x > 2", lambda x: x - 2, Domain((continuous("x", 0, 1),), (at,)), certify=margin)
    for stops in (True, False):
        assert attack_problem(problem, evaluations=300, stop_when_certified=stops).finding == finding


WHOLE = (integer("n", 0, 5),)


@pytest.mark.parametrize(
    ("text", "over", "at"),
    [
        ("n <= 2 if and only if n <= 1", WHOLE, 2),
        ("n > 0 if and only if n >= 0", WHOLE, 0),
        ("n n = n if and only if n <= 0", WHOLE, 1),
        ("n^2 = 9 if and only if n = -3", WHOLE, 3),
        ("n >= 0, and n > 0", WHOLE, 0),
        ("n >= 0, and n n < 25", WHOLE, 5),
        ("n >= 0, and (n >= 1 if and only if n >= 0)", WHOLE, 0),
    ],
)
def test_a_joined_relation_fails_where_one_of_its_parts_is_at_its_edge(text, over, at):
    stated = statement(text, over=over)
    (name,) = (v.name for v in over)
    assert decide(stated, {name: Fraction(at)}).outcome == "violated"
    settled = settle(stated, seconds=4, evaluations=3_000)
    assert settled.outcome == "violated", str(settled)
    judgement = judge(settled_claim("MINE", settled))
    assert judgement.verdict == "refuted" and judgement.agrees, judgement.failures


def test_an_equality_at_one_real_point_is_decided_there():
    stated = statement("x^2 = 1 if and only if x = 1", over=(real("x", -2, 2),))
    assert [decide(stated, {"x": Fraction(x)}).outcome for x in (-2, -1, 0, 1)] == ["held", "violated", "held", "held"]


@pytest.mark.parametrize(
    "text",
    [
        "n <= 2 if and only if n < 3",
        "n > 0 if and only if n >= 1",
        "n n = n if and only if n <= 1",
        "n >= 0, and n n < 26",
    ],
)
def test_a_joined_relation_that_holds_up_to_its_edges_is_no_violation(text):
    stated = statement(text, over=WHOLE)
    assert all(decide(stated, {"n": n}).outcome == "held" for n in range(6))
    assert settle(stated, seconds=4, evaluations=3_000).outcome in ("supported", "certified")


@given(x=st.integers(-2, 2), y=st.integers(-2, 2), signs=st.tuples(*[st.sampled_from(["=", "<", "<=", ">", ">="])] * 2))
def test_joined_relations_are_decided_as_logic_decides_them(x, y, signs):
    compare = {"=": x.__eq__, "<": x.__lt__, "<=": x.__le__, ">": x.__gt__, ">=": x.__ge__}
    first, second = compare[signs[0]](0), compare[signs[1]](y)
    over = (real("x", -2, 2), real("y", -2, 2))
    at = {"x": Fraction(x), "y": Fraction(y)}
    for joined, holds in (("if and only if", first == second), (", and", first and second)):
        stated = statement(f"x {signs[0]} 0{'' if joined[0] == ',' else ' '}{joined} x {signs[1]} y", over=over)
        assert decide(stated, at).outcome == ("held" if holds else "violated")
        margin = StatementMargin(stated)(**{name: np.array([float(value)]) for name, value in at.items()})
        assert (margin[0] >= 0) if holds else (margin[0] <= 0)


@pytest.mark.parametrize(
    ("text", "low", "at"),
    [
        ("delta_shift(x; 0) <= 2", Fraction(-1, 10**7), Fraction(-1, 10**7)),
        ("sqrt(x) >= 0", -1, -1),
        ("x/x >= 1 - x^2", -1, 0),
        ("Phi^-1(x)^2 >= 0", 0, 0),
    ],
)
def test_a_side_without_a_value_holds_nowhere(text, low, at):
    over = (real("x", low, 1),)
    assert decide(statement(text, over=over), {"x": Fraction(at)}).outside
    settled = _settled(text, over=over)
    assert settled.outcome == "undecided" and "no value" in settled.detail, str(settled)
    assert judge(settled_claim("MINE", settled)).verdict == "open"
    kept_out = _settled(text, "x >= 1/100", "x <= 99/100", over=over)
    assert kept_out.outcome in ("certified", "supported"), str(kept_out)


@pytest.mark.parametrize("distance", ["x", "x/3"])
def test_a_distance_from_0_on_has_a_value(distance):
    settled = _settled(f"delta_shift({distance}; 0) <= 2", over=(real("x", 0, 1),))
    assert settled.outcome == "certified", str(settled)
