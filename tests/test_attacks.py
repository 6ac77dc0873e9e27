"""Every claim of the ledger is searched by `ndis-verify attack ID`, or says in a line of its own why it is not."""

from fractions import Fraction

import mpmath
import numpy as np
import pytest

from ndis_verify import InputError
from ndis_verify.claim import Kind, Verdict
from ndis_verify.claims.attack_index import attacks_by_id, entries, problems_of, reason
from ndis_verify.claims.general_engine import engine, real_engine
from ndis_verify.claims.hockey_stick.attacks import scalar_hinge
from ndis_verify.claims.ledger import all_claims
from ndis_verify.claims.trade_off.attacks import trade_off
from ndis_verify.cli import main
from ndis_verify.court.attack import attack_problem
from ndis_verify.court.attack_checks import PointRun
from ndis_verify.court.margins import agree, agree_logs, around, bounds
from ndis_verify.enclosure import Enclosure

CLAIMS = {claim.id: claim for claim in all_claims()}
ATTACKS = attacks_by_id()
NO_MARGIN = dict(entries("NO_MARGIN"))
ON_DATABASES = [
    *("N26-D2", "N26-F1", "N24-F1", "N24-F2", "N24-P4", "N24-P14", "N24-C2", "N24-C3", "N24-P15", "N24-P13"),
    *("N26-D7", "N26-D8", "SL-1"),
]
BROKEN = [c for c in CLAIMS.values() if c.declared in (Verdict.REFUTED, Verdict.RESTRICTED) and c.id not in NO_MARGIN]


def test_every_claim_has_a_margin_or_a_reason_of_its_own():
    silent = []
    for claim in CLAIMS.values():
        try:
            assert problems_of(claim)
        except InputError as error:
            assert str(error).endswith(reason(claim))
            if claim.declared is not Verdict.OPEN and claim.id not in NO_MARGIN:
                silent.append(claim.id)
    assert not silent, "add an attack to the attacks.py beside the claim, or the reason to its NO_MARGIN"
    assert len(set(NO_MARGIN.values())) >= len(NO_MARGIN) - 1 and set(NO_MARGIN) <= set(CLAIMS)


def test_attacks_stand_in_the_ledger_under_a_part_that_is_decided():
    attacks = attacks_by_id()
    assert set(attacks) <= set(CLAIMS)
    for claim_id, checks in attacks.items():
        claim = CLAIMS[claim_id]
        names = {check.name for check in checks}
        mine = [check for check in claim.checks if check.name in names]
        assert len(mine) == len(checks) and all(c.kind is Kind.ATTACK and c.mutants for c in mine)
        assert {c.part for c in mine} <= {c.part for c in claim.checks if c.name not in names}


def test_every_check_has_a_name_in_words_and_can_be_run():
    for claim in CLAIMS.values():
        for check in claim.checks:
            assert isinstance(check.name, str) and isinstance(check.part, str) and callable(check.run), claim.id
            assert all(isinstance(fault, str) and callable(run) for fault, run in check.mutants.items()), claim.id


@pytest.mark.parametrize("claim", BROKEN, ids=lambda claim: claim.id)
def test_a_statement_that_fails_is_found_violated(claim):
    printed = [p for p in problems_of(claim) if p.certify is not None and p.tolerance == 0.0]
    for problem in printed:
        record = attack_problem(problem, evaluations=40, stop_at_first=True)  # as the court has it
        assert record.finding == "certified" and record.enclosure.sign() == -1


def test_a_claim_without_a_margin_is_answered_with_its_reason(capsys):
    still_open = [(c.id, "is open: ") for c in CLAIMS.values() if c.declared is Verdict.OPEN and not c.checks][:1]
    for claim_id, part in (
        ("N26-D5", "it defines the three sensitivities"),
        ("BW-Fig2", "it is an experiment on one graph"),
        *still_open,
    ):
        assert main(["attack", claim_id]) == 2
        error = capsys.readouterr().err
        assert part in error and error.count("\n") == 1


def test_a_proved_claim_is_attacked_from_the_command_line(capsys):
    assert main(["attack", "N26-P3", "--evaluations", "300"]) == 0
    assert capsys.readouterr().out.count("no violation found") == 1


_LONE_RECORD = {"length": 10, "penalty": "0.01", "added": "0.275", "n": 1, "d": 2, "entry_1": -0.58899468183517456}
_FILLED = dict.fromkeys((*(f"entry_{i}" for i in range(2, 9)), *(f"label_{i}" for i in range(1, 5))), -1)
_SMALL_ROW = {
    "x_1": -6.0885670305488304e-05,
    "x_2": 9.7478709815135289e-06,
    "x_3": "2.77",
    "x_4": "-2.69",
    "x_5": "-0.02",
}
_OTHER_ROWS = {"x_6": "-2.65", "x_7": "0.85", "x_8": "-2.87", "size": "0.1009", "r": 36, "epsilon": "3.9"}


@pytest.mark.parametrize(
    "claim_id, point",
    [
        ("N26-Pr7", _LONE_RECORD | _FILLED),
        ("N26-Pr7-improved", _LONE_RECORD | _FILLED),
        ("N24-C2", _SMALL_ROW | _OTHER_ROWS),
        ("N24-C2", _SMALL_ROW | _OTHER_ROWS | {"x_1": 1e-9, "x_2": -3e-12}),
    ],
)
def test_a_margin_keeps_its_digits_where_a_plain_float64_route_lost_them(claim_id, point):
    problem = next(p for p in problems_of(CLAIMS[claim_id]) if set(point) == {q.name for q in p.domain.parameters})
    exact_point = problem.domain.exact_point(point)
    assert problem.domain.feasible(problem.domain.columns_of([exact_point])).all()
    assert problem.at([exact_point])[0] >= -problem.tolerance


@pytest.mark.parametrize("claim_id", [i for i in ON_DATABASES if ATTACKS[i][0].run.problem.vectorised])
@pytest.mark.parametrize("first_row", [True, False])
def test_attacks_on_matrices_keep_their_digits_for_rows_of_any_size(claim_id, first_row):
    """A search drifts to where an engine errs: a row far below the others, or far above them, is such a place."""
    problem, rng = ATTACKS[claim_id][0].run.problem, np.random.default_rng(5)
    columns = problem.domain.columns(problem.domain.sample(400, rng))
    shrunk = 10 ** rng.uniform(-12 if first_row else -6, 0, 400)
    rows = [name for name in columns if name.startswith(("x_", "b_"))]
    moved = [name for name in rows if (name in ("x_1", "x_2", "b_1")) == first_row]
    columns |= {name: columns[name] * shrunk for name in moved}
    inside = problem.domain.feasible(columns)
    assert inside.sum() > 50
    assert (problem.margins({name: column[inside] for name, column in columns.items()}) >= -problem.tolerance).all()


def test_margins_of_identities_and_bounds():
    same = agree(lambda x: x, lambda x: x * (1 + 1e-3), None)
    assert np.allclose(same(x=np.array([1.0, -4.0])), -1e-3 / 1.001)
    assert same(x=np.array([0.0]))[0] == 0
    logs = agree_logs(lambda x: x, lambda x: x + 1e-3)
    assert logs(x=np.array([-np.inf, 0.5, -1000.0])) == pytest.approx([0, -1e-3, -1e-3 / 999.999])
    assert bounds(lambda x: x, lambda x: 2 * x)(x=np.array([1.0])) == -0.5


def test_the_engine_at_negative_epsilon_is_the_swapped_pair():
    found = real_engine(np.array([1.0, -0.5]), 0.25, 2, np.array([-0.5, 0.0]))
    assert found[0] == pytest.approx(1 - np.exp(-0.5) + np.exp(-0.5) * engine(-0.5, 0.125, 2, 0.5)[0])
    assert found[1] == pytest.approx(engine(-0.5, 0.25, 2, 0.0)[0])


def test_the_scalar_hinge_is_the_divergence():
    for lam in (0.3, 2.5):
        assert scalar_hinge(lam, 0.7, 0.4) == pytest.approx(float(engine(lam - 1, 0.49, 1, 0.4)[0]), rel=1e-12)


def test_trade_off_of_two_coins():
    p, q, x = np.array([[0.25, 0.75]]), np.array([[0.75, 0.25]]), np.array([0.25])
    assert trade_off(p, q, x) == pytest.approx([0.25])
    assert trade_off(p, p, x) == pytest.approx([0.75])


def test_around_a_point_names_shares_and_whole_numbers_stay_what_they_are():
    def violation(point):
        if point["n"] > 30:
            raise ValueError("outside the statement")
        size = float(point["half width"]) + int(point["n"]) - 10.05
        return Enclosure(mpmath.mpf(size), mpmath.mpf(0), "bound")

    problem = around("X-1", PointRun(violation, {"half width": Fraction(1, 10), "n": 10, "zero": 0}, None))
    names = {p.name: p for p in problem.domain.parameters}
    assert set(names) == {"half_width", "n", "zero"}
    assert (
        names["n"].low == 10
        and names["n"].high == 40
        and names["half_width"].high < 1
        and names["zero"].choices == (0,)
    )
    record = attack_problem(problem, evaluations=30)
    assert record.finding == "certified" and record.simple["n"] <= 30
