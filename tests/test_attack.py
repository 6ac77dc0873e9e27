"""The attack: it finds what is there, says so when nothing is, repeats, resumes, and shrinks to numbers one
can type.
"""

import argparse
import json
import runpy
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from flint import arb
from hypothesis import given
from hypothesis import strategies as st

from ndis_verify.claim import Claim, Kind, Outcome, Verdict
from ndis_verify.claims.attack_index import problems_of
from ndis_verify.claims.ledger import all_claims
from ndis_verify.claims.own_claims import judge_file, load_claims, universal_claim
from ndis_verify.commands import attack as commands_attack
from ndis_verify.court.attack import (
    Problem,
    attack_problem,
    enclosed_difference,
    enclosure_of,
    log_margin,
    relative_margin,
)
from ndis_verify.court.attack_checks import attack_check, counterexample_check, negated, refutation_check
from ndis_verify.court.domain import (
    Condition,
    Domain,
    VacuityError,
    choice,
    continuous,
    integer,
    shown,
    stacked,
    vector,
)
from ndis_verify.court.judge import judge
from ndis_verify.court.shrink import digits, rounded
from ndis_verify.enclosure import Enclosure
from ndis_verify.exact_number import InputError
from ndis_verify.runs.identity import identity

EXAMPLE = Path(__file__).resolve().parents[1] / "examples" / "my_claims.py"
PLANE = Domain((continuous("x", 0, "1.1"), continuous("y", "1e-30", 1, "log"), integer("n", 1, 8)))
CUBE = Domain(vector("z", 5, 0, 1))


def attack(margin, domain, *, name="claim", tolerance=1e-9, **options):
    """A search for the most negative margin; the options of the problem and of the run together."""
    of_run = {"seed", "evaluations", "budget_seconds", "journal", "progress"} & set(options)
    run = {option: options.pop(option) for option in of_run}
    return attack_problem(Problem(name, margin, domain, tolerance, **options), **run)


def parabola(x, y, n):
    return x - x**2 + y


def exact_parabola(point):
    value = point["x"] - point["x"] ** 2 + point["y"]
    return enclosure_of(value, value)


# The domain


@given(st.floats(0, 1), st.sampled_from(["linear", "log", "logit"]))
def test_the_cube_maps_into_the_range_and_back(unit, scale):
    parameter = continuous("p", "1e-30", 1 - Fraction(1, 10**30), scale, complement="q")
    value = parameter.value(unit)
    assert parameter.admits(value)
    # Towards 1 a linear or log coordinate cannot tell numbers apart more finely than a float near 1.
    assert parameter.value(parameter.unit(value)) == pytest.approx(value, rel=1e-9)


def test_a_logit_scale_reaches_both_tails_without_rounding_them_away():
    domain = Domain((continuous("p", "1e-30", 1 - Fraction(1, 10**30), "logit", complement="q"),))
    columns = domain.columns(np.array([[0.0], [0.5], [1.0]]))
    assert columns["p"].tolist() == pytest.approx([1e-30, 0.5, 1.0])
    assert columns["q"].tolist() == pytest.approx([1.0, 0.5, 1e-30])
    assert 0 < 1 - domain.point([1.0])["p"] <= Fraction(2, 10**30)
    assert shown(domain.point([1.0])["p"]) == "1 - 1.0000000000000001e-30"


def test_whole_numbers_and_choices_take_all_their_values():
    unit = np.linspace(0, 1, 500)
    assert set(integer("n", 3, 9).floats(unit)[0].tolist()) == set(range(3, 10))
    assert set(integer("n", 1, 40, "log").floats(unit)[0].tolist()) == set(range(1, 41))
    side = choice("side", ["delete", "insert"])
    assert set(side.floats(unit)[0].tolist()) == {"delete", "insert"}
    for parameter, values in ((integer("n", 1, 40, "log"), range(1, 41)), (side, side.choices)):
        assert [parameter.value(parameter.unit(v)) for v in values] == list(values)


def test_float_points_and_exact_points_are_the_same_numbers():
    unit = np.random.default_rng(3).random((50, PLANE.size))
    columns, points = PLANE.columns(unit), [PLANE.point(row) for row in unit]
    again = PLANE.columns_of(points)
    assert all((columns[name] == again[name]).all() for name in columns)
    assert all(PLANE.contains(point) for point in points)


@pytest.mark.parametrize(
    "make",
    [
        lambda: continuous("x", 1, 0),
        lambda: continuous("x", 0, 1, "log"),
        lambda: continuous("x", 0, "0.5", "logit"),
        lambda: continuous("not a name", 0, 1),
        lambda: integer("n", 2, 1),
        lambda: choice("c", []),
        lambda: Domain((continuous("x", 0, 1), continuous("x", 0, 1))),
        lambda: continuous("x", 0, float("nan")),
        lambda: PLANE.exact_point({"x": 1}),
        lambda: Domain((integer("n", 0, 9),)).exact_point({"n": Fraction(29, 10)}),
    ],
)
def test_bad_domains_are_refused(make):
    with pytest.raises(InputError):
        make()


def test_an_empty_domain_is_vacuous():
    empty = Domain(PLANE.parameters, constraints=(Condition("x > 2", lambda x, y, n: x > 2),))
    with pytest.raises(VacuityError, match="x > 2"):
        empty.satisfiable(np.random.default_rng(0), 100)
    with pytest.raises(VacuityError):
        attack(parabola, empty, evaluations=100)


def test_a_domain_of_which_one_point_in_a_thousand_is_left_is_not_vacuous():
    thin = Domain(PLANE.parameters, constraints=(Condition("thin", lambda x, y, n: abs(x - 0.5) < 0.0005),))
    thin.satisfiable(np.random.default_rng(0))


def test_a_point_that_breaks_a_hypothesis_stops_the_attack():
    domain = Domain(PLANE.parameters, hypotheses=(Condition("x <= 1", lambda x, y, n: x <= 1),))
    with pytest.raises(VacuityError, match="x <= 1"):
        attack(parabola, domain, evaluations=100)
    kept = Domain(domain.parameters, (Condition("x < 1", lambda x, y, n: x < 1),), domain.hypotheses)
    kept.satisfiable(np.random.default_rng(0))
    assert attack(parabola, kept, evaluations=500).finding == "nothing"


def test_conditions_are_decided_in_fractions_at_a_point():
    sharp = Condition("3 x <= 1", lambda x: 3 * x <= 1)
    domain = Domain((continuous("x", 0, 1),), (sharp,))
    assert domain.contains({"x": Fraction(1, 3)}) and not domain.contains({"x": Fraction(1, 3) + Fraction(1, 10**40)})
    rough = Domain((continuous("x", 0, 1),), (Condition("log", lambda x: np.log(x) < 0),))
    with pytest.raises(InputError, match="exact="):
        rough.contains({"x": Fraction(1, 3)})


# The search


def test_a_false_statement_is_found_certified_and_shrunk():
    record = attack(parabola, PLANE, evaluations=2000, certify=exact_parabola)
    assert record.finding == "certified" and record.margin == pytest.approx(-0.11)
    assert PLANE.contains(record.simple) and exact_parabola(record.simple).sign() == -1
    assert max(digits(record.simple["x"]), digits(record.simple["y"])) <= 2 and record.simple["n"] == 1
    assert record.enclosure.contains(record.simple["x"] - record.simple["x"] ** 2 + record.simple["y"])


def test_a_true_statement_leaves_a_record_of_the_search():
    domain = Domain((continuous("x", 0, 1), *PLANE.parameters[1:]))
    record = attack(parabola, domain, evaluations=3000, seed=5)
    assert (record.finding, record.evaluations, record.seed) == ("nothing", 3000, 5)
    assert 0 < record.margin < 1e-20 and record.point["x"] in (0, 1) and record.simple is None
    assert "worst margin" in record.line() and json.loads(json.dumps(record.as_dict()))["finding"] == "nothing"


def test_a_violation_only_in_a_tail_is_found():
    domain = Domain((continuous("x", "1e-30", 1, "log"), continuous("w", 0, 1)))
    assert attack(lambda x, w: x - 1e-27 * (0.5 + w), domain, evaluations=500).margin < 0
    flat = Domain((continuous("x", 0, 1), continuous("w", 0, 1)))  # x = 0 is a face, so the corner start sees it
    assert attack(lambda x, w: x - 1e-27 * (0.5 + w), flat, evaluations=500).point["x"] == 0


def test_a_narrow_pit_in_four_dimensions_is_found():
    domain = Domain(vector("z", 4, 0, 1))
    record = attack(
        lambda **c: 1e-3 - np.exp(-60 * ((stacked("z", c) - 0.37) ** 2).sum(axis=-1)), domain, evaluations=6000
    )
    assert record.margin < -0.99


def test_effort_goes_where_two_branches_cross():
    def branch(**c):
        return stacked("z", c).sum(axis=-1) - 2.3

    def margin(**c):
        return np.where(np.abs(branch(**c)) < 1e-7, -1.0, 1.0 + stacked("z", c)[:, 0])

    assert attack(margin, CUBE, evaluations=3000, branches=(branch,)).finding == "suspected"
    assert attack(margin, CUBE, evaluations=3000).finding == "nothing"


def test_the_same_seed_repeats_and_another_differs():
    def margin(**c):
        return np.sin(9 * stacked("z", c)).sum(axis=-1) + 4

    first, second = (attack(margin, CUBE, evaluations=1500, seed=1) for _ in range(2))
    assert (first.point, first.margin, first.rounds) == (second.point, second.margin, second.rounds)
    early = [attack(margin, CUBE, evaluations=60, seed=s).point for s in (1, 1, 2)]
    assert early[0] == early[1] != early[2]


def test_an_interrupted_attack_resumes_to_the_same_end(tmp_path):
    journal = tmp_path / "attack.jsonl"
    seen = []

    def stop(done, total, label):
        seen.append(done)
        if done > 1500:
            raise KeyboardInterrupt

    def margin(**c):
        return np.cos(5 * stacked("z", c)).prod(axis=-1) + 2

    whole = attack(margin, CUBE, evaluations=4000)
    with pytest.raises(KeyboardInterrupt):
        attack(margin, CUBE, evaluations=4000, journal=journal, progress=stop)
    kept = journal.read_text().splitlines()
    assert len(kept) > 1
    journal.write_text("\n".join([*kept, '{"truncated']))
    count = []
    resumed = attack(margin, CUBE, evaluations=4000, journal=journal, progress=lambda d, t, label: count.append(d))
    assert count[0] > json.loads(kept[-1])["content"]["evaluations"]
    assert (resumed.point, resumed.margin, resumed.evaluations) == (whole.point, whole.margin, whole.evaluations)
    assert not journal.exists()


def test_a_journal_is_tied_to_the_file_of_its_claim(tmp_path):
    mine = tmp_path / "mine.py"
    seen = []
    for line in ("return 1 + 0 * x + y", "return 2 + 0 * x + y"):
        mine.write_text(f"def margin(x, y):\n    {line}\n")
        module = runpy.run_path(str(mine))
        seen.append(identity("t", functions=(module["margin"],)))
        assert seen[-1] == identity("t", functions=(module["margin"],)) != identity("u", functions=(module["margin"],))
    assert seen[0] != seen[1]


def test_a_journal_of_another_attack_is_not_taken_up(tmp_path):
    journal = tmp_path / "attack.jsonl"
    with pytest.raises(KeyboardInterrupt):
        attack(parabola, PLANE, evaluations=4000, journal=journal, progress=_raise_late)
    record = attack(parabola, PLANE, evaluations=700, seed=1, journal=journal)
    assert record.evaluations == 700


def _raise_late(done, total, label):
    if done > 1500:
        raise KeyboardInterrupt


def test_a_failing_engine_is_reported_and_is_not_a_pass():
    record = attack(lambda **c: np.where(c["z_1"] > 0.5, np.nan, 1 + c["z_2"]), CUBE, evaluations=400)
    assert record.finding == "engine failure" and "NaN" in record.failure and record.failures > 10

    def refuses(**c):
        if (c["z_1"] > 0.9).any():
            raise InputError("z_1", "large", "must be smaller")
        return 1 + c["z_2"]

    record = attack(refuses, CUBE, evaluations=400)
    assert record.finding == "engine failure" and "must be smaller" in record.failure
    record = attack(lambda **c: 1.0, CUBE, evaluations=400)
    assert record.finding == "engine failure" and "same at every point" in record.failure


def test_a_suspicion_that_the_oracle_refutes_is_a_failure_of_the_engine():
    record = attack(parabola, PLANE, evaluations=500, certify=lambda point: enclosure_of(Fraction(1), Fraction(2)))
    assert record.finding == "engine failure" and "not below 0 in truth" in record.failure


def test_a_suspicion_that_stays_open_is_neither_passed_nor_called_a_violation():
    def unable(point):
        raise ArithmeticError("precision ceiling")

    for certify in (unable, lambda point: enclosure_of(Fraction(-1), Fraction(1))):
        assert attack(parabola, PLANE, evaluations=500, certify=certify).finding == "suspected"
    agreed = attack(
        parabola, PLANE, evaluations=500, confirm=lambda p: enclosure_of(Fraction(-2), Fraction(-1), "agreement")
    )
    assert agreed.finding == "confirmed"


def test_margins_within_the_noise_are_no_suspicion():
    assert attack(lambda **c: -1e-12 * c["z_1"], CUBE, evaluations=500, tolerance=1e-9).finding == "nothing"
    assert attack(lambda **c: -1e-12 * c["z_1"], CUBE, evaluations=500, tolerance=1e-13).finding == "suspected"


def test_scalar_margins_and_known_points():
    start = {"x": "0.7071", "y": "1e-9", "n": 6}

    def margin(x, y, n):
        return -1.0 if abs(x - 0.7071) < 1e-9 and n == 6 else 1.0 + y

    assert attack(margin, PLANE, evaluations=300, vectorised=False, starts=(start,)).finding == "suspected"


def test_a_budget_in_seconds_ends():
    record = attack(parabola, Domain((continuous("x", 0, 1), *PLANE.parameters[1:])), budget_seconds=0.2)
    assert record.evaluations > 100 and record.seconds < 5
    for bad in ({"budget_seconds": 0}, {"evaluations": -1}, {"budget_seconds": float("inf")}, {"seed": -1}):
        with pytest.raises(InputError):
            attack(parabola, PLANE, **bad)


# Shrinking and margins


@given(st.fractions(min_value=-1000, max_value=1000), st.integers(1, 6))
def test_rounding_keeps_the_digits_asked_for(value, count):
    short = rounded(value, count)
    assert digits(short) <= count
    assert abs(short - value) <= abs(value) * Fraction(5, 10**count)


@pytest.mark.parametrize(
    ("value", "count"),
    [("0", 0), ("1", 1), ("100", 1), ("0.25", 2), ("1e-30", 1), ("12.5", 3), ("1/3", 99), ("1050", 3)],
)
def test_significant_digits(value, count):
    assert digits(Fraction(value)) == count


@given(st.fractions(), st.fractions(min_value=0, max_value=10))
def test_enclosures_of_intervals_contain_their_ends(lower, width):
    found = enclosure_of(lower, lower + width)
    assert found.contains(lower) and found.contains(lower + width) and found.basis == "bound"
    assert negated(lambda point: found)({}).contains(-lower)
    agreed = Enclosure(found.mid, found.rad, "agreement")
    assert enclosed_difference(found, agreed).basis == "agreement" and enclosed_difference(found, found).contains(width)


def test_margins_of_pairs():
    assert relative_margin(3, 1) == pytest.approx(2 / 3) and relative_margin(0, 0) == 0 and relative_margin(0, 2) == -1
    assert relative_margin(1e-300, 2e-300) == pytest.approx(-0.5)
    assert relative_margin([np.inf, 1.0], [1.0, np.inf]).tolist() == [1, -1] and np.isnan(
        relative_margin(np.inf, np.inf)
    )
    assert log_margin(-800.0, -801.0) == 1 and log_margin(-np.inf, -np.inf) == 0 and log_margin(-5.0, -np.inf) == np.inf


# Checks for the court


def _claim(check, declared, counterexample=None):
    return Claim("T", "N26", "t", "t", declared, (check,), counterexample=counterexample)


def test_an_attack_supports_a_true_claim_and_kills_its_mutants():
    domain = Domain((continuous("x", 0, 1), *PLANE.parameters[1:]))
    check = attack_check(
        "t", parabola, domain, mutants={"x squared twice": lambda x, y, n: x - 2 * x**2 + y}, quick=500
    )
    judgement = judge(_claim(check, Verdict.SUPPORTED))
    assert judgement.agrees and judgement.mutants_killed == 1 and "500 evaluations" in judgement.evidence[0]
    survivor = attack_check("t", parabola, domain, mutants={"still true": lambda x, y, n: 1 + x}, quick=500)
    assert "mutant survived" in judge(_claim(survivor, Verdict.SUPPORTED)).failures[0]
    crash = attack_check(
        "t", parabola, domain, mutants={"not computable": lambda x, y, n: np.full(x.shape, np.nan)}, quick=300
    )
    assert "mutant survived" in judge(_claim(crash, Verdict.SUPPORTED)).failures[0]


def test_an_attack_fails_a_false_claim():
    check = attack_check("t", parabola, PLANE, mutants={"negated": lambda x, y, n: -parabola(x, y, n)}, quick=500)
    assert check.kind is Kind.ATTACK and check.run("quick").outcome is Outcome.FAILED
    assert problems_of(_claim(check, Verdict.SUPPORTED))[0].margin is parabola


def test_a_refutation_needs_a_certified_sign():
    corrected = {"with x (1.1 - x)": lambda x, y, n: x * (1.1 - x) + y}
    check = refutation_check("t", parabola, PLANE, certify=exact_parabola, mutants=corrected, quick=600)
    assert judge(_claim(check, Verdict.REFUTED)).agrees
    vague = refutation_check(
        "t",
        parabola,
        PLANE,
        certify=lambda p: enclosure_of(Fraction(-2), Fraction(-1), "agreement"),
        mutants=corrected,
        quick=600,
    )
    assert vague.run("quick").outcome is Outcome.UNDECIDED
    sound = refutation_check(
        "t", corrected["with x (1.1 - x)"], PLANE, certify=exact_parabola, mutants=corrected, quick=600
    )
    assert sound.run("quick").outcome is Outcome.FAILED


def test_a_counterexample_is_a_point_of_the_domain_with_a_proved_sign():
    point = {"x": "1.1", "y": "0.1", "n": 1}
    mutants = {"the sign turned": exact_parabola, "a point where it holds": {"x": "0.5", "y": "0.1", "n": 1}}
    check = counterexample_check("t", negated(exact_parabola), point, mutants, domain=PLANE)
    judgement = judge(_claim(check, Verdict.REFUTED, "x = 1.1, y = 0.1, n = 1"))
    assert judgement.agrees and judgement.mutants_killed == 2 and "0.01" in judgement.evidence[0]
    outside = counterexample_check("t", negated(exact_parabola), {**point, "x": "1.2"}, mutants, domain=PLANE)
    assert outside.run("quick").outcome is Outcome.FAILED
    wide = counterexample_check("t", lambda p: enclosure_of(Fraction(-1), Fraction(1)), point, mutants, domain=PLANE)
    assert wide.run("quick").outcome is Outcome.UNDECIDED
    agreed = counterexample_check(
        "t", lambda p: enclosure_of(Fraction(1), Fraction(2), "agreement"), point, mutants, domain=PLANE
    )
    assert agreed.run("quick").outcome is Outcome.FAILED


# Claims of one's own


def test_the_worked_example_has_the_verdicts_it_declares():
    claims, judgements = judge_file(EXAMPLE)
    assert [j.verdict for j in judgements] == ["refuted", "supported", "supported"]
    assert all(j.agrees and j.mutants_killed == j.mutants for j in judgements), [j.failures for j in judgements]
    assert list(claims) == [j.id for j in judgements] == ["LEVERAGE_BOUND", "DELETION_IS_WORSE", "SLOPE_AT_ZERO"]


def test_the_command_attacks_one_claim_of_a_file(tmp_path, capsys):
    parser = argparse.ArgumentParser()
    commands_attack.add_arguments(parser)
    options = ["--evaluations", "600", "--output", str(tmp_path)]
    for more, spent in (([], "137 evaluations"), (["--worst"], "600 evaluations")):  # it ends at a proof
        assert commands_attack.main(parser.parse_args([f"{EXAMPLE}:LEVERAGE_BOUND", *options, *more])) == 1
        printed = capsys.readouterr().out
        assert "VIOLATED, certified" in printed and spent in printed
    assert commands_attack.main(parser.parse_args([f"{EXAMPLE}:SLOPE_AT_ZERO", "--json", *options])) == 0
    assert json.loads(capsys.readouterr().out)["finding"] == "nothing"
    with pytest.raises(InputError, match="LEVERAGE_BOUND"):
        commands_attack.main(parser.parse_args([f"{EXAMPLE}:NOBODY", *options]))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x = 1\n", "defines no claim"),
        ("x = 1\ny = 1 / 0\n", "line 2: ZeroDivisionError"),
        ("x = (\n", "SyntaxError"),
        ("import no_such_module_here\n", "line 1: ModuleNotFoundError"),
        ("from ndis_verify.claims.own_claims import *\nA = universal_claim('a', 'a', max, [])\n", "line 2"),
    ],
)
def test_a_file_that_cannot_be_loaded_says_why(tmp_path, text, message):
    path = tmp_path / "mine.py"
    path.write_text(text)
    with pytest.raises(InputError, match=message):
        load_claims(path)


def test_a_missing_file_and_a_wrong_declaration_are_refused(tmp_path):
    for path in (tmp_path / "absent.py", EXAMPLE.with_suffix(".txt")):
        with pytest.raises(InputError, match="existing file, named .py or .json"):
            load_claims(path)
    parts = ("t", "t", parabola, PLANE.parameters)
    for wrong in (
        {"mutants": {}},
        {"mutants": {"m": parabola}, "declared": "true"},
        {"mutants": {"m": parabola}, "declared": "refuted"},
    ):
        with pytest.raises(InputError):
            universal_claim(*parts, **wrong)


def test_a_point_value_in_ball_arithmetic_counts_as_a_bound():
    record = attack(
        lambda x: np.exp(-x) - (1 - x) - x**2 / 2 + 0.1 * x**3,
        Domain((continuous("x", "1e-6", 3, "log"),)),
        evaluations=500,
        tolerance=1e-12,
        certify=lambda p: _exponential_margin(p["x"]),
    )
    assert (
        record.finding == "certified"
        and digits(record.simple["x"]) == 1
        and _exponential_margin(record.simple["x"]).sign() == -1
    )


def _exponential_margin(x):
    from ndis_verify.oracle.certified.engine.balls import ball, enclosure

    b = ball(x)
    return enclosure((-b).exp() - (1 - b) - b * b / 2 + b**3 * arb(1) / 10)


def test_every_domain_of_the_ledger_can_be_asked_at_an_exact_point():
    rng = np.random.default_rng(0)
    for claim in all_claims():
        try:
            problems = problems_of(claim)
        except InputError:  # of one value, or of a program
            continue
        for problem in problems:
            assert problem.domain.contains(problem.domain.point(list(rng.random(problem.domain.size)))) in (True, False)
