"""Statements of one's own: true, false in a small corner, equal on a surface, not decidable; from Python and JSON."""

import json
from dataclasses import replace
from fractions import Fraction

import pytest

from ndis_verify.claims.own_claims import certified_box_check, judge_file, load_claims, universal_claim
from ndis_verify.cli import main
from ndis_verify.court.attack import attack_problem
from ndis_verify.court.certify_box import axis
from ndis_verify.court.domain import continuous
from ndis_verify.court.judge import judge
from ndis_verify.court.statement_balls import decide
from ndis_verify.court.statement_domains import problem_of
from ndis_verify.court.statement_settle import Ending, settle, settled_claim
from ndis_verify.exact_number import InputError
from ndis_verify.statements.json_form import to_json
from ndis_verify.statements.reading import statement as read
from ndis_verify.statements.statement import Relation, Statement, integer, real
from ndis_verify.statements.terms import apply, term, variable

X, Y, Z = (variable(name) for name in "xyz")
CUBE = tuple(real(name, 0, 1) for name in "xyz")


def exp(power):
    return apply("exp", power)


def on_interval(left, sign, right):
    return Statement(CUBE[:1], (), Relation(left, sign, right))


# The ball of radius 0.006 has a share of 1e-6 of the cube, the interval one of 6e-7 of the line.
BALL = Statement(
    CUBE, (), Relation((X - term("0.731")) ** 2 + (Y - term("0.27")) ** 2 + (Z - term("0.55")) ** 2, ">=", "3.6e-5")
)
INTERVAL = on_interval((X - term(Fraction(1, 3))) ** 2, ">=", Fraction(1, 10**13))
STEP = Statement(
    (integer("r", 1, 10**6, "log"), CUBE[0]), (), Relation(variable("r") * (1 + X), "<=", Fraction(1999999))
)
SURFACE = Statement(CUBE[:2], (), Relation(exp(X) + exp(Y), ">=", 2 * exp((X + Y) / 2)))
RATIONAL_SURFACE = Statement(CUBE[:2], (), Relation(X**2 + Y**2, ">=", 2 * (X * Y)))
TOO_CLOSE = on_interval(exp(X) + Fraction(1, 10**150), "<=", exp(X))
TRUE = on_interval(exp(X), ">", X + term(Fraction(1, 2)))
STRICT = on_interval(exp(X), ">", X + 1)
STEEP = Statement(
    (real("D", "1e-3", 40, "log"), real("eps", 0, 10)),
    (),
    Relation(apply("mean_shift", variable("D"), variable("eps")), "<=", variable("D") / 3),
)


@pytest.mark.parametrize(
    ("statement", "outcome", "verdict"),
    [
        (BALL, "violated", "refuted"),
        (INTERVAL, "violated", "refuted"),
        (STEP, "violated", "refuted"),
        (STEEP, "violated", "refuted"),
        (STRICT, "violated", "refuted"),
        (TRUE, "certified", "certified"),
        (SURFACE, "supported", "supported"),
        (RATIONAL_SURFACE, "supported", "supported"),
        (TOO_CLOSE, "undecided", "open"),
    ],
    ids=["ball", "interval", "integer", "quantity", "strict", "true", "surface", "rational", "too close"],
)
def test_a_statement_of_ones_own_says_within_its_budget_what_it_is(statement, outcome, verdict):
    settled = settle(statement, seconds=3, evaluations=4_000)
    assert settled.outcome == outcome, str(settled)
    assert settled.seconds < 30 and statement.formula in str(settled)
    if outcome == "violated":
        assert decide(statement, settled.point).outcome == "violated"
    judgement = judge(settled_claim("MINE", settled))
    assert judgement.verdict == verdict and judgement.agrees, judgement.failures
    assert judgement.mutants == judgement.mutants_killed >= (verdict != "open")


def test_an_ending_is_taken_up_as_it_was_kept():
    for statement in (STEP, TRUE):
        settled = settle(statement, seconds=3, evaluations=2_000)
        kept = json.loads(json.dumps(settled.kept()))
        again = Ending.taken_up(statement, kept)
        assert again == Ending(settled.statement, settled.outcome, settled.detail, settled.point)
        for spoilt in ({"outcome": "proved"}, {"detail": None}, {"point": {"z": "1"}}, {"point": {"x": "?"}}):
            with pytest.raises(ValueError):
                Ending.taken_up(statement, {**kept, **spoilt})


def test_a_point_of_equality_breaks_a_strict_relation_alone():
    point = problem_of(STRICT, "x").domain.exact_point({"x": 0})
    assert decide(STRICT, point).outcome == "violated"
    assert decide(on_interval(exp(X), ">=", X + 1), point).outcome == "held"


def test_an_attack_ends_at_a_proof_and_not_at_a_suspicion():
    problem = problem_of(STEEP, "steep")
    whole, ended = (attack_problem(problem, 0, 20_000, stop_when_certified=stop) for stop in (False, True))
    assert whole.finding == ended.finding == "certified"
    assert whole.evaluations == 20_000 and ended.evaluations < 1_000
    calls = []

    def never(point):
        calls.append(point)
        raise ArithmeticError("the precision ceiling")

    record = attack_problem(replace(problem, certify=never), 0, 2_000, stop_when_certified=True)
    assert record.finding == "suspected" and record.evaluations == 2_000 and 1 <= len(calls) < 60


FILE = """
from ndis_verify.statements.reading import statement as read
from ndis_verify.statements.statement import Relation, Statement, real
from ndis_verify.statements.terms import apply, variable
D, eps = variable("D"), variable("eps")
OVER = (real("D", "1e-3", 40, "log"), real("eps", 0, 10))
STEEP = Statement(OVER, (), Relation(apply("mean_shift", D, eps), "<=", D / 3))
"""


def test_a_file_of_statements_is_judged_and_attacked(tmp_path, capsys):
    path = tmp_path / "mine.py"
    path.write_text(FILE, encoding="utf-8")
    claims, (judgement,) = judge_file(path)
    assert judgement.verdict == "refuted" and claims["STEEP"].counterexample.startswith("at D = 1")
    assert main(["attack", f"{path}:STEEP", "--output", str(tmp_path)]) == 1
    assert "violated: delta_shift(D; eps) <= D/3" in capsys.readouterr().out


def test_a_statement_in_json_runs_nothing(tmp_path, capsys):
    path = tmp_path / "steep.json"
    path.write_text(to_json(STEEP), encoding="utf-8")
    assert load_claims(path) == {"steep": STEEP}
    assert main(["attack", str(path), "--json", "--output", str(tmp_path)]) == 1
    assert json.loads(capsys.readouterr().out)["outcome"] == "violated"
    assert main(["verify", str(path), "--output", str(tmp_path)]) == 0
    for text in ("__import__('os')", '{"variables": [], "hypotheses": [], "where": [], "claimed": "x"}', "[" * 10_000):
        path.write_text(text, encoding="utf-8")
        with pytest.raises(InputError):
            load_claims(path)


def test_a_budget_that_is_over_before_it_begins_still_looks_at_the_first_points():
    settled = settle(STEEP, seconds=1e-6)
    assert settled.attack.evaluations > 0 and settled.outcome == "violated"


@pytest.mark.parametrize(
    ("text", "hypotheses", "printed"),
    [
        ("x < 7", (), "For all -6 <= x <= 6: x < 7."),
        ("x < 7", ("x <= 5",), "For all x <= 5, x >= -6: x < 7."),
        ("n <= 1000001", ("n >= 1",), "For all 1 <= n <= 1000000, whole n: n <= 1000001."),
        ("delta_shift(D; 0) > 10^{-5}", ("D > 0",), "For all D > 0, 1/10000 <= D <= 40: delta_shift(D; 0) > 10^{-5}."),
    ],
)
def test_what_is_certified_is_printed_with_the_ranges_of_the_vocabulary(text, hypotheses, printed):
    settled = settle(read(text, *hypotheses), seconds=4, evaluations=2_000)
    claim = settled_claim("MINE", settled)
    assert claim.declared == "certified" and claim.statement.startswith(printed), claim.statement
    assert all(line in str(settled) for line in claim.hypotheses)
    assert settled.as_dict()["hypotheses"] == list(claim.hypotheses) and claim.stated.tex in settled._repr_markdown_()
    judgement = judge(claim)
    assert judgement.verdict == "certified" and judgement.agrees, judgement.failures
    assert Ending.taken_up(settled.statement, settled.kept()).stated == claim.stated


def test_a_range_is_printed_exactly():
    """x < 2 was certified "over x in [0, 2]", in which 2 lies."""
    settled = settle(Statement((real("x", 0, 2 - Fraction(1, 10**20)),), (), Relation(X, "<", 2)), seconds=3)
    high = "199999999999999999999/100000000000000000000"
    assert settled.outcome == "certified" and f"x in [0, {high}]" in settled.detail
    assert f"0 <= x <= {high}" in settled_claim("MINE", settled).statement
    assert str(continuous("x", 0, 1 - Fraction(1, 10**20))) == "x in [0, 1 - 1e-20]"
    assert str(axis("x", 0, 10**400)) == f"x in [0, {10**400}]"


def test_a_supported_statement_says_where_it_was_searched():
    assert "searched over x in [0, 1], y in [0, 1]" in settle(SURFACE, seconds=3, evaluations=1_000).detail


def _certified_on(*boxes):
    """Not near 731/100; what is certified is said on other boxes."""
    checks = [
        certified_box_check(
            f"box {k}", lambda *balls: 2 - balls[0] / 10, box, mutants={"none": lambda *balls: -1 - balls[0] ** 2}
        )
        for k, box in enumerate(boxes)
    ]
    domain = [continuous("x", 0, 10), continuous("y", 0, 1)]
    margin, mutants = lambda x, y: (x - 7.31) ** 2 + y, {"below": lambda x, y: -1 - x}
    return universal_claim("t", "in words", margin, domain, checks=checks, declared="certified", mutants=mutants)


@pytest.mark.parametrize(
    "boxes",
    [
        (),
        ([axis("t", 0, 10), axis("y", 0, 1)],),
        ([axis("x", 0, 10)],),
        ([axis("x", 0, 9), axis("y", 0, 1)],),
        ([axis("x", 0, 4), axis("y", 0, 1)], [axis("x", 5, 10), axis("y", 0, 1)]),
    ],
)
def test_a_box_that_is_not_the_declared_domain_certifies_no_claim_of_it(boxes):
    with pytest.raises(InputError, match="checks"):
        _certified_on(*boxes)


def test_boxes_that_cover_the_declared_domain_certify_it():
    left, right = ([axis("x", low, high), axis("y", -1, 1)] for low, high in ((0, 4), (4, 11)))
    judgement = judge(_certified_on(left, right).claim)
    assert judgement.verdict == "certified" and judgement.agrees, judgement.failures
